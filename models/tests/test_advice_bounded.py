"""Searching servers built from parts group by group: the same answer as listing them all, and how much is left out."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest
from advice_cases import GIB, PRICES, SHELF, TIB, book, curve, question
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from staircase_cases import is_known

from tierwright.advise import advice
from tierwright.advise.advice import _bounded, _choice, _notes, _words
from tierwright.advise.advice._table import LeftOut, Table, allowed_items, wanted_of
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates, Have
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.bought import bought
from tierwright.evaluate.advice.groups import configurations_in_all, groups
from tierwright.evaluate.advice.limits import RESPONSES
from tierwright.evaluate.configurations import sold as sold_module
from tierwright.evaluate.configurations.columns import (
    built,
    enumerate_configurations,
    enumerate_sold,
    line_cents,
    populated,
    stacked,
)
from tierwright.evaluate.configurations.sold import sold
from tierwright.evaluate.configurations.wanted import Wanted
from tierwright.hardware import catalog
from tierwright.hardware.parts import parts
from tierwright.profile.curve import Given
from tierwright.profile.evidence import Evidence
from tierwright.profile.production import Production

PARTS = (
    "chassis-dell-r760",
    "chassis-epyc-2u-24nvme",
    "chassis-aic-sb407-tu",
    "dimm-ddr5-rdimm-16gb",
    "dimm-ddr5-rdimm-32gb",
    "dimm-ddr5-rdimm-64gb",
    "hdd-nearline-28tb",
    "intel-d7-p5500-7.68tb",
    "samsung-870evo-1tb",
    "seagate-exos-x24-24tb",
    "solidigm-d7-p5810-800gb",
    "intel-s4500-7.68tb",
    "micron-9550-max-6.4tb",
)
KNOWN_LATENCY = ("intel-s4500-7.68tb", "micron-9550-max-6.4tb")
PRICED = (
    "dimm-ddr5-rdimm-16gb",
    "intel-d7-p5500-7.68tb",
    "samsung-870evo-1tb",
    *KNOWN_LATENCY,
)
STOOD_IN = {
    "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
    "disk": catalog.device("seagate-exos-x24-24tb"),
}
problems = st.fixed_dictionaries(
    {
        "data": st.integers(2**36, 2**45),
        "rate": st.floats(10.0, 1e6),
        "replicas": st.sampled_from([1, 2]),
        "usd": st.fixed_dictionaries(
            {"chassis": st.decimals("1", "20000", places=2)},
            optional={name: st.decimals("0", "3000", places=3) for name in PRICED},
        ),
        "parts": st.none() | st.sets(st.sampled_from(PARTS), min_size=5),
        "kinds": st.sampled_from(
            [("chassis",), ("chassis", "devices"), ("instances", "chassis")]
        ),
        "kwh": st.none() | st.decimals("0", "1", places=2),
        "limits": st.fixed_dictionaries(
            {},
            optional={
                "usd_per_month": st.integers(1, 30_000),
                "purchase_usd": st.integers(100, 10**6),
                "machines": st.integers(1, 3),
                "ram_bytes": st.integers(2**35, 2**43),
                "io_time_us_per_access": st.floats(0.1, 1e3),
                "flash_life_years": st.floats(0.1, 10.0),
                "throughput_accesses_per_s": st.floats(1.0, 1e7),
                "peak_busy": st.floats(0.05, 1.0),
                "rack_units": st.integers(1, 6),
                "response_p50_us": st.floats(1.0, 2e4),
                "response_p99_us": st.floats(50.0, 1e5),
            },
        ),
        "objective": st.sampled_from(["usd", "io_time", "pareto"]),
        "have": st.none() | st.integers(1, 200),
        "near": st.sampled_from([0.0, 0.25]),
        "chunk": st.sampled_from([100, 5000]),
    }
)


@pytest.fixture(autouse=True)
def few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sell a few parts alone: listing all of them takes long."""
    some = {name: each for name, each in parts().items() if name in PARTS}
    monkeypatch.setattr(sold_module, "parts", lambda: some)


@cache
def workload(data: int, rate: float, replicas: int) -> Any:
    return curve(Production(data, rate, 2 * rate, machines=replicas, replicas=replicas))


def asked_of(problem: dict[str, Any]) -> dict[str, Any]:
    parts, have = problem["parts"], problem["have"]
    return {
        "curve": workload(problem["data"], problem["rate"], problem["replicas"]),
        "prices": book(**PRICES),
        "candidates": Candidates(
            kinds=problem["kinds"],
            devices=SHELF if "devices" in problem["kinds"] else None,
            parts=None if parts is None else tuple(sorted(parts)),
            max_machines=3,
            part_usd=problem["usd"],
            usd_per_kwh=problem["kwh"],
        ),
        "constraints": {
            name: Decimal(str(value)) for name, value in problem["limits"].items()
        },
        "objective": problem["objective"],
        "have": None
        if have is None
        else Have(
            machines=1,
            ram_bytes=64 * GIB,
            disk=catalog.device("seagate-exos-x24-24tb"),
            disks=have,
            usd_per_month=Decimal(9000),
        ),
        "how_sure": False,
        **STOOD_IN,
    }


def answered(
    problem: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> tuple[Advice, Advice]:
    """Answer without leaving anything out, and by bounds."""
    asked = asked_of(problem)
    monkeypatch.setattr(_bounded, "NEAR", problem["near"])
    monkeypatch.setattr(_bounded, "CHUNK", problem["chunk"])
    monkeypatch.setattr(_bounded, "_WINDOW", 4 * problem["chunk"])
    monkeypatch.setattr(_choice, "MOST_ASKED", 10**9)
    found = []
    for most in (10**9, 0):
        monkeypatch.setattr(_bounded, "SEARCH_FROM", most)
        found.append(advice.answer(asked["curve"], **_without(asked, "curve")))
    return found[0], found[1]


def _without(asked: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in asked.items() if key != name}


@pytest.mark.formula("evaluate.advice.groups.groups")
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(problem=problems)
@example(
    # The cheapest that holds all of the data breaks one limit; a cheaper one is too slow besides, the largest costs more.
    problem={
        "data": 2**36,
        "rate": 10.0,
        "replicas": 1,
        "usd": {"chassis": Decimal(1)},
        "parts": None,
        "kinds": ("chassis",),
        "kwh": None,
        "limits": {"usd_per_month": 1, "response_p99_us": 50.0},
        "objective": "usd",
        "have": None,
        "near": 0.0,
        "chunk": 100,
    }
)
def test_what_bounds_leave_out_changes_no_answer(
    problem: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, searched = answered(problem, monkeypatch)
    assert searched.recommendation == whole.recommendation
    assert searched.alternatives == whole.alternatives
    assert searched.pareto == whole.pareto
    assert searched.pareto_in_all == whole.pareto_in_all
    assert searched.option_zero == whole.option_zero
    assert searched.next_dollar == whole.next_dollar
    assert searched.rules_of_thumb == whole.rules_of_thumb
    # How far one limit has to be relaxed is known of all options alone.
    assert (searched.infeasible is None) == (whole.infeasible is None)
    if searched.infeasible is not None and whole.infeasible is not None:
        assert searched.infeasible.conflict == whole.infeasible.conflict
        assert whole.infeasible.text.startswith(searched.infeasible.text)
    assert searched.advice_id == whole.advice_id
    if problem["near"] or problem["objective"] == "io_time":
        assert searched.flat == whole.flat
    assert whole.pruned == 0
    check_staircases(searched, whole)
    assert searched.evaluated + searched.pruned == whole.evaluated
    assert searched.suitable <= whole.suitable
    counts = _early(searched)
    if whole.recommendation is not None:
        assert sum(counts.values()) == searched.evaluated - searched.suitable
    for name, count in counts.items():
        assert count <= whole.rejected_counts[name]
    if whole.recommendation is None:
        assert searched.suitable == whole.suitable == 0
        # Nothing that keeps every limit leaves nothing out.
        assert searched.pruned == 0
        assert counts == _early(whole)
        # Where nothing keeps them, those that keep every other limit are counted by limits of response times.
        assert sum(whole.rejected_counts.values()) == whole.evaluated
        assert searched.rejected == whole.rejected


def _early(found: Advice) -> dict[str, int]:
    """Return the counts by limits that are held before those of response times."""
    return {
        name: count
        for name, count in found.rejected_counts.items()
        if name not in RESPONSES
    }


def check_staircases(searched: Advice, whole: Advice) -> None:
    """What a limit buys of what bounds leave is what it buys of all, or it is said that it is not known."""
    known = {each.constraint: each for each in searched.staircases}
    for each in whole.staircases:
        found = known[each.constraint]
        for step in each.steps:
            value = step.value
            if found.steps and value is not None and is_known(found, value):
                assert found.at(value) == step
        is_open = each.constraint in ("usd_per_month", "io_time_us_per_access")
        if is_open and whole.recommendation is not None and each.steps:
            assert found.steps
            tightest = each.steps[0].value
            assert found.tightest_known is None
            assert found.steps[0].value == tightest
        elif not is_open:
            # Of few enough options none is left out, and all is known.
            assert found.reason or found == each


PROBLEM: dict[str, Any] = {
    "data": 4 * TIB,
    "rate": 80_000.0,
    "replicas": 2,
    "usd": {"chassis": Decimal(9000)},
    "parts": None,
    "kinds": ("chassis",),
    "kwh": None,
    "limits": {},
    "objective": "usd",
    "have": None,
    "near": 0.25,
    "chunk": 1 << 16,
}


def test_where_nothing_is_fast_and_cheap_enough_a_search_lists_what_is_nearest_to_its_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = {
        **PROBLEM,
        "limits": {"purchase_usd": 15_000},
        "objective": "io_time",
        "chunk": 100,
    }
    whole, searched = answered(problem, monkeypatch)
    assert whole.recommendation is None
    assert searched.rejected == whole.rejected
    # The fastest of each has the most RAM.
    assert len({each.option.ram_bytes for each in whole.rejected}) > 1
    assert min(float(each.value or 0) for each in whole.rejected) < 50_000


def test_most_options_are_left_out_and_the_answer_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, searched = answered(PROBLEM, monkeypatch)
    assert searched.pruned > 0.7 * whole.evaluated
    told = {each.code: each for each in searched.cautions}
    assert f"{searched.pruned:,} options of {whole.evaluated:,} were not evaluated" in (
        told["options_left_out"].message
    )
    assert "options_left_out" not in {each.code for each in whole.cautions}
    best = "Viable: the best of all candidates."
    assert whole.verdict.text.startswith(best)
    assert "left out" not in whole.verdict.text
    assert searched.verdict.text.startswith(
        f"{best} Bounds left out {searched.pruned:,} options, none of which is better."
    )
    asked = {**asked_of(PROBLEM), "how_sure": True}
    unsure = advice.answer(asked["curve"], **_without(asked, "curve"))
    assert unsure.pruned == searched.pruned
    assert unsure.confidence.probability_best is None
    assert "bounds left out options" in unsure.confidence.reason
    assert unsure.scenarios is None
    assert f", and of {searched.pruned:,} options that bounds left out" in (
        searched.finding
    )
    assert "left out" not in whole.finding
    names = {each.name: each.value for each in searched.figures}
    assert names["pruned"] == searched.pruned
    assert "pruned" not in {each.name for each in whole.figures}


def test_one_option_that_is_left_out_is_said_in_the_singular() -> None:
    found = advice.answer(
        workload(4 * TIB, 80_000.0, 1),
        candidates=Candidates(kinds=("instances",), max_machines=1),
        how_sure=False,
        **STOOD_IN,
    )
    best = found.recommendation
    said = _words.verdict_text(True, None, best, "usd", limits_tried=False, pruned=1)
    assert said == (
        "Viable: the best of all candidates. A bound left out 1 option, which is no better."
    )
    asked = question(asked_of(PROBLEM))
    table = Table.of(asked.setting)
    table.left_out = LeftOut(9, 1, 5, {})
    [caution] = [
        each
        for each in _notes.about_answer(asked, table, None, ())
        if each.name == "options_left_out"
    ]
    assert "1 option of 10 was not evaluated" in caution.message


@pytest.mark.parametrize("limit", [125, 160, 15_000])
def test_limits_of_response_times_raise_what_a_group_costs(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = {
        **PROBLEM,
        "usd": {**PROBLEM["usd"], KNOWN_LATENCY[0]: Decimal(700)},
        "rate": 500_000.0,
        "limits": {"response_p99_us": limit},
    }
    whole, searched = answered(problem, monkeypatch)
    assert searched.recommendation is not None
    assert searched.recommendation.response_p99_us is not None
    assert searched.recommendation.response_p99_us <= limit
    assert searched.pruned > 0.3 * whole.evaluated
    for name in ("recommendation", "alternatives", "pareto", "pareto_in_all"):
        assert getattr(searched, name) == getattr(whole, name)
    assert searched.flat == whole.flat
    assert searched.rules_of_thumb == whole.rules_of_thumb
    for each in searched.rules_of_thumb:
        option = each.option
        assert option is None or (option.response_p99_us or 1e9) <= limit


def test_what_the_evidence_does_not_speak_of_is_left_out_before_it_is_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Groups of other sizes of RAM are not able: the answer is that of the whole list, of fewer evaluated."""
    shape = workload(4 * TIB, 80_000.0, 2)
    evidence = Evidence("points", 200 * GIB // 8192, 2**40 // 8192)
    spoken = replace(shape, given=Given("points", data_known=True, evidence=evidence))
    found = []
    for each, most in ((spoken, 10**9), (spoken, 0), (shape, 0)):
        monkeypatch.setattr(_bounded, "SEARCH_FROM", most)
        asked = {**asked_of(PROBLEM), "curve": each}
        found.append(advice.answer(asked.pop("curve"), **asked))
    whole, searched, free = found
    assert whole.rejected_counts["evidence"] > 1000
    assert whole.recommendation != free.recommendation
    assert searched.recommendation == whole.recommendation
    assert searched.alternatives == whole.alternatives
    assert searched.pareto == whole.pareto
    assert searched.evaluated < 0.5 * whole.evaluated


def test_too_many_to_search_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bounded, "SEARCH_FROM", 0)
    monkeypatch.setattr(_bounded, "MOST_CONFIGURATIONS", 1000)
    with pytest.raises(BadInput, match="more than 1,000 up to 3 machines"):
        _bounded.table_of(question(asked_of(PROBLEM)))


def test_without_a_limit_what_was_left_out_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = asked_of({**PROBLEM, "limits": {"peak_busy": 0.01}})
    shadows = []
    for most in (10**9, 0):
        monkeypatch.setattr(_bounded, "SEARCH_FROM", most)
        found = advice.answer(
            asked["curve"], **{**_without(asked, "curve"), "how_sure": True}
        )
        shadows.append(found.verdict.shadows)
    assert shadows[0] == shadows[1]
    assert shadows[0]


# Groups and what they consist of.


def wanted(**stated: Any) -> Wanted:
    usual: dict[str, Any] = {
        "data_bytes": 8 * TIB,
        "page_bytes": 8192,
        "replicas": 2,
        "max_machines": 3,
        "kinds": ("chassis",),
        "part_usd": {"chassis": Decimal(9000), PARTS[4]: Decimal("75.005")},
        "usd_per_kwh": Decimal("0.12"),
    }
    return Wanted(**(usual | stated))


@pytest.mark.oracle(
    "evaluate.advice.groups.groups",
    "evaluate.configurations.columns.built",
    "evaluate.advice.groups.configurations_in_all",
    "evaluate.configurations.columns.populated",
)
@pytest.mark.formula(
    "evaluate.configurations.columns.built",
    "evaluate.advice.groups.configurations_in_all",
    "evaluate.configurations.columns.populated",
)
@settings(max_examples=4, deadline=None)
@given(
    data=st.integers(2**36, 2**45),
    peak=st.none() | st.floats(10, 1e6),
    most_busy=st.floats(0.05, 1),
    usd=st.decimals("0", "500", places=3),
)
def test_groups_list_what_the_enumeration_lists_and_bound_it(
    data: int, peak: float | None, most_busy: float, usd: Decimal
) -> None:
    asked = wanted(data_bytes=data, part_usd={"chassis": Decimal(9000), PARTS[4]: usd})
    whole = enumerate_configurations(asked)
    found = sold(asked)
    assert configurations_in_all(asked, found) == len(whole)
    of_one = sum(each.rows(len(found.dimms)) for each in populated(found))
    assert of_one * 2 == len(whole)
    everything = [
        np.ones(len(items), dtype=np.bool_)
        for items in (found.chassis, found.dimms, found.drives)
    ]
    shape = workload(4 * TIB, 80_000.0, 2)
    devices = STOOD_IN["flash"], STOOD_IN["disk"]
    made = groups(
        asked,
        found,
        (everything[0], everything[1], everything[2]),
        shape,
        peak=peak,
        most_busy=most_busy,
        devices=devices,
    )
    # All rows of all groups, in their order, are all configurations.
    columns, places = made.listed(np.arange(len(made)))
    assert places.tolist() == list(range(len(whole)))
    for name in ("drives", "rent_cents", "purchase_cents", "lacks", "broken"):
        assert np.array_equal(getattr(columns, name), getattr(whole, name)), name
    # Without a rate nothing is known to be too busy.
    options = bought(whole, shape, (peak, peak), devices)
    of = np.repeat(np.arange(len(made)), made.most)
    assert np.array_equal(options.io_us, made.io_us[of], equal_nan=True)
    keeps = (options.broken == 0) & (options.unpriced == 0)
    keeps &= np.isfinite(options.io_us)
    if peak is not None:
        keeps &= options.peak_busy <= most_busy
    assert np.all(made.able[of][keeps])
    assert np.all(options.month_cents[keeps] >= made.least_cents[of][keeps])
    assert np.all(options.store_devices[keeps] >= made.fewest[of][keeps])


@pytest.mark.oracle("evaluate.configurations.columns.line_cents")
@pytest.mark.formula("evaluate.configurations.columns.line_cents")
@given(
    usd=st.none() | st.decimals("0", "1000000", places=5),
    quantities=st.lists(st.integers(0, 10**6), max_size=20),
)
def test_lines_are_rounded_one_by_one(
    usd: Decimal | None, quantities: list[int]
) -> None:
    found = line_cents(usd, np.asarray(quantities, dtype=np.int64)).tolist()
    for quantity, cents in zip(quantities, found, strict=True):
        exact = (usd or Decimal(0)) * quantity * 100
        assert cents == int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def test_parts_that_are_not_allowed_are_in_no_group() -> None:
    asked = question(
        {**asked_of({**PROBLEM, "parts": set(PARTS[:6])}), "constraints": {}}
    )
    asked = replace(
        asked,
        setting=replace(
            asked.setting,
            candidates=replace(
                asked.setting.candidates, parts=(*PARTS[:2], *PARTS[4:])
            ),
        ),
    )
    made = wanted_of(asked.setting)
    assert made is not None
    found = sold(made)
    allowed = allowed_items(found, asked.setting.candidates)
    listed = groups(
        made,
        found,
        allowed,
        asked.setting.curve,
        peak=None,
        most_busy=1.0,
        devices=asked.setting.devices,
    )
    names = {found.dimms[at].part.id for at in np.unique(listed.dimm).tolist()}
    assert names == set(PARTS[4:6])
    table = Table.of(asked.setting)
    assert table.columns is not None
    assert int(listed.most.sum()) == len(table.columns)


def test_other_prices_reprice_the_rows_as_a_new_enumeration_would() -> None:
    first = wanted()
    found = sold(first)
    columns = enumerate_sold(first, found, first.kinds)
    dearer = wanted(part_usd={"chassis": Decimal(9000), PARTS[4]: Decimal("91.505")})
    other = enumerate_configurations(dearer)
    again = columns.repriced(dearer)
    assert np.array_equal(again.purchase_cents, other.purchase_cents)
    assert not np.array_equal(again.purchase_cents, columns.purchase_cents)
    assert np.array_equal(again.rent_cents, other.rent_cents)
    assert len(stacked([columns, other])) == 2 * len(columns)


def test_chosen_rows_are_those_of_the_whole_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The table of a search holds the recommendation where the whole one does: first in its order."""
    asked = question({**asked_of(PROBLEM), "constraints": {}})
    monkeypatch.setattr(_bounded, "SEARCH_FROM", 0)
    some, whole = _bounded.table_of(asked), Table.of(asked.setting)
    best, same = (
        table.option(int(_choice.chosen_of(asked, table).order[0]))
        for table in (some, whole)
    )
    assert best == same
    assert len(some.options) < len(whole.options)


def test_built_makes_no_row_of_nothing() -> None:
    asked = wanted()
    nothing = np.empty(0, dtype=np.int64)
    made = built(
        asked, sold(asked), (nothing, nothing, nothing, nothing, nothing, nothing)
    )
    assert len(made) == 0


def test_where_no_part_is_allowed_there_are_the_others_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_bounded, "SEARCH_FROM", 0)
    none = {**PROBLEM, "kinds": ("instances", "chassis"), "parts": {PARTS[0]}}
    table = _bounded.table_of(question({**asked_of(none), "constraints": {}}))
    assert table.left_out is None
    assert {table.source(at) for at in range(len(table.options))} == {"instances"}


def test_a_drive_of_unknown_times_stays_unknown_among_rows_that_write_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows are evaluated in pieces: whether a time is unknown does not depend on what stands beside a row."""
    asked = {
        **asked_of({**PROBLEM, "data": 2**36, "chunk": 100}),
        "flash": None,
        "disk": None,
        "constraints": {},
    }
    monkeypatch.setattr(_bounded, "CHUNK", 100)
    answers = []
    for most in (10**9, 0):
        monkeypatch.setattr(_bounded, "SEARCH_FROM", most)
        answers.append(advice.answer(asked["curve"], **_without(asked, "curve")))
    whole, searched = answers
    assert searched.recommendation == whole.recommendation
    assert searched.alternatives == whole.alternatives
    assert searched.pareto == whole.pareto
    assert whole.rejected_counts["device_figures"] > 0


def test_the_best_of_a_kind_of_hardware_may_lie_far_from_the_front(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The group of least cost needs more drives for its life, so another of the same hardware is its best."""
    problem = {
        **PROBLEM,
        "data": 1_146_246_786_332,
        "rate": 244_686.0,
        "usd": {"chassis": Decimal(4333), "intel-d7-p5500-7.68tb": Decimal(545)},
        "limits": {"flash_life_years": 3.3},
        "near": 0.0,
        "chunk": 100,
    }
    whole, searched = answered(problem, monkeypatch)
    assert searched.alternatives == whole.alternatives
    assert searched.pruned > 0


def test_a_rule_of_thumb_that_is_not_weighed_does_not_say_that_there_is_no_candidate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, searched = answered({**PROBLEM, "chunk": 100}, monkeypatch)
    assert searched.rules_of_thumb == whole.rules_of_thumb
    assert any(each.option is not None for each in whole.rules_of_thumb)
    monkeypatch.setattr(_bounded, "_FIRST_CHUNK", 1)
    monkeypatch.setattr(_bounded, "MOST_LOOKED", 1)
    _, stopped = answered({**PROBLEM, "chunk": 1}, monkeypatch)
    assert stopped.recommendation == whole.recommendation
    weighed = 0
    for each, own in zip(stopped.rules_of_thumb, whole.rules_of_thumb, strict=True):
        assert "no candidate" not in each.reason or own.option is None
        if each.option is None and own.option is not None:
            assert "would have to be looked at" in each.reason
        else:
            weighed += each.option is not None
            assert each == own
    assert weighed < sum(each.option is not None for each in whole.rules_of_thumb)


def test_what_bounds_leave_out_may_be_the_best_if_no_page_is_dirty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The choice for any share of dirty pages needs more drives; what is said of none is searched for by itself."""
    said = []
    for rate in (80_000.0, 3_000_000.0, 30_000_000.0):
        asked = asked_of({**PROBLEM, "rate": rate})
        unknown = replace(
            asked["curve"], write_backs_at=None, write_accesses=0, cold=None
        )
        answers = []
        for most in (10**9, 0):
            monkeypatch.setattr(_bounded, "SEARCH_FROM", most)
            answers.append(advice.answer(unknown, **_without(asked, "curve")))
        whole, searched = answers
        assert searched.pruned > 0
        found = [
            each.finding[each.finding.index("The curve does not say") :]
            for each in (whole, searched)
        ]
        assert found[0] == found[1]
        said.append(found[0])
    assert any("would do" in each for each in said)
