"""What one size of a running system bounds, and what to record next: for how long, and with which command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.common.units import format_bytes
from tierwright.common.wording import percent, three_digits
from tierwright.profile.curve import Curve

_HOUR = "an hour at each size"
_CYCLE = "an hour apart, over the cycle of the load"
_DAY = "for i in 1 2 3 4 5 6 7 8; do {}; sleep 3600; done > counters.txt"


@dataclass(frozen=True, slots=True)
class NextStep:
    """The cheapest recording that shows more than what is known.

    Attributes
    ----------
    what : str
        To record.
    duration : str
        For how long.
    command : str
        As docs/traces/counters.md explains it, with the names that stand there for those of the system.
    """

    what: str
    duration: str
    command: str

    @property
    def sentence(self) -> str:
        """What to record and for how long, in words."""
        return f"Record {self.what}, {self.duration}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "what": self.what,
            "duration": self.duration,
            "command": self.command,
            "sentence": self.sentence,
        }


_RESIZE = NextStep(
    "two readings before a change of the cache size and two after it",
    _HOUR,
    "mongodb_rows > counters.csv; sleep 3600; mongodb_rows >> counters.csv",
)
_BUFFERS = NextStep(
    "two readings before a change of shared_buffers and two after it",
    _HOUR,
    "psql -X --csv -f io.sql > counters.csv; sleep 3600; psql -X --csv -f io.sql >> counters.csv",
)
_OF_ONE_POINT: Mapping[str, NextStep] = {
    "postgres": _BUFFERS,
    "aurora": _BUFFERS,
    "db2_simulated_pool": NextStep(
        "a display of the simulated pool that was filled",
        "after an hour of the load",
        "-DISPLAY BUFFERPOOL(BP0) DETAIL(INTERVAL)",
    ),
    "rocksdb_simcache": NextStep(
        "the counters of the block cache and of SimCache twice",
        "an hour apart",
        "grep -E '^rocksdb\\.(sim\\.)?block\\.cache\\.(hit|miss) ' STATISTICS_DUMP",
    ),
    "linux_ages": NextStep(
        "eight snapshots of generations, with the multi-generational LRU on",
        _CYCLE,
        _DAY.format("linux_snapshot MEMCG_ID CGROUP"),
    ),
}
_OF_AGES: Mapping[str, str] = {
    "memcached": "snapshot HOST 11211",
    "redis": "redis_snapshot -h HOST",
    "linux_ages": "linux_snapshot MEMCG_ID CGROUP",
    "damon_stat": "damon_snapshot",
}
_LOWER_BOUNDS = frozenset({"linux_ages"})
"""Kinds whose one point counts fewer misses than there are: refaults of shadows that were not lost."""


def next_step(curve: Curve) -> NextStep | None:
    """Name what to record where one size is known, or where ages are indicative or have no band.

    Parameters
    ----------
    curve : Curve
        Of the workload.

    Returns
    -------
    NextStep or None
        None where the curve does not rest on counters, or they give what its class can give.
    """
    evidence, given = curve.evidence, curve.given
    if evidence is None or given is None or given.composed_of:
        return None
    if evidence.kind == "one_point":
        return _OF_ONE_POINT.get(given.source, _RESIZE)
    if evidence.kind == "ages" and (evidence.is_indicative or not evidence.band):
        command = _OF_AGES.get(given.source)
        if command is not None:
            return NextStep("eight snapshots", _CYCLE, _DAY.format(command))
    return None


def bounds_text(curve: Curve, duration_s: float | None = None) -> str | None:
    """Say what one size bounds: the most that a larger cache saves, the least that a smaller one loses.

    Parameters
    ----------
    curve : Curve
        Of the workload.
    duration_s : float, optional
        In which its accesses were counted. [s]

    Returns
    -------
    str or None
        None where more than one size is known.
    """
    evidence, given = curve.evidence, curve.given
    if evidence is None or evidence.kind != "one_point" or given is None:
        return None
    missed = float(curve.misses(evidence.valid_to))
    ratio = missed / max(curve.accesses, 1)
    rate = "" if not duration_s else f", {three_digits(missed / duration_s)} per second"
    at = format_bytes(evidence.valid_to * curve.page_bytes)
    smaller = f"a smaller one loses at least nothing and at most every hit, {percent(1.0 - ratio)}"
    if given.source in _LOWER_BOUNDS:
        return (
            f"At {at}, at least {percent(ratio)} of the accesses read a page again that was evicted{rate}. "
            f"A larger cache may save these and more; {smaller}."
        )
    return f"At {at}, {percent(ratio)} of the accesses miss{rate}. A larger cache saves at most all of these; {smaller}."
