"""How long RAM is cold after a restart."""

from __future__ import annotations

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.profile.curve import Curve

WARM_SHARE = 0.95
"""Share of the hits of full RAM from which it counts as warm. [1]"""


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
