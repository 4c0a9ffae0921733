"""Where hits and misses per scheme come from: one LRU curve.

Source: Koltsidas and Viglas section 3.5 for effective sizes. The cumulative form and the fixed
point of lazy are derived (`docs/models/page-flow.md`): the printed form h_f = N H(e_f) counts
RAM hits twice.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import Problems
from tierwright.profile.curve import Curve

SCHEMES = ("none", "inclusive", "inclusive_global", "exclusive", "lazy")
"""Page-flow schemes in the order of display; `none` is RAM without flash."""

TIE_ORDER = ("none", "exclusive", "lazy", "inclusive", "inclusive_global")
"""Which scheme is named best among equals: `none`, which needs no flash, then by effective flash,
the larger first, as it still gains where the workload turns out to hold more pages."""


@dataclass(frozen=True, slots=True)
class TierCounts:
    """Hits and misses by tier of one scheme; arrays of one shape.

    Attributes
    ----------
    ram_hits, ram_misses : float64 array
        h_r and m_r, the same for every scheme. [accesses]
    effective_flash_pages : float64 array
        e_f: flash pages that hold what no higher tier holds. [pages]
    flash_hits, flash_misses : float64 array
        h_f and m_f, with h_f + m_f = m_r. [accesses]
    """

    ram_hits: FloatArray
    ram_misses: FloatArray
    effective_flash_pages: FloatArray
    flash_hits: FloatArray
    flash_misses: FloatArray


def hits_from_curve(
    curve: Curve, ram_pages: ArrayLike, flash_pages: ArrayLike
) -> dict[str, TierCounts]:
    """Hits by tier for every scheme, from one LRU curve.

    ``h_f = misses(r) - misses(r + e_f)``, ``m_f = misses(r + e_f)`` with e_f = 0 (none),
    max(0, f - r) (inclusive), f (exclusive) and the fixed point of `lazy_effective_flash`.

    Parameters
    ----------
    curve : Curve
        Misses by size.
    ram_pages, flash_pages : array_like
        r and f; broadcast against each other. [pages]

    Returns
    -------
    dict of str to TierCounts
        By name of scheme, in the order of `SCHEMES`.

    Raises
    ------
    BadInput
        If a size is negative or not finite.

    Notes
    -----
    Exact for LRU over LRU from a cold start: `exclusive` (RAM and flash are one LRU of r + f
    pages) and `inclusive_global` (every reference refreshes flash). An approximation for
    `inclusive`, whose flash sees only RAM misses, and for `lazy`.
    """
    sizes = broadcast(
        "hits", amounts={"ram_pages": ram_pages, "flash_pages": flash_pages}
    )
    return hits_kernel(curve, sizes["ram_pages"], sizes["flash_pages"])


def lazy_effective_flash(
    curve: Curve, ram_pages: ArrayLike, flash_pages: ArrayLike
) -> FloatArray:
    """Effective flash size of lazy: the x with x = f - min(f, r (H(r+x)-H(r))/(1-H(r))).

    A share q of RAM duplicates what flash holds, and q is h_f / m_r. The right side falls
    as x rises, so there is one root, in [max(0, f - r), f]. With y = r + x and M the misses
    it reads ``y - r M(y)/M(r) = f``, whose left side rises: bisection over the listed sizes
    finds the segment, and within a segment M is linear, so the root follows directly.
    Accurate to rounding, hence better than 1e-9 pages for caches below 2^22 pages and to
    relative 1e-15 beyond.

    Parameters
    ----------
    curve : Curve
        Misses by size.
    ram_pages, flash_pages : array_like
        r and f; broadcast against each other. [pages]

    Returns
    -------
    float64 array
        e_f, equal to f where RAM misses nothing. [pages]
    """
    sizes = broadcast(
        "lazy", amounts={"ram_pages": ram_pages, "flash_pages": flash_pages}
    )
    r, f = sizes["ram_pages"], sizes["flash_pages"]
    return _lazy_effective_flash(curve, r, f, curve.misses(r))


def check_sizes(subject: str, ram_pages: object, flash_pages: object) -> None:
    """Refuse sizes of a single evaluation that are no whole page counts.

    Raises
    ------
    BadInput
        If RAM has less than one page or flash a negative number.
    """
    problems = Problems(subject, "sizes are whole pages; flash 0 means no flash")
    for name, value, least in (
        ("ram_pages", ram_pages, 1),
        ("flash_pages", flash_pages, 0),
    ):
        problems.check(
            isinstance(value, (int, np.integer))
            and not isinstance(value, bool)
            and value >= least,
            name,
            value,
            f"must be a whole number of at least {least}",
        )
    problems.raise_if_any()


def hits_kernel(
    curve: Curve, r: FloatArray, f: FloatArray, schemes: Collection[str] = SCHEMES
) -> dict[str, TierCounts]:
    """Count as `hits_from_curve` does, for arrays of one shape that were checked before."""
    ram_misses = curve.misses(r)
    ram_hits = curve.accesses - ram_misses
    counts: dict[str, TierCounts] = {}
    for scheme in SCHEMES:
        if scheme not in schemes:
            continue
        if scheme == "inclusive_global" and "inclusive" in counts:
            counts[scheme] = counts["inclusive"]
            continue
        if scheme == "none":
            effective, flash_misses = np.zeros_like(r), ram_misses
        else:
            effective = _effective_flash(curve, scheme, r, f, ram_misses)
            flash_misses = curve.misses(r + effective)
        counts[scheme] = TierCounts(
            ram_hits, ram_misses, effective, ram_misses - flash_misses, flash_misses
        )
    return counts


def _effective_flash(
    curve: Curve, scheme: str, r: FloatArray, f: FloatArray, ram_misses: FloatArray
) -> FloatArray:
    if scheme == "exclusive":
        return f
    if scheme == "lazy":
        return _lazy_effective_flash(curve, r, f, ram_misses)
    return np.maximum(0.0, f - r)


def _lazy_effective_flash(
    curve: Curve, r: FloatArray, f: FloatArray, ram_misses: FloatArray
) -> FloatArray:
    knots, misses = curve.knots, curve.knot_misses
    duplicated = np.divide(
        r, ram_misses, out=np.zeros_like(ram_misses), where=ram_misses > 0
    )  # r / M(r): duplicated RAM pages per flash miss avoided

    def rising(index: NDArray[np.intp]) -> FloatArray:
        found: FloatArray = knots[index] - duplicated * misses[index]
        return found

    # r itself lies between knots; the segment that holds it gives the same line, so
    # bisecting over all knots needs no special start: the left side is <= f at knot 0.
    last = len(knots) - 1
    low = np.zeros(r.shape, dtype=np.intp)
    high = np.full(r.shape, last, dtype=np.intp)
    for _ in range(last.bit_length()):
        middle = (low + high) >> 1
        below = rising(middle) <= f
        np.copyto(low, middle, where=below)
        np.copyto(high, middle, where=~below)
    left, right = rising(low), rising(high)
    step = np.divide(f - left, right - left, out=np.zeros_like(f), where=right > left)
    inside = knots[low] + np.clip(step, 0.0, 1.0) * (knots[high] - knots[low])
    beyond = f + duplicated * misses[-1]
    ends = knots[-1] - duplicated * misses[-1]
    whole = np.where(ends <= f, beyond, inside)
    found = np.clip(whole - r, np.maximum(0.0, f - r), f)
    return np.where(ram_misses > 0, found, f)
