"""Queries on rankings."""

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import QuoteRanking, now

MOST_KEPT = 1000
"""Rankings that are kept; the oldest go first."""


async def get(session: AsyncSession, ranking_id: str) -> bytes | None:
    """Find the answer of a ranking."""
    query = select(QuoteRanking.answer).where(QuoteRanking.id == ranking_id)
    return await session.scalar(query)


async def keep(session: AsyncSession, ranking_id: str, answer: bytes) -> bytes:
    """Keep an answer, and return the one that is kept: the first of its id."""
    await session.execute(
        insert(QuoteRanking)
        .values(id=ranking_id, answer=answer, created_at=now())
        .on_conflict_do_nothing()
    )
    count = await session.scalar(select(func.count()).select_from(QuoteRanking)) or 0
    if count > MOST_KEPT:
        oldest = (
            select(QuoteRanking.id)
            .where(QuoteRanking.id != ranking_id)
            .order_by(QuoteRanking.created_at, QuoteRanking.id)
            .limit(count - MOST_KEPT)
        )
        await session.execute(delete(QuoteRanking).where(QuoteRanking.id.in_(oldest)))
    return await get(session, ranking_id) or answer
