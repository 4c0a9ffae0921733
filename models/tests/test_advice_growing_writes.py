"""The life of flash under a load that grows: what is stated, limited, bought and compared, held against sums of the writes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    GIB,
    PRICES,
    SHELF,
    TIB,
    ask,
    asked_of,
    book,
    curve,
    problems,
    question,
    tried,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from staircase_cases import check

from tierwright.advise import wear
from tierwright.advise.advice import _checked, _conflict, _endurance, _near_misses
from tierwright.advise.advice import _scenarios as scenarios
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import asked_again
from tierwright.advise.advice._caches import assignments
from tierwright.advise.advice._checked import Replayed
from tierwright.advise.advice._checked.by_replay import tiers_as_replayed
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._contenders import Contenders, State
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._why_not import nearest_titled
from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Have
from tierwright.advise.report import _formulas
from tierwright.common.currency import money
from tierwright.evaluate.advice.limits import LIFE, PEAK_BUSY, THROUGHPUT
from tierwright.evaluate.advice.rows import device_times
from tierwright.evaluate.endurance.growth import growing_years, steady_years
from tierwright.evaluate.endurance.outlook import write_budget
from tierwright.hardware import catalog
from tierwright.profile.production import Production

FLASH = SHELF[1]
CACHE = SHELF[0]
RATE = 200_000.0
S_PER_YEAR = 365 * 86_400


def grows(growth: float, rate: float = RATE, data: int = 2 * TIB) -> Production:
    return Production(data, rate, rate, growth_per_year=growth)


def of_growth(growth: float, **more: Any) -> dict[str, Any]:
    return {
        "curve": curve(grows(growth)),
        "candidates": replace(DEVICES_ALONE, devices=(FLASH,)),
        **more,
    }


def asked_growing(growth: float, **more: Any) -> Asked:
    """Ask with the prices of the shelf; limits in plain numbers."""
    limits = {
        name: Decimal(str(each)) for name, each in more.pop("constraints").items()
    }
    usual = {"have": None, "objective": "usd", "prices": book(**PRICES)}
    return question({**usual, **of_growth(growth, constraints=limits, **more)})


def written_tb(tb_per_year: float, growth: float, years: float) -> float:
    """What is written until then, summed over steps of time."""
    at = np.linspace(0.0, years, 200_001)
    rates = tb_per_year * (1.0 + growth) ** at
    return float(np.sum((rates[1:] + rates[:-1]) / 2 * np.diff(at)))


def budget_of(device: str) -> float:
    found = write_budget(catalog.device(device)).in_place_tb
    assert found is not None
    return found


def tb_per_year_of(growth: float, ram_bytes: float, rate: float = RATE) -> float:
    """What RAM alone writes back to what holds the data in a year, at today's rate."""
    found = curve(grows(growth, rate))
    pages = np.asarray([ram_bytes // found.page_bytes])
    backs = float(found.write_backs(pages)[0]) / found.accesses
    return backs * rate * found.page_bytes * S_PER_YEAR / 1e12


def best_of(found: Advice) -> Option:
    assert found.recommendation is not None
    return found.recommendation


@pytest.mark.oracle(
    "evaluate.endurance.growth.growing_years", "evaluate.endurance.growth.steady_years"
)
@pytest.mark.formula(
    "evaluate.endurance.growth.growing_years", "evaluate.endurance.growth.steady_years"
)
@given(st.floats(1e-3, 1e3), st.floats(-0.5, 3.0))
def test_a_life_under_growth_ends_when_as_much_is_written_as_at_todays_rate(
    steady: float, growth: float
) -> None:
    grown = float(growing_years(np.asarray(steady), growth))
    if math.isinf(grown):
        # All that a shrinking load will ever write.
        assert 1.0 / -math.log1p(growth) <= steady * (1 + 1e-9)
        return
    assume(grown < 100)
    assert written_tb(1.0, growth, grown) == pytest.approx(steady, rel=1e-5)
    back = float(steady_years(np.asarray(grown), growth))
    assert back == pytest.approx(steady, rel=1e-9)
    assert growing_years(np.asarray(math.inf), growth) == math.inf
    assert steady_years(np.asarray(math.inf), growth) == math.inf
    assert np.isnan(growing_years(np.asarray(math.nan), growth))
    # Without growth not one bit changes.
    assert float(growing_years(np.asarray(steady), 0.0)) == steady
    assert float(steady_years(np.asarray(steady), 0.0)) == steady


@pytest.mark.parametrize("growth", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("years", [0, 3, 7])
def test_what_is_bought_is_the_cheapest_whose_writes_fit_within_the_years_asked_for(
    growth: float, years: int
) -> None:
    """Every size of RAM with every number of drives, one by one: what is written until then, busy share and cost."""
    asked = of_growth(
        growth, constraints={"flash_bytes": 0, **({LIFE: years} if years else {})}
    )
    best = best_of(ask(**asked))
    found, device = asked["curve"], catalog.device(FLASH)
    page, held = found.page_bytes, device.capacity_bytes
    assert held is not None
    read_us, write_us = (float(each[0]) for each in device_times(device, page, 1))
    setting = asked_growing(growth, constraints={}).setting
    sizes = sorted(set(Table.of(setting).options.ram_bytes.tolist()))
    options = []
    for ram in sizes:
        pages = np.asarray([ram // page])
        misses = float(found.misses(pages)[0]) / found.accesses
        backs = float(found.write_backs(pages)[0]) / found.accesses
        writes = written_tb(tb_per_year_of(growth, ram), growth, years)
        busy = RATE * (misses * read_us + backs * write_us) / 1e6
        drives = math.ceil(2 * TIB * (1 + growth) ** 3 / held)
        while busy / drives > 0.7 or writes > drives * budget_of(FLASH):
            drives += 1
        usd = ram / GIB * 20.625 + drives * 0.75 * held / 1e9
        options.append((usd, ram, drives))
    usd, ram, drives = min(options)
    assert (best.ram_bytes, best.disks) == (ram, drives)
    assert float(best.purchase_usd or 0) == pytest.approx(usd, abs=0.02)
    if (
        best.flash_life_years is None
    ):  # RAM holds all of the data, and nothing is written
        assert tb_per_year_of(growth, ram) == 0
        return
    used = written_tb(tb_per_year_of(growth, ram), growth, best.flash_life_years)
    assert used == pytest.approx(drives * budget_of(FLASH), rel=1e-6)
    assert best.flash_life_years >= years


def test_no_growth_and_a_load_that_shrinks_are_counted_as_today() -> None:
    """Space for data that shrink is counted as of today, so what wears is too."""
    still, shrinks = (best_of(ask(**of_growth(each))) for each in (0.0, -0.3))
    assert still.flash_life_years is not None
    assert still == shrinks


shares = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=4)


@settings(max_examples=tried(6), deadline=None)
@given(
    problem=problems,
    growth=st.floats(0.05, 2.0),
    name=st.sampled_from([LIFE, PEAK_BUSY, THROUGHPUT]),
    shares=shares,
)
def test_each_step_of_a_limit_buys_under_growth_what_a_question_with_it_recommends(
    problem: dict[str, Any], growth: float, name: str, shares: list[float]
) -> None:
    assume("io_time_us_per_access" not in problem["limits"])
    production = Production(
        problem["data"],
        problem["rate"],
        problem["rate"] * problem["peak"],
        growth_per_year=growth,
    )
    asked = asked_of({**problem, "some": set(SHELF)})
    check({**asked, "curve": curve(production)}, name, shares)


@pytest.mark.parametrize("growth", [0.1, 0.3])
def test_a_limit_on_the_life_is_relaxed_to_one_that_an_option_keeps_under_growth(
    growth: float,
) -> None:
    def asking(years: float) -> Asked:
        limits = {LIFE: years, "usd_per_month": 400, "flash_bytes": 0}
        return asked_growing(growth, constraints=limits)

    asked = asking(60.0)
    table = Table.of(asked.setting)
    chosen = chosen_of(asked, table)
    assert not len(chosen.order)
    names = _conflict.conflict(asked, table, chosen.limits)
    assert set(names) == {LIFE, "usd_per_month"}
    nearest = nearest_titled(table, chosen.limits, names, asked.objective)
    assert nearest is not None
    found = {
        name: value
        for name, value, _ in _conflict.with_fewer_devices(asked, table, names, nearest)
    }
    value = found[LIFE]
    for years, admits in ((value * (1 - 1e-8), True), (value * 1.01, False)):
        again = asking(years)
        at = asked_again(again, Table.of(again.setting))[1]
        assert (at is not None) == admits


@pytest.mark.parametrize("growth", [0.0, 0.3])
def test_flash_that_wears_out_early_is_bought_as_often_as_the_growing_writes_use_it_up(
    growth: float,
) -> None:
    found = ask(**of_growth(growth, horizon_months=60))
    best = best_of(found)
    [said] = [each for each in found.cautions if each.code == "flash_worn_out"]
    [flash] = [row for row in best.bill if row["what"] == FLASH]
    tb_per_year = tb_per_year_of(growth, best.ram_bytes)
    budget = best.disks * budget_of(FLASH)
    times = math.ceil(written_tb(tb_per_year, growth, 5.0) / budget)
    assert times > 1
    more = money(Decimal(flash["usd_per_month"]) * (times - 1))
    assert f"buying it {times} times costs {more} per month more" in said.effect
    assert best.flash_life_years is not None
    months = int(best.flash_life_years * 12)
    assert f"worn out after {months} of the 60 months" in said.message


@pytest.mark.parametrize("growth", [0.0, 0.4])
def test_all_that_tells_the_life_of_an_option_tells_the_same(growth: float) -> None:
    """The table, options as they stand, with another number of drives, a draw, and what there is."""
    first = best_of(ask(**of_growth(growth, constraints={LIFE: 4, "flash_bytes": 0})))
    have = Have(
        machines=1,
        ram_bytes=first.ram_bytes,
        disk=catalog.device(FLASH),
        disks=first.disks,
        usd_per_month=Decimal(9000),
    )
    limits = {LIFE: 4}
    asked = asked_growing(growth, constraints=limits, have=have)
    table = Table.of(asked.setting)
    assert table.have_at is not None
    options = table.options
    assert options.life_years[table.have_at] == pytest.approx(first.flash_life_years)
    [rows] = np.nonzero(options.source == options.source[0])
    rows = rows[:: max(1, len(rows) // 60)]
    setting = asked.setting
    held = table.held(rows).on(
        setting.curve, setting.served.both, setting.load_growth_per_year
    )
    np.testing.assert_allclose(held.life_years, options.life_years[rows])
    more = table.with_devices(rows, options.store_devices[rows])
    np.testing.assert_allclose(more.options.life_years, options.life_years[rows])
    some = Contenders(asked, table, rows)
    drawn = some.on(setting.curve, State())
    assert drawn.needed.tolist() == options.store_devices[rows].tolist()
    for at in range(len(rows)):
        own = some.as_bought(drawn, at, setting.curve, State())
        assert own[LIFE] == pytest.approx(float(options.life_years[rows[at]]))


def test_a_replay_that_writes_more_asks_for_devices_in_proportion_at_todays_rate() -> (
    None
):
    growth, years = 0.3, 5.0
    asked = asked_growing(growth, constraints={LIFE: years})
    table = Table.of(asked.setting)
    [rows] = np.nonzero(
        (table.options.flash_devices == 0) & (table.options.broken == 0)
    )
    at = int(rows[np.isfinite(table.options.life_years[rows])][0])
    # By its replay it writes so much more that it lasts 4 years: as much more is needed as is written in the fifth.
    most = written_tb(1.0, growth, years) / written_tb(1.0, growth, 4.0)
    each = Replayed(at, 1.0, 1.0, 0.1, 0.1, "", life_years=4.0)
    found = _checked.devices_more(asked, table, [each], at)
    assert found == pytest.approx(most, rel=1e-6)
    again = replace(asked.setting, devices_more=found or 0.0)
    needed = written_tb(1.0, growth, years) * most
    assert again.life_for_devices == pytest.approx(needed, rel=1e-6)
    # With any other number of drives the replay's writes count too.
    worn = Replayed(at, 1.0, 1.0, 0.1, 0.1, "", life_years=4.0, tiers_us=(0.0, 1.0))
    worn = replace(worn, lives=(math.inf, written_tb(1.0, growth, 4.0)))
    fewest = table.with_options(table.options)
    made = tiers_as_replayed(fewest, table, [worn])
    assert float(made.options.life_years[at]) == pytest.approx(4.0)
    drives = int(table.options.store_devices[at])
    more = made.with_devices(np.asarray([at]), np.asarray([2 * drives]))
    twice = 2 * written_tb(1.0, growth, 4.0)
    life = float(more.options.life_years[0])
    assert written_tb(1.0, growth, life) == pytest.approx(twice, rel=1e-6)


def test_what_breaks_a_life_by_less_than_the_error_of_its_writes_is_a_near_miss() -> (
    None
):
    growth = 0.5
    asked = asked_growing(growth, constraints={LIFE: 8})
    table = Table.of(asked.setting)
    [limit] = [each for each in chosen_of(asked, table).limits if each.name == LIFE]
    rows = np.asarray([0])
    for share, could in ((0.91, True), (0.89, False)):
        steady = written_tb(1.0, growth, 8.0) * share
        life = growing_years(np.full(len(limit.value), steady), growth)
        found = _near_misses._could_keep(
            table, replace(limit, value=life), rows, np.asarray([0.1])
        )
        assert found.tolist() == [could]


def test_an_assumed_endurance_is_more_or_less_by_its_share_at_todays_rate() -> None:
    growth, years = 0.3, 5.0
    asked = asked_growing(growth, constraints={LIFE: years})
    device = catalog.device(FLASH)
    bare = replace(
        device,
        figures={
            name: figure
            for name, figure in device.figures.items()
            if name not in ("dwpd", "endurance_years", "endurance_tb")
        },
    )
    rated = _endurance.rated_endurance(bare, assume=True)
    assert rated.assumed
    table = Table.of(asked.setting)
    option = replace(table.option(0), flash_life_years=years)
    # A store at today's rate, as much as is written until then; nothing caches.
    lives = math.inf, written_tb(1.0, growth, years)
    [caution] = _endurance._of_the_best(asked, option, lives, (1,), bare, rated)
    said = caution.effect
    assert f"lasts {years:.2f} years" in caution.message
    for text, change in _endurance.of_the_catalogue(rated):
        if not change:
            continue
        then = float(said.split(f" years if {text}")[0].split(", ")[-1])
        wanted = written_tb(1.0, growth, years) * (1 + change)
        assert written_tb(1.0, growth, then) == pytest.approx(wanted, rel=0.02)


def test_pages_that_may_enter_flash_are_those_whose_growing_writes_fit_the_life() -> (
    None
):
    growth, years = 0.3, 5
    asked = asked_growing(
        growth,
        candidates=replace(DEVICES_ALONE, devices=(CACHE, SHELF[2])),
        constraints={LIFE: years},
    )
    table = Table.of(asked.setting)
    at = int(np.flatnonzero(table.options.flash_devices > 0)[0])
    most = assignments._most_written(asked, table, at)
    rate = most * RATE * asked.setting.curve.page_bytes * S_PER_YEAR / 1e12
    budget = int(table.options.flash_devices[at]) * budget_of(CACHE)
    assert written_tb(rate, growth, years) == pytest.approx(budget, rel=1e-6)


def test_the_grown_load_of_the_scenarios_grows_no_further() -> None:
    growth = 0.3
    asked = asked_growing(growth, constraints={LIFE: 4, "flash_bytes": 0})
    table, at = asked_again(asked, Table.of(asked.setting))
    assert at is not None
    cases = {each[0].name: each[0] for each in scenarios._cases(asked, table)}
    one = scenarios._Contender("recommended", table, at)
    now = scenarios._standing(one, cases["present"])
    then = scenarios._standing(one, cases["growth"])
    assert now.life_years[0] == pytest.approx(table.options.life_years[at])
    case = cases["growth"].asked.setting
    pages = np.asarray([table.options.ram_pages[at]])
    backs = float(case.curve.write_backs(pages)[0]) / case.curve.accesses
    rate = RATE * 1.3**3 * backs * case.curve.page_bytes * S_PER_YEAR / 1e12
    budget = int(table.options.store_devices[at]) * budget_of(FLASH)
    assert then.life_years[0] == pytest.approx(budget / rate)
    assert cases["growth"].definition.endswith(scenarios.NO_MORE_GROWTH)


def test_wear_at_the_point_of_an_option_shows_the_years_of_the_option() -> None:
    growth = 0.3
    asked = of_growth(
        growth,
        candidates=replace(DEVICES_ALONE, devices=(CACHE, SHELF[2])),
        constraints={LIFE: 2},
        objective="io_time",
    )
    found = ask(**{**asked, "constraints": {LIFE: 2, "ram_bytes": TIB // 4}})
    best = best_of(found)
    point = best.point
    assert point is not None
    assert point.growth_per_year == growth
    assert point.flash_devices
    shown = wear.answer(
        asked["curve"],
        ram_pages=point.ram_pages,
        flash_pages=point.flash_pages,
        flash=catalog.device(CACHE),
        disk=catalog.device(SHELF[2]),
        accesses_per_s=point.accesses_per_s,
        devices=point.flash_devices,
        growth_per_year=point.growth_per_year,
    )
    [row] = [each for each in shown.schemes if each.scheme == point.scheme]
    assert row.years == pytest.approx(best.flash_life_years)
    document = json.loads(json.dumps(found.to_dict()))
    formula = next(
        each
        for each in _formulas.of_option(document, document["recommendation"])
        if each.figure == "Life of the flash"
    )
    assert "ln(1 + t ln(1 + g)) / ln(1 + g)" in formula.formula
    assert "30.0 % a year" in formula.formula
    # An answer that was saved by an earlier model counts no growth in its lives.
    document["versions"]["model"] = "17"
    formula = next(
        each
        for each in _formulas.of_option(document, document["recommendation"])
        if each.figure == "Life of the flash"
    )
    assert "ln(" not in formula.formula
