"""The kinds of given curves."""

from __future__ import annotations

from tierwright.profile.given import (
    arcstats,
    aurora,
    counters,
    memcached,
    oracle,
    postgres,
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
    )
}
"""By name; among equals in detection the first wins, and the margin is shown."""
