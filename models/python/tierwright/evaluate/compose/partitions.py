"""A cache for each of several workloads: the split of the RAM of least misses.

The next page goes where it saves most misses per second. On curves that fall ever more slowly this
is the best split (equal marginal gains: Stone, Turek and Wolf, "Optimal partitioning of cache
memory", IEEE Transactions on Computers 1992). Measured curves have cliffs, so the lower convex
hulls are climbed down, whose corners are points of the curves.
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
        Pages left, of which no workload would miss less. [pages]
    misses_per_s : (k,) float64 array
        By the curve of each. [1/s]
    hull_misses_per_s : (k,) float64 array
        By the hull of each, a lower bound; at most one workload is between two corners. [1/s]
    write_backs_per_s : (k,) float64 array or None
        By the curve of each; None where one of the curves has none. [1/s]
    gain_per_s_page : float
        Misses per second, by weight, that the last page given saves; 0 where pages are left.
        [1/s/page]
    """

    pages: NDArray[np.int64]
    spare_pages: int
    misses_per_s: FloatArray
    hull_misses_per_s: FloatArray
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
        Of least misses by weight on the hulls: no other split has fewer there.

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
    sizes = np.bincount(owners[order], weights=taken, minlength=len(hulls))
    given = order[taken > 0]
    spare = pages - round(float(sizes.sum()))
    return Partition(
        np.rint(sizes).astype(np.int64),
        spare,
        np.asarray(
            [
                float(of.misses_per_s(at))
                for of, at in zip(workloads, sizes, strict=True)
            ]
        ),
        np.asarray(
            [float(np.interp(at, *hull)) for hull, at in zip(hulls, sizes, strict=True)]
        ),
        np.asarray(
            [
                float(of.write_backs_per_s(at))
                for of, at in zip(workloads, sizes, strict=True)
            ]
        )
        if all(each.curve.write_backs_at is not None for each in workloads)
        else None,
        float(gains[given[-1]]) if len(given) and spare == 0 else 0.0,
    )


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
