"""Bars of the tornado: what is bought, and for how much, at both ends of the range of each input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tierwright.advise.advice import _draws
from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._confidence.flips import with_flip
from tierwright.advise.advice._confidence.ranges import (
    STEPS,
    Places,
    best_along,
    value_text,
)
from tierwright.advise.advice._confidence.words import name_of
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice._sure import MOST_BARS
from tierwright.advise.advice.found import Bar
from tierwright.common.cautions import Caution
from tierwright.common.wording import counted
from tierwright.profile.curve import Curve

OF_CAUTION: Mapping[str, str] = {
    "scaled": _draws.LAW,
    "scale_extrapolated": _draws.LAW,
    "steady_state_uncertain": _draws.SHORT,
    "sampled_curve": _draws.SAMPLE,
}
"""Input of a caution."""


def drawn_of(found: Sure, cautions: Iterable[Caution]) -> dict[Input, Caution]:
    """Return the inputs that were drawn and that a caution speaks of, each once."""
    inputs = {each.name: each for each in found.draws.places if not each.of}
    drawn: dict[Input, Caution] = {}
    for caution in cautions:
        each = inputs.get(OF_CAUTION.get(caution.name, ""))
        if each is not None:
            drawn.setdefault(each, caution)
    return drawn


def ends_of(found: Sure, each: Input) -> list[tuple[str, Curve]]:
    """Return both ends of the range of an input of the curve, in words and as a curve."""
    return [
        (
            value_text(found.draws.ranges, found.draws, each, place),
            _draws.curve_at(found.draws.ranges, {each: place}),
        )
        for place in (0.0, 1.0)
    ]


def bars_of(
    found: Sure,
    ranges: Callable[[Input], Places],
    others: tuple[Bar, ...],
    drawn: Mapping[Input, Caution],
) -> tuple[tuple[Bar, ...], str]:
    """Return a bar of each input that was drawn, with its flip, unless its range changes nothing and no caution speaks of it; and others.

    Behind them how many inputs were drawn and how many of these have a bar, in words.

    A bar ends where the draws end, so that it speaks of the range that probability and worth speak of.
    """
    own: list[Bar] = []
    width = _width_us if found.by_time else _width
    for each in found.draws.places:
        if each in drawn:
            own.append(_own_bar(found, each, ranges(each), drawn[each].message))
            continue
        bar = _own_bar(found, each, ranges(each), name_of(each))
        if bar.flip is not None or width(bar) > 0:
            own.append(bar)
    made = sorted((*others, *own), key=width, reverse=True)[:MOST_BARS]
    return tuple(made), bars_text(
        len(found.draws.places),
        len(own),
        sum(each in own for each in made),
        "I/O time" if found.by_time else "cost",
    )


def bars_text(drawn: int, changing: int, shown: int, what: str = "cost") -> str:
    """Say how many inputs were drawn, how many of them have a bar, and what those without one do.

    Parameters
    ----------
    drawn : int
        Inputs that were drawn, besides the windows of the recording.
    changing : int
        Those whose range changes something, or of which a caution speaks.
    shown : int
        Those of them that have a bar.
    what : str
        What they change of the best option: its cost, or its I/O time where that is the objective.

    Examples
    --------
    >>> bars_text(16, 1, 1)
    'Besides the windows of the recording 16 inputs were drawn, and 1 of them has a bar: at the ends of the other 15, each by itself, the cost of the best option stays the same.'
    """
    if not drawn:
        return "Only the windows of the recording were drawn, which have no bar."
    said = (
        f"Besides the windows of the recording {counted(drawn, 'input was', 'inputs were')} drawn, and "
        f"{shown or 'none'} of them {'has a bar' if shown <= 1 else 'have bars'}"
    )
    rest, cut = drawn - changing, changing - shown
    without = []
    if cut:
        without.append(
            f"{counted(cut, 'other input changes', 'other inputs change')} the {what} by no more than those shown"
        )
    if rest:
        others = f"the {'other ' if shown else ''}{rest:,}" if rest > 1 else "the other"
        if not shown and rest == 1:
            others = "its range"
        without.append(
            f"at the ends of {others}, {'each ' if rest > 1 else ''}by itself, the {what} of the best option stays the same"
        )
    return f"{said}: {', and '.join(without)}." if without else f"{said}."


def _width(bar: Bar) -> float:
    low, high = bar.usd_per_month_low, bar.usd_per_month_high
    return float("inf") if low is None or high is None else float(abs(high - low))


def _width_us(bar: Bar) -> float:
    low, high = bar.io_time_us_low, bar.io_time_us_high
    return float("inf") if low is None or high is None else abs(high - low)


def _bought(found: Sure, bought: tuple[int, int] | None) -> str | None:
    """Name what is bought at an end of a bar, with as many devices as it needs there; None where nothing keeps every limit."""
    return None if bought is None else found.contenders.named(*bought)


def _own_bar(found: Sure, each: Input, places: Places, about: str) -> Bar:
    along = best_along(found, places)
    kinds = found.contenders.kinds
    ends = (0, STEPS - 1)
    (usd_low, us_low), (usd_high, us_high) = (along.at(at) for at in ends)
    index = [along.index[at] for at in ends]
    titles = [_bought(found, along.bought[at]) for at in ends]
    bar = Bar(
        about,
        value_text(found.draws.ranges, found.draws, each, 0.0),
        value_text(found.draws.ranges, found.draws, each, 1.0),
        usd_low,
        usd_high,
        titles[0],
        titles[1],
        any(at is None or kinds[at] != kinds[found.chosen] for at in index),
        io_time_us_low=us_low,
        io_time_us_high=us_high,
    )
    return with_flip(found, bar, each, along)
