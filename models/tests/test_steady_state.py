"""The steady state: against a slow product-limit estimate over every access, and warm caches."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from hypothesis import given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.evaluate.page_flow import decision, effects, evaluation
from tierwright.evaluate.page_flow.cautions import _share_text
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.profile.steady_state import (
    FOLLOWED_EVICTIONS,
    LEAST_AT_RISK,
    LOOP_UP_TO,
    TAIL_PAGES,
    TRUSTED_EVICTIONS,
    at_risk,
    product_limit,
    steady_state,
    steady_write_backs,
)
from tierwright.profile.thinning import error_bounded
from tierwright.profile.windows import Windows
from tierwright.profile.windows import from_mapping as windows_from
from tierwright.trace.reading import Trace

THINNED_TOLERANCE = 0.002
"""Of the accesses: how far a profile's steady state may be off that of the whole curve at the
listed sizes; docs/models/steady-state.md states it."""

pages = st.lists(st.integers(0, 12), min_size=1, max_size=150)


def distances(sequence: list[int]) -> list[tuple[int, bool]]:
    """Stack distance of each access and True, or pages seen before a first touch and False."""
    stack: list[int] = []
    found = []
    for page in sequence:
        if page in stack:
            depth = stack[::-1].index(page) + 1
            stack.remove(page)
            found.append((depth, True))
        else:
            found.append((len(stack), False))
        stack.append(page)
    return found


def slow_product_limit(sequence: list[int]) -> list[float]:
    """Kaplan-Meier over the list of accesses, one size after the other."""
    seen = distances(sequence)
    share, found = 1.0, []
    for size in range(1, len(set(sequence)) + 1):
        # A first touch behind k pages is known to miss in k pages, and tells of no more.
        at_risk = sum(depth >= size for depth, _ in seen)
        ended = sum(told and depth == size for depth, told in seen)
        if at_risk:
            share *= 1 - ended / at_risk
        found.append(share)
    return found


def curve_of(sequence: list[int], writes: list[bool] | None = None) -> Curve:
    """Cold curve by the obvious way; every write is written back below its largest distance."""
    seen = distances(sequence)
    distinct = len(set(sequence))
    sizes = range(1, distinct + 1)
    writes = writes or [False] * len(sequence)
    misses = [sum(not told or depth > c for depth, told in seen) for c in sizes]
    return Curve.from_full(
        misses,
        [write_backs(sequence, writes, c) for c in sizes],
        accesses=len(sequence),
        page_bytes=4096,
        write_accesses=sum(writes),
    )


def write_backs(sequence: list[int], writes: list[bool], size: int) -> int:
    """Replay one LRU cache from a cold start and count dirty evictions."""
    cache: dict[int, bool] = {}
    counted = 0
    for page, write in zip(sequence, writes, strict=True):
        dirty = cache.pop(page, False)
        if len(cache) == size:
            counted += cache.pop(next(iter(cache)))
        cache[page] = dirty or write
    return counted


@pytest.mark.oracle("profile.steady_state.at_risk")
@pytest.mark.formula("profile.steady_state.at_risk")
@given(pages)
def test_those_at_risk_are_the_accesses_that_lie_deeper(sequence: list[int]) -> None:
    seen = distances(sequence)
    distinct = len(set(sequence))
    sizes = np.arange(distinct + 1)
    curve = curve_of(sequence)
    found = at_risk(sizes.astype(float), curve.misses(sizes), distinct_pages=distinct)
    # At a size c: all that miss there, but the c first touches that lie behind fewer pages.
    deeper = [
        sum(depth > size if told else depth >= size for depth, told in seen)
        for size in sizes
    ]
    assert found.tolist() == pytest.approx(deeper)
    # None is new, up to all: fewer could tell, and of a re-access nothing changes.
    fewer = at_risk(
        sizes.astype(float),
        curve.misses(sizes),
        distinct_pages=distinct,
        new_pages=distinct,
    )
    told_only = [sum(told and depth > size for depth, told in seen) for size in sizes]
    assert fewer.tolist() == pytest.approx(told_only)


@pytest.mark.oracle(
    "profile.steady_state.product_limit",
    "profile.steady_state.steady_state",
    "profile.steady_state.steady_write_backs",
)
@pytest.mark.formula(
    "profile.steady_state.product_limit", "profile.steady_state.steady_state"
)
@given(pages)
def test_the_curve_gives_what_the_list_of_accesses_gives(sequence: list[int]) -> None:
    curve = curve_of(sequence)
    wanted = slow_product_limit(sequence)
    sizes = np.arange(1, len(wanted) + 1)
    found = product_limit(sizes, curve.misses(sizes), accesses=len(sequence))
    assert found.tolist() == pytest.approx(wanted, abs=1e-12)
    steady = curve.steady()
    assert steady.misses(sizes) == pytest.approx(
        np.array(wanted) * len(sequence), abs=1e-9
    )
    whole = steady_state(
        sizes,
        curve.misses(sizes),
        accesses=len(sequence),
        distinct_pages=len(wanted),
    )
    assert whole.misses[: whole.counted] == pytest.approx(steady.misses(sizes))
    backs = steady_write_backs(
        whole.pages,
        whole.misses,
        curve.misses(sizes),
        np.zeros(len(sizes)),
        write_accesses=0,
        distinct_pages=curve.distinct_pages,
        windows=None,
    )
    assert not backs.any()


def dirty_intervals(sequence: list[int], writes: list[bool]) -> list[tuple[int, bool]]:
    """Largest stack distance from each write to the next one and True, or to the end and False."""
    found = []
    depth_of = [depth if told else None for depth, told in distances(sequence)]
    for at, page in enumerate(sequence):
        if not writes[at]:
            continue
        deepest = 1
        for later in range(at + 1, len(sequence)):
            if sequence[later] != page:
                continue
            deepest = max(deepest, depth_of[later] or 0)
            if writes[later]:
                found.append((deepest, True))
                break
        else:
            last = max(i for i, other in enumerate(sequence) if other == page)
            behind = len(set(sequence[last + 1 :]))
            found.append((max(deepest, behind + 1), False))
    return found


def slow_write_backs(
    sequence: list[int], writes: list[bool], misses: np.ndarray
) -> list[float]:
    """Kaplan-Meier over the intervals between writes, one size after the other, of those that end alone."""
    seen = dirty_intervals(sequence, writes)
    left, found = 0.0, []
    for size, missed in enumerate(misses, start=1):
        at_risk = sum(depth >= size for depth, _ in seen)
        after = sum(depth > size for depth, _ in seen)
        ended = sum(depth == size and closed for depth, closed in seen)
        if size == 1:
            evicted = sum(not told or depth > 1 for depth, told in distances(sequence))
            left = after / (evicted - 1) * missed
        elif ended:
            left *= (after / at_risk) ** (ended / (at_risk - after))
        found.append(left)
    return found


@pytest.mark.oracle("profile.steady_state.steady_write_backs")
@given(pages, st.integers(0, 2**32))
def test_write_backs_follow_the_writes(sequence: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    writes = (rng.random(len(sequence)) < 0.4).tolist()
    curve = curve_of(sequence, writes)
    sizes = np.arange(1, curve.distinct_pages + 1)
    intervals = dirty_intervals(sequence, writes)
    opened = [sum(d > c and not closed for d, closed in intervals) for c in sizes]
    windows = windows_of_open(sizes, opened)
    steady = curve.with_windows(windows).steady()
    evicted = curve.misses(sizes) - sizes
    trusted = np.flatnonzero(
        evicted >= np.maximum(TRUSTED_EVICTIONS * curve.misses(sizes), 1)
    )
    if not trusted.size or trusted[0] > 0:
        return
    wanted = np.array(slow_write_backs(sequence, writes, steady.misses(sizes)))
    share = np.minimum(wanted / np.maximum(steady.misses(sizes), 1e-300), 1)
    held = share[[trusted[trusted <= at][-1] for at in range(len(sizes))]]
    wanted = np.minimum(held * steady.misses(sizes), sum(writes))
    assert steady.write_backs(sizes) == pytest.approx(np.minimum.accumulate(wanted))


@pytest.mark.oracle("profile.steady_state.steady_write_backs")
@given(pages, st.integers(0, 2**32))
def test_up_to_six_tenths_of_the_pages_the_dirty_share_is_that_of_a_loop(
    sequence: list[int], seed: int
) -> None:
    """Caches that run over the recording twice, one after the other; what the second pass counts."""
    rng = np.random.default_rng(seed)
    writes = (rng.random(len(sequence)) < 0.4).tolist()
    curve = curve_of(sequence, writes)
    count = curve.distinct_pages
    sizes = np.arange(1, count + 1)
    intervals = dirty_intervals(sequence, writes)
    opened = [sum(d > c and not closed for d, closed in intervals) for c in sizes]
    closed = np.array([sum(d > c and closed for d, closed in intervals) for c in sizes])
    loop = np.array(
        [
            running_lru(sequence * 2, writes * 2, size, len(sequence))
            for size in sizes.tolist()
        ]
    ).T
    again = curve.misses(sizes) - count
    windows = replace(
        windows_of_open(sizes, opened),
        wrapped=np.array([loop[0] - again, loop[1] - closed]),
    )
    steady = curve.with_windows(windows).steady()
    evicted = curve.misses(sizes) - sizes
    trusted = evicted >= np.maximum(FOLLOWED_EVICTIONS * curve.misses(sizes), 1)
    seen = np.flatnonzero(sizes <= LOOP_UP_TO * count)
    if not seen.size or not trusted[seen].all():
        return
    share = loop[1][seen] / np.maximum(loop[0][seen], 1)
    wanted = np.minimum(share * steady.misses(sizes[seen]), sum(writes))
    assert steady.write_backs(sizes[seen]) == pytest.approx(
        np.minimum.accumulate(wanted)
    )


def windows_of_open(sizes: np.ndarray, opened: list[int]) -> Windows:
    """Windows of which the open intervals matter alone."""
    nothing = np.zeros((1, len(sizes)), dtype=np.int64)
    return Windows(
        sizes,
        np.array([1]),
        np.array([1]),
        nothing,
        nothing,
        np.array(opened, dtype=np.int64),
    )


@pytest.mark.formula("profile.steady_state.steady_write_backs")
@given(pages, st.integers(0, 2**32), st.booleans(), st.booleans(), st.integers(0, 12))
def test_it_lies_between_its_ends_and_never_rises(
    sequence: list[int],
    seed: int,
    is_followed: bool,
    is_looped: bool,
    new_pages: int,
) -> None:
    rng = np.random.default_rng(seed)
    writes = (rng.random(len(sequence)) < 0.4).tolist()
    curve = curve_of(sequence, writes)
    if is_followed:
        listed = np.arange(1, curve.distinct_pages + 1)
        intervals = dirty_intervals(sequence, writes)
        opened = [sum(d > c and not closed for d, closed in intervals) for c in listed]
        windows = windows_of_open(listed, opened)
        if is_looped:
            around = rng.integers(0, len(sequence), size=(2, len(listed)))
            windows = replace(windows, wrapped=-np.sort(-around))
        curve = curve.with_windows(windows)
    curve = curve.with_new_pages(min(new_pages, curve.distinct_pages))
    steady = curve.steady()
    sizes = np.arange(0, 3 * curve.distinct_pages + 2)
    misses, backs = steady.misses(sizes), steady.write_backs(sizes)
    low, high = steady.misses_band(sizes)
    assert np.all(low <= misses + 1e-9)
    assert np.all(misses <= high + 1e-9)
    assert np.all(np.diff(misses) <= 1e-9)
    assert np.all(np.diff(backs) <= 1e-9)
    assert np.all(backs <= misses + 1e-9)
    assert np.all(backs <= sum(writes) + 1e-9)
    hits = steady.accesses * steady.hit_ratio(sizes)
    assert hits + misses == pytest.approx(len(sequence))
    assert steady.evictions(sizes) == pytest.approx(misses)  # every miss evicts
    assert steady_write_backs(  # with one dirty share the misses times it
        np.array([1.0, 2.0]),
        np.array([50.0, 40.0]),
        np.array([60.0, 50.0]),
        np.array([59.0 / 2, 24.0]),
        write_accesses=100,
        distinct_pages=30,
        windows=None,
    ) == pytest.approx([25.0, 20.0])


def running_lru(
    sequence: list[int], writes: list[bool], pages: int, counted: int
) -> tuple[int, int]:
    """Misses and write-backs of the last accesses, one after the other."""
    cache: OrderedDict[int, bool] = OrderedDict()
    misses = backs = 0
    for at, (page, write) in enumerate(zip(sequence, writes, strict=True)):
        counts = at >= len(sequence) - counted
        dirty = cache.pop(page, None)
        if dirty is None:
            misses += counts
            if len(cache) == pages:
                _, was_dirty = cache.popitem(last=False)
                backs += counts and was_dirty
        cache[page] = bool(dirty) or write
    return misses, backs


@pytest.mark.parametrize("exponent", [0.6, 0.9, 1.2])
def test_a_running_cache_writes_back_what_a_long_replay_does(
    exponent: float, tmp_path: Path
) -> None:
    """Within 20 %, and always nearer than by the dirty share of a cold start, which writes too little."""
    rng = np.random.default_rng(11)
    chance = np.arange(1, 20_001) ** -exponent
    chance /= chance.sum()

    def drawn(accesses: int) -> tuple[list[int], list[bool]]:
        return (
            rng.choice(len(chance), size=accesses, p=chance).tolist(),
            (rng.random(accesses) < 0.25).tolist(),
        )

    sequence, writes = drawn(20_000)
    trace = tmp_path / "drawn.csv"
    lines = (
        f"{at},{'W' if write else 'R'},0/1663,{page}\n"
        for at, (page, write) in enumerate(zip(sequence, writes, strict=True))
    )
    trace.write_text("time_us,op,rel,block\n" + "".join(lines))
    followed = profile(Trace(trace)).curve
    assert followed.windows is not None
    by_cold_start = followed.with_windows(None).steady()
    truth = drawn(300_000)
    for times in (0.5, 0.7, 0.9, 1.2, 1.6):
        pages = int(followed.distinct_pages * times)
        _, backs = running_lru(*truth, pages, 150_000)
        if backs < 1000:
            continue
        errors = [
            float(curve.write_backs(pages) / curve.accesses / (backs / 150_000))
            for curve in (followed.steady(), by_cold_start)
        ]
        assert errors[0] == pytest.approx(1, abs=0.2)
        assert errors[1] < 0.92
        assert abs(np.log(errors[0])) < abs(np.log(errors[1]))


def _two_classes(
    rng: np.random.Generator, accesses: int, hot_pages: int, hot_share: float
) -> tuple[np.ndarray, np.ndarray]:
    """Accesses to hot pages and to 9,000 cold ones, and which of them are hot."""
    hot = rng.random(accesses) < hot_share
    cold = hot_pages + rng.integers(0, 9_000, accesses)
    return np.where(hot, rng.integers(0, hot_pages, accesses), cold), hot


def _all_written(
    rng: np.random.Generator, accesses: int
) -> tuple[np.ndarray, np.ndarray]:
    found, _ = _two_classes(rng, accesses, 1_000, 0.9)
    return found, rng.random(accesses) < 0.2


def _cold_written(
    rng: np.random.Generator, accesses: int
) -> tuple[np.ndarray, np.ndarray]:
    found, hot = _two_classes(rng, accesses, 4_000, 0.8)
    return found, ~hot


def _appended(rng: np.random.Generator, accesses: int) -> tuple[np.ndarray, np.ndarray]:
    """Reads of hot pages beside a log, each page of which is written twice in a row."""
    log = rng.random(accesses) < 0.3
    hot = rng.integers(0, 4_000, accesses)
    return np.where(log, 10_000 + np.cumsum(log) // 2, hot), log


@pytest.mark.parametrize("made", [_all_written, _cold_written, _appended])
def test_pages_that_stay_are_not_taken_for_those_that_leave(
    made: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]],
    tmp_path: Path,
) -> None:
    """Of two classes of pages what leaves is of one: within a quarter at every size, within 5 % up to half of the pages."""
    rng = np.random.default_rng(3)
    found, writes = made(rng, 100_000)
    trace = tmp_path / "classes.csv"
    lines = (
        f"{at},{'W' if write else 'R'},0/1663,{page}\n"
        for at, (page, write) in enumerate(
            zip(found[40_000:60_000].tolist(), writes[40_000:60_000], strict=True)
        )
    )
    trace.write_text("time_us,op,rel,block\n" + "".join(lines))
    curve = profile(Trace(trace)).curve
    steady = curve.steady()
    for times, off in ((0.3, 0.05), (0.5, 0.05), (0.7, 0.2), (0.9, 0.25)):
        size = int(curve.distinct_pages * times)
        _, backs = running_lru(found.tolist(), writes.tolist(), size, 60_000)
        own = float(steady.write_backs(size)) / curve.accesses
        assert own == pytest.approx(backs / 60_000, rel=off), times


def test_windows_of_before_are_followed_alone(tmp_path: Path) -> None:
    """A profile that was made before the loop was counted is read, and says what it said."""
    curve = profile(Trace(recordings.TPCB)).curve
    assert curve.windows is not None
    document = curve.windows.to_dict()
    problems = Problems("profile", "make it again")
    assert windows_from(document, problems) is not None
    del document["wrapped_misses"]
    with pytest.raises(BadInput, match="must be stated with wrapped_write_backs"):
        _read(document)
    del document["wrapped_write_backs"]
    old = _read(document)
    assert old is not None
    assert old.wrapped is None
    size = int(0.8 * curve.distinct_pages)
    before = curve.with_windows(old).steady().write_backs(size)
    assert before != curve.steady().write_backs(size)
    document["wrapped_misses"] = document["wrapped_write_backs"] = [1, 2]
    with pytest.raises(BadInput, match="do not rise with it"):
        _read(document)


def _read(document: dict[str, Any]) -> Windows | None:
    problems = Problems("profile", "make it again")
    found = windows_from(document, problems)
    problems.raise_if_any()
    return found


def test_a_loop_misses_all_below_its_length_and_nothing_at_it() -> None:
    steady = curve_of([0, 1, 2, 3, 4] * 3).steady()
    assert steady.misses([1, 4, 5, 9]).tolist() == [15, 15, 0, 0]


def test_nothing_is_known_where_every_page_is_new() -> None:
    curve = curve_of(list(range(50)))
    steady = curve.steady()
    assert steady.misses([1, 25, 50, 200]).tolist() == [50] * 4
    low, high = steady.misses_band([1, 50])
    assert (low.tolist(), high.tolist()) == ([0, 0], [50, 50])
    assert steady.uncertain([1, 49, 50]).all()


def test_a_trace_of_one_access() -> None:
    assert curve_of([7]).steady().misses([0, 1, 2]).tolist() == [1, 1, 1]


def zipf(accesses: int, seed: int) -> list[int]:
    chance = 1 / np.arange(1, 4001) ** 0.9
    rng = np.random.default_rng(seed)
    found: list[int] = rng.choice(4000, accesses, p=chance / chance.sum()).tolist()
    return found


def misses_of(sequence: list[int], size: int) -> tuple[int, int]:
    """Misses of a cold LRU cache over each half."""
    cache: dict[int, None] = {}
    counted = [0, 0]
    for place, page in enumerate(sequence):
        if page in cache:
            del cache[page]
        else:
            counted[2 * place // len(sequence)] += 1
            if len(cache) == size:
                del cache[next(iter(cache))]
        cache[page] = None
    return counted[0], counted[1]


def test_it_predicts_warm_caches_on_skewed_references() -> None:
    """The worked numbers of docs/models/steady-state.md."""
    sequence = zipf(30_000, 1)
    half = sequence[:15_000]
    cold, warm = misses_of(sequence, 2000)
    seen = distances(half)
    depths = np.array([depth for depth, told in seen if told])
    distinct = len(set(half))
    misses = [15_000 - int(np.sum(depths <= c)) for c in range(1, distinct + 1)]
    share = product_limit(range(1, distinct + 1), misses, accesses=15_000)[1999]
    assert cold / 15_000 == pytest.approx(0.2174, abs=5e-5)
    assert warm / 15_000 == pytest.approx(0.1574, abs=5e-5)
    assert share == pytest.approx(0.1565, abs=5e-5)


def test_it_comes_to_the_cold_ratio_as_the_trace_grows() -> None:
    rng = np.random.default_rng(5)
    gaps = []
    for count in (200, 2000, 6000):
        curve = curve_of(rng.integers(0, 60, count).tolist())
        sizes = np.arange(1, 60)
        ratio = 1 - curve.hit_ratio(sizes)
        gaps.append(float(np.max(np.abs(1 - curve.steady().hit_ratio(sizes) - ratio))))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.01


@pytest.mark.parametrize("name", ["tpcb-cut", "tpcc-cut"])
def test_a_profile_gives_the_steady_state_of_the_whole_curve(name: str) -> None:
    whole = Curve.of_counts(_simulator.curves(str(recordings.canonical(name))))
    thinned, _ = error_bounded(whole, 1000, ())
    few = whole.thinned(200)
    for curve in (thinned, few):
        steady, wanted = curve.steady(), whole.steady()
        off = steady.misses(curve.pages) - wanted.misses(curve.pages)
        assert np.max(np.abs(off)) <= THINNED_TOLERANCE * whole.accesses
        off = steady.write_backs(curve.pages) - wanted.write_backs(curve.pages)
        assert np.max(np.abs(off)) <= THINNED_TOLERANCE * whole.accesses


def test_beyond_the_pages_seen_the_trend_goes_on_within_the_band() -> None:
    curve = curve_of(zipf(4000, 3))
    steady = curve.steady()
    seen = curve.distinct_pages
    at = steady.misses([seen, 1.5 * seen, TAIL_PAGES * seen, 9 * seen])
    assert at[0] > at[1] > at[2] == at[3] > 0
    assert steady.uncertain([seen - 1, seen, 2 * seen]).tolist() == [True] * 3
    sure = int(np.flatnonzero(steady.at_risk(np.arange(seen)) >= LEAST_AT_RISK)[-1])
    assert not steady.uncertain(sure)
    assert steady.listed([seen + 1, 1.3 * seen]).all()  # no reading between two sizes


def test_starts() -> None:
    curve = curve_of([0, 1, 0, 2, 1, 0])
    assert (curve.start, curve.steady().start) == ("cold", "steady")
    assert curve.steady() is curve.steady()
    assert curve.steady().steady() is curve.steady()
    assert curve.from_start("cold") is curve
    assert curve.steady().from_start("cold") is curve
    with pytest.raises(BadInput, match="`warm` is unknown"):
        curve.from_start("warm")


def test_a_given_curve_is_of_a_running_system() -> None:
    curve = Curve.from_lists(
        [10, 20],
        [50, 20],
        None,
        accesses=100,
        distinct_pages=40,
        page_bytes=4096,
        write_accesses=0,
        given=Given("table", data_known=True),
    )
    assert curve.start == "steady"
    assert curve.steady() is curve
    assert curve.from_start("cold") is curve
    assert not curve.uncertain([10, 99]).any()


def test_notes_go_with_the_curve_and_counts_are_shared() -> None:
    curve = curve_of([0, 1, 0])
    noted = curve.with_notes(curve.notes)
    assert noted.steady().cold is noted
    assert noted.steady().misses_at is curve.steady().misses_at


@pytest.mark.parametrize(
    ("sizes", "misses", "said"),
    [
        ([2, 1], [3, 3], "must increase"),
        ([1, 2], [3, 4], "must not rise"),
        ([1, 2], [11, 4], "nor exceed the accesses"),
        ([1, 2], [3], "same length as the misses"),
        ([1, 2], [3, -1], "not negative"),
    ],
)
def test_what_is_no_curve_is_refused(
    sizes: list[int], misses: list[int], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        product_limit(sizes, misses, accesses=10)


def test_an_evaluation_in_the_steady_state() -> None:
    curve = profile(Trace(recordings.TPCB)).curve
    choices = {
        "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
        "disk": catalog.device("face2016-cheetah-15k6-raid0-16"),
    }
    cold = evaluation.evaluate(curve, ram_pages=1000, flash_pages=6000, **choices)
    found = evaluation.evaluate(
        curve.steady(), ram_pages=1000, flash_pages=6000, **choices
    )
    assert (cold.start, found.start) == ("cold", "steady")
    assert found.to_dict()["inputs"]["start"] == "steady"
    for name, result in found.schemes.items():
        total = result.ram_hits + result.flash_hits + result.flash_misses
        assert total == pytest.approx(curve.accesses)
        assert not result.exact
        assert result.flash_writes_cold_start is None
        assert cold.schemes[name].flash_writes_cold_start is not None
        assert result.hdd_writes <= result.flash_misses
        assert "product-limit" in result.estimator
    exclusive = found.schemes["exclusive"]
    assert exclusive.flash_writes_counted == exclusive.flash_writes
    names = {warning.name for warning in found.warnings}
    assert "warm_up_inside" not in names
    assert "warm_up_inside" in {warning.name for warning in cold.warnings}
    assert "steady_state_uncertain" not in names
    large = evaluation.evaluate(
        curve.steady(), ram_pages=1000, flash_pages=40_000, **choices
    )
    said = next(w for w in large.warnings if w.name == "steady_state_uncertain")
    # In bytes, in which caches are bought; shares to three digits.
    assert (
        f"shows {format_bytes(curve.distinct_pages * curve.page_bytes)} of pages"
        in said.message
    )
    assert f"{format_bytes(41_000 * curve.page_bytes)} miss" in said.message
    share = r"(none|less than 0\.01 %|[\d.]+ %)"
    assert re.search(f"between {share} and {share} of the accesses", said.message)
    texts = [_share_text(share) for share in (0.0, 3.21e-12, 1e-4, 0.249)]
    assert texts == ["none", "less than 0.01 %", "0.0100 %", "24.9 %"]


def slow_without_growth(sequence: list[int], new: int) -> list[float]:
    """Kaplan-Meier as above, each first touch counted by the chance that its page is old."""
    seen = distances(sequence)
    old = 1 - new / len(set(sequence))
    share, found = 1.0, []
    for size in range(1, len(set(sequence)) + 1):
        at_risk = sum((1.0 if told else old) for depth, told in seen if depth >= size)
        ended = sum(told and depth == size for depth, told in seen)
        if ended:
            share *= 1 - ended / at_risk
        found.append(share)
    return found


@given(pages, st.floats(0, 1))
def test_growth_is_taken_out_of_the_estimate(sequence: list[int], part: float) -> None:
    curve = curve_of(sequence)
    new = round(part * curve.distinct_pages)
    steady = curve.with_new_pages(new).steady()
    sizes = np.arange(1, curve.distinct_pages + 1)
    found = steady.misses(sizes) - steady.growth
    old = len(sequence) - new
    assert found == pytest.approx(
        old * np.array(slow_without_growth(sequence, new)), abs=1e-9
    )
    low, high = steady.misses_band(sizes)
    assert np.all(steady.misses(sizes) >= low - 1e-9)
    assert np.all(steady.misses(sizes) <= high + 1e-9)


@given(pages, st.integers(1, 6))
def test_more_new_pages_never_raise_the_misses(sequence: list[int], step: int) -> None:
    curve = curve_of(sequence)
    sizes = np.arange(1, 3 * curve.distinct_pages + 2)
    before = np.full(len(sizes), np.inf)
    for new in range(0, curve.distinct_pages + 1, step):
        steady = curve.with_new_pages(new).steady()
        found = steady.misses(sizes) - steady.growth
        assert np.all(found <= before + 1e-9)
        before = found


@pytest.mark.parametrize("trace", ["tpcb-cut", "tpcc-cut"])
def test_growth_of_a_thinned_profile(trace: str) -> None:
    whole = profile(Trace(recordings.canonical(trace))).curve
    thin = whole.thinned(200)
    sizes = thin.pages
    before = whole.steady().misses(sizes)
    for part in (0.25, 0.5, 1.0):
        new = int(part * whole.distinct_pages)
        of_all = whole.with_new_pages(new).steady()
        off = thin.with_new_pages(new).steady().misses(sizes) - of_all.misses(sizes)
        assert np.max(np.abs(off)) < THINNED_TOLERANCE * whole.accesses
        found = of_all.misses(sizes) - new
        assert np.all(found <= before + 1e-9)
        before = found


def test_no_new_pages_change_nothing() -> None:
    curve = curve_of(zipf(2000, 3))
    assert curve.with_new_pages(0) is curve
    assert curve.with_new_pages(5).with_new_pages(0).steady().misses_at.tolist() == (
        curve.steady().misses_at.tolist()
    )
    assert curve.steady().growth == 0


def test_all_first_touches_new_are_the_lower_end() -> None:
    curve = curve_of(zipf(2000, 3))
    new = curve.distinct_pages
    steady = curve.with_new_pages(new).steady()
    low, high = steady.misses_band(curve.pages)
    assert steady.misses(curve.pages) == pytest.approx(curve.misses_at)
    assert low == pytest.approx(curve.misses_at)
    assert high == pytest.approx(curve.misses_at)
    ratio = (steady.misses(curve.pages) - new) / (2000 - new)
    assert ratio == pytest.approx(curve.steady().misses_band(curve.pages)[0] / 2000)


def test_growth_evicts_what_misses_evict_and_a_cold_start_keeps_it() -> None:
    curve = curve_of([0, 1, 2, 3, 4] * 3, [True] * 15).with_new_pages(2)
    assert (curve.growth, curve.steady().growth) == (0, 2)
    assert curve.misses([2, 5]).tolist() == [15, 5]
    assert curve.steady().misses([2, 5]).tolist() == [15, 2]
    assert curve.steady().evictions([2, 5]).tolist() == [15, 2]
    assert curve.steady().write_backs([5]).tolist() == [2]
    assert curve.steady().from_start("cold") is curve
    assert curve.steady().with_new_pages(3).growth == 3
    assert curve.steady().at(curve.pages).growth == 2


@pytest.mark.parametrize("new", [-1, 4, 1.5, True])
def test_new_pages_are_some_of_the_first_touches(new: int) -> None:
    with pytest.raises(BadInput, match="new_pages"):
        curve_of([0, 1, 2, 0]).with_new_pages(new)
    with pytest.raises(BadInput, match="new_pages"):
        product_limit([1], [3], accesses=4, distinct_pages=3, new_pages=new)


def test_a_given_curve_has_no_first_touches() -> None:
    curve = Curve.from_lists(
        [1, 2],
        [5, 1],
        [2, 1],
        accesses=10,
        distinct_pages=20,
        page_bytes=4096,
        write_accesses=5,
        given=Given("table", data_known=True),
    )
    assert curve.with_new_pages(0) is curve
    with pytest.raises(BadInput, match="no first touches"):
        curve.with_new_pages(1)


@pytest.mark.parametrize("flash_pages", [0, 600])
def test_growth_is_charged_as_a_miss_without_its_read(flash_pages: int) -> None:
    """Every scheme: hits, misses and growth are all accesses; C loses D_R for each new page."""
    sequence = zipf(6000, 5)
    curve = curve_of_counts(sequence)
    flash = catalog.device("samsung-pm9a3-7.68tb-u2")
    disk = catalog.device("face2016-cheetah-15k6-raid0-16")
    choices = {"ram_pages": 200, "flash_pages": flash_pages}
    new = curve.distinct_pages // 3
    steady = curve.with_new_pages(new).steady()
    found = evaluation.evaluate(steady, **choices, flash=flash, disk=disk)
    # The same counts with nothing known: growth is then a part of the misses.
    unknown = Curve.from_lists(
        steady.pages,
        steady.misses_at,
        steady.write_backs_at,
        accesses=steady.accesses,
        distinct_pages=steady.distinct_pages,
        page_bytes=steady.page_bytes,
        write_accesses=steady.write_accesses,
        cold=curve,
    )
    charged = evaluation.evaluate(unknown, **choices, flash=flash, disk=disk)
    grid = evaluation.evaluate_grid(steady, **choices, flash=flash, disk=disk)
    read_us = found.inputs["disk_read_us"]
    assert (found.new_pages, found.growth_per_access) == (new, new / 6000)
    for name, result in found.schemes.items():
        other = charged.schemes[name]
        total = result.ram_hits + result.flash_hits + result.flash_misses
        assert total + new == pytest.approx(6000)
        assert result.flash_misses == pytest.approx(other.flash_misses - new)
        assert result.hdd_reads == result.flash_misses
        assert result.hdd_writes == pytest.approx(other.hdd_writes)
        assert result.flash_writes == other.flash_writes
        assert result.io_time_us_per_access == pytest.approx(
            other.io_time_us_per_access - new * read_us / 6000
        )
        assert float(grid[name].io_time_us_per_access) == pytest.approx(
            result.io_time_us_per_access
        )
        assert float(grid[name].flash_misses) == result.flash_misses
    for step in (each.to_dict() for each in found.derivation):
        assert step["formula"].endswith("- g D_R")
        assert {"symbol": "g", "value": new} == {
            key: step["numbers"][-1][key] for key in ("symbol", "value")
        }
        reads = next(t for t in step["terms"] if t["name"] == "disk_reads")
        assert "- g) D_R / N" in reads["formula"]
    cold = evaluation.evaluate(
        curve.with_new_pages(new), **choices, flash=flash, disk=disk
    )
    plain = evaluation.evaluate(curve, **choices, flash=flash, disk=disk)
    assert cold.schemes == plain.schemes
    assert cold.growth_per_access == new / 6000


def curve_of_counts(sequence: list[int]) -> Curve:
    """Cold curve of a longer sequence, every second access a write, by distances alone."""
    depths = [depth for depth, told in distances(sequence) if told]
    distinct = len(set(sequence))
    ended = np.cumsum(np.bincount(depths, minlength=distinct + 1)[1:])
    misses = len(sequence) - ended
    return Curve.from_full(
        misses,
        np.maximum(misses - np.arange(1, distinct + 1), 0) // 2,
        accesses=len(sequence),
        page_bytes=4096,
        write_accesses=len(sequence) // 2,
    )


def test_a_replay_says_that_it_reads_new_pages() -> None:
    curve = curve_of_counts(zipf(6000, 5)).with_new_pages(300)
    devices = {
        "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
        "disk": catalog.device("face2016-cheetah-15k6-raid0-16"),
    }
    row = {
        "accesses": 3000,
        "warm_up": 3000,
        "ram_hits": 1000,
        "flash_hits": 1000,
        "flash_misses": 1000,
        "flash_reads": 1000,
        "flash_writes": 1500,
        "flash_write_backs": 500,
        "hdd_reads": 1000,
        "hdd_writes": 400,
    }
    for start, told in (("steady", True), ("cold", False)):
        found = evaluation.evaluate(
            curve.from_start(start), ram_pages=200, flash_pages=600, **devices
        )
        ended = decision.decided(
            found, dict.fromkeys(found.schemes, row), curve.from_start(start)
        )
        said = [w for w in ended.warnings if w.name == "growth_in_replay"]
        assert bool(said) == told
        if told:
            assert "at most 300 of the 3,000 accesses" in said[0].message
            judged = effects.judged(ended, curve, **devices)
            about = next(w for w in judged.warnings if w.name == "growth_in_replay")
            assert about.could_change_choice is False
