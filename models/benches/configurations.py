"""The bench of configurations: processor time for 100,000 of them, listed, priced to the cent and evaluated.

The workload is the shipped trace on the scale of 4 TiB. Each row lists all configurations of its kinds,
finds their I/O time on the curve and the front; the first time, which reads the facts from files, counts
apart. The bar: 1 s of one core for 100,000. Prints a table and writes the rows under `configurations`
into the JSON of the bench, whose other parts stay as they are.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from tierwright.advise import configurations, scale
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
BAR_S = 1.0
OF = 100_000
RUNS, QUICK_RUNS = 7, 3
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


def measure(runs: int) -> list[dict[str, Any]]:
    """Measure every kind of question."""
    made = scale.answer(
        profile(Trace(TRACE)),
        Production(4 * 2**40, 80_000.0, machines=2, replicas=2),
        clients=4,
        accesses_per_unit=20,
    )
    curve = made.profile.curve.steady()
    usual: dict[str, Any] = {
        "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
        "disk": catalog.device("seagate-exos-x24-24tb"),
        "part_usd": {"chassis": Decimal(9000)},
        "usd_per_kwh": Decimal("0.12"),
        "watts": Decimal(450),
    }
    rows = []
    for name, asked in ASKED.items():
        took = []
        for _ in range(1 + runs):
            before = time.process_time()
            found = configurations.answer(curve, **usual, **asked)
            took.append(time.process_time() - before)
        each_s = statistics.median(took[1:]) * OF / found.evaluated
        rows.append(
            {
                "name": name,
                "configurations": found.evaluated,
                "seconds": statistics.median(took[1:]),
                "first_seconds": took[0],
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
    known = given.json.exists()
    document = json.loads(given.json.read_text(encoding="utf-8")) if known else {}
    document["configurations"] = rows
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
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
