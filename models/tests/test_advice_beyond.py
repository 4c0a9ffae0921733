"""Hardware that page flow cannot carry: the cheapest size of it on which a flash cache keeps every limit is found by replays."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice, scale
from tierwright.advise.advice import _caches, _checked, _near_misses, _plans
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates, CategoriesAt, SchemeAt
from tierwright.profile.categories import CategoryCounts
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

TRACE = (
    Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcc-20w-cut.csv.zst"
)
SHELF = Candidates(
    kinds=("devices",),
    devices=("solidigm-d7-p5810-800gb", "seagate-exos-x24-24tb"),
    machine_usd=Decimal(0),
    flash_caches=("cac", "cachesack"),
)
GIB = 2**30
ONE = Decimal(800 * 10**9)
"""Flash of one device. [bytes]"""
MOST = Decimal(215)


@cache
def curve() -> Curve:
    scaled = scale.answer(profile(Trace(TRACE)), Production(2**41, 3_000.0))
    return scaled.profile.curve.from_start("steady")


@cache
def counted(each: SchemeAt) -> dict[str, Any]:
    [row] = _checked.by_trace(curve(), Trace(TRACE), None)([each])
    return dict(row)


@cache
def categories(each: CategoriesAt) -> CategoryCounts:
    return _plans.by_trace(Trace(TRACE), None)([each])[each]


def ask(objective: advice.Objective = "usd", **limits: Decimal) -> Advice:
    return advice.answer(
        curve(),
        accesses_per_s=300.0,
        candidates=SHELF,
        constraints={"flash_bytes": ONE, "usd_per_month": MOST, **limits},
        objective=objective,
        prices=advice.named_book("street-2026-q3"),
        replays=lambda wanted: [counted(each) for each in wanted],
        assigned=lambda wanted: {each: categories(each) for each in wanted},
        how_sure=False,
    )


@cache
def fastest(ram_gib: int) -> tuple[float, float]:
    """Least I/O time of an access with no more RAM than this, by replays, and what that costs. [µs], [USD/month]"""
    best = ask("io_time", ram_bytes=Decimal(ram_gib * GIB)).recommendation
    assert best is not None
    assert best.ram_bytes == ram_gib * GIB
    assert best.usd_per_month is not None
    return best.replayed_io_time_us_per_access or math.inf, float(best.usd_per_month)


SIZES = (68, 95, 132, 185)
"""RAM that the recording is large enough for and the money buys. [GiB]"""


@pytest.mark.parametrize("objective", ["usd", "pareto"])
def test_what_a_flash_cache_keeps_is_not_called_infeasible(
    objective: advice.Objective,
) -> None:
    dear, _ = fastest(185)
    # By the model nothing is as fast, and the fastest in a replay is the dearest.
    limit = Decimal(repr(dear * 1.001))
    found = ask(objective, io_time_us_per_access=limit)
    best = found.recommendation
    assert found.infeasible is None
    assert best is not None
    assert best.scheme in ("cac", "cachesack")
    assert best.ram_bytes == 185 * GIB
    assert best.io_time_us_per_access == pytest.approx(dear)
    assert "Under page flow no option keeps every limit" in found.finding
    nothing = ask(objective, io_time_us_per_access=Decimal(repr(dear * 0.999)))
    assert nothing.recommendation is None
    assert "Nor does any flash cache that was replayed, on 185 GiB" in nothing.finding


@given(st.floats(0.0, 1.0))
@settings(max_examples=15, deadline=None)
def test_the_cheapest_size_on_which_something_keeps_the_limit_is_bought(
    share: float,
) -> None:
    times = {ram: fastest(ram) for ram in SIZES}
    least, most = times[185][0], times[68][0]
    assert least < most
    limit = least * 1.0001 + share * (most * 1.05 - least)
    found = ask(io_time_us_per_access=Decimal(repr(limit)))
    best = found.recommendation
    assert best is not None
    cheapest = min(usd for us, usd in times.values() if us <= limit)
    assert float(best.usd_per_month or 0) == pytest.approx(cheapest)
    assert (best.replayed_io_time_us_per_access or math.inf) <= limit


def test_what_no_replay_was_asked_of_is_said_to_hold_by_the_model_alone() -> None:
    dear, _ = fastest(185)
    limits = {
        "io_time_us_per_access": Decimal(repr(dear * 1.001)),
        "flash_bytes": ONE,
        "usd_per_month": MOST,
    }
    found = advice.answer(
        curve(),
        accesses_per_s=300.0,
        candidates=SHELF,
        constraints=limits,
        prices=advice.named_book("street-2026-q3"),
        how_sure=False,
    )
    assert found.recommendation is None
    assert found.near_misses == 0 or "rules out by less than its error" in found.finding
    assert found.beyond_page_flow == 1
    assert "That holds by the model alone: a replay may show that" in found.finding
    assert "flash caches on 1 kind of hardware keep every limit." in found.finding


def test_what_may_keep_a_limit_is_told_in_words() -> None:
    text = _near_misses.left_text
    assert text(0, 0, is_checked=False) == text(0, 3, is_checked=True) == ""
    assert text(1, is_checked=False).endswith(
        "1 option that the model rules out by less than its error keeps every limit."
    )
    assert text(2, 3, is_checked=False).endswith(
        "2 options that the model rules out by less than its error or flash caches on 3 kinds of hardware keep every limit."
    )
    assert text(4, is_checked=True) == (
        "Not replayed were 4 options that the model rules out by less than its error: by a replay some may keep every limit."
    )


def rung(at: int, *, keeps: bool) -> _caches.CacheReplayed:
    return _caches.CacheReplayed(
        at,
        "larc",
        "LARC",
        1.0,
        0.1,
        9.0,
        (0.5, 0.3, 0.2),
        0.1,
        None,
        () if keeps else ("peak_busy",),
        "",
    )


@given(st.integers(1, 40), st.integers(0, 40))
def test_halving_finds_the_first_rung_that_does(many: int, first: int) -> None:
    rungs = [100 + at for at in range(many)]
    ladder = _caches.choice._Ladder(rungs)
    seen = [rung(at, keeps=at >= 100 + first) for at in ladder.ends]
    ladder.look(seen)
    steps = 0
    while ladder.is_open:
        seen.append(rung(ladder.middle, keeps=ladder.middle >= 100 + first))
        ladder.look(seen)
        steps += 1
    assert steps <= _caches.MOST_HALVINGS
    assert ladder.keeps == (first if first < many else None)
    assert ladder.shown == 100 + min(first, many - 1)
