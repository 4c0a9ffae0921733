"""CacheLib with small objects in sets beside the regions of its large ones, against a slow model and by what must hold."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_flash_systems as systems
from random_traces import traces

from tierwright._simulator import ParameterError
from tierwright.evaluate.metadata import PRESETS
from tierwright.simulate.contenders import with_streams
from tierwright.simulate.flash_device import FlashDevice, serve_requests
from tierwright.simulate.replay import contenders, replay
from tierwright.simulate.timed import Arrivals, DeviceTimes, replay_timed
from tierwright.trace.reading import Trace

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_admission
import slow_cachelib
from slow_cachelib import Request, SharedCachelib

Options = dict[str, str]
TRACES = traces(150)
COLUMNS = {
    "time": "time", "time_unit": "us", "op": "op", "device": "device",
    "offset": "offset", "offset_unit": "bytes", "size": "bytes", "size_unit": "bytes",
}  # fmt: skip
PAGE = 4096


def written(requests: list[Request], path: Path) -> Trace:
    rows = (
        f"{time},{'rw'[write]},{device},{PAGE * first},{PAGE * blocks}\n"
        for time, device, first, blocks, write in requests
    )
    path.write_text("time,op,device,offset,bytes\n" + "".join(rows))
    return Trace(path, format="csv", columns=COLUMNS)


def requests_of(draw: random.Random) -> list[Request]:
    """Draw requests of one to five blocks of two devices, near and far, that overlap now and then."""
    pages = draw.randint(4, 80)
    writes = draw.choice((0.0, 0.1, 0.5, 1.0))
    now, requests = 0, []
    for _ in range(draw.randint(1, 200)):
        now += draw.choice((0, 1, 300_000, 700_000, 40_000_000))
        device = "7" if draw.random() < 0.7 else "8"
        blocks = draw.choice((1, 1, 1, 2, 3, 5))
        first = draw.randrange(draw.choice((pages // 4, pages)))
        requests.append((now, device, first, blocks, draw.random() < writes))
    return requests


def case_of(seed: int) -> tuple[Options, list[Request], tuple[int, int]]:
    draw = random.Random(f"small {seed}")
    requests = requests_of(draw)
    options = {
        name: value
        for name, value in systems.chosen(draw, "cachelib").items()
        if name != "region_pages"
    }
    if options.get("admission") == "dynamic_random":
        options.setdefault("target_pages_per_s", "1")
        # So fast that more is written than the rate allows.
        requests = [(time // 50, *rest) for time, *rest in requests]  # type: ignore[misc]
    options["small"] = draw.choice(("0", "0", "1", "0+1", "0+2", "500"))
    options["small_by"] = draw.choice(("size", "size", "relation"))
    options["small_percent"] = str(draw.choice((10, 30, 50, 80)))
    if draw.random() < 0.8:
        options["set_objects"] = draw.choice(("1", "2", "3"))
    if draw.random() < 0.8:
        options["region_pages"] = draw.choice(("1", "2", "4"))
    return options, requests, (draw.randint(1, 8), draw.randint(24, 60))


def served(model: SharedCachelib, requests: list[Request]) -> dict[str, int]:
    for request in requests:
        model.request(request)
    return model.finish()


HAPPENED = (
    "bypassed", "flash_evictions", "flash_hits", "flash_invalidations",
    "flash_stage_out_reads", "old_versions", "requeued", "victims_found_on_flash",
)  # fmt: skip
"""What must have happened in some of the traces, or they prove little."""


@pytest.mark.random_traces
def test_every_counter_is_that_of_the_slow_model(tmp_path: Path) -> None:
    """The slow model raises where an old version would be served, or a write be lost."""
    seen: Counter[str] = Counter()
    for seed in range(TRACES):
        options, requests, sizes = case_of(seed)
        model = SharedCachelib(options, *sizes)
        expected = served(model, requests)
        trace = written(requests, tmp_path / f"{seed}.csv")
        found = replay(trace, "flash_cache", "cachelib", *sizes, options=options)
        where = f"trace {seed} with {options} over {sizes}"
        assert {key: found[key] for key in expected} == expected, where
        assert options.items() <= found["options"].items()
        seen.update(expected)
        seen["small"] += len(model.small)
        seen["large"] += len(model.numbers) - len(model.small)
        seen["sets"] += len(model.sets)
    for key in (*HAPPENED, "small", "large", "sets"):
        assert seen[key] > 0, key


@pytest.mark.random_traces
def test_behind_an_assignment_the_slow_model_hears_of_the_same(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(traces(40)):
        options, requests, sizes = case_of(seed)
        draw = random.Random(seed)
        own = {"assignment": draw.choice(("second_miss", "miss+1:never"))}
        given = {**options, **own, "categories": "relation"}
        behind: Any = slow_admission.behind(SharedCachelib)
        expected = served(behind(given, *sizes), requests)
        trace = written(requests, tmp_path / f"{seed}.csv")
        found = replay(trace, "flash_cache", "cachelib", *sizes, options=given)
        where = f"trace {seed} with {given} over {sizes}"
        assert {key: found[key] for key in expected} == expected, where
        seen.update(expected)
    for key in ("bypassed", "flash_hits", "flash_stage_out_reads"):
        assert seen[key] > 0, key


@pytest.mark.parametrize("streams", [1, 2])
def test_the_device_hears_of_sets_at_once_and_of_regions_when_they_are_full(
    streams: int, tmp_path: Path
) -> None:
    draw = random.Random(6)
    flash, block = 64, 4
    requests = [
        (at, "7", *draw.choice(((draw.randrange(60), 1), (100 + 5 * draw.randrange(40), 5))), True)
        for at in range(3000)
    ]  # fmt: skip
    options = {
        "small": "0", "small_percent": "25", "set_objects": "2", "region_pages": "8",
    }  # fmt: skip
    model = SharedCachelib(options, 3, flash)
    served(model, requests)
    frames, parts = zip(*model.heard, strict=True)
    device = FlashDevice(flash, flash * 5 // 4 // block, block, streams=streams)
    heard = serve_requests(
        device, np.array(frames), streams=np.array(parts) if streams > 1 else None
    )
    of_device = {
        "ftl_spare_percent": "25", "ftl_block_pages": str(block), "streams": str(streams),
    }  # fmt: skip
    found = replay(
        written(requests, tmp_path / "heard.csv"), "flash_cache", "cachelib", 3, flash,
        options={**options, **of_device},
    )["ftl"]  # fmt: skip
    for name in ("host_writes", "moved", "erases", "waf"):
        assert found[name] == heard[name], name
    assert found["moved"] > 0
    assert len(found["streams"]) == streams


def objects(path: Path, requests: int) -> Trace:
    """Write reads of small objects, a page each, and of a few large ones of 16 pages, both popular by Zipf."""
    draw = np.random.default_rng(5)
    is_small = draw.random(requests) < 0.98
    keys = np.empty(requests, np.int64)
    for kind, count in ((is_small, 60_000), (~is_small, 12_000)):
        weights = np.cumsum(np.arange(1.0, count + 1) ** -0.8)
        at = draw.random(int(kind.sum())) * weights[-1]
        keys[kind] = np.searchsorted(weights, at)
    rows = zip(is_small.tolist(), keys.tolist(), strict=True)
    return written(
        [
            (at, "12"[small], key if small else 16 * key, 1 if small else 16, False)
            for at, (small, key) in enumerate(rows)
        ],
        path,
    )


def test_streams_keep_small_objects_from_large_ones_on_a_device(tmp_path: Path) -> None:
    """Allison and others (EuroSys 2025): 1.3 to 1.03 with half of the device in use, 3.5 to 1.03 with all of it.

    Here with 20 % of spare space and in blocks that hold several regions, as the units of their drive do.
    """
    pages, trace = 10_000, objects(tmp_path / "objects.csv", 200_000)

    def amplified(used: float, streams: str) -> dict[str, Any]:
        options = {
            "small": "0", "small_percent": "4", "region_pages": "64",
            "replacement": "fifo", "ftl_spare_percent": str(round(120 / used) - 100),
            "ftl_block_pages": "256", "streams": streams,
        }  # fmt: skip
        found: dict[str, Any] = replay(
            trace, "flash_cache", "cachelib", 50, int(pages * used),
            options=options, warm_up=0.5,
        )["ftl"]  # fmt: skip
        return found

    half, whole = amplified(0.5, "2"), amplified(1.0, "2")
    assert half["waf"] < 1.05
    assert 1.15 < half["waf_one_stream"] < 1.5
    assert whole["waf"] < 1.1
    assert 2.5 < whole["waf_one_stream"] < 5
    # Regions are written in order and die in order: apart, none of their pages is ever copied.
    sets, regions = whole["streams"]
    assert sets["host_writes"] > regions["host_writes"] > 0 == regions["moved"]
    assert amplified(1.0, "1")["waf"] == whole["waf_one_stream"]


def test_without_small_objects_it_is_cachelib_as_ever(tmp_path: Path) -> None:
    requests = requests_of(random.Random(3))
    trace = written(requests, tmp_path / "plain.csv")
    plain = replay(trace, "flash_cache", "cachelib", 4, 40)
    stated = replay(trace, "flash_cache", "cachelib", 4, 40, options={"small": "none"})
    assert stated.pop("options") == {**plain.pop("options"), "small": "none"}
    assert stated == plain


def test_a_part_that_gets_nothing_leaves_the_other_as_it_is_alone(
    tmp_path: Path,
) -> None:
    """All large: CacheLib over the flash of the regions. All small: BigHash over as many sets, first in, first out."""
    draw = random.Random(9)
    requests: list[Request] = [
        (at, "7", draw.randrange(draw.choice((40, 400))), 1, draw.random() < 0.2)
        for at in range(6000)
    ]
    trace = written(requests, tmp_path / "parts.csv")
    shared = {"small_percent": "40", "set_objects": "3"}
    counted = (
        "flash_hits", "flash_fills", "flash_evictions", "flash_invalidations",
        "victims_found_on_flash", "hdd_writes",
    )  # fmt: skip

    def replayed(name: str, flash: int, **options: str) -> dict[str, int]:
        found = replay(trace, "flash_cache", name, 9, flash, options=options)
        return {key: found[key] for key in counted}

    large = replayed("cachelib", 100, small="3", region_pages="6", **shared)
    assert large == replayed("cachelib", 60, region_pages="6")
    small = replayed("cachelib", 100, small="0", region_pages="6", **shared)
    assert small == replayed(
        "kangaroo", 120, log_percent="0", replacement="fifo", set_pages="3"
    )
    assert small["flash_evictions"] > 0 < large["flash_evictions"]


def test_a_crash_keeps_what_is_small_and_loses_the_cache(tmp_path: Path) -> None:
    """After a cold restart both parts are empty; what the core counts it recounts."""
    draw = random.Random(11)
    requests: list[Request] = [
        (at, "7", *draw.choice(((draw.randrange(30), 1), (100 + 4 * draw.randrange(9), 4))),
         draw.random() < 0.3)
        for at in range(800)
    ]  # fmt: skip
    trace = written(requests, tmp_path / "crash.csv")
    options = {"small": "0", "small_percent": "30", "region_pages": "4"}
    accesses = sum(request[3] for request in requests[:500])
    crashed = replay(
        trace, "flash_cache", "cachelib", 4, 40,
        options={**options, "crash_at": str(accesses), "restart": "cold"},
    )  # fmt: skip
    before = served(SharedCachelib(options, 4, 40), requests[:500])
    after = SharedCachelib(options, 4, 40)
    for _, device, first, blocks, _ in requests[:500]:
        for block in range(first, first + blocks):
            page = device, block
            after.numbers.setdefault(page, len(after.numbers))
            after.space(page)
            if slow_cachelib.class_of(blocks) == 0:
                after.small.add(page)
    found = served(after, requests[500:])
    for name in ("flash_hits", "flash_fills", "flash_evictions", "hdd_writes"):
        assert crashed[name] == before[name] + found[name], name
    assert crashed["slots_used"] == found["slots_used"]
    assert crashed["crash"]["flash_pages_lost"] > 0
    with pytest.raises(ParameterError, match="no warm restart"):
        replay(
            trace, "flash_cache", "cachelib", 4, 40,
            options={**options, "crash_at": "9"},
        )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"small": "0"}, "small_percent=none`: is not stated"),
        ({"small": "0", "small_percent": "100"}, "is not a whole number from 1 to 99"),
        ({"small": "0", "small_percent": "1"}, "leaves no page of flash for sets"),
        ({"small": "0+x", "small_percent": "9"}, "is not a list of whole numbers"),
        ({"small": "5001", "small_percent": "9"}, "is not one from 0 to 5000"),
        (
            {"small": "0", "small_percent": "9", "small_by": "hour"},
            "is not one of its values",
        ),
        ({"small_percent": "9"}, "has no effect without small"),
        ({"small": "none", "set_objects": "9"}, "has no effect without small"),
        (
            {"streams": "2", "ftl_spare_percent": "9"},
            "has no effect without small",
        ),
        (
            {"small": "0", "small_percent": "9", "streams": "2"},
            "has no effect without ftl_spare_percent",
        ),
    ],
)
def test_refusals_name_the_option(
    options: Options, message: str, tmp_path: Path
) -> None:
    trace = written([(0, "7", 0, 1, False)], tmp_path / "one.csv")
    with pytest.raises(ParameterError, match=message):
        replay(trace, "flash_cache", "cachelib", 1, 40, options=options)


def test_on_simulated_time_the_same_is_counted(tmp_path: Path) -> None:
    trace = written(requests_of(random.Random(2)), tmp_path / "timed.csv")
    options = {"small": "0", "small_percent": "30", "set_objects": "2"}
    plain = replay(trace, "flash_cache", "cachelib", 2, 30, options=options)
    times = DeviceTimes(1, 2, *[1e-4] * 6)
    timed = replay_timed(
        trace, "cachelib", 2, 30, options=options,
        arrivals=Arrivals("trace"), flash=times, disk=times,
    )  # fmt: skip
    assert {name: timed[name] for name in plain} == plain
    assert plain["flash_stage_out_reads"] > 0


def test_a_category_that_the_trace_lacks_is_named(tmp_path: Path) -> None:
    requests: list[Request] = [(0, "7", 0, 1, False), (1, "7", 8, 5, False)]
    trace = written(requests, tmp_path / "two.csv")

    def named(small: str) -> list[str]:
        options = {"small": small, "small_percent": "30"}
        found = replay(trace, "flash_cache", "cachelib", 1, 40, options=options)
        return [each["message"] for each in found["warnings"] if "small" in each["message"]]  # fmt: skip

    assert named("0+2") == []
    [message] = named("0+3")
    assert "category 3" in message
    assert "in the trace is 2" in message


def test_its_memory_is_that_of_both_parts() -> None:
    """Eight bytes for each large page, and for the filter of each set of a page: one figure whatever the share."""
    pages = 1_000_000
    small = PRESETS["bighash"].ram_bytes(pages * PAGE * 3 // 10)
    large = PRESETS["cachelib"].ram_bytes(pages * PAGE * 7 // 10, page_bytes=PAGE)
    whole = PRESETS["cachelib"].ram_bytes(pages * PAGE, page_bytes=PAGE)
    assert float(small + large) == float(whole)


def test_its_streams_are_of_small_objects_alone() -> None:
    """So what asks every system with streams for two does not ask CacheLib, which has one without small objects."""
    assert with_streams() == {"kangaroo"}
    [listed] = [
        each["options"]
        for each in contenders("flash_cache")
        if each["name"] == "cachelib"
    ]
    assert {"small", "streams"} <= {option["name"] for option in listed}
