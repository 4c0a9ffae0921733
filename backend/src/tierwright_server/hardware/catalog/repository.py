"""Queries on own devices and price books."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Text, cast, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import OwnTable, Scenario

MAX_OWN = 2000
"""Most own devices, and most own price books: lists stay bounded."""


async def own(session: AsyncSession, table: type[OwnTable]) -> Sequence[OwnTable]:
    """List own devices or price books."""
    query = select(table).order_by(table.created_at, table.id).limit(MAX_OWN)
    return (await session.scalars(query)).all()


async def own_of(
    session: AsyncSession, table: type[OwnTable], identifier: str, *, lock: bool = False
) -> OwnTable | None:
    """Find an own device or price book."""
    query = select(table).where(table.id == identifier)
    return await session.scalar(query.with_for_update() if lock else query)


async def add_unless_there(
    session: AsyncSession,
    table: type[OwnTable],
    identifier: str,
    document: dict[str, Any],
) -> bool:
    """Add an own device or price book, unless another request has added one of its id; whether it is added."""
    added = await session.scalars(
        insert(table)
        .values(id=identifier, document=document)
        .on_conflict_do_nothing()
        .returning(table.id)
    )
    return added.one_or_none() is not None


async def count(session: AsyncSession, table: type[OwnTable]) -> int:
    """Count own devices or price books."""
    return await session.scalar(select(func.count()).select_from(table)) or 0


async def scenarios_naming(session: AsyncSession, identifier: str) -> Sequence[str]:
    """Names of a few scenarios whose state names an own device or price book."""
    query = (
        select(Scenario.name)
        .where(
            func.strpos(cast(Scenario.state, Text), identifier) > 0,
            Scenario.deleted_at.is_(None),
        )
        .limit(5)
    )
    return (await session.scalars(query)).all()
