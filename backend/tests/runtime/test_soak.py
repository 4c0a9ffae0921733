"""A short soak: one moment of each kind that needs no disk of its own (`make soak` has them all)."""

import pytest
import soak

pytestmark = pytest.mark.db

SHORT = (
    "an HTTP process is killed",
    "a job is killed",
    "the database is killed",
    "an HTTP process freezes",
    "200 clients at once",
    "a derived file is damaged",
    "everything is killed",
)


@pytest.mark.long
def test_the_application_comes_through_a_bad_day(folder):
    found = soak.soak(folder, len(SHORT), seed=5, troubles=list(SHORT))
    assert found.seen.faults == []
    assert (found.lost, found.left_runs) == (0, 0)
    assert all(len(times) == 1 for times in found.recoveries_s.values())
    assert found.seen.imports > 0
    assert found.seen.scenarios


def test_a_wrong_answer_is_a_fault():
    right = {"best": "lazy", "rows": [{"total_s": 1.0}, {"total_s": 2.0}]}
    wrong = {"best": "lazy", "rows": [{"total_s": 1.0}, {"total_s": 2.5}]}
    assert soak.least_differing(right, right) is None
    assert soak.least_differing(right, wrong) == ".rows[1].total_s: 2.0 and 2.5"
    assert soak.least_differing(right, {"best": "lazy"}) == ": keys ['rows']"


def test_the_slow_cache_is_lru():
    assert [soak.lru_misses([1, 2, 1, 3, 1, 2], size) for size in (1, 2, 3)] == [
        6,
        4,
        3,
    ]
