"""The bench of the rate: evaluations a second, as the sliders of many readers ask for them.

Starts the whole application on a data folder that is thrown away, and lets 1, 8 and 200 clients
ask for one comparison after another, each with other sizes, so that no answer could be kept. The
clients share the machine with the application. The bars: 200 clients without an error, 1.5 s at
the 95th percentile.

``--beside CHECKOUT`` does the same with another checkout that is set up, in turn, and prints the
ratios: what a change is worth is seen in one run only.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import random
import sys
import time
from pathlib import Path
from typing import Any

import results
from http_grid import DISK, FLASH, FOLDER, Server, percentile, running

CLIENTS = (1, 8, 200)
PROCESSES = 8
"""Processes that ask, each for its share of the clients in turn."""
BAR_CLIENTS, BAR_P95_MS = 200, 1500.0
SECONDS = 8.0
WARM_UP_S = 2.0
BOOK = "street-2026-q1"
"""A book that checkouts of earlier versions have too."""


def body(rng: random.Random) -> bytes:
    """Return the question of a slider."""
    asked = {
        "workload_id": "example",
        "ram_pages": rng.randrange(100, 3_000),
        "flash_pages": rng.randrange(1_000, 9_000),
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        "price_book_id": BOOK,
    }
    return json.dumps(asked).encode()


class Client:
    """One connection that has one question under way."""

    def __init__(self, port: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._sent_at = 0.0

    def send(self) -> None:
        """Ask."""
        headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
        self._sent_at = time.perf_counter()
        self._connection.request(
            "POST", "/api/v1/evaluations", body(self._rng), headers
        )

    def receive(self) -> tuple[float, int]:
        """Return milliseconds and status of the answer."""
        answer = self._connection.getresponse()
        answer.read()
        return (time.perf_counter() - self._sent_at) * 1e3, answer.status


def ask(port: int, clients: int, seed: int, seconds: float, out: Any) -> None:
    """Ask as some clients that each wait for their own answer only."""
    asking = [Client(port, seed * 1_000 + each) for each in range(clients)]
    times, failed = [], 0
    end = time.monotonic() + seconds
    for client in asking:
        client.send()
    while asking:
        # Answers are read in the order of the questions: a late reader only makes times longer.
        client = asking.pop(0)
        took, status = client.receive()
        times.append(took)
        failed += status != http.HTTPStatus.OK
        if time.monotonic() < end:
            client.send()
            asking.append(client)
    out.put((times, failed))


def load(port: int, clients: int, seconds: float) -> dict[str, Any]:
    """Ask as so many clients; return rate, percentiles and failures."""
    out: Any = multiprocessing.Queue()
    count = min(clients, PROCESSES)
    shares = [clients // count + (at < clients % count) for at in range(count)]
    processes = [
        multiprocessing.Process(target=ask, args=(port, share, seed, seconds, out))
        for seed, share in enumerate(shares)
    ]
    start = time.monotonic()
    for process in processes:
        process.start()
    found = [out.get() for _ in processes]
    took = time.monotonic() - start
    for process in processes:
        process.join()
    times = [each for ms, _ in found for each in ms]
    return {
        "clients": clients,
        "answers": len(times),
        "per_s": len(times) / took,
        "p50_ms": percentile(times, 50),
        "p95_ms": percentile(times, 95),
        "failed": sum(failed for _, failed in found),
    }


def measure(server: Server, seconds: float) -> list[dict[str, Any]]:
    """Measure every number of clients."""
    port = server.connection.port
    load(port, 8, WARM_UP_S)
    rows = []
    for clients in CLIENTS:
        before = server.cpu_seconds()
        row = load(port, clients, seconds)
        used = server.cpu_seconds() - before
        rows.append(row | {"server_cpu_ms": used / row["answers"] * 1e3})
    return rows


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure evaluations a second.")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--quick", action="store_true", help="2 seconds a row")
    parser.add_argument("--beside", type=Path, help="another checkout, set up")
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json")
    given = parser.parse_args()
    seconds = 2.0 if given.quick else given.seconds
    with running() as server:
        rows = measure(server, seconds)
    others: list[dict[str, Any]] = []
    if given.beside:
        with running(str(given.beside / ".venv" / "bin" / "python")) as server:
            others = measure(server, seconds)
    results.keep(given.json, "rate", rows)
    say = sys.stdout.write
    say(
        f"{'evaluations, clients':22} {'a second':>9} {'p50 ms':>8} {'p95 ms':>8} "
        f"{'CPU ms':>8} {'failed':>7} {'beside':>7} {'bar':>5}\n"
    )
    for at, row in enumerate(rows):
        ratio = f"{row['per_s'] / others[at]['per_s']:.2f}" if others else "-"
        barred = row["clients"] == BAR_CLIENTS
        reached = row["p95_ms"] <= BAR_P95_MS and not row["failed"]
        say(
            f"{row['clients']:<22} {row['per_s']:9.0f} {row['p50_ms']:8.1f} "
            f"{row['p95_ms']:8.1f} {row['server_cpu_ms']:8.2f} {row['failed']:7} "
            f"{ratio:>7} {('yes' if reached else 'NO') if barred else '-':>5}\n"
        )
    for row in others:
        say(
            f"{'beside: ' + str(row['clients']):<22} {row['per_s']:9.0f} "
            f"{row['p50_ms']:8.1f} {row['p95_ms']:8.1f} {row['server_cpu_ms']:8.2f} "
            f"{row['failed']:7}\n"
        )
    say(f"{given.json}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
