"""What is replayed to check an answer, and what the counts say: directories, restart, fragments.

Each answer names its replays (`directory_replays`, ...) and is computed from their counters
(`replayed_directory`, ...). The replays of page-flow schemes are those of `page_flow.decision`; what
follows from them in throughput, life and choice of a device is in `counted`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tierwright.advise.directories import Directories, DirectoryOption, DirectoryUse
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.evaluate.fragment_cache import CLOCK_CEILING, CLOCK_INITIAL_COUNT
from tierwright.evaluate.page_flow.decision import warm_up_of
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.scale.replays import ReplaySizes, recorded_sizes
from tierwright.hardware.device import Device, Operation
from tierwright.hardware.service_time import service_us
from tierwright.profile.production import Scaled
from tierwright.simulate.contenders import (
    STREAMS,
    Load,
    Unpaced,
    check_stated_rate,
    spelled,
    works_by_the_clock,
)
from tierwright.simulate.erase_blocks import BLOCK_OPTION, fitting_block_pages
from tierwright.simulate.priced import price
from tierwright.simulate.replay import ONE_TIER, Replay
from tierwright.simulate.scaled_units import (
    FlashStandIn,
    Units,
    stand_in_options,
    units_of,
    units_sentence,
)

__all__ = [
    "MOST_BLOCK_PAGES",
    "Replay",
    "ReplayedRestart",
    "directory_of",
    "directory_replays",
    "fragment_replays",
    "measured_use",
    "recorded_replays",
    "replayed_directory",
    "replayed_flash_cache",
    "replayed_fragments",
    "replayed_restart",
    "replayed_upkeep",
    "replayed_without_flash",
    "restart_replays",
]

Counters = Mapping[str, Any]
MOST_BLOCK_PAGES = 64
"""RAM pages of the largest flash page that the simulator replays. [pages]"""
LEAST_BLOCK_PAGES = 2
SETTLED = 4
"""Overwrites of flash after which write amplification hardly changes."""
DEVICE_OPTIONS = "ftl_"
DIRECTORY_OPTIONS = "directory_"
NO_RAM = 1
"""RAM of a replay that sends every access on to flash; the simulator has no scheme without any. [pages]"""
FILL_STEPS = 8
"""Lengths after which a replay looks whether the flash is full."""
SEGMENT_ENTRIES = 64_000
SEGMENT_ENTRY_BYTES = 32


def directory_replays(
    study: Directories, *, start: str, accesses: int
) -> dict[str, Replay]:
    """Return the replays that check a comparison of directories.

    For every place and size of flash pages the scheme to count on and the one that is best if
    flash pages are full, with flash pages as large as asked for: `block_pages` of the simulator. A
    directory on flash is replayed with the pages of it that RAM buffers: `directory_pages`,
    `directory_buffer_pages`.

    Parameters
    ----------
    study : Directories
        The answer.
    start : str
        `steady` warms the caches with the first half of the trace; `cold` counts all of it.
    accesses : int
        Of the trace.

    Returns
    -------
    dict
        `none`, without flash in all of RAM, and `<index of the option> <scheme>`. Options whose
        flash pages hold more than 64 RAM pages have none.
    """
    page = study.inputs["ram_page_bytes"]
    warm = warm_up_of(start, accesses)
    frame = page + study.inputs["ram_entry_bytes"]
    found = {
        "none": Replay("scheme", "none", study.inputs["ram_bytes"] // frame, 0, warm)
    }
    for index, option in enumerate(study.options):
        per_block = option.flash_page_bytes // page
        if per_block > MOST_BLOCK_PAGES:
            continue
        options = {}
        if option.technique is not None:
            options = {
                "block_pages": str(per_block),
                "block_technique": option.technique,
            }
        if option.buffered_bytes:
            pages = -(-option.directory_bytes // page)
            buffered = max(1, option.buffered_bytes // page)
            options["directory_pages"] = str(pages)
            options["directory_buffer_pages"] = str(min(pages, buffered))
        for scheme in dict.fromkeys((option.safest, option.best_if_full)):
            if scheme is not None:
                found[f"{index} {scheme}"] = Replay(
                    "scheme",
                    scheme,
                    option.ram_pages,
                    option.flash_pages,
                    warm,
                    options,
                )
    return found


def replayed_directory(
    counters: Counters, option: DirectoryOption, *, flash: Device, disk: Device
) -> float:
    """I/O and upkeep of the directory by a replay. [µs per access]

    Operations x service times, blocks at the bytes that they move, and the lookups and updates
    that the replay counted: at L and U each where the directory is in RAM; on flash
    `replayed_upkeep`.

    Parameters
    ----------
    counters : mapping
        A result of `replay` at the sizes of the option.
    option : DirectoryOption
        Its L and U.
    flash, disk : Device
        Their service times price the operations.

    Raises
    ------
    BadInput
        If a device states no time of an operation that was counted.
    """
    if "directory" in counters:
        # Its upkeep is that of the option, which may touch several pages at a time.
        data = {name: each for name, each in counters.items() if name != "directory"}
        io_us = _io_us(data, flash=flash, disk=disk)
        return io_us + replayed_upkeep(counters, option, flash=flash)
    io_us = _io_us(counters, flash=flash, disk=disk)
    upkeep = (
        counters["directory_lookups"] * option.lookup_us
        + counters["directory_updates"] * option.update_us
    )
    return io_us + float(upkeep) / int(counters["accesses"])


def replayed_flash_cache(
    counters: Counters, use: DirectoryUse, *, flash: Device, disk: Device
) -> float:
    """I/O of a flash cache by a replay, and what its index in RAM takes. [µs per access]

    Each RAM miss looks an entry up, and each page written to flash updates one: at L and U of a directory in RAM. Pages
    of metadata on flash are in the I/O.

    Parameters
    ----------
    counters : mapping
        A result of `replay` of a flash cache.
    use : DirectoryUse
        L and U of a directory in RAM.
    flash, disk : Device
        Their service times price the operations.

    Raises
    ------
    BadInput
        If a device states no time of an operation that was counted.
    """
    accesses = int(counters["accesses"])
    upkeep = (accesses - counters["ram_hits"]) * use.ram_lookup_us
    upkeep += counters["flash_writes"] * use.ram_update_us
    return _io_us(counters, flash=flash, disk=disk) + float(upkeep) / accesses


def replayed_upkeep(
    counters: Counters, option: DirectoryOption, *, flash: Device
) -> float:
    """Upkeep of a directory on flash by a replay. [µs per access]

    Its pages that were read, and those that were updated in RAM and left it, at F_R and F_W; l and u
    times of a lookup and an update that touch more than one page.

    Parameters
    ----------
    counters : mapping
        A result of `replay` with the directory on flash.
    option : DirectoryOption
        Its l and u.
    flash : Device
        Its service times.

    Raises
    ------
    BadInput
        If it states no time of an operation that was counted.
    """
    kept = counters["directory"]
    if kept["accesses"] == 0:
        return 0.0
    # Of an access of one page each: l and u pages take as many times as long.
    pages = (
        counters["directory_lookups"] * option.lookup_pages
        + counters["directory_updates"] * option.update_pages
    ) / kept["accesses"]
    spent = 0.0
    operations: tuple[tuple[Operation, str], ...] = (
        ("read", "reads"),
        ("write", "writes"),
    )
    for operation, name in operations:
        each = service_us(flash, operation, counters["page_bytes"])
        if each is None and kept[name]:
            raise BadInput(
                f"the directory has no time: `{flash.id}` states none of a {operation}",
                "choose a flash device that states both times",
            )
        spent += kept[name] * (each or 0.0)
    return float(pages * spent / counters["accesses"])


def measured_use(counters: Counters, use: DirectoryUse) -> DirectoryUse:
    """Return the use of a directory on flash with what a replay measured of its buffered part.

    Parameters
    ----------
    counters : mapping
        A result of `replay` with the directory on flash.
    use : DirectoryUse
        As assumed.

    Returns
    -------
    DirectoryUse
        With the hits that were counted and the dirty share of the pages that left RAM, which are
        written then, not at every access.
    """
    kept = counters["directory"]
    return replace(
        use,
        hit_ratio=1 - kept["reads"] / kept["accesses"]
        if kept["accesses"]
        else use.hit_ratio,
        dirty_share=kept["writes"] / kept["evictions"] if kept["evictions"] else 0.0,
        write_on_eviction=True,
    )


def replayed_without_flash(counters: Counters, *, disk: Device) -> float:
    """I/O of a replay without flash. [µs per access]

    Parameters
    ----------
    counters : mapping
        A result of `replay`, scheme `none`.
    disk : Device
        Its service times price the operations.

    Raises
    ------
    BadInput
        If the disk states no time of an operation that was counted.
    """
    return _io_us(counters, flash=None, disk=disk)


def _io_us(counters: Counters, *, flash: Device | None, disk: Device) -> float:
    found = price(counters, flash=flash, disk=disk)
    if found.io_time_us_per_access is None:
        raise BadInput(
            f"the replay has no I/O time: {found.reason}",
            "choose devices that state both times",
        )
    return found.io_time_us_per_access


def restart_replays(
    *, ram_pages: int, flash_pages: int, accesses: int, window: int
) -> dict[str, Replay]:
    """Return the replays that check filling and restart: a cache that crashes and comes back.

    FaCE, whose metadata the restart is about, crashes in the middle of the trace and keeps its
    flash: `warm` counts from there, `later` from `window` accesses later on. `fill 1` to `fill 8`
    lose RAM and flash k eighths of the trace before its end, so that the flash has as long to fill.

    Parameters
    ----------
    ram_pages, flash_pages : int
        [pages]
    accesses : int
        Of the trace, at least 16.
    window : int
        Accesses after the crash that stand for what redo reads; cut at the end of the trace.

    Raises
    ------
    BadInput
        If the trace is shorter than that.
    """
    if accesses < 2 * FILL_STEPS:
        raise BadInput(
            f"restart: the trace has {counted(accesses, 'access')}, too few to replay a crash",
            f"use a trace of at least {counted(2 * FILL_STEPS, 'access')}",
        )
    middle = accesses // 2

    def crashing(at: int, restart: str, warm_up: int) -> Replay:
        options = {
            "crash_at": str(at),
            "restart": restart,
            # Of the answer that is checked, whatever the size of the flash.
            "metadata_segment_entries": str(SEGMENT_ENTRIES),
        }
        return Replay("flash_cache", "face", ram_pages, flash_pages, warm_up, options)

    found = {"warm": crashing(middle, "warm", middle)}
    if middle + window < accesses:
        found["later"] = crashing(middle, "warm", middle + max(1, window))
    for step in range(1, FILL_STEPS):
        begins = accesses - accesses * step // FILL_STEPS
        found[f"fill {step}"] = crashing(begins, "cold", 0)
    found[f"fill {FILL_STEPS}"] = Replay(
        "flash_cache", "face", ram_pages, flash_pages, 0
    )
    return found


def _fitting(each: Replay) -> Replay:
    """Give the device under a replay blocks that fit; without any that stand for those that are meant, no device."""
    if BLOCK_OPTION not in each.options or each.family in ONE_TIER:
        # Blocks of a device that holds the data were fitted to them.
        return each
    pages = fitting_block_pages(int(each.options[BLOCK_OPTION]), each.flash_pages)
    options = (
        {
            name: value
            for name, value in each.options.items()
            if not name.startswith(DEVICE_OPTIONS) and name != STREAMS
        }
        if pages is None
        else {**each.options, BLOCK_OPTION: str(pages)}
    )
    return replace(each, options=options)


def directory_of(options: Mapping[str, str], share: float) -> dict[str, str]:
    """Return options with the directory on flash of so much less flash, and the same share of it in RAM.

    Parameters
    ----------
    options : mapping of str to str
        Of a page-flow scheme.
    share : float
        Of the flash. [1]

    Examples
    --------
    >>> directory_of(
    ...     {
    ...         "directory-pages": "24",
    ...         "directory_buffer_pages": "3",
    ...         "block_pages": "8",
    ...     },
    ...     0.25,
    ... )
    {'directory-pages': '6', 'directory_buffer_pages': '1', 'block_pages': '8'}
    """

    def of(name: str, value: str) -> str:
        # What is no number of pages is refused where it is replayed, and none stays none.
        if not spelled(name).startswith(DIRECTORY_OPTIONS) or not value.isdecimal():
            return value
        pages = int(value)
        return str(max(1, math.ceil(pages * share)) if pages else pages)

    return {name: of(name, value) for name, value in options.items()}


def recorded_replays(
    wanted: Mapping[str, Replay],
    scaled: Scaled | None,
    *,
    page_bytes: int,
    steady: bool = False,
) -> tuple[dict[str, Replay], ReplaySizes | None]:
    """Return the replays of the recording that stand for those of production, with devices under them that fit.

    Parameters
    ----------
    wanted : mapping of str to Replay
        At sizes of production, with a warm-up in accesses of the recording. What works by the clock is replayed at the
        rate of one machine, where its sizes are those of the recording; units of flash are those of `units_of`.
    scaled : Scaled or None
        How the workload was scaled; None leaves the replays as they are.
    page_bytes : int
        Of the workload. [bytes]
    steady : bool
        Whether the replays stand for full caches.

    Returns
    -------
    (dict of str to Replay, ReplaySizes or None)
        By the same names; the sizes are None where they are those of production.

    Raises
    ------
    BadInput
        If one of them works by the clock with its options, and its sizes are not those of the recording, or its rate is
        unknown.
    """
    if scaled is None:
        return {name: _fitting(each) for name, each in wanted.items()}, None
    found, pairs = {}, []
    units: list[tuple[str, Units]] = []
    for name, each in wanted.items():
        asked = (each.ram_pages, each.flash_pages)
        scheme = BY_NAME.get(each.name) if each.family == "scheme" else None
        ram, flash = recorded_sizes(
            scaled,
            *asked,
            # A flash cache keeps its copy of a page that moves up.
            repeats_ram=scheme is None or scheme.repeats_ram,
        )
        if each.ram_pages == NO_RAM:
            ram = NO_RAM
        if each.family == "flash_cache":
            stand_in = FlashStandIn(each.flash_pages, flash, page_bytes)
            units.append((each.name, units_of(each.name, each.options, stand_in)))
            each = _at_production(
                each, scaled, stand_in, is_whole=(ram, flash) == asked
            )
        directory = directory_of(each.options, flash / max(1, each.flash_pages))
        found[name] = _fitting(
            replace(each, ram_pages=ram, flash_pages=flash, options=directory)
        )
        pairs.append((asked, (ram, flash)))
    return found, ReplaySizes.of(
        scaled, pairs, steady=steady, units=units_sentence(units)
    )


def _at_production(
    each: Replay, scaled: Scaled, flash: FlashStandIn, *, is_whole: bool
) -> Replay:
    """Have a flash cache replayed with units of production, and what works by the clock at its rate, or refuse it."""
    load = Load(
        scaled.machine_accesses_per_s,
        scaled.recorded_per_s,
        is_kept=scaled.recorded_duration_s is not None,
        is_whole=is_whole,
    )
    if (
        load.is_whole
        and load.is_kept
        and works_by_the_clock(each.name, each.flash_pages, each.options)
    ):
        check_stated_rate(
            each.name,
            each.options,
            scaled.machine_accesses_per_s,
            scaled.recorded_per_s,
        )
    options = stand_in_options(each.name, each.options, load, flash)
    if isinstance(options, Unpaced):
        hints = (options.hint, "leave it out", "or ask about the recording itself")
        raise BadInput(
            f"flash cache: `{each.name}` cannot be replayed for production: {options.reason}",
            ", ".join(filter(None, hints)),
        )
    return replace(each, options=options)


@dataclass(frozen=True, slots=True)
class ReplayedRestart:
    """What replays of a crash say.

    Attributes
    ----------
    flash_share : float or None
        Of the pages read from below RAM after the crash, those that flash held; None where none
        was read. [1]
    metadata_bytes : int
        Read from flash to restore its metadata: segments, and data pages scanned. [bytes]
    fill_accesses : float or None
        From a cold restart until flash gives a page up for the first time, interpolated between
        the lengths replayed; None where it never does. [accesses]
    """

    flash_share: float | None
    metadata_bytes: int
    fill_accesses: float | None


def replayed_restart(replays: Mapping[str, Counters], accesses: int) -> ReplayedRestart:
    """Read restart and filling off the replays of `restart_replays`.

    Parameters
    ----------
    replays : mapping
        Results of `replay`, by name.
    accesses : int
        Of the trace.

    Returns
    -------
    ReplayedRestart
    """
    warm = replays["warm"]
    later = replays.get("later", {"flash_hits": 0, "flash_misses": 0})
    hits = warm["flash_hits"] - later["flash_hits"]
    reads = hits + warm["flash_misses"] - later["flash_misses"]
    restored = (
        warm["restart_segments_read"] * SEGMENT_ENTRIES * SEGMENT_ENTRY_BYTES
        + warm["restart_pages_scanned"] * warm["page_bytes"]
    )
    return ReplayedRestart(
        hits / reads if reads else None, restored, _fill(replays, accesses)
    )


def _fill(replays: Mapping[str, Counters], accesses: int) -> float | None:
    length, used = 0.0, 0.0
    for step in range(1, FILL_STEPS + 1):
        row = replays[f"fill {step}"]
        begun = accesses * step // FILL_STEPS
        before = (row.get("crash") or {}).get("before", {})
        gone = row["flash_evictions"] - before.get("flash_evictions", 0)
        if gone > 0:
            came = row["flash_writes"] - before.get("flash_writes", 0)
            # Between this length and the one before, pages came evenly.
            pace = max(came - used, 1.0) / (begun - length)
            return float(min(begun, length + (row["flash_pages"] - used) / pace))
        length, used = float(begun), float(row["slots_used"])
    return None


def fragment_replays(
    sizes: Sequence[int],
    *,
    page_bytes: int,
    ram_pages: int,
    flash_pages: int,
    start: str,
    accesses: int,
) -> dict[str, Replay]:
    """Return the replays that check the read miss rate of a fragment cache.

    A flash of fragments under the cache's own CLOCK (up to 4, newcomers at 1) that sees every
    access, which is how the rate is estimated from the curve, too; and RAM alone, whose misses are
    the reads that reach the cache.

    Parameters
    ----------
    sizes : sequence of int
        Fragments. [bytes]
    page_bytes : int
        Page of the workload. [bytes]
    ram_pages, flash_pages : int
        [pages]
    start : str
        `steady` or `cold`.
    accesses : int
        Of the trace.

    Returns
    -------
    dict
        `ram`, and the size of each fragment of 2 to 64 pages that fits into the flash.
    """
    warm = warm_up_of(start, accesses)
    found = {"ram": Replay("scheme", "none", ram_pages, 0, warm)}
    for size in sizes:
        pages = size // page_bytes
        fits = LEAST_BLOCK_PAGES <= pages <= min(MOST_BLOCK_PAGES, flash_pages)
        if fits and size % page_bytes == 0:
            options = {
                "block_pages": str(pages),
                "flash_policy": "gclock",
                "flash_ceiling": str(CLOCK_CEILING),
                "flash_entry": str(CLOCK_INITIAL_COUNT),
            }
            found[str(size)] = Replay(
                "scheme", "inclusive", NO_RAM, flash_pages, warm, options
            )
    return found


def replayed_fragments(replays: Mapping[str, Counters]) -> dict[int, float]:
    """Read miss rate by size of the fragment: misses of the fragments over misses of RAM, at most 1.

    Parameters
    ----------
    replays : mapping
        Results of `replay` at `fragment_replays`, by name.

    Raises
    ------
    BadInput
        If nothing misses RAM.
    """
    reached = replays["ram"]["flash_misses"]
    if reached == 0:
        raise BadInput(
            "fragment cache: nothing misses RAM, so the cache has no miss rate",
            "choose less RAM",
        )
    return {
        int(name): min(1.0, row["flash_misses"] / reached)
        for name, row in replays.items()
        if name != "ram"
    }
