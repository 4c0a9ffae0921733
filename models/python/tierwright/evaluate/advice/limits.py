"""Limits of an option: those that its kind has, those that the user states, and which of them conflict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.evaluate.advice.whole_limits import UNITS as WHOLE
from tierwright.evaluate.advice.whole_limits import in_units, most_units
from tierwright.evaluate.configurations.columns import LIMITS as SOLD_LIMITS

Bools = NDArray[np.bool_]
PEAK_BUSY = "peak_busy"
DEFAULT_PEAK_BUSY = 0.7
"""Largest share of the time for which a device may be busy in the busiest hour, unless stated. [1]"""
LOAD = "load"
"""What an option lacks whose devices would have to be busy for more than all of the time, at any limit of the busy share."""
PRICE = "price"
TIMES = "device_figures"
EVIDENCE = "evidence"
REPLICAS = "replicas"
"""What is given as a whole lacks where it has fewer machines than there are copies of the data; all else is listed with as many."""
OWN_LIMITS = (*SOLD_LIMITS, REPLICAS)
"""What `Options.broken` has a bit of, each in its place."""
IO_TIME = "io_time_us_per_access"
LIFE = "flash_life_years"
RESTART, POWER, UNITS = "restart_s", "power_watts", "rack_units"
THROUGHPUT = "throughput_accesses_per_s"
BESIDE = (THROUGHPUT, RESTART, POWER, UNITS)
"""Constraints whose values are not among the columns of the options: computed where they are limited."""
MONEY = ("usd_per_month", "purchase_usd")
"""Limits of amounts."""
RESPONSES = ("response_mean_us", "response_p50_us", "response_p99_us")
"""Constraints of the response time in the busiest hour: mean, median and 99th percentile."""
CONSTRAINTS: Mapping[str, str] = {
    PEAK_BUSY: "1",
    THROUGHPUT: "1/s",
    "machines": "1",
    "ram_bytes": "bytes",
    "flash_bytes": "bytes",
    "usd_per_month": "USD/month",
    "purchase_usd": "USD",
    IO_TIME: "µs",
    LIFE: "years",
    RESTART: "s",
    POWER: "W",
    UNITS: "U",
    "response_mean_us": "µs",
    "response_p50_us": "µs",
    "response_p99_us": "µs",
}
"""What may be limited, in the order in which it is decided, and its unit: largest values, but for `LEAST`."""
MET_BY_MORE = frozenset({PEAK_BUSY, THROUGHPUT, IO_TIME, *RESPONSES})
"""Constraints that what is too small breaks, and more of the same hardware keeps."""
LEAST = frozenset({LIFE, THROUGHPUT})
"""Constraints that are least values."""
ROUNDING = 1e-9
"""Share by which a computed value may be above a limit and keep it: what a whole number of devices was chosen for.

Not where whole units are limited: a cent or a byte above the limit breaks it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit, and which options break it.

    Attributes
    ----------
    name : str
        Of `CONSTRAINTS`, or what an option cannot be without.
    limit : Decimal or None
        As stated; None for what nobody states.
    value : float64 array
        Of each option; NaN where unknown or where the limit has no value.
    breaks : bool array
        Which options break it; an unknown value does.
    """

    name: str
    limit: Decimal | None
    value: FloatArray
    breaks: Bools

    @property
    def is_stated(self) -> bool:
        """Whether somebody states it: it can be relaxed."""
        return self.limit is not None


def values(options: Options, name: str) -> FloatArray:
    """Return what a constraint limits, of each option, sizes in whole bytes; NaN where it is unknown."""
    cents = {
        "usd_per_month": options.month_cents,
        "purchase_usd": options.purchase_cents,
    }
    if name in cents:
        return np.asarray(cents[name] / 100)
    found: Mapping[str, FloatArray | IntArray] = {
        PEAK_BUSY: options.peak_busy,
        "machines": options.machines,
        "ram_bytes": options.ram_bytes,
        "flash_bytes": options.flash_bytes,
        IO_TIME: options.io_us,
        LIFE: options.life_years,
    }
    value = found[name].astype(np.float64)
    return in_units(name, value) if name in WHOLE else value


def own_limits(options: Options) -> Iterator[Limit]:
    """Yield what an option cannot be without: its limits as sold, a price, times of its devices."""
    unknown = np.full(len(options), np.nan)
    for at, name in enumerate(OWN_LIMITS):
        broken = (options.broken & (1 << at)) != 0
        if broken.any():
            yield Limit(name, None, unknown, broken)
    yield Limit(PRICE, None, unknown, options.unpriced != 0)
    yield Limit(TIMES, None, unknown, ~np.isfinite(options.io_us))


def stated_limits(
    options: Options,
    constraints: Mapping[str, Decimal],
    beside: Callable[[str], FloatArray] | None = None,
) -> Iterator[Limit]:
    """Yield the constraints, but for those of response times, in the order of `CONSTRAINTS`.

    Parameters
    ----------
    options : Options
    constraints : mapping of str to Decimal
    beside : callable, optional
        Values of `BESIDE` of every option, by name; unknown without.
    """
    for name in CONSTRAINTS:
        if name not in constraints or name in RESPONSES:
            continue
        limit = constraints[name]
        if name not in BESIDE:
            value = values(options, name)
        elif beside is not None:
            value = beside(name)
        else:
            value = np.full(len(options), np.nan)
        if name in WHOLE:
            breaks = ~(in_units(name, value) <= most_units(name, limit))
        elif name in LEAST:
            breaks = ~(value >= float(limit) * (1 - ROUNDING))
        else:
            breaks = ~(value <= float(limit) * (1 + ROUNDING))
        yield Limit(name, limit, value, np.asarray(breaks))


def first_broken(limits: Sequence[Limit], rows: int) -> IntArray:
    """Index of the first limit that each option breaks; -1 where it breaks none."""
    found = np.full(rows, -1, dtype=np.int64)
    for at in range(len(limits) - 1, -1, -1):
        found[limits[at].breaks] = at
    return found


def conflict(limits: Sequence[Limit], rows: int) -> tuple[str, ...]:
    """Name limits that no option keeps together, so few that without any one of them some option keeps the rest.

    Parameters
    ----------
    limits : sequence of Limit
        Of options of which each breaks at least one.
    rows : int
        Options.

    Returns
    -------
    tuple of str
        In the order of the limits; empty where some option breaks none.

    Notes
    -----
    Deletion filter (Chinneck and Dravnieks, 1991): what can be left out without making a choice possible is left
    out. What somebody asks for first, while nothing can do without what nobody states: a limit must not stand for a
    price. Then the busy share, which has a limit where none is stated; then the rest. No device is busy for more than
    all of the time, whatever limit of that is left out.
    """
    kept = list(limits)
    if not _infeasible(kept, rows):
        return ()
    kept += [
        replace(each, name=LOAD, limit=None, breaks=each.value > 1)
        for each in limits
        if each.name == PEAK_BUSY
    ]
    for each in sorted(
        kept, key=lambda limit: left_out_in_turn(limit.name, is_stated=limit.is_stated)
    ):
        fewer = [limit for limit in kept if limit is not each]
        if _infeasible(fewer, rows):
            kept = fewer
    return tuple(each.name for each in kept)


def left_out_in_turn(name: str, *, is_stated: bool) -> tuple[bool, ...]:
    """Key by which limits are tried to be left out of a conflict: what somebody asks for first, but for the busy share.

    How busy a device is whose times nobody states is not known: the option lacks these rather than devices, so they come last.
    """
    return not is_stated, name == PEAK_BUSY, name == TIMES


def _infeasible(limits: Sequence[Limit], rows: int) -> bool:
    keeps = np.ones(rows, dtype=np.bool_)
    for each in limits:
        keeps &= ~each.breaks
    return not keeps.any()


def excess(limits: Sequence[Limit], rows: IntArray) -> FloatArray:
    """By how many times some options exceed the stated limit that they break by most; 1 where they break none.

    Of a limit that is a minimum it is how often the value would fit into it; infinite where a value is unknown. Response
    times do not count: of most options a bound of them is known alone.

    Parameters
    ----------
    limits : sequence of Limit
    rows : int array
        Options that are wanted.
    """
    found = np.ones(len(rows))
    for limit in limits:
        if limit.limit is None or limit.name in RESPONSES:
            continue
        stated, value = np.full(len(rows), float(limit.limit)), limit.value[rows]
        high, low = (stated, value) if limit.name in LEAST else (value, stated)
        by = np.full(len(rows), np.inf)
        np.divide(high, low, out=by, where=(low > 0) & ~np.isnan(high))
        found = np.where(limit.breaks[rows], np.maximum(found, by), found)
    return found


def relaxation(limit: Limit, at: int) -> Decimal | None:
    """By how much a stated limit has to be relaxed for one option; None where that admits it at no value.

    So it is where its value is unknown, and where a device would have to be busy all the time and
    more. Of the flash life by how much shorter a life would have to do.
    """
    value = float(limit.value[at])
    if limit.limit is None or not math.isfinite(value):
        return None
    if limit.name == PEAK_BUSY and value > 1:
        return None
    return abs(Decimal(repr(value)) - limit.limit)
