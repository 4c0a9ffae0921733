"""Operations that arrive at several devices together: who waits for all of them waits for the device that gets most."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_ALMOST_ONE = 1 - 1e-12
_MOST = 512
"""Operations beyond which the share of the busiest device hardly changes."""


def most_on_one(operations: float, devices: int) -> float:
    """Return how many of some operations the device gets that gets most, on average, where each goes to any with equal chance.

    Exact: the chance that no device gets more than k of m is the coefficient of x^m in the D-th power of the chances of 0
    to k operations, each Poisson with the mean m / D, over the chance of m with the mean m. Between whole numbers straight.

    Parameters
    ----------
    operations : float
        m, at least 0.
    devices : int
        D.

    Examples
    --------
    Two operations at two devices: half of the time both go to one.

    >>> round(most_on_one(2, 2), 9), most_on_one(3, 1), most_on_one(1, 9)
    (1.5, 3.0, 1.0)
    """
    least = math.floor(operations)
    if least != operations:
        share = operations - least
        one, more = (most_on_one(each, devices) for each in (least, least + 1))
        return one + share * (more - one)
    if devices == 1 or least <= 1:
        return float(least)
    if least > _MOST:
        return most_on_one(_MOST, devices) * least / _MOST
    mean, counts = least / devices, np.arange(least + 1)
    factorials = np.cumsum(np.log(np.maximum(counts, 1)))
    chances = np.exp(counts * math.log(mean) - mean - factorials)
    of_all = math.exp(least * math.log(least) - least - factorials[-1])
    # The mean of the largest is the sum of the chances that it is above 0, 1, 2, ...
    found = float(math.ceil(mean))
    for most in range(math.ceil(mean), least):
        no_more = _power(chances[: most + 1], devices, least)[least] / of_all
        if no_more >= _ALMOST_ONE:
            break
        found += 1 - float(no_more)
    return found


def _power(base: NDArray[np.float64], times: int, most: int) -> NDArray[np.float64]:
    """Return a polynomial to a power, up to the degree `most`."""
    square = np.zeros(most + 1)
    square[: len(base)] = base
    result = np.zeros(most + 1)
    result[0] = 1.0
    while times:
        if times & 1:
            result = np.convolve(result, square)[: most + 1]
        square = np.convolve(square, square)[: most + 1]
        times >>= 1
    return result
