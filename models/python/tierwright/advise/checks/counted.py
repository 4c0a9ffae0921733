"""Answers from counted operations, beside those of the models: the check of a question by replay.

A replay counts what a scheme does at given sizes and times nothing. Here its counters take the
place of the page-flow formulas in throughput, life of flash and choice of a device; what
follows from them is computed as there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.evaluate.endurance.growth import years_with_growth
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.evaluate.throughput.background import network_with_background
from tierwright.evaluate.throughput.schemes import (
    STATIONS,
    US_PER_S,
    BeyondBusy,
    Setting,
    beyond_busy,
)
from tierwright.evaluate.throughput.together import most_on_one
from tierwright.hardware.device import Device
from tierwright.hardware.mixed_load import beside_writes_us
from tierwright.simulate.priced import (
    FLASH_CACHE_ONLY,
    flash_pages_written,
    price,
    too_short_to_write,
)

__all__ = [
    "ReplayedChoice",
    "ReplayedLife",
    "ReplayedThroughput",
    "replayed_choice",
    "replayed_life",
    "replayed_throughput",
]

TB = 1e12
SECONDS_PER_YEAR = 365 * 86_400.0
Counters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplayedThroughput:
    """Throughput of one scheme with demands from counted operations.

    Attributes
    ----------
    throughput_per_s, response_s : float
        At N clients, by mean-value analysis. [1/s], [s]
    demands_s, utilisation : dict of str to float
        By kind of station. [s], [1]
    delay_s : float
        W, waits beyond busy times. [s]
    bottleneck : str or None
        Kind of station of the largest demand on one device; None where nothing is demanded.
    knee_disks : float or None
        Disks from which another device limits: their demand over the largest other one; None where
        nothing else is demanded.
    knee_clients : float or None
        N* = (D + W + Z) / D_max of `asymptotic_bounds`: clients from which more of them mostly
        wait; None where nothing is demanded.
    """

    throughput_per_s: float
    response_s: float
    demands_s: dict[str, float]
    utilisation: dict[str, float]
    delay_s: float
    bottleneck: str | None
    knee_disks: float | None
    knee_clients: float | None


def replayed_throughput(
    counters: Counters, *, flash: Device, disk: Device, setting: Setting
) -> ReplayedThroughput:
    """Solve the network of `scheme_throughput` with demands from a replay.

    The demand at flash and at the disks is A x (operations x service times) / accesses. A client waits for what its
    accesses cause, be it the read of a page that leaves flash or the write that makes room: each operation also takes what
    its latency is beyond its service time, the pages of a batch once. Where a group of pages makes room, those that are dirty
    go to the disks together, and the client waits for the disk that gets most. What the replay did while nobody waited, `background`
    of its counters (cleaners that wake, checkpoints, what fills flash), only keeps devices busy. Where the flash device
    states a mixed load, single reads take longer by the share of random writes beside them.

    Parameters
    ----------
    counters : mapping
        A result of `replay`, of a scheme or a flash cache.
    flash, disk : Device
        Their service times price the operations.
    setting : Setting
        Clients, devices, think time.

    Raises
    ------
    BadInput
        If a device states no time of an operation that was counted.
    """
    times = _times_us(counters, flash, disk)
    unawaited = _background(counters, setting.disks)
    behind = _times_us(unawaited, flash, disk)
    longer = _beside_writes_us(counters, flash)
    times["flash"] += longer
    reads = counters.get("flash_random_reads", counters["flash_reads"])
    if reads:
        behind["flash"] += longer * unawaited.get("flash_random_reads", 0) / reads
    per = setting.accesses_per_transaction / US_PER_S
    demands = (
        setting.cpu_s_per_transaction,
        per * times["flash"],
        per * times["disk"],
    )
    background = (0.0, per * behind["flash"], per * behind["disk"])
    delay_s = (
        per
        / counters["accesses"]
        * _waits_us(
            counters, unawaited, beyond_busy(flash, disk, counters["page_bytes"])
        )
    )
    loaded = network_with_background(
        [
            max(0.0, every - some)
            for every, some in zip(demands, background, strict=True)
        ],
        background,
        clients=setting.clients,
        think_s=setting.think_s,
        devices=(setting.cpus, setting.flash_devices, setting.disks),
        delay_s=delay_s,
    )
    return ReplayedThroughput(
        loaded.throughput_per_s,
        loaded.response_s,
        dict(zip(STATIONS, demands, strict=True)),
        dict(zip(STATIONS, loaded.utilisation, strict=True)),
        delay_s,
        *_limits(demands, setting),
        loaded.knee_clients if math.isfinite(loaded.knee_clients) else None,
    )


def _background(counters: Counters, disks: int) -> dict[str, Any]:
    """Return what no client waits for as counters of their own, those that are 0 too.

    Of the disk writes of a group, those that do not lie on the disk that gets most of them are among it.
    """
    counted = counters.get("background", {})
    found: dict[str, Any] = {
        name: counted.get(name, 0)
        for name, count in counters.items()
        if isinstance(count, int)
    }
    groups, written = (
        counters.get(name, 0) - counted.get(name, 0)
        for name in ("flash_batch_reads", "disk_writes_on_stage_out")
    )
    if groups:
        beside = written - groups * most_on_one(written / groups, disks)
        found["hdd_writes"] += max(0.0, beside)
    return {
        **found,
        "accesses": counters["accesses"],
        "page_bytes": counters["page_bytes"],
    }


def _waits_us(counters: Counters, unawaited: Counters, waits: BeyondBusy) -> float:
    """Return what the operations that are waited for take beyond busy times. [µs]"""

    def awaited(name: str) -> float:
        found: float = counters.get(name, 0) - unawaited.get(name, 0)
        return found

    reads, writes = awaited("flash_reads"), awaited("flash_writes")
    if FLASH_CACHE_ONLY in counters:
        reads = awaited("flash_random_reads") + awaited("flash_batch_reads")
        writes = awaited("flash_write_batches")
    disk_writes = awaited("hdd_writes") - awaited("disk_batch_write_pages")
    return (
        reads * waits.flash_read
        + writes * waits.flash_write
        + awaited("hdd_reads") * waits.disk_read
        + (disk_writes + awaited("disk_batch_writes")) * waits.disk_write
    )


def _limits(
    demands: tuple[float, float, float], setting: Setting
) -> tuple[str | None, float | None]:
    """Bottleneck, and the disks at the knee."""
    cpu, flash, disk = demands
    other = max(cpu / setting.cpus, flash / setting.flash_devices)
    each = dict(
        zip(
            STATIONS,
            (cpu / setting.cpus, flash / setting.flash_devices, disk / setting.disks),
            strict=True,
        )
    )
    busiest = max(each, key=lambda kind: each[kind])
    return (
        busiest if each[busiest] > 0 else None,
        disk / other if other > 0 else None,
    )


def _beside_writes_us(counters: Counters, flash: Device) -> float:
    """Time that single reads of flash take longer beside random writes. [µs per access]"""
    beside_us = beside_writes_us(flash, counters["page_bytes"])
    reads = counters.get("flash_random_reads", counters["flash_reads"])
    writes = counters["flash_writes"]
    if FLASH_CACHE_ONLY in counters:
        writes = (
            counters["flash_random_page_writes"]
            + counters["metadata_random_page_writes"]
        )
    if beside_us == 0 or reads == 0:
        return 0.0
    longer_us: float = reads * beside_us * writes / (reads + writes)
    return longer_us / int(counters["accesses"])


@dataclass(frozen=True, slots=True)
class ReplayedLife:
    """Life of flash with counted writes.

    Attributes
    ----------
    pages_per_access : float
        Flash writes, the pages of metadata that a flash cache writes among them. [pages]
    tb_per_day : float
        Host writes today. [10^12 bytes/day]
    years : float or None
        Writing in place; infinite where nothing is written, None without a budget, or where the replay was too short to write. [365 days]
    """

    pages_per_access: float
    tb_per_day: float
    years: float | None


def replayed_life(
    counters: Counters,
    *,
    budget_tb: float | None,
    accesses_per_s: float,
    growth_per_year: float = 0.0,
    written_tb: float = 0.0,
) -> ReplayedLife:
    """Life of the flash as `wear_outlook` finds it, with the flash writes of a replay.

    Parameters
    ----------
    counters : mapping
        A result of `replay`.
    budget_tb : float or None
        Host writes that the devices take in place. [10^12 bytes]
    accesses_per_s, growth_per_year, written_tb : float
        As in `wear_outlook`. [1/s], [1/year], [10^12 bytes]

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    pages = flash_pages_written(counters) / counters["accesses"]
    bytes_per_s = pages * accesses_per_s * counters["page_bytes"]
    per_year = bytes_per_s * SECONDS_PER_YEAR / TB
    return ReplayedLife(
        pages,
        per_year / 365,
        None
        if budget_tb is None or too_short_to_write(counters) is not None
        else years_with_growth(budget_tb - written_tb, per_year, growth_per_year),
    )


@dataclass(frozen=True, slots=True)
class ReplayedChoice:
    """The best scheme on one flash device, by replays.

    Attributes
    ----------
    scheme : str
        Of least I/O time; among equals the first of `TIE_ORDER`.
    io_time_us_per_access : float
        [µs]
    """

    scheme: str
    io_time_us_per_access: float


def replayed_choice(
    replays: Mapping[str, Counters], devices: Iterable[Device], *, disk: Device
) -> dict[str, ReplayedChoice]:
    """Find the best scheme of each flash device from one replay a scheme.

    Parameters
    ----------
    replays : mapping
        Results of `replay` at the same sizes, by scheme.
    devices : iterable of Device
        Flash devices; those without a time of an operation that was counted are left out.
    disk : Device
        Behind all of them.

    Returns
    -------
    dict
        By id of the device.
    """
    order = [name for name in TIE_ORDER if name in replays]
    found = {}
    for device in devices:
        times = {
            name: price(replays[name], flash=device, disk=disk).io_time_us_per_access
            for name in order
        }
        known = {name: time for name, time in times.items() if time is not None}
        if len(known) == len(order) and known:
            scheme = min(order, key=lambda name: (known[name], order.index(name)))
            found[device.id] = ReplayedChoice(scheme, known[scheme])
    return found


def _times_us(counters: Counters, flash: Device, disk: Device) -> dict[str, float]:
    """Busy time of each tier. [µs per access]"""
    found = price(counters, flash=flash, disk=disk)
    if found.io_time_us_per_access is None:
        raise BadInput(
            f"the replay has no I/O time: {found.reason}",
            "choose devices that state both times",
        )
    return found.tiers_us_per_access
