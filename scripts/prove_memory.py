"""Proves that reading streams: a trace several times larger than the memory it may take.

``python scripts/prove_memory.py [--quick]``. Writes a vscsi trace in zstd whose compressed file
alone is four times the address space that the reader is given (400 MiB, interpreter and NumPy
included; RLIMIT_AS, so Linux), then converts it, profiles it and replays it, each in a process of
its own under that limit. Prints what each took and ends with 1 if one failed or miscounted.
``--quick`` writes a sixth, whose content is still larger than the limit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
import zstandard

LIMIT_BYTES = 400 << 20
DISTINCT_PAGES = 800_000
RECORDS = 110_000_000
QUICK_RECORDS = RECORDS // 6
BATCH = 1_000_000
SECTORS_A_PAGE = 8
RECORD = np.dtype(
    [
        ("sn", "<u4"),
        ("len", "<u4"),
        ("n_sg", "<u4"),
        ("cmd", "<u2"),
        ("ver", "<u2"),
        ("lbn", "<u8"),
        ("ts", "<u8"),
    ]
)
READ_10, WRITE_10, VERSION_1 = 0x28, 0x2A, 0x100

STEPS = {
    "convert": """
        found = _simulator.convert(trace, canonical, format="vscsi")
        accesses, pages = found["accesses"], found["distinct_pages"]
    """,
    "profile (two threads)": """
        found = _simulator.curves(canonical, threads=2)
        accesses, pages = found["accesses"], found["distinct_pages"]
    """,
    "replay LRU": """
        found = _simulator.replay(canonical, "policy", "lru", 80_000)
        accesses, pages = found["accesses"], found["distinct_pages"]
    """,
}


def write_trace(path: Path, records: int) -> None:
    """Write random single-page requests, with serial numbers that do not compress."""
    random = np.random.default_rng(1)
    with (
        path.open("wb") as file,
        zstandard.ZstdCompressor(level=1).stream_writer(file) as out,
    ):
        for start in range(0, records, BATCH):
            count = min(BATCH, records - start)
            rows = np.zeros(count, RECORD)
            rows["sn"] = random.integers(2**32, size=count, dtype=np.uint32)
            rows["n_sg"] = random.integers(2**32, size=count, dtype=np.uint32)
            rows["len"] = 4096
            rows["cmd"] = np.where(random.random(count) < 0.3, WRITE_10, READ_10)  # noqa: PLR2004
            rows["ver"] = VERSION_1
            rows["lbn"] = random.integers(DISTINCT_PAGES, size=count) * SECTORS_A_PAGE
            rows["ts"] = np.arange(start, start + count) * 50
            out.write(rows.tobytes())


def measure(step: str, trace: Path, canonical: Path) -> dict[str, float]:
    """Run one step in a process of its own under the limit."""
    script = f"""
import json, resource, time
from tierwright import _simulator
trace, canonical = {str(trace)!r}, {str(canonical)!r}
resource.setrlimit(resource.RLIMIT_AS, ({LIMIT_BYTES}, {LIMIT_BYTES}))
start = time.monotonic()
{textwrap.dedent(STEPS[step])}
print(json.dumps({{
    "accesses": accesses, "pages": pages, "seconds": time.monotonic() - start,
    "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"error: {step} failed under the limit:\n{done.stderr}")
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def main() -> int:
    """Write the trace, run the steps, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a sixth of the trace")
    records = QUICK_RECORDS if parser.parse_args().quick else RECORDS
    with tempfile.TemporaryDirectory(prefix="tierwright-memory-") as folder:
        trace, canonical = Path(folder) / "t.vscsi.zst", Path(folder) / "t.twt"
        start = time.monotonic()
        write_trace(trace, records)
        packed, content = trace.stat().st_size, records * RECORD.itemsize
        print(
            f"trace: {records:,} requests, {content / 2**20:,.0f} MiB, in zstd "
            f"{packed / 2**20:,.0f} MiB = {packed / LIMIT_BYTES:.1f} times the limit of "
            f"{LIMIT_BYTES >> 20} MiB ({time.monotonic() - start:.0f} s to write)",
            flush=True,
        )
        for step in STEPS:
            found = measure(step, trace, canonical)
            if (found["accesses"], found["pages"]) != (records, DISTINCT_PAGES):
                print(f"error: {step} counted {found}", file=sys.stderr)
                return 1
            print(
                f"{step:<22} {found['peak_bytes'] / 2**20:>6.0f} MiB resident at most, "
                f"{found['seconds']:>6.1f} s, {records / found['seconds'] / 1e6:>5.1f} M accesses/s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
