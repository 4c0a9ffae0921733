"""How often an advice is right when it says how sure it is: workloads whose truth is known.

    advice_calibration.py [--trials N] [--accesses N] [--write]

Each trial makes up a stationary workload: pages of a Zipf law, some of them in bursts of a hot set that comes and
goes, so that windows depend on each other. A short recording of it is advised on; the truth is a recording twenty times as
long of the same workload, with the errors of the model and the times of the devices drawn from the ranges that the
advice states. The recommendation is right where it costs at most 1 % more than the best contender in truth.

Prints the tables; ``--write`` writes them to docs/models/advice-calibration.md.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.advise.advice import _confidence, _draws
from tierwright.advise.advice._asked import Asked, asked_of
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._contenders import contending
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Candidates
from tierwright.evaluate.advice.information import regret
from tierwright.hardware.prices import Price, PriceBook
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "models" / "advice-calibration.md"
NOTE = "<!-- Written by `make calibrate`; do not edit. -->"
TRIALS, ACCESSES, TIMES_AS_LONG = 100, 30_000, 20
PAGE_BYTES = 2**24
"""Pages so large that RAM for a few thousand of them is worth as much as some disks. [bytes]"""
SHELF = ("samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb")
BOOK = PriceBook(
    "made-up",
    "Made up",
    "2026-11",
    "",
    "USD",
    (
        Price(Decimal("20.625"), "GiB", rent=False, source="a bench", kind="dram"),
        *(
            Price(usd, "GB", rent=False, source="a bench", device_id=name)
            for name, usd in zip(SHELF, (Decimal("0.75"), Decimal("0.04")), strict=True)
        ),
    ),
)
OF_HOT = 0.5
"""Share of the accesses of a burst that goes to its hot set."""
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """What an advice said, and whether it was right; `probability` is None where it said nothing."""

    probability: float | None
    right: bool
    reason: str


def silent(reason: str) -> Trial:
    """Return a trial whose advice states no probability."""
    return Trial(None, right=False, reason=reason)


def accesses_of(generator: np.random.Generator, count: int, law: dict[str, Any]) -> Any:
    """Draw pages of a made-up workload."""
    pages = law["pages"]
    weights = 1 / np.arange(1, pages + 1) ** law["exponent"]
    drawn = generator.choice(pages, size=count, p=weights / weights.sum())
    stay = law["burst"]
    starts = generator.random(count) < 1 / stay
    phase = np.cumsum(starts)
    hot = generator.random(phase[-1] + 1) < law["hot"]
    first = generator.integers(0, pages, size=phase[-1] + 1)
    of_set = (first[phase] + generator.integers(0, law["set"], size=count)) % pages
    return np.where(hot[phase] & (generator.random(count) < OF_HOT), of_set, drawn)


def recorded(folder: Path, pages: Any, writes: Any) -> Curve:
    """Profile accesses, and give them large pages."""
    path = folder / "trace.csv"
    with path.open("w", encoding="ascii") as file:
        file.write("time_us,op,rel,block\n")
        file.writelines(
            f"{1000 * at},{'W' if write else 'R'},0/1663,{page}\n"
            for at, (page, write) in enumerate(
                zip(pages.tolist(), writes.tolist(), strict=True)
            )
        )
    found = profile(Trace(path)).curve
    return replace(found, page_bytes=PAGE_BYTES)


def asked_about(curve: Curve, rate: float, seed: int) -> Asked:
    """Ask for RAM and devices of the made-up prices."""
    return asked_of(
        curve.steady(),
        (rate, None),
        Candidates(kinds=("devices",), devices=SHELF, reserved_gib=Decimal(0)),
        None,
        {},
        "usd",
        BOOK,
        36,
        (None, None),
        seed,
    )


def trial(folder: Path, seed: int, accesses: int) -> Trial:
    """Advise on one made-up workload, and hold the advice against the truth."""
    generator = np.random.default_rng(seed)
    law = {
        "pages": int(generator.integers(500, 4_000)),
        "exponent": float(generator.uniform(0.6, 1.1)),
        "burst": float(generator.uniform(20, 2_000)),
        "hot": float(generator.uniform(0, 0.5)),
        "set": int(generator.integers(20, 300)),
    }
    rate = float(generator.uniform(20, 200))
    share = float(generator.uniform(0, 0.5))
    curve, truth = (
        recorded(
            folder,
            accesses_of(generator, count, law),
            generator.random(count) < share,
        )
        for count in (accesses, accesses * TIMES_AS_LONG)
    )
    asked = asked_about(curve, rate, seed)
    table = Table.of(asked.setting)
    order = chosen_of(asked, table).order
    if not len(order):
        return silent("no option keeps every limit")
    best = int(order[0])
    rows = contending(asked, (table,), best)
    refused = _confidence.abstains(asked, table, best, rows)
    if refused is not None:
        return silent(refused.reason)
    sure = _confidence.sure(asked, table, best, rows)
    if not sure.buys.possible.any():
        return silent("no option keeps every limit in any draw")
    said = regret(sure.buys, sure.chosen).probability
    # What a recording is too short to show is in the longer one.
    places = {
        each: float(generator.random())
        for each in sure.draws.places
        if each != Input(_draws.SHORT)
    }
    state = sure.draws.state_of(places)
    in_truth = sure.contenders.buys([sure.contenders.on(truth.steady(), state)])
    if not in_truth.possible.any():
        return silent("no option keeps every limit in truth")
    right = regret(in_truth, sure.chosen).probability == 1.0
    return Trial(said, right=right, reason="")


def tables(trials: list[Trial], accesses: int) -> str:
    """Write what was said beside what was right."""
    said = [each for each in trials if each.probability is not None]
    lines = [
        f"{len(trials)} workloads, recordings of {accesses:,} accesses; {len(said)} of the advices state a probability.",
        "",
        "| probability stated | advices | mean probability | share that was right |",
        "| --- | --- | --- | --- |",
    ]
    for low, high in itertools.pairwise(BINS):
        some = [
            each
            for each in said
            if each.probability is not None
            and (low <= each.probability < high or (high == each.probability == 1.0))
        ]
        mean = np.mean([each.probability for each in some]) if some else None
        right = np.mean([each.right for each in some]) if some else None
        lines.append(
            f"| {100 * low:.0f} to {100 * high:.0f} % | {len(some)} | "
            + ("-" if mean is None else f"{100 * mean:.0f} %")
            + " | "
            + ("-" if right is None else f"{100 * right:.0f} %")
            + " |"
        )
    if said:
        score = np.mean([(each.probability - each.right) ** 2 for each in said])  # type: ignore[operator]
        own = np.mean([each.right for each in said])
        mean_said = np.mean([each.probability for each in said])  # type: ignore[type-var]
        lines += [
            "",
            f"On average {100 * mean_said:.0f} % is stated and {100 * own:.0f} % are right. Brier score "
            f"{score:.3f}; stating the share that was right every time would have {own * (1 - own):.3f}.",
        ]
    without = Counter(
        each.reason.partition(",")[0].partition(" by ")[0].partition(":")[2].strip()
        or each.reason
        for each in trials
        if each.probability is None
    )
    lines += ["", "| no probability | advices |", "| --- | --- |"]
    lines += [f"| {reason} | {count} |" for reason, count in without.most_common()]
    if not without:
        lines.append("| - | 0 |")
    return "\n".join(lines)


def main() -> int:
    """Run the trials."""
    parser = argparse.ArgumentParser(
        description="Hold probabilities of advices against truths."
    )
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--accesses", type=int, default=ACCESSES)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trials = [
            trial(Path(folder), seed, given.accesses) for seed in range(given.trials)
        ]
    text = tables(trials, given.accesses)
    sys.stdout.write(f"{text}\n")
    if given.write:
        about = (
            "Made-up stationary workloads whose truth is known, each advised on from a short recording "
            "([how sure](advice.md#how-sure)). The truth is a recording twenty times as long of the same workload, with errors "
            "of the model and times of devices drawn from the ranges that an advice states. A recommendation is right where it "
            "costs at most 1 % more than the best contender in truth. Recordings of real systems drift, and errors of scale laws "
            "are not in these trials."
        )
        PAGE.write_text(
            f"# Are stated probabilities right?\n\n{NOTE}\n\n{about}\n\n{text}\n",
            encoding="utf-8",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
