"""Units of flash caches in a replay of production: a share of flash where they fill in order, and said wherever they are."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import recordings
from command import answer as printed
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import advice, cachesack, course, scale, sweep
from tierwright.advise.advice.request import Candidates, Have
from tierwright.advise.checks import cachesack as checked_choice
from tierwright.advise.checks import flash_caches as beside
from tierwright.advise.checks.points import recorded_replays
from tierwright.advise.in_production import corresponding
from tierwright.advise.sweep import Sweep
from tierwright.evaluate.metadata import FACE_ENTRY_BYTES, preset
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.ram_tax import tax
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.hardware import catalog
from tierwright.profile.categories import measured
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.priced import price
from tierwright.simulate.replay import Replay, contenders, replay
from tierwright.simulate.scaled_units import (
    ADJACENT,
    ENTRY_BYTES,
    IN_ORDER,
    FlashStandIn,
    units_of,
    units_sentence,
)
from tierwright.simulate.timed import Arrivals
from tierwright.trace.reading import Trace

TRACE = Trace(recordings.canonical("tpcc-20w-cut"))
PAGE = 8192
TIB = 2**40
RAM, FLASH = TIB // 2 // PAGE, TIB // PAGE
DEVICE = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-x18-18tb")
SMALL = FlashStandIn(FLASH, 10_175, PAGE)
HALF = FlashStandIn(200_000, 100_000, PAGE)
OF_A_SET = {
    ("enhanceio", "ways"),
    ("flashcache", "ways"),
    ("kangaroo", "set_pages"),
}
"""Of these there are fewer on less flash: a hash chooses the set."""


@cache
def recording() -> Profile:
    return profile(TRACE)


@cache
def production() -> Curve:
    """4 TiB at 20,000 accesses a second: 13,000 times what the recording touches."""
    made = scale.answer(recording(), Production(4 * TIB, 20_000.0))
    return made.profile.curve.from_start("steady")


def stand_in(name: str, **options: str) -> Replay:
    asked = Replay("flash_cache", name, RAM, FLASH, 0, options)
    made, _ = recorded_replays({"": asked}, production().scaled, page_bytes=PAGE)
    return made[""]


@cache
def counted(name: str, **options: str) -> dict[str, Any]:
    at = stand_in(name, **options)
    return replay(
        TRACE,
        "flash_cache",
        name,
        at.ram_pages,
        at.flash_pages,
        options=at.options,
        warm_up=0.5,
    )


# --- which units ---------------------------------------------------------------------------------------


def test_of_every_unit_of_flash_it_is_decided_what_a_smaller_flash_does_to_it() -> None:
    """A new unit of the core has to be put to one of them."""
    capped = {
        (row["name"], option["name"])
        for row in contenders("flash_cache")
        for option in row["options"]
        if "at most 1/16 of flash" in option["default"]
    }
    decided = {*IN_ORDER.items(), *ADJACENT.items(), *OF_A_SET}
    # A segment of Kangaroo is bounded by the part of its log.
    assert decided - capped == {("kangaroo", "segment_pages")}
    assert capped <= decided


@pytest.mark.oracle("simulate.scaled_units.units_of")
def test_units_that_fill_in_order_are_the_share_of_flash_that_they_are_in_production() -> (
    None
):
    assert units_of("cachelib", {}, HALF).options == {"region_pages": "1024"}
    assert units_of("bcache", {}, HALF).options == {"bucket_pages": "32"}
    assert units_of("face", {}, HALF).options == {}
    larger = FlashStandIn(4_000_000, 2_000_000, PAGE)
    assert units_of("kangaroo", {}, larger).options == {"segment_pages": "32"}
    # 32,000 entries are 125 pages of 256.
    assert units_of("face", {}, larger).options == {"metadata_segment_entries": "32000"}
    assert ENTRY_BYTES == FACE_ENTRY_BYTES


def test_a_unit_is_at_least_a_page_and_a_segment_of_entries_fills_one() -> None:
    assert units_of("cachelib", {}, SMALL).options == {"region_pages": "1"}
    assert units_of("face", {}, SMALL).options == {"metadata_segment_entries": "256"}
    # So its metadata are written in as many pages as in production, 250 for each 64,000.
    found = counted("face")
    entries = found["flash_writes"]
    assert found["metadata_page_writes"] == pytest.approx(entries * 250 / 64_000, abs=1)


@pytest.mark.parametrize(
    ("name", "option"), [*IN_ORDER.items(), *ADJACENT.items(), *sorted(OF_A_SET)]
)
def test_a_unit_that_is_given_is_never_changed(name: str, option: str) -> None:
    for spelling in (option, option.replace("_", "-")):
        assert option not in units_of(name, {spelling: "7"}, SMALL).options
    assert stand_in("bcache", bucket_pages="64").options == {"bucket_pages": "64"}


def test_sets_and_units_of_adjacent_pages_stay_as_they_are() -> None:
    for name in ("flashcache", "enhanceio", "dm_cache", "sce", "open_cas"):
        assert units_of(name, {}, SMALL).scaled == ()
        assert units_of(name, {}, HALF).scaled == ()
    assert "set_pages" not in units_of("kangaroo", {}, SMALL).options


def test_a_unit_of_adjacent_pages_is_said_where_it_is_large() -> None:
    assert units_sentence([("dm_cache", units_of("dm_cache", {}, SMALL))]) == (
        "block_pages 32 of dm-cache (smq) is 1/318 of the flash that is replayed, and 1/4,194,304 of that of production: the "
        "replay has far fewer such units."
    )
    for name, options in (
        ("dm_cache", {"block_pages": "1"}),
        ("open_cas", {}),
        ("dm_cache", {"block_pages": "x"}),
    ):
        assert units_sentence([(name, units_of(name, options, SMALL))]) == ""
    assert units_sentence([("dm_cache", units_of("dm_cache", {}, HALF))]) == ""
    # So is one that is given and would have been scaled.
    larger = units_of("bcache", {"bucket_pages": "64"}, SMALL)
    assert "bucket_pages 64 of bcache is 1/159 of the flash" in units_sentence(
        [("bcache", larger)]
    )


def test_without_another_flash_nothing_is_said() -> None:
    for flash in (FlashStandIn(5000, 5000, PAGE), FlashStandIn(0, 0, PAGE)):
        for row in contenders("flash_cache"):
            found = units_of(row["name"], {}, flash)
            assert found.scaled == ()
            assert found.large == ()
    assert units_of("lazy", {}, SMALL).options == {}
    # The limit makes them the same share of both.
    both = FlashStandIn(24_000, 6_000, PAGE)
    assert units_of("cachelib", {}, both).options == {}


def test_over_a_device_a_unit_keeps_its_part_of_an_erase_block() -> None:
    """Smaller ones would be copied as production's, which die with whole blocks, are not."""
    device = {"ftl_spare_percent": "7"}
    assert units_of("bcache", device, SMALL).options == {"bucket_pages": "25"}
    assert "beside an erase block as in production" in units_sentence(
        [("bcache", units_of("bcache", device, SMALL))]
    )
    whole = units_of("cachelib", device, SMALL)
    assert whole.options == {}
    assert "region_pages 635 of CacheLib" in units_sentence([("cachelib", whole)])
    assert counted("cachelib", **device)["ftl"]["waf"] < 1.5
    small = counted("cachelib", region_pages="1", **device)
    assert small["ftl"]["waf"] > 5
    for none in ({"ftl_spare_percent": "0"}, {**device, "ftl_block_pages": "x"}):
        assert units_of("bcache", none, SMALL).options == {"bucket_pages": "1"}


def test_kangaroo_without_a_log_has_no_segment() -> None:
    for none in ({"log_percent": "0"}, {"log_percent": "x"}, {"partitions": "x"}):
        assert units_of("kangaroo", none, SMALL).options == {}
    one = {"partitions": "1"}
    assert units_of("kangaroo", one, HALF).options == {"segment_pages": "32"}


@pytest.mark.formula("simulate.scaled_units.units_of")
@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(IN_ORDER)),
    st.integers(1, 10**9),
    st.integers(1, 10**6),
    st.sampled_from([512, 4096, 8192, 65_536]),
    st.booleans(),
)
def test_whatever_the_sizes_the_core_takes_the_unit(
    name: str, pages: int, replayed: int, page_bytes: int, has_device: bool
) -> None:
    options = {"ftl_spare_percent": "7"} if has_device else {}
    flash = FlashStandIn(pages, replayed, page_bytes)
    found = units_of(name, options, flash)
    for each in found.scaled:
        assert 1 <= each.value <= max(1, replayed // 16)
    if found.scaled and name != "face":
        # It is no larger part of flash than in production, but for a single page, or beside a block.
        [one] = found.scaled
        most = 1.5 * replayed / one.in_flash + 1
        assert one.value <= most or one.kind == "block"


# --- what that counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "unit", "before", "hits"),
    [
        ("bcache", {"bucket_pages": "1"}, {"bucket_pages": "64"}, (6_612, 8_934)),
        ("cachelib", {"region_pages": "1"}, {"region_pages": "635"}, (12_283, 13_262)),
    ],
)
def test_a_small_part_of_the_flash_of_production_has_small_units(
    name: str, unit: dict[str, str], before: dict[str, str], hits: tuple[int, int]
) -> None:
    """What a large unit costs there, production, of which it is a millionth, does not lose."""
    found = counted(name)
    assert found["flash_pages"] == 10_175
    assert found["options"].items() >= unit.items()
    assert found == counted(name, **unit)
    assert (counted(name, **before)["flash_hits"], found["flash_hits"]) == hits


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *((name, {}) for name in sorted({*IN_ORDER, "flashcache", "open_cas"})),
        ("bcache", {"bucket_pages": "1"}),
        ("bcache", {"bucket_pages": "64"}),
    ],
)
def test_the_ram_of_the_directory_is_that_of_production(
    name: str, unit: dict[str, str]
) -> None:
    """Of the documented unit, or of the one that is given: not of the one that was replayed."""
    wanted = tax(
        name,
        ram_bytes=RAM * PAGE,
        flash_bytes=FLASH * PAGE,
        page_bytes=PAGE,
        source_bytes=production().data_pages * PAGE,
        options=unit,
    )
    assert swept(name, unit).rows[0].ram_tax_bytes == wanted.bytes


# --- every door ----------------------------------------------------------------------------------------

SAID = (
    "Defaults in force of bcache: bucket_pages 1 (no less than a page; in production the documented 512 KiB, 1/2,097,152 of "
    "flash)."
)


def swept(name: str, options: dict[str, str] | None = None) -> Sweep:
    return sweep.answer(
        TRACE,
        [name],
        ram_pages=[RAM],
        flash_pages=[FLASH],
        options={name: options or {}},
        production=production(),
    )


def test_a_sweep_of_python_replays_it_and_says_so() -> None:
    found = swept("bcache")
    [row] = found.rows
    assert row.options["bucket_pages"] == "1"
    assert row.counters["flash_hits"] == 8_934
    [note] = [each for each in found.warnings if each.name == "replayed_scaled_down"]
    assert SAID in note.message
    larger = {"bucket_pages": "64"}
    assert swept("bcache", larger).rows[0].counters["flash_hits"] == 6_612


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    path: Path = tmp_path_factory.mktemp("units") / "scaled.json"
    Profile(production(), None).write(path)
    return [TRACE.path, "--profile", path]


SIZES = ("--scheme", "bcache", "--ram-pages", "512GiB", "--flash-pages", "1TiB")


def test_the_commands_replay_it_and_say_so(stated: list[object]) -> None:
    [row] = printed("sweep", *stated, *SIZES)
    one = printed("simulate", *stated, *SIZES)
    for found in (row, one):
        assert found["options"]["bucket_pages"] == "1"
        assert found["flash_hits"] == 8_934
        assert SAID in found["production"]["sentence"]
    plain = tax(
        "bcache",
        ram_bytes=RAM * PAGE,
        flash_bytes=FLASH * PAGE,
        page_bytes=PAGE,
        source_bytes=0,
    )
    assert row["ram_tax_bytes"] == one["ram_tax"]["bytes"] == plain.bytes
    for command in ("sweep", "simulate"):
        text = run(command, *stated, *SIZES).stdout
        assert text.count("bucket_pages") == 1
        assert SAID in text
        # Those that the page of the trace changed stand where they always did.
        assert "sequential_cutoff_pages 512 (4 MiB in pages of 8 KiB)" in text
    larger = printed("simulate", *stated, *SIZES, "--option", "bucket_pages=64")
    assert larger["flash_hits"] == 6_612
    assert larger["ram_tax"]["bytes"] == plain.bytes


def test_checks_replay_it_and_say_so() -> None:
    curve = production()
    found = beside.replayed(
        evaluate(curve, ram_pages=RAM, flash_pages=FLASH, flash=DEVICE, disk=DISK),
        curve,
        TRACE,
        ["bcache"],
        flash=DEVICE,
        disk=DISK,
    )
    [hits] = [
        row for row in found.rows if (row.of, row.figure) == ("bcache", "flash hits")
    ]
    assert hits.simulated == 8_934 / counted("bcache")["accesses"]
    assert SAID in found.finding


def test_a_course_replays_it_and_says_so() -> None:
    curve = production()
    found = {
        "system": "bcache",
        "ram_pages": RAM,
        "flash_pages": FLASH,
        "hierarchy": Hierarchy(DEVICE, DISK, disks=16),
        "arrivals": Arrivals("clients", clients=50),
        "scaled": curve.scaled,
    }
    plan = course.CoursePlan(curve=curve, **found)
    assert plan.replay(9).options == {"bucket_pages": "1"}
    larger = course.CoursePlan(curve=curve, **found, options={"bucket_pages": "64"})
    assert larger.replay(9).options == {"bucket_pages": "64"}
    [note] = [
        each
        for each in course.answer(TRACE, curve, **found).warnings
        if each.name == "replayed_scaled_down"
    ]
    assert SAID in note.message
    # Of the recording itself there is nothing to say.
    own = recording().curve
    sizes = {"ram_pages": 5_088, "flash_pages": 10_175, "scaled": None}
    assert course.CoursePlan(curve=own, **{**found, **sizes}).replay(9).options == {}


def test_what_to_cache_replays_it_and_says_so() -> None:
    counts = measured(TRACE, 5_088)
    asked = {
        "flash": DEVICE,
        "disk": DISK,
        "prices": catalog.price_book("street-2026-q3"),
    }
    large = cachesack.answer(
        counts, flash_pages=10_175, production_pages=(RAM, FLASH), **asked
    )
    replays = checked_choice.wanted(large, "bcache")
    assert {each.options["bucket_pages"] for each in replays.values()} == {"1"}
    own = cachesack.answer(counts, flash_pages=10_175, **asked)
    for each in checked_choice.wanted(own, "bcache").values():
        assert "bucket_pages" not in each.options


def test_an_advice_replays_it_and_says_so() -> None:
    found = advice.answer(
        production(),
        candidates=Candidates(kinds=("instances",), flash_caches=("bcache",)),
        have=Have(
            machines=1,
            ram_bytes=RAM * PAGE,
            disk=DISK,
            disks=200,
            flash_bytes=FLASH * PAGE,
            flash=DEVICE,
            flash_devices=1,
            scheme="inclusive",
            usd_per_month=Decimal(10),
        ),
        trace=TRACE,
        how_sure=False,
    )
    [row] = found.flash_caches
    alone = price(counted("bcache"), flash=DEVICE, disk=DISK)
    # Its metadata leave 76.8 MiB less RAM, a page of the replay.
    assert row.io_time_us_per_access == pytest.approx(
        alone.io_time_us_per_access, rel=1e-3
    )
    assert row.options["bucket_pages"] == "1"
    assert row.ram_tax_bytes == 80_530_637
    [note] = [note for note in row.warnings if note.name == "defaults_shrunk"]
    assert note.message == SAID.removesuffix(".")


def test_where_a_replay_is_made_for_production_units_are_told_beside_its_sizes() -> (
    None
):
    asked = Replay("flash_cache", "cachelib", RAM, FLASH, 0)
    [there] = corresponding(production(), [asked], steady=True)
    assert there.units.options == {"region_pages": "1"}
    assert there.sizes is not None
    assert "region_pages 1" in there.sizes.sentence
    charged = sweep.ram_left(
        preset("bcache"),
        "bcache",
        RAM,
        FLASH,
        page_bytes=PAGE,
        distinct_pages=production().data_pages,
    )
    # Metadata that are charged are of the documented units.
    assert charged is not None
    assert RAM - charged < 20_000


# --- as much data as was recorded, at another rate -----------------------------------------------------


@cache
def quicker() -> Curve:
    """As much data a machine as was recorded, at 200,000 accesses a second: 2.9 times the recorded rate."""
    data = recording().curve.distinct_pages * PAGE
    made = scale.answer(recording(), Production(data, 200_000.0))
    return made.profile.curve.from_start("steady")


def test_what_works_by_the_clock_is_replayed_at_the_rate_of_production(
    tmp_path: Path,
) -> None:
    duration_s = recording().duration_s
    assert duration_s is not None
    stretch = recording().curve.accesses / duration_s / 200_000
    assert 0.3 < stretch < 0.4
    expected = replay(
        TRACE,
        "flash_cache",
        "l2arc",
        4_000,
        12_000,
        options={"stretch": repr(stretch)},
        warm_up=0.5,
    )
    as_recorded = replay(TRACE, "flash_cache", "l2arc", 4_000, 12_000, warm_up=0.5)
    assert expected["flash_writes"] < as_recorded["flash_writes"]
    path = tmp_path / "scaled.json"
    Profile(quicker(), None).write(path)
    asked = [TRACE.path, "--profile", path, "--scheme", "l2arc"]
    asked += ["--ram-pages", "4000", "--flash-pages", "12000"]
    of_python = sweep.answer(
        TRACE,
        ["l2arc"],
        ram_pages=[4_000],
        flash_pages=[12_000],
        production=quicker(),
    ).rows[0]
    for row in (
        printed("simulate", *asked),
        printed("sweep", *asked)[0],
        of_python.counters,
    ):
        assert row["flash_writes"] == expected["flash_writes"]
        assert row["flash_hits"] == expected["flash_hits"]
    for command in ("simulate", "sweep"):
        assert (
            "L2ARC (2026) was replayed with recorded times multiplied by 0.343 to run at 200,000 accesses/s."
            in run(command, *asked).stdout
        )
    # LARC knows no time.
    assert "multiplied" not in run("simulate", *asked[:4], "larc", *asked[5:]).stdout
