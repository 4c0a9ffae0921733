"""Processes that the supervisor starts, watches, starts again and stops."""

from __future__ import annotations

import contextlib
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from typing import IO

import psutil

from tierwright_server.runtime.process_guard import guarded_command

_LOG = logging.getLogger(__name__)
WORKER_LINES = logging.getLogger("tierwright_server.worker_lines")
"""What workers print, formatted by themselves."""
REQUEST_LINES = logging.getLogger("tierwright_server.request_lines")
"""One line for each request."""
SERVER_LINES = logging.getLogger("tierwright_server.server_lines")
"""What the processes that answer HTTP print, formatted by themselves."""

_STOP_S = 8.0
_RESTART_PAUSE_S = 0.5
_RESTART_PAUSE_MAX_S = 30.0
_HEALTHY_AFTER_S = 60.0


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


class Child:
    """One process, started again whenever it ends before it should.

    Parameters
    ----------
    name : str
        In the logs.
    module : str
        What it runs, with these arguments.
    environment : mapping of str to str
        All of its environment.
    lines : logging.Logger
        Takes what it prints.
    requests : logging.Logger, optional
        Takes what it prints on stdout, if that is something else.
    keeps : tuple of int
        Open files it inherits.
    """

    def __init__(
        self,
        name: str,
        module: str,
        *arguments: str,
        environment: Mapping[str, str],
        lines: logging.Logger,
        requests: logging.Logger | None = None,
        keeps: tuple[int, ...] = (),
    ) -> None:
        self._name = name
        self._command = [sys.executable, "-P", "-m", module, *arguments]
        self._environment = environment
        self._lines = lines
        self._requests = requests
        self._keeps = keeps
        self._process: subprocess.Popen[str] | None = None
        self._pause = Pause()

    def start(self) -> None:
        """Start the process; call from the main thread (see `process_guard`)."""
        self._process = subprocess.Popen(
            guarded_command(self._command, signal_number=signal.SIGKILL),
            env=self._environment,
            pass_fds=self._keeps,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if self._requests else subprocess.STDOUT,
            text=True,
            errors="replace",
            # Out of reach of the terminal's Ctrl-C: we stop it, in order.
            start_new_session=True,
        )
        self._pause.started()
        for printed, logger in (
            (self._process.stdout, self._requests or self._lines),
            (self._process.stderr, self._lines),
        ):
            if printed is not None:
                threading.Thread(
                    target=self._log_lines, args=(printed, logger), daemon=True
                ).start()

    def _log_lines(self, printed: IO[str], logger: logging.Logger) -> None:
        with printed, contextlib.suppress(ValueError):
            for line in printed:
                logger.info("%s: %s", self._name, line.rstrip())

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


def stop(children: Iterable[Child]) -> None:
    """Stop these with all they started; what is left after a while is killed."""
    stopping = list(children)
    trees = [process for child in stopping for process in child.ask_to_stop()]
    deadline = time.monotonic() + _STOP_S
    for child in stopping:
        child.wait(deadline - time.monotonic())
    for process in trees:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    for child in stopping:
        child.kill()
