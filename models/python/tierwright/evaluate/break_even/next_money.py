"""The next sum of money: what it gains in DRAM and in flash, however much was spent before.

Source: derived from Kang, Lee and Moon (2016), sections 2.3 and 6.7.2 (equal money).
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problem, Problems
from tierwright.common.units import format_bytes
from tierwright.evaluate.break_even.full import FULL_VALIDITY
from tierwright.evaluate.break_even.gains import (
    FullGains,
    PageCosts,
    PlainGains,
    flash_gain_terms,
    least_flash,
    most_flash,
)
from tierwright.evaluate.break_even.money import (
    MOST_STEPS,
    Winner,
    flip_price_ratio,
    pages_for,
    winner_of,
)
from tierwright.evaluate.break_even.schemes import (
    BEST_VALIDITY,
    BestGains,
    scheme_gain_terms,
)
from tierwright.evaluate.break_even.theta import (
    CURVE_VALIDITY,
    check_base,
    curve_theta,
    log_theta,
)
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.schemes import FLASH_SCHEMES
from tierwright.profile.curve import Curve

SOURCE = "derived from Kang, Lee and Moon (2016), sections 2.3 and 6.7.2"
Gains = PlainGains | FullGains | BestGains
"""Hits alone; the joined form, which no scheme has; or every scheme with its own writes and
capacity, the best at each size, which is what decides."""
DEFAULT_POINTS = 161
LEAST_POINTS = 2
MOST_POINTS = 2000
FIRST_SHARE = 0.01
"""The curves begin where this share of the sum is spent."""
BEYOND = 1.5
"""The curves end at this multiple of what holds the whole workload."""
LEAST_SUMS = 10
ENTRY_PAGES = 1e-6
SAME = 1e-9
"""Gains that differ by less than this share count as equal."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where the better buy changes.

    Attributes
    ----------
    usd : Decimal
        Money spent before, or spent at once. [USD]
    better_beyond : str
        `dram` or `flash`: where the next money gains more from there on.
    """

    usd: Decimal
    better_beyond: Literal["dram", "flash"]


@dataclass(frozen=True, slots=True)
class NextMoney:
    """The same money in DRAM and in flash: now, and after any sum spent on either.

    Attributes
    ----------
    usd : Decimal
        The sum. [USD]
    dram_pages, flash_pages : int
        What it buys. [pages]
    dram_gain, flash_gain : float or None
        Time an access that it saves at once; None where the metadata of that flash leave no
        DRAM. [time]
    flash_scheme : str or None
        Scheme under which the flash saves that; None where hits alone are counted or the
        metadata leave no DRAM.
    flash_gains : mapping of str to (float or None)
        What the flash saves under each scheme; empty where hits alone are counted. [time]
    flash_gain_least, flash_gain_most : float or None
        The best of these at the ends of the stated error: of hits and writes, and in the steady
        state of the cost; `flash_gain` where hits alone are counted. [time]
    flash_to_dram_gain_ratio : float or None
        None where DRAM gains nothing. [1]
    winner : str
        `flash`, `dram`, `tie`, or `neither` where both gain nothing.
    matching_flash_pages : float or None
        Least flash that gains what the sum gains in DRAM; None where none does. [pages]
    matching_scheme : str or None
        Scheme under which it does.
    flip_price_ratio : float or None
        Price of flash over price of DRAM, a byte, below which the sum gains more in flash;
        None where no flash matches the DRAM, or the DRAM gains nothing. [1]
    spent_usd : list of Decimal
        Money spent before, on DRAM alone or on flash alone. [USD]
    dram_at, flash_at : float64 array
        What that money has gained; NaN where a curve from counters does not speak of the sizes. [time]
    dram_next, flash_next : float64 array
        What the next `usd` gain beyond it, a dollar; NaN likewise. [time/USD]
    crossings : tuple of Crossing
        Where `dram_next` and `flash_next` cross, in the order of money.
    total_crossings : tuple of Crossing
        Where `dram_at` and `flash_at` cross: the sums, spent at once, from which the better
        buy is another.
    dram_trend_from_usd, flash_trend_from_usd : Decimal or None
        Sums beyond which RAM, or RAM and flash together, hold more pages than the recording
        tells about in the steady state: what they gain there is a trend. None where it tells
        about every size. [USD]
    entry_gain : float
        What the least flash gains without a hit: below 0 where every victim is staged, which
        a first sum has to earn back and later ones do not. [time]
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    usd: Decimal
    dram_pages: int
    flash_pages: int
    dram_gain: float
    flash_gain: float | None
    flash_scheme: str | None
    flash_gains: Mapping[str, float | None]
    flash_gain_least: float | None
    flash_gain_most: float | None
    flash_to_dram_gain_ratio: float | None
    winner: Winner
    matching_flash_pages: float | None
    matching_scheme: str | None
    flip_price_ratio: float | None
    spent_usd: list[Decimal]
    dram_at: FloatArray
    flash_at: FloatArray
    dram_next: FloatArray
    flash_next: FloatArray
    crossings: tuple[Crossing, ...]
    total_crossings: tuple[Crossing, ...]
    dram_trend_from_usd: Decimal | None
    flash_trend_from_usd: Decimal | None
    entry_gain: float
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    @property
    def entry_decides(self) -> bool:
        """Whether DRAM wins only because a first sum of flash must earn back its writes."""
        early = np.array([spent <= self.usd for spent in self.spent_usd])
        ahead = self.flash_next > self.dram_next
        return self.winner == "dram" and bool(np.any(ahead & early))

    @property
    def within_error(self) -> bool:
        """Whether the stated error leaves the better buy open."""
        least, most = self.flash_gain_least, self.flash_gain_most
        if least is None or most is None:
            return False
        return winner_of(self.dram_gain, least) != winner_of(self.dram_gain, most)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class FlipCurve:
    """Price ratio at which the decision flips, over the size of the step.

    Attributes
    ----------
    delta : float64 array
        Added DRAM in multiples of the existing DRAM. [1]
    log, curve : float64 array
        By the log model, by the workload's curve; NaN where unreachable or nothing is
        gained. [1]
    full : float64 array or None
        With flash writes, dirty traffic and old versions, under the scheme that needs the
        least flash; None without write-backs. [1]
    """

    delta: FloatArray
    log: FloatArray
    curve: FloatArray
    full: FloatArray | None


def next_money(
    gains: Gains,
    *,
    usd: Decimal,
    dram_usd_per_byte: Decimal,
    flash_usd_per_byte: Decimal,
    points: int = DEFAULT_POINTS,
) -> NextMoney:
    """Compare the next sum of money in DRAM and in flash, from the first dollar on.

    With G(m) the gain of m dollars in one of the two, beside the existing DRAM, the next
    sum u gains [G(m + u) - G(m)] / u a dollar.

    Parameters
    ----------
    gains : PlainGains, FullGains or BestGains
        The form, with the workload, the existing DRAM and the costs.
    usd : Decimal
        The sum; buys at least a page of each. [USD]
    dram_usd_per_byte, flash_usd_per_byte : Decimal
        Above 0. [USD/byte]
    points : int
        Points of the curves, 2 to 2,000.

    Returns
    -------
    NextMoney

    Raises
    ------
    BadInput
        If an input is out of its domain or the sum buys less than a page.

    Examples
    --------
    >>> from tierwright.evaluate.break_even.gains import PlainGains
    >>> curve = Curve.from_hit_ratios([(100, 0.5), (400, 0.8)], accesses=1000)
    >>> found = next_money(
    ...     PlainGains(curve, 100, disk_cost=10, flash_cost=2),
    ...     usd=Decimal("0.4096"),
    ...     dram_usd_per_byte=Decimal("0.000001"),
    ...     flash_usd_per_byte=Decimal("0.0000005"),
    ... )
    >>> found.dram_pages, found.flash_pages, found.winner
    (100, 200, 'flash')
    >>> round(found.flip_price_ratio, 6)
    0.8
    """
    curve = gains.curve
    check_base(curve, gains.base_pages)
    page = curve.page_bytes
    dram_pages = pages_for(usd, dram_usd_per_byte, page)
    flash_pages = pages_for(usd, flash_usd_per_byte, page)
    problems = Problems("next money", "use a larger sum of money")
    problems.check(dram_pages > 0, "usd", usd, "buys less than one page of DRAM")
    problems.check(flash_pages > 0, "usd", usd, "buys less than one page of flash")
    problems.check(
        LEAST_POINTS <= points <= MOST_POINTS, "points", points, "must lie in [2, 2000]"
    )
    problems.raise_if_any()
    check_known_usd(gains, usd, dram_usd_per_byte, flash_usd_per_byte)
    dram = float(gains.dram(dram_pages))
    flash = float(gains.flash(flash_pages))
    matching = float(_least(gains, dram))
    flip = float(flip_price_ratio(dram_pages, matching)) if dram > 0 else np.nan
    prices = (float(dram_usd_per_byte * page), float(flash_usd_per_byte * page))
    spent = _spent(gains, float(usd), prices, points)
    money = np.array([float(each) for each in spent])
    dram_at, dram_next = _along(gains.dram, money, float(usd), prices[0])
    flash_at, flash_next = _along(gains.flash, money, float(usd), prices[1])
    gained = flash if np.isfinite(flash) else None
    ends = (gained, gained)
    if isinstance(gains, BestGains) and gained is not None:
        worse, better = (
            float(replace(gains, off=off).flash(flash_pages)) for off in (-1.0, 1.0)
        )
        ends = (worse, better)
    return NextMoney(
        usd=usd,
        dram_pages=dram_pages,
        flash_pages=flash_pages,
        dram_gain=dram,
        flash_gain=gained,
        flash_scheme=_best_at(gains, flash_pages),
        flash_gains=_by_scheme(gains, flash_pages),
        flash_gain_least=ends[0],
        flash_gain_most=ends[1],
        flash_to_dram_gain_ratio=(
            flash / dram if dram > 0 and np.isfinite(flash) else None
        ),
        winner=winner_of(dram, flash if np.isfinite(flash) else -np.inf),
        matching_flash_pages=matching if np.isfinite(matching) and dram > 0 else None,
        matching_scheme=_best_at(gains, matching) if np.isfinite(matching) else None,
        flip_price_ratio=flip if np.isfinite(flip) else None,
        spent_usd=spent,
        dram_at=dram_at,
        flash_at=flash_at,
        dram_next=dram_next,
        flash_next=flash_next,
        crossings=tuple(_crossings(gains, money, dram_next, flash_next)),
        total_crossings=tuple(_crossings(gains, money, dram_at, flash_at)),
        dram_trend_from_usd=_trend_from(gains, dram_usd_per_byte * page),
        flash_trend_from_usd=_trend_from(gains, flash_usd_per_byte * page),
        entry_gain=float(np.nan_to_num(gains.flash(ENTRY_PAGES), nan=-np.inf)),
        estimator=_ESTIMATORS[type(gains)],
        validity=_VALIDITIES[type(gains)],
        derivation=_derive(
            gains, usd, (dram_pages, flash_pages), (dram, flash), (matching, flip)
        ),
    )


def flip_curve(
    curve: Curve,
    base_pages: float,
    delta: Iterable[float],
    *,
    disk_cost: float,
    flash_cost: float,
    costs: PageCosts,
    old_share: float = 0.0,
    flash_metadata: MetadataPreset | None = None,
) -> FlipCurve:
    """Price ratio at which the decision flips, for many sizes of the step at once.

    Parameters
    ----------
    curve, base_pages
        Workload and B. [pages]
    delta : iterable of float
        DRAM steps in multiples of B. [1]
    disk_cost, flash_cost : float
        C_disk and C_flash of one page access, for log model and curve. [time]
    costs : PageCosts
        For the schemes. [time]
    old_share : float
        Share of flash that holds old versions, for the schemes. [1]
    flash_metadata : MetadataPreset, optional
        Taken out of B; the log model does not know it.

    Returns
    -------
    FlipCurve

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    steps = broadcast("flip curve", amounts={"delta": list(delta)})["delta"]
    by_log = log_theta(steps, disk_cost=disk_cost, flash_cost=flash_cost)
    by_curve = curve_theta(
        curve,
        base_pages,
        steps,
        disk_cost=disk_cost,
        flash_cost=flash_cost,
        flash_metadata=flash_metadata,
    )
    full = None
    if curve.write_backs_at is not None:
        form = BestGains(curve, base_pages, costs, old_share, flash_metadata)
        least = form.least(form.dram(steps * base_pages))
        full = flip_price_ratio(steps, least / base_pages)
    return FlipCurve(
        steps,
        flip_price_ratio(steps, by_log.theta),
        flip_price_ratio(steps, by_curve.theta),
        full,
    )


def most_known_usd(
    gains: Gains, dram_usd_per_byte: Decimal, flash_usd_per_byte: Decimal
) -> Decimal | None:
    """Return the largest sum of which a curve from counters speaks, in DRAM and in flash.

    Parameters
    ----------
    gains : PlainGains, FullGains or BestGains
        The form.
    dram_usd_per_byte, flash_usd_per_byte : Decimal
        Above 0. [USD/byte]

    Returns
    -------
    Decimal or None
        None of any other curve, which speaks of every size. [USD]
    """
    evidence, flash = gains.curve.evidence, most_flash(gains)
    if evidence is None or flash is None:
        return None
    page = gains.curve.page_bytes
    dram = max(0, math.floor(evidence.valid_to - gains.base_pages))
    return min(dram * dram_usd_per_byte, flash * flash_usd_per_byte) * page


def check_known_usd(
    gains: Gains, usd: Decimal, dram_usd_per_byte: Decimal, flash_usd_per_byte: Decimal
) -> None:
    """Refuse a sum that buys sizes of which a curve from counters does not speak.

    Parameters
    ----------
    gains : PlainGains, FullGains or BestGains
        The form.
    usd : Decimal
        The sum. [USD]
    dram_usd_per_byte, flash_usd_per_byte : Decimal
        Above 0. [USD/byte]

    Raises
    ------
    BadInput
        If the DRAM or the flash that it buys is beyond the evidence of the curve.
    """
    curve = gains.curve
    evidence = curve.evidence
    most = most_known_usd(gains, dram_usd_per_byte, flash_usd_per_byte)
    if evidence is None or most is None or usd <= most:
        return
    page = curve.page_bytes
    dram, flash, base = (
        format_bytes(int(each) * page)
        for each in (
            pages_for(usd, dram_usd_per_byte, page),
            pages_for(usd, flash_usd_per_byte, page),
            gains.base_pages,
        )
    )
    problem = Problem(
        "usd",
        str(usd),
        f"buys {dram} of DRAM or {flash} of flash beside {base}, but the evidence of the curve "
        f"({evidence.title}) speaks of {evidence.range_text(page)}: what one of the two gains is unknown",
    )
    enough = Decimal(f"{float(most):.3g}")
    while enough > most:
        enough -= Decimal(1).scaleb(enough.adjusted() - 2)
    raise BadInput(
        f"next money: {problem}",
        f"use at most {enough:f} USD, or measure further sizes"
        if enough > 0
        else "measure further sizes: a longer series of snapshots, a ghost or simulated cache, or a resize for an hour",
        (problem,),
    )


@dataclass(frozen=True, slots=True)
class SpendingPlan:
    """Where each next sum gains most, one after the other.

    Attributes
    ----------
    usd : list of Decimal
        Money spent before each step. [USD]
    ram_pages, flash_pages : list of int
        Sizes before each step. [pages]
    dram_gain, flash_gain : list of float or None
        Time an access that the step would save in DRAM, in flash; None where the metadata
        would leave no DRAM. [time]
    choice : list of str
        `dram`, `flash`, or `neither`, which ends the plan, as do sizes of which a curve from counters does not speak.
    """

    usd: list[Decimal]
    ram_pages: list[int]
    flash_pages: list[int]
    dram_gain: list[float | None]
    flash_gain: list[float | None]
    choice: list[str]


def spending_plan(
    gains: Gains,
    *,
    usd_step: Decimal,
    steps: int,
    dram_usd_per_byte: Decimal,
    flash_usd_per_byte: Decimal,
    flash_pages: int = 0,
) -> SpendingPlan:
    """Spend sum after sum where it gains most, beside what was bought before.

    As `marginal_gains`, for either form of gain. Greedy: on a curve that is not concave a
    larger sum at once may gain more. Among equals flash.

    Parameters
    ----------
    gains : PlainGains, FullGains or BestGains
        The form, with the workload, the existing DRAM and the costs.
    usd_step : Decimal
        Sum of each step; buys at least a page of each. [USD]
    steps : int
        1 to 10,000.
    dram_usd_per_byte, flash_usd_per_byte : Decimal
        Above 0. [USD/byte]
    flash_pages : int
        Flash there is. [pages]

    Returns
    -------
    SpendingPlan

    Raises
    ------
    BadInput
        If an input is out of its domain or a step buys less than a page.
    """
    page = gains.curve.page_bytes
    check_base(gains.curve, gains.base_pages)
    more_ram = pages_for(usd_step, dram_usd_per_byte, page)
    more_flash = pages_for(usd_step, flash_usd_per_byte, page)
    problems = Problems("spending plan", "use larger steps of money")
    for tier, more in (("DRAM", more_ram), ("flash", more_flash)):
        problems.check(
            more > 0, "usd_step", usd_step, f"buys less than one page of {tier}"
        )
    problems.check(1 <= steps <= MOST_STEPS, "steps", steps, "must lie in [1, 10000]")
    problems.check(flash_pages >= 0, "flash_pages", flash_pages, "must not be negative")
    problems.raise_if_any()
    found = SpendingPlan([], [], [], [], [], [])
    ram, flash, spent = int(gains.base_pages), flash_pages, Decimal(0)
    for _ in range(steps):
        now = float(gains.time(ram, flash))
        by_dram = now - float(gains.time(ram + more_ram, flash))
        by_flash = now - float(gains.time(ram, flash + more_flash))
        if gains.curve.evidence is not None and math.isnan(by_dram + by_flash):
            break  # the evidence does not speak of one of the two
        winner = winner_of(by_dram, by_flash if np.isfinite(by_flash) else -np.inf)
        choice = "flash" if winner == "tie" else winner
        found.usd.append(spent)
        found.ram_pages.append(ram)
        found.flash_pages.append(flash)
        found.dram_gain.append(by_dram)
        found.flash_gain.append(by_flash if np.isfinite(by_flash) else None)
        found.choice.append(choice)
        if choice == "neither":
            break
        spent += usd_step
        ram, flash = (
            (ram + more_ram, flash) if choice == "dram" else (ram, flash + more_flash)
        )
    return found


_ESTIMATORS: Mapping[type[Gains], str] = {
    PlainGains: "measured LRU hit-ratio curve, equal money",
    FullGains: "full form from the LRU hit-ratio and write-back curves, equal money",
    BestGains: "I/O time of each scheme from the LRU hit-ratio and write-back curves, the best "
    "scheme at each size, equal money",
}
_VALIDITIES: Mapping[type[Gains], str] = {
    PlainGains: CURVE_VALIDITY,
    FullGains: FULL_VALIDITY,
    BestGains: BEST_VALIDITY,
}


def _trend_from(gains: Gains, page_usd: Decimal) -> Decimal | None:
    """Price of the pages beside B up to the last size that the recording tells about."""
    curve = gains.curve
    most = max(1, curve.distinct_pages)
    if not bool(curve.uncertain(most)):
        return None
    # What could tell about a size only falls with it.
    last = bisect.bisect_right(
        range(1, most + 1), 0, key=lambda size: int(curve.uncertain(size))
    )
    return Decimal(max(0, last - int(gains.base_pages))) * page_usd


def _least(gains: Gains, wanted: float) -> FloatArray:
    return (
        gains.least(wanted)
        if isinstance(gains, BestGains)
        else least_flash(gains, wanted)
    )


def _best_at(gains: Gains, flash_pages: float) -> str | None:
    return gains.best_at(flash_pages) if isinstance(gains, BestGains) else None


def _by_scheme(gains: Gains, flash_pages: int) -> dict[str, float | None]:
    if not isinstance(gains, BestGains):
        return {}
    found = {
        scheme: float(gains.of(scheme).flash(flash_pages)) for scheme in FLASH_SCHEMES
    }
    return {name: gain if np.isfinite(gain) else None for name, gain in found.items()}


def _spent(
    gains: Gains,
    usd: float,
    prices: tuple[float, float],
    points: int,
) -> list[Decimal]:
    """Space sums evenly in their logarithm, to where each tier holds the whole workload."""
    missing = max(gains.curve.last_listed - gains.base_pages, 0.0)
    whole = max(missing * prices[0], missing / (1 - gains.old_share) * prices[1])
    most = max(BEYOND * whole, LEAST_SUMS * usd)
    flash = most_flash(gains)
    evidence = gains.curve.evidence
    if evidence is not None and flash is not None:
        dram = math.floor(evidence.valid_to - gains.base_pages)
        most = max(usd, min(most, max(dram * prices[0], flash * prices[1])))
    steps = np.geomspace(FIRST_SHARE * usd, most, points)
    return [Decimal(f"{step:.6g}") for step in steps.tolist()]


def _along(
    gain: Any, money: FloatArray, usd: float, price: float
) -> tuple[FloatArray, FloatArray]:
    """Gain of each sum in whole pages, and that of the next `usd`, a dollar."""
    now = gain(np.floor(money / price))
    later = gain(np.floor((money + usd) / price))
    return now, (later - now) / usd


def _crossings(
    gains: Gains, money: FloatArray, dram: FloatArray, flash: FloatArray
) -> Iterable[Crossing]:
    ahead = flash - dram  # NaN where flash is not possible: DRAM is the better buy
    level = SAME * np.maximum(np.abs(dram), np.abs(np.nan_to_num(flash)))
    # Of a curve from counters NaN is what is unknown, where neither is the better buy.
    absent = -1 if gains.curve.evidence is None else 0
    sign = np.where(np.isnan(ahead), absent, np.where(np.abs(ahead) <= level, 0, 1))
    sign = np.where((sign == 1) & (ahead < 0), -1, sign)
    last: int | None = None
    for at in np.flatnonzero(sign).tolist():
        if last is not None and sign[at] != sign[last]:
            yield Crossing(
                _between(money, ahead, last, at), "flash" if sign[at] > 0 else "dram"
            )
        last = at


def _between(money: FloatArray, ahead: FloatArray, low: int, high: int) -> Decimal:
    """Where the line from one point to the next goes through 0; the middle without one."""
    rise = ahead[high] - ahead[low]
    part = -ahead[low] / rise if np.isfinite(rise) and rise != 0 else 0.5
    found = money[low] + part * (money[high] - money[low])
    return Decimal(f"{found:.4g}")


def _derive(
    gains: Gains,
    usd: Decimal,
    bought: tuple[int, int],
    gained: tuple[float, float],
    flips: tuple[float, float],
) -> tuple[Derivation, ...]:
    curve, base = gains.curve, gains.base_pages
    more, accesses = base + bought[0], curve.accesses
    dram = [
        Number("B", base, "pages", "existing DRAM"),
        Number("D", bought[0], "pages", f"DRAM that {usd} USD buy"),
        Number("H(B)", float(curve.hit_ratio(base)), "1", "of the curve"),
        Number("H(B + D)", float(curve.hit_ratio(more)), "1", "with DRAM"),
        Number(
            "dH",
            float(curve.misses(base) - curve.misses(more)) / accesses,
            "1",
            "H(B + D) - H(B)",
        ),
    ]
    if not isinstance(gains, PlainGains):
        backs = curve.write_backs
        dram += [
            Number("E_d(B)", float(backs(base)) / accesses, "1", "write-backs"),
            Number("E_d(B + D)", float(backs(more)) / accesses, "1", "with DRAM"),
            Number(
                "dE_d",
                float(backs(base) - backs(more)) / accesses,
                "1",
                "E_d(B) - E_d(B + D)",
            ),
            Number("C_dr", gains.costs.disk_read, "µs", "disk read"),
            Number("C_dw", gains.costs.disk_write, "µs", "disk write"),
        ]
        dram_formula = (
            "dH C_dr + dE_d C_dw, dH = H(B + D) - H(B), dE_d = E_d(B) - E_d(B + D)"
        )
    else:
        dram.append(Number("C_disk", gains.disk_cost, "µs", "one page access on disk"))
        dram_formula = "dH C_disk, dH = H(B + D) - H(B)"
    if isinstance(gains, BestGains):
        scheme = gains.best_at(bought[1])
        flash_formula, flash = scheme_gain_terms(gains, [scheme], bought[1], "µs")
        flash_formula += (
            f", counts of {scheme}" if scheme else ", with no DRAM left beside it"
        )
    else:
        flash_formula, flash = flash_gain_terms(gains, bought[1], "µs")
    flash = (Number("F", bought[1], "pages", f"flash that {usd} USD buy"), *flash)
    return (
        Derivation("dram_gain", gained[0], "µs", dram_formula, tuple(dram), SOURCE),
        Derivation("flash_gain", gained[1], "µs", flash_formula, flash, SOURCE),
        Derivation(
            "flip_price_ratio",
            flips[1],
            "1",
            "D / F*, F* the least flash that gains dram_gain",
            (
                Number("D", bought[0], "pages", "DRAM that the money buys"),
                Number("F*", flips[0], "pages", "least flash that gains as much"),
            ),
            SOURCE,
        ),
    )
