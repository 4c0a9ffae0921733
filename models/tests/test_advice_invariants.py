"""What holds of every advice, on random problems: as many as `make prove-advice` asks for."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import SHELF, ask, asked_of, problems, question, tried
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_advice import objective_of, slow_best

from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._table import Table

FREE = {"limits": {}, "objective": "usd", "have": None}


@pytest.mark.costly(12)
@settings(max_examples=tried(8), deadline=None)
@given(problem=problems)
def test_the_cheapest_is_that_of_a_search_one_by_one(problem: dict[str, Any]) -> None:
    asked = asked_of({**problem, **FREE})
    some = sorted(problem["some"])
    priced = dict(zip(SHELF, problem["prices"], strict=True))
    month, io_us = slow_best(
        asked["curve"],
        {name: priced[name] for name in some},
        problem["ram"],
        most_busy=0.7,
    )
    best = ask(**asked).recommendation
    assert best is not None
    assert best.usd_per_month == Decimal(month) / 100
    assert best.io_time_us_per_access == pytest.approx(io_us, rel=1e-9)


@pytest.mark.costly(6)
@settings(max_examples=tried(15), deadline=None)
@given(problem=problems, times=st.sampled_from([2, 5, 100]))
def test_where_all_money_is_scaled_so_is_the_answer(
    problem: dict[str, Any], times: int
) -> None:
    asked = asked_of(problem)
    limits = {
        name: value * times if name.endswith("usd") or "usd_" in name else value
        for name, value in asked["constraints"].items()
    }
    have = asked["have"]
    dear = {
        **asked,
        "prices": replace(
            asked["prices"],
            prices=tuple(
                replace(each, usd=each.usd * times) for each in asked["prices"].prices
            ),
        ),
        "constraints": limits,
        "have": have
        and replace(have, usd_per_month=Decimal(have.usd_per_month) * times),
    }
    first, second = ask(**asked), ask(**dear)
    one, other = first.recommendation, second.recommendation
    if one is None or other is None:
        # Cents may decide what keeps a limit of money to the cent, and nothing else may.
        assert one is other or any("usd" in name for name in limits)
        return
    if first.objective == "io_time":
        if not any("usd" in name for name in limits):
            assert other.io_time_us_per_access == one.io_time_us_per_access
        return
    assert one.usd_per_month is not None
    assert other.usd_per_month is not None
    # Each line of the bill is rounded to the cent.
    rounded = Decimal("0.01") * times * (len(one.bill) + len(other.bill) + 2)
    if not any("usd" in name for name in limits):
        assert abs(other.usd_per_month - times * one.usd_per_month) <= rounded


@pytest.mark.costly(4)
@settings(max_examples=tried(15), deadline=None)
@given(problem=problems, which=st.integers(0, len(SHELF) - 1))
def test_a_cheaper_device_rises_in_the_order_or_stays(
    problem: dict[str, Any], which: int
) -> None:
    """Before near-duplicates are removed: no more options without it stand before the first that has it."""
    name = SHELF[which]
    problem = {**problem, "objective": "usd", "some": {*problem["some"], name}}
    cheaper = [
        usd / 2 if at == which else usd for at, usd in enumerate(problem["prices"])
    ]

    def before(prices: list[Decimal]) -> float:
        asked = question({**asked_of({**problem, "prices": prices})})
        table = Table.of(asked.setting)
        order = chosen_of(asked, table).order
        has = [
            any(each is not None and each.id == name for each in table.devices(at))
            for at in order.tolist()
        ]
        return float(np.argmax(has)) if any(has) else math.inf

    assert before(cheaper) <= before(problem["prices"])


@pytest.mark.costly(4)
@settings(max_examples=tried(20), deadline=None)
@given(problem=problems)
def test_parts_add_up_and_nothing_is_saved_beyond_what_is_spent(
    problem: dict[str, Any],
) -> None:
    found = ask(**asked_of(problem))
    shown = [found.recommendation, *found.alternatives, *found.pareto]
    for option in shown:
        if option is None or option.usd_per_month is None or option.kind == "have":
            continue
        rows = [row["usd_per_month"] for row in option.bill]
        assert sum(map(Decimal, rows)) == option.usd_per_month
        shares = option.ram_hit_share + option.flash_hit_share + option.disk_share
        assert shares == pytest.approx(1)
    today, best = found.option_zero, found.recommendation
    if today is not None and best is not None and best.usd_per_month is not None:
        assert today.usd_per_month is not None
        assert today.usd_per_month - best.usd_per_month <= today.usd_per_month


@pytest.mark.costly(4)
@settings(max_examples=tried(10), deadline=None)
@given(problem=problems, more=st.floats(1.01, 10))
def test_more_money_never_buys_less(problem: dict[str, Any], more: float) -> None:
    for name in ("usd_per_month", "purchase_usd"):
        limits = {**problem["limits"], name: 500}
        one, other = (
            objective_of(
                ask(**asked_of({**problem, "limits": {**limits, name: amount}}))
            )
            for amount in (500, math.ceil(500 * more))
        )
        assert other <= one
