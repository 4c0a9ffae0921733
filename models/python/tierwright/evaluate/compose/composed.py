"""The curves of several workloads in one shared cache, or each in a part of it, read as that of one workload."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.common.wording import listed, three_digits
from tierwright.evaluate.compose.errors import scaled_parts
from tierwright.evaluate.compose.partitions import partitions
from tierwright.evaluate.compose.shared import bends, settled, shared_cache
from tierwright.profile.curve import DEFAULT_POINTS, Curve, Given, thinned_sizes
from tierwright.profile.document import Profile
from tierwright.profile.evidence import weakest
from tierwright.profile.several import Workload, check_workloads
from tierwright.profile.thinning import error_bounded
from tierwright.trace.notes import ReaderNotes

ESTIMATOR = "common characteristic time of the curves of all workloads"
"""How the counts of a shared cache are computed."""
SOURCE = "composition"
LEAST_SHARE = 0.005
"""Share of the data from which on the error of a scale law is known. [1]"""
_WEIGHED = 50
"""Sizes, even in their logarithm, over which misses weigh the errors of scale laws."""
_BEYOND = 20
"""Sizes between all distinct pages and the largest that a curve lists."""
_OF_PARTS = 100
"""Sizes of a cache in parts, even in their logarithm, that are listed beside those that are wanted."""
_NEAR = 1e-6
"""Share of the accesses by which a curve at all its sizes may be off between them, and beyond the last. [1]"""
_DIGITS = 6
"""Decimals of a count."""
_SHARED = (
    f"Composed by formula: {ESTIMATOR}.",
    "Workloads share no pages, and do not take turns.",
)
_PARTS = ("Each workload has a part of the cache: the split of least misses.",)


def composed_profile(
    workloads: Sequence[Workload],
    *,
    points: int = DEFAULT_POINTS,
    also: Iterable[int] = (),
) -> Profile:
    """Compute the profile of one LRU cache that several workloads share.

    Its accesses are as many as were recorded of all, over the time in which the stated rates make
    so many; its pages are those of all. It is of a running system: a given curve. Where workloads
    were scaled to production, it keeps the errors known of their laws, weighted by the mean misses
    of each over cache sizes from 0.5 % of the data, as the laws were measured.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; each is composed by its curve of a running system.
    points : int
        Log-spaced sizes wanted; where a straight line is too far off, as many more at most.
    also : iterable of int
        Sizes to list besides. [pages]

    Returns
    -------
    Profile
        Without write-backs where one of the curves has none.

    Raises
    ------
    BadInput
        As `shared_cache`; or if new pages were stated of a curve, whose first touches would count
        as reads of the composed one.
    """
    running = _running(workloads)
    named = set(also)
    whole, off = _whole(running, points, named)
    beyond = np.geomspace(whole.distinct_pages, whole.last_listed, _BEYOND)
    thinned, more = error_bounded(
        whole, points, {*np.rint(beyond).astype(np.int64).tolist(), *named}
    )
    return Profile(thinned, _duration_s(running), thinned_error=off + more)


def composed_curve(workloads: Sequence[Workload]) -> Curve:
    """Compute the curve of one LRU cache that several workloads share, at so many sizes that lines between them hardly err.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; each is composed by its curve of a running system.

    Returns
    -------
    Curve
        That of `composed_profile` before sizes are left out: off by less than two millionths of the accesses.

    Raises
    ------
    BadInput
        As `composed_profile`.
    """
    return _whole(_running(workloads), DEFAULT_POINTS, set())[0]


def _whole(
    running: Sequence[Workload], points: int, named: set[int]
) -> tuple[Curve, float]:
    """Return the curve of a shared cache up to where no workload has more to save, and how far lines between its sizes are off. [1]"""
    rate = math.fsum(each.accesses_per_s for each in running)
    distinct = _distinct(running)
    last = max(distinct, math.ceil(settled(running, _NEAR * rate)), *named)
    around = bends(running)
    around = around[around < last]
    sizes = np.unique(
        np.concatenate(
            (
                thinned_sizes(distinct, points, {last, *named}),
                np.floor(around).astype(np.int64),
                np.ceil(around).astype(np.int64),
            )
        )
    )
    between, off = _bent(running, sizes[sizes >= 1], _NEAR * rate)
    found = shared_cache(running, between)
    whole = _composed(
        running,
        between,
        found.misses_per_s,
        found.write_backs_per_s,
        found.held_pages,
        _SHARED,
    )
    # Larger caches than the last may save as much again.
    return whole, off / rate + _NEAR


def _bent(
    running: Sequence[Workload], sizes: NDArray[np.int64], near: float
) -> tuple[NDArray[np.int64], float]:
    """Add sizes between until straight lines are near the shared cache, and say how far off they may be. [1/s]

    Between the bends of the curves its misses fall ever more slowly. Such a curve is below its chord by at most twice what
    it is at the worst of three sizes between.
    """
    known, off = [sizes], 0.0
    low, high = sizes[:-1], sizes[1:]
    while True:
        wide = high - low > 1
        low, high = low[wide], high[wide]
        if not len(low):
            return np.unique(np.concatenate(known)), off
        middle = (low + high) // 2
        others = (np.maximum(low + 1, (3 * low + high) // 4), (low + 3 * high) // 4)
        ends = (_all_per_s(running, low), _all_per_s(running, high))
        worst = np.zeros(len(low))
        for at in (middle, *others):
            line = ends[0] + (at - low) / (high - low) * (ends[1] - ends[0])
            apart = np.abs(line - _all_per_s(running, at)).max(axis=0)
            worst = np.maximum(worst, apart)
        far = worst > near
        off = max(off, 2 * float(worst[~far].max(initial=0.0)))
        known.append(middle[far])
        low, high = (
            np.concatenate((low[far], middle[far])),
            np.concatenate((middle[far], high[far])),
        )


def _all_per_s(running: Sequence[Workload], sizes: NDArray[np.int64]) -> FloatArray:
    """Return what a shared cache misses and, in a second row where that is known, writes back. [1/s]"""
    found = shared_cache(running, sizes)
    both = (found.misses_per_s, found.write_backs_per_s)
    return np.stack([each.sum(axis=0) for each in both if each is not None])


def partitioned_curve(workloads: Sequence[Workload], sizes: Iterable[int]) -> Curve:
    """Compute the curve of a cache of which every workload has a part, so large that all together miss least.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; each is taken by its curve of a running system.
    sizes : iterable of int
        Of all of the cache, from 1: there the counts are those of `partitions`. [pages]

    Returns
    -------
    Curve
        At these sizes, at some between, at all distinct pages and at the last size of which a curve speaks; in a straight
        line between two of them, where curves with cliffs may miss more. Where a larger cache would write
        more back, the smaller one is stated to write as much: write-backs are an upper bound there. Without
        write-backs where one of the curves has none.

    Raises
    ------
    BadInput
        As `composed_profile`.
    """
    running = _running(workloads)
    distinct = _distinct(running)
    # No part is larger than its data, or where these are not stated than what its curve lists.
    last = max(
        distinct,
        sum(each.curve.all_data_from or each.curve.last_listed for each in running),
    )
    between = thinned_sizes(distinct, _OF_PARTS, {last, *sizes})
    wanted = np.unique(between.clip(min=1))
    splits = partitions(running, wanted.tolist())
    backs = [each.write_backs_per_s for each in splits]
    known = [each for each in backs if each is not None]
    written = None
    if len(known) == len(backs):
        written = np.stack(known, axis=1).sum(axis=0, keepdims=True)
        written = np.maximum.accumulate(written[:, ::-1], axis=1)[:, ::-1]
    return _composed(
        running,
        wanted,
        np.stack([each.misses_per_s for each in splits], axis=1),
        written,
        np.stack([each.pages for each in splits], axis=1).astype(np.float64),
        _PARTS,
    )


def _running(workloads: Sequence[Workload]) -> list[Workload]:
    """Return the workloads of a system that runs.

    Raises
    ------
    BadInput
        As `composed_profile`.
    """
    check_workloads(workloads)
    for each in workloads:
        if each.curve.new_pages:
            raise BadInput(
                f"{each.name}: `{each.curve.new_pages}` new pages were stated, which a composed "
                "curve cannot keep apart from misses",
                "compose the curve without new pages",
            )
    return [replace(each, curve=each.curve.steady()) for each in workloads]


def _distinct(workloads: Sequence[Workload]) -> int:
    """Count all distinct pages. [pages]"""
    return sum(each.curve.data_pages for each in workloads)


def _duration_s(workloads: Sequence[Workload]) -> float:
    """Return the time in which the stated rates make as many accesses as were recorded of all. [s]"""
    accesses = sum(each.curve.accesses for each in workloads)
    return accesses / math.fsum(each.accesses_per_s for each in workloads)


def _composed(
    running: Sequence[Workload],
    sizes: NDArray[np.int64],
    misses_per_s: FloatArray,
    write_backs_per_s: FloatArray | None,
    held_pages: FloatArray,
    how: tuple[str, ...],
) -> Curve:
    """Return the curve of counts per second: a row for each workload (of write-backs also one of all), a column for each size."""
    curves = [each.curve for each in running]
    accesses = sum(curve.accesses for curve in curves)
    duration_s = _duration_s(running)
    distinct = _distinct(running)
    writes = _writes(running, duration_s)
    misses = _falling(misses_per_s * duration_s, float(accesses))
    written = min(accesses, math.ceil(writes)) if writes is not None else 0
    backs = (
        None
        if write_backs_per_s is None
        else np.minimum(
            _falling(write_backs_per_s * duration_s, float(written)), misses
        )
    )
    return Curve.from_lists(
        sizes,
        misses,
        backs,
        accesses=accesses,
        distinct_pages=distinct,
        page_bytes=curves[0].page_bytes,
        write_accesses=0 if backs is None else written,
        given=Given(
            SOURCE,
            data_known=all(curve.data_known for curve in curves),
            write_share=None if writes is None else min(1.0, writes / accesses),
            assumptions=_assumptions(running, how),
            composed_of=tuple(each.name for each in running),
            to_the_end=True,
            scaled=scaled_parts(running, _mean_misses_per_s(running, distinct)),
            evidence=weakest([curve.evidence for curve in curves], sizes, held_pages),
        ),
        notes=_notes(curves),
    )


def _mean_misses_per_s(workloads: Sequence[Workload], distinct: int) -> FloatArray:
    """Mean of the misses of each workload over the sizes at which scale laws were measured. [1/s]"""
    sizes = np.geomspace(max(1.0, LEAST_SHARE * distinct), distinct, _WEIGHED)
    return np.asarray(
        shared_cache(workloads, sizes).misses_per_s.mean(axis=1), dtype=np.float64
    )


def _falling(counts: FloatArray, most: float) -> FloatArray:
    """Add up the workloads; rounding must not let the sum rise, nor exceed its bound."""
    total = np.minimum(np.round(counts.sum(axis=0), _DIGITS), most)
    return np.asarray(np.minimum.accumulate(total), dtype=np.float64)


def _writes(workloads: Sequence[Workload], duration_s: float) -> float | None:
    """Count the accesses that write in the whole time; None where one workload does not say."""
    found = []
    for each in workloads:
        curve = each.curve
        share = (
            curve.write_accesses / curve.accesses
            if curve.write_backs_at is not None
            else None
            if curve.given is None
            else curve.given.write_share
        )
        if share is None:
            return None
        found.append(share * each.accesses_per_s * duration_s)
    return math.fsum(found)


def _assumptions(
    workloads: Sequence[Workload], how: tuple[str, ...]
) -> tuple[str, ...]:
    estimated = [each.name for each in workloads if each.curve.sample_rate is not None]
    unknown = [each.name for each in workloads if each.curve.write_backs_at is None]
    scaled = [each.name for each in workloads if each.curve.scaled is not None]
    return (
        *how,
        "In the steady state: caches are full.",
        *(
            f"{each.name}: {three_digits(each.accesses_per_s)} accesses per second."
            for each in workloads
        ),
        *(
            [f"Scaled from a recording to production: {listed(scaled)}."]
            if scaled
            else []
        ),
        *([f"Estimated from a sample: {listed(estimated)}."] if estimated else []),
        *([f"Without write-backs: {listed(unknown)}."] if unknown else []),
    )


def _notes(curves: Sequence[Curve]) -> ReaderNotes:
    notes = [curve.notes for curve in curves]
    return ReaderNotes(
        tells_writes=all(each.tells_writes for each in notes),
        skipped_records=sum(each.skipped_records for each in notes),
        warnings=tuple(dict.fromkeys(one for each in notes for one in each.warnings)),
        assumptions=tuple(
            dict.fromkeys(one for each in notes for one in each.assumptions)
        ),
    )
