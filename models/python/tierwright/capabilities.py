"""Which questions a device can answer, computed from the figures that it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from tierwright.device import Device
from tierwright.endurance import rated_endurance

Capability = Literal["io_times", "life", "refill"]


def _io_times(device: Device) -> bool:
    return not any("service time" in lacking for lacking in device.missing)


def _life(device: Device) -> bool:
    return rated_endurance(device, assume=True).tb_written is not None


def _refill(device: Device) -> bool:
    return {"sequential_read_mb_per_s", "sequential_write_mb_per_s"} <= set(
        device.figures
    )


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
    >>> from tierwright import catalog
    >>> capabilities(catalog.device("wd-ultrastar-hc310"))
    ('io_times',)
    """
    return tuple(name for name, (_, has) in CAPABILITIES.items() if has(device))
