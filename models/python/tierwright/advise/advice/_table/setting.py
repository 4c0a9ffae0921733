"""What the table of options is made for: curve, rates, what may be bought, and the limits that decide how much of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tierwright.advise.advice._standing import Standing
from tierwright.advise.advice.request import Candidates, Have
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.endurance.growth import growing_years, steady_years
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright.profile.several import Workload


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
    load_stays: bool = False
    """Whether the load is that at the end of a growth, beyond which no more of it is counted."""
    load_grows_per_year: float | None = None
    """Growth of the load of several workloads, of which the curve itself tells none; None: as the data grow. [1]"""
    devices_more: float = 1.0
    """By what factor more devices hold the data than the model asks for, as a replay showed them that much busier. [1]"""

    @property
    def stated_devices(self) -> tuple[Device, ...]:
        """Devices that the question names or describes, the user's own among them."""
        have = self.have
        there_is = () if have is None else (have.flash, have.disk)
        named = (*self.candidates.own, *self.devices, *there_is)
        return tuple(each for each in named if each is not None)

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
        return mean if scaled.production.peak_accesses_per_s is None else None

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
        """Life of flash, at today's rate, by which the number of devices that hold the data is chosen. [365 days]"""
        return self.steady_life(self.least_life_years) * self.devices_more

    @property
    def load_growth_per_year(self) -> float:
        """Growth of the load that wears flash; one that shrinks is counted as it is today, as the space for data is. [1]"""
        if self.load_stays:
            return 0.0
        own = self.load_grows_per_year
        return max(0.0, self.growth_per_year if own is None else own)

    def steady_life(self, years: float) -> float:
        """Return how long the writes of so many years of growth last at today's rate. [365 days]"""
        return float(steady_years(np.asarray(years), self.load_growth_per_year))

    def grown_life(self, steady_years: float) -> float:
        """Return how long what lasts so many years at today's rate lasts as the load grows. [365 days]"""
        growth = self.load_growth_per_year
        return float(growing_years(np.asarray(steady_years), growth))

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
