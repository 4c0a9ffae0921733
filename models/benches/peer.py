"""Replays an oracleGeneral trace through libCacheSim, in the bench's own environment.

``python peer.py TRACE POLICY PAGES`` prints one line of JSON: seconds on the clock and of the
processor, and the miss ratio. Objects count as one each, whatever their size.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import libcachesim

CACHES = {
    "lru": libcachesim.LRU,
    "fifo": libcachesim.FIFO,
    "clock": libcachesim.Clock,
    "gclock": lambda size: libcachesim.Clock(size, n_bit_counter=2),
    "arc": libcachesim.ARC,
    "lirs": libcachesim.LIRS,
    "2q": libcachesim.TwoQ,
    "sieve": libcachesim.Sieve,
    "s3fifo": libcachesim.S3FIFO,
    "wtinylfu": libcachesim.WTinyLFU,
    "lru2": lambda size: libcachesim.LRUK(size, k=2),
    "opt": libcachesim.Belady,
}


def peak_bytes() -> int:
    """Return the peak memory of this process; `ru_maxrss` may be its parent's on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Replay once, from opening the file to the last request."""
    path, policy, pages = sys.argv[1], sys.argv[2], int(sys.argv[3])
    parameters = libcachesim.ReaderInitParam(ignore_obj_size=True)
    wall, work = time.perf_counter(), time.process_time()
    reader = libcachesim.TraceReader(
        path, libcachesim.TraceType.ORACLE_GENERAL_TRACE, parameters
    )
    misses, _ = CACHES[policy](pages).process_trace(reader)
    found = {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - work,
        "miss_ratio": misses,
        "rss_bytes": peak_bytes(),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
