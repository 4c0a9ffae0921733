"""Where an option stands on the pages of single questions: one machine, its sizes, devices and load."""

from __future__ import annotations

import math

from tierwright.advise.advice.found import Point
from tierwright.evaluate.advice.rows import CHOICES, Options
from tierwright.evaluate.configurations.columns import Columns
from tierwright.evaluate.configurations.sold import disk_id
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

Devices = tuple[Device | None, Device | None]
"""What caches, and what holds the data."""


def point(
    options: Options,
    at: int,
    *,
    devices: Devices,
    columns: Columns | None,
    curve: Curve,
    rates: tuple[float | None, float | None],
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
    columns : Columns or None
        Of the options that are sold as a whole; None of others.
    curve : Curve
        Of the workload.
    rates : tuple of float or None
        That all machines serve together, on average and in the busiest hour. [1/s]

    Returns
    -------
    Point or None
        None where a question cannot be asked with its devices: a volume has the rates that it is rented with, and
        figures may be unknown.
    """
    flash, store = _ids(devices, columns, int(options.row[at]))
    uses_flash = float(options.flash_pages[at]) > 0
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
    )


def _ids(
    devices: Devices, columns: Columns | None, row: int
) -> tuple[str | None, str | None]:
    """Ids under which other questions know two devices; None of a volume, and of what has no figures."""
    flash, store = (None if each is None else each.id for each in devices)
    if columns is None or columns.server[row] < 0:
        return flash, store
    server = columns.sold.servers[columns.server[row]].id
    # What stands in for a disk without figures is a device of the catalogue.
    own = {f"{server}-local": disk_id(server)}
    volume = int(columns.volume[row])
    if volume >= 0 and store == columns.options[volume].item.volume.id:
        store = None
    return own.get(flash or "", flash), own.get(store or "", store)
