"""Checks by replay of a workload whose production is other than its recording: its writes, and pages that are new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_advice_caches import DISK, DISKS, FLASH, INSTANCE, RATE, TRACE, rows_of

from tierwright.advise import advice, scale
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Have
from tierwright.evaluate.page_flow.decision import with_writes
from tierwright.evaluate.page_flow.schemes import BY_NAME, SCHEMES
from tierwright.evaluate.scale.replays import (
    other_writes,
    recorded_sizes,
    writes_apart,
    writes_factor,
)
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.priced import price, without_new_pages
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TIMES = 4
NOTE = "replayed_writes_multiplied"


@pytest.fixture(scope="module")
def recorded() -> Profile:
    return profile(Trace(TRACE))


def production(recorded: Profile, **stated: Any) -> Curve:
    data = recorded.curve.distinct_pages * recorded.curve.page_bytes * TIMES
    asked = Production(data, RATE, RATE, **stated)
    made = scale.answer(recorded, asked, law="stretch")
    return made.profile.curve.from_start("steady")


def sizes(curve: Curve, scheme: str) -> tuple[int, int]:
    """RAM and flash of one machine. [pages]"""
    pages = curve.data_pages
    return pages // 10, 0 if scheme == "none" else pages * 2 // 5


def asked(curve: Curve, scheme: str, caches: Any = ()) -> Advice:
    """Ask for what there is alone, of each machine with RAM of a tenth and flash of four tenths of its data."""
    assert curve.scaled is not None
    machines = curve.scaled.production.machines
    ram, flash = sizes(curve, scheme)
    return advice.answer(
        curve,
        candidates=replace(INSTANCE, flash_caches=caches),
        have=Have(
            machines=machines,
            ram_bytes=ram * curve.page_bytes * machines,
            disk=catalog.device(DISK),
            disks=DISKS * machines,
            flash_bytes=flash * curve.page_bytes * machines,
            flash=catalog.device(FLASH) if flash else None,
            flash_devices=machines if flash else 0,
            scheme=scheme,
            usd_per_month=Decimal(10),
        ),
        trace=Trace(TRACE),
        how_sure=False,
    )


def replayed(found: Advice, scheme: str) -> float:
    [row] = [
        each
        for each in found.checked
        if each.option.kind == "have" and each.option.scheme == scheme
    ]
    assert row.simulated is not None
    return row.simulated


@pytest.mark.parametrize("scheme", ["none", "inclusive", "exclusive", "lazy"])
def test_what_a_replay_writes_back_is_that_of_production(
    recorded: Profile, scheme: str
) -> None:
    curve = recorded.curve
    share = curve.write_accesses / curve.accesses
    flash, disk = catalog.device(FLASH), catalog.device(DISK)
    times = {
        name: service_us(device, operation, curve.page_bytes)  # type: ignore[arg-type]
        for name, device, operation in (
            ("flash_reads", flash, "read"),
            ("flash_writes", flash, "write"),
            ("hdd_reads", disk, "read"),
            ("hdd_writes", disk, "write"),
        )
    }
    same = production(recorded)
    assert same.scaled is not None
    ram, below = recorded_sizes(
        same.scaled, *sizes(same, scheme), repeats_ram=BY_NAME[scheme].repeats_ram
    )
    counted = replay(
        Trace(TRACE), "scheme", scheme, ram, below, warm_up=curve.accesses // 2
    )
    for factor in (0.0, 0.5, 2.0):
        found = asked(production(recorded, write_share=share * factor), scheme)
        # Dirty pages that leave a tier, times the factor: each of those that leave it at most. Flash of exclusive takes every page,
        # clean or dirty; of lazy it holds those that were hits.
        backs = counted["flash_write_backs"]
        left = {"inclusive": counted["flash_hits"] + counted["flash_misses"]}
        rewritten = min(backs * factor, left.get(scheme, counted["flash_hits"]))
        written = min(counted["hdd_writes"] * factor, counted["hdd_reads"])
        more = {"hdd_writes": written - counted["hdd_writes"]}
        if scheme in ("inclusive", "lazy"):
            more["flash_writes"] = rewritten - backs
        expected = sum(
            (counted[name] + more.get(name, 0)) * (time or 0)
            for name, time in times.items()
        )
        assert replayed(found, scheme) == pytest.approx(
            expected / counted["accesses"], rel=1e-4
        )


def test_a_check_says_that_its_writes_are_multiplied(recorded: Profile) -> None:
    share = recorded.curve.write_accesses / recorded.curve.accesses
    same = asked(production(recorded, write_share=share), "inclusive")
    other = asked(production(recorded, write_share=share / 2), "inclusive")
    assert NOTE not in {each.code for each in same.cautions}
    [said] = [each for each in other.cautions if each.code == NOTE]
    assert "is multiplied by 0.500, " in said.message
    assert not said.could_change_choice


def test_copies_write_more_of_what_a_machine_serves(recorded: Profile) -> None:
    curve = production(recorded, machines=2, replicas=2)
    share = recorded.curve.write_accesses / recorded.curve.accesses
    # Each write on both, each read on one of them.
    served = 2 * share / (1 + share)
    assert writes_factor(curve.scaled) == pytest.approx(served / share)
    found = asked(curve, "none")
    assert NOTE in {each.code for each in found.cautions}


def test_no_flash_cache_and_no_split_is_taken_from_other_writes(
    recorded: Profile,
) -> None:
    share = recorded.curve.write_accesses / recorded.curve.accesses
    caches = ("bcache", "larc")
    other = asked(
        production(recorded, write_share=share / 2), "inclusive", caches
    ).flash_caches
    assert {each.name for each in other} == set(caches)
    for each in other:
        assert each.io_time_us_per_access is None
        assert each.reason.startswith("the recording writes with ")
    same = asked(production(recorded), "inclusive", caches).flash_caches
    assert all(each.io_time_us_per_access is not None for each in same)
    best = asked(production(recorded, write_share=share / 2), "none").recommendation
    assert best is not None
    assert best.clean_share is None
    assert best.clean_share_reason.startswith("the recording writes with ")


@pytest.mark.oracle(
    "evaluate.scale.replays.writes_factor", "evaluate.scale.replays.other_writes"
)
def test_the_factor_of_writes_by_hand(recorded: Profile) -> None:
    share = recorded.curve.write_accesses / recorded.curve.accesses
    assert writes_factor(None) == 1
    assert other_writes(None) is None
    assert not writes_apart(None)
    for stated in (None, share, round(share, 2)):
        assert writes_factor(production(recorded, write_share=stated).scaled) == 1
    other = production(recorded, write_share=0.5).scaled
    assert other_writes(other) == pytest.approx((share, 0.5))
    assert writes_factor(other) == pytest.approx(0.5 / share)
    assert writes_factor(production(recorded, write_share=0.0).scaled) == 0
    copied = production(recorded, machines=3, replicas=3, write_share=0.5).scaled
    # Of 1 + 1 + 1 writes and a read on one of three: 3 writes for each read.
    assert writes_factor(copied) == pytest.approx(0.75 / share)


COUNTS: Mapping[str, Any] = {
    "accesses": 1000,
    "write_accesses": 300,
    "flash_hits": 100,
    "flash_misses": 200,
    "flash_reads": 100,
    "flash_writes": 240,
    "flash_write_backs": 40,
    "hdd_reads": 200,
    "hdd_writes": 90,
}


def test_twice_as_many_writes_by_hand() -> None:
    found = with_writes(COUNTS, "inclusive", 2.0)
    # 40 more write-backs of 300 pages that leave RAM; 90 more of 200 that leave flash.
    assert (found["flash_write_backs"], found["flash_writes"]) == (80, 280)
    assert (found["hdd_writes"], found["write_accesses"]) == (180, 600)
    # No more than leave it: 300, and of Lazy the 100 that flash holds still; 200 that leave flash.
    found = with_writes(COUNTS, "inclusive", 100.0)
    assert (found["flash_write_backs"], found["hdd_writes"]) == (300, 200)
    assert with_writes(COUNTS, "lazy", 100.0)["flash_write_backs"] == 100
    assert with_writes(COUNTS, "exclusive", 2.0)["flash_writes"] == 240
    assert found["write_accesses"] == 1000


@pytest.mark.formula(
    "evaluate.scale.replays.writes_factor",
    "evaluate.scale.replays.other_writes",
)
@given(scheme=st.sampled_from(SCHEMES), factor=st.floats(0.0, 50.0))
def test_more_writes_change_what_is_written_back_alone(
    scheme: str, factor: float
) -> None:
    found = with_writes(COUNTS, scheme, factor)
    for name in ("accesses", "flash_hits", "flash_misses", "flash_reads", "hdd_reads"):
        assert found[name] == COUNTS[name]
    fills = COUNTS["flash_writes"] - COUNTS["flash_write_backs"]
    assert found["flash_writes"] - found["flash_write_backs"] == pytest.approx(fills)
    for name in ("flash_write_backs", "hdd_writes", "write_accesses"):
        assert (found[name] - COUNTS[name]) * (factor - 1) >= 0
    if "flash_write_backs" not in BY_NAME[scheme].operations(1.0, 1.0, 1.0, 1.0):  # type: ignore[arg-type]
        assert found["flash_writes"] == COUNTS["flash_writes"]
    assert with_writes(COUNTS, scheme, 1.0) is COUNTS


@pytest.mark.oracle("simulate.priced.without_new_pages")
def test_reads_of_new_pages_by_hand() -> None:
    disk = catalog.device(DISK)
    flash = catalog.device(FLASH)
    read_us = service_us(disk, "read", 8192)
    assert read_us is not None

    def taken(counters: Mapping[str, Any]) -> float:
        found = price({**counters, "page_bytes": 8192}, flash=flash, disk=disk)
        assert found.io_time_us_per_access is not None
        return found.io_time_us_per_access

    whole = taken(COUNTS)
    # A tenth of the accesses are reads less.
    assert taken(without_new_pages(COUNTS, 0.1)) == pytest.approx(whole - read_us / 10)
    # No more than all reads, of which there are 200.
    assert taken(without_new_pages(COUNTS, 0.9)) == pytest.approx(whole - read_us / 5)
    assert without_new_pages(COUNTS, 0.0) is COUNTS
    # Of blocks the pages that are read one by one.
    blocks = {**COUNTS, "blocks": {"hdd_page_reads": 150, "hdd_block_reads": 7}}
    found = without_new_pages(blocks, 0.1)
    assert found["blocks"] == {"hdd_page_reads": 50, "hdd_block_reads": 7}


@pytest.mark.formula("simulate.priced.without_new_pages")
@given(share=st.floats(0.0, 1.0), reads=st.integers(0, 1000))
def test_more_new_pages_never_read_more(share: float, reads: int) -> None:
    counted = {**COUNTS, "hdd_reads": reads}
    less, more = (without_new_pages(counted, part) for part in (share, share / 2))
    assert 0 <= less["hdd_reads"] <= more["hdd_reads"] <= reads
    for found in (less, more):
        assert {**found, "hdd_reads": reads} == counted


def test_new_pages_are_not_read_in_a_replay_either(recorded: Profile) -> None:
    cold = recorded.curve
    new = cold.distinct_pages // 4
    disk = catalog.device(DISK)
    read_us = service_us(disk, "read", cold.page_bytes)
    assert read_us is not None
    # What misses in RAM of all pages is touched first; a quarter of that in the half that is counted is new.
    half = cold.accesses // 2
    first = replay(
        Trace(TRACE), "scheme", "none", cold.distinct_pages, 0, warm_up=half
    )["flash_misses"]
    assert 0 < first < cold.distinct_pages // 2
    whole, less = (
        asked_as_recorded(cold.with_new_pages(count).from_start("steady"))
        for count in (0, new)
    )
    by_name = rows_of(whole)
    saved = first / 4 / half * read_us
    assert replayed(less, "inclusive") == pytest.approx(
        replayed(whole, "inclusive") - saved, rel=1e-3
    )
    assert by_name.keys() == {"larc", "lazy_cleaning"}
    for name, each in rows_of(less).items():
        before = by_name[name].io_time_us_per_access
        assert before is not None
        assert each.io_time_us_per_access == pytest.approx(before - saved, rel=1e-3)
        # What is made in RAM is read nowhere: of page flow the model has it so, too.
        assert (each.ram_hit_share, each.flash_hit_share) == pytest.approx(
            (
                by_name[name].ram_hit_share + first / 4 / half,
                by_name[name].flash_hit_share,
            ),
            abs=1e-5,
        )
    for found in (whole, less):
        best = found.recommendation
        assert best is not None
        assert best.scheme == "larc"
        shares = (best.ram_hit_share, best.flash_hit_share, best.disk_share)
        assert sum(shares) == pytest.approx(1)
        [row] = [each for each in found.flash_caches if each.is_chosen]
        assert shares[:2] == (row.ram_hit_share, row.flash_hit_share)
    said = {each.code for each in less.cautions}
    assert "new_pages_taken_off" in said
    assert "new_pages_taken_off" not in {each.code for each in whole.cautions}


def zipf(path: Path, pages: int, accesses: int, seed: int) -> Path:
    """Write a trace of pages accessed by the law of popularity that `cold_growth` goes on with; every fifth access writes."""
    random = np.random.default_rng(seed)
    shares = np.cumsum(np.arange(1, pages + 1) ** -0.9)
    ranks = np.searchsorted(shares / shares[-1], random.random(accesses))
    at = random.permutation(pages)[ranks]
    writes = random.random(accesses) < 0.2
    path.write_text(
        "".join(
            f"{128166372003061629 + 10000 * index},h,0,{'Write' if write else 'Read'},{page * 4096},4096,100\n"
            for index, (page, write) in enumerate(zip(at, writes, strict=True))
        )
    )
    return path


@pytest.mark.parametrize("scheme", ["none", "inclusive"])
def test_what_lacks_the_pages_that_the_law_adds_decides_nothing(
    tmp_path: Path, scheme: str
) -> None:
    small = Trace(zipf(tmp_path / "small.csv", 6000, 120_000, 1))
    large = Trace(zipf(tmp_path / "large.csv", 24_000, 480_000, 2))
    recorded, truth = profile(small), profile(large).curve
    asked = Production(truth.distinct_pages * truth.page_bytes, RATE, RATE)
    made = scale.answer(recorded, asked, law="cold_growth", exponent=0.9)
    ram = truth.distinct_pages // 20
    flash = 0 if scheme == "none" else truth.distinct_pages * 3 // 20
    found = advice.answer(
        made.profile.curve.from_start("steady"),
        candidates=replace(INSTANCE, flash_caches=("larc", "bcache")),
        have=Have(
            machines=1,
            ram_bytes=ram * truth.page_bytes,
            disk=catalog.device(DISK),
            disks=DISKS,
            flash_bytes=flash * truth.page_bytes,
            flash=catalog.device(FLASH) if flash else None,
            flash_devices=1 if flash else 0,
            scheme=scheme,
            usd_per_month=Decimal(10),
        ),
        trace=small,
        how_sure=False,
    )
    lacks = "adds pages that are not in the recording"
    best = found.recommendation
    assert best is not None
    assert best.scheme == scheme
    # The model has what these pages miss and write, as a replay of the large system shows.
    counted = replay(large, "scheme", scheme, ram, flash, warm_up=truth.accesses // 2)
    there = price(counted, flash=catalog.device(FLASH), disk=catalog.device(DISK))
    assert best.io_time_us_per_access == pytest.approx(
        there.io_time_us_per_access, rel=0.1
    )
    assert best.replayed_io_time_us_per_access is None
    assert found.checked
    for each in found.checked:
        assert each.simulated is None
        assert lacks in each.reason
    assert {each.name for each in found.flash_caches} == (
        {"larc", "bcache"} if flash else set()
    )
    for cache in found.flash_caches:
        assert cache.io_time_us_per_access is None
        assert not cache.is_chosen
        assert lacks in cache.reason
    if not flash:
        assert lacks in best.clean_share_reason
    said = {each.code: each.message for each in found.cautions}
    assert lacks in said["replay_lacks_pages"]


def asked_as_recorded(curve: Curve) -> Advice:
    """Ask for what there is with a flash cache of 4 KiB pages, of the recording itself."""
    pages = curve.distinct_pages
    return advice.answer(
        curve,
        accesses_per_s=RATE,
        candidates=replace(INSTANCE, flash_caches=("larc", "lazy_cleaning")),
        have=Have(
            machines=1,
            ram_bytes=pages // 10 * curve.page_bytes,
            disk=catalog.device(DISK),
            disks=DISKS,
            flash_bytes=pages * 2 // 5 * curve.page_bytes,
            flash=catalog.device(FLASH),
            flash_devices=1,
            scheme="inclusive",
            usd_per_month=Decimal(10),
        ),
        trace=Trace(TRACE),
        how_sure=False,
    )
