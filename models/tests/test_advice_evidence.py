"""Where other questions are asked for an option: they answer with its figures, worked out here without the advice."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tierwright.advise import advice, compare, scale
from tierwright.advise.advice.found import Advice, Option, Point
from tierwright.advise.advice.request import candidates_from_mapping
from tierwright.evaluate.configurations.sold import disk_id, disk_of_server
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.servers import server
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TIB = 2**40


@cache
def production(machines: int) -> Curve:
    recorded = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    stated = Production(
        data_bytes=2 * TIB,
        accesses_per_s=40_000.0,
        peak_accesses_per_s=60_000.0,
        machines=machines,
    )
    made = scale.answer(recorded, stated, recorded_data_bytes=512 * 2**20)
    return made.profile.curve.from_start("steady")


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
