"""Workloads that were asked for last, each read again only when it has changed."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import orjson
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright_server.quick_reads import QuickReads
from tierwright_server.quick_reads import Row as Version
from tierwright_server.workloads import repository

_MOST_BYTES = 16 * 2**20

# A row that was changed has another place and another transaction.
_VERSION = """
    SELECT w.xmin::text, w.ctid::text, c.xmin::text, c.ctid::text
    FROM workloads w JOIN contents c ON c.id = w.content_id
    WHERE w.id = %(id)s
"""


class _Kept(NamedTuple):
    version: Version
    row: repository.Row
    bytes: int


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
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def row(self, workload_id: str) -> repository.Row | None:
        """Find a workload with its run and content, not to be changed.

        Raises
        ------
        Unavailable
            If the database does not answer.
        """
        found = await self._reads.rows(_VERSION, {"id": workload_id})
        kept = self._kept.get(workload_id)
        if found and kept is not None and kept.version == found[0]:
            self._kept.move_to_end(workload_id)
            return kept.row
        self._kept.pop(workload_id, None)
        async with self._sessions() as session:
            row = await repository.row(session, workload_id)
        # Asked before it was read: what changed between is read once more, not kept.
        if found and row is not None and row[2] is not None:
            self._keep(workload_id, found[0], row)
        return row

    def _keep(self, workload_id: str, version: Version, row: repository.Row) -> None:
        workload, _, content = row
        documents = (workload.columns, workload.conversion, content and content.summary)
        size = len(orjson.dumps(documents))
        self._kept[workload_id] = _Kept(version, row, size)
        while sum(each.bytes for each in self._kept.values()) > _MOST_BYTES:
            self._kept.popitem(last=False)
