"""Queries on runs. Every change notifies those who follow the run."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.elements import ColumnElement

from tierwright_server.http.paging import Page, like
from tierwright_server.jobs.events import CHANNEL
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.jobs.workers import IS_LIVE
from tierwright_server.storage.tables import Result, Run, Workload, now


async def get(session: AsyncSession, run_id: str, *, lock: bool = False) -> Run | None:
    """Find a run, and keep others from changing it when `lock`."""
    query = select(Run).where(Run.id == run_id)
    if lock:
        query = query.with_for_update()
    return await session.scalar(query.execution_options(populate_existing=True))


def _of_workload(workload_id: str) -> ColumnElement[bool]:
    """Whether a run reads a workload, or computes something of its content."""
    workload = select(Workload).where(Workload.id == workload_id).subquery()
    results = select(Result.id).where(
        or_(
            Result.workload_id == workload_id,
            Result.content_id.in_(select(workload.c.content_id)),
        )
    )
    return or_(
        Run.subject_id == workload_id,
        Run.subject_id.in_(select(workload.c.upload_id)),
        Run.subject_id.in_(results),
    )


async def page(
    session: AsyncSession,
    asked: Page,
    status: RunStatus | None,
    kind: RunKind | None,
    title: str | None,
    workload_id: str | None = None,
) -> tuple[Sequence[Run], int]:
    """List runs, newest first, and count them."""
    where: list[ColumnElement[bool]] = []
    if status is not None:
        where.append(Run.status == status.value)
    if kind is not None:
        where.append(Run.kind == kind.value)
    if title is not None:
        where.append(like(Run.title, title))
    if workload_id is not None:
        where.append(_of_workload(workload_id))
    query = asked.of_query(
        select(Run).where(*where),
        {
            "created_at": Run.created_at,
            "finished_at": Run.finished_at,
            "kind": Run.kind,
            "status": Run.status,
            "title": Run.title,
        },
        (Run.created_at.desc(), Run.id),
    )
    total = await session.scalar(select(func.count()).select_from(Run).where(*where))
    asked.link(total or 0)
    return (await session.scalars(query)).all(), total or 0


async def by_ids(session: AsyncSession, run_ids: Sequence[str]) -> dict[str, Run]:
    """Find several runs."""
    runs = await session.scalars(select(Run).where(Run.id.in_(run_ids)))
    return {run.id: run for run in runs}


async def notify(session: AsyncSession, run_id: str) -> None:
    """Tell everybody, on commit, that the run has changed."""
    await session.execute(
        text("SELECT pg_notify(:channel, :run)"), {"channel": CHANNEL, "run": run_id}
    )


async def claim(session: AsyncSession, run_id: str, worker_id: int) -> Run | None:
    """Take a queued run for a worker; None if it is not to be had."""
    run = await session.scalar(
        update(Run)
        .where(
            Run.id == run_id,
            Run.status == RunStatus.QUEUED.value,
            Run.cancel_requested.is_(False),
        )
        .values(
            status=RunStatus.RUNNING.value,
            worker_id=worker_id,
            attempts=Run.attempts + 1,
            started_at=func.coalesce(Run.started_at, now()),
            phase=None,
            done=0,
            total=None,
            rate_per_s=None,
            error=None,
            hint=None,
            updated_at=now(),
        )
        .returning(Run)
    )
    if run is not None:
        await notify(session, run_id)
    return run


async def write_progress(
    session: AsyncSession, run: Run, progress: dict[str, Any]
) -> bool | None:
    """Write progress of a run that is still ours.

    Returns
    -------
    bool or None
        Whether its cancel is requested; None if the run is no longer ours.
    """
    cancel = await session.scalar(
        update(Run)
        .where(*_ours(run))
        .values(**progress, updated_at=now())
        .returning(Run.cancel_requested)
    )
    if cancel is not None:
        await notify(session, run.id)
    return cancel


async def is_cancel_requested(session: AsyncSession, run: Run) -> bool | None:
    """Say whether the cancel of our run is requested; None if it is no longer ours."""
    return await session.scalar(select(Run.cancel_requested).where(*_ours(run)))


async def lock_ours(session: AsyncSession, run: Run) -> Run | None:
    """Lock a run that is still ours, to end it."""
    return await session.scalar(
        select(Run)
        .where(*_ours(run))
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def _ours(run: Run) -> tuple[ColumnElement[bool], ...]:
    # worker and attempt together are the fencing token: whoever was thought dead and
    # lives on cannot change a run that somebody else works on now.
    return (
        Run.id == run.id,
        Run.status == RunStatus.RUNNING.value,
        Run.worker_id == run.worker_id,
        Run.attempts == run.attempts,
    )


async def lock_orphans(
    session: AsyncSession, stale: timedelta, asking: int
) -> Sequence[Run]:
    """Lock the running runs whose worker is dead; the worker that asks is not.

    It may have been held up itself (a machine that slept or is too busy), and ask before its heart
    has beaten again.
    """
    query = text(
        f"""
        SELECT r.id FROM runs r
        WHERE r.status = 'running' AND r.worker_id IS DISTINCT FROM :asking
        AND NOT EXISTS (
            SELECT 1 FROM workers w WHERE w.id = r.worker_id AND {IS_LIVE}
        )
        FOR UPDATE OF r SKIP LOCKED
        """
    )
    ids = (await session.scalars(query, {"stale": stale, "asking": asking})).all()
    if not ids:
        return []
    found = await session.scalars(
        select(Run).where(Run.id.in_(ids)).execution_options(populate_existing=True)
    )
    return found.all()


async def ids_without_delivery(
    session: AsyncSession, older_than: timedelta
) -> Sequence[str]:
    """Find queued runs that no job in the queue would deliver."""
    query = text(
        """
        SELECT r.id FROM runs r
        WHERE r.status = 'queued' AND r.updated_at <= now() - :older_than
        AND NOT EXISTS (
            SELECT 1 FROM procrastinate_jobs j
            WHERE j.status = 'todo' AND j.queueing_lock = r.id
        )
        ORDER BY r.created_at
        """
    )
    return (await session.scalars(query, {"older_than": older_than})).all()


async def forget_deliveries_of_the_dead(session: AsyncSession) -> None:
    """Drop jobs of workers that the queue itself has struck off its list."""
    await session.execute(
        text(
            "DELETE FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IS NULL"
        )
    )


async def forget_deliveries(session: AsyncSession, run_id: str) -> None:
    """Drop the queue's jobs that a dead worker left behind."""
    await session.execute(
        text(
            "DELETE FROM procrastinate_jobs WHERE status = 'doing' "
            "AND queueing_lock = :run"
        ),
        {"run": run_id},
    )
