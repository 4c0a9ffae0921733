"""Limits in conflict, where limits choose how many devices hold the data: every one is needed, and no needed one is missing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, SHELF, ask, asked_of, problems, question, tried
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise.advice import _choice, _conflict, _why_not, advice_on
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import asked_again
from tierwright.advise.advice._table import Table
from tierwright.evaluate.advice.limits import LEAST, LOAD, PEAK_BUSY

tight = st.fixed_dictionaries(
    {
        "usd_per_month": st.integers(5, 3_000),
    },
    optional={
        "purchase_usd": st.integers(100, 10**5),
        "ram_bytes": st.integers(2**28, 2**40),
        "io_time_us_per_access": st.floats(1.0, 1e4),
        "flash_life_years": st.floats(0.1, 30.0),
        "peak_busy": st.floats(0.05, 1.0),
        "throughput_accesses_per_s": st.floats(10.0, 1e7),
    },
)


def asking(problem: dict[str, Any], limits: dict[str, Any]) -> Asked:
    return question(asked_of({**problem, "limits": limits, "have": None}))


def keeps(problem: dict[str, Any], limits: dict[str, Any], *, load: bool) -> bool:
    """Ask anew with some limits alone: devices may be busy all the time, or for more than that, where their share has none."""
    asked = asking(problem, limits)
    if PEAK_BUSY not in limits:
        asked = asked.at_its_loosest(PEAK_BUSY) if load else asked.without(PEAK_BUSY)
    return asked_again(asked, Table.of(asking(problem, {}).setting))[1] is not None


@given(problems, tight)
@settings(max_examples=tried(60), deadline=None)
def test_each_limit_of_a_conflict_is_needed_and_all_that_are_needed_are_in_it(
    problem: dict[str, Any], limits: dict[str, Any]
) -> None:
    asked = asking(problem, limits)
    table = Table.of(asked.setting)
    chosen = _choice.chosen_of(asked, table)
    assume(not len(chosen.order))
    names = _conflict.conflict(asked, table, chosen.limits)
    stated = {name: float(value) for name, value in asked.constraints.items()}
    kept = {name: stated[name] for name in names if name in stated}
    assert kept
    load = LOAD in names
    assert not keeps(problem, kept, load=load)
    for name in kept:
        rest = {key: value for key, value in kept.items() if key != name}
        assert keeps(problem, rest, load=load or name == PEAK_BUSY), name


@given(problems, tight)
@settings(max_examples=tried(40), deadline=None)
def test_a_relaxation_admits_an_option_and_a_smaller_one_admits_none(
    problem: dict[str, Any], limits: dict[str, Any]
) -> None:
    asked = asking(problem, limits)
    table = Table.of(asked.setting)
    chosen = _choice.chosen_of(asked, table)
    assume(not len(chosen.order))
    names = _conflict.conflict(asked, table, chosen.limits)
    nearest = _why_not.nearest_titled(table, chosen.limits, names, asked.objective)
    assume(nearest is not None)
    assert nearest is not None
    found = _conflict.with_fewer_devices(asked, table, names, nearest)
    stated = {name: float(value) for name, value in asked.constraints.items()}
    for name, value, _ in found:
        assert name in names
        # What rounding takes is allowed both ways.
        less, more = (value * (1 - 1e-8), value * (1 + 1e-8))
        admits = {**stated, name: less if name in LEAST else more}
        assert keeps(problem, admits, load=True), name
        # Less than all that has to be given up is not enough.
        near = value + (stated[name] - value) * 0.02
        if abs(near / value - 1) > 2 * _conflict.NEAREST:
            assert not keeps(problem, {**stated, name: near}, load=True), name
    # A limit that says nothing is one without which no option is admitted.
    for name in set(names) & set(stated) - {each for each, _, _ in found}:
        rest = {key: value for key, value in stated.items() if key != name}
        assert not keeps(problem, rest, load=True), name


def test_the_load_for_which_devices_are_listed_is_part_of_a_conflict() -> None:
    """No listed option breaks a limit that its number of devices was chosen by."""
    problem: dict[str, Any] = {
        "data": 32 * 2**30,
        "rate": 300.0,
        "peak": 1.67,
        "ram": Decimal(6),
        "prices": [Decimal("0.02")] * len(SHELF),
        "some": {"seagate-exos-x24-24tb"},
        "objective": "usd",
    }
    limits = {"ram_bytes": 2**33, "usd_per_month": 75}
    load = {"throughput_accesses_per_s": 3000.0}
    assert keeps(problem, limits, load=True)
    found = advice_on(asking(problem, {**limits, **load}), how_sure=False)
    assert found.infeasible is not None
    assert found.infeasible.conflict == (*load, *limits)
    assert "the limits on throughput, on RAM and on the cost" in found.infeasible.text
    assert "is enough: throughput to 2," in found.infeasible.text


def test_a_conflict_says_where_it_was_not_found_how_far_to_relax_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Silence would read as if there were nothing to relax."""
    asked = {
        "constraints": {"restart_s": Decimal("0.001"), "response_p50_us": Decimal(1)},
        "candidates": replace(DEVICES_ALONE, kinds=("instances",)),
    }
    said = set()
    for most in (1_000, 0):
        monkeypatch.setattr(_why_not, "MOST_QUEUES", most)
        found = ask(**asked)
        assert found.infeasible is not None
        said.add(found.infeasible.more)
        assert found.infeasible.more in found.finding
    assert "How far it would have to be relaxed was not found." in said
    assert len(said) == 2
