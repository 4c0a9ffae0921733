"""Sizes that need not be things to buy: their least cost, its bound, and the marginal interval that finds the same."""

from __future__ import annotations

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
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.advice import _continuous
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Continuous
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.continuous import Tiers, least_cost
from tierwright.evaluate.advice.rows import CHOICES
from tierwright.evaluate.break_even.interval import break_even_interval
from tierwright.evaluate.modern.break_even import curve_break_even
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.hardware.device import Device, Figure
from tierwright.profile.curve import Curve, Given
from tierwright.profile.production import Production

FLASH_USD = 750e-12 / 36


def shelf_of(
    store_usd: float, read_us: float, write_us: float, space: float, flash_usd: float
) -> list[Tiers]:
    store = (store_usd, (read_us, write_us), space)
    cache = (flash_usd, (1.25, 5.0), 7.68e12)
    return [
        Tiers(name, *store) if name == "none" else Tiers(name, *store, *cache)
        for name in CHOICES
    ]


tiers_drawn = st.builds(
    shelf_of,
    st.floats(1, 500),
    st.floats(1, 9000),
    st.floats(1, 9000),
    st.floats(0.1, 50),
    st.floats(FLASH_USD / 50, FLASH_USD * 50),
)
drawn: dict[str, Any] = {
    "ram_usd": st.floats(1e-12, 1e-8),
    "accesses_per_s": st.floats(1, 1e6),
    "most_busy": st.floats(0.1, 1),
}


@pytest.mark.oracle("evaluate.advice.continuous.least_cost")
@pytest.mark.formula("evaluate.advice.continuous.least_cost")
@settings(max_examples=6, deadline=None)
@given(
    listed=tiers_drawn,
    places=st.lists(
        st.tuples(st.integers(0, len(CHOICES) - 1), st.floats(0, 1), st.floats(0, 1)),
        min_size=5,
        max_size=20,
    ),
    **drawn,
)
def test_no_sizes_cost_less_than_the_bound(
    listed: list[Tiers],
    places: list[tuple[int, float, float]],
    ram_usd: float,
    accesses_per_s: float,
    most_busy: float,
) -> None:
    shape, most = curve(), 2.0**29
    found = least_cost(
        shape,
        listed,
        ram_usd=ram_usd,
        accesses_per_s=accesses_per_s,
        most_busy=most_busy,
        most_pages=most,
        close=0.02,
    )
    assert found.bound <= found.usd
    assert 0 <= found.gap <= 0.05
    asked = (ram_usd, accesses_per_s, most_busy)
    own = slow_cost(shape, listed[found.at], found.ram_pages, found.flash_pages, asked)
    assert found.usd == pytest.approx(own, rel=1e-3)  # it takes whole pages
    for at, ram_place, flash_place in places:
        ram, flash = (
            float(np.round(np.exp(each * np.log(most))))
            for each in (ram_place, flash_place)
        )
        # There too where both, or flash alone, just hold all of the data, or lack a page of it.
        for cached in {flash, most, most - 1, most - ram, most - ram - 1}:
            held = 0.0 if CHOICES[at] == "none" else max(cached, 1.0)
            cost = slow_cost(shape, listed[at], ram, held, asked)
            assert cost >= found.bound * (1 - 1e-9)


def test_a_jump_where_all_of_the_data_is_held_leaves_no_gap() -> None:
    """The counts fall to none within a page, whatever the sizes: smaller boxes alone do not tell the two sides apart."""
    found = least_cost(
        curve(),
        shelf_of(1.0, 1.0, 65.0, 1.0, 1e-12),
        ram_usd=6.0467459397673e-10,
        accesses_per_s=831_263.0,
        most_busy=0.5,
        most_pages=2.0**29,
        close=0.02,
    )
    assert found.gap <= 0.02
    assert found.boxes < 10_000


def test_what_is_short_of_the_data_misses_as_one_page_less() -> None:
    shape = curve()
    data, short = shape.all_data_from, shape.short_of_data()
    assert data is not None
    sizes = np.asarray([0.0, 1.0, data / 2, data - 2, data - 1])
    for name in ("misses", "write_backs"):
        whole, part = (getattr(each, name) for each in (shape, short))
        assert np.array_equal(part(sizes), whole(sizes))
        assert np.array_equal(
            part(np.asarray([data, 2 * data])), [whole(data - 1.0)] * 2
        )
        assert whole(data) < part(data)
    cold = replace(shape, scaled=None)
    assert cold.all_data_from is None
    assert cold.short_of_data() is cold


def slow_cost(
    shape: Curve,
    tiers: Tiers,
    ram: float,
    flash: float,
    asked: tuple[float, float, float],
) -> float:
    """Cost of sizes by one evaluation of the page flow. [USD/month]"""
    ram_usd, rate, most_busy = asked
    terms = (
        evaluate(
            shape,
            ram_pages=round(ram),
            flash_pages=round(flash),
            flash=times_device(*tiers.flash_us) if flash else times_device(1.0, 1.0),
            disk=times_device(*tiers.store_us),
        )
        .schemes[tiers.scheme]
        .cost_terms_us_per_access
    )
    load = rate / 1e6 / most_busy
    disk = terms["disk_reads"] + terms["disk_writes"]
    cache = sum(us for name, us in terms.items() if name.startswith("flash"))
    if not flash:
        cache = 0.0
    devices = max(tiers.space, disk * load)
    paid = max(flash * shape.page_bytes, cache * load * tiers.flash_bytes)
    held = ram * shape.page_bytes * ram_usd
    return held + devices * tiers.store_usd + paid * tiers.flash_usd


def times_device(read_us: float, write_us: float) -> Device:
    """Make a device whose busy times are known exactly."""
    figures = {
        name: Figure(Decimal(repr(1e6 / us)), "1/s", "a test")
        for name, us in (("read_iops", read_us), ("write_iops", write_us))
    }
    figures["page_bytes"] = Figure(Decimal(8192), "B", "a test")
    return Device("made-up", "Made up", "nvme", figures=figures)


@settings(max_examples=tried(15), deadline=None)
@given(
    read_us=st.floats(50, 9000),
    device_usd=st.floats(1, 2000),
    ram_usd=st.floats(1e-11, 1e-7),
    rate=st.floats(10, 1e6),
)
def test_the_marginal_interval_crosses_at_the_optimiser_s_size(
    read_us: float, device_usd: float, ram_usd: float, rate: float
) -> None:
    """One RAM tier, priced reads alone, no limit: RAM is bought as long as a page of it saves a read often enough."""
    shape = reads_alone()
    found = least_cost(
        shape,
        [Tiers("none", device_usd, (read_us, 0.0), 0.0)],
        ram_usd=ram_usd,
        accesses_per_s=rate,
        most_busy=1.0,
        most_pages=float(shape.last_listed),
        close=1e-9,
    )
    interval_s = break_even_interval(
        page_bytes=shape.page_bytes,
        accesses_per_s=1e6 / read_us,
        device_usd=device_usd,
        memory_usd_per_byte=ram_usd,
    )
    crossing = curve_break_even(
        pages=shape.knots,
        misses=shape.knot_misses,
        duration_s=shape.accesses / rate,
        break_even_s=float(interval_s),
    )
    size = max(crossing.pages, 1.0)
    asked = (ram_usd, rate, 1.0)
    [tiers] = [Tiers("none", device_usd, (read_us, 1e-9), 0.0)]
    at_crossing = slow_cost(shape, tiers, size, 0.0, asked)
    assert found.usd == pytest.approx(at_crossing, rel=1e-6)
    # Where no other corner of the hull costs as much, it is the same size.
    costs = [
        slow_cost(shape, tiers, max(each, 1.0), 0.0, asked)
        for each in crossing.hull_pages
    ]
    if sorted(costs)[1] > sorted(costs)[0] * (1 + 1e-5) or len(costs) == 1:
        assert found.ram_pages == pytest.approx(size, rel=1e-6)


def reads_alone() -> Curve:
    """A curve of a few corners, on its lower hull and off it."""
    return Curve.from_lists(
        [1, 10, 50, 200, 600, 1000],
        [9000, 5000, 4500, 1200, 1000, 400],
        [0] * 6,
        accesses=10_000,
        distinct_pages=400,
        page_bytes=8192,
        write_accesses=0,
    )


@settings(max_examples=8, deadline=None)
@given(problem=problems)
def test_no_option_of_devices_costs_less_than_any_sizes_could(
    problem: dict[str, Any],
) -> None:
    asked = question(
        {**asked_of({**problem, "limits": {}, "objective": "usd", "have": None})}
    )
    table = Table.of(asked.setting)
    found = _continuous.continuous(asked, table, None)
    assert found is not None
    options = table.options
    keeps = options.peak_busy <= asked.setting.most_busy
    least = options.month_cents[keeps].min(initial=2**62) / 100
    # Each line of a bill is rounded to the cent.
    assert least >= float(found.least_usd_per_month) - 0.05
    assert found.usd_per_month >= found.least_usd_per_month


@settings(max_examples=12, deadline=None)
@given(
    problem=problems,
    data=st.integers(2**28, 2**35),
    reserved=st.sampled_from(["0", "0.5", "3.5", "4"]),
)
def test_no_size_that_is_sold_lies_beyond_any_sizes(
    problem: dict[str, Any], data: int, reserved: str
) -> None:
    """Small data: RAM is sold in whole GiB, and flash in whole devices, of which the smallest is larger than the data."""
    stated = {**problem, "data": data, "limits": {}, "objective": "usd", "have": None}
    asked = asked_of(stated)
    asked["candidates"] = replace(
        asked["candidates"], reserved_gib=Decimal(reserved), machine_usd=Decimal(900)
    )
    read = question(asked)
    table = Table.of(read.setting)
    found = _continuous.continuous(read, table, None)
    assert found is not None
    keeps = table.options.peak_busy <= read.setting.most_busy
    least = table.options.month_cents[keeps].min(initial=2**62) / 100
    assert least >= float(found.least_usd_per_month) - 0.05


@settings(max_examples=4, deadline=None)
@given(problem=problems, data=st.integers(2**28, 2**42))
def test_any_sizes_never_cost_more_than_the_recommendation(
    problem: dict[str, Any], data: int
) -> None:
    stated = {**problem, "data": data, "limits": {}, "objective": "usd", "have": None}
    asked = asked_of(stated)
    asked["candidates"] = replace(asked["candidates"], reserved_gib=Decimal(4))
    read = question(asked)
    best = ask(**asked).recommendation
    assert best is not None
    cost = best.usd_per_month
    assert cost is not None
    # Three lines of a bill may be rounded down by half a cent each.
    for usd in (cost, cost - Decimal("0.01")):
        bought = replace(best, usd_per_month=usd)
        found = _continuous.continuous(read, Table.of(read.setting), bought)
        assert found is not None
        assert found.least_usd_per_month <= found.usd_per_month <= usd
        assert " less." not in found.text.rpartition("The recommendation")[2]


def test_the_size_that_is_sold_beyond_the_data_is_among_any_sizes() -> None:
    """Data of 1.1 GiB, of which a cache of 1.1 GiB misses a tenth and one of 2 GiB nothing: 6 GiB with the system's 4 are sold."""
    pages = 2**17 * 11 // 10
    shape = Curve.from_lists(
        [1000, pages, 2**18],
        [900_000, 100_000, 1],
        None,
        accesses=1_000_000,
        distinct_pages=2**18,
        page_bytes=8192,
        write_accesses=0,
        given=Given("table", data_known=True),
    ).with_dirty_share(0.0)
    shape = replace(shape, distinct_pages=pages)
    found = ask(
        curve=shape,
        accesses_per_s=100_000.0,
        candidates=replace(DEVICES_ALONE, devices=(SHELF[2],), reserved_gib=Decimal(4)),
        how_sure=True,
    )
    best, sizes = found.recommendation, found.continuous
    assert best is not None
    assert sizes is not None
    assert best.usd_per_month is not None
    assert best.ram_bytes == 6 * GIB
    assert sizes.least_usd_per_month <= sizes.usd_per_month <= best.usd_per_month
    assert "USD per month less" not in sizes.text


def any_sizes(**stated: Any) -> Continuous | None:
    usual: dict[str, Any] = {
        "curve": curve(),
        "prices": book(**PRICES),
        "candidates": DEVICES_ALONE,
        "have": None,
        "constraints": {},
        "objective": "usd",
    }
    asked = question(usual | stated)
    return _continuous.continuous(asked, Table.of(asked.setting), None)


def test_the_answer_says_what_any_sizes_would_cost() -> None:
    found = ask(how_sure=True)
    best, sizes = found.recommendation, found.continuous
    assert best is not None
    assert best.usd_per_month is not None
    assert sizes is not None
    assert sizes.gap < 0.01
    assert sizes.least_usd_per_month <= sizes.usd_per_month
    assert sizes.least_usd_per_month <= best.usd_per_month
    assert "The recommendation costs" in sizes.text
    assert ask().continuous is None


def test_another_objective_or_limit_has_no_such_sizes() -> None:
    assert any_sizes() is not None
    assert any_sizes(objective="io_time") is None
    assert any_sizes(constraints={"machines": Decimal(4)}) is None
    assert any_sizes(constraints={"peak_busy": Decimal("0.5")}) is not None
    assert any_sizes(curve=replace(curve(), scaled=None)) is None
    assert any_sizes(prices=None) is None


def test_what_is_said_of_any_sizes_follows_from_the_figures() -> None:
    def said(usd: str, least: str, best: Any) -> str:
        return _continuous.continuous_text(
            (16 * GIB, TIB), ("ssd", "disk"), "lazy", Decimal(usd), Decimal(least), best
        )

    option = ask().recommendation
    assert option is not None
    at_100 = replace(option, usd_per_month=Decimal(100))
    assert "no sizes cost less." in said("80", "80", None)
    assert "no sizes cost less than 79 USD." in said("80", "79", None)
    assert "costs 20 USD per month more, 25.0 % of that." in said("80", "80", at_100)
    assert "costs 20 USD per month less." in said("120", "120", at_100)
    assert "costs as much." in said("100", "100", at_100)
    assert "16 GiB of RAM and 1 TiB of ssd before disk" in said("80", "80", None)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ram_usd": 0.0}, "ram_usd"),
        ({"accesses_per_s": float("nan")}, "accesses_per_s"),
        ({"tiers": []}, "tiers"),
    ],
)
def test_what_is_out_of_range_is_named(wrong: dict[str, Any], said: str) -> None:
    usual: dict[str, Any] = {
        "tiers": shelf_of(20, 7000, 7000, 1, FLASH_USD),
        "ram_usd": 1e-9,
        "accesses_per_s": 100.0,
        "most_busy": 0.7,
        "most_pages": 1e6,
    }
    asked = usual | wrong
    with pytest.raises(BadInput, match=said):
        least_cost(curve(), asked.pop("tiers"), **asked)


def test_several_machines_are_priced_together() -> None:
    one, two = (
        any_sizes(
            curve=curve(Production(4 * TIB, 20_000.0 * n, 50_000.0 * n, machines=n))
        )
        for n in (1, 2)
    )
    assert one is not None
    assert two is not None
    assert two.usd_per_month > one.usd_per_month
