"""DRAM or flash: finds what is asked for, lets the models answer, puts it into words."""

import asyncio
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any, Literal

import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import dram_or_flash
from tierwright.advise.dram_or_flash import BreakEven, TierPrices
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.currency import money as money_of
from tierwright.common.derivation import Derivation, shown
from tierwright.common.ties import at_both_ends
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.break_even import interval as break_even_interval
from tierwright.evaluate.break_even import next_money
from tierwright.evaluate.break_even.gains import PageCosts, PlainGains
from tierwright.evaluate.break_even.next_money import FlipCurve, NextMoney
from tierwright.evaluate.break_even.schemes import BestGains, SchemeThetas
from tierwright.evaluate.metadata import MetadataPreset, ram_pages_left
from tierwright.evaluate.page_flow.decision import EQUAL_SHARE
from tierwright.hardware.catalog import where_priced
from tierwright.hardware.prices import Price, dates_apart, why_no_price
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import DerivationStep, row
from tierwright_server.questions.dram_or_flash.schemas import (
    AccessTimes,
    BreakEvenIn,
    BreakEvenLeast,
    BreakEvenOut,
    CrossingOut,
    EqualMoney,
    FlipsOut,
    Form,
    IntervalOut,
    NextMoneyOut,
    PlanOut,
    PricesUsed,
    SchemeGain,
    SchemeStep,
    StepOut,
)
from tierwright_server.questions.point import (
    Point,
    dirty_ends,
    find_point,
    known_dirty_share,
    unknown_dirty_share,
)
from tierwright_server.questions.point_schemas import DevicesUsed, PriceBookRef

GIB = 2**30
FLIP_DELTAS = np.geomspace(0.05, 50, 61)
"""DRAM steps of the flip curve, in multiples of the DRAM there is."""
PLAN_STEPS = 12
LEAST_USUAL_PAGES = 10
TIME_BASIS = (
    "Times are busy times of the devices, 1/IOPS: throughput costs, neither latencies nor "
    "service times of one request. A RAM hit costs nothing; queueing is not included."
)


@dataclass(frozen=True)
class _Answers:
    """What the models say."""

    curve: Curve
    ram_pages: int
    found: BreakEven
    prices: TierPrices
    stated: TierPrices
    costs: PageCosts
    flips: FlipCurve
    money: dict[Form, NextMoney]
    plan: next_money.SpendingPlan | None
    usual_usd: Decimal | None
    form: Form
    beside_flash: int


async def evaluate(
    session: AsyncSession, context: Context, body: BreakEvenIn, *, derived: bool = False
) -> BreakEvenOut:
    """Answer the question at one point."""
    preset = metadata_preset(body.flash_metadata)
    point = await find_point(session, context, body.point())
    known = point.curve.write_backs_at is not None
    # Hits alone can be told without the dirty share; the ends are told where they are asked for.
    ends = None if known or not body.dirty_share_range else dirty_ends(body, point)
    if ends is None:
        answers = await asyncio.to_thread(_compute, body, point, preset)
        return _answer(body, point, answers, derived=derived)
    few, many = ends
    least = await asyncio.to_thread(_compute, body, few, preset)
    most = await asyncio.to_thread(_compute, body, many, preset)
    return _range_answer(body, point, many, least, most, derived=derived)


def _compute(
    body: BreakEvenIn, point: Point, preset: MetadataPreset | None
) -> _Answers:
    curve = point.curve
    flash, disk = point.flash[0], point.disk[0]
    ram = point.ram[0] if point.ram else None
    book = point.prices[0] if point.prices else None
    months = body.amortisation_months
    ratio = None if body.price_ratio is None else Decimal(repr(body.price_ratio))
    found = dram_or_flash.analyse(
        flash,
        disk,
        deltas=body.deltas,
        read_share=body.read_share,
        disks=body.disks,
        curve=curve,
        ram_pages=body.ram_pages,
        prices=book,
        ram=ram,
        old_share=body.old_share,
        sequential_writes=body.sequential_writes,
        host_usd=body.host_usd,
        amortisation_months=months,
        flash_metadata=preset,
        price_ratio=ratio,
    )
    costs = dram_or_flash.page_costs(
        flash, disk, body.disks, curve.page_bytes, sequential=body.sequential_writes
    )
    disk_us, flash_us = found.inputs["disk_cost_us"], found.inputs["flash_cost_us"]
    plain = PlainGains(curve, body.ram_pages, disk_us, flash_us, preset)
    forms: dict[Form, PlainGains | BestGains] = {"plain": plain}
    if curve.write_backs_at is not None:
        forms["full"] = BestGains(curve, body.ram_pages, costs, body.old_share, preset)
    form: Form = body.form if body.form in forms else "plain"
    prices = dram_or_flash.tier_prices(ram, flash, disk, book, months, ratio)
    per_byte = (prices.per_byte(prices.ram), prices.per_byte(prices.flash))
    money: dict[Form, NextMoney] = {}
    plan, usual = None, None
    dram_byte, flash_byte = per_byte
    if dram_byte is not None and flash_byte is not None:
        pages = max(body.ram_pages, LEAST_USUAL_PAGES)
        usual = _nice(max(dram_byte, flash_byte) * curve.page_bytes * pages)
        usd = usual if body.usd is None else body.usd
        money = {
            name: next_money.next_money(
                forms[name],
                usd=usd,
                dram_usd_per_byte=dram_byte,
                flash_usd_per_byte=flash_byte,
                points=body.points,
            )
            for name in sorted(forms, key=lambda name: name != form)
        }
        plan = next_money.spending_plan(
            forms[form],
            usd_step=usd,
            steps=PLAN_STEPS,
            dram_usd_per_byte=dram_byte,
            flash_usd_per_byte=flash_byte,
        )
    elif body.usd is not None:
        device = ram if dram_byte is None else flash
        what = "DRAM" if device is None else f"`{device.id}`"
        hint = where_priced(device)
        raise BadInput.at(
            "body.usd",
            str(body.usd),
            f"needs a price of {'DRAM' if dram_byte is None else 'flash'}, and there is none: "
            f"{why_no_price(what, device, book)}",
            hint=f"{hint[:1].upper()}{hint[1:]}.",
        )
    return _Answers(
        curve=curve,
        ram_pages=body.ram_pages,
        found=found,
        prices=prices,
        stated=dram_or_flash.tier_prices(ram, flash, disk, book, months),
        costs=costs,
        flips=next_money.flip_curve(
            curve,
            body.ram_pages,
            FLIP_DELTAS.tolist(),
            disk_cost=disk_us,
            flash_cost=flash_us,
            costs=costs,
            old_share=body.old_share,
            flash_metadata=preset,
        ),
        money=money,
        plan=plan,
        usual_usd=usual,
        form=form,
        beside_flash=_beside(body, point, preset, money),
    )


def _range_answer(
    body: BreakEvenIn,
    point: Point,
    many: Point,
    least: _Answers,
    most: _Answers,
    *,
    derived: bool,
) -> BreakEvenOut:
    """Answer with both ends, where nobody knows how many evicted pages are dirty."""
    few_money, many_money = least.money.get(least.form), most.money.get(most.form)
    winners = _ends_of_money(few_money, many_money)
    answer = _answer(body, many, most, derived=derived)
    return answer.model_copy(
        update={
            "write_accesses": None,
            "dirty_share": unknown_dirty_share(point.curve, *winners),
            "least": BreakEvenLeast(
                steps=list(step_rows(least.curve, body.ram_pages, least.found)),
                next_money=_next_money(least),
                flips=_flips(least),
                finding=_finding(few_money, least),
                sentence=_sentence(few_money),
                flip_finding=_flip_finding(few_money, least),
            ),
            "finding": _range_finding(few_money, many_money, most),
            "sentence": f"If {_NONE_DIRTY}: {_sentence(few_money)} If {_ALL_DIRTY}: "
            f"{_sentence(many_money)}",
            "warnings": [
                WarningOut.model_validate(DIRTY_SHARE_UNKNOWN),
                *answer.warnings,
            ],
            "derivation": None
            if answer.derivation is None
            else [row(ONE_END), *answer.derivation],
        }
    )


def _range_finding(
    few: NextMoney | None, many: NextMoney | None, most: _Answers
) -> str:
    if few is None or many is None:
        return _finding(many, most)
    what = f"The next {money_of(many.usd)}"
    if few.winner == many.winner:
        if _too_much_flash(many, most):
            return _finding(many, most)
        return f"{what} {_BUYS[many.winner]}, whether {_NONE_DIRTY} or {_ALL_DIRTY}"
    if {few.winner, many.winner} == {"dram", "flash"}:
        return (
            f"Where the next {money_of(many.usd)} belongs depends on how many evicted pages are "
            f"dirty, which the curve does not say: in {_TIER[few.winner]} if {_NONE_DIRTY}, in "
            f"{_TIER[many.winner]} if {_ALL_DIRTY}"
        )
    if few.winner == "tie" and many.winner in _TIER:
        return _tie_at_one_end(what, _TIER[many.winner], _NONE_DIRTY, _ALL_DIRTY)
    if many.winner == "tie" and few.winner in _TIER:
        return _tie_at_one_end(what, _TIER[few.winner], _ALL_DIRTY, _NONE_DIRTY)
    # One end gains nothing.
    if few.winner == "neither":
        return f"{what} {_BUYS[many.winner]} if {_ALL_DIRTY}; if {_NONE_DIRTY}, it gains nothing"
    return f"{what} {_BUYS[few.winner]} if {_NONE_DIRTY}; if {_ALL_DIRTY}, it gains nothing"


_NONE_DIRTY = "no evicted page is dirty"
_ALL_DIRTY = "as many evicted pages as possible are dirty"
_BUYS = {
    "dram": "belongs in DRAM",
    "flash": "belongs in flash",
    "tie": "gains the same in DRAM and in flash",
    "neither": "gains nothing, in DRAM or in flash",
}


def _tie_at_one_end(what: str, tier: str, tied: str, ahead: str) -> str:
    """Say that one tier is never worse: it gains as much at one end and more at the other."""
    return (
        f"{what} belongs in {tier}: if {tied}, DRAM and flash gain the same; if {ahead}, "
        f"{tier} gains more"
    )


def _ends_of_money(
    few: NextMoney | None, many: NextMoney | None
) -> tuple[str | None, str | None]:
    """Return the better buy at either end: the same where one leads, or ties, at both."""
    if few is None or many is None:
        return few.winner if few else None, many.winner if many else None
    return at_both_ends(_BOUGHT[few.winner], _BOUGHT[many.winner])


def _beside(
    body: BreakEvenIn,
    point: Point,
    preset: MetadataPreset | None,
    money: dict[Form, NextMoney],
) -> int:
    """DRAM that the metadata of the flash bought leave; 0 where they leave none."""
    found = next(iter(money.values()), None)
    left = ram_pages_left(
        preset,
        ram_pages=body.ram_pages,
        flash_pages=0 if found is None else found.flash_pages,
        page_bytes=point.curve.page_bytes,
        source_bytes=point.curve.distinct_pages * point.curve.page_bytes,
    )
    return max(0, int(left))


def _nice(usd: Decimal) -> Decimal:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = Decimal(10) ** usd.adjusted()
    for step in (1, 2, 5, 10):
        if usd <= step * power:
            return (step * power).normalize()
    return usd.quantize(power, rounding=ROUND_CEILING)


def _answer(
    body: BreakEvenIn, point: Point, answers: _Answers, *, derived: bool
) -> BreakEvenOut:
    curve, found = point.curve, answers.found
    main = answers.money.get(answers.form)
    names = {
        device[0].id: device[1].name
        for device in (point.flash, point.disk, point.ram)
        if device is not None
    }
    if point.ram is None:
        names["dram"] = "DRAM"
    intervals = [_interval(each, names) for each in found.intervals]
    return BreakEvenOut(
        workload_id=point.workload.id,
        content_id=point.content.id,
        accesses=curve.accesses,
        write_accesses=curve.known_write_accesses,
        distinct_pages=curve.distinct_pages,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_pages=body.ram_pages,
        ram_bytes=body.ram_pages * curve.page_bytes,
        ram_hit_ratio=float(curve.hit_ratio(body.ram_pages)),
        amortisation_months=body.amortisation_months,
        devices=DevicesUsed(
            flash=point.flash[1],
            disk=point.disk[1],
            ram=point.ram[1] if point.ram else None,
        ),
        price_book=(
            PriceBookRef.model_validate(point.prices[1]) if point.prices else None
        ),
        form=answers.form,
        flash_metadata=body.flash_metadata,
        dirty_share=known_dirty_share(curve)
        if curve.write_backs_at is not None
        else unknown_dirty_share(curve, None, None),
        least=None,
        times=_times(body, answers),
        exponent=found.exponent,
        steps=list(step_rows(curve, body.ram_pages, found)),
        prices=_prices(answers),
        next_money=_next_money(answers),
        plan=_plan(answers),
        flips=_flips(answers),
        intervals=intervals,
        finding=_finding(main, answers),
        sentence=_sentence(main) + _surplus(main, answers.curve),
        flip_finding=_flip_finding(main, answers),
        interval_sentence=_interval_sentence(intervals),
        estimator=main.estimator if main else found.estimator,
        validity=main.validity if main else found.validity,
        warnings=list(_warnings(answers)),
        derivation=list(_derivation(found, main)) if derived else None,
        time_basis=TIME_BASIS,
        core_version=VERSION,
    )


def _flips(answers: _Answers) -> FlipsOut:
    found = answers.flips
    return FlipsOut(
        delta=found.delta.tolist(),
        log=_nullable(found.log),
        curve=_nullable(found.curve),
        full=None if found.full is None else _nullable(found.full),
    )


def _times(body: BreakEvenIn, answers: _Answers) -> AccessTimes:
    inputs, costs = answers.found.inputs, answers.costs
    return AccessTimes(
        disk_read_us=costs.disk_read,
        disk_write_us=costs.disk_write,
        flash_read_us=costs.flash_read,
        flash_write_us=costs.flash_write,
        disk_us=inputs["disk_cost_us"],
        flash_us=inputs["flash_cost_us"],
        read_share=inputs["read_share"],
        read_share_basis=inputs["read_share_basis"],
        disks=body.disks,
        flash_write_pattern=inputs["flash_write_pattern"],
        flash_basis=inputs["flash_service_basis"],
        disk_basis=inputs["disk_service_basis"],
    )


def step_rows(curve: Curve, ram_pages: int, found: BreakEven) -> Iterator[StepOut]:
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
                reasons[f"theta_{form}"] = _no_theta(form, computed=computed)
            if flips[form] is None:
                reasons[f"flip_{form}"] = reasons.get(f"theta_{form}", NOTHING_TO_MATCH)
        schemes = found.schemes
        best = None if schemes is None else schemes.best[at]
        if best is None:
            reasons["best_scheme"] = reasons.get("theta_full", NOTHING_TO_MATCH)
        flash = theta["curve"] if schemes is None else theta["full"]
        reach = ram_pages * (1 + max(delta, flash or 0.0))
        yield StepOut(
            delta=delta,
            dram_pages=delta * ram_pages,
            theta_log=theta["log"],
            theta_curve=theta["curve"],
            theta_full=theta["full"],
            best_scheme=best,
            schemes=[] if schemes is None else list(_scheme_steps(schemes, at)),
            is_trend=bool(curve.uncertain(reach)),
            flip_log=flips["log"],
            flip_curve=flips["curve"],
            flip_full=flips["full"],
            reasons=reasons,
        )


def _scheme_steps(found: SchemeThetas, at: int) -> Iterator[SchemeStep]:
    for scheme, each in found.schemes.items():
        theta, least, most = _nullable(
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


NOT_COMPUTED = "not computed: the curve of this workload has no write-backs"
UNREACHABLE = "unreachable: no amount of flash gains as much"
NOTHING_TO_MATCH = "the DRAM gains nothing, so there is nothing to match"
TOO_LARGE = "more flash than a number can hold"


def _no_theta(form: str, *, computed: bool) -> str:
    if form == "log":
        return TOO_LARGE
    return UNREACHABLE if computed else NOT_COMPUTED


def _prices(answers: _Answers) -> PricesUsed:
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
        ratio=_ratio(used),
        stated_ratio=_ratio(answers.stated),
        usd_basis=f"Purchase, or {used.months} months of rent.",
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


def _ratio(prices: TierPrices) -> float | None:
    dram, flash = prices.per_byte(prices.ram), prices.per_byte(prices.flash)
    return None if dram is None or flash is None else float(flash / dram)


def _next_money(answers: _Answers) -> NextMoneyOut | None:
    main = answers.money.get(answers.form)
    if main is None or answers.usual_usd is None:
        return None
    return NextMoneyOut(
        usd=main.usd,
        usual_usd=answers.usual_usd,
        dram_pages=main.dram_pages,
        flash_pages=main.flash_pages,
        flash_useful_pages=_useful_pages(answers.curve),
        ram_pages_beside_flash=answers.beside_flash,
        equal_money=[
            EqualMoney(
                form=name,
                dram_gain_us=each.dram_gain,
                flash_gain_us=each.flash_gain,
                flash_scheme=each.flash_scheme,
                flash_gain_least_us=each.flash_gain_least,
                flash_gain_most_us=each.flash_gain_most,
                flash_gains=[
                    SchemeGain(
                        scheme=scheme, title=scheme_titles()[scheme], gain_us=gain
                    )
                    for scheme, gain in each.flash_gains.items()
                ],
                flash_to_dram_gain_ratio=each.flash_to_dram_gain_ratio,
                winner=each.winner,
                within_error=each.within_error,
                matching_flash_pages=each.matching_flash_pages,
                matching_scheme=each.matching_scheme,
                flip_price_ratio=each.flip_price_ratio,
                flip_reason=_no_flip(each),
                estimator=each.estimator,
                validity=each.validity,
            )
            for name, each in answers.money.items()
        ],
        spent_usd=main.spent_usd,
        dram_gain_us=main.dram_at.tolist(),
        flash_gain_us=_nullable(main.flash_at),
        dram_next=main.dram_next.tolist(),
        flash_next=_nullable(main.flash_next),
        crossings=[CrossingOut.model_validate(each) for each in main.crossings],
        total_crossings=[
            CrossingOut.model_validate(each) for each in main.total_crossings
        ],
        dram_trend_from_usd=main.dram_trend_from_usd,
        flash_trend_from_usd=main.flash_trend_from_usd,
        entry_gain_us=main.entry_gain if math.isfinite(main.entry_gain) else None,
    )


def _no_flip(money: NextMoney) -> str:
    if money.flip_price_ratio is not None:
        return ""
    return NOTHING_TO_MATCH if money.dram_gain <= 0 else UNREACHABLE


def _plan(answers: _Answers) -> PlanOut | None:
    plan = answers.plan
    if plan is None:
        return None
    return PlanOut(
        spent_usd=plan.usd,
        ram_pages=plan.ram_pages,
        flash_pages=plan.flash_pages,
        dram_gain_us=plan.dram_gain,
        flash_gain_us=plan.flash_gain,
        choice=[_CHOICES[each] for each in plan.choice],
        is_trend=_plan_trend(answers, plan),
    )


def _plan_trend(answers: _Answers, plan: next_money.SpendingPlan) -> list[bool]:
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


def _interval(
    found: break_even_interval.TierInterval, names: dict[str, str]
) -> IntervalOut:
    return IntervalOut(
        upper=found.upper,
        lower=found.lower,
        upper_name=names.get(found.upper, found.upper),
        lower_name=names.get(found.lower, found.lower),
        interval_s=found.interval_s,
        missing=list(found.missing),
        validity=found.validity,
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
    )


# --- words ---------------------------------------------------------------------------------


_TIER = {"dram": "DRAM", "flash": "flash"}
_BOUGHT = {
    "dram": ("dram",),
    "flash": ("flash",),
    "tie": ("tie", "dram", "flash"),
    "neither": ("neither",),
}
"""What leads at an end: of a tie both, and by its name where both ends tie."""
_CHOICES: dict[str, Literal["dram", "flash", "neither"]] = {
    "dram": "dram",
    "flash": "flash",
    "neither": "neither",
}


def _finding(money: NextMoney | None, answers: _Answers) -> str:
    if money is None:
        return f"No decision without prices: {_prices(answers).reason}"
    what = f"The next {money_of(money.usd)}"
    if money.winner in ("neither", "tie"):
        return f"{what} {_BUYS[money.winner]}"
    if (enough := _enough_flash(money, answers.curve)) is not None:
        return (
            f"{what} saves as much in flash as in DRAM, to {_ALIKE}, and {money_of(enough)} "
            "of flash is enough for that"
        )
    tier = _TIER[money.winner]
    if _too_much_flash(money, answers):
        return (
            f"{what} buys more flash than its metadata leave DRAM for: buy less flash"
        )
    if money.entry_decides:
        larger = next(
            (
                each
                for each in money.total_crossings
                if each.better_beyond == "flash" and each.usd > money.usd
            ),
            None,
        )
        first = f"The first {money_of(money.usd)} belongs in {tier}"
        if larger is None:
            return f"{first}: at this price flash does not earn back its writes"
        return f"{first}; from {money_of(larger.usd)} at once flash is the better buy"
    away = next(
        (each for each in money.crossings if each.better_beyond != money.winner), None
    )
    if away is None:
        return f"{what} belongs in {tier}, however much is spent on it"
    if away.usd > money.usd:
        return f"{what} belongs in {tier}, until {money_of(away.usd)} is spent"
    # The two lines compare sums that follow money already spent, the headline one spent at once.
    return (
        f"{what} belongs in {tier} if it is spent at once; after {money_of(away.usd)}, "
        f"another {money_of(money.usd)} gains more in {_TIER[away.better_beyond]}"
    )


_ALIKE = f"{100 * EQUAL_SHARE:g} %"


def _enough_flash(money: NextMoney, curve: Curve) -> Decimal | None:
    """Part of the sum that flash needs to hold all pages, where that gains what DRAM gains."""
    useful = _useful_pages(curve)
    if useful is None or money.flash_pages <= useful or money.flash_gain is None:
        return None
    most = max(money.flash_gain, money.dram_gain)
    if most <= 0 or abs(money.flash_gain - money.dram_gain) > EQUAL_SHARE * most:
        return None
    return money.usd * useful / money.flash_pages


def _too_much_flash(money: NextMoney, answers: _Answers) -> bool:
    """Whether less flash than the sum buys would gain more than its DRAM does."""
    if money.winner != "dram":
        return False
    used, flip = _ratio(answers.prices), money.flip_price_ratio
    return used is not None and flip is not None and used < flip


def _sentence(money: NextMoney | None) -> str:
    if money is None:
        return (
            "Choose a price book above: without prices of DRAM and flash only the sizes "
            "that break even can be computed."
        )
    if money.flash_gain is None:
        enough = money.matching_flash_pages
        return (
            f"The metadata of {money.flash_pages:,} pages of flash, {money_of(money.usd)}, "
            "need more memory than the DRAM there is; "
            + (
                "DRAM is the only choice."
                if enough is None
                else f"{math.ceil(enough):,} pages of flash gain what "
                f"{money.dram_pages:,} pages of DRAM do."
            )
        )
    bought = (
        f"{money_of(money.usd)} buys {money.dram_pages:,} pages of DRAM, which "
        f"{_saves(money.dram_gain)}, or {money.flash_pages:,} pages of flash, which "
        f"{_saves(money.flash_gain)}{_under(money.flash_scheme)}"
    )
    ratio = money.flash_to_dram_gain_ratio
    if ratio is None:
        return f"{bought}: more DRAM gains nothing for this workload."
    if ratio <= 0:
        return f"{bought}: that much flash costs more time than its hits save."
    entry = (
        f" Before its first hit flash costs {_micros(-money.entry_gain)} an access: every "
        "page that leaves DRAM is written to it."
        if money.entry_decides
        else ""
    )
    return f"{bought}: {three_digits(ratio)} times what DRAM saves.{entry}"


def _useful_pages(curve: Curve) -> int | None:
    """Flash beyond which no scheme hits more: RAM is at least a page of it. [pages]"""
    return None if curve.ends_early else curve.last_listed


def _surplus(money: NextMoney | None, curve: Curve) -> str:
    """Say what flash beyond all pages of the workload is worth; nothing where the sum buys less."""
    useful = _useful_pages(curve)
    if money is None or useful is None or money.flash_pages <= useful:
        return ""
    enough = money.usd * useful / money.flash_pages
    return (
        f" Flash of more than {useful:,} pages, which cost {money_of(enough)}, gains nothing "
        "here."
    )


def _under(scheme: str | None) -> str:
    return "" if scheme is None else f" under {scheme_titles()[scheme]}"


def _saves(gain: float) -> str:
    if gain == 0:
        return "save no time"
    if gain < 0:
        return f"cost {_micros(-gain)} more an access"
    return f"save {_micros(gain)} an access"


def _micros(value: float) -> str:
    return f"{'-' if value < 0 else ''}{three_digits(abs(value))} µs"


def _flip_finding(money: NextMoney | None, answers: _Answers) -> str:
    if money is None:
        return "Flash is the better buy below these price ratios"
    used = _ratio(answers.prices)
    flip = money.flip_price_ratio
    what = f"For {money_of(money.usd)}"
    if money.dram_gain <= 0:
        return f"{what} DRAM gains nothing, so no price ratio flips the decision"
    if flip is None and _enough_flash(money, answers.curve) is not None:
        return f"{what} flash gains what DRAM gains to {_ALIKE}, but never all of it"
    if flip is None:
        return f"{what} no amount of flash gains what DRAM gains: DRAM at any price of flash"
    now = "" if used is None else f"; it costs {percent(used)} now"
    if _too_much_flash(money, answers):
        now += (
            ", but the sum buys so much of it that its metadata cost more than it gains"
        )
    below = percent(flip)
    return f"{what} flash is the better buy below {below} of the price of DRAM{now}"


def _interval_sentence(intervals: list[IntervalOut]) -> str:
    known = [each for each in intervals if each.interval_s is not None]
    if not known:
        return (
            "No interval is known: each needs the prices of both tiers, and capacity and "
            "read IOPS of the lower one."
        )
    first = known[0]
    return (
        f"A page that is accessed at least once in {_duration(first.interval_s or 0.0)} "
        f"belongs in {first.upper_name} rather than on {first.lower_name}."
    )


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{three_digits(seconds / size)} {unit}"
    return f"{three_digits(seconds)} seconds"


def _warnings(answers: _Answers) -> Iterator[WarningOut]:
    seen = set()
    for warning in answers.found.warnings:
        if warning.name not in seen:
            seen.add(warning.name)
            yield WarningOut.model_validate(warning)
    if answers.flips.full is None:
        yield WarningOut(
            name="no_write_backs",
            message="the curve of this workload has no writes: only hits are "
            "counted, flash writes and dirty pages cost nothing here",
            hint="Set the share of reads by hand, state the dirty share, or set "
            "`dirty_share_range` for both ends of what it can be.",
        )
    main = answers.money.get(answers.form)
    for caution in dram_or_flash.about_bought(answers.curve, answers.ram_pages, main):
        if caution.name not in seen:
            yield WarningOut.model_validate(caution)
    if main and main.within_error:
        yield _within_error(main)
    other = next((m for name, m in answers.money.items() if name != answers.form), None)
    first, second = _ends_of_money(main, other)
    if main and other and first != second:
        yield WarningOut(
            name="forms_differ",
            message="with and without flash writes and dirty pages the better buy differs: "
            f"{_TIER.get(main.winner, main.winner)} here, "
            f"{_TIER.get(other.winner, other.winner)} in the other form",
            hint="Check both by simulation before you buy.",
        )
    if main and len(main.crossings) > 1:
        yield WarningOut(
            name="many_crossings",
            message=f"the two lines cross {_times_in_words(len(main.crossings))}: the curve of "
            "this workload has steps",
            hint="Look at the plan of spending, and at larger sums.",
        )
    asked = {"DRAM": answers.prices.ram, "flash": answers.prices.flash}
    apart = dates_apart(
        {what: price for what, price in asked.items() if price is not None}
    )
    if apart is not None:
        yield WarningOut(
            name="prices_of_different_dates",
            message=apart,
            hint="Such prices do not compare: add both to a book of your own.",
        )


_TIMES = {1: "once", 2: "twice"}


def _times_in_words(count: int) -> str:
    return _TIMES.get(count, f"{count} times")


def _within_error(money: NextMoney) -> WarningOut:
    least, most = money.flash_gain_least or 0.0, money.flash_gain_most or 0.0
    return WarningOut(
        name="within_known_error",
        message="the stated error of the schemes' costs leaves the better buy open: "
        f"the flash saves {_micros(least)} to {_micros(most)} an access, the DRAM "
        f"{_micros(money.dram_gain)}",
        hint="Check this decision by simulation.",
    )


def _derivation(found: BreakEven, money: NextMoney | None) -> Iterator[DerivationStep]:
    for part in money.derivation if money else ():
        yield from derivation_steps(part, f"{part.result}, next money")
    for part in found.derivation:
        yield from derivation_steps(part)
    for interval in found.intervals:
        for part in interval.derivation:
            name = f"interval {interval.upper} / {interval.lower}"
            if part.result != "interval_s":
                name += f", {part.result}"
            yield from derivation_steps(part, name)


def derivation_steps(
    part: Derivation, name: str | None = None
) -> Iterator[DerivationStep]:
    """One row for each value of a derivation, with the numbers put in."""
    values = np.atleast_1d(np.asarray(_numbers(part.value), dtype=np.float64))
    for at, value in enumerate(values.tolist()):
        given = ", ".join(
            f"{number.symbol} = {shown(_at(number.value, at, len(values)))}"
            + ("" if number.unit in ("1", "") else f" {number.unit}")
            for number in part.numbers
        )
        suffix = f" ({at + 1} of {len(values)})" if len(values) > 1 else ""
        yield DerivationStep(
            scheme=None,
            name=f"{name or part.result}{suffix}",
            formula=f"{part.formula}; {given}" if given else part.formula,
            value=value if math.isfinite(value) else None,
            unit=part.unit,
            source=part.source,
        )


def _numbers(value: Any) -> Any:
    return math.nan if value is None else value


def _at(value: Any, index: int, count: int) -> Any:
    array = np.asarray(value)
    return array[index].item() if array.shape == (count,) else value


def _nullable(values: Iterable[float]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
