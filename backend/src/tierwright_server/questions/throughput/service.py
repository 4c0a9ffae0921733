"""Throughput: finds what is asked for, lets the models answer, shows it."""

import asyncio
import math
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import throughput
from tierwright.advise.point import scheme_titles
from tierwright.advise.throughput import Throughput
from tierwright.advise.throughput.words import busiest
from tierwright.evaluate.throughput import schemes
from tierwright.evaluate.throughput.schemes import (
    SchemeThroughput,
    Setting,
    ThroughputStudy,
)
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
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

US_PER_S = 1e6


async def evaluate(
    session: AsyncSession,
    context: Context,
    body: ThroughputIn,
    *,
    derived: bool = False,
) -> ThroughputOut:
    """Answer the question over one varied quantity."""
    point = await find_point(session, context, body.point())
    dirty_ends(body, point)
    found = await asyncio.to_thread(ask, body, point)
    study, least = found.study, found.least
    return ThroughputOut.showing(
        found,
        workload_id=point.workload.id,
        content_id=point.content.id,
        start=point.curve.start,
        page_bytes=point.curve.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        devices=DevicesUsed(flash=point.flash[1], disk=point.disk[1], ram=None),
        varied=body.vary,
        points=study.points.tolist(),
        present=int(study.points[found.at]),
        schemes=[_columns(study, each) for each in study.schemes.values()],
        least=None
        if least is None
        else [_columns(least, each) for each in least.schemes.values()],
        dirty_share=known_dirty_share(point.curve)
        if least is None
        else unknown_dirty_share(point.curve, found.best_at_least, found.best_at_most),
        best=list(found.best),
        contenders=list(found.contenders),
        ram_pages_left=[int(value) for value in study.inputs["ram_pages_left"]],
        flash_metadata=body.flash_metadata,
        # What they could change takes longer than the answer: not in the loop.
        cautions=await asyncio.to_thread(lambda: found.cautions),
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found) if derived else None,
        core_version=VERSION,
    )


def ask(body: ThroughputIn, point: Point) -> Throughput:
    """Ask the models for throughput over what is varied."""
    return throughput.answer(
        point.curve,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash=point.flash[0],
        disk=point.disk[0],
        setting=setting_of(body),
        vary=body.vary,
        points=body.points,
        flash_metadata=metadata_preset(body.flash_metadata),
    )


def setting_of(body: ThroughputIn) -> Setting:
    """Return clients, devices and times of a request."""
    return Setting(
        clients=body.clients,
        accesses_per_transaction=body.accesses_per_transaction,
        think_s=body.think_us / US_PER_S,
        cpu_s_per_transaction=body.cpu_us_per_transaction / US_PER_S,
        cpus=body.cpus,
        flash_devices=body.flash_devices,
        disks=body.disks,
    )


def _columns(study: ThroughputStudy, found: SchemeThroughput) -> SchemeColumns:
    bounds = found.bounds
    rates, response = found.throughput_range_per_s, found.response_range_s
    return SchemeColumns.showing(
        found,
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
        throughput_bound_per_s=_nullable(bounds.throughput_per_s),
        response_bound_us=(bounds.response_s * US_PER_S).tolist(),
        max_throughput_per_s=_nullable(bounds.max_throughput_per_s),
        bottleneck=[busiest(found, at) for at in range(len(study.points))],
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


def _nullable(values: Any) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
