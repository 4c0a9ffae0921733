"""The table of all options: made, remade at other curves, prices and numbers of devices, and each option of it described."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.advice import _evidence as evidence
from tierwright.advise.advice._as_stated import row_as_stated
from tierwright.advise.advice._elsewhere import Held
from tierwright.advise.advice._repriced import columns_at, shelf_at
from tierwright.advise.advice._responses import TIMES, Responses
from tierwright.advise.advice._standing import Standing, standing
from tierwright.advise.advice._table.bills import bill_rows
from tierwright.advise.advice._table.devices import rack_units
from tierwright.advise.advice._table.for_sale import columns_of, shelf
from tierwright.advise.advice._table.identity import budgets_tb
from tierwright.advise.advice._table.restart import filling_of, restart_of
from tierwright.advise.advice._table.setting import Setting
from tierwright.advise.advice._table.today import standing_of
from tierwright.advise.advice._table.waiting import Waiting
from tierwright.advise.advice.found import FALLING, RANGED, Option
from tierwright.advise.configurations import as_read
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.bought import bought
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
)
from tierwright.evaluate.advice.restart import restart_of_parts_s
from tierwright.evaluate.advice.rows import SOURCES, STANDING, IntArray, Options, joined
from tierwright.evaluate.advice.tiers import Shelf, TierRows, tiers, with_more
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.compose.partitions import partitions
from tierwright.evaluate.configurations.columns import Columns
from tierwright.hardware.build import STATED_IN_CANDIDATES, STATED_OF_HAVE
from tierwright.profile.curve import Curve

RESPONSE_NOT_ASKED = (
    "response times are computed of what is recommended, of what was close and of the front; of others where they are "
    "limited"
)
WITH_DIRTY = (
    "they depend on which evicted pages are dirty, and the curve does not say it"
)
_STANDING = [SOURCES.index(name) for name in STANDING]
MONTHS = "months_until_too_small"
"""Key of an option."""


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


class Table(Waiting):
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
            growth = setting.load_growth_per_year
            parts.append(
                bought(self.columns, setting.curve, rates, setting.devices, growth)
            )
        tier_rows, of_tiers = tiers(
            self.shelf,
            setting.curve,
            machine_bytes=setting.machine_bytes,
            machines=setting.machines,
            rates=setting.served.both,
            most_busy=setting.busy_for_devices,
            horizon_months=setting.horizon_months,
            steady_life_years=setting.life_for_devices,
            growth_per_year=setting.load_growth_per_year,
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
            parts.append(self._standing("have", (standing_of(setting, setting.have),)))
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
            setting.data_bytes,
            setting.replicas,
            setting.load_growth_per_year,
        )

    @classmethod
    def of(cls, setting: Setting) -> Table:
        """List what is sold, and make the table of it."""
        sold = columns_of(setting), shelf(setting.prices, setting.candidates)
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
            "product_codes",
            "latencies_us",
            "device_codes",
            "least_response",
            "_found_in_ram",
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

    def tier_lives(self, at: int) -> tuple[float, float]:
        """Life at today's rate of what caches in an option, and of what holds the data, as `Held.lives`. [365 days]"""
        held = self.held(np.asarray([at], dtype=np.int64))
        setting = self.setting
        flash, store = held.lives(setting.curve, setting.served.mean)
        return float(flash[0]), float(store[0])

    def known_life_years(self, at: int) -> float:
        """Life of the flash of an option by the writes that the trace tells alone: it lasts no longer. [365 days]"""
        curve = self.setting.curve
        told = replace(curve, notes=replace(curve.notes, tells_writes=True))
        held = self.held(np.asarray([at], dtype=np.int64))
        growth = self.setting.load_growth_per_year
        found = held.on(told, self.setting.served.both, growth)
        return float(found.life_years[0])

    def knows_life(self, at: int) -> bool:
        """Whether the life of the flash of an option is known as far as the trace says what is written."""
        if self.setting.curve.notes.tells_writes:
            return True
        held = self.held(np.asarray([at], dtype=np.int64))
        setting = self.setting
        [least] = held.on(
            setting.curve, setting.served.both, setting.load_growth_per_year
        ).life_years
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
            fewest, self.setting.served.both, self.setting.load_growth_per_year
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
        setting, columns = self.setting, self.columns
        if columns is not None:
            columns = columns_at(columns, setting.candidates.part_usd, times)
        return Table(setting, (columns, shelf_at(self.shelf, times)))

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
            pages, _, reads = filling_of(self.options, at, setting, setting.served.mean)
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
                    stated=STATED_OF_HAVE
                    if self.source(at) == "have"
                    else STATED_IN_CANDIDATES,
                )
            )
        priced = options.unpriced[at] == 0
        month, purchase = (
            Decimal(int(amounts[at])) * CENT
            for amounts in (options.month_cents, options.purchase_cents)
        )
        if with_bill and priced and not rows and self.source(at) == "have":
            rows = (row_as_stated(month, purchase, STATED_OF_HAVE),)
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
            ram_bytes=round(options.ram_bytes[at]),
            flash_bytes=round(options.flash_bytes[at]),
            flash_device=flash,
            disk_device=store,
            flash_devices=int(options.flash_devices[at]) * machines,
            disks=int(options.store_devices[at]) * machines,
            server=self.server(at),
            # A CONFIG states those of one machine.
            volumes=tuple(
                {**as_read(each), "quantity": each.get("quantity", 1) * machines}
                for each in config.get("volume", ())
            ),
            scheme=self.scheme(at),
            usd_per_month=month if priced else None,
            purchase_usd=purchase if priced else None,
            io_time_us_per_access=io_us if math.isfinite(io_us) else None,
            response_mean_us=_at(mean, 1),
            response_p50_us=_at(median, 1),
            response_p99_us=_at(tail, 1),
            response_mean_mean_us=_at(mean, 0),
            response_p50_mean_us=_at(median, 0),
            response_p99_mean_us=_at(tail, 0),
            response_reason=reason,
            on_existing=self.on_existing(at),
            without_machine=self.without_machine(at),
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
            point=evidence.point(
                options,
                at,
                devices=self.devices(at),
                stated=self.setting.stated_devices,
                curve=self.setting.curve,
                rates=self.setting.served.both,
                growth_per_year=self.setting.load_growth_per_year,
            ),
        )

    def with_curve(self, curve: Curve) -> Table:
        """Make the same table of another curve."""
        return self.remade(replace(self.setting, curve=curve))


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


def _at(values_us: FloatArray | None, rate: int) -> float | None:
    return None if values_us is None else finite(values_us[rate])


def finite(value: Any) -> float | None:
    """Return a number, None where it is unknown or without end."""
    number = float(value)
    return number if math.isfinite(number) else None
