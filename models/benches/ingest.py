"""The bench of ingestion: a trace of every format, and of two of them every packing, to canonical.

Each trace is generated here (the same random requests for all formats, so far as a format can say
them), written to a file, and converted three times; the figure is the median. A request is a record
of the file. The bar is for one core: 10 million requests a second of binary formats, 2 million of
text, by processor time, which other users of the machine disturb least; packed files have none,
because their decompression takes most of the time. Prints a table and writes the rows under
`ingest` into the JSON of the bench, whose other parts stay as they are.

Names on the command line measure only rows that contain one of them and keep the others.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import lzma
import os
import statistics
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import results

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".tools" / "bench"
SEED = 42
RUNS = 3
PAGES = 50_000
WRITE_SHARE = 0.3
BINARY_BAR = 10e6
TEXT_BAR = 2e6
TEXT_REQUESTS = 500_000
BINARY_REQUESTS = 4_000_000
QUICK = 10
START_S = 1_700_000_000


@dataclass(frozen=True)
class Requests:
    """Random requests of one page: page, whether it writes, microseconds since the start."""

    pages: Any
    writes: Any
    times_us: Any

    def rows(self) -> Iterator[tuple[int, bool, int]]:
        """Go through the requests."""
        return zip(
            self.pages.tolist(),
            self.writes.tolist(),
            self.times_us.tolist(),
            strict=True,
        )


def requests(count: int) -> Requests:
    """Make requests to pages of which a few are popular."""
    rng = np.random.default_rng(SEED)
    pages = (PAGES * rng.random(count) ** 3).astype(np.int64)
    return Requests(
        pages, rng.random(count) < WRITE_SHARE, np.arange(count, dtype=np.int64) * 20
    )


Line = Callable[[int, bool, int], str]

_FILETIME = 128_166_372_000_000_000
TEXTS: dict[str, tuple[str, Line]] = {
    "postgres_csv": (
        "time_us,op,rel,block\n",
        lambda p, w, t: f"{t},{'W' if w else 'R'},5/{p % 7},{p}\n",
    ),
    "strace_postgres": (
        "",
        lambda p, w, t: (
            f"71 {START_S + t // 10**6}.{t % 10**6:06} {'pwrite64' if w else 'pread64'}"
            f'(9</d/base/5/9>, "a"..., 8192, {p * 8192}) = 8192\n'
        ),
    ),
    "msr": (
        "",
        lambda p, w, t: (
            f"{_FILETIME + t * 10},web,0,{'Write' if w else 'Read'},{p * 4096},4096,900\n"
        ),
    ),
    "spc": (
        "",
        lambda p, w, t: f"0,{p * 8},4096,{'W' if w else 'R'},{t / 10**6:.6f}\n",
    ),
    "blkparse": (
        "",
        lambda p, w, t: (
            f"  8,0    1 {t // 20 + 1:8} {t // 10**6:5}.{t % 10**6 * 1000:09}   697  Q  "
            f"{'W' if w else 'R'}S {p * 8} + 8 [postgres]\n"
        ),
    ),
    "fio_iolog": (
        "fio version 3 iolog\n0 a add\n0 a open\n",
        lambda p, w, t: f"{t} a {'write' if w else 'read'} {p * 4096} 4096\n",
    ),
    "alibaba": (
        "",
        lambda p, w, t: (
            f"7,{'W' if w else 'R'},{p * 4096},4096,{START_S * 10**6 + t}\n"
        ),
    ),
    "tencent_cbs": (
        "",
        lambda p, w, t: f"{START_S + t // 10**6},{p * 8},8,{int(w)},1576\n",
    ),
    "tencent_cbs_bytes": (
        "",
        lambda p, w, t: f"{START_S + t // 10**6},{p * 4096},8,{int(w)},1576\n",
    ),
    "cloudphysics_csv": (
        "version,time,op,size,lbn\n",
        lambda p, w, t: f"1,{t},{'2a' if w else '28'},4096,{p * 8}\n",
    ),
    "systor": (
        "Timestamp,Response,IOType,LUN,Offset,Size\n",
        lambda p, w, t: (
            f"{START_S + t // 10**6}.{t % 10**6 * 1000:09},0.000806000,"
            f"{'W' if w else 'R'},0,{p * 4096},4096\n"
        ),
    ),
    "k5cloud": (
        "",
        lambda p, w, t: f"1,{t / 10**6:.6f},{'W' if w else 'R'},{p * 4096},4096\n",
    ),
    "mqsim": ("", lambda p, w, t: f"{t * 1000} 0 {p * 8} 8 {int(not w)}\n"),
    "disksim": ("", lambda p, w, t: f"{t / 1000:.6f} 0 {p * 8} 8 {int(not w)}\n"),
    "flashsim": ("", lambda p, w, t: f"{t / 1000:.6f}\t0\t{p}\t2\t{int(not w)}\n"),
    "fiu": (
        "",
        lambda p, w, t: (
            f"{t * 1000} 18 httpd {p * 8} 8 {'W' if w else 'R'} 6 0 5c5a91\n"
        ),
    ),
    "twitter": (
        "",
        lambda p, w, t: f"{t // 10**6},k{p},6,300,5,{'set' if w else 'get'},0\n",
    ),
    "cachelib_kv": (
        "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n",
        lambda p, w, t: (
            f"{1_697_000_000_000 + t // 1000},k{p},6,{'SET' if w else 'GET'},1,90,0,0,a,b\n"
        ),
    ),
    "rocksdb_block_cache": (
        "",
        lambda p, _, t: (
            f"{1_600_000_000_000_000 + t},{p},9,4123,0,default,3,12,1,0,7,9,120,1,1,16,5,10,16,20,{4096 * p}\n"
        ),
    ),
    "cachelib_storage": (
        "op_time,block_id,block_id_size,io_size,io_offset,user_name,user_namespace,op_name,"
        "op_count,host_name,rs_shard_id\n",
        lambda p, w, t: (
            f"{1_697_000_000 + t // 10**6},{p},8388608,4096,0,u,n,"
            f"{'putChunk' if w else 'getChunkData.Permanent'},1,h,0\n"
        ),
    ),
    "wikimedia_cdn": (
        "",
        lambda p, _w, t: f"{t // 10**6}\t{p * 7919}\tjpeg\t5120\t0.000093\n",
    ),
    "arc": ("", lambda p, _w, t: f"{p} 1 0 {t // 20}\n"),
    "lirs": ("", lambda p, _w, _t: f"{p}\n"),
    "keys": ("", lambda p, _w, _t: f"user:{p}\n"),
    "csv": (
        "ts,op,lba,len\n",
        lambda p, w, t: f"{t},{'W' if w else 'R'},{p * 8},4096\n",
    ),
}
"""Text formats: header and a line of each request."""

COLUMNS = {
    "time": "ts", "time_unit": "us", "op": "op", "offset": "lba", "offset_unit": "sectors",
    "size": "len", "size_unit": "bytes",
}  # fmt: skip

NEXT = [("next", "<i8")]
OBJECT = [("time", "<u4"), ("key", "<u8"), ("size", "<u4")]
LAYOUTS: dict[str, list[tuple[str, str]]] = {
    "oracle_general": [*OBJECT, *NEXT],
    "oracle_general_op_ns": [*OBJECT, ("op", "u1"), ("space", "<u2"), *NEXT],
    "lcs": [*OBJECT, ("op", "<u4"), *NEXT],
    "vscsi": [
        ("serial", "<u4"), ("size", "<u4"), ("segments", "<u4"), ("command", "<u2"),
        ("version", "<u2"), ("sector", "<u8"), ("time_us", "<u8"),
    ],
    "blktrace": [
        ("magic", "<u4"), ("serial", "<u4"), ("time_ns", "<u8"), ("sector", "<u8"),
        ("size", "<u4"), ("action", "<u4"), ("pid", "<u4"), ("device", "<u4"),
        ("cpu", "<u4"), ("error", "<u2"), ("payload", "<u2"),
    ],
}  # fmt: skip
"""Binary formats: fields of a record."""
LCS_HEADER_BYTES = 8192
LCS_MAGIC = 0x123456789ABCDEF0


def next_places(pages: Any) -> Any:
    """Return the place, from 1, of the next request of each one's page; -1 for none."""
    order = np.argsort(pages, kind="stable")
    same = pages[order][1:] == pages[order][:-1]
    found = np.full(len(pages), -1, dtype=np.int64)
    found[order[:-1][same]] = order[1:][same] + 1
    return found


def binary(name: str, made: Requests) -> bytes:
    """Write the requests in a binary format."""
    records = np.zeros(len(made.pages), dtype=LAYOUTS[name])
    fields: dict[str, Any] = {
        "time": made.times_us // 10**6,
        "time_us": made.times_us,
        "time_ns": made.times_us * 1000,
        "key": made.pages + 1,
        "sector": made.pages * 8,
        "size": 4096,
        "serial": np.arange(1, len(made.pages) + 1),
        "next": next_places(made.pages) if "next" in records.dtype.names else 0,
        "op": np.where(made.writes, 3, 1),
        "command": np.where(made.writes, 0x2A, 0x28),
        "action": 1 | np.where(made.writes, 1 << 17, 1 << 16),
        "version": 0x0100,
        "magic": 0x65617407,
        "device": 8 << 20,
    }
    for field in records.dtype.names:
        if field in fields:
            records[field] = fields[field]
    header = b""
    if name == "lcs":
        magic = LCS_MAGIC.to_bytes(8, "little")
        header = magic + (2).to_bytes(8, "little")
        header += bytes(LCS_HEADER_BYTES - len(header) - len(magic)) + magic
    return header + records.tobytes()


def text(name: str, made: Requests) -> bytes:
    """Write the requests in a text format."""
    header, line = TEXTS[name]
    return (header + "".join(line(*row) for row in made.rows())).encode()


def tarred(data: bytes) -> bytes:
    """Pack a file into a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("trace")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def zipped(data: bytes) -> bytes:
    """Pack a file into a ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace", data)
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    """Compress with zstd."""
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(data)


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, 6),
    "zstd": zstd,
    "xz": lambda data: lzma.compress(data, preset=1),
    "bzip2": lambda data: bz2.compress(data),
    "tar": tarred,
    "zip": zipped,
    "tar in gzip": lambda data: gzip.compress(tarred(data), 6),
}
PACKED = ("postgres_csv", "oracle_general")


def measure(
    path: Path, name: str, count: int, packing: str, bar: float | None
) -> dict[str, Any]:
    """Convert a file some times and return its row."""
    from tierwright import _simulator

    columns = {"columns": COLUMNS} if name == "csv" else {}
    runs = []
    found: dict[str, Any] = {}
    out = path.with_suffix(".twt")
    for _ in range(RUNS):
        wall, processor = time.perf_counter(), time.process_time()
        found = _simulator.convert(path, out, format=name, force=True, **columns)
        runs.append(
            {
                "seconds": time.perf_counter() - wall,
                "cpu_seconds": time.process_time() - processor,
                "load_average": os.getloadavg()[0],
            }
        )
    if found["requests"] != count:
        raise SystemExit(
            f"error: {name} {packing}: {found['requests']} of {count} requests were read"
        )
    middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    speed = count / middle["cpu_seconds"]
    return {
        "name": name if packing == "none" else f"{name}, {packing}",
        "requests": count,
        "accesses": found["accesses"],
        "file_bytes": path.stat().st_size,
        **middle,
        "requests_per_s": count / middle["seconds"],
        "requests_per_cpu_s": speed,
        "bar": bar,
        "reached": None if bar is None else speed >= bar,
        "runs": runs,
    }


def rows(
    text_requests: int, binary_requests: int, only: list[str]
) -> Iterator[dict[str, Any]]:
    """Measure every format, then every packing of two of them."""
    made = {name: requests(text_requests) for name in ("text",)}
    made["binary"] = requests(binary_requests)

    def wanted(name: str) -> bool:
        return not only or any(part in name for part in only)

    with tempfile.TemporaryDirectory(prefix="tierwright-bench-") as folder:
        path = Path(folder) / "trace"
        for name in (*LAYOUTS, *TEXTS):
            is_text = name in TEXTS
            of = made["text" if is_text else "binary"]
            packings = ["none", *(PACKINGS if name in PACKED else ())]
            labels = [one if one == "none" else f"{name}, {one}" for one in packings]
            if not any(wanted(name if one == "none" else one) for one in labels):
                continue
            data = text(name, of) if is_text else binary(name, of)
            for packing in packings:
                label = name if packing == "none" else f"{name}, {packing}"
                if not wanted(label):
                    continue
                packed = data if packing == "none" else PACKINGS[packing](data)
                path.write_bytes(packed)
                plain = TEXT_BAR if is_text else BINARY_BAR
                bar = plain if packing == "none" else None
                yield measure(path, name, len(of.pages), packing, bar)


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure the reading of traces.")
    parser.add_argument("names", nargs="*", help="only rows that contain one of them")
    parser.add_argument("--quick", action="store_true", help="a tenth of the requests")
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json")
    given = parser.parse_args()
    less = QUICK if given.quick else 1
    sys.stdout.write(
        f"{'read and converted':34} {'M/s':>7} {'M/CPU s':>8} {'bar':>5} {'reached':>8}\n"
    )
    found = []
    for row in rows(TEXT_REQUESTS // less, BINARY_REQUESTS // less, given.names):
        found.append(row)
        bar = "-" if row["bar"] is None else f"{row['bar'] / 1e6:.0f}"
        reached = {None: "-", True: "yes", False: "NO"}[row["reached"]]
        sys.stdout.write(
            f"{row['name']:34} {row['requests_per_s'] / 1e6:7.2f} "
            f"{row['requests_per_cpu_s'] / 1e6:8.2f} {bar:>5} {reached:>8}\n"
        )
        sys.stdout.flush()
    measured = {row["name"] for row in found}
    kept = [
        row
        for row in results.read(given.json).get("ingest", ())
        if given.names and row["name"] not in measured
    ]
    results.keep(given.json, "ingest", kept + found)
    sys.stdout.write(f"{given.json}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
