"""What to cache: counts by category, the knapsack and the answer, each against something slow and obvious."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import recordings
from command import run
from hypothesis import example, given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise import cachesack
from tierwright.advise.checks import cachesack as checks
from tierwright.advise.checks.checked import Checked
from tierwright.catalogue.vectors.conformance import FORMULAS
from tierwright.common.currency import money
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import duration, percent
from tierwright.evaluate import cachesack as evaluated
from tierwright.evaluate.cachesack import (
    WORTH_A_CHANGE,
    choose,
    knapsack,
    served,
    uniform,
    with_more,
)
from tierwright.evaluate.ram_tax import tax_of_replay
from tierwright.hardware import catalog
from tierwright.profile import categories
from tierwright.profile.categories import ADMISSIONS, CategoryCounts
from tierwright.simulate.replay import Replay, contenders, replay
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
TPCC = Trace(ROOT / "fixtures" / "traces" / "tpcc-20w-cut.csv.zst")
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("toshiba-mg10-20tb")
PRICES = catalog.price_book("street-2026-q3")


class Access(NamedTuple):
    """One access of a trace."""

    relation: str
    block: int
    write: bool


class Request(NamedTuple):
    """One request below RAM."""

    page: tuple[str, int]
    write: bool
    category: str


accesses = st.lists(
    st.builds(Access, st.sampled_from(["a", "b"]), st.integers(0, 5), st.booleans()),
    min_size=1,
    max_size=70,
)


def written(path: Path, given: Sequence[Access], apart_us: int = 1) -> Trace:
    rows = (
        f"{at * apart_us},{'RW'[one.write]},{one.relation},{one.block}\n"
        for at, one in enumerate(given)
    )
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return Trace(path)


def below_ram(
    given: Sequence[Access], ram_pages: int, category: Callable[[int, Access], str]
) -> list[Request]:
    """Return the misses of an LRU RAM, and its changed victims behind them, each of the category of its last access."""
    ram: OrderedDict[tuple[str, int], bool] = OrderedDict()
    made = []
    of: dict[tuple[str, int], str] = {}
    for at, one in enumerate(given):
        page = (one.relation, one.block)
        of[page] = category(at, one)
        if page in ram:
            ram.move_to_end(page)
        else:
            made.append(Request(page, write=False, category=of[page]))
            if len(ram) == ram_pages:
                victim, changed = ram.popitem(last=False)
                if changed:
                    made.append(Request(victim, write=True, category=of[victim]))
            ram[page] = False
        ram[page] = ram[page] or one.write
    return made


def lived(
    requests: Sequence[Request], admission: str, age: int
) -> dict[str, dict[str, float]]:
    """Serve the requests by a flash of any size that each page leaves `age` after its last request.

    A page on flash is of the category of its last request, and so is the read that finds it there.
    """
    end = len(requests)
    last: dict[tuple[str, int], int] = {}
    of: dict[tuple[str, int], str] = {}
    on_flash: set[tuple[str, int]] = set()
    found: dict[str, dict[str, float]] = {
        one.category: {"hits": 0, "writes": 0, "held": 0} for one in requests
    }
    for at in range(1, end + 1):
        page, write, category = requests[at - 1]
        row = found[category]
        since = at - last[page] if page in last else end + 1
        held = page in on_flash and since <= age
        on_flash.discard(page)
        if write:
            enters = held or admission == "write"
            found[of[page] if admission != "write" else category]["writes"] += enters
        else:
            enters = {
                "second_miss": since <= age,
                "miss": True,
                "write": True,
                "never": False,
            }[admission]
            if held:
                found[of[page]]["hits"] += 1
            row["writes"] += enters and not held
        if enters:
            on_flash.add(page)
        last[page] = at
        of[page] = category
        # Until `age` nothing could have left: what is held on average counts from there.
        if at >= age and at < end:
            for each in on_flash:
                if at + 1 - last[each] <= age:
                    found[of[each]]["held"] += 1 / (end - age)
    if age >= end:
        for each in on_flash:
            found[of[each]]["held"] += 1
    return found


@pytest.mark.oracle("profile.categories.measured")
@pytest.mark.oracle("profile.categories.of_core")
@pytest.mark.formula("profile.categories.measured")
@pytest.mark.formula("profile.categories.of_core")
@pytest.mark.parametrize("kind", ["relation", "hour"])
@given(given=accesses, ram_pages=st.integers(1, 4))
def test_counts_by_category_are_those_of_a_slow_replay(
    kind: str,
    given: list[Access],
    ram_pages: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    # Of hours a page changes its category from one request to the next.
    trace = written(folder / "trace.csv", given, apart_us=1_400_000_000)
    counts = categories.measured(trace, ram_pages, kind=kind)
    stored = categories.of_core(
        categories.counted(trace, ram_pages, kind=kind), ram_pages
    )
    assert np.array_equal(stored.writes, counts.writes)

    def category(at: int, one: Access) -> str:
        hour = at * 1400 // 3600 % 24
        return (
            one.relation
            if kind == "relation"
            else f"{hour:02d}:00 to {hour + 1:02d}:00"
        )

    requests = below_ram(given, ram_pages, category)
    assert counts.requests == len(requests) == counts.ages[-1]
    for row, each in enumerate(counts.categories):
        own = [one for one in requests if one.category == each.name]
        assert each.reads == sum(not one.write for one in own)
        assert each.writes == sum(one.write for one in own)
        for place, age in enumerate(counts.ages.tolist()):
            for option, admission in enumerate(ADMISSIONS):
                expected = lived(requests, admission, age)[each.name]
                where = (each.name, admission, age)
                assert counts.hits[row, option, place] == expected["hits"], where
                assert counts.writes[row, option, place] == expected["writes"], where
                held = counts.held[row, option, place]
                assert held == pytest.approx(expected["held"], abs=1e-9), where


def test_categories_are_what_the_core_lists() -> None:
    assert [each["name"] for each in categories.kinds()] == ["relation", "size", "hour"]
    with pytest.raises(_simulator.ParameterError, match="no such categories"):
        categories.measured(TPCC, 10, kind="colour")


def test_hours_and_sizes_tell_accesses_apart(tmp_path: Path) -> None:
    rows = "".join(f"{at * 1800},r,{4096 * at},{4096 * (at + 1)}\n" for at in range(6))
    path = tmp_path / "sizes.csv"
    path.write_text("time,op,offset,bytes\n" + rows)
    trace = Trace(path, format="csv", columns=COLUMNS)
    by_size = categories.measured(trace, 1, kind="size")
    assert [one.name for one in by_size.categories] == [
        "1 page",
        "2 to 3 pages",
        "4 to 7 pages",
    ]
    by_hour = categories.measured(trace, 1, kind="hour")
    assert [one.name for one in by_hour.categories] == [
        "00:00 to 01:00",
        "01:00 to 02:00",
        "02:00 to 03:00",
    ]


@pytest.mark.oracle("profile.categories.grouped")
@pytest.mark.formula("profile.categories.grouped")
@given(most=st.integers(1, 40))
def test_categories_of_few_requests_are_counted_together(
    tpcc: CategoryCounts, most: int
) -> None:
    few, places = categories.grouped(tpcc, most)
    if most >= 32:
        assert few is tpcc
        assert places.tolist() == list(range(32))
        return
    assert len(few.categories) == most + 1
    asked = [one.reads + one.writes for one in tpcc.categories]
    apart = [at for at, place in enumerate(places) if place < most]
    assert sorted(asked, reverse=True)[:most] == sorted(
        (asked[at] for at in apart), reverse=True
    )
    assert [few.categories[places[at]] for at in apart] == [
        tpcc.categories[at] for at in apart
    ]
    for name in ("reads", "writes", "pages"):
        assert sum(getattr(one, name) for one in few.categories) == sum(
            getattr(one, name) for one in tpcc.categories
        )
    # Admitted alike, they are served alike.
    for name in ADMISSIONS:
        one, other = (
            served(each, uniform(each, name), 8000, read_usd=1.0, write_usd=0.1)
            for each in (tpcc, few)
        )
        assert other.usd == pytest.approx(one.usd)
        assert other.age == pytest.approx(one.age)


def pure(space: np.ndarray, cost: np.ndarray, capacity: float) -> float:
    """Cost of the best assignment without mixtures, by trying all."""
    rows = range(space.shape[0])
    return min(
        sum(cost[row, option] for row, option in zip(rows, options, strict=True))
        for options in itertools.product(range(space.shape[1]), repeat=space.shape[0])
        if sum(space[row, option] for row, option in zip(rows, options, strict=True))
        <= capacity + 1e-9
    )


def programme(space: np.ndarray, cost: np.ndarray, capacity: float) -> float:
    """Cost of the linear programme, by a solver."""
    from scipy.optimize import linprog

    rows, options = space.shape
    one = np.zeros((rows, rows * options))
    for row in range(rows):
        one[row, row * options : (row + 1) * options] = 1.0
    found = linprog(
        cost.ravel(),
        A_ub=[space.ravel()],
        b_ub=[capacity],
        A_eq=one,
        b_eq=np.ones(rows),
    )
    assert found.success
    return float(found.fun)


options_of = st.lists(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 50)), min_size=3, max_size=3),
    min_size=1,
    max_size=4,
)


@pytest.mark.formula("mod.caching_knapsack")
@given(
    each=options_of,
    first=st.integers(0, 60),
    capacity=st.integers(0, 60),
    rent=st.sampled_from([0.0, 0.3, 1.7, 40.0]),
)
@example(
    # Two steps on one line, of which rounding turns the second one steeper.
    each=[[(0, 0)] * 3, [(8, 4), (9, 0), (9, 0)]],
    first=36,
    capacity=0,
    rent=0.3,
)
def test_the_knapsack_is_the_linear_programme_and_no_pure_assignment_is_better(
    each: list[list[tuple[int, int]]], first: int, capacity: int, rent: float
) -> None:
    space = np.array([[0, *(one[0] for one in row)] for row in each], dtype=np.float64)
    cost = np.array(
        [[first, *(one[1] for one in row)] for row in each], dtype=np.float64
    )
    found = knapsack(space, cost, float(capacity), rent)
    rows = [
        {"category": at, "space": float(held), "cost": float(paid)}
        for at in range(len(each))
        for held, paid in zip(space[at], cost[at], strict=True)
    ]
    asked = FORMULAS["mod.caching_knapsack"](
        {"options": rows, "capacity": capacity, "rent": rent}
    )
    cost = cost + rent * space
    assert asked["shares"] == found.shares.ravel().tolist()
    assert (asked["cost"], asked["price"]) == (found.cost, found.price)
    assert found.cost == pytest.approx(programme(space, cost, capacity), abs=1e-6)
    assert found.cost <= pure(space, cost, capacity) + 1e-9
    assert found.space <= capacity + 1e-9
    assert np.allclose(found.shares.sum(axis=1), 1.0)
    assert (found.shares >= 0).all()
    # One category at most is mixed.
    assert ((found.shares > 1e-12).sum(axis=1) > 1).sum() <= 1
    # Where nothing is mixed, at a corner of the hulls, it is the best pure assignment.
    if ((found.shares > 1e-12).sum(axis=1) == 1).all():
        assert found.cost == pytest.approx(pure(space, cost, capacity), abs=1e-9)


def test_the_price_of_space_is_what_one_more_unit_saves() -> None:
    draw = np.random.default_rng(3)
    space = np.hstack([np.zeros((6, 1)), draw.uniform(1, 9, (6, 3)).cumsum(axis=1)])
    cost = -np.sqrt(space) * draw.uniform(1, 5, (6, 1))
    for capacity in (3.0, 20.0, 60.0):
        now = knapsack(space, cost, capacity)
        more = knapsack(space, cost, capacity + 1e-6)
        assert (now.cost - more.cost) / 1e-6 == pytest.approx(now.price, rel=1e-3)
    assert knapsack(space, cost, 1e9).price == 0.0


@pytest.mark.parametrize(
    ("space", "cost", "capacity", "said"),
    [
        ([[0.0, 1.0]], [[1.0]], 1.0, "shape"),
        ([[1.0, 1.0]], [[1.0, 1.0]], 1.0, "first option takes some"),
        ([[0.0, -1.0]], [[1.0, 1.0]], 1.0, "not negative"),
        ([[0.0, 1.0]], [[1.0, float("nan")]], 1.0, "cost"),
        ([[0.0, 1.0]], [[1.0, 1.0]], -1.0, "capacity"),
        ([[0.0, 1.0]], [[1.0, 1.0]], (1.0, -1.0), "rent"),
    ],
)
def test_a_knapsack_refuses_what_is_no_choice(
    space: list[list[float]],
    cost: list[list[float]],
    capacity: float | tuple[float, float],
    said: str,
) -> None:
    limits = capacity if isinstance(capacity, tuple) else (capacity,)
    with pytest.raises(BadInput, match=said):
        knapsack(np.array(space), np.array(cost), *limits)


@pytest.fixture(scope="module")
def tpcc() -> CategoryCounts:
    return categories.measured(TPCC, 1000)


def counted(trace: Trace, counts: CategoryCounts, shares: Any, flash: int) -> Any:
    return replay(
        trace,
        "flash_cache",
        "cachesack",
        counts.ram_pages,
        flash,
        options={
            "categories": counts.kind,
            "assignment": cachesack.assignment(counts, shares),
        },
    )


@pytest.mark.oracle("evaluate.cachesack.served")
@pytest.mark.oracle("evaluate.cachesack.uniform")
@pytest.mark.oracle("evaluate.cachesack.choose")
@pytest.mark.oracle("advise.cachesack.assignment")
@pytest.mark.parametrize("flash", [500, 4000, 16_000])
@pytest.mark.parametrize("write_usd", [0.0, 0.3])
def test_the_model_is_within_5_percent_of_its_replay(
    tpcc: CategoryCounts, flash: int, write_usd: float
) -> None:
    chosen = choose(tpcc, flash, read_usd=1.0, write_usd=write_usd)
    for each in (chosen.best, *chosen.uniform.values()):
        found = counted(TPCC, tpcc, each.shares, flash)
        reads = tpcc.reads.sum() - each.hits.sum()
        assert reads == pytest.approx(found["flash_misses"], rel=0.05)
        assert each.hits.sum() == pytest.approx(found["flash_hits"], rel=0.05, abs=20)
        assert each.writes.sum() == pytest.approx(
            found["flash_writes"], rel=0.05, abs=20
        )
        assert each.held.sum() <= flash * 1.0001


@pytest.mark.costly(10)
@pytest.mark.formula("evaluate.cachesack.choose")
@pytest.mark.formula("evaluate.cachesack.served")
@pytest.mark.formula("evaluate.cachesack.uniform")
@pytest.mark.formula("advise.cachesack.assignment")
@given(
    flash=st.integers(1, 60_000), write_usd=st.floats(0, 3), seed=st.integers(0, 2**31)
)
def test_no_assignment_that_is_tried_is_cheaper_than_the_choice(
    tpcc: CategoryCounts, flash: int, write_usd: float, seed: int
) -> None:
    chosen = choose(tpcc, flash, read_usd=1.0, write_usd=write_usd)
    draw = random.Random(seed)
    for name in ADMISSIONS:
        alike = served(
            tpcc, uniform(tpcc, name), flash, read_usd=1.0, write_usd=write_usd
        )
        assert chosen.best.usd <= alike.usd * (1 + 1e-9)
    for _ in range(5):
        # Neighbours of the choice: one category admitted otherwise.
        shares = chosen.best.shares.copy()
        row = draw.randrange(len(shares))
        shares[row] = 0.0
        shares[row, draw.randrange(4)] = 1.0
        other = served(tpcc, shares, flash, read_usd=1.0, write_usd=write_usd)
        assert chosen.best.usd * (1 - WORTH_A_CHANGE) <= other.usd
    text = cachesack.assignment(tpcc, chosen.best.shares)
    parts = text.split("+")
    assert len(parts) <= len(tpcc.categories) + 1
    assert {part.split(":")[-1].split("*")[0] for part in parts} <= set(ADMISSIONS)


def improved_one_by_one(
    counts: CategoryCounts, shares: np.ndarray, flash: int, **prices: float
) -> np.ndarray:
    """Try each admission of each category in turn, from the first on, until none of a whole round saves enough."""
    rows, unchanged, row = len(shares), 0, 0
    usd = served(counts, shares, flash, **prices).usd
    while unchanged < rows:
        unchanged += 1
        for kind in np.eye(4):
            other = shares.copy()
            other[row] = kind
            found = served(counts, other, flash, **prices).usd
            if found < usd * (1 - WORTH_A_CHANGE):
                shares, usd, unchanged = other, found, 0
        row = (row + 1) % rows
    return shares


@pytest.mark.parametrize("at_once", [1, 5, 64])
@pytest.mark.parametrize("name", ADMISSIONS)
def test_categories_are_admitted_otherwise_as_one_by_one(
    tpcc: CategoryCounts, monkeypatch: pytest.MonkeyPatch, name: str, at_once: int
) -> None:
    monkeypatch.setattr(evaluated, "_TRIED_AT_ONCE", at_once)
    costs = tpcc.reads[:, None, None] - tpcc.hits + 0.1 * tpcc.writes
    start = uniform(tpcc, name)
    found = evaluated._improved(tpcc, costs, start, 8000)
    slow = improved_one_by_one(tpcc, start, 8000, read_usd=1.0, write_usd=0.1)
    assert np.array_equal(found, slow)
    assert not np.array_equal(found, start)


def test_flash_that_holds_all_admits_all_where_writes_are_free(
    tpcc: CategoryCounts,
) -> None:
    chosen = choose(tpcc, 60_000, read_usd=1.0, write_usd=0.0)
    assert chosen.best.usd == chosen.uniform["write"].usd
    prices = {"read_usd": 1.0, "write_usd": 0.0}
    assert with_more(tpcc, chosen, 60_000, 600, **prices).saved_usd == 0.0


def test_nothing_is_cached_where_writes_cost_more_than_they_save(
    tpcc: CategoryCounts,
) -> None:
    chosen = choose(tpcc, 4000, read_usd=1.0, write_usd=1e9)
    assert chosen.best.usd == chosen.uniform["never"].usd
    assert chosen.best.writes.sum() == 0


@pytest.mark.formula("evaluate.cachesack.choose")
@given(
    given=accesses,
    ram_pages=st.integers(1, 3),
    flash=st.integers(1, 8),
    write_usd=st.sampled_from([0.0, 0.2, 2.0]),
    rent=st.sampled_from([1e-9, 0.05, 0.3, 1.0, 50.0]),
)
def test_rent_is_chosen_with_as_the_linear_programmes_of_all_lifetimes(
    given: list[Access],
    ram_pages: int,
    flash: int,
    write_usd: float,
    rent: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Of every flash that is no larger, and every assignment at the lifetime that it has there, none costs less."""
    trace = written(tmp_path_factory.mktemp("rent") / "trace.csv", given)
    counts = categories.measured(trace, ram_pages)
    prices = {"read_usd": 1.0, "write_usd": write_usd}
    chosen = choose(counts, flash, **prices, rent_usd=rent)
    free = choose(counts, flash, **prices)
    costs = (counts.reads[:, None, None] - counts.hits) + write_usd * counts.writes
    held = np.maximum.accumulate(counts.held, axis=2)
    optima = [
        programme(
            held[:, :, place],
            costs[:, :, place] + rent * held[:, :, place],
            free.best.taken,
        )
        for place in range(counts.ages.size)
    ]
    others = [
        each.usd + rent * each.taken
        for each in (free.best, *free.uniform.values())
        if each.taken <= free.best.taken
    ]
    assert chosen.best.usd == pytest.approx(min([*optima, *others]), abs=1e-6)
    # Without mixtures, by trying all.
    for place in range(counts.ages.size):
        least = pure(
            held[:, :, place],
            costs[:, :, place] + rent * held[:, :, place],
            free.best.taken,
        )
        assert chosen.best.usd <= least + 1e-9
    best = chosen.best
    parts = counts.reads.sum() - best.hits.sum() + write_usd * best.writes.sum()
    assert best.usd == pytest.approx(parts + rent * best.taken)
    assert best.taken <= free.best.taken * (1 + 1e-9)


@pytest.mark.costly(10)
@pytest.mark.formula("evaluate.cachesack.choose")
@given(
    flash=st.integers(1, 60_000),
    write_usd=st.floats(0, 3),
    rents=st.tuples(st.floats(0, 20), st.floats(0, 20)),
)
def test_more_rent_never_takes_more_flash(
    tpcc: CategoryCounts, flash: int, write_usd: float, rents: tuple[float, float]
) -> None:
    low, high = (
        choose(tpcc, flash, read_usd=1.0, write_usd=write_usd, rent_usd=rent).best
        for rent in sorted(rents)
    )
    assert high.taken <= low.taken * (1 + 1e-9)
    assert high.usd >= low.usd * (1 - 1e-9)
    assert low.taken <= flash


@pytest.mark.formula("evaluate.cachesack.with_more")
@given(
    given=accesses,
    ram_pages=st.integers(1, 3),
    flash=st.integers(1, 8),
    more=st.sampled_from([0.01, 1.0, 5.0]),
    write_usd=st.sampled_from([0.0, 0.2, 2.0]),
    rent=st.sampled_from([0.0, 0.05, 1.0, 50.0]),
)
def test_more_flash_never_costs_more_and_saves_no_more_than_the_rent_it_is_left_for(
    given: list[Access],
    ram_pages: int,
    flash: int,
    more: float,
    write_usd: float,
    rent: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    trace = written(tmp_path_factory.mktemp("more") / "trace.csv", given)
    counts = categories.measured(trace, ram_pages)
    prices = {"read_usd": 1.0, "write_usd": write_usd}
    chosen = choose(counts, flash, **prices, rent_usd=rent)
    found = with_more(counts, chosen, flash, more, **prices, rent_usd=rent)
    best = chosen.best
    parts = counts.reads.sum() - best.hits.sum() + write_usd * best.writes.sum()
    assert found.usd_now == pytest.approx(parts)
    assert found.saved_usd >= 0
    free = choose(counts, flash + more, **prices).best
    most = choose(counts, flash, **prices).best.taken
    if rent == 0:
        assert found.usd == pytest.approx(min(best.usd, free.usd))
    elif best.taken + more <= most:
        assert found.saved_usd <= more * rent * (1 + 1e-9) + 1e-9
    elif best.taken == flash:
        assert found.usd <= free.usd + 1e-9


def test_flash_that_is_taken_saves_its_rent_and_what_is_left_would_not(
    tpcc: CategoryCounts,
) -> None:
    """What another page saves lies on the side of the rent that the choice says."""
    prices = {"read_usd": 1.0, "write_usd": 0.1}
    sizes = []
    for rent in (0.0, 0.5, 2.0, 6.0, 1e6):
        found = choose(tpcc, 16_000, **prices, rent_usd=rent)
        sizes.append(found.best.taken)
        for pages in (1, 160):
            more = with_more(tpcc, found, 16_000, pages, **prices, rent_usd=rent)
            assert more.pages == found.best.taken + pages
            if found.best.taken < 16_000:
                assert 0 < more.saved_usd <= pages * rent
            else:
                assert more.saved_usd > pages * rent
        by_itself = served(
            tpcc, found.best.shares, found.best.taken, **prices, rent_usd=rent
        )
        if found.best.taken:
            assert found.best.usd == pytest.approx(by_itself.usd, rel=1e-6)
    assert sizes[0] == 16_000
    assert 0 < sizes[2] < 16_000
    assert sizes[-1] == 0


def test_without_rent_the_choice_is_as_where_flash_is_bought(
    tpcc: CategoryCounts,
) -> None:
    for flash in (500, 8000, 60_000):
        one = choose(tpcc, flash, read_usd=1.0, write_usd=0.1)
        other = choose(tpcc, flash, read_usd=1.0, write_usd=0.1, rent_usd=0.0)
        assert np.array_equal(one.best.shares, other.best.shares)
        assert (one.best.usd, one.best.age) == (other.best.usd, other.best.age)


def one_by_one(
    counts: CategoryCounts, flash_pages: float, *, read_usd: float, write_usd: float
) -> evaluated.Served:
    """Choose as `choose` says that it does, each lifetime by itself."""

    def at(shares: Any) -> evaluated.Served:
        return served(
            counts, shares, flash_pages, read_usd=read_usd, write_usd=write_usd
        )

    costs = (counts.reads[:, None, None] - counts.hits) * read_usd
    costs = costs + counts.writes * write_usd
    best = min(
        (at(uniform(counts, name)) for name in ADMISSIONS), key=lambda each: each.usd
    )
    for place in range(counts.ages.size):
        packed = knapsack(counts.held[:, :, place], costs[:, :, place], flash_pages)
        found = at(packed.shares)
        if found.usd * (1 + 1e-12) < best.usd:
            best = found
    return best


@pytest.mark.oracle("evaluate.cachesack.choose")
@pytest.mark.parametrize("flash_pages", [1, 40, 500, 3000, 8000, 30_000, 60_000])
@pytest.mark.parametrize("write_usd", [0.0, 0.02, 0.7, 5.0])
def test_what_is_not_served_one_by_one_would_not_have_been_chosen(
    tpcc: CategoryCounts,
    flash_pages: int,
    write_usd: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To the last bit: sums of all lifetimes at once only say which of them need not be looked at."""
    prices = {"read_usd": 1.0, "write_usd": write_usd}
    # What is refined behind the cheapest lifetime is left out of both.
    monkeypatch.setattr(evaluated, "_MOST_REFINEMENTS", 0)
    monkeypatch.setattr(evaluated, "_improved", lambda _c, _u, shares, _f: shares)
    own = one_by_one(tpcc, flash_pages, **prices)
    best = choose(tpcc, flash_pages, **prices).best
    assert np.array_equal(best.shares, own.shares)
    assert (best.usd, best.age, best.taken) == (own.usd, own.age, own.taken)


def test_counts_that_were_priced_are_chosen_among_as_often_as_is_asked(
    tpcc: CategoryCounts,
) -> None:
    prices = {"read_usd": 1.0, "write_usd": 0.1}
    priced = evaluated.Priced(tpcc, **prices)
    for flash, rent in ((500, 0.0), (8000, 0.0), (8000, 2.0), (500, 0.0)):
        given = {**prices, "rent_usd": rent}
        one = choose(tpcc, flash, **given, priced=priced)
        other = choose(tpcc, flash, **given)
        assert np.array_equal(one.best.shares, other.best.shares)
        assert one.best.usd == other.best.usd
        assert with_more(tpcc, one, flash, 80, **given, priced=priced) == with_more(
            tpcc, other, flash, 80, **given
        )


def answered(counts: CategoryCounts, **given: Any) -> cachesack.WhatToCache:
    asked = {"flash_pages": 8000, "flash": FLASH, "disk": DISK, "prices": PRICES}
    return cachesack.answer(counts, **{**asked, **given})


@pytest.mark.oracle("advise.cachesack.answer")
@pytest.mark.oracle("advise.checks.cachesack.check")
@pytest.mark.oracle("advise.checks.cachesack.replayed")
@pytest.mark.oracle("advise.checks.cachesack.wanted")
def test_money_is_counters_times_prices(tpcc: CategoryCounts) -> None:
    found = answered(tpcc)
    # 22.2 USD a month for a disk that serves a read in some ms; 5,786 USD for 18,221 TB written.
    assert found.charges.usd_per_tb_written == pytest.approx(5786 / 18221, rel=1e-3)
    counters = counted(TPCC, tpcc, choose_shares(found, tpcc), found.flash_pages)
    seconds = tpcc.duration_s or 0.0
    a_month = 730 * 3600 / seconds
    by_hand = a_month * (
        counters["flash_misses"] * found.charges.usd_per_billion_reads / 1e9
        + counters["flash_writes"] * 8192 * found.charges.usd_per_tb_written / 1e12
    )
    assert found.chosen.usd_per_month == pytest.approx(by_hand, rel=0.01)

    def run_one(asked: Replay) -> dict[str, Any]:
        return replay(
            TPCC,
            asked.family,
            asked.name,
            asked.ram_pages,
            asked.flash_pages,
            options=asked.options,
            warm_up=asked.warm_up,
        )

    checked = checks.replayed(found, run_one)
    [cost] = [
        row for row in checked.rows if (row.of, row.figure) == ("by_category", "cost")
    ]
    assert cost.simulated == pytest.approx(by_hand, rel=1e-9)
    assert max(abs(row.gap_relative or 0) for row in checked.rows) < 0.05
    assert "within 5.00 %" in checked.finding
    assert "not within" not in checked.finding
    rows = sum(row.usd_per_month for row in found.rows)
    assert {row.flash_usd_per_month for row in found.rows} == {0.0}
    assert rows == pytest.approx(found.chosen.usd_per_month)
    assert sum(row.saved_usd_per_month for row in found.rows) == pytest.approx(
        found.saved_usd_per_month
    )


def at_price(counts: CategoryCounts, usd: float, **given: Any) -> Any:
    """Answer where flash is paid by size, at a price of a GiB and month."""
    return answered(counts, flash_paid="by_size", usd_per_gib_month=usd, **given)


def test_flash_that_is_paid_by_size_is_part_of_the_cost(tpcc: CategoryCounts) -> None:
    whole = answered(tpcc)
    free = at_price(tpcc, 0.0)
    assert free.chosen.usd_per_month == whole.chosen.usd_per_month
    assert free.chosen.assignment == whole.chosen.assignment
    taken = []
    for usd in (0.0, 1000.0, 20_000.0, 60_000.0, 1e9):
        found = at_price(tpcc, usd)
        chosen = found.chosen
        taken.append(chosen.flash_pages)
        assert chosen.usd_per_month == pytest.approx(
            chosen.read_usd_per_month
            + chosen.write_usd_per_month
            + chosen.flash_usd_per_month
        )
        assert chosen.flash_usd_per_month == pytest.approx(
            chosen.flash_pages * 8192 / 2**30 * usd
        )
        every_miss = found.every_miss
        assert every_miss.flash_usd_per_month == pytest.approx(
            8000 * 8192 / 2**30 * usd
        )
        assert found.saved_usd_per_month == pytest.approx(
            every_miss.usd_per_month - chosen.usd_per_month
        )
        assert sum(row.usd_per_month for row in found.rows) == pytest.approx(
            chosen.usd_per_month
        )
        assert sum(row.flash_usd_per_month for row in found.rows) == pytest.approx(
            chosen.flash_usd_per_month
        )
    assert taken == sorted(taken, reverse=True)
    assert taken[0] == 8000
    assert taken[-1] == 0
    assert 0 < taken[2] < 8000


def test_the_finding_says_how_much_flash_is_worth_its_price(
    tpcc: CategoryCounts,
) -> None:
    cheap = at_price(tpcc, 10.0)
    assert "less than if every miss enters all of 62.5 MiB" in cheap.finding
    assert "All of 62.5 MiB of flash is worth its price, " in cheap.finding
    assert "more than its price of " in cheap.finding
    dear = at_price(tpcc, 20_000.0)
    size = format_bytes(round(dear.chosen.flash_pages) * 8192)
    assert f"{size} of 62.5 MiB of flash is worth its price, " in dear.finding
    assert "wear and price of flash" in dear.finding
    assert "less than its price of " in dear.finding
    out = at_price(tpcc, 1e9)
    assert out.finding.startswith("Nothing is worth caching at these prices")
    assert "No flash is worth its price; another " in out.finding
    whole = answered(tpcc)
    assert "worth its price" not in whole.finding
    # No size is written as 0 B where a part of a page would still pay.
    parts = [at_price(tpcc, usd) for usd in (2e5, 4e5, 8e5)]
    assert {0 < each.chosen.flash_pages < 1 for each in parts} == {True, False}
    for each in parts:
        assert "0 B of" not in each.finding


@pytest.mark.oracle("advise.cachesack.answer")
@pytest.mark.oracle("evaluate.cachesack.with_more")
@pytest.mark.parametrize(
    ("name", "kind", "sizes"),
    [
        ("tpcc", "relation", (100, 2000, 8000, 16_000, 40_000, 60_000)),
        ("tpcc", "hour", (2000, 16_000, 30_000)),
        ("sizes", "size", (100, 500, 2000, 4000)),
        ("scans", "hour", (100, 500, 2000, 20_000)),
    ],
)
def test_more_flash_saves_by_how_much_the_answer_with_it_costs_less(
    tpcc: CategoryCounts,
    tmp_path: Path,
    name: str,
    kind: str,
    sizes: Sequence[int],
) -> None:
    """Each is asked twice, at its size and at one per cent more, bought whole and by size."""
    if name != "tpcc":
        counts = categories.measured(made_trace(tmp_path, name), 50, kind=kind)
    elif kind == "relation":
        counts = tpcc
    else:
        counts = categories.measured(TPCC, 1000, kind=kind)
    for flash in sizes:
        for price in (None, 1e-3):
            paid = (
                {}
                if price is None
                else {"flash_paid": "by_size", "usd_per_gib_month": price}
            )
            now = answered(counts, flash_pages=flash, **paid)
            later = answered(counts, flash_pages=flash * 101 // 100, **paid)
            saved = sum(
                sign * (each.read_usd_per_month + each.write_usd_per_month)
                for sign, each in ((1, now.chosen), (-1, later.chosen))
            )
            stated = now.more_flash_usd_per_month
            assert stated == pytest.approx(
                max(0.0, saved), abs=1e-9 * now.chosen.usd_per_month
            )
            assert ("would save nothing." in now.finding) == (stated == 0)
            *_, step = now.explain()
            assert (step.name, step.value) == ("1 % more flash", stated)


def test_more_flash_saves_where_all_that_is_let_in_fits_at_the_lifetime_of_the_choice(
    tpcc: CategoryCounts,
) -> None:
    """Space has no price at that lifetime, which more flash makes longer; beside flash of all pages it saves nothing."""
    found = answered(tpcc, flash_pages=40_000)
    assert found.more_flash_usd_per_month > 0
    assert "One per cent more flash would save " in found.finding
    full = answered(tpcc, flash_pages=60_000)
    assert full.more_flash_usd_per_month == 0
    assert "One per cent more flash would save nothing." in full.finding
    by_size = at_price(tpcc, 1e-3, flash_pages=60_000)
    assert by_size.more_flash_usd_per_month == 0
    assert re.search(r"; another 4\.\d+ MiB would save nothing\.", by_size.finding)


def test_flash_that_is_paid_by_size_is_replayed_at_what_is_paid_for(
    tpcc: CategoryCounts,
) -> None:
    found = at_price(tpcc, 20_000.0)
    wanted = checks.wanted(found)
    assert wanted["by_category"].flash_pages == found.replayed_flash_pages
    assert found.chosen.flash_pages <= found.replayed_flash_pages
    assert found.replayed_flash_pages < found.chosen.flash_pages + 1
    assert wanted["miss"].flash_pages == 8000
    checked = checked_by_replay(found, TPCC)
    assert max(abs(row.gap_relative or 0) for row in checked.rows) < 0.05
    costs = {row.of: row for row in checked.rows if row.figure == "cost"}
    assert costs["miss"].simulated is not None
    # A price that is part of the cost: without it the replay would be far below the model.
    assert found.every_miss.flash_usd_per_month > 0.1 * costs["miss"].simulated
    assert checked.recommended == "by_category"


@pytest.mark.parametrize(
    ("load", "alone", "hint"),
    [
        (1.0, "so its size alone", "terabyte written"),
        (1e7, "so its wear alone", "GiB and month"),
    ],
)
def test_a_drive_that_is_bought_is_not_charged_twice_without_a_word(
    tpcc: CategoryCounts, load: float, alone: str, hint: str
) -> None:
    # Reads are dear, so that flash is worth its price at either load.
    given = {"accesses_per_s": load, "usd_per_billion_reads": 1e9 / load}
    found = answered(tpcc, flash_paid="by_size", **given)
    [caution] = [each for each in found.warnings if each.name == "flash_charged_twice"]
    assert alone in caution.message
    assert hint in caution.hint
    spent = max(found.chosen.flash_usd_per_month, found.chosen.write_usd_per_month)
    assert money(spent) in caution.message
    once = answered(
        tpcc,
        flash_paid="by_size",
        **given,
        **(
            {"usd_per_tb_written": 0.0}
            if "size" in alone
            else {"usd_per_gib_month": 0.0}
        ),
    )
    assert f"{money(once.chosen.usd_per_month)} per month in all" in caution.effect
    assert caution.could_change_choice == (
        once.chosen.assignment != found.chosen.assignment
    )
    stated = answered(tpcc, flash_paid="by_size", usd_per_tb_written=0.0, **given)
    assert not [each for each in stated.warnings if "twice" in each.name]
    assert not [
        each for each in answered(tpcc, **given).warnings if "twice" in each.name
    ]


def test_the_price_of_flash_is_known_where_it_is_paid_by_size(
    tpcc: CategoryCounts,
) -> None:
    unpriced = catalog.device("intel-d3-s4520")
    given = {
        "flash": unpriced,
        "prices": None,
        "usd_per_billion_reads": 98.0,
        "usd_per_tb_written": 0.3,
    }
    assert answered(tpcc, **given).more_flash_price_usd_per_month is None
    with pytest.raises(BadInput, match="price of flash is unknown"):
        answered(tpcc, flash_paid="by_size", **given)
    stated = answered(tpcc, flash_paid="by_size", usd_per_gib_month=1.0, **given)
    assert stated.charges.of_flash == "as given"
    with pytest.raises(BadInput, match="flash_paid `half`"):
        answered(tpcc, flash_paid="half")


def checked_by_replay(
    found: cachesack.WhatToCache, trace: Trace, cache: str = "cachesack"
) -> checks.CheckedChoice:
    def run_one(asked: Replay) -> dict[str, Any]:
        return replay(
            trace,
            asked.family,
            asked.name,
            asked.ram_pages,
            asked.flash_pages,
            options=asked.options,
            warm_up=asked.warm_up,
        )

    return checks.replayed(found, run_one, cache)


def gaps(checked: Checked) -> dict[tuple[str, str], float]:
    return {
        (each.of, each.figure): abs(each.gap_relative or 0.0) for each in checked.rows
    }


def test_the_known_error_is_of_what_the_choice_rests_on() -> None:
    """Where flash serves next to nothing, a few hits more are many times the few that there are."""
    trace = Trace(recordings.TPCB)
    found = answered(categories.measured(trace, 2000), flash_pages=2000)
    checked = checked_by_replay(found, trace)
    off = gaps(checked)
    few = off["miss", "hits of flash"]
    assert few > 2
    assert max(off[of, "cost"] for of in ("miss", "by_category")) < 0.01
    assert max(off[of, "reads from the store"] for of in ("miss", "by_category")) < 0.01
    assert "which is within 5.00 %. Counts off by more than 5.00 %: " in checked.finding
    assert (
        f"hits of flash by {percent(few)} with every miss admitted" in checked.finding
    )
    rows = {(each.of, each.figure): each for each in checked.rows}
    hits = rows["miss", "hits of flash"]
    reads = rows["miss", "reads from the store"].simulated
    assert hits.model is not None
    assert hits.simulated is not None
    assert reads is not None
    share = (hits.model - hits.simulated) / (hits.simulated + reads)
    assert f"{percent(share)} of the reads that reach flash" in checked.finding


COLUMNS = {
    "time": "time",
    "time_unit": "s",
    "op": "op",
    "offset": "offset",
    "offset_unit": "bytes",
    "size": "bytes",
    "size_unit": "bytes",
}
ASKED = 24_000
SIX_HOURS_S = 6 * 3600


def popular(draw: random.Random) -> int:
    """Return a page of 4,000, the first ones the most popular."""
    return int(4000 ** draw.random())


def made_trace(folder: Path, kind: str) -> Trace:
    """Write requests of six hours: a scan every other hour, large objects among small ones, or loops that change."""
    draw = random.Random(1)
    rows = []
    for at in range(ASKED):
        second = at * SIX_HOURS_S // ASKED
        op, page, pages = "r", popular(draw), 1
        if kind == "scans" and second // 3600 % 2:
            page = 100_000 + at
        elif kind == "sizes" and draw.random() < 0.2:
            page, pages = 50_000 + 16 * draw.randrange(2000), 8
        elif kind == "loops":
            page = at % (3000 if at < ASKED // 2 else 600)
        elif draw.random() < 0.2:
            op = "w"
        rows.append(f"{second},{op},{4096 * page},{4096 * pages}\n")
    path = folder / f"{kind}.csv"
    path.write_text("time,op,offset,bytes\n" + "".join(rows))
    return Trace(path, format="csv", columns=COLUMNS)


@pytest.mark.parametrize("kind", ["hour", "size"])
@pytest.mark.parametrize(
    ("name", "flash"), [("scans", 500), ("sizes", 500), ("sizes", 2000)]
)
def test_hours_and_sizes_are_predicted_within_the_known_error(
    tmp_path: Path, kind: str, name: str, flash: int
) -> None:
    trace = made_trace(tmp_path, name)
    found = answered(categories.measured(trace, 50, kind=kind), flash_pages=flash)
    checked = checked_by_replay(found, trace)
    off = gaps(checked)
    judged = [
        off[of, figure]
        for of in ("by_category", "miss")
        for figure in ("cost", "reads from the store")
    ]
    assert max(judged) < 0.05
    assert "which is within 5.00 %." in checked.finding
    of_kind = "scans" if kind == "hour" else "sizes"
    if name == of_kind:
        # What tells the accesses of this trace apart is worth telling apart.
        assert "+" in found.chosen.assignment


def scans_by_hour(path: Path) -> Trace:
    """Write twelve hours of one relation: of three, the first and the last read the same 400 pages once, the second 1,000 others."""
    rows = []
    for hour in range(12):
        first, pages = (
            (10_000 + 1000 * hour, 1000) if hour % 3 == 1 else (400 * (hour // 3), 400)
        )
        for at in range(pages):
            us = (hour * 3600 + at) * 1_000_000
            rows.append(f"{us},R,1/1,{first + at}\n")
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return Trace(path)


def test_pages_are_let_in_in_the_hour_before_they_are_read_again(
    tmp_path: Path,
) -> None:
    trace = scans_by_hour(tmp_path / "scans.csv")
    found = answered(categories.measured(trace, 50, kind="hour"), flash_pages=500)
    assert found.chosen.assignment == "never+0:miss+3:miss+6:miss+9:miss"
    # What is read again two hours later is gained by the hour that let it in.
    hits = {row.number: row.hits for row in found.rows}
    assert {hour for hour, count in hits.items() if count} == {0, 3, 6, 9}
    assert found.chosen.hits == sum(hits.values()) == 1600
    checked = checked_by_replay(found, trace)
    assert max(gaps(checked).values()) == 0
    assert checked.recommended == "by_category"


@pytest.mark.parametrize("recording", [recordings.TPCB, TPCC.path])
@pytest.mark.parametrize("kind", ["hour", "size"])
def test_recordings_of_one_hour_and_one_size_have_one_category_that_is_predicted(
    recording: Path, kind: str
) -> None:
    trace = Trace(recording)
    found = answered(categories.measured(trace, 1000, kind=kind), flash_pages=4000)
    assert len(found.rows) == 1
    checked = checked_by_replay(found, trace)
    assert max(gaps(checked).values()) < 0.05
    assert "which is within 5.00 %." in checked.finding


def test_a_prediction_that_is_off_says_so(tmp_path: Path) -> None:
    """Loops that change have no one age at which pages leave flash, which the model takes."""
    trace = made_trace(tmp_path, "loops")
    found = answered(categories.measured(trace, 50, kind="hour"), flash_pages=1000)
    checked = checked_by_replay(found, trace)
    off = gaps(checked)
    worst = off["by_category", "cost"]
    assert worst > 0.3
    assert (
        f"off by at most {percent(worst)}, in cost with the choice, which is not within 5.00 %."
        in checked.finding
    )
    # What the model finds best is not, and the replays say what is, first and with their figures.
    costs = {row.of: row for row in checked.rows if row.figure == "cost"}
    model = {name: row.model or 0.0 for name, row in costs.items()}
    counted_usd = {name: row.simulated or 0.0 for name, row in costs.items()}
    assert min(model, key=model.__getitem__) == "by_category"
    assert counted_usd["second_miss"] < 0.85 * counted_usd["by_category"]
    assert checked.recommended == checked.assignment == "second_miss"
    saved = counted_usd["by_category"] - counted_usd["second_miss"]
    assert checked.decided == (
        f"Admit every second miss: by replay that costs {money(counted_usd['second_miss'])} per month, {money(saved)} "
        f"({percent(saved / counted_usd['by_category'])}) less than the choice of the model, and at least "
        f"{percent(checked.least_margin or 0)} less without any one quarter of the recording"
    )
    assert 0 < (checked.least_margin or 0) <= checked.margin
    assert checked.finding.startswith(f"{checked.decided}. ")


def test_a_prediction_that_holds_is_not_overruled() -> None:
    trace = Trace(recordings.TPCB)
    found = answered(categories.measured(trace, 500), flash_pages=5000)
    checked = checked_by_replay(found, trace)
    assert checked.recommended == "by_category"
    assert checked.assignment == found.chosen.assignment
    assert checked.decided is None
    assert checked.finding.startswith("By replay the choice saves ")


def phases(path: Path) -> Path:
    """Write loops over more pages than flash has, then over fewer, as a recording of two relations."""
    rows = []
    for at in range(ASKED):
        relation, block = ("1/1", at % (3000 if at < ASKED // 2 else 600))
        if at % 10 == 0:
            relation, block = "1/2", at % 97
        rows.append(f"{at * 900_000},R,{relation},{block}\n")
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return path


def test_the_command_says_first_what_the_replay_decides(tmp_path: Path) -> None:
    """Pages leave flash at ages that change, which the model of one lifetime does not know."""
    trace = phases(tmp_path / "phases.csv")
    asked = (
        "cachesack", str(trace), "--categories", "hour", "--ram-pages", "50", "--flash-pages", "1000",
        "--flash-device", FLASH.id, "--disk-device", DISK.id, "--price-book", PRICES.id,
    )  # fmt: skip
    code, out, err = run(*asked, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["decided_by"] == "replay"
    replay_ = found["replay"]
    assert replay_["recommended"] != "by_category"
    assert found["finding"] == f"{replay_['decided']}."
    assert found["basis"] == replay_["basis"]
    assert found["model_finding"] != found["finding"]
    plan = tmp_path / "plan.json"
    plan.write_text(out)
    sizes = ("--ram-pages", "50", "--flash-pages", "1000")
    code, out, err = run(
        "simulate", str(trace), "--scheme", "cachesack", *sizes, "--plan", str(plan),
        "--json",
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(out)["options"]["assignment"] == replay_["assignment"]
    code, out, _ = run(*asked)
    assert code == 0
    assert out.index(found["finding"]) < out.index("By the model: ")
    assert f"assignment: {replay_['assignment']}\n" in out
    code, out, _ = run(*asked, "--no-replay")
    assert found["model_finding"] in out
    assert "a replay of the trace tells." in out


@pytest.mark.parametrize("cache", ["larc", "face", "lazy-cleaning", "tac"])
def test_the_check_takes_any_flash_cache_and_shows_the_gap(
    tpcc: CategoryCounts, cache: str
) -> None:
    found = answered(tpcc)
    counters: dict[str, dict[str, Any]] = {}

    def run_one(asked: Replay) -> dict[str, Any]:
        found_ = replay(
            TPCC,
            asked.family,
            asked.name,
            asked.ram_pages,
            asked.flash_pages,
            options=asked.options,
            warm_up=asked.warm_up,
        )
        counters[asked.options["assignment"]] = found_
        return found_

    checked = checks.replayed(found, run_one, cache)
    title = next(
        each["title"]
        for each in contenders("flash_cache")
        if each["name"] == cache.replace("-", "_")
    )
    chosen, before = counters[found.chosen.assignment], counters["miss"]
    plain = replay(
        TPCC, "flash_cache", chosen["scheme"], found.ram_pages, found.flash_pages
    )
    names = ("flash_hits", "flash_misses", "flash_writes", "hdd_writes")
    assert [before[name] for name in names] == [plain[name] for name in names]
    # Of what the choice keeps from flash, FaCE and LC write less; each of them pays for what it reads and writes.
    assert chosen["flash_writes"] < before["flash_writes"]

    def usd(counted: dict[str, Any]) -> float:
        charges = found.charges
        each = (
            counted["flash_misses"] * charges.usd_per_billion_reads / 1e9
            + counted["flash_writes"] * 8192 * charges.usd_per_tb_written / 1e12
        )
        return each * 730 * 3600 / (tpcc.duration_s or 0.0)

    verb = "saves" if usd(chosen) <= usd(before) else "costs"
    assert checked.finding.startswith(f"Before {title}, the choice {verb} ")
    # What the directory takes with the choice stands beside.
    tax = tax_of_replay(chosen, ram_pages=found.ram_pages)
    assert tax is not None
    assert (
        f"The directory of {title} takes {format_bytes(tax.bytes or 0)}"
        in checked.basis
    )
    assert "The replay had all of the RAM." in checked.basis
    assert f"against {title} without it" in checked.finding
    assert "within" not in checked.finding
    worst = max(abs(row.gap_relative or 0.0) for row in checked.rows)
    assert percent(worst) in checked.finding
    costs = {row.of: row.simulated for row in checked.rows if row.figure == "cost"}
    assert costs["by_category"] == pytest.approx(usd(chosen), rel=1e-6)
    assert costs["miss"] == pytest.approx(usd(before), rel=1e-6)


def test_what_is_lru_and_writes_through_agrees_with_the_cache_of_the_model(
    tpcc: CategoryCounts,
) -> None:
    """Open CAS by default is that, written for itself; only the second miss differs, by how old it may be."""
    found = answered(tpcc)
    here = {
        cache: {
            of: replay(
                TPCC,
                each.family,
                each.name,
                each.ram_pages,
                each.flash_pages,
                options=each.options,
            )
            for of, each in checks.wanted(found, cache).items()
        }
        for cache in ("cachesack", "open_cas")
    }
    for of, one in here["cachesack"].items():
        # Where all enter at the second miss, how old that may be is all there is.
        error = 0.02 if of == "second_miss" else 0.01
        for name in ("flash_hits", "flash_writes", "hdd_writes"):
            assert one[name] == pytest.approx(here["open_cas"][of][name], rel=error)


def test_a_check_refuses_what_it_cannot_replay(tpcc: CategoryCounts) -> None:
    found = answered(tpcc)
    with pytest.raises(BadInput, match="`no_cache` is unknown"):
        checks.wanted(found, "no_cache")
    with pytest.raises(BadInput, match="works by the clock"):
        checks.wanted(answered(tpcc, production_pages=(10**6, 10**7)), "sce")
    assert checks.wanted(found, "sce")["miss"].name == "sce"


def choose_shares(found: cachesack.WhatToCache, counts: CategoryCounts) -> Any:
    """Return the shares of an answer, by its rows."""
    shares = np.zeros((len(counts.categories), 4))
    for row in found.rows:
        at = [one.number for one in counts.categories].index(row.number)
        shares[at, ADMISSIONS.index(row.admission)] = row.share
        if row.otherwise is not None:
            shares[at, ADMISSIONS.index(row.otherwise)] = 1.0 - row.share
    return shares


COUNTED = ("accesses", "flash_hits", "flash_misses", "flash_writes")
REPLAYED = {
    "scheme": "cachesack",
    "flash_pages": 4000,
    "page_bytes": 8192,
    "distinct_pages": 1000,
    "options": {"assignment": "miss"},
}
"""What a replay says besides what it counts."""


@pytest.mark.costly(10)
@pytest.mark.formula("advise.checks.cachesack.check")
@pytest.mark.formula("advise.checks.cachesack.in_doubt")
@pytest.mark.formula("advise.checks.cachesack.replayed")
@pytest.mark.formula("advise.checks.cachesack.wanted")
@given(
    misses=st.tuples(*(st.integers(1, 10**6) for _ in range(4))),
    writes=st.integers(0, 10**6),
)
def test_a_check_says_which_way_the_replay_points(
    tpcc: CategoryCounts, misses: tuple[int, int, int, int], writes: int
) -> None:
    found = answered(tpcc)
    names = ("by_category", "miss", "second_miss", "write")
    counters = {
        name: {
            "accesses": tpcc.accesses,
            "flash_hits": 5,
            "flash_misses": missed,
            "flash_writes": writes,
            **REPLAYED,
        }
        for name, missed in zip(names, misses, strict=True)
    }
    wanted = checks.wanted(found)
    by_option = {
        each.options["assignment"]: counters[name] for name, each in wanted.items()
    }

    def run_one(asked: Replay) -> dict[str, Any]:
        """Count the same of every part of the trace."""
        share = 1 - asked.warm_up / tpcc.accesses
        whole = by_option[asked.options["assignment"]]
        return whole | {name: whole[name] * share for name in COUNTED}

    doubts = checks.in_doubt(found, counters, checks.wanted(found))
    tails = {name: run_one(each) for name, each in doubts.items()}
    checked = checks.check(found, counters, tails)
    assert checks.replayed(found, run_one) == checked
    assert set(wanted) == set(names)
    assert ("the choice saves" in checked.finding) == (misses[0] <= misses[1])
    assert "not within 5.00 %" in checked.finding
    # What costs least by the replays is recommended, and nothing where that is to cache nothing.
    charges = found.charges
    read, write = (
        charges.usd_per_billion_reads / 1e9,
        8192 * charges.usd_per_tb_written / 1e12,
    )
    costs = {
        name: missed * read + writes * write
        for name, missed in zip(names, misses, strict=True)
    } | {"never": (misses[0] + 5) * read}
    assert costs[checked.recommended] == pytest.approx(min(costs.values()))
    if checked.recommended == "by_category":
        assert checked.decided is None
        assert checked.assignment == found.chosen.assignment
        assert checked.finding.startswith("By replay the choice ")
    else:
        assert checked.decided is not None
        assert checked.assignment == checked.recommended
        assert checked.finding.startswith(
            f"{checks.TO_DO[checked.recommended]}: by replay that costs "
        )
        saved = 1 - costs[checked.recommended] / costs["by_category"]
        assert f"({percent(saved)}) less than the choice of the model" in (
            checked.decided
        )
        # By as much in each part: none of them decides.
        assert checked.margin == pytest.approx(saved)
        assert checked.least_margin == pytest.approx(saved)
        assert (
            f"at least {percent(checked.least_margin or 0)} less without any one quarter"
            in checked.decided
        )
    assert not checked.is_tie
    assert bool(doubts) == (checked.recommended != "by_category")


def counting(
    accesses: int, quarters: Mapping[str, Sequence[int]]
) -> Callable[[str, int], dict[str, Any]]:
    """Return what counts behind a quarter, by the misses of each assignment in each of them."""

    def behind(name: str, at: int) -> dict[str, Any]:
        return {
            **REPLAYED,
            "accesses": accesses * (4 - at) / 4,
            "flash_hits": 1000 * (4 - at),
            "flash_misses": sum(quarters[name][at:]),
            "flash_writes": 0,
        }

    return behind


@pytest.mark.oracle("advise.checks.cachesack.in_doubt")
@pytest.mark.parametrize(
    ("misses", "recommended", "least"),
    [
        # Less in every quarter, if by little.
        ((990, 990, 990, 990), "second_miss", 0.01),
        # As much in the whole, in one quarter alone.
        ((960, 1000, 1000, 1000), "by_category", 0.0),
        ((700, 1050, 1050, 1050), "by_category", -0.05),
        ((1050, 1050, 1050, 700), "by_category", -0.05),
        # In two quarters, and nothing in the others: phases of a trace.
        ((900, 900, 1000, 1000), "second_miss", 1 / 30),
        # More in the whole: there is nothing to doubt.
        ((900, 1200, 1000, 1000), "by_category", None),
    ],
)
def test_what_costs_less_in_one_quarter_alone_is_a_tie(
    tpcc: CategoryCounts,
    misses: tuple[int, ...],
    recommended: str,
    least: float | None,
) -> None:
    found = answered(tpcc)
    quarters = {
        "by_category": (1000,) * 4,
        "second_miss": misses,
        "miss": (2000,) * 4,
        "write": (2000,) * 4,
    }

    behind = counting(tpcc.accesses, quarters)
    counters = {name: behind(name, 0) for name in quarters}
    doubts = checks.in_doubt(found, counters, checks.wanted(found))
    assert {(one.options["assignment"], one.warm_up) for one in doubts.values()} == (
        set()
        if least is None
        else {
            (assignment, tpcc.accesses * at // 4)
            for assignment in (found.chosen.assignment, "second_miss")
            for at in (1, 2, 3)
        }
    )
    tails = {name: behind(name.split()[0], int(name.split()[-1])) for name in doubts}
    checked = checks.check(found, counters, tails)
    assert checked.recommended == recommended
    assert checked.margin == pytest.approx(1 - sum(misses) / 4000)
    if least is None:
        assert checked.least_margin is None
    else:
        assert checked.least_margin == pytest.approx(least)
    assert checked.is_tie == (least is not None and recommended == "by_category")
    assert checked.assignment == (
        found.chosen.assignment if recommended == "by_category" else recommended
    )
    if checked.is_tie:
        assert checked.decided is None
        usd = {
            row.of: row.simulated or 0.0 for row in checked.rows if row.figure == "cost"
        }
        saved = usd["by_category"] - usd["second_miss"]
        more = "no less" if least == 0 else f"{percent(-(least or 0))} more"
        assert checked.finding.startswith(
            f"A tie: to admit every second miss costs {money(saved)} ({percent(checked.margin)}) less per month by replay, "
            f"and {more} without one quarter of the recording, so the choice of the model stays. By replay the choice saves "
        )


def test_behind_a_tie_another_admission_may_cost_less_all_over(
    tpcc: CategoryCounts,
) -> None:
    found = answered(tpcc)
    quarters = {
        "by_category": (1000,) * 4,
        "second_miss": (700, 1050, 1050, 1050),
        "miss": (980,) * 4,
        "write": (2000,) * 4,
    }

    behind = counting(tpcc.accesses, quarters)
    counters = {name: behind(name, 0) for name in quarters}
    doubts = checks.in_doubt(found, counters, checks.wanted(found))
    tails = {name: behind(name.split()[0], int(name.split()[-1])) for name in doubts}
    checked = checks.check(found, counters, tails)
    assert (checked.recommended, checked.is_tie) == ("miss", False)
    assert checked.margin == pytest.approx(0.02)
    assert checked.least_margin == pytest.approx(0.02)


@pytest.mark.costly(10)
@pytest.mark.formula("advise.cachesack.answer")
@given(rate=st.floats(0.1, 1e6), reads=st.floats(0.01, 1e4), written=st.floats(0, 100))
def test_costs_are_proportional_to_load(
    tpcc: CategoryCounts, rate: float, reads: float, written: float
) -> None:
    given = {"usd_per_billion_reads": reads, "usd_per_tb_written": written}
    one = answered(tpcc, accesses_per_s=rate, **given)
    two = answered(tpcc, accesses_per_s=2 * rate, **given)
    assert two.chosen.usd_per_month == pytest.approx(2 * one.chosen.usd_per_month)
    assert two.lifetime_s == pytest.approx(one.lifetime_s / 2)
    assert one.saved_usd_per_month >= -1e-9 * one.chosen.usd_per_month
    assert one.chosen.assignment == two.chosen.assignment


@pytest.mark.parametrize(
    ("kind", "shares", "said"),
    [
        ("hour", [[1, 0, 0, 0]], "No page of the only hour enters flash"),
        ("hour", [[0, 0, 1, 0]], "The pages of the only hour enter flash at a miss"),
        (
            "hour",
            [[0.75, 0.25, 0, 0]],
            "Of the only hour, 25.0 % of the pages enter flash at the second miss and the others never",
        ),
        ("relation", [[1, 0, 0, 0]] * 2, "No pages of the 2 relations enter flash"),
        ("relation", [[1, 0, 0, 0]] * 3, "No pages of the 3 relations enter flash"),
        (
            "size",
            [[0, 1, 0, 0]] * 2,
            "Both size classes enter flash at the second miss",
        ),
        (
            "size",
            [[0, 0, 0, 1]] * 1000,
            "All 1,000 size classes enter flash at a miss or when written",
        ),
        ("size", [[0.5, 0, 0.5, 0]] * 3, "All 3 size classes enter flash in part"),
        (
            "relation",
            [[1, 0, 0, 0], [0, 0, 1, 0]],
            "Of 2 relations, 1 enters flash at a miss; 1 never does",
        ),
        (
            "relation",
            [[1, 0, 0, 0]] * 2 + [[0, 0, 1, 0]] * 2 + [[0, 1, 0, 0], [0.5, 0, 0.5, 0]],
            "Of 6 relations, 2 enter flash at a miss, 1 at the second miss and 1 in part; 2 never do",
        ),
        (
            "relation",
            [[0, 0, 0, 1], [0, 1, 0, 0]],
            "Of 2 relations, 1 enters flash at a miss or when written and 1 at the second miss",
        ),
    ],
)
def test_any_number_of_categories_is_said_in_plain_words(
    kind: str, shares: list[list[float]], said: str
) -> None:
    assert cachesack.in_words(kind, np.asarray(shares, dtype=np.float64)) == said


def test_the_finding_says_what_the_figures_say(tpcc: CategoryCounts) -> None:
    usual = answered(tpcc)
    assert re.match(r"Of 32 relations, \d+ enters? flash ", usual.finding)
    assert f"({100 * usual.saved_share:.3g} %) less than if every miss enters" in (
        usual.finding
    )
    assert "more than its price" in usual.finding
    dear = answered(tpcc, usd_per_tb_written=1e9)
    assert dear.finding.startswith("Nothing is worth caching at these prices")
    assert "One per cent more flash would save nothing." in dear.finding
    free = answered(tpcc, flash_pages=60_000, usd_per_tb_written=0.0)
    assert free.finding.startswith("One admission for all is best")
    idle = answered(tpcc, accesses_per_s=1e-6)
    assert "less than its price" in idle.finding


def test_a_choice_that_saves_next_to_nothing_states_the_single_admission_s_own_cost(
    tpcc: CategoryCounts,
) -> None:
    found = answered(tpcc)
    [single] = [each for each in found.alternatives if each.name == "second_miss"]
    dearer = replace(single, usd_per_month=found.chosen.usd_per_month * 1.0004)

    def said(assignment: str, other: cachesack.Alternative = dearer) -> str:
        return cachesack._finding(
            found.kind,
            found.rows,
            replace(found.chosen, assignment=assignment),
            (other,),
            found.saved_usd_per_month,
            found.saved_share,
            cachesack._Words("money", "", ""),
            "",
        )

    own, alone = (money(each.usd_per_month) for each in (found.chosen, dearer))
    assert own != alone
    mixed = said(found.chosen.assignment)
    assert mixed.startswith("One admission for all does about as well: ")
    assert f"cost {alone} per month in money, those of the choice {own}. " in mixed
    hardly = replace(single, usd_per_month=found.chosen.usd_per_month * 1.0000001)
    alike = said(found.chosen.assignment, hardly)
    assert f"cost {own} per month in money, as do those of the choice. " in alike
    assert said("second_miss").startswith("One admission for all is best: ")


def test_a_rented_drive_wears_at_no_cost(tpcc: CategoryCounts) -> None:
    rented = catalog.device("gcp-local-ssd-375gb")
    found = answered(
        tpcc,
        flash=rented,
        prices=catalog.price_book("gcp-us-central1-2026-07"),
        usd_per_billion_reads=98.0,
    )
    assert found.charges.usd_per_tb_written == 0.0
    assert "rented" in found.charges.of_writes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"flash_pages": 0}, "flash_pages"),
        ({"accesses_per_s": 0.0}, "accesses_per_s"),
        ({"usd_per_billion_reads": -1.0}, "usd_per_billion_reads"),
        ({"usd_per_tb_written": float("nan")}, "usd_per_tb_written"),
        (
            {
                "prices": None,
                "flash": catalog.device("intel-d3-s4520"),
                "usd_per_billion_reads": 98.0,
            },
            "written byte",
        ),
        (
            {"disk": catalog.device("fdbuffer2011-kingston-sd4-8gb"), "prices": None},
            "read from",
        ),
    ],
)
def test_what_cannot_be_priced_is_refused_with_the_next_step(
    tpcc: CategoryCounts, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said) as raised:
        answered(tpcc, **given)
    assert raised.value.hint


def test_a_trace_without_times_needs_a_load(tmp_path: Path) -> None:
    path = tmp_path / "untimed.csv"
    path.write_text("op,device,page\n" + "".join(f"r,1,{at % 9}\n" for at in range(50)))
    columns = {"op": "op", "device": "device", "page": "page"}
    trace = Trace(path, format="csv", columns=columns)
    counts = categories.measured(trace, 2)
    with pytest.raises(BadInput, match="no times"):
        answered(counts, flash_pages=4)
    assert answered(counts, flash_pages=4, accesses_per_s=5.0).rows
    with pytest.raises(_simulator.ParameterError, match="no times"):
        categories.measured(trace, 2, kind="hour")


POINT = (
    "--ram-pages", "500", "--flash-pages", "40MiB", "--flash-device", FLASH.id,
    "--disk-device", DISK.id, "--price-book", PRICES.id,
)  # fmt: skip


def test_the_command_prints_what_its_json_holds() -> None:
    code, out, _ = run("cachesack", str(recordings.TPCB), *POINT, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["flash_pages"] == 40 * 2**20 // 8192
    gaps = [abs(row["gap_relative"]) for row in found["replay"]["rows"]]
    assert max(gaps) < 0.05
    code, out, _ = run("cachesack", str(recordings.TPCB), *POINT, "--no-replay")
    assert code == 0
    assert found["finding"] in out
    assert f"assignment: {found['chosen']['assignment']}" in out
    assert "Model and replay" not in out
    assert found["derivation"]


def test_the_command_prices_a_load_of_production(tmp_path: Path) -> None:
    profile = tmp_path / "tpcb.json"
    assert run("profile", str(recordings.TPCB), "-o", str(profile))[0] == 0
    sizes = (
        "--ram-pages", "20000", "--flash-pages", "100000", "--flash-device", FLASH.id,
        "--disk-device", DISK.id, "--price-book", PRICES.id,
    )  # fmt: skip
    code, out, err = run(
        "cachesack", str(recordings.TPCB), *sizes, "--profile", str(profile),
        "--production", "2GiB@2000", "--json",
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)
    assert found["accesses_per_s"] == 2000
    assert (found["ram_pages"], found["flash_pages"]) == (20_000, 100_000)
    assert found["counted_flash_pages"] < 100_000
    assert found["counted_ram_pages"] < 20_000
    numbers = {each["name"]: each for each in found["numbers"]}
    assert numbers["flash_writes"]["title"] == "Writes to flash, of the recording"
    assert numbers["lifetime_s"]["value"] == found["lifetime_s"]
    assert checks.OF_A_RECORDING in found["replay"]["basis"]
    code, out, err = run(
        "cachesack", str(recordings.TPCB), *sizes, "--profile", str(profile),
        "--production", "2GiB@2000", "--no-replay",
    )  # fmt: skip
    assert code == 0, err
    assert "By relation: RAM 156 MiB, flash 781 MiB, 2,000 accesses/s" in out
    assert found["counts_of"] in out
    assert found["lifetime_text"] in out


def test_what_cannot_be_counted_for_production_is_not_said_to_lack_a_replay(
    tmp_path: Path,
) -> None:
    recorded, scaled = tmp_path / "tpcb.json", tmp_path / "larger.json"
    assert run("profile", str(recordings.TPCB), "-o", str(recorded))[0] == 0
    law = ("--law", "cold_growth", "-o", str(scaled))
    larger = ("--data", "2GiB", "--accesses-per-second", "2000")
    assert run("scale", str(recorded), *larger, *law)[0] == 0
    for more in ((), ("--no-replay",)):
        code, _, err = run(
            "cachesack", str(recordings.TPCB), "--ram-pages", "156MiB", "--flash-pages", "781MiB",
            "--flash-device", "samsung-pm9a3-7.68tb-u2", "--disk-device", "seagate-exos-x24-24tb",
            "--profile", str(scaled), *more,
        )  # fmt: skip
        assert code == 2
        assert (
            "The accesses of production are not counted by category: the scale law “cold_growth” adds pages that are not "
            "in the recording"
        ) in err
        assert "replay" not in err


def passes_by(path: Path, pages: int, again: int) -> Trace:
    """Each page twice, the second time `again` requests after the first; half of the requests are of new pages."""
    rows = ["time_us,op,rel,block"]
    for at in range(pages + again):
        rows += [f"{2 * at},R,a,{at}"] if at < pages else []
        rows += [f"{2 * at + 1},R,a,{at - again}"] if at >= again else []
    path.write_text("\n".join(rows) + "\n")
    return Trace(path)


def test_a_page_stays_on_flash_for_as_many_requests_of_production(
    tmp_path: Path,
) -> None:
    """By hand: every other request enters a page, which leaves flash as many requests after its last one.

    It is there for 2 x 25 requests until it is read again and T behind that; at a page every other request flash of 100
    pages is full where (50 + T) / 2 = 100. So T is 150 requests, and of a system of 1,000 times the flash 150,000.
    """
    counts = categories.measured(passes_by(tmp_path / "a.csv", 20_000, 25), 2)
    given = {"flash_pages": 100, "usd_per_tb_written": 0.0, "accesses_per_s": 500.0}
    own = answered(counts, **given)
    there = answered(counts, **given, production_pages=(2000, 100_000))
    for found, factor in ((own, 1), (there, 1000)):
        assert found.lifetime_requests == pytest.approx(150, rel=0.03)
        assert found.lifetime_s == pytest.approx(150 * factor / 500, rel=0.03)
        steps = {each.name: each for each in found.derivation()}
        assert steps["time on flash"].value == found.lifetime_s
        stays = duration(found.lifetime_s)
        assert (
            found.lifetime_text
            == f"A page stays on flash for {stays} behind its last request."
        )


def test_sizes_and_times_are_of_production_and_counts_say_that_they_are_not(
    tpcc: CategoryCounts,
) -> None:
    own = answered(tpcc)
    assert own.counts_of == ""
    assert (own.ram_pages, own.flash_pages) == (1000, 8000)
    production = (3_000_000, 16_000_000)
    there = answered(
        tpcc, production_pages=production, accesses_per_s=tpcc.accesses_per_s
    )
    assert (there.ram_pages, there.flash_pages) == production
    assert (there.counted_ram_pages, there.counted_flash_pages) == (1000, 8000)
    assert there.lifetime_s == pytest.approx(2000 * own.lifetime_s)
    assert there.chosen.flash_pages == 16_000_000
    for row, before in zip(there.rows, own.rows, strict=True):
        assert row.held_pages == pytest.approx(2000 * before.held_pages)
        assert row.held_pages == pytest.approx(row.held_share * 16_000_000)
        # What a replay of the recording counts.
        assert (row.reads, row.writes, row.pages, row.hits, row.flash_writes) == (
            before.reads,
            before.writes,
            before.pages,
            before.hits,
            before.flash_writes,
        )
    assert there.lifetime_requests == own.lifetime_requests
    assert there.counts_of == (
        "Reads, writes, pages, hits and pages written to flash are counts of the recording, of its 560,000 accesses over "
        "7.81 MiB of RAM and 62.5 MiB of flash; sizes, what is held on flash, times and costs are those of production."
    )
    assert there.chosen.usd_per_month == pytest.approx(own.chosen.usd_per_month)
    wanted = checks.wanted(there)
    assert {(each.ram_pages, each.flash_pages) for each in wanted.values()} == {
        (1000, 8000)
    }


def test_a_page_that_nothing_makes_leave_is_not_said_to(tpcc: CategoryCounts) -> None:
    roomy = answered(tpcc, flash_pages=10**6)
    assert roomy.lifetime_text.startswith("No page leaves flash within ")
    assert at_price(tpcc, 1e9).lifetime_text == ""


def test_part_of_a_page_of_the_recording_is_many_of_production(
    tpcc: CategoryCounts,
) -> None:
    parts = [
        at_price(tpcc, usd / 2000, production_pages=(10**6, 8000 * 2000))
        for usd in (2e5, 4e5, 8e5)
    ]
    some = [each for each in parts if 0 < each.chosen.flash_pages < 2000]
    assert some
    for each in some:
        assert "Less than a page" not in each.finding
        assert format_bytes(round(each.chosen.flash_pages) * 8192) in each.finding


@pytest.mark.parametrize("cache", ["cachesack", "larc", "face"])
@pytest.mark.parametrize("production", [None, (10**6, 8000 * 2000)])
def test_what_is_not_bought_has_no_directory(
    tpcc: CategoryCounts, cache: str, production: tuple[int, int] | None
) -> None:
    found = at_price(tpcc, 1e9, production_pages=production)
    assert found.chosen.flash_pages == 0
    checked = checked_by_replay(found, TPCC, cache)
    assert checked.flash_pages == 0
    assert "directory" not in checked.basis
    assert checked.recommended == "by_category"


def test_the_command_says_that_nothing_is_worth_its_price(tmp_path: Path) -> None:
    dear = ("--flash-paid", "by-size", "--usd-per-gib-month", "1e9")
    code, out, err = run("cachesack", str(recordings.TPCB), *POINT, *dear)
    assert code == 0, err
    assert out.startswith("Nothing is worth caching at these prices")
    assert "A page stays" not in out
    code, out, err = run("cachesack", str(recordings.TPCB), *POINT, *dear, "--json")
    assert code == 0, err
    plan = tmp_path / "nothing.json"
    plan.write_text(out)
    assert json.loads(out)["replay"]["flash_pages"] == 0
    for scheme in ("cachesack", "larc", "lazy"):
        code, out, err = run(
            "simulate", str(recordings.TPCB), "--scheme", scheme, "--ram-pages", "500",
            "--flash-pages", "5000", "--plan", str(plan), "--json",
        )  # fmt: skip
        assert code == 0, err
        assert json.loads(out)["flash_writes"] == 0
