"""What a reader must know about an evaluation before acting on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray, share
from tierwright.common.cautions import Caution, TraceCaution
from tierwright.common.units import format_bytes, format_count, format_microseconds
from tierwright.common.wording import counted, listed, off, percent, three_digits
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.hardware.device import KINDS, OPERATIONS, RUNNING, Device
from tierwright.hardware.service_time import RULES, service_time
from tierwright.hardware.side_by_side import rests_on_latency
from tierwright.profile.curve import Curve
from tierwright.profile.evidence import ENVELOPE, Evidence
from tierwright.profile.production import ScaledParts
from tierwright.trace.notes import NO_WRITES_IN_FORMAT, ReaderNotes

WARM_UP_SHARE = 0.01
"""Share of misses that fill an empty frame, from which warm-up is mentioned."""


NEXT_TO_NONE = 1e-4
"""Share of the accesses below which its digits say nothing. [1]"""
SHOWN_SIZES = 5
"""Sizes that a warning names; of more it gives the range."""


def about_curve(
    curve: Curve, ram_pages: ArrayLike, flash_pages: ArrayLike
) -> Iterator[Caution]:
    """Warnings that follow from the curve and the sizes at which it is read.

    Every answer that rests on a curve gives them. RAM below one page, where a size is out,
    is passed over.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size.
    ram_pages, flash_pages : array_like
        r and f, broadcast against each other. [pages]
    """
    yield from about_given(curve)
    r, f = np.broadcast_arrays(
        np.asarray(ram_pages, dtype=np.float64),
        np.asarray(flash_pages, dtype=np.float64),
    )
    used = np.isfinite(r) & np.isfinite(f) & (r >= 1)
    r, f = r[used], f[used]
    if r.size == 0:
        return
    if curve.given is None:
        yield from _about_ram(curve, np.unique(r))
    if curve.cold is not None:
        yield from _about_steady(curve, np.unique(np.concatenate((r, r + f))))
    # A part of a page is no reading between two sizes.
    yield from _about_readings(curve, np.unique(np.rint(np.concatenate((r, f, r + f)))))


def about_space_behind(preset: MetadataPreset | None) -> Iterator[Caution]:
    """Warn of a map whose address space was not stated: it is charged at its least.

    Parameters
    ----------
    preset : MetadataPreset or None
        What is charged; None charges nothing.
    """
    if preset and preset.source_entry_bytes and preset.source_bytes is None:
        yield Caution(
            "space_behind_not_stated",
            f"the map of {preset.title} spans the whole volume behind the cache, which "
            "was not stated; only the distinct pages of the workload are charged, a "
            "lower bound",
            f"state the size of the volume, such as `{preset.name}:2TiB`",
            about=(preset.name,),
        )


def _about_steady(curve: Curve, sizes: FloatArray) -> Iterator[Caution]:
    """Say of which sizes the recording tells too little, and what their misses can be."""
    unknown = sizes[curve.uncertain(sizes)]
    if not unknown.size:
        return
    low, high = (end - curve.growth for end in curve.misses_band(unknown))
    ends = (float(np.min(low)) / curve.accesses, float(np.max(high)) / curve.accesses)
    yield Caution(
        "steady_state_uncertain",
        f"the workload shows {_bytes_of(curve, curve.distinct_pages)} of pages, too few to "
        f"show what caches of {_caches_text(curve, unknown)} miss once they are full: "
        f"between {_share_text(ends[0])} and {_share_text(ends[1])} of the accesses; the trend of "
        "smaller caches is used",
        "profile a longer part of the workload",
        about=("curve",),
    )


def _share_text(share: float) -> str:
    """Write a share of the accesses; of next to none no digits, which say nothing."""
    if share < NEXT_TO_NONE:
        return "none" if share <= 0 else f"less than {100 * NEXT_TO_NONE:g} %"
    return percent(share)


def _bytes_of(curve: Curve, pages: float) -> str:
    return format_bytes(pages * curve.page_bytes)


def _caches_text(curve: Curve, sizes: FloatArray) -> str:
    """Name sizes in bytes, in which caches are bought; many by their ends."""
    if sizes.size <= SHOWN_SIZES:
        return listed([_bytes_of(curve, size) for size in sizes.tolist()])
    return f"{_bytes_of(curve, sizes[0])} to {_bytes_of(curve, sizes[-1])}"


def _about_ram(curve: Curve, r: FloatArray) -> Iterator[Caution]:
    """Warn of a RAM that warms up for long, or holds all pages."""
    if curve.cold is None:
        yield from _about_warm_up(curve, r)
    holds_all = r[r >= curve.data_pages]
    if holds_all.size:
        yield Caution(
            "all_pages_fit_in_ram",
            f"RAM of {counted(holds_all[0], 'page')} holds all "
            f"{counted(curve.data_pages, 'page')} of the workload: {_what_misses(curve, holds_all)}",
            "choose less RAM"
            if bool(curve.holds_all(holds_all).all())
            else "choose less RAM, or profile a larger part of the workload",
            about=("curve",),
        )


def _what_misses(curve: Curve, sizes: FloatArray) -> str:
    """Say what misses in RAM that holds all pages."""
    if curve.cold is None:
        return "only first accesses miss, and flash is never hit"
    if not bool(curve.holds_all(sizes).all()):
        return "what flash would add is unknown"
    missed = "only new pages miss" if curve.growth else "nothing misses"
    return f"once it is full, {missed}, and flash is never hit"


def _about_warm_up(curve: Curve, r: FloatArray) -> Iterator[Caution]:
    misses = curve.misses(r)
    filled = np.minimum(r, misses)
    shares = share(filled, misses)
    at = int(np.argmax(shares))
    if shares[at] >= WARM_UP_SHARE:
        upto = "" if r.size == 1 else "up to "
        yield Caution(
            "warm_up_inside",
            f"{upto}{shares[at]:.1%} of the RAM misses filled an empty frame "
            f"({format_count(filled[at])} of {format_count(misses[at])}), and evicted "
            "nothing; the cost formulas charge an eviction for every RAM miss",
            "use the steady state, which has no warm-up; the flash writes shown count "
            "the trace as it is, the I/O time counts them as the formulas do",
            about=("curve",),
        )


def _about_readings(curve: Curve, sizes: FloatArray) -> Iterator[Caution]:
    beyond = sizes[(sizes > curve.last_listed) & ~curve.holds_all(sizes)]
    if curve.ends_early and beyond.size:
        yield Caution(
            "beyond_the_curve",
            f"the curve ends at {counted(curve.last_listed, 'page')}; its last "
            f"value stands for {_sizes_text(beyond)}",
            "give a curve that reaches these sizes",
            about=("curve",),
        )
    given = curve.given
    if given is not None and (given.described_by is not None or given.composed_of):
        return  # straight lines are far nearer to the formula than the formula to a replay
    between = sizes[(sizes < curve.last_listed) & ~curve.listed(sizes)]
    if between.size and curve.scaled is None:  # of a scaled curve all sizes are
        hint = "give more sizes near these, and one below the smallest of them"
        if curve.given is None:
            named = ",".join(f"{size:.0f}" for size in between[:SHOWN_SIZES].tolist())
            rest = "" if between.size <= SHOWN_SIZES else ",..."
            hint = (
                f"profile the trace again and list these sizes: [[sizes={named}{rest}]]"
            )
        yield Caution(
            "interpolated",
            f"{text} is between listed sizes of the curve; counts there are interpolated linearly"
            if (text := _sizes_text(between)) == "1 page"
            else f"{text} are between listed sizes of the curve; counts there are interpolated "
            "linearly",
            hint,
            about=("curve",),
        )


def _sizes_text(sizes: FloatArray) -> str:
    if sizes.size <= SHOWN_SIZES:
        *others, last = sizes.tolist()
        return ", ".join([*map(format_count, others), counted(last, "page")])
    least = format_count(sizes[0])
    return f"{counted(sizes.size, 'size')} from {least} to {counted(sizes[-1], 'page')}"


COUNT_CAUTIONS = frozenset(
    {
        "sampled_curve",
        "given_curve",
        "curve_from_ages",
        "curve_from_one_point",
        "curve_from_points",
        "scaled",
        "scaled_unmeasured",
        "scale_extrapolated",
        "recorded_data_assumed",
        "tau_not_stated",
        "described_workload",
        "dirty_share_stated",
        "data_size_unknown",
        "misses_may_be_cached",
        "warm_up_inside",
        "steady_state_uncertain",
        "all_pages_fit_in_ram",
        "beyond_the_curve",
        "interpolated",
        "lazy_writes_by_formula",
    }
)
"""Warnings about counts, which hold for whatever is computed from them."""


def about_class(curve: Curve) -> tuple[Caution, ...]:
    """Name the class of a curve from counters, for an answer that says nothing else of its curve."""
    evidence = curve.evidence
    return () if evidence is None else (_about_class(evidence, curve.page_bytes),)


def about_given(curve: Curve) -> Iterator[Caution]:
    """Warnings about how a curve came about: its trace, a sample of it, or a given curve."""
    yield from about_trace(curve.notes)
    if curve.sample_rate is not None:
        yield Caution(
            "sampled_curve",
            f"the curve was estimated from {curve.sample_rate:.3g} of the pages, so every "
            "count is an estimate",
            "profile the whole trace for exact counts; the profile file holds the intervals",
            about=("curve",),
        )
    yield from _about_scaled(curve)
    given = curve.given
    if given is None:
        return
    if given.composed_of:
        early = (
            ""
            if given.to_the_end
            else "; an earlier version composed it, and ended it too early: large caches miss less than it says"
        )
        yield Caution(
            "composed_workload",
            "the curve was composed of "
            f"{counted(len(given.composed_of), 'workload')}, not measured: "
            f"{listed(given.composed_of)}{early}",
            "profile a trace of all workloads on one machine to check it"
            if given.to_the_end
            else "compose it again",
        )
        if given.evidence is not None:
            yield from _about_evidence(given.evidence, curve.page_bytes)
    elif given.evidence is not None:
        yield from _about_evidence(given.evidence, curve.page_bytes)
    elif given.described_by is None:
        yield Caution(
            "given_curve",
            "the curve was given, not measured from a trace: it is assumed to be that of "
            "LRU in a full cache, and no simulation can check the result",
            "profile a trace of the same workload to check it",
            about=("curve",),
        )
    else:
        yield Caution(
            "described_workload",
            "the workload was described, not measured: its curve was computed by formula "
            f"from the description `{given.described_by}`",
            "profile a trace of the workload to check it",
            about=("curve",),
        )
    if given.dirty_share is not None:
        yield Caution(
            "dirty_share_stated",
            f"the write costs rest on a dirty share of {given.dirty_share:.4g}, "
            "assumed to be the same at every size",
            "profile a trace with writes for the dirty share at each size",
            about=("curve",),
        )
    if not given.data_known:
        yield Caution(
            "data_size_unknown",
            "the size of the data was not stated, so the cost of the disk is unknown, "
            f"and the last size of the curve, {counted(curve.last_listed, 'page')}, "
            "is only a lower bound of the data",
            "state the size of the data behind the cache",
            about=("curve",),
        )


def _about_evidence(evidence: Evidence, page_bytes: int) -> Iterator[Caution]:
    """Say what a curve from the counters of a running system rests on, and what may answer its misses."""
    yield _about_class(evidence, page_bytes)
    if evidence.misses_read in ("unknown", "cache"):
        stated = evidence.misses_read == "cache"
        yield Caution(
            "misses_may_be_cached",
            f"a miss of the cache that was counted {'is answered by' if stated else 'may be answered by'} a cache below "
            f"it{', too' if stated else ', such as that of the operating system'}: each counts as a read of the device "
            "here, so I/O times, loads and what more memory saves are upper bounds",
            "count the reads of the device beside those of the cache, or record a trace below both"
            if stated
            else "state whether misses read the device, as they do with direct I/O",
            about=("curve",),
        )


def _about_class(evidence: Evidence, page_bytes: int) -> Caution:
    """Say what a curve from the counters of a running system rests on, and of which sizes it speaks."""
    sizes = evidence.range_text(page_bytes)
    if evidence.kind == "one_point":
        return Caution(
            "curve_from_one_point",
            f"one size and its miss ratio are known, {sizes}: a larger cache saves at most all of its "
            "misses, a smaller one loses at least nothing, and no size can be recommended",
            "take snapshots of the ages of what is resident, resize the cache for an hour and count again, or "
            "record a sampled trace",
            about=("curve",),
        )
    if evidence.kind == "points":
        envelope = (
            f", as maxima of the hit ratios over intervals (an {ENVELOPE}: it misses more on the mean)"
            if evidence.envelope
            else ""
        )
        return Caution(
            "curve_from_points",
            f"the system itself counted the misses of some sizes, {sizes}{envelope}: between them only the counts on "
            "either side bound the misses, and beyond nothing is known",
            "record a sampled trace for the sizes between, and a ghost list, a simulated pool or a resize for "
            "those beyond",
            about=("curve",),
        )
    indicative = ", so it is indicative only" if evidence.is_indicative else ""
    return Caution(
        "curve_from_ages",
        "the curve was computed from the ages of what is resident "
        f"({evidence.snapshots_text()}) and speaks of {sizes}; {evidence.check_text(page_bytes)}{indicative}",
        "take more snapshots over the cycle of the load; for larger sizes record a sampled trace, or resize the "
        "cache for an hour and count again",
        about=("curve",),
    )


_TWO_SIZES = "record the system at two sizes and compare"
_MEASURED_LAW = (
    f"{_TWO_SIZES}, or profile a trace of it with its relations named: it is scaled by the law `relations` then, whose error "
    "is known"
)
"""What to do where the error of a scale law was never measured."""


def about_scaled_parts(parts: ScaledParts) -> Caution:
    """Say how far misses of several workloads may be off because some of them were scaled.

    Parameters
    ----------
    parts : ScaledParts
        Which were scaled, and the errors known of their laws in one.
    """
    names, known = listed(parts.names), parts.known_error
    single = len(parts.names) == 1
    were = f"{names} {'was' if single else 'were'} scaled to production"
    if known is None:
        law = (
            "by a law whose error was never measured"
            if single
            else "at least one of them by a law whose error was never measured"
        )
        return Caution(
            "scaled_unmeasured",
            f"{were}, {law}, so how far the misses of all workloads are off is unknown",
            _MEASURED_LAW,
        )
    if known.extrapolated:
        beyond = (
            "the error of its law was measured"
            if single
            else "the errors of their laws were measured"
        )
        return Caution(
            "scale_extrapolated",
            f"{were}; {beyond} up to {three_digits(known.measured_up_to)} times and "
            f"{'is' if single else 'are'} extrapolated: misses of all workloads may be up to "
            f"{off(known.worst)}",
            "record a larger system, so that less has to be scaled",
        )
    return Caution(
        "scaled",
        f"{were}: by the errors measured, each weighted by the misses of its workload, misses of "
        f"all workloads are {off(known.mean)} on average, {off(known.worst)} at most",
        "record a larger system for a smaller error",
    )


def _about_scaled(curve: Curve) -> Iterator[Caution]:
    """Say by how much a workload was scaled, how well that is known, and on what it rests."""
    scaled = curve.scaled
    if curve.scaled_parts is not None:
        yield about_scaled_parts(curve.scaled_parts)
    if scaled is None:
        return
    known = scaled.known_error
    recorded = format_bytes(scaled.recorded_data_bytes)
    times = three_digits(scaled.factor)
    to = format_bytes(scaled.production.data_bytes)
    if known is None:
        yield Caution(
            "scaled_unmeasured",
            f"the workload was recorded at {recorded} and scaled {times} times, to {to}, by the law "
            f"`{scaled.law}`, whose error was never measured",
            _TWO_SIZES if scaled.law == "relations" else _MEASURED_LAW,
        )
    elif known.extrapolated:
        yield Caution(
            "scale_extrapolated",
            f"the workload was recorded at {recorded} and scaled {times} times, to {to}, by the law "
            f"`{scaled.law}`; its error was measured up to {three_digits(known.measured_up_to)} "
            f"times and is extrapolated: misses may be up to {off(known.worst)}",
            "record a larger system, so that less has to be scaled",
        )
    else:
        yield Caution(
            "scaled",
            f"the workload was recorded at {recorded} and scaled {times} times, to {to}, by the law "
            f"`{scaled.law}`: by its errors measured up to {three_digits(known.measured_up_to)} "
            f"times, misses are {off(known.mean)} on average, {off(known.worst)} at most",
            "record a larger system for a smaller error",
        )
    if not scaled.data_stated:
        yield Caution(
            "recorded_data_assumed",
            f"the size of the recorded data was not stated; the {recorded} that the recording "
            "touches stand for it, so the factor is too large if there are data that it did not touch",
            "state the size of the recorded database or volume",
        )
    if scaled.law == "relations" and scaled.tau_accesses is None and scaled.factor != 1:
        which = "less" if scaled.factor > 1 else "more"
        yield Caution(
            "tau_not_stated",
            "clients and accesses per unit of work of the recording were not both stated, so reuse "
            "within one transaction is stretched as all other reuse is; small caches may miss "
            f"{which} than shown",
            "state the clients of the recording and the page accesses of one transaction",
        )


def about_trace(notes: ReaderNotes) -> Iterator[TraceCaution]:
    """Warnings of the reader of the trace, and what unknown writes mean for a decision."""
    if not notes.tells_writes:
        yield TraceCaution(
            NO_WRITES_IN_FORMAT,
            "the trace does not distinguish writes from reads, so its writes are "
            "unknown and count as 0: write costs and wear are left out, and schemes "
            "that write more look better than they are",
            "use a trace with operations before choosing a scheme or a split, or sizing flash "
            "for writes",
            about=("trace",),
        )
    for note in notes.warnings:
        if note.name != NO_WRITES_IN_FORMAT:
            yield TraceCaution(note.name, note.message, note.hint, about=("trace",))


def about_devices(
    curve: Curve, flash_pages: int, flash: Device, disk: Device, ram: Device | None
) -> Iterator[Caution]:
    """Warnings that follow from the devices."""
    for role, device in _roles(ram, flash, disk):
        if role not in device.roles:
            yield Caution(
                "unusual_role",
                f"`{device.id}` is a {KINDS[device.kind][0]}, unusual as {role}",
                "check that you meant this device; the formulas hold for any device",
                about=(device.id,),
            )
    for role, device in _roles(None, flash, disk):
        yield from _about_service(role, device)
        yield from about_page_size(role, device, curve.page_bytes)
    if None not in (flash.queue_depth, disk.queue_depth) and (
        flash.queue_depth != disk.queue_depth
    ):
        yield Caution(
            "queue_depths_differ",
            f"`{flash.id}` is rated at queue depth {flash.queue_depth}, `{disk.id}` at "
            f"{disk.queue_depth}",
            "choose devices rated at the same depth: rates at different queue depths "
            "are not comparable",
            about=(flash.id, disk.id),
        )
    held: dict[str, tuple[Device, int]] = {
        "flash": (flash, flash_pages * curve.page_bytes),
        "disk": (disk, curve.data_pages * curve.page_bytes),
    }
    for tier, (device, size) in held.items():
        capacity = device.capacity_bytes
        if capacity is not None and size > capacity:
            yield Caution(
                "beyond_capacity",
                f"{format_bytes(size)} of {tier} exceed the {format_bytes(capacity)} of one "
                f"`{device.id}`; service times are those of one device",
                "use a device profile of the array: several devices serve in parallel",
                about=(device.id,),
            )


def _roles(
    ram: Device | None, flash: Device, disk: Device
) -> Iterator[tuple[Literal["ram", "flash", "disk"], Device]]:
    if ram is not None:
        yield "ram", ram
    yield "flash", flash
    yield "disk", disk


def about_page_size(role: str, device: Device, page_bytes: int) -> Iterator[Caution]:
    """Warn where a service time is carried over from another transfer size, with its bounds.

    Parameters
    ----------
    role : str
        Tier that the device serves.
    device : Device
        With its figures.
    page_bytes : int
        Page of the workload. [bytes]
    """
    said = []
    for operation in OPERATIONS:
        time = service_time(device, operation, page_bytes)
        if time.time_us is None or time.low_us is None or time.high_us is None:
            continue
        if time.low_us < time.time_us:
            other = f"{format_microseconds(time.low_us)} if only the count mattered"
        elif time.high_us > time.time_us:
            other = f"{format_microseconds(time.high_us)} if only the bytes mattered"
        else:
            continue
        said.append(
            f"a {operation} counts as {format_microseconds(time.time_us)} "
            f"({RULES[time.rule]}); {other}"
        )
    if not said:
        return
    stated = device.io_unit_bytes or device.page_bytes
    size = (
        f"{format_bytes(stated)}, pages have {format_bytes(page_bytes)}"
        if stated
        else "an unstated transfer size, assumed to be 4 KiB; pages have "
        f"{format_bytes(page_bytes)}"
    )
    yield Caution(
        "device_page_differs" if stated else "device_page_unknown",
        f"`{device.id}` ({role}): its IOPS are for {size}: {'; '.join(said)}",
        "measure the device at the workload's page size and add it as your own",
        about=(device.id,),
    )


def _about_service(role: str, device: Device) -> Iterator[Caution]:
    if device.sold_as == RUNNING:
        read = device.number("read_latency_us")
        yield Caution(
            "tier_times_measured",
            f"`{device.id}` ({role}) is {device.name}: a read takes "
            f"{format_microseconds(read or 0.0)}, its mean on the running system with waits included; no write was "
            "timed, so it is assumed to take as long. No figures of a device are used",
            "choose a device to use its figures instead",
            about=(device.id,),
        )
        return
    uses_iops = "read_iops" in device.figures or "write_iops" in device.figures
    for operation in ("read", "write"):
        if rests_on_latency(device, operation, 1):
            yield Caution(
                "latency_as_service_time",
                f"`{device.id}` ({role}) states no {operation} IOPS; its {operation} "
                "latency is used as the busy time, which overstates it on a parallel "
                "device",
                "add sustained IOPS to a copy of the device",
                about=(device.id,),
            )
    if uses_iops and device.queue_depth is None:
        yield Caution(
            "queue_depth_unknown",
            f"`{device.id}` ({role}): the queue depth of its IOPS is not stated, most likely "
            "saturation",
            "read 1/IOPS as a throughput cost, far below the latency of one request",
            about=(device.id,),
        )
    fees = {"read_request_fee", "write_request_fee", "request_fee"} & set(
        device.figures
    )
    if fees:
        yield Caution(
            "request_fees_not_included",
            f"`{device.id}` ({role}) charges for requests; they are not in the monthly cost",
            f"see its figures {', '.join(sorted(fees))}",
            about=(device.id,),
        )
