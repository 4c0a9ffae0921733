"""Busy times that are latencies, and the least they can be where a device serves requests side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from tierwright.hardware.device import RUNNING, Device, Measurement, Operation
from tierwright.hardware.service_time import US_PER_S, service_time

ONE_AT_A_TIME = frozenset({"hdd"})
"""Kinds of devices that serve one request at a time: the latency of one is how long it is busy."""


def rests_on_latency(device: Device, operation: Operation, page_bytes: int) -> bool:
    """Return whether a latency stands for the busy time of a device that may serve requests side by side.

    What was measured on the running system is said of it, and is none.

    Parameters
    ----------
    device : Device
    operation : str
        `read` or `write`.
    page_bytes : int
        Size of the access, at least 1. [bytes]

    Raises
    ------
    BadInput
        If the size is not at least 1.
    """
    if device.sold_as == RUNNING or device.kind in ONE_AT_A_TIME:
        return False
    return service_time(device, operation, page_bytes).rule == "latency"


def side_by_side(
    device: Device, operations: Iterable[Operation], page_bytes: int
) -> Device | None:
    """Return a device whose requests wait for none of the others: what it transfers alone takes time.

    ``min(latency, bytes / sequential rate)``, and no less than its part of what an instance sustains.

    Parameters
    ----------
    device : Device
    operations : iterable of str
        Those whose busy time is a latency.
    page_bytes : int
        Size of the access, at least 1. [bytes]

    Returns
    -------
    Device or None
        With these rates at this size; None where no sequential rate of one of them is stated, which alone bounds it.

    Raises
    ------
    BadInput
        If the size is not at least 1.
    """
    rates = []
    for operation in operations:
        moved = service_time(
            device, operation, page_bytes, pattern="sequential"
        ).time_us
        if moved is None:
            return None
        latency = service_time(device, operation, page_bytes).time_us
        time = moved if latency is None else min(latency, moved)
        rates.append(
            Measurement(
                operation,
                page_bytes,
                Decimal(repr(US_PER_S / time)),
                "side by side, at the sequential rate",
                device.queue_depth,
            )
        )
    return replace(device, measurements=(*device.measurements, *rates))
