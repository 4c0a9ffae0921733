"""The worker process: `python -m tierwright_server.worker`.

It takes runs from the queue, carries each out in a child process, beats its heart,
and reaps for the others. It holds the advisory lock of its id on a connection of its
own: when the process dies, PostgreSQL drops the lock, and everybody knows at once.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from datetime import timedelta

import psycopg
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker

from tierwright_server.common.logs import configure_logs
from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.common.settings import Settings, settings_of_environment
from tierwright_server.common.version import VERSION
from tierwright_server.expiry import expire_forever
from tierwright_server.job_kinds import KINDS
from tierwright_server.jobs import reaper
from tierwright_server.jobs.events import RunEvents
from tierwright_server.jobs.execute import Executor
from tierwright_server.jobs.queue import QUEUE, make_queue_app
from tierwright_server.jobs.workers import LOCK_CLASS
from tierwright_server.storage import installation
from tierwright_server.storage.db import make_engine, psycopg_dsn

log = structlog.get_logger(__name__)

_STOP_WAIT_S = 15.0


class WorkerLost(Exception):
    """The database connection that proves this worker's life is gone."""


async def _register(connection: psycopg.AsyncConnection) -> int:
    cursor = await connection.execute(
        "INSERT INTO workers (host, pid, version, started_at, heartbeat_at) "
        "VALUES (%s, %s, %s, now(), now()) RETURNING id",
        (socket.gethostname(), os.getpid(), VERSION),
    )
    row = await cursor.fetchone()
    if row is None:
        raise WorkerLost("could not register")
    worker_id = int(row[0])
    await connection.execute("SELECT pg_advisory_lock(%s, %s)", (LOCK_CLASS, worker_id))
    return worker_id


async def _beat(
    connection: psycopg.AsyncConnection, worker_id: int, interval_s: float
) -> None:
    while True:
        await asyncio.sleep(interval_s)
        try:
            await connection.execute(
                "UPDATE workers SET heartbeat_at = now() WHERE id = %s", (worker_id,)
            )
            found = await connection.execute(
                "SELECT version FROM installation WHERE id = 1 AND version <> %s",
                (VERSION,),
            )
            if (row := await found.fetchone()) is not None:
                # Its runs go back to the queue, for workers of the version that serves now.
                raise WorkerLost(
                    f"the server has version {row[0]} now, and this worker has version {VERSION}"
                )
        except psycopg.OperationalError as error:
            # The lock went with the connection: others take our runs over now.
            raise WorkerLost(str(error)) from error


_LEAST_PAUSE_S = 5.0


def worker_engine(database_url: str, stale_s: float) -> AsyncEngine:
    """Make the engine of a worker, whose locks go with it: also if it stands still in a transaction.

    Otherwise who reaps would pass over the run whose row the hung worker holds, for ever.
    """
    return make_engine(database_url, idle_in_transaction_s=max(stale_s, _LEAST_PAUSE_S))


async def run_worker(settings: Settings, stop: asyncio.Event) -> None:
    """Work until `stop` is set; running jobs are then given back to the queue."""
    if settings.database_url is None:
        raise SystemExit(
            "error: TIERWRIGHT_DATABASE_URL is not set\n"
            "hint: `tierwright serve` starts the worker with its own database"
        )
    settings.make_folders()
    await asyncio.to_thread(installation.check, settings)
    dsn = psycopg_dsn(settings.database_url)
    engine = worker_engine(settings.database_url, settings.worker_stale_s)
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as lifeline:
        worker_id = await _register(lifeline)
        structlog.contextvars.bind_contextvars(worker=worker_id)
        log.info("worker ready", pid=os.getpid())
        try:
            await _work(settings, engine, dsn, lifeline, worker_id, stop)
        finally:
            if not lifeline.closed:
                await lifeline.execute(
                    "DELETE FROM workers WHERE id = %s", (worker_id,)
                )
            await engine.dispose()
    log.info("worker stopped")


async def _work(
    settings: Settings,
    engine: AsyncEngine,
    dsn: str,
    lifeline: psycopg.AsyncConnection,
    worker_id: int,
    stop: asyncio.Event,
) -> None:
    sessions = async_sessionmaker(engine, expire_on_commit=False)
    events = RunEvents(dsn)
    executor = Executor(settings, sessions, events, KINDS, worker_id)
    app = make_queue_app(dsn, executor.execute)
    await events.start()
    # At once, not at the next interval: somebody restarted us to get on with it.
    await reaper.reap(
        settings, sessions, KINDS, worker_id, undelivered_after=timedelta(0)
    )
    try:
        async with app.open_async():
            tasks = [
                asyncio.create_task(stop.wait(), name="stop"),
                asyncio.create_task(
                    _beat(lifeline, worker_id, settings.heartbeat_interval_s),
                    name="heartbeat",
                ),
                asyncio.create_task(
                    reaper.reap_forever(settings, sessions, KINDS, worker_id),
                    name="reaper",
                ),
                asyncio.create_task(expire_forever(settings, sessions), name="expiry"),
                asyncio.create_task(executor.prepare(), name="spare child"),
            ]
            queue = asyncio.create_task(
                app.run_worker_async(
                    queues=[QUEUE],
                    name=f"worker-{worker_id}",
                    concurrency=settings.worker_concurrency,
                    fetch_job_polling_interval=settings.poll_interval_s,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=_STOP_WAIT_S,
                ),
                name="queue",
            )
            try:
                await asyncio.wait([*tasks, queue], return_when=asyncio.FIRST_COMPLETED)
            finally:
                executor.stopping.set()
                queue.cancel()
                for task in tasks:
                    if not task.done():
                        task.cancel()
                ends = await asyncio.gather(*tasks, queue, return_exceptions=True)
            for end in ends:
                if isinstance(end, Exception):
                    raise end
    finally:
        await events.stop()


async def _main(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await run_worker(settings, stop)


def main() -> int:
    """Run one worker until it is told to stop."""
    configure_logs()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_main(settings_of_environment()))
    except WorkerLost as error:
        log.error("worker gives up", error=str(error))  # noqa: TRY400
        return 75
    except RuntimeFailure as failure:
        sys.stderr.write(f"error: {failure}\n")
        return 2
    except psycopg.OperationalError as error:
        log.error("worker cannot reach the database", error=str(error))  # noqa: TRY400
        return 75
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # An ordinary exit takes apart what was imported, object by object; who stops us waits for it.
    os._exit(code)
