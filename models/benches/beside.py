"""The bench beside another checkout: both servers at once, asked in turn by one client.

``python models/benches/beside.py CHECKOUT`` starts this checkout and another one that is set up, each
on data of its own, and asks both the same questions in short turns: comparisons as a slider asks
for them, and grids. On a machine that others use, only such pairs tell a change from the noise, and
the processor time of the server better than the clock. Prints the medians, and the medians of the
ratios of each pair of turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rate
from http_grid import DISK, FLASH, KINDS, Server, running

TURNS = 16
SLIDERS, GRIDS = 200, 25
"""Requests of a turn."""
PORT = 18970
COMMON = {
    "workload_id": "example",
    "flash_device_id": FLASH,
    "disk_device_id": DISK,
}


def turn(server: Server, kind: str, pages: int, seed: int) -> tuple[float, float]:
    """Ask one kind of question; return processor and median milliseconds of an answer."""
    rng = random.Random(seed)
    make = KINDS.get(kind)
    count = SLIDERS if make is None else GRIDS
    # While the other one was asked, the server may have closed it.
    server.connection.close()
    before, times = server.cpu_seconds(), []
    for _ in range(count):
        path, body = (
            ("/evaluations", json.loads(rate.body(rng)))
            if make is None
            else ("/scheme-maps", COMMON | make(pages, rng))
        )
        times.append(server.ask("POST", path, body)[0] * 1e3)
    used = (server.cpu_seconds() - before) / count * 1e3
    return used, statistics.median(times)


def compared(servers: tuple[Server, Server], kind: str, turns: int) -> dict[str, Any]:
    """Ask both in turn; the first turn warms up."""
    servers[0].connection.close()
    pages = servers[0].ask("GET", "/workloads/example")[2]["summary"]["distinct_pages"]
    rows = []
    for seed in range(turns + 1):
        first = seed % 2
        found = {at: turn(servers[at], kind, pages, seed) for at in (first, 1 - first)}
        rows.append((*found[0], *found[1]))
    here_cpu, here_ms, there_cpu, there_ms = zip(*rows[1:], strict=True)

    def ratio(ours: tuple[float, ...], theirs: tuple[float, ...]) -> float:
        return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))

    return {
        "name": kind,
        "cpu_ms": statistics.median(here_cpu),
        "cpu_ms_beside": statistics.median(there_cpu),
        "cpu_ratio": ratio(here_cpu, there_cpu),
        "p50_ms": statistics.median(here_ms),
        "p50_ms_beside": statistics.median(there_ms),
        "p50_ratio": ratio(here_ms, there_ms),
    }


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure beside another checkout.")
    parser.add_argument("checkout", type=Path, help="another checkout, set up")
    parser.add_argument("--turns", type=int, default=TURNS)
    given = parser.parse_args()
    pythons = (sys.executable, str(given.checkout / ".venv" / "bin" / "python"))
    say = sys.stdout.write
    with ExitStack() as stack:
        servers = []
        for at, python in enumerate(pythons):
            os.environ["TIERWRIGHT_BENCH_PORT"] = str(PORT + at)
            servers.append(stack.enter_context(running(python)))
        pair = (servers[0], servers[1])
        say(
            f"{'answers':44} {'CPU ms':>7} {'beside':>7} {'ratio':>6} "
            f"{'p50 ms':>7} {'beside':>7} {'ratio':>6} {'load':>5}\n"
        )
        for kind in ("sliders: comparison at one point", *KINDS):
            row = compared(pair, kind, given.turns)
            say(
                f"{kind:44} {row['cpu_ms']:7.2f} {row['cpu_ms_beside']:7.2f} "
                f"{row['cpu_ratio']:6.2f} {row['p50_ms']:7.2f} {row['p50_ms_beside']:7.2f} "
                f"{row['p50_ratio']:6.2f} {os.getloadavg()[0]:5.1f}\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
