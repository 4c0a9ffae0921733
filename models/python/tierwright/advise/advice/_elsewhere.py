"""Options as they stand on another curve and at another load: the same sizes, devices and counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import (
    CHOICES,
    IntArray,
    Options,
    device_times,
    life_years,
    peak_busy,
)
from tierwright.evaluate.endurance.growth import growing_years
from tierwright.evaluate.page_flow.operations import Operations, operations
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.profile.curve import Curve

_TIERS = ("flash", "disk")


class Held:
    """Options that stay as they are bought.

    Parameters
    ----------
    options : Options
        As they stand today.
    devices : sequence of pair of Device or None
        What caches and what holds the data, of each.
    budgets_tb : sequence of pair of float
        Host writes that one device of either takes; infinite for what is rented. [10^12 bytes]
    page_bytes : int
        [bytes]
    """

    def __init__(
        self,
        options: Options,
        devices: Sequence[tuple[Device | None, Device | None]],
        budgets_tb: Sequence[tuple[float, float]],
        page_bytes: int,
    ) -> None:
        self.options = options
        unknown = np.full((len(OPERATIONS), 1), np.nan)
        each = [
            [
                unknown if device is None else device_times(device, page_bytes, 1)
                for device in pair
            ]
            for pair in devices
        ]
        # By option, tier, operation.
        shape = len(options), len(_TIERS)
        self._times_us = np.asarray(each).reshape(*shape, len(OPERATIONS))
        self._budgets_tb = np.asarray(budgets_tb).reshape(shape)
        self._of_scheme = {
            str(CHOICES[scheme]): np.flatnonzero(options.scheme == scheme)
            for scheme in np.unique(options.scheme).tolist()
        }

    def _operations(
        self, curve: Curve, hits_off: float = 0.0
    ) -> list[tuple[IntArray, Operations]]:
        """Operations of an access by scheme, with the rows that run it; flash hits off by a share of their known error."""
        options = self.options
        return [
            (
                of,
                operations(
                    curve,
                    options.ram_pages[of],
                    options.flash_pages[of],
                    (scheme,),
                    hits_off={scheme: hits_off},
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

    def io_us_ends(self, curve: Curve) -> tuple[FloatArray, FloatArray]:
        """I/O time of an access at both ends of the known error of the flash hits. [µs]"""
        fewer, more = (
            self._busy_us(self._operations(curve, off)) for off in (-1.0, 1.0)
        )
        ends = fewer["disk"] + fewer["flash"], more["disk"] + more["flash"]
        return np.minimum(*ends), np.maximum(*ends)

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

    def on(
        self,
        curve: Curve,
        served: tuple[float | None, float | None],
        growth_per_year: float,
    ) -> Options:
        """Evaluate times, load and life.

        Parameters
        ----------
        curve : Curve
        served : pair of float or None
            What all machines serve together, on average and in the busiest hour: with copies, each write on all of them.
            [1/s]
        growth_per_year : float
            Of the load, by which flash is worn. [1/year]
        """
        counted = self._operations(curve)
        busy_us = self._busy_us(counted)
        count = len(self.options)
        reads = {tier: np.zeros(count) for tier in _TIERS}
        written = {tier: np.zeros(count) for tier in _TIERS}
        for of, done in counted:
            for tier in _TIERS:
                reads[tier][of] = done.per_access[tier, "read"]
                written[tier][of] = done.wears(tier)
        of_tiers = self._lives(written, served[0], curve.page_bytes)
        return replace(
            self.options,
            flash_us=busy_us["flash"],
            store_us=busy_us["disk"],
            flash_reads=reads["flash"],
            store_reads=reads["disk"],
            peak_busy=self._peak_busy(busy_us, served[1]),
            life_years=growing_years(np.minimum(*of_tiers), growth_per_year),
        )

    def lives(
        self, curve: Curve, mean_accesses_per_s: float | None
    ) -> tuple[FloatArray, FloatArray]:
        """Life at today's rate of what caches, and of what holds the data; infinite where it is not worn. [365 days]

        Parameters
        ----------
        curve : Curve
        mean_accesses_per_s : float or None
            What all machines serve together: with copies, each write on all of them. [1/s]
        """
        written = {tier: np.zeros(len(self.options)) for tier in _TIERS}
        for of, done in self._operations(curve):
            for tier in _TIERS:
                written[tier][of] = done.wears(tier)
        return self._lives(written, mean_accesses_per_s, curve.page_bytes)

    def _lives(
        self, written: Mapping[str, FloatArray], mean: float | None, page_bytes: int
    ) -> tuple[FloatArray, FloatArray]:
        """Life at today's rate of either tier, by the page writes of an access. [365 days]"""
        devices = self.options.flash_devices, self.options.store_devices
        flash, store = (
            life_years(
                written[tier],
                self._rate(mean),
                page_bytes,
                np.where(
                    devices[at] > 0,
                    self._budgets_tb[:, at] * np.maximum(devices[at], 1),
                    math.inf,
                ),
                0.0,
            )
            for at, tier in enumerate(_TIERS)
        )
        return flash, store
