"""Cautions say whether they could change the choice, by evaluating at their other end."""

from dataclasses import replace
from typing import Any

import pytest

from tierwright.common.cautions import Caution
from tierwright.evaluate.page_flow import decision, effects, evaluation
from tierwright.evaluate.page_flow import effects as page_flow_effects
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.profile.curve import Curve

CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)


def device(name: str, kind: str, read: float, write: float) -> Device:
    figures: dict[str, Any] = {
        "read_iops": {"value": 1e6 / read, "unit": "1/s", "source": "test"},
        "write_iops": {"value": 1e6 / write, "unit": "1/s", "source": "test"},
        "queue_depth": {"value": 1, "unit": "1", "source": "test"},
        "page_bytes": {"value": 4096, "unit": "B", "source": "test"},
    }
    return device_from_mapping(
        {"id": name, "name": name, "kind": kind, "figures": figures}
    )


FLASH = device("flash", "nvme", 100, 10)
DISK = device("disk", "hdd", 1000, 2000)


def said(name: str, message: str = "x", **inputs: Any) -> Caution:
    """Judge one caution of exclusive, best by far while flash is fast to write."""
    found = evaluation.evaluate(
        CURVE, ram_pages=100, flash_pages=200, flash=FLASH, disk=DISK
    )
    assert found.best == "exclusive"
    asked = replace(
        found,
        inputs={**found.inputs, **inputs},
        warnings=(Caution(name, message, ""),),
    )
    return page_flow_effects.judged(asked, CURVE, FLASH, DISK).warnings[0]


def test_a_bound_that_flips_the_winner_names_the_other() -> None:
    flips = said(
        "device_page_differs",
        "`flash` (flash): carried over",
        flash_write_least_us=10.0,
        flash_write_most_us=2000.0,
    )
    assert flips.could_change_choice is True
    slow = evaluation.evaluate(
        CURVE,
        ram_pages=100,
        flash_pages=200,
        flash=device("slow", "nvme", 100, 2000),
        disk=DISK,
    )
    assert slow.best != "exclusive"
    assert f"`{slow.best}` would be best" in flips.effect
    costs = decision.deciding_costs(slow)
    loss = costs["exclusive"] / min(costs.values()) - 1
    assert f"{loss:.1%} slower" in flips.effect


def test_a_bound_that_flips_nothing_is_no_matter() -> None:
    calm = said(
        "device_page_differs",
        "`flash` (flash): carried over",
        flash_write_least_us=9.0,
        flash_write_most_us=11.0,
    )
    assert (calm.could_change_choice, calm.effect) == (False, "")


def test_the_bound_of_another_tier_is_not_this_ones() -> None:
    other = said(
        "device_page_differs",
        "`disk` (disk): carried over",
        disk_read_least_us=1000.0,
        disk_read_most_us=1001.0,
        flash_write_least_us=10.0,
        flash_write_most_us=2000.0,
    )
    assert other.could_change_choice is False


@pytest.mark.parametrize("name", ["price_of_kind", "all_pages_fit_in_ram"])
def test_money_and_what_is_common_change_no_choice(name: str) -> None:
    assert said(name).could_change_choice is False


def test_what_cannot_be_computed_is_left_open() -> None:
    assert said("something_about_the_trace").could_change_choice is None


def test_what_a_replay_settled_changes_nothing() -> None:
    assert said("interpolated").could_change_choice is None
    found = evaluation.evaluate(
        CURVE, ram_pages=100, flash_pages=200, flash=FLASH, disk=DISK
    )
    asked: Evaluation = replace(
        found, decided_by="replay", warnings=(Caution("interpolated", "x", ""),)
    )
    judged = page_flow_effects.judged(asked, CURVE, FLASH, DISK)
    assert judged.warnings[0].could_change_choice is False


def test_costs_at_the_same_times_are_the_costs() -> None:
    found = evaluation.evaluate(
        CURVE, ram_pages=100, flash_pages=200, flash=FLASH, disk=DISK
    )
    again = effects.costs_at(found, {})
    for name, cost in decision.deciding_costs(found).items():
        assert again[name] == pytest.approx(cost)
