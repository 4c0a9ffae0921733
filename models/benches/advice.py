"""The bench of the advisor: processor time of a first answer, beside a plain loop over `evaluate`.

The workload is the shipped trace on the scale of 4 TiB. Each row asks for the first answer (`how_sure=False`):
every option listed, priced to the cent, held against its limits, ordered, described. The loop evaluates some of
the same options one after the other, without prices and limits. The bar: 1 s for 100,000 options, 10 s where there
are 10,000,000, of which bounds leave out the most. Prints a table and writes the rows under `advice` into the JSON of the bench, whose other parts stay as they are.
"""

from __future__ import annotations

import argparse
import sys
import time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import results
from configurations import BAR_S, OF, QUICK_RUNS, ROOT, RUNS, production_curve, timed

from tierwright.advise import advice
from tierwright.advise.advice.request import Candidates
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve

MILLIONS_BAR_S = 10.0
MILLIONS = 10_000_000
LOOPED = 300
"""Options that the plain loop evaluates."""
ASKED: dict[str, dict[str, Any]] = {
    "whole systems with list prices": {},
    "whole systems and devices of a price book": {
        "candidates": Candidates(
            kinds=("instances", "volumes", "chassis", "devices"), max_machines=8
        )
    },
    "servers built from parts, up to 16 machines": {
        "candidates": Candidates(
            kinds=("chassis",),
            max_machines=16,
            part_usd={"chassis": Decimal(9000)},
        )
    },
    "the same, with a limit of the budget": {
        "candidates": Candidates(
            kinds=("chassis",),
            max_machines=16,
            part_usd={"chassis": Decimal(9000)},
        ),
        "constraints": {"usd_per_month": 3000},
    },
    "servers built from parts, up to 256 machines": {
        "candidates": Candidates(
            kinds=("chassis",),
            max_machines=256,
            part_usd={"chassis": Decimal(9000)},
        )
    },
    "the same, that no option can be bought for": {
        "candidates": Candidates(
            kinds=("chassis",),
            max_machines=256,
            part_usd={"chassis": Decimal(9000)},
        ),
        "constraints": {"usd_per_month": 3},
    },
}


def looped_s(curve: Curve) -> float:
    """Processor time of one option in a plain loop. [s]"""
    flash = catalog.device("samsung-pm9a3-7.68tb-u2")
    disk = catalog.device("seagate-exos-x24-24tb")
    before = time.process_time()
    for at in range(LOOPED):
        evaluate(
            curve,
            ram_pages=2**20 + at * 1000,
            flash_pages=2**24 + at * 5000,
            flash=flash,
            disk=disk,
        )
    return (time.process_time() - before) / LOOPED


def measure(runs: int) -> list[dict[str, Any]]:
    """Measure every kind of question."""
    curve = production_curve()
    loop = looped_s(curve)
    usual: dict[str, Any] = {
        "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
        "disk": catalog.device("seagate-exos-x24-24tb"),
        "prices": catalog.default_price_book(),
        "how_sure": False,
    }
    rows = []
    for name, asked in ASKED.items():
        found, seconds, first_s = timed(
            partial(advice.answer, curve, **usual, **asked), runs
        )
        options = found.evaluated + found.pruned
        is_large = options >= MILLIONS
        bar_s, of = (MILLIONS_BAR_S, MILLIONS) if is_large else (BAR_S, OF)
        rows.append(
            {
                "name": name,
                "options": options,
                "pruned": found.pruned,
                "seconds": seconds,
                "first_seconds": first_s,
                "seconds_per_100_000": seconds * OF / options,
                "loop_us_per_option": loop * 1e6,
                "times_faster_than_loop": loop * options / seconds,
                "bar_seconds": bar_s,
                # Fewer than 100,000 have to be answered within the bar too.
                "reached": seconds * min(1.0, of / options) <= bar_s,
            }
        )
    return rows


def main() -> int:
    """Run the bench, and say whether the bar was kept."""
    parser = argparse.ArgumentParser(description="Measure the advisor.")
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    parser.add_argument(
        "--json", type=Path, default=ROOT / ".tools" / "bench" / "results.json"
    )
    given = parser.parse_args()
    rows = measure(QUICK_RUNS if given.quick else RUNS)
    results.keep(given.json, "advice", rows)
    say = sys.stdout.write
    say(f"{'options':46} {'count':>9} {'s':>7} {'x the loop':>11} {'bar':>5}\n")
    for row in rows:
        say(
            f"{row['name']:46} {row['options']:9,} {row['seconds']:7.2f} "
            f"{row['times_faster_than_loop']:11,.0f} {'yes' if row['reached'] else 'NO':>5}\n"
        )
    say(f"{given.json}\n")
    return 0 if all(row["reached"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
