"""The oracle of scale laws: its LRU, its product limit and its laws, on made-up loads.

It measures the errors of `make scale` from recordings of other scales. What the laws of the product compute is held by
`test_laws_golden.py` at less cost, so the slow ones here are long.
"""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard

ROOT = Path(__file__).resolve().parents[2]


def _oracle():
    path = ROOT / "models" / "benches" / "scale_oracle.py"
    spec = importlib.util.spec_from_file_location("scale_oracle", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


oracle = _oracle()


def _described(scale, pages_of, accesses, transactions):
    """What the server would have said of a database with these relations."""
    return {
        "benchmark": "tpcc",
        "scale": scale,
        "clients": 4,
        "transactions": transactions,
        "accesses": accesses,
        "page_bytes": 8192,
        "database_bytes_before": 8192 * sum(pages_of.values()),
        "relations": [
            {
                "rel": f"1/{number}",
                "name": f"public.{name}",
                "pages_before": pages,
                "rows_before": 40 * pages,
            }
            for number, (name, pages) in enumerate(pages_of.items())
        ],
    }


def _load(scale, repeats=1, accesses=400_000):
    """Transactions that read ten items and thirty pages of stock, all of it some times over.

    The stock grows with the scale, the items do not; what a transaction repeats it repeats at
    once, whatever the scale.
    """
    rng = np.random.default_rng(scale)
    pages_of = {"stock": 1500 * scale, "item": 3000}
    transactions = accesses // (40 * repeats)
    stock = rng.integers(0, pages_of["stock"], (transactions, 30))
    item = pages_of["stock"] + rng.integers(0, pages_of["item"], (transactions, 10))
    page = np.tile(np.concatenate((item, stock), axis=1), repeats).ravel()
    return oracle.Recording(
        _described(scale, pages_of, len(page), transactions),
        ["1/0", "1/1"],
        (page >= pages_of["stock"]).astype(np.int64),
        np.unique(page, return_inverse=True)[1].astype(np.int64),
    )


@pytest.mark.parametrize(("accesses", "pages"), [(1, 1), (2, 1), (300, 20), (900, 500)])
def test_the_stack_distances_are_those_of_a_list_that_is_kept(accesses, pages):
    page = np.random.default_rng(accesses).integers(0, pages, accesses)
    kept: list[int] = []
    expected = []
    for number in page:
        expected.append(len(kept) - kept.index(number) if number in kept else 0)
        if number in kept:
            kept.remove(number)
        kept.append(number)
    assert oracle.stack_distances(page).tolist() == expected


def test_the_product_limit_is_that_of_a_hand_calculation():
    # Accesses a b a a b: waits 2 (a), 3 (b), 1 (a), then 2 and 1 without another access.
    # At 1: 1 of 5 ends. At 2: 1 of 3 ends (2 3 2 wait longer than 1). At 3: the last one ends.
    recording = oracle.Recording(
        _described(1, {"r": 2}, 5, 1),
        ["1/0"],
        np.zeros(5, np.int64),
        np.array([0, 1, 0, 0, 1]),
    )
    reuse = oracle.reuse_of(recording)
    survival = dict(zip(reuse.times, reuse.survival[0], strict=True))
    assert survival[0] == 1
    assert survival[1] == pytest.approx(4 / 5)
    assert survival[2] == pytest.approx(4 / 5 * 2 / 3)
    assert survival[3] == pytest.approx(0)


def test_without_scaling_a_steady_load_predicts_itself():
    recording = _load(2)
    truth = oracle.truth_of(recording)
    curve = oracle.scaled(oracle.reuse_of(recording), np.ones(2), 0.0)
    predicted = oracle.at_sizes(curve, truth.pages)
    assert predicted == pytest.approx(truth.per_access, rel=0.02)


def _mean_errors(repeats):
    return {
        errors.law: float(np.mean(np.abs(errors.per_transaction)))
        for errors in oracle.errors_of_all([_load(2, repeats), _load(8, repeats)])
        if errors.small.described["scale"] < errors.large.described["scale"]
    }


@pytest.mark.long
def test_what_does_not_grow_is_not_stretched_by_the_law_of_the_relations():
    mean = _mean_errors(1)
    assert mean["relations"] < 0.02
    assert mean["relations_tau"] < 0.02
    assert 0.05 < mean["stretch"] < mean["unscaled"]


@pytest.mark.long
def test_what_a_transaction_repeats_is_not_stretched_by_the_law_with_tau():
    mean = _mean_errors(3)
    assert mean["relations_tau"] < 0.02
    assert mean["relations"] > 0.1


def test_the_factors_follow_rows_in_tiny_tables_and_leave_catalogs_alone():
    def recording(scale):
        relations = [
            ("1/1", "public.stock", 1000 * scale, 40_000 * scale),
            ("1/2", "public.branches", 7 if scale == 1 else 9, scale),
            ("1/3", "public.pgbench_history", 500 * scale, 90_000 * scale),
            ("1/4", "pg_catalog.pg_class", 20 * scale, 400 * scale),
        ]
        described = _described(scale, {"x": 1}, 1, 1) | {
            "relations": [
                {"rel": rel, "name": name, "pages_before": pages, "rows_before": rows}
                | {"vm_pages_before": scale, "fsm_pages_before": 3}
                for rel, name, pages, rows in relations
            ]
        }
        names = ["1/1", "1/2", "1/3", "1/4", "1/1_vm", "1/1_fsm", "0/99"]
        empty = np.zeros(0, np.int64)
        return oracle.Recording(described, names, empty, empty)

    factors = oracle.relation_factors(recording(1), recording(5))
    assert factors.tolist() == [5, 5, 1, 1, 5, 1, 1]


def test_a_recording_is_read_with_forks_and_pages_apart(tmp_path):
    rows = ["0,R,1/5,0", "3,W,1/5_vm,0", "4,R,1/5,0", "9,R,1/6,0"]
    with zstandard.open(tmp_path / "tpcc-1.csv.zst", "wt") as trace:
        trace.write("time_us,op,rel,block\n" + "\n".join(rows) + "\n")
    described = tmp_path / "tpcc-1.json"
    described.write_text(json.dumps(_described(1, {"x": 1}, 4, 1)))
    found = oracle.read(described)
    assert found.names == ["1/5", "1/5_vm", "1/6"]
    assert found.relation.tolist() == [0, 1, 0, 2]
    assert found.page.tolist() == [0, 1, 0, 2]


def test_the_truth_of_a_scale_is_the_mean_of_its_recordings():
    first, second = _load(2), _load(2, accesses=200_000)
    assert second.accesses != first.accesses
    alone = oracle.truth_of(first)
    both = oracle.truth_of(first, [second, _load(4)])
    of_second = oracle.missed(second, both.pages)
    of_first = oracle.missed(first, both.pages)
    assert both.per_access == pytest.approx((of_first + of_second) / 2)
    assert both.per_transaction == pytest.approx(
        (of_first * first.per_transaction + of_second * second.per_transaction) / 2
    )
    # No size is larger than what each of them filled; recordings of other scales do not count.
    assert both.pages[-1] <= alone.pages[-1]
    assert oracle.truth_of(first, [_load(4)]).per_access == pytest.approx(
        alone.per_access
    )


@pytest.mark.long
def test_others_of_a_scale_count_where_it_is_predicted_and_not_where_it_predicts_itself():
    small, large = _load(2), _load(8)
    again = _load(8, accesses=300_000)
    found = {
        (one.law, one.small.label, one.large.label): one.per_access
        for one in oracle.errors_of_all([small, large], [again])
    }
    alone = {
        (one.law, one.small.label, one.large.label): one.per_access
        for one in oracle.errors_of_all([small, large])
    }
    same = ("unscaled", "tpcc-8", "tpcc-8")
    assert found[same] == pytest.approx(alone[same])
    other = ("unscaled", "tpcc-2", "tpcc-8")
    truth = oracle.truth_of(large, [again])
    predicted = (found[other] + 1) * truth.per_access
    curve = oracle.scaled(oracle.reuse_of(small), np.ones(2), 0.0)
    assert predicted == pytest.approx(oracle.at_sizes(curve, truth.pages))
