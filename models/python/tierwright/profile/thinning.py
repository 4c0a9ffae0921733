"""Which sizes of a whole curve to keep, so that straight lines between them stay close to it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.profile.curve import DEFAULT_POINTS, Curve, thinned_sizes

LARGEST_ERROR = 0.001
"""Distance from the whole curve from which sizes are added, in counts per access. [1]"""
_ROUNDS = 16
"""Passes over the whole curve; each adds the worst size of every segment that is too far off."""


def error_bounded(
    curve: Curve, points: int = DEFAULT_POINTS, also: Iterable[int] = ()
) -> tuple[Curve, float]:
    """Thin a whole curve to about `points` sizes, and say how far it may be off between them.

    The sizes are log-spaced. Where a straight line between two of them is farther than
    `LARGEST_ERROR` from the curve, as at the cliff of a loop, the size that is farthest is
    added, at most `points` in all.

    Parameters
    ----------
    curve : Curve
        Whole: listed at every size from 1 to its distinct pages, or wherever it bends.
    points : int
        Log-spaced sizes wanted.
    also : iterable of int
        Additional sizes to list. [pages]

    Returns
    -------
    Curve
        Exact at the listed sizes, which hold 1, the distinct pages and `also`.
    float
        Largest distance of a straight line from the whole curve, in misses or write-backs
        per access, whichever is larger. [1]
    """
    sizes = thinned_sizes(curve.distinct_pages, points, also)
    most = len(sizes) + points
    error = _distance(curve, sizes)
    for _ in range(_ROUNDS):
        if len(sizes) >= most or float(error.max()) <= LARGEST_ERROR:
            break
        worst = _worst_of_segments(curve.knots, error, sizes, most - len(sizes))
        sizes = np.union1d(sizes, worst)
        error = _distance(curve, sizes)
    return curve.at(sizes.astype(np.int64)), float(error.max())


def _distance(curve: Curve, sizes: NDArray[np.int64]) -> FloatArray:
    """Distance of the lines through `sizes` from the curve, at each of its knots. [1]"""
    knots = np.concatenate(([0], sizes[sizes <= curve.last_listed]))
    every = curve.knots
    curves = [curve.knot_misses]
    if curve.knot_write_backs is not None:
        curves.append(curve.knot_write_backs)
    worst = np.zeros(len(every))
    for values in curves:
        at = np.interp(knots, every, values)
        off = np.abs(np.interp(every, knots, at) - values)
        np.maximum(worst, off, out=worst)
    return worst / max(curve.accesses, 1)


def _worst_of_segments(
    every: FloatArray, error: FloatArray, sizes: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Return the worst size of each of the `count` worst segments that are too far off."""
    starts = np.unique(np.searchsorted(every, np.concatenate(([0], sizes))))
    starts = starts[starts < len(every)]
    worst = np.maximum.reduceat(error, starts)
    chosen = np.argsort(worst, kind="stable")[::-1][:count]
    ends = np.append(starts[1:], len(error))
    found = [
        every[starts[at] + int(np.argmax(error[starts[at] : ends[at]]))]
        for at in chosen
        if worst[at] > LARGEST_ERROR
    ]
    return np.asarray(found, dtype=np.int64)
