"""Where other questions are asked for an option: they answer with its figures, worked out here without the advice."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tierwright.advise import advice, compare, placement, quote_ranking, scale
from tierwright.advise.advice.found import Advice, Option, Point
from tierwright.advise.advice.request import Have, candidates_from_mapping
from tierwright.evaluate.configurations.sold import disk_id, disk_of_server
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.imports.mapping import mapping_of
from tierwright.hardware.imports.offers import offers_of
from tierwright.hardware.servers import server
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.profile.several import workload_of
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TIB = 2**40


@cache
def scaled(machines: int) -> Profile:
    recorded = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    stated = Production(
        data_bytes=2 * TIB,
        accesses_per_s=40_000.0,
        peak_accesses_per_s=60_000.0,
        machines=machines,
    )
    made = scale.answer(recorded, stated, recorded_data_bytes=512 * 2**20)
    return made.profile


def production(machines: int) -> Curve:
    return scaled(machines).curve.from_start("steady")


@cache
def advised(machines: int, kind: str) -> Advice:
    stated: dict[str, Any] = {"kinds": [kind]}
    return advice.answer(
        production(machines),
        candidates=candidates_from_mapping(stated, "candidates"),
        prices=advice.named_book("street-2026-q3"),
        how_sure=False,
    )


def device(name: str) -> Device:
    return disk_of_server(name) or catalog.device(name)


def options(machines: int, kind: str) -> list[tuple[Option, Point]]:
    found = advised(machines, kind)
    assert found.recommendation is not None
    every = (found.recommendation, *found.alternatives)
    return [(each, each.point) for each in every if each.point is not None]


@pytest.mark.parametrize("machines", [1, 4])
@pytest.mark.parametrize("kind", ["instances", "devices"])
def test_the_page_flow_there_takes_what_the_option_takes(
    machines: int, kind: str
) -> None:
    found = options(machines, kind)
    assert len(found) >= (1 if kind == "instances" else 4)
    for option, point in found:
        there = compare.answer(
            production(machines),
            ram_pages=point.ram_pages,
            flash_pages=point.flash_pages,
            flash=device(point.flash_device or "micron-9550-max-3.2tb"),
            disk=device(point.disk_device),
        ).evaluation.schemes[option.scheme]
        assert there.io_time_us_per_access == pytest.approx(
            option.io_time_us_per_access, rel=1e-6
        )
        assert point.io_time_us_per_access == option.io_time_us_per_access
        assert there.ram_hits / production(machines).accesses == pytest.approx(
            option.ram_hit_share, abs=1e-6
        )
        assert there.flash_hits / production(machines).accesses == pytest.approx(
            option.flash_hit_share, abs=1e-6
        )
        # The load of the busiest hour on one machine, and its devices: 60,000 accesses a second on all.
        assert point.peak_accesses_per_s == pytest.approx(60_000 / option.machines)
        assert point.accesses_per_s == pytest.approx(40_000 / option.machines)
        assert point.disks * option.machines == option.disks
        assert point.flash_devices * option.machines == option.flash_devices
        terms = there.cost_terms_us_per_access
        busy = {
            tier: sum(us for name, us in terms.items() if name.startswith(tier))
            * point.peak_accesses_per_s
            / 1e6
            / max(1, count)
            for tier, count in (
                ("flash", point.flash_devices),
                ("disk", point.disks),
            )
        }
        assert max(busy.values()) == pytest.approx(option.peak_busy, rel=1e-6)


def test_a_volume_cannot_be_stated_with_the_rates_that_it_is_rented_with() -> None:
    found = advised(1, "volumes")
    assert found.recommendation is not None
    assert found.recommendation.volumes
    assert found.recommendation.point is None


ALL_IN_RAM = "azure-e64ds_v5"
"""An instance that states how fast its local disk reads, and not how fast it writes."""
WITHOUT_RATES = "wd-sn850x-2tb-2026-06"


def test_a_device_without_a_time_that_other_questions_need_leads_to_none() -> None:
    # RAM holds all that is written, so no write is asked of the disk and the I/O time is known.
    of_disk = advice.answer(
        production(1),
        candidates=candidates_from_mapping({"servers": [ALL_IN_RAM]}, "candidates"),
        prices=advice.named_book(None),
        how_sure=False,
        objective="pareto",
    ).pareto
    assert of_disk
    for option in of_disk:
        assert option.server == ALL_IN_RAM
        assert option.io_time_us_per_access is not None
        assert option.point is None
    disk = disk_of_server(disk_id(ALL_IN_RAM))
    assert disk is not None
    assert "write_iops" not in disk.figures
    # A flash cache as large as the data lets nothing through to a drive without rates.
    found = advice.answer(
        production(1),
        candidates=candidates_from_mapping(
            {"kinds": ["devices"], "devices": [WITHOUT_RATES, DRIVE]}, "candidates"
        ),
        prices=advice.named_book(None),
        how_sure=False,
    )
    every = (found.recommendation, *found.alternatives)
    behind = [each for each in every if each and each.disk_device == WITHOUT_RATES]
    assert behind
    assert {each.point for each in behind} == {None}
    assert any(each.point for each in every if each and each not in behind)


DRIVE = "micron-9550-max-3.2tb"


def quoted(*items: tuple[str, str], **volume: Any) -> Option:
    """Rank one quote of such lines and, behind them, one volume."""
    lines = [
        {"kind": kind, "item": item, "quantity": 1, "unit": unit, "price": 1}
        for kind, item, unit in (
            (kind, item, "HUR" if kind == "instance" else "EA") for kind, item in items
        )
    ]
    given: dict[str, Any] = {}
    if volume:
        row = {"kind": "", "item": "", "quantity": 1, "unit": "MON", "price": 512}
        lines.append({**row, "part_number": "V"})
        told = [{"part_number": "V", "is": [{"kind": "volume", **volume}]}]
        given["mapping"] = mapping_of(told, "m")
    offer = {"quote_id": "Q", "supplier": "A", "currency": "USD", "lines": lines}
    offer["valid_until"] = "2026-12-31"
    found = quote_ranking.answer(
        production(1),
        offers_of([offer]),
        day="2026-11-20",
        constraints={"peak_busy": 1},
        **given,
    )
    [only] = (*found.ranked, *found.rejected)
    assert only.option is not None
    return only.option


@pytest.mark.parametrize("volume", ["aws-ebs-st1", "aws-ebs-gp2"])
@pytest.mark.parametrize("instance", ["aws-r7i.4xlarge", "aws-i4i.4xlarge"])
def test_a_quoted_volume_is_no_device_of_other_questions(
    volume: str, instance: str
) -> None:
    # `aws-ebs-st1` is a device too, of 16 TiB: 6,000 GiB of it are slower. `aws-ebs-gp2` is none.
    option = quoted(("instance", instance), item=volume, size_gib=6000)
    assert option.disk_device == volume
    assert option.io_time_us_per_access is not None
    assert option.point is None


@pytest.mark.parametrize(
    ("items", "disk"),
    [
        ([("instance", "aws-i4i.16xlarge")], "disk-of-aws-i4i.16xlarge"),
        (
            [
                ("server", "chassis-dell-r760"),
                ("part", "dimm-ddr5-rdimm-64gb"),
                ("device", DRIVE),
            ],
            DRIVE,
        ),
    ],
)
def test_a_quote_of_devices_that_other_questions_know_leads_to_them(
    items: list[tuple[str, str]], disk: str
) -> None:
    option = quoted(*items)
    point = option.point
    assert point is not None
    assert point.disk_device == disk
    there = compare.answer(
        production(1),
        ram_pages=point.ram_pages,
        flash_pages=0,
        flash=device(DRIVE),
        disk=device(disk),
    ).evaluation.schemes["none"]
    assert there.io_time_us_per_access == pytest.approx(
        option.io_time_us_per_access, rel=1e-6
    )


@pytest.mark.parametrize("disk", ["aws-i4i.4xlarge-local", "disk-of-aws-i4i.4xlarge"])
def test_what_there_is_leads_to_the_device_that_is_stated(disk: str) -> None:
    # The catalogue has the disk of this instance too, with figures of another source.
    found = advice.answer(
        production(1),
        have=Have(machines=1, ram_bytes=2**37, disk=device(disk), disks=1),
        candidates=candidates_from_mapping({"servers": [ALL_IN_RAM]}, "candidates"),
        prices=advice.named_book(None),
        how_sure=False,
    )
    assert found.option_zero is not None
    point = found.option_zero.point
    assert point is not None
    assert point.disk_device == disk


def test_a_system_of_several_workloads_has_no_one_workload_to_ask() -> None:
    few = candidates_from_mapping({"servers": ["aws-i3en.6xlarge"]}, "candidates")
    alone, both = (
        placement.answer(
            [workload_of(name, scaled(1)) for name in names], candidates=few
        )
        for names in (["orders"], ["orders", "logs"])
    )
    [of_one] = alone.systems
    assert of_one.option.point is not None
    assert of_one.option.point.accesses_per_s == 40_000 / of_one.option.machines
    shared = [each for each in both.systems if len(each.workloads) > 1]
    assert shared
    assert {each.option.point for each in shared} == {None}


def test_the_disk_of_an_instance_has_its_part_of_the_rates_of_the_instance() -> None:
    sold = server("aws-i3en.xlarge")
    disk = disk_of_server(disk_id(sold.id))
    assert disk is not None
    assert sold.local_read_iops is not None
    count = Decimal(sold.local_nvme_count or 0)
    assert disk.figures["read_iops"].value == sold.local_read_iops / count
    assert (disk.id, disk.sold_as) == ("disk-of-aws-i3en.xlarge", "instance")
    # Of no instance, of one without a disk, and of a device of the catalogue there is none.
    assert disk_of_server("disk-of-nothing") is None
    assert disk_of_server("disk-of-aws-c8g.4xlarge") is None
    assert disk_of_server("aws-i4i.4xlarge-local") is None
