"""Counters of the ZFS ARC: the present size, and what its ghost lists would have held.

`/proc/spl/kstat/zfs/arcstats` on Linux, `kstat -p zfs:0:arcstats` or `sysctl kstat.zfs.misc.arcstats`
elsewhere. A ghost hit is a miss on a block that was evicted a short while ago: a cache larger by the
ghost lists would have held it. So the counters give two points: the ratio of the hits at the present
size, and that of hits and ghost hits at the size with both ghost lists added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from tierwright.common.wording import counted
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Reading,
    Row,
)

_NEEDED = ("size", "hits", "misses", "mru_ghost_hits", "mfu_ghost_hits")
_GHOST_SIZES = ("mru_ghost_size", "mfu_ghost_size")
_WAITING = "iohits"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ENOUGH = 3


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the names of the counters."""
    names = {found[0] for row in rows if (found := _counter(row)) is not None}
    present = sum(name in names for name in (*_NEEDED, *_GHOST_SIZES))
    return 0.9 if present >= _ENOUGH and names & {"hits", "mru_ghost_hits"} else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read two points: the ARC as it is, and with its ghost lists."""
    found = Reading(size_unit="B", value="hit_ratio")
    values: dict[str, tuple[int, int]] = {}
    for row in rows:
        counter = _counter(row)
        if counter is None:
            continue
        name, value = counter
        if name in values and name in (*_NEEDED, *_GHOST_SIZES):
            found.problem(
                row.line, row.text, f"`{name}` comes twice: give one snapshot"
            )
            continue
        values[name] = (value, row.line)
    last = rows[-1].line if rows else 1
    lacking = [name for name in (*_NEEDED, *_GHOST_SIZES) if name not in values]
    for name in lacking:
        found.problem(last, "", f"there is no counter `{name}`")
    if found.problems:
        return found
    count = {name: value for name, (value, _) in values.items()}
    hits = count["hits"] + count.get(_WAITING, 0)
    ghosts = count["mru_ghost_hits"] + count["mfu_ghost_hits"]
    accesses = hits + count["misses"]
    line = values["size"][1]
    if accesses == 0:
        found.problem(values["hits"][1], "", "there are no hits and no misses")
        return found
    if ghosts > count["misses"]:
        found.problem(
            values["mru_ghost_hits"][1],
            str(ghosts),
            f"ghost hits exceed the {counted(count['misses'], 'miss')} that they are part of",
        )
        return found
    ghost_bytes = sum(count[name] for name in _GHOST_SIZES)
    found.points.append(Point(line, Fraction(count["size"]), hits / accesses))
    if ghost_bytes == 0:
        found.problem(
            values["mru_ghost_size"][1],
            "0",
            "the ghost lists are empty: the counters give one point, which is not a "
            "curve",
        )
        return found
    found.points.append(
        Point(
            values["mru_ghost_size"][1],
            Fraction(count["size"] + ghost_bytes),
            (hits + ghosts) / accesses,
        )
    )
    found.measured = Measured(
        "points", reason="both points are counts of the system itself"
    )
    found.accesses = accesses if options.accesses_per_s is None else None
    found.assumptions += [
        "The counters run since the module was loaded, the sizes are of this moment; "
        "both are assumed to belong together.",
        "Every ghost hit counts as a hit of a cache larger by both ghost lists.",
        "Demand and prefetch, data and metadata count alike; an access is one block.",
    ]
    if count.get(_WAITING):
        found.assumptions.append(
            "`iohits`, hits on a block that is just being read, count as hits."
        )
    return found


def _counter(row: Row) -> tuple[str, int] | None:
    """Read `name type value`, `module:…:name value` or `kstat.….name: value`."""
    parts = [part for part in re.split(r"[\s=|;,]+", row.text.strip()) if part]
    if len(parts) not in (2, 3):
        return None
    name = re.split(r"[.:]", parts[0].rstrip(":"))[-1]
    value = parts[-1]
    if not _NAME.fullmatch(name) or not value.isascii() or not value.isdigit():
        return None
    if len(value) > 20:  # noqa: PLR2004  # digits of the largest 64-bit counter
        return None
    return name, int(value)


KIND = Kind(
    "zfs_arcstats",
    "ZFS arcstats",
    "The file /proc/spl/kstat/zfs/arcstats, or the same counters from kstat or sysctl.",
    "name                            type data\n"
    "hits                            4    918273645\n"
    "misses                          4    81726354\n"
    "mru_ghost_hits                  4    9182736\n"
    "mfu_ghost_hits                  4    18273645\n"
    "size                            4    34359738368\n"
    "mru_ghost_size                  4    12884901888\n"
    "mfu_ghost_size                  4    17179869184\n",
    score,
    read,
    (
        "Two points only: between them, and below the present size, the curve is a "
        "straight line. The ARC adapts between recency and frequency and is not LRU.",
    ),
)
