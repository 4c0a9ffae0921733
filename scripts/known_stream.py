"""Writes docs/traces/counters-redis.md or counters-memcached.md: the ages of a real server beside its known stream.

``python scripts/known_stream.py redis`` (``make counters-redis``) takes six minutes, ``memcached`` half an hour. It starts
a server of its own on the loopback, sends gets of a Zipf law at a constant rate, stores what missed, and keeps every
key that it asked for. The documented commands of docs/traces/counters.md are run as they stand there; the curve of
what they print is held against LRU caches of the recorded stream. Where the server, ``redis-cli`` or ``nc`` is not
installed it says so and writes nothing.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tierwright import _simulator
from tierwright.profile.evidence import Evidence
from tierwright.profile.given.examine import import_curve

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs" / "traces"
COMMANDS = DOCS / "counters.md"
KEYS = 200_000
EXPONENT = 0.9
VALUE = b"x" * 100
SEED = 22
BATCH_S = 0.02
"""Gets are sent in batches of so long a time. [s]"""
STRETCH_S, LEAST_HELD = 10.0, 0.5
"""Of each stretch of so long [s], the least share of the rate at which a run is a measurement. [1]"""
SIZES = 8
FULL_PAUSE_S = 5.0
"""Between looks at whether the server evicts. [s]"""
LEAST_SHARE = 0.5
"""Of the smallest size at which curve and stream are compared, in what the curve speaks of. [1]"""
Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Kind:
    """How one server is run and read.

    Attributes
    ----------
    name : str
        Kind of the input.
    needs : tuple of str
        Programs, the server first.
    options : tuple of str
        Of the server.
    gets_per_s : int
        Rate of the generator. [1/s]
    warm_s, pause_s : float
        Before the first reading, and between readings. [s]
    readings : int
        How many.
    call : str
        The documented function with its arguments; {port} is that of the server.
    """

    name: str
    needs: tuple[str, ...]
    options: tuple[str, ...]
    gets_per_s: int
    warm_s: float
    pause_s: float
    readings: int
    call: str


KINDS = {
    "redis": Kind(
        "redis",
        ("redis-server", "redis-cli"),
        ("--maxmemory", "14mb", "--maxmemory-policy", "allkeys-lru", "--save", ""),
        3000,
        150.0,
        40.0,
        4,
        "redis_snapshot -h 127.0.0.1 -p {port}",
    ),
    "memcached": Kind(
        "memcached",
        ("memcached", "nc"),
        ("-m", "21", "-o", "no_lru_maintainer"),
        1000,
        1200.0,
        60.0,
        4,
        "snapshot 127.0.0.1 {port} 5",
    ),
}


class Client:
    """Gets many keys at once, and stores those that missed."""

    def __init__(self, name: str, port: int) -> None:
        self._redis = name == "redis"
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._file = self._socket.makefile("rb")

    def get(self, keys: Sequence[int]) -> None:
        """Get keys in their order and store what missed."""
        if self._redis:
            self._send("GET", ((key,) for key in keys))
            missed = [key for key in keys if not self._bulk()]
            self._send("SET", ((key, VALUE) for key in missed))
        else:
            self._socket.sendall(b"".join(b"get k%d\r\n" % key for key in keys))
            missed = [key for key in keys if not self._value()]
            self._socket.sendall(
                b"".join(
                    b"set k%d 0 0 %d\r\n%s\r\n" % (key, len(VALUE), VALUE)
                    for key in missed
                )
            )
        for _ in missed:
            self._file.readline()

    def _send(self, word: str, rows: Iterator[tuple[int | bytes, ...]]) -> None:
        made = bytearray()
        for row in rows:
            parts = [
                word.encode(),
                *(b"k%d" % each if isinstance(each, int) else each for each in row),
            ]
            made += b"*%d\r\n" % len(parts)
            for part in parts:
                made += b"$%d\r\n%s\r\n" % (len(part), part)
        self._socket.sendall(bytes(made))

    def _bulk(self) -> bool:
        size = int(self._file.readline()[1:])
        if size >= 0:
            self._file.read(size + 2)
        return size >= 0

    def _value(self) -> bool:
        line = self._file.readline()
        if not line.startswith(b"VALUE"):
            return False
        self._file.read(int(line.split()[3]) + 2)
        self._file.readline()
        return True


class Generator(threading.Thread):
    """Sends gets at a constant rate until it is stopped, and keeps their keys."""

    def __init__(self, kind: Kind, port: int) -> None:
        super().__init__(daemon=True)
        self._client = Client(kind.name, port)
        self._batch = round(kind.gets_per_s * BATCH_S)
        self._random = np.random.default_rng(SEED)
        weights = np.arange(1, KEYS + 1) ** -EXPONENT
        self._cumulative = np.cumsum(weights / weights.sum())
        self._names = self._random.permutation(KEYS)
        self._ended = threading.Event()
        self.sent: list[Keys] = []
        self.moments: list[float] = []
        self.failed: Exception | None = None

    def run(self) -> None:
        """Send batches, each at its time."""
        due = time.monotonic()
        try:
            while not self._ended.is_set():
                ranks = np.searchsorted(
                    self._cumulative, self._random.random(self._batch)
                )
                keys = self._names[np.minimum(ranks, KEYS - 1)]
                self._client.get(keys.tolist())
                self.sent.append(keys)
                now = time.monotonic()
                self.moments.append(now)
                # What was late is not caught up: a burst would make the ages of another load.
                due = max(due + BATCH_S, now)
                time.sleep(due - now)
        except Exception as error:  # whatever ended it, `end` raises it
            self.failed = error

    @property
    def count(self) -> int:
        """Gets that were answered so far."""
        return self._batch * len(self.sent)

    def slowest(self, since: float, until: float) -> float:
        """Return the least rate of any stretch between two moments, as a share of the stated."""
        return slowest(self.moments, since, until)

    def end(self) -> Keys:
        """Stop, and return the keys."""
        self._ended.set()
        self.join()
        if self.failed is not None:
            raise self.failed
        return np.concatenate(self.sent)


def slowest(moments: Sequence[float], since: float, until: float) -> float:
    """Return the least rate of the batches in any stretch between two moments, as a share of the stated.

    Parameters
    ----------
    moments : sequence of float
        When each batch was answered, increasing. [s]
    since, until : float
        First and last moment; where they are closer than a stretch, that is the stretch. Up to the last one, so that
        a generator that stopped has a stretch without batches. [s]

    Returns
    -------
    float
        0 where nothing was answered in one of them. [1]
    """
    stretch = min(STRETCH_S, until - since)
    last = until - stretch
    begins = np.append(np.arange(since, last, stretch), last)
    at = np.asarray(moments, dtype=np.float64)
    batches = np.searchsorted(at, begins + stretch) - np.searchsorted(at, begins)
    return float(batches.min() * BATCH_S / stretch)


def free_port() -> int:
    """Return a port of the loopback that nobody uses."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(kind: Kind, port: int) -> Iterator[None]:
    """Run the server, and end it."""
    with tempfile.TemporaryDirectory() as folder:
        address = (
            ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder)
            if kind.name == "redis"
            else ("-p", str(port), "-l", "127.0.0.1", "-U", "0", "-u", "nobody")
        )
        command = [kind.needs[0], *address, *kind.options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                for _ in range(100):
                    try:
                        socket.create_connection(("127.0.0.1", port)).close()
                        break
                    except OSError:
                        time.sleep(0.1)
                yield
            finally:
                server.terminate()
                server.wait()


def documented(kind: Kind) -> str:
    """Return the functions of the documentation that read this kind."""
    section = COMMANDS.read_text("utf-8").split(f"(`{kind.name}`)\n", 1)[1]
    found = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found.group(1)


def reading(kind: Kind, port: int) -> str:
    """Run the documented command once."""
    script = f"{documented(kind)}\n{kind.call.format(port=port)}\n"
    done = subprocess.run(
        ["/bin/sh", "-c", script], check=True, capture_output=True, text=True
    )
    return done.stdout


def evictions(text: str) -> int:
    """Return the evictions that a server states, of `INFO stats` of Redis or `stats` of memcached; 0 without any."""
    found = re.search(
        r"^(?:STAT evictions |evicted_keys:)(\d+)\s*$", text, re.MULTILINE
    )
    return int(found.group(1)) if found else 0


def counted(kind: Kind, port: int) -> str:
    """Ask a server for its counters."""
    question, end = (
        (b"INFO stats\r\nQUIT\r\n", b"+OK\r\n")
        if kind.name == "redis"
        else (b"stats\r\nquit\r\n", b"END\r\n")
    )
    with socket.create_connection(("127.0.0.1", port)) as asked:
        asked.sendall(question)
        said = bytearray()
        while not said.endswith(end) and (more := asked.recv(65536)):
            said += more
    return said.decode("ascii", "replace")


def until_full(kind: Kind, port: int) -> float:
    """Wait until the server evicts: what is resident before that is all that was ever used. At most twice its time.

    Returns
    -------
    float
        How long from the call. [s]

    Raises
    ------
    RuntimeError
        It evicted nothing.
    """
    begun = time.monotonic()
    time.sleep(kind.warm_s)
    while not evictions(counted(kind, port)):
        if time.monotonic() - begun > 2 * kind.warm_s:
            message = (
                f"{kind.name} evicted nothing in {2 * kind.warm_s:g} s: it is not full"
            )
            raise RuntimeError(message)
        time.sleep(FULL_PAUSE_S)
    return time.monotonic() - begun


def recorded(kind: Kind) -> tuple[str, Keys, int, int, float, float]:
    """Run server, generator and readings.

    Returns
    -------
    text, keys, first, last, held, full_s
        What was printed, the stream, where in it the readings begin and end, the least share of the rate that was
        held [1], and how long the load ran before the first reading [s].
    """
    port = free_port()
    with running(kind, port):
        generator = Generator(kind, port)
        generator.start()
        full_s = until_full(kind, port)
        print(f"full after {full_s:.0f} s", flush=True)
        texts, first, since = [], generator.count, time.monotonic()
        for at in range(kind.readings):
            if at:
                time.sleep(kind.pause_s)
            texts.append(reading(kind, port))
            print(
                f"reading {at + 1} of {kind.readings}: {generator.count} gets",
                flush=True,
            )
        last, until = generator.count, time.monotonic()
        keys = generator.end()
        held = generator.slowest(since, until)
    return "".join(texts), keys, first, last, held, full_s


def exact(keys: Keys, first: int, last: int) -> NDArray[np.float64]:
    """Return the misses per get of LRU caches of every size between two moments; whole list, from before them."""

    def misses(part: Keys) -> NDArray[np.float64]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stream.lirs"
            path.write_text("\n".join(map(str, part.tolist())) + "\n", "ascii")
            return np.asarray(
                _simulator.curves(path, format="lirs")["misses"], dtype=np.float64
            )

    whole, before = misses(keys[:last]), misses(keys[:first])
    before = np.pad(before, (0, len(whole) - len(before)), mode="edge")
    return (whole - before) / (last - first)


def version(kind: Kind) -> str:
    """Return name and version of the server."""
    done = subprocess.run(
        [kind.needs[0], "--version"], check=True, capture_output=True, text=True
    )
    found = re.search(r"\d+\.\d+\.\d+", done.stdout)
    return f"{kind.name} {found.group() if found else done.stdout.strip()}"


def page_of(
    kind: Kind,
    text: str,
    keys: Keys,
    first: int,
    last: int,
    held: float,
    full_s: float,
) -> str:
    """Write the page."""
    found = import_curve(text)
    assert found.profile is not None
    curve, evidence = found.profile.curve, found.evidence
    assert isinstance(evidence, Evidence)
    truth = exact(keys, first, last)
    low = max(evidence.valid_from, LEAST_SHARE * 0.1 * evidence.valid_to)
    sizes = np.unique(np.rint(np.geomspace(low, evidence.valid_to, SIZES)).astype(int))
    sizes = sizes[sizes <= len(truth)]
    ratio = curve.misses(sizes) / curve.accesses
    ends = evidence.ends(sizes) if evidence.band else None
    off = ratio / truth[sizes - 1] - 1
    rows = []
    for at, size in enumerate(sizes.tolist()):
        within = "no band"
        if ends is not None:
            known = truth[size - 1]
            within = "yes" if ends[0][at] <= known <= ends[1][at] else "no"
        rows.append(
            f"| {size:,} | {truth[size - 1]:.4f} | {ratio[at]:.4f} | {off[at]:+.1%} | {within} |"
        )
    options = " ".join(each or '""' for each in kind.options)
    lines = [
        f"# A real {kind.name} under a known stream",
        "",
        f"Written by `make counters-{kind.name}`; do not edit. {version(kind)} with `{options}`, {kind.gets_per_s:,} gets "
        f"per second of a Zipf law (exponent {EXPONENT}) over {KEYS:,} keys with values of {len(VALUE)} bytes; what "
        f"missed was set. {kind.readings} readings by the documented command of [counters](counters.md), "
        f"{kind.pause_s:g} s apart, after {full_s:.0f} s. Beside the curve stand LRU caches of so many items, "
        f"replayed on the recorded stream: {last - first:,} gets from the first reading to the last, caches warm. The slowest "
        f"{STRETCH_S:g} s of the generator held {held:.0%} of its rate.",
        "",
        "| items | misses per get of the stream | of the curve | difference | within the band |",
        "|---:|---:|---:|---:|---|",
        *rows,
        "",
        f"Class: {evidence.title}, {evidence.snapshots_text()}. Its own check: "
        f"{evidence.check_text(curve.page_bytes)}.",
        "",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Measure one kind and write its page."""
    [name] = arguments or [""]
    if name not in KINDS:
        print(f"error: `{name}` is not one of {', '.join(KINDS)}")
        return 2
    kind = KINDS[name]
    lacking = [each for each in kind.needs if shutil.which(each) is None]
    if lacking:
        print(
            f"skipped: {' and '.join(lacking)} not installed, so no server was measured"
        )
        return 0
    text, keys, first, last, held, full_s = recorded(kind)
    if held < LEAST_HELD:
        print(
            f"error: the generator held {held:.0%} of its rate at the slowest, so ages and rates are of different loads"
        )
        print("hint: run it on a machine that does nothing else")
        return 1
    page = page_of(kind, text, keys, first, last, held, full_s)
    path = DOCS / f"counters-{kind.name}.md"
    path.write_text(page, "utf-8")
    print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
