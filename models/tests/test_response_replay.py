"""Replays on simulated time against a slow simulation event by event, and known queues."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections import OrderedDict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_courses import Happened, Tier

from tierwright._simulator import ParameterError
from tierwright.evaluate.response.queue import Mix, waiting
from tierwright.simulate.replay import replay
from tierwright.simulate.timed import Arrivals, DeviceTimes, TimedReplay, replay_timed
from tierwright.trace.reading import Trace

Access = tuple[float, int, bool]
"""Time in µs, page, whether it is written."""
FLASH = DeviceTimes(1, 4, 120.0137e-6, 300.0271e-6, 150.0059e-6, 40.0311e-6)
DISK = DeviceTimes(1, 2, 5.0000173e-3, 7.0000457e-3, 5.0000173e-3, 7.0000457e-3)
"""No sums of them are equal: which of two events at one time goes first is not defined."""
SIZES = (20, 60)
SCHEMES = ("none", "inclusive", "exclusive", "lazy")
SHARES = {"p50_us": 0.5, "p99_us": 0.99, "p999_us": 0.999}


def written(path: Path, accesses: list[Access]) -> Trace:
    rows = [
        f"{time:.0f},{'W' if write else 'R'},0/1,{page}\n"
        for time, page, write in accesses
    ]
    path.write_text("time_us,op,rel,block\n" + "".join(rows), encoding="ascii")
    return Trace(path)


@pytest.fixture(scope="module")
def accesses() -> list[Access]:
    """Hot and cold pages in bursts, which leave the devices idle now and then."""
    draw = random.Random(11)
    time, found = 0.0, []
    for at in range(4000):
        time += draw.choice([0, 0, 50, 800, 3000, 9000])
        page = int(min(draw.expovariate(0.02), 400))
        found.append((float(round(time)), page + (at // 1000), draw.random() < 0.3))
    return found


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory, accesses: list[Access]) -> Trace:
    return written(tmp_path_factory.mktemp("timed") / "trace.csv", accesses)


class Lru:
    """Pages in order of their use, the oldest first, with their dirty bits."""

    def __init__(self, pages: int) -> None:
        self.pages, self.held = pages, OrderedDict[int, bool]()

    def use(self, page: int, *, dirty: bool) -> None:
        self.held[page] = self.held.get(page, False) or dirty
        self.held.move_to_end(page)

    def room(self) -> tuple[int, bool] | None:
        return self.held.popitem(last=False) if len(self.held) >= self.pages else None


class Slow:
    """RAM and flash under a scheme, by the figures of the paper, one page after the other."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme
        self.ram, self.flash = Lru(SIZES[0]), Lru(SIZES[1])

    def access(self, page: int, *, write: bool) -> list[str]:
        """What an access asks of the devices: its read, then writes of the disk, then of flash."""
        if page in self.ram.held:
            self.ram.use(page, dirty=write)
            return []
        on_flash = self.scheme != "none" and page in self.flash.held
        read = "flash read" if on_flash else "disk read"
        writes: list[str] = getattr(self, self.scheme)(page, on_flash=on_flash)
        self.ram.use(page, dirty=write)
        return [read, *sorted(writes)]

    def to_flash(self, page: int, *, dirty: bool) -> list[str]:
        lost = self.flash.room()
        self.flash.use(page, dirty=dirty)
        return ["flash write", *(["disk write"] if lost and lost[1] else [])]

    def none(self, _: int, *, on_flash: bool) -> list[str]:
        assert not on_flash
        victim = self.ram.room()
        return ["disk write"] if victim and victim[1] else []

    def exclusive(self, page: int, *, on_flash: bool) -> list[str]:
        dirty = self.flash.held.pop(page) if on_flash else False
        victim = self.ram.room()
        self.ram.use(page, dirty=dirty)
        return self.to_flash(victim[0], dirty=victim[1]) if victim else []

    def lazy(self, page: int, *, on_flash: bool) -> list[str]:
        if on_flash:
            self.flash.use(page, dirty=False)
        victim = self.ram.room()
        if victim is None:
            return []
        if victim[0] not in self.flash.held:
            return self.to_flash(victim[0], dirty=victim[1])
        if not victim[1]:
            return []
        self.flash.use(victim[0], dirty=True)
        return ["flash write"]

    def inclusive(self, page: int, *, on_flash: bool) -> list[str]:
        victim, writes = self.ram.room(), []
        if victim and victim[1]:
            writes.append("flash write")
            self.flash.use(victim[0], dirty=True)
        if on_flash:
            self.flash.use(page, dirty=False)
            return writes
        if len(self.flash.held) >= self.flash.pages:
            # No page that RAM holds leaves flash.
            out = next(each for each in self.flash.held if each not in self.ram.held)
            writes += ["disk write"] if self.flash.held.pop(out) else []
        self.flash.use(page, dirty=False)
        return [*writes, "flash write"]


def asked(scheme: str, accesses: list[Access]) -> list[list[str]]:
    slow = Slow(scheme)
    return [slow.access(page, write=write) for _, page, write in accesses]


Asked = tuple[float, tuple[float, float], Callable[[float], None], int]
"""When an operation came, its lengths, what is told of its answer, and the number of the access."""


class Device:
    """Servers that are free, a line of those that wait, and an event for each end."""

    def __init__(self, times: DeviceTimes) -> None:
        self.times, self.free = times, times.at_once
        self.line: deque[Asked] = deque()
        self.busy, self.waits = 0.0, list[float]()
        self.tier = Tier(times.at_once)

    def lengths(self, operation: str) -> tuple[float, float]:
        """Return how long an operation takes a server, and when it is answered."""
        times = self.times
        batch = {
            "batch-read": times.batch_read_s,
            "batch-write": times.batch_write_s,
        }.get(operation)
        if batch is not None:
            return batch, batch
        if operation == "write":
            return times.write_s, times.write_answered_s
        assert operation == "read"
        return times.read_s, times.read_answered_s


class Simulation:
    """Events one by one, each at its time: arrivals, ends of service, answers."""

    def __init__(
        self,
        *,
        waits_for_writes: bool,
        flash: DeviceTimes = FLASH,
        disk: DeviceTimes = DISK,
    ) -> None:
        self.events: list[tuple[float, int, int, Callable[[float], None]]] = []
        self.order = itertools.count()
        self.devices = {"flash": Device(flash), "disk": Device(disk)}
        self.waits_for_writes = waits_for_writes
        self.times = dict[int, float]()
        self.arrivals = dict[int, float]()

    def happened(self) -> Happened:
        """Return all that happened."""
        numbers = range(len(self.times))
        arrivals = [self.arrivals[number] for number in numbers]
        answers = [self.arrivals[number] + self.times[number] for number in numbers]
        tiers = {name: device.tier for name, device in self.devices.items()}
        return Happened(arrivals, answers, tiers)

    def at(self, time: float, what: Callable[[float], None], number: int = -1) -> None:
        """Note an event; of several at one time the first is that of the access that came first."""
        heapq.heappush(self.events, (time, number, next(self.order), what))

    def run(self) -> None:
        while self.events:
            time, _, _, what = heapq.heappop(self.events)
            what(time)

    def ask(
        self, now: float, what: str, answered: Callable[[float], None], number: int
    ) -> None:
        """Ask a device for operations that come together, such as `disk read batch-read`: all are to be answered."""
        name, *operations = what.split()
        device = self.devices[name]
        left = [len(operations)]

        def one(at: float) -> None:
            left[0] -= 1
            if not left[0]:
                answered(at)

        for operation in operations:
            lengths = device.lengths(operation)
            device.tier.asked.append((now, lengths[0]))
            device.line.append((now, lengths, one, number))
        self.serve(device, now)

    def serve(self, device: Device, now: float) -> None:
        while device.free and device.line:
            came, (length, until_answered), answered, number = device.line.popleft()
            device.free -= 1
            device.busy += length
            device.waits.append(now - came)
            device.tier.services.append((now, now + length))
            self.at(now + length, lambda end: self.end(device, end))
            self.at(now + until_answered, answered, number)

    def end(self, device: Device, now: float) -> None:
        device.free += 1
        self.serve(device, now)

    def access(
        self,
        number: int,
        now: float,
        asks: list[str],
        over: Callable[[float], None],
        *,
        reads: int = 1,
    ) -> None:
        """Ask for one thing after the other; the first `reads` are what the access waits for."""
        self.arrivals[number] = now

        def next_of(rest: list[str], *, reads: int) -> Callable[[float], None]:
            def answered(at: float) -> None:
                if rest:
                    self.ask(at, rest[0], next_of(rest[1:], reads=reads - 1), number)
                if (not rest) if self.waits_for_writes else reads == 1:
                    self.times[number] = at - now
                    over(at)

            return answered

        if asks:
            self.ask(now, asks[0], next_of(asks[1:], reads=reads), number)
        else:
            self.times[number] = 0.0
            over(now)


def agrees(found: dict[str, Any], times: list[float], first: int = 0) -> None:
    exact = np.sort(np.array(times[first:])) * 1e6
    response = found["response"]
    assert response["accesses"] == len(exact)
    assert response["mean_us"] == pytest.approx(exact.mean())
    assert response["most_us"] == pytest.approx(exact[-1])
    half = response["resolution"] / 2 + 1e-9
    for name, share in SHARES.items():
        value = exact[math.ceil(share * len(exact)) - 1]
        assert response[name] == pytest.approx(value, rel=half), name


class TestAgainstEvents:
    @pytest.mark.parametrize("waits_for_writes", [False, True])
    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_recorded_arrivals(
        self,
        trace: Trace,
        accesses: list[Access],
        scheme: str,
        waits_for_writes: bool,
    ) -> None:
        slow = Simulation(waits_for_writes=waits_for_writes)
        work = asked(scheme, accesses)

        def arrives(number: int, asks: list[str]) -> Callable[[float], None]:
            return lambda now: slow.access(number, now, asks, lambda _: None)

        for number, ((time, _, _), asks) in enumerate(zip(accesses, work, strict=True)):
            slow.at(time * 1e-6, arrives(number, asks))
        slow.run()
        found = replay_timed(
            trace,
            scheme,
            *SIZES,
            arrivals=Arrivals("trace"),
            flash=FLASH,
            disk=DISK,
            waits_for_writes=waits_for_writes,
        )
        counts = [each for asks in work for each in asks]
        assert found["hdd_writes"] == counts.count("disk write")
        assert found["flash_writes"] == counts.count("flash write")
        agrees(found, [slow.times[number] for number in range(len(accesses))])
        assert found["response"]["last_arrival_s"] == pytest.approx(
            (accesses[-1][0] - accesses[0][0]) * 1e-6
        )

    @pytest.mark.parametrize("waits_for_writes", [False, True])
    @pytest.mark.parametrize("clients", [1, 7])
    def test_clients_without_think_time(
        self,
        trace: Trace,
        accesses: list[Access],
        clients: int,
        waits_for_writes: bool,
    ) -> None:
        """Each takes the next access of the trace when its last one is over."""
        slow = Simulation(waits_for_writes=waits_for_writes)
        work = iter(enumerate(asked("lazy", accesses)))

        def ready(now: float) -> None:
            for number, asks in work:
                if asks:
                    # At equal times what is under way goes first.
                    slow.access(number, now, asks, ready)
                    return
                slow.times[number] = 0.0

        for _ in range(clients):
            slow.at(0.0, ready)
        slow.run()
        found = replay_timed(
            trace,
            "lazy",
            *SIZES,
            arrivals=Arrivals("clients", clients=clients),
            flash=FLASH,
            disk=DISK,
            waits_for_writes=waits_for_writes,
        )
        agrees(found, [slow.times[number] for number in range(len(accesses))])

    def test_a_warm_up_is_not_counted(
        self, trace: Trace, accesses: list[Access]
    ) -> None:
        slow = Simulation(waits_for_writes=True)
        work = asked("exclusive", accesses)

        def arrives(number: int, asks: list[str]) -> Callable[[float], None]:
            return lambda now: slow.access(number, now, asks, lambda _: None)

        for number, ((time, _, _), asks) in enumerate(zip(accesses, work, strict=True)):
            slow.at(time * 1e-6, arrives(number, asks))
        slow.run()
        found = replay_timed(
            trace,
            "exclusive",
            *SIZES,
            arrivals=Arrivals("trace"),
            flash=FLASH,
            disk=DISK,
            waits_for_writes=True,
            warm_up=1500,
        )
        agrees(found, [slow.times[number] for number in range(len(accesses))], 1500)
        assert found["warm_up"] == 1500
        assert found["response"]["last_arrival_s"] == pytest.approx(
            (accesses[-1][0] - accesses[1500][0]) * 1e-6
        )


class TestCourse:
    """Windows from the first arrival to the last answer, counted from each event of a slow simulation."""

    @pytest.mark.parametrize("waits_for_writes", [False, True])
    @pytest.mark.parametrize("seed", range(12))
    def test_is_that_of_the_events_whether_the_devices_keep_up_or_not(
        self, tmp_path: Path, seed: int, waits_for_writes: bool
    ) -> None:
        draw = random.Random(seed)
        gaps = draw.choice(([0, 50], [0, 800, 3000], [3000, 9000, 40_000]))
        accesses, time = list[Access](), 0.0
        for _ in range(draw.choice([2, 30, 600])):
            time += draw.choice(gaps)
            page = int(min(draw.expovariate(0.01), 400))
            accesses.append((time, page, draw.random() < 0.4))
        # What all arrives at once has no rate.
        accesses.append((time + 1, 0, False))
        scheme = SCHEMES[seed % len(SCHEMES)]
        slow = Simulation(waits_for_writes=waits_for_writes)

        def arrives(number: int, asks: list[str]) -> Callable[[float], None]:
            return lambda now: slow.access(number, now, asks, lambda _: None)

        work = asked(scheme, accesses)
        for number, ((time, _, _), asks) in enumerate(zip(accesses, work, strict=True)):
            slow.at(time * 1e-6, arrives(number, asks))
        slow.run()
        happened = slow.happened()
        # No event comes just as such a window ends.
        length = happened.end / draw.choice([0.7131, 3.217, 41.39])
        found = replay_timed(
            written(tmp_path / "trace.csv", accesses),
            scheme,
            *SIZES,
            arrivals=Arrivals("trace"),
            flash=FLASH,
            disk=DISK,
            waits_for_writes=waits_for_writes,
            window_s=length,
        )
        happened.agrees(found["response"], length)

    def test_under_overload_arrivals_and_answers_differ(self, misses: Trace) -> None:
        """One disk reads 100 pages a second, whatever comes: of 10,000 accesses a second in 20 s the last waits for 1,980 s."""
        disk = DeviceTimes(1, 1, 0.01, 0.01, 0.01, 0.01)
        found = replay_timed(
            misses,
            "none",
            1,
            0,
            arrivals=Arrivals("poisson", accesses_per_s=10_000.0),
            flash=FLASH,
            disk=disk,
            window_s=300.0,
        )["response"]
        assert found["arrivals_per_s"] == pytest.approx(10_000, rel=0.02)
        assert found["last_arrival_s"] == pytest.approx(20, rel=0.02)
        assert found["accesses_per_s"] == pytest.approx(100, rel=1e-4)
        assert found["duration_s"] == pytest.approx(2000, rel=1e-4)
        assert found["most_us"] == pytest.approx(1e6 * 1980, rel=1e-3)
        course = found["course"]
        assert [each["accesses"] for each in course] == [200_000] + [0] * 6
        for each in course:
            assert each["accesses_per_s"] == pytest.approx(100, rel=1e-3)
            assert each["disk_utilisation"] == pytest.approx(1)
        assert course[0]["disk_load"] == pytest.approx(2000 / 300)
        assert course[1]["disk_load"] == 0
        assert course[0]["unanswered"] == pytest.approx(170_000, abs=2)

    def test_with_clients_it_is_that_of_the_events_too(
        self, trace: Trace, accesses: list[Access]
    ) -> None:
        slow = Simulation(waits_for_writes=False)
        work = iter(enumerate(asked("lazy", accesses)))

        def ready(now: float) -> None:
            for number, asks in work:
                slow.arrivals[number], slow.times[number] = now, 0.0
                if asks:
                    slow.access(number, now, asks, ready)
                    return

        for _ in range(5):
            slow.at(0.0, ready)
        slow.run()
        happened = slow.happened()
        length = happened.end / 7.319
        found = replay_timed(
            trace,
            "lazy",
            *SIZES,
            arrivals=Arrivals("clients", clients=5),
            flash=FLASH,
            disk=DISK,
            window_s=length,
        )
        happened.agrees(found["response"], length)


@pytest.fixture(scope="module")
def misses(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Pages that are read once each: every access reads the disk."""
    rows = [(float(at), at, False) for at in range(200_000)]
    return written(tmp_path_factory.mktemp("timed") / "misses.csv", rows)


class TestKnownQueues:
    """Every access is one read of the disk: the queue alone."""

    @pytest.mark.parametrize("at_once", [1, 3])
    @pytest.mark.parametrize("load", [0.3, 0.8])
    def test_exponential_service_is_m_m_c(
        self, misses: Trace, at_once: int, load: float
    ) -> None:
        time = 0.01
        disk = DeviceTimes(1, at_once, time, time, time, time)
        found = replay_timed(
            misses,
            "none",
            1,
            0,
            arrivals=Arrivals("poisson", accesses_per_s=load * at_once / time),
            flash=FLASH,
            disk=disk,
            exponential=True,
            seed=3,
        )["response"]
        known = waiting(
            load * at_once / time,
            servers=at_once,
            mix=Mix.checked([1.0], [time], "exponential"),
        )
        assert found["disk"]["utilisation"] == pytest.approx(load, rel=0.02)
        assert found["disk"]["waited"] == pytest.approx(
            float(known.probability), rel=0.04
        )
        assert found["disk"]["wait_us"] == pytest.approx(
            float(known.mean_s) * 1e6, rel=0.06
        )
        assert found["mean_us"] == pytest.approx(
            (float(known.mean_s) + time) * 1e6, rel=0.04
        )

    def test_constant_service_waits_half_as_long(self, misses: Trace) -> None:
        """Pollaczek and Khinchine: rho s / (2 (1 - rho)) with rho = 0.7."""
        disk = DeviceTimes(1, 1, 0.01, 0.01, 0.01, 0.01)
        found = replay_timed(
            misses,
            "none",
            1,
            0,
            arrivals=Arrivals("poisson", accesses_per_s=70.0),
            flash=FLASH,
            disk=disk,
        )["response"]
        assert found["disk"]["wait_us"] == pytest.approx(0.7 * 1e4 / 0.6, rel=0.04)

    def test_several_devices_share_the_load(self, misses: Trace) -> None:
        """Four disks at a quarter of the load each wait as one does at that load."""
        disk = DeviceTimes(4, 1, 0.01, 0.01, 0.01, 0.01)
        found = replay_timed(
            misses,
            "none",
            1,
            0,
            arrivals=Arrivals("poisson", accesses_per_s=280.0),
            flash=FLASH,
            disk=disk,
        )["response"]
        assert found["disk"]["utilisation"] == pytest.approx(0.7, rel=0.02)
        assert found["disk"]["wait_us"] == pytest.approx(0.7 * 1e4 / 0.6, rel=0.04)

    def test_one_client_never_waits(self, misses: Trace) -> None:
        disk = DeviceTimes(1, 1, 0.01, 0.01, 0.01, 0.01)
        found = replay_timed(
            misses,
            "none",
            1,
            0,
            arrivals=Arrivals("clients", clients=1, think_s=0.03),
            flash=FLASH,
            disk=disk,
        )["response"]
        assert found["disk"]["wait_us"] == 0.0
        assert found["mean_us"] == pytest.approx(1e4)
        assert found["disk"]["utilisation"] == pytest.approx(0.25, rel=0.02)

    def test_a_device_that_cannot_keep_up_is_busy_beyond_all_of_the_time(
        self, misses: Trace
    ) -> None:
        disk = DeviceTimes(1, 1, 0.01, 0.01, 0.01, 0.01)
        found = replay_timed(
            misses,
            "none",
            1,
            0,
            arrivals=Arrivals("poisson", accesses_per_s=150.0),
            flash=FLASH,
            disk=disk,
        )["response"]
        assert found["disk"]["utilisation"] == pytest.approx(1.5, rel=0.02)


class TestDoor:
    def test_it_counts_what_a_replay_without_time_counts(self, trace: Trace) -> None:
        for scheme in (*SCHEMES, "inclusive_global"):
            plain = replay(trace, "scheme", scheme, *SIZES)
            timed = replay_timed(
                trace,
                scheme,
                *SIZES,
                arrivals=Arrivals("poisson", accesses_per_s=100.0),
                flash=FLASH,
                disk=DISK,
            )
            assert {**timed, "response": None} == {**plain, "response": None}

    def test_a_seed_gives_the_same_numbers_and_another_others(
        self, trace: Trace
    ) -> None:
        one, same, other = (
            replay_timed(
                trace,
                "lazy",
                *SIZES,
                arrivals=Arrivals("poisson", accesses_per_s=100.0),
                flash=FLASH,
                disk=DISK,
                exponential=True,
                seed=seed,
            )["response"]
            for seed in (1, 1, 2)
        )
        assert one == same
        assert one["mean_us"] != other["mean_us"]

    def test_stretched_times_are_another_rate(self, trace: Trace) -> None:
        one, half = (
            replay_timed(
                trace,
                "lazy",
                *SIZES,
                arrivals=Arrivals("trace", stretch=stretch),
                flash=FLASH,
                disk=DISK,
            )["response"]
            for stretch in (1.0, 0.5)
        )
        assert half["arrivals_per_s"] == pytest.approx(2 * one["arrivals_per_s"])
        # The disk does not answer as quickly.
        assert half["accesses_per_s"] < 1.5 * one["accesses_per_s"]
        assert half["mean_us"] > one["mean_us"]

    @pytest.mark.parametrize(
        ("arrivals", "value"),
        [
            (Arrivals("poisson", accesses_per_s=0.0), "0"),
            (Arrivals("poisson", accesses_per_s=-1.0), "-1"),
            (Arrivals("poisson", accesses_per_s=math.nan), "NaN"),
            (Arrivals("clients", clients=0), "0"),
            (Arrivals("clients", think_s=-1.0), "-1000000000"),
            (Arrivals("trace", stretch=0.0), "0"),
            (Arrivals("daily"), "daily"),  # type: ignore[arg-type]
        ],
    )
    def test_arrivals_without_meaning_are_refused(
        self, trace: Trace, arrivals: Arrivals, value: str
    ) -> None:
        with pytest.raises(ParameterError, match=f"`{value}`") as refused:
            replay_timed(
                trace, "lazy", *SIZES, arrivals=arrivals, flash=FLASH, disk=DISK
            )
        assert refused.value.args[1]

    def test_devices_without_meaning_are_refused(self, trace: Trace) -> None:
        for times in (
            DeviceTimes(0, 1, 1.0, 1.0, 1.0, 1.0),
            DeviceTimes(1, 0, 1.0, 1.0, 1.0, 1.0),
            DeviceTimes(1, 1, -1.0, 1.0, 1.0, 1.0),
            DeviceTimes(1, 1, 1.0, math.inf, 1.0, 1.0),
        ):
            with pytest.raises(ParameterError, match="disk"):
                replay_timed(
                    trace,
                    "lazy",
                    *SIZES,
                    arrivals=Arrivals("trace"),
                    flash=FLASH,
                    disk=times,
                )

    def test_an_unknown_scheme_is_refused(self, trace: Trace) -> None:
        with pytest.raises(ParameterError, match="eager"):
            replay_timed(
                trace,
                "eager",
                *SIZES,
                arrivals=Arrivals("trace"),
                flash=FLASH,
                disk=DISK,
            )

    def test_a_trace_without_times_has_no_recorded_arrivals(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "pages.csv"
        path.write_text("page,op\n1,R\n2,W\n1,R\n", encoding="ascii")
        timeless = Trace(
            path, format="csv", columns={"page": "page", "op": "op"}, page_bytes=4096
        )
        with pytest.raises(ParameterError, match="does not record when"):
            replay_timed(
                timeless,
                "lazy",
                1,
                1,
                arrivals=Arrivals("trace"),
                flash=FLASH,
                disk=DISK,
            )


class TestDevicesThatDoNotKeepUp:
    """More than a million accesses wait for their writes: a result of `TimedReplay.run`, not an error."""

    @staticmethod
    def asked(rate: float, **more: Any) -> TimedReplay:
        return TimedReplay(
            more.pop("scheme", "none"),
            1,
            0,
            Arrivals("poisson", accesses_per_s=rate),
            FLASH,
            DeviceTimes(1, 1, 1e-3, 1e-3, 1e-3, 1e-3),
            **more,
        )

    def test_are_told_from_other_refusals(self, tmp_path: Path) -> None:
        path = tmp_path / "all-missed.csv"
        rows = "".join(f"{at},W,0/1,{at}\n" for at in range((1 << 20) + 3))
        path.write_text(f"time_us,op,rel,block\n{rows}", encoding="ascii")
        trace = Trace(path)
        # Each access reads a page and writes one back: 2 ms on one disk.
        assert self.asked(1e9).run(trace) == {"behind": True}
        slow_enough = self.asked(400.0).run(trace)
        assert "behind" not in slow_enough
        assert slow_enough["disk"]["utilisation"] == pytest.approx(0.8, rel=0.02)
        with pytest.raises(ParameterError, match="unknown"):
            self.asked(1e9, scheme="unknown").run(trace)
