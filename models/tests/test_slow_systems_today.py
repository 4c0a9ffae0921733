"""The slow models of Open CAS, dm-cache, the L2ARC and CacheLib alone, on small examples worked by hand."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_systems
import slow_systems_today as today

Counts = dict[str, int]


def serve(model: today._Today, *accesses: str) -> None:
    """Serve accesses such as `r5` and `w5` to blocks of one relation; `@3.5` sets the time in seconds."""
    now_us = model.now_us
    model.began = 0
    for access in " ".join(accesses).split():
        if access[0] == "@":
            now_us = int(float(access[1:]) * today.SECOND)
        else:
            model.access(now_us, ("1/1", int(access[1:])), write=access[0] == "w")


def blocks(pages: Sequence[slow_systems.Page]) -> list[int]:
    return [block for _, block in pages]


def cas(flash_pages: int, **options: str) -> today._OpenCas:
    return today._OpenCas(options, 1, flash_pages)


def test_open_cas_notes_pages_that_become_dirty_and_clean() -> None:
    model = cas(4, mode="write_back", alru_wake_s="5", alru_stale_s="5")
    # 0 leaves DRAM changed at 0 s and again at 2 s, when it is dirty already.
    serve(model, "w0 r1 @2 w0 r2")
    assert model.count["flash_fills"] == 3
    assert model.count["flash_write_backs"] == 2
    assert model.count["metadata_random_page_writes"] == 1
    assert blocks(model.order) == [1, 0, 2]
    # 10 s after the last request it is quiet; at 10 s it is not yet, at 15 s the page is cleaned.
    model.tick(14_999_999)
    assert model.count["disk_writes_by_cleaner"] == 0
    model.tick(15_000_000)
    assert model.count["disk_writes_by_cleaner"] == 1
    assert model.count["metadata_random_page_writes"] == 2
    assert not model.dirty


def test_open_cas_cleans_no_page_that_is_not_stale() -> None:
    model = cas(4, mode="write_back", alru_wake_s="1", alru_idle_s="0")
    serve(model, "w0 r1 @100 w2 r3")
    model.tick(119_000_000)
    assert blocks(list(model.dirty)) == [0, 2]
    model.tick(120_000_000)
    assert blocks(list(model.dirty)) == [2]
    model.tick(220_000_000)
    assert not model.dirty


def test_open_cas_is_passed_by_a_long_stream_once_it_is_full() -> None:
    model = cas(3, sequential_cutoff_pages="2")
    # Lengths 1 to 5; full after the third: 3 and 4 pass.
    serve(model, "r0 r1 r2 r3 r4")
    assert model.count["bypassed"] == 2
    assert blocks(model.order) == [0, 1, 2]
    # A write of 4, as it leaves DRAM, continues no stream.
    serve(model, "w4 r9")
    assert model.count["flash_fills"] == 5
    assert model.count["bypassed"] == 2
    assert blocks(model.order) == [2, 4, 9]


def test_open_cas_with_all_pages_dirty_cleans_32_and_admits_none() -> None:
    model = cas(40, mode="write_back", cleaning="nop", sequential_cutoff_pages="0")
    serve(model, *(f"w{2 * at}" for at in range(41)))
    # As the 40th page leaves DRAM all are dirty, so the 41st is not admitted when it comes from disk.
    assert blocks(list(model.dirty)) == [2 * at for at in range(32, 40)]
    assert model.count["disk_writes_by_cleaner"] == 32
    assert model.count["metadata_random_page_writes"] == 40 + 32
    assert (model.count["bypassed"], model.count["flash_evictions"]) == (1, 0)
    # It is when it leaves DRAM: the least recently requested clean page makes room, twice.
    serve(model, "r1")
    assert (model.count["bypassed"], model.count["flash_evictions"]) == (1, 2)
    assert blocks(model.order)[:2] == [4, 6]
    assert blocks(model.order)[-2:] == [80, 1]


def test_open_cas_promotes_after_so_many_requests_once_it_is_filled() -> None:
    model = cas(
        4, promotion="nhit", hits="2", trigger_percent="50", sequential_cutoff_pages="0"
    )
    # Half of flash fills at once; 2 needs a second request.
    serve(model, "r0 r1 r2")
    assert blocks(model.order) == [0, 1]
    assert model.count["bypassed"] == 1
    serve(model, "r1 r2")
    assert blocks(model.order) == [0, 1, 2]
    assert model.hits["1/1", 2] == 0
    assert model.count["bypassed"] == 1


@pytest.mark.parametrize(
    ("mode", "counts"),
    [
        ("write_through", {"flash_write_backs": 1, "hdd_writes": 1}),
        ("write_back", {"flash_write_backs": 1, "dirty_slots": 1}),
        ("write_around", {"flash_write_backs": 1, "hdd_writes": 1}),
        ("write_only", {"flash_write_backs": 0, "dirty_slots": 1, "flash_fills": 1}),
        ("write_invalidate", {"flash_invalidations": 1, "hdd_writes": 1}),
        ("pass_through", {"flash_fills": 0, "bypassed": 0, "hdd_writes": 1}),
    ],
)
def test_open_cas_treats_a_write_by_its_mode(mode: str, counts: Counts) -> None:
    model = cas(8, mode=mode)
    serve(model, "w0 r5")
    found = model.finish()
    assert {key: found[key] for key in counts} == counts
    assert found["hdd_writes"] == counts.get("hdd_writes", 0)


def test_open_cas_fills_a_line_page_by_page_and_evicts_it_whole() -> None:
    model = cas(8, line_pages="4")
    serve(model, "r0 r1 r4 r2")
    assert model.slot == {("1/1", 0): 0, ("1/1", 1): 1}
    assert blocks(list(model.copies)) == [0, 1, 4, 2]
    # 5 lies in a line that is there, and is not: a miss that makes it the most recent.
    serve(model, "r5 r8")
    assert model.count["flash_hits"] == 0
    assert model.count["flash_evictions"] == 3
    assert model.slot == {("1/1", 1): 1, ("1/1", 2): 0}
    assert model.used() == 8


def test_open_cas_cleans_a_line_before_it_reads_what_the_line_lacks() -> None:
    model = cas(8, mode="write_back", cleaning="nop", line_pages="4")
    serve(model, "r0 r1 w0 w1 r9")
    assert blocks(list(model.dirty)) == [0, 1]
    assert model.count["metadata_random_page_writes"] == 2
    # What it has is served as it is.
    serve(model, "r0")
    assert blocks(list(model.dirty)) == [0, 1]
    serve(model, "r2")
    assert not model.dirty
    assert model.count["disk_writes_by_cleaner"] == 2
    assert model.count["flash_batch_read_pages"] == 4
    assert model.count["metadata_random_page_writes"] == 3
    # 0 and 1 are adjacent: one request.
    assert model.count["disk_batch_writes"] == 1
    assert model.count["disk_batch_write_pages"] == 2


def test_open_cas_joins_what_is_adjacent_and_no_more() -> None:
    model = cas(16, mode="write_back", cleaning="nop", line_pages="8")
    serve(model, "r0 r2 r3 r4 r7 w0 w2 w3 w4 w7 r9 r1")
    # The pages of the line leave RAM before 1, which it lacks, is read: 0, then 2 to 4, then 7.
    assert model.count["disk_writes_by_cleaner"] == 5
    assert model.count["disk_batch_writes"] == 1
    assert model.count["disk_batch_write_pages"] == 3


def test_open_cas_sends_a_stream_past_a_dirty_line() -> None:
    model = cas(
        4,
        mode="write_back",
        cleaning="nop",
        line_pages="4",
        sequential_cutoff_pages="1",
    )
    serve(model, "r0 r2 w0 w2 r0")
    assert blocks(list(model.dirty)) == [0, 2]
    # As 2 leaves RAM again, it follows 1: its copy is dropped, 0 is cleaned, and stays.
    model.streams.follow(model.place(("1/1", 1)))
    model.exit(("1/1", 2), changed=True)
    assert blocks(list(model.copies)) == [0]
    assert not model.dirty
    assert model.count["disk_writes_by_cleaner"] == 1
    assert model.count["flash_invalidations"] == 1
    assert model.count["metadata_random_page_writes"] == 3


def test_open_cas_sweeps_in_the_order_of_addresses() -> None:
    model = cas(300, mode="write_back", cleaning="acp", sequential_cutoff_pages="0")
    serve(model, *(f"w{2 * (150 - at)}" for at in range(150)), "r1")
    model.tick(10_000)
    assert sorted(blocks(list(model.dirty))) == list(range(258, 302, 2))
    # A lower block that becomes dirty waits for the next sweep.
    serve(model, "@0.01 w2 r1 @0.02 r1")
    assert blocks(list(model.dirty)) == [2]
    model.tick(30_000)
    assert not model.dirty
    assert model.count["disk_writes_by_cleaner"] == 151


def cache(flash_pages: int, **options: str) -> today._DmCache:
    return today._DmCache(options, 1, flash_pages)


def test_levels_raise_by_changing_places_and_share_evenly() -> None:
    levels: today._Levels[str] = today._Levels()
    levels.levels[0] = ["a", "b"]
    levels.levels[2] = ["c", "d"]
    levels.requeue("a", 2)
    assert (levels.levels[0], levels.levels[2]) == (["b", "c"], ["d", "a"])
    levels.requeue("b", 0)
    assert levels.levels[0] == ["c", "b"]
    levels.requeue("d", 100)
    assert (levels.level_of("d"), levels.levels[2]) == (63, ["a"])
    levels.requeue("d", 1)
    assert levels.levels[63] == ["d"]
    # Two too many go up to the new end, newest first; what lacks comes from above, oldest first.
    levels.levels[:3] = [["p", "q", "r"], ["s"], []]
    levels.redistribute([1, 1, 1, 2] + [0] * 60)
    assert levels.levels[:5] == [["p"], ["s"], ["q"], ["r", "d"], []]
    levels.redistribute([0, 3] + [0] * 62)
    assert levels.levels[:2] == [[], ["s", "p", "q"]]
    # Level 63 has no target: what is too many ends there.
    assert levels.levels[63] == ["r", "d"]


def test_entries_of_dm_cache_wait_for_two_turns_of_the_sentinels() -> None:
    levels = today._Waiting()

    def coldest() -> int | None:
        return levels.coldest(crossing=False)

    levels.append(1, 5)
    levels.turn()
    levels.append(2, 0)
    # 1 waited for one turn, 2 for none: only an idle disk takes either.
    assert (coldest(), levels.coldest(crossing=True)) == (None, 2)
    levels.turn()
    assert coldest() == 1
    levels.append(3, 0)
    levels.turn()
    # 2 is in the lower level.
    assert coldest() == 2
    # 1, which waited long, comes down and goes before 3, which did not; 2 waits from the start where it goes.
    levels.levels[1], levels.levels[5] = levels.levels[5], []
    levels.requeue(2, 1)
    assert (levels.levels[0], levels.levels[1]) == ([1, 3], [2])
    assert coldest() == 1
    levels.remove(1)
    assert coldest() is None
    # 2, which waited for nothing, comes down and goes behind 3, which waited for a turn.
    levels.append(4, 0)
    levels.requeue(4, 1)
    assert (levels.levels[0], levels.levels[1]) == ([3, 2], [4])
    levels.turn()
    assert coldest() == 3
    # What is pushed up a level waits from the start.
    levels.redistribute([1, 2] + [0] * 62)
    assert (levels.levels[0], levels.levels[1]) == ([3], [4, 2])
    levels.turn()
    levels.turn()
    levels.remove(3)
    assert coldest() == 4


def test_even_shares_favour_the_lowest_levels() -> None:
    assert today.evenly(130, 64) == [3, 3] + [2] * 62
    assert sum(today.evenly(7, 8)) == 7


def test_dm_cache_takes_whole_blocks_that_are_written_and_idles_into_write_back() -> (
    None
):
    model = cache(4, block_pages="1")
    # Nothing is hot enough before the first second: reads go by, a write takes a free slot.
    serve(model, "r0 w1 r2")
    assert model.count["bypassed"] == 3
    assert (model.count["flash_fills"], model.count["disk_batch_reads"]) == (1, 0)
    assert model.dirty_slots.levels[63] == [0]
    # At 1 s: idle since 0 s, one slot changed.
    model.tick(1_000_000)
    assert model.count["disk_writes_by_cleaner"] == 1
    assert model.count["metadata_random_page_writes"] == 2
    assert model.clean_slots.levels[63] == [0]
    assert (model.promotion_level, model.jump) == (48, 4)
    model.tick(2_000_000)
    assert model.count["metadata_random_page_writes"] == 2


def test_dm_cache_promotes_whole_blocks_of_areas_at_a_high_level() -> None:
    model = cache(32, block_pages="2", mode="write_through")
    serve(model, "r0")
    # 16 slots: one entry at the top after a redistribution, at level 56.
    model.tick(1_000_000)
    assert model.areas.levels[56] == [(0, 0)]
    serve(model, "@1.5 r5")
    assert model.count["disk_batch_reads"] == 1
    assert model.count["disk_batch_read_pages"] == model.count["flash_fills"] == 2
    assert model.slot_of == {(0, 2): 0}
    assert sorted(blocks(list(model.copies))) == [4, 5]
    # Each look-up of this second found level 48 or above: from 2 s on every miss promotes.
    model.tick(2_000_000)
    assert (model.promotion_level, model.jump) == (0, 1)
    serve(model, "@2.5 w4 r100")
    assert model.count["flash_hits"] == 1
    # 4 is written to flash and disk, as the block is there; the block of 100 is promoted.
    assert model.count["flash_write_backs"] == model.count["disk_writes_on_exit"] == 1
    assert model.slot_of == {(0, 2): 0, (0, 50): 1}
    assert model.finish()["slots_used"] == 4


def test_dm_cache_writes_a_block_back_in_one_request() -> None:
    model = cache(9, block_pages="3", migration_threshold_pages="3")
    model.promotion_level = 0
    serve(model, "r0 w1 w5 r9")
    assert model.slot_of == {(0, 0): 0, (0, 1): 1, (0, 3): 2}
    # 1 and 5 left RAM changed: all pages of both blocks are dirty.
    assert len(model.dirty) == 6
    model.tick(1_000_000)
    assert not model.dirty
    assert model.count["disk_writes_by_cleaner"] == model.count["hdd_writes"] == 6
    assert model.count["disk_batch_writes"] == model.count["flash_batch_reads"] == 2
    assert model.count["disk_batch_write_pages"] == 6
    assert model.count["flash_batch_read_pages"] == 6
    assert model.count["flash_stage_out_reads"] == 0


def test_dm_cache_cleans_no_block_above_its_threshold_while_idle() -> None:
    model = cache(9, block_pages="3", migration_threshold_pages="2")
    model.promotion_level = 0
    serve(model, "r0 w1 r9")
    model.tick(5_000_000)
    assert len(model.dirty) == 3
    # As room must be made it is written back all the same, but not before 20 s.
    serve(model, "@5 r30 r60")
    model.promotion_level = 0
    serve(model, "r90 @19.9 r120")
    model.promotion_level = 0
    serve(model, "r150")
    assert len(model.dirty) == 3
    serve(model, "@20 r180")
    model.promotion_level = 0
    serve(model, "r210")
    assert not model.dirty
    assert model.count["disk_batch_writes"] == 1


def test_dm_cache_takes_no_heat_from_hits() -> None:
    model = cache(32, block_pages="2")
    model.promotion_level = 0
    serve(model, "r0")
    assert model.areas.levels[0] == [(0, 0)]
    assert (model.lookups, model.high_lookups) == (1, 0)
    serve(model, "r40 r1 w0 r40")
    assert (model.lookups, model.high_lookups) == (2, 0)


def test_dm_cache_makes_room_for_the_next_time() -> None:
    model = cache(2, block_pages="1")
    model.promotion_level = 0
    serve(model, "r0 r1 r2")
    # Newcomers are at the top level: none is demoted before a redistribution, none is dirty.
    assert model.slot_of == {(0, 0): 0, (0, 1): 1}
    assert (model.count["bypassed"], model.count["flash_evictions"]) == (1, 0)
    model.clean_slots.redistribute(today.evenly(2, 64))
    serve(model, "r3")
    assert model.slot_of == {(0, 1): 1}
    assert (model.count["bypassed"], model.count["flash_evictions"]) == (2, 1)
    serve(model, "r4")
    assert model.slot_of == {(0, 1): 1, (0, 4): 0}
    serve(model, "w1 w4")
    assert model.dirty_slots.level_of(1) == 2


@pytest.mark.parametrize(
    ("high", "lookups", "level", "jump"),
    [(0, 0, 48, 4), (0, 1, 48, 4), (1, 17, 48, 4), (1, 16, 32, 2), (1, 9, 32, 2),
     (1, 8, 0, 1)],
)  # fmt: skip
def test_dm_cache_judges_by_the_share_of_high_lookups(
    high: int, lookups: int, level: int, jump: int
) -> None:
    model = cache(32, block_pages="2")
    model.high_lookups, model.lookups = high, lookups
    model.tick(1_000_000)
    assert (model.promotion_level, model.jump) == (level, jump)
    assert model.high_lookups == model.lookups == 0


def test_dm_cache_commits_each_changed_page_of_metadata_and_a_superblock() -> None:
    model = cache(2000, block_pages="1")
    model.uncommitted = {0, 508, 509, 1999}
    model.tick(5_000_000)
    assert model.count["metadata_random_page_writes"] == 3 + 1


def arc(flash_pages: int, ram_pages: int, **options: str) -> today._L2arc:
    return today._L2arc(options, ram_pages, flash_pages)


def test_l2arc_feeds_the_old_quarter_of_each_list() -> None:
    model = arc(20, 8)
    serve(model, "r0 r1 r2 r3 r4 r5 r6 r7 r0 r2 r0")
    assert (blocks(model.frequent), blocks(model.recent)) == (
        [2, 0],
        [1, 3, 4, 5, 6, 7],
    )
    model.tick(1_000_000)
    # At least one of each, frequent first.
    assert [page and page[1] for page in model.ring[:3]] == [2, 1, None]
    model.tick(2_000_000)
    assert model.count["flash_fills"] == 2
    # A write makes a hole; 3 leaves DRAM without a copy, 1 left with one and comes back frequent.
    serve(model, "@2 w2 r8 r9 r1")
    assert model.count["flash_invalidations"] == 1
    assert (model.count["flash_hits"], model.count["bypassed"]) == (1, 2)
    assert blocks(model.frequent) == [0, 2, 1]


def test_l2arc_spreads_what_is_left_of_a_day_and_carries_the_rest() -> None:
    model = arc(4, 2, burst_pages="6", write_max_pages_per_s="100")
    assert model.budget(0) == 100
    model.went_round = True
    assert model.day_budget() == 4
    # 10 pages: one second from the end all of them, two from the end half, before noon none.
    assert [model.budget(second) for second in (86_399, 86_398, 40_000)] == [10, 5, 0]
    model.written_today = 3
    model.tick(86_400_000_000)
    # The burst is not carried: 4 - 3.
    assert (model.carried, model.written_today) == (1, 0)
    assert model.budget(86_399) == 11
    model.limit_percent = 0
    assert model.budget(86_399) == 100


def test_l2arc_stops_where_headers_fill_a_third_of_dram() -> None:
    model = arc(20, 2, headers_per_page="4")
    # 33 % of 2 pages with 4 headers each: 2 pages that are on flash alone.
    assert model.most_headers == 2
    serve(model, "r0 r1 @1 r2 @2 r3 @3 r4 @4 r5 @5 r6")
    # 0 and 1 are fed before they leave; at 3 s both are on flash alone.
    assert blocks(list(model.copies)) == [0, 1]
    assert model.count["bypassed"] == 3
    # With one of them back in DRAM a page is fed again: the older of 6 and 0.
    serve(model, "r0 @6 r0")
    assert blocks(list(model.copies)) == [0, 1, 6]


def log(flash_pages: int, **options: str) -> today._Cachelib:
    return today._Cachelib(options, 1, flash_pages)


def test_cachelib_reclaims_the_least_recent_region_whole() -> None:
    model = log(6, region_pages="2")
    # Pages are appended as they leave DRAM: 0 1 | 2 3 | 4, and the third region is the last free one.
    serve(model, "r0 r1 r2 r3 r4")
    assert model.content[0] == [("1/1", 0), ("1/1", 1)]
    assert (model.order, model.open) == ([0, 1], None)
    # A hit makes region 0 the most recent, so region 1 is reclaimed as region 2 opens.
    serve(model, "r0 r9")
    assert sorted(blocks(list(model.copies))) == [0, 1, 4]
    assert (model.order, model.open) == ([0], 2)
    assert model.count["flash_evictions"] == 2
    assert model.free.freed == [1]


def test_cachelib_puts_back_what_was_hit_and_leaves_holes() -> None:
    model = log(6, region_pages="2", replacement="fifo", reinsertion_hits="1")
    serve(model, "r0 r1 r2 r3 r1 r4 r9")
    # Region 2 opens for 4: of region 0, 1 was hit and is put back before it.
    assert blocks([page for page in model.content[2] if page]) == [1, 4]
    assert (model.count["requeued"], model.count["flash_stage_out_reads"]) == (1, 1)
    assert model.hits["1/1", 1] == 0
    assert model.count["flash_evictions"] == 1
    # A changed copy is appended again.
    serve(model, "w4 r8")
    found = model.finish()
    assert (found["flash_invalidations"], found["old_versions"]) == (1, 1)
    assert found["flash_writes"] == found["flash_fills"] + found["requeued"] == 8


def test_cachelib_gives_pages_that_were_hit_regions_of_their_priority() -> None:
    model = log(
        8, region_pages="2", replacement="segmented_fifo", segment_ratios="1+1+1",
        clean_regions="2", reinsertion_hits="1",
    )  # fmt: skip
    # 0 1 | 2 3 are full; 0 is hit once, 1 twice. As 9 opens region 2, region 3 alone is ready, and region 0 is emptied:
    # 0 opens region 3 for priority 1, and none is left for 1. Region 1 is emptied too, so that two are ready.
    serve(model, "r0 r1 r2 r3 r0 r1 r9 r1")
    assert model.opens == [2, 3, None]
    assert blocks([page for page in model.content[3] if page]) == [0]
    assert (model.count["requeued"], model.count["flash_evictions"]) == (1, 3)
    assert model.segments == [[], [], []]
    assert model.free.count() == 2


def test_cachelib_moves_regions_down_above_their_share() -> None:
    model = log(
        40, region_pages="2", replacement="segmented_fifo", segment_ratios="2+1+1"
    )
    model.segments = [[0], [1, 2], [3, 4, 5]]
    # 6 regions: a share of 1 for each upper segment; what comes down is last there.
    model.rebalance()
    assert model.segments == [[0, 1, 2, 3], [4], [5]]
    model.segments = [[0, 1, 2], [], []]
    model.rebalance()
    assert model.segments == [[0, 1, 2], [], []]


def test_cachelib_admits_at_random_by_a_rate() -> None:
    model = log(100, admission="dynamic_random", target_pages_per_s="2")
    random = model.admission
    assert isinstance(random, today._DynamicRandom)
    # 240 pages in the first minute are 4 a second; 2 x (60 + 86400) - 240 over a day are 1.9986.
    random.written = 240
    model.tick(60_000_000)
    assert random.factor == 0.75
    # 150 in the next one are 2.5; (2 x 86520 - 390) / 86400 = 1.998264.
    random.written = 390
    model.tick(120_000_000)
    assert random.factor == pytest.approx(0.75 * 1.998264 / 2.5, rel=1e-6)
    before = random.factor
    model.tick(180_000_000)
    assert random.factor == before * 1.25
    model.tick(60 * 60_000_000)
    assert random.factor == 10


def test_cachelib_rejects_the_first_insert_in_a_window() -> None:
    def said(blocks: Sequence[int], **options: str) -> list[bool]:
        admission = today._RejectFirst({"reject_window_pages": "2", **options}, 100)
        return [admission.admits(("1/1", block)) for block in blocks]

    # A page that is known stays so, until the third page forgets both of the one split.
    assert said((0, 0, 0, 1, 0, 2, 0), reject_splits="1") == [
        False, True, True, False, True, False, False,
    ]  # fmt: skip
    # Of two splits, the older one is forgotten.
    assert said((0, 1, 0, 2, 1, 0)) == [False, False, True, False, True, False]
