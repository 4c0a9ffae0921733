"""How flat the number of devices is: each is listed with the fewest, and what asks about more counts them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    SHELF,
    ask,
    asked_of,
    book,
    curve,
    problems,
    question,
    tried,
)
from hypothesis import assume, given, settings

from tierwright.advise.advice import _flat
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._numbers import with_enough
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice, FlatSize, Option
from tierwright.evaluate.advice.tiers import MOST_DEVICES
from tierwright.hardware import catalog
from tierwright.profile.production import Production

CENT = Decimal("0.01")


def written(**constraints: Any) -> tuple[Advice, Option]:
    """Ask for drives of one kind under writes; the answer and what it recommends."""
    found = ask(
        curve=curve(Production(2 * 2**40, 200_000.0, 200_000.0)),
        candidates=replace(
            DEVICES_ALONE, devices=SHELF[1:2], machine_usd=Decimal(200_000)
        ),
        constraints={"ram_bytes": 2**30, **constraints},
    )
    assert found.recommendation is not None
    return found, found.recommendation


def devices(found: Advice) -> FlatSize:
    [size] = [each for each in found.flat if each.size == "disks"]
    return size


def drives(option: Option) -> int:
    """Read how many drives there are from the bill."""
    [row] = [each for each in option.bill if each["what"] == SHELF[1]]
    return int(row["quantity"])


def test_one_device_more_costs_what_asking_for_it_says() -> None:
    found, best = written()
    size = devices(found)
    assert drives(best) == size.value == 1
    # A limit that one drive does not keep, and two keep.
    limit = {"flash_life_years": 2.4}
    forced = written(**limit)[1]
    assert drives(forced) == 2
    assert size.more is not None
    assert (size.more.name, size.more.value) == (forced.name, 2)
    assert best.usd_per_month is not None
    assert forced.usd_per_month is not None
    assert size.more.usd_per_month_more == forced.usd_per_month - best.usd_per_month
    assert size.more.io_time_us_more == 0
    assert forced.io_time_us_per_access == best.io_time_us_per_access


def test_the_range_ends_where_asking_for_one_more_costs_over_five_percent_more() -> (
    None
):
    found, best = written()
    size = devices(found)
    assert best.usd_per_month is not None
    assert (size.low, size.high) == (1, 2)
    assert "ranges from 1 to 2" in size.text
    costs = {}
    # So long as two, and as three, last.
    for limit in (2.4, 4.9):
        forced = written(flash_life_years=limit)[1]
        assert forced.usd_per_month is not None
        costs[drives(forced)] = forced.usd_per_month / best.usd_per_month - 1
    assert costs[2] < Decimal("0.05") < costs[3]


def test_of_the_fastest_more_devices_are_said_to_take_as_long() -> None:
    found = ask(objective="io_time")
    size = devices(found)
    assert size.more is not None
    assert size.more.io_time_us_more == 0
    assert size.more.usd_per_month_more > 0
    assert size.more.value >= math.ceil(size.value * 1.1)
    assert size.high >= size.more.value
    assert size.text.endswith(
        f"is {size.low:,.0f} or more: beyond the fewest that keep the limits, they take as long and cost more."
    )


def test_a_limit_on_money_ends_the_number() -> None:
    _, best = written()
    assert best.usd_per_month is not None
    # A cent less than a second drive costs.
    more = devices(written()[0]).more
    assert more is not None
    allowed = best.usd_per_month + more.usd_per_month_more - CENT
    size = devices(written(usd_per_month=allowed)[0])
    assert size.more is None
    assert size.high == size.value
    assert "No option of the same kind with another number" in size.text
    assert devices(written(usd_per_month=allowed + CENT)[0]).high == 2


def _spread(purchase_cents: int) -> int:
    return int((Decimal(purchase_cents) / 36).quantize(Decimal(1), ROUND_HALF_UP))


@dataclass(frozen=True)
class _Kind:
    """One option, with any number of its devices, counted by hand."""

    fewest: int
    io_us: float
    month_cents: int
    purchase_cents: int
    device_usd: Decimal
    limits: Mapping[str, Decimal]

    def _of_devices(self, number: int) -> int:
        usd = (self.device_usd * number).quantize(CENT, ROUND_HALF_UP)
        return int(usd * 100)

    def cents(self, number: int) -> float:
        """Cost per month; infinite where a limit on money does not allow it, or so many are not counted."""
        now, then = self._of_devices(self.fewest), self._of_devices(number)
        month = self.month_cents - _spread(now) + _spread(then)
        purchase = self.purchase_cents - now + then
        allowed = month <= self.limits.get(
            "usd_per_month", math.inf
        ) * 100 and purchase <= (self.limits.get("purchase_usd", math.inf) * 100)
        return month if allowed and number <= MOST_DEVICES else math.inf

    def most_within(self, cents: float) -> int:
        """Largest number at so much money at most, from the fewest on; 0 where these cost more."""
        numbers = itertools.takewhile(
            lambda number: self.cents(number) <= cents, itertools.count(self.fewest)
        )
        return max(itertools.islice(numbers, 2000), default=0)


def _kinds(
    asked: Asked, table: Table, best: int, prices: Mapping[str, Decimal]
) -> Iterator[_Kind]:
    options = table.options
    # With more devices money alone becomes more: what breaks another limit stays out.
    broken = [
        limit.breaks
        for limit in chosen_of(asked, table).limits
        if limit.name not in ("usd_per_month", "purchase_usd")
    ]
    for at in np.flatnonzero(options.scheme == options.scheme[best]).tolist():
        if table.source(at) == "devices" and not any(each[at] for each in broken):
            name = table.names(at)[1]
            assert name is not None
            held = Decimal(catalog.device(name).capacity_bytes or 0) / 10**9
            yield _Kind(
                int(options.store_devices[at]),
                float(options.io_us[at]),
                int(options.month_cents[at]),
                int(options.purchase_cents[at]),
                prices[name] * held,
                asked.constraints,
            )


@pytest.mark.parametrize("limits", [{}, {"restart_s": Decimal("1.757")}])
def test_what_needs_more_devices_than_are_counted_is_no_option(
    limits: dict[str, Decimal],
) -> None:
    # Where a limit on the restart asks for more, up to twice the fewest are listed.
    asked = question(
        {
            "curve": curve(Production(4119823783, 971_717.0, 9_295_761.0)),
            "prices": book(**PRICES),
            "candidates": replace(DEVICES_ALONE, devices=SHELF[3:]),
            "constraints": {"peak_busy": Decimal("0.0665"), **limits},
            "objective": "usd",
            "have": None,
        }
    )
    table = Table.of(asked.setting)
    assert int(table.options.store_devices.max()) == MOST_DEVICES
    busy = table.options.peak_busy[table.options.store_devices == MOST_DEVICES]
    assert (busy > 0.0665).any()


@pytest.mark.costly(20)
@settings(max_examples=tried(30), deadline=None)
@given(problem=problems)
def test_more_devices_are_those_of_a_search_one_by_one(problem: dict[str, Any]) -> None:
    asked = question(asked_of(problem))
    # As an answer has it: with the numbers that a limit on the restart asks for.
    table = with_enough(asked, Table.of(asked.setting))
    chosen = chosen_of(asked, table)
    assume(len(chosen.order))
    best = int(chosen.order[0])
    assume(table.source(best) == "devices")
    prices = dict(zip(SHELF, problem["prices"], strict=True))
    kinds = list(_kinds(asked, table, best, prices))
    [size] = [
        each for each in _flat.flat(asked, table, chosen, best) if each.size == "disks"
    ]
    own = int(table.options.month_cents[best])
    wanted = math.ceil(size.value * 1.1 - 1e-6)
    every = [(each.cents(max(each.fewest, wanted)), each.io_us) for each in kinds]
    every = [each for each in every if math.isfinite(each[0])]
    if asked.objective == "io_time":
        found = min(every, key=lambda each: each[::-1], default=None)
    else:
        found = min(every, default=None)
        most = max(each.most_within(own * 1.05) for each in kinds)
        assert size.high == most or most > 1900
    assert (size.more is None) == (found is None)
    if size.more is not None and found is not None:
        more = int(size.more.usd_per_month_more * 100)
        assert more == pytest.approx(found[0] - own, abs=1)
        own_us = float(table.options.io_us[best])
        assert size.more.io_time_us_more == pytest.approx(found[1] - own_us, abs=1e-9)
