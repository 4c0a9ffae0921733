"""Which of the options that keep every limit is best, what else was close, and the front of money and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.evaluate.configurations.front import pareto_front

Objective = Literal["usd", "io_time", "pareto"]
OBJECTIVES: Mapping[Objective, str] = {
    "usd": "least money a month",
    "io_time": "least I/O time of an access",
    "pareto": "the front of both, of which the cheapest is recommended",
}
Responses = Callable[[IntArray], tuple[FloatArray, ...]]
"""Response times of some options, in the order of `RESPONSES`; NaN where unknown. [µs]"""
MOST_AT_ONCE = 4096
"""Options whose response times are computed at a time: first one, then twice as many each time."""


def ordered(options: Options, rows: IntArray, objective: Objective) -> IntArray:
    """Put some rows in the order of the objective, the best first; equals by the other one, then as listed.

    Parameters
    ----------
    options : Options
    rows : int array
        Rows that are wanted.
    objective : str
        Key of `OBJECTIVES`.
    """
    usd, time = options.month_cents[rows].astype(np.float64), options.io_us[rows]
    first, second = (time, usd) if objective == "io_time" else (usd, time)
    return np.asarray(rows[np.lexsort((rows, second, first))], dtype=np.int64)


def keeping(
    order: IntArray,
    responses: Responses,
    limits: Sequence[float | None],
    least: Sequence[FloatArray],
) -> Iterator[int]:
    """Yield, in their order, the options whose response times keep their limits.

    Parameters
    ----------
    order : int array
        Options, the best first.
    responses : callable
        Response times of some options; asked only of those that could keep the limits.
    limits : sequence of float or None
        Of `RESPONSES`, in their order. [µs]
    least : sequence of float64 array
        What these are at least, by option: a bound by which most are left out. [µs]
    """
    left, many = not_too_slow(order, limits, least), 1
    while len(left):
        some, left = left[:many], left[many:]
        yield from some[in_time(limits, responses(some))].tolist()
        many = min(2 * many, MOST_AT_ONCE)


def not_too_slow(
    order: IntArray, limits: Sequence[float | None], least: Sequence[FloatArray]
) -> IntArray:
    """Leave out the options that break a limit with the least that their response times can be.

    Parameters
    ----------
    order, limits, least
        As `keeping`.
    """
    able = np.ones(len(order), dtype=np.bool_)
    for limit, bound in zip(limits, least, strict=True):
        if limit is not None:
            able &= ~(bound[order] > limit)
    return np.asarray(order[able])


def in_time(limits: Sequence[float | None], times: Sequence[FloatArray]) -> Bools:
    """Whether times keep their limits; what is unknown does not.

    Parameters
    ----------
    limits : sequence of float or None
        [µs]
    times : sequence of float64 array
        Of each option. [µs]

    Examples
    --------
    >>> in_time((None, 5.0), (np.asarray([9.0, 1.0]), np.asarray([5.0, 6.0]))).tolist()
    [True, False]
    """
    able = np.ones(len(times[0]), dtype=np.bool_)
    for limit, value in zip(limits, times, strict=True):
        if limit is not None:
            able &= value <= limit
    return able


def front(options: Options, rows: IntArray) -> IntArray:
    """Those of some rows that no other of them beats in money and I/O time, the cheapest first."""
    if not len(rows):
        return rows
    at = pareto_front(options.month_cents[rows] / 100, options.io_us[rows])
    return np.asarray(rows[at], dtype=np.int64)


def in_same_hardware(options: Options, hardware: IntArray, at: int) -> Bools:
    """Which other options are the same things in the same sizes and numbers at the same price, whatever page flow runs on them.

    Parameters
    ----------
    options : Options
    hardware : int array
        A number of each option, the same of all that consist of the same things.
    at : int
        The option, which is not one of the others.
    """
    found = (hardware == hardware[at]) & (options.scheme != options.scheme[at])
    for each in (
        options.machines,
        options.ram_bytes,
        options.flash_bytes,
        options.store_devices,
        options.flash_devices,
        options.month_cents,
    ):
        found &= each == each[at]
    return np.asarray(found)


def best_of_kinds(order: IntArray, kinds: IntArray) -> IntArray:
    """Pick the first of each kind, in order: not ten neighbours of the best.

    Parameters
    ----------
    order : int array
        Options, the best first.
    kinds : int array
        Kind of every option.
    """
    _, first = np.unique(kinds[order], return_index=True)
    return np.asarray(order[np.sort(first)], dtype=np.int64)
