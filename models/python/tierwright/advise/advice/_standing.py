"""Options that are given as wholes: what there is today, and what a quote offers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.units import format_bytes
from tierwright.evaluate.advice.limits import OWN_LIMITS, REPLICAS
from tierwright.evaluate.advice.rows import (
    CHOICES,
    SOURCES,
    Options,
    device_times,
    life_years,
    peak_busy,
)
from tierwright.evaluate.configurations.columns import SPACE
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A configuration that is given as a whole, with what it costs. Sizes and counts are of all machines together.

    Attributes
    ----------
    machines : int
        Equal machines.
    ram_bytes : int
        RAM. [bytes]
    usable_ram_bytes : int
        What of it the system leaves. [bytes]
    is_ram_for_pages : bool
        Whether the RAM was stated without what the system takes: then it is named so, for of other options as much RAM
        holds fewer pages.
    disk : Device
        What holds the data.
    disks : int
        How many, a multiple of the machines.
    disk_budget_tb : float
        Host writes that one of them takes over its life; infinite where none wear it. [10^12 bytes]
    flash_bytes : int
        Flash that caches; 0 without. [bytes]
    flash : Device or None
    flash_devices : int
        A multiple of the machines.
    flash_budget_tb : float
        As of a disk. [10^12 bytes]
    scheme : str
        Page flow.
    month_cents, purchase_cents : int
        Rent and purchases spread over the months; purchases. [cent/month], [cent]
    is_priced : bool
        Whether these are known.
    power_watts, rack_units : float
        NaN where unknown. [W], [U]
    quote_id : str
        Of the quote that offers it; empty of what there is.
    on_existing : bool
        Whether it runs on machines that there are, whose costs are not in its price.
    is_rented : bool
        Whether its machines are rented: a failure takes a whole one.
    outlasts : bool or None
        Whether what holds the data keeps them when its machine stops; None where nobody says.
    bill : tuple of mapping
        Its rows, as `_table.bill_rows` makes them; empty where only amounts are known.
    """

    machines: int
    ram_bytes: int
    usable_ram_bytes: int
    disk: Device
    disks: int
    disk_budget_tb: float
    flash_bytes: int
    flash: Device | None
    flash_devices: int
    flash_budget_tb: float
    scheme: str
    month_cents: int
    purchase_cents: int
    is_priced: bool = True
    power_watts: float = math.nan
    rack_units: float = math.nan
    quote_id: str = ""
    is_ram_for_pages: bool = False
    on_existing: bool = False
    is_rented: bool = False
    outlasts: bool | None = None
    bill: tuple[Mapping[str, Any], ...] = ()

    @property
    def store_bytes(self) -> int:
        """What may hold data; without a stated size as much as is wanted. [bytes]"""
        return self.disks * (self.disk.capacity_bytes or _LARGEST)


def ram_text(ram_bytes: float, *, for_pages: bool) -> str:
    """Say how much RAM there is, and that it is for pages where it is without what the system takes.

    Parameters
    ----------
    ram_bytes : float
        [bytes]
    for_pages : bool
        As `Standing.is_ram_for_pages`.

    Examples
    --------
    >>> ram_text(2**34, for_pages=True)
    '16 GiB of RAM for pages'
    """
    return f"{format_bytes(ram_bytes)} of RAM{' for pages' if for_pages else ''}"


def standing(
    given: Sequence[Standing],
    source: str,
    curve: Curve,
    served: tuple[float | None, float | None],
    data_bytes: int,
    copies: int,
    growth_per_year: float = 0.0,
) -> Options:
    """Make an option of each, a row each in their order.

    Parameters
    ----------
    given : sequence of Standing
        At least one.
    source : str
        Of `evaluate.advice.rows.STANDING`.
    curve : Curve
        Of one machine of production where it was scaled.
    served : tuple of float or None
        Mean rate, and that of the busiest hour, that all machines serve together. [1/s]
    data_bytes : int
        One copy of the data. [bytes]
    copies : int
        Each on a machine of its own.
    growth_per_year : float
        Of the load, by which flash is worn. [1/year]
    """
    page = curve.page_bytes
    of_one = 1 if curve.scaled is None else curve.scaled.production.machines
    machines = np.asarray([each.machines for each in given], dtype=np.int64)
    share = machines / of_one
    ram, flash = (
        np.asarray(sizes, dtype=np.float64) / machines // page * share
        for sizes in (
            [each.usable_ram_bytes for each in given],
            [each.flash_bytes for each in given],
        )
    )
    mean, peak = (None if rate is None else rate / machines for rate in served)
    disks = np.asarray([each.disks // each.machines for each in given], dtype=np.int64)
    flashes = np.asarray(
        [each.flash_devices // each.machines for each in given], dtype=np.int64
    )
    disk_times = _times([each.disk for each in given], page)
    flash_times = _times([each.flash for each in given], page)
    found = {
        name: np.zeros(len(given))
        for name in ("store_us", "flash_us", "disk_w", "flash_w", "disk_r", "flash_r")
    }
    schemes = np.asarray([CHOICES.index(each.scheme) for each in given], dtype=np.int64)
    for scheme in np.unique(schemes).tolist():
        at = schemes == scheme
        name = CHOICES[scheme]
        done: Operations = operations(curve, ram[at], flash[at], (name,))[name]
        found["store_us"][at] = done.busy_us("disk", *(one[at] for one in disk_times))
        found["flash_us"][at] = done.busy_us("flash", *(one[at] for one in flash_times))
        for tier in ("disk", "flash"):
            found[f"{tier}_w"][at] = done.wears(tier)
            found[f"{tier}_r"][at] = done.per_access[tier, "read"]
    no_flash = flashes == 0
    found["flash_us"][no_flash] = 0.0
    lives = [
        life_years(found[written], mean, page, np.asarray(budgets), growth_per_year)
        for written, budgets in (
            ("disk_w", [each.disk_budget_tb for each in given] * disks),
            ("flash_w", [each.flash_budget_tb for each in given] * flashes.clip(1)),
        )
    ]
    needed_bytes = data_bytes * copies
    too_small = [each.store_bytes < needed_bytes for each in given]
    broken = np.where(too_small, _bit(SPACE), 0)
    broken |= np.where(machines < copies, _bit(REPLICAS), 0)
    return Options(
        source=np.full(len(given), SOURCES.index(source)),
        row=np.arange(len(given), dtype=np.int64),
        scheme=schemes,
        machines=machines,
        ram_bytes=np.asarray([float(each.ram_bytes) for each in given]),
        flash_bytes=np.asarray([float(each.flash_bytes) for each in given]),
        ram_pages=ram,
        flash_pages=flash,
        month_cents=np.asarray([each.month_cents for each in given]),
        purchase_cents=np.asarray([each.purchase_cents for each in given]),
        store_us=found["store_us"],
        flash_us=found["flash_us"],
        store_read_us=disk_times[0],
        flash_read_us=flash_times[0],
        store_devices=disks,
        flash_devices=flashes,
        store_reads=found["disk_r"],
        flash_reads=found["flash_r"],
        peak_busy=peak_busy(
            (found["store_us"], disks), (found["flash_us"], flashes), peak
        ),
        life_years=np.minimum(*lives),
        unpriced=np.asarray([0 if each.is_priced else 1 for each in given]),
        broken=broken.astype(np.int64),
        is_rented=np.asarray([each.is_rented for each in given], dtype=np.bool_),
    )


def _bit(limit: str) -> int:
    return 1 << OWN_LIMITS.index(limit)


def _times(
    devices: Sequence[Device | None], page_bytes: int
) -> tuple[FloatArray, FloatArray]:
    """Busy times of a read and of a write of each; NaN where there is none or no source states them. [µs]"""
    known: dict[int, tuple[float, float]] = {}
    rows = []
    for each in devices:
        if each is None:
            rows.append((math.nan, math.nan))
            continue
        if id(each) not in known:
            read, write = device_times(each, page_bytes, 1)
            known[id(each)] = float(read[0]), float(write[0])
        rows.append(known[id(each)])
    table = np.asarray(rows)
    return table[:, 0], table[:, 1]
