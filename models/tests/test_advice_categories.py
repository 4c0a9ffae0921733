"""Assignments by sizes of requests and by hours: what an advice tries beside those by relation, and which it runs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from advice_cases import DEVICES_ALONE, SHELF
from command import run
from test_cachesack import COLUMNS, made_trace, recordings, scans_by_hour

from tierwright.advise import advice
from tierwright.advise.advice import _caches, _plans
from tierwright.advise.advice._caches import CacheReplayed
from tierwright.advise.advice._plans import Plan
from tierwright.advise.advice.found import Advice, CachedOption
from tierwright.advise.advice.request import CategoriesAt, Have
from tierwright.advise.report import html
from tierwright.hardware import catalog
from tierwright.profile.categories import Category, CategoryCounts
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb"
RAM_PAGES, FLASH_PAGES = 50, 500
CACHES = ("larc", "bcache", "cachesack")


def ask(
    trace: Trace,
    caches: Sequence[str] = CACHES,
    ram_pages: int = RAM_PAGES,
    flash_pages: int = FLASH_PAGES,
) -> tuple[Curve, Advice]:
    curve = profile(trace).curve
    have = Have(
        machines=1,
        ram_bytes=ram_pages * curve.page_bytes,
        disk=catalog.device(DISK),
        disks=8,
        flash_bytes=flash_pages * curve.page_bytes,
        flash=catalog.device(FLASH),
        flash_devices=1,
        scheme="inclusive",
        usd_per_month=Decimal(10),
    )
    found = advice.answer(
        curve,
        accesses_per_s=50.0,
        candidates=replace(
            DEVICES_ALONE, devices=(SHELF[1],), flash_caches=tuple(caches)
        ),
        have=have,
        trace=trace,
        how_sure=False,
        constraints={"usd_per_month": Decimal(10)},
    )
    return curve, found


def behind(found: Advice) -> dict[tuple[str, str | None], CachedOption]:
    return {
        (each.name, each.admission_by): each
        for each in found.flash_caches
        if each.assignment
    }


@pytest.mark.parametrize(
    ("kind", "categories"), [("size", "size classes"), ("hour", "hours")]
)
def test_what_the_recording_tells_apart_is_tried_and_the_best_runs_the_choice(
    tmp_path: Path, kind: str, categories: str
) -> None:
    trace = (
        made_trace(tmp_path, "sizes")
        if kind == "size"
        else scans_by_hour(tmp_path / "scans.csv")
    )
    curve, found = ask(trace)
    rows = behind(found)
    # Its own flash cache compares the ways; the others are tried behind the best of them alone.
    tried = {by for name, by in rows if name == "cachesack"}
    assert tried >= {"relation", kind}
    assert {by for name, by in rows if name != "cachesack"} == {kind}
    assert {name for name, _ in rows} == set(CACHES)
    own = {by: rows["cachesack", by].io_time_us_per_access or math.nan for by in tried}
    assert own[kind] < own["relation"] * (1 - _caches.EQUAL)
    best = found.recommendation
    assert best is not None
    [one] = [each for each in found.flash_caches if each.is_chosen]
    assert (best.scheme, best.admission, best.admission_by) == (
        one.name, "cachesack", kind,
    )  # fmt: skip
    assert best.options["categories"] == kind
    # What it names can be set: the same options replayed by themselves cost the same.
    counters = replay(
        trace,
        "flash_cache",
        best.scheme,
        RAM_PAGES - math.ceil((one.ram_tax_bytes or 0) / curve.page_bytes),
        FLASH_PAGES,
        options=best.options,
    )
    cost = price(counters, flash=catalog.device(FLASH), disk=catalog.device(DISK))
    assert cost.io_time_us_per_access == best.io_time_us_per_access
    assert f"with admission by {kind}" in found.finding
    assert one.assignment in found.finding
    assert re.search(rf"\b{categories}\b.* enters? flash ", one.assignment)
    [caution] = [each for each in found.warnings if each.name == "flash_cache_chosen"]
    once = "whose hours count from its first request and were each seen once"
    assert (once in caution.message) == (kind == "hour")
    document = json.loads(json.dumps(found.to_dict(), default=str))
    assert document["recommendation"]["admission_by"] == kind
    text = html(document)
    assert text.count(f"with admission by {kind}") > 1
    assert f"Admission by {kind}: {one.assignment}." in text
    stated = ", ".join(f"{name}={value}" for name, value in best.options.items())
    assert f"Run {best.scheme} so: {stated}." in text
    assert ask(trace)[1].advice_id == found.advice_id


def test_of_several_ways_only_the_best_of_a_hardware_may_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = scans_by_hour(tmp_path / "scans.csv")
    monkeypatch.setattr(_caches.assignments, "_best_plan", lambda own: own[0].plan)
    _, found = ask(trace, ("cachesack",))
    rows = behind(found)
    by_hour, by_relation = rows["cachesack", "hour"], rows["cachesack", "relation"]
    assert (by_hour.io_time_us_per_access or 0) < (
        by_relation.io_time_us_per_access or 0
    )
    assert by_relation.is_chosen
    assert not by_hour.is_chosen


def test_an_advice_is_a_plan_of_what_to_cache(tmp_path: Path) -> None:
    trace = made_trace(tmp_path, "sizes")
    _, found = ask(trace, ("larc", "cachesack"))
    best = found.recommendation
    assert best is not None
    assert best.admission_by == "size"
    saved = tmp_path / "advice.json"
    saved.write_text(json.dumps(found.to_dict(), default=str))
    columns = [
        part for pair in COLUMNS.items() for part in ("--column", "=".join(pair))
    ]
    asked = (
        "simulate", str(trace.path), "--format", "csv", *columns, "--ram-pages", str(RAM_PAGES),
        "--flash-pages", str(FLASH_PAGES), "--json",
    )  # fmt: skip
    code, out, err = run(*asked, "--scheme", best.scheme, "--plan", str(saved))
    assert code == 0, err
    by_plan = json.loads(out)
    by_hand = replay(
        trace, "flash_cache", best.scheme, RAM_PAGES, FLASH_PAGES, options=best.options
    )
    for name in ("flash_hits", "flash_writes", "flash_misses"):
        assert by_plan[name] == by_hand[name]
    other = next(each for each in ("larc", "cachesack") if each != best.scheme)
    if other == "cachesack":
        # LRU behind it needs no lifetime.
        assert run(*asked, "--scheme", other, "--plan", str(saved))[0] == 0
    document = json.loads(saved.read_text())
    document["recommendation"]["options"] = {}
    saved.write_text(json.dumps(document))
    code, _, err = run(*asked, "--scheme", best.scheme, "--plan", str(saved))
    assert code == 2
    assert "this advice recommends no assignment of categories" in err
    document["recommendation"] |= {
        "scheme": "cachesack",
        "options": {"categories": "size", "assignment": "miss+3:second_miss"},
    }
    saved.write_text(json.dumps(document))
    code, _, err = run(*asked, "--scheme", "larc", "--plan", str(saved))
    assert code == 2
    assert "its assignment is that of cachesack" in err


def counts_of(
    asked: CategoriesAt, duration_s: float | None, categories: int
) -> CategoryCounts:
    shape = (categories, 4, 1)
    return CategoryCounts(
        kind=asked.kind,
        ram_pages=asked.ram_pages,
        accesses=1,
        write_accesses=0,
        distinct_pages=1,
        requests=1,
        page_bytes=4096,
        duration_s=duration_s,
        categories=tuple(Category(at, "", 1, 0, 1) for at in range(categories)),
        ages=np.ones(1, dtype=np.int64),
        held=np.zeros(shape),
        hits=np.zeros(shape),
        writes=np.zeros(shape),
        notes={},
    )


@pytest.mark.parametrize(
    ("duration_s", "sizes", "hours", "asked"),
    [
        # Nothing but relations: sizes are looked for once.
        (60.0, 1, 1, [("relation", 5), ("relation", 7), ("size", 5)]),
        (None, 1, 1, [("relation", 5), ("relation", 7), ("size", 5)]),
        (7200.0, 1, 2, [("relation", 5), ("relation", 7), ("size", 5), ("hour", 5), ("hour", 7)]),
        (3600.0, 3, 1, [("relation", 5), ("relation", 7), ("size", 5), ("size", 7)]),
    ],
)  # fmt: skip
def test_only_what_the_recording_tells_apart_is_counted(
    duration_s: float | None,
    sizes: int,
    hours: int,
    asked: list[tuple[str, int]],
) -> None:
    made: list[CategoriesAt] = []

    def assigned(
        wanted: Sequence[CategoriesAt],
    ) -> Mapping[CategoriesAt, CategoryCounts]:
        made.extend(wanted)
        several = {"relation": 4, "size": sizes, "hour": hours}
        return {
            each: counts_of(each, duration_s, several[each.kind]) for each in wanted
        }

    found = _plans.counted(assigned, [5, 7])
    assert made == asked
    kept = {"relation", *(["size"] * (sizes > 1)), *(["hour"] * (hours > 1))}
    assert {each.kind for each in found} == kept


def test_a_recording_of_relations_alone_is_replayed_as_before() -> None:
    """A page of PostgreSQL is a request, and the cut lasts some seconds: nothing but relations is told apart."""
    _, found = ask(Trace(recordings.TPCB))
    assert {each.admission_by for each in found.flash_caches} == {None, "relation"}


def replayed(kind: str, us: float, breaks: tuple[str, ...] = ()) -> CacheReplayed:
    plan = Plan(kind, f"miss+0:{kind}", 1.0, "")
    return CacheReplayed(
        0, "cachesack", "", us, 0.1, 1.0, (0.0, 0.0, 1.0), 0.0, None, breaks,
        "" if us == us else "it cannot be replayed", plan,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "best"),
    [
        # Categories that are not simpler have to save a hundredth.
        ([("relation", 100.0, ()), ("size", 99.5, ()), ("hour", 99.2, ())], "relation"),
        ([("relation", 100.0, ()), ("size", 98.5, ()), ("hour", 98.0, ())], "size"),
        ([("relation", 100.0, ()), ("size", 98.5, ()), ("hour", 90.0, ())], "hour"),
        ([("relation", 90.0, ("peak_busy",)), ("size", 98.5, ())], "size"),
        ([("relation", 90.0, ("peak_busy",)), ("size", 80.0, ("peak_busy",))], "size"),
        ([("relation", math.nan, ()), ("hour", 80.0, ())], "hour"),
        ([("relation", math.nan, ()), ("hour", math.nan, ())], "relation"),
    ],
)
def test_of_about_equal_assignments_the_simplest_categories_are_taken(
    rows: list[tuple[str, float, tuple[str, ...]]], best: str
) -> None:
    assert _caches.assignments._best_plan([replayed(*row) for row in rows]).kind == best
