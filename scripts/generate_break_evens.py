"""Writes docs/models/break-even-replays.md: break-evens of the schemes held against replays.

``python scripts/generate_break_evens.py SHARED`` finds the break-even of every scheme on recorded
traces in the folder SHARED/traces (or that of TIERWRIGHT_SHARED) and the shipped ones, and replays
the DRAM step and the flash that is to match it; ``make break-evens`` runs it. It takes minutes and
needs traces whose licences do not let us ship them, so `make generate` leaves it out.

``--check`` needs the shipped traces only: it computes their rows anew, compares them and all words
of the page with what is there, and holds them against what is promised; exit 1 where one fails.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from generate_choices import RECORDED, SHIPPED, STARTS, percent, shipped
from generate_model_gaps import curve_of, numbers, shares, table

from tierwright import _simulator
from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.evaluate.break_even import replayed, schemes
from tierwright.evaluate.break_even.replayed import WHOLE_PAGES
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import sweep
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "break-even-replays.md"
NOTE = "<!-- Written by `make break-evens`; do not edit. -->"
RAM_SHARES = (0.02, 0.1)
DELTAS = (0.25, 1.0, 2.0)
PAIRS = {
    "PM9A3 over Exos": ("samsung-pm9a3-7.68tb-u2", "seagate-exos-2x18-18tb"),
    "P3700 over RAID-0": ("face2016-intel-p3700-400", "face2016-cheetah-15k6-raid0-16"),
    "S3500 over RAID-0": ("face2016-intel-s3500-480", "face2016-cheetah-15k6-raid0-16"),
    "840 Pro over RAID-0": (
        "face2016-samsung-840pro-256",
        "face2016-cheetah-15k6-raid0-16",
    ),
}
FIXED_ON = (
    "tpcb-cut.csv.zst",
    "postgres/tpcb.csv.zst",
    "cloudPhysicsIO.vscsi",
    "OLTP.lis.zst",
)
"""The traces on which `evaluate.break_even.schemes.STEADY_DIFFERENCE` was fixed."""
LEAST_WITHIN = 0.95
ENDS = (5, 50, 95)
"""Percentiles that are shown of what the flash delivers."""


@dataclass(frozen=True, slots=True)
class Point:
    """One break-even of one scheme, and what replays say of it.

    Attributes
    ----------
    trace, start, pair, scheme : str
        Of what.
    is_best : bool
        Whether it is the scheme that the model names.
    delivered : float or None
        Share of what the DRAM step saves, replayed; None where no flash is to match it.
    width : float
        Width of the stated range over the break-even; NaN where one end is missing. [1]
    is_open : bool
        Whether there is a break-even but the range has no upper end.
    is_within : bool or None
        Whether the replays bracket the step within the stated error.
    is_best_by_replay : bool
        Whether no other scheme saves more with the flash that the best one needs.
    is_trend : bool
        Whether the recording tells too little about these sizes.
    """

    trace: str
    start: str
    pair: str
    scheme: str
    is_best: bool
    delivered: float | None
    width: float
    is_open: bool
    is_within: bool | None
    is_best_by_replay: bool
    is_trend: bool


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
    points = measure(shipped() | {name: folder / name for name in RECORDED})
    PAGE.write_text(page(points), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}: {len(points)} break-evens")
    return 1 if broken(points) else 0


def measure(sources: Mapping[str, Path]) -> list[Point]:
    """Find and replay every break-even of every trace."""
    found: list[Point] = []
    with tempfile.TemporaryDirectory(prefix="tierwright-break-evens-") as scratch:
        for at, (name, source) in enumerate(sources.items()):
            canonical = Path(scratch) / f"{at}.twt"
            _simulator.convert(str(source), str(canonical), format=RECORDED.get(name))
            trace = Trace(canonical)
            curve = curve_of(trace)
            for start in STARTS:
                found.extend(points_of(name, trace, curve.from_start(start), start))
            print(name, flush=True)
    return found


def points_of(name: str, trace: Trace, curve: Curve, start: str) -> Iterator[Point]:
    """Find the break-evens on one trace from one start, and replay all of them in one read."""
    asked = []
    for pair, (flash, disk) in PAIRS.items():
        costs = break_even_question.page_costs(
            catalog.device(flash),
            catalog.device(disk),
            1,
            curve.page_bytes,
            sequential=False,
        )
        for part in RAM_SHARES:
            base = max(1, round(part * curve.distinct_pages))
            found = schemes.scheme_thetas(curve, base, DELTAS, costs)
            asked += [
                (pair, costs, found, at, replayed.check_sizes(curve, base, found, at))
                for at in range(len(DELTAS))
            ]
    wanted = list(dict.fromkeys(key for *_, sizes in asked for key in sizes.wanted()))
    rows = sweep(
        trace,
        [point.configuration(scheme) for scheme, point in wanted],
        warm_up=wanted[0][1].warm_up,
    )["rows"]
    replays = dict(zip(wanted, rows, strict=True))
    for pair, costs, found, at, sizes in asked:
        made = replayed.replayed_break_even(sizes, replays, costs, found.best[at])
        for scheme, each in made.schemes.items():
            of = found.schemes[scheme]
            ends = [float(x[at]) for x in (of.theta_least, of.theta, of.theta_most)]
            yield Point(
                name,
                start,
                pair,
                scheme,
                scheme == made.best,
                each.share,
                (ends[2] - ends[0]) / ends[1] if ends[1] > 0 else np.nan,
                bool(np.isfinite(ends[1]) and not np.isfinite(ends[2])),
                each.is_within,
                made.best is not None and made.best == made.best_by_replay,
                sizes.schemes[scheme].is_trend,
            )


# --- the page ------------------------------------------------------------------------------

HEADINGS = [
    "break-evens",
    "delivered: median",
    f"{ENDS[0]} to {ENDS[-1]} %",
    "stated error, median width",
    "no upper end",
    "held",
    "within it",
]


def row_of(points: Sequence[Point]) -> list[str]:
    """Return what there is to say of some break-evens."""
    known = [p for p in points if p.delivered is not None and not p.is_trend]
    held = [p for p in points if p.is_within is not None]
    if not held:
        return [str(len(known)), "-", "-", "-", "-", "0", "-"]
    low, middle, high = (
        np.percentile([p.delivered for p in known if p.delivered is not None], ENDS)
        if known
        else (np.nan,) * 3
    )
    widths = [p.width for p in known if np.isfinite(p.width)]
    return [
        str(len(known)),
        f"{middle:.3g}",
        f"{low:.3g} to {high:.3g}",
        percent(float(np.median(widths))) if widths else "-",
        percent(float(np.mean([p.is_open for p in known]))) if known else "-",
        str(len(held)),
        percent(float(np.mean([p.is_within is True for p in held]))),
    ]


def rows_by(points: Sequence[Point], keys: Sequence[str]) -> list[list[str]]:
    """Return a row for each combination of the keys."""
    groups: dict[tuple[str, ...], list[Point]] = {}
    for point in points:
        groups.setdefault(tuple(str(getattr(point, key)) for key in keys), []).append(
            point
        )
    return [
        [
            *(
                f"`{x}`" if key == "trace" or key == "scheme" else x
                for key, x in zip(keys, name, strict=True)
            ),
            *row_of(group),
        ]
        for name, group in groups.items()
    ]


def share_within(points: Sequence[Point]) -> float:
    """Return how often the replays lie within the stated error, where that can be said."""
    held = [p.is_within for p in points if p.is_within is not None]
    return float(np.mean(held)) if held else 1.0


def broken(points: Sequence[Point]) -> list[str]:
    """Name what is promised and does not hold."""
    found = []
    for start in STARTS:
        here = [p for p in points if p.start == start]
        if share_within(here) < LEAST_WITHIN:
            found.append(f"{start}: {share_within(here):.1%} within the stated error")
    proof = [p for p in points if p.start == "steady" and p.trace not in FIXED_ON]
    if share_within(proof) < LEAST_WITHIN:
        found.append(f"traces of the proof: {share_within(proof):.1%} within it")
    for what in found:
        print(f"does not hold: {what}")
    return found


def best_row(points: Sequence[Point]) -> list[str]:
    """Return how often the scheme named needs the least flash by replay, and what it delivers."""
    best = [p for p in points if p.is_best and not p.is_trend]
    right = float(np.mean([p.is_best_by_replay for p in best])) if best else np.nan
    return [*row_of(best)[:3], percent(right) if best else "-"]


def page(points: Sequence[Point]) -> str:
    """Return the page."""
    starts = [
        [start, *best_row([p for p in points if p.start == start])] for start in STARTS
    ]
    trend = sum(p.is_trend for p in points)
    parts = [
        "# Break-evens and replays",
        NOTE,
        "The flash that gains as much as a step of DRAM, [by page-flow scheme](break-even.md#by-page-flow-scheme), held against "
        f"replays: RAM of {shares(RAM_SHARES)} of the distinct pages, DRAM steps of {numbers(DELTAS)} times RAM, four pairs of "
        "devices, from a cold start and in the steady state (caches warmed by the first half of the recording, counted over the "
        "second). *Delivered* is the share of what the DRAM step saves, replayed, that the flash of the model saves, replayed: "
        "1 is right. *Within* is how often the step lies between what the flash of both ends of the stated error saves, to "
        f"{percent(WHOLE_PAGES)} of the step; *held* counts the break-evens for which that is known. The stated error is that of "
        "the hits of `inclusive` and `lazy`, of the pages that `lazy` writes, and in the steady state of every cost: its curve is "
        "made of the whole recording while the replay counts the second half. *No upper end* is how often no size is stated "
        "that would be enough: no size is, or the recording says too little about so much flash.",
        f"Promised: within the stated error at {percent(LEAST_WITHIN)} of the break-evens or more, from either start, and on "
        "the traces that the error of the steady state was not fixed on.",
        table(
            ["devices", "flash", "disk"],
            [
                [name, f"`{flash}`", f"`{disk}`"]
                for name, (flash, disk) in PAIRS.items()
            ],
        ),
        f"Left out are {trend:,} of {len(points):,} at which RAM and flash hold more pages than the recording covers: a replay of "
        "it could not show more.",
        "## By scheme",
        table(["start", "scheme", *HEADINGS], rows_by(points, ["start", "scheme"])),
        "## Fixed and proved",
        "The error of the steady state was fixed on "
        + ", ".join(f"`{name}`" for name in FIXED_ON)
        + ".",
        table(
            ["steady, on", *HEADINGS],
            [
                [
                    what,
                    *row_of(
                        [
                            p
                            for p in points
                            if p.start == "steady" and (p.trace in FIXED_ON) == fixed
                        ]
                    ),
                ]
                for what, fixed in (("these traces", True), ("the others", False))
            ],
        ),
        "## The scheme that is named",
        "*Right* is how often no other scheme saves more, replayed, with the flash that the named one needs.",
        table(
            ["start", "break-evens", "delivered: median", HEADINGS[2], "right"], starts
        ),
        "## By devices",
        table(["start", "devices", *HEADINGS], rows_by(points, ["start", "pair"])),
        "## By trace",
        table(["trace", "start", *HEADINGS], rows_by(points, ["trace", "start"])),
    ]
    return "\n\n".join(parts) + "\n"


def check() -> int:
    """Compare the page with what the shipped traces say."""
    points = measure(shipped())
    written = PAGE.read_text(encoding="utf-8")
    rows = set(written.splitlines())
    words = {skeleton(line) for line in rows}
    stale = []
    for line in page(points).splitlines():
        of_all = line.startswith("|") and not any(name in line for name in SHIPPED)
        known = line in rows if "`tp" in line else skeleton(line) in words
        if not known and not of_all:
            stale.append(line)
    for line in stale:
        print(f"not in {PAGE.relative_to(ROOT)}: {line}")
    if stale:
        print("hint: run `make break-evens`; it needs the recorded traces")
    return 1 if stale or broken(points) else 0


def skeleton(line: str) -> str:
    """Return a line with its counts left out."""
    return re.sub(r"\d[\d,.]*", "#", line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
