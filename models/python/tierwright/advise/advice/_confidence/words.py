"""How often the recommendation stays among the best, at what regret, and what that rests on, in words."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

from tierwright.advise.advice import _draws
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice._prices import PriceRange, of_itself, price_words
from tierwright.advise.advice.found import Information
from tierwright.advise.point import scheme_titles
from tierwright.common.currency import money
from tierwright.common.wording import counted, duration, listed, percent, whole_percent
from tierwright.evaluate.advice.information import NEAR, Regret
from tierwright.evaluate.advice.limits import ROUNDING
from tierwright.evaluate.bill import CENT

NO_PRICES = "no recent prices of one product tell how far those of the purchase may be off, so prices stay as they are"
NO_PRICES_OR_RENTS = (
    "no recent prices of one product tell how far those of a purchase may be off, and no history of rents is known, so "
    "prices and rents stay as they are"
)
RARELY = 0.05
"""Share of draws in which it breaks a limit up to which that is not said first."""
RENTS_FIXED = "rents are assumed to be fixed, as no history of rents is known"
"""Why no price was drawn: where there are purchases, purchases and rents, or rents alone."""


def cents_of(usd: float) -> Decimal:
    return Decimal(repr(float(usd))).quantize(CENT, ROUND_HALF_EVEN)


def confidence_text(
    probability: float,
    usd: Decimal | None,
    by_money: Regret,
    worth: Sequence[Information],
    *,
    may_be_small: bool = False,
    sturdier: str = "",
    worn_out: str = "",
) -> str:
    """Say how often it stays among the best, at what regret, and what is worth measuring first.

    Parameters
    ----------
    probability : float
        That it is the best choice, or near it. [1]
    usd : Decimal or None
        Expected regret; None where money is not the objective. [USD/month]
    by_money : Regret
        How often it breaks a limit, and what its repair costs.
    worth : sequence of Information
        The most first.
    may_be_small : bool
        Whether every limit that draws can break is one that more of the same hardware keeps.
    sturdier : str
        That another page flow breaks a limit in fewer draws, at the same price; empty where none does.
    worn_out : str
        In how many draws its flash does not outlast the horizon; empty where that is not said.
    """
    said = headline(
        probability, by_money, in_money=usd is not None, may_be_small=may_be_small
    )
    if usd is not None:
        more = f"{money(usd)} per month more" if usd else "no more"
        there = " there" if by_money.none_keeps else ""
        said += f"; on average it costs {more} than the best{there}"
    said += f".{sturdier}{worn_out}"
    if worth and worth[0].usd_per_month:
        said += f" {worth[0].text}"
    return said


def of_draws(share: float) -> str:
    """Write a share of draws in whole per cents; what is not all of them does not read as all."""
    said = whole_percent(share)
    if share and said == whole_percent(0):
        return "less than 0.1 %"
    return "more than 99 %" if share < 1 and said == whole_percent(1) else said


def _of_the_others(share: float) -> str:
    """Say in which share of draws it is not, so that both add up to 100 %; empty where the first is no number."""
    said = of_draws(share)
    written = said.removesuffix(" %")
    if not share or not written.replace(".", "").isdigit():
        return ""
    return f"in {100 - Decimal(written)} %"


def headline(
    probability: float, found: Regret, *, in_money: bool, may_be_small: bool
) -> str:
    """Say how often it is the best choice or near it, and how often it breaks a limit, which that counts.

    Where nothing keeps every limit there is no best: of which draws that is, is said first. Else how often it breaks a
    limit is, unless that is rare: who reads that it is the best in most draws does not take it to be large enough in them.
    """
    near = f"is the best choice, or within {100 * NEAR:g} % of it"
    often, rarely = of_draws(probability), _of_the_others(probability)
    of_the_rest = f"{rarely.replace('in ', 'in the other ') or 'otherwise'} another choice is better"
    broken = _broken(found, in_money=in_money, may_be_small=may_be_small)
    if found.none_keeps:
        said = f"In {of_draws(found.none_keeps)} of all draws of what is not known none of the options compared keeps every limit; "
        which = {0.0: "none", 1.0: "all"}.get(probability)
        said += (
            f"in {often} of the others the recommendation {near}, {rarely or 'otherwise'} another choice is better"
            if which is None
            else f"in {which} of the others the recommendation {near}"
        )
        if found.breaks <= found.none_keeps:
            # It breaks one where nothing keeps them all, and nowhere else.
            return said
        return f"{said}; in {of_draws(found.breaks)} of all draws {broken}"
    which = {0.0: "none of the draws", 1.0: "all draws"}.get(probability)
    if found.breaks <= RARELY:
        said = (
            f"In {often} of the draws of what is not known it {near}; {of_the_rest}"
            if which is None
            else f"In {which} of what is not known it {near}"
        )
        rare = f"; in {of_draws(found.breaks)} of all draws {broken}" if broken else ""
        return f"{said}{rare}"
    counted_so = "counting that, it" if in_money else "it"
    said = f"In {of_draws(found.breaks)} of the draws of what is not known {broken}; {counted_so} {near}, in "
    return f"{said}{often}; {of_the_rest}" if which is None else f"{said}{which}"


def _broken(found: Regret, *, in_money: bool, may_be_small: bool) -> str:
    """Say of draws in which it breaks a limit what it is, and what its repair costs there; empty where it breaks none."""
    if not found.breaks:
        return ""
    said = f"it {broken_words(may_be_small=may_be_small)}"
    repaired = found.breaks - found.none_keeps
    if repaired <= 0 or not in_money:
        # There is nothing to repair it with, or no money to say it in.
        return said
    where = "where some option keeps every limit, " if found.none_keeps else ""
    same = f"{'more' if may_be_small else 'another size'} of the same hardware"
    if found.replaced >= repaired:
        enough = (
            "more of the same is not enough"
            if may_be_small
            else "no size of the same keeps it"
        )
        same = f"other hardware, as {enough},"
    elif found.replaced:
        same += f", or other hardware in {of_draws(found.replaced)} of all draws,"
    cost = cents_of(found.repair)
    more = f"{money(cost)} per month more on average" if cost else "no more"
    return f"{said}, and {where}{same} then costs {more}"


def broken_words(*, may_be_small: bool) -> str:
    """Say what is so where it breaks a limit, to be read behind *it*."""
    return "is too small" if may_be_small else "breaks a limit"


def how_repaired(found: Regret, *, in_money: bool) -> str:
    """Say how draws count in which it breaks a limit though some option keeps them all; empty where there are none."""
    if found.breaks <= found.none_keeps:
        return ""
    cost = ", at its cost" if in_money else ""
    return (
        f"where it breaks a limit and another option does not, it counts with the cheapest size of its hardware that keeps "
        f"the limits{cost}; where no size of it does, another choice counts as better there"
    )


def recorded_accesses(asked: Asked) -> int:
    """Count the accesses of the recording; its curve has windows."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    assert windows is not None
    return int(windows.accesses.sum())


def rests_on(asked: Asked, found: Sure, by_money: Regret, *, in_money: bool) -> str:
    """Say what was drawn, what was not, and how draws count in which the recommendation breaks a limit."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    assert windows is not None
    recorded = recorded_accesses(asked)
    accesses = counted(recorded, "access", "accesses")
    long = "" if windows.duration_s is None else f" in {duration(windows.duration_s)}"
    varied = ["the windows of the recording"]
    times = [each for each in found.draws.places if each.name == _draws.TIME]
    varied += [name_of(each) for each in found.draws.places if each not in times]
    if times:
        ranges = counted(len(times), "busy time of a device", "busy times of devices")
        varied.append(f"{ranges} that the sources leave open")
    parts = [
        f"{counted(_draws.DRAWS, 'draw')} of {listed(varied)}; {_about_prices(found)}",
        f"it speaks for a recording as long as this one, {accesses}{long}",
    ]
    repaired = how_repaired(by_money, in_money=in_money)
    if repaired:
        parts.append(repaired)
    impossible = int(np.sum(~found.buys.possible))
    if impossible:
        what = "probability, regret and what measuring is worth are"
        parts.append(
            f"{what if in_money else 'the probability is'} of the {counted(_draws.DRAWS - impossible, 'draw')} in which one of "
            f"the options compared keeps every limit; the other {counted(impossible, 'is left out', 'are left out')}"
        )
    if curve.sample_rate is not None and Input(_draws.SAMPLE) not in found.draws.places:
        parts.append("the error of the sample of pages is not known")
    if asked.limits_response:
        parts.append(
            "limits on response times are held in each draw, with the service times that are stated"
        )
    if not in_money:
        parts.append(
            "regret and what measuring is worth are stated where money is the objective"
        )
    return "; ".join(parts)


def _about_prices(found: Sure) -> str:
    """Say which prices were drawn, and by how much they may be off."""
    spreads = found.draws.spreads
    if not spreads:
        options = found.contenders.options
        return _without_prices(
            buys=bool(np.any(options.purchase_cents > 0)),
            rents=bool(np.any(options.is_rented)),
        )
    said = [_about_price(key, each) for key, each in spreads.items()]
    return f"prices of {'; of '.join(said)}; other prices stay as they are"


def _without_prices(*, buys: bool, rents: bool) -> str:
    """Say why no price was drawn, by whether any option compared is bought, and any rented."""
    if not rents:
        return NO_PRICES
    return NO_PRICES_OR_RENTS if buys else RENTS_FIXED


def _about_price(key: str, each: PriceRange) -> str:
    if each.old is not None and each.old.newer is not None:
        own, newer = each.old.price, each.old.newer
        return (
            f"{price_words(key)} from that of {own.date} to that of `{newer.id}` of {newer.date} per {own.unit}, "
            f"{of_itself(each)}"
        )
    by = f"{price_words(key)} by {_sides(each)}"
    spread = each.spread
    if spread is None:
        return f"{by}, as its source states"
    return (
        f"{by}, as far apart as prices of `{spread.series}` were from {spread.first} to "
        f"{spread.last}"
    )


def _sides(each: PriceRange) -> str:
    """Say by how much a price may be more, less, or both: one whose own source states no other side has none."""
    sides = [
        *([f"{percent(each.high - 1)} up"] if each.high - 1 > ROUNDING else []),
        *([f"{percent(1 - each.low)} down"] if 1 - each.low > ROUNDING else []),
    ]
    return " or ".join(sides) or "nothing"


def name_of(each: Input) -> str:
    """Name an input in a list."""
    match each.name:
        case _draws.SAMPLE:
            return "the error of the sample of pages"
        case _draws.SHORT:
            return "what the recording is too short to show"
        case _draws.LAW:
            return "the error of the scale law"
        case _draws.STEADY:
            return "the error of the model in the steady state"
        case _draws.HITS:
            return f"the flash hits of {scheme_titles()[each.of[0]]}"
        case _draws.PRICE:
            return f"the price of {price_words(each.of[0])}"
        case _:
            return f"the time of a page {each.of[1]} of `{each.of[0]}`"


def what_to_do(each: Input | None) -> str:
    """Say what would make an input known, as the first thing to do."""
    if each is None:
        return "Record for longer first"
    match each.name:
        case _draws.SAMPLE:
            return "Profile all pages first"
        case _draws.SHORT:
            return "Record for longer, until caches of this size are full, first"
        case _draws.LAW:
            return "Record a system of the size of production first"
        case _draws.STEADY:
            return "Replay the recording at these sizes first"
        case _draws.HITS:
            return f"Replay {scheme_titles()[each.of[0]]} on the recording first"
        case _draws.PRICE:
            return f"Ask for a binding quote of {price_words(each.of[0])} first"
        case _:
            return f"Measure the time of a page {each.of[1]} of `{each.of[0]}` first"
