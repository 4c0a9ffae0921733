"""Throughput of each page-flow scheme: demands from the page-flow costs, then MVA."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.metadata import MetadataPreset, ram_pages_left
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.page_flow.cautions import about_curve, about_space_behind
from tierwright.evaluate.page_flow.evaluation import evaluate_grid
from tierwright.evaluate.page_flow.results import SchemeGrid
from tierwright.evaluate.page_flow.schemes import (
    BY_NAME,
    NO_FLASH,
    SCHEMES,
    TIE_ORDER,
)
from tierwright.evaluate.throughput.laws import Bounds, asymptotic_bounds
from tierwright.evaluate.throughput.mva import ESTIMATOR, VALIDITY, closed_network
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.mixed_load import beside_writes_us, mixed_load_basis
from tierwright.hardware.service_time import service_basis, service_us, waiting_time
from tierwright.profile.curve import Curve

Station = Literal["cpu", "flash", "disk"]
Limit = Literal["clients", "cpu", "flash", "disk"]
STATIONS: tuple[Station, ...] = ("cpu", "flash", "disk")
"""Kinds of station, in the order of the last axis of demands."""
US_PER_S = 1e6
SATURATED = 0.9
"""Utilisation from which a device limits: below it more clients get more done. [1]"""
CLIENTS: Limit = "clients"
DEMAND_VALIDITY = (
    "LRU in both tiers, busy times at the rates that the devices state, latencies as they state "
    "them, the same at every load; the range is that of flash hits off by their known error"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """Who works, and with what.

    Attributes
    ----------
    clients : int
        N.
    accesses_per_transaction : float
        Page accesses of one transaction.
    think_s : float
        Z, time between a client's transactions. [s]
    cpu_s_per_transaction : float
        Processor time of one transaction. [s]
    cpus, flash_devices, disks : int
        Equal devices of each kind, each with a queue of its own; pages are spread evenly.
    """

    clients: int
    accesses_per_transaction: float = 1.0
    think_s: float = 0.0
    cpu_s_per_transaction: float = 0.0
    cpus: int = 1
    flash_devices: int = 1
    disks: int = 1


@dataclass(frozen=True, slots=True)
class SchemeThroughput:
    """One scheme; arrays of shape (P,) over the points of the study, or (P, K) by station.

    Attributes
    ----------
    scheme : str
        Name.
    demands_s : float64 array, shape (P, K)
        Demand of a transaction at each kind of `STATIONS`, over all its devices. [s]
    delay_s : float64 array, shape (P,)
        W, what a transaction waits for its I/Os beyond the time that they keep devices busy:
        latency - busy time of each, where the latency is longer. [s]
    bounds : Bounds
        Operational laws: bottleneck, its rate, the knee.
    throughput_per_s, response_s : float64 array, shape (P,)
        At N clients, by MVA. [1/s], [s]
    utilisation, queue : float64 array, shape (P, K)
        Of one device of each kind. [1], [clients]
    limit : tuple of str or None, length P
        What limits the throughput: a kind of `STATIONS` whose devices are at least `SATURATED`
        busy, the busiest of them; else `clients`. None where nothing is demanded.
    throughput_range_per_s, response_range_s : tuple of float64 array, or None
        Least and most where the flash hits are off by the known error of their
        approximation; None where they are exact. [1/s], [s]
    costs : SchemeGrid
        Counts and busy times behind the demands, per access, at the points.
    estimator, exactness : str
        How the hits were obtained, and how far off they may be, at the worst of the points.
    exact : bool
        Whether a simulation with LRU in both tiers gives the same hits at every point.
    beside_writes_us : float
        c of `mixed_load`: what a flash read takes longer, times the share of flash writes beside
        it; 0 where the flash device states no mixed load. [µs]
    """

    scheme: str
    demands_s: FloatArray
    delay_s: FloatArray
    bounds: Bounds
    throughput_per_s: FloatArray
    response_s: FloatArray
    utilisation: FloatArray
    queue: FloatArray
    limit: tuple[Limit | None, ...]
    throughput_range_per_s: tuple[FloatArray, FloatArray] | None
    response_range_s: tuple[FloatArray, FloatArray] | None
    costs: SchemeGrid
    estimator: str
    exactness: str
    exact: bool
    beside_writes_us: float = 0.0


@dataclass(frozen=True, slots=True)
class ThroughputStudy:
    """All schemes over the points of one varied quantity.

    Attributes
    ----------
    varied : str
        `clients`, `disks`, `flash_devices` or `flash_pages`.
    points : int64 array, shape (P,)
        Its values.
    schemes : dict of str to SchemeThroughput
        By name.
    best : tuple of str
        Scheme of most throughput at each point; among equals the first of `TIE_ORDER`.
    knee_disks : dict of str to float or None
        Disks at which the disks are no longer the bottleneck, at the first point's sizes: disk
        demand over the largest other demand; None where nothing else is demanded.
    estimator, validity : str
        How it was computed, and where that holds.
    warnings : tuple of Caution
        What to know before acting on it.
    inputs : dict
        Sizes, devices and the setting that were used, with units.
    derivation : list of dict
        Per scheme at the last point: formula, numbers put in, source.
    """

    varied: str
    points: np.typing.NDArray[np.int64]
    schemes: dict[str, SchemeThroughput]
    best: tuple[str, ...]
    knee_disks: dict[str, float | None]
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    inputs: dict[str, Any]
    derivation: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, columnar; what is infinite or undefined is null."""
        return {
            "varied": self.varied,
            "points": self.points.tolist(),
            "stations": list(STATIONS),
            "schemes": {
                name: {
                    "demand_s": _by_station(found.demands_s),
                    "delay_s": _plain(found.delay_s),
                    "throughput_per_s": _plain(found.throughput_per_s),
                    "response_s": _plain(found.response_s),
                    "utilisation": _by_station(found.utilisation),
                    "queue": _by_station(found.queue),
                    "bottleneck": [
                        STATIONS[kind] if rate < np.inf else None
                        for kind, rate in zip(
                            found.bounds.bottleneck.tolist(),
                            found.bounds.max_throughput_per_s.tolist(),
                            strict=True,
                        )
                    ],
                    "limit": list(found.limit),
                    "max_throughput_per_s": _plain(found.bounds.max_throughput_per_s),
                    "throughput_bound_per_s": _plain(found.bounds.throughput_per_s),
                    "response_bound_s": _plain(found.bounds.response_s),
                    "knee_clients": _plain(found.bounds.knee_clients),
                    "knee_disks": self.knee_disks[name],
                    "throughput_range_per_s": _both(found.throughput_range_per_s),
                    "response_range_s": _both(found.response_range_s),
                    "estimator": found.estimator,
                    "exact": found.exact,
                    "exactness": found.exactness,
                }
                for name, found in self.schemes.items()
            },
            "best": list(self.best),
            "estimator": self.estimator,
            "validity": self.validity,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
            "inputs": self.inputs,
            "derivation": self.derivation,
        }


def scheme_throughput(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    setting: Setting,
    vary: str = "clients",
    points: Sequence[int] | None = None,
    schemes: Iterable[str] = SCHEMES,
    flash_metadata: MetadataPreset | None = None,
) -> ThroughputStudy:
    """Throughput and response time of each scheme against clients, disks or flash.

    The demand of a transaction at flash and at the disks is its accesses times the flash and
    disk terms of C0 to C3 per access; a RAM hit needs none. Each device has a queue of its own.
    Where one request alone takes longer than it keeps its device busy, a client waits for the
    rest as well, whatever the queues.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size.
    ram_pages, flash_pages : int
        r and f. [pages]
    flash, disk : Device
        Devices of the two lower tiers; their busy times are F_R, F_W, D_R, D_W.
    setting : Setting
        Clients, devices, think time.
    vary : str
        `clients`, `disks`, `flash_devices` or `flash_pages`: what `points` are values of.
    points : sequence of int, optional
        Values; by default 1 ... clients for clients, else the setting's own value.
    schemes : iterable of str
        Schemes wanted.
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of RAM: `ram_pages` is then a budget, as in
        `evaluate_grid`.

    Returns
    -------
    ThroughputStudy

    Raises
    ------
    BadInput
        As `evaluate_grid`; if a number of the setting is out of its domain, or a point is,
        or the metadata of a flash size leave no RAM.
    """
    _check_setting(setting)
    values = _points(vary, points, setting, flash_pages)
    sizes = values if vary == "flash_pages" else np.full_like(values, flash_pages)
    wanted = list(schemes)

    def costs_of(names: Iterable[str], hits_off: float) -> dict[str, SchemeGrid]:
        return evaluate_grid(
            curve,
            ram_pages=ram_pages,
            flash_pages=sizes,
            flash=flash,
            disk=disk,
            schemes=names,
            flash_metadata=flash_metadata,
            hits_off=hits_off,
        )

    grid = costs_of(wanted, 0.0)
    left = _ram_left(curve, ram_pages, sizes, flash_metadata)
    devices = np.empty((len(values), len(STATIONS)))
    devices[:] = (setting.cpus, setting.flash_devices, setting.disks)
    if vary in ("flash_devices", "disks"):
        devices[:, 1 if vary == "flash_devices" else 2] = values
    clients = values if vary == "clients" else np.full_like(values, setting.clients)
    near = [
        name
        for name in wanted
        if np.any(explain.error_band(name, left, sizes.astype(float), curve))
    ]
    ends = {end: costs_of(near, end) for end in (-1.0, 1.0)} if near else {}
    waits = beyond_busy(flash, disk, curve.page_bytes)
    beside_us = beside_writes_us(flash, curve.page_bytes)
    solved = _solve(
        {
            (name, end): (
                _demands(costs, setting, beside_us),
                _delays(costs, waits, setting.accesses_per_transaction),
            )
            for end, grids in ((0.0, grid), *ends.items())
            for name, costs in grids.items()
        },
        devices,
        clients,
        setting.think_s,
    )
    found = {
        name: _scheme(
            name,
            grid[name],
            [solved[name, end] for end in (0.0, *ends) if (name, end) in solved],
            (
                curve,
                np.full_like(left, ram_pages) if name == NO_FLASH else left,
                sizes,
            ),
            beside_us,
        )
        for name in wanted
    }
    return ThroughputStudy(
        varied=vary,
        points=values,
        schemes=found,
        best=_best(found),
        knee_disks={name: _knee_disks(s, devices[0]) for name, s in found.items()},
        estimator=f"{ESTIMATOR}; {_demand_estimator(found)}",
        validity=f"{VALIDITY}; demands: {DEMAND_VALIDITY}",
        warnings=(
            *about_curve(curve, left, sizes),
            *about_space_behind(flash_metadata),
            *_cautions(found, flash, disk, curve.page_bytes),
        ),
        inputs={
            "ram_pages": ram_pages,
            "flash_pages": flash_pages,
            "flash_metadata": None if flash_metadata is None else flash_metadata.name,
            "ram_pages_left": left.astype(np.int64).tolist(),
            "page_bytes": curve.page_bytes,
            "flash_device_id": flash.id,
            "disk_device_id": disk.id,
            "flash_service_basis": service_basis(flash, curve.page_bytes),
            "disk_service_basis": service_basis(disk, curve.page_bytes),
            "mixed_load": mixed_load_basis(flash),
            "waits_beyond_busy_us": {
                name: getattr(waits, name) for name in BeyondBusy.__slots__
            },
            **{name: getattr(setting, name) for name in Setting.__slots__},
        },
        derivation=[
            _derive(study, devices[-1], int(clients[-1]), setting)
            for study in found.values()
        ],
    )


@dataclass(frozen=True, slots=True)
class BeyondBusy:
    """What one request alone takes longer than it keeps its device busy, by operation. [µs]

    0 where the device states no such time, or a shorter one.
    """

    flash_read: float
    flash_write: float
    disk_read: float
    disk_write: float


def beyond_busy(flash: Device, disk: Device, page_bytes: int) -> BeyondBusy:
    """Return latency - busy time of each operation on a page, at least 0. [µs]

    Parameters
    ----------
    flash, disk : Device
        Devices of the two lower tiers.
    page_bytes : int
        [bytes]

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> drive, volume = (
    ...     catalog.device("intel-s4500-7.68tb"),
    ...     catalog.device("aws-ebs-io2-bx"),
    ... )
    >>> found = beyond_busy(drive, volume, 4096)
    >>> round(found.flash_read, 1), round(found.disk_read, 1)
    (96.1, 496.1)
    """
    return BeyondBusy(
        *(
            _beyond(device, operation, page_bytes)
            for device in (flash, disk)
            for operation in OPERATIONS
        )
    )


def _beyond(device: Device, operation: Operation, page_bytes: int) -> float:
    alone = waiting_time(device, operation, page_bytes).time_us
    busy = service_us(device, operation, page_bytes)
    return 0.0 if alone is None or busy is None else max(alone - busy, 0.0)


def _delays(
    costs: SchemeGrid, waits: BeyondBusy, accesses_per_transaction: float
) -> FloatArray:
    """W of a transaction: its operations times what each waits beyond busy times. [s]"""
    each = (
        costs.flash_hits / costs.accesses * waits.flash_read
        + costs.flash_writes_per_access * waits.flash_write
        + costs.flash_misses / costs.accesses * waits.disk_read
        + costs.disk_writes_per_access * waits.disk_write
    )
    return np.asarray(each * accesses_per_transaction / US_PER_S)


def _demands(costs: SchemeGrid, setting: Setting, beside_us: float = 0.0) -> FloatArray:
    """Busy time of a transaction at each kind of station. [s]"""
    per = setting.accesses_per_transaction / US_PER_S
    flash_us = costs.flash_time_us_per_access
    if beside_us > 0:
        reads, writes = (
            costs.flash_hits / costs.accesses,
            costs.flash_writes_per_access,
        )
        both = np.maximum(reads + writes, np.finfo(float).tiny)
        flash_us = flash_us + reads * beside_us * writes / both
    return np.stack(
        [
            np.full(
                costs.flash_time_us_per_access.shape, setting.cpu_s_per_transaction
            ),
            flash_us * per,
            costs.disk_time_us_per_access * per,
        ],
        axis=-1,
    )


def _scheme(
    name: str,
    costs: SchemeGrid,
    solved: Sequence[_Solved],
    sizes: tuple[Curve, FloatArray, np.typing.NDArray[np.int64]],
    beside_us: float,
) -> SchemeThroughput:
    """Join the solution of a scheme with those at the ends of its known error."""
    main = solved[0]
    exact, exactness = _exactness(name, *sizes)
    some = len(solved) > 1
    rates = np.stack([each.throughput_per_s for each in solved])
    response = np.stack([each.response_s for each in solved])
    return SchemeThroughput(
        name,
        main.demands_s,
        main.delay_s,
        main.bounds,
        main.throughput_per_s,
        main.response_s,
        main.utilisation,
        main.queue,
        _limits(main),
        (rates.min(axis=0), rates.max(axis=0)) if some else None,
        (response.min(axis=0), response.max(axis=0)) if some else None,
        costs,
        BY_NAME[name].estimator,
        exactness,
        exact,
        beside_us,
    )


def _limits(solved: _Solved) -> tuple[Limit | None, ...]:
    busiest = solved.bounds.bottleneck
    busy = np.take_along_axis(solved.utilisation, busiest[:, None], axis=-1)[:, 0]
    return tuple(
        None if rate == np.inf else STATIONS[kind] if share >= SATURATED else CLIENTS
        for kind, share, rate in zip(
            busiest.tolist(),
            busy.tolist(),
            solved.bounds.max_throughput_per_s.tolist(),
            strict=True,
        )
    )


def _exactness(
    name: str,
    curve: Curve,
    ram_pages: FloatArray,
    flash_pages: np.typing.NDArray[np.int64],
) -> tuple[bool, str]:
    """Whether the hits are exact at every point; else in words, at the worst of them."""
    points = {(int(r), int(f)) for r, f in zip(ram_pages, flash_pages, strict=True)}
    said = []
    for r, f in sorted(points):
        whole = int(BY_NAME[name].together(np.asarray(r), np.asarray(f)))
        exact, text, error = explain.exactness(curve, name, r, f, (r, whole))
        said.append((exact, 0.0 if error is None else error[1], text))
    worst = min(said, key=lambda each: (each[0], -each[1]))
    return worst[0], worst[2]


def _demand_estimator(found: Mapping[str, SchemeThroughput]) -> str:
    """Name the approximations inside the demands, with their error."""
    parts = [
        f"{name} by the {study.estimator} ({study.exactness})"
        for name, study in found.items()
        if not study.exact
    ]
    told = "; ".join(parts) or "exact for LRU in both tiers"
    return f"demands from C0 to C3, hits {told}"


def _ram_left(
    curve: Curve,
    ram_pages: int,
    flash_pages: np.typing.NDArray[np.int64],
    preset: MetadataPreset | None,
) -> FloatArray:
    """RAM that the metadata of each flash size leave, refused where there is none."""
    left = ram_pages_left(
        preset,
        ram_pages=ram_pages,
        flash_pages=flash_pages,
        page_bytes=curve.page_bytes,
        source_bytes=curve.data_pages * curve.page_bytes,
    )
    if preset is not None and bool(np.any(left < 1)):
        first = int(flash_pages[int(np.argmax(left < 1))])
        raise BadInput(
            f"throughput: ram_pages: `{ram_pages}` hold less than the metadata of `{first}` "
            f"pages of flash ({preset.title})",
            "give more RAM or less flash, or a flash cache with smaller entries",
        )
    return left


@dataclass(frozen=True, slots=True)
class _Solved:
    """One network at every point, as in `SchemeThroughput`."""

    demands_s: FloatArray
    delay_s: FloatArray
    bounds: Bounds
    throughput_per_s: FloatArray
    response_s: FloatArray
    utilisation: FloatArray
    queue: FloatArray


def _solve(
    demands: Mapping[tuple[str, float], tuple[FloatArray, FloatArray]],
    devices: FloatArray,
    clients: np.typing.NDArray[np.int64],
    think_s: float,
) -> dict[tuple[str, float], _Solved]:
    """Solve the networks of all schemes in one recursion over the population."""
    each = np.stack([wanted for wanted, _ in demands.values()])
    delay = np.stack([waited for _, waited in demands.values()])
    first = each[:, :1]
    most = int(clients.max())
    if bool(
        np.all(each == first)
        and np.all(delay == delay[:, :1])
        and np.all(devices == devices[0])
    ):
        # One network a scheme at many populations: the recursion passes through them all.
        each, delay, count = first[:, 0], delay[:, 0], devices[0]
        pick: Any = (slice(None), clients - 1)
    else:
        count = devices
        pick = (slice(None), np.arange(len(clients)), clients - 1)
    whole = closed_network(
        each, clients=most, think_s=think_s, devices=count, delay_s=delay
    )
    rates, response = whole.throughput_per_s[pick], whole.response_s[pick]
    utilisation, queue = whole.utilisation[pick], whole.queue[pick]
    return {
        key: _Solved(
            wanted,
            waited,
            asymptotic_bounds(
                wanted,
                clients=clients,
                think_s=think_s,
                devices=devices,
                delay_s=waited,
            ),
            rates[at],
            response[at],
            utilisation[at],
            queue[at],
        )
        for at, (key, (wanted, waited)) in enumerate(demands.items())
    }


def _check_setting(setting: Setting) -> None:
    problems = Problems(
        "throughput", "use seconds for times and whole numbers of devices"
    )
    for name in ("clients", "cpus", "flash_devices", "disks"):
        value = getattr(setting, name)
        problems.check(
            _is_positive(value), name, value, "must be a whole number above 0"
        )
    problems.raise_if_any()
    broadcast(
        "throughput",
        amounts={
            name: getattr(setting, name)
            for name in ("accesses_per_transaction", "think_s", "cpu_s_per_transaction")
        },
    )


def _is_positive(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return bool(value > 0)


def _points(
    vary: str, points: Sequence[int] | None, setting: Setting, flash_pages: int
) -> np.typing.NDArray[np.int64]:
    own = {
        "clients": range(1, setting.clients + 1),
        "disks": [setting.disks],
        "flash_devices": [setting.flash_devices],
        "flash_pages": [flash_pages],
    }
    problems = Problems("throughput", f"vary one of {', '.join(own)}")
    problems.check(vary in own, "vary", vary, "cannot be varied")
    problems.raise_if_any()
    chosen = list(own[vary] if points is None else points)
    problems.check(len(chosen) > 0, "points", "[]", "holds no value")
    for value in chosen:
        fits = _is_positive(value) or (vary == "flash_pages" and value == 0)
        problems.check(
            fits, f"points of {vary}", value, "must be a whole number above 0"
        )
    problems.raise_if_any()
    return np.asarray(chosen, dtype=np.int64)


def _best(found: Mapping[str, SchemeThroughput]) -> tuple[str, ...]:
    order = [name for name in TIE_ORDER if name in found]
    rates = np.stack([found[name].throughput_per_s for name in order])
    most = rates.max(axis=0)
    first = (rates >= most * (1 - 1e-12)).argmax(axis=0)
    return tuple(order[at] for at in first.tolist())


def _knee_disks(study: SchemeThroughput, devices: FloatArray) -> float | None:
    cpu, flash, disk = study.demands_s[0].tolist()
    other = max(cpu / devices[0], flash / devices[1])
    if other <= 0:
        return None
    with np.errstate(over="ignore"):
        found = float(disk / other)
    return found if np.isfinite(found) else None


def _cautions(
    found: Mapping[str, SchemeThroughput], flash: Device, disk: Device, page_bytes: int
) -> Iterator[Caution]:
    yield Caution(
        "writes_are_waited_for",
        "a transaction waits for the writes that its misses cause; a system that writes in the "
        "background has the same largest throughput, and shorter response times below it",
        "treat response times as an upper bound where writes are asynchronous",
    )
    for role, device in (("flash", flash), ("disk", disk)):
        unknown = [
            operation
            for operation in OPERATIONS
            if waiting_time(device, operation, page_bytes).time_us is None
        ]
        if unknown and device.queue_depth != 1:
            depth = device.queue_depth
            yield Caution(
                "latency_unknown",
                f"`{device.id}` ({role}) states no latency of a "
                f"{' or a '.join(unknown)}: a client is assumed to wait no longer than "
                "the device is busy, 1/IOPS at queue depth "
                f"{'unknown' if depth is None else depth}; one request alone takes "
                "longer",
                "add read_latency_us and write_latency_us to a copy of the device: "
                "throughput near saturation is correct without them, but response "
                "times with few clients are too short",
                about=(device.id,),
            )
    if any(float(study.demands_s.sum()) == 0 for study in found.values()):
        yield Caution(
            "nothing_demanded",
            "a scheme needs no device time at all, so its throughput has no bound",
            "give the processor time of a transaction",
        )


def demand_terms(
    study: SchemeThroughput, at: int, accesses_per_transaction: float
) -> dict[str, tuple[str, tuple[Number, ...]]]:
    """Give formula and numbers behind the demand at flash and at the disks, of one point.

    Parameters
    ----------
    study : SchemeThroughput
        The scheme.
    at : int
        Index of the point.
    accesses_per_transaction : float
        A.

    Returns
    -------
    dict
        By `flash` and `disk`.
    """
    times = study.costs.times
    a = Number("A", accesses_per_transaction, "accesses", "of a transaction")
    flash_hits, flash_writes, misses, disk_writes = _operations(study.costs, at)
    of_flash = (
        a,
        flash_hits,
        Number("F_R", times.flash_read, "µs", "flash read"),
        flash_writes,
        Number("F_W", times.flash_write, "µs", "flash write"),
    )
    beside = Number(
        "c",
        study.beside_writes_us,
        "µs",
        "what a flash read takes longer beside random writes alone",
    )
    return {
        "flash": (
            "A (h_f (F_R + c w_f / (h_f + w_f)) + w_f F_W)",
            (*of_flash, beside),
        )
        if study.beside_writes_us > 0
        else ("A (h_f F_R + w_f F_W)", of_flash),
        "disk": (
            "A (m_f D_R + w_d D_W)",
            (
                a,
                misses,
                Number("D_R", times.disk_read, "µs", "disk read"),
                disk_writes,
                Number("D_W", times.disk_write, "µs", "disk write"),
            ),
        ),
    }


def _operations(costs: SchemeGrid, at: int) -> tuple[Number, Number, Number, Number]:
    """h_f, w_f, m_f and w_d of one point: what an access asks of flash and disk."""

    def share(symbol: str, values: FloatArray, what: str) -> Number:
        return Number(symbol, float(values[at]), "1/access", what)

    accesses = costs.accesses
    return (
        share("h_f", costs.flash_hits / accesses, "flash hits"),
        share("w_f", costs.flash_writes_per_access, "flash writes"),
        share("m_f", costs.flash_misses / accesses, "misses of both tiers"),
        share("w_d", costs.disk_writes_per_access, "disk writes"),
    )


def delay_terms(
    study: SchemeThroughput,
    at: int,
    accesses_per_transaction: float,
    waits: BeyondBusy,
) -> tuple[str, tuple[Number, ...]]:
    """Give formula and numbers behind W, of one point; as `demand_terms`.

    Parameters
    ----------
    study : SchemeThroughput
        The scheme.
    at : int
        Index of the point.
    accesses_per_transaction : float
        A.
    waits : BeyondBusy
        Of the devices of the study.

    Returns
    -------
    tuple of str and numbers
    """
    flash_hits, flash_writes, misses, disk_writes = _operations(study.costs, at)
    return (
        "A (h_f f_R + w_f f_W + m_f d_R + w_d d_W)",
        (
            Number("A", accesses_per_transaction, "accesses", "of a transaction"),
            flash_hits,
            Number("f_R", waits.flash_read, "µs", "flash read, latency - busy time"),
            flash_writes,
            Number("f_W", waits.flash_write, "µs", "flash write, latency - busy time"),
            misses,
            Number("d_R", waits.disk_read, "µs", "disk read, latency - busy time"),
            disk_writes,
            Number("d_W", waits.disk_write, "µs", "disk write, latency - busy time"),
        ),
    )


def _derive(
    study: SchemeThroughput, devices: FloatArray, clients: int, setting: Setting
) -> dict[str, Any]:
    numbers: list[dict[str, Any]] = [
        {"symbol": "N", "value": clients, "unit": "clients", "meaning": "clients"},
        {"symbol": "Z", "value": setting.think_s, "unit": "s", "meaning": "think time"},
    ]
    for kind, demand, count in zip(
        STATIONS, study.demands_s[-1].tolist(), devices.tolist(), strict=True
    ):
        numbers.append(
            {
                "symbol": f"D_{kind}",
                "value": demand,
                "unit": "s",
                "meaning": f"demand of a transaction, over {count:g} of the kind",
            }
        )
    numbers.append(
        {
            "symbol": "W",
            "value": float(study.delay_s[-1]),
            "unit": "s",
            "meaning": "waits of a transaction beyond busy times",
        }
    )
    terms = demand_terms(study, -1, setting.accesses_per_transaction)
    return {
        "scheme": study.scheme,
        "formula": "R_k(n) = D_k (1 + Q_k(n-1)), X(n) = n / (Z + W + sum R_k), Q_k(n) = X R_k, "
        "R = W + sum R_k",
        "bounds": "X <= min(1 / D_max, N / (D + W + Z)), R >= max(D + W, N D_max - Z)",
        "numbers": numbers,
        "demands": [
            {
                "symbol": f"D_{kind}",
                "formula": formula,
                "cost_formula": BY_NAME[study.scheme].formula,
                "numbers": plain(given),
            }
            for kind, (formula, given) in terms.items()
        ],
        "throughput_per_s": _number(float(study.throughput_per_s[-1])),
        "response_s": float(study.response_s[-1]),
        "source": "Reiser and Lavenberg (1980); Denning and Buzen (1978); demands from C0 to C3",
    }


def _both(
    ends: tuple[FloatArray, FloatArray] | None,
) -> list[list[float | None]] | None:
    return None if ends is None else [_plain(end) for end in ends]


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _plain(values: FloatArray) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _by_station(values: FloatArray) -> dict[str, list[float | None]]:
    return {kind: _plain(values[:, at]) for at, kind in enumerate(STATIONS)}
