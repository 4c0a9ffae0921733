"""The fragment cache: published numbers, invariants of its bitmap, clock and population."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tierwright.common.errors import BadInput
from tierwright.evaluate import fragment_cache, recovery

GIB, MIB = 2**30, 2**20

shares = st.floats(0, 1)
traces = st.lists(st.integers(0, 12), max_size=60)


# --- published numbers ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "x", "ratio", "gain_percent"),
    [
        # SCE paper, Table 1 (TpsE): no cache 11.2; all-flash 87.9, flashcache 56.9, bcache
        # 17.3, EnhanceIO 17.5. Flashcache reached 64.7 % of all-flash.
        (11.2, 56.9, 5.08, 408),
        (11.2, 17.3, 1.545, 54.5),
        (11.2, 17.5, 1.5625, 56.25),
        (87.9, 56.9, 0.647, -35.3),
    ],
)
def test_speedups_of_table_1(
    base: float, x: float, ratio: float, gain_percent: float
) -> None:
    found = fragment_cache.speedup(base, x)
    assert float(found.ratio) == pytest.approx(ratio, rel=1e-3)
    assert float(found.gain_percent) == pytest.approx(gain_percent, rel=2e-3)


def test_warm_up_of_section_4_2() -> None:
    # Flashcache's maximum was passed after 38 minutes of 8 hours: "12 times".
    assert float(fragment_cache.speedup(38, 480).ratio) == pytest.approx(12.6, abs=0.05)


def test_eight_threads_every_half_second_are_slower_than_the_ramp_observed() -> None:
    # SCE paper: 160 GiB in less than 2.5 h, so the period of 8 threads is below 500 ms.
    found = fragment_cache.population_rate(
        160 * GIB, threads=8, period_s=0.5, fragment_bytes=MIB
    )
    assert float(found.bytes_per_s) == 16 * MIB
    assert float(found.hours) == pytest.approx(2.84, abs=0.005)
    assert float(found.hours) > 2.5


@pytest.mark.oracle("evaluate.fragment_cache.fragment_trade")
def test_fragment_sizes_of_section_4_5() -> None:
    # 128 KiB fragments ramp 8 times longer than 1 MiB.
    found = fragment_cache.fragment_trade(
        [128 * 1024, MIB, 8 * MIB],
        source_bytes=160 * GIB,
        cache_bytes=30 * GIB,
        threads=8,
        period_s=0.5,
        run_bytes=256 * 1024,
    )
    assert found.fill_s[0] == 8 * found.fill_s[1] == 64 * found.fill_s[2]
    # Large fragments bring in more of what is not needed (5.5 times the writes at 8 MiB).
    assert np.all(np.diff(found.flash_writes_per_useful_byte) > 0)
    assert np.all(np.diff(found.metadata_bytes) < 0)


@pytest.mark.parametrize(
    ("miss_rate", "free", "running"),
    # SCE paper, section 3.6: eight threads until misses fall below 35 % or free space to
    # 10 %, then four until 15 %, then one.
    [
        (0.9, 0.9, 8),
        (0.35, 0.101, 8),
        (0.35, 0.1, 4),
        (0.349, 0.9, 4),
        (0.15, 0.0, 4),
        (0.149, 0.9, 1),
        (0.0, 0.0, 1),
    ],
)
def test_threads_of_section_3_6(miss_rate: float, free: float, running: int) -> None:
    assert int(fragment_cache.threads(miss_rate, free)) == running


# --- population ---------------------------------------------------------------------------


@pytest.mark.formula("sce.threads")
@given(shares, shares, shares, shares)
def test_threads_do_not_fall_with_misses_or_room(
    miss: float, more_miss: float, free: float, more_free: float
) -> None:
    low, high = sorted((miss, more_miss))
    tight, roomy = sorted((free, more_free))
    few = int(fragment_cache.threads(low, tight))
    many = int(fragment_cache.threads(high, roomy))
    assert {few, many} <= {1, 4, 8}
    assert few <= int(fragment_cache.threads(low, roomy)) <= many
    assert few <= int(fragment_cache.threads(high, tight)) <= many


def test_a_cache_that_holds_everything_rests_at_one_thread() -> None:
    # Read-only, all fragments cached: no miss, nothing free is needed.
    assert int(fragment_cache.threads(0.0, 0.0)) == 1


@pytest.mark.formula("sce.population_rate")
@given(
    st.floats(0, 1e15), st.integers(1, 64), st.floats(1e-3, 100), st.integers(1, 2**24)
)
def test_filling_takes_bytes_over_rate(
    size: float, threads: int, period: float, fragment: int
) -> None:
    found = fragment_cache.population_rate(
        size, threads=threads, period_s=period, fragment_bytes=fragment
    )
    assert float(found.seconds) * float(found.bytes_per_s) == pytest.approx(size)
    assert float(found.hours) * 3600 == pytest.approx(float(found.seconds))
    double = fragment_cache.population_rate(
        size, threads=2 * threads, period_s=period, fragment_bytes=fragment
    )
    assert float(double.bytes_per_s) == pytest.approx(2 * float(found.bytes_per_s))
    bound = recovery.fill_time(
        size + 1, {"threads": float(found.bytes_per_s), "back end": 1e18}
    )
    assert bound.bottleneck == "threads"


@pytest.mark.formula("sce.hottest_of_mru")
@given(traces, st.integers(1, 20))
def test_the_hottest_is_among_the_last_fragments(trace: list[int], window: int) -> None:
    found = fragment_cache.hottest_of_mru(trace, window=window)
    # Slow: walk back from the end.
    recent = list(dict.fromkeys(reversed(trace)))[:window]
    assert found.candidates == recent
    if not trace:
        assert found.promote is None
        return
    counts = Counter(trace)
    assert found.promote in recent
    most = max(counts[fragment] for fragment in recent)
    assert found.promote == next(f for f in recent if counts[f] == most)


@pytest.mark.formula("sce.speedup")
@given(st.floats(1e-3, 1e6), st.floats(0, 1e6))
def test_a_gain_is_a_ratio_less_one(base: float, x: float) -> None:
    found = fragment_cache.speedup(base, x)
    assert float(found.ratio) * base == pytest.approx(x)
    assert float(found.gain_percent) == pytest.approx(
        100 * (float(found.ratio) - 1), abs=1e-6
    )


@pytest.mark.formula("evaluate.fragment_cache.fragment_trade")
@given(
    st.integers(0, 8).map(lambda doublings: 4096 * 2**doublings),
    st.integers(1, 400),
    st.integers(0, 5000),
)
def test_the_used_share_is_what_runs_cover(
    fragment: int, run_pages: int, seed: int
) -> None:
    """Slow oracle: a run at each of the possible offsets, fragments touched counted."""
    pages = fragment // 4096
    touched = sum(
        (start + run_pages - 1) // pages + 1 for start in range(pages)
    )  # over all offsets of the first page in its fragment
    covered = pages * run_pages / (touched * pages)
    found = fragment_cache.fragment_trade(
        [fragment],
        source_bytes=GIB,
        cache_bytes=GIB,
        threads=1,
        period_s=1,
        run_bytes=run_pages * 4096,
        density=seed / 5000,
    )
    wanted = covered + (1 - covered) * seed / 5000
    assert float(found.used_share[0]) == pytest.approx(wanted)


# --- eviction -----------------------------------------------------------------------------


def slow_clock(
    trace: list[int], frames: int, ceiling: int, initial: int
) -> tuple[int, list[int]]:
    """The same clock as a rotating list of (fragment, counter): the hand is at the front."""
    ring: list[list[int]] = []
    hits, victims = 0, []
    for fragment in trace:
        for entry in ring:
            if entry[0] == fragment:
                entry[1] = min(ceiling, entry[1] + 1)
                hits += 1
                break
        else:
            if len(ring) == frames:
                while ring[0][1] > 0:
                    ring[0][1] -= 1
                    ring.append(ring.pop(0))
                victims.append(ring.pop(0)[0])
            ring.append([fragment, initial])
    return hits, victims


@pytest.mark.formula("sce.clock")
@given(traces, st.integers(1, 8), st.integers(1, 5), st.integers(0, 5))
def test_the_clock_agrees_with_a_rotating_list(
    trace: list[int], frames: int, ceiling: int, initial: int
) -> None:
    initial = min(initial, ceiling)
    found = fragment_cache.clock(
        trace, frames=frames, ceiling=ceiling, initial_count=initial
    )
    hits, victims = slow_clock(trace, frames, ceiling, initial)
    assert (found.hits, found.evicted) == (hits, victims)
    assert all(0 <= counter <= ceiling for counter in found.counters)
    assert len(set(found.frames)) == len(found.frames) <= frames
    assert len(trace) - found.hits - len(found.evicted) == len(found.frames)
    # At most ceiling x frames steps before a victim.
    assert found.decrements <= ceiling * frames * len(found.evicted)


# --- writes: asynchronous write-through against write-around ------------------------------


class FragmentWrites(RuleBasedStateMachine):
    """Random writes, completions and populations, with the contents of flash beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.bitmap = fragment_cache.FragmentBitmap(4)
        self.open: list[tuple[int, tuple[int, ...]]] = []
        self.flash_done: set[int] = set()
        self.acknowledged: set[int] = set()

    @rule(
        pages=st.sets(st.integers(0, 3), min_size=1),
        whole=st.booleans(),
        clone=st.booleans(),
    )
    def write(self, pages: set[int], *, whole: bool, clone: bool) -> None:
        number = self.bitmap.write(pages, whole_pages=whole, clone=clone)
        assert not any(self.bitmap.valid[page] for page in pages)
        if clone:
            self.open.append((number, tuple(pages)))

    @rule(ok=st.booleans(), at=st.integers(0, 10))
    def source_completes(self, *, ok: bool, at: int) -> None:
        waiting = [n for n, _ in self.open if n not in self.acknowledged]
        if waiting:
            number = waiting[at % len(waiting)]
            # The acknowledgement needs only the source.
            self.bitmap.source_done(number, ok=ok)
            self.acknowledged.add(number)
            self.settle()

    @rule(ok=st.booleans(), at=st.integers(0, 10))
    def flash_completes(self, *, ok: bool, at: int) -> None:
        waiting = [n for n, _ in self.open if n not in self.flash_done]
        if waiting:
            number = waiting[at % len(waiting)]
            self.bitmap.flash_done(number, ok=ok)
            self.flash_done.add(number)
            self.settle()

    @rule()
    def populate(self) -> None:
        self.bitmap.populate()

    def settle(self) -> None:
        self.open = [
            (number, pages)
            for number, pages in self.open
            if not {number} <= self.flash_done & self.acknowledged
        ]

    @invariant()
    def no_page_in_flight_is_valid(self) -> None:
        waited = Counter(itertools.chain.from_iterable(p for _, p in self.open))
        assert self.bitmap.in_flight == tuple(waited[page] for page in range(4))
        for page in range(4):
            if waited[page]:
                assert not self.bitmap.valid[page]
                assert not self.bitmap.hit([page])
        assert self.bitmap.hit(range(4)) == all(self.bitmap.valid)


TestFragmentWrites = FragmentWrites.TestCase
TestFragmentWrites.settings = settings(
    max_examples=50, stateful_step_count=30, deadline=None
)


def test_a_write_is_valid_again_when_its_last_completion_is_in() -> None:
    bitmap = fragment_cache.FragmentBitmap(2)
    bitmap.populate()
    first = bitmap.write([0])
    second = bitmap.write([0, 1])
    assert bitmap.valid == (False, False)
    for number in (first, second):
        bitmap.source_done(number)
    bitmap.flash_done(first)
    assert bitmap.valid == (False, False)  # the second is in flight
    bitmap.flash_done(second)
    assert bitmap.valid == (True, True)


@pytest.mark.parametrize("side", ["source", "flash"])
def test_a_failure_leaves_its_pages_invalid_until_population(side: str) -> None:
    bitmap = fragment_cache.FragmentBitmap(1)
    bitmap.populate()
    number = bitmap.write([0])
    bitmap.source_done(number, ok=side != "source")
    bitmap.flash_done(number, ok=side != "flash")
    assert bitmap.valid == (False,)
    bitmap.populate()
    assert bitmap.valid == (True,)


def test_a_part_of_a_page_validates_only_what_was_valid() -> None:
    bitmap = fragment_cache.FragmentBitmap(2)
    number = bitmap.write([0], whole_pages=False)
    bitmap.source_done(number)
    bitmap.flash_done(number)
    assert bitmap.valid == (False, False)
    bitmap.populate()
    number = bitmap.write([0], whole_pages=False)
    bitmap.flash_done(number)
    bitmap.source_done(number)
    assert bitmap.valid == (True, True)


@given(st.lists(st.sets(st.integers(0, 3), min_size=1), max_size=10))
def test_write_around_never_adds_a_valid_page(writes: list[set[int]]) -> None:
    bitmap = fragment_cache.FragmentBitmap(4, asynchronous=False)
    bitmap.populate()
    before = sum(bitmap.valid)
    for pages in writes:
        number = bitmap.write(pages)
        bitmap.source_done(number)
        bitmap.flash_done(number)
        assert sum(bitmap.valid) <= before
        before = sum(bitmap.valid)
    touched = set().union(*writes)
    assert bitmap.valid == tuple(page not in touched for page in range(4))


@pytest.mark.formula("evaluate.fragment_cache.write_policies")
@given(st.floats(1e-6, 1), st.floats(1e-6, 1), st.floats(0, 100), st.floats(1e-6, 100))
def test_asynchronous_write_through_never_waits_for_flash(
    source: float, flash: float, writes: float, populations: float
) -> None:
    found = fragment_cache.write_policies(
        source_write_s=source,
        flash_write_s=flash,
        writes_per_s=writes,
        populations_per_s=populations,
    ).policies
    awt, around = found["awt"], found["write_around"]
    assert float(awt.acknowledge_s) == float(around.acknowledge_s) == source
    assert float(found["write_through"].acknowledge_s) == max(source, flash)
    assert 0 <= float(awt.valid_share) <= 1
    assert 0 <= float(around.valid_share) <= 1
    if flash < 1 / (writes + populations):  # invalid for less than until a population
        assert float(awt.valid_share) >= float(around.valid_share)
    never = fragment_cache.write_policies(
        source_write_s=source, flash_write_s=flash, writes_per_s=writes
    ).policies["write_around"]
    assert float(never.valid_share) == (1.0 if writes == 0 else 0.0)


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fragment_cache.threads(1.5, 0),
            "read_miss_rate: `1.5` must not exceed 1",
        ),
        (
            lambda: fragment_cache.threads(
                0,
                0,
                groups=(
                    fragment_cache.ThreadGroup(1, 0.1, 0),
                    fragment_cache.ThreadGroup(1, 0.3, 0),
                ),
            ),
            "targets must not rise from group to group",
        ),
        (
            lambda: fragment_cache.population_rate(
                1, threads=1, period_s=0, fragment_bytes=1
            ),
            "period_s: `0.0` must be above 0",
        ),
        (
            lambda: fragment_cache.clock("A", frames=0),
            "frames: `0` must be a positive whole number",
        ),
        (
            lambda: fragment_cache.clock("A", frames=1, ceiling=0),
            "ceiling: `0` must be a positive whole number",
        ),
        (
            lambda: fragment_cache.clock("A", frames=1, initial_count=5),
            r"initial_count: `5` must lie in \[0, 4\]",
        ),
        (lambda: fragment_cache.hottest_of_mru("A", window=0), "window: `0`"),
        (lambda: fragment_cache.speedup(0, 1), "base: `0.0` must be above 0"),
        (
            lambda: fragment_cache.fragment_trade(
                [5000],
                source_bytes=1,
                cache_bytes=1,
                threads=1,
                period_s=1,
                run_bytes=4096,
            ),
            "fragment_bytes: `5000` is not a positive multiple of 4096",
        ),
        (lambda: fragment_cache.FragmentBitmap(4).write([4]), "page: `4` is outside"),
        (
            lambda: fragment_cache.write_policies(
                source_write_s=-1, flash_write_s=1, writes_per_s=1
            ),
            "source_write_s: `-1` must not be negative",
        ),
    ],
)
def test_refusals_name_value_and_next_step(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        call()
    assert raised.value.hint
