"""A survey that is cut keeps every split that is best at some R."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise.pool_survey import SplitSurvey, arrays_of, survey_of
from tierwright.evaluate.pool_split.counts import ESTIMATORS

ASYMMETRIES = (1e-9, 0.01, *(2.0 ** (step / 4) for step in range(-8, 60)), 1e9)
COUNTS = {"reads": 1, "writes": 1, "dirty_left": 0}


def made(seed: int, size: int, steps: int) -> SplitSurvey:
    """A survey of hits that grow with their pool, flat in places."""
    chance = np.random.default_rng(seed)
    accesses, writes = 100_000, 30_000

    def growing(most: int) -> np.typing.NDArray[np.uint64]:
        rises = np.zeros(size)
        at = chance.integers(0, size, steps)
        rises[at] = chance.pareto(1.0, at.size)
        total = np.cumsum(rises)
        share = chance.uniform(0.3, 1.0)
        return (total / max(total[-1], 1e-9) * most * share).astype(np.uint64)

    write_hits = growing(writes)[::-1].copy()
    return SplitSurvey(
        pages=size + 1,
        distance="raw",
        accesses=accesses,
        write_accesses=writes,
        distinct_pages=size,
        page_bytes=4096,
        clean_pages=np.arange(1, size + 1, dtype=np.int64),
        hits_clean=growing(accesses // 2),
        hits_dirty=np.minimum(write_hits + growing(accesses // 2)[::-1], accesses),
        write_hits_dirty=write_hits,
        baselines={"lru": COUNTS, "cflru": COUNTS},
        splits={1: COUNTS, size // 3: COUNTS, size: COUNTS},
    )


@pytest.mark.costly(6)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.integers(0, 2**32),
    st.sampled_from([40, 500, 3000]),
    st.sampled_from([3, 50, 5000]),
)
def test_the_best_split_of_every_estimator_is_kept_at_every_r(
    seed, size, steps
) -> None:
    whole = made(seed, size, steps)
    cut = whole.cut(32)
    assert set(whole.splits) <= set(cut.clean_pages.tolist())
    for asymmetry in ASYMMETRIES:
        for estimator in ESTIMATORS:
            at, there = (
                each.at(asymmetry, estimator=estimator) for each in (whole, cut)
            )
            # Splits whose costs differ in the last digit alone may change places.
            assert there.estimates[estimator] == pytest.approx(
                at.estimates[estimator], rel=1e-12, abs=1e-15
            )
            assert there.best_clean_pages == at.best_clean_pages
            assert there.best_cost == at.best_cost


def test_a_large_survey_is_cut_to_what_can_be_kept() -> None:
    whole = made(1, 400_000, 10_000)
    cut = whole.cut()
    assert cut.clean_pages.size < 80_000
    again = survey_of(arrays_of(cut))
    assert np.array_equal(again.clean_pages, cut.clean_pages)
    assert again.at(32.0).best_by_estimator == whole.at(32.0).best_by_estimator
    values = {step.name: step.value for step in again.derivation(again.at(32.0))}
    assert values == {
        step.name: step.value for step in whole.derivation(whole.at(32.0))
    }


def test_a_small_survey_is_kept_whole_and_read_from_earlier_versions() -> None:
    whole = made(2, 50, 20)
    assert whole.cut() is whole
    arrays = arrays_of(whole)
    del arrays["listed_pages"]
    assert np.array_equal(survey_of(arrays).clean_pages, whole.clean_pages)
