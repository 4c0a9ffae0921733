"""Devices that carry the load of production: by hand, whole, priced, and in words."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_page_flow_evaluate import CURVE, FULL, book, device

from tierwright.advise import compare
from tierwright.advise.compare import Comparison
from tierwright.evaluate.page_flow.at_load import devices_needed
from tierwright.hardware.tier_prices import CostPart, part_of_devices
from tierwright.profile.curve import Curve, Given
from tierwright.profile.production import Production, Scaled

GB = 10**9


def capacity(gigabytes: float) -> dict[str, Any]:
    return {"capacity": {"value": gigabytes, "unit": "GB", "source": "test"}}


FLASH = device("flash", "nvme", 100, 200, **capacity(3200))
DISK = device("disk", "hdd", 1000, 2000, **capacity(24_000))
BOUGHT = book(
    {"kind": "dram", "usd_per_gib": 3600, "source": "s"},
    {"kind": "nvme", "usd_per_gb": 0.36, "source": "s"},
    {"kind": "hdd", "usd_per_gb": 0.036, "source": "s"},
)


def scaled(rate: float = 10_000, data: int = 4096 * 400, **more: Any) -> Curve:
    production = Production(data, rate, **more)
    return replace(
        CURVE,
        scaled=Scaled("stretch", 1.0, None, production, 4096 * 400, True, 400),
    )


def asked(curve: Curve, **more: Any) -> Comparison:
    choices: dict[str, Any] = {
        "ram_pages": 100,
        "flash_pages": 200,
        "flash": FLASH,
        "disk": DISK,
        "prices": BOUGHT,
        **more,
    }
    return compare.answer(curve, **choices)


@pytest.mark.oracle(
    "evaluate.page_flow.at_load.at_load", "evaluate.page_flow.at_load.devices_needed"
)
def test_worked_by_hand() -> None:
    # Busy times per access as in test_page_flow_evaluate: without flash 560 µs of disk, exclusive
    # 95 µs of flash and 280 µs of disk, each 10,000 times a second: 5.6; 0.95 and 2.8.
    found = asked(scaled())
    load = found.at_load
    assert load is not None
    assert (load.accesses_per_s, load.of_peak, load.machines) == (10_000, False, 1)
    none, exclusive = load.schemes["none"], load.schemes["exclusive"]
    assert none.disk_busy == pytest.approx(5.6)
    assert (none.flash_devices, none.disks) == (0, 6)
    assert exclusive.flash_busy == pytest.approx(0.95)
    assert (exclusive.flash_devices, exclusive.disks) == (1, 3)
    # RAM 100 x 4 KiB at 100 USD/GiB a month; a disk of 24 TB at 0.036 USD/GB is 24 USD a month, a
    # flash device of 3.2 TB at 0.36 USD/GB is 32.
    ram = Decimal(100 * 4096) / 2**30 * 100
    assert none.cost_usd_per_month == pytest.approx(ram + 6 * 24)
    assert exclusive.cost_usd_per_month == pytest.approx(ram + 32 + 3 * 24)
    # Everything on flash: 400 reads at 100 µs and 80 writes at 200: 56 µs, 0.56 busy.
    on_flash = load.outer["all_on_flash"]
    assert (on_flash.flash_devices, on_flash.disks) == (1, 0)
    # RAM is 0.038 USD, 2 disks of 24 TB are for the data alone.
    assert found.load_sentence == (
        "On average, 10,000 accesses per second take at least 1 flash device with everything on "
        "flash (32 USD a month with RAM), 1 flash device and 3 disks under Exclusive (104 USD a "
        "month with RAM) and 6 disks without flash (144 USD a month with RAM)."
    )
    assert found.load_verdict == (
        "Everything on flash costs least: 32 USD a month for 1 flash device and RAM, 72 USD less "
        "than Exclusive."
    )


def test_the_cost_of_the_bytes_does_not_contradict_that_of_the_devices() -> None:
    assert "per month" not in asked(scaled()).standing
    assert "per month" in asked(CURVE).standing


def test_the_scheme_costs_least_where_the_data_are_large() -> None:
    # 20 TB: 7 flash devices at 32 USD a month, or 1 and 3 disks at 24.
    found = asked(scaled(data=20_000 * GB))
    assert found.load_verdict == (
        "Exclusive costs least: 104 USD a month for 1 flash device, 3 disks and RAM, 40 USD less "
        "than no flash."
    )


def test_no_flash_costs_least_where_flash_is_dear() -> None:
    dear = book(
        {"kind": "dram", "usd_per_gib": 3600, "source": "s"},
        {"kind": "nvme", "usd_per_gb": 3.6, "source": "s"},
        {"kind": "hdd", "usd_per_gb": 0.036, "source": "s"},
    )
    found = asked(scaled(data=20_000 * GB), prices=dear)
    assert found.load_verdict == (
        "No flash costs least: 144 USD a month for 6 disks and RAM, 248 USD less than Exclusive."
    )


def test_everything_in_ram_costs_least_where_it_does() -> None:
    # 1.6 MB of data in RAM at 100 USD/GiB a month, and one disk for it; a flash device costs 32.
    cheap = book(
        {"kind": "dram", "usd_per_gib": 3600, "source": "s"},
        {"kind": "nvme", "usd_per_gb": 0.36, "source": "s"},
        {"kind": "hdd", "usd_per_gb": 0.0036, "source": "s"},
    )
    found = asked(replace(scaled(), cold=scaled()), prices=cheap)
    assert found.load_verdict.startswith(
        "Everything in RAM costs least: 2.55 USD a month for 1 disk and RAM, "
    )
    assert "1 disk with everything in ram" not in found.load_sentence
    assert "1 disk with everything in RAM" in found.load_sentence


def test_what_costs_the_same_is_said_to() -> None:
    # One flash device and 3 disks against 6 disks, at the price at which they are equal.
    even = book(
        {"kind": "dram", "usd_per_gib": 3600, "source": "s"},
        {"kind": "nvme", "usd_per_gb": 0.81, "source": "s"},
        {"kind": "hdd", "usd_per_gb": 0.036, "source": "s"},
    )
    found = asked(scaled(data=20_000 * GB), prices=even)
    assert found.load_verdict.startswith(
        "Exclusive and No flash cost the same: 144 USD"
    )


def test_of_the_busiest_hour_where_it_is_known_and_of_one_machine() -> None:
    found = asked(
        scaled(40_000, peak_accesses_per_s=80_000, machines=4, data=4096 * 1600)
    )
    load = found.at_load
    assert load is not None
    assert (load.accesses_per_s, load.of_peak, load.machines) == (20_000, True, 4)
    assert load.schemes["none"].disks == 12
    assert found.load_sentence.startswith(
        "In the busiest hour, 20,000 accesses per second of each machine take at least"
    )


def test_data_that_fill_more_disks_than_the_load_takes_decide() -> None:
    found = asked(scaled(10, data=50_000 * GB))
    load = found.at_load
    assert load is not None
    assert load.schemes["none"].disks == 3
    assert load.schemes["exclusive"].disks == 3
    assert "3 disks without flash (" in found.load_sentence


def test_without_flash_no_flash_device_is_needed() -> None:
    found = asked(scaled(), flash_pages=0)
    load = found.at_load
    assert load is not None
    assert load.schemes["none"].flash_devices == 0
    assert found.load_sentence == (
        "On average, 10,000 accesses per second take at least 1 flash device with everything on "
        "flash (32 USD a month with RAM) and 6 disks without flash (144 USD a month with RAM)."
    )


def test_without_prices_there_is_a_number_and_no_money() -> None:
    found = asked(scaled(), prices=None)
    load = found.at_load
    assert load is not None
    assert load.schemes["none"].cost_usd_per_month is None
    assert load.schemes["none"].cost_reason
    assert "USD" not in found.load_sentence
    assert found.load_verdict == ""


def test_what_is_rented_is_rented_in_as_many_volumes() -> None:
    # FULL rents the disk at 1 USD/GB a month: bytes are billed once, however many volumes.
    load = asked(scaled(), prices=FULL).at_load
    assert load is not None
    none = load.schemes["none"]
    assert none.cost_parts["disk"].volumes == 6
    assert none.cost_parts["disk"].usd_per_month == Decimal(400 * 4096) / GB


def test_a_recording_has_a_rate_of_its_own_and_no_devices_for_it() -> None:
    found = asked(CURVE)
    assert found.at_load is None
    assert found.load_sentence == ""


def test_all_data_of_production_in_ram_miss_nothing() -> None:
    curve = scaled(data=4096 * 1600)
    steady = replace(curve, cold=curve)
    in_ram = asked(steady).outer.bars["all_in_ram"]
    assert in_ram.ram_pages == 1600
    assert in_ram.io_time_us_per_access == 0


def test_where_the_dirty_share_is_unknown_it_is_of_the_most_dirty_pages() -> None:
    bare = Curve.from_lists(
        [100, 200, 400],
        [400, 300, 200],
        None,
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=0,
        given=Given("table", data_known=True),
    )
    found = asked(replace(bare, scaled=scaled().scaled))
    assert found.load_sentence.startswith(
        "With the maximum share of dirty pages: on average, 10,000 accesses"
    )


@pytest.mark.oracle("hardware.tier_prices.part_of_devices")
@pytest.mark.formula("hardware.tier_prices.part_of_devices")
@given(st.integers(1, 200), st.integers(1, 120))
def test_whole_devices_cost_as_many_times_one(count: int, months: int) -> None:
    part = CostPart(
        10 * GB, Decimal(1), "0.036", "USD/GB", "s", "2026", billed_bytes=10 * GB
    )
    found = part_of_devices(part, DISK, count, months)
    # 24,000 GB at 0.036 USD
    assert found.usd_per_month == pytest.approx(Decimal(864) * count / months)
    assert found.billed_bytes == count * 24_000 * GB
    assert part_of_devices(replace(part, held_bytes=0), DISK, count, months).price
    unpriced = CostPart(10 * GB, None, reason="no price")
    assert part_of_devices(unpriced, DISK, count, months) == unpriced


@pytest.mark.formula("evaluate.page_flow.at_load.devices_needed")
@given(
    st.floats(0, 1e6),
    st.integers(0, 10**15),
    st.one_of(st.none(), st.integers(1, 10**14)),
)
def test_as_many_as_carry_and_hold_and_no_fewer(
    busy: float, held: int, size: int | None
) -> None:
    count = devices_needed(busy, held, size)
    if held == 0:
        assert count == 0
        return
    assert busy / count <= 1 + 1e-8
    assert size is None or count * size >= held
    assert (
        count == 1
        or busy > (count - 1)
        or (size is not None and (count - 1) * size < held)
    )
    assert count >= math.ceil(busy - 1e-3 * max(1.0, busy))
