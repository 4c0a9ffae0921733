"""Which recordings the page of regrets is about, and what it says where a replay misses the best."""

import importlib
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("generate_regrets")


def written(path: Path, rows: list[tuple[int, str]]) -> Path:
    text = "\n".join(f"{at},{op},r,{block}" for at, (block, op) in enumerate(rows))
    path.write_text(f"time_us,op,rel,block\n{text}\n", encoding="utf-8")
    return path


ROWS = [(each % 7, "RW"[each % 3 == 0]) for each in range(60)]


def test_recordings_of_the_same_accesses_are_named_and_others_stop_it(
    script: ModuleType, tmp_path: Path
) -> None:
    asked = written(tmp_path / "asked.csv", ROWS)
    copyfile(asked, tmp_path / "twin.csv")
    (tmp_path / "README.md").write_text("not a trace")
    (tmp_path / "golden_tier.csv").write_text("not a trace")
    said = script.left_out(tmp_path, {"asked.csv": asked})
    assert said.endswith("in another format: `twin.csv` (`asked.csv`).")
    # One write for a read is another recording.
    other = written(tmp_path / "own.csv", [(ROWS[0][0], "R"), *ROWS[1:]])
    with pytest.raises(SystemExit, match=r"no question is asked about `.*own\.csv`"):
        script.left_out(tmp_path, {"asked.csv": asked})
    both = {"asked.csv": asked, "own.csv": other}
    assert script.left_out(tmp_path, both) == said


def point(script: ModuleType, **other: Any) -> Any:
    found = script.Point(
        "a.csv",
        "usd",
        128,
        3000,
        9,
        0.0,
        0.0,
        breaks_by_model=False,
        breaks_by_replay=False,
        chosen="one",
        best="one",
        gap=0.01,
        band=0.1,
        accesses=100,
        pages=90,
        best_busy=0.5,
        best_busy_replayed=0.5,
        most_busy=0.7,
    )
    return replace(found, **other)


def test_why_replays_missed_the_best_is_said_of_each_question(
    script: ModuleType,
) -> None:
    right = point(script)
    assert script.not_replayed([right]) == (
        "Replays of finalists found the best everywhere."
    )
    excluded = point(
        script, by_model=0.3, by_replay=0.3, best_busy=0.7043, best_busy_replayed=0.6986
    )
    kept = point(script, by_model=0.2, by_replay=0.2)
    said = script.not_replayed([right, excluded, kept])
    assert "missed the best in 2 questions." in said
    assert "In 1 of them the best keeps its load by the model" in said
    assert "128 GiB, 3,000/s: 70.4 % by the model, 69.9 % by the replay." in said
    page = script.page([right, excluded, kept], "Left out: none.")
    assert said in page
