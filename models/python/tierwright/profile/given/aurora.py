"""Aurora PostgreSQL with optimised reads: two points of one hierarchy, shared buffers and the cache on local flash.

By its documentation `aurora_stat_database()` counts `blks_hit`, and reads apart: `storage_blks_read` of Aurora
storage, `orcache_blks_hit` of the optimised reads cache, `local_blks_read` of local files; `blks_read` is the
sum of the three. The cache holds pages that are about to be evicted from the shared buffers, so both sizes add
up. `aurora_stat_optimized_reads_cache()` gives its sizes. Local blocks, of temporary tables, are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
from tierwright.profile.evidence import Tier
from tierwright.profile.given.cumulative import (
    Sample,
    count_of,
    differences,
    head_of,
    increase,
    readings,
)
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Reading,
    Row,
    number,
)

_COUNTERS = ("blks_hit", "storage_blks_read", "orcache_blks_hit")
_FIXED = ("seconds", "size_bytes", "block_bytes")
_TIMES = ("storage_blk_read_time", "orcache_blk_read_time")
_NEEDED = frozenset({*_FIXED, *_COUNTERS, "used_size"})
MS_US = 1000.0
"""Microseconds of a millisecond. [µs]"""
DATA = "data_bytes"
"""Column with the size of all databases, where the query printed it."""
_PRETTY = {"bytes": 1, "kB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
"""Units as PostgreSQL's pg_size_pretty prints them: powers of 1024."""


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the names of the columns."""
    return 0.0 if head_of(rows, _NEEDED) is None else 1.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the points of shared buffers, and of them with the cache on flash."""
    found = Reading(size_unit="B", value="miss_ratio")
    at = head_of(rows, _NEEDED)
    if at is None:
        found.problem(
            rows[0].line, rows[0].text, f"has no head with {', '.join(sorted(_NEEDED))}"
        )
        return found
    samples = []
    for line, cells in readings(found, rows, at):
        names = (
            *_FIXED,
            *_COUNTERS,
            *(name for name in (*_TIMES, DATA) if name in cells),
        )
        values = {name: count_of(found, line, name, cells[name]) for name in names}
        values["used_size"] = flash_bytes(found, line, cells["used_size"])
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) == len(values):
            samples.append(Sample(line, known))
    if not found.problems:
        _points(found, samples, options)
    return found


def flash_bytes(found: Reading, line: int, cell: str) -> float | None:
    """Read a size in bytes, or as pg_size_pretty prints it (`975 GB`); notes what is wrong with it."""
    amount, _, unit = cell.partition(" ")
    value = number(amount)
    if isinstance(value, str) or value < 0 or (unit or "bytes") not in _PRETTY:
        found.problem(line, cell, "used_size must be bytes, or a size such as `975 GB`")
        return None
    return float(value * _PRETTY[unit or "bytes"])


def _points(found: Reading, samples: Sequence[Sample], options: CurveOptions) -> None:
    intervals = differences(found, samples, _COUNTERS)
    if found.problems:
        return
    last = samples[-1] if samples else None
    if last is None or not intervals:
        found.problem(
            0 if last is None else last.line,
            "",
            "one reading is a total since the start: read the counters twice",
        )
        return
    first, last = intervals[0][0], intervals[-1][1]
    for name in ("size_bytes", "block_bytes"):
        if first.values[name] != last.values[name] or last.values[name] == 0:
            found.problem(
                last.line,
                f"{last.values[name]:.15g}",
                f"{name} must be positive and the same as in line {first.line}: give the readings of one size",
            )
            return
    hits, storage, flash = (increase((first, last), name) for name in _COUNTERS)
    requests = hits + storage + flash
    if requests == 0:
        found.problem(last.line, "0", "no requests were counted")
        return
    ram = Fraction(last.values["size_bytes"])
    used = Fraction(last.values["used_size"])
    found.points.append(Point(first.line, ram, (storage + flash) / requests))
    if used > 0:
        found.points.append(Point(last.line, ram + used, storage / requests))
    found.page_bytes = round(last.values["block_bytes"])
    seconds = increase((first, last), "seconds")
    found.accesses = round(requests) if options.accesses_per_s is None else None
    found.duration_s = seconds
    found.data_bytes = round(last.values.get(DATA, 0)) or None
    found.measured = Measured(
        "points" if used > 0 else "one_point",
        len(intervals),
        reason="the points are what the system counts",
        tiers=_tiers(first, last, used),
    )
    found.assumptions += [
        f"What was counted over {seconds:g} s: {counted(round(requests), 'request')}, each one access.",
        f"The cache on flash holds what shared buffers evicted, so its {format_bytes(float(used))} in use add to "
        "their size; blocks of temporary tables are left out."
        if used > 0
        else "The cache on flash is empty: shared buffers are the only point.",
    ]
    for tier in found.measured.tiers:
        if tier.read_us is not None:
            found.assumptions.append(
                f"A read of {tier.name} took {tier.read_us / MS_US:.3g} ms on average."
            )


def _tiers(first: Sample, last: Sample, flash_used: Fraction) -> tuple[Tier, ...]:
    """Return shared buffers, the cache on flash and the storage, with the rate and the mean time of their reads."""
    seconds = increase((first, last), "seconds")

    def tier(name: str, size: Fraction | None, counter: str, timer: str) -> Tier:
        count = increase((first, last), counter)
        timed = count and last.values.get(timer, 0) > first.values.get(timer, 0)
        return Tier(
            name,
            None if size is None else round(size),
            count / seconds,
            MS_US * increase((first, last), timer) / count if timed else None,
        )

    ram = Fraction(last.values["size_bytes"])
    flash = [tier("the cache on flash", flash_used, _COUNTERS[2], _TIMES[1])]
    return (
        tier("shared buffers", ram, _COUNTERS[0], ""),
        *(flash if flash_used else []),
        tier("Aurora storage", None, _COUNTERS[1], _TIMES[0]),
    )


KIND = Kind(
    "aurora",
    "Aurora PostgreSQL with optimised reads",
    "Two readings of aurora_stat_database() and aurora_stat_optimized_reads_cache(), as the documented query prints "
    "them: the hits of shared buffers, and of them with the cache on flash.",
    "seconds,size_bytes,block_bytes,used_size,blks_hit,storage_blks_read,orcache_blks_hit,storage_blk_read_time,"
    "orcache_blk_read_time\n"
    "1764100000,206158430208,8192,975 GB,918273645,8172635,81726354,9200000,16300000\n"
    "1764103600,206158430208,8192,975 GB,921533645,8232635,82006354,9272000,16356000\n",
    score,
    read,
    (
        "Sizes between shared buffers and the whole cache on flash, below, and beyond. The cache on flash "
        "and shared buffers are not one LRU list.",
    ),
)
