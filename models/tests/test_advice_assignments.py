"""Flash caches behind an assignment of relations, and hardware that page flow cannot carry: what an advice makes of both."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from advice_cases import DEVICES_ALONE, PRICES, SHELF, book
from test_advice_caches import DISK, FLASH, INSTANCE, RATE, TRACE, ask, have, sizes

from tierwright.advise import advice
from tierwright.advise.advice import _asked, _checked, _plans
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.categories import measured
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(Trace(TRACE)).curve.from_start("steady")


@pytest.fixture(scope="module")
def whole(curve: Curve) -> Advice:
    return ask(curve, caches=("larc", "cac", "cachesack"))


def test_the_fastest_are_tried_behind_an_assignment_and_the_best_runs_the_choice(
    curve: Curve, whole: Advice
) -> None:
    behind = {each.name: each for each in whole.flash_caches if each.assignment}
    alone = {each.name: each for each in whole.flash_caches if not each.assignment}
    assert behind.keys() == {"larc", "cac", "cachesack"} == alone.keys()
    assert {each.admission for each in behind.values()} == {"cachesack"}
    assert {each.admission for each in alone.values()} == {None}
    [one] = [each for each in whole.flash_caches if each.is_chosen]
    assert one is min(
        whole.flash_caches, key=lambda each: each.io_time_us_per_access or math.inf
    )
    assert one.assignment
    best = whole.recommendation
    assert best is not None
    assert (best.scheme, best.admission) == (one.name, "cachesack")
    # What the answer says can be set: the same options replayed by themselves cost the same.
    ram, flash = sizes(curve)
    counters = replay(
        Trace(TRACE),
        "flash_cache",
        best.scheme,
        ram - math.ceil((one.ram_tax_bytes or 0) / curve.page_bytes),
        flash,
        warm_up=curve.accesses // 2,
        options=best.options,
    )
    cost = price(counters, flash=catalog.device(FLASH), disk=catalog.device(DISK))
    assert cost.io_time_us_per_access == best.io_time_us_per_access
    assert "with admission by relation" in whole.finding
    assert one.assignment in whole.finding
    [caution] = [each for each in whole.warnings if each.name == "flash_cache_chosen"]
    assert "found on the same recording" in caution.message


def test_without_its_own_flash_cache_among_the_candidates_nothing_is_assigned(
    curve: Curve,
) -> None:
    found = ask(curve, caches=("larc",))
    assert [each.assignment for each in found.flash_caches] == [""]
    assert found.recommendation is not None
    assert found.recommendation.admission is None
    assert found.recommendation.options == {}


def planned(curve: Curve, most_written: float) -> _plans.Plan | None:
    asked = _asked.asked_of(
        curve, (RATE, None), INSTANCE, have(curve, "lazy"), {}, "usd", None, 36, (None, None), 0
    )  # fmt: skip
    table = Table.of(asked.setting)
    at = table.have_at
    assert at is not None
    ram, flash = sizes(curve)
    counts = measured(Trace(TRACE), ram)
    return _plans.plan_of(table, at, counts, ReplayPoint(ram, flash), most_written)


def test_of_many_relations_those_of_few_requests_are_admitted_alike(
    curve: Curve, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = planned(curve, math.inf)
    monkeypatch.setattr(_plans, "MOST_APART", 3)
    few = planned(curve, math.inf)
    assert each is not None
    assert few is not None
    counts = measured(Trace(TRACE), sizes(curve)[0])
    rules = dict(
        named.split(":") for named in few.assignment.split("+")[1:]
    )  # those that differ from the most common ones
    common = few.assignment.split("+")[0]
    by_requests = sorted(counts.categories, key=lambda one: -(one.reads + one.writes))
    others = {rules.get(str(one.number), common) for one in by_requests[3:]}
    assert len(others) == 1
    assert few.assignment != each.assignment


def test_an_assignment_writes_no_more_than_the_life_of_the_flash_allows(
    curve: Curve,
) -> None:
    ram, flash = sizes(curve)

    def written(plan: _plans.Plan) -> float:
        counters = replay(
            Trace(TRACE), "flash_cache", "cachesack", ram, flash, options=dict(plan.options("cachesack"))
        )  # fmt: skip
        return float(counters["flash_writes"] / counters["accesses"])

    free = planned(curve, math.inf)
    assert free is not None
    for share in (0.5, 0.1):
        most = share * written(free)
        bound = planned(curve, most)
        assert bound is not None
        assert bound.assignment != free.assignment
        # The model of what an assignment writes is within 5 % of its replay. Where flash is not full, a dearer write
        # turns whole relations away: what is written falls by steps.
        assert 0 < written(bound) <= 1.05 * most
    assert planned(curve, 0.0) is None


def test_flash_that_reads_no_faster_is_assigned_nothing(curve: Curve) -> None:
    page = curve.page_bytes
    fast, slow = catalog.device(FLASH), catalog.device(DISK)
    assert (service_us(fast, "read", page) or 0) < (service_us(slow, "read", page) or 0)
    there = replace(have(curve, "lazy"), flash=slow, disk=fast)
    asked = _asked.asked_of(
        curve, (RATE, None), INSTANCE, there, {}, "usd", None, 36, (None, None), 0
    )
    table = Table.of(asked.setting)
    at = table.have_at
    assert at is not None
    ram, flash = sizes(curve)
    counts = measured(Trace(TRACE), ram)
    point = ReplayPoint(ram, flash)
    assert _plans.plan_of(table, at, counts, point, math.inf) is None


def alone(curve: Curve, busy: str, **asked: object) -> Advice:
    """Ask with what there is as the only option: at most so busy."""
    stated: dict[str, object] = {
        "candidates": replace(
            DEVICES_ALONE, devices=(SHELF[1],), flash_caches=("larc", "cac")
        ),
        "have": have(curve, "inclusive"),
        "constraints": {"peak_busy": busy, "usd_per_month": "10"},
        "trace": Trace(TRACE),
    }
    return advice.answer(curve, accesses_per_s=RATE, **(stated | asked))  # type: ignore[arg-type]


def busy_of(curve: Curve, cache: str) -> tuple[float, float]:
    """How busy what there is is under its page flow and under a flash cache."""
    found = alone(curve, "1")
    flow = found.option_zero
    assert flow is not None
    assert flow.peak_busy is not None
    [row] = [each for each in found.flash_caches if each.name == cache]
    assert row.peak_busy is not None
    return flow.peak_busy, row.peak_busy


def test_what_page_flow_cannot_carry_a_flash_cache_may(curve: Curve) -> None:
    flow, cache = busy_of(curve, "cac")
    assert cache < flow
    between = f"{(cache + flow) / 2:.6f}"
    by_model = alone(curve, between, trace=None)
    assert by_model.recommendation is None
    assert by_model.beyond_page_flow == 1
    found = alone(curve, between)
    best = found.recommendation
    assert best is not None
    assert best.scheme in {"cac", "larc"}
    assert best.peak_busy is not None
    assert best.peak_busy <= float(between)
    assert found.infeasible is None
    assert found.status == "checked"
    assert found.advice_id != by_model.advice_id
    assert "Under page flow no option keeps every limit" in found.finding
    assert "it breaks the limit of busy share" in found.finding
    assert "under page flow this hardware breaks a limit" in found.verdict.text
    [row] = [each for each in found.flash_caches if each.is_chosen]
    assert row.page_flow_breaks == ("peak_busy",)
    assert row.usd_per_month == Decimal(10)
    # What is weighed under page flow says nothing of it.
    assert (found.flat, found.next_dollar, found.scenarios) == ((), None, None)
    assert found.confidence.probability_best is None


def test_where_no_flash_cache_carries_it_the_answer_says_so(curve: Curve) -> None:
    flow, cache = busy_of(curve, "cac")
    found = alone(curve, f"{max(cache * 0.9, flow * 0.51):.6f}")
    assert found.recommendation is None
    assert found.infeasible is not None
    assert found.status == "checked"
    assert "Nor does any flash cache that was replayed" in found.finding
    # Twice as busy as allowed is not tried.
    none = alone(curve, f"{flow * 0.45:.6f}")
    assert none.beyond_page_flow == 0
    assert none.flash_caches == ()
    assert "Nor does" not in none.finding


def test_limits_of_which_a_replay_knows_nothing_are_not_tried_beyond(
    curve: Curve,
) -> None:
    flow, cache = busy_of(curve, "cac")
    found = alone(
        curve,
        "1",
        constraints={
            "peak_busy": f"{(cache + flow) / 2:.6f}",
            "usd_per_month": "10",
            "restart_s": "1000000",
        },
    )
    assert found.beyond_page_flow == 0


def test_cheaper_hardware_that_page_flow_cannot_carry_is_bought_with_its_flash_cache(
    curve: Curve,
) -> None:
    flow, cache = busy_of(curve, "cac")
    dear = {
        "prices": book(**PRICES),
        "candidates": replace(
            DEVICES_ALONE, devices=(SHELF[1], SHELF[2]), flash_caches=("larc", "cac")
        ),
        "constraints": {"peak_busy": f"{(cache + flow) / 2:.6f}"},
    }
    by_model = alone(curve, "1", trace=None, **dear)
    assert by_model.recommendation is not None
    assert by_model.recommendation.kind == "devices"
    found = alone(curve, "1", **dear)
    assert found.recommendation is not None
    assert found.recommendation.kind == "have"
    assert found.recommendation.usd_per_month == Decimal(10)
    assert (by_model.recommendation.usd_per_month or 0) > 10
    assert by_model.recommendation.name in found.finding
    assert "by the model the choice would have been" in found.finding


def test_hardware_of_which_the_recording_says_nothing_is_not_tried(
    curve: Curve, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow, cache = busy_of(curve, "cac")
    between = f"{(cache + flow) / 2:.6f}"
    monkeypatch.setattr(_checked, "point_of", lambda *_: "it is too small")
    found = alone(curve, between, trace=None)
    assert found.recommendation is None
    assert found.beyond_page_flow == 0
