"""The health of the server's parts."""

from datetime import timedelta

import structlog
from sqlalchemy.exc import DBAPIError

from tierwright_server.context import Context
from tierwright_server.health.schemas import HealthOut
from tierwright_server.jobs.workers import count_live
from tierwright_server.version import VERSION

log = structlog.get_logger(__name__)


async def get_health(context: Context) -> HealthOut:
    """Ask the database, and through it the workers."""
    stale = timedelta(seconds=context.settings.worker_stale_s)
    try:
        async with context.sessions() as session:
            workers = await count_live(session, stale)
    except (DBAPIError, OSError) as error:
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
