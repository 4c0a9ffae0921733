"""PostgreSQL 16 and later: rows of `pg_stat_io` with the size of the shared buffers and the second.

By its documentation `reads` are operations of `op_bytes` bytes each up to version 17, and bytes are in
`read_bytes` from 18 on; `hits` are blocks that were found in shared buffers. The contexts `bulkread`,
`bulkwrite` and `vacuum` use small rings of buffers and not the whole pool: the point is that of the context
`normal`, and what share of the requests the others have is stated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tierwright.common.units import format_count
from tierwright.common.wording import counted, percent
from tierwright.profile.given.counters import CANNOT_TELL, EVICTIONS, points_of
from tierwright.profile.given.cumulative import (
    Sample,
    columns_of,
    count_of,
    differences,
    head_of,
    readings,
)
from tierwright.profile.given.reading import CurveOptions, Kind, Reading, Row

_NEEDED = frozenset(
    {"seconds", "size_bytes", "block_bytes", "context", "hits", "reads"}
)
_USAGE = frozenset({"usage_count", "buffers"})
_USAGE_COUNT = re.compile(r"[0-5]")
_MOST_USED = 5
"""Largest usage count of PostgreSQL's clock sweep (BM_MAX_USAGE_COUNT)."""
_BUFFERS = re.compile(r"\d{1,18}", re.ASCII)
_POOL = ("buffers_used", "buffers_unused", "buffers_dirty")
_DATA = "data_bytes"
"""Column with the size of all databases, where the query printed it."""
_BESIDE = ("ring", "writes", "evictions")
"""Counters beside those of the point, which must not go backwards either."""
_INIT = "init"
"""Context of creating segments of the log, from 18 on; of relations it counts nothing."""
_RING = ("bulkread", "bulkwrite", "vacuum")


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the names of the columns."""
    if head_of(rows, _NEEDED) is not None:
        return 1.0
    return 0.9 if head_of(rows, _USAGE) is not None else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the present point."""
    found = Reading(size_unit="B", value="miss_ratio")
    usage = head_of(rows, _USAGE)
    if usage is not None:
        found.problem(
            rows[usage].line,
            rows[usage].text,
            "usage counts of a clock sweep are no ages: they show churn and give no curve"
            f"{_churn(rows, usage)}; give two readings of pg_stat_io",
        )
        return found
    at = head_of(rows, _NEEDED)
    if at is None:
        found.problem(
            rows[0].line,
            rows[0].text,
            f"has no head with {', '.join(sorted(_NEEDED))}",
        )
        return found
    columns = columns_of(rows[at])
    found.columns = columns
    if "read_bytes" not in columns and "op_bytes" not in columns:
        found.problem(
            rows[at].line,
            rows[at].text,
            "has neither op_bytes (PostgreSQL 16 and 17) nor read_bytes (18 on), so the unit of the reads is "
            "unknown",
        )
        return found
    moments: dict[str, _Moment] = {}
    for line, cells in readings(found, rows, at):
        moment = moments.setdefault(cells["seconds"], _Moment(line))
        moment.add(found, line, cells)
    if found.problems:
        return found
    return _of_moments(found, rows[at].line, moments, options)


def _churn(rows: Sequence[Row], at: int) -> str:
    """Say what usage counts show of churn: which share of the buffers the sweep may take, and which is used most."""
    columns = columns_of(rows[at])
    buffers: dict[int, int] = {}
    for row in rows[at + 1 :]:
        cells = dict(zip(columns, (cell.strip() for cell in row.cells), strict=False))
        count, held = (cells.get(name, "") for name in ("usage_count", "buffers"))
        if _USAGE_COUNT.fullmatch(count) and _BUFFERS.fullmatch(held):
            buffers[int(count)] = buffers.get(int(count), 0) + int(held)
    total = sum(buffers.values())
    if total == 0:
        return ""
    free, most = (
        f"{format_count(buffers.get(count, 0))} ({percent(buffers.get(count, 0) / total)})"
        for count in (0, _MOST_USED)
    )
    return f" (of {counted(total, 'buffer')} {free} have count 0, {most} count {_MOST_USED})"


def _of_moments(
    found: Reading,
    head: int,
    moments: Mapping[str, _Moment],
    options: CurveOptions,
) -> Reading:
    """Make the point of the moments."""
    samples = [each.sample(found) for each in moments.values()]
    if found.problems:
        return found
    pages = {sample.values["block_bytes"] for sample in samples}
    if len(pages) != 1 or 0 in pages:
        found.problem(
            head,
            ", ".join(f"{size:g}" for size in sorted(pages)),
            "block_bytes must be one positive size",
        )
        return found
    found.page_bytes = round(pages.pop())
    points_of(
        found,
        samples,
        options,
        counts_writes=bool({"writes", "write_bytes"} & set(found.columns)),
        counts_evictions=EVICTIONS in found.columns,
    )
    if not found.problems:
        differences(found, samples, _BESIDE)
    if not found.problems:
        latest = max(samples, key=lambda each: each.values["seconds"])
        found.data_bytes = round(latest.values.get(_DATA, 0)) or None
        found.assumptions += _beside(samples)
    return found


class _Moment:
    """The rows of one moment, added over backends and by context."""

    def __init__(self, line: int) -> None:
        self.line = line
        self._fixed: dict[str, float] = {}
        self._bytes_read = False
        self._sums: dict[str, float] = dict.fromkeys(
            ("requests", "misses", "ring", "writes", "evictions"), 0.0
        )

    def add(self, found: Reading, line: int, cells: Mapping[str, str]) -> None:
        """Add one row of the view."""
        if cells.get("object", "relation") != "relation" or cells["context"] == _INIT:
            return  # temporary tables and the log have buffers of their own
        for name in ("seconds", "size_bytes", "block_bytes", *_POOL, _DATA):
            if not cells.get(name):
                continue
            value = count_of(found, line, name, cells[name])
            if value is None:
                continue
            if self._fixed.setdefault(name, value) != value:
                found.problem(
                    line,
                    cells[name],
                    f"{name} differs from that of line {self.line}, at the same moment",
                )
        context = cells["context"]
        if context not in ("normal", *_RING):
            found.problem(line, context, "is not a context of pg_stat_io")
            return
        hits = count_of(found, line, "hits", cells["hits"])
        blocks = self._blocks(found, line, cells)
        if hits is None or blocks is None:
            return
        if context in _RING:
            self._sums["ring"] += hits + blocks
            return
        self._sums["requests"] += hits + blocks
        self._sums["misses"] += blocks
        self._sums["writes"] += self._written(found, line, cells)
        evicted = count_of(found, line, "evictions", cells.get("evictions", ""))
        self._sums["evictions"] += evicted or 0.0

    def _written(self, found: Reading, line: int, cells: Mapping[str, str]) -> float:
        """Return the blocks that were written, whatever the version counts."""
        block = self._fixed.get("block_bytes", 0.0)
        name = "write_bytes" if "write_bytes" in cells else "writes"
        count = count_of(found, line, name, cells.get(name, "")) or 0.0
        if name == "writes":
            return count * (
                (count_of(found, line, "op_bytes", cells["op_bytes"]) or 0.0) / block
                if block and cells.get("op_bytes")
                else 1.0
            )
        return count / block if block else 0.0

    def _blocks(
        self, found: Reading, line: int, cells: Mapping[str, str]
    ) -> float | None:
        """Return the blocks that were read, whatever the version counts."""
        block = self._fixed.get("block_bytes", 0.0)
        if "read_bytes" in cells:
            moved = count_of(found, line, "read_bytes", cells["read_bytes"])
        else:
            reads = count_of(found, line, "reads", cells["reads"])
            unit = count_of(found, line, "op_bytes", cells["op_bytes"])
            moved = None if reads is None or unit is None else reads * unit
        if moved is None:
            return None
        if block == 0:
            self._bytes_read = self._bytes_read or moved > 0
            return 0.0
        return moved / block

    def sample(self, found: Reading) -> Sample:
        """Return its counters."""
        empty = {"seconds": 0.0, "size_bytes": 0.0, "block_bytes": 0.0}
        for name in empty:
            if name not in self._fixed:
                found.problem(self.line, "", f"{name} is empty")
        block = self._fixed.get("block_bytes")
        if block is not None and (block < 1 or block != int(block)):
            found.problem(
                self.line, f"{block:.15g}", "block_bytes must be whole, from 1 on"
            )
        elif block is not None and self._bytes_read:
            # Of rows that came before the size of a block was known.
            found.problem(
                self.line, "", "block_bytes is empty in the first row of this moment"
            )
        return Sample(self.line, {**empty, **self._fixed, **self._sums})


def _beside(samples: Sequence[Sample]) -> list[str]:
    """Say what the rows contain beside the point."""
    ordered = sorted(samples, key=lambda each: each.values["seconds"])
    first, last = ordered[0].values, ordered[-1].values
    normal, ring = (last[name] - first[name] for name in ("requests", "ring"))
    said = [
        "The point is that of the shared buffers, context `normal`; "
        f"{percent(ring / (normal + ring)) if normal + ring else percent(0)} of all requests used ring buffers "
        "(sequential scans, bulk writes, vacuum) and are left out.",
        "A miss is a read of the database; the memory of the kernel may have answered it, so it is not always a "
        "read of the device.",
    ]
    if "buffers_used" in last:
        used, unused = last["buffers_used"], last.get("buffers_unused", 0.0)
        dirty = last.get("buffers_dirty", 0.0)
        if used:
            said.append(
                f"Dirty at the last reading: {format_count(dirty)} of {counted(round(used), 'used buffer')} "
                f"({percent(dirty / used)}), of what is resident, not of what is evicted."
            )
        if unused:
            said.append(
                "The pool was not full: "
                + counted(round(unused), "buffer was unused", "buffers were unused")
                + ", so a smaller pool may miss as little."
            )
    return said


KIND = Kind(
    "postgres",
    "PostgreSQL pg_stat_io",
    "Two readings of pg_stat_io (PostgreSQL 16 on) with the size of the shared buffers, as the documented query "
    "prints them: the present size and its miss ratio.",
    "seconds,size_bytes,block_bytes,backend_type,object,context,reads,op_bytes,hits,evictions,writes\n"
    "1764100000,8589934592,8192,client backend,relation,normal,81726354,8192,836547291,81000000,1200000\n"
    "1764100000,8589934592,8192,client backend,relation,bulkread,5120000,8192,12000,0,0\n"
    "1764103600,8589934592,8192,client backend,relation,normal,82046754,8192,839826891,81320000,1210000\n"
    "1764103600,8589934592,8192,client backend,relation,bulkread,5160000,8192,12100,0,0\n",
    score,
    read,
    (
        *CANNOT_TELL,
        "Any other size: two readings at one size bound what other sizes miss and give no curve. PostgreSQL "
        "replaces by a clock sweep, not LRU.",
    ),
)
