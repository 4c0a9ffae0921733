"""One point of a scheme map, with everything behind its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.common.derivation import Derivation, Number, plain
from tierwright.evaluate.metadata import MetadataPreset, charge
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.evaluate.page_flow.derivation import SchemeDerivation
from tierwright.evaluate.page_flow.engine import Flow
from tierwright.evaluate.page_flow.scheme_map import (
    MAP_SCHEMES,
    NO_SCHEME,
    MapPlace,
    MapProblem,
    check_question,
    least_of,
    margin_of,
    too_close_to_call,
)
from tierwright.evaluate.page_flow.schemes import NO_FLASH, TIE_ORDER
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.hardware.tier_prices import PagePrices, page_prices
from tierwright.profile.curve import Curve


@dataclass(frozen=True, slots=True)
class PointScheme:
    """One scheme at a point of a map.

    Attributes
    ----------
    io_time_us_per_access : float or None
        None where the flash metadata leave no RAM. [µs]
    error_us_per_access : float
        Known error of the model there. [µs]
    flash_hits, flash_misses : float
        [accesses]
    usd_per_month : float or None
        None without prices. [USD/month]
    price_times_time : float or None
        Price of a unit of throughput: lower is better. [USD/month x µs/access]
    """

    io_time_us_per_access: float | None
    error_us_per_access: float
    flash_hits: float
    flash_misses: float
    usd_per_month: float | None
    price_times_time: float | None


@dataclass(frozen=True, slots=True)
class MapPoint:
    """One point of a scheme map.

    Attributes
    ----------
    at : dict of str to float
        Where on the axes.
    ram_pages, flash_pages : float
        r (the budget, where metadata are charged) and f. [pages]
    frames : float
        RAM that schemes with flash cache in. [pages]
    dirty_share : float or None
        As set; None where each scheme has its measured ones.
    asymmetry : float
        F_W / F_R.
    schemes : dict of str to PointScheme
        In the order of ties.
    best : str or None
        Scheme of least I/O time; None where none fits.
    best_by_price_times_time : str or None
        Scheme of least price x I/O time; None without prices.
    margin : float or None
        Share of the runner-up's I/O time that the best saves; None without a runner-up.
    too_close : bool
        Whether another scheme is within the known error of the model.
    derivation : list of SchemeDerivation
        Per scheme that fits: formula, numbers put in, terms, source.
    metadata : tuple of Derivation
        Memory charged to the RAM; empty where none is.
    prices : PagePrices or None
        Of a page in each tier; None where not all are known.
    """

    at: dict[str, float]
    ram_pages: float
    flash_pages: float
    frames: float
    dirty_share: float | None
    asymmetry: float
    schemes: dict[str, PointScheme]
    best: str | None
    best_by_price_times_time: str | None
    margin: float | None
    too_close: bool
    derivation: list[SchemeDerivation]
    metadata: tuple[Derivation, ...]
    prices: PagePrices | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return {**found, "derivation": [each.to_dict() for each in self.derivation]}


def map_point(
    curve: Curve,
    *,
    at: Mapping[str, float],
    flash: Device,
    disk: Device,
    ram_pages: float | None = None,
    flash_pages: float | None = None,
    dirty_share: float | None = None,
    asymmetry: float | None = None,
    schemes: Iterable[str] = MAP_SCHEMES,
    flash_metadata: MetadataPreset | None = None,
    ram: Device | None = None,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
) -> MapPoint:
    """Evaluate one point of a scheme map and say how its numbers came about.

    Parameters
    ----------
    curve : Curve
        As in `scheme_map`, like all that is not named here.
    at : mapping of str to float
        Value on each axis; any names of `AXES`.

    Returns
    -------
    MapPoint
        With the very numbers that `scheme_map` has at this point.

    Raises
    ------
    BadInput
        As `scheme_map`.
    """
    fixed = {
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "dirty_share": dirty_share,
        "asymmetry": asymmetry,
    }
    listed = list(schemes)
    axes = {name: np.asarray([value], dtype=np.float64) for name, value in at.items()}
    check_question(curve, axes, fixed, listed)
    wanted = tuple(name for name in TIE_ORDER if name in set(listed))
    values = {**{k: v for k, v in fixed.items() if v is not None}, **at}
    problem = MapProblem(
        curve,
        ("ram_pages", "ram_pages"),
        {k: v for k, v in values.items() if k != "ram_pages"},
        (flash, disk),
        wanted,
        flash_metadata,
    )
    r = np.asarray([[values["ram_pages"]]], dtype=np.float64)
    place = problem.point(r, r)
    least, most = (float(each.item()) for each in place.reads)
    check_evidence("scheme_map", curve, least, most - least)
    costs, errors = problem.evaluate(r, r)
    flows = problem.flows(place)
    stacked = np.stack([costs[name] for name in wanted])
    best = least_of(stacked)
    priced = page_prices(curve, (ram, flash, disk), prices, amortisation_months)
    base = float(place.r.item() * priced.ram + priced.data_set)
    whole = base + float(priced.flash_usd(place.f).item())
    found = {
        name: _scheme(
            float(costs[name].item()),
            float(errors[name].item()),
            flows[name],
            None if priced.reason else (base if name == NO_FLASH else whole),
        )
        for name in wanted
    }
    margin = float(margin_of(stacked).item())
    index = int(best.item())
    close = too_close_to_call(stacked, np.stack([errors[n] for n in wanted]), best)
    return MapPoint(
        at={name: float(value) for name, value in at.items()},
        ram_pages=float(place.r.item()),
        flash_pages=float(place.f.item()),
        frames=float(place.frames.item()),
        dirty_share=None if place.dirty is None else float(place.dirty.item()),
        asymmetry=float(np.asarray(place.flash_write).item())
        / problem.times.flash_read,
        schemes=found,
        best=None if index == NO_SCHEME else wanted[index],
        best_by_price_times_time=_cheapest(found),
        margin=margin if np.isfinite(margin) else None,
        too_close=bool(close.item()),
        derivation=[
            _derivation(problem, name, flows[name], place, (flash, disk))
            for name in wanted
            if found[name].io_time_us_per_access is not None
        ],
        metadata=_charged(curve, flash_metadata, place),
        prices=None if priced.reason else priced,
    )


def _scheme(
    io_time_us: float, error_us: float, flow: Flow, usd: float | None
) -> PointScheme:
    fits = bool(np.isfinite(io_time_us))
    return PointScheme(
        io_time_us_per_access=io_time_us if fits else None,
        error_us_per_access=error_us,
        flash_hits=float(flow.counts.flash_hits.item()),
        flash_misses=float(flow.counts.flash_misses.item()),
        usd_per_month=usd,
        price_times_time=usd * io_time_us if usd is not None and fits else None,
    )


def _cheapest(schemes: Mapping[str, PointScheme]) -> str | None:
    products = {
        name: scheme.price_times_time
        for name, scheme in schemes.items()
        if scheme.price_times_time is not None
    }
    if not products:
        return None
    index = least_of(np.asarray(list(products.values())))
    return list(products)[int(index.item())]


def _derivation(
    problem: MapProblem,
    name: str,
    flow: Flow,
    place: MapPlace,
    devices: tuple[Device, Device],
) -> SchemeDerivation:
    curve, tier = problem.curve, flow.counts
    terms = problem.terms(name, flow, place)
    misses = float(tier.ram_misses.item())
    meanings = explain.service_meanings(*devices, curve.page_bytes)
    if place.dirty is not None:
        meanings |= {"p_d": "set, for all schemes", "p_dF": "p_d, as in the paper"}
    if "asymmetry" in (*problem.names, *problem.fixed):
        meanings["F_W"] = "flash write: asymmetry x F_R, as set"
    charged = problem.metadata is not None and name != NO_FLASH
    if charged:
        meanings["r"] = "RAM left by the flash metadata"
    frames = place.frames if charged else place.r
    return explain.derivation_of(
        name,
        {
            "N": curve.accesses,
            "r": float(frames.item()),
            "f": float(place.f.item()),
            "e_f": float(tier.effective_flash_pages.item()),
            "m_r": misses,
            "h_f": float(tier.flash_hits.item()),
            "m_f": float(tier.flash_misses.item()),
            "q": float(tier.flash_hits.item()) / misses if misses else 0.0,
            "p_d": float(flow.p_d.item()),
            "p_dF": float(flow.p_d_flash.item()),
            "F_R": problem.times.flash_read,
            "F_W": float(np.asarray(place.flash_write).item()),
            "D_R": problem.times.disk_read,
            "D_W": problem.times.disk_write,
        },
        meanings,
        terms={
            term: float(cost.item()) / curve.accesses
            for term, cost in terms.by_term.items()
        },
        io_time_us=float(terms.total.item()) / curve.accesses,
    )


def _charged(
    curve: Curve, preset: MetadataPreset | None, place: MapPlace
) -> tuple[Derivation, ...]:
    if preset is None:
        return ()
    page = curve.page_bytes
    ram_bytes = max(1, round(float(place.r.item()) * page))
    metadata, _ = charge(
        preset,
        ram_bytes=ram_bytes,
        flash_bytes=round(float(place.f.item()) * page),
        page_bytes=page,
        source_bytes=curve.data_pages * page,
    ).derivation
    return (
        metadata,
        Derivation(
            "ram_pages_left",
            float(place.frames.item()),
            "pages",
            "(RAM - metadata) / page; on a map parts of units and of pages count in proportion",
            (
                Number("RAM", ram_bytes, "bytes", "present RAM"),
                Number("metadata", metadata.value, "bytes", "as above, at most"),
                Number("page", page, "bytes", "of the workload"),
            ),
            "derived",
        ),
    )
