"""Queries on scenarios."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.tables import Scenario

MAX_SCENARIOS = 10_000


async def page(
    session: AsyncSession, limit: int, offset: int
) -> tuple[Sequence[Scenario], int]:
    """List scenarios, last changed first, and count them."""
    query = (
        select(Scenario)
        .order_by(Scenario.updated_at.desc(), Scenario.id)
        .limit(limit)
        .offset(offset)
    )
    return (await session.scalars(query)).all(), await count(session)


async def count(session: AsyncSession) -> int:
    """Count scenarios."""
    return await session.scalar(select(func.count()).select_from(Scenario)) or 0


async def get(
    session: AsyncSession, scenario_id: str, *, lock: bool = False
) -> Scenario | None:
    """Find a scenario."""
    query = select(Scenario).where(Scenario.id == scenario_id)
    return await session.scalar(query.with_for_update() if lock else query)
