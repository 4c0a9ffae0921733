"""Writes docs/models/prediction.md: what a model of the first half of a recording costs on its second.

``python scripts/generate_predictions.py SHARED`` takes the folder SHARED/traces (or that of
TIERWRIGHT_SHARED) for the recording that is not shipped; ``make predict`` runs it. It takes minutes.

``--check`` needs the shipped traces only: it computes their rows anew and compares them, and all
words of the page, with what is there; exit 1 where they differ.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import zstandard

from tierwright import _simulator
from tierwright.evaluate.page_flow import evaluation
from tierwright.evaluate.page_flow.decision import priced, service_times_of
from tierwright.hardware import catalog
from tierwright.profile import steady_state
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "prediction.md"
NOTE = "<!-- Written by `make predict`; do not edit. -->"

SHIPPED = ("tpcb-cut.csv.zst", "tpcc-cut.csv.zst")
RECORDED = ("postgres/tpcb.csv.zst",)
FIXED_ON: dict[str, str | None] = {
    "cloudPhysicsIO.csv.gz": None,
    "desktop.trace.gz": "flashsim",
    "hadoop_eternity8.blkparse.txt.gz": None,
    "OLTP.lis.zst": None,
    "2_pools.trace.gz": None,
}
"""Recordings of other systems, on which the constants of the estimate were fixed, and the format
where the content fits several."""
CONSTANTS: dict[str, tuple[float, ...]] = {
    "TAIL_FROM": (0.5, 0.6, 0.7, 0.8, 0.9),
    "TAIL_PAGES": (1.5, 2.0, 3.0),
    "LOOP_UP_TO": (0.5, 0.6, 0.7),
    "MOST_OF_LOOP": (1.5, 2.0, 3.0),
    "FOLLOWED_EVICTIONS": (0.05, 0.1, 0.2),
}
"""Constants of `tierwright.profile.steady_state`, and the values that were compared."""
RAM_SHARES = (0.005, 0.01, 0.02, 0.05, 0.1)
FLASH_PER_RAM = (1, 2, 3, 5, 10, 15, 20)
SCHEMES = ("none", "inclusive", "exclusive", "lazy")
PAIRS = {
    "slow writes": ("kv2009-intel-x25e", "face2016-cheetah-15k6-single"),
    "fast flash": ("samsung-pm9a3-7.68tb-u2", "face2016-cheetah-15k6-raid0-16"),
    "dear writes": ("face2016-samsung-850evo-250", "face2016-cheetah-15k6-raid0-16"),
}
"""The device pairs of the page of model gaps."""
RIGHT = 1e-9
"""Regret below which the choice is the best one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One question and what the answer cost."""

    start: str
    pair: str
    regret: float


def main(arguments: list[str]) -> int:
    """Write the page."""
    if "--check" in arguments:
        return check()
    shared = arguments[0] if arguments else os.environ.get("TIERWRIGHT_SHARED", "")
    folder = Path(shared) / "traces"
    if not shared or not folder.is_dir():
        print(f"error: `{folder}` is no folder of recorded traces")
        print("hint: name the folder that holds `traces`, or set TIERWRIGHT_SHARED")
        return 2
    sources = {**shipped(), **{name: folder / name for name in RECORDED}}
    fixed = fixing(folder)
    PAGE.write_text(page(rows(sources), fixed), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def shipped() -> dict[str, Path]:
    """Return the traces in the repository."""
    return {name: ROOT / "fixtures" / "traces" / name for name in SHIPPED}


def check() -> int:
    """Compare the page with what the shipped traces say."""
    written = PAGE.read_text(encoding="utf-8").splitlines()
    words = {skeleton(line) for line in written}
    stale = [
        line
        for line in page(rows(shipped()), []).splitlines()
        if (
            line not in written
            if line.startswith("| `")
            else skeleton(line) not in words
        )
    ]
    for line in stale:
        print(f"not in {PAGE.relative_to(ROOT)}: {line}")
    if stale:
        print("hint: run `make predict`; it needs a recorded trace")
    return 1 if stale else 0


def skeleton(line: str) -> str:
    """Return a line with its counts left out."""
    return re.sub(r"\d[\d,.]*", "#", line)


def rows(sources: dict[str, Path]) -> list[list[str]]:
    """Score the choices on each trace: from cold counts, and in the steady state."""
    found = []
    with tempfile.TemporaryDirectory(prefix="tierwright-predict-") as scratch:
        for name, source in sources.items():
            print(name, flush=True)
            whole, half = halves(source, Path(scratch))
            made = list(choices(whole, half))
            for start in ("cold", "steady"):
                for pair in PAIRS:
                    regrets = [
                        each.regret
                        for each in made
                        if (each.start, each.pair) == (start, pair)
                    ]
                    found.append(row(name, start, pair, regrets))
                found.append(
                    row(
                        name, start, "all", [e.regret for e in made if e.start == start]
                    )
                )
    return found


def row(name: str, start: str, pair: str, regrets: Sequence[float]) -> list[str]:
    """One line of the table."""
    right = sum(regret < RIGHT for regret in regrets) / len(regrets)
    return [
        f"`{name}`",
        start,
        pair,
        f"{len(regrets)}",
        f"{right:.1%}",
        f"{sum(regrets) / len(regrets):.3%}",
        f"{max(regrets):.2%}",
    ]


def fixing(folder: Path) -> list[list[str]]:
    """Mean regret in the steady state by each value of each constant, the others as they are."""
    with tempfile.TemporaryDirectory(prefix="tierwright-predict-") as scratch:
        replays = []
        for name, form in FIXED_ON.items():
            print(name, flush=True)
            replays.append(replayed(*halves(folder / name, Path(scratch), form)))
        return [
            [f"`{constant}`", f"{value:g}{mark}", *scores(replays, constant, value)]
            for constant, values in CONSTANTS.items()
            for value in values
            for mark in [" (taken)" if value == getattr(steady_state, constant) else ""]
        ]


def scores(replays: Sequence[Replayed], constant: str, value: float) -> list[str]:
    """Mean and worst regret of all choices with a constant set to a value."""
    before = getattr(steady_state, constant)
    setattr(steady_state, constant, value)
    try:
        regrets = [
            choice.regret for known in replays for choice in chosen(known, ("steady",))
        ]
    finally:
        setattr(steady_state, constant, before)
    return [f"{sum(regrets) / len(regrets):.3%}", f"{max(regrets):.1%}"]


def halves(source: Path, scratch: Path, form: str | None = None) -> tuple[Trace, Trace]:
    """Return a recording and its first half, as lines of its text."""
    if source.suffix == ".gz":
        with gzip.open(source) as text:
            lines = text.readlines()
    else:
        with source.open("rb") as packed:
            reader = zstandard.ZstdDecompressor().stream_reader(packed)
            lines = io.BufferedReader(reader).readlines()
    head = 1 if ".csv" in source.suffixes else 0
    first = scratch / f"{len(lines)}-{source.stem}"
    first.write_bytes(b"".join(lines[: head + (len(lines) - head) // 2]))
    return Trace(source, format=form), Trace(first, format=form)


def curve_of(trace: Trace) -> Curve:
    """Return the whole curve of a trace, from a cold start."""
    form = {} if trace.format is None else {"format": trace.format}
    return Curve.of_counts(_simulator.curves(str(trace.path), **form))


@dataclass(frozen=True, slots=True)
class Replayed:
    """A first half, and what replays of the second count at every point."""

    cold: Curve
    points: list[tuple[int, int]]
    counts: dict[tuple[str, int, int], Any]


def replayed(whole: Trace, half: Trace) -> Replayed:
    """Replay the second half at every point, with caches that the first half warmed."""
    cold = curve_of(half)
    points = [
        (max(1, int(cold.distinct_pages * share)), times)
        for share in RAM_SHARES
        for times in FLASH_PER_RAM
    ]
    wanted = {
        (scheme, r, 0 if scheme == "none" else r * times)
        for r, times in points
        for scheme in SCHEMES
    }
    asked = sorted(wanted)
    made = replay.sweep(
        whole,
        [{"scheme": s, "ram_pages": r, "flash_pages": f} for s, r, f in asked],
        warm_up=cold.accesses,
    )
    return Replayed(cold, points, dict(zip(asked, made["rows"], strict=True)))


def choices(whole: Trace, half: Trace) -> Iterable[Choice]:
    """Choose from the first half, and price the choice by a replay of the second."""
    return chosen(replayed(whole, half))


def chosen(
    known: Replayed, starts: Sequence[steady_state.Start] = ("cold", "steady")
) -> Iterable[Choice]:
    """Choose from the first half, and price the choice by what was replayed."""
    cold = replace(known.cold)  # which keeps no estimate made with other constants
    curves = {start: cold.from_start(start) for start in starts}
    for pair, (flash, disk) in PAIRS.items():
        devices: dict[str, Any] = {
            "flash": catalog.device(flash),
            "disk": catalog.device(disk),
        }
        for r, times in known.points:
            for start, curve in curves.items():
                found = evaluation.evaluate(
                    curve, ram_pages=r, flash_pages=r * times, **devices
                )
                service = service_times_of(found)
                truth = {
                    scheme: priced(
                        known.counts[scheme, r, 0 if scheme == "none" else r * times],
                        **service,
                    ).io_time_us_per_access
                    for scheme in SCHEMES
                }
                best = found.best.removesuffix("_global")
                least = min(truth.values())
                yield Choice(start, pair, truth[best] / least - 1 if least else 0.0)


def page(lines: list[list[str]], fixed: list[list[str]]) -> str:
    """Return the page."""
    points = len(RAM_SHARES) * len(FLASH_PER_RAM)
    return (
        "\n\n".join(
            [
                "# Prediction",
                NOTE,
                "What a choice from the first half of a recording costs on its second half, replayed with caches "
                "that the first half warmed: *regret* is the I/O time of the chosen scheme over that of the best one, "
                f"minus one. {points} sizes per pair of devices: RAM of 0.5 to 10 % of the pages of the first half, flash "
                "of 1 to 20 times RAM. No replay helps the choice. `cold` uses the counts of the first half as they "
                "are, `steady` the estimate of [the steady state](steady-state.md). Where RAM and flash hold more pages than "
                "the first half touches, the replay has empty frames left, and writes back less than a running system, which "
                "`steady` is about.",
                table(
                    [
                        "trace",
                        "start",
                        "devices",
                        "points",
                        "right",
                        "mean regret",
                        "worst",
                    ],
                    lines,
                ),
                "## On what the estimate was fixed",
                "Its rules are those of the [derivation](steady-state.md). Its constants are the trend from `TAIL_FROM` of the largest "
                "size known, up to `TAIL_PAGES` times the pages seen, and of dirty shares `LOOP_UP_TO`, `MOST_OF_LOOP` and `FOLLOWED_EVICTIONS`. The two of the trend were fixed on recordings of other systems, none of which is scored above: "
                f"{', '.join(f'`{name}`' for name in FIXED_ON)}; the same points, pairs and halves. Taken was the value of least "
                "mean regret, and of those that chose alike a round one, while write-backs went by the dirty share of a cold "
                "start. Those of dirty shares are fixed where write-backs come nearest to long replays of made-up workloads ([how good it is]"
                "(steady-state.md#how-good-it-is)). The second halves of these recordings differ more from their first ones than those of the "
                "table above, so no constant makes their regret small: most of it is of `desktop.trace.gz`, whose first half "
                "touches a new page with 92 % of its accesses and whose second half with far fewer.",
                table(["constant", "value", "mean regret", "worst"], fixed, left=2),
            ]
        )
        + "\n"
    )


def table(head: Sequence[str], lines: Iterable[Sequence[str]], left: int = 3) -> str:
    """Return a table in Markdown, its first columns aligned left."""
    rule = [*["---"] * left, *["---:"] * (len(head) - left)]
    return "\n".join(f"| {' | '.join(each)} |" for each in (head, rule, *lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
