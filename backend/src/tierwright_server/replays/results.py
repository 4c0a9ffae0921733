"""What jobs make of a content, asked for by what it depends on: made once, found ever after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import NotFound
from tierwright_server.common.version import VERSION
from tierwright_server.http.paging import Page
from tierwright_server.jobs.runs import service as runs
from tierwright_server.jobs.runs.states import FINAL, RunKind
from tierwright_server.storage.tables import Content, Result, Run, Workload

Row = tuple[Result, Run | None]
_ENDED = frozenset(status.value for status in FINAL)
_NOUNS = {RunKind.SIMULATE: "simulation"}


@dataclass(frozen=True)
class Asked:
    """What is asked for.

    Attributes
    ----------
    kind : RunKind
        What the job does.
    id : str
        Hash of everything the result depends on.
    workload, content : Workload, Content
        What it is made of, and through which workload.
    inputs : dict
        The question.
    plan : dict or list or None
        What the job follows beside the inputs.
    title : str
        Of the run.
    """

    kind: RunKind
    id: str
    workload: Workload
    content: Content
    inputs: dict[str, Any]
    plan: Any
    title: str


def noun(kind: RunKind) -> str:
    """Name a kind of result."""
    return _NOUNS.get(kind, kind.value.replace("_", " "))


def is_open(run: Run | None) -> bool:
    """Tell whether a run has yet to end."""
    return run is not None and run.status not in _ENDED


async def row(session: AsyncSession, kind: RunKind, result_id: str) -> Row | None:
    """Find a result of a kind with its run."""
    query = (
        select(Result, Run)
        .outerjoin(Run, Run.id == Result.run_id)
        .where(Result.id == result_id, Result.kind == kind.value)
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def find(session: AsyncSession, kind: RunKind, result_id: str) -> Row:
    """Find a result of a kind with its run.

    Raises
    ------
    NotFound
        There is none of this kind.
    """
    found = await row(session, kind, result_id)
    if found is None:
        raise NotFound(
            f"there is no {noun(kind)} `{result_id}`",
            hint="It may have been deleted, alone or with its workload. Submit the request "
            "again: the same inputs give the same id.",
        )
    return found


async def page(
    session: AsyncSession, kind: RunKind, asked: Page, content_id: str | None
) -> tuple[list[Row], int]:
    """List the results of a kind, newest first, and count them."""
    where = [Result.kind == kind.value]
    if content_id is not None:
        where.append(Result.content_id == content_id)
    query = asked.of_query(
        select(Result, Run).outerjoin(Run, Run.id == Result.run_id).where(*where),
        {"created_at": Result.created_at},
        (Result.created_at.desc(), Result.id),
    )
    rows = (await session.execute(query)).all()
    total = await session.scalar(select(func.count()).select_from(Result).where(*where))
    asked.link(total or 0)
    return [(found[0], found[1]) for found in rows], total or 0


async def has_any(session: AsyncSession, kind: RunKind, content_id: str) -> bool:
    """Say whether there are results of a kind of a content, made or under way."""
    found = select(Result.id).where(
        Result.kind == kind.value, Result.content_id == content_id
    )
    return await session.scalar(found.limit(1)) is not None


async def lock_id(session: AsyncSession, result_id: str) -> None:
    """Keep everybody else from making the same result until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"result:{result_id}"},
    )


async def obtain(
    session: AsyncSession,
    asked: Asked,
    is_done: Callable[[Result | None], Awaitable[bool]],
    before_run: Callable[[], Awaitable[None]] | None = None,
) -> Row:
    """Find what is asked for, or queue it; what failed or was cancelled is tried again.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    asked : Asked
        What is asked for.
    is_done : callable
        Awaited under the lock: whether all of it is there already, given its row.
    before_run : callable or None
        Awaited before a run is queued, to refuse it.
    """
    await lock_id(session, asked.id)
    found = await row(session, asked.kind, asked.id)
    done = await is_done(None if found is None else found[0])
    if found is not None and (done or is_open(found[1])):
        return found
    if found is not None:
        result, run = found
    else:
        run = None
        result = Result(
            id=asked.id,
            kind=asked.kind.value,
            content_id=asked.content.id,
            workload_id=asked.workload.id,
            inputs=asked.inputs,
            plan=asked.plan,
            core_version=VERSION,
        )
        session.add(result)
    result.complete = done
    if not done:
        if before_run is not None:
            await before_run()
        run = await runs.create(session, asked.kind, asked.id, asked.title)
        result.run_id = run.id
    await session.flush()
    return result, run


async def of_run(session: AsyncSession, run: Run) -> Result:
    """Return what a run makes.

    Raises
    ------
    NotFound
        It was deleted meanwhile.
    """
    found = await session.get(Result, run.subject_id)
    if found is None:
        raise NotFound(f"the {noun(RunKind(run.kind))} was deleted with its workload")
    return found


async def content_of(session: AsyncSession, result: Result) -> Content:
    """Return the content that a result is of.

    Raises
    ------
    NotFound
        It was deleted meanwhile.
    """
    found = await session.get(Content, result.content_id)
    if found is None:
        raise NotFound("the workload was deleted")
    return found
