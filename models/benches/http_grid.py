"""The bench of grids over HTTP: 64 x 64 sizes of all schemes, from request to answer.

Starts the whole application (`tierwright serve`, with its own PostgreSQL) on a data folder that is
thrown away, waits for the worked example, and asks one request after another over one
connection. Every request has other ranges, so no answer could be kept from an earlier one. The time is from sending the first byte to having the
whole answer; the answer is decoded after the clock has stopped, and its shape is checked.

The client takes compressed answers, as browsers do. The bar: 50 ms at the 95th percentile; on a
machine that others use, the processor time of the server is the steadier figure. Prints a table and writes the rows under
`http` into the JSON of the bench, whose other parts stay as they are.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import results

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".tools" / "bench"
BAR_MS = 50.0
PERCENTILE = 95
POINTS = 64
WARM_UP = 10
START_TIMEOUT_S = 120
SCHEMES = ["inclusive", "exclusive", "lazy"]
METADATA, PRICES = "flashcache", "street-2026-q1"
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "face2016-cheetah-15k6-raid0-16"


class Refused(SystemExit):
    """An answer other than 200: an application that starts gives 503."""


class Server:
    """A running application and one connection to it."""

    def __init__(self, port: int, process: psutil.Process) -> None:
        self.process = process
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def cpu_seconds(self) -> float:
        """Processor time so far of the processes that answer, without the database."""
        used = 0.0
        for process in (self.process, *self.process.children()):
            with suppress(psutil.Error):
                if "jobs.worker" not in " ".join(process.cmdline()):
                    times = process.cpu_times()
                    used += times.user + times.system
        return used

    def ask(self, method: str, path: str, body: Any = None) -> tuple[float, int, Any]:
        """Send a request; return seconds, bytes that came, and the answer."""
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
        start = time.perf_counter()
        self.connection.request(method, f"/api/v1{path}", sent, headers)
        response = self.connection.getresponse()
        data = response.read()
        seconds = time.perf_counter() - start
        if response.status != http.HTTPStatus.OK:
            raise Refused(f"error: {path} answered {response.status}: {data!r:.300}")
        plain = data
        if response.headers.get("Content-Encoding") == "gzip":
            plain = gzip.decompress(data)
        return seconds, len(data), json.loads(plain)


@contextmanager
def running(python: str = sys.executable) -> Iterator[Server]:
    """Run the application of a Python environment on a port until the block ends."""
    port = int(os.environ.get("TIERWRIGHT_BENCH_PORT", "18533"))
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-m", "tierwright_server.serve"]
        command += ["--port", str(port), "--data-dir", folder]
        with (Path(folder) / "serve.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            server = Server(port, psutil.Process(process.pid))
            wait(server, process, Path(folder) / "serve.log")
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def wait(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the worked example is ready."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"error: the server ended:\n{log.read_text()}")
        try:
            if server.ask("GET", "/workloads/example")[2]["status"] == "ready":
                return
        except (Refused, ConnectionError, http.client.HTTPException):
            server.connection.close()
        time.sleep(0.2)
    raise SystemExit("error: the worked example was not ready in time")


def sizes(pages: int, rng: random.Random) -> dict[str, Any]:
    """Ask for RAM over flash, up to about twice the workload."""
    return {
        "x": axis("ram_pages", rng.uniform(5, 50), pages * rng.uniform(0.4, 1)),
        "y": axis("flash_pages", rng.uniform(20, 200), pages * rng.uniform(1, 2)),
        "schemes": SCHEMES,
    }


def whole(pages: int, rng: random.Random) -> dict[str, Any]:
    """Ask for RAM over flash, of all schemes, with the memory of flash charged and prices.

    Two of the five schemes are inclusive and have one formula, so a map of four answers for all.
    """
    asked = sizes(pages, rng)
    del asked["schemes"]
    return asked | {"flash_metadata": METADATA, "price_book_id": PRICES}


def shares(pages: int, rng: random.Random) -> dict[str, Any]:
    """Ask for flash over RAM and dirtiness, of all schemes and no flash."""
    return {
        "x": axis("flash_per_ram", rng.uniform(0.3, 0.8), rng.uniform(30, 70)),
        "y": axis("dirty_share", 0, rng.uniform(0.8, 1)),
        "ram_pages": pages * rng.uniform(0.01, 0.05),
    }


def axis(name: str, low: float, high: float) -> dict[str, Any]:
    """Return an axis of a request."""
    return {"axis": name, "low": low, "high": high, "points": POINTS}


KINDS = {
    "3 schemes, RAM x flash": sizes,
    "4 schemes, ratio x dirtiness": shares,
    "all schemes, RAM x flash, metadata, prices": whole,
}


def percentile(values: list[float], share: int) -> float:
    """Return the least value that so many percent of the others do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, -(-len(ordered) * share // 100) - 1)]


def measure(server: Server, requests: int, seed: int) -> list[dict[str, Any]]:
    """Measure every kind of grid."""
    pages = server.ask("GET", "/workloads/example")[2]["summary"]["distinct_pages"]
    common = {
        "workload_id": "example",
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
    }
    rows = []
    for name, make in KINDS.items():
        rng = random.Random(seed)
        times, received, before = [], 0, 0.0
        for at in range(requests + WARM_UP):
            body = common | make(pages, rng)
            if at == WARM_UP:
                before = server.cpu_seconds()
            seconds, received, answer = server.ask("POST", "/scheme-maps", body)
            grid = answer["io_time_us_per_access"]["lazy"]
            assert len(grid) == len(grid[0]) == POINTS
            assert ("price_book_id" in body) == (not answer["money"]["reason"])
            if at >= WARM_UP:
                times.append(seconds * 1e3)
        used = server.cpu_seconds() - before
        slow = percentile(times, PERCENTILE)
        rows.append(
            {
                "name": name,
                "points": POINTS * POINTS,
                "requests": requests,
                "p50_ms": percentile(times, 50),
                "p95_ms": slow,
                "server_cpu_ms": used / requests * 1e3,
                "most_ms": max(times),
                "least_ms": min(times),
                "answer_bytes": received,
                "bar_ms": BAR_MS,
                "reached": slow <= BAR_MS,
                "load_average": os.getloadavg()[0],
            }
        )
    return rows


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure grids over HTTP.")
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--quick", action="store_true", help="200 requests a row")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json")
    given = parser.parse_args()
    with running() as server:
        rows = measure(server, 200 if given.quick else given.requests, given.seed)
    results.keep(given.json, "http", rows)
    lines = [
        f"{'grid over HTTP, 64 x 64':44} {'p50 ms':>8} {'p95 ms':>8} {'CPU ms':>8} {'bar':>5}"
    ]
    lines += [
        f"{row['name']:44} {row['p50_ms']:8.1f} {row['p95_ms']:8.1f} "
        f"{row['server_cpu_ms']:8.1f} {'yes' if row['reached'] else 'NO':>5}"
        for row in rows
    ]
    sys.stdout.write("\n".join([*lines, str(given.json)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
