"""Throughput: finds what is asked for, lets the models answer, puts it into words."""

import asyncio
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.derivation import shown
from tierwright.common.ties import at_both_ends, leaders
from tierwright.common.wording import listed, percent, three_digits
from tierwright.evaluate.page_flow import counts as page_flow_counts
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.throughput import schemes
from tierwright.evaluate.throughput.schemes import (
    SchemeThroughput,
    Setting,
    ThroughputStudy,
)
from tierwright.profile.curve import Curve
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import DerivationStep, row
from tierwright_server.questions.point import (
    Point,
    dirty_ends,
    find_point,
    known_dirty_share,
    unknown_dirty_share,
)
from tierwright_server.questions.point_schemas import DevicesUsed
from tierwright_server.questions.throughput.schemas import (
    ByStation,
    SchemeColumns,
    ThroughputIn,
    ThroughputOut,
)

USUAL_POINTS = 64
REACH = {"disks": 64, "flash_devices": 16, "flash_pages": 64}
"""How far around the present value the usual points go, as a factor."""
FAR_CLIENTS = 10_000
"""Clients beyond which the usual points show none but the present ones: each costs a step."""
MS_PER_S = 1000.0
US_PER_MS = 1000.0
US_PER_S = 1e6
US_PER_S = 1e6
BUSY = {
    "cpu": "the processors are {} busy",
    "flash": "flash is {} busy",
    "disk": "the disks are {} busy",
}
_LIMITS = {
    None: "nothing limits",
    "clients": "the number of clients limits",
    "cpu": "the processors limit",
    "flash": "flash limits",
    "disk": "the disks limit",
}
UNITS = {
    "clients": ("client", "clients"),
    "disks": ("disk", "disks"),
    "flash_devices": ("flash device", "flash devices"),
    "flash_pages": ("page of flash", "pages of flash"),
}
TIE = 1e-3
LEAST_ADDED = 1e-3
"""Share of throughput that is not worth a word."""
TIME_BASIS = (
    "Demands are busy times, 1/IOPS of the devices: the service that a transaction keeps a "
    "device from others. The response time adds waiting in the queues and, where a device "
    "states its latency, what each I/O takes beyond its busy time."
)


async def evaluate(
    session: AsyncSession,
    context: Context,
    body: ThroughputIn,
    *,
    derived: bool = False,
) -> ThroughputOut:
    """Answer the question over one varied quantity."""
    preset = metadata_preset(body.flash_metadata)
    point = await find_point(session, context, body.point())
    ends = dirty_ends(body, point)
    present = int(getattr(body, body.vary))
    points = sorted({*(body.points or usual_points(body.vary, present)), present})

    def compute(curve: Curve) -> ThroughputStudy:
        return schemes.scheme_throughput(
            curve,
            ram_pages=body.ram_pages,
            flash_pages=body.flash_pages,
            flash=point.flash[0],
            disk=point.disk[0],
            setting=Setting(
                clients=body.clients,
                accesses_per_transaction=body.accesses_per_transaction,
                think_s=body.think_us / US_PER_S,
                cpu_s_per_transaction=body.cpu_us_per_transaction / US_PER_S,
                cpus=body.cpus,
                flash_devices=body.flash_devices,
                disks=body.disks,
            ),
            vary=body.vary,
            points=points,
            flash_metadata=preset,
        )

    at = points.index(present)
    if ends is None:
        study = await asyncio.to_thread(compute, point.curve)
        return _answer(body, point, study, None, at, derived=derived)
    least, most = ends
    few = await asyncio.to_thread(compute, least.curve)
    many = await asyncio.to_thread(compute, most.curve)
    return _answer(body, point, many, few, at, derived=derived)


def usual_points(vary: str, present: int) -> list[int]:
    """Whole numbers at even logarithmic steps, the present value among them."""
    if vary == "clients":
        low, high = 1, max(2, present, min(2 * present, FAR_CLIENTS))
    elif vary == "flash_pages":
        low, high = max(1, present // REACH[vary]), max(2, 4 * present)
    else:
        low, high = max(1, present // REACH[vary]), max(4, REACH[vary] * present)
    found = np.unique(np.round(np.geomspace(low, high, USUAL_POINTS)).astype(np.int64))
    return [int(value) for value in found]


def _answer(
    body: ThroughputIn,
    point: Point,
    study: ThroughputStudy,
    least: ThroughputStudy | None,
    at: int,
    *,
    derived: bool,
) -> ThroughputOut:
    """Put a study into an answer; with both ends, `study` is the one of most dirty pages."""
    disk_name = point.disk[1].name
    other = study if least is None else least
    return ThroughputOut(
        workload_id=point.workload.id,
        content_id=point.content.id,
        start=point.curve.start,
        page_bytes=point.curve.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        devices=DevicesUsed(flash=point.flash[1], disk=point.disk[1], ram=None),
        varied=body.vary,
        points=study.points.tolist(),
        present=int(study.points[at]),
        at=at,
        schemes=[_columns(study, found) for found in study.schemes.values()],
        least=None
        if least is None
        else [_columns(least, found) for found in least.schemes.values()],
        dirty_share=known_dirty_share(point.curve)
        if least is None
        else unknown_dirty_share(point.curve, *_leading_ends(least, study, at)),
        best=[
            one if one == two else None
            for one, two in (
                _leading_ends(other, study, each) for each in range(len(study.best))
            )
        ],
        contenders=_contenders(study, at) if least is None else [],
        ram_pages_left=_left(study),
        flash_metadata=body.flash_metadata,
        finding=_finding(study, at)
        if least is None
        else _range_finding(least, study, at),
        sentence=_sentence(body, study, at, disk_name)
        if least is None
        else _range_sentence(body, least, study, at, disk_name),
        close_sentence="" if least is not None else _close_sentence(study, at),
        estimator=study.estimator,
        validity=study.validity,
        time_basis=TIME_BASIS,
        warnings=[
            *(
                []
                if least is None
                else [WarningOut.model_validate(DIRTY_SHARE_UNKNOWN)]
            ),
            *(WarningOut.model_validate(each) for each in study.warnings),
        ],
        derivation=[
            *([] if least is None else [row(ONE_END)]),
            *_derivation(body, study, at),
        ]
        if derived
        else None,
        core_version=VERSION,
    )


def _left(study: ThroughputStudy) -> list[int]:
    left = study.inputs["ram_pages_left"]
    return [int(value) for value in left]


def _columns(study: ThroughputStudy, found: SchemeThroughput) -> SchemeColumns:
    bounds = found.bounds
    rates, response = found.throughput_range_per_s, found.response_range_s
    return SchemeColumns(
        scheme=found.scheme,
        title=scheme_titles()[found.scheme],
        throughput_per_s=_nullable(found.throughput_per_s),
        response_us=(found.response_s * US_PER_S).tolist(),
        throughput_least_per_s=None if rates is None else _nullable(rates[0]),
        throughput_most_per_s=None if rates is None else _nullable(rates[1]),
        response_least_us=(
            None if response is None else (response[0] * US_PER_S).tolist()
        ),
        response_most_us=(
            None if response is None else (response[1] * US_PER_S).tolist()
        ),
        estimator=found.estimator,
        exact=found.exact,
        exactness=found.exactness,
        throughput_bound_per_s=_nullable(bounds.throughput_per_s),
        response_bound_us=(bounds.response_s * US_PER_S).tolist(),
        max_throughput_per_s=_nullable(bounds.max_throughput_per_s),
        bottleneck=[_busiest(found, at) for at in range(len(study.points))],
        limit=list(found.limit),
        knee_clients=_nullable(bounds.knee_clients),
        knee_disks=study.knee_disks[found.scheme],
        demand_us=_stations(found.demands_s * US_PER_S),
        delay_us=(found.delay_s * US_PER_S).tolist(),
        utilisation=_stations(found.utilisation),
        queue=_stations(found.queue),
    )


def _stations(values: Any) -> ByStation:
    return ByStation(
        **{kind: values[:, at].tolist() for at, kind in enumerate(schemes.STATIONS)}
    )


def _busiest(found: SchemeThroughput, at: int) -> Any:
    """Kind of device that a transaction asks for most busy time; None where it asks for none."""
    if not math.isfinite(float(found.bounds.max_throughput_per_s[at])):
        return None
    return schemes.STATIONS[int(found.bounds.bottleneck[at])]


# --- words ---------------------------------------------------------------------------------


def _rate(value: float) -> str:
    if not math.isfinite(value):
        return "without bound"
    return f"{three_digits(value)} transactions/s"


def _leaders(study: ThroughputStudy, at: int) -> list[str]:
    """Schemes within a thousandth of the best, the best first."""
    best = study.best[at]
    most = float(study.schemes[best].throughput_per_s[at])
    near = [
        name
        for name, found in study.schemes.items()
        if name != best and float(found.throughput_per_s[at]) >= most * (1 - TIE)
    ]
    return [best, *near]


def _leading_ends(
    least: ThroughputStudy, most: ThroughputStudy, at: int
) -> tuple[str, str]:
    """Return who leads at either end: the same scheme where one leads at both."""
    if least is most:
        return most.best[at], most.best[at]
    first, second = (
        leaders(
            {
                name: float(found.throughput_per_s[at])
                for name, found in study.schemes.items()
                if not math.isnan(found.throughput_per_s[at])
            },
            page_flow_counts.TIE_ORDER,
            tolerance=TIE,
            most=True,
        )
        for study in (least, most)
    )
    return at_both_ends(first, second)


def _as_good(study: ThroughputStudy, at: int) -> list[str]:
    """Schemes behind that may reach as much as the best within the known error of either."""
    ahead = _leaders(study, at)
    least = _ends_of(study.schemes[ahead[0]], at)[0]
    return [
        name
        for name, found in study.schemes.items()
        if name not in ahead and _ends_of(found, at)[1] >= least
    ]


def _contenders(study: ThroughputStudy, at: int) -> list[str]:
    near = _as_good(study, at)
    return [*_leaders(study, at), *near] if near else []


def _ends_of(found: SchemeThroughput, at: int) -> tuple[float, float]:
    """Least and most throughput [1/s] by the known error of the hits."""
    rates = found.throughput_range_per_s
    if rates is None:
        return float(found.throughput_per_s[at]), float(found.throughput_per_s[at])
    return float(rates[0][at]), float(rates[1][at])


def _clients(knee: float) -> str:
    """Clients from which on the devices could be the limit.

    Examples
    --------
    >>> _clients(0.4), _clients(1.2)
    ('1 client', '2 clients')
    """
    whole = math.ceil(knee)
    return f"{whole:,} {UNITS['clients'][whole != 1]}"


def _listed(names: list[str]) -> str:
    return listed([scheme_titles()[name] for name in names])


def _finding(study: ThroughputStudy, at: int) -> str:
    ahead = _leaders(study, at)
    found = study.schemes[ahead[0]]
    rate = _rate(float(found.throughput_per_s[at]))
    near = _as_good(study, at)
    if near:
        return f"{_listed([*ahead, *near])} are too close to call at about {rate}; {_by(found, at, several=True)}"
    names = _listed(ahead)
    verb = "reach" if len(ahead) > 1 else "reaches"
    return f"{names} {verb} {rate}; {_by(found, at, several=len(ahead) > 1)}"


def _by(found: SchemeThroughput, at: int, *, several: bool) -> str:
    whom = "them" if several else "it"
    return f"{_LIMITS[found.limit[at]]} {whom}"


def _range_finding(least: ThroughputStudy, most: ThroughputStudy, at: int) -> str:
    few, many = _leading_ends(least, most, at)

    def ends(name: str) -> str:
        low = float(most.schemes[name].throughput_per_s[at])
        high = float(least.schemes[name].throughput_per_s[at])
        return f"{_rate(low)} to {_rate(high)}"

    if few == many:
        return (
            f"{scheme_titles()[many]} reaches {ends(many)}, depending on how many evicted pages are "
            "dirty, which the curve does not say"
        )
    return (
        "Which scheme reaches most depends on how many evicted pages are dirty, which the "
        f"curve does not say: {scheme_titles()[few]} if none is ({ends(few)}), {scheme_titles()[many]} if as "
        f"many as possible are ({ends(many)})"
    )


def _range_sentence(
    body: ThroughputIn,
    least: ThroughputStudy,
    most: ThroughputStudy,
    at: int,
    disk_name: str,
) -> str:
    return (
        f"If no evicted page is dirty: {_sentence(body, least, at, disk_name)} If as many "
        f"evicted pages as possible are dirty: {_sentence(body, most, at, disk_name)}"
    )


def _sentence(
    body: ThroughputIn, study: ThroughputStudy, at: int, disk_name: str
) -> str:
    best = study.best[at]
    found = study.schemes[best]
    title = scheme_titles()[best]
    busiest = _busiest(found, at)
    if busiest is None:
        return (
            f"{title} needs no device at all here, so nothing bounds its throughput; give "
            "the processor time of a transaction."
        )
    clients = int(study.points[at]) if study.varied == "clients" else body.clients
    index = schemes.STATIONS.index(busiest)
    busy = min(float(found.utilisation[at, index]), 1.0)
    knee = float(found.bounds.knee_clients[at])
    most = float(found.bounds.max_throughput_per_s[at])
    response = float(found.response_s[at]) * MS_PER_S
    unit = UNITS["clients"][clients != 1]
    text = (
        f"With {clients:,} {unit} {title} answers in {three_digits(response)} ms; "
        f"{BUSY[busiest].format(percent(busy))}. "
    )
    if found.limit[at] == schemes.CLIENTS:
        text += (
            f"The knee is at {_clients(knee)}: at least that many could reach up to "
            f"{_rate(most)}, the most that the devices do."
            if clients < knee
            else f"The knee is at {_clients(knee)}: more clients would still add "
            f"throughput, up to {_rate(most)}."
        )
    else:
        text += (
            f"The knee is at {_clients(knee)}: more clients would add at most "
            f"{percent(1 / busy - 1)} of throughput, and wait longer."
            if 1 / busy - 1 >= LEAST_ADDED
            else f"The knee is at {_clients(knee)}: more clients would only wait longer."
        )
    disks = study.knee_disks[best]
    if found.limit[at] == "disk" and disks is not None and math.isfinite(disks):
        text += (
            f" It takes {math.floor(disks) + 1:,} of {disk_name} before another device is the "
            "busiest."
        )
    return text


def _close_sentence(study: ThroughputStudy, at: int) -> str:
    """Say what the model leaves open; nothing where the lead is clear."""
    near = _as_good(study, at)
    return (
        f"Within the known error of their approximation {_listed(near)} may reach as much: "
        "a replay decides."
        if near
        else ""
    )


def _derivation(
    body: ThroughputIn, study: ThroughputStudy, at: int
) -> Iterator[DerivationStep]:
    clients = int(study.points[at]) if study.varied == "clients" else body.clients
    source = "Reiser and Lavenberg (1980); Denning and Buzen (1978)"
    counts = {
        "cpu": body.cpus,
        "flash": body.flash_devices,
        "disk": body.disks,
    }
    first = dict(counts)
    if study.varied in ("disks", "flash_devices"):
        varied = "disk" if study.varied == "disks" else "flash"
        counts[varied], first[varied] = int(study.points[at]), int(study.points[0])
    waits = schemes.BeyondBusy(**study.inputs["waits_beyond_busy_us"])
    for name, found in study.schemes.items():
        title = scheme_titles()[name]
        demand = dict(zip(schemes.STATIONS, found.demands_s[at].tolist(), strict=True))
        terms = schemes.demand_terms(found, at, body.accesses_per_transaction)
        for kind, seconds in demand.items():
            formula, given_terms = terms.get(
                kind, ("processor time of a transaction", ())
            )
            put_in = ", ".join(
                f"{number.symbol} = {shown(number.value)} {number.unit}"
                for number in given_terms
            )
            yield DerivationStep(
                scheme=name,
                name=f"{title}: D_{kind}",
                formula=f"{formula}; {put_in}" if put_in else formula,
                value=seconds * MS_PER_S,
                unit="ms",
                source=f"{explain.FORMULAS[name]}, an access; 1/IOPS of the devices",
            )
        given = f"N = {clients:,}, Z = {shown(body.think_us / US_PER_MS)} ms"
        bounds = found.bounds
        one_of_each = ", ".join(f"D_{kind} / {counts[kind]:,}" for kind in demand)
        for result, formula, value, unit in (
            (
                "D",
                " + ".join(f"D_{kind}" for kind in demand),
                float(bounds.total_demand_s[at]) * MS_PER_S,
                "ms",
            ),
            (
                "D_max",
                f"max({one_of_each}), of the busiest device",
                float(bounds.largest_demand_s[at]) * MS_PER_S,
                "ms",
            ),
            ("W", *_delay(found, at, body, waits)),
            (
                "N*",
                f"(D + W + Z) / D_max; Z = {shown(body.think_us / US_PER_MS)} ms",
                float(bounds.knee_clients[at]),
                "clients",
            ),
            (
                "bound of X",
                f"min(1 / D_max, N / (D + W + Z)); {given}",
                float(bounds.throughput_per_s[at]),
                "1/s",
            ),
            (
                "X",
                "X(n) = n / (Z + W + sum R_k(n)), R_k(n) = D_k (1 + Q_k(n-1)), "
                f"Q_k(n) = X(n) R_k(n), over all devices k, each with D_k of {one_of_each}; {given}",
                float(found.throughput_per_s[at]),
                "1/s",
            ),
            (
                "R",
                f"W + sum of R_k(N) = N / X - Z; {given}",
                float(found.response_s[at]) * MS_PER_S,
                "ms",
            ),
            *(
                (f"U_{kind}", f"X D_{kind} / {counts[kind]:,}", busy, "1")
                for kind, busy in zip(
                    schemes.STATIONS, found.utilisation[at].tolist(), strict=True
                )
            ),
            (
                "knee in disks",
                _knee_formula(found, first, study.varied),
                _finite(study.knee_disks[name]),
                "disks",
            ),
            *_ends(found, at),
        ):
            yield DerivationStep(
                scheme=name,
                name=f"{title}: {result}",
                formula=formula,
                value=value if math.isfinite(value) else None,
                unit=unit,
                source=source,
            )


def _delay(
    found: SchemeThroughput, at: int, body: ThroughputIn, waits: schemes.BeyondBusy
) -> tuple[str, float, str]:
    formula, numbers = schemes.delay_terms(
        found, at, body.accesses_per_transaction, waits
    )
    put_in = ", ".join(
        f"{number.symbol} = {shown(number.value)} {number.unit}" for number in numbers
    )
    return f"{formula}; {put_in}", float(found.delay_s[at]) * MS_PER_S, "ms"


def _knee_formula(
    found: SchemeThroughput, devices: Mapping[str, int], varied: str
) -> str:
    ms = {
        kind: f"{shown(seconds * MS_PER_S)} ms"
        for kind, seconds in zip(
            schemes.STATIONS, found.demands_s[0].tolist(), strict=True
        )
    }
    others = [kind for kind in ms if kind != "disk"]
    symbols = ", ".join(f"D_{kind} / {devices[kind]:,}" for kind in others)
    numbers = ", ".join(f"{ms[kind]} / {devices[kind]:,}" for kind in others)
    where = "" if varied == "clients" else ", at the first point"
    return f"D_disk / max({symbols}){where} = {ms['disk']} / max({numbers})"


def _finite(value: float | None) -> float:
    return math.nan if value is None else value


def _ends(found: SchemeThroughput, at: int) -> Iterator[tuple[str, str, float, str]]:
    if found.throughput_range_per_s is None:
        return
    for name, end in zip(("least", "most"), found.throughput_range_per_s, strict=True):
        yield (
            f"X, {name}",
            f"as X, with flash hits off by their known error; {found.estimator}: "
            f"{found.exactness}",
            float(end[at]),
            "1/s",
        )


def _nullable(values: Any) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
