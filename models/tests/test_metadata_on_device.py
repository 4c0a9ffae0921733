"""The metadata of a flash cache on the device under it, against slow models that say where each write goes."""

import random
import sys
from pathlib import Path
from typing import Any

import pytest
from random_traces import traces
from test_flash_systems import Options, Step, chosen, sized, written

from tierwright._simulator import ParameterError
from tierwright.simulate.erase_blocks import FEW_BLOCKS
from tierwright.simulate.flash_device import FlashDevice, serve_requests
from tierwright.simulate.replay import contenders, replay
from tierwright.trace.reading import Trace

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_flash_caches
import slow_kangaroo
import slow_systems
import slow_systems_today

assert slow_systems_today.MODELS is slow_kangaroo.MODELS

OF_PAPER: dict[str, dict[str, tuple[str, ...]]] = {
    "face": {
        "mode": ("write_back", "write_through", "write_around", "write_around"),
        "admission": ("mixed", "clean_only", "clean_only"),
        "replacement": ("gsc", "mvfifo"),
        "metadata_segment_entries": ("1", "3", "300", "700"),
        "checkpoint_accesses": ("20", "90"),
    },
    "lazy_cleaning": {
        "mode": ("write_back", "write_through"),
        "admission": ("mixed", "clean_only", "dirty_only"),
        "dirty_threshold": ("0.1", "0.5"),
        "directory": ("memory", "persistent", "persistent"),
    },
}
MODELS: dict[str, Any] = {**slow_flash_caches.MODELS, **slow_systems.MODELS}
APART = "cachelib"
"""Its device hears of whole regions, which have a model of their own, and no metadata."""
SMALL = {
    "bcache": {"metadata_keys": ("1", "5", "341")},
    "l2arc": {"write_max_pages_per_s": ("100", "700")},
}
"""Options with which more is written than with those of the models of counters alone."""
WITHOUT = ("kangaroo", "ram_filter", "sce")
"""Flash caches that write no metadata."""
IN_ORDER = ("face", "l2arc", "ram_filter")
"""Those that append data in the order in which they go, so that hardly a page is copied."""
ENOUGH = 900
"""Flash pages whose metadata fill several pages."""
TRACES = traces(24)


def accesses(
    draw: random.Random, pages: int, count: int, writes: float = 0.6, slower: int = 1
) -> list[Step]:
    """Draw accesses, with a gap now and then."""
    now, steps = 0, []
    for at in range(count):
        now += slower * draw.choice((0, 1, 1000, 3000))
        if draw.random() < 0.005:
            now += draw.choice((1_000_000, 40_000_000))
        block = draw.randrange(draw.choice((pages, pages // 8 + 1)))
        if draw.random() < 0.2:
            block = at % pages
        relation = "1/1" if draw.random() < 0.8 else "1/2"
        steps.append((now, (relation, block), draw.random() < writes))
    return steps


def options_of(draw: random.Random, name: str) -> Options:
    if name in OF_PAPER:
        return {
            option: draw.choice(values)
            for option, values in OF_PAPER[name].items()
            if draw.random() < 0.7
        }
    options = chosen(draw, name)
    for option, values in SMALL.get(name, {}).items():
        options[option] = draw.choice(values)
    if options.get("admission") == "dynamic_random":
        options.setdefault("target_pages_per_s", "50")
    return options


def case_of(name: str, seed: int) -> tuple[Options, list[Step], tuple[int, int]]:
    draw = random.Random(f"metadata {name} {seed}")
    is_large = seed % 4 == 0
    flash = draw.randint(ENOUGH, 2 * ENOUGH) if is_large else draw.randint(20, 90)
    steps = accesses(draw, 2 * flash, 4000 if is_large else 500)
    options, ram = options_of(draw, name), draw.randint(1, 12)
    if name == "kangaroo":
        options, flash = sized(options, flash)
    if name == "l2arc":
        # It is fed by the second with pages that have not changed, in DRAM of which headers take a part.
        ram, options["ram_policy"] = flash // 4, "lru"
        options.pop("headers_per_page", None)
        steps = accesses(draw, 2 * flash, len(steps), writes=0.15, slower=100)
    return options, steps, (ram, flash)


def heard(
    model: Any, flash: int, *, spare: int, block: int
) -> tuple[dict[str, Any], int]:
    """Serve what a slow model wrote, and count the pages that are laid out."""
    places, pages = slow_systems.laid_out(
        model.to_device, flash, model.metadata(), shares_log=model.SHARES_LOG
    )
    physical = -(-pages * (100 + spare) // 100)
    device = FlashDevice(pages, -(-physical // block), block)
    return serve_requests(device, places), pages


def on_device(
    trace: Trace, name: str, sizes: tuple[int, int], options: Options
) -> dict[str, Any]:
    device = {"ftl_spare_percent": "60", "ftl_block_pages": "4"}
    found: dict[str, Any] = replay(
        trace, "flash_cache", name, *sizes, options=device | options
    )
    return found


def test_every_flash_cache_has_a_slow_model_here() -> None:
    assert set(MODELS) == {each["name"] for each in contenders("flash_cache")}


@pytest.mark.parametrize("name", sorted(set(MODELS) - {APART}))
@pytest.mark.random_traces
def test_a_device_hears_of_data_and_metadata_as_the_slow_model_lays_them_out(
    name: str, tmp_path: Path
) -> None:
    metadata = moved = 0
    for seed in range(TRACES):
        options, steps, sizes = case_of(name, seed)
        trace = written(steps, tmp_path / "trace.csv")
        model = MODELS[name](options, *sizes)
        for time, page, write in steps:
            model.access(time, page, write=write)
        model.finish()
        expected, pages = heard(model, sizes[1], spare=60, block=4)
        found = on_device(trace, name, sizes, options)
        ftl, where = found["ftl"], f"trace {seed} with {options} over {sizes}"
        for figure in ("host_writes", "moved", "erases", "used_pages", "wear"):
            assert ftl[figure] == expected[figure], f"{figure} of {where}"
        assert ftl.get("metadata_pages", 0) == pages - sizes[1], where
        assert ftl.get("metadata_writes", 0) == found["metadata_page_writes"], where
        written_pages = found["flash_writes"] + found["metadata_page_writes"]
        assert ftl["host_writes"] == written_pages, where
        metadata += found["metadata_page_writes"]
        moved += ftl["moved"]
    assert (metadata > 0) == (name not in WITHOUT)
    assert moved > 0 or name in IN_ORDER


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tac", {}),
        ("larc", {"directory": "persistent"}),
        ("bcache", {"metadata_keys": "5"}),
        ("face", {"mode": "write_around", "metadata_segment_entries": "7"}),
        ("open_cas", {"mode": "write_back", "cleaning": "nop"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("restart", ["warm", "cold"])
def test_metadata_are_heard_of_through_a_crash_and_after_a_warm_up(
    name: str, options: Options, restart: str, tmp_path: Path
) -> None:
    trace = written(accesses(random.Random(name), 200, 3000), tmp_path / "a.csv")
    crash = {"crash_at": "1500", "restart": restart}
    found = on_device(trace, name, (5, 100), {**options, **crash})
    assert found["ftl"]["metadata_writes"] == found["metadata_page_writes"] > 0
    device = {"ftl_spare_percent": "60", "ftl_block_pages": "4"}
    later = replay(
        trace, "flash_cache", name, 5, 100, options=device | options, warm_up=1000
    )
    assert later["ftl"]["metadata_writes"] == later["metadata_page_writes"]
    written_pages = later["flash_writes"] + later["metadata_page_writes"]
    assert later["ftl"]["host_writes"] == written_pages
    assert 0 < later["metadata_page_writes"] < found["metadata_page_writes"]


def test_a_device_changes_no_counter_and_says_where_metadata_lie(
    tmp_path: Path,
) -> None:
    trace = written(accesses(random.Random(3), 200, 3000), tmp_path / "a.csv")
    for name in sorted(MODELS):
        bare = replay(trace, "flash_cache", name, 5, 100)
        found = on_device(trace, name, (5, 100), {})
        # So little flash has few erase blocks, which is said of the device alone.
        aside = {"ftl": 0, "options": 0, "warnings": 0}
        assert {**found, **aside} == {**bare, **aside}
        named = [
            {each["name"] for each in of["warnings"]} - {FEW_BLOCKS}
            for of in (found, bare)
        ]
        assert named[0] == named[1]
        words = found["ftl"].get("metadata_layout", "")
        assert bool(words) == (found["ftl"].get("metadata_pages", 0) > 0)
        assert bool(words) or found["metadata_page_writes"] == 0


def test_metadata_written_in_place_do_not_go_to_zones(tmp_path: Path) -> None:
    trace = written(accesses(random.Random(3), 200, 3000), tmp_path / "a.csv")
    zones = {"ftl_mapping": "zones", "ftl_block_pages": "10", "metadata_segment_entries": "9"}  # fmt: skip
    found = on_device(trace, "face", (5, 95), zones)["ftl"]
    assert (found["waf"], found["moved"]) == (1, 0)
    assert found["metadata_writes"] > 0
    with pytest.raises(ParameterError, match="is not where its zone was written"):
        on_device(trace, "face", (5, 95), {**zones, "mode": "write_around"})


def test_more_keys_than_a_page_holds_are_refused(tmp_path: Path) -> None:
    trace = written(accesses(random.Random(3), 20, 30), tmp_path / "a.csv")
    on_device(trace, "bcache", (5, 95), {"metadata_keys": "341"})
    with pytest.raises(ParameterError, match="metadata_keys"):
        on_device(trace, "bcache", (5, 95), {"metadata_keys": "342"})
