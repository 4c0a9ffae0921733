"""Sizes that need not be things to buy: the least that RAM, flash and what holds the data can cost, with a bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize_scalar

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.common.hull import below_chords
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.profile.curve import Curve

US = 1e6
CLOSE = 1e-3
"""Share of the cost by which the bound may lie below it."""
MOST_ROUNDS = 60
MOST_BOXES = 100_000
"""Boxes that are looked at, in all: where they do not do, the gap that is left is stated."""
_CELLS = 8
_MOST_KNOTS = 50_000


@dataclass(frozen=True, slots=True)
class Tiers:
    """A way to hold and to cache the data, at prices that a size of any kind has.

    Attributes
    ----------
    scheme : str
        Page flow; `none` without a cache of flash.
    store_usd : float
        Of one device that holds the data. [USD/month]
    store_us : tuple of float
        Its busy time of a read and of a write. [µs]
    space : float
        Devices of one machine that hold its data, be they parts of devices. [1]
    flash_usd : float
        Of one byte of flash that caches; 0 without. [USD/month/byte]
    flash_us : tuple of float
        Busy time of a read and of a write of one such device. [µs]
    flash_bytes : float
        Capacity of one. [bytes]
    """

    scheme: str
    store_usd: float
    store_us: tuple[float, float]
    space: float
    flash_usd: float = 0.0
    flash_us: tuple[float, float] = (0.0, 0.0)
    flash_bytes: float = 0.0


@dataclass(frozen=True, slots=True)
class Least:
    """The least that one machine can cost.

    Attributes
    ----------
    at : int
        Index of the tiers.
    ram_pages, flash_pages : float
        Sizes that cache; flash that its load needs beyond is in the cost. [pages]
    flash_bytes : float
        Flash that is paid for: what caches, or more where its load needs more devices. [bytes]
    store_devices : float
        Devices that hold the data, be they parts of devices. [1]
    usd : float
        Cost. [USD/month]
    bound : float
        No sizes of any of the tiers cost less. [USD/month]
    boxes : int
        Boxes that were looked at.
    """

    at: int
    ram_pages: float
    flash_pages: float
    flash_bytes: float
    store_devices: float
    usd: float
    bound: float
    boxes: int

    @property
    def gap(self) -> float:
        """Share of the cost by which something could be cheaper at most. [1]"""
        return max(0.0, 1 - self.bound / self.usd) if self.usd else 0.0


@dataclass(frozen=True, slots=True)
class _Boxes:
    """Boxes of sizes, each of one of the tiers. [pages]"""

    at: IntArray
    ram: tuple[FloatArray, FloatArray]
    flash: tuple[FloatArray, FloatArray]

    def __len__(self) -> int:
        return len(self.at)

    def rows(self, some: IntArray) -> _Boxes:
        return _Boxes(
            self.at[some],
            (self.ram[0][some], self.ram[1][some]),
            (self.flash[0][some], self.flash[1][some]),
        )

    def halves(self) -> _Boxes:
        """Cut each box across the side that is longer, as a ratio."""
        (low, high), (less, more) = self.ram, self.flash
        with np.errstate(divide="ignore", invalid="ignore"):
            wide = np.nan_to_num(more / less, nan=1.0)
            of_ram = high / low >= wide
        middle, between = np.sqrt(low * high), np.sqrt(less * more)
        return _Boxes(
            np.concatenate((self.at, self.at)),
            (
                np.concatenate((low, np.where(of_ram, middle, low))),
                np.concatenate((np.where(of_ram, middle, high), high)),
            ),
            (
                np.concatenate((less, np.where(of_ram, less, between))),
                np.concatenate((np.where(of_ram, more, between), more)),
            ),
        )


_Done = dict[tuple[str, str], FloatArray]
"""Operations of an access, by device and operation. [1]"""


class _Costs:
    """Costs of sizes and bounds of boxes of them, all of one machine."""

    def __init__(
        self,
        curve: Curve,
        tiers: Sequence[Tiers],
        ram_usd: float,
        accesses_per_s: float,
        most_busy: float,
    ) -> None:
        self._curve = curve
        self._short = curve.short_of_data()
        self._tiers = tiers
        self._ram_usd = ram_usd * curve.page_bytes
        # Devices that a busy time of 1 µs an access asks for.
        self._load = accesses_per_s / US / most_busy

    def _done(
        self,
        at: IntArray,
        ram: FloatArray,
        flash: FloatArray,
        curve: Curve | None = None,
    ) -> _Done:
        """Operations of an access at each place, by device and operation. [1]"""
        curve = self._curve if curve is None else curve
        names = np.asarray([each.scheme for each in self._tiers])[at]
        found = {
            (device, operation): np.zeros(len(at))
            for device in ("disk", "flash")
            for operation in ("read", "write")
        }
        for name in np.unique(names).tolist():
            rows = np.flatnonzero(names == name)
            done: Operations = operations(curve, ram[rows], flash[rows], (name,))[name]
            for key, values in found.items():
                values[rows] = done.per_access[key]  # type: ignore[index]
        return found

    def _of(
        self,
        at: IntArray,
        ram: FloatArray,
        flash: FloatArray,
        done: _Done,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Cost, devices that hold the data, and flash that is paid for."""
        columns = np.asarray(
            [
                (
                    *each.store_us,
                    each.space,
                    each.store_usd,
                    *each.flash_us,
                    each.flash_bytes,
                    each.flash_usd,
                )
                for each in self._tiers
            ]
        )[at].T
        read, write, space, store_usd, flash_read, flash_write, held, flash_usd = (
            columns
        )
        busy = done["disk", "read"] * read + done["disk", "write"] * write
        devices = np.maximum(space, busy * self._load)
        flash_busy = (
            done["flash", "read"] * flash_read + done["flash", "write"] * flash_write
        )
        paid = np.maximum(
            flash * self._curve.page_bytes, flash_busy * self._load * held
        )
        cost = ram * self._ram_usd + devices * store_usd + paid * flash_usd
        return cost, devices, paid

    def at(
        self, at: IntArray, ram: FloatArray, flash: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Cost, devices that hold the data, and flash that is paid for, at places."""
        return self._of(at, ram, flash, self._done(at, ram, flash))

    def bounds(self, boxes: _Boxes) -> tuple[FloatArray, FloatArray]:
        """Bound of each box, and the costs of its four corners, shape (4, N).

        Each count rises or falls with either size alone, so over a box it is least at a corner; but reads of flash,
        which are what misses RAM and is not read from disk: least where RAM is largest and reads of disk are most.

        Where some sizes of a box hold all of the data and some do not, counts jump in it, and no smaller box is without
        the jump: its two parts are bounded each by itself.
        """
        corners = [(ram, flash) for ram in boxes.ram for flash in boxes.flash]
        done = [self._done(boxes.at, *each) for each in corners]
        costs = np.stack(
            [
                self._of(boxes.at, *each, one)[0]
                for each, one in zip(corners, done, strict=True)
            ]
        )
        most_disk = np.max([each["disk", "read"] for each in done], axis=0)
        bound = self._bound(boxes, done, most_disk, self._curve)
        jumps = np.flatnonzero(self._jumps(boxes, done))
        if len(jumps):
            some, short = boxes.rows(jumps), self._short
            ends = [(ram, flash) for ram in some.ram for flash in some.flash]
            below = [self._done(some.at, *each, short) for each in ends]
            most = np.max([each["disk", "read"] for each in below], axis=0)
            # What holds all of the data reads new pages alone, and all it does rests on RAM, whatever the flash beside it.
            all_data = np.full(len(some), float(self._curve.all_data_from or 0))
            above = [self._done(some.at, ram, all_data) for ram in some.ram]
            bound[jumps] = np.minimum(
                self._bound(some, below, most, short),
                self._bound(some, above, above[0]["disk", "read"], self._curve),
            )
        return bound, costs

    def _jumps(self, boxes: _Boxes, done: list[_Done]) -> Bools:
        """Whether the largest sizes of a box hold all of the data and the smallest do not."""
        if self._short is self._curve:
            return np.zeros(len(boxes), dtype=np.bool_)
        ends = ((boxes.ram[end], boxes.flash[end], done[-end]) for end in (0, 1))
        smallest, largest = (
            one["disk", "read"]
            < self._done(boxes.at, ram, flash, self._short)["disk", "read"]
            for ram, flash, one in ends
        )
        return np.asarray(largest & ~smallest)

    def _bound(
        self, boxes: _Boxes, done: list[_Done], most_disk: FloatArray, curve: Curve
    ) -> FloatArray:
        """Bound of boxes by the operations of their corners on a curve, and the most reads of disk in them. [USD/month]"""
        least = {key: np.min([each[key] for each in done], axis=0) for key in done[0]}
        missed = (curve.misses(boxes.ram[1]) - curve.growth) / curve.accesses
        cached = boxes.flash[1] > 0
        least["flash", "read"] = np.where(
            cached, np.clip(missed - most_disk, 0.0, least["flash", "read"]), 0.0
        )
        return self._of(boxes.at, boxes.ram[0], boxes.flash[0], least)[0]


def least_cost(
    curve: Curve,
    tiers: Sequence[Tiers],
    *,
    ram_usd: float,
    accesses_per_s: float,
    most_busy: float,
    most_pages: float,
    most_flash_pages: float | None = None,
    close: float = CLOSE,
    known: Known | None = None,
) -> Least:
    """Find sizes of RAM and of flash of least cost, and how much less any sizes could cost at most.

    ``cost = RAM x price + flash x price + devices that hold the data x price``: of these as many, be they parts, as hold
    the data and are busy for no larger a share than is allowed; of flash what caches, or more where its load needs it.

    Branch and bound over boxes of sizes: each is bounded by its smallest sizes and its least operations, the one that
    may be the cheapest is halved, and what cannot be cheaper than what was found is left out. SciPy's bounded search
    then looks between the last places. So the bound holds whatever the shape of the curve.

    Parameters
    ----------
    curve : Curve
        Of one machine.
    tiers : sequence of Tiers
        At least one.
    ram_usd : float
        Of one byte. [USD/month/byte]
    accesses_per_s : float
        Of one machine in the busiest hour. [1/s]
    most_busy : float
        Largest share of the time for which a device may be busy. [1]
    most_pages : float
        Largest RAM. [pages]
    most_flash_pages : float, optional
        Largest flash; that of RAM unless stated. [pages]
    close : float
        Share of the cost by which the bound may lie below it before the search ends.
    known : (int, float, float), optional
        Sizes that the search begins with, so that it finds none that cost more: index of the tiers, RAM and flash. [pages]

    Returns
    -------
    Least

    Raises
    ------
    BadInput
        If there are no tiers, or a rate, size or share is not above 0.

    Notes
    -----
    `bound` holds for sizes of at least one page each and up to the largest.
    """
    problems = Problems("continuous sizes", "state prices, a rate and a size above 0")
    problems.check(bool(tiers), "tiers", None, "must name at least one")
    most_flash = most_pages if most_flash_pages is None else most_flash_pages
    for name, value in (
        ("ram_usd", ram_usd),
        ("accesses_per_s", accesses_per_s),
        ("most_busy", most_busy),
        ("most_pages", most_pages),
        ("most_flash_pages", most_flash),
    ):
        problems.check(
            math.isfinite(value) and value > 0, name, value, "must be above 0"
        )
    problems.raise_if_any()
    costs = _Costs(curve, tiers, ram_usd, accesses_per_s, most_busy)
    largest = max(most_pages, 2.0), max(most_flash, 2.0)
    best = _at_knots(costs, curve, tiers, largest[0])
    if known is not None:
        best = min(best, _at(costs, known))
    boxes = _first(tiers, largest)
    looked = len(boxes)
    closed = math.inf
    for _ in range(MOST_ROUNDS):
        bounds, corners = costs.bounds(boxes)
        best = _better(best, boxes, corners)
        open_ = bounds < best[0] * (1 - close)
        # What is left out is no cheaper than its bound.
        closed = min(closed, float(bounds[~open_].min(initial=math.inf)))
        some = np.flatnonzero(open_)
        if not len(some) or looked + 2 * len(some) > MOST_BOXES:
            closed = min(closed, float(bounds[some].min(initial=math.inf)))
            break
        boxes = boxes.rows(some).halves()
        looked += len(boxes)
    else:
        bounds, _ = costs.bounds(boxes)
        closed = min(closed, float(bounds.min()))
    usd, at, ram, flash = _polished(costs, best, largest)
    _, devices, paid = costs.at(
        np.asarray([at]), np.asarray([ram]), np.asarray([flash])
    )
    return Least(
        at,
        ram,
        flash,
        float(paid[0]),
        float(devices[0]),
        usd,
        min(closed, usd),
        looked,
    )


Known = tuple[int, float, float]
"""Index of the tiers, RAM and flash. [pages]"""
_Place = tuple[float, int, float, float]
"""Cost, index of the tiers, RAM and flash."""
_Largest = tuple[float, float]
"""RAM and flash. [pages]"""


def _at(costs: _Costs, known: Known) -> _Place:
    at, ram, flash = known
    cost, _, _ = costs.at(np.asarray([at]), np.asarray([ram]), np.asarray([flash]))
    return float(cost[0]), at, ram, flash


def _first(tiers: Sequence[Tiers], most: _Largest) -> _Boxes:
    """Cut the sizes into some boxes of equal ratio, for each of the tiers."""
    of_ram, of_flash = (np.geomspace(1.0, each, _CELLS + 1) for each in most)
    parts: list[tuple[int, float, float, float, float]] = []
    for at, each in enumerate(tiers):
        none = each.scheme == NO_FLASH
        flash = [(0.0, 0.0)] if none else list(pairwise(of_flash))
        parts += [
            (at, float(low), float(high), float(less), float(more))
            for low, high in pairwise(of_ram)
            for less, more in flash
        ]
    at, low, high, less, more = np.asarray(parts).T
    return _Boxes(at.astype(np.int64), (low, high), (less, more))


def _at_knots(
    costs: _Costs, curve: Curve, tiers: Sequence[Tiers], most: float
) -> _Place:
    """Find the cheapest without a cache where the curve bends: between two bends its cost is a line, or a valley."""
    knots = curve.knots
    if len(knots) > _MOST_KNOTS:
        knots = knots[below_chords(knots, curve.knot_misses)]
    sizes = np.unique(np.clip(knots, 1.0, most))
    best: _Place = (math.inf, 0, 1.0, 0.0)
    for at, each in enumerate(tiers):
        if each.scheme != NO_FLASH:
            continue
        cost, _, _ = costs.at(np.full(len(sizes), at), sizes, np.zeros(len(sizes)))
        row = int(np.argmin(cost))
        best = min(best, (float(cost[row]), at, float(sizes[row]), 0.0))
    return best


def _better(best: _Place, boxes: _Boxes, corners: FloatArray) -> _Place:
    corner, row = np.unravel_index(int(np.argmin(corners)), corners.shape)
    if corners[corner, row] >= best[0]:
        return best
    ram, flash = divmod(int(corner), 2)
    return (
        float(corners[corner, row]),
        int(boxes.at[row]),
        float(boxes.ram[ram][row]),
        float(boxes.flash[flash][row]),
    )


def _polished(costs: _Costs, best: _Place, most: _Largest) -> _Place:
    """Look for a cheaper place along either size, near the best."""
    usd, at, ram, flash = best
    for _ in range(2):
        for is_ram in (True, False):
            size = ram if is_ram else flash
            if size == 0:
                continue
            ends = max(size / 1.05, 1.0), min(size * 1.05, most[0 if is_ram else 1])
            if ends[0] >= ends[1]:
                continue
            found = minimize_scalar(
                partial(_cost_along, costs, (usd, at, ram, flash), is_ram),
                bounds=(math.log(ends[0]), math.log(ends[1])),
                method="bounded",
            )
            if found.fun < usd:
                usd, size = float(found.fun), math.exp(float(found.x))
                ram, flash = (size, flash) if is_ram else (ram, size)
    return usd, at, ram, flash


def _cost_along(costs: _Costs, place: _Place, is_ram: bool, log: float) -> float:  # noqa: FBT001
    """Cost with another size of RAM, or of flash, than at a place."""
    _, at, ram, flash = place
    size = math.exp(log)
    sizes = (size, flash) if is_ram else (ram, size)
    found, _, _ = costs.at(
        np.asarray([at]), np.asarray([sizes[0]]), np.asarray([sizes[1]])
    )
    return float(found[0])
