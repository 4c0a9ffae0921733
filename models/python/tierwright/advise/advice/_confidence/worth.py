"""What knowing each input is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice._confidence.ranges import Places
from tierwright.advise.advice._confidence.words import cents_of, name_of, what_to_do
from tierwright.advise.advice._contenders import State
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice._sure import MOST_BARS
from tierwright.advise.advice.found import Information
from tierwright.common.arrays import FloatArray
from tierwright.common.currency import money
from tierwright.evaluate.advice.information import worth_of


def worth_of_inputs(
    found: Sure, ranges: Callable[[Input], Places], most: Decimal
) -> Iterator[Information]:
    """Say what knowing each input is worth, the most first, at most eight; what is worth nothing is listed too."""
    held = found.contenders.options.ram_pages + found.contenders.options.flash_pages
    size = float(held[found.chosen])
    column = int(
        np.argmin(np.abs(found.draws.ranges.curve.pages.astype(np.float64) - size))
    )
    values: list[tuple[Input | None, FloatArray]] = [
        (None, found.draws.misses[:, column]),
        *found.draws.places.items(),
    ]
    stated = found.contenders.buys(
        [found.contenders.on(found.draws.ranges.curve, State())]
    )
    every = np.stack([value for _, value in values], axis=1)
    worth = [
        (
            worth_of(
                found.buys,
                value,
                stated,
                None if each is None else ranges(each).buys,
                np.delete(every, at, axis=1),
            ),
            each,
        )
        for at, (each, value) in enumerate(values)
    ]
    worth.sort(key=lambda two: -two[0])
    for place, (usd, each) in enumerate(worth[:MOST_BARS]):
        about = "the windows of the recording" if each is None else name_of(each)
        cents = min(cents_of(usd), most)
        # Only one of them can come first.
        to_do = what_to_do(each)
        if place:
            to_do = to_do.removesuffix(" first").removesuffix(",")
        text = (
            f"{to_do}: worth {money(cents)} per month."
            if cents > 0
            else f"Knowing {about} better would make no other choice clearly cheaper."
        )
        yield Information(about, cents, text)
