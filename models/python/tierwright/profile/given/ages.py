"""What the readers of ages share: from snapshots and counted rates to points, a band and a self-check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
from tierwright.profile.evidence import error_ratio
from tierwright.profile.given.reading import (
    CurveOptions,
    Measured,
    Point,
    Question,
    Reading,
)
from tierwright.profile.working_set import (
    LEAST_SNAPSHOTS,
    MissRates,
    Snapshot,
    bounded_miss_rates,
    gap,
    miss_rates,
)

_LARGEST = 2**53
"""Bytes, or items, of all snapshots together."""
MOST_ROWS = 200_000
"""Lines of a dump that are read; a larger cache is sampled, or its ages are put into bins."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What the system counts beside the ages, per second.

    Attributes
    ----------
    accesses : int or None
        Counted over `seconds`.
    seconds : float
        Between the first and the last reading; 0 of one reading. [s]
    evictions : float or None
        Evictions over `seconds`.
    no_evictions : str
        Why nothing is known of them.
    evicted_age_s : float
        Least age at which something was evicted; infinite where nothing was. [s]
    clock_s : float
        Step of the clock that stamps the items. [s]
    present_bytes : float or None
        Size at which the evictions are counted, where the curve ends well before it; None where it does not. [bytes]
    """

    accesses: int | None
    seconds: float
    evictions: float | None
    no_evictions: str
    evicted_age_s: float
    clock_s: float
    present_bytes: float | None = None


def points_of(
    found: Reading,
    snapshots: Sequence[Snapshot],
    rates: Rates,
    options: CurveOptions,
    line: int,
    *,
    coarse: bool = False,
) -> None:
    """Make the points of a curve of the ages, with its band and its check.

    Parameters
    ----------
    found : Reading
        Gets points, accesses, evidence, questions and problems; its sizes are bytes and its values miss ratios.
    snapshots : sequence of Snapshot
    rates : Rates
    options : CurveOptions
        As stated: a page size other than the mean size of what is resident, and a rate of accesses.
    line : int
        Line to name.
    coarse : bool
        Whether the ages are few bins, between whose ends only bounds are known.
    """
    size = sum(float(each.sizes.sum()) for each in snapshots)
    items = sum(float(each.items.sum()) for each in snapshots)
    for what, most in (("bytes", size), ("items", items)):
        if most > _LARGEST:
            found.problem(
                line, f"{most:.4g}", f"{what} in all: more than any memory holds"
            )
            return
    if options.page_bytes is None and found.page_bytes is None and items:
        found.page_bytes = max(1, round(size / items))
        found.assumptions.append(
            f"A page stands for one item of {format_bytes(found.page_bytes)}, the mean size of the items."
        )
    per_s = accesses_per_s(found, rates, options, line)
    if per_s is None:
        return
    try:
        curve = (
            bounded_miss_rates(snapshots)
            if coarse
            else miss_rates(
                snapshots, evicted_age_s=rates.evicted_age_s, clock_s=rates.clock_s
            )
        )
    except BadInput as error:
        found.problem(line, "", f"{error.message}; {error.hint}")
        return
    page = options.page_bytes or found.page_bytes or 1
    if not _fits(found, curve, per_s, line):
        return
    check, reason = _check(curve, rates)
    pages = np.unique(np.floor(curve.sizes / page).astype(np.int64))
    pages = pages[pages > 0]
    at = pages * float(page)
    ratio = np.interp(at, curve.sizes, curve.items_per_s) / per_s
    found.points = [
        Point(line, Fraction(int(count) * page), float(value))
        for count, value in zip(pages, ratio, strict=True)
    ]
    band: tuple[tuple[float, float], ...] = ()
    if curve.low is not None and curve.high is not None:
        # Nowhere narrower than what the check shows.
        off = 1.0 if check is None else error_ratio(check)
        low = np.minimum(np.interp(at, curve.sizes, curve.low) / per_s, ratio / off)
        high = np.maximum(np.interp(at, curve.sizes, curve.high) / per_s, ratio * off)
        ends = zip(low, np.minimum(high, 1.0), strict=True)
        band = tuple((float(one), float(two)) for one, two in ends)
    found.measured = Measured(
        "ages",
        curve.snapshots,
        check,
        reason,
        band,
        check_bytes=rates.present_bytes,
    )
    found.assumptions.append(
        f"Misses of each size are the slope of the ages of {counted(len(snapshots), 'snapshot')}, the oldest used "
        f"{curve.oldest_s:,.0f} s ago."
    )
    if coarse:
        found.assumptions.append(
            "The ages are bins: the slope at the end of one lies between those of the bins on either side, which is "
            "the band. The oldest bin has no end, so the band reaches down to no misses at its beginning."
        )
    elif len(snapshots) < LEAST_SNAPSHOTS:
        found.assumptions.append(
            f"{counted(len(snapshots), 'snapshot gives', 'snapshots give')} no band: take at least "
            f"{counted(LEAST_SNAPSHOTS, 'snapshot')}, over the cycle of the load."
        )


def accesses_per_s(
    found: Reading, rates: Rates, options: CurveOptions, line: int
) -> float | None:
    """Return the rate of accesses, as stated or as counted; asks where it is neither. [1/s]"""
    if options.accesses_per_s is not None:
        return options.accesses_per_s
    count = options.accesses if options.accesses is not None else rates.accesses
    if count is None:
        found.questions.append(
            Question(
                "accesses",
                "The text does not count the requests for these items alone, over some time: how many are there "
                "per second?",
            )
        )
        return None
    if rates.seconds <= 0 or count == 0:
        found.problem(
            line,
            str(count),
            "requests give no rate: read the counters twice, some minutes apart or more",
        )
        return None
    found.accesses, found.duration_s = count, rates.seconds
    return count / rates.seconds


def _fits(found: Reading, curve: MissRates, per_s: float, line: int) -> bool:
    most = float(curve.items_per_s[0])
    if most <= per_s:
        return True
    found.problem(
        line,
        f"{per_s:.4g}",
        f"requests per second are fewer than the {most:.4g} misses per second that the ages give for the smallest "
        "size: do both belong to the same items?",
    )
    return False


def _check(curve: MissRates, rates: Rates) -> tuple[float | None, str]:
    if rates.evictions is None or rates.seconds <= 0:
        return None, rates.no_evictions
    if rates.evictions <= 0:
        return None, "nothing was evicted between the readings"
    if rates.present_bytes is not None:
        curve = replace(curve, oldest_per_s=_carried_on(curve, rates.present_bytes))
    return gap(curve, rates.evictions / rates.seconds), ""


def _carried_on(curve: MissRates, size: float) -> float:
    """Return the rate at a size beyond the last, along the line that its upper half has in log and log. [items/s]"""
    last = float(curve.sizes[-1])
    kept = (curve.sizes >= last / 2) & (curve.items_per_s > 0)
    if size <= last or kept.sum() < 2:  # noqa: PLR2004  # a line takes two
        return float(curve.items_per_s[-1])
    slope, level = np.polyfit(
        np.log(curve.sizes[kept]), np.log(curve.items_per_s[kept]), 1
    )
    return math.exp(level + slope * math.log(size))


def infinite_unless(age_s: float | None) -> float:
    """Return an age, infinite where nothing was evicted. [s]"""
    return math.inf if age_s is None else age_s
