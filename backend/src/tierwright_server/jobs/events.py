"""Change notices of runs: one listening connection a process, fanned out.

A notice only says "look again"; who waits also looks by itself now and then, so a
lost notice costs time, never truth.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator

import psycopg
import structlog

log = structlog.get_logger(__name__)

CHANNEL = "tierwright_runs"
_RETRY_S = 1.0


class RunEvents:
    """Wakes those who wait for a run to change.

    Parameters
    ----------
    dsn : str
        Address of the database.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to listen."""
        self._task = asyncio.create_task(self._listen(), name="run-events")

    async def stop(self) -> None:
        """Stop listening and wake everybody who waits."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        self._wake_all()

    @contextlib.asynccontextmanager
    async def subscribe(self, run_id: str) -> AsyncIterator[asyncio.Event]:
        """Give an event that is set whenever the run has changed."""
        event = asyncio.Event()
        self._waiting[run_id].add(event)
        try:
            yield event
        finally:
            self._waiting[run_id].discard(event)
            if not self._waiting[run_id]:
                del self._waiting[run_id]

    def _wake_all(self) -> None:
        for events in self._waiting.values():
            for event in events:
                event.set()

    async def _listen(self) -> None:
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    self._dsn, autocommit=True
                ) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    # Whatever happened while nobody listened.
                    self._wake_all()
                    async for notice in connection.notifies():
                        for event in self._waiting.get(notice.payload, ()):
                            event.set()
            except psycopg.OperationalError as error:
                log.warning("listening for run events failed", error=str(error))
            await asyncio.sleep(_RETRY_S)
