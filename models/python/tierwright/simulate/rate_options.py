"""Options of flash caches that say how fast a trace is replayed, and which have them: below the door to the core."""

from __future__ import annotations

from tierwright import _simulator

RATE = "accesses_per_second"
"""The option of what works by the clock that states a rate; recorded times are multiplied until that is theirs."""
STRETCH = "stretch"
"""The option that multiplies the times of a trace for it."""


def spelled(name: str) -> str:
    """Return a name as the tables write it: of any case, with `-` or `_`."""
    return name.lower().replace("-", "_")


def with_option(name: str) -> frozenset[str]:
    """Return the flash caches that have an option, by name.

    Examples
    --------
    >>> sorted(with_option("checkpoint_us"))
    ['face']
    """
    return frozenset(
        row["name"]
        for row in _simulator.contenders("flash_cache")
        if any(option["name"] == name for option in row["options"])
    )
