"""Whether a better split of a cache among workloads exists than a good one that is known, and which.

Curves are linear between their sizes, so in a best split all workloads but one are at a size that their curve lists: of two
that are between such sizes, one can give pages to the other without a miss more. With a price of `x` for a page, each
workload alone would be best at some size; how much worse another is, its regret, is a number from 0. The sum of these best
is a bound below every split (Lagrange), and a split that beats the known one has regrets that add up to less than what the known one
is above this bound. Few sizes have: these are combined, and of combinations only those kept that no smaller one is as good as.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.profile.several import Workload

_WIDENED = (16, 1)
"""Parts of the room between bound and known split that are searched one after the other: what is found leaves less room."""
MOST_PAIRS = 20_000
"""Combinations of two lists that are made at most: where there are more, those of the most regret are left out."""
_FEW = 8
"""Workloads up to which so many are made; of more workloads, fewer, for there are more lists."""
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Sizes of some of the workloads, or of one: what they take together, their misses by weight and their regrets.

    `each` has a row for each combination, and a column for each workload.
    """

    pages: NDArray[np.int64]
    missed: FloatArray
    regrets: FloatArray
    each: NDArray[np.int64]

    def rows(self, at: NDArray[np.int64]) -> _Sizes:
        """Return these combinations."""
        return _Sizes(self.pages[at], self.missed[at], self.regrets[at], self.each[at])

    def within(self, room: float) -> _Sizes:
        """Return those whose regret is less than this."""
        return self.rows(np.flatnonzero(self.regrets < room))


def best_split(
    workloads: Sequence[Workload],
    weights: FloatArray,
    pages: int,
    price: float,
    known: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the split of least misses by weight, or the known one where none is better.

    Parameters
    ----------
    workloads : sequence of Workload
    weights : (k,) float64 array
        How much a miss of each counts.
    pages : int
        All of the cache. [pages]
    price : float
        Misses by weight that a page is worth, from 0; any gives a true bound, what the last page saves on the hulls the best.
        [1/s/page]
    known : (k,) int64 array
        A split. [pages]

    Returns
    -------
    (k,) int64 array
        Without pages that would save nothing.
    """
    ones = [
        _listed(each, float(weight), pages, price)
        for each, weight in zip(workloads, weights, strict=True)
    ]
    at_best = [float(np.min(one.missed + price * one.pages)) for one in ones]
    bound = sum(at_best) - price * pages
    most = float(weights @ np.asarray([each.accesses_per_s for each in workloads]))
    best, least = known, _missed(workloads, weights, known)
    room = least - bound
    for part in _WIDENED:
        if least - bound <= _CLOSE * most:
            break
        searched = min(room / part, least - bound)
        near = [one.within(searched) for one in ones]
        others = _all_but_one(near, pages, searched)
        for at, (each, other) in enumerate(zip(workloads, others, strict=True)):
            if not len(other.pages):
                continue
            left = pages - other.pages
            missed = other.missed + weights[at] * each.misses_per_s(left)
            row = int(np.argmin(missed))
            if missed[row] < least - _CLOSE * most:
                least = float(missed[row])
                best = np.insert(
                    other.each[row], at, _needed(each, int(left[row]))
                ).astype(np.int64)
        if least - bound <= searched:
            break
    return best


def _listed(workload: Workload, weight: float, pages: int, price: float) -> _Sizes:
    """Sizes that the curve of a workload lists, up to all of the cache."""
    sizes = workload.curve.knots
    sizes = sizes[sizes <= pages]
    missed = weight * workload.misses_per_s(sizes)
    cost = missed + price * sizes
    whole = sizes.astype(np.int64)
    return _Sizes(whole, missed, cost - cost.min(), whole[:, np.newaxis])


def _needed(workload: Workload, pages: int) -> int:
    """Return the smallest listed size, or this one, at which a workload misses no more. [pages]"""
    curve = workload.curve
    fewest = float(curve.misses(pages))
    at = int(np.argmax(curve.knot_misses <= fewest))
    return (
        min(pages, int(curve.knots[at])) if curve.knot_misses[at] <= fewest else pages
    )


def _missed(
    workloads: Sequence[Workload], weights: FloatArray, sizes: NDArray[np.int64]
) -> float:
    return float(
        sum(
            weight * float(each.misses_per_s(size))
            for each, weight, size in zip(
                workloads, weights, sizes.tolist(), strict=True
            )
        )
    )


def _all_but_one(near: Sequence[_Sizes], pages: int, room: float) -> list[_Sizes]:
    """Combine the sizes of all workloads but the first, but the second, and so on."""
    pairs = int(MOST_PAIRS * min(1.0, (_FEW / len(near)) ** 2))
    none = _Sizes(
        np.zeros(1, dtype=np.int64),
        np.zeros(1),
        np.zeros(1),
        np.empty((1, 0), dtype=np.int64),
    )
    before, behind = [none], [none]
    for one in near[:-1]:
        before.append(_combined(before[-1], one, pages, room, pairs))
    for one in near[:0:-1]:
        behind.append(_combined(one, behind[-1], pages, room, pairs))
    return [
        _combined(first, second, pages, room, pairs)
        for first, second in zip(before, behind[::-1], strict=True)
    ]


def _combined(
    first: _Sizes, second: _Sizes, pages: int, room: float, pairs: int
) -> _Sizes:
    """Combine two lists; of all combinations within the room those that miss less than every smaller one."""
    order = np.argsort(second.regrets, kind="stable")
    while True:
        counts = np.searchsorted(second.regrets[order], room - first.regrets)
        # A list beside none stays whole, so that of two workloads every split is looked at.
        if counts.sum() <= max(pairs, len(first.pages), len(order)):
            break
        room /= 2
    left = np.repeat(np.arange(len(counts)), counts)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    right = order[np.arange(len(left)) - starts]
    total = first.pages[left] + second.pages[right]
    missed = first.missed[left] + second.missed[right]
    fits = np.flatnonzero(total <= pages)
    by_size = fits[np.lexsort((missed[fits], total[fits]))]
    ordered = missed[by_size]
    lowest = np.minimum.accumulate(np.concatenate(([np.inf], ordered)))[:-1]
    kept = by_size[ordered < lowest]
    return _Sizes(
        total[kept],
        missed[kept],
        first.regrets[left[kept]] + second.regrets[right[kept]],
        np.hstack((first.each[left[kept]], second.each[right[kept]])),
    )
