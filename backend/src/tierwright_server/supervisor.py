"""The whole application as one process tree.

We hold the data folder's lock, start PostgreSQL (unless one is named), migrate it,
start the workers, answer HTTP ourselves, and stop all of them in order. Everything we
start dies with us even when we are killed (`process_guard`).
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import logging
import logging.handlers
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING

import psutil
import psycopg
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from tierwright_server import db
from tierwright_server.embedded_postgres import EmbeddedPostgres
from tierwright_server.listen import bind, check_host, check_published_at
from tierwright_server.logs import configure_logs
from tierwright_server.process_guard import guarded_command
from tierwright_server.process_lock import LockHeld, ProcessLock
from tierwright_server.runtime_error import RuntimeFailure

if TYPE_CHECKING:
    import uvicorn

_LOG = logging.getLogger(__name__)
_WORKER_LINES = logging.getLogger("tierwright_server.worker_lines")

_WORKER_STOP_S = 8.0
_REQUESTS_STOP_S = 3
_READY_TIMEOUT_S = 60.0
_RESTART_PAUSE_S = 0.5
_RESTART_PAUSE_MAX_S = 30.0
_HEALTHY_AFTER_S = 60.0
_SAME_KEYSTROKE_S = 0.5
_WATCH_S = 0.2
_LOG_BYTES = 5_000_000
_LOG_FILES = 4
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _StopRequested(BaseException):
    """A signal came while starting."""


@dataclass(frozen=True)
class Options:
    """What the command line asked for, checked.

    Attributes
    ----------
    host
        Address to bind.
    port
        Port to bind; None takes the default or the next free one.
    data_dir
        The data folder, absolute.
    workers
        Number of worker processes; 0 when they run elsewhere.
    published_at
        Where a container engine publishes the port; None outside containers.
    """

    host: str
    port: int | None
    data_dir: Path
    workers: int
    published_at: str | None = None


class Pause:
    """How long to wait before something that ended is started again: ever longer."""

    def __init__(self) -> None:
        self._pause_s = _RESTART_PAUSE_S
        self._started_at = time.monotonic()
        self._start_again_at: float | None = None

    def started(self) -> None:
        """Note that it was started."""
        self._started_at = time.monotonic()
        self._start_again_at = None

    def ended(self) -> float | None:
        """Note that it ended; returns the pause that begins, None within one. [s]"""
        if self._start_again_at is not None:
            return None
        now = time.monotonic()
        if now - self._started_at > _HEALTHY_AFTER_S:
            self._pause_s = _RESTART_PAUSE_S
        begun = self._pause_s
        self._start_again_at = now + begun
        self._pause_s = min(begun * 2, _RESTART_PAUSE_MAX_S)
        return begun

    @property
    def is_over(self) -> bool:
        """Whether it may be started now."""
        return self._start_again_at is None or time.monotonic() >= self._start_again_at


class Worker:
    """One worker process, restarted whenever it ends before it should."""

    def __init__(self, number: int, environment: dict[str, str]) -> None:
        self._name = f"worker-{number}"
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._pause = Pause()

    def start(self) -> None:
        """Start the process; call from the main thread (see `process_guard`)."""
        command = [sys.executable, "-P", "-m", "tierwright_server.jobs.worker"]
        self._process = subprocess.Popen(
            guarded_command(command, signal_number=signal.SIGKILL),
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # Out of reach of the terminal's Ctrl-C: we stop it, in order.
            start_new_session=True,
        )
        self._pause.started()
        assert self._process.stdout is not None
        threading.Thread(
            target=self._log_lines, args=(self._process.stdout,), daemon=True
        ).start()

    def _log_lines(self, lines: IO[str]) -> None:
        with lines, contextlib.suppress(ValueError):
            for line in lines:
                _WORKER_LINES.info("%s: %s", self._name, line.rstrip())

    def check(self) -> None:
        """Notice that the process ended, and start it again after a pause."""
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            _LOG.error(
                "%s ended unexpectedly (%s); starting it again in %.1f s",
                self._name,
                f"exit code {code}" if code >= 0 else signal.Signals(-code).name,
                self._pause.ended(),
            )
            self._process = None
        if self._pause.is_over:
            self.start()

    def ask_to_stop(self) -> list[psutil.Process]:
        """Ask it to stop; return it and everything it started."""
        if self._process is None or self._process.poll() is not None:
            return []
        tree = descendants(self._process.pid)
        self._process.terminate()
        return tree

    def wait(self, timeout_s: float) -> None:
        """Wait for the end, then collect it."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(max(timeout_s, 0.0))

    def kill(self) -> None:
        """End it now."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def descendants(pid: int) -> list[psutil.Process]:
    """Return a process and everything below it."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def stop_workers(workers: list[Worker]) -> None:
    """Stop all workers with their jobs; what is left after a while is killed."""
    trees = [process for worker in workers for process in worker.ask_to_stop()]
    deadline = time.monotonic() + _WORKER_STOP_S
    for worker in workers:
        worker.wait(deadline - time.monotonic())
    for process in trees:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    for worker in workers:
        worker.kill()


class Application:
    """The process tree, from start to stop."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = ProcessLock(options.data_dir / "serve.lock")
        self._postgres: EmbeddedPostgres | None = None
        self._postgres_pause = Pause()
        self._workers: list[Worker] = []
        self._server: uvicorn.Server | None = None
        self._stop_asked_at: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._address = ""

    def run(self) -> int:
        """Start, serve until told to stop, stop.

        Returns
        -------
        int
            Exit code: 0 after a wanted stop, 1 when a part of it died.

        Raises
        ------
        RuntimeFailure
            If it cannot start.
        """
        with self._signals():
            try:
                listener = self._claim()
                with listener:
                    url = self._start_database()
                    self._start_workers(url)
                    return asyncio.run(self._serve(listener, url))
            except _StopRequested:
                return 0
            finally:
                self._stop_asked_at = self._stop_asked_at or time.monotonic()
                stop_workers(self._workers)
                if self._postgres is not None:
                    self._postgres.stop()
                self._lock.release()

    # --- signals -------------------------------------------------------------

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        previous = {}
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if number == signal.SIGHUP and handler == signal.SIG_IGN:
                continue  # started by nohup
            previous[number] = handler
            signal.signal(number, self._on_signal)
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._stop_asked_at is not None:
            # A terminal and a parent may both pass one keystroke on.
            if now - self._stop_asked_at > _SAME_KEYSTROKE_S:
                self._end_now(number)
            return
        self._stop_asked_at = now
        if self._loop is not None and self._stopping is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
        else:
            raise _StopRequested

    def _end_now(self, number: int) -> None:
        database = self._postgres.pid if self._postgres else None
        for process in reversed(descendants(os.getpid())[1:]):
            with contextlib.suppress(psutil.Error):
                if process.pid == database:
                    process.send_signal(signal.SIGQUIT)  # recovers at the next start
                elif not process.name().startswith("postgres"):
                    process.kill()
        os._exit(128 + number)

    # --- parts ---------------------------------------------------------------

    def _claim(self) -> socket.socket:
        """Take the data folder and the port; leave word for a second copy."""
        try:
            self._lock.acquire()
        except LockHeld as held:
            address = held.holder.get("address")
            where = f"at {address}" if address else "and is just starting"
            raise RuntimeFailure(
                f"Tierwright runs already on the data folder "
                f"{self._options.data_dir}: process "
                f"{held.holder.get('pid', '(unknown)')} {where}",
                f"open {address}" if address else "wait for the line it prints",
            ) from None
        except OSError as error:
            raise RuntimeFailure(
                f"cannot lock the data folder {self._options.data_dir}: {error}",
                "choose a folder you may write, with --data-dir or TIERWRIGHT_DATA_DIR",
            ) from error
        listener = bind(self._options.host, self._options.port)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._address = f"http://{self._options.published_at or shown}"
        self._lock.describe(address=self._address)
        return listener

    def _start_database(self) -> str:
        """Start or find the database and bring it up to date; returns its address."""
        url = os.environ.get("TIERWRIGHT_DATABASE_URL")
        if not url:
            self._postgres = EmbeddedPostgres(self._options.data_dir)
            url = self._postgres.start()
        try:
            db.migrate(url)
        except db.DatabaseError as error:
            raise RuntimeFailure(error.message, error.hint) from error
        except (SQLAlchemyError, psycopg.Error) as error:
            shown = make_url(url).render_as_string()
            cause = getattr(error, "orig", None) or error
            raise RuntimeFailure(
                f"cannot use the database {shown}: {cause}",
                f"see the lines above and {self._options.data_dir / 'logs'}"
                if self._postgres
                else "check TIERWRIGHT_DATABASE_URL and that its server runs; unset, "
                "Tierwright starts its own database",
            ) from error
        return url

    def _start_workers(self, url: str) -> None:
        environment = os.environ | {
            "TIERWRIGHT_DATABASE_URL": url,
            "TIERWRIGHT_DATA_DIR": str(self._options.data_dir),
            "PYTHONUNBUFFERED": "1",
        }
        for number in range(1, self._options.workers + 1):
            worker = Worker(number, environment)
            self._workers.append(worker)
            worker.start()

    async def _serve(self, listener: socket.socket, url: str) -> int:
        import uvicorn

        from tierwright_server.app import create_app
        from tierwright_server.settings import Settings

        self._stopping = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        settings = Settings(database_url=url, data_dir=self._options.data_dir)
        config = uvicorn.Config(
            create_app(settings),
            log_config=None,
            lifespan="on",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_REQUESTS_STOP_S,
        )
        self._server = _make_server(config)
        serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        announcing = asyncio.create_task(self._announce(listener))
        try:
            code = await self._watch(serving)
        finally:
            announcing.cancel()
            # In order: no job may write on, then requests end, then the database.
            await asyncio.to_thread(stop_workers, self._workers)
            self._server.handle_exit(signal.SIGTERM, None)
            await asyncio.wait([serving], timeout=_REQUESTS_STOP_S * 2)
        return code

    async def _watch(self, serving: asyncio.Task[None]) -> int:
        """Wait for the wish to stop, or for a part that died; returns the exit code."""
        assert self._stopping is not None
        while not self._stopping.is_set():
            self._check_database()
            if serving.done():
                _LOG.critical("the HTTP server ended unexpectedly, so Tierwright stops")
                return 1
            for worker in self._workers:
                worker.check()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _WATCH_S)
        _LOG.info("stopping")
        return 0

    def _check_database(self) -> None:
        """Notice that our database server ended, and start it again after a pause.

        Requests are answered with 503 meanwhile (`database_watch`); runs go on when it is
        back, from what they had stored.
        """
        postgres = self._postgres
        if postgres is None or postgres.is_running():
            return
        if (pause_s := self._postgres_pause.ended()) is not None:
            _LOG.error(
                "the database server ended unexpectedly; nothing saved is lost; starting "
                "it again in %.1f s (its log: %s)",
                pause_s,
                postgres.log_path,
            )
        if not self._postgres_pause.is_over:
            return
        try:
            postgres.start_again()
        except OSError as error:
            _LOG.error(
                "the database server cannot be started: %s\n"
                "hint: see that its disk is mounted and not full",
                error,
            )
        self._postgres_pause.started()

    async def _announce(self, listener: socket.socket) -> None:
        """Say that we are ready once we have answered ourselves."""
        host, port = listener.getsockname()[:2]
        loopback = "::1" if ":" in host else "127.0.0.1"
        probed = loopback if self._options.published_at else host
        deadline = time.monotonic() + _READY_TIMEOUT_S
        while not await asyncio.to_thread(_answers, probed, port):
            if time.monotonic() > deadline:
                _LOG.error("no answer from %s yet; see the lines above", self._address)
                return
            await asyncio.sleep(0.05)
        with contextlib.suppress(OSError):
            print(f"Tierwright is ready: {self._address}", flush=True)  # noqa: T201


def _make_server(config: uvicorn.Config) -> uvicorn.Server:
    import uvicorn

    class Server(uvicorn.Server):
        """Leaves the signals to us."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Server(config)


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", "/api/v1/health")
        answer = connection.getresponse()
        return answer.status == http.HTTPStatus.OK and "status" in json.load(answer)
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()


def serve(
    host: str = "127.0.0.1",
    port: int | None = None,
    data_dir: Path | None = None,
    workers: int = 1,
    published_at: str | None = None,
) -> int:
    """Run the application until it is told to stop.

    Parameters
    ----------
    host
        Loopback address to listen on.
    port
        Port; None takes the default one, or the next that is free.
    data_dir
        The data folder; None takes `default_data_dir`.
    workers
        Number of worker processes.
    published_at
        In a container, the loopback address that publishes our port.

    Returns
    -------
    int
        Exit code: 0 after a wanted stop, 1 when a part of the application died.

    Raises
    ------
    RuntimeFailure
        If it cannot start.
    """
    if published_at:
        published_at = check_published_at(published_at)
        host = "0.0.0.0"  # of the container's own network
    else:
        host = check_host(host)
    folder = (data_dir or default_data_dir()).expanduser().absolute()
    _make_data_dir(folder)
    try:
        _set_up_logs(folder / "logs")
    except OSError as error:
        raise RuntimeFailure(
            f"cannot write into the data folder {folder}: {error.strerror}",
            "choose a folder you may write, with --data-dir or TIERWRIGHT_DATA_DIR",
        ) from error
    return Application(Options(host, port, folder, workers, published_at)).run()


def default_data_dir() -> Path:
    """``TIERWRIGHT_DATA_DIR``, else ``tierwright`` among the user's data files."""
    if named := os.environ.get("TIERWRIGHT_DATA_DIR"):
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tierwright"


def _make_data_dir(folder: Path) -> None:
    if folder.is_dir():
        return
    try:
        folder.mkdir(parents=True)
        # Root's database runs under another account, which must pass this folder;
        # everything in it is closed by itself.
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    except OSError as error:
        raise RuntimeFailure(
            f"cannot make the data folder {folder}: {error.strerror}",
            "choose a folder you may write, with --data-dir or TIERWRIGHT_DATA_DIR",
        ) from error


def _set_up_logs(folder: Path) -> None:
    """Log to the terminal and to rotated files in the data folder."""
    folder.mkdir(mode=0o700, exist_ok=True)
    configure_logs()
    logging.raiseExceptions = False  # a closed terminal must not stop the stop
    root = logging.getLogger()
    terminal = root.handlers[0]
    to_file = _rotated(folder / "tierwright.log")
    to_file.setFormatter(terminal.formatter)
    root.addHandler(to_file)
    # Requests are for the file only; workers' lines come formatted.
    requests = logging.getLogger("uvicorn.access")
    requests.handlers[:] = [to_file]
    _WORKER_LINES.handlers[:] = [
        _rotated(folder / "workers.log"),
        logging.StreamHandler(),
    ]
    for logger in (requests, _WORKER_LINES):
        logger.propagate = False


def _rotated(path: Path) -> logging.Handler:
    return logging.handlers.RotatingFileHandler(
        path, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
    )
