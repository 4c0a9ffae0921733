"""One LRU cache that several workloads share, from the curve of each.

An LRU cache holds the pages that were used within some time T. Alone, a workload fills its cache at
the rate of its misses, so a cache of C pages holds what was used within

    t(C) = integral from 0 to C of dc / misses_per_s(c)

(Denning and Schwartz, "Properties of the working-set model", CACM 1972: the working set grows with
the missing rate; footprints of shared caches: Xiang, Bao, Ding and Gao, PACT 2011). In a shared
cache all workloads have one T: it holds C_i(T) pages of workload i, which misses as in a cache of
C_i(T) pages of its own. The sum of C_i(T) is the size of the shared cache.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray, share
from tierwright.common.errors import Problems
from tierwright.profile.several import Workload, check_workloads

_MOST_STEPS = 200
_CLOSE = 1e-13
_FLAT = 1e-12


@dataclass(frozen=True, eq=False)
class SharedCache:
    """What a shared LRU cache holds and misses; arrays are by workload, then by size.

    Attributes
    ----------
    pages : (n,) float64 array
        Sizes of the shared cache. [pages]
    times_s : (n,) float64 array
        T, for how long an unused page stays; infinite where all pages fit. [s]
    held_pages : (k, n) float64 array
        Pages of each workload; their sum is the size, or less where all pages fit. [pages]
    misses_per_s : (k, n) float64 array
        Of each workload. [1/s]
    write_backs_per_s : (k, n) float64 array or None
        Of each workload; None where one of the curves has none. [1/s]
    """

    pages: FloatArray
    times_s: FloatArray
    held_pages: FloatArray
    misses_per_s: FloatArray
    write_backs_per_s: FloatArray | None

    @property
    def held_shares(self) -> FloatArray:
        """Share of the pages held that are of each workload. [1]"""
        return share(self.held_pages, self.held_pages.sum(axis=0))

    @property
    def miss_shares(self) -> FloatArray:
        """Share of the misses that are of each workload. [1]"""
        return share(self.misses_per_s, self.misses_per_s.sum(axis=0))


def characteristic_times_s(workload: Workload, pages: ArrayLike) -> FloatArray:
    """Time for which an unused page stays in a cache that a workload has for itself.

    The integral of ``dc / misses_per_s(c)`` from 0 to each size. The curve is linear between its
    sizes, from ``r0`` to ``r1`` misses per second over ``d`` pages, which takes
    ``d ln(r0 / r1) / (r0 - r1)``.

    Parameters
    ----------
    workload : Workload
        The workload and its rate.
    pages : array_like
        Sizes, any shape. [pages]

    Returns
    -------
    float64 array
        Infinite where the cache never fills. [s]

    Raises
    ------
    BadInput
        If the rate is not positive, or the curve has no accesses.
    """
    check_workloads([workload])
    return _filling(workload).time_s(np.asarray(pages, dtype=np.float64))


def held_pages(workload: Workload, times_s: ArrayLike) -> FloatArray:
    """Pages of a workload that were used within a time: the inverse of `characteristic_times_s`.

    Parameters
    ----------
    workload : Workload
        The workload and its rate.
    times_s : array_like
        Times, any shape. [s]

    Returns
    -------
    float64 array
        At most the size of the data, where that is known. [pages]

    Raises
    ------
    BadInput
        If the rate is not positive, or the curve has no accesses.
    """
    check_workloads([workload])
    return _filling(workload).held(np.asarray(times_s, dtype=np.float64))[0]


def shared_cache(workloads: Sequence[Workload], pages: ArrayLike) -> SharedCache:
    """Compute what a shared LRU cache holds and misses of each workload.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; at least one, of one page size.
    pages : (n,) array_like
        Sizes of the shared cache, at least 0. [pages]

    Returns
    -------
    SharedCache
        Of each size, with T from ``sum of C_i(T) = C``.

    Raises
    ------
    BadInput
        If there is no workload, page sizes differ, a rate is not positive, a curve has no
        accesses, or a size is negative.
    """
    check_workloads(workloads)
    sizes = np.atleast_1d(np.asarray(pages, dtype=np.float64)).reshape(-1)
    check_sizes(sizes)
    fillings = [_filling(each) for each in workloads]
    times = _common_times(fillings, sizes)
    held = np.stack([filling.held(times)[0] for filling in fillings])
    return SharedCache(
        sizes,
        times,
        held,
        np.stack(
            [each.misses_per_s(of) for each, of in zip(workloads, held, strict=True)]
        ),
        np.stack(
            [
                each.write_backs_per_s(of)
                for each, of in zip(workloads, held, strict=True)
            ]
        )
        if all(each.curve.write_backs_at is not None for each in workloads)
        else None,
    )


def bends(workloads: Sequence[Workload]) -> FloatArray:
    """Sizes of the shared cache at which one of the workloads reaches a size that its curve lists.

    Between two of them every workload is on one straight line of its curve.

    Returns
    -------
    float64 array
        Rising, each once. [pages]

    Raises
    ------
    BadInput
        As `shared_cache`.
    """
    check_workloads(workloads)
    fillings = [_filling(each) for each in workloads]
    times = _knot_times(fillings)
    found = np.unique(_held_in_all(fillings, times)[0])
    return np.asarray(found[found > 0], dtype=np.float64)


def settled(workloads: Sequence[Workload], within: float) -> float:
    """Return the size of the shared cache from which on a larger one misses hardly less.

    Where the trend of a workload goes on beyond what others have, a shared cache holds ever more of
    its pages, and the others reach their ends late, or never in full.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; at least one, of one page size.
    within : float
        How many misses, and write-backs, larger caches may save at most, above 0. [1/s]

    Returns
    -------
    float
        The smallest of those of `bends` that will do, or where none does a size beyond. [pages]

    Raises
    ------
    BadInput
        As `shared_cache`.
    """
    check_workloads(workloads)
    fillings = [_filling(each) for each in workloads]
    times = _knot_times(fillings)
    while True:
        held = [filling.held(times)[0] for filling in fillings]
        near = _left(workloads, held) <= within
        if near[-1]:
            return float(np.sum(held, axis=0)[int(np.argmax(near))])
        # What nobody's curve lists any more falls as exp(-T).
        times = times[-1:] * np.asarray([1.0, 2.0]) if times[-1] else np.ones(1)


def _left(workloads: Sequence[Workload], held: Sequence[FloatArray]) -> FloatArray:
    """Return what larger caches would save of the misses or of the write-backs, whichever is more. [1/s]"""
    saved = [
        sum(
            (
                each.misses_per_s(own) - each.misses_per_s(each.curve.last_listed)
                for each, own in zip(workloads, held, strict=True)
            ),
            np.zeros(len(held[0])),
        )
    ]
    if all(each.curve.write_backs_at is not None for each in workloads):
        saved.append(
            sum(
                (
                    each.write_backs_per_s(own)
                    - each.write_backs_per_s(each.curve.last_listed)
                    for each, own in zip(workloads, held, strict=True)
                ),
                np.zeros(len(held[0])),
            )
        )
    return np.asarray(np.max(saved, axis=0), dtype=np.float64)


def check_sizes(pages: FloatArray) -> None:
    """Check sizes of a cache.

    Raises
    ------
    BadInput
        If one is negative or not finite.
    """
    problems = Problems("cache", "use sizes of 0 pages and more")
    for size in pages[~(np.isfinite(pages) & (pages >= 0))][:1].tolist():
        problems.add("pages", size, "must be 0 or more")
    problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class _Filling:
    """How the pages of one workload fill a cache: between two knots at a rate that falls linearly.

    `sizes`, `rates` and `times` are of the knots, up to the one that is never reached or, where the
    size of the data is known, to that size.
    """

    sizes: FloatArray
    rates: FloatArray
    times: FloatArray
    most: float

    def held(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return pages held after each time, and how many more each further second holds."""
        last = len(self.sizes) - 1
        at = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, last)
        behind = np.minimum(at + 1, last)
        inside = at < last
        width = np.where(inside, self.sizes[behind] - self.sizes[at], 1.0)
        fall = np.where(inside, (self.rates[at] - self.rates[behind]) / width, 0.0)
        since = np.minimum(times, _LATEST) - np.minimum(self.times[at], _LATEST)
        grown = np.where(
            fall > 0,
            -np.expm1(-fall * since) / np.where(fall > 0, fall, 1.0),
            since,
        )
        held = self.sizes[at] + self.rates[at] * grown
        full = held >= self.most
        slope = np.where(full, 0.0, self.rates[at] * np.exp(-fall * since))
        bound = np.where(inside, self.sizes[behind], self.most)
        return np.minimum(held, bound), slope

    def time_s(self, sizes: FloatArray) -> FloatArray:
        """Return the time after which each size is full."""
        last = len(self.sizes) - 1
        at = np.clip(np.searchsorted(self.sizes, sizes, side="right") - 1, 0, last)
        behind = np.minimum(at + 1, last)
        width = np.where(at < last, self.sizes[behind] - self.sizes[at], 1.0)
        begin = self.rates[at]
        end = begin - (begin - self.rates[behind]) * (sizes - self.sizes[at]) / width
        found = self.times[at] + _time_s(sizes - self.sizes[at], begin, end)
        return np.where(sizes > self.most, np.inf, found)

    @property
    def limit(self) -> float:
        """Pages held after all time. [pages]"""
        return self.most if self.rates[-1] > 0 else float(self.sizes[-1])


_LATEST = 1e200
"""Time instead of infinity, in sums. [s]"""


def _filling(workload: Workload) -> _Filling:
    sizes = workload.curve.knots
    rates = workload.curve.knot_misses * workload.per_count
    most = workload.most_pages
    if math.isfinite(most):
        inside = sizes < most
        sizes = np.append(sizes[inside], most)
        rates = np.append(rates[inside], float(workload.misses_per_s(most)))
    end = int(np.argmax(rates <= 0)) if bool(np.any(rates <= 0)) else len(rates) - 1
    sizes, rates = sizes[: end + 1], rates[: end + 1]
    steps = _time_s(np.diff(sizes), rates[:-1], rates[1:])
    return _Filling(sizes, rates, np.concatenate(([0.0], np.cumsum(steps))), most)


def _time_s(width: FloatArray, begin: FloatArray, end: FloatArray) -> FloatArray:
    """Time to fill `width` pages at a rate that falls linearly from `begin` to `end`. [s]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        fallen = (begin - end) / begin
        flat = width / begin
        found = flat * -np.log1p(-fallen) / fallen
        found = np.where(fallen < _FLAT, flat * (1 + fallen / 2), found)
    return np.where(width <= 0, 0.0, np.where(end > 0, found, np.inf))


def _knot_times(fillings: Sequence[_Filling]) -> FloatArray:
    times = np.unique(np.concatenate([filling.times for filling in fillings]))
    return np.asarray(times[np.isfinite(times)], dtype=np.float64)


def _held_in_all(
    fillings: Sequence[_Filling], times: FloatArray
) -> tuple[FloatArray, FloatArray]:
    found = [filling.held(times) for filling in fillings]
    held = np.sum([one[0] for one in found], axis=0)
    return held, np.sum([one[1] for one in found], axis=0)


def _common_times(fillings: Sequence[_Filling], sizes: FloatArray) -> FloatArray:
    """Solve sum of C_i(T) = C: concave in T, so Newton's steps from below stay below."""
    times = _knot_times(fillings)
    held = _held_in_all(fillings, times)[0]
    at = np.searchsorted(held, sizes, side="right") - 1
    found = times[np.clip(at, 0, len(times) - 1)]
    limit = sum(filling.limit for filling in fillings)
    fits = sizes >= limit * (1 - _CLOSE)
    for _ in range(_MOST_STEPS):
        now, slope = _held_in_all(fillings, found)
        # Where all fits, the slope may be too small to divide by.
        open_ = (slope > 0) & ~fits
        step = np.divide(sizes - now, slope, out=np.zeros_like(found), where=open_)
        step = np.maximum(step, 0.0)
        found = found + step
        if np.all(step <= _CLOSE * found):
            break
    return np.where(fits, np.inf, found)
