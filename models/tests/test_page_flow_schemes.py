"""A page-flow scheme is one module with every part; a cost term is declared once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import costs, counts, decision, load, schemes
from tierwright.evaluate.page_flow.formula import SchemeFormula
from tierwright.evaluate.page_flow.schemes import BY_NAME, TABLE
from tierwright.evaluate.page_flow.terms import COST_TERMS, TERM_NAMES, check_terms
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import contenders

CURVE = Curve.from_lists(
    [10, 100, 1000],
    [9000, 5000, 1000],
    [3000, 1500, 200],
    accesses=10_000,
    distinct_pages=1000,
    page_bytes=4096,
    write_accesses=4000,
)


def test_the_table_lists_what_the_core_replays() -> None:
    assert [(row["name"], row["title"]) for row in contenders("scheme")] == [
        (each.name, each.title) for each in TABLE
    ]


def test_every_module_of_a_scheme_stands_in_the_table() -> None:
    folder = Path(schemes.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert modules == set(BY_NAME)


@pytest.mark.parametrize("scheme", TABLE, ids=lambda each: each.name)
def test_a_scheme_has_every_part(scheme: SchemeFormula) -> None:
    assert scheme.formula_of is None or scheme.formula_of in BY_NAME
    assert scheme.directory is None or scheme.uses_flash
    h, m = np.asarray([40.0]), np.asarray([60.0])
    counted = scheme.operations(h, m, np.asarray([0.5]), np.asarray([0.25]))
    check_terms(counted)
    charged = {name for name, count in counted.items() if float(count[0]) > 0}
    assert set(scheme.term_formulas) - {"flash_reads"} == charged - {"flash_reads"}
    flash_writes = sum(
        float(counted.get(name, np.zeros(1))[0])
        for name in ("flash_fills", "flash_write_backs")
    )
    assert (flash_writes > 0) == scheme.uses_flash


def test_ranks_of_ties_are_all_different() -> None:
    ranks = [each.tie_rank for each in TABLE]
    assert sorted(ranks) == list(range(len(TABLE)))
    assert schemes.TIE_ORDER[0] == schemes.NO_FLASH


def test_what_flash_adds_fits_what_both_tiers_hold() -> None:
    for each in TABLE:
        found = counts.hits_from_curve(CURVE, 50, 400)[each.name]
        held = each.held(
            np.asarray(50.0), np.asarray(400.0), found.effective_flash_pages
        )
        assert float(held) <= each.together(50, 400) + 1e-9
        misses = CURVE.misses(held)
        assert float(found.flash_misses) == pytest.approx(float(misses))


def test_an_unknown_cost_term_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="no cost term `flash_erases`"):
        check_terms(["flash_reads", "flash_erases"])
    lazy = BY_NAME["lazy"]

    def erases(*_: object) -> dict[str, np.ndarray]:
        return {"flash_erases": np.asarray(5.0)}

    monkeypatch.setitem(BY_NAME, "lazy", replace(lazy, operations=erases))
    with pytest.raises(BadInput, match="no cost term `flash_erases`"):
        costs.scheme_cost_terms(
            "lazy",
            1,
            1,
            p_d=0.5,
            flash_read=1,
            flash_write=1,
            disk_read=1,
            disk_write=1,
        )


def test_a_term_takes_the_time_of_its_device_and_operation() -> None:
    found = costs.scheme_cost_terms(
        "inclusive",
        10,
        20,
        p_d=0.5,
        flash_read=2,
        flash_write=3,
        disk_read=5,
        disk_write=7,
    )
    times = {
        ("flash", "read"): 2,
        ("flash", "write"): 3,
        ("disk", "read"): 5,
        ("disk", "write"): 7,
    }
    counted = BY_NAME["inclusive"].operations(
        np.asarray(10.0), np.asarray(20.0), np.asarray(0.5), np.asarray(0.5)
    )
    for term in COST_TERMS:
        expected = float(counted[term.name]) * times[term.device, term.operation]
        assert float(found.by_term[term.name]) == expected
    assert float(found.total) == sum(float(each) for each in found.by_term.values())


def test_every_term_keeps_its_device_busy() -> None:
    assert {
        device: tuple(term.name for term in COST_TERMS if term.device == device)
        for device in ("flash", "disk")
    } == load.TIER_TERMS


def test_a_replay_has_every_term_even_one_that_it_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decision, "TERM_NAMES", (*TERM_NAMES, "flash_scrubs"))
    counters = dict.fromkeys(decision._COUNTERS, 3) | {
        "accesses": 10,
        "flash_writes": 5,
        "flash_write_backs": 1,
    }
    found = decision.priced(
        counters, flash_read=2, flash_write=3, disk_read=5, disk_write=7
    )
    terms = found.cost_terms_us_per_access
    assert terms == {
        "flash_reads": pytest.approx(0.6),
        "flash_fills": pytest.approx(1.2),
        "flash_write_backs": pytest.approx(0.3),
        "disk_reads": pytest.approx(1.5),
        "disk_writes": pytest.approx(2.1),
        "flash_scrubs": 0.0,
    }
    assert found.io_time_us_per_access == sum(terms.values())


def test_no_two_schemes_look_alike() -> None:
    marks = [scheme.mark for scheme in BY_NAME.values()]
    for parts in (
        {mark.light for mark in marks},
        {mark.dark for mark in marks},
        {mark.shape for mark in marks},
    ):
        assert len(parts) == len(marks)
    for mark in marks:
        assert re.fullmatch("#[0-9a-f]{6}", mark.light)
        assert re.fullmatch("#[0-9a-f]{6}", mark.dark)
