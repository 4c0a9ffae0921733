"""What counted device operations cost in time: one replay prices every device.

A simulation counts and never times. Here its counters meet the service times of a flash device
and of the device below, which gives the I/O time of an access.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.device import Device

__all__ = ["ReplayCost", "price"]

MB = 10**6
US_PER_S = 10**6
FLASH_CACHE_ONLY = "flash_sequential_page_writes"
"""A counter that only replays of flash caches have."""


@dataclass(frozen=True, slots=True)
class ReplayCost:
    """I/O time of a replay.

    Attributes
    ----------
    io_time_us_per_access : float or None
        Busy time of both devices per access; None when a figure is missing. [µs]
    terms_us_per_access : dict of str to float
        Its parts by operation; empty when a figure is missing. [µs]
    reason : str
        Why there is no time; empty otherwise.
    """

    io_time_us_per_access: float | None
    terms_us_per_access: dict[str, float]
    reason: str


def price(
    counters: Mapping[str, Any], *, flash: Device | None, disk: Device
) -> ReplayCost:
    """Price the counters of one replay.

    Counters x service times, summed, per access. Page reads and writes of caches and of
    page-flow schemes are random ones. A flash cache also reads and writes in batches: those
    pages cost their transfer at the sequential rate, its metadata likewise; single metadata
    pages cost a random write.

    Parameters
    ----------
    counters : mapping
        A result of `simulate_policy`, `simulate_buffer`, `simulate_scheme`,
        `simulate_online` or `simulate_flash_cache`. One with flash pages of several RAM
        pages has no price here: its counters hold operations of either length.
    flash : Device or None
        Flash between RAM and disk; None for one cache.
    disk : Device
        What serves the misses.

    Returns
    -------
    ReplayCost
    """
    if "disk_reads" in counters:
        operations = {
            "disk_reads": counters["disk_reads"],
            "disk_writes": counters["disk_writes"],
        }
        return _sum(counters, operations, {}, flash, disk)
    if counters.get("blocks"):
        return ReplayCost(
            None,
            {},
            "flash pages of several RAM pages: the counters hold operations of either "
            "length, which one service time cannot price",
        )
    operations = {
        "disk_reads": counters["hdd_reads"],
        "disk_writes": counters["hdd_writes"],
    }
    if FLASH_CACHE_ONLY not in counters:
        operations["flash_reads"] = counters["flash_reads"]
        operations["flash_writes"] = counters["flash_writes"]
        return _sum(counters, operations, {}, flash, disk)
    operations["flash_reads"] = counters["flash_random_reads"]
    operations["flash_writes"] = (
        counters["flash_random_page_writes"] + counters["metadata_random_page_writes"]
    )
    page_bytes = counters["page_bytes"]
    transfers = {
        "sequential_flash_reads": counters["flash_batch_read_pages"] * page_bytes,
        "sequential_flash_writes": counters["flash_sequential_page_writes"] * page_bytes
        + counters["metadata_segments"] * counters["metadata_segment_bytes"],
    }
    return _sum(counters, operations, transfers, flash, disk)


def _sum(
    counters: Mapping[str, Any],
    operations: Mapping[str, int],
    transfer_bytes: Mapping[str, int],
    flash: Device | None,
    disk: Device,
) -> ReplayCost:
    accesses = counters["accesses"]
    if not accesses:
        return ReplayCost(None, {}, "the trace has no accesses")
    terms: dict[str, float] = {}
    for name, count in operations.items():
        tier, operation = name.split("_")
        device = disk if tier == "disk" else flash
        if count == 0:
            terms[name] = 0.0
            continue
        if device is None:
            return ReplayCost(None, {}, "no flash device is chosen")
        time_us = (
            device.read_service_us if operation == "reads" else device.write_service_us
        )
        if time_us is None:
            return ReplayCost(
                None, {}, f"`{device.id}` states no service time of {operation}"
            )
        terms[name] = count * time_us / accesses
    for name, size in transfer_bytes.items():
        if size == 0:
            terms[name] = 0.0
            continue
        if flash is None:
            return ReplayCost(None, {}, "no flash device is chosen")
        figure = (
            "sequential_read_mb_per_s"
            if name.endswith("reads")
            else "sequential_write_mb_per_s"
        )
        rate = flash.number(figure)
        if rate is None:
            return ReplayCost(
                None,
                {},
                f"`{flash.id}` states no {figure}, at which batches are priced",
            )
        terms[name] = size / (rate * MB) * US_PER_S / accesses
    return ReplayCost(sum(terms.values()), terms, "")
