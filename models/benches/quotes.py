"""The bench of rankings: time for 100 quotes that are read, evaluated, ordered and written as JSON.

The workload is the shipped trace on the scale of 4 TiB, with what there is today and a limit of response times, which
is the slowest case; and the same without that limit. The bar: 2 s. Prints a table.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from tierwright.advise import quote_ranking, scale
from tierwright.advise.advice.request import Have
from tierwright.hardware import catalog
from tierwright.hardware.imports.offers import offers_of
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
QUOTES, RUNS, BAR_S = 100, 5, 2.0
DRIVES = ("micron-9550-max-12.8tb", "kioxia-cd7-7.68tb")


def quotes() -> list[dict[str, Any]]:
    """Return servers with two kinds of drives, and instances, at as many prices."""

    def line(
        kind: str, item: str, quantity: int, price: str, unit: str
    ) -> dict[str, Any]:
        return {
            "kind": kind,
            "item": item,
            "quantity": quantity,
            "unit": unit,
            "price": price,
        }

    found = []
    for at in range(QUOTES):
        if at % 4 == 3:  # noqa: PLR2004  # every fourth
            lines = [
                line("instance", "aws-i4i.16xlarge", 2 + at % 7, f"5.{at:03}", "HUR")
            ]
        else:
            lines = [
                line("server", "chassis-dell-r760", 2, f"{5000 + at}", "EA"),
                line("part", "dimm-ddr5-rdimm-64gb", 2 * (4 + at % 12), "400.07", "EA"),
                line("device", DRIVES[at % 2], 2 * (1 + at % 6), "980.11", "EA"),
                line(
                    "device", "micron-9550-max-3.2tb", 2 * (2 + at % 5), "711.5", "EA"
                ),
            ]
        found.append(
            {
                "quote_id": f"Q-{at}",
                "supplier": f"supplier {at % 9}",
                "currency": "USD",
                "valid_until": "2026-12-31",
                "lines": lines,
            }
        )
    return found


def main() -> int:
    """Time the ranking; 1 where it misses its bar."""
    made = scale.answer(profile(Trace(TRACE)), Production(4 * 2**40, 20_000.0))
    curve = made.profile.curve.steady()
    have = Have(
        machines=2,
        ram_bytes=2**38,
        disk=catalog.device(DRIVES[0]),
        disks=4,
        usd_per_month=Decimal(700),
    )
    worst = 0.0
    for name, limits in (
        ("100 quotes", {}),
        ("100 quotes, response times limited", {"response_p99_us": 1_000_000}),
    ):
        took = []
        for _ in range(RUNS):
            begun = time.perf_counter()
            found = quote_ranking.answer(
                curve,
                offers_of(quotes()),
                day="2026-10-01",
                have=have,
                constraints=limits,
            )
            json.dumps(found.to_dict())
            took.append(time.perf_counter() - begun)
        median = statistics.median(took)
        worst = max(worst, median)
        sys.stdout.write(
            f"{name}: {median:.2f} s (first {took[0]:.2f} s), {len(found.ranked)} ranked, "
            f"{len(found.rejected)} rejected, {len(found.unreadable)} unreadable\n"
        )
    return int(worst > BAR_S)


if __name__ == "__main__":
    sys.exit(main())
