"""What the calibration of advices keeps of its trials."""

import argparse
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tierwright.simulate import executors

REPOSITORY = Path(__file__).resolve().parents[2] / "fixtures" / "calibration"
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
    # They stand under a version that differs in what no trial asks for; another one has said nothing yet.
    monkeypatch.setattr(bench, "SAME_OUTCOMES", {"0+": (bench.MODEL_VERSION,)})
    monkeypatch.setattr(bench, "MODEL_VERSION", "0+")
    assert bench.outcomes_of(1000) == outcomes
    monkeypatch.setattr(bench, "MODEL_VERSION", "0")
    assert bench.outcomes_of(1000) == {}


def kept(bench: ModuleType) -> Any:
    """An outcome of an earlier version, with two intervals."""
    return bench.Trial(
        "tables", 0.75, right=True, reason="", held={"a": True, "b": False}, version="5"
    )


def test_outcomes_that_are_asked_again_keep_what_they_say_besides(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = kept(bench)
    now = replace(earlier, held=earlier.held | {"c": True}, version=bench.MODEL_VERSION)
    monkeypatch.setattr(bench, "trial", lambda *_: now)
    bench.save(1000, {0: earlier, 1: earlier})
    given = argparse.Namespace(write=True, keep=None)
    found = bench.again(1000, 1, executors.threads(1), given)
    assert found == [replace(now, same_as="5"), earlier]
    assert list(bench.outcomes_of(1000).values()) == found
    said = bench.by_version(found)
    assert f"1 by version 5 and 1 by version {bench.MODEL_VERSION}." in said
    assert "On 1 of them version 5 had advised before version" in said
    # Those of this version are not asked a second time where outcomes are written.
    monkeypatch.delattr(bench, "trial")
    monkeypatch.setattr(bench, "trial", pytest.fail, raising=False)
    assert bench.again(1000, 1, executors.threads(1), given) == found


@pytest.mark.parametrize(
    "other",
    [
        {"probability": 0.7500000000000001},
        {"right": False},
        {"all_in_ram": True},
        {"held": {"a": False, "b": False}},
        {"held": {"a": True}},
    ],
)
def test_an_outcome_that_is_another_one_now_is_named_and_not_kept(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]
) -> None:
    now = replace(kept(bench), version=bench.MODEL_VERSION, **other)
    monkeypatch.setattr(bench, "trial", lambda *_: now)
    bench.save(1000, {3: kept(bench)})
    with pytest.raises(SystemExit, match=r"1,000 accesses, seeds 3: version \d+ says"):
        bench.again(
            1000, 1, executors.threads(1), argparse.Namespace(write=True, keep=None)
        )
    assert bench.outcomes_of(1000) == {3: kept(bench)}


def test_reasons_are_counted_without_their_figures(bench: ModuleType) -> None:
    for reason in (
        "no probability: at a cache of 1,024 MiB the misses rise by 44.6 % of their mean between the time it is full and the end",
        "no probability: the misses rise by 44.6 % at a cache of 24 GiB, from when it was full to the end",
    ):
        assert bench.in_short(reason) == "the misses rise"
    assert bench.in_short("no option keeps every limit") == (
        "no option keeps every limit"
    )


def test_intervals_that_hold_the_truth_too_seldom_are_named(bench: ModuleType) -> None:
    def trials(count: int, held: int) -> list[Any]:
        return [
            bench.Trial(
                "tables",
                0.5,
                right=True,
                reason="",
                held={"restart_s": at < held, "peak_busy": True},
            )
            for at in range(count)
        ]

    said = list(bench.by_figure(trials(100, 84)))
    assert any(
        each.startswith("**Too narrow**: warm after a restart;") for each in said
    )
    # Few intervals show nothing, and 85 % are enough.
    for enough in (trials(49, 30), trials(100, 85)):
        assert "**Too narrow**" not in "".join(bench.by_figure(enough))


def test_intervals_that_hold_the_truth_too_often_are_named_beyond_what_chance_does(
    bench: ModuleType,
) -> None:
    def said(count: int, held: int) -> list[str]:
        return [
            *bench.by_figure(
                [
                    bench.Trial(
                        "tables", 0.5, right=True, reason="", held={"x": at < held}
                    )
                    for at in range(count)
                ]
            )
        ]

    bench.FIGURES = {"x": ("hits", str)}
    # Wilson's interval of 110 of 115 is 90.2 to 98.1 %, that of 115 of 115 96.8 to 100 %.
    assert said(115, 110)[2] == "| hits | 115 | 96 % | 90 to 98 % |"
    assert "**Too wide**" not in "".join(said(115, 110))
    assert said(115, 115)[-1].startswith("**Too wide**: hits;")


def test_an_interval_that_became_another_one_stands_from_its_version_on(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "CHANGED", {"a": bench.MODEL_VERSION})
    now = replace(kept(bench), version=bench.MODEL_VERSION)
    bench.save(1000, {0: kept(bench), 1: now})
    found = bench.outcomes_of(1000)
    assert [each.held for each in found.values()] == [
        {"b": False},
        {"a": True, "b": False},
    ]
    assert not found[0].differs(replace(now, held={"a": False, "b": False}))
    monkeypatch.setattr(bench, "FIGURES", {"a": ("hits", str)})
    said = bench.by_version([replace(now, same_as="5")])
    assert said.endswith(f"are of version {bench.MODEL_VERSION} alone, and so is hits.")
    monkeypatch.setattr(bench, "CHANGED", {"a": "5"})
    assert "and so is" not in bench.by_version([replace(now, same_as="5")])


def test_outcomes_of_the_oldest_version_are_asked_again_first(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "SAME_OUTCOMES", {bench.MODEL_VERSION: ("5", "10")})
    asked: list[int] = []

    def trial(_accesses: int, _keep: Path | None, seed: int) -> object:
        asked.append(seed)
        return replace(kept(bench), version=bench.MODEL_VERSION)

    monkeypatch.setattr(bench, "trial", trial)
    by_ten = replace(kept(bench), version="10", same_as="5")
    bench.save(1000, {0: by_ten, 1: kept(bench), 2: kept(bench)})
    given = argparse.Namespace(write=True, keep=None)
    found = bench.again(1000, 3, executors.threads(1), given)
    assert asked == [1, 2, 0]
    assert [each.same_as for each in found] == ["10", "5", "5"]
    # Where some were asked by one version and some by a later one, both are named.
    said = bench.by_version([by_ten, *found])
    assert (
        "On 4 of them version 5 or 10 had advised before version "
        f"10 or {bench.MODEL_VERSION}: every" in said
    )


def test_outcomes_that_a_later_version_may_change_are_shown_until_it_was_asked(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = bench.MODEL_VERSION
    monkeypatch.setattr(bench, "SAME_OUTCOMES", {now: ("5",)})
    monkeypatch.setattr(bench, "SUPERSEDED", {now: (1000,)})
    old = bench.Trial("tables", 0.5, right=False, reason="", version="5")
    for accesses in (1000, 2000):
        bench.save(accesses, {0: old, 1: old})
        known = list(bench.outcomes_of(accesses).values())
        assert known == [old, old]
        said = bench.may_be_otherwise(accesses, known)
        assert ("has not advised on 2 of them" in said) == (accesses == 1000)

    def trial(accesses: int, keep: Path | None, seed: int) -> Any:
        return bench.Trial("tables", 0.75, right=True, reason="")

    monkeypatch.setattr(bench, "trial", trial)
    given = argparse.Namespace(write=True, keep=None)
    # Asked anew where it may say otherwise, whatever is kept, and no more after that.
    for accesses, probability in ((1000, 0.75), (2000, 0.5)):
        found = bench.outcomes(accesses, 1, executors.threads(1), given)
        assert found[0].probability == probability
        assert found[1].probability == 0.5
        assert not bench.may_be_otherwise(accesses, found[:1])
    assert "has not advised on 1 of them" in bench.may_be_otherwise(
        1000, list(bench.outcomes_of(1000).values())
    )


@pytest.mark.parametrize("seed", [1, 5, 6])
def test_outcomes_in_the_repository_are_those_of_this_version(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """One with response times, one that drifts, one without a probability; more by `--again`."""
    monkeypatch.setattr(bench, "OUTCOMES", REPOSITORY)
    known = bench.outcomes_of(100_000)[seed]
    assert not known.differs(bench.trial(100_000, None, seed))
