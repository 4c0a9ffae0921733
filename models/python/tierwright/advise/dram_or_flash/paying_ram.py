"""How much RAM pays for itself on the workload's own curve, beside the break-even interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from tierwright.common.arrays import FloatArray
from tierwright.common.hull import below_chords
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, duration, off
from tierwright.evaluate.break_even.interval import TierInterval
from tierwright.evaluate.modern.break_even import (
    CurveBreakEven,
    curve_break_even,
    pages_that_pay,
)
from tierwright.profile.curve import Counts, Curve

VALIDITY = (
    "each miss saved is an I/O saved: no prefetching, no batching; LRU; the accesses per second "
    "are constant"
)
ESTIMATOR = "lower convex hull of the LRU misses"
NO_RATE = (
    "The workload has no times, so its accesses per second are unknown: state them."
)
OF_POINTS = (
    "The misses were counted at some sizes alone: what one more page saves between them is unknown, and so is the RAM "
    "that pays for itself."
)
TREND = "This size extrapolates a trend: the recording does not cover caches of so many pages."


@dataclass(frozen=True, slots=True)
class PayingSize:
    """RAM that pays for itself where misses are read from one device.

    Attributes
    ----------
    lower, lower_name : str
        Id and name of that device.
    break_even_s : float
        Break-even interval of RAM over it. [s]
    pages, bytes : int
        RAM that pays. [pages], [bytes]
    is_trend : bool
        Whether the recording tells too little about that size.
    sentence : str
        The same in words, beside the existing RAM.
    law_pages : tuple of int, or None
        RAM that pays if the misses of a scaled workload are as few, and as many, as the worst
        error known of its law allows; None where nothing was scaled or no error is known. [pages]
    law_sentence : str
        The same in words; empty where it is None.
    """

    lower: str
    lower_name: str
    break_even_s: float
    pages: int
    bytes: int
    is_trend: bool
    sentence: str
    law_pages: tuple[int, int] | None = None
    law_sentence: str = ""


@dataclass(frozen=True, slots=True)
class PayingRam:
    """The marginal interval over the size of RAM, and the sizes that pay.

    Attributes
    ----------
    accesses_per_s : float
        Of the workload. [1/s]
    rate_basis : str
        Where that is from.
    from_pages, to_pages : list of float
        Segments of the hull. [pages]
    interval_s : list of (float or None)
        One page of a segment saves an access once in so long; None where it saves none. [s]
    existing_interval_s : float or None
        At the end of the existing RAM; None where another page saves none. [s]
    sizes : tuple of PayingSize
        For each device that misses may be read from.
    finding : str
        The first of the sizes in a line.
    estimator, validity : str
        What was used and where it holds.
    """

    accesses_per_s: float
    rate_basis: str
    from_pages: list[float]
    to_pages: list[float]
    interval_s: list[float | None]
    existing_interval_s: float | None
    sizes: tuple[PayingSize, ...]
    finding: str
    estimator: str = ESTIMATOR
    validity: str = VALIDITY


def ram_that_pays(
    curve: Curve,
    ram_pages: int,
    intervals: Sequence[TierInterval],
    names: dict[str, str],
    *,
    accesses_per_s: float,
    rate_basis: str,
) -> PayingRam | None:
    """Say how much RAM pays for itself on a curve.

    Parameters
    ----------
    curve : Curve
        Misses by size of RAM.
    ram_pages : int
        The existing RAM. [pages]
    intervals : sequence of TierInterval
        Break-even intervals; those whose upper tier is that of the first one are used.
    names : dict of str to str
        Names of devices by id.
    accesses_per_s : float
        Of the workload; above 0. [1/s]
    rate_basis : str
        Where that is from.

    Returns
    -------
    PayingRam or None
        None where no interval of RAM is known.

    Raises
    ------
    BadInput
        If the rate is out of its domain.
    """
    known = known_break_evens(intervals)
    if not known:
        return None
    recorded_s = curve.accesses / accesses_per_s
    pages, misses = _corners_of(curve)
    hull = curve_break_even(
        pages=pages,
        misses=misses,
        duration_s=recorded_s,
        break_even_s=next(iter(known.values())),
    )
    sizes = tuple(
        _size(curve, ram_pages, lower, interval, hull, names)
        for lower, interval in known.items()
    )
    return PayingRam(
        accesses_per_s=accesses_per_s,
        rate_basis=rate_basis,
        from_pages=hull.hull_pages[:-1],
        to_pages=hull.hull_pages[1:],
        interval_s=hull.interval_s,
        existing_interval_s=_at(hull, ram_pages),
        sizes=sizes,
        finding=_finding(curve, sizes[0]),
    )


def known_break_evens(intervals: Sequence[TierInterval]) -> dict[str, float]:
    """Return the known break-even intervals of the first upper tier, by the lower one. [s]"""
    return {
        each.lower: each.interval_s
        for each in intervals
        if each.interval_s is not None and each.upper == intervals[0].upper
    }


_CORNERS: WeakKeyDictionary[Counts, tuple[FloatArray, FloatArray]] = WeakKeyDictionary()
"""`_corners_of` the curves in use: a whole curve has a size a page, its hull some hundreds."""


def _corners_of(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Return sizes and misses at, at least, the corners of the lower hull of a curve.

    Of a curve from counters only the sizes of which they speak.
    """
    if curve.evidence is not None:
        known = curve.evidence.covers(curve.knots, curve.knots)
        return curve.knots[known], curve.knot_misses[known]
    if curve.counts not in _CORNERS:
        corners = below_chords(curve.knots, curve.knot_misses)
        _CORNERS[curve.counts] = (curve.knots[corners], curve.knot_misses[corners])
    return _CORNERS[curve.counts]


def at_an_end(curve: Curve, pages: int) -> bool:
    """Whether what pays is the least or the most of which counters speak: it may be beyond."""
    evidence = curve.evidence
    return evidence is not None and pages in (evidence.valid_from, evidence.valid_to)


def _finding(curve: Curve, size: PayingSize) -> str:
    """Say in one line how much RAM pays."""
    if curve.evidence is not None and size.pages == curve.evidence.valid_from:
        return (
            f"No RAM beyond {format_bytes(size.bytes)} pays for itself where misses are read from {size.lower_name}, "
            "as far as the counters speak of sizes"
        )
    if size.pages == 0:
        return f"No RAM pays for itself where misses are read from {size.lower_name}"
    return (
        f"RAM pays for itself up to {format_bytes(size.bytes)} where misses are read from "
        f"{size.lower_name}"
    )


def _at(hull: CurveBreakEven, pages: float) -> float | None:
    """Interval of the segment that one more page lies in. [s]"""
    for end, interval in zip(hull.hull_pages[1:], hull.interval_s, strict=True):
        if pages < end:
            return interval
    return None


def _size(
    curve: Curve,
    ram_pages: int,
    lower: str,
    break_even_s: float,
    found: CurveBreakEven,
    names: dict[str, str],
) -> PayingSize:
    pages = int(pages_that_pay(found.hull_pages, found.interval_s, break_even_s))
    total = pages * curve.page_bytes
    device = names.get(lower, lower)
    interval = duration(break_even_s)
    size = f"{format_bytes(total)} ({counted(pages, 'page')})"
    have = f"the existing RAM of {format_bytes(ram_pages * curve.page_bytes)}"
    if pages == 0:
        sentence = (
            f"No RAM pays for itself where misses are read from {device}: no page of it "
            f"saves an access at least once in {interval}."
        )
    elif curve.evidence is not None and pages == curve.evidence.valid_from:
        sentence = (
            f"No RAM beyond {size} pays for itself where misses are read from {device}; whether less would do is "
            "unknown, as the counters speak of no smaller size."
        )
    elif curve.evidence is not None and pages == curve.evidence.valid_to == ram_pages:
        sentence = (
            f"{have[0].upper()}{have[1:]} pays for itself where misses are read from {device}; whether more does is "
            "unknown, as the counters speak of no larger size."
        )
    elif pages == ram_pages:
        sentence = (
            f"{have[0].upper()}{have[1:]} is just what pays for itself where misses are "
            f"read from {device}."
        )
    elif pages > ram_pages:
        sentence = (
            f"RAM pays for itself up to {size}, which is all the curve covers, where misses "
            f"are read from {device}; {have} is smaller."
            if pages >= found.hull_pages[-1]
            else f"RAM pays for itself up to {size} where misses are read from {device}; "
            f"{have} is smaller."
        )
    else:
        sentence = (
            f"RAM pays for itself up to {size} where misses are read from {device}; "
            f"{have} is larger: a page beyond that size saves an access less often than once in "
            f"{interval}."
        )
    is_trend = pages > 0 and bool(curve.uncertain(pages))
    if is_trend:
        sentence += f" {TREND}"
    law_pages, law_sentence = _by_the_law(curve, found, break_even_s)
    return PayingSize(
        lower,
        device,
        break_even_s,
        pages,
        total,
        is_trend,
        f"{sentence} {law_sentence}" if law_sentence else sentence,
        law_pages,
        law_sentence,
    )


def _by_the_law(
    curve: Curve, found: CurveBreakEven, break_even_s: float
) -> tuple[tuple[int, int] | None, str]:
    """Return what pays, and say it, if all misses of a scaled workload are off by the worst error.

    As many times fewer misses save as many times fewer accesses: every interval is longer by the
    ratio, which the break-even interval divided by it finds.
    """
    known = None if curve.scaled is None else curve.scaled.known_error
    if known is None:
        return None, ""
    ratio = 1 + known.worst
    few, many = (
        int(pages_that_pay(found.hull_pages, found.interval_s, each))
        for each in (break_even_s / ratio, break_even_s * ratio)
    )
    least, most = (format_bytes(each * curve.page_bytes) for each in (few, many))
    if few == many:
        return (few, many), (
            f"The misses of the scale law may be up to {off(known.worst)}, which does not change that "
            "size."
        )
    return (few, many), (
        f"The misses of the scale law may be up to {off(known.worst)}: RAM pays for itself up to "
        f"{least} if it overstates them all by so much, up to {most} if it understates them."
    )
