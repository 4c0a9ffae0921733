"""An advice of incomplete inputs: what is missing is null and said, and no number rests on what nobody stated."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_advice import (
    DEVICES_ALONE,
    PRICES,
    PRODUCTION,
    SHELF,
    ask,
    book,
    curve,
    recorded,
)

from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Have
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog

MISSING = ("rate", "growth", "price of RAM", "price of flash", "cost of what there is")


def options_of(found: Advice) -> list[Option]:
    """Every option that the answer names."""
    named = [
        found.recommendation,
        found.option_zero,
        *found.alternatives,
        *found.pareto,
    ]
    named += [each.option for each in found.rejected]
    named += [each.option for each in found.rules_of_thumb]
    return [each for each in named if each is not None]


def asked_without(missing: set[str]) -> dict[str, Any]:
    """A whole question with some of its inputs left out."""
    production = (
        replace(PRODUCTION, growth_per_year=0.0) if "growth" in missing else PRODUCTION
    )
    prices = dict(PRICES)
    if "price of flash" in missing:
        del prices[SHELF[1]]
    made = book(**prices)
    if "price of RAM" in missing:
        made = replace(
            made, prices=tuple(each for each in made.prices if each.kind != "dram")
        )
    have = Have(
        machines=1,
        ram_bytes=2**40,
        disk=catalog.device(SHELF[1]),
        disks=4,
        usd_per_month=None if "cost of what there is" in missing else Decimal(9000),
    )
    return {
        # A recording without times has no rate.
        "curve": recorded().curve.from_start("steady")
        if "rate" in missing
        else curve(production),
        "prices": made,
        "have": have,
        "candidates": replace(DEVICES_ALONE, devices=SHELF),
    }


def check_rate(found: Advice, *, is_known: bool) -> None:
    """Without a rate no figure of load, response or life is stated, and that is said."""
    said = {each.name for each in found.warnings}
    assert ("rate_not_known" in said) == (not is_known)
    assert (found.accesses_per_s is not None) == is_known
    assert (found.peak_accesses_per_s is not None) == is_known
    assert ("peak_busy" in found.constraints) == is_known
    if is_known:
        assert found.option_zero is not None
        assert found.option_zero.peak_busy is not None
        return
    for each in options_of(found):
        assert each.peak_busy is None
        assert each.response_p50_us is None
        assert each.response_p99_us is None
        assert each.response_p99_mean_us is None
        assert each.months_until_too_small is None
        # What is written wears at an unknown rate.
        assert each.flash_life_years is None


def check_prices(found: Advice, missing: set[str]) -> None:
    """What has no price is no candidate, and what there is saves nothing where its cost is unknown."""
    bought = [each for each in options_of(found) if each.kind != "have"]
    if "price of RAM" in missing:
        assert "no_price_of_ram" in {each.name for each in found.warnings}
        assert not bought
    if "price of flash" in missing:
        named = {
            name for each in bought for name in (each.flash_device, each.disk_device)
        }
        assert SHELF[1] not in named
    for each in bought:
        assert each.usd_per_month is not None
        assert all(row["unit_price"] is not None for row in each.bill)
    zero, best = found.option_zero, found.recommendation
    assert zero is not None
    known = "cost of what there is" not in missing
    assert (zero.usd_per_month is not None) == known
    assert (zero.purchase_usd is not None) == known
    assert (found.saving_usd_per_month is not None) == (known and best is not None)
    if not known:
        assert best is None or best.kind != "have"
        assert "today" not in found.finding


@settings(max_examples=16, deadline=None)
@given(st.sets(st.sampled_from(MISSING)))
def test_what_is_missing_is_null_and_nothing_rests_on_it(missing: set[str]) -> None:
    found = ask(**asked_without(missing))
    check_rate(found, is_known="rate" not in missing)
    check_prices(found, missing)
    best = found.recommendation
    grows = not missing & {"rate", "growth"}
    assert (found.when is not None) == (grows and best is not None)
    assert found.confidence.probability_best is None
    assert found.confidence.reason
    if best is not None:
        assert best.usd_per_month is not None
        assert best.io_time_us_per_access is not None


def test_without_write_backs_it_is_refused_with_what_to_state() -> None:
    unknown = replace(curve(), write_backs_at=None, write_accesses=0, cold=None)
    with pytest.raises(BadInput, match="no write-backs") as refused:
        ask(curve=unknown)
    assert "dirty share" in refused.value.hint
