"""What cautions could change in a pool split: replays at the other ends, held against traces that are these ends."""

from __future__ import annotations

import random

import pytest

from tierwright.advise import pool_split
from tierwright.advise.pool_split_effects import every_access_writes, weigher
from tierwright.advise.pool_survey import SplitSurvey
from tierwright.common.cautions import Caution
from tierwright.trace.tokens import token_trace

PAGES = 12
R = 4.0


def drawn(operation: str) -> str:
    """400 accesses to 40 pages, the same for each operation."""
    pages = random.Random(7)
    return " ".join(
        f"{operation}{min(40, int(pages.expovariate(0.1)) + 1)}" for _ in range(400)
    )


def surveyed(tokens: str) -> SplitSurvey:
    with token_trace(tokens) as trace:
        found = pool_split.answer(trace, PAGES, R)
    assert found.survey is not None
    return found.survey


@pytest.fixture(scope="module")
def reads() -> SplitSurvey:
    return surveyed(drawn("R"))


@pytest.fixture(scope="module")
def mixed() -> SplitSurvey:
    writes = random.Random(3)
    tokens = drawn("R").split()
    return surveyed(
        " ".join(f"W{t[1:]}" if writes.random() < 0.4 else t for t in tokens)
    )


def effect(survey: SplitSurvey, name: str, skipped: int = 0) -> tuple[str, bool | None]:
    found = weigher(survey, R, skipped_records=skipped)(Caution(name, "", ""))
    return found.text, found.could_change_choice


def test_every_access_writes_is_what_a_trace_of_writes_counts(
    reads: SplitSurvey,
) -> None:
    written, other = surveyed(drawn("W")), every_access_writes(reads)
    assert set(written.splits) == set(other.splits) == set(range(1, PAGES))
    for clean, row in written.splits.items():
        assert other.cost(other.splits[clean], R) == pytest.approx(written.cost(row, R))
    assert other.best_simulated(R) == pytest.approx(written.best_simulated(R))


def test_unknown_writes_cost_every_split_the_same(reads: SplitSurvey) -> None:
    text, could = effect(reads, "no_writes_in_format")
    # Each page read is written once, at R page reads.
    assert text == "if every access writes: +400 % cost, same split"
    assert could is False


def test_writes_that_are_known_are_no_other_end(mixed: SplitSurvey) -> None:
    assert mixed.write_accesses > 0
    text, could = effect(mixed, "no_writes_in_format")
    assert "if every access writes" not in text
    assert could is None


def test_skipped_records_cost_every_split_the_same(mixed: SplitSurvey) -> None:
    clean, cost = mixed.best_simulated(R)
    text, could = effect(mixed, "bad_records_skipped", skipped=100)
    assert could is False
    # 100 more accesses of 400: as hits four fifths of the cost an access.
    assert "if the 100 records skipped are hits of the buffer: -20 % cost" in text
    missed = (cost * 400 + 100) / 500 / cost - 1
    assert f"are misses: {100 * missed:+.1f} % cost" in text
    assert text.endswith("same split")
    assert clean in mixed.splits
    one, _ = effect(mixed, "bad_records_skipped", skipped=1)
    assert (
        "the 1 record skipped is a hit" in one
        or "the 1 record skipped is a miss" in one
    )
    none, unknown = effect(mixed, "bad_records_skipped", skipped=0)
    assert "if" not in none
    assert unknown is None


def test_a_warm_up_that_is_not_charged_makes_the_split_cheaper(
    mixed: SplitSurvey,
) -> None:
    _, cost = mixed.best_simulated(R)
    text, could = effect(mixed, "warm_up_inside")
    share = PAGES / 400 / cost
    assert f"-{100 * share:.1f} % cost" in text or f"-{100 * share:.0f} % cost" in text
    assert could is False


@pytest.mark.parametrize("name", ["estimate_off", "no_gain_over_lru"])
def test_what_replays_decided_has_no_effect(mixed: SplitSurvey, name: str) -> None:
    _, could = effect(mixed, name)
    assert could is False


def test_the_answer_carries_its_effects(mixed: SplitSurvey) -> None:
    found = pool_split.at_asymmetry(
        mixed, R, [Caution("bad_records_skipped", "", "")], skipped_records=100
    )
    [said] = [each for each in found.cautions if each.code == "bad_records_skipped"]
    assert "same split" in said.effect
    without = pool_split.at_asymmetry(
        mixed, R, [Caution("bad_records_skipped", "", "")]
    )
    [unsaid] = [each for each in without.cautions if each.code == "bad_records_skipped"]
    assert unsaid.could_change_choice is None
