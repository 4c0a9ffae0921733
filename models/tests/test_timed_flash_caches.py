"""Flash caches on simulated time: against their slow models and a slow simulation event by event."""

from __future__ import annotations

import heapq
import itertools
import random
import sys
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_courses import Happened, Tier

from tierwright._simulator import ParameterError
from tierwright.simulate.replay import contenders, replay
from tierwright.simulate.timed import Arrivals, DeviceTimes, TimedReplay, replay_timed
from tierwright.trace.reading import Trace

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_flash_caches
import slow_kangaroo
import slow_systems
import slow_systems_today

Access = tuple[int, int, bool]
"""Time in µs, page, whether it is written."""
FLASH = DeviceTimes(
    1, 3, 120.0137e-6, 300.0271e-6, 150.0059e-6, 40.0311e-6, 21.0073e-6, 33.0017e-6
)
DISK = DeviceTimes(
    1,
    2,
    4.0000173e-3,
    6.0000457e-3,
    5.0000173e-3,
    5.5000457e-3,
    0.3000119e-3,
    0.7000173e-3,
)
SLOW_DISK = replace(DISK, write_s=0.1500457, write_answered_s=0.1400457)
"""A block that is written back lasts a fraction of a second."""
SIZES = (12, 48)
SECOND_US = 1_000_000
PAGE_BYTES = slow_systems.PAGE_BYTES
SYSTEMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("tac", {}),
    ("flashcache", {"mode": "write_back", "ways": "8"}),
    ("cac", {"mode": "write_back", "directory": "persistent"}),
    ("bcache", {"mode": "write_back", "bucket_pages": "4", "open_buckets": "2"}),
    ("sce", {"fragment_pages": "4", "period_ms": "20"}),
    ("larc", {"mode": "write_back"}),
    ("cachesack", {"assignment": "second_miss*0.4*write"}),
    ("lazy_cleaning", {"dirty_threshold": "0.1"}),
    ("face", {}),
    ("face", {"checkpoint_us": "50000"}),
    ("face", {"checkpoint_us": "70000", "checkpoint_to": "disk"}),
    (
        "dm_writecache",
        {
            "high_watermark": "60",
            "low_watermark": "10",
            "writeback_pages_per_s": "50",
            "autocommit_time_ms": "30",
        },
    ),
    (
        "open_cas",
        {
            "mode": "write_back",
            "alru_wake_s": "1",
            "alru_stale_s": "1",
            "alru_idle_s": "0",
        },
    ),
    ("open_cas", {"mode": "write_back", "cleaning": "acp"}),
    ("open_cas", {"mode": "write_back", "cleaning": "acp", "line_pages": "8"}),
    ("l2arc", {"ram_policy": "lru", "write_max_pages_per_s": "5"}),
    ("cachelib", {"region_pages": "8", "reinsertion_hits": "1"}),
    # Sets as large as what flash serves at once end at the same moment, and neither model says whose turn comes first.
    ("kangaroo", {"set_pages": "5", "log_percent": "20"}),
)
assert slow_systems_today.MODELS is slow_kangaroo.MODELS is slow_systems.MODELS
MODELS: dict[str, Any] = {**slow_flash_caches.MODELS, **slow_systems.MODELS}


@pytest.fixture(scope="module")
def accesses() -> list[Access]:
    """Hot and cold pages in bursts, which leave the devices idle now and then."""
    draw = random.Random(5)
    time, found = 0, []
    for _ in range(1500):
        time += draw.choice([0, 90, 800, 3000, 11_000])
        found.append((time, min(int(draw.expovariate(0.02)), 300), draw.random() < 0.3))
    return found


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory, accesses: list[Access]) -> Trace:
    return written(accesses, tmp_path_factory.mktemp("timed") / "trace.csv")


@pytest.fixture(scope="module")
def with_gaps() -> list[Access]:
    """Bursts between gaps of up to 45 s, in which what goes by time has much to do."""
    draw = random.Random(8)
    time, found = 1_234, []
    for _ in range(700):
        time += draw.choice([0, 90, 800, 800, 3000, 11_000, 170_000])
        if draw.random() < 0.03:
            time += draw.choice([2_000_000, 45_000_000])
        found.append((time, min(int(draw.expovariate(0.02)), 300), draw.random() < 0.5))
    return found


def written(accesses: list[Access], path: Path) -> Trace:
    rows = [f"{at},{'W' if w else 'R'},1/1,{page}\n" for at, page, w in accesses]
    path.write_text("time_us,op,rel,block\n" + "".join(rows), encoding="ascii")
    return Trace(path)


Work = list[list[str]]
"""Steps, each when the one before is over: the operations that arrive together."""


def between(before: dict[str, int], after: dict[str, int]) -> tuple[str | None, Work]:
    """What is read for the access, and what follows."""
    grown = defaultdict[str, int](int)
    for name, count in after.items():
        grown[name] = count - before[name]
    read = (
        "flash read"
        if grown["flash_hits"]
        else "disk read"
        if grown["flash_misses"]
        else None
    )
    batches = grown["disk_batch_reads"]
    segments = grown["metadata_segments"]
    pages = grown["flash_sequential_page_writes"]
    if segments:
        pages += segments * -(
            -grown["metadata_segment_bytes"] // segments // PAGE_BYTES
        )
    behind = grown["disk_batch_write_pages"] - grown["disk_batch_writes"]
    random_writes = (
        grown["flash_random_page_writes"] + grown["metadata_random_page_writes"]
    )
    return read, [
        [
            *["flash read"] * grown["flash_stage_out_reads"],
            *["flash batch read"] * grown["flash_batch_read_pages"],
            *["disk read"] * batches,
            *["disk batch read"] * (grown["disk_batch_read_pages"] - batches),
        ],
        [
            *["disk write"] * (grown["hdd_writes"] - behind),
            *["disk batch write"] * behind,
        ],
        [*["flash batch write"] * pages, *["flash write"] * random_writes],
    ]


class Device:
    """Servers that are free, and a line of those that wait."""

    def __init__(self, times: DeviceTimes) -> None:
        self.free = times.at_once
        self.line: deque[tuple[str, Callable[[float], None]]] = deque()
        self.busy = 0.0
        self.tier = Tier(times.at_once)
        self.lengths = {
            "read": (times.read_s, times.read_answered_s),
            "write": (times.write_s, times.write_answered_s),
            "batch read": (times.batch_read_s, times.batch_read_s),
            "batch write": (times.batch_write_s, times.batch_write_s),
        }


class Simulation:
    """Events one by one, each at its time."""

    def __init__(self, disk: DeviceTimes = DISK) -> None:
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self.order = itertools.count()
        self.devices = {"flash": Device(FLASH), "disk": Device(disk)}
        self.times = dict[int, float]()
        self.reads: dict[str, list[float]] = {"flash": [], "disk": []}
        self.arrivals = dict[int, float]()
        self.last = 0.0
        """When the last access arrives: what begins afterwards is not counted."""

    def happened(self) -> Happened:
        """Return all that happened."""
        numbers = sorted(self.times)
        arrivals = [self.arrivals[number] for number in numbers]
        answers = [self.arrivals[number] + self.times[number] for number in numbers]
        tiers = {name: device.tier for name, device in self.devices.items()}
        return Happened(arrivals, answers, tiers)

    def at(self, time: float, what: Callable[[float], None]) -> None:
        heapq.heappush(self.events, (time, next(self.order), what))

    def run(self) -> None:
        while self.events:
            time, _, what = heapq.heappop(self.events)
            what(time)

    def ask(
        self,
        now: float,
        what: str,
        answered: Callable[[float], None],
        *,
        follows: bool = False,
    ) -> None:
        name, _, operation = what.partition(" ")
        device = self.devices[name]
        counts = now < self.last or (now == self.last and not follows)
        occupied, _ = device.lengths[operation]
        device.busy += (occupied or 0.0) if counts else 0.0
        device.tier.asked.append((now, occupied or 0.0))

        def noted(at: float) -> None:
            if operation == "read" and counts:
                self.reads[name].append(at - now)
            answered(at)

        device.line.append((operation, noted))
        self.serve(device, now)

    def serve(self, device: Device, now: float) -> None:
        while device.free and device.line:
            operation, answered = device.line.popleft()
            device.free -= 1
            occupied, answer = device.lengths[operation]
            assert occupied is not None
            assert answer is not None
            device.tier.services.append((now, now + occupied))
            self.at(now + occupied, lambda end: self.end(device, end))
            self.at(now + answer, answered)

    def end(self, device: Device, now: float) -> None:
        device.free += 1
        self.serve(device, now)

    def steps(self, now: float, work: Work, over: Callable[[float], None]) -> None:
        """Begin a step when all of the one before is answered."""
        left = [step for step in work if step]
        if not left:
            over(now)
            return
        waiting = len(left[0])

        def answered(at: float) -> None:
            nonlocal waiting
            waiting -= 1
            if waiting == 0:
                self.steps(at, left[1:], over)

        for operation in left[0]:
            self.ask(now, operation, answered, follows=True)

    def arrive(
        self, now: float, number: int, read: str | None, work: Work, *, waits: bool
    ) -> None:
        """Begin what an access asks for."""
        self.arrivals[number] = now

        def over(at: float) -> None:
            self.times[number] = at - now

        def read_over(at: float) -> None:
            if not waits:
                over(at)
            self.steps(at, work, over if waits else lambda _: None)

        if read is None:
            read_over(now)
        else:
            self.ask(now, read, read_over)


def slow(
    name: str, options: dict[str, str], accesses: list[Access], *, waits: bool
) -> tuple[Simulation, Any]:
    model = MODELS[name](options, *SIZES)
    found = Simulation()
    begins = accesses[0][0]
    found.last = (accesses[-1][0] - begins) * 1e-6

    def works(work: Work) -> Callable[[float], None]:
        return lambda now: found.steps(now, work, lambda _: None)

    def arrives(number: int, read: str | None, work: Work) -> Callable[[float], None]:
        return lambda now: found.arrive(now, number, read, work, waits=waits)

    for number, (time_us, page, write) in enumerate(accesses):
        before, done = dict(model.count), len(model.moments)
        model.access(time_us - begins, ("1/1", page), write=write)
        for due_us, after in model.moments[done:]:
            _, work = between(before, after)
            found.at(float(due_us) * 1e-6, works(work))
            before = after
        read, work = between(before, model.count)
        found.at((time_us - begins) * 1e-6, arrives(number, read, work))
    found.run()
    return found, model


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(("name", "options"), SYSTEMS)
def test_against_the_slow_model_and_events(
    accesses: list[Access],
    with_gaps: list[Access],
    tmp_path: Path,
    name: str,
    options: dict[str, str],
    gaps: bool,
    waits: bool,
) -> None:
    """What a cache does in the background is asked of the devices when it is due, in the midst of a gap too."""
    steps = with_gaps if gaps else accesses
    expected, model = slow(name, options, steps, waits=waits)
    found = replay_timed(
        written(steps, tmp_path / "trace.csv"),
        name,
        *SIZES,
        options=options,
        arrivals=Arrivals("trace"),
        flash=FLASH,
        disk=DISK,
        waits_for_writes=waits,
    )
    assert found["hdd_writes"] == model.count["hdd_writes"]
    assert len(expected.times) == len(steps)
    agree(found["response"], expected)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("hurry", [1, 40])
@pytest.mark.parametrize(("name", "options"), SYSTEMS[::3])
def test_the_course_is_that_of_the_events(
    accesses: list[Access],
    tmp_path: Path,
    name: str,
    options: dict[str, str],
    hurry: int,
    waits: bool,
) -> None:
    """40 times as quickly, accesses arrive faster than the disk reads."""
    steps = [(at // hurry, page, write) for at, page, write in accesses[:600]]
    slowly, _ = slow(name, options, steps, waits=waits)
    happened = slowly.happened()
    length = happened.end / 9.317
    found = timed(
        written(steps, tmp_path / "trace.csv"),
        name,
        options=options,
        waits_for_writes=waits,
        window_s=length,
    )["response"]
    assert (found["disk"]["utilisation"] > 1) == (hurry > 1)
    happened.agrees(found, length)


def agree(response: dict[str, Any], expected: Simulation) -> None:
    times = np.sort(list(expected.times.values())) * 1e6
    assert response["accesses"] == len(times)
    assert response["mean_us"] == pytest.approx(times.mean())
    assert response["most_us"] == pytest.approx(times[-1])
    for tier in ("flash", "disk"):
        reads = np.array(expected.reads[tier]) * 1e6
        assert response[tier]["reads"]["operations"] == len(reads)
        if len(reads):
            assert response[tier]["reads"]["mean_us"] == pytest.approx(reads.mean())
        servers = (FLASH if tier == "flash" else DISK).at_once
        assert response[tier]["utilisation"] == pytest.approx(
            expected.devices[tier].busy / servers / response["last_arrival_s"]
        )


class PacedDmCache(slow_systems_today._DmCache):
    """It writes nothing back of itself while idle: what follows it begins one block after the other."""

    def clean_idle(self, due_us: int) -> None:
        del due_us


class Paced:
    """dm-cache under a simulation of which each second, each access and each end of a copy is an event."""

    def __init__(
        self, options: dict[str, str], accesses: list[Access], *, waits: bool
    ) -> None:
        self.model = PacedDmCache(options, *SIZES)
        self.found = Simulation(SLOW_DISK)
        self.begins, self.waits = accesses[0][0], waits
        self.under_way = 0
        last_us = accesses[-1][0] - self.begins
        self.found.last = last_us * 1e-6
        for due_us in range(SECOND_US, last_us + 1, SECOND_US):
            self.found.at(due_us * 1e-6, partial(self.tick, due_us))
        for number, access in enumerate(accesses):
            time_s = (access[0] - self.begins) * 1e-6
            self.found.at(time_s, partial(self.come, number, access))
        self.found.run()

    def asked(self, act: Callable[[], object]) -> tuple[str | None, Work]:
        before = dict(self.model.count)
        act()
        return between(before, self.model.count)

    def copy(self, now: float, now_us: float) -> None:
        model = self.model
        while self.under_way < model.copies_at_once and model.is_idle(now_us):
            _, work = self.asked(model.write_coldest_back)
            if not any(work):
                return
            self.under_way += 1
            self.found.steps(now, work, self.over)

    def over(self, at: float) -> None:
        self.under_way -= 1
        if at <= self.found.last:
            self.copy(at, at * 1e6)

    def tick(self, due_us: int, now: float) -> None:
        _, work = self.asked(lambda: self.model.tick(due_us))
        self.found.steps(now, work, lambda _: None)
        self.copy(now, due_us)

    def come(self, number: int, access: Access, now: float) -> None:
        time_us, page, write = access
        read, work = self.asked(
            lambda: self.model.access(time_us - self.begins, ("1/1", page), write=write)
        )
        self.found.arrive(now, number, read, work, waits=self.waits)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(
    ("block", "threshold"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 5), (2, 48)]
)
def test_dm_cache_copies_no_more_at_once_than_its_threshold(
    with_gaps: list[Access], tmp_path: Path, block: int, threshold: int, waits: bool
) -> None:
    """It begins the next block when one is over, and none once a request has come."""
    options = {
        "block_pages": str(block),
        "migration_threshold_pages": str(threshold),
    }
    slow = Paced(options, with_gaps, waits=waits)
    trace = written(with_gaps, tmp_path / "trace.csv")
    found = timed(
        trace, "dm_cache", options=options, disk=SLOW_DISK, waits_for_writes=waits
    )
    for name in (
        "flash_hits",
        "hdd_writes",
        "disk_batch_writes",
        "flash_batch_reads",
        "flash_stage_out_reads",
    ):
        assert found[name] == slow.model.count[name], name
    agree(found["response"], slow.found)
    at_once = replay(trace, "flash_cache", "dm_cache", *SIZES, options=options)
    cleaned = "disk_writes_by_cleaner"
    if threshold >= block:
        assert found[cleaned] > 0
    if threshold == block:
        # Some gaps are too short for all that is dirty, so less can be demoted.
        assert found["demotions"] < at_once["demotions"]


def test_a_read_behind_a_short_gap_waits_for_a_few_copies_of_dm_cache(
    tmp_path: Path,
) -> None:
    """Without a limit it would find all dirty blocks before it in the queue of the disk."""
    writes: list[Access] = [(1000 * at, at, True) for at in range(60)]
    # Nothing was asked for since 0.059 s, so write-back begins at 2 s.
    steps = [*writes, (2_005_000, 900, False)]
    trace = written(steps, tmp_path / "trace.csv")

    def last_us(threshold: int) -> float:
        options = {
            "block_pages": "1",
            "migration_threshold_pages": str(threshold),
        }
        found = timed(trace, "dm_cache", options=options, disk=SLOW_DISK, window_s=0.5)
        course = found["response"]["course"]
        assert course[-1]["answered"] == 1
        return float(course[-1]["mean_us"])

    assert last_us(1) < last_us(4) < last_us(48)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("lazy_cleaning", {"dirty_threshold": "0.1"}),
        (
            "bcache",
            {"mode": "write_back", "bucket_pages": "4", "writeback_delay_s": "1"},
        ),
        (
            "dm_writecache",
            {
                "high_watermark": "90",
                "low_watermark": "0",
                "writeback_pages_per_s": "50",
            },
        ),
    ],
)
def test_a_read_behind_a_long_gap_waits_for_no_work_of_the_gap(
    tmp_path: Path, name: str, options: dict[str, str]
) -> None:
    """All is cleaned long before the read comes, which finds the disks idle."""
    writes: list[Access] = [(30_000 * at, at, True) for at in range(60)]
    steps = [*writes, (600_000_000, 900, False)]
    found = timed(
        written(steps, tmp_path / "trace.csv"), name, options=options, window_s=60
    )
    assert found["disk_writes_by_cleaner"] + found["disk_writes_on_stage_out"] > 10
    last = found["response"]["course"][-1]
    assert last["accesses"] == 1
    assert last["mean_us"] == pytest.approx(1e6 * (DISK.read_answered_s or 0))


def timed(trace: Trace, name: str, **asked: Any) -> dict[str, Any]:
    given = {"arrivals": Arrivals("trace"), "flash": FLASH, "disk": DISK, **asked}
    return replay_timed(trace, name, *SIZES, **given)


@pytest.mark.parametrize("name", [each["name"] for each in contenders("flash_cache")])
def test_behind_an_assignment_it_counts_as_without_time(
    trace: Trace, name: str
) -> None:
    options = {"admission": "cachesack", "assignment": "second_miss"}
    plain = replay(trace, "flash_cache", name, *SIZES, options=options)
    found = timed(trace, name, options=options)
    for key, value in plain.items():
        assert found[key] == value, key
    assert found["bypassed"] > 0


@pytest.mark.parametrize("name", [each["name"] for each in contenders("flash_cache")])
def test_every_flash_cache_counts_as_without_time_and_the_same_for_a_seed(
    trace: Trace, name: str
) -> None:
    """On the recorded times every decision is that of the replay that times nothing."""
    plain = replay(trace, "flash_cache", name, *SIZES)
    one, two = (timed(trace, name, exponential=True, seed=3) for _ in range(2))
    assert one == two
    assert one["response"] != timed(trace, name, exponential=True, seed=4)["response"]
    for key, value in plain.items():
        assert one[key] == value, key


def test_the_course_is_the_whole_in_windows(trace: Trace) -> None:
    found = timed(trace, "face", window_s=0.5, warm_up=700)
    course = found["response"]["course"]
    every = timed(trace, "face")
    assert sum(each["accesses"] for each in course) == every["accesses"] == 1500
    assert sum(each["ram_hits"] for each in course) == every["ram_hits"]
    assert sum(each["flash_hits"] for each in course) == every["flash_hits"]
    assert [each["start_s"] for each in course] == pytest.approx(
        [0.5 * at for at in range(len(course))]
    )
    assert course[-1]["flash_used_pages"] == every["slots_used"]
    assert course[-1]["flash_dirty_pages"] == every["dirty_slots"]
    lengths = [each["length_s"] for each in course]
    assert lengths[:-1] == pytest.approx([0.5] * (len(course) - 1))
    assert sum(lengths) == pytest.approx(every["response"]["duration_s"])
    for tier in ("flash", "disk"):
        asked = sum(
            each[f"{tier}_load"] * length
            for each, length in zip(course, lengths, strict=True)
        )
        until_last = every["response"][tier]["utilisation"]
        assert asked / every["response"]["last_arrival_s"] == pytest.approx(
            until_last, rel=0.01
        )
    assert timed(trace, "face")["response"]["course"] == []


def test_accesses_at_the_start_of_the_last_window_are_in_the_course(
    tmp_path: Path,
) -> None:
    """Such a window is as long as they take; where RAM has them it has no length, and so no rate."""
    steps: list[Access] = [(0, 1, False), (400_000, 2, False)]

    def course_with(*last: int) -> list[dict[str, Any]]:
        behind = [(1_000_000, page, False) for page in last]
        trace = written([*steps, *behind], tmp_path / "trace.csv")
        found: list[dict[str, Any]]
        found = timed(trace, "face", window_s=0.5)["response"]["course"]
        return found

    course = course_with(3, 1)
    assert [each["accesses"] for each in course] == [2, 0, 2]
    assert [each["answered"] for each in course] == [2, 0, 2]
    assert [each["ram_hits"] for each in course] == [0, 0, 1]
    lengths = [each["length_s"] for each in course]
    assert lengths == pytest.approx([0.5, 0.5, DISK.read_answered_s])
    assert course[2]["accesses_per_s"] == pytest.approx(2 / DISK.read_answered_s)
    course = course_with(1)
    assert [each["answered"] for each in course] == [2, 0, 1]
    assert [each["length_s"] for each in course] == [0.5, 0.5, 0]
    assert [each["accesses_per_s"] for each in course[1:]] == [0, None]
    assert course[2]["disk_utilisation"] is course[2]["disk_load"] is None


def test_work_of_a_gap_lies_in_the_window_that_it_begins_in(tmp_path: Path) -> None:
    """50 pages a second for a second, and nothing behind that."""
    # None beside another, so that each is written back by itself.
    writes: list[Access] = [(at, 2 * at, True) for at in range(60)]
    trace = written([*writes, (3_000_000, 900, False)], tmp_path / "trace.csv")
    options = {
        "high_watermark": "90",
        "low_watermark": "0",
        "writeback_pages_per_s": "50",
    }
    course = timed(trace, "dm_writecache", options=options, window_s=0.25)["response"][
        "course"
    ]
    busy = [each["disk_load"] for each in course]
    one_page = (DISK.write_s or 0) / DISK.at_once / 0.25
    assert busy[1:3] == pytest.approx([12.5 * one_page] * 2, abs=one_page)
    assert busy[5:12] == [0] * 7
    dirty = [each["flash_dirty_pages"] for each in course]
    assert dirty[0] > dirty[1] > dirty[2] > dirty[5] == 0


def restored_pages(found: dict[str, Any]) -> int:
    """Pages that a warm restart of FaCE reads: entries of 32 bytes, and data pages."""
    segment_bytes = 32 * int(found["options"]["metadata_segment_entries"])
    directory = -(-found["restart_segments_read"] * segment_bytes // PAGE_BYTES)
    assert directory > 0
    return int(directory + found["restart_pages_scanned"])


def test_a_restart_behind_the_last_access_takes_time_too(trace: Trace) -> None:
    slow_read = DeviceTimes(1, 1, 1e-4, 1e-4, 1e-4, 1e-4, batch_read_s=0.05)
    found = timed(trace, "face", options={"crash_at": "1500"}, flash=slow_read)
    assert found["restart_pages_scanned"] > 0
    assert found["response"]["restart_s"] == pytest.approx(0.05 * restored_pages(found))
    assert found["response"]["restarted_at_s"] == pytest.approx(
        found["response"]["last_arrival_s"]
    )
    assert timed(trace, "face")["response"]["restarted_at_s"] is None


def test_nothing_is_served_while_a_warm_restart_reads_flash(trace: Trace) -> None:
    crash = {"crash_at": "1000"}
    slow_read = DeviceTimes(1, 1, 1e-4, 1e-4, 1e-4, 1e-4, batch_read_s=0.05)
    warm = timed(trace, "face", options=crash, flash=slow_read)
    assert warm["restart_pages_scanned"] > 0
    assert warm["response"]["restart_s"] == pytest.approx(0.05 * restored_pages(warm))
    cold = timed(trace, "face", options={**crash, "restart": "cold"}, flash=slow_read)
    assert cold["response"]["restart_s"] == 0
    assert warm["response"]["most_us"] > 1e6 * 0.9 * warm["response"]["restart_s"]


@pytest.mark.parametrize("interval_s", [0.31, 2.0, 1000.0])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("face", {}),
        ("flashcache", {"mode": "write_back", "ways": "8"}),
        ("cac", {"mode": "write_back", "directory": "persistent"}),
        ("lazy_cleaning", {"directory": "persistent"}),
    ],
)
def test_redo_reads_each_page_written_since_the_checkpoint_once(
    accesses: list[Access],
    tmp_path: Path,
    name: str,
    options: dict[str, str],
    interval_s: float,
) -> None:
    """What flash holds is found out by reading just these pages after the crash, with room for all of them."""
    crash_at, (ram, flash) = 1000, (12, 400)
    begun, crashed = accesses[0][0], accesses[crash_at][0]

    def interval(at_us: int) -> int:
        return int((at_us - begun) / (interval_s * 1e6))

    redone = sorted(
        {
            page
            for at, page, is_write in accesses[:crash_at]
            if is_write and interval(at) == interval(crashed)
        }
    )
    options = {**options, "crash_at": str(crash_at)}
    found = replay_timed(
        written(accesses, tmp_path / "all.csv"),
        name,
        ram,
        flash,
        arrivals=Arrivals("trace"),
        flash=FLASH,
        disk=DISK,
        options=options,
        checkpoint_s=interval_s,
    )["response"]
    then = [*accesses[:crash_at], *((crashed, page, False) for page in redone)]
    again = written(then, tmp_path / "again.csv")
    counted = replay(
        again, "flash_cache", name, ram, flash, options=options, warm_up=crash_at
    )
    redo = found["redo"]
    assert redo["pages"] == len(redone)
    assert redo["flash_pages"] == counted["flash_hits"]
    assert redo["seconds"] == pytest.approx(
        counted["flash_hits"] * FLASH.read_answered_s
        + counted["flash_misses"] * DISK.read_answered_s
    )


def test_not_even_ram_answers_before_all_is_redone(tmp_path: Path) -> None:
    # Two reads of one page just after the crash: a miss, and a hit in RAM.
    accesses = [(0, 1, True), (10, 2, True), (1000, 7, False), (1001, 7, False)]
    slow = DeviceTimes(1, 1, 1e-3, 1e-3, 1e-3, 1e-3)

    def means(checkpoint_s: float) -> dict[str, Any]:
        found = replay_timed(
            written(accesses, tmp_path / "trace.csv"),
            "face",
            *SIZES,
            arrivals=Arrivals("trace"),
            flash=slow,
            disk=slow,
            options={"crash_at": "2"},
            warm_up=2,
            checkpoint_s=checkpoint_s,
        )
        assert found["ram_hits"] == 1
        response: dict[str, Any] = found["response"]
        return response

    nothing = {"pages": 0, "flash_pages": 0, "older_pages": 0, "seconds": 0.0}
    assert means(0.0)["redo"] == {**nothing, "after_checkpoint": False}
    redone = means(10.0)
    # Neither page was on flash: 2 ms for both, then 1 ms for the miss; the hit came 1 µs later.
    assert redone["redo"] == {
        "pages": 2,
        "flash_pages": 0,
        "older_pages": 0,
        "seconds": 2e-3,
        "after_checkpoint": False,
    }
    assert redone["mean_us"] == pytest.approx((3000 + 1999) / 2)


def test_a_course_of_too_many_windows_and_options_of_a_scheme_are_refused(
    trace: Trace,
) -> None:
    with pytest.raises(ParameterError, match="more than 20000 windows"):
        timed(trace, "face", window_s=1e-6)
    with pytest.raises(ParameterError, match="scheme `lazy` has no such option"):
        timed(trace, "lazy", options={"mode": "write_back"})
    with pytest.raises(ParameterError, match="has no option `modes`"):
        timed(trace, "face", options={"modes": "write_back"})


def test_reads_beside_random_writes_wait_longer(trace: Trace) -> None:
    """TAC writes at random, FaCE appends: only the reads of TAC are slowed."""
    slowed = DeviceTimes(**{**FLASH_FIELDS, "beside_writes_s": 5e-3})
    for name, is_slowed in (("tac", True), ("face", False)):
        plain, beside = (
            timed(trace, name, flash=flash)["response"]["flash"]["reads"]["mean_us"]
            for flash in (FLASH, slowed)
        )
        assert (beside > 2 * plain) == is_slowed, (name, plain, beside)


FLASH_FIELDS: dict[str, Any] = {
    name: getattr(FLASH, name) for name in DeviceTimes.__slots__
}


def test_a_replay_is_kept_and_read_again() -> None:
    one = TimedReplay(
        "face",
        *SIZES,
        Arrivals("clients", clients=3),
        FLASH,
        DISK,
        options={"mode": "write_through"},
        window_s=60.0,
    )
    assert TimedReplay.of(one.to_dict()) == one
