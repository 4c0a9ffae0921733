"""Scheme maps: finds what is asked for, asks the models, shows the grid."""

import asyncio
from decimal import Decimal
from typing import Any

import orjson
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import scheme_map
from tierwright.advise.point import scheme_titles
from tierwright.advise.scheme_map import PlaceOnMap, SchemesMapped
from tierwright.common.derivation import plain
from tierwright.evaluate.page_flow import scheme_map as page_flow_map
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.point import Point, dirty_ends, find_inputs
from tierwright_server.questions.point_schemas import PriceBookRef, class_of
from tierwright_server.questions.scheme_map.schemas import (
    AxisIn,
    AxisOption,
    MapOptions,
    MapPointOut,
    MapQuestion,
    PointLeast,
    PointSchemeOut,
    SchemeMapIn,
)


def asked_of(point: Point, body: MapQuestion) -> dict[str, Any]:
    """Return arguments that a map and its points share."""
    return {
        "flash": point.flash[0],
        "disk": point.disk[0],
        "ram": point.ram[0] if point.ram else None,
        "prices": point.prices[0] if point.prices else None,
        "amortisation_months": body.amortisation_months,
        "ram_pages": body.ram_pages,
        "flash_pages": body.flash_pages,
        "dirty_share": body.dirty_share,
        "asymmetry": body.asymmetry,
        "schemes": body.schemes,
        "flash_metadata": metadata_preset(body.flash_metadata),
    }


def list_options() -> MapOptions:
    """List axes and schemes from the models' tables."""
    return MapOptions(
        axes=[
            AxisOption.model_validate({"name": name, "title": title, "unit": unit})
            for name, (title, unit) in page_flow_map.AXES.items()
        ],
        schemes={name: scheme_titles()[name] for name in page_flow_map.MAP_SCHEMES},
    )


async def make_map(session: AsyncSession, context: Context, body: SchemeMapIn) -> bytes:
    """Make a map and return it as JSON, its grids never passing through models of rows."""
    point = await find_inputs(session, context, body)
    if "dirty_share" not in {body.x.axis, body.y.axis} and body.dirty_share is None:
        dirty_ends(body, point)
    x, y = axes_of(body)

    def work() -> bytes:
        found = scheme_map.answer(point.curve, x=x, y=y, **asked_of(point, body))
        return orjson.dumps(_columns(point, found), option=orjson.OPT_SERIALIZE_NUMPY)

    return await asyncio.to_thread(work)


async def explain_point(
    session: AsyncSession, context: Context, body: MapQuestion, *, derived: bool = False
) -> MapPointOut:
    """Evaluate one point of a map and show its derivation."""
    point = await find_inputs(session, context, body)
    if body.dirty_share is None:
        dirty_ends(body, point)
    found = scheme_map.at_point(point.curve, **asked_of(point, body))
    return _point(point, found, derived=derived)


def axes_of(body: SchemeMapIn) -> tuple[Axis, Axis]:
    """Return both axes of a map, with all their points."""
    return _axis(body.x, "body.x"), _axis(body.y, "body.y")


def _axis(asked: AxisIn, where: str) -> Axis:
    if not asked.low < asked.high:
        raise BadInput.at(
            f"{where}.low", asked.low, "must lie below `high`", hint="Swap the ends."
        )
    if asked.low == 0 and asked.axis != "dirty_share":
        raise BadInput.at(
            f"{where}.low",
            asked.low,
            f"must be above 0: `{asked.axis}` is spaced by equal factors",
            hint="Only a dirty share may begin at 0.",
        )
    return Axis.spaced(asked.axis, asked.low, asked.high, asked.points)


def _columns(point: Point, found: SchemesMapped) -> dict[str, Any]:
    made, times = found.most.map, found.most.map.times
    return {
        "workload_id": point.workload.id,
        "content_id": point.content.id,
        "start": point.curve.start,
        "page_bytes": point.curve.page_bytes,
        "distinct_pages": point.curve.distinct_pages,
        **made.columns(),
        "money": plain(made.columns()["money"]),
        "titles": {name: scheme_titles()[name] for name in made.schemes},
        "device_asymmetry": times.flash_write / times.flash_read,
        "shares": found.most.shares,
        "too_close_share": found.most.too_close_share,
        "least": _least(found),
        "sentence": found.finding,
        # The answer is not read by its schema again, so what is small is put in its shape here.
        "warnings": [
            WarningOut.model_validate(warning).model_dump()
            for warning in found.warnings
        ],
        "cautions": [
            CautionOut.model_validate(each).model_dump() for each in found.cautions
        ],
    }


def _least(found: SchemesMapped) -> dict[str, Any] | None:
    if found.least is None:
        return None
    columns = found.least.map.columns()
    kept = ("best", "io_time_us_per_access", "margin", "too_close", "crossovers")
    return {
        **{name: columns[name] for name in kept},
        "shares": found.least.shares,
        "too_close_share": found.least.too_close_share,
        "differs": found.differs,
        "differs_share": found.differs_share,
    }


def _point(point: Point, found: PlaceOnMap, *, derived: bool) -> MapPointOut:
    curve, most, least = point.curve, found.most, found.least
    devices = {"flash": point.flash[1], "disk": point.disk[1]}
    if point.ram:
        devices["ram"] = point.ram[1]
    return MapPointOut.showing(
        most,
        workload_id=point.workload.id,
        content_id=point.content.id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_pages_with_flash=max(0.0, most.frames),
        evidence=class_of(curve),
        measured_dirty_share=found.measured_dirty_share,
        devices=devices,
        price_book=PriceBookRef.model_validate(point.prices[1])
        if point.prices
        else None,
        schemes=[
            PointSchemeOut.showing(
                scheme,
                scheme=name,
                title=scheme_titles()[name],
                usd_per_month=None
                if scheme.usd_per_month is None
                else Decimal(repr(scheme.usd_per_month)),
            )
            for name, scheme in most.schemes.items()
        ],
        least=None
        if least is None
        else PointLeast.showing(
            least,
            io_time_us_per_access={
                name: scheme.io_time_us_per_access
                for name, scheme in least.schemes.items()
            },
            sentence=found.least_finding,
        ),
        sentence=found.finding,
        derivation=rows_of(found) if derived else None,
    )
