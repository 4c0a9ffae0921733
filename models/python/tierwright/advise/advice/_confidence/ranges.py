"""What is the best along the range of one input, the others as they are stated, and its values in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from tierwright.advise.advice import _draws
from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._confidence.words import cents_of
from tierwright.advise.advice._draws import Draws, Input, Ranges
from tierwright.advise.advice._prices import SEVERAL_PRICED, price_words
from tierwright.advise.point import scheme_titles
from tierwright.common.arrays import FloatArray
from tierwright.common.units import format_microseconds
from tierwright.common.wording import as_many, percent
from tierwright.evaluate.advice.information import NEAR, Buys
from tierwright.evaluate.advice.limits import ROUNDING
from tierwright.evaluate.advice.rows import IntArray

MIDDLE = 0.5
"""Place of a range at which most inputs are as they are stated."""
STEPS = 33
SCALE: FloatArray = np.linspace(0.0, 1.0, STEPS)
"""Places of a range at which a flip is looked for, and at which what may be recommended is known."""


@dataclass(frozen=True, slots=True)
class Places:
    """Contenders at P places of the range of one input, the others as they are stated.

    Attributes
    ----------
    buys : Buys
        What each costs, and which limits it keeps.
    io_us : float64 array, shape (P, K)
        I/O time of each. [µs]
    """

    buys: Buys
    io_us: FloatArray


def along_range(found: Sure, each: Input) -> Places:
    """Contenders at evenly spaced places of the range of one input, the others as they are stated."""
    return at_places(found, each, SCALE.tolist())


def at_places(found: Sure, each: Input, places: Iterable[float]) -> Places:
    """Contenders at some places of the range of one input, the others as they are stated."""
    measured = found.contenders.on_each(
        (
            _draws.curve_at(found.draws.ranges, {each: place}),
            found.draws.state_of({each: place}),
            0.0,
        )
        for place in places
    )
    return Places(
        found.contenders.buys(measured), np.stack([each.io_us for each in measured])
    )


@dataclass(frozen=True, slots=True)
class Along:
    """The best contender at places of the range of one input, the others as they are.

    The recommendation where it is within 1 % of it and something of its kind keeps every limit (where the I/O time is the
    objective, it does itself); None where no contender does.

    Attributes
    ----------
    usd : float64 array
        What the best one costs at each place. [USD/month]
    io_us : float64 array or None
        I/O time of the same where that is the objective. [µs]
    index : list of int or None
        Which contender is the choice; one that breaks a limit there gives way to others of its kind.
    bought : list of (int, int) or None
        Which contender costs or takes that, and how many more of the devices whose number is free it needs.
    """

    usd: FloatArray
    io_us: FloatArray | None
    index: list[int | None]
    bought: list[tuple[int, int] | None]

    def at(self, place: int) -> tuple[Decimal | None, float | None]:
        """Return what the best one costs at a place, and how long it takes where that is the objective; None where there is none."""
        if self.index[place] is None:
            return None, None
        time = None if self.io_us is None else float(self.io_us[place])
        return cents_of(float(self.usd[place])), time


def best_along(found: Sure, places: Places) -> Along:
    """Say which contender is the best at each place of the range of an input."""
    if found.by_time:
        return _fastest_along(found, places)
    buys = places.buys
    needed = np.where(buys.keeps, buys.fixed + buys.unit * buys.needed, np.inf)
    least = buys.least()
    own = buys.costs(buys.bought)[:, found.chosen]
    # Of those that cost the same, one that is most like the choice.
    is_least = needed <= least[:, np.newaxis] * (1 + ROUNDING)
    cheapest = np.where(is_least, found.contenders.alike(found.chosen), 3).argmin(
        axis=1
    )
    # What nothing of its kind replaces costs, repaired, what the other kind does: it is not the choice there.
    is_own = (own <= least * (1 + NEAR)) & ~buys.replaced(found.chosen)
    best = np.where(is_own, found.chosen, cheapest)
    return Along(least, None, *_named_along(buys, least, best, cheapest))


def _fastest_along(found: Sure, places: Places) -> Along:
    """Say which contender is the fastest at each place: of equals the cheapest, of these one that is most like the choice."""
    buys = places.buys
    times = np.where(buys.keeps, places.io_us, np.inf)
    least = times.min(axis=1)
    cost = buys.fixed + buys.unit * buys.needed
    own = times[:, found.chosen] <= least * (1 + NEAR)
    of_fastest = np.where(times <= least[:, np.newaxis] * (1 + ROUNDING), cost, np.inf)
    usd = of_fastest.min(axis=1)
    is_least = of_fastest <= usd[:, np.newaxis] * (1 + ROUNDING)
    fastest = np.where(is_least, found.contenders.alike(found.chosen), 3).argmin(axis=1)
    best = np.where(own, found.chosen, fastest)
    return Along(usd, least, *_named_along(buys, least, best, fastest))


def _named_along(
    buys: Buys, least: FloatArray, best: IntArray, first: IntArray
) -> tuple[list[int | None], list[tuple[int, int] | None]]:
    """Return which contender is the choice at each place, and which is bought for the least, None where there is none.

    Parameters
    ----------
    buys : Buys
    least : float64 array
        Least cost or time at each place; infinite where no contender keeps every limit.
    best : int array
        The choice there.
    first : int array
        What costs or takes the least.
    """
    index = [
        int(at) if math.isfinite(value) else None
        for at, value in zip(best.tolist(), least.tolist(), strict=True)
    ]
    bought = [
        None if at is None else (one, int(buys.needed[place, one] - buys.bought[one]))
        for place, (at, one) in enumerate(zip(index, first.tolist(), strict=True))
    ]
    return index, bought


def place_as_is(found: Sure, each: Input) -> float:
    """Place in its range at which an input stays as it is."""
    if each.name == _draws.PRICE:
        return found.draws.spreads[each.of[0]].place_as_is
    if each.name != _draws.TIME:
        return MIDDLE
    used, low, high = found.draws.bounds[each.of]  # type: ignore[index]
    return float(np.log(used / low) / np.log(high / low))


def value_text(ranges: Ranges, draws: Draws, each: Input, place: float) -> str:
    """Write the value of an input at a place of its range, to be read behind *if*."""
    match each.name:
        case _draws.LAW:
            times = float((1 + ranges.law) ** (2 * place - 1))
            return f"the misses are {as_many(times)} the law says"
        case _draws.SHORT:
            return _short_text(place, late=ranges.late)
        case _draws.SAMPLE:
            return _sample_text(place)
        case _draws.STEADY:
            return _steady_text(place)
        case _draws.HITS:
            return _hits_text(scheme_titles()[each.of[0]], place)
        case _draws.PRICE:
            return _price_text(
                price_words(each.of[0]), draws.spreads[each.of[0]].at(place)
            )
        case _:
            bound = draws.bounds[each.of]  # type: ignore[index]
            time = format_microseconds(_draws.time_at(bound, place))
            return f"a page {each.of[1]} of `{each.of[0]}` takes {time}"


def _short_text(place: float, *, late: bool) -> str:
    if place == 0:
        return "no first touch misses there"
    if place == 1:
        often = " as often as they came in the last half of the recording"
        return (
            f"first touches miss there{often}"
            if late
            else "every first touch misses there"
        )
    return f"{_off(place)} of what the recording is too short to show are {_side(place, 'hits', 'misses')}"


def _sample_text(place: float) -> str:
    if place in (0, 1):
        side = _side(place, "fewer", "more")
        return f"the misses are {_draws.MOST_ERRORS:g} standard errors of the sample {side}"
    side = _side(place, "below", "above")
    return f"the misses are at the {percent(place)} point of their interval, {side} its middle"


def _steady_text(place: float) -> str:
    if place in (0, 1):
        side = _side(place, "short", "long")
        return f"I/O times are as {side} as the error of the model in the steady state allows"
    side = _side(place, "below", "above")
    return f"I/O times are {side} the model's by {_off(place)} of its error in the steady state"


def _hits_text(title: str, place: float) -> str:
    if place in (0, 1):
        return f"{title} has as {_side(place, 'few', 'many')} flash hits as the error of the model allows"
    return f"{title} has {_side(place, 'fewer', 'more')} flash hits, by {_off(place)} of the error of the model"


def _side(place: float, below: str, above: str) -> str:
    """Choose a word by the side of the middle on which a place lies."""
    return above if place > MIDDLE else below


def _off(place: float) -> str:
    """Write how far a place lies from the middle, as a share of the way to the end."""
    return percent(abs(2 * place - 1))


def _price_text(words: str, factor: float) -> str:
    more = "more" if factor > 1 else "less"
    cost = "cost" if words in SEVERAL_PRICED else "costs"
    if abs(factor - 1) < ROUNDING:
        # A range with one open end begins at the price that is used.
        return f"{words} {cost} as much as assumed"
    return f"{words} {cost} {percent(abs(factor - 1))} {more}"
