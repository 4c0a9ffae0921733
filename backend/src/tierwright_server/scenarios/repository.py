"""Queries on scenarios."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.tables import Scenario

MAX_SCENARIOS = 10_000


async def page(
    session: AsyncSession, limit: int, offset: int
) -> tuple[Sequence[Scenario], int]:
    """List scenarios, last changed first, and count them."""
    query = (
        select(Scenario)
        .where(Scenario.deleted_at.is_(None))
        .order_by(Scenario.updated_at.desc(), Scenario.id)
        .limit(limit)
        .offset(offset)
    )
    return (await session.scalars(query)).all(), await count(session)


async def count(session: AsyncSession) -> int:
    """Count scenarios."""
    query = (
        select(func.count()).select_from(Scenario).where(Scenario.deleted_at.is_(None))
    )
    return await session.scalar(query) or 0


async def get(
    session: AsyncSession,
    scenario_id: str,
    *,
    lock: bool = False,
    deleted: bool = False,
) -> Scenario | None:
    """Find a scenario, or a deleted one."""
    state = (
        Scenario.deleted_at.is_not(None) if deleted else Scenario.deleted_at.is_(None)
    )
    query = select(Scenario).where(Scenario.id == scenario_id, state)
    return await session.scalar(query.with_for_update() if lock else query)


async def purge(session: AsyncSession, before: datetime) -> None:
    """Remove for good what was deleted before a time."""
    await session.execute(delete(Scenario).where(Scenario.deleted_at < before))
