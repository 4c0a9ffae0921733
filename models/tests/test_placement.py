"""Several workloads on shared systems: groups and systems against trying every partition."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from advice_cases import DEVICES_ALONE, PRICES, book
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice, placement, scale
from tierwright.advise.advice.found import NOT_SPLIT
from tierwright.advise.advice.request import Candidates
from tierwright.advise.placement import _groups
from tierwright.advise.placement._groups import TOTALS, Asking, alike_of
from tierwright.advise.placement._words import (
    _more,
    about_dirty,
    choice_of,
    infeasible,
    places,
)
from tierwright.advise.placement._words import finding as placement_finding
from tierwright.advise.placement.found import Sharing
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN
from tierwright.cli.app import main
from tierwright.cli.place import _print as print_placement
from tierwright.common.currency import ExchangeRate, money, showing
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent
from tierwright.evaluate.advice.cover import (
    Systems,
    least_cover,
    subsets,
    undominated,
)
from tierwright.evaluate.advice.restart import restart_of_parts_s, restart_s
from tierwright.evaluate.compose.composed import composed_curve, partitioned_curve
from tierwright.evaluate.compose.partitions import partition
from tierwright.hardware import catalog
from tierwright.hardware.servers import server
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.profile.several import StatedRate, Workload, workload_of
from tierwright.trace.reading import Trace

FEW = Candidates(
    kinds=("instances",),
    servers=("aws-i3en.xlarge", "aws-i3en.3xlarge", "aws-i3en.6xlarge", "azure-l2s_v4"),
    max_machines=4,
)


def partitions(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Every way to put items into groups, word by word."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for beside in itertools.chain.from_iterable(
        itertools.combinations(rest, size) for size in range(len(rest) + 1)
    ):
        left = tuple(item for item in rest if item not in beside)
        for others in partitions(left):
            yield [(first, *beside), *others]


@pytest.mark.oracle("evaluate.advice.cover.undominated")
@pytest.mark.formula("evaluate.advice.cover.undominated")
@given(
    st.integers(1, 3).flatmap(
        lambda columns: st.lists(
            st.lists(st.integers(0, 5), min_size=columns, max_size=columns),
            min_size=1,
            max_size=20,
        )
    )
)
def test_no_other_row_is_as_good_in_every_column(rows: list[list[int]]) -> None:
    kept = undominated(rows).tolist()
    chosen = [tuple(rows[at]) for at in kept]
    assert len(set(chosen)) == len(chosen)
    for at, row in enumerate(rows):
        beaten = any(
            all(a <= b for a, b in zip(other, row, strict=True)) and other != row
            for other in rows
        )
        assert (tuple(row) in chosen) == (not beaten)
        if at in kept:
            assert rows.index(row) == at


def test_subsets_are_all_groups_once() -> None:
    found = list(subsets(5))
    assert len(found) == len(set(found)) == 2**5 - 1
    assert [len(each) for each in found] == sorted(len(each) for each in found)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Systems, dict[str, float]]:
    """Up to 4 workloads; up to 2 systems for each group, some for none."""
    members = tuple(subsets(draw(st.integers(1, 4))))
    group, cost, size = [], [], []
    for at in range(len(members)):
        for _ in range(draw(st.integers(0, 2))):
            group.append(at)
            cost.append(float(draw(st.integers(1, 50))))
            size.append(float(draw(st.integers(0, 9))))
    limits = {} if draw(st.booleans()) else {"size": float(draw(st.integers(0, 25)))}
    found = Systems(
        np.asarray(group, dtype=np.int64),
        members,
        np.asarray(cost),
        {"size": np.asarray(size)},
    )
    return found, limits


def tried(
    systems: Systems, limits: dict[str, float], but: list[frozenset[int]]
) -> float | None:
    """Try every partition of the workloads with every system of each of its groups."""
    index = {group: at for at, group in enumerate(systems.members)}
    costs = []
    for parts in partitions(tuple(range(systems.workloads))):
        groups = [index[part] for part in parts]
        if frozenset(groups) in but:
            continue
        choices = [np.nonzero(systems.group == group)[0].tolist() for group in groups]
        for chosen in itertools.product(*choices):
            size = sum(systems.amounts["size"][list(chosen)])
            if size <= limits.get("size", math.inf):
                costs.append(float(sum(systems.cost[list(chosen)])))
    return min(costs, default=None)


@pytest.mark.oracle("evaluate.advice.cover.least_cover")
@pytest.mark.formula("evaluate.advice.cover.least_cover")
@given(problems())
def test_trying_every_partition_finds_no_cheaper_one(
    problem: tuple[Systems, dict[str, float]],
) -> None:
    systems, limits = problem
    seen: list[frozenset[int]] = []
    for _ in range(3):
        found = least_cover(systems, limits, but=seen)
        wanted = tried(systems, limits, seen)
        if found is None:
            assert wanted is None
            return
        assert found.cost == wanted
        assert found.gap == 0
        carried = [
            each for at in found.systems for each in systems.members[systems.group[at]]
        ]
        assert sorted(carried) == list(range(systems.workloads))
        seen.append(frozenset(systems.group[list(found.systems)].tolist()))


@st.composite
def near_problems(draw: st.DrawFn) -> tuple[Systems, dict[str, float]]:
    """Up to 4 workloads whose systems cost nearly the same: by rounding, by a ten-millionth, or by more."""
    members = tuple(subsets(draw(st.integers(1, 4))))
    scale = draw(st.sampled_from([1e-7, 1e-3, 1.0, 1e5]))
    apart = st.sampled_from([0.0, 1e-13, -1e-12, 1e-7, 3e-7, 2e-5, 0.1])
    group, cost, money, size = [], [], [], []
    for at, some in enumerate(members):
        for _ in range(draw(st.integers(0, 3))):
            group.append(at)
            cost.append(scale * len(some) * (1 + draw(apart)))
            money.append(draw(st.integers(100, 130)) * 1.0)
            size.append(draw(st.integers(0, 9)) * 1.0)
    found = Systems(
        np.asarray(group, dtype=np.int64),
        members,
        np.asarray(cost),
        {"money": np.asarray(money), "size": np.asarray(size)},
        np.asarray(money),
    )
    names = draw(st.lists(st.sampled_from(["money", "size"]), unique=True))
    most = {"money": st.integers(100, 500), "size": st.integers(0, 25)}
    return found, {name: draw(most[name]) * 1.0 for name in names}


@pytest.mark.oracle("evaluate.advice.cover.least_cover")
@settings(max_examples=300)
@given(near_problems())
def test_of_choices_that_cost_the_same_the_second_decides(
    problem: tuple[Systems, dict[str, float]],
) -> None:
    """By trying everything: the least cost, of what is as good the least money; a limit that does not bind changes nothing."""
    systems, limits = problem
    assert systems.second is not None
    index = {group: at for at, group in enumerate(systems.members)}
    seen: list[frozenset[int]] = []
    for _ in range(2):
        tried_ = []
        for parts in partitions(tuple(range(systems.workloads))):
            groups = [index[part] for part in parts]
            if frozenset(groups) in seen:
                continue
            choices = [np.nonzero(systems.group == at)[0].tolist() for at in groups]
            tried_ += [
                (
                    math.fsum(systems.cost[chosen]),
                    float(systems.second[chosen].sum()),
                )
                for chosen in map(list, itertools.product(*choices))
                if all(
                    systems.amounts[name][chosen].sum() <= most
                    for name, most in limits.items()
                )
            ]
        found = least_cover(systems, limits, but=seen)
        if not tried_:
            assert found is None
            return
        assert found is not None
        least = min(cost for cost, _ in tried_)
        assert found.cost <= least * (1 + 2e-9)
        money_ = float(systems.second[list(found.systems)].sum())
        assert money_ == min(
            each for cost, each in tried_ if cost <= least * (1 + 1e-9)
        )
        assert found.gap == 0
        free = {"money": 1e9, "size": 1e9, **limits}
        same = least_cover(systems, free, but=seen)
        assert same is not None
        # Which of two that are alike in both is not decided here.
        assert same.cost == pytest.approx(found.cost, rel=1e-9)
        assert systems.second[list(same.systems)].sum() == money_
        seen.append(frozenset(systems.group[list(found.systems)].tolist()))


def test_where_there_is_too_much_to_look_at_the_gap_that_is_stated_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The solver stands in: what it certifies is no less than what it misses of the best."""
    from tierwright.evaluate.advice import cover

    random = np.random.default_rng(3)
    members = tuple(subsets(3))
    group = np.repeat(np.arange(len(members)), 3)
    sizes = np.asarray([len(each) for each in members])[group]
    for _ in range(20):
        cost = 1e-3 * sizes * (1 + random.choice([0, 1e-7, 3e-7, 0.1], len(group)))
        money_ = random.integers(100, 130, len(group)).astype(np.float64)
        systems = Systems(group, members, cost, {"money": money_}, money_)
        best = least_cover(systems, {"money": 320.0})
        with monkeypatch.context() as patch:
            patch.setattr(cover, "MOST_LABELS", 0)
            found = least_cover(systems, {"money": 320.0})
        assert best is not None
        assert found is not None
        assert money_[list(found.systems)].sum() <= 320
        assert 0 < found.gap < 1e-3
        assert best.cost >= found.cost * (1 - found.gap) * (1 - 1e-12)


PEAKS = (20_000.0, 9000.0, 600.0)
"""Busiest hours of these workloads. [1/s]"""


@cache
def workloads() -> tuple[Workload, ...]:
    """A large slow one, a small busy one, and a small slow one."""
    found = profile(Trace(recordings.TPCB))

    def load(name: str, data_bytes: int, rate: float, peak: float) -> Workload:
        made = scale.answer(
            found,
            Production(
                data_bytes=data_bytes, accesses_per_s=rate, peak_accesses_per_s=peak
            ),
        )
        return Workload(name, made.profile.curve, rate)

    return (
        load("orders", 2000 * 2**30, 4000.0, PEAKS[0]),
        load("prices", 300 * 2**30, 9000.0, PEAKS[1]),
        load("logs", 60 * 2**30, 300.0, PEAKS[2]),
    )


def cost_of(group: tuple[int, ...]) -> Decimal | None:
    """Ask the advisor about one group: its composed curve on the data of all, in a table of its own."""
    some = [workloads()[at] for at in group]
    curve = some[0].curve if len(some) == 1 else composed_curve(some)
    # Of what is rented only the busiest hour counts, and their data are all that they touch.
    peak = math.fsum(PEAKS[at] for at in group)
    found = advice.answer(curve, accesses_per_s=peak, candidates=FEW, how_sure=False)
    best = found.recommendation
    return None if best is None else best.usd_per_month


@pytest.mark.oracle("advise.placement.answer")
def test_the_cheapest_partition_is_found() -> None:
    found = placement.answer(workloads(), candidates=FEW)
    costs = {
        tuple(sorted(parts)): sum(
            (cost_of(part) or Decimal("Infinity") for part in parts), Decimal(0)
        )
        for parts in partitions((0, 1, 2))
    }
    assert found.usd_per_month == min(costs.values())
    assert found.usd_per_month == sum(
        Decimal(row["usd_per_month"])
        for each in found.systems
        for row in each.option.bill
    )
    ranked = sorted(cost for cost in costs.values() if cost.is_finite())
    others = [each.usd_per_month for each in found.alternatives]
    assert [found.usd_per_month, *others] == ranked
    assert found.optimality_gap == 0
    assert found.groups == 7
    assert found.separate is not None
    assert found.separate.usd_per_month == costs[(0,), (1,), (2,)]


@cache
def fronts() -> dict[tuple[int, ...], tuple[tuple[float, float], ...]]:
    """Money a month and I/O time [µs] of what the advisor cannot beat in both for each group, each group by itself."""
    found = {}
    for group in subsets(3):
        some = [
            replace(workloads()[at], curve=workloads()[at].curve.steady())
            for at in group
        ]
        curve = some[0].curve if len(some) == 1 else composed_curve(some)
        told = advice.answer(
            curve,
            accesses_per_s=math.fsum(PEAKS[at] for at in group),
            candidates=FEW,
            objective="pareto",
            how_sure=False,
        )
        found[group] = tuple(
            # What holds all of its data takes none.
            (
                float(each.usd_per_month or 0),
                math.nan
                if each.io_time_us_per_access is None
                else each.io_time_us_per_access,
            )
            for each in told.pareto
        )
        assert told.pareto_in_all == len(told.pareto)
    return found


@pytest.mark.costly(4)
@pytest.mark.oracle("advise.placement.answer")
@settings(max_examples=12)
@given(st.floats(300, 6000), st.sampled_from([None, 1.0, 0.0]))
def test_the_fastest_partition_within_a_budget_is_found(
    budget: float, more: float | None
) -> None:
    """Every partition with all on the front of each group, as the advisor has these: the least time, then money."""
    rates = [each.accesses_per_s for each in workloads()]

    def best(limit: float) -> tuple[float, float] | None:
        kept = []
        for parts in partitions((0, 1, 2)):
            for chosen in itertools.product(
                *(fronts()[tuple(sorted(part))] for part in parts)
            ):
                time_us = math.fsum(
                    sum(rates[at] for at in part) * each[1]
                    for part, each in zip(parts, chosen, strict=True)
                ) / sum(rates)
                usd = math.fsum(each[0] for each in chosen)
                if usd <= limit:
                    kept.append((time_us, usd))
        if not kept:
            return None
        least = min(kept)[0]
        return least, min(usd for time_us, usd in kept if time_us <= least * (1 + 1e-9))

    limit = math.inf if more is None else budget
    wanted = best(limit)
    constraints = {} if more is None else {"usd_per_month": round(budget, 2)}
    if more is not None and wanted is not None:
        # What costs as much as the limit keeps it.
        constraints["usd_per_month"] = round(wanted[1] + more, 2)
    found = placement.answer(
        workloads(), candidates=FEW, constraints=constraints, objective="io_time"
    )
    if wanted is None:
        assert not found.systems
        return
    mine: Any = found.without_parts or found
    assert mine.io_time_us_per_access == pytest.approx(wanted[0], rel=1e-8)
    assert float(mine.usd_per_month) == pytest.approx(wanted[1], abs=0.005)


@pytest.mark.costly(4)
@settings(max_examples=12)
@given(
    st.lists(st.sampled_from(FEW.servers or ()), min_size=1, unique=True),
    st.lists(st.floats(0.05, 5), min_size=3, max_size=3),
    st.sampled_from(["usd", "io_time"]),
    st.sampled_from(TOTALS),
)
def test_a_limit_that_does_not_bind_changes_nothing_and_nothing_listed_is_better(
    servers: list[str], times: list[float], objective: Any, limited: str
) -> None:
    some = [
        replace(each, accesses_per_s=each.accesses_per_s * many)
        for each, many in zip(workloads(), times, strict=True)
    ]
    candidates = replace(FEW, servers=tuple(servers))
    free, wide = (
        placement.answer(
            some, candidates=candidates, constraints=limits, objective=objective
        )
        for limits in ({}, {limited: 10**15})
    )
    assert choice_of(free) == choice_of(wide)
    assert free.usd_per_month == wide.usd_per_month
    assert free.io_time_us_per_access == wide.io_time_us_per_access
    for found in (free, wide):
        if found.usd_per_month is None:
            continue
        assert found.optimality_gap == 0
        time_us = found.io_time_us_per_access
        others: tuple[Any, ...] = (
            *found.alternatives,
            found.separate,
            found.together,
            found.without_parts,
        )
        for other in filter(None, others):
            assert not (
                other.usd_per_month < found.usd_per_month
                and other.io_time_us_per_access <= time_us * (1 + 1e-9)
            )
            assert not (
                other.usd_per_month == found.usd_per_month
                and other.io_time_us_per_access < time_us * (1 - 1e-9)
            )


def test_what_takes_as_long_is_chosen_by_its_money() -> None:
    """Two small copies that RAM holds: apart they are faster by a part in 10^11, for the price of a second machine."""
    curve = profile(Trace(recordings.TPCB)).curve
    some = [Workload(name, curve, 2000.0) for name in ("orders", "prices")]
    found = placement.answer(
        some,
        candidates=Candidates(kinds=("instances",), servers=("aws-i8g.4xlarge",)),
        objective="io_time",
        constraints={"usd_per_month": 3000},
    )
    listed_ = catalog_rent("aws-i8g.4xlarge")
    assert found.usd_per_month == listed_
    assert found.separate is not None
    assert found.separate.usd_per_month == 2 * listed_
    assert found.separate.io_time_us_per_access == pytest.approx(
        found.io_time_us_per_access, rel=1e-9
    )
    assert (
        f"A system for each workload takes as long per access, for {money(2 * listed_)} per month."
        in found.finding
    )
    assert "0.00 %" not in found.finding


def catalog_rent(name: str) -> Decimal:
    """Rent of an instance by its list price. [USD/month]"""
    hourly = server(name).usd_per_hour
    assert hourly is not None
    return round(hourly * 730, 2)


def test_little_more_time_has_no_digits_that_no_figure_has() -> None:
    assert _more(1.53e-7) == "less than 0.01 %"
    assert _more(0.0531) == "5.31 %"


@pytest.mark.parametrize(
    ("gib", "shown"),
    [
        (64, "64 GiB"),
        (63.9, "63.9 GiB"),
        (64 + 2**-30, "64.1 GiB"),
        (1023.9, "1.01 TiB"),
    ],
)
def test_the_size_that_is_enough_is_said_as_it_is(gib: float, shown: str) -> None:
    """64 GiB are 68.7 GB: rounded up as a number of bytes, 64.1 GiB would be asked for."""
    said = infeasible(
        {"ram_bytes": Decimal(2**30)},
        ("ram_bytes",),
        {"ram_bytes": gib * 2**30},
        dirty=False,
    )
    assert f"RAM: at least {shown} (limit: 1 GiB)" in said
    size, unit = shown.split()
    factor = {"GiB": 2**30, "TiB": 2**40}[unit]
    assert float(size) * factor >= gib * 2**30


def test_a_limit_of_money_is_said_to_the_cent_beside_what_is_needed() -> None:
    """A cent too little: 1,102 USD would read as a limit that 1,102.37 USD miss by more."""
    for name, per in (("usd_per_month", " per month"), ("purchase_usd", "")):
        asked = {name: Decimal("1102.36")}
        said = infeasible(asked, (name,), {name: 1102.37}, dirty=False)
        assert f"at least 1,102.37 USD{per} (limit: 1,102.36 USD{per})" in said
        whole = infeasible({name: Decimal(1102)}, (name,), {name: 1103.0}, dirty=False)
        assert f"at least 1,103 USD{per} (limit: 1,102 USD{per})" in whole
        # A part of a cent buys nothing.
        part = {name: Decimal("1102.369")}
        said = infeasible(part, (name,), {name: 1102.37}, dirty=False)
        assert f"(limit: 1,102.36 USD{per})" in said
    with showing(ExchangeRate("EUR", Decimal("0.7"), "2026-09-30", "a test")):
        euros = {"usd_per_month": Decimal("771.66") / Decimal("0.7")}
        said = infeasible(
            euros, ("usd_per_month",), {"usd_per_month": 1102.39}, dirty=False
        )
        assert "at least 771.68 EUR per month (limit: 771.66 EUR per month)" in said


def test_the_least_ram_of_a_placement_is_that_of_its_machines() -> None:
    """Two machines of 32 GiB or one of 64: what is said to be enough is no more than what is bought."""
    one = Candidates(kinds=("instances",), servers=("aws-i3en.xlarge",), max_machines=4)
    found = placement.answer(
        workloads()[1:], candidates=one, constraints={"ram_bytes": 2**30}
    )
    least = found.least_totals["ram_bytes"] / 2**30
    assert least % 32 == 0
    assert f"RAM: at least {least:.0f} GiB (limit: 1 GiB)" in found.finding


def test_what_a_candidate_states_is_not_said_to_be_of_a_config() -> None:
    [_, prices, logs] = workloads()
    stated = Candidates(
        kinds=("devices",),
        devices=("samsung-pm9a3-7.68tb-u2",),
        machine_usd=Decimal(2000),
        max_machines=2,
    )
    found = placement.answer(
        [prices, logs], candidates=stated, prices=catalog.price_book("street-2026-q3")
    )
    rows = [row for each in found.systems for row in each.option.bill]
    [machine, *_] = [row for row in rows if row["what"].startswith("machine without")]
    assert machine["source"] == "stated in the candidates"
    assert Decimal(machine["unit_price"]) == 2000
    assert not any("CONFIG" in row["source"] for row in rows)
    steps = found.derivation()
    assert any(each.source == "stated in the candidates" for each in steps)
    assert not any("CONFIG" in (each.source or "") for each in steps)


def test_small_workloads_share_and_large_ones_do_not() -> None:
    small = workloads()[1:]
    found = placement.answer(small, candidates=FEW)
    assert len(found.systems) == 1
    assert "A system for each workload costs" in found.finding
    assert "All on one system" not in found.finding
    held = found.systems[0].workloads
    [option] = [each.option for each in found.systems]
    reserved = option.machines * 4 * 2**30
    assert sum(each.ram_bytes for each in held) == pytest.approx(
        option.ram_bytes - reserved, rel=1e-3
    )
    rate = sum(each.accesses_per_s for each in held)
    hits = sum(each.accesses_per_s * each.hit_share for each in held) / rate
    assert hits == pytest.approx(option.ram_hit_share, abs=1e-3)
    # Copies elsewhere would outlive the machine; there are none.
    assert found.finding.endswith(
        "The only copy of the data of prices and logs is on local disks, which lose it when the instance stops or its host fails."
    )
    # Volumes outlive the machine, and have what was changed once it leaves the flash before them.
    behind = Candidates(kinds=("volumes",), servers=("aws-i4i.xlarge",), max_machines=1)
    found = placement.answer(small, candidates=behind)
    [option] = [each.option for each in found.systems]
    assert option.flash_bytes
    assert found.finding.endswith(
        "The newest version of changed pages of prices and logs is on local disks, which lose it when the instance stops or "
        "its host fails."
    )
    assert "changed_pages_on_local_flash" in {each.code for each in found.cautions}
    # The data of two large ones are too many for one machine: these stand apart.
    large = Workload("more", workloads()[0].curve, 4000.0)
    only = Candidates(
        kinds=("instances",), servers=("aws-i3en.xlarge",), max_machines=1
    )
    apart = placement.answer([workloads()[0], large], candidates=only)
    assert [len(each.workloads) for each in apart.systems] == [1, 1]
    assert "All on one system is not possible" in apart.finding


def test_one_workload_is_the_advice() -> None:
    [orders, *_] = workloads()
    alone = placement.answer([orders], candidates=FEW)
    wanted = advice.answer(orders.curve.steady(), candidates=FEW).recommendation
    assert wanted is not None
    [system] = alone.systems
    assert system.option.clean_share_reason == NOT_SPLIT
    # An advice says more of the split of its RAM, and a placement asks for none.
    split = replace(
        system.option,
        clean_share_reason=wanted.clean_share_reason,
        clean_share_uncounted_pages=wanted.clean_share_uncounted_pages,
    )
    assert split == wanted
    assert "each workload" not in alone.finding


def test_limits_of_all_systems_together() -> None:
    one = placement.answer(workloads(), candidates=FEW, constraints={"machines": 1})
    assert sum(each.option.machines for each in one.systems) == 1
    assert "A system for each workload is not possible" in one.finding
    free = placement.answer(workloads(), candidates=FEW)
    assert free.usd_per_month is not None
    assert one.usd_per_month is not None
    assert one.usd_per_month >= free.usd_per_month
    exact = placement.answer(
        workloads(),
        candidates=FEW,
        constraints={"usd_per_month": free.usd_per_month},
        objective="io_time",
    )
    assert exact.usd_per_month is not None
    assert exact.usd_per_month <= free.usd_per_month
    short = placement.answer(
        workloads(),
        candidates=FEW,
        constraints={"usd_per_month": free.usd_per_month - Decimal("0.01")},
    )
    assert short.systems == ()
    assert short.usd_per_month is None
    assert short.least_totals["usd_per_month"] == pytest.approx(
        float(free.usd_per_month)
    )
    assert "Cost per month: at least" in short.finding
    assert short.conflict == ("usd_per_month",)
    assert short.finding.endswith("Relax this limit.")
    # A limit that is kept by itself is not named as one to relax; two that are not are both.
    beside = placement.answer(
        workloads(),
        candidates=FEW,
        constraints={
            "usd_per_month": free.usd_per_month - Decimal("0.01"),
            "machines": 100,
        },
    )
    assert beside.finding == short.finding
    ram = sum(each.option.ram_bytes for each in free.systems)
    neither = placement.answer(
        workloads(),
        candidates=FEW,
        constraints={
            "usd_per_month": free.usd_per_month - Decimal("0.01"),
            "ram_bytes": ram - 2**20,
        },
    )
    assert set(neither.least_totals) == {"usd_per_month", "ram_bytes"}
    assert "ost per month: at least" in neither.finding
    assert "RAM: at least" in neither.finding
    assert neither.finding.endswith("Relax each of these limits.")
    # No single workload is the reason; one that is, is named.
    none = placement.answer(
        workloads(), candidates=FEW, constraints={"io_time_us_per_access": 0.001}
    )
    assert "No option carries orders" in none.finding
    assert "Relaxing one limit is enough for orders: I/O time" in none.finding
    admitted = placement.answer(
        workloads()[:1],
        candidates=FEW,
        constraints={
            "io_time_us_per_access": none.nearest["io_time_us_per_access"] * 1.01
        },
    )
    assert admitted.systems
    assert admitted.nearest == {}
    # A limit on all of them is relaxed to what all of them need, and not the first alone.
    tight = placement.answer(workloads(), candidates=FEW, constraints={"ram_bytes": 1})
    wide = tight.least_totals["ram_bytes"]
    assert tight.conflict == ("ram_bytes",)
    assert placement.answer(
        workloads(), candidates=FEW, constraints={"ram_bytes": wide}
    ).systems


@pytest.mark.costly(4)
@settings(max_examples=12)
@given(data=st.data())
def test_limits_on_all_systems_that_conflict_are_named_and_relaxed(
    data: st.DataObject,
) -> None:
    """Of random limits that nothing keeps: the rest of a conflict can be kept, and what is said to admit a choice does."""
    some = data.draw(st.sampled_from([workloads(), workloads()[1:]]))
    free = placement.answer(some, candidates=FEW)
    assert free.usd_per_month is not None
    amounts = {
        "usd_per_month": float(free.usd_per_month),
        "machines": float(sum(each.option.machines for each in free.systems)),
        "ram_bytes": float(sum(each.option.ram_bytes for each in free.systems)),
    }
    shares = st.sampled_from([0.4, 0.7, 0.99, 1.0, 1.3, 2.5])
    limits = {
        name: max(1.0, math.floor(value * data.draw(shares)))
        for name, value in amounts.items()
        if data.draw(st.booleans())
    }
    if data.draw(st.booleans()):
        limits["throughput_accesses_per_s"] = data.draw(
            st.sampled_from([3e4, 1e5, 4e5])
        )

    objective = data.draw(st.sampled_from(["usd", "io_time"]))

    def asked(kept: dict[str, float]) -> Any:
        return placement.answer(
            some, candidates=FEW, constraints=kept, objective=objective
        )

    def without(names: set[str]) -> Any:
        """Keep the others; nobody stated the busy share, which has a limit all the same."""
        loosest = {"peak_busy": 1.0} if "peak_busy" in names else {}
        kept = {each: value for each, value in limits.items() if each not in names}
        return asked({**kept, **loosest})

    found = asked(limits)
    if found.systems:
        assert found.conflict == ()
        assert found.least_totals == {}
    elif not found.nearest and found.least_totals:
        every = {*limits, "peak_busy"}
        check_conflict(found, every, without)
        if len(found.least_totals) <= len(found.conflict):
            for name in set(found.conflict) & set(TOTALS):
                if without({name}).systems:
                    check_least(name, found.least_totals[name], limits, asked)


def check_conflict(
    found: Any, every: set[str], without: Callable[[set[str]], Any]
) -> None:
    """No choice keeps the conflict, and some choice keeps the rest of it, whichever limit is left out."""
    assert set(found.conflict) <= every
    assert set(found.conflict) & set(TOTALS)
    assert not without(every - set(found.conflict)).systems
    for name in found.conflict:
        assert without(every - set(found.conflict) | {name}).systems
    one_suffices = any(without({each}).systems for each in found.conflict)
    if "alone would" in found.finding:
        assert one_suffices
    if "conflict besides" in found.finding:
        assert not one_suffices


def check_least(
    name: str,
    least: float,
    limits: dict[str, float],
    asked: Callable[[dict[str, float]], Any],
) -> None:
    """What is said to admit a choice admits one, and a hundredth less does not; machines are whole."""
    assert least > limits[name]
    assert asked({**limits, name: least * (1 + 1e-9)}).systems
    less = math.floor(least * 0.99) if name == "machines" else least * 0.99
    if less > 0:
        assert not asked({**limits, name: less}).systems


def test_workloads_that_can_only_share_may_leave_one_without_a_system() -> None:
    """One busy workload alone keeps no limit; beside either of two quiet ones it does, and these do not without it."""
    _, prices, logs = workloads()
    some = [
        replace(logs, name="logs", accesses_per_s=30_000.0),
        replace(prices, name="prices"),
        replace(prices, name="more prices"),
    ]
    one = Candidates(
        kinds=("instances",), servers=("aws-i3en.3xlarge",), max_machines=1
    )
    seen = set()
    for most_us in (0.3, 0.4, 0.45, 0.5, 0.6, 0.8):
        found = placement.answer(
            some, candidates=one, constraints={"io_time_us_per_access": most_us}
        )
        if found.systems or found.nearest:
            continue
        assert found.conflict == ("io_time_us_per_access",)
        assert found.least_totals == {}
        assert "no way to share leaves a system for all of them" in found.finding
        assert found.finding.endswith("Relax this limit.")
        seen.add(most_us)
    assert seen


def test_what_admits_a_choice_is_not_what_the_best_one_takes() -> None:
    """For the least I/O time the best option is dear; the budget has to be no larger than what the cheapest takes."""
    some = workloads()[1:]
    cheapest = placement.answer(some, candidates=FEW).usd_per_month
    assert cheapest is not None
    found = placement.answer(
        some,
        candidates=FEW,
        objective="io_time",
        constraints={"usd_per_month": cheapest / 2},
    )
    assert found.least_totals == {"usd_per_month": pytest.approx(float(cheapest))}
    fewest = placement.answer(
        workloads(), candidates=FEW, constraints={"machines": 0.5}
    )
    assert fewest.least_totals == {"machines": 1}


def test_limits_that_only_conflict_are_said_to() -> None:
    limits = {"usd_per_month": Decimal(500), "machines": Decimal(2)}
    usd, machines = {"usd_per_month": 501.0}, {"machines": 3.0}

    def said(conflict: tuple[str, ...], least: dict[str, float]) -> str:
        return infeasible(limits, conflict, least, dirty=False)

    both = said(("usd_per_month", "machines"), {**usd, **machines})
    assert both == (
        "No choice of systems keeps the limits on the cost per month and on machines for all of them together at once. One "
        "of them alone would have to be relaxed: cost per month: at least 501 USD per month (limit: 500 USD per month); or "
        "machines: at least 3 machines (limit: 2 machines)."
    )
    assert said(("usd_per_month",), usd).endswith(
        "together. Cost per month: at least 501 USD per month (limit: 500 USD per month). Relax this limit."
    )
    assert said(("peak_busy",), {}).endswith("for all of them. Relax this limit.")
    assert said(("usd_per_month",), {**usd, **machines}).endswith(
        "Relax each of these limits."
    )
    assert "carries each of them once" in said((), {})
    more = infeasible(limits, ("usd_per_month",), usd, dirty=False, is_enough=False)
    assert more.endswith("Relax this limit. Other limits conflict besides.")
    beside = said(("usd_per_month", "throughput_accesses_per_s"), usd)
    assert beside == (
        "No choice of systems keeps the limit on the cost per month for all of them together and the limit on throughput for "
        "each at once. One of them alone would have to be relaxed: cost per month: at least 501 USD per month (limit: 500 USD "
        "per month); or throughput."
    )


def test_a_total_is_not_above_its_limit_by_a_millionth() -> None:
    """The solver admits that much; the dearer choice is the one that keeps the limit."""
    systems = Systems(
        np.asarray([0, 0]),
        ((0,),),
        np.asarray([1.0, 2.0]),
        {"size": np.asarray([1e6 + 0.5, 1e6])},
    )
    found = least_cover(systems, {"size": 1e6})
    assert found is not None
    assert found.systems == (1,)
    assert least_cover(systems, {"size": 1e6 - 0.5}) is None


def test_more_money_never_makes_it_slower() -> None:
    times = []
    for budget in (250, 400, 800, 3000):
        found = placement.answer(
            workloads(),
            candidates=FEW,
            constraints={"usd_per_month": budget},
            objective="io_time",
        )
        time_us = found.io_time_us_per_access
        times.append(math.inf if time_us is None else time_us)
    assert times == sorted(times, reverse=True)
    assert times[-1] < times[0]


@pytest.mark.costly(4)
@pytest.mark.formula("advise.placement.answer")
@settings(max_examples=10)
@given(
    st.lists(st.sampled_from(FEW.servers or ()), min_size=1, unique=True),
    st.sampled_from(FEW.servers or ()),
    st.floats(0.1, 3),
)
def test_one_more_candidate_never_costs_more(
    servers: list[str], more: str, times: float
) -> None:
    some = [
        Workload(each.name, each.curve, each.accesses_per_s * times)
        for each in workloads()[1:]
    ]
    costs = [
        placement.answer(
            some, candidates=replace(FEW, servers=tuple({*names}))
        ).usd_per_month
        for names in (servers, [*servers, more])
    ]
    if costs[0] is not None:
        assert costs[1] is not None
        assert costs[1] <= costs[0]


GIB = 2**17
"""Pages of 8 KiB in a GiB."""


def made(
    name: str, missed: list[tuple[int, float]], rate: float, dirty: float = 0.1
) -> Workload:
    """Take a workload by the share of its accesses that miss at some sizes in GiB; the last holds all."""
    accesses = 10**6
    misses = [round(accesses * share) for _, share in missed]
    curve = Curve.from_lists(
        [max(1, size * GIB) for size, _ in missed],
        misses,
        [round(each * dirty) for each in misses],
        accesses=accesses,
        distinct_pages=missed[-1][0] * GIB,
        page_bytes=8192,
        write_accesses=round(accesses * dirty),
        given=Given("made", data_known=True),
    )
    return Workload(name, curve, rate)


HOT = made("hot", [(0, 0.9), (1, 0.5), (5, 0.1), (10, 0.02), (20, 0.0)], 20_000.0)
FLOOD = made("flood", [(0, 1.0), (99, 1.0), (100, 0.0)], 30_000.0)
"""A loop that no cache of these candidates holds; shared, it takes most of the RAM and hits nothing."""


@pytest.mark.oracle("evaluate.compose.composed.partitioned_curve")
@pytest.mark.formula("evaluate.compose.composed.partitioned_curve")
@settings(max_examples=40)
@given(
    curves=st.lists(
        st.lists(st.integers(0, 20), min_size=6, max_size=6), min_size=2, max_size=3
    ),
    rates=st.lists(st.sampled_from([1.0, 3.0, 10.0]), min_size=3, max_size=3),
)
def test_a_divided_cache_misses_as_the_best_division(
    curves: list[list[int]], rates: list[float]
) -> None:
    """Where every curve falls ever more slowly, every way to divide each size is tried."""
    some = []
    for at, drops in enumerate(curves):
        falls = sorted(drops, reverse=True)
        misses = [sum(falls[each:]) for each in range(1, 7)]
        accesses = max(1, sum(falls))
        made_of = Curve.from_lists(
            list(range(1, 7)),
            misses,
            [each // 2 for each in misses],
            accesses=accesses,
            distinct_pages=6,
            page_bytes=4096,
            write_accesses=accesses,
            given=Given("made", data_known=True),
        )
        some.append(Workload(f"w{at}", made_of, rates[at]))
    sizes = [1, 2, 5, 9]
    found = partitioned_curve(some, sizes)
    total = sum(each.curve.accesses for each in some)
    seconds = total / sum(each.accesses_per_s for each in some)
    for size in sizes:
        tried = [
            sum(
                float(load.misses_per_s(part))
                for load, part in zip(some, parts, strict=True)
            )
            for parts in itertools.product(range(size + 1), repeat=len(some))
            if sum(parts) <= size
        ]
        assert float(found.misses(size)) == pytest.approx(
            min(tried) * seconds, abs=1e-5
        )
    split = partition(some, 5)
    assert split.write_backs_per_s is not None
    written = min(float(split.write_backs_per_s.sum()) * seconds, total)
    assert float(found.write_backs(5)) >= written - 1e-5


@pytest.mark.oracle("evaluate.advice.restart.restart_of_parts_s")
@pytest.mark.formula("evaluate.advice.restart.restart_of_parts_s")
@settings(max_examples=20)
@given(
    parts=st.lists(st.integers(0, 60), min_size=2, max_size=2),
    rates=st.lists(st.sampled_from([10.0, 30.0, 100.0]), min_size=2, max_size=2),
    reads_per_s=st.sampled_from([5.0, 20.0, 60.0, 1e9]),
)
def test_divided_ram_is_warm_when_small_steps_say_so(
    parts: list[int], rates: list[float], reads_per_s: float
) -> None:
    """Both parts are filled page by page in small steps of time, all misses waiting alike for reads."""
    shapes = ([(10, 0.6), (40, 0.2), (70, 0.1)], [(1, 1.0), (50, 0.9), (80, 0.3)])
    some = []
    for at, shape in enumerate(shapes):
        curve = Curve.from_lists(
            [size for size, _ in shape],
            [round(1000 * share) for _, share in shape],
            None,
            accesses=1000,
            distinct_pages=100,
            page_bytes=4096,
            write_accesses=0,
            given=Given("made", data_known=True),
        )
        some.append(Workload(f"w{at}", curve, rates[at]))
    sizes = np.asarray(parts, dtype=np.float64)
    [found] = restart_of_parts_s(some, sizes[:, np.newaxis], np.asarray([reads_per_s]))

    def missed(held: list[float]) -> list[float]:
        return [
            float(load.misses_per_s(pages))
            for load, pages in zip(some, held, strict=True)
        ]

    goal = sum(rates) - 0.95 * (sum(rates) - sum(missed(parts)))
    held, time_s = [0.0, 0.0], 0.0
    while sum(missed(held)) > goal * (1 + 1e-9) and time_s < 1e4:
        now = missed(held)
        slower = max(1.0, sum(now) / reads_per_s)
        step = max(2e-4, 2e-3 * time_s)
        held = [
            min(part, pages + each * step / slower)
            for pages, part, each in zip(held, parts, now, strict=True)
        ]
        time_s += step
    assert found == pytest.approx(time_s, rel=0.02, abs=0.02)


@pytest.mark.oracle("advise.placement.answer")
def test_a_flood_gets_no_part_of_the_ram() -> None:
    asked: dict[str, Any] = {
        "candidates": FEW,
        "objective": "io_time",
        "constraints": {"usd_per_month": 500},
    }
    found = placement.answer([HOT, FLOOD], **asked)
    [system] = found.systems
    assert system.in_parts
    assert system.parts_save_share is None
    hot, flood = system.workloads
    ram = system.option.ram_bytes - system.option.machines * 4 * 2**30
    assert (hot.ram_bytes, flood.ram_bytes) == (ram, 0)
    assert hot.hit_share == pytest.approx(
        1 - float(HOT.curve.misses(ram / 8192)) / HOT.curve.accesses
    )
    assert flood.hit_share == 0
    # Of several machines the part on each is what is configured.
    assert system.option.machines == 2
    of_both = "(24 GiB for hot and none for flood; on each machine 12 GiB and none)"
    assert f"2 x azure-l2s_v4, their RAM divided {of_both}" in found.finding
    alone = replace(system, option=replace(system.option, machines=1))
    assert places([alone]).endswith(
        ", its RAM divided (24 GiB for hot and none for flood)"
    )
    # Apart each is as fast, for more; no cache that they share is.
    shared = found.without_parts
    assert shared is not None
    assert shared.in_parts == (False, False)
    assert found.usd_per_month is not None
    assert shared.usd_per_month > found.usd_per_month
    assert shared.io_time_us_per_access is not None
    assert found.io_time_us_per_access is not None
    assert shared.io_time_us_per_access == pytest.approx(
        found.io_time_us_per_access, rel=1e-12
    )
    assert (
        f"Sharing every cache takes as long per access, for {money(shared.usd_per_month)} per month."
        in found.finding
    )
    rate = HOT.accesses_per_s + FLOOD.accesses_per_s
    hits = sum(held.accesses_per_s * held.hit_share for held in system.workloads) / rate
    assert hits == pytest.approx(system.option.ram_hit_share)
    # Its part fills as it misses by itself; what has no part fills nothing.
    warm = restart_s(
        HOT.curve,
        np.asarray([ram / 8192]),
        HOT.accesses_per_s,
        np.asarray([np.inf]),
    )
    assert system.option.restart_s == pytest.approx(float(warm[0]), rel=0.01)
    tight = placement.answer(
        [HOT, FLOOD],
        **{**asked, "constraints": {"usd_per_month": 500, "restart_s": 60}},
    )
    for each in tight.systems:
        assert each.option.restart_s is not None
        assert each.option.restart_s <= 60


def test_what_parts_would_save_is_said_where_they_are_not_worth_money() -> None:
    found = placement.answer([HOT, FLOOD], candidates=FEW)
    [system] = found.systems
    assert not system.in_parts
    assert found.without_parts is None
    hot, flood = system.workloads
    assert hot.part_bytes is not None
    assert hot.part_hit_share is not None
    assert flood.part_bytes == 0
    misses = [
        each.accesses_per_s * (1 - share)
        for each in (hot, flood)
        for share in (each.hit_share, each.part_hit_share)
        if share is not None
    ]
    saved = 1 - (misses[1] + misses[3]) / (misses[0] + misses[2])
    assert system.parts_save_share == pytest.approx(saved)
    assert (
        f"Dividing the RAM that hot and flood share (12 GiB for hot and none for flood) would save {percent(saved)} of their "
        "misses there." in found.finding
    )
    # Where there is little to gain, nothing is said.
    calm = placement.answer(workloads()[1:], candidates=FEW)
    [system] = calm.systems
    assert system.parts_save_share is not None
    assert system.parts_save_share < 0.05
    assert "Dividing" not in calm.finding
    # A flash cache below is not divided, and one workload has all.
    alone = placement.answer([HOT], candidates=FEW)
    assert alone.systems[0].parts_save_share is None
    assert alone.systems[0].workloads[0].part_bytes is None


@pytest.mark.costly(4)
@pytest.mark.formula("advise.placement.answer")
@settings(max_examples=15)
@given(data=st.data())
def test_parts_never_make_it_worse(data: st.DataObject) -> None:
    """Beside parts every shared cache stays a candidate; what is chosen in parts is better by what `GAIN` says."""
    some = data.draw(
        st.lists(st.sampled_from([HOT, FLOOD, *workloads()]), min_size=2, max_size=3)
    )
    some = [replace(each, name=f"{each.name} {at}") for at, each in enumerate(some)]
    objective = data.draw(st.sampled_from(["usd", "io_time"]))
    limits = data.draw(
        st.sampled_from(
            [{"usd_per_month": 600}, {"usd_per_month": 900, "machines": 2}, {}]
        )
    )
    asked: dict[str, Any] = {
        "candidates": FEW,
        "objective": objective,
        "constraints": limits,
    }
    found = placement.answer(some, **asked)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_groups, "has_parts", lambda _: False)
        without = placement.answer(some, **asked)
    assert not any(each.in_parts for each in without.systems)
    if without.usd_per_month is None:
        assert without.finding == found.finding or found.systems
        return
    assert found.usd_per_month is not None
    assert found.io_time_us_per_access is not None
    assert without.io_time_us_per_access is not None
    if objective == "usd":
        assert found.usd_per_month <= without.usd_per_month
    else:
        assert found.io_time_us_per_access <= without.io_time_us_per_access * (1 + 1e-9)
    if any(each.in_parts for each in found.systems):
        assert found.without_parts is not None
        assert found.without_parts.usd_per_month == without.usd_per_month
    elif objective == "usd":
        assert found.usd_per_month == without.usd_per_month
    else:
        # As fast as the best without parts, which may be several choices.
        assert found.io_time_us_per_access == pytest.approx(
            without.io_time_us_per_access
        )


@cache
def recorded() -> tuple[Workload, Workload]:
    """The shipped cuts: when the slower one is past its end in a shared cache, the other has not reached its own."""
    return (
        workload_of("tpcc", profile(Trace(recordings.TPCC)), StatedRate(32_000.0)),
        workload_of("tpcb", profile(Trace(recordings.TPCB)), StatedRate(8000.0)),
    )


DISKS = Candidates(
    kinds=("devices",), devices=("seagate-exos-x24-24tb",), machine_usd=Decimal(0)
)


@pytest.mark.oracle("advise.placement.answer")
def test_a_shared_cache_is_no_worse_than_it_is() -> None:
    """RAM beyond the pages of both: parts save nothing there, and a shared cache needs no more disks."""
    found = placement.answer(
        recorded(), candidates=DISKS, prices=advice.named_book("street-2026-q3")
    )
    [system] = found.systems
    assert not system.in_parts
    assert "RAM divided" not in found.finding
    pages = (system.option.ram_bytes - 4 * 2**30) / 8192
    # All that either can use fits: what they miss is what each misses at the end of its curve.
    running = [replace(each, curve=each.curve.steady()) for each in recorded()]
    missed = sum(float(each.misses_per_s(10**9)) for each in running)
    assert pages > 100_000
    assert system.option.ram_hit_share == pytest.approx(
        1 - missed / 40_000, abs=(1 - missed / 40_000) * 3e-6
    )
    assert missed / 40_000 == pytest.approx(0.00749, rel=0.001)
    # Each miss evicts: what is dirty of it is written back. 299.6 reads a second of 11.59 ms and 220.8 writes of 12.39 ms keep 9
    # disks busy for 69.0 % of the time; 8 would be busy for 77.6 %.
    written = sum(
        float(each.curve.write_backs(10**9)) / each.curve.accesses * each.accesses_per_s
        for each in running
    )
    assert written == pytest.approx(220.80, abs=0.05)
    busy = missed * 0.011589 + written * 0.012389
    assert 0.7 * 8 < busy < 0.7 * 9
    assert system.option.peak_busy == pytest.approx(busy / 9, rel=1e-3)
    assert found.usd_per_month == Decimal("242.86")
    # What each holds is from the same cache.
    hits = sum(held.accesses_per_s * held.hit_share for held in system.workloads)
    assert hits / 40_000 == pytest.approx(system.option.ram_hit_share, abs=3e-6)


def test_all_on_one_system_is_said_to_have_parts_where_it_has() -> None:
    asked: dict[str, Any] = {
        "candidates": FEW,
        "objective": "io_time",
        "constraints": {"usd_per_month": 1500},
    }
    found = placement.answer([HOT, FLOOD, replace(HOT, name="warm")], **asked)
    assert found.together is not None
    assert found.together.in_parts == (True,)
    assert "All on one system, its RAM divided, takes " in found.finding
    whole = placement.answer([HOT, FLOOD], **asked)
    assert whole.together is not None
    assert whole.together.in_parts == (False,)
    assert "All on one system takes " in whole.finding


def test_machines_that_are_in_no_price_are_counted_in_words() -> None:
    """One system is one machine here, and nothing needs fewer than one."""
    asked: dict[str, Any] = {"candidates": DEVICES_ALONE, "prices": book(**PRICES)}
    logs = workloads()[2]
    one = placement.answer([logs], **asked)
    assert (
        "for 1 system, without the machine that RAM and devices need, " in one.finding
    )
    [said] = [each for each in one.cautions if each.code == "machine_left_out"]
    assert (said.could_change_choice, said.effect) == (
        False,
        "every option costs as much more",
    )
    two = placement.answer(workloads()[1:], **asked)
    assert len(two.systems) == 1
    [said] = [each for each in two.cautions if each.code == "machine_left_out"]
    assert (said.could_change_choice, said.effect) == (
        False,
        "the choice stays, whatever the machine costs",
    )
    limited = placement.answer([logs], **asked, constraints={"usd_per_month": 10_000})
    [said] = [each for each in limited.cautions if each.code == "machine_left_out"]
    assert said.could_change_choice
    [system] = one.systems
    several = placement_finding(
        (system, system),
        Sharing((("logs",), ("more",)), (False, False), Decimal(9), 1.0),
        None,
        None,
        None,
        "usd",
    )
    assert "for 2 systems, without the machines that RAM and devices need, " in several


@pytest.mark.parametrize(
    ("objective", "systems"), [("usd", 2), ("io_time", 1)], ids=str
)
def test_fewer_systems_may_be_cheaper_with_their_machines(
    objective: Any, systems: int
) -> None:
    """Much that is read seldom beside little that is read often: a disk and a drive on two machines, or one with more RAM."""
    cold = made("cold", [(0, 1.0), (19_999, 1.0), (20_000, 0.0)], 10.0)
    usd = (Decimal(5), Decimal(5), Decimal("0.02"), Decimal("0.02"))
    asked: dict[str, Any] = {
        "objective": objective,
        "constraints": {"flash_bytes": 0},
        "prices": book(Decimal(50), **dict(zip(PRICES, usd, strict=True))),
    }

    def placed(machine_usd: Decimal | None) -> placement.Placement:
        candidates = replace(DEVICES_ALONE, machine_usd=machine_usd)
        return placement.answer([cold, FLOOD], candidates=candidates, **asked)

    found = placed(None)
    assert len(found.systems) == systems
    [said] = [each for each in found.cautions if each.code == "machine_left_out"]
    cheap, dear = (placed(Decimal(each)) for each in (1, 100_000))
    assert choice_of(cheap) == choice_of(found)
    assert len(dear.systems) == 1
    assert said.could_change_choice == (choice_of(dear) != choice_of(found))
    assert said.effect == (
        "another number of systems may cost less with their machines"
        if said.could_change_choice
        else "the choice stays, whatever the machine costs"
    )


def test_costs_that_lack_different_numbers_of_machines_have_no_difference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One whole system beside three of RAM and devices, whose machines nobody priced."""
    shelf = "solidigm-d7-p5810-800gb"
    asked: dict[str, Any] = {
        "candidates": replace(
            DEVICES_ALONE, kinds=("devices", "instances", "volumes"), devices=(shelf,)
        ),
        "prices": book(Decimal(300), **{shelf: Decimal("4.5")}),
    }
    found = placement.answer(workloads(), **asked)
    [system] = found.systems
    assert not system.option.without_machine
    apart = [placement.answer([each], **asked).systems[0] for each in workloads()]
    assert all(each.option.without_machine for each in apart)
    usd = sum((each.option.usd_per_month or Decimal(0) for each in apart), Decimal(0))
    assert found.usd_per_month is not None
    assert usd > found.usd_per_month
    assert (
        f"A system for each workload costs {money(usd)} per month, their machines not counted."
        in found.finding
    )
    assert found.separate is not None
    assert found.separate.machines_left_out == (1, 1, 1)
    # The table of other ways says it behind each of them.
    print_placement(found, "")
    shown = capsys.readouterr().out.partition("Other ways to share")[2]
    ways = [each for each in found.alternatives if each.machines_left_out]
    assert ways
    assert shown.count(" not counted") == len(ways)
    # Two that lack as many have a difference, and what lacks none has its machines.
    names = (("orders",), ("prices",), ("logs",))

    def way(usd: int, *lacks: int) -> Sharing:
        many = max(len(lacks), 1)
        return Sharing(
            names[:many],
            (False,) * many,
            Decimal(usd),
            float(usd),
            machines_left_out=lacks,
        )

    alone = apart[0]
    here = replace(
        alone, workloads=tuple(each.workloads[0] for each in apart), in_parts=False
    )

    def said(mine: Sharing, separate: Sharing, objective: str = "usd") -> str:
        return placement_finding(
            (here,), mine, separate, None, None, objective
        ).partition("A system for each workload ")[2]

    assert said(way(9, 1), way(12, 0, 0, 1)) == (
        "costs 12 USD per month, the machine of 1 of them not counted: 3 USD more."
    )
    assert said(way(9, 1), way(12, 0, 1, 2)) == (
        "costs 12 USD per month, the machines of 2 of them not counted."
    )
    assert said(way(9, 1), way(12)) == "costs 12 USD per month, machines included."
    assert said(way(9), way(12)) == "costs 12 USD per month, 3 USD more."
    assert said(way(9), way(9, 1)) == "costs 9 USD per month, its machine not counted."
    assert said(way(10), way(20, 1, 1, 1), "io_time") == (
        "takes 20 µs per access, 100 % more, for 20 USD per month, their machines not counted."
    )
    # If no page is dirty, what would do may be a part.
    clean = replace(
        found,
        systems=(alone,),
        usd_per_month=found.usd_per_month - 1,
        finding="",
    )
    assert about_dirty(found, clean, ["orders"]).endswith(
        f"would be the choice, at {money(found.usd_per_month - 1)} per month, its machine not counted."
    )
    assert about_dirty(clean, found, ["orders"]).endswith(
        f"would be the choice, at {money(found.usd_per_month)} per month, machines included."
    )


def test_copies_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = workloads()[2]
    copies = [
        Workload(f"logs #{at}", logs.curve, logs.accesses_per_s) for at in range(4)
    ]
    asked = []
    group = Asking._group
    monkeypatch.setattr(
        Asking,
        "_group",
        lambda self, members, some: asked.append(members) or group(self, members, some),
    )
    found = placement.answer(copies, candidates=FEW)
    assert len(asked) == 4
    assert found.groups == 15
    named = sorted(held.name for each in found.systems for held in each.workloads)
    assert named == [each.name for each in copies]


def test_a_workload_without_an_option_is_named() -> None:
    only = Candidates(kinds=("instances",), servers=("azure-l2s_v4",), max_machines=1)
    found = placement.answer(workloads(), candidates=only)
    assert found.systems == ()
    assert found.finding.startswith("No option carries orders, alone or beside others.")
    assert found.separate is None


def test_what_is_not_known_of_the_scale_is_asked_again() -> None:
    found = placement.answer(workloads(), candidates=FEW)
    [scaled] = [each for each in found.cautions if each.code == "scale_extrapolated"]
    assert scaled.effect.count("per month") == 2
    assert scaled.could_change_choice == (scaled.effect.count("the choice stays") < 2)
    told = " ".join(each.message for each in found.warnings)
    for system in found.systems:
        for held in system.workloads:
            alone = len(system.workloads) == 1
            assert (f"{held.name}: the workload was recorded" in told) == alone


def without_writes(load: Workload) -> Workload:
    """Take a workload that does not say which evicted pages are dirty."""
    curve = load.curve.steady()
    unknown = replace(curve, write_backs_at=None, write_accesses=0, cold=None)
    return replace(load, curve=unknown)


def with_share(load: Workload, share: float) -> Workload:
    """Take the same workload with this share of the evicted pages dirty, at every size."""
    curve = load.curve
    known = replace(
        curve, write_backs_at=share * curve.misses_at, write_accesses=curve.accesses
    )
    return replace(load, curve=known)


BUSY = Candidates(
    kinds=("volumes",),
    servers=("aws-m7i.4xlarge", "aws-r7i.4xlarge"),
    volumes=("aws-ebs-gp3",),
    max_machines=2,
)
"""Volumes are bought for their IOPS: what is written costs money."""


def ends_of(found: Any) -> tuple[float, float]:
    """Ends of an I/O time, twice the same where it is known."""
    time_us = found.io_time_us_per_access
    return found.ranges["io_time_us_per_access"] if time_us is None else (time_us,) * 2


@pytest.mark.costly(4)
@pytest.mark.formula("advise.placement.answer")
@settings(max_examples=8)
@given(
    st.sampled_from(("usd", "io_time")),
    st.floats(0, 1),
    st.floats(0.2, 3),
    st.sampled_from(((2, 0), (2, 1), (1, 0))),
)
def test_a_placement_holds_whatever_share_of_the_pages_is_dirty(
    objective: Any, share: float, times: float, pair: tuple[int, int]
) -> None:
    """Chosen as with all dirty; what is chosen at a known share lies between both ends."""
    some = [
        replace(each, accesses_per_s=each.accesses_per_s * times)
        for each in (workloads()[at] for at in pair)
    ]
    unknown = [some[0], without_writes(some[1])]
    asked: dict[str, Any] = {"candidates": BUSY, "objective": objective}
    if objective == "io_time":
        asked["constraints"] = {"usd_per_month": 2500}
    found = placement.answer(unknown, **asked)
    none, between, most = (
        placement.answer([unknown[0], with_share(unknown[1], at)], **asked)
        for at in (0.0, share, 1.0)
    )
    assert found.placement_id != most.placement_id
    assert choice_of(found) == choice_of(most)
    assert found.usd_per_month == most.usd_per_month
    assert found.separate is None or found.separate.ranges
    if found.usd_per_month is None:
        assert "evicted pages dirty as possible" in found.finding
        assert (none.usd_per_month is None) == ("nor does any choice" in found.finding)
        return
    low, high = ends_of(found)
    assert most.io_time_us_per_access == pytest.approx(high)
    assert none.usd_per_month is not None
    assert between.usd_per_month is not None
    if objective == "usd":
        assert none.usd_per_month <= between.usd_per_month <= found.usd_per_month
    else:
        assert none.io_time_us_per_access is not None
        assert between.io_time_us_per_access is not None
        assert none.io_time_us_per_access <= between.io_time_us_per_access * (1 + 1e-9)
        assert between.io_time_us_per_access <= high * (1 + 1e-9)
        assert none.io_time_us_per_access <= low * (1 + 1e-9)
    same = choice_of(none) == choice_of(found)
    assert found.finding.endswith("If none is, the choice is the same.") == same
    if choice_of(between) == choice_of(found):
        assert between.io_time_us_per_access is not None
        assert low * (1 - 1e-9) <= between.io_time_us_per_access <= high * (1 + 1e-9)
    for each in found.systems:
        names = {held.name for held in each.workloads}
        # What depends on it has no number, and what does not has no range.
        assert ("peak_busy" in each.option.ranges) == (unknown[1].name in names)
        assert (each.option.peak_busy is None) == (unknown[1].name in names)


def test_what_the_dirty_pages_of_a_workload_are_worth_is_said() -> None:
    """Dear with writes, cheaper without: both choices, and what knowing the share would save at most."""
    orders, prices, _ = workloads()
    unknown = [without_writes(orders), prices]
    found = placement.answer(unknown, candidates=BUSY)
    none = placement.answer([with_share(unknown[0], 0.0), prices], candidates=BUSY)
    assert found.usd_per_month is not None
    assert none.usd_per_month is not None
    less = found.usd_per_month - none.usd_per_month
    assert less > 0
    assert found.finding.endswith(
        "The curve of orders does not say which evicted pages are dirty: the choice keeps every limit whatever their "
        "share, and what depends on it is given as a range. If none is, "
        f"{places(none.systems)} would do, for {money(less)} per month less: knowing the share is worth "
        "that at most."
    )
    [caution] = [each for each in found.cautions if each.code == "dirty_share_unknown"]
    assert caution.message.startswith("orders: the share of evicted pages")
    assert caution.could_change_choice
    assert f"at {money(none.usd_per_month)} per month" in caution.effect
    assert "as possible are dirty: the choice stays" in caution.effect
    # Both are unknown: the caution is of all, and the fewest writes are none.
    both = placement.answer(
        [without_writes(each) for each in (orders, prices)], candidates=BUSY
    )
    told = [each.message for each in both.warnings]
    assert DIRTY_SHARE_UNKNOWN.message in told
    assert "The curves of orders and prices do not say" in both.finding


def test_a_stated_write_share_bounds_what_can_be_dirty() -> None:
    """Of two curves that are alike but for their stated write shares, each has its own ends: they are no copies."""
    logs = without_writes(workloads()[2])

    def stated(share: float) -> Workload:
        given = Given("a test", data_known=True, write_share=share)
        return replace(logs, curve=replace(logs.curve, given=given, scaled=None))

    few, many = (
        placement.answer([stated(share)], candidates=FEW) for share in (0.01, 1.0)
    )
    assert ends_of(few)[0] == ends_of(many)[0]
    assert ends_of(few)[1] < ends_of(many)[1]
    assert few.placement_id != many.placement_id
    assert alike_of([stated(0.01), stated(1.0)]) == [0, 1]


def test_an_unknown_share_is_reported_in_two_passes() -> None:
    seen = []
    placement.answer(
        [without_writes(workloads()[2])],
        candidates=FEW,
        on_progress=lambda done, total: seen.append((done, total)) or True,
    )
    assert seen == [(0, 2), (1, 2), (1, 2), (2, 2)]


def test_totals_that_nothing_keeps_with_dirty_pages_are_those_of_the_most() -> None:
    orders, prices, _ = workloads()
    unknown = [without_writes(orders), prices]
    most = placement.answer(unknown, candidates=BUSY)
    none = placement.answer([with_share(unknown[0], 0.0), prices], candidates=BUSY)
    assert most.usd_per_month is not None
    assert none.usd_per_month is not None
    short = placement.answer(
        unknown,
        candidates=BUSY,
        constraints={"usd_per_month": most.usd_per_month - Decimal("0.01")},
    )
    assert short.systems == ()
    assert short.finding.startswith(
        "With as many evicted pages dirty as possible, no choice of systems keeps the limit on the cost per month for all of them together"
    )
    assert (
        f"if none is, {places(none.systems)} would keep every limit, at {money(none.usd_per_month)} per month"
        in short.finding
    )
    tight = placement.answer(unknown, candidates=BUSY, constraints={"usd_per_month": 1})
    assert tight.finding.endswith("nor does any choice keep every limit if none is.")
    assert (
        "With as many evicted pages dirty as possible, no choice of systems"
        in tight.finding
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"objective": "pareto"}, "objective: `pareto` is not one of usd, io_time"),
        ({"constraints": {"speed": 1}}, "speed"),
    ],
)
def test_bad_input_is_named(changed: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        placement.answer(workloads(), candidates=FEW, **changed)  # type: ignore[arg-type]


def test_too_many_and_several_machines_are_refused() -> None:
    logs = workloads()[2]
    many = [Workload(f"logs {at}", logs.curve, 1.0) for at in range(9)]
    with pytest.raises(BadInput, match="must be at most 8"):
        placement.answer(many)
    two = scale.answer(
        profile(Trace(recordings.TPCB)),
        Production(data_bytes=2**40, accesses_per_s=1e4, machines=2),
    ).profile.curve
    with pytest.raises(BadInput, match=r"pair\.machines: `2` must be 1"):
        placement.answer([Workload("pair", two, 5e3)])


def test_progress_can_stop_it() -> None:
    from tierwright.common.core_errors import Cancelled

    seen = []

    def stop(done: int, total: int) -> bool:
        seen.append((done, total))
        return done < 2

    with pytest.raises(Cancelled):
        placement.answer(workloads(), candidates=FEW, on_progress=stop)
    assert seen == [(0, 7), (1, 7), (2, 7)]


def test_a_system_that_is_too_small_early_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data that double in a year; the rate is stated anew, and the busiest hour is 2.5 times it as before."""
    found = profile(Trace(recordings.TPCB))
    made = scale.answer(
        found,
        Production(
            data_bytes=600 * 2**30,
            accesses_per_s=60_000.0,
            peak_accesses_per_s=150_000.0,
            growth_per_year=1.0,
        ),
    )
    path = tmp_path / "growing.json"
    path.write_text(made.profile.to_text())
    grown, still = (
        Workload("growing", made.profile.curve, 90_000.0),
        workloads()[2],
    )
    few = replace(FEW, max_machines=40)
    [alone] = placement.answer([grown], candidates=few, horizon_months=36).systems
    months = alone.option.months_until_too_small
    assert months is not None
    assert months < 36
    assert f"after {math.floor(months)} month" in alone.too_small
    assert "before the 36 months of the horizon are over" in alone.too_small
    placed = placement.answer([grown, still], candidates=few, horizon_months=36)
    [growing] = [
        each
        for each in placed.systems
        if "growing" in [held.name for held in each.workloads]
    ]
    assert growing.too_small[1:] in placed.finding
    if len(growing.workloads) > 1:
        assert "not computed of workloads that share" in growing.too_small
    else:
        assert growing.too_small == alone.too_small
    peaks = {
        held.name: held.peak_accesses_per_s
        for each in placed.systems
        for held in each.workloads
    }
    assert peaks["growing"] == pytest.approx(2.5 * 90_000)
    assert peaks["logs"] == pytest.approx(PEAKS[2])
    assert placement.answer([still], candidates=FEW).systems[0].too_small == ""
    capsys.readouterr()
    command = ["place", f"{path}=90000", "--months", "36"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "225,000" in shown
    assert "2.5 times the mean rate of growing, as its profile states" in shown
    assert "before the 36 months of the horizon are over" in shown


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert catalog.devices()
    names = []
    for name, data in (("orders", "600GiB@4000"), ("prices", "40GiB@9000")):
        recorded, scaled = tmp_path / "recorded.json", tmp_path / f"{name}.json"
        size, rate = data.split("@")
        assert main(["profile", str(recordings.TPCB), "-o", str(recorded)]) == 0
        command = ["scale", str(recorded), "--data", size]
        assert main([*command, "--accesses-per-second", rate, "-o", str(scaled)]) == 0
        names.append(str(scaled))
    capsys.readouterr()
    assert main(["place", *names, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {
        held["name"] for each in found["systems"] for held in each["workloads"]
    } == {
        "orders",
        "prices",
    }
    rows = [row for each in found["systems"] for row in each["option"]["bill"]]
    total = sum(Decimal(str(row["usd_per_month"])) for row in rows)
    assert total == Decimal(str(found["usd_per_month"]))
    assert main(["place", *names]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Place ")
    assert main(["place", *names, "--constraint", "usd_per_month=1"]) == 3
    told = capsys.readouterr().out
    assert "No choice of systems keeps the limit on the cost per month" in told
    assert f"at least {total:,.2f} USD" in told


PM9A3_TB = 7.68 * 1.3 * 365 * 5
"""Rated writes of the drive of 7.68 TB: its space 1.3 times a day for five years. [TB]"""
LASTING = replace(DEVICES_ALONE, devices=("samsung-pm9a3-7.68tb-u2",))


def growing_pair(*growths: float) -> tuple[Workload, ...]:
    """Workloads of one machine that differ in nothing but the growth of data and load."""
    found = profile(Trace(recordings.TPCB))
    return tuple(
        Workload(
            f"growing {growth}",
            scale.answer(
                found,
                Production(
                    data_bytes=100 * 2**30,
                    accesses_per_s=60_000.0,
                    growth_per_year=growth,
                ),
            ).profile.curve,
            60_000.0,
        )
        for growth in growths
    )


def on_one_system(*growths: float, **limits: float) -> placement.System:
    [system] = placement.answer(
        growing_pair(*growths),
        candidates=LASTING,
        prices=book(**PRICES),
        # Little RAM, so that more devices keep a limit on their life and not more RAM.
        constraints={"machines": 1, "ram_bytes": 100 * 2**20, **limits},
    ).systems
    assert len(system.workloads) == len(growths)
    return system


def years_of_one(system: placement.System, *growths: float) -> float:
    """Life of one device by what its system writes back today: rated writes over those of a year."""
    pair = [replace(each, curve=each.curve.steady()) for each in growing_pair(*growths)]
    curve = composed_curve(pair) if len(pair) > 1 else pair[0].curve
    [backs] = curve.write_backs([system.option.ram_bytes // curve.page_bytes])
    rate = sum(each.accesses_per_s for each in pair)
    tb_per_year = backs / curve.accesses * rate * curve.page_bytes * 365 * 86_400 / 1e12
    return float(PM9A3_TB / tb_per_year)


def years_used(years: float, growth: float) -> float:
    """Sum, day by day, the writes of so many years of growth, in years at the rate of today."""
    days = round(years * 365)
    return sum((1 + growth) ** ((day + 0.5) / 365) for day in range(days)) / 365


def test_flash_that_workloads_share_wears_as_their_loads_grow() -> None:
    """What is written grows by a fifth each year, for one workload and for two on one system alike."""
    growth = 0.2
    both = growth, growth
    grown = on_one_system(*both)
    of_one, said = years_of_one(grown, *both), grown.option.flash_life_years
    assert said is not None
    assert grown.option.disks == 1
    assert said == pytest.approx(
        math.log(1 + of_one * math.log(1.2)) / math.log(1.2), rel=1e-6
    )
    assert years_used(said, growth) == pytest.approx(of_one, rel=1e-2)
    assert said < 0.9 * of_one
    assert "lower bound" not in grown.too_small
    # Between its life at the load of today and that under growth one device does not do, nor four for four times as long.
    for limit in ((said + of_one) / 2, 4 * of_one):
        limited = on_one_system(*both, flash_life_years=limit)
        budget = limited.option.disks * years_of_one(limited, *both)
        assert years_used(limit, growth) <= budget * 1.01
        life = limited.option.flash_life_years
        assert life is not None
        assert life >= limit
        assert years_used(life, growth) == pytest.approx(budget, rel=1e-2)
    assert limited.option.disks > 4
    alone = on_one_system(growth)
    life = alone.option.flash_life_years
    assert life is not None
    assert years_used(life, growth) == pytest.approx(
        years_of_one(alone, growth), rel=1e-2
    )


def test_a_life_of_loads_that_grow_apart_is_a_lower_bound_and_says_so() -> None:
    apart = on_one_system(0.0, 0.2)
    of_one, said = years_of_one(apart, 0.0, 0.2), apart.option.flash_life_years
    assert said is not None
    assert said == pytest.approx(
        math.log1p(of_one * math.log(1.2)) / math.log(1.2), rel=1e-6
    )
    # Whatever share of the writes grows, no more is written until then than the device endures.
    for grows in (0.0, 0.5, 1.0):
        used = (1 - grows) * said + grows * years_used(said, 0.2)
        assert used <= of_one * 1.01
    words = (
        "The life of its flash is a lower bound, computed as if the load of all its workloads grew by 20 % a year, as that of "
        "growing 0.2 does."
    )
    assert words in apart.too_small
    assert words not in on_one_system(0.2, 0.2).too_small
