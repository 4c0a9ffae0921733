"""Limits that more devices keep and fewer break: as many are bought as is cheapest."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRODUCTION,
    SHELF,
    TIB,
    ask,
    book,
    curve,
    tried,
)
from advice_cases import PRICES as SHELF_PRICES
from advice_cases import question as asked_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.advice import _conflict, _words
from tierwright.advise.advice._choice import chosen_of, in_order, response_limits
from tierwright.advise.advice._contenders import (
    Contenders,
    State,
    contending,
    contending_at_ends,
)
from tierwright.advise.advice._numbers import best_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Have
from tierwright.evaluate.advice.later import stretched_curve
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
    assert near.endswith(
        ": it costs 109.45 USD per month, 0.25 USD more than the limit; at most 109.20 USD per month is allowed."
    )
    assert "than the limit" not in said("usd_per_month", 119.45, 109.2)
    assert "a little more than the limit" in said(
        "io_time_us_per_access", 1.2341, 1.234
    )
    assert "a little less than the limit" in said("flash_life_years", 4.9999, 5.0)


DISK = "seagate-exos-x24-24tb"


def disks_alone(data_bytes: int, rate: float, ram_usd: Decimal) -> dict[str, Any]:
    production = replace(BUSY, data_bytes=data_bytes, accesses_per_s=rate)
    return {
        "curve": curve(production),
        "candidates": replace(DEVICES_ALONE, devices=(DISK,), flash_caches=()),
        "prices": book(ram_usd, **{DISK: Decimal("0.04")}),
        "have": None,
        "constraints": {},
        "objective": "usd",
    }


def with_every_number(given_: dict[str, Any], most: int) -> list[Table]:
    """Sizes of RAM with so many disks, none of them busier than 70 %, one table for each number."""
    table = Table.of(asked_of(given_).setting)
    rows = np.flatnonzero(table.options.broken == 0)
    found = []
    for devices in range(1, most + 1):
        enough = rows[table.options.store_devices[rows] <= devices]
        if len(enough):
            found.append(table.with_devices(enough, np.full(len(enough), devices)))
    return found


@settings(max_examples=tried(12))
@given(
    st.integers(2**33, 2**41),
    st.floats(1e3, 3e4),
    st.decimals("0.5", "40", places=2),
    st.floats(0.02, 0.98),
    st.floats(0.02, 0.98),
    st.sampled_from(["usd", "io_time"]),
)
def test_no_number_of_devices_is_missed(
    data_bytes: int,
    rate: float,
    ram_usd: Decimal,
    slow: float,
    cold: float,
    objective: str,
) -> None:
    """Every number up to 200, one by one: none that keeps the limits is better, and where none keeps them nothing is bought."""
    given_ = disks_alone(data_bytes, rate, ram_usd)
    every = with_every_number(given_, 200)
    money = np.concatenate([each.options.month_cents for each in every])
    times = np.concatenate([each.options.io_us for each in every])
    warm = np.concatenate(
        [each.beside("restart_s", np.arange(len(each.options))) for each in every]
    )
    limits = {
        "io_time_us_per_access": float(np.quantile(times, slow)) * (1 + 1e-9),
        "restart_s": float(np.quantile(warm, cold)) * (1 + 1e-9),
    }
    keeps = (times <= limits["io_time_us_per_access"]) & (warm <= limits["restart_s"])
    best = ask(**{**given_, "constraints": limits, "objective": objective})
    found = best.recommendation
    if found is None:
        assert not keeps.any()
        assert best.infeasible is not None
        assert set(best.infeasible.conflict) <= {*limits, "peak_busy"}
        return
    assert found.usd_per_month is not None
    assert found.io_time_us_per_access is not None
    assert found.restart_s is not None
    assert found.restart_s <= limits["restart_s"] * (1 + 1e-9)
    if not keeps.any():
        assert found.disks > 200
    elif objective == "usd":
        assert float(found.usd_per_month * 100) <= money[keeps].min()
    else:
        assert found.io_time_us_per_access <= times[keeps].min() * (1 + 1e-12)


@pytest.mark.costly(9)
def test_response_times_that_only_many_more_disks_keep_are_kept() -> None:
    """Between and beyond the numbers that are listed: as cheap as the best of every number, looked at one by one."""
    given_ = disks_alone(2 * TIB, 2000.0, Decimal("20"))
    every = with_every_number(given_, 40)
    fewest = ask(**given_).recommendation
    assert fewest is not None
    money = np.concatenate([each.options.month_cents for each in every])
    tails = np.concatenate(
        [each.peak_responses(np.arange(len(each.options)))[2] for each in every]
    )
    number = np.concatenate([each.options.store_devices for each in every])
    beyond = 0
    for share in (0.02, 0.1, 0.3):
        limit = float(np.quantile(tails[np.isfinite(tails)], share)) * (1 + 1e-9)
        best = ask(
            **{**given_, "constraints": {"response_p99_us": limit}}
        ).recommendation
        assert best is not None
        assert best.usd_per_month is not None
        assert best.response_p99_us is not None
        assert best.response_p99_us <= limit * (1 + 1e-9)
        keeps = tails <= limit
        assert float(best.usd_per_month * 100) <= money[keeps].min()
        beyond += int(number[keeps][np.argmin(money[keeps])]) > 2 * fewest.disks
    assert beyond


def test_the_steps_of_a_limit_that_nothing_keeps_are_those_of_looser_ones() -> None:
    """As asking with each of them answers, down to where numbers that are not listed could be better."""
    given_ = disks_alone(2 * TIB, 2000.0, Decimal("20"))
    # RAM for all of the data would wait for no disk.
    ram = {"ram_bytes": Decimal(TIB)}
    limits = {"response_p99_us": 300.0, **ram}
    found = ask(**{**given_, "constraints": limits, "how_sure": True})
    assert found.recommendation is None
    assert found.infeasible is not None
    assert set(found.infeasible.conflict) == {"response_p99_us", "ram_bytes"}
    assert (
        "99th percentile of the response time in the busiest hour to"
        in found.infeasible.text
    )
    [stairs] = [
        each for each in found.staircases if each.constraint == "response_p99_us"
    ]
    assert stairs.steps
    assert stairs.tightest_known is not None
    some = stairs.steps[:: max(1, len(stairs.steps) // 6)]
    for step in some:
        assert step.value is not None
        limits = {"response_p99_us": step.value * (1 + 1e-9), **ram}
        again = ask(**{**given_, "constraints": limits}).recommendation
        assert again is not None
        assert again.usd_per_month == step.usd_per_month


def test_a_conflict_of_money_and_response_times_names_both() -> None:
    """Either alone is kept by some option: only together they are not."""
    given_ = disks_alone(2 * TIB, 2000.0, Decimal("20"))
    dear = ask(**{**given_, "constraints": {"response_p99_us": 20_000.0}})
    assert dear.recommendation is not None
    assert dear.recommendation.usd_per_month is not None
    limits = {
        "response_p99_us": 20_000.0,
        "usd_per_month": dear.recommendation.usd_per_month - Decimal("0.01"),
    }
    found = ask(**{**given_, "constraints": limits}).infeasible
    assert found is not None
    assert set(found.conflict) == set(limits)
    assert (
        f"cost per month to {dear.recommendation.usd_per_month:,.2f} USD" in found.text
    )


@settings(max_examples=tried(6))
@given(
    st.floats(500.0, 5_000.0),
    st.floats(0.85, 1.0),
    st.floats(0.02, 0.4),
    st.sampled_from(["response_p99_us", "response_mean_us", "restart_s"]),
)
def test_a_limit_of_a_conflict_is_relaxed_no_further_than_it_has_to_be(
    rate: float, budget: float, ram: float, waits: str
) -> None:
    """To what it takes with as many devices as money allows; the option that is named is the one that is bought then."""
    given_ = disks_alone(2 * TIB, rate, Decimal("20"))
    free = ask(**given_).recommendation
    assert free is not None
    limit = float(getattr(free, waits)) / 2
    limits = {waits: Decimal(repr(limit))}
    kept = ask(**{**given_, "constraints": limits}).recommendation
    if kept is None or kept.usd_per_month is None:
        return
    limits |= {
        "usd_per_month": round(kept.usd_per_month * Decimal(budget), 2),
        "ram_bytes": Decimal(int(kept.ram_bytes * ram)),
    }
    asked = asked_of(
        {**given_, "have": None, "constraints": limits, "objective": "usd"}
    )
    table = Table.of(asked.setting)
    chosen = chosen_of(asked, table)
    if best_of(asked, table)[1] is not None:
        return
    every = [*chosen.limits, *response_limits(asked, table, chosen)]
    for name, value, title in _conflict.explained(asked, table, every).nearest:
        relaxed = {**limits, name: Decimal(repr(value))}
        bought = ask(**{**given_, "constraints": relaxed}).recommendation
        assert bought is not None, name
        assert bought.name in title
        # Of sizes a byte less is the next smaller one.
        less = (
            Decimal(int(value) - 1) if name == "ram_bytes" else Decimal(value * 0.999)
        )
        # Nobody stated how busy a device may be: 70 % of the busiest hour.
        if less > limits.get(name, Decimal("0.7")):
            tighter = ask(**{**given_, "constraints": {**limits, name: less}})
            assert tighter.recommendation is None, name


@settings(max_examples=tried(12))
@given(
    st.floats(3e2, 3e4),
    st.floats(5.0, 400.0),
    st.sampled_from(["usd", "io_time"]),
    st.none() | st.integers(50, 1_500),
    st.sampled_from([(DISK,), (DISK, "wd-gold-20tb-hc560-sibling"), SHELF]),
)
def test_no_contender_undercuts_the_recommendation_with_fewer_devices_than_warm_in_time(
    rate: float, limit_s: float, objective: str, usd: int | None, devices: Any
) -> None:
    """With nothing drawn each is bought with as many devices as carry its load and are warm in time, and with no fewer."""
    limits = {"restart_s": limit_s} | ({} if usd is None else {"usd_per_month": usd})
    asked = asked_of(
        {
            "curve": curve(replace(BUSY, data_bytes=TIB // 2, accesses_per_s=rate)),
            "candidates": replace(DEVICES_ALONE, devices=devices),
            "prices": book(**{each: SHELF_PRICES[each] for each in devices}),
            "have": None,
            "constraints": {name: Decimal(str(each)) for name, each in limits.items()},
            "objective": objective,
        }
    )
    table, best = best_of(asked, Table.of(asked.setting))
    if best is None:
        return
    rows = contending(asked, table, best)
    found = Contenders(asked, table, rows).on(asked.setting.curve, State())
    usd_ = found.fixed + found.unit * found.needed
    [own] = np.flatnonzero(rows == best)
    assert found.keeps[own]
    assert found.needed[own] == table.options.store_devices[best]
    cost = found.io_us if objective == "io_time" else usd_
    assert cost[own] <= cost[found.keeps].min() * (1 + 1e-9) + 0.02 * (
        objective == "usd"
    )
    for at in np.flatnonzero(found.keeps).tolist():

        def holds(stores: int, row: int = int(rows[at])) -> bool:
            one = table.with_devices(np.asarray([row]), np.asarray([stores]))
            options, setting = one.options, asked.setting
            return bool(
                one.beside("restart_s")[0] <= limit_s * (1 + 1e-9)
                and options.peak_busy[0] <= setting.most_busy * (1 + 1e-9)
                and stores * catalog_bytes(table, row) >= setting.data_bytes
            )

        assert holds(int(found.needed[at]))
        if found.needed[at] > 1 and not math.isfinite(table.options.life_years[best]):
            assert not holds(int(found.needed[at]) - 1)


def catalog_bytes(table: Table, row: int) -> int:
    """Space of one device that holds the data."""
    name = table.names(row)[1]
    assert name is not None
    held = catalog.device(name).capacity_bytes
    assert held is not None
    return held


@pytest.mark.parametrize(
    ("times", "limit_us", "has_standing"),
    [(1.1, 150, False), (2.0, 400, True), (4.0, 400, False), (4.0, 2_000, True)],
)
def test_what_could_be_best_on_another_curve_is_the_same_option_on_that_of_the_answer(
    times: float, limit_us: int, has_standing: bool
) -> None:
    """Which numbers of devices are listed rests on the curve; rows of one table stood for those of another."""
    asked = asked_of(
        {
            **given_(),
            "have": Have(
                machines=1, ram_bytes=64 * 2**30, disk=catalog.device(DISKS[0]), disks=3
            )
            if has_standing
            else None,
            "constraints": {"response_p99_us": Decimal(limit_us)},
            "objective": "usd",
        }
    )
    table, best = best_of(asked, Table.of(asked.setting))
    assert best is not None
    other = table.with_curve(stretched_curve(asked.setting.curve, times))
    of_other = in_order(asked, other, chosen_of(asked, other))[:1]
    rows = contending_at_ends(asked, (table, other), best)

    def which(of: Table, at: int) -> tuple[Any, ...]:
        options = of.options
        return (
            of.source(at),
            of.names(at),
            of.scheme(at),
            int(options.machines[at]),
            float(options.ram_bytes[at]),
            int(options.flash_devices[at]),
        )

    found = [which(table, at) for at in rows.tolist()]
    assert len(set(found)) == len(found)  # each once, whatever its number of devices
    assert best in rows
    for of, at in ((table, best), *((other, each) for each in of_other.tolist())):
        for each in contending(asked, of, at).tolist():
            assert which(of, each) in found


def test_what_is_not_warm_in_time_is_no_better_choice_of_any_draw() -> None:
    """The best of a draw was bought with fewer disks than are warm in time: it flipped with nothing changed."""
    found = ask(
        curve=curve(replace(BUSY, data_bytes=500 * 2**30, accesses_per_s=5_000.0)),
        candidates=replace(DEVICES_ALONE, devices=(DISK,), flash_caches=()),
        prices=book(**{DISK: SHELF_PRICES[DISK]}),
        constraints={"restart_s": 60},
        how_sure=True,
    )
    best = found.recommendation
    assert best is not None
    assert best.restart_s is not None
    assert best.restart_s <= 60
    assert found.confidence.probability_best is not None
    assert found.confidence.probability_best > 0.3
    # "Another choice if the misses are 0.00 % more than the law says".
    assert found.confidence.tornado
    assert all("0.00 %" not in (each.flip or "") for each in found.confidence.tornado)
