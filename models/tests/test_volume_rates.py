"""Rates of volumes whose size sets them: the tables of AWS, what they carry for ever, and what is recommended, billed and refused by it.

Worked cases are the tables of doc_source/hdd-vols.md and doc_source/general-purpose.md of awsdocs/amazon-ec2-user-guide
(@0147f878). "An I/O request of 1 MiB or less counts as a 1 MiB I/O credit": a volume of 40 MiB/s serves 40 random reads
of 8 KiB a second once its credits are spent.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import ask, curve

from tierwright.advise import tier_cost as tier_costs
from tierwright.advise.advice.request import Candidates
from tierwright.advise.bill import answer as bill_answer
from tierwright.evaluate.bill import billed_size_gib, violations
from tierwright.evaluate.configurations.sold import volume_device, volume_options
from tierwright.evaluate.configurations.wanted import Wanted
from tierwright.hardware import catalog, volumes
from tierwright.hardware.build import build_from_mapping
from tierwright.hardware.service_time import service_us
from tierwright.profile.production import Production

GIB, MIB = 2**30, 2**20
SC1, ST1, GP2 = "aws-ebs-sc1", "aws-ebs-st1", "aws-ebs-gp2"
BASE_OF_ST1 = {
    0.125: 5,
    0.5: 20,
    1: 40,
    2: 80,
    3: 120,
    5: 200,
    9: 360,
    12: 480,
    12.5: 500,
    13: 500,
    16: 500,
}
BASE_OF_SC1 = {
    0.125: 1.5,
    0.5: 6,
    1: 12,
    2: 24,
    3.125: 37.5,
    5: 60,
    9: 108,
    13: 156,
    16: 192,
}
"""TiB of a volume to its base throughput. [MiB/s]"""
BASE_OF_GP2 = {
    1: 100,
    33: 100,
    100: 300,
    334: 1002,
    750: 2250,
    1000: 3000,
    5334: 16_000,
    16_384: 16_000,
}
"""GiB of a volume to its base performance. [1/s]"""


def device_of(name: str, size_gib: float, **rates: Any) -> Any:
    entry = {"id": name, "size_gib": Decimal(str(size_gib)), **rates}
    [item] = build_from_mapping({"volume": [entry]}).volumes
    return volume_device(item)


@pytest.mark.parametrize(
    ("name", "tib", "mib_per_s"),
    [
        *((ST1, *each) for each in BASE_OF_ST1.items()),
        *((SC1, *each) for each in BASE_OF_SC1.items()),
    ],
)
def test_hard_disk_volumes_have_the_base_throughput_of_their_size(
    name: str, tib: float, mib_per_s: float
) -> None:
    device = device_of(name, tib * 1024)
    for operation in ("read", "write"):
        # A random I/O of 1 MiB or less counts as 1 MiB: as many a second as MiB/s.
        for page in (4096, 8192, MIB):
            assert service_us(device, operation, page) == pytest.approx(1e6 / mib_per_s)
        assert service_us(device, operation, 3 * MIB) == pytest.approx(3e6 / mib_per_s)
        moved = float(device.figures[f"sequential_{operation}_mb_per_s"].value)
        assert moved == pytest.approx(mib_per_s * MIB / 1e6)


@pytest.mark.parametrize(("gib", "iops"), BASE_OF_GP2.items())
def test_gp2_has_the_base_performance_of_its_size(gib: int, iops: int) -> None:
    device = device_of(GP2, gib)
    assert device.figures["read_iops"].value == iops
    # I/Os of at most 256 KiB, and no volume moves more than 250 MiB/s.
    moved = float(device.figures["sequential_read_mb_per_s"].value)
    assert moved == pytest.approx(min(iops / 4, 250, max(25, gib * 0.75)) * MIB / 1e6)


@pytest.mark.parametrize(
    ("name", "stated", "iops", "mib_per_s"),
    [
        (GP2, {"size_gib": 1000}, 3000, 250),
        ("aws-ebs-gp3", {"size_gib": 1000}, 3000, 125),
        ("aws-ebs-io2", {"size_gib": 1000, "iops": 3000}, 3000, 768),
    ],
)
def test_an_io_of_ssd_volumes_is_of_up_to_256_kib(
    name: str, stated: dict[str, Any], iops: int, mib_per_s: int
) -> None:
    """AWS (doc_source/ebs-io-characteristics.md): "I/O size is capped at 256 KiB for SSD volumes": gp2, gp3, io1, io2.

    "If you are using a 256 KiB I/O size, your volume reaches its throughput limit at 1000 IOPS (1000 x 256 KiB = 250 MiB)."
    """
    device = device_of(name, **stated)
    for kib in (8, 16, 32, 64, 256, 257, 1024):
        units = -(-kib // 256)
        expected = max(units / iops, kib / 1024 / mib_per_s) * 1e6
        found = service_us(device, "read", kib * 1024)
        assert found == pytest.approx(expected), kib
    unit = volumes.volume(name).figures["io_unit_bytes"]
    assert (unit.value, "256 KiB" in unit.note) == (256 * 1024, True)


@pytest.mark.parametrize(
    "name",
    ["aws-ebs-gp2-max", "aws-ebs-gp3-baseline", "aws-ebs-gp3-max", "aws-ebs-io2-bx"],
)
def test_devices_count_an_io_as_their_volume_does(name: str) -> None:
    assert catalog.device(name).io_unit_bytes == 256 * 1024


def test_a_volume_is_billed_and_rated_with_the_least_size_that_is_sold() -> None:
    for name, usd, iops in (
        (SC1, "1.88", 12 * 125 / 1024),
        (ST1, "5.63", 40 * 125 / 1024),
    ):
        build = build_from_mapping({"volume": [{"id": name, "size_gib": 1}]})
        assert billed_size_gib(build.volumes[0]) == 125
        [line] = bill_answer(build).lines
        assert abs(line.usd_per_month - Decimal(usd)) < Decimal("0.011")
        assert "billed as 125 GiB" in line.note
        assert float(device_of(name, 1).figures["read_iops"].value) == pytest.approx(
            iops
        )


def test_ultra_disk_is_billed_by_the_gib() -> None:
    """Microsoft (disks-types.md of 2026-08-11): "in 1 GiB increments", "billed on a per GiB ratio".

    2,048 GiB are 245.19 USD a month in the price file.
    """

    def capacity(size_gib: str) -> tuple[Decimal, str]:
        entry = {"id": "azure-ultra-disk", "size_gib": Decimal(size_gib)}
        build = build_from_mapping({"volume": [{**entry, "iops": 1, "mb_per_s": 1}]})
        line = bill_answer(build).lines[0]
        return line.usd_per_month, line.note

    assert capacity("2048") == (Decimal("245.19"), "")
    assert capacity("1100") == (Decimal("131.69"), "")
    usd, note = capacity("1100.5")
    assert usd == Decimal("131.81")
    assert note == "1,100.5 GiB are billed as 1,101 GiB"
    assert "per GiB" in volumes.volume("azure-ultra-disk").notes


def test_more_than_the_size_gives_breaks_a_limit() -> None:
    def broken(name: str, **stated: Any) -> dict[str, str]:
        build = build_from_mapping({"volume": [{"id": name, **stated}]})
        return {each.name: each.message for each in violations(build)}

    # 40 MiB/s per TiB are 7.8 of 200 GiB.
    assert broken(ST1, size_gib=200, iops=7, mb_per_s=7) == {}
    assert "need 205 GiB" in broken(ST1, size_gib=200, iops=8)["volume_iops_per_gib"]
    assert "need 205 GiB" in broken(ST1, size_gib=200, mb_per_s=8)["volume_throughput"]
    assert set(broken(ST1, size_gib=16_000, mb_per_s=501)) == {"volume_throughput"}
    assert broken(ST1, size_gib=12_800, iops=500, mb_per_s=500) == {}
    # However small, gp2 has 100.
    assert broken(GP2, size_gib=8, iops=100) == {}
    assert set(broken(GP2, size_gib=8, iops=101)) == {"volume_iops_per_gib"}
    assert set(broken("aws-ebs-io2", size_gib=4, iops=4001)) == {"volume_iops_per_gib"}
    assert set(broken("gcp-hyperdisk-extreme", size_gib=64, iops=76_801)) == {
        "volume_iops_per_gib"
    }


def test_a_rate_that_the_size_does_not_give_is_not_counted_on() -> None:
    stated = device_of(SC1, 1024, iops=250, mb_per_s=250)
    assert stated.figures["read_iops"].value == 12
    # Without a rate of its own a volume has what is included, and is billed for.
    gp3 = device_of("aws-ebs-gp3", 1000)
    assert gp3.figures["read_iops"].value == 3000
    assert float(gp3.figures["sequential_read_mb_per_s"].value) == 125 * MIB / 1e6
    v2 = device_of("azure-premium-ssd-v2", 1000)
    assert v2.figures["sequential_read_mb_per_s"].value == 125
    # 0.256 MiB/s for each IOPS of io2 Block Express.
    io2 = device_of("aws-ebs-io2", 1000, iops=1000)
    assert float(io2.figures["sequential_read_mb_per_s"].value) == pytest.approx(
        256 * MIB / 1e6
    )


def test_volumes_on_offer_are_as_large_as_their_iops_need() -> None:
    wanted = Wanted(kinds=("volumes",), data_bytes=5 * GIB, page_bytes=8192)
    sizes = {
        (each.item.volume.id, each.item.iops): each.item.size_gib
        for each in volume_options(wanted, 1)
    }
    assert sizes[SC1, None] == sizes[ST1, None] == 125
    assert sizes[GP2, None] == 5
    assert sizes["aws-ebs-gp3", Decimal(3000)] == 5
    assert sizes["aws-ebs-gp3", Decimal(80_000)] == 160
    assert sizes["aws-ebs-io2", Decimal(3000)] == 5
    assert sizes["aws-ebs-io2", Decimal(256_000)] == 256
    assert sizes["azure-ultra-disk", Decimal(10_000)] == 10
    assert sizes["gcp-hyperdisk-extreme", Decimal(3000)] == 64
    for each in volume_options(wanted, 1):
        assert not each.limits & {"volume_iops_per_gib", "volume_size"}, each.entry


def test_hard_disk_volumes_are_not_recommended_for_what_they_cannot_carry() -> None:
    """200 GiB at 800 accesses a second: sc1 of that size serves 12 x 200 / 1024 = 2.3 reads a second."""
    few = replace(
        Candidates(kinds=("volumes",)),
        servers=("aws-c7i.4xlarge",),
        volumes=(SC1, GP2),
    )
    found = ask(curve=curve(Production(200 * GIB, 800.0, 800.0)), candidates=few)
    best = found.recommendation
    assert best is not None
    assert best.disk_device == GP2
    [cold] = [
        each
        for each in found.rejected
        if each.option.disk_device == SC1 and each.option.machines == 1
    ]
    assert cold.constraint == "peak_busy"
    # Each read or write of a page takes a second over 2.34.
    assert cold.value is not None
    assert cold.value > 1
    assert cold.option.io_time_us_per_access is not None
    assert cold.value == pytest.approx(cold.option.io_time_us_per_access * 800 / 1e6)
    [said] = [each for each in found.cautions if each.code == "bursts_not_counted"]
    assert said.about == (GP2,)
    assert "600 reads and writes per second" in said.message
    # They are those of the size that is rented, which is said beside them.
    assert found.recommendation is not None
    [volume] = found.recommendation.volumes
    assert f"`{GP2}` of {volume['size_gib']:,} GiB is counted on" in said.message
    fixed = replace(few, volumes=("aws-ebs-gp3",))
    found = ask(curve=curve(Production(200 * GIB, 800.0, 800.0)), candidates=fixed)
    assert "bursts_not_counted" not in {each.code for each in found.cautions}


@pytest.mark.parametrize(
    ("name", "gib", "usd", "iops"),
    [
        # 500 / 40 TiB x 0.045, 16 TiB x 0.015, and ceil(16,000 / 3) GiB x 0.1.
        (ST1, 12_800, 576.0, 500),
        (SC1, 16_384, 245.76, 192),
        ("aws-ebs-gp2-max", 5334, 533.4, 16_000),
    ],
)
def test_devices_of_the_catalogue_cost_the_size_that_has_their_rates(
    name: str, gib: int, usd: float, iops: int
) -> None:
    device = catalog.device(name)
    assert service_us(device, "read", 8192) == pytest.approx(1e6 / iops)
    [row] = tier_costs.answer([device], 200 * GIB, page_bytes=8192).rows
    assert row.cost is not None
    assert float(row.cost.usd_per_month) == pytest.approx(usd)
    assert any(f"at least {gib:,} GiB" in str(each) for each in row.cost.lines)


def test_a_device_and_the_volume_of_its_name_agree() -> None:
    for name in (SC1, ST1):
        device, of = catalog.device(name), volumes.volume(name)
        size = of.max_size_gib
        assert size is not None
        assert device.figures["read_iops"].value == of.most_iops(size)
        assert device.figures["least_capacity"].value == of.min_size_gib
        assert device.figures["iops_per_gib"].value == of.max_iops_per_gib
        mib_per_s = of.most_mb_per_s(size)
        assert mib_per_s is not None
        rate = float(device.figures["sequential_read_mb_per_s"].value)
        assert rate == pytest.approx(float(mib_per_s) * MIB / 1e6, rel=0.001)
        for notes in (device.notes, of.notes):
            assert "burst" in notes
            assert "small, random I/O" in notes
