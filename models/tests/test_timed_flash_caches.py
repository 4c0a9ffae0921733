"""Flash caches on simulated time: against their slow models and a slow simulation event by event."""

from __future__ import annotations

import heapq
import itertools
import random
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierwright._simulator import ParameterError
from tierwright.simulate.replay import contenders, replay
from tierwright.simulate.timed import Arrivals, DeviceTimes, TimedReplay, replay_timed
from tierwright.trace.reading import Trace

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_systems

Access = tuple[int, int, bool]
"""Time in µs, page, whether it is written."""
FLASH = DeviceTimes(
    1, 3, 120.0137e-6, 300.0271e-6, 150.0059e-6, 40.0311e-6, 21.0073e-6, 33.0017e-6
)
DISK = DeviceTimes(
    1, 2, 4.0000173e-3, 6.0000457e-3, 5.0000173e-3, 5.5000457e-3, 0.3000119e-3
)
SIZES = (12, 48)
PAGE_BYTES = 4096
SYSTEMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("tac", {}),
    ("flashcache", {"mode": "write_back", "ways": "8"}),
    ("cac", {"mode": "write_back", "directory": "persistent"}),
    ("bcache", {"mode": "write_back", "bucket_pages": "4", "open_buckets": "2"}),
    ("sce", {"fragment_pages": "4", "period_ms": "20"}),
    ("larc", {"mode": "write_back"}),
)


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
    path = tmp_path_factory.mktemp("timed") / "trace.csv"
    rows = [f"{at},{'W' if w else 'R'},1/1,{page}\n" for at, page, w in accesses]
    path.write_text("time_us,op,rel,block\n" + "".join(rows), encoding="ascii")
    return Trace(path)


Work = list[list[str]]
"""Steps, each when the one before is over: the operations that arrive together."""


def between(before: dict[str, int], after: dict[str, int]) -> tuple[str | None, Work]:
    """What is read for the access, and what follows."""
    grown = {name: after[name] - before[name] for name in after}
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
    random_writes = (
        grown["flash_random_page_writes"] + grown["metadata_random_page_writes"]
    )
    return read, [
        [
            *["flash read"] * grown["flash_stage_out_reads"],
            *["disk read"] * batches,
            *["disk batch read"] * (grown["disk_batch_read_pages"] - batches),
        ],
        ["disk write"] * grown["hdd_writes"],
        [*["flash batch write"] * pages, *["flash write"] * random_writes],
    ]


class Device:
    """Servers that are free, and a line of those that wait."""

    def __init__(self, times: DeviceTimes) -> None:
        self.free = times.at_once
        self.line: deque[tuple[str, Callable[[float], None]]] = deque()
        self.busy = 0.0
        self.lengths = {
            "read": (times.read_s, times.read_answered_s),
            "write": (times.write_s, times.write_answered_s),
            "batch read": (times.batch_read_s, times.batch_read_s),
            "batch write": (times.batch_write_s, times.batch_write_s),
        }


class Simulation:
    """Events one by one, each at its time."""

    def __init__(self) -> None:
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self.order = itertools.count()
        self.devices = {"flash": Device(FLASH), "disk": Device(DISK)}
        self.times = dict[int, float]()
        self.reads: dict[str, list[float]] = {"flash": [], "disk": []}
        self.last = 0.0
        """When the last access arrives: what begins afterwards is not counted."""

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


def slow(
    name: str, options: dict[str, str], accesses: list[Access], *, waits: bool
) -> tuple[Simulation, Any]:
    model = slow_systems.MODELS[name](options, *SIZES)
    found = Simulation()
    tick = model.tick
    ticked: dict[str, int] = {}

    def noted(time_us: int) -> None:
        tick(time_us)
        ticked.update(model.count)

    model.tick = noted
    found.last = (accesses[-1][0] - accesses[0][0]) * 1e-6

    def arrives(
        number: int, read: str | None, work: Work, behind: Work
    ) -> Callable[[float], None]:
        def come(now: float) -> None:
            def over(at: float) -> None:
                found.times[number] = at - now

            def read_over(at: float) -> None:
                if not waits:
                    over(at)
                found.steps(at, work, over if waits else lambda _: None)

            if read is None:
                read_over(now)
            else:
                found.ask(now, read, read_over)
            found.steps(now, behind, lambda _: None)

        return come

    for number, (time_us, page, write) in enumerate(accesses):
        before = dict(model.count)
        model.access(time_us, ("1/1", page), write=write)
        _, behind = between(before, dict(ticked))
        read, work = between(dict(ticked), model.count)
        found.at((time_us - accesses[0][0]) * 1e-6, arrives(number, read, work, behind))
    found.run()
    return found, model


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(("name", "options"), SYSTEMS)
def test_against_the_slow_model_and_events(
    trace: Trace,
    accesses: list[Access],
    name: str,
    options: dict[str, str],
    waits: bool,
) -> None:
    expected, model = slow(name, options, accesses, waits=waits)
    found = replay_timed(
        trace,
        name,
        *SIZES,
        options=options,
        arrivals=Arrivals("trace"),
        flash=FLASH,
        disk=DISK,
        waits_for_writes=waits,
    )
    assert found["hdd_writes"] == model.count["hdd_writes"]
    response = found["response"]
    times = np.sort(list(expected.times.values())) * 1e6
    assert response["accesses"] == len(times) == len(accesses)
    assert response["mean_us"] == pytest.approx(times.mean())
    assert response["most_us"] == pytest.approx(times[-1])
    for tier in ("flash", "disk"):
        reads = np.array(expected.reads[tier]) * 1e6
        assert response[tier]["reads"]["operations"] == len(reads)
        assert response[tier]["reads"]["mean_us"] == pytest.approx(reads.mean())
        servers = (FLASH if tier == "flash" else DISK).at_once
        assert response[tier]["utilisation"] == pytest.approx(
            expected.devices[tier].busy / servers / response["duration_s"]
        )


def timed(trace: Trace, name: str, **asked: Any) -> dict[str, Any]:
    given = {"arrivals": Arrivals("trace"), "flash": FLASH, "disk": DISK, **asked}
    return replay_timed(trace, name, *SIZES, **given)


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
    lengths = [0.5] * (len(course) - 1) + [
        every["response"]["duration_s"] - course[-1]["start_s"]
    ]
    for tier in ("flash", "disk"):
        busy = sum(
            each[f"{tier}_utilisation"] * length
            for each, length in zip(course, lengths, strict=True)
        )
        assert busy / every["response"]["duration_s"] == pytest.approx(
            every["response"][tier]["utilisation"]
        )
    assert timed(trace, "face")["response"]["course"] == []


def test_nothing_is_served_while_a_warm_restart_reads_flash(trace: Trace) -> None:
    crash = {"crash_at": "1000"}
    slow_read = DeviceTimes(1, 1, 1e-4, 1e-4, 1e-4, 1e-4, batch_read_s=0.05)
    warm = timed(trace, "face", options=crash, flash=slow_read)
    assert warm["restart_pages_scanned"] > 0
    assert warm["response"]["restart_s"] == pytest.approx(
        0.05 * warm["restart_pages_scanned"]
    )
    cold = timed(trace, "face", options={**crash, "restart": "cold"}, flash=slow_read)
    assert cold["response"]["restart_s"] == 0
    assert warm["response"]["most_us"] > 1e6 * 0.9 * warm["response"]["restart_s"]


def test_a_course_of_too_many_windows_and_options_of_a_scheme_are_refused(
    trace: Trace,
) -> None:
    with pytest.raises(ParameterError, match="more than 20000 windows"):
        timed(trace, "face", window_s=1e-6)
    with pytest.raises(ParameterError, match="takes no options on simulated time"):
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
