"""Rows of counters that any system can give: size, requests, misses, at the second they were read.

Requests and misses run since a start. Two rows of one size are the least: what counts is the difference.
A second size, as after a resize, gives a second point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tierwright.common.wording import counted, listed
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
)

_COLUMNS = frozenset({"size_bytes", "requests", "misses", "seconds"})
_MOST_BYTES = 2**48
"""Size above which it is a limit that was never set, and no cache. [bytes]"""
WRITES = "writes"
"""Column with the pages that were written from the cache, where the query printed it."""
EVICTIONS = "evictions"
"""Counter of the pages that were evicted, where the system has one."""
SHARE_OF_READ = (
    "If the cache was full, each page that was read evicted one: pages written for each page read are used as the "
    "dirty share of what is evicted. It is lower where pages that stay are written too (checkpoints)."
)
SHARE_OF_EVICTED = (
    "Pages written for each page evicted are used as the dirty share of what is evicted, no more than 1. It is lower "
    "where pages that stay are written too (checkpoints)."
)
"""How the dirty share was counted, where that is used."""


@dataclass(slots=True)
class Counted:
    """What was counted at one size.

    Attributes
    ----------
    line : int
        Last line of it.
    requests, misses, seconds : float
        Increases over all its intervals.
    intervals : int
        Intervals.
    writes : float
        Increase of the pages written; 0 where they are not counted.
    evictions : float
        Increase of the pages evicted; 0 where they are not counted.
    """

    line: int
    requests: float = 0.0
    misses: float = 0.0
    seconds: float = 0.0
    intervals: int = 0
    writes: float = 0.0
    evictions: float = 0.0


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the names of the columns."""
    return 0.0 if head_of(rows, _COLUMNS) is None else 0.95


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read one point for each size."""
    found = Reading(size_unit="B", value="miss_ratio")
    at = head_of(rows, _COLUMNS)
    if at is None:
        found.problem(
            rows[0].line,
            rows[0].text,
            "has no head with size_bytes, requests, misses and seconds",
        )
        return found
    samples = []
    for line, cells in readings(found, rows, at):
        names = [*_COLUMNS, *([WRITES] if WRITES in cells else [])]
        values = {name: count_of(found, line, name, cells[name]) for name in names}
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) == len(values):
            samples.append(Sample(line, known))
    points_of(found, samples, options, counts_writes=WRITES in found.columns)
    return found


def points_of(
    found: Reading,
    samples: Sequence[Sample],
    options: CurveOptions,
    *,
    counts_writes: bool = False,
    counts_evictions: bool = False,
) -> None:
    """Make a point of each size between whose moments requests were counted.

    Parameters
    ----------
    found : Reading
        Gets points, accesses, evidence and problems; its sizes are bytes and its values miss ratios.
    samples : sequence of Sample
        With `size_bytes`, `requests`, `misses` and `seconds`, and `writes` and `evictions` where they are counted.
    options : CurveOptions
        As stated.
    counts_writes : bool
        Whether the samples count the pages that were written from the cache.
    counts_evictions : bool
        Whether they count the pages that were evicted.
    """
    if found.problems:
        return
    for sample in samples:
        size = sample.values["size_bytes"]
        if size > _MOST_BYTES:
            found.problem(
                sample.line,
                f"{size:.15g}",
                "size_bytes is above 256 TiB, a limit that was never set and not the size of a cache: print what "
                "the cache can hold",
            )
            return
    more = tuple(
        name
        for name, counts in ((WRITES, counts_writes), (EVICTIONS, counts_evictions))
        if counts
    )
    intervals = differences(found, samples, ("requests", "misses", *more))
    if found.problems:
        return
    resizes = [
        two
        for one, two in intervals
        if one.values["size_bytes"] != two.values["size_bytes"]
    ]
    sizes = _by_size(found, intervals)
    _check_sizes(found, samples, sizes)
    if found.problems or not sizes:
        return
    found.points = [
        Point(each.line, Fraction(size), each.misses / each.requests)
        for size, each in sorted(sizes.items())
    ]
    total = round(sum(each.requests for each in sizes.values()))
    seconds = sum(each.seconds for each in sizes.values())
    found.accesses = total if options.accesses_per_s is None else None
    found.duration_s = seconds
    found.assumptions.append(
        f"What was counted over {seconds:g} s: {counted(total, 'request')}, each one access."
    )
    if resizes:
        found.assumptions.append(
            counted(
                len(resizes),
                "interval in which the size changed is left out.",
                "intervals in which the size changed are left out.",
            )
        )
    found.measured = Measured(
        "one_point" if len(sizes) == 1 else "points",
        min(each.intervals for each in sizes.values()),
        reason="the points are what the system counts",
        has_cache_below=True,
    )
    if counts_writes:
        _dirty_share(
            found,
            list(sizes.values()),
            counts_evictions=counts_evictions,
            is_stated=options.dirty_share is not None,
        )


def _dirty_share(
    found: Reading, sizes: Sequence[Counted], *, counts_evictions: bool, is_stated: bool
) -> None:
    """Take the pages written for each page evicted, or read, as the dirty share of what is evicted, where it can be one.

    Where a share is stated, what was counted is said and not used.
    """
    written, read_, evicted = (
        math.fsum(getattr(each, name) for each in sizes)
        for name in ("writes", "misses", "evictions")
    )
    which, beside = ("evicted", evicted) if counts_evictions else ("read", read_)
    rate = written / math.fsum(each.seconds for each in sizes)
    said = f"Pages were written at {rate:.4g} per second"
    follows = "so the dirty share of what is evicted does not follow."
    if beside <= 0:
        said = f"{said}, and no page was {which}"
        found.assumptions.append(f"{said}." if is_stated else f"{said}, {follows}")
        return
    if written > beside and not counts_evictions:
        said = f"{said}, more than were read: pages that stay (checkpoints) or were never read (new ones) are written too"
        found.assumptions.append(f"{said}." if is_stated else f"{said}, {follows}")
        return
    found.assumptions.append(f"{said}, {written / beside:.4g} for each page {which}.")
    if is_stated:
        return
    found.dirty_share = min(1.0, written / beside)
    found.assumptions.append(SHARE_OF_EVICTED if counts_evictions else SHARE_OF_READ)


def _by_size(
    found: Reading, intervals: Sequence[tuple[Sample, Sample]]
) -> dict[float, Counted]:
    """Add up the intervals of each size."""
    sizes: dict[float, Counted] = {}
    for interval in intervals:
        one, two = interval
        size = two.values["size_bytes"]
        if one.values["size_bytes"] != size:
            continue
        requests, misses = increase(interval, "requests"), increase(interval, "misses")
        writes = increase(interval, WRITES) if WRITES in two.values else 0.0
        if misses > requests:
            found.problem(
                two.line,
                f"{misses:.15g}",
                f"misses since line {one.line} exceed the {requests:.15g} requests that they are part of",
            )
            continue
        each = sizes.setdefault(size, Counted(two.line))
        each.line = two.line
        each.requests += requests
        each.misses += misses
        each.writes += writes
        if EVICTIONS in two.values:
            each.evictions += increase(interval, EVICTIONS)
        each.seconds += increase(interval, "seconds")
        each.intervals += 1
    return sizes


def _check_sizes(
    found: Reading, samples: Sequence[Sample], sizes: dict[float, Counted]
) -> None:
    """Refuse a size that was read once, or at which nothing was requested."""
    if found.problems:
        return
    lines: dict[float, list[int]] = {}
    for sample in samples:
        lines.setdefault(sample.values["size_bytes"], []).append(sample.line)
    for size, read_at in lines.items():
        if size in sizes:
            continue
        found.problem(
            read_at[0],
            f"{size:.15g}",
            "is the only reading of this size: a total since the start is no rate; read the counters twice at each "
            "size"
            if len(read_at) == 1
            else f"is a size that never stayed from one reading to the next, though it was read in lines "
            f"{listed([str(line) for line in read_at])}: read the counters twice before each change of the size",
        )
        return
    for size, each in sizes.items():
        if each.requests == 0:
            found.problem(
                each.line, "0", f"no requests were counted at {size:.15g} bytes"
            )


CANNOT_TELL = (
    "Whether the load was the same at each size: counters before and after a resize are of different hours.",
    "What a cache below answers: a miss here may be a hit in the memory of the kernel or of the storage.",
)
"""What counters do not contain, whatever the system."""

KIND = Kind(
    "counters",
    "Counters",
    "Rows of size_bytes, requests, misses and seconds: two readings at each size, of counters that run since a "
    "start. Two sizes give two points, one size bounds only.",
    "size_bytes,requests,misses,seconds\n"
    "8589934592,918273645,81726354,1764100000\n"
    "8589934592,921873645,82046754,1764103600\n"
    "17179869184,930873645,82500354,1764190000\n"
    "17179869184,934473645,82647954,1764193600\n",
    score,
    read,
    CANNOT_TELL,
)
