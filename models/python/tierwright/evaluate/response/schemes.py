"""Response time of a page access under each page-flow scheme, at many rates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import is_count
from tierwright.evaluate.metadata import MetadataPreset, ram_pages_left
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.page_flow.evaluation import evaluate_grid
from tierwright.evaluate.page_flow.results import SchemeGrid
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright.evaluate.response.mixture import (
    Way,
    mean_response,
    response_quantile,
)
from tierwright.evaluate.response.queue import (
    SERVICES,
    Mix,
    Service,
    Wait,
    servers_at_once,
    waiting,
)
from tierwright.hardware.device import Device, Operation
from tierwright.hardware.service_time import service_time, waiting_time
from tierwright.profile.curve import Curve

Tier = Literal["flash", "disk"]
TIERS: tuple[Tier, ...] = ("flash", "disk")
Writes = Literal["background", "waited_for"]
WRITES: dict[Writes, str] = {
    "background": "an access waits for its read alone; writes keep devices busy and are not "
    "waited for",
    "waited_for": "an access that misses RAM waits for its read and then, one after the other, "
    "for the writes that its miss causes",
}
"""What an access waits for: name and meaning."""
PERCENTILES = (0.5, 0.99, 0.999)
US_PER_S = 1e6
MOST_DEVICES = 100_000
ONE_AT_A_TIME = "hdd"
"""Kind of device that has one arm, whatever its rating: it serves one operation at once."""
ESTIMATOR = (
    "each device a queue M/G/c: c = IOPS x latency, mean wait by Lee and Longton (exact for one "
    "server), percentiles of the mixture of RAM hits, flash reads and disk reads"
)
VALIDITY = (
    "LRU in both tiers, accesses that arrive as a Poisson process, stated times at every load, "
    "a RAM hit takes no time; bursts of a trace wait longer"
)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Devices, and what an access waits for.

    Attributes
    ----------
    flash, disk : Device
        Of the two lower tiers.
    flash_devices, disks : int
        Equal devices of each; pages are spread evenly, and each has a queue of its own.
    service : str
        Key of `SERVICES`.
    writes : str
        Key of `WRITES`.
    at_once : mapping of str to int
        Operations that the devices of a tier serve at once, where that is stated; otherwise by
        `servers_at_once`.
    """

    flash: Device
    disk: Device
    flash_devices: int = 1
    disks: int = 1
    service: Service = "constant"
    writes: Writes = "background"
    at_once: Mapping[Tier, int] | None = None

    def of(self, tier: Tier) -> tuple[Device, int]:
        """Device of a tier, and how many of it there are."""
        if tier == "flash":
            return self.flash, self.flash_devices
        return self.disk, self.disks


@dataclass(frozen=True, slots=True)
class Station:
    """The devices of a tier under one scheme; arrays over the rates.

    Attributes
    ----------
    tier : str
        `flash` or `disk`.
    devices : int
        Equal ones.
    servers : int
        c: operations that one of them serves at once.
    latency_known : bool
        Whether the latency of a read is stated; otherwise a read alone takes c / IOPS.
    reads_per_access, writes_per_access : float
        Over all of the devices. [1]
    busy_us : tuple of float
        1/IOPS of a read and of a write. [µs]
    read_alone_s, write_alone_s : float
        Time of an operation that waits for no other. [s]
    mix : Mix or None
        What one of them serves; None where nothing is asked of it.
    wait : Wait or None
        At each rate.
    largest_accesses_per_s : float
        Accesses per second at which they are busy all the time; infinite where nothing is asked
        of them. [1/s]
    """

    tier: Tier
    devices: int
    servers: int
    latency_known: bool
    reads_per_access: float
    writes_per_access: float
    busy_us: tuple[float, float]
    read_alone_s: float
    write_alone_s: float
    mix: Mix | None
    wait: Wait | None
    largest_accesses_per_s: float


@dataclass(frozen=True, slots=True)
class SchemeResponse:
    """One scheme; arrays over the rates.

    Attributes
    ----------
    scheme : str
        Name.
    ways : tuple of Way
        What an access can take, with its share.
    stations : dict of str to Station
        By tier.
    mean_s : float64 array
        NaN where a device cannot keep up. [s]
    quantile_s : dict of float to float64 array
        By percentile of `PERCENTILES`. [s]
    largest_accesses_per_s : float
        Rate at which the first device is busy all the time. [1/s]
    bottleneck : str or None
        Tier of that device; None where no device is needed.
    mean_range_s : tuple of float64 array, or None
        Least and most where the flash hits are off by their known error. [s]
    """

    scheme: str
    ways: tuple[Way, ...]
    stations: dict[Tier, Station]
    mean_s: FloatArray
    quantile_s: dict[float, FloatArray]
    largest_accesses_per_s: float
    bottleneck: Tier | None
    mean_range_s: tuple[FloatArray, FloatArray] | None = None

    def share_of(self, tier: str) -> float:
        """Share of the accesses that read a tier, or hit `ram`. [1]"""
        return sum(way.share for way in self.ways if way.tier == tier)


def scheme_response(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    hierarchy: Hierarchy,
    accesses_per_s: ArrayLike,
    schemes: Iterable[str] = SCHEMES,
    flash_metadata: MetadataPreset | None = None,
    percentiles: Sequence[float] = PERCENTILES,
    ranges: bool = True,
) -> dict[str, SchemeResponse]:
    """Mean and percentiles of the response time of a page access, by scheme.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size.
    ram_pages, flash_pages : int
        r and f. [pages]
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    accesses_per_s : array_like, shape (K,)
        Rates, above 0. [1/s]
    schemes : iterable of str
        Schemes wanted.
    flash_metadata : MetadataPreset, optional
        As `evaluate_grid`: charged to the RAM.
    percentiles : sequence of float
        Wanted; without any the answer is quicker. [1]
    ranges : bool
        Whether the mean is given a range; without the answer is quicker.

    Returns
    -------
    dict of str to SchemeResponse

    Raises
    ------
    BadInput
        As `evaluate_grid`; if a rate is not above 0, a count of devices not a whole number above
        0, a name of the hierarchy unknown, or the metadata leave no RAM.
    """
    rates = checked_rates(accesses_per_s)
    _check(hierarchy)
    wanted = list(schemes)
    left = whole_ram_left(curve, ram_pages, flash_pages, flash_metadata)

    def grids(names: Sequence[str], hits_off: float) -> dict[str, SchemeGrid]:
        return evaluate_grid(
            curve,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            flash=hierarchy.flash,
            disk=hierarchy.disk,
            schemes=names,
            flash_metadata=flash_metadata,
            hits_off=hits_off,
        )

    found = {
        name: _of_costs(name, costs, rates, hierarchy, curve, percentiles)
        for name, costs in grids(wanted, 0.0).items()
    }
    r, f = np.asarray(float(left)), np.asarray(float(flash_pages))
    near = [name for name in wanted if float(explain.error_band(name, r, f, curve)) > 0]
    if not (near and ranges):
        return found
    ends = [grids(near, end) for end in (-1.0, 1.0)]
    for name in near:
        means = [found[name].mean_s]
        for end in ends:
            ways = _ways(*_stations(end[name], rates, hierarchy, curve), hierarchy)
            means.append(_over(mean_response(ways), rates))
        every = np.stack(means)
        found[name] = replace(
            found[name], mean_range_s=(every.min(axis=0), every.max(axis=0))
        )
    return found


def whole_ram_left(
    curve: Curve,
    ram_pages: int,
    flash_pages: int,
    flash_metadata: MetadataPreset | None,
) -> int:
    """Return the RAM that the flash metadata leave, in whole pages. [pages]

    Raises
    ------
    BadInput
        If they leave none.
    """
    if flash_metadata is None:
        return ram_pages
    left = ram_pages_left(
        flash_metadata,
        ram_pages=ram_pages,
        flash_pages=flash_pages,
        page_bytes=curve.page_bytes,
        source_bytes=curve.data_pages * curve.page_bytes,
    )
    if float(left) < 1:
        raise BadInput(
            f"response: ram_pages: `{ram_pages}` hold less than the flash metadata "
            f"({flash_metadata.title})",
            "give more RAM or less flash, or a flash cache with smaller entries",
        )
    return int(left)


def checked_rates(accesses_per_s: ArrayLike) -> FloatArray:
    """Check rates, and return them as a list.

    Raises
    ------
    BadInput
        If there is none, or one is not a finite number above 0.
    """
    problems = Problems("response", "give page accesses per second, such as 5000")
    try:
        rates = np.atleast_1d(np.asarray(accesses_per_s, dtype=np.float64))
    except (TypeError, ValueError):
        rates = np.zeros(0)
    problems.check(
        rates.ndim == 1 and rates.size > 0,
        "accesses_per_s",
        accesses_per_s,
        "is no rate",
    )
    for rate in rates.ravel().tolist():
        problems.check(
            math.isfinite(rate) and rate > 0,
            "accesses_per_s",
            rate,
            "must be a finite number above 0",
        )
    problems.raise_if_any()
    return rates


def least_flash_pages(
    curve: Curve,
    scheme: str,
    *,
    ram_pages: int,
    hierarchy: Hierarchy,
    disk_share: float,
    flash_metadata: MetadataPreset | None = None,
) -> int | None:
    """Least flash with which a share of the accesses at most reads the disk.

    Parameters
    ----------
    curve : Curve
        Of the workload.
    scheme : str
        Name; of `none` no flash helps.
    ram_pages : int
        r. [pages]
    hierarchy : Hierarchy
        Devices.
    disk_share : float
        Of the accesses. [1]
    flash_metadata : MetadataPreset, optional
        As `scheme_response`.

    Returns
    -------
    int or None
        None where flash of all pages leaves more. [pages]

    Raises
    ------
    BadInput
        As `evaluate_grid`.
    """
    low, high = 0, max(2, curve.data_pages)
    while high - low > 1:
        sizes = np.unique(np.linspace(low, high, _SIZES).round().astype(np.int64))
        costs = evaluate_grid(
            curve,
            ram_pages=ram_pages,
            flash_pages=sizes,
            flash=hierarchy.flash,
            disk=hierarchy.disk,
            schemes=[scheme],
            flash_metadata=flash_metadata,
        )[scheme]
        enough = costs.flash_misses <= disk_share * curve.accesses
        if not bool(enough.any()):
            return None
        first = int(enough.argmax())
        if first == 0:
            return int(sizes[0])
        low, high = int(sizes[first - 1]), int(sizes[first])
    return high


def least_ram_pages(curve: Curve, hit_share: float) -> int | None:
    """Least RAM that holds a share of the accesses; None where all pages do not. [pages]

    Parameters
    ----------
    curve : Curve
        Of the workload.
    hit_share : float
        Of the accesses. [1]
    """
    low, high = 0, max(1, curve.data_pages)
    allowed = (1 - hit_share) * curve.accesses
    if float(curve.misses(high)) > allowed:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if float(curve.misses(middle)) > allowed:
            low = middle
        else:
            high = middle
    return high


_SIZES = 65
"""Sizes that one step of the search looks at."""


def _check(hierarchy: Hierarchy) -> None:
    problems = Problems("response", "use whole numbers of devices, and a name listed")
    for name in ("flash_devices", "disks"):
        value = getattr(hierarchy, name)
        problems.check(
            _is_count(value),
            name,
            value,
            f"must be a whole number from 1 to {MOST_DEVICES}",
        )
    for tier, value in (hierarchy.at_once or {}).items():
        problems.check(
            _is_count(value),
            f"operations at once of {tier}",
            value,
            f"must be a whole number from 1 to {MOST_DEVICES}",
        )
    for name, table in (("service", SERVICES), ("writes", WRITES)):
        value = getattr(hierarchy, name)
        problems.check(
            value in table, name, value, f"must be one of {', '.join(table)}"
        )
    problems.raise_if_any()


def _is_count(value: object) -> bool:
    return is_count(value, MOST_DEVICES) and value != 0


def _of_costs(
    name: str,
    costs: SchemeGrid,
    rates: FloatArray,
    hierarchy: Hierarchy,
    curve: Curve,
    percentiles: Sequence[float],
) -> SchemeResponse:
    flash, disk = _stations(costs, rates, hierarchy, curve)
    ways = _ways(flash, disk, hierarchy)
    stations: dict[Tier, Station] = {"flash": flash, "disk": disk}
    first = min(stations, key=lambda tier: stations[tier].largest_accesses_per_s)
    largest = stations[first].largest_accesses_per_s
    # A write that nobody waits for still fills the queue of its device.
    carried = rates < largest
    quantiles: list[FloatArray] = []
    if percentiles:
        found = response_quantile(ways, percentiles)
        found = np.broadcast_to(
            found if found.ndim > 1 else found[:, None], (len(percentiles), len(rates))
        )
        quantiles = list(np.where(carried, found, np.nan))
    return SchemeResponse(
        name,
        ways,
        stations,
        np.where(carried, _over(mean_response(ways), rates), np.nan),
        dict(zip(percentiles, quantiles, strict=True)),
        largest,
        first if math.isfinite(largest) else None,
    )


def _over(values: FloatArray, rates: FloatArray) -> FloatArray:
    return np.broadcast_to(values, rates.shape)


def _stations(
    costs: SchemeGrid, rates: FloatArray, hierarchy: Hierarchy, curve: Curve
) -> tuple[Station, Station]:
    per = costs.accesses
    return (
        _station(
            "flash",
            float(costs.flash_hits) / per,
            float(costs.flash_writes_per_access),
            rates,
            hierarchy,
            curve.page_bytes,
        ),
        _station(
            "disk",
            float(costs.flash_misses) / per,
            float(costs.disk_writes_per_access),
            rates,
            hierarchy,
            curve.page_bytes,
        ),
    )


def operation_times(
    device: Device, operation: Operation, page_bytes: int
) -> tuple[float, float]:
    """Busy time and latency of an operation, NaN where it is not stated. [s]

    Parameters
    ----------
    device : Device
    operation : str
        `read` or `write`.
    page_bytes : int
        [bytes]
    """
    busy = service_time(device, operation, page_bytes).time_us
    alone = waiting_time(device, operation, page_bytes).time_us
    return (
        math.nan if busy is None else busy / US_PER_S,
        math.nan if alone is None else alone / US_PER_S,
    )


def _station(
    tier: Tier,
    reads: float,
    writes: float,
    rates: FloatArray,
    hierarchy: Hierarchy,
    page_bytes: int,
) -> Station:
    device, count = hierarchy.of(tier)
    read, write = (
        operation_times(device, each, page_bytes) for each in ("read", "write")
    )
    busy = np.array([read[0], write[0]])
    latency = np.array([read[1], write[1]])
    operations = reads + writes
    shares = (
        np.array([reads, writes]) / operations
        if operations > 0
        else np.array([1.0, 0.0])
    )
    servers = (hierarchy.at_once or {}).get(tier) or (
        1 if device.kind == ONE_AT_A_TIME else servers_at_once(busy, latency, shares)
    )
    occupancy = servers * busy
    alone = np.where(np.isnan(latency), occupancy, np.fmax(latency, busy))
    mix, wait, largest = None, None, math.inf
    if operations > 0:
        mix = Mix.checked(shares, occupancy, hierarchy.service)
        wait = waiting(rates * operations / count, servers=servers, mix=mix)
        largest = count * servers / (operations * mix.mean_s)
    return Station(
        tier,
        count,
        servers,
        not math.isnan(latency[0]),
        reads,
        writes,
        (float(busy[0]) * US_PER_S, float(busy[1]) * US_PER_S),
        float(alone[0]),
        float(alone[1]),
        mix,
        wait,
        largest,
    )


def _ways(flash: Station, disk: Station, hierarchy: Hierarchy) -> tuple[Way, ...]:
    missed = flash.reads_per_access + disk.reads_per_access
    ways = [Way("ram", max(0.0, 1.0 - missed), 0.0)]
    for station in (flash, disk):
        if station.reads_per_access <= 0 or station.wait is None:
            continue
        for share, flash_writes, disk_writes in _writes_of(
            flash, disk, missed, hierarchy.writes
        ):
            times = (
                station.read_alone_s,
                *(flash.write_alone_s,) * flash_writes,
                *(disk.write_alone_s,) * disk_writes,
            )
            ways.append(
                Way(
                    station.tier,
                    station.reads_per_access * share,
                    sum(times),
                    (
                        station.wait,
                        *((flash.wait,) * flash_writes if flash.wait else ()),
                        *((disk.wait,) * disk_writes if disk.wait else ()),
                    ),
                    times if hierarchy.service == "exponential" else (),
                )
            )
    return tuple(ways)


def _writes_of(
    flash: Station, disk: Station, missed: float, writes: Writes
) -> Iterator[tuple[float, int, int]]:
    """Share of the misses that wait for so many writes of flash and of the disk."""
    if writes == "background":
        yield 1.0, 0, 0
        return
    each = (_around(station.writes_per_access / missed) for station in (flash, disk))
    for (one, of_flash), (other, of_disk) in itertools.product(*each):
        yield one * other, of_flash, of_disk


def _around(mean: float) -> list[tuple[float, int]]:
    """Whole numbers next to a mean, with the shares that make it."""
    low = math.floor(mean)
    part = mean - low
    return [(1 - part, low), (part, low + 1)] if part > 0 else [(1.0, low)]
