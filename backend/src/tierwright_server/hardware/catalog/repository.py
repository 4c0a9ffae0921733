"""Queries on own devices and price books."""

from collections.abc import Sequence

from sqlalchemy import Text, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import Device, PriceBook, Scenario

MAX_OWN = 2000
"""Most own devices, and most own price books: lists stay bounded."""


async def devices(session: AsyncSession) -> Sequence[Device]:
    """List own devices."""
    query = select(Device).order_by(Device.created_at, Device.id).limit(MAX_OWN)
    return (await session.scalars(query)).all()


async def device(
    session: AsyncSession, device_id: str, *, lock: bool = False
) -> Device | None:
    """Find an own device."""
    query = select(Device).where(Device.id == device_id)
    return await session.scalar(query.with_for_update() if lock else query)


async def price_books(session: AsyncSession) -> Sequence[PriceBook]:
    """List own price books."""
    query = (
        select(PriceBook).order_by(PriceBook.created_at, PriceBook.id).limit(MAX_OWN)
    )
    return (await session.scalars(query)).all()


async def price_book(
    session: AsyncSession, price_book_id: str, *, lock: bool = False
) -> PriceBook | None:
    """Find an own price book."""
    query = select(PriceBook).where(PriceBook.id == price_book_id)
    return await session.scalar(query.with_for_update() if lock else query)


async def count(session: AsyncSession, table: type[Device] | type[PriceBook]) -> int:
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
