"""What every slider asks of the database: one statement, no transaction, no objects made of it."""

from collections.abc import Mapping
from typing import Any, LiteralString

import psycopg
from psycopg_pool import AsyncConnectionPool

from tierwright_server.storage.db import connection_options, psycopg_dsn

NAME = "tierwright-reads"
"""By which the database lists the connections."""
_CONNECTIONS = 4
"""A statement takes less than a millisecond, and each process has one loop."""
_POOL_S = 4.0

Row = tuple[Any, ...]


class QuickReads:
    """Connections for single statements that read.

    Parameters
    ----------
    url : str
        Address of the database.
    statement_timeout_s : float
        Most time of a statement. [s]
    """

    def __init__(self, url: str, *, statement_timeout_s: float) -> None:
        self._pool = AsyncConnectionPool(
            psycopg_dsn(url),
            min_size=1,
            max_size=_CONNECTIONS,
            timeout=_POOL_S,
            open=False,
            name=NAME,
            kwargs={
                "application_name": NAME,
                "autocommit": True,
                "prepare_threshold": 1,
                **connection_options(url, statement_timeout_s=statement_timeout_s),
            },
        )

    async def start(self) -> None:
        """Open the connections, without waiting for them."""
        await self._pool.open(wait=False)

    async def stop(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def rows(self, query: LiteralString, values: Mapping[str, Any]) -> list[Row]:
        """Return what a statement finds.

        Raises
        ------
        psycopg.OperationalError
            If the database does not answer; `problems` renders it.
        """
        try:
            return await self._ask(query, values)
        except psycopg.OperationalError:
            # Connections outlive a server that was started again; none else is told.
            await self._pool.check()
            return await self._ask(query, values)

    async def _ask(self, query: LiteralString, values: Mapping[str, Any]) -> list[Row]:
        async with self._pool.connection() as connection:
            found = await connection.execute(query, values)
            return await found.fetchall()
