"""The lower convex hull of points in a plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray

_MOST_ROUNDS = 1000


def below_chords(
    x: FloatArray, y: FloatArray, *, rounds: int = _MOST_ROUNDS
) -> NDArray[np.int64]:
    """Return points of which none lies above the line between its neighbours.

    A point above the line between two others is no corner of the lower hull, so all such points
    are left out at once, again and again.

    Parameters
    ----------
    x, y : (n,) float64 array
        Points in order of x.
    rounds : int
        How often at most; after fewer than it takes, points besides the corners are left.

    Returns
    -------
    int64 array
        Places of at least the corners, increasing.
    """
    kept = np.arange(x.size)
    for _ in range(rounds):
        if kept.size <= 2:  # noqa: PLR2004
            break
        a, b = x[kept], y[kept]
        above = (b[1:-1] - b[:-2]) * (a[2:] - a[:-2]) > (b[2:] - b[:-2]) * (
            a[1:-1] - a[:-2]
        )
        if not above.any():
            break
        kept = kept[np.append(np.insert(~above, 0, True), True)]
    return kept
