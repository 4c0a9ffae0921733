"""How sure the recommendation is, or why that cannot be said: what the draws of an answer come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._confidence.abstaining import abstains, none
from tierwright.advise.advice._confidence.bars import bars_of, drawn_of, ends_of
from tierwright.advise.advice._confidence.drawing import Sure, sure
from tierwright.advise.advice._confidence.interval import intervals
from tierwright.advise.advice._confidence.ranges import along_range
from tierwright.advise.advice._confidence.sturdier import sturdier_text
from tierwright.advise.advice._confidence.words import (
    cents_of,
    confidence_text,
    headline,
    rests_on,
)
from tierwright.advise.advice._confidence.worn_out import worn_out_text
from tierwright.advise.advice._confidence.worth import worth_of_inputs
from tierwright.advise.advice._contenders import contending
from tierwright.advise.advice._sure import Ends, tornado
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Bar, Confidence
from tierwright.common.cautions import Caution
from tierwright.evaluate.advice.information import NEAR, regret
from tierwright.evaluate.advice.limits import LIFE, MET_BY_MORE, MONEY, RESTART

NO_CHOICE = "no probability: nothing is recommended"
LEFT_OUT = (
    "no probability: bounds left out options that other draws may prefer; name fewer parts or machines, so that all are "
    "evaluated"
)
NOT_COMPUTED = "no probability: how sure the recommendation is was not asked for"
BY_REPLAY = "no probability: a replay decided, and the draws rest on the model, which would choose otherwise"


def of_objective(asked: Asked, found: Confidence) -> Confidence:
    """Return the same without what measuring is worth where money is not the objective: no worth is 0 or lacking there."""
    if asked.objective != "io_time":
        return found
    return replace(found, value_of_information=None)


def confidence(
    asked: Asked,
    table: Table,
    best: int | None,
    ends: Ends | None,
    cautions: Sequence[Caution],
    *,
    by_replay: bool,
) -> Confidence:
    """Say how sure the recommendation is, and what to measure first.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    best : int or None
        The recommendation.
    ends : Ends or None
        Asks at the ends of the cautions, from then on at those of the draws; None where nothing is weighed.
    cautions : sequence of Caution
        Of the answer.
    by_replay : bool
        Whether a replay chose another option than the model.
    """
    if best is None:
        return none(NO_CHOICE)
    if by_replay:
        return replace(none(BY_REPLAY), tornado=_bars_of(ends, cautions))
    if table.left_out is not None:
        return none(LEFT_OUT)
    rows = contending(asked, table, best)
    refused = abstains(asked, table, best, rows)
    if refused is not None:
        return replace(refused, tornado=_bars_of(ends, cautions))
    return _weighed(asked, sure(asked, table, best, rows), ends, cautions)


def _may_be_small(asked: Asked) -> bool:
    """Whether every stated limit that draws can break is one that more of the same hardware keeps."""
    drawn = {LIFE, RESTART, *MONEY, *MET_BY_MORE}
    return drawn & {*asked.constraints} <= MET_BY_MORE


def _bars_of(ends: Ends | None, cautions: Iterable[Caution]) -> tuple[Bar, ...]:
    return () if ends is None else tuple(tornado(ends, cautions))


def _weighed(
    asked: Asked, found: Sure, ends: Ends | None, cautions: Sequence[Caution]
) -> Confidence:
    """Say what the draws of an answer say of it."""
    possible = found.buys.possible
    if not possible.any():
        return replace(
            none(
                "no probability: none of the options compared keeps every limit in any draw"
            ),
            tornado=_bars_of(ends, cautions),
        )
    # Of an input that nothing asks about, nothing is evaluated.
    ranges = cache(partial(along_range, found))
    in_money = asked.objective != "io_time"
    drawn = drawn_of(found, cautions)
    for each, caution in drawn.items():
        if ends is not None:
            ends.draw(caution.name, ends_of(found, each))
    others = [each for each in cautions if each not in drawn.values()]
    bars, about_bars = bars_of(found, ranges, _bars_of(ends, others), drawn)
    by_money = regret(found.buys, found.chosen)
    probability = by_money.probability
    may_be_small = _may_be_small(asked)
    if not in_money:
        kept = np.where(found.buys.keeps, found.io_us, np.inf)[possible]
        own = found.io_us[possible, found.chosen]
        near = (own <= kept.min(axis=1) * (1 + NEAR)) & found.buys.keeps[
            possible, found.chosen
        ]
        probability = float(np.mean(near))
    usd = cents_of(by_money.expected) if in_money else None
    worth = () if usd is None else tuple(worth_of_inputs(found, ranges, usd))
    return Confidence(
        probability,
        usd,
        bars,
        worth,
        rests_on(asked, found, by_money, in_money=in_money),
        text=confidence_text(
            probability,
            usd,
            by_money,
            worth,
            may_be_small=may_be_small,
            sturdier=sturdier_text(found, by_money.breaks, may_be_small=may_be_small),
            worn_out=worn_out_text(asked, found),
        ),
        windows=len(found.recorded.windows),
        block_windows=found.recorded.block,
        draws=int(np.sum(possible)),
        breaks_share=by_money.breaks,
        more_accesses=None,
        intervals=intervals(found),
        headline=headline(
            probability, by_money, in_money=in_money, may_be_small=may_be_small
        ),
        none_keeps_share=by_money.none_keeps,
        about_bars=about_bars,
    )
