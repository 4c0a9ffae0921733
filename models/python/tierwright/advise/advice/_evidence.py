"""Where an option stands on the pages of single questions: one machine, its sizes, devices and load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tierwright.advise.advice.found import Point
from tierwright.evaluate.advice.rows import CHOICES, Options
from tierwright.evaluate.configurations.sold import (
    LOCAL_DISK,
    disk_id,
    disk_of_server,
)
from tierwright.hardware import catalog
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.servers import OF_SERVER
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve

Devices = tuple[Device | None, Device | None]
"""What caches, and what holds the data."""


def point(
    options: Options,
    at: int,
    *,
    devices: Devices,
    stated: Sequence[Device],
    curve: Curve,
    rates: tuple[float | None, float | None],
    growth_per_year: float = 0.0,
) -> Point | None:
    """Return where other questions are asked for an option, so that they answer with its figures.

    The curve is that of one machine of the workload: the sizes are those at which it misses what the option misses, which
    are those of all its machines together where the workload is of one. Devices and load are those of one machine.

    Parameters
    ----------
    options : Options
    at : int
        Which of them.
    devices : tuple of Device or None
        What caches, and what holds the data.
    stated : sequence of Device
        Those that the question states, such as the user's own: other questions take them as they are.
    curve : Curve
        Of the workload.
    rates : tuple of float or None
        That all machines serve together, on average and in the busiest hour. [1/s]
    growth_per_year : float
        Of the load, by which flash is worn. [1/year]

    Returns
    -------
    Point or None
        None where a question cannot be asked with its devices: a volume has the rates that it is rented with, a device may
        lack a time that every comparison of page flows needs, also where the option asks nothing of it, and figures may be
        unknown.
    """
    uses_flash = float(options.flash_pages[at]) > 0
    flash, store = (
        None if each is None else _known_as(each, stated, curve.page_bytes)
        for each in devices
    )
    io_us = float(options.store_us[at] + options.flash_us[at])
    if store is None or (uses_flash and flash is None) or not math.isfinite(io_us):
        return None
    machines = int(options.machines[at])
    mean, peak = (None if rate is None else rate / machines for rate in rates)
    return Point(
        ram_pages=round(float(options.ram_pages[at])),
        flash_pages=round(float(options.flash_pages[at])) if uses_flash else 0,
        flash_device=flash if uses_flash else None,
        disk_device=store,
        flash_devices=int(options.flash_devices[at]) if uses_flash else 0,
        disks=int(options.store_devices[at]),
        machines=machines,
        curve_machines=1 if curve.scaled is None else curve.scaled.production.machines,
        accesses_per_s=mean,
        peak_accesses_per_s=peak,
        scheme=str(CHOICES[options.scheme[at]]),
        io_time_us_per_access=io_us,
        growth_per_year=growth_per_year,
    )


def _known_as(device: Device, stated: Sequence[Device], page_bytes: int) -> str | None:
    """Id under which other questions know a device with the same figures and all that they need; None where none does."""
    if any(service_us(device, each, page_bytes) is None for each in OPERATIONS):
        return None
    name = local = device.id
    if name.endswith(LOCAL_DISK):
        local = disk_id(name.removesuffix(LOCAL_DISK))
    known = catalog.devices().get(name), disk_of_server(local)
    shipped = [each for each in known if each is not None]
    if not shipped:
        # Nobody has a device of its own under the name of that of an instance.
        own = device in stated and not name.startswith(OF_SERVER)
        return name if own else None
    return next((each.id for each in shipped if _is_as_fast(device, each)), None)


def _is_as_fast(device: Device, shipped: Device) -> bool:
    """Whether a device has the figures of a shipped one; its size may be stated where that states none."""
    figures = dict(device.figures)
    if "capacity" not in shipped.figures:
        figures.pop("capacity", None)
    return device is shipped or shipped == replace(
        device,
        id=shipped.id,
        name=shipped.name,
        figures=figures,
        notes=shipped.notes,
        sold_as=shipped.sold_as,
    )
