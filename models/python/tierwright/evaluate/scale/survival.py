"""How long accesses and stays last, from durations of which some were cut off.

The product-limit estimate (Kaplan and Meier, "Nonparametric estimation from incomplete
observations", JASA 1958) on binned durations; inside a bin, what was cut off counts half, as in
life tables, and the share falls along a straight line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.profile.relations import Times


@dataclass(frozen=True, eq=False)
class Survival:
    """Share of the durations that last longer than a time; straight between its knots.

    Attributes
    ----------
    times : float64 array
        Knots, increasing from 0; two equal ones are a step. [accesses]
    shares : float64 array
        Share that lasts longer, at each knot; from 1 falling. Beyond the last knot it stays. [1]
    """

    times: FloatArray
    shares: FloatArray

    def at(self, times: FloatArray) -> FloatArray:
        """Share that lasts longer than each time. [1]"""
        return np.interp(times, self.times, self.shares)

    def stretched(self, factor: float, beyond: float = 0.0) -> Survival:
        """Multiply the durations beyond a time by a factor; none gets below that time.

        Parameters
        ----------
        factor : float
            Of the durations; 1 changes nothing. [1]
        beyond : float
            Shorter durations stay. [accesses]
        """
        if factor == 1:
            return self
        inside = self.times <= beyond
        end = float(self.at(np.asarray([beyond]))[0])
        times = np.concatenate(
            (
                self.times[inside],
                [beyond, max(beyond, beyond * factor)],
                np.maximum(beyond, self.times[~inside] * factor),
            )
        )
        shares = np.concatenate((self.shares[inside], [end, end], self.shares[~inside]))
        return Survival(times, shares)


def survival(durations: Times) -> Survival:
    """Estimate the share of durations that last longer than each time.

    Parameters
    ----------
    durations : Times
        Binned durations, those that were cut off apart.

    Returns
    -------
    Survival
        1 everywhere of no durations at all.
    """
    low = durations.lowest.astype(np.float64)
    high = durations.highest.astype(np.float64)
    ended = durations.ended.astype(np.float64)
    cut = durations.cut_off.astype(np.float64)
    there = ended + cut
    at_risk = there[::-1].cumsum()[::-1]
    # What is cut off at a single value lasts longer than it, so it is at risk there.
    exposed = at_risk - np.where(high > low, cut / 2, 0.0)
    left = np.ones_like(ended)
    np.divide(exposed - ended, exposed, out=left, where=exposed > 0)
    after = np.clip(left, 0.0, 1.0).cumprod()
    before = np.concatenate(([1.0], after))[: len(after)]
    times = np.column_stack((np.maximum(low - 1, 0.0), high)).ravel()
    shares = np.column_stack((before, after)).ravel()
    return Survival(np.concatenate(([0.0], times)), np.concatenate(([1.0], shares)))


def mixture(
    several: list[Survival], weights: FloatArray, times: FloatArray
) -> FloatArray:
    """Weighted mean of several at common times.

    Parameters
    ----------
    several : list of Survival
        The parts.
    weights : float64 array, shape (len(several),)
        Not negative; they are made to add up to 1.
    times : float64 array
        Increasing. [accesses]
    """
    total = float(weights.sum())
    if total <= 0:
        return np.ones_like(times)
    shares: FloatArray = sum(
        (
            weight * part.at(times)
            for part, weight in zip(several, weights.tolist(), strict=True)
        ),
        start=np.zeros_like(times),
    )
    return shares / total


def knots_of(several: list[Survival]) -> FloatArray:
    """Every time at which one of them bends, increasing. [accesses]"""
    return np.unique(np.concatenate([part.times for part in several]))


def filled_pages(times: FloatArray, shares: FloatArray) -> FloatArray:
    """Pages of an LRU cache that keeps pages for each time after their last access.

    In the steady state a cache that keeps pages for T accesses holds the integral of the share of
    reuse times beyond t, for t from 0 to T (Denning and Schwartz, "Properties of the working-set
    model", CACM 1972: the mean working-set size has the missing rate as its slope).

    Parameters
    ----------
    times : float64 array
        Increasing from 0. [accesses]
    shares : float64 array
        Share of the accesses whose reuse time is longer. [1]

    Returns
    -------
    float64 array
        [pages]
    """
    steps = np.diff(times) * (shares[1:] + shares[:-1]) / 2
    return np.concatenate(([0.0], np.cumsum(steps)))
