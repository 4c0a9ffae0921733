"""Options of what is sold as a whole: instances, instances with volumes, servers built from parts."""

from __future__ import annotations

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import (
    CHOICES,
    RENTED,
    SOURCES,
    IntArray,
    Options,
    joined,
    life_years,
    month_cents,
    peak_busy,
)
from tierwright.evaluate.configurations.columns import Columns
from tierwright.evaluate.configurations.times import store_times, times_of
from tierwright.evaluate.configurations.wanted import KINDS
from tierwright.evaluate.endurance.outlook import write_budget
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.parts import Part
from tierwright.profile.curve import Curve

_KIND_OF_SOURCE = np.asarray([SOURCES.index(kind) for kind in KINDS])
_RENTED = [SOURCES.index(kind) for kind in RENTED]
WEARS = frozenset({"nvme", "sata_ssd"})
"""Kinds of parts that writes use up."""


def bought(
    columns: Columns,
    curve: Curve,
    rates: tuple[float | None, float | None],
    devices: tuple[Device | None, Device | None],
    growth_per_year: float = 0.0,
) -> Options:
    """Make an option of every configuration and every scheme that it can run.

    A configuration with local disks before its volumes has one row a scheme; any other has `none` alone.

    Parameters
    ----------
    columns : Columns
        From `enumerate_configurations`.
    curve : Curve
        Of one machine of production where it was scaled.
    rates : tuple of float or None
        Mean, and of the busiest hour, of all machines together. [1/s]
    devices : tuple of Device or None
        Flash and disk whose times stand in for those that no source states.
    growth_per_year : float
        Of the load, by which flash is worn. [1/year]

    Returns
    -------
    Options
    """
    of_one = 1 if curve.scaled is None else curve.scaled.production.machines
    page = curve.page_bytes
    share = columns.machines.astype(np.float64) / of_one
    ram = np.floor(columns.usable_ram_bytes / page) * share
    cache = np.floor(columns.flash_bytes / page) * share
    [with_cache] = np.nonzero(cache > 0)
    every = np.arange(len(columns), dtype=np.int64)
    parts = []
    for names, rows, flash_pages in (
        ((NO_FLASH,), every, np.zeros(len(columns))),
        (
            tuple(name for name in CHOICES if name != NO_FLASH),
            with_cache,
            cache[with_cache],
        ),
    ):
        if not len(rows):
            continue
        counted = operations(curve, ram[rows], flash_pages, names)
        parts += [
            _options(
                columns,
                curve,
                rates,
                devices,
                name,
                done,
                rows,
                (ram[rows], flash_pages),
                growth_per_year,
            )
            for name, done in counted.items()
        ]
    return joined(parts)


def _options(
    columns: Columns,
    curve: Curve,
    rates: tuple[float | None, float | None],
    devices: tuple[Device | None, Device | None],
    scheme: str,
    done: Operations,
    rows: IntArray,
    pages: tuple[FloatArray, FloatArray],
    growth_per_year: float,
) -> Options:
    some = columns.rows(rows)
    page = curve.page_bytes
    machines = some.machines.astype(np.int64)
    store = store_times(some, page, *devices)
    flash = times_of(some.sold.local_times, devices[0], page, some.server)
    store_us = done.busy_us("disk", *store)
    flash_us = done.busy_us("flash", *flash)
    uses_flash = scheme != NO_FLASH
    mean, peak = (None if rate is None else rate / machines for rate in rates)
    store_devices = some.store_devices.astype(np.int64)
    flash_devices = some.flash_devices.astype(np.int64) * uses_flash
    return Options(
        source=_KIND_OF_SOURCE[some.kind],
        row=rows,
        scheme=np.full(len(rows), CHOICES.index(scheme)),
        machines=machines,
        ram_bytes=some.ram_gib * 2**30 * machines,
        flash_bytes=some.flash_bytes * machines * uses_flash,
        ram_pages=pages[0],
        flash_pages=pages[1],
        month_cents=some.rent_cents + _spread(some),
        purchase_cents=some.purchase_cents,
        store_us=store_us,
        flash_us=flash_us,
        store_read_us=store[0],
        flash_read_us=flash[0] if uses_flash else np.full(len(rows), np.nan),
        store_devices=store_devices,
        flash_devices=flash_devices,
        store_reads=np.broadcast_to(done.per_access["disk", "read"], len(rows)),
        flash_reads=np.broadcast_to(done.per_access["flash", "read"], len(rows)),
        peak_busy=peak_busy((store_us, store_devices), (flash_us, flash_devices), peak),
        life_years=_life(some, done, mean, page, store_devices, growth_per_year),
        unpriced=some.lacks.astype(np.int64),
        broken=some.broken.astype(np.int64),
        is_rented=np.isin(_KIND_OF_SOURCE[some.kind], _RENTED),
    )


def _spread(columns: Columns) -> IntArray:
    """Purchases of each row over the horizon, each line rounded to the cent by itself. [cent/month]"""
    months = columns.wanted.horizon_months
    lines = [month_cents(line, months) for line in columns.purchase_lines()]
    return np.asarray(np.sum(lines, axis=0))


def _life(
    columns: Columns,
    done: Operations,
    mean: FloatArray | None,
    page_bytes: int,
    devices: IntArray,
    growth_per_year: float,
) -> FloatArray:
    """Life of drives that are bought; infinite for what the provider replaces. [year]"""
    years = np.full(len(columns), np.inf)
    [own] = np.nonzero(columns.drive >= 0)
    if not len(own):
        return years
    budgets = np.asarray([part_budget_tb(item.part) for item in columns.sold.drives])[
        columns.drive[own]
    ]
    written = np.broadcast_to(done.wears("disk"), len(columns))[own]
    rate = None if mean is None else mean[own]
    years[own] = life_years(
        written, rate, page_bytes, budgets * devices[own], growth_per_year
    )
    return years


def part_budget_tb(part: Part) -> float:
    """Host writes that a drive of a server takes over its life; infinite where writes do not wear it, NaN if unknown. [TB]"""
    if part.kind not in WEARS:
        return np.inf
    return _budget_tb(catalog.device(part.device) if part.device else None)


def _budget_tb(device: Device | None) -> float:
    if device is None:
        return np.nan
    found = write_budget(device).in_place_tb
    return np.nan if found is None else found


def budget_tb(device: Device) -> float:
    """Host writes that a device takes over its life; infinite where writes do not wear it, NaN if unknown. [TB]"""
    return _budget_tb(device) if device.kind in WEARS else np.inf
