"""Replays that are done, kept for every question that asks for the same."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.quick_reads import QuickReads
from tierwright_server.storage.tables import Content, Replay


async def results(
    session: AsyncSession, content_id: str, keys: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return the replays that are done, by key."""
    query = select(Replay.key, Replay.result).where(
        Replay.content_id == content_id, Replay.key.in_(keys)
    )
    return {row.key: row.result for row in (await session.execute(query)).all()}


async def done(session: AsyncSession, content_id: str, keys: Sequence[str]) -> set[str]:
    """Return the keys of the replays that are done."""
    query = select(Replay.key).where(
        Replay.content_id == content_id, Replay.key.in_(keys)
    )
    return set((await session.scalars(query)).all())


async def done_now(reads: QuickReads, content_id: str, keys: Sequence[str]) -> set[str]:
    """Return the same, outside of any transaction: every slider asks it."""
    query = "SELECT key FROM replays WHERE content_id = %(id)s AND key = ANY(%(keys)s)"
    rows = await reads.rows(query, {"id": content_id, "keys": list(keys)})
    return {key for (key,) in rows}


async def keep(
    session: AsyncSession, content_id: str, found: Mapping[str, dict[str, Any]]
) -> None:
    """Store replays; those that are there stay as they are."""
    if found and await session.get(Content, content_id) is not None:
        await session.execute(
            insert(Replay)
            .values(
                [
                    {"content_id": content_id, "key": key, "result": result}
                    for key, result in found.items()
                ]
            )
            .on_conflict_do_nothing()
        )
