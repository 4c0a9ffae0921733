"""Which workers live: those that hold their advisory lock and whose heart beats."""

from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

LOCK_CLASS = 0x54574B52
"""Class of the advisory locks that workers hold, each under its id."""

# objsubid 2 marks a lock of two 32-bit keys.
IS_LIVE = f"""
    w.heartbeat_at >= now() - :stale AND EXISTS (
        SELECT 1 FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.granted
        AND l.classid = {LOCK_CLASS}::oid AND l.objid = w.id::text::oid
        AND l.objsubid = 2
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
"""
"""SQL condition on a row `w` of `workers`, with the parameter `stale`."""


async def count_live(session: AsyncSession, stale: timedelta) -> int:
    """Count the live workers."""
    query = text(f"SELECT count(*) FROM workers w WHERE {IS_LIVE}")
    return await session.scalar(query, {"stale": stale}) or 0
