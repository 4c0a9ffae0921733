"""Pool split: invariants on random traces, a slow Two-Stack as oracle, gain by asymmetry."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import pool_gain, pool_split, pool_survey
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.pool_split import belady as pool_split_belady
from tierwright.evaluate.pool_split import costs as pool_split_costs
from tierwright.evaluate.pool_split import counts, workload
from tierwright.simulate.replay import replay, simulate_splits, two_stack
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import parse_tokens, token_trace

Steps = list[tuple[int, bool]]
steps_of_any_kind = st.lists(
    st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=100
)
buffers = st.integers(2, 7)


def text_of(steps: Steps) -> str:
    return " ".join(f"{'W' if write else 'R'}{page}" for page, write in steps)


def rates_of(found: dict[str, Any]) -> pool_split_costs.PoolMissRates:
    return pool_split_costs.pool_miss_rates(
        found["hits_clean"],
        found["hits_dirty"],
        found["write_hits_dirty"],
        accesses=found["accesses"],
        write_accesses=found["write_accesses"],
    )


class SlowTwoStack:
    """The estimator as the paper lists it, with lists and one threshold an entry.

    A page hits the clean pool iff M_c >= max(d_c, t_c), the dirty pool iff M_d >= max(d_d, t_d).
    """

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.clean: list[list[int]] = []  # [page, threshold], most recent first
        self.dirty: list[list[int]] = []
        self.counts = {
            name: {"inf": 0}
            for name in ("clean_reads", "clean_writes", "dirty_reads", "dirty_writes")
        }

    def count(self, name: str, at: int | None) -> None:
        key = "inf" if at is None else str(at)
        self.counts[name][key] = self.counts[name].get(key, 0) + 1

    @staticmethod
    def find(stack: list[list[int]], page: int) -> tuple[int, list[int]] | None:
        for at, entry in enumerate(stack, start=1):
            if entry[0] == page:
                return at, entry
        return None

    def access(self, page: int, *, write: bool) -> None:
        clean, dirty = self.find(self.clean, page), self.find(self.dirty, page)
        kind = "writes" if write else "reads"
        at_clean = None if clean is None else max(clean[0], clean[1][1])
        at_dirty = None if dirty is None else max(dirty[0], dirty[1][1])
        self.count(f"clean_{kind}", at_clean)
        self.count(f"dirty_{kind}", at_dirty)
        if write:
            if clean:
                self.clean.remove(clean[1])
            if dirty:
                self.dirty.remove(dirty[1])
            self.dirty.insert(0, [page, 0])
            return
        if dirty is None:
            if clean:
                self.clean.remove(clean[1])
            self.clean.insert(0, [page, 0])
            return
        distance, entry = dirty
        threshold = self.pages - distance + 1
        if clean:
            self.clean.remove(clean[1])
            threshold = min(clean[1][1], threshold)
        self.clean.insert(0, [page, max(0, threshold)])
        self.dirty.remove(entry)
        self.dirty.insert(0, [page, max(entry[1], distance)])

    def complements(self) -> bool:
        """t_c = max(0, M - t_d + 1) for every page in both stacks."""
        in_clean = dict(self.clean)  # type: ignore[arg-type]
        return all(
            in_clean[page] == max(0, self.pages - threshold + 1)
            for page, threshold in self.dirty
            if page in in_clean
        )


@settings(max_examples=40)
@given(steps_of_any_kind, buffers)
def test_two_stack_is_the_slow_one_and_its_thresholds_are_complements(
    steps: Steps, pages: int
) -> None:
    slow = SlowTwoStack(pages)
    for page, write in steps:
        slow.access(page, write=write)
        assert slow.complements()
    with token_trace(text_of(steps)) as trace:
        found = two_stack(trace, pages)
    for name, counted in slow.counts.items():
        core = found["by_index"][name]
        got = {str(at): n for at, n in enumerate(core["hits"].tolist()) if n}
        assert {**got, "inf": core["never"]} == counted


@settings(max_examples=40)
@given(steps_of_any_kind, buffers)
def test_pools_of_a_true_run(steps: Steps, pages: int) -> None:
    """Conservation in a replay of every split."""
    writes = sum(write for _, write in steps)
    with token_trace(text_of(steps)) as trace:
        rows = simulate_splits(trace, pages, range(1, pages))
    for row in rows:
        hits = row["hits_clean"] + row["hits_dirty"]
        assert hits + row["misses"] == len(steps)
        assert row["misses"] == row["reads"]
        free = min(pages, row["misses"])
        assert row["reads"] - free == row["evictions"]
        assert row["writes"] <= row["evictions"] <= row["misses"]
        p_c, p_d = (
            1 - row["hits_clean"] / len(steps),
            1 - row["hits_dirty"] / len(steps),
        )
        assert -1e-12 <= p_c + p_d - 1 <= p_c * p_d + 1e-12
        if writes == 0:
            assert row["writes"] == 0
        if writes == len(steps):
            assert row["hits_clean"] == 0


@settings(max_examples=40)
@given(steps_of_any_kind, buffers)
def test_estimated_rates(steps: Steps, pages: int) -> None:
    with token_trace(text_of(steps)) as trace:
        found = two_stack(trace, pages)
    by_index = found["by_index"]
    for pool in ("clean", "dirty"):  # each pool's counters hold every access once
        total = sum(
            int(by_index[f"{pool}_{kind}"]["hits"].sum())
            + by_index[f"{pool}_{kind}"]["never"]
            for kind in ("reads", "writes")
        )
        assert total == len(steps)
    rates = rates_of(found)
    for values in (rates.p_c, rates.p_d, rates.p_dw):
        assert np.all((values >= 0) & (values <= 1))
    assert np.all(np.diff(rates.p_c) <= 1e-12)  # in M_c
    assert np.all(np.diff(rates.p_d) >= -1e-12)  # in M_c, so falling in M_d
    assert np.all(np.diff(rates.p_dw) >= -1e-12)
    if found["write_accesses"] == 0:
        assert np.all(rates.p_dw == 0)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_costs_are_linear_in_the_asymmetry_and_never_fall(
    p_c: float, p_d: float, p_dw: float, w: float
) -> None:
    found = [
        pool_split_costs.split_costs(p_c, p_d, p_dw, asymmetry=ratio, write_share=w)
        for ratio in (1, 2, 3)
    ]
    for name in counts.ESTIMATORS:
        one, two, three = (float(getattr(cost, name)) for cost in found)
        assert one <= two <= three
        assert three - two == pytest.approx(two - one, abs=1e-12)
    assert (
        float(found[0].miss_rate_disjoint) <= float(found[0].miss_rate_product) + 1e-12
    )


def best_buffer_misses(accesses: list[tuple[str, bool]], pages: int) -> int:
    """Least misses of any choice of victims: a search over all of them."""
    states: dict[frozenset[str], int] = {frozenset(): 0}
    for page, _ in accesses:
        after: dict[frozenset[str], int] = {}
        for held, misses in states.items():
            options = [held] if page in held else []
            if not options:
                kept = [held] if len(held) < pages else [held - {v} for v in held]
                options = [rest | {page} for rest in kept]
            for option in options:
                count = misses + (page not in held)
                after[option] = min(after.get(option, count), count)
        states = after
    return min(states.values())


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=25),
    st.integers(1, 4),
)
def test_belady_misses_least_and_buffers_never_less(steps: Steps, pages: int) -> None:
    text = text_of(steps)
    accesses = parse_tokens(text)
    least = pool_split_belady.belady(accesses, pages).misses
    assert least == best_buffer_misses(accesses, pages)
    with token_trace(text) as trace:
        for name, options in (("lru", {}), ("cflru", {"wrr": "0.5"})):
            found = replay(trace, "buffer", name, pages, options=options)
            assert found["misses"] >= least
        if pages >= 2:
            for row in simulate_splits(trace, pages, range(1, pages)):
                assert row["misses"] >= least


@settings(max_examples=30)
@given(steps_of_any_kind, buffers)
def test_cflru_without_a_clean_first_region_is_lru(steps: Steps, pages: int) -> None:
    with token_trace(text_of(steps)) as trace:
        lru = replay(trace, "buffer", "lru", pages)
        cflru = replay(trace, "buffer", "cflru", pages, options={"wrr": "1.0"})
        bigger = replay(trace, "buffer", "lru", pages + 1)
    assert (lru["reads"], lru["writes"]) == (cflru["reads"], cflru["writes"])
    assert bigger["misses"] <= lru["misses"]  # Mattson: P(M) never rises with M


# --- gain by asymmetry --------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Trace(recordings.TPCB)


@pytest.mark.oracle("advise.pool_gain.answer")
@pytest.mark.slow
def test_gain_is_replayed_at_every_asymmetry(trace: Trace) -> None:
    ratios = (1.0, 8.0, 32.0, 121.3)
    found = pool_gain.answer(trace, 306, ratios)
    lru = replay(trace, "buffer", "lru", 306)
    for at, ratio in enumerate(ratios):
        single = pool_split.answer(trace, 306, ratio)
        assert single.best_clean_pages == found.clean_pages[at]
        assert single.simulated == pytest.approx(found.simulated[at], rel=1e-12)
        # Every R of the list has its split replayed: the best of more is no dearer.
        assert single.recommended_cost is not None
        assert found.best_simulated[at] <= single.recommended_cost
        assert single.counters["fd_static"]["dirty_left"] > 0
        assert single.estimates["flow"] == pytest.approx(found.estimated[at])
    assert found.counters["lru"]["dirty_left"] > 0
    writes = lru["writes"] + found.counters["lru"]["dirty_left"]
    counted = [lru["reads"] + ratio * writes for ratio in ratios]
    costs = np.asarray(counted) / lru["accesses"]
    assert found.baselines["lru"] == pytest.approx(costs)
    # as R grows the clean pool shrinks, and costs rise
    assert np.all(np.diff(found.clean_pages) <= 0)
    assert np.all(np.diff(found.simulated) > 0)
    assert np.all(found.best_simulated <= found.simulated)


@pytest.mark.slow
def test_from_the_break_even_on_a_replayed_split_is_no_dearer(trace: Trace) -> None:
    found = pool_gain.answer(trace, 306)
    even = found.break_even["lru"]
    assert even is not None
    whole = {
        name: {"reads": row["reads"], "writes": row["writes"] + row["dirty_left"]}
        for name, row in found.counters.items()
    }
    splits = [row for name, row in whole.items() if name.isdigit()]
    base = whole["lru"]
    for ratio, cheaper in ((even * 1.01, True), (even * 2, True), (1e6, True)):
        least = min(row["reads"] + ratio * row["writes"] for row in splits)
        assert (least <= base["reads"] + ratio * base["writes"]) == cheaper
    at_even = min(row["reads"] + even * row["writes"] for row in splits)
    assert at_even <= (base["reads"] + even * base["writes"]) * (1 + 1e-12)


def test_gain_by_asymmetry_is_that_of_a_survey() -> None:
    """Both charge the writes of pages left dirty, or a large dirty pool looks too cheap."""
    text = "WA RB WC RB WA RD WC RB WA RB WD RA WC RB RB WA WE WF"
    with token_trace(text) as trace:
        found = pool_gain.answer(trace, 3, [1, 8, 64])
        counted = pool_survey.survey(trace, 3)
    for at, ratio in enumerate(found.asymmetry.tolist()):
        split = counted.splits[int(found.clean_pages[at])]
        assert split["dirty_left"] > 0
        assert found.simulated[at] == pytest.approx(counted.cost(split, ratio))
        for name, row in counted.baselines.items():
            assert found.baselines[name][at] == pytest.approx(counted.cost(row, ratio))
    assert found.validity


@pytest.mark.formula("advise.pool_gain.least_asymmetry")
@given(
    *[st.integers(0, 1000)] * 2,
    st.lists(st.tuples(*[st.integers(0, 1000)] * 2), min_size=1, max_size=5),
)
def test_least_asymmetry_is_where_the_lines_cross_for_good(
    reads: int, writes: int, splits: list[tuple[int, int]]
) -> None:
    rows = [{"reads": r, "writes": w} for r, w in splits]
    even = pool_gain.least_asymmetry({"reads": reads, "writes": writes}, rows)
    far = 1e7
    least = min(r + far * w for r, w in splits)
    if even is None:
        assert all(w >= writes for _, w in splits)
        return
    assert least <= reads + far * writes
    for ratio in (even * (1 + 1e-9) + 1e-9, even * 3 + 1):
        cost = min(r + ratio * w for r, w in splits)
        assert cost <= (reads + ratio * writes) * (1 + 1e-9) + 1e-6


@pytest.mark.formula("advise.pool_gain.most_asymmetry")
@given(
    *[st.integers(0, 1000)] * 2,
    st.lists(st.tuples(*[st.integers(0, 1000)] * 2), min_size=1, max_size=5),
    st.floats(0, 1e4),
)
def test_a_split_is_as_cheap_just_below_the_one_and_beyond_the_other(
    reads: int, writes: int, splits: list[tuple[int, int]], ratio: float
) -> None:
    rows = [{"reads": r, "writes": w} for r, w in splits]
    base = {"reads": reads, "writes": writes}
    up_to = pool_gain.most_asymmetry(base, rows)
    since = pool_gain.least_asymmetry(base, rows)
    own = reads + ratio * writes
    least = min(r + ratio * w for r, w in splits)
    said = (up_to is not None and ratio <= up_to) or (
        since is not None and ratio >= since
    )
    if abs(least - own) > 1e-6 * (1 + own):
        assert said == (least < own)


@pytest.mark.parametrize(
    ("up_to", "since", "words"),
    [
        (None, None, "No replayed split costs as little as LRU at any R."),
        (None, 20.16, "A replayed split costs no more than LRU from R = 20.2 on."),
        (13.4, None, "A replayed split costs no more than LRU up to R = 13.4."),
        (
            13.4,
            20.16,
            "A replayed split costs no more than LRU up to R = 13.4, and from R = 20.2 on.",
        ),
        (30.0, 20.0, "A replayed split costs no more than LRU at any R."),
        (math.inf, 0.0, "A replayed split costs no more than LRU at any R."),
    ],
)
def test_where_a_split_is_cheaper_is_said_whole(
    up_to: float | None, since: float | None, words: str
) -> None:
    assert pool_gain.from_where("LRU", up_to, since) == words


@pytest.mark.oracle("advise.pool_gain.least_asymmetry")
def test_table_2_of_the_paper_over_all_asymmetries() -> None:
    """Belady's buffer costs (6 + 2R)/9, the split one (8 + R)/9: equal at R = 2."""
    belady, split = {"reads": 6, "writes": 2}, {"reads": 8, "writes": 1}
    assert pool_gain.least_asymmetry(belady, [split]) == 2.0
    for ratio in (1, 2, 3):
        a = pool_split_costs.normalised_cost(6, 2, accesses=9, asymmetry=ratio)
        b = pool_split_costs.normalised_cost(8, 1, accesses=9, asymmetry=ratio)
        assert a is not None
        assert b is not None
        assert (b < a) == (ratio > 2)


@pytest.mark.oracle("advise.pool_gain.most_asymmetry")
def test_the_other_way_round_the_lines_of_table_2_cross_at_the_same_place() -> None:
    """Beside the split's (8 + R)/9, Belady's (6 + 2R)/9 costs no more up to R = 2."""
    belady, split = {"reads": 6, "writes": 2}, {"reads": 8, "writes": 1}
    assert pool_gain.most_asymmetry(split, [belady]) == 2.0
    assert pool_gain.most_asymmetry(belady, [split]) is None  # it reads more
    assert pool_gain.most_asymmetry(split, [split]) == math.inf  # never dearer
    worse = {
        "reads": 7,
        "writes": 3,
    }  # crosses at R = 1/2; the better of the two counts
    assert pool_gain.most_asymmetry(split, [worse, belady]) == 2.0
    for ratio in (1.0, 2.0, 3.0):
        a = pool_split_costs.normalised_cost(6, 2, accesses=9, asymmetry=ratio)
        b = pool_split_costs.normalised_cost(8, 1, accesses=9, asymmetry=ratio)
        assert a is not None
        assert b is not None
        assert (a <= b) == (ratio <= 2.0)


def test_published_dynamics() -> None:
    """Section 5.1: RM1 grows by a tenth of R0 an epoch, WM1 by 1 % of w0, up to 1."""
    series = [workload.epoch(i, write_share=0.15, asymmetry=32) for i in range(700)]
    assert [round(e.rm1, 9) for e in series[:3]] == [32.0, 35.2, 38.4]
    assert max(e.wm1 for e in series) == 1.0
    for before, after in itertools.pairwise(series):
        assert after.wm1 >= before.wm1
        assert {before.rm2, after.rm2} == {32, 0.95 * 32}
        assert {before.wm2, after.wm2} == {0.15, 0.95 * 0.15}
    assert pool_gain.PAPER_ASYMMETRIES["Mtron"] == 39.6


@pytest.mark.formula("advise.pool_gain.window_accesses")
@given(
    st.floats(0.001, 10),
    st.floats(0.001, 1),
    st.floats(0.01, 100),
    st.floats(1e-6, 1e-2),
)
def test_a_window_keeps_the_overhead_below_its_ratio(
    estimation_s: float, overhead: float, cost: float, read_s: float
) -> None:
    window = pool_gain.window_accesses(estimation_s, overhead, cost=cost, read_s=read_s)
    io_s = window * cost * read_s
    assert estimation_s <= overhead * io_s * (1 + 1e-5)
    assert window == 1 or (window - 1) * cost * read_s <= estimation_s / overhead + 1e-6
    assert math.isfinite(io_s)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: pool_gain.answer(t, 1), "cannot be split"),
        (lambda t: pool_gain.answer(t, 5, []), "must rise"),
        (lambda t: pool_gain.answer(t, 5, [2, 1]), "must rise"),
        (lambda t: pool_gain.answer(t, 5, [0, 1]), "above 0"),
        (lambda t: pool_gain.answer(t, 5, estimator="x"), "estimator: `x`"),
        (
            lambda _: pool_gain.window_accesses(1, 0.03, cost=0, read_s=1),
            "no window is long enough",
        ),
    ],
)
def test_bad_requests_are_refused(call: Any, message: str) -> None:
    with token_trace("R1 W2 R3 R1") as small, pytest.raises(BadInput) as caught:
        call(small)
    assert message in caught.value.message
    assert caught.value.hint


def test_the_command_prints_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace.csv"
    lines = [f"{at},{'W' if at % 3 else 'R'},1/1,{at * 7 % 13}" for at in range(200)]
    path.write_text("\n".join(["time_us,op,rel,block", *lines]) + "\n", "utf-8")
    command = ["pool-gain", str(path), "--pages=5"]
    assert main([*command, "--asymmetry=1,32", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["asymmetry"] == [1.0, 32.0]
    assert set(found["gain_over"]) == {"lru", "cflru"}
    assert main(command) == 0
    assert "over CFLRU" in capsys.readouterr().out
    assert main([*command, "--asymmetry=1,b"]) == 2
    assert "`b` is not a number" in capsys.readouterr().err
