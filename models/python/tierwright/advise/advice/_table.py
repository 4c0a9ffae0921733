"""All options of one question in one table, and what each of them is."""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal, localcontext
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from tierwright.advise.advice._elsewhere import Held
from tierwright.advise.advice._responses import (
    PERCENTILES,
    TIMES,
    US,
    Responses,
    least_times_us,
    times_us,
)
from tierwright.advise.advice._standing import Standing, ram_text, standing
from tierwright.advise.advice.found import FALLING, RANGED, Option
from tierwright.advise.advice.request import BOUGHT_ALONE, Candidates, Have
from tierwright.advise.configurations import as_read, name_of
from tierwright.common.arrays import FloatArray
from tierwright.common.currency import text_of
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput
from tierwright.common.fields import plain_number
from tierwright.common.wording import counted, listed
from tierwright.evaluate.advice.bought import bought, budget_tb, part_budget_tb
from tierwright.evaluate.advice.later import (
    MONTHS_A_YEAR,
    months_until,
    stretched_curve,
)
from tierwright.evaluate.advice.limits import (
    BESIDE,
    LIFE,
    POWER,
    RESTART,
    THROUGHPUT,
    UNITS,
    Bools,
)
from tierwright.evaluate.advice.restart import (
    restart_error_s,
    restart_of_parts_s,
    restart_s,
)
from tierwright.evaluate.advice.rows import (
    CHOICES,
    RENTED,
    SOURCES,
    STANDING,
    IntArray,
    Options,
    device_times,
    joined,
    month_cents,
)
from tierwright.evaluate.advice.scenarios import left_after_loss
from tierwright.evaluate.advice.tiers import Shelf, TierRows, tiers, with_more
from tierwright.evaluate.bill import CENT, EXACT, Line, bill_lines, cents, machine_watts
from tierwright.evaluate.compose.partitions import partitions
from tierwright.evaluate.configurations.columns import Columns, enumerate_configurations
from tierwright.evaluate.configurations.sold import Sold
from tierwright.evaluate.configurations.wanted import Wanted
from tierwright.evaluate.economics import tier_price
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.response.schemes import (
    US_PER_S,
    Hierarchy,
    keeps_in_time,
    scheme_response,
)
from tierwright.hardware import catalog
from tierwright.hardware.build import (
    STATED,
    STATED_IN_CANDIDATES,
    PartItem,
    build_from_mapping,
)
from tierwright.hardware.device import Device
from tierwright.hardware.parts import PartPrice, vendor_of_device
from tierwright.hardware.prices import Price, PriceBook, own_price
from tierwright.hardware.rents import Rents
from tierwright.hardware.service_time import waiting_time
from tierwright.profile.curve import Curve
from tierwright.profile.several import Workload

CACHES = frozenset({"nvme", "sata_ssd"})
NO_RATE = "the workload states no rate; scale it to production, or state its rate"
NOTHING_LEFT = "where that one machine fails, none is left"
RESPONSE_NOT_ASKED = (
    "response times are computed of what is recommended, of what was close and of the front; of others where they are "
    "limited"
)
WITH_DIRTY = (
    "they depend on which evicted pages are dirty, and the curve does not say it"
)
_LARGEST = 2**62
_STANDING = [SOURCES.index(name) for name in STANDING]
MONTHS = "months_until_too_small"
"""Key of an option."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Accesses per second of the workload, on all machines together; None where unknown. [1/s]"""

    mean: float | None
    peak: float | None

    @property
    def both(self) -> tuple[float | None, float | None]:
        """Mean and busiest hour."""
        return self.mean, self.peak


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the table of options is made for."""

    curve: Curve
    rates: Rates
    candidates: Candidates
    have: Have | None
    prices: PriceBook | None
    horizon_months: int
    most_busy: float
    least_life_years: float
    data_bytes: int
    devices: tuple[Device | None, Device | None]
    quoted: tuple[Standing, ...] | None = None
    """Quotes, each as each scheme runs it: then these alone are candidates. None: the question is not of quotes."""
    recorded_per_s: float | None = None
    """Of the recording; None where it has no times. [1/s]"""
    fewest_dirty: Curve | None = None
    """With no dirty evictions, where nobody said which are: `curve` has as many as possible then. None where it is known."""
    least_throughput_per_s: float = 0.0
    """Rate that all machines together have to carry, whatever the load is. [1/s]"""
    spare: int = 0
    """Devices of each machine that hold the data, beyond those that carry its load."""
    after_loss: bool = False
    """Whether response times are those after one device that holds data failed, on the machines that have most to carry."""
    kept_by_more: frozenset[str] = frozenset()
    """Limits for which devices by themselves are listed in larger numbers too: more of them keep what fewer break."""
    every_number: bool = False
    """Whether these have no gaps."""
    parted: tuple[Workload, ...] = ()
    """Workloads of which each has a part of the RAM, so that all miss least; empty where they share it."""
    devices_more: float = 1.0
    """By what factor more devices hold the data than the model asks for, as a replay showed them that much busier. [1]"""

    @property
    def machines(self) -> int:
        """Machines of which the curve is one."""
        scaled = self.curve.scaled
        return 1 if scaled is None else scaled.production.machines

    @property
    def replicas(self) -> int:
        """Copies of the data."""
        scaled = self.curve.scaled
        return 1 if scaled is None else scaled.production.replicas

    @property
    def machine_bytes(self) -> float:
        """Data of one machine, its part of all copies. [bytes]"""
        return self.data_bytes * self.replicas / self.machines

    @property
    def rate_for_both(self) -> float | None:
        """Mean rate that stands for that of the busiest hour too, which nobody stated; None where it does not. [1/s]"""
        mean, peak = self.rates.both
        if mean is None or mean != peak:
            return None
        scaled = self.curve.scaled
        if scaled is None:
            return None if self.curve.is_scaled else mean
        return None if scaled.production.peak_accesses_per_s == peak else mean

    @property
    def served(self) -> Rates:
        """Rates that all machines serve together: with copies, each write on all of them. [1/s]"""
        times = self.curve.served_per_access
        mean, peak = (
            None if rate is None else rate * times for rate in self.rates.both
        )
        return Rates(mean, peak)

    @property
    def busy_for_throughput(self) -> float:
        """Share of the busiest hour for which a device may be busy, so that the throughput asked for is carried too. [1]"""
        peak = self.rates.peak
        if not self.least_throughput_per_s or peak is None:
            return self.most_busy
        allowed = min(self.most_busy, 1.0)
        return min(self.most_busy, allowed * peak / self.least_throughput_per_s)

    @property
    def busy_for_devices(self) -> float:
        """Share of the busiest hour by which the number of devices that hold the data is chosen. [1]"""
        return self.busy_for_throughput / self.devices_more

    @property
    def life_for_devices(self) -> float:
        """Life of flash by which the number of devices that hold the data is chosen. [365 days]"""
        return self.least_life_years * self.devices_more

    def throughput_per_s(self, peak_busy: FloatArray) -> FloatArray:
        """Return the accesses of all machines at which the busiest device is as busy as allowed. [1/s]

        Parameters
        ----------
        peak_busy : float64 array
            How busy it is in the busiest hour; without end where it is never, NaN where unknown. [1]
        """
        peak = self.rates.peak
        if peak is None:
            return np.full(np.shape(peak_busy), np.nan)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(peak * min(self.most_busy, 1.0) / peak_busy)

    @property
    def growth_per_year(self) -> float:
        """Of the data. [1]"""
        scaled = self.curve.scaled
        return 0.0 if scaled is None else scaled.production.growth_per_year


def shelf(prices: PriceBook | None, candidates: Candidates) -> Shelf:
    """Find the devices that are bought by themselves, each with its price.

    Devices that are not named are those that the book prices by their own name: a price of their kind says little of
    one device. Of a device that is named any price will do, its own too. Of the user's own the price that its profile
    states goes before that of its kind, and one without a price is listed without. Without a book there are none.
    """
    found: list[tuple[Device, Price | None]] = []
    if "devices" in candidates.kinds and prices is not None:
        for device in catalog.devices().values():
            if device.kind not in BOUGHT_ALONE or device.sold_as != "device":
                continue
            if not candidates.allows_vendor(vendor_of_device(device.id)):
                continue
            price = prices.price_of(device)
            if candidates.devices is None:
                price = None if price is None or price.device_id is None else price
            elif device.id in candidates.devices:
                price = tier_price(device, prices)
            else:
                continue
            if price is not None and device.capacity_bytes:
                found.append((device, price))
        found += [(device, _price_of_own(device, prices)) for device in candidates.own]
    ram = None if prices is None else prices.find(device_id=None, kind="dram")
    return Shelf(
        ram,
        tuple(found),
        tuple(each for each in found if each[0].kind in CACHES),
    )


def _price_of_own(device: Device, prices: PriceBook) -> Price | None:
    found = prices.price_of(device)
    of_kind = found is None or found.device_id is None
    return (own_price(device) if of_kind else None) or found


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a table does not hold of the options that were asked for.

    Attributes
    ----------
    evaluated : int
        Options that were evaluated, those of the table among them.
    pruned : int
        Options that bounds left out before they were listed.
    suitable : int
        Of the evaluated ones, those that keep every limit but those of response times.
    rejected_counts : dict of str to int
        Of the evaluated ones, by the first limit that they break.
    unfinished_pages : tuple of float
        Least RAM of rules of thumb whose best option was not found among the options that were looked at. [pages]
    """

    evaluated: int
    pruned: int
    suitable: int
    rejected_counts: dict[str, int]
    unfinished_pages: tuple[float, ...] = ()


class Table:
    """All options: sold as a whole, of devices, and what there is, in this order.

    Attributes
    ----------
    left_out : LeftOut or None
        What it does not hold; None where it holds all.
    """

    left_out: LeftOut | None = None

    def __init__(self, setting: Setting, sold: tuple[Columns | None, Shelf]) -> None:
        self.setting = setting
        self.responses = Responses()
        candidates = setting.candidates
        self.columns, self.shelf = sold
        parts = []
        if self.columns is not None:
            rates = setting.served.both
            parts.append(bought(self.columns, setting.curve, rates, setting.devices))
        tier_rows, of_tiers = tiers(
            self.shelf,
            setting.curve,
            machine_bytes=setting.machine_bytes,
            machines=setting.machines,
            rates=setting.served.both,
            most_busy=setting.busy_for_devices,
            horizon_months=setting.horizon_months,
            least_life_years=setting.life_for_devices,
            reserved_bytes=float(candidates.reserved_gib) * 2**30,
            machine_usd=candidates.machine_usd,
            spare=setting.spare,
        )
        self.tier_rows: TierRows = tier_rows
        parts.append(of_tiers)
        if setting.kept_by_more and len(of_tiers):
            at = self._of_which_more(of_tiers)
            more = with_more(
                tier_rows,
                of_tiers,
                at,
                setting.served.peak,
                every=setting.every_number,
            )
            parts.append(more)
        self.have_at: int | None = None
        if setting.have is not None:
            self.have_at = sum(len(each) for each in parts)
            parts.append(self._standing("have", (_of_have(setting, setting.have),)))
        self.quotes_at = sum(len(each) for each in parts)
        if setting.quoted:
            parts.append(self._standing("quotes", setting.quoted))
        self.options = joined(parts)
        self._prepared: dict[int, dict[str, float | None]] = {}
        self._clean: dict[int, tuple[Table, int]] = {}
        """Where an option stands among those without dirty pages, where nobody said which are."""

    def _of_which_more(self, of_tiers: Options) -> IntArray:
        """Of which devices by themselves more may keep a limit: of one on the restart of all, else of those whose latency is known."""
        if RESTART in self.setting.kept_by_more:
            return np.arange(len(of_tiers))
        self.options = of_tiers
        known = np.isfinite(self.least_response[0])
        self._forget_codes()
        return np.flatnonzero(known)

    def _standing(self, source: str, given: Sequence[Standing]) -> Options:
        setting = self.setting
        return standing(
            given,
            source,
            setting.curve,
            setting.served.both,
            setting.data_bytes * setting.replicas,
        )

    @classmethod
    def of(cls, setting: Setting) -> Table:
        """List what is sold, and make the table of it."""
        sold = _columns(setting), shelf(setting.prices, setting.candidates)
        return cls(setting, sold)

    def remade(self, setting: Setting) -> Table:
        """Make the table of another curve or other limits: of what is sold already, which rests on neither."""
        return Table(setting, (self.columns, self.shelf))

    def with_options(self, options: Options) -> Table:
        """Make a table of other options of the same devices: those of this one first, or none but devices by themselves."""
        made = copy.copy(self)
        made.options = options
        made._prepared, made._clean = {}, {}
        made._forget_codes()
        return made

    def _forget_codes(self) -> None:
        """Drop what is computed once of each option."""
        for name in (
            "kind_codes",
            "hardware_codes",
            "latencies_us",
            "least_response",
        ):
            self.__dict__.pop(name, None)

    def alone(self, at: int) -> Table:
        """Make a table of one option alone, which holds none of the others."""
        return self._of_rows([at])

    def _of_rows(self, rows: Sequence[int]) -> Table:
        made = copy.copy(self)
        made.options = self.options.rows(np.asarray(rows, dtype=np.int64))
        made.have_at = rows.index(self.have_at) if self.have_at in rows else None
        made._prepared, made._clean = {}, {}
        made._forget_codes()
        return made

    def with_devices(self, rows: IntArray, devices: IntArray) -> Table:
        """Make a table of some options of devices by themselves, each with another number of those that hold the data.

        Parameters
        ----------
        rows : int array, shape (N,)
        devices : int array, shape (N,)
            Of each machine.
        """
        made = self._of_rows(rows.tolist())
        made.options = self.tier_rows.with_devices(
            made.options, np.arange(len(rows)), devices, self.setting.served.peak
        )
        return made

    def held(self, rows: IntArray) -> Held:
        """Return some options to be evaluated on another curve and at another load."""
        at = rows.tolist()
        return Held(
            self.options.rows(rows),
            [self.devices(each) for each in at],
            [budgets_tb(self, each) for each in at],
            self.setting.curve.page_bytes,
        )

    def known_life_years(self, at: int) -> float:
        """Life of the flash of an option by the writes that the trace tells alone: it lasts no longer. [365 days]"""
        curve = self.setting.curve
        told = replace(curve, notes=replace(curve.notes, tells_writes=True))
        held = self.held(np.asarray([at], dtype=np.int64))
        return float(held.on(told, self.setting.served.both).life_years[0])

    def knows_life(self, at: int) -> bool:
        """Whether the life of the flash of an option is known as far as the trace says what is written."""
        if self.setting.curve.notes.tells_writes:
            return True
        held = self.held(np.asarray([at], dtype=np.int64))
        least = held.on(self.setting.curve, self.setting.served.both).life_years[0]
        return not math.isfinite(least) or self.known_life_years(at) == least

    def holds_life_as_dirty(self, constraints: Collection[str]) -> bool:
        """Whether a limit on the life of flash is held as if every page that leaves RAM were dirty, as nobody knows which are."""
        if LIFE not in constraints or self.setting.curve.notes.tells_writes:
            return False
        return bool(np.isfinite(self.options.life_years).any())

    def _without_dirty(self, rows: Sequence[int], fewest: Curve) -> Table:
        """Make a table of some options as they stand if no evicted page is dirty."""
        made = self._of_rows(rows)
        made.options = self.held(np.asarray(rows, dtype=np.int64)).on(
            fewest, self.setting.served.both
        )
        made.setting = replace(self.setting, curve=fewest, fewest_dirty=None)
        made.responses = Responses()
        return made

    def io_us_ends(self, at: int) -> tuple[float, float]:
        """I/O time of an option with as few dirty pages as possible, and with as many; twice the same where they are known. [µs]"""
        most, fewest = float(self.options.io_us[at]), self.setting.fewest_dirty
        if fewest is None:
            return most, most
        return float(self._without_dirty([at], fewest).options.io_us[0]), most

    def repriced(self, times: Decimal) -> Table:
        """Make the table of other prices of the RAM and the flash that are bought."""
        setting, candidates = self.setting, self.setting.candidates
        columns, stated = self.columns, dict(candidates.part_usd)
        if columns is not None and len(columns.sold.chassis):
            for item in (*columns.sold.dimms, *columns.sold.drives):
                if item.price is not None and item.part.kind in (*CACHES, "dimm"):
                    stated[item.part.id] = _exactly(item.price.usd * times)
            columns = columns.repriced(replace(columns.wanted, part_usd=stated))
        shelf_ = self.shelf

        def of(each: tuple[Device, Price | None]) -> tuple[Device, Price | None]:
            device, price = each
            if device.kind not in CACHES or price is None:
                return each
            return device, replace(price, usd=price.usd * times)

        ram = shelf_.ram
        return Table(
            setting,
            (
                columns,
                Shelf(
                    None if ram is None else replace(ram, usd=ram.usd * times),
                    tuple(of(each) for each in shelf_.stores),
                    tuple(of(each) for each in shelf_.caches),
                ),
            ),
        )

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
            own = columns.options[columns.volume[row]].device
            store_device = self._known(own, borrowed[1])
            return (local if uses_flash else None), store_device
        return None, local

    def _known(self, own: Device | None, other: Device | None) -> Device | None:
        return _with_times(own, other, self.setting.curve.page_bytes)

    def given(self, at: int) -> Standing:
        """Return what an option is that was given as a whole."""
        setting = self.setting
        if self.source(at) == "quotes":
            assert setting.quoted is not None
            return setting.quoted[int(self.options.row[at])]
        assert setting.have is not None
        return _of_have(setting, setting.have)

    def on_existing(self, at: int) -> bool:
        """Whether an option runs on machines that there are, whose costs are not in its price."""
        return self.source(at) == "quotes" and self.given(at).on_existing

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
        local = f"{sold.servers[columns.server[row]].id}-local"
        if columns.volume[row] < 0:
            return None, local
        volume = columns.options[columns.volume[row]].item.volume.id
        return (local if self.options.flash_bytes[at] else None), volume

    def server(self, at: int) -> str | None:
        """Instance or chassis of an option."""
        columns, row = self.columns, int(self.options.row[at])
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

    @staticmethod
    def codes_of_built(chassis: IntArray, drive: IntArray) -> IntArray:
        """Return what `hardware_codes` would be of servers built from parts."""
        source = np.full(len(chassis), SOURCES.index("chassis"))
        return _code(source, chassis, drive, np.full(len(chassis), -1))

    def config(self, at: int) -> dict[str, Any]:
        """CONFIG of `tierwright bill` for an option; empty where only an amount was stated."""
        source = self.source(at)
        if source == "have":
            have = self.setting.have
            assert have is not None
            return dict(have.bill) if have.bill is not None else {}
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

    def hierarchy(self, at: int, *, stores: int | None = None) -> Hierarchy | None:
        """Devices of one machine as queues, of which so many hold the data if that is given; None where one states no figures."""
        flash, store = self.devices(at)
        if store is None or (flash is None and self.options.flash_bytes[at]):
            return None
        return Hierarchy(
            flash or store,
            store,
            flash_devices=max(1, int(self.options.flash_devices[at])),
            disks=max(
                1, int(self.options.store_devices[at]) if stores is None else stores
            ),
        )

    def response(
        self,
        at: int,
        curve: Curve | None = None,
        *,
        stores: int | None = None,
    ) -> tuple[tuple[FloatArray, ...] | None, str]:
        """Mean, median and 99th percentile at the mean rate and in the busiest hour, and why some are unknown. [µs]

        None where all are; a time that is not finite is of a rate with which a device cannot keep up. Of another curve
        than that of the table where one is given, and with another number of devices that hold the data, but for `after_loss`.
        """
        rates = self.setting.served
        if rates.mean is None or rates.peak is None:
            return None, NO_RATE
        machines = int(self.options.machines[at])
        if self.setting.after_loss:
            [machines], [stores] = (
                each.tolist()
                for each in left_after_loss(self.options.rows(np.asarray([at])))
            )
        if not machines:
            return None, NOTHING_LEFT
        found = self.hierarchy(at, stores=stores)
        if found is None:
            return None, self._without_figures(at)
        scheme = self.scheme(at)
        try:
            made = scheme_response(
                self.setting.curve if curve is None else curve,
                ram_pages=int(self.options.ram_pages[at]),
                flash_pages=int(self.options.flash_pages[at]),
                hierarchy=found,
                accesses_per_s=[rates.mean / machines, rates.peak / machines],
                schemes=(scheme,),
                percentiles=PERCENTILES,
                ranges=False,
            )[scheme]
        except BadInput:
            return None, self._without_figures(at)
        # IOPS alone do not say how long one read takes.
        unstated = [
            found.of(tier)[0].id
            for tier, station in made.stations.items()
            if station.reads_per_access > 0 and not station.latency_known
        ]
        if unstated:
            return None, without_latency(unstated)
        times = times_us(made)
        late = [
            found.of(tier)[0].id
            for tier, station in made.stations.items()
            if station.largest_accesses_per_s <= rates.peak / machines
        ]
        known = all(bool(np.all(np.isfinite(each))) for each in times)
        return times, "" if known else too_slow(late)

    def keeps_in_time(
        self,
        at: int,
        curve: Curve,
        *,
        stores: int,
        limits_us: Sequence[float | None],
    ) -> bool:
        """Whether an option keeps limits of its response times in the busiest hour, as by `response`.

        Parameters
        ----------
        at : int
        curve : Curve
        stores : int
            Devices that hold the data.
        limits_us : sequence of float or None
            Of mean, median and 99th percentile. [µs]
        """
        peak, found = self.setting.served.peak, self.hierarchy(at, stores=stores)
        if peak is None or found is None:
            return False
        mean, *quantiles = (
            None if limit is None else limit / US_PER_S for limit in limits_us
        )
        try:
            return keeps_in_time(
                curve,
                ram_pages=int(self.options.ram_pages[at]),
                flash_pages=int(self.options.flash_pages[at]),
                hierarchy=found,
                accesses_per_s=peak / int(self.options.machines[at]),
                scheme=self.scheme(at),
                mean_s=mean,
                quantiles_s={
                    percentile: limit
                    for percentile, limit in zip(PERCENTILES, quantiles, strict=True)
                    if limit is not None
                },
            )
        except BadInput:
            return False

    def _without_figures(self, at: int) -> str:
        names = [name for name in self.names(at) if name is not None]
        return (
            f"no source states how fast {listed(names)} {'reads' if len(names) == 1 else 'read'}; name a device that "
            "stands in, or a device file with its figures"
        )

    def why_no_response(self, at: int) -> str:
        """Say why response times of an option cannot be computed, without computing any; empty where nothing is missing."""
        options, devices = self.options, self.devices(at)
        if self.hierarchy(at) is None:
            return self._without_figures(at)
        page = self.setting.curve.page_bytes
        reads = options.flash_reads[at], options.store_reads[at]
        unstated = [
            device.id
            for device, share in zip(devices, reads, strict=True)
            if device is not None and share > 0 and math.isinf(latency_us(device, page))
        ]
        return without_latency(unstated) if unstated else ""

    def peak_response(self, at: int) -> tuple[float, ...]:
        """Mean, median and 99th percentile in the busiest hour; infinite where unknown. [µs]"""
        return tuple(float(each[0]) for each in self.peak_responses(np.asarray([at])))

    def peak_responses(
        self, rows: IntArray, *, known_alone: bool = False
    ) -> tuple[FloatArray, ...]:
        """Mean, median and 99th percentile of some options in the busiest hour; infinite where unknown. [µs]

        Of servers built from parts those of one size of RAM and one kind of drive are computed together.

        Parameters
        ----------
        rows : int array
        known_alone : bool
            Whether to compute nothing: what was not computed before is NaN.
        """
        found = np.full((TIMES, len(rows)), np.nan)
        built = self.options.source[rows] == SOURCES.index("chassis")
        if not known_alone:
            for place in np.flatnonzero(~built).tolist():
                self.responses.computed += 1
                found[:, place] = self._peak_response(int(rows[place]))
        columns = self.columns
        if columns is not None and built.any():
            options = self.options.rows(rows[built])
            machines, stores = options.machines, options.store_devices
            if self.setting.after_loss:
                machines, stores = left_after_loss(options)
            times = self.responses.of(
                self.setting.curve,
                self.setting.served.peak,
                self._drives,
                (
                    np.asarray(columns.drive[options.row], dtype=np.int64),
                    options.ram_pages,
                    np.asarray(np.maximum(machines, 1), dtype=np.int64),
                    stores,
                ),
                known_alone=known_alone,
            )
            found[:, built] = np.where(machines > 0, times, np.inf)
        return tuple(found)

    @property
    def _drives(self) -> tuple[Device | None, ...]:
        """Devices whose figures count, of every drive of a server."""
        assert self.columns is not None
        sold = self.columns.sold.drives
        return tuple(device_of_drive(self.setting, each) for each in sold)

    def _peak_response(self, at: int) -> tuple[float, ...]:
        found, _ = self.response(at)
        if found is None:
            return (math.inf,) * TIMES
        peaks = (float(each[1]) for each in found)
        return tuple(each if math.isfinite(each) else math.inf for each in peaks)

    @cached_property
    def least_response(self) -> tuple[FloatArray, ...]:
        """What mean, median and 99th percentile are at least; infinite where a latency that is needed is not stated. [µs]"""
        options = self.options
        flash, store = (
            np.where(reads > 0, np.fmax(latency, busy), 0.0)
            for latency, busy, reads in zip(
                self.latencies_us,
                (options.flash_read_us, options.store_read_us),
                (options.flash_reads, options.store_reads),
                strict=True,
            )
        )
        return least_times_us(
            (options.flash_reads, options.store_reads), (flash, store)
        )

    @cached_property
    def latencies_us(self) -> tuple[FloatArray, FloatArray]:
        """Time of a read that waits for no other, of what caches and of what holds the data; infinite where not stated. [µs]

        Volumes of one kind differ in it: one of less throughput takes longer to transfer a page.
        """
        page = self.setting.curve.page_bytes
        found = []
        for place, codes in enumerate(self._device_codes()):
            _, first, at = np.unique(codes, return_index=True, return_inverse=True)
            times = [
                latency_us(self.devices(row)[place], page) for row in first.tolist()
            ]
            found.append(np.asarray(times)[at])
        return found[0], found[1]

    def _device_codes(self) -> tuple[IntArray, IntArray]:
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
            own = np.where((drive < 0) & (volume < 0), server, -1)
            flash[sold] = _code(source[sold], server, caches[sold], none)
            store[sold] = _code(source[sold], own, drive, volume)
        return flash, store

    def months_until_too_small(self, rows: IntArray) -> FloatArray:
        """Months until some options are too small, as data and load grow.

        Until a device is busier than allowed in the busiest hour, the curve stretched as the data grow, or the data no
        longer fit, whichever comes first. Infinite where neither does within 30 years, NaN where it is not known: without
        growth, without a rate, or where a time is not stated.
        """
        options, setting = self.options, self.setting
        peak, growth = setting.served.peak, setting.growth_per_year
        if growth <= 0 or peak is None:
            return np.full(len(rows), np.nan)
        held = self.held(rows)

        def busy(times: float) -> FloatArray:
            if times == 1:
                return options.peak_busy[rows]
            return held.peak_busy(stretched_curve(setting.curve, times), peak * times)

        space = np.asarray([self.space_months(at) for at in rows.tolist()])
        return months_until(busy, setting.most_busy, growth, ends=space)

    def space_months(self, at: int) -> float:
        """Months until the data of an option no longer fit; infinite where they do not grow, or no space is stated."""
        setting = self.setting
        growth, needed = setting.growth_per_year, setting.data_bytes * setting.replicas
        space = self._store_bytes(at)
        if growth <= 0 or not math.isfinite(space):
            return math.inf
        # What is needed is as much as at the end of the horizon.
        months = MONTHS_A_YEAR * math.log(space / needed) / math.log1p(growth)
        return max(0.0, setting.horizon_months + months)

    def _store_bytes(self, at: int) -> float:
        """Space of what holds the data, on all machines; infinite where unknown. [bytes]"""
        options = self.options
        if self.source(at) in STANDING:
            given = self.given(at)
            known = given.disk.capacity_bytes
            return math.inf if known is None else float(given.store_bytes)
        machines = int(options.machines[at])
        if self.source(at) != "devices":
            # What is sold as a whole holds what it is listed with: local disks, volumes or drives.
            assert self.columns is not None
            return float(self.columns.store_bytes[options.row[at]]) * machines
        store = self.devices(at)[1]
        if store is None or not store.capacity_bytes:
            return math.inf
        return float(store.capacity_bytes) * int(options.store_devices[at]) * machines

    def beside(self, name: str, rows: IntArray | None = None) -> FloatArray:
        """Values of a constraint of `BESIDE`, of some options or of all; NaN where unknown."""
        at = np.arange(len(self.options)) if rows is None else rows
        if name == RESTART:
            return self._restart_s(at)
        if name == THROUGHPUT:
            return self.setting.throughput_per_s(self.options.peak_busy[at])
        found = np.full(len(at), np.nan)
        [given_whole] = np.nonzero(np.isin(self.options.source[at], _STANDING))
        for place in given_whole.tolist():
            given = self.given(int(at[place]))
            found[place] = given.rack_units if name == UNITS else given.power_watts
        columns = self.columns
        if columns is None:
            return found
        [own] = np.nonzero(self.options.source[at] == SOURCES.index("chassis"))
        row = self.options.row[at[own]]
        sold, wanted = columns.sold, columns.wanted
        if name == UNITS:
            heights = [rack_units(each.part.form_factor) for each in sold.chassis]
            each = np.asarray(heights or [np.nan])[columns.chassis[row]]
        elif wanted.watts is not None:
            each = np.full(len(row), float(wanted.watts))
        else:
            box, dimm, drive = (
                np.asarray(
                    [
                        np.nan
                        if one.part.active_power_w is None
                        else float(one.part.active_power_w)
                        for one in items
                    ]
                    or [np.nan]
                )
                for items in (sold.chassis, sold.dimms, sold.drives)
            )
            each = (
                box[columns.chassis[row]]
                + dimm[columns.dimm[row]] * columns.dimms[row]
                + drive[columns.drive[row]] * columns.drives[row]
            )
        found[own] = each * columns.machines[row]
        return found

    def _restart_s(self, at: IntArray) -> FloatArray:
        """Time until RAM is warm after a restart at the mean rate; flash keeps what it holds. [s]"""
        setting = self.setting
        if setting.parted and setting.served.mean is not None:
            pages, _, reads = _filling(self.options, at, setting, setting.served.mean)
            sizes, which = np.unique(pages, return_inverse=True)
            splits = partitions(setting.parted, sizes.astype(np.int64).tolist())
            parts = np.stack([each.pages for each in splits], axis=1)
            return restart_of_parts_s(
                setting.parted, parts[:, which].astype(np.float64), reads
            )
        return restart_of(self.options, at, setting, setting.curve)

    def prepare(self, rows: Sequence[int]) -> None:
        """Compute what describes some options besides their columns: of many at once it takes little longer than of one."""
        missing = [at for at in dict.fromkeys(rows) if at not in self._prepared]
        if not missing:
            return
        values = {name: self.beside(name, np.asarray(missing)) for name in BESIDE}
        values[MONTHS] = self.months_until_too_small(np.asarray(missing))
        for row, at in enumerate(missing):
            self._prepared[at] = {
                name: finite(found[row]) for name, found in values.items()
            }
        if self.setting.fewest_dirty is not None:
            clean = self._without_dirty(missing, self.setting.fewest_dirty)
            clean.prepare(range(len(missing)))
            self._clean.update({at: (clean, row) for row, at in enumerate(missing)})

    def option(
        self, at: int, *, with_response: bool = True, with_bill: bool = True
    ) -> Option:
        """Describe an option: its sizes, devices and, where wanted, its bill and its response times.

        Where nobody said which evicted pages are dirty, what depends on it is a range.
        """
        found = self._option(at, with_response=with_response, with_bill=with_bill)
        if at not in self._clean:
            return found
        clean, row = self._clean[at]
        return ranged(
            found, clean._option(row, with_response=with_response, with_bill=False)
        )

    def _option(self, at: int, *, with_response: bool, with_bill: bool) -> Option:
        options = self.options
        flash, store = self.names(at)
        machines = int(options.machines[at])
        config = self.config(at)
        rows: tuple[Mapping[str, Any], ...] = ()
        if with_bill:
            rows = (
                self.given(at).bill
                if self.source(at) == "quotes"
                else bill_rows(
                    config,
                    self.setting.horizon_months,
                    stated=STATED
                    if self.source(at) == "have"
                    else STATED_IN_CANDIDATES,
                )
            )
        priced = options.unpriced[at] == 0
        times, reason = (
            self.response(at) if with_response else (None, RESPONSE_NOT_ASKED)
        )
        mean, median, tail = (None,) * TIMES if times is None else times
        self.prepare([at])
        beside = self._prepared[at]
        io_us = float(options.store_us[at] + options.flash_us[at])
        reads = float(options.flash_reads[at]), float(options.store_reads[at])
        return Option(
            name=self.title(at),
            kind=self.source(at),
            machines=machines,
            ram_bytes=int(options.ram_bytes[at]),
            flash_bytes=int(options.flash_bytes[at]),
            flash_device=flash,
            disk_device=store,
            flash_devices=int(options.flash_devices[at]) * machines,
            disks=int(options.store_devices[at]) * machines,
            server=self.server(at),
            # A CONFIG states those of one machine.
            volumes=tuple(
                {**as_read(each), "quantity": each["quantity"] * machines}
                for each in config.get("volume", ())
            ),
            scheme=self.scheme(at),
            usd_per_month=Decimal(int(options.month_cents[at])) * CENT
            if priced
            else None,
            purchase_usd=Decimal(int(options.purchase_cents[at])) * CENT
            if priced
            else None,
            io_time_us_per_access=io_us if math.isfinite(io_us) else None,
            response_mean_us=_at(mean, 1),
            response_p50_us=_at(median, 1),
            response_p99_us=_at(tail, 1),
            response_mean_mean_us=_at(mean, 0),
            response_p50_mean_us=_at(median, 0),
            response_p99_mean_us=_at(tail, 0),
            response_reason=reason,
            on_existing=self.on_existing(at),
            peak_busy=finite(options.peak_busy[at]),
            throughput_accesses_per_s=beside[THROUGHPUT],
            flash_life_years=finite(options.life_years[at])
            if self.knows_life(at)
            else None,
            restart_s=beside[RESTART],
            power_watts=beside[POWER],
            rack_units=beside[UNITS],
            ram_hit_share=max(0.0, 1.0 - sum(reads)),
            flash_hit_share=reads[0],
            disk_share=reads[1],
            months_until_too_small=beside[MONTHS],
            bill=tuple(dict(row) for row in rows),
            config=as_read(config),
        )

    def with_curve(self, curve: Curve) -> Table:
        """Make the same table of another curve."""
        return self.remade(replace(self.setting, curve=curve))


def restart_of(
    options: Options,
    at: IntArray,
    setting: Setting,
    curve: Curve,
    longer: tuple[FloatArray | float, FloatArray | float] = (1.0, 1.0),
) -> FloatArray:
    """Time until RAM of some options is warm after a restart at the mean rate; flash keeps what it holds. [s]

    Parameters
    ----------
    options : Options
    at : int array
        Which of them.
    setting : Setting
    curve : Curve
        What is missed while RAM fills.
    longer : tuple of float64 array or float
        By what a read takes longer than stated, of flash and of what holds the data. [1]
    """
    mean = setting.served.mean
    if mean is None:
        return np.full(len(at), np.nan)
    return restart_s(curve, *_filling(options, at, setting, mean, longer))


def restart_error_of(
    options: Options, at: IntArray, setting: Setting, recorded: float
) -> FloatArray:
    """Return the standard error of `restart_of`, as the curve of the answer was counted on one recording. [s]

    Parameters
    ----------
    options, at, setting
        As of `restart_of`.
    recorded : float
        Accesses that were counted. [1]
    """
    mean = setting.served.mean
    if mean is None:
        return np.full(len(at), np.nan)
    filling = _filling(options, at, setting, mean)
    return restart_error_s(setting.curve, *filling, recorded)


def _filling(
    options: Options,
    at: IntArray,
    setting: Setting,
    mean: float,
    longer: tuple[FloatArray | float, FloatArray | float] = (1.0, 1.0),
) -> tuple[FloatArray, float, FloatArray]:
    """RAM to fill, the rate of one machine and what the tier below reads. [pages], [1/s], [1/s]"""
    cached = options.flash_bytes[at] > 0
    read_us = np.where(
        cached,
        options.flash_read_us[at] * longer[0],
        options.store_read_us[at] * longer[1],
    )
    devices = np.where(cached, options.flash_devices[at], options.store_devices[at])
    # All machines fill what the curve counts of one at the same time.
    reads = devices * options.machines[at] * US / read_us / setting.machines
    return options.ram_pages[at], mean / setting.machines, reads


def ranged(most: Option, fewest: Option) -> Option:
    """Put the figures of an option with as many dirty pages as possible, and with none, into ranges where they differ.

    A figure that is known at one end alone has no other end: flash that nothing writes lasts without one.
    """
    ranges: dict[str, tuple[float | None, float | None]] = {}
    for name in RANGED:
        ends = getattr(fewest, name), getattr(most, name)
        if ends[0] == ends[1]:
            continue
        # What grows with the writes is least without them; life and months are the other way round.
        ranges[name] = (ends[1], ends[0]) if name in FALLING else ends
    unknown: dict[str, Any] = dict.fromkeys(ranges)
    return replace(
        most,
        **unknown,
        ranges=ranges,
        response_reason=most.response_reason
        or (WITH_DIRTY if "response_p99_us" in ranges else ""),
    )


def without_latency(names: Sequence[str]) -> str:
    """Say that response times are unknown as no source states the latency of some devices."""
    return (
        f"no source states the latency of a read of {listed([*dict.fromkeys(names)])}, and IOPS under load do not say it; state "
        "`read_latency_us` in a device file, or measure the device"
    )


def too_slow(names: Sequence[str]) -> str:
    """Say that some devices cannot keep up with the load."""
    what = listed(names) if names else "a device"
    return f"{what} cannot keep up with the busiest hour"


def device_of_drive(setting: Setting, item: PartItem) -> Device | None:
    """Return the device whose figures count for a drive of a server: its own, or that which stands in for it."""
    own = catalog.device(item.part.device) if item.part.device else None
    other = setting.devices[1 if item.part.kind == "hdd" else 0]
    return _with_times(own, other, setting.curve.page_bytes)


def _with_times(
    own: Device | None, other: Device | None, page_bytes: int
) -> Device | None:
    """Return the device whose times were used."""
    if own is not None and not any(np.isnan(device_times(own, page_bytes, 1))):
        return own
    return other or own


def _code(*parts: IntArray) -> IntArray:
    """Put the source and three indices, each from -1 on, into one number."""
    source, first, second, third = (part.astype(np.int64) for part in parts)
    return np.asarray(
        (source << 56) + ((first + 1) << 32) + ((second + 1) << 16) + (third + 1)
    )


def rack_units(form_factor: str) -> float:
    """Height of a chassis, such as `2U`; NaN where its form factor does not state it."""
    found = re.fullmatch(r"(\d+)U", form_factor)
    return float(found[1]) if found else math.nan


_PRICE_PLACES = Decimal("1e-9")


def _exactly(usd: Decimal) -> Decimal:
    """Cut a price to the decimals that a stated one may have."""
    return usd.quantize(_PRICE_PLACES)


@dataclass(frozen=True, slots=True)
class Purchase:
    """What an option buys of one thing.

    Attributes
    ----------
    kind : str
        `dram`, `nvme`, `sata_ssd`, `hdd`, `chassis` or `machine`.
    cents : int
        [cent]
    price : Price, PartPrice or None
        What it is priced by; None of a chassis and of the machine of devices.
    device_id : str or None
        Of a device that is bought by itself.
    is_store : bool
        Whether it holds the data.
    """

    kind: str
    cents: int
    price: Price | PartPrice | None = None
    device_id: str | None = None
    is_store: bool = False


def purchases(table: Table, at: int) -> Iterator[Purchase]:
    """Yield what an option buys, line by line; nothing of what is rented."""
    source, row = table.source(at), int(table.options.row[at])
    if source == "devices":
        store, cache = table.tier_rows.store[row], table.tier_rows.cache[row]
        lines = [Purchase("dram", 0, table.shelf.ram)]
        if cache >= 0:
            device, price = table.shelf.caches[cache]
            lines.append(Purchase(device.kind, 0, price, device.id))
        device, price = table.shelf.stores[store]
        lines.append(Purchase(device.kind, 0, price, device.id, is_store=True))
        lines.append(Purchase("machine", 0))
        extra = table.config(at).get("extra", ())
        with localcontext(EXACT):
            for each, line in zip(lines, extra, strict=False):
                if "usd" in line:
                    amount = int(cents(line["usd"] * line["quantity"]) * 100)
                    yield replace(each, cents=amount)
    elif source == "chassis" and table.columns is not None:
        one = table.columns.rows(np.asarray([row]))
        drive, dimm = one.sold.drives[one.drive[0]], one.sold.dimms[one.dimm[0]]
        box, ram, stores = (int(line[0]) for line in one.purchase_lines())
        yield Purchase("chassis", box)
        yield Purchase("dram", ram, dimm.price)
        yield Purchase(drive.part.kind, stores, drive.price, is_store=True)


def budgets_tb(table: Table, at: int) -> tuple[float, float]:
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


def purchases_by_kind(table: Table, at: int) -> dict[str, int]:
    """Cents of the purchases of an option by what is bought: `dram`, `nvme`, `sata_ssd`, `hdd`, `chassis`, `machine`."""
    found = Counter[str]()
    for each in purchases(table, at):
        found[each.kind] += each.cents
    return {kind: amount for kind, amount in found.items() if amount}


def latency_us(device: Device | None, page_bytes: int) -> float:
    """Time of one read that waits for nothing; infinite where it is not stated. [µs]"""
    found = None if device is None else waiting_time(device, "read", page_bytes).time_us
    return math.inf if found is None else found


def _at(values_us: FloatArray | None, rate: int) -> float | None:
    return None if values_us is None else finite(values_us[rate])


def finite(value: Any) -> float | None:
    """Return a number, None where it is unknown or without end."""
    number = float(value)
    return number if math.isfinite(number) else None


def wanted_of(setting: Setting) -> Wanted | None:
    """Say which configurations that are sold as a whole are candidates; None where none are."""
    candidates = setting.candidates
    kinds = tuple(
        kind
        for kind in candidates.kinds
        if kind != "devices" and (kind != "chassis" or candidates.prices_chassis)
    )
    if not kinds:
        return None
    return Wanted(
        data_bytes=setting.data_bytes,
        page_bytes=setting.curve.page_bytes,
        replicas=setting.replicas,
        horizon_months=setting.horizon_months,
        max_machines=max(candidates.max_machines, setting.replicas),
        kinds=kinds,
        reserved_gib=candidates.reserved_gib,
        part_usd=candidates.part_usd,
        usd_per_kwh=candidates.usd_per_kwh,
        watts=candidates.watts,
        pue=candidates.pue,
        rents=() if setting.prices is None else setting.prices.rents,
    )


def _columns(setting: Setting) -> Columns | None:
    """List the configurations that are sold as a whole, of the candidates."""
    wanted = wanted_of(setting)
    if wanted is None:
        return None
    rented = "chassis" not in wanted.kinds
    listed = _rented(_Rented.of(wanted)) if rented else enumerate_configurations(wanted)
    return allowed_rows(listed, setting.candidates)


@dataclass(frozen=True, slots=True)
class _Rented:
    """What instances and volumes are enumerated for: what their configurations depend on."""

    data_bytes: int
    page_bytes: int
    replicas: int
    horizon_months: int
    max_machines: int
    kinds: tuple[str, ...]
    reserved_gib: Decimal
    rents: Rents

    @classmethod
    def of(cls, wanted: Wanted) -> _Rented:
        return cls(**{each.name: getattr(wanted, each.name) for each in fields(cls)})


@lru_cache(maxsize=4)
def _rented(of: _Rented) -> Columns:
    """List instances and volumes once for questions that differ in their limits: their prices are shipped, or those of a price book."""
    return enumerate_configurations(
        Wanted(**{each.name: getattr(of, each.name) for each in fields(of)})
    )


def allowed_items(sold: Sold, candidates: Candidates) -> tuple[Bools, Bools, Bools]:
    """Which chassis, memory modules and drives are allowed."""
    parts = candidates.parts
    chassis, dimms, drives = (
        np.asarray(
            [
                (parts is None or each.part.id in parts)
                and candidates.allows_vendor(each.part.vendor)
                for each in items
            ],
            dtype=np.bool_,
        )
        for items in (sold.chassis, sold.dimms, sold.drives)
    )
    return chassis, dimms, drives


def allowed_rows(columns: Columns, candidates: Candidates) -> Columns:
    """Keep the rows that consist of what is allowed."""
    keep = np.ones(len(columns), dtype=np.bool_)
    sold = columns.sold
    servers, providers = candidates.servers, candidates.providers
    names = candidates.volumes
    rented = np.asarray(
        [
            (servers is None or each.id in servers)
            and (providers is None or each.provider in providers)
            for each in sold.servers
        ],
        dtype=np.bool_,
    )
    volumes = np.asarray(
        [names is None or each.item.volume.id in names for each in columns.options],
        dtype=np.bool_,
    )
    for index, good in zip(
        (columns.server, columns.volume, columns.chassis, columns.dimm, columns.drive),
        (rented, volumes, *allowed_items(sold, candidates)),
        strict=True,
    ):
        # The last one stands for what has none.
        keep &= np.append(good, True)[index]
    [kept] = np.nonzero(keep)
    return columns if len(kept) == len(columns) else columns.rows(kept)


def _of_have(setting: Setting, have: Have) -> Standing:
    """Return what there is as an option that is given as a whole."""
    month, purchase, is_priced = _have_cents(setting, have)
    power_watts, height = _have_in_rack(have)
    return Standing(
        machines=have.machines,
        ram_bytes=have.ram_bytes,
        usable_ram_bytes=have.usable_ram_bytes,
        is_ram_for_pages=have.is_ram_for_pages,
        disk=have.disk,
        disks=have.disks,
        disk_budget_tb=budget_tb(have.disk),
        flash_bytes=have.flash_bytes,
        flash=have.flash,
        flash_devices=have.flash_devices,
        flash_budget_tb=np.inf if have.flash is None else budget_tb(have.flash),
        scheme=have.scheme,
        month_cents=month,
        purchase_cents=purchase,
        is_priced=is_priced,
        power_watts=power_watts,
        rack_units=height,
        is_rented=have.is_rented,
    )


def _have_in_rack(have: Have) -> tuple[float, float]:
    """Power and height of all machines of what there is, as its bill states them; NaN where it does not. [W], [U]"""
    if not have.bill:
        return math.nan, math.nan
    build = build_from_mapping(have.bill)
    if build.machines != have.machines:
        # Of which machines the bill speaks is not known.
        return math.nan, math.nan
    boxes = [each for each in build.parts if each.part.kind == "chassis"]
    watts, unknown = machine_watts(build)
    # Parts without the server that holds them are not what it takes.
    is_whole = build.watts is not None or (bool(boxes) and not unknown)
    power = float(watts) if watts is not None and is_whole else math.nan
    heights = [rack_units(each.part.form_factor) * each.quantity for each in boxes]
    height = math.fsum(heights) if heights else math.nan
    return power * build.machines, height * build.machines


def _have_cents(setting: Setting, have: Have) -> tuple[int, int, bool]:
    """Cents a month, cents at purchase, and whether they are known."""
    if have.bill is not None:
        rows = bill_rows(have.bill, setting.horizon_months)
        month = sum((Decimal(each["usd_per_month"]) for each in rows), Decimal(0))
        purchase = sum((Decimal(each["purchase_usd"]) for each in rows), Decimal(0))
        known = all(each["unit_price"] is not None for each in rows)
        return int(month * 100), int(purchase * 100), known
    if have.usd_per_month is None:
        return 0, 0, False
    return (
        int((have.usd_per_month * 100).to_integral_value()),
        int(((have.purchase_usd or Decimal(0)) * 100).to_integral_value()),
        True,
    )


def bill_rows(
    config: Mapping[str, Any], horizon_months: int, *, stated: str = STATED
) -> tuple[dict[str, Any], ...]:
    """Rows of `tierwright bill`, each with its purchase spread over the months; amounts as texts.

    Parameters
    ----------
    config : mapping
        CONFIG; empty where nothing is billed.
    horizon_months : int
        [months]
    stated : str
        Source of a price that has none.
    """
    if not config:
        return ()
    with localcontext(EXACT):
        lines = bill_lines(
            build_from_mapping(
                {**config, "horizon_months": horizon_months}, stated=stated
            )
        )
        return tuple(bill_row(line, horizon_months) for line in lines)


def bill_row(line: Line, horizon_months: int) -> dict[str, Any]:
    """Return a line of a bill as a row, its purchase spread over the months."""
    bought = np.asarray([int(line.purchase_usd * 100)])
    spread = Decimal(int(month_cents(bought, horizon_months)[0])) * CENT
    price = line.unit_price
    return {
        **plain(line),
        "quantity": plain_number(line.quantity),
        "unit_price": None if price is None else text_of(price),
        "usd_per_month": text_of(line.usd_per_month + spread),
        "purchase_usd": text_of(line.purchase_usd),
    }
