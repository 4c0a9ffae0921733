"""What an access costs: money over what a busy device serves, by hand and for every device."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import access_cost
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.fio import to_toml


def drive(name: str = "d", **figures: tuple[Any, str]) -> Device:
    stated: dict[str, tuple[Any, str]] = {
        "capacity": (1000, "GB"),
        "read_iops": (100_000, "1/s"),
        "write_iops": (25_000, "1/s"),
        "page_bytes": (4096, "B"),
        "unit_price": (0.36, "USD/GB"),
        **figures,
    }
    return device_from_mapping(
        {
            "id": name,
            "name": name.upper(),
            "kind": "nvme",
            "figures": {
                key: {"value": value, "unit": unit, "source": "s"}
                for key, (value, unit) in stated.items()
                if value is not None
            },
        }
    )


@pytest.mark.oracle("advise.access_cost.answer")
def test_the_cost_of_an_access_by_hand() -> None:
    # 360 USD over 36 months are 10 USD a month, of 730 x 3600 s x 100,000/s = 262.8 x 10^9 reads.
    found = access_cost.answer([drive()], page_bytes=4096)
    [row] = found.rows
    assert row.usd_per_month == 10
    assert float(row.usd_per_billion_accesses or 0) == pytest.approx(10 / 262.8)
    assert (
        found.finding == "A billion random reads of 4 KiB cost least on D: 0.0381 USD."
    )
    writes = access_cost.answer([drive()], page_bytes=4096, operation="write")
    assert float(writes.rows[0].usd_per_billion_accesses or 0) == pytest.approx(
        10 / 65.7
    )
    assert "random writes" in writes.finding
    longer = access_cost.answer([drive()], page_bytes=4096, amortisation_months=72)
    assert longer.rows[0].usd_per_month == 5


@given(price=st.decimals(Decimal("0.01"), 10, places=2), rate=st.integers(1, 10**6))
def test_it_follows_price_and_rate(price: Decimal, rate: int) -> None:
    one = drive("one", unit_price=(price, "USD/GB"), read_iops=(rate, "1/s"))
    twice = drive("twice", unit_price=(2 * price, "USD/GB"), read_iops=(rate, "1/s"))
    faster = drive("faster", unit_price=(price, "USD/GB"), read_iops=(2 * rate, "1/s"))
    found = access_cost.answer([one, twice, faster], page_bytes=4096)
    cost = {
        row.device_id: float(row.usd_per_billion_accesses or 0) for row in found.rows
    }
    assert cost["twice"] == pytest.approx(2 * cost["one"])
    assert cost["faster"] == pytest.approx(cost["one"] / 2)
    assert [row.device_id for row in found.rows] == ["faster", "one", "twice"]
    assert found.cheapest == "faster"


def test_a_volume_is_rented_for_its_rate_and_a_store_charges_each_access() -> None:
    book = catalog.default_price_book()
    names = ["aws-ebs-io2-bx", "aws-s3-standard"]
    devices = [catalog.device(name) for name in names]
    rows = {
        row.device_id: row
        for row in access_cost.answer(devices, page_bytes=4096, prices=book).rows
    }
    volume = rows["aws-ebs-io2-bx"]
    # The rate of 256,000/s is what is paid for, not the largest volume.
    assert volume.usd_per_month is not None
    assert volume.usd_per_month < 10_000
    # 0.0004 USD for a thousand reads, and next to nothing for a byte.
    store = rows["aws-s3-standard"]
    assert float(store.usd_per_billion_accesses or 0) == pytest.approx(400, rel=1e-3)


@pytest.mark.parametrize(
    ("device", "reason"),
    [
        (drive(capacity=(None, "")), "states no capacity"),
        (drive(read_iops=(None, "")), "states no time of a read"),
        (drive(unit_price=(None, "")), "no price"),
    ],
)
def test_a_device_without_a_cost_says_why_and_comes_last(
    device: Device, reason: str
) -> None:
    found = access_cost.answer([device, drive("e")], page_bytes=4096, subject="d")
    assert [row.device_id for row in found.rows] == ["e", "d"]
    assert reason in found.rows[1].reason
    assert found.rows[1].usd_per_billion_accesses is None
    assert found.finding.startswith(
        "A billion random reads of 4 KiB cannot be priced on D: "
    )
    alone = access_cost.answer([device], page_bytes=4096)
    assert "on any of these devices" in alone.finding
    assert alone.cheapest is None


def test_the_finding_compares_the_device_asked_about() -> None:
    cheap, same, dear = (
        drive(name, unit_price=(price, "USD/GB"))
        for name, price in (("a", 0.36), ("b", 0.3601), ("c", 0.72))
    )
    devices = [cheap, same, dear]

    def finding(subject: str | None) -> str:
        return access_cost.answer(devices, page_bytes=4096, subject=subject).finding

    assert "on C, 2.00 times as much as on A, the cheapest" in finding("c")
    assert "on B, as much as on A, the cheapest" in finding("b")
    assert "cost least on A" in finding("a") == finding(None)


def test_what_cannot_be_asked_is_refused() -> None:
    for devices, subject, message in (
        ([], None, "needs at least one device"),
        ([drive(), drive()], None, "names a device twice"),
        ([drive()], "x", "subject: `x` is not one of the devices"),
    ):
        with pytest.raises(BadInput, match=message):
            access_cost.answer(devices, page_bytes=4096, subject=subject)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.toml"
    path.write_text(to_toml(drive("own")), encoding="utf-8")
    assert main(["device", "access-cost", str(path), "--page-bytes", "4096"]) == 0
    shown = capsys.readouterr().out
    assert "A billion random reads of 4 KiB cost 0.0381 USD on OWN" in shown
    assert "devices without a price or a rate are left out." in shown
    assert main(["device", "access-cost", str(path), "--currency", "EUR"]) == 0
    assert "EUR" in capsys.readouterr().out
