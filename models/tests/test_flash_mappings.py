"""Devices that map blocks, and zones, against slow ones written from their rules."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

from tierwright import _simulator
from tierwright.advise import flash_device as question
from tierwright.common.core_errors import ParameterError
from tierwright.common.errors import BadInput
from tierwright.simulate import replay
from tierwright.simulate.flash_device import (
    MAPPINGS,
    FlashDevice,
    Mapping,
    Part,
    serve_requests,
    simulate_writes,
)
from tierwright.trace import reading

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_mappings

ROOT = Path(__file__).resolve().parents[2]
TPCC_CUT = ROOT / "fixtures" / "traces" / "tpcc-cut.csv.zst"
BY_BLOCKS: tuple[Mapping, ...] = ("block", "bast", "fast")


def test_every_mapping_of_the_core_is_offered_and_has_a_slow_model() -> None:
    assert tuple(name for name, _, _ in _simulator.ftl_mappings()) == MAPPINGS
    assert ("page", *slow_mappings.MAPPINGS) == MAPPINGS


def requests_of(draw: random.Random, pages: int) -> list[tuple[int, bool]]:
    """Draw runs and single pages, some trimmed."""
    found: list[tuple[int, bool]] = []
    trims = draw.choice((0.0, 0.0, 0.15))
    for _ in range(draw.randint(1, 120)):
        first = draw.choice((draw.randrange(pages), draw.randrange(0, pages, 4)))
        run = draw.choice((1, 1, 1, 3, 4, 9))
        trim = draw.random() < trims
        found += [(page % pages, trim) for page in range(first, first + run)]
    return found


@pytest.mark.parametrize("mapping", BY_BLOCKS)
def test_every_counter_is_that_of_the_slow_device(mapping: Mapping) -> None:
    seen = dict.fromkeys(("full", "partial", "switch", "moved", "trims"), 0)
    for seed in range(60):
        draw = random.Random(seed)
        block_pages, pages = draw.randint(1, 6), draw.randint(2, 40)
        blocks = -(-pages // block_pages) + draw.randint(3, 6)
        device = FlashDevice(pages, blocks, block_pages, mapping=mapping)
        requests = requests_of(draw, pages)
        slow = slow_mappings.MAPPINGS[mapping](pages, blocks, block_pages)
        for page, trim in requests:
            slow.serve(page, trim=trim)
        found = serve_requests(
            device, [page for page, _ in requests], trims=[trim for _, trim in requests]
        )
        counted = {**found, **found["merges"]}
        assert {name: counted[name] for name in slow.count} == slow.count, seed
        worn = [block.erases for block in slow.blocks]
        assert (found["wear"]["least"], found["wear"]["most"]) == (min(worn), max(worn))
        assert found["used_pages"] == len(slow.newest)
        for name in seen:
            seen[name] += slow.count[name]
    # The replacement of a block always holds the others in their order.
    expected = {name for name in seen if mapping != "block" or name != "full"}
    assert {name for name, count in seen.items() if count} == expected


def test_zones_are_those_of_the_slow_host() -> None:
    refused = resets = 0
    for seed in range(60):
        draw = random.Random(seed)
        zone_pages, pages = draw.randint(1, 5), draw.randint(2, 30)
        regions = -(-pages // zone_pages)
        zones = regions + draw.randint(1, 3)
        device = FlashDevice(pages, zones, zone_pages, mapping="zones")
        slow = slow_mappings.Zones(pages, zones, zone_pages)
        requests: list[tuple[int, bool]] = []
        for _ in range(draw.randint(1, 40)):
            first = draw.randrange(regions) * zone_pages
            region = list(range(first, min(first + zone_pages, pages)))
            if draw.random() < 0.3:
                requests += [(page, True) for page in region]
            cut = len(region) if draw.random() < 0.9 else draw.randint(1, len(region))
            requests += [(page, False) for page in region[:cut]]
        if draw.random() < 0.3:
            requests.append((draw.randrange(pages), False))
        pages_of, trims = [page for page, _ in requests], [trim for _, trim in requests]
        try:
            for page, trim in requests:
                slow.serve(page, trim=trim)
        except slow_mappings.RefusedError:
            refused += 1
            with pytest.raises(ParameterError, match="mapping `zones`: page"):
                serve_requests(device, pages_of, trims=trims)
            continue
        found = serve_requests(device, pages_of, trims=trims)
        names = ("host_writes", "moved", "erases", "trims")
        assert {name: found[name] for name in names} == {
            name: slow.count[name] for name in names
        }, seed
        resets += found["erases"]
    assert refused > 5
    assert resets > 100


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_device_that_is_written_in_order_copies_nothing(mapping: Mapping) -> None:
    found = question.answer(
        FlashDevice.of_spare(4096, 0.07, 64, mapping=mapping), "sequential"
    )
    assert (found.waf, found.moved, found.closed_form) == (1, 0, 1)
    by_blocks = mapping in BY_BLOCKS
    assert (found.switch_merges > 0, found.full_merges) == (by_blocks, 0)


def test_random_writes_cost_the_old_devices_a_block_each() -> None:
    """Block mapping copies the rest of a block for a page; log blocks gather some pages first."""
    wafs = {
        mapping: question.answer(
            FlashDevice.of_spare(4096, 0.07, 64, mapping=mapping)
        ).waf
        for mapping in ("page", *BY_BLOCKS)
    }
    assert 60 < wafs["block"] <= 64
    assert wafs["page"] < 10 < wafs["fast"] < wafs["block"]
    assert wafs["bast"] < wafs["block"] + 1
    spares = question.answer(
        FlashDevice.of_spare(4096, 0.07, 64, mapping="fast"), spares=[0.07, 0.5]
    ).by_spare
    assert [(each.mapping, each.collection) for each in spares] == [("fast", None)] * 2
    assert spares[0].waf > spares[1].waf
    assert spares[0].closed_form is None


def test_findings_name_the_mapping_and_merges_are_shown_where_there_are_some() -> None:
    from command import run

    base = ["flash-device", "--pages", "2048", "--block-pages", "16", "--spare", "0.1"]
    out = run(*base, "--mapping", "bast", "--spares", "0.1").stdout
    assert "with BAST log blocks and a spare of 0.1" in out
    assert " full, " in out
    assert "| greedy" not in out
    assert "merges" not in run(*base).stdout
    zones = run(*base, "--mapping", "zones", "--workload", "sequential").stdout
    assert "writes 1.00 pages (WAF) with zones and a spare of 0.102" in zones


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"collection": "fifo"}, "collection `fifo` has no effect with mapping `bast`"),
        ({"copies": "apart"}, "copies `apart` has no effect with mapping `bast`"),
        ({"streams": 2}, "mapping `bast` has one stream"),
        ({"spare": 0.001}, "mapping `bast` needs 66 for 4,096 logical pages"),
    ],
)
def test_what_has_no_effect_or_cannot_work_is_refused(
    more: dict[str, Any], message: str
) -> None:
    asked = {"spare": 0.1, **more}
    workload: question.Workload = "hot-cold" if "streams" in more else "uniform"
    with pytest.raises((BadInput, ParameterError), match=message):
        question.answer(
            FlashDevice.of_spare(4096, asked.pop("spare"), 64, mapping="bast", **asked),
            workload,
        )


def under(name: str, **options: str) -> dict[str, Any]:
    """Replay TPC-C through a flash cache over a device."""
    found = replay.replay(
        reading.Trace(TPCC_CUT),
        "flash_cache",
        name,
        1000,
        4096,
        options={"ftl_spare_percent": "28", "ftl_block_pages": "64", **options},
    )
    ftl: dict[str, Any] = found["ftl"]
    assert ftl["host_writes"] == found["flash_writes"] + found["metadata_page_writes"]
    return ftl


def test_logs_are_written_to_zones_and_pages_in_place_are_not() -> None:
    face = under("face", ftl_mapping="zones")
    assert (face["waf"], face["moved"]) == (1, 0)
    assert face["erases"] > 0
    bcache = under("bcache", ftl_mapping="zones", bucket_pages="64")
    assert bcache["waf"] == 1
    # Regions of another size than the zone, and writes in place.
    for name, options in (("bcache", {"bucket_pages": "32"}), ("lazy_cleaning", {})):
        with pytest.raises(ParameterError, match="the device copies nothing"):
            under(name, ftl_mapping="zones", **options)


@pytest.mark.parametrize("name", ["lazy_cleaning", "exadata"])
def test_choices_lie_between_random_and_greedy_under_a_flash_cache(name: str) -> None:
    def collected(rule: str, **options: str) -> dict[str, Any]:
        return under(name, ftl_gc=rule, ftl_block_pages="32", **options)

    greedy, random = collected("greedy"), collected("random")
    # One draw is what `random` does, of the same random numbers.
    assert collected("choices", ftl_choices="1") == random
    assert collected("choices", ftl_choices="10") == collected("choices")
    wafs = [
        collected("choices", ftl_choices=draws)["waf"]
        for draws in ("1", "2", "5", "1000")
    ]
    assert wafs == sorted(wafs, reverse=True)
    assert wafs[0] > 1.1 * wafs[2]
    assert wafs[-1] == pytest.approx(greedy["waf"], rel=0.01)


def test_equal_seeds_draw_equal_blocks_under_a_flash_cache() -> None:
    for rule in ("random", "choices"):
        by_seed = [
            under("lazy_cleaning", ftl_gc=rule, ftl_seed=seed) for seed in "0770"
        ]
        assert by_seed[0] == by_seed[3] == under("lazy_cleaning", ftl_gc=rule)
        assert by_seed[1] == by_seed[2] != by_seed[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ftl_choices": "3"}, "ftl_choices=3`: has no effect with ftl_gc=greedy"),
        ({"ftl_gc": "random", "ftl_choices": "3"}, "no effect with ftl_gc=random"),
        ({"ftl_gc": "fifo", "ftl_seed": "3"}, "ftl_seed=3`: has no effect with ftl_gc=fifo"),
        ({"ftl_gc": "choices", "ftl_choices": "0"}, "not a whole number from 1 to 1000"),
        ({"ftl_gc": "choices", "ftl_mapping": "fast"}, "has no effect with ftl_mapping=fast"),
    ],
)  # fmt: skip
def test_draws_without_effect_are_refused(
    options: dict[str, str], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        under("lazy_cleaning", **options)


def test_a_scheme_draws_blocks_as_a_flash_cache_does() -> None:
    def collected(**options: str) -> dict[str, Any]:
        found = replay.replay(
            reading.Trace(TPCC_CUT), "scheme", "exclusive", 1000, 4096,
            options={"ftl_spare_percent": "28", "ftl_block_pages": "32", **options},
        )  # fmt: skip
        ftl: dict[str, Any] = found["ftl"]
        return ftl

    random = collected(ftl_gc="random")
    assert collected(ftl_gc="choices", ftl_choices="1") == random
    assert collected(ftl_gc="random", ftl_seed="4") != random
    many = collected(ftl_gc="choices", ftl_choices="1000")
    assert many["waf"] == pytest.approx(collected()["waf"], rel=0.01)
    for options in (
        {"ftl_choices": "3"},
        {"ftl_gc": "random", "ftl_choices": "3"},
        {"ftl_gc": "greedy", "ftl_seed": "3"},
    ):
        with pytest.raises(ParameterError, match="has no effect with ftl_gc"):
            collected(**options)
    with pytest.raises(ParameterError, match="has no effect without ftl_spare_percent"):
        replay.replay(
            reading.Trace(TPCC_CUT), "scheme", "exclusive", 10, 40,
            options={"ftl_choices": "3"},
        )  # fmt: skip


def test_what_trim_saves_is_counted_beside_the_same_writes_without_it() -> None:
    plain = under("exadata")
    trimmed = under("exadata", ftl_trim="true")
    assert "waf_without_trim" not in plain
    assert trimmed["waf_without_trim"] == plain["waf"]
    assert trimmed["erases_without_trim"] == plain["erases"]
    assert trimmed["waf"] < plain["waf"]
    assert trimmed["trims"] > 0 == plain["trims"]
    # A bucket that is discarded has nothing to copy.
    bcache = under("bcache", ftl_trim="true", bucket_pages="64")
    assert bcache["waf"] <= bcache["waf_without_trim"]
    assert bcache["trims"] > 0


def test_the_command_shows_the_device_and_what_trim_saved_or_added() -> None:
    from command import run

    asked = ["simulate", TPCC_CUT, "--ram-pages", 1000, "--flash-pages", 4096]
    asked += ["--option", "ftl_spare_percent=28", "--option", "ftl_block_pages=64"]
    plain = run(*asked, "--scheme", "face").stdout
    assert "flash device under it" in plain
    assert "TRIM" not in plain
    assert "merges" not in plain
    bcache = [*asked, "--scheme", "bcache", "--option", "bucket_pages=64"]
    assert (
        "flash writes saved by TRIM" in run(*bcache, "--option", "ftl_trim=true").stdout
    )
    old = run(*bcache, "--option", "ftl_mapping=fast").stdout
    assert "full merges" in old


@pytest.mark.parametrize(
    ("without", "label"), [(2.0, "flash writes saved by TRIM"), (1.0, "added by TRIM")]
)
def test_trim_is_said_to_save_or_to_add_by_its_figures(
    without: float, label: str
) -> None:
    from tierwright.cli.model import _device_facts

    none = {"full": 0, "partial": 0, "switch": 0}
    ftl = {"waf": 1.5, "waf_without_trim": without, "merges": none, "wear": {}}
    [*_, (name, share)] = _device_facts(ftl)
    assert name.endswith(label)
    assert share == ("25.0%" if without == 2.0 else "50.0%")


def test_a_scheme_trims_what_leaves_flash() -> None:
    def exclusive(**options: str) -> dict[str, Any]:
        found = replay.replay(
            reading.Trace(TPCC_CUT),
            "scheme",
            "exclusive",
            1000,
            4096,
            options={"ftl_spare_percent": "28", "ftl_block_pages": "64", **options},
        )
        ftl: dict[str, Any] = found["ftl"]
        return ftl

    plain, trimmed = exclusive(), exclusive(ftl_trim="true")
    assert trimmed["waf_without_trim"] == plain["waf"]
    assert trimmed["waf"] <= plain["waf"]
    assert trimmed["trims"] > 0


@pytest.mark.parametrize("mapping", BY_BLOCKS)
def test_a_cache_can_lie_on_a_device_of_its_time(mapping: Mapping) -> None:
    face, lazy = (
        under(name, ftl_mapping=mapping) for name in ("face", "lazy_cleaning")
    )
    assert face["waf"] < 2 < lazy["waf"]
    with pytest.raises(ParameterError, match="has no effect with ftl_mapping"):
        under("face", ftl_mapping=mapping, ftl_gc="fifo")


def test_a_buffer_stands_before_any_mapping() -> None:
    device = FlashDevice(4096, 80, 64, mapping="fast", buffer_pages=1024)
    found = simulate_writes(device, [Part(4096)], writes=8192, warm_up=8192)
    assert found["absorbed"] / found["host_writes"] == pytest.approx(0.25, abs=0.02)
