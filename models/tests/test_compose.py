"""Several workloads on one machine: composed curves and splits against slow models and merged traces."""

from __future__ import annotations

import itertools
import json
import math
import random
import runpy
from collections import OrderedDict
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import compose, scale
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.compose.best_split import best_split
from tierwright.evaluate.compose.composed import composed_curve, composed_profile
from tierwright.evaluate.compose.errors import composed_error, scaled_parts
from tierwright.evaluate.compose.partitions import partition, partitions
from tierwright.evaluate.compose.shared import (
    bends,
    characteristic_times_s,
    held_pages,
    settled,
    shared_cache,
)
from tierwright.evaluate.page_flow.cautions import _about_readings, about_given
from tierwright.evaluate.page_flow.explain import exactness
from tierwright.evaluate.page_flow.load import _maker_of
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware.catalog import devices
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, profile_from_mapping, read_profile
from tierwright.profile.measure import profile
from tierwright.profile.production import (
    KnownError,
    Production,
    Scaled,
    ScaledParts,
)
from tierwright.profile.several import (
    StatedRate,
    Workload,
    distinct_names,
    parse_workload,
    read_workloads,
    workload_of,
)
from tierwright.trace.reading import Reading, Trace

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "generate_compositions.py"
KNOWN = Given("table", data_known=True)
GRADUAL = [90, 80, 70, 60, 50, 40, 30, 20, 10, 0]
LOOP = [100] * 39 + [0]


def curve_of(misses, *, sizes=None, accesses=100, backs=None, known=KNOWN, page=4096):
    sizes = list(range(1, len(misses) + 1)) if sizes is None else sizes
    return Curve.from_lists(
        sizes,
        misses,
        backs,
        accesses=accesses,
        distinct_pages=sizes[-1],
        page_bytes=page,
        write_accesses=0 if backs is None else accesses,
        given=known,
    )


def load(name, misses, rate=1.0, **how):
    return Workload(name, curve_of(misses, **how), rate)


@st.composite
def loads(draw, most=4):
    """Workloads with arbitrary falling curves, some of which end above 0."""
    found = []
    for at in range(draw(st.integers(1, most))):
        steps = draw(st.lists(st.integers(1, 30), min_size=1, max_size=6))
        falls = draw(
            st.lists(st.integers(0, 40), min_size=len(steps), max_size=len(steps))
        )
        misses = np.maximum(100 - np.cumsum(falls), 0)
        backs = np.floor(misses / draw(st.integers(1, 5)))
        rate = draw(st.floats(0.01, 1000.0))
        found.append(
            load(f"w{at}", misses, rate, sizes=np.cumsum(steps).tolist(), backs=backs)
        )
    return found


def all_pages(workloads):
    return sum(each.curve.distinct_pages for each in workloads)


# --- slow models --------------------------------------------------------------------------


def independent(rng, pages, skew, count, writes):
    """Draw accesses (page, whether it writes) independently, of Zipf's law."""
    weights = [1 / rank**skew for rank in range(1, pages + 1)]
    return [
        (page, rng.random() < writes)
        for page in rng.choices(range(pages), weights, k=count)
    ]


def slow_curve(accesses, page_bytes=4096):
    """Count LRU misses and write-backs of every size, one replay each."""
    distinct = len({page for page, _ in accesses})
    counts = [slow_lru(accesses, size, 0)[:2] for size in range(1, distinct + 1)]
    return Curve.from_full(
        [misses for misses, _ in counts],
        [backs for _, backs in counts],
        accesses=len(accesses),
        page_bytes=page_bytes,
        write_accesses=sum(wrote for _, wrote in accesses),
    )


def slow_lru(accesses, size, warm_up):
    """Return misses, write-backs, and the mean pages held of each workload."""
    held: OrderedDict[object, bool] = OrderedDict()
    misses = backs = 0
    of, summed = [0, 0], [0, 0]
    for index, (page, wrote) in enumerate(accesses):
        owner = page[0] if isinstance(page, tuple) else 0
        counts = index >= warm_up
        if page in held:
            held[page] |= wrote
            held.move_to_end(page)
        else:
            misses += counts
            if len(held) == size:
                victim, dirty = held.popitem(last=False)
                of[victim[0] if isinstance(victim, tuple) else 0] -= 1
                backs += dirty and counts
            held[page] = wrote
            of[owner] += 1
        if counts:
            summed[0] += of[0]
            summed[1] += of[1]
    counted = max(len(accesses) - warm_up, 1)
    return misses, backs, [each / counted for each in summed]


@cache
def interleaved():
    """Two workloads of independent accesses, 3 to 1, and what a slow LRU counts of both."""
    rng = random.Random(5)
    first = independent(rng, 80, 1.0, 18_000, 0.4)
    second = independent(rng, 50, 0.0, 6_000, 0.1)
    streams = [iter(first), iter(second)]
    order = [0] * len(first) + [1] * len(second)
    rng.shuffle(order)
    merged = []
    for owner in order:
        page, wrote = next(streams[owner])
        merged.append(((owner, page), wrote))
    workloads = [
        Workload("skewed", slow_curve(first), 3.0),
        Workload("even", slow_curve(second), 1.0),
    ]
    return workloads, merged


@pytest.mark.oracle("evaluate.compose.shared.shared_cache")
@pytest.mark.parametrize("size", [2, 10, 25, 60, 100, 125])
def test_a_slow_lru_over_both_holds_and_misses_the_same(size):
    workloads, merged = interleaved()
    running = [replace(each, curve=each.curve.steady()) for each in workloads]
    found = shared_cache(running, [size])
    warm_up = 4_000
    misses, backs, held = slow_lru(merged, size, warm_up)
    counted = len(merged) - warm_up
    assert found.misses_per_s.sum() / 4 == pytest.approx(misses / counted, abs=0.006)
    assert found.write_backs_per_s is not None
    assert found.write_backs_per_s.sum() / 4 == pytest.approx(
        backs / counted, abs=0.006
    )
    assert found.held_pages[0, 0] == pytest.approx(held[0], abs=0.6)
    assert found.held_pages[1, 0] == pytest.approx(held[1], abs=0.6)


@pytest.mark.oracle(
    "evaluate.compose.shared.characteristic_times_s",
    "evaluate.compose.shared.held_pages",
)
def test_times_are_the_integral_in_small_steps():
    each = load("a", [80, 80, 35, 0], 7.0, sizes=[3, 5, 9, 20])
    step = 1e-4
    time = 0.0
    at = {}
    for middle in np.arange(step / 2, 19.0, step):
        time += step / float(each.misses_per_s(middle))
        at[round(float(middle + step / 2), 4)] = time
    sizes = np.asarray([0.5, 3.0, 4.0, 7.25, 9.0, 15.0, 19.0])
    slow = np.asarray([at[float(size)] for size in sizes])
    np.testing.assert_allclose(characteristic_times_s(each, sizes), slow, rtol=1e-5)
    np.testing.assert_allclose(held_pages(each, slow), sizes, rtol=1e-5)
    assert math.isinf(characteristic_times_s(each, 20.0))
    assert held_pages(each, np.inf) == 20.0


@pytest.mark.oracle("evaluate.compose.shared.bends")
def test_bends_are_where_one_of_them_reaches_a_listed_size():
    workloads = [
        load("a", [60, 20, 5], 2.0, sizes=[4, 10, 30]),
        load("b", [90, 50, 10], 1.0, sizes=[2, 8, 9]),
    ]
    expected = set()
    for each in workloads:
        for knot in each.curve.pages.tolist():
            time = float(characteristic_times_s(each, knot))
            whole = sum(float(held_pages(other, time)) for other in workloads)
            expected.add(round(whole, 9))
    assert np.round(bends(workloads), 9).tolist() == sorted(expected)
    held = shared_cache(workloads, bends(workloads)).held_pages
    listed = [np.append(each.curve.pages, each.most_pages) for each in workloads]
    for column in held.T:
        near = [
            np.min(np.abs(knots - pages))
            for knots, pages in zip(listed, column, strict=True)
        ]
        assert min(near) < 1e-6


def convex(rng, pages):
    gains = sorted((rng.randint(1, 30) for _ in range(pages)), reverse=True)
    return np.maximum(100.0 - np.cumsum(gains) / 2, 0.0)


def every_split(workloads, pages):
    """Least misses per second of all splits, by trying each."""
    last = [each.curve.last_listed for each in workloads]
    best = math.inf
    for sizes in itertools.product(*(range(most + 1) for most in last)):
        if sum(sizes) <= pages:
            missed = sum(
                float(each.misses_per_s(size))
                for each, size in zip(workloads, sizes, strict=True)
            )
            best = min(best, missed)
    return best


@pytest.mark.oracle(
    "evaluate.compose.partitions.partition", "evaluate.compose.partitions.partitions"
)
@pytest.mark.parametrize("seed", range(6))
def test_the_split_is_the_best_of_all(seed):
    rng = random.Random(seed)
    workloads = [
        load(name, convex(rng, rng.randint(3, 7)), rng.uniform(0.5, 4.0))
        for name in "abc"
    ]
    sizes = (0, 1, 4, 9, all_pages(workloads), 40)
    together = partitions(workloads, sizes)
    assert len(together) == len(sizes)
    for pages, one in zip(sizes, together, strict=True):
        found = partition(workloads, pages)
        assert one.pages.tolist() == found.pages.tolist()
        best = every_split(workloads, pages)
        assert found.misses_per_s.sum() == pytest.approx(best)
        assert found.least_misses_per_s == pytest.approx(best)
        assert found.pages.sum() + found.spare_pages == pages


def test_a_cliff_gets_all_of_its_pages_or_what_is_left_goes_elsewhere():
    loop = load("loop", [100] * 9 + [0])
    slope = load("slope", [95, 90, 85, 80, 75, 70])
    assert partition([loop, slope], 12).pages.tolist() == [10, 2]
    small = partition([loop, slope], 6)
    assert small.pages.tolist() == [0, 6]
    assert small.misses_per_s == pytest.approx([1.0, 0.7])
    assert small.least_misses_per_s == pytest.approx(1.4)
    # Passed over, the loop leaves its pages to those that need one each.
    single = [load(name, [91]) for name in "bcde"]
    split = partition([loop, *single], 9)
    assert split.pages.tolist() == [0, 1, 1, 1, 1]
    assert split.spare_pages == 5
    assert split.misses_per_s.sum() == pytest.approx(1 + 4 * 0.91)


def test_what_is_left_goes_to_a_skipped_workload_before_a_step_that_saves_less():
    # With 9 pages the wide step of b is too far; its first pages still save more than all of c.
    workloads = [
        load("a", [99], 15.0),
        load("b", [99, 99, 91], 49.0, sizes=[27, 28, 29]),
        load("c", [100, 100, 99], sizes=[1, 2, 8]),
    ]
    few, more = partitions(workloads, [2, 9])
    assert few.pages.tolist() == [1, 1, 0]
    assert more.pages.tolist() == [1, 8, 0]
    assert more.misses_per_s.sum() < few.misses_per_s.sum()


@pytest.mark.oracle(
    "evaluate.compose.partitions.partition", "evaluate.compose.best_split.best_split"
)
@pytest.mark.parametrize("seed", range(30))
def test_the_split_is_the_best_of_all_where_curves_have_cliffs(seed):
    rng = random.Random(seed)
    workloads = []
    for name in "abcd"[: rng.randint(2, 4)]:
        falls = [rng.choice([0, 0, 0, 1, 2, 3, 30]) for _ in range(rng.randint(2, 7))]
        misses = np.maximum(100 - np.cumsum(falls), 0)
        workloads.append(load(name, misses, rng.uniform(0.2, 5.0)))
    weights = [rng.choice([1.0, 1.0, 3.0]) for _ in workloads]
    counted = [
        replace(each, accesses_per_s=weight * each.accesses_per_s)
        for each, weight in zip(workloads, weights, strict=True)
    ]
    for pages in range(all_pages(workloads) + 2):
        found = partition(workloads, pages, miss_weights=weights)
        assert found.misses_per_s @ weights == pytest.approx(
            every_split(counted, pages), abs=1e-9
        )
        assert found.pages.sum() + found.spare_pages == pages
        # Whatever was known before, and whatever a page is taken to be worth.
        nothing = np.zeros(len(workloads), dtype=np.int64)
        price = rng.choice([0.0, rng.random()])
        parts = best_split(workloads, np.asarray(weights), pages, price, nothing)
        assert sum(
            float(each.misses_per_s(part))
            for each, part in zip(counted, parts, strict=True)
        ) == pytest.approx(found.misses_per_s @ weights, abs=1e-9)


@pytest.mark.formula("evaluate.compose.best_split.best_split")
@given(loads(), st.integers(0, 200), st.floats(0, 100), st.data())
def test_no_better_split_leaves_the_known_one_and_none_needs_more(
    workloads, pages, price, data
):
    left, known = pages, []
    for _ in workloads:
        known.append(data.draw(st.integers(0, left)))
        left -= known[-1]

    def missed(sizes):
        return sum(
            float(each.misses_per_s(size))
            for each, size in zip(workloads, sizes, strict=True)
        )

    weights = np.ones(len(workloads))
    parts = best_split(workloads, weights, pages, price, np.asarray(known))
    rate = sum(each.accesses_per_s for each in workloads)
    assert parts.sum() <= pages
    assert missed(parts) <= missed(known) + 1e-9 * rate
    again = best_split(workloads, weights, pages, price, parts)
    assert again.tolist() == parts.tolist()


@pytest.mark.formula("evaluate.compose.partitions.partition")
@given(loads(), st.integers(1, 200))
def test_the_best_split_never_misses_more_than_the_shared_cache(workloads, pages):
    # What a shared cache holds of each is a split too; of two workloads between listed sizes one may give to the other.
    shared = shared_cache(workloads, [pages]).misses_per_s.sum()
    rate = sum(each.accesses_per_s for each in workloads)
    assert partition(workloads, pages).misses_per_s.sum() <= shared + 1e-9 * rate


def test_of_recorded_curves_no_two_parts_can_be_exchanged_for_fewer_misses(recorded):
    (first, second), _ = recorded
    workloads = [
        workload_of("tpcb", first, StatedRate(8000.0)),
        workload_of("tpcc", second, StatedRate(32_000.0)),
    ]
    for pages in (300, 1200, 5000, 17_000, 40_000):
        own = np.arange(pages + 1)
        every = workloads[0].misses_per_s(own) + workloads[1].misses_per_s(pages - own)
        assert partition(workloads, pages).misses_per_s.sum() == pytest.approx(
            every.min(), rel=1e-9
        )


# --- merged traces ------------------------------------------------------------------------


@cache
def script():
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Both shipped cuts up to the end of the shorter, and the trace merged by their clock."""
    folder = tmp_path_factory.mktemp("recorded")
    made = script()
    first, second = made.shipped("tpcb-cut")(), made.shipped("tpcc-cut")()
    end = min(first[-1][0], second[-1][0])
    paths = [
        made.written(folder / name, [row for row in rows if row[0] <= end])
        for name, rows in (("tpcb.csv", first), ("tpcc.csv", second))
    ]
    merged = Trace(
        paths[0],
        others=(paths[1],),
        reading=Reading(members_apart=True, members_merged=True),
    )
    return [profile(Trace(path)) for path in paths], profile(merged)


@pytest.mark.oracle(
    "evaluate.compose.composed.composed_profile", "advise.compose.answer"
)
def test_two_recordings_miss_together_what_their_merged_trace_misses(recorded):
    (first, second), merged = recorded
    workloads = [workload_of("tpcb", first), workload_of("tpcc", second)]
    made = composed_profile(workloads)
    assert made.curve.accesses == merged.curve.accesses
    assert made.duration_s == pytest.approx(merged.duration_s, rel=1e-4)
    assert made.curve.distinct_pages == merged.curve.distinct_pages
    running = merged.curve.steady()
    sizes = np.geomspace(merged.curve.distinct_pages / 100, 26_000, 30).astype(int)
    # Write-backs of a running cache are an estimate on both sides, of each recording and of the merged one.
    for name, most in (("misses", 0.015), ("write_backs", 0.03)):
        np.testing.assert_allclose(
            getattr(made.curve, name)(sizes), getattr(running, name)(sizes), rtol=most
        )
    found = compose.answer(workloads, ram_pages=4000, partitioned=False)
    assert found.shared_miss_ratio == pytest.approx(
        float(running.misses(4000)) / merged.curve.accesses, rel=0.01
    )


def test_the_published_error_is_measured_and_bounds_what_the_answer_says():
    made = script()
    page = made.PAGE.read_text("utf-8")
    [line] = made.lines(made.PAIRS[:1])
    assert line in page
    table = [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in page.partition(made.BEGIN)[2].partition(made.END)[0].splitlines()
        if " / " in row
    ]
    assert [row[0] for row in table] == [pair.name for pair in made.PAIRS]
    nearby = [float(row[7].removesuffix(" %")) / 100 for row in table]
    assert 0 < max(nearby) <= compose.KNOWN_ERROR


# --- properties ---------------------------------------------------------------------------


@pytest.mark.formula(
    "evaluate.compose.shared.characteristic_times_s",
    "evaluate.compose.shared.held_pages",
)
@given(loads(most=1), st.floats(0.0, 1.0), st.floats(0.1, 10.0))
def test_times_and_pages_are_inverse_and_go_with_the_rate(workloads, share, factor):
    [each] = workloads
    size = share * each.curve.distinct_pages
    time = characteristic_times_s(each, size)
    faster = replace(each, accesses_per_s=factor * each.accesses_per_s)
    if math.isfinite(time):
        assert held_pages(each, time) == pytest.approx(size, rel=1e-6, abs=1e-9)
        assert characteristic_times_s(faster, size) == pytest.approx(time / factor)
    larger = characteristic_times_s(each, size + 1)
    assert larger > time or math.isinf(time)


@pytest.mark.formula("evaluate.compose.shared.shared_cache")
@given(loads(most=1), st.floats(0.0, 1.2))
def test_alone_it_is_itself_and_twice_at_half_the_rate_it_is_stretched(
    workloads, share
):
    [each] = workloads
    size = share * each.curve.distinct_pages
    alone = shared_cache([each], [size])
    assert alone.misses_per_s[0, 0] == pytest.approx(float(each.misses_per_s(size)))
    half = replace(each, accesses_per_s=each.accesses_per_s / 2)
    twice = shared_cache([half, half], [2 * size])
    assert twice.misses_per_s.sum() == pytest.approx(
        float(each.misses_per_s(size)), rel=1e-6, abs=1e-9
    )
    assert twice.held_pages[:, 0] == pytest.approx(
        [alone.held_pages[0, 0]] * 2, rel=1e-6, abs=1e-9
    )
    assert twice.write_backs_per_s.sum() == pytest.approx(
        float(each.write_backs_per_s(size)), rel=1e-6, abs=1e-9
    )


@pytest.mark.formula(
    "evaluate.compose.shared.shared_cache", "evaluate.compose.shared.bends"
)
@given(loads(), st.lists(st.floats(0.0, 1.5), min_size=2, max_size=5), st.randoms())
def test_shares_add_up_more_ram_misses_no_more_and_the_order_is_the_same(
    workloads, shares, rng
):
    whole = all_pages(workloads)
    sizes = np.sort(np.asarray(shares) * whole)
    found = shared_cache(workloads, sizes)
    held = found.held_pages.sum(axis=0)
    full = np.isfinite(found.times_s)
    assert held[full] == pytest.approx(sizes[full], rel=1e-9, abs=1e-9)
    assert np.all(held <= sizes * (1 + 1e-9) + 1e-9)
    assert found.held_shares.sum(axis=0)[held > 0] == pytest.approx(1.0)
    total = found.misses_per_s.sum(axis=0)
    rate = sum(each.accesses_per_s for each in workloads)
    assert np.all(np.diff(total) <= 1e-9 * rate)
    order = list(range(len(workloads)))
    rng.shuffle(order)
    other = shared_cache([workloads[at] for at in order], sizes)
    np.testing.assert_allclose(
        other.misses_per_s, found.misses_per_s[order], rtol=1e-6, atol=1e-9 * rate
    )
    around = bends(workloads)
    assert np.all(np.diff(around) > 0)
    assert around[-1] <= whole * (1 + 1e-9)


@pytest.mark.formula(
    "evaluate.compose.partitions.partition", "evaluate.compose.partitions.partitions"
)
@given(loads(), st.integers(0, 200), st.data())
def test_no_split_misses_less_than_the_hulls(workloads, pages, data):
    weights = [data.draw(st.floats(0.1, 10.0)) for _ in workloads]
    found = partition(workloads, pages, miss_weights=weights)
    assert found.pages.sum() + found.spare_pages == pages
    assert np.all(found.pages >= 0)
    assert found.spare_pages >= 0
    left = pages
    split = []
    for _ in workloads:
        split.append(data.draw(st.integers(0, left)))
        left -= split[-1]
    rate = sum(
        weight * each.accesses_per_s
        for weight, each in zip(weights, workloads, strict=True)
    )
    for sizes in (split, found.pages):
        missed = sum(
            weight * float(each.misses_per_s(size))
            for weight, each, size in zip(weights, workloads, sizes, strict=True)
        )
        assert missed >= found.least_misses_per_s - 1e-9 * rate
    same, more = partitions(workloads, [pages, pages + 7], miss_weights=weights)
    assert same.misses_per_s.tolist() == found.misses_per_s.tolist()
    assert np.dot(weights, more.misses_per_s) <= (
        np.dot(weights, found.misses_per_s) + 1e-9 * rate
    )
    back = partition(workloads[::-1], pages, miss_weights=weights[::-1])
    assert back.least_misses_per_s == pytest.approx(
        found.least_misses_per_s, abs=1e-9 * rate
    )


@pytest.mark.formula("evaluate.compose.composed.composed_profile")
@given(loads())
def test_the_profile_is_the_shared_cache_and_is_read_again(workloads):
    made = composed_profile(workloads)
    found = shared_cache(workloads, made.curve.pages)
    seconds = made.duration_s
    assert made.curve.accesses == sum(each.curve.accesses for each in workloads)
    assert seconds * sum(each.accesses_per_s for each in workloads) == pytest.approx(
        made.curve.accesses
    )
    np.testing.assert_allclose(
        made.curve.misses_at, found.misses_per_s.sum(axis=0) * seconds, atol=1e-4
    )
    np.testing.assert_allclose(
        made.curve.write_backs_at,
        found.write_backs_per_s.sum(axis=0) * seconds,
        atol=1e-4,
    )
    again = profile_from_mapping(json.loads(made.to_text()))
    assert again.to_dict() == made.to_dict()
    assert again.curve.given.composed_of == tuple(each.name for each in workloads)
    assert again.curve.steady() is again.curve


def test_a_profile_that_an_earlier_version_composed_says_that_it_ends_too_early():
    """Its file does not state that it was followed to the end; composed again it says nothing of the kind."""
    made = composed_profile([scaled_load("near", GRADUAL, known())])
    again = profile_from_mapping(json.loads(made.to_text()))
    before = made.to_dict()
    del before["given"]["to_the_end"]
    early = profile_from_mapping(before)
    told = {}
    for name, each in (("again", again), ("early", early)):
        [said] = [
            one for one in about_given(each.curve) if one.name == "composed_workload"
        ]
        told[name] = said
    assert "ended it too early" not in told["again"].message
    assert "large caches miss less than it says" in told["early"].message
    assert told["early"].hint == "compose it again"


def test_alone_a_composed_profile_and_a_scaled_one_are_themselves_at_every_size():
    rng = random.Random(2)
    counted = Profile(slow_curve(independent(rng, 60, 1.0, 3000, 0.1)), 30.0)
    composed = composed_profile([workload_of("a", counted), workload_of("b", counted)])
    production = Production(data_bytes=60 * 4096 * 20, accesses_per_s=500.0)
    scaled = scale.answer(counted, production).profile
    assert scaled.curve.scaled is not None
    for made in (composed, scaled):
        [alone] = [workload_of("made", made)]
        running = made.curve.steady()
        sizes = np.linspace(1, 2.5 * running.last_listed, 40)
        np.testing.assert_allclose(
            shared_cache([alone], sizes).misses_per_s[0],
            running.misses(sizes) / made.duration_s,
            rtol=1e-9,
        )
    both = composed_profile([workload_of("scaled", scaled), workload_of("a", counted)])
    assert both.curve.distinct_pages == (
        scaled.curve.data_pages + counted.curve.distinct_pages
    )
    assert "Scaled from a recording to production: scaled." in (
        both.curve.given.assumptions
    )


# --- how far the profile is off -----------------------------------------------------------


def recorded_load(rng, name, rate):
    """A workload of a recording: its trend goes on beyond the pages that were seen."""
    pages = rng.choice([20, 60, 90])
    accesses = independent(rng, pages, rng.uniform(0.2, 1.4), 5 * pages, 0.3)
    counted = Profile(slow_curve(accesses), 30.0)
    return workload_of(name, counted, StatedRate(rate))


def scaled_up_load(rng, name, rate):
    """A recording that was scaled to more data."""
    accesses = independent(rng, 40, rng.uniform(0.5, 1.2), 800, 0.1)
    production = Production(
        data_bytes=40 * 4096 * rng.choice([2, 9, 400]), accesses_per_s=rate
    )
    counted = Profile(slow_curve(accesses), 30.0)
    return workload_of(name, scale.answer(counted, production).profile)


def stepped_load(rng, name, rate):
    """A given curve of few sizes; one that ends at no misses never fills its part of a shared cache."""
    sizes = np.cumsum([rng.randint(1, 4000) for _ in range(rng.randint(1, 6))])
    misses = sorted((1000 * rng.random() for _ in sizes), reverse=True)
    if rng.random() < 0.5:
        misses[-1] = 0
    shares = sorted((rng.random() for _ in sizes), reverse=True)
    backs = [each * dirty for each, dirty in zip(misses, shares, strict=True)]
    return load(name, misses, rate, sizes=sizes.tolist(), accesses=1000, backs=backs)


def assert_as_near_as_stated(workloads, made, rng):
    """Hold a composed profile against the shared cache at sizes between those it lists, and beyond."""
    curve = made.curve
    last = curve.last_listed
    sizes = {round(last ** rng.random()) for _ in range(300)}
    sizes |= {rng.randint(1, 3 * last) for _ in range(200)}
    sizes |= set(((curve.pages[1:] + curve.pages[:-1]) // 2).tolist())
    sizes |= {last, last + 1, 2 * last, 10 * last, 1000 * last}
    at = np.asarray(sorted(sizes - {0}))
    found = shared_cache(workloads, at)
    rate = sum(each.accesses_per_s for each in workloads)
    off = curve.misses(at) / curve.accesses - found.misses_per_s.sum(axis=0) / rate
    worst = np.max(np.abs(off))
    if found.write_backs_per_s is not None:
        share = curve.write_backs(at) / curve.accesses
        off = share - found.write_backs_per_s.sum(axis=0) / rate
        worst = max(worst, np.max(np.abs(off)))
    assert worst <= made.thinned_error + 1e-9
    return worst


@pytest.mark.oracle("evaluate.compose.composed.composed_curve")
@pytest.mark.parametrize("seed", range(40))
def test_at_every_size_the_profile_is_off_by_no_more_than_it_states(seed):
    rng = random.Random(seed)
    kinds = [recorded_load, scaled_up_load, stepped_load]
    workloads = [
        rng.choice(kinds)(rng, f"w{at}", 10 ** rng.uniform(-2, 4))
        for at in range(rng.randint(1, 4))
    ]
    made = composed_profile(workloads, points=rng.choice([20, 200, 1000]))
    assert_as_near_as_stated(workloads, made, rng)
    whole = composed_curve(workloads)
    near = Profile(whole, made.duration_s, thinned_error=2e-6)
    assert_as_near_as_stated(workloads, near, rng)
    named = composed_profile(workloads, points=20, also=[7, 3 * whole.last_listed])
    assert {7, 3 * whole.last_listed} <= set(named.curve.pages.tolist())
    assert_as_near_as_stated(workloads, named, rng)


@pytest.mark.formula(
    "evaluate.compose.composed.composed_curve", "evaluate.compose.shared.settled"
)
@given(loads(), st.integers(1, 1000), st.floats(1e-6, 1e-2))
def test_beyond_where_a_shared_cache_is_settled_hardly_a_miss_is_saved(
    workloads, pages, share
):
    rate = sum(each.accesses_per_s for each in workloads)
    end = settled(workloads, share * rate)
    found = shared_cache(workloads, [end, 2 * end + pages, 1e6 * end + pages])
    for counts in (found.misses_per_s, found.write_backs_per_s):
        total = counts.sum(axis=0)
        assert total[0] - total[1:].min() <= share * rate * (1 + 1e-6) + 1e-9 * rate
    whole = composed_curve(workloads)
    missed = shared_cache(workloads, [pages]).misses_per_s.sum() / rate
    assert float(whole.misses(pages)) / whole.accesses == pytest.approx(
        missed, abs=2e-6
    )


@pytest.mark.oracle("evaluate.compose.shared.settled")
def test_a_shared_cache_is_settled_where_no_size_beyond_saves_more():
    # a ends at no misses after 50 pages; beside b, which goes on to miss, it never has them all.
    known = [
        load("a", [40, 0], 10.0, sizes=[20, 50]),
        load(
            "b", [90, 60], 30.0, sizes=[10, 400], known=Given("table", data_known=False)
        ),
    ]
    least = 30.0 * 0.6
    for within in (5.0, 0.5, 1e-3, 1e-6):
        end = settled(known, within)
        every = np.arange(1, 5000)
        missed = shared_cache(known, every).misses_per_s.sum(axis=0)
        first = every[int(np.argmax(missed - least <= within))]
        # The smallest size that will do is no larger, and no bend lies between.
        assert first <= math.ceil(end)
        around = bends(known)
        assert not np.any((around >= first) & (around < end * (1 - 1e-9)))
    # Alone it is settled at the last size that it lists.
    assert settled([known[0]], 1e-9) == pytest.approx(50)


def test_the_profile_goes_on_until_the_slower_workload_has_all_that_it_can_use(
    recorded,
):
    # When one of them is past its end, the other has not reached its own.
    (first, second), _ = recorded
    workloads = [
        workload_of("tpcb", first, StatedRate(1000.0)),
        workload_of("tpcc", second, StatedRate(32_000.0)),
    ]
    ends = [each.curve.last_listed for each in workloads]
    made = composed_profile(workloads)
    # By hand: tpcb fills its curve in so many seconds, in which tpcc gets ever more.
    slow, fast = workloads
    seconds = float(np.sum(1 / slow.misses_per_s(np.arange(ends[0]) + 0.5)))
    late = float(held_pages(fast, seconds))
    assert late > 1.2 * ends[1]
    assert made.curve.last_listed >= 0.99 * (ends[0] + late)
    least = sum(float(each.misses_per_s(each.curve.last_listed)) for each in workloads)
    assert made.curve.misses_at[-1] == pytest.approx(
        least * made.duration_s, abs=2e-6 * made.curve.accesses
    )
    assert_as_near_as_stated(workloads, made, random.Random(1))


# --- profiles and rates -------------------------------------------------------------------


def written(path, *, duration_s=50.0, **how):
    Profile(curve_of([60, 20, 0], backs=[30, 10, 0], **how), duration_s).write(path)
    return path


def measured(path, duration_s=50.0, page=4096):
    curve = Curve.from_full(
        [60, 20, 3], [30, 10, 0], accesses=100, page_bytes=page, write_accesses=40
    )
    Profile(curve, duration_s).write(path)
    return path


def test_rates_are_recorded_stated_or_a_multiple(tmp_path):
    path = measured(tmp_path / "a.json")
    found = read_workloads([str(path), f"{path}=7.5", f"{path}=x3"])
    assert [each.accesses_per_s for each in found] == [2.0, 7.5, 6.0]
    assert [each.name for each in found] == ["a", "a #2", "a #3"]
    assert found[0].rate_basis == "100 accesses in 50.0 s of the workload"
    assert found[1].rate_basis == "stated"
    assert found[2].rate_basis.startswith("3.00 times 100 accesses")
    assert found[0].curve.start == "steady"


def test_names_that_stand_again_are_numbered_and_never_twice():
    assert distinct_names(["a", "a", "a #2", "b", "a"]) == (
        "a",
        "a #2",
        "a #2 #2",
        "b",
        "a #3",
    )


def test_the_rate_of_a_scaled_workload_is_that_of_one_machine_of_production():
    counted = Profile(slow_curve(independent(random.Random(1), 40, 1, 900, 0.1)), 9.0)
    production = Production(data_bytes=40 * 4096 * 3, accesses_per_s=500.0, machines=2)
    scaled = scale.answer(counted, production).profile
    found = workload_of("a", scaled)
    assert found.accesses_per_s == pytest.approx(250.0)
    assert found.rate_basis == "the mean rate of one machine of production"
    twice = workload_of("a", scaled, StatedRate(2.0, relative=True))
    assert twice.accesses_per_s == pytest.approx(500.0)
    assert twice.rate_basis == "2.00 times the mean rate of one machine of production"


def test_a_file_whose_name_holds_an_equals_sign_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    measured(Path("a=5"))
    assert parse_workload("a=5") == (Path("a=5"), None)
    assert parse_workload("b=5") == (Path("b"), StatedRate(5.0))


@pytest.mark.parametrize("rate", ["zz", "0", "-1", "x0", "x", "inf", "nan"])
def test_a_bad_rate_is_named(rate):
    with pytest.raises(BadInput, match="is not a number above 0") as found:
        parse_workload(f"a.json={rate}")
    assert f"`{rate}`" in found.value.message
    assert "PROFILE=5000" in found.value.hint


def test_what_cannot_be_composed_is_named(tmp_path):
    first = measured(tmp_path / "a.json")
    other = measured(tmp_path / "b.json", page=8192)
    with pytest.raises(BadInput, match="8192") as found:
        read_workloads([str(first), str(other)])
    assert "page size of b" in found.value.message
    assert "[[page_bytes=4096]]" in found.value.hint
    timeless = measured(tmp_path / "c.json", duration_s=None)
    with pytest.raises(BadInput, match="no duration") as found:
        read_workloads([str(timeless)])
    assert "c=5000" in found.value.hint
    assert read_workloads([f"{timeless}=9"])[0].accesses_per_s == 9.0
    with pytest.raises(BadInput, match="from 1 to 32"):
        shared_cache([], [1])
    with pytest.raises(BadInput, match=r"a\.accesses_per_s: `0"):
        shared_cache([load("a", [5], 0.0)], [1])
    with pytest.raises(BadInput, match="0 or more"):
        shared_cache([load("a", [5])], [-1])
    with pytest.raises(BadInput, match="miss_weights"):
        partition([load("a", [5])], 1, miss_weights=[1, 2])
    with pytest.raises(BadInput, match="whole pages"):
        partition([load("a", [5])], 1.5)
    cold = read_profile(first).curve.with_new_pages(2)
    with pytest.raises(BadInput, match="`2` new pages"):
        composed_profile([Workload("a", cold, 1.0)])


def test_without_write_backs_of_one_the_dirty_share_is_unknown():
    reads = load(
        "reads", [50, 0], known=Given("table", data_known=False, write_share=0.5)
    )
    both = load("both", [50, 0], 3.0, backs=[10, 0])
    made = composed_profile([reads, both])
    assert made.curve.write_backs_at is None
    assert made.curve.given.write_share == pytest.approx((0.5 + 3.0) / 4)
    assert not made.curve.data_known
    assert profile_from_mapping(json.loads(made.to_text())).to_dict() == made.to_dict()
    found = compose.answer([reads, both], ram_pages=2)
    assert found.shared_write_backs_per_s is None
    [about] = [each for each in found.warnings if each.name == "write_backs_unknown"]
    assert about.message.startswith("reads:")
    [composed] = [
        each for each in about_given(made.curve) if each.name == "composed_workload"
    ]
    assert "composed of 2 workloads, not measured" in composed.message
    assert "reads and both" in composed.message


# --- errors of scale laws -----------------------------------------------------------------


def known(mean=0.1, worst=0.3, *, up_to=8.0, extrapolated=False, per="access"):
    return KnownError(mean, worst, up_to, extrapolated, per)


def scaled_load(name, misses, error, rate=1.0):
    """A workload that a law scaled, with the error known of it; None: never measured."""
    made = load(name, misses, rate)
    scaled = Scaled(
        "stretch", 4.0, error, Production(4096 * 4, rate), 4096, True, 1, None
    )
    return replace(made, curve=replace(made.curve, scaled=scaled))


@pytest.mark.oracle("evaluate.compose.errors.composed_error")
def test_misses_that_are_all_off_to_one_side_are_off_by_the_mean_in_all():
    misses = np.asarray([30.0, 10.0, 60.0])
    means = [0.1, 0.5, 0.0]
    errors = [known(0.1, 0.2), known(0.5, 0.9, up_to=3.0, extrapolated=True), None]
    found = composed_error(errors, misses)
    off = sum(m * (1 + mean) for m, mean in zip(misses, means, strict=True))
    assert found.mean == pytest.approx(off / misses.sum() - 1)
    assert found.worst == 0.9
    assert found.measured_up_to == 3.0
    assert found.extrapolated
    assert found.per == "access"
    same = [known(per="transaction"), known(per="transaction")]
    assert composed_error(same, [1, 2]).per == "transaction"
    assert composed_error([*same, None], [1, 2, 0]).per == "access"
    assert composed_error([known()], [0.0]).mean == 0.0


@pytest.mark.formula(
    "evaluate.compose.errors.composed_error", "evaluate.compose.errors.scaled_parts"
)
@given(
    # A ratio of subnormal numbers is no number to nine digits.
    st.lists(
        st.tuples(
            st.floats(0, 3), st.floats(0, 3), st.floats(0, 1e6, allow_subnormal=False)
        ),
        min_size=1,
        max_size=5,
    )
)
def test_the_composed_error_lies_between_those_of_its_workloads_and_bounds_the_sum(
    rows,
):
    errors = [known(mean, mean + more) for mean, more, _ in rows]
    misses = np.asarray([missed for _, _, missed in rows])
    found = composed_error(errors, misses)
    workloads = [scaled_load(f"w{at}", [5], each) for at, each in enumerate(errors)]
    names = tuple(each.name for each in workloads)
    assert scaled_parts(workloads, misses) == ScaledParts(names, found)
    means = [each.mean for each in errors]
    assert found.mean <= max(means) * (1 + 1e-9)
    if misses.sum() > 0:
        assert found.mean >= min(means) * (1 - 1e-9)
    for side in (1, -1):
        off = sum(
            m * (1 + each.worst) ** side for m, each in zip(misses, errors, strict=True)
        )
        assert off <= misses.sum() * (1 + found.worst) * (1 + 1e-9)
        assert off >= misses.sum() / (1 + found.worst) * (1 - 1e-9)


def test_a_composed_error_needs_an_error_and_misses_of_each():
    with pytest.raises(BadInput, match="at least one workload that was scaled"):
        composed_error([None], [1.0])
    with pytest.raises(BadInput, match="2 in all"):
        composed_error([known(), None], [1.0])
    with pytest.raises(BadInput, match="`-1"):
        composed_error([known()], [-1.0])


@pytest.mark.oracle("evaluate.compose.errors.scaled_parts")
def test_what_was_scaled_is_named_and_one_unmeasured_law_leaves_all_unknown():
    plain, near, far = (
        load("plain", GRADUAL),
        scaled_load("near", GRADUAL, known(0.1)),
        scaled_load("far", GRADUAL, None),
    )
    assert scaled_parts([plain, plain], np.asarray([1.0, 1.0])) is None
    found = scaled_parts([plain, near], np.asarray([3.0, 1.0]))
    assert found is not None
    assert found.names == ("near",)
    assert found.known_error is not None
    assert found.known_error.mean == pytest.approx(0.1 / 4)
    unknown = scaled_parts([near, far], np.asarray([1.0, 1.0]))
    assert unknown == ScaledParts(("near", "far"), None)


def test_a_composed_profile_keeps_the_error_of_its_scaled_workloads():
    near, plain = scaled_load("near", GRADUAL, known(0.1, 0.4)), load("plain", GRADUAL)
    made = composed_profile([near, plain])
    again = profile_from_mapping(json.loads(made.to_text()))
    for curve in (made.curve, again.curve, made.curve.at(made.curve.pages)):
        assert curve.is_scaled
        assert curve.scaled is None
        assert curve.known_error is not None
        assert curve.known_error.worst == 0.4
        # Both miss alike, and half of the misses are of the scaled one.
        assert curve.known_error.mean == pytest.approx(0.05)
        low, high = curve.law_band(5)
        assert low == pytest.approx(curve.misses(5) / 1.4)
        assert high == pytest.approx(min(1.4 * float(curve.misses(5)), curve.accesses))
        assert curve.misses_band(5) == (low, high)
    whole = composed_profile([workload_of("both", made), plain])
    assert whole.curve.known_error is not None
    assert whole.curve.known_error.worst == 0.4
    assert whole.curve.known_error.mean < 0.05
    assert whole.curve.scaled_parts is not None
    assert whole.curve.scaled_parts.names == ("both",)
    unmeasured = composed_profile([scaled_load("far", GRADUAL, None), plain]).curve
    assert unmeasured.known_error is None
    assert unmeasured.law_band(5) == (0.0, float(unmeasured.accesses))
    with pytest.raises(BadInput, match="were scaled already: near"):
        scale.answer(made, Production(data_bytes=2**30, accesses_per_s=1.0))
    bare = composed_profile([plain, plain]).curve
    assert not bare.is_scaled
    assert bare.law_band(5) == (bare.misses(5), bare.misses(5))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"workloads": []}, "workloads"),
        ({"workloads": "near"}, "workloads"),
        ({"known_error": {"mean": -1}}, "known_error"),
    ],
)
def test_a_file_with_a_damaged_composed_error_is_refused(changes, named):
    made = composed_profile([scaled_load("near", GRADUAL, known())]).to_dict()
    made["given"]["scaled"] |= changes
    with pytest.raises(BadInput, match=rf"given\.scaled\.{named}"):
        profile_from_mapping(made)
    made = composed_profile([scaled_load("near", GRADUAL, known())]).to_dict()
    del made["given"]["composed_of"]
    with pytest.raises(BadInput, match="composed_of"):
        profile_from_mapping(made)


def test_answers_say_how_far_scaled_workloads_are_off():
    def said(*workloads):
        composed = about_given(composed_profile(workloads).curve)
        answered = compose.answer(workloads, ram_pages=5).warnings
        for found in (list(composed), answered):
            [one] = [each for each in found if each.name.startswith("scale")]
            yield one

    plain = load("plain", GRADUAL)
    near = scaled_load("near", GRADUAL, known(0.1, 0.4))
    for one in said(near, plain):
        assert one.name == "scaled"
        assert one.message.startswith("near was scaled to production: by the errors")
        assert one.message.endswith("are 5.00 % off on average, 40.0 % off at most")
    far = scaled_load("far", GRADUAL, known(0.9, 2.49, up_to=5.0, extrapolated=True))
    for one in said(near, far):
        assert one.name == "scale_extrapolated"
        assert one.message.startswith("near and far were scaled to production; the err")
        assert "measured up to 5.00 times and are extrapolated" in one.message
        assert one.message.endswith("may be up to a factor of 3.49 off")
    for one in said(far, plain):
        assert (
            "its law was measured up to 5.00 times and is extrapolated" in one.message
        )
    blind = scaled_load("blind", GRADUAL, None)
    for one in said(blind, plain):
        assert one.name == "scaled_unmeasured"
        assert "blind was scaled to production, by a law whose" in one.message
    for one in said(blind, near):
        assert "blind and near were scaled to production, at least one" in one.message
    assert not [
        each
        for each in compose.answer([plain, plain], ram_pages=5).warnings
        if each.name.startswith("scale")
    ]


def test_the_answer_weighs_errors_by_the_misses_at_its_size():
    near = scaled_load("near", LOOP, known(0.1, 0.4), 3.0)
    found = compose.answer([near, load("plain", GRADUAL)], ram_pages=10)
    assert found.scaled is not None
    assert found.scaled.known_error is not None
    share = found.rows[0].shared_miss_share
    assert found.scaled.known_error.mean == pytest.approx(0.1 * share)
    steps = {step.name: step.value for step in found.derivation()}
    assert steps["mean error of the scale laws"] == found.scaled.known_error.mean
    assert steps["worst error of the scale laws"] == 0.4
    assert compose.answer([load("plain", GRADUAL)], ram_pages=10).scaled is None


def test_the_other_end_of_a_composed_error_is_its_band():
    known_devices = devices()
    flash = known_devices["face2016-samsung-840pro-256"]
    disk = known_devices["face2016-cheetah-15k6-single"]
    made = composed_profile([scaled_load("near", GRADUAL, known(0.1, 0.4))]).curve
    [caution] = [each for each in about_given(made) if each.name == "scaled"]
    ends = other_ends(caution, Situation(made, flash, disk, (5.0,)))
    assert [each.when for each in ends] == [
        "the scale laws overstate the misses by their worst error",
        "the scale laws understate them by their worst error",
    ]
    found = [float(each.situation.curve.misses(5)) for each in ends]
    assert found == pytest.approx([float(end) for end in made.law_band(5)])


def test_a_dirty_share_is_refused_where_write_backs_are_known(tmp_path, capsys):
    both = load("both", GRADUAL, backs=[20] * 4 + [10] * 5 + [0])
    reads = load("reads", GRADUAL, known=Given("table", data_known=True))
    made = composed_profile([both, both])
    with pytest.raises(BadInput, match="dirty share of a composed workload") as found:
        made.curve.with_dirty_share(0.5)
    assert "leave the dirty share out" in found.value.hint
    unknown = composed_profile([both, reads]).curve.with_dirty_share(0.5)
    assert unknown.write_backs(5) == pytest.approx(0.5 * float(unknown.misses(5)))
    # What was stated may be stated otherwise.
    assert unknown.with_dirty_share(0.2).given.dirty_share == 0.2
    path = tmp_path / "both.json"
    made.write(path)
    asked = ["evaluate", str(path), "--ram-pages", "2", "--flash-pages", "2"]
    asked += ["--flash-device", "face2016-samsung-840pro-256"]
    asked += ["--disk-device", "face2016-cheetah-15k6-single"]
    assert main(asked) == 0
    assert main([*asked, "--dirty-share", "0.5"]) == 2
    assert "follows from the write-backs of the workloads" in capsys.readouterr().err


def test_answers_from_a_composed_profile_name_what_they_rest_on():
    made = composed_profile(
        [load("a", GRADUAL, backs=[5] * 9 + [0]), load("b", GRADUAL)]
    )
    curve = made.curve
    assert _maker_of(curve) == "the composed workloads make"
    single = composed_profile([load("a", GRADUAL)]).curve
    assert _maker_of(single) == "the composed workload makes"
    between = np.asarray([float(curve.pages[3]) + 0.5])
    assert not curve.listed(between).any()
    assert not list(_about_readings(curve, between))
    given_curve = curve_of([90, 50], sizes=[10, 50])
    [about] = _about_readings(given_curve, np.asarray([20.0]))
    assert about.name == "interpolated"
    assert "composed by formula" in exactness(curve, "none", 2, 2, (2.0,))[1]


# --- curves -------------------------------------------------------------------------------


@pytest.mark.oracle("advise.compose.curves")
def test_curves_are_the_answer_at_every_size():
    workloads = [load("a", GRADUAL, 2.0), scaled_load("b", LOOP, known(0.1, 0.4))]
    found = compose.curves(workloads, points=12)
    assert found.pages[0] == 1
    assert found.pages[-1] == 50
    for at, size in enumerate(found.pages):
        answered = compose.answer(workloads, ram_pages=size)
        missed = answered.shared_miss_ratio
        assert found.shared_hit_ratios[at] == pytest.approx(1 - missed)
        plain, far = (row.shared_misses_per_s / 3 for row in answered.rows)
        # A workload never misses more than it accesses.
        assert found.shared_hit_ratios_low[at] == pytest.approx(
            1 - plain - min(1.4 * far, 1 / 3)
        )
        assert found.shared_hit_ratios_high[at] == pytest.approx(1 - plain - far / 1.4)
        assert found.partition_hit_ratios[at] == pytest.approx(
            1 - answered.partition_miss_ratio
        )
        for row, alone in zip(answered.rows, found.alone, strict=True):
            assert alone.name == row.name
            assert alone.hit_ratios[at] == pytest.approx(1 - row.alone_miss_ratio)
    bare = compose.curves(workloads[:1], partitioned=False)
    assert bare.partition_hit_ratios is None
    assert bare.shared_hit_ratios_low is None
    blind = compose.curves([*workloads, scaled_load("blind", GRADUAL, None)], points=3)
    assert blind.shared_hit_ratios_low is None
    assert compose.usual_pages(workloads) == 5


# --- the answer in words ------------------------------------------------------------------


def test_a_split_that_saves_misses():
    found = compose.answer(
        [load("useful", GRADUAL), load("scan", LOOP, 5.0)], ram_pages=10
    )
    assert found.finding.startswith("2 workloads in one cache of 40 KiB miss 9")
    assert "scan gets" in found.finding
    assert "Partitioned, with 40 KiB for useful and 0 B for scan" in found.finding
    assert found.better == "partitions"
    assert found.finding.endswith("fewer misses.")
    assert found.saved_share > compose.KNOWN_ERROR
    assert not found.close


def test_a_split_of_curves_with_cliffs_is_the_best_of_all():
    # Of all splits of 4 pages the one of 1 and 3 misses least: 43 and 33 of 200 accesses.
    found = compose.answer([load("a", [43, 19]), load("b", [93, 90, 33])], ram_pages=4)
    assert found.better == "partitions"
    assert found.partition_miss_ratio == pytest.approx((43 + 33) / 200)
    assert found.finding.endswith("they miss 38.0 %: 17.6 % fewer misses.")


def test_a_split_that_misses_more(monkeypatch):
    # Of very many workloads not every split is looked at, so that one may miss more.
    def not_the_best(workloads, sizes, **_):
        return tuple(
            replace(
                partition(workloads, size),
                pages=np.asarray([2, 2]),
                misses_per_s=np.asarray([0.19, 0.90]),
            )
            for size in sizes
        )

    monkeypatch.setattr(compose, "partitions", not_the_best)
    found = compose.answer([load("a", [43, 19]), load("b", [93, 90, 33])], ram_pages=4)
    assert found.better == "shared"
    assert found.saved_share < -compose.KNOWN_ERROR
    assert found.finding.endswith("they miss 54.5 %: 18.2 % more misses.")
    assert not found.close


def test_of_many_parts_the_largest_is_named():
    few = [load(f"w{at}", GRADUAL, at + 1.0) for at in range(4)]
    assert " for w0, " in compose.answer(few, ram_pages=20).finding
    found = compose.answer([*few, load("w4", GRADUAL, 9.0)], ram_pages=15)
    assert "Partitioned, with 40 KiB for w4 as the largest part," in found.finding
    assert "w0" not in found.finding


def test_equal_workloads_and_equal_misses():
    found = compose.answer([load("a", GRADUAL), load("b", GRADUAL)], ram_pages=10)
    assert "each gets 50.0 % of it." in found.finding
    assert found.better == "equal"
    assert found.finding.endswith("as many as in the shared cache.")


def test_leaders_who_tie_are_named_together():
    found = compose.answer(
        [load("a", GRADUAL), load("b", GRADUAL), load("c", GRADUAL, 0.1)],
        ram_pages=10,
        partitioned=False,
    )
    assert "a and b get the most," in found.finding
    assert "Partitioned" not in found.finding
    assert found.partition_miss_ratio is None
    assert found.better is None


def test_a_cache_of_all_pages_and_a_single_workload():
    fits = compose.answer([load("a", GRADUAL), load("b", GRADUAL)], ram_pages=50)
    assert fits.finding.startswith(
        "2 workloads fit in one cache of 200 KiB: they take 80 KiB, and 0.00 % of their"
    )
    assert fits.saved_share is None
    assert fits.figures[1].value is None
    single = compose.answer([load("a", GRADUAL)], ram_pages=5)
    assert (
        single.finding
        == "1 workload in one cache of 20 KiB: 50.0 % of its accesses miss."
    )
    one = compose.answer([load("a", GRADUAL)], ram_pages=50)
    assert one.finding.startswith("1 workload fits in one cache of 200 KiB: it takes")
    assert [each.name for each in single.warnings] == [
        "given_curve",
        "write_backs_unknown",
    ]


def test_a_difference_within_the_error_is_called_so():
    steep = [80, 64, 51, 41, 33, 26, 20, 12, 5, 0]
    near, far = (
        compose.answer([load("a", steep), load("b", steep, rate)], ram_pages=10)
        for rate in (1.6, 5.0)
    )
    assert compose.EQUAL < near.saved_share < compose.KNOWN_ERROR < far.saved_share
    assert near.close
    assert not far.close
    words = "fewer misses, which is within the error of the composition (5.00 %)."
    assert near.finding.endswith(words)
    assert far.finding.endswith("fewer misses.")


def test_weights_move_the_split():
    workloads = [load("a", GRADUAL), load("b", GRADUAL)]
    found = compose.answer(workloads, ram_pages=10, miss_weights=[2, 6])
    assert [row.partition_pages for row in found.rows] == [0, 10]
    assert found.finding.endswith("50.0 % fewer misses by weight.")
    assert found.saved_share == pytest.approx(1 - (2 * 1 + 6 * 0) / ((2 + 6) * 0.5))


def test_figures_and_steps_are_those_of_the_answer():
    found = compose.answer([load("a", GRADUAL), load("b", LOOP, 5.0)], ram_pages=10)
    rate = found.accesses_per_s
    assert found.shared_miss_ratio == pytest.approx(found.shared_misses_per_s / rate)
    assert sum(row.shared_pages for row in found.rows) == pytest.approx(10)
    assert sum(row.shared_share for row in found.rows) == pytest.approx(1)
    assert sum(row.partition_pages for row in found.rows) == 10
    steps = found.derivation()
    assert {step.name for step in steps} >= {"T", "C_i", "misses", "P_i", "saved"}
    by_name = {step.name: step.value for step in steps}
    assert by_name["misses"] == found.shared_misses_per_s
    assert by_name["saved"] == found.saved_share
    ratios = [row.shared_miss_ratio for row in found.sizes]
    assert ratios == sorted(ratios, reverse=True)
    assert any(row.ram_pages == 10 for row in found.sizes)


def test_a_short_recording_is_named():
    rng = random.Random(1)
    short = Workload("short", slow_curve(independent(rng, 60, 0.5, 150, 0.1)), 1.0)
    long = Workload("long", slow_curve(independent(rng, 60, 1.0, 3000, 0.1)), 1.0)
    found = compose.answer([short, long], ram_pages=90)
    [about] = [each for each in found.warnings if each.name == "steady_state_uncertain"]
    assert "short" in about.message
    small = compose.answer([short, long], ram_pages=4)
    assert "steady_state_uncertain" not in [each.name for each in small.warnings]


# --- the command --------------------------------------------------------------------------


def test_the_command_prints_and_writes_what_others_read(tmp_path, capsys):
    first = measured(tmp_path / "orders.json")
    second = measured(tmp_path / "logs.json")
    out = tmp_path / "both.json"
    asked = ["compose", str(first), f"{second}=x2", "--ram", "4", "--partition"]
    assert main([*asked, "-o", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("2 workloads in one cache of 16 KiB miss")
    assert "Partitioned, with" in printed.out
    assert "composed" not in printed.out
    assert "one shared cache was computed" in printed.err
    assert main([*asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in document["rows"]] == ["orders", "logs"]
    assert document["accesses_per_s"] == 6.0
    assert document["derivation"]
    point = ["--ram-pages", "2", "--flash-pages", "2"]
    devices = ["--flash-device", "face2016-samsung-840pro-256"]
    devices += ["--disk-device", "face2016-cheetah-15k6-single"]
    assert main(["evaluate", str(out), *point, *devices, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schemes"]["none"]["io_time_us_per_access"] > 0
    assert "composed_workload" in [each["name"] for each in found["warnings"]]


def test_the_command_writes_the_profile_alone(tmp_path, capsys):
    path, out = measured(tmp_path / "a.json"), tmp_path / "two.json"
    assert main(["compose", str(path), str(path), "-o", str(out)]) == 0
    assert "a, a #2" in capsys.readouterr().out
    assert read_profile(out).curve.accesses == 200
    assert main(["compose", str(path), "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["given"]["composed_of"] == ["a"]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ([], "size of the cache is not stated"),
        (["--partition", "-o", "x.json"], "size of the cache is not stated"),
        (["--ram", "4", "--miss-weights", "1"], "was not requested"),
        (["--ram", "4", "-o", "/nowhere/x.json"], "cannot be written"),
        (["--ram", "4", "--partition", "--miss-weights", "1,2"], "miss_weights"),
        (["--ram", "1.5"], "whole number of pages"),
    ],
)
def test_the_command_refuses(tmp_path, capsys, options, what):
    path = measured(tmp_path / "a.json")
    assert main(["compose", str(path), *options]) == 2
    error = capsys.readouterr().err
    assert what in error
    assert "hint: " in error
