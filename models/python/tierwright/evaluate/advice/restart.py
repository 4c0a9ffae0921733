"""How long RAM is cold after a restart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.compose.shared import characteristic_times_s, held_pages
from tierwright.profile.curve import Curve
from tierwright.profile.several import Workload

WARM_SHARE = 0.95
"""Share of the hits of full RAM from which it counts as warm. [1]"""
_TIMES = 6000
"""Times, even in their logarithm, at which parts that fill are looked at."""


def restart_s(
    curve: Curve,
    ram_pages: FloatArray,
    accesses_per_s: float,
    reads_per_s: FloatArray,
) -> FloatArray:
    """Return the time until empty RAM serves 95 % of the hits that it serves when full, at least. [s]

    An LRU cache of which c pages are filled misses as one of c pages does, and each miss fills one page, as fast as
    the devices below read it: ``T = integral of dc / min(X m(c), D)`` from 0 to the size c with 95 % of the hits.

    Parameters
    ----------
    curve : Curve
        m(c): misses of an access by size.
    ram_pages : float64 array
        RAM when full. [pages]
    accesses_per_s : float
        X. [1/s]
    reads_per_s : float64 array
        D: reads that the tier below RAM serves at most; NaN where unknown. [1/s]

    Returns
    -------
    float64 array
        0 where full RAM hits nothing; NaN where D is unknown.

    Examples
    --------
    Half of the accesses hit 100 pages, and the misses fall in a straight line, 1,000 accesses per second:

    >>> half = Curve.from_hit_ratios([(100, 0.5)], accesses=1000)
    >>> [
    ...     round(
    ...         float(restart_s(half, np.asarray([100.0]), 1000.0, np.asarray([d]))[0]),
    ...         3,
    ...     )
    ...     for d in (1e9, 100.0)
    ... ]
    [0.129, 0.95]
    """
    full = np.asarray(curve.misses(ram_pages)) / curve.accesses
    return _until(
        1 - WARM_SHARE * (1 - full),
        curve,
        ram_pages,
        accesses_per_s,
        reads_per_s,
    )


def restart_error_s(
    curve: Curve,
    ram_pages: FloatArray,
    accesses_per_s: float,
    reads_per_s: FloatArray,
    recorded: float,
) -> FloatArray:
    """Return the standard error that `restart_s` has as its curve was counted once. [s]

    RAM is warm at the size c below which 5 % of the hits of full RAM are still to come. How many of the recorded accesses
    these are is a count N of events apart from each other, whose standard error is its root (Poisson), and c is so much
    surer the steeper the curve falls there: half of what lies between the times at misses higher and lower by ``root(N) / n``.

    Parameters
    ----------
    curve, ram_pages, accesses_per_s, reads_per_s
        As of `restart_s`.
    recorded : float
        n: accesses that were counted. [1]

    Returns
    -------
    float64 array
        0 where full RAM hits nothing; NaN where D is unknown.

    Examples
    --------
    A hundredfold recording has a tenth of the error:

    >>> half = Curve.from_hit_ratios([(100, 0.5)], accesses=1000)
    >>> [
    ...     round(
    ...         float(
    ...             restart_error_s(
    ...                 half, np.asarray([100.0]), 1e3, np.asarray([1e9]), n
    ...             )[0]
    ...         ),
    ...         5,
    ...     )
    ...     for n in (1e4, 1e6)
    ... ]
    [0.0006, 6e-05]
    """
    full = np.asarray(curve.misses(ram_pages)) / curve.accesses
    warm = 1 - WARM_SHARE * (1 - full)
    off = np.sqrt((warm - full) / recorded)
    fewer, more = (
        _until(
            np.clip(warm + each, full, 1.0),
            curve,
            ram_pages,
            accesses_per_s,
            reads_per_s,
        )
        for each in (-off, off)
    )
    # What takes for ever takes no longer or shorter.
    with np.errstate(invalid="ignore"):
        found = np.abs(fewer - more) / 2
    return np.where(np.isinf(fewer) & np.isinf(more), 0.0, found)


def _until(
    missed: FloatArray,
    curve: Curve,
    ram_pages: FloatArray,
    accesses_per_s: float,
    reads_per_s: FloatArray,
) -> FloatArray:
    """Time until RAM has filled so far that such a share of the accesses misses. [s]"""
    sizes = curve.knots
    miss = curve.knot_misses / curve.accesses
    warm = _size_of(missed, sizes, miss)
    warm = np.where(missed < 1, np.minimum(warm, ram_pages), 0.0)
    # Above this share of misses the devices are the limit. A rate near 0 takes for ever.
    with np.errstate(invalid="ignore", over="ignore"):
        limited = np.minimum(
            _size_of(np.minimum(reads_per_s / accesses_per_s, 1.0), sizes, miss), warm
        )
        by_devices = limited / reads_per_s
        by_load = _filled(warm, sizes, miss) - _filled(limited, sizes, miss)
        found = by_devices + np.maximum(by_load, 0.0) / accesses_per_s
    return np.where(np.isnan(reads_per_s), np.nan, found)


def _size_of(share: FloatArray, sizes: FloatArray, miss: FloatArray) -> FloatArray:
    """Return the size at which this share of the accesses misses; the largest where none misses so few. [pages]"""
    return np.interp(-share, -miss, sizes)


def _filled(at: FloatArray, sizes: FloatArray, miss: FloatArray) -> FloatArray:
    """Count accesses until so many pages are filled: the integral of dc / m(c), exact on straight pieces. [accesses]"""
    whole = _piece(np.diff(sizes), miss[:-1], miss[1:])
    before = np.concatenate(([0.0], np.cumsum(whole)))
    piece = np.clip(np.searchsorted(sizes, at, side="right") - 1, 0, len(sizes) - 2)
    here = np.interp(at, sizes, miss)
    return np.asarray(before[piece] + _piece(at - sizes[piece], miss[piece], here))


def _piece(width: FloatArray, first: FloatArray, last: FloatArray) -> FloatArray:
    """Integral of dc / m over a straight piece: width times ln(first / last) / (first - last). [accesses]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = first / last
        # Nearly level pieces: the mean of both ends, which is exact to the square of their difference.
        level = np.abs(first - last) <= 1e-6 * first
        found = np.where(
            level, 2 * width / (first + last), width * np.log(ratio) / (first - last)
        )
    return np.where(width > 0, found, 0.0)


def restart_of_parts_s(
    workloads: Sequence[Workload],
    part_pages: FloatArray,
    reads_per_s: FloatArray,
) -> FloatArray:
    """Return the time until empty RAM that is divided among workloads serves 95 % of the hits of all when full. [s]

    Each part fills as its own workload misses, ``dc_i / ds = X_i m_i(c_i)``, and is full at its size; what misses in full
    parts is read too. Where the tier below serves fewer reads than all miss together, all of them wait alike, so that
    ``T = integral of max(1, R(s) / D) ds`` with ``R(s) = sum of X_i m_i(c_i(s))``.

    Parameters
    ----------
    workloads : sequence of Workload
        k of them, with their rates.
    part_pages : float64 array, shape (k, n)
        Part of each, of n divisions. [pages]
    reads_per_s : float64 array, shape (n,)
        D: reads that the tier below RAM serves at most; NaN where unknown. [1/s]

    Returns
    -------
    float64 array, shape (n,)
        0 where full RAM hits nothing; NaN where D is unknown.

    Examples
    --------
    One workload has all of the RAM, as in `restart_s`; another that hits nothing delays it where reads wait:

    >>> half = Curve.from_hit_ratios([(100, 0.5)], accesses=1000)
    >>> never = Curve.from_hit_ratios([(100, 0.0)], accesses=1000)
    >>> both = [Workload("half", half, 1000.0), Workload("never", never, 1000.0)]
    >>> found = restart_of_parts_s(
    ...     both, np.asarray([[100.0, 100.0], [0.0, 0.0]]), np.asarray([1e9, 100.0])
    ... )
    >>> found.round(2).tolist()
    [0.13, 2.24]
    """
    times = _times(workloads, part_pages)
    held = [held_pages(load, times) for load in workloads]
    divisions, which = np.unique(part_pages, axis=1, return_inverse=True)
    found = np.full(len(reads_per_s), np.nan)
    for at, parts in enumerate(divisions.T):
        [rows] = np.nonzero(which == at)
        missed = np.sum(
            [
                load.misses_per_s(np.minimum(pages, part))
                for load, pages, part in zip(workloads, held, parts, strict=True)
            ],
            axis=0,
        )
        full = sum(
            float(load.misses_per_s(part))
            for load, part in zip(workloads, parts, strict=True)
        )
        found[rows] = _warm_s(times, missed, full, reads_per_s[rows])
    return found


def _times(workloads: Sequence[Workload], part_pages: FloatArray) -> FloatArray:
    """Return times from 0 to long after parts are full; what holds all of its data fills ever more slowly. [s]"""
    fills = np.concatenate(
        [
            np.atleast_1d(characteristic_times_s(load, parts))
            for load, parts in zip(workloads, part_pages, strict=True)
        ]
    )
    known = fills[np.isfinite(fills) & (fills > 0)]
    first, last = (1.0, 1.0) if not known.size else (known.min(), known.max())
    return np.concatenate(([0.0], np.geomspace(first * 1e-6, last * 1e6, _TIMES)))


def _warm_s(
    times: FloatArray, missed: FloatArray, full: float, reads_per_s: FloatArray
) -> FloatArray:
    """Time until so many are missed as with 95 % of the hits, where reads may wait. [s]"""
    rates = float(missed[0])
    goal = rates - WARM_SHARE * (rates - full)
    if full >= rates:
        return np.where(np.isnan(reads_per_s), np.nan, 0.0)
    end = int(np.argmax(missed <= goal))
    before = max(end - 1, 0)
    fall = float(missed[before] - missed[end])
    part_of_step = (float(missed[before]) - goal) / fall if fall > 0 else 1.0
    warm = times[before] + part_of_step * (times[end] - times[before])
    times = np.concatenate((times[: before + 1], [warm]))
    missed = np.concatenate((missed[: before + 1], [goal]))
    steps = np.diff(times) * (missed[1:] + missed[:-1]) / 2
    read = np.concatenate(([0.0], np.cumsum(steps)))
    # What fills misses ever less: reads wait at first, where they do.
    waits = np.searchsorted(-missed, -reads_per_s, side="right") - 1
    slow = np.clip(waits, 0, len(times) - 1)
    return np.asarray(read[slow] / reads_per_s + (warm - times[slow]))
