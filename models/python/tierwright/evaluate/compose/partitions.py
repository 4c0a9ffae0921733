"""A cache for each of several workloads: the split of the RAM of least misses.

The next page goes where it saves most misses per second. On curves that fall ever more slowly this
is the best split (equal marginal gains: Stone, Turek and Wolf, "Optimal partitioning of cache
memory", IEEE Transactions on Computers 1992). Measured curves have cliffs, so the lower convex
hulls are climbed down, whose corners are points of the curves. Where the next corner is too far for
what is left, its workload is skipped, or one workload gets the rest, whichever misses less. Whether
there is a better split than this one is then searched for (`best_split`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.common.hull import below_chords
from tierwright.evaluate.compose.best_split import best_split
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
    """Split a cache among workloads so that they miss least in all.

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
        The split of least misses: of two workloads of all there are, of more of those that are
        nearest to the bound of the hulls (`best_split`).

    Raises
    ------
    BadInput
        As `check_workloads`; or if the size is not a whole number from 0, or the weights are not
        one number above 0 for each workload.
    """
    return partitions(workloads, [pages], miss_weights=miss_weights)[0]


def partitions(
    workloads: Sequence[Workload],
    sizes: Sequence[int],
    *,
    miss_weights: Sequence[float] | None = None,
) -> tuple[Partition, ...]:
    """Split caches of several sizes, each as `partition` does.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; at least one, of one page size.
    sizes : sequence of int
        Sizes of all of the cache, at least 0. [pages]
    miss_weights : sequence of float, optional
        How much a miss of each counts, relative to the others; by default all the same.

    Returns
    -------
    tuple of Partition
        One for each size.

    Raises
    ------
    BadInput
        As `partition`.
    """
    check_workloads(workloads)
    weights = _checked(workloads, sizes, miss_weights)
    hulls = [_hull(each) for each in workloads]
    return tuple(_split(workloads, hulls, weights, pages) for pages in sizes)


def _split(
    workloads: Sequence[Workload],
    hulls: Sequence[tuple[FloatArray, FloatArray]],
    weights: FloatArray,
    pages: int,
) -> Partition:
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
    whole = np.rint(widths[order]).astype(np.int64)
    sizes = _whole_corners(
        workloads, weights, pages, owners[order], whole, gains[order] * widths[order]
    )
    least = [
        weight * float(np.interp(at, *hull))
        for weight, hull, at in zip(weights, hulls, best, strict=True)
    ]
    gain = float(gains[given[-1]]) if len(given) and best.sum() == pages else 0.0
    sizes = best_split(workloads, weights, pages, gain, sizes)
    # What was left over saves nothing in a cache that holds all of its data.
    sizes = np.minimum(
        sizes, [each.curve.all_data_from or pages for each in workloads]
    ).astype(np.int64)
    each_at = list(zip(workloads, sizes.tolist(), strict=True))
    return Partition(
        sizes,
        pages - int(sizes.sum()),
        np.asarray([float(each.misses_per_s(at)) for each, at in each_at]),
        float(np.sum(least)),
        np.asarray([float(each.write_backs_per_s(at)) for each, at in each_at])
        if all(each.curve.write_backs_at is not None for each in workloads)
        else None,
        gain,
    )


def _whole_corners(
    workloads: Sequence[Workload],
    weights: FloatArray,
    pages: int,
    owners: NDArray[np.int64],
    widths: NDArray[np.int64],
    savings: FloatArray,
) -> NDArray[np.int64]:
    """Take whole steps of the hulls in their order, and put what is left where it saves most.

    More pages never miss more. What is left below a corner saves at most what a straight line to
    that corner would, and a larger cache that reaches the corner saves that in whole. What is left
    may also go to a workload that was skipped, before a step that saves less per page is taken:
    a larger cache that takes this step leaves more of it.
    """
    # All steps before the first that is too wide are taken.
    first = int(np.searchsorted(np.cumsum(widths), pages, side="right"))
    sizes = np.zeros(len(workloads), dtype=np.int64)
    np.add.at(sizes, owners[:first], widths[:first])
    made = _Corners(workloads, weights, sizes, pages - int(sizes.sum()))
    steps = (owners[first:], widths[first:], savings[first:])
    for owner, width, saving in zip(*(each.tolist() for each in steps), strict=True):
        if made.left == 0:
            break
        if owner in made.skipped:
            continue
        if width > made.left:
            made.put_what_is_left(range(len(workloads)))
            made.skipped[owner] = saving / width
        else:
            made.put_what_is_left(made.skipped)
            made.take(owner, width, saving)
    made.put_what_is_left(range(len(workloads)))
    return made.best


class _Corners:
    """Sizes in corners of the hulls, and the best split seen on the way.

    Parameters
    ----------
    workloads, weights
        As of `partition`.
    sizes : (k,) int64 array
        Corners to begin with. [pages]
    left : int
        Pages that are in no corner yet. [pages]
    """

    def __init__(
        self,
        workloads: Sequence[Workload],
        weights: FloatArray,
        sizes: NDArray[np.int64],
        left: int,
    ) -> None:
        self._workloads, self._weights, self._sizes = workloads, weights, sizes
        self.left = left
        self.skipped: dict[int, float] = {}
        """What the corner that was too far would have saved per page, by workload."""
        self.best = sizes.copy()
        self._saved = self._most = 0.0

    def take(self, owner: int, width: int, saving: float) -> None:
        """Go to the next corner of a workload."""
        self._sizes[owner] += width
        self.left -= width
        self._saved += saving
        if self._saved > self._most:
            self.best, self._most = self._sizes.copy(), self._saved

    def put_what_is_left(self, into: Iterable[int]) -> None:
        """See whether one of these workloads saves more with all that is left."""
        for owner in into:
            hull = self.skipped.get(owner)
            if hull is not None and self._saved + hull * self.left <= self._most:
                continue  # none of its sizes below the corner saves more than the hull
            size = int(self._sizes[owner])
            more = self._saved + (
                self._missed(owner, size) - self._missed(owner, size + self.left)
            )
            if more > self._most:
                self.best, self._most = self._sizes.copy(), more
                self.best[owner] += self.left

    def _missed(self, owner: int, size: int) -> float:
        missed = self._workloads[owner].misses_per_s(size)
        return float(self._weights[owner]) * float(missed)


def _hull(workload: Workload) -> tuple[FloatArray, FloatArray]:
    """Corners of the lower hull: sizes, and misses per second there."""
    sizes = workload.curve.knots
    sizes = sizes[sizes <= workload.most_pages]
    missed = workload.misses_per_s(sizes)
    corners = below_chords(sizes, missed, rounds=len(sizes))
    return sizes[corners], missed[corners]


def _checked(
    workloads: Sequence[Workload],
    sizes: Sequence[int],
    miss_weights: Sequence[float] | None,
) -> FloatArray:
    problems = Problems(
        "partition", "give whole pages, and one weight for each workload"
    )
    for pages in sizes:
        problems.check(
            pages == int(pages) and pages >= 0,
            "pages",
            pages,
            "must be whole pages from 0",
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
