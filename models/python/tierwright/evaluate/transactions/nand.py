"""What page reads, page writes and block erases of raw NAND cost; pages or log records.

Source: Zhou, Meng and Liang (2009), Table I, sections IV.D and V.A. All times in µs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast, whole
from tierwright.common.errors import BadInput, Problems
from tierwright.hardware.raw_nand import (
    PAPER_GEOMETRY,
    PAPER_TIMES,
    NandGeometry,
    NandTimes,
    check_geometry,
)

__all__ = [
    "PAPER_DISK_MS",
    "PAPER_GEOMETRY",
    "PAPER_TIMES",
    "US_PER_MS",
    "Capacities",
    "LogWrite",
    "NandGeometry",
    "NandTimes",
    "ReadShare",
    "SpeedRatios",
    "capacities",
    "check_geometry",
    "implied_read_share",
    "io_time_us",
    "log_read_us",
    "log_write",
    "speed_ratios",
]

US_PER_MS = 1000.0


PAPER_DISK_MS = 9.0
"""Table I: a random read or write of the disk. [ms]"""


@dataclass(frozen=True, slots=True)
class LogWrite:
    """A transaction pushed out as log records instead of as pages.

    Attributes
    ----------
    log_pages : int
        Flash pages that its records fill.
    data_write_us, log_write_us : float
        Time of writing its pages, of writing its log pages. [µs]
    write_saving_us : float
        What the log spares; negative where the records are larger than the pages. [µs]
    break_even_extra_reads : float
        Page reads that take as long as the saving: with more of them the log loses.
    """

    log_pages: int
    data_write_us: float
    log_write_us: float
    write_saving_us: float
    break_even_extra_reads: float


@dataclass(frozen=True, slots=True)
class ReadShare:
    """Share of the baseline's I/O time that is reads, as three published changes imply.

    Attributes
    ----------
    read_share : float
        x. [1]
    consistent : bool
        Whether it lies in [0, 1]; otherwise the three changes cannot be of one run.
    """

    read_share: float
    consistent: bool


@dataclass(frozen=True, slots=True)
class Capacities:
    """Sizes that follow from a chip's geometry and a buffer.

    Attributes
    ----------
    flash_bytes : int
        [bytes]
    ram_pages, ram_blocks : int
        Flash pages, and blocks, that fit in the buffer.
    resident_transactions : int
        Transactions whose pages all fit.
    """

    flash_bytes: int
    ram_pages: int
    ram_blocks: int
    resident_transactions: int


@dataclass(frozen=True, slots=True)
class SpeedRatios:
    """How much faster NAND is than a disk, and how uneven it is.

    Attributes
    ----------
    read_speedup, write_speedup : float
        Disk time over page read time, over page write time. [1]
    write_over_read : float
        Reads that take as long as one write. [1]
    erase_us_per_page : float
        Erase time spread over the pages of a block. [µs]
    """

    read_speedup: float
    write_speedup: float
    write_over_read: float
    erase_us_per_page: float


def io_time_us(
    reads: ArrayLike,
    writes: ArrayLike,
    erases: ArrayLike,
    times: NandTimes = PAPER_TIMES,
) -> FloatArray:
    """Time of counted operations: 25 reads + 200 writes + 1500 erases. [µs]

    Parameters
    ----------
    reads, writes : array_like
        Page reads and page programs; broadcast against each other. [pages]
    erases : array_like
        Block erases. [blocks]
    times : NandTimes
        Those of the paper unless given.

    Returns
    -------
    float64 array
        [µs]

    Raises
    ------
    BadInput
        If a count is negative or not finite, or a time is not positive.

    Examples
    --------
    >>> float(io_time_us(1000, 500, 8))
    137000.0
    """
    _check_nand_times(times)
    v = broadcast(
        "NAND time", amounts={"reads": reads, "writes": writes, "erases": erases}
    )
    return np.asarray(
        v["reads"] * times.read_us
        + v["writes"] * times.write_us
        + v["erases"] * times.erase_us
    )


def log_write(
    dirty_pages: int,
    log_bytes_per_page: float,
    *,
    page_bytes: int = PAPER_GEOMETRY.page_bytes,
    times: NandTimes = PAPER_TIMES,
) -> LogWrite:
    """Write n dirty pages as they are, or their log records packed into log pages.

    log_pages = ceil(n bytes / page), records may straddle pages; write_saving = (n -
    log_pages) x write time; the log pays while its extra reads are fewer than the saving
    over the read time. Erases that the log spares come on top and are not counted here.

    Parameters
    ----------
    dirty_pages : int
        n. [pages]
    log_bytes_per_page : float
        Log records of one dirty page. [bytes]
    page_bytes : int
        Flash page. [bytes]
    times : NandTimes
        Those of the paper unless given.

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> found = log_write(16, 100)
    >>> found.log_pages, found.write_saving_us, found.break_even_extra_reads
    (1, 3000.0, 120.0)
    """
    _check_nand_times(times)
    whole("log write", page_bytes=page_bytes)
    problems = Problems("log write", "use whole pages")
    problems.check(
        _is_count(dirty_pages),
        "dirty_pages",
        dirty_pages,
        "must be a whole number, not negative",
    )
    problems.raise_if_any()
    broadcast("log write", amounts={"log_bytes_per_page": log_bytes_per_page})
    log_pages = math.ceil(dirty_pages * log_bytes_per_page / page_bytes)
    data_us, log_us = dirty_pages * times.write_us, log_pages * times.write_us
    saving = data_us - log_us
    return LogWrite(log_pages, data_us, log_us, saving, saving / times.read_us)


def log_read_us(
    pages: ArrayLike, log_pages_per_page: ArrayLike, times: NandTimes = PAPER_TIMES
) -> FloatArray:
    """Time of reading pages that were pushed out as log: pages (1 + k) x read time. [µs]

    Parameters
    ----------
    pages : array_like
        Data pages read again. [pages]
    log_pages_per_page : array_like
        k, log pages that hold the records of one of them. [pages]
    times : NandTimes
        Those of the paper unless given.

    Raises
    ------
    BadInput
        If a number is negative or not finite.

    Examples
    --------
    >>> float(log_read_us(16, 1))
    800.0
    """
    _check_nand_times(times)
    v = broadcast("log read", amounts={"pages": pages, "k": log_pages_per_page})
    return np.asarray(v["pages"] * (1 + v["k"]) * times.read_us)


def implied_read_share(
    *, read_slowdown: float, write_saving: float, total_saving: float
) -> ReadShare:
    """Share x of the I/O time that is reads, where (1+s) x + (1-v)(1-x) = 1 - t.

    Parameters
    ----------
    read_slowdown : float
        s: by how much reads take longer, as a share of the baseline's. [1]
    write_saving : float
        v: share of the write time saved. [1]
    total_saving : float
        t: share of the whole time saved. [1]

    Raises
    ------
    BadInput
        If a number is not finite, or write_saving + read_slowdown is 0: then every share
        fits.

    Examples
    --------
    >>> found = implied_read_share(
    ...     read_slowdown=0.25, write_saving=0.75, total_saving=0.34
    ... )
    >>> round(found.read_share, 9), found.consistent
    (0.41, True)
    """
    numbers = {
        "read_slowdown": read_slowdown,
        "write_saving": write_saving,
        "total_saving": total_saving,
    }
    problems = Problems("implied read share", "give shares, such as 0.25 for 25 %")
    for name, value in numbers.items():
        problems.check(math.isfinite(value), name, value, "must be finite")
    problems.raise_if_any()
    both = write_saving + read_slowdown
    if both == 0:
        raise BadInput(
            f"implied read share: write_saving `{write_saving}` and read_slowdown "
            f"`{read_slowdown}` cancel, so every share fits",
            "reads and writes must change differently for their shares to show",
        )
    share = (write_saving - total_saving) / both
    return ReadShare(share, 0 <= share <= 1)


def capacities(
    *,
    ram_bytes: int,
    pages_per_transaction: int,
    geometry: NandGeometry = PAPER_GEOMETRY,
) -> Capacities:
    """Sizes of chip and buffer, in pages, blocks and transactions.

    Parameters
    ----------
    ram_bytes : int
        Buffer. [bytes]
    pages_per_transaction : int
        Pages that one transaction touches. [pages]
    geometry : NandGeometry
        That of the paper unless given.

    Raises
    ------
    BadInput
        If a number is not a positive whole one.

    Examples
    --------
    >>> capacities(ram_bytes=16 * 2**20, pages_per_transaction=16)
    Capacities(flash_bytes=134217728, ram_pages=8192, ram_blocks=128, resident_transactions=512)
    """
    check_geometry(geometry)
    whole(
        "capacities", ram_bytes=ram_bytes, pages_per_transaction=pages_per_transaction
    )
    ram_pages = ram_bytes // geometry.page_bytes
    return Capacities(
        geometry.blocks * geometry.pages_per_block * geometry.page_bytes,
        ram_pages,
        ram_pages // geometry.pages_per_block,
        ram_pages // pages_per_transaction,
    )


def speed_ratios(
    *,
    disk_ms: float = PAPER_DISK_MS,
    times: NandTimes = PAPER_TIMES,
    pages_per_block: int = PAPER_GEOMETRY.pages_per_block,
) -> SpeedRatios:
    """Compare NAND with a disk, and its own operations with each other.

    Parameters
    ----------
    disk_ms : float
        One random disk read or write. [ms]
    times : NandTimes
        Those of the paper unless given.
    pages_per_block : int
        Pages over which an erase is spread.

    Raises
    ------
    BadInput
        If a number is not positive.

    Examples
    --------
    >>> speed_ratios()
    SpeedRatios(read_speedup=360.0, write_speedup=45.0, write_over_read=8.0, erase_us_per_page=23.4375)
    """
    _check_nand_times(times)
    whole("speed ratios", pages_per_block=pages_per_block)
    broadcast("speed ratios", amounts={"disk_ms": disk_ms})
    disk_us = disk_ms * US_PER_MS
    return SpeedRatios(
        disk_us / times.read_us,
        disk_us / times.write_us,
        times.write_us / times.read_us,
        times.erase_us / pages_per_block,
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check_nand_times(times: NandTimes) -> None:
    problems = Problems(
        "NAND times", "give times in µs, such as the 25, 200, 1500 of Table I"
    )
    for name in ("read_us", "write_us", "erase_us"):
        value = getattr(times, name)
        problems.check(
            math.isfinite(value) and value > 0, name, value, "must be above 0"
        )
    problems.raise_if_any()
