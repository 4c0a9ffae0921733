"""Queries on studies of transactions."""

from sqlalchemy import delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.http.paging import Page, like
from tierwright_server.jobs.runs.states import FINAL
from tierwright_server.storage.tables import Run, TransactionStudy

MOST_KEPT = 1000
"""Studies that are kept; the oldest go first, those under way never."""

Row = tuple[TransactionStudy, Run | None]


async def get(session: AsyncSession, study_id: str) -> Row | None:
    """Find a study with its run."""
    query = (
        select(TransactionStudy, Run)
        .outerjoin(Run, Run.id == TransactionStudy.run_id)
        .where(TransactionStudy.id == study_id)
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def page(
    session: AsyncSession, asked: Page, filename: str | None
) -> tuple[list[Row], int]:
    """List studies with their runs, newest first, and count them."""
    where = [] if filename is None else [like(TransactionStudy.filename, filename)]
    query = asked.of_query(
        select(TransactionStudy, Run)
        .outerjoin(Run, Run.id == TransactionStudy.run_id)
        .where(*where),
        {
            "created_at": TransactionStudy.created_at,
            "filename": TransactionStudy.filename,
        },
        (TransactionStudy.created_at.desc(), TransactionStudy.id),
    )
    count = select(func.count()).select_from(TransactionStudy).where(*where)
    total = await session.scalar(count) or 0
    asked.link(total)
    rows = (await session.execute(query)).all()
    return [(study, run) for study, run in rows], total


async def of_run(session: AsyncSession, run: Run) -> TransactionStudy | None:
    """Return the study that a run makes."""
    return await session.get(TransactionStudy, run.subject_id)


async def keep_the_newest(session: AsyncSession) -> None:
    """Remove the oldest studies beyond those that are kept."""
    count = await session.scalar(select(func.count()).select_from(TransactionStudy))
    if count is None or count <= MOST_KEPT:
        return
    ended = or_(Run.id.is_(None), Run.status.in_([each.value for each in FINAL]))
    oldest = (
        select(TransactionStudy.id)
        .outerjoin(Run, Run.id == TransactionStudy.run_id)
        .where(ended)
        .order_by(TransactionStudy.created_at, TransactionStudy.id)
        .limit(count - MOST_KEPT)
    )
    await session.execute(
        delete(TransactionStudy).where(TransactionStudy.id.in_(oldest))
    )
