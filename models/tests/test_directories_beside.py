"""Flash caches beside places of a directory: the RAM that they take, what they hit, and what that is worth."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import directories, scale
from tierwright.advise.checks.directories import (
    DirectoriesReplayed,
    cache_replays,
    caches_beside,
    check,
    replayed,
)
from tierwright.advise.checks.points import directory_replays, replayed_flash_cache
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TRACE = Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-2x18-18tb")
# States no sequential rate.
OLD = catalog.device("kv2009-intel-x25e")
PAGE = 8192
RAM, HELD = 1000 * PAGE, 4000 * PAGE


@cache
def curve() -> Curve:
    return profile(Trace(TRACE)).curve.from_start("cold")


def study(**more: Any) -> directories.Directories:
    asked: dict[str, Any] = {
        "ram_bytes": RAM,
        "flash_bytes": HELD,
        "flash": FLASH,
        "disk": DISK,
        **more,
    }
    return directories.answer(curve(), **asked)


def played(*names: str, **more: Any) -> DirectoriesReplayed:
    options = more.pop("options", None)
    return replayed(
        study(**more),
        curve(),
        Trace(TRACE),
        flash=more.get("flash", FLASH),
        disk=DISK,
        flash_caches=names,
        options=options,
    )


@pytest.mark.oracle(
    "advise.checks.directories.caches_beside",
    "advise.checks.directories.cache_replays",
    "advise.checks.points.replayed_flash_cache",
)
def test_a_flash_cache_has_the_ram_that_its_metadata_leave() -> None:
    """FaCE keeps 32 bytes a page, EnhanceIO 8 each 4 KiB, LARC 69.6 a page: rows are those of their replays."""
    found = {each.of: each for each in played("face", "enhanceio", "larc").places}
    tax = {"face": 4000 * 32, "enhanceio": 8000 * 8, "larc": 278_400}
    fastest = min(each.time_us or math.inf for each in found.values())
    for name, taken in tax.items():
        pages = (RAM - taken) // (PAGE + 48)
        row = found[name]
        assert (row.ram_tax_bytes, row.ram_pages, row.flash_pages) == (
            taken,
            pages,
            4000,
        )
        counted = replay(Trace(TRACE), "flash_cache", name, pages, 4000)
        accesses = counted["accesses"]
        assert row.ram_hits == counted["ram_hits"] / accesses
        assert row.flash_hits == counted["flash_hits"] / accesses
        assert row.behind == pytest.approx((row.time_us or 0) / fastest - 1)
        if name == "larc":
            by_hand = sum(
                counted[counter] * (service_us(device, operation, PAGE) or 0)
                for counter, device, operation in (
                    ("flash_random_reads", FLASH, "read"),
                    ("flash_random_page_writes", FLASH, "write"),
                    ("hdd_reads", DISK, "read"),
                    ("hdd_writes", DISK, "write"),
                )
            )
            rate = FLASH.number("sequential_write_mb_per_s") or 0
            # Bytes over MB/s are µs.
            by_hand += counted["flash_sequential_page_writes"] * PAGE / rate
            assert counted["flash_batch_read_pages"] == 0
            assert counted["metadata_page_writes"] == 0
            assert row.time_us == pytest.approx(by_hand / accesses)
    # A directory in RAM takes RAM too, and its hits stand beside.
    exclusive = found["0 exclusive"]
    option = study().options[0]
    assert exclusive.ram_tax_bytes == option.directory_bytes
    counted = replay(Trace(TRACE), "scheme", "exclusive", option.ram_pages, 4000)
    assert exclusive.flash_hits == counted["flash_hits"] / counted["accesses"]
    assert found["none"].ram_pages == RAM // (PAGE + 48)


def test_the_fastest_stands_first_and_all_are_behind_it() -> None:
    found = played("larc", "flashcache", "dm_writecache").places
    times = [each.time_us or math.inf for each in found]
    assert times == sorted(times)
    assert found[0].behind == 0.0
    assert {each.kind for each in found} == {
        "without_flash",
        "directory",
        "flash_cache",
    }


def said_with(factor: float, *names: str) -> str:
    """Return the sentence where flash caches do so many times the operations that were counted."""
    asked = study()
    caches = caches_beside(asked, curve(), names)
    wanted = directory_replays(asked, start="cold", accesses=curve().accesses)
    wanted |= cache_replays(caches, start="cold", accesses=curve().accesses)
    counters = {
        name: dict(
            replay(
                Trace(TRACE),
                each.family,
                each.name,
                each.ram_pages,
                each.flash_pages,
                options=each.options,
            )
        )
        for name, each in wanted.items()
    }
    for name in names:
        for counter in ("hdd_reads", "hdd_writes"):
            counters[name][counter] = round(counters[name][counter] * factor)
    found = check(
        asked, page_bytes=PAGE, flash=FLASH, disk=DISK, counters=counters, caches=caches
    )
    times = {each.kind: each.time_us or 0 for each in reversed(found.places)}
    ours, theirs = times["flash_cache"], times["directory"]
    if ours < theirs * 0.99:
        assert f"{percent(1 - ours / theirs)} less" in found.finding
    elif ours > theirs * 1.02:
        assert f"{percent(ours / theirs - 1)} more" in found.finding
    return found.finding


def test_the_sentence_says_whether_a_flash_cache_beats_the_best_directory() -> None:
    place = "the best place of a directory (in RAM, 8 KiB: Exclusive)"
    assert f"LARC is faster than {place}: " in said_with(0.5, "larc")
    assert f"LARC is not faster than {place}: " in said_with(2.0, "larc")
    assert f"LARC, and {place} are within 1 %: " in said_with(1.0, "larc")
    both = said_with(0.5, "larc", "flashcache")
    assert f"LARC is faster than {place}: " in both
    assert "So is flashcache." in both
    neither = said_with(2.0, "larc", "flashcache")
    assert f"No flash cache is faster than {place}: the fastest, " in neither
    assert "So is" not in neither


def test_the_sentence_says_what_ram_is_taken() -> None:
    unknown = played("open_cas", options={"open_cas": {"line_pages": "2"}})
    assert "metadata of Open CAS no figure is published" in unknown.finding
    assert "The metadata of FaCE take 125 KiB of the RAM." in played("face").finding
    found = played("sce", "face")
    # 16 MiB of buffers are more than the whole of RAM.
    last = found.places[-1]
    assert (last.of, last.ram_pages, last.time_us) == ("sce", 0, None)
    assert "SCE has no time: its metadata take 16 MiB, all of the RAM." in found.finding
    assert "FaCE" in found.finding
    assert "SCE" not in found.basis
    only = played("sce")
    assert "faster" not in only.finding
    assert "within" not in only.finding
    assert "no formula" not in only.basis


def test_without_a_directory_that_fits_caches_stand_beside_no_flash() -> None:
    found = played(
        "bcache", ram_bytes=4 * (PAGE + 48), flash_bytes=8000 * PAGE, placements=["ram"]
    )
    assert not any(each.kind == "directory" for each in found.places)
    assert "a system without flash" in found.finding
    assert "best place" not in found.finding


def test_batches_of_a_device_without_a_sequential_rate_are_priced_at_a_bound_that_is_said() -> (
    None
):
    found = played("face", "larc", flash=OLD)
    [face] = [each for each in found.places if each.of == "face"]
    assert face.time_us is not None
    assert face.ram_hits is not None
    assert "sequential" in found.basis
    # What was measured of the directories stands all the same.
    assert all(each.time_us for each in found.places if each.kind == "directory")


def test_no_flash_cache_leaves_the_check_as_it_was() -> None:
    found = played()
    assert "flash cache" not in found.finding
    assert "no formula" not in found.basis
    assert {each.kind for each in found.places} == {"without_flash", "directory"}


def test_an_unknown_flash_cache_is_refused() -> None:
    with pytest.raises(BadInput, match="flash cache: `arc` is unknown"):
        played("arc")


@pytest.mark.formula("advise.checks.points.replayed_flash_cache")
@given(st.floats(0, 100), st.floats(0, 100))
def test_an_index_in_ram_is_looked_up_by_misses_and_updated_by_writes(
    lookup_us: float, update_us: float
) -> None:
    row = {
        "accesses": 1000,
        "page_bytes": PAGE,
        "ram_hits": 400,
        "flash_writes": 250,
        "disk_reads": 10,
        "disk_writes": 0,
    }
    use = directories.DirectoryUse(ram_lookup_us=lookup_us, ram_update_us=update_us)
    io_us = 10 * (service_us(DISK, "read", PAGE) or 0) / 1000
    found = replayed_flash_cache(row, use, flash=FLASH, disk=DISK)
    assert found == pytest.approx(io_us + 0.6 * lookup_us + 0.25 * update_us)


@pytest.mark.formula(
    "advise.checks.directories.caches_beside", "advise.checks.directories.cache_replays"
)
@given(
    st.integers(PAGE + 48, 4000 * PAGE),
    st.integers(PAGE, 20_000 * PAGE),
    st.sampled_from(["face", "larc", "sce", "bcache", "dm_cache"]),
)
def test_more_flash_leaves_no_more_ram(
    ram_bytes: int, flash_bytes: int, name: str
) -> None:
    made = study(ram_bytes=ram_bytes, flash_bytes=flash_bytes)
    twice = study(ram_bytes=ram_bytes, flash_bytes=2 * flash_bytes)
    [one] = caches_beside(made, curve(), [name])
    [other] = caches_beside(twice, curve(), [name])
    assert other.ram_pages <= one.ram_pages <= ram_bytes // (PAGE + 48)
    assert (other.ram_tax_bytes or 0) >= (one.ram_tax_bytes or 0)
    wanted = cache_replays([one], start="cold", accesses=1000)
    assert bool(wanted) == (one.ram_pages > 0)


def scaled_curve(times: int) -> Curve:
    data_bytes = times * curve().distinct_pages * PAGE
    made = scale.answer(profile(Trace(TRACE)), Production(data_bytes, 2_000.0))
    return made.profile.curve.from_start("cold")


def asked_of(scaled: Curve, times: int) -> DirectoriesReplayed:
    made = directories.answer(
        scaled,
        ram_bytes=times * 8 * RAM,
        flash_bytes=times * 2 * HELD,
        flash=FLASH,
        disk=DISK,
    )
    return replayed(
        made, scaled, Trace(TRACE), flash=FLASH, disk=DISK, flash_caches=["face"]
    )


def test_production_has_its_sizes_and_the_hits_of_the_recording() -> None:
    found = asked_of(scaled_curve(4), 4)
    [face] = [each for each in found.places if each.of == "face"]
    flash = 4 * 2 * 4000
    ram = (4 * 8 * RAM - 32 * flash) // (PAGE + 48)
    assert (face.ram_pages, face.flash_pages) == (ram, flash)
    own = replay(Trace(TRACE), "flash_cache", "face", round(ram / 4), flash // 4)
    assert face.flash_hits == pytest.approx(
        own["flash_hits"] / own["accesses"], rel=0.05
    )
    assert "recording" in found.finding


def test_a_recording_too_small_says_so_and_has_no_places() -> None:
    found = asked_of(scaled_curve(10_000), 4)
    assert found.places == ()
    assert found.basis.startswith("Nothing was replayed.")
