"""Prices of what is bought that are much older than others: which they are, and what the newest of their kind would make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from tierwright.advise.advice._billed import Billed, billed_config
from tierwright.advise.advice._table import Table
from tierwright.common.fields import is_date
from tierwright.common.units import UNIT_BYTES
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import SOURCES
from tierwright.evaluate.bill import EXACT
from tierwright.hardware.build import PartItem
from tierwright.hardware.device import Device
from tierwright.hardware.prices import (
    MOST_QUARTERS_APART,
    Price,
    quarter_of,
)

_PRICE_PLACES = Decimal("1e-9")
"""Decimals that a stated price may have. [USD]"""
_MEMORY = ("dimm", "dram")
"""Kinds that are sold by the GiB; drives are sold by the GB."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A price of what is bought that states its date.

    Attributes
    ----------
    id : str
        What it is the price of: a part, a device or `RAM`.
    kind : str
        `dimm` or `dram`, or the kind of a drive or a chassis.
    date : str
    market : str
        How it was found, such as `contract`; empty where that is not stated.
    usd_per_unit : Decimal or None
        For a GiB of memory, a GB of drives, whichever of them it was stated for; None of what has no size. [USD]
    unit : str
        One for all of a kind, so that their prices compare.
    size : Decimal
        Of one. [unit]
    """

    id: str
    kind: str
    date: str
    market: str
    usd_per_unit: Decimal | None
    unit: str
    size: Decimal

    @property
    def quarter(self) -> int:
        """Quarters from year 0."""
        return quarter_of(self.date)

    def is_older(self, quarter: int) -> bool:
        """Whether it does not compare with prices of a quarter."""
        return quarter - self.quarter > MOST_QUARTERS_APART


@dataclass(frozen=True, slots=True)
class Old:
    """A price that is much older than others.

    Attributes
    ----------
    price : Dated
    newer : Dated or None
        The newest of its kind, of the same market where there is one; None where none is newer.
    """

    price: Dated
    newer: Dated | None

    @property
    def times(self) -> Decimal | None:
        """What the newest of its kind is for a unit, over this one; None where that is not known. [1]"""
        own = self.price.usd_per_unit
        new = None if self.newer is None else self.newer.usd_per_unit
        return None if new is None or not own else new / own


def _unit(kind: str) -> str:
    """Return the unit of the size of a kind, whatever its price or its source states."""
    return "GiB" if kind in _MEMORY else "GB"


def _of_part(item: PartItem) -> Dated | None:
    price, part = item.price, item.part
    if price is None or price.date is None or not is_date(price.date):
        return None
    unit = _unit(part.kind)
    size = Decimal(part.capacity_bytes or 0) / UNIT_BYTES[unit]
    with localcontext(EXACT):
        usd = price.usd / size if size else None
    return Dated(part.id, part.kind, price.date, price.price_kind, usd, unit, size)


def _of_device(device: Device | None, price: Price | None) -> Dated | None:
    if price is None or price.rent or price.date is None or not is_date(price.date):
        return None
    kind = "dram" if device is None else device.kind
    unit = _unit(kind)
    with localcontext(EXACT):
        usd = price.usd * UNIT_BYTES[unit] / UNIT_BYTES[price.per]
    if device is None:
        return Dated("RAM", kind, price.date, "", usd, unit, Decimal(1))
    size = Decimal(device.capacity_bytes or 0) / UNIT_BYTES[unit]
    return Dated(device.id, kind, price.date, "", usd, unit, size)


def of_kind(table: Table, source: str) -> tuple[Dated, ...]:
    """Return every dated price of what options of a source are bought from, candidate or not: `chassis` or `devices`."""
    found: Iterator[Dated | None] = iter(())
    if source == "chassis" and table.columns is not None:
        sold = table.columns.sold
        found = (_of_part(each) for each in (*sold.chassis, *sold.dimms, *sold.drives))
    elif source == "devices":
        shelf = table.shelf
        devices = {each[0].id: each for each in (*shelf.stores, *shelf.caches)}
        found = (_of_device(*each) for each in ((None, shelf.ram), *devices.values()))
    return tuple(each for each in found if each is not None)


def used_ids(table: Table, at: int) -> tuple[str, ...]:
    """Return the ids of what an option buys, as `Dated` has them; none of what is rented, quoted or there already."""
    row, source = int(table.options.row[at]), table.source(at)
    if source == "chassis" and table.columns is not None:
        columns, sold = table.columns, table.columns.sold
        items = (
            sold.chassis[columns.chassis[row]],
            sold.dimms[columns.dimm[row]],
            sold.drives[columns.drive[row]],
        )
        return tuple(each.part.id for each in items)
    if source == "devices":
        rows, shelf = table.tier_rows, table.shelf
        cache = int(rows.cache[row])
        caches = () if cache < 0 else (shelf.caches[cache][0].id,)
        return ("RAM", *caches, shelf.stores[rows.store[row]][0].id)
    return ()


def newer_of_kind(own: Dated, among: Sequence[Dated]) -> Dated | None:
    """Return the newest price of the same kind that is much newer: of the same market if there is one, then of the nearest size."""
    if own.usd_per_unit is None:
        return None
    newer = [
        each
        for each in among
        if each.kind == own.kind
        and each.usd_per_unit is not None
        and own.is_older(each.quarter)
    ]
    alike = [each for each in newer if each.market == own.market] or newer
    if not alike:
        return None
    last = max(each.quarter for each in alike)
    return min(
        (each for each in alike if each.quarter == last),
        key=lambda each: (abs((each.size / own.size).ln()), each.id),
    )


@dataclass(frozen=True, slots=True)
class OldPrices:
    """Old prices on which an option rests.

    Attributes
    ----------
    old : tuple of Old
        The oldest first.
    newest : Dated
        The newest beside which they are old.
    """

    old: tuple[Old, ...]
    newest: Dated

    @property
    def until(self) -> int:
        """Quarter of the newest of the old prices, from year 0."""
        return max(each.price.quarter for each in self.old)


def old_prices(table: Table, at: int) -> OldPrices | None:
    """Return the prices of what an option buys that are over two quarters older than its newest, or than the newest of their kind.

    None where there are none, as of what is rented, quoted or there already.
    """
    among = {each.id: each for each in of_kind(table, table.source(at))}
    used = [among[each] for each in used_ids(table, at) if each in among]
    both = [(each, newer_of_kind(each, tuple(among.values()))) for each in used]
    known = [*used, *(newer for _, newer in both if newer is not None)]
    if not known:
        return None
    newest = max(known, key=lambda each: each.quarter)
    old = [Old(*each) for each in both if each[0].is_older(newest.quarter)]
    if not old:
        return None
    return OldPrices(
        tuple(sorted(old, key=lambda each: (each.price.quarter, each.price.id))),
        newest,
    )


def buys_at_later(table: Table, quarter: int) -> Bools:
    """Which options buy at no price from a quarter or before; what states no date, and rents, are not held to be.

    Parameters
    ----------
    table : Table
    quarter : int
        From year 0.

    Returns
    -------
    bool array, shape (N,)
    """
    options = table.options
    found = np.ones(len(options), dtype=np.bool_)
    of_chassis = options.source == SOURCES.index("chassis")
    if table.columns is not None and of_chassis.any():
        columns, rows = table.columns, options.row[of_chassis]
        sold, good = columns.sold, np.ones(len(rows), dtype=np.bool_)
        for items, index in (
            (sold.chassis, columns.chassis),
            (sold.dimms, columns.dimm),
            (sold.drives, columns.drive),
        ):
            good &= ~_until([_of_part(each) for each in items], quarter)[index[rows]]
        found[of_chassis] = good
    of_devices = options.source == SOURCES.index("devices")
    if of_devices.any():
        shelf, rows = table.shelf, options.row[of_devices]
        stores, caches = (
            _until([_of_device(*each) for each in some], quarter)
            for some in (shelf.stores, shelf.caches)
        )
        ram = bool(_until([_of_device(None, shelf.ram)], quarter)[0])
        # The last one stands for no cache.
        caches = np.append(caches, False)
        found[of_devices] = (
            ~stores[table.tier_rows.store[rows]]
            & ~caches[table.tier_rows.cache[rows]]
            & (not ram)
        )
    return found


def _until(prices: Sequence[Dated | None], quarter: int) -> NDArray[np.bool_]:
    return np.asarray(
        [each is not None and each.quarter <= quarter for each in prices],
        dtype=np.bool_,
    )


def at_newest(table: Table, at: int, old: Sequence[Old]) -> Billed | None:
    """Bill an option with its old prices for a unit at the newest of their kind; None where none of these is known."""
    times = {each.price.id: each.times for each in old if each.times is not None}
    if not times:
        return None
    return billed_config(table, at, _config_at(table, at, times))


def _config_at(
    table: Table, at: int, times: Mapping[str, Decimal]
) -> Mapping[str, object]:
    if table.source(at) == "chassis":
        assert table.columns is not None
        one = table.columns.rows(np.asarray([int(table.options.row[at])]))
        stated = dict(table.setting.candidates.part_usd)
        for item in (*one.sold.chassis, *one.sold.dimms, *one.sold.drives):
            if item.part.id in times and item.price is not None:
                usd = item.price.usd * times[item.part.id]
                stated[item.part.id] = usd.quantize(_PRICE_PLACES)
        return one.repriced(replace(one.wanted, part_usd=stated)).config(0)

    def of(device: Device | None, price: Price | None) -> Price | None:
        name = "RAM" if device is None else device.id
        if price is None or name not in times:
            return price
        return replace(price, usd=price.usd * times[name])

    shelf = table.shelf
    moved = replace(
        shelf,
        ram=of(None, shelf.ram),
        stores=tuple((each, of(each, price)) for each, price in shelf.stores),
        caches=tuple((each, of(each, price)) for each, price in shelf.caches),
    )
    return replace(table.tier_rows, shelf=moved).config(table.options, at)
