"""The soak: at random moments a part of the running application is killed, frozen or starved.

``python backend/tests/soak.py --moments 100`` starts the whole application (`tierwright serve`) on a
folder of its own and keeps it busy: clients ask questions whose answers are known, one imports
traces that it made, one saves scenarios. Then, one after another, something bad happens. Held
against it is:

* no wrong answer: every 200 says what it said before anything happened, and a curve of an imported
  trace is that of a slow LRU cache;
* nothing lost: what was answered with 201 is there at the end, as it was sent;
* nothing hangs: every request is answered or cut off within `PATIENCE_S`; every run ends;
* no answer of 500, nor any other status than `EXPECTED`;
* back by itself within `RECOVERY_S`.

``make soak`` writes what it found into docs/operations/soak.md; a short one is among the tests.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import os
import queue
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from tierwright_server.job_child import JOB_NAME

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "operations" / "soak.md"
NOTE = "<!-- Written by `make soak`; do not edit. -->"
TUS = {"Tus-Resumable": "1.0.0"}
READY = "Tierwright is ready: "
PATIENCE_S = 30.0
"""Longest time between a request and its answer or the end of its connection."""
RECOVERY_S = 120.0
RUN_S = 240.0
FREEZE_S = (1.0, 8.0)
FLOOD_CLIENTS = 200
FLOOD_S = 5.0
FOLDER_BYTES = 3 * 2**29
FINAL = {"succeeded", "failed", "cancelled"}
EXPECTED = {200, 201, 202, 204, 408, 429, 503, 507}
REFUSED = {408, 429, 503, 507}
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "face2016-cheetah-15k6-raid0-16"


def _about(**more: Any) -> dict[str, Any]:
    return {
        "workload_id": "example",
        "ram_pages": 2_000,
        "flash_pages": 8_000,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        **more,
    }


QUESTIONS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "compare": ("/evaluations", _about()),
    "compare, cold": ("/evaluations", _about(start="cold", ram_pages=500)),
    "throughput": ("/throughputs", _about(clients=8)),
    "wear": ("/wear", _about(accesses_per_s=1_000)),
    "curve": ("/workloads/example/curve?points=200", None),
    "devices": ("/catalog/devices", None),
}
"""Questions whose answers rest on stored things and never change."""


# --- the application -----------------------------------------------------------


class Product:
    """`tierwright serve` on a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = ""
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    @property
    def address(self) -> str:
        """Root of the API."""
        return f"http://127.0.0.1:{self.port}/api/v1"

    def start(self) -> None:
        """Start it, on the port it had."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("TIERWRIGHT_")
        }
        environment["TIERWRIGHT_MIN_FREE_BYTES"] = str(2**28)
        command = [sys.executable, "-m", "tierwright_server.serve"]
        command += ["--data-dir", str(self.folder), "--port", self.port or "0"]
        command += ["--processes", "2"]
        with (self.folder.parent / "serve.log").open("a") as log:
            log.write(f"--- start {time.strftime('%H:%M:%S')}\n")
            log.flush()
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        try:
            line = self._lines.get(timeout=RECOVERY_S)
        except queue.Empty:
            line = "in time"
        if not line.startswith(READY):
            raise AssertionError(f"it does not start {line}: {self.log()}")
        self.port = line.rsplit(":", 1)[-1]

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                if line.startswith(READY):
                    self._lines.put(line.strip())
        self._lines.put("")  # it ended; the next start looks for its own line

    def log(self) -> str:
        """Return the end of what it printed."""
        return (self.folder.parent / "serve.log").read_text()[-4_000:]

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End the supervisor, and wait for all that it had started."""
        assert self._process is not None
        tree = psutil.Process(self._process.pid).children(recursive=True)
        self._process.send_signal(number)
        self._process.wait(timeout=60)
        psutil.wait_procs(tree, timeout=20)
        with contextlib.suppress(queue.Empty):
            while True:
                self._lines.get(timeout=0.2)

    def part(self, chance: random.Random, *names: str) -> psutil.Process | None:
        """Return one of the processes whose name or command line holds one of the names."""
        assert self._process is not None
        found = []
        for process in psutil.Process(self._process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                line = " ".join([process.name(), *process.cmdline()])
                if "process_guard" not in line and any(n in line for n in names):
                    found.append(process)
        return chance.choice(found) if found else None

    def database(self) -> psutil.Process | None:
        """Return the first process of the database server."""
        try:
            pid = (self.folder / "postgres" / "data" / "postmaster.pid").read_text()
            return psutil.Process(int(pid.split()[0]))
        except (OSError, ValueError, IndexError, psutil.Error):
            return None


# --- what is held against it ---------------------------------------------------


@dataclass
class Seen:
    """What happened so far; `faults` must stay empty."""

    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    imports: int = 0
    failed_imports: int = 0
    scenarios: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fault(self, text: str) -> None:
        """Note something that must not happen."""
        with self.lock:
            self.faults.append(text)

    def answered(self, what: str, status: int, seconds: float, text: str) -> None:
        """Note an answer."""
        with self.lock:
            self.statuses[str(status)] += 1
            self.slowest_s = max(self.slowest_s, seconds)
        if status not in EXPECTED:
            self.fault(f"{what}: {status}: {text[:300]}")

    def cut(self, what: str, seconds: float, error: Exception) -> None:
        """Note a request whose connection ended without an answer."""
        with self.lock:
            self.statuses["cut off"] += 1
        if isinstance(error, httpx.ReadTimeout | httpx.ConnectTimeout):
            self.fault(f"{what}: no answer after {seconds:.0f} s")


def ask(
    client: httpx.Client, seen: Seen, method: str, path: str, **sent: Any
) -> httpx.Response | None:
    """Send a request; None where no answer came."""
    start = time.monotonic()
    try:
        answer = client.request(method, path, **sent)
    except httpx.HTTPError as error:
        seen.cut(f"{method} {path}", time.monotonic() - start, error)
        time.sleep(0.1)
        return None
    seconds = time.monotonic() - start
    seen.answered(f"{method} {path}", answer.status_code, seconds, answer.text)
    if answer.status_code in REFUSED:
        time.sleep(0.1)
    return answer


def put(client: httpx.Client, seen: Seen, question: str) -> httpx.Response | None:
    """Ask one of the known questions."""
    path, body = QUESTIONS[question]
    if body is None:
        return ask(client, seen, "GET", path)
    return ask(client, seen, "POST", path, json=body)


def least_differing(first: Any, second: Any, where: str = "") -> str | None:
    """Return where two answers differ first, or None."""
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            return f"{where}: keys {sorted(first.keys() ^ second.keys())}"
        pairs = [(f"{where}.{key}", first[key], second[key]) for key in first]
    elif isinstance(first, list) and isinstance(second, list):
        if len(first) != len(second):
            return f"{where}: {len(first)} and {len(second)} entries"
        pairs = [
            (f"{where}[{at}]", *both)
            for at, both in enumerate(zip(first, second, strict=True))
        ]
    else:
        return None if first == second else f"{where}: {first!r} and {second!r}"
    return next(filter(None, (least_differing(a, b, at) for at, a, b in pairs)), None)


def known(answer: httpx.Response) -> Any:
    """Return what of an answer must never change."""
    found = answer.json()
    if isinstance(found, dict):
        # How long a check would take is measured anew; that a file was rebuilt is said.
        found.pop("check", None)
        for notes, name in (("warnings", "name"), ("cautions", "code")):
            if notes in found:
                found[notes] = [
                    note for note in found[notes] if note[name] != "curve_rebuilt"
                ]
    return found


def lru_misses(pages: list[int], size: int) -> int:
    """Count the misses of an LRU cache the slow way."""
    cache: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for page in pages:
        if page in cache:
            cache.move_to_end(page)
        else:
            misses += 1
            cache[page] = None
            if len(cache) > size:
                cache.popitem(last=False)
    return misses


# --- those who use it ----------------------------------------------------------


class Users:
    """Clients that go on whatever happens, until told to stop."""

    def __init__(self, product: Product, seen: Seen, seed: int) -> None:
        self._product = product
        self._seen = seen
        self._chance = random.Random(seed)
        self._end = threading.Event()
        self._expected: dict[str, Any] = {}
        self._threads = [
            threading.Thread(target=self._whole, args=(use, seed + number))
            for number, use in enumerate(
                (self._questions, self._questions, self._imports, self._scenarios)
            )
        ]

    def start(self) -> None:
        """Learn the answers, then begin."""
        with self._client() as client:
            for question in QUESTIONS:
                answer = put(client, self._seen, question)
                if answer is None or answer.status_code != httpx.codes.OK:
                    raise SystemExit(f"error: {question}: {answer and answer.text}")
                self._expected[question] = known(answer)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End when what is under way has ended."""
        self._end.set()
        for thread in self._threads:
            thread.join(timeout=RUN_S + PATIENCE_S)
            if thread.is_alive():
                self._seen.fault("a client still waits at the end")

    def check(self, question: str, answer: httpx.Response) -> None:
        """Hold an answer against what it was at the beginning."""
        where = least_differing(self._expected[question], known(answer))
        if where:
            self._seen.fault(f"{question}: a wrong answer: {where}")

    def all_right(self, client: httpx.Client) -> bool:
        """Whether every question is answered, and rightly."""
        for question in QUESTIONS:
            answer = put(client, self._seen, question)
            if answer is None or answer.status_code != httpx.codes.OK:
                return False
            self.check(question, answer)
        ready = ask(client, self._seen, "GET", "/health/ready")
        return ready is not None and ready.status_code == httpx.codes.OK

    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=self._product.address, timeout=PATIENCE_S)

    def _whole(
        self, use: Callable[[httpx.Client, random.Random], None], seed: int
    ) -> None:
        chance = random.Random(seed)
        while not self._end.is_set():
            try:
                with self._client() as client:
                    use(client, chance)
            except Exception as error:
                self._seen.fault(f"{use.__name__}: {error!r}")

    def _questions(self, client: httpx.Client, chance: random.Random) -> None:
        question = chance.choice(list(QUESTIONS))
        answer = put(client, self._seen, question)
        if answer is not None and answer.status_code == httpx.codes.OK:
            self.check(question, answer)
        time.sleep(0.02)

    def _scenarios(self, client: httpx.Client, chance: random.Random) -> None:
        name = f"scenario {chance.randrange(10**9)}"
        state = {"x": chance.random()}
        made = ask(
            client,
            self._seen,
            "POST",
            "/scenarios",
            json={"name": name, "state": state},
        )
        if made is not None and made.status_code == httpx.codes.CREATED:
            self._seen.scenarios[made.json()["id"]] = {"name": name, "state": state}
        time.sleep(0.3)

    def _imports(self, client: httpx.Client, chance: random.Random) -> None:
        """Upload a trace, have it read, compare its curve, delete it."""
        pages = [int(chance.paretovariate(0.7)) % 700 for _ in range(4_000)]
        lines = (f"{at},R,1,{page}\n" for at, page in enumerate(pages))
        data = ("time_us,op,rel,block\n" + "".join(lines)).encode()
        upload = self._upload(client, data)
        if upload is None:
            return
        body = {"upload_id": upload, "name": f"soak {chance.randrange(10**9)}"}
        made = self._insist(client, "POST", "/workloads", json=body)
        if made is None or made.status_code != httpx.codes.ACCEPTED:
            return
        workload = made.json()
        run = self._run(client, workload["run"]["id"])
        self._seen.imports += 1
        if run is None or run["status"] != "succeeded":
            self._seen.failed_imports += 1
            if run is not None and not run.get("error"):
                self._seen.fault(f"a run failed without saying why: {run}")
            return
        path = f"/workloads/{workload['id']}"
        curve = None
        while curve is None and not self._end.is_set():
            curve = self._insist(client, "GET", f"{path}/curve?points=5000")
        if curve is not None:
            self._check_curve(curve.json(), pages, chance)
        ask(client, self._seen, "DELETE", path)

    def _insist(
        self, client: httpx.Client, method: str, path: str, **sent: Any
    ) -> httpx.Response | None:
        """Ask until it is not refused; None where no answer came, or at the end."""
        answer = ask(client, self._seen, method, path, **sent)
        while answer is not None and answer.status_code in REFUSED:
            if self._end.is_set():
                return None
            answer = ask(client, self._seen, method, path, **sent)
        return answer

    def _check_curve(
        self, curve: dict[str, Any], pages: list[int], chance: random.Random
    ) -> None:
        """Hold some sizes of a curve against a slow LRU cache."""
        sizes = [size for size in curve["pages"] if 1 <= size < 200]
        for size in chance.sample(sizes, 3):
            misses = curve["misses"][curve["pages"].index(size)]
            slow = lru_misses(pages, size)
            if misses != slow:
                self._seen.fault(
                    f"an LRU cache of {size} pages misses {slow}, not {misses}"
                )

    def _upload(self, client: httpx.Client, data: bytes) -> str | None:
        name = base64.b64encode(b"soak.csv").decode()
        headers = {
            **TUS,
            "Upload-Length": str(len(data)),
            "Upload-Metadata": f"filename {name}",
        }
        begun = ask(client, self._seen, "POST", "/uploads", headers=headers)
        if begun is None or begun.status_code != httpx.codes.CREATED:
            return None
        path = begun.headers["location"].removeprefix("/api/v1")
        offset = 0
        while offset < len(data):
            if self._end.is_set():
                return None
            head = ask(client, self._seen, "HEAD", path, headers=TUS)
            if head is None or "upload-offset" not in head.headers:
                continue
            offset = int(head.headers["upload-offset"])
            part = data[offset : offset + 20_000]
            if part:
                sent = {
                    **TUS,
                    "Upload-Offset": str(offset),
                    "Content-Type": "application/offset+octet-stream",
                }
                ask(client, self._seen, "PATCH", path, headers=sent, content=part)
        return path.rsplit("/", 1)[-1]

    def _run(self, client: httpx.Client, run_id: str) -> dict[str, Any] | None:
        deadline = time.monotonic() + RUN_S
        while time.monotonic() < deadline:
            answer = ask(client, self._seen, "GET", f"/runs/{run_id}")
            if answer is not None and answer.status_code == httpx.codes.OK:
                run: dict[str, Any] = answer.json()
                if run["status"] in FINAL:
                    return run
            time.sleep(0.1)
        self._seen.fault(f"run {run_id} did not end in {RUN_S:.0f} s")
        return None


# --- bad things ----------------------------------------------------------------


def _kill(process: psutil.Process | None) -> None:
    if process is not None:
        with contextlib.suppress(psutil.Error):
            process.kill()


def _freeze(process: psutil.Process | None, chance: random.Random) -> None:
    if process is None:
        return
    stopped = [process]
    with contextlib.suppress(psutil.Error):
        stopped += process.children(recursive=True)
    for each in stopped:
        with contextlib.suppress(psutil.Error):
            each.suspend()
    time.sleep(chance.uniform(*FREEZE_S))
    for each in stopped:
        with contextlib.suppress(psutil.Error):
            each.resume()


def kill_server(product: Product, chance: random.Random) -> None:
    """Kill a process that answers HTTP."""
    _kill(product.part(chance, "tierwright_server.http_process"))


def kill_worker(product: Product, chance: random.Random) -> None:
    """Kill a worker."""
    _kill(product.part(chance, "tierwright_server.worker"))


def kill_job(product: Product, chance: random.Random) -> None:
    """Kill the process of a job as soon as there is one."""
    deadline = time.monotonic() + 10
    job = None
    while job is None and time.monotonic() < deadline:
        job = product.part(chance, JOB_NAME)
        time.sleep(0.01)
    _kill(job)


def kill_connection(product: Product, chance: random.Random) -> None:
    """Kill the database's process of one connection: it then restarts as a whole."""
    database = product.database()
    if database is not None:
        _kill(chance.choice(database.children() or [database]))


def kill_database(product: Product, _chance: random.Random) -> None:
    """Kill the database server."""
    _kill(product.database())


def kill_all(product: Product, _chance: random.Random) -> None:
    """Kill the whole application, and start it again on what it left."""
    product.stop(signal.SIGKILL)
    product.start()


def stop_all(product: Product, _chance: random.Random) -> None:
    """Stop the whole application in order, and start it again."""
    product.stop()
    product.start()


def freeze_server(product: Product, chance: random.Random) -> None:
    """Freeze a process that answers HTTP for some seconds."""
    _freeze(product.part(chance, "tierwright_server.http_process"), chance)


def freeze_worker(product: Product, chance: random.Random) -> None:
    """Freeze a worker and its jobs for some seconds."""
    _freeze(product.part(chance, "tierwright_server.worker"), chance)


def freeze_database(product: Product, chance: random.Random) -> None:
    """Freeze the database for some seconds."""
    _freeze(product.database(), chance)


def fill_disk(product: Product, chance: random.Random) -> None:
    """Fill the disk to the last byte, or nearly, for some seconds."""
    ballast = product.folder.parent / "ballast"
    left = chance.choice((0, 2**20, 2**27))
    try:
        with ballast.open("wb") as file, contextlib.suppress(OSError):
            free = shutil.disk_usage(product.folder).free
            os.posix_fallocate(file.fileno(), 0, max(free - left, 1))
        time.sleep(chance.uniform(*FREEZE_S))
    finally:
        ballast.unlink()


def flood(product: Product, chance: random.Random) -> None:
    """Ask as 200 clients at once, none of which waits for the others."""
    end = time.monotonic() + FLOOD_S
    body = _about(ram_pages=chance.randrange(100, 3_000))
    wrong: list[str] = []

    def one() -> None:
        with httpx.Client(base_url=product.address, timeout=PATIENCE_S) as client:
            while time.monotonic() < end:
                try:
                    status = client.post("/evaluations", json=body).status_code
                except httpx.TransportError as error:
                    if isinstance(error, httpx.TimeoutException):
                        wrong.append(f"a flood: {error!r}")
                    continue
                if status not in EXPECTED:
                    wrong.append(f"a flood: {status}")

    threads = [threading.Thread(target=one) for _ in range(FLOOD_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise AssertionError(f"{len(wrong)} of a flood: {wrong[0]}")


def damage_file(product: Product, chance: random.Random) -> None:
    """Change bytes of a derived file, and kill a server so that it is read again."""
    files = [
        path
        for path in (product.folder / "contents").rglob("*")
        if path.is_file() and path.suffix != ".twt"
    ]
    if files:
        path = chance.choice(sorted(files))
        with contextlib.suppress(OSError), path.open("r+b") as file:
            size = path.stat().st_size
            file.seek(chance.randrange(max(size, 1)))
            file.write(chance.randbytes(8))
    kill_server(product, chance)


TROUBLES: dict[str, Callable[[Product, random.Random], None]] = {
    "an HTTP process is killed": kill_server,
    "a worker is killed": kill_worker,
    "a job is killed": kill_job,
    "a connection of the database is killed": kill_connection,
    "the database is killed": kill_database,
    "everything is killed": kill_all,
    "everything is stopped": stop_all,
    "an HTTP process freezes": freeze_server,
    "a worker freezes": freeze_worker,
    "the database freezes": freeze_database,
    "the disk is full": fill_disk,
    "200 clients at once": flood,
    "a derived file is damaged": damage_file,
}


# --- the soak ------------------------------------------------------------------


@dataclass
class Report:
    """What a soak found."""

    seen: Seen
    recoveries_s: dict[str, list[float]]
    lost: int
    left_runs: int
    seconds: float


@contextlib.contextmanager
def small_disk() -> Iterator[tuple[Path, bool]]:
    """Yield a folder, on a disk of its own where we may mount one, and whether it is."""
    folder = Path(tempfile.mkdtemp(prefix="tw-soak-", dir="/tmp"))
    folder.chmod(0o711)
    options = f"size={FOLDER_BYTES},mode=0711"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    own = (
        shutil.which("mount") is not None
        and subprocess.run(mount, check=False, capture_output=True).returncode == 0
    )
    try:
        yield folder, own
    finally:
        if own:
            subprocess.run(["umount", "-l", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def soak(
    folder: Path,
    moments: int,
    seed: int,
    troubles: list[str],
    say: Callable[[str], None] = lambda _text: None,
) -> Report:
    """Run the application through as many bad moments.

    Parameters
    ----------
    folder
        An empty folder for data and logs.
    moments
        How often something bad happens.
    seed
        Of what happens, and when.
    troubles
        Names of `TROUBLES`; each comes as often as the others.
    say
        Is told a line for each moment.

    Returns
    -------
    Report
        With all faults that were seen.
    """
    begun = time.monotonic()
    chance = random.Random(seed)
    data = folder / "data"
    data.mkdir()
    data.chmod(0o711)
    product, seen = Product(data), Seen()
    product.start()
    recoveries: dict[str, list[float]] = {name: [] for name in troubles}
    users = Users(product, seen, seed)
    try:
        with httpx.Client(base_url=product.address, timeout=PATIENCE_S) as client:
            _until(lambda: _example_is_ready(client), RECOVERY_S)
            users.start()
            order: list[str] = []
            for moment in range(moments):
                if not order:
                    order = chance.sample(troubles, len(troubles))
                name = order.pop()
                time.sleep(chance.uniform(0.2, 2))
                before = len(seen.faults)
                try:
                    TROUBLES[name](product, chance)
                except AssertionError as error:
                    seen.fault(str(error))
                start = time.monotonic()
                if not _until(lambda: users.all_right(client), RECOVERY_S):
                    seen.fault(f"not right {RECOVERY_S:.0f} s after {name}")
                recoveries[name].append(time.monotonic() - start)
                new = "; ".join(seen.faults[before:])
                say(f"{moment + 1:4} {name}: {recoveries[name][-1]:.1f} s {new}")
            users.stop()
            lost = _lost(client, seen)
            left = 0 if _until(lambda: _idle(client), RUN_S) else 1
    finally:
        users.stop()
        product.stop()
    return Report(seen, recoveries, lost, left, time.monotonic() - begun)


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _example_is_ready(client: httpx.Client) -> bool:
    answer = client.get("/workloads/example")
    return answer.is_success and answer.json()["status"] == "ready"


def _idle(client: httpx.Client) -> bool:
    answer = client.get("/runs")
    if not answer.is_success:
        return False
    return all(run["status"] in FINAL for run in answer.json()["items"])


def _lost(client: httpx.Client, seen: Seen) -> int:
    lost = 0
    for key, sent in seen.scenarios.items():
        answer = client.get(f"/scenarios/{key}")
        found = answer.json() if answer.is_success else {}
        if found.get("name") != sent["name"] or found.get("state") != sent["state"]:
            lost += 1
            seen.fault(f"scenario {key} is lost or changed")
    return lost


def words(report: Report, own_disk: bool, moments: int, seed: int) -> str:
    """Return the page of docs/operations."""
    seen = report.seen
    rows = [
        f"| {name} | {len(times)} | {statistics.median(times):.1f} s | {max(times):.1f} s |"
        for name, times in report.recoveries_s.items()
        if times
    ]
    answers = ", ".join(
        f"{count:,} of {status}" for status, count in sorted(seen.statuses.items())
    )
    faults = "\n".join(f"* {fault}" for fault in seen.faults[:20]) or "None."
    disk = (
        ""
        if own_disk
        else " The disk could not be filled here: no disk could be mounted."
    )
    return f"""# The soak

{NOTE}

`make soak` runs the whole application, keeps it busy with clients whose answers are known, and lets something bad happen at {moments} random moments (seed {seed}).{disk}

What must hold: every answer is the one given before anything happened; what was acknowledged is still there; every request is answered or cut off within {PATIENCE_S:.0f} s; every run ends; no answer is a 500; the application is right again by itself.

| what happened | times | right again after: median | most |
|---|---|---|---|
{chr(10).join(rows)}

*Right again* is when every question is answered with the known answer and `/health/ready` says ready, counted from the end of what happened.

| | |
|---|---|
| duration | {report.seconds / 60:.0f} min |
| answers by status | {answers} |
| slowest answer | {seen.slowest_s:.1f} s |
| traces imported meanwhile | {seen.imports:,}, of which {seen.failed_imports:,} failed and said why |
| scenarios saved meanwhile | {len(seen.scenarios):,}, of which {report.lost} lost |
| runs that did not end | {report.left_runs} |

## Faults

{faults}
"""


def main() -> int:
    """Soak, print each moment, and write the page where asked to."""
    parser = argparse.ArgumentParser(description="Soak the whole application.")
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(TROUBLES))
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--log", type=Path, help="keep what the application printed")
    asked = parser.parse_args()
    with small_disk() as (folder, own):
        troubles = asked.only or [n for n in TROUBLES if own or n != "the disk is full"]
        try:
            report = soak(folder, asked.moments, asked.seed, troubles, print)
        finally:
            if asked.log:
                shutil.copy(folder / "serve.log", asked.log)
    text = words(report, own, asked.moments, asked.seed)
    if asked.write:
        PAGE.write_text(text)
    sys.stdout.write(text)
    return 1 if report.seen.faults else 0


if __name__ == "__main__":
    sys.exit(main())
