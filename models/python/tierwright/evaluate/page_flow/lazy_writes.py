"""How many pages lazy writes to flash, as a replay counts them.

The cost formula C3 takes a RAM victim to be on flash with q = h_f / m_r and, if so, to be dirty
as often as any victim. Replays differ in two ways:

* A page that RAM fetched from flash may be dropped from flash before it leaves RAM: always where
  flash is at most half of RAM, hardly ever where it is much larger. Measured, not derived: the
  share that stays is 1 - (r / 2f)^2.
* Victims found on flash have returned to RAM at least once, and returning residencies of RAM are
  dirty less often than first ones where pages are mostly written when they are new. The
  write-back curve tells: growing an LRU from x to x + dx merges -misses'(x) pairs of
  residencies, and each merged pair that is dirty on both sides saves one write-back, so
  s(x) = wb'(x) / misses'(x) is the share of such pairs. With both sides alike a side is dirty with
  sqrt(s(x)); a residency of the smaller cache r is dirty p_d(r) / p_d(x) as often as one of x.
  Averaged over the sizes at which returning pages merge, r to r + e_f, and never above p_d(r).

`docs/models/page-flow.md` says how far off both are.
"""

from __future__ import annotations

import bisect
import math
from weakref import WeakKeyDictionary

import numpy as np

from tierwright.common.arrays import FloatArray, share
from tierwright.evaluate.page_flow.formula import TierCounts
from tierwright.profile.curve import Counts, Curve

ESTIMATOR = (
    "victims found on flash: q (1 - (r / 2f)^2), measured; dirty share of these: pairs of "
    "dirty residencies from the write-back curve"
)
KNOTS_PER_E = 6
"""Sizes, per factor e, between which the slopes of the curves are taken: steps shorter than
these would see single pages."""
TRUSTED_EVICTIONS = 0.5
"""Share of the misses that must evict for a size's write-backs to be taken as complete: beyond,
too many dirty pages are still cached when the trace ends."""

ESTIMATE_OFF = 0.05
"""Share by which the estimate itself is off a replay, at nine of ten recorded points."""


def lazy_flash_writes(
    curve: Curve, ram_pages: FloatArray, flash_pages: FloatArray, lazy: TierCounts
) -> FloatArray:
    """Pages that lazy writes to flash over the trace, from the start of the curve. [pages]

    evictions(r) [1 - q_f + q_f d] with q_f = (h_f / m_r) max(0, 1 - (r / 2f)^2), the share of
    the victims that are found on flash, and d their dirty share.

    Parameters
    ----------
    curve : Curve
        With write-backs.
    ram_pages, flash_pages : float64 array
        r and f, of one shape. [pages]
    lazy : TierCounts
        Counts of lazy at these sizes.

    Returns
    -------
    float64 array
        0 where there is no flash.
    """
    r, f = ram_pages, flash_pages
    evictions = curve.evictions(r)
    half = np.divide(r, 2.0 * f, out=np.ones_like(r), where=f > 0)
    stays = np.maximum(0.0, 1.0 - half * half)
    found = share(lazy.flash_hits, lazy.ram_misses) * stays
    dirty = returning_dirty_share(curve, r, r + lazy.effective_flash_pages)
    written = evictions * (1.0 - found + found * dirty)
    return np.where(f > 0, written, 0.0)


def lazy_overcharge(
    curve: Curve,
    ram_pages: FloatArray,
    flash_pages: FloatArray,
    lazy: TierCounts,
    written: FloatArray | None = None,
) -> FloatArray:
    """Flash writes of the trace that C3 charges beyond `lazy_flash_writes`. [pages]

    Both without the fills of the RAM misses that evict nothing: m_f evictions / m_r + p_d h_f
    less the estimate. Parameters as in `lazy_flash_writes`, whose answer `written` is unless it
    is left out; 0 where there is no flash.
    """
    evicting = share(curve.evictions(ram_pages), lazy.ram_misses)
    p_d = share(curve.write_backs(ram_pages), lazy.ram_misses)
    charged = lazy.flash_misses * evicting + p_d * lazy.flash_hits
    if written is None:
        written = lazy_flash_writes(curve, ram_pages, flash_pages, lazy)
    return np.where(flash_pages > 0, charged - written, 0.0)


def lazy_writes_error(
    curve: Curve,
    ram_pages: FloatArray,
    flash_pages: FloatArray,
    lazy: TierCounts,
    written: FloatArray | None = None,
) -> FloatArray:
    """Flash writes of the trace by which C3 may be off a replay, besides warm-up. [pages]

    What it charges beyond or below `lazy_flash_writes`, and `ESTIMATE_OFF` of these, the
    estimate's own error. Parameters as there; 0 where there is no flash.
    """
    if written is None:
        written = lazy_flash_writes(curve, ram_pages, flash_pages, lazy)
    over = np.abs(lazy_overcharge(curve, ram_pages, flash_pages, lazy, written))
    return over + ESTIMATE_OFF * written


def returning_dirty_share(
    curve: Curve, ram_pages: FloatArray, whole_pages: FloatArray
) -> FloatArray:
    """Share of the RAM victims that came from flash and leave dirty. [1]

    Parameters
    ----------
    curve : Curve
        With write-backs.
    ram_pages, whole_pages : float64 array
        r and r + e_f, of one shape. [pages]

    Returns
    -------
    float64 array
        At most the dirty share of all victims, wb(r) / evictions(r); equal to it where the
        curve cannot tell, because it was given, or ends or hardly evicts there.
    """
    r = ram_pages
    any_victim = np.minimum(1.0, share(curve.write_backs(r), curve.evictions(r)))
    if curve.given is not None:  # one stated share for every size tells no more
        return any_victim
    curve = curve.from_start("cold")  # pairs of residencies are counted, not estimated
    pairs = _pairs_of(curve)
    if pairs is None:
        return any_victim
    top, sizes, total = pairs
    upper = np.minimum(whole_pages, top)
    merged = curve.misses(r) - curve.misses(upper)
    gathered = np.interp(upper, sizes, total) - np.interp(r, sizes, total)
    known = (upper > r) & (merged > 0)
    side = np.divide(gathered, merged, out=np.ones_like(merged), where=known)
    return np.where(known, any_victim * np.minimum(1.0, side), any_victim)


_PAIRS: WeakKeyDictionary[Counts, tuple[float, FloatArray, FloatArray] | None] = (
    WeakKeyDictionary()
)
"""`_pairs_of` of the curves in use: one curve is asked at many sizes."""


def _pairs_of(curve: Curve) -> tuple[float, FloatArray, FloatArray] | None:
    """Return the largest trusted size of a cold curve, and `_paired` up to it; None: too small."""
    if curve.counts not in _PAIRS:
        top = _largest_trusted(curve)
        _PAIRS[curve.counts] = None if top <= 1 else (top, *_paired(curve, top))
    return _PAIRS[curve.counts]


def _largest_trusted(curve: Curve) -> float:
    """Largest size at which at least half of the misses evict. [pages]"""
    knots, misses = curve.knots, curve.knot_misses
    behind = bisect.bisect_right(
        range(len(knots)),
        0.0,
        key=lambda at: float(knots[at] - (1 - TRUSTED_EVICTIONS) * misses[at]),
    )
    return float(knots[behind - 1])


def _paired(curve: Curve, top: float) -> tuple[FloatArray, FloatArray]:
    """Integral of sqrt(s(x)) / p_d(x) over the merged pairs, at sizes from 0 to `top`."""
    count = max(2, int(KNOTS_PER_E * math.log(top)))
    sizes = np.unique(np.concatenate(([0.0], np.geomspace(1.0, top, count))))
    misses = curve.misses(sizes)
    evictions = np.maximum(misses - sizes, 1.0)
    backs = curve.write_backs(sizes)
    complete = (
        backs * misses / evictions
    )  # as if what is left at the end were written too
    dirty = np.clip(backs / evictions, 0.0, 1.0)
    merged = misses[:-1] - misses[1:]
    both = np.clip(share(complete[:-1] - complete[1:], merged), 0.0, 1.0)
    mean_dirty = (dirty[:-1] + dirty[1:]) / 2.0
    grown = merged * share(np.sqrt(both), mean_dirty)
    return sizes, np.concatenate(([0.0], np.cumsum(grown)))
