"""At which value of an input the choice becomes another one, as that value is written."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from functools import partial

from tierwright.advise.advice import _draws
from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._confidence.ranges import (
    SCALE,
    STEPS,
    Along,
    at_places,
    best_along,
    place_as_is,
    value_text,
)
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice.found import Bar
from tierwright.common.wording import TWICE

_Value = tuple[Decimal | None, float | None]
_HALVINGS, _BITS, _LAST_BITS = 24, 60, 1e-9
"""Times that a flip is halved at most, bits of its place, and parts of a last digit that rounding is not for."""


def with_flip(found: Sure, bar: Bar, each: Input, along: Along) -> Bar:
    """Say at which place of its range the choice becomes another one, nearest to the middle."""
    base = place_as_is(found, each)
    other = [
        at
        for at, index in enumerate(along.index)
        if index is not None and index != found.chosen
    ]
    if not other:
        return bar
    at = min(other, key=lambda one: abs(SCALE[one] - base))
    place, (usd, time_us) = _first_other(found, each, base, at, along.at(at))
    return replace(
        bar,
        flip=value_text(found.draws.ranges, found.draws, each, place),
        usd_per_month_flip=usd,
        io_time_us_flip=time_us,
    )


def _first_other(
    found: Sure, each: Input, base: float, at: int, value: _Value
) -> tuple[float, _Value]:
    """Return from which place of a range on another option is the choice, as it is written, and what that costs and takes.

    Between a place of `SCALE` at which it is and the one before, on the side of what was used, the change is found by
    halving; where the choice changes there several times, it is one of these changes. What is written has three digits:
    it is rounded to the side on which the other option is the choice, and asked there.

    Parameters
    ----------
    found, each
        As of `_own_bar`.
    base : float
        Place as it is used. [1]
    at : int
        Index of the place of `SCALE` nearest to it at which another option is the choice.
    value : (Decimal, float or None)
        What the best one costs there and, where that is the objective, takes. [USD/month], [µs]
    """
    outer = float(SCALE[at])
    if outer == base:
        return outer, value
    towards = math.copysign(1 / (STEPS - 1), base - outer)
    inner = outer + towards if abs(towards) < abs(base - outer) else base

    def other_at(place: float) -> _Value | None:
        """Return what the best option costs and takes where it is another one; None where it is none."""
        along = best_along(found, at_places(found, each, [place]))
        same = along.index[0] is None or along.index[0] == found.chosen
        return None if same else along.at(0)

    is_up = outer > inner
    written = partial(_next_written, found, each, is_up=is_up)
    for _ in range(_HALVINGS):
        if written(inner) == written(outer):
            break
        middle = (inner + outer) / 2
        there = other_at(middle)
        if there is None:
            inner = middle
        else:
            outer, value = middle, there
    place = _place_of(found, each, written(outer), 1.0 if is_up else 0.0)
    there = other_at(place)
    # Where the choice changes back within the last digit, it is not rounded.
    return (outer, value) if there is None else (place, there)


def _next_written(found: Sure, each: Input, place: float, *, is_up: bool) -> float:
    """Return the next value that three digits write, from that at a place on, up or down."""
    value, base = _written(found, each, place)
    return base + _three_digits_beyond(value - base, is_up=is_up)


def _three_digits_beyond(value: float, *, is_up: bool) -> float:
    """Round to three significant digits, up or down."""
    if value == 0:
        return 0.0
    power = math.floor(math.log10(abs(value))) - 2
    steps = value / 10.0**power
    # What has three digits stays, whatever the last bit of the division.
    whole = math.ceil(steps - _LAST_BITS) if is_up else math.floor(steps + _LAST_BITS)
    return float(f"{whole}e{power}")


def _place_of(found: Sure, each: Input, value: float, end: float) -> float:
    """Return the place at which an input has a value that is written; the end of its range where that lies beyond."""
    low, high = 0.0, 1.0
    at_end = _written(found, each, end)[0]
    if (value - at_end) * (1 if end else -1) >= 0:
        return end
    for _ in range(_BITS):
        middle = (low + high) / 2
        if _written(found, each, middle)[0] < value:
            low = middle
        else:
            high = middle
    return high


def _written(found: Sure, each: Input, place: float) -> tuple[float, float]:
    """Return the value of an input at a place of its range as `value_text` writes it, and from what on that counts."""
    draws = found.draws
    match each.name:
        case _draws.LAW:
            times = float((1 + draws.ranges.law) ** (2 * place - 1))
            return times, 1.0 if times < TWICE else 0.0
        case _draws.SHORT | _draws.STEADY | _draws.HITS:
            return 2 * place - 1, 0.0
        case _draws.SAMPLE:
            return place, 0.0
        case _draws.PRICE:
            return draws.spreads[each.of[0]].at(place), 1.0
        case _:
            return _draws.time_at(draws.bounds[each.of], place), 0.0  # type: ignore[index]
