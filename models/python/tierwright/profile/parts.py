"""The exact profile of a trace in parts: each counted by a worker, then joined to the same integers.

A part is a file of the trace. What a worker leaves is a file too, named by what was counted, in a folder or below a
prefix of an object store that all workers share: work that was interrupted goes on with what is there, and parts may be counted in any order, on any
machine that sees it. How parts are joined: `models/crates/simulator/src/curve/parts.rs`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tierwright import _simulator
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
from tierwright.profile.workers import StartWorkers, Tasks, spread
from tierwright.trace.objects import on_this_machine
from tierwright.trace.reading import OnProgress, Trace
from tierwright.trace.sources.shelf import Folder, Shelf

if TYPE_CHECKING:
    from tierwright.profile.document import Profile

_ENDING = ".part"
_NANOSECONDS = 1e9
PARTS = Tasks(
    "part is",
    "parts are",
    "use fewer workers, or smaller parts: a part takes about 100 bytes of memory for each of its pages, with "
    "summaries about 230",
)
_FITS_NS = 2**63 - 1
"""Furthest that a part may be from the beginning of its trace. [ns]"""


@dataclass(frozen=True, slots=True)
class PartOfTrace:
    """Where a file lies in the trace.

    Attributes
    ----------
    trace : Trace
        The file and how it is read.
    first_access : int
        Accesses of the trace before it.
    accesses : int
        Of the file.
    trace_accesses : int
        Accesses of the whole trace.
    summaries : bool
        Whether its counts hold what summaries are made from.
    times : tuple of int or None
        As `_simulator.part_curves` takes them. [ns]
    ranges, range_number : int
        Ranges into which its pages are divided, and the one that the counts follow.
    """

    trace: Trace
    first_access: int
    accesses: int
    trace_accesses: int
    summaries: bool = False
    times: tuple[int, int, int] | None = None
    ranges: int = 1
    range_number: int | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        address = self.trace.objects.get(self.trace.path)
        return str(address or self.trace.path)

    @property
    def counts_name(self) -> str:
        """Name the file of its counts: another one for any other content, place or reading."""
        path = self.trace.path
        version = self.trace.versions.get(path)
        of_summaries = [self.times] if self.summaries else []
        number = self.range_number
        of_ranges = [] if number is None else [f"{number} of {self.ranges}"]
        named = json.dumps(
            [
                *content_key(path, version),
                self.first_access,
                self.trace_accesses,
                self.trace.arguments(),
                *of_summaries,
                *of_ranges,
            ],
            sort_keys=True,
        )
        digest = hashlib.sha256(named.encode()).hexdigest()
        return f"{digest[:32]}{_ENDING}"


def profile_of_parts(
    trace: Trace,
    folder: Path | Shelf,
    start_workers: StartWorkers,
    *,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
    summaries: bool = False,
    relation_names: bool = False,
    on_progress: OnProgress | None = None,
) -> Profile:
    """Profile a trace of several files, each counted by a worker: exactly what one pass over all of them gives.

    Parameters
    ----------
    trace : Trace
        Its files are the parts, in their order. Those that are objects of a store are copied by whoever counts them.
    folder : Path or Shelf
        Where the counts of the parts are kept, and looked for; every worker sees it under this name. Counts in a store
        are copied here to be joined.
    start_workers : callable
        Starts the workers; called again if one of them dies, at most three times.
    sizes, points
        As for `tierwright.profile.measure.profile`.
    summaries : bool
        Whether also the summaries and the reuse of relations are joined from those of the parts. Files with times are
        then read twice.
    relation_names : bool
        Whether relations carry their names.
    on_progress : callable, optional
        Called with (parts done, parts, accesses done); False cancels. What is counted stays in the folder.

    Raises
    ------
    BadInput
        If a size is below 1, the folder cannot be used, the trace has no accesses, or workers died each time they
        were started.
    SimulatorError
        If a part cannot be read, parts differ in their page size, or progress asked to stop.
    """
    from tierwright.profile.measure import check_sizes, profile_of_counts

    check_sizes(sizes)
    check_files(trace)
    shelf = Folder(folder) if isinstance(folder, Path) else folder
    shelf.check()
    files = [one_file(trace, path) for path in trace.files]
    steps = 2 * len(files)
    report = on_progress or (lambda _done, _total, _accesses: True)
    extents = spread(
        start_workers,
        _extent_with_times if summaries else _extent,
        files,
        lambda done: report(
            len(done), steps, sum(each["accesses"] for each in done.values())
        ),
        PARTS,
    )
    accesses = [each["accesses"] for each in extents]
    total = sum(accesses)
    starts = list(accumulate(accesses, initial=0))
    times = _times_of(extents) if summaries else [None] * len(files)
    placed = [
        PartOfTrace(one, first, count, total, summaries, when)
        for one, first, count, when in zip(
            files, starts[:-1], accesses, times, strict=True
        )
    ]
    with TemporaryDirectory(prefix="tierwright-") as cache:
        missing = [
            (part, shelf) for part in placed if not is_whole(part, shelf, Path(cache))
        ]
        kept = len(files) - len(missing)
        spread(
            start_workers,
            _count,
            missing,
            lambda done: report(
                len(files) + kept + len(done), steps, sum(done.values())
            ),
            PARTS,
        )
        found = joined_counts(
            placed,
            shelf,
            Path(cache),
            lambda _done, _total, accesses: report(steps, steps, accesses),
        )
    found["trace"] = noted(found["notes"])
    check_skipped(found["trace"]["skipped_records"], trace)
    duration_ns = found["duration_ns"]
    found["duration_s"] = None if duration_ns is None else duration_ns / _NANOSECONDS
    made = profile_of_counts(found, str(trace.path), sizes=sizes, points=points)
    return _with_summaries(made, found, names=relation_names) if summaries else made


def _with_summaries(made: Profile, found: Mapping[str, Any], *, names: bool) -> Profile:
    """Add the summaries that the core has joined, and the reuse of relations where there are several devices."""
    from tierwright.profile import relations
    from tierwright.profile.summaries import Summaries

    joined = found["summaries"] | {
        key: found[key] for key in ("page_bytes", "duration_s", "trace")
    }
    summaries = Summaries.from_dict(joined)
    made = replace(made, summaries=summaries)
    if summaries.devices is None:
        return made
    return made.with_relations(
        relations.listed(found["relations"]["relations"], names=names)
    )


def _times_of(
    extents: Sequence[Mapping[str, Any]],
) -> list[tuple[int, int, int] | None]:
    """Place the times of the parts in those of the trace; None for each where one has accesses without times."""
    filled = [each for each in extents if each["accesses"]]
    if not filled or any(each["latest_ns"] is None for each in filled):
        return [None] * len(extents)
    begun = next(
        each["first_time_ns"] for each in extents if each["first_time_ns"] is not None
    )
    placed, before = [], 0
    for each in extents:
        if each["latest_ns"] is None:
            placed.append((0, before))
            continue
        offset = max(-_FITS_NS, min(_FITS_NS, each["first_time_ns"] - begun))
        placed.append((offset, before))
        before = max(before, min(_FITS_NS, offset + each["latest_ns"]))
    return [(offset, earlier, before) for offset, earlier in placed]


def accesses_of(trace: Trace) -> int:
    """Count the accesses of one file."""
    with on_this_machine(trace) as here, naming_object(trace, here):
        return _simulator.count_accesses(str(here.path), **here.arguments())


def _extent(trace: Trace) -> dict[str, Any]:
    return {"accesses": accesses_of(trace)}


def _extent_with_times(trace: Trace) -> dict[str, Any]:
    with on_this_machine(trace) as here, naming_object(trace, here):
        return _simulator.count_part(str(here.path), **here.arguments())


def _count(task: tuple[PartOfTrace, Shelf]) -> int:
    """Write the counts of a part, and return its accesses."""
    part, shelf = task
    with (
        on_this_machine(part.trace) as here,
        naming_object(part.trace, here),
        shelf.writing(part.counts_name) as path,
    ):
        _simulator.part_curves(
            str(here.path),
            str(path),
            first_access=part.first_access,
            trace_accesses=part.trace_accesses,
            summaries=part.summaries,
            times=part.times,
            **here.arguments(),
        )
    return part.accesses


def is_whole(part: PartOfTrace, shelf: Shelf, cache: Path) -> bool:
    """Whether the counts of a part are there; what is damaged is counted again."""
    return kept_file(part.counts_name, shelf, cache, _simulator.check_part) is not None


def joined_counts(
    parts: Sequence[PartOfTrace], shelf: Shelf, cache: Path, on_progress: OnProgress
) -> dict[str, Any]:
    """Join the counts of all parts, those in a store by copies of them.

    Raises
    ------
    BadInput
        If those of a part are missing.
    SimulatorError
        If they are damaged, or progress asked to stop.
    """
    named: dict[str, str] = {}
    for part in parts:
        of = f"counts of {part.name}"
        path = needed_file(shelf, part.counts_name, cache, of)
        named[str(path)] = shown_file(shelf, part.counts_name, of)
    with naming_files(named):
        return _simulator.join_parts(list(named), on_progress=on_progress)


def noted(notes: Iterable[str]) -> Mapping[str, Any]:
    """Join what the readers of the parts noticed: each note once, writes told if all tell them."""
    each = [json.loads(line) for text in notes for line in text.split("\n")]
    warnings: list[dict[str, Any]] = []
    assumptions: list[str] = []
    for one in each:
        warnings += [note for note in one["warnings"] if note not in warnings]
        assumptions += [text for text in one["assumptions"] if text not in assumptions]
    skipped = [one["skipped_records"] or 0 for one in each]
    return {
        # Of parts by ranges, which see only writes to their pages.
        "write_accesses": sum(one.get("write_accesses", 0) for one in each),
        "source_format": each[0]["source_format"],
        "tells_writes": all(one["tells_writes"] for one in each),
        "skipped_records": sum(skipped),
        "warnings": warnings,
        "assumptions": assumptions,
    }
