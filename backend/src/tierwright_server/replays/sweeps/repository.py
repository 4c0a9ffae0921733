"""Queries on sweeps and replays."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.http.paging import Page
from tierwright_server.storage.quick_reads import QuickReads
from tierwright_server.storage.tables import Content, Replay, Run, Sweep

Row = tuple[Sweep, Run | None]


async def row(session: AsyncSession, sweep_id: str) -> Row | None:
    """Find a sweep with its run."""
    query = (
        select(Sweep, Run)
        .outerjoin(Run, Run.id == Sweep.run_id)
        .where(Sweep.id == sweep_id)
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def page(
    session: AsyncSession, asked: Page, content_id: str | None
) -> tuple[list[Row], int]:
    """List sweeps, newest first, and count them."""
    where = [] if content_id is None else [Sweep.content_id == content_id]
    query = asked.of_query(
        select(Sweep, Run).outerjoin(Run, Run.id == Sweep.run_id).where(*where),
        {"created_at": Sweep.created_at},
        (Sweep.created_at.desc(), Sweep.id),
    )
    rows = (await session.execute(query)).all()
    total = await session.scalar(select(func.count()).select_from(Sweep).where(*where))
    asked.link(total or 0)
    return [(found[0], found[1]) for found in rows], total or 0


async def lock_id(session: AsyncSession, sweep_id: str) -> None:
    """Keep everybody else from making the same sweep until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"sweep:{sweep_id}"},
    )


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
