"""What an advice says of later months, of waiting, of its neighbours, of the next dollar and of other scenarios."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random
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
    question,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise import report, scale
from tierwright.advise.advice import _flat, _scenarios, _when
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._scenarios import COMMITMENT_UNSAID, PURCHASE_UNSAID
from tierwright.advise.advice._table import Table, purchases_by_kind
from tierwright.advise.advice._words import limit_value
from tierwright.advise.advice.found import (
    Advice,
    NextDollar,
    Option,
    PriceTrend,
    Regret,
    ScenarioRow,
    Scenarios,
    WhenStep,
)
from tierwright.advise.advice.request import Candidates, Have
from tierwright.advise.report import _scenarios as report_scenarios
from tierwright.advise.report._figures import usd_per
from tierwright.cli import advise as print_advice
from tierwright.cli.advise import _print_scenarios
from tierwright.common.errors import BadInput
from tierwright.common.units import parse_bytes
from tierwright.evaluate.advice.flat import Region, ends, next_dollars, regions
from tierwright.evaluate.advice.later import (
    Bought,
    changes,
    spreads,
    stretched_curve,
    trends,
    waiting,
)
from tierwright.evaluate.advice.limits import RESPONSES
from tierwright.evaluate.advice.restart import restart_error_s, restart_s
from tierwright.evaluate.advice.rows import CHOICES, joined
from tierwright.evaluate.advice.scenarios import (
    busy_after_loss,
    left_after_loss,
    minimax,
    regrets,
)
from tierwright.evaluate.advice.tiers import ram_sizes
from tierwright.evaluate.response.schemes import Hierarchy, scheme_response
from tierwright.hardware import catalog
from tierwright.hardware.price_history import PricePoint, PriceSeries
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile
from tierwright.profile.evidence import Evidence
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

CHANGING = replace(
    PRODUCTION, accesses_per_s=1000.0, peak_accesses_per_s=3000.0, growth_per_year=1.0
)
"""Disks alone carry it today, and a cache before them costs less later."""


def today(usd: str = "9000", disks: int = 400) -> Have:
    return Have(
        machines=1,
        ram_bytes=2**38,
        disk=catalog.device("seagate-exos-x24-24tb"),
        disks=disks,
        usd_per_month=Decimal(usd),
    )


def sure(**given_: Any) -> Advice:
    return ask(how_sure=True, **given_)


@pytest.mark.oracle("evaluate.advice.later.stretched_curve")
@pytest.mark.formula("evaluate.advice.later.stretched_curve")
@given(times=st.floats(1.0, 50.0))
def test_a_grown_curve_misses_as_often_at_a_size_as_much_larger(times: float) -> None:
    found = stretched_curve(curve(), times)
    sizes = curve().pages[:: max(1, len(curve().pages) // 50)].astype(np.float64)
    before, after = curve().misses(sizes), found.misses(np.rint(sizes * times))
    # Sizes are whole pages.
    assert after == pytest.approx(before, rel=0.02, abs=curve().accesses * 1e-3)
    assert found.accesses == curve().accesses
    assert np.all(np.diff(found.pages) > 0)


@pytest.mark.parametrize("times", [0.5, math.inf, math.nan])
def test_a_curve_does_not_shrink(times: float) -> None:
    with pytest.raises(BadInput, match="from 1 on"):
        stretched_curve(curve(), times)
    assert stretched_curve(curve(), 1.0) is curve()


@pytest.mark.oracle("evaluate.advice.later.changes")
@pytest.mark.formula("evaluate.advice.later.changes")
@given(
    at=st.lists(st.integers(1, 36), max_size=3, unique=True), most=st.integers(0, 40)
)
def test_the_months_of_change_are_those_of_a_search_month_by_month(
    at: list[int], most: int
) -> None:
    asked: list[int] = []

    def of(month: int) -> int:
        asked.append(month)
        return sum(month >= each for each in at)

    found = changes(of, (0, 12, 24, 36), most)
    assert len(asked) == len(set(asked)) <= 4 + most
    slow = [
        month
        for month in range(1, 37)
        if sum(month - 1 >= each for each in at) != sum(month >= each for each in at)
    ]
    for each in found:
        # Between the month before and this one there is a change.
        assert any(each.month_before < month <= each.month for month in slow)
        assert each.key == sum(each.month >= one for one in at)
    if most >= 12:
        assert [each.month for each in found] == slow
        assert all(each.month_before == each.month - 1 for each in found)


def series(
    prices: dict[str, str],
    *,
    kind: str = "dram",
    name: str = "one",
    joinable: bool = True,
    forecast: str = "",
) -> PriceSeries:
    points = tuple(
        PricePoint(
            date,
            Decimal(usd),
            None,
            None,
            "a thing",
            "contract",
            "a test",
            "facts",
            forecast=date == forecast,
        )
        for date, usd in prices.items()
    )
    return PriceSeries(name, name, kind, joinable, points)


FALLING = {"2025-Q1": "10", "2025-Q4": "8", "2026-Q1": "5"}


@pytest.mark.oracle("evaluate.advice.later.spreads")
@pytest.mark.formula("evaluate.advice.later.spreads")
@given(
    prices=st.lists(st.integers(1, 1000), min_size=2, max_size=4),
    before=st.integers(1, 1000),
)
def test_a_spread_is_as_wide_as_the_prices_of_a_year(
    prices: list[int], before: int
) -> None:
    quarters = [
        f"{2025 + at // 4}-Q{at % 4 + 1}" for at in range(4 - len(prices) + 1, 5)
    ]
    listed = dict(zip(quarters, map(str, prices), strict=True))
    # What is older than a year before the newest says nothing of it.
    [found] = spreads([series({"2024-Q4": str(before), **listed})])
    assert found.factor**2 == pytest.approx(max(prices) / min(prices))
    assert (found.first, found.last) == (quarters[0], "2026-Q1")
    assert found.factor >= 1


def test_a_spread_is_of_recent_prices_that_were_paid_and_are_comparable() -> None:
    assert list(spreads([])) == []
    assert list(spreads([series({"2026-Q1": "5"})])) == []
    assert list(spreads([series({"2024-Q1": "9", "2026-Q1": "5"})])) == []
    assert list(spreads([series(FALLING, joinable=False)])) == []
    [paid] = spreads([series({**FALLING, "2026-Q4": "90"}, forecast="2026-Q4")])
    assert (paid.last, paid.factor) == ("2026-Q1", math.sqrt(2.0))
    old = series({"2019-Q1": "3", "2019-Q3": "2"}, kind="hdd", name="old")
    assert [each.kind for each in spreads([series(FALLING), old])] == ["dram"]
    newer = series({"2025-Q4": "1", "2026-Q2": "9"}, name="newer")
    [of_kind] = spreads([series(FALLING), newer])
    assert (of_kind.series, of_kind.factor) == ("newer", 3.0)


@pytest.mark.oracle("evaluate.advice.later.trends")
@pytest.mark.formula("evaluate.advice.later.trends")
@given(times=st.decimals("0.01", "100", places=2), quarters=st.integers(2, 8))
def test_a_trend_is_the_change_over_a_year(times: Decimal, quarters: int) -> None:
    year, quarter = divmod(2024 * 4 + quarters, 4)
    last = f"{year}-Q{quarter + 1}"
    [found] = trends([series({"2024-Q1": "2", last: str(2 * times)})])
    assert (1 + found.change_per_year) ** (quarters / 4) == pytest.approx(float(times))
    assert (found.first, found.last, found.quarters) == ("2024-Q1", last, quarters)


def test_a_trend_is_of_recent_prices_that_were_paid_and_are_comparable() -> None:
    [found] = trends([series(FALLING)])
    assert found.change_per_year == pytest.approx(-0.5)
    assert found.first == "2025-Q1"  # a year before, not the nearest
    assert list(trends([])) == []
    assert list(trends([series({"2026-Q1": "5"})])) == []
    assert list(trends([series({"2025-Q4": "4", "2026-Q1": "5"})])) == []
    assert list(trends([series(FALLING, joinable=False)])) == []
    [paid] = trends([series({**FALLING, "2026-Q4": "90"}, forecast="2026-Q4")])
    assert paid.last == "2026-Q1"
    old = series({"2019": "3", "2020": "2"}, kind="hdd", name="old")
    assert [each.kind for each in trends([series(FALLING), old])] == ["dram"]
    newer = series({"2025-Q2": "1", "2026-Q2": "3"}, name="newer")
    [of_kind] = trends([series(FALLING), newer])
    assert of_kind.series == "newer"


@pytest.mark.oracle("evaluate.advice.later.waiting")
@pytest.mark.formula("evaluate.advice.later.waiting")
@given(
    zero=st.floats(0.0, 1000.0),
    purchase=st.floats(100.0, 1e5),
    rent=st.floats(0.0, 1000.0),
    moved=st.floats(0.1, 10.0),
    months=st.integers(1, 23),
)
def test_waiting_is_paid_month_by_month_and_breaks_even_where_it_says(
    zero: float, purchase: float, rent: float, moved: float, months: int
) -> None:
    now = rent + purchase / 24
    found = waiting(zero, now, purchase, purchase * moved, months, 24)
    slow = sum(
        zero if month < months else rent + purchase * moved / 24 for month in range(24)
    )
    assert found.later == pytest.approx(slow)
    assert found.now == pytest.approx(24 * now)
    # As if prices stayed, and what is left of the difference.
    stays = waiting(zero, now, purchase, purchase, months, 24)
    assert stays.by_prices == 0
    tiny = 1e-9 * (slow + found.now)
    assert found.meanwhile == pytest.approx(stays.later - stays.now, abs=tiny)
    assert found.by_prices == pytest.approx(slow - stays.later, abs=tiny)
    at = found.break_even_per_year
    if at is None:
        assert waiting(zero, now, purchase, 0.0, months, 24).later >= found.now * (
            1 - 1e-9
        )
        return
    left = 1 + at
    times = left ** (months / 12)
    even = waiting(zero, now, purchase, purchase * times, months, 24)
    # Of a price that all but vanishes within a year, the rate has few digits left behind -1.
    if left == 0:
        # Less of it is left than a number beside -1 can hold.
        rounding = purchase * 2.0 ** (-53 * months / 12)
    else:
        rounding = 4 * purchase * times * 2.0**-52 / left * months / 12
    assert even.later == pytest.approx(even.now, rel=1e-6, abs=rounding)


def test_the_month_in_which_the_choice_changes_is_that_of_asking_month_by_month() -> (
    None
):
    found = sure(curve=curve(CHANGING))
    assert found.when is not None
    steps = found.when.steps
    assert steps
    first = steps[0]
    assert first.month_before == first.month - 1
    assert first.name is not None
    assert f"from month {first.month} on: {first.name}" in found.when.text
    asked = question(
        {
            "curve": curve(CHANGING),
            "candidates": DEVICES_ALONE,
            "have": None,
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )

    def disk(month: int) -> tuple[str | None, str]:
        times = 2 ** (month / 12)
        then = replace(asked, setting=_when.grown(asked.setting, times))
        table = Table.of(then.setting)
        chosen = _when.chosen_of(then, table)
        at = int(chosen.order[0])
        return table.names(at)[1], table.scheme(at)

    assert disk(first.month_before) == disk(0)
    assert disk(first.month) != disk(0)


def test_a_choice_that_stays_is_said_to_stay_and_the_quick_answer_says_neither() -> (
    None
):
    # With more growth one drive would not hold the data of the months after the first.
    found = sure(curve=curve(replace(PRODUCTION, growth_per_year=0.05)))
    assert found.when is not None
    assert found.when.steps == ()
    assert "up to month 36, the choice stays in kind" in found.when.text
    quick = ask()
    assert quick.when is not None
    assert quick.when.asked_until == 0
    assert "the choice" not in quick.when.text
    assert quick.waiting is None
    assert quick.scenarios is None
    flat = replace(PRODUCTION, growth_per_year=0.0)
    assert sure(curve=curve(flat)).when is None


def test_why_a_later_choice_costs_more_and_when_it_changes_again_is_said() -> None:
    first = WhenStep(1, 0, "1 x a", "none", Decimal(330), 1.0)
    second = WhenStep(28, 27, "1 x b", "none", Decimal(400), 1.0)

    def said(*steps: WhenStep, now: int = 303) -> str:
        return _when.steps_text(
            steps, 36, rate_known=True, horizon=24, now=Decimal(now)
        )

    dearer = said(first, second)
    assert (
        " It costs 27 USD more; it has to carry the load of that month and to hold what the data will be 24 months after it. "
        in dearer
    )
    assert dearer.endswith("It changes once more up to month 36, in month 28.")
    assert "It costs" not in said(first, now=330)
    without = _when.steps_text(
        (first,), 36, rate_known=False, horizon=24, now=Decimal(303)
    )
    assert "load" not in without
    assert without.endswith(
        " It costs 27 USD more; it has to hold what the data will be 24 months after that month."
    )
    assert "It changes" not in said(first)
    third = WhenStep(33, 30, "1 x c", "none", Decimal(500), 1.0)
    assert said(first, second, third).endswith(
        "It changes twice more up to month 36, the last time in some month between 30 and 33."
    )


def test_a_later_choice_is_not_said_to_carry_a_load_that_it_does_not() -> None:
    found = sure(curve=curve(CHANGING))
    assert found.when is not None
    assert found.recommendation is not None
    first = found.when.steps[0]
    assert first.usd_per_month is not None
    assert found.recommendation.usd_per_month is not None
    assert first.usd_per_month > found.recommendation.usd_per_month
    assert (
        "it has to carry the load of that month and to hold what the data will be 36 months after it."
        in found.when.text
    )
    times = (1 + CHANGING.growth_per_year) ** (first.month / 12)
    assert CHANGING.accesses_per_s is not None
    assert CHANGING.peak_accesses_per_s is not None
    # Asked in that month: it holds the data of the whole horizon, and carries the load of its first months alone.
    then = ask(
        curve=curve(
            replace(
                CHANGING,
                data_bytes=int(CHANGING.data_bytes * times),
                accesses_per_s=CHANGING.accesses_per_s * times,
                peak_accesses_per_s=CHANGING.peak_accesses_per_s * times,
            )
        )
    )
    assert then.recommendation is not None
    assert then.recommendation.name == first.name
    assert then.recommendation.usd_per_month == first.usd_per_month
    assert then.recommendation.months_until_too_small is not None
    assert then.recommendation.months_until_too_small < 36
    assert then.when is not None
    assert "a device is busier than allowed" in then.when.text


def test_later_months_in_which_nothing_keeps_the_limits_are_named() -> None:
    best = ask().recommendation
    assert best is not None
    assert best.usd_per_month is not None
    fast = replace(PRODUCTION, growth_per_year=5.0)
    budget = ask(curve=curve(fast), horizon_months=12).recommendation
    assert budget is not None
    assert budget.usd_per_month is not None
    found = sure(
        curve=curve(fast),
        horizon_months=12,
        constraints={"usd_per_month": budget.usd_per_month},
    )
    assert found.when is not None
    assert found.when.steps[-1].name is None
    assert "no option keeps every limit" in found.when.text


WITH_MACHINE = replace(DEVICES_ALONE, machine_usd=Decimal(1))


def wait_for(history: list[PriceSeries], **given_: Any) -> Any:
    asked = question(
        {
            "curve": given_.pop("curve", None) or curve(),
            "candidates": given_.pop("candidates", WITH_MACHINE),
            "have": given_.pop("have", today("200")),
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(asked.setting)
    at = int(_when.chosen_of(asked, table).order[0])
    zero = None if table.have_at is None else table.option(table.have_at)
    return _when.wait(asked, table, table.option(at), at, zero, history)


def _reads(folder: Path, page: Callable[[Random], int]) -> Profile:
    """Reads of so many pages, one by one."""
    draws, path = Random(7), folder / "reads.csv"
    rows = (f"{10 * at},R,1,{page(draws)}\n" for at in range(40_000))
    path.write_text("time_us,op,rel,block\n" + "".join(rows), encoding="utf-8")
    return profile(Trace(path))


@pytest.fixture
def read_alone(tmp_path: Path) -> Profile:
    """Pages of which each is as likely to be read next: RAM that holds all of them leaves disks idle."""
    return _reads(tmp_path, lambda draws: draws.randrange(3000))


@pytest.mark.parametrize("ram_gib", [110, 120, 224, 290])
def test_the_month_of_too_much_load_is_that_of_asking_month_by_month(
    read_alone: Profile, ram_gib: int
) -> None:
    # Idle while RAM holds all pages, and soon overloaded when it does not.
    have = Have(
        machines=1,
        ram_bytes=ram_gib * GIB,
        disk=catalog.device("seagate-exos-x24-24tb"),
        disks=2,
        usd_per_month=Decimal(4),
    )

    def zero(month: int, growth: float = 0.0) -> Option:
        times = 1.3 ** (month / 12)
        load = 3e5 * times
        grown = Production(
            int(100 * GIB * times), load, 2 * load, growth_per_year=growth
        )
        made = scale.answer(read_alone, grown, law="stretch").profile.curve
        found = ask(
            curve=made.from_start("steady"),
            have=have,
            candidates=replace(DEVICES_ALONE, devices=SHELF[2:3]),
        ).option_zero
        assert found is not None
        return found

    months = zero(0, 0.3).months_until_too_small
    assert months is not None
    busy = [zero(math.floor(months) + more).peak_busy or 0.0 for more in (0, 1)]
    assert busy[0] < 0.7 < busy[1]


@pytest.mark.parametrize(
    ("server", "machines", "terabytes"),
    # As the provider states them: 2 x 7,500 GB of one, and 8 x 950 GB.
    [("aws-i3en.6xlarge", 1, 15.0), ("aws-r7gd.4xlarge", 8, 7.6)],
)
def test_the_month_in_which_local_disks_are_full_is_that_of_asking_with_that_horizon(
    server: str, machines: int, terabytes: float
) -> None:
    small = replace(PRODUCTION, accesses_per_s=200.0, peak_accesses_per_s=300.0)

    def asked(months: int) -> Advice:
        return ask(
            curve=curve(small),
            candidates=Candidates(
                kinds=("instances",), servers=(server,), max_machines=machines
            ),
            horizon_months=months,
        )

    best = asked(36).recommendation
    assert best is not None
    assert best.machines == machines
    months = best.months_until_too_small
    assert months is not None
    grown = terabytes * 1e12 / PRODUCTION.data_bytes
    assert months == pytest.approx(12 * math.log(grown) / math.log(1.2), rel=1e-6)
    # Kept at the whole month before, and not at the next.
    last = math.floor(months)
    assert asked(last).recommendation is not None
    full = asked(last + 1)
    assert full.recommendation is None
    assert set(full.rejected_counts) == {"space"}


def test_months_that_rest_on_a_time_that_nobody_states_are_not_known() -> None:
    # Nothing is written while RAM holds all of the data, and no source states how long a write takes.
    small = replace(
        PRODUCTION,
        data_bytes=8 * GIB,
        accesses_per_s=2000.0,
        peak_accesses_per_s=None,
        growth_per_year=1.0,
    )
    unknown = "optane-p5800x-800gb-qd1"
    prices = book(**PRICES, **{unknown: Decimal(1)})

    def asked(growth: float, **given_: Any) -> Advice:
        return ask(
            curve=curve(replace(small, growth_per_year=growth)),
            candidates=replace(DEVICES_ALONE, devices=(unknown,)),
            prices=prices,
            **given_,
        )

    found = asked(1.0)
    best = found.recommendation
    assert best is not None
    assert best.disk_device == unknown
    assert best.peak_busy is not None
    assert best.months_until_too_small is None
    assert found.when is not None
    space = 12 * math.log2(best.disks * 800e9 / (8 * GIB))
    assert (
        "When its devices become too busy could not be computed: no source states every time of its devices. As the data "
        f"grow, they no longer fit after {math.floor(space)} months."
    ) in found.when.text
    # As long as the growth leaves all of it in RAM until it no longer fits, nothing has to be known.
    ample = Have(
        machines=1,
        ram_bytes=2**42,
        disk=catalog.device(unknown),
        disks=1,
        usd_per_month=Decimal(10),
    )
    zero = asked(1.0, have=ample).option_zero
    assert zero is not None
    assert zero.months_until_too_small == pytest.approx(
        12 * math.log2(800e9 / (8 * GIB))
    )


def test_no_month_beyond_those_that_are_looked_at_is_stated() -> None:
    """In 30 years neither ends; after that the load alone would, before the space does."""
    slow = replace(
        PRODUCTION,
        data_bytes=40 * 10**9,
        accesses_per_s=8000.0,
        peak_accesses_per_s=None,
        growth_per_year=0.1,
    )
    found = ask(
        curve=curve(slow), candidates=replace(DEVICES_ALONE, devices=(SHELF[1],))
    )
    assert found.recommendation is not None
    assert found.recommendation.months_until_too_small is None
    assert found.when is not None
    assert "It does not become too small within 30 years." in found.when.text


def test_flash_that_caches_grows_no_smaller_with_the_data() -> None:
    """Bought by itself it lasts as long as the same flash that is there."""
    growing = replace(
        PRODUCTION,
        data_bytes=28 * GIB,
        accesses_per_s=100.0,
        peak_accesses_per_s=None,
        growth_per_year=1.0,
    )
    sizes = ram_sizes(28 * GIB * 8.0, curve(growing).page_bytes, 0.0)
    have = Have(
        machines=1,
        ram_bytes=int(sizes[sizes < 9 * GIB][-1]),
        disk=catalog.device(SHELF[2]),
        disks=1,
        flash=catalog.device(SHELF[0]),
        flash_bytes=catalog.device(SHELF[0]).capacity_bytes or 0,
        flash_devices=1,
        scheme="lazy",
        usd_per_month=Decimal(10),
    )
    asked = question(
        {
            "curve": curve(growing),
            "candidates": replace(DEVICES_ALONE, devices=(SHELF[0], SHELF[2])),
            "have": have,
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(asked.setting)
    options, there = table.options, table.have_at
    assert there is not None
    alike = np.flatnonzero(
        (options.ram_bytes == have.ram_bytes)
        & (options.flash_bytes == have.flash_bytes)
        & (options.scheme == options.scheme[there])
        & (options.store_us == options.store_us[there])
    )
    # Flash that holds all of the data reads nothing from what holds them, whichever that is.
    alike = alike[
        [f"{SHELF[2]} for the data" in table.option(int(at)).name for at in alike]
    ]
    assert len(alike) == 2
    one, other = table.months_until_too_small(alike).tolist()
    assert one == other
    assert math.isfinite(one)


def test_waiting_pays_where_prices_fall_and_not_where_they_rise() -> None:
    flash = {"kind": "ssd_enterprise", "name": "flash"}
    fall = wait_for([series(FALLING, **flash)])
    assert fall.pays is True
    assert fall.months == 12
    assert fall.usd_later < fall.usd_now
    assert "would save" in fall.text
    assert (
        "(flash drives fell from 10 USD/GB to 5 USD/GB between 2025-Q1 and 2026-Q1, all else at the prices"
        in fall.text
    )
    rise = wait_for([series({"2025-Q1": "5", "2026-Q1": "10"}, **flash)])
    assert rise.pays is False
    assert "more over 36 months" in rise.text
    assert "rose from 5 USD/GB to 10 USD/GB between 2025-Q1 and 2026-Q1" in rise.text
    # What there is costs 39 USD a month more than what is bought.
    assert fall.break_even_per_year == rise.break_even_per_year < 0
    assert "fall by more than" in fall.text
    cheap = wait_for([series(FALLING, **flash)], have=today("100", disks=1))
    assert cheap.break_even_per_year > 0
    assert "unless the prices of the purchase rise" in cheap.text
    dear = wait_for([series(FALLING, **flash)], have=today("900000"))
    assert dear.pays is False
    assert "No fall of prices" in dear.text
    half = wait_for([series({"2025-Q3": "5", "2026-Q1": "10"}, **flash)])
    assert half.months == 6  # no longer than prices were watched


TWICE = PriceTrend(
    "dram",
    Decimal(10),
    0.5,
    "a module",
    "2025-Q1",
    "2026-Q1",
    Decimal(2),
    Decimal(3),
    4,
)


@pytest.mark.parametrize(
    ("meanwhile", "by_prices", "said"),
    [
        (
            -900.0,
            -100.0,
            "would save 1,000 USD over 36 months: what there is costs 900 USD less than the choice meanwhile; and the "
            "share of the purchase that falls within them costs 100 USD less then, if prices go on as they did (RAM ",
        ),
        (
            -100.0,
            -900.0,
            "would save 1,000 USD over 36 months: the share of the purchase that falls within them costs 900 USD less then, if prices go on as they did (RAM ",
        ),
        (
            -900.0,
            200.0,
            "would save 700 USD over 36 months: what there is costs 900 USD less than the choice meanwhile; but the "
            "share of the purchase that falls within them costs 200 USD more then",
        ),
        (
            200.0,
            -100.0,
            "would cost 100 USD more over 36 months: what there is costs 200 USD more than the choice meanwhile; but the "
            "share of the purchase that falls within them costs 100 USD less then",
        ),
        (
            0.0,
            -100.0,
            "; and what there is costs as much as the choice meanwhile.",
        ),
        (
            -100.0,
            0.0,
            "; and the share of the purchase that falls within them costs as much then, if prices",
        ),
    ],
)
def test_the_larger_part_of_what_waiting_saves_is_named_first(
    meanwhile: float, by_prices: float, said: str
) -> None:
    now, later = 5000.0, 5000.0 + meanwhile + by_prices
    text = _when.waiting_text(
        Bought(now, later, meanwhile, by_prices, None),
        12,
        36,
        (TWICE,),
        pays=later < now,
        keeps=None,
    )
    assert said in text
    assert (
        "(RAM rose from 2 USD/GB to 3 USD/GB between 2025-Q1 and 2026-Q1), an extrapolation"
        in text
    )


def test_the_parts_of_what_waiting_saves_add_up() -> None:
    flash = {"kind": "ssd_enterprise", "name": "flash"}
    slowly = {"2025-Q1": "10", "2026-Q1": "9.5"}
    falls = wait_for([series(FALLING, **flash)], have=today("200"))
    cheap = wait_for([series(slowly, **flash)], have=today("100", disks=1))
    for found in (falls, cheap):
        assert found.usd_later - found.usd_now == (
            found.usd_meanwhile + found.usd_by_prices
        )
        assert found.usd_by_prices < 0
    assert falls.usd_meanwhile > 0 > cheap.usd_meanwhile
    # Of what saves, the cheap system is the larger part: falling prices are not the first reason.
    assert cheap.usd_meanwhile < cheap.usd_by_prices
    assert cheap.text.index("what there is costs") < cheap.text.index("the purchase")
    assert "; and the share of the purchase" in cheap.text
    assert "but" in falls.text


def test_waiting_for_parts_is_not_held_against_a_whole() -> None:
    flash = {"kind": "ssd_enterprise", "name": "flash"}
    alone = wait_for([series(FALLING, **flash)], candidates=DEVICES_ALONE)
    assert alone.pays is None
    assert {
        alone.usd_now,
        alone.usd_later,
        alone.usd_meanwhile,
        alone.usd_by_prices,
        alone.break_even_per_year,
    } == {None}
    [_, room, *_] = re.split(r"less than ([\d.,]+) USD per month", alone.text)
    assert "depends on the price of the machine" in alone.text
    # With a machine of just less, waiting at the prices of today costs more; with a dearer one nothing is bought at all.
    for off, is_bought in (("-0.1", True), ("0.1", False)):
        usd = 36 * (Decimal(room) + Decimal(off))
        whole = wait_for(
            [series({"2025-Q1": "5", "2026-Q1": "5"}, **flash)],
            candidates=replace(DEVICES_ALONE, machine_usd=usd),
        )
        assert (whole is not None) is is_bought
        if whole is not None:
            assert whole.pays is False
            assert 0 < whole.usd_meanwhile < 2
    dear = wait_for(
        [series(FALLING, **flash)],
        candidates=DEVICES_ALONE,
        have=today("1", disks=1),
    )
    assert "costs less, whatever the machine costs" in dear.text


def test_less_than_a_year_of_prices_alone_does_not_decide_to_wait() -> None:
    flash = {"kind": "ssd_enterprise", "name": "flash"}
    year = {"2025-Q1": "5", "2026-Q1": "500"}
    half = {"2025-Q3": "5", "2026-Q1": "50"}
    cheap = today("100", disks=1)
    by_year = wait_for([series(year, **flash)], have=cheap)
    by_half = wait_for([series(half, **flash)], have=cheap)
    # At the prices of today waiting saves: what there is costs less.
    for found in (by_year, by_half):
        assert found.usd_meanwhile < 0 < found.usd_later - found.usd_now
    assert by_year.pays is False
    assert by_half.pays is None
    for said in (
        "Whether to wait is open",
        "at the prices of today waiting 6 months would save",
        "would cost",
        "rose from 5 USD/GB to 50 USD/GB between 2025-Q3 and 2026-Q1",
    ):
        assert said in by_half.text
    # Where both say the same, half a year is enough.
    falls = wait_for([series({"2025-Q3": "5", "2026-Q1": "4"}, **flash)], have=cheap)
    assert falls.pays is True
    assert falls.trends[0].quarters == 2


def test_what_is_not_known_of_waiting_is_said() -> None:
    unknown = wait_for([])
    assert unknown.pays is None
    assert unknown.usd_later is None
    assert unknown.usd_by_prices is None
    assert unknown.break_even_per_year is not None
    assert "no recent price history of" in unknown.text
    assert {each.change_per_year for each in unknown.trends} == {None}
    alone = wait_for([series(FALLING)], have=None)
    assert alone.pays is None
    assert "is not stated" in alone.text
    # It holds the data of today and of the months of waiting, not those at the end of the horizon.
    rises = replace(
        PRODUCTION, accesses_per_s=10.0, peak_accesses_per_s=30.0, growth_per_year=5.0
    )
    holding = wait_for(
        [series(FALLING)], curve=curve(rises), have=today("200000", disks=30)
    )
    assert holding.keeps_limits is True
    small = wait_for([series(FALLING)], have=today("200", disks=1))
    assert small.keeps_limits is False
    assert "what there is breaks a limit" in small.text
    large = wait_for([series(FALLING)])
    assert large.keeps_limits is True
    assert "breaks a limit" not in large.text
    rented = sure(candidates=Candidates(kinds=("instances",), max_machines=2)).waiting
    assert rented is not None
    assert "rented" in rented.text
    kept = sure(have=today("1"))
    assert kept.recommendation is not None
    assert kept.recommendation.kind == "have"
    assert kept.waiting is None


def test_the_parts_of_a_purchase_add_up() -> None:
    for candidates in (
        DEVICES_ALONE,
        Candidates(
            kinds=("chassis",), max_machines=2, part_usd={"chassis": Decimal(9000)}
        ),
    ):
        asked = question(
            {
                "curve": curve(),
                "candidates": candidates,
                "have": None,
                "constraints": {},
                "objective": "usd",
                "prices": book(**PRICES),
            }
        )
        table = Table.of(asked.setting)
        for at in _when.chosen_of(asked, table).order[::50].tolist():
            parts = purchases_by_kind(table, at)
            assert sum(parts.values()) == int(table.options.purchase_cents[at])
            assert "dram" in parts


@pytest.mark.oracle("evaluate.advice.flat.regions", "evaluate.advice.flat.ends")
@pytest.mark.formula("evaluate.advice.flat.regions", "evaluate.advice.flat.ends")
@settings(max_examples=20, deadline=None)
@given(problem=problems, seed=st.integers(0, 99))
def test_neighbours_are_those_of_a_search_one_by_one(
    problem: dict[str, Any], seed: int
) -> None:
    asked = question(asked_of(problem))
    table = Table.of(asked.setting)
    chosen = _when.chosen_of(asked, table)
    assume(len(chosen.order))
    options, best = table.options, int(chosen.order[0])
    by = options.io_us if asked.objective == "io_time" else options.month_cents / 1.0
    same = [
        at
        for at in chosen.order.tolist()
        if options.source[at] == options.source[best]
        and options.scheme[at] == options.scheme[best]
    ]
    found = {each.size: each for each in regions(options, chosen.order, best, by)}
    assert ("flash_bytes" in found) == bool(options.flash_bytes[best])
    ram = options.ram_bytes
    region = found["ram_bytes"]
    less = [at for at in same if ram[at] <= ram[best] * 0.9 * (1 + 1e-9)]
    more = [at for at in same if ram[at] >= ram[best] * 1.1 * (1 - 1e-9)]
    assert region.less == (less[0] if less else None)
    assert region.more == (more[0] if more else None)
    near = [float(ram[at]) for at in same if by[at] <= by[best] * 1.05 * (1 + 1e-9)]
    assert (region.low, region.high) == (min(near), max(near))
    assert region.low <= region.value <= region.high
    # Where more limits are to be held, the first of each list that keeps them are enough.
    keeps = np.random.default_rng(seed).random(len(options)) < 0.5
    keeps[best] = True
    good = chosen.order[keeps[chosen.order]]
    first = [each[keeps[each]][:1] for each in ends(options, chosen.order, best, by)]
    some = good[np.isin(good, np.concatenate([*first, [best]]))]
    assert list(regions(options, some, best, by)) == list(
        regions(options, good, best, by)
    )


def test_the_flat_region_is_said_as_it_is() -> None:
    wide = Region("ram_bytes", 2.0**34, 2.0**33, 2.0**35, None, None)
    assert _flat.flat_text(wide, by_time=False) == (
        "Among options of the same kind that cost at most 5.0 % more, the size of RAM ranges from 8 GiB to 32 GiB."
    )
    narrow = Region("machines", 2.0, 2.0, 2.0, None, None)
    assert "another number of machines" in _flat.flat_text(narrow, by_time=True)
    assert "within 5.0 % of its I/O time" in _flat.flat_text(narrow, by_time=True)
    assert "within 5.0 % of its cost" in _flat.flat_text(narrow, by_time=False)
    found = ask()
    assert {each.size for each in found.flat} == {"ram_bytes", "machines", "disks"}
    [ram] = [each for each in found.flat if each.size == "ram_bytes"]
    assert ram.more is not None
    assert ram.more.value >= ram.value * 1.1
    assert ram.more.usd_per_month_more >= 0
    assert ask(constraints={"usd_per_month": 1}).flat == ()


@pytest.mark.oracle("evaluate.advice.flat.next_dollars")
@pytest.mark.formula("evaluate.advice.flat.next_dollars")
@given(
    st.lists(
        st.tuples(st.integers(1, 1000), st.integers(1, 1000)), min_size=1, max_size=30
    ),
    st.data(),
)
def test_the_next_dollar_is_spent_where_it_saves_most(
    points: list[tuple[int, int]], data: st.DataObject
) -> None:
    usd, time = (np.asarray([each[at] for each in points], float) for at in (0, 1))
    first = data.draw(st.integers(0, len(points) - 1))
    path = [first, *next_dollars(usd, time, first)]
    rates = []
    for before, after in itertools.pairwise(path):
        assert time[after] < time[before]
        assert usd[after] > usd[before]
        rate = (usd[after] - usd[before]) / (time[before] - time[after])
        rates.append(rate)
        for other in range(len(points)):
            if time[other] < time[before] and usd[other] > usd[before]:
                slow = (usd[other] - usd[before]) / (time[before] - time[other])
                assert rate <= slow * (1 + 1e-12)
    assert rates == sorted(rates) or np.allclose(rates, sorted(rates))
    last = path[-1]
    assert not np.any((time < time[last]) & (usd > usd[last]))


def test_the_next_dollar_is_said_and_so_is_that_it_buys_nothing() -> None:
    found = ask().next_dollar
    assert found is not None
    first = found.steps[0]
    assert first.name in found.text
    assert first.usd_per_month_per_us == pytest.approx(
        first.usd_per_month_more / Decimal(first.io_time_us_saved), rel=Decimal("1e-9")
    )
    rates = [each.usd_per_month_per_us for each in found.steps]
    assert rates == sorted(rates)
    fastest = ask(objective="io_time").next_dollar
    assert fastest is not None
    assert fastest.steps == ()
    assert "no option that keeps every limit is faster" in fastest.text
    assert ask(constraints={"usd_per_month": 1}).next_dollar is None
    one = NextDollar("a", "none", Decimal(3), 1.5, Decimal(2))
    assert "after it" not in _flat.next_text((one,), "usd")
    dearer = replace(one, name="b", usd_per_month_per_us=Decimal(5))
    dearest = replace(one, name="c", usd_per_month_per_us=Decimal(7))
    assert _flat.next_text((one, dearer), "usd").endswith(
        " The step after it, to b, costs 5.00 USD per month for each µs."
    )
    assert _flat.next_text((one, dearer, dearest), "usd").endswith(
        " Of the 2 steps after it the last, to c, costs 7.00 USD per month for each µs."
    )
    # Rounded once: 22.954 is 23.0 in the sentence and in tables, and no 22.9 by way of 22.95.
    rate = Decimal("22.9539705882")
    said = _flat.next_text((replace(one, usd_per_month_per_us=rate),), "usd")
    assert "23.0 USD per month for each µs" in said
    assert usd_per(rate) == "23.0"


@pytest.mark.oracle("evaluate.advice.scenarios.busy_after_loss")
def test_after_a_failure_the_rest_carry_the_load() -> None:
    candidates = Candidates(
        kinds=("instances", "volumes", "devices"), devices=SHELF, max_machines=3
    )
    asked = question(
        {
            "curve": curve(),
            "candidates": candidates,
            "have": today(),
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(asked.setting)
    options = table.options
    peak = asked.setting.rates.peak
    assert peak is not None
    found = busy_after_loss(options, peak)
    some = np.linspace(0, len(options) - 1, 300).astype(int).tolist()
    for at in [*some, len(options) - 1]:
        machines, devices = int(options.machines[at]), int(options.store_devices[at])
        if not np.isfinite(options.io_us[at]):
            assert np.isnan(found[at])
            continue
        rented = table.source(at) in ("instances", "volumes")
        rate = peak / 1e6 / machines
        store = options.store_us[at] * rate / max(devices, 1)
        flash = options.flash_us[at] * rate / max(int(options.flash_devices[at]), 1)
        if rented or devices == 1:
            expected = (
                math.inf
                if machines == 1
                else max(store, flash) * machines / (machines - 1)
            )
        else:
            expected = max(store * devices / (devices - 1), flash)
        assert found[at] == pytest.approx(expected)


@pytest.mark.oracle("evaluate.advice.scenarios.left_after_loss")
@pytest.mark.formula("evaluate.advice.scenarios.left_after_loss")
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(1, 9), st.integers(1, 9)),
        min_size=1,
        max_size=6,
    )
)
def test_a_drive_fails_or_the_machine_that_has_no_other(
    systems: list[tuple[bool, int, int]],
) -> None:
    rented, devices, machines = (
        np.asarray(each) for each in zip(*systems, strict=True)
    )
    asked = question(
        {
            "curve": curve(PRODUCTION),
            "have": None,
            "constraints": {},
            "objective": "usd",
            "candidates": DEVICES_ALONE,
            "prices": book(**PRICES),
        }
    )
    some = Table.of(asked.setting).options.rows(np.zeros(len(systems), dtype=np.int64))
    options = replace(some, is_rented=rented, store_devices=devices, machines=machines)
    left = left_after_loss(options)
    for at, (is_rented, disks, many) in enumerate(systems):
        if is_rented or disks == 1:
            assert (left[0][at], left[1][at]) == (many - 1, disks)
        else:
            assert (left[0][at], left[1][at]) == (many, disks - 1)


@pytest.mark.parametrize("machines", [1, 3])
def test_response_times_after_a_failure_are_those_of_what_is_left(
    machines: int,
) -> None:
    """A drive fewer at the load of its machine; of what is rented, or has one drive, the load on a machine fewer."""
    production = replace(
        PRODUCTION, data_bytes=TIB, growth_per_year=0.0, machines=machines
    )
    candidates = Candidates(
        kinds=("instances", "volumes", "chassis", "devices"),
        devices=SHELF,
        max_machines=3,
    )
    asked = question(
        {
            "curve": curve(production),
            "candidates": candidates,
            "have": today(),
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(replace(asked.setting, after_loss=True))
    options = table.options
    peak = asked.setting.served.peak
    assert peak is not None
    seen = set()
    for source in sorted(set(options.source.tolist())):
        [rows] = np.nonzero((options.source == source) & np.isfinite(options.io_us))
        some = rows[np.unique(np.linspace(0, len(rows) - 1, 25).astype(int))]
        found = table.peak_responses(some)
        for at, *times in zip(some.tolist(), *found, strict=True):
            many, drives = int(options.machines[at]), int(options.store_devices[at])
            if bool(options.is_rented[at]) or drives == 1:
                many -= 1
            else:
                drives -= 1
            if not many:
                assert times == [math.inf] * 3
                continue
            expected = expected_times(table, at, peak / many, drives)
            assert times == pytest.approx(expected, rel=1e-9)
            seen.add((source, math.isfinite(times[0])))
    assert sum(known for _, known in seen) >= 3


def expected_times(
    table: Table, at: int, accesses_per_s: float, drives: int
) -> list[float]:
    """Mean, median and 99th percentile with so many drives at so many accesses of one machine. [µs]"""
    flash, store = table.devices(at)
    options, scheme = table.options, table.scheme(at)
    if not table.setting.curve.misses(options.ram_pages[at]):
        return [0.0] * 3  # on whatever device
    if store is None or (flash is None and options.flash_bytes[at]):
        return [math.inf] * 3
    try:
        made = scheme_response(
            table.setting.curve,
            ram_pages=int(options.ram_pages[at]),
            flash_pages=int(options.flash_pages[at]),
            hierarchy=Hierarchy(
                flash or store,
                store,
                flash_devices=max(1, int(options.flash_devices[at])),
                disks=drives,
            ),
            accesses_per_s=[accesses_per_s],
            schemes=(scheme,),
            percentiles=(0.5, 0.99),
            ranges=False,
        )[scheme]
    except BadInput:
        return [math.inf] * 3
    if any(
        each.reads_per_access > 0 and not each.latency_known
        for each in made.stations.values()
    ):
        return [math.inf] * 3
    times = (made.mean_s, made.quantile_s[0.5], made.quantile_s[0.99])
    return [
        float(each[0]) * 1e6 if np.isfinite(each[0]) else math.inf for each in times
    ]


@pytest.mark.costly(30)
def test_after_a_failure_limits_of_response_times_are_held_on_what_is_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As asking with a disk fewer: 17 that are fast enough are 16 that may not be."""
    limit_ms = 25
    limits = {"response_p99_us": limit_ms * 1000, "peak_busy": "0.95"}
    production = replace(
        PRODUCTION,
        data_bytes=2 * TIB,
        accesses_per_s=2_000.0,
        peak_accesses_per_s=None,
        growth_per_year=0.0,
    )
    given: dict[str, Any] = {
        "curve": curve(production),
        "candidates": replace(DEVICES_ALONE, devices=(SHELF[2],)),
        "constraints": limits,
    }
    found = sure(**given).scenarios
    assert found is not None
    [loss] = [at for at, each in enumerate(found.columns) if each.name == "loss"]
    definition = found.columns[loss].definition
    assert "limits of response times are held on the machines that have" in definition
    _print_scenarios(found)
    assert f"A failure: {definition}." in capsys.readouterr().out
    broken = set()
    for row in found.rows:
        told = re.fullmatch(r"(.+) of RAM and (\d+) x .*", row.name)
        assert told is not None
        ram, disks = told[1], int(told[2])

        def p99(left: int, ram: str = ram) -> float:
            have = replace(today(disks=left), ram_bytes=parse_bytes(ram))
            asked = {"objective": "usd", "prices": book(**PRICES), **given}
            table = Table.of(
                question({**asked, "have": have, "constraints": {}}).setting
            )
            assert table.have_at is not None
            times, _ = table.response(table.have_at)
            return math.inf if times is None else float(times[2][1])

        too_slow = p99(disks - 1) > limit_ms * 1000
        assert ("response_p99_us" in row.regret[loss].breaks) is too_slow
        broken.add(too_slow)
        # The best is as cheap as any that is left in time: with a disk fewer it is too slow.
        if row.name == found.columns[loss].best:
            assert not too_slow
            assert p99(disks - 2) > limit_ms * 1000
    assert broken == {False, True}


@pytest.mark.parametrize("rate", [3e4, 1e5, 3e5, 1e6])
def test_the_best_after_a_failure_is_the_cheapest_that_keeps_its_limits(
    rate: float,
) -> None:
    """Of one to 40 drives in each of two machines, which share the load of one of them where its only drive is lost."""
    usd_per_gib, usd_per_drive = Decimal("20.625"), 800 * PRICES[SHELF[0]]
    two = replace(
        PRODUCTION,
        data_bytes=100 * GIB,
        accesses_per_s=rate,
        peak_accesses_per_s=rate,
        growth_per_year=0.0,
        machines=2,
    )
    asked: dict[str, Any] = {
        "curve": curve(two),
        "candidates": replace(DEVICES_ALONE, devices=SHELF[:1]),
    }
    found = sure(**asked).scenarios
    assert found is not None
    [loss] = [each for each in found.columns if each.name == "loss"]
    options = Table.of(
        question(
            {
                "prices": book(**PRICES),
                "constraints": {},
                "objective": "usd",
                "have": None,
                **asked,
            }
        ).setting
    ).options

    def month(ram_bytes: float, drives: int) -> Decimal:
        ram = usd_per_gib * int(ram_bytes) / GIB
        return sum(
            (
                (round(bought * 100) / Decimal(36)).quantize(
                    Decimal(1), rounding=ROUND_HALF_UP
                )
                / 100
                for bought in (ram, drives * usd_per_drive)
            ),
            Decimal(0),
        )

    [alone] = np.nonzero(options.scheme == CHOICES.index("none"))
    kept = []
    for at in alone.tolist():
        for drives in range(1, 41):
            left = drives - 1 if drives > 1 else 0.5
            busy = options.store_us[at] * rate / 2 / 1e6 / left
            if busy <= 0.7 * (1 + 1e-9):
                kept.append((month(options.ram_bytes[at], 2 * drives), drives))
    assert loss.best_usd_per_month == min(kept)[0], min(kept)


@pytest.mark.formula("evaluate.advice.scenarios.busy_after_loss")
@settings(max_examples=15, deadline=None)
@given(rate=st.floats(1.0, 1e6))
def test_nothing_is_less_busy_after_a_failure(rate: float) -> None:
    asked = question(
        {
            "curve": curve(),
            "candidates": DEVICES_ALONE,
            "have": None,
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = _table_of(asked)
    options = table.options
    before = np.fmax(
        options.store_us * rate / 1e6 / np.maximum(options.store_devices, 1),
        options.flash_us * rate / 1e6 / np.maximum(options.flash_devices, 1),
    )
    assert np.all(busy_after_loss(options, rate) >= before * (1 - 1e-12))


_TABLES: dict[int, Table] = {}


def _table_of(asked: Any) -> Table:
    if 0 not in _TABLES:
        _TABLES[0] = Table.of(asked.setting)
    return _TABLES[0]


grids = st.integers(1, 4).flatmap(
    lambda rows: st.integers(1, 4).flatmap(
        lambda columns: st.tuples(
            *(
                st.lists(
                    st.lists(each, min_size=columns, max_size=columns),
                    min_size=rows,
                    max_size=rows,
                )
                for each in (st.floats(0.0, 100.0), st.booleans(), st.floats(0.0, 50.0))
            ),
            st.lists(
                st.floats(0.0, 100.0) | st.just(math.nan),
                min_size=columns,
                max_size=columns,
            ),
        )
    )
)


@pytest.mark.oracle(
    "evaluate.advice.scenarios.regrets", "evaluate.advice.scenarios.minimax"
)
@pytest.mark.formula(
    "evaluate.advice.scenarios.regrets", "evaluate.advice.scenarios.minimax"
)
@given(grids)
def test_regret_is_what_is_paid_more_than_the_best_and_the_robust_has_least_of_it(
    grid: tuple[Any, ...],
) -> None:
    costs, kept, lost, best = (np.asarray(each) for each in grid)
    found = regrets(costs, kept, lost, best)
    for row, column in np.ndindex(costs.shape):
        able = [costs[each, column] for each in range(len(costs)) if kept[each, column]]
        if not np.isnan(best[column]):
            able.append(best[column])
        value = found[row, column]
        if not able:
            assert np.isnan(value)
        elif kept[row, column]:
            assert value == pytest.approx(costs[row, column] - min(able))
        else:
            assert value == lost[row, column]
        assert np.isnan(value) or value >= 0
    robust = minimax(found, kept, kept[:, 0], costs[:, 0].tolist())
    if robust is None:
        assert not kept[:, 0].any()
        return
    assert kept[robust, 0]
    worst = np.nan_to_num(found, nan=-1.0).max(axis=1)
    assert worst[robust] == min(worst[kept[:, 0]])


def test_a_choice_stands_in_the_present_as_its_row_says() -> None:
    asked = question(
        {
            "curve": curve(),
            "candidates": Candidates(
                kinds=("instances", "volumes", "chassis", "devices"),
                devices=SHELF,
                max_machines=2,
                part_usd={"chassis": Decimal(9000)},
            ),
            "have": today(),
            "constraints": {},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(asked.setting)
    options = table.options
    case = _scenarios._Case("present", "", "", asked)
    picked = np.linspace(0, len(options) - 1, 400).astype(int).tolist()
    for at in picked:
        found = _scenarios._standing(_scenarios._Contender("close", table, at), case)
        for name in ("store_us", "flash_us", "peak_busy", "life_years", "month_cents"):
            assert getattr(found, name)[0] == pytest.approx(
                getattr(options, name)[at], nan_ok=True
            ), (table.title(at), name)


def test_regret_is_least_of_the_robust_choice_and_every_scenario_is_defined() -> None:
    flash = replace(DEVICES_ALONE, devices=SHELF[:2])
    found = sure(have=today(), candidates=flash).scenarios
    assert found is not None
    names = [each.name for each in found.columns]
    assert names == [
        *("present", "growth", "load", "drift", "prices_up", "prices_down", "loss")
    ]
    assert all(each.definition for each in found.columns)
    assert found.rows[0].role == "recommended"
    assert {each.role for each in found.rows} == {
        *("recommended", "close", "today", "scenario")
    }
    for row in found.rows:
        assert len(row.regret) == len(names)
        for cell in row.regret:
            assert cell.regret_usd_per_month is not None
            assert cell.regret_usd_per_month >= 0
    able = [row for row in found.rows if not row.regret[0].breaks]
    most = [row.most_regret_usd_per_month for row in able]
    own = found.rows[0]
    assert own.most_regret_usd_per_month == min(
        each for each in most if each is not None
    )
    # One drive does not survive its failure, and more of them do: it has least regret, and is not robust.
    assert own.broken > min(row.broken for row in able)
    assert found.robust is None
    assert not any(row.is_robust for row in found.rows)
    # Beside flash that caches all of the data disks have no load: of two of them one may fail.
    spared = sure(have=today()).scenarios
    assert spared is not None
    [robust] = [row for row in spared.rows if row.is_robust]
    assert robust.role == "scenario"
    assert "2 x wd-gold-20tb-hc560-sibling for the data" in robust.name
    assert not any(cell.breaks for cell in robust.regret)
    assert robust.most_regret_usd_per_month == min(
        row.most_regret_usd_per_month
        for row in spared.rows
        if row.most_regret_usd_per_month is not None and not row.regret[0].breaks
    )
    steady = sure(candidates=replace(DEVICES_ALONE, devices=SHELF[:1])).scenarios
    assert steady is not None
    [robust] = [row for row in steady.rows if row.is_robust]
    assert robust.name == steady.robust
    assert robust.broken == min(row.broken for row in steady.rows)
    assert "the recommendation is the robust choice" in steady.text
    assert "does not make it robust" not in steady.text


@pytest.mark.parametrize(
    ("purchase", "lost"), [(None, None), ("0", "0.00"), ("3600", "100.00")]
)
def test_what_an_exchange_loses_of_what_there_is_rests_on_what_was_said(
    purchase: str | None, lost: str | None
) -> None:
    small = today("200", disks=1)
    if purchase is not None:
        small = replace(small, purchase_usd=Decimal(purchase))
    found = sure(have=small).scenarios
    assert found is not None
    [row] = [each for each in found.rows if each.role == "today"]
    assert {each.breaks for each in row.regret} == {("peak_busy",)}
    usd = None if lost is None else Decimal(lost)
    assert {each.regret_usd_per_month for each in row.regret} == {usd}
    assert row.most_regret_usd_per_month == usd
    said = {each.reason for each in row.regret}
    assert said == {"" if purchase is not None else PURCHASE_UNSAID}
    # Where it keeps the limits nothing is exchanged, whatever was paid.
    large = sure(have=today()).scenarios
    assert large is not None
    [row] = [each for each in large.rows if each.role == "today"]
    assert all(each.regret_usd_per_month for each in row.regret)
    assert not any(each.reason for each in row.regret)


@pytest.mark.parametrize(
    ("terms", "reason", "rented_"),
    [
        ({}, "", True),
        ({"commitment": "three years"}, COMMITMENT_UNSAID, False),
        ({"commitment_discount": 0.3}, COMMITMENT_UNSAID, False),
    ],
)
def test_a_rented_server_that_fails_takes_its_drives_along_and_a_commitment_has_its_price(
    terms: dict[str, Any], reason: str, *, rented_: bool
) -> None:
    bill = {"server": "aws-i4i.4xlarge", "usd_per_hour": 1.5, **terms}
    small = replace(today(), usd_per_month=None, bill=bill)
    found = sure(have=small).scenarios
    assert found is not None
    [row] = [each for each in found.rows if each.role == "today"]
    [loss] = [at for at, each in enumerate(found.columns) if each.name == "loss"]
    # Of 400 drives one more or less is nothing; of one machine, all.
    assert row.regret[loss].breaks == ("peak_busy",)
    assert not any(cell.breaks for at, cell in enumerate(row.regret[:1]) if at != loss)
    assert row.regret[loss].reason == reason
    usd = row.regret[loss].regret_usd_per_month
    assert usd == (None if reason else 0)
    assert row.is_rented is rented_
    # The same drives of one's own survive one of them.
    own = sure(have=today()).scenarios
    assert own is not None
    [row] = [each for each in own.rows if each.role == "today"]
    assert row.regret[loss].breaks == ()


def test_a_regret_that_nobody_can_state_is_not_said_to_be_nothing() -> None:
    # Cheap and busy: it is kept today, and is too small as soon as the load grows.
    busy = today("100", disks=142)
    found = sure(have=busy)
    assert found.recommendation is not None
    assert found.recommendation.kind == "have"
    assert found.scenarios is not None
    own = found.scenarios.rows[0]
    assert own.broken
    assert own.most_regret_usd_per_month is None
    assert "the recommendation at most" not in found.scenarios.text
    assert "at most is not known" in found.scenarios.text
    stated = sure(have=replace(busy, purchase_usd=Decimal(0))).scenarios
    assert stated is not None
    assert stated.rows[0].most_regret_usd_per_month is not None
    assert "not known" not in stated.text


TIGHT = replace(PRODUCTION, accesses_per_s=300.0, peak_accesses_per_s=1000.0)
TWO_DISKS = replace(DEVICES_ALONE, devices=SHELF[2:])


def test_another_choice_is_robust_where_the_recommendation_loses_much() -> None:
    # Disks that are full of load today: a failure or more load takes flash.
    found = sure(curve=curve(TIGHT), candidates=TWO_DISKS).scenarios
    assert found is not None
    [robust] = [row for row in found.rows if row.is_robust]
    assert robust.role != "recommended"
    assert "the robust choice is" in found.text
    assert robust.name in found.text
    assert "The recommendation breaks a limit in" in found.text
    flash = replace(DEVICES_ALONE, devices=SHELF[:2])
    calm = sure(have=today(), candidates=flash).scenarios
    assert calm is not None
    assert "the recommendation is the choice of least regret" in calm.text
    assert "No limit" not in calm.text
    assert "no limit is broken in any of them by" in calm.text


def test_a_scenario_that_no_candidate_survives_is_named() -> None:
    best = ask().recommendation
    assert best is not None
    found = sure(constraints={"usd_per_month": best.usd_per_month}).scenarios
    assert found is not None
    assert (
        "No candidate keeps every limit in: higher prices and a failure." in found.text
    )
    # What nothing replaces cannot be exchanged.
    assert {
        column.best
        for column, cell in zip(found.columns, found.rows[0].regret, strict=True)
        if cell.breaks
    } == {None}
    assert "exchanged" not in found.text
    [up] = [each for each in found.columns if each.name == "prices_up"]
    assert up.best is None
    cell = found.rows[0].regret[
        [each.name for each in found.columns].index("prices_up")
    ]
    assert cell.breaks == ("usd_per_month",)
    assert cell.regret_usd_per_month is None
    assert cell.reason == "no candidate keeps every limit there"


def test_limits_of_response_times_hold_in_neighbours_and_scenarios() -> None:
    idle = curve(replace(PRODUCTION, accesses_per_s=20.0, peak_accesses_per_s=60.0))
    free = ask(curve=idle, constraints={"response_p99_us": 10**9}).recommendation
    assert free is not None
    assert free.response_p99_us is not None
    # Barely kept today, and not with more load.
    limits = {"response_p99_us": free.response_p99_us * 1.0001}
    found = sure(curve=idle, constraints=limits)
    assert found.recommendation is not None
    assert found.recommendation.name == free.name
    assert found.scenarios is not None
    names = [each.name for each in found.scenarios.columns]
    breaks = dict(
        zip(
            names, (cell.breaks for cell in found.scenarios.rows[0].regret), strict=True
        )
    )
    assert breaks["present"] == ()
    assert breaks["load"] == ("response_p99_us",)
    assert breaks["growth"] != ()
    assert breaks["prices_up"] == ()
    [load] = [each for each in found.scenarios.columns if each.name == "load"]
    assert load.best != free.name
    slower = next(each.less for each in found.flat if each.size == "ram_bytes")
    assert slower is None or slower.io_time_us_more <= 0


IN_RAM = Production(256 * GIB, 2_000.0, 4_000.0, growth_per_year=0.2)
"""Production whose data fit into RAM today, and no longer after three years."""


@pytest.mark.parametrize(
    "limits",
    [
        {"response_mean_us": 50},
        {"response_p99_us": 1, "restart_s": 10**6},
    ],
)
def test_what_is_held_breaks_the_limits_that_it_breaks_when_it_is_asked_again(
    limits: dict[str, float],
) -> None:
    asked = question(
        {
            "curve": curve(IN_RAM),
            "candidates": replace(DEVICES_ALONE, devices=SHELF[2:]),
            "have": None,
            "constraints": {name: Decimal(value) for name, value in limits.items()},
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(asked.setting)
    options = table.options
    rows = np.flatnonzero(options.ram_bytes >= 200 * GIB).tolist()
    choices = [_scenarios._Contender("close", table, at) for at in rows]
    of_today = set()
    for case, *_ in _scenarios._cases(asked, table):
        if case.name not in ("present", "growth", "load", "drift"):
            continue
        held = joined([_scenarios._standing(each, case) for each in choices])
        for at, broken in zip(
            rows, _scenarios._broken(choices, case, held), strict=True
        ):
            there = Have(
                machines=1,
                ram_bytes=int(options.ram_bytes[at]),
                disk=table.devices(at)[1],
                disks=int(options.store_devices[at]),
                usd_per_month=Decimal(1),
            )
            anew = Table.of(replace(case.asked.setting, have=there))
            assert anew.have_at is not None
            chosen = chosen_of(case.asked, anew)
            times = anew.peak_response(anew.have_at)
            assert broken == (
                *(
                    each.name
                    for each in chosen.limits
                    if bool(each.breaks[anew.have_at])
                ),
                *(
                    name
                    for name, value in zip(RESPONSES, times, strict=True)
                    if name in limits and not value <= limits[name]
                ),
            ), (case.name, table.title(at))
            if options.ram_bytes[at] < IN_RAM.data_bytes * 1.2 and not broken:
                of_today.add(case.name)
    # What holds all of today's data in RAM waits for nothing but where there are more of them.
    assert of_today == {"present", "load", "drift"}


def check_what_keeps_every_limit(found: Scenarios | None) -> None:
    """Nothing that breaks no limit of a scenario costs less there than its best."""
    assert found is not None
    for at, column in enumerate(found.columns):
        assert column.best_usd_per_month is not None
        for row in found.rows:
            cell = row.regret[at]
            if not cell.breaks:
                assert cell.usd_per_month >= column.best_usd_per_month, (
                    column.name,
                    row.title,
                )
        best = [row for row in found.rows if row.title == column.best]
        assert all(row.regret[at].regret_usd_per_month == 0 for row in best)


@pytest.mark.parametrize(
    "limits",
    [
        {"response_mean_us": 50},
        {"response_p99_us": 1},
        {"response_p50_us": 20_000, "restart_s": 20_000},
        {"throughput_accesses_per_s": 6_000, "flash_life_years": 4},
    ],
)
@pytest.mark.parametrize("devices", [SHELF[2:], SHELF])
def test_nothing_that_keeps_every_limit_costs_less_than_the_best_of_its_scenario(
    limits: dict[str, float], devices: tuple[str, ...]
) -> None:
    found = sure(
        curve=curve(IN_RAM),
        candidates=replace(DEVICES_ALONE, devices=devices),
        constraints=limits,
    )
    check_what_keeps_every_limit(found.scenarios)


def test_sizes_that_counters_no_longer_speak_of_once_the_data_have_grown_are_unknown() -> (
    None
):
    known = Evidence("points", 40 * GIB // 8192, TIB // 8192)
    given = Given("points", data_known=True, evidence=known)
    found = sure(curve=replace(curve(IN_RAM), given=given)).scenarios
    check_what_keeps_every_limit(found)
    assert found is not None
    names = [each.name for each in found.columns]
    grown = found.rows[0].regret[names.index("growth")]
    # 55 GiB of RAM miss then what less than 40 GiB miss today.
    assert grown.breaks == ("evidence",)


@cache
def _flows(
    io_time_us: int | None = None, *, with_errors: bool = False
) -> tuple[Any, Table, list[int]]:
    """A question, its options, and those of the hardware with the most page flows that keep every limit.

    With errors: of flash that does not hold all of the data, where flash hits are not exact.
    """
    limits = {} if io_time_us is None else {"io_time_us_per_access": io_time_us}
    asked = question(
        {
            "curve": curve(),
            "candidates": DEVICES_ALONE,
            "have": None,
            "constraints": limits,
            "objective": "usd",
            "prices": book(**PRICES),
        }
    )
    table = Table.of(asked.setting)
    by_name: dict[str, list[int]] = {}
    for at in _when.chosen_of(asked, table).order.tolist():
        is_exact = with_errors and table.setting.curve.holds_all(
            table.options.flash_pages[at]
        )
        if table.scheme(at) != "none" and not is_exact:
            by_name.setdefault(table.title(at), []).append(at)
    return asked, table, max(by_name.values(), key=len)


def _compared_flows(
    io_time_us: int | None = None, *, with_errors: bool = False
) -> list[Any]:
    asked, table, rows = _flows(io_time_us, with_errors=with_errors)
    found = _scenarios.compared(asked, table, rows[0], rows[1:])
    name = table.title(rows[0])
    return [row for row in found.rows if row.name == name]


def test_page_flows_within_the_known_error_are_one_row_that_names_them() -> None:
    _, table, given_ = _flows(with_errors=True)
    rows = _compared_flows(with_errors=True)
    schemes = [each for row in rows for each in (row.scheme, *row.alike)]
    assert set(schemes) >= {table.scheme(at) for at in given_}
    assert len(schemes) == len(set(schemes))
    assert len(rows) < len(given_)
    io_us = {table.scheme(at): float(table.options.io_us[at]) for at in given_}
    some = [row for row in rows if row.alike]
    for row in some:
        name, flows = row.title.split(", page flow ")
        assert name == row.name
        assert len(re.split(", | or ", flows)) == 1 + len(row.alike)
        # Not equal by the formulas: their errors alone make them one class.
        assert len({io_us[each] for each in (row.scheme, *row.alike)}) > 1
    assert len({row.title for row in rows}) == len(rows)


def test_page_flows_that_differ_by_more_than_the_known_error_are_rows_with_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "tierwright.evaluate.page_flow.explain.error_band",
        lambda scheme, ram, flash, curve=None: np.zeros_like(flash),
    )
    _, table, given_ = _flows()
    rows = _compared_flows()
    assert len({row.title for row in rows}) == len(rows) > 1
    assert all("page flow" in row.title for row in rows)
    io_us = {table.scheme(at): float(table.options.io_us[at]) for at in given_}
    for row in rows:
        for each in row.alike:
            assert io_us[each] == pytest.approx(io_us[row.scheme], rel=1e-12)


def test_page_flows_that_break_other_limits_are_rows_with_names() -> None:
    # Within the known error of each other, but with more data or a wider working set one of them is beyond the limit.
    twice = _compared_flows(4)
    assert len(twice) > 1
    assert len({row.title for row in twice}) == len(twice)
    assert all("page flow" in row.title for row in twice)
    broken = {tuple(cell.breaks for cell in row.regret) for row in twice}
    assert len(broken) == len(twice)
    rented = Candidates(kinds=("instances", "volumes"), max_machines=3)
    found = sure(candidates=rented).scenarios
    assert found is not None
    assert len({row.title for row in found.rows}) == len(found.rows)


def test_of_the_least_time_the_regret_is_time() -> None:
    found = sure(objective="io_time").scenarios
    assert found is not None
    for row in found.rows:
        for cell in row.regret:
            assert cell.regret_usd_per_month is None
            assert cell.regret_io_time_us is None or cell.regret_io_time_us >= 0
            assert (cell.regret_io_time_us is None) >= bool(cell.breaks)
    assert found.rows[0].regret[0].regret_io_time_us == 0
    assert "faster" in found.text or "slower than the best" in found.text
    assert "costs" not in found.text


def test_what_is_rented_is_exchanged_at_no_loss() -> None:
    # A flash cache for all of the data would break as few limits as any.
    found = sure(
        candidates=Candidates(kinds=("volumes",), max_machines=2),
        constraints={"flash_bytes": 2**41},
    ).scenarios
    assert found is not None
    own = found.rows[0]
    assert any(cell.breaks for cell in own.regret)
    for cell in own.regret:
        if cell.breaks:
            assert cell.regret_usd_per_month == 0
    assert "it costs more than the best in no scenario" in found.text
    assert own.is_rented
    # Another choice breaks no limit as often: least regret alone is not robust.
    fewest = min(row.broken for row in found.rows if not row.regret[0].breaks)
    assert own.broken > fewest
    assert not any(row.is_robust for row in found.rows)
    assert found.robust is None
    assert "the recommendation is the choice of least regret" in found.text
    assert "That alone does not make it robust" in found.text
    assert "the robust choice" not in found.text
    assert "All choices are rented without commitment: where a limit is" in found.text
    assert "what the exchange loses" not in found.text
    count = sum(bool(cell.breaks) for cell in own.regret)
    assert f"breaks a limit in {count} of them" in found.text
    # What would be bought loses its purchase, and nothing is said of rents.
    bought = sure(curve=curve(TIGHT), candidates=TWO_DISKS).scenarios
    assert bought is not None
    assert not any(row.is_rented for row in bought.rows)
    assert "rented" not in bought.text
    # More drives on the same machines could do: the regret is an upper bound, and is said to be one.
    assert "its regret is at most what the exchange loses" in bought.text
    assert "would have to be exchanged" not in bought.text
    assert "adding RAM or devices would be enough is not computed" in bought.text
    assert "an upper bound" in bought.basis


def test_a_regret_of_a_broken_limit_reads_as_an_upper_bound() -> None:
    """Where it is kept, the regret is exact: nothing is exchanged."""
    cost = Decimal("24.50")
    for breaks, regret, rented, said, reported in (
        ((), cost, False, "24.50", "24.50"),
        (("peak_busy",), cost, False, "<= 24.50 (broken)", "at most 24.50; breaks"),
        (("peak_busy",), Decimal(0), False, "0.00 (broken)", "0.00; breaks"),
        (("peak_busy",), Decimal(0), True, "exchanged (broken)", "exchanged; breaks"),
    ):
        cell = Regret(Decimal(100), breaks, regret, None, "")
        assert print_advice._regret(cell, rented=rented) == said
        document = {
            "breaks": list(breaks),
            "regret_usd_per_month": regret,
            "regret_io_time_us": None,
        }
        assert report_scenarios._cell(document, rented=rented).startswith(reported)


def scenario_row(
    breaks: str, usd: int, *, role: str = "close", rented: bool = True
) -> ScenarioRow:
    """A choice that breaks a limit where there is an x, of that cost."""
    cells = tuple(
        Regret(
            Decimal(usd), ("peak_busy",) if each == "x" else (), Decimal(0), None, ""
        )
        for each in breaks
    )
    name = f"{usd} with {breaks}"
    return ScenarioRow(
        name, "none", (), name, role, rented, cells, Decimal(0), None, is_robust=False
    )


@pytest.mark.parametrize(
    ("others", "said"),
    [
        # Of those that break a limit in the fewest, the cheapest.
        (
            ("..x", 9, {}, "...", 8, {}, "...", 7, {}),
            "All choices are rented without commitment: where a limit is broken, nothing is lost but the time until "
            "another is rented, at least one billing period; that has no price here. That alone does not make it robust: "
            "no limit is broken in any of them by 7 with ..., which costs 2 USD per month more.",
        ),
        (("..x", 4, {}), "a limit is broken in 1 of them by 4 with ..x, which costs 1"),
        (("..x", 5, {}), "which costs as much."),
        (("x..", 4, {}), "No choice that keeps every limit today breaks one in fewer"),
        ((".xx", 4, {}), "No choice that keeps every limit today breaks one in fewer"),
        (("...", 9, {"rented": False}), "It is rented without commitment: where"),
        (
            ("...", 9, {"rented": False, "role": "today"}),
            "All choices but what there is today are rented without commitment",
        ),
    ],
)
def test_a_rented_choice_of_least_regret_says_what_it_has_to_regret(
    others: tuple[Any, ...], said: str
) -> None:
    own = scenario_row(".xx", 5, role="recommended")
    rows = [
        own,
        *(
            scenario_row(breaks, usd, **more)
            for breaks, usd, more in zip(*[iter(others)] * 3, strict=True)
        ),
    ]
    able = [row for row in rows if not row.regret[0].breaks]
    is_robust = own.broken == min(row.broken for row in able)
    rows[0] = own = replace(own, is_robust=is_robust)
    text = _scenarios._rented_text(rows, 0, 3), _scenarios._steadier_text(rows, 0)
    assert said in " ".join(chain(*text))
    calm = [
        replace(scenario_row("...", 5, role="recommended"), is_robust=True),
        *rows[1:],
    ]
    assert list(_scenarios._rented_text(calm, 0, 3)) == []
    assert list(_scenarios._steadier_text(calm, 0)) == []
    other = [scenario_row("...", 1, role="recommended"), replace(own, role="close")]
    who = "The robust choice" if is_robust else "The choice of least regret"
    assert f"{who} breaks a limit in 2 of 3 scenarios." in list(
        _scenarios._rented_text(other, 1, 3)
    )


def test_without_a_rate_and_without_purchases_there_are_fewer_scenarios() -> None:
    given_curve = curve().from_start("cold")
    found = sure(
        curve=replace(given_curve, scaled=None),
        candidates=Candidates(kinds=("instances",), max_machines=1),
    ).scenarios
    assert found is not None
    assert [each.name for each in found.columns] == ["present", "drift"]


@pytest.mark.costly(3)
@settings(max_examples=12, deadline=None)
@given(problem=problems, times=st.sampled_from([2, 10]))
def test_money_scales_every_amount_and_the_robust_choice_keeps_todays_limits(
    problem: dict[str, Any], times: int
) -> None:
    asked = asked_of({**problem, "limits": {}, "objective": "usd", "have": None})
    found = sure(**asked)
    assert found.scenarios is not None
    for row in found.scenarios.rows:
        if row.is_robust:
            assert not row.regret[0].breaks
    assert found.recommendation is not None
    assert keeps(found.recommendation, found.constraints)
    prices = asked["prices"]
    dear = replace(
        prices,
        prices=tuple(replace(each, usd=each.usd * times) for each in prices.prices),
    )
    other = sure(**{**asked, "prices": dear})
    assert other.scenarios is not None
    assert any(not row.regret[0].breaks for row in other.scenarios.rows)
    first, second = (
        each.scenarios.rows[0] for each in (found, other) if each.scenarios
    )
    if first.name != second.name:
        return  # costs within rounding of each other
    for one, two in zip(first.regret, second.regret, strict=True):
        assert one.breaks == two.breaks
        # Every line is rounded to the cent, in each of both.
        assert float(two.regret_usd_per_month or 0) == pytest.approx(
            times * float(one.regret_usd_per_month or 0), abs=0.1 * times
        )


def test_money_moves_no_month_of_change() -> None:
    found = sure(curve=curve(CHANGING))
    twice = {name: 2 * usd for name, usd in PRICES.items()}
    other = sure(curve=curve(CHANGING), prices=book(Decimal("41.25"), **twice))
    assert found.when is not None
    assert other.when is not None
    assert [(each.month, each.name) for each in found.when.steps] == [
        (each.month, each.name) for each in other.when.steps
    ]
    for one, two in zip(found.when.steps, other.when.steps, strict=True):
        assert one.usd_per_month is not None
        assert two.usd_per_month is not None
        assert float(two.usd_per_month) == pytest.approx(
            2 * float(one.usd_per_month), abs=0.1
        )


def test_more_growth_than_can_be_counted_is_refused() -> None:
    with pytest.raises(BadInput, match="more pages than can be counted"):
        stretched_curve(curve(), 1e60)
    wild = replace(PRODUCTION, growth_per_year=100.0)
    with pytest.raises(BadInput, match="growth_per_year: within `1200` months"):
        sure(curve=curve(wild), horizon_months=1200)
    # What can be counted at the end of the horizon may not be so many months later.
    fast = replace(PRODUCTION, accesses_per_s=1.0, peak_accesses_per_s=1.0)
    found = sure(curve=curve(replace(fast, growth_per_year=1.0)), horizon_months=190)
    assert found.when is not None
    assert 0 < found.when.asked_until < 120


def test_words_of_waiting_name_every_part_without_a_history() -> None:
    rows = (
        PriceTrend("hdd", Decimal(10), None, None, None, None),
        PriceTrend("chassis", Decimal(5), None, None, None, None),
    )
    said = _when.waiting_text(
        Bought(1.0, 2.0, 0.0, 1.0, 0.0), 12, 36, rows, pays=None, keeps=None
    )
    assert "of hard disks and chassis" in said
    assert "pays if the prices of the purchase fall." in said


def slow_restart(
    found: Any, ram: float, accesses_per_s: float, reads_per_s: float
) -> float:
    """Fill one thousandth of the warm size after the other."""

    def miss(size: float) -> float:
        return float(found.misses(size)) / found.accesses

    target = 1 - 0.95 * (1 - miss(ram))
    low, high = 0.0, ram
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if miss(middle) <= target else (middle, high)
    steps = 4000
    width = high / steps
    return sum(
        width / min(accesses_per_s * miss((each + 0.5) * width), reads_per_s)
        for each in range(steps)
    )


@pytest.mark.oracle("evaluate.advice.restart.restart_s")
@pytest.mark.parametrize("share", [0.002, 0.05, 0.6])
@pytest.mark.parametrize("reads", [50.0, 2000.0, 1e7])
def test_a_restart_takes_as_long_as_filling_it_page_by_page(
    share: float, reads: float
) -> None:
    found = curve()
    ram = found.data_pages * share
    [fast] = restart_s(found, np.asarray([ram]), 20_000.0, np.asarray([reads]))
    assert fast == pytest.approx(slow_restart(found, ram, 20_000.0, reads), rel=0.01)


@pytest.mark.formula("evaluate.advice.restart.restart_s")
@given(
    share=st.floats(1e-5, 1.0),
    rate=st.floats(1.0, 1e6),
    reads=st.floats(1.0, 1e7),
    more=st.floats(1.0, 10.0),
)
def test_more_reads_or_more_load_never_warm_it_later(
    share: float, rate: float, reads: float, more: float
) -> None:
    ram = np.asarray([curve().data_pages * share])

    def seconds(accesses_per_s: float, reads_per_s: float) -> float:
        [one] = restart_s(curve(), ram, accesses_per_s, np.asarray([reads_per_s]))
        return float(one)

    usual = seconds(rate, reads)
    assert 0 <= usual < math.inf
    assert seconds(rate, reads * more) <= usual * (1 + 1e-9)
    assert seconds(rate * more, reads) <= usual * (1 + 1e-9)
    # Twice as fast in everything takes half as long.
    assert seconds(2 * rate, 2 * reads) == pytest.approx(usual / 2, abs=1e-12)


@pytest.mark.oracle("evaluate.advice.restart.restart_error_s")
@pytest.mark.parametrize("reads", [40.0, 1e9])
@pytest.mark.parametrize("share", [0.6, 0.9])
def test_the_error_of_a_restart_is_that_of_recordings_drawn_again(
    share: float, reads: float
) -> None:
    """Draw the hits between sizes as counts of their own, and look at how the time to the size varies at which it is warm."""
    accesses, rate, generator = 20_000, 100.0, np.random.default_rng(1)
    sizes = np.arange(1, 501)
    hits = share * (sizes / 500) ** 0.4
    between = accesses * np.diff(hits, prepend=0.0)
    fine = np.linspace(0.0, 500.0, 50_001)
    misses = 1 - np.interp(fine, np.append(0, sizes), np.append(0.0, hits))
    until = np.cumsum(0.01 / np.minimum(rate * misses, reads))
    times = []
    for _ in range(2_000):
        # Full RAM hits as often as stated: how far this is off is drawn by windows.
        beyond = np.cumsum(generator.poisson(between)[::-1])[::-1] / accesses
        warm = int(np.flatnonzero(beyond <= 0.05 * share)[0])
        times.append(float(np.interp(sizes[warm], fine, until)))
    stated = Curve.from_hit_ratios(
        list(zip(sizes.tolist(), hits.tolist(), strict=True)), accesses=accesses
    )
    [error] = restart_error_s(
        stated, np.asarray([500.0]), rate, np.asarray([reads]), accesses
    )
    assert error == pytest.approx(np.std(times), rel=0.1)


@pytest.mark.formula("evaluate.advice.restart.restart_error_s")
@given(
    share=st.floats(1e-5, 1.0),
    rate=st.floats(1.0, 1e6),
    reads=st.floats(1.0, 1e7),
    more=st.floats(1.0, 100.0),
)
def test_the_error_of_a_restart_falls_with_what_was_recorded(
    share: float, rate: float, reads: float, more: float
) -> None:
    ram = np.asarray([curve().data_pages * share])

    def error(recorded: float, faster: float = 1.0) -> float:
        [one] = restart_error_s(
            curve(), ram, faster * rate, np.asarray([faster * reads]), recorded
        )
        return float(one)

    usual = error(1e6)
    assert 0 <= usual < math.inf
    # At next to no load RAM is never warm, and nothing is unsure of that.
    assert error(1e6, 5e-324) == 0.0
    assert error(1e6 * more) <= usual * (1 + 1e-9) + 1e-9
    assert error(1e6, 2.0) == pytest.approx(usual / 2, abs=1e-9)


def test_cold_ram_is_limited_and_what_is_unknown_keeps_no_limit() -> None:
    free = ask(objective="io_time").recommendation
    assert free is not None
    assert free.restart_s is not None
    bound = free.restart_s / 2
    found = ask(objective="io_time", constraints={"restart_s": bound})
    best = found.recommendation
    assert best is not None
    assert best.restart_s is not None
    assert best.restart_s <= bound * (1 + 1e-9)
    assert any(each.constraint == "restart_s" for each in found.rejected)
    none = ask(constraints={"power_watts": 10_000})
    assert none.recommendation is None
    assert none.infeasible is not None
    assert none.infeasible.conflict == ("power_watts",)
    [text] = {each.text for each in none.rejected[:1]}
    assert "the power of the servers is unknown; at most 10,000 W is allowed." in text
    with pytest.raises(BadInput, match="restart_s: the workload states no rate"):
        ask(curve=replace(curve(), scaled=None), constraints={"restart_s": 5})


def test_servers_built_from_parts_have_a_height_and_where_stated_a_power() -> None:
    built = Candidates(
        kinds=("chassis",),
        max_machines=3,
        part_usd={"chassis": Decimal(9000)},
        watts=Decimal(400),
    )
    found = ask(candidates=built)
    best = found.recommendation
    assert best is not None
    assert best.power_watts == 400 * best.machines
    assert best.rack_units is not None
    assert best.rack_units % best.machines == 0
    below = ask(
        candidates=built,
        constraints={"rack_units": 2, "power_watts": 400},
        objective="io_time",
    ).recommendation
    assert below is not None
    assert (below.rack_units, below.power_watts, below.machines) == (2, 400, 1)
    open_ = ask(candidates=replace(built, watts=None)).recommendation
    assert open_ is not None
    assert open_.power_watts is None  # no source states that of a chassis
    rented = ask(candidates=Candidates(kinds=("instances",))).recommendation
    assert rented is not None
    assert (rented.power_watts, rented.rack_units) == (None, None)
    assert rented.restart_s is not None


def billed(**of_bill: Any) -> Have:
    """Two servers of 2U that their bill states."""
    box = {"id": "chassis-dell-r760", "usd": 9000}
    return Have(
        machines=2,
        ram_bytes=2**38,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=4,
        bill={"machines": 2, "part": [box], **of_bill},
    )


def test_what_there_is_has_the_power_and_the_height_that_its_bill_states() -> None:
    stated = billed(power={"usd_per_kwh": 0.2, "watts": 400})
    zero = ask(have=stated).option_zero
    assert zero is not None
    assert (zero.power_watts, zero.rack_units) == (800.0, 4.0)
    # They keep a limit, or break it by their value.
    limits = {"power_watts": 800, "rack_units": 4}
    kept = ask(have=stated, constraints=limits)
    assert kept.recommendation is not None
    assert kept.recommendation.kind == "have"
    for name, most in (("power_watts", 799), ("rack_units", 3)):
        [today] = [
            each
            for each in ask(have=stated, constraints={name: most}).rejected
            if each.option.kind == "have"
        ]
        assert (today.constraint, today.value) == (name, limits[name])


def test_what_a_bill_does_not_state_of_what_there_is_stays_unknown() -> None:
    module = {"id": "dimm-ddr5-rdimm-64gb", "quantity": 2, "usd": 900}
    for have, expected in (
        (today(), (None, None)),
        # No source states the power of the chassis, and modules alone are no server.
        (billed(), (None, 4.0)),
        (billed(part=[module]), (None, None)),
        (billed(part=[module], power={"watts": 300}), (600.0, None)),
        (
            replace(billed(), bill={"machines": 2, "server": "aws-i4i.4xlarge"}),
            (None, None),
        ),
    ):
        zero = ask(have=have).option_zero
        assert zero is not None
        assert (zero.power_watts, zero.rack_units) == expected


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("restart_s", 90.0, "90.0 s"),
        ("power_watts", 400.0, "400 W"),
        ("rack_units", 4.0, "4 U"),
    ],
)
def test_new_limits_have_their_units(name: str, value: float, said: str) -> None:
    assert limit_value(name, value) == said


def test_the_next_dollar_compares_no_part_with_a_whole() -> None:
    """Where whole systems are faster than parts without a machine, what they cost more is no price of that time."""
    dear = book(Decimal(100), **{name: 8 * usd for name, usd in PRICES.items()})
    alone = replace(DEVICES_ALONE, devices=SHELF[1:2])
    both = ask(prices=dear, candidates=replace(alone, kinds=("devices", "instances")))
    assert both.recommendation is not None
    assert both.recommendation.without_machine
    # Both are on the front.
    assert len({each.without_machine for each in both.pareto}) == 2
    parts = ask(prices=dear, candidates=alone)
    assert both.next_dollar is not None
    assert parts.next_dollar is not None
    assert both.next_dollar.steps == parts.next_dollar.steps != ()
    named = "Among RAM and devices bought by themselves, of what costs more, "
    left = " Whole systems are left out here: no price of a machine is stated."
    assert both.next_dollar.text.startswith(named)
    assert both.next_dollar.text.endswith(left)
    assert "Among" not in parts.next_dollar.text
    # With the price of a machine all are compared.
    priced = ask(
        prices=dear,
        candidates=replace(
            alone, kinds=("devices", "instances"), machine_usd=Decimal(1)
        ),
    )
    assert priced.next_dollar is not None
    assert "Among" not in priced.next_dollar.text
    assert _flat.next_text((), "usd", "whole") == (
        "Among whole systems the next dollar buys no time: none of those evaluated that cost more is faster. RAM and "
        "devices bought by themselves are left out here: no price of a machine is stated."
    )
    assert "none of those evaluated that keep every limit is faster" in (
        _flat.next_text((), "io_time", "devices")
    )


def test_the_next_dollar_buys_nothing_known_where_nothing_else_was_evaluated() -> None:
    """What there is today is the only whole system: that none that costs more is faster says nothing of one."""
    free = Have(
        machines=2,
        ram_bytes=TIB,
        disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disks=20,
        usd_per_month=Decimal(0),
    )
    cheap = book(Decimal(2), **PRICES)
    alone = replace(DEVICES_ALONE, devices=SHELF[2:3])
    found = ask(prices=cheap, candidates=alone, have=free)
    assert found.recommendation is not None
    assert found.recommendation.kind == "have"
    assert found.next_dollar is not None
    assert found.next_dollar.steps == ()
    left = " RAM and devices bought by themselves are left out here: no price of a machine is stated."
    assert found.next_dollar.text == (
        "Among whole systems only what there is today was evaluated: what the next dollar buys there is not known."
        + left
    )
    # Beside others of its kind it buys nothing, or what it buys is known.
    whole = replace(alone, kinds=("devices", "instances"))
    among = ask(prices=cheap, candidates=whole, have=free).next_dollar
    assert among is not None
    assert among.text.startswith("Among whole systems")
    assert "is not known" not in among.text
    assert "only 5 GiB of RAM and 1 x d was evaluated" in (
        _flat.next_text((), "usd", "devices", "5 GiB of RAM and 1 x d")
    )


def test_a_rate_of_money_for_time_has_three_digits() -> None:
    """However much it is, in the sentence and in the report: the time is modelled."""
    dear = book(Decimal(50_000), **PRICES)
    found = ask(prices=dear, candidates=replace(DEVICES_ALONE, devices=SHELF[:2]))
    assert found.next_dollar is not None
    rates = [each.usd_per_month_per_us for each in found.next_dollar.steps]
    large = [each for each in rates if each > 10_000]
    assert large
    written = report.html(found.to_dict())
    for each in large:
        assert f">{float(f'{each:.3g}'):,.0f}<" in written
    assert found.next_dollar.text.endswith(
        f"costs {float(f'{rates[-1]:.3g}'):,.0f} USD per month for each µs."
    )


@pytest.mark.parametrize(
    ("growth", "said"), [(0.0, "a tenth of the data"), (1.0, "the data in 36 months")]
)
def test_rules_of_thumb_say_which_data_they_take(growth: float, said: str) -> None:
    grown = replace(PRODUCTION, growth_per_year=growth)
    found = ask(curve=curve(grown))
    [rule] = [each for each in found.rules_of_thumb if each.name == "tenth_in_ram"]
    assert rule.title.endswith(said)
    assert rule.ram_bytes == pytest.approx(
        PRODUCTION.data_bytes * (1 + growth) ** 3 / 10, rel=1e-3
    )


def test_ram_of_a_rule_of_thumb_is_ram_for_pages(tmp_path: Path) -> None:
    # Of all reads 97 % and more are of 40 % of the pages.
    hot = _reads(
        tmp_path, lambda draws: draws.randrange(1200 if draws.random() < 0.97 else 3000)
    )
    two = Production(100 * GIB, 100.0, 100.0, machines=2)
    of_one = scale.answer(hot, two, law="stretch").profile.curve.from_start("steady")
    found = ask(
        curve=of_one, candidates=replace(DEVICES_ALONE, reserved_gib=Decimal(4))
    )
    rules = {
        each.name: each.option
        for each in found.rules_of_thumb
        if each.option is not None
    }
    # Of each of both machines the system takes 4 GiB, which cache nothing.
    left = {name: each.ram_bytes - 2 * 4 * GIB for name, each in rules.items()}
    page = of_one.page_bytes
    assert float(of_one.hit_ratio(left["hit_ratio_95"] / 2 // page)) >= 0.95
    assert left["tenth_in_ram"] >= 10 * GIB
    assert left["all_in_ram"] >= 100 * GIB
    assert {each.machines for each in rules.values()} == {2}


@pytest.mark.parametrize(
    ("have", "limits", "said"),
    [
        # 4 TiB that become three times as many each year are more than a disk of 24 TB holds after three.
        (
            {"disks": 1},
            {},
            "what there is today lacks space for the data and cannot carry the load: it would need ",
        ),
        (
            {"disks": 400},
            {"peak_busy": 0.2},
            "what there is today breaks a limit: a device of it would be 23.0 % busy in the busiest hour, and at most "
            "20 % is allowed",
        ),
        (
            {"disks": 400},
            {"usd_per_month": 8000},
            "what there is today breaks a limit: it costs 9,000 USD per month, and at most 8,000 USD per month is allowed",
        ),
        ({"disks": 400}, {}, ""),
    ],
)
def test_why_what_there_is_is_left_is_said_in_one_sentence(
    have: dict[str, int], limits: dict[str, float], said: str
) -> None:
    more = (
        replace(PRODUCTION, growth_per_year=2.0) if have["disks"] == 1 else PRODUCTION
    )
    found = ask(
        curve=curve(more),
        have=today(**have),
        constraints={name: Decimal(str(value)) for name, value in limits.items()},
    )
    assert found.recommendation is not None
    assert found.recommendation.kind != "have"
    if said:
        assert f"; {said}" in found.decision
    else:
        assert "what there is today" not in found.decision


def test_what_there_is_needs_a_machine_for_each_copy_of_the_data() -> None:
    """One machine has space for both copies and carries the load, but would lose both at once."""
    copied = replace(PRODUCTION, machines=4, replicas=2)

    def asked(machines: int) -> Advice:
        has = replace(today("10"), machines=machines)
        return ask(curve=curve(copied), have=has, how_sure=True)

    enough = asked(2)
    assert enough.decision.startswith("Keep what there is")
    found = asked(1)
    assert found.recommendation is not None
    assert found.recommendation.kind != "have"
    lacks = "lacks a machine for each copy of the data"
    assert f"; what there is today {lacks}." in found.decision
    assert all(each.kind != "have" for each in (*found.alternatives, *found.pareto))
    assert found.option_zero is not None
    assert found.option_zero.machines == 1
    [why] = [each for each in found.rejected if each.option.kind == "have"]
    assert (why.constraint, why.limit, why.also) == ("replicas", None, ())
    assert lacks in why.text
    assert found.rejected_counts["replicas"] == 1
    assert found.scenarios is not None
    [own] = [row for row in found.scenarios.rows if row.role == "today"]
    assert own.broken == len(own.regret)
    assert lacks in report.html(json.loads(json.dumps(found.to_dict(), default=str)))
    # Nor is it the answer where nothing else is for sale.
    alone = ask(
        curve=curve(copied),
        have=today("10"),
        constraints={"usd_per_month": Decimal(11)},
    )
    assert alone.recommendation is None
    assert alone.infeasible is not None
    assert "replicas" not in enough.rejected_counts


def test_ram_that_holds_the_data_of_today_is_tried_where_these_grow() -> None:
    """The limit is that of today: as little as holds all of it keeps it, whatever the data become."""
    growing = replace(PRODUCTION, data_bytes=2**40, growth_per_year=0.1)
    asked = {
        "candidates": replace(DEVICES_ALONE, devices=SHELF[2:3]),
        "constraints": {"response_p99_us": 50},
    }
    found = ask(curve=curve(growing), **asked).recommendation
    stays = ask(curve=curve(replace(growing, growth_per_year=0.0)), **asked)
    assert found is not None
    assert stays.recommendation is not None
    assert found.ram_bytes == stays.recommendation.ram_bytes == 2**40
