"""Which configuration to buy: all that hold the data of production, by money per month and I/O time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.advise import bill
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.cautions import (
    Caution,
    Effect,
    Weigh,
    anywhere,
)
from tierwright.common.currency import exact_money, money, text_of
from tierwright.common.derivation import plain
from tierwright.common.errors import Problems
from tierwright.common.fields import is_number, plain_number
from tierwright.common.units import format_bytes
from tierwright.common.wording import (
    changed,
    counted,
    listed,
    percent,
    relative_change,
    three_digits,
)
from tierwright.evaluate.bill import CENT, VOLUMES_UNKNOWN
from tierwright.evaluate.configurations.columns import (
    LIMITS,
    RAM,
    SPACE,
    UNPRICED,
    Columns,
    enumerate_configurations,
)
from tierwright.evaluate.configurations.front import pareto_front, spread
from tierwright.evaluate.configurations.times import CHOICES, Speeds, busy, speeds
from tierwright.evaluate.configurations.wanted import (
    DEFAULT_MAX_MACHINES,
    DEFAULT_RESERVED_GIB,
    KINDS,
    Wanted,
)
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware.build import (
    DEFAULT_HORIZON_MONTHS,
    DEFAULT_PUE,
    STATED_IN_QUESTION,
    build_from_mapping,
)
from tierwright.hardware.device import Device
from tierwright.hardware.servers import VOLUMES_WHERE_UNSTATED
from tierwright.profile.curve import Curve

MOST_SHOWN = 40
"""Configurations of the front that an answer lists."""
MOST_ASKED_AGAIN = 20_000
"""Configurations, the cheapest first, that are evaluated again at other ends of the curve."""
HALF_CENT = 0.005
NO_FIGURES = "device_figures"
EVIDENCE = "evidence"
LOAD = "load"
MONEY = "max_usd_per_month"
TIME = "max_io_us"
NOT_INCLUDED = (
    "list prices at their dates, of a chassis the price that is stated, with its processors; wear of drives, licences, "
    "backups, taxes, network traffic, support, rack space and people are not included"
)
VALIDITY = (
    "data and load are spread evenly over equal machines; LRU in RAM and in the cache before volumes; I/O time is the "
    "busy time of one device of each tier, no queueing; memory modules fill their slots evenly; at most 64 volumes on "
    "a machine; whether processors and network carry the load is not checked"
)
ESTIMATOR = "page-flow formulas C0 to C3 on the curve; sums of rounded lines, as a bill"
_MONTHS_PER_YEAR = 12
RATE_NOT_KNOWN = Caution(
    "rate_not_known",
    "the workload states no rate, so whether the devices carry its load was not checked",
    "scale the workload to production, or state its rate",
)
DATA_ON_LOCAL_DISKS = Caution(
    "data_on_local_disks",
    "local disks of an instance lose their content when it stops or its host fails, and here they hold the data",
    "keep copies on other machines: state the replicas of production",
)


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration.

    Attributes
    ----------
    kind : str
        `instances`, `volumes` or `chassis`.
    name : str
        What it is, in words.
    machines : int
        Equal machines.
    ram_gib, usable_ram_gib : float
        RAM of each machine, and what the reserve for the system leaves of it. [GiB]
    store_bytes : float
        What holds the data, on all machines. [bytes]
    flash_bytes : float
        Local disks that cache before volumes, on all machines; 0 without. [bytes]
    monthly_usd : Decimal
        Rent, and the purchase spread over the months. [USD/month]
    usd_per_month, purchase_usd, total_usd : Decimal
        Rent, purchase and both over the months, as its bill. [USD]
    lacks_price : tuple of str
        What has no price: the sums are then lower bounds.
    io_time_us_per_access : float or None
        Of the best page-flow scheme; None where a device states no rates. [µs]
    scheme : str
        That scheme; `none` without a cache before the store.
    borrowed_rates : bool
        Whether no source states the rates of one of its devices, and those of a named device are used.
    store_busy, flash_busy : float or None
        Share of the time for which each device is busy at the mean rate; None where the rate or a time is unknown. [1]
    store_busy_peak, flash_busy_peak : float or None
        The same in the busiest hour. [1]
    config : dict
        CONFIG of `tierwright bill`, which bills it to the cent.
    """

    kind: str
    name: str
    machines: int
    ram_gib: float
    usable_ram_gib: float
    store_bytes: float
    flash_bytes: float
    monthly_usd: Decimal
    usd_per_month: Decimal
    purchase_usd: Decimal
    total_usd: Decimal
    lacks_price: tuple[str, ...]
    io_time_us_per_access: float | None
    scheme: str
    borrowed_rates: bool
    store_busy: float | None
    flash_busy: float | None
    store_busy_peak: float | None
    flash_busy_peak: float | None
    config: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Excluded:
    """Configurations that are excluded for one reason; each counts once, for its first.

    Attributes
    ----------
    reason : str
        Name of the limit or of what is unknown.
    count : int
        Configurations.
    text : str
        The same in words.
    """

    reason: str
    count: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Configurations(Answer):
    """Configurations that can be bought, by money and I/O time.

    Attributes
    ----------
    evaluated : int
        Configurations listed.
    suitable : int
        Those that hold the data, break no limit, carry the load and have all prices.
    front : tuple of Configuration
        Of these, those that no other beats in both money and I/O time, the cheapest first.
    front_in_all : int
        How many they are; `front` has at most 40.
    cheapest, fastest : Configuration or None
        Ends of the front.
    lower_bounds : tuple of Configuration
        Ranked apart: the front of those that suit but lack a price, of these those that lack the fewest; each costs
        at least what it states.
    lower_bounds_in_all : int
        How many suit but lack a price.
    excluded : tuple of Excluded
        Why the others do not suit, in the order in which that is decided.
    data_bytes : int
        One copy of the data that is held, with its growth over the months. [bytes]
    replicas : int
        Copies.
    reserved_gib : Decimal
        RAM of each machine for the system. [GiB]
    horizon_months : int
        [months]
    accesses_per_s, peak_accesses_per_s : float or None
        Rates of all machines together; None where unknown. [1/s]
    estimator, validity : str
        How it was computed, and where that holds.
    """

    evaluated: int
    suitable: int
    front: tuple[Configuration, ...]
    front_in_all: int
    cheapest: Configuration | None
    fastest: Configuration | None
    lower_bounds: tuple[Configuration, ...]
    lower_bounds_in_all: int
    excluded: tuple[Excluded, ...]
    data_bytes: int
    replicas: int
    reserved_gib: Decimal
    horizon_months: int
    accesses_per_s: float | None
    peak_accesses_per_s: float | None
    estimator: str = ESTIMATOR
    validity: str = f"{VALIDITY}; {NOT_INCLUDED}"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The cheapest: what it costs and how fast it is."""
        best = self.cheapest
        return (
            Figure(
                "evaluated",
                "Configurations evaluated",
                self.evaluated,
                "configurations",
            ),
            Figure(
                "suitable", "Configurations that suit", self.suitable, "configurations"
            ),
            Figure(
                "monthly_usd",
                f"Cheapest, over {counted(self.horizon_months, 'month')}",
                None if best is None else best.monthly_usd,
                "USD/month",
            ),
            Figure(
                "io_time_us_per_access",
                "I/O time per access of the cheapest",
                None if best is None else best.io_time_us_per_access,
                "µs",
            ),
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; amounts as decimal strings."""
        found = super().to_dict(derivation=derivation)
        for name in ("front", "lower_bounds"):
            found[name] = [_plain(each) for each in getattr(self, name)]
        for name in ("cheapest", "fastest"):
            one = getattr(self, name)
            found[name] = None if one is None else _plain(one)
        return found


def _plain(one: Configuration) -> dict[str, Any]:
    """Return plain data of a configuration; its amounts as decimal strings, and its CONFIG as it is read again."""
    found: dict[str, Any] = plain(one)
    for name in ("monthly_usd", "usd_per_month", "purchase_usd", "total_usd"):
        found[name] = text_of(getattr(one, name))
    found["config"] = as_read(one.config)
    return found


def as_read(value: Any) -> Any:
    """Return a CONFIG with numbers in place of Decimals: amounts of a request, which no currency is put beside."""
    if isinstance(value, Mapping):
        return {key: as_read(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_read(entry) for entry in value]
    if isinstance(value, Decimal):
        number = plain_number(value)
        return number if Decimal(repr(number)) == value else text_of(value)
    return value


def answer(
    curve: Curve,
    *,
    accesses_per_s: float | None = None,
    duration_s: float | None = None,
    horizon_months: int = DEFAULT_HORIZON_MONTHS,
    max_machines: int = DEFAULT_MAX_MACHINES,
    kinds: tuple[str, ...] = tuple(KINDS),
    reserved_gib: Decimal = DEFAULT_RESERVED_GIB,
    part_usd: Mapping[str, Decimal] | None = None,
    usd_per_kwh: Decimal | None = None,
    watts: Decimal | None = None,
    pue: Decimal = DEFAULT_PUE,
    flash: Device | None = None,
    disk: Device | None = None,
    max_usd_per_month: Decimal | None = None,
    max_io_us: float | None = None,
    max_busy: float = 1.0,
) -> Configurations:
    """List what can be bought for a production, and find the cheapest and the fastest that suit.

    Parameters
    ----------
    curve : Curve
        Of production (`tierwright.advise.scale`): its data, copies and rates are those of the answer. Of a recording:
        the data that it touches, one copy.
    accesses_per_s : float, optional
        Rate of all machines together, in place of that of the workload; its busiest hour stays as many times the mean. [1/s]
    duration_s : float, optional
        Of a recording that was not scaled: its rate is accesses / duration. [s]
    horizon_months : int
        Months over which a purchase is spread, and the data grow. [months]
    max_machines : int
        Most equal machines; at least the copies.
    kinds : tuple of str
        Of `instances`, `volumes`, `chassis`.
    reserved_gib : Decimal
        RAM of each machine for the system itself. [GiB]
    part_usd : mapping of str to Decimal, optional
        Prices of parts by id, `chassis` for every chassis. [USD]
    usd_per_kwh, watts, pue
        Electricity of servers that are bought: its price [USD/kWh], power of one server [W], power at the meter for
        each watt [1].
    flash, disk : Device, optional
        For drives, disks and volumes of which no source states the rates.
    max_usd_per_month : Decimal, optional
        Limit of rent and spread purchase. [USD/month]
    max_io_us : float, optional
        Limit of the I/O time per access. [µs]
    max_busy : float
        Largest share of the time for which a device may be busy in the busiest hour. [1]

    Returns
    -------
    Configurations

    Raises
    ------
    BadInput
        If an input is out of range, or the curve has no write-backs.
    """
    _check(accesses_per_s, max_usd_per_month, max_io_us, max_busy)
    wanted = Wanted(
        data_bytes=data_bytes_of(curve, horizon_months),
        page_bytes=curve.page_bytes,
        replicas=1 if curve.scaled is None else curve.scaled.production.replicas,
        horizon_months=horizon_months,
        max_machines=max_machines,
        kinds=kinds,
        reserved_gib=reserved_gib,
        part_usd=part_usd or {},
        usd_per_kwh=usd_per_kwh,
        watts=watts,
        pue=pue,
    )
    rate, peak = rates_of(curve, accesses_per_s, duration_s)
    asked = _Asked(
        flash, disk, rate, peak, (max_usd_per_month, max_io_us, max_busy), wanted
    )
    columns = enumerate_configurations(wanted)
    made = asked.ranking(columns, curve)
    reasons = list(_reasons(made, asked.limits, wanted, curve))
    open_, excluded = np.ones(len(columns), dtype=np.bool_), []
    for reason, out in reasons:
        hit = open_ & out
        count = int(np.count_nonzero(hit))
        if count:
            text = _text(reason, count, wanted, asked.limits)
            excluded.append(Excluded(reason, count, text))
        open_ &= ~out
    [suits] = np.nonzero(open_ & (columns.lacks == 0))
    [bounds] = np.nonzero(open_ & (columns.lacks != 0))
    front, lower = made.front(suits), made.front(_least_lacking(columns, bounds))
    shown, shown_bounds = (
        tuple(made.configuration(int(row)) for row in spread(rows, MOST_SHOWN))
        for rows in (front, lower)
    )
    cheapest, fastest = (shown[0], shown[-1]) if shown else (None, None)
    return Configurations(
        finding=_finding(
            len(columns),
            len(suits),
            cheapest,
            fastest,
            shown_bounds,
            wanted,
            data_bytes_of(curve, 0),
        ),
        warnings=tuple(
            _cautions(
                curve, made, front, (*shown, *shown_bounds), (flash, disk), wanted
            )
        ),
        explain=lambda: _steps(cheapest, made.fast, front),
        weigh=_weigher(made, asked, curve, int(front[0])) if len(front) else None,
        evaluated=len(columns),
        suitable=len(suits),
        front=shown,
        front_in_all=len(front),
        cheapest=cheapest,
        fastest=fastest,
        lower_bounds=shown_bounds,
        lower_bounds_in_all=len(bounds),
        excluded=tuple(excluded),
        data_bytes=wanted.data_bytes,
        replicas=wanted.replicas,
        reserved_gib=reserved_gib,
        horizon_months=horizon_months,
        accesses_per_s=rate,
        peak_accesses_per_s=peak,
    )


def _check(
    accesses_per_s: float | None,
    max_usd_per_month: Decimal | None,
    max_io_us: float | None,
    max_busy: float,
) -> None:
    problems = Problems("configurations", "state limits above 0, or leave them out")
    for name, value in (
        ("accesses_per_s", accesses_per_s),
        ("max_io_us", max_io_us),
        ("max_busy", max_busy),
    ):
        problems.check(
            value is None or (is_number(value) and value > 0),
            name,
            value,
            "must be a number above 0",
        )
    problems.check(
        max_usd_per_month is None
        or (max_usd_per_month.is_finite() and max_usd_per_month > 0),
        "max_usd_per_month",
        max_usd_per_month,
        "must be an amount above 0",
    )
    problems.raise_if_any()


def data_bytes_of(curve: Curve, horizon_months: int) -> int:
    """One copy of the data at its largest within the months. [bytes]"""
    if curve.scaled is None:
        return max(1, curve.data_pages) * curve.page_bytes
    production = curve.scaled.production
    growth = (1 + production.growth_per_year) ** (horizon_months / _MONTHS_PER_YEAR)
    return int(production.data_bytes * max(1.0, growth))


def rates_of(
    curve: Curve, accesses_per_s: float | None, duration_s: float | None
) -> tuple[float | None, float | None]:
    """Return the mean rate and that of the busiest hour, of all machines. [1/s]

    A mean that is stated beside a profile of production leaves the busiest hour as many times the mean as production states.

    Parameters
    ----------
    curve : Curve
        Of a recording, or of production.
    accesses_per_s : float or None
        Mean rate in place of that of the workload. [1/s]
    duration_s : float or None
        Of a recording that was not scaled. [s]
    """
    production = None if curve.scaled is None else curve.scaled.production
    mean = accesses_per_s
    if mean is None and production is not None:
        mean = production.accesses_per_s
    elif mean is None and duration_s:
        mean = curve.accesses / duration_s
    if mean is None:
        return None, None
    return mean, mean if production is None else production.peak_at(mean)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Rows, their speeds and how busy their devices are."""

    columns: Columns
    fast: Speeds
    loads: tuple[NDArray[np.float64], NDArray[np.float64]] | None
    rate: float | None
    peak: float | None

    @property
    def peak_times(self) -> float:
        """Rate of the busiest hour over the mean. [1]"""
        return self.peak / self.rate if self.peak and self.rate else 1.0

    def front(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some rows that no other of them beats."""
        usd, time = self.columns.usd_per_month[rows], self.fast.io_time_us[rows]
        return np.asarray(rows[pareto_front(usd, time)], dtype=np.int64)

    def configuration(self, row: int) -> Configuration:
        """Describe one row."""
        columns, fast = self.columns, self.fast
        months = columns.wanted.horizon_months
        rent = Decimal(int(columns.rent_cents[row])) * CENT
        purchase = Decimal(int(columns.purchase_cents[row])) * CENT
        total = purchase + months * rent
        io_us = float(fast.io_time_us[row])
        machines = int(columns.machines[row])
        store: float | None = None
        flash: float | None = None
        if self.loads is not None and np.isfinite(io_us):
            store = float(self.loads[0][row])
            flash = float(self.loads[1][row]) if columns.flash_bytes[row] else None
        return Configuration(
            kind=tuple(KINDS)[columns.kind[row]],
            name=name_of(columns, row),
            machines=machines,
            ram_gib=float(columns.ram_gib[row]),
            usable_ram_gib=columns.usable_gib(row),
            store_bytes=float(columns.store_bytes[row]) * machines,
            flash_bytes=float(columns.flash_bytes[row]) * machines,
            monthly_usd=(total / months).quantize(CENT),
            usd_per_month=rent,
            purchase_usd=purchase,
            total_usd=total,
            lacks_price=columns.lacks_of(row),
            io_time_us_per_access=io_us if np.isfinite(io_us) else None,
            scheme=CHOICES[fast.scheme[row]],
            borrowed_rates=bool(fast.borrowed[row]),
            store_busy=store,
            flash_busy=flash,
            store_busy_peak=None if store is None else store * self.peak_times,
            flash_busy_peak=None if flash is None else flash * self.peak_times,
            config=columns.config(row),
        )


def name_of(columns: Columns, row: int) -> str:
    """Say what a configuration is, such as `2 x aws-i4i.4xlarge`.

    What several machines have is that of each, and is said to be: `2 x aws-i4i.xlarge, each with 1 x aws-ebs-gp3 of
    1,024 GiB` has two volumes.
    """
    machines, sold = int(columns.machines[row]), columns.sold
    has = " with " if machines == 1 else ", each with "
    if columns.chassis[row] >= 0:
        each = (
            f"{sold.chassis[columns.chassis[row]].part.id}{has}{columns.dimms[row]} x "
            f"{sold.dimms[columns.dimm[row]].part.id} and {columns.drives[row]} x "
            f"{sold.drives[columns.drive[row]].part.id}"
        )
    else:
        each = sold.servers[columns.server[row]].id
    if columns.volume[row] >= 0:
        item = columns.options[columns.volume[row]].item
        iops = "" if item.iops is None else f", {item.iops.normalize():,f} IOPS"
        each += (
            f"{has}{item.quantity:,} x {item.volume.id} of "
            f"{item.size_gib.normalize():,f} GiB{iops}"
        )
    return f"{machines:,} x {each}"


_Limits = tuple[Decimal | None, float | None, float]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked besides the curve: devices, rates, limits of money, time and load."""

    flash: Device | None
    disk: Device | None
    rate: float | None
    peak: float | None
    limits: _Limits
    wanted: Wanted

    def ranking(self, columns: Columns, curve: Curve) -> _Ranking:
        """Evaluate rows on a curve."""
        fast = speeds(columns, curve, flash=self.flash, disk=self.disk)
        # Copies serve each write together, so all machines serve more than the workload asks for.
        loads = (
            None
            if self.rate is None
            else busy(columns, fast, self.rate * curve.served_per_access)
        )
        return _Ranking(columns, fast, loads, self.rate, self.peak)

    def suits(self, columns: Columns, curve: Curve) -> NDArray[np.bool_]:
        """Say which rows with all prices suit on a curve."""
        fits = columns.lacks == 0
        for _, out in _reasons(
            self.ranking(columns, curve), self.limits, self.wanted, curve
        ):
            fits &= ~out
        return np.asarray(fits)


def _weigher(made: _Ranking, asked: _Asked, curve: Curve, best: int) -> Weigh:
    """Return what asks again at the other ends of what is not known of the curve."""
    columns = made.columns
    # Of those that no curve can exclude: the cheapest, and the one that was found.
    [able] = np.nonzero((columns.lacks == 0) & (columns.broken == 0))
    order = np.lexsort((able, columns.usd_per_month[able]))[:MOST_ASKED_AGAIN]
    near = columns.rows(np.concatenate((able[order], [best])))
    one = columns.rows(np.asarray([best]))
    none = Device("none", "none", "nvme")
    sizes = float(made.fast.ram_pages[best]), float(made.fast.flash_pages[best])

    def effect(caution: Caution) -> Effect:
        ends = other_ends(caution, Situation(curve, none, none, (*sizes, sum(sizes))))
        said, is_other, size = [], False, 0.0
        for end in ends:
            before, after = (
                float(asked.ranking(one, each.curve).fast.io_time_us[0])
                for each in (end.before, end.situation)
            )
            change = relative_change(before, after)
            [suits] = np.nonzero(asked.suits(near, end.situation.curve))
            first = int(suits[0]) if len(suits) else None
            text, other = _at_end(near, first)
            said.append(f"if {end.when}: {changed(change, 'I/O time')}, {text}")
            is_other |= other
            size = max(size, abs(change))
        if not said:
            return anywhere(caution)
        return Effect("; ".join(said), is_other, size)

    return effect


def _at_end(near: Columns, first: int | None) -> tuple[str, bool]:
    """Say which configuration is the cheapest at another end, and whether it is another than the last row."""
    if first is None:
        return f"and no configuration of the {len(near) - 1:,} cheapest suits", True
    usd = near.usd_per_month
    if abs(usd[first] - usd[-1]) < HALF_CENT:
        return "same cheapest", False
    amount = exact_money(float(usd[first]))
    other = f"{name_of(near, first)} at {amount} per month"
    if usd[first] < usd[-1]:
        return f"and {other} would suit", True
    return f"it does not suit, and the cheapest is {other}", True


def _reasons(
    made: _Ranking, limits: _Limits, wanted: Wanted, curve: Curve
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield why rows do not suit, in the order in which that is decided."""
    columns, fast = made.columns, made.fast
    most_usd, most_us, most_busy = limits
    for at, name in enumerate(LIMITS):
        yield name, (columns.broken & (1 << at)) != 0
    yield NO_FIGURES, ~np.isfinite(fast.io_time_us)
    if curve.evidence is not None:
        ram = fast.ram_pages
        yield EVIDENCE, curve.evidence.unknown(ram, ram + fast.flash_pages)
    if made.loads is not None:
        busiest = np.fmax(*made.loads) * made.peak_times
        yield LOAD, busiest > most_busy
    if most_usd is not None:
        # Both sides as whole cents over the months: no rounding decides.
        total = columns.rent_cents * wanted.horizon_months + columns.purchase_cents
        yield MONEY, total > float(most_usd * 100 * wanted.horizon_months)
    if most_us is not None:
        yield TIME, fast.io_time_us > most_us


_OF_BILL: Mapping[str, tuple[str, str]] = {
    "no_drive_bays": (
        "is a chassis that states no bays for its drive",
        "are chassis that state no bays for their drive",
    ),
    "volume_size": (
        "needs a larger volume than is sold",
        "need larger volumes than are sold",
    ),
    "volume_iops": (
        "needs more IOPS than one volume may have",
        "need more IOPS than one volume may have",
    ),
    "volume_iops_per_gib": (
        "has too small a volume for its IOPS",
        "have too small volumes for their IOPS",
    ),
    "volume_throughput": (
        "needs more throughput than one volume may have",
        "need more throughput than one volume may have",
    ),
    "volume_throughput_per_iops": (
        "needs more throughput than its IOPS allow",
        "need more throughput than their IOPS allow",
    ),
    "volume_count": (
        "has more volumes than its instance takes",
        "have more volumes than their instance takes",
    ),
    VOLUMES_UNKNOWN: (
        "has more volumes than its instance is known to take",
        "have more volumes than their instance is known to take",
    ),
    "instance_iops": (
        "has volumes of more IOPS than its instance sustains",
        "have volumes of more IOPS than their instance sustains",
    ),
    "instance_throughput": (
        "has volumes of more throughput than its instance sustains",
        "have volumes of more throughput than their instance sustains",
    ),
    "max_ram": (
        "has more RAM than its chassis takes",
        "have more RAM than their chassis takes",
    ),
    "power_supply": (
        "needs more power than its supplies give",
        "need more power than their supplies give",
    ),
}


def _text(reason: str, count: int, wanted: Wanted, limits: _Limits) -> str:
    """Say how many configurations are excluded for a reason."""
    most_usd, most_us, most_busy = limits
    if reason in _OF_BILL:
        return counted(count, *_OF_BILL[reason])
    held = format_bytes(wanted.data_bytes)
    copies = "" if wanted.replicas == 1 else f"{counted(wanted.replicas, 'copy')} of "
    reserve = f"{wanted.reserved_gib.normalize():f} GiB"
    found = {
        SPACE: (
            f"cannot hold {copies}{held}",
            f"cannot hold {copies}{held}",
        ),
        "reserved_ram": (
            f"lacks the RAM for the reserve of {reserve}",
            f"lack the RAM for the reserve of {reserve}",
        ),
        RAM: (
            f"has no RAM left beside the reserve of {reserve}",
            f"have no RAM left beside the reserve of {reserve}",
        ),
        NO_FIGURES: (
            "has a device of which no source states the rates",
            "have a device of which no source states the rates",
        ),
        EVIDENCE: (
            "is unknown, not worse: the curve does not speak of its sizes",
            "are unknown, not worse: the curve does not speak of their sizes",
        ),
        LOAD: (
            f"has a device that would be busy for more than {percent(most_busy)} of the time",
            f"have a device that would be busy for more than {percent(most_busy)} of the time",
        ),
        MONEY: (
            f"costs more than {'' if most_usd is None else money(most_usd)} per month",
            f"cost more than {'' if most_usd is None else money(most_usd)} per month",
        ),
        TIME: (
            f"takes more than {0 if most_us is None else three_digits(most_us)} µs per access",
            f"take more than {0 if most_us is None else three_digits(most_us)} µs per access",
        ),
    }
    return counted(count, *found[reason])


def _least_lacking(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of some rows that lack the fewest prices: what lacks more only seems cheaper."""
    lacking = sum((columns.lacks[rows] >> at) & 1 for at in range(len(UNPRICED)))
    return rows[lacking == np.min(lacking)] if len(rows) else rows


def _finding(
    evaluated: int,
    suitable: int,
    cheapest: Configuration | None,
    fastest: Configuration | None,
    bounds: tuple[Configuration, ...],
    wanted: Wanted,
    now_bytes: int,
) -> str:
    """Say what is cheapest and what is fastest; what is excluded is listed beside it."""
    held = format_bytes(wanted.data_bytes)
    if wanted.data_bytes > now_bytes:
        months = counted(wanted.horizon_months, "month")
        held = f"{held}, what {format_bytes(now_bytes)} are after {months}"
    if cheapest is None or fastest is None:
        none = (
            f"No configuration that has all its prices suits {held}, of "
            f"{counted(evaluated, 'configuration')}."
        )
        return f"{none} {_without_price(bounds[0])}" if bounds else none
    one = (
        f"{cheapest.name} is the only configuration that suits {held}"
        if suitable == 1
        else f"{cheapest.name} is the cheapest of {counted(suitable, 'configuration')} that suit "
        f"{held}"
    )
    said = f"{one}: {_cost(cheapest)} and {_time(cheapest)} per access."
    if suitable == 1:
        return said
    if fastest.name == cheapest.name:
        return f"{said} No other is faster."
    return f"{said} The fastest, {fastest.name}, takes {_time(fastest)} at {_cost(fastest)}."


def _without_price(least: Configuration) -> str:
    """Say what the cheapest of those costs that lack a price."""
    has = "has" if _is_one(least.lacks_price) else "have"
    return (
        f"{least.name}, of which {listed(least.lacks_price)} {has} no price, costs at least "
        f"{_cost(least)} with {_time(least)} per access."
    )


def _cost(one: Configuration) -> str:
    return f"{exact_money(one.monthly_usd)} per month"


def _is_one(names: tuple[str, ...]) -> bool:
    """Whether what lacks a price reads as a singular."""
    return len(names) == 1 and names[0] in ("instance", "chassis", "electricity")


def _time(one: Configuration) -> str:
    time = one.io_time_us_per_access
    return "an unknown I/O time" if time is None else f"{three_digits(time)} µs"


def volumes_not_stated(columns: Columns) -> Iterator[Caution]:
    """Warn where configurations are excluded because no source states how many volumes their instances take."""
    found = columns.of_unknown_volumes
    if found:
        yield Caution(
            "volumes_not_stated",
            f"no source states how many volumes {listed([f'`{each}`' for each in found])} "
            f"{'takes' if len(found) == 1 else 'take'}: with more than {VOLUMES_WHERE_UNSTATED} on a machine "
            f"{'it is' if len(found) == 1 else 'they are'} left out",
            "ask the provider how many volumes they take, and price them as a build of your own",
            could_change_choice=True,
            effect="with more volumes they may suit and cost less",
            about=found,
        )


def _cautions(
    curve: Curve,
    made: _Ranking,
    front: NDArray[np.int64],
    shown: tuple[Configuration, ...],
    devices: tuple[Device | None, Device | None],
    wanted: Wanted,
) -> Iterator[Caution]:
    ends = front[[0, -1]] if len(front) else front
    yield from about_curve(
        curve, made.fast.ram_pages[ends], made.fast.flash_pages[ends]
    )
    if made.rate is None:
        yield RATE_NOT_KNOWN
    borrowed = sum(each.borrowed_rates for each in shown)
    if borrowed:
        named = [f"`{each.id}`" for each in devices if each is not None]
        has = "configuration that is listed has a device"
        have = "configurations that are listed have devices"
        yield Caution(
            "rates_of_other_devices",
            f"{counted(borrowed, has, have)} of which no source states the rates: those of {listed(named)} are used",
            "name devices like those that you would buy, or measure yours",
        )
    lacking = sorted({name for each in shown for name in each.lacks_price})
    if lacking:
        yield Caution(
            "lower_bounds_without_price",
            f"no price of {listed(lacking)} was found for some configurations, which are ranked apart: each costs "
            "at least what it states",
            "state the prices of these parts",
        )
    yield from volumes_not_stated(made.columns)
    kinds = {made.columns.kind[row] for row in ends}
    if tuple(KINDS).index("instances") in kinds:
        yield DATA_ON_LOCAL_DISKS
    if wanted.usd_per_kwh is None and "chassis" in wanted.kinds:
        yield Caution(
            "power_left_out",
            "electricity of servers that are bought is not counted: no price of it is stated",
            "state the price of a kWh and the watts of a server",
        )


def _steps(
    best: Configuration | None,
    fast: Speeds,
    front: NDArray[np.int64],
) -> Iterator[Step]:
    """Make the steps of the cheapest: its bill, and its I/O time."""
    if best is None:
        return
    build = build_from_mapping(best.config, stated=STATED_IN_QUESTION)
    yield from bill.answer(build).derivation()
    row = int(front[0])
    yield Step(
        "I/O time",
        f"{fast.store_us[row]:.6g} of the store + {fast.flash_us[row]:.6g} of the cache before it, by "
        f"{best.scheme} at RAM of {counted(float(fast.ram_pages[row]), 'page')} and a cache of "
        f"{counted(float(fast.flash_pages[row]), 'page')}",
        best.io_time_us_per_access,
        "µs per access",
        "C0 to C3 of Koltsidas and Viglas (2009)",
    )
