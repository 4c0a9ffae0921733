"""The bench: ours beside libCacheSim, on the same trace, in the same run: ``make bench``.

The trace: 20 million Zipf(0.9) accesses over 2 million pages, as oracleGeneral for the peer and
as canonical trace for us. Every figure is the median of runs that take turns, each in a process
of its own, so that its peak memory is its own too. Prints a table and writes JSON, with every
single run, the miss ratios, what the machine itself can do, and how busy it was. At the end a
generated trace is streamed through a two-tier replay without a file, to show that memory does not
grow with the trace.

``--quick`` takes a tenth of everything. ``--soak N`` only streams N generated accesses. Names on
the command line measure only rows that contain one of them, `machine` asks what the machine can
do; ``--keep`` leaves the rest of the JSON as it is.

A ratio compares times on the clock; on a machine that others use, compare the ratio of processor
times printed beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".tools" / "bench"
UV = ROOT / ".tools" / "uv" / "bin" / "uv"
PEER = Path(__file__).with_name("peer.py")
EXPONENT = 0.9
SEED = 42
LRU = "lru"
MIB = 2**20
WRITE_SHARE = 0.25
READ_OP, WRITE_OP = 1, 3
"""Operations of oracleGeneralOpNS: get and set."""

PEER_NAMES = {
    "2q": "2q", "twoq": "2q", "s3fifo": "s3fifo", "wtinylfu": "wtinylfu", "lru2": "lru2",
    "lruk": "lru2", "lru": "lru", "fifo": "fifo", "clock": "clock", "arc": "arc",
    "lirs": "lirs", "sieve": "sieve", "opt": "opt", "belady": "opt", "gclock": "gclock",
}  # fmt: skip
"""Our policies, without `_`, and what the peer's are called in `peer.py`."""

OPTIONS = {"gclock": {"ceiling": "3"}}
"""Options with which a policy is the peer's: a counter of two bits counts to 3."""

BAR_OF_LIST_POLICIES = 15.0
BAR_OF_POLICIES = 6.0
BAR_OF_FLASH_CACHES = 1.0
LIST_POLICIES = ("lru", "fifo", "clock")
HEADINGS = (
    f"{'what':36} {'ours M/s':>9} {'other M/s':>9} {'ratio':>7} {'by CPU':>7} "
    f"{'bar':>6} {'spread':>7} {'ours MiB':>9} {'other MiB':>9}"
)


@dataclass
class Row:
    """One line of the table."""

    name: str
    ours: dict[str, Any]
    accesses: int
    peer: tuple[str, int] | None = None
    """Policy and size [pages] of the peer's run."""
    other: dict[str, Any] | None = None
    """What of ours to compare with instead."""
    bar: float | None = None
    unit: str = "times"
    """Of the bar: a ratio to the other's time, or millions a processor second."""
    runs: list[dict[str, float]] = field(default_factory=list)
    other_runs: list[dict[str, float]] = field(default_factory=list)


def make_traces(accesses: int, pages: int) -> tuple[Path, Path]:
    """Write the trace in both formats, unless they are there."""
    import numpy as np

    from tierwright import _simulator

    raw = FOLDER / f"zipf-{accesses}-{pages}.oracleGeneral"
    canonical = raw.with_suffix(".twt")
    if not raw.exists():
        say("making the trace")
        rng = np.random.default_rng(SEED)
        weights = np.cumsum(np.arange(1, pages + 1) ** -EXPONENT)
        ranks = np.searchsorted(weights, rng.random(accesses) * weights[-1])
        records = np.zeros(
            accesses,
            dtype=[("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")],
        )
        records["time"] = np.arange(accesses) // 10_000
        records["id"] = rng.permutation(pages)[np.minimum(ranks, pages - 1)]
        records["size"] = 4096
        order = np.argsort(ranks, kind="stable")
        again = ranks[order][1:] == ranks[order][:-1]
        records["next"] = -1
        records["next"][order[:-1][again]] = order[1:][again] + 1
        partial = raw.with_suffix(".partial")
        records.tofile(partial)
        partial.replace(raw)
    if not canonical.exists():
        _simulator.convert(raw, canonical, format="oracle_general")
    return raw, canonical


def make_written(raw: Path) -> Path:
    """Write the same accesses as canonical trace, one in four a write, unless it is there."""
    import numpy as np

    from tierwright import _simulator

    out = raw.with_name(f"{raw.stem}-written.twt")
    if not out.exists():
        read = np.fromfile(
            raw, [("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")]
        )
        fields = [("time", "<u4"), ("id", "<u8"), ("size", "<u4")]
        fields += [("op", "u1"), ("ns", "<u2"), ("next", "<i8")]
        records = np.zeros(len(read), dtype=fields)
        for name in read.dtype.names:
            records[name] = read[name]
        draw = np.random.default_rng(SEED + 1)
        writes = draw.random(len(read)) < WRITE_SHARE
        records["op"] = np.where(writes, WRITE_OP, READ_OP)
        partial = raw.with_suffix(".partial")
        records.tofile(partial)
        _simulator.convert(partial, out, format="oracle_general_op_ns")
        partial.unlink()
    return out


def make_csv(accesses: int, pages: int) -> Path:
    """Write a PostgreSQL reference CSV, for the speed of the text reader."""
    import numpy as np

    out = FOLDER / f"requests-{accesses}.csv"
    if not out.exists():
        rng = np.random.default_rng(SEED)
        blocks = rng.integers(0, pages, accesses).tolist()
        partial = out.with_suffix(".partial")
        with partial.open("w", encoding="ascii") as text:
            text.write("time_us,op,rel,block\n")
            text.writelines(
                f"{at},{'RW'[block % 3 == 0]},0/1663,{block}\n"
                for at, block in enumerate(blocks)
            )
        partial.replace(out)
    return out


def peer_python() -> Path:
    """Return the interpreter of the peer's environment, made from locked requirements."""
    environment = FOLDER / "peer"
    python = environment / "bin" / "python"
    done = environment / ".done"
    locked = ROOT / "requirements" / "bench.txt"
    if not done.exists() or done.stat().st_mtime < locked.stat().st_mtime:
        say("installing libcachesim")
        make = [str(UV), "venv", "--quiet", "--no-project", "--clear"]
        subprocess.run([*make, "--python", sys.executable, environment], check=True)
        install = [str(UV), "pip", "install", "--quiet", "--require-hashes"]
        install += ["--python", str(python), "-r", str(locked)]
        subprocess.run(install, check=True)
        done.touch()
    return python


def rows(
    raw: Path, trace: Path, accesses: int, pages: int, *, csv: Path, written: Path
) -> list[Row]:
    """List what is measured."""
    from tierwright import _simulator

    found = []
    path = str(trace)
    one, ten = pages // 100, pages // 10
    for share, size in (("1 %", one), ("10 %", ten)):
        for policy in (entry["name"] for entry in _simulator.contenders("policy")):
            peer = PEER_NAMES.get(policy.replace("_", "").replace("-", ""))
            bar = BAR_OF_LIST_POLICIES if policy in LIST_POLICIES else BAR_OF_POLICIES
            call = {"kind": "policy", "path": path, "policy": policy, "pages": size}
            call |= {"options": OPTIONS.get(policy)}
            name = f"replay {policy} {share}"
            found.append(
                Row(
                    name, call, accesses, (peer or LRU, size), bar=bar if peer else None
                )
            )
        for scheme in ("lazy", "inclusive", "exclusive"):
            call = {"kind": "scheme", "path": path, "scheme": scheme}
            call |= {"ram_pages": size, "flash_pages": 6 * size}
            name = f"two tiers, {scheme} {share}"
            found.append(Row(name, call, accesses, (LRU, size), bar=BAR_OF_POLICIES))
        for cache in (entry["name"] for entry in _simulator.contenders("flash_cache")):
            call = {"kind": "flash_cache", "path": str(written), "flash_cache": cache}
            call |= {"ram_pages": size, "flash_pages": 6 * size}
            name = f"flash cache, {cache} {share}"
            found.append(
                Row(name, call, accesses, (LRU, size), bar=BAR_OF_FLASH_CACHES)
            )
    curves = {"kind": "curves", "path": path, "threads": 1}
    for threads, bar in ((1, 2.0), (2, 3.5)):
        call = curves | {"threads": threads}
        name = f"exact curves, {threads} thread{'s' * (threads > 1)}"
        found.append(Row(name, call, accesses, (LRU, one), bar=bar))
    for rate, wanted in ((0.01, 10.0), (0.1, None)):
        for threads in (1, 2):
            call = {"kind": "sampled", "path": path, "rate": rate, "threads": threads}
            name = f"sampled {rate:.0%} / exact, {threads} thread{'s' * (threads > 1)}"
            other = curves | {"threads": threads}
            found.append(Row(name, call, accesses, other=other, bar=wanted))
    sizes = [one * at for at in range(1, 9)]
    sweep = {"kind": "sweep", "path": path, "sizes": sizes, "threads": 2}
    other = sweep | {"threads": 1}
    found.append(
        Row("sweep, 2 cores / 1", sweep, accesses * len(sizes), other=other, bar=1.8)
    )
    for name, source, form, requests, rate in (
        ("convert oracleGeneral", raw, "oracle_general", accesses, 10.0),
        ("convert CSV", csv, "postgres_csv", accesses // 5, 2.0),
    ):
        call = {"kind": "convert", "path": str(source), "format": form}
        found.append(Row(name, call, requests, bar=rate, unit="M/s"))
    return found


def measure(call: dict[str, Any]) -> dict[str, float]:
    """Do one run, in this process."""
    # Curves come as arrays: the first one would pay for the import.
    import numpy as np

    from tierwright import _simulator

    np.zeros(1)

    path = call["path"]
    runs: dict[str, Callable[[], object]] = {
        "policy": lambda: _simulator.replay(
            path, "policy", call["policy"], call["pages"], options=call["options"]
        ),
        "scheme": lambda: _simulator.replay(
            path, "scheme", call["scheme"], call["ram_pages"], call["flash_pages"]
        ),
        "flash_cache": lambda: _simulator.replay(
            path,
            "flash_cache",
            call["flash_cache"],
            call["ram_pages"],
            call["flash_pages"],
        ),
        "curves": lambda: _simulator.curves(path, threads=call["threads"]),
        "sampled": lambda: _simulator.sampled_curves(
            path, sample_rate=call["rate"], threads=call["threads"]
        ),
        "sweep": lambda: _simulator.sweep(
            path,
            [{"policy": LRU, "pages": size} for size in call["sizes"]],
            threads=call["threads"],
        ),
        "convert": lambda: _simulator.convert(
            path, FOLDER / "converted.twt", format=call["format"], force=True
        ),
    }
    wall, work = time.perf_counter(), time.process_time()
    result: Any = runs[call["kind"]]()
    measured = {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - work,
        "rss_bytes": peak_bytes(),
    }
    if call["kind"] == "policy":
        measured["miss_ratio"] = result["misses"] / result["accesses"]
    return measured


def peak_bytes() -> int:
    """Return the peak memory of this process; `ru_maxrss` may be its parent's on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_child(command: list[str]) -> dict[str, float]:
    """Run a command that prints one line of JSON."""
    # The pool of BLAS threads, which nothing here uses, would count as processor time.
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | quiet, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found | {"load_average": os.getloadavg()[0]}


def ours(call: dict[str, Any]) -> dict[str, float]:
    """Run one of ours in a process of its own."""
    return in_child([sys.executable, __file__, "--measure", json.dumps(call)])


def run(measured: list[Row], raw: Path, python: Path, repeats: int) -> None:
    """Run everything so many times, in turns."""
    known: dict[tuple[str, int], list[dict[str, float]]] = {}
    for turn in range(repeats):
        for row in measured:
            say(f"run {turn + 1} of {repeats}: {row.name}")
            row.runs.append(ours(row.ours))
            if row.other is not None:
                row.other_runs.append(ours(row.other))
            if row.peer is not None:
                runs = known.setdefault(row.peer, [])
                if len(runs) == turn:
                    policy, size = row.peer
                    command = [str(python), str(PEER), str(raw), policy, str(size)]
                    runs.append(in_child(command))
                row.other_runs = runs


def summary(row: Row) -> dict[str, Any]:
    """Medians of a row and their ratios; None without anything to compare with."""

    def median(runs: list[dict[str, float]], key: str) -> float | None:
        return statistics.median(run[key] for run in runs) if runs else None

    def ratio(key: str) -> float | None:
        mine, other = median(row.runs, key), median(row.other_runs, key)
        return other / mine if mine and other else None

    seconds, other = median(row.runs, "seconds"), median(row.other_runs, "seconds")
    cpu_seconds = median(row.runs, "cpu_seconds")
    times = [run["seconds"] for run in row.runs]
    compared: Any = row.peer
    if row.other is not None:
        compared = {key: row.other[key] for key in row.other if key != "path"}
    measured = ratio("seconds") if row.unit == "times" else None
    # That bar is for one core.
    if row.unit != "times" and cpu_seconds:
        measured = row.accesses / cpu_seconds / 1e6
    missed = [
        [run["miss_ratio"] for run in runs[:1] if "miss_ratio" in run]
        for runs in (row.runs, row.other_runs)
    ]
    return {
        "name": row.name,
        "accesses": row.accesses,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "accesses_per_s": row.accesses / seconds if seconds else None,
        "rss_bytes": median(row.runs, "rss_bytes"),
        "compared_with": compared,
        "other_seconds": other,
        "other_cpu_seconds": median(row.other_runs, "cpu_seconds"),
        "other_accesses_per_s": row.accesses / other if other else None,
        "other_rss_bytes": median(row.other_runs, "rss_bytes"),
        "ratio": ratio("seconds"),
        "cpu_ratio": ratio("cpu_seconds"),
        "bar": row.bar,
        "bar_unit": row.unit,
        "reached": None if row.bar is None or not measured else measured >= row.bar,
        "spread": (max(times) - min(times)) / seconds if seconds else None,
        "miss_ratios": [found[0] if found else None for found in missed],
        "runs": row.runs,
        "other_runs": row.other_runs,
    }


def line(found: dict[str, Any]) -> str:
    """Return a row of the printed table."""

    def cell(key: str, width: int, scale: float = 1.0, digits: int = 1) -> str:
        value = found[key]
        text = "-" if value is None else f"{value / scale:.{digits}f}"
        return text.rjust(width)

    return " ".join(
        [
            f"{found['name']:36}",
            cell("accesses_per_s", 9, 1e6),
            cell("other_accesses_per_s", 9, 1e6),
            cell("ratio", 7, digits=2),
            cell("cpu_ratio", 7, digits=2),
            cell("bar", 6),
            cell("spread", 7, digits=2),
            cell("rss_bytes", 9, MIB, 0),
            cell("other_rss_bytes", 9, MIB, 0),
        ]
    )


def machine() -> dict[str, Any]:
    """Describe the machine, and how busy it was."""
    model = platform.processor()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text(encoding="utf-8").splitlines()
        names = [
            text.partition(":")[2].strip() for text in lines if "model name" in text
        ]
        model = names[0] if names else model
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load_average": os.getloadavg(),
    }


def from_core(*arguments: str) -> dict[str, Any]:
    """Run the Rust bench, which prints one line of JSON."""
    command = ["cargo", "bench", "--locked", "--quiet", "--package"]
    command += ["tierwright-simulator", "--bench", "replay", "--", *arguments]
    done = subprocess.run(
        command, cwd=ROOT / "models", capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found | {"load_average": os.getloadavg()[0]}


def soak(accesses: int) -> dict[str, Any]:
    """Stream generated accesses through a two-tier replay."""
    say(f"streaming {accesses:,} generated accesses through two tiers")
    found = from_core("--soak", str(accesses))
    replay = found["peak_bytes"] - found["generator_bytes"]
    limit = 10**9 + 40 * found["distinct_pages"]
    return found | {
        "replay_bytes": replay,
        "limit_bytes": limit,
        "reached": replay <= limit,
    }


def say(text: str) -> None:
    """Tell what is going on."""
    sys.stderr.write(f"{text}\n")


def merged(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Put what was measured into what an earlier run on the same trace measured."""
    if not path.exists():
        return document
    earlier = json.loads(path.read_text(encoding="utf-8"))
    if any(earlier[key] != document[key] for key in ("accesses", "pages", "exponent")):
        raise SystemExit(f"error: {path} is of another trace\nhint: leave --keep out")
    fresh = {row["name"]: row for row in document["rows"]}
    kept = [fresh.pop(row["name"], row) for row in earlier["rows"]]
    found = {key: value for key, value in document.items() if value is not None}
    return {**earlier, **found, "rows": [*kept, *fresh.values()]}


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description="Measure ours beside libCacheSim.")
    parser.add_argument("names", nargs="*", help="measure only rows that contain one")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--soak", type=int, metavar="N", help="only stream N accesses")
    parser.add_argument("--keep", action="store_true", help="keep other rows of JSON")
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        sys.stdout.write(json.dumps(measure(json.loads(given.measure))) + "\n")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    accesses, pages = (2_000_000, 200_000) if given.quick else (20_000_000, 2_000_000)
    raw, trace = make_traces(accesses, pages)
    measured: list[Row] = []
    before = machine()
    if given.soak is None:
        csv = make_csv(accesses // 5, pages)
        written = make_written(raw)
        measured = [
            row
            for row in rows(raw, trace, accesses, pages, csv=csv, written=written)
            if not given.names or any(name in row.name for name in given.names)
        ]
        run(measured, raw, peer_python(), given.repeats)
    found = [summary(row) for row in measured]
    everything = given.soak is None and not given.names
    probed = everything or "machine" in given.names
    if probed:
        say("asking the machine")
    document = {
        "machine": before,
        "load_average_after": os.getloadavg(),
        "accesses": accesses,
        "pages": pages,
        "exponent": EXPONENT,
        "repeats": given.repeats,
        "rows": found,
        "probe": from_core("--probe", str(trace)) if probed else None,
        "stream": soak(given.soak or 5 * accesses)
        if everything or given.soak
        else None,
    }
    if given.keep or given.soak:
        document = merged(given.json, document)
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    lines = [HEADINGS, *map(line, found)] if found else []
    lines += [
        f"{key}: {json.dumps(document[key])}"
        for key in ("probe", "stream")
        if document[key] is not None
    ]
    sys.stdout.write("\n".join([*lines, str(given.json)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
