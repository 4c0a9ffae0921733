"""Limits of whole cents and whole bytes: held exactly, and a sum of binary numbers is the cent that it stands for."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from advice_cases import ask
from hypothesis import given
from hypothesis import strategies as st
from test_limit_cost import stairs

from tierwright.advise.advice.request import checked_constraints
from tierwright.evaluate.advice.cover import Systems, least_cover
from tierwright.evaluate.advice.whole_limits import (
    UNITS,
    as_meant,
    in_units,
    most_units,
)

MONEY = ("usd_per_month", "purchase_usd")


def test_every_rejected_option_is_admitted_by_its_relaxation_and_not_by_a_cent_less() -> (
    None
):
    """Limit and relaxation as JSON has them, added as a program adds them."""
    found = ask(constraints={"usd_per_month": 133.41})
    rows = [
        each
        for each in found.rejected
        if each.constraint == "usd_per_month" and not each.also
    ]
    assert len(rows) > 20
    noisy = 0
    for each in rows:
        assert each.limit is not None
        assert each.relaxation is not None
        assert each.option.usd_per_month is not None
        own = int(each.option.usd_per_month * 100)
        limit = each.limit + each.relaxation
        noisy += Decimal(repr(limit)) < each.option.usd_per_month
        [meant] = checked_constraints({"usd_per_month": limit}).values()
        assert most_units("usd_per_month", meant) == own
        [less] = checked_constraints({"usd_per_month": round(limit - 0.01, 2)}).values()
        assert most_units("usd_per_month", less) == own - 1
    # As they are added, some fall short.
    assert noisy > 0


def test_a_relaxation_that_was_added_admits_the_option_when_asked_again() -> None:
    found = ask(constraints={"usd_per_month": 133.41})
    for each in found.rejected:
        limit = (each.limit or 0) + (each.relaxation or 0)
        own = each.option.usd_per_month
        if (
            each.constraint == "usd_per_month"
            and not each.also
            and own is not None
            and Decimal(repr(limit)) < own
        ):
            break
    else:
        pytest.fail("none falls short")
    again = ask(constraints={"usd_per_month": limit}, objective="io_time")
    assert again.constraints["usd_per_month"] == str(own)
    assert all(row.option.usd_per_month != own for row in again.rejected)


@pytest.mark.oracle("evaluate.advice.whole_limits.most_units")
@pytest.mark.formula("evaluate.advice.whole_limits.most_units")
@given(st.sampled_from(MONEY), st.integers(0, 10**13), st.integers(0, 10**13))
def test_two_amounts_added_as_floats_are_their_sum_to_the_cent(
    name: str, one: int, other: int
) -> None:
    limit = Decimal(repr(one / 100 + other / 100))
    assert most_units(name, limit) == one + other


@pytest.mark.oracle("evaluate.advice.whole_limits.as_meant")
@pytest.mark.formula("evaluate.advice.whole_limits.as_meant")
@given(st.sampled_from(MONEY), st.integers(1, 10**9), st.integers(1, 9999))
def test_a_fraction_of_a_cent_admits_nothing_more(
    name: str, own: int, part: int
) -> None:
    limit = Decimal(own) / 100 + Decimal(part) / 10**6
    assert most_units(name, limit) == own
    assert as_meant(name, limit) == limit
    assert as_meant("restart_s", limit) == limit


def test_a_byte_less_than_its_ram_rules_an_option_out() -> None:
    """The RAM that is recommended, as a limit, admits it; a byte less rejects it, be it a billionth of it or less."""
    limits = {"usd_per_month": 800}
    best = ask(constraints=limits, objective="io_time").recommendation
    assert best is not None
    size = best.ram_bytes
    assert size > 2**30
    same = ask(constraints={**limits, "ram_bytes": size}, objective="io_time")
    assert same.recommendation == best
    less = ask(constraints={**limits, "ram_bytes": size - 1}, objective="io_time")
    kept = [less.recommendation, *less.alternatives, *less.pareto]
    assert max(each.ram_bytes for each in kept if each is not None) < size
    assert any(
        each.constraint == "ram_bytes"
        and each.option.name == best.name
        and each.relaxation == 1
        for each in less.rejected
    )


@pytest.mark.oracle("evaluate.advice.whole_limits.in_units")
@pytest.mark.formula("evaluate.advice.whole_limits.in_units")
@given(st.integers(0, 2**45), st.sampled_from([-1e-3, 0.0, 1e-3]))
def test_the_noise_of_a_size_is_no_byte(size: int, noise: float) -> None:
    found = in_units("ram_bytes", np.asarray([size + noise, np.nan]))
    assert found[0] == size
    assert np.isnan(found[1])
    assert in_units("usd_per_month", np.asarray([size / 100]))[0] == size


def test_a_step_is_bought_by_its_value_and_not_by_a_unit_less() -> None:
    sizes = stairs((5 * 2.0**30, 90), constraint="ram_bytes")
    assert sizes.at(5 * 2**30) is not None
    assert sizes.at(5 * 2**30 - 1) is None
    costs = stairs((10_000_000.01, 90), constraint="purchase_usd")
    assert costs.at(10_000_000.01) is not None
    assert costs.at(10_000_000.0) is None
    assert stairs((26.69, 90), constraint="usd_per_month").at(13.37 + 13.32) is not None


@given(
    st.lists(st.integers(1, 2**42), min_size=2, max_size=2),
    st.integers(-2, 2),
    st.sampled_from(sorted(UNITS)),
)
def test_systems_together_keep_a_total_to_the_unit(
    amounts: list[int], less: int, name: str
) -> None:
    """The limit as a placement hands it over: half a unit above the last that is kept."""
    units = UNITS[name]
    most = sum(amounts) + less
    systems = Systems(
        np.asarray([0, 1]),
        ((0,), (1,)),
        np.ones(2),
        {name: np.asarray(amounts, dtype=np.float64) / units},
    )
    found = least_cover(systems, {name: (most + 0.5) / units})
    assert (found is not None) == (sum(amounts) <= most)
