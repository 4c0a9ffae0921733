"""Points of a scheme map by replay: every page-flow scheme and flash caches on a coarse grid over it.

A replay counts operations, and times nothing. So all points of one pair of sizes share their replays: those that differ in
what a flash write costs are priced apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tierwright.advise.checks.checked import (
    SAME,
    Checked,
    CheckedFigure,
    at_recorded_sizes,
    row,
)
from tierwright.advise.checks.flash_caches import (
    EQUAL,
    IO_TIME,
    UNIT,
    CacheOptions,
    besides,
    flash_cache_replays,
    paces,
)
from tierwright.advise.checks.points import Counters, Replay, recorded_replays
from tierwright.advise.decide import replayed_by_key
from tierwright.advise.point import scheme_titles
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted, listed, percent, sentences
from tierwright.evaluate.page_flow.decision import twins_of, warm_up_of
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.page_flow.map_point import MapPoint, map_point
from tierwright.evaluate.page_flow.scheme_map import (
    MAP_SCHEMES,
    Axis,
    check_axes,
    check_question,
)
from tierwright.evaluate.page_flow.schemes import NO_FLASH, SCHEMES
from tierwright.evaluate.ram_tax import taxes_of, words_of_range
from tierwright.evaluate.scale.replays import recorded_accesses
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled
from tierwright.simulate.contenders import flash_cache_titles
from tierwright.simulate.priced import ReplayCost, price, with_flash_writes
from tierwright.trace.reading import OnProgress, Trace

LEAST_POINTS, MOST_POINTS = 2, 5
"""Points of an axis that are replayed."""
USUAL_POINTS = 3
REPLAYED_POINTS = (
    "At each point every page-flow scheme was replayed on the trace, and its counted operations take the times of the "
    "devices; points that differ only in the time of a flash write share one replay."
)


@dataclass(frozen=True, slots=True)
class MapPlace:
    """One point of a map that is to be replayed.

    Attributes
    ----------
    x, y : float
        Where on the axes, at whole pages.
    model : MapPoint
        What the model says there.
    reason : str
        Why it is not replayed; empty where it is.
    """

    x: float
    y: float
    model: MapPoint
    reason: str = ""

    @property
    def ram_pages(self) -> int:
        """RAM. [pages]"""
        return round(self.model.ram_pages)

    @property
    def flash_pages(self) -> int:
        """Flash. [pages]"""
        return round(self.model.flash_pages)

    @property
    def frames(self) -> int:
        """RAM that the flash metadata leave to schemes with flash, in whole pages. [pages]"""
        return int(self.model.frames)


@dataclass(frozen=True, slots=True)
class MapStudy:
    """The points of a map to replay, and what is replayed at each.

    Attributes
    ----------
    places : tuple of MapPlace
        By row from the lowest y on.
    schemes : tuple of str
        Page-flow schemes.
    caches : tuple of str
        Flash caches.
    start : str
        `steady` or `cold`.
    options : mapping, optional
        Of these flash caches; unless given, the defaults.
    page_bytes, data_pages : int, float
        Of the workload. [bytes], [pages]
    """

    places: tuple[MapPlace, ...]
    schemes: tuple[str, ...]
    caches: tuple[str, ...]
    start: str
    page_bytes: int
    data_pages: float
    options: CacheOptions | None = None

    @property
    def taxes(self) -> str:
        """What RAM the directories of the flash caches take at the points that are replayed; empty for none."""
        at_points = [
            taxes_of(
                self.caches,
                self.options,
                ram_bytes=place.ram_pages * self.page_bytes,
                flash_bytes=place.flash_pages * self.page_bytes,
                page_bytes=self.page_bytes,
                source_bytes=self.data_pages * self.page_bytes,
            )
            for place in self.places
            if not place.reason
        ]
        return words_of_range(list(zip(*at_points, strict=True)), flash_cache_titles())

    def replays(self, accesses: int) -> dict[str, Replay]:
        """Return the replays of all points, by `<index of the point> <scheme or cache>`.

        Parameters
        ----------
        accesses : int
            Of the trace.

        Raises
        ------
        BadInput
            If there is no such flash cache.
        """
        warm = warm_up_of(self.start, accesses)
        found: dict[str, Replay] = {}
        for index, place in enumerate(self.places):
            if place.reason:
                continue
            for scheme in self.schemes:
                ram, flash = place.frames, place.flash_pages
                if scheme == NO_FLASH:
                    ram, flash = place.ram_pages, 0
                if ram >= 1:
                    made = Replay("scheme", scheme, ram, flash, warm)
                    found[f"{index} {scheme}"] = made
            if place.frames >= 1:
                beside = flash_cache_replays(
                    self.caches,
                    ram_pages=place.frames,
                    flash_pages=place.flash_pages,
                    start=self.start,
                    accesses=accesses,
                    options=self.options,
                )
                found |= {f"{index} {name}": each for name, each in beside.items()}
        return found

    def of_recording(
        self, scaled: Scaled | None, accesses: int, page_bytes: int
    ) -> MapStudy:
        """Leave out the points for which the recording is too small, with the reason.

        Parameters
        ----------
        scaled : Scaled or None
            How the workload was scaled.
        accesses : int
            Of the recording.
        page_bytes : int
            Of the workload. [bytes]
        """
        if scaled is None:
            return self
        places = []
        for place in self.places:
            alone = replace(self, places=(place,))
            _, sizes = recorded_replays(
                alone.replays(accesses), scaled, page_bytes=page_bytes
            )
            reason = sizes.refusal if sizes is not None and sizes.refuses else ""
            places.append(replace(place, reason=reason))
        return replace(self, places=tuple(places))


@dataclass(frozen=True, slots=True)
class PointReplayed:
    """One point of a map, by the model and by replay.

    Attributes
    ----------
    x, y : float
        Where on the axes.
    ram_pages, flash_pages : int
        [pages]
    ram_pages_with_flash : int
        RAM that the flash metadata leave. [pages]
    modelled : str or None
        The scheme of least I/O time by the model; None where none fits.
    modelled_us : float or None
        Its I/O time by replay. [µs]
    too_close : bool
        Whether another scheme is within the error of the model.
    flow, cache, best : str or None
        The fastest page-flow scheme, flash cache and either by replay.
    flow_us, cache_us : float or None
        Their I/O times by replay. [µs]
    agrees : bool or None
        Whether model and replay name the same page-flow scheme, or their times are the same.
    behind : float or None
        By how much longer the model's choice takes than the fastest page-flow scheme by replay. [1]
    cache_saves : float or None
        Share of the time of the fastest page-flow scheme that the fastest flash cache saves; negative where it is
        slower. [1]
    without_time : dict of str to str
        Schemes and caches that have no time here, with the reason.
    reason : str
        Why the point was not replayed; empty where it was.
    """

    x: float
    y: float
    ram_pages: int
    flash_pages: int
    ram_pages_with_flash: int
    modelled: str | None
    modelled_us: float | None
    too_close: bool
    flow: str | None
    flow_us: float | None
    cache: str | None
    cache_us: float | None
    best: str | None
    agrees: bool | None
    behind: float | None
    cache_saves: float | None
    without_time: dict[str, str]
    reason: str


@dataclass(frozen=True, kw_only=True)
class MapReplayed(Checked):
    """Points of a map by replay, beside its model.

    Attributes
    ----------
    points : tuple of PointReplayed
        In the order of the study; `rows` has all times, `of` beginning with the index of the point.
    titles : dict of str to str
        Of the schemes and caches.
    compared, agreeing : int
        Points with a choice of the model and of the replay, and those at which both name the same.
    beside, cache_faster : int
        Points with a time of a flash cache, and those at which one is faster than every page-flow scheme.
    """

    points: tuple[PointReplayed, ...] = field(repr=False)
    titles: dict[str, str] = field(repr=False)
    compared: int
    agreeing: int
    beside: int
    cache_faster: int


def study(
    curve: Curve,
    *,
    x: Axis,
    y: Axis,
    points: tuple[int, int] = (USUAL_POINTS, USUAL_POINTS),
    flash_caches: Sequence[str] = (),
    options: CacheOptions | None = None,
    **asked: Any,
) -> MapStudy:
    """Choose the points of a map that are replayed: a coarse grid, each in the middle of its cell.

    Sizes are rounded to whole pages, and points that are then the same are one.

    Parameters
    ----------
    curve : Curve
        Of the workload.
    x, y : Axis
        Of the map; neither is a dirty share.
    points : (int, int)
        Across and upwards, each from 2 to 5.
    flash_caches : sequence of str
        Replayed beside the schemes.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    **asked
        The rest as `evaluate.page_flow.map_point.map_point` takes it, `at` aside.

    Raises
    ------
    BadInput
        If a dirty share is set, the points are out of bounds, or the map cannot be made.
    """
    check_axes(x, y)
    schemes = list(asked.get("schemes", MAP_SCHEMES))
    fixed = {
        name: asked.get(name)
        for name in ("ram_pages", "flash_pages", "dirty_share", "asymmetry")
    }
    check_question(curve, {x.name: x.values, y.name: y.values}, fixed, schemes)
    if "dirty_share" in (x.name, y.name) or fixed["dirty_share"] is not None:
        raise BadInput(
            "dirty_share: a replay has the dirty pages of the recording, so a map over other shares cannot be replayed",
            "choose sizes or the asymmetry as axes, and leave the dirty share to be measured",
        )
    problems = Problems(
        "replayed points",
        f"use {LEAST_POINTS} to {MOST_POINTS} points across and upwards",
    )
    for name, count in zip(("x", "y"), points, strict=True):
        within = LEAST_POINTS <= count <= MOST_POINTS
        problems.check(within, f"points of {name}", count, "is out of bounds")
    problems.raise_if_any()
    many = curve if curve.write_backs_at is not None else dirty_ends(curve)[1]
    across, upwards = _middles(x, points[0]), _middles(y, points[1])
    places: dict[tuple[float, float], MapPlace] = {}
    for high in upwards.tolist():
        for wide in across.tolist():
            place = _place(many, {x.name: wide, y.name: high}, (x, y), asked)
            places.setdefault((place.x, place.y), place)
    wanted = {twin for name in schemes for twin in twins_of(name)}
    return MapStudy(
        tuple(places.values()),
        tuple(name for name in SCHEMES if name in wanted),
        tuple(dict.fromkeys(flash_caches)),
        curve.start,
        curve.page_bytes,
        curve.data_pages,
        options,
    )


def _middles(axis: Axis, count: int) -> FloatArray:
    """Middles of so many equal parts of an axis, on its own scale."""
    low, high = float(axis.values[0]), float(axis.values[-1])
    parts = (np.arange(count) + 0.5) / count
    return np.asarray(low * (high / low) ** parts, dtype=np.float64)


def _place(
    curve: Curve,
    at: dict[str, float],
    axes: tuple[Axis, Axis],
    asked: Mapping[str, Any],
) -> MapPlace:
    """Evaluate the model where a replay can be: at whole pages."""
    given = {name: value for name, value in asked.items() if value is not None}
    said = {**given, **at}
    ram = max(1, round(said["ram_pages"]))
    flash = (
        said["flash_per_ram"] * ram if "flash_per_ram" in said else said["flash_pages"]
    )
    pages = max(1, round(flash))
    whole: dict[str, Any] = {"ram_pages": float(ram), "flash_pages": float(pages)}
    rest: dict[str, Any] = {
        name: value
        for name, value in said.items()
        if name not in (*whole, "flash_per_ram")
    }
    found = map_point(curve, at={}, **rest, **whole)
    there = {**rest, **whole, "flash_per_ram": pages / ram}
    return MapPlace(float(there[axes[0].name]), float(there[axes[1].name]), found)


def replayed(
    asked: MapStudy,
    curve: Curve,
    trace: Trace,
    *,
    flash: Device,
    disk: Device,
    on_progress: OnProgress | None = None,
) -> MapReplayed:
    """Replay the trace at the points of a map, in one read of it.

    Parameters
    ----------
    asked : MapStudy
        The points.
    curve : Curve
        Of the map: of a recording, or scaled from one.
    trace : Trace
        The recording.
    flash, disk : Device
        Of the map; their service times price the operations.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve.
    Cancelled
        If progress asked to stop.
    """
    accesses = (
        curve.accesses if curve.scaled is None else recorded_accesses(curve.scaled)
    )
    able = asked.of_recording(curve.scaled, accesses, curve.page_bytes)
    wanted = able.replays(accesses)
    if not wanted:
        return check(able, {}, flash=flash, disk=disk, page_bytes=curve.page_bytes)
    at, sizes = recorded_replays(wanted, curve.scaled, page_bytes=curve.page_bytes)
    # Points that differ only in the time of a flash write are one replay.
    once = {_key(each): each for each in at.values()}
    counters = replayed_by_key(
        curve,
        trace,
        {key: each.configuration() for key, each in once.items()},
        warm_up=warm_up_of(curve.start, accesses),
        raises=False,
        on_progress=on_progress,
    )
    found = check(
        able,
        {name: counters[_key(each)] for name, each in at.items()},
        flash=flash,
        disk=disk,
        page_bytes=curve.page_bytes,
    )
    return at_recorded_sizes(found, sizes)


def _key(each: Replay) -> tuple[Any, ...]:
    options = tuple(sorted(each.options.items()))
    return each.family, each.name, each.ram_pages, each.flash_pages, options


def check(
    asked: MapStudy,
    counters: Mapping[str, Counters],
    *,
    flash: Device,
    disk: Device,
    page_bytes: int,
) -> MapReplayed:
    """Put the winner of every point beside that of its replays.

    Parameters
    ----------
    asked : MapStudy
        The points.
    counters : mapping of str to counters
        Of `MapStudy.replays`, by the same names; those that could not be replayed have `error`.
    flash, disk : Device
        Their service times price the operations.
    page_bytes : int
        Of the workload. [bytes]
    """
    titles = {
        name: title
        for name, title in (scheme_titles() | flash_cache_titles()).items()
        if name in (*asked.schemes, *asked.caches)
    }
    read_us, write_us = (
        service_us(flash, operation, page_bytes) for operation in ("read", "write")
    )
    own = write_us / read_us if read_us and write_us else None
    points: list[PointReplayed] = []
    rows: list[CheckedFigure] = []
    for index, place in enumerate(asked.places):
        # F_R stays the device's; all that writes flash takes so many times as long.
        slower = 1.0 if own is None else place.model.asymmetry / own
        costs, without = _costs(asked, index, counters, flash, disk, slower)
        times = {
            name: cost.io_time_us_per_access
            for name, cost in costs.items()
            if cost.io_time_us_per_access is not None
        }
        points.append(_point(asked, place, times, without))
        rows += _rows(index, place, times, titles)
    of_caches = {
        name: counters[key]
        for name in asked.caches
        for index in range(len(asked.places))
        if (key := f"{index} {name}") in counters
    }
    return _found(asked, tuple(points), tuple(rows), titles, of_caches)


def _costs(
    asked: MapStudy,
    index: int,
    counters: Mapping[str, Counters],
    flash: Device,
    disk: Device,
    slower: float,
) -> tuple[dict[str, ReplayCost], dict[str, str]]:
    """Price all replays of one point, and say what has no time."""
    costs, without = {}, {}
    if asked.places[index].reason:
        return {}, {}
    for name in (*asked.schemes, *asked.caches):
        found = counters.get(f"{index} {name}")
        if found is None:
            without[name] = "the flash metadata leave no RAM for a cache"
            continue
        if "error" in found:
            without[name] = str(found["error"])
            continue
        cost = with_flash_writes(price(found, flash=flash, disk=disk), slower)
        if cost.io_time_us_per_access is None:
            without[name] = cost.reason
        else:
            costs[name] = cost
    return costs, without


def _point(
    asked: MapStudy,
    place: MapPlace,
    times: Mapping[str, float],
    without: dict[str, str],
) -> PointReplayed:
    flow = _least(times, asked.schemes)
    cache = _least(times, asked.caches)
    modelled = place.model.best
    flow_us = None if flow is None else times[flow]
    # Twins have one formula: the model means whichever of them is faster.
    meant = () if modelled is None else tuple(twins_of(modelled) & set(times))
    chosen = _least(times, meant)
    chosen_us = None if chosen is None else times[chosen]
    behind = agrees = saves = None
    if flow_us is not None and chosen_us is not None:
        behind = chosen_us / flow_us - 1 if flow_us else 0.0
        agrees = behind <= SAME
    cache_us = None if cache is None else times[cache]
    if flow_us is not None and cache_us is not None:
        saves = 1 - cache_us / flow_us if flow_us else 0.0
    if agrees:
        # Among equals the model's choice, as it is the one that is drawn.
        flow = chosen
    best = cache if saves is not None and saves > SAME else flow or cache
    return PointReplayed(
        x=place.x,
        y=place.y,
        ram_pages=place.ram_pages,
        flash_pages=place.flash_pages,
        ram_pages_with_flash=place.frames,
        modelled=modelled,
        modelled_us=chosen_us,
        too_close=place.model.too_close,
        flow=flow,
        flow_us=flow_us,
        cache=cache,
        cache_us=cache_us,
        best=best,
        agrees=agrees,
        behind=behind,
        cache_saves=saves,
        without_time=without,
        reason=place.reason,
    )


def _least(times: Mapping[str, float], names: Sequence[str]) -> str | None:
    known = [name for name in names if name in times]
    return min(known, key=lambda name: times[name]) if known else None


def _rows(
    index: int,
    place: MapPlace,
    times: Mapping[str, float],
    titles: Mapping[str, str],
) -> Iterator[CheckedFigure]:
    for name, time_us in times.items():
        formula = next(
            (each for each in place.model.schemes if name in twins_of(each)), None
        )
        model = (
            None
            if formula is None
            else place.model.schemes[formula].io_time_us_per_access
        )
        yield row(f"{index} {name}", titles[name], IO_TIME, UNIT, model, time_us)


def _found(
    asked: MapStudy,
    points: tuple[PointReplayed, ...],
    rows: tuple[CheckedFigure, ...],
    titles: dict[str, str],
    of_caches: Mapping[str, Counters],
) -> MapReplayed:
    compared = [each for each in points if each.agrees is not None]
    agreeing = [each for each in compared if each.agrees]
    beside = [each for each in points if each.cache_saves is not None]
    faster = [each for each in beside if (each.cache_saves or 0.0) > SAME]
    parts = [
        _agreement(compared, agreeing),
        _about_caches(asked.caches, beside, faster, titles),
        _left_out(points),
    ]
    return MapReplayed(
        finding=sentences(*parts),
        rows=rows,
        basis=sentences(
            REPLAYED_POINTS,
            besides(asked.caches, asked.options),
            paces(of_caches, asked.options),
            asked.taxes,
        ),
        points=points,
        titles=titles,
        compared=len(compared),
        agreeing=len(agreeing),
        beside=len(beside),
        cache_faster=len(faster),
    )


def _agreement(
    compared: Sequence[PointReplayed], agreeing: Sequence[PointReplayed]
) -> str:
    if not compared:
        return "No point has a choice both of the model and of a replay."
    points = counted(len(compared), "point")
    if len(agreeing) == len(compared):
        where = "the one point" if len(compared) == 1 else f"all {points}"
        return f"Model and replay name the same page-flow scheme at {where} replayed."
    worst = max(each.behind or 0.0 for each in compared)
    others = len(compared) - len(agreeing)
    if worst < EQUAL:
        more = f"less than {100 * EQUAL:g} %"
    else:
        more = percent(worst) if others == 1 else f"up to {percent(worst)}"
    off = f"the model's choice takes {more} longer by replay"
    if not agreeing:
        where = "the one point" if len(compared) == 1 else f"all {points}"
        return f"Model and replay name different page-flow schemes at {where} replayed: {off}."
    return (
        f"Model and replay name the same page-flow scheme at {len(agreeing)} of {points} replayed; at the other "
        f"{'one' if others == 1 else others} {off}."
    )


def _about_caches(
    caches: Sequence[str],
    beside: Sequence[PointReplayed],
    faster: Sequence[PointReplayed],
    titles: Mapping[str, str],
) -> str:
    if not caches:
        return ""
    if not beside:
        return "No flash cache has a time at any of the points."
    points = counted(len(beside), "point")
    if not faster:
        nearest = min(-(each.cache_saves or 0.0) for each in beside)
        how = (
            "the nearest takes as long"
            if nearest <= SAME
            else f"the nearest takes {percent(nearest)} longer"
        )
        return (
            f"No flash cache is faster than the fastest page-flow scheme at any of {points}: {how}."
            if len(beside) > 1
            else f"No flash cache is faster than the fastest page-flow scheme there: {how}."
        )
    won = Counter(str(each.cache) for each in faster).most_common()
    saved = [each.cache_saves or 0.0 for each in faster]
    clear = sum(share >= EQUAL for share in saved)
    which = listed([f"{titles[name]} at {count}" for name, count in won])
    where = (
        f"all {points}"
        if len(faster) == len(beside) > 1
        else f"{len(faster)} of {points}"
    )
    how = (
        f"by less than {100 * EQUAL:g} %"
        if clear == 0
        else f"by up to {percent(max(saved))} of the I/O time"
        if clear == len(faster)
        else f"by {100 * EQUAL:g} % or more of the I/O time at {clear} and by up to {percent(max(saved))}"
    )
    return f"A flash cache is faster than every page-flow scheme at {where} ({which}), {how}."


def _left_out(points: Sequence[PointReplayed]) -> str:
    reasons = [each.reason for each in points if each.reason]
    if not reasons:
        return ""
    were = "was" if len(reasons) == 1 else "were"
    return (
        f"{len(reasons)} of {counted(len(points), 'point')} {were} not replayed, for the recording is too small for "
        "the sizes there."
    )
