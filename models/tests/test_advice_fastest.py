"""For the least I/O time a checked answer is the best by replay: what was not replayed passes it only where that is sure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from advice_cases import ROOT, curve, tried
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice
from tierwright.advise.advice._asked import asked_of as read_question
from tierwright.advise.advice._checked import Replayed, by_trace, decided
from tierwright.advise.advice._choice import ranked
from tierwright.advise.advice._words import named
from tierwright.advise.advice.found import Advice, CheckedOption
from tierwright.advise.advice.request import Candidates, SchemeAt
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
SERVERS = (
    "aws-i4i.xlarge",
    "aws-i4i.4xlarge",
    "aws-is4gen.8xlarge",
    "gcp-z3-highmem-8-highlssd",
)
VOLUMES = ("aws-ebs-gp3", "aws-ebs-io2", "gcp-hyperdisk-balanced")


def slow_choice(cents: Sequence[int], some: Sequence[Replayed]) -> int:
    """Choose as the rule is told: of options that keep every limit, one by one, in fractions."""

    def exact(value: float) -> Fraction:
        return Fraction(value).limit_denominator(10**6)

    def first(of: list[Replayed], times: Mapping[int, Fraction]) -> Replayed:
        return sorted(of, key=lambda each: (times[each.at], cents[each.at], each.at))[0]

    timed, of_model, passing = [], [], []
    for each in some:
        is_timed = each.reason == "" and each.most_us is None
        (timed if is_timed else of_model).append(each)
    by_replay = {each.at: exact(each.simulated_us) for each in timed}
    by_model = {each.at: exact(each.model_us) for each in some}
    if not timed:
        return first(of_model, by_model).at
    shown = first(timed, by_replay)
    time = by_replay[shown.at]
    for each in of_model:
        own = by_model[each.at]
        # The model is asked about both.
        if own <= by_model[shown.at] and cents[each.at] < cents[shown.at]:
            passing.append(each)
        elif each.reason:
            # Not even if the model is too low by all of its error is it slower.
            if own * (1 + exact(each.band)) < time:
                passing.append(each)
        elif own < time and own != by_model[shown.at]:
            passing.append(each)
    return first(passing, by_model).at if passing else shown.at


quarters = st.integers(4, 16).map(lambda each: each / 4)
options = st.lists(
    st.tuples(
        quarters,
        quarters,
        st.integers(1, 3),
        st.sampled_from(["timed", "not replayed", "not full"]),
        st.sampled_from([0.0, 0.25, 1.0]),
    ),
    min_size=1,
    max_size=6,
)


def question() -> Any:
    return read_question(
        curve(),
        (None, None),
        Candidates(kinds=("instances",)),
        None,
        {},
        "io_time",
        None,
        36,
        (None, None),
        0,
    )


@given(options)
@settings(max_examples=tried(300), deadline=None)
def test_the_choice_is_that_of_the_rule_told_one_by_one(
    given_: list[tuple[float, float, int, str, float]],
) -> None:
    some = [
        Replayed(
            at,
            model_us,
            math.nan if what == "not replayed" else simulated_us,
            0.1,
            band,
            "too small" if what == "not replayed" else "",
            most_us=simulated_us if what == "not full" else None,
        )
        for at, (model_us, simulated_us, _, what, band) in enumerate(given_)
    ]
    cents = [each[2] for each in given_]
    assert decided(question(), np.asarray(cents), some) == slow_choice(cents, some)


@cache
def replays(production: Production) -> Any:
    """Replay the recording, each size once."""
    known: dict[SchemeAt, Mapping[str, Any]] = {}
    make = by_trace(curve(production), Trace(TRACE), None)

    def made(wanted: Sequence[SchemeAt]) -> Sequence[Mapping[str, Any]]:
        missing = [each for each in wanted if each not in known]
        if missing:
            known.update(zip(missing, make(missing), strict=True))
        return [known[each] for each in wanted]

    return made


def ask(production: Production, *, is_checked: bool, **more: Any) -> Advice:
    return advice.answer(
        curve(production),
        how_sure=False,
        replays=replays(production) if is_checked else None,
        **more,
    )


def known_us(each: CheckedOption) -> float:
    return each.model if each.simulated is None else each.simulated


def test_flash_that_was_never_replayed_is_not_paid_for_in_place_of_what_was() -> None:
    """Both take as long by the model; the replay of one differs from it by less than the known error."""
    production = Production(100 * 2**30, 1000.0)
    some = Candidates(
        servers=("aws-i4i.xlarge",),
        volumes=("aws-ebs-gp3",),
        max_machines=1,
        flash_caches=(),
    )
    asked = {"candidates": some, "objective": "io_time"}
    model = ask(production, is_checked=False, **asked).recommendation
    found = ask(production, is_checked=True, **asked)
    best, [other] = found.recommendation, found.alternatives
    assert model is not None
    assert best is not None
    assert model.usd_per_month == best.usd_per_month == Decimal("250.39")
    assert other.usd_per_month == best.usd_per_month + 8
    own, beside = found.checked
    assert own.gap is not None
    assert own.simulated is not None
    assert own.model == beside.model < own.simulated
    assert abs(own.gap) < 0.01
    assert beside.simulated is None
    # The other loses the changed pages of its cache with the machine: what lasts has none.
    lasting = ask(
        production,
        is_checked=False,
        **{**asked, "candidates": replace(some, kinds=("volumes",))},
        constraints={"flash_bytes": 0},
    ).recommendation
    assert lasting is not None
    assert lasting.io_time_us_per_access is not None
    [said] = [each for each in found.cautions if each.code == "data_on_local_disks"]
    assert said.effect == (
        f"{named(lasting)}, the fastest for sale whose data outlive their machine, takes "
        f"{lasting.io_time_us_per_access:.1f} µs of I/O time per access by the model, against {own.simulated:.2f} µs by its "
        "replay"
    )


problems = st.fixed_dictionaries(
    {
        "data_gib": st.sampled_from([20, 60, 100, 300, 900, 1500]),
        "rate": st.sampled_from([100.0, 1000.0, 20_000.0]),
        "servers": st.sets(st.sampled_from(SERVERS), min_size=1, max_size=3),
        "volumes": st.sets(st.sampled_from(VOLUMES), min_size=1, max_size=2),
        "machines": st.integers(1, 2),
        "objective": st.sampled_from(["io_time", "usd"]),
        "usd": st.none() | st.integers(200, 3000),
    }
)


@given(problems)
@settings(max_examples=tried(12), deadline=None)
def test_a_check_never_leaves_what_is_worse_than_the_choice_of_the_model(
    problem: dict[str, Any],
) -> None:
    production = Production(problem["data_gib"] * 2**30, problem["rate"])
    asked = {
        "candidates": Candidates(
            kinds=("instances", "volumes"),
            servers=tuple(sorted(problem["servers"])),
            volumes=tuple(sorted(problem["volumes"])),
            max_machines=problem["machines"],
            flash_caches=(),
        ),
        "objective": problem["objective"],
        "constraints": {}
        if problem["usd"] is None
        else {"usd_per_month": Decimal(problem["usd"])},
    }
    model = ask(production, is_checked=False, **asked).recommendation
    found = ask(production, is_checked=True, **asked)
    best = found.recommendation
    if model is None or best is None:
        return
    refuted = {(each.option.name, each.option.scheme) for each in found.rejected}
    of = {(each.option.name, each.option.scheme): each for each in found.checked}
    own = of.get((model.name, model.scheme))
    chosen = of[best.name, best.scheme]
    if own is None or own.simulated is None or (model.name, model.scheme) in refuted:
        return
    assert best.usd_per_month is not None
    assert model.usd_per_month is not None
    its, models = (
        (known_us(each), float(usd))
        for each, usd in ((chosen, best.usd_per_month), (own, model.usd_per_month))
    )
    if problem["objective"] == "usd":
        its, models = its[::-1], models[::-1]
    assert its[0] <= models[0] * (1 + 1e-9)
    if its[0] >= models[0] * (1 - 1e-9):
        assert its[1] <= models[1] * (1 + 1e-9)
    if problem["objective"] == "io_time" and chosen.simulated is None:
        # The model is off by 10 % at least.
        assert chosen.model * 1.1 < own.simulated or its[1] < models[1]


@pytest.mark.parametrize("objective", ["io_time", "usd", "pareto"])
@settings(max_examples=tried(100), deadline=None)
@given(
    given_=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.none() | st.integers(0, 3),
            st.integers(1, 3),
            st.sampled_from([1.0, 1 + 2e-16, 1 - 2e-16]),
        ),
        max_size=8,
    )
)
def test_what_was_close_is_told_apart_by_what_is_known_and_then_by_money(
    given_: list[tuple[int, int | None, int, float]], objective: str
) -> None:
    """Times that differ by how they were added up are one time; of those the dearer one stood first where it came first."""
    by_model = [(us, cents) for us, _, cents, _ in given_]
    order = sorted(
        range(len(given_)),
        key=lambda at: by_model[at] if objective == "io_time" else by_model[at][::-1],
    )
    replayed = {
        at: us * noise for at, (_, us, _, noise) in enumerate(given_) if us is not None
    }
    options = SimpleNamespace(
        month_cents=np.asarray([each[2] for each in given_]),
        io_us=np.asarray([float(each[0]) for each in given_]),
    )
    some: Any = SimpleNamespace(objective=objective)
    table: Any = SimpleNamespace(options=options)
    found = ranked(some, table, order, replayed)
    assert sorted(found) == sorted(order)
    for one, other in pairwise(found):
        known = []
        for at in (one, other):
            us, shown, cents, _ = given_[at]
            time = us if shown is None else shown
            both = (time, cents) if objective == "io_time" else (cents, time)
            known.append((*both, order.index(at)))
        assert known[0] < known[1]
