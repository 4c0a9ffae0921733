"""The bench of the first figures: from the last byte of an upload to the first comparison.

Writes a trace of 7.7 million accesses as text (about 210 MB), lets the application convert and
profile it, and asks for a comparison as soon as the run has ended, as the page does. The first
round warms up; the others are printed, each with when its conversion and its profile began.

``--beside CHECKOUT`` does the same with another checkout that is set up, and prints the ratio.
"""

from __future__ import annotations

import argparse
import base64
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from http_grid import DISK, FLASH, Server, running

ACCESSES = 7_700_000
PAGES = 3_000_000
ROUNDS = 4
PART = 64 * 2**20
SETTLE_S = 5.0
TUS = {"Tus-Resumable": "1.0.0"}


def write_trace(path: Path) -> None:
    """Write accesses to pages by a power law, a third of them writes."""
    rng = random.Random(7)
    with path.open("w", encoding="ascii") as file:
        file.write("time_us,op,rel,block\n")
        for at in range(ACCESSES):
            block = int(PAGES * rng.random() ** 4)
            op = "W" if rng.random() < 0.3 else "R"  # noqa: PLR2004
            file.write(f"{1_700_000_000_000 + at * 13},{op},0/16384,{block}\n")


def upload(client: httpx.Client, data: bytes, name: str) -> str:
    """Send a file in parts; return the upload's id."""
    metadata = f"filename {base64.b64encode(name.encode()).decode()}"
    headers = {**TUS, "Upload-Length": str(len(data)), "Upload-Metadata": metadata}
    begun = client.post("/uploads", headers=headers).raise_for_status()
    path = begun.headers["location"].removeprefix("/api/v1")
    for at in range(0, len(data), PART):
        headers = {**TUS, "Upload-Offset": str(at)}
        headers["Content-Type"] = "application/offset+octet-stream"
        client.patch(
            path, content=data[at : at + PART], headers=headers
        ).raise_for_status()
    return path.rpartition("/")[2]


def one_round(client: httpx.Client, data: bytes, number: int) -> dict[str, float]:
    """Return seconds from the last byte to each step."""
    # Another last line each time, so that nothing is known from before.
    name = f"round-{number}.csv"
    upload_id = upload(client, data + b"1800000000000,R,0/16384,%d\n" % number, name)
    start = time.monotonic()
    asked = {"upload_id": upload_id, "name": name, "import_again": True}
    made = client.post("/workloads", json=asked).raise_for_status().json()
    seen: dict[str, float] = {}
    while True:
        run = client.get(f"/runs/{made['run']['id']}").raise_for_status().json()
        if run["phase"]:
            seen.setdefault(run["phase"], time.monotonic() - start)
        if run["status"] not in ("queued", "running"):
            break
        time.sleep(0.02)
    if run["status"] != "succeeded":
        raise SystemExit(f"error: the run ended as {run['status']}: {run['error']}")
    body = {
        "workload_id": made["id"],
        "ram_pages": PAGES // 20,
        "flash_pages": PAGES // 5,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
    }
    client.post("/evaluations", json=body).raise_for_status()
    return {**seen, "first figures": time.monotonic() - start}


def measure(server: Server, data: bytes) -> list[dict[str, float]]:
    """Measure all rounds but the first."""
    address = f"http://127.0.0.1:{server.connection.port}/api/v1"
    time.sleep(SETTLE_S)
    with httpx.Client(base_url=address, timeout=120) as client:
        return [one_round(client, data, number) for number in range(ROUNDS)][1:]


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure an upload to its figures.")
    parser.add_argument("--beside", type=Path, help="another checkout, set up")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        write_trace(trace)
        data = trace.read_bytes()
    found: dict[str, list[dict[str, Any]]] = {}
    with running() as server:
        found["this"] = measure(server, data)
    if given.beside:
        with running(str(given.beside / ".venv" / "bin" / "python")) as server:
            found["beside"] = measure(server, data)
    say = sys.stdout.write
    medians = []
    for name, rounds in found.items():
        for each in rounds:
            steps = ", ".join(f"{step} {at:.2f} s" for step, at in each.items())
            say(f"{name:8} {steps}\n")
        medians.append(statistics.median(each["first figures"] for each in rounds))
    times = f", {medians[0] / medians[1]:.2f} of the other" if medians[1:] else ""
    say(f"first figures, median: {medians[0]:.2f} s{times}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
