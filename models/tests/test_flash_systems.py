"""The systems of the papers, and those of today, in the core against slow models of their own, on many random traces."""

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from random_traces import traces

from tierwright._simulator import ParameterError
from tierwright.simulate import replay
from tierwright.trace import reading

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_kangaroo
import slow_systems
import slow_systems_today

assert slow_systems_today.MODELS is slow_systems.MODELS
assert slow_kangaroo.MODELS is slow_systems.MODELS

Options = dict[str, str]
Step = tuple[int, slow_systems.Page, bool]

CHOICES: dict[str, dict[str, tuple[str, ...]]] = {
    "flashcache": {
        "mode": ("write_through", "write_back", "write_around"),
        "replacement": ("fifo", "lru"),
        "ways": ("1", "3", "8"),
        "dirty_threshold": ("0.34", "0.5", "1"),
        "dirty_target": ("0", "0.2"),
    },
    "enhanceio": {
        "mode": ("write_through", "write_back", "write_around"),
        "replacement": ("fifo", "lru"),
        "ways": ("2", "7"),
    },
    "tac": {"extent_pages": ("1", "4", "9"), "aging_misses": ("1", "7", "30")},
    "exadata": {
        "mode": ("write_around", "write_back"),
        "low_priority": ("none", "0", "1"),
        "directory": ("memory", "persistent"),
    },
    "cac": {
        "mode": ("write_back", "write_through"),
        "disk_write_us": ("10", "5000"),
        "flash_write_us": ("0", "500", "4000"),
        "directory": ("memory", "persistent"),
    },
    "bcache": {
        "mode": ("write_through", "write_back", "write_back", "write_around"),
        "replacement": ("lru", "fifo", "random"),
        "bucket_pages": ("1", "2", "4"),
        "open_buckets": ("1", "2"),
        "sequential_cutoff_pages": ("0", "1", "3"),
        "cutoff_writeback": ("0", "0.7", "1"),
        "writeback_share": ("0", "0.3"),
        "writeback_delay_s": ("1", "60"),
        "metadata_keys": ("1", "5"),
        "seed": ("7", "18446744073709551615"),
    },
    "sce": {
        "mode": ("write_around", "write_through"),
        "fragment_pages": ("1", "3", "8"),
        "window": ("1", "4"),
        "period_ms": ("1", "900"),
        "flash_write_us": ("0", "2", "400000"),
        "clone_pages": ("1", "3"),
        "initial_count": ("0", "1"),
        "ceiling": ("1", "2"),
    },
    "larc": {
        "mode": ("write_back", "write_through"),
        "fill_first": ("false", "true"),
        "directory": ("memory", "persistent"),
    },
    "cachesack": {
        "categories": ("relation", "size", "hour"),
        "assignment": (
            "second_miss",
            "write",
            "never+0:second_miss*0.5*write",
            "miss+1:second_miss",
            "second_miss*0.7*miss+1:miss*0.3*never",
        ),
        "directory": ("memory", "persistent"),
    },
    "ram_filter": {
        "mode": ("write_through", "write_back"),
        "references": ("1", "3"),
        "ghost_share": ("0", "0.3"),
        "replacement": ("fifo", "clock", "clock"),
        "ram_policy": ("fifo", "lru"),
    },
    "dm_writecache": {
        "high_watermark": ("0", "30", "100"),
        "low_watermark": ("0",),
        "autocommit_blocks": ("1", "3"),
        "autocommit_time_ms": ("1", "900"),
        "writeback_pages_per_s": ("1", "3", "40"),
    },
    "open_cas": {
        "mode": (
            "write_through",
            "write_back",
            "write_back",
            "write_around",
            "write_only",
            "write_invalidate",
            "pass_through",
        ),
        "cleaning": ("alru", "acp", "nop"),
        "line_pages": ("1", "2", "4", "8"),
        "promotion": ("always", "nhit", "nhit"),
        "hits": ("1", "2", "255"),
        "trigger_percent": ("0", "50", "100"),
        "sequential_cutoff_pages": ("0", "1", "3"),
        "alru_wake_s": ("1", "7"),
        "alru_stale_s": ("1", "60"),
        "alru_idle_s": ("0", "1"),
    },
    "dm_cache": {
        "mode": ("write_back", "write_back", "write_through", "pass_through"),
        "block_pages": ("1", "2", "3"),
        "migration_threshold_pages": ("1", "2", "1000000000"),
    },
    "l2arc": {
        "write_max_pages_per_s": ("1", "3"),
        "headroom": ("1", "2"),
        "mfu_only": ("false", "false", "true"),
        "dwpd_limit_percent": ("0", "50", "100000"),
        "burst_pages": ("0", "2", "200000"),
        "headers_per_page": ("1", "4"),
    },
    "cachelib": {
        "region_pages": ("1", "2", "4"),
        "replacement": ("lru", "fifo", "segmented_fifo", "segmented_fifo"),
        "segment_ratios": ("1+1", "3+1", "1+2+1"),
        "clean_regions": ("1", "2", "64"),
        "reinsertion_hits": ("0", "1", "2"),
        "admission": ("all", "dynamic_random", "reject_first"),
        "target_pages_per_s": ("1", "50"),
        "max_pages_per_s": ("1", "3"),
        "base_percent": ("10", "50"),
        "seed": ("7", "18446744073709551615"),
        "reject_window_pages": ("1", "5", "40"),
        "reject_splits": ("1",),
    },
    "kangaroo": {
        "set_pages": ("1", "2", "3"),
        "log_percent": ("0", "20", "50", "50"),
        "partitions": ("1", "2", "3"),
        "segment_pages": ("1", "2", "3"),
        "threshold": ("1", "2", "3"),
        "admission_percent": ("30", "100"),
        "replacement": ("rrip", "fifo"),
        "seed": ("7", "18446744073709551615"),
    },
}
BY_CHANCE = {"admission": "probability", "probability": "0.3", "seed": "5"}
TRACES = traces(200)
HAPPENED = {
    "flashcache": ("disk_writes_by_cleaner", "flash_invalidations"),
    "enhanceio": ("disk_writes_by_cleaner", "flash_invalidations"),
    "tac": ("bypassed", "metadata_random_page_writes"),
    "exadata": ("bypassed", "disk_writes_on_stage_out", "flash_invalidations"),
    "cac": ("bypassed", "disk_writes_on_stage_out"),
    "bcache": (
        "bypassed",
        "disk_writes_by_cleaner",
        "metadata_random_page_writes",
        "metadata_segments",
        "old_versions",
    ),
    "sce": ("disk_batch_reads", "flash_invalidations", "flash_write_backs"),
    "larc": ("bypassed", "filtered", "disk_writes_on_stage_out", "flash_write_backs"),
    "cachesack": ("bypassed", "flash_write_backs", "victims_found_on_flash"),
    "ram_filter": ("bypassed", "old_versions", "requeued", "disk_writes_on_stage_out"),
    "dm_writecache": (
        "bypassed",
        "metadata_random_page_writes",
        "dirty_slots",
        "disk_batch_writes",
        "flash_batch_reads",
        "flash_stage_out_reads",
    ),
    "open_cas": (
        "bypassed",
        "dirty_slots",
        "disk_batch_writes",
        "disk_writes_by_cleaner",
        "flash_batch_reads",
        "flash_invalidations",
        "flash_write_backs",
        "metadata_random_page_writes",
        "old_versions",
    ),
    "dm_cache": (
        "bypassed",
        "promotions",
        "demotions",
        "copied_pages",
        "dirty_slots",
        "disk_batch_reads",
        "disk_batch_writes",
        "disk_writes_by_cleaner",
        "flash_batch_reads",
        "flash_stage_out_reads",
        "flash_write_backs",
        "metadata_random_page_writes",
    ),
    "l2arc": ("bypassed", "flash_invalidations", "victims_found_on_flash"),
    "cachelib": ("bypassed", "flash_invalidations", "old_versions", "requeued"),
    "kangaroo": (
        "bypassed",
        "flash_batch_reads",
        "flash_invalidations",
        "requeued",
        "victims_found_on_flash",
    ),
}
"""What must have happened in some of the traces, or they prove little."""


def trace_of(draw: random.Random) -> list[Step]:
    """Draw accesses to hot, cold and consecutive pages of two relations, with gaps of all lengths."""
    pages = draw.randint(2, 60)
    writes = draw.choice((0.0, 0.1, 0.5, 1.0))
    now, block, steps = 0, 0, []
    for _ in range(draw.randint(1, 250)):
        now += draw.choice((0, 1, 300_000, 700_000, 40_000_000))
        kind = draw.random()
        if kind < 0.4:
            block = draw.randrange(pages // 4 + 1)
        elif kind < 0.7:
            block = draw.randrange(pages)
        else:
            block += 1
        relation = "1/1" if draw.random() < 0.8 else "1/2"
        steps.append((now, (relation, block), draw.random() < writes))
    return steps


def hot_areas_of(draw: random.Random) -> list[Step]:
    """Draw accesses to areas that are hot for some seconds, through minutes with idle gaps."""
    pages = draw.choice((100, 400, 2000))
    writes = draw.choice((0.0, 0.1, 0.5, 1.0))
    now, hot, steps = 0, 0, []
    for _ in range(draw.randint(300, 1000)):
        if draw.random() < 0.01:
            hot = draw.randrange(pages)
        now += draw.choice((0, 1, 1000, 20_000, 100_000))
        if draw.random() < 0.02:
            now += draw.choice((1_000_000, 2_500_000, 25_000_000))
        at = draw.randrange(pages)
        block = hot + at % 12 if draw.random() < 0.8 else at
        relation = "1/1" if block % 5 else "1/2"
        steps.append((now, (relation, block), draw.random() < writes))
    return steps


def written(steps: list[Step], path: Path) -> reading.Trace:
    rows = (
        f"{time},{'RW'[write]},{page[0]},{page[1]}\n" for time, page, write in steps
    )
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return reading.Trace(path)


NEEDS: dict[str, dict[str, dict[str, tuple[str | None, ...]]]] = {
    "open_cas": {
        "hits": {"promotion": ("nhit",)},
        "trigger_percent": {"promotion": ("nhit",)},
    },
    "cachelib": {
        "target_pages_per_s": {"admission": ("dynamic_random",)},
        "max_pages_per_s": {"admission": ("dynamic_random",)},
        "base_percent": {"admission": ("dynamic_random",)},
        "seed": {"admission": ("dynamic_random",)},
        "reject_window_pages": {"admission": ("reject_first",)},
        "reject_splits": {"admission": ("reject_first",)},
        "segment_ratios": {"replacement": ("segmented_fifo",)},
    },
    "sce": {
        "clone_pages": {
            "mode": (None, "write_through"),
            "flash_write_us": ("2", "400000"),
        }
    },
}
"""What an option has an effect with, and is refused without; None where the other is not given."""


def chosen(draw: random.Random, name: str) -> Options:
    options = {
        option: draw.choice(values)
        for option, values in CHOICES[name].items()
        if draw.random() < 0.6
    }
    needs = NEEDS.get(name, {})
    return {
        option: value
        for option, value in options.items()
        if all(
            options.get(other) in values
            for other, values in needs.get(option, {}).items()
        )
    }


def sized(options: Options, flash: int) -> tuple[Options, int]:
    """Leave out the options of Kangaroo that the others refuse, and make flash large enough for a set."""
    flash = max(flash, 8 + 2 * int(options.get("set_pages", "14")))
    percent = int(options.get("log_percent", "5"))
    log = flash * percent // 100 if flash * percent >= 200 else 0
    kept = dict(options)
    if not log:
        for option in ("partitions", "segment_pages", "threshold"):
            kept.pop(option, None)
    if int(kept.get("partitions", "1")) > max(1, log // 2):
        del kept["partitions"]
    in_partition = log // int(kept.get("partitions", max(1, log // 16)))
    if int(kept.get("segment_pages", "1")) > max(1, in_partition // 2):
        del kept["segment_pages"]
    if kept.get("admission_percent", "100") == "100":
        kept.pop("seed", None)
    return kept, flash


Case = tuple[Options, list[Step], tuple[int, int]]
"""Options, accesses, and the pages of DRAM and flash."""


def case_of(name: str, seed: int) -> Case:
    draw = random.Random(f"{name} {seed}")
    long = name == "dm_cache" and seed % 2 == 0
    steps = hot_areas_of(draw) if long else trace_of(draw)
    options = chosen(draw, name)
    if name == "ram_filter" and seed % 4 == 0:
        options = {"mode": options.get("mode", "write_back"), **BY_CHANCE}
    if name == "dm_writecache" and seed % 2 == 0:
        # So fast that a slow disk falls behind.
        steps = [(time // 1000, page, write) for time, page, write in steps]
    if options.get("admission") == "dynamic_random":
        options.setdefault("target_pages_per_s", "1")
        # So fast that more is written than the rate allows.
        steps = [(time // 50, page, write) for time, page, write in steps]
    ram, flash = draw.randint(1, 8), draw.randint(8, 40)
    if name == "dm_cache":
        flash *= draw.choice((1, 3))
    if name == "l2arc":
        options["ram_policy"] = "arc" if seed % 2 else "lru"
        ram *= draw.choice((1, 3))
    if name == "kangaroo":
        options, flash = sized(options, flash)
    return options, steps, (ram, flash)


def always(_at: int) -> bool:
    return True


def regular(
    blocks: Sequence[int],
    every_us: int,
    write: Callable[[int], bool] = lambda _at: False,
    start_us: int = 0,
) -> list[Step]:
    """Return accesses to blocks at equal intervals; `write` tells by their number which are writes."""
    return [
        (start_us + at * every_us, ("1/1", block), write(at))
        for at, block in enumerate(blocks)
    ]


def drawn(count: int, end: int, seed: int = 1) -> list[int]:
    draw = random.Random(seed)
    return [draw.randrange(end) for _ in range(count)]


def hot(count: int, end: int) -> list[int]:
    """Draw blocks of which half are among the first tenth."""
    draw = random.Random(5)
    return [draw.randrange(draw.choice((end // 10, end))) for _ in range(count)]


def in_bursts_of_writes() -> list[Step]:
    """Write for some seconds, with pauses of which some are longer than a minute."""
    draw = random.Random(8)
    now, steps = 0, []
    for block in hot(6000, 90):
        pause = draw.random() < 0.01
        now += draw.choice((2, 9, 11, 19, 21, 70)) * 1_000_000 if pause else 50_000
        steps.append((now, ("1/1", block), draw.random() < 0.5))
    return steps


def days(write: Callable[[int], bool] = lambda _at: False) -> list[Step]:
    """Return accesses before the end of three days, by the clock that begins with the first one."""
    steps = regular(drawn(200, 60), 1_000_000, write)
    for day, count in ((1, 100), (2, 150), (3, 400)):
        start = (day * 86_400 - 100) * 1_000_000
        steps += regular(drawn(count, 60, day), 300_000, write, start)
    return steps


def relations_swept() -> list[Step]:
    """Return so many writes that a sweep takes several turns, in relations and blocks out of order."""
    draw = random.Random(3)
    return [
        (at * 30, (f"1/{draw.choice((3, 1, 2))}", draw.randrange(200)), at % 5 > 0)
        for at in range(4000)
    ]


def on_whole_seconds(
    gaps_s: Sequence[int], count: int, end: int, write: Callable[[int], bool] = always
) -> list[Step]:
    """Return accesses to random blocks at whole seconds, so that ages are exactly what the options say."""
    draw = random.Random(4)
    now, steps = 0, []
    for at in range(count):
        now += draw.choice(gaps_s) * 1_000_000
        steps.append((now, ("1/1", draw.randrange(end)), write(at)))
    return steps


def in_two_bursts() -> list[Step]:
    """Return writes that fill as many blocks in a second as a page of metadata has, then some more."""
    first = regular(range(510), 1000, always)
    return first + regular(range(510, 1100), 1000, always, start_us=1_500_000)


def widely_spread() -> list[Step]:
    """Return accesses to so many areas that some leave the hotspot queue and come back within a second."""
    blocks = [32 * at for at in drawn(8000, 2000)]
    return regular(blocks, 300, lambda at: at % 9 == 0)


def often_read() -> list[Step]:
    """Return reads of two pages that DRAM never holds both, more often than hits are counted, then new pages."""
    return regular([0, 1] * 300 + list(range(2, 40)), 1000)


RARE: dict[str, tuple[str, Options, tuple[int, int], list[Step], str]] = {
    "Open CAS sweeps by address, 128 pages at a time": (
        "open_cas",
        {"mode": "write_back", "cleaning": "acp", "sequential_cutoff_pages": "0"},
        (3, 350), relations_swept(), "disk_writes_by_cleaner",
    ),
    "Open CAS cleans 32 pages if all are dirty": (
        "open_cas",
        {"mode": "write_back", "cleaning": "nop", "promotion": "nhit", "hits": "2"},
        (2, 100), regular(drawn(1500, 180), 1000, always), "disk_writes_by_cleaner",
    ),
    "Open CAS with its defaults, through quiet minutes": (
        "open_cas", {"mode": "write_only"}, (4, 60),
        on_whole_seconds((0, 0, 5, 10, 20, 40), 1500, 70, lambda at: at % 2 == 0),
        "disk_writes_by_cleaner",
    ),
    "Open CAS on whole seconds": (
        "open_cas",
        {"mode": "write_back", "alru_wake_s": "2", "alru_stale_s": "9", "alru_idle_s": "2"},
        (2, 30), on_whole_seconds((0, 0, 1, 2, 3), 1500, 40), "disk_writes_by_cleaner",
    ),
    "Open CAS writes around flash what hits have not promoted": (
        "open_cas", {"mode": "write_around", "promotion": "nhit"}, (3, 30),
        regular(drawn(1000, 60), 1000, lambda at: at % 2 == 0), "flash_write_backs",
    ),
    "Open CAS invalidates what is written": (
        "open_cas", {"mode": "write_invalidate", "promotion": "nhit"}, (3, 30),
        regular(drawn(1000, 60), 1000, lambda at: at % 2 == 0), "flash_invalidations",
    ),
    "Open CAS never cleans without a quiet time": (
        "open_cas", {"mode": "write_back"}, (4, 200),
        regular(drawn(500, 150), 4_000_000, always), "dirty_slots",
    ),
    "Open CAS with its default cutoff of a stream": (
        "open_cas", {"mode": "write_back"}, (4, 120),
        regular([*range(700), *range(300, 700)], 1000, lambda at: at % 7 == 0),
        "bypassed",
    ),
    "Open CAS sweeps lines by address, 128 at a time": (
        "open_cas",
        {
            "mode": "write_back", "cleaning": "acp", "line_pages": "2",
            "sequential_cutoff_pages": "0",
        },
        (3, 600), relations_swept(), "disk_writes_by_cleaner",
    ),
    "Open CAS cleans 32 lines if all are dirty": (
        "open_cas",
        {"mode": "write_back", "cleaning": "nop", "line_pages": "8"},
        (2, 400), regular(drawn(3000, 1200), 1000, always), "disk_writes_by_cleaner",
    ),
    "Open CAS sends a long stream past dirty lines": (
        "open_cas",
        {
            "mode": "write_back", "cleaning": "nop", "line_pages": "4",
            "sequential_cutoff_pages": "2",
        },
        (2, 60),
        regular([*drawn(300, 90), *range(90), *range(90)], 1000, lambda at: at % 3 > 0),
        "flash_invalidations",
    ),
    "dm-cache forgets areas": (
        "dm_cache", {"block_pages": "2"}, (3, 3000), widely_spread(), "disk_batch_reads",
    ),
    "dm-cache with its default blocks": (
        "dm_cache", {}, (5, 1600),
        regular([at * at % 5000 for at in range(3000)], 60_000, lambda at: at % 4 == 0),
        "disk_batch_reads",
    ),
    "dm-cache commits several pages of metadata": (
        "dm_cache", {"block_pages": "1"}, (1, 1200), in_two_bursts(),
        "metadata_random_page_writes",
    ),
    "dm-cache on whole seconds": (
        "dm_cache", {"block_pages": "1"}, (2, 40),
        on_whole_seconds((0, 0, 1, 2), 1000, 70), "disk_writes_by_cleaner",
    ),
    "dm-cache writes back under load": (
        "dm_cache", {"block_pages": "2"}, (2, 80),
        regular(drawn(3000, 90), 70_000, lambda at: at % 3 == 0),
        "disk_writes_by_cleaner",
    ),
    "dm-cache passes over what was changed lately": (
        "dm_cache", {"block_pages": "2"}, (1, 60),
        regular(hot(6000, 90), 40_000, lambda at: at % 2 == 0),
        "disk_writes_by_cleaner",
    ),
    "dm-cache with blocks too large to be cleaned while idle": (
        "dm_cache", {"block_pages": "2", "migration_threshold_pages": "1"}, (1, 60),
        in_bursts_of_writes(), "disk_writes_by_cleaner",
    ),
    "dm-cache under load demotes after a minute": (
        "dm_cache", {"mode": "write_through", "block_pages": "2"}, (2, 80),
        regular(drawn(2000, 90), 90_000, lambda at: at % 3 == 0), "flash_evictions",
    ),
    "dm-writecache writes 1 MiB back in a request": (
        "dm_writecache", {"high_watermark": "80", "low_watermark": "10"}, (2, 700),
        regular([*range(600), *range(300), *range(600)], 5_000, always),
        "disk_batch_write_pages",
    ),
    "dm-writecache joins no page that is not committed": (
        "dm_writecache",
        {"high_watermark": "60", "low_watermark": "20", "autocommit_blocks": "7"},
        (1, 50), regular([*range(70), *hot(1000, 90)], 200_000, lambda at: at % 4 > 0),
        "disk_batch_writes",
    ),
    "dm-writecache joins pages under a slow disk": (
        "dm_writecache",
        {"high_watermark": "60", "low_watermark": "20", "writeback_pages_per_s": "30"},
        (1, 50), regular([*range(200), *hot(2000, 90)], 20_000, lambda at: at % 4 > 0),
        "disk_batch_writes",
    ),
    "L2ARC spreads a day's budget over the day": (
        "l2arc", {"ram_policy": "lru", "burst_pages": "3"}, (8, 16), days(),
        "flash_evictions",
    ),
    "L2ARC has a budget of several rounds a day": (
        "l2arc",
        {"ram_policy": "lru", "burst_pages": "3", "dwpd_limit_percent": "700"},
        (8, 16), days(), "flash_evictions",
    ),
    "L2ARC stops at the limit of its headers": (
        "l2arc", {"ram_policy": "lru", "burst_pages": "0", "headers_per_page": "2"},
        (8, 16), days(lambda at: at % 3 == 0), "flash_invalidations",
    ),
    "L2ARC writes log blocks": (
        "l2arc", {"ram_policy": "lru", "dwpd_limit_percent": "0"}, (40, 100),
        regular(drawn(4000, 200), 400_000, lambda at: at % 9 == 0), "metadata_segments",
    ),
    "CacheLib counts 255 hits": (
        "cachelib", {"region_pages": "4", "reinsertion_hits": "255"}, (1, 16),
        often_read(), "requeued",
    ),
    "CacheLib follows a rate through an hour": (
        "cachelib",
        {"admission": "dynamic_random", "target_pages_per_s": "2", "seed": "3"},
        (4, 300), regular(drawn(6000, 500), 120_000), "bypassed",
    ),
    "CacheLib counts what it puts back towards its rate": (
        "cachelib",
        {
            "admission": "dynamic_random", "target_pages_per_s": "3",
            "reinsertion_hits": "1",
        },
        (4, 100), regular(drawn(6000, 150), 60_000), "requeued",
    ),
    "CacheLib writes no faster than the maximum": (
        "cachelib",
        {
            "admission": "dynamic_random", "target_pages_per_s": "5000",
            "max_pages_per_s": "3", "base_percent": "10",
        },
        (4, 300), regular(drawn(6000, 3000), 100_000), "bypassed",
    ),
    "CacheLib raises its chance tenfold at most": (
        "cachelib",
        {
            "admission": "dynamic_random", "target_pages_per_s": "50",
            "base_percent": "1",
        },
        (4, 300), regular(drawn(6000, 3000), 250_000), "bypassed",
    ),
    "CacheLib with one region": (
        "cachelib", {"region_pages": "20", "reinsertion_hits": "1"}, (3, 20),
        regular(drawn(500, 40), 1000, lambda at: at % 6 == 0), "flash_evictions",
    ),
    "CacheLib with its defaults": (
        "cachelib", {"replacement": "fifo", "reinsertion_hits": "1"}, (6, 170),
        regular(drawn(3000, 220), 1000, lambda at: at % 6 == 0), "requeued",
    ),
    "CacheLib in three segments": (
        "cachelib",
        {
            "replacement": "segmented_fifo", "segment_ratios": "2+1+1",
            "region_pages": "4", "clean_regions": "2", "reinsertion_hits": "1",
        },
        (4, 150), regular(drawn(6000, 200), 1000, lambda at: at % 6 == 0), "requeued",
    ),
    "CacheLib in eight segments with two buffers": (
        "cachelib",
        {
            "replacement": "segmented_fifo", "segment_ratios": "1+1+1+1+1+1+1+9",
            "region_pages": "2", "clean_regions": "2", "reinsertion_hits": "1",
        },
        (2, 61), regular(hot(6000, 80), 1000, lambda at: at % 9 == 0), "requeued",
    ),
    "Kangaroo with its defaults, in several partitions": (
        "kangaroo", {}, (20, 1400),
        regular(hot(12_000, 2000), 1000, lambda at: at % 6 == 0), "flash_invalidations",
    ),
    "Kangaroo puts back so much that a segment is full again": (
        "kangaroo",
        {
            "set_pages": "3", "log_percent": "50", "partitions": "2",
            "segment_pages": "3", "threshold": "255",
        },
        (1, 40), regular(hot(6000, 60), 1000, lambda at: at % 9 == 0), "requeued",
    ),
    "Kangaroo moves more pages together than a set holds": (
        "kangaroo",
        {"set_pages": "2", "log_percent": "50", "segment_pages": "9", "threshold": "3"},
        (2, 38), regular(hot(4000, 90), 1000, lambda at: at % 7 == 0), "flash_evictions",
    ),
    "Kangaroo writes a set to delete what was refused": (
        "kangaroo",
        {"set_pages": "4", "log_percent": "20", "admission_percent": "40"},
        (2, 48), regular(hot(4000, 90), 1000, lambda at: at % 6 == 0), "bypassed",
    ),
    "BigHash orders a set that is not full": (
        "kangaroo",
        {"set_pages": "4", "log_percent": "0", "admission_percent": "70"},
        (2, 48), regular(hot(4000, 60), 1000, lambda at: at % 6 == 0), "bypassed",
    ),
    "BigHash with its default sets": (
        "kangaroo", {"log_percent": "0"}, (6, 200),
        regular(hot(4000, 300), 1000, lambda at: at % 6 == 0), "requeued",
    ),
    "BigHash first in, first out": (
        "kangaroo", {"log_percent": "0", "replacement": "fifo"}, (6, 200),
        regular(hot(4000, 300), 1000, lambda at: at % 6 == 0), "requeued",
    ),
}  # fmt: skip
"""Rules that short random traces rarely reach, and what must have happened."""


@pytest.mark.parametrize("rule", RARE)
def test_rare_rules_are_those_of_the_slow_model(rule: str, tmp_path: Path) -> None:
    name, options, sizes, steps, happened = RARE[rule]
    expected = slow_systems.simulate(name, options, steps, sizes)
    trace = written(steps, tmp_path / "trace.csv")
    found = replay.replay(trace, "flash_cache", name, *sizes, options=options)
    assert {key: found[key] for key in expected} == expected
    assert expected[happened] > 0


IN_SEGMENTS = {"replacement": "segmented_fifo", "region_pages": "4"}


def test_segments_of_cachelib_are_one_queue_where_nothing_is_put_back(
    tmp_path: Path,
) -> None:
    """Priorities are given to pages that are put back; flash has a page too many, so regions end before its end."""
    steps = regular(drawn(4000, 200), 1000, lambda at: at % 6 == 0)
    trace = written(steps, tmp_path / "trace.csv")

    def found(options: Options) -> tuple[dict[str, object], list[dict[str, str]]]:
        result = replay.replay(
            trace, "flash_cache", "cachelib", 4, 101, options=options
        )
        counts = {key: count for key, count in result.items() if type(count) is int}
        return counts, result["warnings"]

    fifo, _ = found({**IN_SEGMENTS, "replacement": "fifo"})
    plain, warnings = found(IN_SEGMENTS)
    assert plain == fifo
    assert [warning["name"] for warning in warnings] == ["segments_unused"]
    assert "reinsertion_hits" in warnings[0]["hint"]
    # One region that is ready is being replaced while another is emptied.
    one_ready, warnings = found({**IN_SEGMENTS, "reinsertion_hits": "1"})
    assert one_ready == fifo
    assert "clean_regions=2" in warnings[0]["hint"]
    kept, warnings = found(
        {**IN_SEGMENTS, "reinsertion_hits": "1", "clean_regions": "2"}
    )
    assert kept["requeued"] != 0
    assert warnings == []


def test_segments_of_cachelib_that_fill_in_turn_are_each_written_as_one(
    tmp_path: Path,
) -> None:
    """A device whose blocks are regions never copies a page, though the pages of two regions come in turn."""
    steps = regular(drawn(4000, 150), 1000)
    trace = written(steps, tmp_path / "trace.csv")
    options = {
        **IN_SEGMENTS, "reinsertion_hits": "1", "clean_regions": "2",
        "ftl_spare_percent": "20", "ftl_block_pages": "4",
    }  # fmt: skip
    found = replay.replay(trace, "flash_cache", "cachelib", 4, 100, options=options)
    assert found["requeued"] > 100
    assert found["ftl"]["moved"] == 0
    writes = found["flash_random_page_writes"] + found["flash_sequential_page_writes"]
    assert found["flash_random_page_writes"] <= -(-writes // 4)


@pytest.mark.parametrize(
    "ratios", ["1", "", "1+0", "1+-1", "1+1001", "1,2", "+".join("1" * 9)]
)
def test_wrong_shares_of_segments_are_refused(ratios: str, tmp_path: Path) -> None:
    trace = written([(0, ("1/1", 0), False)], tmp_path / "trace.csv")
    options = {**IN_SEGMENTS, "segment_ratios": ratios}
    with pytest.raises(ParameterError, match="2 to 8 whole numbers from 1 to 1000"):
        replay.replay(trace, "flash_cache", "cachelib", 4, 100, options=options)


def test_shares_of_segments_without_segments_are_refused(tmp_path: Path) -> None:
    trace = written([(0, ("1/1", 0), False)], tmp_path / "trace.csv")
    options = {"replacement": "fifo", "segment_ratios": "1+1"}
    with pytest.raises(ParameterError, match="without replacement=segmented_fifo"):
        replay.replay(trace, "flash_cache", "cachelib", 4, 100, options=options)


@pytest.mark.parametrize("name", ["open_cas", "dm_cache"])
def test_passing_through_counts_what_no_flash_does(name: str, tmp_path: Path) -> None:
    """A replay begins with an empty flash, which the mode keeps empty; it needs no time of the trace."""
    steps = regular(drawn(3000, 90), 1000, lambda at: at % 3 == 0)
    rows = (f"{'RW'[write]},1,{page[1]}\n" for _, page, write in steps)
    path = tmp_path / "untimed.csv"
    path.write_text("op,device,page\n" + "".join(rows))
    columns = {"op": "op", "device": "device", "page": "page"}
    trace = reading.Trace(path, format="csv", columns=columns, page_bytes=4096)

    def counts(flash: int, options: Options) -> dict[str, int]:
        found = replay.replay(trace, "flash_cache", name, 6, flash, options=options)
        return {
            key: count
            for key, count in found.items()
            if type(count) is int and key != "flash_pages"
        }

    passed = counts(400, {"mode": "pass_through"})
    assert passed == counts(0, {"mode": "pass_through"})
    assert passed["flash_misses"] > 0
    assert passed["disk_writes_on_exit"] > 0


@pytest.mark.parametrize("line_pages", ["1", "2", "4", "16"])
@pytest.mark.parametrize("mode", [*CHOICES["open_cas"]["mode"][1:6]])
def test_lines_of_open_cas_up_to_64_kib_are_those_of_the_slow_model(
    mode: str, line_pages: str, tmp_path: Path
) -> None:
    """Pages of 4 KiB, of which a line has up to 16."""
    seen: Counter[str] = Counter()
    for seed in range(12):
        draw = random.Random(seed)
        blocks = [
            block + at
            for _ in range(250)
            for block in [draw.randrange(draw.choice((30, 200, 200)))]
            for at in range(draw.choice((1, 1, 2, 9)))
        ]
        writes = draw.choice((0.2, 0.7))
        steps: list[Step] = [
            (10_000 * at, ("1/1", block), draw.random() < writes)
            for at, block in enumerate(blocks)
        ]
        options = {
            "mode": mode, "line_pages": line_pages, "sequential_cutoff_pages": "6",
            "accesses_per_second": "100", "alru_wake_s": "1", "alru_stale_s": "1",
            "alru_idle_s": "0", "cleaning": draw.choice(("alru", "acp", "nop")),
            "promotion": draw.choice(("always", "nhit")),
        }  # fmt: skip
        sizes = (draw.randint(1, 8), draw.randint(16, 150))
        expected = slow_systems.simulate("open_cas", options, steps, sizes)
        rows = (f"{'RW'[write]},1,{page[1]}\n" for _, page, write in steps)
        path = tmp_path / f"{seed}.csv"
        path.write_text("op,device,page\n" + "".join(rows))
        columns = {"op": "op", "device": "device", "page": "page"}
        trace = reading.Trace(path, format="csv", columns=columns, page_bytes=4096)
        found = replay.replay(trace, "flash_cache", "open_cas", *sizes, options=options)
        assert {key: found[key] for key in expected} == expected, (seed, options)
        seen.update(expected)
    happened = ["flash_hits", "flash_evictions", "bypassed"]
    if mode in ("write_back", "write_only"):
        happened += ["dirty_slots", "disk_writes_by_cleaner"]
    for key in happened:
        assert seen[key] > 0, key


@pytest.mark.parametrize("accesses_per_second", [1, 100])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("open_cas", {"mode": "write_back", "cleaning": "acp"}),
        ("open_cas", {"mode": "write_back", "alru_stale_s": "1", "alru_idle_s": "0"}),
        ("dm_cache", {"block_pages": "2"}),
        ("l2arc", {"ram_policy": "lru"}),
        (
            "cachelib",
            {"admission": "dynamic_random", "target_pages_per_s": "1"},
        ),
    ],
)
def test_a_rate_of_accesses_replaces_the_time_of_a_trace(
    name: str, options: Options, accesses_per_second: int, tmp_path: Path
) -> None:
    """The nth access comes at n divided by the rate."""
    blocks = drawn(3000, 60)
    steps = regular(blocks, 1_000_000 // accesses_per_second, lambda at: at % 3 == 0)
    expected = slow_systems.simulate(name, options, steps, (6, 40))
    rows = (f"{'RW'[write]},1,{page[1]}\n" for _, page, write in steps)
    path = tmp_path / "untimed.csv"
    path.write_text("op,device,page\n" + "".join(rows))
    columns = {"op": "op", "device": "device", "page": "page"}
    trace = reading.Trace(
        path, format="csv", columns=columns, page_bytes=slow_systems.PAGE_BYTES
    )
    options = {**options, "accesses_per_second": str(accesses_per_second)}
    found = replay.replay(trace, "flash_cache", name, 6, 40, options=options)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("name", "dirty", "options"),
    [
        (
            # A group may leave fewer.
            "lazy_cleaning", 29,
            {"dirty_threshold": "0.29", "cleaner_period_us": "1", "group_pages": "1"},
        ),
        (
            "flashcache", 29,
            {"mode": "write_back", "ways": "100", "dirty_threshold": "0.29",
             "dirty_target": "0.29"},
        ),
        (
            # The bucket that passes the share still takes a dirty page; the first one is cleaned at once.
            "bcache", 30,
            {"mode": "write_back", "writeback_share": "1", "cutoff_writeback": "0.29",
             "bucket_pages": "1", "sequential_cutoff_pages": "0"},
        ),
    ],
)  # fmt: skip
def test_a_decimal_share_of_flash_is_that_many_pages(
    name: str, dirty: int, options: Options, tmp_path: Path
) -> None:
    """A share of 0.29 is not exact in binary, and 0.29 x 100 rounds down to 28."""
    steps: list[Step] = [(1000 * at, ("1/1", at), True) for at in range(80)]
    steps.append((90_000, ("1/1", 79), False))
    trace = written(steps, tmp_path / "shares.csv")
    found = replay.replay(trace, "flash_cache", name, 1, 100, options=options)
    assert found["dirty_slots"] == dirty


@pytest.mark.random_traces
@pytest.mark.parametrize("name", CHOICES)
def test_every_counter_is_that_of_the_slow_model(name: str, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(TRACES):
        options, steps, sizes = case_of(name, seed)
        expected = slow_systems.simulate(name, options, steps, sizes)
        trace = written(steps, tmp_path / f"{seed}.csv")
        found = replay.replay(trace, "flash_cache", name, *sizes, options=options)
        where = f"trace {seed} with {options} over {sizes}"
        assert {key: found[key] for key in expected} == expected, where
        assert options.items() <= found["options"].items()
        hits = found["ram_hits"] + found["flash_hits"] + found["flash_misses"]
        assert hits == found["accesses"] == len(steps)
        seen.update(expected)
    for key in ("flash_hits", "flash_evictions", *HAPPENED[name]):
        assert seen[key] > 0, key


@pytest.mark.random_traces
def test_the_ram_filter_tells_what_it_writes_for_each_unique_page(
    tmp_path: Path,
) -> None:
    """Pages written and unique pages are of the same accesses, those behind the warm-up."""

    def written_by(model: slow_systems.System) -> int:
        causes = ("flash_fills", "flash_write_backs", "requeued")
        return sum(model.count[cause] for cause in causes)

    ratios, fewer = set(), 0
    for seed in range(TRACES):
        options, steps, sizes = case_of("ram_filter", seed)
        warm = random.Random(seed).randrange(len(steps))
        model = slow_systems.MODELS["ram_filter"](options, *sizes)
        for time, page, write in steps[:warm]:
            model.access(time, page, write=write)
        before = written_by(model)
        for time, page, write in steps[warm:]:
            model.access(time, page, write=write)
        unique = len({page for _, page, _ in steps[warm:]})
        trace = written(steps, tmp_path / f"{seed}.csv")
        found = replay.replay(
            trace, "flash_cache", "ram_filter", *sizes, options=options, warm_up=warm
        )
        assert found["unique_pages"] == unique
        ratio = found["flash_writes_per_unique_page"]
        assert ratio == (written_by(model) - before) / unique
        ratios.add(ratio)
        fewer += unique < found["distinct_pages"]
        # What an assignment keeps from it is accessed all the same.
        never = {**options, "assignment": "never"}
        found = replay.replay(
            trace, "flash_cache", "ram_filter", *sizes, options=never, warm_up=warm
        )
        assert found["unique_pages"] == unique
        assert found["flash_writes_per_unique_page"] == 0
    assert len(ratios) > TRACES / 4
    assert fewer > TRACES / 4


@pytest.mark.parametrize("name", CHOICES)
def test_a_slow_model_that_loses_a_write_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        slow_systems.MODELS[name], "write_disk", lambda *_arguments: None
    )
    draw = random.Random(name)
    steps = [(at, ("1/1", draw.randrange(30)), True) for at in range(200)]
    options = {"set_pages": "2"} if name == "kangaroo" else {}
    with pytest.raises(slow_systems.LostError):
        slow_systems.simulate(name, options, steps, (2, 8))


Kangaroo = slow_kangaroo._Kangaroo
WHOLE_LOG = {"log_percent": "50", "segment_pages": "2", "set_pages": "4"}
"""Over 8 pages of flash: one set in frames 0 to 3, one segment in 4 and 5, another in 6 and 7."""


def kangaroo(accesses: str, flash_pages: int, options: Options) -> Kangaroo:
    """Replay accesses to pages, each a letter, `!` behind it: a write; DRAM holds one page."""
    model = Kangaroo(options, 1, flash_pages)
    for at, access in enumerate(accesses.split()):
        model.access(at, (access[0], 0), write=access.endswith("!"))
    return model


def predictions(model: Kangaroo, number: int) -> str:
    return " ".join(f"{at.page[0]}{at.prediction}" for at in model.sets[number])


def log_of(model: Kangaroo, number: int = 0) -> str:
    """Return what is in the segments of a partition, oldest first; `.`: a hole."""
    return " ".join(
        "".join(page[0] if page else "." for page in segment.places)
        for segment in model.log[number]
    )


def counted(model: Kangaroo, expected: dict[str, int]) -> None:
    found = model.finish()
    assert {name: found[name] for name in expected} == expected


def test_slow_bighash_writes_a_whole_set_for_a_page() -> None:
    options = {"log_percent": "0", "set_pages": "2", "replacement": "fifo"}
    model = kangaroo("a b c d", 3, options)
    assert [entry.page[0] for entry in model.sets[0]] == ["b", "c"]
    counted(
        model,
        {
            "flash_fills": 3, "requeued": 3, "flash_writes": 6, "flash_evictions": 1,
            "flash_batch_reads": 3, "flash_batch_read_pages": 6, "slots_used": 2,
            # Only the first write is where the device begins; the others go back to frame 0.
            "flash_write_batches": 3, "flash_sequential_write_batches": 1,
            "flash_random_page_writes": 2, "flash_sequential_page_writes": 4,
        },
    )  # fmt: skip


@pytest.mark.parametrize(
    ("accesses", "entries"),
    [
        ("a b c", "a6 b6"),
        # a was read: c displaces b, which all age by one to reach 7.
        ("a b c a", "a1 c6"),
        ("a b c a d e", "a2 d6"),
        # No page was read: of two that are equal, the second goes.
        ("a b c d", "c6 a7"),
        ("a b c d e", "c6 d6"),
    ],
)
def test_slow_bighash_ages_a_set_until_a_page_is_the_last(
    accesses: str, entries: str
) -> None:
    model = kangaroo(accesses, 3, {"log_percent": "0", "set_pages": "2"})
    assert predictions(model, 0) == entries


def test_slow_bighash_orders_a_set_that_is_not_full() -> None:
    """The page that was read comes first, and stays before those that become equal to it."""
    options = {"log_percent": "0", "set_pages": "3"}
    assert predictions(kangaroo("a b c b", 5, options), 0) == "b0 a6 c6"
    model = kangaroo("a b c b a b c d e", 5, options)
    assert predictions(model, 0) == "d6 b7 a7"
    counted(model, {"flash_evictions": 1, "flash_hits": 4})


def test_slow_bighash_writes_a_set_to_delete_a_page_that_is_refused() -> None:
    """SplitMix64 of seed 0 draws 88, 43, 2, 97 and 10 of 100: only c enters, and leaves again."""
    options = {"log_percent": "0", "set_pages": "2", "admission_percent": "10"}
    assert predictions(kangaroo("a b c d", 3, options), 0) == "c6"
    model = kangaroo("a b c d c! e", 3, options)
    assert predictions(model, 0) == ""
    counted(
        model,
        {
            "bypassed": 4, "flash_fills": 1, "flash_invalidations": 1, "hdd_writes": 1,
            "flash_batch_reads": 2, "flash_writes": 4, "requeued": 3,
            "flash_evictions": 0, "victims_found_on_flash": 1,
        },
    )  # fmt: skip


def test_slow_kangaroo_moves_the_pages_of_a_set_together() -> None:
    model = kangaroo("a b c d e f", 8, WHOLE_LOG)
    assert predictions(model, 0) == "a6 b6 c6 d6"
    # The second segment has only holes, and goes when its turn comes.
    assert log_of(model) == ".. e"
    counted(
        model,
        {
            "flash_fills": 5, "requeued": 4, "flash_writes": 9, "flash_evictions": 0,
            "flash_batch_reads": 1, "flash_batch_read_pages": 4, "slots_used": 5,
            # Frames 4 to 7, 0 to 3, and 4: each write follows the one before.
            "flash_write_batches": 6, "flash_sequential_write_batches": 5,
            "flash_random_page_writes": 1, "flash_sequential_page_writes": 8,
        },
    )  # fmt: skip


def test_slow_kangaroo_puts_back_what_was_read_and_evicts_the_rest() -> None:
    options = {**WHOLE_LOG, "threshold": "5"}
    model = kangaroo("a b c d e a", 8, options)
    assert log_of(model) == "cd ae"
    counted(
        model,
        {
            "flash_fills": 5, "requeued": 1, "flash_evictions": 1, "flash_hits": 1,
            "flash_batch_reads": 0, "flash_writes": 6, "slots_used": 4,
        },
    )  # fmt: skip


def test_slow_kangaroo_flushes_again_if_what_it_puts_back_fills_a_segment() -> None:
    """Both pages of the log were read: each is put back once, then the older one goes."""
    options = {
        "log_percent": "34",
        "segment_pages": "1",
        "set_pages": "4",
        "threshold": "3",
    }
    assert log_of(kangaroo("a b a b d", 6, options)) == "a b"
    model = kangaroo("a b a b d e", 6, options)
    assert log_of(model) == "b d"
    counted(model, {"requeued": 2, "flash_evictions": 1, "flash_writes": 5})


def test_slow_kangaroo_leaves_a_hole_where_a_page_was_written() -> None:
    """The page is appended again, and is in its group where it was appended last."""
    model = kangaroo("a b c a! d", 8, WHOLE_LOG)
    assert log_of(model) == ".b ca"
    model = kangaroo("a b c a! d e", 8, WHOLE_LOG)
    assert predictions(model, 0) == "b6 c6 a6"
    counted(model, {"flash_invalidations": 1, "hdd_writes": 1, "flash_fills": 5})


def test_slow_kangaroo_keeps_residents_that_come_before_newcomers() -> None:
    """Of four pages that move together, two fit: the set is empty, or one resident was read."""
    options = {**WHOLE_LOG, "set_pages": "2"}
    first = "a b c d e"
    model = kangaroo(first + " f", 7, {**options, "log_percent": "58"})
    assert model.sets_count == 1
    assert predictions(model, 0) == "a6 b6"
    # e to h fill the log; a is read; i has them move: a is 1 and b 7 before they come.
    model = kangaroo(first + " f g h a i j", 7, {**options, "log_percent": "58"})
    assert predictions(model, 0) == "a1 e6"


def test_slow_kangaroo_shares_flash_between_sets_and_log() -> None:
    """5 % of 1,400 are 70: 4 partitions of 4 segments of 4, and 95 sets of 14 in what they leave."""
    model = Kangaroo({}, 1, 1400)
    assert model.partitions == model.segments == model.segment_pages == 4
    assert model.sets_count == 95
    # The first numbers of SplitMix64 in the states 0 and 1.
    of_sets = [0xE220A8397B1DCDAF % 95, 0x910A2DEC89025CC1 % 95]
    for at, block in enumerate((900, 3, 5)):
        model.access(at, ("1/1", block), write=False)
    for block, of_set in zip((900, 3), of_sets, strict=True):
        assert ("1/1", block) in model.in_log(of_set)


def test_slow_kangaroo_refuses_flash_without_a_set() -> None:
    with pytest.raises(ValueError, match="hold no set"):
        Kangaroo({"set_pages": "14"}, 1, 13)


def test_slow_kangaroo_that_keeps_an_old_copy_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Kangaroo, "invalidate", lambda *_arguments: False)
    with pytest.raises(slow_systems.LostError):
        kangaroo("a b a! c a", 8, WHOLE_LOG)
