"""The cheapest step to more evidence, where a curve rests on counters of a running system."""

from __future__ import annotations

from collections.abc import Mapping

from tierwright.profile.curve import Curve
from tierwright.profile.evidence import Evidence

_RESIZE = "a resize of the cache for an hour, with its counters before and after"
_BEYOND: Mapping[str, str] = {
    "db2_simulated_pool": "another SPSIZE of the simulated pool, displayed after an hour",
    "rocksdb_simcache": "another capacity of SimCache, read after an hour",
    "zfs_arcstats": "another size of the ARC for an hour, whose ghost lists add a point",
    "oracle_db_cache_advice": "the advice at another size of the cache, read after an hour",
    "linux_ages": "another memory limit of the cgroup for an hour, with a reading before and after",
    "damon_stat": "a sampled trace",
}
"""What shows other sizes than those that are known, by the kind of the input; elsewhere a resize buys a true second point."""
_AGES = frozenset({"redis", "memcached", "linux_ages"})
"""Kinds whose systems tell ages."""


def beyond(curve: Curve) -> str:
    """Name the cheapest step that shows sizes outside of the evidence of a curve."""
    source = "" if curve.given is None else curve.given.source
    return _BEYOND.get(source, _RESIZE)


def cheapest(curve: Curve, evidence: Evidence) -> str:
    """Say which step is the cheapest to a surer answer.

    Parameters
    ----------
    curve : Curve
        With the kind of its input.
    evidence : Evidence
        Of it.
    """
    source = "" if curve.given is None else curve.given.source
    if evidence.is_indicative or (evidence.kind == "ages" and not evidence.band):
        return "take more snapshots over the cycle of the load"
    if evidence.kind == "ages":
        return (
            "snapshots over the whole cycle of the load narrow its band, and a sampled trace would show it; for other "
            f"sizes take {beyond(curve)}"
        )
    if evidence.kind == "one_point":
        first = "snapshots of ages" if source in _AGES else beyond(curve)
        return f"{first} would give a curve"
    return (
        "a sampled trace would show it, and the sizes between those that were counted; for other sizes take "
        f"{beyond(curve)}"
    )
