"""Decisions about runs: how they start, are cancelled, are followed."""

import asyncio
import secrets
from collections.abc import AsyncIterator

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession
from sse_starlette import EventSourceResponse, ServerSentEvent

from tierwright_server.common.errors import Conflict, NotFound
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.jobs import queue
from tierwright_server.jobs.events import RunEvents
from tierwright_server.jobs.runs import repository
from tierwright_server.jobs.runs.schemas import RunList, RunOut
from tierwright_server.jobs.runs.states import FINAL, RunKind, RunStatus
from tierwright_server.storage.tables import Run, now


def new_id() -> str:
    """Make an id that nobody guesses."""
    return secrets.token_hex(8)


async def create(
    session: AsyncSession, kind: RunKind, subject_id: str, title: str
) -> Run:
    """Make a run and queue it, both or neither."""
    run = Run(
        id=new_id(),
        kind=kind.value,
        subject_id=subject_id,
        title=title,
        status=RunStatus.QUEUED.value,
        done=0,
        unit="bytes",
        attempts=0,
        cancel_requested=False,
    )
    session.add(run)
    await session.flush()
    await queue.enqueue(session, run.id)
    return run


async def list_runs(
    session: AsyncSession,
    page: Page,
    status: RunStatus | None,
    kind: RunKind | None,
    title: str | None = None,
    workload_id: str | None = None,
) -> RunList:
    """List runs, newest first."""
    runs, total = await repository.page(session, page, status, kind, title, workload_id)
    return RunList(
        items=[RunOut.model_validate(run) for run in runs],
        total=total,
        limit=page.limit,
        offset=page.offset,
    )


async def get_run(session: AsyncSession, run_id: str) -> RunOut:
    """Read one run."""
    run = await repository.get(session, run_id)
    if run is None:
        raise _unknown(run_id)
    return RunOut.model_validate(run)


async def cancel_run(session: AsyncSession, run_id: str) -> RunOut:
    """End a queued run at once; ask the worker of a running one to stop it."""
    run = await repository.get(session, run_id, lock=True)
    if run is None:
        raise _unknown(run_id)
    await request_cancel(session, run)
    return RunOut.model_validate(run)


async def request_cancel(session: AsyncSession, run: Run) -> None:
    """Cancel a locked run."""
    if RunStatus(run.status) in FINAL:
        return
    run.cancel_requested = True
    run.updated_at = now()
    if run.status == RunStatus.QUEUED.value:
        run.status = RunStatus.CANCELLED.value
        run.message = "cancelled before it started"
        run.finished_at = now()
    await repository.notify(session, run.id)
    await session.flush()


async def stream_run(
    context: Context, run_id: str, request: Request
) -> EventSourceResponse:
    """Follow a run until it ends."""
    async with context.sessions() as session:
        await get_run(session, run_id)
    return EventSourceResponse(_events(context, run_id, request), ping=15)


async def _events(
    context: Context, run_id: str, request: Request
) -> AsyncIterator[ServerSentEvent]:
    last = ""
    count = 0
    async with context.of(RunEvents).subscribe(run_id) as changed:
        while not await request.is_disconnected():
            changed.clear()
            async with context.sessions() as session:
                run = await repository.get(session, run_id)
            if run is None:
                return
            answer = RunOut.model_validate(run)
            data = answer.model_dump_json()
            if data != last:
                count += 1
                last = data
                yield ServerSentEvent(data=data, event="run", id=str(count))
            if answer.status in FINAL or context.stopping.is_set():
                return
            try:
                async with asyncio.timeout(context.settings.poll_interval_s):
                    await changed.wait()
            except TimeoutError:
                continue


def check_ended(run: Run | None, said: str) -> None:
    """Refuse to delete what a run still makes.

    Raises
    ------
    Conflict
        The run has not ended; `said` says of what.
    """
    if run is not None and RunStatus(run.status) not in FINAL:
        raise Conflict(
            said, hint=f"Cancel its run first: POST /api/v1/runs/{run.id}/cancel."
        )


def _unknown(run_id: str) -> NotFound:
    return NotFound(f"there is no run `{run_id}`", hint="List them: GET /api/v1/runs.")
