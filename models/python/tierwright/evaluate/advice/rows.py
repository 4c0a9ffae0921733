"""Options as rows: what each is, what it costs to the cent, how fast it is, how busy and how long its devices last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.endurance.growth import growing_years
from tierwright.evaluate.page_flow.schemes import OWN_FORMULA, TIE_ORDER
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.service_time import service_us

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
CHOICES = tuple(name for name in TIE_ORDER if name in OWN_FORMULA)
"""Schemes of an option; of equals the first is named."""
SOURCES = ("instances", "volumes", "chassis", "devices", "have", "quotes")
"""Where an option is from: kinds of `evaluate.configurations`, RAM and devices of a price book, what there is, or a
quote."""
RENTED = SOURCES[:2]
"""Those that are always rented: the provider replaces what wears. Of quotes some are: `Options.is_rented` says which."""
STANDING = SOURCES[4:]
"""Those that are given as wholes."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options, one a row; arrays of one length. Sizes and money are of all machines together.

    Attributes
    ----------
    source : int array
        Index of `SOURCES`.
    row : int array
        Row of its table.
    scheme : int array
        Index of `CHOICES`.
    machines : int array
        Equal machines that share data and load.
    ram_bytes : float64 array
        RAM. [bytes]
    flash_bytes : float64 array
        Flash that caches before what holds the data. [bytes]
    ram_pages, flash_pages : float64 array
        Sizes at which the curve was read: of one machine as the curve counts them. [pages]
    month_cents : int array
        Sum of the rows of the bill, purchases spread over the horizon. [cent/month]
    purchase_cents : int array
        Of all purchases. [cent]
    store_us, flash_us : float64 array
        Busy time of what holds the data, and of the cache before it, per access; NaN where unknown. [µs]
    store_read_us, flash_read_us : float64 array
        Busy time of one read of either: no read takes less; NaN where unknown or not used. [µs]
    store_devices, flash_devices : int array
        Devices of each machine that share its load.
    store_reads, flash_reads : float64 array
        Reads of an access. [1]
    peak_busy : float64 array
        Largest share of the time for which a device is busy in the busiest hour; NaN where unknown. [1]
    life_years : float64 array
        Least life of the flash that is bought: infinite where none is bought or written, NaN where unknown. [year]
    unpriced, broken : int array
        Bits of what has no price, and of the limits that no constraint is.
    is_rented : bool array
        Whether its machines are rented, by whatever kind of option.
    """

    source: IntArray
    row: IntArray
    scheme: IntArray
    machines: IntArray
    ram_bytes: FloatArray
    flash_bytes: FloatArray
    ram_pages: FloatArray
    flash_pages: FloatArray
    month_cents: IntArray
    purchase_cents: IntArray
    store_us: FloatArray
    flash_us: FloatArray
    store_read_us: FloatArray
    flash_read_us: FloatArray
    store_devices: IntArray
    flash_devices: IntArray
    store_reads: FloatArray
    flash_reads: FloatArray
    peak_busy: FloatArray
    life_years: FloatArray
    unpriced: IntArray
    broken: IntArray
    is_rented: BoolArray

    def __len__(self) -> int:
        return len(self.source)

    @property
    def io_us(self) -> FloatArray:
        """I/O time of an access: busy time of one device of each tier. [µs]"""
        return self.store_us + self.flash_us

    def rows(self, at: NDArray[Any]) -> Options:
        """Return some of the rows, in that order."""
        return replace(
            self, **{each.name: getattr(self, each.name)[at] for each in fields(self)}
        )


def joined(tables: Sequence[Options]) -> Options:
    """Put tables one below the other; of none, a table without a row."""
    if not tables:
        return _nothing()
    return Options(
        **{
            each.name: np.concatenate([getattr(table, each.name) for table in tables])
            for each in fields(Options)
        }
    )


def _nothing() -> Options:
    """Return a table without a row."""
    whole, number = np.empty(0, dtype=np.int64), np.empty(0)
    return Options(
        *(whole, whole, whole, whole),
        *(number, number, number, number),
        *(whole, whole),
        *(number, number, number, number),
        *(whole, whole),
        *(number, number, number, number),
        *(whole, whole),
        np.empty(0, dtype=np.bool_),
    )


def least_percentile_us(
    reads: tuple[FloatArray, FloatArray],
    read_us: tuple[FloatArray, FloatArray],
    percentile: float,
) -> FloatArray:
    """Return what a percentile of the response time is at least: a read of the tier that it falls in. [µs]

    Parameters
    ----------
    reads : tuple of float64 array
        Share of the accesses that read flash, and of those that read what holds the data. [1]
    read_us : tuple of float64 array
        What a read of either takes at least. [µs]
    percentile : float
        Such as 0.99. [1]

    Examples
    --------
    2 % of the accesses read a disk in 5 ms, 10 % flash in 100 µs:

    >>> both = (
    ...     (np.asarray([0.1]), np.asarray([0.02])),
    ...     (np.asarray([100.0]), np.asarray([5e3])),
    ... )
    >>> [float(least_percentile_us(*both, each)[0]) for each in (0.5, 0.95, 0.99)]
    [0.0, 100.0, 5000.0]
    """
    beyond = 1 - percentile
    slow = np.fmax(*read_us)
    # Where a tier is not read, its time says nothing.
    fast = np.where(
        reads[0] == 0,
        read_us[1],
        np.where(reads[1] == 0, read_us[0], np.fmin(*read_us)),
    )
    flash_is_slow = read_us[0] > read_us[1]
    slow_reads = np.where(flash_is_slow, reads[0], reads[1])
    return np.asarray(
        np.where(
            slow_reads > beyond,
            slow,
            np.where(reads[0] + reads[1] > beyond, fast, 0.0),
        )
    )


def month_cents(purchase_cents: IntArray, horizon_months: int) -> IntArray:
    """Spread a purchase over the months, rounded half up to the cent, as a row of the bill shows it. [cent/month]

    Parameters
    ----------
    purchase_cents : int array
        Of one line. [cent]
    horizon_months : int
        [months]

    Examples
    --------
    >>> month_cents(np.asarray([100, 90]), 36).tolist()
    [3, 3]
    """
    return np.asarray(
        (2 * purchase_cents + horizon_months) // (2 * horizon_months), dtype=np.int64
    )


def device_times(
    device: Device, page_bytes: int, rows: int
) -> tuple[FloatArray, FloatArray]:
    """Busy time of a read and of a write of one device, the same in all rows; NaN where unknown. [µs]"""
    read, write = (service_us(device, each, page_bytes) for each in OPERATIONS)
    return (
        np.full(rows, np.nan if read is None else read),
        np.full(rows, np.nan if write is None else write),
    )


def busy_share(
    busy_us: FloatArray, accesses_per_s: FloatArray, devices: IntArray
) -> FloatArray:
    """Share of the time for which each of equal devices is busy, U = X S / m. [1]

    Parameters
    ----------
    busy_us : float64 array
        S: busy time of an access. [µs]
    accesses_per_s : float64 array
        X of one machine. [1/s]
    devices : int array
        m; 0 where nothing is asked of any.
    """
    return np.asarray(busy_us * accesses_per_s / 1e6 / np.maximum(devices, 1))


def peak_busy(
    store: tuple[FloatArray, IntArray],
    flash: tuple[FloatArray, IntArray],
    accesses_per_s: FloatArray | None,
) -> FloatArray:
    """Share of the time for which the busiest device is busy; NaN where a time or the rate is unknown. [1]

    Parameters
    ----------
    store, flash : tuple of (float64 array, int array)
        Busy time of an access, and the devices of one machine. [µs]
    accesses_per_s : float64 array or None
        Rate of one machine in the busiest hour; None where unknown. [1/s]
    """
    known = store[0] + flash[0]
    if accesses_per_s is None:
        return np.full(len(known), np.nan)
    busiest = np.fmax(*(busy_share(us, accesses_per_s, n) for us, n in (store, flash)))
    return np.where(np.isnan(known), np.nan, busiest)


def life_years(
    written_per_access: FloatArray,
    accesses_per_s: FloatArray | None,
    page_bytes: int,
    budget_tb: FloatArray,
    growth_per_year: float,
) -> FloatArray:
    """Years until the writes that flash takes are used up; infinite where none wear it, NaN where unknown. [365 days]

    The writes grow as the load does, at the hits of today (`growing_years`).

    Parameters
    ----------
    written_per_access : float64 array
        Page writes of an access; NaN where the trace does not tell them. [1]
    accesses_per_s : float64 array or None
        Mean rate of one machine; None where unknown: so are the years then, but of what is not worn. [1/s]
    page_bytes : int
        [bytes]
    budget_tb : float64 array
        Host writes that all devices of one machine take over their life; NaN where unknown. [10^12 bytes]
    growth_per_year : float
        Of the load; 0 for the years at today's rate, which alone are in proportion to budget and devices. [1/year]
    """
    unworn = np.isinf(budget_tb) | (written_per_access == 0)
    if accesses_per_s is None:
        return np.where(unworn, np.inf, np.nan)
    tb_per_year = written_per_access * accesses_per_s * page_bytes * _S_PER_YEAR / _TB
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        years = budget_tb / tb_per_year
    return growing_years(np.where(unworn, np.inf, years), growth_per_year)


_S_PER_YEAR, _TB = 365 * 86_400, 1e12
