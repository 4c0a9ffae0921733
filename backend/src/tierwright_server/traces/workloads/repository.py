"""Queries on workloads and contents."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select, and_, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.elements import ColumnElement

from tierwright_server.http.paging import Page, like
from tierwright_server.jobs.runs.states import RunStatus
from tierwright_server.storage.tables import Content, Run, Upload, Workload
from tierwright_server.traces.uploads.schemas import reading_of
from tierwright_server.traces.workloads.schemas import WorkloadStatus

Row = tuple[Workload, Run | None, Content | None]


def _rows() -> Select[Workload, Run, Content]:
    return (
        select(Workload, Run, Content)
        .outerjoin(Run, Run.id == Workload.run_id)
        .outerjoin(Content, Content.id == Workload.content_id)
    )


def _has_status(status: WorkloadStatus) -> ColumnElement[bool]:
    """Whether a workload has a status: ready with its content, else as its run says."""
    if status is WorkloadStatus.READY:
        return Workload.content_id.is_not(None)
    runs = [status.value]
    if status is WorkloadStatus.FAILED:
        runs.append("succeeded")  # and left no content
    unread: ColumnElement[bool] = Run.status.in_(runs)
    if status is WorkloadStatus.FAILED:
        unread = or_(unread, Run.id.is_(None))
    return and_(Workload.content_id.is_(None), unread)


async def page(
    session: AsyncSession,
    asked: Page,
    name: str | None,
    status: WorkloadStatus | None,
) -> tuple[list[Row], int]:
    """List workloads, the example first, then the newest, and count them."""
    where = [] if name is None else [like(Workload.name, name)]
    if status is not None:
        where.append(_has_status(status))
    found = _rows().where(*where)
    query = asked.of_query(
        found,
        {"name": Workload.name, "created_at": Workload.created_at},
        (Workload.example.desc(), Workload.created_at.desc(), Workload.id),
    )
    rows = (await session.execute(query)).all()
    total = await session.scalar(
        select(func.count())
        .select_from(Workload)
        .outerjoin(Run, Run.id == Workload.run_id)
        .where(*where)
    )
    asked.link(total or 0)
    return [(row[0], row[1], row[2]) for row in rows], total or 0


async def row(session: AsyncSession, workload_id: str) -> Row | None:
    """Find a workload with its run and content."""
    query = _rows().where(Workload.id == workload_id)
    fresh = query.execution_options(populate_existing=True)
    found = (await session.execute(fresh)).one_or_none()
    return None if found is None else (found[0], found[1], found[2])


async def joined_of(
    session: AsyncSession, content_id: str, page_bytes: int | None = None
) -> list[Row]:
    """List the workloads whose pages are those of a content joined, the oldest first.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    content_id : str
        Of the pages as recorded.
    page_bytes : int, optional
        Of the joined pages; by default of any size. [bytes]
    """
    reading = Workload.reading
    where = [reading["content_id"].as_string() == content_id]
    if page_bytes is not None:
        where.append(reading["joined_page_bytes"].as_integer() == page_bytes)
    query = _rows().where(*where).order_by(Workload.created_at, Workload.id)
    rows = (await session.execute(query)).all()
    return [(workload, run, content) for workload, run, content in rows]


async def of_file(
    session: AsyncSession, sha256: str, asked: Mapping[str, Any], core_version: str
) -> str | None:
    """Find the first workload of a file that was read, or is being imported, in the same way.

    Two requests for one file wait for each other until the commit: the later finds what the
    earlier made.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    sha256 : str
        Of the whole file.
    asked : Mapping
        The read options, all of them.
    core_version : str
        What was read by another version is not found: its reader may differ.
    """
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"file:{sha256}"},
    )
    first = (Workload.created_at, Workload.id)
    is_read = (
        select(Workload)
        .join(Upload, Upload.id == Workload.upload_id)
        .join(Run, Run.id == Workload.run_id)
        .where(
            Workload.content_id.is_(None),
            Upload.sha256 == sha256,
            Run.status.in_([RunStatus.QUEUED.value, RunStatus.RUNNING.value]),
        )
        .order_by(*first)
    )
    # Asked first: what is read to its end between the two is found by the second.
    imported = list(await session.scalars(is_read))
    log = Workload.conversion
    was_read = (
        select(Workload.id, log["asked"])
        .where(
            Workload.content_id.is_not(None),
            log["source"]["sha256"].as_string() == sha256,
            log["core_version"].as_string() == core_version,
        )
        .order_by(*first)
    )
    for workload_id, stored in (await session.execute(was_read)).all():
        if reading_of(stored) == asked:
            return str(workload_id)
    for workload in imported:
        if reading_of(workload.reading) == asked:
            return workload.id
    return None


async def lock(session: AsyncSession, workload_id: str) -> Workload | None:
    """Find a workload and keep others from changing it."""
    query = select(Workload).where(Workload.id == workload_id).with_for_update()
    return await session.scalar(query)


async def twins(
    session: AsyncSession, content_ids: Sequence[str]
) -> dict[str, list[str]]:
    """Return the ids of all workloads by content."""
    query = (
        select(Workload.content_id, Workload.id)
        .where(Workload.content_id.in_(content_ids))
        .order_by(Workload.created_at, Workload.id)
    )
    found: dict[str, list[str]] = {}
    for content_id, workload_id in (await session.execute(query)).all():
        if content_id is not None:
            found.setdefault(content_id, []).append(workload_id)
    return found


async def first_with(session: AsyncSession, content_id: str) -> Workload | None:
    """Return the workload that has had a content for longest; None where none has it."""
    query = (
        select(Workload)
        .where(Workload.content_id == content_id)
        .order_by(Workload.created_at, Workload.id)
        .limit(1)
    )
    return await session.scalar(query)


async def lock_content(session: AsyncSession, content_id: str) -> None:
    """Keep everybody else from adding or removing this content until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"content:{content_id}"},
    )


async def add_content(
    session: AsyncSession, content_id: str, summary: dict[str, object]
) -> None:
    """Add a content unless it is there."""
    await session.execute(
        insert(Content)
        .values(id=content_id, summary=summary)
        .on_conflict_do_nothing(index_elements=[Content.id])
    )
