"""What is deleted when nobody has wanted it for long."""

from __future__ import annotations

import asyncio

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.common.settings import Settings
from tierwright_server.questions.quote_rankings import service as quote_rankings
from tierwright_server.replays.stored import service as stored
from tierwright_server.traces.uploads.service import expire

log = structlog.get_logger(__name__)

_INTERVAL_S = 600.0


async def expire_forever(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Expire uploads and results now and then."""
    while True:
        try:
            await expire(settings, sessions)
            await stored.expire_analyses(settings, sessions)
            await stored.expire_results(settings, sessions)
            await quote_rankings.expire(settings, sessions)
        except (DBAPIError, OSError) as error:
            log.warning("expiry failed", error=str(error))
        await asyncio.sleep(_INTERVAL_S)
