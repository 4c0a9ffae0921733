"""Canonical parts of one trace, with the page numbers that one conversion of the whole gives.

A trace of several files is converted file by file, side by side, and pages and devices have the same numbers in all parts:
those of one conversion of all files together, in the order of their first accesses. No process holds all pages. They are
divided by ranges of a hash, and a page is numbered by the worker of its range. The steps, and what each of them takes:
`models/crates/simulator/src/trace/canonical/numbered.rs`.

What a step leaves is a file in a folder or below a prefix that all workers share, under a name made of what it depends on:
interrupted work goes on with what is there, and a trace to which files are added keeps what does not depend on them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.profile.part_files import (
    check_files,
    check_skipped,
    content_key,
    kept_file,
    naming_files,
    naming_object,
    needed_file,
    one_file,
    shown_file,
)
from tierwright.profile.ranges import MOST_RANGES
from tierwright.profile.workers import StartWorkers, Tasks, spread
from tierwright.trace import conversions
from tierwright.trace.objects import on_this_machine
from tierwright.trace.reading import OnProgress, Trace
from tierwright.trace.sources.shelf import Folder, Shelf

_PARTS = Tasks(
    "part is",
    "parts are",
    "use fewer workers, or smaller files: a part takes 20 to 45 bytes of memory for each of its pages",
)
_RANGES = Tasks(
    "range is",
    "ranges are",
    "divide the pages into more ranges: one takes about 60 bytes of memory for each of its pages",
)


@dataclass(frozen=True, slots=True)
class NumberedParts:
    """The parts that were written.

    Attributes
    ----------
    files : tuple of str
        Where they are, in their order.
    accesses, write_accesses, distinct_pages : int
        Of the whole trace.
    accesses_of, new_pages_of : tuple of int
        Of each part: its accesses, and its pages that no earlier part has.
    page_bytes : int
        Page size. [bytes]
    devices : int
        Of the whole trace.
    warnings : tuple of dict
        What the readers of the parts noticed, each note once.
    """

    files: tuple[str, ...]
    accesses: int
    write_accesses: int
    distinct_pages: int
    accesses_of: tuple[int, ...]
    new_pages_of: tuple[int, ...]
    page_bytes: int
    devices: int
    warnings: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        each = zip(self.files, self.accesses_of, self.new_pages_of, strict=True)
        return {
            "accesses": self.accesses,
            "write_accesses": self.write_accesses,
            "distinct_pages": self.distinct_pages,
            "page_bytes": self.page_bytes,
            "devices": self.devices,
            "parts": [
                {"file": file, "accesses": accesses, "new_pages": new_pages}
                for file, accesses, new_pages in each
            ],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of the trace, and the names of what is kept of it.

    Attributes
    ----------
    trace : Trace
        The file and how it is read.
    shelf : Shelf
        Where it is kept.
    ranges : int
        Ranges into which its pages are divided.
    own : str
        Names its content and reading.
    until : str
        Names it and all parts before it.
    """

    trace: Trace
    shelf: Shelf
    ranges: int
    own: str
    until: str

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.trace.objects.get(self.trace.path) or self.trace.path)

    @property
    def canonical(self) -> str:
        """Name the file converted by itself."""
        return f"{self.own}.canonical"

    @property
    def notes(self) -> str:
        """Name what its conversion noticed."""
        return f"{self.own}.notes"

    def of_ranges(self, step: str) -> list[str]:
        """Name what a step leaves for each range."""
        named = self.own if step == "pages" else self.until
        return [self.of_range(step, number, named) for number in range(self.ranges)]

    def of_range(self, step: str, number: int, named: str | None = None) -> str:
        """Name what a step leaves for one range."""
        digest = named or (self.own if step == "pages" else self.until)
        return f"{digest}-{number}-of-{self.ranges}.{step}"


def convert_in_parts(
    trace: Trace,
    folder: Path | Shelf,
    out: Path | Shelf,
    start_workers: StartWorkers,
    *,
    ranges: int = 1,
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> NumberedParts:
    """Convert each file of a trace to a canonical part, numbered as one conversion of all files numbers pages and devices.

    Parameters
    ----------
    trace : Trace
        Its files are the parts, in their order. Those that are objects of a store are copied by whoever reads them.
    folder : Path or Shelf
        Where workers keep what a step leaves, and look for it; every worker sees it under this name.
    out : Path or Shelf
        Where the parts are written, as `000001.twt` and so on.
    start_workers : callable
        Starts the workers; called again if one of them dies, at most three times.
    ranges : int
        Ranges of a hash into which the pages are divided; one worker holds the pages of one range.
    force : bool
        Whether parts of another conversion are replaced.
    on_progress : callable, optional
        Called with (tasks done, tasks, accesses read); False cancels. What is done stays in the folder.

    Raises
    ------
    BadInput
        If the ranges are out of bounds, a folder cannot be used, parts of another conversion are in `out`, the files do not
        fit together, or workers died each time they were started.
    SimulatorError
        If a file cannot be read, or progress asked to stop.
    """
    if not 1 <= ranges <= MOST_RANGES:
        raise BadInput(
            f"hash_ranges: `{ranges}` must be from 1 to {MOST_RANGES:,}",
            "use 64 ranges, for example",
        )
    check_files(trace)
    shelf, place = (
        Folder(each) if isinstance(each, Path) else each for each in (folder, out)
    )
    shelf.check()
    place.check()
    parts = _parts_of(trace, shelf, ranges)
    names = [f"{number + 1:06d}.twt" for number in range(len(parts))]
    whole = parts[-1].until
    steps = 3 * len(parts) + 2 * ranges
    report = on_progress or (lambda _done, _total, _accesses: True)
    _check_out(place, names, whole, start_workers, force=force)

    def progress(before: int) -> Any:
        return lambda done: report(before + len(done), steps, total)

    total = 0
    found = spread(
        start_workers,
        _divide,
        parts,
        lambda done: report(
            len(done), steps, sum(each["accesses"] for each in done.values())
        ),
        _PARTS,
    )
    _check_fit(parts, found, trace)
    total = sum(each["accesses"] for each in found)
    numbers = [(number, parts) for number in range(ranges)]
    before = len(parts)
    news_of = spread(start_workers, _find_new, numbers, progress(before), _RANGES)
    news = [sum(each[at] for each in news_of) for at in range(len(parts))]
    firsts = list(accumulate(news, initial=0))
    before += ranges
    spread(
        start_workers,
        _number_new,
        list(zip(parts, firsts[:-1], strict=True)),
        progress(before),
        _PARTS,
    )
    before += len(parts)
    spread(start_workers, _number_all, numbers, progress(before), _RANGES)
    before += ranges
    devices = _numbered([each["devices"] for each in found])
    accesses = [each["accesses"] for each in found]
    starts = list(accumulate(accesses, initial=0))
    written = [
        _Write(
            part,
            place,
            names[at],
            {
                "trace": whole,
                "number": at,
                "parts": len(parts),
                "pages_before": firsts[at],
                "accesses_before": starts[at],
                "devices": devices[at],
            },
        )
        for at, part in enumerate(parts)
    ]
    spread(start_workers, _write, written, progress(before), _PARTS)
    warnings: list[dict[str, Any]] = []
    for each in found:
        warnings += [note for note in each["warnings"] if note not in warnings]
    return NumberedParts(
        files=tuple(place.named(name) for name in names),
        accesses=total,
        write_accesses=sum(each["write_accesses"] for each in found),
        distinct_pages=firsts[-1],
        accesses_of=tuple(accesses),
        new_pages_of=tuple(news),
        page_bytes=found[0]["page_bytes"],
        devices=1 + max(number for each in devices for number in each),
        warnings=tuple(warnings),
    )


def _parts_of(trace: Trace, shelf: Shelf, ranges: int) -> list[_Part]:
    """Name the parts by their contents, and by those before them."""
    parts: list[_Part] = []
    until = ""
    for path in trace.files:
        one = one_file(trace, path)
        own = _digest(
            *content_key(path, one.versions.get(path)),
            one.arguments(),
            conversions.core_build(),
        )
        until = _digest(until, own)
        parts.append(_Part(one, shelf, ranges, own, until))
    return parts


def _digest(*named: object) -> str:
    text = json.dumps(named, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _numbered(devices: Sequence[Sequence[str]]) -> list[list[int]]:
    """Give the devices of all parts numbers by their names, in the order of their first appearance."""
    known: dict[str, int] = {}
    return [[known.setdefault(name, len(known)) for name in each] for each in devices]


def _check_out(
    place: Shelf,
    names: Sequence[str],
    whole: str,
    start_workers: StartWorkers,
    *,
    force: bool,
) -> None:
    """Refuse to replace parts of another conversion before anything is read."""
    behind = f"{len(names) + 1:06d}.twt"
    if place.holds(behind):
        raise BadInput(
            f"`{place.named(behind)}` is a part of a conversion of more files, and would be read with these",
            "write the parts to another folder, or move it away",
        )
    if force:
        return
    there = [(place, name) for name in names if place.holds(name)]
    for (_, name), of in zip(
        there,
        spread(start_workers, _trace_of, there, lambda _done: True, _PARTS),
        strict=True,
    ):
        if of != whole:
            raise BadInput(
                f"`{place.named(name)}` exists and is not of this conversion",
                "write the parts to another folder, or ask for them to be replaced",
            )


def _trace_of(task: tuple[Shelf, str]) -> str | None:
    """Name the conversion that a file is of."""
    place, name = task
    with TemporaryDirectory(prefix="tierwright-") as cache:
        path = place.here(name, Path(cache))
        try:
            part = path and _simulator.canonical_content(path)["part"]
        except _simulator.TraceError:
            return None
    return part["trace"] if part else None


def _check_fit(
    parts: Sequence[_Part], found: Sequence[dict[str, Any]], trace: Trace
) -> None:
    """Refuse files that are no parts of one trace."""
    for key, what in (
        ("source_format", "format"),
        ("page_bytes", "page size"),
        ("has_time", "time stamps"),
    ):
        for part, each in zip(parts, found, strict=True):
            if each[key] != found[0][key]:
                raise BadInput(
                    f"`{part.name}`: {what}: `{each[key]}`, but `{found[0][key]}` in `{parts[0].name}`",
                    "name files of one trace, which are read in the same way",
                )
    check_skipped(sum(each["skipped"] for each in found), trace)


def _divide(part: _Part) -> dict[str, Any]:
    """Convert a file by itself and divide its pages by range, unless that is kept; what was found in it."""
    shelf = part.shelf
    with TemporaryDirectory(prefix="tierwright-") as cache:
        here = Path(cache)
        content = kept_file(part.canonical, shelf, here, _simulator.check_chunks)
        kept = kept_file(part.notes, shelf, here, _simulator.check_numbers)
        if content is None or kept is None:
            kept = json.dumps(_convert(part))
            with shelf.writing(part.notes) as path:
                _simulator.keep_notes(str(path), kept)
            with _file_of(part, part.canonical, here) as path:
                content = _simulator.canonical_content(path)
        pages = part.of_ranges("pages")
        checked = [
            kept_file(name, shelf, here, _simulator.check_numbers) for name in pages
        ]
        if None in checked:
            with (
                _file_of(part, part.canonical, here) as path,
                _writing(shelf, pages) as outs,
            ):
                _simulator.divide_pages(path, outs, notes="")
    notes: dict[str, Any] = json.loads(kept)
    return content | notes


def _convert(part: _Part) -> dict[str, Any]:
    """Convert a file by itself; what is not in its canonical form."""
    with (
        on_this_machine(part.trace) as here,
        naming_object(part.trace, here),
        part.shelf.writing(part.canonical) as path,
    ):
        found, _notes = conversions.convert(here, path, force=True)
    return {"skipped": found.get("skipped_records") or 0}


def _find_new(task: tuple[int, Sequence[_Part]]) -> list[int]:
    """Find which pages of a range are new in each part, unless that is kept; how many of each."""
    number, parts = task
    shelf = parts[0].shelf
    names = [part.of_range("first", number) for part in parts]
    with TemporaryDirectory(prefix="tierwright-") as cache:
        here = Path(cache)
        kept = [
            kept_file(name, shelf, here, _simulator.check_numbers) for name in names
        ]
        known = [int(each) for each in kept if each is not None]
        if len(known) == len(kept):
            return known
        pages = [(part, part.of_range("pages", number)) for part in parts]
        with _files_of(pages, here) as paths, _writing(shelf, names) as outs:
            return _simulator.first_touches(paths, outs)


def _number_new(task: tuple[_Part, int]) -> None:
    """Give the pages of a part that no earlier one has their numbers, unless they are kept."""
    part, pages_before = task
    names = part.of_ranges("new")
    with TemporaryDirectory(prefix="tierwright-") as cache:
        here = Path(cache)
        if _are_kept(names, part.shelf, here):
            return
        firsts = [(part, name) for name in part.of_ranges("first")]
        with (
            _file_of(part, part.canonical, here) as path,
            _files_of(firsts, here) as paths,
            _writing(part.shelf, names) as outs,
        ):
            _simulator.number_new_pages(path, paths, outs, pages_before=pages_before)


def _number_all(task: tuple[int, Sequence[_Part]]) -> None:
    """Give all pages of a range their numbers in each part, unless they are kept."""
    number, parts = task
    shelf = parts[0].shelf
    names = [part.of_range("numbers", number) for part in parts]
    with TemporaryDirectory(prefix="tierwright-") as cache:
        here = Path(cache)
        if _are_kept(names, shelf, here):
            return
        pages = [(part, part.of_range("pages", number)) for part in parts]
        news = [(part, part.of_range("new", number)) for part in parts]
        with (
            _files_of(pages, here) as of_parts,
            _files_of(news, here) as new,
            _writing(shelf, names) as outs,
        ):
            _simulator.number_all_pages(of_parts, new, outs)


@dataclass(frozen=True, slots=True)
class _Write:
    """A part to be written.

    Attributes
    ----------
    part : _Part
        What is kept of it.
    place : Shelf
        Where it is written.
    name : str
        Its name there.
    lies : dict
        Where it lies in the whole, as `_simulator.numbered_part` takes it.
    """

    part: _Part
    place: Shelf
    name: str
    lies: dict[str, Any]


def _write(task: _Write) -> None:
    """Write a part with the numbers of its pages, unless it is there."""
    part = task.part
    with TemporaryDirectory(prefix="tierwright-") as cache:
        here = Path(cache)
        path = task.place.here(task.name, here)
        if path is not None and _is_written(path, task.lies):
            return
        numbers = [(part, name) for name in part.of_ranges("numbers")]
        with (
            _file_of(part, part.canonical, here) as canonical,
            _files_of(numbers, here) as paths,
            task.place.writing(task.name) as out,
        ):
            _simulator.numbered_part(canonical, paths, str(out), **task.lies)


def _is_written(path: Path, lies: dict[str, Any]) -> bool:
    try:
        return bool(_simulator.check_chunks(str(path))["part"] == lies)
    except _simulator.TraceError:
        return False


def _are_kept(names: Sequence[str], shelf: Shelf, cache: Path) -> bool:
    checked = (
        kept_file(name, shelf, cache, _simulator.check_numbers) for name in names
    )
    return all(each is not None for each in checked)


@contextmanager
def _file_of(part: _Part, name: str, cache: Path) -> Iterator[str]:
    """Yield the path of one file that is kept of a part."""
    with _files_of([(part, name)], cache) as (path,):
        yield path


@contextmanager
def _files_of(files: Sequence[tuple[_Part, str]], cache: Path) -> Iterator[list[str]]:
    """Yield the paths of files that are kept of parts, which errors then name.

    Raises
    ------
    BadInput
        If one is missing.
    """
    named = {
        str(needed_file(part.shelf, name, cache, f"of {part.name}")): shown_file(
            part.shelf, name, f"of {part.name}"
        )
        for part, name in files
    }
    with naming_files(named):
        yield list(named)


@contextmanager
def _writing(shelf: Shelf, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield where to write files, each of which is there when it is complete."""
    with ExitStack() as stack:
        yield [str(stack.enter_context(shelf.writing(name))) for name in names]
