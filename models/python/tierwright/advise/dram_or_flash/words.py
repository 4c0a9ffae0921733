"""The answer "DRAM or flash?" in words: findings, warnings and steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.dram_or_flash.break_even import BreakEven, about_bought
from tierwright.advise.dram_or_flash.end import OneEnd
from tierwright.advise.dram_or_flash.rows import price_ratio, prices_used, useful_pages
from tierwright.advise.point import scheme_titles
from tierwright.common.answer import Step
from tierwright.common.cautions import Caution
from tierwright.common.currency import money as money_of
from tierwright.common.derivation import Derivation, shown
from tierwright.common.ties import at_both_ends
from tierwright.common.wording import counted, duration, percent, three_digits
from tierwright.evaluate.break_even.interval import TierInterval
from tierwright.evaluate.break_even.next_money import NextMoney
from tierwright.evaluate.page_flow.decision import EQUAL_SHARE
from tierwright.hardware.prices import dates_apart
from tierwright.profile.curve import Curve

NONE_DIRTY = "no evicted page is dirty"
ALL_DIRTY = "as many evicted pages as possible are dirty"
_BUYS = {
    "dram": "belongs in DRAM",
    "flash": "belongs in flash",
    "tie": "gains the same in DRAM and in flash",
    "neither": "gains nothing, in DRAM or in flash",
}
_TIER = {"dram": "DRAM", "flash": "flash"}
_BOUGHT = {
    "dram": ("dram",),
    "flash": ("flash",),
    "tie": ("tie", "dram", "flash"),
    "neither": ("neither",),
}
"""What leads at an end: of a tie both, and by its name where both ends tie."""
_AS_FAR = "as far as the counters speak of sizes"
_ALIKE = f"{100 * EQUAL_SHARE:g} %"


def range_finding(few: NextMoney | None, many: NextMoney | None, most: OneEnd) -> str:
    """Say where the next sum belongs at both ends of an unknown dirty share."""
    if few is None or many is None:
        return finding(many, most)
    what = f"The next {money_of(many.usd)}"
    if few.winner == many.winner:
        if _too_much_flash(many, most):
            return finding(many, most)
        return f"{what} {_BUYS[many.winner]}, whether {NONE_DIRTY} or {ALL_DIRTY}"
    if {few.winner, many.winner} == {"dram", "flash"}:
        return (
            f"Where the next {money_of(many.usd)} belongs depends on how many evicted pages are "
            f"dirty, which the curve does not say: in {_TIER[few.winner]} if {NONE_DIRTY}, in "
            f"{_TIER[many.winner]} if {ALL_DIRTY}"
        )
    if few.winner == "tie" and many.winner in _TIER:
        return _tie_at_one_end(what, _TIER[many.winner], NONE_DIRTY, ALL_DIRTY)
    if many.winner == "tie" and few.winner in _TIER:
        return _tie_at_one_end(what, _TIER[few.winner], ALL_DIRTY, NONE_DIRTY)
    # One end gains nothing.
    if few.winner == "neither":
        return f"{what} {_BUYS[many.winner]} if {ALL_DIRTY}; if {NONE_DIRTY}, it gains nothing"
    return (
        f"{what} {_BUYS[few.winner]} if {NONE_DIRTY}; if {ALL_DIRTY}, it gains nothing"
    )


def _tie_at_one_end(what: str, tier: str, tied: str, ahead: str) -> str:
    """Say that one tier is never worse: it gains as much at one end and more at the other."""
    return (
        f"{what} belongs in {tier}: if {tied}, DRAM and flash gain the same; if {ahead}, "
        f"{tier} gains more"
    )


def ends_of_money(
    few: NextMoney | None, many: NextMoney | None
) -> tuple[str | None, str | None]:
    """Return the better buy at either end: the same where one leads, or ties, at both."""
    if few is None or many is None:
        return few.winner if few else None, many.winner if many else None
    return at_both_ends(_BOUGHT[few.winner], _BOUGHT[many.winner])


def finding(money: NextMoney | None, answers: OneEnd) -> str:
    """Say where the next sum belongs."""
    if money is None:
        return _without_sum(answers)
    what = f"The next {money_of(money.usd)}"
    of_counters = answers.curve.evidence is not None
    if money.winner in ("neither", "tie"):
        return f"{what} {_BUYS[money.winner]}"
    if (enough := _enough_flash(money, answers.curve)) is not None:
        return (
            f"{what} saves as much in flash as in DRAM, to within {_ALIKE}, and "
            f"{money_of(enough)} of flash is enough for this"
        )
    tier = _TIER[money.winner]
    if _too_much_flash(money, answers):
        return (
            f"{what} buys so much flash that its metadata take too much of the DRAM: "
            "buy less flash"
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
            far = f", {_AS_FAR}" if of_counters else ""
            return f"{first}: at this price, flash does not recover the cost of its writes{far}"
        return f"{first}; flash is the better buy from {money_of(larger.usd)} on, spent at once"
    away = next(
        (each for each in money.crossings if each.better_beyond != money.winner), None
    )
    if away is None:
        far = _AS_FAR if of_counters else "however much is spent on it"
        return f"{what} belongs in {tier}, {far}"
    if away.usd > money.usd:
        return f"{what} belongs in {tier}, until {money_of(away.usd)} is spent"
    # The two lines compare sums that follow money already spent, the headline one spent at once.
    return (
        f"{what} belongs in {tier} if it is spent at once; after {money_of(away.usd)}, "
        f"another {money_of(money.usd)} gains more in {_TIER[away.better_beyond]}"
    )


def _without_sum(answers: OneEnd) -> str:
    """Say why no sum is judged."""
    if answers.beyond:
        return f"Where the next sum belongs is unknown: {answers.beyond}"
    return f"No decision without prices: {prices_used(answers).reason}"


def _enough_flash(money: NextMoney, curve: Curve) -> Decimal | None:
    """Part of the sum that flash needs to hold all pages, where that gains what DRAM gains."""
    useful = useful_pages(curve)
    if useful is None or money.flash_pages <= useful or money.flash_gain is None:
        return None
    most = max(money.flash_gain, money.dram_gain)
    if most <= 0 or abs(money.flash_gain - money.dram_gain) > EQUAL_SHARE * most:
        return None
    return money.usd * useful / money.flash_pages


def _too_much_flash(money: NextMoney, answers: OneEnd) -> bool:
    """Whether less flash than the sum buys would gain more than its DRAM does."""
    if money.winner != "dram":
        return False
    used, flip = price_ratio(answers.prices), money.flip_price_ratio
    return used is not None and flip is not None and used < flip


def sentence(money: NextMoney | None, answers: OneEnd) -> str:
    """Say what the sum buys and what that saves."""
    if money is None and answers.beyond:
        return "Measure further sizes: what more DRAM or flash would save there is unknown, not nothing."
    if money is None:
        return (
            "Choose a price book above: without prices of DRAM and flash only the sizes "
            "that break even can be computed."
        )
    if money.flash_gain is None:
        enough = money.matching_flash_pages
        return (
            f"The metadata of {counted(money.flash_pages, 'page')} of flash, "
            f"{money_of(money.usd)}, do not fit into the existing DRAM; "
            + (
                "DRAM is the only choice."
                if enough is None
                else f"{counted(math.ceil(enough), 'page of flash gains', 'pages of flash gain')} "
                f"what {counted(money.dram_pages, 'page of DRAM does', 'pages of DRAM do')}."
            )
        )
    bought = (
        f"{money_of(money.usd)} buys {counted(money.dram_pages, 'page')} of DRAM, which "
        f"{_saves(money.dram_gain, money.dram_pages)}, or {counted(money.flash_pages, 'page')} of flash, which "
        f"{_saves(money.flash_gain, money.flash_pages)}{_under(money.flash_scheme)}"
    )
    ratio = money.flash_to_dram_gain_ratio
    if ratio is None:
        return f"{bought}: more DRAM gains nothing for this workload."
    if ratio <= 0:
        return f"{bought}: that much flash costs more time than its hits save."
    entry = (
        f" Before its first hit flash costs {_micros(-money.entry_gain)} per access: every "
        "page that leaves DRAM is written to it."
        if money.entry_decides
        else ""
    )
    return f"{bought}: {three_digits(ratio)} times what DRAM saves.{entry}"


def surplus(money: NextMoney | None, curve: Curve) -> str:
    """Say what flash beyond all pages of the workload is worth; nothing where the sum buys less."""
    useful = useful_pages(curve)
    if money is None or useful is None or money.flash_pages <= useful:
        return ""
    enough = money.usd * useful / money.flash_pages
    most = counted(
        useful,
        f"page, which costs {money_of(enough)},",
        f"pages, which cost {money_of(enough)},",
    )
    return f" Flash of more than {most} gains nothing here."


def _under(scheme: str | None) -> str:
    return "" if scheme is None else f" under {scheme_titles()[scheme]}"


def _saves(gain: float, pages: int) -> str:
    """Say what one page saves, or what several save."""
    one = pages == 1
    if gain == 0:
        return "saves no time" if one else "save no time"
    if gain < 0:
        more = f"{_micros(-gain)} more per access"
        return f"costs {more}" if one else f"cost {more}"
    time = f"{_micros(gain)} per access"
    return f"saves {time}" if one else f"save {time}"


def _micros(value: float) -> str:
    return f"{'-' if value < 0 else ''}{three_digits(abs(value))} µs"


def flip_finding(money: NextMoney | None, answers: OneEnd) -> str:
    """Say at which price ratio the decision flips."""
    if money is None:
        return "Flash is the better buy below these price ratios"
    used = price_ratio(answers.prices)
    flip = money.flip_price_ratio
    what = f"For {money_of(money.usd)},"
    if money.dram_gain <= 0:
        return f"{what} DRAM gains nothing, so no price ratio flips the decision"
    if flip is None and _enough_flash(money, answers.curve) is not None:
        return (
            f"{what} flash gains what DRAM gains to within {_ALIKE}, but never all "
            "of it"
        )
    if flip is None and answers.curve.evidence is not None:
        return (
            f"{what} the price ratio that flips the decision is unknown: no flash within what the counters speak of "
            "gains as much as DRAM"
        )
    if flip is None:
        return f"{what} no amount of flash gains as much as DRAM: buy DRAM at any price of flash"
    now = "" if used is None else f"; it costs {percent(used)} now"
    if _too_much_flash(money, answers):
        now += (
            ", but the sum buys so much of it that its metadata cost more than it gains"
        )
    below = percent(flip)
    return f"{what} flash is the better buy below {below} of the price of DRAM{now}"


def interval_sentence(intervals: Sequence[TierInterval], names: dict[str, str]) -> str:
    """Say how often a page is accessed that belongs in the upper tier of the first known pair."""
    known = [each for each in intervals if each.interval_s is not None]
    if not known:
        return (
            "No interval is known: each needs the prices of both tiers, and capacity and "
            "read IOPS of the lower one."
        )
    first = known[0]
    return (
        f"A page that is accessed at least once in {duration(first.interval_s or 0.0, second='seconds')} "
        f"belongs in {names.get(first.upper, first.upper)} rather than on "
        f"{names.get(first.lower, first.lower)}."
    )


def cautions(answers: OneEnd) -> Iterator[Caution]:
    """Warn of what the answer rests on, each once."""
    seen = set()
    for warning in answers.found.warnings:
        if warning.name not in seen:
            seen.add(warning.name)
            yield warning
    if answers.flips.full is None:
        yield Caution(
            name="no_write_backs",
            message="the curve of this workload has no writes: only hits are "
            "counted, flash writes and dirty pages cost nothing here",
            hint="Set the share of reads by hand, state the dirty share, or set "
            "`dirty_share_range` for both ends of its possible range.",
        )
    main = answers.money.get(answers.form)
    for caution in about_bought(answers.curve, answers.ram_pages, main):
        if caution.name not in seen:
            yield caution
    if main and main.within_error:
        yield _within_error(main)
    other = next((m for name, m in answers.money.items() if name != answers.form), None)
    first, second = ends_of_money(main, other)
    if main and other and first != second:
        yield Caution(
            name="forms_differ",
            message="the better buy depends on whether flash writes and dirty pages "
            f"are counted: {_TIER.get(main.winner, main.winner)} here, "
            f"{_TIER.get(other.winner, other.winner)} in the other form",
            hint="Check both by simulation before you buy.",
        )
    if main and len(main.crossings) > 1:
        yield Caution(
            name="many_crossings",
            message=f"the two lines cross {_times_in_words(len(main.crossings))}: the curve of "
            "this workload has steps",
            hint="Check the spending plan and larger amounts.",
        )
    asked = {"DRAM": answers.prices.ram, "flash": answers.prices.flash}
    apart = dates_apart(
        {what: price for what, price in asked.items() if price is not None}
    )
    if apart is not None:
        yield Caution(
            name="prices_of_different_dates",
            message=apart,
            hint="Add both to a price book of your own: these prices are not "
            "comparable.",
        )


_TIMES = {1: "once", 2: "twice"}


def _times_in_words(count: int) -> str:
    return _TIMES.get(count, f"{count} times")


def _within_error(money: NextMoney) -> Caution:
    least, most = money.flash_gain_least or 0.0, money.flash_gain_most or 0.0
    return Caution(
        name="within_known_error",
        message="the stated error of the schemes' costs leaves the better buy open: "
        f"the flash saves {_micros(least)} to {_micros(most)} per access, the DRAM "
        f"{_micros(money.dram_gain)}",
        hint="Check this decision by simulation.",
    )


def steps(found: BreakEven, money: NextMoney | None) -> Iterator[Step]:
    """Give every formula with the numbers put in, one row a value."""
    for part in money.derivation if money else ():
        yield from value_steps(part, f"{part.result}, next money")
    for part in found.derivation:
        yield from value_steps(part)
    for interval in found.intervals:
        for part in interval.derivation:
            name = f"interval {interval.upper} / {interval.lower}"
            if part.result != "interval_s":
                name += f", {part.result}"
            yield from value_steps(part, name)


def value_steps(part: Derivation, name: str | None = None) -> Iterator[Step]:
    """One row for each value of a derivation, with the numbers put in."""
    values = np.atleast_1d(np.asarray(_numbers(part.value), dtype=np.float64))
    for at, value in enumerate(values.tolist()):
        given = ", ".join(
            f"{number.symbol} = {shown(_at(number.value, at, len(values)))}"
            + ("" if number.unit in ("1", "") else f" {number.unit}")
            for number in part.numbers
        )
        suffix = f" ({at + 1} of {len(values)})" if len(values) > 1 else ""
        yield Step(
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
