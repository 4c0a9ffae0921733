"""Effects of cautions on directories, restarts, compositions, transactions and others: computed, and the opposite."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import recordings

from tierwright.advise import (
    bill,
    compose,
    directories,
    pool_gain,
    pool_split,
    recovery,
    scale,
    transaction_replay,
    transaction_writes,
)
from tierwright.advise.directories import DirectoryUse
from tierwright.common.answer import Answer
from tierwright.common.cautions import NO_CHOICE, Caution
from tierwright.evaluate.compose import partitions
from tierwright.evaluate.transactions import nand
from tierwright.hardware import catalog
from tierwright.hardware.build import build_from_mapping
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.profile.several import Workload
from tierwright.simulate.transactions import half_loaded
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("micron-9550-max-3.2tb")
DISK = catalog.device("seagate-exos-x24-24tb")
MIB = 2**20


@pytest.fixture(scope="module")
def recorded() -> Any:
    return profile(TPCB)


def effects(found: Answer) -> dict[str, tuple[bool | None, str]]:
    return {w.code: (w.could_change_choice, w.effect) for w in found.cautions}


def placed(recorded: Any, *places: str, **use: Any) -> directories.Directories:
    """Directories before a fast array, where they are not lost beside the disk."""
    return directories.answer(
        recorded.curve.steady(),
        ram_bytes=16 * MIB,
        flash_bytes=128 * MIB,
        flash=catalog.device("face2016-samsung-840pro-256"),
        disk=catalog.device("face2016-cheetah-15k6-raid0-16"),
        placements=places,
        use=DirectoryUse(**use),
    )


def test_a_directory_on_flash_takes_longer_without_its_buffer(recorded: Any) -> None:
    first = placed(recorded, "flash", hit_ratio=1.0)
    changes, effect = effects(first)["directory_hits_are_assumed"]
    assert changes is False  # there is no other place to choose
    found = re.search(r"none of the accesses: \+([\d.]+) % I/O time", effect)
    assert found is not None
    again = placed(recorded, "flash", hit_ratio=0.0)
    change = again.options[0].worst_us / first.options[0].worst_us - 1
    assert float(found[1]) == pytest.approx(100 * change, abs=0.6)


def test_a_directory_in_ram_does_not_rest_on_what_its_buffer_serves(
    recorded: Any,
) -> None:
    found = placed(recorded, "ram", "flash")
    assert found.safest == 0
    _, effect = effects(found)["directory_hits_are_assumed"]
    assert "no change of I/O time, same directory" in effect


def restarted(recorded: Any, flash: Any, disk: Any = DISK) -> recovery.Recovery:
    return recovery.answer(
        recorded.curve.steady(),
        ram_pages=1000,
        flash_pages=6000,
        flash=flash,
        disk=disk,
        accesses_per_s=20_000,
    )


def test_redo_that_waits_for_each_page_takes_its_latency(recorded: Any) -> None:
    found = restarted(recorded, FLASH)
    changes, effect = effects(found)["cost_is_no_latency"]
    assert changes is False
    assert re.match(
        r"if each request is served alone \(.*\): \+[\d.]+ % time of the restart, same way",
        effect,
    )


def test_without_a_latency_it_says_why_not(recorded: Any) -> None:
    other = next(
        device
        for device in catalog.devices().values()
        if device.kind == "nvme"
        and not any("latency" in name for name in device.figures)
        and {"read_iops", "write_iops", "sequential_read_mb_per_s"}
        <= set(device.figures)
        and device.number("queue_depth") is None
    )
    _, effect = effects(restarted(recorded, other, other))["cost_is_no_latency"]
    assert effect == "not computable: no time of a single request is stated"


def test_a_scaled_workload_says_between_what_its_misses_lie(recorded: Any) -> None:
    found = scale.answer(recorded, Production(4 * 2**40, 80_000.0))
    changes, effect = effects(found)["scale_extrapolated"]
    at = min(found.sizes, key=lambda one: abs(one.share - 0.1))
    assert at.miss_ratio_low is not None
    assert at.miss_ratio_high is not None
    assert changes is None
    assert f"{100 * at.miss_ratio_high:.3g} %" in effect
    assert at.miss_ratio_low < at.miss_ratio < at.miss_ratio_high


# --- several workloads --------------------------------------------------------------------


def listed(*misses: int, pages: int) -> Curve:
    """Misses of 100 accesses in caches of 1, 2, ... pages; the curve may end before its data do."""
    return Curve.from_lists(
        range(1, len(misses) + 1),
        misses,
        None,
        accesses=100,
        distinct_pages=pages,
        page_bytes=4096,
        write_accesses=0,
        given=Given("table", data_known=True),
    )


def shared_by(*curves: Curve, pages: int, rates: tuple[float, ...]) -> Any:
    return compose.answer(
        [
            Workload(f"w{at}", curve, rate)
            for at, (curve, rate) in enumerate(zip(curves, rates, strict=True))
        ],
        ram_pages=pages,
    )


@pytest.mark.parametrize(
    ("early", "other", "flips"),
    [
        # A cliff behind the end: a split that is not the best, as of very many workloads, leaves it out.
        (listed(*[100] * 7, pages=22), (82, 81, 80, 34, 33, 31, 31, 7), True),
        # The best split reaches it as the cache does that all share.
        (listed(*[100] * 7, pages=22), (82, 81, 80, 34, 33, 31, 31, 7), False),
        (listed(90, 80, 70, 60, 50, pages=22), (82, 60, 45, 34, 25, 15, 11, 7), False),
    ],
    ids=["flips", "reaches", "stays"],
)
def test_a_curve_that_ends_early_may_change_which_way_misses_less(
    early: Curve,
    other: tuple[int, ...],
    flips: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if flips:
        monkeypatch.setattr(
            partitions,
            "best_split",
            lambda _loads, _weights, _pages, _price, known: known,
        )
    second = listed(*other, pages=len(other))
    found = shared_by(early, second, pages=21, rates=(1.0, 1.0))
    assert found.better == "partitions"
    changes, effect = effects(found)["beyond_the_curve"]
    at_end = replace(
        early,
        pages=np.append(early.pages, round(found.rows[0].shared_pages)),
        misses_at=np.append(early.misses_at, 0.0),
    )
    there = shared_by(at_end, second, pages=21, rates=(1.0, 1.0))
    assert (there.better == "shared") is flips is changes
    change = there.partition_misses_per_s / found.partition_misses_per_s - 1
    begins = (
        f"if nothing misses in caches beyond the curve: {100 * change:.0f} % misses"
    )
    assert effect.startswith(begins)
    if flips:
        loss = there.partition_misses_per_s / there.shared_misses_per_s - 1
        assert effect.endswith(
            f"one shared cache would be best, a cache for each {100 * loss:.0f} % worse"
        )
    else:
        assert effect.endswith("same way")


def test_the_steady_state_of_each_workload_is_put_at_its_ends_together(
    recorded: Any,
) -> None:
    one = Workload("a", recorded.curve, 900.0)
    two = [one, replace(one, name="b", accesses_per_s=90.0)]
    changes, effect = effects(compose.answer(two, ram_pages=50_000))[
        "steady_state_uncertain"
    ]
    assert changes is False
    assert re.fullmatch(
        r"if no first touch misses there: -\d+ % misses; if every first touch misses there: \+\d+ % misses, same way",
        effect,
    )
    small = effects(compose.answer(two, ram_pages=20_000))
    assert "steady_state_uncertain" not in small


def test_write_backs_that_are_unknown_do_not_touch_the_misses() -> None:
    found = shared_by(
        listed(50, 20, pages=2), listed(60, 10, pages=2), pages=3, rates=(1.0, 2.0)
    )
    changes, effect = effects(found)["write_backs_unknown"]
    assert changes is False
    assert effect == "no effect on the misses, by which both ways are compared"


# --- transactions -------------------------------------------------------------------------


def test_times_of_another_chip_may_change_how_transactions_leave() -> None:
    """Log records are written once and read beside their pages: who only reads again is better off with pages."""
    once = transaction_writes.answer(pages_reread=0.0)
    changes, effect = effects(once)["chip_of_2006"]
    assert changes is False
    assert effect.startswith("no effect: log records take the fewest")
    again = transaction_writes.answer(pages_reread=16.0)
    assert again.study.winner == "log"
    changes, effect = effects(again)["chip_of_2006"]
    assert changes is True
    assert effect == (
        "if page reads took all of the time: pages would be best, log records 100 % worse"
    )
    reads_alone = nand.NandTimes(read_us=50.0, write_us=1e-6, erase_us=1.0)
    slow = transaction_writes.answer(pages_reread=16.0, times=reads_alone)
    assert slow.study.winner == "page"


def test_log_pages_that_cannot_hold_their_records_are_counted_again() -> None:
    asked: dict[str, Any] = {"log_bytes_per_page": 1500, "log_pages_per_page": 0.1}
    for reread, flips in ((17.0, False), (40.0, True)):
        found = transaction_writes.answer(**asked, pages_reread=reread)
        whole = transaction_writes.answer(log_bytes_per_page=1500, pages_reread=reread)
        changes, effect = effects(found)["fewer_log_pages_than_records"]
        assert (found.study.winner != whole.study.winner) is flips
        assert changes is flips
        assert effect.startswith("if the records fill the fewest log pages that hold")


def test_times_of_another_chip_change_no_buffer_that_counts_the_fewest() -> None:
    geometry = nand.NandGeometry(page_bytes=2048, pages_per_block=64, blocks=64)

    def asked(ram_pages: int, times: nand.NandTimes = nand.PAPER_TIMES) -> Any:
        return transaction_replay.answer(
            half_loaded(committed=8, running=16, pages_each=8),
            ram_pages=ram_pages,
            log_bytes_per_update=100,
            geometry=geometry,
            times=times,
        )

    found = asked(64)
    best = min(found.buffers, key=lambda row: row.time_us)
    fewest = all(
        getattr(best.counts, name) <= 1.01 * getattr(row.counts, name)
        for row in found.buffers
        for name in ("reads", "writes", "erases")
    )
    changes, effect = effects(found)["chip_of_2006"]
    assert changes is not fewest
    assert ("no effect" in effect) is fewest


# --- a buffer over R, and what chooses nothing ---------------------------------------------


def test_a_caution_of_a_buffer_is_weighed_at_every_cost_of_a_write() -> None:
    found = pool_gain.answer(TPCB, 1000, (2.0, 64.0))
    assert found.weigh is not None
    calm = found.weigh(Caution("warm_up_inside", "", ""))
    assert calm.could_change_choice is False
    each = [pool_split.answer(TPCB, 1000, ratio).weigh for ratio in (2.0, 64.0)]
    sizes = [
        own(Caution("warm_up_inside", "", "")).size for own in each if own is not None
    ]
    assert calm.size == max(sizes) > min(sizes)
    assert calm.text.startswith(
        f"at R = {2 if sizes[0] > sizes[1] else 64}, if filling"
    )
    alike = found.weigh(Caution("estimate_off", "", ""))
    assert alike.text.startswith("no effect"), "the same at every R stands once"


def test_a_bill_says_that_it_chooses_nothing() -> None:
    found = bill.answer(build_from_mapping({"part": [{"id": "dimm-ddr5-rdimm-64gb"}]}))
    assert effects(found)["no_chassis"] == (None, NO_CHOICE)
