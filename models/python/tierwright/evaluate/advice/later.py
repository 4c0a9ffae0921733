"""The same question later: curves of grown data, months in which an answer changes, prices that move, and waiting."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.hardware.price_history import PricePoint, PriceSeries
from tierwright.profile.curve import Curve

MONTHS_A_YEAR = 12
QUARTERS_A_YEAR = 4
_FEWEST_PRICES = 2
LEAST_QUARTERS = 2
"""Quarters between two prices from which they make a trend."""


MOST_PAGES = 2.0**62
LOOKED_AHEAD = (3, 6, 9, 12, 18, 24, 30, 36, 48, 60, 84, 120, 180, 240, 360)
"""Months at which a share that grows is computed. [months]"""


def stretched_curve(curve: Curve, times: float) -> Curve:
    """Return the curve of a workload whose pages became more, all accessed alike: m_k(k C) = m(C).

    Parameters
    ----------
    curve : Curve
        Of today.
    times : float
        k: pages then over pages today, at least 1. [1]

    Returns
    -------
    Curve
        As many misses and write-backs at `times` the size.

    Raises
    ------
    BadInput
        If `times` is below 1 or not finite, or makes more pages than can be counted.

    Examples
    --------
    >>> today = Curve.from_hit_ratios([(100, 0.5), (200, 0.9)], accesses=1000)
    >>> float(stretched_curve(today, 1.5).misses(300)), float(today.misses(200))
    (100.0, 100.0)
    """
    if not 1 <= times < np.inf:
        raise BadInput(
            f"growth: times: `{times}` must be a finite number from 1 on",
            "state the pages then over the pages today",
        )
    if float(curve.pages[-1]) * times > MOST_PAGES:
        raise BadInput(
            f"growth: times: `{times}` makes more pages than can be counted",
            "state less growth, or fewer months",
        )
    if times == 1:
        return curve
    # Rounded half up: sizes that differ by 1 stay apart.
    pages = np.floor(curve.pages * times + 0.5).astype(np.int64)
    distinct = round(curve.distinct_pages * times)
    if curve.given is None:
        distinct = min(distinct, curve.accesses)
    given = curve.given
    if given is not None and given.evidence is not None:
        seen = given.evidence.resized(lambda sizes: np.floor(sizes * times + 0.5))
        given = replace(given, evidence=seen)
    return replace(
        curve,
        pages=pages,
        distinct_pages=distinct,
        given=given,
        stretched=curve.stretched * times,
    )


def wider_curve(curve: Curve, times: float) -> Curve:
    """Return the curve of a workload whose working set became larger in data that stay: m_k(k C) = m(C) below all of them.

    Parameters
    ----------
    curve : Curve
        Of today.
    times : float
        k: pages that are accessed then over those of today, at least 1. [1]

    Returns
    -------
    Curve
        As `stretched_curve` where nobody stated the size of the data; else only below that size.

    Raises
    ------
    BadInput
        As `stretched_curve`.
    """
    wide, data = stretched_curve(curve, times), curve.data_held_from
    if data is None or wide is curve:
        return wide
    sizes = np.append(wide.pages[wide.pages < data - 1], [max(1, data - 1), data])
    sizes = np.unique(np.append(sizes, curve.pages[curve.pages > data]))
    # What holds all of the data misses as before, whatever the working set is.
    short, whole = sizes[sizes < data], sizes[sizes >= data]
    backs = None
    if wide.knot_write_backs is not None:
        backs = np.append(wide.write_backs(short), curve.write_backs(whole))
    return replace(
        curve,
        pages=sizes,
        misses_at=np.append(wide.misses(short), curve.misses(whole)),
        write_backs_at=backs,
        # What counters speak of is as much larger.
        given=wide.given,
    )


def months_until(
    share: Callable[[float], FloatArray],
    limit: float,
    growth_per_year: float,
    *,
    ends: FloatArray | None = None,
) -> FloatArray:
    """Months of growth until shares reach a limit; infinite of what does not within 30 years, NaN of what is not known.

    Parameters
    ----------
    share : callable
        Shares of so many times the data and the load, shape (K,); NaN where unknown. [1]
    limit : float
        The largest that is allowed. [1]
    growth_per_year : float
        Of data and load. [1]
    ends : float64 array, shape (K,), optional
        Months after which each is too small anyhow, infinite where never: the result is the lesser of both. What a
        share is later does not matter then. [months]

    Returns
    -------
    float64 array, shape (K,)
        0 where a share has reached it today. Whole months before it are those with a share below the limit, of shares that
        do not fall: asked at `LOOKED_AHEAD`, and by halving between two of these. Within its last month the logarithm of a
        share is taken as linear: of what grows as the load does the result is exact. [months]

    Examples
    --------
    >>> found = months_until(
    ...     lambda times: np.asarray([0.5, 0.7, 0.5]) * times ** np.asarray([1, 1, 2]),
    ...     0.7,
    ...     0.2,
    ... )
    >>> found.round(1).tolist()
    [22.1, 0.0, 11.1]
    """
    known = {0: np.asarray(share(1.0), dtype=np.float64)}
    last = np.full(len(known[0]), np.inf) if ends is None else ends
    left = np.where(last <= 0, 0.0, np.where(known[0] >= limit, 0.0, np.nan))
    if growth_per_year <= 0:
        return np.where(np.isnan(left) & ~np.isnan(known[0]), last, left)

    def at(month: int) -> FloatArray:
        if month not in known:
            times = (1 + growth_per_year) ** (month / MONTHS_A_YEAR)
            known[month] = np.asarray(share(times), dtype=np.float64)
        return known[month]

    waiting_ = np.isnan(left) & ~np.isnan(known[0])
    for month, later in pairwise((0, *LOOKED_AHEAD)):
        if not waiting_.any():
            break
        try:
            reached = waiting_ & (at(later) >= limit)
            unknown = waiting_ & np.isnan(at(later))
            for row in np.flatnonzero(unknown & (last < later)).tolist():
                # Until it is too small anyhow, what it is may be known.
                whole = max(month, math.floor(last[row]))
                left[row] = last[row] if at(whole)[row] < limit else np.nan
        except BadInput:  # more pages than can be counted
            waiting_ &= last <= month
            break
        for row in np.flatnonzero(reached).tolist():
            below = _last_below(at, row, limit, (month, later))
            left[row] = below + _part_below(at(below)[row], at(below + 1)[row], limit)
        waiting_ &= ~(reached | unknown)
        over = waiting_ & (last <= later)
        left[over] = last[over]
        waiting_ &= ~over
    left = np.where(waiting_, np.inf, np.minimum(left, last))
    return np.where(left > LOOKED_AHEAD[-1], np.inf, left)


def _last_below(
    shares: Callable[[int], FloatArray], row: int, limit: float, ends: tuple[int, int]
) -> int:
    """Last month with a share below a limit, between one with such a share and one that has reached it."""
    below, reached = ends
    guesses = 0
    while reached - below > 1:
        part = _part_below(shares(below)[row], shares(reached)[row], limit)
        guesses += 1
        # Where the load alone grows, the second guess is the last; where it does not, every third halves what is left.
        guess = below + int((reached - below) * (part if guesses % 3 else 0.5))
        middle = min(max(guess, below + 1), reached - 1)
        if shares(middle)[row] >= limit:
            reached = middle
        else:
            below = middle
    return below


def _part_below(before: float, now: float, limit: float) -> float:
    """Part of a month after which a share reaches a limit, its logarithm linear; by itself where it starts from 0. [1]"""
    if before <= 0 or math.isinf(now):
        return limit / now
    start = math.log(before)
    return (math.log(limit) - start) / (math.log(now) - start)


@dataclass(frozen=True, slots=True)
class Change:
    """A month from which an answer is another one.

    Attributes
    ----------
    month : int
        The first month that is known to have it.
    month_before : int
        The last month that is known to have the one before; the month before `month` where all between were asked.
    key : Hashable
        What the answer is from then on.
    """

    month: int
    month_before: int
    key: Hashable


def changes(
    of: Callable[[int], Hashable], months: Sequence[int], most_asked: int
) -> list[Change]:
    """Find the months in which an answer changes: asked at some months, and between those that differ by halving.

    Parameters
    ----------
    of : callable
        The answer of a month; asked once for each.
    months : sequence of int
        Months that are asked first, increasing; the first is where it starts.
    most_asked : int
        Months that are asked at most, besides these.

    Returns
    -------
    list of Change
        In order. An answer that returns between two of the first months is not seen.

    Examples
    --------
    >>> [(each.month, each.key) for each in changes(lambda m: m >= 17, (0, 12, 24), 9)]
    [(17, True)]
    """
    known = {month: of(month) for month in months}
    for _ in range(most_asked):
        wide = [
            (first, second)
            for first, second in pairwise(sorted(known))
            if known[first] != known[second] and second - first > 1
        ]
        if not wide:
            break
        # The earliest first: the next change is what is acted upon.
        first, second = wide[0]
        middle = (first + second) // 2
        known[middle] = of(middle)
    return [
        Change(second, first, known[second])
        for first, second in pairwise(sorted(known))
        if known[first] != known[second]
    ]


@dataclass(frozen=True, slots=True)
class Trend:
    """How a price has moved.

    Attributes
    ----------
    kind : str
        Of `tierwright.hardware.price_history.KINDS`.
    series : str
        Id of the series.
    change_per_year : float
        By which share it rose in a year; below 0 where it fell. [1]
    first, last : str
        Dates of the two prices.
    quarters : int
        Between them.
    first_usd_per_gb, last_usd_per_gb : Decimal
        The two prices. [USD/GB]
    """

    kind: str
    series: str
    change_per_year: float
    first: str
    last: str
    quarters: int
    first_usd_per_gb: Decimal
    last_usd_per_gb: Decimal


def trends(history: Iterable[PriceSeries]) -> Iterator[Trend]:
    """Say how prices have moved over the last year, of each kind that a recent series of one product tells of.

    Parameters
    ----------
    history : iterable of PriceSeries
        Only those whose prices may be joined count, and of these prices that were paid.

    Yields
    ------
    Trend
        Of each kind at most one, of its newest series: from the price nearest to a year before the newest, at least
        half a year, to the newest. None where the newest is more than a year older than the newest of all series.
    """
    paid = {
        each: [
            point
            for point in each.points
            if point.usd_per_gb and not point.forecast  # what was paid, and above 0
        ]
        for each in sorted(history, key=lambda one: one.id)
        if each.joinable
    }
    newest = {each: _newest(points) for each, points in paid.items() if points}
    if not newest:
        return
    now = max(point.quarter for point in newest.values())
    seen: set[str] = set()
    for series in sorted(newest, key=lambda each: -newest[each].quarter):
        last = newest[series]
        earlier = [
            point
            for point in paid[series]
            if last.quarter - point.quarter >= LEAST_QUARTERS
        ]
        if series.kind in seen or not earlier or now - last.quarter > QUARTERS_A_YEAR:
            continue
        first = min(
            earlier,
            key=lambda point: abs(last.quarter - point.quarter - QUARTERS_A_YEAR),
        )
        quarters = last.quarter - first.quarter
        assert last.usd_per_gb is not None
        assert first.usd_per_gb is not None
        ratio = float(last.usd_per_gb / first.usd_per_gb)
        seen.add(series.kind)
        yield Trend(
            series.kind,
            series.id,
            ratio ** (QUARTERS_A_YEAR / quarters) - 1,
            first.date,
            last.date,
            quarters,
            first.usd_per_gb,
            last.usd_per_gb,
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """How far recent prices of one product lie apart.

    Attributes
    ----------
    kind : str
        Of `tierwright.hardware.price_history.KINDS`.
    series : str
        Id of the series.
    factor : float
        Square root of the most over the least: a price may be higher or lower by this factor. [1]
    first, last : str
        Dates of the first and of the last price.
    quarter : int
        Of the last, in quarters from year 0.
    """

    kind: str
    series: str
    factor: float
    first: str
    last: str
    quarter: int


def spreads(history: Iterable[PriceSeries]) -> Iterator[Spread]:
    """Say how far prices of the last year lie apart, of each kind that a recent series of one product tells of.

    Which of them will be paid nobody knows; the price of today is the best guess, so the range lies around it: as wide
    as that of the year, `factor = sqrt(most / least)`.

    Parameters
    ----------
    history : iterable of PriceSeries
        Only those whose prices may be joined count, and of these prices that were paid.

    Yields
    ------
    Spread
        Of each kind at most one, of its newest series with two prices or more within a year up to its newest. None where
        the newest is more than a year older than the newest of all series.
    """
    paid = {
        each: [
            point for point in each.points if point.usd_per_gb and not point.forecast
        ]
        for each in sorted(history, key=lambda one: one.id)
        if each.joinable
    }
    newest = {each: _newest(points) for each, points in paid.items() if points}
    now = max((point.quarter for point in newest.values()), default=0)
    seen: set[str] = set()
    for series in sorted(newest, key=lambda each: -newest[each].quarter):
        last = newest[series]
        recent = [
            point
            for point in paid[series]
            if last.quarter - point.quarter <= QUARTERS_A_YEAR
        ]
        prices = [point.usd_per_gb for point in recent if point.usd_per_gb]
        is_old = now - last.quarter > QUARTERS_A_YEAR
        if series.kind in seen or len(prices) < _FEWEST_PRICES or is_old:
            continue
        seen.add(series.kind)
        first = min(recent, key=lambda point: (point.quarter, point.date))
        yield Spread(
            series.kind,
            series.id,
            math.sqrt(float(max(prices) / min(prices))),
            first.date,
            last.date,
            last.quarter,
        )


def _newest(points: Sequence[PricePoint]) -> PricePoint:
    return max(points, key=lambda point: (point.quarter, point.date))


@dataclass(frozen=True, slots=True)
class Bought:
    """A purchase now or later, over the same months.

    Attributes
    ----------
    now, later : float
        All that is paid over the months, bought now, and bought after waiting. [USD]
    meanwhile, by_prices : float
        By how much later differs from now: while what there is serves instead, and by the prices of then. [USD]
    break_even_per_year : float or None
        Change of its prices in a year at which both cost as much: waiting pays where they fall by more, or rise by
        less. None where no fall makes it pay. [1]
    """

    now: float
    later: float
    meanwhile: float
    by_prices: float
    break_even_per_year: float | None


def waiting(
    zero_usd: float,
    now_usd: float,
    purchases_usd: float,
    moved_usd: float,
    months: int,
    horizon_months: int,
) -> Bought:
    """Compare buying now with waiting: what there is is paid for meanwhile, and the purchase costs what it does then.

    A month of use of a purchase costs its share of the horizon, whenever it begins, so over H months and with W of
    waiting: H now against W zero + (H - W) (now - P / H + P' / H). The difference has two parts: W (zero - now) while
    what there is serves, and (H - W) (P' - P) / H by the prices of then.

    Parameters
    ----------
    zero_usd : float
        What there is. [USD/month]
    now_usd : float
        What would be bought, its purchase P spread over the horizon. [USD/month]
    purchases_usd, moved_usd : float
        P and P': the purchase at the prices of today, and of after the waiting; P above 0. [USD]
    months, horizon_months : int
        W and H, W below H. [months]

    Examples
    --------
    90 USD a month today, 3,600 USD over 36 months instead, 10 % less in a year:

    >>> found = waiting(90.0, 100.0, 3600.0, 3240.0, 12, 36)
    >>> found.now, found.later, found.meanwhile, found.by_prices
    (3600.0, 3240.0, -120.0, -240.0)
    >>> waiting(100.0, 100.0, 3600.0, 3240.0, 12, 36).break_even_per_year
    0.0
    """
    left = horizon_months - months
    spread = purchases_usd / horizon_months
    later = months * zero_usd + left * (now_usd - spread + moved_usd / horizon_months)
    meanwhile = months * (zero_usd - now_usd)
    times = 1 - meanwhile / (left * spread)
    return Bought(
        horizon_months * now_usd,
        later,
        meanwhile,
        left * (moved_usd - purchases_usd) / horizon_months,
        times ** (MONTHS_A_YEAR / months) - 1 if times > 0 else None,
    )
