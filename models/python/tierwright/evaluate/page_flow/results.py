"""What an evaluation of the page-flow schemes holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.common.answer import Step
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.currency import is_money
from tierwright.common.derivation import money_text
from tierwright.evaluate.metadata import RamBudget
from tierwright.evaluate.page_flow.derivation import SchemeDerivation
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright.hardware.tier_prices import CostPart
from tierwright.profile.steady_state import Start


def plain(value: Any) -> Any:
    """Dataclasses, tuples and NumPy scalars as plain data; whole floats as integers.

    Times and shares stay floats: only counts, which are whole by nature, change. Money, under a
    key with the word `usd`, leaves as a decimal string.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            spec.name: _plain_field(spec.name, getattr(value, spec.name))
            for spec in dataclasses.fields(value)
        }
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


_COUNTS = {
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "effective_flash_pages",
    "flash_reads",
    "flash_writes",
    "flash_writes_counted",
    "flash_writes_cold_start",
    "hdd_reads",
    "hdd_writes",
    "growth",
}


def _plain_field(name: str, value: Any) -> Any:
    if is_money(name):
        return money_text(value)
    return _number(value) if name in _COUNTS else plain(value)


def _number(value: float | None) -> int | float | None:
    return None if value is None else _plain_number(value)


def _plain_number(value: float) -> int | float:
    """Return whole numbers as int, the last bit of rounding forgiven."""
    nearest = round(value)
    tolerance = 1e-9 * max(1.0, abs(value))
    close = abs(value - nearest) <= tolerance and isinstance(value, float)
    return nearest if close else value


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay of one scheme counted, priced with the evaluation's service times.

    Attributes
    ----------
    io_time_us_per_access : float
        Counters x service times / accesses. [µs]
    cost_terms_us_per_access : dict of str to float
        Its parts, by the names of the model's cost terms. [µs]
    accesses : int
        Counted: without those that warmed the caches. [accesses]
    ram_hits, flash_hits, flash_misses : int
        They add up to `accesses`. [accesses]
    flash_reads, flash_writes, hdd_reads, hdd_writes : int
        Device operations over these accesses. [pages]
    """

    io_time_us_per_access: float
    cost_terms_us_per_access: dict[str, float]
    accesses: int
    ram_hits: int
    flash_hits: int
    flash_misses: int
    flash_reads: int
    flash_writes: int
    hdd_reads: int
    hdd_writes: int


@dataclass(frozen=True, slots=True)
class SchemeResult:
    """One page-flow scheme at one choice of sizes and devices.

    Attributes
    ----------
    scheme : str
        Name, as in `SCHEMES`.
    ram_hits, flash_hits, flash_misses : float
        Hits by tier; with `growth` they add up to the accesses. [accesses]
    effective_flash_pages : float
        e_f. [pages]
    p_d, p_d_flash : float
        Shares of RAM misses and of flash misses, growth among both, whose victim is dirty, as
        used. [1]
    io_time_us_per_access : float
        C_k / N. [µs]
    cost_terms_us_per_access : dict of str to float
        The same by term; the terms add up to it. [µs]
    flash_reads, hdd_reads, hdd_writes : float
        Device operations over the trace. [pages]
    flash_writes : float
        Pages written to flash as the cost formula charges them: an eviction for every RAM
        miss. [pages]
    flash_writes_counted : float
        Pages written to flash as a simulation counts them, from the start of the curve: from
        a cold one a cache that still has empty frames evicts nothing. For lazy by
        `lazy_flash_writes`, which comes closer to it than the formula. [pages]
    flash_writes_cold_start : float or None
        The same where the curve is of a cold start, or given; None in the steady state. [pages]
    flash_writes_per_access : float
        `flash_writes` / N. [pages]
    cost_usd_per_month : Decimal or None
        None without prices; `cost_reason` says why. [USD/month]
    cost_parts : dict of str to CostPart
        By tier: ram, flash, disk.
    cost_reason : str
        Why there is no cost; empty when there is one.
    estimator : str
        How the counts were obtained.
    exact : bool
        Whether a simulation with LRU in both tiers gives the same hits and misses.
    exactness : str
        The same in words, with the known error where it is an approximation.
    flash_hits_error : tuple of float or None
        Band of (model - simulation) of the flash hits seen in our runs at such f / r, as a
        share of the RAM misses; None where there is none to state. [1]
    io_time_error_us_per_access : float
        The same in I/O time: what that many hits less or more would change; for lazy, also
        the flash writes of `lazy_writes_error`. Replays of the recorded traces lie within at
        `BAND_HOLDS` of the points or more, besides warm-up, which C_k charges and a cold
        start has not; that the steady state is an estimate comes on top. [µs]
    warnings : tuple of Caution
        What to know about this scheme here.
    warm_up_us_per_access : float
        What C_k charges for RAM misses that evict nothing, which a cold start has not. [µs]
    replayed : Replayed or None
        What a replay counted at the same sizes, priced with the same service times; None
        where the model decides.
    growth : float
        First touches of pages known to be newly allocated, in the steady state: made in RAM,
        so nothing is read, but charged like a flash miss for what they evict. 0 from a cold
        start, whose misses contain them. [accesses]
    """

    scheme: str
    ram_hits: float
    flash_hits: float
    flash_misses: float
    effective_flash_pages: float
    p_d: float
    p_d_flash: float
    io_time_us_per_access: float
    cost_terms_us_per_access: dict[str, float]
    flash_reads: float
    flash_writes: float
    flash_writes_counted: float
    flash_writes_cold_start: float | None
    flash_writes_per_access: float
    hdd_reads: float
    hdd_writes: float
    cost_usd_per_month: Decimal | None
    cost_parts: dict[str, CostPart]
    cost_reason: str
    estimator: str
    exact: bool
    exactness: str
    flash_hits_error: tuple[float, float] | None
    io_time_error_us_per_access: float
    warnings: tuple[Caution, ...]
    warm_up_us_per_access: float = 0.0
    replayed: Replayed | None = None
    growth: float = 0.0


@dataclass(frozen=True, slots=True)
class OuterBar:
    """One configuration beside the schemes.

    Attributes
    ----------
    name, title : str
        Of `tierwright.evaluate.page_flow.outer.TITLES`.
    ram_pages, flash_pages : int
        Sizes. [pages]
    io_time_us_per_access : float
        C / N. [µs]
    cost_terms_us_per_access : dict of str to float
        The same by term; the terms add up to it. [µs]
    flash_reads, flash_writes, hdd_reads, hdd_writes : float
        Device operations over `accesses`. [pages]
    accesses : int
        Those that the operations are of. [accesses]
    flash_writes_per_access : float
        [pages]
    cost_usd_per_month : Decimal or None
        None without prices; `cost_reason` says why. [USD/month]
    cost_parts : dict of str to CostPart
        By tier that it has: ram, flash, disk.
    cost_reason : str
        Why there is no cost; empty when there is one.
    note : str
        What it does with the disk, and where its figures are a bound.
    """

    name: str
    title: str
    ram_pages: int
    flash_pages: int
    io_time_us_per_access: float
    cost_terms_us_per_access: dict[str, float]
    flash_reads: float
    flash_writes: float
    hdd_reads: float
    hdd_writes: float
    accesses: int
    flash_writes_per_access: float
    cost_usd_per_month: Decimal | None
    cost_parts: dict[str, CostPart]
    cost_reason: str
    note: str


@dataclass(frozen=True, slots=True)
class OuterBars:
    """The configurations beside the schemes of one point.

    Attributes
    ----------
    bars : dict of str to OuterBar
        By name, in their order; *no flash* alone where the size of the data is unknown.
    reason : str or None
        Why the others are missing.
    steps : tuple of Step
        How their figures came about.
    """

    bars: dict[str, OuterBar]
    reason: str | None
    steps: tuple[Step, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"bars": plain(self.bars), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class DevicesNeeded:
    """The least devices of one configuration that carry the load.

    Attributes
    ----------
    flash_devices, disks : int
        At least; 0 where the configuration has none. [1]
    flash_busy, disk_busy : float
        Busy share if there were one of each; above 1 one is too few. [1]
    cost_usd_per_month : Decimal or None
        RAM of its size, whole flash devices and disks, or as many volumes; None without prices. [USD/month]
    cost_parts : dict of str to CostPart
        By tier.
    cost_reason : str
        Why there is no cost; empty when there is one.
    """

    flash_devices: int
    disks: int
    flash_busy: float
    disk_busy: float
    cost_usd_per_month: Decimal | None
    cost_parts: dict[str, CostPart]
    cost_reason: str


@dataclass(frozen=True, slots=True)
class AtLoad:
    """Devices that carry the load of one machine of production.

    Attributes
    ----------
    accesses_per_s : float
        Of one machine: in the busiest hour where that is known, else the mean. [1/s]
    of_peak : bool
        Whether it is that of the busiest hour.
    machines : int
        Equal machines, each with these devices.
    schemes : dict of str to DevicesNeeded
        By scheme.
    outer : dict of str to DevicesNeeded
        By configuration beside the schemes.
    """

    accesses_per_s: float
    of_peak: bool
    machines: int
    schemes: dict[str, DevicesNeeded]
    outer: dict[str, DevicesNeeded]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return dict(plain(self))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All schemes at one choice of sizes and devices.

    Attributes
    ----------
    schemes : dict of str to SchemeResult
        In the order of `SCHEMES`.
    start : str
        What the curve counts, `steady` or `cold`.
    best : str
        Scheme with the least I/O time, of the replays where these decide; among equals the
        first of `TIE_ORDER`.
    runner_up : str
        Next scheme with a cost formula of its own.
    margin_us_per_access : float
        I/O time that the best saves over the runner-up. [µs]
    margin : float
        The same as a share of the runner-up's I/O time. [1]
    gain_over_none : float
        Share of the I/O time without flash that the best saves. [1]
    validity : str
        Where the costs hold; each scheme names its own estimator.
    warnings : tuple of Caution
        What to know about the whole evaluation.
    inputs : dict
        Sizes, devices and service times that were used, with units.
    derive : callable
        Makes `derivation`, for whoever asks for it.
    surround : callable
        Makes `outer` from the scheme without flash, for whoever asks for it.
    count_devices : callable
        Counts the devices that production takes, of the schemes and of `outer`.
    ram_budget : RamBudget or None
        How much RAM the flash metadata take and leave, and why; None where nothing is
        charged.
    decided_by : str
        ``model``, or ``replay`` where the model could not tell and the trace was replayed;
        `best`, `runner_up`, margins and gain are then those of the replays.
    contenders : tuple of str
        Schemes that could be best within the errors of the model; empty where it is sure.
    equal : tuple of str
        Schemes less than 1 % dearer than the best, itself included: equal for the purpose;
        empty where the best leads by more.
    writes_least : str or None
        Of the equal ones that which writes least to flash.
    new_pages : int
        Pages known to be newly allocated during the recording. [pages]
    growth_per_access : float
        Their first touches per access: in the steady state beside hits and misses, from a cold
        start a part of the misses. [1]
    replayed_at : ReplaySizes or None
        At which sizes the recording was replayed that decided for production; None where no replay
        decided, or at the sizes of the evaluation.
    """

    schemes: dict[str, SchemeResult]
    start: Start
    best: str
    runner_up: str
    margin_us_per_access: float
    margin: float
    gain_over_none: float
    validity: str
    warnings: tuple[Caution, ...]
    inputs: dict[str, Any]
    derive: Callable[[], list[SchemeDerivation]] = field(repr=False)
    surround: Callable[[SchemeResult], OuterBars] = field(repr=False)
    count_devices: Callable[[Mapping[str, SchemeResult], OuterBars], AtLoad | None] = (
        field(repr=False)
    )
    ram_budget: RamBudget | None = None
    decided_by: str = "model"
    contenders: tuple[str, ...] = ()
    equal: tuple[str, ...] = ()
    writes_least: str | None = None
    new_pages: int = 0
    growth_per_access: float = 0.0
    replayed_at: ReplaySizes | None = None

    @property
    def derivation(self) -> list[SchemeDerivation]:
        """Per scheme: formula, numbers put in, terms, source."""
        return self.derive()

    @property
    def outer(self) -> OuterBars:
        """No flash, everything in RAM and everything on flash; computed at each call."""
        return self.surround(self.schemes["none"])

    def at_load(self, outer: OuterBars) -> AtLoad | None:
        """Devices that carry the rate of production; None where none is stated."""
        return self.count_devices(self.schemes, outer)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; whole counts are integers."""
        found = plain(self)
        if not isinstance(found, dict):  # a dataclass always gives a dict
            raise TypeError(type(found))
        del found["derive"], found["surround"], found["count_devices"]
        outer = self.outer
        load = self.at_load(outer)
        return {
            **found,
            "outer": outer.to_dict(),
            "at_load": None if load is None else load.to_dict(),
            "derivation": [each.to_dict() for each in self.derivation],
        }


@dataclass(frozen=True, slots=True)
class SchemeGrid:
    """One scheme over many sizes; every array has the broadcast shape of the sizes.

    Attributes
    ----------
    flash_hits, flash_misses : float64 array
        Without growth. [accesses]
    io_time_us_per_access : float64 array
        [µs]
    flash_writes_per_access : float64 array
        As the cost formula charges them. [pages]
    flash_time_us_per_access, disk_time_us_per_access : float64 array
        The parts of the I/O time that flash and disk are busy; they add up to it. [µs]
    disk_writes_per_access : float64 array
        [pages]
    accesses : int
        N.
    times : ServiceTimes
        F_R, F_W, D_R, D_W.
    """

    flash_hits: FloatArray
    flash_misses: FloatArray
    io_time_us_per_access: FloatArray
    flash_writes_per_access: FloatArray
    flash_time_us_per_access: FloatArray
    disk_time_us_per_access: FloatArray
    disk_writes_per_access: FloatArray
    accesses: int
    times: ServiceTimes


@dataclass(frozen=True, slots=True)
class ServiceTimes:
    """F_R, F_W, D_R, D_W. [µs]"""

    flash_read: float
    flash_write: float
    disk_read: float
    disk_write: float
