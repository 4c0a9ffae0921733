"""What an answer about response time holds: rates, schemes at a rate, columns, jumps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tierwright.advise.point import scheme_titles
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.response.mixture import tier_of_quantile
from tierwright.evaluate.response.schemes import (
    PERCENTILES,
    TIERS,
    US_PER_S,
    Hierarchy,
    SchemeResponse,
    Station,
    least_flash_pages,
    least_ram_pages,
)
from tierwright.profile.curve import Curve

EXPLAINED = (0.5, 0.99)
"""Percentiles of which the answer says where they jump."""
NEAR = 0.1
"""Relative distance of a share from that of a percentile within which it is about to jump. [1]"""


@dataclass(frozen=True, slots=True)
class NamedRate:
    """A rate of page accesses of one machine.

    Attributes
    ----------
    name : str
        `mean`, `peak` or another.
    accesses_per_s : float
        [1/s]
    basis : str
        Where it is from.
    """

    name: str
    accesses_per_s: float
    basis: str


@dataclass(frozen=True, slots=True)
class StationAt:
    """The devices of one tier under a scheme at a rate.

    Attributes
    ----------
    tier, device_id : str
        `flash` or `disk`, and its device.
    devices, at_once : int
        Equal devices, and operations that one of them serves at once.
    operations_per_s : float
        Reads and writes, over all devices. [1/s]
    utilisation : float
        Busy share; from 1 on the queue grows without bound. [1]
    latency_us : float
        Of a read alone. [µs]
    latency_known : bool
        Whether it is stated.
    service_us : float or None
        Mean time that an operation occupies one of those served at once: c / IOPS of the mix. [µs]
    service_scv : float or None
        Its variance over its squared mean. [1]
    busy_us : float or None
        1/IOPS of the mix. [µs]
    wait_us, wait_probability : float or None
        Mean wait before service, and the share of operations that wait; None where unbounded. [µs]
    largest_accesses_per_s : float or None
        Rate at which they are busy all the time; None where they are not used. [1/s]
    """

    tier: str
    device_id: str
    devices: int
    at_once: int
    operations_per_s: float
    utilisation: float
    latency_us: float
    latency_known: bool
    service_us: float | None
    service_scv: float | None
    busy_us: float | None
    wait_us: float | None
    wait_probability: float | None
    largest_accesses_per_s: float | None


@dataclass(frozen=True, slots=True)
class SchemeAt:
    """One scheme at one rate; times are None where a device cannot keep up.

    Attributes
    ----------
    scheme, title, rate : str
        Names.
    accesses_per_s : float
        [1/s]
    mean_us, p50_us, p99_us, p999_us : float or None
        Response time of a page access. [µs]
    mean_least_us, mean_most_us : float or None
        Of the mean, where the flash hits are off by the known error of their approximation; equal
        to it where they have none. [µs]
    ram_share, flash_share, disk_share : float
        Of the accesses, by where the page is read. [1]
    unbounded : tuple of str
        Tiers whose devices cannot keep up.
    largest_accesses_per_s : float or None
        Rate at which the first device is busy all the time; None where none is used. [1/s]
    bottleneck : str or None
        Tier of that device.
    stations : tuple of StationAt
        Flash and disk.
    without_latency : tuple of str
        Tiers that are read and whose devices state no latency: a busy time, 1/IOPS, is all that is known of a read alone, so
        the times that are not 0 are lower bounds.
    """

    scheme: str
    title: str
    rate: str
    accesses_per_s: float
    mean_us: float | None
    p50_us: float | None
    p99_us: float | None
    p999_us: float | None
    mean_least_us: float | None
    mean_most_us: float | None
    ram_share: float
    flash_share: float
    disk_share: float
    unbounded: tuple[str, ...]
    largest_accesses_per_s: float | None
    bottleneck: str | None
    stations: tuple[StationAt, ...]
    without_latency: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemeColumns:
    """One scheme over many rates; None where a device cannot keep up.

    Attributes
    ----------
    scheme, title : str
        Names.
    mean_us, p50_us, p99_us : tuple of (float or None)
        [µs]
    largest_accesses_per_s : float or None
        [1/s]
    """

    scheme: str
    title: str
    mean_us: tuple[float | None, ...]
    p50_us: tuple[float | None, ...]
    p99_us: tuple[float | None, ...]
    largest_accesses_per_s: float | None


@dataclass(frozen=True, slots=True)
class Jump:
    """Where a percentile of the response time jumps from one tier to another.

    Attributes
    ----------
    percentile : float
        [1]
    tier : str
        That answers the access at the percentile.
    crossing : str
        `ram` or `disk`: the tier whose share of the accesses decides.
    share, threshold : float
        That share, and the one at which the percentile jumps. [1]
    resized : str
        `ram` or `flash`: the tier whose size would bring it there.
    pages : int or None
        Its least size on the faster side of the jump; None where no size is. [pages]
    other_tier : str
        That answers beyond the jump.
    other_us : float
        What an access there takes alone. [µs]
    is_at_least : bool
        Whether that is a busy time, as no latency is stated: an access alone takes longer.
    """

    percentile: float
    tier: str
    crossing: str
    share: float
    threshold: float
    resized: str
    pages: int | None
    other_tier: str
    other_us: float
    is_at_least: bool = False

    @property
    def is_near(self) -> bool:
        """Whether the share is within a tenth of the one at which the percentile jumps."""
        return abs(self.share - self.threshold) <= NEAR * self.threshold


def lacks_latency(station: Station, hierarchy: Hierarchy) -> bool:
    """Whether nothing states what a read of some devices takes alone, or how many they serve at once.

    Parameters
    ----------
    station : Station
        Of the devices.
    hierarchy : Hierarchy
        That they are of; it may state how many they serve at once, which their rates give a latency with.
    """
    return not station.latency_known and station.tier not in (hierarchy.at_once or {})


def row_of(
    found: SchemeResponse, at: int, rate: NamedRate, hierarchy: Hierarchy
) -> SchemeAt:
    """Put a scheme at one of the rates into a row."""
    least, most = found.mean_range_s or (found.mean_s, found.mean_s)
    median, tail, extreme = (found.quantile_s[each] for each in PERCENTILES)
    stations = tuple(
        _station_at(found.stations[tier], at, rate.accesses_per_s, hierarchy)
        for tier in TIERS
    )
    return SchemeAt(
        found.scheme,
        scheme_titles()[found.scheme],
        rate.name,
        rate.accesses_per_s,
        _us(found.mean_s, at),
        _us(median, at),
        _us(tail, at),
        _us(extreme, at),
        _us(least, at),
        _us(most, at),
        found.share_of("ram"),
        found.share_of("flash"),
        found.share_of("disk"),
        tuple(each.tier for each in stations if each.utilisation >= 1),
        _finite(found.largest_accesses_per_s),
        found.bottleneck,
        stations,
        tuple(
            tier
            for tier in TIERS
            if found.stations[tier].reads_per_access > 0
            and lacks_latency(found.stations[tier], hierarchy)
        ),
    )


def _station_at(
    found: Station, at: int, accesses_per_s: float, hierarchy: Hierarchy
) -> StationAt:
    device, _ = hierarchy.of("flash" if found.tier == "flash" else "disk")
    wait, mix = found.wait, found.mix
    return StationAt(
        found.tier,
        device.id,
        found.devices,
        found.servers,
        accesses_per_s * (found.reads_per_access + found.writes_per_access),
        0.0 if wait is None else float(wait.utilisation[at]),
        found.read_alone_s * US_PER_S,
        found.latency_known,
        None if mix is None else mix.mean_s * US_PER_S,
        None if mix is None else mix.scv,
        None if mix is None else mix.mean_s / found.servers * US_PER_S,
        0.0 if wait is None else _us(wait.mean_s, at),
        0.0 if wait is None else _finite(float(wait.probability[at])),
        _finite(found.largest_accesses_per_s),
    )


def columns_of(found: SchemeResponse) -> SchemeColumns:
    """Put a scheme over all rates into columns."""
    median, tail, _ = (found.quantile_s[each] for each in PERCENTILES)
    return SchemeColumns(
        found.scheme,
        scheme_titles()[found.scheme],
        _column(found.mean_s),
        _column(median),
        _column(tail),
        _finite(found.largest_accesses_per_s),
    )


def jumps_of(
    curve: Curve,
    found: SchemeResponse,
    *,
    ram_pages: int,
    flash_pages: int,
    hierarchy: Hierarchy,
    flash_metadata: MetadataPreset | None,
) -> tuple[Jump, ...]:
    """Say of each percentile in `EXPLAINED` which share of the accesses decides where it lies.

    Of a curve from counters only where the size at which it jumps is one that the evidence speaks of.
    """
    sizes: dict[str, Any] = {
        "ram_pages": ram_pages,
        "hierarchy": hierarchy,
        "flash_metadata": flash_metadata,
    }
    uses_flash = BY_NAME[found.scheme].uses_flash and flash_pages > 0
    jumps: Iterable[Jump] = (
        replace(
            each,
            is_at_least=each.other_us > 0
            and any(
                lacks_latency(found.stations[tier], hierarchy)
                for tier in TIERS
                if tier == each.other_tier
            ),
        )
        for each in _jumps(curve, found, sizes, uses_flash=uses_flash)
    )
    evidence = curve.evidence
    if evidence is None:
        return tuple(jumps)

    def is_known(jump: Jump) -> bool:
        if jump.pages is None:
            return False
        read = jump.pages + (ram_pages if jump.resized == "flash" else 0)
        return not evidence.reads_beyond(read, read)

    return tuple(filter(is_known, jumps))


def _jumps(
    curve: Curve, found: SchemeResponse, sizes: dict[str, Any], *, uses_flash: bool
) -> Iterator[Jump]:
    alone = {
        "ram": 0.0,
        "flash": found.stations["flash"].read_alone_s * US_PER_S,
        "disk": found.stations["disk"].read_alone_s * US_PER_S,
    }
    for percentile in EXPLAINED:
        tier = tier_of_quantile(found.ways, percentile)
        hits = found.share_of("ram")
        if tier == "ram" or not uses_flash:
            other = "ram"
            if tier == "ram":
                missed_most = hits + found.share_of("flash") >= percentile
                other = "flash" if uses_flash and missed_most else "disk"
            yield Jump(
                percentile,
                tier,
                "ram",
                hits,
                percentile,
                "ram",
                least_ram_pages(curve, percentile),
                other,
                alone[other],
            )
            continue
        beyond = "disk" if tier == "flash" else "flash"
        if tier == "disk" and hits >= percentile:
            beyond = "ram"
        yield Jump(
            percentile,
            tier,
            "disk",
            found.share_of("disk"),
            1 - percentile,
            "flash",
            least_flash_pages(curve, found.scheme, disk_share=1 - percentile, **sizes),
            beyond,
            alone[beyond],
        )


def _us(values: FloatArray, at: int) -> float | None:
    return _finite(float(np.asarray(values)[at]) * US_PER_S)


def _column(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(_finite(value * US_PER_S) for value in values.tolist())


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
