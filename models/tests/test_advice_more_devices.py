"""Limits that more devices keep and fewer break: as many are bought as is cheapest."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import DEVICES_ALONE, PRODUCTION, TIB, ask, book, curve
from advice_cases import question as asked_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.advice import _words
from tierwright.advise.advice._table import Table
from tierwright.evaluate.advice.tiers import MORE_DEVICES, with_more
from tierwright.hardware import catalog

DISKS = ("micron-7500-pro-15.36tb", "kioxia-cd7-7.68tb")
PRICES = {DISKS[0]: Decimal("0.30"), DISKS[1]: Decimal("0.20")}
BUSY = replace(
    PRODUCTION,
    data_bytes=2 * TIB,
    accesses_per_s=4e6,
    peak_accesses_per_s=None,
    growth_per_year=0.0,
)


def given_(**more: Any) -> dict[str, Any]:
    return {
        "curve": curve(BUSY),
        "candidates": replace(DEVICES_ALONE, devices=DISKS),
        "prices": book(**PRICES),
        **more,
    }


def every_number(most: int = 12) -> list[tuple[float, float, float, float]]:
    """Money [cent/month], I/O time, p99 and mean response time [µs] of each size with one device up to so many, one by one."""
    setting = asked_of(
        {**given_(), "have": None, "constraints": {}, "objective": "usd"}
    ).setting
    table = Table.of(setting)
    rows = np.flatnonzero(table.options.broken == 0)
    found = []
    for devices in range(1, most + 1):
        enough = rows[table.options.store_devices[rows] <= devices]
        some = table.with_devices(enough, np.full(len(enough), devices))
        mean, _, p99 = some.peak_responses(np.arange(len(enough)))
        found += zip(
            some.options.month_cents.tolist(),
            some.options.io_us.tolist(),
            p99.tolist(),
            mean.tolist(),
            strict=True,
        )
    return found


@pytest.mark.oracle("evaluate.advice.tiers.with_more")
@pytest.mark.formula("evaluate.advice.tiers.with_more")
@settings(max_examples=10)
@given(st.floats(1e3, 4e7), st.booleans())
def test_more_devices_are_listed_one_by_one_then_by_shares(
    rate: float, every: bool
) -> None:
    """Each as the same option with so many devices: what it costs, and how busy it is."""
    busy = replace(BUSY, accesses_per_s=rate)
    setting = asked_of(
        {
            **given_(curve=curve(busy)),
            "have": None,
            "constraints": {},
            "objective": "usd",
        }
    ).setting
    table = Table.of(setting)
    fewest = table.options
    at = np.arange(0, len(fewest), max(1, len(fewest) // 7))
    made = with_more(table.tier_rows, fewest, at, setting.served.peak, every=every)
    for row in at.tolist():
        least = int(fewest.store_devices[row])
        found = np.flatnonzero(made.row == fewest.row[row])
        numbers = [
            max(least + more, math.ceil(least * (1 + share)))
            for more, share in MORE_DEVICES
        ]
        listed = range(least + 1, max(numbers) + 1) if every else numbers
        assert made.store_devices[found].tolist() == list(listed)
        # A drive more costs what a drive costs.
        name = table.names(row)[1]
        assert name is not None
        held = catalog.device(name).capacity_bytes
        assert held is not None
        added = made.store_devices[found] - least
        each = float(PRICES[name]) * held / 1e7
        more = made.purchase_cents[found] - fewest.purchase_cents[row]
        assert (np.abs(more - each * added) <= added + 1).all()
        assert (made.peak_busy[found] <= fewest.peak_busy[row] * (1 + 1e-12)).all()


@pytest.mark.costly(6)
def test_as_many_devices_are_bought_as_keep_the_response_times_for_least() -> None:
    every = every_number()
    free = ask(**given_()).recommendation
    assert free is not None
    tails = sorted({p99 for _, _, p99, _ in every if p99 == p99})
    more_were_needed = 0
    for limit in (tails[0] * 1.001, tails[len(tails) // 8], tails[len(tails) // 3]):
        keeps = [each for each in every if each[2] <= limit]
        for objective, place in (("usd", 0), ("io_time", 1)):
            best = ask(
                **given_(constraints={"response_p99_us": limit}, objective=objective)
            ).recommendation
            assert best is not None
            assert best.response_p99_us is not None
            assert best.response_p99_us <= limit
            assert best.usd_per_month is not None
            mine = (float(best.usd_per_month * 100), best.io_time_us_per_access)[place]
            assert mine is not None
            assert mine <= min(each[place] for each in keeps) * (1 + 1e-9)
            more_were_needed += best.disks > free.disks
    assert more_were_needed


def test_what_a_limit_on_response_times_costs_is_what_asking_with_it_costs() -> None:
    free = ask(**given_(), how_sure=True)
    [stairs] = [
        each for each in free.staircases if each.constraint == "response_p99_us"
    ]
    assert len(stairs.steps) > 1
    for step in stairs.steps[:6]:
        best = ask(
            **given_(constraints={"response_p99_us": step.value * (1 + 1e-9)})
        ).recommendation
        assert best is not None
        assert best.usd_per_month == step.usd_per_month


def test_a_value_that_reads_as_its_limit_says_by_how_much_it_is_beyond() -> None:
    best = ask(**given_()).recommendation
    assert best is not None

    def said(name: str, value: float, limit: float) -> str:
        return _words.rejected_text(best, name, value, limit)

    near = said("usd_per_month", 109.45, 109.2)
    assert "0.25 USD more than the limit; at most 109 USD per month" in near
    assert "than the limit" not in said("usd_per_month", 119.45, 109.2)
    assert "a little more than the limit" in said(
        "io_time_us_per_access", 1.2341, 1.234
    )
    assert "a little less than the limit" in said("flash_life_years", 4.9999, 5.0)
