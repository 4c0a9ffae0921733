"""Flash caches on the hardware that an advice comes to: replayed, priced, chosen where one is clearly better."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, PRICES, SHELF, book
from command import run

from tierwright.advise import advice, scale
from tierwright.advise.advice import _asked, _caches, _checked, _choice
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import FIGURES, Advice, CachedOption
from tierwright.advise.advice.request import (
    Candidates,
    Have,
    candidates_from_mapping,
)
from tierwright.advise.checks.flash_life import Rate, life_of
from tierwright.advise.report import html
from tierwright.cli import advise as command
from tierwright.common.errors import BadInput
from tierwright.common.wording import rate_text
from tierwright.evaluate import ram_tax
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_time, service_us
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.contenders import BY_THE_CLOCK_OF_OPTION, flash_cache_titles
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TRACE = Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcc-cut.csv.zst"
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb"
RATE = 500.5
DISKS = 8
INSTANCE = Candidates(kinds=("instances",), servers=("aws-i4i.4xlarge",))


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(Trace(TRACE)).curve.from_start("steady")


def sizes(curve: Curve) -> tuple[int, int]:
    """RAM of a tenth of the pages, flash of four tenths. [pages]"""
    return curve.distinct_pages // 10, curve.distinct_pages * 2 // 5


def have(curve: Curve, scheme: str) -> Have:
    ram, flash = sizes(curve)
    return Have(
        machines=1,
        ram_bytes=ram * curve.page_bytes,
        disk=catalog.device(DISK),
        disks=DISKS,
        flash_bytes=flash * curve.page_bytes,
        flash=catalog.device(FLASH),
        flash_devices=1,
        scheme=scheme,
        usd_per_month=Decimal(10),
    )


def ask(
    curve: Curve, scheme: str = "inclusive", caches: Any = None, **asked: Any
) -> Advice:
    return advice.answer(
        curve,
        accesses_per_s=RATE,
        candidates=replace(INSTANCE, flash_caches=caches),
        **{
            "have": have(curve, scheme),
            "trace": Trace(TRACE),
            "how_sure": False,
            **asked,
        },
    )


@pytest.fixture(scope="module")
def whole(curve: Curve) -> Advice:
    return ask(curve)


def rows_of(found: Advice) -> dict[str, CachedOption]:
    """Each flash cache without an assignment, by its name; with what it assumes left out."""
    return {
        each.name: each
        for each in found.flash_caches
        if not (each.assignment or rests_on_assumption(each))
    }


def rests_on_assumption(each: CachedOption) -> bool:
    return any(note.name == "assumed_default" for note in each.warnings)


def counters_of(curve: Curve, cache: str, metadata_bytes: float) -> Mapping[str, Any]:
    ram, flash = sizes(curve)
    return replay(
        Trace(TRACE),
        "flash_cache",
        cache,
        ram - math.ceil(metadata_bytes / curve.page_bytes),
        flash,
        warm_up=curve.accesses // 2,
    )


def test_every_flash_cache_is_tried_and_the_fastest_is_recommended(
    whole: Advice,
) -> None:
    rows = rows_of(whole)
    assert rows.keys() == flash_cache_titles().keys()
    played = [
        each for each in whole.flash_caches if each.io_time_us_per_access is not None
    ]
    every = [each.io_time_us_per_access for each in played]
    assert every == sorted(every)  # type: ignore[type-var]
    times = [
        each.io_time_us_per_access for each in played if not rests_on_assumption(each)
    ]
    [chosen] = [each for each in whole.flash_caches if each.is_chosen]
    assert chosen.io_time_us_per_access == times[0]
    assert chosen.saving is not None
    assert chosen.saving > _caches.EQUAL
    best = whole.recommendation
    assert best is not None
    assert best.scheme == chosen.name
    assert best.kind == "have"
    assert best.io_time_us_per_access == chosen.io_time_us_per_access
    # As many more accesses as the busiest device may be busier than its replay shows it, which page flow does not say.
    assert best.peak_busy is not None
    assert best.throughput_accesses_per_s == pytest.approx(RATE * 0.7 / best.peak_busy)
    assert best.response_p99_us is None
    assert best.response_reason
    assert best.ram_hit_share + best.flash_hit_share + best.disk_share == pytest.approx(
        1
    )
    assert whole.option_zero is not None
    assert whole.option_zero.scheme == "inclusive"
    assert "run it differently" in whole.finding
    assert chosen.title in whole.finding
    first, second = whole.checked[:2]
    assert first.option == best
    assert first.model is None
    assert second.option.scheme == "inclusive"
    assert whole.status == "checked"
    assert whole.confidence.probability_best is None
    assert "flash_cache_chosen" in {each.name for each in whole.warnings}


def test_what_a_default_without_a_source_would_gain_is_shown_and_chooses_nothing(
    curve: Curve,
) -> None:
    found = ask(curve, caches=("lazy_cleaning",))
    assumed, plain = sorted(found.flash_caches, key=lambda each: not each.warnings)
    assert [note.name for note in assumed.warnings] == ["assumed_default"]
    assert "assumed `group_pages`" in assumed.title
    assert (assumed.options["group_pages"], plain.options["group_pages"]) == ("32", "1")
    assert not assumed.is_chosen
    assert assumed.io_time_us_per_access is not None
    assert plain.io_time_us_per_access is not None
    # Groups cost no more, so that the choice without them errs on the safe side.
    assert assumed.io_time_us_per_access <= plain.io_time_us_per_access * 1.001
    best = found.recommendation
    assert best is not None
    if plain.is_chosen:
        assert best.options == {"group_pages": "1"}


def test_the_gain_of_an_assumption_is_said_beside_the_choice(curve: Curve) -> None:
    def replayed(us: float, pages: str, *, is_assumed: bool) -> _caches.CacheReplayed:
        return _caches.CacheReplayed(
            0,
            "lazy_cleaning",
            "Lazy Cleaning",
            us,
            0.1,
            9.0,
            (0.5, 0.3, 0.2),
            0.1,
            0,
            (),
            "",
            options={"group_pages": pages},
            is_assumed=is_assumed,
        )

    one = replayed(13.2, "1", is_assumed=False)

    def said(us: float) -> str:
        other = replayed(us, "32", is_assumed=True)
        return _caches.words._with_assumed(_caches.Tried((one, other), one), one)

    assert said(9.47) == (
        " With `group_pages` of 32, which is assumed, it would take 28.3 % less: it is chosen without."
    )
    assert said(13.2) == ""


def test_a_cache_whose_metadata_are_derived_is_priced_by_its_operations(
    curve: Curve, whole: Advice
) -> None:
    found = rows_of(whole)["larc"]
    _, flash_pages = sizes(curve)
    taken = math.ceil(69.6 * flash_pages)
    counted = counters_of(curve, "larc", taken)
    flash, disk = catalog.device(FLASH), catalog.device(DISK)
    page, accesses = curve.page_bytes, counted["accesses"]

    def us(device: Any, operation: Any) -> float:
        time_us = service_us(device, operation, page)
        assert time_us is not None
        return time_us

    assert counted["metadata_page_writes"] == 0
    in_order = service_time(flash, "write", page, pattern="sequential").time_us
    assert in_order is not None
    flash_us = (
        counted["flash_random_reads"] * us(flash, "read")
        + counted["flash_random_page_writes"] * us(flash, "write")
        + counted["flash_sequential_page_writes"] * in_order
    ) / accesses
    disk_us = (
        counted["hdd_reads"] * us(disk, "read")
        + counted["hdd_writes"] * us(disk, "write")
    ) / accesses
    assert found.io_time_us_per_access == pytest.approx(flash_us + disk_us, rel=1e-9)
    assert found.peak_busy == pytest.approx(
        max(flash_us, disk_us / DISKS) * RATE / 1e6, rel=1e-9
    )
    # 32 bytes an entry, 16 a place in its queue, 24 each ghost.
    assert found.ram_tax_bytes == taken
    written = counted["flash_writes"] / accesses
    assert found.flash_writes_per_access == pytest.approx(written)
    # The device states 1.3 writes of its capacity a day; where no years are stated, five.
    budget = 7.68e12 * 1.3 * 5 * 365
    years = budget / (written * RATE * page * 365 * 86_400)
    assert found.flash_life_years == pytest.approx(years, rel=1e-6)
    # As beside a simulation of the same.
    beside = life_of(counted, device=flash, rate=Rate(RATE, "as asked"))
    assert beside is not None
    assert found.flash_life_years == pytest.approx(beside.years)


def test_metadata_of_a_cache_take_ram_before_it_is_replayed(
    curve: Curve, whole: Advice
) -> None:
    rows = rows_of(whole)
    _, flash = sizes(curve)
    # Kang, Lee and Moon 2016, section 5.2: 32 bytes a page; flashcache: 24 for 4 KiB each.
    for cache, each, tax in (
        ("face", curve.page_bytes, 32),
        ("flashcache", 4096, 24),
    ):
        needed = flash * curve.page_bytes // each * tax
        assert rows[cache].ram_tax_bytes == needed
        counted = counters_of(curve, cache, needed)
        assert rows[cache].options == counted["options"]
        assert rows[cache].ram_hit_share == counted["ram_hits"] / counted["accesses"]
        assert rows[cache].flash_hit_share == pytest.approx(
            counted["flash_hits"] / counted["accesses"]
        )
    # SCE asks for 16 MiB of buffers; that is more than there is.
    assert rows["sce"].io_time_us_per_access is None
    assert "all of the RAM" in rows["sce"].reason
    assert {name for name, each in rows.items() if each.reason} == {"sce"}


def test_page_flow_stays_where_no_cache_is_clearly_better(
    curve: Curve, whole: Advice, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(curve, "lazy", caches=("bcache", "face"))
    assert [each.is_chosen for each in found.flash_caches] == [False, False]
    assert found.recommendation is not None
    assert found.recommendation.scheme == "lazy"
    assert "No flash cache replayed on this hardware is better" in found.finding
    assert "Keep what there is:" in found.finding
    assert "flash_cache_chosen" not in {each.name for each in found.warnings}
    monkeypatch.setattr(_caches.choice, "EQUAL", 0.9)
    other = ask(curve)
    assert other.recommendation is not None
    assert other.recommendation.scheme == "inclusive"
    assert [
        replace(each, is_chosen=False)
        for each in whole.flash_caches
        if not rests_on_assumption(each)
    ] == list(other.flash_caches)


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("flash_life_years", 10_000),
        ("restart_s", 1e9),
        ("response_p99_us", 1e9),
        ("io_time_us_per_access", 650),
    ],
)
def test_a_limit_that_a_cache_breaks_or_nobody_knows_keeps_it_from_the_choice(
    curve: Curve, whole: Advice, limit: str, value: float
) -> None:
    found = ask(
        curve, "lazy", caches=("cac", "face", "l2arc"), constraints={limit: value}
    )
    rows = rows_of(found)
    known = rows_of(whole)
    for name, each in rows.items():
        own = {
            "flash_life_years": (known[name].flash_life_years or 0) >= value,
            "io_time_us_per_access": (known[name].io_time_us_per_access or 0) <= value,
        }.get(limit, False)
        assert each.breaks == (() if own else (limit,)), name
        assert own or not each.is_chosen


def test_a_cache_that_had_no_time_to_write_is_within_no_limit_on_life(
    curve: Curve,
) -> None:
    """L2ARC is fed every second: of a replay that lasts less, nothing tells how long flash lasts."""

    def found(rate: float) -> dict[str, CachedOption]:
        return rows_of(
            advice.answer(
                curve,
                accesses_per_s=rate,
                candidates=replace(INSTANCE, flash_caches=("larc", "l2arc")),
                have=replace(have(curve, "lazy"), disks=40_000, flash_devices=4),
                trace=Trace(TRACE),
                constraints={"flash_life_years": 0.001},
                how_sure=False,
            )
        )

    fed, unfed = found(RATE), found(1000 * RATE)
    for rows in (fed, unfed):
        assert rows["larc"].flash_life_years is not None
        assert rows["larc"].breaks == ()
    assert fed["l2arc"].flash_life_years is not None
    assert fed["l2arc"].breaks == ()
    assert unfed["l2arc"].flash_writes_per_access == 0
    assert unfed["l2arc"].flash_life_years is None
    assert unfed["l2arc"].breaks == ("flash_life_years",)
    assert "too_short_for_clock" in {each.name for each in unfed["l2arc"].warnings}


def test_candidates_name_the_flash_caches_that_are_tried(curve: Curve) -> None:
    none = ask(curve, caches=())
    assert none.flash_caches == ()
    assert none.recommendation is not None
    assert none.recommendation.scheme == "inclusive"
    some = ask(curve, caches=("larc",))
    assert list(rows_of(some)) == ["larc"]
    # What is tried is part of the question.
    by_model = {
        ask(curve, caches=caches, trace=None).advice_id
        for caches in (None, (), ("larc",))
    }
    assert len(by_model) == 3
    with pytest.raises(BadInput, match=r"flash_caches.*no flash cache"):
        Candidates(flash_caches=("lark",))
    assert candidates_from_mapping(
        {"flash_caches": ["larc", "face"]}, "a test"
    ).flash_caches == ("face", "larc")


def test_the_same_question_has_the_same_answer(curve: Curve, whole: Advice) -> None:
    assert ask(curve).to_dict() == whole.to_dict()
    assert ask(curve, caches=()).advice_id != whole.advice_id


def test_caches_that_work_by_the_clock_are_not_replayed_at_another_scale(
    curve: Curve,
) -> None:
    production = Production(
        data_bytes=4 * curve.distinct_pages * curve.page_bytes,
        accesses_per_s=4 * RATE,
    )
    made = scale.answer(profile(Trace(TRACE)), production).profile.curve.from_start(
        "steady"
    )
    ram, flash = sizes(curve)
    there = replace(
        have(curve, "lazy"),
        ram_bytes=8 * ram * curve.page_bytes,
        flash_bytes=4 * flash * curve.page_bytes,
    )
    found = advice.answer(
        made,
        candidates=INSTANCE,
        have=there,
        trace=Trace(TRACE),
        how_sure=False,
    )
    rows = rows_of(found)
    by_the_clock = {
        each.name for each in rows.values() if each.reason == BY_THE_CLOCK_OF_OPTION
    }
    # With their defaults nothing in bcache, Open CAS and CacheLib goes by time.
    assert by_the_clock == {"sce", "dm_writecache", "dm_cache", "l2arc"}
    for name in ("larc", "bcache", "open_cas", "cachelib"):
        assert rows[name].io_time_us_per_access is not None, name


def test_what_works_by_the_clock_is_replayed_at_the_rate_of_the_workload(
    curve: Curve,
) -> None:
    """What dm-writecache and L2ARC move in a second is for other accesses where the workload states another rate."""
    names = ("larc", "dm_writecache", "l2arc")

    def found(recorded_per_s: float) -> dict[str, CachedOption]:
        return rows_of(
            ask(curve, caches=names, duration_s=curve.accesses / recorded_per_s)
        )

    rows = found(2 * RATE)
    said = (
        f"{rows['dm_writecache'].title} and {rows['l2arc'].title} were replayed with recorded times multiplied by 2.00 "
        f"to run at {RATE:,.0f} accesses/s."
    )
    assert {name: row.pace for name, row in rows.items()} == {
        "larc": "",
        "dm_writecache": said,
        "l2arc": said,
    }
    assert all(row.reason == "" for row in rows.values())
    plain = found(1.005 * RATE)
    assert {row.pace for row in plain.values()} == {""}
    assert rows["larc"] == plain["larc"]
    row = rows["l2arc"]
    at = row.hardware
    assert at == plain["l2arc"].hardware
    assert row.options["stretch"] == "2.0"
    assert "accesses_per_second" not in row.options
    assert row.flash_writes_per_access != plain["l2arc"].flash_writes_per_access


def test_the_rate_of_the_recording_is_that_of_the_trace_unless_stated(
    curve: Curve, whole: Advice
) -> None:
    """A stated rate alone does not make the recorded times those of the load."""
    duration_s = profile(Trace(TRACE)).duration_s
    stated = rows_of(ask(curve, caches=("dm_cache", "l2arc"), duration_s=duration_s))
    for name, row in stated.items():
        found = rows_of(whole)[name]
        assert float(found.options["stretch"]) == pytest.approx(171, rel=0.01)
        # A sentence names all that run with the same factor.
        for each in (found, row):
            assert "multiplied by 171 to run at 500 accesses/s." in each.pace
            assert each.title in each.pace
        assert found.flash_life_years == row.flash_life_years
        assert found.io_time_us_per_access == row.io_time_us_per_access


def test_what_works_by_the_clock_is_replayed_for_production_of_as_much_data(
    curve: Curve,
) -> None:
    profiled = profile(Trace(TRACE))
    recorded_per_s = curve.accesses / (profiled.duration_s or 0.0)
    production = Production(
        data_bytes=curve.distinct_pages * curve.page_bytes, accesses_per_s=RATE
    )
    made = scale.answer(profiled, production).profile.curve.from_start("steady")
    found = advice.answer(
        made,
        candidates=replace(INSTANCE, flash_caches=("l2arc",)),
        have=have(curve, "lazy"),
        trace=Trace(TRACE),
        how_sure=False,
    )
    row = rows_of(found)["l2arc"]
    assert row.reason == ""
    assert float(row.options["stretch"]) == pytest.approx(recorded_per_s / RATE)


def test_what_works_by_the_clock_follows_a_rate_that_is_stated_beside_a_scaled_profile(
    curve: Curve,
) -> None:
    """The question goes by one rate: the answer is that of a profile which was scaled at it."""
    profiled = profile(Trace(TRACE))

    def found(scaled_at: float, stated: float | None) -> CachedOption:
        production = Production(
            data_bytes=curve.distinct_pages * curve.page_bytes,
            accesses_per_s=scaled_at,
        )
        made = scale.answer(profiled, production).profile.curve.from_start("steady")
        answer = advice.answer(
            made,
            accesses_per_s=stated,
            candidates=replace(INSTANCE, flash_caches=("l2arc",)),
            have=have(curve, "lazy"),
            trace=Trace(TRACE),
            how_sure=False,
        )
        return rows_of(answer)["l2arc"]

    assert found(10 * RATE, RATE) == found(RATE, None)
    recorded_per_s = curve.accesses / (profiled.duration_s or 0.0)
    for scaled_at, stated in ((10 * RATE, RATE), (RATE, 4 * RATE)):
        row = found(scaled_at, stated)
        factor = float(row.options["stretch"])
        assert factor == pytest.approx(recorded_per_s / stated)
        assert f"to run at {rate_text(stated)} accesses/s" in row.pace


def on_machines(
    machines: int, times: int, of_production: int | None, caches: tuple[str, ...]
) -> dict[str, CachedOption]:
    """Flash caches on so many machines, of a workload so many times the recording that is stated to run on other ones.

    With `of_production` None it is not scaled at all.
    """
    profiled = profile(Trace(TRACE))
    curve = profiled.curve
    if of_production is not None:
        production = Production(
            data_bytes=times * curve.distinct_pages * curve.page_bytes,
            accesses_per_s=times * RATE,
            machines=of_production,
        )
        curve = scale.answer(profiled, production).profile.curve
    ram, flash = (each // machines * machines * times for each in sizes(profiled.curve))
    found = advice.answer(
        curve.from_start("steady"),
        accesses_per_s=times * RATE,
        duration_s=profiled.duration_s,
        candidates=replace(INSTANCE, flash_caches=caches, max_machines=1),
        have=replace(
            have(curve, "lazy"),
            machines=machines,
            ram_bytes=ram * curve.page_bytes,
            flash_bytes=flash * curve.page_bytes,
            disks=DISKS * machines,
            flash_devices=machines,
        ),
        trace=Trace(TRACE),
        how_sure=False,
    )
    return rows_of(found)


@pytest.mark.parametrize("of_production", [1, 2, None])
def test_on_several_machines_a_flash_cache_is_that_of_one_of_them(
    of_production: int | None,
) -> None:
    """The same hardware has the same flash caches, on however many machines production is stated to run."""
    caches = ("bcache", "sce", "cachelib", "l2arc", "open_cas")
    stated = on_machines(4, 1, 4, caches)
    rows = on_machines(4, 1, of_production, caches)
    assert rows.keys() == stated.keys()
    for name, row in rows.items():
        # What page flow takes is of the model, on data that were divided.
        said = {
            each: getattr(row, each)
            for each in (
                "io_time_us_per_access",
                "options",
                "ram_tax_bytes",
                "peak_busy",
                "flash_life_years",
                "reason",
            )
        }
        assert said == {each: getattr(stated[name], each) for each in said}
    # A quarter of the RAM does not hold the fixed 16 MiB of SCE.
    assert rows["sce"].reason == "its metadata take 16 MiB, all of the RAM"
    # Each machine has a quarter of the load, which no recording of the whole shows.
    assert rows["l2arc"].reason == BY_THE_CLOCK_OF_OPTION
    assert "all that one machine of the option serves" in BY_THE_CLOCK_OF_OPTION


def test_one_machine_for_all_has_the_same_flash_caches_whatever_production_states(
    curve: Curve,
) -> None:
    """It serves all that was recorded: a recording of all that it serves, not a page less."""
    caches = ("l2arc", "larc", "open_cas")
    ram, flash = sizes(curve)
    assert all(ram % machines and flash % machines for machines in (3, 7))
    stated = on_machines(1, 1, 1, caches)
    for machines in (2, 3, 7):
        rows = on_machines(1, 1, machines, caches)
        for name in caches:
            row = rows[name]
            assert row.reason == ""
            for figure in (
                "io_time_us_per_access",
                "options",
                "ram_tax_bytes",
                "ram_hit_share",
                "flash_hit_share",
                "pace",
            ):
                assert getattr(row, figure) == getattr(stated[name], figure)
    page = curve.page_bytes
    for name in caches:
        taxed = ram_tax.tax(
            name,
            ram_bytes=ram * page,
            flash_bytes=flash * page,
            page_bytes=page,
            source_bytes=curve.distinct_pages * page,
            options={},
        ).bytes
        assert taxed
        assert stated[name].ram_tax_bytes == int(taxed)
        counters = replay(
            Trace(TRACE),
            "flash_cache",
            name,
            ram - math.ceil(taxed / page),
            flash,
            warm_up=curve.accesses // 2,
            options=dict(stated[name].options),
        )
        cost = price(counters, flash=catalog.device(FLASH), disk=catalog.device(DISK))
        assert stated[name].io_time_us_per_access == pytest.approx(
            cost.io_time_us_per_access
        )


def test_one_machine_for_all_has_the_same_replay_of_page_flow_whatever_production_states(
    curve: Curve,
) -> None:
    profiled = profile(Trace(TRACE))
    ram, flash = sizes(curve)
    counters = replay(
        Trace(TRACE), "scheme", "lazy", ram, flash, warm_up=curve.accesses // 2
    )
    accesses = counters["accesses"]
    for machines in (1, 2, 3, 7):
        production = Production(
            data_bytes=curve.distinct_pages * curve.page_bytes,
            accesses_per_s=RATE,
            machines=machines,
        )
        found = ask(
            scale.answer(profiled, production).profile.curve.from_start("steady"),
            "lazy",
            (),
            have=have(curve, "lazy"),
        )
        (own,) = (
            each
            for each in found.checked
            if each.option.kind == "have" and each.option.scheme == "lazy"
        )
        times = {
            (tier, operation): service_us(
                catalog.device(device), operation, curve.page_bytes
            )
            for tier, device in (("flash", FLASH), ("hdd", DISK))
            for operation in ("read", "write")
        }
        us = sum(
            counters[name] / accesses * (times[of] or math.nan)
            for name, of in (
                ("flash_hits", ("flash", "read")),
                ("flash_writes", ("flash", "write")),
                ("hdd_reads", ("hdd", "read")),
                ("hdd_writes", ("hdd", "write")),
            )
        )
        assert own.simulated == pytest.approx(us, rel=1e-9), machines


def test_metadata_and_rate_are_of_one_machine_of_the_hardware(curve: Curve) -> None:
    """Four times the recording on four machines: each is what was recorded, at a quarter of the load."""
    profiled = profile(Trace(TRACE))
    recorded_per_s = curve.accesses / (profiled.duration_s or 0.0)
    rows = on_machines(4, 4, 1, ("bcache", "l2arc"))
    assert float(rows["l2arc"].options["stretch"]) == pytest.approx(
        recorded_per_s / RATE
    )
    assert f"to run at {rate_text(RATE)} accesses/s" in rows["l2arc"].pace
    page = curve.page_bytes
    ram, flash = (each // 4 * 4 for each in sizes(curve))
    for name, row in rows.items():
        one = ram_tax.tax(
            name,
            ram_bytes=ram * page,
            flash_bytes=flash * page,
            page_bytes=page,
            source_bytes=curve.distinct_pages * page,
            options={},
        ).bytes
        assert one
        assert row.ram_tax_bytes == int(4 * one)
        assert row.reason == ""
    counters = replay(
        Trace(TRACE),
        "flash_cache",
        "bcache",
        ram - math.ceil((rows["bcache"].ram_tax_bytes or 0) / 4 / page),
        flash,
        warm_up=curve.accesses // 2,
    )
    cost = price(counters, flash=catalog.device(FLASH), disk=catalog.device(DISK))
    assert rows["bcache"].io_time_us_per_access == pytest.approx(
        cost.io_time_us_per_access
    )


def test_the_least_io_time_is_sought_on_every_finalist(curve: Curve) -> None:
    found = advice.answer(
        curve,
        accesses_per_s=RATE,
        candidates=replace(
            DEVICES_ALONE, devices=(SHELF[1], SHELF[2]), flash_caches=("larc", "cac")
        ),
        prices=book(**PRICES),
        objective="io_time",
        constraints={"ram_bytes": sizes(curve)[0] * curve.page_bytes * 2},
        trace=Trace(TRACE),
        how_sure=False,
    )
    assert found.recommendation is not None
    best = found.recommendation.io_time_us_per_access
    assert best is not None
    replayed = [
        each.io_time_us_per_access
        for each in found.flash_caches
        if each.io_time_us_per_access is not None and not each.breaks
    ]
    flows = [each.simulated for each in found.checked if each.simulated is not None]
    assert best <= min([*flows, *replayed]) * (1 + _caches.EQUAL) or not replayed


def test_of_hardware_that_is_not_recommended_the_answer_says_nothing(
    curve: Curve,
) -> None:
    asked = _asked.asked_of(
        curve,
        (RATE, None),
        replace(INSTANCE, flash_caches=("larc",)),
        have(curve, "lazy"),
        {},
        "io_time",
        None,
        36,
        (None, None),
        0,
    )
    table = Table.of(asked.setting)
    at = table.have_at
    assert at is not None
    replays = _checked.by_trace(curve, Trace(TRACE), None)
    finalists = _checked.replayed(table, [at], replays)
    chosen = _choice.chosen_of(asked, table)
    tried = _caches.tried(asked, table, chosen, finalists, at, replays)
    found = replace(tried, chosen=None)
    assert "on this hardware" in _caches.sentence(
        asked, finalists, found, table, chosen, at
    )
    assert _caches.sentence(asked, finalists, found, table, chosen, at + 1) == ""


def test_the_report_and_the_command_show_them(
    curve: Curve, whole: Advice, tmp_path: Path
) -> None:
    text = html(whole.to_dict(), title="A test")
    assert "Flash caches replayed" in text
    assert "under LARC with admission by relation" in text
    assert "recommended" in text
    profiled = tmp_path / "p.json"
    profiled.write_text(json.dumps(profile(Trace(TRACE)).to_dict()))
    there = tmp_path / "have.toml"
    ram, flash = (each * curve.page_bytes for each in sizes(curve))
    there.write_text(
        f'machines = 1\nram = {ram}\nflash = {flash}\nflash_device = "{FLASH}"\n'
        f'flash_devices = 1\ndisk_device = "{DISK}"\ndisks = {DISKS}\nscheme = "inclusive"\nusd_per_month = 10\n'
    )
    candidates = tmp_path / "candidates.toml"
    candidates.write_text(
        'servers = ["aws-i4i.4xlarge"]\nflash_caches = ["cac", "cachesack"]\n'
    )
    done = run(
        "advise",
        str(profiled),
        "--accesses-per-second",
        str(RATE),
        "--have",
        str(there),
        "--candidates",
        str(candidates),
        "--trace",
        str(TRACE),
    )
    assert done.returncode == 0, done.stderr
    assert "flash caches replayed on 9.7 MiB of RAM" in done.stdout
    assert "CAC with admission by relation" in done.stdout
    assert "Admission by relation: Of " in done.stdout


def test_notes_of_what_is_not_recommended_stand_beside_it(curve: Curve) -> None:
    whole = ask(curve, duration_s=curve.accesses / RATE)
    [chosen] = [each for each in whole.flash_caches if each.is_chosen]
    assert chosen.warnings == ()
    rows = rows_of(whole)
    # The cut lasts some seconds, and dm-cache demotes by the minute.
    [note] = rows["dm_cache"].warnings
    assert note.name == "nothing_demoted"
    assert note.message.startswith("dm-cache demoted no block: flash is full")
    [shrunk] = rows["flashcache"].warnings
    assert shrunk.name == "defaults_shrunk"
    assert f"ways {rows['flashcache'].options['ways']} (at most" in shrunk.message
    codes = {each.code for each in whole.cautions}
    assert not codes & {"nothing_demoted", "defaults_shrunk"}
    text = html(json.loads(json.dumps(whole.to_dict(), default=str)))
    notes = text.split("What replays say of what they counted:")[1]
    assert (
        f"{rows['dm_cache'].title} on {rows['dm_cache'].hardware}: {note.message}"
        in (notes)
    )


def test_what_a_replay_counted_is_broken_and_the_rest_is_not_known(
    whole: Advice, capsys: pytest.CaptureFixture[str]
) -> None:
    played = next(
        each for each in whole.flash_caches if each.io_time_us_per_access is not None
    )
    row = replace(
        played,
        is_chosen=False,
        peak_busy=0.7003,
        breaks=("peak_busy", "restart_s"),
    )
    command._print_caches([row], {"peak_busy": "0.7"})
    told = capsys.readouterr().out
    assert "70.03 %" in told
    assert "breaks peak_busy; not known to keep restart_s" in told
    assert "not known to keep peak_busy" not in told


def test_a_share_next_to_nothing_or_to_all_has_no_more_digits_than_are_known() -> None:
    _, write = FIGURES["disk_share"]
    assert write(1.5e-11) == "under 0.01 %"
    assert write(0.99986) == "over 99.9 %"
    assert (write(0.0), write(1.0), write(0.123)) == ("0 %", "100 %", "12.3 %")
