"""Busy time of a device for one access: what page size, operation, pattern and depth make of its figures.

The one place where a figure of a device becomes a time of the models. Three times are kept
apart: 1/IOPS (a throughput cost, what the models use as busy time), the latency of a request
(what a client waits for when nobody else does), and the time of a sequential transfer.

Source: derived. The roofline is that of Williams, Waterman and Patterson (CACM 52(4), 2009),
with operations a second in place of arithmetic; positioning of a disk: Ruemmler and Wilkes (IEEE
Computer 27(3), 1994).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import counted
from tierwright.hardware.device import (
    OPERATIONS,
    RUNNING,
    Device,
    Operation,
    Sustained,
)

if TYPE_CHECKING:
    from tierwright.common.arrays import FloatArray

Pattern = Literal["random", "sequential"]

US_PER_S = 1e6
US_PER_MS = 1e3
CUSTOMARY_TRANSFER_BYTES = 4096
"""Transfer size of IOPS whose source states none. [bytes]"""
FASTEST_DISK_US = 4900
"""Seek and half a rotation of the fastest hard disk known (15,000 rpm: 2.9 + 2.0 ms). [µs]"""
DISKS = frozenset({"hdd", "hdd_array"})
VOLUMES = frozenset({"cloud_block", "cloud_disk"})
PATTERNS: tuple[Pattern, ...] = ("random", "sequential")

RULES: Mapping[str, str] = {
    "own_figure": "stated at this page size",
    "interpolated": "between two measured sizes",
    "one_transfer": "one transfer of the stated size",
    "roofline": "the larger of 1/IOPS and bytes / sequential rate",
    "scaled_by_bytes": "1/IOPS scaled by bytes, at least bytes / sequential rate",
    "positioning_and_transfer": "positioning + bytes / sequential rate",
    "io_units": "the larger of I/O units / IOPS and bytes / throughput",
    "requests": "1/IOPS, at least bytes / sequential rate",
    "chip_pages": "whole pages of the chip",
    "latency": "a latency is used as the busy time",
    "single_request": "one request, nothing else in flight",
    "sequential": "bytes / sequential rate",
    "instance": "an equal part of what the instance sustains to its volumes",
    "missing": "not stated",
}
"""Every rule by which a time is found: name and what it says."""


@dataclass(frozen=True, slots=True)
class ServiceTime:
    """Busy time of a device for one access.

    Attributes
    ----------
    time_us : float or None
        None where the device does not state what the rule needs. [µs]
    rule : str
        Key of `RULES`.
    low_us, high_us : float or None
        What the time may be as well, where it is carried over from another transfer size;
        both equal it where it is stated. [µs]
    basis : str
        The rule with the figures put in; what is assumed is named.
    page_bytes : int
        Size of the access. [bytes]
    """

    time_us: float | None
    rule: str
    low_us: float | None
    high_us: float | None
    basis: str
    page_bytes: int

    @property
    def is_bounded(self) -> bool:
        """Whether the time could be another one: the bounds differ."""
        if self.low_us is None or self.high_us is None:
            return False
        return self.low_us < self.high_us


@dataclass(frozen=True, slots=True)
class _Point:
    """Time of an access of a stated size."""

    size: int
    time_us: float
    text: str
    stated: bool = True
    measured: bool = False


def service_time(
    device: Device,
    operation: Operation,
    page_bytes: int,
    *,
    pattern: Pattern = "random",
    queue_depth: int | None = None,
) -> ServiceTime:
    """Busy time of a device for one access of a size.

    Flash reads: max(1/IOPS, bytes / sequential rate). Flash writes: bytes / stated size / IOPS,
    at least bytes / sequential rate. Disks: positioning + bytes / sequential rate. Rented
    volumes: max(ceil(bytes / I/O unit) / IOPS, bytes / throughput). Between measured sizes the
    time is interpolated; a figure at the size itself goes before every rule. A volume behind an
    instance takes at least its part of what that sustains, unless nothing else is in flight.

    Parameters
    ----------
    device : Device
        With its figures.
    operation : str
        `read` or `write`.
    page_bytes : int
        Size of the access, at least 1. [bytes]
    pattern : str
        `random` or `sequential`.
    queue_depth : int, optional
        1 asks for a request that nothing else waits beside; unless given, the depth that the
        IOPS are rated at. [1]

    Returns
    -------
    ServiceTime
        `time_us` is None where the device does not state what the question needs.

    Raises
    ------
    BadInput
        If the size or the depth is not at least 1.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> drive = catalog.device("samsung-pm9a3-7.68tb-u2")
    >>> read, write = (service_time(drive, each, 8192) for each in OPERATIONS)
    >>> round(read.time_us, 3), read.rule
    (1.26, 'roofline')
    >>> write.time_us, write.rule, write.low_us
    (10.0, 'scaled_by_bytes', 5.0)
    """
    for name, value in (("page_bytes", page_bytes), ("queue_depth", queue_depth)):
        if value is not None and value < 1:
            raise BadInput(
                f"service time: {name}: `{value}` must be at least 1",
                "give the size of a page in bytes, and requests in flight",
            )
    asked = ("service_time", operation, page_bytes, pattern, queue_depth)
    found = device.computed.get(asked)
    if not isinstance(found, ServiceTime):
        found = _service_time(device, operation, page_bytes, pattern, queue_depth)
        # A request alone meets no limit on how many are served a second.
        if queue_depth is None and device.sustained is not None:
            found = _behind_instance(found, device.sustained, pattern)
        device.computed[asked] = found
    return found


def sustained_us(
    volumes: FloatArray | float,
    iops: FloatArray | float,
    mb_per_s: FloatArray | float,
    *,
    units: FloatArray | float,
    page_bytes: int,
) -> FloatArray:
    """Least busy time of one of equal volumes that share what their instance sustains. [µs]

    ``max(units x volumes / iops, bytes x volumes / throughput)``: both limits hold, and each volume has an equal part.

    Parameters
    ----------
    volumes : float or array
        Equal volumes of a machine. [1]
    iops, mb_per_s : float or array
        What the instance sustains to all of them; infinite where no source states it. [1/s], [MB/s]
    units : float or array
        Operations as which an access counts. [1]
    page_bytes : int
        Size of the access. [bytes]

    Examples
    --------
    >>> round(float(sustained_us(2, 5000.0, 156.25, units=1, page_bytes=8192)), 1)
    400.0
    """
    # Quick commands read times of devices, and do without.
    import numpy as np

    return np.maximum(
        np.asarray(units * volumes) * US_PER_S / iops,
        np.asarray(page_bytes * volumes) / mb_per_s,
    )


def io_units(page_bytes: int, io_unit_bytes: Decimal | None) -> int:
    """Operations as which an access counts with its instance: as many as with the volume. [1]

    Parameters
    ----------
    page_bytes : int
        Size of the access, at least 1. [bytes]
    io_unit_bytes : Decimal or None
        Largest transfer that counts as one; None where no source states it: any does. [bytes]

    Examples
    --------
    >>> io_units(2**20, Decimal(2**18))
    4
    """
    return 1 if io_unit_bytes is None else -(-page_bytes // int(io_unit_bytes))


def _behind_instance(
    found: ServiceTime, limit: Sustained, pattern: Pattern
) -> ServiceTime:
    """Hold a time against the part of what the instance sustains."""
    if found.time_us is None or found.low_us is None or found.high_us is None:
        return found
    # Small sequential transfers are merged before they are counted.
    units = io_units(found.page_bytes, limit.io_unit_bytes)
    least = float(
        sustained_us(
            limit.volumes,
            math.inf
            if limit.iops is None or pattern == "sequential"
            else float(limit.iops),
            math.inf if limit.mb_per_s is None else float(limit.mb_per_s),
            units=units,
            page_bytes=found.page_bytes,
        )
    )
    if least <= found.time_us:
        return found
    shared = counted(limit.volumes, "volume") if limit.volumes > 1 else "the volume"
    rates = " and ".join(
        f"{_digits(float(rate))} {unit}"
        for rate, unit in ((limit.iops, "IOPS"), (limit.mb_per_s, "MB/s"))
        if rate is not None
    )
    text = f"{found.basis}; at least {_us(least)}: `{limit.instance}` sustains {rates} to {shared}"
    return replace(
        found,
        time_us=least,
        rule="instance",
        low_us=max(least, found.low_us),
        high_us=max(least, found.high_us),
        basis=text,
    )


def _service_time(
    device: Device,
    operation: Operation,
    page_bytes: int,
    pattern: Pattern,
    queue_depth: int | None,
) -> ServiceTime:
    if pattern == "sequential":
        return _sequential(device, operation, page_bytes)
    if device.kind in DISKS and queue_depth is None:
        # The rated IOPS of a disk are those of a queue that it reorders.
        alone = service_time(device, operation, page_bytes, queue_depth=1)
        if alone.time_us is not None and alone.rule != "single_request":
            return alone
    points = _points(device, operation, queue_depth)
    for point in points:
        if point.size == page_bytes and (point.measured or len(points) > 1):
            return _exact(point, page_bytes)
    if len(points) > 1 and points[0].size < page_bytes < points[-1].size:
        return _between(points, page_bytes)
    if points:
        base = points[0] if page_bytes < points[0].size else points[-1]
        return _carried(device, operation, page_bytes, base, queue_depth)
    return _without_rate(device, operation, page_bytes, queue_depth)


def service_us(device: Device, operation: Operation, page_bytes: int) -> float | None:
    """Busy time of one random access, None where it is not stated. [µs]"""
    return service_time(device, operation, page_bytes).time_us


def waiting_time(device: Device, operation: Operation, page_bytes: int) -> ServiceTime:
    """Time of one request that nothing else waits beside: what a lone client waits for.

    Shorthand of `service_time` at queue depth 1: from rates or latencies measured there, or
    seek and half a rotation. A rate at a greater depth says nothing of it.
    """
    return service_time(device, operation, page_bytes, queue_depth=1)


def service_basis(device: Device, page_bytes: int) -> str:
    """How both service times are found, in one line."""
    read, write = (service_time(device, each, page_bytes).basis for each in OPERATIONS)
    return read if read == write else f"read: {read}; write: {write}"


def stated_page_bytes(device: Device) -> int:
    """Size at which a device is shown without a workload: that of its IOPS, else 4 KiB."""
    return device.page_bytes or CUSTOMARY_TRANSFER_BYTES


def latency_page_bytes(device: Device) -> int:
    """Size of the accesses whose latency a device states."""
    return device.latency_page_bytes or stated_page_bytes(device)


def _points(
    device: Device, operation: Operation, queue_depth: int | None
) -> list[_Point]:
    """Sizes with a rate of their own at the depth asked for, by size."""
    depth = queue_depth if queue_depth is not None else device.queue_depth
    measured = [each for each in device.measurements if each.operation == operation]
    if queue_depth is None and not any(each.queue_depth == depth for each in measured):
        depths = {each.queue_depth for each in measured}
        rated = f"{operation}_iops" in device.figures
        if measured and (not rated or device.queue_depth is None):
            known = [each for each in depths if each is not None]
            depth = None if None in depths else max(known)
    found = {
        each.page_bytes: _Point(
            each.page_bytes,
            US_PER_S / float(each.iops),
            f"1/IOPS at {format_bytes(each.page_bytes)} ({_digits(float(each.iops))}/s, "
            f"{_depth_text(depth)})",
            measured=True,
        )
        for each in measured
        if each.queue_depth == depth
    }
    head = _headline(device, operation, queue_depth)
    if head is not None and (
        not found or (device.queue_depth == depth and head.stated)
    ):
        found.setdefault(head.size, head)
    return [found[size] for size in sorted(found)]


def _headline(
    device: Device, operation: Operation, queue_depth: int | None
) -> _Point | None:
    """Return the rate that the device is quoted with, as a point."""
    name, depth = f"{operation}_iops", device.queue_depth
    if queue_depth == 1:
        single = f"queue_depth_1_{operation}_iops"
        if single in device.figures:
            name, depth = single, 1
    if queue_depth is not None and depth != queue_depth:
        return None
    rate = device.number(name)
    if rate is None:
        return None
    stated = device.io_unit_bytes or device.page_bytes
    size = stated or CUSTOMARY_TRANSFER_BYTES
    at = (
        f"at {format_bytes(size)}"
        if stated
        else "of an unstated transfer size, assumed to be 4 KiB"
    )
    said = _depth_text(depth)
    if device.kind == "hdd" and depth is None and US_PER_S / rate < FASTEST_DISK_US:
        said += ", but several: no disk positions that fast"
    return _Point(
        size,
        US_PER_S / rate,
        f"1/IOPS {at} ({_digits(rate)}/s, {said})",
        stated is not None,
    )


def _depth_text(depth: int | None) -> str:
    return "queue depth unknown" if depth is None else f"queue depth {depth}"


def _exact(point: _Point, page_bytes: int) -> ServiceTime:
    text = f"{point.text}: {_us(point.time_us)}, its own figure at this size"
    time = point.time_us
    return ServiceTime(time, "own_figure", time, time, text, page_bytes)


def _between(points: Sequence[_Point], page_bytes: int) -> ServiceTime:
    at = next(i for i, point in enumerate(points) if point.size > page_bytes)
    less, more = points[at - 1], points[at]
    share = (page_bytes - less.size) / (more.size - less.size)
    time = less.time_us + share * (more.time_us - less.time_us)
    low, high = sorted((less.time_us, more.time_us))
    text = (
        f"interpolated: {_us(time)} between {_us(less.time_us)}, {less.text}, and "
        f"{_us(more.time_us)}, {more.text}"
    )
    return ServiceTime(time, "interpolated", low, high, text, page_bytes)


def _carried(
    device: Device,
    operation: Operation,
    page_bytes: int,
    base: _Point,
    queue_depth: int | None,
) -> ServiceTime:
    """Carry a rate over to another size, by the rule of the kind of device."""
    if device.kind in VOLUMES and queue_depth is None:
        return _io_units(device, operation, page_bytes, base)
    if device.kind in DISKS:
        return _positioned(device, operation, page_bytes, base)
    if queue_depth is not None:
        return _single(device, operation, page_bytes, base)
    if device.kind == "object":
        return _roofline(device, operation, page_bytes, base, "requests")
    if operation == "read":
        return _roofline(device, operation, page_bytes, base, "roofline")
    return _scaled(device, page_bytes, base)


def _rate(device: Device, operation: Operation) -> float | None:
    """Bytes a microsecond of sequential transfers: MB/s are the same number."""
    return device.number(f"sequential_{operation}_mb_per_s")


def _transfer(device: Device, operation: Operation, size: float) -> tuple[float, str]:
    """Time of the bytes at the sequential rate, 0 where it is not stated; and in words."""
    rate = _rate(device, operation)
    if rate is None:
        return 0.0, f"no sequential {operation} rate is stated"
    return size / rate, f"{format_bytes(size)} at {_digits(rate)} MB/s"


def _roofline(
    device: Device, operation: Operation, page_bytes: int, base: _Point, rule: str
) -> ServiceTime:
    size = max(page_bytes, base.size)
    moved, text = _transfer(device, operation, size)
    time = max(base.time_us, moved)
    if moved:
        text = f"{base.text}, {_us(base.time_us)}, and {text}, {_us(moved)}"
        text = f"the larger of {text}"
    else:
        text = f"{base.text}, {_us(base.time_us)}; {text}"
    most = time if rule == "requests" else max(time, base.time_us * size / base.size)
    if size == base.size:
        rule = _at_or_below(page_bytes, base, time, rule)
    return _told(time, rule, (time, most), text, page_bytes)


def _scaled(device: Device, page_bytes: int, base: _Point) -> ServiceTime:
    unit = int(device.number("indirection_unit_bytes") or 0)
    size = max(page_bytes, base.size)
    if unit:
        factor = -(-size // unit) / -(-base.size // unit)
        by = f"units of {format_bytes(unit)}"
    else:
        factor, by = size / base.size, "bytes"
    moved, text = _transfer(device, "write", size)
    scaled = base.time_us * factor
    time, least = max(scaled, moved), max(base.time_us, moved)
    said = f"{base.text}, {_us(base.time_us)}"
    if size != base.size:
        said += f", x {factor:.6g} by {by}"
    said += f", at least {text}, {_us(moved)}" if moved else f"; {text}"
    rule = "scaled_by_bytes"
    if size == base.size:
        rule = _at_or_below(page_bytes, base, time, rule)
    return _told(time, rule, (least, time), said, page_bytes)


def _at_or_below(page_bytes: int, base: _Point, time: float, otherwise: str) -> str:
    """Name the rule of a page no larger than the stated transfer."""
    if time > base.time_us:
        return otherwise
    if page_bytes < base.size:
        return "one_transfer"
    return "own_figure" if base.stated else otherwise


def _io_units(
    device: Device, operation: Operation, page_bytes: int, base: _Point
) -> ServiceTime:
    count = -(-page_bytes // base.size)
    limit, text = _transfer(device, operation, page_bytes)
    time, least = max(count * base.time_us, limit), max(base.time_us, limit)
    units = f"{count:,} I/O{'' if count == 1 else 's'}"
    if base.stated:
        least = time
        units += f" of up to {format_bytes(base.size)}"
    said = f"{units} x {base.text}, {_us(count * base.time_us)}"
    said += f"; at least {text}, {_us(limit)}" if limit else f"; {text}"
    return _told(time, "io_units", (least, time), said, page_bytes)


def _positioned(
    device: Device, operation: Operation, page_bytes: int, base: _Point
) -> ServiceTime:
    inside, _ = _transfer(device, operation, base.size)
    moved, text = _transfer(device, operation, page_bytes)
    positioning = max(base.time_us - inside, 0.0)
    said = f"{base.text}, {_us(base.time_us)}"
    if page_bytes == base.size and base.time_us >= moved:
        time, rule = base.time_us, "positioning_and_transfer"
        if base.stated:
            rule = "own_figure"
        return _told(time, rule, (time, time), f"{said}, with its transfer", page_bytes)
    time = positioning + moved if moved else base.time_us
    if moved:
        said = f"positioning {_us(positioning)} ({said}, less its transfer) + {text}, {_us(moved)}"
    else:
        said += f"; {text}"
    rule = "positioning_and_transfer"
    return _told(time, rule, (time, time), said, page_bytes)


def _single(
    device: Device, operation: Operation, page_bytes: int, base: _Point
) -> ServiceTime:
    """Time of one request alone: what it is stated as, and its further bytes."""
    further = max(page_bytes - base.size, 0)
    moved, text = _transfer(device, operation, further)
    time = base.time_us + moved
    said = f"one request alone: {base.text}, {_us(base.time_us)}"
    if further:
        said += f" + {text}, {_us(moved)}" if moved else f"; {text}"
    most = time if moved else base.time_us * max(page_bytes, base.size) / base.size
    return _told(time, "single_request", (time, most), said, page_bytes)


def _without_rate(
    device: Device, operation: Operation, page_bytes: int, queue_depth: int | None
) -> ServiceTime:
    """Take seek and rotation, or a latency, of a device without IOPS at the depth asked for."""
    if queue_depth in (None, 1):
        seek = device.number(f"seek_{operation}_ms")
        half = device.number("half_rotation_ms")
        if device.kind in DISKS and seek is not None and half is not None:
            return _seek(device, operation, page_bytes, (seek, half))
        latency = device.number(f"{operation}_latency_us")
        if latency is not None:
            return _latency(device, operation, page_bytes, latency, queue_depth)
    what = (
        f"neither {operation} IOPS nor a latency"
        if queue_depth is None
        else f"no time of a {operation} at queue depth {queue_depth}"
    )
    return ServiceTime(None, "missing", None, None, f"missing: {what}", page_bytes)


def _seek(
    device: Device, operation: Operation, page_bytes: int, times_ms: tuple[float, float]
) -> ServiceTime:
    positioning = sum(times_ms) * US_PER_MS
    moved, text = _transfer(device, operation, page_bytes)
    time = positioning + moved
    figures = (("seek", f"seek_{operation}_ms"), ("rotation", "half_rotation_ms"))
    guessed = [name for name, key in figures if device.figures[key].assumed]
    about = f"; {' and '.join(guessed)} assumed" if guessed else ""
    said = (
        f"seek {times_ms[0]:g} ms + half a rotation {times_ms[1]:g} ms (queue depth 1{about})"
        + (f" + {text}, {_us(moved)}" if moved else f"; {text}")
    )
    return _told(time, "positioning_and_transfer", (time, time), said, page_bytes)


def _latency(
    device: Device,
    operation: Operation,
    page_bytes: int,
    latency: float,
    queue_depth: int | None,
) -> ServiceTime:
    size = stated_page_bytes(device)
    if device.kind == "nand":
        count = -(-page_bytes // size)
        said = f"{count:,} x {latency:g} µs, pages of the chip of {format_bytes(size)}"
        time = count * latency
        return _told(time, "chip_pages", (time, time), said, page_bytes)
    size = latency_page_bytes(device)
    further = max(page_bytes - size, 0)
    moved, text = _transfer(device, operation, further)
    time = latency + moved
    said = f"latency at low queue depth, {_us(latency)}"
    if device.sold_as == RUNNING:
        figure = device.figures[f"{operation}_latency_us"]
        said = f"{figure.source}: {figure.note}, {_us(latency)}"
    if further:
        said += f" + {text}, {_us(moved)}" if moved else f"; {text}"
    high = time if moved or not further else latency * page_bytes / size
    if device.kind in DISKS or device.kind == "object":
        high = time
    rule = "latency" if queue_depth is None else "single_request"
    return _told(time, rule, (time, high), said, page_bytes)


def _sequential(device: Device, operation: Operation, page_bytes: int) -> ServiceTime:
    moved, text = _transfer(device, operation, page_bytes)
    if not moved:
        said = f"missing: {text}"
        return ServiceTime(None, "missing", None, None, said, page_bytes)
    return _told(moved, "sequential", (moved, moved), text, page_bytes)


def _told(
    time: float, rule: str, bounds: tuple[float, float], text: str, page_bytes: int
) -> ServiceTime:
    low, high = bounds
    if low < time:
        text += f"; {_us(low)} if the size did not matter"
    elif high > time:
        text += f"; up to {_us(high)} if it cost what its bytes cost"
    return ServiceTime(time, rule, low, high, text, page_bytes)


def _us(time: float) -> str:
    return format_microseconds(time)


def _digits(value: float) -> str:
    """Six significant digits without an exponent: `3,000,000`, `14,000`, `0.5`."""
    return f"{float(f'{value:.6g}'):,.15g}"
