"""Sees that the database stopped answering, and lets nobody wait for it.

A frozen server keeps its connections open, so a query on it neither ends nor fails: time
limits of the server's own never run out, and cancelling a query waits for its answer. One
connection therefore asks once a second; when no answer comes in time, every request that waits
is answered with 503 at once, and new ones are, until the database answers again.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tierwright_server.common.disk_space import disk_is_full
from tierwright_server.common.errors import ServerError, Unavailable, full

log = structlog.get_logger(__name__)

Found = TypeVar("Found")

_PAUSE_S = 1.0
_RETRY_S = 0.3
_PATIENCE_S = 2.0
_CONNECT_S = 2  # the least that libpq takes


def unavailable() -> Unavailable:
    """Make the answer to whoever needs the database while it is away."""
    return Unavailable(
        "the database does not answer",
        hint="Try again in a few seconds: Tierwright continues by itself when the "
        "database answers. If this persists, see the logs in the data folder.",
    )


class DatabaseWatch:
    """Knows whether the database answers.

    Parameters
    ----------
    dsn : str or None
        Address of the database; None where there is none to watch.
    """

    def __init__(self, dsn: str | None) -> None:
        self._dsn = dsn
        self._answers = True
        self._waiting: set[asyncio.Future[None]] = set()
        self._abandoned: set[asyncio.Future[Any]] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def answers(self) -> bool:
        """Whether the database answered when it was last asked."""
        return self._answers

    async def start(self) -> None:
        """Begin to watch."""
        if self._dsn is not None:
            self._task = asyncio.create_task(
                self._watch(self._dsn), name="database-watch"
            )

    async def stop(self) -> None:
        """Stop watching; nobody waits for a database that is away."""
        for task in (self._task, *self._abandoned):
            if task is not None:
                task.cancel()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_PATIENCE_S)
            self._task = None

    async def unless_lost(
        self,
        work: Awaitable[Found],
        *,
        interruptible: Callable[[], bool] = lambda: True,
    ) -> Found:
        """Await something that needs the database, but not longer than that answers.

        Parameters
        ----------
        work : awaitable
            What to wait for; where the database is lost it is left to end by itself.
        interruptible : callable
            Whether it may be left at that moment.

        Raises
        ------
        Unavailable
            If the database does not answer.
        """
        task = asyncio.ensure_future(work)
        with self._notice() as lost:
            try:
                both: tuple[asyncio.Future[Any], ...] = (task, lost)
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                task.cancel()
                raise
        if task.done() or not interruptible():
            return await task
        self._abandon(task)
        raise unavailable()

    @contextlib.contextmanager
    def _notice(self) -> Iterator[asyncio.Future[None]]:
        lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not self._answers:
            lost.set_result(None)
        self._waiting.add(lost)
        try:
            yield lost
        finally:
            self._waiting.discard(lost)

    def _abandon(self, task: "asyncio.Future[Found]") -> None:
        """Cancel a task without waiting: on a frozen connection that takes its time."""

        def ended(done: "asyncio.Future[Found]") -> None:
            self._abandoned.discard(done)
            if not done.cancelled() and done.exception() is not None:
                log.info("stopped for the database", error=repr(done.exception()))

        self._abandoned.add(task)
        task.add_done_callback(ended)
        task.cancel()

    def _set(self, *, answers: bool, why: str = "") -> None:
        if answers == self._answers:
            return
        self._answers = answers
        if answers:
            log.info("the database answers again")
            return
        log.error("the database does not answer", why=why)
        for lost in self._waiting:
            if not lost.done():
                lost.set_result(None)

    async def _watch(self, dsn: str) -> None:
        while True:
            why = await self._ask_until_lost(dsn)
            self._set(answers=False, why=why)
            await asyncio.sleep(_RETRY_S)

    async def _ask_until_lost(self, dsn: str) -> str:
        """Ask again and again on one connection; returns why there came no answer."""
        opening = asyncio.ensure_future(
            psycopg.AsyncConnection.connect(
                dsn, autocommit=True, connect_timeout=_CONNECT_S
            )
        )
        asking: asyncio.Future[Any] = opening
        connection: psycopg.AsyncConnection[tuple[object, ...]] | None = None
        try:
            while True:
                # Not `wait_for`: a cancelled query waits for the answer of the server.
                patience_s = _PATIENCE_S if connection else _CONNECT_S + 1
                await asyncio.wait({asking}, timeout=patience_s)
                if not asking.done():
                    return f"no answer within {patience_s:g} s"
                asking.result()
                if connection is None:
                    connection = opening.result()
                else:
                    self._set(answers=True)
                    await asyncio.sleep(_PAUSE_S)
                asking = asyncio.ensure_future(connection.execute("SELECT 1"))
        except (psycopg.Error, OSError) as error:
            return str(error)
        finally:
            asking.add_done_callback(lambda _: _close(opening))
            if not asking.done():
                self._abandon(asking)


def _close(
    opening: "asyncio.Future[psycopg.AsyncConnection[tuple[object, ...]]]",
) -> None:
    """Close a connection, without a word to a server that may not listen."""
    if opening.done() and not opening.cancelled() and opening.exception() is None:
        opening.result().pgconn.finish()


class DatabaseGate:
    """ASGI layer: what needs the database is answered while that answers, else refused.

    Parameters
    ----------
    app : ASGIApp
        What answers.
    watch : DatabaseWatch
        Knows the database.
    data_dir : Path
        Where its disk may be full.
    """

    _FREE = ("/api/v1/health", "/api/v1/openapi.json")

    def __init__(self, app: ASGIApp, watch: DatabaseWatch, data_dir: Path) -> None:
        self._app = app
        self._watch = watch
        self._data_dir = data_dir

    def _refusal(self) -> ServerError:
        return full() if disk_is_full(self._data_dir) else unavailable()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or refuse.

        Raises
        ------
        Unavailable, NoSpace
            If the database does not answer; the guard around renders it.
        """
        path = scope.get("path", "")
        if (
            scope["type"] != "http"
            or not path.startswith("/api/")
            or path.startswith(self._FREE)
        ):
            await self._app(scope, receive, send)
            return
        if not self._watch.answers:
            raise self._refusal()
        started = refused = False

        async def passed(message: Message) -> None:
            nonlocal started
            if refused:
                return
            started = True
            await send(message)

        try:
            await self._watch.unless_lost(
                self._app(scope, receive, passed), interruptible=lambda: not started
            )
        except Unavailable:
            refused = True
            raise self._refusal() from None
