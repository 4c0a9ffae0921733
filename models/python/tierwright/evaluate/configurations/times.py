"""How fast each configuration is: I/O time per access of its best page-flow scheme, and how busy its devices are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.configurations.columns import Columns, IntArray, Whole
from tierwright.evaluate.configurations.sold import Sold, Times
from tierwright.evaluate.page_flow.decision import TIE_TOLERANCE
from tierwright.evaluate.page_flow.load import US_PER_S
from tierwright.evaluate.page_flow.operations import operations
from tierwright.evaluate.page_flow.schemes import NO_FLASH, OWN_FORMULA, TIE_ORDER
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import io_units, service_us, sustained_us
from tierwright.profile.curve import Curve

CHOICES = tuple(name for name in TIE_ORDER if name in OWN_FORMULA)
"""Schemes among which the best is chosen; among equals the first."""


@dataclass(frozen=True, slots=True)
class Speeds:
    """How fast each row of `Columns` is; arrays of its length, NaN where a busy time is unknown.

    Attributes
    ----------
    scheme : int64 array
        Index of `CHOICES`: of least I/O time; `none` without a cache before the store.
    io_time_us : float64 array
        Busy time of one device of each tier, per access. [µs]
    store_us, flash_us : float64 array
        Its parts: of what holds the data, of the cache before it. [µs]
    ram_pages, flash_pages : float64 array
        Sizes at which the curve was read: of one machine as the curve counts them. [pages]
    borrowed : bool array
        Whether no source states the rates of one of its devices, and those of a named device are used.
    """

    scheme: IntArray
    io_time_us: FloatArray
    store_us: FloatArray
    flash_us: FloatArray
    ram_pages: FloatArray
    flash_pages: FloatArray
    borrowed: NDArray[np.bool_]


def speeds(
    columns: Columns,
    curve: Curve,
    *,
    flash: Device | None = None,
    disk: Device | None = None,
) -> Speeds:
    """Evaluate the page-flow schemes of every configuration on one curve.

    ``io = sum of operations of a term x busy time of one device``: the formulas C0 to C3 at sizes ``n / n0`` times
    those of a machine, where the curve is of one of n0 machines (see docs/models/scale.md, Machines and copies).
    Operations depend on sizes alone, so they are counted once for each size, and multiplied by the times of each row.

    Parameters
    ----------
    columns : Columns
        Configurations.
    curve : Curve
        Misses and write-backs by LRU size, of one machine of production where it was scaled.
    flash : Device, optional
        For drives and local disks of flash of which no source states the rates.
    disk : Device, optional
        For hard disks and volumes of which no source states the rates.

    Returns
    -------
    Speeds

    Raises
    ------
    BadInput
        If the workload has no accesses, or a device that was named states no busy time.
    """
    if curve.accesses == 0:
        raise BadInput("the workload has no accesses", "profile a trace with data")
    of_one = 1 if curve.scaled is None else curve.scaled.production.machines
    share = columns.machines.astype(np.float64) / of_one
    page = curve.page_bytes
    ram = np.floor(columns.usable_ram_bytes / page) * share
    cache = np.floor(columns.flash_bytes / page) * share
    store_read, store_write = store_times(columns, page, flash, disk)
    flash_read, flash_write = times_of(
        columns.sold.local_times, flash, page, columns.server
    )
    scheme = np.zeros(len(columns), dtype=np.int64)
    store_us = np.zeros(len(columns))
    flash_us = np.zeros(len(columns))
    for cached in (False, True):
        [rows] = np.nonzero((cache > 0) == cached)
        if not len(rows):
            continue
        found = _best(
            curve,
            (ram[rows], cache[rows]),
            {
                ("disk", "read"): store_read[rows],
                ("disk", "write"): store_write[rows],
                ("flash", "read"): flash_read[rows],
                ("flash", "write"): flash_write[rows],
            },
            CHOICES if cached else (NO_FLASH,),
        )
        scheme[rows], store_us[rows], flash_us[rows] = found
    io_us = store_us + flash_us
    unknown = [
        np.isnan(read) | np.isnan(write)
        for read, write in (
            store_times(columns, page, None, None),
            _rows(columns.sold.local_times, columns.server),
        )
    ]
    borrowed = (unknown[0] & (store_us > 0)) | (unknown[1] & (flash_us > 0))
    borrowed &= flash is not None or disk is not None
    return Speeds(scheme, io_us, store_us, flash_us, ram, cache, borrowed)


def busy(
    columns: Columns, found: Speeds, accesses_per_s: float
) -> tuple[FloatArray, FloatArray]:
    """Share of the time for which each device of a tier is busy, U = X S / m.

    Parameters
    ----------
    columns, found
        Configurations and their speeds.
    accesses_per_s : float
        X that all machines serve together, spread evenly over them. [1/s]

    Returns
    -------
    tuple of float64 array
        Of what holds the data, and of the cache before it; above 1 it cannot keep up. [1]
    """
    each = accesses_per_s / US_PER_S / columns.machines.astype(np.float64)
    store, flash = (
        busy_us * each / np.maximum(devices.astype(np.float64), 1.0)
        for busy_us, devices in (
            (found.store_us, columns.store_devices),
            (found.flash_us, columns.flash_devices),
        )
    )
    return np.asarray(store), np.asarray(flash)


def _best(
    curve: Curve,
    sizes: tuple[FloatArray, FloatArray],
    times: dict[tuple[str, str], FloatArray],
    choices: Sequence[str],
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Scheme of least I/O time of each row, and its busy times of store and flash. [µs]"""
    counted = operations(curve, *sizes, choices)
    busy_us = {
        device: [
            counted[name].busy_us(device, times[device, "read"], times[device, "write"])
            for name in choices
        ]
        for device in ("disk", "flash")
    }
    store, flash = (np.stack(busy_us[device]) for device in ("disk", "flash"))
    # A scheme of unknown time cannot be the best of those known; where all are unknown, so is the row.
    cost = store + flash
    known = np.where(np.isnan(cost), np.inf, cost)
    least = known.min(axis=0)
    best = np.argmax(known <= least * (1 + TIE_TOLERANCE), axis=0)
    rows = np.arange(len(best))
    of_choice = np.asarray([CHOICES.index(name) for name in choices], dtype=np.int64)
    return of_choice[best], store[best, rows], flash[best, rows]


def store_times(
    columns: Columns, page_bytes: int, flash: Device | None, disk: Device | None
) -> tuple[FloatArray, FloatArray]:
    """Busy times of one device of what holds the data, of a volume at most at its part of what its instance sustains. [µs]"""
    drives = drive_times(columns.sold, page_bytes, flash, disk)
    volumes = _or(tuple(each.times for each in columns.options), disk, page_bytes)
    local = _or(columns.sold.local_times, flash, page_bytes)
    on_drives, on_volumes = columns.drive >= 0, columns.volume >= 0
    of_drives, of_volumes, of_local = (
        _rows(drives, columns.drive),
        _rows(volumes, columns.volume),
        _rows(local, columns.server),
    )
    least = _behind_instance_us(columns, page_bytes)
    read, write = (
        np.where(
            on_drives,
            drive,
            np.where(on_volumes, np.maximum(volume, least), disk_of),
        )
        for drive, volume, disk_of in zip(of_drives, of_volumes, of_local, strict=True)
    )
    return read, write


def _behind_instance_us(columns: Columns, page_bytes: int) -> FloatArray:
    """Least busy time of one volume of each row, by what its instance sustains; 0 where it has none. [µs]"""
    found = np.zeros(len(columns))
    [rows] = np.nonzero(columns.volume >= 0)
    if not len(rows):
        return found
    iops, mb_per_s = (
        np.asarray(
            [
                np.inf if (limit := getattr(each, name)) is None else float(limit)
                for each in columns.sold.servers
            ]
        )[columns.server[rows]]
        for name in ("block_storage_iops", "block_storage_bandwidth_mb_per_s")
    )
    units = np.asarray(
        [
            io_units(page_bytes, each.item.volume.io_unit_bytes)
            for each in columns.options
        ]
    )
    found[rows] = sustained_us(
        columns.store_devices[rows].astype(np.float64),
        iops,
        mb_per_s,
        units=units[columns.volume[rows]],
        page_bytes=page_bytes,
    )
    return found


def drive_times(
    sold: Sold, page_bytes: int, flash: Device | None, disk: Device | None
) -> tuple[Times, ...]:
    """Busy times of every drive of a server, those of a device for what is unknown. [µs]"""
    return tuple(
        _or((times,), disk if item.part.kind == "hdd" else flash, page_bytes)[0]
        for times, item in zip(sold.drive_times, sold.drives, strict=True)
    )


def times_of(
    known: Sequence[Times], device: Device | None, page_bytes: int, index: Whole
) -> tuple[FloatArray, FloatArray]:
    """Busy times of the rows, those of a device for what is unknown; NaN where a row has none. [µs]"""
    return _rows(_or(known, device, page_bytes), index)


def _or(
    known: Sequence[Times], device: Device | None, page_bytes: int
) -> tuple[Times, ...]:
    """Busy times, those of a device for what is unknown."""
    if device is None:
        return tuple(known)
    read, write = (service_us(device, each, page_bytes) for each in ("read", "write"))
    if read is None or write is None:
        raise BadInput(
            f"configurations: `{device.id}` states no busy time of a page",
            "choose a device with IOPS or a latency",
        )
    return tuple(
        (read if one is None else one, write if other is None else other)
        for one, other in known
    )


def _rows(times: Sequence[Times], index: Whole) -> tuple[FloatArray, FloatArray]:
    """Spread times over rows; NaN where they are unknown or the row has none."""
    table = np.asarray(
        [
            [np.nan, np.nan],
            *[[np.nan if t is None else t for t in two] for two in times],
        ]
    )
    return table[index + 1, 0], table[index + 1, 1]
