"""The exact profile of a trace in parts: each counted by a worker, then joined to the same integers.

A part is a file of the trace. What a worker leaves is a file too, named by what was counted, in a folder that all
workers share: work that was interrupted goes on with what is there, and parts may be counted in any order, on any
machine that sees the folder. How parts are joined: `models/crates/simulator/src/curve/parts.rs`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.profile.workers import StartWorkers, Tasks, spread
from tierwright.trace.reading import OnProgress, Trace

if TYPE_CHECKING:
    from tierwright.profile.document import Profile

_ENDING = ".part"
_NANOSECONDS = 1e9
_PARTS = Tasks(
    "part is",
    "parts are",
    "use fewer workers, or smaller parts: a part takes about 100 bytes of memory for each of its pages",
)


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
    """

    trace: Trace
    first_access: int
    accesses: int
    trace_accesses: int

    def file_in(self, folder: Path) -> Path:
        """Name the file of its counts: another one for any other content, place or reading."""
        path = self.trace.path
        status = path.stat()
        named = json.dumps(
            [
                path.name,
                status.st_size,
                status.st_mtime_ns,
                self.first_access,
                self.trace_accesses,
                self.trace.arguments(),
            ],
            sort_keys=True,
        )
        digest = hashlib.sha256(named.encode()).hexdigest()
        return folder / f"{digest[:32]}{_ENDING}"


def profile_of_parts(
    trace: Trace,
    folder: Path,
    start_workers: StartWorkers,
    *,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
    on_progress: OnProgress | None = None,
) -> Profile:
    """Profile a trace of several files, each counted by a worker: exactly what one pass over all of them gives.

    Parameters
    ----------
    trace : Trace
        Its files are the parts, in their order.
    folder : Path
        Where the counts of the parts are kept, and looked for; every worker sees it under this name.
    start_workers : callable
        Starts the workers; called again if one of them dies, at most three times.
    sizes, points
        As for `tierwright.profile.measure.profile`.
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
    _check_files(trace)
    if not folder.is_dir():
        raise BadInput(f"`{folder}` is not a folder", "name a folder that exists")
    files = [replace(trace, path=path, others=()) for path in trace.files]
    steps = 2 * len(files)
    report = on_progress or (lambda _done, _total, _accesses: True)
    accesses = spread(
        start_workers,
        _accesses_of,
        files,
        lambda done: report(len(done), steps, sum(done.values())),
        _PARTS,
    )
    total = sum(accesses)
    starts = list(accumulate(accesses, initial=0))
    placed = [
        PartOfTrace(one, first, count, total)
        for one, first, count in zip(files, starts[:-1], accesses, strict=True)
    ]
    paths = [part.file_in(folder) for part in placed]
    missing = [
        (part, path)
        for part, path in zip(placed, paths, strict=True)
        if not _is_whole(path)
    ]
    kept = len(files) - len(missing)
    spread(
        start_workers,
        _count,
        missing,
        lambda done: report(len(files) + kept + len(done), steps, sum(done.values())),
        _PARTS,
    )
    found = _simulator.join_parts(
        [str(path) for path in paths],
        on_progress=lambda _done, _total, accesses: report(steps, steps, accesses),
    )
    found["trace"] = _noted(found["notes"])
    _check_skipped(found["trace"]["skipped_records"], trace)
    duration_ns = found["duration_ns"]
    found["duration_s"] = None if duration_ns is None else duration_ns / _NANOSECONDS
    return profile_of_counts(found, str(trace.path), sizes=sizes, points=points)


def _check_files(trace: Trace) -> None:
    """Refuse files that are not parts which follow one another."""
    named = [path.resolve() for path in trace.files]
    for path in named:
        if named.count(path) > 1:
            raise BadInput(
                f"`{path.name}` is named twice, so its accesses would count twice",
                "name each file once",
            )
    for asked, option in (
        (trace.reading.members_apart, "members apart"),
        (trace.reading.members_merged, "merged members"),
    ):
        if asked:
            raise BadInput(
                f"{option}: parts follow one another, and pages of one device are the same in all of them",
                "leave it out, or read the trace as a whole",
            )


def _check_skipped(skipped: int, trace: Trace) -> None:
    """Refuse more bad records in all parts than are allowed in the trace."""
    allowed = trace.reading.skip_bad_records
    if skipped > allowed:
        raise BadInput(
            f"the parts have {counted(skipped, 'bad record')}, more than the {allowed:,} that may be skipped",
            "allow more, or repair the files",
        )


def _accesses_of(trace: Trace) -> int:
    return _simulator.count_accesses(str(trace.path), **trace.arguments())


def _count(task: tuple[PartOfTrace, Path]) -> int:
    """Write the counts of a part, and return its accesses."""
    part, path = task
    _simulator.part_curves(
        str(part.trace.path),
        str(path),
        first_access=part.first_access,
        trace_accesses=part.trace_accesses,
        **part.trace.arguments(),
    )
    return part.accesses


def _is_whole(path: Path) -> bool:
    """Whether the counts of a part are there; what is damaged is counted anew."""
    if not path.exists():
        return False
    try:
        _simulator.check_part(str(path))
    except _simulator.TraceError:
        path.unlink()
        return False
    return True


def _noted(notes: Iterable[str]) -> Mapping[str, Any]:
    """Join what the readers of the parts noticed: each note once, writes told if all tell them."""
    each = [json.loads(line) for text in notes for line in text.split("\n")]
    warnings: list[dict[str, Any]] = []
    assumptions: list[str] = []
    for one in each:
        warnings += [note for note in one["warnings"] if note not in warnings]
        assumptions += [text for text in one["assumptions"] if text not in assumptions]
    skipped = [one["skipped_records"] or 0 for one in each]
    return {
        "source_format": each[0]["source_format"],
        "tells_writes": all(one["tells_writes"] for one in each),
        "skipped_records": sum(skipped),
        "warnings": warnings,
        "assumptions": assumptions,
    }
