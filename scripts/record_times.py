"""Writes scripts/test-times.txt from the last run of `make test`: the tests that `make quick` leaves out.

``python scripts/record_times.py``; what a quick run has timed (with few examples) does not count.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = tuple(
    ROOT / ".tools" / f"test-times-not-long-{suite}.json"
    for suite in ("models", "backend")
)
OUT = ROOT / "scripts" / "test-times.txt"
SLOW_S = 0.1
"""Of a test; of one with parameters the mean."""


def main() -> int:
    """Write the list, the longest in all first."""
    if not all(each.exists() for each in MEASURED):
        print("error: no times of a whole run\nhint: make test-python")
        return 2
    times: dict[str, float] = {}
    for each in MEASURED:
        times |= json.loads(each.read_text(encoding="utf-8"))
    by_name: dict[str, list[float]] = {}
    for name, seconds in times.items():
        by_name.setdefault(name.partition("[")[0], []).append(seconds)
    slow = sorted(
        (
            (sum(each), len(each), name)
            for name, each in by_name.items()
            if sum(each) / len(each) >= SLOW_S
        ),
        key=lambda row: (-row[0], row[2]),
    )
    whole = sum(times.values())
    lines = [
        f"# Tests that take {SLOW_S} s and more, with their fixtures: seconds in all, how many, name.",
        f"# {len(times)} tests took {whole:.0f} s in all on {os.cpu_count()} cores of {platform.machine()}. Written by",
        "# scripts/record_times.py; `make quick` leaves them out.",
        *(f"{seconds:7.1f} {count:4} {name}" for seconds, count, name in slow),
    ]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    left = sum(count for _, count, _ in slow)
    print(f"{left} of {len(times)} tests, {OUT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
