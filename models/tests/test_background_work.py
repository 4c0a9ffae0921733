"""What clients wait for and what only keeps devices busy: counted by replays, and in the throughput that follows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_timed_flash_caches import DISK, FLASH, Access, written

from tierwright.advise.checks.counted import ReplayedThroughput, replayed_throughput
from tierwright.evaluate.throughput.background import network_with_background
from tierwright.evaluate.throughput.mva import closed_network
from tierwright.evaluate.throughput.schemes import Setting, beyond_busy
from tierwright.evaluate.throughput.together import most_on_one
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.simulate.replay import contenders, replay
from tierwright.simulate.timed import Arrivals, replay_timed
from tierwright.trace.reading import Trace

DRIVE, VOLUME = (
    catalog.device("intel-s4500-7.68tb"),
    catalog.device("aws-ebs-io2-bx"),
)
PAGE = 8192


def slow(
    waited: Sequence[float],
    background: Sequence[float],
    *,
    clients: int,
    think_s: float,
    devices: Sequence[int],
    delay_s: float,
) -> float:
    """Mean-value analysis by hand at every guess of the throughput, which is halved until it is found. [1/s]"""

    def reached(guess: float) -> float:
        each = [
            wait / count / (1 - guess * behind / count)
            for wait, behind, count in zip(waited, background, devices, strict=True)
        ]
        queues = [0.0] * len(each)
        rate = 0.0
        for n in range(1, clients + 1):
            stays = [
                demand * (1 + queue) for demand, queue in zip(each, queues, strict=True)
            ]
            response = delay_s + sum(
                stay * count for stay, count in zip(stays, devices, strict=True)
            )
            rate = n / (think_s + response)
            queues = [rate * stay for stay in stays]
        return rate

    low = 0.0
    high = min(
        count / (wait + behind)
        for wait, behind, count in zip(waited, background, devices, strict=True)
        if wait + behind > 0
    )
    for _ in range(200):
        middle = (low + high) / 2
        if reached(middle) > middle:
            low = middle
        else:
            high = middle
    return low


seconds = st.floats(0.001, 1.0)


@pytest.mark.oracle("evaluate.throughput.background.network_with_background")
@pytest.mark.formula("evaluate.throughput.background.network_with_background")
@given(
    st.lists(
        st.tuples(seconds, st.floats(0.0, 1.0), st.integers(1, 4)),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 12),
    st.floats(0.0, 2.0),
    st.floats(0.0, 1.0),
)
def test_it_is_the_network_at_the_throughput_that_it_reaches(
    stations: list[tuple[float, float, int]],
    clients: int,
    think_s: float,
    delay_s: float,
) -> None:
    waited, background, devices = (list(each) for each in zip(*stations, strict=True))
    asked: dict[str, Any] = {
        "clients": clients,
        "think_s": think_s,
        "devices": devices,
        "delay_s": delay_s,
    }
    found = network_with_background(waited, background, **asked)
    assert found.throughput_per_s == pytest.approx(
        slow(waited, background, **asked), rel=1e-5
    )
    assert found.response_s == pytest.approx(
        clients / found.throughput_per_s - think_s, abs=1e-6
    )
    assert max(found.utilisation) <= 1 + 1e-6
    # Nothing in the background is the network itself, to the last bit.
    alone = network_with_background(waited, [0.0] * len(waited), **asked)
    plain = closed_network(waited, **asked)
    assert alone.throughput_per_s == plain.throughput_per_s[-1]
    assert alone.response_s == plain.response_s[-1]
    # What is not waited for costs less than what is, and more than what is not there.
    both = [wait + behind for wait, behind in zip(waited, background, strict=True)]
    every = closed_network(both, **asked)
    assert (
        every.throughput_per_s[-1] * (1 - 1e-6)
        <= found.throughput_per_s
        <= alone.throughput_per_s * (1 + 1e-6)
    )


def test_the_background_alone_may_be_the_limit() -> None:
    found = network_with_background(
        [0.0], [0.5], clients=3, think_s=0.0, devices=[2], delay_s=0.0
    )
    assert found.throughput_per_s == pytest.approx(4.0)
    assert found.utilisation == pytest.approx((1.0,))


def trace_of(pages: Sequence[tuple[int, bool]], path: Path) -> Trace:
    steps: list[Access] = [(at * 1000, page, w) for at, (page, w) in enumerate(pages)]
    return written(steps, path)


def caches(trace: Trace, name: str, sizes: tuple[int, int], **options: str) -> Any:
    return replay(trace, "flash_cache", name, *sizes, options=options)


def test_a_cleaner_is_in_the_background_and_its_reads_with_it(tmp_path: Path) -> None:
    """RAM of one page, flash of 8: each page that leaves RAM is dirty on flash, and a cleaner wakes every 2 ms."""
    trace = trace_of([(page, True) for page in range(7)], tmp_path / "trace.csv")
    asked = {"cleaner_period_us": "2000", "cleaner_pages": "1"}
    found = caches(trace, "lazy_cleaning", (1, 8), dirty_threshold="0", **asked)
    # Awake at 2, 4 and 6 ms; before each access page at-1 was written to flash.
    assert found["background"] == {
        "flash_random_reads": 3,
        "flash_stage_out_reads": 3,
        "hdd_writes": 3,
        "disk_writes_by_cleaner": 3,
    }
    never = caches(trace, "lazy_cleaning", (1, 8), dirty_threshold="1", **asked)
    assert never["background"] == {}


def test_what_makes_room_is_waited_for(tmp_path: Path) -> None:
    """Flash of 2: from the fourth page on, a dirty one is read and written to disk before the next has room."""
    trace = trace_of([(page, True) for page in range(7)], tmp_path / "trace.csv")
    found = caches(trace, "lazy_cleaning", (1, 2), dirty_threshold="1")
    assert found["flash_stage_out_reads"] == found["disk_writes_on_stage_out"] == 4
    assert found["background"] == {}
    beyond = beyond_busy(DRIVE, VOLUME, found["page_bytes"])
    by_hand_us = (
        7 * beyond.disk_read  # each page is read once
        + 6 * beyond.flash_write  # six of them leave RAM
        + 4 * (beyond.flash_read + beyond.disk_write)
    )
    assert throughput(found).delay_s == pytest.approx(by_hand_us / 7 / 1e6)


def test_a_checkpoint_is_in_the_background(tmp_path: Path) -> None:
    """RAM of 4 pages, all changed, of which a checkpoint behind the fourth access writes each to flash."""
    trace = trace_of([(page, True) for page in range(6)], tmp_path / "trace.csv")
    found = caches(trace, "face", (4, 16), checkpoint_accesses="4")
    assert found["background"]["flash_writes"] == 4
    assert found["background"]["flash_writes_by_checkpoint"] == 4
    assert found["checkpointed_pages"] == 4


def test_what_feeds_flash_is_in_the_background(tmp_path: Path) -> None:
    steps: list[Access] = [(at * 100_000, at, False) for at in range(101)]
    trace = written(steps, tmp_path / "trace.csv")
    found = caches(trace, "l2arc", (50, 1000), write_max_pages_per_s="1")
    assert found["flash_writes"] == found["background"]["flash_writes"] == 10
    beyond = beyond_busy(DRIVE, VOLUME, found["page_bytes"])
    assert throughput(found).delay_s == pytest.approx(beyond.disk_read / 1e6)


def test_the_warm_up_is_not_in_it(tmp_path: Path) -> None:
    trace = trace_of([(page, True) for page in range(7)], tmp_path / "trace.csv")
    found = replay(
        trace,
        "flash_cache",
        "lazy_cleaning",
        1,
        8,
        options={
            "cleaner_period_us": "2000",
            "cleaner_pages": "1",
            "dirty_threshold": "0",
        },
        warm_up=4,
    )
    # What is due before the fifth access is counted, as that access is.
    assert found["background"]["hdd_writes"] == found["hdd_writes"] == 2


@pytest.mark.parametrize("name", [each["name"] for each in contenders("flash_cache")])
def test_no_more_is_in_the_background_than_was_counted(
    name: str, tmp_path: Path
) -> None:
    state, pages = 3, []
    for _ in range(1500):
        state = (state * 48_271) % 2_147_483_647
        pages.append((state % 90, state % 5 < 2))
    trace = trace_of(pages, tmp_path / "trace.csv")
    found = caches(trace, name, (8, 40))
    assert all(0 < count <= found[key] for key, count in found["background"].items())
    timed = replay_timed(
        trace, name, 8, 40, arrivals=Arrivals("trace"), flash=FLASH, disk=DISK
    )
    assert timed["background"] == found["background"]


def throughput(counters: dict[str, Any], clients: int = 1) -> ReplayedThroughput:
    return replayed_throughput(
        counters,
        flash=DRIVE,
        disk=VOLUME,
        setting=Setting(clients=clients, accesses_per_transaction=1),
    )


@pytest.mark.oracle("evaluate.throughput.together.most_on_one")
@pytest.mark.formula("evaluate.throughput.together.most_on_one")
@given(st.integers(0, 5), st.integers(1, 3))
def test_the_busiest_of_some_devices_is_that_of_all_ways_to_choose(
    operations: int, devices: int
) -> None:
    ways = list(product(range(devices), repeat=operations))
    most = [
        max((way.count(each) for each in range(devices)), default=0) for way in ways
    ]
    assert most_on_one(operations, devices) == pytest.approx(sum(most) / len(most))


def test_the_busiest_of_many_is_between_the_mean_and_all() -> None:
    draw = random.Random(3)
    for operations, devices in ((64, 16), (200, 7), (3, 100)):
        drawn = [
            max(Counter(draw.randrange(devices) for _ in range(operations)).values())
            for _ in range(4000)
        ]
        assert most_on_one(operations, devices) == pytest.approx(
            sum(drawn) / len(drawn), rel=0.02
        )
    half = most_on_one(10.5, 4)
    assert half == pytest.approx((most_on_one(10, 4) + most_on_one(11, 4)) / 2)
    assert most_on_one(1024, 4) == 2 * most_on_one(512, 4) > 256


def test_a_group_goes_to_the_disks_together(tmp_path: Path) -> None:
    """FaCE collects groups of 4, of which all are dirty: with one disk each write is waited for, with two 2.75 of 4."""
    trace = trace_of([(page, True) for page in range(60)], tmp_path / "trace.csv")
    found = caches(trace, "face", (8, 16), scan_depth="4")
    groups = found["flash_batch_reads"]
    assert found["disk_writes_on_stage_out"] == 4 * groups > 0
    assert found["background"] == {}
    beyond = beyond_busy(DRIVE, VOLUME, found["page_bytes"])

    def waited(disks: int) -> float:
        made = replayed_throughput(
            found,
            flash=DRIVE,
            disk=VOLUME,
            setting=Setting(clients=1, accesses_per_transaction=1, disks=disks),
        )
        rest = (
            found["hdd_reads"] * beyond.disk_read
            + (found["flash_random_reads"] + groups) * beyond.flash_read
            + found["flash_write_batches"] * beyond.flash_write
        )
        return (made.delay_s * 60e6 - rest) / beyond.disk_write / groups

    assert waited(1) == pytest.approx(4.0)
    assert waited(2) == pytest.approx(2.75)


def test_the_throughput_of_one_client_is_that_by_hand(tmp_path: Path) -> None:
    trace = trace_of([(page, True) for page in range(7)], tmp_path / "trace.csv")
    asked = {"cleaner_period_us": "2000", "cleaner_pages": "1"}
    found = caches(trace, "lazy_cleaning", (1, 8), dirty_threshold="0", **asked)
    page = found["page_bytes"]
    busy = {
        (tier, operation): service_us(device, operation, page) or 0.0
        for tier, device in (("flash", DRIVE), ("disk", VOLUME))
        for operation in ("read", "write")
    }
    beyond = beyond_busy(DRIVE, VOLUME, page)
    # Of seven accesses each reads the disk, and six write flash; the cleaner reads flash and writes the disk three times.
    writes = found["flash_random_page_writes"]
    assert found["flash_writes"] == 6
    sequential = found["flash_sequential_page_writes"]
    appended = replayed_throughput(
        {**found, "background": {}},
        flash=DRIVE,
        disk=VOLUME,
        setting=Setting(clients=1, accesses_per_transaction=1),
    ).demands_s["flash"] * 7e6 - (
        3 * busy["flash", "read"] + writes * busy["flash", "write"]
    )
    assert appended > 0 or sequential == 0
    waited = [
        (writes * busy["flash", "write"] + appended) / 7e6,
        busy["disk", "read"] / 1e6,
    ]
    behind = [3 * busy["flash", "read"] / 7e6, 3 * busy["disk", "write"] / 7e6]
    delay = (7 * beyond.disk_read + 6 * beyond.flash_write) / 7e6
    rate = slow(waited, behind, clients=1, think_s=0.0, devices=[1, 1], delay_s=delay)
    made = throughput(found)
    assert made.throughput_per_s == pytest.approx(rate, rel=1e-5)
    assert made.delay_s == pytest.approx(delay)
    assert made.demands_s["disk"] == pytest.approx(waited[1] + behind[1])
    # If all of it were waited for, it would be slower.
    every = throughput({**found, "background": {}})
    assert every.throughput_per_s < made.throughput_per_s
