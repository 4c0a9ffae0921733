"""What is deleted when nobody has wanted it for long."""

from __future__ import annotations

import asyncio
import shutil
import time
from functools import partial

import structlog
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.common.errors import BadGateway
from tierwright_server.common.settings import Settings
from tierwright_server.questions.quote_rankings import service as quote_rankings
from tierwright_server.replays.stored import service as stored
from tierwright_server.storage import shared_store
from tierwright_server.storage.tables import Content, Run, Upload
from tierwright_server.traces.uploads.service import expire

log = structlog.get_logger(__name__)

_INTERVAL_S = 600.0
_STRAY_AGE_S = 24 * 3600.0
_PREFIXES = ("uploads", "contents", "work")


async def expire_objects(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Remove objects of the store that belong to no row, and copies of contents that were deleted elsewhere.

    Only those that were written long ago: what a job has just made has no row yet.
    """
    shared = shared_store.store_of(settings)
    if shared is None:
        return
    old: set[str] = set()
    for prefix in _PREFIXES:
        found = await asyncio.to_thread(
            partial(shared.sizes, prefix, older_than_s=_STRAY_AGE_S)
        )
        old |= {"/".join(name.split("/")[:2]) for name in found}
    here = {
        f"contents/{path.name}"
        for path in settings.contents_dir.iterdir()
        if path.stat().st_mtime < time.time() - _STRAY_AGE_S
    }
    known = {
        "uploads": select(Upload.id),
        "contents": select(Content.id),
        "work": select(Run.id).where(Run.status.in_(("queued", "running"))),
    }
    async with sessions() as session:
        kept = {
            f"{prefix}/{row_id}"
            for prefix, query in known.items()
            for row_id in await session.scalars(query)
        }
    for name in sorted(old - kept):
        await asyncio.to_thread(shared_store.forget, settings, settings.data_dir / name)
        log.info("object expired", name=name)
    for name in sorted(here - kept):
        path = settings.data_dir / name
        await asyncio.to_thread(partial(shutil.rmtree, path, ignore_errors=True))


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
            await expire_objects(settings, sessions)
        except (DBAPIError, OSError, BadGateway) as error:
            log.warning("expiry failed", error=str(error))
        await asyncio.sleep(_INTERVAL_S)
