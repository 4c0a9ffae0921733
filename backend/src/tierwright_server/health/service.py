"""The health of the server's parts."""

import asyncio
import tempfile
from datetime import timedelta

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tierwright_server.common.errors import Unavailable
from tierwright_server.common.settings import Settings
from tierwright_server.common.version import VERSION
from tierwright_server.health.schemas import HealthOut, LiveOut, ReadyOut
from tierwright_server.http.context import Context
from tierwright_server.jobs.workers import count_live
from tierwright_server.runtime.database_watch import unavailable

log = structlog.get_logger(__name__)


async def get_health(context: Context) -> HealthOut:
    """Ask the database, and through it the workers."""
    stale = timedelta(seconds=context.settings.worker_stale_s)

    async def count() -> int:
        async with context.sessions() as session:
            return await count_live(session, stale)

    try:
        workers = await context.watch.unless_lost(count())
    except (DBAPIError, PoolTimeout, OSError, Unavailable) as error:
        log.warning("health: database unreachable", error=str(error))
        return HealthOut(
            status="degraded", version=VERSION, database="unreachable", workers_alive=0
        )
    return HealthOut(
        status="ok" if workers else "degraded",
        version=VERSION,
        database="ok",
        workers_alive=workers,
    )


def get_live() -> LiveOut:
    """Say that the process answers; whatever it needs is asked for by `get_ready`."""
    return LiveOut(status="alive", version=VERSION)


async def get_ready(context: Context) -> ReadyOut:
    """Say that questions can be answered and results be kept.

    Raises
    ------
    Unavailable
        If the database does not answer, or the data folder cannot be written.
    """
    health = await get_health(context)
    if health.database != "ok":
        raise unavailable()
    await asyncio.to_thread(_check_folder, context.settings)
    return ReadyOut(status="ready", version=VERSION, workers_alive=health.workers_alive)


def _check_folder(settings: Settings) -> None:
    """Write, read and remove a file of the data folder."""
    try:
        with tempfile.TemporaryFile(dir=settings.data_dir) as file:
            file.write(b"ready")
            file.flush()
    except OSError as error:
        raise Unavailable(
            f"the data folder cannot be written: {error.strerror or error}",
            hint="Free some space on its disk, and check that it is mounted and "
            "belongs to the user that runs Tierwright.",
        ) from error
