#!/usr/bin/env python3
"""Record the same benchmark at several scales, each on a PostgreSQL server of its own.

For each scale the script makes a server in a folder, loads the benchmark, runs a
warm-up in proportion to the scale (so that databases of all scales are equally
old), records every access to the buffer pool during an exact number of further
transactions, and takes the server away again. Needs what ``record_uprobes.py``
needs (root, Linux on x86-64, ``perf``, ``readelf``), ``zstd``, ``pgbench`` for
TPC-B and ``go-tpc`` for TPC-C. Standard library only.

    sudo python3 record_scales.py --output recordings tpcb:10 tpcb:30 tpcc:5 tpcc:20

For each scale two files are written: ``tpcc-20.csv.zst``, the trace, and
``tpcc-20.json``, what a scale law has to know about it: each relation's pages and
rows before and after, transactions, accesses, clients, versions and settings.

What happens at each scale, in this order:

1. load, then ``VACUUM ANALYZE``;
2. nine tenths of the warm-up, then ``ANALYZE``, which counts the rows. No ``VACUUM``
   here: the pages that it frees take new rows for as many transactions as the
   warm-up had, which at small scales ends in the middle of the recording (TPC-B at
   scale 10 then missed 12 to 25 % less from one eighth of it to the next);
3. the last tenth of the warm-up, which gives accesses per transaction;
4. the recording, of as many transactions as the accesses that are to be recorded
   need at that rate.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent
PAGE_BYTES = 8192
DATABASE = {"tpcb": "tpcb", "tpcc": "tpcc"}
CHUNKS = 10  # pieces of the warm-up; the last one follows ANALYZE
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "1GB",
    "max_wal_size": "2GB",
    "fsync": "off",  # changes how long a commit takes, not which pages it reads
    "autovacuum": "on",
    "track_counts": "on",
    "max_connections": "40",
}
RELATIONS = """
select case when c.relisshared then 0 else d.oid end
       || '/' || pg_relation_filenode(c.oid),
       n.nspname || '.' || c.relname,
       c.relkind,
       coalesce(i.indrelid, t.oid, c.oid)::regclass::text,
       c.reltuples::bigint,
       pg_relation_size(c.oid, 'main') / 8192,
       pg_relation_size(c.oid, 'fsm') / 8192,
       pg_relation_size(c.oid, 'vm') / 8192
from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_database d on d.datname = current_database()
     left join pg_index i on i.indexrelid = c.oid
     left join pg_class t on t.reltoastrelid = c.oid
where c.relkind in ('r', 'i', 't', 'm', 'S') and pg_relation_filenode(c.oid) is not null
order by 1
"""


def fail(message: str, hint: str) -> NoReturn:
    """End with the message and the next step."""
    sys.exit(f"error: {message}\nhint: {hint}")


def say(text: str) -> None:
    """Print a line with the time, at once."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Tools:
    """The programs that are called."""

    postgres: Path  # folder of initdb, pg_ctl and postgres
    psql: str
    pgbench: str
    go_tpc: str


@dataclass
class Server:
    """A running server of our own.

    Attributes
    ----------
    folder
        Holds the data, the logs and the recording before it is converted.
    port
        On the loopback address.
    password
        Of the superuser ``postgres``; made for this server.
    """

    folder: Path
    port: int
    password: str
    tools: Tools
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Put the password where psql and pgbench look for it."""
        self.environment = {**os.environ, "PGPASSWORD": self.password}

    def query(self, text: str, database: str = "postgres") -> list[list[str]]:
        """Rows of a query, each a list of texts."""
        done = subprocess.run(
            [
                *(self.tools.psql, "-X", "-q", "-A", "-t", "-F", "\t"),
                *("-v", "ON_ERROR_STOP=1", *self.address(), "-d", database),
                *("-c", text),
            ],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            fail(f"psql: {done.stderr.strip()}", f"see {self.folder}/server.log")
        return [line.split("\t") for line in done.stdout.splitlines() if line]

    def address(self) -> list[str]:
        """Host, port and user, as psql and pgbench take them."""
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]

    def run(self, name: str, *command: str) -> str:
        """Run a client to its end; its output goes to a file, and is returned."""
        log = self.folder / f"{name}.log"
        with log.open("w", encoding="utf-8") as out:
            # A file, not a pipe: nobody has to read for the client to go on.
            done = subprocess.run(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
        text = log.read_text(encoding="utf-8", errors="replace")
        if done.returncode:
            fail(
                f"`{command[0]}` ({name}) ended with {done.returncode}: {text[-600:]}",
                "run again with --keep and read the logs in the server's folder",
            )
        return text


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def as_user(user: str, *command: str) -> list[str]:
    """Return the command that runs another one as an unprivileged user."""
    return ["runuser", "-u", user, "--", *command]


@contextlib.contextmanager
def server_in(
    parent: Path | None, user: str, tools: Tools, *, keep: bool
) -> Iterator[Server]:
    """Make a server, and take it away however the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="tierwright-scale-", dir=parent))
    account = pwd.getpwnam(user)
    data = folder / "data"
    started = False
    server = Server(folder, free_port(), secrets.token_hex(16), tools)
    try:
        os.chown(folder, account.pw_uid, account.pw_gid)
        password = folder / "password"
        password.touch(mode=0o600)
        password.write_text(server.password, encoding="ascii")
        os.chown(password, account.pw_uid, account.pw_gid)
        server.run(
            "initdb",
            *as_user(user, str(tools.postgres / "initdb"), "-D", str(data)),
            *("-U", "postgres", "-A", "scram-sha-256", f"--pwfile={password}"),
            *("--locale=C", "--encoding=UTF8", "--no-sync"),
        )
        settings = {**SETTINGS, "port": server.port, "unix_socket_directories": folder}
        with (data / "postgresql.conf").open("a", encoding="utf-8") as out:
            out.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        started = True  # from here on something may run, even if the start fails
        server.run(
            "start",
            *as_user(user, str(tools.postgres / "pg_ctl"), "-D", str(data), "-w"),
            *("-l", str(folder / "server.log"), "start"),
        )
        yield server
    finally:
        if started:
            stop = (str(tools.postgres / "pg_ctl"), "-D", str(data), "-m", "immediate")
            subprocess.run(
                as_user(user, *stop, "-w", "-s", "stop"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        if keep:
            shutil.rmtree(data, ignore_errors=True)
            say(f"logs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Load:
    """What a client did."""

    transactions: int
    failed: int
    seconds: float


@dataclass(frozen=True)
class Benchmark:
    """One benchmark at one scale."""

    name: str  # tpcb or tpcc
    scale: int
    clients: int

    def load(self, server: Server) -> None:
        """Create and fill the database."""
        server.query(f"create database {DATABASE[self.name]}")
        if self.name == "tpcb":
            server.run(
                "load",
                *(server.tools.pgbench, *server.address(), "-i", "-q"),
                *("-s", str(self.scale), DATABASE[self.name]),
            )
            return
        server.run(
            "load",
            *self._go_tpc(server, "prepare", clients=2),
            "--no-check",
        )

    def run(self, server: Server, name: str, transactions: int) -> Load:
        """Run a number of transactions, shared evenly by the clients."""
        each = max(1, math.ceil(transactions / self.clients))
        start = time.monotonic()
        if self.name == "tpcb":
            text = server.run(
                name,
                *(server.tools.pgbench, *server.address(), "-n", "-M", "prepared"),
                *("-c", str(self.clients), "-j", "1", "-t", str(each)),
                DATABASE[self.name],
            )
            done = [int(n) for n in re.findall(r"actually processed: (\d+)", text)]
            failed = [int(n) for n in re.findall(r"failed transactions: (\d+)", text)]
        else:
            text = server.run(
                name,
                *self._go_tpc(server, "run", clients=self.clients),
                *("--count", str(each * self.clients), "--ignore-error", "--silence"),
            )
            done, failed = [], []
            for kind, count in re.findall(
                r"^\[Summary\] (\w+)\s+- .*?Count: (\d+)", text, re.MULTILINE
            ):
                (failed if kind.endswith("_ERR") else done).append(int(count))
        if not sum(done):
            fail(
                f"no transaction was counted in: {text[-600:]}",
                "is the client's version known?",
            )
        return Load(sum(done), sum(failed), time.monotonic() - start)

    def _go_tpc(self, server: Server, action: str, *, clients: int) -> list[str]:
        return [
            *(server.tools.go_tpc, "tpcc", action, "-d", "postgres", "-H", "127.0.0.1"),
            *("-P", str(server.port), "-U", "postgres", "-p", server.password),
            *("-D", DATABASE[self.name], "--warehouses", str(self.scale)),
            *("-T", str(clients), "--conn-params", "sslmode=disable"),
        ]


def looked_up(server: Server, database: str) -> int:
    """Page look-ups of a database so far, by the server's own count."""
    time.sleep(1.5)  # sessions report at most once a second, and when they end
    rows = server.query(
        "select blks_hit + blks_read from pg_stat_database"
        f" where datname = '{database}'"
    )
    return int(rows[0][0])


def relations(server: Server, database: str) -> dict[str, dict[str, Any]]:
    """Each relation by its number in the trace: name, kind, table, rows, pages."""
    return {
        row[0]: {
            "name": row[1],
            "kind": row[2],
            "table": row[3],
            "rows": int(row[4]),
            "pages": int(row[5]),
            "fsm_pages": int(row[6]),
            "vm_pages": int(row[7]),
        }
        for row in server.query(RELATIONS, database)
    }


@contextlib.contextmanager
def recording(server: Server, output: Path) -> Iterator[None]:
    """Record the block by ``record_uprobes.py``."""
    log = server.folder / "record.log"
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [
                *(sys.executable, str(HERE / "record_uprobes.py")),
                *("--binary", str(server.tools.postgres / "postgres")),
                *("--ring-mib", "64", "--output", str(output)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + 120
        while "recording;" not in log.read_text(encoding="utf-8"):
            if process.poll() is not None or time.monotonic() > deadline:
                fail(
                    f"the recording did not start: {log.read_text(encoding='utf-8')[-600:]}",
                    "try record_uprobes.py alone; does another recording run?",
                )
            time.sleep(0.2)
        time.sleep(3)  # perf opens its rings
        yield
        time.sleep(1)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(300)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def convert(server: Server, perf: Path, target: Path) -> str:
    """Write the trace, compressed; returns what the converter said."""
    trace = server.folder / "trace.csv"
    said = server.run(
        "convert",
        *(sys.executable, str(HERE / "uprobes_to_trace.py"), str(perf), str(trace)),
    )
    perf.unlink()
    partial = target.with_name(f"{target.name}.partial")
    server.run("zstd", "zstd", "-q", "-f", "-9", str(trace), "-o", str(partial))
    partial.rename(target)
    return said.strip().splitlines()[-1]  # perf may warn before


def warm_up(
    benchmark: Benchmark, server: Server, transactions: int, cap_s: float
) -> tuple[int, float]:
    """Age the database; returns transactions and accesses per transaction at its end."""
    database = DATABASE[benchmark.name]
    start = time.monotonic()
    done = 0
    for chunk in range(CHUNKS - 1):
        done += benchmark.run(
            server, f"warm-up-{chunk}", transactions // CHUNKS
        ).transactions
        if time.monotonic() - start > cap_s:
            say(f"the warm-up ended by its time, after {done} of {transactions}")
            break
    server.query("analyze", database)
    before = looked_up(server, database)
    last = benchmark.run(server, "warm-up-last", transactions // CHUNKS)
    per_transaction = (looked_up(server, database) - before) / last.transactions
    say(
        f"warm-up of {done + last.transactions} transactions,"
        f" {last.transactions / last.seconds:.0f} per second at its end;"
        f" {per_transaction:.1f} accesses per transaction"
    )
    return done + last.transactions, per_transaction


def record_scale(
    benchmark: Benchmark, server: Server, arguments: argparse.Namespace
) -> None:
    """Load, warm up, record and describe one scale."""
    name = f"{benchmark.name}-{benchmark.scale}"
    database = DATABASE[benchmark.name]
    say(f"{name}: loading")
    benchmark.load(server)
    server.query("vacuum analyze", database)
    warmed, per_transaction = warm_up(
        benchmark,
        server,
        arguments.warm_up * benchmark.scale,
        arguments.warm_up_seconds,
    )
    before = relations(server, database)
    bytes_before = int(server.query(f"select pg_database_size('{database}')")[0][0])
    planned = math.ceil(arguments.accesses / per_transaction)
    counted = looked_up(server, database)
    perf = server.folder / "run.perf"
    say(f"{name}: recording {planned} transactions")
    with recording(server, perf):
        recorded = benchmark.run(server, "recorded", planned)
    counted = looked_up(server, database) - counted
    bytes_after = int(server.query(f"select pg_database_size('{database}')")[0][0])
    server.query("analyze", database)
    after = relations(server, database)
    said = convert(server, perf, arguments.output / f"{name}.csv.zst")
    say(f"{name}: {said}; the server counted {counted} of its database")
    accesses = re.match(r"(\d+) accesses", said)
    if accesses is None:
        fail(
            f"the converter said {said!r}",
            "is uprobes_to_trace.py of the same version?",
        )
    if int(accesses[1]) < 0.98 * counted:
        say(f"warning: {name}: fewer accesses were recorded than the server counted")
    oid = server.query(f"select oid from pg_database where datname = '{database}'")
    description = {
        "benchmark": benchmark.name,
        "scale": benchmark.scale,
        "clients": benchmark.clients,
        "recorded_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "server": server.query("select version()")[0][0],
        "client": client_version(benchmark, server.tools),
        "settings": SETTINGS,
        "page_bytes": PAGE_BYTES,
        "warm_up_transactions": warmed,
        "transactions": recorded.transactions,
        "failed_transactions": recorded.failed,
        "seconds": round(recorded.seconds, 3),
        "accesses": int(accesses[1]),
        "accesses_counted_by_the_server": counted,
        "converter": said,
        "database": int(oid[0][0]),
        "database_bytes_before": bytes_before,
        "database_bytes_after": bytes_after,
        "relations": [
            {
                "rel": rel,
                **{key: after[rel][key] for key in ("name", "kind", "table")},
                **{
                    f"{key}_{when}": at.get(rel, {}).get(key, 0)
                    for key in ("pages", "rows", "fsm_pages", "vm_pages")
                    for when, at in (("before", before), ("after", after))
                },
            }
            for rel in sorted(after)
        ],
    }
    (arguments.output / f"{name}.json").write_text(
        json.dumps(description, indent=1) + "\n", encoding="utf-8"
    )


def client_version(benchmark: Benchmark, tools: Tools) -> str:
    """Name and version of the benchmark's client."""
    if benchmark.name == "tpcb":
        command = [tools.pgbench, "--version"]
    else:
        command = ["go", "version", "-m", tools.go_tpc]
    with contextlib.suppress(OSError):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if benchmark.name == "tpcb":
            return done.stdout.strip()
        if match := re.search(r"mod\s+(\S+go-tpc)\s+(\S+)", done.stdout):
            return f"{match[1]} {match[2]}"
    return "unknown"


def scales_of(texts: list[str], clients: int) -> list[Benchmark]:
    """Read ``tpcc:20``."""
    found = []
    for text in texts:
        match = re.fullmatch(r"(tpcb|tpcc):([1-9]\d{0,4})", text)
        if match is None:
            fail(
                f"{text!r} is not a benchmark and its scale", "write tpcb:10 or tpcc:20"
            )
        found.append(Benchmark(match[1], int(match[2]), clients))
    return found


def tools_of(arguments: argparse.Namespace, wanted: list[Benchmark]) -> Tools:
    """Find the programs, and say which one is missing."""
    folder = arguments.postgres
    if folder is None:
        places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not places:
            fail(
                "no PostgreSQL server was found",
                "name its programs' folder with --postgres",
            )
        folder = places[-1].parent
    names = {"psql": "psql", "pgbench": "pgbench", "go_tpc": arguments.go_tpc}
    found = {}
    for key, name in names.items():
        beside = folder / name
        found[key] = str(beside) if beside.exists() else shutil.which(name) or ""
    needed = {"psql"} | {"pgbench" if b.name == "tpcb" else "go_tpc" for b in wanted}
    for key in sorted(needed):
        if not found[key]:
            fail(
                f"`{names[key]}` was not found",
                "go install github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12, and name it"
                " with --go-tpc"
                if key == "go_tpc"
                else "install PostgreSQL's client programs",
            )
    for name in ("zstd", "perf", "runuser"):
        if shutil.which(name) is None:
            fail(f"`{name}` is not installed", f"install {name}")
    return Tools(Path(folder), **found)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("scales", nargs="+", help="such as tpcb:10 tpcc:20")
    parser.add_argument("--output", type=Path, default=Path("recordings"))
    parser.add_argument("--clients", type=int, default=4, help="default 4")
    parser.add_argument(
        "--accesses",
        type=int,
        default=1_300_000,
        help="to record at each scale (default 1,300,000)",
    )
    parser.add_argument(
        "--warm-up",
        type=int,
        default=3000,
        help="transactions per unit of scale (default 3,000)",
    )
    parser.add_argument(
        "--warm-up-seconds",
        type=float,
        default=900,
        help="end the warm-up after this time all the same (default 900)",
    )
    parser.add_argument("--user", default="postgres", help="who runs the servers")
    parser.add_argument("--folder", type=Path, help="where the servers' data stand")
    parser.add_argument("--postgres", type=Path, help="folder of initdb and pg_ctl")
    parser.add_argument("--go-tpc", default="go-tpc", help="the program go-tpc")
    parser.add_argument(
        "--again", action="store_true", help="record scales that are there already"
    )
    parser.add_argument("--keep", action="store_true", help="keep the logs")
    arguments = parser.parse_args()
    wanted = scales_of(arguments.scales, arguments.clients)
    if os.geteuid() != 0:
        fail("uprobes need root", "run it with sudo")
    try:
        pwd.getpwnam(arguments.user)
    except KeyError:
        fail(f"there is no user {arguments.user!r}", "name one with --user")
    tools = tools_of(arguments, wanted)
    arguments.output.mkdir(parents=True, exist_ok=True)
    # A shell's background jobs ignore Ctrl-C, and so would perf, which it ends.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit("error: ended\nhint: run it again")
    )
    for benchmark in wanted:
        described = arguments.output / f"{benchmark.name}-{benchmark.scale}.json"
        if described.exists() and not arguments.again:
            say(f"{described} exists already; --again records it once more")
            continue
        with server_in(
            arguments.folder, arguments.user, tools, keep=arguments.keep
        ) as server:
            record_scale(benchmark, server, arguments)


if __name__ == "__main__":
    main()
