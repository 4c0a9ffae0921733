"""Caches that hold all of the data: what they miss once they are full, against a cache that is replayed."""

from __future__ import annotations

import random
from collections import OrderedDict
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import advice, scale
from tierwright.advise.advice.request import Candidates
from tierwright.evaluate.advice.later import stretched_curve, wider_curve
from tierwright.evaluate.compose.partitions import partition, partitions
from tierwright.evaluate.compose.shared import shared_cache
from tierwright.evaluate.compose.short import about_short
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.hardware import catalog
from tierwright.profile.all_data import cut_at_data
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.evidence import Evidence
from tierwright.profile.production import Production
from tierwright.profile.several import Workload

PAGE = 4096
DATA = 400
"""Pages of the data of the replayed system."""


class Lru:
    """A cache of whole pages, the least recently used leaves."""

    def __init__(self, size: int) -> None:
        self.size, self.pages = size, OrderedDict()
        self.missed = self.evicted = 0

    def access(self, page: int) -> None:
        if page in self.pages:
            self.pages.move_to_end(page)
            return
        self.missed += 1
        self.pages[page] = None
        if len(self.pages) > self.size:
            self.pages.popitem(last=False)
            self.evicted += 1


def missed_when_full(size: int, accesses: list[int]) -> tuple[int, int]:
    """Misses and evictions of a cache that had held as many of the pages as it can before."""
    cache = Lru(size)
    for page in range(DATA):
        cache.access(page)
    cache.missed = cache.evicted = 0
    for page in accesses:
        cache.access(page)
    return cache.missed, cache.evicted


def recorded(accesses: list[int], new_pages: int = 0) -> Profile:
    """Count a recording, every size by itself, a fifth of its accesses writes."""
    distinct = len(set(accesses))
    misses, backs = [], []
    for size in range(1, distinct + 1):
        cache = Lru(size)
        for page in accesses:
            cache.access(page)
        misses.append(cache.missed)
        backs.append(cache.evicted // 5)
    curve = Curve.from_full(
        misses,
        np.minimum.accumulate(backs),
        accesses=len(accesses),
        page_bytes=PAGE,
        write_accesses=len(accesses) // 5,
    )
    return Profile(curve.with_new_pages(new_pages), 60.0)


def drawn(seed: int, length: int, pages: int = DATA) -> list[int]:
    """Accesses of which the later pages get fewer; not all pages are among them."""
    rng = random.Random(seed)
    return [int(pages * rng.random() ** 2) for _ in range(length)]


def in_production(profile: Profile, times: float = 1.0, **more) -> Profile:
    recorded_data = more.pop("recorded_data", DATA * PAGE)
    made = scale.answer(
        profile,
        Production(round(times * DATA * PAGE), 1000.0, **more),
        recorded_data_bytes=recorded_data,
        law="stretch",
    )
    return made.profile


def steady(profile: Profile) -> Curve:
    return profile.curve.steady()


@pytest.mark.parametrize("seed", range(6))
def test_a_cache_of_all_of_the_data_misses_nothing_once_it_is_full(seed) -> None:
    accesses = drawn(seed, 900)
    later = drawn(seed + 100, 900)
    assert len(set(accesses)) < DATA  # the recording does not show all of the data
    curve = steady(in_production(recorded(accesses)))
    assert curve.data_pages == DATA
    for size in (DATA, DATA + 1, 2 * DATA, 50 * DATA):
        assert missed_when_full(size, later) == (0, 0)
        assert float(curve.misses(size)) == 0
        assert float(curve.evictions(size)) == 0
        assert float(curve.write_backs(size)) == 0
    # Below, the trend is on the safe side: a cache of a page less misses something.
    missed, evicted = missed_when_full(DATA - 1, later)
    assert evicted == missed > 0
    assert float(curve.misses(DATA - 1)) > 0


def test_what_is_new_misses_however_large_the_cache_is() -> None:
    accesses = drawn(1, 900)
    new = 30
    later = drawn(2, 900) + list(range(DATA, DATA + new))
    known = steady(in_production(recorded(accesses, new)))
    missed, evicted = missed_when_full(DATA, later)
    assert float(known.misses(DATA)) == missed == new
    assert float(known.evictions(DATA)) == evicted == new
    assert float(known.misses(3 * DATA) - known.growth) == 0
    assert 0 < float(known.write_backs(DATA)) <= new


@given(
    st.integers(0, 2**31),
    st.integers(20, 120),
    st.floats(1, 50),
    st.integers(1, 4),
    st.data(),
)
def test_misses_never_rise_with_size_and_end_at_the_data(
    seed, length, times, machines, data
) -> None:
    replicas = data.draw(st.integers(1, machines))
    profile = in_production(
        recorded(drawn(seed, length)),
        times,
        machines=machines,
        replicas=replicas,
    )
    curve = steady(profile)
    # Of one machine: its part of the data, with the copies that it holds.
    held = -(-round(times * DATA * PAGE) * replicas // (machines * PAGE))
    assert curve.data_pages == held
    sizes = np.unique(
        np.concatenate(
            (np.geomspace(1, 3 * held, 60).round(), [held - 1, held, held + 1])
        )
    )
    for counts in (curve.misses(sizes), curve.write_backs(sizes)):
        assert (np.diff(counts) <= 1e-9).all()
        assert not counts[sizes >= held].any()
    # So does every other reading of it.
    for other in (
        steady(profile_from_mapping(profile.to_dict())),
        curve.at(np.asarray([1, max(2, held // 2)])),
        replace(curve, misses_at=np.minimum(curve.misses_at * 2, curve.accesses)),
    ):
        assert not other.misses(sizes[sizes >= held]).any()
    low, high = curve.misses_band(sizes)
    assert not high[sizes >= held].any()
    assert (low <= curve.misses(sizes) + 1e-9).all()
    assert (high >= curve.misses(sizes) - 1e-9).all()
    assert not curve.uncertain(sizes[sizes >= held]).any()


def test_the_band_holds_the_estimate_where_scaling_makes_counts_that_are_not_whole() -> (
    None
):
    # 22 pages times 1.1875 are 26.125 misses of any large cache, and 26 pages.
    made = in_production(recorded(drawn(2**31, 25)), 1.1875)
    curve = steady(made)
    sizes = np.arange(1, 450)
    low, high = curve.counted_band(sizes)
    assert float(curve.misses(40)) == 0
    assert made.curve.distinct_pages < float(made.curve.misses(40))
    assert (low <= curve.misses(sizes)).all()
    assert (curve.misses(sizes) <= high).all()


def test_where_nobody_states_the_data_the_trend_goes_on() -> None:
    curve = steady(recorded(drawn(1, 900)))
    assert curve.all_data_from is None
    assert float(curve.misses(curve.distinct_pages)) > 0
    assert bool(curve.uncertain(2 * DATA))


def test_a_replay_from_empty_caches_misses_the_first_touches_of_all_data() -> None:
    made = in_production(recorded(drawn(1, 900)))
    assert float(made.curve.misses(DATA)) == len(set(drawn(1, 900)))


def test_what_fits_today_misses_again_when_the_data_are_more() -> None:
    today = steady(in_production(recorded(drawn(3, 900))))
    later = stretched_curve(today, 1.25)
    assert float(today.misses(DATA)) == float(later.misses(1.25 * DATA)) == 0
    assert float(later.misses(DATA)) > 0
    # A page less than all of them misses what a page less misses today.
    assert float(later.misses(1.25 * DATA - 1)) == float(today.misses(DATA - 1))


def test_data_stated_with_a_curve_that_was_given_are_held_as_well() -> None:
    def table(data: int, known: bool) -> Curve:
        return Curve.from_lists(
            [50, 100],
            [600, 400],
            None,
            accesses=1000,
            distinct_pages=data,
            page_bytes=PAGE,
            write_accesses=0,
            given=Given("table", data_known=known),
        )

    stated = table(300, known=True)
    assert stated.misses([100, 299, 300, 900]).tolist() == [400, 400, 0, 0]
    beyond = [each.name for each in about_curve(stated, [150.0, 300.0], [0.0])]
    assert "beyond_the_curve" in beyond
    assert "beyond_the_curve" not in [
        each.name for each in about_curve(stated, [300.0], [0.0])
    ]
    # What was counted at such a size itself stands, and where no size is stated the last value.
    assert float(table(100, known=True).misses(200)) == 400
    assert float(table(100, known=False).misses(200)) == 400


def test_no_caution_says_that_what_holds_all_data_misses_an_unknown_share() -> None:
    curve = steady(in_production(recorded(drawn(5, 900)), 10))
    names = {
        each.name: each.message for each in about_curve(curve, [10.0 * DATA], [0.0])
    }
    assert "steady_state_uncertain" not in names
    assert names["all_pages_fit_in_ram"].endswith(
        "once it is full, nothing misses, and flash is never hit"
    )
    short = [each.name for each in about_curve(curve, [10.0 * DATA - 1], [0.0])]
    assert "steady_state_uncertain" in short


def loads() -> list[Workload]:
    big = steady(in_production(recorded(drawn(7, 900)), 20))
    small = steady(in_production(recorded(drawn(8, 900)), 3))
    return [Workload("big", big, 100.0), Workload("small", small, 900.0)]


@pytest.mark.parametrize("pages", [DATA, 3 * DATA, 5 * DATA, 12 * DATA, 40 * DATA])
def test_no_part_of_a_divided_cache_is_larger_than_its_data(pages) -> None:
    workloads = loads()
    found = partition(workloads, pages)
    assert found.pages[0] <= 20 * DATA
    assert found.pages[1] <= 3 * DATA
    assert found.spare_pages == pages - found.pages.sum()
    # As good as the best of all splits, tried one by one in steps of a page of the smaller one.
    most = min(pages, 3 * DATA)
    sizes = np.arange(0, most + 1)
    each = workloads[1].misses_per_s(sizes) + workloads[0].misses_per_s(pages - sizes)
    assert found.misses_per_s.sum() == pytest.approx(float(each.min()), rel=1e-9)


def test_a_shared_cache_of_all_data_misses_nothing() -> None:
    workloads = loads()
    whole = 23 * DATA
    found = shared_cache(workloads, [whole, 2 * whole])
    assert not found.misses_per_s.any()
    assert found.held_pages[:, 0].tolist() == [20 * DATA, 3 * DATA]
    [split] = partitions(workloads, [whole])
    assert split.pages.tolist() == [20 * DATA, 3 * DATA]
    assert not split.misses_per_s.any()


def test_a_part_is_unknown_up_to_a_page_less_than_its_data() -> None:
    workloads = loads()

    def said(*parts: float) -> list[str]:
        return [one.message for one in about_short(workloads, np.asarray(parts))]

    assert said(100.0, 3 * DATA) == []
    [text] = said(100.0, 3 * DATA - 1)
    assert text.startswith("small: the recording shows too few pages")
    [both] = said(20 * DATA - 1, 3 * DATA - 1)
    assert both.startswith("big and small: ")


@pytest.mark.oracle("evaluate.advice.later.wider_curve")
@pytest.mark.formula("evaluate.advice.later.wider_curve")
@given(st.floats(1.0, 3.0), st.integers(0, 5))
def test_a_wider_working_set_misses_nothing_from_the_same_data_on(
    times: float, new_pages: int
) -> None:
    """As many misses at larger sizes below all of the data, which the data of a workload that does not grow end."""
    made = steady(in_production(recorded(drawn(7, 900), new_pages)))
    data = made.all_data_from
    assert data is not None
    wide = wider_curve(made, times)
    assert wide.all_data_from == data
    assert float(wide.misses(data)) == pytest.approx(float(made.misses(data)))
    sizes = np.linspace(1, data - 2, 40)
    assert (wide.misses(sizes) >= made.misses(sizes) * (1 - 1e-9) - 1e-6).all()
    longer = stretched_curve(made, times)
    below = sizes[sizes < (data - 2) / times]
    assert wide.misses(below) == pytest.approx(longer.misses(below), rel=1e-6, abs=2)


def given_to_its_data(pages: int, missed: float) -> Curve:
    """A curve that somebody gave as far as its data, where it misses so much still."""
    sizes = np.asarray([1, pages // 10, pages // 2, pages])
    return Curve.from_lists(
        sizes,
        np.asarray([900.0, 500.0, 200.0, missed]),
        np.asarray([300.0, 200.0, 80.0, missed / 2]),
        accesses=1_000,
        distinct_pages=pages,
        page_bytes=4096,
        write_accesses=400,
        given=Given("hit_ratio", data_known=True),
    )


@pytest.mark.parametrize("missed", [0.0, 12.0])
def test_a_curve_that_was_given_as_far_as_its_data_says_itself_what_misses_there(
    missed: float,
) -> None:
    """What holds all of the data holds a larger working set of the same data, and is tried where the data will grow."""
    made = given_to_its_data(2**20, missed)
    assert made.all_data_from is None
    assert made.data_held_from == 2**20
    wide = wider_curve(made, 1.25)
    assert float(wide.misses(2**20)) == missed
    assert float(wide.write_backs(2**20)) == missed / 2
    assert wide.data_held_from == 2**20
    for size in (2**18, 2**19, 2**20 - 1):
        assert float(wide.misses(size)) == pytest.approx(
            float(made.misses(size / 1.25)), rel=1e-5
        )
    grown = stretched_curve(made, 1.5)
    assert grown.data_held_from == round(2**20 * 1.5)
    # What was given beyond the data stays.
    beyond = replace(made, distinct_pages=2**19)
    assert beyond.data_held_from == 2**19
    further = wider_curve(beyond, 1.25)
    for size in (2**19, 3 * 2**18, 2**20):
        assert float(further.misses(size)) == pytest.approx(float(beyond.misses(size)))
    # Counters that spoke of sizes from some on speak of as much larger ones.
    assert made.given is not None
    counted = replace(
        made, given=replace(made.given, evidence=Evidence("points", 2**17, 2**20))
    )
    assert counted.data_held_from == 2**20
    evidence = wider_curve(counted, 1.25).evidence
    assert evidence is not None
    assert evidence.valid_from == 1.25 * 2**17


def test_ram_for_the_data_of_a_described_workload_is_tried_though_they_will_grow() -> (
    None
):
    described = Profile(given_to_its_data(2**20, 0.0), None)
    stated = Production(2**33, 500.0, 500.0, growth_per_year=0.5)
    found = advice.answer(
        scale.answer(described, stated).profile.curve,
        constraints={"io_time_us_per_access": Decimal("0.01")},
        candidates=Candidates(kinds=("devices",), reserved_gib=Decimal(0)),
        prices=catalog.price_book("street-2026-q3"),
        how_sure=False,
    ).recommendation
    assert found is not None
    # 27 GiB after three years; what holds the 8 GiB of today reads nothing today.
    assert found.ram_bytes == 2**33


@pytest.mark.oracle("profile.all_data.cut_at_data")
@pytest.mark.formula("profile.all_data.cut_at_data")
@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=12, unique=True),
    st.integers(1, 400),
    st.integers(0, 40),
    st.booleans(),
)
def test_counts_end_at_the_data_and_stay_as_they_are_below(
    some: list[int], data: int, growth: int, has_backs: bool
) -> None:
    pages = np.asarray(sorted(some), dtype=np.int64)
    misses = 1000.0 - 2.0 * pages
    backs = misses / 4 if has_backs else None
    found = cut_at_data(
        pages, misses, backs, at_zero=(1000, 250), data_pages=data, growth=growth
    )
    before = [(0, 1000.0), *((int(p), 1000.0 - 2.0 * p) for p in pages if p < data)]
    new = min(growth, before[-1][1])
    for at, page in enumerate(pages.tolist()):
        expected = 1000.0 - 2.0 * page if page < data else new
        assert found.misses[at] == pytest.approx(expected)
        if found.write_backs is not None:
            # A fourth of what leaves is dirty, of new pages too.
            assert found.write_backs[at] == pytest.approx(expected / 4)
    assert (found.write_backs is None) is not has_backs
    # The line is that of the sizes below, level up to a page less than the data, then down.
    assert found.knots[-1] == data
    assert found.knot_misses[-1] == pytest.approx(new)
    for page, missed in before:
        assert np.interp(page, found.knots, found.knot_misses) == pytest.approx(missed)
    if data > 1:
        level = np.interp(data - 1, found.knots, found.knot_misses)
        assert level == pytest.approx(before[-1][1])
    assert (np.diff(found.knots) > 0).all()
