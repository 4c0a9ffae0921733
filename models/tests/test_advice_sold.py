"""What an advice recommends can be bought: volumes that an instance takes, sizes that are sold, names that tell devices apart."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, SHELF, ask, curve
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Candidates
from tierwright.common.currency import money
from tierwright.evaluate.advice.tiers import (
    FLASH_COUNTS,
    flash_counts,
    least_ram,
    ram_sizes,
)
from tierwright.evaluate.bill import billed_size_gib
from tierwright.hardware import catalog
from tierwright.hardware.build import build_from_mapping
from tierwright.profile.production import Production


def test_the_name_of_an_option_says_which_devices_cache_and_which_hold_the_data() -> (
    None
):
    found = ask()
    options = [*found.alternatives, *(each.option for each in found.rejected)]
    cached = [each for each in options if each.flash_bytes]
    assert cached
    for option in cached:
        assert option.name.endswith(" for the data")
        assert option.name.count(" as flash cache") == 1
        assert option.name.index("as flash cache") < option.name.index("for the data")
    bare = [each for each in options if not each.flash_bytes]
    assert bare
    assert not any("for the data" in each.name for each in bare)
    few = replace(DEVICES_ALONE, devices=(SHELF[0], SHELF[3]))
    found = ask(candidates=few, how_sure=True)
    ends = [
        name
        for bar in found.confidence.tornado
        for name in (bar.best_low, bar.best_high)
        if name is not None
    ]
    assert any("as flash cache" in each for each in ends)
    assert all((", page flow " in each) == ("as flash" in each) for each in ends)


@pytest.mark.parametrize("gib", [200, 1024])
def test_no_option_has_more_volumes_than_its_instance_takes(gib: int) -> None:
    found = ask(
        curve=curve(Production(gib * 2**30, 1000.0, 1000.0)),
        candidates=Candidates(kinds=("volumes",)),
    )
    assert found.recommendation is not None
    for option in (found.recommendation, *found.alternatives, *found.pareto):
        build = build_from_mapping(option.config)
        assert build.server is not None
        count = sum(each.quantity for each in build.volumes)
        assert count <= (build.server.block_volumes or 3)
        assert all(each.size_gib == billed_size_gib(each) for each in build.volumes)
    # Of disks of 32 GiB alone: what is listed of all is full of volumes that are slower, and cost less.
    small = ask(
        curve=curve(Production(gib * 2**30, 1000.0, 1000.0)),
        candidates=Candidates(
            kinds=("volumes",), volumes=("azure-premium-p4", "azure-standard-hdd-s4")
        ),
    )
    rejected = [
        each.option
        for each in small.rejected
        if "volume_count" in (each.constraint, *(more.constraint for more in each.also))
    ]
    # Eight disks of 32 GiB hold the smaller data.
    assert bool(rejected) == (gib > 8 * 32)
    assert all("x azure-" in each.name for each in rejected)


def test_an_end_of_what_is_not_known_names_what_its_price_buys() -> None:
    """More machines of the same things are not called the same choice, nor named as one machine at the price of several."""
    question: dict[str, Any] = {
        "curve": curve(Production(4 * 2**40, 20_000.0, 40_000.0)),
        "candidates": Candidates(
            kinds=("volumes",),
            servers=("aws-i4i.xlarge",),
            volumes=("aws-ebs-gp3",),
        ),
    }
    found = ask(**question, how_sure=True)
    assert found.recommendation is not None
    [bar] = [each for each in found.confidence.tornado if "the law" in each.high]
    assert found.recommendation.usd_per_month is not None
    assert bar.usd_per_month_high is not None
    assert bar.best_high is not None
    assert bar.usd_per_month_high > found.recommendation.usd_per_month
    [caution] = [each for each in found.cautions if each.code == "scale_extrapolated"]
    name = bar.best_high.partition(", page flow")[0]
    assert not name.startswith(f"{found.recommendation.machines} x")
    assert f"the same kind, {name}" in caution.effect
    assert money(bar.usd_per_month_high) in caution.effect
    # Another number of machines at another price is another purchase.
    assert caution.could_change_choice is True
    # What is named costs what is stated, as any option of that name does.
    asked = advice.asked_of(
        question["curve"],
        (None, None),
        question["candidates"],
        None,
        {},
        "usd",
        None,
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    cents = {
        int(table.options.month_cents[at])
        for at in range(len(table.options))
        if table.title(at) == name
    }
    assert cents == {int(bar.usd_per_month_high * 100)}


def test_the_smallest_ram_that_is_sold_is_a_candidate_however_large_the_data_are() -> (
    None
):
    """Five drives of 24 TB hold 100 TiB and carry 50 accesses per second with any RAM: the least is the cheapest."""
    months, usd_per_gib, usd_per_gb = 36, Decimal("20.625"), Decimal("0.04")
    drives = 5 * 24_000 * usd_per_gb
    for reserved, gib in ((4, 5), (0, 4)):
        found = ask(
            curve=curve(Production(100 * 2**40, 50.0, 50.0)),
            candidates=replace(
                DEVICES_ALONE, devices=(SHELF[2],), reserved_gib=Decimal(reserved)
            ),
        )
        best = found.recommendation
        assert best is not None
        assert (best.ram_bytes, best.disks) == (gib * 2**30, 5)
        lines = [(gib * usd_per_gib / months), drives / months]
        assert best.usd_per_month == sum(round(each, 2) for each in lines)


@pytest.mark.oracle("evaluate.advice.tiers.flash_counts")
@pytest.mark.formula("evaluate.advice.tiers.flash_counts")
@given(devices=st.floats(1e-6, 100), name=st.sampled_from(SHELF))
def test_flash_is_sold_until_it_holds_the_data(devices: float, name: str) -> None:
    device = catalog.device(name)
    held = device.capacity_bytes
    assert held is not None
    data = devices * held
    counts = flash_counts(device, data)
    assert set(counts) <= set(FLASH_COUNTS)
    # One device always, and of more none without which the data would fit already.
    assert all(each == 1 or (each - 1) * held < data for each in counts)
    left_out = set(FLASH_COUNTS) - set(counts)
    assert all((each - 1) * held >= int(data) for each in left_out)


@pytest.mark.oracle("evaluate.advice.tiers.least_ram")
@pytest.mark.formula("evaluate.advice.tiers.least_ram")
@settings(max_examples=200)
@given(
    data=st.integers(2**20, 2**60),
    reserved=st.integers(0, 2**36),
    page=st.sampled_from([512, 8192, 2**20]),
)
def test_the_sizes_of_ram_reach_from_the_data_to_the_smallest_that_is_sold(
    data: int, reserved: int, page: int
) -> None:
    gib = 2**30
    sizes = ram_sizes(data, page, reserved)
    bought = sizes + reserved
    whole = bought[bought >= 4 * gib]
    assert (whole % gib == 0).all()
    assert (sizes >= page).all()
    assert sizes[-1] >= data
    # Not below 4 GiB, and a page beside what the system takes; of small data as far as a 4096th.
    smallest = max(4 * gib, -(-(reserved + page) // gib) * gib)
    assert bought[0] <= max(smallest, min(data / 4096 + reserved + gib, 2.0**61))
    assert least_ram(page, reserved) == smallest
    if data > 4096 * smallest:
        assert bought[0] == smallest
    # No step is larger than the square root of 2, but for whole GiB on both of its ends.
    assert (sizes[1:] <= sizes[:-1] * 2**0.5 * (1 + 1e-9) + 2 * gib).all()
