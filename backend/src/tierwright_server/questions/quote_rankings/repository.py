"""Queries on rankings."""

from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import QuoteRanking, now

MOST_KEPT = 1000
"""Rankings that are kept; the oldest go first."""
MOST_KEPT_BYTES = 256 * 2**20
"""All of them together; the one that was just made stays whatever its size. [bytes]"""


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
    newest = (QuoteRanking.created_at.desc(), QuoteRanking.id.desc())
    kept = select(
        QuoteRanking.id,
        func.row_number().over(order_by=newest).label("place"),
        func.sum(func.length(QuoteRanking.answer)).over(order_by=newest).label("bytes"),
    ).subquery()
    await session.execute(
        delete(QuoteRanking).where(
            QuoteRanking.id != ranking_id,
            QuoteRanking.id.in_(
                select(kept.c.id).where(
                    (kept.c.place > MOST_KEPT) | (kept.c.bytes > MOST_KEPT_BYTES)
                )
            ),
        )
    )
    return await get(session, ranking_id) or answer


async def expire(session: AsyncSession, before: datetime) -> int:
    """Delete the rankings that were made before a moment, and return how many they were."""
    gone = await session.scalars(
        delete(QuoteRanking)
        .where(QuoteRanking.created_at < before)
        .returning(QuoteRanking.id)
    )
    return len(gone.all())
