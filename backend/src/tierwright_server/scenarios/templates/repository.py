"""Queries on templates."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.http.paging import Page
from tierwright_server.storage.tables import AdviceTemplate

MAX_TEMPLATES = 1000


async def page(
    session: AsyncSession, asked: Page
) -> tuple[Sequence[AdviceTemplate], int]:
    """List templates by name, and count them."""
    query = asked.of_query(
        select(AdviceTemplate),
        {
            "name": AdviceTemplate.name,
            "created_at": AdviceTemplate.created_at,
            "updated_at": AdviceTemplate.updated_at,
        },
        (func.lower(AdviceTemplate.name), AdviceTemplate.id),
    )
    total = await count(session)
    asked.link(total)
    return (await session.scalars(query)).all(), total


async def count(session: AsyncSession) -> int:
    """Count templates."""
    query = select(func.count()).select_from(AdviceTemplate)
    return await session.scalar(query) or 0


async def get(
    session: AsyncSession, template_id: str, *, lock: bool = False
) -> AdviceTemplate | None:
    """Find a template."""
    query = select(AdviceTemplate).where(AdviceTemplate.id == template_id)
    return await session.scalar(query.with_for_update() if lock else query)
