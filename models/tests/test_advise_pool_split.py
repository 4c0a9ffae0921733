"""Answers about a pool split say what their figures say, on cases of which the opposite holds."""

from __future__ import annotations

import json

import pytest
import recordings

from tierwright.advise import pool_advisor, pool_gain, pool_split
from tierwright.hardware import catalog
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import token_trace

TPCB = Trace(recordings.TPCB)
PAGES = 15_000


@pytest.fixture(scope="module")
def at_32() -> pool_split.PoolSplit:
    return pool_split.answer(TPCB, PAGES, 32.0)


def test_the_finding_names_the_gain_over_the_better_baseline(
    at_32: pool_split.PoolSplit,
) -> None:
    """At 15,000 pages a split saves 1.2 % over CFLRU at R = 32, and 0.4 % at R = 8."""
    assert at_32.survey is not None
    assert at_32.gain_over["cflru"] == pytest.approx(0.01184, abs=1e-5)
    assert at_32.finding == "At R = 32, 1.59 % clean pages save 1.18 % over CFLRU"
    close = pool_split.at_asymmetry(at_32.survey, 8.0)
    assert close.gain_over["cflru"] == pytest.approx(0.00441, abs=1e-5)
    assert close.finding == "At R = 8 splitting saves less than 1 % over CFLRU"
    cheap = pool_split.at_asymmetry(at_32.survey, 1.0)
    assert cheap.finding.endswith("save 2.69 % over LRU")
    assert cheap.baselines["lru"] < cheap.baselines["cflru"]


def test_no_split_beats_a_buffer_that_holds_all() -> None:
    with token_trace("R1 W2 R3 R1 W2 R3") as trace:
        found = pool_split.answer(trace, 12, 8.0)
    assert all((gain or 0) <= 0 for gain in found.gain_over.values())
    assert "no split beats" in found.finding


def test_without_writes_there_is_nothing_to_split() -> None:
    with token_trace("R1 R2 R3 R1 R2 R3") as trace:
        found = pool_split.answer(trace, 2, 8.0)
    assert found.finding == "Without writes there is nothing to split"


def test_a_survey_and_a_trace_give_one_answer(at_32: pool_split.PoolSplit) -> None:
    assert at_32.survey is not None
    again = pool_split.at_asymmetry(at_32.survey, 32.0)
    assert again.finding == at_32.finding
    assert again.sentence == at_32.sentence
    assert again.derivation() == at_32.derivation()
    assert again.replayed_baselines() == at_32.replayed_baselines()


def test_replays_and_baselines_price_their_counts(at_32: pool_split.PoolSplit) -> None:
    for row in (*at_32.replayed_splits(), *at_32.replayed_baselines()):
        paid = row.reads + 32 * (row.writes + row.dirty_left)
        assert row.cost == pytest.approx(paid / at_32.accesses, rel=1e-12)
        assert row.cost_without_closing_writes <= row.cost
    best = {each.clean_pages: each for each in at_32.replayed_splits()}[
        at_32.recommended_clean_pages or 0
    ]
    for base in at_32.replayed_baselines():
        assert base.gain == pytest.approx(1 - best.cost / base.cost)
        assert base.best_split_writes_less == (
            best.writes + best.dirty_left < base.writes + base.dirty_left
        )


def test_a_thinned_answer_keeps_optima_and_words(at_32: pool_split.PoolSplit) -> None:
    thin = at_32.thinned(5)
    listed = [row["clean_pages"] for row in thin.curve()]
    assert len(listed) < len(at_32.curve())
    assert {*at_32.best_by_estimator.values(), *at_32.replays} <= set(listed)
    assert thin.finding == at_32.finding


def test_a_notebook_shows_finding_and_figures(at_32: pool_split.PoolSplit) -> None:
    shown = at_32._repr_html_()
    assert at_32.finding in shown
    assert "Cost per access of LRU" in shown
    document = at_32.to_dict(derivation=True)
    json.dumps(document)
    assert document["finding"] == at_32.finding
    assert {step["name"] for step in document["derivation"]} >= {"R", "simulated"}


def test_the_gain_says_from_where_on() -> None:
    found = pool_gain.answer(TPCB, PAGES, [1, 8, 64])
    for name in ("lru", "cflru"):
        said = pool_gain.from_where(
            name.upper(), found.break_even_below[name], found.break_even[name]
        )
        assert said in found.finding
    assert found.to_dict()["finding"] == found.finding
    assert "at R = 64" in found._repr_html_()


def test_devices_are_ranked_by_their_asymmetry(at_32: pool_split.PoolSplit) -> None:
    assert at_32.survey is not None
    found = pool_gain.on_devices(at_32.survey, catalog.devices().values())
    ratios = [row.gain.asymmetry for row in found.rows]
    assert ratios == sorted(ratios, reverse=True)
    assert all(row.device.sold_as == "device" for row in found.rows)
    own = [each for each in catalog.devices().values() if each.sold_as == "device"]
    blocks = sum(each.kind != "dram" for each in own)
    assert found.without + len(found.rows) == blocks


def test_the_advisor_says_whether_it_saves_and_reads_its_own_document() -> None:
    found = pool_advisor.answer(TPCB, PAGES)
    rival = min(found.gain_over, key=lambda name: found.totals[name])
    gain = found.gain_over[rival]
    assert gain is not None
    verb = "saves" if gain >= pool_advisor.NOTHING else "costs"
    assert f"The adaptive split {verb}" in found.finding
    again = pool_advisor.of_document(json.loads(json.dumps(found.to_dict())))
    assert (again.finding, again.sentence) == (found.finding, found.sentence)
    assert again.derivation() == found.derivation()
    assert [each.name for each in again.warnings] == [
        each.name for each in found.warnings
    ]
    assert found.finding in found._repr_html_()


def test_the_largest_buffer_is_said_and_a_smaller_one_is_not() -> None:
    for about_largest in (pool_split.about_largest, pool_advisor.about_largest):
        [caution] = about_largest(20, 10)
        assert caution.name == "pages_clamped"
        assert "10 pages" in caution.message
        assert list(about_largest(19, 10)) == []
