"""Options that break a limit by the model, by less than its known error: only their replay admits them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advice_cases import asked_of, problems, question, tried
from hypothesis import given, settings

from tierwright.advise import advice, scale
from tierwright.advise.advice import _checked, _choice
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked import (
    Replayed,
    Settled,
    bands,
    by_trace,
    decided,
    settled,
)
from tierwright.advise.advice._near_misses import MOST_OFF, near_misses
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import FIRST_TOUCHES_ALONE, Advice
from tierwright.advise.advice.request import Candidates, Have, SchemeAt
from tierwright.advise.report._document import checked
from tierwright.advise.report._formulas import formulas
from tierwright.evaluate.advice.bought import budget_tb
from tierwright.evaluate.advice.choose import Objective
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

TRACE = Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcc-cut.csv.zst"
LARGE = TRACE.with_name("tpcc-20w-cut.csv.zst")
INSTANCE = Candidates(
    kinds=("instances",), servers=("aws-i4i.4xlarge",), flash_caches=()
)
COUNTED = (
    "peak_busy",
    "throughput_accesses_per_s",
    "io_time_us_per_access",
    "flash_life_years",
)
RATE = 500.5


@given(problems)
@settings(max_examples=tried(40), deadline=None)
def test_they_break_what_a_replay_counts_alone_by_less_than_the_error(
    problem: dict[str, Any],
) -> None:
    asked = question(asked_of(problem))
    table = Table.of(asked.setting)
    options = table.options
    limits = _choice.chosen_of(asked, table).limits
    found = near_misses(asked, table, limits).tolist()
    assert len(found) == len(set(found))
    expected = set()
    for at in range(len(options)):
        [error] = bands(table, np.asarray([at])).tolist()
        error = min(error, MOST_OFF)
        broken = {limit.name for limit in limits if limit.breaks[at]}
        if not broken or not broken <= set(COUNTED):
            continue
        if math.isnan(options.io_us[at]):
            continue
        near = True
        for limit in limits:
            if limit.name in broken:
                assert limit.limit is not None
                value, asked_for = float(limit.value[at]), float(limit.limit)
                if limit.name in ("throughput_accesses_per_s", "flash_life_years"):
                    near &= value >= asked_for * (1 - error)
                else:
                    near &= value * (1 - error) <= asked_for
        if near:
            expected.add(at)
    assert set(found) == expected
    by = options.io_us if problem["objective"] == "io_time" else options.month_cents
    assert (np.diff(by[found]) >= 0).all()


def test_with_a_limit_of_response_times_there_are_none() -> None:
    found = curve()
    limit = Decimal(700)
    asked, table = table_of(found, {"io_time_us_per_access": limit})
    assert len(near_misses(asked, table, _choice.chosen_of(asked, table).limits))
    asked, table = table_of(
        found, {"io_time_us_per_access": limit, "response_p99_us": Decimal(10**6)}
    )
    assert not len(near_misses(asked, table, _choice.chosen_of(asked, table).limits))


@cache
def curve() -> Curve:
    return profile(Trace(TRACE)).curve.from_start("steady")


def have() -> Have:
    """One disk machine of 10 USD a month, on which inclusive flash takes 722 µs by the model and 693 µs by its replay."""
    found = curve()
    return Have(
        machines=1,
        ram_bytes=found.distinct_pages // 10 * found.page_bytes,
        disk=catalog.device("seagate-exos-x24-24tb"),
        disks=8,
        flash_bytes=found.distinct_pages * 2 // 5 * found.page_bytes,
        flash=catalog.device("samsung-pm9a3-7.68tb-u2"),
        flash_devices=1,
        scheme="inclusive",
        usd_per_month=Decimal(10),
    )


def table_of(found: Curve, limits: dict[str, Decimal]) -> tuple[Any, Table]:
    asked = advice.asked_of(
        found,
        (RATE, None),
        INSTANCE,
        have(),
        limits,
        "usd",
        None,
        36,
        (None, None),
        0,
    )
    return asked, Table.of(asked.setting)


def ask(limits: dict[str, Any], **more: Any) -> Advice:
    return advice.answer(
        curve(),
        accesses_per_s=RATE,
        have=have(),
        constraints={name: Decimal(str(value)) for name, value in limits.items()},
        **{
            "candidates": INSTANCE,
            "trace": Trace(TRACE),
            "how_sure": False,
            **more,
        },
    )


def test_what_keeps_its_limit_by_the_replay_alone_is_recommended() -> None:
    by_model = ask({"io_time_us_per_access": 700}, trace=None)
    assert by_model.recommendation is not None
    assert by_model.recommendation.kind == "instances"
    assert by_model.near_misses == 1
    found = ask({"io_time_us_per_access": 700})
    best = found.recommendation
    assert best is not None
    assert best.kind == "have"
    assert found.status == "checked"
    assert found.advice_id != by_model.advice_id
    # What is told of it is what its replay counts, which keeps the limit.
    assert best.io_time_us_per_access == pytest.approx(692.6, abs=0.1)
    assert best.peak_busy is not None
    rows = {each.option.kind: each for each in found.checked}
    row = rows["have"]
    assert row.model is not None
    assert row.simulated is not None
    assert row.simulated == best.io_time_us_per_access < 700 < row.model
    assert "by the model the choice would have been" in found.finding
    assert (
        "By the model an access takes 722 µs of I/O time, which breaks a limit by less than the 37 % by which the model may "
        "be off; by its replay an access takes 693 µs of I/O time."
    ) in found.finding
    assert "by the model it breaks a limit" in found.verdict.text
    assert found.verdict.optimality_gap is None
    assert all(each.option.kind != "have" for each in found.rejected)
    assert found.confidence.probability_best is None
    assert "replay_changes_choice" in {each.name for each in found.warnings}
    # Asked again, the same answer.
    again = ask({"io_time_us_per_access": 700})
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("caches", "limit", "more"),
    [
        ((), 700, 0),
        # CAC runs it, and its page flow, which the replay admits, is listed beside it.
        (("cac",), 700, 0),
        # Page flow breaks the limit by its replay, too: it is in no table.
        ((), 690, 1),
        (("cac",), 690, 1),
    ],
)
def test_what_is_listed_is_not_counted_again(
    caches: tuple[str, ...], limit: int, more: int
) -> None:
    found = ask(
        {"io_time_us_per_access": limit},
        candidates=replace(INSTANCE, flash_caches=caches),
    )
    assert found.recommendation is not None
    assert (found.recommendation.scheme == "cac") == bool(caches)
    listed = {(each.option.kind, each.option.scheme) for each in found.checked}
    assert (("have", "inclusive") in listed) == (not more)
    assert found.near_misses_replayed == more
    assert found.status == "checked"


def test_what_breaks_its_limit_by_the_replay_too_is_not() -> None:
    found = ask({"io_time_us_per_access": 690})
    assert found.recommendation is not None
    assert found.recommendation.kind == "instances"
    assert (
        "1 option that the model rules out by less than its error was replayed too: it is no better."
        in found.finding
    )
    # It is rejected, and stands beside no model in what was checked.
    assert "have" in {each.option.kind for each in found.rejected}
    assert all(each.option.kind != "have" for each in found.checked)
    # One that is far beyond its error is not tried.
    found = ask({"io_time_us_per_access": 300})
    assert found.near_misses == 0
    assert found.recommendation is not None
    assert "rules out" not in found.finding


def test_where_the_model_leaves_nothing_a_replay_may() -> None:
    limits = {"io_time_us_per_access": 700, "usd_per_month": 20}
    by_model = ask(limits, trace=None)
    assert by_model.recommendation is None
    assert by_model.infeasible is not None
    found = ask(limits)
    assert found.infeasible is None
    assert found.recommendation is not None
    assert found.recommendation.kind == "have"
    assert "By the model no option keeps every limit" in found.finding
    assert found.verdict.viable
    assert "by less than the model may be off" in found.verdict.text
    nothing = ask({**limits, "io_time_us_per_access": 690})
    assert nothing.recommendation is None
    assert nothing.infeasible is not None
    assert "it is no better" in nothing.finding


def test_what_its_replay_rules_out_too_is_rejected_and_relaxed_by_the_replay() -> None:
    """The limit that is said to admit an option admits it when it is asked for."""
    limits = {"io_time_us_per_access": 690, "usd_per_month": 20}
    found = ask(limits)
    assert found.recommendation is None
    assert found.infeasible is not None
    [row] = [each for each in found.rejected if each.option.kind == "have"]
    # 722 µs by the model; what its replay takes is what its recommendation says where the limit is looser.
    best = ask({**limits, "io_time_us_per_access": 700}).recommendation
    assert best is not None
    replayed = best.io_time_us_per_access
    assert replayed is not None
    assert row.value == replayed == pytest.approx(692.6, abs=0.1)
    assert row.relaxation == pytest.approx(replayed - 690)
    assert "by its replay, an access takes 693 µs" in row.text
    assert "I/O time of an access to 693 µs, which admits" in found.infeasible.text
    assert "by its replay" in found.infeasible.text
    at_it = ask({**limits, "io_time_us_per_access": 693}).recommendation
    assert at_it is not None
    assert at_it.kind == "have"
    # Of what was not replayed the model speaks.
    unchecked = ask(limits, trace=None)
    assert unchecked.infeasible is not None
    assert "to 723 µs" in unchecked.infeasible.text
    assert "by its replay" not in unchecked.infeasible.text
    [row] = [each for each in unchecked.rejected if each.option.kind == "have"]
    assert row.value == pytest.approx(722, abs=1)


def test_figures_of_a_replay_are_not_given_out_for_those_of_a_formula() -> None:
    found = ask({"io_time_us_per_access": 700})
    best = found.recommendation
    assert best is not None
    assert best.kind == "have"
    [step] = [each for each in found.derivation() if each.name == "I/O time"]
    assert step.value == best.io_time_us_per_access
    assert step.source == "replay of the recording"
    document = found.to_dict(derivation=True)
    by_figure = {
        each.figure: each
        for each in formulas(
            checked(json.loads(json.dumps(document, default=str)), "advice")
        )
    }
    assert "replay" in by_figure["I/O time per access"].source
    assert "replay" in by_figure["Busiest device in the busiest hour"].source
    # By the model the formulas give the figures.
    by_model = ask({"io_time_us_per_access": 700}, trace=None)
    [step] = [each for each in by_model.derivation() if each.name == "I/O time"]
    assert "Koltsidas" in step.source
    document = by_model.to_dict(derivation=True)
    by_figure = {
        each.figure: each
        for each in formulas(
            checked(json.loads(json.dumps(document, default=str)), "advice")
        )
    }
    assert "replay" not in by_figure["I/O time per access"].source
    assert "replay" not in by_figure["Busiest device in the busiest hour"].source


def test_a_replay_above_a_limit_of_the_io_time_is_said() -> None:
    # Under lazy flash, with twice the RAM, 574.5 µs by the model and 576 µs by its replay; nothing else is as cheap.
    today = have()
    answer = advice.answer(
        curve(),
        accesses_per_s=RATE,
        candidates=INSTANCE,
        have=replace(today, scheme="lazy", ram_bytes=2 * today.ram_bytes),
        constraints={
            "io_time_us_per_access": Decimal(575),
            "usd_per_month": Decimal(20),
        },
        trace=Trace(TRACE),
        how_sure=False,
    )
    [row] = answer.checked
    assert row.model is not None
    assert row.simulated is not None
    assert row.model < 575 < row.simulated
    assert answer.recommendation is None
    assert answer.infeasible is not None
    # What is dearer keeps it.
    assert answer.infeasible.conflict == ("usd_per_month", "io_time_us_per_access")
    assert (
        "What would keep it breaks the limit on the cost per month." in answer.finding
    )
    # What its replay shows to break a limit is rejected, on no front, and no rule of thumb buys it.
    [refuted] = [each for each in answer.rejected if each.option.kind == "have"]
    assert refuted.constraint == "io_time_us_per_access"
    assert refuted.value == row.simulated
    assert refuted.relaxation == pytest.approx(row.simulated - 575)
    assert refuted.text.split(": ")[1].startswith("by its replay, an access takes")
    assert answer.suitable == 0
    assert answer.pareto == ()
    assert sum(answer.rejected_counts.values()) == answer.evaluated
    said = "takes 576 µs of I/O time, more than the 575 µs that are allowed"
    assert said in answer.finding
    told = {each.name: each.message for each in answer.warnings}
    assert said in told["replay_breaks_load"]


def test_for_the_least_time_the_ranking_is_that_of_the_replay() -> None:
    recorded = profile(Trace(LARGE))
    production = Production(384 * 2**30, 150_000.0)
    scaled = scale.answer(recorded, production).profile.curve.from_start("steady")
    counted = by_trace(scaled, Trace(LARGE), None)

    def slowed(wanted: Sequence[SchemeAt]) -> list[dict[str, Any]]:
        """Count as the trace does, but thrice the reads and writes where RAM is smallest: the fastest by the model."""
        least = min(point.ram_pages for _, point in wanted)
        return [
            {
                **row,
                **{
                    name: 3 * row[name]
                    for name in ("hdd_reads", "hdd_writes")
                    if point.ram_pages == least
                },
            }
            for (_, point), row in zip(wanted, counted(wanted), strict=True)
        ]

    found = advice.answer(
        scaled,
        candidates=Candidates(
            kinds=("instances",),
            servers=("gcp-z3-highmem-14-standardlssd", "aws-i4i.4xlarge"),
            flash_caches=(),
        ),
        objective="io_time",
        constraints={"usd_per_month": Decimal(3_000)},
        replays=slowed,
    )
    best = found.recommendation
    assert best is not None
    # Where the replays decide against the model there are no scenarios; where they rank as it does, whose these are is said.
    assert found.scenarios is None
    replays = {each.option.name: each.simulated for each in found.checked}
    for each in (best, *found.alternatives):
        assert each.replayed_io_time_us_per_access == replays.get(each.name)
    times = [
        each.replayed_io_time_us_per_access or each.io_time_us_per_access
        for each in (best, *found.alternatives)
    ]
    assert None not in times
    assert times == sorted(times)
    by_model = [each.io_time_us_per_access for each in (best, *found.alternatives)]
    assert by_model != sorted(by_model)
    # By the model others are faster, and what rests on it is left out.
    assert best.io_time_us_per_access != min(by_model)
    assert found.next_dollar is None
    assert found.flat == ()
    for rule in found.rules_of_thumb:
        if rule.regret_io_time_us is not None:
            assert rule.regret_io_time_us >= 0
    cheapest = ask({}, how_sure=False)
    assert cheapest.flat
    assert cheapest.next_dollar is not None


@pytest.mark.parametrize(
    ("objective", "said"),
    [
        ("io_time", "The I/O times of these scenarios are the model's"),
        ("usd", "Which limits are broken in these scenarios is by the model"),
    ],
)
def test_beside_replays_the_scenarios_are_said_to_be_those_of_the_model(
    objective: Objective, said: str
) -> None:
    recorded = profile(Trace(LARGE))
    production = Production(384 * 2**30, 150_000.0)
    scaled = scale.answer(recorded, production).profile.curve.from_start("steady")

    def asked(**more: Any) -> Advice:
        return advice.answer(
            scaled,
            candidates=Candidates(
                kinds=("instances",),
                servers=("gcp-z3-highmem-14-standardlssd", "aws-i4i.4xlarge"),
                flash_caches=(),
            ),
            objective=objective,
            constraints={"usd_per_month": Decimal(3_000)},
            how_sure=True,
            **more,
        )

    found = asked(replays=by_trace(scaled, Trace(LARGE), None))
    assert any(each.simulated for each in found.checked)
    assert found.scenarios is not None
    assert said in found.scenarios.text
    alone = asked().scenarios
    assert alone is not None
    assert said not in alone.text


DISKS = Candidates(
    kinds=("devices",), devices=("seagate-exos-x24-24tb",), flash_caches=()
)


def of_disks(times: float, **given_: Any) -> Advice:
    """Ask for disks, where the replay counts so many times as much as the trace does."""
    scaled = scale.answer(profile(Trace(LARGE)), Production(2**41, 3_000.0, 6_000.0))
    found = scaled.profile.curve.from_start("steady")
    counted = by_trace(found, Trace(LARGE), None)

    def more(wanted: Sequence[SchemeAt]) -> list[dict[str, Any]]:
        return [
            {**row, **{name: times * row[name] for name in ("hdd_reads", "hdd_writes")}}
            for row in counted(wanted)
        ]

    return advice.answer(
        found,
        candidates=DISKS,
        prices=advice.named_book("street-2026-q3"),
        replays=more,
        **given_,
    )


def test_as_many_disks_are_bought_as_the_replay_shows_to_be_needed() -> None:
    as_it_is, busier = of_disks(1.0), of_disks(1.2)
    for found in (as_it_is, busier):
        best = found.recommendation
        assert best is not None
        [row] = [each for each in found.checked if each.option.name == best.name]
        assert row.simulated is not None
        assert best.peak_busy is not None
        assert row.model is not None
        # Busy by the replay, with the disks that are bought.
        assert best.peak_busy * row.simulated / row.model <= 0.7 * (1 + 1e-9)
    names = {each.name for each in as_it_is.warnings}
    assert "replay_more_devices" not in names
    told = {each.name: each.message for each in busier.warnings}
    assert "replay_more_devices" in told
    assert as_it_is.recommendation is not None
    assert busier.recommendation is not None
    cheap, dear = (
        each.recommendation.usd_per_month  # type: ignore[union-attr]
        for each in (as_it_is, busier)
    )
    assert cheap is not None
    assert dear is not None
    assert cheap < dear <= cheap * Decimal("1.2")


def test_where_every_replay_refutes_the_model_nothing_is_recommended() -> None:
    # Of what costs more there are sizes that the recording is too small for: these stand by the model.
    found = of_disks(1_000.0, constraints={"usd_per_month": Decimal(800)})
    assert found.recommendation is None
    assert found.infeasible is not None
    # A thousand times as busy no share suffices; for more money there is what keeps it.
    assert found.infeasible.conflict == ("usd_per_month", "load")
    assert of_disks(1_000.0).recommendation is not None
    assert "What would keep it breaks the limit on the cost per month." in found.finding
    assert "replayed all break some" in found.infeasible.text
    assert "of the busiest hour, more than the 70 % that are allowed" in found.finding


def settled_of(
    near: Sequence[int], keeps: set[int], unknown: set[int], cents: Sequence[int]
) -> int | None:
    """Settle on options of which some break a limit by the model, and some keep it by their replay."""
    asked, table = table_of(curve(), {})
    count = len(cents)
    options = replace(
        table.options.rows(np.zeros(count, dtype=np.int64)),
        month_cents=np.asarray(cents, dtype=np.int64),
        ram_pages=np.arange(1.0, count + 1),
    )
    table.options = options
    order = np.asarray(
        sorted(set(range(count)) - set(near), key=lambda at: cents[at]), dtype=np.int64
    )

    def replay_of(some: Sequence[int]) -> list[Replayed]:
        return [
            Replayed(at, 1.0, math.nan, math.nan, math.nan, "too small")
            if at in unknown
            else Replayed(at, 1.0, 1.0, 0.1 if at in keeps else 0.9, 0.1, "")
            for at in some
        ]

    found = settled(
        asked,
        table,
        order,
        order[:1].tolist(),
        replay_of,
        np.asarray(sorted(near, key=lambda at: cents[at]), dtype=np.int64),
    )
    assert found.best is None or found.best in {each.at for each in found.listed}
    return found.best


def test_the_cheapest_that_keeps_its_limits_by_its_replay_is_left() -> None:
    cents = [50, 40, 30, 20]
    assert settled_of([1, 2, 3], {0, 1, 2}, set(), cents) == 2
    assert settled_of([1, 2, 3], {0}, set(), cents) == 0
    # What was not replayed is not admitted, whatever it costs.
    assert settled_of([1, 2, 3], {0, 1, 2}, {2, 3}, cents) == 1
    assert settled_of([0, 1, 2, 3], {1}, {2, 3}, cents) == 1
    assert settled_of([0, 1, 2, 3], set(), {2}, cents) is None
    # One that costs more than what keeps its limits by the model is not asked about.
    assert settled_of([0], {0, 1}, set(), [60, 50]) == 1
    # The model's choice breaks its limit by its replay, and so do all others: none is recommended.
    assert settled_of([1, 2], set(), set(), [50, 40, 30]) is None
    # Of those that keep it by the model, what costs more is replayed too before that is said.
    assert settled_of([], {3}, set(), [20, 30, 40, 50]) == 3
    # More than are replayed at once.
    many = [1000, *range(100, 140)]
    assert settled_of(range(1, 41), {0, 40}, set(), many) == 40


def asked_of_ram(objective: Objective = "usd") -> Asked:
    """Ask which RAM to have above disks, over a recording of 12,412 pages."""
    return advice.asked_of(
        curve().steady(),
        (RATE, None),
        replace(DISKS, reserved_gib=Decimal(0)),
        None,
        {},
        objective,
        advice.named_book("street-2026-q3"),
        36,
        (None, None),
        0,
    )


def ram_alone(table: Table, *, is_filled: bool) -> int:
    """Return an option of RAM alone that the recording fills, or one that it does not."""
    pages, options = table.setting.curve.distinct_pages, table.options
    of_size = options.ram_pages < pages / 2 if is_filled else options.ram_pages >= pages
    return int(np.flatnonzero(of_size & (options.flash_pages == 0))[0])


def test_ram_that_a_recording_does_not_fill_is_confirmed_by_it_and_never_refuted() -> (
    None
):
    """First touches count as misses there: what keeps a limit all the same keeps it."""
    asked = asked_of_ram()
    table = Table.of(asked.setting)
    large, small = (ram_alone(table, is_filled=each) for each in (False, True))
    for at, busy, is_told in (
        (large, 0.9, False),
        (large, 0.1, True),
        (small, 0.9, True),
    ):
        each = Replayed(
            at, 1.0, 2.0, busy, 0.1, "", most_us=3.0 if at == large else None
        )
        found = _checked.limits.as_shown(asked, table, each)
        assert (found.reason == "") == is_told
        assert found.is_timed == (at == small)
        assert found.known_us == (2.0 if at == small else found.model_us)
        if not is_told:
            assert "which would not fill it" in found.reason
            assert found.known_us == found.model_us


def test_of_what_a_recording_does_not_fill_the_model_ranks_and_no_gap_is_judged() -> (
    None
):
    """Its replay is of first touches: as long for all that hold them, however much the sizes differ."""
    asked = asked_of_ram("io_time")
    cents = np.asarray([400, 300, 200, 100])
    open_ = [
        Replayed(at, time_us, 4.0, 0.1, 0.1, "", most_us=6.0)
        for at, time_us in enumerate((1.0, 1.5, 2.0))
    ]
    assert decided(asked, cents, open_) == 0
    assert [each.gap for each in open_] == [None] * 3
    assert not any(each.is_beyond_band for each in open_)
    assert not Settled(open_, 0).is_tied(asked, cents)
    # Beside what a replay times, the model speaks for what none does: above it, and below it.
    for time_us, best in ((0.9, 3), (1.1, 0)):
        timed = Replayed(3, 0.5, time_us, 0.1, 2.0, "")
        assert decided(asked, cents, [*open_, timed]) == best
    # Of equal cost the faster is taken, whichever of the two says it.
    usd = asked_of_ram()
    alike = np.asarray([100, 100, 100, 100])
    assert decided(usd, alike, [open_[2], replace(timed, simulated_us=1.0)]) == 3
    assert decided(usd, alike, [open_[2], replace(timed, simulated_us=3.0)]) == 2
    # What the model rules out is admitted by a replay that shows its time alone.
    near = frozenset({0})
    assert decided(usd, cents, [open_[0]], near) is None
    assert decided(usd, cents, [replace(open_[0], most_us=None)], near) == 0
    # The most that it takes is held against a limit.
    limited = replace(asked, constraints={"io_time_us_per_access": Decimal(5)})
    assert _checked.breaks(limited, open_[0])
    assert not _checked.breaks(limited, replace(open_[0], most_us=4.5))


def test_the_most_that_an_access_takes_counts_a_write_back_for_each_miss() -> None:
    asked = asked_of_ram()
    table = Table.of(asked.setting)
    curve_ = table.setting.curve
    large, small = (ram_alone(table, is_filled=each) for each in (False, True))
    found = _checked.replayed(
        table, [large, small], by_trace(curve_, Trace(TRACE), None)
    )
    counted = {
        at: by_trace(curve_, Trace(TRACE), None)(
            [_checked.Planned.of(table, [at]).replays[at]]
        )[0]
        for at in (large, small)
    }
    disk = catalog.device("seagate-exos-x24-24tb")
    read_us, write_us = (
        service_us(disk, operation, curve_.page_bytes)
        for operation in ("read", "write")
    )
    assert read_us is not None
    assert write_us is not None
    of = counted[large]
    assert of["hdd_writes"] < of["flash_misses"] < of["write_accesses"]
    most_us = of["flash_misses"] * (read_us + write_us) / of["accesses"]
    assert found[0].most_us == pytest.approx(most_us)
    assert found[0].simulated_us < most_us
    busy = most_us * RATE / 1e6 / table.options.store_devices[large]
    assert found[0].peak_busy == pytest.approx(busy)
    [note] = found[0].warnings
    assert note.name == "first_touches_alone"
    assert "how long it takes is by the model" in note.message
    assert found[1].most_us is None
    assert not found[1].warnings
    assert found[1].gap is not None


def test_the_least_io_time_of_what_a_recording_does_not_fill_is_that_of_the_model() -> (
    None
):
    asked = asked_of_ram("io_time")
    by_model = advice.advice_on(asked, how_sure=False)
    checked = advice.advice_on(asked, how_sure=False, trace=Trace(TRACE))
    assert by_model.recommendation is not None
    assert checked.recommendation is not None
    assert checked.recommendation.name == by_model.recommendation.name
    assert checked.recommendation.replayed_io_time_us_per_access is None
    row = next(
        each
        for each in checked.checked
        if each.option.name == by_model.recommendation.name
    )
    assert row.simulated is not None
    assert (row.gap, row.band, row.is_beyond_band) == (None, None, False)
    assert row.reason == FIRST_TOUCHES_ALONE
    # Wherever there is no gap it is said why, and nowhere else.
    assert all((each.gap is None) == bool(each.reason) for each in checked.checked)
    names = {each.name for each in checked.warnings}
    assert "first_touches_alone" in names
    assert not names & {"replay_beyond_band", "replay_changes_choice"}


def test_the_life_of_flash_is_held_by_what_its_replay_writes() -> None:
    """Of a page flow as of a flash cache: the model may be off by its error, either way."""
    cache = catalog.device("samsung-pm9a3-7.68tb-u2")
    limits: dict[str, Decimal] = {"flash_life_years": Decimal("0.001")}
    asked, table = table_of(curve(), limits)
    at = table.have_at
    assert at is not None

    [found] = _checked.replayed(table, [at], by_trace(curve(), Trace(TRACE), None))
    [counted] = by_trace(curve(), Trace(TRACE), None)(
        [_checked.Planned.of(table, [at]).replays[at]]
    )
    written = counted["flash_writes"] / counted["accesses"]
    assert written > 0
    tb_per_year = written * RATE * curve().page_bytes * 365 * 86_400 / 1e12
    assert found.life_years == pytest.approx(budget_tb(cache) / tb_per_year)
    assert found.life_years != pytest.approx(float(table.options.life_years[at]))
    for years, is_broken in ((0.999, False), (1.001, True)):
        least = Decimal(repr(found.life_years * years))
        other, _ = table_of(curve(), {"flash_life_years": least})
        broken = _checked.broken(other, replace(found, peak_busy=0.1))
        assert broken == (("flash_life_years",) if is_broken else ())
        assert _checked.breaks(other, replace(found, peak_busy=0.1)) == is_broken
    cents = table.options.month_cents
    limited = replace(
        asked, constraints={**asked.constraints, "flash_life_years": Decimal(5)}
    )
    short, long = (
        Replayed(row, 1.0, 1.0, 0.1, 0.1, "", life_years=years)
        for row, years in ((0, 4.9), (1, 5.1))
    )
    assert decided(limited, cents, [short]) is None
    assert decided(limited, cents, [short, long]) == 1
    assert decided(limited, cents, [replace(short, life_years=math.nan), long]) == 1
    [_, said] = _checked.refuted(
        limited, table, [short], _choice.chosen_of(limited, table).limits
    )
    assert "lasts 4.90 years, less than the 5 years that are asked for" in said
    [changed] = _checked.about_replays(limited, table, [short, long], 0, 1, "the other")
    assert "the replay decides otherwise: flash of" in changed.message
    assert _checked.checked_option(table.option(0), short).flash_life_years == 4.9


def test_more_devices_hold_the_data_where_their_flash_is_worn_out_too_soon() -> None:
    asked = asked_of_ram()
    asked = replace(
        asked,
        setting=replace(asked.setting, least_life_years=5.0),
        constraints={**asked.constraints, "flash_life_years": Decimal(5)},
    )
    table = Table.of(asked.setting)
    at = ram_alone(table, is_filled=True)
    each = Replayed(at, 1.0, 1.0, 0.1, 0.1, "", life_years=4.0)
    assert _checked.devices_more(asked, table, [each], at) == pytest.approx(1.25)
    busy = replace(each, peak_busy=0.7 * 1.5)
    assert _checked.devices_more(asked, table, [busy], at) == pytest.approx(1.5)
    more = replace(asked.setting, devices_more=1.25)
    assert more.life_for_devices == pytest.approx(6.25)
    cached = np.flatnonzero(table.options.flash_devices > 0)
    for row in cached[:1].tolist():
        own = replace(each, at=row)
        assert _checked.devices_more(asked, table, [own], row) is None


def test_limits_that_no_replay_holds_are_said_to_be_those_of_the_model() -> None:
    asked, _ = table_of(curve(), {})
    shown = Replayed(0, 1.0, 1.0, 0.1, 0.1, "")
    assert _checked.held_by_model(asked, [shown]) == ""
    limits = {"restart_s": Decimal(9), "response_p99_us": Decimal(9)}
    limited = replace(asked, constraints=limits)
    said = _checked.held_by_model(limited, [shown])
    end = "held by the model alone: a replay knows no queue and no restart."
    assert said == (
        "The limits on the time until RAM is warm after a restart and on the 99th percentile of the response time "
        f"in the busiest hour are {end}"
    )
    one = replace(asked, constraints={"response_p99_us": Decimal(9)})
    assert _checked.held_by_model(one, [shown]) == (
        f"The limit on the 99th percentile of the response time in the busiest hour is {end}"
    )
    assert _checked.held_by_model(limited, [replace(shown, reason="too small")]) == ""


def test_what_there_is_stands_among_what_was_close_only_where_it_keeps_every_limit() -> (
    None
):
    """Of response times, too, of which no more than a bound is known before they are computed."""
    today = Have(
        machines=1,
        ram_bytes=32 * 2**30,
        disk=catalog.device("seagate-exos-x24-24tb"),
        disks=15,
        usd_per_month=Decimal(205),
    )
    some = Candidates(
        kinds=("instances",),
        servers=("aws-i4i.xlarge", "aws-i3en.xlarge"),
        flash_caches=(),
    )

    def asked_with(most_us: int | None, objective: Any) -> Advice:
        return advice.answer(
            curve(),
            accesses_per_s=100,
            have=today,
            candidates=some,
            objective=objective,
            constraints={} if most_us is None else {"response_mean_us": most_us},
            how_sure=False,
        )

    slow = asked_with(None, "usd").option_zero
    assert slow is not None
    assert slow.response_mean_us is not None
    for objective in ("usd", "io_time", "pareto"):
        for most_us in (20, math.ceil(slow.response_mean_us)):
            found = asked_with(most_us, objective)
            is_kept = slow.response_mean_us <= most_us
            close = [each.kind for each in found.alternatives]
            best = found.recommendation
            assert best is not None
            assert ("have" in (*close, best.kind)) == is_kept
            assert ("have" in {each.option.kind for each in found.rejected}) != is_kept
