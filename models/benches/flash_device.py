"""The bench of the flash device: host writes per second of processor time, at greedy, on one thread.

Runs ``cargo bench --bench ftl`` at 2^22 and 2^26 pages (``--quick``: 2^22 alone) and spare 0.28 and 0.07, and writes
the rows under `flash_device` into the JSON of the bench, whose other parts stay as they are. The bar: 20 million per
second at 2^22 pages and spare 0.28.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mqsim
import results

ROOT = Path(__file__).resolve().parents[2]
BAR_PER_S = 20e6
BAR_AT = (2**22, 0.28)
LOG2_PAGES = ("22", "26")
PEER_LOG2_PAGES = "18"
PEER_SPARE = 0.28


def measure(log2_pages: tuple[str, ...]) -> list[dict[str, Any]]:
    """Measure every size and spare."""
    command = ["cargo", "bench", "--quiet", "--bench", "ftl", "--", *log2_pages]
    done = subprocess.run(
        command, cwd=ROOT / "models", check=True, capture_output=True, text=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"]
    for row in rows:
        barred = (row["pages"], row["spare"]) == BAR_AT
        row["bar_per_s"] = BAR_PER_S if barred else None
        row["reached"] = row["host_writes_per_s"] >= BAR_PER_S if barred else None
    return rows


def beside(program: Path) -> list[dict[str, Any]]:
    """Measure one device here and by MQSim."""
    [ours] = [row for row in measure((PEER_LOG2_PAGES,)) if row["spare"] == PEER_SPARE]
    peer = mqsim.measure(program, ours["pages"], ours["spare"])
    return [
        {
            "pages": ours["pages"],
            "spare": ours["spare"],
            "host_writes_per_s": ours["host_writes_per_s"],
            "waf": ours["waf"],
            "peer_host_writes_per_s": peer.host_writes_per_s,
            "peer_waf": peer.waf,
        }
    ]


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Speed of the flash device.")
    parser.add_argument("--quick", action="store_true", help="2^22 pages alone")
    parser.add_argument(
        "--json", type=Path, default=ROOT / ".tools" / "bench" / "results.json"
    )
    given = parser.parse_args()
    rows = measure(LOG2_PAGES[:1] if given.quick else LOG2_PAGES)
    for row in rows:
        sys.stdout.write(
            f"{row['pages']:>11,} pages, spare {row['spare']}: "
            f"{row['host_writes_per_s'] / 1e6:6.1f} M host writes/s, WAF {row['waf']}\n"
        )
    results.keep(given.json, "flash_device", rows)
    program = os.environ.get("TIERWRIGHT_MQSIM")
    if program:
        compared = beside(Path(program))
        for row in compared:
            sys.stdout.write(
                f"{row['pages']:>11,} pages, spare {row['spare']}: "
                f"{row['host_writes_per_s'] / 1e6:6.1f} M host writes/s, WAF {row['waf']}; MQSim "
                f"{row['peer_host_writes_per_s'] / 1e6:.3f} M/s, WAF {row['peer_waf']:.3f}\n"
            )
        results.keep(given.json, "flash_device_peer", compared)
    return 0


if __name__ == "__main__":
    sys.exit(main())
