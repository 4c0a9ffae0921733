"""Knees of a hit-ratio curve: where a larger cache begins to bring less."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted

METHOD = (
    "Kneedle (Satopaa, Albrecht, Irwin & Raghavan, ICDCS Workshops 2011), offline, on hit ratio "
    "over the logarithm of the size; a knee counts where the difference curve falls by 0.02"
)
DROP = 0.02
_FEWEST_POINTS = 3


@dataclass(frozen=True, slots=True)
class Knee:
    """A knee.

    Attributes
    ----------
    pages : int
        The listed size at which it is. [pages]
    hit_ratio : float
        Hit ratio there.
    height : float
        Height of the curve above the line from its first to its last point there, both axes
        scaled to 1.
    """

    pages: int
    hit_ratio: float
    height: float


def knees(pages: ArrayLike, hit_ratio: ArrayLike) -> list[Knee]:
    """Find the knees of a hit-ratio curve, the highest first.

    Parameters
    ----------
    pages : (n,) array_like of int
        Cache sizes, strictly increasing, at least 1. [pages]
    hit_ratio : (n,) array_like of float
        Hit ratio at each size, not decreasing.

    Returns
    -------
    list of Knee
        Empty for fewer than three sizes, a flat curve, or one that never bulges by 0.02.

    Raises
    ------
    BadInput
        If the columns differ in length, or sizes or ratios are not in order.

    Notes
    -----
    With size (logarithmic) and hit ratio scaled to [0, 1], the difference curve d = y - x rises
    where the curve is steeper than its chord. Kneedle takes the local maxima of d, each once d has
    fallen below the maximum by a threshold before it rises to another one. The paper's threshold is
    S / n for n points; an exact curve may be listed at any number of points and needs no smoothing,
    so the threshold is a constant here, 0.02 of the range. The highest knee is the point farthest
    above the chord.
    """
    size = np.asarray(pages, dtype=np.float64)
    ratio = np.asarray(hit_ratio, dtype=np.float64)
    if size.shape != ratio.shape or size.ndim != 1:
        raise BadInput(
            f"knees: `{size.size}` sizes for {counted(ratio.size, 'hit ratio')}",
            "give one hit ratio for each size",
        )
    if size.size < _FEWEST_POINTS:
        return []
    if not (size[0] >= 1 and (np.diff(size) > 0).all() and (np.diff(ratio) >= 0).all()):
        raise BadInput(
            "knees: sizes do not increase from 1 on, or hit ratios decrease",
            "give the curve in order of size",
        )
    rise = ratio[-1] - ratio[0]
    if rise <= 0:
        return []
    across = np.log(size / size[0]) / math.log(size[-1] / size[0])
    height = (ratio - ratio[0]) / rise - across
    made = [
        Knee(int(size[at]), float(ratio[at]), float(height[at]))
        for at in _maxima(height)
        if height[at] > 0
    ]
    return sorted(made, key=lambda knee: -knee.height)


def _maxima(height: NDArray[np.float64]) -> list[int]:
    """Return the places of the maxima from which the curve falls by `DROP`."""
    found: list[int] = []
    top = bottom = 0
    climbing = True
    for at, value in enumerate(height):
        if climbing:
            if value > height[top]:
                top = at
            elif height[top] - value >= DROP:
                found.append(top)
                bottom, climbing = at, False
        elif value < height[bottom]:
            bottom = at
        elif value - height[bottom] >= DROP:
            top, climbing = at, True
    return found
