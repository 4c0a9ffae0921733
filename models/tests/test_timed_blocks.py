"""Flash of blocks, and a directory on flash, on simulated time: against a slow model event by event, and through a crash."""

from __future__ import annotations

import itertools
import random
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_response_replay import Access, Lru, Simulation, agrees, written

from tierwright.simulate.replay import replay
from tierwright.simulate.timed import ArrivalKind, Arrivals, DeviceTimes, replay_timed
from tierwright.trace.reading import Trace

FLASH = DeviceTimes(
    1, 4, 120.0137e-6, 300.0271e-6, 150.0059e-6, 40.0311e-6, 31.00173e-6, 47.00291e-6
)
DISK = DeviceTimes(
    1, 2, 5.0000173e-3, 7.0000457e-3, 5.0000173e-3, 7.0000457e-3, 0.30003e-3, 0.40007e-3
)
RAM, FLASH_PAGES = 20, 66
GOLDEN = 0x9E3779B97F4A7C15
TECHNIQUES = ("overwriting", "invalidating")
SCHEMES = [
    *itertools.product(("lazy", "exclusive"), TECHNIQUES, (2, 8)),
    ("inclusive", "overwriting", 2),
    ("inclusive", "overwriting", 8),
    # Single pages: a block of one page is always whole.
    ("lazy", "invalidating", 1),
]
DIRECTORY = (9, 2)
Options = dict[str, str]


def accesses_of(seed: int, length: int) -> list[Access]:
    """Runs of neighbours, hot and cold, in bursts; no two at one time."""
    draw = random.Random(seed)
    time, found = 0.0, list[Access]()
    while len(found) < length:
        first = int(min(draw.expovariate(0.02), 300))
        for page in range(first, first + draw.randint(1, 5)):
            time += draw.choice([3, 7, 50, 3000, 20000, 60000])
            found.append((float(round(time)), page, draw.random() < 0.3))
    return found[:length]


def options_of(
    technique: str, block: int, directory: tuple[int, int] | None
) -> Options:
    options = {}
    if block > 1:
        options |= {"block_pages": str(block), "block_technique": technique}
    if directory:
        pages, buffered = directory
        options["directory_pages"] = str(pages)
        options["directory_buffer_pages"] = str(buffered)
    return options


class Slow:
    """Blocks under LRU, by the rules alone, and what each access asks of the devices."""

    def __init__(
        self,
        scheme: str,
        technique: str,
        block: int,
        directory: tuple[int, int] | None,
    ) -> None:
        self.scheme, self.block, self.directory = scheme, block, directory
        self.invalidating = technique == "invalidating"
        self.ram = Lru(RAM)
        # Valid pages of each block, the least recent block first.
        self.flash = OrderedDict[int, set[int]]()
        self.dirty = set[int]()
        self.numbers = dict[int, int]()
        self.kept = OrderedDict[int, bool]()
        self.found = list[str]()
        self.reads, self.disk_writes = list[str](), list[str]()
        self.whole, self.pages, self.kept_writes = (
            list[str](),
            list[str](),
            list[str](),
        )

    def entry(self, block: int, *, update: bool, finds: bool = False) -> None:
        if self.directory is None:
            return
        pages, buffered = self.directory
        place = (((self.numbers[block] * GOLDEN) % 2**64 >> 32) * pages) >> 32
        if place in self.kept:
            self.kept[place] = self.kept.pop(place) or update
            return
        (self.found if finds else self.reads).append("flash read")
        if len(self.kept) == buffered and self.kept.popitem(last=False)[1]:
            self.kept_writes.append("flash write")
        self.kept[place] = update

    def access(self, page: int, *, write: bool) -> tuple[list[str], int]:
        """Return what is asked for, one thing after the other, and how many of them the access waits for."""
        home = page // self.block
        self.numbers.setdefault(home, len(self.numbers))
        if page in self.ram.held:
            self.ram.use(page, dirty=write)
            return [], 1
        lists = (
            self.found,
            self.reads,
            self.disk_writes,
            self.whole,
            self.pages,
            self.kept_writes,
        )
        for each in lists:
            each.clear()
        self.entry(home, update=False, finds=True)
        own = self.inclusive(page) if self.scheme == "inclusive" else self.staged(page)
        self.ram.use(page, dirty=write)
        first = [*self.found, own]
        return [*first, *itertools.chain(*lists[1:])], len(first)

    def staged(self, page: int) -> str:
        home, dirty = page // self.block, False
        own = "disk read"
        if page in self.flash.get(home, set()):
            own = "flash read"
            self.flash.move_to_end(home)
            if self.scheme == "exclusive" and self.invalidating:
                dirty = home in self.dirty
                self.drop(home, page)
            self.entry(home, update=True)
        victim = self.ram.room()
        self.ram.use(page, dirty=dirty)
        if victim:
            self.stage(*victim)
        return own

    def drop(self, block: int, page: int) -> None:
        self.flash[block].remove(page)
        if not self.flash[block]:
            del self.flash[block]
            self.dirty.discard(block)

    def stage(self, page: int, dirty: bool) -> None:
        home = page // self.block
        self.entry(home, update=False)
        useless = self.scheme == "lazy" and not dirty
        if useless and page in self.flash.get(home, set()):
            return
        comes = home not in self.flash
        if comes:
            if len(self.flash) == FLASH_PAGES // self.block:
                old, valid = self.flash.popitem(last=False)
                self.entry(old, update=True)
                self.to_disk(old, len(valid))
            self.entry(home, update=True)
            self.flash[home] = set()
            if not self.invalidating:
                self.reads.append("disk read" + " batch-read" * (self.block - 1))
                self.whole.append("flash" + " batch-write" * self.block)
                self.flash[home] = set(self.of(home))
                if useless:
                    return
        self.pages.append("flash write")
        self.flash[home].add(page)
        if dirty:
            self.dirty.add(home)
        if not comes:
            self.entry(home, update=True)
            self.flash.move_to_end(home)

    def of(self, block: int) -> range:
        return range(block * self.block, (block + 1) * self.block)

    def to_disk(self, block: int, pages: int) -> None:
        if block in self.dirty:
            self.disk_writes.append("disk write" + " batch-write" * (pages - 1))
        self.dirty.discard(block)

    def inclusive(self, page: int) -> str:
        home = page // self.block
        there = home in self.flash
        victim = self.ram.room()
        if victim and victim[1]:
            block = victim[0] // self.block
            self.pages.append("flash write")
            self.entry(block, update=True)
            self.dirty.add(block)
            self.flash.move_to_end(block)
        own = "flash read"
        if not there:
            own = "disk read" + " batch-read" * (self.block - 1)
            if len(self.flash) == FLASH_PAGES // self.block:
                self.leave()
            self.whole.append("flash" + " batch-write" * self.block)
            self.flash[home] = set(self.of(home))
        self.entry(home, update=True)
        self.flash.move_to_end(home)
        return own

    def leave(self) -> None:
        """Give up the first block without pages in RAM; where all have some, the first one and its pages in RAM."""
        busy = {page // self.block for page in self.ram.held}
        out = next(
            (each for each in self.flash if each not in busy), next(iter(self.flash))
        )
        for page in self.of(out):
            if self.ram.held.pop(page, False):
                self.dirty.add(out)
        del self.flash[out]
        self.entry(out, update=True)
        self.to_disk(out, self.block)


def timed(
    trace: Trace,
    scheme: str,
    options: Options,
    arrivals: ArrivalKind = "trace",
    **changes: Any,
) -> dict[str, Any]:
    return replay_timed(
        trace,
        scheme,
        RAM,
        FLASH_PAGES,
        arrivals=Arrivals(arrivals, accesses_per_s=100.0, clients=3),
        flash=FLASH,
        disk=DISK,
        options=options,
        **changes,
    )


@pytest.mark.parametrize("waits_for_writes", [False, True])
@pytest.mark.parametrize("directory", [None, DIRECTORY])
@pytest.mark.parametrize(("scheme", "technique", "block"), SCHEMES)
def test_against_events(
    scheme: str,
    technique: str,
    block: int,
    directory: tuple[int, int] | None,
    *,
    waits_for_writes: bool,
    tmp_path: Path,
) -> None:
    accesses = accesses_of(block + 3, 3000)
    trace = written(tmp_path / "trace.csv", accesses)
    slow = Slow(scheme, technique, block, directory)
    events = Simulation(waits_for_writes=waits_for_writes, flash=FLASH, disk=DISK)

    def arrives(number: int, asks: list[str], reads: int) -> Callable[[float], None]:
        return lambda now: events.access(number, now, asks, lambda _: None, reads=reads)

    counts = list[str]()
    for number, (time, page, write) in enumerate(accesses):
        asks, reads = slow.access(page, write=write)
        counts += asks
        events.at(time * 1e-6, arrives(number, asks, reads))
    events.run()
    found = timed(
        trace,
        scheme,
        options_of(technique, block, directory),
        waits_for_writes=waits_for_writes,
    )
    kept = found.get("directory", {"reads": 0, "writes": 0})
    requests = [each.split()[:2] for each in counts]
    assert found["hdd_reads"] == requests.count(["disk", "read"])
    assert found["hdd_writes"] == requests.count(["disk", "write"])
    assert found["flash_hits"] + kept["reads"] == requests.count(["flash", "read"])
    whole = requests.count(["flash", "batch-write"])
    single = requests.count(["flash", "write"])
    assert found["flash_writes"] + kept["writes"] == whole + single
    if directory:
        assert kept["writes"] > 0
    if block > 1:
        assert found["blocks"]["flash_block_writes"] == whole
    agrees(found, [events.times[number] for number in range(len(accesses))])


@pytest.mark.parametrize(("scheme", "technique", "block"), SCHEMES)
def test_it_counts_as_without_time(
    scheme: str, technique: str, block: int, tmp_path: Path
) -> None:
    trace = written(tmp_path / "trace.csv", accesses_of(5, 2000))
    device = {"ftl_spare_percent": "60", "ftl_block_pages": "2"}
    others: list[Options] = [{}, {"flash_policy": "arc", "ram_policy": "2q"}]
    if scheme != "inclusive" and technique == "invalidating":
        others.append({"admission": "clean_only"})
    for more in (*others, {"flash_policy": "opt"}, {"admission": "cachesack"}):
        options = options_of(technique, block, DIRECTORY) | device | more
        plain = replay(
            trace, "scheme", scheme, RAM, FLASH_PAGES, options=options, warm_up=500
        )
        kinds: tuple[ArrivalKind, ...] = ("trace", "poisson", "clients")
        for kind in kinds:
            found = timed(trace, scheme, options, kind, warm_up=500)
            found.pop("response")
            found.pop("crash", None)
            assert found == plain
        assert plain["ftl"]["metadata_writes"] == plain["directory"]["writes"] > 0


@pytest.mark.parametrize(("scheme", "technique", "block"), SCHEMES)
def test_a_crash_leaves_nothing_but_the_trace(
    scheme: str, technique: str, block: int, tmp_path: Path
) -> None:
    """What is counted is what two replays count, of the accesses before it and of those behind it."""
    accesses = accesses_of(7, 1200)
    at = 700
    device = {"ftl_spare_percent": "60", "ftl_block_pages": "2"}
    options = options_of(technique, block, DIRECTORY) | device
    parts = [
        replay(
            written(tmp_path / f"{number}.csv", part),
            "scheme",
            scheme,
            RAM,
            FLASH_PAGES,
            options=options,
        )
        for number, part in enumerate((accesses[:at], accesses[at:]))
    ]
    trace = written(tmp_path / "trace.csv", accesses)
    crash = {"crash_at": str(at), "restart": "cold"}
    found = timed(trace, scheme, options | crash, checkpoint_s=1.0)

    def both(*path: str) -> list[int]:
        """A figure of each part, and of the whole."""
        values = []
        for each in (*parts, found):
            value: Any = each
            for name in path:
                value = value[name]
            values.append(value)
        return values

    paths = [
        (name,)
        for name in (
            "ram_hits", "flash_hits", "flash_misses", "flash_fills", "flash_write_backs", "hdd_reads", "hdd_writes",
            "flash_evictions", "directory_lookups", "directory_updates",
        )
    ]  # fmt: skip
    paths.append(("directory", "accesses"))
    if block > 1:
        paths += [
            ("blocks", name)
            for name, value in parts[0]["blocks"].items()
            if name not in ("block_pages", "flash_blocks")
            and not isinstance(value, str)
        ]
    for path in paths:
        before, behind, whole = both(*path)
        assert whole == before + behind, path
    kept = found["directory"]
    data = [
        each["ftl"]["host_writes"] - each["ftl"]["metadata_writes"]
        for each in (*parts, found)
    ]
    assert data[2] == data[0] + data[1]
    assert found["ftl"]["metadata_writes"] == kept["writes"]
    # The buffer of the directory is as empty afterwards as in the beginning.
    assert kept["reads"] - kept["evictions"] == sum(
        each["directory"]["reads"] - each["directory"]["evictions"] for each in parts
    )
    lost = found["crash"]
    slow = Slow(scheme, technique, block, None)
    for _, page, write in accesses[:at]:
        slow.access(page, write=write)
    assert lost["flash_pages_lost"] == sum(map(len, slow.flash.values()))
    assert lost["flash_dirty_pages_lost"] == sum(
        len(slow.flash[each]) for each in slow.dirty
    )
    assert lost["ram_pages_lost"] == len(slow.ram.held)
    assert lost["ram_dirty_pages_lost"] == sum(slow.ram.held.values())


def test_an_access_waits_for_the_page_that_says_where_its_page_lies(
    tmp_path: Path,
) -> None:
    """One client, so nothing waits: a read of the directory, then that of the data."""
    pages = [1, 2, 1, 2, 1]
    accesses = [(1e6 * at, page, False) for at, page in enumerate(pages)]
    trace = written(tmp_path / "trace.csv", accesses)
    options = {"directory_pages": "1", "directory_buffer_pages": "1"}
    found = replay_timed(
        trace,
        "lazy",
        1,
        4,
        arrivals=Arrivals("trace"),
        flash=FLASH,
        disk=DISK,
        options=options,
    )
    reads = 3 * FLASH.read_answered_s + 2 * DISK.read_answered_s
    # The directory's only page is read once, for the first access.
    assert found["directory"]["reads"] == 1
    once = FLASH.read_answered_s
    assert found["response"]["mean_us"] == pytest.approx((reads + once) / 5 * 1e6)


def test_a_block_that_a_miss_reads_is_waited_for_as_a_whole(tmp_path: Path) -> None:
    accesses = [(1e6 * at, 8 * at, False) for at in range(4)]
    trace = written(tmp_path / "trace.csv", accesses)
    options = {"block_pages": "8"}
    found = replay_timed(
        trace,
        "inclusive",
        1,
        32,
        arrivals=Arrivals("trace"),
        flash=FLASH,
        disk=DISK,
        options=options,
    )
    # Of two servers one reads the first page, the other the seven behind it.
    assert DISK.batch_read_s is not None
    whole = max(DISK.read_answered_s, 7 * DISK.batch_read_s)
    assert found["response"]["mean_us"] == pytest.approx(whole * 1e6)
    # What the last access writes begins when no other is to come.
    assert found["response"]["flash"]["batch_pages"] == 24
