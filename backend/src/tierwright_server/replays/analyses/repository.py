"""Queries on analyses."""

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import Analysis, Run


async def row(
    session: AsyncSession, kind: str, analysis_id: str
) -> tuple[Analysis, Run | None] | None:
    """Find an analysis of a kind with its run."""
    query = (
        select(Analysis, Run)
        .outerjoin(Run, Run.id == Analysis.run_id)
        .where(Analysis.id == analysis_id, Analysis.kind == kind)
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def lock_id(session: AsyncSession, analysis_id: str) -> None:
    """Keep everybody else from making the same analysis until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"analysis:{analysis_id}"},
    )
