"""A tie at one end of what is unknown is no change of the winner."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.ties import at_both_ends, leaders
from tierwright.evaluate.break_even.money import winner_of
from tierwright.evaluate.endurance import outlook
from tierwright.evaluate.page_flow import dirty_range, scheme_map, schemes
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.profile.curve import Curve, Given

CURVE = Curve.from_lists(
    [100, 1000, 10_000],
    [600_000, 100_000, 100_000],
    None,
    accesses=1_000_000,
    distinct_pages=10_000,
    page_bytes=4096,
    write_accesses=0,
    given=Given("table", data_known=True),
)
"""At r = 100 and f >= 2000 every scheme with flash has 500,000 flash hits, 100,000 misses."""


def device(identifier: str, kind: str, read_us: float, write_us: float) -> Device:
    figures = {
        f"{operation}_iops": {"value": 1e6 / time_us, "unit": "1/s", "source": "test"}
        for operation, time_us in (("read", read_us), ("write", write_us))
    }
    return device_from_mapping(
        {"id": identifier, "name": identifier, "kind": kind, "figures": figures}
    )


def choices(flash_write_us: float = 4500) -> dict[str, Any]:
    # Nothing dirty: none 600,000 x 1000; lazy 500,000 x 100 + 100,000 (1000 + 4500), the same.
    # All dirty: none 600,000 (1000 + 10,000); lazy 50 + 600 x 4.5 + 100 x 11 = 3850 seconds.
    return {
        "flash": device("f", "nvme", 100, flash_write_us),
        "disk": device("d", "hdd", 1000, 10_000),
    }


@pytest.mark.oracle("evaluate.page_flow.dirty_range.evaluate_range")
def test_a_scheme_that_ties_at_one_end_and_wins_at_the_other_is_best() -> None:
    ends = dirty_range.evaluate_range(
        CURVE, ram_pages=100, flash_pages=5000, **choices()
    )
    assert (ends.least.best, ends.most.best) == ("none", "exclusive")  # among equals
    assert ends.least.schemes["lazy"].io_time_us_per_access == pytest.approx(600)
    assert ends.least.schemes["none"].io_time_us_per_access == pytest.approx(600)
    assert (ends.best, ends.best_at_least, ends.best_at_most) == ("lazy",) * 3
    document = ends.to_dict()
    assert document["best"] == document["best_at_least"] == "lazy"


def test_a_real_change_of_the_winner_is_told() -> None:
    ends = dirty_range.evaluate_range(
        CURVE, ram_pages=100, flash_pages=5000, **choices(4600)
    )
    assert ends.best is None
    assert (ends.best_at_least, ends.best_at_most) == ("none", "exclusive")


@pytest.mark.formula("evaluate.page_flow.dirty_range.evaluate_range")
@given(st.floats(1, 1e4), st.integers(1, 9000), st.integers(1, 20_000))
def test_the_named_scheme_leads_at_both_ends(
    flash_write_us: float, ram_pages: int, flash_pages: int
) -> None:
    ends = dirty_range.evaluate_range(
        CURVE, ram_pages=ram_pages, flash_pages=flash_pages, **choices(flash_write_us)
    )
    costs = [
        {name: s.io_time_us_per_access for name, s in end.schemes.items()}
        for end in (ends.least, ends.most)
    ]
    both = [
        name
        for name in schemes.SCHEMES
        if all(cost[name] <= min(cost.values()) * (1 + 1e-12) for cost in costs)
    ]
    assert (ends.best in both) if both else (ends.best is None)


@pytest.mark.oracle(
    "evaluate.endurance.outlook.wear_range", "evaluate.endurance.outlook.gentlest"
)
def test_equal_writes_at_one_end_are_no_change_of_the_gentlest() -> None:
    """All dirty, lazy writes m_f + h_f pages, as exclusive does: m_r."""
    both = outlook.wear_range(
        dirty_range.evaluate_range(CURVE, ram_pages=100, flash_pages=5000, **choices()),
        outlook.write_budget(choices()["flash"], rated_tb=100),
        accesses_per_s=1000.0,
    )
    written = {name: life.tb_per_day for name, life in both.most.schemes.items()}
    assert written["lazy"] == pytest.approx(written["exclusive"])
    assert both.gentlest == "lazy"  # equal at one end, gentler at the other
    assert (both.gentlest_at_least, both.gentlest_at_most) == ("lazy", "lazy")


@pytest.mark.oracle("evaluate.page_flow.scheme_map.winners_differ")
def test_the_map_counts_a_tie_as_no_change() -> None:
    asked: dict[str, Any] = {
        "x": Axis("flash_pages", np.array([2000.0, 5000.0])),
        "y": Axis("asymmetry", np.array([45.0, 60.0])),
        "ram_pages": 100,
        **choices(),
    }
    least, most = (
        scheme_map.scheme_map(end, **asked) for end in dirty_range.dirty_ends(CURVE)
    )
    assert [least.schemes[at] for at in least.best[:, 0]] == ["none", "none"]
    assert [most.schemes[at] for at in most.best[:, 0]] == ["exclusive"] * 2
    assert scheme_map.winners_differ(least, most).tolist() == [[False] * 2, [True] * 2]


@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1),
    st.booleans(),
)
def test_leaders_are_all_that_equal_the_best(
    values: dict[str, int], most: bool
) -> None:
    best = max(values.values()) if most else min(values.values())
    amounts = {name: float(value) for name, value in values.items()}
    found = leaders(amounts, "dcba", tolerance=0, most=most)
    assert set(found) == {name for name, value in values.items() if value == best}
    assert list(found) == sorted(found, reverse=True)


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, unique=True),
    st.lists(st.sampled_from("abcd"), min_size=1, unique=True),
)
def test_the_same_is_named_where_one_leads_at_both_ends(
    first: list[str], second: list[str]
) -> None:
    one, other = at_both_ends(tuple(first), tuple(second))
    assert one in first
    assert other in second
    assert (one == other) == bool(set(first) & set(second))


def test_gains_that_differ_by_rounding_are_a_tie() -> None:
    assert winner_of(0.1 + 0.2, 0.3) == "tie"
    assert winner_of(0.3, 0.3001) == "flash"
    assert winner_of(1.0, -math.inf) == "dram"
