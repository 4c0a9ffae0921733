"""Pool split: refusals, warnings, the page's numbers, the command, model against simulator."""

import doctest
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from hypothesis import given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise import pool_gain, pool_split, pool_survey
from tierwright.catalogue.vectors import conformance
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.pool_split import belady, workload
from tierwright.evaluate.pool_split import costs as pool_split_costs
from tierwright.evaluate.pool_split import counts as pool_split_counts
from tierwright.simulate.replay import contenders, replay, simulate_splits, two_stack
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import parse_tokens, token_trace

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "models" / "pool-split.md"
TPCB = recordings.TPCB
TEXT = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
R = 32.0

KEYS = {
    "best_clean_pages",
    "estimator",
    "estimates",
    "simulated",
    "curve",
    "baselines",
}


def test_every_shared_vector_passes(shared: Path) -> None:
    path = shared / "reference" / "paper-vectors.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    ours = [v for v in document["vectors"] if v["formula"].startswith("fd.")]
    report = conformance.run_vectors(ours)
    assert report.failures == ()
    assert (report.passed, report.unknown) == (len(ours), 0)
    assert report.passed >= 32


def test_formulas_without_a_shared_vector_by_hand() -> None:
    argmin = conformance.FORMULAS["fd.argmin"]
    rows = [
        {"M_c": 3, "P_c": 0.6, "P_d": 0.8, "P_dw": 0.5},
        {"M_c": 1, "P_c": 0.9, "P_d": 0.6, "P_dw": 0.1},
        {"M_c": 2, "P_c": 0.9, "P_d": 0.6, "P_dw": 0.1},
    ]
    assert argmin({"rows": rows, "R": 32, "w": 0.2}) == {
        "eq4": 1,
        "disjoint": 1,
        "flow": 1,
    }
    # Writes as dear as reads, and rare: the split with fewer misses, 0.4 against 0.5.
    assert argmin({"rows": rows, "R": 1, "w": 0.1})["flow"] == 3
    dynamics = conformance.FORMULAS["fd.dynamics"]
    other = dynamics({"w0": 0.2, "R0": 10, "i": 1, "alt_factor": 0.5})
    assert (other["WM2"], other["RM2"]) == (0.1, 5.0)


def test_worked_numbers_of_the_page() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= 20


def test_every_buffer_says_what_it_takes() -> None:
    names = [about["name"] for about in contenders("buffer")]
    assert names == ["lru", "cflru", "cfdc", "fd_static", "fd_buffer"]
    for about in contenders("buffer"):
        assert set(about) == {
            "name",
            "title",
            "description",
            "paper",
            "needs",
            "least_pages",
            "options",
            "device_options",
        }
        for option in [*about["options"], *about["device_options"]]:
            assert set(option) == {"name", "values", "default", "description"}
            assert all(option.values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pool_split_costs.io_cost(1.2, 0, read_cost=1, write_cost=1),
            "miss_rate",
        ),
        (
            lambda: pool_split_costs.io_cost(1, 0, read_cost=0, write_cost=1),
            "read_cost",
        ),
        (
            lambda: pool_split_costs.split_costs(1, 1, 2, asymmetry=1, write_share=0),
            "p_dw: `2` must not exceed 1",
        ),
        (
            lambda: pool_split_costs.split_costs(1, 1, 1, asymmetry=0, write_share=0),
            "asymmetry: `0.0` is not a finite number above 0",
        ),
        (
            lambda: pool_split_costs.pool_miss_rates(
                [3], [0], [0], accesses=2, write_accesses=1
            ),
            "hits_clean: must lie between 0 and 2",
        ),
        (
            lambda: pool_split_costs.pool_miss_rates(
                [], [], [], accesses=0, write_accesses=0
            ),
            "accesses: `0` must be above 0",
        ),
        (lambda: pool_split_costs.best_split([], []), "splits: `0`"),
        (
            lambda: pool_split_costs.best_split([1], [float("nan")]),
            "cannot be compared",
        ),
        (lambda: pool_split_costs.break_even_asymmetry(-1, 0, 0, 0), "reads_a: `-1`"),
        (lambda: pool_split_costs.window_io_time(1, 0), "overhead_ratio: `0`"),
        (lambda: pool_split_costs.group_distance(0, 64), "position: `0`"),
        (lambda: workload.zipf_pmf(2, 1, 1.0), "rank: `2` exceeds the 1 page"),
        (lambda: workload.zipf_pmf(1, 1, -1.0), "alpha: `-1.0`"),
        (
            lambda: workload.epoch(0, write_share=2, asymmetry=1),
            "write_share: `2`",
        ),
        (
            lambda: workload.epoch(-1, write_share=0, asymmetry=1),
            "epoch",
        ),
        (lambda: pool_split_costs.estimation_error(float("inf"), 1), "must be finite"),
        (lambda: belady.belady([], 0), "pages: `0`"),
        (lambda: parse_tokens("R1 X5"), "trace token 2: `X5`"),
    ],
)
def test_bad_numbers_are_refused(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("(", r"\(")) as caught:
        call()
    assert caught.value.hint


def test_what_is_undefined_is_none() -> None:
    assert pool_split_costs.estimation_error(0, 0.3) is None
    assert pool_split_costs.break_even_asymmetry(1, 2, 3, 2) is None
    assert pool_split_costs.gain(1.0, 0.0) is None
    assert pool_split_costs.normalised_cost(0, 0, accesses=0, asymmetry=1) is None


def test_relations_of_the_estimators() -> None:
    grid = np.linspace(0, 1, 11)
    p_c, p_d, p_dw = (axis.ravel() for axis in np.meshgrid(grid, grid, grid))
    low = pool_split_costs.split_costs(p_c, p_d, p_dw, asymmetry=2, write_share=0.3)
    high = pool_split_costs.split_costs(p_c, p_d, p_dw, asymmetry=3, write_share=0.3)
    # (1 - P_c)(1 - P_d) >= 0: the product never lies below the disjoint miss rate.
    assert np.all(low.miss_rate_product >= low.miss_rate_disjoint - 1e-12)
    for name in pool_split_counts.ESTIMATORS:
        assert np.all(getattr(high, name) >= getattr(low, name))
        assert np.all(getattr(low, name) >= 0)


def test_belady_never_misses_more_than_a_buffer() -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        tokens = " ".join(
            f"{'W' if rng.random() < 0.3 else 'R'}{rng.integers(0, 14)}"
            for _ in range(120)
        )
        with token_trace(tokens) as trace:
            for pages in (2, 5, 9):
                best = belady.belady(parse_tokens(tokens), pages)
                for about in contenders("buffer"):
                    found = replay(trace, "buffer", about["name"], pages)
                    assert best.misses <= found["misses"], about["name"]


@pytest.fixture(scope="module")
def trace() -> Trace:
    """The recorded TPC-B cut in its canonical form, which is quicker to replay."""
    return Trace(recordings.TPCB)


SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
BOUNDS = {
    # M: largest mean and largest single error of flow [%], by kind of distance
    20: {"raw": (4.3, 17), "effective": (2.7, 14)},
    100: {"raw": (2.6, 17.5), "effective": (1.6, 14)},
    1000: {"raw": (0.75, 5), "effective": (0.4, 4.5)},
    4000: {"raw": (0.5, 1.5)},
}


@pytest.mark.slow
@pytest.mark.parametrize("pages", BOUNDS)
def test_flow_stays_within_what_the_page_states(trace: Trace, pages: int) -> None:
    """Against replays that also write what is dirty at the end, as the estimates do."""
    splits = sorted({min(pages - 1, max(1, round(pages * share))) for share in SHARES})
    replays = simulate_splits(trace, pages, splits)
    accesses, writes = replays[0]["accesses"], replays[0]["write_accesses"]

    def cost(row: dict[str, Any]) -> float:
        made_dirty = writes - row["write_hits_dirty"]
        assert 0 <= made_dirty - row["writes"] <= pages
        return float(row["reads"] + R * made_dirty) / accesses

    simulated = np.array([cost(row) for row in replays])
    for distance, (mean, most) in BOUNDS[pages].items():
        found = two_stack(trace, pages, distance=distance)
        rates = pool_split_costs.pool_miss_rates(
            found["hits_clean"],
            found["hits_dirty"],
            found["write_hits_dirty"],
            accesses=accesses,
            write_accesses=writes,
        )
        costs = pool_split_costs.split_costs(
            rates.p_c,
            rates.p_d,
            rates.p_dw,
            asymmetry=R,
            write_share=writes / accesses,
        )
        error = np.abs(costs.flow[np.array(splits) - 1] - simulated) / simulated * 100
        assert error.mean() <= mean
        assert error.max() <= most
        chosen = pool_split_costs.best_split(rates.clean_pages, costs.flow)
        [row] = simulate_splits(trace, pages, [chosen])
        assert cost(row) <= simulated.min() * 1.001


def test_the_buffer_lru_is_the_policy_lru(trace: Trace) -> None:
    policy = replay(trace, "policy", "lru", 1000)
    for name, options in (("lru", None), ("cflru", {"wrr": "1.0"})):
        found = replay(trace, "buffer", name, 1000, options=options)
        assert found["policy"] == name
        shared = set(policy) - {"policy"}
        assert {key: found[key] for key in shared} == {
            key: policy[key] for key in shared
        }


def test_clustering_writes_in_fewer_requests(trace: Trace) -> None:
    whole = replay(trace, "buffer", "cfdc", 1000)
    assert 0 < whole["write_requests"] < whole["writes"]
    single = replay(trace, "buffer", "cfdc", 1000, options={"clustering": "false"})
    assert single["write_requests"] == single["writes"]
    cflru = replay(trace, "buffer", "cflru", 1000)
    assert {**single, "policy": "cflru"} == cflru


def test_clusters_are_of_addresses_whatever_the_file(trace: Trace) -> None:
    """The canonical file keeps addresses, so raw and canonical cluster alike."""
    raw = replay(Trace(TEXT), "buffer", "cfdc", 500)
    canonical = replay(trace, "buffer", "cfdc", 500)
    assert raw.pop("trace") == {**canonical.pop("trace"), "skipped_records": 0}
    assert raw == canonical


def test_the_adaptive_buffer_reports_its_windows(trace: Trace) -> None:
    found = replay(trace, "buffer", "fd_buffer", 1000, options={"window": "20000"})
    history = found["history"]
    assert found["windows"] == len(history) == 21
    assert sum(window["reads"] for window in history) == found["reads"]
    assert sum(window["writes"] for window in history) == found["writes"]
    splits = [window["clean_pages"] for window in history]
    assert splits[0] == 500
    assert splits[1:] == [window["next_clean_pages"] for window in history[:-1]]
    assert found["clean_pages"] == history[-1]["next_clean_pages"]
    assert len(set(splits)) > 5


@pytest.mark.oracle("advise.pool_split.answer")
@pytest.mark.parametrize(
    ("estimator", "distance"), [("flow", "raw"), ("eq4", "grouped")]
)
def test_analysis_of_the_recorded_trace(
    trace: Trace, estimator: str, distance: str
) -> None:
    found = pool_split.answer(
        trace, 300, R, estimator=estimator, distance=distance, group_pages=16
    )
    row = found.to_dict()
    assert set(row) > KEYS
    assert row["estimator"] == estimator
    assert len(row["curve"]) == 299
    best = row["best_clean_pages"]
    at_best = row["curve"][best - 1]
    assert at_best["clean_pages"] == best == row["best_by_estimator"][estimator]
    assert {name: at_best[name] for name in pool_split_counts.ESTIMATORS} == row[
        "estimates"
    ]
    assert at_best[estimator] == min(entry[estimator] for entry in row["curve"])
    made = replay(trace, "buffer", "fd_static", 300, options={"clean_pages": str(best)})
    assert row["simulated"] == by_hand(made)
    unpaid = (made["reads"] + R * made["writes"]) / 420_000
    assert row["simulated_without_closing_writes"] == unpaid < row["simulated"]
    for name, cost in row["baselines"].items():
        assert cost == by_hand(replay(trace, "buffer", name, 300))
        assert row["gain_over"][name] == 1 - row["recommended_cost"] / cost
    # A replay goes before an estimate.
    replayed = {each["clean_pages"]: each["cost"] for each in row["replays"]}
    assert replayed[best] == row["simulated"]
    assert row["recommended_cost"] == min(replayed.values())
    assert replayed[row["recommended_clean_pages"]] == row["recommended_cost"]


def by_hand(replay: dict[str, Any]) -> float:
    """Cost with every write that was made, now or at the end. [page reads]"""
    made = replay["write_accesses"] - replay["write_hits_dirty"]
    return float((replay["reads"] + R * made) / replay["accesses"])


@pytest.mark.parametrize("asymmetry", [2.0, 5.8, 32.0])
def test_both_commands_and_the_survey_say_the_same(
    trace: Trace, asymmetry: float
) -> None:
    one = pool_split.answer(trace, 300, asymmetry)
    over = pool_gain.answer(trace, 300, [asymmetry])
    survey = pool_survey.survey(trace, 300, asymmetries=[asymmetry]).at(asymmetry)
    assert one.best_clean_pages == over.clean_pages[0] == survey.estimated_clean_pages
    assert one.simulated == over.simulated[0]
    assert one.recommended_clean_pages == over.best_clean_pages[0]
    assert one.recommended_clean_pages == survey.best_clean_pages
    for name, gain in one.gain_over.items():
        assert gain == over.gain_over[name][0] == survey.gain_over[name]


@pytest.mark.formula("evaluate.pool_split.counts.replayed_cost")
@pytest.mark.oracle("evaluate.pool_split.counts.replayed_cost")
@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(1, 999))
def test_a_page_left_dirty_costs_what_a_written_one_does(
    reads: int, writes: int, left: int, accesses: int
) -> None:
    def cost(**counts: int) -> float:
        return pool_split_counts.replayed_cost(counts, 8.0, accesses=accesses)

    found = cost(reads=reads, writes=writes, dirty_left=left)
    assert found == cost(reads=reads, writes=writes + left, dirty_left=0)
    paid = [1.0] * reads + [8.0] * (writes + left)
    assert found == pytest.approx(sum(paid) / accesses)


def warned(tokens: str, pages: int, asymmetry: float) -> dict[str, Any]:
    with token_trace(tokens) as trace:
        found = pool_split.answer(trace, pages, asymmetry).to_dict()
    json.dumps(found, allow_nan=False)
    return {**found, "warnings": {warning["name"] for warning in found["warnings"]}}


def test_warnings_outside_validity() -> None:
    reads = warned("R1 R2 R3 R1 R2 R3 R4", 2, 32)
    assert "no_writes" in reads["warnings"]
    assert all(row["p_dw"] == 0 for row in reads["curve"])
    assert "asymmetry_below_1" in warned("R1 W2 R3 W1", 2, 0.5)["warnings"]
    assert "asymmetry_below_1" not in warned("R1 W2 R3 W1", 2, 1)["warnings"]
    assert "all_pages_fit" in warned("R1 W2 R1", 2, 32)["warnings"]
    writes = warned("W1 W2 W3 W1 W2 W3", 2, 32)
    # Two of the three pages written are still dirty at the end, and paid.
    assert writes["counters"]["lru"]["dirty_left"] == 2
    assert writes["baselines"]["lru"] == (6 + 32 * 6) / 6
    assert all(row["p_c"] == 1 for row in writes["curve"])


def test_an_empty_trace_has_no_costs(tmp_path: Path) -> None:
    path = tmp_path / "nothing.csv"
    path.write_text("128166372003061629,host,0,Read,4096,0,1\n", encoding="ascii")
    trace = Trace(path, format="msr")
    found = pool_split.answer(trace, 5, 32).to_dict()
    assert found["best_clean_pages"] is None
    assert found["simulated"] is None
    assert found["estimates"] == {"eq4": None, "disjoint": None, "flow": None}
    assert found["baselines"] == {"lru": None, "cflru": None}
    assert found["curve"] == []
    # Those of the reader come first.
    assert [warning["name"] for warning in found["warnings"]] == [
        "zero_length_requests",
        "below_page_cache",
        "no_accesses",
    ]


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    code = main([*map(str, arguments)])
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def test_the_command_prints_the_keys_of_the_design(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = command(
        capsys, "pool-split", TPCB, "--pages", 50, "--asymmetry", 32, "--json"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert set(found) >= KEYS
    assert found["estimator"] == "flow"
    assert set(found["estimates"]) == {"eq4", "disjoint", "flow"}
    assert set(found["baselines"]) == {"lru", "cflru"}
    code, out, err = command(
        capsys, "pool-split", TPCB, "--pages", 1000, "--asymmetry", 32
    )
    assert code == 0
    assert "best of " in out
    assert " clean, " in out
    assert "(the split saves " in out
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--pages", "1", "--asymmetry", "32"), "pages: `1` cannot be split"),
        (("--pages", "9", "--asymmetry", "0"), "asymmetry: `0.0` is not"),
        (("--pages", "9", "--asymmetry", "nan"), "asymmetry: `nan` is not"),
        (("--pages", "9"), "Missing option '--asymmetry'"),
        (("--pages", "x", "--asymmetry", "2"), "--pages: size `x` is not a number"),
        (
            ("--pages", "9", "--asymmetry", "2", "--estimator", "eq5"),
            "estimator: `eq5` is not known",
        ),
        (
            ("--pages", "9", "--asymmetry", "2", "--distance", "far"),
            "distance: `far` is not known",
        ),
        (
            (
                *("--pages", "9", "--asymmetry", "2"),
                *("--distance", "grouped", "--group-pages", "10"),
            ),
            "group-pages `10`",
        ),
        (
            ("--pages", str(2**40), "--asymmetry", "2"),
            f"pages `{2**40}`: a split buffer must have from 2 to",
        ),
    ],
)
def test_bad_input_of_the_command(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = command(capsys, "pool-split", TPCB, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "hint: " in err


def test_simulate_takes_buffers_and_their_options(
    capsys: pytest.CaptureFixture[str], trace: Trace
) -> None:
    arguments = ("simulate", trace.path, "--pages", 300, "--policy")
    code, out, _ = command(
        capsys, *arguments, "CFLRU", "--option", "wrr=0.25", "--json"
    )
    assert code == 0
    expected = replay(trace, "buffer", "cflru", 300, options={"wrr": "0.25"})
    assert json.loads(out) == expected
    for options, message in (
        (("lru", "--option", "wrr=1"), "policy `lru` has no options"),
        (("cflru", "--option", "wr=1"), "option `wr=1`: `cflru` has no such option"),
        (("cflru", "--option", "wrr=2"), "option `wrr=2`"),
        (("fd_statik",), "no such replacement policy or buffer"),
    ):
        code, _, err = command(capsys, *arguments, *options)
        assert code == 2
        assert message in err
        assert "hint: " in err


def test_a_trace_without_writes_is_warned_of(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "reads.csv"
    path.write_text("time_us,op,rel,block\n0,R,1/1,5\n1,R,1/1,6\n", encoding="ascii")
    code, _, err = command(
        capsys,
        "simulate",
        path,
        "--policy",
        "cflru",
        "--pages",
        1,
        "--page-bytes",
        8192,
    )
    assert code == 0
    assert "the trace has no writes among its 2 accesses" in err
    assert "hint: " in err


@pytest.mark.parametrize("call", [replay, two_stack, simulate_splits])
def test_false_cancels(call: Any, trace: Trace) -> None:
    given = {replay: ("buffer", "lru", 9), two_stack: (9,), simulate_splits: (9, [3])}
    with pytest.raises(_simulator.Cancelled):
        call(trace, *given[call], on_progress=lambda *_: False)


def test_the_command_starts_without_scipy() -> None:
    code = (
        "import sys; from tierwright.cli import main; "
        f"main(['pool-split', {str(TPCB)!r}, '--pages', '9', '--asymmetry', '2', '--json']); "
        "sys.exit('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
