"""Configurations: rows against their bills to the cent, speeds against one evaluation each, the front, exclusions."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from command import answer as command_answer
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import bill, configurations, scale
from tierwright.common.currency import ExchangeRate, showing, stated
from tierwright.common.errors import BadInput
from tierwright.evaluate.bill import (
    billed_size_gib,
    block_storage,
    installed_ram_gib,
    machine_watts,
    provisioned,
    violations,
)
from tierwright.evaluate.configurations import columns as columns_module
from tierwright.evaluate.configurations.columns import (
    Columns,
    enumerate_configurations,
    populations,
)
from tierwright.evaluate.configurations.front import pareto_front
from tierwright.evaluate.configurations.sold import (
    local_device,
    volume_device,
    volume_options,
)
from tierwright.evaluate.configurations.times import CHOICES, busy, speeds
from tierwright.evaluate.configurations.wanted import ANY_CHASSIS, KINDS, Wanted
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.hardware import catalog
from tierwright.hardware.build import build_from_mapping
from tierwright.hardware.capabilities import missing_figures
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.servers import server
from tierwright.hardware.service_time import service_us, waiting_time
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-x24-24tb")
TIB = 2**40
MONEY: dict[str, Any] = {
    "part_usd": {"chassis": Decimal("9000.005"), "dimm-ddr5-rdimm-16gb": Decimal(199)},
    "usd_per_kwh": Decimal("0.1234567"),
}


@cache
def recorded() -> Profile:
    return profile(Trace(recordings.TPCB))


@cache
def scaled(**stated: Any) -> Curve:
    asked: dict[str, Any] = {
        "data_bytes": 4 * TIB,
        "accesses_per_s": 80_000.0,
        "machines": 2,
        "replicas": 2,
    } | stated
    made = scale.answer(
        recorded(), Production(**asked), clients=4, accesses_per_unit=20
    )
    return made.profile.curve.steady()


@cache
def rows(watts: Decimal | None = None, reserved: int = 40) -> Columns:
    return enumerate_configurations(
        Wanted(
            data_bytes=3 * TIB,
            page_bytes=8192,
            replicas=2,
            max_machines=3,
            reserved_gib=Decimal(reserved),
            watts=watts,
            **MONEY,
        )
    )


def asked(**stated: Any) -> configurations.Configurations:
    usual: dict[str, Any] = {"flash": FLASH, "disk": DISK, "max_machines": 3}
    return configurations.answer(scaled(), **(usual | stated))


def reasons(found: configurations.Configurations) -> dict[str, int]:
    return {each.reason: each.count for each in found.excluded}


def test_copies_make_devices_busier_by_what_they_are_written() -> None:
    curve = scaled(write_share=0.5)
    assert curve.scaled is not None
    alike = replace(curve, scaled=replace(curve.scaled, served_per_access=1.0))
    # Too little money for RAM that holds all of the data, which reads and writes nothing.
    usual: dict[str, Any] = {
        "flash": FLASH,
        "disk": DISK,
        "max_machines": 3,
        "max_usd_per_month": Decimal(20_000),
    }
    copied, spread = (configurations.answer(each, **usual) for each in (curve, alike))
    # Two copies, half of the accesses writes: all machines serve 1.5 times what the workload asks for.
    assert copied.accesses_per_s == spread.accesses_per_s == 80_000
    one, other = copied.fastest, spread.fastest
    assert one is not None
    assert other is not None
    assert one.config == other.config
    assert one.store_busy == pytest.approx(1.5 * (other.store_busy or 0))
    assert (one.store_busy or 0) > 0
    stated = configurations.answer(curve, accesses_per_s=40_000.0, **usual).fastest
    assert stated is not None
    assert stated.store_busy == pytest.approx((one.store_busy or 0) / 2)


# Rows beside their bills.


@pytest.mark.formula(
    "evaluate.configurations.columns.enumerate_configurations",
    "evaluate.bill.provisioned",
)
@given(st.data())
@settings(deadline=None)
def test_a_row_costs_what_its_bill_says_and_breaks_the_same_limits(
    data: st.DataObject,
) -> None:
    found = rows(data.draw(st.sampled_from([None, Decimal(450), Decimal(3000)])))
    kind = data.draw(st.integers(0, len(KINDS) - 1))
    [of_kind] = np.nonzero(found.kind == kind)
    row = int(of_kind[data.draw(st.integers(0, len(of_kind) - 1))])
    build = build_from_mapping(found.config(row))
    billed = bill.answer(build)
    assert found.rent_cents[row] == billed.usd_per_month * 100
    assert found.purchase_cents[row] == billed.purchase_usd * 100
    assert found.ram_gib[row] == installed_ram_gib(build)
    assert found.usable_ram_bytes[row] == max(0, billed.ram.left_gib or 0) * 2**30
    own = set(found.limits_of(row)) - {"space", "ram"}
    assert own == {each.name for each in violations(build)}
    # What the bill has no price of, the row names; the power of parts it names besides.
    lacks = set(found.lacks_of(row))
    no_price = lacks - {"electricity"}
    unpriced = {
        found.options[found.volume[row]].item.volume.id
        for _ in "x"
        if "volumes" in lacks
    }
    assert bool(billed.unpriced) <= bool(no_price)
    assert not no_price or bool(billed.unpriced) or unpriced <= _with_other_charges()
    _, unknown = machine_watts(build)
    assert ("electricity" in lacks) == bool(unknown)
    storage = block_storage(build)
    if storage is not None:
        iops, rate = provisioned(build.volumes)
        assert (iops, rate) == (
            storage.provisioned_iops,
            storage.provisioned_mb_per_s,
        )
        assert found.options[found.volume[row]].iops == iops


@cache
def _with_other_charges() -> frozenset[str]:
    """Volumes that charge each operation, or what no source prices."""
    options = volume_options(Wanted(data_bytes=TIB, page_bytes=8192), 1)
    of = (each.item.volume for each in options)
    return frozenset(
        each.id for each in of if each.usd_per_million_io or each.unpriced_charge
    )


@pytest.mark.oracle(
    "evaluate.configurations.columns.enumerate_configurations",
    "evaluate.bill.provisioned",
)
def test_worked_rows() -> None:
    found = enumerate_configurations(
        Wanted(data_bytes=1024 * 2**30, page_bytes=16384, max_machines=2)
    )

    def at(**of: Any) -> int:
        kept = np.ones(len(found), dtype=bool)
        for name, value in of.items():
            kept &= getattr(found, name) == value
        [one] = np.nonzero(kept)[0]
        return int(one)

    servers = [each.id for each in found.sold.servers]
    i4i = servers.index("aws-i4i.4xlarge")
    row = at(kind=0, server=i4i, machines=2)
    assert found.rent_cents[row] == 200458  # 2 x 1.373 USD x 730 h
    assert found.store_bytes[row] == 3750 * 10**9
    options = [
        n
        for n, each in enumerate(found.options)
        if each.item.volume.id == "aws-ebs-gp3" and each.item.iops == 10_000
    ]
    row = at(kind=1, server=i4i, volume=options[0], machines=1)
    # 1,024 GiB x 0.08 + 7,000 IOPS x 0.005 + (157 - 125) MiB/s x 0.04: 10,000 pages of 16 KiB need 156.25 MiB/s.
    assert found.rent_cents[row] == 100229 + 8192 + 3500 + 128
    assert found.options[options[0]].iops == 10_000
    assert found.options[options[0]].mb_per_s == Decimal("157") * Decimal("1.048576")
    assert found.flash_bytes[row] == 3750 * 10**9
    parts = {
        "chassis": [each.part.id for each in found.sold.chassis].index(
            "chassis-dell-r760"
        ),
        "dimm": [each.part.id for each in found.sold.dimms].index(
            "dimm-ddr5-rdimm-64gb"
        ),
        "drive": [each.part.id for each in found.sold.drives].index(
            "solidigm-d5-p5430-7.68tb"
        ),
    }
    row = at(kind=2, machines=2, dimms=8, drives=3, **parts)
    assert found.purchase_cents[row] == 100 * 2 * (8 * 873 + 3 * 2944)
    assert found.lacks_of(row) == ("chassis",)
    assert found.limits_of(row) == ()
    assert found.ram_gib[row] == 512


def test_what_is_rented_has_the_latencies_of_the_device_that_it_names() -> None:
    drive = local_device(server("aws-i4i.16xlarge"))
    stated = catalog.device("aws-i4i.4xlarge-local")
    assert drive is not None
    assert drive.figures["read_latency_us"] == stated.figures["read_latency_us"]
    # Its rate is its part of that of all, and stays what it is busy with.
    assert service_us(drive, "read", 4096) == pytest.approx(1e6 / 400_000)
    assert waiting_time(drive, "read", 4096).time_us == 132.2
    assert waiting_time(drive, "write", 4096).time_us is None
    [item] = build_from_mapping(
        {"volume": [{"id": "aws-ebs-gp3", "quantity": 1, "size_gib": 100}]}
    ).volumes
    volume = volume_device(replace(item, iops=Decimal(3000), mb_per_s=Decimal(125)))
    assert volume is not None
    moved = (16_384 - 4096) / (125 * 2**20 / 1e6)
    assert waiting_time(volume, "read", 4096).time_us == 527.5
    assert waiting_time(volume, "read", 16_384).time_us == pytest.approx(527.5 + moved)
    assert local_device(server("aws-i3en.xlarge")).number("read_latency_us") is None  # type: ignore[union-attr]


def test_without_a_rate_a_latency_does_not_stand_for_it() -> None:
    silent = replace(
        server("aws-i4i.4xlarge"), local_read_iops=None, local_write_iops=None
    )
    drive = local_device(silent)
    assert drive is not None
    assert set(drive.figures) == {
        "sequential_read_mb_per_s",
        "sequential_write_mb_per_s",
    }
    assert service_us(drive, "read", 4096) is None


def test_a_local_disk_has_the_sequential_rates_of_the_same_disk() -> None:
    for name, of in (
        ("aws-i4i.16xlarge", "aws-i4i.4xlarge-local"),
        ("azure-l8s_v4", "azure-l2s-v4-local"),
        ("gcp-z3-highmem-88-standardlssd", "gcp-z3-highlssd-8"),
    ):
        drive, stated = local_device(server(name)), catalog.device(of)
        assert drive is not None
        for rate in ("sequential_read_mb_per_s", "sequential_write_mb_per_s"):
            # With its source.
            assert drive.figures[rate] == stated.figures[rate]
    # A page of 16 KiB cannot be read faster than it is transferred.
    drive = local_device(server("azure-l2s_v4"))
    assert drive is not None
    assert service_us(drive, "read", 16_384) == pytest.approx(16_384 / 750)
    # A part of a disk has rates of its own, which no source states.
    part = local_device(server("aws-i4i.xlarge"))
    assert part is not None
    assert "sequential_read_mb_per_s" not in part.figures


def test_what_does_not_fit_says_so() -> None:
    found = rows(Decimal(3000))
    broken = {name for row in range(len(found)) for name in found.limits_of(row)}
    assert {"space", "no_drive_bays", "power_supply", "instance_iops"} <= broken
    assert {"reserved_ram", "ram"} <= broken
    small = found.ram_gib < 40
    assert np.array_equal((found.broken & _bit("reserved_ram")) != 0, small)
    held = found.store_bytes * found.machines >= 6 * TIB
    assert np.array_equal((found.broken & _bit("space")) == 0, held)


@given(
    st.sampled_from([200, 1024, 2000, 100_000, 900_000]),
    st.integers(1, 3),
    st.integers(1, 3),
)
@settings(deadline=None, max_examples=12)
def test_what_suits_has_no_more_volumes_than_its_instance_takes(
    gib: int, machines: int, copies: int
) -> None:
    found = enumerate_configurations(
        Wanted(
            data_bytes=gib * 2**30,
            page_bytes=8192,
            max_machines=max(machines, copies),
            replicas=copies,
            kinds=("volumes",),
        )
    )
    assert len(found)
    for row in range(len(found)):
        item = found.options[found.volume[row]].item
        server = found.sold.servers[found.server[row]]
        stated, count = server.block_volumes, item.quantity
        limits = set(found.limits_of(row))
        assert ("volume_count" in limits) == (stated is not None and count > stated)
        assert ("volume_count_unknown" in limits) == (stated is None and count > 3)
        # What is bought is what is billed.
        assert item.size_gib == billed_size_gib(item)
        assert item.size_gib * count * 2**30 == found.store_bytes[row]


@pytest.mark.parametrize("kind", ["volumes", "chassis"])
def test_what_each_of_several_machines_has_is_said_to_be_of_each(kind: str) -> None:
    wanted = Wanted(
        data_bytes=2 * 2**40,
        page_bytes=8192,
        kinds=(kind,),
        max_machines=2,
        part_usd={ANY_CHASSIS: Decimal(1000)},
    )
    found = enumerate_configurations(wanted)
    seen = set()
    for row in range(0, len(found), max(1, len(found) // 400)):
        name, machines = configurations.name_of(found, row), int(found.machines[row])
        seen.add(machines)
        # A name that reads as a total would buy half of what is billed.
        assert (", each with " in name) == (machines > 1)
        assert " with " in name
        assert name.startswith(f"{machines} x ")
    assert seen == {1, 2}


def test_a_volume_of_fixed_size_is_called_by_it() -> None:
    wanted = Wanted(data_bytes=2**30, page_bytes=8192, kinds=("volumes",))
    found = enumerate_configurations(wanted)
    [options] = np.nonzero(
        [each.item.volume.id == "azure-premium-p4" for each in found.options]
    )
    row = int(np.nonzero(found.volume == options[0])[0][0])
    assert configurations.name_of(found, row).endswith("1 x azure-premium-p4 of 32 GiB")
    assert found.config(row)["volume"][0]["size_gib"] == 32
    assert found.store_bytes[row] == 32 * 2**30


def test_instances_whose_volumes_no_source_counts_are_named() -> None:
    wanted = Wanted(data_bytes=900_000 * 2**30, page_bytes=8192, kinds=("volumes",))
    [caution] = configurations.volumes_not_stated(enumerate_configurations(wanted))
    assert "gcp-z3-highmem-88-highlssd" in caution.about
    assert not any(each.startswith(("aws", "azure")) for each in caution.about)
    assert "more than 3 on a machine they are left out" in caution.message
    few = replace(wanted, data_bytes=2**40)
    assert not list(configurations.volumes_not_stated(enumerate_configurations(few)))


def _bit(name: str) -> int:
    return 1 << columns_module.LIMITS.index(name)


def test_the_largest_ram_of_a_chassis_is_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = rows()
    box = next(each for each in found.sold.chassis if each.part.max_ram_gib)
    less = replace(box, part=replace(box.part, max_ram_gib=Decimal(1024)))
    monkeypatch.setattr(
        columns_module,
        "sold",
        lambda _: replace(found.sold, chassis=(less,), servers=(), local_times=()),
    )
    wanted = Wanted(data_bytes=TIB, page_bytes=8192, kinds=("chassis",), max_machines=1)
    made = enumerate_configurations(wanted)
    over = (made.broken & _bit("max_ram")) != 0
    assert np.array_equal(over, made.ram_gib > 1024)
    assert over.any()
    assert not over.all()


@pytest.mark.oracle("evaluate.configurations.columns.populations")
@pytest.mark.formula("evaluate.configurations.columns.populations")
@given(st.integers(1, 128))
def test_modules_fill_the_slots_evenly(slots: int) -> None:
    assert populations(slots) == tuple(
        one
        for one in range(1, slots + 1)
        if any(one * k == slots for k in range(1, slots + 1))
    )


# Speeds beside one evaluation each.


def _device(
    name: str, kind: str, read: Decimal, write: Decimal, **more: Figure
) -> Device:
    figures = {
        "read_iops": Figure(read, "1/s", "a test"),
        "write_iops": Figure(write, "1/s", "a test"),
    }
    return Device(name, name, kind, figures=figures | more)


@pytest.mark.oracle("evaluate.configurations.times.speeds")
@pytest.mark.parametrize("machines", [2, 3])
def test_volumes_behind_local_disks_are_one_evaluation(machines: int) -> None:
    curve, page = scaled(), scaled().page_bytes
    wanted = Wanted(
        data_bytes=4 * TIB,
        page_bytes=page,
        replicas=2,
        kinds=("volumes",),
        max_machines=3,
    )
    found = enumerate_configurations(wanted)
    fast = speeds(found, curve)
    i4i = server("aws-i4i.4xlarge")
    [near] = np.nonzero(
        (found.machines == machines)
        & (found.server == [each.id for each in found.sold.servers].index(i4i.id))
    )
    row = next(
        int(at)
        for at in near
        if found.options[found.volume[at]].item.volume.id == "aws-ebs-gp3"
        and found.options[found.volume[at]].item.iops == 10_000
    )
    rate = Figure(Decimal(125) * Decimal("1.048576"), "MB/s", "a test")
    volume = _device(
        "v",
        "cloud_block",
        Decimal(10_000),
        Decimal(10_000),
        io_unit_bytes=Figure(Decimal(16384), "B", "a test"),
        sequential_read_mb_per_s=rate,
        sequential_write_mb_per_s=rate,
    )
    local = _device(
        "l",
        "nvme",
        Decimal(400_000),
        Decimal(220_000),
        sequential_read_mb_per_s=Figure(Decimal(3088), "MB/s", "a test"),
        sequential_write_mb_per_s=Figure(Decimal(2289), "MB/s", "a test"),
    )
    # The curve is of one of two machines: three hold 1.5 times as many of its pages.
    scale_ = machines / 2
    one = evaluate(
        curve,
        ram_pages=round((128 - 4) * 2**30 // page * scale_),
        flash_pages=round(3750 * 10**9 // page * scale_),
        flash=local,
        disk=volume,
    )
    assert CHOICES[fast.scheme[row]] == one.best
    assert fast.io_time_us[row] == pytest.approx(
        one.schemes[one.best].io_time_us_per_access, rel=1e-6
    )
    assert fast.flash_us[row] > 0


@pytest.mark.oracle(
    "evaluate.configurations.times.speeds", "evaluate.configurations.times.busy"
)
def test_data_on_drives_is_c0_on_them() -> None:
    curve, page = scaled(), scaled().page_bytes
    found = enumerate_configurations(
        Wanted(
            data_bytes=4 * TIB,
            page_bytes=page,
            replicas=2,
            kinds=("chassis",),
            max_machines=2,
        )
    )
    fast = speeds(found, curve)
    p5810 = catalog.device("solidigm-d7-p5810-800gb")
    drive = [each.part.id for each in found.sold.drives].index(p5810.id)
    for row in np.nonzero((found.drive == drive) & (found.drives == 6))[0][::17]:
        frames = int((found.ram_gib[row] - 4) * 2**30 // page)
        if frames < 1:
            continue
        one = evaluate(curve, ram_pages=frames, flash_pages=0, flash=p5810, disk=p5810)
        expected = one.schemes["none"].io_time_us_per_access
        assert fast.io_time_us[row] == pytest.approx(expected, rel=1e-9)
        # Six drives on each of two machines: U = X S / (2 x 6).
        store, flash = busy(found, fast, 80_000.0)
        assert store[row] == pytest.approx(80_000 * expected / 1e6 / 12)
        assert flash[row] == 0
    missing = [
        {"all"}
        if not each.part.device
        else set(missing_figures(catalog.device(each.part.device))) - {"price"}
        for each in found.sold.drives
    ]
    assert any(missing)
    assert not all(missing)
    unknown = np.asarray([bool(each) for each in missing])[found.drive]
    no_writes = np.asarray([each == {"write service time"} for each in missing])
    # How long takes what is not done need not be known: of RAM that holds all of the data, and writes of what only reads.
    is_all = np.asarray(curve.misses(fast.ram_pages)) == 0
    assert (is_all & unknown & ~no_writes[found.drive]).any()
    assert np.array_equal(is_all, fast.ram_pages >= 4 * TIB // page)
    assert not fast.io_time_us[is_all].any()
    assert curve.write_backs_at is not None
    read_only = replace(
        curve,
        write_backs_at=np.zeros_like(curve.write_backs_at),
        write_accesses=0,
    )
    for of, unwritten in ((curve, is_all), (read_only, np.ones_like(is_all))):
        alone = speeds(found, of)
        is_known = is_all | (no_writes[found.drive] & unwritten)
        assert (is_known & unknown).any()
        assert np.array_equal(np.isnan(alone.io_time_us), unknown & ~is_known)
        named = speeds(found, of, flash=FLASH, disk=DISK)
        assert np.array_equal(named.borrowed, unknown & ~is_all)
        assert np.isfinite(named.io_time_us).all()
        known = ~named.borrowed
        assert np.array_equal(named.io_time_us[known], alone.io_time_us[known])


@pytest.mark.costly(5)
@pytest.mark.formula(
    "evaluate.configurations.times.speeds", "evaluate.configurations.times.busy"
)
@given(st.floats(1, 1e7), st.integers(1, 8))
@settings(max_examples=15, deadline=None)
def test_load_and_ram_act_as_they_must(rate: float, reserved: int) -> None:
    curve = scaled()
    found = rows(reserved=reserved)
    fast = speeds(found, curve, flash=FLASH, disk=DISK)
    assert (fast.io_time_us >= 0).all()
    assert np.allclose(fast.io_time_us, fast.store_us + fast.flash_us)
    more = speeds(rows(reserved=40), curve, flash=FLASH, disk=DISK)
    assert (more.ram_pages <= fast.ram_pages).all()
    # Less RAM misses at least as much; C0 has nothing else.
    plain = found.flash_bytes == 0
    assert (more.io_time_us[plain] >= fast.io_time_us[plain] * (1 - 1e-9)).all()
    once, twice = busy(found, fast, rate), busy(found, fast, 2 * rate)
    assert np.allclose(twice[0], 2 * once[0])
    assert np.allclose(twice[1], 2 * once[1])


def test_a_device_without_rates_cannot_be_named_for_others() -> None:
    with pytest.raises(BadInput, match="`blank` states no busy time"):
        speeds(rows(), scaled(), flash=Device("blank", "blank", "nvme"))


# The front.


@pytest.mark.oracle("evaluate.configurations.front.pareto_front")
@pytest.mark.formula("evaluate.configurations.front.pareto_front")
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30),
)
def test_the_front_is_what_no_other_beats(points: list[tuple[int, int]]) -> None:
    usd, time = [one for one, _ in points], [other for _, other in points]
    found = pareto_front(usd, time).tolist()
    beaten = {
        at
        for at, other in itertools.product(range(len(points)), range(len(points)))
        if (
            points[other] != points[at]
            and usd[other] <= usd[at]
            and time[other] <= time[at]
        )
        or (points[other] == points[at] and other < at)
    }
    assert sorted(found) == [at for at in range(len(points)) if at not in beaten]
    assert [usd[at] for at in found] == sorted(usd[at] for at in found)


# The answer.


@pytest.mark.oracle("advise.configurations.answer")
def test_every_configuration_is_counted_once() -> None:
    found = asked(part_usd={"chassis": Decimal(9000)}, max_io_us=5.0)
    counted_ = sum(each.count for each in found.excluded)
    assert found.suitable + found.lower_bounds_in_all + counted_ == found.evaluated
    assert found.suitable > 0
    assert found.cheapest == found.front[0]
    assert found.fastest == found.front[-1]
    assert all(each.io_time_us_per_access <= 5 for each in found.front)  # type: ignore[operator]
    monthly = [each.monthly_usd for each in found.front]
    assert monthly == sorted(monthly)
    for one in (*found.front, *found.lower_bounds):
        billed = bill.answer(build_from_mapping(one.config))
        assert one.usd_per_month == billed.usd_per_month
        assert one.purchase_usd == billed.purchase_usd
        assert one.total_usd == billed.total_usd
        assert billed.violations == ()
        assert one.store_bytes >= 2 * 4 * TIB
        assert (one.store_busy_peak or 0) <= 1
    assert f"{found.cheapest.monthly_usd:,.2f} USD per month" in found.finding
    assert found.cheapest.name in found.finding
    assert [step.name for step in found.derivation()][-1] == "I/O time"


def test_the_finding_is_two_sentences_whatever_is_fastest() -> None:
    free = asked(kinds=("instances",))
    cheapest, fastest = free.cheapest, free.fastest
    assert cheapest is not None
    assert fastest is not None
    assert cheapest.name != fastest.name
    head = f"{cheapest.name} is the cheapest of {free.suitable:,} configurations that suit 4 TiB: "
    assert free.finding.startswith(head)
    assert f" The fastest, {fastest.name}, takes " in free.finding
    assert free.finding.endswith(f"{fastest.monthly_usd:,.2f} USD per month.")
    # What costs more than the cheapest is out: nothing else can be faster.
    tight = asked(kinds=("instances",), max_usd_per_month=cheapest.monthly_usd)
    assert tight.cheapest == cheapest
    assert tight.fastest == cheapest
    if tight.suitable == 1:
        assert " is the only configuration that suits 4 TiB: " in tight.finding
        assert "No other" not in tight.finding
    else:
        assert tight.finding.endswith(" per access. No other is faster.")
    assert all("Excluded" not in each.finding for each in (free, tight))


def test_a_chassis_without_price_is_ranked_apart() -> None:
    only: dict[str, Any] = {"kinds": ("chassis",), "max_machines": 2}
    without = asked(**only)
    assert without.suitable == 0
    assert without.cheapest is None
    assert without.lower_bounds[0].lacks_price == ("chassis",)
    assert "chassis has no price" in without.finding
    assert "costs at least" in without.finding
    assert "lower_bounds_without_price" in {each.name for each in without.warnings}
    stated = asked(part_usd={"chassis": Decimal(9000)}, **only)
    assert stated.cheapest is not None
    assert "chassis" not in stated.cheapest.lacks_price
    assert stated.cheapest.purchase_usd > 18_000
    assert all("chassis" not in each.lacks_price for each in stated.lower_bounds)
    # Of one chassis alone: the others stay apart.
    one = asked(part_usd={"chassis-dell-r760": Decimal(1)}, **only)
    assert {each.config["part"][0]["id"] for each in one.front} == {"chassis-dell-r760"}


def test_reasons_follow_what_is_asked() -> None:
    assert "reserved_ram" not in reasons(asked(kinds=("instances",)))
    found = asked(kinds=("instances",), reserved_gib=Decimal(100))
    count = reasons(found)["reserved_ram"]
    text = next(each.text for each in found.excluded if each.reason == "reserved_ram")
    assert text == f"{count} lack the RAM for the reserve of 100 GiB"
    exact = asked(kinds=("instances",), reserved_gib=Decimal(11400))
    assert (
        reasons(exact)["ram"] == 2
    )  # one instance that has exactly as much, two or three of it
    assert exact.cheapest is None
    assert "No configuration that has all its prices suits 4 TiB" in exact.finding
    assert ", what" not in exact.finding
    cheap = asked(kinds=("instances",), max_usd_per_month=Decimal(2000))
    assert all(each.monthly_usd <= 2000 for each in cheap.front)
    text = next(
        each.text for each in cheap.excluded if each.reason == "max_usd_per_month"
    )
    assert text.endswith("cost more than 2,000 USD per month")
    slow = asked(kinds=("instances",), max_io_us=0.5)
    assert "max_io_us" in reasons(slow)
    idle = asked(kinds=("volumes",), max_busy=0.5)
    assert reasons(idle)["load"] > reasons(asked(kinds=("volumes",)))["load"]


def test_the_busiest_hour_decides_about_the_load() -> None:
    calm = configurations.answer(scaled(), kinds=("volumes",), max_machines=2)
    peak = configurations.answer(
        scaled(peak_accesses_per_s=800_000.0), kinds=("volumes",), max_machines=2
    )
    assert reasons(peak)["load"] > reasons(calm)["load"]
    assert peak.peak_accesses_per_s == 800_000
    one = peak.front[0]
    assert one.store_busy is not None
    assert one.store_busy_peak == pytest.approx(10 * one.store_busy)
    # A mean that is stated beside the profile leaves it ten times the mean.
    more = configurations.answer(
        scaled(peak_accesses_per_s=800_000.0),
        accesses_per_s=160_000.0,
        kinds=("volumes",),
        max_machines=2,
    )
    assert (more.accesses_per_s, more.peak_accesses_per_s) == (160_000, 1_600_000)


def test_data_grow_over_the_months() -> None:
    grown = configurations.answer(
        scaled(growth_per_year=1.0), kinds=("instances",), horizon_months=24
    )
    assert "16 TiB, what 4 TiB are after 24 months" in grown.finding
    assert grown.data_bytes == 16 * TIB
    shrunk = configurations.answer(
        scaled(growth_per_year=-0.5), kinds=("instances",), horizon_months=24
    )
    assert shrunk.data_bytes == 4 * TIB


def test_a_recording_is_answered_without_a_load() -> None:
    curve = recorded().curve.steady()
    found = configurations.answer(curve, kinds=("instances",), max_machines=1)
    assert found.data_bytes == curve.data_pages * curve.page_bytes
    assert found.accesses_per_s is None
    assert found.cheapest is not None
    assert found.cheapest.store_busy is None
    assert "rate_not_known" in {each.name for each in found.warnings}
    rated = configurations.answer(
        curve, kinds=("instances",), max_machines=1, accesses_per_s=5000.0
    )
    timed = configurations.answer(
        curve, kinds=("instances",), max_machines=1, duration_s=100.0
    )
    assert timed.accesses_per_s == curve.accesses / 100
    assert "rate_not_known" not in {each.name for each in rated.warnings}
    assert rated.cheapest is not None
    assert (rated.cheapest.store_busy or 0) > 0


def test_electricity_is_part_of_what_is_bought() -> None:
    price: dict[str, Any] = {
        "kinds": ("chassis",),
        "part_usd": {"chassis": Decimal(9000)},
        "max_machines": 2,
    }
    without = asked(**price)
    powered = asked(usd_per_kwh=Decimal("0.10"), watts=Decimal(500), **price)
    assert without.cheapest is not None
    assert powered.cheapest is not None
    assert without.cheapest.usd_per_month == 0
    # 500 W x 1.5 x 730 h x 0.10 USD/kWh on each machine.
    assert powered.cheapest.usd_per_month == powered.cheapest.machines * Decimal(
        "54.75"
    )
    assert "power_left_out" in {each.name for each in without.warnings}
    assert "power_left_out" not in {each.name for each in powered.warnings}
    # Without watts the power of modules and chassis is unknown: a lower bound.
    unknown = asked(usd_per_kwh=Decimal("0.10"), **price)
    assert unknown.suitable == 0
    assert unknown.lower_bounds[0].lacks_price == ("electricity",)
    assert "electricity has no price" in unknown.finding


def test_amounts_are_in_the_currency_shown() -> None:
    rate = ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "a test")
    with showing(rate):
        found = asked(kinds=("instances",), max_usd_per_month=Decimal(3000))
    assert found.cheapest is not None
    assert f"{found.cheapest.monthly_usd / 2:,.2f} EUR per month" in found.finding
    text = next(
        each.text for each in found.excluded if each.reason == "max_usd_per_month"
    )
    assert "1,500 EUR" in text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"kinds": ("racks",)},
            "kinds: `racks` is not one of instances, volumes, chassis",
        ),
        ({"kinds": ()}, "kinds: must name at least one kind"),
        ({"max_machines": 1}, "max_machines: `1` must not be below the 2 machines"),
        ({"max_machines": 257}, "must be a whole number from 1 to 256"),
        ({"horizon_months": 0}, "horizon_months: `0` must be a whole number from 1"),
        ({"reserved_gib": Decimal(-1)}, "reserved_gib: `-1` must be an amount"),
        ({"part_usd": {"chassis": Decimal("NaN")}}, "part_usd.chassis: `NaN` must be"),
        ({"part_usd": {"dimm-ddr5": Decimal(1)}}, "there is no part `dimm-ddr5`"),
        ({"pue": Decimal("0.5")}, "pue: `0.5` must be from 1 to 100"),
        ({"max_busy": 0.0}, "max_busy: `0.0` must be a number above 0"),
        ({"max_io_us": float("nan")}, "max_io_us: `nan` must be a number above 0"),
        ({"max_usd_per_month": Decimal(0)}, "max_usd_per_month: `0` must be an amount"),
        ({"accesses_per_s": -1.0}, "accesses_per_s: `-1.0` must be a number above 0"),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as error:
        asked(**wrong)
    assert message in str(error.value)


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "MOST_ROWS", 1000)
    with pytest.raises(BadInput, match="more than 1,000 up to 3 machines"):
        asked()


def test_a_document_holds_amounts_as_decimal_strings() -> None:
    found = asked(kinds=("instances",)).to_dict()
    assert isinstance(found["cheapest"]["monthly_usd"], str)
    assert found["front"][0] == found["cheapest"]
    assert found["numbers"][0]["name"] == "evaluated"


def test_a_config_is_read_again_whatever_the_currency() -> None:
    rate = ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "a test")
    exact = Decimal("123456789.123456789012")
    with showing(rate):
        for usd in (Decimal("9000.005"), exact):
            found = asked(
                kinds=("chassis",),
                part_usd={"chassis-dell-r760": usd},
                usd_per_kwh=Decimal("0.12"),
                watts=Decimal(450),
            )
            document = stated(found.to_dict())
            one, row = found.front[0], document["front"][0]
            assert Decimal(row["monthly_eur"]) == one.monthly_usd / 2
            config = json.loads(json.dumps(row["config"]), parse_float=Decimal)
            config["part"][0].pop("eur", None)  # an amount of more digits than a number
            assert "eur_per_kwh" not in config["power"]
            billed = bill.answer(build_from_mapping(config))
            assert billed.total_usd == one.total_usd
        assert isinstance(row["config"]["part"][0]["usd"], str)


def effects(found: configurations.Configurations) -> dict[str, tuple[str, bool | None]]:
    return {
        each.code: (each.effect, each.could_change_choice) for each in found.cautions
    }


def test_the_error_of_the_law_could_change_what_is_bought() -> None:
    free = asked(kinds=("instances",))
    text, could = effects(free)["scale_extrapolated"]
    part = scaled().scaled
    assert part is not None
    assert part.known_error is not None
    # The I/O time is that of the misses, which lie between m / (1 + e) and m (1 + e).
    off = part.known_error.worst
    assert off > 3
    assert f"-{100 * off / (1 + off):.0f} % I/O time, same cheapest" in text
    assert f"+{100 * off:.0f} % I/O time, same cheapest" in text
    assert could is False
    # A limit that holds only if the law is right: several times the misses break it.
    assert free.cheapest is not None
    assert free.cheapest.io_time_us_per_access is not None
    tight = asked(
        kinds=("instances",), max_io_us=1.5 * free.cheapest.io_time_us_per_access
    )
    assert tight.cheapest == free.cheapest
    text, could = effects(tight)["scale_extrapolated"]
    assert "it does not suit, and the cheapest is 2 x aws-r8id.48xlarge at" in text
    assert could is True
    # A limit below the cheapest of all: fewer misses would admit a cheaper one.
    strict = asked(
        kinds=("instances",), max_io_us=0.9 * free.cheapest.io_time_us_per_access
    )
    assert strict.cheapest is not None
    text, could = effects(strict)["scale_extrapolated"]
    assert f"{free.cheapest.name} at {free.cheapest.monthly_usd:,.2f} USD" in text
    assert could is True
    # One that nothing meets with several times the misses.
    money = {"kinds": ("instances",), "max_usd_per_month": Decimal(50_000)}
    fastest = min(each.io_time_us_per_access or 0 for each in asked(**money).front)
    assert fastest > 0
    none = asked(**money, max_io_us=1.01 * fastest)
    text, could = effects(none)["scale_extrapolated"]
    assert "and no configuration of the" in text
    assert could is True
    assert asked(kinds=("chassis",)).weigh is None


def test_the_command_shows_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "P.json"
    recorded().write(file)
    usual = [
        "configurations",
        file,
        "--production",
        "4TiB@80000",
        "--max-machines",
        2,
        "--part-usd",
        "chassis=9000",
    ]
    document = command_answer(*usual, "--only", "chassis", "--max-io-us", "2")
    assert document["cheapest"]["kind"] == "chassis"
    assert document["accesses_per_s"] == 80_000
    assert document["cheapest"]["io_time_us_per_access"] <= 2
    assert {"lower_bounds_in_all", "excluded", "derivation"} <= document.keys()
    shown = run(*usual, "--only", "instances", "--currency", "EUR")
    assert shown.returncode == 0
    assert "EUR per month" in shown.stdout
    assert "cannot hold 4 TiB" in shown.stdout
    both = command_answer(*usual, "--only", "instances", "--only", "chassis")
    alone = [
        command_answer(*usual, "--only", each)["evaluated"]
        for each in ("instances", "chassis")
    ]
    assert both["evaluated"] == sum(alone)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "racks"], "`racks` is not one of instances, volumes, chassis"),
        (["--part-usd", "chassis"], "--part-usd: `chassis` is not KEY=VALUE"),
        (["--part-usd", "chassis=x"], "--part-usd: `x` is not a decimal number"),
        (["--reserved-ram", "much"], "--reserved-ram: "),
        (["--watts", "hot"], "--watts: `hot` is not a decimal number"),
        (["--flash-device", "none-such"], "none-such"),
    ],
)
def test_the_command_names_what_is_wrong(
    tmp_path: Path, options: list[str], message: str
) -> None:
    file = tmp_path / "P.json"
    recorded().write(file)
    done = run("configurations", file, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert "hint:" in done.stderr
