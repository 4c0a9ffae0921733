"""The queue (procrastinate): only wakes workers; `runs` says what there is to do.

A delivered job names a run. Delivering it twice, or too late, is harmless: a worker
works on a run only if it can claim it.
"""

from collections.abc import Awaitable, Callable
from typing import cast

import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued
from sqlalchemy.ext.asyncio import AsyncSession

TASK = "execute_run"
QUEUE = "runs"

_deferrer = App(connector=PsycopgConnector())


async def enqueue(session: AsyncSession, run_id: str) -> None:
    """Queue a run, in the transaction of the session."""
    proxy = await (await session.connection()).get_raw_connection()
    connection = cast("psycopg.AsyncConnection", proxy.driver_connection)
    try:
        # A savepoint: a second delivery of the same run breaks a unique index.
        async with connection.transaction():
            await _deferrer.configure_task(
                TASK, queue=QUEUE, queueing_lock=run_id, connection=connection
            ).defer_async(run_id=run_id)
    except AlreadyEnqueued:
        return


def make_queue_app(dsn: str, execute: Callable[[str], Awaitable[None]]) -> App:
    """Make the worker's side of the queue."""
    app = App(connector=PsycopgConnector(conninfo=dsn, min_size=1, max_size=4))

    @app.task(name=TASK, queue=QUEUE)
    async def execute_run(run_id: str) -> None:
        await execute(run_id)

    return app
