"""Staircases held against questions that state their limits."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import question

from tierwright.advise.advice import _bounded, _staircase
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import chosen_of, kept
from tierwright.advise.advice.found import Staircase, StaircaseStep
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.limits import LEAST, PEAK_BUSY

Bought = tuple[str, str, Decimal, float]


def staircases(asked: Asked) -> dict[str, Staircase]:
    """Return those of a question by their constraint, response times too."""
    table = _bounded.table_of(asked)
    found = _staircase.staircases(
        asked, table, chosen_of(asked, table), with_responses=True
    )
    return {each.constraint: each for each in found}


def recommended(asked: Asked) -> Bought | None:
    """Return what a question recommends: what it is, its page flow, its cost and its time."""
    table = _bounded.table_of(asked)
    choice = chosen_of(asked, table)
    at = next(kept(asked, table, choice, choice.order), None)
    if at is None:
        return None
    return (
        table.title(at),
        table.scheme(at),
        Decimal(int(table.options.month_cents[at])) / 100,
        float(table.options.io_us[at]),
    )


def bought(step: StaircaseStep | None) -> Bought | None:
    """Return the same of a step."""
    if step is None:
        return None
    return step.name, step.scheme, step.usd_per_month, step.io_time_us_per_access


def is_known(found: Staircase, limit: float) -> bool:
    sign = -1 if found.constraint in LEAST else 1
    least = -math.inf if found.tightest_known is None else sign * found.tightest_known
    most = math.inf if found.loosest_known is None else sign * found.loosest_known
    return least <= sign * limit <= most


def limits_of(found: Staircase, shares: list[float]) -> list[float]:
    """Return limits at, above, between and below the steps, as far as these are known."""
    values = [step.value for step in found.steps if step.value is not None]
    if not values:
        return [1.0] if found.constraint == PEAK_BUSY else [1.0, 1e3]
    low, high = max(min(values), 1e-9) / 3, max(*values, 1e-9) * 3
    between = [low * (high / low) ** share for share in shares]
    some = [values[int(share * (len(values) - 1))] for share in shares]
    beside = [
        each * share for each in some for share in (1 - 1e-6, 1.0, 1 + 1e-6) if each
    ]
    return [
        each
        for each in (*between, *beside, high)
        if is_known(found, each)
        and each <= 1e15
        and not (found.constraint == PEAK_BUSY and each > 1)
    ]


def check(asked: dict[str, Any], name: str, shares: list[float]) -> Staircase:
    """Hold one staircase against questions that state its limits."""
    found = staircases(question(asked))[name]
    if not found.steps:
        assert found.reason
        with pytest.raises(BadInput, match="is not known"):
            found.at(1.0)
        return found
    assert not found.reason
    for limit in limits_of(found, shares):
        stated = {**asked["constraints"], name: Decimal(repr(limit))}
        wanted = recommended(question({**asked, "constraints": stated}))
        assert bought(found.at(limit)) == wanted, limit
    # What keeps any limit is the tightest.
    most = math.inf if name in LEAST else -math.inf
    values = [most if step.value is None else step.value for step in found.steps]
    assert values == sorted(values, reverse=name in LEAST)
    assert len(set(values)) == len(values) <= _staircase.MOST_STEPS
    return found
