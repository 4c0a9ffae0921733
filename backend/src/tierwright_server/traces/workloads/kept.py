"""Workloads that were asked for last, each read again only when it has changed."""

from __future__ import annotations

import orjson
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.storage.quick_reads import QuickReads
from tierwright_server.storage.shared_cache import SharedCache
from tierwright_server.traces.workloads import repository

_MOST_BYTES = 16 * 2**20

# A row that was changed has another place and another transaction.
_VERSION = """
    SELECT w.xmin::text, w.ctid::text, c.xmin::text, c.ctid::text
    FROM workloads w JOIN contents c ON c.id = w.content_id
    WHERE w.id = %(id)s
"""


def _size_of(row: repository.Row | None) -> int:
    if row is None:
        return 0
    workload, _, content = row
    documents = (workload.reading, workload.conversion, content and content.summary)
    return len(orjson.dumps(documents))


class KeptWorkloads:
    """Keeps what was read last, and asks before each use whether it is still so.

    Parameters
    ----------
    reads : QuickReads
        Asks.
    sessions : async_sessionmaker
        Reads what has changed.
    """

    def __init__(
        self, reads: QuickReads, sessions: async_sessionmaker[AsyncSession]
    ) -> None:
        self._reads = reads
        self._sessions = sessions
        self._rows = SharedCache[repository.Row | None](_MOST_BYTES, _size_of)

    async def row(self, workload_id: str) -> repository.Row | None:
        """Find a workload with its run and content, not to be changed.

        Raises
        ------
        psycopg.OperationalError
            If the database does not answer.
        """
        versions = await self._reads.rows(_VERSION, {"id": workload_id})
        if not versions:  # nothing was read of it yet
            return await self._read(workload_id)
        # What changes while it is read has another version, and is read once more.
        key = " ".join((workload_id, *versions[0]))
        return await self._rows.get(key, lambda: self._read(workload_id))

    async def _read(self, workload_id: str) -> repository.Row | None:
        async with self._sessions() as session:
            return await repository.row(session, workload_id)
