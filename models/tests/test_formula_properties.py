"""Properties of the conformance table's formulas, called as a vectors file calls them.

Together with the marked properties of the other files every formula has one;
`test_formula_catalogue.py` guards that.
"""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.catalogue.vectors.conformance import FORMULAS

settings.register_profile("replays", deadline=None, max_examples=25)
REPLAYS = settings.get_profile("replays")

shares = st.floats(0, 1)
times = st.floats(0, 1e6)
counts = st.integers(0, 10**9)
asymmetries = st.floats(1, 128)


@st.composite
def traces(draw: st.DrawFn, *, writes: bool = True, least: int = 1) -> str:
    """A trace of up to 60 accesses to up to 12 pages, as vectors write it."""
    operations = "RW" if writes else "R"
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(operations), st.integers(0, 11)),
            min_size=least,
            max_size=60,
        )
    )
    return " ".join(f"{operation}{page}" for operation, page in pairs)


def length(trace: str) -> int:
    return len(trace.split())


def distinct(trace: str) -> int:
    return len({token[1:] for token in trace.split()})


# --- page flow --------------------------------------------------------------------------


@pytest.mark.formula("kv.C0")
@given(counts, shares, times, times, st.floats(0.1, 100))
def test_the_cost_without_flash_is_homogeneous(
    misses: int, p_d: float, read: float, write: float, factor: float
) -> None:
    def cost(scale: float = 1.0) -> float:
        inputs = {"m_r": misses, "p_d": p_d, "D_R": read * scale, "D_W": write * scale}
        return float(FORMULAS["kv.C0"](inputs)["C0"])

    assert cost() >= 0
    assert cost(factor) == pytest.approx(cost() * factor, rel=1e-9, abs=1e-9)
    if misses == 0:
        assert cost() == 0


@pytest.mark.formula("kv.choose_scheme")
@given(
    st.integers(1, 4000),
    st.integers(1, 40_000),
    shares,
    st.floats(0.01, 100),
    st.floats(0.1, 100),
)
def test_the_choice_does_not_depend_on_the_unit_of_time(
    r: int, f: int, p_d: float, write: float, factor: float
) -> None:
    def choose(scale: float) -> Any:
        return FORMULAS["kv.choose_scheme"](
            {
                "curve": [[0, 0], [1000, 0.55], [4000, 0.78], [32000, 0.95]],
                "r": r,
                "f": f,
                "N": 10**6,
                "p_d": p_d,
                "F_R": 0.4 * scale,
                "F_W": write * scale,
                "D_R": 8 * scale,
                "D_W": 8 * scale,
            }
        )

    one, scaled = choose(1.0), choose(factor)
    names = ("inclusive", "exclusive", "lazy")
    assert one[one["best"]] == min(one[name] for name in names)
    for name in names:
        assert scaled[name] == pytest.approx(one[name] * factor)
    runner_up = sorted(one[name] for name in names)[1]
    if runner_up > one[one["best"]] * (1 + 1e-9):
        assert scaled["best"] == one["best"]


@pytest.mark.formula("kv.iops_to_ms")
@given(st.floats(1e-3, 1e9), st.floats(1e-3, 1e9))
def test_rates_and_times_are_inverse(read: float, write: float) -> None:
    found = FORMULAS["kv.iops_to_ms"]({"read_iops": read, "write_iops": write})
    assert found["F_R"] * read == pytest.approx(1000)
    assert found["F_W"] * write == pytest.approx(1000)


@pytest.mark.formula("kv.flash_saving")
@given(times, st.just(0.0) | st.floats(1e-6, 1e6))
def test_the_saving_is_the_share_not_spent(cost: float, without: float) -> None:
    found = FORMULAS["kv.flash_saving"]({"C_k": cost, "C0": without})["saving"]
    if without == 0:
        assert found is None
    else:
        assert found <= 1
        assert without * (1 - found) == pytest.approx(
            cost, rel=1e-9, abs=1e-6 * without
        )


@pytest.mark.formula("kv.price_performance")
@given(times, st.integers(1, 10**9), st.floats(0.01, 1e6), st.floats(1.01, 10))
def test_dearer_or_slower_is_never_better(
    cost: float, references: int, price: float, factor: float
) -> None:
    def worth(c: float, p: float) -> float:
        found = FORMULAS["kv.price_performance"](
            {"cost": c, "references": references, "price": p}
        )
        return float(found["price_times_ms"])

    here = worth(cost, price)
    assert worth(cost * factor, price) >= here
    assert worth(cost, price * factor) >= here
    assert here == pytest.approx(cost / references * price)


@pytest.mark.formula("kv.simulate")
@REPLAYS
@given(traces(), st.integers(1, 4), st.integers(5, 9))
def test_replays_of_schemes_add_up(trace: str, r: int, f: int) -> None:
    found = FORMULAS["kv.simulate"]({"trace": trace, "r": r, "f": f})
    for counters in found.values():
        whole = counters["h_r"] + counters["h_f"] + counters["m_f"]
        assert whole == length(trace)
        assert counters["m_f"] >= distinct(trace)
        assert counters["hdd_writes"] <= trace.count("W")
    assert len({counters["h_r"] for counters in found.values()}) == 1
    # Exclusive is one LRU of r + f pages.
    lru = FORMULAS["fd.baselines"]({"trace": trace, "M": r + f, "WRR": 0.5})
    assert found["exclusive"]["m_f"] == lru["lru"]["reads"]
    assert found["exclusive"]["h_f"] >= found["inclusive_global"]["h_f"]


# --- pool split -------------------------------------------------------------------------


@pytest.mark.formula("fd.mattson")
@REPLAYS
@given(traces())
def test_a_larger_buffer_never_misses_more(trace: str) -> None:
    found = FORMULAS["fd.mattson"]({"trace": trace})
    hits = sum(found["hit"].values())
    assert hits + found["infinite"] == length(trace)
    assert found["infinite"] == distinct(trace)
    rates = [found["miss_rate_at"][str(m)] for m in range(1, length(trace) + 1)]
    assert rates == sorted(rates, reverse=True)
    assert all(0 <= rate <= 1 for rate in rates)


@pytest.mark.formula("fd.eq2_eq3")
@given(shares, shares, st.floats(0.01, 10), asymmetries, st.floats(1.01, 4))
def test_cost_is_linear_and_rises_with_asymmetry(
    misses: float, dirty: float, read: float, asymmetry: float, factor: float
) -> None:
    def cost(ratio: float) -> Any:
        return FORMULAS["fd.eq2_eq3"](
            {
                "P_total": misses,
                "E_dirty": dirty,
                "C_read": read,
                "C_write": read * ratio,
            }
        )

    here = cost(asymmetry)
    assert here["normalized"] * read == pytest.approx(here["cost"], abs=1e-12)
    assert here["R"] == pytest.approx(asymmetry)
    slope = cost(asymmetry + 1)["normalized"] - here["normalized"]
    assert slope == pytest.approx(misses * dirty, abs=1e-9)
    assert cost(asymmetry * factor)["cost"] >= here["cost"]


@pytest.mark.formula("fd.cost_variants")
@given(shares, shares, shares, asymmetries, shares)
def test_disjoint_pools_miss_no_more_than_independent_ones(
    p_c: float, p_d: float, p_dw: float, asymmetry: float, w: float
) -> None:
    found = FORMULAS["fd.cost_variants"](
        {"P_c": p_c, "P_d": p_d, "P_dw": p_dw, "R": asymmetry, "w": w}
    )
    product, disjoint = found["P_total_product"], found["P_total_disjoint"]
    assert 0 <= disjoint <= product + 1e-12
    assert product <= 1
    assert found["disjoint"] <= found["eq4"] + 1e-9
    assert all(found[name] >= 0 for name in ("eq4", "disjoint", "flow"))


@pytest.mark.formula("fd.argmin")
@given(
    st.lists(st.tuples(shares, shares, shares), min_size=1, max_size=12),
    asymmetries,
    shares,
)
def test_the_chosen_split_is_the_cheapest_and_the_smallest(
    rows: list[tuple[float, float, float]], asymmetry: float, w: float
) -> None:
    listed = [
        {"M_c": at, "P_c": p_c, "P_d": p_d, "P_dw": p_dw}
        for at, (p_c, p_d, p_dw) in enumerate(rows, start=1)
    ]
    found = FORMULAS["fd.argmin"]({"rows": listed, "R": asymmetry, "w": w})
    for name, best in found.items():
        each = [
            FORMULAS["fd.cost_variants"]({**row, "R": asymmetry, "w": w})[name]
            for row in listed
        ]
        assert each[best - 1] == min(each)
        assert all(cost > each[best - 1] for cost in each[: best - 1])


@pytest.mark.formula("fd.table2")
@REPLAYS
@given(traces())
def test_belady_never_misses_more_than_the_split_buffer(trace: str) -> None:
    found = FORMULAS["fd.table2"](
        {"trace": trace, "M": 2, "M_c": 1, "initial_clean": ["X", "Y"]}
    )
    offline, online = found["belady"], found["fd_buffer"]
    assert offline["misses"] <= online["misses"]
    for counters in (offline, online):
        assert counters["hits"] + counters["misses"] == length(trace)
        assert counters["writes"] <= trace.count("W")


@pytest.mark.formula("fd.table2_costs")
@given(st.floats(0.01, 200))
def test_the_winner_of_table_2_changes_at_two(asymmetry: float) -> None:
    found = FORMULAS["fd.table2_costs"]({"R": asymmetry})
    assert found["belady"] == pytest.approx((6 + 2 * asymmetry) / 9)
    assert found["fd_buffer"] == pytest.approx((8 + asymmetry) / 9)
    if not math.isclose(asymmetry, 2, rel_tol=1e-6):
        assert found["winner"] == ("fd_buffer" if asymmetry > 2 else "belady")


@pytest.mark.formula("fd.break_even_R")
@given(*[st.integers(0, 1000)] * 4)
def test_at_the_break_even_both_cost_the_same(
    reads_a: int, writes_a: int, reads_b: int, writes_b: int
) -> None:
    found = FORMULAS["fd.break_even_R"](
        {
            "reads_a": reads_a,
            "writes_a": writes_a,
            "reads_b": reads_b,
            "writes_b": writes_b,
        }
    )["R"]
    if writes_a == writes_b:
        assert found is None
    else:
        assert reads_a + found * writes_a == pytest.approx(reads_b + found * writes_b)


@pytest.mark.formula("fd.simulate")
@REPLAYS
@given(traces(), st.integers(2, 6))
def test_replays_of_splits_add_up(trace: str, pages: int) -> None:
    found = FORMULAS["fd.simulate"]({"trace": trace, "M": pages})
    assert set(found) == {str(split) for split in range(1, pages)}
    for row in found.values():
        assert row["reads"] + row["hits"] == length(trace)
        assert row["hits_clean"] + row["hits_dirty"] == row["hits"]
        assert row["write_hits_dirty"] <= row["hits_dirty"]
        evictions = row["reads"] - min(pages, distinct(trace))
        assert row["writes"] <= max(evictions, 0)
        if "W" not in trace:
            assert (row["writes"], row["hits_dirty"]) == (0, 0)
        if "R" not in trace:
            assert row["hits_clean"] == 0


@pytest.mark.formula("fd.two_stack")
@REPLAYS
@given(traces(), st.integers(2, 8))
def test_counters_of_both_stacks_add_up_and_rates_fall(trace: str, pages: int) -> None:
    found = FORMULAS["fd.two_stack"]({"trace": trace, "M": pages})
    total = {name: sum(row.values()) for name, row in found["hits"].items()}
    assert total["cr"] == total["dr"] == trace.count("R")
    assert total["cw"] == total["dw"] == trace.count("W")
    rows = found["rows"]
    clean = [row["P_c"] for row in rows]
    dirty = [row["P_d"] for row in rows]
    dirty_writes = [row["P_dw"] for row in rows]
    assert clean == sorted(clean, reverse=True)
    assert dirty == sorted(dirty)  # M_d falls as M_c rises
    assert dirty_writes == sorted(dirty_writes)
    for row in rows:
        assert all(0 <= row[name] <= 1 for name in ("P_c", "P_d", "P_dw"))
        assert row["P_c"] + row["P_d"] - 1 <= row["P_c"] * row["P_d"] + 1e-12
    if "W" not in trace:
        assert set(dirty_writes) == {0.0}


@pytest.mark.formula("fd.two_stack_effective")
@REPLAYS
@given(traces(), st.integers(2, 6))
def test_effective_distances_never_count_more_hits_than_accesses(
    trace: str, pages: int
) -> None:
    rows = FORMULAS["fd.two_stack_effective"]({"trace": trace, "M": pages})["rows"]
    assert [row["M_c"] for row in rows] == list(range(1, pages))
    for row in rows:
        assert row["hits_clean"] + row["hits_dirty"] <= length(trace)
        assert row["write_hits_dirty"] <= row["hits_dirty"]
        if "W" not in trace:
            assert row["hits_dirty"] == 0


@pytest.mark.formula("fd.baselines")
@REPLAYS
@given(traces(), st.integers(2, 8), st.integers(0, 100))
def test_nobody_misses_less_than_belady(trace: str, pages: int, wrr: int) -> None:
    found = FORMULAS["fd.baselines"]({"trace": trace, "M": pages, "WRR": wrr / 100})
    for name in ("lru", "cflru"):
        assert found[name]["reads"] >= found["belady_misses"] >= distinct(trace)
        assert found[name]["reads"] + found[name]["hits"] == length(trace)
    whole = FORMULAS["fd.baselines"]({"trace": trace, "M": pages, "WRR": 1.0})
    assert whole["cflru"] == whole["lru"]  # no clean-first region is left


@pytest.mark.formula("fd.window_io_time")
@given(st.floats(1e-6, 1e6), st.floats(1e-4, 1))
def test_estimating_takes_its_share_of_a_window(comp: float, g: float) -> None:
    found = FORMULAS["fd.window_io_time"]({"Comp": comp, "g": g})
    assert found["io_time"] * g == pytest.approx(comp)


@pytest.mark.formula("fd.dynamics")
@given(shares, asymmetries, st.integers(0, 500), st.floats(0.5, 1))
def test_dynamics_start_where_they_are_told_and_stay_probabilities(
    w: float, asymmetry: float, epoch: int, factor: float
) -> None:
    def at(i: int) -> Any:
        return FORMULAS["fd.dynamics"](
            {"w0": w, "R0": asymmetry, "i": i, "alt_factor": factor}
        )

    start = at(0)
    assert start == {"WM1": w, "WM2": w, "RM1": asymmetry, "RM2": asymmetry}
    here, later = at(epoch), at(epoch + 1)
    assert w <= here["WM1"] <= later["WM1"] <= 1
    assert later["RM1"] > here["RM1"]
    even, odd = (here, later) if epoch % 2 == 0 else (later, here)
    assert even["WM2"] == w
    assert odd["WM2"] == pytest.approx(w * factor)
    assert odd["RM2"] == pytest.approx(asymmetry * factor)


@pytest.mark.formula("fd.zipf_pmf")
@given(st.integers(1, 60), st.floats(0, 3))
def test_popularity_adds_up_and_falls_with_rank(n: int, alpha: float) -> None:
    found = [
        FORMULAS["fd.zipf_pmf"]({"rank": rank, "n": n, "alpha": alpha})["p"]
        for rank in range(1, n + 1)
    ]
    assert sum(found) == pytest.approx(1)
    assert found == sorted(found, reverse=True)
    if alpha == 0:
        assert found == pytest.approx([1 / n] * n)


@pytest.mark.formula("fd.group_distance")
@given(st.integers(1, 10**6), st.integers(1, 1000))
def test_the_distance_lies_between_its_two_readings(position: int, size: int) -> None:
    found = FORMULAS["fd.group_distance"]({"position": position, "group_size": size})
    assert found["printed_distance"] < position <= found["conservative_distance"]
    assert found["conservative_distance"] - found["printed_distance"] == size


@pytest.mark.formula("fd.estimation_error")
@given(st.floats(1e-3, 1e6), st.floats(0, 1e6))
def test_an_error_is_zero_only_for_the_measured_value(
    measured: float, estimated: float
) -> None:
    def error(value: float) -> float:
        inputs = {"measured": measured, "estimated": value}
        return float(FORMULAS["fd.estimation_error"](inputs)["error_pct"])

    assert error(measured) == 0
    assert error(estimated) >= 0
    assert error(measured * 1.1) == pytest.approx(10)


# --- flash caches -------------------------------------------------------------------------


@pytest.mark.formula("face.simulate_mvfifo")
@REPLAYS
@given(
    traces(),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from(["mixed", "dirty", "clean"]),
    st.sampled_from(["write_back", "write_through"]),
)
def test_replays_of_mvfifo_add_up(
    trace: str, dram: int, slots: int, admission: str, sync: str
) -> None:
    found = FORMULAS["face.simulate_mvfifo"](
        {
            "trace": trace,
            "dram_pages": dram,
            "flash_slots": slots,
            "admission": admission,
            "sync": sync,
        }
    )
    served = found["dram_hits"] + found["flash_hits"] + found["disk_reads"]
    assert served == length(trace)
    assert found["disk_reads"] >= distinct(trace)
    assert 0 <= found["old_versions"] <= found["slots_used"] <= slots
    evictions = found["dirty_evictions"] + found["clean_evictions"]
    misses = length(trace) - found["dram_hits"]
    assert evictions == max(0, misses - dram)
    assert found["flash_page_writes"] <= evictions
    if sync == "write_through" or admission == "clean":
        assert found["disk_writes"] == found["dirty_evictions"]
        assert found["write_reduction"] in (0, None)
    if "W" not in trace:
        assert (found["old_versions"], found["disk_writes"]) == (0, 0)


@pytest.mark.formula("face.simulate_gsc")
@REPLAYS
@given(traces(), st.integers(1, 5), st.integers(1, 9), st.integers(1, 9))
def test_replays_of_group_second_chance_add_up(
    trace: str, dram: int, slots: int, depth: int
) -> None:
    sizes = {"trace": trace, "dram_pages": dram, "flash_slots": slots}
    depth = min(depth, slots)
    found = FORMULAS["face.simulate_gsc"]({**sizes, "scan_depth": depth})
    served = found["dram_hits"] + found["flash_hits"] + found["disk_reads"]
    assert served == length(trace)
    assert 0 <= found["old_versions"] <= found["slots_used"] <= slots
    evictions = found["dirty_evictions"] + found["clean_evictions"]
    assert found["flash_page_writes"] <= evictions + found["requeued"]
    assert found["pulled"] <= evictions
    if "W" not in trace:
        assert (found["old_versions"], found["disk_writes"]) == (0, 0)
    # A batch of one finds its only slot referenced and forces it out: plain mvFIFO.
    one = FORMULAS["face.simulate_gsc"]({**sizes, "scan_depth": 1})
    plain = FORMULAS["face.simulate_mvfifo"](
        {**sizes, "admission": "mixed", "sync": "write_back"}
    )
    same = ("dram_hits", "flash_hits", "disk_reads", "disk_writes", "flash_page_writes")
    assert {name: one[name] for name in same} == {name: plain[name] for name in same}


@REPLAYS
@given(traces(), st.integers(1, 4), st.integers(1, 9))
def test_with_the_clear_option_flash_never_adds_disk_writes(
    trace: str, dram: int, slots: int
) -> None:
    from tierwright.simulate.replay import replay
    from tierwright.trace.tokens import token_trace

    with token_trace(trace) as made:
        found = replay(
            made,
            "flash_cache",
            "face",
            dram,
            slots,
            options={"replacement": "mvfifo", "clear_dirty_on_stage_out": "true"},
        )
    assert found["hdd_writes"] <= found["ram_dirty_evictions"]
