"""The kinds of given curves."""

from __future__ import annotations

from tierwright.profile.given import (
    arcstats,
    aurora,
    counters,
    damon_stat,
    db2_simulated_pool,
    linux_ages,
    memcached,
    netapp_awa,
    oracle,
    postgres,
    redis,
    rocksdb_simcache,
    table,
)
from tierwright.profile.given.reading import Kind

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        table.KIND,
        oracle.KIND,
        arcstats.KIND,
        counters.KIND,
        postgres.KIND,
        aurora.KIND,
        memcached.KIND,
        redis.KIND,
        linux_ages.KIND,
        rocksdb_simcache.KIND,
        db2_simulated_pool.KIND,
        damon_stat.KIND,
        netapp_awa.KIND,
    )
}
"""By name; among equals in detection the first wins, and the margin is shown."""
