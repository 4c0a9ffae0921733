"""The configurations that no other beats in both money and time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.checks import broadcast


def spread(front: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Pick at most so many of a front, both ends among them.

    Parameters
    ----------
    front : int64 array
        Indices, in order.
    most : int
        At least 2.

    Examples
    --------
    >>> spread(np.asarray([7, 3, 9, 1, 5]), 3).tolist()
    [7, 9, 5]
    """
    if len(front) <= most:
        return front
    at = np.unique(np.linspace(0, len(front) - 1, most).round().astype(np.int64))
    return front[at]


def pareto_front(usd: ArrayLike, time_us: ArrayLike) -> NDArray[np.int64]:
    """Find the rows that no other row beats: none is as cheap and as fast, and better in one of both.

    Parameters
    ----------
    usd : array_like
        Money. [USD/month]
    time_us : array_like
        Time. [µs]

    Returns
    -------
    int64 array
        Indices, the cheapest first; of rows equal in both the first.

    Raises
    ------
    BadInput
        If a value is negative or not finite.

    Examples
    --------
    >>> pareto_front([3, 1, 2, 2], [1, 9, 5, 4]).tolist()
    [1, 3, 0]
    """
    v = broadcast("pareto_front", amounts={"usd": usd, "time_us": time_us})
    money, time = (np.atleast_1d(v[name]) for name in ("usd", "time_us"))
    order = np.lexsort((np.arange(money.size), time, money))
    if not len(order):
        return order.astype(np.int64)
    sorted_time = time[order]
    best_before = np.concatenate(([np.inf], np.minimum.accumulate(sorted_time)[:-1]))
    return np.asarray(order[sorted_time < best_before], dtype=np.int64)
