"""The bench of sliders: how soon a move is answered, in a real browser.

Starts the whole application on a data folder that is thrown away, opens every page that has
sliders in Chromium, moves each slider `--moves` times to places that never repeat, and takes the
time from the input event to the last changed figure (`frontend/e2e/sliders.bench.ts`). The bar:
100 ms at the 95th percentile, on a machine that does nothing else: the load average stands beside
the times. Prints a table and writes the rows under `sliders` into the JSON of the bench.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import results
from http_grid import FOLDER, ROOT, running

BAR_MS = 100.0


def measure(moves: int, page: str | None) -> list[dict[str, Any]]:
    """Let a browser move the sliders of the worked example.

    Raises
    ------
    SystemExit
        If there is no Node, or a page could not be measured.
    """
    node = shutil.which("node") or str(Path(sys.executable).parent / "node")
    with running() as server:
        url = f"http://127.0.0.1:{server.connection.port}"
        command = [node, "e2e/sliders.bench.ts", str(moves), "example"]
        command += [] if page is None else [page]
        done = subprocess.run(
            command,
            cwd=ROOT / "frontend",
            env=dict(os.environ) | {"TIERWRIGHT_BASE_URL": url},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise SystemExit(
            f"error: the browser ended with {done.returncode}\n"
            "hint: `make setup` builds the page; scripts/ensure-chromium.sh finds Chromium"
        )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    for row in rows:
        row["bar_ms"] = BAR_MS
        row["reached"] = row["p95_ms"] <= BAR_MS
        row["load_average"] = os.getloadavg()[0]
    return rows


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure sliders in a browser.")
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="20 moves a slider")
    parser.add_argument("--page", help="one page only, by its name")
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json")
    given = parser.parse_args()
    rows = measure(20 if given.quick else given.moves, given.page)
    results.keep(given.json, "sliders", rows)
    lines = [f"{'slider to figure':56} {'p50 ms':>8} {'p95 ms':>8} {'bar':>5}"]
    lines += [
        f"{row['page'] + ': ' + row['slider']:56} {row['p50_ms']:8.0f} "
        f"{row['p95_ms']:8.0f} {'yes' if row['reached'] else 'NO':>5}"
        for row in rows
    ]
    sys.stdout.write("\n".join([*lines, str(given.json)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
