"""What counted device operations cost in time: one replay prices every device.

A simulation counts and never times. Here its counters meet the service times of a flash device
and of the device below, which gives the I/O time of an access.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.derivation import Derivation, Number
from tierwright.device import Device
from tierwright.page_flow.costs import clean_only_cost

__all__ = ["CleanOnlyCost", "ReplayCost", "clean_only", "price"]

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


@dataclass(frozen=True, slots=True)
class CleanOnlyCost:
    """What the formula of lazy with clean-only admission makes of measured counts.

    Attributes
    ----------
    io_time_us_per_access : float
        C3_clean over the accesses. [µs]
    gap : float
        Of the priced replay; positive: the formula is dearer. [1]
    p_d : float
        Dirty share of the RAM victims of all RAM misses, measured. [1]
    derivation : Derivation
        Formula, numbers, source.
    """

    io_time_us_per_access: float
    gap: float
    p_d: float
    derivation: Derivation


def clean_only(
    counters: Mapping[str, Any], *, flash: Device | None, disk: Device | None
) -> CleanOnlyCost | None:
    """Apply the formula of clean-only admission to a replay's own counts.

    No curve gives these counts, so the formula is told beside a replay only: it differs by what
    the start with empty tiers spares.

    Parameters
    ----------
    counters : mapping
        A result of `simulate_scheme`.
    flash, disk : Device or None
        As in `price`.

    Returns
    -------
    CleanOnlyCost or None
        None for another scheme or rule, with flash pages of several RAM pages, or where a
        device or a time of it is missing.
    """
    if (
        counters.get("scheme") != "lazy"
        or counters.get("admission") != "clean_only"
        or counters.get("blocks")
        or flash is None
        or disk is None
    ):
        return None
    priced = price(counters, flash=flash, disk=disk)
    times = {
        "flash_read": flash.read_service_us,
        "flash_write": flash.write_service_us,
        "disk_read": disk.read_service_us,
        "disk_write": disk.write_service_us,
    }
    known = {name: time for name, time in times.items() if time is not None}
    if not priced.io_time_us_per_access or len(known) < len(times):
        return None
    hits, misses = counters["flash_hits"], counters["flash_misses"]
    p_d = counters["ram_dirty_evictions"] / (hits + misses)
    whole = float(clean_only_cost(hits, misses, p_d=p_d, **known))
    each = whole / counters["accesses"]
    units = {"flash_read": "F_R", "flash_write": "F_W", "disk_read": "D_R"}
    return CleanOnlyCost(
        each,
        each / priced.io_time_us_per_access - 1,
        p_d,
        Derivation(
            "C3_clean / N",
            each,
            "µs per access",
            "(m_r [p_d D_W + (1 - p_d)(1 - q) F_W] + h_f F_R + m_f D_R) / N",
            (
                Number("m_r", hits + misses, "accesses", "RAM misses, replayed"),
                Number("h_f", hits, "accesses", "flash hits, replayed"),
                Number("m_f", misses, "accesses", "flash misses, replayed"),
                Number("q", hits / (hits + misses), "1", "h_f / m_r"),
                Number("p_d", p_d, "1", "dirty RAM victims / m_r, replayed"),
                *(
                    Number(symbol, known[name], "µs", name.replace("_", " "))
                    for name, symbol in {**units, "disk_write": "D_W"}.items()
                ),
                Number("N", counters["accesses"], "accesses", "of the trace"),
            ),
            "derived from Koltsidas and Viglas (2009), Eq 3",
        ),
    )


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
