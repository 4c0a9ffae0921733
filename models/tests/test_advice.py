"""The advisor: its choice against a slow search, its invariants on random problems, its words, files and command."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    GIB,
    PRICES,
    PRODUCTION,
    SHELF,
    TIB,
    ask,
    asked_of,
    book,
    curve,
    keeps,
    problems,
    recorded,
    tried,
)
from advice_cases import (
    question as _asked,
)
from command import run
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from slow_advice import cents, objective_of, slow_best

from tierwright.advise import advice, report, scale
from tierwright.advise.advice import _checked, _choice, _why_not, _words
from tierwright.advise.advice._checked import (
    Replayed,
    Settled,
    about_replays,
    decided,
    settled,
)
from tierwright.advise.advice._checked.settling import refuted_by_more_ram
from tierwright.advise.advice._choice import chosen_of, first_kept
from tierwright.advise.advice._sure import NOT_ASKED
from tierwright.advise.advice._table import Setting, Table, bill_rows
from tierwright.advise.advice.found import Advice, Option, Shadow
from tierwright.advise.advice.request import (
    Candidates,
    Have,
    candidates_from_mapping,
    checked_constraints,
    have_from_mapping,
)
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import first_and_rest, title_of_rest
from tierwright.common.currency import ExchangeRate, money, showing
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.bought import bought
from tierwright.evaluate.advice.choose import (
    Objective,
    best_of_kinds,
    front,
    in_time,
    keeping,
    not_too_slow,
    ordered,
)
from tierwright.evaluate.advice.later import months_until, stretched_curve
from tierwright.evaluate.advice.limits import (
    CONSTRAINTS,
    LEAST,
    RESPONSES,
    Limit,
    conflict,
    excess,
    first_broken,
    own_limits,
    relaxation,
    stated_limits,
)
from tierwright.evaluate.advice.rows import (
    CHOICES,
    busy_share,
    least_percentile_us,
    life_years,
    month_cents,
    peak_busy,
)
from tierwright.evaluate.advice.thumbs import following, thumbs
from tierwright.evaluate.advice.tiers import tiers
from tierwright.evaluate.configurations.columns import enumerate_configurations
from tierwright.evaluate.configurations.front import spread
from tierwright.evaluate.configurations.times import speeds
from tierwright.evaluate.configurations.wanted import Wanted
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.operations import (
    Operations,
    distinct_sizes,
    operations,
)
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.oracle("advise.advice.answer", "evaluate.advice.tiers.ram_sizes")
@pytest.mark.parametrize("rate", [500.0, 30_000.0])
def test_the_cheapest_is_that_of_a_search_one_by_one(rate: float) -> None:
    production = replace(PRODUCTION, accesses_per_s=rate / 2, peak_accesses_per_s=rate)
    found = ask(curve=curve(production))
    month, io_us = slow_best(
        curve(production), PRICES, Decimal("20.625"), most_busy=0.7
    )
    best = found.recommendation
    assert best is not None
    assert best.usd_per_month is not None
    assert cents(best.usd_per_month) == month
    assert best.io_time_us_per_access == pytest.approx(io_us, rel=1e-9)


@pytest.mark.costly(12)
@pytest.mark.formula(
    "advise.advice.answer",
    "evaluate.advice.limits.first_broken",
    "evaluate.advice.choose.ordered",
)
@settings(max_examples=tried(40))
@given(problem=problems)
def test_what_is_recommended_keeps_every_limit_and_is_never_worse_than_what_there_is(
    problem: dict[str, Any],
) -> None:
    asked = asked_of(problem)
    machine = None if problem["peak"] < 3 else Decimal(20)
    asked["candidates"] = replace(asked["candidates"], machine_usd=machine)
    found = ask(**asked)
    best, zero = found.recommendation, found.option_zero
    if best is None:
        assert found.infeasible is not None
        assert found.infeasible.conflict
        if zero is not None:
            assert (
                not keeps(zero, found.constraints)
                or zero.usd_per_month is None
                or (zero.disks * (24 * 10**12) < problem["data"])
            )
        return
    assert keeps(best, found.constraints)
    rows = sum((Decimal(row["usd_per_month"]) for row in best.bill), Decimal(0))
    if best.bill:
        assert best.usd_per_month == rows
    if zero is not None and zero.usd_per_month is not None:
        saving = found.saving_usd_per_month
        # What is saved by parts depends on the machine that they need.
        assert (saving is None) == best.without_machine
        assert best.without_machine == (machine is None and best.kind == "devices")
        assert saving is None or saving <= zero.usd_per_month
        holds = zero.disks * 24 * 10**12 >= problem["data"]
        if holds and keeps(zero, found.constraints):
            worse = (
                float(zero.usd_per_month)
                if found.objective != "io_time"
                else zero.io_time_us_per_access
            )
            assert worse is not None
            assert objective_of(found) <= worse * (1 + 1e-9)
    for each in (*found.alternatives, *found.pareto):
        assert keeps(each, found.constraints)
    for each in found.rejected:
        assert each.option != best


@pytest.mark.costly(8)
@settings(max_examples=tried(20))
@given(problem=problems, more=st.floats(1.0, 3.0))
def test_a_looser_limit_or_one_more_candidate_never_makes_it_worse(
    problem: dict[str, Any], more: float
) -> None:
    asked = asked_of(problem)
    found = ask(**asked)
    for name, limit in asked["constraints"].items():
        looser = dict(asked["constraints"])
        factor = Decimal(repr(1 / more if name in LEAST else more))
        looser[name] = limit * factor
        if name == "peak_busy":
            looser[name] = min(looser[name], Decimal(1))
        other = ask(**{**asked, "constraints": looser})
        assert objective_of(other) <= objective_of(found) * (1 + 1e-9)
    every = ask(**{**asked, "candidates": replace(DEVICES_ALONE, devices=SHELF)})
    assert objective_of(every) <= objective_of(found) * (1 + 1e-9)


def test_more_devices_are_bought_where_their_life_asks_for_them() -> None:
    drive = "samsung-pm9a3-7.68tb-u2"
    asked: dict[str, Any] = {
        "curve": curve(Production(2**30, 195_519.0, 586_557.0)),
        "candidates": replace(DEVICES_ALONE, devices=(drive,)),
    }
    small = {"ram_bytes": 2**22}
    once = ask(**asked, constraints=small).recommendation
    assert once is not None
    assert once.flash_life_years is not None
    longer = {**small, "flash_life_years": once.flash_life_years * 2.5}
    counts = []
    for busy in (0.2, 0.7, 1.0):
        found = ask(**asked, constraints={**longer, "peak_busy": busy}).recommendation
        assert found is not None
        assert found.flash_life_years is not None
        assert found.flash_life_years >= longer["flash_life_years"]
        counts.append(found.disks)
    # A looser busy share takes no device away that the life needs.
    assert min(counts) >= math.ceil(once.disks * 2.5)
    assert counts == sorted(counts, reverse=True)
    told = ask(**asked, constraints=longer, how_sure=True)
    assert told.verdict.limited_by == "flash_life_years"


@pytest.mark.costly(6)
@settings(max_examples=tried(30))
@given(problem=problems)
def test_a_device_that_is_in_nothing_that_suits_can_go(problem: dict[str, Any]) -> None:
    problem = {**problem, "have": None, "some": set(SHELF)}
    asked = asked_of(problem)
    found = ask(**asked)
    assume(found.recommendation is not None)
    suiting = {
        name
        for each in (found.recommendation, *found.alternatives, *found.pareto)
        if each is not None
        for name in (each.flash_device, each.disk_device)
    }
    spare = [name for name in SHELF if name not in suiting]
    assume(spare and found.pareto_in_all <= len(found.pareto))
    fewer = tuple(name for name in SHELF if name != spare[0])
    other = ask(**{**asked, "candidates": replace(DEVICES_ALONE, devices=fewer)})
    assert other.recommendation == found.recommendation
    assert other.alternatives == found.alternatives
    assert other.pareto == found.pareto


def _setting(asked: dict[str, Any]) -> Setting:
    return _asked(asked).setting


@pytest.mark.costly(6)
@settings(max_examples=tried(25))
@given(problem=problems)
def test_a_cheaper_device_never_falls(problem: dict[str, Any]) -> None:
    asked = asked_of({**problem, "have": None, "objective": "usd", "limits": {}})
    found = ask(**asked)
    best = found.recommendation
    assert best is not None
    cheaper = {
        name: usd / 2 if name == best.disk_device else usd
        for name, usd in zip(SHELF, problem["prices"], strict=True)
    }
    other = ask(**{**asked, "prices": book(problem["ram"], **cheaper)})
    assert other.recommendation is not None
    assert best.disk_device in (
        other.recommendation.disk_device,
        other.recommendation.flash_device,
    )


def test_the_same_question_has_the_same_answer_and_id_and_another_has_another() -> None:
    one, same = ask(), ask()
    assert one.to_dict() == same.to_dict()
    assert one.advice_id != ask(constraints={"ram_bytes": "1TiB"}).advice_id
    assert one.advice_id != ask(seed=1).advice_id
    assert one.advice_id != ask(objective="io_time").advice_id


CONTRACT = {
    "advice_id",
    "recommendation",
    "option_zero",
    "alternatives",
    "pareto",
    "rejected",
    "infeasible",
    "confidence",
    "checked",
    "when",
    "rules_of_thumb",
    "cautions",
    "versions",
}
OF_OPTION = {
    *("machines", "ram_bytes", "flash_bytes", "flash_device", "disk_device", "server"),
    *("volumes", "scheme", "clean_share", "admission", "options", "usd_per_month"),
    *("purchase_usd", "io_time_us_per_access", "response_p50_us", "response_p99_us"),
    *("throughput_accesses_per_s", "flash_life_years", "bill"),
}


def test_every_key_is_there() -> None:
    document = json.loads(json.dumps(ask(constraints={"ram_bytes": 10**11}).to_dict()))
    assert set(document) >= CONTRACT
    assert set(document["recommendation"]) >= OF_OPTION
    assert document["option_zero"] is None
    assert {"option", "constraint", "value", "limit", "relaxation"} <= set(
        document["rejected"][0]
    )
    assert {
        "probability_best",
        "expected_regret_usd_per_month",
        "tornado",
        "value_of_information",
    } <= set(document["confidence"])
    assert document["confidence"]["probability_best"] is None
    assert "was not asked for" in document["confidence"]["reason"]
    assert len(document["rejected"]) <= advice._why_not.MOST_REJECTED


def test_a_relaxed_limit_admits_what_was_rejected() -> None:
    found = ask(constraints={"usd_per_month": 150})
    [nearest] = [
        each
        for each in found.rejected
        if each.constraint == "usd_per_month" and not each.also
    ][:1]
    assert nearest.limit is not None
    assert nearest.relaxation is not None
    budget = Decimal(str(nearest.limit)) + Decimal(str(nearest.relaxation))
    other = ask(constraints={"usd_per_month": budget})
    assert other.recommendation is not None
    assert other.recommendation.usd_per_month is not None
    assert other.recommendation.usd_per_month <= budget
    assert "is allowed." in nearest.text


def test_what_is_nearest_to_its_limits_is_named_first_among_what_was_rejected() -> None:
    found = ask(constraints={"io_time_us_per_access": 2, "flash_life_years": 20})

    def distance(each: advice.Rejected) -> tuple[int, int, float]:
        """From the values that the answer states alone."""
        shares = [
            math.inf
            if one.value is None or one.limit is None
            else one.limit / one.value
            if one.constraint == "flash_life_years"
            else one.value / one.limit
            for one in (each, *each.also)
        ]
        fixed = sum(one.limit is None for one in (each, *each.also))
        return fixed, len(shares), max(shares)

    far = [distance(each) for each in found.rejected]
    assert far == sorted(far)
    # The cheapest would be another one.
    costs = [each.option.usd_per_month for each in found.rejected if not each.also]
    assert costs[0] != min(cost for cost in costs if cost is not None)


@pytest.mark.oracle("evaluate.advice.limits.excess")
@pytest.mark.formula("evaluate.advice.limits.excess")
@given(
    st.fixed_dictionaries(
        {"usd_per_month": st.integers(20, 400)},
        optional={
            "purchase_usd": st.integers(50, 5_000),
            "flash_life_years": st.integers(1, 40),
            "io_time_us_per_access": st.integers(1, 20),
            "restart_s": st.integers(1, 600),
            "ram_bytes": st.integers(2**32, 2**37),
        },
    )
)
@settings(max_examples=20)
@example({"usd_per_month": 60, "flash_life_years": 20, "io_time_us_per_access": 2})
@example(
    {"usd_per_month": 400, "purchase_usd": 100, "restart_s": 5, "ram_bytes": 2**33}
)
def test_for_the_least_time_the_nearest_to_its_limits_stands_for_its_kind(
    limits: dict[str, float],
) -> None:
    """Against a loop over all options; the fastest of all would be the dearest that is sold."""
    made = _asked(
        {
            "curve": curve(),
            "prices": book(**PRICES),
            "candidates": DEVICES_ALONE,
            "have": None,
            "constraints": {name: Decimal(value) for name, value in limits.items()},
            "objective": "io_time",
        }
    )
    table = Table.of(made.setting)
    chosen = chosen_of(made, table)
    best: dict[int, tuple[int, int, float, float, int, int]] = {}
    far = excess(chosen.limits, np.arange(len(table.options)))
    for at in range(len(table.options)):
        broken = [limit for limit in chosen.limits if limit.breaks[at]]
        if not broken:
            continue
        shares = [1.0]
        for limit in broken:
            value = float(limit.value[at])
            if limit.limit is not None:
                share = (
                    float(limit.limit) / value
                    if limit.name in LEAST
                    else value / float(limit.limit)
                )
                shares.append(math.inf if math.isnan(share) else share)
        assert far[at] == pytest.approx(max(shares))
        key = (
            sum(limit.limit is None for limit in broken),
            len(broken),
            max(shares),
            float(table.options.io_us[at]),
            int(table.options.month_cents[at]),
            at,
        )
        kind = int(table.kind_codes[at])
        best[kind] = min(best.get(kind, key), key)
    found = _why_not.rejected(made, table, chosen)
    assert len(found) == len(best)
    assert {(each.option.name, each.option.scheme) for each in found} == {
        (table.title(key[-1]), table.scheme(key[-1])) for key in best.values()
    }


@pytest.mark.parametrize("time", ["response_mean_us", "response_p99_us"])
def test_a_relaxed_limit_of_a_response_time_admits_what_was_rejected(time: str) -> None:
    limit = 60.0
    found = ask(constraints={time: limit})
    slow = [each for each in found.rejected if each.constraint == time]
    assert slow
    for each in slow:
        # What a bound shows to be too slow states its own time, not the bound.
        assert each.value == (getattr(each.option, time) or None)
        if each.value is not None:
            assert each.relaxation == pytest.approx(each.value - limit)


def test_what_is_too_slow_by_its_bound_alone_states_no_relaxation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drive = "micron-7450-pro-15.36tb"
    slow: dict[str, Any] = {
        "candidates": replace(DEVICES_ALONE, devices=(drive, SHELF[2])),
        "prices": book(**{drive: Decimal("0.9"), SHELF[2]: Decimal("0.04")}),
        "constraints": {"response_p99_us": 1.0, "flash_bytes": 2**20},
    }
    whole = ask(**slow)
    monkeypatch.setattr(_choice, "MOST_EXACT", 0)
    found = ask(**slow)
    # What is not known is not near, so the order may be another one.
    of = {(each.option.name, each.option.scheme): each for each in whole.rejected}
    assert of.keys() == {
        (each.option.name, each.option.scheme) for each in found.rejected
    }
    known = 0
    for one in found.rejected:
        same = of[one.option.name, one.option.scheme]
        if "even if nothing waits" in one.text:
            assert one.value is None
            assert one.relaxation is None
            assert same.value is None or same.value > 1.0
        else:
            known += 1
            assert one.value == same.value
    assert 0 < known < len(found.rejected)


def test_alternatives_that_were_not_held_against_the_limit_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = {"response_p99_us": 1e6}
    # Of disks alone the latencies are stated.
    third = "seagate-exos-x18-18tb"
    given_: dict[str, Any] = {
        "constraints": limits,
        "candidates": replace(DEVICES_ALONE, devices=(*SHELF, third)),
        "prices": book(**PRICES, **{third: Decimal("0.05")}),
    }
    whole = ask(**given_)
    assert len(whole.alternatives) > 1
    assert "alternatives_cut" not in {each.name for each in whole.warnings}
    monkeypatch.setattr(_choice, "MOST_ASKED", 1)
    found = ask(**given_)
    assert found.recommendation == whole.recommendation
    assert found.pareto == whole.pareto
    assert len(found.alternatives) < len(whole.alternatives)
    [told] = [each for each in found.warnings if each.name == "alternatives_cut"]
    assert "option" in told.message


def test_what_conflicts_is_named_and_no_more() -> None:
    free = ask()
    cheap, fast = free.pareto[0], free.pareto[-1]
    assert cheap.usd_per_month is not None
    assert fast.io_time_us_per_access is not None
    both = {
        "usd_per_month": cheap.usd_per_month + 1,
        "io_time_us_per_access": fast.io_time_us_per_access * 1.01,
    }
    found = ask(constraints={**both, "machines": 5})
    assert found.recommendation is None
    assert found.infeasible is not None
    assert set(found.infeasible.conflict) == set(both)
    assert "machines" not in found.infeasible.text
    assert (
        "on the cost per month and on the I/O time of an access"
        in found.infeasible.text
    )
    for name in both:
        rest = {key: value for key, value in both.items() if key != name}
        assert ask(constraints=rest).recommendation is not None


@pytest.mark.oracle(
    "evaluate.advice.limits.conflict",
    "evaluate.advice.limits.first_broken",
)
@pytest.mark.formula("evaluate.advice.limits.conflict")
@given(
    breaks=st.lists(
        st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=5
    )
)
def test_a_conflict_is_one_and_is_minimal(breaks: list[list[bool]]) -> None:
    limits = [
        Limit(str(at), Decimal(1) if at % 2 else None, np.zeros(6), np.asarray(row))
        for at, row in enumerate(breaks)
    ]

    def feasible(names: set[str]) -> bool:
        return any(
            not any(breaks[int(name)][row] for name in names) for row in range(6)
        )

    found = set(conflict(limits, 6))
    first = [
        next((at for at, row in enumerate(breaks) if row[column]), -1)
        for column in range(6)
    ]
    assert first_broken(limits, 6).tolist() == first
    if feasible({str(at) for at in range(len(breaks))}):
        assert not found
        return
    assert not feasible(found)
    for name in found:
        assert feasible(found - {name})
    # A stated limit is not named in place of what nobody states: that stays while the others are left out.
    every = {str(at) for at in range(len(breaks))}
    fixed = {name for name in every if int(name) % 2 == 0}
    stated = found - fixed
    for name in stated:
        assert feasible(fixed | stated - {name})
    # What nobody states is named alone only where nothing keeps it.
    assert stated or not feasible(fixed)


@pytest.mark.parametrize(
    ("busy", "named"),
    [
        # Whoever pays less is busy for more than all of the time: no limit of the busy share helps.
        ([1.5, 4.0, 0.5], ("usd_per_month", "load")),
        # One that pays less is busy for 90 % of the time: a looser limit of either helps.
        ([0.9, 4.0, 0.5], ("peak_busy", "usd_per_month")),
    ],
)
def test_no_device_is_busy_for_more_than_all_of_the_time_in_a_conflict(
    busy: list[float], named: tuple[str, ...]
) -> None:
    share, usd = np.asarray(busy), np.asarray([5.0, 5.0, 50.0])
    limits = [
        Limit("peak_busy", Decimal("0.7"), share, share > 0.7),
        Limit("usd_per_month", Decimal(10), usd, usd > 10),
        Limit(
            "io_time_us_per_access", Decimal(9), share, np.asarray([True, False, False])
        ),
    ]
    assert conflict(limits, 3) == named


def test_who_drops_a_limit_that_is_named_finds_an_option() -> None:
    cheapest, fastest = ask().pareto[0], ask().pareto[-1]
    assert cheapest.usd_per_month is not None
    assert fastest.io_time_us_per_access is not None
    limits = {
        "usd_per_month": cheapest.usd_per_month - 1,
        "io_time_us_per_access": fastest.io_time_us_per_access * 2,
    }
    found = ask(constraints=limits)
    assert found.infeasible is not None
    named = [name for name in found.infeasible.conflict if name in limits]
    assert named == ["usd_per_month"]
    rest = {name: value for name, value in limits.items() if name not in named}
    assert ask(constraints=rest).recommendation is not None
    assert ask(constraints={name: limits[name] for name in named}).infeasible


@pytest.mark.oracle(
    "evaluate.advice.choose.best_of_kinds",
    "evaluate.advice.choose.keeping",
    "evaluate.advice.choose.in_time",
    "evaluate.advice.choose.not_too_slow",
)
@pytest.mark.formula(
    "evaluate.advice.choose.best_of_kinds",
    "evaluate.advice.choose.keeping",
    "evaluate.advice.choose.in_time",
    "evaluate.advice.choose.not_too_slow",
)
@given(
    kinds=st.lists(st.integers(0, 4), min_size=1, max_size=30),
    times=st.lists(st.floats(0, 10), min_size=30, max_size=30),
    limit=st.floats(0, 10),
)
def test_the_first_of_each_kind_and_those_that_respond_in_time(
    kinds: list[int], times: list[float], limit: float
) -> None:
    order = np.arange(len(kinds))[::-1].copy()
    seen: list[int] = []
    for at in order.tolist():
        if kinds[at] not in [kinds[one] for one in seen]:
            seen.append(at)
    assert best_of_kinds(order, np.asarray(kinds)).tolist() == seen
    asked: list[int] = []

    def responses(rows: Any) -> tuple[Any, Any]:
        asked.extend(rows.tolist())
        return np.full(len(rows), np.inf), np.asarray(times)[rows]

    least = np.asarray(times) / 2
    found = list(keeping(order, responses, (None, limit), (np.zeros(30), least)))
    unknown = np.full(30, np.nan)
    assert not in_time((None, limit), (unknown, unknown)).any()
    assert in_time((None, None), (unknown, unknown)).all()
    assert found == [at for at in order.tolist() if times[at] <= limit]
    assert all(least[at] <= limit for at in asked)
    able = not_too_slow(order, (None, limit), (np.full(30, np.inf), least))
    assert able.tolist() == [at for at in order.tolist() if least[at] <= limit]


@pytest.mark.oracle("evaluate.advice.choose.front", "evaluate.advice.choose.ordered")
@pytest.mark.formula("evaluate.advice.choose.front")
@settings(max_examples=20)
@given(problem=problems)
def test_the_front_has_no_member_that_another_beats(problem: dict[str, Any]) -> None:
    asked = asked_of({**problem, "have": None, "limits": {}})
    table = Table.of(_setting(asked))
    options = table.options
    rows = np.arange(0, len(options), 7)
    usd, time = options.month_cents, options.io_us
    found = front(options, rows).tolist()
    for at in found:
        assert not any(
            usd[other] <= usd[at]
            and time[other] <= time[at]
            and (usd[other] < usd[at] or time[other] < time[at])
            for other in rows
        )
    by_usd = ordered(options, rows, "usd").tolist()
    assert by_usd == sorted(rows.tolist(), key=lambda at: (usd[at], time[at], at))
    by_time = ordered(options, rows, "io_time").tolist()
    assert by_time == sorted(rows.tolist(), key=lambda at: (time[at], usd[at], at))


def test_response_times_are_limited_exactly() -> None:
    name = "micron-7450-pro-15.36tb"
    shelf: dict[str, Any] = {
        "candidates": replace(DEVICES_ALONE, devices=(name, SHELF[2])),
        "prices": book(**{name: Decimal("0.9"), SHELF[2]: Decimal("0.04")}),
    }
    cheap = ask(**shelf).recommendation
    assert cheap is not None
    assert cheap.response_p99_us is not None
    assert cheap.usd_per_month is not None
    limit = cheap.response_p99_us / 3
    found = ask(**shelf, constraints={"response_p99_us": limit})
    fast = found.recommendation
    assert fast is not None
    assert fast.response_p99_us is not None
    assert fast.usd_per_month is not None
    assert fast.response_p99_us <= limit
    assert fast.usd_per_month > cheap.usd_per_month
    for each in (*found.alternatives, *found.pareto):
        assert each.response_p99_us is not None
        assert each.response_p99_us <= limit
    # Whatever costs less is too slow, or its latency is not stated.
    for each in ask(**shelf).pareto:
        assert each.usd_per_month is not None
        if each.usd_per_month < fast.usd_per_month:
            assert each.response_p99_us is None or each.response_p99_us > limit
    # RAM for all of the data alone waits for no device.
    held = ask(**shelf, constraints={"response_p99_us": 1}).recommendation
    assert held is not None
    assert held.ram_bytes >= PRODUCTION.data_bytes
    assert held.response_p99_us == 0
    none = ask(**shelf, constraints={"response_p99_us": 1, "ram_bytes": 2 * TIB})
    assert none.infeasible is not None
    assert none.infeasible.conflict == ("ram_bytes", "response_p99_us")
    # Nothing keeps every limit, so nothing is counted as if it did.
    assert none.rejected_counts["response_p99_us"] > 0
    assert sum(none.rejected_counts.values()) == none.evaluated
    assert none.suitable == 0
    said = report.html(none.to_dict(derivation=True))
    assert said.count(" evaluated; none keeps every limit") == 1
    assert "besides those of response times" not in said


@pytest.fixture(scope="module")
def volumes() -> tuple[Any, Table]:
    """Instances whose volumes differ in their throughput, and so in how long they take to transfer a page."""
    asked = _asked(
        {
            "curve": curve(Production(4 * TIB, 20_000.0, 50_000.0)),
            "have": None,
            "constraints": {},
            "objective": "usd",
            "candidates": Candidates(
                kinds=("volumes",), volumes=("aws-ebs-gp3",), max_machines=1
            ),
            "prices": None,
        }
    )
    return asked, Table.of(asked.setting)


def test_no_response_time_is_below_its_bound(volumes: tuple[Any, Table]) -> None:
    asked, table = volumes
    order = chosen_of(asked, table).order
    some = order[:: max(1, len(order) // 300)]
    exact = table.peak_responses(some)
    assert len(np.unique(table.latencies_us[1][some])) > 1
    for bound, times in zip(table.least_response, exact, strict=True):
        assert np.all(bound[some] <= times)


@pytest.mark.parametrize("name", ["response_mean_us", "response_p99_us"])
def test_what_is_slower_without_a_queue_is_no_slower_with_one_alone(
    volumes: tuple[Any, Table], name: str
) -> None:
    """The first of volumes that is fast enough, each computed by itself: a faster one of the same kind is not passed over."""
    asked, table = volumes
    order = chosen_of(asked, table).order
    times = table.peak_responses(order)[RESPONSES.index(name)]
    finite = np.unique(times[np.isfinite(times)])
    for limit in finite[:: max(1, len(finite) // 8)]:
        limited = replace(asked, constraints={name: Decimal(repr(float(limit)))})
        [fast] = np.nonzero(times <= limit)
        fresh = Table.of(limited.setting)
        found = first_kept(limited, fresh, chosen_of(limited, fresh), order)
        assert found == int(order[fast[0]])
        found_all = ask(
            curve=asked.setting.curve,
            candidates=asked.setting.candidates,
            prices=None,
            constraints={name: Decimal(repr(float(limit)))},
        )
        assert found_all.recommendation is not None
        assert all(
            value is None or value > limit
            for each in found_all.rejected
            for broken in (each, *each.also)
            if broken.constraint == name
            for value in (broken.value,)
        )


@pytest.mark.parametrize(
    "name", ["response_mean_us", "response_p50_us", "response_p99_us"]
)
def test_the_first_that_is_fast_enough_is_found_however_many_are_too_slow(
    name: str,
) -> None:
    """Each option computed by itself, in the order of the objective: many that stand first wait too long."""
    drive = "micron-7450-pro-15.36tb"
    asked = _asked(
        {
            "curve": curve(),
            "have": None,
            "constraints": {},
            "objective": "usd",
            "candidates": replace(DEVICES_ALONE, devices=(drive, SHELF[2])),
            "prices": book(**{drive: Decimal("0.9"), SHELF[2]: Decimal("0.04")}),
        }
    )
    table = Table.of(asked.setting)
    order = chosen_of(asked, table).order
    which = RESPONSES.index(name)
    times = np.asarray([table.peak_response(at)[which] for at in order.tolist()])
    bound = table.least_response[which][order]
    assert np.all(bound <= times)
    finite = np.sort(times[np.isfinite(times)])
    for limit in (*finite[:: max(1, len(finite) // 12)], finite[0] * 0.999):
        limited = replace(asked, constraints={name: Decimal(repr(float(limit)))})
        [fast] = np.nonzero(times <= float(limited.constraints[name]))
        wanted = int(order[fast[0]]) if len(fast) else None
        fresh = Table.of(limited.setting)
        assert first_kept(limited, fresh, chosen_of(limited, fresh), order) == wanted
        if wanted is None:
            # What waits no less is left out without a queue.
            assert fresh.responses.computed < len(order)


def test_a_limit_of_the_mean_response_is_kept_and_named() -> None:
    drive = "micron-7450-pro-15.36tb"
    shelf: dict[str, Any] = {
        "candidates": replace(DEVICES_ALONE, devices=(drive, SHELF[2])),
        "prices": book(**{drive: Decimal("0.9"), SHELF[2]: Decimal("0.04")}),
    }
    cheap = ask(**shelf).recommendation
    assert cheap is not None
    assert cheap.response_mean_us is not None
    assert cheap.response_mean_mean_us is not None
    assert 0 < cheap.response_mean_mean_us < cheap.response_mean_us
    limit = cheap.response_mean_us / 2
    found = ask(**shelf, constraints={"response_mean_us": limit})
    fast = found.recommendation
    assert fast is not None
    assert fast.response_mean_us is not None
    assert fast.response_mean_us <= limit
    assert fast.usd_per_month is not None
    assert cheap.usd_per_month is not None
    assert fast.usd_per_month > cheap.usd_per_month
    assert any(each.constraint == "response_mean_us" for each in found.rejected)
    # RAM for all of the data alone waits for no device.
    held = ask(**shelf, constraints={"response_mean_us": 1e-3}).recommendation
    assert held is not None
    assert held.ram_bytes >= PRODUCTION.data_bytes
    assert held.response_mean_us == 0
    none = ask(**shelf, constraints={"response_mean_us": 1e-3, "ram_bytes": 2 * TIB})
    assert none.infeasible is not None
    assert none.infeasible.conflict == ("ram_bytes", "response_mean_us")


def test_without_a_rate_nothing_rests_on_one() -> None:
    found = ask(curve=recorded().curve, candidates=DEVICES_ALONE)
    best = found.recommendation
    assert best is not None
    assert best.peak_busy is None
    assert best.response_p99_us is None
    assert found.accesses_per_s is None
    assert "peak_busy" not in found.constraints
    assert "rate_not_known" in {each.code for each in found.cautions}
    assert "was not checked" in found.finding
    with pytest.raises(BadInput, match="states no rate"):
        ask(curve=recorded().curve, constraints={"response_p99_us": 10})
    with pytest.raises(BadInput, match="states no rate"):
        ask(curve=recorded().curve, constraints={"peak_busy": 0.5})


def test_whole_systems_are_the_candidates_where_nobody_says() -> None:
    found = advice.answer(curve(), prices=advice.named_book(None), how_sure=False)
    best = found.recommendation
    assert best is not None
    assert best.kind in ("instances", "volumes")
    kinds = {each.kind for each in (*found.alternatives, *found.pareto)}
    assert kinds <= {"instances", "volumes"}
    assert best.server is not None
    assert best.usd_per_month == sum(
        (Decimal(row["usd_per_month"]) for row in best.bill), Decimal(0)
    )


RENTED = ("instances", "volumes")


def test_what_is_rented_keeps_a_limit_on_its_99th_percentile() -> None:
    limit = 1000.0
    found = ask(
        candidates=Candidates(kinds=RENTED), constraints={"response_p99_us": limit}
    )
    best = found.recommendation
    assert best is not None
    assert best.kind in RENTED
    known = (best, *found.alternatives, *found.pareto)
    for option in known:
        assert option.response_p99_us is not None
        assert option.response_p50_us is not None
        assert option.response_p50_us <= option.response_p99_us <= limit
        # Nothing is faster than one read of the tier on which the percentile rests.
        assert option.response_p99_us == 0 or option.response_p99_us >= 79
    assert len({option.server for option in known}) > 1
    [said] = [each for each in found.cautions if each.code == "latency_of_source"]
    assert set(said.about) <= {best.flash_device, best.disk_device}
    for name in said.about:
        assert f"a read of `{name}` that waits for no other is taken to last" in (
            said.message
        )
    assert "https://" in said.message
    assert "percentiles do not count" in said.message


def test_what_is_rented_and_states_no_latency_is_left_out_by_name() -> None:
    silent = replace(
        Candidates(kinds=("instances",)),
        servers=("aws-i3en.3xlarge", "aws-i7ie.3xlarge"),
    )
    found = ask(candidates=silent, constraints={"response_p99_us": 1000})
    assert found.recommendation is not None
    assert found.recommendation.server == "aws-i7ie.3xlarge"
    [left_out] = [
        each
        for each in found.rejected
        if each.option.server == "aws-i3en.3xlarge"
        and each.constraint == "response_p99_us"
    ][:1]
    assert left_out.value is None
    assert "the latency of a read of aws-i3en.3xlarge-local" in left_out.text
    assert "measure the device" in left_out.text
    free = ask(candidates=silent)
    assert free.recommendation is not None
    assert free.recommendation.server == "aws-i3en.3xlarge"
    assert "latency_of_source" not in {each.code for each in free.cautions}


def test_a_bound_is_told_as_a_bound() -> None:
    found = ask(
        candidates=replace(
            Candidates(kinds=("volumes",)),
            servers=("aws-r7i.4xlarge",),
            volumes=("aws-ebs-io2",),
        ),
    )
    best = found.recommendation
    assert best is not None
    assert best.disk_device == "aws-ebs-io2"
    assert best.response_p99_us is not None
    assert best.response_p99_us >= 500
    [said] = [each for each in found.cautions if each.code == "latency_of_source"]
    assert said.about == ("aws-ebs-io2",)
    assert "500 µs" in said.message
    assert "an upper bound of the mean of transfers of 16 KiB" in said.message


def test_the_machine_of_devices_is_counted_or_said_to_be_left_out() -> None:
    without = ask()
    assert "machine_left_out" in {each.code for each in without.cautions}
    assert without.recommendation is not None
    with_ = ask(candidates=replace(DEVICES_ALONE, machine_usd=Decimal(3600)))
    best = with_.recommendation
    assert best is not None
    assert best.usd_per_month is not None
    assert "machine_left_out" not in {each.code for each in with_.cautions}
    assert without.recommendation.usd_per_month is not None
    assert best.usd_per_month == without.recommendation.usd_per_month + 100


def test_keeping_what_there_is_is_said() -> None:
    have = Have(
        machines=1,
        ram_bytes=2 * TIB,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=20,
        usd_per_month=Decimal(1),
    )
    found = ask(have=have)
    assert found.recommendation is not None
    assert found.recommendation.kind == "have"
    assert found.finding.startswith("Keep what there is")
    dear = ask(have=replace(have, usd_per_month=Decimal(10**6)))
    assert dear.recommendation is not None
    assert dear.recommendation.kind == "devices"
    assert "less" in dear.finding
    assert "1,000,000 USD today" in dear.finding
    assert dear.option_zero in dear.alternatives


def test_what_there_is_and_does_not_hold_the_data_is_not_recommended() -> None:
    have = Have(
        machines=1,
        ram_bytes=TIB,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=0 + 1,
        usd_per_month=Decimal(1),
    )
    production = replace(PRODUCTION, data_bytes=100 * TIB)
    found = ask(curve=curve(production), have=have)
    assert found.recommendation is None or found.recommendation.kind != "have"


@pytest.mark.oracle("evaluate.advice.rows.month_cents")
@pytest.mark.formula("evaluate.advice.rows.month_cents")
@given(st.integers(0, 10**12), st.integers(1, 1200))
def test_a_purchase_is_spread_as_decimals_are_rounded(
    purchase: int, months: int
) -> None:
    exact = (Decimal(purchase) / months).quantize(Decimal(1), ROUND_HALF_UP)
    assert month_cents(np.asarray([purchase]), months).tolist() == [int(exact)]


@pytest.mark.oracle(
    "evaluate.advice.rows.life_years", "evaluate.advice.rows.busy_share"
)
@pytest.mark.formula(
    "evaluate.advice.rows.life_years", "evaluate.advice.rows.busy_share"
)
@given(st.floats(0.001, 10), st.floats(1, 1e6), st.floats(1, 1e5))
def test_a_life_ends_when_its_writes_are_used_up(
    written: float, rate: float, budget: float
) -> None:
    [years] = life_years(
        np.asarray([written]), np.asarray([rate]), 8192, np.asarray([budget]), 0.0
    )
    used_tb = years * 365 * 86400 * rate * written * 8192 / 1e12
    assert used_tb == pytest.approx(budget)
    busy = busy_share(np.asarray([2.0]), np.asarray([rate]), np.asarray([3]))
    assert float(busy[0]) * 3 == pytest.approx(rate * 2e-6)
    [never] = life_years(np.zeros(1), np.ones(1), 8192, np.ones(1), 0.3)
    assert never == math.inf


@pytest.mark.oracle("evaluate.advice.rows.least_percentile_us")
@pytest.mark.formula("evaluate.advice.rows.least_percentile_us")
@given(
    st.floats(0, 0.5),
    st.floats(0, 0.5),
    st.floats(1, 1e4),
    st.floats(1, 1e4),
    st.sampled_from([0.5, 0.9, 0.99]),
)
def test_a_percentile_is_at_least_a_read_of_its_tier(
    flash: float, disk: float, flash_us: float, disk_us: float, percentile: float
) -> None:
    count = 20_000
    times = np.zeros(count)
    times[: int(flash * count)] = flash_us
    times[count - int(disk * count) :] = disk_us
    counted = tuple(np.asarray([int(x * count) / count]) for x in (flash, disk))
    [least] = least_percentile_us(
        (counted[0], counted[1]),
        (np.asarray([flash_us]), np.asarray([disk_us])),
        percentile,
    )
    exact = float(np.quantile(times, percentile, method="inverted_cdf"))
    after = float(np.quantile(times, min(1.0, percentile + 1e-3), method="higher"))
    assert exact - 1e-9 <= least <= after or least == pytest.approx(exact)


@pytest.mark.oracle("evaluate.advice.rows.peak_busy")
@pytest.mark.formula("evaluate.advice.rows.peak_busy")
@given(
    store=st.floats(0, 1e4),
    flash=st.floats(0, 1e4) | st.just(math.nan),
    rate=st.none() | st.floats(1, 1e6),
    devices=st.tuples(st.integers(1, 100), st.integers(0, 100)),
)
def test_the_busiest_device_counts_where_all_is_known(
    store: float, flash: float, rate: float | None, devices: tuple[int, int]
) -> None:
    of_store, of_flash = (np.asarray([each]) for each in devices)
    [found] = peak_busy(
        (np.asarray([store]), of_store),
        (np.asarray([flash]), of_flash),
        None if rate is None else np.asarray([rate]),
    )
    if rate is None or math.isnan(flash):
        assert math.isnan(found)
        return
    each = store / devices[0], flash / max(devices[1], 1)
    assert found == pytest.approx(rate * max(each) / 1e6)


@pytest.mark.oracle("evaluate.configurations.front.spread")
@pytest.mark.formula("evaluate.configurations.front.spread")
@given(st.lists(st.integers(0, 10**6), max_size=200), st.integers(2, 60))
def test_what_is_shown_of_a_front_has_both_ends(rows: list[int], most: int) -> None:
    shown = spread(np.asarray(rows, dtype=np.int64), most).tolist()
    assert len(shown) == min(most, len(rows))
    assert shown[:1] == rows[:1]
    assert shown[-1:] == rows[-1:]
    left = iter(rows)
    assert all(each in left for each in shown)  # in their order


@pytest.mark.oracle("evaluate.advice.later.months_until")
@pytest.mark.formula("evaluate.advice.later.months_until")
@given(st.floats(0.01, 0.69), st.floats(0.15, 3.0), st.floats(0.5, 3.0))
def test_growth_reaches_its_limit_in_that_month(
    share: float, growth: float, power: float
) -> None:
    shares = np.asarray([share, 0.8, math.nan])
    months = months_until(lambda times: shares * times**power, 0.7, growth)
    if share * (1 + growth) ** (power * 30) < 0.7:
        assert months[0] == math.inf
    else:
        there = share * (1 + growth) ** (power * months[0] / 12)
        assert there == pytest.approx(0.7)
    assert months[1] == 0
    assert math.isnan(months[2])
    still = months_until(lambda _times: shares, 0.7, 0.0)
    assert still[:2].tolist() == [math.inf, 0.0]
    assert math.isnan(still[2])


@pytest.mark.oracle("evaluate.advice.later.months_until")
@given(
    st.lists(st.floats(0.0, 0.3) | st.just(0.0), min_size=361, max_size=361),
    st.integers(0, 200),
    st.none() | st.integers(1, 360),
    st.none() | st.floats(0.0, 700.0),
)
def test_the_months_before_a_limit_are_those_of_a_walk_month_by_month(
    steps: list[float], start: int, dark: int | None, end: float | None
) -> None:
    """Shares that rise as they like, some from 0, some unknown from a month on, some of what ends before."""
    shares = np.cumsum([0.0] * start + steps)[:361]
    if dark is not None:
        shares[dark:] = math.nan
    ends = math.inf if end is None else end

    def share(times: float) -> FloatArray:
        month = round(12 * math.log(times) / math.log(1.2))
        return np.asarray([shares[month], math.nan])

    [months, unknown] = months_until(share, 0.7, 0.2, ends=np.asarray([ends, math.inf]))
    assert math.isnan(unknown)
    late = next((month for month in range(361) if shares[month] >= 0.7), None)
    # The last month that is known, of those in which it matters.
    seen = min(360 if dark is None else dark - 1, 360)
    if ends == 0 or late == 0:
        assert months == 0
    elif late is not None and late <= ends:
        # Whether it is reached before what is unknown is seen at the months that are looked at.
        assert math.isnan(months) or late - 1 <= months <= late
        assert dark is not None or not math.isnan(months)
    elif late is not None:
        assert math.isnan(months) or min(ends, late - 1) <= months <= ends
        assert dark is not None or not math.isnan(months)
    elif ends <= seen:
        assert months == ends
    elif dark is not None and ends > seen + 1:
        assert math.isnan(months)
    elif dark is None:
        assert months == math.inf


def slow_peak_busy(option: Option, found: Curve, peak: float) -> float:
    """Busy share of the busiest device of an option of bare devices in the busiest hour."""
    assert option.disk_device is not None
    disk = catalog.device(option.disk_device)
    flash = disk if option.flash_device is None else catalog.device(option.flash_device)
    scheme = evaluate(
        found,
        ram_pages=option.ram_bytes // found.page_bytes,
        flash_pages=min(option.flash_bytes, PRODUCTION.data_bytes * 2)
        // found.page_bytes,
        flash=flash,
        disk=disk,
    ).schemes[option.scheme]
    terms = scheme.cost_terms_us_per_access
    busy = {
        tier: sum(us for name, us in terms.items() if name.startswith(tier))
        for tier in ("disk", "flash")
    }
    return (
        max(
            busy["disk"] / option.disks,
            busy["flash"] / max(1, option.flash_devices),
        )
        * peak
        / 1e6
    )


def test_what_is_too_small_is_so_at_the_data_and_the_load_of_that_month() -> None:
    found = ask(constraints={"peak_busy": 0.5})
    best = found.recommendation
    assert best is not None
    assert best.peak_busy is not None
    assert slow_peak_busy(best, curve(), 50_000.0) == pytest.approx(best.peak_busy)
    months = best.months_until_too_small
    assert months is not None
    # Misses grow with the data: sooner than by the load alone.
    assert months <= 12 * math.log(0.5 / best.peak_busy) / math.log(1.2) + 1e-9
    shares = [
        slow_peak_busy(
            best,
            stretched_curve(curve(), 1.2 ** (month / 12)),
            50_000.0 * 1.2 ** (month / 12),
        )
        for month in (0.9 * months - 1, 1.1 * months + 1)
    ]
    assert shares[0] <= 0.5
    held = best.disks * (catalog.device(best.disk_device or "").capacity_bytes or 0)
    full = 12 * math.log(held / PRODUCTION.data_bytes) / math.log(1.2)
    assert shares[1] >= 0.5 or months == pytest.approx(full, rel=0.01)


@pytest.mark.parametrize("rate", [2.0, 5.0, 20.0])
def test_the_five_minute_rule_asks_for_the_pages_that_are_used_in_five_minutes(
    tmp_path: Path, rate: float
) -> None:
    """Each reference is independent of the others, so pages that are counted in windows are those of any five minutes."""
    draw = np.random.default_rng(5)
    popular = 1 / np.arange(1, 4001) ** 0.9
    asked = draw.choice(4000, size=60_000, p=popular / popular.sum())
    path = tmp_path / "made.csv"
    path.write_text(
        "".join(
            f"{128166372003061629 + 2000 * at},h,0,Read,{4096 * page},4096,100\n"
            for at, page in enumerate(asked.tolist())
        )
    )
    width = int(300 * rate)
    used = np.mean(
        [
            len(np.unique(asked[begin : begin + width]))
            for begin in range(20_000, len(asked) - width, 500)
        ]
    )
    profiled = profile(Trace(path))
    # From a cold start the first touches of the recording, one in fifteen accesses, are misses at every size.
    for start, near in (("cold", 0.03), ("steady", 0.01)):
        found = profiled.curve.from_start(start)
        rules = {
            each.name: each for each in thumbs(found, found.data_pages * 4096, rate, 1)
        }
        pages = rules["five_minutes"].ram_pages
        assert pages == pytest.approx(used, rel=near)
        # Two machines that each do half of it need as much each.
        two = [
            each.ram_bytes
            for each in thumbs(found, found.data_pages * 4096, 2 * rate, 2)
            if each.name == "five_minutes"
        ]
        assert two == [2 * 4096 * pages]


@pytest.mark.costly(5)
@pytest.mark.oracle("evaluate.advice.thumbs.thumbs", "evaluate.advice.thumbs.following")
@pytest.mark.formula(
    "evaluate.advice.thumbs.thumbs", "evaluate.advice.thumbs.following"
)
@settings(max_examples=15)
@given(rate=st.floats(10, 1e6))
def test_rules_of_thumb_ask_for_what_they_say(rate: float) -> None:
    production = Production(2**40, rate)
    found = curve(production)
    rules = {each.name: each for each in thumbs(found, 2**40, rate, 1)}
    page = found.page_bytes
    assert rules["tenth_in_ram"].ram_bytes == pytest.approx(2**40 / 10)
    assert rules["all_in_ram"].ram_bytes == 2**40
    needed = rules["hit_ratio_95"].ram_bytes
    if needed is None:
        # A trend beyond the pages seen may reach it, at more pages than there are.
        assert float(found.hit_ratio(float(found.data_pages))) < 0.95
        assert "that hit ratio" in rules["hit_ratio_95"].reason
    else:
        assert needed <= found.data_pages * page
        assert float(found.hit_ratio(needed / page)) >= 0.95
        assert float(found.hit_ratio(needed / page * 0.5)) < 0.95
    five = rules["five_minutes"].ram_bytes
    assert five is not None
    pages = five / page
    # A page stays for the integral of dc / (X m(c)), whose middles are summed here.
    sizes = np.geomspace(1e-3, max(pages, 1.0), 200_000)
    middles = (sizes[1:] + sizes[:-1]) / 2
    stays = found.accesses / rate / found.misses(middles) * np.diff(sizes)
    if pages < found.data_pages:
        assert stays.sum() == pytest.approx(300, rel=1e-3, abs=1 / rate)
    else:
        assert stays.sum() <= 300 * (1 + 1e-3)
    options = Table.of(_setting({**asked_of_nothing(), "curve": found})).options
    order = ordered(options, np.arange(len(options)), "usd")
    for rule in rules.values():
        if rule.ram_bytes is None:
            continue
        at = following(options, order, rule)
        large = [
            one
            for one in order.tolist()
            # Nothing is reserved here; a part of a page caches nothing.
            if options.ram_bytes[one] // page >= rule.ram_bytes // page
            and (
                not rule.needs_flash
                or options.flash_bytes[one] >= (rule.flash_bytes or 0) * (1 - 1e-9)
            )
        ]
        assert at == (large[0] if large else None)
    answered = ask(curve=found)
    told, best = answered.rules_of_thumb, answered.recommendation
    assert len(told) == 5
    for each in told:
        if each.option is None:
            assert each.reason
            continue
        assert each.regret_usd_per_month is not None
        assert each.regret_usd_per_month >= 0
        assert each.ram_bytes is not None
        assert each.option.ram_bytes >= each.ram_bytes * (1 - 1e-6)
        assert best is not None
        assert best.usd_per_month is not None
        assert (
            each.option.usd_per_month == best.usd_per_month + each.regret_usd_per_month
        )


@pytest.mark.oracle(
    "evaluate.advice.limits.own_limits",
    "evaluate.advice.limits.stated_limits",
    "evaluate.advice.limits.relaxation",
)
@pytest.mark.formula(
    "evaluate.advice.limits.own_limits",
    "evaluate.advice.limits.stated_limits",
    "evaluate.advice.limits.relaxation",
)
@settings(max_examples=15)
@given(problem=problems)
def test_limits_are_broken_by_what_lies_beyond_them(problem: dict[str, Any]) -> None:
    asked = asked_of({**problem, "have": None})
    setting = _setting(asked)
    options = Table.of(setting).options
    assert not any(each.breaks.any() for each in own_limits(options))
    stated = asked["constraints"]
    for limit in stated_limits(options, stated):
        sign = -1 if limit.name in LEAST else 1
        bound = float(stated[limit.name])
        for at in range(0, len(options), 97):
            value = float(limit.value[at])
            if math.isclose(value, bound, rel_tol=1e-6):
                continue
            assert bool(limit.breaks[at]) == (not sign * value <= sign * bound)
            by = relaxation(limit, at)
            if limit.name == "peak_busy" and value > 1:
                assert by is None
            elif math.isfinite(value):
                assert float(by or 0) == pytest.approx(abs(value - bound))


@pytest.mark.oracle("evaluate.advice.tiers.tiers")
@pytest.mark.parametrize("machines", [1, 3])
def test_tiers_cost_what_their_bills_come_to(machines: int) -> None:
    production = replace(PRODUCTION, machines=machines)
    found = curve(production)
    setting = _setting({**asked_of_nothing(), "curve": found})
    rows, options = tiers(
        Table.of(setting).shelf,
        found,
        machine_bytes=4 * TIB / machines,
        machines=machines,
        rates=(20_000.0, 50_000.0),
        most_busy=0.7,
        horizon_months=36,
    )
    assert len(options) > 500
    assert float(np.nanmax(options.peak_busy[options.flash_devices == 0])) <= 0.7 + 1e-9
    for at in range(0, len(options), 301):
        billed = bill_rows(rows.config(options, at), 36)
        month = sum((Decimal(row["usd_per_month"]) for row in billed), Decimal(0))
        purchase = sum((Decimal(row["purchase_usd"]) for row in billed), Decimal(0))
        assert cents(month) == options.month_cents[at]
        assert cents(purchase) == options.purchase_cents[at]


def asked_of_nothing() -> dict[str, Any]:
    return {
        "candidates": DEVICES_ALONE,
        "have": None,
        "constraints": {},
        "objective": "usd",
        "prices": book(**PRICES),
    }


@pytest.mark.oracle("evaluate.advice.bought.bought")
def test_what_is_sold_whole_is_priced_and_timed_as_configurations_are() -> None:
    found = curve()
    wanted = Wanted(
        data_bytes=4 * TIB,
        page_bytes=found.page_bytes,
        max_machines=2,
        part_usd={"chassis": Decimal("9000.005")},
    )
    columns = enumerate_configurations(wanted)
    options = bought(columns, found, (20_000.0, 50_000.0), (None, None))
    fast = speeds(columns, found)
    best = np.full(len(columns), np.inf)
    np.fmin.at(best, options.row, options.io_us)
    known = np.isfinite(fast.io_time_us)
    assert best[known] == pytest.approx(fast.io_time_us[known], rel=1e-9)
    for at in range(0, len(options), 2003):
        row = int(options.row[at])
        billed = bill_rows(columns.config(row), 36)
        month = sum((Decimal(each["usd_per_month"]) for each in billed), Decimal(0))
        assert cents(month) == options.month_cents[at]
        alone = options.flash_bytes[at] == 0
        assert (CHOICES[options.scheme[at]] == "none") == alone


@pytest.mark.oracle(
    "evaluate.page_flow.operations.distinct_sizes",
    "evaluate.page_flow.operations.operations",
)
@pytest.mark.formula(
    "evaluate.page_flow.operations.distinct_sizes",
    "evaluate.page_flow.operations.operations",
    "evaluate.advice.tiers.ram_sizes",
)
@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.integers(1, 5000), st.integers(0, 9000)), min_size=1, max_size=6
    )
)
def test_operations_are_those_of_an_evaluation(sizes: list[tuple[int, int]]) -> None:
    whole = recorded().curve
    ram, flash_pages = (
        np.asarray(each, dtype=np.float64) for each in zip(*sizes, strict=True)
    )
    one, other, at = distinct_sizes(ram, flash_pages)
    assert one[at].tolist() == ram.tolist()
    assert other[at].tolist() == flash_pages.tolist()
    done = operations(whole, ram, flash_pages, CHOICES)
    flash = catalog.device("samsung-pm9a3-7.68tb-u2")
    disk = catalog.device("seagate-exos-x24-24tb")
    for row, (r, f) in enumerate(sizes):
        found = evaluate(whole, ram_pages=r, flash_pages=f, flash=flash, disk=disk)
        for name in CHOICES:
            terms = found.schemes[name].cost_terms_us_per_access
            disk_us = terms["disk_reads"] + terms["disk_writes"]
            times = [
                np.full(len(sizes), service_us(disk, each, 8192) or np.nan)
                for each in ("read", "write")
            ]
            assert done[name].busy_us("disk", times[0], times[1])[row] == pytest.approx(
                disk_us, rel=1e-9, abs=1e-9
            )


def test_a_replay_decides_among_the_finalists() -> None:
    trace = Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst")
    whole = recorded()
    # Devices so small that flash caches a part of the recording.
    found = ask(
        curve=whole.curve.from_start("cold"),
        accesses_per_s=1000.0,
        trace=trace,
    )
    assert found.status == "checked"
    assert (
        found.advice_id
        != ask(curve=whole.curve.from_start("cold"), accesses_per_s=1000.0).advice_id
    )
    assert found.checked
    for each in found.checked:
        if each.simulated is None:
            assert each.reason
            continue
        assert each.model is not None
        assert each.gap is not None
        assert each.gap == pytest.approx(each.model / each.simulated - 1)
        if each.option.scheme == "none":
            assert abs(each.gap) < 0.01
    other = Trace(ROOT / "fixtures" / "traces" / "tpcc-cut.csv.zst")
    with pytest.raises(BadInput):
        ask(curve=whole.curve.from_start("cold"), accesses_per_s=1000.0, trace=other)


@given(
    counts=st.lists(st.sampled_from([0.0, 0.1, 2.0]), min_size=1, max_size=6),
    unknown=st.sets(st.sampled_from(["read", "write"])),
)
def test_what_is_done_at_one_size_says_nothing_of_another(
    counts: list[float], unknown: set[str]
) -> None:
    """A time that is not stated leaves the sizes known at which nothing takes it, whatever others do."""
    reads, writes = np.asarray(counts), np.asarray(counts[::-1])
    done = Operations({("disk", "read"): reads, ("disk", "write"): writes})
    read, write = (
        math.nan if name in unknown else time
        for name, time in (("read", 100.0), ("write", 30.0))
    )
    found = done.busy_us("disk", np.full(len(reads), read), np.full(len(reads), write))
    for at, (of_reads, of_writes) in enumerate(zip(reads, writes, strict=True)):
        wanted = (of_reads * read if of_reads else 0.0) + (
            of_writes * write if of_writes else 0.0
        )
        assert found[at] == pytest.approx(wanted, nan_ok=True)


def test_a_candidate_that_is_rejected_leaves_one_without_write_figures_as_it_is() -> (
    None
):
    """RAM that holds all data writes nothing back, so nobody has to know how long a write takes."""
    gib = 2**17
    held = Curve.from_lists(
        [1, 10 * gib, 20 * gib],
        [900_000, 300_000, 0],
        [300_000, 100_000, 0],
        accesses=10**6,
        distinct_pages=20 * gib,
        page_bytes=8192,
        write_accesses=400_000,
        given=Given("made", data_known=True),
    )

    def asked_of(*servers: str) -> Advice:
        return advice.answer(
            held,
            accesses_per_s=1000,
            candidates=Candidates(
                kinds=("instances",), servers=servers, max_machines=1
            ),
            objective="io_time",
            how_sure=False,
        )

    alone = asked_of("azure-l8s_v3").recommendation
    assert alone is not None
    assert alone.io_time_us_per_access == 0
    # Of 12 GiB, which do write pages back.
    beside = asked_of("azure-l8s_v3", "azure-l2s_v4").recommendation
    assert beside is not None
    assert beside.name == alone.name == "1 x azure-l8s_v3"
    assert beside.io_time_us_per_access == 0


def test_the_first_that_carries_its_load_by_the_replay_is_chosen() -> None:
    asked = _asked({**asked_of_nothing(), "curve": curve()})
    table = Table.of(asked.setting)
    cents = np.asarray([100, 200, 300, 400])
    busy, calm, unknown = (
        Replayed(0, 2.0, 4.0, 0.9, 0.1, ""),
        Replayed(1, 3.0, 3.0, 0.5, 0.1, ""),
        Replayed(2, 3.0, math.nan, math.nan, 0.1, "too small"),
    )
    assert decided(asked, cents, [busy, calm, unknown]) == 1
    assert decided(asked, cents, [busy, unknown]) == 2
    assert decided(asked, cents, [calm, busy]) == 1
    # None carries it: what its replay refutes is not recommended, and that is said.
    assert decided(asked, cents, [busy]) is None
    told = {
        each.name
        for each in about_replays(
            asked, table, [busy], 0, None, refutation="None keeps every limit."
        )
    }
    assert told == {"replay_breaks_load", "replay_beyond_band"}
    told = {each.name for each in about_replays(asked, table, [busy, calm], 0, 1)}
    assert told == {"replay_changes_choice", "replay_beyond_band"}
    assert not list(about_replays(asked, table, [calm], 1, 1))
    fastest = replace(asked, objective="io_time")
    slow = replace(calm, at=3, simulated_us=9.0)
    assert decided(fastest, cents, [slow, calm]) == 1
    # One that could not be replayed stops no other from being the fastest, and is by the model.
    assert decided(fastest, cents, [replace(unknown, model_us=4.0), slow, calm]) == 1
    assert decided(fastest, cents, [replace(unknown, model_us=2.0), slow, calm]) == 2
    # The model is asked about both: one that is too fast of what was replayed is too fast of what was not.
    late = replace(calm, model_us=3.0, simulated_us=3.4)
    cheaper = replace(unknown, at=0, model_us=3.1, band=0.2)
    assert decided(fastest, cents, [cheaper, late]) == 1
    assert decided(fastest, cents, [replace(cheaper, model_us=3.0), late]) == 0


def test_what_no_replay_times_is_refuted_with_more_ram_before_the_same_devices() -> (
    None
):
    asked = _asked({**asked_of_nothing(), "curve": curve()})
    table = Table.of(asked.setting)
    options = table.options
    code = table.hardware_codes

    def same(at: int) -> np.ndarray[Any, Any]:
        return np.asarray(
            (code == code[at])
            & (options.scheme == options.scheme[at])
            & (options.machines == options.machines[at])
            & (options.store_devices == options.store_devices[at])
            & (options.flash_devices == options.flash_devices[at])
            & (options.flash_pages == options.flash_pages[at])
        )

    large = max(range(len(options)), key=lambda at: int(same(at).sum()))
    alike = np.flatnonzero(same(large))
    alike = alike[np.argsort(options.ram_pages[alike])]
    assert len(alike) > 2
    less, middle, more = alike[0], alike[1], alike[2]
    other = int(np.flatnonzero(~same(large))[0])
    unknown = [
        Replayed(int(at), 3.0, math.nan, math.nan, 0.1, "too small")
        for at in (less, more, other)
    ]
    busy = Replayed(int(middle), 3.0, 4.0, 0.9, 0.1, "")
    found = refuted_by_more_ram(asked, table, [*unknown, busy])
    assert found == {int(less)}
    calm = replace(busy, peak_busy=0.5)
    assert not refuted_by_more_ram(asked, table, [*unknown, calm])
    kept = decided(asked, options.month_cents, [unknown[0], calm], refuted=found)
    assert kept == int(middle)


def test_equals_by_the_replay_are_told_apart_by_the_other_figure() -> None:
    """Money is not spent for a time that the replay does not show, nor time for no money."""
    asked = _asked({**asked_of_nothing(), "curve": curve()})
    dear = Replayed(0, 2.0, 4.0, 0.5, 0.1, "")
    cheap = Replayed(1, 3.0, 4.0, 0.5, 0.1, "")
    quick = Replayed(2, 3.5, 3.0, 0.5, 0.1, "")
    cents = np.asarray([300, 200, 200])
    fastest = replace(asked, objective="io_time")
    assert decided(fastest, cents, [dear, cheap]) == 1
    assert Settled([dear, cheap], 1).is_tied(fastest, cents)
    assert decided(fastest, cents, [dear, cheap, quick]) == 2
    assert not Settled([dear, cheap, quick], 2).is_tied(fastest, cents)
    assert decided(asked, cents, [cheap, quick, dear]) == 2
    assert Settled([cheap, quick, dear], 2).is_tied(asked, cents)
    # What was not replayed is not passed over for what was.
    unknown = replace(cheap, simulated_us=math.nan, reason="too small")
    assert decided(asked, cents, [unknown, quick]) == 1
    assert not Settled([cheap, dear], 1).is_tied(asked, cents)


@pytest.mark.parametrize(
    ("model_us", "simulated_us", "band", "is_beyond"),
    [
        (0.0004, 400.0, 1.0, True),
        (2.1, 4.0, 1.0, False),
        (1.9, 4.0, 1.0, True),
        (7.9, 4.0, 1.0, False),
        (8.1, 4.0, 1.0, True),
        (4.3, 4.0, 0.1, False),
        (3.5, 4.0, 0.1, True),
        (0.0, 4.0, 1.0, True),
        (4.0, math.nan, 0.1, False),
    ],
)
def test_a_model_that_is_far_too_low_is_beyond_its_error_whatever_that_is(
    model_us: float, simulated_us: float, band: float, is_beyond: bool
) -> None:
    """As a share of the replay, no model is more than 100 % too low."""
    assert (
        Replayed(0, model_us, simulated_us, 0.1, band, "").is_beyond_band is is_beyond
    )


def test_of_many_replays_beyond_the_error_one_is_told_and_the_others_are_counted() -> (
    None
):
    asked = _asked({**asked_of_nothing(), "curve": curve()})
    table = Table.of(asked.setting)
    low = [Replayed(at, 1.0, 4.0, 0.1, 0.1, "") for at in range(3)]
    [found] = about_replays(asked, table, low, 1, 1)
    assert table.title(1) in found.message
    assert "takes 4 µs of I/O time by its replay and 1 µs by the model" in found.message
    assert "2 other replays differ by more, too" in found.message
    # It stands above the answer, also where the choice stays.
    assert found.could_change_choice is True
    [alone] = about_replays(asked, table, low[:1], 0, 0)
    assert "other" not in alone.message


def settled_by(
    objective: str, busy: set[int], slower: Mapping[int, float]
) -> tuple[Table, list[int], list[Replayed], int]:
    """Settle on devices of a book: replays make some options too busy, and some slower than the model says."""
    given_ = {**asked_of_nothing(), "curve": curve(), "objective": objective}
    # With RAM for all of the data nothing waits for devices, and no replay is slower.
    limits = {"ram_bytes": Decimal(2 * TIB)}
    asked = _asked(
        {
            **given_,
            "prices": book(**PRICES),
            "candidates": DEVICES_ALONE,
            "constraints": limits,
        }
    )
    table = Table.of(asked.setting)
    order = _choice.chosen_of(asked, table).order
    rows = order.tolist()

    def replay_of(some: Sequence[int]) -> list[Replayed]:
        found = []
        for at in some:
            rank = rows.index(at)
            time_us = float(table.options.io_us[at])
            share = 0.9 if rank in busy else 0.1
            found.append(
                Replayed(at, time_us, time_us * slower.get(rank, 1), share, 0.05, "")
            )
        return found

    finalists = best_of_kinds(order, table.hardware_codes)[:5].tolist()
    found = settled(asked, table, order, finalists, replay_of)
    assert found.best is not None
    return table, rows, found.tried, found.best


def test_what_could_still_be_better_is_replayed_too() -> None:
    # The cheapest is too busy by its replay: the next that is not is a neighbour of the same hardware.
    _, rows, tried, best = settled_by("usd", {0, 1, 2}, {})
    assert rows.index(best) == 3
    assert {rows[1], rows[2], rows[3]} <= {each.at for each in tried}
    ranks = [rows.index(each.at) for each in tried]
    assert ranks == sorted(ranks)
    # Where the first carries its load nothing more is replayed.
    _, rows, tried, best = settled_by("usd", set(), {})
    assert best == rows[0]
    assert len(tried) == 5
    # The fastest by the model is slower by its replay than one within its known error.
    table, rows, tried, best = settled_by("io_time", set(), {0: 1.5})
    assert best != rows[0]
    times = {each.at: each.simulated_us for each in tried}
    assert times[best] == min(times.values())
    assert float(table.options.io_us[best]) <= float(table.options.io_us[rows[2]])


def test_a_check_says_where_it_could_not_replay_the_recommendation() -> None:
    small = Replayed(3, 10.0, math.nan, math.nan, 0.1, "Not checked: too small.")
    tiny = replace(small, at=4, reason="Not checked: smaller yet.")
    done = Replayed(5, 10.0, 11.0, 0.5, 0.1, "")
    said = _checked.sentence
    assert said([small, done], 3) == (
        "Not checked: too small. Of what was close, 1 option was replayed."
    )
    assert said([small, done, replace(done, at=6)], 3).endswith(
        "2 options were replayed."
    )
    assert said([small, done], 5) == ""
    assert said([small, done], None) == ""
    assert said([small, tiny], 3) == (
        "Not checked: too small. What was close could not be replayed either."
    )
    assert said([small], 3) == "Not checked: too small."
    assert said([], 3) == ""


def test_what_a_replay_decided_is_not_called_the_cheapest_of_all() -> None:
    found = ask()
    best, second = found.recommendation, found.alternatives[0]
    _, said = _words.decided(
        best, None, second, 10, "usd", "", rate_known=True, replayed_from="a box"
    )
    assert "by the model the choice would have been a box" in said
    assert "of 10 options" not in said
    _, plain = _words.decided(best, None, second, 10, "usd", "", rate_known=True)
    assert "the cheapest of 10 options that keep every limit" in plain
    _, limited = _words.decided(
        best, None, second, 1, "usd", "", rate_known=True, response_limited=True
    )
    assert "of 1 option that keeps every other limit" in limited
    assert "keeps the limits on response times too" in limited
    assert "replay decided" in _words.verdict_text(
        viable=True, limited_by=None, best=best, objective="usd", by_replay=True
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("space",), "each lacks space for the data."),
        (
            ("price", "device_figures"),
            "each lacks a price or stated I/O rates of every device.",
        ),
        (("usd_per_month",), "each breaks the limit on the cost per month."),
        (
            ("space", "usd_per_month"),
            "each that has space for the data breaks the limit on the cost per month.",
        ),
        (
            ("usd_per_month", "ram_bytes"),
            "each breaks at least one of the limits on the cost per month and on RAM.",
        ),
    ],
)
def test_a_conflict_reads_as_a_sentence(names: tuple[str, ...], said: str) -> None:
    assert _words.infeasible_text(names) == f"No option keeps every limit: {said}"


@pytest.mark.parametrize(
    "limits",
    [
        {"usd_per_month": "150"},
        {"usd_per_month": "170", "io_time_us_per_access": "0.5"},
        {"usd_per_month": "170", "flash_life_years": "400"},
    ],
)
def test_relaxing_the_limit_that_is_named_as_far_as_it_says_is_enough_and_no_less(
    limits: dict[str, str],
) -> None:
    stated = {name: Decimal(value) for name, value in limits.items()}
    found = ask(constraints=stated)
    assert found.infeasible is not None
    asked = _asked({**asked_of_nothing(), "curve": curve(), "constraints": stated})
    asked = replace(asked, setting=replace(asked.setting, prices=book(**PRICES)))
    table = Table.of(asked.setting)
    chosen = chosen_of(asked, table)
    named = list(
        _why_not.nearest(
            chosen.limits, found.infeasible.conflict, table.options, asked.objective
        )
    )
    assert "Relaxing one limit is enough" in found.infeasible.text
    assert named
    for name, value, at in named:
        shown = _words.limits.safe_side(name, value)
        enough = ask(constraints=stated | {name: Decimal(repr(shown))})
        assert enough.recommendation is not None, name
        # As far as the option itself, and not a thousandth less.
        back = 1.001 if name in LEAST else 0.999
        less = ask(constraints=stated | {name: Decimal(repr(value * back))})
        assert less.recommendation is None, name
        assert table.title(at) in found.infeasible.text
    assert sum(found.rejected_counts.values()) == found.evaluated


def test_the_heading_of_what_nothing_keeps_is_short_and_says_nothing_twice() -> None:
    limits = {"usd_per_month": Decimal(50)}
    found = ask(constraints=limits)
    heading = "No option that has devices that carry the load keeps the limit of 50 USD per month."
    assert found.infeasible is not None
    assert found.decision == found.infeasible.heading == heading
    assert found.finding == f"{heading} {found.because}"
    assert found.because.startswith("Relaxing one limit is enough: ")
    assert found.infeasible.text.endswith(found.infeasible.more)
    sentences_said = re.split(r"(?<=\.) (?=[A-Z])", found.finding)
    assert len(sentences_said) == len(set(sentences_said))
    # As far as is said it admits an option.
    [enough] = re.findall(r"cost per month to ([\d.,]+) USD", found.because)
    relaxed = Decimal(enough.replace(",", ""))
    assert ask(constraints={"usd_per_month": relaxed}).recommendation is not None
    kept = ask(constraints={"usd_per_month": Decimal(5000)})
    assert kept.infeasible is None
    assert "No option keeps" not in kept.finding


@pytest.mark.parametrize(
    ("names", "given", "said"),
    [
        (("machines",), {}, "No option keeps the limit of 2 machines."),
        # What was stated has no digits that nobody stated.
        (
            ("flash_life_years",),
            {},
            "No option keeps the limit of 50 years of life of the flash.",
        ),
        (
            ("power_watts", "peak_busy"),
            {},
            "No option keeps both limits: 1,234.5 W and a device busy for 70 % of the busiest hour.",
        ),
        (
            ("restart_s", "throughput_accesses_per_s"),
            {},
            "No option keeps both limits: 90 minutes until RAM is warm and 123,456 accesses per second.",
        ),
        (
            ("machines", "space"),
            {},
            "No option that has space for the data keeps the limit of 2 machines.",
        ),
        (
            ("machines", "response_p99_us", "ram_bytes"),
            {"is_known": False},
            "No option is known to keep all of these limits: 2 machines, 200 µs at the 99th percentile and 64 GiB of RAM.",
        ),
        (
            ("machines",),
            {"dirty": True},
            "With as many evicted pages dirty as possible, no option keeps the limit of 2 machines.",
        ),
        # What is no limit has no value to name.
        (("space",), {}, ""),
        (("evidence", "machines"), {}, ""),
        (("purchase_usd",), {}, ""),
        ((), {}, ""),
    ],
)
def test_a_heading_names_limits_by_their_values(
    names: tuple[str, ...], given: dict[str, bool], said: str
) -> None:
    limits = {
        "machines": Decimal(2),
        "flash_life_years": Decimal(50),
        "power_watts": Decimal("1234.5"),
        "peak_busy": Decimal("0.7"),
        "restart_s": Decimal(5400),
        "throughput_accesses_per_s": Decimal(123_456),
        "response_p99_us": Decimal(200),
        "ram_bytes": Decimal(64 * GIB),
    }
    assert _words.infeasible_heading(names, limits, **given) == said


def test_where_one_limit_alone_does_not_help_that_is_said() -> None:
    found = ask(
        constraints={
            "purchase_usd": Decimal(2000),
            "io_time_us_per_access": Decimal(1),
            "ram_bytes": Decimal(GIB),
        }
    )
    assert found.infeasible is not None
    assert found.infeasible.text.endswith("Relaxing one limit alone is not enough.")


def test_a_saving_against_what_does_not_carry_the_load_says_so() -> None:
    best = ask(candidates=replace(DEVICES_ALONE, machine_usd=Decimal(0))).recommendation
    assert best is not None
    assert not best.without_machine
    dear = replace(best, kind="have", usd_per_month=Decimal(100_000))

    def said(busy: float | None, most_busy: float = 1.0) -> str:
        return _words.finding._buy(best, replace(dear, peak_busy=busy), None, most_busy)

    # At most 70 % busy, 3.86 times all of the time take 3.86 / 0.7 times the speed: the inverse of the throughput that is
    # kept over that of the busiest hour.
    assert said(3.86, 0.7).endswith(
        "it would need 5.51 times its speed to be busy for at most 70 % of the busiest hour."
    )
    # Devices that are busy 5.93 times all of the time carry the load at 5.93 times their speed.
    slow = "cannot carry the load: it would need 5.93 times its speed."
    assert said(5.93).endswith(f" less; what there is today {slow}")
    assert said(1720.0 / 100).endswith("it would need 17.2 times its speed.")
    assert said(1.0001).endswith("it would need slightly more than its speed.")
    for busy in (None, 0.5, 1.0):
        assert "carry the load" not in said(busy)
        assert "100,000 USD today," in said(busy)
    # What is known of it is said where its cost is not.
    dear = replace(dear, usd_per_month=None, purchase_usd=None)
    unknown = "per month; what there is today costs an unknown amount"
    assert said(0.5).endswith(f"{unknown}.")
    assert said(5.93).endswith(f"{unknown} and {slow}")


def test_a_price_without_the_machine_says_so() -> None:
    """Devices bought by themselves beside whole systems: their machine is free only because nobody stated its price."""
    alone = ask()
    best = alone.recommendation
    assert best is not None
    assert best.kind == "devices"
    assert best.without_machine
    without = (
        f"{money(best.usd_per_month or 0)} per month without the machine they need"
    )
    assert alone.decision.endswith(f": {without}.")
    # All lack it alike: the cheapest of them is the cheapest.
    but = ", its machine not counted"
    assert but not in alone.because
    assert but not in alone.verdict.text
    both = replace(DEVICES_ALONE, kinds=("devices", "instances"))
    beside = ask(candidates=both)
    assert beside.decision.endswith(f": {without}.")
    assert re.search(f"It is the cheapest of .* every limit{but}[;.]", beside.because)
    assert beside.verdict.text.startswith(f"Viable: the best of all candidates{but}.")
    priced = ask(candidates=replace(both, machine_usd=Decimal(0)))
    for said in (priced.finding, priced.verdict.text):
        assert "machine" not in said
    assert priced.recommendation is not None
    assert not priced.recommendation.without_machine

    def because(one: Option, other: Option, objective: str = "usd") -> str:
        return _words.finding._because(
            one,
            other,
            9,
            objective,
            False,
            0,
            but if one.without_machine and objective == "usd" else "",
        )

    whole = replace(
        best, kind="instances", without_machine=False, usd_per_month=Decimal(10**5)
    )
    assert f"every limit{but}; the best" in because(best, whole)
    # What costs least with its machine does so beside parts that lack theirs.
    assert "every limit; the best" in because(whole, best)
    # A part and a whole have no difference: what the other costs is said.
    cost = money(best.usd_per_month or 0)
    assert because(whole, best).endswith(f" costs {cost} per month{but}.")
    assert because(best, whole).endswith(
        " costs 100,000 USD per month, machines included."
    )
    assert because(best, whole, "io_time").endswith(
        " and costs 100,000 USD per month, machines included."
    )
    for said in (because(whole, best), because(best, whole)):
        assert not re.search(r"per month (more|less)", said)
    assert "machine" not in because(whole, whole) + because(whole, whole, "io_time")


def test_a_machine_is_named_only_where_money_decides() -> None:
    """A machine takes no I/O time: the fastest is the fastest whatever it costs."""
    both = replace(DEVICES_ALONE, kinds=("devices", "instances"))
    found = ask(candidates=both, objective="io_time")
    best = found.recommendation
    assert best is not None
    assert best.without_machine
    assert "not counted" not in found.verdict.text

    def because(objective: str, **given: Any) -> str:
        return _words.decided(
            best,
            None,
            None,
            9,
            objective,
            "",
            rate_known=True,
            unlike=True,
            **given,
        )[1]

    for admitted in ({"admitted_by": "replay"}, {"replayed_from": "another"}):
        assert "machine" not in because("io_time", **admitted)
        assert "its machine not counted" in because("usd", **admitted)


def test_each_of_several_machines_may_cost_its_part_of_what_is_saved() -> None:
    three = replace(PRODUCTION, machines=3)
    have = Have(
        machines=3,
        ram_bytes=3 * TIB,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=21,
        usd_per_month=Decimal(20_000),
    )
    found = ask(curve=curve(three), have=have)
    best = found.recommendation
    assert best is not None
    assert best.machines == 3
    assert best.usd_per_month is not None
    assert "per month without the machines they need, against" in found.decision
    assert "every limit, its machines not counted;" in found.because
    [said] = re.findall(
        r"With 3 machines of less than ([\d,]+) USD per month each it costs less than today",
        found.because,
    )
    # What each may cost, as it is stated: bought, over the months.
    dearest = int(said.replace(",", ""))
    assert dearest == (20_000 - best.usd_per_month) // 3
    for usd, saves in ((dearest, True), (dearest + 1, False)):
        whole = ask(
            curve=curve(three),
            have=have,
            candidates=replace(
                DEVICES_ALONE, machine_usd=Decimal(usd * found.horizon_months)
            ),
        )
        price = next(
            each.usd_per_month
            for each in (whole.recommendation, *whole.alternatives)
            if each is not None and each.kind == "devices"
        )
        assert price is not None
        assert (price < 20_000) == saves


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ({}, ""),
        ({"constraints": {"ram_bytes": TIB}}, ""),
        (
            {"constraints": {"usd_per_month": 5000}},
            "with their machine these may break the limit on the cost per month",
        ),
        (
            {"constraints": {"purchase_usd": 500_000}},
            "with their machine these may break the limit on the purchase",
        ),
        (
            {"candidates": replace(DEVICES_ALONE, kinds=("devices", "instances"))},
            "whole systems may cost less than these with their machine",
        ),
        (
            {
                "have": Have(
                    machines=1,
                    ram_bytes=2 * TIB,
                    disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
                    disks=20,
                    usd_per_month=Decimal(10**6),
                )
            },
            "what there is today may cost less than these with their machine",
        ),
    ],
)
def test_what_a_machine_could_change_is_said_as_the_choice_says_it(
    given: dict[str, Any], changes: str
) -> None:
    found = ask(**given)
    assert found.recommendation is not None
    assert found.recommendation.without_machine
    [said] = [each for each in found.cautions if each.code == "machine_left_out"]
    assert said.could_change_choice == bool(changes)
    assert said.effect == (changes or "every option costs as much more")
    but = "its machine not counted"
    assert (but in found.because) == (but in found.verdict.text) == bool(changes)


def test_a_limit_on_money_may_be_broken_by_the_machine() -> None:
    """What the caution says happens: with a machine that is dear enough nothing keeps the limit."""
    limits = {"usd_per_month": 200}
    assert ask(constraints=limits).recommendation is not None
    dear = replace(DEVICES_ALONE, machine_usd=Decimal(360_000))
    assert ask(constraints=limits, candidates=dear).recommendation is None


def test_what_a_limit_costs_is_no_difference_of_a_part_and_a_whole() -> None:
    best = ask().recommendation
    assert best is not None
    whole = replace(best, without_machine=False, usd_per_month=Decimal(900))
    parts = replace(best, usd_per_month=Decimal(900))
    limit = Shadow("machines", Decimal(500), 2.0, "other")

    def said(one: Option, without_machine: bool, machines: int = 1) -> str:
        shadow = replace(limit, without_machine=without_machine)
        text = _words.verdict_text(True, shadow, one, "usd", machines=machines)
        return text.partition("Without the limit on machines, ")[2]

    assert said(whole, False) == "the cheapest would cost 400 USD per month less."
    assert said(parts, True) == "the cheapest would cost 400 USD per month less."
    assert said(whole, True) == (
        "the cheapest would cost 500 USD per month, its machine not counted."
    )
    assert said(whole, True, 3) == (
        "the cheapest would cost 500 USD per month, its machines not counted."
    )
    assert said(parts, False) == (
        "the cheapest would cost 500 USD per month, machines included."
    )


def test_no_saving_is_claimed_where_the_machine_is_not_counted() -> None:
    have = Have(
        machines=1,
        ram_bytes=2 * TIB,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=20,
        usd_per_month=Decimal(10**6),
    )
    found = ask(have=have)
    best = found.recommendation
    assert best is not None
    assert best.usd_per_month is not None
    assert best.without_machine
    assert found.saving_usd_per_month is None
    assert (
        f"{money(best.usd_per_month)} per month without the machine they need, against 1,000,000 USD today."
        in (found.decision)
    )
    assert not re.search("less than today|USD less", found.decision)
    # How dear a machine may be is the difference of both costs, by the machine that is bought over the months.
    room = 10**6 - best.usd_per_month
    assert (
        f"With a machine of less than {math.floor(room):,} USD per month it costs less than today."
        in found.because
    )
    months = found.horizon_months
    for usd, saves in ((room * months - 100, True), (room * months + 100, False)):
        whole = ask(
            have=have,
            candidates=replace(
                DEVICES_ALONE, machine_usd=usd.quantize(Decimal("0.01"))
            ),
        )
        assert whole.recommendation is not None
        assert (whole.recommendation.kind == "devices") == saves
        if saves:
            assert whole.saving_usd_per_month is not None
            assert "machine" not in whole.finding
    # A machine for less than nothing is no answer: of three there is a cent and a third for each at four cents.
    three, zero = replace(best, machines=3), found.option_zero or best
    for more, said in ((1, ""), (2, ""), (3, "0.01 USD"), (4, "0.01 USD")):
        now = best.usd_per_month + Decimal(more) / 100
        margin = _words.finding._margin(three, replace(zero, usd_per_month=now))
        of_each = f"With 3 machines of less than {said} per month each it costs less than today."
        assert margin == (of_each if said else "")
    yen = ExchangeRate("JPY", Decimal(150), "2026-09-30", "an example")
    with showing(yen):
        for more in (1, 2):  # 1.5 and 3 yen for three
            now = best.usd_per_month + Decimal(more) / 100
            margin = _words.finding._margin(three, replace(zero, usd_per_month=now))
            assert ("less than 1 JPY per month each" in margin) == (more == 2)
    # Of parts that cost more than all of today it is known that they do.
    little = replace(found.option_zero or best, usd_per_month=best.usd_per_month - 5)
    assert _words.finding._buy(best, little).endswith(" USD today, 5 USD more even so.")


def test_months_of_none_have_a_hint_of_their_own() -> None:
    with pytest.raises(BadInput) as refused:
        ask(horizon_months=0)
    assert "horizon_months" in refused.value.message
    assert "over how many whole months a purchase is spread" in refused.value.hint
    with pytest.raises(BadInput) as refused:
        ask(objective="best")
    assert refused.value.hint == "state what is bought for"


def test_sizes_are_read_as_answers_print_them() -> None:
    found = checked_constraints({"ram_bytes": "2.67 TiB"})["ram_bytes"]
    assert found == int(Decimal("2.67") * 2**40)
    have = have_from_mapping(
        {"ram": "1.3GiB", "disk_device": "seagate-exos-x24-24tb"}, "have"
    )
    assert have.ram_bytes == int(Decimal("1.3") * 2**30)


def test_money_is_text_in_the_whole_document() -> None:
    today = Have(
        machines=1,
        ram_bytes=2 * TIB,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=20,
        usd_per_month=Decimal(10**6),
    )
    priced = replace(DEVICES_ALONE, machine_usd=Decimal(20))
    found = ask(have=today, candidates=priced)
    assert found.saving_usd_per_month is not None
    document = found.to_dict()
    assert document["saving_usd_per_month"] == str(found.saving_usd_per_month)
    for row in document["recommendation"]["bill"]:
        for name in ("usd_per_month", "purchase_usd"):
            assert re.fullmatch(r"\d+\.\d\d", row[name]), row


def test_what_is_unknown_of_every_option_is_not_called_broken() -> None:
    limits = {"power_watts": Decimal(100), "rack_units": Decimal(2)}
    found = ask(constraints=limits).infeasible
    assert found is not None
    assert found.text == (
        "No option is known to keep the limits on the power of the servers and on rack units: what they limit is stated of none. Both "
        "are known of servers built from parts alone: make these candidates, with the price of their chassis, or ask "
        "without the limit."
    )
    alone = ask(constraints={"rack_units": Decimal(2)}).infeasible
    assert alone is not None
    assert "known to keep the limit on rack units: what it limits is" in alone.text
    known = ask(constraints={"usd_per_month": Decimal(1)}).infeasible
    assert known is not None
    assert "breaks the limit on the cost per month" in known.text
    assert "stated of none" not in known.text
    # Of what there is the bill states it; of what is for sale nobody does.
    today = ask(
        have=Have(
            machines=1,
            ram_bytes=TIB,
            disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
            disks=20,
            bill={
                "power": {"watts": "800", "usd_per_kwh": "0.2"},
                "part": [{"id": "chassis-epyc-2u-24nvme"}],
            },
        ),
        constraints={"power_watts": Decimal(100)},
    ).infeasible
    assert today is not None
    assert today.text == (
        "No option is known to keep every limit: what there is breaks the limit on the power of the servers. Of what is for "
        "sale, no option is known to keep the limit on the power of the servers: what it limits is stated of none. The power "
        "is known of servers built from parts alone: make these candidates, with the price of their chassis, or ask without "
        "the limit."
    )
    # Servers built from parts are candidates already: their watts are missing.
    servers = ask(
        candidates=Candidates(
            kinds=("chassis",), part_usd={"chassis": Decimal(3000)}, flash_caches=()
        ),
        constraints={"power_watts": Decimal(10**6)},
    ).infeasible
    if servers is not None:
        assert "state the watts of a server" in servers.text
        assert "make these candidates" not in servers.text


def test_a_volume_of_what_there_is_without_a_quantity_is_one_as_its_bill_counts_it() -> (
    None
):
    volume = {"id": "aws-ebs-gp3", "size_gib": 2048, "iops": 16_000}

    def today(**stated: Any) -> Option:
        have = Have(
            machines=1,
            ram_bytes=64 * 2**30,
            disk=catalog.device("aws-ebs-gp3-max"),
            disks=2,
            bill={"server": "aws-i4i.4xlarge", "volume": [{**volume, **stated}]},
        )
        found = ask(have=have).option_zero
        assert found is not None
        return found

    assert today().volumes == today(quantity=1).volumes
    assert today().usd_per_month == today(quantity=1).usd_per_month
    assert [each["quantity"] for each in today().volumes] == [1]


def test_a_limit_of_plural_name_takes_a_plural_verb() -> None:
    found = ask(constraints={"rack_units": Decimal(2), "power_watts": Decimal(100)})
    broken = {
        each.constraint: each.text
        for name in ("rack_units", "power_watts")
        for each in ask(constraints={name: Decimal(2)}).rejected[:1]
    }
    assert "the rack units are unknown; at most 2 U is allowed" in broken["rack_units"]
    assert "the power of the servers is unknown" in broken["power_watts"]
    said = json.dumps(found.to_dict())
    assert "units is" not in said
    # No other name of a limit is a plural.
    for name in CONSTRAINTS:
        last = _words.LIMIT_WORDS[name].split(" of ")[0].split(" in ")[0]
        are = last.endswith("s") and last.split()[-1] in ("machines", "units")
        assert _words.limits.what_is(name).endswith(" are" if are else " is")


def test_of_options_that_need_the_same_limit_the_one_that_would_be_chosen_is_named() -> (
    None
):
    asked = _asked({**asked_of_nothing(), "curve": curve()})
    table = Table.of(asked.setting)
    options = table.options
    # All at one price: by money the fastest of them is chosen.
    alike = replace(options, month_cents=np.full(len(options), 5_000))
    limit = Limit(
        "usd_per_month",
        Decimal(1),
        np.full(len(options), 50.0),
        np.ones(len(options), dtype=np.bool_),
    )
    [(name, value, at)] = _why_not.nearest([limit], [limit.name], alike, "usd")
    assert (name, value) == ("usd_per_month", 50.0)
    assert at == int(choose.ordered(alike, np.arange(len(options)), "usd")[0])
    assert options.io_us[at] == np.nanmin(options.io_us)
    # One that needs less goes before a faster one.
    limit.value[at] = 60.0
    [(_, value, other)] = _why_not.nearest([limit], [limit.name], alike, "usd")
    assert other != at
    assert value == 50.0


def test_no_share_above_all_of_the_time_is_named_as_a_limit_to_relax() -> None:
    asked = _asked({**asked_of_nothing(), "curve": curve()})
    options = Table.of(asked.setting).options
    busy = np.full(len(options), 19.7)
    limit = Limit("peak_busy", Decimal("0.7"), busy, np.ones(len(busy), dtype=np.bool_))
    assert not list(_why_not.nearest([limit], ["peak_busy"], options, "usd"))
    busy[0] = 0.9
    [(_, value, at)] = _why_not.nearest([limit], ["peak_busy"], options, "usd")
    assert (value, at) == (0.9, 0)


def test_equal_times_are_not_set_against_each_other() -> None:
    best = ask().recommendation
    assert best is not None
    best = replace(best, io_time_us_per_access=0.154)

    def said(time_us: float) -> str:
        other = replace(best, name="other", io_time_us_per_access=time_us)
        return _words.finding._because(best, other, 2, "io_time", False, 0)

    assert "takes as long, 154 ns of I/O time per access" in said(0.15404)
    assert "takes 160 ns of I/O time per access against 154 ns" in said(0.16)


def test_what_the_next_fastest_costs_is_said_beside_its_time() -> None:
    """A buyer who asks for the least time sees what the last of it costs."""
    best = ask().recommendation
    assert best is not None
    assert best.usd_per_month is not None

    def said(usd: Decimal) -> str:
        quick = replace(best, io_time_us_per_access=0.154)
        slow = replace(best, io_time_us_per_access=0.16, usd_per_month=usd)
        return _words.finding._because(quick, slow, 2, "io_time", False, 0)

    cost = best.usd_per_month
    assert said(cost - 5).endswith("and costs 5 USD per month less.")
    assert said(cost + 5).endswith("and costs 5 USD per month more.")
    assert said(cost).endswith("against 154 ns.")


def test_amounts_that_differ_by_cents_are_not_said_to_be_the_same() -> None:
    """100.87 and 100.97 USD both read 101 USD with three digits."""
    best = ask().recommendation
    assert best is not None
    best = replace(best, usd_per_month=Decimal("100.87"))

    def because(usd: str, objective: str) -> str:
        other = replace(best, name="other", usd_per_month=Decimal(usd))
        return _words.finding._because(best, other, 2, objective, False, 0)

    assert because("100.97", "usd").endswith(", costs 0.10 USD per month more.")
    assert because("100.87", "usd").endswith(", costs as much.")
    assert because("100.88", "io_time").endswith(" and costs 0.01 USD per month more.")
    assert because("100.77", "io_time").endswith(" and costs 0.10 USD per month less.")
    assert "costs" not in because("100.87", "io_time").partition("takes")[2]

    def buy(usd: str) -> str:
        today = replace(best, kind="have", usd_per_month=Decimal(usd))
        whole = replace(best, without_machine=False)
        return _words.finding._buy(whole, today)

    assert buy("100.97").endswith(": 101 USD per month, 0.10 USD less than today.")
    assert buy("100.77").endswith(": 101 USD per month, 0.10 USD more than today.")
    assert buy("100.87").endswith(": 101 USD per month, as much as today.")
    with showing(ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "a test")):
        assert because("100.97", "usd").endswith(", costs 0.05 EUR per month more.")


def test_what_nobody_stated_of_data_and_rate_is_said() -> None:
    both = _words.assumed_text("3 GiB", is_mean_used=True)
    assert "The size of the data is not stated: 3 GiB" in both
    used = "No busiest hour was stated, so the mean is used."
    assert both.endswith(f" {used}")
    assert _words.assumed_text(None, is_mean_used=False) == ""
    whole = recorded().curve.from_start("cold")
    own = ask(curve=whole, accesses_per_s=1000.0).finding
    assert used in own
    assert "The size of the data" not in own
    assert "No busiest hour" not in ask().finding
    # Production may state no busiest hour either, or one that is as busy as all others.
    flat = ask(curve=curve(Production(4 * TIB, 20_000.0))).finding
    assert used in flat
    stated = ask(curve=curve(Production(4 * TIB, 20_000.0, 20_000.0))).finding
    assert "No busiest hour" not in stated


def test_a_rate_beside_a_profile_leaves_the_busiest_hour_as_many_times_the_mean() -> (
    None
):
    """20,000 accesses a second with 50,000 in the busiest hour: at a mean of 8,000 it has 20,000."""
    own = ask()
    assert (own.accesses_per_s, own.peak_accesses_per_s) == (20_000.0, 50_000.0)
    # Its own mean, stated again, is no other question.
    assert ask(accesses_per_s=20_000.0).advice_id == own.advice_id
    stated = ask(accesses_per_s=8_000.0)
    assert (stated.accesses_per_s, stated.peak_accesses_per_s) == (8_000.0, 20_000.0)
    made = ask(
        curve=curve(
            replace(PRODUCTION, accesses_per_s=8_000.0, peak_accesses_per_s=20_000.0)
        )
    )
    assert stated.recommendation == made.recommendation
    assert stated.alternatives == made.alternatives
    assert "No busiest hour" not in stated.finding
    # Who states none has none at another rate either.
    flat = ask(curve=curve(Production(4 * TIB, 20_000.0)), accesses_per_s=8_000.0)
    assert (flat.accesses_per_s, flat.peak_accesses_per_s) == (8_000.0, 8_000.0)
    assert "No busiest hour was stated, so the mean is used." in flat.finding
    # A busiest hour that is as busy as all others was stated.
    even = ask(
        curve=curve(Production(4 * TIB, 20_000.0, 20_000.0)), accesses_per_s=8_000.0
    )
    assert "No busiest hour" not in even.finding


def test_a_check_that_checks_nothing_is_said_at_the_top() -> None:
    trace = Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst")
    found = ask(trace=trace)
    assert found.checked
    assert all(each.reason for each in found.checked)
    assert found.status == "model"
    assert found.finding.count("Not checked by a replay") == 1
    [said] = [each for each in found.cautions if each.code == "replay_too_small"]
    assert "fewer than the 1,000" in said.message
    assert "record a larger system" in said.hint
    # Before it is made, too.
    before = ask()
    assert "Not checked by a replay" not in before.finding
    assert [each.hint for each in before.cautions if each.code == said.code] == [
        said.hint
    ]
    # The recording itself is replayed.
    own = recorded().curve.from_start("cold")
    for asked in ({}, {"trace": trace}):
        other = ask(curve=own, accesses_per_s=1000.0, **asked)
        assert "Not checked by a replay" not in other.finding
        assert all(each.code != said.code for each in other.cautions)


def test_of_a_recording_without_production_is_said_what_it_is_sized_for() -> None:
    own = recorded().curve.from_start("cold")
    size = format_bytes(own.distinct_pages * own.page_bytes)
    for stated, sized in (
        (
            {"accesses_per_s": None, "duration_s": own.accesses / 500},
            f"the recording itself, which touches {size} at 500 accesses per second",
        ),
        (
            {"accesses_per_s": 1000.0},
            f"the data that the recording touches, {size}, at the stated 1,000 accesses per second",
        ),
        (
            {"accesses_per_s": None, "constraints": {}},
            f"the recording itself, which touches {size}, at no known rate",
        ),
    ):
        found = ask(curve=own, **stated)
        assert found.because.startswith(
            f"No production is stated: it is sized for {sized}."
        )
        assert found.because in found.finding
        [said] = [each for each in found.cautions if each.code == "no_production"]
        assert sized in said.message
        # It may be another system altogether: nothing says that the choice stays.
        assert said.could_change_choice is None
    # Where nothing suits, too.
    none = ask(curve=own, accesses_per_s=1000.0, constraints={"ram_bytes": "1"})
    assert none.recommendation is None
    assert none.because.startswith("No production is stated")
    scaled = ask()
    assert "No production" not in scaled.finding
    assert all(each.code != "no_production" for each in scaled.cautions)


def test_what_to_buy_and_why_are_told_apart_and_are_the_whole_finding() -> None:
    found = ask(how_sure=True)
    best = found.recommendation
    assert best is not None
    assert found.decision.startswith(("Buy ", "Rent "))
    assert found.decision.endswith(
        f"{money(best.usd_per_month)} per month without the machine they need."
    )
    assert found.because.startswith("It is the cheapest of ")
    assert found.confidence.text
    said = (found.decision, found.because, found.confidence.text)
    assert found.finding == " ".join(said)
    # Nothing is said of how sure it is where that was not asked for.
    short = ask()
    assert short.finding == f"{short.decision} {short.because}"
    none = ask(constraints={"usd_per_month": 5})
    assert none.infeasible is not None
    assert none.decision == none.infeasible.heading
    assert none.because == none.infeasible.more
    # Nothing is said twice.
    assert none.finding.count("Relaxing one limit") == 1
    assert none.finding.startswith(none.decision)


def test_what_alone_keeps_the_limits_is_not_called_the_cheapest_of_one() -> None:
    """The cheapest and the fastest are first of several; where bounds left options out, more of them may keep the limits."""

    def because(suitable: int, objective: str = "usd", **stated: Any) -> str:
        best = ask().recommendation
        return _words.decided(
            best, None, None, suitable, objective, "", rate_known=True, **stated
        )[1]

    assert because(2) == "It is the cheapest of 2 options that keep every limit."
    assert because(1) == "It is the only option that keeps every limit."
    assert because(1, "io_time") == "It is the only option that keeps every limit."
    assert because(1, response_limited=True) == (
        "It is the only option that keeps every other limit, and it keeps those on response times too."
    )
    assert because(2, response_limited=True) == (
        "It is the cheapest that keeps the limits on response times too, of 2 options that keep every other limit."
    )
    only = "It is the only option of those that were evaluated that keeps every limit; "
    assert because(1, pruned=1) == (
        f"{only}the 1 option that a bound left out is not cheaper."
    )
    assert because(1, "io_time", pruned=1200) == (
        f"{only}none of the 1,200 options that bounds left out is faster."
    )


def test_the_front_is_named_where_it_is_asked_for() -> None:
    found = ask(objective="pareto")
    assert found.pareto_in_all > 1
    assert (
        f"It is the cheapest of the {found.pareto_in_all:,} choices on the front of cost and I/O time"
        in found.finding
    )
    assert "front" not in ask().finding
    assert list(_words.finding._front((1, True), "")) == [
        "It is the whole front of cost and I/O time: nothing that keeps every limit is faster."
    ]
    [otherwise] = _words.finding._front((3, False), "")
    assert "the replay decided otherwise" in otherwise


def test_a_broken_limit_reads_as_a_sentence() -> None:
    [option] = [ask().recommendation]
    assert option is not None
    assert set(_words.limits.SAID_OF) == set(CONSTRAINTS)

    def said(name: str, value: float | None, limit: float) -> str:
        text = _words.rejected_text(option, name, value, limit)
        before, _, after = text.partition(": ")
        assert before == _words.named(option)
        return after

    assert said("peak_busy", 2.14, 0.7) == (
        "a device of it would be 214 % busy in the busiest hour; at most 70 % is allowed."
    )
    assert said("flash_life_years", 2.0, 5.0) == (
        "its flash lasts 2.00 years; at least 5 years is required."
    )
    assert (
        said("machines", 3, 1) == "it takes 3 machines; at most 1 machine is allowed."
    )
    assert said("flash_life_years", None, 5.0) == (
        "the life of the flash is unknown; at least 5 years is required."
    )
    # What was stated has the digits that were stated, and no others.
    assert said("power_watts", 1300, 1234.5) == (
        "its servers draw 1,300 W; at most 1,234.5 W is allowed."
    )
    assert said("restart_s", 4000, 3700) == (
        "RAM takes 66.7 minutes to warm up after a restart; at most 3,700 s is allowed."
    )
    option = replace(option, response_reason="nobody measured `a drive`")
    assert said("response_p99_us", None, 5e3) == (
        "the 99th percentile of the response time in the busiest hour is unknown, and at most 5 ms is allowed: "
        "nobody measured `a drive`."
    )


def test_the_other_ends_are_told() -> None:
    found = ask(how_sure=True)
    law = [each for each in found.cautions if "scaled" in each.message]
    assert law
    assert "per month" in law[0].effect
    assert found.confidence.tornado
    widths = []
    for bar in found.confidence.tornado:
        if bar.usd_per_month_low is not None and bar.usd_per_month_high is not None:
            assert bar.usd_per_month_low <= bar.usd_per_month_high
            widths.append(bar.usd_per_month_high - bar.usd_per_month_low)
    assert widths
    # The quick answer did not ask there, and blames nothing else.
    quick = {each.message: each for each in ask(how_sure=False).cautions}
    assert quick[law[0].message].effect == NOT_ASKED
    assert quick[law[0].message].could_change_choice is None
    for each in found.cautions:
        if each.effect.startswith("not computable"):
            assert quick[each.message].effect == each.effect


def test_what_a_limit_costs_is_told() -> None:
    free = ask(how_sure=True)
    assert free.recommendation is not None
    io_us = free.recommendation.io_time_us_per_access
    assert io_us is not None
    tight = ask(how_sure=True, constraints={"io_time_us_per_access": io_us / 10})
    assert tight.verdict.limited_by == "io_time_us_per_access"
    assert "I/O time of an access" in tight.verdict.text
    loose = ask(how_sure=True, constraints={"io_time_us_per_access": io_us * 10})
    assert loose.verdict.limited_by != "io_time_us_per_access"


def test_a_limit_of_the_busy_share_costs_what_100_percent_would_save() -> None:
    tight = ask(constraints={"peak_busy": Decimal("0.05")}, how_sure=True)
    most = ask(constraints={"peak_busy": Decimal(1)}, how_sure=True)
    assert most.recommendation is not None
    [shadow] = [
        each for each in tight.verdict.shadows if each.constraint == "peak_busy"
    ]
    assert shadow.usd_per_month == most.recommendation.usd_per_month
    assert "in the busiest hour at 100 %, the cheapest would cost" in tight.verdict.text
    # Nothing is busy for longer than all of the time, however cheap it is.
    assert all(each.constraint != "peak_busy" for each in most.verdict.shadows)


@pytest.mark.parametrize(
    ("stated", "match"),
    [
        ({"latency": 3}, "is no constraint"),
        ({"usd_per_month": "much"}, "must be a number"),
        ({"usd_per_month": -1}, "must be a number"),
        # 0 is refused as well as what is above 1, and so both are told of both ends.
        ({"peak_busy": 1.5}, "must be a number above 0, at most 1"),
        ({"peak_busy": 0}, "must be a number above 0, at most 1"),
        ({"peak_busy": "nan"}, "must be a number above 0, at most 1"),
        ({"ram_bytes": True}, "must be a number"),
        ({"machines": "nan"}, "must be a number"),
        ({"usd_per_month": "1e999999999"}, "must be at most"),
    ],
)
def test_constraints_that_cannot_be_read_are_refused(
    stated: dict[str, Any], match: str
) -> None:
    with pytest.raises(BadInput, match=match):
        checked_constraints(stated)


def test_sizes_of_constraints_may_have_units() -> None:
    assert checked_constraints({"ram_bytes": "2TiB", "usd_per_month": "5000"}) == {
        "ram_bytes": Decimal(2 * TIB),
        "usd_per_month": Decimal(5000),
    }


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({"kinds": ["castles"]}, "is not one of"),
        ({"servers": ["no-such-server"]}, "no-such-server"),
        ({"devices": []}, "must name at least one"),
        ({"devices": "all"}, "must be a list"),
        ({"colour": "red"}, "unknown key"),
        ({"machine_usd": -3}, "must be an amount"),
        ({"part_usd": 3}, "must be a table"),
    ],
)
def test_candidates_that_cannot_be_read_are_refused(
    data: dict[str, Any], match: str
) -> None:
    with pytest.raises(BadInput, match=match):
        candidates_from_mapping(data, "file")


def test_lists_imply_their_kinds() -> None:
    found = candidates_from_mapping({"servers": ["aws-i4i.4xlarge"]}, "file")
    assert found.kinds == ("instances",)
    both = candidates_from_mapping(
        {"servers": ["aws-i4i.4xlarge"], "volumes": ["aws-ebs-gp3"]}, "file"
    )
    assert both.kinds == ("instances", "volumes")
    answered = ask(candidates=both, curve=curve(Production(TIB, 1000.0)))
    assert answered.recommendation is not None
    assert answered.recommendation.server == "aws-i4i.4xlarge"


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({"ram": "much", "disk_device": SHELF[2]}, "must be a size"),
        ({"ram": "1GiB"}, "must name a device"),
        ({"ram": "1GiB", "disk_device": SHELF[2], "scheme": "lazy"}, "needs `flash`"),
        ({"ram": "1GiB", "disk_device": SHELF[2], "flash": "1TB"}, "scheme"),
        ({"ram": "1GiB", "disk_device": SHELF[2], "disks": 0}, "whole number"),
        (
            {"ram": "1GiB", "disk_device": SHELF[2], "disks": 3, "machines": 2},
            "must be a multiple of the 2 equal machines",
        ),
        (
            {
                "ram": "1GiB",
                "disk_device": SHELF[2],
                "usd_per_month": 3,
                "bill": {"server": "aws-i4i.4xlarge"},
            },
            "stated twice",
        ),
        ({"ram": "1GiB", "disk_device": SHELF[2], "wheels": 4}, "unknown key"),
        (
            {
                "ram": "12GiB",
                "machines": 2,
                "disk_device": SHELF[2],
                "reserved_gib": 6,
            },
            "reserved_gib: `6` leaves nothing of 12 GiB of RAM on 2 machines for pages: state less",
        ),
        (
            {
                "ram": "1GiB",
                "disk_device": SHELF[2],
                "flash": "100TiB",
                "flash_device": "solidigm-d7-p5810-800gb",
                "flash_devices": 2,
                "scheme": "lazy",
            },
            "flash: `100 TiB` is more than 2 devices of `solidigm-d7-p5810-800gb` hold, 1.46 TiB",
        ),
        (
            {"ram": "12GiB", "disk_device": SHELF[2], "reserved_gib": -1},
            "reserved_gib: `-1` must be an amount from 0 on",
        ),
    ],
)
def test_what_there_is_is_read_or_refused(data: dict[str, Any], match: str) -> None:
    with pytest.raises(BadInput, match=match):
        have_from_mapping(data, "file")


MONEY = frozenset(
    {"kind", "usd_per_month", "purchase_usd", "bill", "config", "server", "volumes"}
)
"""What an option says beside its hardware and how that runs."""


def test_the_same_hardware_is_as_fast_whether_it_is_there_or_is_bought() -> None:
    """Where it is stated what the system takes of the RAM, as it takes of candidates."""
    # Disks carry it, and flash before them pays for itself.
    slow = replace(
        PRODUCTION, machines=2, accesses_per_s=1000.0, peak_accesses_per_s=3000.0
    )
    of = curve(slow)
    candidates = replace(
        DEVICES_ALONE, devices=(SHELF[0], SHELF[2]), reserved_gib=Decimal(4)
    )
    front = ask(curve=of, candidates=candidates, objective="pareto").pareto
    cached = [each for each in front if each.flash_bytes]
    bare = [each for each in front if not each.flash_bytes]
    assert cached
    assert bare
    bought = cached[0], cached[-1], bare[0], bare[-1]
    for each in bought:
        assert each.disk_device is not None
        have = Have(
            machines=each.machines,
            ram_bytes=each.ram_bytes,
            reserved_gib=Decimal(4),
            disk=catalog.device(each.disk_device),
            disks=each.disks,
            flash=catalog.device(each.flash_device) if each.flash_device else None,
            flash_bytes=each.flash_bytes,
            flash_devices=each.flash_devices,
            scheme=each.scheme,
        )
        zero = ask(curve=of, candidates=candidates, have=have)
        today = zero.option_zero
        assert today is not None
        for name in {one.name for one in fields(each)} - MONEY:
            # Which options a split of the pool is computed of is not of the hardware.
            if name.startswith("clean_share"):
                continue
            # What there is has its machine.
            if name == "without_machine":
                assert not today.without_machine
                continue
            assert getattr(today, name) == getattr(each, name), name


def test_flash_larger_than_the_data_counts_whole_there_and_bought() -> None:
    """One rule for the same hardware: what a flash device holds caches, however little the data are."""
    small = replace(
        PRODUCTION, data_bytes=200 * GIB, accesses_per_s=2000.0, growth_per_year=0.0
    )
    candidates = replace(DEVICES_ALONE, devices=(SHELF[0], SHELF[2]))
    of_flash = catalog.device(SHELF[0])
    assert of_flash.capacity_bytes is not None
    assert of_flash.capacity_bytes > 3 * small.data_bytes
    for scheme in ("inclusive", "exclusive", "lazy"):
        have = Have(
            machines=1,
            ram_bytes=9 * GIB,
            disk=catalog.device(SHELF[2]),
            disks=1,
            flash=of_flash,
            flash_bytes=of_flash.capacity_bytes,
            flash_devices=1,
            scheme=scheme,
        )
        table = Table.of(
            _asked(
                {
                    **asked_of_nothing(),
                    "curve": curve(small),
                    "candidates": candidates,
                    "have": have,
                }
            ).setting
        )
        options, there = table.options, table.have_at
        [bought] = np.flatnonzero(
            (options.ram_bytes == have.ram_bytes)
            & (options.flash_bytes == have.flash_bytes)
            & (options.scheme == options.scheme[there])
            & (np.arange(len(options)) != there)
            & [table.names(at)[1] == SHELF[2] for at in range(len(options))]
        )
        assert options.io_us[bought] == options.io_us[there]
        assert options.life_years[bought] == options.life_years[there]


def test_what_there_is_is_named_apart_where_its_ram_is_for_pages() -> None:
    """As much RAM of a candidate holds fewer pages: of one name two options would have two speeds."""
    whole = Have(
        machines=2,
        ram_bytes=12 * GIB,
        reserved_gib=Decimal(4),
        disk=catalog.device(SHELF[1]),
        disks=2,
    )
    for have, name in (
        (whole, f"12 GiB of RAM and 2 x {SHELF[1]} on 2 machines"),
        (
            replace(whole, reserved_gib=Decimal(0)),
            f"12 GiB of RAM for pages and 2 x {SHELF[1]} on 2 machines",
        ),
    ):
        zero = ask(have=have).option_zero
        assert zero is not None
        assert zero.name == name
    # 4 GiB for pages are 12 GiB of which the system takes 4 GiB of each machine.
    pages = replace(whole, ram_bytes=4 * GIB, reserved_gib=Decimal(0))
    times = {
        found.io_time_us_per_access
        for have in (whole, pages)
        if (found := ask(have=have).option_zero) is not None
    }
    assert len(times) == 1


def test_a_bill_says_what_there_is_costs() -> None:
    have = have_from_mapping(
        {
            "machines": 2,
            "ram": "256GiB",
            "disk_device": "samsung-pm9a3-7.68tb-u2",
            "disks": 4,
            "bill": {"server": "aws-i4i.4xlarge", "machines": 2},
        },
        "file",
    )
    zero = ask(have=have).option_zero
    assert zero is not None
    assert zero.usd_per_month == Decimal("2004.58")
    assert zero.machines == 2
    assert zero.disks == 4
    assert zero.bill


def test_devices_without_a_stated_latency_have_no_response_time() -> None:
    silent = replace(Candidates(kinds=RENTED), servers=("aws-i3en.3xlarge",))
    found = advice.answer(
        curve(), candidates=silent, prices=None, how_sure=False
    ).recommendation
    assert found is not None
    assert found.response_p99_us is None
    none = advice.answer(
        curve(),
        candidates=replace(silent, kinds=("instances",)),
        prices=None,
        constraints={"response_p99_us": 10**6},
        how_sure=False,
    )
    assert none.infeasible is not None
    assert none.infeasible.conflict == ("response_p99_us",)
    assert none.infeasible.text == (
        "No option is known to keep the limit on the 99th percentile of the response time in the busiest hour: no source states "
        "the latency of a read of these devices. State it in a device file, measure the devices, or ask without the limit."
    )
    assert all(each.value is None for each in none.rejected)
    stated = ask(constraints={"response_p99_us": 10**6}).recommendation
    assert stated is not None
    assert stated.response_p99_us is not None


def test_the_command_prints_it_and_says_when_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(recorded().to_dict()))
    shelf = tmp_path / "c.toml"
    shelf.write_text(f'devices = ["{SHELF[0]}", "{SHELF[2]}"]\nmachine_usd = 5000\n')
    asked = [
        *("advise", str(path), "--data", "2TiB", "--accesses-per-second", "5000"),
        *("--candidates", str(shelf), "--price-book", "street-2026-q3"),
    ]
    out = run(*asked)
    assert out.returncode == 0, out.stderr
    assert out.stdout.startswith("Buy ")
    assert "at price book `street-2026-q3` of 2026-Q3." in out.stdout
    assert "front of cost" not in out.stdout
    unnamed = run(*asked[:-2], "--objective", "pareto")
    assert (
        "`street-2026-q3` of 2026-Q3 (the default, as none is named" in unnamed.stdout
    )
    assert "\nfront of cost and I/O time\n" in unnamed.stdout
    whole = run(*asked[:6]).stdout
    assert "Prices: whole systems at the list prices that are shipped." in whole
    assert "machine without RAM and drives" in out.stdout
    document = json.loads(run(*asked, "--json").stdout)
    assert set(document) >= CONTRACT
    nothing = run(*asked, "--constraint", "usd_per_month=1", "--json")
    assert nothing.returncode == 3
    infeasible = json.loads(nothing.stdout)
    assert infeasible["recommendation"] is None
    assert infeasible["infeasible"]["conflict"] == ["usd_per_month"]
    bad = run(*asked, "--constraint", "colour=red")
    assert bad.returncode == 2
    assert "is no constraint" in bad.stderr
    twice = run("advise", str(path), "--data", "2TiB")
    assert twice.returncode == 2
    assert "--accesses-per-second" in twice.stderr


# --- what is missing is null, and no number rests on what nobody stated ------------------

MISSING = (
    "rate",
    "growth",
    "write-backs",
    "price of RAM",
    "price of flash",
    "cost of what there is",
)


def options_of(found: Advice) -> list[Option]:
    """Every option that the answer names."""
    named = [
        found.recommendation,
        found.option_zero,
        *found.alternatives,
        *found.pareto,
    ]
    named += [each.option for each in found.rejected]
    named += [each.option for each in found.rules_of_thumb]
    return [each for each in named if each is not None]


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole question, before anything is left out."""

    data_bytes: int
    accesses_per_s: float
    growth_per_year: float
    disks: int
    usd_per_month: Decimal
    objective: Objective


wholes = st.builds(
    Whole,
    data_bytes=st.integers(2**30, 2**43),
    accesses_per_s=st.floats(1.0, 1e6),
    growth_per_year=st.floats(0.05, 1.0),
    disks=st.integers(1, 100),
    usd_per_month=st.decimals("1", "50000", places=2),
    objective=st.sampled_from(["usd", "io_time", "pareto"]),
)


def asked_without(missing: set[str], whole: Whole) -> dict[str, Any]:
    """A whole question with some of its inputs left out."""
    production = Production(
        whole.data_bytes,
        whole.accesses_per_s,
        growth_per_year=0.0 if "growth" in missing else whole.growth_per_year,
    )
    # A recording without times has no rate.
    known = (
        recorded().curve.from_start("steady")
        if "rate" in missing
        else scale.answer(recorded(), production).profile.curve.from_start("steady")
    )
    if "write-backs" in missing:
        known = replace(known, write_backs_at=None, write_accesses=0, cold=None)
    prices = dict(PRICES)
    if "price of flash" in missing:
        del prices[SHELF[1]]
    made = book(**prices)
    if "price of RAM" in missing:
        made = replace(
            made, prices=tuple(each for each in made.prices if each.kind != "dram")
        )
    have = Have(
        machines=1,
        ram_bytes=2**40,
        disk=catalog.device(SHELF[1]),
        disks=whole.disks,
        usd_per_month=None
        if "cost of what there is" in missing
        else whole.usd_per_month,
    )
    return {
        "curve": known,
        "objective": whole.objective,
        "prices": made,
        "have": have,
        "candidates": replace(DEVICES_ALONE, devices=SHELF),
    }


def check_rate(found: Advice, *, is_known: bool) -> None:
    """Without a rate no figure of load, response or life is stated, and that is said."""
    said = {each.name for each in found.warnings}
    assert ("rate_not_known" in said) == (not is_known)
    assert (found.accesses_per_s is not None) == is_known
    assert (found.peak_accesses_per_s is not None) == is_known
    assert ("peak_busy" in found.constraints) == is_known
    if is_known:
        zero = found.option_zero
        assert zero is not None
        assert zero.peak_busy is not None or "peak_busy" in zero.ranges
        return
    for each in options_of(found):
        assert each.peak_busy is None
        assert each.response_p50_us is None
        assert each.response_p99_us is None
        assert each.response_p99_mean_us is None
        assert each.months_until_too_small is None
        # What is written wears at an unknown rate.
        assert each.flash_life_years is None


def check_prices(found: Advice, missing: set[str]) -> None:
    """What has no price is no candidate, and what there is saves nothing where its cost is unknown."""
    bought = [each for each in options_of(found) if each.kind != "have"]
    if "price of RAM" in missing:
        assert "no_price_of_ram" in {each.name for each in found.warnings}
        assert not bought
    if "price of flash" in missing:
        named = {
            name for each in bought for name in (each.flash_device, each.disk_device)
        }
        assert SHELF[1] not in named
    for each in bought:
        assert each.usd_per_month is not None
        assert all(row["unit_price"] is not None for row in each.bill)
    zero, best = found.option_zero, found.recommendation
    assert zero is not None
    known = "cost of what there is" not in missing
    assert (zero.usd_per_month is not None) == known
    assert (zero.purchase_usd is not None) == known
    # Without the price of their machine it is not known what devices save.
    is_whole = best is not None and not best.without_machine
    assert (found.saving_usd_per_month is not None) == (known and is_whole)
    if not known:
        assert best is None or best.kind != "have"
        # That what there is lacks a price is said where nothing keeps every limit; no money is set against it.
        said = _words.today_text(found.rejected)
        unpriced = re.sub(
            r"; what there is today costs an unknown amount( and (cannot|may not) carry the load: [^;.]*(\.\d[^;.]*)? speed)?",
            "",
            found.finding,
        )
        assert "today" not in unpriced.replace(said, "")


def check_writes(found: Advice, *, are_known: bool) -> None:
    """Without write-backs a figure that depends on them is null and has both ends."""
    for each in options_of(found):
        if are_known:
            assert not each.ranges
        for name in each.ranges:
            assert getattr(each, name) is None
    if not are_known:
        assert found.scenarios is None
        assert found.waiting is None
        assert found.next_dollar is None
        assert not found.flat


@pytest.mark.costly(6)
@settings(max_examples=tried(24), deadline=None)
@given(st.sets(st.sampled_from(MISSING)), wholes)
def test_what_is_missing_is_null_and_nothing_rests_on_it(
    missing: set[str], whole: Whole
) -> None:
    found = ask(**asked_without(missing, whole))
    check_rate(found, is_known="rate" not in missing)
    check_prices(found, missing)
    check_writes(found, are_known="write-backs" not in missing)
    best = found.recommendation
    grows = not missing & {"rate", "growth"}
    assert (found.when is not None) == (grows and best is not None)
    assert found.confidence.probability_best is None
    assert found.confidence.reason
    if best is not None:
        assert best.usd_per_month is not None
        figure = "io_time_us_per_access"
        assert best.io_time_us_per_access is not None or figure in best.ranges


def test_why_a_response_time_is_unknown_is_said_of_the_device_that_it_rests_on() -> (
    None
):
    best = ask().recommendation
    assert best is not None
    assert best.response_p99_us is None
    assert "a read of samsung-pm9a3-7.68tb-u2," in best.response_reason
    unrated = replace(curve(), scaled=None)
    silent = ask(curve=unrated).recommendation
    assert silent is not None
    assert silent.response_p99_us is None
    assert "states no rate" in silent.response_reason
    # Without a latency the same disk has none; with one it has, and of a rate that it cannot carry it says that.
    rates = {"read_iops": 400_000, "write_iops": 200_000}
    plain = own_store(rates)
    stated = own_store({**rates, "read_latency_us": 90})
    answers = [
        ask(
            candidates=replace(DEVICES_ALONE, devices=SHELF[:1], own=(device,)),
            constraints={"io_time_us_per_access": 1e9},
        )
        for device in (plain, stated)
    ]
    first, second = (
        next(
            option
            for option in (found.recommendation, *found.alternatives, *found.pareto)
            if option is not None and option.disk_device == "own-store"
        )
        for found in answers
    )
    assert first.response_p99_us is None
    assert "the latency of a read of own-store," in first.response_reason
    assert "read_latency_us" in first.response_reason
    assert second.response_p99_us is not None
    assert second.response_reason == ""


def own_store(rates: Mapping[str, int]) -> Device:
    """Make a device of one's own with a price, which holds the data."""
    figures = {
        name: Figure(Decimal(value), "us" if name.endswith("_us") else "1/s", "label")
        for name, value in rates.items()
    }
    figures["capacity"] = Figure(Decimal(24), "TB", "label")
    figures["unit_price"] = Figure(Decimal("0.01"), "USD/GB", "a quote")
    return Device("own-store", "Own store", "nvme", figures=figures)


def test_a_device_that_cannot_keep_up_is_named() -> None:
    have = Have(
        machines=1,
        ram_bytes=64 * GIB,
        disk=catalog.device("seagate-exos-x24-24tb"),
        disks=1,
        usd_per_month=Decimal(10),
    )
    zero = ask(have=have).option_zero
    assert zero is not None
    assert zero.response_p99_us is None
    assert zero.response_reason == (
        "seagate-exos-x24-24tb cannot keep up with the busiest hour"
    )


@pytest.mark.parametrize("objective", ["usd", "io_time"])
def test_a_limit_of_response_times_is_held_of_what_breaks_another_too(
    objective: str,
) -> None:
    """Relaxing all that an option breaks admits it; what is not computed of it is not said to be kept."""
    drives = ("micron-7450-pro-15.36tb", "micron-9550-max-6.4tb", SHELF[1], SHELF[2])
    asked: dict[str, Any] = {
        "candidates": replace(DEVICES_ALONE, devices=drives),
        "prices": book(**dict.fromkeys(drives, Decimal("0.9"))),
        "objective": objective,
    }
    limits = {"usd_per_month": 600.0, "response_p99_us": 100.0}
    found = ask(**asked, constraints=limits)
    first = _asked({"curve": curve(), "have": None, **asked, "constraints": limits})
    table = Table.of(first.setting)
    rows = {(table.title(at), table.scheme(at)): at for at in range(len(table.options))}
    both = admitted = 0
    for each in found.rejected:
        broken = {one.constraint: one for one in (each, *each.also)}
        time = broken.get("response_p99_us")
        if time is None:
            assert each.option.response_p99_us is not None
            assert each.option.response_p99_us <= limits["response_p99_us"]
        elif time.value is None:
            assert time.relaxation is None
            assert each.option.response_reason
        both += len(broken) > 1 and time is not None
        if any(one.relaxation is None for one in broken.values()):
            continue
        looser = {
            name: Decimal(repr(broken[name].value if name in broken else limit))
            for name, limit in limits.items()
        }
        at = rows[each.option.name, each.option.scheme]
        other = replace(first, constraints=looser)
        assert _choice.chosen_of(other, table).first_broken[at] < 0
        times = table.peak_responses(np.asarray([at]))
        assert in_time(other.response_limits, times).all()
        admitted += 1
    assert both
    assert admitted > 1


def test_a_conflict_names_no_limit_that_is_not_needed() -> None:
    """What no option keeps by its bound alone is the whole conflict, however many keep the others."""
    drive = "micron-9550-max-6.4tb"
    asked: dict[str, Any] = {
        "candidates": replace(DEVICES_ALONE, devices=(drive, SHELF[2])),
        "prices": book(**{drive: Decimal(1), SHELF[2]: Decimal("0.04")}),
        "constraints": {"usd_per_month": 400.0, "response_p99_us": 1.0},
    }
    # Empty caches wait for devices whatever the RAM.
    found = ask(**asked, curve=curve(start="cold"))
    assert found.infeasible is not None
    assert found.infeasible.conflict == ("response_p99_us",)
    # Full ones that hold all of the data do not, at a price.
    found = ask(**asked)
    assert found.infeasible is not None
    assert found.infeasible.conflict == ("usd_per_month", "response_p99_us")


@pytest.mark.parametrize("unknown", [False, True])
def test_where_nothing_keeps_every_limit_what_there_is_stands_beside_it(
    unknown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reason is that of its row, which is listed however many others break fewer limits."""
    of = replace(curve(), write_backs_at=None, write_accesses=0, cold=None)
    asked: dict[str, Any] = {
        "curve": of if unknown else curve(),
        "have": Have(
            machines=1,
            ram_bytes=2**34,
            disk=catalog.device(SHELF[2]),
            disks=4,
            usd_per_month=Decimal(900),
        ),
    }
    limits = {"usd_per_month": 5}
    monkeypatch.setattr(_why_not, "MOST_REJECTED", 3)
    found = ask(**asked, constraints=limits)
    assert len(found.rejected) == 3
    [today] = [each for each in found.rejected if each.option.kind == "have"]
    assert found.infeasible is not None
    assert found.finding.endswith(f"What there is today is rejected too: {today.text}")
    assert "rejected too" not in found.infeasible.text
    assert "rejected too" not in ask(constraints=limits).finding
    assert "rejected too" not in ask(**asked).finding
    # The report says the conflict at its top and in its answer, the reasons once, and describes what there is.
    written = report.html(found.to_dict(derivation=True))
    assert written.count(escape(found.infeasible.heading)) == 2
    assert written.count(escape(found.infeasible.more)) == 1
    assert escape(found.infeasible.text) not in written
    assert "Today, per month" in written


@pytest.mark.parametrize("usd_per_kwh", [None, Decimal("0.2")])
def test_one_reason_is_given_why_electricity_is_left_out(
    usd_per_kwh: Decimal | None,
) -> None:
    """A price of electricity would not help: what RAM and devices by themselves draw is what is not stated."""
    found = ask(
        candidates=Candidates(
            kinds=("devices",), devices=SHELF, max_machines=1, usd_per_kwh=usd_per_kwh
        ),
        prices=catalog.default_price_book(),
    )
    [caution] = [each for each in found.cautions if each.code == "power_left_out"]
    assert "no source states what they draw" in caution.message
    assert caution.effect.startswith("not computable: no source states the power")
    assert "price of electricity" not in caution.effect


def test_what_is_no_candidate_is_folded_where_something_else_is_chosen() -> None:
    """It changes no figure of the answer; where nothing is chosen it is the reason."""
    both = Candidates(kinds=("chassis", "devices"), devices=SHELF, max_machines=1)
    found = ask(candidates=both, prices=catalog.default_price_book())
    assert found.recommendation is not None
    first, rest = first_and_rest(found.cautions)
    [caution] = [each for each in rest if each.code == "chassis_without_price"]
    # It is not said to change nothing: what such servers cost is not known.
    assert caution.could_change_choice is None
    assert "no source states a price of a server" in caution.effect
    assert "the effect of " in title_of_rest(rest)
    assert all(each.code != "chassis_without_price" for each in first)
    alone = ask(candidates=replace(both, kinds=("chassis",)))
    assert alone.recommendation is None
    assert "chassis_without_price" in {
        each.code for each in first_and_rest(alone.cautions)[0]
    }


@pytest.mark.parametrize(
    ("kinds", "chosen", "could"),
    [
        (("devices",), "devices", None),
        (("chassis", "devices"), "devices", True),
        (("chassis",), "chassis", None),
    ],
)
def test_electricity_that_is_in_no_price_is_said_to_be_in_none(
    kinds: tuple[str, ...],
    chosen: str,
    could: bool | None,
) -> None:
    powered = Candidates(
        kinds=kinds,
        devices=SHELF if "devices" in kinds else None,
        max_machines=1,
        part_usd={"chassis": Decimal(90_000)} if "chassis" in kinds else {},
        usd_per_kwh=Decimal("0.2"),
        watts=Decimal(300),
        pue=Decimal("1.5"),
    )
    found = ask(candidates=powered, prices=catalog.default_price_book())
    best = found.recommendation
    assert best is not None
    assert best.kind == chosen
    rows = {row["what"] for row in best.bill}
    said = [each for each in found.warnings if each.name == "power_left_out"]
    if chosen == "chassis":
        assert any("lectricity" in each for each in rows)
        assert not said
        return
    assert not any("lectricity" in each for each in rows)
    [caution] = said
    assert "RAM and devices bought by themselves" in caution.message
    assert caution.could_change_choice is could
    assert caution.effect
