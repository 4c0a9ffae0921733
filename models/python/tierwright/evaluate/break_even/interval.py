"""The classic break-even interval (five-minute rule) for a pair of tiers.

Source: Gray and Putzolu, "The 5 minute rule for trading memory for disc accesses and the 10
byte rule for trading memory for CPU time" (SIGMOD 1987); form of Gray and Graefe (SIGMOD
Record 1997): interval = (pages per MB of memory / accesses per second of the device) x
(price of the device / price per MB of memory).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import UNIT_BYTES, format_bytes
from tierwright.common.wording import listed
from tierwright.evaluate.economics import HOURS_PER_MONTH, WATTS_PER_KW
from tierwright.hardware.device import Device
from tierwright.hardware.prices import Price, dates_apart
from tierwright.hardware.provisioning import charges, provision, volumes
from tierwright.hardware.service_time import service_time, service_us

GRAY = "Gray and Putzolu (SIGMOD 1987), form of Gray and Graefe (SIGMOD Record 1997)"
ZHANG = "host and bandwidth: Zhang and others (2026), Eq 1"
POWER_UNKNOWN = "power_unknown"
"""Name of the caution that a power is not stated."""
POWER_HINT = (
    "state the watts per GiB of memory; add active_power_w to a copy of another device"
)
POWER = "power: derived, beside the rents of memory and device"
INTERVAL_VALIDITY = (
    "the device is bought for its accesses, not for its capacity, and is kept busy; memory "
    "is bought for its capacity alone; prices of one date"
)
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class HostShare:
    """What an access takes of the host: processor and, where it is scarce, DRAM bandwidth.

    Attributes
    ----------
    core_usd : Decimal
        Price of one core; 0 leaves the processor out. [USD]
    core_iops : float
        I/Os per second that a core drives. [1/s]
    dram_bytes, dram_bytes_per_s : float or None
        Capacity and bandwidth of one unit of DRAM, such as a module; None leaves the bandwidth
        out. [bytes], [bytes/s]
    """

    core_usd: Decimal = Decimal(0)
    core_iops: float = 1e6
    dram_bytes: float | None = None
    dram_bytes_per_s: float | None = None

    def __post_init__(self) -> None:
        problems = Problems(
            "host", "give prices of at least 0, sizes and rates above 0"
        )
        good = self.core_usd.is_finite() and self.core_usd >= 0
        message = "must be finite and not negative"
        problems.check(good, "core_usd", self.core_usd, message)
        for name in ("core_iops", "dram_bytes", "dram_bytes_per_s"):
            value = getattr(self, name)
            good = value is None or 0 < value < math.inf
            problems.check(good, name, value, "must be finite and above 0")
        for name, other in (
            ("dram_bytes", "dram_bytes_per_s"),
            ("dram_bytes_per_s", "dram_bytes"),
        ):
            good = getattr(self, name) is not None or getattr(self, other) is None
            problems.check(good, name, None, f"is missing: it belongs to `{other}`")
        problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class Power:
    """Price of the electricity that devices draw.

    Attributes
    ----------
    usd_per_kwh : Decimal
        Price of electricity; 0 changes nothing. [USD/kWh]
    watts_per_gib : Decimal or None
        Power of each GiB of an upper tier that states no power, such as memory. [W/GiB]
    pue : Decimal
        Power drawn at the meter for each watt of the device; at least 1. [1]
    """

    usd_per_kwh: Decimal
    watts_per_gib: Decimal | None = None
    pue: Decimal = Decimal("1.5")

    def __post_init__(self) -> None:
        problems = Problems(
            "power", "give prices and watts of at least 0, a PUE from 1"
        )
        for name, least in (("usd_per_kwh", 0), ("watts_per_gib", 0), ("pue", 1)):
            value = getattr(self, name)
            problems.check(
                value is None or (value.is_finite() and value >= least),
                name,
                value,
                f"must be finite and at least {least}",
            )
        problems.raise_if_any()

    def usd_per_month(self, watts: Decimal) -> float:
        """Return what so many watts cost each month, at the meter. [USD/month]"""
        kw = watts * self.pue / WATTS_PER_KW
        return float(kw * HOURS_PER_MONTH * self.usd_per_kwh)


@dataclass(frozen=True, slots=True)
class IntervalTerms:
    """What an interval is made of; the terms add up to it.

    Attributes
    ----------
    host_s : float
        Core and share of the host. [s]
    bandwidth_s : float
        DRAM bandwidth; 0 where it is left out. [s]
    device_s : float
        The device that the page is fetched from. [s]
    device_power_s : float
        Power of that device; 0 where power is left out. [s]
    memory_power_s : float
        Power of the upper tier, which makes keeping a page more expensive: 0 or negative. [s]
    """

    host_s: float
    bandwidth_s: float
    device_s: float
    device_power_s: float = 0.0
    memory_power_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TierInterval:
    """Break-even interval of one pair of tiers.

    Attributes
    ----------
    upper, lower : str
        Ids of the tier that keeps a page and of the tier it is fetched from.
    page_bytes : int
        Page. [bytes]
    interval_s : float or None
        A page accessed at least this often belongs in the upper tier; None where a price, a
        capacity or a rate is missing. [s]
    missing : tuple of str
        What is missing.
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    terms : IntervalTerms or None
        What the interval is made of; None where it is None.
    """

    upper: str
    lower: str
    page_bytes: int
    interval_s: float | None
    missing: tuple[str, ...]
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]
    terms: IntervalTerms | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class PricedTier:
    """A device with its price.

    Attributes
    ----------
    device : Device
        Its rates and capacity.
    price : Price or None
        Price of its capacity; None when there is none.
    host_usd : Decimal
        Share of the host (controller, channel, processor) that one device needs. [USD]
    """

    device: Device
    price: Price | None
    host_usd: Decimal = Decimal(0)


def break_even_interval(
    *,
    page_bytes: ArrayLike,
    accesses_per_s: ArrayLike,
    device_usd: ArrayLike,
    memory_usd_per_byte: ArrayLike,
    host_usd: ArrayLike = 0.0,
) -> FloatArray:
    """Interval between accesses at which keeping a page costs as much as fetching it.

    interval = (device + host) / accesses per second / (page x memory price per byte), the
    five-minute rule with sizes in bytes. All arguments broadcast.

    Parameters
    ----------
    page_bytes : array_like
        Page. [bytes]
    accesses_per_s : array_like
        Random page accesses of one device. [1/s]
    device_usd : array_like
        Price of one device, or its rent a month. [USD]
    memory_usd_per_byte : array_like
        Price of the memory that would keep the page, or its rent a month. [USD/byte]
    host_usd : array_like
        What one device needs of its host besides. [USD]

    Returns
    -------
    float64 array
        Pages accessed more often belong in memory. [s]

    Raises
    ------
    BadInput
        If a rate, size or price is not positive, or the host's is negative.

    Examples
    --------
    Gray and Putzolu 1987: 1 kB records, 15 accesses/s on a disc of 15,000 USD that needs
    1,000 USD of processor and channel for each access/s, memory at 5,000 USD a MB.

    >>> float(
    ...     break_even_interval(
    ...         page_bytes=1024,
    ...         accesses_per_s=15,
    ...         device_usd=15_000,
    ...         host_usd=15_000,
    ...         memory_usd_per_byte=5_000 / 2**20,
    ...     )
    ... )
    409.6
    """
    v = broadcast(
        "break-even interval",
        amounts={
            "page_bytes": page_bytes,
            "accesses_per_s": accesses_per_s,
            "device_usd": device_usd,
            "memory_usd_per_byte": memory_usd_per_byte,
            "host_usd": host_usd,
        },
    )
    problems = Problems("break-even interval", "give sizes, rates and prices above 0")
    for name in ("page_bytes", "accesses_per_s", "device_usd", "memory_usd_per_byte"):
        problems.check(np.all(v[name] > 0), name, v[name], "must be above 0")
    problems.raise_if_any()
    held = v["page_bytes"] * v["memory_usd_per_byte"]
    return np.asarray((v["device_usd"] + v["host_usd"]) / v["accesses_per_s"] / held)


def tier_interval(
    upper: PricedTier,
    lower: PricedTier,
    *,
    page_bytes: int,
    months: int,
    share: HostShare | None = None,
    power: Power | None = None,
) -> TierInterval:
    """Break-even interval between two tiers, from profiles and prices.

    Parameters
    ----------
    upper, lower : PricedTier
        The tier that would keep a page, and the one it would be fetched from.
    page_bytes : int
        Page; at least 1. [bytes]
    months : int
        Months over which a purchase is spread; matters only where one tier is bought and
        the other rented. [months]
    share : HostShare, optional
        What a fetch takes of the host besides; nothing unless given.
    power : Power, optional
        Counts the power of both tiers: of the lower one under load, as it is kept busy; of the upper
        one when idle, as it keeps pages, for each of its bytes. A tier that is rented has none: its
        rent has it. Where the power of one is unknown that of both is left out, and a warning says so.

    Returns
    -------
    TierInterval
        With `interval_s` None and `missing` filled where a figure is absent.

    Raises
    ------
    BadInput
        If the page size or the months are not positive.
    """
    lacking = _missing(upper, lower, page_bytes)
    head = (upper.device.id, lower.device.id, page_bytes)
    if lacking or upper.price is None or lower.price is None:
        return TierInterval(
            *head, None, lacking, "break-even interval", INTERVAL_VALIDITY, (), ()
        )
    one_byte = float(upper.price.usd_per_month(10**12, months)) / 1e12
    try:
        used = provision(lower.device)
        rented = sum(
            (each.usd_per_month for each in charges(lower.device, used)), Decimal(0)
        )
    except BadInput as error:
        return TierInterval(
            *head,
            None,
            (error.message,),
            "break-even interval",
            INTERVAL_VALIDITY,
            (),
            (),
        )
    # Where the IOPS need so much capacity and no more, that volume is what the accesses cost.
    chosen = lower.price.rent and "iops_per_gib" in lower.device.figures
    size = (
        volumes(lower.device, 1, used).billed_bytes
        if chosen
        else lower.device.capacity_bytes or 0
    )
    whole = float(lower.price.usd_per_month(size, months) + rented)
    host = float(lower.host_usd) / months
    read = service_time(lower.device, "read", page_bytes)
    rate = 1e6 / (read.time_us or 1.0)
    core = 0.0 if share is None else float(share.core_usd) / months / share.core_iops
    bandwidth = (
        0.0
        if share is None or share.dram_bytes is None or share.dram_bytes_per_s is None
        else share.dram_bytes / share.dram_bytes_per_s
    )
    drawn, unknown = _power_of(upper, lower, power)
    interval = bandwidth + float(
        break_even_interval(
            page_bytes=page_bytes,
            accesses_per_s=rate,
            device_usd=whole,
            memory_usd_per_byte=one_byte + drawn.upper_usd_per_byte,
            host_usd=host + core * rate + drawn.lower_usd,
        )
    )
    kept = page_bytes * one_byte
    terms = IntervalTerms(
        (host / rate + core) / kept,
        bandwidth,
        whole / rate / kept,
        drawn.lower_usd / rate / kept,
        # The others are divided by the price of memory alone.
        -(interval - bandwidth) * drawn.upper_usd_per_byte / one_byte,
    )
    counts_power = power is not None and power.usd_per_kwh > 0 and not unknown
    return TierInterval(
        *head,
        interval,
        (),
        "break-even interval (five-minute rule)",
        INTERVAL_VALIDITY,
        (*_about_interval(upper, lower), *unknown),
        (
            Derivation(
                "interval_s",
                interval,
                "s",
                _FORMULAS[share is not None, counts_power],
                (
                    Number(
                        "device",
                        whole,
                        "USD/month",
                        f"one `{lower.device.id}`"
                        + (f" of {format_bytes(size)}, the least" if chosen else "")
                        + f": {lower.price.text}"
                        + (
                            f", {rented:,} for provisioned performance"
                            if rented
                            else ""
                        ),
                    ),
                    Number("host", host, "USD/month", "share of the host"),
                    Number(
                        "accesses per second",
                        rate,
                        "1/s",
                        f"reads: {read.basis}",
                    ),
                    Number("page", page_bytes, "bytes", "page"),
                    Number(
                        "memory price",
                        one_byte,
                        "USD/byte/month",
                        f"`{upper.device.id}`: {upper.price.text}",
                    ),
                    *(
                        ()
                        if share is None
                        else (
                            Number(
                                "core",
                                core,
                                "USD/month per access/s",
                                f"{share.core_usd} USD for a core of "
                                f"{share.core_iops:,.0f} I/Os per second",
                            ),
                            Number(
                                "bandwidth",
                                bandwidth,
                                "s",
                                "capacity over bandwidth of DRAM; 0 where it is left out",
                            ),
                        )
                    ),
                    *(drawn.numbers if counts_power else ()),
                ),
                "; ".join(
                    (
                        GRAY,
                        *(() if share is None else (ZHANG,)),
                        *((POWER,) if counts_power else ()),
                    )
                ),
            ),
        ),
        terms,
    )


_FORMULAS = {
    (False, False): "(device + host) / accesses per second / (page x memory price)",
    (True, False): "((device + host) / accesses per second + core) / "
    "(page x memory price) + bandwidth",
    (False, True): "(device + host + its power) / accesses per second / "
    "(page x (memory price + memory power))",
    (True, True): "((device + host + its power) / accesses per second + core) / "
    "(page x (memory price + memory power)) + bandwidth",
}
"""By whether the host has a share, and whether power is counted."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What the power of both tiers costs: of the lower device [USD/month], of a byte of the upper."""

    lower_usd: float = 0.0
    upper_usd_per_byte: float = 0.0
    numbers: tuple[Number, ...] = ()


def _power_of(
    upper: PricedTier, lower: PricedTier, power: Power | None
) -> tuple[_Drawn, tuple[Caution, ...]]:
    """Price the power of both tiers; nothing, and a warning, where one of them is unknown."""
    if power is None or power.usd_per_kwh == 0:
        return _Drawn(), ()
    below, of_below = _watts_below(lower)
    above, of_above = _watts_per_gib(upper, power)
    lacking = [
        tier.device for tier, watts in ((upper, above), (lower, below)) if watts is None
    ]
    if below is None or above is None:
        return _Drawn(), (
            Caution(
                "power_unknown",
                f"no power is stated for {listed([f'`{each.id}`' for each in lacking])}, so the "
                f"break-even interval of `{upper.device.id}` over `{lower.device.id}` leaves the "
                "power of both out",
                POWER_HINT,
                about=tuple(each.id for each in lacking),
            ),
        )
    per_byte = above / UNIT_BYTES["GiB"]
    found = _Drawn(power.usd_per_month(below), power.usd_per_month(per_byte))
    return replace(
        found,
        numbers=(
            Number("its power", found.lower_usd, "USD/month", of_below),
            Number(
                "memory power", found.upper_usd_per_byte, "USD/byte/month", of_above
            ),
        ),
    ), ()


def _watts_below(lower: PricedTier) -> tuple[Decimal | None, str]:
    """Return the watts of the device that pages are fetched from, under load."""
    if lower.price is not None and lower.price.rent:
        return Decimal(0), "included in the rent"
    active = lower.device.figures.get("active_power_w")
    if active is None:
        return None, ""
    return active.value, f"{active.value:,} W under load: {active.source}"


def _watts_per_gib(upper: PricedTier, power: Power) -> tuple[Decimal | None, str]:
    """Return the watts of each GiB of the tier that keeps pages."""
    if upper.price is not None and upper.price.rent:
        return Decimal(0), "included in the rent"
    figures, capacity = upper.device.figures, upper.device.capacity_bytes
    figure = figures.get("idle_power_w", figures.get("active_power_w"))
    if figure is not None and capacity:
        gib = Decimal(capacity) / UNIT_BYTES["GiB"]
        return figure.value / gib, f"{figure.value:,} W of {format_bytes(capacity)}"
    if power.watts_per_gib is None:
        return None, ""
    return power.watts_per_gib, f"{power.watts_per_gib:,} W/GiB as stated"


def _missing(upper: PricedTier, lower: PricedTier, page_bytes: int) -> tuple[str, ...]:
    lacking = [
        f"price of `{tier.device.id}`"
        for tier in (upper, lower)
        if tier.price is None or tier.price.usd == 0
    ]
    if lower.device.capacity_bytes is None:
        lacking.append(f"capacity of `{lower.device.id}`")
    if service_us(lower.device, "read", page_bytes) is None:
        lacking.append(f"read IOPS of `{lower.device.id}`")
    return tuple(lacking)


def _about_interval(upper: PricedTier, lower: PricedTier) -> tuple[Caution, ...]:
    found = []
    one, other = upper.price, lower.price
    if one is not None and other is not None:
        if one.rent != other.rent:
            found.append(
                Caution(
                    "rent_beside_purchase",
                    f"`{upper.device.id}` and `{lower.device.id}`: one is rented, the other "
                    "bought; the purchase is spread over the amortisation period",
                    "compare rents with rents",
                )
            )
        apart = dates_apart(
            {f"`{upper.device.id}`": one, f"`{lower.device.id}`": other}
        )
        if apart is not None:
            found.append(
                Caution(
                    "prices_of_different_dates",
                    apart,
                    "add a price to a price book of your own: these prices are not "
                    "comparable",
                )
            )
    if "read_iops" not in lower.device.figures:
        found.append(
            Caution(
                "latency_as_rate",
                f"`{lower.device.id}` states no read IOPS; 1 / latency is used "
                "instead, which understates a parallel device and lengthens the "
                "interval",
                "add sustained IOPS to a copy of the device",
            )
        )
    return tuple(found)
