"""The page of errors of scale laws, and the figures that the product reads: written from errors alone."""

import importlib
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

BENCHES = Path(__file__).resolve().parents[1] / "benches"


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHES))
    for name in ("scale_oracle", "scale_study"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("scale_study")


def _recording(study, scale):
    described = {
        "benchmark": "tpcc",
        "scale": scale,
        "clients": 4,
        "transactions": 100,
        "warm_up_transactions": 3000 * scale,
        "page_bytes": 8192,
        "database_bytes_before": 8192 * 1000 * scale,
        "recorded_utc": "2026-11-25T10:00:00Z",
        "server": "PostgreSQL 15.18 (Debian) on x86_64",
        "client": "github.com/pingcap/go-tpc v1.0.12",
        "settings": {"shared_buffers": "1GB"},
    }
    page = np.arange(2000) % 500
    return study.Recording(described, ["1/1"], np.zeros(2000, np.int64), page)


def _errors(study, law, *, small=5, large=20, transaction=(-0.5, 0.25), access=(0, 0)):
    return study.Errors(
        law,
        _recording(study, small),
        _recording(study, large),
        np.array([100, 4000]),
        np.array(access, float),
        np.array(transaction, float),
    )


def test_a_row_has_the_mean_and_the_worst_error_with_its_sign_and_size(study):
    row = next(iter(study.error_rows([_errors(study, "stretch")], [])))
    assert row[:3] == ["TPC-C 5 → 20", "4.00", "`stretch`"]
    assert row[3:5] == ["38", "-50 at 0.5"]
    other = _errors(study, "stretch", transaction=(0.01, 0.6))
    row = next(iter(study.error_rows([other], [_errors(study, "stretch")])))
    assert row[3:5] == ["30", "+60 at 20"]
    assert row[7:] == ["38", "0.0"]


def test_the_summary_takes_the_mean_over_pairs_and_the_worst_of_all(study):
    found = [
        _errors(study, "relations", small=5, transaction=(0.1, 0.1)),
        _errors(study, "relations", small=10, transaction=(-0.3, 0.1)),
        _errors(study, "stretch", small=5, transaction=(0.9, 0.9)),
    ]
    rows = list(study.summary_rows(found, {"relations": "relations"}))
    assert rows == [["TPC-C", "relations", "2", "15", "-30", "0.0", "0.0"]]


def test_half_the_misses_is_as_wrong_as_twice_the_misses_in_the_figures(study):
    product = [
        _errors(study, "relations_tau", access=(0.02, -0.04)),
        _errors(study, "relations_tau_four"),
    ]
    found = tomllib.loads(study.figures_of(product, [_recording(study, 5)]))
    assert found["measured"] == [
        {
            "law": "relations_tau",
            "workload": "TPC-C 5 → 20",
            "factor": 4.0,
            "mean_per_transaction": 0.375,
            "worst_per_transaction": 1.0,
            "mean_per_access": 0.03,
            "worst_per_access": 0.0417,
        }
    ]


def test_a_size_that_the_first_half_did_not_fill_is_left_empty(study):
    row = study.size_row(_errors(study, "stretch", transaction=(0.1, 0.1)))
    assert row[2:] == ["+10"] * 6
    small = _errors(study, "stretch", large=20, transaction=(0.1, 0.1))
    object.__setattr__(small, "pages", np.array([100, 1000]))
    assert study.size_row(small)[2:] == ["+10", "+10", "+10", "+10", "", ""]


def test_the_page_names_versions_and_both_halves_of_the_comparison(study):
    recordings = [_recording(study, 5), _recording(study, 20)]
    itself = _errors(study, "unscaled", small=20, transaction=(0.03, -0.01))
    page = study.page_of(
        recordings,
        [_errors(study, "relations_tau"), _errors(study, "relations_tau_four")],
        [_errors(study, "unscaled"), _errors(study, "relations_tau"), itself],
        [_errors(study, "again", small=20, transaction=(0.01, -0.02))],
    )
    assert "PostgreSQL 15.18, `shared_buffers` 1GB, go-tpc v1.0.12, 4 clients" in page
    assert "| TPC-C 20 | 2.0 | +3.0 at 0.5 |" in page
    assert "| TPC-C 5 → 20 | 4.00 | `relations` with tau | 38 | -50 at 0.5 |" in page
    assert "## Younger databases" not in page
    assert "databases outside 39 to 156 MiB" in page
    assert "| TPC-C 20 | 60,000 | 1.5 | -2.0 at 20 | 0.0 | 0.0 at 0.5 |" in page
    assert "| TPC-C | four times | 1 | 38 | -50 | 0.0 | 0.0 |" in page
