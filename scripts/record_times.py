"""Writes docs/test-times.txt from the last run of `make test`: the tests that `make quick` leaves out.

``python scripts/record_times.py``; what a quick run has timed (with few examples) does not count.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / ".tools" / "test-times-not-long.json"
OUT = ROOT / "docs" / "test-times.txt"
SLOW_S = 0.2


def main() -> int:
    """Write the list, the slowest first."""
    if not MEASURED.exists():
        print("error: no times of a whole run\nhint: make test-python")
        return 2
    times: dict[str, float] = json.loads(MEASURED.read_text(encoding="utf-8"))
    slow = sorted(
        ((seconds, name) for name, seconds in times.items() if seconds >= SLOW_S),
        key=lambda each: (-each[0], each[1]),
    )
    whole = sum(times.values())
    lines = [
        f"# Tests of {SLOW_S} s and more, with their fixtures; {len(times)} tests took {whole:.0f} s in all,",
        f"# on {os.cpu_count()} cores of {platform.machine()}. Written by scripts/record_times.py.",
        *(f"{seconds:7.1f} {name}" for seconds, name in slow),
    ]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(slow)} of {len(times)} tests, {OUT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
