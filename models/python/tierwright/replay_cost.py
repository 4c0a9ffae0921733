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
from tierwright.page_flow.warn import Caution
from tierwright.service_time import OPERATIONS, Operation, service_time, service_us

__all__ = ["CleanOnlyCost", "ReplayCost", "clean_only", "price"]

_OPERATION: Mapping[str, Operation] = {"reads": "read", "writes": "write"}
FLASH_CACHE_ONLY = "flash_sequential_page_writes"
"""A counter that only replays of flash caches have."""
CLEAN_ONLY_GAP = 0.05
"""Gap between formula and replay of clean-only admission from which it is warned of."""


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

    Counters x service times at the page size of the replay, summed, per access. Page reads and
    writes of caches and of page-flow schemes are random ones. A flash cache also reads and writes in batches: those
    pages cost their transfer at the sequential rate, its metadata likewise; single metadata
    pages cost a random write. Flash pages of several RAM pages (blocks) are read from and written to
    disk in one request of their size, and written to flash at the sequential rate, where that is
    not stated as one random write of their size.

    Parameters
    ----------
    counters : mapping
        A result of `simulate_policy`, `simulate_buffer`, `simulate_scheme`,
        `simulate_online` or `simulate_flash_cache`.
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
        return _with_blocks(counters, flash, disk)
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
    q : float
        h_f / m_r, what the formula takes for the share of the clean RAM victims that flash
        still holds. [1]
    measured_q : float
        That share, measured; 0 where no RAM victim was clean. [1]
    measured_us_per_access : float
        C3_clean with the measured share over the accesses. [µs]
    measured_gap : float
        Of the priced replay. Never negative: what is left is the RAM misses that filled an
        empty frame. [1]
    estimator : str
        How the shares were found.
    warnings : tuple of Caution
        `clean_only_gap` where the gap is more than 5 %, to either side.
    derivation, measured_derivation : Derivation
        Formula, numbers, source; with q, and with the measured share.
    """

    io_time_us_per_access: float
    gap: float
    p_d: float
    q: float
    measured_q: float
    measured_us_per_access: float
    measured_gap: float
    estimator: str
    warnings: tuple[Caution, ...]
    derivation: Derivation
    measured_derivation: Derivation


def clean_only(
    counters: Mapping[str, Any], *, flash: Device | None, disk: Device | None
) -> CleanOnlyCost | None:
    """Apply the formula of clean-only admission to a replay's own counts.

    No curve gives these counts, so the formula is told beside a replay only. It differs from
    it for two reasons. Its q = h_f / m_r is not the share of the *clean* RAM victims that flash
    still holds: pages that are read and others that are written make the formula dearer, pages
    that are read and then written make it cheaper. And RAM misses that fill an empty frame evict
    nothing. With the measured share only the second is left.

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
    page_bytes = int(counters["page_bytes"])
    times = {
        f"{tier}_{operation}": service_us(device, operation, page_bytes)
        for tier, device in (("flash", flash), ("disk", disk))
        for operation in OPERATIONS
    }
    known = {name: time for name, time in times.items() if time is not None}
    if not priced.io_time_us_per_access or len(known) < len(times):
        return None
    hits, misses = counters["flash_hits"], counters["flash_misses"]
    accesses = int(counters["accesses"])
    dirty = counters["ram_dirty_evictions"]
    clean = counters["ram_evictions"] - dirty
    # A dirty victim found on flash is refused, which drops the copy.
    held = counters["victims_found_on_flash"] - counters["flash_invalidations"]
    p_d, q = dirty / (hits + misses), hits / (hits + misses)
    measured_q = held / clean if clean else 0.0

    def each(share: float) -> float:
        whole = float(clean_only_cost(hits, misses, p_d=p_d, q=share, **known))
        return whole / accesses

    def derived(name: str, used: Number) -> Derivation:
        return Derivation(
            name,
            each(used.value),
            "µs per access",
            f"(m_r [p_d D_W + (1 - p_d)(1 - {used.symbol}) F_W] + h_f F_R + m_f D_R) / N",
            (
                Number("m_r", hits + misses, "accesses", "RAM misses, replayed"),
                Number("h_f", hits, "accesses", "flash hits, replayed"),
                Number("m_f", misses, "accesses", "flash misses, replayed"),
                used,
                Number("p_d", p_d, "1", "dirty RAM victims / m_r, replayed"),
                Number("F_R", known["flash_read"], "µs", "flash read"),
                Number("F_W", known["flash_write"], "µs", "flash write"),
                Number("D_R", known["disk_read"], "µs", "disk read"),
                Number("D_W", known["disk_write"], "µs", "disk write"),
                Number("N", accesses, "accesses", "of the trace"),
            ),
            "derived from Koltsidas and Viglas (2009), Eq 3",
        )

    gap = each(q) / priced.io_time_us_per_access - 1
    measured_gap = each(measured_q) / priced.io_time_us_per_access - 1
    return CleanOnlyCost(
        each(q),
        gap,
        p_d,
        q,
        measured_q,
        each(measured_q),
        measured_gap,
        "q: h_f / m_r; measured: clean RAM victims found on flash / clean RAM victims",
        _about_gap(gap, q, measured_q, measured_gap),
        derived("C3_clean / N", Number("q", q, "1", "h_f / m_r")),
        derived(
            "C3_clean / N, measured share",
            Number(
                "q_c", measured_q, "1", "clean RAM victims found on flash / clean ones"
            ),
        ),
    )


def _about_gap(
    gap: float, q: float, measured_q: float, measured_gap: float
) -> tuple[Caution, ...]:
    if abs(gap) <= CLEAN_ONLY_GAP:
        return ()
    side = "dearer" if gap > 0 else "cheaper"
    return (
        Caution(
            "clean_only_gap",
            f"the formula of clean-only admission is {abs(gap):.1%} {side} than its replay: it "
            f"takes {q:.1%} for the share of the clean RAM victims that flash still holds, "
            f"measured were {measured_q:.1%}",
            "go by the replay; with the measured share the formula is "
            f"{abs(measured_gap):.1%} {'above' if measured_gap >= 0 else 'below'} it",
        ),
    )


def _with_blocks(
    counters: Mapping[str, Any], flash: Device | None, disk: Device
) -> ReplayCost:
    """Price operations on pages as elsewhere, those on blocks at the bytes they move."""
    blocks = counters["blocks"]
    pages = _sum(
        counters,
        {
            "disk_reads": blocks["hdd_page_reads"],
            "disk_writes": blocks["hdd_page_writes"],
            "flash_reads": blocks["flash_page_reads"],
            "flash_writes": blocks["flash_page_writes"],
        },
        {},
        flash,
        disk,
    )
    if pages.io_time_us_per_access is None:
        return pages
    block_pages = blocks["block_pages"]
    terms = dict(pages.terms_us_per_access)
    requests: tuple[tuple[str, Device | None, Operation, int, int], ...] = (
        (
            "disk_block_reads",
            disk,
            "read",
            blocks["hdd_block_reads"],
            block_pages * blocks["hdd_block_reads"],
        ),
        (
            "disk_block_writes",
            disk,
            "write",
            blocks["hdd_block_writes"],
            blocks["hdd_block_pages_written"],
        ),
        (
            "flash_block_writes",
            flash,
            "write",
            blocks["flash_block_writes"],
            block_pages * blocks["flash_block_writes"],
        ),
    )
    for name, device, operation, count, moved in requests:
        if count == 0:
            terms[name] = 0.0
            continue
        if device is None:
            return ReplayCost(None, {}, "no flash device is chosen")
        time_us = _requests_us(
            device,
            operation,
            count,
            moved,
            counters["page_bytes"],
            in_order=name == "flash_block_writes",
        )
        if time_us is None:
            return ReplayCost(
                None, {}, f"`{device.id}` states no service time of {operation}s"
            )
        terms[name] = time_us / counters["accesses"]
    return ReplayCost(sum(terms.values()), terms, "")


def _requests_us(
    device: Device,
    operation: Operation,
    requests: int,
    pages: int,
    page_bytes: int,
    *,
    in_order: bool,
) -> float | None:
    """Time of requests of several pages: each of the mean size, rounded down or up. [µs]"""
    least, larger = divmod(pages, requests)
    total = 0.0
    for size, count in ((least, requests - larger), (least + 1, larger)):
        if count == 0:
            continue
        time_us = None
        if in_order:
            time_us = service_time(
                device, operation, size * page_bytes, pattern="sequential"
            ).time_us
        if time_us is None:
            time_us = service_us(device, operation, size * page_bytes)
        if time_us is None:
            return None
        total += count * time_us
    return total


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
        time_us = service_us(device, _OPERATION[operation], counters["page_bytes"])
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
        moved = service_time(
            flash, _OPERATION[name.split("_")[-1]], size, pattern="sequential"
        )
        if moved.time_us is None:
            return ReplayCost(
                None,
                {},
                f"`{flash.id}`: {moved.basis}, at which batches are priced",
            )
        terms[name] = moved.time_us / accesses
    return ReplayCost(sum(terms.values()), terms, "")
