"""Writes the table of docs/models/compose.md: composed curves against merged traces, replayed.

``python scripts/generate_compositions.py`` measures and writes (``make compositions``), from the
shipped traces and generated ones, in about a minute; with ``--check`` it compares, exit 1 where they
differ.
"""

from __future__ import annotations

import csv
import io
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard

from tierwright.common.arrays import FloatArray
from tierwright.common.wording import percent
from tierwright.evaluate.compose.shared import shared_cache
from tierwright.profile.measure import profile
from tierwright.profile.several import Workload
from tierwright.trace.reading import Reading, Trace

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "compose.md"
BEGIN = "<!-- compositions: written by `make compositions`; do not edit -->"
END = "<!-- compositions end -->"
SHARES = (0.001, 0.01, 0.1, 0.3, 0.6)
"""Sizes of the table, as shares of the pages of all workloads."""
LEAST_SHARE = 0.01
"""From which size on the worst error counts."""
NEARBY = 0.02
"""Share of the size by which the place of a cliff may be off."""
GENERATED = 200_000
"""Accesses of a generated workload."""

Row = tuple[float, str, str, int]
"""Time [µs], operation, relation, block."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two workloads, the second with its time stretched."""

    name: str
    first: Callable[[], list[Row]]
    second: Callable[[], list[Row]]
    stretch: float = 1.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Composed misses beside those of the merged trace, by size."""

    pages: FloatArray
    replayed: FloatArray
    composed: FloatArray
    worst: float
    worst_nearby: float
    worst_backs: float


def shipped(name: str) -> Callable[[], list[Row]]:
    """Return what reads a trace of the repository."""

    def read() -> list[Row]:
        path = ROOT / "fixtures" / "traces" / f"{name}.csv.zst"
        with path.open("rb") as file:
            text = io.TextIOWrapper(
                zstandard.ZstdDecompressor().stream_reader(file), "utf-8"
            )
            rows = csv.reader(text)
            next(rows)
            return [(float(t), op, rel, int(block)) for t, op, rel, block in rows]

    return read


def generated(kind: str, pages: int, seed: int) -> Callable[[], list[Row]]:
    """Return what draws a workload: `zipf`, `uniform` or `loop`; every fourth access writes."""

    def draw() -> list[Row]:
        rng = np.random.default_rng(seed)
        if kind == "loop":
            blocks = np.arange(GENERATED) % pages
        else:
            weights = (
                1.0 / np.arange(1, pages + 1) if kind == "zipf" else np.ones(pages)
            )
            blocks = rng.choice(pages, GENERATED, p=weights / weights.sum())
        times = np.cumsum(rng.exponential(10.0, GENERATED))
        writes = rng.random(GENERATED) < 0.25  # noqa: PLR2004
        return [
            (float(time), "W" if wrote else "R", "1/1/1", int(block))
            for time, wrote, block in zip(times, writes, blocks, strict=True)
        ]

    return draw


def bursts(rows: Iterable[Row], *, on: int, late: bool) -> list[Row]:
    """Let a workload run every second stretch of `on` accesses of its time."""
    listed = list(rows)
    length = listed[-1][0] / len(listed) * on
    return [
        (
            row[0] % length / 2 + row[0] // length * length + late * length / 2,
            *row[1:],
        )
        for row in listed
    ]


PAIRS = (
    Pair("tpcb and tpcc, as recorded", shipped("tpcb-cut"), shipped("tpcc-cut")),
    Pair(
        "tpcb, and tpcc at a quarter of its rate",
        shipped("tpcb-cut"),
        shipped("tpcc-cut"),
        4,
    ),
    Pair(
        "tpcc, and tpcb at a quarter of its rate",
        shipped("tpcc-cut"),
        shipped("tpcb-cut"),
        4,
    ),
    Pair(
        "Zipf and uniform (generated)",
        generated("zipf", 20_000, 1),
        generated("uniform", 5_000, 2),
    ),
    Pair(
        "Zipf, and a loop at half its rate (generated)",
        generated("zipf", 20_000, 3),
        generated("loop", 5_000, 4),
        2,
    ),
    Pair(
        "tpcb and tpcc, taking turns",
        lambda: bursts(shipped("tpcb-cut")(), on=40_000, late=False),
        lambda: bursts(shipped("tpcc-cut")(), on=40_000, late=True),
    ),
)


def written(path: Path, rows: Iterable[Row]) -> Path:
    """Write a trace in the format of the PostgreSQL recordings."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("time_us,op,rel,block\n")
        file.writelines(f"{t:.0f},{op},{rel},{block}\n" for t, op, rel, block in rows)
    return path


def measured(pair: Pair, folder: Path) -> Measured:
    """Compose the curves of both, and count those of the trace merged by time."""
    first = pair.first()
    second = [(row[0] * pair.stretch, *row[1:]) for row in pair.second()]
    end = min(first[-1][0], second[-1][0])
    paths = [
        written(folder / name, (row for row in rows if row[0] <= end))
        for name, rows in (("first.csv", first), ("second.csv", second))
    ]
    curves = [profile(Trace(path)).curve for path in paths]
    merged = profile(
        Trace(
            paths[0],
            others=(paths[1],),
            reading=Reading(members_apart=True, members_merged=True),
        )
    ).curve
    total = merged.distinct_pages
    running = merged.steady()
    least, most = max(1, round(LEAST_SHARE * total)), round(max(SHARES) * total)
    many = np.unique(np.geomspace(least, most, 200).astype(np.int64))
    few = np.asarray([max(1, round(share * total)) for share in SHARES])
    # Rates in accesses of the common time: their counts are those of the merged trace.
    workloads = [
        Workload(str(at), curve.steady(), float(curve.accesses))
        for at, curve in enumerate(curves)
    ]
    shown = shared_cache(workloads, few).misses_per_s.sum(axis=0)
    found = shared_cache(workloads, many)
    misses = found.misses_per_s.sum(axis=0)
    assert found.write_backs_per_s is not None
    return Measured(
        few,
        running.misses(few) / merged.accesses,
        shown / merged.accesses,
        _worst(misses, running.misses(many)),
        _worst(
            misses,
            running.misses(many * (1 + NEARBY)),
            running.misses(many * (1 - NEARBY)),
        ),
        _worst(found.write_backs_per_s.sum(axis=0), running.write_backs(many)),
    )


def _worst(made: FloatArray, low: FloatArray, high: FloatArray | None = None) -> float:
    """Return how far counts lie outside of two ends at most, as a share of the nearer end. [1]"""
    most = low if high is None else high
    off = np.maximum((made - most) / most, (low - made) / low)
    return float(np.max(np.maximum(off, 0.0)))


def lines(pairs: Iterable[Pair] = PAIRS) -> Iterator[str]:
    """Lines of the table, two a pair."""
    for pair in pairs:
        with tempfile.TemporaryDirectory() as folder:
            found = measured(pair, Path(folder))
        cells = [
            f"{percent(replayed)} / {percent(made)}"
            for replayed, made in zip(found.replayed, found.composed, strict=True)
        ]
        worst = [
            percent(found.worst),
            percent(found.worst_nearby),
            percent(found.worst_backs),
        ]
        yield f"| {' | '.join((pair.name, *cells, *worst))} |"


def table() -> str:
    """Return the whole table."""
    heads = [f"at {100 * share:g} %" for share in SHARES]
    columns = [
        "workloads",
        *heads,
        "worst error of misses",
        f"allowing {100 * NEARBY:g} % of the size",
        "of write-backs",
    ]
    rule = ["---", *["---:"] * (len(columns) - 1)]
    return "\n".join(
        [BEGIN, f"| {' | '.join(columns)} |", f"| {' | '.join(rule)} |", *lines(), END]
    )


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    made = text[:begin] + table() + text[end:]
    if "--check" in arguments:
        if made == text:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is out of date")
        print("hint: run `make compositions`")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
