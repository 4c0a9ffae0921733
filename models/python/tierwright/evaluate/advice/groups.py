"""Servers built from parts in groups that differ in the number of drives alone, each bounded before it is listed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import IntArray, busy_share, month_cents
from tierwright.evaluate.configurations.columns import (
    Columns,
    built,
    line_cents,
    populated,
)
from tierwright.evaluate.configurations.sold import Sold
from tierwright.evaluate.configurations.times import drive_times
from tierwright.evaluate.configurations.wanted import GIB, Wanted
from tierwright.evaluate.economics import HOURS_PER_MONTH, WATTS_PER_KW
from tierwright.evaluate.page_flow.operations import operations
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware.build import PartItem
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

Bools = NDArray[np.bool_]
BELOW = 1 - 1e-9
"""Share of a number that rounding cannot have raised above it."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of configurations, one a row, in the order in which their configurations are listed.

    Attributes
    ----------
    wanted : Wanted
    sold : Sold
    machines, chassis, dimm, dimms, drive : int array
        Of all configurations of the group.
    most : int array
        Most drives of a machine: the group has one configuration for each number from 1 on.
    first : int array
        Place of its first configuration among all configurations of servers built from parts.
    ram_gib : float64 array
        RAM of a machine. [GiB]
    fewest : int array
        Drives of a machine with which a configuration of the group may keep every limit, at least.
    least_cents : int array
        No configuration of the group that can keep every limit costs less. [cent/month]
    io_us : float64 array
        I/O time of each of its configurations; NaN where unknown. [µs]
    ram_pages : float64 array
        Size at which the curve is read: of one machine as the curve counts them. [pages]
    reads : float64 array
        Reads of an access that what holds the data serves. [1]
    able : bool array
        Whether one of them may keep every limit: what is not able breaks one whatever the number of drives.
    """

    wanted: Wanted
    sold: Sold
    machines: IntArray
    chassis: IntArray
    dimm: IntArray
    dimms: IntArray
    drive: IntArray
    most: IntArray
    first: IntArray
    ram_gib: FloatArray
    fewest: IntArray
    least_cents: IntArray
    io_us: FloatArray
    ram_pages: FloatArray
    reads: FloatArray
    able: Bools

    def __len__(self) -> int:
        return len(self.machines)

    def raise_fewest(self, at: IntArray, fewest: IntArray) -> None:
        """Raise the fewest drives of some groups, and what they cost at least; those that have fewer are not able.

        Parameters
        ----------
        at : int array, shape (N,)
            Groups.
        fewest : int array, shape (N,)
            Drives of a machine below which every configuration of each breaks a limit.
        """
        self.able[at] &= fewest <= self.most[at]
        drives = np.minimum(np.maximum(self.fewest[at], fewest), self.most[at])
        self.fewest[at] = drives
        self.least_cents[at] = _cents(
            self.wanted,
            self.sold,
            self.machines[at],
            (self.chassis[at], self.dimm[at], self.drive[at]),
            (self.dimms[at], drives),
        )

    def listed(self, at: IntArray) -> tuple[Columns, IntArray]:
        """List the configurations of some groups, in order, and the place of each among all."""
        counts = self.most[at]
        of = np.repeat(at, counts)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        number = np.arange(len(of)) - starts + 1
        columns = built(
            self.wanted,
            self.sold,
            (
                self.machines[of],
                self.chassis[of],
                self.dimm[of],
                self.dimms[of],
                self.drive[of],
                number,
            ),
        )
        return columns, self.first[of] + number - 1


def configurations_in_all(wanted: Wanted, sold: Sold) -> int:
    """Count the configurations of servers built from parts without listing them.

    Parameters
    ----------
    wanted : Wanted
    sold : Sold
    """
    of_one = sum(each.rows(len(sold.dimms)) for each in populated(sold))
    return of_one * (wanted.max_machines - wanted.replicas + 1)


def groups(
    wanted: Wanted,
    sold: Sold,
    allowed: tuple[Bools, Bools, Bools],
    curve: Curve,
    *,
    peak: float | None,
    most_busy: float,
    devices: tuple[Device | None, Device | None],
) -> Groups:
    """Bound every group of servers built from parts.

    The I/O time of a configuration depends on its machines, its RAM and its kind of drive: not on how many drives
    there are. What it costs rises with these, so it is at least what the fewest cost that hold the data and, where
    the rate is known, are at most as busy as is allowed.

    Parameters
    ----------
    wanted : Wanted
    sold : Sold
    allowed : tuple of bool array
        Which chassis, memory modules and drives may be bought.
    curve : Curve
        Of one machine of production where it was scaled.
    peak : float or None
        Accesses of the busiest hour that all machines serve together; None where unknown. [1/s]
    most_busy : float
        Largest share of the time for which a device may be busy. [1]
    devices : tuple of Device or None
        Flash and disk whose times stand in for those that no source states.

    Returns
    -------
    Groups
    """
    of_one = _of_one(sold)
    kept = np.flatnonzero(
        allowed[0][of_one[0]] & allowed[1][of_one[1]] & allowed[2][of_one[3]]
    )
    counts = np.arange(wanted.replicas, wanted.max_machines + 1)
    per_machine = int(of_one[4].sum())
    first = np.cumsum(of_one[4]) - of_one[4]
    chassis, dimm, dimms, drive, most = (
        np.tile(each[kept], len(counts)) for each in of_one
    )
    machines = np.repeat(counts, len(kept))
    gib = np.asarray([float(each.part.capacity or 0) for each in sold.dimms])
    ram_gib = np.asarray(gib[dimm] * dimms, dtype=np.float64)
    usable = np.maximum(ram_gib - float(wanted.reserved_gib), 0.0) * GIB
    share = machines / (1 if curve.scaled is None else curve.scaled.production.machines)
    ram_pages = np.floor(usable / curve.page_bytes) * share
    io_us, reads = _served(curve, sold, devices, (ram_pages, drive))
    needed = _fewest(wanted, sold, machines, drive)
    if peak is not None:
        one = np.ones(len(machines), dtype=np.int64)
        busy = busy_share(io_us, peak / machines, one) / most_busy * BELOW
        needed = np.maximum(needed, np.ceil(np.nan_to_num(busy)))
    able = (
        np.isfinite(io_us)
        & (needed <= most)
        & (usable >= wanted.page_bytes)
        & ~_unpriced(sold.chassis)[chassis]
        & ~_unpriced(sold.dimms)[dimm]
        & ~_unpriced(sold.drives)[drive]
    )
    drives = np.minimum(needed, most).astype(np.int64)
    return Groups(
        wanted,
        sold,
        *(machines, chassis, dimm, dimms, drive, most),
        first=np.tile(first[kept], len(counts))
        + (machines - wanted.replicas) * per_machine,
        ram_gib=ram_gib,
        fewest=drives,
        least_cents=_cents(
            wanted, sold, machines, (chassis, dimm, drive), (dimms, drives)
        ),
        io_us=io_us,
        ram_pages=ram_pages,
        reads=reads,
        able=able,
    )


def _of_one(sold: Sold) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Chassis, memory module, modules, drive and most drives of each group of one number of machines."""
    parts = []
    for each in populated(sold):
        axes = np.meshgrid(
            np.arange(len(sold.dimms)),
            np.asarray(each.modules),
            np.asarray(each.drives),
            indexing="ij",
        )
        dimm, dimms, drive = (axis.ravel() for axis in axes)
        chassis, most = (np.full(len(dimm), one) for one in (each.chassis, each.most))
        parts.append((chassis, dimm, dimms, drive, most))
    empty = np.empty(0, dtype=np.int64)
    chassis, dimm, dimms, drive, most = (
        np.concatenate([empty, *(part[at] for part in parts)]) for at in range(5)
    )
    return chassis, dimm, dimms, drive, most


def _served(
    curve: Curve,
    sold: Sold,
    devices: tuple[Device | None, Device | None],
    of: tuple[FloatArray, IntArray],
) -> tuple[FloatArray, FloatArray]:
    """I/O time of an access, and its reads. [µs], [1]"""
    ram, drive = of
    done = operations(curve, ram, np.zeros(len(ram)), (NO_FLASH,))[NO_FLASH]
    times = np.asarray(
        [
            [np.nan if time is None else time for time in both]
            for both in drive_times(sold, curve.page_bytes, *devices)
        ]
    ).reshape(len(sold.drives), 2)
    io_us = done.busy_us("disk", times[drive, 0], times[drive, 1])
    return io_us, done.per_access["disk", "read"]


def _fewest(
    wanted: Wanted, sold: Sold, machines: IntArray, drive: IntArray
) -> FloatArray:
    """Fewest drives of a machine that can hold its data, at least 1."""
    held = np.asarray([float(each.part.capacity_bytes or 0) for each in sold.drives])
    whole = np.zeros(wanted.max_machines + 1)
    for each, data in wanted.machine_bytes.items():
        whole[each] = data
    with np.errstate(divide="ignore"):
        needed = np.ceil(whole[machines] / held[drive] * BELOW)
    return np.asarray(np.maximum(needed, 1.0))


def _unpriced(items: tuple[PartItem, ...]) -> Bools:
    return np.asarray([each.price is None for each in items], dtype=np.bool_)


def _cents(
    wanted: Wanted,
    sold: Sold,
    machines: IntArray,
    parts: tuple[IntArray, IntArray, IntArray],
    counts: tuple[IntArray, IntArray],
) -> IntArray:
    """Sum what a group costs at least with so many drives; of electricity somewhat less. [cent/month]"""
    found = np.zeros(len(machines), dtype=np.int64)
    watts = np.zeros(len(machines))
    one = np.ones(len(machines), dtype=np.int64)
    for items, index, each in zip(
        (sold.chassis, sold.dimms, sold.drives), parts, (one, *counts), strict=True
    ):
        line = np.zeros(len(machines), dtype=np.int64)
        for at, item in enumerate(items):
            [rows] = np.nonzero(index == at)
            usd = None if item.price is None else item.price.usd
            line[rows] = line_cents(usd, each[rows] * machines[rows])
            watts[rows] += float(item.part.active_power_w or 0) * each[rows]
        found += month_cents(line, wanted.horizon_months)
    if wanted.usd_per_kwh is not None:
        if wanted.watts is not None:
            watts = np.full(len(machines), float(wanted.watts))
        scale = float(wanted.usd_per_kwh * wanted.pue * HOURS_PER_MONTH / WATTS_PER_KW)
        rent = np.floor(watts * machines * scale * 100 * BELOW) - 1
        found += np.maximum(rent, 0).astype(np.int64)
    return found
