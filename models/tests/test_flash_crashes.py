"""Crashes at every access: no version that was acknowledged is gone without being reported.

The slow models of the systems give every copy the number of the write that made it. Wherever the machine goes down,
the latest version of each page is on disk, on flash that the restart finds, or among what the replay reports as lost.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import test_flash_systems as systems

from tierwright._simulator import ParameterError
from tierwright.simulate.replay import contenders, replay
from tierwright.simulate.timed import Arrivals, DeviceTimes, replay_timed

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures" / "golden"))
import slow_flash_caches
import slow_systems

Page = slow_systems.Page
Options = dict[str, str]
Step = tuple[int, Page, bool]
Found = dict[Page, bool]
"""What a restart finds on flash, and whether it takes that for newer than the disk."""
TRACES = 8
"""Of each system; each is cut after so many accesses."""
LENGTH = 60
LONGEST_DRAWN = 250
MOST_FLASH = 12
FILTERED_FLASH = {"larc": 4, "ram_filter": 4}
"""Of systems that admit so few pages that a larger one is not filled."""
LARGER = ("dm_cache", "kangaroo")
"""Systems whose units need more flash than that."""
MOST_POINTS = 80
"""Of a trace at which the machine goes down."""


class LazyCleaning(slow_flash_caches._LazyCleaning):
    """The model of Lazy Cleaning, in which copies have the number of the write that made them."""

    def __init__(self, options: Options, ram_pages: int, flash_pages: int) -> None:
        super().__init__(options, ram_pages, flash_pages)
        self.versions: dict[Page, int] = {}
        self.disk: dict[Page, int] = {}
        self.copies: dict[Page, int] = {}
        self.disk_writes = 0

    @property
    def dirty(self) -> set[Page]:
        """Pages of flash that are newer than the disk."""
        return {page for page, frame in self.flash.items() if frame.dirty}

    def write_disk(self, page: Page, version: int) -> None:
        self.disk[page] = version
        self.disk_writes += 1

    def _clean(self) -> None:
        dirty = self.dirty
        super()._clean()
        for page in dirty - self.dirty:
            self.write_disk(page, self.copies[page])

    def _drop(self, frame: slow_flash_caches._Frame) -> None:
        version = self.copies.pop(frame.page)
        if frame.dirty:
            self.write_disk(frame.page, version)
        super()._drop(frame)

    def _exit(self, page: Page, *, changed: bool) -> None:
        was_held = page in self.copies
        super()._exit(page, changed=changed)
        version = self.versions.get(page, 0)
        if changed and page not in self.dirty:
            self.write_disk(page, version)
        if page in self.flash and (changed or not was_held):
            self.copies[page] = version

    def access(self, time_us: int, page: Page, *, write: bool) -> None:
        super().access(time_us, page, write=write)
        # Nothing reaches the disk uncounted, and nothing is counted that does not.
        assert self.disk_writes == self.count["hdd_writes"]
        if write:
            self.versions[page] = self.versions.get(page, 0) + 1


class Face(slow_flash_caches._Face):
    """The model of FaCE, in which copies have the number of the write that made them."""

    def __init__(self, options: Options, ram_pages: int, flash_pages: int) -> None:
        super().__init__(options, ram_pages, flash_pages)
        self.versions: dict[Page, int] = {}
        self.disk: dict[Page, int] = {}
        self.copies: dict[Page, int] = {}
        self.disk_writes = 0

    @property
    def dirty(self) -> set[Page]:
        """Pages of flash that it takes for newer than the disk."""
        return {page for page, slot in self.newest.items() if slot.dirty}

    def write_disk(self, page: Page, version: int) -> None:
        assert version >= self.disk.get(page, 0)
        self.disk[page] = version
        self.disk_writes += 1

    def _append(self, page: Page, *, dirty: bool) -> None:
        # What is appended again is the version that was there.
        if page not in self.newest:
            self.copies[page] = self.versions.get(page, 0)
        super()._append(page, dirty=dirty)

    def _invalidate(self, page: Page) -> None:
        del self.copies[page]
        super()._invalidate(page)

    def _wants(self, held: slow_flash_caches._Held) -> bool | None:
        written = self.count["hdd_writes"]
        wanted = super()._wants(held)
        if self.count["hdd_writes"] > written:
            self.write_disk(held.page, self.versions.get(held.page, 0))
        return wanted

    def _stage_out(self, slot: slow_flash_caches._Slot) -> None:
        version = self.copies.pop(slot.page)
        if slot.dirty:
            self.write_disk(slot.page, version)
        super()._stage_out(slot)

    def _checkpoint(self) -> None:
        changed = [page for page, held in self.ram.items() if held.fdirty]
        super()._checkpoint()
        for page in changed:
            if not self.ram[page].dirty:
                self.write_disk(page, self.versions[page])
        for page, version in self.versions.items():
            assert self.copies.get(page, self.disk.get(page, 0)) == version

    def access(self, time_us: int, page: Page, *, write: bool) -> None:
        super().access(time_us, page, write=write)
        assert self.disk_writes == self.count["hdd_writes"]
        if write:
            self.versions[page] = self.versions.get(page, 0) + 1


class DmWritecache(slow_systems._DmWritecache):
    """The model of dm-writecache, which notes what each commit has on flash."""

    def __init__(self, options: Options, ram_pages: int, flash_pages: int) -> None:
        super().__init__(options, ram_pages, flash_pages)
        self.entered: dict[Page, int] = {}
        self.insertions = self.committed = 0

    def insert(self, page: Page) -> None:
        self.insertions += 1
        self.entered[page] = self.insertions
        super().insert(page)

    def commit(self) -> None:
        super().commit()
        self.committed = self.insertions


MODELS: dict[str, Callable[[Options, int, int], Any]] = {
    **slow_systems.MODELS,
    "dm_writecache": DmWritecache,
    "lazy_cleaning": LazyCleaning,
    "face": Face,
}


def all_of(model: Any) -> Found:
    return {page: page in model.dirty for page in model.copies}


def dirty_of(model: Any) -> Found:
    return dict.fromkeys(model.dirty, True)


def committed_entries(model: Any) -> Found:
    return {
        page: True for page in model.copies if model.entered[page] <= model.committed
    }


def committed_blocks(model: Any) -> Found:
    kept = [slot for slot in model.block_in if slot not in model.uncommitted]
    return {page: model.back for slot in kept for page in model.pages(slot)}


def logged(model: Any) -> Found:
    """The ring without what was fed since the last log block."""
    size = model.flash_pages
    since = {(model.hand - back - 1) % size for back in range(min(model.log, size))}
    kept = [page for at, page in enumerate(model.ring) if at not in since]
    return {page: False for page in kept if page is not None}


FINDS: dict[str, Callable[[Any], Found]] = {
    "face": all_of,
    "lazy_cleaning": all_of,
    "tac": all_of,
    "exadata": all_of,
    "cac": all_of,
    "larc": all_of,
    "cachesack": all_of,
    "bcache": all_of,
    "flashcache": dirty_of,
    "enhanceio": dirty_of,
    "open_cas": dirty_of,
    "dm_writecache": committed_entries,
    "dm_cache": committed_blocks,
    "l2arc": logged,
}
"""What a warm restart finds; the others come back cold alone."""
BACK_ALONE = ("flashcache", "enhanceio", "open_cas")
"""They keep a directory on flash where flash is newer than the disk alone."""


LISTED = {row["name"]: row for row in contenders("flash_cache")}
KEEPS_DIRTY = (
    "face", "lazy_cleaning", "flashcache", "enhanceio", "exadata", "cac", "bcache", "larc",
    "ram_filter", "dm_writecache", "open_cas", "dm_cache",
)  # fmt: skip
"""Systems with a mode in which flash is newer than the disk."""
WRITE_BACK = {
    name
    for name in KEEPS_DIRTY
    for option in LISTED[name]["options"]
    if option["name"] == "mode" and "write_back" in option["values"]
}
"""Of these, those with other modes too."""
UNMODELLED = {"lazy_cleaning": {"metadata_random_page_writes"}}
"""Counters of which a slow model says nothing: that of Lazy Cleaning keeps its directory in memory."""


def comes_back(name: str, options: Options) -> bool:
    if name in BACK_ALONE:
        return options.get("mode") in ("write_back", "write_only")
    return name in FINDS


OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "lazy_cleaning": {
        "mode": ("write_back", "write_back", "write_through"),
        "admission": ("mixed", "dirty_only", "clean_only"),
        "dirty_threshold": ("0.0", "0.2", "1"),
    },
    "face": {
        "mode": ("write_back", "write_back", "write_through", "write_around"),
        "admission": ("mixed", "mixed", "dirty_only", "clean_only"),
        "replacement": ("gsc", "mvfifo"),
        "batch_fill": ("full", "once"),
        "clear_dirty_on_stage_out": ("false", "true"),
        "checkpoint_us": ("0", "900000", "80000000"),
    },
}
"""Of systems whose models stand apart; 0: not given."""


def case_of(name: str, seed: int) -> systems.Case:
    if name not in OPTIONS:
        options, steps, sizes = systems.case_of(name, seed)
    else:
        draw = random.Random(f"{name} {seed}")
        options = {key: draw.choice(values) for key, values in OPTIONS[name].items()}
        steps = systems.trace_of(draw)
        sizes = draw.randint(1, 8), MOST_FLASH
        options = {key: value for key, value in options.items() if value != "0"}
    if seed % 2 == 0 and name in WRITE_BACK:
        options = {**options, "mode": "write_back"}
    if name not in LARGER:
        sizes = sizes[0], min(sizes[1], FILTERED_FLASH.get(name, MOST_FLASH))
    # Those of areas that are hot in turn are long, since nothing is promoted before.
    return options, steps if len(steps) > LONGEST_DRAWN else steps[:LENGTH], sizes


def states(
    name: str, options: Options, steps: Sequence[Step], sizes: tuple[int, int]
) -> Any:
    """Yield the number of accesses and the slow model behind them."""
    model = MODELS[name](options, *sizes)
    every = -(-len(steps) // MOST_POINTS)
    for at in range(len(steps) + 1):
        if at % every == 0 or at == len(steps):
            yield at, model
        if at < len(steps):
            time_us, page, write = steps[at]
            model.access(time_us, page, write=write)


def reported(name: str, model: Any, lost: set[Page], kept: Found) -> int:
    """Return how many copies of flash count as newer than the disk's, where these are among the lost."""
    if name == "dm_cache":
        # It knows what is dirty by the block, which is written back whole.
        return int(model.size * len({model.block(page) for page in lost}))
    if name == "face" and not model.clears:
        # A page in RAM does not hear that its copy was staged out, and counts as dirty when it is appended again.
        dirty: set[Page] = model.dirty - kept.keys()
        assert lost <= dirty
        return len(dirty)
    return len(lost)


@pytest.mark.parametrize("restart", ["warm", "cold"])
@pytest.mark.parametrize("name", MODELS)
def test_what_a_crash_loses_is_reported_wherever_it_comes(
    name: str, restart: str, tmp_path: Path
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(TRACES):
        options, steps, sizes = case_of(name, seed)
        warm = restart == "warm"
        if warm and any(
            option["name"] == "directory" for option in LISTED[name]["options"]
        ):
            options = {**options, "directory": "persistent"}
        trace = systems.written(steps, tmp_path / "trace.csv")
        if warm and not comes_back(name, options):
            given = {**options, "crash_at": "0"}
            with pytest.raises(ParameterError, match="no warm restart"):
                replay(trace, "flash_cache", name, *sizes, options=given)
            seen["refused"] += 1
            continue
        draw = random.Random(seed)
        for at, model in states(name, options, steps, sizes):
            where = f"after {at} of trace {seed} with {options} over {sizes}"
            given = {**options, "crash_at": str(at), "restart": restart}
            found = replay(trace, "flash_cache", name, *sizes, options=given)
            crash = found["crash"]
            before = crash["before"]
            same = model.count.keys() & before.keys() - UNMODELLED.get(name, set())
            assert len(same) > 15
            assert {key: before[key] for key in same} == {
                key: model.count[key] for key in same
            }, where
            kept = FINDS[name](model) if warm else {}
            check_versions(name, model, kept, crash, where)
            seen["ram"] += crash["ram_dirty_pages_lost"]
            seen["flash"] += crash["flash_dirty_pages_lost"]
            seen["kept"] += len(kept)
            if steps and not works_at_once(name, model, kept):
                page = draw.choice(sorted(model.copies) or [steps[0][1]])
                check_kept(name, (steps[:at], page, sizes, given), kept, tmp_path)
        seen.update(model.count)
    if seen["refused"] < TRACES:
        assert seen["ram"] > 0
        assert seen["hdd_writes"] > 0
        assert seen["flash_evictions"] > 0
        assert (seen["kept"] > 0) == (restart == "warm" and name != "l2arc")
    # Of what is written through or around, or read alone, flash has no newer copy to lose.
    loses = KEEPS_DIRTY if restart == "cold" else ("dm_cache", "dm_writecache")
    assert (seen["flash"] > 0) == (name in loses)


def check_versions(
    name: str, model: Any, kept: Found, crash: dict[str, Any], where: str
) -> None:
    """Compare what is read after the crash with the latest versions, and what is missing with the report."""
    for page, is_dirty in kept.items():
        # What is taken for clean is the disk's copy, and what is not is at least as new.
        of_disk = model.disk.get(page, 0)
        assert model.copies[page] >= of_disk, where
        assert is_dirty or model.copies[page] == of_disk, where
    in_ram = {
        page
        for page, held in model.ram.items()
        if (held.fdirty if isinstance(held, slow_flash_caches._Held) else held)
    }
    on_flash = {
        page
        for page, version in model.copies.items()
        if page not in kept and version > model.disk.get(page, 0)
    }
    lost = {
        page
        for page, version in model.versions.items()
        if (model.copies if page in kept else model.disk).get(page, 0) != version
    }
    assert lost == in_ram | on_flash, where
    assert crash["ram_pages_lost"] == len(model.ram), where
    assert crash["ram_dirty_pages_lost"] == len(in_ram), where
    # What is under way to flash counts as there, and is lost with it.
    on_flash_in_all = sum(map(len, model.valid)) if name == "sce" else len(model.copies)
    assert crash["flash_pages_lost"] == on_flash_in_all - len(kept), where
    assert crash["flash_dirty_pages_lost"] == reported(name, model, on_flash, kept), (
        where
    )


def works_at_once(name: str, model: Any, kept: Found) -> bool:
    """Tell whether a restart begins with write-back, which takes pages from flash."""
    return name == "dm_writecache" and 100 * len(kept) >= model.high * model.flash_pages


def check_kept(
    name: str,
    replayed: tuple[list[Step], Page, tuple[int, int], Options],
    kept: Found,
    folder: Path,
) -> None:
    """Read a page right behind the crash: flash serves it if the restart found it."""
    steps, page, sizes, given = replayed
    now = steps[-1][0] if steps else 0
    trace = systems.written([*steps, (now, page, False)], folder / "probe.csv")
    found = replay(trace, "flash_cache", name, *sizes, options=given)
    hits = found["flash_hits"] - found["crash"]["before"]["flash_hits"]
    assert hits == (page in kept), (page, given)


AT_ONCE = DeviceTimes(1, 64, 1e-9, 1e-9, 1e-9, 1e-9)
"""So quick that what works beside accesses is done before the next one."""


def taken_with_flash(name: str, model: Any) -> set[Page]:
    """Return the written pages whose copy on flash counts as the only one of their latest version."""
    newer = {
        page
        for page, version in model.copies.items()
        if version > model.disk.get(page, 0)
    }
    if name == "dm_cache":
        blocks = {model.block(page) for page in newer}
        return {page for page in model.versions if model.block(page) in blocks}
    if name == "face" and not model.clears:
        return model.dirty & model.versions.keys()
    return newer


@pytest.mark.parametrize("name", MODELS)
def test_where_flash_is_lost_redo_reads_whatever_the_crash_takes(
    name: str, tmp_path: Path
) -> None:
    """And what was written since the latest checkpoint: each page once."""
    seen: Counter[str] = Counter()
    for seed in range(TRACES):
        options, steps, sizes = case_of(name, seed)
        # Redo goes by the interval alone.
        options.pop("checkpoint_us", None)
        trace = systems.written(steps, tmp_path / "trace.csv")
        times = [time for time, _, _ in steps]
        interval_us = max(1, (times[-1] - times[0]) * 3 // 7)
        for at, model in states(name, options, steps, sizes):
            if at % 4:
                continue
            # Behind the last access the machine is back at once, else when the next one comes.
            back_us = times[min(at, len(steps) - 1)]
            checkpoint = (back_us - times[0]) // interval_us
            since = {
                page
                for time, page, write in steps[:at]
                if write and (time - times[0]) // interval_us == checkpoint
            }
            in_ram = {
                page
                for page, held in model.ram.items()
                if (held.fdirty if isinstance(held, slow_flash_caches._Held) else held)
            }
            on_flash = taken_with_flash(name, model)
            found = replay_timed(
                trace,
                name,
                *sizes,
                arrivals=Arrivals("trace"),
                flash=AT_ONCE,
                disk=AT_ONCE,
                options={**options, "crash_at": str(at), "restart": "cold"},
                checkpoint_s=interval_us / 1e6,
            )
            redo = found["response"]["redo"]
            where = f"after {at} of trace {seed} with {options} over {sizes}"
            assert redo["pages"] == len(since | in_ram | on_flash), where
            assert redo["older_pages"] == len((in_ram | on_flash) - since), where
            assert redo["flash_pages"] == 0
            assert redo["seconds"] == pytest.approx(redo["pages"] * 1e-9)
            seen["older on flash"] += len(on_flash - since)
            seen["since"] += len(since - in_ram - on_flash)
    assert seen["since"] > 0
    assert (seen["older on flash"] > 0) == (name in KEEPS_DIRTY)


def test_every_flash_cache_crashes_here() -> None:
    assert MODELS.keys() == LISTED.keys()
