"""The other ends of what is not known: the same question with a curve or devices that may be true too.

A question asks them for a caution, computes its answer at each, and says what that changes. An end is
as far from the answer as what is stated allows: a bound, never a guess.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray, share
from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
    without_effect,
)
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.service_time import ServiceTime, service_time, waiting_time
from tierwright.hardware.side_by_side import rests_on_latency, side_by_side
from tierwright.profile.curve import Curve, thinned_sizes
from tierwright.profile.evidence import Evidence
from tierwright.trace.notes import BAD_RECORDS_SKIPPED, NO_WRITES_IN_FORMAT

OF_PAGE_SIZE = frozenset({"device_page_differs", "device_page_unknown"})
MOST_POINTS = 4096
"""Listed sizes from which the curve of an end is thinned."""
KEPT_POINTS = 1024
"""Listed sizes that are left of it."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a question rests on.

    Attributes
    ----------
    curve : Curve
        Of the workload.
    flash, disk : Device
        Of the two lower tiers.
    sizes : tuple of float
        Sizes at which the curve is read: r, f, r + f. [pages]
    """

    curve: Curve
    flash: Device
    disk: Device
    sizes: tuple[float, ...] = ()

    @property
    def devices(self) -> dict[str, Device]:
        """The devices by their tier."""
        return {"flash": self.flash, "disk": self.disk}


@dataclass(frozen=True, slots=True)
class OtherEnd:
    """A situation that may be true as well.

    Attributes
    ----------
    when : str
        How it differs, to be read behind *if*.
    situation : Situation
        With the other curve, or other busy times of the devices.
    before : Situation
        What it is compared with: the situation asked about, its curve thinned where the end's is.
    counts : bool
        Whether its curve differs, so whether counts change.
    """

    when: str
    situation: Situation
    before: Situation
    counts: bool


def other_ends(caution: Caution, asked: Situation) -> tuple[OtherEnd, ...]:
    """Give the other ends of what a caution speaks of.

    Parameters
    ----------
    caution : Caution
        Of an answer in this situation; `about` names the devices that it concerns, all where
        it is empty.
    asked : Situation
        Curve and devices of the answer.

    Returns
    -------
    tuple of OtherEnd
        Empty where they cannot be computed.
    """
    tiers = [
        tier
        for tier, device in asked.devices.items()
        if not caution.about or device.id in caution.about
    ]
    times = (
        OtherEnd(when, _with_times(asked, by_tier), asked, counts=False)
        for when, by_tier in _times(caution.name, asked, tiers)
    )
    curves = (
        OtherEnd(
            when,
            replace(asked, curve=curve),
            replace(asked, curve=base),
            counts=True,
        )
        for when, curve, base in _curves(caution.name, asked.curve, asked.sizes)
    )
    return (*times, *curves)


@dataclass(frozen=True, slots=True)
class CurveEnd:
    """Another curve that may be that of the workload.

    Attributes
    ----------
    when : str
        How it differs, to be read behind *if*.
    curve : Curve
        The other one.
    before : Curve
        What it is compared with: the curve asked about, thinned where the end's is.
    """

    when: str
    curve: Curve
    before: Curve


def curve_ends(
    caution: Caution, curve: Curve, sizes: Sequence[float]
) -> tuple[CurveEnd, ...]:
    """Give the other curves of a caution, for a question that needs no device.

    Parameters
    ----------
    caution : Caution
        About the curve.
    curve : Curve
        Of the workload.
    sizes : sequence of float
        At which it is read. [pages]

    Returns
    -------
    tuple of CurveEnd
        Empty where they cannot be computed.
    """
    found = _curves(caution.name, curve, tuple(sizes))
    return tuple(CurveEnd(when, other, before) for when, other, before in found)


Outcomes = Callable[[Sequence[OtherEnd]], Sequence[Outcome]]
"""Computes the answer of a question at other ends, one outcome for each."""


def weigher(
    asked: Situation,
    outcomes: Outcomes,
    *,
    figure: str,
    chosen: str,
    kind: str,
    without: Collection[str] = (),
    special: Callable[[Caution], Sequence[Outcome]] = lambda _: (),
) -> Weigh:
    """Return what computes the effect of a caution on one answer, each once.

    Parameters
    ----------
    asked : Situation
        Curve and devices of the answer.
    outcomes : callable
        Its answer at other ends.
    figure, chosen, kind : str
        As `effect_of` takes them.
    without : collection of str
        Names of cautions that have no effect on this figure.
    special : callable, optional
        Outcomes of cautions whose other end is neither curve nor device; empty for others.
    """
    known: dict[tuple[str, tuple[str, ...]], Effect] = {}

    def weigh(caution: Caution) -> Effect:
        if caution.name in without:
            return without_effect(f"no effect on {figure}")
        key = (caution.name, caution.about)
        if key not in known:
            found = special(caution) or outcomes(other_ends(caution, asked))
            known[key] = (
                effect_of(found, figure=figure, chosen=chosen, kind=kind)
                if found
                else anywhere(caution)
            )
        return known[key]

    return weigh


Times = dict[tuple[str, Operation], float]
"""Busy times by tier and operation; those left out stay. [µs]"""


def busy_times(asked: Situation) -> dict[tuple[str, Operation], float]:
    """Return the busy times of a page by tier and operation, where they are stated. [µs]"""
    return {
        (tier, operation): time
        for tier, device in asked.devices.items()
        for operation in OPERATIONS
        if (time := service_time(device, operation, asked.curve.page_bytes).time_us)
        is not None
    }


def _times(
    name: str, asked: Situation, tiers: list[str]
) -> Iterator[tuple[str, Times]]:
    match name:
        case each if each in OF_PAGE_SIZE:
            yield from _bounds(asked, tiers)
        case "queue_depth_unknown" | "queue_depths_differ":
            alone = _alone(asked, tiers)
            if alone:
                yield f"each request is served alone ({_latencies(alone)})", alone
        case "latency_as_service_time":
            fastest = _by_bytes(asked, tiers)
            if fastest:
                yield (
                    f"the device serves requests side by side, at its sequential rate "
                    f"at most ({_latencies(fastest)})",
                    fastest,
                )
        case "beyond_capacity":
            spread = _side_by_side(asked, tiers)
            if spread:
                yield "as many devices as hold the tier serve side by side", spread
        case _:
            pass


def _latencies(times: Times) -> str:
    """Write `flash read 82 µs, write 20 µs; disk read 8.2 ms`."""
    said = []
    for tier, group in itertools.groupby(times.items(), key=lambda each: each[0][0]):
        parts = (f"{op} {format_microseconds(time)}" for (_, op), time in group)
        said.append(f"{tier} {', '.join(parts)}")
    return "; ".join(said)


def _bounds(asked: Situation, tiers: list[str]) -> Iterator[tuple[str, Times]]:
    """Every corner of the bounds of some tiers' busy times."""
    ends: dict[tuple[str, Operation], tuple[float, ...]] = {}
    for tier in tiers:
        for operation in OPERATIONS:
            device = asked.devices[tier]
            time = service_time(device, operation, asked.curve.page_bytes)
            if time.is_bounded and time.low_us is not None and time.high_us is not None:
                ends[tier, operation] = (time.low_us, time.high_us)
    if not ends:
        return
    for corner in itertools.product(*ends.values()):
        times = dict(zip(ends, corner, strict=True))
        each = (
            f"a {tier} {operation} takes {format_microseconds(time)}"
            for (tier, operation), time in times.items()
        )
        yield " and ".join(each), times


def _alone(asked: Situation, tiers: list[str]) -> Times:
    """Take the times of requests that nothing else waits beside, of the devices that state them."""
    return {
        (tier, operation): time
        for tier in tiers
        for operation in OPERATIONS
        if (
            time := waiting_time(
                asked.devices[tier], operation, asked.curve.page_bytes
            ).time_us
        )
        is not None
    }


def _by_bytes(asked: Situation, tiers: list[str]) -> Times:
    """Take the times of requests side by side, where a latency stands for the busy time; empty where one is not known."""
    found: Times = {}
    size = asked.curve.page_bytes
    for tier in tiers:
        device = asked.devices[tier]
        slow = [each for each in OPERATIONS if rests_on_latency(device, each, size)]
        fast = side_by_side(device, slow, size)
        if fast is None:
            return {}
        for operation in slow:
            time = service_time(fast, operation, size).time_us
            assert time is not None
            found[tier, operation] = time
    return found


def _side_by_side(asked: Situation, tiers: list[str]) -> Times:
    """Take the times of as many devices side by side as hold their tier."""
    held = {
        "flash": (asked.sizes[1] if len(asked.sizes) > 1 else 0),
        "disk": asked.curve.distinct_pages,
    }
    found: Times = {}
    for (tier, operation), time in busy_times(asked).items():
        capacity = asked.devices[tier].capacity_bytes
        need = held[tier] * asked.curve.page_bytes
        if tier in tiers and capacity and need > capacity:
            found[tier, operation] = time / -(-need // capacity)
    return found


def _with_times(asked: Situation, times: Times) -> Situation:
    made = {
        tier: _with_device_times(
            device,
            asked.curve.page_bytes,
            {op: time for (of, op), time in times.items() if of == tier},
        )
        for tier, device in asked.devices.items()
    }
    return replace(asked, flash=made["flash"], disk=made["disk"])


def _with_device_times(
    device: Device, page_bytes: int, times: Mapping[Operation, float]
) -> Device:
    """Return a copy whose random accesses of a page keep it busy for so long."""
    if not times:
        return device
    made = replace(device)
    for operation, time in times.items():
        made.computed["service_time", operation, page_bytes, "random", None] = (
            ServiceTime(
                time,
                "own_figure",
                time,
                time,
                f"{format_microseconds(time)} at the other end",
                page_bytes,
            )
        )
    return made


_BY_LAW = (
    "the law overstates the misses by its worst error",
    "the law understates them by its worst error",
)
_BY_LAWS = (
    "the scale laws overstate the misses by their worst error",
    "the scale laws understate them by their worst error",
)
"""Of a composed curve, whose workloads may have been scaled by several."""


def _curves(
    name: str, curve: Curve, sizes: tuple[float, ...]
) -> Iterator[tuple[str, Curve, Curve]]:
    """Yield other curves, with the one to compare each with."""
    match name:
        case "steady_state_uncertain" if curve.cold is not None:
            base = _thinned(curve, sizes)
            low, high = curve.misses_band(base.pages)
            yield "no first touch misses there", _with_misses(base, low), base
            yield "every first touch misses there", _with_misses(base, high), base
        case "sampled_curve":
            yield from _of_sample(curve)
        case "scaled" | "scale_extrapolated" if curve.is_scaled:
            base = _thinned(curve, sizes)
            low, high = curve.law_band(base.pages)
            more, fewer = _BY_LAW if curve.scaled is not None else _BY_LAWS
            yield more, _with_misses(base, low), base
            yield fewer, _with_misses(base, high), base
        case "curve_from_ages" if curve.evidence is not None and curve.evidence.band:
            yield from _of_band(curve, curve.evidence)
        case "curve_from_one_point" if curve.evidence is not None:
            yield from _of_one_point(curve, sizes)
        case "interpolated" | "beyond_the_curve":
            yield from _of_readings(name, curve, sizes)
        case "dirty_share_stated" | "dirty_share_unknown":
            unknown = replace(curve, write_backs_at=None, write_accesses=0)
            none, most = dirty_ends(unknown)
            yield "no evicted page is dirty", none, curve
            yield "as many evicted pages as possible are dirty", most, curve
        case each if each == NO_WRITES_IN_FORMAT and curve.write_backs_at is not None:
            dirty = replace(
                curve,
                write_backs_at=np.asarray(curve.misses_at),
                write_accesses=curve.accesses,
                # At this end they are known.
                notes=replace(curve.notes, tells_writes=True),
            )
            yield "every access writes", dirty, curve
        case each if each == BAD_RECORDS_SKIPPED and curve.notes.skipped_records:
            yield from _with_skipped(curve, sizes)
        case _:
            pass


def _of_band(curve: Curve, evidence: Evidence) -> Iterator[tuple[str, Curve, Curve]]:
    """Yield curves with the misses at the ends of the band of several snapshots."""
    # The band steps between sizes that were counted alone.
    listed = [row[0] for row in evidence.band if row[0] <= curve.last_listed]
    base = curve.at(np.union1d(curve.pages, np.asarray(listed, dtype=np.int64)))
    for which, ratios in zip(
        ("lower", "upper"), evidence.ends(base.pages), strict=True
    ):
        yield (
            f"all misses are at the {which} end of the band of the snapshots",
            _with_misses(base, ratios * curve.accesses),
            base,
        )


def _of_one_point(
    curve: Curve, sizes: tuple[float, ...]
) -> Iterator[tuple[str, Curve, Curve]]:
    """Yield curves with the fewest and the most misses of the sizes that are read beside the one that is known."""
    last = curve.last_listed
    read = np.unique(np.rint(sizes))
    other = read[(read != last) & (read >= 1)]
    if not other.size:
        return
    known = float(curve.misses(last))
    few = np.where(other < last, known, 0.0)
    many = np.where(other < last, float(curve.accesses), known)
    yield (
        "smaller caches miss no more, and larger ones nothing",
        _with_points(curve, other, few),
        curve,
    )
    yield (
        "smaller caches miss every access, and larger ones no less",
        _with_points(curve, other, many),
        curve,
    )


def _of_sample(curve: Curve) -> Iterator[tuple[str, Curve, Curve]]:
    """Yield curves with the misses at the ends of their intervals."""
    counted = curve if curve.cold is None else curve.cold
    if counted.interval is None:
        return
    for which, misses in zip(("lower", "upper"), counted.interval, strict=True):
        if curve.cold is None:
            made = _with_misses(counted, misses)
        elif curve.scaled is None:
            made = _with_misses(counted, misses).steady()
        else:  # the scaled curve knows its steady state from the recording
            share = misses / np.maximum(counted.misses_at, 1.0)
            off = np.interp(curve.pages, counted.pages, share)
            made = _with_misses(curve, np.minimum.accumulate(curve.misses_at * off))
        yield (
            f"all misses are at the {which} end of their 95 % intervals",
            made,
            curve,
        )


def _of_readings(
    name: str, curve: Curve, sizes: tuple[float, ...]
) -> Iterator[tuple[str, Curve, Curve]]:
    """Yield curves with what they may hold at the sizes at which they are read between the listed ones."""
    last = curve.last_listed
    read = np.unique(np.rint(sizes))
    known = curve.listed(read)
    if name == "interpolated":
        at = read[(read < last) & ~known]
        if not at.size:
            return
        knots = curve.knots
        right = np.searchsorted(knots, at)
        few, many = curve.misses(knots[right]), curve.misses(knots[right - 1])
        yield (
            "misses at these sizes are those of the next larger listed sizes",
            _with_points(curve, at, few),
            curve,
        )
        yield (
            "misses at these sizes are those of the next smaller listed sizes",
            _with_points(curve, at, many),
            curve,
        )
        return
    at = read[read > last]
    if at.size and curve.ends_early:
        yield (
            "nothing misses in caches beyond the curve",
            _with_points(curve, at, np.zeros(len(at))),
            curve,
        )


def _with_skipped(
    curve: Curve, sizes: tuple[float, ...]
) -> Iterator[tuple[str, Curve, Curve]]:
    """Yield curves with the records that were skipped, each one access."""
    base = _thinned(curve, sizes)
    skipped = base.notes.skipped_records
    text = (
        "the record skipped is"
        if skipped == 1
        else f"the {counted(skipped, 'record')} skipped are"
    )
    accesses = base.accesses + skipped
    for what, missed in (("hits of RAM", 0), ("misses of RAM and flash", skipped)):
        one = (
            what
            if skipped != 1
            else what.replace("hits", "a hit", 1).replace("misses", "a miss", 1)
        )
        yield (
            f"{text} {one}",
            replace(base, misses_at=base.misses_at + missed, accesses=accesses),
            base,
        )


def _thinned(curve: Curve, sizes: tuple[float, ...]) -> Curve:
    """Return the curve, with fewer sizes where it lists many: each end is a copy of it."""
    if len(curve.pages) <= MOST_POINTS:
        return curve
    also = [int(size) for size in np.rint(sizes) if size >= 1]
    kept = thinned_sizes(curve.last_listed, KEPT_POINTS, also)
    return curve.at(kept[kept <= curve.last_listed])


def _with_misses(curve: Curve, misses: FloatArray) -> Curve:
    """Return the curve with other misses, as many of them dirty as before."""
    falling = np.minimum.accumulate(np.clip(misses, 0.0, float(curve.accesses)))
    backs = curve.write_backs_at
    if backs is not None:
        dirty = share(backs, curve.misses_at) * falling
        backs = np.minimum.accumulate(np.minimum(dirty, float(curve.write_accesses)))
    return replace(curve, misses_at=falling, write_backs_at=backs)


def _with_points(curve: Curve, sizes: FloatArray, misses: ArrayLike) -> Curve:
    """Return the curve with misses of further sizes, as many of them dirty as before."""
    listed = np.concatenate((curve.pages, sizes.astype(np.int64)))
    order = np.argsort(listed)
    found = np.concatenate((curve.misses_at, np.asarray(misses)))[order]
    pages = listed[order]
    backs = curve.write_backs_at
    if backs is not None:
        dirty = curve.dirty_share(pages) * found
        backs = np.minimum.accumulate(np.minimum(dirty, float(curve.write_accesses)))
    return replace(
        curve,
        pages=pages,
        misses_at=np.minimum.accumulate(found),
        write_backs_at=backs,
    )
