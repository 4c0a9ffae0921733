"""The bench of the partitioned path: a trace that is generated as it is read, however long.

``python models/benches/partitioned.py --accesses 1e8 [--part-accesses 1e7] [--pages 1e6] [--workers 2 | --dask
local:2] [--keep FOLDER] [--write docs/operations/scale.md]``. Each part is generated where it is counted, from a seed of its own, and
is deleted when it is counted: neither memory nor disk ever holds more of the trace than a part for each worker. What
the parts leave is joined to the exact curves of the whole. Prints memory and rate of each step, and what they come to
by arithmetic for longer traces; ``--write`` puts that into the page, between its two marks.

``--scaling 1 2`` does the same by so many processes, one after the other, and writes how much faster more of them are.

With ``--keep`` the counts of parts stay in a folder, with what they took: a run of hours that was interrupted goes on
with the next part. Its wall clock is then the sum over the parts, divided by the workers, and the joining.

Rates are of processor time, which other programs on the machine do not change much; the wall clock is shown beside.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

import results

from tierwright import _simulator
from tierwright.hardware.servers import server
from tierwright.profile.described.description import Component, Description
from tierwright.profile.described.generated import generate_trace
from tierwright.profile.workers import Tasks, spread
from tierwright.simulate.executors import Workers, dask, named

PAGE_BYTES = 4096
MEBIBYTE, GIBIBYTE = 2**20, 2**30
HOUR_S = 3600.0
COUNTERS, JOINER = "aws-m8g.4xlarge", "aws-r8g.48xlarge"
"""Machines of the arithmetic: many that count, and one with much memory that joins."""
LONGER = (
    (10**10, 10**8, 1, 10**6),
    (10**11, 10**9, 4, 10**6),
    (10**12, 10**9, 16, 10**6),
    (10**12, 10**9, 16, 10**8),
)
"""Accesses of longer traces, those of a part, machines that count, and distinct pages of a part."""
BEGIN, END = "<!-- measured -->", "<!-- end -->"
SCALING_BEGIN, SCALING_END = "<!-- scaling -->", "<!-- scaling end -->"
PARTS = Tasks("part is", "parts are", "use smaller parts")


@dataclass(frozen=True)
class Part:
    """A part that is to be generated and counted."""

    number: int
    first_access: int
    accesses: int
    trace_accesses: int
    pages: int
    folder: str

    @property
    def counts(self) -> Path:
        """File of its counts."""
        return Path(self.folder) / f"{self.number}.part"

    @property
    def took(self) -> Path:
        """File that says what counting took, written once the counts are complete."""
        return Path(self.folder) / (
            f"{self.number}-{self.first_access}-{self.accesses}-{self.trace_accesses}-{self.pages}.json"
        )


@dataclass(frozen=True)
class Counted:
    """What a part took: processor seconds, seconds by the clock, and most memory of its worker so far."""

    accesses: int
    wall_s: float
    generate_s: float
    count_s: float
    peak_bytes: int
    counts_bytes: int


@dataclass(frozen=True)
class Joined:
    """What joining took, and of how much."""

    join_s: float
    peak_bytes: int
    accesses: int
    distinct_pages: int


@dataclass(frozen=True)
class Measured:
    """A whole run.

    Attributes
    ----------
    accesses, distinct_pages, parts, part_accesses, workers : int
        Of the trace, and who counted it.
    counted_wall_s, wall_s : float
        From the first part to the last one, and to the curves. [s]
    generate_s, count_s, join_s : float
        Processor time in all. [s]
    worker_peak_bytes, join_peak_bytes : int
        Most memory of one worker, and of the process that joined. [bytes]
    counts_bytes : int
        What the parts left, in all. [bytes]
    """

    accesses: int
    distinct_pages: int
    parts: int
    part_accesses: int
    workers: int
    counted_wall_s: float
    wall_s: float
    generate_s: float
    count_s: float
    join_s: float
    worker_peak_bytes: int
    join_peak_bytes: int
    counts_bytes: int


@dataclass(frozen=True)
class Extrapolated:
    """A longer trace by arithmetic.

    Attributes
    ----------
    accesses : int
        Of the trace.
    parts, part_pages : int
        As they would be cut, and distinct pages of each.
    count_hours : float
        Of one processor. [h]
    machines : int
        That count, all of their processors.
    machine_hours, join_hours : float
        Of each machine that counts; of the one that joins. [h]
    usd : float
        For all of them. [USD]
    counts_bytes : float
        What the parts leave in the store. [bytes]
    """

    accesses: int
    parts: int
    part_pages: int
    count_hours: float
    machines: int
    machine_hours: float
    join_hours: float
    usd: float
    counts_bytes: float


def extrapolated(
    measured: Measured,
    accesses: int,
    *,
    part_accesses: int,
    part_pages: int,
    machines: int,
    processors: int,
    usd_per_hour: float,
    join_usd_per_hour: float,
) -> Extrapolated:
    """Compute what a longer trace takes.

    Counting takes time by accesses. Joining, and the room of counts, are by pages of a part; those measured have nearly
    all pages of their trace.
    """
    pages = part_pages / measured.distinct_pages
    times = accesses / measured.accesses
    parts = -(-accesses // part_accesses)
    count_hours = measured.count_s * times / HOUR_S
    machine_hours = count_hours / (machines * processors)
    join_hours = measured.join_s / measured.parts * parts * pages / HOUR_S
    return Extrapolated(
        accesses,
        parts,
        part_pages,
        count_hours,
        machines,
        machine_hours,
        join_hours,
        machines * machine_hours * usd_per_hour + join_hours * join_usd_per_hour,
        measured.counts_bytes / measured.parts * parts * pages,
    )


def description(pages: int) -> Description:
    """Describe accesses to popular pages and to pages drawn evenly, a quarter of them writes."""
    return Description(
        "partitioned",
        PAGE_BYTES,
        pages * PAGE_BYTES,
        100_000.0,
        0.25,
        (
            Component("zipf", weight=0.8, exponent=0.9),
            Component("uniform", weight=0.2),
        ),
    )


def spent_s() -> float:
    """Processor time of this process. [s]"""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_bytes() -> int:
    """Most memory of this process so far. [bytes]"""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def count(part: Part) -> Counted:
    """Generate a part, count it, and delete it; read what it took where it is counted already."""
    if part.took.exists():
        return Counted(**json.loads(part.took.read_text(encoding="ascii")))
    clock, began = time.monotonic(), spent_s()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "part.twt"
        generate_trace(description(part.pages), trace, part.accesses, seed=part.number)
        generated = spent_s()
        _simulator.part_curves(
            str(trace),
            str(part.counts),
            first_access=part.first_access,
            trace_accesses=part.trace_accesses,
        )
    found = Counted(
        part.accesses,
        time.monotonic() - clock,
        generated - began,
        spent_s() - generated,
        peak_bytes(),
        part.counts.stat().st_size,
    )
    partial = part.took.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(found)), encoding="ascii")
    partial.replace(part.took)
    return found


def join(paths: list[str]) -> Joined:
    """Join what the parts left."""
    began = spent_s()
    found = _simulator.join_parts(paths)
    return Joined(
        spent_s() - began,
        peak_bytes(),
        found["accesses"],
        found["distinct_pages"],
    )


def measure(
    accesses: int,
    part_accesses: int,
    pages: int,
    workers: AbstractContextManager[Workers],
    say: Callable[[str], None],
    keep: Path | None = None,
) -> Measured:
    """Generate, count and join a trace of so many accesses."""
    starts = range(0, accesses, part_accesses)
    with tempfile.TemporaryDirectory(prefix="tierwright-parts-") as temporary:
        folder = temporary
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            folder = str(keep.resolve())
        parts = [
            Part(
                number,
                first,
                min(part_accesses, accesses - first),
                accesses,
                pages,
                folder,
            )
            for number, first in enumerate(starts)
        ]
        began = time.monotonic()
        told = 0

        def report(done: object) -> bool:
            nonlocal told
            if len(done) > told:  # type: ignore[arg-type]
                told = len(done)  # type: ignore[arg-type]
                say(f"{told} of {len(parts)} parts, {time.monotonic() - began:.0f} s")
            return True

        with workers as started:
            counted = spread(started.start, count, parts, report, PARTS)
            slots = started.slots
        counted_s = time.monotonic() - began
        if keep is not None:
            counted_s = sum(one.wall_s for one in counted) / slots
        began = time.monotonic()
        with named(None, 1, say) as one:
            paths = [str(part.counts) for part in parts]
            joined = spread(one.start, join, [paths], lambda _done: True, PARTS)[0]
        wall_s = counted_s + time.monotonic() - began
    if joined.accesses != accesses:
        sys.exit(f"error: {joined.accesses:,} accesses were counted, not {accesses:,}")
    return Measured(
        accesses,
        joined.distinct_pages,
        len(parts),
        part_accesses,
        slots,
        counted_s,
        wall_s,
        sum(one.generate_s for one in counted),
        sum(one.count_s for one in counted),
        joined.join_s,
        max(one.peak_bytes for one in counted),
        joined.peak_bytes,
        sum(one.counts_bytes for one in counted),
    )


def further(measured: Measured) -> list[Extrapolated]:
    """Return the longer traces of the page."""
    counters, joiner = server(COUNTERS), server(JOINER)
    return [
        extrapolated(
            measured,
            accesses,
            machines=machines,
            part_accesses=part_accesses,
            part_pages=part_pages,
            processors=int(counters.vcpu or 1),
            usd_per_hour=float(counters.usd_per_hour or 0),
            join_usd_per_hour=float(joiner.usd_per_hour or 0),
        )
        for accesses, part_accesses, machines, part_pages in LONGER
    ]


def write(path: Path, text: str, begin: str = BEGIN, end: str = END) -> None:
    """Put tables between two marks of a page."""
    page = path.read_text(encoding="utf-8")
    path.write_text(results.between(page, begin, end, f"\n{text}\n"), encoding="utf-8")


def scaling(runs: list[Measured]) -> str:
    """Return the table of one trace that different numbers of processes counted."""
    first = runs[0]
    lines = [
        f"{first.accesses:,} accesses to {first.distinct_pages:,} pages in {first.parts} parts.",
        "",
        "| processes | generating and counting | times as fast | joining | all |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.workers} | {one.counted_wall_s:.1f} s | {first.counted_wall_s / one.counted_wall_s:.2f} | "
        f"{one.wall_s - one.counted_wall_s:.1f} s | {one.wall_s:.1f} s |"
        for one in runs
    ]
    return "\n".join(lines)


def page(measured: Measured, longer: list[Extrapolated]) -> str:
    """Return the tables of docs/operations/scale.md."""
    million = measured.accesses / 1e6
    rows = [
        ("accesses", f"{measured.accesses:,}"),
        ("distinct pages", f"{measured.distinct_pages:,}"),
        ("parts", f"{measured.parts:,} of {measured.part_accesses:,} accesses"),
        ("workers", f"{measured.workers}"),
        (
            "generating",
            f"{million / measured.generate_s:.1f} million accesses per second of a processor",
        ),
        (
            "counting",
            f"{million / measured.count_s:.1f} million accesses per second of a processor",
        ),
        (
            "joining",
            f"{measured.join_s / measured.parts:.2f} s of a processor for each part",
        ),
        (
            "whole run, wall clock",
            f"{measured.wall_s:,.0f} s",
        ),
        (
            "peak memory of a worker",
            f"{measured.worker_peak_bytes / MEBIBYTE:,.0f} MiB, generating included",
        ),
        (
            "peak memory of joining",
            f"{measured.join_peak_bytes / MEBIBYTE:,.0f} MiB",
        ),
        (
            "counts in the folder",
            f"{measured.counts_bytes / measured.parts / MEBIBYTE:.1f} MiB for each part",
        ),
    ]
    lines = ["| measured | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), ""]
    lines += [
        "| accesses, by arithmetic | parts | distinct pages of a part | counting | machines | each for | joining | counts | cost |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.accesses:.0e} | {one.parts:,} | {one.part_pages:,} | {one.count_hours:,.1f} processor hours | {one.machines} | "
        f"{one.machine_hours:.2f} h | {one.join_hours:.2f} h | {one.counts_bytes / GIBIBYTE:,.1f} GiB | ${one.usd:,.2f} |"
        for one in longer
    ]
    return "\n".join(lines)


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accesses", type=float, default=1e8)
    parser.add_argument("--part-accesses", type=float, default=1e7)
    parser.add_argument("--pages", type=float, default=1e6)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--dask")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--scaling", type=int, nargs="+", metavar="N")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    if asked.scaling and (asked.keep or asked.dask or asked.workers):
        parser.error("--scaling chooses the workers, and counts every part anew")

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201

    def measured(workers: AbstractContextManager[Workers]) -> Measured:
        return measure(
            int(asked.accesses),
            int(asked.part_accesses),
            int(asked.pages),
            workers,
            say,
            asked.keep,
        )

    if asked.scaling:
        table = scaling([measured(named(None, count, say)) for count in asked.scaling])
        print(table)  # noqa: T201
        if asked.write is not None:
            write(asked.write, table, SCALING_BEGIN, SCALING_END)
        return
    workers = named(None, asked.workers, say)
    if asked.dask is not None:
        workers = dask(asked.dask, say)
    found = measured(workers)
    print(json.dumps(asdict(found), indent=1))  # noqa: T201
    text = page(found, further(found))
    print(text)  # noqa: T201
    if asked.write is not None:
        write(asked.write, text)


if __name__ == "__main__":
    main()
