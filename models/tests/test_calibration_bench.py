"""What the calibration of advices keeps of its trials."""

import argparse
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tierwright.simulate import executors

BENCH = Path(__file__).resolve().parents[1] / "benches" / "advice_calibration.py"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("advice_calibration", BENCH)
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "advice_calibration", bench)
    spec.loader.exec_module(bench)
    monkeypatch.setattr(bench, "OUTCOMES", tmp_path)
    return bench


def test_trials_are_spread_and_those_that_are_known_are_not_asked_for(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def trial(accesses: int, keep: Path | None, seed: int) -> Any:
        asked.append(seed)
        return bench.Trial("tables", accesses / (seed + 1), right=True, reason="")

    monkeypatch.setattr(bench, "trial", trial)
    given = argparse.Namespace(write=True, keep=None)
    two = executors.threads(2)
    first = bench.outcomes(1000, 3, two, given)
    assert [each.probability for each in first] == [1000, 500, 1000 / 3]
    assert sorted(asked) == [0, 1, 2]
    assert bench.outcomes(1000, 5, two, given)[:3] == first
    assert sorted(asked) == [0, 1, 2, 3, 4]
    # In this process alone they are the same.
    alone = bench.outcomes(
        1000, 5, executors.threads(1), argparse.Namespace(write=False, keep=None)
    )
    assert alone == bench.outcomes(1000, 5, two, given)


def test_outcomes_that_were_saved_are_asked_for_no_more(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {
        0: bench.Trial("tables", 0.1 + 0.2, right=True, reason="", held={"a": False}),
        7: bench.Trial("moving", None, right=False, reason="it drifts, by 3 %"),
        9: bench.Trial("tables", 1.0, right=False, reason="", all_in_ram=True),
    }
    bench.save(1000, outcomes)
    assert bench.outcomes_of(1000) == outcomes
    assert bench.outcomes_of(2000) == {}
    # A version that differs in what no trial asks for says the same; another one has said nothing yet.
    monkeypatch.setattr(bench, "SAME_OUTCOMES", {"0+": bench.version()})
    monkeypatch.setattr(bench, "MODEL_VERSION", "0+")
    assert bench.outcomes_of(1000) == outcomes
    monkeypatch.setattr(bench, "MODEL_VERSION", "0")
    assert bench.outcomes_of(1000) == {}
