"""Options of RAM, flash and disks bought by themselves, at the prices of a book."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.fields import is_date
from tierwright.common.units import UNIT_BYTES
from tierwright.evaluate.advice.bought import budget_tb
from tierwright.evaluate.advice.rows import (
    CHOICES,
    SOURCES,
    BoolArray,
    IntArray,
    Options,
    busy_share,
    device_times,
    joined,
    life_years,
    month_cents,
    peak_busy,
)
from tierwright.evaluate.bill import EXACT, cents
from tierwright.evaluate.endurance.growth import growing_years
from tierwright.evaluate.page_flow.at_load import ROUNDING
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware.build import MOST_SOURCE
from tierwright.hardware.device import Device
from tierwright.hardware.prices import Price
from tierwright.profile.curve import Curve

GIB = 2**30
WHOLE_GIB_FROM = 4 * GIB
"""RAM from which sizes are whole GiB. [bytes]"""
RAM_STEPS = 24
"""Sizes of RAM below that of the data at least, each smaller by the square root of 2; of large data more, down to `least_ram`."""
MORE_DEVICES = (
    *((more, 0.0) for more in range(1, 9)),
    *((more, share) for more, share in ((9, 0.5), (10, 0.75), (11, 1.0))),
)
"""By how many devices, and by what share of the fewest at least, more are listed where a limit is kept by more that fewer break."""
MOST_LISTED = 1_500_000
"""Options up to which these are listed, the fewest devices first."""
EVERY_NUMBER = 500_000
"""Options up to which every number is listed in their place, up to the largest of them."""
FLASH_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Flash devices of one machine that cache."""
MOST_DEVICES = 100_000
"""Devices of one machine that are counted; what needs more has no option."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """RAM and devices that are bought by themselves.

    Attributes
    ----------
    ram : Price or None
        Of RAM; None where the book has none, and there are no options then.
    stores : tuple of (Device, Price or None)
        What may hold the data; options of what has no price lack one.
    caches : tuple of (Device, Price or None)
        Flash that may cache before it.
    """

    ram: Price | None
    stores: tuple[tuple[Device, Price | None], ...]
    caches: tuple[tuple[Device, Price | None], ...]

    def holding(self, machine_bytes: float) -> list[int]:
        """Return which of `stores` hold the data of one machine with no more than `MOST_DEVICES`.

        Parameters
        ----------
        machine_bytes : float
            Data of one machine. [bytes]
        """
        return [
            at
            for at, (device, _) in enumerate(self.stores)
            if devices_for_space(device, machine_bytes) <= MOST_DEVICES
        ]


@dataclass(frozen=True, slots=True)
class TierRows:
    """What the rows of the options are made of; arrays of one length.

    Attributes
    ----------
    shelf : Shelf
    horizon_months : int
    machine_usd : Decimal or None
        Of one machine without RAM and drives. [USD]
    store, cache : int array
        Indices of its devices; -1 without a cache.
    store_life_years, cache_life_years : float64 array
        Life of one of the devices that hold the data if it took all of their writes, and of all that cache, both at
        today's rate; infinite where nothing is worn. [365 days]
    growth_per_year : float
        Of the load, by which flash is worn. [1/year]
    """

    shelf: Shelf
    horizon_months: int
    machine_usd: Decimal | None
    store: IntArray
    cache: IntArray
    store_life_years: FloatArray
    cache_life_years: FloatArray
    growth_per_year: float

    def with_devices(
        self,
        options: Options,
        at: IntArray,
        devices: IntArray,
        peak_accesses_per_s: float | None,
    ) -> Options:
        """Return options with other numbers of devices that hold the data: what they cost, how busy and how worn they are.

        Parameters
        ----------
        options : Options
            Of these rows.
        at : int array, shape (N,)
            Options that are wanted; one may be named several times.
        devices : int array, shape (N,)
            Devices of each machine.
        peak_accesses_per_s : float or None
            Of all machines together. [1/s]
        """
        found = options.rows(at)
        month, purchase = found.month_cents.copy(), found.purchase_cents.copy()
        stores = self.store[found.row]
        for store in np.unique(stores).tolist():
            device, price = self.shelf.stores[store]
            of = np.flatnonzero(stores == store)
            machines = found.machines[of]
            for counts, sign in ((found.store_devices[of], -1), (devices[of], 1)):
                amounts, is_rent = _device_cents(device, price, counts * machines)
                if is_rent:
                    month[of] += sign * amounts
                else:
                    month[of] += sign * month_cents(amounts, self.horizon_months)
                    purchase[of] += sign * amounts
        return replace(
            found,
            month_cents=month,
            purchase_cents=purchase,
            store_devices=devices,
            peak_busy=peak_busy(
                (found.store_us, devices),
                (found.flash_us, found.flash_devices),
                None
                if peak_accesses_per_s is None
                else peak_accesses_per_s / found.machines,
            ),
            life_years=growing_years(
                np.minimum(
                    self.store_life_years[found.row] * devices,
                    self.cache_life_years[found.row],
                ),
                self.growth_per_year,
            ),
        )

    def config(self, options: Options, at: int) -> dict[str, Any]:
        """Return the CONFIG of `tierwright bill` that bills one option whose devices all have a price."""
        row = int(options.row[at])
        machines = int(options.machines[at])
        store, price = self.shelf.stores[self.store[row]]
        assert self.shelf.ram is not None
        assert price is not None
        with localcontext(EXACT):
            held = Decimal(int(options.ram_bytes[at])) / UNIT_BYTES[self.shelf.ram.per]
        extra = [
            _line(
                f"RAM, {self.shelf.ram.per}", self.shelf.ram, held, self.shelf.ram.usd
            )
        ]
        if self.cache[row] >= 0:
            device, of_device = self.shelf.caches[self.cache[row]]
            assert of_device is not None
            count = int(options.flash_devices[at]) * machines
            extra.append(
                _line(device.id, of_device, Decimal(count), each_usd(device, of_device))
            )
        count = int(options.store_devices[at]) * machines
        extra.append(_line(store.id, price, Decimal(count), each_usd(store, price)))
        if self.machine_usd is not None:
            extra.append(
                {
                    "what": "machine without RAM and drives",
                    "quantity": machines,
                    "usd": self.machine_usd,
                }
            )
        return {
            "machines": machines,
            "horizon_months": self.horizon_months,
            "extra": extra,
        }


def _line(what: str, price: Price, quantity: Decimal, usd: Decimal) -> dict[str, Any]:
    found: dict[str, Any] = {
        "what": what,
        "quantity": quantity,
        "usd_per_month" if price.rent else "usd": usd,
        "source": price.source[:MOST_SOURCE],
    }
    # A price of one's own may be dated in words.
    if price.date is not None and is_date(price.date):
        found["date"] = price.date
    return found


def each_usd(device: Device, price: Price) -> Decimal:
    """Money for one whole device: its price times its capacity. [USD, or USD/month]"""
    with localcontext(EXACT):
        return price.usd * (device.capacity_bytes or 0) / UNIT_BYTES[price.per]


def least_ram(page_bytes: int, reserved_bytes: float = 0.0) -> float:
    """Return the smallest RAM of whole GiB that one machine may have: 4 GiB, or what the system takes and a page. [bytes]

    Parameters
    ----------
    page_bytes : int
        [bytes]
    reserved_bytes : float
        What the system takes, contained in what is returned. [bytes]

    Examples
    --------
    >>> least_ram(8192) / 2**30, least_ram(8192, 4 * 2**30) / 2**30
    (4.0, 5.0)
    """
    needed = math.ceil((reserved_bytes + page_bytes) / GIB) * GIB
    return float(max(WHOLE_GIB_FROM, needed))


def ram_sizes(
    data_bytes: float,
    page_bytes: int,
    reserved_bytes: float = 0.0,
    today_bytes: float = 0.0,
) -> FloatArray:
    """Sizes of RAM of one machine that are tried: from all of its data down, by the square root of 2. [bytes]

    Whole GiB are bought from 4 GiB on, with what the system takes besides. There are 24 sizes below that of the data; where
    the smallest of them is more than `least_ram`, as many more as reach that.

    Parameters
    ----------
    data_bytes : float
        Of one machine. [bytes]
    page_bytes : int
        [bytes]
    reserved_bytes : float
        What the system takes besides. [bytes]
    today_bytes : float
        Data of today where these will grow: a size that holds them is tried besides. 0: none. [bytes]

    Examples
    --------
    >>> (ram_sizes(2**40, 8192)[-4:] / 2**30).tolist()
    [362.0, 512.0, 724.0, 1024.0]
    >>> (ram_sizes(6 * 2**30, 8192, 4 * 2**30)[-3:] / 2**30).tolist()
    [3.0, 4.0, 6.0]
    >>> (ram_sizes(100 * 2**40, 8192, 4 * 2**30)[:5] / 2**30).tolist()
    [1.0, 2.0, 3.0, 4.0, 6.0]
    """
    least_pages = least_ram(page_bytes, reserved_bytes) - reserved_bytes
    more = max(0, math.ceil(2 * math.log2(data_bytes / least_pages)) - RAM_STEPS)
    sizes = data_bytes / np.sqrt(2.0) ** np.arange(RAM_STEPS + more, -1, -1)
    sizes[:more] = np.maximum(sizes[:more], least_pages)
    bought = sizes + reserved_bytes
    unit = np.where(bought >= WHOLE_GIB_FROM, GIB, page_bytes)
    # Beside what the system takes, at least a page is left.
    least = np.ceil((reserved_bytes + page_bytes) / unit)
    whole = np.maximum(np.round(bought / unit), least) * unit
    # The largest holds all of the data; pages that became more are rounded each time, so may be more than their bytes.
    most = max(data_bytes, today_bytes) + reserved_bytes
    whole[-1] = np.ceil(most / unit[-1]) * unit[-1]
    if 0 < today_bytes < data_bytes:
        held = today_bytes + reserved_bytes
        each = GIB if held >= WHOLE_GIB_FROM else page_bytes
        whole = np.append(whole, min(math.ceil(held / each) * each, whole[-1]))
    return np.asarray(np.unique(whole) - reserved_bytes)


def tiers(
    shelf: Shelf,
    curve: Curve,
    *,
    machine_bytes: float,
    machines: int,
    rates: tuple[float | None, float | None],
    most_busy: float,
    horizon_months: int,
    steady_life_years: float = 0.0,
    growth_per_year: float = 0.0,
    reserved_bytes: float = 0.0,
    machine_usd: Decimal | None = None,
    spare: int = 0,
) -> tuple[TierRows, Options]:
    """List options of RAM, flash that caches and devices that hold the data.

    RAM in steps of the square root of 2 up to the data (`ram_sizes`); flash as whole devices; of what holds the data, as many
    devices as hold it, stay below the busy share that is allowed in the busiest hour, and last as long as is asked.

    Parameters
    ----------
    shelf : Shelf
        What is sold.
    curve : Curve
        Of one machine.
    machine_bytes : float
        Data of one machine. [bytes]
    machines : int
        Equal machines.
    rates : tuple of float or None
        Mean, and of the busiest hour, of all machines together. [1/s]
    most_busy : float
        Largest share of the time for which a device may be busy. [1]
    horizon_months : int
        [months]
    steady_life_years : float
        Life that is asked of flash, at today's rate. [365 days]
    growth_per_year : float
        Of the load, by which flash is worn. [1/year]
    reserved_bytes : float
        RAM of each machine that the system itself takes: bought besides. [bytes]
    machine_usd : Decimal, optional
        Of one machine without RAM and drives; None leaves it out. [USD]
    spare : int
        Devices of each machine that hold the data, beyond those that carry its load.

    Returns
    -------
    (TierRows, Options)
    """
    tables: list[Options] = []
    stores: list[IntArray] = []
    caches: list[IntArray] = []
    lives: list[tuple[FloatArray, FloatArray]] = []
    first = 0
    holding = shelf.holding(machine_bytes)
    maker = _Maker(
        shelf,
        tuple(shelf.stores[at] for at in holding),
        curve,
        machine_bytes,
        machines,
        rates,
        most_busy,
        horizon_months,
        steady_life_years,
        growth_per_year,
        reserved_bytes,
        machine_usd,
        spare,
    )
    for cache in (None, *range(len(shelf.caches))):
        if shelf.ram is None or not holding:
            break
        sizes = maker.sizes(cache)
        if not len(sizes[0]):
            continue
        names = (
            (NO_FLASH,)
            if cache is None
            else tuple(name for name in CHOICES if name != NO_FLASH)
        )
        page = curve.page_bytes
        done = operations(
            curve,
            np.minimum(np.floor(sizes[0] / page), _MOST_PAGES),
            np.floor(sizes[1] / page),
            names,
        )
        per_scheme = [maker.options(cache, name, done[name], sizes) for name in names]
        # What holds the data first, then the scheme, then the size.
        shape = len(names), len(holding), len(sizes[0])
        order = np.arange(math.prod(shape)).reshape(shape).transpose(1, 0, 2).ravel()
        made = joined([options for options, _, _ in per_scheme]).rows(order)
        tables.append(
            replace(made, row=np.arange(first, first + len(made), dtype=np.int64))
        )
        of_store, of_cache = (
            np.concatenate([each[number] for each in per_scheme])[order]
            for number in (1, 2)
        )
        lives.append((of_store, of_cache))
        stores.append(
            np.repeat(np.asarray(holding, dtype=np.int64), shape[0] * shape[2])
        )
        caches.append(np.full(len(made), -1 if cache is None else cache))
        first += len(made)
    empty = np.empty(0, dtype=np.int64)
    rows = TierRows(
        shelf,
        horizon_months,
        machine_usd,
        np.concatenate([empty, *stores]),
        np.concatenate([empty, *caches]),
        np.concatenate([np.empty(0), *(of_store for of_store, _ in lives)]),
        np.concatenate([np.empty(0), *(of_cache for _, of_cache in lives)]),
        growth_per_year,
    )
    return rows, joined(tables)


_MOST_PAGES = 2.0**52


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the options of one pair of devices."""

    shelf: Shelf
    stores: tuple[tuple[Device, Price | None], ...]
    curve: Curve
    machine_bytes: float
    machines: int
    rates: tuple[float | None, float | None]
    most_busy: float
    horizon_months: int
    steady_life_years: float
    growth_per_year: float
    reserved_bytes: float
    machine_usd: Decimal | None
    spare: int

    def sizes(self, cache: int | None) -> tuple[FloatArray, FloatArray, IntArray]:
        """RAM and flash of one machine, and the flash devices. [bytes], [bytes], [1]"""
        page = self.curve.page_bytes
        ram = ram_sizes(
            self.machine_bytes,
            page,
            self.reserved_bytes,
            today_bytes=float(self.curve.data_held_from or 0) * page,
        )
        if cache is None:
            return ram, np.zeros(len(ram)), np.zeros(len(ram), dtype=np.int64)
        device = self.shelf.caches[cache][0]
        held = device.capacity_bytes or 0
        counts = np.asarray(flash_counts(device, self.machine_bytes), dtype=np.int64)
        both = np.meshgrid(ram, counts, indexing="ij")
        flash = np.asarray(both[1].ravel() * float(held), dtype=np.float64)
        sizes = both[0].ravel(), flash, both[1].ravel()
        # No smaller cache than RAM: only `exclusive` would gain by it, and little.
        some = sizes[1] > sizes[0]
        return sizes[0][some], sizes[1][some], sizes[2][some]

    def ram_cents(self, cached_bytes: FloatArray) -> tuple[IntArray, bool]:
        """Price the RAM of all machines, in cents, and say whether that is rent; what the system takes is bought too."""
        price = self.shelf.ram
        assert price is not None
        distinct, at = np.unique(
            cached_bytes + self.reserved_bytes, return_inverse=True
        )
        with localcontext(EXACT):
            found = [
                int(
                    cents(
                        price.usd
                        * (Decimal(int(size) * self.machines) / UNIT_BYTES[price.per])
                    )
                    * 100
                )
                for size in distinct
            ]
        return np.asarray(found, dtype=np.int64)[at], price.rent

    def options(
        self,
        cache: int | None,
        scheme: str,
        done: Operations,
        sizes: tuple[FloatArray, FloatArray, IntArray],
    ) -> tuple[Options, FloatArray, FloatArray]:
        """Make the options of one scheme and cache before each store, with `TierRows.store_life_years` and `cache_life_years`."""
        stores = self.stores
        cached, flash = (np.tile(each, len(stores)) for each in sizes[:2])
        count = np.tile(sizes[2], len(stores))
        done = done.repeated(len(stores), len(sizes[0]))
        # What the system itself takes is bought too.
        ram = cached + self.reserved_bytes
        rows, each_rows = len(ram), len(sizes[0])
        page = self.curve.page_bytes
        of_stores = [device_times(device, page, each_rows) for device, _ in stores]
        store_times = (
            np.concatenate([read for read, _ in of_stores]),
            np.concatenate([write for _, write in of_stores]),
        )
        store_us = done.busy_us("disk", *store_times)
        flash_us, flash_read_us = np.zeros(rows), np.full(rows, np.nan)
        if cache is not None:
            flash_times = device_times(self.shelf.caches[cache][0], page, rows)
            flash_us, flash_read_us = (
                done.busy_us("flash", *flash_times),
                flash_times[0],
            )
        mean, peak = (
            None if rate is None else np.full(rows, rate / self.machines)
            for rate in self.rates
        )
        budgets: FloatArray = np.repeat(
            np.asarray([budget_tb(device) for device, _ in stores], dtype=np.float64),
            each_rows,
        )
        store_life = self._life(budgets, done, "disk", mean)
        space = [devices_for_space(device, self.machine_bytes) for device, _ in stores]
        needed = self._needed(np.repeat(space, each_rows), store_us, store_life, peak)
        of_all = np.asarray(budgets * needed, dtype=np.float64)
        life = self._life(of_all, done, "disk", mean)
        prices = [price for _, price in stores]
        is_unpriced = np.repeat([price is None for price in prices], each_rows)
        ram_cents, is_rent = self.ram_cents(sizes[0])
        lines = [
            (np.tile(ram_cents, len(stores)), np.full(rows, is_rent)),
            self._store_line(needed.reshape(len(stores), each_rows)),
        ]
        cache_life = np.full(rows, np.inf)
        if cache is not None:
            cache_device, cache_price = self.shelf.caches[cache]
            is_unpriced = is_unpriced | (cache_price is None)
            amounts, is_rent = _device_cents(
                cache_device, cache_price, sizes[2] * self.machines
            )
            lines.append((np.tile(amounts, len(stores)), np.full(rows, is_rent)))
            of_all = np.asarray(budget_tb(cache_device) * count, dtype=np.float64)
            cache_life = self._life(of_all, done, "flash", mean)
            life = np.minimum(life, cache_life)
        if self.machine_usd is not None:
            whole = int(cents(self.machine_usd * self.machines) * 100)
            lines.append((np.full(rows, whole, dtype=np.int64), np.zeros(rows, bool)))
        month, purchase = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        for amounts, of_rent in lines:
            spread = month_cents(amounts, self.horizon_months)
            month += np.where(of_rent, amounts, spread)
            purchase += np.where(of_rent, 0, amounts)
        options = Options(
            source=np.full(rows, SOURCES.index("devices")),
            row=np.arange(rows),
            scheme=np.full(rows, CHOICES.index(scheme)),
            machines=np.full(rows, self.machines),
            ram_bytes=ram * self.machines,
            flash_bytes=flash * self.machines,
            ram_pages=np.floor(cached / page),
            flash_pages=np.floor(flash / page),
            month_cents=month,
            purchase_cents=purchase,
            store_us=store_us,
            flash_us=flash_us,
            store_read_us=store_times[0],
            flash_read_us=flash_read_us,
            store_devices=needed,
            flash_devices=count,
            store_reads=np.broadcast_to(done.per_access["disk", "read"], rows),
            flash_reads=np.broadcast_to(done.per_access["flash", "read"], rows),
            peak_busy=peak_busy((store_us, needed), (flash_us, count), peak),
            life_years=growing_years(life, self.growth_per_year),
            unpriced=is_unpriced.astype(np.int64),
            broken=np.zeros(rows, dtype=np.int64),
            is_rented=np.zeros(rows, dtype=np.bool_),
        )
        return options, store_life, cache_life

    def _store_line(self, needed: IntArray) -> tuple[IntArray, BoolArray]:
        """Price the devices that hold the data, one row of a store, in cents, and say which of it is rent."""
        found = [
            _device_cents(device, price, counts * self.machines)
            for (device, price), counts in zip(self.stores, needed, strict=True)
        ]
        return (
            np.concatenate([amounts for amounts, _ in found]),
            np.repeat([is_rent for _, is_rent in found], needed.shape[1]),
        )

    def _needed(
        self,
        space: IntArray,
        store_us: FloatArray,
        store_life_years: FloatArray,
        peak: FloatArray | None,
    ) -> IntArray:
        """Least devices that hold the data, carry the load and last as long as is asked."""
        one = np.ones(len(store_us), dtype=np.int64)
        return least_devices(
            space,
            None if peak is None else busy_share(store_us, peak, one),
            store_life_years,
            most_busy=self.most_busy,
            steady_life_years=self.steady_life_years,
            spare=self.spare,
        )

    def _life(
        self,
        budget: FloatArray,
        done: Operations,
        tier: str,
        mean: FloatArray | None,
    ) -> FloatArray:
        """Life at today's rate, by what all devices of a machine take over theirs. [365 days]"""
        written = np.broadcast_to(done.wears(tier), len(budget))
        return life_years(written, mean, self.curve.page_bytes, budget, 0.0)


def with_more(
    rows: TierRows,
    options: Options,
    at: IntArray,
    peak: float | None,
    *,
    every: bool = False,
) -> Options:
    """Return options again with more devices that hold the data, as `MORE_DEVICES` has it, up to `MOST_LISTED` in all.

    None has more than `MOST_DEVICES`.

    Parameters
    ----------
    rows : TierRows
    options : Options
        With the fewest devices.
    at : int array
        Those of which more are listed.
    peak : float or None
        Rate of all machines in the busiest hour. [1/s]
    every : bool
        Whether every number up to the largest is listed, up to `EVERY_NUMBER` in all.
    """
    fewest = options.store_devices[at]
    some = MORE_DEVICES[: MOST_LISTED // max(1, len(options))]
    numbers = [
        np.maximum(fewest + more, np.ceil(fewest * (1 + share)).astype(np.int64))
        for more, share in some
    ]
    which = [np.arange(len(at))] * len(numbers)
    if every and numbers:
        more = np.minimum(numbers[-1] - fewest, EVERY_NUMBER // max(1, len(at)))
        of = np.repeat(np.arange(len(at)), more)
        above = np.arange(len(of)) - np.repeat(np.cumsum(more) - more, more) + 1
        which, numbers = [of], [fewest[of] + above]
    place = np.concatenate([np.empty(0, dtype=np.int64), *which])
    devices = np.concatenate([np.empty(0, dtype=np.int64), *numbers])
    counted = devices <= MOST_DEVICES
    return rows.with_devices(options, at[place[counted]], devices[counted], peak)


def flash_counts(device: Device, machine_bytes: float) -> tuple[int, ...]:
    """Numbers of devices of one machine that may cache: up to what holds its data; none where the capacity is unknown.

    Parameters
    ----------
    device : Device
    machine_bytes : float
        Data of one machine. [bytes]
    """
    held = device.capacity_bytes or 0
    # One more device than the data fill caches no more.
    most = max(1, -(-int(machine_bytes) // held)) if held else 0
    return tuple(each for each in FLASH_COUNTS if each <= most)


def devices_for_space(device: Device, machine_bytes: float) -> int:
    """Devices of one machine that hold its data, at least one.

    Parameters
    ----------
    device : Device
    machine_bytes : float
        Data of one machine. [bytes]
    """
    return max(1, -(-int(machine_bytes) // (device.capacity_bytes or 1)))


def _device_cents(
    device: Device, price: Price | None, counts: IntArray
) -> tuple[IntArray, bool]:
    """Price so many devices, in cents, and say whether that is rent."""
    if price is None:
        # Of an option that lacks a price: its amounts are not shown.
        return np.zeros(len(counts), dtype=np.int64), False
    each = each_usd(device, price)
    distinct, at = np.unique(counts, return_inverse=True)
    with localcontext(EXACT):
        found = [int(cents(each * int(count)) * 100) for count in distinct]
    return np.asarray(found, dtype=np.int64)[at], price.rent


def least_devices(
    space: IntArray,
    busy_of_one: FloatArray | None,
    life_years_of_one: FloatArray,
    *,
    most_busy: float,
    steady_life_years: float,
    spare: int = 0,
) -> IntArray:
    """Least devices that hold the data, carry the load and last as long as is asked.

    Parameters
    ----------
    space : int64 array
        Devices that hold the data, at least 1.
    busy_of_one : float64 array or None
        Share of the time for which one device would be busy; None where the rate is unknown. [1]
    life_years_of_one : float64 array
        Life of one that took all writes at today's rate, at which n devices last n times as long. [365 days]
    most_busy, steady_life_years : float
        Limits, of the life at today's rate: of one that is asked under growth as `steady_years` has it. [1], [365 days]
    spare : int
        Devices that may be lost while the others still carry the load.

    Examples
    --------
    >>> least_devices(
    ...     np.asarray([2]),
    ...     np.asarray([3.0]),
    ...     np.asarray([1.0]),
    ...     most_busy=0.5,
    ...     steady_life_years=5,
    ... ).tolist()
    [6]
    """
    asked = [space.astype(np.float64)]
    if busy_of_one is not None:
        carry = busy_of_one / most_busy
        # A spare is a whole device, beyond a whole number of them, of which one is left where there is no load.
        left = np.maximum(np.ceil(carry * (1 - ROUNDING)), 1)
        asked.append(left + spare if spare else carry)
    with np.errstate(divide="ignore", invalid="ignore"):
        asked.append(steady_life_years / life_years_of_one)
    # What is unknown asks for none; a whole number of devices is not exceeded by rounding.
    most = np.fmax.reduce(asked)
    whole = np.ceil(np.minimum(most, MOST_DEVICES) * (1 - ROUNDING))
    return np.asarray(np.maximum(whole, space), dtype=np.int64)
