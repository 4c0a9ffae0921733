"""Staircases of limits: what each value of a limit buys is what a question with that limit recommends."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    SHELF,
    ask,
    asked_of,
    book,
    curve,
    problems,
    question,
    tried,
)
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from staircase_cases import bought, check, is_known, recommended, staircases

from tierwright.advise.advice import _staircase, limit_cost
from tierwright.advise.advice._table import Table
from tierwright.common.currency import money
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.limits import (
    CONSTRAINTS,
    LIFE,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    THROUGHPUT,
)
from tierwright.evaluate.advice.staircase import (
    descent,
    open_from,
    tightness,
    window,
)

DRIVE = "micron-7450-pro-15.36tb"
WITH_LATENCY: dict[str, Any] = {
    "curve": curve(),
    "have": None,
    "constraints": {},
    "objective": "usd",
    "candidates": replace(DEVICES_ALONE, devices=(DRIVE, SHELF[2])),
    "prices": book(**{DRIVE: Decimal("0.9"), SHELF[2]: Decimal("0.04")}),
}
shares = st.lists(st.floats(0, 1), min_size=1, max_size=3)


@settings(max_examples=tried(15), deadline=None)
@given(
    problem=problems,
    name=st.sampled_from([each for each in CONSTRAINTS if each not in RESPONSES]),
    shares=shares,
)
def test_each_limit_buys_what_a_question_with_it_recommends(
    problem: dict[str, Any], name: str, shares: list[float]
) -> None:
    check(asked_of(problem), name, shares)


@settings(
    max_examples=tried(8),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much],
)
@given(
    problem=problems, name=st.sampled_from([PEAK_BUSY, LIFE, THROUGHPUT]), shares=shares
)
def test_a_limit_that_decides_how_many_devices_are_bought_is_followed_device_by_device(
    problem: dict[str, Any], name: str, shares: list[float]
) -> None:
    assume("io_time_us_per_access" not in problem["limits"])
    # Every device of the shelf, so that those that wear and those that do not compete.
    check(asked_of({**problem, "some": set(SHELF)}), name, shares)


def test_the_steps_of_a_busy_share_buy_one_more_device_each() -> None:
    """What is stated decides how many devices hold the data: the steps tell how many at each busy share."""
    asked = asked_of(
        {
            "data": 2**42,
            "rate": 20_000.0,
            "peak": 2.5,
            "ram": Decimal(20),
            "prices": list(PRICES.values()),
            "some": {SHELF[2]},
            # With RAM for all of the data one device is enough at any share.
            "limits": {"ram_bytes": 2**40},
            "objective": "usd",
            "have": None,
        }
    )
    found = check(asked, PEAK_BUSY, [0.1, 0.4, 0.7, 0.9])
    assert len(found.steps) > 20
    assert found.steps[-1].value is not None
    assert 0.5 < found.steps[-1].value <= 1.0
    assert found.limit == 0.7
    costs = [step.usd_per_month for step in found.steps]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize(
    ("name", "limits", "objective"),
    [
        ("response_mean_us", {}, "usd"),
        ("response_p50_us", {"usd_per_month": 60_000, "ram_bytes": 2**42}, "usd"),
        ("response_p99_us", {"response_mean_us": 4_000}, "usd"),
        ("response_p99_us", {"response_p99_us": 20_000}, "io_time"),
    ],
)
def test_a_limit_of_a_response_time_buys_what_a_question_with_it_recommends(
    name: str, limits: dict[str, int], objective: str
) -> None:
    asked = {
        **WITH_LATENCY,
        "constraints": {each: Decimal(str(value)) for each, value in limits.items()},
        "objective": objective,
    }
    found = check(asked, name, [0.3, 0.9])
    assert found.steps


@pytest.mark.parametrize(
    "name", ["usd_per_month", "io_time_us_per_access", "ram_bytes", RESTART]
)
def test_other_limits_are_followed_where_response_times_are_limited(name: str) -> None:
    limits = {"response_p99_us": Decimal(15_000), "response_mean_us": Decimal(3_000)}
    found = check({**WITH_LATENCY, "constraints": limits}, name, [0.1, 0.8])
    assert found.steps


@pytest.mark.parametrize("stated", [None, 600.0, 15_000.0])
def test_where_not_every_response_time_is_computed_it_is_said_how_far_it_is_known(
    monkeypatch: pytest.MonkeyPatch, stated: float | None
) -> None:
    name = "response_p99_us"
    limits = {} if stated is None else {name: Decimal(str(stated))}
    asked = {**WITH_LATENCY, "constraints": limits}
    whole = staircases(question(asked))[name]
    monkeypatch.setattr(_staircase, "MOST_QUEUES", 3)
    some = check(asked, name, [0.0, 0.3, 0.6, 0.9])
    assert 0 < len(some.steps) < len(whole.steps)
    # With ever more devices a queue is ever a little shorter: all of them are looked at nowhere.
    assert (whole.tightest_known or 0.0) <= (some.tightest_known or math.inf)
    assert some.tightest_known is not None or some.loosest_known is not None
    for step in whole.steps:
        assert step.value is not None
        if is_known(some, step.value):
            assert some.at(step.value) == step
    if stated is not None:
        # What was asked is known whatever was not computed.
        assert some.limit == stated
        assert is_known(some, stated)
        assert bought(some.at(stated)) == recommended(question(asked))
    with pytest.raises(BadInput, match="what it buys is not known"):
        some.at(1e-3)


def test_few_steps_are_listed_around_the_limit_that_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "io_time_us_per_access"
    asked = {**WITH_LATENCY, "objective": "usd"}
    whole = staircases(question(asked))[name]
    assert len(whole.steps) > 9
    middle = whole.steps[len(whole.steps) // 2]
    monkeypatch.setattr(_staircase, "MOST_STEPS", 5)
    stated = {name: Decimal(repr(middle.value))}
    some = check({**asked, "constraints": stated}, name, [0.2, 0.5, 0.8])
    assert len(some.steps) == 5
    assert middle in some.steps
    assert set(some.steps) < set(whole.steps)
    assert some.tightest_known == some.steps[0].value
    assert some.loosest_known == some.steps[-1].value
    for outside in (whole.steps[0], whole.steps[-1]):
        assert outside.value is not None
        with pytest.raises(BadInput, match="not known"):
            some.at(outside.value)


def test_a_limit_that_was_asked_is_the_step_of_the_recommendation() -> None:
    found = ask(constraints={"io_time_us_per_access": 200})
    best = found.recommendation
    assert best is not None
    by_name = {each.constraint: each for each in found.staircases}
    assert list(by_name) == list(CONSTRAINTS)
    for name, limit in found.constraints.items():
        step = by_name[name].at(float(limit))
        assert step is not None
        assert (step.name, step.usd_per_month) == (best.name, best.usd_per_month)
        assert by_name[name].limit == float(limit)
    assert by_name["machines"].limit is None
    # Without how sure it is no response time is computed, and of parts of servers there are none.
    assert "the full answer" in by_name["response_p99_us"].reason
    assert "known" in by_name["power_watts"].reason


def test_no_step_is_busier_than_a_device_can_be() -> None:
    # There is a fraction of the devices that the load takes today.
    asked = asked_of({**_MANY, "have": {"ram": 2**35, "disks": 2, "usd": Decimal(10)}})
    found = staircases(question(asked))[PEAK_BUSY]
    values = [step.value for step in found.steps if step.value is not None]
    assert max(values) <= 1
    assert found.steps[-1].usd_per_month > 10


def test_where_nothing_keeps_every_limit_the_steps_say_what_would() -> None:
    found = ask(constraints={"usd_per_month": 1})
    assert found.recommendation is None
    by_name = {each.constraint: each for each in found.staircases}
    budget = by_name["usd_per_month"]
    assert budget.at(1.0) is None
    cheapest = ask().recommendation
    assert cheapest is not None
    assert budget.steps[0].usd_per_month == cheapest.usd_per_month
    assert budget.at(float(budget.steps[0].usd_per_month)) == budget.steps[0]
    # No other limit helps.
    assert not by_name["io_time_us_per_access"].steps
    assert "no option keeps the other limits" in by_name["ram_bytes"].reason


def test_with_more_devices_a_restart_ends_sooner_so_no_steps_are_claimed() -> None:
    found = ask(constraints={RESTART: 1e6})
    by_name = {each.constraint: each for each in found.staircases}
    for name in (PEAK_BUSY, LIFE):
        assert not by_name[name].steps
        assert RESTART in by_name[name].reason
    assert by_name[RESTART].steps


def test_other_numbers_of_devices_cost_and_wear_as_if_they_had_been_needed() -> None:
    asked = question(asked_of(_MANY))
    setting = asked.setting
    few, many = (
        Table(replace(setting, most_busy=busy), (None, Table.of(setting).shelf))
        for busy in (0.9, 0.13)
    )
    rows = np.arange(len(few.options))
    made = few.tier_rows.with_devices(
        few.options, rows, many.options.store_devices, setting.served.peak
    )
    assert np.any(few.options.store_devices < many.options.store_devices)
    for name in ("month_cents", "purchase_cents", "store_devices"):
        assert getattr(made, name).tolist() == getattr(many.options, name).tolist()
    for name in ("peak_busy", "life_years"):
        np.testing.assert_allclose(
            getattr(made, name), getattr(many.options, name), rtol=1e-12
        )


_MANY: dict[str, Any] = {
    "data": 2**42,
    "rate": 20_000.0,
    "peak": 2.5,
    "ram": Decimal("20.63"),
    "prices": list(PRICES.values()),
    "some": set(SHELF),
    "limits": {},
    "objective": "usd",
    "have": None,
}


def brute(tight: list[float], limit: float) -> int | None:
    return next((at for at, each in enumerate(tight) if each <= limit), None)


@pytest.mark.oracle("evaluate.advice.staircase.descent")
@pytest.mark.formula("evaluate.advice.staircase.descent")
@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([1.0, 2.0, 3.5, 4.0, 7.0, np.inf]), max_size=12))
def test_the_steps_are_the_first_that_keep_some_limit(tight: list[float]) -> None:
    steps = set(np.flatnonzero(descent(np.asarray(tight))).tolist())
    found = {brute(tight, limit) for limit in (0.5, 1.0, 2.0, 3.0, 3.5, 5.0, 9.0)}
    assert steps == found - {None}


@pytest.mark.oracle("evaluate.advice.staircase.open_from")
@pytest.mark.formula("evaluate.advice.staircase.open_from")
@settings(max_examples=300, deadline=None)
@given(
    listed=st.lists(
        st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=6
    ),
    unlisted=st.tuples(st.integers(0, 4), st.integers(1, 8)),
)
def test_what_is_not_listed_yet_is_the_best_of_no_looser_limit(
    listed: list[tuple[int, int]], unlisted: tuple[int, int]
) -> None:
    """One more device of the last kind: it costs more and keeps a tighter limit."""
    order = sorted(listed)
    cost = np.asarray([float(each) for each, _ in order])
    tight = np.asarray([float(each) for _, each in order])
    steps = descent(tight)
    cost_of_last, tight_of_last = (float(each) for each in listed[-1])
    [known] = open_from(
        ([cost[steps]], tight[steps]),
        ([np.asarray([cost_of_last])], np.asarray([tight_of_last])),
    ).tolist()
    more, tighter = unlisted
    next_one = (cost_of_last + more, tight_of_last * (1 - tighter / 10))
    for limit in np.arange(0.25, 10, 0.25):
        best = min(
            (each for each, at in zip(cost, tight, strict=True) if at <= limit),
            default=np.inf,
        )
        if limit >= known and next_one[1] <= limit < tight_of_last:
            assert best <= next_one[0]


@pytest.mark.oracle("evaluate.advice.staircase.tightness")
@pytest.mark.formula("evaluate.advice.staircase.tightness")
@given(
    name=st.sampled_from([LIFE, "ram_bytes"]),
    one=st.floats(0, 1e12),
    other=st.floats(0, 1e12) | st.just(np.inf),
)
def test_the_tighter_of_two_values_keeps_every_limit_that_the_other_keeps(
    name: str, one: float, other: float
) -> None:
    tight = tightness(name, np.asarray([one, other, np.nan]))
    for limit in (one, other):
        # A life is at least the limit, all else at most.
        keeps = [
            each >= limit if name == LIFE else each <= limit for each in (one, other)
        ]
        if tight[0] < tight[1]:
            assert keeps[0] >= keeps[1]
        if tight[1] < tight[0]:
            assert keeps[1] >= keeps[0]
    # What is unknown keeps no limit.
    assert tight[2] == np.inf


@pytest.mark.oracle("evaluate.advice.staircase.window")
@pytest.mark.formula("evaluate.advice.staircase.window")
@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_the_window_holds_the_step_that_was_asked(
    steps: int, most: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, steps - 1))
    first, last = window(at, steps, most)
    assert 0 <= first <= at < last <= steps
    assert last - first == min(steps, most)


def test_every_limit_that_is_listed_can_be_asked_for() -> None:
    """Devices behind RAM that holds all of the data are idle: no limit on how busy they are is so tight that they break it."""
    asked = {**WITH_LATENCY, "objective": "usd"}
    [found] = [
        each
        for each in ask(**asked, how_sure=True).staircases
        if each.constraint == PEAK_BUSY
    ]
    idle, *others = found.steps
    assert idle.value is None
    assert others
    assert found.tightest_known is None
    for step in others:
        assert step.value is not None
        assert 0 < step.value <= 1
    tiny = ask(**{**asked, "constraints": {PEAK_BUSY: Decimal("1e-12")}})
    best = tiny.recommendation
    assert best is not None
    assert best.peak_busy == 0
    assert (best.name, best.scheme) == (idle.name, idle.scheme)
    assert found.at(1e-12) == idle
    assert limit_cost.finding(found, "usd").endswith(
        f"one however small costs {money(idle.usd_per_month)} per month"
    )
    with pytest.raises(BadInput):
        ask(**{**asked, "constraints": {PEAK_BUSY: 0}})
