"""Which questions devices can answer, and that no other is offered."""

import json
from typing import Any

import pytest

from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.economics import tier_price
from tierwright.evaluate.endurance import outlook
from tierwright.evaluate.page_flow import evaluation
from tierwright.evaluate.page_flow.evaluation import service_times
from tierwright.hardware import catalog
from tierwright.hardware.capabilities import CAPABILITIES, capabilities
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.prices import price_book_from_mapping
from tierwright.profile.curve import Curve

DISK = catalog.device("fdbuffer2011-hdd-160gb-7200")


def device(sold_as: str = "device", **figures: tuple[Any, str]) -> Device:
    return device_from_mapping(
        {
            "id": "d",
            "name": "D",
            "kind": "nvme",
            "sold_as": sold_as,
            "figures": {
                name: {"value": value, "unit": unit, "source": "a test"}
                for name, (value, unit) in figures.items()
            },
        }
    )


@pytest.mark.parametrize("name", list(catalog.devices()))
def test_what_is_promised_is_what_the_questions_accept(name: str) -> None:
    found = catalog.device(name)
    able = capabilities(found)
    if "flash" in found.roles:
        if "io_times" in able:
            assert service_times(found, DISK, 4096).flash_read > 0
        else:
            with pytest.raises(BadInput, match="service time"):
                service_times(found, DISK, 4096)
        budget = outlook.write_budget(found)
        assert ("life" in able) == (budget.in_place_tb is not None)
    assert set(able) <= set(CAPABILITIES)


def test_capabilities_follow_from_the_figures() -> None:
    rates = {"read_iops": (1000, "1/s"), "write_iops": (500, "1/s")}
    assert capabilities(device()) == ()
    assert capabilities(device(read_iops=(1000, "1/s"))) == ()
    assert capabilities(device(**rates)) == ("io_times",)
    assert capabilities(device(**rates, capacity=(1, "TB"))) == ("io_times", "life")
    # Who rents an instance does not pay for the wear of its disks.
    rented = device("instance", **rates, capacity=(1, "TB"))
    assert capabilities(rented) == ("io_times",)
    streams = {f"sequential_{way}_mb_per_s": (1, "MB/s") for way in ("read", "write")}
    assert capabilities(device(**streams)) == ("refill",)


def test_the_command_lists_only_what_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    args = ["catalog", "devices", "--role", "disk", "--answers", "io_times", "--json"]
    assert main(args) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["id"] for row in rows} >= {"seagate-exos-x24-24tb", DISK.id}
    assert all("disk" in row["roles"] and "io_times" in row["answers"] for row in rows)
    assert main(["catalog", "devices", "--answers", "love"]) == 2
    assert "`love` is not one of io_times, life, refill" in capsys.readouterr().err


def test_a_purchase_price_of_a_kind_is_none_of_what_is_rented() -> None:
    book = price_book_from_mapping(
        {
            "id": "b",
            "name": "B",
            "date": "2026",
            "prices": [{"kind": "nvme", "usd_per_gb": 1, "source": "s"}],
        }
    )
    drive = catalog.device("samsung-pm9a3-7.68tb-u2")
    instance = catalog.device("aws-i4i.4xlarge-local")
    rented = catalog.device("gcp-local-ssd-375gb")
    assert book.price_of(drive) is book.prices[0]
    assert book.price_of(instance) is None
    assert tier_price(instance, book) is None
    own = tier_price(rented, book)
    assert own is not None
    assert own.rent
    # The other way round: a rent of the kind holds for what is rented.
    rents = price_book_from_mapping(
        {
            "id": "r",
            "name": "R",
            "date": "2026",
            "prices": [{"kind": "nvme", "usd_per_gb_month": 1, "source": "s"}],
        }
    )
    assert rents.price_of(instance) is rents.prices[0]


def test_an_instance_has_no_price_apart_and_it_says_so() -> None:
    curve = Curve.from_lists(
        [100, 200, 300, 400],
        [400, 300, 250, 200],
        [80, 30, 15, 0],
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=200,
    )
    found = evaluation.evaluate(
        curve,
        ram_pages=100,
        flash_pages=200,
        flash=catalog.device("aws-i4i.4xlarge-local"),
        disk=DISK,
        prices=catalog.default_price_book(),
    )
    reason = found.schemes["lazy"].cost_parts["flash"].reason
    assert reason.endswith(
        "rented only with its cloud instance and has no separate price"
    )
