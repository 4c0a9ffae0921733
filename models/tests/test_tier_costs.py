"""Devices for one tier: order, utilisation by hand, what is not known."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise.tier_cost import SECONDS_PER_MONTH, answer
from tierwright.common.errors import BadInput
from tierwright.evaluate.economics import Load, tier_cost
from tierwright.hardware.device import Device, device_from_mapping


def device(name: str, kind: str = "nvme", **figures: tuple[Any, str]) -> Device:
    return device_from_mapping(
        {
            "id": name,
            "name": name,
            "kind": kind,
            "figures": {
                figure: {"value": value, "unit": unit, "source": "test", "date": "2025"}
                for figure, (value, unit) in figures.items()
            },
        }
    )


FAST = device(
    "fast",
    capacity=(1000, "GB"),
    unit_price=(Decimal("0.2"), "USD/GB"),
    read_iops=(100_000, "1/s"),
    write_iops=(50_000, "1/s"),
)
SLOW = device(
    "slow",
    "hdd",
    capacity=(1000, "GB"),
    unit_price=(Decimal("0.02"), "USD/GB"),
    read_iops=(100, "1/s"),
    write_iops=(100, "1/s"),
)
UNPRICED = device("unpriced", read_iops=(1, "1/s"))


def compare(*devices: Device, held: int = 10**12, **load: int) -> Any:
    return answer(
        devices,
        held,
        page_bytes=4096,
        load=Load(**{name: Decimal(value) for name, value in load.items()}),
    )


def test_the_cheapest_first_and_the_unpriced_last() -> None:
    found = compare(UNPRICED, FAST, SLOW)
    assert [row.device_id for row in found.rows] == ["slow", "fast", "unpriced"]
    assert "states no price" in found.rows[-1].reason
    assert found.cheapest == found.cheapest_that_keeps_up == "slow"


@pytest.mark.oracle("advise.tier_cost.answer")
def test_busy_by_hand() -> None:
    # 1,000 reads and 500 writes a second: 1,000 / 100,000 + 500 / 50,000 = 0.02 on the fast one,
    # 15 on the slow one, of which three hold 2.5 TB: 5 each.
    load = {
        "reads": int(1000 * SECONDS_PER_MONTH),
        "writes": int(500 * SECONDS_PER_MONTH),
    }
    rows = {row.device_id: row for row in compare(FAST, SLOW, **load).rows}
    assert rows["fast"].busy_share == pytest.approx(0.02)
    assert rows["slow"].busy_share == pytest.approx(15)
    three = compare(SLOW, held=25 * 10**11, **load)
    assert three.rows[0].served_by == 3
    assert three.rows[0].busy_share == pytest.approx(5)
    assert three.cheapest_that_keeps_up is None
    caution = next(c for c in three.warnings if c.name == "cannot_keep_up")
    assert "the 3 of `slow` that hold the bytes" in caution.message
    assert "needs 5 months of the time of each" in caution.message
    assert "15 devices would be enough" in caution.hint


def test_an_unknown_service_time_is_said_and_not_taken_as_idle() -> None:
    found = compare(
        device("dark", capacity=(1, "TB"), unit_price=(1, "USD/GB")), reads=5
    )
    assert found.rows[0].busy_share is None
    assert found.cheapest == "dark"
    assert found.cheapest_that_keeps_up is None
    assert [caution.name for caution in found.warnings] == ["busy_unknown"]


@given(
    reads=st.integers(0, 10**12),
    writes=st.integers(0, 10**12),
    held=st.integers(0, 10**14),
)
def test_costs_are_those_of_the_tier_and_busy_time_adds_up(
    reads: int, writes: int, held: int
) -> None:
    load = Load(reads=Decimal(reads), writes=Decimal(writes))
    found = answer([SLOW, FAST], held, page_bytes=4096, load=load)
    for row, used in ((r, FAST if r.device_id == "fast" else SLOW) for r in found.rows):
        assert row.cost == tier_cost(used, held, load=load)
        alone = [
            next(
                r.busy_share
                for r in compare(SLOW, FAST, held=held, **part).rows
                if r.device_id == row.device_id
            )
            for part in ({"reads": reads}, {"writes": writes})
        ]
        assert row.busy_share == pytest.approx(sum(alone))
    costs = [row.cost.usd_per_month for row in found.rows if row.cost is not None]
    assert costs == sorted(costs)


def test_refuses() -> None:
    for devices, part in (((), "at least one"), ((FAST, FAST), "twice")):
        with pytest.raises(BadInput, match=part):
            compare(*devices)
