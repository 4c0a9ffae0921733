"""Memory of flash caches, filling and restarting: published numbers and invariants."""

import ctypes
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import recovery as recovery_question
from tierwright.advise.recovery import Redone, redo_window, redone_of
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate import disk_array, flash_cache, metadata, recovery
from tierwright.evaluate.page_flow.cautions import about_space_behind
from tierwright.hardware import catalog
from tierwright.profile.measure import profile, window_curves
from tierwright.trace.reading import Trace

GIB, TIB, PIB, MIB = 2**30, 2**40, 2**50, 2**20

sizes = st.integers(1, 2**50)
fragments = st.integers(0, 12).map(lambda doublings: 4096 * 2**doublings)


# --- memory: published numbers ----------------------------------------------------------


@pytest.mark.oracle(
    "evaluate.metadata.PRESETS.bcache",
    "evaluate.metadata.PRESETS.bighash",
    "evaluate.metadata.PRESETS.cachelib",
    "evaluate.metadata.PRESETS.dm_cache",
    "evaluate.metadata.PRESETS.dm_writeboost",
    "evaluate.metadata.PRESETS.enhanceio",
    "evaluate.metadata.PRESETS.flashcache",
)
@pytest.mark.parametrize(
    ("preset", "flash", "published"),
    [
        # SCE paper, sections 3.4 and 4.7: 2 TiB of flash take 12 and 4 GiB; 200 GiB take
        # 1200 and 400 MiB (measured 1212 and 415).
        ("flashcache", 2 * TIB, 12 * GIB),
        ("enhanceio", 2 * TIB, 4 * GIB),
        ("flashcache", 200 * GIB, 1200 * MIB),
        ("enhanceio", 200 * GIB, 400 * MIB),
        # Table 1: 15 MiB measured for bcache.
        ("bcache", 200 * GIB, 15 * MIB),
        # dm-writeboost: about 1 % of the device.
        ("dm_writeboost", 100 * GIB, 1 * GIB),
        # The kernel's guide to the policies of dm-cache: 25 bytes a block, here of 256 KiB.
        ("dm_cache", TIB, 25 * 2**22),
        # CacheLib: 8 bytes a record of the index of large objects, and a bucket of 4 KiB.
        ("cachelib", TIB, 2 * GIB),
        ("bighash", TIB, 2 * GIB),
    ],
)
def test_memory_of_block_caches(preset: str, flash: int, published: int) -> None:
    found = metadata.PRESETS[preset].ram_bytes(flash)
    assert float(found) == pytest.approx(published, rel=1e-9)


@pytest.mark.oracle("evaluate.metadata.PRESETS.open_cas")
def test_open_cas_takes_what_its_statistics_say() -> None:
    # Open-CAS/open-cas-linux#410: 926,351,414 lines of 4 KiB, "Metadata Memory Footprint 46.7 [GiB]".
    found = metadata.PRESETS["open_cas"].ram_bytes(926_351_414 * 4096)
    assert float(found) / GIB == pytest.approx(46.7, abs=0.05)


@pytest.mark.oracle("evaluate.metadata.PRESETS.open_cas_32k")
def test_larger_lines_of_open_cas_take_less() -> None:
    # Open-CAS/open-cas-linux#1707: 61.5 bytes for each line of 32 KiB, which has eight of 4 KiB.
    large, small = (
        float(metadata.PRESETS[name].ram_bytes(TIB))
        for name in ("open_cas_32k", "open_cas")
    )
    assert large == 61.5 * 2**25
    assert small / large == pytest.approx(8 * 54.13 / 61.5)


@pytest.mark.oracle("evaluate.metadata.PRESETS.dm_writecache")
def test_dm_writecache_takes_what_its_structures_have() -> None:
    class WcEntry(ctypes.Structure):
        """`struct wc_entry` of Linux on 64 bits, with support of persistent memory."""

        _fields_ = (
            ("rb_node", ctypes.c_void_p * 3),
            ("lru", ctypes.c_void_p * 2),
            ("wc_list_contiguous", ctypes.c_uint64, 16),
            ("write_in_progress", ctypes.c_uint64, 1),
            ("index", ctypes.c_uint64, 47),
            ("age", ctypes.c_uint64),
            ("original_sector", ctypes.c_uint64),
            ("seq_count", ctypes.c_uint64),
        )

    class WcMemoryEntry(ctypes.Structure):
        """`struct wc_memory_entry`."""

        _fields_ = (
            ("original_sector", ctypes.c_uint64),
            ("seq_count", ctypes.c_uint64),
        )

    a_block = ctypes.sizeof(WcEntry) + ctypes.sizeof(WcMemoryEntry)
    found = metadata.PRESETS["dm_writecache"].ram_bytes(TIB)
    assert float(found) == a_block * 2**28 == 22 * GIB


@pytest.mark.oracle(
    "evaluate.metadata.PRESETS.cac",
    "evaluate.metadata.PRESETS.exadata",
    "evaluate.metadata.PRESETS.lazy_cleaning",
    "evaluate.metadata.PRESETS.tac",
)
def test_derived_directories_have_the_fields_that_the_paper_describes() -> None:
    """Kang, Lee and Moon (2016), section 6.1, footnote 2: entries of 32 bytes; and what 3.2 says of each replacement."""
    entry = ("of_face", ctypes.c_uint64 * 4)
    queued = (("newer", ctypes.c_void_p), ("older", ctypes.c_void_p))
    fields = {
        "lazy_cleaning": (*queued, ("last", ctypes.c_uint64), ("last_but_one", ctypes.c_uint64)),
        "tac": queued,
        "exadata": queued,
        "cac": (
            ("reads", ctypes.c_uint32),
            ("writes", ctypes.c_uint32),
            ("value", ctypes.c_double),
            ("place", ctypes.c_uint64),
        ),
    }  # fmt: skip
    for name, more in fields.items():
        of_page = type(name, (ctypes.Structure,), {"_fields_": (entry, *more)})
        found = metadata.PRESETS[name]
        assert float(found.ram_bytes(TIB)) == ctypes.sizeof(of_page) * 2**28, name
        assert found.source.startswith("derived")
        assert "assumed" in found.note
    # A temperature for each extent of the volume, whatever is on flash.
    tac = metadata.PRESETS["tac"]
    behind = tac.ram_bytes(TIB, source_bytes=32 * TIB) - tac.ram_bytes(TIB)
    assert float(behind) == 8 * (32 * TIB // (32 * 4096))


@pytest.mark.oracle(
    "evaluate.metadata.PRESETS.cachesack",
    "evaluate.metadata.PRESETS.larc",
    "evaluate.metadata.PRESETS.ram_filter",
)
def test_derived_directories_remember_what_is_not_on_flash() -> None:
    """Structures as MSST 2013, SOSP 2023 and ATC 2022 describe them: an entry of FaCE, a place in a list, ghosts, last requests."""
    entry = ("of_face", ctypes.c_uint64 * 4)
    queued = (("newer", ctypes.c_void_p), ("older", ctypes.c_void_p))
    ghost = type(
        "Ghost", (ctypes.Structure,), {"_fields_": (("page", ctypes.c_uint64), *queued)}
    )
    held = type("Held", (ctypes.Structure,), {"_fields_": (entry, *queued)})
    slot = type("Slot", (ctypes.Structure,), {"_fields_": (entry,)})
    pages = TIB // 4096
    # LARC's list holds at most 0.9 pages for each of flash; the filter of S3-FIFO as many as flash.
    for name, taken in {
        "larc": pages * ctypes.sizeof(held) + 0.9 * pages * ctypes.sizeof(ghost),
        "ram_filter": pages * (ctypes.sizeof(slot) + ctypes.sizeof(ghost)),
        "cachesack": pages * ctypes.sizeof(held),
    }.items():
        found = metadata.PRESETS[name]
        assert float(found.ram_bytes(TIB)) == pytest.approx(taken), name
        assert found.source.startswith("derived")
        assert "assumed" in found.note
    # The last request of each page of the volume is a count of requests.
    sack = metadata.PRESETS["cachesack"]
    behind = sack.ram_bytes(TIB, source_bytes=32 * TIB) - sack.ram_bytes(TIB)
    assert float(behind) == ctypes.sizeof(ctypes.c_uint64) * 32 * pages


@pytest.mark.oracle("evaluate.metadata.PRESETS.kangaroo")
def test_kangaroo_takes_seven_bits_an_object() -> None:
    # McAllister and others (SOSP 2021): 7.0 bits of DRAM an object.
    found = metadata.PRESETS["kangaroo"].ram_bytes(10**9 * 512, page_bytes=512)
    assert float(found) == 7 * 10**9 / 8


@pytest.mark.oracle("evaluate.metadata.PRESETS.l2arc")
def test_l2arc_headers_of_a_published_machine() -> None:
    # openzfs/zfs#11702: 17,993,321 headers of 96 bytes, "around 1.8 GB" in use.
    records = 17_993_321
    found = metadata.PRESETS["l2arc"].ram_bytes(records * 16_384, page_bytes=16_384)
    assert float(found) == 96 * records
    assert float(found) / 1e9 == pytest.approx(1.73, abs=0.01)


@pytest.mark.oracle("evaluate.metadata.PRESETS.sce")
@pytest.mark.parametrize(
    ("source", "cache", "mapping", "descriptors"),
    [
        # SCE paper, section 3.4: 76 bytes a fragment where source = cache (152 MiB for 2 TiB);
        # 22 GiB for 1 PiB of source and 256 TiB of cache.
        (2 * TIB, 2 * TIB, 8 * MIB, 144 * MIB),
        (100 * TIB, 16 * TIB, 400 * MIB, 1152 * MIB),
        (PIB, 256 * TIB, 4 * GIB, 18 * GIB),
    ],
)
def test_memory_of_the_fragment_cache(
    source: int, cache: int, mapping: int, descriptors: int
) -> None:
    found = metadata.fragment_cache_metadata(source, cache)
    assert (found.mapping_bytes, found.descriptor_bytes) == (mapping, descriptors)
    preset = metadata.PRESETS["sce"]
    whole = preset.ram_bytes(cache, source_bytes=source)
    assert float(whole) == found.with_buffers_bytes


def test_memory_against_block_caches() -> None:
    # SCE paper, section 4.7: a 1 TiB cache of 160 GiB; 66 and 23 times less memory (69 and 23
    # follow with the 16 MiB of buffers counted).
    sce = metadata.fragment_cache_metadata(160 * GIB, TIB)
    assert sce.with_buffers_bytes / MIB == pytest.approx(88.6, abs=0.05)

    def ratio(per_block: int) -> float:
        block = metadata.block_metadata(
            TIB, block_bytes=4096, bytes_per_block=per_block
        )
        return metadata.memory_ratio(
            block_cache_bytes=block.total_bytes,
            fragment_cache_bytes=sce.total_bytes,
            buffer_bytes=metadata.SCE_BUFFER_BYTES,
        )

    assert round(ratio(24)) == 69
    assert round(ratio(8)) == 23


def test_the_bitmap_is_part_of_the_descriptor() -> None:
    found = metadata.fragment_descriptor(MIB)
    assert (found.pages, found.bitmap_bytes, found.descriptor_bytes) == (256, 32, 72)


# --- memory: invariants of section 7.4 --------------------------------------------------


def test_the_space_behind_stands_in_the_name_of_a_preset() -> None:
    """The two-term formula at 1 TiB, whatever the workload spans."""
    stated = metadata.preset("sce:1TiB")
    found = metadata.charge(
        stated,
        ram_bytes=64 * GIB,
        flash_bytes=160 * GIB,
        page_bytes=4096,
        source_bytes=GIB,
    )
    sce = metadata.fragment_cache_metadata(TIB, 160 * GIB)
    assert found.metadata_bytes == sce.with_buffers_bytes
    left = metadata.ram_pages_left(
        stated, ram_pages=16 * MIB, flash_pages=40 * MIB, page_bytes=4096
    )
    assert float(left) == found.left_pages
    with pytest.raises(BadInput, match="keeps no metadata"):
        metadata.preset("face:1TiB")
    with pytest.raises(BadInput):
        metadata.preset("sce:much")


@pytest.mark.parametrize(
    ("name", "entry_bytes", "unit_bytes"),
    [
        ("stated:32B", 32.0, None),
        ("stated:32", 32.0, None),
        ("stated:61.5B/32KiB", 61.5, 32 * 2**10),
        ("stated:24/4096", 24.0, 4096),
    ],
)
def test_an_entry_is_charged_as_stated(
    name: str, entry_bytes: float, unit_bytes: int | None
) -> None:
    found = metadata.preset(name)
    assert (found.entry_bytes, found.unit_bytes) == (entry_bytes, unit_bytes)
    # The name reads back to the same entry, since answers and addresses keep only the name.
    assert metadata.preset(found.name) == found
    flash, page = 10 * 2**30, 8192
    needed = float(found.ram_bytes(flash, page_bytes=page, source_bytes=2**40))
    assert needed == entry_bytes * (flash // (unit_bytes or page))


@pytest.mark.parametrize(
    "name",
    [
        "stated",
        "stated:",
        "stated:0B",
        "stated:-1B",
        "stated:nan",
        "stated:1e3B",
        "stated:32B/",
        "stated:32B/0KiB",
        "stated:32B/page",
        "stated:32B/2EiB",
        f"stated:32B/{'9' * 40}",
    ],
)
def test_an_entry_that_is_no_size_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"metadata preset|size `"):
        metadata.preset(name)


def test_less_space_behind_than_the_workload_is_refused() -> None:
    """The pages of a workload lie in the space behind: a lesser one undercharges the RAM."""
    for name in ("sce:0", "sce:0GiB"):
        with pytest.raises(BadInput, match="above 0"):
            metadata.preset(name)
    sizes = {"ram_pages": 16 * MIB, "flash_pages": 40 * MIB, "page_bytes": 4096}
    for name in ("sce:1B", "sce:10239GiB"):
        stated = metadata.preset(name)
        with pytest.raises(BadInput, match="pages of the workload") as refused:
            metadata.ram_pages_left(stated, **sizes, source_bytes=[GIB, 10 * TIB])
        assert [each.where for each in refused.value.problems] == ["flash_metadata"]
        with pytest.raises(BadInput, match="pages of the workload"):
            metadata.charge(
                stated,
                ram_bytes=64 * GIB,
                flash_bytes=100 * GIB,
                page_bytes=4096,
                source_bytes=10 * TIB,
            )
    exact = metadata.ram_pages_left(
        metadata.preset("sce:10TiB"), **sizes, source_bytes=10 * TIB
    )
    unstated = metadata.ram_pages_left(
        metadata.preset("sce"), **sizes, source_bytes=10 * TIB
    )
    assert float(exact) == float(unstated)


@pytest.mark.parametrize(
    ("name", "warned"), [("sce", True), ("sce:2TiB", False), ("face", False)]
)
def test_a_map_of_unstated_space_is_warned_of(name: str, *, warned: bool) -> None:
    found = [each.name for each in about_space_behind(metadata.preset(name))]
    assert found == ["space_behind_not_stated"] * warned
    assert list(about_space_behind(None)) == []


@pytest.mark.formula("sce.metadata")
@given(sizes, sizes, sizes, fragments)
def test_memory_is_linear_and_additive(
    source: int, cache: int, more: int, fragment: int
) -> None:
    def total(s: int, c: int, f: int = fragment) -> float:
        found = metadata.fragment_cache_metadata(s, c, fragment_bytes=f)
        assert found.total_bytes == found.mapping_bytes + found.descriptor_bytes
        return found.total_bytes

    both = total(source + more, cache + more)
    assert both == pytest.approx(total(source, cache) + total(more, more))
    assert total(2 * source, 2 * cache) == pytest.approx(2 * total(source, cache))
    # A fragment twice as large halves the map and the descriptors.
    assert total(source, cache, 2 * fragment) * 2 == pytest.approx(total(source, cache))


@pytest.mark.formula("sce.fragment_descriptor")
@given(st.integers(3, 12).map(lambda doublings: 4096 * 2**doublings))
def test_bits_a_byte_stay_constant(fragment: int) -> None:
    small = metadata.fragment_descriptor(fragment)
    large = metadata.fragment_descriptor(2 * fragment)
    assert large.bitmap_bytes == 2 * small.bitmap_bytes
    fixed = small.descriptor_bytes - small.bitmap_bytes
    assert large.descriptor_bytes - large.bitmap_bytes == fixed
    assert small.bitmap_bytes * 8 == small.pages


@pytest.mark.formula("sce.block_metadata")
@given(sizes, sizes, st.sampled_from([512, 4096, 2**20]), st.floats(0.5, 100))
def test_block_memory_is_linear(
    cache: int, more: int, block: int, per_block: float
) -> None:
    def found(size: int) -> float:
        return metadata.block_metadata(
            size, block_bytes=block, bytes_per_block=per_block
        ).total_bytes

    assert found(cache + more) == pytest.approx(found(cache) + found(more))
    larger = metadata.block_metadata(
        cache, block_bytes=2 * block, bytes_per_block=per_block
    )
    assert larger.total_bytes * 2 == pytest.approx(found(cache))


@pytest.mark.formula("sce.memory_ratio")
@given(st.floats(0, 1e12), st.floats(1, 1e12), st.floats(0, 1e9))
def test_buffers_never_raise_the_memory_ratio(
    block: float, fragment: float, buffers: float
) -> None:
    def ratio(extra: float) -> float:
        return metadata.memory_ratio(
            block_cache_bytes=block, fragment_cache_bytes=fragment, buffer_bytes=extra
        )

    assert ratio(buffers) <= ratio(0)
    assert ratio(buffers) * (fragment + buffers) == pytest.approx(block)


@pytest.mark.formula("evaluate.metadata.charge")
@given(
    st.sampled_from(sorted(metadata.PRESETS)),
    st.integers(4096, 2**40),
    st.integers(0, 2**42),
    st.sampled_from([4096, 8192, 16384]),
)
def test_a_charged_budget_keeps_what_is_left(
    name: str, ram: int, flash: int, page: int
) -> None:
    preset = metadata.PRESETS[name]
    found = metadata.charge(preset, ram_bytes=ram, flash_bytes=flash, page_bytes=page)
    assert found.left_pages * page + min(found.metadata_bytes, ram) <= ram
    assert found.feasible == (found.left_pages > 0)
    if flash == 0:
        assert (found.metadata_bytes, found.left_pages) == (0, ram // page)
    more = metadata.charge(
        preset, ram_bytes=ram, flash_bytes=flash + 2**30, page_bytes=page
    )
    assert more.metadata_bytes >= found.metadata_bytes
    assert more.left_pages <= found.left_pages


def test_every_preset_states_where_it_is_from() -> None:
    for name, preset in metadata.PRESETS.items():
        assert name == preset.name
        assert preset.source
        assert preset.title
        assert metadata.preset(name) is preset
    with pytest.raises(BadInput, match="metadata preset `zfs` is unknown") as raised:
        metadata.preset("zfs")
    assert "l2arc" in raised.value.hint


# --- filling ----------------------------------------------------------------------------


def test_filling_by_page_and_by_fragment() -> None:
    # SCE paper, section 3.4: 100 GiB are 26,214,400 misses of 4 KiB, or 102,400 fragments.
    found = recovery.warm_up_misses(100 * GIB, [4096, MIB])
    assert found.tolist() == [26_214_400, 102_400]


@pytest.mark.formula("sce.warmup_units")
@given(sizes, st.sampled_from([4096, 2**17, 2**20]), st.integers(2, 100))
def test_units_are_inverse_to_their_size(cache: int, unit: int, factor: int) -> None:
    one, larger = recovery.warm_up_misses(cache, [unit, unit * factor])
    assert larger * factor == pytest.approx(one)
    assert one * unit == pytest.approx(cache)


@pytest.mark.formula("evaluate.recovery.fill_time")
@given(
    st.floats(1, 1e15),
    st.dictionaries(st.sampled_from("abcd"), st.floats(1, 1e12), min_size=1),
)
def test_the_slowest_way_bounds_the_filling(
    size: float, rates: dict[str, float]
) -> None:
    found = recovery.fill_time(size, rates)
    assert found.seconds == pytest.approx(max(size / rate for rate in rates.values()))
    assert rates[found.bottleneck] == min(rates.values())


# --- restart: published numbers ---------------------------------------------------------


def test_metadata_restore_of_face_section_6_8() -> None:
    # FaCE sections 5.2 and 6.8: 10 GB in pages of 4 kB; 512 MB of data pages and 80 MB of
    # metadata at 400 MB/s in about 1.5 s; a scan of 20 GB takes 50 s.
    found = flash_cache.recovery(10**10, page_bytes=4000, seq_read_bytes_per_s=4e8)
    assert found.scan_bytes == 512_000_000
    assert found.persisted_bytes_read == pytest.approx(80e6, rel=0.03)
    assert found.restore_seconds == pytest.approx(1.5, abs=0.03)
    scan = flash_cache.recovery(2 * 10**10, page_bytes=4096, seq_read_bytes_per_s=4e8)
    assert scan.full_scan_seconds == 50


def test_restart_ratios_of_face_table_8() -> None:
    # FaCE Table 8: restart at checkpoints of 100, 200, 300 s; FaCE-GSC 34, 50, 59 s, disks
    # alone 58, 201, 525 s.
    found = recovery.restart_speedup([58, 201, 525], [34, 50, 59])
    assert found.round(2).tolist() == [1.71, 4.02, 8.9]


@pytest.mark.oracle("evaluate.recovery.restart")
def test_restart_with_and_without_flash() -> None:
    found = recovery.restart(
        metadata_s=1.5,
        redo_pages=[1_000, 100_000],
        redo_writes=[0, 10_000],
        flash_read_s=1e-4,
        flash_write_s=2e-4,
        disk_read_s=5e-3,
        disk_write_s=6e-3,
    )
    # 1000 pages: 1.5 + 0.098 + 0.1 = 1.698 against 5; 100,000: 1.5 + 9.8 + 10 + 2 = 23.3
    # against 500 + 60.
    assert found.with_flash.total_s.tolist() == pytest.approx([1.698, 23.3])
    assert found.without_flash.total_s.tolist() == pytest.approx([5.0, 560.0])
    assert found.speedup.tolist() == pytest.approx([5 / 1.698, 560 / 23.3])
    assert found.warnings == ()
    little = recovery.restart(
        metadata_s=1.5,
        redo_pages=10,
        redo_writes=0,
        flash_read_s=1e-4,
        flash_write_s=2e-4,
        disk_read_s=5e-3,
        disk_write_s=6e-3,
    )
    assert [warning.name for warning in little.warnings] == ["restore_costs_more"]


# --- restart: invariants of section 7.3 -------------------------------------------------


@pytest.mark.formula("face.recovery")
@given(
    st.integers(1, 2**42), st.integers(0, 2**42), st.sampled_from([4000, 4096, 8192])
)
def test_restore_time_does_not_fall_with_flash(
    flash: int, more: int, page: int
) -> None:
    low, high = (
        flash_cache.recovery(size, page_bytes=page, seq_read_bytes_per_s=4e8)
        for size in (flash, flash + more)
    )
    assert high.restore_seconds >= low.restore_seconds
    for found in (low, high):
        assert found.scan_bytes == min(found.segments, 2) * 64_000 * page
        assert found.segments_read == max(0, found.segments - 2)
        assert found.pages <= found.segments * 64_000 < found.pages + 64_000


@pytest.mark.formula("face.metadata_flush_interval")
@given(st.integers(1, 10**6), st.floats(0.1, 1e6), st.floats(1.1, 10))
def test_flushes_come_as_often_as_segments_fill(
    entries: int, rate: float, factor: float
) -> None:
    found = float(recovery.metadata_flush_interval(entries, rate))
    assert found * rate == pytest.approx(entries)
    busier = float(recovery.metadata_flush_interval(entries, rate * factor))
    assert busier * factor == pytest.approx(found)
    assert np.isinf(recovery.metadata_flush_interval(entries, 0))


@pytest.mark.formula("face.restart_speedup")
@given(st.floats(0.1, 1e4), st.floats(0.1, 1e4))
def test_speedups_of_two_systems_are_inverse(one: float, other: float) -> None:
    forth = float(recovery.restart_speedup(one, other))
    back = float(recovery.restart_speedup(other, one))
    assert forth * back == pytest.approx(1)
    assert (forth > 1) == (one > other) or forth == pytest.approx(1)


@pytest.mark.formula("evaluate.recovery.redo_time")
@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**6))
def test_redo_time_falls_with_the_share_on_flash(
    first: float, second: float, pages: int
) -> None:
    low, high = sorted((first, second))
    found = recovery.redo_time(
        metadata_s=1,
        redo_pages=pages,
        redo_writes=0,
        flash_share=[low, high],
        flash_read_s=1e-4,
        disk_read_s=5e-3,
        write_s=0,
    ).total_s
    assert found[1] <= found[0] + 1e-9
    assert 1 + pages * 1e-4 - 1e-9 <= found[1]
    assert found[0] <= 1 + pages * 5e-3 + 1e-9


# --- flash cache formulas (section 7.3) -------------------------------------------------


@pytest.mark.formula("face.write_reduction")
@given(st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_write_reduction_is_the_share_spared(written: float, dirty: float) -> None:
    found = flash_cache.write_reduction(written, dirty)
    assert found is not None
    assert found <= 1
    assert (found >= 0) == (written <= dirty)
    assert dirty * (1 - found) == pytest.approx(written, rel=1e-9, abs=1e-6 * dirty)


@pytest.mark.formula("face.effective_capacity")
@given(st.floats(0, 1e15), st.floats(0, 1), st.floats(0, 1))
def test_effective_capacity_falls_with_old_versions(
    size: float, first: float, second: float
) -> None:
    low, high = sorted((first, second))
    most = flash_cache.effective_capacity(size, low)
    assert 0 <= flash_cache.effective_capacity(size, high) <= most <= size


@pytest.mark.parametrize(
    ("old_percent", "effective"),
    # FaCE Table 5, database of 57 GB: 4, 8, 12, 16, 20 GB of flash.
    [
        (10.0, 3.60),
        (15.5, 6.76),
        (23.9, 9.13),
        (35.3, 10.35),
        (44.9, 11.02),
    ],
)
def test_effective_capacities_of_face_table_5(
    old_percent: float, effective: float
) -> None:
    flash = {10.0: 4, 15.5: 8, 23.9: 12, 35.3: 16, 44.9: 20}[old_percent]
    found = flash_cache.effective_capacity(flash, old_percent / 100)
    assert found == pytest.approx(effective, abs=0.005)


@pytest.mark.formula("face.writeback_chain")
@given(st.floats(0, 1000), st.floats(1e-6, 1e3), st.floats(1e-6, 1e3))
def test_write_back_pays_above_its_break_even(
    evictions: float, disk: float, flash: float
) -> None:
    found = flash_cache.write_back_chain(evictions, disk_write=disk, flash_write=flash)
    least = found.break_even_evictions
    assert (least is None) == (flash >= disk)
    if least is not None:
        assert least >= 1
        if evictions > least * (1 + 1e-9):
            assert found.write_back < found.no_cache
        if evictions < least * (1 - 1e-9):
            assert found.write_back > found.no_cache
    assert found.write_through >= found.no_cache
    if evictions >= 1:
        assert found.write_through >= found.write_back * (1 - 1e-12)


@pytest.mark.formula("face.clean_admission_threshold")
@given(st.floats(2, 100), st.floats(0.1, 100), st.floats(0.01, 1.9), st.floats(0, 1))
def test_the_threshold_grows_with_dirty_displacement(
    disk_read: float, disk_write: float, flash: float, displaced: float
) -> None:
    def threshold(g: float) -> float:
        return flash_cache.clean_admission_threshold(
            disk_read=disk_read,
            disk_write=disk_write,
            flash_read=flash,
            flash_write=flash,
            dirty_displacement=g,
        )

    assert 0 < threshold(0) <= threshold(displaced) <= threshold(1)
    # At the threshold the disk reads spared pay for the writes.
    spared = threshold(displaced) * (disk_read - flash)
    assert spared == pytest.approx(flash + displaced * disk_write)


@pytest.mark.parametrize(
    ("bandwidth", "iops", "published"),
    # Ratios that follow from FaCE Table 1, pages of 4096 bytes.
    [
        (398e6, 13_979, 6.95),
        (300e6, 6_094, 12.0),
        (425e6, 21_572, 4.81),
        (676e6, 86_949, 1.90),
    ],
)
def test_sequential_over_random_writes_of_face_table_1(
    bandwidth: float, iops: float, published: float
) -> None:
    ratio, _ = flash_cache.sequential_write_ratio(
        seq_bytes_per_s=bandwidth, random_iops=iops, page_bytes=4096
    )
    assert ratio == pytest.approx(published, rel=5e-3)


@pytest.mark.formula("face.seq_to_random_write_ratio")
@given(st.floats(1e3, 1e11), st.floats(1, 1e7), st.sampled_from([4096, 8192]))
def test_the_ratio_compares_bandwidths(
    bandwidth: float, iops: float, page: int
) -> None:
    ratio, pages_per_s = flash_cache.sequential_write_ratio(
        seq_bytes_per_s=bandwidth, random_iops=iops, page_bytes=page
    )
    assert pages_per_s * page == pytest.approx(bandwidth)
    assert ratio * iops * page == pytest.approx(bandwidth)


# --- bottleneck (section 4.7) -----------------------------------------------------------

WORK = {
    "disk_reads": 2,
    "disk_writes": 1,
    "flash_reads": 8,
    "flash_writes": 6,
    "disk_read_iops": 409,
    "disk_write_iops": 343,
    "flash_read_iops": 65_803,
    "flash_write_iops": 13_979,
}


def test_appending_scales_through_16_disks_and_writing_in_place_does_not() -> None:
    # FaCE section 6.7.3: LC flattens from 8 disks, FaCE scales through 16.
    in_place = disk_array.bottleneck(**WORK, disks=[8, 16, 32])
    appends = disk_array.bottleneck(
        **{**WORK, "flash_write_iops": 398e6 / 4096, "flash_writes": 7},
        disks=[8, 16, 32],
    )
    assert in_place.bottleneck.tolist() == ["disk", "flash", "flash"]
    assert appends.bottleneck.tolist() == ["disk", "disk", "disk"]
    assert appends.throughput_per_s[1] > in_place.throughput_per_s[1]


counts = st.floats(0, 100)
rates = st.floats(1, 1e6)


@pytest.mark.formula("face.bottleneck")
@given(counts, counts, counts, st.floats(0.1, 100), rates, rates, st.integers(1, 64))
def test_more_disks_never_lower_throughput(
    reads: float,
    writes: float,
    flash_reads: float,
    flash_writes: float,
    disk_rate: float,
    flash_rate: float,
    disks: int,
) -> None:
    found = disk_array.bottleneck(
        disk_reads=reads,
        disk_writes=writes,
        flash_reads=flash_reads,
        flash_writes=flash_writes,
        disk_read_iops=disk_rate,
        disk_write_iops=disk_rate,
        flash_read_iops=flash_rate,
        flash_write_iops=flash_rate,
        disks=[disks, disks + 1],
        cpu_cap_per_s=1000,
    )
    few, more = found.throughput_per_s
    assert more >= few * (1 - 1e-12)
    assert float(max(found.disk_utilisation.max(), found.flash_utilisation.max())) <= 1
    assert few <= 1000
    for at, name in enumerate(found.bottleneck.tolist()):
        if name == "disk":
            assert found.disk_utilisation[at] == pytest.approx(1)
        if name == "flash":
            assert found.flash_utilisation[at] == pytest.approx(1)
            assert (disks, disks + 1)[at] >= found.knee_disks[at] * (1 - 1e-9)


def test_without_flash_there_is_no_knee_and_without_work_no_limit() -> None:
    alone = disk_array.bottleneck(**{**WORK, "flash_reads": 0, "flash_writes": 0})
    assert np.isinf(alone.knee_disks)
    assert alone.to_dict()["knee_disks"] is None
    idle = {name: 0 for name in WORK if not name.endswith("iops")}
    with pytest.raises(BadInput, match="nothing limits the throughput"):
        disk_array.bottleneck(**{**WORK, **idle})
    capped = disk_array.bottleneck(**{**WORK, **idle}, cpu_cap_per_s=7)
    assert (capped.bottleneck.item(), float(capped.throughput_per_s)) == ("cpu", 7)


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: metadata.fragment_descriptor(5000),
            "fragment_bytes: `5000` is not a positive multiple of 4096",
        ),
        (
            lambda: metadata.fragment_cache_metadata(0, 1),
            "source_bytes: `0` must be finite and above 0",
        ),
        (
            lambda: metadata.block_metadata(1, block_bytes=0, bytes_per_block=8),
            "block_bytes: `0` must be finite and above 0",
        ),
        (
            lambda: metadata.memory_ratio(
                block_cache_bytes=1, fragment_cache_bytes=0, buffer_bytes=0
            ),
            "with buffers must be above 0",
        ),
        (
            lambda: metadata.charge(
                metadata.PRESETS["face"], ram_bytes=0, flash_bytes=1, page_bytes=1
            ),
            "ram_bytes: `0` must be above 0",
        ),
        (
            lambda: metadata.PRESETS["face"].ram_bytes(-1),
            "flash_bytes: `-1.0` must be finite and not negative",
        ),
        (lambda: recovery.warm_up_misses(0, 1), "cache_bytes: `0.0` must be above 0"),
        (lambda: recovery.fill_time(1, {}), "needs at least one"),
        (lambda: recovery.fill_time(1, {"ssd": 0}), "ssd: `0` must be finite"),
        (
            lambda: recovery.metadata_flush_interval(0, 1),
            "entries_per_segment: `0.0` must be above 0",
        ),
        (lambda: recovery.restart_speedup(0, 1), "other_s: `0.0` must be above 0"),
        (
            lambda: disk_array.bottleneck(**{**WORK, "disk_read_iops": 0}),
            "disk_read_iops: `0.0` must be above 0",
        ),
        (
            lambda: disk_array.bottleneck(**WORK, disks=0),
            "disks: `0.0` must be at least 1",
        ),
    ],
)
def test_refusals_name_value_and_next_step(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        call()
    assert raised.value.hint


@pytest.mark.formula("evaluate.metadata.ram_pages_left")
@pytest.mark.oracle("evaluate.metadata.ram_pages_left")
@given(
    st.sampled_from(sorted(metadata.PRESETS)),
    st.integers(1, 10**7),
    st.integers(0, 10**8),
    st.sampled_from([512, 4096, 8192]),
)
def test_many_sizes_are_charged_as_one_is(
    name: str, ram: int, flash: int, page: int
) -> None:
    preset = metadata.preset(name)
    one = metadata.charge(
        preset,
        ram_bytes=ram * page,
        flash_bytes=flash * page,
        page_bytes=page,
        source_bytes=10**9,
    )
    left = metadata.ram_pages_left(
        preset,
        ram_pages=[ram],
        flash_pages=[[flash], [0]],
        page_bytes=page,
        source_bytes=10**9,
    )
    assert left.shape == (2, 1)
    assert max(0.0, left[0, 0]) == one.left_pages
    assert left[1, 0] == ram  # no flash, no metadata
    free = metadata.ram_pages_left(
        None, ram_pages=ram, flash_pages=flash, page_bytes=page
    )
    assert float(free) == ram


@pytest.mark.oracle("advise.recovery.redone_of", "advise.recovery.redo_window")
def test_pages_to_redo_are_those_that_the_trace_writes_in_half_an_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a set for each window, the last one, which is cut short, left out."""
    draw = random.Random(4)
    steps = [(draw.randrange(60), draw.random() < 0.3) for _ in range(1_050)]
    path = tmp_path / "trace.csv"
    rows = [
        f"{at * 10_000},{'W' if write else 'R'},1/1,{page}\n"
        for at, (page, write) in enumerate(steps)
    ]
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    # 100 accesses a second: 2 s are 200 of them.
    assert redo_window(1050, accesses_per_s=100, checkpoint_interval_s=4) == (200, 1.0)
    found = window_curves(Trace(path), window_accesses=200, sizes=[1])
    slow = [
        len({page for page, write in steps[at : at + 200] if write})
        for at in range(0, 1_050, 200)
    ]
    assert found["pages_written"].tolist() == slow
    redone = redone_of(
        found["window_accesses"], found["pages_written"], length=200, share=1.0
    )
    assert redone.windows == 5
    assert redone.pages == sum(slow[:5]) / 5
    assert redone.most == max(slow[:5])
    arguments = [
        "restart", "--flash", "64GiB", "--flash-device", "samsung-pm9a3-7.68tb-u2",
        "--disk-device", "face2016-cheetah-15k6-single", "--trace", str(path),
        "--checkpoint-interval-s", "4", "--accesses-per-second", "100",
    ]  # fmt: skip
    assert main(arguments) == 0
    assert f"{redone.pages:,.0f}" in capsys.readouterr().out.splitlines()[0]
    # What is stated counts, whatever the trace says.
    assert main([*arguments, "--redo-pages", "77"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("77")
    assert main(arguments[:7]) == 2
    assert "--redo-pages" in capsys.readouterr().err


def test_a_trace_that_records_no_writes_counts_no_pages_to_redo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows which of its accesses wrote: 0 pages would be a claim."""
    path = tmp_path / "x.lis"
    path.write_text("".join(f"{at % 40} 4 0 {at}\n" for at in range(400)), "ascii")
    arguments = [
        "restart", "--flash", "64GiB", "--flash-device", "samsung-pm9a3-7.68tb-u2",
        "--disk-device", "face2016-cheetah-15k6-single", "--trace", str(path),
        "--accesses-per-second", "100", "--checkpoint-interval-s", "4",
    ]  # fmt: skip
    assert main(arguments) == 2
    refused = capsys.readouterr().err
    assert "records no writes" in refused
    assert "give --redo-pages" in refused
    assert main([*arguments, "--redo-pages", "77"]) == 0
    curve = profile(Trace(path)).curve
    assert curve.known_write_accesses == 0
    restart = recovery_question.answer(
        curve,
        ram_pages=4,
        flash_pages=16,
        flash=catalog.device("samsung-pm9a3-7.68tb-u2"),
        disk=catalog.device("face2016-cheetah-15k6-single"),
        accesses_per_s=5.0,
        checkpoint_interval_s=4.0,
    ).restart
    assert restart is not None
    assert restart.redo_pages == 10
    assert "the share of writes is unknown" in restart.redo_basis


def test_the_recovery_answer_counts_pages_unless_they_are_stated() -> None:
    curve = profile(Trace(recordings.TPCB)).curve
    asked: dict[str, Any] = {
        "ram_pages": 1000,
        "flash_pages": 6000,
        "flash": catalog.device("samsung-pm9a3-7.68tb-u2"),
        "disk": catalog.device("face2016-cheetah-15k6-single"),
        "accesses_per_s": 1000.0,
        "checkpoint_interval_s": 60.0,
    }
    counted = Redone(2500.0, 2900, 14, 30_000, 1.0)
    bound, from_trace, stated, short = (
        recovery_question.answer(curve, **asked, **each).restart
        for each in (
            {},
            {"redone": counted},
            {"redone": counted, "redo_pages": 800.0},
            {"redone": Redone(2500.0, 2500, 1, 15_000, 0.5)},
        )
    )
    assert bound is not None
    assert from_trace is not None
    assert stated is not None
    assert short is not None
    assert (from_trace.redo_pages, stated.redo_pages) == (2500, 800)
    assert bound.redo_pages > 2500
    assert "upper bound" in bound.redo_basis
    assert "on average over 14 windows, at most 2,900" in from_trace.redo_basis
    assert "as given" in stated.redo_basis
    assert short.redo_pages == 5000
    assert "50.0 % of half an interval long" in short.redo_basis
