"""Volumes rented by the I/O: bill and limits from one configuration."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise.tier_cost import SECONDS_PER_MONTH, answer
from tierwright.common import cautions
from tierwright.common.errors import BadInput
from tierwright.evaluate.economics import Assumptions, Load, tier_cost
from tierwright.evaluate.page_flow import evaluation, results
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.provisioning import (
    charges,
    configured,
    enough_for,
    is_rented_by_io,
    provision,
    throughput_of,
    volumes,
)
from tierwright.hardware.service_time import service_us
from tierwright.hardware.tier_prices import page_prices
from tierwright.profile.curve import Curve

TIB = 2**40
GP3, MAX, IO2 = (
    catalog.device(f"aws-ebs-{name}") for name in ("gp3-baseline", "gp3-max", "io2-bx")
)


def volume(**figures: tuple[Any, str]) -> Device:
    return device_from_mapping(
        {
            "id": "v",
            "name": "V",
            "kind": "cloud_block",
            "figures": {
                name: {"value": value, "unit": unit, "source": "test"}
                for name, (value, unit) in figures.items()
            },
        }
    )


def bill(device: Device, **asked: int) -> float:
    load = Load(**{name: Decimal(value) for name, value in asked.items()})
    return float(tier_cost(device, TIB, load=load).usd_per_month)


@pytest.mark.oracle("hardware.provisioning.provision", "hardware.provisioning.charges")
def test_bills_by_hand() -> None:
    assert bill(MAX, provisioned_iops=20_000) == pytest.approx(81.92 + 17_000 * 0.005)
    assert bill(GP3, provisioned_iops=20_000) == pytest.approx(166.92)
    assert bill(
        GP3, provisioned_iops=16_000, provisioned_mb_per_s=1000
    ) == pytest.approx(81.92 + 65 + 35)
    assert bill(GP3) == pytest.approx(81.92)
    assert bill(MAX) == pytest.approx(81.92 + 77_000 * 0.005 + 1875 * 0.04)
    assert bill(IO2, provisioned_iops=20_000) == pytest.approx(128 + 20_000 * 0.065)
    # 32,000 x 0.065 + 32,000 x 0.046 + 36,000 x 0.032
    assert bill(IO2, provisioned_iops=100_000) == pytest.approx(
        128 + 2080 + 1472 + 1152
    )


@pytest.mark.oracle("hardware.provisioning.configured")
def test_what_is_paid_for_is_what_the_volume_can_do() -> None:
    load = {"reads": Decimal(20_000) * Decimal(SECONDS_PER_MONTH)}
    for asked, busy in ((Decimal(0), 20_000 / 3000), (Decimal(20_000), 1.0)):
        [row] = answer(
            [GP3], TIB, page_bytes=4096, load=Load(**load, provisioned_iops=asked)
        ).rows
        assert row.busy_share == pytest.approx(busy)
    less = configured(MAX, provision(MAX, iops=Decimal(20_000)))
    assert service_us(less, "read", 8192) == pytest.approx(8192 / 131.072)
    assert service_us(less, "read", 4096) == 50
    assert configured(MAX, provision(MAX)) == MAX


@pytest.mark.oracle("hardware.provisioning.is_rented_by_io")
def test_only_volumes_are_rented_by_the_io() -> None:
    rented = {name for name, d in catalog.devices().items() if is_rented_by_io(d)}
    assert {"aws-ebs-gp3-max", "azure-ultra-disk"} <= rented
    assert all(catalog.device(name).kind == "cloud_block" for name in rented)
    drive = catalog.device("samsung-pm9a3-7.68tb-u2")
    asked = provision(drive, iops=Decimal(10))
    assert configured(drive, asked) == drive
    assert list(charges(drive, asked)) == []


@pytest.mark.parametrize(
    ("iops", "throughput", "said"),
    [
        (80_001, None, "80,001 IOPS are more than the 80,000"),
        (None, 2001, "2,001 MiB/s are more than the 2,000"),
        (3000, 1000, "1,000 MiB/s need more IOPS than 3,000"),
    ],
)
def test_more_than_a_volume_provisions_is_refused(
    iops: int | None, throughput: int | None, said: str
) -> None:
    wanted = [None if each is None else Decimal(each) for each in (iops, throughput)]
    with pytest.raises(BadInput, match="aws-ebs-gp3-baseline") as refused:
        provision(GP3, iops=wanted[0], throughput=wanted[1])
    assert said in str(refused.value)
    load = Load(provisioned_iops=wanted[0], provisioned_mb_per_s=wanted[1])
    [row] = answer([GP3], TIB, page_bytes=4096, load=load).rows
    assert row.cost is None
    assert said in row.reason


def test_without_its_rent_a_volume_has_no_total_cost() -> None:
    bare = volume(
        unit_rent=(1, "USD/GiB/month"),
        read_iops=(5000, "1/s"),
        write_iops=(5000, "1/s"),
        included_iops=(3000, "1/s"),
        provisioned_iops=(5000, "1/s"),
    )
    with pytest.raises(BadInput, match="states no rent of IOPS above the 3,000"):
        tier_cost(bare, TIB)
    found = evaluated(bare)
    assert found.schemes["none"].cost_usd_per_month is None
    assert "2,000 are provisioned" in found.schemes["none"].cost_reason


CURVE = Curve.from_lists(
    [100, 400],
    [1_900_000, 1_500_000],
    [8000, 4000],
    accesses=2**21,
    distinct_pages=2**20,
    page_bytes=8192,
    write_accesses=20_000,
)


def evaluated(disk: Device) -> results.Evaluation:
    return evaluation.evaluate(
        CURVE,
        ram_pages=100,
        flash_pages=300,
        flash=MAX,
        disk=disk,
        ram=catalog.device("gcp-memory-n2-custom"),
    )


def test_compare_bills_what_a_volume_provisions() -> None:
    """8 GiB of data: 0.64 USD of capacity; 160 GiB and 460 USD more on the fast one."""
    slow, fast = (
        evaluated(disk).schemes["none"].cost_parts["disk"] for disk in (GP3, MAX)
    )
    assert slow.usd_per_month == Decimal("0.64")
    assert fast.usd_per_month == Decimal("472.80")
    assert fast.provisioned_usd_per_month == 460
    assert "77,000 x 0.005" in fast.how(36)
    assert slow.provisioned == ""


@given(st.integers(0, 256_000), st.integers(0, 256_000))
@pytest.mark.formula("hardware.provisioning.charges", "hardware.provisioning.provision")
def test_more_provisioned_never_costs_less_and_the_allowance_is_free(
    one: int, other: int
) -> None:
    def due(device: Device, iops: int) -> Decimal:
        used = provision(device, iops=Decimal(max(iops, 1)))
        return sum((each.usd_per_month for each in charges(device, used)), Decimal(0))

    less, more = sorted((one, other))
    assert due(IO2, less) <= due(IO2, more)
    assert due(GP3, min(less, 3000)) == 0
    # Tiers by counting single IOPS of each price.
    n = max(less, 1)
    slow = (
        min(n, 32_000) * 65
        + max(min(n, 64_000) - 32_000, 0) * 46
        + max(n - 64_000, 0) * 32
    )
    assert due(IO2, less) == Decimal(slow) / 1000


@given(st.integers(3000, 80_000))
@pytest.mark.formula(
    "hardware.provisioning.configured", "hardware.provisioning.is_rented_by_io"
)
def test_a_volume_does_what_it_is_rented_with(iops: int) -> None:
    assert is_rented_by_io(GP3)
    made = configured(GP3, provision(GP3, iops=Decimal(iops)))
    assert made.number("read_iops") == made.number("write_iops") == iops


def overload(
    device: Device, iops_of_load: int, page_bytes: int = 16384, **rented: int
) -> cautions.Caution:
    load = Load(
        reads=Decimal(iops_of_load) * 730 * 3600,
        **{name: Decimal(value) for name, value in rented.items()},
    )
    found = answer([device], TIB, page_bytes=page_bytes, load=load)
    [caution] = [each for each in found.warnings if each.name == "cannot_keep_up"]
    return caution


@pytest.mark.oracle(
    "hardware.provisioning.enough_for", "hardware.provisioning.throughput_of"
)
def test_an_overloaded_volume_says_what_limits_it_and_what_is_enough() -> None:
    """20,000 x 16 KiB are 312.5 MiB/s: 81.92 + 17,000 x 0.005 + 188 x 0.04 = 174.44."""
    for device in (GP3, MAX):
        slow = overload(device, 20_000, provisioned_iops=20_000)
        assert "limited by its throughput of 125 MiB/s" in slow.message
        assert "a month's load needs 2.5 months of its time" in slow.message
        assert "20,000 IOPS and 313 MiB/s" in slow.hint
        assert "174.44 USD" in slow.hint
        enough = Load(
            reads=Decimal(52_560_000_000),
            provisioned_iops=Decimal(20_000),
            provisioned_mb_per_s=Decimal(313),
        )
        [row] = answer([device], TIB, page_bytes=16384, load=enough).rows
        assert row.busy_share == pytest.approx(1.0)
        assert row.cost is not None
        assert float(row.cost.usd_per_month) == pytest.approx(174.44)
    # 4 KiB: 20,000 a second are 78.125 MiB/s, and 3,000 IOPS limit.
    few = overload(GP3, 20_000, 4096)
    assert "limited by its 3,000 IOPS" in few.message
    assert "provision 20,000 IOPS and 125 MiB/s" in few.hint
    assert "166.92 USD" in few.hint


def test_more_volumes_only_where_no_rent_is_left() -> None:
    most = overload(MAX, 200_000, 4096)
    assert "limited by its 80,000 IOPS" in most.message
    assert "over 3 volumes" in most.hint
    # io2 rents no throughput: 256,000 x 32 KiB are 8,389 MB/s of 4,194.
    wide = overload(IO2, 200_000, 16384 * 2)
    assert "provision" not in wide.hint
    drive = catalog.device("face2016-cheetah-15k6-single")
    few = overload(drive, 20_000, 4096)
    assert "limited by" not in few.message
    assert "raise the bytes held" in few.hint


def test_a_fee_of_requests_names_the_number_that_is_missing() -> None:
    magnetic = catalog.device("aws-ebs-standard")
    found = tier_cost(magnetic, TIB, load=Load(reads=Decimal(10**6)))
    assert float(found.usd_per_month) == pytest.approx(51.2 + 0.05)
    [said] = [each for each in found.missing if each.startswith("requests")]
    assert "the number of writes was not given" in said
    other = tier_cost(magnetic, TIB, load=Load(writes=Decimal(10**6)))
    assert any("the number of reads was not given" in each for each in other.missing)
    both = Load(reads=Decimal(10**6), writes=Decimal(0))
    assert not any(
        "requests" in each for each in tier_cost(magnetic, TIB, load=both).missing
    )


@given(
    st.integers(1, 80_000),
    st.sampled_from([4096, 8192, 16384, 65536]),
)
@pytest.mark.formula(
    "hardware.provisioning.enough_for", "hardware.provisioning.throughput_of"
)
def test_what_is_named_as_enough_serves_the_load(rate: int, page_bytes: int) -> None:
    found = enough_for(GP3, Decimal(rate) * 730 * 3600, page_bytes)
    if found is None:  # beyond 80,000 IOPS or 2,000 MiB/s
        assert (
            rate * -(-page_bytes // 16384) > 80_000 or rate * page_bytes > 2000 * 2**20
        )
        return
    made = configured(GP3, found)
    time_us = service_us(made, "read", page_bytes)
    assert time_us is not None
    assert rate * time_us <= 1e6 * (1 + 1e-9)
    moved = Decimal(str(made.number("sequential_read_mb_per_s")))
    assert throughput_of(GP3, moved) == (found.throughput, "MiB/s")


GIB = 2**30


@pytest.mark.oracle("hardware.provisioning.volumes")
def test_bills_of_small_and_large_volumes_by_hand() -> None:
    """Nothing is priced that cannot be rented: 500 IOPS a GiB, 64 TiB a volume."""

    def cost(device: Device, gib: int, **asked: int) -> float:
        load = Load(**{name: Decimal(value) for name, value in asked.items()})
        return float(tier_cost(device, gib * GIB, load=load).usd_per_month)

    one = 77_000 * 0.005 + 1875 * 0.04
    assert cost(MAX, 10) == pytest.approx(160 * 0.08 + one)
    assert cost(MAX, 160) == cost(MAX, 10)
    assert cost(MAX, 161) == pytest.approx(161 * 0.08 + one)
    assert cost(GP3, 10) == pytest.approx(
        0.8
    )  # what is included needs no larger volume
    assert cost(GP3, 10, provisioned_iops=20_000) == pytest.approx(40 * 0.08 + 85)
    assert cost(GP3, 10, provisioned_iops=3001) == pytest.approx(10 * 0.08 + 0.005)
    assert cost(IO2, 1, provisioned_iops=100) == pytest.approx(4 * 0.125 + 6.5)
    assert cost(MAX, 65_536) == pytest.approx(65_536 * 0.08 + one)
    assert cost(MAX, 65_537) == pytest.approx(65_537 * 0.08 + 2 * one)
    assert cost(MAX, 100_000) == pytest.approx(100_000 * 0.08 + 2 * one)
    local = catalog.device("gcp-local-ssd-375gb")  # sold in disks of 375 GB
    part = float(tier_cost(local, 10**9).usd_per_month)
    assert part == float(tier_cost(local, 375 * 10**9).usd_per_month)
    assert float(tier_cost(local, 376 * 10**9).usd_per_month) == pytest.approx(2 * part)


def test_nothing_held_rents_nothing() -> None:
    assert tier_cost(MAX, 0).usd_per_month == 0
    assert volumes(MAX, 0, provision(MAX)).count == 0


def test_a_volume_is_never_bought_whole() -> None:
    whole = Assumptions(whole_devices=True)
    for device in (GP3, MAX):
        apart = tier_cost(device, TIB)
        assert tier_cost(device, TIB, assumptions=whole) == apart
        assert (apart.devices, apart.volumes) == (0, 1)


@pytest.mark.formula("hardware.provisioning.volumes")
@given(
    st.integers(1, 200_000 * GIB),
    st.integers(0, 10_000 * GIB),
    st.integers(0, 80_000),
)
def test_more_held_or_provisioned_never_costs_less(
    held: int, more: int, iops: int
) -> None:
    def cost(size: int, rate: int) -> Decimal:
        load = Load(provisioned_iops=Decimal(rate))
        return tier_cost(GP3, size, load=load).usd_per_month

    found = volumes(GP3, held, provision(GP3, iops=Decimal(iops)))
    assert found.billed_bytes >= held
    assert found.count * (found.largest_bytes or 0) >= held
    assert found.billed_bytes * 500 >= found.count * iops * GIB or iops <= 3000
    assert cost(held, iops) <= cost(held + more, iops)
    assert cost(held, 0) <= cost(held, iops)


def test_the_load_is_spread_among_the_volumes_that_hold_the_bytes() -> None:
    rate = Decimal(80_000) * 730 * 3600
    one, two = (
        answer([MAX], gib * GIB, page_bytes=16_384, load=Load(reads=rate)).rows[0]
        for gib in (1000, 100_000)
    )
    assert (one.served_by, two.served_by) == (1, 2)
    assert one.busy_share == pytest.approx(1, rel=0.05)
    assert two.busy_share == pytest.approx((one.busy_share or 0) / 2)
    row = answer([MAX], 100_000 * GIB, page_bytes=16_384, load=Load(reads=4 * rate))
    (caution,) = [each for each in row.warnings if each.name == "cannot_keep_up"]
    assert caution.message.startswith(
        "the 2 of `aws-ebs-gp3-max` that hold the bytes cannot serve the load, limited by the "
    )
    assert " of each: a month's load" in caution.message


def test_compare_and_the_map_price_the_flash_that_can_be_rented() -> None:
    """300 pages of 8 KiB take a volume of 160 GiB, and more than 64 TiB take two."""
    part = evaluated(GP3).schemes["exclusive"].cost_parts["flash"]
    assert part.usd_per_month == Decimal("472.80")
    assert (part.billed_bytes, part.volumes) == (160 * GIB, 1)
    assert "with 80,000 IOPS a volume has at least 160 GiB" in part.how(36)
    found = page_prices(
        CURVE, (catalog.device("gcp-memory-n2-custom"), MAX, GP3), None, 36
    )
    pages = np.asarray([0, 300, 160 * GIB / 8192, 2**30, 2**34])
    gib = [0, 160, 160, 2**13, 2**17]
    assert found.flash_usd(pages) == pytest.approx(
        [
            each * 0.08 + count * 460
            for each, count in zip(gib, (0, 1, 1, 1, 2), strict=True)
        ]
    )
    for held in (300, 2**34):
        one = evaluation.evaluate(
            CURVE,
            ram_pages=100,
            flash_pages=held,
            flash=MAX,
            disk=GP3,
            ram=catalog.device("gcp-memory-n2-custom"),
        )
        usd = one.schemes["exclusive"].cost_parts["flash"].usd_per_month
        assert float(usd or 0) == pytest.approx(
            found.flash_usd(np.asarray([held])).item()
        )
