"""A measurement beside a known stream is none where the stream stopped."""

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "known_stream.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("known_stream", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_a_rate_that_was_held_is_all_of_it(script: ModuleType) -> None:
    moments = np.arange(0, 200, script.BATCH_S).tolist()
    assert script.slowest(moments, 20, 180) == pytest.approx(1, abs=0.01)
    # Shorter than a stretch.
    assert script.slowest(moments, 20, 24) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("stopped", [60, 100, 139])
def test_a_generator_that_stopped_before_the_last_reading_held_nothing(
    script: ModuleType, stopped: float
) -> None:
    moments = np.arange(0, stopped, script.BATCH_S).tolist()
    assert script.slowest(moments, 20, 150) == 0
    assert script.slowest([], 20, 150) == 0


def test_half_of_the_last_stretch_counts(script: ModuleType) -> None:
    moments = np.arange(0, 145, script.BATCH_S).tolist()
    assert script.slowest(moments, 20, 150) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    "error", [OSError("gone"), ValueError("no number"), IndexError()]
)
def test_whatever_ends_the_generator_is_raised(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Failing:
        def __init__(self, *_: object) -> None:
            self.left = 3

        def get(self, _: object) -> None:
            self.left -= 1
            if not self.left:
                raise error

    monkeypatch.setattr(script, "Client", Failing)
    generator = script.Generator(script.KINDS["redis"], 1)
    generator.start()
    generator.join(20)
    assert not generator.is_alive()
    assert time.monotonic() > generator.moments[-1]
    with pytest.raises(type(error)) as raised:
        generator.end()
    assert raised.value is error
