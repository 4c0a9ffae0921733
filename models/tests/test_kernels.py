"""Kernels beside the conformance table: hand calculations, and properties of any inputs."""

import itertools
import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import pool_gain
from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.advise.pool_survey import device_asymmetry
from tierwright.common.errors import BadInput
from tierwright.evaluate import economics, fragment_cache, metadata, recovery
from tierwright.evaluate.break_even import full as break_even_full
from tierwright.evaluate.break_even import interval, next_money
from tierwright.evaluate.break_even import money as break_even_money
from tierwright.evaluate.break_even.gains import (
    PageCosts,
    PlainGains,
    frames_left,
    most_gain,
)
from tierwright.evaluate.break_even.interval import PricedTier
from tierwright.evaluate.endurance import money as endurance_money
from tierwright.evaluate.endurance import outlook as endurance_outlook
from tierwright.evaluate.endurance import wear
from tierwright.evaluate.endurance.outlook import WriteBudget
from tierwright.evaluate.page_flow import counts as page_flow_counts
from tierwright.evaluate.page_flow import dirty_range, scheme_map
from tierwright.evaluate.page_flow import evaluation as page_flow_evaluation
from tierwright.evaluate.page_flow.evaluation import service_times
from tierwright.evaluate.page_flow.lazy_writes import (
    lazy_flash_writes,
    lazy_overcharge,
    lazy_writes_error,
    returning_dirty_share,
)
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.evaluate.pool_split import costs as pool_split_costs
from tierwright.evaluate.throughput.laws import open_utilisation
from tierwright.hardware import rated_endurance
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.prices import Price
from tierwright.hardware.tier_prices import page_prices
from tierwright.profile.curve import Curve, Given
from tierwright.profile.knees import knees
from tierwright.profile.popularity import (
    fit_zipf,
    fitted_accesses,
    rank_curve,
    share_of_top,
)
from tierwright.simulate import priced

amounts = st.floats(1e-3, 1e6)
shares = st.floats(0, 1)
pages = st.integers(1, 500)

CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)
COSTS = PageCosts(1.0, 2.0, 10.0, 12.0)


def device(kind: str = "nvme", price: str | None = None, **figures: Any) -> Device:
    units = {"capacity": "GB", "endurance_years": "year", "dwpd": "1/day"}
    found = {
        name: {"value": value, "unit": units.get(name, "1/s"), "source": "test"}
        for name, value in figures.items()
    }
    for name in ("waf_4k", "waf_sequential", "asymmetry"):
        if name in found:
            found[name]["unit"] = "1"
    if "endurance_tb" in found:
        found["endurance_tb"]["unit"] = "TB"
    if price is not None:
        found["unit_price"] = {
            "value": Decimal(price),
            "unit": "USD/GB",
            "source": "test",
        }
    return device_from_mapping({"id": "d", "name": "d", "kind": kind, "figures": found})


def rated(read_us: float, write_us: float, kind: str = "nvme") -> Device:
    return device(kind, read_iops=1e6 / read_us, write_iops=1e6 / write_us)


# --- break-even intervals ------------------------------------------------------------------


@pytest.mark.formula("evaluate.break_even.interval.break_even_interval")
@given(amounts, amounts, amounts, amounts, st.floats(0, 1e6), st.floats(1.1, 10))
def test_an_interval_scales_with_each_of_its_parts(
    page: float, rate: float, usd: float, memory: float, host: float, factor: float
) -> None:
    parts = {
        "page_bytes": page,
        "accesses_per_s": rate,
        "device_usd": usd,
        "memory_usd_per_byte": memory,
        "host_usd": host,
    }
    found = float(interval.break_even_interval(**parts))
    # At the interval, keeping the page costs what its share of the device does.
    assert found * rate * page * memory == pytest.approx(usd + host)
    for name in ("page_bytes", "accesses_per_s", "memory_usd_per_byte"):
        larger = float(
            interval.break_even_interval(**parts | {name: parts[name] * factor})
        )
        assert larger == pytest.approx(found / factor)
    dearer = parts | {"device_usd": usd * factor, "host_usd": host * factor}
    assert float(interval.break_even_interval(**dearer)) == pytest.approx(
        found * factor
    )


@pytest.mark.formula("evaluate.break_even.interval.tier_interval")
@given(amounts, amounts, st.integers(10, 10_000), amounts, st.integers(1, 60))
def test_the_interval_of_tiers_is_that_of_their_parts(
    above: float, below: float, capacity: int, iops: float, months: int
) -> None:
    upper = PricedTier(
        device("dram"), Price(Decimal(repr(above)), "GB", False, "s", "2020")
    )
    lower = PricedTier(
        device("hdd", capacity=capacity, read_iops=iops),
        Price(Decimal(repr(below)), "GB", False, "s", "2020"),
    )
    found = interval.tier_interval(upper, lower, page_bytes=4096, months=months)
    by_hand = below * capacity / iops / (4096 * above / 1e9)
    assert found.interval_s == pytest.approx(by_hand)
    rented = replace(upper, price=Price(Decimal(repr(above)), "GB", True, "s", "2020"))
    changed = interval.tier_interval(rented, lower, page_bytes=4096, months=months)
    assert changed.interval_s == pytest.approx(by_hand / months)  # rent a month


# --- money ---------------------------------------------------------------------------------


@pytest.mark.formula("evaluate.break_even.money.pages_for")
@given(
    st.decimals(0, 10**6, places=2),
    st.decimals("1e-12", "1e-3", places=12),
    st.sampled_from([512, 4096, 8192]),
)
def test_whole_pages_cost_at_most_the_money(
    usd: Decimal, per_byte: Decimal, page: int
) -> None:
    found = break_even_money.pages_for(usd, per_byte, page)
    assert found * per_byte * page <= usd < (found + 1) * per_byte * page


@pytest.mark.oracle("evaluate.break_even.money.roi_curve")
@pytest.mark.formula(
    "evaluate.break_even.money.roi_curve", "evaluate.break_even.next_money.next_money"
)
@settings(max_examples=20)
@given(pages, pages, pages, st.floats(0.01, 0.99))
def test_gains_are_hits_times_what_they_spare(
    base: int, dram: int, flash: int, flash_cost: float
) -> None:
    found = break_even_money.roi_curve(
        CURVE,
        base,
        added_dram_pages=dram,
        added_flash_pages=flash,
        disk_cost=1.0,
        flash_cost=flash_cost,
    )
    hit = [
        1 - np.interp(at, CURVE.knots, CURVE.knot_misses) / 1000 for at in range(1001)
    ]
    assert found.dram_gain == pytest.approx(hit[base + dram] - hit[base])
    assert found.flash_gain == pytest.approx(
        (hit[base + flash] - hit[base]) * (1 - flash_cost)
    )
    money = next_money.next_money(
        PlainGains(CURVE, base, 1.0, flash_cost),
        usd=Decimal(4096 * dram * flash),
        dram_usd_per_byte=Decimal(flash),
        flash_usd_per_byte=Decimal(dram),
        points=2,
    )
    assert (money.dram_pages, money.flash_pages) == (dram, flash)
    assert money.dram_gain == pytest.approx(found.dram_gain)
    assert money.flash_gain == pytest.approx(found.flash_gain)
    assert money.winner == found.winner


@pytest.mark.formula("evaluate.break_even.full.flash_gain")
@given(st.floats(0, 500), st.floats(0, 500), st.floats(0, 0.9))
def test_gain_of_flash_in_full(ram_hits: float, more: float, old: float) -> None:
    """More hits gain more; nothing is gained where flash hits nothing."""
    low, high = (
        break_even_full.gains_from_curve(CURVE, 100, size, COSTS, old_share=old)
        for size in (100 + ram_hits, 100 + ram_hits + more)
    )
    assert float(low) <= float(high) + 1e-9


@pytest.mark.formula("evaluate.break_even.next_money.flip_curve")
@settings(max_examples=20)
@given(st.lists(st.floats(0.01, 3), min_size=1, max_size=4), st.floats(0.01, 0.9))
def test_flips_are_steps_over_what_matches_them(
    steps: list[float], flash_cost: float
) -> None:
    found = next_money.flip_curve(
        CURVE, 100, steps, disk_cost=1.0, flash_cost=flash_cost, costs=COSTS
    )
    whole = 1 - flash_cost
    for delta, ratio in zip(steps, found.log, strict=True):
        # (1 + theta)^(1 - flash / disk) = 1 + delta
        theta = (1 + delta) ** (1 / whole) - 1
        assert ratio == pytest.approx(delta / theta)
        assert ratio <= 1 + 1e-9


@pytest.mark.oracle("advise.dram_or_flash.break_even.page_costs")
@pytest.mark.formula("advise.dram_or_flash.break_even.page_costs")
@given(amounts, amounts, amounts, amounts, st.integers(1, 64))
def test_disks_share_the_busy_time(
    flash_read: float, flash_write: float, read: float, write: float, disks: int
) -> None:
    found = break_even_question.page_costs(
        rated(flash_read, flash_write),
        rated(read, write, "hdd"),
        disks,
        4096,
        sequential=False,
    )
    assert (found.flash_read, found.flash_write) == pytest.approx(
        (flash_read, flash_write)
    )
    assert (found.disk_read, found.disk_write) == pytest.approx(
        (read / disks, write / disks)
    )


@pytest.mark.oracle(
    "evaluate.break_even.gains.frames_left", "evaluate.break_even.gains.most_gain"
)
@pytest.mark.formula(
    "evaluate.break_even.gains.frames_left", "evaluate.break_even.gains.most_gain"
)
@given(pages, st.integers(0, 5000))
def test_metadata_take_frames_and_no_flash_gains_more_than_most(
    base: int, flash: int
) -> None:
    preset = metadata.PRESETS["flashcache"]  # 24 bytes a page of 4096
    left = float(frames_left(CURVE, base, flash, preset))
    assert left == math.floor((base * 4096 - flash * 24) / 4096)
    assert float(frames_left(CURVE, base, flash, None)) == base
    gains = PlainGains(CURVE, base, 10.0, 1.0)
    # Every miss that any LRU can avoid, at 9 a hit: 200 of 1000 always miss.
    every = (float(CURVE.misses(base)) - 200) * 9 / 1000
    assert most_gain(gains) == pytest.approx(every)
    assert float(gains.flash(flash)) <= most_gain(gains) + 1e-9


# --- economics -----------------------------------------------------------------------------


@pytest.mark.oracle("evaluate.economics.monthly_payment")
def test_the_payment_of_a_loan_by_hand() -> None:
    # 1000 at 1 % a month, two payments: 1000 = a / 1.01 + a / 1.01^2, a = 507.51.
    found = economics.monthly_payment(
        Decimal(1000), months=2, interest_per_year=Decimal("0.12")
    )
    assert float(found) == pytest.approx(1000 / (1 / 1.01 + 1 / 1.01**2))


@pytest.mark.formula("evaluate.economics.system_cost")
@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=4))
def test_a_system_costs_what_its_tiers_do(held: list[int]) -> None:
    ssd = device(price="0.2", capacity=1000)
    tiers = {str(at): economics.tier_cost(ssd, size) for at, size in enumerate(held)}
    found = economics.system_cost(tiers)
    assert float(found.capex_usd) == pytest.approx(sum(held) * 0.2e-9)
    assert found.usd_per_month == sum(
        (tier.usd_per_month for tier in tiers.values()), Decimal(0)
    )


@pytest.mark.oracle("hardware.tier_prices.page_prices")
@pytest.mark.formula("hardware.tier_prices.page_prices")
@given(st.integers(1, 1000), st.integers(1, 120), st.integers(1, 9))
def test_a_page_costs_its_bytes(cents: int, months: int, factor: int) -> None:
    usd = str(Decimal(cents) / 100)
    dear = str(factor * Decimal(cents) / 100)
    found = page_prices(
        CURVE,
        (device("dram", dear), device("nvme", usd), device("hdd", usd)),
        None,
        months,
    )
    page = 4096e-9 * cents / 100 / months
    assert found.flash == pytest.approx(page)
    assert found.ram == pytest.approx(factor * page)
    assert found.data_set == pytest.approx(400 * page)
    assert page_prices(CURVE, (None, device(), device()), None, months).reason


# --- endurance -----------------------------------------------------------------------------


@pytest.mark.oracle("evaluate.endurance.money.whole_drives")
@pytest.mark.formula("evaluate.endurance.money.whole_drives")
@given(
    st.integers(0, 10**6),
    st.integers(1, 120),
    st.integers(1, 10**15),
    st.integers(1, 99),
)
def test_whole_drives_cost_what_their_used_and_unused_parts_do(
    usd: int, months: int, held: int, percent: int
) -> None:
    capacity = max(1, held * 100 // percent)
    found = endurance_money.whole_drives(
        Decimal(usd), months=months, held_bytes=held, capacity_bytes=capacity
    )
    a_month = usd / months
    assert float(found.usd_per_month) == pytest.approx(a_month)
    assert found.held_share == pytest.approx(held / capacity)
    rest = a_month * (1 - held / capacity)
    assert float(found.held_usd_per_month) + rest == pytest.approx(a_month, abs=1e-6)
    full = endurance_money.whole_drives(
        Decimal(usd), months=months, held_bytes=2 * capacity, capacity_bytes=capacity
    )
    assert full.held_usd_per_month == full.usd_per_month


def test_whole_drives_refuse_what_is_no_drive() -> None:
    with pytest.raises(BadInput, match="capacity_bytes: `0` must be above 0"):
        endurance_money.whole_drives(
            Decimal(1), months=36, held_bytes=1, capacity_bytes=0
        )


@pytest.mark.oracle(
    "evaluate.endurance.money.purchase_usd", "evaluate.endurance.money.scheme_cost"
)
@pytest.mark.formula(
    "evaluate.endurance.money.purchase_usd", "evaluate.endurance.money.scheme_cost"
)
@settings(max_examples=20)
@given(st.integers(1, 8), st.integers(1, 10_000), st.floats(0.01, 100))
def test_wear_pays_the_price_once_over_the_rating(
    devices: int, capacity: int, tb_per_day: float
) -> None:
    usd, reason = endurance_money.purchase_usd(
        device(price="0.5", capacity=capacity), None, devices
    )
    assert (usd, reason) == (Decimal("0.5") * capacity * devices, "")
    life = page_flow_life(tb_per_day)
    budget = WriteBudget(1000.0, 2000.0, "test", "", ())
    found = endurance_money.scheme_cost(life, budget, usd, 36)
    assert found is not None
    # price / rating of each TB, whatever is written in a month
    assert float(found.usd_per_tb_written) * 1000 == pytest.approx(float(usd or 0))
    assert float(found.usd_per_month) == pytest.approx(
        float(found.usd_per_tb_written) * tb_per_day * 365 / 12, rel=0.01
    )
    assert endurance_money.scheme_cost(life, budget, None, 36) is None


def page_flow_life(tb_per_day: float) -> Any:
    evaluation = page_flow_evaluation.evaluate(
        CURVE, ram_pages=100, flash_pages=200, flash=rated(1, 2), disk=rated(9, 9)
    )
    budget = WriteBudget(1000.0, 2000.0, "test", "", ())
    outlook = endurance_outlook.wear_outlook(evaluation, budget, accesses_per_s=1.0)
    return replace(outlook.schemes["lazy"], tb_per_day=tb_per_day)


@pytest.mark.formula(
    "evaluate.endurance.outlook.write_budget",
    "hardware.rated_endurance.rated_endurance",
)
@given(
    st.integers(1, 9), st.integers(10, 10_000), st.floats(0.01, 10), st.integers(1, 10)
)
def test_a_rating_is_drive_writes_a_day_over_the_years(
    devices: int, capacity: int, dwpd: float, years: int
) -> None:
    ssd = device(capacity=capacity, dwpd=dwpd, endurance_years=years)
    stated = rated_endurance.rated_endurance(ssd)
    whole = dwpd * capacity * 1e9 * 365 * years / 1e12
    assert stated.tb_written == pytest.approx(whole)
    back = device(
        capacity=capacity, endurance_tb=stated.tb_written, endurance_years=years
    )
    assert rated_endurance.rated_endurance(back).dwpd == pytest.approx(dwpd)
    budget = endurance_outlook.write_budget(ssd, devices=devices)
    assert budget.in_place_tb == pytest.approx(devices * whole)


@pytest.mark.oracle("evaluate.endurance.wear.remaining")
def test_what_is_left_by_hand() -> None:
    # 600 - 150 TB at 0.5 a day: 900 days.
    found = wear.remaining(rated_tb=600, written_tb=150, tb_per_day=0.5)
    assert (found.left_tb, found.left_share) == (450, 0.75)
    assert found.years_left == pytest.approx(900 / 365, rel=1e-3)


@pytest.mark.formula("evaluate.endurance.wear.waf_by_pattern")
@given(shares, st.floats(1, 3), st.floats(1, 10))
def test_a_mix_amplifies_as_its_bytes_do(
    share: float, appended: float, small: float
) -> None:
    found = wear.waf_by_pattern(device(waf_4k=small, waf_sequential=appended), share)
    physical = 1000 * share * appended + 1000 * (1 - share) * small
    assert float(found.waf) == pytest.approx(physical / 1000)


# --- metadata ------------------------------------------------------------------------------


@pytest.mark.oracle("evaluate.metadata.PRESETS.face")
def test_memory_of_face_entries() -> None:
    # Kang, Lee and Moon (2016), section 5.2: segments of 64,000 entries of 32 bytes.
    found = metadata.PRESETS["face"].ram_bytes(64_000 * 4096, page_bytes=4096)
    assert float(found) == 64_000 * 32


@pytest.mark.formula(
    "evaluate.metadata.PRESETS.bcache",
    "evaluate.metadata.PRESETS.bighash",
    "evaluate.metadata.PRESETS.cac",
    "evaluate.metadata.PRESETS.cachelib",
    "evaluate.metadata.PRESETS.cachesack",
    "evaluate.metadata.PRESETS.dm_cache",
    "evaluate.metadata.PRESETS.dm_writeboost",
    "evaluate.metadata.PRESETS.dm_writecache",
    "evaluate.metadata.PRESETS.enhanceio",
    "evaluate.metadata.PRESETS.exadata",
    "evaluate.metadata.PRESETS.face",
    "evaluate.metadata.PRESETS.flashcache",
    "evaluate.metadata.PRESETS.kangaroo",
    "evaluate.metadata.PRESETS.l2arc",
    "evaluate.metadata.PRESETS.larc",
    "evaluate.metadata.PRESETS.lazy_cleaning",
    "evaluate.metadata.PRESETS.open_cas",
    "evaluate.metadata.PRESETS.open_cas_32k",
    "evaluate.metadata.PRESETS.ram_filter",
    "evaluate.metadata.PRESETS.sce",
    "evaluate.metadata.PRESETS.tac",
)
@given(
    st.sampled_from(sorted(metadata.PRESETS)),
    st.integers(0, 2**46),
    st.integers(0, 2**46),
    st.sampled_from([512, 4096, 16_384]),
)
def test_memory_never_shrinks_with_flash(
    name: str, flash: int, more: int, page: int
) -> None:
    preset = metadata.PRESETS[name]
    one, other, both = (
        float(preset.ram_bytes(size, page_bytes=page))
        for size in (flash, more, flash + more)
    )
    fixed = preset.fixed_bytes
    assert max(one, other) <= both
    if 0 in (flash, more):
        return
    # Two caches need at least the entries of one, and at most one unit more.
    assert both - fixed <= one + other - 2 * fixed + 1e-6 * both
    assert one + other - 2 * fixed - (both - fixed) <= preset.entry_bytes * 1.001
    assert preset.source


@pytest.mark.oracle("evaluate.metadata.charge")
def test_a_charge_by_hand() -> None:
    # 24 bytes for each of 2^25 pages of 4 KiB are 768 MiB of 1 GiB.
    found = metadata.charge(
        metadata.PRESETS["flashcache"],
        ram_bytes=2**30,
        flash_bytes=2**37,
        page_bytes=4096,
    )
    assert (found.metadata_bytes, found.left_pages) == (768 * 2**20, 2**28 // 4096)
    assert found.feasible
    too_much = metadata.charge(
        metadata.PRESETS["flashcache"],
        ram_bytes=2**29,
        flash_bytes=2**37,
        page_bytes=4096,
    )
    assert (too_much.left_pages, too_much.feasible) == (0, False)


# --- page flow -----------------------------------------------------------------------------


@pytest.mark.oracle("evaluate.page_flow.evaluation.service_times")
@pytest.mark.formula("evaluate.page_flow.evaluation.service_times")
@given(amounts, amounts, amounts, amounts)
def test_busy_times_are_one_over_the_rates(
    flash_read: float, flash_write: float, read: float, write: float
) -> None:
    found = service_times(
        rated(flash_read, flash_write), rated(read, write, "hdd"), 4096
    )
    assert (found.flash_read, found.flash_write) == pytest.approx(
        (flash_read, flash_write)
    )
    assert (found.disk_read, found.disk_write) == pytest.approx((read, write))


@pytest.mark.formula("evaluate.page_flow.evaluation.evaluate_grid")
@settings(max_examples=20)
@given(st.lists(pages, min_size=1, max_size=3), st.integers(0, 500), st.floats(-1, 1))
def test_a_grid_has_the_points_of_evaluations(
    ram: list[int], flash: int, off: float
) -> None:
    devices = {"flash": rated(100, 200), "disk": rated(1000, 2000, "hdd")}
    grid = page_flow_evaluation.evaluate_grid(
        CURVE, ram_pages=ram, flash_pages=flash, **devices
    )
    for at, size in enumerate(ram):
        one = page_flow_evaluation.evaluate(
            CURVE, ram_pages=size, flash_pages=flash, **devices
        ).schemes
        for name, found in grid.items():
            assert found.io_time_us_per_access[at] == pytest.approx(
                one[name].io_time_us_per_access
            )
    moved = page_flow_evaluation.evaluate_grid(
        CURVE, ram_pages=ram, flash_pages=flash, hits_off=off, **devices
    )
    for name in ("none", "exclusive", "inclusive_global"):  # exact: nothing to move
        assert np.array_equal(
            moved[name].io_time_us_per_access, grid[name].io_time_us_per_access
        )
    for name, found in moved.items():
        assert found.flash_hits + found.flash_misses == pytest.approx(
            grid[name].flash_hits + grid[name].flash_misses
        )


@pytest.mark.oracle(
    "evaluate.page_flow.lazy_writes.lazy_flash_writes",
    "evaluate.page_flow.lazy_writes.lazy_overcharge",
    "evaluate.page_flow.lazy_writes.lazy_writes_error",
    "evaluate.page_flow.lazy_writes.returning_dirty_share",
)
def test_what_lazy_writes_by_hand() -> None:
    # r = 100, f = 200: 400 misses, 300 victims, h_f = 133.33. Found on flash
    # 1/3 (1 - (100/400)^2) = 0.3125 of them, 80/300 of these dirty.
    r, f = np.asarray(100.0), np.asarray(200.0)
    lazy = page_flow_counts.hits_from_curve(CURVE, r, f)["lazy"]
    whole = r + lazy.effective_flash_pages
    assert float(returning_dirty_share(CURVE, r, whole)) == pytest.approx(80 / 300)
    written = 300 * (1 - 0.3125 + 0.3125 * 80 / 300)
    assert float(lazy_flash_writes(CURVE, r, f, lazy)) == pytest.approx(written)
    charged = 800 / 3 * 300 / 400 + 80 / 400 * 400 / 3
    over = float(lazy_overcharge(CURVE, r, f, lazy))
    assert over == pytest.approx(charged - written)
    assert float(lazy_writes_error(CURVE, r, f, lazy)) == pytest.approx(
        abs(over) + 0.05 * written
    )


@pytest.mark.formula(
    "evaluate.page_flow.lazy_writes.lazy_overcharge",
    "evaluate.page_flow.lazy_writes.lazy_writes_error",
)
@given(pages, st.integers(0, 500))
def test_the_error_of_writes_covers_both_estimates(ram: int, flash: int) -> None:
    r, f = np.asarray(float(ram)), np.asarray(float(flash))
    lazy = page_flow_counts.hits_from_curve(CURVE, r, f)["lazy"]
    written = float(lazy_flash_writes(CURVE, r, f, lazy))
    over = float(lazy_overcharge(CURVE, r, f, lazy))
    error = float(lazy_writes_error(CURVE, r, f, lazy))
    assert written + over >= -1e-9  # what C3 charges
    assert error >= abs(over)
    assert error <= abs(over) + 0.05 * float(CURVE.evictions(r)) + 1e-9
    if flash == 0:
        assert written == over == error == 0


@pytest.mark.oracle("evaluate.page_flow.dirty_range.dirty_ends")
@pytest.mark.formula("evaluate.page_flow.dirty_range.dirty_ends")
@given(st.floats(0.001, 1), st.integers(1, 600))
def test_the_ends_hold_every_write_back(share: float, size: int) -> None:
    curve = Curve.from_lists(
        [100, 400],
        [400, 200],
        None,
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=0,
        given=Given("table", data_known=True, write_share=share),
    )
    least, most = dirty_range.dirty_ends(curve)
    assert float(least.write_backs(size)) == 0
    misses, writes = float(curve.misses(size)), math.ceil(1000 * share)
    listed = np.interp(
        size, [100, 400], [min(400.0, writes), min(200.0, writes)]
    )  # as the curve is read between its sizes
    if size >= 100:
        assert float(most.write_backs(size)) == pytest.approx(listed)
        assert float(most.write_backs(size)) <= misses + 1e-9


@pytest.mark.formula("evaluate.page_flow.scheme_map.winners_differ")
@settings(max_examples=20)
@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_cells_differ_where_no_scheme_is_least_on_both(
    one_us: float, other_us: float
) -> None:
    maps = [
        scheme_map.scheme_map(
            CURVE,
            x=Axis("flash_per_ram", np.array([0.5, 1.0, 3.0])),
            y=Axis("dirty_share", np.array([0.0, 0.5, 1.0])),
            flash=rated(10, write_us),
            disk=rated(50, 50, "hdd"),
            ram_pages=100,
        )
        for write_us in (one_us, other_us)
    ]
    found = scheme_map.winners_differ(*maps)
    for cell in itertools.product(range(3), range(3)):
        costs = [
            {name: float(grid[cell]) for name, grid in m.io_time_us_per_access.items()}
            for m in maps
        ]
        shared = [
            name
            for name in maps[0].schemes
            if all(c[name] <= min(c.values()) * (1 + 1e-12) for c in costs)
        ]
        assert bool(found[cell]) == (not shared)


# --- clean/dirty split ---------------------------------------------------------------------


@pytest.mark.oracle("evaluate.pool_split.costs.gain")
@pytest.mark.formula("evaluate.pool_split.costs.gain")
@given(st.floats(0, 1e6), amounts)
def test_a_gain_is_the_share_saved(cost: float, baseline: float) -> None:
    found = pool_split_costs.gain(cost, baseline)
    assert found is not None
    assert baseline * (1 - found) == pytest.approx(cost, abs=1e-6)
    assert (found > 0) == (cost < baseline)


@pytest.mark.oracle("advise.pool_gain.window_accesses")
def test_a_window_by_hand() -> None:
    # 0.9 s are 3 % of 30 s, which are 100,000 accesses of 1.5 reads of 0.2 ms.
    found = pool_gain.window_accesses(0.9, 0.03, cost=1.5, read_s=0.0002)
    assert found == 100_000


@pytest.mark.formula("advise.pool_survey.device_asymmetry")
@given(amounts, amounts)
def test_asymmetry_is_the_ratio_of_busy_times(read_us: float, write_us: float) -> None:
    found = device_asymmetry(rated(read_us, write_us), 4096)
    assert found is not None
    assert found[0] == pytest.approx(write_us / read_us)
    assert device_asymmetry(rated(read_us, write_us, "dram"), 4096) is None


@pytest.mark.formula("simulate.priced.price")
@given(st.tuples(*[st.integers(0, 10**6)] * 4), st.integers(1, 10**6), amounts, amounts)
def test_a_price_is_counters_times_times(
    counts: tuple[int, int, int, int], accesses: int, read: float, write: float
) -> None:
    names = ("flash_reads", "flash_writes", "hdd_reads", "hdd_writes")
    row = dict(zip(names, counts, strict=True)) | {
        "accesses": accesses,
        "page_bytes": 4096,
    }
    found = priced.price(row, flash=rated(read, write), disk=rated(write, read, "hdd"))
    times = (read, write, write, read)
    by_hand = sum(c * t for c, t in zip(counts, times, strict=True)) / accesses
    assert found.io_time_us_per_access == pytest.approx(by_hand)


# --- recovery, fragments, throughput -------------------------------------------------------


@pytest.mark.oracle("evaluate.recovery.fill_time", "evaluate.recovery.redo_time")
def test_filling_and_redo_by_hand() -> None:
    # 100 GB at the least of 125, 500 and 50 MB/s.
    found = recovery.fill_time(1e11, {"disk": 125e6, "flash": 500e6, "threads": 50e6})
    assert (found.bottleneck, found.seconds) == ("threads", pytest.approx(2000))
    # 1.5 + 100 (0.98 x 0.1 + 0.02 x 5) ms + 10 x 2 ms
    redo = recovery.redo_time(
        metadata_s=1.5,
        redo_pages=100,
        redo_writes=10,
        flash_share=0.98,
        flash_read_s=1e-4,
        disk_read_s=5e-3,
        write_s=2e-3,
    )
    assert float(redo.total_s) == pytest.approx(1.5 + 0.0198 + 0.02)


@pytest.mark.formula("evaluate.recovery.restart")
@given(st.floats(0, 100), st.integers(0, 10**6), st.integers(0, 10**6), shares, amounts)
def test_a_restart_compares_two_redos(
    restore: float, read: int, written: int, share: float, disk_s: float
) -> None:
    found = recovery.restart(
        metadata_s=restore,
        redo_pages=read,
        redo_writes=written,
        flash_read_s=disk_s / 50,
        flash_write_s=disk_s / 20,
        disk_read_s=disk_s,
        disk_write_s=disk_s,
        flash_share=share,
    )
    with_flash = (
        restore
        + read * (share * disk_s / 50 + (1 - share) * disk_s)
        + written * disk_s / 20
    )
    without = (read + written) * disk_s
    assert float(found.with_flash.total_s) == pytest.approx(with_flash)
    assert float(found.without_flash.total_s) == pytest.approx(without)
    if with_flash > 0:
        assert float(found.speedup) == pytest.approx(without / with_flash)
    if restore == 0 and read + written > 0:
        assert float(found.speedup) >= 1 - 1e-9


@pytest.mark.oracle("evaluate.fragment_cache.write_policies")
def test_validity_under_each_write_policy_by_hand() -> None:
    # 0.1 writes/s in flight for 1 ms each, populations every 100 s: e^-0.0001; 0.01 / 0.11.
    found = fragment_cache.write_policies(
        source_write_s=5e-3,
        flash_write_s=1e-3,
        writes_per_s=0.1,
        populations_per_s=0.01,
    ).policies
    assert float(found["awt"].valid_share) == pytest.approx(math.exp(-1e-4))
    assert float(found["write_around"].valid_share) == pytest.approx(1 / 11)
    waits = {name: float(policy.acknowledge_s) for name, policy in found.items()}
    assert waits == {
        "awt": 5e-3,
        "write_around": 5e-3,
        "write_through": 5e-3,
        "write_back": 1e-3,
    }


@pytest.mark.formula("evaluate.throughput.laws.open_utilisation")
@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=4),
    st.floats(0, 100),
    st.integers(1, 8),
)
def test_utilisation_is_load_times_demand_over_the_stations(
    demands: list[float], load: float, devices: int
) -> None:
    one, many = (
        open_utilisation(demands, arrivals_per_s=load, devices=count)
        for count in (1, devices)
    )
    assert one == pytest.approx(load * np.asarray(demands))
    assert many * devices == pytest.approx(one)


# --- popularity ----------------------------------------------------------------------------


@pytest.mark.oracle("profile.popularity.rank_curve", "profile.popularity.share_of_top")
def test_ranks_by_hand() -> None:
    # One page of 6 accesses, two of 2: the first two pages have 8 of 10.
    assert rank_curve([6, 2], [1, 2]).cumulative_share == pytest.approx([0.6, 0.8, 1.0])
    assert share_of_top([6, 2], [1, 2], 0.5) == (2, pytest.approx(0.8))


@pytest.mark.formula("profile.popularity.fitted_accesses")
@given(st.lists(st.integers(1, 1000), min_size=2, max_size=40))
def test_the_law_spends_all_accesses_and_falls_with_rank(counts: list[int]) -> None:
    ordered = sorted(counts, reverse=True)
    groups = [(n, len(list(same))) for n, same in itertools.groupby(ordered)]
    fit = fit_zipf([n for n, _ in groups], [size for _, size in groups])
    if fit is None:  # a law of one rank, or of equal ones
        assert len(groups) == 1 or len(counts) < 3
        return
    found = fitted_accesses(
        fit,
        range(1, len(ordered) + 1),
        accesses=sum(ordered),
        distinct_pages=len(ordered),
    )
    assert float(found.sum()) == pytest.approx(sum(ordered))
    assert np.all(np.diff(found) <= 1e-9)


@pytest.mark.formula("profile.knees.knees")
@given(st.lists(st.floats(0, 1), min_size=3, max_size=30))
def test_knees_lie_on_the_curve_above_its_chord(steps: list[float]) -> None:
    ratio = np.sort(np.asarray(steps))
    size = 2 ** np.arange(len(steps))
    for knee in knees(size, ratio):
        at = int(np.flatnonzero(size == knee.pages)[0])
        assert knee.hit_ratio == ratio[at]
        chord = ratio[0] + (ratio[-1] - ratio[0]) * at / (len(steps) - 1)
        assert knee.hit_ratio > chord
