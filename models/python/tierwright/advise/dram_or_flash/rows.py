"""Rows of the answer "DRAM or flash?": steps, prices, and why a figure is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from tierwright.advise.dram_or_flash.break_even import BreakEven, TierPrices
from tierwright.advise.dram_or_flash.end import OneEnd
from tierwright.advise.point import scheme_titles
from tierwright.common.wording import counted
from tierwright.evaluate.break_even.next_money import NextMoney, SpendingPlan
from tierwright.evaluate.break_even.schemes import SchemeThetas
from tierwright.hardware.prices import Price
from tierwright.profile.curve import Curve

GIB = 2**30
NOT_COMPUTED = "not computed: the curve of this workload has no write-backs"
UNREACHABLE = "unreachable: no amount of flash gains as much"
UNKNOWN = "unknown: no flash within what the counters speak of gains as much"
NOTHING_TO_MATCH = "the DRAM gains nothing, so there is nothing to match"
TOO_LARGE = "more flash than a number can hold"


@dataclass(frozen=True, slots=True)
class SchemeStep:
    """Flash that gains as much as one DRAM step under one scheme.

    Attributes
    ----------
    scheme, title : str
        Name and title.
    theta : float or None
        In multiples of the existing DRAM; None where no flash gains as much. [1]
    theta_least, theta_most : float or None
        At the ends of the stated error. [1]
    is_exact : bool
        Whether the counts are those of a replay.
    is_trend : bool
        Whether the sizes exceed what the recording tells about.
    """

    scheme: str
    title: str
    theta: float | None
    theta_least: float | None
    theta_most: float | None
    is_exact: bool
    is_trend: bool


@dataclass(frozen=True, slots=True)
class StepRow:
    """One DRAM step, and the flash that gains as much, in multiples of the existing DRAM.

    Attributes
    ----------
    delta : float
        Added DRAM. [1]
    dram_pages : float
        The same. [pages]
    theta_log, theta_curve, theta_full : float or None
        Flash by the log model, the curve, and with writes under `best_scheme`. [1]
    best_scheme : str or None
        Scheme that needs the least flash.
    schemes : tuple of SchemeStep
        Every scheme; empty without write-backs.
    is_trend : bool
        Whether the recording tells too little about these sizes.
    flip_log, flip_curve, flip_full : float or None
        Price of flash over price of DRAM below which flash is the better buy. [1]
    reasons : dict of str to str
        Why a figure is None, by its name.
    """

    delta: float
    dram_pages: float
    theta_log: float | None
    theta_curve: float | None
    theta_full: float | None
    best_scheme: str | None
    schemes: tuple[SchemeStep, ...]
    is_trend: bool
    flip_log: float | None
    flip_curve: float | None
    flip_full: float | None
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True)
class PricesUsed:
    """The two prices that decide.

    Attributes
    ----------
    dram_usd_per_gib, flash_usd_per_gib : Decimal or None
        [USD/GiB]
    dram_basis, flash_basis : str or None
        Price, source and date.
    ratio, stated_ratio : float or None
        Flash over DRAM, a byte: as used; and without the stated one. [1]
    usd_basis : str
        What a price stands for.
    reason : str or None
        Why there is no price.
    """

    dram_usd_per_gib: Decimal | None
    flash_usd_per_gib: Decimal | None
    dram_basis: str | None
    flash_basis: str | None
    ratio: float | None
    stated_ratio: float | None
    usd_basis: str
    reason: str | None


def step_rows(curve: Curve, ram_pages: int, found: BreakEven) -> Iterator[StepRow]:
    """One row for each DRAM step; what is null says why."""
    absent: list[float | None] = [None] * len(found.delta)
    columns = {
        "log": [value if math.isfinite(value) else None for value in found.theta],
        "curve": found.theta_from_curve or absent,
        "full": found.theta_full or absent,
    }
    for at, delta in enumerate(found.delta):
        theta = {form: column[at] for form, column in columns.items()}
        flips = {form: delta / each if each else None for form, each in theta.items()}
        reasons: dict[str, str] = {}
        for form, each in theta.items():
            if each is None:
                computed = form != "full" or found.theta_full is not None
                reasons[f"theta_{form}"] = _no_theta(curve, form, computed=computed)
            if flips[form] is None:
                reasons[f"flip_{form}"] = reasons.get(f"theta_{form}", NOTHING_TO_MATCH)
        schemes = found.schemes
        best = None if schemes is None else schemes.best[at]
        if best is None:
            reasons["best_scheme"] = reasons.get("theta_full", NOTHING_TO_MATCH)
        flash = theta["curve"] if schemes is None else theta["full"]
        reach = ram_pages * (1 + max(delta, flash or 0.0))
        yield StepRow(
            delta=delta,
            dram_pages=delta * ram_pages,
            theta_log=theta["log"],
            theta_curve=theta["curve"],
            theta_full=theta["full"],
            best_scheme=best,
            schemes=() if schemes is None else tuple(_scheme_steps(schemes, at)),
            is_trend=bool(curve.uncertain(reach)),
            flip_log=flips["log"],
            flip_curve=flips["curve"],
            flip_full=flips["full"],
            reasons=reasons,
        )


def _scheme_steps(found: SchemeThetas, at: int) -> Iterator[SchemeStep]:
    for scheme, each in found.schemes.items():
        theta, least, most = nullable(
            (each.theta[at], each.theta_least[at], each.theta_most[at])
        )
        yield SchemeStep(
            scheme=scheme,
            title=scheme_titles()[scheme],
            theta=theta,
            theta_least=least,
            theta_most=most,
            is_exact=each.exact,
            is_trend=bool(each.is_trend[at]),
        )


def _no_theta(curve: Curve, form: str, *, computed: bool) -> str:
    if form == "log":
        return TOO_LARGE
    if not computed:
        return NOT_COMPUTED
    return UNREACHABLE if curve.evidence is None else UNKNOWN


def prices_used(answers: OneEnd) -> PricesUsed:
    """Say which prices decide, or why there is none."""
    used = answers.prices
    dram, flash = used.per_byte(used.ram), used.per_byte(used.flash)
    lacking = [
        tier for tier, price in (("DRAM", dram), ("flash", flash)) if price is None
    ]
    return PricesUsed(
        dram_usd_per_gib=_usd_per_gib(dram),
        flash_usd_per_gib=_usd_per_gib(flash),
        dram_basis=_basis(used.ram),
        flash_basis=_basis(used.flash),
        ratio=price_ratio(used),
        stated_ratio=price_ratio(answers.stated),
        usd_basis=f"Purchase, or {counted(used.months, 'month')} of rent.",
        reason=(
            f"there is no price of {' and of '.join(lacking)}: choose a price book"
            if lacking
            else None
        ),
    )


def _usd_per_gib(per_byte: Decimal | None) -> Decimal | None:
    return None if per_byte is None else round(per_byte * GIB, 6).normalize()


def _basis(price: Price | None) -> str | None:
    if price is None:
        return None
    return f"{price.text}, {price.source}, {price.date or 'undated'}"


def price_ratio(prices: TierPrices) -> float | None:
    """Price of flash over price of DRAM, a byte; None without one of them. [1]"""
    dram, flash = prices.per_byte(prices.ram), prices.per_byte(prices.flash)
    return None if dram is None or flash is None else float(flash / dram)


def no_flip(money: NextMoney, curve: Curve) -> str:
    """Say why there is no price ratio at which the decision flips; empty where there is one."""
    if money.flip_price_ratio is not None:
        return ""
    if money.dram_gain <= 0:
        return NOTHING_TO_MATCH
    return UNREACHABLE if curve.evidence is None else UNKNOWN


def plan_is_trend(answers: OneEnd, plan: SpendingPlan) -> list[bool]:
    """Whether what a step leads to is more than the recording tells about."""
    money = answers.money[answers.form]
    more = {"dram": money.dram_pages, "flash": money.flash_pages, "neither": 0}
    reach = [
        ram + flash + more[choice]
        for ram, flash, choice in zip(
            plan.ram_pages, plan.flash_pages, plan.choice, strict=True
        )
    ]
    return [bool(each) for each in answers.curve.uncertain(reach)]


def useful_pages(curve: Curve) -> int | None:
    """Flash beyond which no scheme hits more: RAM is at least a page of it. [pages]"""
    return None if curve.ends_early else curve.last_listed


def nullable(values: Iterable[float]) -> list[float | None]:
    """Return None for what is not finite."""
    return [float(value) if math.isfinite(value) else None for value in values]
