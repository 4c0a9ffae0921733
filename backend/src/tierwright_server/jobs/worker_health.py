"""`python -m tierwright_server.jobs.worker_health`: does a worker live on this host?

For the health check of a worker's container; exits 0 when one does.
"""

import asyncio
import socket
import sys
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from tierwright_server.common.settings import Settings
from tierwright_server.jobs.workers import IS_LIVE
from tierwright_server.storage.db import make_engine


async def workers_here(settings: Settings) -> int:
    """Count the live workers of this host.

    Raises
    ------
    RuntimeError
        If no database is set.
    """
    if settings.database_url is None:
        raise RuntimeError("TIERWRIGHT_DATABASE_URL is not set")
    engine = make_engine(settings.database_url)
    query = text(f"SELECT count(*) FROM workers w WHERE w.host = :host AND {IS_LIVE}")
    values = {
        "host": socket.gethostname(),
        "stale": timedelta(seconds=settings.worker_stale_s),
    }
    try:
        async with engine.connect() as connection:
            return int((await connection.execute(query, values)).scalar_one())
    finally:
        await engine.dispose()


def main() -> int:
    """Say on stderr why the worker does not count as healthy, if so."""
    try:
        alive = asyncio.run(workers_here(Settings()))
    except (RuntimeError, SQLAlchemyError, OSError) as error:
        print(f"the workers could not be counted: {error}", file=sys.stderr)  # noqa: T201
        return 1
    if alive == 0:
        print("no worker of this host is alive", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
