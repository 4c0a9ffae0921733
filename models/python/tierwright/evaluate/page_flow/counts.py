"""Where hits and misses per scheme come from: one LRU curve.

Source: Koltsidas and Viglas section 3.5 for effective sizes. The cumulative form and the fixed
point of lazy are derived (`docs/models/page-flow.md`): the printed form h_f = N H(e_f) counts
RAM hits twice.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.evaluate.page_flow.formula import TierCounts
from tierwright.evaluate.page_flow.schemes import SCHEMES, TABLE, lazy
from tierwright.profile.curve import Curve


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
    return lazy.effective_flash(curve, r, f, curve.misses(r))


def check_sizes(subject: str, ram_pages: object, flash_pages: object) -> None:
    """Refuse sizes of a single evaluation that are no whole page counts.

    Raises
    ------
    BadInput
        If RAM has less than one page or flash a negative number.
    """
    problems = Problems(subject, "use whole pages; a flash of 0 means no flash")
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


def check_evidence(
    subject: str, curve: Curve, ram_pages: float, flash_pages: float
) -> None:
    """Refuse sizes at which a curve from counters speaks of nothing: their misses are unknown.

    Parameters
    ----------
    subject : str
        What is asked.
    curve : Curve
        Of the workload.
    ram_pages, flash_pages : float
        Its sizes; the curve is read from RAM to RAM and flash together. [pages]

    Raises
    ------
    BadInput
        If the evidence of the curve does not reach from the one to the other.
    """
    evidence = curve.evidence
    both = ram_pages + flash_pages
    if evidence is None or not evidence.reads_beyond(ram_pages, both):
        return
    page = curve.page_bytes
    ram, flash, together = (
        format_bytes(each * page) for each in (ram_pages, flash_pages, both)
    )
    sizes = (
        f"{ram} of RAM" if not flash_pages else f"{ram} of RAM with {flash} of flash"
    )
    read = f"at {ram}" if not flash_pages else f"from {ram} to {together}"
    alone = evidence.kind == "one_point"
    known = evidence.range_text(page)
    raise BadInput(
        f"{subject}: ram_pages: {sizes} read the curve {read}, but its evidence ({evidence.title}) speaks of "
        f"{known}{' alone' if alone else ''}: the misses of other sizes are unknown",
        f"ask for {known} of RAM without flash, the configuration of today, or measure another size"
        if alone
        else f"use sizes that RAM, and RAM and flash together, have within {known}, or measure further sizes",
    )


def hits_kernel(
    curve: Curve, r: FloatArray, f: FloatArray, schemes: Collection[str] = SCHEMES
) -> dict[str, TierCounts]:
    """Count as `hits_from_curve` does, for arrays of one shape that were checked before."""
    ram_misses = curve.misses(r)
    ram_hits = curve.accesses - ram_misses
    counts: dict[str, TierCounts] = {}
    for scheme in TABLE:
        if scheme.name not in schemes:
            continue
        if scheme.formula_of in counts:
            counts[scheme.name] = counts[scheme.formula_of]
            continue
        effective = scheme.effective_flash(curve, r, f, ram_misses)
        flash_misses = curve.misses(r + effective) if scheme.uses_flash else ram_misses
        counts[scheme.name] = TierCounts(
            ram_hits, ram_misses, effective, ram_misses - flash_misses, flash_misses
        )
    return counts
