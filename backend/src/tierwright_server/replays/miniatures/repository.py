"""Queries on miniatures; their rows are replays, as those of sweeps."""

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import Miniature, Run


async def row(
    session: AsyncSession, miniature_id: str
) -> tuple[Miniature, Run | None] | None:
    """Find a miniature with its run."""
    query = (
        select(Miniature, Run)
        .outerjoin(Run, Run.id == Miniature.run_id)
        .where(Miniature.id == miniature_id)
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def lock_id(session: AsyncSession, miniature_id: str) -> None:
    """Keep everybody else from making the same miniature until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"miniature:{miniature_id}"},
    )
