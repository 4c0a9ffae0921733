"""Scheme maps: finds what is asked for, evaluates the grid, puts it into words."""

import asyncio
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import orjson
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.derivation import plain, shown
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow import map_point, scheme_map
from tierwright.evaluate.page_flow.map_point import MapPoint
from tierwright.evaluate.page_flow.scheme_map import Axis, SchemeMap
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import DerivationStep, derivation_step, row
from tierwright_server.questions.point import Point, dirty_ends, find_inputs
from tierwright_server.questions.point_schemas import PriceBookRef
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

_TIE = 1e-9
"""Costs that differ by less than this share are told as equal."""


@dataclass(frozen=True)
class Found:
    """What the ids of a question stand for."""

    point: Point
    metadata: MetadataPreset | None
    ends: tuple[Curve, Curve] | None
    """Curves with as few and as many dirty pages as can be; None where that is known."""

    @property
    def curve(self) -> Curve:
        """The curve; with as many dirty pages as can be where nobody knows."""
        return self.point.curve if self.ends is None else self.ends[1]

    def inputs(self, body: MapQuestion) -> dict[str, Any]:
        """Arguments that a map and its points share."""
        point = self.point
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
            "flash_metadata": self.metadata,
        }


def list_options() -> MapOptions:
    """List axes and schemes from the models' tables."""
    return MapOptions(
        axes=[
            AxisOption.model_validate({"name": name, "title": title, "unit": unit})
            for name, (title, unit) in scheme_map.AXES.items()
        ],
        schemes={name: scheme_titles()[name] for name in scheme_map.MAP_SCHEMES},
    )


async def make_map(session: AsyncSession, context: Context, body: SchemeMapIn) -> bytes:
    """Make a map and return it as JSON, its grids never passing through models of rows."""
    said = "dirty_share" in {body.x.axis, body.y.axis}
    found = await _find(session, context, body, dirty_share_said=said)
    x, y = _axis(body.x, "body.x"), _axis(body.y, "body.y")

    def made(curve: Curve) -> SchemeMap:
        return scheme_map.scheme_map(curve, x=x, y=y, **found.inputs(body))

    def work() -> bytes:
        most = made(found.curve)
        columns = _columns(found, most)
        if found.ends is not None:
            columns |= _least_columns(columns, made(found.ends[0]), most)
        # The answer is not read by its schema again, so what is small is put in its shape here.
        columns["warnings"] = [
            WarningOut.model_validate(warning).model_dump()
            for warning in columns["warnings"]
        ]
        return orjson.dumps(columns, option=orjson.OPT_SERIALIZE_NUMPY)

    return await asyncio.to_thread(work)


async def explain_point(
    session: AsyncSession, context: Context, body: MapQuestion, *, derived: bool = False
) -> MapPointOut:
    """Evaluate one point of a map and show its derivation."""
    found = await _find(session, context, body, dirty_share_said=False)
    point = map_point.map_point(found.curve, at={}, **found.inputs(body))
    if found.ends is None:
        return _point(found, point, None, derived=derived)
    least = map_point.map_point(found.ends[0], at={}, **found.inputs(body))
    return _point(found, point, least, derived=derived)


async def _find(
    session: AsyncSession,
    context: Context,
    body: MapQuestion,
    *,
    dirty_share_said: bool,
) -> Found:
    point = await find_inputs(session, context, body)
    metadata = metadata_preset(body.flash_metadata)
    said = dirty_share_said or body.dirty_share is not None
    ends = None if said else dirty_ends(body, point)
    curves = None if ends is None else (ends[0].curve, ends[1].curve)
    return Found(point, metadata, curves)


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


def _columns(found: Found, made: SchemeMap) -> dict[str, Any]:
    won = np.bincount(made.best.ravel() + 1, minlength=len(made.schemes) + 1)[1:]
    shares = {
        name: float(count / made.best.size)
        for name, count in zip(made.schemes, won, strict=True)
    }
    times = made.times
    close = float(made.too_close.mean())
    return {
        "workload_id": found.point.workload.id,
        "content_id": found.point.content.id,
        "start": found.point.curve.start,
        "page_bytes": found.point.curve.page_bytes,
        "distinct_pages": found.point.curve.distinct_pages,
        **made.columns(),
        "money": plain(made.columns()["money"]),
        "titles": {name: scheme_titles()[name] for name in made.schemes},
        "device_asymmetry": times.flash_write / times.flash_read,
        "shares": shares,
        "too_close_share": close,
        "least": None,
        "sentence": _map_sentence(shares, close),
    }


def _least_columns(
    most: dict[str, Any], made: SchemeMap, made_most: SchemeMap
) -> dict[str, Any]:
    """Columns of the end without dirty pages, and what the two ends say together."""
    columns = made.columns()
    won = np.bincount(made.best.ravel() + 1, minlength=len(made.schemes) + 1)[1:]
    shares = {
        name: float(count / made.best.size)
        for name, count in zip(made.schemes, won, strict=True)
    }
    close = float(made.too_close.mean())
    differs = scheme_map.winners_differ(made, made_most)
    share = float(differs.mean())
    kept = ("best", "io_time_us_per_access", "margin", "too_close", "crossovers")
    where = (
        "everywhere on this map the winner is the same at both ends"
        if share == 0
        else f"on {percent(share)} of the map the winner depends on it"
    )
    return {
        "least": {
            **{name: columns[name] for name in kept},
            "shares": shares,
            "too_close_share": close,
            "differs": differs,
            "differs_share": share,
        },
        "sentence": "The share of evicted pages that are dirty is unknown: "
        f"{where}. If as many as possible are dirty: {most['sentence']} If none is: "
        f"{_map_sentence(shares, close)}",
        "warnings": [DIRTY_SHARE_UNKNOWN, *most["warnings"]],
    }


def _map_sentence(shares: dict[str, float], close: float) -> str:
    ranked = sorted(
        ((share, name) for name, share in shares.items() if share > 0), reverse=True
    )
    if not ranked:
        return "No scheme fits anywhere on this map: the metadata of the flash exceed the RAM."
    if len(ranked) == 1 and ranked[0][0] == 1:
        text = f"{scheme_titles()[ranked[0][1]]} leads everywhere on this map"
    else:
        parts = [
            f"{scheme_titles()[name]} on {percent(share)}" for share, name in ranked
        ]
        text = f"{parts[0].replace(' on ', ' leads on ', 1)} of the map" + "".join(
            f", {part}" for part in parts[1:]
        )
    if close > MOSTLY:
        return f"By the model {text}, but on {percent(close)} by less than its error."
    if close > 0:
        text += f"; on {percent(close)} the lead is within the error of the model"
    return f"{text}."


MOSTLY = 0.5
"""Share of a map with leads within the error from which the leaders are those of the model."""


def _point(
    found: Found, point: MapPoint, least: MapPoint | None, *, derived: bool
) -> MapPointOut:
    curve = found.point.curve
    measured = (
        None
        if curve.write_backs_at is None
        else float(curve.dirty_share(point.frames if point.frames > 0 else 0.0))
    )
    devices = {"flash": found.point.flash[1], "disk": found.point.disk[1]}
    if found.point.ram:
        devices["ram"] = found.point.ram[1]
    return MapPointOut(
        workload_id=found.point.workload.id,
        content_id=found.point.content.id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_pages=point.ram_pages,
        flash_pages=point.flash_pages,
        ram_pages_with_flash=max(0.0, point.frames),
        dirty_share=point.dirty_share,
        measured_dirty_share=measured,
        asymmetry=point.asymmetry,
        devices=devices,
        price_book=PriceBookRef.model_validate(found.point.prices[1])
        if found.point.prices
        else None,
        schemes=[
            PointSchemeOut(
                scheme=name,
                title=scheme_titles()[name],
                io_time_us_per_access=scheme.io_time_us_per_access,
                error_us_per_access=scheme.error_us_per_access,
                flash_hits=scheme.flash_hits,
                flash_misses=scheme.flash_misses,
                usd_per_month=None
                if scheme.usd_per_month is None
                else Decimal(repr(scheme.usd_per_month)),
                price_times_time=scheme.price_times_time,
            )
            for name, scheme in point.schemes.items()
        ],
        best=point.best,
        best_by_price_times_time=point.best_by_price_times_time,
        margin=point.margin,
        too_close=point.too_close,
        least=None
        if least is None
        else PointLeast(
            io_time_us_per_access={
                name: scheme.io_time_us_per_access
                for name, scheme in least.schemes.items()
            },
            best=least.best,
            margin=least.margin,
            too_close=least.too_close,
            sentence=_point_sentence(least),
        ),
        sentence=_point_sentence(point)
        if least is None
        else f"If as many evicted pages as possible are dirty: {_point_sentence(point)} If "
        f"none is: {_point_sentence(least)}",
        derivation=[*([] if least is None else [row(ONE_END)]), *_derivation(point)]
        if derived
        else None,
    )


def _point_sentence(point: MapPoint) -> str:
    if point.best is None:
        return "No scheme fits here: the metadata of the flash exceed the RAM."
    best = point.schemes[point.best]
    text = scheme_titles()[point.best]
    time_us = three_digits(best.io_time_us_per_access or 0.0)
    if point.margin is None:
        return f"Only {text} fits here, at {time_us} µs of I/O per access."
    times = {
        name: scheme.io_time_us_per_access
        for name, scheme in point.schemes.items()
        if scheme.io_time_us_per_access is not None and name != point.best
    }
    second = min(times, key=lambda name: times[name] or math.inf)
    if point.margin <= _TIE:
        return f"{text} and {scheme_titles()[second]} are equal here at {time_us} µs of I/O per access."
    if point.too_close:
        return (
            f"{text} and {scheme_titles()[second]} are too close to call here: {time_us} and "
            f"{three_digits(times[second] or 0.0)} µs of I/O per access."
        )
    return (
        f"{text} wins here at {time_us} µs of I/O per access, {percent(point.margin)} less "
        f"than {scheme_titles()[second]}."
    )


def _derivation(point: MapPoint) -> Iterator[DerivationStep]:
    for entry in point.derivation:
        scheme, source = entry["scheme"], entry["source"]
        rows: list[tuple[str, str, float | None, str]] = [
            (number["symbol"], number["meaning"], number["value"], number["unit"])
            for number in entry["numbers"]
        ]
        rows.append(("hits", entry["hits_formula"], entry["hits"], "accesses"))
        rows += [
            (term["name"], term["formula"], term["value_us_per_access"], "µs/access")
            for term in entry["terms"]
        ]
        rows.append(
            (
                "io_time_us_per_access",
                f"{entry['formula']}; C / N",
                entry["value_us_per_access"],
                "µs/access",
            )
        )
        for name, formula, value, unit in rows:
            yield DerivationStep(
                scheme=scheme,
                name=name,
                formula=formula,
                value=value,
                unit=unit,
                source=source,
            )
        yield from _money_steps(point, scheme)
    for derivation in point.metadata:
        yield derivation_step(derivation)


def _money_steps(point: MapPoint, scheme: str) -> Iterator[DerivationStep]:
    found, prices = point.schemes[scheme], point.prices
    if prices is None or found.usd_per_month is None:
        return
    r, f = point.ram_pages, 0.0 if scheme == "none" else point.flash_pages
    yield DerivationStep(
        scheme=scheme,
        name="usd_per_month",
        formula=f"RAM x p_r + flash x p_f + p_data; RAM = {shown(r)} pages, p_r = "
        f"{shown(prices.ram)} USD/month, flash = {shown(f)} pages, p_f = "
        f"{shown(prices.flash)} USD/month, p_data = {shown(prices.data_set)} USD/month",
        value=found.usd_per_month,
        unit="USD/month",
        source="prices of a page held in RAM, on flash, and of the data set on disk",
    )
    if found.price_times_time is not None and found.io_time_us_per_access is not None:
        yield DerivationStep(
            scheme=scheme,
            name="price x time",
            formula=f"{shown(found.usd_per_month)} USD/month x "
            f"{shown(found.io_time_us_per_access)} µs",
            value=found.price_times_time,
            unit="USD µs/month",
            source="derived; a product, as the quotient of the paper rewards dear devices",
        )
