"""What the calibration of advices keeps of its trials."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "benches" / "advice_calibration.py"


def test_outcomes_that_were_saved_are_asked_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("advice_calibration", BENCH)
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "advice_calibration", bench)
    spec.loader.exec_module(bench)
    monkeypatch.setattr(bench, "OUTCOMES", tmp_path)
    outcomes = {
        0: bench.Trial("tables", 0.1 + 0.2, right=True, reason="", held={"a": False}),
        7: bench.Trial("moving", None, right=False, reason="it drifts, by 3 %"),
        9: bench.Trial("tables", 1.0, right=False, reason="", all_in_ram=True),
    }
    bench.save(1000, outcomes)
    assert bench.outcomes_of(1000) == outcomes
    assert bench.outcomes_of(2000) == {}
    # Another version of the model has said nothing yet.
    monkeypatch.setattr(bench, "MODEL_VERSION", "0")
    assert bench.outcomes_of(1000) == {}
