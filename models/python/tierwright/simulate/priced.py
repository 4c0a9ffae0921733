"""What counted device operations cost in time: one replay prices every device.

A simulation counts and never times. Here its counters meet the service times of a flash device
and of the device below, which gives the I/O time of an access.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tierwright.common.cautions import Caution
from tierwright.common.wording import listed
from tierwright.hardware.device import Device, Operation
from tierwright.hardware.service_time import service_time, service_us

_OPERATION: Mapping[str, Operation] = {"reads": "read", "writes": "write"}
FLASH_CACHE_ONLY = "flash_sequential_page_writes"
"""A counter that only replays of flash caches have."""
TOO_SHORT = "too_short_for_clock"
"""The note of the core on a replay that ends before what works by the clock has acted."""


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

    @property
    def tiers_us_per_access(self) -> dict[str, float]:
        """Busy time of `flash`, and of the `disk` below. [µs]"""
        found = {"flash": 0.0, "disk": 0.0}
        for name, time_us in self.terms_us_per_access.items():
            found["flash" if "flash" in name else "disk"] += time_us
        return found


def flash_pages_written(counters: Mapping[str, Any]) -> float:
    """Return the pages that a replay wrote to flash, those of its metadata or directory among them: whole unless estimated. [pages]"""
    directory = counters.get("directory") or {"writes": 0}
    found: float = (
        counters["flash_writes"]
        + counters.get("metadata_page_writes", 0)
        + directory["writes"]
    )
    return found


def too_short_to_write(counters: Mapping[str, Any]) -> str | None:
    """Say why a replay wrote nothing to flash where what works by the clock had no time for it; None where it had.

    Examples
    --------
    >>> short = {"name": TOO_SHORT, "message": "L2ARC is fed every 1 s, and ..."}
    >>> too_short_to_write({"flash_writes": 0, "warnings": [short]})
    'L2ARC is fed every 1 s, and ...'
    >>> too_short_to_write({"flash_writes": 9, "warnings": [short]}) is None
    True
    """
    if flash_pages_written(counters) > 0:
        return None
    notes = counters.get("warnings", ())
    return next((each["message"] for each in notes if each["name"] == TOO_SHORT), None)


def single_disk_writes(counters: Mapping[str, Any]) -> int:
    """Return the pages that a replay wrote to disk one by one, each by a request of its own. [pages]"""
    found: int = counters["hdd_writes"] - counters.get("disk_batch_write_pages", 0)
    return found


def price(
    counters: Mapping[str, Any], *, flash: Device | None, disk: Device
) -> ReplayCost:
    """Price the counters of one replay.

    Counters x service times at the page size of the replay, summed, per access. Page reads and
    writes of caches and of page-flow schemes are random ones. A flash cache also reads and writes in batches: those
    pages cost their transfer at the sequential rate, the whole pages of its metadata segments likewise; single
    metadata pages cost a random write. Where that rate is not stated, each page of a batch takes the most that a random one
    of its size takes: a device moves no less in sequence than at random, so batches take no longer (`about_batches`). What it reads from disk or writes there in batches is one request of its size each. Flash pages of several RAM pages (blocks) are read from and written to
    disk in one request of their size, and written to flash at the sequential rate, where that is
    not stated as one random write of their size. A directory on flash costs the pages of it that were read and written,
    one random operation each.

    Parameters
    ----------
    counters : mapping
        A result of `replay`.
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
        found = _with_blocks(counters, flash, disk)
        return _with_directory(found, counters, flash, disk)
    operations = {
        "disk_reads": counters["hdd_reads"],
        "disk_writes": single_disk_writes(counters),
    }
    if FLASH_CACHE_ONLY not in counters:
        operations["flash_reads"] = counters["flash_reads"]
        operations["flash_writes"] = counters["flash_writes"]
        found = _sum(counters, operations, {}, flash, disk)
        return _with_directory(found, counters, flash, disk)
    operations["flash_reads"] = counters["flash_random_reads"]
    operations["flash_writes"] = (
        counters["flash_random_page_writes"] + counters["metadata_random_page_writes"]
    )
    cost = _sum(counters, operations, _batch_pages(counters), flash, disk)
    return _with_batches_of_disk(cost, counters, disk)


def about_batches(
    flash: Device | None, replays: Iterable[Mapping[str, Any]]
) -> tuple[Caution, ...]:
    """Say which batches of replays are priced as single pages, for want of a sequential rate.

    Parameters
    ----------
    flash : Device or None
        That prices them; None says nothing.
    replays : iterable of mapping
        Results of `replay`.

    Returns
    -------
    tuple of Caution
        One, or none where every batch has its rate.
    """
    if flash is None:
        return ()
    moved = {
        _operation_of(name)
        for counters in replays
        if FLASH_CACHE_ONLY in counters
        for name, pages in _batch_pages(counters).items()
        if pages
    }
    without = [
        each
        for each in _OPERATION.values()
        if each in moved and not flash.number(f"sequential_{each}_mb_per_s")
    ]
    if not without:
        return ()
    rates = listed([f"sequential {each}s" for each in without])
    return (
        Caution(
            "batches_as_single_pages",
            f"`{flash.id}` states no rate of {rates}, so each page of a batch takes as long as a random one of its size at "
            "most takes, and flash caches that work in batches take less than is shown",
            "state the sequential rates of the device, or choose one that states them",
            about=(flash.id,),
        ),
    )


def about_batches_text(
    flash: Device | None, replays: Iterable[Mapping[str, Any]]
) -> str:
    """Say the same as a sentence; empty where every batch has its rate."""
    return " ".join(
        f"{each.message[0].upper()}{each.message[1:]}."
        for each in about_batches(flash, replays)
    )


def with_flash_writes(cost: ReplayCost, times: float) -> ReplayCost:
    """Let every write of flash take so many times as long, as the asymmetry of a map does.

    Parameters
    ----------
    cost : ReplayCost
        Of a replay.
    times : float
        Factor of single pages, batches and metadata alike. [1]
    """
    if cost.io_time_us_per_access is None or times == 1:
        return cost
    terms = {
        name: time_us * times
        if "flash" in name and name.endswith("writes")
        else time_us
        for name, time_us in cost.terms_us_per_access.items()
    }
    return replace(
        cost, io_time_us_per_access=sum(terms.values()), terms_us_per_access=terms
    )


def without_new_pages(
    counters: Mapping[str, Any], new_share: float
) -> Mapping[str, Any]:
    """Return what a replay would count if it knew which pages are new: they are made in RAM, and it reads them from disk.

    Parameters
    ----------
    counters : mapping
        Of the replay, of page flow or of a flash cache.
    new_share : float
        Share of its accesses that touch a new page for the first time. [1]

    Examples
    --------
    >>> without_new_pages({"accesses": 100, "hdd_reads": 30}, 0.1)["hdd_reads"]
    20
    """
    if not new_share:
        return counters
    new = round(new_share * counters["accesses"])
    found = {**counters, "hdd_reads": max(0, counters["hdd_reads"] - new)}
    blocks = counters.get("blocks")
    if blocks:
        # Those that are priced where flash takes blocks of several pages.
        read = max(0, blocks["hdd_page_reads"] - new)
        found["blocks"] = {**blocks, "hdd_page_reads": read}
    return found


def _with_directory(
    cost: ReplayCost, counters: Mapping[str, Any], flash: Device | None, disk: Device
) -> ReplayCost:
    """Add the pages of a directory on flash that were read and written."""
    kept = counters.get("directory")
    if not kept or cost.io_time_us_per_access is None:
        return cost
    operations = {"flash_reads": kept["reads"], "flash_writes": kept["writes"]}
    spent = _sum(counters, operations, {}, flash, disk)
    if spent.io_time_us_per_access is None:
        return spent
    terms = dict(cost.terms_us_per_access)
    for name, time_us in spent.terms_us_per_access.items():
        terms[name.replace("flash_", "flash_directory_")] = time_us
    return ReplayCost(sum(terms.values()), terms, "")


def _batch_pages(counters: Mapping[str, Any]) -> dict[str, int]:
    """Pages that a flash cache moved in batches, by term."""
    return {
        "sequential_flash_reads": counters["flash_batch_read_pages"],
        "sequential_flash_writes": counters["flash_sequential_page_writes"]
        + _segment_pages(counters),
    }


def _operation_of(term: str) -> Operation:
    return _OPERATION[term.rsplit("_", 1)[-1]]


def _segment_pages(counters: Mapping[str, Any]) -> int:
    """Pages of metadata written in segments, each rounded up to whole pages."""
    pages: int = (
        counters["metadata_page_writes"] - counters["metadata_random_page_writes"]
    )
    return pages


def _with_batches_of_disk(
    cost: ReplayCost, counters: Mapping[str, Any], disk: Device
) -> ReplayCost:
    """Add what was read from disk and written there in batches: each one request of its size."""
    if cost.io_time_us_per_access is None:
        return cost
    terms = dict(cost.terms_us_per_access)
    for plural, operation in _OPERATION.items():
        name = f"disk_batch_{plural}"
        if counters[name] == 0:
            continue
        time_us = _requests_us(
            disk,
            operation,
            counters[name],
            counters[f"disk_batch_{operation}_pages"],
            counters["page_bytes"],
            in_order=False,
        )
        if time_us is None:
            return ReplayCost(
                None, {}, f"`{disk.id}` states no service time of {plural}"
            )
        terms[name] = time_us / counters["accesses"]
    return replace(
        cost, io_time_us_per_access=sum(terms.values()), terms_us_per_access=terms
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
    batch_pages: Mapping[str, int],
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
    for name, pages in batch_pages.items():
        if pages == 0:
            terms[name] = 0.0
            continue
        if flash is None:
            return ReplayCost(None, {}, "no flash device is chosen")
        moved_us = _batch_us(flash, _operation_of(name), pages, counters["page_bytes"])
        if moved_us is None:
            return ReplayCost(
                None,
                {},
                f"`{flash.id}` states no service time of {_operation_of(name)}s",
            )
        terms[name] = moved_us / accesses
    return ReplayCost(sum(terms.values()), terms, "")


def _batch_us(
    flash: Device, operation: Operation, pages: int, page_bytes: int
) -> float | None:
    """Time of pages in batches: their transfer, or where no sequential rate is stated the most of single pages. [µs]"""
    size = pages * page_bytes
    moved_us = service_time(flash, operation, size, pattern="sequential").time_us
    if moved_us is not None:
        return moved_us
    page_us = service_time(flash, operation, page_bytes).high_us
    return None if page_us is None else pages * page_us
