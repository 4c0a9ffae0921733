"""Linux DAMON_STAT: percentiles of the idle time of all bytes of physical memory.

`memory_idle_ms_percentiles` has 101 numbers, the 0th to the 100th percentile; at or below zero is what is being
accessed, newer kernels giving for how long, negative (Documentation/admin-guide/mm/damon/stat.rst). Regions are
sampled once in `aggr_interval_us`, so that shorter ages are blurred.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tierwright.common.units import format_bytes
from tierwright.profile.given.ages import Rates, points_of
from tierwright.profile.given.moments import Moment, moments_of
from tierwright.profile.given.reading import CurveOptions, Kind, Reading, Row, number
from tierwright.profile.working_set import Snapshot

PAGE_BYTES = 4096
"""Size of a page. [bytes]"""
PERCENTILES = 101
_IDLE = "memory_idle_ms_percentiles"
_INTERVAL = "aggr_interval_us"
_MEMORY = "MemTotal"
_BANDWIDTH = "estimated_memory_bandwidth"
_NAMES = frozenset({_IDLE, _INTERVAL, _MEMORY, _BANDWIDTH})
_KB = re.compile(r"(\d+) kB")
_MS = 1000.0
_US = 1e6
_LOOKED_AT = 20


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the name of the percentiles."""
    return 1.0 if any(_IDLE in row.text for row in rows[:_LOOKED_AT]) else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the curve of all memory."""
    found = Reading(size_unit="B", value="miss_ratio", page_bytes=PAGE_BYTES)
    moments = moments_of(found, rows, _NAMES)
    for moment in moments:
        for row in moment.rows[:1]:
            found.problem(row.line, row.text, "is not a parameter of damon_stat")
    snapshots = [_snapshot(found, each) for each in moments]
    intervals = [each.count(found, _INTERVAL) for each in moments]
    if found.problems:
        return found
    known = [each for each in intervals if each]
    if len(known) < len(intervals):
        found.problem(
            moments[0].line,
            _INTERVAL,
            "is lacking: it is unknown from which age on the idle times are not blurred",
        )
        return found
    last = rows[-1].line
    rates = Rates(
        None,
        moments[-1].second - moments[0].second,
        None,
        "DAMON counts no evictions",
        math.inf,
        max(known) / _US,
    )
    found.assumptions += [
        "Ages are of all physical memory, what is free and the kernel's cache of files included.",
        "A miss is a page that would come from slower memory.",
    ]
    bandwidth = moments[-1].count(found, _BANDWIDTH)
    if bandwidth:
        found.assumptions.append(
            f"Estimated bandwidth at the last reading: {format_bytes(bandwidth)} per second; it is no count of accesses."
        )
    points_of(
        found, [each for each in snapshots if each is not None], rates, options, last
    )
    return found


def _snapshot(found: Reading, moment: Moment) -> Snapshot | None:
    """Return the percentiles as bins of a hundredth of the memory each."""
    line, text = moment.values.get(_IDLE, (moment.line, ""))
    cells = [number(cell.strip()) for cell in text.split(",")]
    values = [float(cell) for cell in cells if not isinstance(cell, str)]
    if len(values) != PERCENTILES or len(cells) != PERCENTILES:
        found.problem(
            line, text, f"{_IDLE} must have {PERCENTILES} numbers, separated by commas"
        )
        return None
    if any(one > two for one, two in pairwise(values)):
        found.problem(line, text, f"{_IDLE} must not fall")
        return None
    at, stated = moment.values.get(_MEMORY, (moment.line, ""))
    match = _KB.fullmatch(stated)
    if match is None:
        found.problem(
            at,
            stated,
            f"{_MEMORY} must have the line of /proc/meminfo, as `65536000 kB`",
        )
        return None
    part = float(match.group(1)) * 1024.0 / (PERCENTILES - 1)
    ages = np.maximum(np.asarray(values[1:]), 0.0) / _MS
    return Snapshot(
        ages, np.full(ages.shape, part), np.full(ages.shape, part / PAGE_BYTES)
    )


def _example() -> str:
    """Return percentiles of a machine that touches ever colder memory ever less often."""
    return "".join(
        f"time:{1764100000 + 3600 * at}\n"
        "MemTotal: 65536000 kB\n"
        f"{_INTERVAL}:100000\n"
        f"{_BANDWIDTH}:1048576000\n"
        f"{_IDLE}:"
        + ",".join(
            str(round(60000 * 1.06**step) - 80000) for step in range(PERCENTILES)
        )
        + "\n"
        for at in range(3)
    )


KIND = Kind(
    "damon_stat",
    "Linux DAMON_STAT",
    "Parameters of the kernel's module damon_stat, with MemTotal: coarse ages of the memory of a whole machine.",
    _example(),
    score,
    read,
    (
        "Which process or cache the memory belongs to. Ages are of physical memory: where a page was replaced, that of "
        "its successor.",
    ),
)
