"""Which questions a device can answer, computed from the figures that it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.rated_endurance import rated_endurance
from tierwright.hardware.service_time import service_us, stated_page_bytes

Capability = Literal["io_times", "life", "refill"]


def _io_times(device: Device) -> bool:
    return not any("service time" in lacking for lacking in missing_figures(device))


def _life(device: Device) -> bool:
    return rated_endurance(device, assume=True).tb_written is not None


def _refill(device: Device) -> bool:
    return {"sequential_read_mb_per_s", "sequential_write_mb_per_s"} <= set(
        device.figures
    )


def missing_figures(device: Device) -> tuple[str, ...]:
    """Return what an evaluation would need and the device does not state.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> missing_figures(catalog.device("wd-ultrastar-hc310"))
    ('price',)
    """
    lacking = []
    if device.kind != "dram":
        page = stated_page_bytes(device)
        lacking += [
            f"{operation} service time"
            for operation in OPERATIONS
            if service_us(device, operation, page) is None
        ]
    if "unit_price" not in device.figures and "unit_rent" not in device.figures:
        lacking.append("price")
    return tuple(lacking)


CAPABILITIES: Mapping[Capability, tuple[str, Callable[[Device], bool]]] = {
    "io_times": ("I/O times: comparison, map, throughput, DRAM or flash", _io_times),
    "life": ("how long it lasts: stated endurance, or the labelled assumption", _life),
    "refill": ("how long it takes to fill: sequential rates", _refill),
}
"""Every capability: the questions that need it, and whether a device has it."""


def capabilities(device: Device) -> tuple[Capability, ...]:
    """Questions that the figures of a device suffice for.

    Parameters
    ----------
    device : Device
        With its figures.

    Returns
    -------
    tuple of str
        Keys of `CAPABILITIES`.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> capabilities(catalog.device("wd-ultrastar-hc310"))
    ('io_times',)
    """
    return tuple(name for name, (_, has) in CAPABILITIES.items() if has(device))
