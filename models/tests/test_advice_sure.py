"""How sure a recommendation is: windows, draws, probability, regret and what is worth measuring."""

from __future__ import annotations

import json
import math
import re
from collections import OrderedDict
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command import run
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise import advice, report, scale
from tierwright.advise.advice import _confidence, _draws
from tierwright.advise.advice._asked import Asked, asked_of
from tierwright.advise.advice._choice import chosen_of, first_kept
from tierwright.advise.advice._confidence import drawing
from tierwright.advise.advice._contenders import Contenders, State, contending
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice._prices import spread_of_kinds, uncertain_purchases
from tierwright.advise.advice._sure import Ends
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice.found import FIGURES, Advice, Bar, Confidence, Information
from tierwright.advise.advice.request import Candidates
from tierwright.common.errors import BadInput
from tierwright.common.units import format_microseconds
from tierwright.common.wording import percent, whole_percent
from tierwright.evaluate.advice.information import NEAR, Buys, Regret, regret, worth_of
from tierwright.evaluate.advice.later import months_until, stretched_curve
from tierwright.evaluate.advice.resampling import (
    FEWEST_WINDOWS,
    block_length,
    drift,
    moving_blocks,
    of_few_blocks,
    ratios,
    share_of_few,
    shortest_interval,
)
from tierwright.evaluate.advice.rows import CHOICES
from tierwright.evaluate.advice.tiers import MOST_DEVICES, least_devices
from tierwright.evaluate.page_flow.decision import pages_that_tell
from tierwright.evaluate.page_flow.engine import flows, with_hits_off
from tierwright.evaluate.page_flow.explain import error_band
from tierwright.evaluate.page_flow.operations import operations
from tierwright.hardware import catalog
from tierwright.hardware.device import OPERATIONS, Device, Figure
from tierwright.hardware.prices import Price, PriceBook, own_price
from tierwright.hardware.service_time import service_time
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.measure import curves, profile, sampled_profile
from tierwright.profile.production import Production
from tierwright.profile.rates import RateSeries
from tierwright.profile.windows import Windows
from tierwright.trace.reading import Trace

TIB = 2**40
SHELF = ("samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb")
PRICES = dict(zip(SHELF, (Decimal("0.75"), Decimal("0.04")), strict=True))
PAGES = 3_000
ACCESSES = 60_000
HALF = {"ram_bytes": TIB // 2}
"""RAM below the data, so that the largest misses too."""


def book(times: Decimal = Decimal(1)) -> PriceBook:
    return PriceBook(
        "made-up",
        "Made up",
        "2026-11",
        "",
        "USD",
        (
            Price(
                Decimal("20.625") * times,
                "GiB",
                rent=False,
                source="a test",
                kind="dram",
            ),
            *(
                Price(usd * times, "GB", rent=False, source="a test", device_id=name)
                for name, usd in PRICES.items()
            ),
        ),
    )


DEVICES = Candidates(kinds=("devices",), devices=SHELF, reserved_gib=Decimal(0))


def pages_of(
    seed: int, *, drifting: bool = False, accesses: int = ACCESSES
) -> np.ndarray[Any, Any]:
    """Zipf-like accesses; drifting ones spread over more and more pages."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, PAGES + 1) ** 0.8
    drawn = generator.choice(PAGES, size=accesses, p=weights / weights.sum())
    if not drifting:
        return drawn
    share = np.linspace(0.0, 1.0, accesses)
    spread = generator.integers(0, PAGES, size=accesses)
    return np.where(generator.random(accesses) < share, spread, drawn % 50)


def trace_of(folder: Path, pages: np.ndarray[Any, Any], writes: float = 0.3) -> Trace:
    generator = np.random.default_rng(1)
    path = folder / "trace.csv"
    operations = np.where(generator.random(len(pages)) < writes, "W", "R")
    rows = (
        f"{1000 * at},{operation},0/1663,{page}"
        for at, (page, operation) in enumerate(
            zip(pages.tolist(), operations.tolist(), strict=True)
        )
    )
    path.write_text("time_us,op,rel,block\n" + "\n".join(rows) + "\n")
    return Trace(path)


@cache
def stationary(tmp: Path, seed: int = 0) -> Profile:
    folder = tmp / f"stationary-{seed}"
    folder.mkdir()
    return profile(trace_of(folder, pages_of(seed)))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sure")


def production(found: Profile, machines: int = 1, **given_: Any) -> Curve:
    stated = Production(TIB, 20_000.0, 40_000.0, machines=machines, **given_)
    return scale.answer(found, stated).profile.curve.steady()


def ask(curve: Curve, **given_: Any) -> Advice:
    asked: dict[str, Any] = {"prices": book(), "candidates": DEVICES, **given_}
    return advice.answer(curve, **asked)


# --- windows of the profile -------------------------------------------------------------


def test_windows_are_those_of_single_caches(folder: Path) -> None:
    """One LRU cache after the other, replayed in Python; misses by the window of the access."""
    found = stationary(folder)
    windows = found.curve.windows
    assert windows is not None
    pages = pages_of(0)
    ends = np.cumsum(windows.accesses)
    assert ends[-1] == len(pages)
    assert int(windows.first_references.sum()) == found.curve.distinct_pages
    for at in (0, len(windows.pages) // 2, len(windows.pages) - 1):
        size = int(windows.pages[at])
        cache_: OrderedDict[int, None] = OrderedDict()
        missed = np.zeros(len(pages), dtype=np.int64)
        for place, page in enumerate(pages.tolist()):
            if page in cache_:
                cache_.move_to_end(page)
                continue
            missed[place] = 1
            cache_[page] = None
            if len(cache_) > size:
                cache_.popitem(last=False)
        sums = np.add.reduceat(missed, np.concatenate(([0], ends[:-1])))
        assert sums.tolist() == windows.misses[:, at].tolist()


def test_windows_sum_up_to_the_curve(folder: Path) -> None:
    windows = stationary(folder).curve.windows
    assert windows is not None
    whole = curves(Trace(folder / "stationary-0" / "trace.csv"))
    at = windows.pages - 1
    assert windows.misses.sum(axis=0).tolist() == whole["misses"][at].tolist()
    written = windows.write_backs.sum(axis=0) + windows.open_write_backs
    assert written.tolist() == whole["write_backs"][at].tolist()
    assert windows.open_write_backs[0] > 0


def test_a_profile_keeps_its_windows_and_one_without_loads(folder: Path) -> None:
    found = stationary(folder)
    document = json.loads(found.to_text())
    again = profile_from_mapping(document)
    assert again.to_dict() == found.to_dict()
    scaled = scale.answer(found, Production(TIB, 20_000.0)).profile
    windows = profile_from_mapping(json.loads(scaled.to_text())).curve.windows
    assert windows is not None
    assert windows.to_dict() == document["windows"]
    steady = scaled.curve.steady()
    assert steady.cold is not None
    assert steady.cold.windows is not None
    del document["windows"]
    assert profile_from_mapping(document).curve.windows is None


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("pages", [3, 2], "must increase"),
        ("accesses", [], "whole numbers"),
        ("misses", [[1]], "for each window"),
        ("duration_s", -1, "not negative"),
        ("first_references", [1], "one of each window"),
    ],
)
def test_wrong_windows_are_refused(
    folder: Path, key: str, value: Any, said: str
) -> None:
    document = json.loads(stationary(folder).to_text())
    document["windows"][key] = value
    with pytest.raises(BadInput, match=rf"windows\.{key}.*{said}"):
        profile_from_mapping(document)


def test_the_profile_of_a_sample_is_read_whatever_its_windows_are_estimated_as(
    tmp_path: Path,
) -> None:
    # Pages that are loaded first: in some window the sample has more than its share of them.
    pages = np.arange(100_000)
    pages[50_000:] = pages[50_000:] * 7919 % 50_000
    made = sampled_profile(trace_of(tmp_path, pages), 0.1)
    assert made.curve.windows is not None
    windows = made.curve.windows
    assert (windows.first_references > windows.accesses).any()
    again = profile_from_mapping(json.loads(made.to_text())).curve.windows
    assert again is not None
    assert again.to_dict() == windows.to_dict()


def test_a_sample_has_windows_of_the_same_ups_and_downs(folder: Path) -> None:
    exact = stationary(folder).curve.windows
    made = sampled_profile(Trace(folder / "stationary-0" / "trace.csv"), 0.3).curve
    assert exact is not None
    assert made.windows is not None
    assert made.windows.accesses.tolist() == exact.accesses.tolist()
    assert int(made.windows.pages[0]) >= 16 / 0.3 / 2
    shared = np.isin(exact.pages, made.windows.pages[:-1])
    own = np.isin(made.windows.pages, exact.pages[shared])
    some, other = (
        exact.misses[:, shared].sum(axis=0),
        made.windows.misses[:, own].sum(axis=0),
    )
    assert np.allclose(other, some, rtol=0.25)


def test_a_sample_is_as_unsure_on_the_scale_of_production(folder: Path) -> None:
    sampled = sampled_profile(Trace(folder / "stationary-0" / "trace.csv"), 0.3)
    recorded, larger = sampled.curve.steady(), production(sampled)
    small, large = (
        _draws.ranges_of(curve, np.asarray([100.0])) for curve in (recorded, larger)
    )
    assert small.sample is not None
    assert large.sample is not None
    assert larger.scaled is not None
    for size in (2.0**20, 2.0**24):
        became = larger.scaled.recorded_size(size)
        assert np.interp(size, large.curve.pages, large.sample) == pytest.approx(
            np.interp(became, small.curve.pages, small.sample), rel=0.1
        )
    whole = production(stationary_again(folder))
    assert _draws.ranges_of(whole, np.asarray([100.0])).sample is None


def stationary_again(folder: Path) -> Profile:
    """Profile the recording of `stationary` once more, all of its pages."""
    return profile(Trace(folder / "stationary-0" / "trace.csv"))


# --- kernels ----------------------------------------------------------------------------


def slow_block_length(series: list[float]) -> int:
    """Politis and White with loops."""
    count = len(series)
    series = [each / max(map(abs, series)) for each in series]
    mean = sum(series) / count
    most = max(1, math.ceil(min(3 * math.sqrt(count), count / 3)))

    def covariance(lag: int) -> float:
        return (
            sum(
                (series[at] - mean) * (series[at + lag] - mean)
                for at in range(count - lag)
            )
            / count
        )

    variance = covariance(0)
    if variance <= 1e-24:
        return 1
    last = min(count - 1, math.ceil(math.sqrt(count)) + 5)
    bound = 2 * math.sqrt(math.log10(count) / count)
    lag = 0
    while lag < last and any(
        abs(covariance(each) / variance) >= bound
        for each in range(lag + 1, min(lag + 5, last) + 1)
    ):
        lag += 1
    width = min(2 * max(lag, 1), last)
    spread, power = 0.0, variance
    for each in range(1, width + 1):
        weight = min(1.0, 2 * (1 - each / width))
        spread += 2 * weight * each * covariance(each)
        power += 2 * weight * covariance(each)
    if power <= 0:
        return most
    length: float = (2 * spread**2 / (4 / 3 * power**2)) ** (1 / 3) * count ** (1 / 3)
    least = next(each for each in range(1, count + 1) if each**3 >= count)
    return min(most, max(least, math.ceil(length)))


@pytest.mark.oracle("evaluate.advice.resampling.block_length")
@pytest.mark.parametrize("dependence", [0.0, 0.5, 0.9])
def test_blocks_are_as_long_as_a_slow_rule_says(dependence: float) -> None:
    generator = np.random.default_rng(3)
    for _ in range(10):
        noise = generator.normal(size=80)
        series = np.zeros(80)
        for at in range(1, 80):
            series[at] = dependence * series[at - 1] + noise[at]
        assert block_length(series + 5) == slow_block_length((series + 5).tolist())


@pytest.mark.formula("evaluate.advice.resampling.block_length")
@given(
    st.lists(st.floats(0, 1e6), min_size=2, max_size=90),
    st.sampled_from([0.5, 2.0, 8.0]),
)
def test_a_block_knows_no_unit(series: list[float], factor: float) -> None:
    found = np.asarray(series)
    length = block_length(found)
    assert 1 <= length <= max(1, math.ceil(len(series) / 3))
    assert block_length(found * factor) == length


def test_dependent_windows_are_drawn_in_longer_blocks() -> None:
    generator = np.random.default_rng(4)
    free = np.mean([block_length(generator.normal(size=100)) for _ in range(40)])
    walks = np.mean(
        [block_length(np.cumsum(generator.normal(size=100))) for _ in range(40)]
    )
    assert walks > 1.5 * free
    assert block_length(np.tile([1.0, 2.0], 32)) >= 4


@pytest.mark.oracle(
    "evaluate.advice.resampling.moving_blocks", "evaluate.advice.resampling.ratios"
)
def test_draws_are_those_of_a_loop() -> None:
    counts = np.random.default_rng(0).integers(0, 9, size=(17, 3)).astype(np.float64)
    counts[:, 2] = 0
    drawn = moving_blocks(17, 5, 30, np.random.default_rng(9))
    again = np.random.default_rng(9).integers(0, 13, size=(30, 4, 1))
    for row, first in zip(drawn.tolist(), again[:, :, 0].tolist(), strict=True):
        joined = [start + at for start in first for at in range(5)]
        assert row == joined[:17]
    found = ratios(counts, drawn)
    for row, ratio in zip(drawn.tolist(), found.tolist(), strict=True):
        for size in range(3):
            whole = sum(counts[:, size])
            made = sum(counts[at, size] for at in row)
            assert ratio[size] == pytest.approx(1.0 if whole == 0 else made / whole)


@pytest.mark.formula(
    "evaluate.advice.resampling.moving_blocks", "evaluate.advice.resampling.ratios"
)
@given(st.integers(1, 60), st.data())
def test_draws_are_runs_of_windows_and_keep_their_order_by_size(
    windows: int, data: Any
) -> None:
    block = data.draw(st.integers(1, windows))
    drawn = moving_blocks(windows, block, 7, np.random.default_rng(0))
    assert drawn.shape == (7, windows)
    assert drawn.min() >= 0
    assert drawn.max() < windows
    steps = np.diff(drawn, axis=1)
    inside = np.arange(1, windows) % block != 0
    assert np.all(steps[:, inside] == 1)
    counts = np.sort(np.random.default_rng(1).random((windows, 4)), axis=1)[:, ::-1]
    sums = ratios(counts, drawn) * counts.sum(axis=0)
    assert np.all(np.diff(sums, axis=1) <= 1e-9)
    assert np.allclose(ratios(counts, np.arange(windows)[None, :]), 1.0)


@pytest.mark.oracle("evaluate.advice.resampling.shortest_interval")
@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    share=st.floats(0.01, 1.0),
)
def test_no_pair_of_values_is_closer_and_holds_as_many(
    values: list[float], share: float
) -> None:
    low, high = shortest_interval(np.asarray(values), share)
    enough = [
        (one, two)
        for one in values
        for two in values
        if sum(one <= each <= two for each in values) >= share * len(values) - 1e-9
    ]
    assert (low, high) in enough
    assert high - low == min(two - one for one, two in enough)


@given(
    values=st.lists(st.integers(-9, 9), min_size=3, max_size=40),
    holding=st.integers(-12, 12),
)
def test_an_interval_that_holds_a_value_holds_no_more_draws_for_it(
    values: list[int], holding: int
) -> None:
    drawn = np.asarray(values, dtype=np.float64)
    low, high = shortest_interval(drawn, 0.8, holding)
    assert low <= holding <= high
    ordered = sorted(values)
    held = math.ceil(0.8 * len(values) - 1e-9)
    runs = [
        (ordered[at], ordered[at + held - 1]) for at in range(len(values) - held + 1)
    ]
    if ordered[0] <= holding <= ordered[-1]:
        around = [two - one for one, two in runs if one <= holding <= two]
        assert high - low == min(around)
    else:
        assert (low, high) in (
            (holding, runs[0][1]),
            (runs[-1][0], holding),
        )


@pytest.mark.oracle("evaluate.advice.resampling.of_few_blocks")
@pytest.mark.parametrize("dependence", [0.0, 0.3])
def test_intervals_of_few_blocks_hold_the_mean_that_is_known(dependence: float) -> None:
    """Series whose mean is 1: 90 of 100 intervals of 90 % hold it, where those of bare blocks hold fewer."""
    generator = np.random.default_rng(2)
    bare, spread, trials = 0, 0, 500
    for _ in range(trials):
        noise = generator.normal(size=60, scale=0.1)
        series = noise.copy()
        for at in range(1, 60):
            series[at] = dependence * series[at - 1] + noise[at]
        series = 1 + series
        block = block_length(series)
        ratio = ratios(series[:, None], moving_blocks(60, block, 400, generator))
        wide = of_few_blocks(ratio, 60, block, generator)
        for at, each in enumerate((ratio, wide)):
            low, high = np.quantile(each * series.mean(), (0.05, 0.95))
            held = low <= 1 <= high
            bare, spread = (bare + held, spread) if at == 0 else (bare, spread + held)
    assert bare / trials < 0.87
    assert 0.85 <= spread / trials <= 0.93


@pytest.mark.formula("evaluate.advice.resampling.of_few_blocks")
@given(
    st.integers(30, 128),
    st.integers(1, 10),
    st.lists(st.floats(0, 3), min_size=1, max_size=9),
)
def test_what_few_blocks_spread_keeps_its_side_and_its_order(
    windows: int, block: int, drawn: list[float]
) -> None:
    ratio = np.sort(np.asarray(drawn))[None, :]
    found = of_few_blocks(ratio, windows, block, np.random.default_rng(0))
    assert np.all(found >= 0)
    assert np.all(np.diff(found, axis=1) >= 0)
    assert np.all((found - 1) * (ratio - 1) >= 0)
    assert (
        of_few_blocks(
            np.ones((4, 2)), windows, block, np.random.default_rng(0)
        ).tolist()
        == [[1.0, 1.0]] * 4
    )


@pytest.mark.formula("evaluate.advice.resampling.share_of_few")
@pytest.mark.oracle("evaluate.advice.resampling.share_of_few")
@given(st.integers(2, 200), st.floats(0.5, 0.95), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_an_interval_of_few_draws_holds_its_share_of_what_they_are_drawn_from(
    draws: int, least: float, seed: int
) -> None:
    share = share_of_few(least, draws)
    held = math.ceil(share * draws - 1e-9)
    if share == 1.0:
        assert (draws - 1) / (draws + 1) <= least + 1e-9
        return
    # One end after the other, so that no interval is chosen for being short.
    drawn = np.sort(np.random.default_rng(seed).random((20_000, draws)), axis=1)
    assert np.mean(drawn[:, held - 1] - drawn[:, 0]) > least - 0.01
    assert np.mean(drawn[:, -1] - drawn[:, draws - held + 1]) < least + 0.01


@pytest.mark.formula("evaluate.advice.resampling.shortest_interval")
@given(st.lists(st.integers(0, 50), min_size=2, max_size=60))
def test_an_interval_follows_its_unit_and_reaches_the_bound_at_which_values_pile_up(
    values: list[int],
) -> None:
    drawn = np.asarray(values, dtype=np.float64)
    low, high = shortest_interval(drawn, 0.9)
    assert shortest_interval(drawn * 4 + 3, 0.9) == (low * 4 + 3, high * 4 + 3)
    piled = np.concatenate((np.zeros(9 * len(values)), drawn + 1))
    assert shortest_interval(piled, 0.9) == (0.0, 0.0)


@pytest.mark.oracle("evaluate.advice.resampling.drift")
def test_a_trend_is_that_of_a_fitted_line() -> None:
    generator = np.random.default_rng(5)
    series = 10 + 0.05 * np.arange(60) + generator.normal(size=60)
    found = drift(series, 400, np.random.default_rng(0))
    slope = float(np.polyfit(np.arange(60), series, 1)[0])
    assert found.change == pytest.approx(slope * 59 / series.mean())
    assert found.is_drift


@pytest.mark.formula("evaluate.advice.resampling.drift")
@given(
    st.lists(st.floats(0.1, 10), min_size=3, max_size=60), st.sampled_from([0.5, 4.0])
)
@settings(deadline=None)
def test_a_trend_knows_no_unit_and_turns_with_time(
    series: list[float], factor: float
) -> None:
    found = np.asarray(series)
    forth = drift(found, 60, np.random.default_rng(0))
    assert 0 <= forth.by_chance <= 1
    same = drift(found * factor, 60, np.random.default_rng(0))
    assert same.change == pytest.approx(forth.change, abs=1e-9)
    back = drift(found[::-1], 60, np.random.default_rng(0))
    assert back.change == pytest.approx(-forth.change, abs=1e-9)


def test_chance_is_rarely_called_a_drift() -> None:
    generator = np.random.default_rng(6)
    called = [
        drift(10 + 3 * generator.normal(size=50), 200, generator).is_drift
        for _ in range(200)
    ]
    assert np.mean(called) < 0.05
    trend = drift(10 + 0.2 * np.arange(50), 200, generator)
    assert trend.is_drift
    assert trend.is_drift_of(20)
    doubtful = replace(trend, by_chance=0.004)
    assert doubtful.is_drift
    assert not doubtful.is_drift_of(10)


@pytest.mark.oracle("evaluate.advice.tiers.least_devices")
@pytest.mark.formula("evaluate.advice.tiers.least_devices")
@given(
    st.integers(1, 5),
    st.floats(0.01, 20),
    st.floats(0.1, 50),
    st.floats(0.1, 1),
    st.floats(0, 5),
)
def test_no_fewer_devices_would_do(
    space: int, busy: float, life: float, most_busy: float, least_life: float
) -> None:
    [found] = least_devices(
        np.asarray([space]),
        np.asarray([busy]),
        np.asarray([life]),
        most_busy=most_busy,
        steady_life_years=least_life,
    ).tolist()

    def does(count: int, slack: float) -> bool:
        return (
            count >= space
            and busy / count <= most_busy * (1 + slack)
            and life * count >= least_life * (1 - slack)
        )

    assert does(found, 1e-6)
    assert found == 1 or not does(found - 1, -1e-6)


@pytest.mark.parametrize(
    ("busy", "most_busy", "expected"),
    [(0.0, 0.7, 2), (0.6, 0.7, 2), (0.8, 0.7, 3), (1.4, 0.7, 3)],
)
def test_a_spare_leaves_a_device_also_where_there_is_no_load(
    busy: float, most_busy: float, expected: int
) -> None:
    """RAM that holds all of the data reads nothing: its one device may fail like any other."""
    [found] = least_devices(
        np.asarray([1]),
        np.asarray([busy]),
        np.asarray([math.inf]),
        most_busy=most_busy,
        steady_life_years=0.0,
        spare=1,
    ).tolist()
    assert found == expected


def buys_of(seed: int, draws: int = 96, options: int = 5) -> Buys:
    generator = np.random.default_rng(seed)
    return Buys(
        generator.random(options) * 100 + 1,
        generator.integers(0, 2, options) * generator.random(options) * 10,
        generator.integers(1, 6, options),
        generator.integers(1, 9, (draws, options)),
        generator.random((draws, options)) < 0.8,
        generator.integers(0, 3, options),
    )


def slow_cost(buys: Buys, draw: int, option: int, bought: int) -> float:
    """Cost of an option in a draw, its repair included."""

    def needed(each: int) -> float:
        if not buys.keeps[draw, each]:
            return math.inf
        return float(buys.fixed[each] + buys.unit[each] * buys.needed[draw, each])

    own = float(
        buys.fixed[option] + buys.unit[option] * max(buys.needed[draw, option], bought)
    )
    if buys.keeps[draw, option]:
        return own
    every = range(len(buys.fixed))
    of_kind = min(
        needed(each) for each in every if buys.kinds[each] == buys.kinds[option]
    )
    return max(own, of_kind if of_kind < math.inf else min(map(needed, every)))


def middle_of(buys: Buys, draws: list[int]) -> list[int]:
    return [
        sorted(int(buys.needed[at, k]) for at in draws)[len(draws) // 2]
        for k in range(5)
    ]


def permitted(known: Buys, at: int, offer: list[int], option: int) -> bool:
    return bool(known.keeps[at, option] and known.needed[at, option] <= offer[option])


def slow_costs(
    buys: Buys, choice: tuple[list[int], int], draws: list[int]
) -> np.ndarray[Any, Any]:
    offer, option = choice
    return np.asarray([slow_cost(buys, at, option, offer[option]) for at in draws])


def slow_lines(
    gain: np.ndarray[Any, Any],
    of_part: np.ndarray[Any, Any],
    beside: np.ndarray[Any, Any],
) -> tuple[float, float, np.ndarray[Any, Any]]:
    """Mean and standard error in a part of what eight joined lines through all draws say, by least squares, and other slopes."""
    count = len(gain)
    lines = max(1, min(8, count // 8))
    at = (np.arange(count) + 0.5) / count
    knots = np.linspace(0, 1, lines + 1)
    hats = np.stack([np.interp(at, knots, row) for row in np.eye(lines + 1)], axis=1)
    both = np.hstack((hats, beside))
    slopes, *_ = np.linalg.lstsq(both, gain, rcond=None)
    scatter = float(np.sum((gain - both @ slopes) ** 2)) / (count - both.shape[1])
    where = np.zeros(both.shape[1])
    where[: lines + 1] = hats[of_part].mean(axis=0)
    error = math.sqrt(scatter * float(where @ np.linalg.pinv(both.T @ both) @ where))
    return float(where @ slopes), error, slopes[lines + 1 :]


def slow_choice(
    buys: Buys,
    best: tuple[list[int], int],
    offers: list[list[int]],
    known: tuple[Buys, int],
    halves: list[list[int]],
    part: int,
    beside: dict[int, list[float]],
) -> tuple[tuple[list[int], int], np.ndarray[Any, Any]]:
    """What the draws of a half choose in a part, the best of all where nothing is clearly cheaper, and how others add to it."""
    columns = len(next(iter(beside.values())))
    found = [(0.0, best, np.zeros(columns))]
    draws = [at for each in halves for at in each]
    begin = sum(len(each) for each in halves[:part])
    here = np.arange(begin, begin + len(halves[part]))
    others = np.asarray([beside[at] for at in draws]).reshape(len(draws), columns)

    def gain_of(offer: list[int], k: int) -> np.ndarray[Any, Any]:
        return slow_costs(buys, best, draws) - slow_costs(buys, (offer, k), draws)

    for number, offer in enumerate((*offers, middle_of(buys, halves[part]))):
        for k in range(5):
            if number < len(offers):
                mean, error, slopes = slow_lines(gain_of(offer, k), here, others)
            else:
                _, _, slopes = slow_lines(gain_of(offers[0], k), here, others)
                own = (gain_of(offer, k) - others @ slopes)[here]
                mean, error = float(own.mean()), own.std() / math.sqrt(len(own))
            if mean > 3 * error and permitted(*known, offer, k):
                found.append((mean, (offer, k), slopes))
    _, choice, slopes = max(found, key=lambda one: one[0])
    return choice, slopes


def slow_worth(
    buys: Buys,
    value: np.ndarray[Any, Any],
    stated: Buys,
    along: Buys | None,
    others: np.ndarray[Any, Any] | None,
) -> float:
    draws = [at for at in range(len(buys.keeps)) if buys.keeps[at].any()]
    beside: dict[int, list[float]] = {at: [] for at in draws}
    for column in [] if others is None else others.T:
        away = column - np.mean(column[draws])
        for at in draws:
            beside[at].append(float(away[at]))
    for column in [] if others is None else others.T:
        square = (column - np.mean(column[draws])) ** 2
        for at in draws:
            beside[at].append(float(square[at] - np.mean(square[draws])))
    offers = [[int(each) for each in buys.bought], middle_of(buys, draws)]
    every = [(offer, k) for offer in offers for k in range(5)]
    # Where nothing may be recommended, the first one stands for what would be.
    may = [one for one in every if permitted(stated, 0, *one)] or every[:1]
    best = min(may, key=lambda one: float(np.mean(slow_costs(buys, one, draws))))
    total = 0.0
    ordered = np.asarray(sorted(draws, key=lambda at: float(value[at])))
    parts = np.array_split(ordered, 16)
    for first in (0, 1):
        halves = [part[first::2].tolist() for part in parts]
        for number, part in enumerate(parts):
            known = (stated, 0)
            if along is not None:
                known = (along, round(8 * float(np.median(value[part]))))
            pays = part[1 - first :: 2].tolist()
            choice, slopes = slow_choice(
                buys, best, offers, known, halves, number, beside
            )
            own = slow_costs(buys, best, pays)
            total += float(np.sum(own - slow_costs(buys, choice, pays)))
            for at in pays:
                total -= float(np.dot(beside[at], slopes))
    least = float(np.mean(slow_costs(buys, best, draws))) - float(
        np.mean(
            [
                min(
                    buys.fixed[k] + buys.unit[k] * buys.needed[at, k]
                    for k in range(5)
                    if buys.keeps[at, k]
                )
                for at in draws
            ]
        )
    )
    return min(max(0.0, total / len(draws)), least)


@pytest.mark.parametrize("seed", range(8))
def test_what_knowing_a_price_is_worth_is_found_in_the_draws(seed: int) -> None:
    """Two prices over wide ranges and a choice that flips near one end: near the integral, whatever the seed."""
    generator = np.random.default_rng(seed)
    place, other = (generator.permutation(512) + 0.5, generator.permutation(512) + 0.5)
    flash, ram = (0.4 * 6.25 ** (each / 512) for each in (place, other))
    cost = np.stack(
        (2.86 * ram + 73.77 * flash, 116.88 * ram + 26.67 * flash**0), axis=1
    )
    ones = np.ones((512, 2), dtype=np.int64)
    buys = Buys(cost, np.zeros_like(cost), ones[0], ones, ones == 1, np.arange(2))
    fine = np.linspace(0, 1, 200_001)
    flash = 0.4 * 6.25**fine
    mean_ram = float(np.mean(0.4 * 6.25**fine))
    difference = 2.86 * mean_ram + 73.77 * flash - (116.88 * mean_ram + 26.67)
    truth = float(np.mean(np.maximum(difference, 0)))
    assert truth > 0.5
    stated = buys.rows(np.arange(512) == 0)
    found = worth_of(buys, place / 512, stated, others=other[:, None] / 512)
    assert found == pytest.approx(truth, rel=0.35)


@pytest.mark.oracle(
    "evaluate.advice.information.regret", "evaluate.advice.information.worth_of"
)
@pytest.mark.parametrize("seed", range(6))
def test_regret_and_worth_are_those_of_loops(seed: int) -> None:
    buys = buys_of(seed)
    draws = [at for at in range(len(buys.keeps)) if buys.keeps[at].any()]
    least = {
        at: min(
            buys.fixed[k] + buys.unit[k] * buys.needed[at, k]
            for k in range(5)
            if buys.keeps[at, k]
        )
        for at in draws
    }
    chosen = seed % 5
    own = {at: slow_cost(buys, at, chosen, int(buys.bought[chosen])) for at in draws}
    found = regret(buys, chosen)
    assert found.expected == pytest.approx(
        np.mean([own[at] - least[at] for at in draws])
    )
    # What gives way to another kind is not the best, however cheap that is.
    of_kind = [k for k in range(5) if buys.kinds[k] == buys.kinds[chosen]]
    near = [
        own[at] <= least[at] * (1 + NEAR) and any(buys.keeps[at, k] for k in of_kind)
        for at in draws
    ]
    assert found.probability == pytest.approx(np.mean(near))
    # Of all draws, also of those in which none keeps every limit.
    every = range(len(buys.keeps))
    assert found.none_keeps == pytest.approx(1 - len(draws) / len(every))
    assert found.breaks == pytest.approx(
        np.mean(
            [
                not buys.keeps[at, chosen]
                or bool(buys.needed[at, chosen] > buys.bought[chosen])
                for at in every
            ]
        )
    )

    # Of these, those that no size of its hardware repairs.
    assert found.replaced == pytest.approx(
        np.mean([at in draws and not buys.keeps[at, of_kind].any() for at in every])
    )

    value = np.random.default_rng(seed).random(len(buys.keeps))
    stated, along = buys_of(seed + 100, draws=1), buys_of(seed + 200, draws=9)
    others = np.random.default_rng(seed + 1).random((len(buys.keeps), 2))
    for known, beside in ((None, None), (along, others)):
        assert worth_of(buys, value, stated, known, beside) == pytest.approx(
            slow_worth(buys, value, stated, known, beside)
        )


def test_what_has_to_be_replaced_is_not_the_best_however_cheap_that_is() -> None:
    """Two kinds of one price, the first of which breaks a limit in half of the draws: it is exchanged for nothing."""
    fine = np.arange(64) < 32
    buys = Buys(
        np.full(3, 100.0),
        np.zeros(3),
        np.ones(3, dtype=np.int64),
        np.ones((64, 3), dtype=np.int64),
        np.stack((fine, np.ones(64, dtype=np.bool_), fine), axis=1),
        np.asarray([0, 1, 0]),
    )
    found = regret(buys, 0)
    assert (found.probability, found.expected, found.breaks) == (0.5, 0.0, 0.5)
    assert regret(buys, 1).probability == 1.0
    # A larger one of its own kind that costs as much is no replacement.
    larger = replace(buys, keeps=buys.keeps | np.asarray([False, False, True]))
    assert regret(larger, 0).probability == 1.0


def test_what_breaks_a_limit_is_no_choice_however_cheap_its_repair() -> None:
    """A cheap option that breaks a limit in most draws; an input says in which it does not."""
    place = (np.arange(512) + 0.5) / 512
    dear, cheap = np.full(512, 100.0), np.full(512, 40.0)
    fine = place < 0.25
    buys = Buys(
        np.stack((dear, cheap), axis=1),
        np.zeros(2),
        np.ones(2, dtype=np.int64),
        np.ones((512, 2), dtype=np.int64),
        np.stack((np.ones(512, dtype=np.bool_), fine), axis=1),
        np.asarray([0, 1]),
    )
    every = np.linspace(0, 1, 33)
    stated = buys.rows(np.arange(512) == 256)
    along = replace(
        buys.rows(np.arange(512) < 33),
        keeps=np.stack((every >= 0, every < 0.25), axis=1),
    )
    # Knowing it saves 60 in a quarter of the draws.
    assert worth_of(buys, place, stated, along) == pytest.approx(15.0)
    assert regret(buys, 0).expected == pytest.approx(15.0)
    # Of another input it is not known when the cheap one will do.
    other = np.random.default_rng(1).permutation(place)
    assert (
        worth_of(
            buys, other, stated, replace(along, keeps=along.keeps[-1:].repeat(33, 0))
        )
        == 0.0
    )


@pytest.mark.formula(
    "evaluate.advice.information.regret", "evaluate.advice.information.worth_of"
)
@given(st.integers(0, 2**31), st.sampled_from([0.5, 2.0, 16.0]))
@settings(deadline=None)
def test_worth_lies_between_nothing_and_the_regret_and_scales_with_money(
    seed: int, factor: float
) -> None:
    buys = buys_of(seed, draws=64)
    value = np.random.default_rng(seed).random(64)
    more = replace(buys, fixed=buys.fixed * factor, unit=buys.unit * factor)
    stated, along = buys_of(seed + 1, draws=1), buys_of(seed + 2, draws=9)
    permits = stated.keeps[0] & (stated.needed[0] <= buys.bought)
    assume(permits.any())
    worth = worth_of(buys, value, stated, along)
    for chosen in range(5):
        found = regret(buys, chosen)
        assert 0 <= found.probability <= 1
        assert 0 <= found.breaks <= 1
        # Of what may be recommended.
        assert worth >= 0
        assert not permits[chosen] or worth <= found.expected + 1e-9
        scaled = regret(more, chosen)
        assert scaled.expected == pytest.approx(factor * found.expected)
        assert scaled.probability == found.probability
    assert worth_of(more, value, stated, along) == pytest.approx(factor * worth)


def test_one_option_is_always_the_best() -> None:
    only = Buys(
        np.asarray([7.0]),
        np.asarray([0.0]),
        np.asarray([1]),
        np.ones((64, 1), dtype=np.int64),
        np.ones((64, 1), dtype=np.bool_),
        np.asarray([0]),
    )
    found = regret(only, 0)
    assert (found.probability, found.expected, found.breaks) == (1.0, 0.0, 0.0)
    stated = only.rows(np.arange(64) == 0)
    assert worth_of(only, np.arange(64.0), stated) == 0.0


@pytest.mark.oracle("evaluate.page_flow.engine.with_hits_off")
@pytest.mark.formula("evaluate.page_flow.engine.with_hits_off")
@given(
    st.sampled_from(["lazy", "inclusive"]),
    st.floats(-1, 1),
    st.integers(1, 40),
    st.integers(1, 80),
)
def test_hits_are_off_by_a_share_of_their_known_error(
    scheme: str, share: float, ram: int, flash: int
) -> None:
    sizes = np.arange(1, 101)
    curve = Curve.from_full(
        1000.0 - 9 * sizes,
        100.0 - sizes,
        accesses=1000,
        page_bytes=4096,
        write_accesses=100,
    )
    r, f = np.asarray([float(ram)]), np.asarray([float(flash)])
    flow = flows(curve, r, f, schemes=(scheme,))[scheme]
    made = with_hits_off(curve, scheme, flow, r, f, share).counts
    missed = float(flow.counts.ram_misses[0])
    shift = share * float(error_band(scheme, r, f)[0]) * missed
    hits = min(max(float(flow.counts.flash_hits[0]) + shift, 0.0), missed)
    assert float(made.flash_hits[0]) == pytest.approx(hits)
    assert float(made.flash_hits[0] + made.flash_misses[0]) == pytest.approx(missed)
    exact = flows(curve, r, f, schemes=("none",))["none"]
    same = with_hits_off(curve, "none", exact, r, f, share).counts
    assert float(same.flash_misses[0]) == pytest.approx(
        float(exact.counts.flash_misses[0])
    )


@pytest.mark.parametrize("share", [-1.0, -0.3, 1.0])
@pytest.mark.parametrize("scheme", ["lazy", "inclusive"])
def test_flash_that_holds_all_data_has_no_error_of_its_hits(
    scheme: str, share: float
) -> None:
    """Whatever leaves RAM is on it; of one page less nobody knows so much."""
    curve = Curve.from_lists(
        [10, 50, 90],
        [900, 500, 200],
        [90, 50, 20],
        accesses=1000,
        distinct_pages=100,
        page_bytes=4096,
        write_accesses=100,
        given=Given("table", data_known=True),
    )
    r, f = np.asarray([20.0, 20.0]), np.asarray([100.0, 99.0])
    flow = flows(curve, r, f, schemes=(scheme,))[scheme]
    made = with_hits_off(curve, scheme, flow, r, f, share).counts
    assert curve.holds_all(f).tolist() == [True, False]
    assert float(made.flash_hits[0]) == float(flow.counts.flash_hits[0])
    assert float(made.flash_hits[1]) != float(flow.counts.flash_hits[1])


@pytest.mark.parametrize("scheme", ["none", "inclusive", "lazy", "exclusive"])
@given(
    st.integers(1, 99),
    st.integers(0, 130),
)
def test_the_error_in_the_steady_state_is_that_of_the_sizes_whose_misses_count(
    scheme: str, ram: int, flash: int
) -> None:
    """Where nothing misses both tiers, misses at no other size than that of RAM move a read or a write."""
    flash = 0 if scheme == "none" else flash
    sizes = np.arange(1, 100)
    misses = 1000.0 - 9 * sizes

    def of(misses_at: np.ndarray[Any, Any]) -> Curve:
        return Curve.from_lists(
            sizes.tolist(),
            misses_at.tolist(),
            (misses_at / 4).tolist(),
            accesses=1000,
            distinct_pages=100,
            page_bytes=4096,
            write_accesses=1000,
            given=Given("table", data_known=True),
        )

    curve = of(misses)
    # From RAM on, short of all of the data, as many misses as RAM has.
    other = of(np.where(sizes >= ram, misses[ram - 1], misses))
    r, f = np.asarray([float(ram)]), np.asarray([float(flash)])
    one, two = (
        operations(each, r, f, (scheme,))[scheme].per_access for each in (curve, other)
    )
    moved = any(
        float(one[done][0]) != pytest.approx(float(two[done][0])) for done in one
    )
    [pages] = pages_that_tell(scheme, r, f, curve).tolist()
    together = max(ram, flash) if scheme == "inclusive" else ram + flash
    whole = flash >= 100 or (scheme == "exclusive" and ram + flash >= 100)
    assert pages == (ram if whole else together)
    if whole:
        assert not moved
    elif scheme != "lazy" and ram < together < 100:
        assert moved


def test_what_takes_as_long_by_the_model_takes_as_long_whatever_its_error(
    folder: Path,
) -> None:
    """A drive that holds the data reads as often as the same as a cache of all of them before disks."""
    asked = asked_of(
        production(stationary(folder)),
        (None, None),
        DEVICES,
        None,
        {},
        "io_time",
        book(),
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    options = table.options
    some = Contenders(asked, table, np.arange(len(options)))
    curve = asked.setting.curve
    middle = some.on(curve, State()).io_us
    # Rounded, so that the order of a sum does not part them; whatever takes no time has no error.
    keys = [
        f"{ram:.0f} {us:.9e}" for ram, us in zip(options.ram_pages, middle, strict=True)
    ]
    groups: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        if middle[at] > 0:
            groups.setdefault(key, []).append(at)
    alike = [
        rows
        for rows in groups.values()
        if {True, False} == set((options.flash_pages[rows] > 0).tolist())
    ]
    assert len(alike) > 5
    for share in (-1.0, 0.4, 1.0):
        found = some.on(curve, State(steady=share)).io_us
        for rows in alike:
            assert found[rows] == pytest.approx(found[rows[0]])
        assert np.any(found != middle)


# --- the answer -------------------------------------------------------------------------


def test_an_answer_says_how_sure_it_is(folder: Path) -> None:
    found = ask(production(stationary(folder)))
    sure = found.confidence
    assert sure.probability_best is not None, sure.reason
    assert 0 <= sure.probability_best <= 1
    most = sure.expected_regret_usd_per_month
    assert most is not None
    assert most >= 0
    worth = [each.usd_per_month for each in sure.value_of_information]
    assert worth == sorted(worth, reverse=True)
    assert all(0 <= each <= most for each in worth)
    assert sure.windows is not None
    assert sure.windows >= FEWEST_WINDOWS
    assert sure.text in found.finding
    assert "in " in sure.text
    assert len(sure.tornado) <= 8
    bars = " ".join(each.about for each in sure.tornado)
    for each in sure.value_of_information:
        if each.usd_per_month and len(sure.tornado) < 8:
            assert each.about in bars  # what is worth measuring changes what is bought
    # What was drawn and has no bar is counted; that a bar speaks of all that is not known is not said.
    listed = sure.reason.split(" draws of ")[1].split(";")[0]
    times = re.search(r"(\d+) busy times", listed)
    inputs = len(re.split(", | and ", listed)) - 1
    inputs += 0 if times is None else int(times[1]) - 1
    assert f"{inputs} inputs were drawn, and" in sure.about_bars
    own = [each for each in sure.tornado if each.flip or each.changes or each.low]
    assert f"and {len(own) or 'none'} of them ha" in sure.about_bars
    assert "as long as this one" in sure.reason
    assert "60,000 accesses" in sure.reason
    document = found.to_dict()["confidence"]
    assert document["probability_best"] == sure.probability_best
    best = found.recommendation
    assert best is not None
    between = {each.figure: (each.low, each.high) for each in sure.intervals}
    assert {
        "ram_hit_share",
        "disk_share",
        "io_time_us_per_access",
        "peak_busy",
        "throughput_accesses_per_s",
        "restart_s",
    } <= {*between}
    # No source states the latencies of this device.
    assert best.response_p99_us is None
    assert not any(name.startswith("response") for name in between)
    for name, (low, high) in between.items():
        assert low <= getattr(best, name) <= high, name
    low, high = between["disk_share"]
    assert low < high  # the law is not known exactly


@pytest.mark.parametrize("replicas", [1, 3])
def test_figures_as_bought_are_those_of_the_option(folder: Path, replicas: int) -> None:
    """A write goes to every copy, so with copies more is served than is accessed."""
    curve = production(stationary(folder), machines=replicas, replicas=replicas)
    best = ask(curve).recommendation
    assert best is not None
    asked = asked_of(
        curve, (None, None), DEVICES, None, {}, "usd", book(), 36, (None, None), 0
    )
    table = Table.of(asked.setting)
    row = next(
        at
        for at in range(len(table.options))
        if table.option(at, with_bill=False).name == best.name
        and table.scheme(at) == best.scheme
    )
    contenders = Contenders(asked, table, np.asarray([row]))
    same = table.setting.curve, State()
    figures = contenders.as_bought(contenders.on(*same), 0, *same)
    for name, value in figures.items():
        stated = getattr(best, name)
        if stated is None:
            assert not math.isfinite(value), name
        else:
            assert value == pytest.approx(stated, rel=1e-12), name


def growing(folder: Path, growth: float = 0.3) -> Curve:
    return production(stationary(folder), growth_per_year=growth)


def contender_of(curve: Curve, found: Advice) -> tuple[Contenders, Table, int]:
    """Return the recommendation alone, with the table that it stands in and its row."""
    asked = asked_of(
        curve, (None, None), DEVICES, None, {}, "usd", book(), 36, (None, None), 0
    )
    table = Table.of(asked.setting)
    best = found.recommendation
    assert best is not None
    [row] = [
        at
        for at in range(len(table.options))
        if (table.title(at), table.scheme(at)) == (best.name, best.scheme)
    ]
    return Contenders(asked, table, np.asarray([row])), table, row


def test_when_it_is_too_small_has_an_interval_where_data_grow(folder: Path) -> None:
    found = ask(growing(folder))
    best = found.recommendation
    assert best is not None
    assert best.months_until_too_small is not None
    between = {each.figure: each for each in found.confidence.intervals}
    months = between["months_until_too_small"]
    assert months.low <= best.months_until_too_small <= months.high
    # The law is not known exactly, so neither is the load of the device.
    assert months.low < months.high
    shown = report.html(found.to_dict(derivation=True))
    words, write = FIGURES["months_until_too_small"]
    assert words in shown
    assert f"{write(months.low)}" in shown
    # Without growth it is never too small, and no interval says otherwise.
    steady = ask(production(stationary_again(folder))).confidence
    assert steady.probability_best is not None
    assert "months_until_too_small" not in {each.figure for each in steady.intervals}


@given(st.floats(0, 1), st.floats(0.5, 3.0), st.floats(0.05, 1.0))
@settings(max_examples=10, deadline=None)
def test_months_of_a_draw_are_those_of_its_curve_and_times(
    folder: Path, place: float, longer: float, growth: float
) -> None:
    """With another curve as the option stands on it later; all times longer are as a limit that is as much lower."""
    curve = growing(folder, growth)
    contenders, table, row = contender_of(curve, ask(curve, how_sure=False))
    ranges = _draws.ranges_of(curve, contenders.read_sizes)
    drawn = _draws.curve_at(ranges, {Input(_draws.LAW): place})
    held, setting = table.held(np.asarray([row])), table.setting
    peak = setting.served.peak
    assert peak is not None

    def months(limit: float) -> float:
        [found] = months_until(
            lambda times: held.peak_busy(stretched_curve(drawn, times), peak * times),
            limit,
            growth,
        )
        first = min(float(found), table.space_months(row))
        return first if first <= 360 else math.inf

    slow = {(name, of): longer for name in SHELF for of in OPERATIONS}
    [as_is] = contenders.months_until_too_small(drawn, State())
    [slower] = contenders.months_until_too_small(drawn, State(times=slow))
    assert as_is == pytest.approx(months(setting.most_busy), rel=1e-9)
    assert slower == pytest.approx(months(setting.most_busy / longer), rel=1e-9)
    # As the option states it, on the curve of the answer.
    [stated] = contenders.months_until_too_small(curve, State())
    months_ = table.option(row).months_until_too_small
    assert stated == (math.inf if months_ is None else months_)


def test_a_figure_that_is_not_known_has_no_interval(folder: Path) -> None:
    found = ask(stationary(folder).curve.steady()).confidence
    assert found.probability_best is not None, found.reason
    named = {each.figure for each in found.intervals}
    assert "io_time_us_per_access" in named
    assert not named & {"peak_busy", "flash_life_years"}


def test_the_same_question_has_the_same_answer_and_another_seed_another_draw(
    folder: Path,
) -> None:
    curve = production(stationary(folder))
    first, again = (ask(curve).to_dict()["confidence"] for _ in range(2))
    assert first == again
    other = ask(curve, seed=5).to_dict()
    assert other["versions"]["seed"] == "5"
    assert other["confidence"]["probability_best"] is not None


def test_twice_the_prices_are_twice_the_regret(folder: Path) -> None:
    curve = production(stationary(folder))
    once, twice = (
        ask(curve, prices=book(Decimal(times))).confidence for times in (1, 2)
    )
    assert once.expected_regret_usd_per_month is not None
    assert twice.expected_regret_usd_per_month is not None
    assert float(twice.expected_regret_usd_per_month) == pytest.approx(
        2 * float(once.expected_regret_usd_per_month), abs=0.03
    )
    assert twice.probability_best == pytest.approx(once.probability_best, abs=0.02)


def test_a_choice_of_speed_has_no_regret_in_money(folder: Path) -> None:
    found = ask(production(stationary(folder)), objective="io_time").confidence
    assert found.probability_best is not None
    assert found.expected_regret_usd_per_month is None
    # What is not said is not nothing.
    assert found.value_of_information is None
    quick = ask(production(stationary(folder)), objective="io_time", how_sure=False)
    assert quick.confidence.value_of_information is None
    assert quick.to_dict()["confidence"]["value_of_information"] is None
    assert "where money is the objective" in found.reason


def test_without_windows_there_is_no_probability(folder: Path) -> None:
    bare = replace(
        stationary(folder), curve=stationary(folder).curve.with_windows(None)
    )
    found = ask(production(bare)).confidence
    assert found.probability_best is None
    assert found.expected_regret_usd_per_month is None
    assert "windows" in found.reason
    assert found.tornado
    lists = [100, 1000], [5000.0, 1000.0], [500.0, 100.0]
    given_curve = Curve.from_lists(
        *lists,
        accesses=10_000,
        distinct_pages=2_000,
        page_bytes=4096,
        write_accesses=1_000,
        given=Given("a test", data_known=True, dirty_share=0.1),
    )
    found = ask(given_curve, accesses_per_s=100.0).confidence
    assert found.probability_best is None
    assert "without its recording" in found.reason


TRIED = 20_000
"""Accesses of the shortest recordings whose probabilities were held against the truth."""


@pytest.mark.parametrize("accesses", [2, 60, 1_800, 9_000, 15_103, 15_104, 19_999])
def test_a_probability_comes_with_what_is_said_to_be_missing(
    tmp_path: Path, accesses: int
) -> None:
    """Windows of 256 accesses, at most half of them warm-up and 30 after it: 59 windows; and as many accesses as were tried."""
    few = profile(trace_of(tmp_path, pages_of(2, accesses=accesses)))
    found = ask(production(few)).confidence
    assert found.probability_best is None
    assert found.more_accesses == TRIED - accesses
    if accesses < 59 * 256:
        assert f"fill {accesses // 256} window" in found.reason
    else:
        assert "tried on recordings of 20,000 and more" in found.reason
    noun = "access" if found.more_accesses == 1 else "accesses"
    assert f"record {found.more_accesses:,} {noun} more" in found.reason
    assert "at least" not in found.reason
    longer = accesses + found.more_accesses
    enough = ask(
        production(profile(trace_of(tmp_path, pages_of(2, accesses=longer))))
    ).confidence
    assert enough.probability_best is not None
    assert enough.windows is not None
    assert enough.windows >= FEWEST_WINDOWS


def test_what_is_missing_does_not_depend_on_the_question(tmp_path: Path) -> None:
    """Contenders of another limit fill other caches, so their warm-up ends elsewhere in the same recording."""
    curve = production(profile(trace_of(tmp_path, pages_of(2, accesses=9_000))))
    asked = [
        ask(curve, constraints=limits).confidence
        for limits in (
            {},
            {"response_mean_us": 300_000},
            {"peak_busy": 0.3},
        )
    ]
    assert [each.more_accesses for each in asked] == [TRIED - 9_000] * 3


def test_windows_of_another_length_ask_for_as_many(folder: Path) -> None:
    """A file with 58 windows of 1,000 accesses lacks one; with 59 it lacks none, and a last one that is cut short counts."""

    def windows(accesses: list[int]) -> Windows:
        count = len(accesses)
        return Windows(
            np.asarray([10]),
            np.asarray(accesses),
            np.zeros(count, dtype=np.int64),
            np.zeros((count, 1), dtype=np.int64),
            np.zeros((count, 1), dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )

    lacks = _draws.shortage(windows([1_000] * 58))
    assert lacks is not None
    assert (lacks.whole, lacks.missing) == (58, 1_000)
    lacks = _draws.shortage(windows([1_000] * 58 + [400]))
    assert lacks is not None
    assert (lacks.whole, lacks.missing) == (58, 600)
    assert _draws.shortage(windows([1_000] * 59)) is None
    one = _draws.shortage(windows([2]))
    assert one is not None
    assert (one.whole, one.missing) == (0, 59 * 256 - 2)


def test_only_one_input_comes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several that are worth something, the one that is worth most; the others are named without it."""
    monkeypatch.setattr(_confidence.worth, "worth_of", lambda *_: 1.0)
    monkeypatch.setattr(
        _confidence.weighed,
        "regret",
        lambda buys, chosen: replace(regret(buys, chosen), expected=5.0),
    )
    found = ask(production(stationary(folder))).confidence
    first, *others = [each.text for each in found.value_of_information]
    assert "first: worth 1 USD" in first
    assert len(others) > 1
    assert all(": worth 1 USD" in text for text in others)
    assert not any("first" in text.split(": worth")[0].lower() for text in others)


def test_drifting_windows_have_no_probability(tmp_path: Path) -> None:
    found = ask(
        production(profile(trace_of(tmp_path, pages_of(3, drifting=True))))
    ).confidence
    assert found.probability_best is None
    assert "the misses rise" in found.reason
    assert found.more_accesses == ACCESSES


def test_a_recording_shorter_than_the_cycle_of_production_says_so(folder: Path) -> None:
    recorded = stationary(folder)
    windows = recorded.curve.windows
    assert windows is not None
    hours = tuple(10_000.0 + 1_000 * at for at in range(24))
    rates = RateSeries(24, 3600.0, 24, None, 1, hours, hours)

    def asked(duration_s: float) -> Any:
        timed = recorded.curve.with_windows(replace(windows, duration_s=duration_s))
        stated = Production(TIB, rates.mean_per_s, rates.peak_per_s, rates=rates)
        curve = scale.answer(replace(recorded, curve=timed), stated).profile.curve
        return ask(curve.steady()).confidence

    short = asked(600.0)
    assert short.probability_best is None
    assert "does not show that cycle" in short.reason
    assert short.more_accesses == 143 * ACCESSES
    assert asked(86_400.0).probability_best is not None


def test_what_only_another_kind_can_replace_is_not_the_choice_at_that_end() -> None:
    """Repaired by the other kind it costs what that does, and a bar would say that nothing changes."""
    ones = np.ones((3, 2), dtype=np.int64)
    cost = np.asarray([[10.0, 20.0], [10.0, 20.0], [10.0, 20.0]])
    keeps = np.asarray([[True, True], [False, True], [False, False]])
    found = SimpleNamespace(
        chosen=0,
        by_time=False,
        contenders=SimpleNamespace(alike=lambda _: np.asarray([0, 2])),
    )
    buys = Buys(cost, np.zeros_like(cost), ones[0], ones, keeps, np.arange(2))

    def index(buys: Buys) -> Any:
        along: Any = _confidence.ranges.best_along
        return along(found, _confidence.ranges.Places(buys, cost)).index

    assert index(buys) == [0, 1, None]
    # Another of its own kind takes its place: more of the same.
    alike = Buys(cost, np.zeros_like(cost), ones[0], ones, keeps, np.zeros(2))
    assert index(alike) == [0, 0, None]


def test_the_fastest_along_a_range_is_told_by_time_and_of_equals_by_money() -> None:
    """By money the first of the four is the best everywhere."""
    found: Any = SimpleNamespace(
        chosen=0,
        by_time=True,
        contenders=SimpleNamespace(alike=lambda _: np.asarray([0, 1, 2, 2])),
    )
    io_us = np.asarray(
        [
            [10.0, 11.0, 12.0, 12.0],  # it is the fastest
            [10.0, 9.95, 12.0, 12.0],  # within 1 % of the fastest
            [10.0, 9.0, 9.0, 9.0],  # of three that are as fast the cheapest two
            [1.0, 9.0, 8.0, 9.0],  # it breaks a limit
            [10.0, 11.0, 12.0, 12.0],  # nothing keeps them all
        ]
    )
    keeps = np.ones(io_us.shape, dtype=np.bool_)
    keeps[3, 0] = False
    keeps[4] = False
    needed = np.ones(io_us.shape, dtype=np.int64)
    needed[:, 2] = 3
    fixed = np.tile([1.0, 50.0, 10.0, 40.0], (5, 1))
    unit = np.tile([0.0, 0.0, 10.0, 0.0], (5, 1))
    buys = Buys(
        fixed, unit, np.asarray([1, 1, 1, 1]), needed, keeps, np.asarray([0, 1, 2, 3])
    )
    along = _confidence.ranges.best_along(found, _confidence.ranges.Places(buys, io_us))
    assert along.index == [0, 0, 2, 2, None]
    assert along.bought == [(0, 0), (1, 0), (2, 2), (2, 2), None]
    assert [along.at(place) for place in range(5)] == [
        (Decimal("1.00"), 10.0),
        (Decimal("50.00"), 9.95),
        (Decimal("40.00"), 9.0),
        (Decimal("40.00"), 8.0),
        (None, None),
    ]


def test_beyond_a_flip_another_option_is_cheaper(folder: Path) -> None:
    """RAM against disks: where more pages miss, more RAM pays."""
    stated = Production(TIB, 1_000.0, 2_000.0)
    curve = scale.answer(stationary(folder), stated).profile.curve.steady()
    disks = Candidates(kinds=("devices",), devices=SHELF[1:], reserved_gib=Decimal(0))
    found = ask(curve, candidates=disks)
    best = found.recommendation
    assert best is not None
    assert best.usd_per_month is not None
    flips = [bar for bar in found.confidence.tornado if bar.flip is not None]
    assert flips
    asked = asked_of(
        curve, (None, None), disks, None, {}, "usd", book(), 36, (None, None), 0
    )
    table = Table.of(asked.setting)
    row = int(np.flatnonzero(table.options.ram_bytes == best.ram_bytes)[0])
    sure = _confidence.sure(asked, table, row, contending(asked, table, row))
    law = Input(_draws.LAW)
    along = _confidence.ranges.best_along(
        sure, _confidence.ranges.along_range(sure, law)
    )
    assert along.index[_confidence.STEPS // 2] == sure.chosen
    for place, index, usd in zip(
        _confidence.SCALE.tolist(), along.index, along.usd, strict=True
    ):
        there = table.with_curve(_draws.curve_at(sure.draws.ranges, {law: place}))
        cents = there.options.month_cents
        keeps = there.options.peak_busy <= 0.7 * (1 + 1e-9)
        assert usd == pytest.approx(float(cents[keeps].min()) / 100, abs=0.02)
        if index is not None and index != sure.chosen:
            assert float(cents[row]) / 100 > usd * (1 + NEAR) - 0.02
    assert all(bar.usd_per_month_flip is not None for bar in flips)
    # The choice changes within the last digit that is written, and is another one at what is written.
    [flip] = [bar for bar in flips if bar.flip is not None and "the law" in bar.flip]
    assert flip.flip is not None
    [(share, side)] = re.findall(
        r"the misses are ([0-9.]+) % (fewer|more) than", flip.flip
    )
    sign = 1 if side == "more" else -1

    def gives_way(off: float) -> bool:
        base = sure.draws.ranges.curve
        backs = base.write_backs_at
        assert backs is not None
        curve = replace(
            base,
            misses_at=np.minimum(base.misses_at * (1 + sign * off), base.accesses),
            write_backs_at=np.minimum(backs * (1 + sign * off), base.write_accesses),
        )
        options = table.with_curve(curve).options
        keeps = options.peak_busy <= 0.7 * (1 + 1e-9)
        least = float(options.month_cents[keeps].min())
        # It keeps the devices that it buys, and needs more where more misses.
        own = max(table.options.month_cents[row], options.month_cents[row])
        return bool(own > least * (1 + NEAR))

    digit = 10.0 ** -len(share.partition(".")[2]) / 100
    assert gives_way(float(share) / 100)
    assert not gives_way(float(share) / 100 - 1.05 * digit)
    timed = ask(curve, candidates=disks, objective="io_time", constraints=HALF)
    fastest = timed.confidence
    assert fastest.tornado
    assert fastest.about_bars.endswith(
        "the I/O time of the best option stays the same."
    )
    # Its bars are times, the largest first; those of the cheapest are money alone.
    assert timed.recommendation is not None
    own = timed.recommendation.io_time_us_per_access
    assert own is not None
    widths = []
    for bar in fastest.tornado:
        low, high = bar.io_time_us_low, bar.io_time_us_high
        assert low is not None
        assert high is not None
        assert low <= own * (1 + 1e-9)
        assert own * (1 - 1e-9) <= high
        widths.append(max(own - low, high - own))
    assert widths[0] > 0
    assert widths == sorted(widths, reverse=True)
    assert all(
        bar.io_time_us_low is None and bar.io_time_us_high is None
        for bar in found.confidence.tornado
    )


def test_bars_of_the_fastest_choice_name_what_is_the_fastest_at_each_end(
    folder: Path,
) -> None:
    """Instances of nearly the same speed, the times of whose local disks sources state as ranges."""
    stated = Production(2 * TIB, 20_000.0, 20_000.0)
    curve = scale.answer(stationary(folder), stated).profile.curve.steady()
    most = {"usd_per_month": Decimal(1500)}
    found = advice.answer(curve, objective="io_time", constraints=most)
    best, sure = found.recommendation, found.confidence
    assert best is not None
    assert best.usd_per_month is not None
    assert sure.probability_best is not None
    assert sure.probability_best < 0.5
    # That another choice is better in most draws is not left without a bar that says which.
    assert any(bar.changes for bar in sure.tornado)
    bars = len(sure.tornado)
    assert f"inputs were drawn, and {bars} of them have bars" in sure.about_bars
    assert sure.about_bars.endswith("the I/O time of the best option stays the same.")
    asked = asked_of(
        curve,
        (None, None),
        Candidates(),
        None,
        most,
        "io_time",
        None,
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    options = table.options
    keeps = (options.month_cents <= 150_000) & (options.peak_busy <= 0.7 * (1 + 1e-9))
    rows = np.flatnonzero(keeps).tolist()

    def fastest(name: str, operation: str, time_us: float) -> tuple[float, set[str]]:
        """Hold every option for sale against every other, with that time of that device."""
        times: dict[int, float] = {}
        for at in rows:
            flash, disk = table.devices(at)
            ids = [None if each is None else each.id for each in (flash, disk)]
            if name not in ids:
                times[at] = float(options.io_us[at])
                continue
            scheme = CHOICES[int(options.scheme[at])]
            ram, cache_ = options.ram_pages[[at]], options.flash_pages[[at]]
            done = operations(curve, ram, cache_, (scheme,))[scheme]
            both = (
                (tier, each)
                for tier, each in zip(("flash", "disk"), (flash, disk), strict=True)
                if each is not None
            )
            times[at] = 0.0
            for tier, each in both:
                busy = {
                    one: time_us
                    if (each.id, one) == (name, operation)
                    else service_time(each, one, curve.page_bytes).time_us
                    for one in OPERATIONS
                }
                times[at] += float(
                    done.busy_us(tier, busy["read"], busy["write"])[0]  # type: ignore[arg-type]
                )
        least = min(times.values())
        first = [at for at in times if times[at] <= least * (1 + 1e-9)]
        return least, {with_flow(table.title(at), table.scheme(at)) for at in first}

    tried = 0
    for bar in sure.tornado:
        about = re.fullmatch(r"the time of a page (\w+) of `(.*)`", bar.about)
        if about is None:
            continue
        operation, name = about.groups()
        device = next(
            each
            for at in rows
            for each in table.devices(at)
            if each is not None and each.id == name
        )
        time = service_time(device, operation, curve.page_bytes)  # type: ignore[arg-type]
        for end, least, best_there, usd in (
            (time.low_us, bar.io_time_us_low, bar.best_low, bar.usd_per_month_low),
            (time.high_us, bar.io_time_us_high, bar.best_high, bar.usd_per_month_high),
        ):
            assert end is not None
            slow, names = fastest(name, operation, end)
            assert least == pytest.approx(slow, rel=1e-9)
            assert best_there in names
            assert usd is not None
            assert usd <= 1500
            tried += 1
        if bar.flip is not None:
            # Another option is faster by over 1 % from there on, and takes what the bar says.
            assert bar.io_time_us_flip is not None
            written = re.search(r"takes ([0-9.]+) µs", bar.flip)
            assert written is not None
            slow, names = fastest(name, operation, float(written.group(1)))
            assert bar.io_time_us_flip == pytest.approx(slow, rel=1e-9)
            own = with_flow(best.name, best.scheme)
            assert own not in names
    assert tried >= 6
    # A report has their times, and what is bought there.
    paper = report.html(json.loads(json.dumps(found.to_dict(), default=str)))
    assert "Another choice if a page read of" in paper
    flip = next(bar for bar in sure.tornado if bar.flip is not None)
    assert flip.io_time_us_flip is not None
    assert f"{format_microseconds(flip.io_time_us_flip)} per access" in paper


def test_a_repair_costs_at_least_what_is_repaired(folder: Path) -> None:
    """A limit of money that some draws break: they are priced by what keeps it."""
    curve = production(stationary(folder))
    free = ask(
        curve,
        candidates=Candidates(
            kinds=("devices",), devices=SHELF[1:], reserved_gib=Decimal(0)
        ),
        constraints=HALF,
    )
    best = free.recommendation
    assert best is not None
    assert best.usd_per_month is not None
    limited = ask(
        curve,
        candidates=Candidates(
            kinds=("devices",), devices=SHELF[1:], reserved_gib=Decimal(0)
        ),
        constraints={**HALF, "usd_per_month": float(best.usd_per_month) + 1},
    ).confidence
    assert limited.probability_best is not None
    assert limited.breaks_share is not None
    assert free.confidence.breaks_share is not None
    assert limited.draws is not None
    assert limited.draws < _draws.DRAWS
    assert "left out" in limited.reason


def sure_of(
    curve: Curve, candidates: Candidates, prices: PriceBook, limits: dict[str, Decimal]
) -> _confidence.Sure:
    """Return the draws of a question."""
    asked = asked_of(
        curve,
        (None, None),
        candidates,
        None,
        limits,
        "usd",
        prices,
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    best = first_kept(asked, table, (made := chosen_of(asked, table)), made.order)
    assert best is not None
    return _confidence.sure(asked, table, best, contending(asked, table, best))


@pytest.mark.parametrize(
    ("shelf", "kind", "rate"), [(SHELF[:1], "nvme", 20_000.0), (SHELF[1:], "hdd", 1e3)]
)
def test_shares_of_breaking_are_of_all_draws(
    folder: Path, shelf: tuple[str, ...], kind: str, rate: float
) -> None:
    """A budget that dearer prices break, of all there is: there is no best then, and nothing is said of these draws.

    Disks are so many as the load needs: in a draw of less load fewer would keep the budget, but all of them were bought.
    """
    stated = Production(TIB, rate, 2 * rate)
    curve = scale.answer(stationary(folder), stated).profile.curve.steady()
    prices, only = dated("2026-Q3"), replace(DEVICES, devices=shelf)
    best = ask(curve, candidates=only, prices=prices).recommendation
    assert best is not None
    assert best.usd_per_month is not None
    limit = round(best.usd_per_month * Decimal("1.02"), 2)
    limits = {"usd_per_month": limit}
    found = ask(curve, candidates=only, prices=prices, constraints=limits)
    said, bought = found.confidence, found.recommendation
    assert bought is not None
    # By the bill that is printed, at the prices of each draw.
    draws = sure_of(curve, only, prices, limits).draws
    ram, drives = (
        sum(
            float(row["usd_per_month"])
            for row in bought.bill
            if ("RAM" in row["what"]) == is_ram
        )
        for is_ram in (True, False)
    )
    assert ram > 0
    assert drives > 0
    spreads = spread_of_kinds()
    # Of disks no series of prices is known.
    assert set(draws.spreads) == {"dram", "nvme"} - ({"nvme"} - {kind})
    of_ram, of_drives = (
        spreads[key].factor ** (2 * draws.places[Input(_draws.PRICE, (key,))] - 1)
        if key in draws.spreads
        else 1.0
        for key in ("dram", kind)
    )
    cost = ram * of_ram + drives * of_drives
    too_dear = float(np.mean(cost > float(limit) * 1.0001))
    assert said.breaks_share is not None
    assert said.none_keeps_share is not None
    assert said.draws is not None
    assert too_dear <= said.breaks_share
    assert 0.2 < said.none_keeps_share <= said.breaks_share < 0.9
    assert said.draws == round((1 - said.none_keeps_share) * _draws.DRAWS)
    assert said.text.startswith(said.headline)
    none = whole_percent(said.none_keeps_share)
    assert said.headline.startswith(
        f"In {none} of all draws of what is not known none of the options"
    )
    breaks = whole_percent(said.breaks_share)
    # Where it breaks one in these draws alone, that is said once.
    is_more = said.breaks_share > said.none_keeps_share
    assert (f"; in {breaks} of all draws it breaks a limit" in said.headline) == is_more
    for text in (said.text, found.finding):
        assert "best in all draws" not in text
    left_out = _draws.DRAWS - said.draws
    assert f"of the {said.draws} draws in which one of the options" in said.reason
    assert f"the other {left_out} are left out" in said.reason
    assert found.to_dict()["confidence"]["none_keeps_share"] == said.none_keeps_share


WEARING = Candidates(kinds=("devices",), devices=SHELF[:1], reserved_gib=Decimal(0))
"""Flash that holds the data."""


@cache
def written(folder: Path, months: int, **limits: Decimal) -> Advice:
    """Ask for flash that lasts 1.39 years as stated, and less in some draws."""
    stated = Production(TIB, 2e5, 2e5)
    curve = scale.answer(stationary(folder), stated).profile.curve.steady()
    return ask(curve, candidates=WEARING, horizon_months=months, constraints=limits)


def test_flash_that_is_worn_out_within_the_horizon_in_some_draws_is_said(
    folder: Path,
) -> None:
    """The share is that of the draws on whose curve the same hardware lasts less than the horizon."""
    months = 16
    found = written(folder, months)
    best = found.recommendation
    assert best is not None
    assert best.flash_life_years is not None
    assert best.flash_life_years > months / 12
    assert "flash_worn_out" not in {each.code for each in found.cautions}
    asked = asked_of(
        scale.answer(
            stationary(folder), Production(TIB, 2e5, 2e5)
        ).profile.curve.steady(),
        (None, None),
        WEARING,
        None,
        {},
        "usd",
        book(),
        months,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    at = first_kept(asked, table, (made := chosen_of(asked, table)), made.order)
    assert at is not None
    draws = _confidence.sure(asked, table, at, contending(asked, table, at)).draws
    lives = []
    for number in range(_draws.DRAWS):
        drawn = table.with_curve(draws.curve(number)).options
        # A draw may need more drives than the one that is bought.
        lives.append(float(drawn.life_years[at] / drawn.store_devices[at]))
    share = float(np.mean(np.asarray(lives) < months / 12))
    assert 0.05 < share < 0.95
    said = (
        f" In {whole_percent(share)} of all draws its flash is worn out before the horizon of {months} months ends, and what "
        "replaces it is not counted."
    )
    assert found.confidence.text.startswith(found.confidence.headline)
    assert said in found.confidence.text
    assert said in found.finding


@pytest.mark.parametrize(
    ("months", "limits"),
    [
        # It lasts in every draw.
        (12, {}),
        # As stated it does not: the caution says so.
        (24, {}),
        # Who limits it has chosen how long it has to last.
        (16, {"flash_life_years": Decimal(1)}),
        # Nothing wears.
        (16, {"purchase_usd": Decimal(10**6)}),
    ],
)
def test_flash_that_draws_do_not_wear_out_is_not_spoken_of(
    folder: Path, months: int, limits: dict[str, Decimal]
) -> None:
    if "purchase_usd" in limits:
        disks = Candidates(
            kinds=("devices",), devices=SHELF[1:], reserved_gib=Decimal(0)
        )
        found = ask(
            production(stationary(folder)), candidates=disks, horizon_months=months
        )
    else:
        found = written(folder, months, **limits)
        cautions = {each.code for each in found.cautions}
        assert ("flash_worn_out" in cautions) == (months == 24)
    assert found.recommendation is not None
    assert found.confidence.probability_best is not None
    assert "worn out" not in found.confidence.text


def test_a_limit_of_the_restart_is_held_in_each_draw(folder: Path) -> None:
    """Its interval reaches beyond the limit, so it is not kept in all draws."""
    curve = production(stationary(folder))
    free = ask(curve, candidates=DISK)
    best = free.recommendation
    assert best is not None
    assert best.restart_s is not None
    limits = {"restart_s": round(Decimal(repr(best.restart_s * 1.01)), 3)}
    drawn = sure_of(curve, DISK, book(), limits)
    later = [each["restart_s"] > float(limits["restart_s"]) for each in drawn.figures]
    assert 0.05 < np.mean(later) < 0.95
    own, buys = drawn.chosen, drawn.buys
    # It has too few devices, or no number of them is enough.
    kept = buys.keeps[:, own] & (buys.needed[:, own] <= buys.bought[own])
    assert not kept[later].any()
    found = ask(curve, candidates=DISK, constraints=limits).confidence
    assert found.breaks_share is not None
    assert found.breaks_share >= np.mean(later)


def test_response_times_have_intervals_where_devices_keep_up(folder: Path) -> None:
    limits = {**HALF, "response_p99_us": 50_000, "peak_busy": Decimal("0.03")}
    found = ask(production(stationary(folder)), constraints=limits)
    best = found.recommendation
    assert best is not None
    between = {each.figure: each for each in found.confidence.intervals}
    for name in RESPONSES:
        assert between[name].low <= getattr(best, name) <= between[name].high, name
    # Every figure that has an interval is named in words.
    assert {*between} <= {*FIGURES}
    # Of a flash cache alone is it drawn how many hits it has.
    assert ("flash_hit_share" in between) == (best.flash_bytes > 0)
    peak, mean = between["response_mean_us"], between["response_mean_mean_us"]
    assert peak.low < peak.high
    # More load waits longer, in the draws too.
    assert peak.high > mean.high


RESPONSES = [
    f"response_{of}{rate}_us" for of in ("mean", "p50", "p99") for rate in ("", "_mean")
]


DISK = Candidates(kinds=("devices",), devices=SHELF[1:], reserved_gib=Decimal(0))


def seldom(folder: Path) -> Curve:
    """So few accesses that disks serve them, and wait for each other."""
    stated = Production(TIB, 60.0, 120.0)
    return scale.answer(stationary(folder), stated).profile.curve.steady()


def test_contenders_keep_limits_of_response_times_on_the_curve_of_each_draw(
    folder: Path,
) -> None:
    """Of all draws at once it is said what the queues of each say by themselves: the fewest devices that are enough."""
    limit_us = 5_000
    asked = asked_of(
        seldom(folder),
        (None, None),
        DISK,
        None,
        {"response_mean_us": Decimal(limit_us)},
        "usd",
        book(),
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    chosen = chosen_of(asked, table)
    best = first_kept(asked, table, chosen, chosen.order)
    assert best is not None
    first = contending(asked, table, best)
    found = _confidence.sure(asked, table, best, first)
    rows = found.contenders.rows
    assert len(rows) > 3
    free = Contenders(replace(asked, constraints={}), table, rows)
    slow = quick = more = 0
    for at in range(0, _draws.DRAWS, 32):
        curve, state = found.draws.curve(at), found.draws.state(at)
        made, plain = found.contenders.on(curve, state), free.on(curve, state)
        for index, row in enumerate(rows.tolist()):
            needed, fewest = int(plain.needed[index]), int(made.needed[index])

            def in_time(stores: int, row: int = row, curve: Curve = curve) -> bool:
                return mean_us(table, row, curve, stores) <= limit_us

            # More devices wait no longer: where the most are too slow, every number is.
            if not made.keeps[index]:
                late = not in_time(max(needed, MOST_DEVICES))
                assert late or not plain.keeps[index]
                slow += late
                continue
            assert plain.keeps[index]
            quick += 1
            more += fewest > needed
            assert in_time(fewest)
            # No fewer are enough, by each number from the needed ones on.
            assert fewest >= needed
            assert not any(in_time(stores) for stores in range(needed, fewest))
    assert slow > 10
    assert quick > 10
    assert more > 10


def mean_us(table: Table, row: int, curve: Curve, stores: int) -> float:
    times, _ = table.response(row, curve, stores=stores)
    return math.inf if times is None else float(times[0][1])


def test_a_choice_that_is_too_slow_in_some_draws_is_not_the_best_in_them(
    folder: Path,
) -> None:
    """Where limits were held on the stated curve alone, nothing else was in the running and every draw spoke for it."""
    found = ask(
        seldom(folder), candidates=DISK, constraints={"response_mean_us": 3_000}
    )
    sure_ = found.confidence
    assert sure_.breaks_share is not None
    assert sure_.probability_best is not None
    assert sure_.expected_regret_usd_per_month is not None
    assert 0.1 < sure_.breaks_share < 0.9
    assert 0.1 < sure_.probability_best < 0.9
    regret_usd = sure_.expected_regret_usd_per_month
    assert regret_usd > 0
    assert 0 < sure_.value_of_information[0].usd_per_month <= regret_usd


def test_limits_of_response_times_are_said_to_be_held_in_each_draw(
    folder: Path,
) -> None:
    limits = {**HALF, "response_p99_us": 50_000}
    found = ask(production(stationary(folder)), constraints=limits)
    assert found.confidence.probability_best is not None, found.confidence.reason
    assert "limits on response times are held in each draw" in found.confidence.reason
    # In more than a tenth of the draws the one disk cannot keep up.
    drawn = {each.figure: each for each in found.confidence.intervals}
    assert drawn["peak_busy"].high > 1
    assert not any(name.startswith("response") for name in drawn)
    free = ask(production(stationary(folder)), constraints=HALF)
    assert "limits on response times" not in free.confidence.reason


def recent(ram: float = 1.0, drives: float = 1.0) -> PriceBook:
    """Prices that are recent, so that they may be as far off as recent ones were, at so many times their amounts."""
    times = {True: ram, False: drives}
    return replace(
        book(),
        prices=tuple(
            replace(
                each,
                usd=each.usd * Decimal(repr(times[each.kind == "dram"])),
                date="2026-09",
            )
            for each in book().prices
        ),
    )


@pytest.mark.parametrize("budget", [200, 300, 450, 580])
def test_what_a_lower_price_brings_within_the_budget_is_the_best_there(
    folder: Path, budget: int
) -> None:
    """Bars name the choice at the end of a price that asking at that price names."""
    curve = production(stationary(folder))
    asked: dict[str, Any] = {
        "objective": "io_time",
        "constraints": {"usd_per_month": Decimal(budget)},
    }
    found = ask(curve, prices=recent(), **asked)
    bars = {each.about: each for each in found.confidence.tornado}
    spreads = spread_of_kinds()
    lower = (
        ("the price of RAM", recent(ram=1 / spreads["dram"].factor)),
        ("the price of NVMe drives", recent(drives=1 / spreads["nvme"].factor)),
    )
    faster = 0
    assert found.recommendation is not None
    own = found.recommendation.io_time_us_per_access
    assert own is not None
    for about, prices in lower:
        again = ask(curve, prices=prices, **asked).recommendation
        assert again is not None
        time = again.io_time_us_per_access
        assert time is not None
        assert bars[about].io_time_us_low == pytest.approx(time)
        assert (bars[about].best_low or "").startswith(again.name)
        faster += time < 0.99 * own
    assert faster
    # Where a price of the range brings a faster one within the budget, the choice is not the best in every draw.
    assert found.confidence.probability_best is not None
    assert found.confidence.probability_best < 0.5


def compared_all(
    monkeypatch: pytest.MonkeyPatch, curve: Curve, **asked: Any
) -> tuple[Confidence, Confidence]:
    """How sure an answer is, and how sure if all options that have a price are compared in every draw."""
    some = ask(curve, **asked).confidence
    compared = []

    def every(asked: Asked, table: Table, *_: object) -> np.ndarray[Any, Any]:
        options = table.options
        known = (options.unpriced == 0) & np.isfinite(options.io_us)
        compared.append(int(known.sum()))
        return np.flatnonzero(known)

    monkeypatch.setattr(drawing, "_with_winners", every)
    whole = ask(curve, **asked).confidence
    assert compared[0] > 50
    assert some.probability_best is not None, some.reason
    assert whole.probability_best is not None
    return some, whole


@pytest.mark.parametrize("limit_us", [3_000, 6_000])
def test_to_compare_all_options_under_a_limit_on_response_times_says_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, limit_us: int
) -> None:
    some, whole = compared_all(
        monkeypatch,
        seldom(folder),
        candidates=DISK,
        prices=recent(),
        constraints={"response_mean_us": Decimal(limit_us)},
    )
    assert some.probability_best == pytest.approx(whole.probability_best, abs=0.03)
    assert some.none_keeps_share == pytest.approx(whole.none_keeps_share, abs=0.03)


@pytest.mark.parametrize(
    ("objective", "limits"),
    [
        ("io_time", {"usd_per_month": 300}),
        ("io_time", {"purchase_usd": 16_000}),
        ("usd", {"io_time_us_per_access": 1.5}),
        ("usd", {"io_time_us_per_access": 1.5, "purchase_usd": 17_000}),
        ("usd", {"flash_life_years": 8, "ram_bytes": TIB // 4}),
    ],
)
def test_to_compare_all_options_in_every_draw_says_the_same(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    objective: str,
    limits: dict[str, float],
) -> None:
    curve = production(stationary(folder))
    asked: dict[str, Any] = {
        "objective": objective,
        "constraints": {name: Decimal(repr(value)) for name, value in limits.items()},
        "prices": recent(),
    }
    some, whole = compared_all(monkeypatch, curve, **asked)
    assert some.probability_best == pytest.approx(whole.probability_best, abs=0.02)
    if objective == "usd":
        least, most = (
            float(each.expected_regret_usd_per_month or 0) for each in (some, whole)
        )
        assert least == pytest.approx(most, rel=0.05, abs=0.5)
    ends = {each.about: each for each in whole.tornado}
    for bar in some.tornado:
        of = ends[bar.about]
        assert (bar.usd_per_month_low, bar.usd_per_month_high) == (
            of.usd_per_month_low,
            of.usd_per_month_high,
        )
        assert (bar.io_time_us_low, bar.io_time_us_high) == (
            of.io_time_us_low,
            of.io_time_us_high,
        )


def test_contenders_cost_what_the_table_says(folder: Path) -> None:
    """Evaluated beside the table, on its curve, they do the same."""
    for candidates in (DEVICES, Candidates()):
        asked = asked_of(
            production(stationary(folder)),
            (None, None),
            candidates,
            None,
            {},
            "usd",
            book(),
            36,
            (catalog.device(SHELF[0]), catalog.device(SHELF[1])),
            0,
        )
        table = Table.of(asked.setting)
        options = table.options
        order = np.lexsort((options.month_cents,))
        known = order[
            np.isfinite(options.io_us[order]) & (options.unpriced[order] == 0)
        ]
        rows = np.unique(known[:: max(1, len(known) // 60)])
        some = Contenders(asked, table, rows)
        found = some.on(asked.setting.curve, State())
        assert np.allclose(found.io_us, options.io_us[rows], rtol=1e-9)
        assert found.needed.tolist() == options.store_devices[rows].tolist()
        month = some.fixed + some.unit * found.needed
        assert np.allclose(month * 100, options.month_cents[rows])
        best = int(known[0])
        assert best in contending(asked, table, best)


def test_inputs_at_the_ends_of_their_ranges(folder: Path) -> None:
    curve = production(stationary(folder))
    ranges = _draws.ranges_of(curve, np.asarray([100.0]))
    assert ranges.law > 0
    base = _draws.curve_at(ranges, {})
    assert np.array_equal(base.misses_at, curve.misses_at)
    few, many = (
        _draws.curve_at(ranges, {Input(_draws.LAW): place}) for place in (0.0, 1.0)
    )
    low, high = curve.law_band(curve.pages)
    assert np.allclose(few.misses_at, low)
    assert np.allclose(many.misses_at, high)
    if ranges.is_short:
        least = _draws.curve_at(ranges, {Input(_draws.SHORT): 0.0})
        assert np.all(least.misses_at <= curve.misses_at)
    device = catalog.device(SHELF[0])
    bound = (5.0, 2.0, 8.0)
    state = _draws.state_at(
        {(device.id, "write"): bound}, {Input(_draws.TIME, (device.id, "write")): 1.0}
    )
    assert state.times[device.id, "write"] == pytest.approx(8 / 5)


def test_more_windows_of_the_same_kind_spread_less() -> None:
    generator = np.random.default_rng(8)
    spreads = []
    for windows in (40, 400):
        counts = generator.poisson(100, size=(windows, 1)).astype(np.float64)
        drawn = moving_blocks(windows, block_length(counts[:, 0]), 400, generator)
        spreads.append(float(ratios(counts, drawn).std()))
    assert spreads[1] < spreads[0]


def test_the_command_prints_how_sure_it_is(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    stationary(folder).write(path)
    said = run(
        "advise",
        str(path),
        "--data",
        "1TiB",
        "--accesses-per-second",
        "20000",
        "--price-book",
        "street-2026-q3",
    )
    assert said.returncode == 0, said.stderr
    assert "of the draws" in said.stdout
    assert "figures of the recommendation in 90 % of the draws" in said.stdout
    assert "I/O time per access" in said.stdout


def test_where_all_is_rented_nothing_is_said_of_a_purchase(folder: Path) -> None:
    rented = Candidates(
        kinds=("instances",), servers=("aws-i4i.xlarge", "aws-i4i.4xlarge")
    )
    found = ask(production(stationary(folder)), candidates=rented)
    assert found.recommendation is not None
    assert found.recommendation.kind == "instances"
    assert found.confidence.probability_best is not None, found.confidence.reason
    assert "rents are assumed to be fixed" in found.confidence.reason
    assert "purchase" not in found.confidence.reason
    bought = ask(production(stationary(folder)))
    assert bought.recommendation is not None
    assert bought.recommendation.purchase_usd
    assert "rents" not in bought.confidence.reason


KEPT = Regret(1.0, 0.0, 0.0, 0.0)


def test_words_follow_the_figures() -> None:
    said = _confidence.words.confidence_text
    sure = said(1.0, Decimal("0.00"), KEPT, ())
    assert sure == (
        "In all draws of what is not known it is the best choice, or within 1 % of it; on average it costs no more than "
        "the best."
    )
    first = Information("the law", Decimal("310.00"), "Measure it first: worth it.")
    measured = said(0.2, Decimal(400), KEPT, (first,))
    # A share and its complement: what holds in the others is said.
    assert measured == (
        "In 20 % of the draws of what is not known it is the best choice, or within 1 % of it; in the other 80 % another "
        "choice is better; on average it costs 400 USD per month more than the best. Measure it first: worth it."
    )
    nothing = replace(first, usd_per_month=Decimal("0.00"))
    assert "Measure" not in said(0.5, Decimal(400), KEPT, (nothing,))
    assert "In none of the draws" in said(0.0, None, KEPT, ())
    nearly = said(0.998, None, Regret(0.998, 0.0, 0.002, 3.0), ())
    # Neither reads as all or none of the draws.
    assert "In more than 99 % of the draws" in nearly
    assert "within 1 % of it; otherwise another choice is better" in nearly


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.986, ("99 %", "in the other 1 %")),
        (0.945, ("94 %", "in the other 6 %")),
        (0.034, ("3.4 %", "in the other 96.6 %")),
        (0.996, ("more than 99 %", "otherwise")),
        (0.0002, ("less than 0.1 %", "otherwise")),
    ],
)
def test_a_share_of_draws_and_the_rest_add_up(
    share: float, said: tuple[str, str]
) -> None:
    often, rest = said
    words = partial(_confidence.words.headline, share, in_money=True, may_be_small=True)
    assert words(replace(KEPT, probability=share)) == (
        f"In {often} of the draws of what is not known it is the best choice, or within 1 % of it; {rest} another choice "
        "is better"
    )
    of_the_others = words(Regret(share, 0.0, 0.5, 0.0, 0.5))
    assert f"in {often} of the others" in of_the_others
    assert (
        f"it, {rest.replace('the other ', '')} another choice is better"
        in of_the_others
    )
    # It breaks a limit in those alone in which nothing keeps them all: that is said once.
    assert "is too small" not in of_the_others
    assert words(Regret(share, 0.0, 0.6, 0.0, 0.5)).endswith(
        "; in 60 % of all draws it is too small, and where some option keeps every limit, more of the same hardware then "
        "costs no more"
    )
    # What is too small in half of the draws and yet the best in most of them is said in one sentence.
    broken = words(Regret(share, 0.0, 0.5, 160.0))
    assert broken == (
        "In 50 % of the draws of what is not known it is too small, and more of the same hardware then costs 160 USD per "
        f"month more on average; counting that, it is the best choice, or within 1 % of it, in {often}; {rest} another "
        "choice is better"
    )


def test_what_a_draw_costs_that_breaks_a_limit_is_said_plainly() -> None:
    """What is too small, what breaks another limit, and what no size of the same hardware repairs are different things."""
    often = Regret(0.25, 0.0, 0.46, 243.0)

    def said(found: Regret, usd: Decimal | None, *, may_be_small: bool = True) -> str:
        return _confidence.words.confidence_text(
            found.probability, usd, found, (), may_be_small=may_be_small
        )

    assert said(often, Decimal(33)) == (
        "In 46 % of the draws of what is not known it is too small, and more of the same hardware then costs 243 USD per "
        "month more on average; counting that, it is the best choice, or within 1 % of it, in 25 %; in the other 75 % "
        "another choice is better; on average it costs 33 USD per month more than the best."
    )
    # Of a limit on money or on the restart, more is not what it lacks.
    assert said(often, Decimal(33), may_be_small=False).startswith(
        "In 46 % of the draws of what is not known it breaks a limit, and another size of the same hardware then costs "
        "243 USD per month more on average; "
    )
    some = replace(often, replaced=0.12)
    assert "or other hardware in 12 % of all draws, then costs 243" in said(
        some, Decimal(33)
    )
    assert "other hardware, as more of the same is not enough, then costs 243" in said(
        replace(often, replaced=0.46), Decimal(33)
    )
    assert "hardware then costs no more; " in said(
        replace(often, repair=0.0), Decimal(0)
    )
    assert said(often, None).startswith(
        "In 46 % of the draws of what is not known it is too small; it is the best choice"
    )
    assert "in all draws" in said(replace(often, probability=1.0), Decimal(0))
    kept = said(KEPT, Decimal(0))
    assert "too small" not in kept
    assert "limit" not in kept
    # Draws in which nothing keeps every limit are not among those of the probability: all of some is not all.
    none = Regret(1.0, 0.0, 0.47, 0.0, 0.47)
    assert said(none, Decimal(0), may_be_small=False) == (
        "In 47 % of all draws of what is not known none of the options compared keeps every limit; in all of the others "
        "the recommendation is the best choice, or within 1 % of it; on average it costs no more than the best there."
    )
    more = said(replace(none, probability=0.79, breaks=0.48, repair=5.0), Decimal(1))
    assert "in 79 % of the others the recommendation is the best" in more
    assert "in 21 % another choice is better" in more
    assert "too small, and where some option keeps every limit, more of" in more
    assert "in more than 99 % of all draws it" in said(
        replace(none, breaks=0.999), None
    )
    # How such draws count is said once, behind the figures.
    how = _confidence.words.how_repaired
    assert "where no size of it does, another choice counts as better" in how(
        often, in_money=True
    )
    assert how(none, in_money=True) == how(KEPT, in_money=True) == ""


# --- prices that may be off -------------------------------------------------------------


def priced_drive(name: str, usd_per_gb: Decimal, times: Decimal | None) -> Device:
    """A drive with a price of its own, which may be off by so many times up or down."""
    figures = catalog.device(SHELF[0]).figures
    ends = (None, None) if times is None else (usd_per_gb / times, usd_per_gb * times)
    price = Figure(
        usd_per_gb, "USD/GB", "a quote", "2026-09", low=ends[0], high=ends[1]
    )
    return replace(
        catalog.device(SHELF[0]),
        id=name,
        name=name,
        figures={**figures, "unit_price": price},
    )


@pytest.mark.parametrize("times", [Decimal(2), Decimal(10)])
def test_a_flip_is_where_the_other_drive_costs_one_percent_less(
    folder: Path, times: Decimal
) -> None:
    """One of two drives of a price is quoted with a range: where the choice changes follows from the bill."""
    curve = production(stationary(folder))
    drive = Decimal("0.75")

    def asked(price: Decimal, off: Decimal | None) -> Advice:
        own = (
            priced_drive("quoted", price, off),
            priced_drive("firm", drive * Decimal("1.001"), None),
        )
        return ask(curve, candidates=replace(DEVICES, devices=SHELF[1:], own=own))

    found = asked(drive, times)
    best = found.recommendation
    assert best is not None
    assert best.disk_device == "quoted"
    [bar] = [
        each for each in found.confidence.tornado if "price of `quoted`" in each.about
    ]
    assert bar.flip is not None
    [said] = re.findall(r"^`quoted` costs ([0-9.]+) % more$", bar.flip)
    # Other rows cost r, the drives d: r + d (1 + x) = 1.01 (r + 1.001 d).
    of_drives = sum(
        Decimal(row["usd_per_month"]) for row in best.bill if "quoted" in row["what"]
    )
    assert best.usd_per_month is not None
    rest = best.usd_per_month - of_drives
    off = (
        Decimal("1.01") * (rest + Decimal("1.001") * of_drives) - rest
    ) / of_drives - 1
    up = (100 * off).quantize(Decimal("0.01"), rounding=ROUND_CEILING)
    # Rows of a bill are rounded to the cent.
    assert abs(Decimal(said) - up) <= Decimal("0.01")

    def other_is_better(by: Decimal) -> bool:
        """Whether the quoted drive costs over 1 % more than the firm one, asked again at this price."""
        again = asked(drive * (1 + by / 100), None)
        costs = {
            each.disk_device: each.usd_per_month
            for each in (again.recommendation, *again.alternatives)
            if each is not None
            and (each.ram_bytes, each.flash_bytes) == (best.ram_bytes, 0)
        }
        quoted, firm = costs["quoted"], costs["firm"]
        assert quoted is not None
        assert firm is not None
        return quoted > firm * Decimal("1.01")

    assert other_is_better(Decimal(said))
    assert not other_is_better(Decimal(said) - Decimal("0.02"))


@given(st.floats(1e-6, 1e6), st.booleans(), st.booleans())
def test_what_is_written_of_a_flip_lies_beyond_it(
    size: float, is_up: bool, is_negative: bool
) -> None:
    value = -size if is_negative else size
    found = _confidence.flips._three_digits_beyond(value, is_up=is_up)
    assert float(f"{found:.3g}") == found
    assert (found - value) * (1 if is_up else -1) >= -1e-11 * abs(value)
    assert abs(found - value) <= 0.01 * abs(value)


def dated(date: str | None, times: Decimal = Decimal(1)) -> PriceBook:
    made = book(times)
    return replace(made, prices=tuple(replace(one, date=date) for one in made.prices))


def contenders_at(folder: Path, prices: PriceBook) -> tuple[Table, Contenders]:
    asked = asked_of(
        production(stationary(folder)),
        (None, None),
        DEVICES,
        None,
        {},
        "usd",
        prices,
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    best = int(chosen_of(asked, table).order[0])
    return table, Contenders(asked, table, contending(asked, table, best))


@settings(max_examples=10, deadline=None)
@given(st.floats(0.2, 5.0))
def test_other_prices_of_ram_and_flash_cost_what_the_table_of_them_says(
    folder: Path, times: float
) -> None:
    factor = Decimal(repr(round(times, 3)))
    table, contenders = contenders_at(folder, dated("2026-Q3"))
    assert {"dram", "nvme"} <= set(contenders.spreads)
    curve = table.setting.curve
    moved = contenders.on(
        curve, State(prices=dict.fromkeys(("dram", "nvme"), float(factor)))
    )
    repriced = table.repriced(factor).options.month_cents[contenders.rows] / 100
    found = moved.fixed + moved.unit * table.options.store_devices[contenders.rows]
    # Each line of a bill is rounded to the cent.
    assert found == pytest.approx(repriced, abs=0.05)
    as_is = contenders.on(curve, State())
    assert np.array_equal(as_is.fixed, contenders.fixed)
    assert np.array_equal(as_is.unit, contenders.unit)


def test_prices_without_a_date_and_old_ones_stay_as_they_are(folder: Path) -> None:
    for date in (None, "2023-Q1"):
        _, contenders = contenders_at(folder, dated(date))
        assert not contenders.spreads
    own = replace(
        catalog.device(SHELF[0]),
        id="own-drive",
        figures={
            **catalog.device(SHELF[0]).figures,
            "unit_price": Figure(Decimal("0.01"), "USD/GB", "a quote", "2026-09"),
        },
    )
    asked = asked_of(
        production(stationary(folder)),
        (None, None),
        replace(DEVICES, devices=SHELF[1:], own=(own,)),
        None,
        {},
        "usd",
        dated("2026-Q3"),
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    known = spread_of_kinds()
    rows = [at for at in range(len(table.options)) if table.names(at)[1] == own.id]
    assert set(uncertain_purchases(table, rows[0], known)) == {"dram"}


def test_an_answer_says_by_how_much_prices_may_be_off(folder: Path) -> None:
    curve = production(stationary(folder))
    sure = ask(curve, prices=dated("2026-Q3")).confidence
    assert sure.probability_best is not None
    spread = spread_of_kinds()["nvme"]
    assert f"NVMe drives by {percent(spread.factor - 1)} up" in sure.reason
    assert f"prices of `{spread.series}` were from {spread.first} to" in sure.reason
    bars = [each for each in sure.tornado if each.about.startswith("the price of")]
    assert bars
    [bar] = [each for each in bars if each.about == "the price of NVMe drives"]
    assert bar.high == f"NVMe drives cost {percent(spread.factor - 1)} more"
    assert bar.low == f"NVMe drives cost {percent(1 - 1 / spread.factor)} less"
    assert bar.usd_per_month_low is not None
    assert bar.usd_per_month_high is not None
    assert bar.usd_per_month_low < bar.usd_per_month_high
    most = sure.expected_regret_usd_per_month
    assert most is not None
    assert all(0 <= each.usd_per_month <= most for each in sure.value_of_information)
    of_ram = Input(_draws.PRICE, ("dram",))
    assert (
        _confidence.words.what_to_do(of_ram) == "Ask for a binding quote of RAM first"
    )
    undated = ask(curve).confidence
    assert "so prices stay as they are" in undated.reason
    assert not [one for one in undated.tornado if one.about.startswith("the price")]


def test_a_price_that_states_its_range_is_drawn_within_it(folder: Path) -> None:
    """It goes before the spread of the last year, is of its own device alone, and holds of the user's own too."""
    made = dated("2026-Q3")
    ranged = tuple(
        replace(one, low=one.usd, high=one.usd * 4)
        if one.device_id == SHELF[0]
        else one
        for one in made.prices
    )
    table, contenders = contenders_at(folder, replace(made, prices=ranged))
    key = f"={SHELF[0]}"
    found = contenders.spreads[key]
    assert "nvme" not in contenders.spreads
    assert (found.low, found.high, found.place_as_is) == (1.0, 4.0, 0.0)
    assert [found.at(place) for place in (0.0, 0.5, 1.0)] == [1.0, 2.0, 4.0]
    twice = contenders.on(table.setting.curve, State(prices={key: 2.0}))
    spent = [
        each.cents
        for row in contenders.rows.tolist()
        for each in [uncertain_purchases(table, row, {}).get(key)]
        if each is not None
    ]
    store = table.options.store_devices[contenders.rows]
    more = (twice.fixed + twice.unit * store) - (
        contenders.fixed + contenders.unit * store
    )
    assert sorted(more[more > 0] * 36) == pytest.approx(
        sorted(cents / 100 for cents in spent), abs=1.0
    )
    assert _confidence.words.name_of(Input(_draws.PRICE, (key,))) == (
        f"the price of `{SHELF[0]}`"
    )
    assert _confidence.words._about_price(key, found) == (
        f"`{SHELF[0]}` by {percent(3.0)} up, as its source states"
    )
    # It has one open end: nothing is said of the other.
    assert _confidence.words._about_price(key, replace(found, low=0.25, high=1.0)) == (
        f"`{SHELF[0]}` by {percent(0.75)} down, as its source states"
    )
    both = _confidence.words._about_price(key, replace(found, low=0.25))
    assert f"by {percent(3.0)} up or {percent(0.75)} down" in both
    text = _confidence.ranges._price_text
    assert text("`a`", found.low) == "`a` costs as much as assumed"
    assert text("hard disks", 1.0) == "hard disks cost as much as assumed"
    assert text("`a`", 0.5) == "`a` costs 50.0 % less"
    figure = Figure(
        Decimal("0.5"),
        "USD/GB",
        "a quote",
        low=Decimal("0.4"),
        high=Decimal("0.75"),
    )
    own = replace(
        catalog.device(SHELF[0]), id="own-drive", figures={"unit_price": figure}
    )
    price = own_price(own)
    assert price is not None
    assert price.factors == (0.8, 1.5)


def test_what_is_too_short_to_show_ends_with_what_the_last_half_still_saw() -> None:
    """600 pages in the first half, 20 in the last: no more than 20 in half of the accesses are still to come."""
    draws = np.random.default_rng(0)
    first, second = draws.integers(0, 600, 30_000), draws.integers(0, 600, 30_000)
    second[:20] = np.arange(600, 620)
    found = profile_of(np.concatenate((np.arange(600), first, second)))
    steady = found.steady()
    whole = steady.counted_band(np.asarray([1000.0]))[1]
    assert float(whole[0]) == pytest.approx(620)
    ranges = _draws.ranges_of(steady, np.asarray([1000.0]))
    at = int(np.searchsorted(ranges.curve.pages, 1000))
    assert float(ranges.high[at]) == pytest.approx(40, rel=0.05)
    places = {Input(_draws.SHORT): 1.0}
    most = _draws.curve_at(ranges, places).misses(1000.0)
    assert float(most) == pytest.approx(40, rel=0.05)
    none = profile_of(np.concatenate((np.arange(600), first, first))).steady()
    assert float(_draws.ranges_of(none, np.asarray([1000.0])).high[-1]) == 0.0
    without = replace(steady, cold=replace(found, windows=None))
    assert float(_draws.ranges_of(without, np.asarray([1000.0])).high[at]) == (
        pytest.approx(620)
    )


def test_bars_end_where_the_draws_end(tmp_path: Path) -> None:
    """A page that was never seen before comes every 400th time in the last half, and all 3,000 others in the first."""
    draws = np.random.default_rng(0)
    first, second = draws.integers(0, 3000, 30_000), draws.integers(0, 3000, 30_000)
    second[::400] = np.arange(3000, 3075)
    recorded = profile(trace_of(tmp_path, np.concatenate((first, second))))
    # Nobody states the size of its data: what RAM for all that it touched misses is not known.
    curve = recorded.curve.steady()
    found = ask(curve, objective="io_time")
    assert found.confidence.probability_best is not None
    [short] = [one for one in found.warnings if one.name == "steady_state_uncertain"]
    [bar] = [one for one in found.confidence.tornado if one.about == short.message]
    last = "first touches miss there as often as they came in the last half of the recording"
    assert bar.low == "no first touch misses there"
    assert bar.high == last
    # Far fewer than if every first touch missed.
    assert bar.io_time_us_high is not None
    whole = Ends(*_asked_of(found, curve, "io_time")).at(short)[-1]
    assert whole.when == "every first touch misses there"
    assert 0 < bar.io_time_us_high < whole.io_us / 10
    # The caution speaks of the same range.
    assert found.weigh is not None
    assert f"if {last}" in found.weigh(short).text


def test_a_caution_whose_range_holds_a_flip_could_change_the_choice(
    folder: Path,
) -> None:
    """At both ends the same choice, between them another: the effect says so, at its price."""
    curve = production(stationary(folder))
    found = ask(curve)
    ends = Ends(*_asked_of(found, curve, "usd"))
    calm = [
        one
        for one in found.warnings
        if ends.at(one) and ends.effect(one).could_change_choice is False
    ]
    assert calm
    bar = Bar(
        calm[0].message,
        "low",
        "high",
        Decimal(1),
        Decimal(1),
        "a",
        "a",
        changes=False,
        flip="the misses are 12 % fewer",
        usd_per_month_flip=Decimal("958.19"),
    )
    ends.flip([bar])
    effect = ends.effect(calm[0])
    assert effect.could_change_choice is True
    assert effect.text.endswith(
        "if the misses are 12 % fewer: another choice would be the best, at 958 USD per month"
    )
    # In an answer bars and cautions say one thing.
    for one in found.confidence.tornado:
        said = [each for each in found.cautions if each.message == one.about]
        if one.flip is not None or one.changes:
            assert all(each.could_change_choice for each in said)


def _asked_of(found: Any, curve: Curve, objective: Any) -> tuple[Any, Table, int]:
    asked = asked_of(
        curve, (None, None), DEVICES, None, {}, objective, book(), 36, (None, None), 0
    )
    table = Table.of(asked.setting)
    titles = [table.title(at) for at in range(len(table.options))]
    return asked, table, titles.index(found.recommendation.name)


def test_a_bar_that_changes_the_choice_has_a_flip(folder: Path) -> None:
    stated = Production(TIB, 1_000.0, 2_000.0)
    curve = scale.answer(stationary(folder), stated).profile.curve.steady()
    disks = Candidates(kinds=("devices",), devices=SHELF[1:], reserved_gib=Decimal(0))
    found = ask(curve, candidates=disks)
    cautions = {
        one.message for one in found.warnings if one.name == "scale_extrapolated"
    }
    [law] = [one for one in found.confidence.tornado if one.about in cautions]
    assert law.low.endswith("fewer than the law says")
    assert law.high.endswith("what the law says")
    assert law.flip is not None
    for bar in found.confidence.tornado:
        assert bar.flip is not None or not bar.changes


def profile_of(pages: np.ndarray[Any, Any]) -> Curve:
    with TemporaryDirectory() as folder:
        return profile(trace_of(Path(folder), pages)).curve


def test_prices_by_draw_cost_what_each_draw_alone_costs() -> None:
    buys = buys_of(3, draws=24)
    generator = np.random.default_rng(5)
    factors = generator.random((24, 1)) + 0.5
    by_draw = replace(buys, fixed=buys.fixed * factors, unit=buys.unit * factors)
    costs = by_draw.costs(by_draw.bought)
    half = np.arange(24) % 2 == 0
    assert np.array_equal(by_draw.rows(half).costs(buys.bought), costs[half])
    for at in range(24):
        one = np.arange(24) == at
        alone = replace(buys.rows(one), fixed=by_draw.fixed[at], unit=by_draw.unit[at])
        assert np.array_equal(alone.costs(buys.bought)[0], costs[at])


def test_a_size_is_tested_for_drift_from_when_it_was_full() -> None:
    """The largest contender is full after half of the windows, which are left out: of smaller sizes, full before, none is."""
    count = 60
    first = np.full(count, 10)
    first[5 : count // 2] = 14
    first[count // 2 :] = 0
    level = np.where(np.arange(count) % 2, 90, 110)
    small = level.copy()
    small[count // 2 :] = np.linspace(130, 70, count // 2).astype(int)
    windows = Windows(
        np.asarray([20, 40, 400]),
        np.full(count, 1000),
        first,
        np.stack([small, level, np.full(count, 50)], axis=1),
        np.zeros((count, 3), dtype=np.int64),
        np.zeros(3, dtype=np.int64),
    )
    sizes = np.asarray([20.0, 40.0, 400.0])
    recorded = _draws.after_warm_up(windows, sizes, sizes[:1])
    assert recorded.warm_up == count // 2
    # What is never full, or after more than half, is shown by no window however many are left out.
    for never in (401.0, 1e9):
        other = np.asarray([20.0, 40.0, never])
        assert _draws.after_warm_up(windows, other, sizes[:1]).warm_up == 4
    # Where none of the sizes is full by then, half are left out, and what was full is looked at in the others.
    none = np.asarray([401.0, 1e9])
    late = _draws.after_warm_up(windows, none, none[:1])
    assert (late.warm_up, late.full) == (count // 2, 3)
    assert len(recorded.series_since_full(0)) == count - 2
    assert len(recorded.series_since_full(1)) == count - 4
    generator = np.random.default_rng(0)
    # The half alone would drift; the whole of it does not.
    assert drift(recorded.series(0), 400, generator).is_drift
    assert not drift(recorded.series_since_full(0), 400, generator).is_drift
    assert recorded.drifts(generator) == {}
    small[2:] = np.linspace(130, 70, count - 2).astype(int)
    misses = np.stack([small, level, np.full(count, 50)], axis=1)
    falling = _draws.after_warm_up(replace(windows, misses=misses), sizes, sizes[:1])
    found = falling.drifts(generator)
    assert set(found) == {20}
    assert found[20].change == pytest.approx(-0.6, abs=0.02)


@pytest.mark.parametrize("inputs", [2, 8])
def test_inputs_are_drawn_as_evenly_as_by_the_latin_hypercube_of_scipy(
    inputs: int,
) -> None:
    from scipy.stats import qmc

    def ours(seed: int) -> Any:
        generator = np.random.default_rng(seed)
        return np.column_stack([_draws.strata(generator) for _ in range(inputs)])

    def scipys(seed: int) -> Any:
        return qmc.LatinHypercube(inputs, rng=np.random.default_rng(seed)).random(
            _draws.DRAWS
        )

    def even(seed: int) -> Any:
        return np.random.default_rng(seed).random((_draws.DRAWS, inputs))

    # Each input lies once in each stratum.
    parts = np.sort(np.floor(ours(0) * _draws.DRAWS), axis=0)
    assert np.array_equal(parts, np.tile(np.arange(_draws.DRAWS), (inputs, 1)).T)
    assert np.array_equal(ours(3), ours(3))
    means = [
        np.mean([qmc.discrepancy(design(seed)) for seed in range(20)])
        for design in (ours, scipys, even)
    ]
    assert means[0] == pytest.approx(means[1], rel=0.15)
    assert means[0] < 0.7 * means[2]


def test_bars_say_how_many_inputs_have_none() -> None:
    words = _confidence.bars.bars_text
    assert words(9, 9, 8) == (
        "Besides the windows of the recording 9 inputs were drawn, and 8 of them have bars: 1 other input changes the cost "
        "by no more than those shown."
    )
    assert words(2, 0, 0) == (
        "Besides the windows of the recording 2 inputs were drawn, and none of them has a bar: at the ends of the 2, each "
        "by itself, the cost of the best option stays the same."
    )
    assert words(3, 3, 3).endswith("3 of them have bars.")
    assert "at the ends of the other, by itself," in words(3, 2, 2)
    assert "at the ends of its range, by itself," in words(1, 0, 0)
    assert words(0, 0, 0).startswith("Only the windows")
    assert "9 inputs" in words(9, 1, 1, "I/O time")
    assert "cost" not in words(9, 8, 1, "I/O time")


def test_a_page_flow_at_the_same_price_that_breaks_in_fewer_draws_is_named() -> None:
    """Lazy and Exclusive on one machine: which is recommended is not decided by the draws, but said."""
    lazy, exclusive, other = (
        CHOICES.index(each) for each in ("lazy", "exclusive", "inclusive")
    )
    shares = {lazy: 0.56, exclusive: 0.37, other: 0.2}

    def made(cents: dict[int, int], broken: frozenset[int] = frozenset()) -> Any:
        schemes = np.asarray([*shares])
        draws = np.arange(100)
        options = SimpleNamespace(
            scheme=schemes,
            month_cents=np.asarray([cents.get(each, 100) for each in shares]),
            **dict.fromkeys(
                (
                    "machines",
                    "ram_bytes",
                    "flash_bytes",
                    "store_devices",
                    "flash_devices",
                ),
                np.ones(3),
            ),
        )
        return SimpleNamespace(
            chosen=0,
            buys=SimpleNamespace(
                breaks=lambda at: draws < 100 * shares[int(schemes[at])]
            ),
            draws=SimpleNamespace(ranges=SimpleNamespace(curve=None)),
            contenders=SimpleNamespace(
                options=options,
                hardware=np.zeros(3),
                on=lambda *_: None,
                buys=lambda _: SimpleNamespace(
                    breaks=lambda at: np.asarray([int(schemes[at]) in broken])
                ),
            ),
        )

    def said(*of: Any) -> str:
        return _confidence.sturdier.sturdier_text(made(*of), 0.56, may_be_small=True)

    assert said({other: 101}) == (
        " Under Exclusive, at the same price, it is too small in 37 % of all draws."
    )
    assert "Under Inclusive" in said({})
    # What breaks a limit as it is stated could not be recommended.
    assert "Under Exclusive" in said({}, frozenset({other}))
    assert said({other: 101, exclusive: 99}) == ""
    shares[exclusive] = 0.56
    assert said({other: 101}) == ""
