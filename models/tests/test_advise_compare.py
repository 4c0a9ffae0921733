"""The comparison of schemes: a notebook gets what the page shows, and the words fit the figures."""

from __future__ import annotations

import json
from typing import Any

import pytest
import recordings

from tierwright.advise import compare
from tierwright.advise.point import scheme_titles
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import decision
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TPCB = recordings.TPCB
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("face2016-cheetah-15k6-raid0-16")


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(Trace(TPCB)).curve


def compared(curve: Curve, **given: Any) -> compare.Comparison:
    asked = {"ram_pages": 1000, "flash_pages": 6000, "flash": FLASH, "disk": DISK}
    return compare.answer(curve, **{**asked, **given})


@pytest.mark.oracle("advise.compare.answer")
def test_a_replay_decides_and_the_finding_names_its_best(curve: Curve) -> None:
    found = compared(curve, trace=Trace(TPCB))
    times = {
        name: service_us(device, operation, 8192) or 0.0
        for name, device, operation in (
            ("flash_reads", FLASH, "read"),
            ("flash_writes", FLASH, "write"),
            ("hdd_reads", DISK, "read"),
            ("hdd_writes", DISK, "write"),
        )
    }
    held = {}
    for name, result in found.evaluation.schemes.items():
        replayed = result.replayed
        assert replayed is not None
        priced = sum(getattr(replayed, each) * time for each, time in times.items())
        held[name] = priced / replayed.accesses
        assert replayed.io_time_us_per_access == pytest.approx(held[name])
    least = min(held, key=lambda name: held[name])
    assert found.best == least
    assert "decided by replay" in found.finding
    assert scheme_titles()[least] in found.finding
    by_model = compared(curve)
    assert "decided by replay" not in by_model.finding


def test_without_flash_there_is_nothing_to_compare(curve: Curve) -> None:
    found = compared(curve, flash_pages=0)
    assert found.finding.startswith("Without flash an access costs")
    counted = replay(Trace(TPCB), "scheme", "none", 1000, 0)
    assert counted["flash_hits"] == 0


def test_a_load_beyond_the_devices_is_said_only_where_it_is(curve: Curve) -> None:
    named = {each.name for each in compared(curve, duration_s=1e-3).warnings}
    assert "load_beyond_devices" in named
    calm = {each.name for each in compared(curve, duration_s=1e9).warnings}
    assert "load_beyond_devices" not in calm


def test_an_unknown_dirty_share_is_answered_at_both_ends() -> None:
    bare = Curve.from_lists(
        [10, 1000, 10_000, 30_000],
        [300_000, 200_000, 100_000, 30_000],
        None,
        accesses=420_000,
        distinct_pages=30_687,
        page_bytes=8192,
        write_accesses=0,
        given=Given("table", data_known=True),
    )
    found = compared(bare)
    assert found.range is not None
    assert found.warnings[0].name == "dirty_share_unknown"
    assert found.derivation()[0].name == "p_d"
    low = found.range.least.schemes["lazy"].io_time_us_per_access
    high = found.range.most.schemes["lazy"].io_time_us_per_access
    assert low < high
    assert "dirty" in found.finding
    with pytest.raises(BadInput, match="given without a trace"):
        compared(bare, trace=Trace(TPCB))


def test_a_notebook_shows_finding_figures_and_warnings(curve: Curve) -> None:
    found = compared(curve)
    shown = found._repr_html_()
    assert found.finding in shown
    assert "I/O time per access, Lazy" in shown
    document = found.to_dict()
    json.dumps(document, default=str)
    assert document["finding"] == found.finding
    assert "derivation" not in found.to_dict(derivation=False)
    steps = {(step.subject, step.name): step.value for step in found.derivation()}
    costs = decision.deciding_costs(found.evaluation)
    for name, cost in costs.items():
        assert steps[name, "io_time_us_per_access"] == pytest.approx(cost)
