"""A cache for each of several workloads: the split of the RAM of least misses.

The next page goes where it saves most misses per second. On curves that fall ever more slowly this
is the best split (equal marginal gains: Stone, Turek and Wolf, "Optimal partitioning of cache
memory", IEEE Transactions on Computers 1992). Measured curves have cliffs, so the lower convex
hulls are climbed down, whose corners are points of the curves. Where the next corner is too far for
what is left, its workload is skipped, or one workload gets the rest, whichever misses less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.common.hull import below_chords
from tierwright.profile.several import Workload, check_workloads


@dataclass(frozen=True, eq=False)
class Partition:
    """Caches of their own for several workloads; arrays are by workload.

    Attributes
    ----------
    pages : (k,) int64 array
        Size of each cache. [pages]
    spare_pages : int
        Pages left, which would save no workload a miss. [pages]
    misses_per_s : (k,) float64 array
        By the curve of each. [1/s]
    least_misses_per_s : float
        Sum of the misses by the hulls, each times its weight: no split has fewer. [1/s]
    write_backs_per_s : (k,) float64 array or None
        By the curve of each; None where one of the curves has none. [1/s]
    gain_per_s_page : float
        Misses per second, by weight, that the last page given saves on the hulls; 0 where pages
        are left. [1/s/page]
    """

    pages: NDArray[np.int64]
    spare_pages: int
    misses_per_s: FloatArray
    least_misses_per_s: float
    write_backs_per_s: FloatArray | None
    gain_per_s_page: float


def partition(
    workloads: Sequence[Workload],
    pages: int,
    *,
    miss_weights: Sequence[float] | None = None,
) -> Partition:
    """Split a cache among workloads so that they miss least in all, by their lower hulls.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; at least one, of one page size.
    pages : int
        All of the cache, at least 0. [pages]
    miss_weights : sequence of float, optional
        How much a miss of each counts, relative to the others; by default all the same.

    Returns
    -------
    Partition
        Corners of the hulls in the order of their gains, so that no split misses less where all
        pages lie in corners.

    Raises
    ------
    BadInput
        As `check_workloads`; or if the size is not a whole number from 0, or the weights are not
        one number above 0 for each workload.
    """
    check_workloads(workloads)
    weights = _checked(workloads, pages, miss_weights)
    hulls = [_hull(each) for each in workloads]
    gains = np.concatenate(
        [
            weight * -np.diff(missed) / np.diff(size)
            for weight, (size, missed) in zip(weights, hulls, strict=True)
        ]
    )
    widths = np.concatenate([np.diff(size) for size, _ in hulls])
    owners = np.repeat(np.arange(len(hulls)), [len(size) - 1 for size, _ in hulls])
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0]
    before = np.cumsum(widths[order]) - widths[order]
    taken = np.clip(pages - before, 0.0, widths[order])
    best = np.bincount(owners[order], weights=taken, minlength=len(hulls))
    given = order[taken > 0]
    sizes = _whole_corners(workloads, weights, pages, owners[order], widths[order])
    least = [
        weight * float(np.interp(at, *hull))
        for weight, hull, at in zip(weights, hulls, best, strict=True)
    ]
    each_at = list(zip(workloads, sizes.tolist(), strict=True))
    return Partition(
        sizes,
        pages - int(sizes.sum()),
        np.asarray([float(each.misses_per_s(at)) for each, at in each_at]),
        float(np.sum(least)),
        np.asarray([float(each.write_backs_per_s(at)) for each, at in each_at])
        if all(each.curve.write_backs_at is not None for each in workloads)
        else None,
        float(gains[given[-1]]) if len(given) and best.sum() == pages else 0.0,
    )


def _whole_corners(
    workloads: Sequence[Workload],
    weights: FloatArray,
    pages: int,
    owners: NDArray[np.int64],
    widths: FloatArray,
) -> NDArray[np.int64]:
    """Take whole steps of the hulls in their order, and put what is left where it saves most.

    More pages never miss more: what is left below a corner saves at most what a straight line to
    that corner would, and the corner saves that in whole.
    """
    sizes = np.zeros(len(workloads), dtype=np.int64)
    skipped = np.zeros(len(workloads), dtype=bool)
    left = pages
    found = []

    def missed(at: NDArray[np.int64]) -> FloatArray:
        return np.asarray(
            [
                weight * float(each.misses_per_s(size))
                for weight, each, size in zip(weights, workloads, at, strict=True)
            ],
            dtype=np.float64,
        )

    def ended() -> None:
        saved = missed(sizes) - missed(sizes + left)
        made = sizes.copy()
        if left > 0 and saved.max() > 0:
            made[int(np.argmax(saved))] += left
        found.append(made)

    for owner, width in zip(owners.tolist(), widths.tolist(), strict=True):
        if skipped[owner]:
            continue
        if width <= left:
            sizes[owner] += round(width)
            left -= round(width)
        else:
            ended()
            skipped[owner] = True
    ended()
    return min(found, key=lambda at: float(missed(at).sum()))


def _hull(workload: Workload) -> tuple[FloatArray, FloatArray]:
    """Corners of the lower hull: sizes, and misses per second there."""
    sizes = workload.curve.knots
    sizes = sizes[sizes <= workload.most_pages]
    missed = workload.misses_per_s(sizes)
    corners = below_chords(sizes, missed, rounds=len(sizes))
    return sizes[corners], missed[corners]


def _checked(
    workloads: Sequence[Workload], pages: int, miss_weights: Sequence[float] | None
) -> FloatArray:
    problems = Problems(
        "partition", "give whole pages, and one weight for each workload"
    )
    problems.check(
        pages == int(pages) and pages >= 0, "pages", pages, "must be whole pages from 0"
    )
    if miss_weights is None:
        problems.raise_if_any()
        return np.ones(len(workloads))
    weights = np.asarray(miss_weights, dtype=np.float64)
    problems.check(
        weights.shape == (len(workloads),),
        "miss_weights",
        len(miss_weights),
        f"must be one for each of the workloads, {len(workloads)} in all",
    )
    problems.check(
        bool(np.all(np.isfinite(weights) & (weights > 0))),
        "miss_weights",
        None,
        "must be above 0",
    )
    problems.raise_if_any()
    return weights
