"""Flash caches: write reduction, effective capacity, metadata recovery, when caching pays.

Restates Kang, Lee and Moon, "Flash as cache extension for online transactional
workloads", The VLDB Journal 25 (2016). Replays of flash caches: `tierwright.simulate.replay`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierwright.common.errors import Problems, collected

__all__ = [
    "Recovery",
    "WriteChain",
    "clean_admission_threshold",
    "effective_capacity",
    "recovery",
    "sequential_write_ratio",
    "write_back_chain",
    "write_reduction",
]

_HINT = "use finite, positive counts, sizes, rates and times"


def write_reduction(disk_writes: float, dirty_evictions: float) -> float | None:
    """Return the share of disk writes that a flash cache spares.

    1 - W_disk / D_flash, section 6.3. Count as dirty evictions those newer than their flash
    copy: that equals the disk writes of the same RAM without flash.

    Parameters
    ----------
    disk_writes : float
        Pages written to disk, W_disk. [pages]
    dirty_evictions : float
        Dirty pages evicted from RAM, D_flash. [pages]

    Returns
    -------
    float or None
        None without dirty evictions; negative if flash caused more writes than it spared.

    Examples
    --------
    >>> write_reduction(4900, 10000)
    0.51
    """
    with collected("write reduction", _HINT) as problems:
        _not_negative(
            problems, disk_writes=disk_writes, dirty_evictions=dirty_evictions
        )
    if dirty_evictions == 0:
        return None
    return 1 - disk_writes / dirty_evictions


def effective_capacity(capacity_bytes: float, old_share: float) -> float:
    """Return the flash capacity that holds newest versions.

    Table 5 gives shares of old versions; capacity x (1 - share) is what remains.

    Parameters
    ----------
    capacity_bytes : float
        Flash cache. [bytes, or any unit]
    old_share : float
        Share of it that holds old versions, from 0 to 1.

    Returns
    -------
    float
        In the unit of the capacity.

    Examples
    --------
    >>> round(effective_capacity(20, 0.449), 6)
    11.02
    """
    with collected("effective capacity", _HINT) as problems:
        _not_negative(problems, capacity_bytes=capacity_bytes, old_share=old_share)
        problems.check(old_share <= 1, "old_share", old_share, "must not exceed 1")
    return capacity_bytes * (1 - old_share)


PAPER_SEGMENT_ENTRIES = 64_000
"""Entries of a metadata segment of FaCE, as its paper has them."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a restart reads to have its flash metadata back.

    Attributes
    ----------
    pages : int
        Flash pages. [pages]
    segments, segments_read : int
        Metadata segments, and those read from flash.
    directory_bytes, persisted_bytes_read, scan_bytes : int
        All metadata; what is read of it; data pages scanned for the rest. [bytes]
    restore_seconds, full_scan_seconds : float
        Time to read both; time to scan all of flash instead. [s]
    """

    pages: int
    segments: int
    segments_read: int
    directory_bytes: int
    persisted_bytes_read: int
    scan_bytes: int
    restore_seconds: float
    full_scan_seconds: float


def recovery(
    flash_bytes: int,
    *,
    page_bytes: int,
    seq_read_bytes_per_s: float,
    entries_per_segment: int = PAPER_SEGMENT_ENTRIES,
    entry_bytes: int = 32,
    scan_segments: int = 2,
) -> Recovery:
    """Return the time to restore the metadata directory after a crash.

    Sections 5.2 and 6.8: persisted segments are read; the last ones are rebuilt from their
    data pages, since a flush may have been under way. The scan is charged for whole
    segments, so a flash cache below `scan_segments` segments is better scanned in full.

    Parameters
    ----------
    flash_bytes : int
        Flash cache. [bytes]
    page_bytes : int
        Data page. [bytes]
    seq_read_bytes_per_s : float
        Sequential read bandwidth of flash. [bytes/s]
    entries_per_segment, entry_bytes, scan_segments : int
        Entries of a segment, size of one [bytes], segments rebuilt by scanning.

    Returns
    -------
    Recovery

    Raises
    ------
    BadInput
        If a size or the bandwidth is not positive.

    Examples
    --------
    >>> recovery(
    ...     10_000_000_000, page_bytes=4000, seq_read_bytes_per_s=4e8
    ... ).restore_seconds
    1.47456
    """
    with collected("recovery", _HINT) as problems:
        _positive(
            problems,
            flash_bytes=flash_bytes,
            page_bytes=page_bytes,
            seq_read_bytes_per_s=seq_read_bytes_per_s,
            entries_per_segment=entries_per_segment,
            entry_bytes=entry_bytes,
        )
        _not_negative(problems, scan_segments=scan_segments)
    pages = flash_bytes // page_bytes
    segments = -(-pages // entries_per_segment)
    segments_read = max(0, segments - scan_segments)
    segment_bytes = entries_per_segment * entry_bytes
    scanned = min(segments, scan_segments) * entries_per_segment * page_bytes
    read = segments_read * segment_bytes
    return Recovery(
        pages=pages,
        segments=segments,
        segments_read=segments_read,
        directory_bytes=segments * segment_bytes,
        persisted_bytes_read=read,
        scan_bytes=scanned,
        restore_seconds=(read + scanned) / seq_read_bytes_per_s,
        full_scan_seconds=flash_bytes / seq_read_bytes_per_s,
    )


@dataclass(frozen=True, slots=True)
class WriteChain:
    """Time to write a page that leaves RAM dirty several times before it leaves flash.

    Attributes
    ----------
    no_cache, write_back, write_through : float
        Time in all, in the unit of the inputs.
    break_even_evictions : float or None
        Evictions above which write-back is cheaper than no cache; None: never.
    """

    no_cache: float
    write_back: float
    write_through: float
    break_even_evictions: float | None


def write_back_chain(
    evictions: float, *, disk_write: float, flash_write: float
) -> WriteChain:
    """Compare no cache, write-back and write-through for one page.

    k evictions cost k C_dw without a cache, k C_fw + C_dw with write-back, k (C_dw + C_fw)
    with write-through (after section 4.2.1); the first two are equal at C_dw / (C_dw - C_fw).

    Parameters
    ----------
    evictions : float
        Dirty evictions from RAM before the page leaves flash, k.
    disk_write, flash_write : float
        C_dw and C_fw, both in the same unit of time.

    Returns
    -------
    WriteChain

    Examples
    --------
    >>> found = write_back_chain(5, disk_write=4.0, flash_write=1.0)
    >>> found.no_cache, found.write_back, found.write_through
    (20.0, 9.0, 25.0)
    >>> round(found.break_even_evictions, 3)
    1.333
    """
    with collected("write-back chain", _HINT) as problems:
        _not_negative(problems, evictions=evictions)
        _positive(problems, disk_write=disk_write, flash_write=flash_write)
    gain = disk_write - flash_write
    return WriteChain(
        no_cache=evictions * disk_write,
        write_back=evictions * flash_write + disk_write,
        write_through=evictions * (disk_write + flash_write),
        break_even_evictions=disk_write / gain if gain > 0 else None,
    )


def clean_admission_threshold(
    *,
    disk_read: float,
    disk_write: float,
    flash_read: float,
    flash_write: float,
    dirty_displacement: float,
) -> float:
    """Return how likely a clean page must be read again for caching it to pay.

    (C_fw + g C_dw) / (C_dr - C_fr), derived from section 4.2.3: a flash write and, with
    probability g, the disk write of a dirty page pushed out, against the disk read spared.
    Above 1 caching clean pages never pays.

    Parameters
    ----------
    disk_read, disk_write, flash_read, flash_write : float
        Times of one page, all in the same unit.
    dirty_displacement : float
        Probability g that the page pushes a valid dirty one out, from 0 to 1.

    Returns
    -------
    float
        Least probability of a read before the page leaves flash.

    Raises
    ------
    BadInput
        If flash reads no faster than disk, or a value is out of range.

    Examples
    --------
    >>> clean_admission_threshold(
    ...     disk_read=10,
    ...     disk_write=10,
    ...     flash_read=2,
    ...     flash_write=1,
    ...     dirty_displacement=0.3,
    ... )
    0.5
    """
    with collected("clean admission", _HINT) as problems:
        _positive(
            problems,
            disk_read=disk_read,
            disk_write=disk_write,
            flash_read=flash_read,
            flash_write=flash_write,
        )
        _not_negative(problems, dirty_displacement=dirty_displacement)
        problems.check(
            dirty_displacement <= 1,
            "dirty_displacement",
            dirty_displacement,
            "must not exceed 1",
        )
        problems.check(
            flash_read < disk_read,
            "flash_read",
            flash_read,
            "must be below disk_read, otherwise no hit saves anything",
        )
    return (flash_write + dirty_displacement * disk_write) / (disk_read - flash_read)


def sequential_write_ratio(
    *, seq_bytes_per_s: float, random_iops: float, page_bytes: int
) -> tuple[float, float]:
    """Compare sequential with random page writes of a flash device.

    Parameters
    ----------
    seq_bytes_per_s : float
        Sequential write bandwidth. [bytes/s]
    random_iops : float
        Random page writes. [1/s]
    page_bytes : int
        Page. [bytes]

    Returns
    -------
    ratio, seq_pages_per_s : float
        Sequential over random page rate; sequential page rate. [1, pages/s]

    Examples
    --------
    >>> ratio, rate = sequential_write_ratio(
    ...     seq_bytes_per_s=398e6, random_iops=13979, page_bytes=4096
    ... )
    >>> round(ratio, 2), rate
    (6.95, 97167.96875)
    """
    with collected("sequential write ratio", _HINT) as problems:
        _positive(
            problems,
            seq_bytes_per_s=seq_bytes_per_s,
            random_iops=random_iops,
            page_bytes=page_bytes,
        )
    rate = seq_bytes_per_s / page_bytes
    return rate / random_iops, rate


def _not_negative(problems: Problems, **values: float) -> None:
    for name, value in values.items():
        good = math.isfinite(value) and value >= 0
        problems.check(good, name, value, "must be finite and not negative")


def _positive(problems: Problems, **values: float) -> None:
    for name, value in values.items():
        good = math.isfinite(value) and value > 0
        problems.check(good, name, value, "must be finite and above 0")
