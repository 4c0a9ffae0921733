"""Options as they stand on another curve and at another load: the same sizes, devices and counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.bought import budget_tb, part_budget_tb
from tierwright.evaluate.advice.rows import (
    SOURCES,
    IntArray,
    Options,
    device_times,
    life_years,
    peak_busy,
)
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.hardware.device import OPERATIONS
from tierwright.profile.curve import Curve

if TYPE_CHECKING:
    from tierwright.advise.advice._table import Rates, Table

_TIERS = ("flash", "disk")
_RENTED = SOURCES[:2]


class Held:
    """Options of a table that stay as they are bought; their devices are looked up once.

    Parameters
    ----------
    table : Table
    rows : int array
        Which of its options.
    """

    def __init__(self, table: Table, rows: IntArray) -> None:
        self.options = table.options.rows(rows)
        page = table.setting.curve.page_bytes
        unknown = np.full((len(OPERATIONS), 1), np.nan)
        each = [
            [
                unknown if device is None else device_times(device, page, 1)
                for device in table.devices(at)
            ]
            for at in rows.tolist()
        ]
        # By option, tier, operation.
        self._times_us = np.asarray(each).reshape(
            len(rows), len(_TIERS), len(OPERATIONS)
        )
        self._budgets_tb = np.asarray(
            [budgets_tb(table, at) for at in rows.tolist()]
        ).reshape(len(rows), len(_TIERS))
        schemes = np.asarray([table.scheme(at) for at in rows.tolist()], dtype=np.str_)
        self._of_scheme = {
            scheme: np.flatnonzero(schemes == scheme)
            for scheme in dict.fromkeys(schemes.tolist())
        }

    def _operations(self, curve: Curve) -> list[tuple[IntArray, Operations]]:
        """Operations of an access by scheme, with the rows that run it."""
        options = self.options
        return [
            (
                of,
                operations(
                    curve, options.ram_pages[of], options.flash_pages[of], (scheme,)
                )[scheme],
            )
            for scheme, of in self._of_scheme.items()
        ]

    def _busy_us(
        self, counted: list[tuple[IntArray, Operations]]
    ) -> Mapping[str, FloatArray]:
        found = {tier: np.zeros(len(self.options)) for tier in _TIERS}
        for of, done in counted:
            for at, tier in enumerate(_TIERS):
                read, write = self._times_us[of, at].T
                found[tier][of] = done.busy_us(tier, read, write)
        return found

    def _rate(self, of_all: float | None) -> FloatArray | None:
        return None if of_all is None else of_all / self.options.machines

    def peak_busy(self, curve: Curve, peak_accesses_per_s: float) -> FloatArray:
        """Largest share of the time for which a device is busy at a rate of all machines together. [1]"""
        return self._peak_busy(
            self._busy_us(self._operations(curve)), peak_accesses_per_s
        )

    def _peak_busy(
        self, busy_us: Mapping[str, FloatArray], peak: float | None
    ) -> FloatArray:
        options = self.options
        return peak_busy(
            (busy_us["disk"], options.store_devices),
            (busy_us["flash"], options.flash_devices),
            self._rate(peak),
        )

    def on(self, curve: Curve, served: Rates) -> Options:
        """Evaluate times, load and life.

        Parameters
        ----------
        curve : Curve
        served : Rates
            What all machines serve together: with copies, each write on all of them. [1/s]
        """
        counted = self._operations(curve)
        busy_us = self._busy_us(counted)
        count = len(self.options)
        reads = {tier: np.zeros(count) for tier in _TIERS}
        written = {tier: np.zeros(count) for tier in _TIERS}
        for of, done in counted:
            for tier in _TIERS:
                reads[tier][of] = done.per_access[tier, "read"]
                written[tier][of] = done.per_access[tier, "write"]
        life = np.full(count, np.inf)
        devices = self.options.flash_devices, self.options.store_devices
        for at, tier in enumerate(_TIERS):
            whole = np.where(
                devices[at] > 0,
                self._budgets_tb[:, at] * np.maximum(devices[at], 1),
                math.inf,
            )
            mean = self._rate(served.mean)
            life = np.minimum(
                life, life_years(written[tier], mean, curve.page_bytes, whole)
            )
        return replace(
            self.options,
            flash_us=busy_us["flash"],
            store_us=busy_us["disk"],
            flash_reads=reads["flash"],
            store_reads=reads["disk"],
            peak_busy=self._peak_busy(busy_us, served.peak),
            life_years=life,
        )


def budgets_tb(table: Table, at: int) -> tuple[float, float]:
    """Host writes that one device takes, of the cache and of what holds the data; infinite for what is rented. [TB]"""
    source = table.source(at)
    if source in _RENTED:
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
