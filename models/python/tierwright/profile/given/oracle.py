"""Rows of Oracle's view V$DB_CACHE_ADVICE: estimated physical reads by buffer cache size.

Columns by Oracle's Database Reference: SIZE_FOR_ESTIMATE in megabytes, BUFFERS_FOR_ESTIMATE in
buffers, ESTD_PHYSICAL_READS, ESTD_PHYSICAL_READ_FACTOR relative to the current cache, BLOCK_SIZE in
bytes, NAME of the buffer pool. The view tells misses and no accesses: logical reads over the same
interval have to be stated (`session logical reads` of V$SYSSTAT).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tierwright.common.wording import counted
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Question,
    Reading,
    Row,
    number,
)

_SIZE, _BUFFERS = "SIZE_FOR_ESTIMATE", "BUFFERS_FOR_ESTIMATE"
_READS, _FACTOR = "ESTD_PHYSICAL_READS", "ESTD_PHYSICAL_READ_FACTOR"
_BLOCK, _NAME, _STATUS = "BLOCK_SIZE", "NAME", "ADVICE_STATUS"
_KNOWN = frozenset({_SIZE, _BUFFERS, _READS, _FACTOR})


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the names of the columns."""
    head = _head(rows)
    if head is None:
        return 0.0
    return 1.0 if _READS in _names(rows[head]) else 0.9


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the rows of one buffer pool."""
    found = Reading(size_unit="pages", value="misses")
    at = _head(rows)
    if at is None:
        if rows:
            found.problem(
                rows[0].line,
                rows[0].text,
                f"has no head with {_SIZE} or {_BUFFERS}, and {_READS}",
            )
        return found
    head = rows[at]
    found.columns = list(head.cells)
    places = {name: place for place, name in enumerate(_names(head))}
    if _READS not in places:
        found.problem(
            head.line,
            head.text,
            f"has no column {_READS}; {_FACTOR} alone is relative to reads that are not here",
        )
        return found
    # A head may be repeated at each page of SQL*Plus.
    body = [row for row in rows[at + 1 :] if _names(row) != _names(head)]
    body = _of_one_pool(found, body, places, options)
    if _BUFFERS not in places:
        found.size_unit = "MiB"
        found.assumptions.append(f"{_SIZE} is in MB of 1,048,576 bytes, as in Oracle.")
    blocks: set[int] = set()
    for row in body:
        _read_row(found, row, places, blocks)
    _note_blocks(found, head, blocks)
    found.measured = Measured(
        "points", reason="all points are estimates of the server itself"
    )
    found.assumptions.append(
        f"Misses are {_READS}, which the server estimates from a sample of its buffers."
    )
    if options.accesses is None and options.accesses_per_s is None:  # a rate is refused
        found.questions.append(
            Question(
                "accesses",
                "The view counts physical reads only. How many logical reads were there over "
                "the same time (`session logical reads` of V$SYSSTAT)?",
            )
        )
    return found


def _read_row(
    found: Reading, row: Row, places: dict[str, int], blocks: set[int]
) -> None:
    if len(row.cells) <= max(places.values()):
        found.problem(
            row.line,
            row.text,
            f"has {counted(len(row.cells), 'cell')} where the head has {len(places)}",
        )
        return
    if _STATUS in places and row.cells[places[_STATUS]].upper() == "OFF":
        off = f"Advice was off for line {row.line}: the estimates are old."
        found.assumptions.append(off)
    size_name = _BUFFERS if _BUFFERS in places else _SIZE
    values: dict[str, Fraction] = {}
    for name in (size_name, _READS, *([_BLOCK] if _BLOCK in places else [])):
        cell = row.cells[places[name]]
        value = number(cell)
        if isinstance(value, str):
            found.problem(row.line, cell, f"{name}: {value}")
        elif value < 0:
            found.problem(row.line, cell, f"{name} cannot be negative")
        else:
            values[name] = value
    if _BLOCK in values and values[_BLOCK].denominator == 1:
        blocks.add(int(values[_BLOCK]))
    if size_name in values and _READS in values:
        found.points.append(Point(row.line, values[size_name], float(values[_READS])))


def _note_blocks(found: Reading, head: Row, blocks: set[int]) -> None:
    if len(blocks) > 1:
        found.problem(
            head.line,
            ", ".join(str(size) for size in sorted(blocks)),
            f"several values of {_BLOCK}: give the rows of one",
        )
    elif blocks:
        found.page_bytes = blocks.pop()


def _of_one_pool(
    found: Reading, body: list[Row], places: dict[str, int], options: CurveOptions
) -> list[Row]:
    if _NAME not in places:
        return body
    at = places[_NAME]
    pools = sorted({row.cells[at] for row in body if len(row.cells) > at})
    found.pools = pools
    if len(pools) <= 1 and options.pool is None:
        return body
    if options.pool in pools:
        return [
            row for row in body if len(row.cells) > at and row.cells[at] == options.pool
        ]
    found.questions.append(
        Question(
            "pool",
            "The rows belong to several buffer pools. Which one do you want?"
            if options.pool is None
            else f"There is no buffer pool `{options.pool[:40]}` in these rows.",
            tuple(pools),
        )
    )
    return []


def _head(rows: Sequence[Row]) -> int | None:
    for at, row in enumerate(rows[:20]):
        names = set(_names(row))
        if names & {_SIZE, _BUFFERS} and names & {_READS, _FACTOR}:
            return at
    return None


def _names(row: Row) -> list[str]:
    return [cell.upper().strip('"') for cell in row.cells]


KIND = Kind(
    "oracle_db_cache_advice",
    "Oracle V$DB_CACHE_ADVICE",
    "Rows of the view with their column names, as SQL*Plus, SQLcl or a CSV export show them.",
    "SIZE_FOR_ESTIMATE BUFFERS_FOR_ESTIMATE ESTD_PHYSICAL_READ_FACTOR ESTD_PHYSICAL_READS\n"
    "----------------- -------------------- ------------------------- -------------------\n"
    "              304                37696                     18.70           192317943\n"
    "             1520               188480                      2.50            25755486\n"
    "             3040               376960                      1.00            10282475\n"
    "             6080               753920                       .57             5901023\n",
    score,
    read,
    (
        "The estimates are Oracle's own, by its touch-count replacement and not LRU, from a "
        "sample of buffers. Direct-path reads bypass the cache and are not in them.",
    ),
)
