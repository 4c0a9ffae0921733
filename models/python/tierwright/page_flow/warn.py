"""What a reader must know about an evaluation before acting on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tierwright.device import KINDS, Device
from tierwright.hit_ratio import Curve
from tierwright.page_flow.counts import TierCounts
from tierwright.units import format_bytes, format_count

WARM_UP_SHARE = 0.01
"""Share of misses that fill an empty frame, from which warm-up is mentioned."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A named warning: what is so, and what to do about it."""

    name: str
    message: str
    hint: str


def about_sizes(
    curve: Curve,
    ram_pages: int,
    exclusive: TierCounts,
    sizes: Iterable[int],
) -> Iterator[Caution]:
    """Warnings that follow from the sizes and the curve."""
    misses = float(exclusive.ram_misses)
    if misses > 0 and curve.given is None:
        filled = min(float(ram_pages), misses)
        if filled / misses >= WARM_UP_SHARE:
            yield Caution(
                "warm_up_inside",
                f"{filled / misses:.1%} of the RAM misses filled an empty frame "
                f"({format_count(filled)} of {format_count(misses)}), and evicted nothing; "
                "the cost formulas charge an eviction for every RAM miss",
                "the longer the trace, the smaller the share; `flash_writes_cold_start` counts "
                "the trace as it is, `flash_writes` as the formulas do",
            )
    if ram_pages >= curve.distinct_pages and curve.given is None:
        yield Caution(
            "all_pages_fit_in_ram",
            f"RAM of {format_count(ram_pages)} pages holds all "
            f"{format_count(curve.distinct_pages)} pages of the workload: only first "
            "accesses miss, and flash is never hit",
            "choose less RAM, or profile a larger part of the workload",
        )
    if curve.ends_early:
        beyond = sorted({size for size in sizes if size > curve.last_listed})
        if beyond:
            yield Caution(
                "beyond_the_curve",
                f"the curve ends at {format_count(curve.last_listed)} pages; its last "
                f"value stands for {', '.join(format_count(size) for size in beyond)} pages",
                "give a curve that reaches the sizes you ask about",
            )
    between = sorted(
        {s for s in sizes if s < curve.last_listed and not curve.is_listed(s)}
    )
    if between:
        yield Caution(
            "interpolated",
            f"{', '.join(format_count(size) for size in between)} pages are between listed "
            "sizes of the curve; counts there are interpolated linearly",
            "name the sizes when profiling: `tierwright profile --sizes "
            f"{','.join(str(size) for size in between)}`"
            if curve.given is None
            else "give more sizes near these, and one below the least that you ask about",
        )


def about_given(curve: Curve) -> Iterator[Caution]:
    """Warnings about a curve that was estimated, or given instead of a trace."""
    if curve.sample_rate is not None:
        yield Caution(
            "sampled_curve",
            f"the curve was estimated from {curve.sample_rate:.3g} of the pages, so every "
            "count is an estimate",
            "profile the whole trace for exact counts; the profile file holds the intervals",
        )
    given = curve.given
    if given is None:
        return
    yield Caution(
        "given_curve",
        "the curve was given, not measured from a trace: it is taken as LRU in a full cache, "
        "and no simulation can check the result",
        "profile a trace of the same workload to check it",
    )
    if given.dirty_share is not None:
        yield Caution(
            "dirty_share_stated",
            f"the write costs rest on the stated dirty share of {given.dirty_share:g}, taken "
            "as the same at every size",
            "a trace with writes tells the dirty share of each size",
        )
    if not given.data_known:
        yield Caution(
            "data_size_unknown",
            "the size of the data was not stated: what the disk costs is unknown, and the "
            f"last size of the curve, {format_count(curve.last_listed)} pages, is only a "
            "lower bound of the data",
            "state the size of the data that the cache stands in front of",
        )


def about_devices(
    curve: Curve, flash_pages: int, flash: Device, disk: Device, ram: Device | None
) -> Iterator[Caution]:
    """Warnings that follow from the devices."""
    for role, device in _roles(ram, flash, disk):
        if role not in device.roles:
            yield Caution(
                "unusual_role",
                f"`{device.id}` is a {KINDS[device.kind][0]}, unusual as {role}",
                "the formulas hold for any device; check that you meant this one",
            )
    for role, device in _roles(None, flash, disk):
        yield from _about_service(role, device, curve)
    if None not in (flash.queue_depth, disk.queue_depth) and (
        flash.queue_depth != disk.queue_depth
    ):
        yield Caution(
            "queue_depths_differ",
            f"`{flash.id}` is rated at queue depth {flash.queue_depth}, `{disk.id}` at "
            f"{disk.queue_depth}",
            "rates at different depths do not compare; choose profiles of one depth",
        )
    held: dict[str, tuple[Device, int]] = {
        "flash": (flash, flash_pages * curve.page_bytes),
        "disk": (disk, curve.distinct_pages * curve.page_bytes),
    }
    for tier, (device, size) in held.items():
        capacity = device.capacity_bytes
        if capacity is not None and size > capacity:
            yield Caution(
                "beyond_capacity",
                f"{format_bytes(size)} of {tier} exceed the {format_bytes(capacity)} of one "
                f"`{device.id}`; service times are those of one device",
                "several devices serve in parallel: use a profile of the array",
            )


def _roles(
    ram: Device | None, flash: Device, disk: Device
) -> Iterator[tuple[Literal["ram", "flash", "disk"], Device]]:
    if ram is not None:
        yield "ram", ram
    yield "flash", flash
    yield "disk", disk


def _about_service(role: str, device: Device, curve: Curve) -> Iterator[Caution]:
    uses_iops = "read_iops" in device.figures or "write_iops" in device.figures
    for operation in ("read", "write"):
        if f"{operation}_iops" not in device.figures:
            yield Caution(
                "latency_as_service_time",
                f"`{device.id}` ({role}) states no {operation} IOPS; its {operation} latency "
                "stands for the busy time, which overstates it on a parallel device",
                "add sustained IOPS to a copy of the device",
            )
    if uses_iops and device.queue_depth is None:
        yield Caution(
            "queue_depth_unknown",
            f"`{device.id}` ({role}): the queue depth of its IOPS is not stated, most likely "
            "saturation",
            "1/IOPS is then a throughput cost, far below the latency of one request",
        )
    if uses_iops and device.page_bytes is None:
        yield Caution(
            "device_page_unknown",
            f"`{device.id}` ({role}): the transfer size of its IOPS is not stated",
            "4 KiB is customary; larger pages take longer",
        )
    elif uses_iops and device.page_bytes != curve.page_bytes:
        yield Caution(
            "device_page_differs",
            f"`{device.id}` ({role}): its IOPS are for {device.page_bytes} bytes, the "
            f"workload's pages have {curve.page_bytes}; the times are not scaled",
            "measure the device at the workload's page size and add it as your own",
        )
    if "iops_rent" in device.figures or "throughput_rent" in device.figures:
        yield Caution(
            "provisioned_rent_not_included",
            f"`{device.id}` ({role}) charges for provisioned IOPS or throughput besides "
            "capacity; that rent is not in the monthly cost",
            "see its figures iops_rent and throughput_rent",
        )
    fees = {"read_request_fee", "write_request_fee", "request_fee"} & set(
        device.figures
    )
    if fees:
        yield Caution(
            "request_fees_not_included",
            f"`{device.id}` ({role}) charges for requests; they are not in the monthly cost",
            f"see its figures {', '.join(sorted(fees))}",
        )
