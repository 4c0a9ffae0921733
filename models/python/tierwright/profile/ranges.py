"""The curve of a trace by ranges of a hash of its pages: no process holds all pages, and the error is stated.

Pages are divided into equally wide ranges of a hash (Waldspurger, Park, Garthwaite, Ahmad: Efficient MRC construction
with SHARDS, FAST 2015). Each file of the trace is read once, and leaves counts for every range; those of one range are
joined by a worker of their own, exactly, with the memory of the pages of that range. All ranges together follow every
page once; some of them alone are a sample.

**Estimate.** Of `N` ranges, `K` are followed. Range `k` has `D_k` pages and `m_k(c)` misses in `c` of them, straight
between whole `c`. A cache of `C` of all `D` pages holds `C D_k / D` of its pages on average, so its misses are
`N/K sum_k m_k(C D_k / D)`. With `K = N` the pages are known, `D` is `sum_k D_k`, and nothing is drawn.

**Interval.** *How deep*: among `d` pages used in between, those of one range are hypergeometric, so a size `C` is
uncertain by `sqrt(C (1 - R)(1 - C/D) / R)` pages, `R = 1/N`; the interval takes the estimates at that much smaller and
larger sizes, as if all accesses erred alike, which is the worst case (a loop). *Which pages*, where not all ranges
are followed: the spread of the ranges around the common count per page gives the variance (ratio estimator of a cluster
sample without replacement: Cochran, Sampling Techniques, 1977, chapter 6). Both are combined in quadrature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from tierwright import _simulator
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted
from tierwright.profile.part_files import (
    check_files,
    check_skipped,
    naming_object,
    one_file,
)
from tierwright.profile.parts import (
    PARTS,
    PartOfTrace,
    accesses_of,
    is_whole,
    joined_counts,
    noted,
    profile_of_parts,
)
from tierwright.profile.workers import StartWorkers, Tasks, spread
from tierwright.trace.objects import on_this_machine
from tierwright.trace.reading import OnProgress, Trace
from tierwright.trace.sources.shelf import Folder, Shelf

if TYPE_CHECKING:
    from tierwright.profile.document import Profile

MOST_RANGES = 4096
"""Ranges into which pages are divided at most: each part leaves a file for each."""
FEWEST_FOLLOWED = 16
"""Ranges that are followed at least where not all are: fewer do not show how far they spread."""
_ERRORS = 2.5
"""Half of the interval in standard errors where many ranges are followed, as of samples of the core."""
_UNSEEN_PAGES = 2.0
"""Pages whose count is like the mean that may be missing in the ranges that are followed."""
_WHOLE_SIZES = 1024
_SIZES_PER_DOUBLING = 256
_RANGES = Tasks(
    "range is",
    "ranges are",
    "divide the pages into more ranges: joining one takes about 155 bytes of memory for each of its pages",
)


@dataclass(frozen=True, slots=True)
class RangeCounts:
    """The exact counts of the accesses to the pages of one range.

    Attributes
    ----------
    accesses, write_accesses : int
        Of its pages.
    pages : int
        Distinct pages.
    sizes : float64 array
        Cache sizes in pages of the range, increasing; the last one is all of them.
    misses, write_backs : float64 array
        At these sizes.
    """

    accesses: int
    write_accesses: int
    pages: int
    sizes: FloatArray
    misses: FloatArray
    write_backs: FloatArray


@dataclass(frozen=True, slots=True)
class RangesEstimate:
    """Counts of the whole trace, each with the ends of its 95 % interval.

    Attributes
    ----------
    misses, misses_low, misses_high : float64 array
    write_backs, write_backs_low, write_backs_high : float64 array
        One entry a size.
    """

    misses: FloatArray
    misses_low: FloatArray
    misses_high: FloatArray
    write_backs: FloatArray
    write_backs_low: FloatArray
    write_backs_high: FloatArray


def ranges_estimate(
    each: Sequence[RangeCounts],
    ranges: int,
    sizes: FloatArray,
    *,
    accesses: int,
    write_accesses: int,
) -> RangesEstimate:
    """Estimate the counts of a trace from those of ranges of its pages.

    Parameters
    ----------
    each : sequence of RangeCounts
        The ranges that are followed, `K` of them.
    ranges : int
        All ranges, `N`.
    sizes : float64 array, shape (n,)
        Cache sizes. [pages]
    accesses, write_accesses : int
        Of the whole trace, exact.

    Raises
    ------
    BadInput
        If no page is followed, or fewer than 16 ranges of more.

    Notes
    -----
    `N/K sum_k m_k(C D_k / D)`; see the module for the interval.
    """
    _check_ranges(ranges, len(each))
    followed = sum(one.pages for one in each)
    if followed == 0:
        raise BadInput(
            f"{counted(len(each), 'range')} of {ranges} hold no page of the trace",
            "follow more ranges",
        )
    scale = ranges / len(each)
    return RangesEstimate(
        *_interval(
            [(one.pages, one.sizes, one.accesses, one.misses) for one in each],
            scale,
            ranges,
            sizes,
            accesses,
        ),
        *_interval(
            [
                (one.pages, one.sizes, one.write_accesses, one.write_backs)
                for one in each
            ],
            scale,
            ranges,
            sizes,
            write_accesses,
        ),
    )


def _interval(
    each: Sequence[tuple[int, FloatArray, int, FloatArray]],
    scale: float,
    ranges: int,
    sizes: FloatArray,
    most: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return estimate, low and high end at each size; `most` is the count of a cache without pages."""
    pages = np.array([one[0] for one in each], dtype=np.float64)
    seen = scale * sum(one[2] for one in each)
    # What the sample sees too much or too little of are hits at the smallest distance (SHARDS-adj).
    adjusted = most / seen if seen else 0.0

    def of_each(at: FloatArray) -> FloatArray:
        shares = pages / pages.sum() / scale
        return np.array(
            [
                np.interp(
                    at * share,
                    [0.0, *own],
                    [first * adjusted, *counts],
                    right=counts[-1],
                )
                if count
                else np.zeros_like(at)
                for share, (count, own, first, counts) in zip(shares, each, strict=True)
            ]
        )

    def summed(at: FloatArray) -> FloatArray:
        return np.asarray(np.minimum(scale * of_each(at).sum(axis=0), most))

    all_pages = scale * pages.sum()
    apart = 1 - 1 / ranges
    shift = _ERRORS * np.sqrt(
        sizes * ranges * apart * np.clip(1 - sizes / all_pages, 0, None)
    )
    # Where between two kept sizes a distance lies is not known; and a page counts itself.
    shift += np.where(sizes > _WHOLE_SIZES * ranges, sizes / _SIZES_PER_DOUBLING, 0.0)
    own = apart * ranges * (sizes < all_pages)
    value = summed(sizes)
    error = _spread(of_each, sizes, pages, scale)
    deeper = value - summed(sizes + shift + own)
    shallower = summed(np.clip(sizes - shift, 0, None)) - value
    return (
        value,
        np.clip(value - np.sqrt(error(shift + own) ** 2 + deeper**2), 0, value),
        np.clip(value + np.sqrt(error(-shift) ** 2 + shallower**2), value, most),
    )


def _spread(of_each: Any, sizes: FloatArray, pages: FloatArray, scale: float) -> Any:
    """Return what gives the error of the choice of ranges at sizes shifted by so much: 0 where all are followed."""
    count = len(pages)
    if scale <= 1:
        return lambda _shift: np.zeros_like(sizes)
    degrees = count - 1
    # Quantile of Student's t, to 1 % from 10 degrees of freedom on, beside that of many.
    errors = _ERRORS * (1.96 + 2.4 / (degrees - 0.8)) / 2.0

    def error(shift: FloatArray) -> FloatArray:
        counts = of_each(np.clip(sizes + shift, 0, None))
        ratio = counts.sum(axis=0) / pages.sum()
        squares = ((counts - np.outer(pages, ratio)) ** 2).sum(axis=0)
        unseen = _UNSEEN_PAGES * np.maximum(ratio, 1.0) ** 2
        variance = (1 - 1 / scale) * (squares * count / degrees + unseen)
        return np.asarray(errors * scale * np.sqrt(variance))

    return error


def _check_ranges(ranges: int, followed: int) -> None:
    """Refuse ranges that cannot be followed.

    Raises
    ------
    BadInput
        With what is wrong.
    """
    problems = Problems(
        "ranges",
        f"divide the pages into up to {MOST_RANGES:,} ranges and follow all of them, or {FEWEST_FOLLOWED} or more",
    )
    problems.check(
        1 <= ranges <= MOST_RANGES,
        "hash_ranges",
        ranges,
        f"must be from 1 to {MOST_RANGES:,}",
    )
    problems.check(
        followed == ranges or FEWEST_FOLLOWED <= followed < ranges,
        "ranges_followed",
        followed,
        f"must be all {ranges:,} ranges, or from {FEWEST_FOLLOWED} on",
    )
    problems.raise_if_any()


def profile_of_ranges(
    trace: Trace,
    folder: Path | Shelf,
    start_workers: StartWorkers,
    *,
    ranges: int,
    followed: int | None = None,
    sizes: tuple[int, ...] = (),
    points: int | None = None,
    on_progress: OnProgress | None = None,
) -> Profile:
    """Profile a trace of one or more files by ranges of its pages, each joined by a worker of its own.

    Parameters
    ----------
    trace, folder, start_workers, sizes, points
        As for `tierwright.profile.parts.profile_of_parts`.
    ranges : int
        Ranges into which the pages are divided; with 1 this is `tierwright.profile.parts.profile_of_parts`.
    followed : int, optional
        Ranges to follow; all by default.
    on_progress : callable, optional
        Called with (tasks done, tasks, accesses done); False cancels. What is counted stays in the folder.

    Raises
    ------
    BadInput
        As there, and if ranges are out of bounds.
    SimulatorError
        As there.
    """
    from tierwright.profile.measure import check_sizes

    wanted = ranges if followed is None else followed
    _check_ranges(ranges, wanted)
    if ranges == 1:
        return profile_of_parts(
            trace,
            folder,
            start_workers,
            sizes=sizes,
            points=points,
            on_progress=on_progress,
        )
    check_sizes(sizes)
    check_files(trace)
    shelf = Folder(folder) if isinstance(folder, Path) else folder
    shelf.check()
    files = [one_file(trace, path) for path in trace.files]
    steps = 2 * len(files) + wanted
    report = on_progress or (lambda _done, _total, _accesses: True)
    counts = spread(
        start_workers,
        accesses_of,
        files,
        lambda done: report(len(done), steps, sum(done.values())),
        PARTS,
    )
    total = sum(counts)
    if total == 0:
        raise BadInput(
            f"{trace.path}: the trace has no page accesses, so it has no curve",
            "profile a trace with data",
        )
    starts = list(accumulate(counts, initial=0))
    placed = [
        PartOfTrace(one, first, count, total)
        for one, first, count in zip(files, starts[:-1], counts, strict=True)
    ]
    tasks = [_Ranges(replace(part, ranges=ranges), shelf, wanted) for part in placed]
    spread(
        start_workers,
        _count,
        tasks,
        lambda done: report(len(files) + len(done), steps, sum(done.values())),
        PARTS,
    )
    joined = spread(
        start_workers,
        _join,
        [(number, tasks) for number in range(wanted)],
        lambda done: report(2 * len(files) + len(done), steps, total),
        _RANGES,
    )
    return _profile_of(trace, joined, ranges, total, sizes=sizes, points=points)


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The ranges of a part, whose counts are kept."""

    part: PartOfTrace
    shelf: Shelf
    followed: int

    def of(self, number: int) -> PartOfTrace:
        """Return the part as one range follows it."""
        return replace(self.part, range_number=number)


def _count(task: _Ranges) -> int:
    """Write the counts of a part for each range unless they are there, and return its accesses."""
    part, shelf = task.part, task.shelf
    each = [task.of(number) for number in range(task.followed)]
    with TemporaryDirectory(prefix="tierwright-") as cache:
        if all(is_whole(one, shelf, Path(cache)) for one in each):
            return part.accesses
    with (
        on_this_machine(part.trace) as here,
        naming_object(part.trace, here),
        ExitStack() as writing,
    ):
        outs = [
            str(writing.enter_context(shelf.writing(one.counts_name))) for one in each
        ]
        _simulator.part_ranges(
            str(here.path),
            outs,
            ranges=part.ranges,
            first_access=part.first_access,
            trace_accesses=part.trace_accesses,
            **here.arguments(),
        )
    return part.accesses


def _join(task: tuple[int, Sequence[_Ranges]]) -> dict[str, Any]:
    """Join the counts of one range, and keep them at some sizes."""
    number, each = task
    with TemporaryDirectory(prefix="tierwright-") as cache:
        found = joined_counts(
            [one.of(number) for one in each],
            each[0].shelf,
            Path(cache),
            lambda _done, _total, _accesses: True,
        )
    kept = _kept_sizes(found["distinct_pages"])
    return {key: found[key] for key in ("page_bytes", "duration_ns", "notes")} | {
        "counts": RangeCounts(
            found["accesses"],
            found["write_accesses"],
            found["distinct_pages"],
            kept.astype(np.float64),
            found["misses"][kept - 1].astype(np.float64),
            found["write_backs"][kept - 1].astype(np.float64),
        )
    }


def _kept_sizes(pages: int) -> Any:
    """Return every size up to 1,024 and 256 a doubling above, the last one all pages."""
    if pages == 0:
        return np.zeros(0, dtype=np.int64)
    whole = np.arange(1, min(pages, _WHOLE_SIZES) + 1)
    if pages <= _WHOLE_SIZES:
        return whole
    doublings = math.log2(pages / _WHOLE_SIZES)
    steps = math.ceil(doublings * _SIZES_PER_DOUBLING)
    above = np.rint(np.geomspace(_WHOLE_SIZES, pages, steps + 1)).astype(np.int64)
    return np.unique(np.concatenate([whole, above]))


def _profile_of(
    trace: Trace,
    joined: Sequence[dict[str, Any]],
    ranges: int,
    accesses: int,
    *,
    sizes: tuple[int, ...],
    points: int | None,
) -> Profile:
    from tierwright.profile.curve import DEFAULT_POINTS, Curve, thinned_sizes
    from tierwright.profile.document import Profile, Sampled
    from tierwright.trace.notes import ReaderNotes

    each = [one["counts"] for one in joined]
    notes = noted(joined[0]["notes"])
    check_skipped(notes["skipped_records"], trace)
    writes = notes["write_accesses"]
    followed = sum(one.pages for one in each)
    distinct = max(round(followed * ranges / len(each)), 1)
    pages = thinned_sizes(distinct, points or DEFAULT_POINTS, sizes)
    made = ranges_estimate(
        each,
        ranges,
        np.asarray(pages, dtype=np.float64),
        accesses=accesses,
        write_accesses=writes,
    )
    misses = np.rint(made.misses)
    backs = np.minimum(np.rint(made.write_backs), misses)
    rate = len(each) / ranges
    curve = Curve.from_lists(
        pages,
        misses,
        backs,
        accesses=accesses,
        distinct_pages=distinct,
        page_bytes=joined[0]["page_bytes"],
        write_accesses=writes,
        sample_rate=rate,
        notes=ReaderNotes.of(notes),
    )
    # Whole counts; the ends of intervals are rounded outwards.
    sampled = Sampled(
        rate,
        np.minimum(np.floor(made.misses_low), misses),
        np.maximum(np.ceil(made.misses_high), misses),
        np.minimum(np.floor(made.write_backs_low), backs),
        np.maximum(np.ceil(made.write_backs_high), backs),
        hash_ranges=ranges,
    )
    known = replace(curve, interval=(sampled.misses_low, sampled.misses_high))
    duration_ns = joined[0]["duration_ns"]
    return Profile(known, None if duration_ns is None else duration_ns / 1e9, sampled)
