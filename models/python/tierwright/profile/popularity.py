"""Popularity of pages: the rank-frequency curve, and how well a Zipf law fits it.

The data are exact: how many pages have how many accesses. Pages in order of their accesses have
the ranks 1, 2, ..., D; pages with equally many share a group of ranks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ESTIMATOR = (
    "maximum likelihood of a finite Zipf law over the ranks of the pages touched, "
    "pages ranked by their observed accesses"
)
QUALITY = (
    "Kolmogorov-Smirnov distance between observed and fitted shares of accesses by rank"
)
CLOSE_KS, ROUGH_KS = 0.05, 0.1
"""Distances up to which a fit is called close, and rough. A choice: tests of significance reject
every law on traces of millions of accesses, so they tell nothing."""

TOP_SHARES = (0.001, 0.01, 0.1, 0.2, 0.5)
"""Shares of the pages, most accessed first, whose share of the accesses is worth knowing."""
_EXACT_RANKS = 10_000
_STEPS = 100
_FLAT = 1e-12
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


@dataclass(frozen=True, slots=True)
class ZipfFit:
    """A Zipf law fitted to the popularity of pages.

    Attributes
    ----------
    exponent : float
        Alpha: the page of rank r gets a share of accesses proportional to r^-alpha.
    standard_error : float
        Of the exponent, from the Fisher information; what it would be if accesses were independent
        draws from the law, so the least that it can be.
    ks_distance : float
        Largest difference between the observed and the fitted share of accesses of the first r
        ranks, over all r; 0 is a perfect fit, 1 the worst.
    verdict : str
        `close` (distance up to 0.05), `rough` (up to 0.1) or `poor`.
    estimator, quality : str
        How exponent and distance are defined.
    """

    exponent: float
    standard_error: float
    ks_distance: float
    verdict: str
    estimator: str = ESTIMATOR
    quality: str = QUALITY

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)


def fit_zipf(accesses: Sequence[int], pages: Sequence[int]) -> ZipfFit | None:
    """Fit a Zipf law to the numbers of accesses that pages have.

    Parameters
    ----------
    accesses : sequence of int
        Numbers of accesses, strictly decreasing.
    pages : sequence of int
        Pages with exactly so many.

    Returns
    -------
    ZipfFit or None
        None for fewer than three pages: any two fit.

    Raises
    ------
    BadInput
        If the columns differ in length, or hold no counts in that order.

    Notes
    -----
    The law gives rank r of D the probability r^-a / H(D, a). With f_r accesses at rank r and n in
    all, the log-likelihood is -a sum f_r ln r - n ln H(D, a), and its maximum is where the mean of
    ln r under the law equals the observed one; that mean falls with a, so bisection finds it. The
    estimate is biased upwards on short traces, as pages are ranked by the very counts that are
    fitted. Sums beyond rank 10,000 are Euler-Maclaurin sums, with relative errors below 1e-12.
    Least squares on log-log axes is not used: it weighs thousands of pages touched once as much as
    the few that take the load (Clauset, Shalizi & Newman, SIAM Review 51, 2009, section 3).

    Examples
    --------
    >>> fit_zipf([4, 2, 1], [1, 1, 2]).exponent  # doctest: +ELLIPSIS
    1.08...
    """
    counts, groups = _checked(accesses, pages)
    last = np.cumsum(groups)
    distinct = int(last[-1])
    if distinct < 3:  # noqa: PLR2004
        return None
    total = float(counts @ groups)
    log_factorials = np.array([math.lgamma(rank + 1.0) for rank in (0, *last)])
    target = float(counts @ np.diff(log_factorials)) / total
    # Pages all alike, which rounding would take for hardly unlike.
    exponent = 0.0 if counts.size == 1 else _exponent(target, distinct)
    norm, mean, square = _moments(exponent, distinct)
    spread = math.sqrt(max(square / norm - (mean / norm) ** 2, 0.0))
    distance = _distance(counts, last, exponent, norm)
    verdict = (
        "close" if distance <= CLOSE_KS else "rough" if distance <= ROUGH_KS else "poor"
    )
    return ZipfFit(exponent, 1 / (spread * math.sqrt(total)), distance, verdict)


def _checked(
    accesses: Sequence[int], pages: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    counts = np.asarray(accesses, dtype=np.float64)
    groups = np.asarray(pages, dtype=np.float64)
    if counts.size == 0 or counts.shape != groups.shape:
        raise BadInput(
            f"popularity: `{counts.size}` counts for {counted(groups.size, 'group')} of pages",
            "give one number of pages for each number of accesses, at least one",
        )
    for name, column in (("accesses", counts), ("pages", groups)):
        if not (column >= 1).all():
            raise BadInput(
                f"popularity: {name} `{column.min():g}` is below 1",
                "leave out pages without accesses",
            )
    if not (np.diff(counts) < 0).all():
        raise BadInput(
            "popularity: accesses do not decrease",
            "join pages with equally many accesses into one group",
        )
    return counts, groups


def _exponent(target: float, distinct: int) -> float:
    """Find where the mean of ln r under the law is `target`."""

    def mean_log_rank(exponent: float) -> float:
        norm, mean, _ = _moments(exponent, distinct)
        return mean / norm

    low, high = 0.0, 1.0
    if mean_log_rank(low) <= target:
        return 0.0  # all pages alike
    while mean_log_rank(high) > target:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if mean_log_rank(middle) > target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _moments(exponent: float, distinct: int) -> tuple[float, float, float]:
    """Return the sums of r^-a, r^-a ln r and r^-a (ln r)^2 over the ranks."""
    head = np.log(np.arange(1, min(distinct, _EXACT_RANKS) + 1, dtype=np.float64))
    weights = np.exp(-exponent * head)
    sums = [float(weights @ head**power) for power in range(3)]
    if distinct > _EXACT_RANKS:
        ends = np.log([_EXACT_RANKS, distinct])
        half = (ends[1] - ends[0]) / 2
        places = ends.mean() + half * _NODES
        density = half * _WEIGHTS * np.exp((1 - exponent) * places)
        for power in range(3):
            value = ends**power * np.exp(-exponent * ends)
            lower = power * ends ** max(power - 1, 0) - exponent * ends**power
            slope = lower * np.exp(-(exponent + 1) * ends)
            sums[power] += float(density @ places**power)
            sums[power] += float(np.diff(value)[0] / 2 + np.diff(slope)[0] / 12)
    return sums[0], sums[1], sums[2]


def _cumulative(exponent: float, ranks: FloatArray) -> FloatArray:
    """Return the sum of r^-a up to each of some whole ranks, 0 for rank 0."""
    known = np.arange(1, _EXACT_RANKS + 1, dtype=np.float64) ** -exponent
    head = np.concatenate(([0.0], np.cumsum(known)))
    found = head[np.minimum(ranks, _EXACT_RANKS).astype(np.int64)]
    start = float(_EXACT_RANKS)
    beyond = np.maximum(ranks, start)
    stretch = np.log(beyond / start)
    rise = (1 - exponent) * stretch
    with np.errstate(divide="ignore", invalid="ignore"):
        integral = stretch * np.where(np.abs(rise) < _FLAT, 1.0, np.expm1(rise) / rise)
    tail = start ** (1 - exponent) * integral
    tail += (beyond**-exponent - start**-exponent) / 2
    tail -= exponent * (beyond ** (-exponent - 1) - start ** (-exponent - 1)) / 12
    return np.asarray(found + tail)


def _distance(
    counts: FloatArray, last: FloatArray, exponent: float, norm: float
) -> float:
    """Return the Kolmogorov-Smirnov distance.

    Inside a group the observed share rises evenly and the fitted one ever slower, so they differ
    most at the ends of the group or where they rise equally fast.
    """
    before = np.concatenate(([0.0], last[:-1]))
    done = np.concatenate(([0.0], np.cumsum(counts * (last - before))))
    total = done[-1]
    if exponent > 0:
        with np.errstate(over="ignore"):
            level = (counts * norm / total) ** (-1 / exponent)
    else:
        level = last
    largest = 0.0
    for ranks in (last, np.floor(level), np.ceil(level)):
        at = np.clip(np.nan_to_num(ranks), before, last)
        observed = (done[:-1] + counts * (at - before)) / total
        fitted = _cumulative(exponent, at) / norm
        largest = max(largest, float(np.abs(observed - fitted).max()))
    return largest


def fitted_accesses(
    fit: ZipfFit, ranks: Sequence[int], *, accesses: int, distinct_pages: int
) -> FloatArray:
    """Return the accesses that the law expects of the pages of some ranks.

    Parameters
    ----------
    fit : ZipfFit
        The law.
    ranks : (n,) sequence of int
        From 1 to `distinct_pages`.
    accesses, distinct_pages : int
        Of the whole trace.

    Raises
    ------
    BadInput
        If a rank is out of range.

    Examples
    --------
    >>> fitted_accesses(fit_zipf([5], [4]), [1, 4], accesses=20, distinct_pages=4)
    array([5., 5.])
    """
    at = np.asarray(ranks, dtype=np.float64)
    if at.size and not (at.min() >= 1 and at.max() <= distinct_pages):
        raise BadInput(
            f"ranks `{at.min():g}` to `{at.max():g}` are not within 1 to {distinct_pages}",
            "name ranks of pages of the trace",
        )
    norm, _, _ = _moments(fit.exponent, distinct_pages)
    return np.asarray(accesses * at**-fit.exponent / norm)


@dataclass(frozen=True, slots=True)
class RankCurve:
    """The rank-frequency curve at some ranks, and the share of accesses up to each.

    Attributes
    ----------
    rank : list of int
        Increasing, from 1 to the number of pages.
    accesses : list of int
        Accesses of the page of that rank.
    cumulative_share : list of float
        Share of all accesses that go to the pages up to that rank.
    """

    rank: list[int]
    accesses: list[int]
    cumulative_share: list[float]


def rank_curve(
    accesses: Sequence[int], pages: Sequence[int], points: int = 240
) -> RankCurve:
    """Thin the rank-frequency curve to about `points` ranks, evenly spread on a logarithmic axis.

    Raises
    ------
    BadInput
        As `fit_zipf`.
    """
    counts, groups = _checked(accesses, pages)
    last = np.cumsum(groups)
    spaced = np.unique(np.rint(np.geomspace(1, last[-1], points)).astype(np.int64))
    # Steps at few accesses are drawn where they are.
    first = last - groups + 1
    wide = groups > 1
    steps = np.concatenate((first[wide], last[wide]))
    if steps.size <= points:
        spaced = np.unique(np.concatenate((spaced, steps.astype(np.int64))))
    group = np.searchsorted(last, spaced)
    done = np.concatenate(([0.0], np.cumsum(counts * groups)))
    upto = done[group] + counts[group] * (spaced - (last - groups)[group])
    return RankCurve(
        spaced.tolist(),
        counts[group].astype(np.int64).tolist(),
        (upto / done[-1]).tolist(),
    )


def share_of_top(
    accesses: Sequence[int], pages: Sequence[int], share: float
) -> tuple[int, float]:
    """Return how many pages the most accessed `share` of pages are, and their share of accesses.

    Raises
    ------
    BadInput
        If the share is not in (0, 1], or as `fit_zipf`.
    """
    if not 0 < share <= 1:
        raise BadInput(
            f"share `{share}` of pages is not in (0, 1]", "give for example 0.01"
        )
    counts, groups = _checked(accesses, pages)
    last = np.cumsum(groups)
    top = max(1, math.ceil(share * float(last[-1])))
    taken = np.clip(top - (last - groups), 0, groups)
    return top, float(counts @ taken) / float(counts @ groups)
