"""How a change of a figure is written: at 0, without a bound, small, many times."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.cautions import Outcome, effect_of
from tierwright.common.wording import FROM_ZERO, changed, relative_change


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (0.0, 0.0, "no change of I/O time"),
        (0.0, 3.0, "I/O time, from 0"),
        (2.0, 0.0, "-100 % I/O time"),
        (2.0, 2.0004, "no change of I/O time"),
        (2.0, 2.1, "+5.0 % I/O time"),
        (2.0, 24.0, "12 times the I/O time"),
        (2.0, math.inf, "unlimited I/O time"),
        (0.0, math.inf, "unlimited I/O time"),
        (math.inf, math.inf, "no change of I/O time"),
        (math.inf, 2.0, "-100 % I/O time"),
    ],
)
def test_each_change_is_what_it_says(before: float, after: float, said: str) -> None:
    assert changed(relative_change(before, after), "I/O time") == said


@given(before=st.floats(1e-6, 1e9), after=st.floats(0, 1e9))
def test_a_change_leads_from_one_figure_to_the_other(
    before: float, after: float
) -> None:
    change = relative_change(before, after)
    assert change >= -1
    assert before * (1 + change) == pytest.approx(after, rel=1e-9, abs=1e-9 * before)


def test_an_effect_from_0_is_not_called_none() -> None:
    def effect(loss: float) -> str:
        outcome = Outcome("all pages miss", FROM_ZERO, "the other", loss)
        return effect_of([outcome], figure="time", chosen="this", kind="way").text

    assert effect(0.0) == "if all pages miss: time, from 0, same way"
    assert effect(math.inf) == (
        "if all pages miss: time, from 0, the other would be best, this far worse"
    )
