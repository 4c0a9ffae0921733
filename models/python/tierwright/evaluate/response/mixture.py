"""Percentiles of a mixture: accesses that take different ways, each with waits on it.

Derived: the percentile of a mixture is read from the mixed distribution, never from percentiles
of its parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import Problems
from tierwright.evaluate.response.queue import Wait

HALVINGS = 56
_AT_ONCE = ((64, 4), (1024, 2))
"""Halvings that one look at the distribution makes, for up to so many numbers: of few, many points cost what one does."""
_WHOLE = 1e-6
"""How far shares may be from adding up to 1. [1]"""
ROUNDED = 1e-12
"""Rounding of a share of exactly the percentile, which must not move it across a jump. [1]"""
_APART = 1e-4
"""Least relative distance of the rates in a sum of exponential times: equal ones have no
partial fractions. [1]"""
SURE = 60.0
"""Exponential times of the slowest wait beyond which no access is left: exp(-60) is below 1e-26."""
MOST_WAITS = 6
_IN_CACHE = 16_384
"""Numbers that one step over the terms of a mixture works on."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way that a share of the accesses takes.

    Attributes
    ----------
    tier : str
        `ram`, `flash` or `disk`: where the page is read.
    share : float
        Of the accesses. [1]
    alone_s : float
        Time where nothing is waited for. [s]
    waits : tuple of Wait
        One for each operation on the way that is waited for; of one shape.
    varying_s : tuple of float
        Mean times of the operations on it where each varies exponentially; they add up to
        `alone_s`. Empty: `alone_s` is always the same. [s]
    """

    tier: str
    share: float
    alone_s: float
    waits: tuple[Wait, ...] = ()
    varying_s: tuple[float, ...] = ()

    @property
    def least_s(self) -> float:
        """Time that it takes at least. [s]"""
        return 0.0 if self.varying_s else self.alone_s

    @property
    def mean_s(self) -> FloatArray:
        """Mean time of an access on it. [s]"""
        found = np.asarray(self.alone_s, dtype=np.float64)
        for wait in self.waits:
            found = found + wait.mean_s
        return np.asarray(found)


def mean_response(ways: Sequence[Way]) -> FloatArray:
    """Mean time of an access: the shares times the means of their ways.

    Parameters
    ----------
    ways : sequence of Way
        Shares add up to 1.

    Returns
    -------
    float64 array
        Of the shape of the waits; NaN where one of them has no bound. [s]

    Raises
    ------
    BadInput
        If the shares do not add up to 1.
    """
    _check(ways)
    found = np.zeros(())
    for way in ways:
        if way.share > 0:
            found = found + way.share * way.mean_s
    return np.asarray(found)


def response_tail(ways: Sequence[Way], time_s: ArrayLike) -> FloatArray:
    """Share of the accesses that take longer than a time: P(R > t) of the mixture.

    Parameters
    ----------
    ways : sequence of Way
        Shares add up to 1; the waits on one way are independent of each other.
    time_s : array_like
        t, broadcast against the waits. [s]

    Returns
    -------
    float64 array
        [1]

    Raises
    ------
    BadInput
        If the shares do not add up to 1, or a time is negative.
    """
    _check(ways)
    time = broadcast("response", amounts={"time_s": time_s})["time_s"]
    return _Tail.of(ways).at(time)


def response_quantile(ways: Sequence[Way], percentile: ArrayLike) -> FloatArray:
    """Least time within which a share of the accesses is answered.

    Parameters
    ----------
    ways : sequence of Way
        As `response_tail`.
    percentile : array_like
        In (0, 1), such as 0.99. [1]

    Returns
    -------
    float64 array
        Of the shape of the percentiles and, behind it, that of the waits; NaN where one of the
        waits has no bound. [s]

    Raises
    ------
    BadInput
        If the shares do not add up to 1, or a percentile is out of its domain.

    Examples
    --------
    Of 100 accesses 98 are hits and 2 read a disk of 10 ms that nobody else uses:

    >>> ways = [Way("ram", 0.98, 0.0), Way("disk", 0.02, 0.010)]
    >>> response_quantile(ways, [0.5, 0.99]).round(9).tolist()
    [0.0, 0.01]
    """
    _check(ways)
    asked = broadcast("response", shares={"percentile": percentile})["percentile"]
    problems = Problems("response", "give the percentile as a share, such as 0.99")
    problems.check(
        np.all((asked > 0) & (asked < 1)),
        "percentile",
        percentile,
        "must lie between 0 and 1",
    )
    problems.raise_if_any()
    used = [way for way in ways if way.share > 0]
    slow, reach = np.zeros(()), max(way.least_s for way in used)
    for way in used:
        reach += SURE * sum(way.varying_s)
        for wait in way.waits:
            slow = slow + wait.shift_s + SURE / wait.decay_per_s
    bounded = np.isfinite(slow)
    left = ((1 - asked) * (1 + ROUNDED)).reshape(asked.shape + (1,) * slow.ndim)
    tail = _Tail.of(used)
    low = np.zeros(asked.shape + slow.shape)
    high = np.broadcast_to(np.where(bounded, slow + reach, 0.0), low.shape)
    at_once = tail.at(low) <= left
    halvings = next((many for most, many in _AT_ONCE if low.size <= most), 1)
    parts = 2**halvings
    shares = (np.arange(1, parts) / parts).reshape((-1,) + (1,) * low.ndim)
    for _ in range(HALVINGS // halvings):
        points = low + (high - low) * shares
        # More accesses take longer than a shorter time: the points that leave too many come first.
        before = np.count_nonzero(~(tail.at(points) <= left), axis=0)[None]
        # Of many numbers copying the edges would take as long as the look itself.
        if halvings == 1:
            low, high = (
                np.where(before[0] > 0, points[0], low),
                np.where(before[0] > 0, high, points[0]),
            )
            continue
        edges = np.concatenate([low[None], points, high[None]])
        low, high = (
            np.take_along_axis(edges, at, axis=0)[0] for at in (before, before + 1)
        )
    return np.asarray(np.where(bounded, np.where(at_once, 0.0, high), np.nan))


def tier_of_quantile(ways: Sequence[Way], percentile: float) -> str:
    """Tier that answers the access at a percentile, were nothing waited for.

    Parameters
    ----------
    ways : sequence of Way
        Shares add up to 1.
    percentile : float
        In (0, 1). [1]

    Returns
    -------
    str
        `ram`, `flash` or `disk`.

    Raises
    ------
    BadInput
        If the shares do not add up to 1.

    Examples
    --------
    >>> ways = [Way("ram", 0.98, 0.0), Way("disk", 0.02, 0.010)]
    >>> tier_of_quantile(ways, 0.5), tier_of_quantile(ways, 0.99)
    ('ram', 'disk')
    """
    _check(ways)
    ordered = sorted(ways, key=lambda way: way.alone_s)
    answered = 0.0
    for way in ordered:
        answered += way.share
        if answered >= percentile - 1e-12:
            return way.tier
    return ordered[-1].tier


def _check(ways: Sequence[Way]) -> None:
    problems = Problems("response", "give shares of the accesses that add up to 1")
    whole = sum(way.share for way in ways)
    problems.check(abs(whole - 1) < _WHOLE, "share", whole, "do not add up to 1")
    for way in ways:
        problems.check(way.share >= 0, "share", way.share, "must not be negative")
        problems.check(
            len(way.waits) <= MOST_WAITS,
            "waits",
            len(way.waits),
            f"are more than {MOST_WAITS}",
        )
        problems.check(
            not way.varying_s
            or abs(sum(way.varying_s) - way.alone_s) <= _WHOLE * way.alone_s,
            "varying_s",
            way.varying_s,
            "must add up to alone_s",
        )
    problems.raise_if_any()


_Term = tuple[FloatArray, FloatArray, tuple[FloatArray, ...]]
"""Probability that just some of the waits of a way are not 0, the sum of their shifts, their rates."""


def _terms(way: Way) -> list[_Term]:
    found: list[_Term] = []
    for waits in itertools.product((False, True), repeat=len(way.waits)):
        probability, shift = np.ones(()), np.zeros(())
        rates = [np.asarray(1 / each) for each in way.varying_s if each > 0]
        for some, wait in zip(waits, way.waits, strict=True):
            probability = probability * (
                wait.probability if some else 1 - wait.probability
            )
            if some:
                shift = shift + wait.shift_s
                rates.append(wait.decay_per_s)
        found.append((np.asarray(probability), np.asarray(shift), _apart(rates)))
    return found


def _apart(rates: list[FloatArray]) -> tuple[FloatArray, ...]:
    """Sort rates and move equal ones a little apart."""
    if len(rates) <= 1:
        return tuple(rates)
    ordered = np.sort(np.stack(np.broadcast_arrays(*rates)), axis=0)
    for at in range(1, len(ordered)):
        ordered[at] = np.maximum(ordered[at], ordered[at - 1] * (1 + _APART))
    return tuple(ordered)


@dataclass(frozen=True, slots=True)
class _Tail:
    """P(R > t) of a mixture, its terms in arrays: one sum of exponential times each, from a start on.

    Terms of one number of rates stand together; behind the first axes stand those of the waits.
    """

    groups: tuple[tuple[FloatArray, FloatArray, FloatArray, FloatArray], ...]
    """Shares (terms, ...) [1], starts (terms, ...) [s], rates (rates, terms, ...) [1/s] and weights (the same) [1]."""

    @classmethod
    def of(cls, ways: Sequence[Way]) -> _Tail:
        by_rates: dict[int, list[tuple[FloatArray, ...]]] = {}
        for way in ways:
            if way.share > 0:
                for probability, shift, rates in _terms(way):
                    row = (way.share * probability, way.least_s + shift, *rates)
                    by_rates.setdefault(len(rates), []).append(
                        tuple(np.broadcast_arrays(*row))
                    )
        groups: list[tuple[FloatArray, FloatArray, FloatArray, FloatArray]] = []
        for rows in by_rates.values():
            shape = np.broadcast_shapes(*(row[0].shape for row in rows))
            found = np.stack(
                [
                    np.stack([np.broadcast_to(each, shape) for each in row])
                    for row in rows
                ],
                axis=1,
            )
            groups.append((found[0], found[1], found[2:], _weights(found[2:])))
        return cls(tuple(groups))

    def at(self, time: FloatArray) -> FloatArray:
        """P(R > t), of the shape of the times and the waits. [1]"""
        left = np.zeros(())
        for share, start, rates, weights in self.groups:
            lead = (1,) * max(0, time.ndim - (start.ndim - 1))
            # Terms are taken so many at a time that what is between the steps stays in the cache.
            size = max(time.size, start[0].size)
            many = max(1, _IN_CACHE // (size * max(1, len(rates))))
            for first in range(0, len(share), many):
                some = slice(first, first + many)
                found = _longer(
                    time,
                    *(_spread(each[some], 1, lead) for each in (share, start)),
                    *(_spread(each[:, some], 2, lead) for each in (rates, weights)),
                )
                left = left + found
        return np.asarray(left)


def _spread(values: FloatArray, axes: int, lead: tuple[int, ...]) -> FloatArray:
    """Put axes of one element, for those of the points of time, behind the first ones."""
    return values.reshape(values.shape[:axes] + lead + values.shape[axes:])


def _longer(
    time: FloatArray,
    share: FloatArray,
    start: FloatArray,
    rates: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """Share of the accesses of some terms that take longer than a time: all of them before they start."""
    beyond = time - start
    if not len(rates):
        return np.asarray((share * (beyond < 0)).sum(axis=0))
    each = np.exp(-rates * np.maximum(beyond, 0.0))
    if len(rates) == 1:
        return np.asarray((share * each[0]).sum(axis=0))  # 1 before the start
    each *= weights
    after = np.clip(each.sum(axis=0), 0.0, 1.0)
    return np.asarray((share * np.where(beyond < 0, 1.0, after)).sum(axis=0))


def _weights(rates: FloatArray) -> FloatArray:
    """Weights of the exponentials in the tail of a sum of exponential times, rates along the first axis."""
    found = np.ones_like(rates)
    for at, rate in enumerate(rates):
        for other, different in enumerate(rates):
            if other != at:
                found[at] *= different / (different - rate)
    return found
