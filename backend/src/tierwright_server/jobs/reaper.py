"""Brings back what dead workers left behind; the queue does not do it by itself."""

import asyncio
import re
import shutil
from datetime import timedelta

import structlog
from sqlalchemy import delete
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.common.settings import Settings
from tierwright_server.http import idempotency
from tierwright_server.jobs import queue
from tierwright_server.jobs.execute import give_back
from tierwright_server.jobs.kinds import Kinds
from tierwright_server.jobs.runs import repository
from tierwright_server.jobs.runs.states import FINAL, RunKind, RunStatus
from tierwright_server.storage import shared_store
from tierwright_server.storage.tables import Worker, now

log = structlog.get_logger(__name__)

_RUN_ID = re.compile(r"[0-9a-f]{16}$")
_UNDELIVERED_AFTER = timedelta(seconds=10)
_FORGET_WORKERS_AFTER = timedelta(days=1)


async def reap(
    settings: Settings,
    sessions: async_sessionmaker[AsyncSession],
    kinds: Kinds,
    worker_id: int,
    undelivered_after: timedelta = _UNDELIVERED_AFTER,
) -> None:
    """Requeue or fail runs of dead workers; deliver queued runs that are lost.

    Parameters
    ----------
    settings, sessions, kinds
        Of the worker's process.
    worker_id : int
        The worker that reaps: it lives, however late its heartbeat is.
    undelivered_after : timedelta
        How long a run waits for a lost delivery before it is made again.
    """
    async with sessions() as session:
        orphans = await repository.lock_orphans(
            session, timedelta(seconds=settings.worker_stale_s), worker_id
        )
        for run in orphans:
            log.warning("worker died", run=run.id, attempt=run.attempts)
            await repository.forget_deliveries(session, run.id)
            await give_back(session, settings, run, "its worker died")
            kinds[RunKind(run.kind)].cleanup_after(settings, run)
        await session.commit()
    for run in orphans:
        if run.status != RunStatus.QUEUED.value and kinds[RunKind(run.kind)].resumes:
            folder = settings.work_dir / run.id
            await asyncio.to_thread(shared_store.forget, settings, folder)
    async with sessions() as session:
        for run_id in await repository.ids_without_delivery(session, undelivered_after):
            await queue.enqueue(session, run_id)
        await repository.forget_deliveries_of_the_dead(session)
        await session.execute(
            delete(Worker).where(Worker.heartbeat_at < now() - _FORGET_WORKERS_AFTER)
        )
        await idempotency.prune(session)
        await session.commit()
    await _sweep(settings, sessions)


async def _sweep(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Remove what waits for an attempt that will not come: its run was cancelled or deleted."""
    names = [
        path.name for path in settings.work_dir.iterdir() if _RUN_ID.match(path.name)
    ]
    if not names:
        return
    async with sessions() as session:
        runs = await repository.by_ids(session, names)
    for name in names:
        run = runs.get(name)
        if run is None or RunStatus(run.status) in FINAL:
            shutil.rmtree(settings.work_dir / name, ignore_errors=True)


async def reap_forever(
    settings: Settings,
    sessions: async_sessionmaker[AsyncSession],
    kinds: Kinds,
    worker_id: int,
) -> None:
    """Reap now and then."""
    while True:
        await asyncio.sleep(settings.reap_interval_s)
        try:
            await reap(settings, sessions, kinds, worker_id)
        except DBAPIError as error:
            log.warning("reaper: database unreachable", error=str(error))
