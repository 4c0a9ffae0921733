"""Options that could be the best, and what each does on another curve, with other errors and other times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import chosen_of, in_order
from tierwright.advise.advice._in_time import TIERS, InTime, Loads
from tierwright.advise.advice._prices import (
    PriceRange,
    spread_of_kinds,
    uncertain_purchases,
)
from tierwright.advise.advice._table import Table, restart_error_of, restart_of
from tierwright.advise.advice._words import with_flow
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.bought import budget_tb, part_budget_tb
from tierwright.evaluate.advice.choose import best_of_kinds
from tierwright.evaluate.advice.information import Bools, Buys
from tierwright.evaluate.advice.later import months_until, stretched_curve
from tierwright.evaluate.advice.limits import (
    LEAST,
    LIFE,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    ROUNDING,
    THROUGHPUT,
)
from tierwright.evaluate.advice.rows import (
    CHOICES,
    STANDING,
    IntArray,
    Options,
    busy_share,
    device_times,
    life_years,
)
from tierwright.evaluate.advice.rows import peak_busy as peak_of
from tierwright.evaluate.advice.tiers import MOST_DEVICES, each_usd, least_devices
from tierwright.evaluate.configurations.times import store_times, times_of
from tierwright.evaluate.endurance.growth import growing_years
from tierwright.evaluate.page_flow.decision import pages_that_tell, steady_errors
from tierwright.evaluate.page_flow.explain import error_band
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.service_time import service_time
from tierwright.profile.curve import Curve

MOST_BEST = 24
"""Options of the least cost that are contenders, and kinds of which the best one is."""
_STATED = (
    PEAK_BUSY,
    THROUGHPUT,
    "io_time_us_per_access",
    LIFE,
    RESTART,
    "usd_per_month",
    "purchase_usd",
)
"""Limits that are held again in each draw, as those of response times are; the others rest on sizes alone."""
LOOSER = (1.0, 1.25, 1.6, 2.0)
"""By how much the limits of `_STATED`, and those of response times, are loosened to find what keeps them in some draw: prices,
times and the model are off by as much. [1]"""
TIGHTER = (0.8, 0.5, 0.2, 0.02)
"""By how much those of response times are tightened besides: what keeps them by far keeps them in draws in which the best does
not. Of other limits many options are tried, such as these among them. [1]"""
MOST_TRIED, MOST_IN_TIME = 400, 200
"""Options of the best by each of these limits that are tried; where response times are limited, which take long to compute."""
Timing = tuple[str, Operation]
"""Device and operation."""


@dataclass(frozen=True, slots=True)
class State:
    """What may be otherwise, beside the curve.

    Attributes
    ----------
    hits_off : mapping of str to float
        By scheme, the share of the known error of its flash hits. [-1 to 1]
    steady : float
        Share of the known error of an I/O time in the steady state, as an exponent. [-1 to 1]
    times : mapping of (str, str) to float
        Busy time of an operation of a device over the one that was used. [1]
    prices : mapping of str to float
        Price of a kind of purchase over the one that was used. [1]
    """

    hits_off: Mapping[str, float] = field(default_factory=dict)
    steady: float = 0.0
    times: Mapping[Timing, float] = field(default_factory=dict)
    prices: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measured:
    """What each contender does on one curve; arrays over the contenders, mappings by `flash` and `disk`.

    Attributes
    ----------
    io_us : float64 array
        I/O time of an access. [µs]
    needed : int array
        Devices that hold the data, as many as it needs.
    keeps : bool array
        Whether it keeps the other limits.
    too_dear : bool array
        Whether the devices that it is offered with, or needs where these are more, cost more than a limit allows.
    fixed, unit : float64 array
        What it costs without the devices whose number is free, and one of these. [USD/month]
    busy_us : mapping of str to float64 array
        Busy time of an access on one device of each tier. [µs]
    read, wears : mapping of str to float64 array
        Page reads of an access, and page writes: as many as they can be where the trace does not tell. [1]
    """

    io_us: FloatArray
    needed: IntArray
    keeps: Bools
    too_dear: Bools
    fixed: FloatArray
    unit: FloatArray
    busy_us: Mapping[str, FloatArray]
    read: Mapping[str, FloatArray]
    wears: Mapping[str, FloatArray]


def contending(asked: Asked, table: Table, best: int) -> IntArray:
    """Rows of the options of a table that could be the best.

    Those of the least cost, and the best of each of the first kinds. Limits of response times take long to compute: where
    there are some, those that keep them, of so many of the least cost from the first on that does. Of options that differ in
    their number of devices alone there is one: each draw buys as many as it needs.
    """
    return _of_one_number(table, _could_be_best(asked, table), best)


def contending_at_ends(asked: Asked, tables: Sequence[Table], best: int) -> IntArray:
    """Rows of the options that could be the best on some curve: of the table of the answer, the first, and those of other curves.

    Which numbers of devices are listed, and where, rests on the curve: options of another are found by what they are.
    """
    [table, *others] = tables
    found = [_could_be_best(asked, table)]
    wanted = [each.options.rows(_could_be_best(asked, each)) for each in others]
    rows = [each.row for each in wanted]
    where: dict[_Kind, int] = {}
    if rows:
        for at in np.flatnonzero(
            np.isin(table.options.row, np.concatenate(rows))
        ).tolist():
            where.setdefault(_kind(table.options, at), at)
    found += [
        np.asarray([where[_kind(of, at)] for at in range(len(of))], dtype=np.int64)
        for of in wanted
    ]
    return _of_one_number(table, np.concatenate(found), best)


def to_try(asked: Asked, table: Table, best: int) -> IntArray:
    """Rows of the options that might be the best with other prices, times and errors: those of looser limits, and more of them.

    What breaks a limit by a little keeps it in some draws, and what is far from the best at these prices is not at others.
    """
    most = MOST_IN_TIME if asked.limits_response else MOST_TRIED
    found = [_could_be_best(_loosened(asked, times), table, most) for times in LOOSER]
    if asked.limits_response:
        found += [
            _could_be_best(_loosened(asked, times, RESPONSES), table, most)
            for times in TIGHTER
        ]
    return _of_one_number(table, np.concatenate(found), best)


def _loosened(
    asked: Asked, times: float, names: Sequence[str] = (*_STATED, *RESPONSES)
) -> Asked:
    """Ask the same with some limits so much looser: those that a draw holds again, unless named."""

    def looser(name: str, limit: Decimal) -> Decimal:
        if name not in names:
            return limit
        by = Decimal(repr(times))
        return limit / by if name in LEAST else limit * by

    return replace(
        asked,
        constraints={
            name: looser(name, limit) for name, limit in asked.constraints.items()
        },
    )


def _could_be_best(asked: Asked, table: Table, most: int = MOST_BEST) -> IntArray:
    order = in_order(asked, table, chosen_of(asked, table), most)
    kinds = best_of_kinds(order, table.kind_codes)
    return np.unique(np.concatenate((order[:most], kinds[:most])))


_Kind = tuple[int, int, int]


def _kind(options: Options, at: int) -> _Kind:
    """Tell what an option is, whatever the number of devices by themselves that hold the data."""
    return int(options.source[at]), int(options.row[at]), int(options.scheme[at])


def _of_one_number(table: Table, rows: IntArray, best: int) -> IntArray:
    """Leave one row of each option, whatever its number of devices: the recommendation, or that with the fewest."""
    found = {_kind(table.options, best): best}
    for at in np.unique(rows).tolist():
        found.setdefault(_kind(table.options, at), at)
    return np.asarray(sorted(found.values()), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Unbought:
    """What each contender does on one curve, whatever number of devices it is bought with; as of `Measured`.

    `loads` are the pages that an access reads and writes of each tier, by which it waits.
    """

    state: State
    keeps: Bools
    needed: IntArray
    busy_us: Mapping[str, FloatArray]
    read: Mapping[str, FloatArray]
    wears: Mapping[str, FloatArray]
    loads: tuple[Mapping[str, FloatArray], Mapping[str, FloatArray]]


class Contenders:
    """Some options, evaluated together on any curve: what each costs, and which limits it keeps.

    Of devices that are bought by themselves, as many hold the data as each draw needs, as in the table of options.
    """

    def __init__(self, asked: Asked, table: Table, rows: IntArray) -> None:
        self._asked = asked
        self._table = table
        setting = table.setting
        self._setting = setting
        self.rows = rows
        options = table.options.rows(rows)
        self.options = options
        self.kinds = table.kind_codes[rows]
        self.hardware = table.hardware_codes[rows]
        self._page = setting.curve.page_bytes
        pairs = [table.devices(at) for at in rows.tolist()]
        self._times = self._all_times(table, pairs)
        self._named = {
            (tier, operation): tuple(
                self._name(pair[which], operation, time)
                for pair, time in zip(
                    pairs, self._times[tier, operation].tolist(), strict=True
                )
            )
            for which, tier in enumerate(TIERS)
            for operation in OPERATIONS
        }
        self.bounds = self._bounded(pairs)
        schemes = options.scheme
        self._groups = [
            (CHOICES[code], np.flatnonzero(schemes == code))
            for code in np.unique(schemes).tolist()
        ]
        self._free = np.asarray([table.source(at) == "devices" for at in rows.tolist()])
        self._space = self._spaces(table)
        self._wear = self._wears(table, pairs)
        self.fixed, self.unit = self._month(table)
        self._fixed_purchase, self._unit_purchase = self._purchase(table)
        self.spreads, self._moved = self._uncertain(table)
        self._static = self._keeps_static(table)
        self._in_time = InTime(asked, table, rows) if asked.limits_response else None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def by_time(self) -> bool:
        """Whether the I/O time is the objective."""
        return self._asked.objective == "io_time"

    @property
    def approximate(self) -> tuple[str, ...]:
        """Page flows of some of them whose flash hits are known with an error at their sizes."""
        ram, flash = self.options.ram_pages, self.options.flash_pages
        return tuple(
            name
            for name, at in self._groups
            if np.any(
                error_band(
                    name, np.maximum(ram[at], 1.0), flash[at], self._setting.curve
                )
            )
        )

    @property
    def read_sizes(self) -> FloatArray:
        """Sizes at which the curve is read. [pages]"""
        ram, flash = self.options.ram_pages, self.options.flash_pages
        return np.unique(np.concatenate((ram, flash, ram + flash)))

    def alike(self, chosen: int) -> IntArray:
        """Rank them by how like one of them they are: itself 0, those with its page flow 1, all others 2."""
        schemes = self._table.options.scheme[self.rows]
        found = np.where(schemes == schemes[chosen], 1, 2)
        found[chosen] = 0
        return found

    def named(self, at: int, more: int = 0) -> str:
        """Say what one of them is, with its page flow, with so many more devices of each machine that hold the data."""
        row, table = int(self.rows[at]), self._table
        if more:
            devices = self.options.store_devices[[at]] + more
            table, row = table.with_devices(self.rows[[at]], devices), 0
        return with_flow(table.title(row), table.scheme(row))

    def _all_times(
        self, table: Table, pairs: list[tuple[Device | None, Device | None]]
    ) -> dict[tuple[str, Operation], FloatArray]:
        """Busy times by tier and operation, as in the table; NaN where there is no such device. [µs]"""
        found = {
            (tier, operation): np.asarray(
                [self._time(pair[which], operation) for pair in pairs]
            )
            for which, tier in enumerate(TIERS)
            for operation in OPERATIONS
        }
        columns = table.columns
        sold = np.asarray(
            [
                table.source(at) not in ("devices", *STANDING)
                for at in self.rows.tolist()
            ]
        )
        if columns is not None and sold.any():
            some = columns.rows(self.options.row[sold])
            devices = self._setting.devices
            by_tier = {
                "disk": store_times(some, self._page, *devices),
                "flash": times_of(
                    some.sold.local_times, devices[0], self._page, some.server
                ),
            }
            for tier, both in by_tier.items():
                for operation, times in zip(OPERATIONS, both, strict=True):
                    found[tier, operation][sold] = times
        return found

    def _name(self, device: Device | None, operation: Operation, time_us: float) -> str:
        """Id of the device whose time is used; empty where it is that of another."""
        if device is None or self._time(device, operation) != time_us:
            return ""
        return device.id

    def _time(self, device: Device | None, operation: Operation) -> float:
        if device is None:
            return math.nan
        return float(
            device_times(device, self._page, 1)[OPERATIONS.index(operation)][0]
        )

    def _bounded(
        self, pairs: list[tuple[Device | None, Device | None]]
    ) -> dict[Timing, tuple[float, float, float]]:
        """Return the times that a source states as a range: the one that was used, least, most. [µs]"""
        found: dict[Timing, tuple[float, float, float]] = {}
        used = {
            (name, operation)
            for (_, operation), names in self._named.items()
            for name in names
        }
        devices = {each.id: each for pair in pairs for each in pair if each is not None}
        for device in devices.values():
            for operation in OPERATIONS:
                if (device.id, operation) not in used:
                    continue
                time = service_time(device, operation, self._page)
                if (
                    time.is_bounded
                    and time.time_us
                    and time.low_us
                    and time.high_us is not None
                ):
                    found[device.id, operation] = (
                        time.time_us,
                        time.low_us,
                        time.high_us,
                    )
        return found

    def _spaces(self, table: Table) -> IntArray:
        setting = self._setting
        whole = int(setting.data_bytes * setting.replicas / setting.machines)
        spaces = self.options.store_devices.copy()
        for at in np.flatnonzero(self._free).tolist():
            store = table.devices(int(self.rows[at]))[1]
            assert store is not None
            spaces[at] = max(1, -(-whole // (store.capacity_bytes or 1)))
        return spaces

    def _wears(
        self, table: Table, pairs: list[tuple[Device | None, Device | None]]
    ) -> tuple[FloatArray, FloatArray]:
        """Host writes of one device that holds the data, and of all that cache; infinite where writes wear nothing. [TB]"""
        store, cache = np.full(len(self), np.inf), np.full(len(self), np.inf)
        for at, (flash, disk) in enumerate(pairs):
            row = int(self.rows[at])
            if table.source(row) == "quotes":
                given = table.given(row)
                store[at] = given.disk_budget_tb
                cache[at] = given.flash_budget_tb * int(self.options.flash_devices[at])
                continue
            if table.source(row) in ("devices", *STANDING):
                if disk is not None:
                    store[at] = budget_tb(disk)
                if flash is not None:
                    cache[at] = budget_tb(flash) * int(self.options.flash_devices[at])
                continue
            columns, of = table.columns, int(self.options.row[at])
            assert columns is not None
            if columns.drive[of] >= 0:
                store[at] = part_budget_tb(columns.sold.drives[columns.drive[of]].part)
        return store, cache

    def _each(self, table: Table) -> tuple[FloatArray, FloatArray]:
        """Money of one more device that holds the data on every machine, a month and at purchase. [USD/month], [USD]"""
        month, purchase = np.zeros(len(self)), np.zeros(len(self))
        for at in np.flatnonzero(self._free).tolist():
            row = int(self.options.row[at])
            device, price = table.shelf.stores[table.tier_rows.store[row]]
            assert price is not None  # what lacks one is no contender
            usd = float(each_usd(device, price)) * int(self.options.machines[at])
            if price.rent:
                month[at] = usd
            else:
                month[at] = usd / self._setting.horizon_months
                purchase[at] = usd
        return month, purchase

    def _month(self, table: Table) -> tuple[FloatArray, FloatArray]:
        unit = self._each(table)[0]
        return self.options.month_cents / 100 - unit * self.options.store_devices, unit

    def _uncertain(
        self, table: Table
    ) -> tuple[dict[str, PriceRange], dict[str, tuple[FloatArray, FloatArray]]]:
        """Find the purchases whose price may be off, and what of each contender they are, all and of one device. [USD]"""
        known = spread_of_kinds()
        ranges: dict[str, PriceRange] = {}
        whole: dict[str, FloatArray] = {}
        unit: dict[str, FloatArray] = {}
        for at, row in enumerate(self.rows.tolist()):
            for key, each in uncertain_purchases(table, row, known).items():
                if each.range.low >= each.range.high:
                    continue
                if key not in ranges:
                    ranges[key] = each.range
                    whole[key], unit[key] = np.zeros((2, len(self)))
                whole[key][at] = each.cents / 100
                if each.is_store and self._free[at] and self._unit_purchase[at] > 0:
                    unit[key][at] = self._unit_purchase[at]
        moved = {
            key: (whole[key] - unit[key] * self.options.store_devices, unit[key])
            for key in sorted(ranges)
        }
        return {key: ranges[key] for key in moved}, moved

    def _priced(
        self, state: State
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Money of a month and of the purchase, both without the devices whose number is free, and of one of these."""
        purchase = [np.zeros(len(self)), np.zeros(len(self))]
        for kind, factor in state.prices.items():
            for at, part in enumerate(self._moved[kind]):
                purchase[at] += (factor - 1) * part
        fixed, unit = (each / self._setting.horizon_months for each in purchase)
        return (self.fixed + fixed, self.unit + unit), (
            self._fixed_purchase + purchase[0],
            self._unit_purchase + purchase[1],
        )

    def _purchase(self, table: Table) -> tuple[FloatArray, FloatArray]:
        unit = self._each(table)[1]
        whole = self.options.purchase_cents / 100
        return whole - unit * self.options.store_devices, unit

    def _keeps_static(self, table: Table) -> Bools:
        """Whether they keep the limits that are not held again in each draw, as in the table of the answer."""
        keeps = np.ones(len(self), dtype=np.bool_)
        for limit in chosen_of(self._asked, table).limits:
            if limit.name not in _STATED:
                keeps &= ~limit.breaks[self.rows]
        return keeps

    def on(
        self, curve: Curve, state: State, warm_off_s: FloatArray | float = 0.0
    ) -> Measured:
        """Evaluate them on a curve, with errors and times that may be otherwise.

        Parameters
        ----------
        curve : Curve
        state : State
        warm_off_s : float64 array or float
            How much later RAM of each is warm than its curve says. [s]
        """
        [found] = self.on_each([(curve, state, warm_off_s)])
        return found

    def on_each(
        self, draws: Iterable[tuple[Curve, State, FloatArray | float]]
    ) -> list[Measured]:
        """Evaluate them on some curves, each as `on`: response times of all of these at once."""
        found = [self._without_waits(*each) for each in draws]
        if self._in_time is not None:
            keeps, needed = self._in_time.fewest(
                Loads(
                    *(
                        {
                            tier: np.stack([each.loads[of][tier] for each in found])
                            for tier in TIERS
                        }
                        for of in range(2)
                    )
                ),
                np.stack([each.keeps for each in found]),
                np.stack([each.needed for each in found]),
                self._free,
            )
            found = [
                replace(each, keeps=keeps[at], needed=needed[at])
                for at, each in enumerate(found)
            ]
        return [self._measured(each) for each in found]

    def _without_waits(
        self, curve: Curve, state: State, warm_off_s: FloatArray | float
    ) -> _Unbought:
        """Evaluate them on a curve, but for response times and what rests on the number of devices."""
        options, setting = self.options, self._setting
        counted = self._operations(curve, state)
        pages = self._pages(counted)
        wears = self._pages_that_wear(counted)
        busy = self._busy_us(counted, state)
        if state.steady:
            factor = self._steady_factors(curve) ** state.steady
            busy = {tier: each * factor for tier, each in busy.items()}
        mean, peak = self._rates
        one = np.ones(len(self), dtype=np.int64)
        life_of_one = life_years(wears["disk"], mean, self._page, self._wear[0], 0.0)
        needed = np.where(
            self._free,
            least_devices(
                self._space,
                None if peak is None else busy_share(busy["disk"], peak, one),
                life_of_one,
                most_busy=setting.busy_for_devices,
                steady_life_years=setting.life_for_devices,
                spare=setting.spare,
            ),
            options.store_devices,
        )
        keeps = self._static & np.isfinite(busy["disk"] + busy["flash"])
        if RESTART in self._asked.constraints:
            keeps, needed = self._kept_warm(curve, state, warm_off_s, keeps, needed)
        # Queues know no error of the flash hits.
        loads = (
            self._pages(self._operations(curve, State()))
            if state.hits_off and self._in_time is not None
            else pages
        )
        return _Unbought(state, keeps, needed, busy, pages[0], wears, loads)

    def _measured(self, each: _Unbought) -> Measured:
        """Hold them against the limits that rest on the number of devices."""
        io_us, keeps = each.busy_us["disk"] + each.busy_us["flash"], each.keeps.copy()
        most_busy, life = self._used_up(each.busy_us, each.wears, each.needed)
        monthly, purchase = self._priced(each.state)
        fixed, unit = monthly
        limited = {
            PEAK_BUSY: most_busy,
            THROUGHPUT: self._setting.throughput_per_s(most_busy),
            "io_time_us_per_access": io_us,
            LIFE: life,
            "usd_per_month": fixed + unit * each.needed,
            "purchase_usd": purchase[0] + purchase[1] * each.needed,
        }
        for name, value in limited.items():
            if name in self._asked.constraints:
                limit = float(self._asked.constraints[name])
                keeps &= (
                    value >= limit * (1 - ROUNDING)
                    if name in LEAST
                    else value <= limit * (1 + ROUNDING)
                )
        return Measured(
            io_us,
            np.asarray(each.needed, dtype=np.int64),
            keeps,
            self._too_dear(monthly, purchase, each.needed),
            fixed,
            unit,
            each.busy_us,
            each.read,
            each.wears,
        )

    def _too_dear(
        self,
        monthly: tuple[FloatArray, FloatArray],
        purchase: tuple[FloatArray, FloatArray],
        needed: IntArray,
    ) -> Bools:
        """Whether all devices that they are bought with cost too much; fewer might not, but these were bought."""
        bought = np.maximum(needed, self.options.store_devices)
        found = np.zeros(len(self), dtype=np.bool_)
        for name, (fixed, unit) in (
            ("usd_per_month", monthly),
            ("purchase_usd", purchase),
        ):
            if name in self._asked.constraints:
                limit = float(self._asked.constraints[name])
                found |= fixed + unit * bought > limit * (1 + ROUNDING)
        return found

    def _kept_warm(
        self,
        curve: Curve,
        state: State,
        warm_off_s: FloatArray | float,
        wanted: Bools,
        needed: IntArray,
    ) -> tuple[Bools, IntArray]:
        """Return which of those that are wanted keep the limit of the restart, and with how many devices.

        Those whose number of devices is free have the fewest that are enough, by halving: what more devices read, they read
        no slower.
        """
        limit = float(self._asked.constraints[RESTART]) * (1 + ROUNDING)

        def warm(at: IntArray, stores: IntArray) -> Bools:
            with_stores = replace(self.options, store_devices=stores)
            found = self._restart_s(with_stores, at, curve, state) + warm_off_s
            return np.asarray(found <= limit)

        every = np.arange(len(self))
        most = np.maximum(needed, MOST_DEVICES)
        keeps = wanted & warm(every, needed)
        helped = wanted & ~keeps & self._free & warm(every, most)
        few, enough = needed.copy(), np.where(helped, most, needed)
        while (enough - few).max(initial=0) > 1:
            middle = (few + enough) // 2
            kept = warm(every, middle)
            few, enough = np.where(kept, few, middle), np.where(kept, middle, enough)
        return keeps | helped, enough

    def _pages(
        self, counted: list[tuple[IntArray, Operations]]
    ) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
        """Pages that an access reads, and writes, of each tier. [1]"""
        read, written = (
            {tier: np.zeros(len(self)) for tier in TIERS} for _ in range(2)
        )
        for at, done in counted:
            for tier in TIERS:
                read[tier][at] = done.per_access[tier, "read"]
                written[tier][at] = done.per_access[tier, "write"]
        return read, written

    def _pages_that_wear(
        self, counted: list[tuple[IntArray, Operations]]
    ) -> dict[str, FloatArray]:
        """Pages that an access may write to each tier: as many as they can be where the trace does not tell. [1]"""
        found = {tier: np.zeros(len(self)) for tier in TIERS}
        for at, done in counted:
            for tier in TIERS:
                found[tier][at] = done.wears(tier)
        return found

    def _operations(
        self, curve: Curve, state: State
    ) -> list[tuple[IntArray, Operations]]:
        """Operations of an access by scheme, with the contenders that run it."""
        ram, flash = self.options.ram_pages, self.options.flash_pages
        return [
            (
                at,
                operations(
                    curve, ram[at], flash[at], (scheme,), hits_off=state.hits_off
                )[scheme],
            )
            for scheme, at in self._groups
        ]

    def _busy_us(
        self, counted: list[tuple[IntArray, Operations]], state: State
    ) -> dict[str, FloatArray]:
        """Busy time of an access on one device of each tier. [µs]"""
        busy = {tier: np.zeros(len(self)) for tier in TIERS}
        for at, done in counted:
            for tier in TIERS:
                read, write = (
                    self._times[tier, operation][at]
                    * self._factors(tier, operation, at, state)
                    for operation in OPERATIONS
                )
                busy[tier][at] = done.busy_us(tier, read, write)
        return busy

    @property
    def _rates(self) -> tuple[FloatArray | None, FloatArray | None]:
        """Accesses of one machine, on average and in the busiest hour. [1/s]"""
        mean, peak = (
            None if rate is None else rate / self.options.machines
            for rate in self._setting.served.both
        )
        return mean, peak

    def _used_up(
        self,
        busy_us: Mapping[str, FloatArray],
        wears: Mapping[str, FloatArray],
        stores: IntArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Busy share of the busiest device in the busiest hour, and the life of flash, with so many stores. [1], [year]"""
        mean, peak = self._rates
        most_busy = peak_of(
            (busy_us["disk"], stores),
            (busy_us["flash"], self.options.flash_devices),
            peak,
        )
        steady = np.minimum(
            life_years(wears["disk"], mean, self._page, self._wear[0], 0.0)
            * np.maximum(stores, 1),
            life_years(wears["flash"], mean, self._page, self._wear[1], 0.0),
        )
        life = growing_years(steady, self._setting.load_growth_per_year)
        return most_busy, life

    def as_bought(
        self, found: Measured, at: int, curve: Curve, state: State
    ) -> dict[str, float]:
        """Return figures of one of them with the devices that it has, by the keys of an option; NaN where unknown.

        Parameters
        ----------
        found : Measured
            On `curve` and in `state`.
        at : int
            Which one.
        curve : Curve
        state : State
        """
        most_busy, life = self._used_up(
            found.busy_us, found.wears, self.options.store_devices
        )
        flash, disk = (float(found.read[tier][at]) for tier in TIERS)
        one = np.asarray([at], dtype=np.int64)
        [restart] = self._restart_s(self.options, one, curve, state)
        return {
            "ram_hit_share": max(0.0, 1.0 - flash - disk),
            "flash_hit_share": flash,
            "disk_share": disk,
            "io_time_us_per_access": float(found.io_us[at]),
            PEAK_BUSY: float(most_busy[at]),
            THROUGHPUT: float(self._setting.throughput_per_s(most_busy)[at]),
            LIFE: float(life[at]),
            RESTART: float(restart),
        }

    def _restart_s(
        self, options: Options, at: IntArray, curve: Curve, state: State
    ) -> FloatArray:
        """Time until RAM of some options is warm after a restart, whose reads take as long as in this state. [s]"""
        read = OPERATIONS[0]
        longer = (
            self._factors("flash", read, at, state),
            self._factors("disk", read, at, state),
        )
        return restart_of(options, at, self._setting, curve, longer)

    def restart_errors_s(self, recorded: float) -> FloatArray:
        """Return the standard error of the time until RAM of each is warm, of so many recorded accesses. [s]"""
        every = np.arange(len(self))
        return restart_error_of(self.options, every, self._setting, recorded)

    def alone(self, at: int) -> Contenders:
        """Return one of them, to be evaluated by itself."""
        return Contenders(self._asked, self._table, self.rows[[at]])

    def months_until_too_small(self, curve: Curve, state: State) -> FloatArray:
        """Months until they are too small as they are bought, as data and load grow.

        As `Table.months_until_too_small`, on another curve and with other errors and times.
        """
        setting, peak = self._setting, self._rates[1]
        if peak is None or setting.growth_per_year <= 0:
            return np.full(len(self.rows), np.nan)
        space = np.asarray([self._table.space_months(at) for at in self.rows.tolist()])
        # By how much the model is off is known of the sizes of today.
        off = self._steady_factors(curve) ** state.steady

        def busy(times: float) -> FloatArray:
            grown = stretched_curve(curve, times)
            of = self._busy_us(self._operations(grown, state), state)
            return peak_of(
                (of["disk"] * off, self.options.store_devices),
                (of["flash"] * off, self.options.flash_devices),
                peak * times,
            )

        return months_until(
            busy, setting.most_busy, setting.growth_per_year, ends=space
        )

    def response_us(self, at: int, curve: Curve) -> dict[str, float]:
        """Return response times of one of them by the keys of an option; NaN where a latency is unknown. [µs]"""
        times, _ = self._table.response(int(self.rows[at]), curve)
        return {
            f"response_{of}{rate}_us": math.nan
            if times is None
            else float(times[row][column])
            for row, of in enumerate(("mean", "p50", "p99"))
            for column, rate in enumerate(("_mean", ""))
        }

    def _factors(
        self, tier: str, operation: Operation, at: IntArray, state: State
    ) -> FloatArray | float:
        if not state.times:
            return 1.0
        names = self._named[tier, operation]
        return np.asarray(
            [state.times.get((names[row], operation), 1.0) for row in at.tolist()]
        )

    def _steady_factors(self, curve: Curve) -> FloatArray:
        """By what an I/O time may be off a warmed replay; 1 where the recording is too short to show the size. [1]

        Options that miss alike have the same: where flash holds all of the data, that of RAM alone (`pages_that_tell`).
        """
        if curve.cold is None:
            return np.ones(len(self))
        ram, flash = self.options.ram_pages, self.options.flash_pages
        held = np.zeros(len(self))
        for name, at in self._groups:
            held[at] = pages_that_tell(name, ram[at], flash[at], curve)
        errors = steady_errors(held / max(curve.distinct_pages, 1))
        return np.asarray(1.0 + np.where(curve.uncertain(held), 0.0, errors))

    def buys(self, found: list[Measured]) -> Buys:
        """Put the draws together: what each contender costs a month. [USD/month]"""
        return Buys(
            np.stack([each.fixed for each in found]),
            np.stack([each.unit for each in found]),
            self.options.store_devices.astype(np.int64),
            np.stack([each.needed for each in found]),
            np.stack([each.keeps for each in found]),
            self.hardware,
            np.stack([each.too_dear for each in found]),
        )
