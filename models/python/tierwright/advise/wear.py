"""How long the flash lasts under each page-flow scheme, and what its wear costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tierwright.advise import wear_effects
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.answer import Answer, Figure, Step, steps
from tierwright.common.cautions import Caution
from tierwright.common.currency import money
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.endurance.money import (
    WholeDrives,
    purchase_usd,
    scheme_cost,
    whole_drives,
)
from tierwright.evaluate.endurance.outlook import (
    SchemeLife,
    WearOutlook,
    WearRange,
    WriteBudget,
    gentlest,
    wear_outlook,
    wear_range,
    write_budget,
)
from tierwright.evaluate.endurance.wear import WearCost
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_space_behind
from tierwright.evaluate.page_flow.dirty_range import dirty_ends, evaluate_range
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.other_ends import Situation
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.hardware.rated_endurance import rated_endurance
from tierwright.profile.curve import Curve

MANY_YEARS = 1000
"""Lives above it are not told apart. [years]"""


@dataclass(frozen=True, slots=True)
class LeastWear:
    """What depends on the dirty share, if no evicted page is dirty; see `SchemeWear`."""

    flash_writes_per_access: float
    tb_per_day: float
    drive_writes_per_day: float | None
    years: float | None
    never_worn_out: bool


@dataclass(frozen=True, slots=True)
class SchemeWear:
    """Life of the flash under one scheme.

    Where the dirty share is unknown, these are the numbers with as many dirty pages as possible,
    `least` has those with none, and the ranges hold both.

    Attributes
    ----------
    scheme, title : str
        Name and title.
    flash_writes_per_access : float
        As the formula charges them. [pages]
    flash_writes_per_access_range : tuple of float
        Of the formula and of what a simulation counts. [pages]
    tb_per_day : float
        Host writes today. [10^12 bytes/day]
    drive_writes_per_day : float or None
        The same over the capacity. [1/day]
    years, years_from, years_to : float or None
        None where it never wears out, or no budget is known. [365 days]
    never_worn_out : bool
        Whether it never does.
    money : WearCost or None
        None without a price or a budget.
    least : LeastWear or None
        The other end of an unknown dirty share.
    life, least_life : SchemeLife
        What it was made of.
    """

    scheme: str
    title: str
    flash_writes_per_access: float
    flash_writes_per_access_range: tuple[float, float]
    tb_per_day: float
    drive_writes_per_day: float | None
    years: float | None
    years_from: float | None
    years_to: float | None
    never_worn_out: bool
    money: WearCost | None
    least: LeastWear | None
    life: SchemeLife
    least_life: SchemeLife | None


@dataclass(frozen=True, slots=True)
class Drives:
    """Whole drives, and the share of them that the flash pages take.

    Attributes
    ----------
    count : int
        Drives.
    purchase_usd : Decimal
        Of all. [USD]
    usd_per_month : Decimal
        Of all. [USD/month]
    held_share : float
        Of their capacity. [1]
    held_usd_per_month : Decimal
        Of that share, as a comparison counts it. [USD/month]
    sentence : str
        The same in words.
    """

    count: int
    purchase_usd: Decimal
    usd_per_month: Decimal
    held_share: float
    held_usd_per_month: Decimal
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Wear(Answer):
    """Life of the flash by scheme.

    Attributes
    ----------
    accesses_per_s : float
        Load today. [1/s]
    growth_per_year : float
        Of the load. [1/year]
    budget : WriteBudget
        Host writes that the devices endure.
    written_tb, left_tb : float
        Of it: written before, and left for writes in place; None without a budget. [10^12 bytes]
    rated_dwpd : float or None
        Drive writes per day behind the budget: stated, given or assumed. [1/day]
    schemes : tuple of SchemeWear
        Those that use flash.
    gentlest, gentlest_at_least, gentlest_at_most : str or None
        Scheme that writes least to flash; at the ends of an unknown dirty share. The first is
        None where the ends differ, the others where the share is known.
    drives : Drives or None
        What the drives cost that are bought; None without a price.
    money_reason : str
        Why there is no money; empty if there is.
    capacity_bytes : int or None
        Of all devices; None where they state none. [bytes]
    estimator, validity : str
        What was used and where it holds.
    evaluation : Evaluation
        What the writes follow from; at the upper end of an unknown dirty share.
    """

    accesses_per_s: float
    growth_per_year: float
    budget: WriteBudget
    written_tb: float
    left_tb: float | None
    rated_dwpd: float | None
    schemes: tuple[SchemeWear, ...]
    gentlest: str | None
    gentlest_at_least: str | None
    gentlest_at_most: str | None
    drives: Drives | None
    money_reason: str
    capacity_bytes: int | None
    estimator: str
    validity: str
    evaluation: Evaluation = field(repr=False, compare=False)

    @property
    def dirty_share_unknown(self) -> bool:
        """Whether the answer holds both ends of an unknown dirty share."""
        return any(each.least is not None for each in self.schemes)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Life and writes of each scheme."""
        return tuple(
            figure
            for each in self.schemes
            for figure in (
                Figure(
                    f"{each.scheme}_years",
                    f"Life under {each.title}",
                    "never worn out" if each.never_worn_out else each.years,
                    "years",
                ),
                Figure(
                    f"{each.scheme}_tb_per_day",
                    f"Writes under {each.title}",
                    each.tb_per_day,
                    "TB/day",
                ),
            )
        )


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    accesses_per_s: float,
    flash_metadata: MetadataPreset | None = None,
    growth_per_year: float = 0.0,
    written_tb: float = 0.0,
    devices: int = 1,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    **limits: Any,
) -> Wear:
    """Say how long the flash lasts under each scheme, and what its wear costs.

    Parameters
    ----------
    curve : Curve
        Of the workload; where its dirty share is unknown, the answer holds both ends.
    ram_pages, flash_pages : int
        r and f. [pages]
    flash, disk : Device
        Of the two lower tiers.
    accesses_per_s : float
        Page accesses of the load today. [1/s]
    flash_metadata : MetadataPreset, optional
        Charged to the RAM, as in `evaluate`.
    growth_per_year : float
        Of the load, above -1. [1/year]
    written_tb : float
        Written to the devices before. [10^12 bytes]
    devices : int
        Equal devices that share the writes.
    prices : PriceBook, optional
        Without it the device's own price is used, if it states one.
    amortisation_months : int
        Months over which the devices are written off. [months]
    **limits
        `pe_cycles`, `nand_bytes`, `waf_in_place`, `waf_appended`, `rated_tb`, `rated_years`,
        `rated_dwpd`, `spare_percent`, `block_pages`, `collection`, as `write_budget` takes them.

    Raises
    ------
    BadInput
        If a number is out of its domain, or a device states no service time.
    """
    budget = write_budget(flash, devices=devices, **limits)
    capacity = flash.capacity_bytes
    load: dict[str, Any] = {
        "accesses_per_s": accesses_per_s,
        "growth_per_year": growth_per_year,
        "written_tb": written_tb,
        "capacity_bytes": None if capacity is None else capacity * devices,
    }
    choices: dict[str, Any] = {
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "flash": flash,
        "disk": disk,
        "flash_metadata": flash_metadata,
    }
    both: WearRange | None = None
    if curve.write_backs_at is None:
        ends = evaluate_range(curve, **choices)
        both = wear_range(ends, budget, **load)
        evaluation, outlook = ends.most, both.most
    else:
        evaluation = evaluate(curve, **choices)
        outlook = wear_outlook(evaluation, budget, **load)
    usd, reason = purchase_usd(flash, prices, devices)
    schemes = tuple(
        _scheme(
            name,
            life,
            scheme_cost(
                life,
                budget,
                usd,
                amortisation_months,
                written_tb=written_tb,
                growth_per_year=growth_per_year,
            ),
            None if both is None else both.least.schemes[name],
        )
        for name, life in outlook.schemes.items()
    )
    held_bytes = flash_pages * curve.page_bytes
    in_place = budget.in_place_tb
    rated = rated_endurance(
        flash,
        dwpd=limits.get("rated_dwpd"),
        years=limits.get("rated_years"),
        assume=True,
    )
    used = curve if curve.write_backs_at is not None else dirty_ends(curve)[1]

    def outlook_of(of: Situation) -> WearOutlook:
        other = {**choices, "flash": of.flash, "disk": of.disk}
        return wear_outlook(evaluate(of.curve, **other), budget, **load)

    def explain() -> Iterator[Step]:
        if both is not None:
            yield ONE_END
        if evaluation.ram_budget is not None:
            yield from steps(evaluation.ram_budget.derivation)
        yield from steps(budget.derivation)
        for each in schemes:
            yield from steps(each.life.derivation, each.scheme)
            if each.money is not None:
                yield from steps(each.money.derivation, each.scheme)

    return Wear(
        finding=_finding(outlook) if both is None else _range_finding(both),
        warnings=(
            *(() if both is None else (DIRTY_SHARE_UNKNOWN,)),
            *outlook.warnings,
            *about_space_behind(flash_metadata),
            *_about_capacity(flash, devices, held_bytes),
        ),
        explain=explain,
        weigh=wear_effects.effects(
            Situation(used, flash, disk, _sizes(evaluation)),
            outlook,
            outlook_of,
            chosen=(both and both.gentlest) or gentlest(outlook),
            rated=rated,
            held_bytes=held_bytes,
            devices=devices,
        ),
        accesses_per_s=accesses_per_s,
        growth_per_year=growth_per_year,
        budget=budget,
        written_tb=written_tb,
        left_tb=None if in_place is None else in_place - written_tb,
        rated_dwpd=rated.dwpd,
        schemes=schemes,
        gentlest=gentlest(outlook) if both is None else both.gentlest,
        gentlest_at_least=None if both is None else both.gentlest_at_least,
        gentlest_at_most=None if both is None else both.gentlest_at_most,
        drives=_drives(flash, devices, usd, amortisation_months, held_bytes),
        money_reason=reason or budget.reason,
        capacity_bytes=load["capacity_bytes"],
        estimator=outlook.estimator,
        validity=outlook.validity,
        evaluation=evaluation,
    )


def _sizes(found: Evaluation) -> tuple[float, ...]:
    """Sizes at which the schemes read the curve. [pages]"""
    r, left, f = (
        float(found.inputs[name])
        for name in ("ram_pages", "ram_pages_with_flash", "flash_pages")
    )
    return (r, f, r + f, left, left + f)


def _scheme(
    name: str, life: SchemeLife, cost: WearCost | None, least: SchemeLife | None
) -> SchemeWear:
    other = life if least is None else least
    return SchemeWear(
        scheme=name,
        title=scheme_titles()[name],
        flash_writes_per_access=life.pages_per_access,
        flash_writes_per_access_range=(
            min(life.least_pages_per_access, other.least_pages_per_access),
            max(life.most_pages_per_access, other.most_pages_per_access),
        ),
        tb_per_day=life.tb_per_day,
        drive_writes_per_day=life.drive_writes_per_day,
        years=_finite(life.years),
        years_from=_finite(life.years_from),
        years_to=_finite(other.years_to),
        never_worn_out=life.years == math.inf,
        money=cost,
        least=None
        if least is None
        else LeastWear(
            flash_writes_per_access=least.pages_per_access,
            tb_per_day=least.tb_per_day,
            drive_writes_per_day=least.drive_writes_per_day,
            years=_finite(least.years),
            never_worn_out=least.years == math.inf,
        ),
        life=life,
        least_life=least,
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _drives(
    flash: Device, count: int, usd: Decimal | None, months: int, held_bytes: int
) -> Drives | None:
    capacity = flash.capacity_bytes
    if usd is None or not capacity:
        return None
    cost = whole_drives(
        usd, months=months, held_bytes=held_bytes, capacity_bytes=capacity * count
    )
    return Drives(
        count=count,
        purchase_usd=cost.purchase_usd,
        usd_per_month=cost.usd_per_month,
        held_share=cost.held_share,
        held_usd_per_month=cost.held_usd_per_month,
        sentence=drives_sentence(cost, count, flash.name, months, held_bytes),
    )


def drives_sentence(
    cost: WholeDrives, count: int, name: str, months: int, held_bytes: int
) -> str:
    """Say what whole drives cost, and which share of it a comparison counts."""
    drives = f"One {name}" if count == 1 else f"{count:,} x {name}"
    costs = "costs" if count == 1 else "cost"
    whole = (
        f"{drives} {costs} {money(cost.purchase_usd)}, {money(cost.usd_per_month)} a month "
        f"over {counted(months, 'month')}."
    )
    if cost.held_share >= 1:
        return f"{whole} The flash pages take all of it."
    return (
        f"{whole} Compare counts {money(cost.held_usd_per_month)} of it: the "
        f"{percent(cost.held_share)} that {format_bytes(held_bytes)} of flash pages take."
    )


def _finding(outlook: WearOutlook) -> str:
    titles = scheme_titles()
    lives = {n: s.years for n, s in outlook.schemes.items() if s.years is not None}
    if not lives:
        per_day = {name: life.tb_per_day for name, life in outlook.schemes.items()}
        most = max(per_day, key=lambda name: per_day[name])
        return (
            f"{titles[most]} writes most, {three_digits(per_day[most])} TB a day; the "
            "device states no endurance."
        )
    longest = max(lives, key=lambda name: lives[name])
    shortest = min(lives, key=lambda name: lives[name])
    if math.isinf(lives[shortest]):
        return "Under this load the flash never wears out."
    if math.isinf(lives[longest]):
        return (
            f"The flash never wears out under {titles[longest]}, and lasts "
            f"{_years(lives[shortest])} under {titles[shortest]}."
        )
    if lives[longest] <= lives[shortest] * (1 + 1e-9):
        return f"The flash lasts {_years(lives[longest])} under every scheme."
    return (
        f"The flash lasts {_years(lives[longest])} under {titles[longest]} and "
        f"{_years(lives[shortest])} under {titles[shortest]}, writing in place."
    )


def _range_finding(both: WearRange) -> str:
    titles = scheme_titles()

    def ends(name: str) -> str:
        low, high = both.most.schemes[name], both.least.schemes[name]
        if low.years is None or high.years is None:
            most, least = three_digits(low.tb_per_day), three_digits(high.tb_per_day)
            return f"{least} to {most} TB a day"
        if math.isinf(low.years):
            return "never worn out"
        top = "no end" if math.isinf(high.years) else _years(high.years)
        return f"{_years(low.years)} to {top}"

    if both.gentlest is not None:
        return (
            "The share of evicted pages that are dirty is unknown: "
            f"{titles[both.gentlest]} wears the flash least whether none is dirty or as "
            f"many as possible are ({ends(both.gentlest)})."
        )
    few, many = both.gentlest_at_least, both.gentlest_at_most
    return (
        f"Which scheme wears the flash least depends on the share of evicted pages that are "
        f"dirty, which is unknown: {titles[few]} if none is ({ends(few)}), {titles[many]} "
        f"if as many as possible are ({ends(many)})."
    )


def _years(years: float) -> str:
    if years >= MANY_YEARS:
        return "over a thousand years"
    return f"{three_digits(years)} years"


def _about_capacity(flash: Device, devices: int, held_bytes: int) -> Iterator[Caution]:
    capacity = flash.capacity_bytes
    if capacity is not None and held_bytes > capacity * devices:
        yield Caution(
            "beyond_capacity",
            f"the flash of {format_bytes(held_bytes)} does not fit on {devices} x "
            f"`{flash.id}`",
            "raise the number of devices",
            about=(flash.id,),
        )
