"""What every request of one app shares, and how an endpoint asks for it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from tierwright_server.analyses.cache import AnalysisCache
from tierwright_server.catalog.shipped import ShippedCatalog
from tierwright_server.curves import CurveCache
from tierwright_server.database_watch import DatabaseWatch
from tierwright_server.jobs.events import RunEvents
from tierwright_server.quick_reads import QuickReads
from tierwright_server.settings import Settings
from tierwright_server.workloads.kept import KeptWorkloads


@dataclass(frozen=True)
class Context:
    """Settings, database, shipped catalogue, caches; `reading` leaves transactions out."""

    settings: Settings
    engine: AsyncEngine
    reading: Engine
    sessions: async_sessionmaker[AsyncSession]
    reads: QuickReads
    workloads: KeptWorkloads
    shipped: ShippedCatalog
    curves: CurveCache
    analyses: AnalysisCache
    events: RunEvents
    watch: DatabaseWatch
    stopping: asyncio.Event


async def get_context(request: Request) -> Context:
    """Return the app's context; a coroutine, because others are sent to a thread."""
    context: Context = request.app.state.context
    return context


ContextDep = Annotated[Context, Depends(get_context)]


async def get_session(context: ContextDep) -> AsyncIterator[AsyncSession]:
    """Open a session that commits once, after the endpoint and before the answer."""
    async with context.sessions() as session:
        yield session
        if session.in_transaction():
            await session.commit()


# scope="function": the commit must have happened when the answer leaves.
SessionDep = Annotated[AsyncSession, Depends(get_session, scope="function")]


def only_reads(session: AsyncSession, context: Context) -> None:
    """Spare a request that only reads the beginning and the end of a transaction."""
    if session.in_transaction():
        return  # begun already, as by the look for a price book's exchange rate
    session.sync_session.bind = context.reading
