"""Queries on scenarios."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.elements import ColumnElement

from tierwright_server.http.paging import Page, like
from tierwright_server.storage.tables import Scenario

MAX_SCENARIOS = 10_000


async def page(
    session: AsyncSession, asked: Page, name: str | None, question: str | None
) -> tuple[Sequence[Scenario], int]:
    """List scenarios, last changed first, and count them."""
    where: list[ColumnElement[bool]] = [Scenario.deleted_at.is_(None)]
    if name is not None:
        where.append(like(Scenario.name, name))
    if question is not None:
        where.append(Scenario.question == question)
    query = asked.of_query(
        select(Scenario).where(*where),
        {
            "name": Scenario.name,
            "created_at": Scenario.created_at,
            "updated_at": Scenario.updated_at,
        },
        (Scenario.updated_at.desc(), Scenario.id),
    )
    total = await count(session, where)
    asked.link(total)
    return (await session.scalars(query)).all(), total


async def count(
    session: AsyncSession, where: Sequence[ColumnElement[bool]] | None = None
) -> int:
    """Count scenarios, or those that fit."""
    fitting = [Scenario.deleted_at.is_(None)] if where is None else where
    query = select(func.count()).select_from(Scenario).where(*fitting)
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
