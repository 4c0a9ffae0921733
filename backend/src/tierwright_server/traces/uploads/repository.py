"""Queries on uploads."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.elements import ColumnElement

from tierwright_server.http.paging import Page, like
from tierwright_server.storage.tables import Run, TransactionStudy, Upload, Workload

MAX_LISTED = 500


_OPEN = ("queued", "running")


def _in_use() -> ColumnElement[bool]:
    """Whether a job that has not ended reads or fetches the upload."""
    fetched = exists(
        select(Run.id).where(Run.id == Upload.run_id, Run.status.in_(_OPEN))
    )
    return or_(_is_read(), fetched)


def _is_read() -> ColumnElement[bool]:
    """Whether a job that has not ended reads the upload into a workload or a study."""
    workloads = exists(
        select(Workload.id)
        .join(Run, Run.id == Workload.run_id)
        .where(Workload.upload_id == Upload.id, Run.status.in_(_OPEN))
    )
    studies = exists(
        select(TransactionStudy.id)
        .join(Run, Run.id == TransactionStudy.run_id)
        .where(TransactionStudy.upload_id == Upload.id, Run.status.in_(_OPEN))
    )
    return or_(workloads, studies)


async def get(
    session: AsyncSession, upload_id: str, *, lock: bool = False
) -> Upload | None:
    """Find an upload."""
    query = select(Upload).where(Upload.id == upload_id)
    return await session.scalar(query.with_for_update() if lock else query)


async def free(
    session: AsyncSession, asked: Page, filename: str | None, complete: bool | None
) -> tuple[Sequence[Upload], int]:
    """List the uploads that no running job reads, newest first, and count them."""
    where = [~_is_read()]
    if filename is not None:
        where.append(like(Upload.filename, filename))
    if complete is not None:
        where.append(Upload.complete.is_(complete))
    query = asked.of_query(
        select(Upload).where(*where),
        {
            "created_at": Upload.created_at,
            "filename": Upload.filename,
            "size_bytes": Upload.size_bytes,
        },
        (Upload.created_at.desc(), Upload.id),
    )
    total = await session.scalar(select(func.count()).select_from(Upload).where(*where))
    asked.link(total or 0)
    return (await session.scalars(query)).all(), total or 0


async def fetched(session: AsyncSession, url: str, etag: str) -> Upload | None:
    """Find the upload that was or is being fetched from the same version of an object."""
    query = (
        select(Upload)
        .where(Upload.source_url == url, Upload.source_etag == etag, ~_is_read())
        .order_by(Upload.created_at.desc(), Upload.id)
        .limit(1)
        .with_for_update()
    )
    return await session.scalar(query)


async def read_from(session: AsyncSession, sha256: str) -> list[tuple[str, str]]:
    """Return id and name of the workloads that were read from the file with this hash."""
    query = (
        select(Workload.id, Workload.name)
        .where(Workload.conversion["source"]["sha256"].as_string() == sha256)
        .order_by(Workload.created_at, Workload.id)
        .limit(MAX_LISTED)
    )
    return [(row[0], row[1]) for row in (await session.execute(query)).all()]


async def is_in_use(session: AsyncSession, upload_id: str) -> bool:
    """Say whether a job that has not ended reads or fetches the upload."""
    query = select(Upload.id).where(Upload.id == upload_id, _in_use())
    return await session.scalar(query) is not None


async def lock_expired(session: AsyncSession, present: datetime) -> Sequence[Upload]:
    """Lock the uploads that have expired and that nobody reads."""
    query = (
        select(Upload)
        .where(Upload.expires_at < present, ~_in_use())
        .with_for_update(skip_locked=True)
    )
    return (await session.scalars(query)).all()


async def known(session: AsyncSession, ids: Sequence[str]) -> set[str]:
    """Return which of the ids are uploads."""
    return set(await session.scalars(select(Upload.id).where(Upload.id.in_(ids))))
