"""What each option of a table consists of: its source, devices, server, CONFIG and name, and numbers that are the same of equal hardware."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from tierwright.advise.advice._standing import Standing, ram_text
from tierwright.advise.advice._table.devices import device_of_drive, with_times
from tierwright.advise.advice._table.setting import Setting
from tierwright.advise.advice._table.today import server_of, standing_of
from tierwright.advise.configurations import name_of
from tierwright.common.wording import counted, listed
from tierwright.evaluate.advice.bought import budget_tb, part_budget_tb
from tierwright.evaluate.advice.rows import (
    CHOICES,
    RENTED,
    SOURCES,
    STANDING,
    IntArray,
    Options,
)
from tierwright.evaluate.advice.tiers import Shelf, TierRows
from tierwright.evaluate.configurations.columns import Columns
from tierwright.evaluate.configurations.sold import LOCAL_DISK, behind_instance
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware.device import Device
from tierwright.hardware.parts import vendor_of_device


class Identified:
    """Options of which each is known by its number: what it consists of, and what it is called.

    Attributes
    ----------
    setting : Setting
    columns : Columns or None
        What is sold as a whole; None where nothing of that kind is a candidate.
    shelf : Shelf
        Devices that are bought by themselves.
    tier_rows : TierRows
        What of them each such option consists of.
    options : Options
    """

    setting: Setting
    columns: Columns | None
    shelf: Shelf
    tier_rows: TierRows
    options: Options

    @property
    def own_unpriced(self) -> tuple[str, ...]:
        """Ids of the user's own devices that have no price."""
        return tuple(device.id for device, price in self.shelf.stores if price is None)

    @property
    def of_no_vendor(self) -> tuple[str, ...]:
        """Ids of what may be bought and states no vendor."""
        found = [
            device.id
            for device, _ in self.shelf.stores
            if self.shelf.ram is not None and not vendor_of_device(device.id)
        ]
        columns = self.columns
        if columns is not None:
            for index, items in (
                (columns.chassis, columns.sold.chassis),
                (columns.dimm, columns.sold.dimms),
                (columns.drive, columns.sold.drives),
            ):
                used = np.unique(index[index >= 0]).tolist()
                found += [items[at].part.id for at in used if not items[at].part.vendor]
        return tuple(dict.fromkeys(found))

    def lacking_price(self, at: int) -> tuple[str, ...]:
        """Return what of an option has no price: ids of devices by themselves, and of parts of a server; electricity."""
        source = self.source(at)
        if source == "devices":
            held = dict.fromkeys(self.names(at))
            return tuple(name for name in held if name in self.own_unpriced)
        columns, row = self.columns, int(self.options.row[at])
        if source != "chassis" or columns is None:
            return ()
        sold = columns.sold
        parts = {
            "chassis": sold.chassis[columns.chassis[row]].part.id,
            "memory modules": sold.dimms[columns.dimm[row]].part.id,
            "drives": sold.drives[columns.drive[row]].part.id,
        }
        return tuple(parts.get(name, name) for name in columns.lacks_of(row))

    def source(self, at: int) -> str:
        """Kind of an option."""
        return SOURCES[self.options.source[at]]

    def scheme(self, at: int) -> str:
        """Page flow of an option."""
        return str(CHOICES[self.options.scheme[at]])

    def devices(self, at: int) -> tuple[Device | None, Device | None]:
        """Return what caches, and what holds the data; None where no source states figures."""
        row, source = int(self.options.row[at]), self.source(at)
        uses_flash = self.scheme(at) != NO_FLASH
        if source in STANDING:
            given = self.given(at)
            return (given.flash if uses_flash else None), given.disk
        if source == "devices":
            cache = int(self.tier_rows.cache[row])
            store = self.shelf.stores[self.tier_rows.store[row]][0]
            return (self.shelf.caches[cache][0] if cache >= 0 else None), store
        columns = self.columns
        assert columns is not None
        sold, borrowed = columns.sold, self.setting.devices
        local = (
            self._known(sold.local_devices[columns.server[row]], borrowed[0])
            if columns.server[row] >= 0
            else None
        )
        if columns.drive[row] >= 0:
            return None, device_of_drive(self.setting, sold.drives[columns.drive[row]])
        if columns.volume[row] >= 0:
            option = columns.options[columns.volume[row]]
            store_device = self._known(option.device, borrowed[1])
            if store_device is not None:
                store_device = behind_instance(
                    store_device, sold.servers[columns.server[row]], option.item
                )
            return (local if uses_flash else None), store_device
        return None, local

    def _known(self, own: Device | None, other: Device | None) -> Device | None:
        return with_times(own, other, self.setting.curve.page_bytes)

    def given(self, at: int) -> Standing:
        """Return what an option is that was given as a whole."""
        setting = self.setting
        if self.source(at) == "quotes":
            assert setting.quoted is not None
            return setting.quoted[int(self.options.row[at])]
        assert setting.have is not None
        return standing_of(setting, setting.have)

    def on_existing(self, at: int) -> bool:
        """Whether an option runs on machines that there are, whose costs are not in its price."""
        return self.source(at) == "quotes" and self.given(at).on_existing

    def without_machine(self, at: int) -> bool:
        """Whether the price of an option lacks the machine that its RAM and devices need."""
        return (
            self.source(at) == "devices" and self.setting.candidates.machine_usd is None
        )

    def names(self, at: int) -> tuple[str | None, str | None]:
        """Ids of what caches, and of what holds the data."""
        row, columns = int(self.options.row[at]), self.columns
        if self.source(at) in (*STANDING, "devices") or columns is None:
            flash, store = self.devices(at)
            return (
                None if flash is None else flash.id,
                None if store is None else store.id,
            )
        sold = columns.sold
        if columns.drive[row] >= 0:
            return None, sold.drives[columns.drive[row]].part.id
        local = f"{sold.servers[columns.server[row]].id}{LOCAL_DISK}"
        if columns.volume[row] < 0:
            return None, local
        volume = columns.options[columns.volume[row]].item.volume.id
        return (local if self.options.flash_bytes[at] else None), volume

    def server(self, at: int) -> str | None:
        """Instance or chassis of an option; of what there is as its bill names it."""
        columns, row = self.columns, int(self.options.row[at])
        have = self.setting.have
        if self.source(at) == "have" and have is not None:
            return server_of(have)
        if self.source(at) in (*STANDING, "devices") or columns is None:
            return None
        if columns.chassis[row] >= 0:
            return str(columns.sold.chassis[columns.chassis[row]].part.id)
        return str(columns.sold.servers[columns.server[row]].id)

    @cached_property
    def kind_codes(self) -> IntArray:
        """A number of each option, the same of all that consist of the same things and run the same scheme."""
        return self.hardware_codes + (self.options.scheme << 48)

    @cached_property
    def hardware_codes(self) -> IntArray:
        """A number of each option, the same of all that consist of the same things: server, devices, volumes."""
        options = self.options
        first = np.full(len(options), -1, dtype=np.int64)
        second = np.full(len(options), -1, dtype=np.int64)
        third = np.full(len(options), -1, dtype=np.int64)
        code = {name: at for at, name in enumerate(SOURCES)}
        of_tiers = options.source == code["devices"]
        first[of_tiers] = self.tier_rows.store[options.row[of_tiers]]
        second[of_tiers] = self.tier_rows.cache[options.row[of_tiers]]
        quoted = options.source == code["quotes"]
        # Whatever of a quote holds the data or caches, it is the same quote.
        names = [each.quote_id for each in self.setting.quoted or ()]
        numbers = {name: at for at, name in enumerate(dict.fromkeys(names))}
        of_row = np.asarray([numbers[name] for name in names], dtype=np.int64)
        first[quoted] = of_row[options.row[quoted]]
        columns = self.columns
        if columns is not None:
            sold = options.source < code["devices"]
            row = options.row[sold]
            server, chassis = columns.server[row], columns.chassis[row]
            first[sold] = np.where(server >= 0, server, chassis)
            second[sold] = columns.drive[row]
            names = [each.item.volume.id for each in columns.options]
            distinct = {name: at for at, name in enumerate(dict.fromkeys(names))}
            of_option = np.asarray([*(distinct[name] for name in names), -1])
            third[sold] = of_option[columns.volume[row]]
        return _code(options.source, first, second, third)

    @cached_property
    def product_codes(self) -> IntArray:
        """`hardware_codes`, the same also of devices by themselves that are one product, bought once or twice.

        A drive whose price was taken in two months is no second thing to buy, and more of the drives that hold the data, as
        a flash cache in front of them, are no other hardware. Parts of a server have one profile each.
        """
        shelf = self.shelf
        numbers = _products(device for device, _ in (*shelf.stores, *shelf.caches))
        # Behind those of either, -1 of none.
        stores = np.append(numbers[: len(shelf.stores)], -1)
        caches = np.append(numbers[len(shelf.stores) :], -1)
        found = self.hardware_codes.copy()
        of_tiers = self.options.source == SOURCES.index("devices")
        row = self.options.row[of_tiers]
        store, cache = (
            stores[self.tier_rows.store[row]],
            caches[self.tier_rows.cache[row]],
        )
        found[of_tiers] = _code(
            self.options.source[of_tiers],
            store,
            np.where(cache == store, -1, cache),
            np.full(len(row), -1),
        )
        return found

    @staticmethod
    def codes_of_built(chassis: IntArray, drive: IntArray) -> IntArray:
        """Return what `hardware_codes` and `product_codes` would be of servers built from parts."""
        source = np.full(len(chassis), SOURCES.index("chassis"))
        return _code(source, chassis, drive, np.full(len(chassis), -1))

    def config(self, at: int) -> dict[str, Any]:
        """CONFIG of `tierwright bill` for an option; empty where only an amount was stated."""
        source = self.source(at)
        if source == "have":
            have = self.setting.have
            assert have is not None
            if not have.bill:
                return {}
            # As it was billed, whether the horizon is stated there or not.
            return {**have.bill, "horizon_months": self.setting.horizon_months}
        if source == "quotes":
            return {}
        if source == "devices":
            # What has no price cannot be billed.
            is_priced = self.options.unpriced[at] == 0
            return self.tier_rows.config(self.options, at) if is_priced else {}
        assert self.columns is not None
        return self.columns.config(int(self.options.row[at]))

    def title(self, at: int) -> str:
        """Say what an option is, without its scheme."""
        options = self.options
        source = self.source(at)
        flash, store = self.names(at)
        machines = int(options.machines[at])
        if source not in (*STANDING, "devices"):
            assert self.columns is not None
            return name_of(self.columns, int(options.row[at]))
        for_pages = source in STANDING and self.given(at).is_ram_for_pages
        parts = [ram_text(float(options.ram_bytes[at]), for_pages=for_pages)]
        holds = f"{int(options.store_devices[at]) * machines:,} x {store}"
        if flash is not None:
            caches = int(options.flash_devices[at]) * machines
            parts.append(f"{caches:,} x {flash} as flash cache")
            holds += " for the data"
        parts.append(holds)
        on = "" if machines == 1 else f" on {counted(machines, 'machine')}"
        held = f"{listed(parts)}{on}"
        if source == "quotes":
            return f"quote {self.given(at).quote_id} ({held})"
        return held

    @cached_property
    def device_codes(self) -> tuple[IntArray, IntArray]:
        """Numbers of what caches and of what holds the data, each the same of options where it is the same device."""
        options = self.options
        source, row, nothing = options.source, options.row, np.full(len(options), -1)
        caches = (options.scheme != CHOICES.index(NO_FLASH)).astype(np.int64)
        of_tiers = source == SOURCES.index("devices")
        # What is given as a whole is a device of its own each time.
        first, second = row.copy(), nothing.copy()
        first[of_tiers] = self.tier_rows.store[row[of_tiers]]
        second[of_tiers] = self.tier_rows.cache[row[of_tiers]]
        flash, store = (
            _code(source, first, second, caches),
            _code(source, first, second, nothing),
        )
        columns = self.columns
        if columns is not None:
            sold = source < SOURCES.index("devices")
            at, none = row[sold], nothing[sold]
            server, drive, volume = (
                np.asarray(each[at], dtype=np.int64)
                for each in (columns.server, columns.drive, columns.volume)
            )
            # Volumes are as quick as the instance lets them be.
            own = np.where(drive < 0, server, -1)
            flash[sold] = _code(source[sold], server, caches[sold], none)
            store[sold] = _code(source[sold], own, drive, volume)
        return flash, store


def _products(devices: Iterable[Device]) -> IntArray:
    """Return a number of each device, the same of one product."""
    names = [each.bought_as for each in devices]
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        first.setdefault(name, at)
    return np.asarray([first[name] for name in names], dtype=np.int64)


def _code(*parts: IntArray) -> IntArray:
    """Put the source and three indices, each from -1 on, into one number."""
    source, first, second, third = (part.astype(np.int64) for part in parts)
    return np.asarray(
        (source << 56) + ((first + 1) << 32) + ((second + 1) << 16) + (third + 1)
    )


def budgets_tb(table: Identified, at: int) -> tuple[float, float]:
    """Host writes that one device takes, of the cache and of what holds the data; infinite for what is rented. [TB]"""
    source = table.source(at)
    if source in RENTED:
        return math.inf, math.inf
    if source == "chassis":
        assert table.columns is not None
        row = int(table.options.row[at])
        drive = table.columns.sold.drives[table.columns.drive[row]].part
        return math.inf, part_budget_tb(drive)
    if source == "quotes":
        given = table.given(at)
        return given.flash_budget_tb, given.disk_budget_tb
    flash, store = table.devices(at)
    return (
        math.inf if flash is None else budget_tb(flash),
        math.inf if store is None else budget_tb(store),
    )
