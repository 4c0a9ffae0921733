"""Misses and write-backs of a running cache, from counts of a cold start.

A recording begins with an empty cache, so its first touches miss whatever the size; in a system
that runs, most of them would be touches of pages that were there before. A first touch is a
*censored* stack distance: when k - 1 pages were seen, the k-th page is a sure miss at every size
up to k - 1, and nothing is known of larger ones. The product-limit estimate (Kaplan and Meier,
"Nonparametric estimation from incomplete observations", JASA 1958) takes each size only from the
accesses that can tell about it. Pages known to be newly allocated are growth: their first touches
miss for certain and are censored by nothing, so they leave the estimate and are counted beside it.
`docs/models/steady-state.md` has the derivation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.errors import BadInput, Problems
from tierwright.profile.windows import Windows

FloatArray = NDArray[np.float64]

Start = Literal["steady", "cold"]
"""What a curve counts: a system that has run for long, or a replay from empty caches."""
STARTS: tuple[Start, ...] = get_args(Start)

ESTIMATOR = "product_limit"
LEAST_AT_RISK = 100
"""Accesses that must be able to tell about a size; with fewer it is called uncertain."""
TAIL_FROM = 0.8
"""Share of the largest size known whose misses, from there on, give the trend beyond it."""
TAIL_PAGES = 2.0
"""Multiple of the pages seen up to which the trend goes on; beyond, the last value stands."""
TAIL_POINTS = 20
"""Sizes between the pages seen and the end of the trend."""
TRUSTED_EVICTIONS = 0.4
"""Share of the misses that must evict for the dirty share of the evicted to be taken."""
FOLLOWED_EVICTIONS = 0.1
"""The same where the recording is known as a loop: its share and that of the writes that are followed hold each other."""
LOOP_UP_TO = 0.6
"""Share of the recorded pages up to which a loop knows what a page does before it is evicted: beyond, that takes longer than the recording."""
MOST_OF_LOOP = 2.0
"""Multiple of the dirty share of a loop that is taken at most, at any size."""


@dataclass(frozen=True, slots=True)
class SteadyState:
    """Misses of a running cache by size, with what bounds them.

    Attributes
    ----------
    pages : float64 array
        Sizes; those asked for, then those of the trend beyond the pages seen. [pages]
    misses : float64 array
        (N - G) S(C), the estimate, without the G first touches of new pages.
    low, high : float64 array
        Ends: no first touch counts as an access, and all of them but those of new pages miss.
    at_risk : float64 array
        Accesses that miss at this size and could tell about the next one, see `at_risk`; 0
        beyond the pages seen.
    counted : int
        How many of the sizes, from the first, are those that were given.
    """

    pages: FloatArray
    misses: FloatArray
    low: FloatArray
    high: FloatArray
    at_risk: FloatArray
    counted: int


def check_start(start: str) -> Start:
    """Return the name of a start.

    Raises
    ------
    BadInput
        If it is neither of `STARTS`.
    """
    for known in STARTS:
        if start == known:
            return known
    raise BadInput(
        f"start: `{start}` is unknown",
        "use steady for a system that runs, or cold for a replay that begins with "
        "empty caches",
    )


def check_new_pages(new_pages: int, distinct_pages: int) -> int:
    """Return how many pages are known to be newly allocated.

    Raises
    ------
    BadInput
        If it is not a whole number from 0 to the pages that were touched.
    """
    if isinstance(new_pages, bool) or not isinstance(new_pages, (int, np.integer)):
        raise BadInput(
            f"new_pages: `{new_pages}` must be a whole number",
            "count the pages allocated during the recording; 0 where unknown",
        )
    if not 0 <= new_pages <= distinct_pages:
        raise BadInput(
            f"new_pages: `{new_pages}` must lie between 0 and {distinct_pages}, the first "
            "touches of the recording",
            "count only the pages that were allocated during the recording, each once",
        )
    return int(new_pages)


def at_risk(
    pages: FloatArray, misses: FloatArray, *, distinct_pages: int, new_pages: int = 0
) -> FloatArray:
    """Count the accesses that miss at a size and could tell about the next one.

    m(C) - C - G (M - C) / M: the re-accesses m(C) - M, and of the M - C first touches behind C or
    more pages those that are not new, which are taken to lie evenly among all of them. Of
    sizes up to M.
    """
    left = misses - pages
    if new_pages:
        left = left - new_pages / distinct_pages * (distinct_pages - pages)
    return np.maximum(left, 0.0)


def product_limit(
    pages: ArrayLike,
    misses: ArrayLike,
    *,
    accesses: int,
    distinct_pages: int = 0,
    new_pages: int = 0,
) -> FloatArray:
    """Share of the accesses that miss in a running LRU cache, at each listed size.

    ``S(C) = product over c <= C of (1 - (m(c - 1) - m(c)) / (m(c - 1) - c - G (M - c) / M))``

    Parameters
    ----------
    pages : array_like
        Sizes, strictly increasing from 1 or more, up to the distinct pages. [pages]
    misses : array_like
        m, misses of an LRU cache of each size from a cold start, the first touches included.
    accesses : int
        N = m(0).
    distinct_pages : int
        M; needed only where there are new pages.
    new_pages : int
        G, pages known to be newly allocated: their first touches are no part of the estimate,
        which is then of the accesses without them.

    Returns
    -------
    float64 array
        S at each size. Between two listed sizes the chance of an access to end is the same at
        every size, so that the number at risk falls from what it was to what it is; where every
        size is listed this is the equation.

    Raises
    ------
    BadInput
        If sizes do not increase, misses rise, are negative or exceed the accesses, or there
        are more new pages than distinct ones.

    Examples
    --------
    Accesses to a, b, a, b: four misses in a page, two in two pages.

    >>> product_limit([1, 2], [4, 2], accesses=4).tolist()
    [1.0, 0.0]
    """
    size = np.asarray(pages, dtype=np.float64)
    missed = np.asarray(misses, dtype=np.float64)
    problems = Problems(
        "product limit", "give sizes from 1 up and the misses of a cold LRU cache"
    )
    problems.check(
        size.ndim == 1 and size.shape == missed.shape,
        "pages",
        None,
        "must have the same length as the misses, in one row",
    )
    problems.raise_if_any()
    problems.check(
        bool(np.all(np.isfinite(size)) and np.all(np.diff(size, prepend=0.0) > 0)),
        "pages",
        None,
        "must increase, from 1",
    )
    problems.check(
        bool(np.all(np.isfinite(missed)) and np.all(missed >= 0)),
        "misses",
        None,
        "must be finite and not negative",
    )
    problems.check(
        bool(np.all(np.diff(missed, prepend=float(accesses)) <= 0)),
        "misses",
        None,
        "must not rise with size, nor exceed the accesses",
    )
    problems.raise_if_any()
    growth = check_new_pages(new_pages, distinct_pages) if new_pages else 0
    return _product_limit(
        size, missed, float(accesses), float(distinct_pages), float(growth)
    )


def _product_limit(
    pages: FloatArray,
    misses: FloatArray,
    accesses: float,
    distinct_pages: float,
    new_pages: float,
) -> FloatArray:
    """Compute `product_limit` for arrays that were checked before."""
    share_new = new_pages / distinct_pages if new_pages else 0.0
    old = 1.0 - share_new
    sizes = np.concatenate(([0.0], pages))
    missed = np.concatenate(([accesses], misses))
    steps = np.diff(sizes)
    # At risk at the first size of a step, and one size behind its last.
    first = missed[:-1] - sizes[:-1] - 1.0
    behind = missed[1:] - sizes[1:] - 1.0
    if new_pages:
        first = first - share_new * (distinct_pages - sizes[:-1] - 1.0)
        behind = behind - share_new * (distinct_pages - sizes[1:] - 1.0)
    ended = missed[:-1] - missed[1:]
    kept = np.ones_like(first)
    one = (steps == 1.0) & (ended > 0) & (first > 0)
    np.divide(behind + old, first, out=kept, where=one)
    many = (steps > 1.0) & (ended > 0) & (first > 0)
    if bool(np.any(many)):
        kept[many] = _kept_over(first[many], behind[many], steps[many], old)
    return np.asarray(np.cumprod(np.clip(kept, 0.0, 1.0)), dtype=np.float64)


def _kept_over(
    first: FloatArray, behind: FloatArray, steps: FloatArray, old: float
) -> FloatArray:
    """Share Q = q^L that outlives L sizes with one chance to end, by bisection.

    At risk at the next size are a q - o of a (one first touch at each size, the share o of which
    is censored and not new), so after L sizes a Q - o (1 - Q) / (1 - q), which rises with Q, must
    be `behind`.
    """
    low, high = np.zeros_like(first), np.ones_like(first)
    for _ in range(60):
        middle = (low + high) / 2.0
        censored = (1.0 - middle) / -np.expm1(np.log(middle) / steps)
        below = first * middle - old * censored < behind
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def steady_state(
    pages: ArrayLike,
    misses: ArrayLike,
    *,
    accesses: int,
    distinct_pages: int,
    new_pages: int = 0,
) -> SteadyState:
    """Misses of a running LRU cache, their ends, and the trend beyond the pages seen.

    Parameters
    ----------
    pages, misses, accesses
        As for `product_limit`.
    distinct_pages : int
        M, pages that the trace touches; the first touches among the misses.
    new_pages : int
        G, those of them that are known to be newly allocated: taken out of misses and ends.

    Returns
    -------
    SteadyState
        At the sizes given and, where the last of them holds all pages seen, at larger ones up
        to `TAIL_PAGES` times as many: nothing was seen there, and the chance to end is taken
        to stay as it was from `TAIL_FROM` of the largest size about which `LEAST_AT_RISK`
        accesses could tell, which is a guess within the ends.

    Raises
    ------
    BadInput
        As `product_limit`.
    """
    share = product_limit(
        pages,
        misses,
        accesses=accesses,
        distinct_pages=distinct_pages,
        new_pages=new_pages,
    )
    size = np.asarray(pages, dtype=np.float64)
    missed = np.asarray(misses, dtype=np.float64)
    total, seen = float(accesses - new_pages), float(distinct_pages)
    known = accesses - seen
    low = (
        np.zeros_like(missed)
        if known <= 0
        else total * np.clip((missed - seen) / known, 0.0, 1.0)
    )
    telling = np.where(size <= seen, np.maximum(missed - size, 0.0), 0.0)
    left = at_risk(size, missed, distinct_pages=distinct_pages, new_pages=new_pages)
    left = np.where(size <= seen, left, 0.0)
    missed = np.maximum(missed - new_pages, 0.0)
    found = np.clip(total * share, low, missed)
    counted = len(size)
    if size[-1] >= seen > 0:
        inside = size <= seen
        counted = int(np.count_nonzero(inside))
        whole = np.rint(np.geomspace(seen, TAIL_PAGES * seen, TAIL_POINTS + 1))
        beyond = np.unique(whole[whole > seen])
        end = float(found[np.searchsorted(size, seen)])
        # From the sizes that the whole recording tells about: new pages must not choose others,
        # or more of them could raise the trend.
        fall = _fall(size[inside], found[inside], telling[inside])
        nothing = np.zeros(len(beyond))
        size = np.concatenate((size[inside], beyond))
        found = np.concatenate((found[inside], end * np.exp(-fall * (beyond - seen))))
        low = np.concatenate((low[inside], nothing))
        missed = np.concatenate((missed[inside], nothing + missed[-1]))
        left = np.concatenate((left[inside], nothing))
    return SteadyState(size, np.minimum.accumulate(found), low, missed, left, counted)


def _fall(pages: FloatArray, misses: FloatArray, at_risk: FloatArray) -> float:
    """Share of the misses that each further page spares, at the sizes known last. [1/page]"""
    telling = np.flatnonzero((at_risk >= LEAST_AT_RISK) & (misses > 0))
    if telling.size == 0:
        return 0.0
    last = int(telling[-1])
    begin = int(np.searchsorted(pages, TAIL_FROM * pages[last], side="right")) - 1
    if begin < 0 or begin >= last:
        return 0.0
    spared = np.log(misses[begin] / misses[last]) / (pages[last] - pages[begin])
    return max(0.0, float(spared))


def steady_write_backs(
    pages: FloatArray,
    steady_misses: FloatArray,
    cold_misses: FloatArray,
    cold_write_backs: FloatArray,
    *,
    write_accesses: int,
    distinct_pages: int,
    windows: Windows | None,
    new_pages: int = 0,
) -> FloatArray:
    """Write-backs of a running LRU cache: its misses, each of which evicts, times the dirty share of evicted pages.

    Parameters
    ----------
    pages : float64 array
        Sizes, increasing; the first belong to the cold counts, one for one. [pages]
    steady_misses : float64 array
        Misses in the steady state and first touches of new pages, each of which evicts.
    cold_misses, cold_write_backs : float64 array
        Counts from a cold start, where misses - size evict.
    write_accesses : int
        No more is ever written back.
    distinct_pages : int
        M; up to a share of them a loop knows what a page does before it is evicted.
    windows : Windows or None
        With what was counted of the writes that are not followed by another one, and of the recording as a loop where it was
        counted; None where neither was. Nothing is known of sizes below the smallest of these.
    new_pages : int
        G, first touches of pages known to be newly allocated.

    Returns
    -------
    float64 array
        The dirty share is that of the recording as a loop where that was counted, see `_looped`; else that of the
        product limit over the writes where the windows are known, see `_followed`; else that of
        the cold start. Where too few of the misses evicted (`FOLLOWED_EVICTIONS`, without a loop
        `TRUSTED_EVICTIONS`), that of the largest smaller size. At most the misses and the write
        accesses, and not rising with size.
    """
    count = len(cold_misses)
    evicted = cold_misses - pages[:count]
    wrapped = None if windows is None else windows.wrapped_at(pages[:count])
    least = TRUSTED_EVICTIONS if wrapped is None else FOLLOWED_EVICTIONS
    trusted = evicted >= np.maximum(least * cold_misses, 1.0)
    dirty = np.divide(
        cold_write_backs, evicted, out=np.zeros_like(evicted), where=trusted
    )
    if windows is not None:
        open_write_backs = windows.open_at(pages[:count])
        dirty = _followed(
            dirty,
            trusted,
            steady_misses[:count],
            cold_write_backs,
            open_write_backs,
            new_pages=new_pages,
        )
        if wrapped is not None:
            dirty = _looped(
                dirty,
                pages[:count] <= LOOP_UP_TO * distinct_pages,
                cold_misses - distinct_pages,
                cold_write_backs - open_write_backs,
                wrapped,
                distinct_pages=distinct_pages,
                new_pages=new_pages,
            )
    at = np.where(trusted, np.arange(count), -1)
    latest = np.maximum.accumulate(at)
    if not bool(np.any(trusted)):
        # Not even the smallest cache evicts enough: all that is written may come back.
        shares = np.ones(count)
    else:
        shares = np.where(latest >= 0, dirty[np.maximum(latest, 0)], 1.0)
    shares = np.concatenate((shares, np.full(len(pages) - count, shares[-1])))
    backs = np.clip(shares, 0.0, 1.0) * steady_misses
    backs = np.minimum(backs, float(write_accesses))
    return np.minimum.accumulate(backs)


def _looped(
    followed: FloatArray,
    is_seen: NDArray[np.bool_],
    misses_again: FloatArray,
    closed_write_backs: FloatArray,
    wrapped: FloatArray,
    *,
    distinct_pages: int,
    new_pages: int,
) -> FloatArray:
    """Dirty share of the evicted pages if the recording was run once before: every page comes back as it does itself.

    Nothing is censored then: the write before the first one of a page is its last one, around the end. Where an
    eviction and what came before it take longer than the recording, `is_seen` is False: only pages that
    were used in a short part of it are evicted in a loop, and these are dirty less often than those in
    truth. From there on the share goes on as that of the writes that are followed does, which takes
    pages that stay for those that leave; so it is at least that of the loop, and at most `MOST_OF_LOOP` times it.
    """
    known = np.isfinite(wrapped[0])
    if not np.any(known & is_seen):
        return followed
    missed, written = np.nan_to_num(wrapped)
    begin = int(np.argmax(known))
    # What is new misses at every size, and was written at none before.
    new = new_pages / distinct_pages if distinct_pages else 0.0
    misses = misses_again + (1.0 - new) * missed + new_pages
    most = float(written[begin])
    growth = min(float(new_pages), most)
    old = 1.0 - growth / most if most else 1.0
    backs = closed_write_backs + old * written + growth
    loop = np.divide(backs, misses, out=followed.copy(), where=known & (misses > 0))
    last = int(np.flatnonzero(known & is_seen)[-1])
    goes_on = followed / followed[last] if followed[last] > 0 else np.ones_like(loop)
    beyond = np.clip(loop[last] * goes_on, loop, MOST_OF_LOOP * loop)
    found = np.where(is_seen, loop, beyond)
    return np.asarray(np.where(known, found, followed))


def _followed(
    dirty: FloatArray,
    trusted: NDArray[np.bool_],
    steady_misses: FloatArray,
    cold_write_backs: FloatArray,
    open_write_backs: FloatArray,
    *,
    new_pages: int,
) -> FloatArray:
    """Dirty share of the evicted pages where pages that stay for long have the time to be written.

    A cold start evicts first what stays briefly, and what stays briefly is written less often. Each
    write costs one write-back at every size below the largest stack distance since the
    write before: a lifetime in sizes, ended by a write or, before the first write of a page,
    censored by the beginning of the recording. Intervals that the end of the recording
    leaves open stand for these, as many of each length if the recording is stationary. Between two
    sizes both kinds end at rates in proportion to their numbers.
    """
    known = np.flatnonzero(np.isfinite(open_write_backs))
    if not known.size or not trusted[known[0]]:
        return dirty
    begin = int(known[0])
    opened = open_write_backs[begin:]
    # The first write of a new page ends nothing that was there before: it is no censored one.
    growth = min(float(new_pages), float(opened[0]))
    old = 1.0 - growth / opened[0] if opened[0] else 1.0
    ended_by_write = np.minimum.accumulate(
        np.maximum(cold_write_backs[begin:] - opened, 0.0)
    )
    at_risk_here = ended_by_write + old * opened
    ended, censored = -np.diff(ended_by_write), -np.diff(old * opened)
    left = np.divide(
        at_risk_here[1:],
        at_risk_here[:-1],
        out=np.ones_like(ended),
        where=at_risk_here[:-1] > 0,
    )
    share_ended = np.divide(
        ended,
        ended + censored,
        out=np.zeros_like(ended),
        where=ended + censored > 0,
    )
    start = dirty[begin] * steady_misses[begin]
    kept = np.concatenate(([1.0], np.cumprod(left**share_ended)))
    backs = max(start - growth, 0.0) * kept + min(growth, start)
    found = dirty.copy()
    found[begin:] = np.divide(
        backs,
        steady_misses[begin:],
        out=dirty[begin:].copy(),
        where=steady_misses[begin:] > 0,
    )
    return found
