"""What an advice says of other page flows of the hardware that it recommends."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from advice_cases import DEVICES_ALONE, SHELF, TIB, ask, book, curve
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise.advice.found import Advice, Option
from tierwright.common.units import format_microseconds
from tierwright.evaluate.advice.choose import in_same_hardware
from tierwright.evaluate.page_flow.evaluation import evaluate_grid
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.production import Production

FLASH, DISK = SHELF[0], SHELF[2]
APART = "within the known error of the model on the same hardware"
AS_LONG = "the same hardware takes as long"
FLOWS = {"lazy": "Lazy", "inclusive": "Inclusive", "exclusive": "Exclusive"}
OF_HARDWARE = (
    "machines",
    "ram_bytes",
    "flash_bytes",
    "store_devices",
    "flash_devices",
    "month_cents",
)
BEHIND_A_CACHE = curve(Production(16 * TIB, 500.0, 1_250.0))


def _asked(**given_: Any) -> Advice:
    return ask(
        **{
            "candidates": replace(DEVICES_ALONE, devices=(FLASH, DISK)),
            "prices": book(**{FLASH: Decimal("0.5"), DISK: Decimal("0.04")}),
            "curve": BEHIND_A_CACHE,
            **given_,
        }
    )


def _times_us(of: Curve, best: Option, hits_off: float) -> dict[str, float]:
    """I/O time of an access under each page flow at the sizes of an option, by the page of single points. [µs]"""
    found = evaluate_grid(
        of,
        ram_pages=best.ram_bytes // of.page_bytes,
        flash_pages=best.flash_bytes // of.page_bytes,
        flash=catalog.device(FLASH),
        disk=catalog.device(DISK),
        schemes=FLOWS,
        hits_off=hits_off,
    )
    return {name: float(found[name].io_time_us_per_access) for name in FLOWS}


def _within(of: Curve, best: Option, other: str) -> bool:
    ends = [_times_us(of, best, off) for off in (-1.0, 1.0)]
    own = sorted(each[str(best.scheme)] for each in ends)
    its = sorted(each[other] for each in ends)
    return own[0] <= its[1] and its[0] <= own[1]


@pytest.mark.oracle("evaluate.advice.choose.in_same_hardware")
@pytest.mark.formula("evaluate.advice.choose.in_same_hardware")
@given(
    st.lists(
        st.tuples(*[st.integers(0, 1)] * (len(OF_HARDWARE) + 2)),
        min_size=1,
        max_size=20,
    ),
    st.data(),
)
def test_other_page_flows_of_the_same_hardware_differ_in_nothing_else(
    rows: list[tuple[int, ...]], data: st.DataObject
) -> None:
    hardware, scheme, *of_hardware = np.asarray(rows).T
    options: Any = SimpleNamespace(
        scheme=scheme, **dict(zip(OF_HARDWARE, of_hardware, strict=True))
    )
    at = data.draw(st.integers(0, len(rows) - 1))
    code, own, *rest = rows[at]
    assert in_same_hardware(options, hardware, at).tolist() == [
        (each[0], each[2:]) == (code, tuple(rest)) and each[1] != own for each in rows
    ]


@pytest.mark.parametrize("objective", ["usd", "io_time"])
@pytest.mark.parametrize("budget", [200, 400, None])
@pytest.mark.parametrize("rate", [500.0, 2_000.0])
@pytest.mark.parametrize("data_tib", [16, 64])
def test_page_flows_of_the_same_hardware_are_named_where_the_model_does_not_tell_them_apart(
    objective: str, budget: int | None, rate: float, data_tib: int
) -> None:
    of = curve(Production(data_tib * TIB, rate, 2.5 * rate))
    limits = {} if budget is None else {"usd_per_month": budget}
    found = _asked(curve=of, constraints=limits, objective=objective)
    best = found.recommendation
    if best is None or best.scheme not in FLOWS:
        assert AS_LONG not in found.because
        assert APART not in found.because
        return
    times = _times_us(of, best, 0.0)
    assert times[best.scheme] == pytest.approx(best.io_time_us_per_access)
    others = FLOWS.keys() - {best.scheme}
    same = {
        name for name in others if np.isclose(times[name], times[best.scheme], 1e-9)
    }
    near = {name for name in others - same if _within(of, best, name)}
    assert (AS_LONG in found.because) == bool(same)
    assert (APART in found.because) == bool(near)
    [said] = re.findall(rf"([^.]*(?:\.\d[^.]*)*) are {APART}", found.because) or [""]
    for name in near:
        assert FLOWS[name] in said
        assert format_microseconds(times[name]) in said


def test_page_flows_of_which_flash_holds_all_data_take_as_long() -> None:
    found = ask(
        constraints={"io_time_us_per_access": 2, "ram_bytes": 2 * 2**30},
        objective="io_time",
    )
    assert found.recommendation is not None
    assert found.recommendation.scheme == "lazy"
    # Exclusive, which moves pages to and fro, takes longer.
    assert "Under Inclusive the same hardware takes as long." in found.because
    assert APART not in found.because


def test_a_page_flow_that_breaks_a_limit_is_not_named() -> None:
    free = _asked()
    best = free.recommendation
    assert best is not None
    assert best.io_time_us_per_access is not None
    assert best.scheme == "lazy"
    assert "Inclusive" in free.because
    times = _times_us(BEHIND_A_CACHE, best, 0.0)
    limit = (
        best.io_time_us_per_access
        + min(times[name] for name in FLOWS if name != "lazy")
    ) / 2
    found = _asked(constraints={"io_time_us_per_access": limit})
    assert found.recommendation is not None
    assert found.recommendation.name == best.name
    assert APART not in found.because
