"""The systems of the papers, and those of today, in the core against slow models of their own, on many random traces."""

import random
import sys
from pathlib import Path

import pytest

from tierwright.simulate import replay
from tierwright.trace import reading

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_systems

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
        "initial_count": ("0", "1"),
        "ceiling": ("1", "2"),
    },
    "larc": {
        "mode": ("write_back", "write_through"),
        "fill_first": ("false", "true"),
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
}
BY_CHANCE = {"admission": "probability", "probability": "0.3", "seed": "5"}
TRACES = 40
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
    "larc": ("bypassed", "disk_writes_on_stage_out", "flash_write_backs"),
    "ram_filter": ("bypassed", "old_versions", "requeued", "disk_writes_on_stage_out"),
    "dm_writecache": ("bypassed", "metadata_random_page_writes", "dirty_slots"),
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


def written(steps: list[Step], path: Path) -> reading.Trace:
    rows = (
        f"{time},{'RW'[write]},{page[0]},{page[1]}\n" for time, page, write in steps
    )
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return reading.Trace(path)


def chosen(draw: random.Random, name: str) -> Options:
    return {
        option: draw.choice(values)
        for option, values in CHOICES[name].items()
        if draw.random() < 0.6
    }


@pytest.mark.parametrize(
    ("name", "dirty", "options"),
    [
        ("lazy_cleaning", 29, {"dirty_threshold": "0.29", "cleaner_period_us": "1"}),
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


@pytest.mark.parametrize("name", CHOICES)
def test_every_counter_is_that_of_the_slow_model(name: str, tmp_path: Path) -> None:
    seen: dict[str, int] = dict.fromkeys(slow_systems.COUNTERS, 0)
    for seed in range(TRACES):
        draw = random.Random(f"{name} {seed}")
        steps = trace_of(draw)
        options = chosen(draw, name)
        if name == "ram_filter" and seed % 4 == 0:
            options = {"mode": options.get("mode", "write_back"), **BY_CHANCE}
        if name == "dm_writecache" and seed % 2 == 0:
            # So fast that a slow disk falls behind.
            steps = [(time // 1000, page, write) for time, page, write in steps]
        sizes = (draw.randint(1, 8), draw.randint(8, 40))
        expected = slow_systems.simulate(name, options, steps, sizes)
        trace = written(steps, tmp_path / f"{seed}.csv")
        found = replay.replay(trace, "flash_cache", name, *sizes, options=options)
        where = f"trace {seed} with {options} over {sizes}"
        assert {key: found[key] for key in expected} == expected, where
        assert options.items() <= found["options"].items()
        hits = found["ram_hits"] + found["flash_hits"] + found["flash_misses"]
        assert hits == found["accesses"] == len(steps)
        for key, count in expected.items():
            seen[key] += count
    for key in ("flash_hits", "flash_evictions", *HAPPENED[name]):
        assert seen[key] > 0, key


@pytest.mark.parametrize("name", CHOICES)
def test_a_slow_model_that_loses_a_write_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        slow_systems.MODELS[name], "write_disk", lambda *_arguments: None
    )
    draw = random.Random(name)
    steps = [(at, ("1/1", draw.randrange(30)), True) for at in range(200)]
    with pytest.raises(slow_systems.LostError):
        slow_systems.simulate(name, {}, steps, (2, 8))
