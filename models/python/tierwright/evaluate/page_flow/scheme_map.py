"""Which page-flow scheme wins where: a map over any two of sizes, dirtiness and asymmetry.

Costs are C0 to C3 of Koltsidas and Viglas. Between neighbouring grid points with different
winners the crossing is found as the root of the cost difference of the two, so that lines do
not depend on the grid's step; a region narrower than a step can be missed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray, share
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow import engine, explain
from tierwright.evaluate.page_flow.cautions import (
    about_curve,
    about_devices,
    about_space_behind,
)
from tierwright.evaluate.page_flow.costs import CostTerms
from tierwright.evaluate.page_flow.decision import TIE_TOLERANCE
from tierwright.evaluate.page_flow.engine import Flow
from tierwright.evaluate.page_flow.evaluation import service_times
from tierwright.evaluate.page_flow.results import ServiceTimes
from tierwright.evaluate.page_flow.schemes import (
    BY_NAME,
    NO_FLASH,
    OWN_FORMULA,
    TIE_ORDER,
)
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.hardware.tier_prices import PagePrices, page_prices
from tierwright.profile.curve import Curve

AXES: dict[str, tuple[str, str]] = {
    "flash_per_ram": ("flash over RAM, f / r", "1"),
    "ram_pages": ("RAM, r", "pages"),
    "flash_pages": ("flash, f", "pages"),
    "dirty_share": ("share of victims that are dirty, p_d", "1"),
    "asymmetry": ("flash write over flash read, F_W / F_R", "1"),
}
"""Every axis of a map: title, unit."""

MAP_SCHEMES = OWN_FORMULA
"""Schemes with a cost formula of their own."""

ESTIMATOR = (
    "C0 to C3 with hits from one LRU curve (lazy by its fixed point); crossings are roots of "
    "cost differences"
)
VALIDITY = (
    "LRU in both tiers; a dirty share that is set applies to the pages evicted from RAM and from "
    "flash alike, otherwise each scheme has its measured shares; crossings closer together than a "
    "step of the grid can be missed"
)
EQUAL_COSTS = 1e-12
"""Costs that differ by less than this share are equal: there is the line."""
LAST_BIT = 1e-15
"""Share of a grid step below which a crossing is not looked for any further."""
JUMP_SHARE = 1e-9
"""The same where one of the two does not fit on one side: there are no costs to compare."""
NO_SCHEME = -1
"""Index of the best where no scheme fits."""
MOST_STEPS = 150
"""Three times the halvings that lead to the last bit of a double."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a map.

    Attributes
    ----------
    name : str
        Key of `AXES`.
    values : float64 array, shape (n,)
        Grid points, rising.
    """

    name: str
    values: FloatArray

    @classmethod
    def spaced(cls, name: str, low: float, high: float, count: int = 64) -> Axis:
        """Make an axis: shares evenly spaced, sizes and ratios by equal factors.

        Raises
        ------
        BadInput
            If the axis is unknown or its ends do not fit it.
        """
        problems = Problems("axis", f"axes are {', '.join(AXES)}")
        problems.check(name in AXES, "axis", name, "is unknown")
        problems.check(count >= LEAST_POINTS, "count", count, "must be at least 2")
        lowest = 0.0 if name == "dirty_share" else math.ulp(0.0)
        fits = math.isfinite(low) and math.isfinite(high) and lowest <= low < high
        problems.check(
            fits, f"{name} from", f"{low:g} to {high:g}", "must rise above 0"
        )
        problems.raise_if_any()
        space = np.linspace if name == "dirty_share" else np.geomspace
        return cls(name, np.asarray(space(low, high, count), dtype=np.float64))


LEAST_POINTS = 2


@dataclass(frozen=True, slots=True)
class Crossover:
    """Line on which two schemes cost the same and nothing costs less.

    Where the flash metadata are charged, also the line behind which the winner on one side
    does not fit into RAM any more.

    Attributes
    ----------
    schemes : tuple of str
        The two.
    points : float64 array, shape (n, 2)
        x and y along the line.
    """

    schemes: tuple[str, str]
    points: FloatArray


@dataclass(frozen=True, slots=True)
class MapMoney:
    """What the cells of a map cost; arrays have the shape of the map.

    Attributes
    ----------
    usd_per_month_no_flash, usd_per_month_with_flash : float64 array or None
        RAM and disk, and these with flash; equal for all schemes with flash. None without
        prices. [USD/month]
    best_by_price_times_time : int64 array or None
        Index of the scheme of least price x I/O time, the price of a unit of throughput;
        -1 where no scheme fits.
    reason : str
        Why there is no cost; empty when there is one.
    """

    usd_per_month_no_flash: FloatArray | None
    usd_per_month_with_flash: FloatArray | None
    best_by_price_times_time: NDArray[np.int64] | None
    reason: str


@dataclass(frozen=True, slots=True)
class SchemeMap:
    """Costs and winners over a grid; arrays have shape (len(y), len(x)).

    Attributes
    ----------
    x, y : Axis
        The axes.
    schemes : tuple of str
        Compared, in the order of `TIE_ORDER`; `best` counts in it.
    best : int64 array
        Index of the scheme of least I/O time; among equals the first. -1 where the flash metadata leave RAM to none of
        the schemes, and where a curve from counters does not speak of the sizes.
    io_time_us_per_access : dict of str to float64 array
        By scheme; NaN where the flash metadata leave it no RAM, and of all where the curve does not speak of the sizes. [µs]
    margin : float64 array
        I/O time that the best saves over the runner-up, as a share of the latter's; NaN
        where there is no runner-up. [1]
    too_close : bool array
        Where another scheme is within the known error of the model.
    crossovers : tuple of Crossover
        Lines between regions.
    money : MapMoney
        What the cells cost, where prices are known.
    times : ServiceTimes
        Of the devices, whatever the axes are. [µs]
    fixed : dict of str to float or None
        Values of the axes that do not vary; None for a measured dirty share.
    flash_metadata : str or None
        Preset whose memory is taken from the RAM of the schemes with flash.
    estimator, validity : str
        How it was computed, and where that holds.
    warnings : tuple of Caution
        What to know before acting on it.
    """

    x: Axis
    y: Axis
    schemes: tuple[str, ...]
    best: NDArray[np.int64]
    io_time_us_per_access: dict[str, FloatArray]
    margin: FloatArray
    too_close: NDArray[np.bool_]
    crossovers: tuple[Crossover, ...]
    money: MapMoney
    times: ServiceTimes
    fixed: dict[str, float | None]
    flash_metadata: str | None
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; grids are lists of rows, a row a value of y."""
        found: dict[str, Any] = plain(self.columns())
        return found

    def columns(self) -> dict[str, Any]:
        """Return the same as `to_dict` with the grids left as arrays."""
        money = self.money
        return {
            "x": _axis(self.x),
            "y": _axis(self.y),
            "schemes": list(self.schemes),
            "best": self.best,
            "io_time_us_per_access": self.io_time_us_per_access,
            "margin": self.margin,
            "too_close": self.too_close,
            "crossovers": [
                {
                    "schemes": list(line.schemes),
                    "points": np.ascontiguousarray(line.points),
                }
                for line in self.crossovers
            ],
            "money": {
                "usd_per_month_no_flash": money.usd_per_month_no_flash,
                "usd_per_month_with_flash": money.usd_per_month_with_flash,
                "best_by_price_times_time": money.best_by_price_times_time,
                "reason": money.reason,
            },
            "fixed": self.fixed,
            "flash_metadata": self.flash_metadata,
            "estimator": self.estimator,
            "validity": self.validity,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
            "formulas": {name: BY_NAME[name].formula for name in self.schemes},
            "source": explain.PAPER,
        }


def scheme_map(
    curve: Curve,
    *,
    x: Axis,
    y: Axis,
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
) -> SchemeMap:
    """Evaluate schemes over a grid and find the lines between their regions.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size; without write-backs a dirty share
        must be given or be an axis.
    x, y : Axis
        Two of `AXES`. Together with the sizes below they must say r and f: `flash_per_ram`
        needs r, and excludes f.
    flash, disk : Device
        Devices; their busy times are F_R, F_W, D_R, D_W.
    ram_pages, flash_pages : float, optional
        r and f, where they are no axis; r at least 1. [pages]
    dirty_share : float, optional
        p_d = p_dF of every scheme; measured on the curve unless given or an axis. [1]
    asymmetry : float, optional
        F_W / F_R; the device's unless given or an axis. F_R stays the device's. [1]
    schemes : iterable of str
        Of `MAP_SCHEMES`, at least two.
    flash_metadata : MetadataPreset, optional
        Charges the memory that flash needs to the RAM, as in `evaluate`: r is then a budget,
        of which `none` caches in all. In proportion to the sizes, not rounded up to whole
        entries and pages, so that lines are those of continuous costs. Where it leaves less
        than a page, schemes with flash are out.
    ram : Device, optional
        For its price.
    prices : PriceBook, optional
        Without it, and without prices of the devices' own, there is no money.
    amortisation_months : int
        As in `evaluate`. [months]

    Returns
    -------
    SchemeMap

    Raises
    ------
    BadInput
        If the sizes are not determined, or determined twice, or a number is out of its domain.

    Notes
    -----
    A dirty share that is set makes p_d and p_dF equal in all schemes, as in the paper; so a row
    at the measured share is not the map with measured shares.
    """
    if curve.evidence is not None and curve.evidence.kind == "one_point":
        raise BadInput(
            "scheme_map: the workload is known at one size alone "
            f"({curve.evidence.range_text(curve.page_bytes)}): a map reads many",
            "measure other sizes: a resize for an hour, snapshots of ages, or a sampled trace",
        )
    listed = list(schemes)
    wanted = tuple(name for name in TIE_ORDER if name in set(listed))
    fixed = {
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "dirty_share": dirty_share,
        "asymmetry": asymmetry,
    }
    check_axes(x, y)
    check_question(curve, {x.name: x.values, y.name: y.values}, fixed, listed)
    priced = page_prices(curve, (ram, flash, disk), prices, amortisation_months)
    problem = MapProblem(
        curve, (x.name, y.name), fixed, (flash, disk), wanted, flash_metadata
    )
    # A row and a column: what depends on one axis alone is computed once for the other.
    along_x, along_y = x.values[None, :], y.values[:, None]
    shape = (len(y.values), len(x.values))
    costs, errors = (
        {name: np.broadcast_to(each, shape) for name, each in found.items()}
        for found in problem.evaluate(along_x, along_y)
    )
    place = problem.point(along_x, along_y)
    stacked = np.stack([costs[name] for name in wanted])
    best = least_of(stacked)
    return SchemeMap(
        x=x,
        y=y,
        schemes=wanted,
        best=best,
        io_time_us_per_access={
            name: np.where(np.isfinite(cost), cost, np.nan)
            for name, cost in costs.items()
        },
        margin=margin_of(stacked),
        too_close=too_close_to_call(
            stacked, np.stack([errors[n] for n in wanted]), best
        ),
        crossovers=tuple(_crossovers(problem, x.values, y.values, best)),
        money=_money(place, stacked, wanted, priced),
        times=problem.times,
        fixed={
            name: value for name, value in fixed.items() if name not in (x.name, y.name)
        },
        flash_metadata=None if flash_metadata is None else flash_metadata.name,
        estimator=ESTIMATOR,
        validity=VALIDITY,
        warnings=(
            *_cautions(curve, problem, place, best),
            *about_space_behind(flash_metadata),
            *about_devices(curve, 0, flash, disk, ram),
            *priced.cautions,
        ),
    )


def least_of(stacked: FloatArray) -> NDArray[np.int64]:
    """Index of the least along the first axis, among equals the first; -1 where none is finite."""
    least = stacked.min(axis=0)
    index = (stacked <= least * (1 + TIE_TOLERANCE)).argmax(axis=0)
    return np.where(np.isfinite(least), index, NO_SCHEME).astype(np.int64)


def winners_differ(one: SchemeMap, other: SchemeMap) -> NDArray[np.bool_]:
    """Where no scheme has the least I/O time on both maps, alone or with equals.

    Parameters
    ----------
    one, other : SchemeMap
        Of the same schemes and axes.

    Returns
    -------
    bool array, shape (len(y), len(x))
        False also where no scheme fits on either.
    """
    ties = [_least_with_equals(each) for each in (one, other)]
    fits = [(each.best != NO_SCHEME) for each in (one, other)]
    shared = (ties[0] & ties[1]).any(axis=0)
    return np.where(fits[0] & fits[1], ~shared, fits[0] != fits[1])


def _least_with_equals(made: SchemeMap) -> NDArray[np.bool_]:
    costs = np.stack([made.io_time_us_per_access[name] for name in made.schemes])
    costs = np.where(np.isnan(costs), np.inf, costs)
    found: NDArray[np.bool_] = costs <= costs.min(axis=0) * (1 + TIE_TOLERANCE)
    return found


def margin_of(stacked: FloatArray) -> FloatArray:
    """Share of the second least that the least saves; NaN where there is no second."""
    first, second = np.sort(stacked, axis=0)[:2]
    beaten = np.isfinite(second)
    saved = np.subtract(second, first, out=np.zeros_like(second), where=beaten)
    return np.where(beaten, share(saved, np.where(beaten, second, 1.0)), np.nan)


def _money(
    point: MapPlace, stacked: FloatArray, schemes: tuple[str, ...], prices: PagePrices
) -> MapMoney:
    if prices.reason:
        return MapMoney(None, None, None, prices.reason)
    base, whole = (
        np.ascontiguousarray(np.broadcast_to(usd, stacked.shape[1:]))
        for usd in (
            point.r * prices.ram + prices.data_set,
            point.r * prices.ram + prices.data_set + prices.flash_usd(point.f),
        )
    )
    products = [
        cost * (base if name == NO_FLASH else whole)
        for name, cost in zip(schemes, stacked, strict=True)
    ]
    return MapMoney(base, whole, least_of(np.stack(products)), "")


@dataclass(frozen=True, slots=True)
class MapPlace:
    """Everything a cost needs, at points of a map.

    Attributes
    ----------
    r : float64 array
        RAM, or the budget of RAM where metadata are charged. [pages]
    frames : float64 array
        RAM that schemes with flash cache in; below 1 they do not fit. [pages]
    f : float64 array
        Flash. [pages]
    dirty : float64 array or None
        Dirty share of all schemes; None: measured.
    flash_write : float64 array or float
        F_W. [µs]
    """

    r: FloatArray
    frames: FloatArray
    f: FloatArray
    dirty: FloatArray | None
    flash_write: FloatArray | float

    @property
    def reads(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest size at which the schemes that are compared read the curve. [pages]"""
        smallest = np.minimum(self.r, np.maximum(self.frames, 0.0))
        return smallest, np.maximum(self.r, self.frames + self.f)


class MapProblem:
    """Costs as a function of two axes."""

    def __init__(
        self,
        curve: Curve,
        axes: tuple[str, str],
        fixed: Mapping[str, float | None],
        devices: tuple[Device, Device],
        schemes: tuple[str, ...],
        metadata: MetadataPreset | None,
    ) -> None:
        self.curve = curve
        self.names = axes
        self.fixed = fixed
        self.times = service_times(*devices, curve.page_bytes)
        self.schemes = schemes
        self.metadata = metadata

    def point(self, x: FloatArray, y: FloatArray) -> MapPlace:
        """Sizes, dirty share and flash write time at points of the map."""
        at: dict[str, FloatArray] = {
            name: np.asarray(value, dtype=np.float64)
            for name, value in self.fixed.items()
            if value is not None
        }
        at.update(zip(self.names, (x, y), strict=True))
        r = at["ram_pages"]
        f = at["flash_pages"] if "flash_pages" in at else r * at["flash_per_ram"]
        write: FloatArray | float = self.times.flash_write
        if "asymmetry" in at:
            write = at["asymmetry"] * self.times.flash_read
        return MapPlace(r, self._frames(r, f), f, at.get("dirty_share"), write)

    def _frames(self, r: FloatArray, f: FloatArray) -> FloatArray:
        if self.metadata is None:
            return r
        page = self.curve.page_bytes
        needed = self.metadata.ram_bytes(
            f * page,
            page_bytes=page,
            source_bytes=self.curve.data_pages * page,
            whole_units=False,
        )
        return np.asarray(r - needed / page)

    def flows(
        self, point: MapPlace, schemes: Collection[str] | None = None
    ) -> dict[str, Flow]:
        """Count hits and dirty shares of some schemes, of all if none are named."""
        return engine.flows(
            self.curve,
            np.maximum(point.frames, 0.0),
            point.f,
            budget=None if self.metadata is None else point.r,
            dirty=point.dirty,
            schemes=self.schemes if schemes is None else schemes,
        )

    def evaluate(
        self, x: FloatArray, y: FloatArray
    ) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
        """I/O time of each scheme, and its known error. [µs per access]"""
        point = self.point(x, y)
        # Copies: sizes are looked up faster in memory that is in order.
        r, frames, f = (
            np.ascontiguousarray(each)
            for each in np.broadcast_arrays(point.r, point.frames, point.f)
        )
        point = replace(point, r=r, frames=frames, f=f)
        costs, errors = {}, {}
        for name, flow in self.flows(point).items():
            costs[name] = self.cost(name, flow, point)
            errors[name] = engine.io_time_error_us(
                self.curve, name, flow, self.times, point.flash_write
            )
        return costs, errors

    def costs_at(self, at: FloatArray) -> FloatArray:
        """I/O time of every scheme, shape (schemes, n), at points of shape (2, n)."""
        point = self.point(at[0], at[1])
        flows = self.flows(point)
        found = np.empty((len(self.schemes), at.shape[1]))
        for row, name in zip(found, self.schemes, strict=True):
            row[:] = self.cost(name, flows[name], point)
        return found

    def costs_of(
        self, pairs: NDArray[np.int64], at: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """I/O time of the two schemes of each pair, each of shape (n,)."""
        point = self.point(at[0], at[1])
        numbers = sorted(set(pairs.ravel().tolist()))
        flows = self.flows(point, [self.schemes[number] for number in numbers])
        first, second = np.empty((2, at.shape[1]))
        for number in numbers:
            name = self.schemes[number]
            cost = self.cost(name, flows[name], point)
            for costs, row in ((first, pairs[0]), (second, pairs[1])):
                np.copyto(costs, cost, where=row == number)
        return first, second

    def differences(self, pairs: NDArray[np.int64], at: FloatArray) -> FloatArray:
        """Cost of one scheme less that of another, as a share of the larger.

        Parameters
        ----------
        pairs : int64 array, shape (2, n)
            Index of either scheme.
        at : float64 array, shape (2, n)
            x and y.

        Returns
        -------
        float64 array, shape (n,)
            [1]
        """
        first, second = self.costs_of(pairs, at)
        fits = np.isfinite(first) & np.isfinite(second)
        if fits.all():
            return share(first - second, np.maximum(first, second))
        # Infinite, with the sign, where only one of them fits.
        one_fits = np.isfinite(first) ^ np.isfinite(second)
        jump = np.where(one_fits, np.where(np.isfinite(first), -np.inf, np.inf), 0.0)
        spread = np.subtract(first, second, out=np.zeros_like(first), where=fits)
        whole = np.where(fits, np.maximum(first, second), 1.0)
        return np.where(fits, share(spread, whole), jump)

    def cost(self, name: str, flow: Flow, point: MapPlace) -> FloatArray:
        """I/O time, infinite where the flash metadata leave no RAM, or sizes are unknown. [µs per access]"""
        terms = self.terms(name, flow, point)
        cost = np.asarray(terms.total / self.curve.accesses)
        evidence = self.curve.evidence
        if evidence is not None:
            cost = np.where(evidence.unknown(*point.reads), np.inf, cost)
        if self.metadata is None or name == NO_FLASH:
            return cost
        return np.where(point.frames >= 1.0, cost, np.inf)

    def terms(self, name: str, flow: Flow, point: MapPlace) -> CostTerms:
        """Cost terms over the whole trace. [µs]"""
        return engine.terms(name, flow, self.times, point.flash_write)


def check_axes(x: Axis, y: Axis) -> None:
    """Refuse axes that are unknown, twice the same, or do not rise."""
    problems = Problems("scheme map", f"axes are {', '.join(AXES)}")
    for axis in (x, y):
        values = np.asarray(axis.values, dtype=np.float64)
        rising = values.ndim == 1 and values.size >= LEAST_POINTS
        rising = rising and bool(np.all(np.diff(values) > 0))
        problems.check(
            rising, f"{axis.name} values", None, "must be at least 2, rising"
        )
    problems.check(x.name != y.name, "axes", x.name, "is given twice")
    problems.raise_if_any()


def check_question(
    curve: Curve,
    axes: Mapping[str, FloatArray],
    fixed: Mapping[str, float | None],
    schemes: Sequence[str],
) -> None:
    """Refuse axes and fixed values that do not say r and f once, or are out of domain."""
    problems = Problems("scheme map", f"axes are {', '.join(AXES)}")
    for name in axes:
        problems.check(name in AXES, "axis", name, "is unknown")
    for name in schemes:
        problems.check(name in MAP_SCHEMES, "schemes", name, "is unknown")
    enough = len(set(schemes)) >= LEAST_POINTS
    problems.check(enough, "schemes", ", ".join(schemes), "must be at least two")
    problems.check(curve.accesses > 0, "curve", None, "the workload has no accesses")
    given = {name for name, value in fixed.items() if value is not None}
    for name in sorted(given & set(axes)):
        problems.add(name, fixed[name], "is both an axis and set")
    said = given | set(axes)
    problems.check("ram_pages" in said, "ram_pages", None, "must be given or an axis")
    both = ("flash_pages" in said) + ("flash_per_ram" in said)
    problems.check(
        both == 1,
        "flash",
        None,
        "must be given once: flash_pages set, or flash_pages or flash_per_ram as an "
        "axis",
    )
    problems.raise_if_any()
    _check_domains(
        {name: np.asarray(fixed[name], dtype=np.float64) for name in given} | dict(axes)
    )


def _check_domains(values: Mapping[str, FloatArray]) -> None:
    for name, value in values.items():
        if name == "dirty_share":
            broadcast("scheme map", shares={name: value})
        else:
            broadcast("scheme map", amounts={name: value})
    problems = Problems(
        "scheme map", "for no flash use the scheme `none`, not a size of 0"
    )
    for name, least in (
        ("ram_pages", 1.0),
        ("flash_pages", math.ulp(0.0)),
        ("flash_per_ram", math.ulp(0.0)),
        ("asymmetry", math.ulp(0.0)),
    ):
        if name in values:
            low = float(np.min(values[name]))
            what = "at least 1" if name == "ram_pages" else "above 0"
            problems.check(low >= least, name, low, f"must be {what}")
    problems.raise_if_any()


def too_close_to_call(
    costs: FloatArray, errors: FloatArray, best: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether another scheme is within the known errors of both."""
    rows = np.maximum(best, 0)[None]  # where none fits, all are infinite: none is near
    winner = np.take_along_axis(costs, rows, axis=0)
    slack = np.take_along_axis(errors, rows, axis=0)
    others = np.arange(len(costs))[:, None, None] != rows
    near = (costs - errors < winner + slack) & (errors + slack > 0)
    return np.asarray(np.any(near & others, axis=0))


# --- lines between regions ----------------------------------------------------------------

Node = tuple[int, int, int, int]
"""Crossing on an edge of the grid: row and column of its first point, 0 along x or 1 along y,
and which crossing of the edge it is."""


def _crossovers(
    problem: MapProblem, x: FloatArray, y: FloatArray, best: NDArray[np.int64]
) -> Iterable[Crossover]:
    roots = _edge_roots(problem, x, y, best)
    segments: dict[tuple[int, int], list[Segment]] = {}
    for row, column in _mixed_cells(best):
        edges = (
            (row, column, 0),
            (row + 1, column, 0),
            (row, column, 1),
            (row, column + 1, 1),
        )
        nodes = [(*edge, which) for edge in edges for which in (0, 1)]
        crossed = [node for node in nodes if node in roots]
        if not crossed:  # a corner at which no scheme fits
            continue
        _cell_segments(roots, crossed, segments)
    for pair, parts in sorted(segments.items()):
        names = (problem.schemes[pair[0]], problem.schemes[pair[1]])
        for line in _joined(parts):
            yield Crossover(names, line)


def _mixed_cells(best: NDArray[np.int64]) -> list[tuple[int, int]]:
    corners = np.stack([best[:-1, :-1], best[:-1, 1:], best[1:, :-1], best[1:, 1:]])
    rows, columns = np.nonzero(corners.min(axis=0) != corners.max(axis=0))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


Spot = tuple[float, float]
"""x and y. Lines are put together of plain numbers: arrays of two cost more than they hold."""
Root = tuple[tuple[int, int], Spot]
Segment = tuple[Node | None, Node | None, tuple[Spot, Spot]]
"""Part of a line in one cell: the crossings that it joins, None where it ends inside."""


def _edge_roots(
    problem: MapProblem, x: FloatArray, y: FloatArray, best: NDArray[np.int64]
) -> dict[Node, Root]:
    """Crossing of the two winners on every edge whose ends have different ones."""
    edges: list[tuple[int, int, int]] = []
    ends: list[tuple[int, int]] = []
    for way, (first, second) in enumerate(
        ((best[:, :-1], best[:, 1:]), (best[:-1], best[1:]))
    ):
        rows, columns = np.nonzero(
            (first != second) & (first != NO_SCHEME) & (second != NO_SCHEME)
        )
        edges += [
            (row, column, way)
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        ]
        ends += zip(
            first[rows, columns].tolist(), second[rows, columns].tolist(), strict=True
        )
    if not edges:
        return {}
    row, column, along_y = np.asarray(edges, dtype=np.int64).T
    low = np.stack([x[column], y[row]])
    high = np.stack([x[column + 1 - along_y], y[row + along_y]])
    pairs = np.asarray(ends, dtype=np.int64).T
    found = _roots(problem, pairs, low, high)
    # Where a third scheme is cheaper at the crossing, it wins a stretch of the edge: then there
    # are two crossings, on either side.
    costs = problem.costs_at(found)
    third = costs.argmin(axis=0).astype(np.int64)
    columns = np.arange(len(ends))
    # The lesser of the two: at a jump one of them is infinite.
    own = np.minimum(costs[pairs[0], columns], costs[pairs[1], columns])
    between = costs.min(axis=0) < own * (1 - TIE_TOLERANCE)
    roots: dict[Node, Root] = {}
    _note(roots, edges, 0, pairs, found, ~between)
    if between.any():
        before = np.stack([pairs[0], third])[:, between]
        after = np.stack([third, pairs[1]])[:, between]
        where = [edge for edge, odd in zip(edges, between, strict=True) if odd]
        middle = found[:, between]
        every = np.ones(len(where), dtype=np.bool_)
        halves = _roots(
            problem,
            np.hstack([before, after]),
            np.hstack([low[:, between], middle]),
            np.hstack([middle, high[:, between]]),
        )
        first_half, second_half = np.hsplit(halves, 2)
        _note(roots, where, 0, before, first_half, every)
        _note(roots, where, 1, after, second_half, every)
    return roots


def _note(
    roots: dict[Node, Root],
    edges: Sequence[tuple[int, int, int]],
    which: int,
    pairs: NDArray[np.int64],
    points: FloatArray,
    wanted: NDArray[np.bool_],
) -> None:
    rows = zip(edges, pairs.T.tolist(), points.T.tolist(), wanted.tolist(), strict=True)
    for edge, ends, (x, y), keep in rows:
        if keep:
            low, high = sorted(ends)
            roots[(*edge, which)] = ((low, high), (x, y))


def _roots(
    problem: MapProblem, pairs: NDArray[np.int64], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Points from `low` to `high`, shape (2, n), at which the two of each pair cost the same.

    Chandrupatla's method: inverse quadratic interpolation where that is safe, else halving, so
    that the bracket always shrinks. An infinite difference, where one of the two does not fit,
    is halved towards. SciPy's elementwise root finder gives the same points, and takes a third
    of the processor time of a map for its own bookkeeping.
    """
    span = high - low
    found = low.copy()
    still = np.arange(low.shape[1])
    # Places on the way from low (0) to high (1): `here` is the newest, the root lies between
    # it and `there`, `before` is what was given up last.
    here, there = np.ones(low.shape[1]), np.zeros(low.shape[1])
    at_here, at_there = (problem.differences(pairs, ends) for ends in (high, low))
    # An end at which they are equal, but for rounding, is a root: the first place to look at.
    # There both ends may have one sign, and halving would end somewhere between them.
    equal_here, equal_there = (np.abs(at) <= EQUAL_COSTS for at in (at_here, at_there))
    step = np.where(equal_here, 0.0, np.where(equal_there, 1.0, 0.5))
    for _ in range(MOST_STEPS):
        place = here + step * (there - here)
        points = low[:, still] + place * span[:, still]
        value = problem.differences(pairs[:, still], points)
        found[:, still] = points
        jumps = np.isinf(at_here) | np.isinf(at_there)
        close = np.abs(there - here) <= np.where(jumps, JUMP_SHARE, LAST_BIT)
        more = ~((np.abs(value) <= EQUAL_COSTS) | close)
        if not more.any():
            break
        still = still[more]
        rest = np.stack((place, value, here, there, at_here, at_there))[:, more]
        place, value, here, there, at_here, at_there = rest
        same = np.sign(value) == np.sign(at_here)
        before, at_before = (
            np.where(same, here, there),
            np.where(same, at_here, at_there),
        )
        there, at_there = np.where(same, there, here), np.where(same, at_there, at_here)
        here, at_here = place, value
        step = _next_step((here, there, before), (at_here, at_there, at_before))
    return found


def _next_step(
    places: tuple[FloatArray, FloatArray, FloatArray],
    values: tuple[FloatArray, FloatArray, FloatArray],
) -> FloatArray:
    """Share of the way from the first place to the second at which to look next."""
    (x1, x2, x3), (f1, f2, f3) = places, values
    # Not a number where values are equal or infinite: then it is halved.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        xi = (x1 - x2) / (x3 - x2)
        phi = (f1 - f2) / (f3 - f2)
        safe = (phi * phi < xi) & ((1 - phi) ** 2 < 1 - xi)
        curved = f1 / (f2 - f1) * f3 / (f2 - f3)
        curved += (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        least = np.minimum(LAST_BIT / np.abs(x2 - x1), 0.5)
    safe &= np.isfinite(curved)
    return np.where(safe, np.clip(curved, least, 1 - least), 0.5)


def _cell_segments(
    roots: Mapping[Node, Root],
    crossed: Sequence[Node],
    segments: dict[tuple[int, int], list[Segment]],
) -> None:
    """Join the crossings of one cell: two of one pair by a segment, others at their middle."""
    by_pair: dict[tuple[int, int], list[Node]] = {}
    for edge in crossed:
        by_pair.setdefault(roots[edge][0], []).append(edge)
    spots = [roots[edge][1] for edge in crossed]
    middle = (
        math.fsum(x for x, _ in spots) / len(spots),
        math.fsum(y for _, y in spots) / len(spots),
    )
    for pair, edges in by_pair.items():
        if len(edges) == LEAST_POINTS:
            one, other = edges
            ends = (roots[one][1], roots[other][1])
            segments.setdefault(pair, []).append((one, other, ends))
        else:  # three regions meet in the cell, or a saddle
            for edge in edges:
                ends = (roots[edge][1], middle)
                segments.setdefault(pair, []).append((edge, None, ends))


def _joined(
    parts: Sequence[Segment],
) -> list[FloatArray]:
    """Chain segments that share an edge into lines."""
    at_edge: dict[Node, list[int]] = {}
    for index, (first, last, _) in enumerate(parts):
        for edge in (first, last):
            if edge is not None:
                at_edge.setdefault(edge, []).append(index)
    left = set(range(len(parts)))
    ends = [index for index in range(len(parts)) if _is_end(parts[index], at_edge)]
    starts = [*ends, *range(len(parts))]  # open lines from an end, then closed ones
    return [_walk(parts, at_edge, left, start) for start in starts if start in left]


def _is_end(
    part: Segment,
    at_edge: Mapping[Node, list[int]],
) -> bool:
    return any(edge is None or len(at_edge[edge]) == 1 for edge in part[:2])


def _walk(
    parts: Sequence[Segment],
    at_edge: Mapping[Node, list[int]],
    left: set[int],
    start: int,
) -> FloatArray:
    left.remove(start)
    first, last, points = parts[start]
    if last is None or (first is not None and len(at_edge[last]) == 1):
        first, last, points = last, first, points[::-1]
    line = list(points)
    while last is not None:
        following = [index for index in at_edge[last] if index in left]
        if not following:
            break
        left.remove(following[0])
        one, other, points = parts[following[0]]
        if one != last:
            one, other, points = other, one, points[::-1]
        line.append(points[1])
        last = other
    return np.asarray(line, dtype=np.float64)


def _cautions(
    curve: Curve,
    problem: MapProblem,
    point: MapPlace,
    best: NDArray[np.int64],
) -> Iterable[Caution]:
    yield from about_curve(curve, point.frames, point.f)
    if curve.evidence is not None:
        unknown = curve.evidence.unknown(*point.reads)
        if unknown.any():
            yield Caution(
                "sizes_unknown",
                f"on {np.mean(unknown):.0%} of the map the sizes are outside of what the counters speak of, "
                f"{curve.evidence.range_text(curve.page_bytes)}: what costs least there is unknown",
                "choose sizes that RAM, and RAM and flash together, have within that range, or measure further sizes",
            )
    out = point.frames < 1.0
    if problem.metadata is not None and out.any():
        nothing = bool(np.any(best == NO_SCHEME))
        yield Caution(
            "metadata_exceed_ram",
            f"on {out.mean():.0%} of the map the flash metadata "
            f"({problem.metadata.title}) leave no RAM for a cache: schemes with flash "
            "are excluded there" + (", and none is left" if nothing else ""),
            "choose more RAM, less flash, or a cache with larger units",
        )
    largest = float((point.r + point.f).max())
    if largest > curve.data_pages and curve.data_known:
        yield Caution(
            "all_pages_fit",
            f"part of the map holds all {counted(curve.data_pages, 'page')} of the workload: more "
            "flash changes nothing there",
            "choose a smaller range, or profile a larger part of the workload",
        )


def _axis(axis: Axis) -> dict[str, Any]:
    title, unit = AXES[axis.name]
    return {
        "name": axis.name,
        "title": title,
        "unit": unit,
        "values": np.ascontiguousarray(axis.values),
    }
