"""How far counts of a recording may be off by its length: windows drawn again in blocks.

Windows of one continuous replay follow each other, so they are not independent. The moving-block bootstrap
(Künsch, Annals of Statistics 17, 1989) draws runs of consecutive windows with replacement and joins them to
recordings as long as the one there is; the spread of their sums is that of the recording. It speaks for windows that
do not drift: a recording whose misses rise or fall from its beginning to its end says nothing of what follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import IntArray

FEWEST_WINDOWS = 30
"""Windows after the warm-up below which there is no probability."""
FEWEST_WITH_WARM_UP = 2 * FEWEST_WINDOWS - 1
"""Windows of a recording of which so many follow the longest warm-up, half of it rounded down."""
DRIFT = 0.1
"""Change from the first window to the last, as a share of their mean, from which windows drift."""
DRIFT_LEVEL = 0.01
"""Share of drawn recordings without a trend that may change as much by chance."""
_SIGNIFICANT = 2.0
_LEAST_LAGS = 5
_LEAST_SERIES = 2
_LEAST_LINE = 3
_NO_VARIANCE = 1e-24
"""Variance of a series of at most 1 that is rounding."""


def block_length(series: FloatArray) -> int:
    """Windows of a block by the rule of Politis and White.

    ``b = (2 G^2 / D)^(1/3) n^(1/3)``, ``G = sum of w(k / 2m) |k| R(k)``, ``D = 4/3 (sum of w(k / 2m) R(k))^2``, with
    autocovariances R, the flat-top weight ``w(t) = min(1, 2 (1 - |t|))`` and the lag m from which no
    autocorrelation is significant.

    Parameters
    ----------
    series : float64 array, shape (n,)
        A figure of each window, such as its miss ratio.

    Returns
    -------
    int
        From n^(1/3) to a third of the windows. [windows]

    Notes
    -----
    Politis and White, Econometric Reviews 23 (2004), as corrected by Patton, Politis and White, 28 (2009). Their rule counts
    an autocorrelation that is not significant as none, which in some hundred windows hides as much as 0.3; so a block is at
    least of the order that suits a spread without any rule, n^(1/3) (Hall, Horowitz and Jing, Biometrika 82, 1995).

    Examples
    --------
    >>> block_length(np.asarray([1.0, 1.0, 1.0, 1.0]))
    1
    >>> block_length(np.random.default_rng(0).normal(size=64))
    4
    >>> block_length(np.repeat([1.0, 2.0, 1.0, 3.0, 1.0, 2.0], 10)) > 5
    True
    """
    count = len(series)
    most = max(1, math.ceil(min(3 * math.sqrt(count), count / 3)))
    largest = float(np.max(np.abs(series)))
    if count < _LEAST_SERIES or largest == 0:
        return 1
    scaled = series / largest
    around = scaled - scaled.mean()
    variance = float(around @ around) / count
    if variance <= _NO_VARIANCE:
        return 1
    last = min(count - 1, math.ceil(math.sqrt(count)) + _LEAST_LAGS)
    covariances = np.asarray(
        [float(around[lag:] @ around[: count - lag]) / count for lag in range(last + 1)]
    )
    quiet = max(_LEAST_LAGS, math.ceil(math.sqrt(math.log10(count))))
    bound = _SIGNIFICANT * math.sqrt(math.log10(count) / count)
    significant = np.abs(covariances[1:] / variance) >= bound
    lag = 0
    while lag < last and significant[lag : lag + quiet].any():
        lag += 1
    width = min(2 * max(lag, 1), last)
    at = np.arange(1, width + 1)
    weighted = np.minimum(1.0, 2 * (1 - at / width)) * covariances[1 : width + 1]
    spread = 2 * float(np.sum(at * weighted))
    power = variance + 2 * float(np.sum(weighted))
    if power <= 0:
        return most
    length: float = (2 * spread**2 / (4 / 3 * power**2)) ** (1 / 3) * count ** (1 / 3)
    # Of a perfect cube its root, not one more by rounding.
    least: int = math.ceil(count ** (1 / 3) - 1e-9)
    return min(most, max(least, math.ceil(length)))


def moving_blocks(
    windows: int, block: int, draws: int, generator: np.random.Generator
) -> IntArray:
    """Draw recordings of as many windows, in blocks of consecutive ones.

    Parameters
    ----------
    windows : int
        n, windows there are.
    block : int
        Windows of a block, from 1 to n.
    draws : int
        Recordings.
    generator : Generator
        Of the draws.

    Returns
    -------
    int64 array, shape (draws, n)
        Windows of each; the last block is cut off.

    Examples
    --------
    >>> found = moving_blocks(6, 3, 100, np.random.default_rng(0))
    >>> bool(np.all(np.diff(found.reshape(100, 2, 3), axis=2) == 1))
    True
    """
    blocks = -(-windows // block)
    first = generator.integers(0, windows - block + 1, size=(draws, blocks, 1))
    drawn = (first + np.arange(block)).reshape(draws, blocks * block)
    return np.asarray(drawn[:, :windows], dtype=np.int64)


def ratios(counts: FloatArray, drawn: IntArray) -> FloatArray:
    """Divide counts of drawn recordings by those of the one there is; 1 where it counts nothing.

    Parameters
    ----------
    counts : float64 array, shape (n, J)
        Of each window, for each size.
    drawn : int64 array, shape (draws, n)
        Windows of each recording.

    Returns
    -------
    float64 array, shape (draws, J)
        [1]

    Examples
    --------
    >>> ratios(
    ...     np.asarray([[1.0, 0.0], [3.0, 0.0]]), np.asarray([[0, 0], [0, 1]])
    ... ).tolist()
    [[0.5, 1.0], [1.0, 1.0]]
    """
    whole = counts.sum(axis=0)
    times = np.zeros((len(drawn), len(counts)))
    np.add.at(times, (np.arange(len(drawn))[:, None], drawn), 1.0)
    made = times @ counts
    return np.asarray(np.divide(made, whole, out=np.ones_like(made), where=whole > 0))


def of_few_blocks(
    drawn: FloatArray, windows: int, block: int, generator: np.random.Generator
) -> FloatArray:
    """Spread ratios of drawn recordings as far as those of as few blocks may really lie apart.

    ``1 + (r - 1) sqrt(n / (n - b)) sqrt(k / X)``, X drawn from a chi-squared distribution of ``k = 3 n / (2 b)`` degrees of
    freedom for each recording. Blocks lie around their own mean, which takes ``b / n`` of their variance. And a variance
    that is itself estimated from blocks that overlap has a relative variance of ``4 b / (3 n)``: that of a chi-squared
    with k degrees of freedom, as with Student's t.

    Parameters
    ----------
    drawn : float64 array, shape (draws, J)
        As `ratios` returns them. [1]
    windows, block : int
        n and b: windows there are, and those of a block.
    generator : Generator
        Of the draws.

    Returns
    -------
    float64 array, shape (draws, J)
        At least 0. [1]

    Notes
    -----
    Künsch, Annals of Statistics 17 (1989), for the variance of the variance.

    Examples
    --------
    >>> drawn = 1 + 0.1 * np.random.default_rng(0).normal(size=(5000, 1))
    >>> wide = of_few_blocks(drawn, 90, 30, np.random.default_rng(1))
    >>> bool(wide.std() > 1.2 * drawn.std())
    True
    """
    freedom = 1.5 * windows / block
    blocks = windows / max(windows - block, 1)
    times = np.sqrt(blocks * freedom / generator.chisquare(freedom, len(drawn)))
    return np.asarray(np.maximum(0.0, 1 + (drawn - 1) * times[:, None]))


@dataclass(frozen=True, slots=True)
class Drift:
    """How a figure changes over the windows.

    Attributes
    ----------
    change : float
        From the first window to the last along the fitted line, as a share of the mean; 0 where that is 0. [1]
    by_chance : float
        Share of drawn recordings without a trend that change as much. [1]
    """

    change: float
    by_chance: float

    @property
    def is_drift(self) -> bool:
        """Whether the change is large, and larger than by chance."""
        return self.is_drift_of(1)

    def is_drift_of(self, figures: int) -> bool:
        """As `is_drift`, where it is one of so many figures: of many, one changes by chance."""
        return abs(self.change) > DRIFT and self.by_chance < DRIFT_LEVEL / figures


def drift(series: FloatArray, draws: int, generator: np.random.Generator) -> Drift:
    """Test whether a figure rises or falls from window to window.

    The slope of the fitted line is held against the slopes of recordings that are drawn in blocks from what is left
    beside the line, which have no trend.

    Parameters
    ----------
    series : float64 array, shape (n,)
        A figure of each window.
    draws : int
        Recordings drawn.
    generator : Generator
        Of the draws.

    Examples
    --------
    >>> drift(np.arange(100.0) + 100, 200, np.random.default_rng(0)).is_drift
    True
    >>> drift(np.tile([1.0, 2.0], 50), 200, np.random.default_rng(0)).is_drift
    False
    """
    count = len(series)
    mean = float(series.mean())
    if count < _LEAST_LINE or mean == 0:
        return Drift(0.0, 1.0)
    time = np.arange(count) - (count - 1) / 2
    scale = float(time @ time)
    slope = float(time @ series) / scale
    left = series - mean - slope * time
    drawn = left[moving_blocks(count, block_length(left), draws, generator)]
    slopes = drawn @ time / scale
    tolerance = 1e-12 * abs(mean)
    as_much = np.abs(slopes) >= abs(slope) - tolerance
    return Drift(slope * (count - 1) / mean, float(np.mean(as_much)))


def share_of_few(share: float, draws: int) -> float:
    """Share of so few draws that an interval has to hold, for it to hold a share of what they are drawn from. [1]

    Between two of n ordered draws, the k-th after the other, lies k / (n + 1) of the distribution on average, whatever it is;
    k + 1 draws are within.

    Parameters
    ----------
    share : float
        Of the distribution, above 0 and below 1. [1]
    draws : int
        At least 1.

    Notes
    -----
    Source: Wilks (1941), Determination of sample sizes for setting tolerance limits.

    Examples
    --------
    >>> share_of_few(0.9, 32) * 32
    30.7
    >>> share_of_few(0.9, 10**6)
    0.9000019
    >>> share_of_few(0.9, 5)
    1.0
    """
    return min(1.0, (share * (draws + 1) + 1) / draws)


def shortest_interval(
    values: FloatArray, share: float, holding: float | None = None
) -> tuple[float, float]:
    """Return the shortest interval that holds a share of some values; of equals the lowest.

    Parameters
    ----------
    values : float64 array, shape (N,)
        At least one, all finite.
    share : float
        Above 0, at most 1. [1]
    holding : float, optional
        A value that the interval has to hold too. It is chosen among those that do, so that it holds no more of the
        values for it; only where it lies beyond all of them, the end next to it is moved there.

    Notes
    -----
    Where values pile up at a bound that they cannot pass, as misses do at none, it reaches that bound; an interval with
    equal tails would leave it out. Source: Chen and Shao (1999), highest-density intervals of draws.

    Examples
    --------
    >>> shortest_interval(np.array([0.0, 0.0, 0.1, 0.2, 9.0]), 0.8)
    (0.0, 0.2)
    >>> shortest_interval(np.array([0.0, 0.0, 0.1, 0.2, 9.0]), 0.6, 0.15)
    (0.0, 0.2)
    """
    ordered = np.sort(values)
    held = max(1, math.ceil(share * len(ordered) - 1e-9))
    lows, highs = ordered[: len(ordered) - held + 1], ordered[held - 1 :]
    widths = highs - lows
    if holding is not None:
        lows, highs = np.minimum(lows, holding), np.maximum(highs, holding)
        # Of those that have to reach for it the one that reaches least far, then the shortest.
        reach = highs - lows - widths
        widths = np.where(reach <= reach.min(), widths, np.inf)
    at = int(np.argmin(widths))
    return float(lows[at]), float(highs[at])
