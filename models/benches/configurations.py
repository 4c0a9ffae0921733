"""The bench of configurations: processor time for 100,000 of them, listed, priced to the cent and evaluated.

The workload is the shipped trace on the scale of 4 TiB. Each row lists all configurations of its kinds,
finds their I/O time on the curve and the front; the first time, which reads the facts from files, counts
apart. The bar: 1 s of one core for 100,000. Prints a table and writes the rows under `configurations`
into the JSON of the bench, whose other parts stay as they are.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import results

from tierwright.advise import configurations, scale
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
BAR_S = 1.0
OF = 100_000
RUNS, QUICK_RUNS = 7, 3
Answered = TypeVar("Answered")
ASKED: dict[str, dict[str, Any]] = {
    "all kinds, up to 8 machines": {"max_machines": 8},
    "instances with volumes, up to 64 machines": {
        "kinds": ("volumes",),
        "max_machines": 64,
    },
    "servers built from parts, up to 16 machines": {
        "kinds": ("chassis",),
        "max_machines": 16,
    },
}


def production_curve() -> Curve:
    """Return the shipped trace on the scale of 4 TiB with two copies."""
    made = scale.answer(
        profile(Trace(TRACE)),
        Production(4 * 2**40, 80_000.0, machines=2, replicas=2),
        clients=4,
        accesses_per_unit=20,
    )
    return made.profile.curve.steady()


def timed(ask: Callable[[], Answered], runs: int) -> tuple[Answered, float, float]:
    """Ask again and again: an answer, the median time of all but the first, and that of the first. [s]"""
    took = []
    for _ in range(1 + runs):
        before = time.process_time()
        found = ask()
        took.append(time.process_time() - before)
    return found, statistics.median(took[1:]), took[0]


def measure(runs: int) -> list[dict[str, Any]]:
    """Measure every kind of question."""
    curve = production_curve()
    usual: dict[str, Any] = {
        "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
        "disk": catalog.device("seagate-exos-x24-24tb"),
        "part_usd": {"chassis": Decimal(9000)},
        "usd_per_kwh": Decimal("0.12"),
        "watts": Decimal(450),
    }
    rows = []
    for name, asked in ASKED.items():
        ask = partial(configurations.answer, curve, **usual, **asked)
        found, seconds, first_s = timed(ask, runs)
        each_s = seconds * OF / found.evaluated
        rows.append(
            {
                "name": name,
                "configurations": found.evaluated,
                "seconds": seconds,
                "first_seconds": first_s,
                "seconds_per_100_000": each_s,
                "bar_seconds": BAR_S,
                "reached": each_s <= BAR_S,
            }
        )
    return rows


def main() -> int:
    """Run the bench, and say whether the bar was kept."""
    parser = argparse.ArgumentParser(description="Measure configurations.")
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    parser.add_argument(
        "--json", type=Path, default=ROOT / ".tools" / "bench" / "results.json"
    )
    given = parser.parse_args()
    rows = measure(QUICK_RUNS if given.quick else RUNS)
    results.keep(given.json, "configurations", rows)
    say = sys.stdout.write
    say(
        f"{'configurations':46} {'count':>9} {'s':>7} {'s per 100,000':>14} {'bar':>5}\n"
    )
    for row in rows:
        say(
            f"{row['name']:46} {row['configurations']:9,} {row['seconds']:7.2f} "
            f"{row['seconds_per_100_000']:14.3f} {'yes' if row['reached'] else 'NO':>5}\n"
        )
    say(f"{given.json}\n")
    return 0 if all(row["reached"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
