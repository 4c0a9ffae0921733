"""RocksDB: tickers of the block cache and of SimCache, which counts the hits of a cache of another size.

SimCache holds the keys of blocks alone and counts what a cache of `sim_capacity` would hit (RocksDB,
utilities/simulator_cache). Its tickers are `rocksdb.sim.block.cache.hit` and `.miss`, those of the cache in use
`rocksdb.block.cache.hit` and `.miss`, in the text of the statistics as `name COUNT : value`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tierwright.common.wording import counted
from tierwright.profile.given.cumulative import (
    Sample,
    count_of,
    differences,
    increase,
)
from tierwright.profile.given.moments import Moment, moments_of
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Reading,
    Row,
)

_SIM = ("rocksdb.sim.block.cache.hit", "rocksdb.sim.block.cache.miss")
_REAL = ("rocksdb.block.cache.hit", "rocksdb.block.cache.miss")
_CAPACITIES = ("block_cache_capacity", "sim_cache_capacity")
_NAMES = frozenset({*_SIM, *_REAL, *_CAPACITIES})
_COUNT = "COUNT : "


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the tickers."""
    return 1.0 if any(row.text.startswith(_SIM[0]) for row in rows) else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the point of SimCache, and that of the block cache where its size is there."""
    found = Reading(size_unit="B", value="miss_ratio")
    moments = moments_of(found, rows, _NAMES)
    samples = [_sample(found, each) for each in moments]
    if found.problems:
        return found
    real = all(set(_REAL) | {_CAPACITIES[0]} <= set(each.values) for each in samples)
    pairs = [(_CAPACITIES[1], _SIM), *([(_CAPACITIES[0], _REAL)] if real else [])]
    counters = [name for _, pair in pairs for name in pair]
    intervals = differences(found, samples, counters)
    if found.problems:
        return found
    if not intervals:
        found.problem(
            rows[-1].line,
            "",
            "one reading is a total since the start: read the tickers twice",
        )
        return found
    whole = intervals[0][0], intervals[-1][1]
    total = 0
    for capacity, names in sorted(pairs, key=lambda each: whole[1].values[each[0]]):
        hits, misses = (increase(whole, name) for name in names)
        sizes = {each.values[capacity] for each in samples}
        if len(sizes) != 1 or 0 in sizes:
            found.problem(
                whole[1].line,
                capacity,
                "must be positive and the same in all readings; give those of one size",
            )
            return found
        if hits + misses == 0:
            found.problem(whole[1].line, names[0], "counted no lookups")
            return found
        total = max(total, round(hits + misses))
        found.points.append(
            Point(whole[1].line, Fraction(int(sizes.pop())), misses / (hits + misses))
        )
    found.accesses = total if options.accesses_per_s is None else None
    found.duration_s = increase(whole, "seconds")
    found.measured = Measured(
        "points" if real else "one_point",
        len(intervals),
        reason="the points are what the system counts",
        has_cache_below=True,
    )
    found.assumptions.append(
        f"What was counted over {found.duration_s:g} s: {counted(total, 'lookup')} of blocks, each one access."
    )
    return found


def _sample(found: Reading, moment: Moment) -> Sample:
    """Return the tickers of a reading, with its capacities."""
    for row in moment.rows:
        if row.text.startswith("rocksdb."):
            continue  # other tickers and histograms of the statistics
        found.problem(row.line, row.text, "is not a line of RocksDB's statistics")
        break
    values = {"seconds": moment.second}
    for name, (line, text) in moment.values.items():
        value = count_of(found, line, name, text.removeprefix(_COUNT))
        if value is not None:
            values[name] = value
    for name in (*_SIM, _CAPACITIES[1]):
        if name not in moment.values:
            found.problem(moment.line, name, "is lacking in this reading")
    return Sample(moment.line, values)


KIND = Kind(
    "rocksdb_simcache",
    "RocksDB SimCache",
    "Two readings of RocksDB's statistics with the capacities of the block cache and of SimCache: one exact point at "
    "another size, beside that of the cache in use.",
    "time:1764100000\n"
    "block_cache_capacity:8589934592\n"
    "sim_cache_capacity:34359738368\n"
    "rocksdb.block.cache.miss COUNT : 81726354\n"
    "rocksdb.block.cache.hit COUNT : 918273645\n"
    "rocksdb.sim.block.cache.hit COUNT : 970273645\n"
    "rocksdb.sim.block.cache.miss COUNT : 29726354\n"
    "time:1764103600\n"
    "block_cache_capacity:8589934592\n"
    "sim_cache_capacity:34359738368\n"
    "rocksdb.block.cache.miss COUNT : 82046754\n"
    "rocksdb.block.cache.hit COUNT : 921553245\n"
    "rocksdb.sim.block.cache.hit COUNT : 973753645\n"
    "rocksdb.sim.block.cache.miss COUNT : 29846354\n",
    score,
    read,
    (
        "Sizes between the two: SimCache counts one size at a time. Blocks are of unequal sizes; a page stands for the "
        "mean one, which you state.",
        "What a miss of the block cache costs: the kernel's cache of files may hold the block.",
    ),
)
