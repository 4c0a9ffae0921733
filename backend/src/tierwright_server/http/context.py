"""What every request of one app shares, and how an endpoint asks for it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from tierwright_server.common.settings import Settings
from tierwright_server.runtime.database_watch import DatabaseWatch
from tierwright_server.storage.quick_reads import QuickReads

T = TypeVar("T")


@dataclass(frozen=True)
class Context:
    """Settings and database, and what each room keeps; `reading` leaves transactions out.

    `kept` holds one object a type, so that this room need not know those above it.
    """

    settings: Settings
    engine: AsyncEngine
    reading: Engine
    sessions: async_sessionmaker[AsyncSession]
    reads: QuickReads
    watch: DatabaseWatch
    stopping: asyncio.Event
    kept: Mapping[type[Any], Any]

    def of(self, kind: type[T]) -> T:
        """Return what a room keeps for the whole process, by its type."""
        found: T = self.kept[kind]
        return found


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
