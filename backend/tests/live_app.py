"""A live server with its workers, and a client for it."""

import asyncio
import base64
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import uvicorn
import zstandard

from tierwright_server.app import create_app
from tierwright_server.common.settings import Settings
from tierwright_server.job_child import JOB_NAME
from tierwright_server.runtime.connections import IDLE_S, TimedProtocol

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE_TRACE = REPOSITORY / "fixtures" / "traces" / "tpcb-cut.csv.zst"
TUS = {"Tus-Resumable": "1.0.0"}
FINAL = {"succeeded", "failed", "cancelled"}
PATIENCE_S = 300.0
"""How long we wait for what will come: a machine may be slow, and a test that passes never waits so long."""


def free_port() -> int:
    """Return a loopback port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def pauses(most_s: float = 0.3) -> Iterator[float]:
    """Give the pauses between looks, until patience ends: a tenth of the wait so far, up to `most_s`.

    Looking takes the processor from what is waited for.
    """
    began = time.monotonic()
    while (waited_s := time.monotonic() - began) < PATIENCE_S:
        yield min(0.02 + waited_s / 10, most_s)


def eventually(condition: Callable[[], bool], most_s: float = 0.1) -> bool:
    """Wait until a condition holds, looking again after `most_s` at most; say whether it does."""
    for pause_s in pauses(most_s):
        if condition():
            return True
        time.sleep(pause_s)
    return condition()


def children_running(module: str) -> list[psutil.Process]:
    """Return the processes below this one that run a module, not those about to."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it ends meanwhile
            if module in child.cmdline():
                found.append(child)
    return found


def worker_environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a worker with these settings."""
    given = settings.model_dump(mode="json", exclude_unset=True)
    return os.environ | {
        f"TIERWRIGHT_{name.upper()}": ",".join(value)
        if isinstance(value, list)
        else str(value)
        for name, value in given.items()
        if value is not None
    }


def children_of(pid: int) -> list[psutil.Process]:
    """Return the processes of a worker that do a job."""
    return alive_of(pid, lambda child: child.name() == JOB_NAME)


def spares_of(pid: int) -> list[psutil.Process]:
    """Return the processes of a worker that wait for a job."""
    return alive_of(
        pid, lambda child: "--wait" in child.cmdline() and child.name() != JOB_NAME
    )


def alive_of(
    pid: int, wanted: Callable[[psutil.Process], bool] = lambda _: True
) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it ends meanwhile
            if process.status() != psutil.STATUS_ZOMBIE and wanted(process):
                found.append(process)
    return found


LONG_TRACE_ACCESSES = 6_000_000


def random_trace(accesses: int, pages: int) -> bytes:
    """Reads of pages drawn at random, as a packed CSV of PostgreSQL; every line is as wide as the others."""
    blocks = np.random.default_rng(5).integers(pages, size=accesses, dtype=np.int32)
    lines = np.empty((accesses, 23), np.uint8)
    lines[:] = np.frombuffer(b"0000000,R,0/9,00000000\n", np.uint8)
    for values, first, digits in (
        (np.arange(accesses, dtype=np.int32), 0, 7),
        (blocks, 14, 8),
    ):
        for column in reversed(range(first, first + digits)):
            values, digit = np.divmod(values, 10)
            lines[:, column] += digit.astype(np.uint8)
    header = b"time_us,op,rel,block\n"
    return zstandard.ZstdCompressor(level=1).compress(header + lines.tobytes())


@dataclass
class Application:
    """A running server, its workers, and a client."""

    settings: Settings
    client: httpx.Client
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker process."""
        worker = subprocess.Popen(
            [sys.executable, "-m", "tierwright_server.worker"],
            env=worker_environment(self.settings),
            stdin=subprocess.DEVNULL,
        )
        self.workers.append(worker)
        return worker

    def stop_workers(self) -> None:
        """Stop all workers in order."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        try:
            for worker in self.workers:
                worker.wait(timeout=PATIENCE_S)
        finally:
            for worker in self.workers:
                worker.kill()  # nothing, unless it did not stop
                worker.wait()
            self.workers.clear()

    def get(self, path: str, **kwargs: Any) -> Any:
        """GET and return the JSON."""
        answer = self.client.get(path, **kwargs)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, status: int) -> Any:
        """POST and return the JSON."""
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def begin_upload(self, size: int, **metadata: str) -> str:
        """Begin a tus upload and return its path."""
        pairs = ",".join(
            f"{key} {base64.b64encode(value.encode()).decode()}"
            for key, value in metadata.items()
        )
        headers = {**TUS, "Upload-Length": str(size)}
        if pairs:
            headers["Upload-Metadata"] = pairs
        answer = self.client.post("/uploads", headers=headers)
        assert answer.status_code == 201, answer.text
        return answer.headers["location"].removeprefix("/api/v1")

    def patch(self, path: str, offset: int, data: bytes) -> httpx.Response:
        """Append bytes to an upload."""
        return self.client.patch(
            path,
            content=data,
            headers={
                **TUS,
                "Upload-Offset": str(offset),
                "Content-Type": "application/offset+octet-stream",
            },
        )

    def upload(self, data: bytes, filename: str) -> str:
        """Upload bytes and return the upload's id."""
        path = self.begin_upload(len(data), filename=filename)
        if data:
            answer = self.patch(path, 0, data)
            assert answer.status_code == 204, answer.text
        return path.rsplit("/", 1)[-1]

    def create_workload(self, data: bytes, filename: str, **options: Any) -> Any:
        """Upload bytes and make a new workload of them, whatever is there already."""
        upload_id = self.upload(data, filename)
        own = {"upload_id": upload_id, "name": filename, "import_again": True}
        return self.post(
            "/workloads",
            {**own, **options},
            202,
        )

    def wait_run(self, run_id: str) -> Any:
        """Wait until a run has ended and return it."""
        for pause_s in pauses():
            run = self.get(f"/runs/{run_id}")
            if run["status"] in FINAL:
                return run
            time.sleep(pause_s)
        raise AssertionError(f"run did not end: {run}")

    def wait_until(self, found: Callable[[], Any], most_s: float = 0.1) -> Any:
        """Wait until a question is answered with something true; look again after `most_s` at most."""
        for pause_s in pauses(most_s):
            answer = found()
            if answer:
                return answer
            time.sleep(pause_s)
        raise AssertionError(f"waited in vain: {answer}")

    def wait_example(self) -> Any:
        """Wait until the worked example is ready and return it."""
        workload = self.get("/workloads/example")
        run = self.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        return self.get("/workloads/example")


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):
        yield


@contextlib.contextmanager
def run_application(settings: Settings, workers: int = 1) -> Iterator[Application]:
    """Run a server in a thread and workers as processes."""
    port = free_port()
    server = _Server(
        uvicorn.Config(
            create_app(settings),
            host="127.0.0.1",
            port=port,
            http=TimedProtocol,
            log_config=None,
            lifespan="on",
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=3,
        )
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{port}/api/v1", timeout=PATIENCE_S
    )
    application = Application(settings, client)
    try:
        assert eventually(lambda: server.started or not thread.is_alive())
        assert thread.is_alive(), "the server did not start"
        for _ in range(workers):
            application.start_worker()
        yield application
    finally:
        client.close()
        try:
            application.stop_workers()
        finally:
            # Otherwise its thread would keep the whole run of tests from ending.
            server.should_exit = True
            thread.join(timeout=PATIENCE_S)
        assert not thread.is_alive(), "the server did not stop"
