"""The whole application as one process tree.

We hold the data folder's lock and the port, start PostgreSQL (unless one is named), migrate
it, start the workers and the processes that answer HTTP, and stop all of them in order.
Everything we start dies with us even when we are killed (`process_guard`).
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
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import psutil
import psycopg
import structlog
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from tierwright_server.common.logs import configure_logs
from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.common.settings import settings_of_environment
from tierwright_server.runtime import children
from tierwright_server.runtime.children import Child, Pause
from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres
from tierwright_server.runtime.listen import bind, check_host, check_published_at
from tierwright_server.runtime.process_lock import LockHeld, ProcessLock
from tierwright_server.runtime.starting import Handover, StartingAnswer
from tierwright_server.storage import db, installation

_LOG = logging.getLogger(__name__)
_READY_TIMEOUT_S = 60.0
_SAME_KEYSTROKE_S = 0.5
_WATCH_S = 0.2
_LOG_BYTES = 5_000_000
_LOG_FILES = 4
MOST_PROCESSES = 4
"""Processes that answer HTTP unless more are asked for: each keeps curves in memory."""
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
    processes
        Number of processes that answer HTTP.
    published_at
        Where a container engine publishes the port; None outside containers.
    """

    host: str
    port: int | None
    data_dir: Path
    workers: int
    processes: int
    published_at: str | None = None


class Application:
    """The process tree, from start to stop."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = ProcessLock(options.data_dir / "serve.lock")
        self._postgres: EmbeddedPostgres | None = None
        self._postgres_pause = Pause()
        self._workers: list[Child] = []
        self._servers: list[Child] = []
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
                with (
                    listener,
                    Handover() as handover,
                    StartingAnswer(listener) as starting,
                ):
                    url = self._start_database()
                    self._start_processes(url, listener, handover)
                    asyncio.run(self._serve(listener, starting, handover))
                    return 0
            except _StopRequested:
                return 0
            finally:
                self._stop_asked_at = self._stop_asked_at or time.monotonic()
                # In order: no job may write on, then requests end, then the database.
                children.stop(self._workers)
                children.stop(self._servers)
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
        for process in reversed(children.descendants(os.getpid())[1:]):
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
                "Tierwright is already running on the data folder "
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
        # Before any worker compares its own with it.
        settings = settings_of_environment(
            database_url=url, data_dir=self._options.data_dir
        )
        installation.state(settings)
        return url

    def _start_processes(
        self, url: str, listener: socket.socket, handover: Handover
    ) -> None:
        environment = os.environ | {
            "TIERWRIGHT_DATABASE_URL": url,
            "TIERWRIGHT_DATA_DIR": str(self._options.data_dir),
            "TIERWRIGHT_WORKERS": str(self._options.workers),
            "PYTHONUNBUFFERED": "1",
        }
        self._workers = [
            Child(
                f"worker-{number}",
                "tierwright_server.worker",
                environment=environment,
                lines=children.WORKER_LINES,
            )
            for number in range(1, self._options.workers + 1)
        ]
        self._servers = [
            Child(
                f"server-{number}",
                "tierwright_server.http_process",
                *map(str, (listener.fileno(), *handover.numbers)),
                environment=environment,
                lines=children.SERVER_LINES,
                requests=children.REQUEST_LINES,
                keeps=(listener.fileno(), *handover.numbers),
            )
            for number in range(1, self._options.processes + 1)
        ]
        for child in (*self._servers, *self._workers):
            child.start()

    async def _serve(
        self, listener: socket.socket, starting: StartingAnswer, handover: Handover
    ) -> None:
        self._stopping = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        announcing = asyncio.create_task(self._announce(listener, starting, handover))
        try:
            await self._watch()
        finally:
            announcing.cancel()

    async def _watch(self) -> None:
        """Start again what ended, until we are asked to stop."""
        assert self._stopping is not None
        while not self._stopping.is_set():
            self._check_database()
            for child in (*self._servers, *self._workers):
                child.check()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _WATCH_S)
        _LOG.info("stopping")

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

    async def _announce(
        self, listener: socket.socket, starting: StartingAnswer, handover: Handover
    ) -> None:
        """Say that we are ready once the processes have answered us."""
        host, port = listener.getsockname()[:2]
        loopback = "::1" if ":" in host else "127.0.0.1"
        probed = loopback if self._options.published_at else host
        next_word_s = time.monotonic() + _READY_TIMEOUT_S

        def say_if_late() -> None:
            nonlocal next_word_s
            if time.monotonic() > next_word_s:
                _LOG.error("no answer from %s yet; see the lines above", self._address)
                next_word_s += _READY_TIMEOUT_S

        while not await asyncio.to_thread(handover.is_started):
            say_if_late()
        await asyncio.to_thread(starting.end)
        handover.open()
        while not await asyncio.to_thread(_answers, probed, port):
            say_if_late()
            await asyncio.sleep(0.05)
        with contextlib.suppress(OSError):
            print(f"Tierwright is ready: {self._address}", flush=True)  # noqa: T201


def _usable_cores() -> int:
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    processes: int | None = None,
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
    processes
        Number of processes that answer HTTP; None takes one for each processor core, at most
        `MOST_PROCESSES`.
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
        _close(folder)
    except OSError as error:
        raise RuntimeFailure(
            f"cannot write into the data folder {folder}: {error.strerror}",
            "choose a folder you may write, with --data-dir or TIERWRIGHT_DATA_DIR",
        ) from error
    count = processes or min(MOST_PROCESSES, _usable_cores())
    options = Options(host, port, folder, workers, count, published_at)
    return Application(options).run()


def default_data_dir() -> Path:
    """``TIERWRIGHT_DATA_DIR``, else ``tierwright`` among the user's data files."""
    if named := os.environ.get("TIERWRIGHT_DATA_DIR"):
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tierwright"


_OURS = frozenset(
    ("contents", "logs", "postgres", "serve.lock", "uploads", "work", "core")
)


def _close(folder: Path) -> None:
    """Let nobody else read a folder that existed, if it is for us alone; else warn.

    Root's database runs under another account, which must pass the folder.
    """
    status = folder.stat()
    wanted = 0o711 if os.geteuid() == 0 else 0o700
    if not status.st_mode & 0o777 & ~wanted:
        return
    ours = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    if ours and all(entry.name in _OURS for entry in os.scandir(folder)):
        with contextlib.suppress(OSError):
            folder.chmod(status.st_mode & wanted)
            return
    structlog.get_logger(__name__).warning(
        "other users can read the data folder",
        folder=str(folder),
        mode=f"{stat.S_IMODE(status.st_mode):04o}",
        hint=f"chmod {wanted:o}, or choose a folder that holds nothing else",
    )


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
    # Requests are for the file only; lines of children come formatted.
    whole = _rotated(folder / "requests.log")
    children.REQUEST_LINES.handlers[:] = [whole]
    children.SERVER_LINES.handlers[:] = [
        _rotated(folder / "server.log"),
        logging.StreamHandler(),
    ]
    children.WORKER_LINES.handlers[:] = [
        _rotated(folder / "workers.log"),
        logging.StreamHandler(),
    ]
    for logger in (
        children.REQUEST_LINES,
        children.SERVER_LINES,
        children.WORKER_LINES,
    ):
        logger.propagate = False


def _rotated(path: Path) -> logging.Handler:
    return logging.handlers.RotatingFileHandler(
        path, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
    )
