"""Crashes under page-flow schemes, on simulated time: against slow models whose copies number the writes that made them.

The directory of a scheme is in RAM, so a crash leaves RAM and flash empty; the disk has what was written to it.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tierwright._simulator import ParameterError
from tierwright.simulate.replay import replay
from tierwright.simulate.timed import Arrivals, DeviceTimes, TimedReplay, replay_timed
from tierwright.trace.reading import Trace

FLASH = DeviceTimes(1, 4, 1e-4, 1e-4, 2e-4, 2e-4)
DISK = DeviceTimes(1, 64, 2e-3, 2e-3, 3e-3, 3e-3)
"""So many at once that nothing waits."""
SCHEMES = ("inclusive", "inclusive_global", "exclusive", "lazy")
TRACES = 6
SIZES = (3, 7)
STEP_US = 1000
INTERVAL = 13
"""Accesses between two checkpoints."""
WINDOW = 7
"""Accesses in a window of a course."""
Access = tuple[int, bool]
"""Page, and whether it is written."""


class Tier:
    """Pages, least recent first; of each the version it has, and whether it is newer than what lies below."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.versions: dict[int, int] = {}
        self.dirty: set[int] = set()

    def is_full(self) -> bool:
        return len(self.versions) == self.pages

    def touch(self, page: int) -> None:
        self.versions[page] = self.versions.pop(page)

    def put(self, page: int, version: int, *, dirty: bool) -> None:
        self.versions.pop(page, None)
        self.versions[page] = version
        (self.dirty.add if dirty else self.dirty.discard)(page)

    def take(self, page: int) -> tuple[int, bool]:
        dirty = page in self.dirty
        self.dirty.discard(page)
        return self.versions.pop(page), dirty


class Scheme:
    """RAM and flash, both under LRU, in front of the disk."""

    def __init__(self, name: str, ram_pages: int, flash_pages: int) -> None:
        self.name = name
        self.sizes = (ram_pages, flash_pages)
        self.latest: dict[int, int] = {}
        self.disk: dict[int, int] = {}
        self.written: dict[int, int] = {}
        """When each page was last written, in accesses."""
        self.count = dict.fromkeys(
            (
                "ram_hits", "flash_hits", "flash_misses", "flash_fills", "flash_write_backs",
                "hdd_writes", "ram_evictions", "ram_dirty_evictions", "flash_evictions",
            ),
            0,
        )  # fmt: skip
        self.accesses = 0
        self.go_down()

    def go_down(self) -> None:
        """Lose all that RAM and flash hold; what the log redoes is at hand again."""
        self.ram, self.flash = (Tier(pages) for pages in self.sizes)

    def access(self, page: int, *, write: bool) -> None:
        count = self.count
        if page in self.ram.versions:
            count["ram_hits"] += 1
            self.ram.touch(page)
            if self.name == "inclusive_global":
                self.flash.touch(page)
        else:
            self.miss(page)
        if write:
            self.latest[page] = self.latest.get(page, 0) + 1
            self.written[page] = self.accesses
            self.ram.put(page, self.latest[page], dirty=True)
        self.accesses += 1

    def miss(self, page: int) -> None:
        found = page in self.flash.versions
        self.count["flash_hits" if found else "flash_misses"] += 1
        below = self.flash.versions if found else self.disk
        version, dirty = below.get(page, 0), False
        if self.name == "exclusive":
            if found:
                version, dirty = self.flash.take(page)
        elif self.name == "lazy" and found:
            self.flash.touch(page)
        if self.ram.is_full():
            self.leave_ram(next(iter(self.ram.versions)))
        if self.name.startswith("inclusive"):
            if found:
                self.flash.touch(page)
            else:
                self.enter_flash(page, version, dirty=False)
        self.ram.put(page, version, dirty=dirty)

    def leave_ram(self, page: int) -> None:
        count = self.count
        version, dirty = self.ram.take(page)
        count["ram_evictions"] += 1
        count["ram_dirty_evictions"] += dirty
        if page not in self.flash.versions:
            self.enter_flash(page, version, dirty=dirty)
        elif dirty:
            count["flash_write_backs"] += 1
            if self.name == "inclusive_global":
                self.flash.versions[page] = version
                self.flash.dirty.add(page)
            else:
                self.flash.put(page, version, dirty=True)

    def enter_flash(self, page: int, version: int, *, dirty: bool) -> None:
        if self.flash.is_full():
            inclusive = self.name.startswith("inclusive")
            victim = next(
                each
                for each in self.flash.versions
                if not (inclusive and each in self.ram.versions)
            )
            old, is_newer = self.flash.take(victim)
            self.count["flash_evictions"] += 1
            if is_newer:
                self.count["hdd_writes"] += 1
                self.disk[victim] = old
        self.count["flash_fills"] += 1
        self.flash.put(page, version, dirty=dirty)

    def lost(self) -> set[int]:
        """Return the pages of which the disk does not have the latest version."""
        return {page for page, n in self.latest.items() if self.disk.get(page, 0) != n}


def trace_of(seed: int) -> list[Access]:
    draw = random.Random(seed)
    writes = draw.choice((0.2, 0.5, 1.0))
    return [
        (min(int(draw.expovariate(0.15)), 25), draw.random() < writes)
        for _ in range(60)
    ]


def written(accesses: list[Access], path: Path) -> Trace:
    rows = (
        f"{STEP_US * at},{'RW'[write]},1/1,{page}\n"
        for at, (page, write) in enumerate(accesses)
    )
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return Trace(path)


def timed(
    trace: Trace, scheme: str, sizes: tuple[int, int], **changes: Any
) -> dict[str, Any]:
    return replay_timed(
        trace,
        scheme,
        *sizes,
        arrivals=Arrivals("trace"),
        flash=FLASH,
        disk=DISK,
        **changes,
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_crash_empties_both_tiers_wherever_it_comes(
    scheme: str, tmp_path: Path
) -> None:
    lost_in_all = older_in_all = 0
    for seed in range(TRACES):
        accesses = trace_of(seed)
        trace = written(accesses, tmp_path / "trace.csv")
        for crash_at in range(len(accesses) + 1):
            model = Scheme(scheme, *SIZES)
            for page, write in accesses[:crash_at]:
                model.access(page, write=write)
            found = timed(
                trace,
                scheme,
                SIZES,
                options={"crash_at": str(crash_at), "restart": "cold"},
                checkpoint_s=INTERVAL * STEP_US / 1e6,
            )
            # Nothing is lost that is not reported, and nothing reported that is not lost.
            ram, flash = model.ram, model.flash
            assert model.lost() == ram.dirty | flash.dirty
            assert found["crash"] == {
                "at_access": crash_at,
                "restart": "cold",
                "ram_pages_lost": len(ram.versions),
                "ram_dirty_pages_lost": len(ram.dirty),
                "flash_pages_lost": len(flash.versions),
                "flash_dirty_pages_lost": len(flash.dirty),
            }
            lost_in_all += len(model.lost())
            # Behind the last access the machine is back at once, else when the next one comes.
            back = min(crash_at, len(accesses) - 1)
            since = back // INTERVAL * INTERVAL
            redone = {page for page, at in model.written.items() if at >= since}
            older = model.lost() - redone
            older_in_all += len(older)
            redone |= older
            redo = found["response"]["redo"]
            assert (redo["pages"], redo["flash_pages"]) == (len(redone), 0)
            assert redo["older_pages"] == len(older)
            assert redo["seconds"] == pytest.approx(len(redone) * DISK.read_answered_s)
            assert redo["after_checkpoint"] == (since > 0)
            model.go_down()
            for page, write in accesses[crash_at:]:
                model.access(page, write=write)
            assert {key: found[key] for key in model.count} == model.count
    assert lost_in_all > older_in_all > 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_window_says_what_flash_holds_and_what_is_dirty_there(
    scheme: str, tmp_path: Path
) -> None:
    for seed in range(TRACES):
        accesses = trace_of(seed)
        trace = written(accesses, tmp_path / "trace.csv")
        model, held = Scheme(scheme, *SIZES), []
        for at, (page, write) in enumerate(accesses):
            if at > 0 and at % WINDOW == 0:
                held.append((len(model.flash.versions), len(model.flash.dirty)))
            if at == len(accesses) // 2:
                model.go_down()
            model.access(page, write=write)
        held.append((len(model.flash.versions), len(model.flash.dirty)))
        found = timed(
            trace,
            scheme,
            SIZES,
            options={"crash_at": str(len(accesses) // 2), "restart": "cold"},
            window_s=WINDOW * STEP_US / 1e6,
        )
        course = found["response"]["course"][: len(held)]
        named = ("flash_used_pages", "flash_dirty_pages")
        assert [tuple(each[name] for name in named) for each in course] == held
        assert [each["flash_full"] for each in course] == [
            used == SIZES[1] for used, _ in held
        ]
        assert any(each["flash_full"] for each in course)


@pytest.mark.parametrize("technique", ["overwriting", "invalidating"])
@pytest.mark.parametrize("scheme", ["inclusive", "exclusive", "lazy"])
def test_a_window_counts_the_frames_of_flash_in_blocks(
    scheme: str, technique: str, tmp_path: Path
) -> None:
    accesses = trace_of(3)
    trace = written(accesses, tmp_path / "trace.csv")
    blocks = {"block_pages": "2", "block_technique": technique}
    sizes = (3, 16)

    def of(**changes: Any) -> dict[str, Any]:
        return timed(trace, scheme, sizes, **changes)

    [whole] = of(options=blocks, window_s=60.0)["response"]["course"]
    crash = of(
        options={**blocks, "crash_at": str(len(accesses)), "restart": "cold"},
        # The latest checkpoint comes just behind the last write.
        checkpoint_s=(len(accesses) - 1.5) * STEP_US / 1e6,
    )
    lost = crash["crash"]
    assert whole["flash_dirty_pages"] == lost["flash_dirty_pages_lost"] > 0
    # A page of a dirty block that nobody wrote is not redone.
    last = {page for page, write in accesses[-1:] if write}
    dirty = lost["ram_dirty_pages_lost"] + lost["flash_dirty_pages_lost"]
    redo = crash["response"]["redo"]
    assert redo["pages"] == redo["older_pages"] + len(last)
    assert lost["ram_dirty_pages_lost"] < redo["pages"] <= dirty
    assert whole["flash_used_pages"] % 2 == 0
    assert lost["flash_pages_lost"] <= whole["flash_used_pages"] <= sizes[1]
    assert whole["flash_full"] == (whole["flash_used_pages"] == sizes[1])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_slow_model_without_a_crash_is_the_replay(
    scheme: str, tmp_path: Path
) -> None:
    accesses = trace_of(99)
    trace = written(accesses, tmp_path / "trace.csv")
    model = Scheme(scheme, *SIZES)
    for page, write in accesses:
        model.access(page, write=write)
    assert model.count["flash_evictions"] > 0
    found = replay(trace, "scheme", scheme, *SIZES)
    assert {key: found[key] for key in model.count} == model.count
    assert "crash" not in timed(trace, scheme, SIZES)


def test_ram_alone_loses_what_changed_there(tmp_path: Path) -> None:
    accesses = [(1, True), (2, True), (3, False), (1, False)]
    trace = written(accesses, tmp_path / "trace.csv")
    found = timed(trace, "none", (2, 0), options={"crash_at": "3", "restart": "cold"})
    assert found["hdd_writes"] == 1
    assert found["crash"]["ram_dirty_pages_lost"] == 1
    assert found["crash"]["flash_pages_lost"] == 0
    assert (found["ram_hits"], found["flash_misses"]) == (0, 4)


def test_what_comes_after_a_crash_waits_for_redo(tmp_path: Path) -> None:
    """Twelve pages are written again before the access behind the crash is served."""
    accesses = [(page, True) for page in range(12)] + [(40, False)]
    trace = written(accesses, tmp_path / "trace.csv")

    def most_us(**options: str) -> float:
        found = timed(
            trace, "lazy", (2, 20), options=options, warm_up=12, checkpoint_s=60.0
        )
        return float(found["response"]["most_us"])

    alone = most_us()
    crashed = most_us(crash_at="12", restart="cold")
    assert crashed - alone == pytest.approx(12 * 3000)


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (
            {"crash_at": "1", "restart": "warm"},
            "scheme `lazy` keeps its directory in RAM",
            "restart=cold",
        ),
        ({"crash_at": "1.5"}, "`crash_at=1.5`: is not a whole number", "accesses"),
        ({"crash_at": "9"}, "the trace ends after 2 accesses", "before the crash"),
        ({"ram_policy": "ark"}, "`ark`: no such replacement policy", "choose one of"),
    ],
)
def test_what_a_scheme_cannot_do_is_refused(
    options: dict[str, str], message: str, hint: str, tmp_path: Path
) -> None:
    trace = written([(1, True), (2, False)], tmp_path / "trace.csv")
    with pytest.raises(ParameterError) as raised:
        timed(trace, "lazy", SIZES, options=options)
    assert message in raised.value.args[0]
    assert hint in raised.value.args[1]


def test_a_kept_replay_hands_on_what_was_lost(tmp_path: Path) -> None:
    trace = written(trace_of(3), tmp_path / "trace.csv")
    given = TimedReplay(
        "exclusive", *SIZES, Arrivals("trace"), FLASH, DISK,
        options={"crash_at": "30", "restart": "cold"},
    )  # fmt: skip
    crash = timed(trace, "exclusive", SIZES, options=given.options)["crash"]
    found = given.run(trace)
    for name in ("ram_dirty_pages_lost", "flash_dirty_pages_lost"):
        assert found[name] == crash[name] > 0
    assert TimedReplay.of({**given.to_dict(), "options": {}}).run(trace)[name] == 0
