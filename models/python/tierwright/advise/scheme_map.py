"""Which page-flow scheme wins where, over two axes, and at one place of the map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.answer import Answer, Figure, Step, step
from tierwright.common.cautions import Caution, Effect, Weigh
from tierwright.common.derivation import plain, shown
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.page_flow import map_effects, map_point
from tierwright.evaluate.page_flow import scheme_map as page_flow_map
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.page_flow.map_point import MapPoint
from tierwright.evaluate.page_flow.scheme_map import Axis, SchemeMap
from tierwright.profile.curve import Curve

MOSTLY = 0.5
"""Share of a map with leads within the error from which the leaders are those of the model. [1]"""
_TIE = 1e-9
"""Costs that differ by less than this share count as equal. [1]"""


@dataclass(frozen=True, slots=True)
class Winners:
    """A map, and which part of it each scheme wins.

    Attributes
    ----------
    map : SchemeMap
        Costs and winners.
    shares : dict of str to float
        Share of the grid points that each scheme wins. [1]
    too_close_share : float
        Share on which the lead is within the error of the model. [1]
    """

    map: SchemeMap
    shares: dict[str, float]
    too_close_share: float

    @classmethod
    def of(cls, made: SchemeMap) -> Winners:
        """Count the cells of a map."""
        won = np.bincount(made.best.ravel() + 1, minlength=len(made.schemes) + 1)[1:]
        shares = {
            name: float(count / made.best.size)
            for name, count in zip(made.schemes, won, strict=True)
        }
        return cls(made, shares, float(made.too_close.mean()))


@dataclass(frozen=True, kw_only=True)
class SchemesMapped(Answer):
    """Which scheme wins where.

    Where the dirty share is unknown, `most` is with as many dirty pages as possible, `least` with
    none.

    Attributes
    ----------
    most : Winners
        The map.
    least : Winners or None
        The other end.
    differs : bool array or None
        Where the winner is another one at the other end.
    differs_share : float or None
        Of the grid points. [1]
    """

    most: Winners = field(repr=False)
    least: Winners | None = field(repr=False)
    differs: NDArray[np.bool_] | None = field(repr=False)
    differs_share: float | None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Share of the map that each scheme wins."""
        titles = scheme_titles()
        return tuple(
            Figure(f"{name}_share", f"Won by {titles[name]}", share, "1")
            for name, share in self.most.shares.items()
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; a map has no steps of its own, its points have."""
        return {
            **({"derivation": []} if derivation else {}),
            "finding": self.finding,
            **self.most.map.to_dict(),
            "shares": self.most.shares,
            "too_close_share": self.most.too_close_share,
            "least": None if self.least is None else self.least.map.to_dict(),
            "differs_share": self.differs_share,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
            "cautions": plain(list(self.cautions)),
        }


def answer(curve: Curve, *, x: Axis, y: Axis, **asked: Any) -> SchemesMapped:
    """Map which scheme wins where.

    Parameters
    ----------
    curve : Curve
        Of the workload; where its dirty share is unknown and nothing states it, the answer holds
        both ends.
    x, y : Axis
        Across and upwards.
    **asked
        The rest as `evaluate.page_flow.scheme_map.scheme_map` takes it.

    Raises
    ------
    BadInput
        As `scheme_map`.
    """
    said = "dirty_share" in {x.name, y.name} or asked.get("dirty_share") is not None
    if curve.write_backs_at is not None or said:
        most = Winners.of(page_flow_map.scheme_map(curve, x=x, y=y, **asked))
        return SchemesMapped(
            finding=_finding(most),
            warnings=most.map.warnings,
            weigh=map_effects.weigher(most.map, curve, asked),
            most=most,
            least=None,
            differs=None,
            differs_share=None,
        )
    few, many = dirty_ends(curve)
    most = Winners.of(page_flow_map.scheme_map(many, x=x, y=y, **asked))
    least = Winners.of(page_flow_map.scheme_map(few, x=x, y=y, **asked))
    differs = page_flow_map.winners_differ(least.map, most.map)
    share = float(differs.mean())
    warnings: tuple[Caution, ...] = (DIRTY_SHARE_UNKNOWN, *most.map.warnings)
    return SchemesMapped(
        finding=_range_finding(most, least, share),
        warnings=warnings,
        weigh=_weigh_range(map_effects.weigher(most.map, many, asked), share),
        most=most,
        least=least,
        differs=differs,
        differs_share=share,
    )


def _weigh_range(weigh: Weigh, share: float) -> Weigh:
    """Weigh the dirty share by what both maps say, all else by the map of most dirty pages."""

    def weigh_range(caution: Caution) -> Effect:
        if caution.name != DIRTY_SHARE_UNKNOWN.name:
            return weigh(caution)
        return map_effects.effect("no evicted page is dirty", share)

    return weigh_range


def _range_finding(most: Winners, least: Winners, share: float) -> str:
    where = (
        "everywhere on this map the winner is the same at both ends"
        if share == 0
        else f"on {percent(share)} of the map the winner depends on it"
    )
    return (
        "The share of evicted pages that are dirty is unknown: "
        f"{where}. If as many as possible are dirty: {_finding(most)} If none is: "
        f"{_finding(least)}"
    )


def _finding(winners: Winners) -> str:
    shares, close = winners.shares, winners.too_close_share
    ranked = sorted(
        ((share, name) for name, share in shares.items() if share > 0), reverse=True
    )
    if not ranked:
        if any(each.name == "sizes_unknown" for each in winners.map.warnings):
            return "What costs least is unknown on all of this map: the counters speak of other sizes."
        return "No scheme fits anywhere on this map: the flash metadata exceed the RAM."
    if len(ranked) == 1 and ranked[0][0] == 1:
        text = f"{scheme_titles()[ranked[0][1]]} leads everywhere on this map"
    else:
        (most, leader), *others = ranked
        text = f"{scheme_titles()[leader]} leads on {percent(most)} of the map"
        for share, name in others:
            text += f", {scheme_titles()[name]} on {percent(share)}"
    if close > MOSTLY:
        return f"By the model, {text}, but on {percent(close)} by less than its error."
    if close > 0:
        text += f"; on {percent(close)} the lead is within the error of the model"
    return f"{text}."


@dataclass(frozen=True, kw_only=True)
class PlaceOnMap(Answer):
    """One place of a map, with everything behind its numbers.

    Attributes
    ----------
    most : MapPoint
        With as many dirty pages as possible where their share is unknown.
    least : MapPoint or None
        With none.
    least_finding : str
        The finding there; empty where the share is known.
    measured_dirty_share : float or None
        p_d of RAM victims; None where the curve has no write-backs. [1]
    """

    most: MapPoint = field(repr=False)
    least: MapPoint | None = field(repr=False)
    least_finding: str
    measured_dirty_share: float | None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """I/O time of each scheme."""
        titles = scheme_titles()
        return tuple(
            Figure(
                f"{name}_us",
                f"I/O time per access, {titles[name]}",
                found.io_time_us_per_access,
                "µs",
            )
            for name, found in self.most.schemes.items()
        )

    def to_dict(self, *, derivation: bool = True) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            **self.most.to_dict(),
            "least": None if self.least is None else self.least.to_dict(),
            "measured_dirty_share": self.measured_dirty_share,
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        if not derivation:
            del found["derivation"]
        return found


def at_point(curve: Curve, **asked: Any) -> PlaceOnMap:
    """Evaluate one place of a map and say how its numbers came about.

    Parameters
    ----------
    curve : Curve
        Of the workload; where its dirty share is unknown and none is stated, both ends.
    **asked
        As `evaluate.page_flow.map_point.map_point` takes it, `at` aside.

    Raises
    ------
    BadInput
        As `map_point`.
    """
    if curve.write_backs_at is not None or asked.get("dirty_share") is not None:
        few, many = None, curve
    else:
        few, many = dirty_ends(curve)
    most = map_point.map_point(many, at={}, **asked)
    least = None if few is None else map_point.map_point(few, at={}, **asked)

    def explain() -> Iterator[Step]:
        if least is not None:
            yield ONE_END
        yield from _steps(most)

    low = "" if least is None else _point_sentence(least)
    return PlaceOnMap(
        finding=_point_sentence(most)
        if least is None
        else f"If as many evicted pages as possible are dirty: {_point_sentence(most)} If "
        f"none is: {low}",
        warnings=() if least is None else (DIRTY_SHARE_UNKNOWN,),
        explain=explain,
        most=most,
        least=least,
        least_finding=low,
        measured_dirty_share=None
        if curve.write_backs_at is None
        else float(curve.dirty_share(most.frames if most.frames > 0 else 0.0)),
    )


def _point_sentence(point: MapPoint) -> str:
    if point.best is None:
        return "No scheme fits here: the flash metadata exceed the RAM."
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
    second = min(times, key=lambda name: times[name])
    if point.margin <= _TIE:
        return f"{text} and {scheme_titles()[second]} are equal here at {time_us} µs of I/O per access."
    if point.too_close:
        return (
            f"{text} and {scheme_titles()[second]} are too close to call here: {time_us} and "
            f"{three_digits(times[second])} µs of I/O per access."
        )
    return (
        f"{text} wins here at {time_us} µs of I/O per access, {percent(point.margin)} less "
        f"than {scheme_titles()[second]}."
    )


def _steps(point: MapPoint) -> Iterator[Step]:
    for each in point.derivation:
        yield from each.steps()
        yield from _money_steps(point, each.scheme)
    for derivation in point.metadata:
        yield step(derivation)


def _money_steps(point: MapPoint, scheme: str) -> Iterator[Step]:
    found, prices = point.schemes[scheme], point.prices
    if prices is None or found.usd_per_month is None:
        return
    r, f = point.ram_pages, 0.0 if scheme == "none" else point.flash_pages
    yield Step(
        subject=scheme,
        name="usd_per_month",
        formula=f"RAM x p_r + flash x p_f + p_data; RAM = {shown(r)} pages, p_r = "
        f"{shown(prices.ram)} USD/month, flash = {shown(f)} pages, p_f = "
        f"{shown(prices.flash)} USD/month, p_data = {shown(prices.data_set)} USD/month",
        value=found.usd_per_month,
        unit="USD/month",
        source="prices of a page held in RAM, on flash, and of the data set on disk",
    )
    if found.price_times_time is not None and found.io_time_us_per_access is not None:
        yield Step(
            subject=scheme,
            name="price x time",
            formula=f"{shown(found.usd_per_month)} USD/month x "
            f"{shown(found.io_time_us_per_access)} µs",
            value=found.price_times_time,
            unit="USD µs/month",
            source="derived; a product, as the quotient of the paper rewards expensive "
            "devices",
        )
