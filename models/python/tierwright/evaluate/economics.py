"""What a tier costs a month: capital, rent, power, provisioned rates, request fees, wear.

Money is Decimal from price to total; it leaves as a number only in JSON. A month has 730
hours, a twelfth of 365 days. Prices: `tierwright.hardware.prices`. Staff, floor space, network and taxes
are not included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import UNIT_BYTES
from tierwright.hardware.catalog import where_priced
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.prices import (
    DEFAULT_AMORTISATION_MONTHS,
    Price,
    PriceBook,
    check_amortisation,
    dates_apart,
    own_price,
    why_no_price,
)
from tierwright.hardware.provisioning import (
    Provision,
    Volumes,
    charges,
    provision,
    volumes,
)
from tierwright.hardware.rated_endurance import rated_endurance

HOURS_PER_MONTH = Decimal(730)
WATTS_PER_KW = Decimal(1000)
MONTHS_PER_YEAR = 12
PER_MILLION = Decimal(1_000_000)
TB = Decimal(10**12)
VALIDITY = (
    "prices as quoted, no discounts or taxes; load spread evenly over the month; staff, floor "
    "space and network left out"
)
_MONEY_HINT = "use Decimals of at least 0 for money, rates and shares"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What a cost rests on besides prices.

    Attributes
    ----------
    amortisation_months : int
        Months over which a purchase is spread. [month]
    interest_per_year : Decimal
        Nominal interest on what is not yet written off, 0.05 for 5 %. [1/year]
    usd_per_kwh : Decimal or None
        Price of electricity; None leaves power out, and says so. [USD/kWh]
    pue : Decimal
        Power drawn at the meter for each watt of the device; at least 1. [1]
    busy_share : Decimal
        Share of the time the device is busy, between idle and active power. [1]
    whole_devices : bool
        Buy whole devices (capacity rounded up), instead of bytes.
    watts_per_gib : Decimal or None
        Power of each GiB, of a device that is bought and states no active power or no capacity, such
        as memory; None leaves its power out, and says so. [W/GiB]
    """

    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS
    interest_per_year: Decimal = Decimal(0)
    usd_per_kwh: Decimal | None = None
    pue: Decimal = Decimal("1.5")
    busy_share: Decimal = Decimal("0.5")
    whole_devices: bool = False
    watts_per_gib: Decimal | None = None

    def __post_init__(self) -> None:
        check_amortisation(self.amortisation_months)
        problems = Problems("assumptions", _MONEY_HINT)
        interest = self.interest_per_year
        problems.check(
            interest.is_finite() and interest >= 0,
            "interest_per_year",
            interest,
            "must be finite and not negative",
        )
        for name, stated in (
            ("usd_per_kwh", self.usd_per_kwh),
            ("watts_per_gib", self.watts_per_gib),
        ):
            problems.check(
                stated is None or (stated.is_finite() and stated >= 0),
                name,
                stated,
                "must be finite and not negative",
            )
        problems.check(
            self.pue.is_finite() and self.pue >= 1,
            "pue",
            self.pue,
            "must be at least 1",
        )
        problems.check(
            self.busy_share.is_finite() and 0 <= self.busy_share <= 1,
            "busy_share",
            self.busy_share,
            "must lie in [0, 1]",
        )
        problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class Load:
    """Monthly load of a tier; 0 where there is none, None where it is not known.

    What the device charges for an unknown load is left out, and named as missing.

    Attributes
    ----------
    reads, writes : Decimal or None
        Requests a month. [1/month]
    read_bytes, written_bytes : Decimal or None
        [bytes/month]
    provisioned_iops : Decimal or None
        Rate that is rented, the allowance included; whatever the load is. None or 0: what the
        figures of the device are about. [1/s]
    provisioned_mb_per_s : Decimal or None
        Throughput that is rented, likewise, in the unit of the provider's list (AWS's MB/s are
        MiB/s). [MB/s]
    """

    reads: Decimal | None = None
    writes: Decimal | None = None
    read_bytes: Decimal | None = None
    written_bytes: Decimal | None = None
    provisioned_iops: Decimal | None = None
    provisioned_mb_per_s: Decimal | None = None

    def __post_init__(self) -> None:
        problems = Problems("load", _MONEY_HINT)
        for spec in fields(self):
            value = getattr(self, spec.name)
            good = value is None or (value.is_finite() and value >= 0)
            problems.check(good, spec.name, value, "must be finite and not negative")
        problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class CostLine:
    """One line of a tier's cost.

    Attributes
    ----------
    name : str
        `capital`, `rent`, `provisioned`, `requests`, `power`, `wear`.
    usd_per_month : Decimal
        [USD/month]
    capital : bool
        Whether it is capital spread over months (capex), else running cost (opex).
    derivation : Derivation
        Formula, numbers, source.
    """

    name: str
    usd_per_month: Decimal
    capital: bool
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class TierCost:
    """Cost of one tier.

    Attributes
    ----------
    device_id : str
        What holds the bytes.
    held_bytes : int
        [bytes]
    devices : Decimal
        Devices bought: whole ones, or the share that the bytes take; 0 where rented or where
        the capacity is not stated.
    volumes : int
        Volumes rented: as many as hold the bytes; 0 where devices are bought. [1]
    capex_usd : Decimal
        Money spent at once. [USD]
    lines : tuple of CostLine
        They add up to the total.
    usd_per_month, opex_usd_per_month : Decimal
        All lines; those that are no capital. [USD/month]
    missing : tuple of str
        What is left out because a figure is missing.
    validity : str
        Where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    """

    device_id: str
    held_bytes: int
    devices: Decimal
    volumes: int
    capex_usd: Decimal
    lines: tuple[CostLine, ...]
    usd_per_month: Decimal
    opex_usd_per_month: Decimal
    missing: tuple[str, ...]
    validity: str
    warnings: tuple[Caution, ...]

    def usd_per_page_month(self, page_bytes: int) -> Decimal | None:
        """Money a month for one page held; None where nothing is held. [USD/month]

        Raises
        ------
        BadInput
            If the page is not positive.
        """
        if page_bytes < 1:
            raise BadInput(
                f"cost of a page: page_bytes: `{page_bytes}` must be above 0",
                "use for example 4096 or 8192",
            )
        if self.held_bytes == 0:
            return None
        return self.usd_per_month * page_bytes / self.held_bytes

    def usd_per_million_accesses(self, accesses_per_month: Decimal) -> Decimal | None:
        """Money for a million accesses served; None where none is. [USD]

        Raises
        ------
        BadInput
            If the accesses are negative.
        """
        if not (accesses_per_month.is_finite() and accesses_per_month >= 0):
            raise BadInput(
                f"cost of accesses: accesses_per_month: `{accesses_per_month}` must not be "
                "negative",
                "give the accesses that this tier serves in a month",
            )
        if accesses_per_month == 0:
            return None
        return self.usd_per_month / accesses_per_month * PER_MILLION

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class SystemCost:
    """Cost of all tiers.

    Attributes
    ----------
    tiers : dict of str to TierCost
        By tier.
    capex_usd, usd_per_month, opex_usd_per_month : Decimal
        Sums. [USD], [USD/month]
    warnings : tuple of Caution
        About prices that do not belong together.
    """

    tiers: dict[str, TierCost]
    capex_usd: Decimal
    usd_per_month: Decimal
    opex_usd_per_month: Decimal
    warnings: tuple[Caution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


_SMALL_INTEREST = Decimal("1e-6")
"""Of all months together; below it the usual formula of an annuity cancels."""


def monthly_payment(
    usd: Decimal, *, months: int, interest_per_year: Decimal
) -> Decimal:
    """Equal payment a month that writes off a purchase: P i / (1 - (1 + i)^-n), i a month's interest.

    Without interest P / n.

    Parameters
    ----------
    usd : Decimal
        P, not negative. [USD]
    months : int
        n, at least 1. [month]
    interest_per_year : Decimal
        Nominal; a twelfth of it is due each month. [1/year]

    Returns
    -------
    Decimal
        [USD/month]

    Raises
    ------
    BadInput
        If a number is negative or the months are below 1.

    Examples
    --------
    >>> monthly_payment(Decimal(3600), months=36, interest_per_year=Decimal(0))
    Decimal('100')
    >>> round(
    ...     monthly_payment(
    ...         Decimal(3600), months=36, interest_per_year=Decimal("0.12")
    ...     ),
    ...     2,
    ... )
    Decimal('119.57')
    """
    check_amortisation(months)
    problems = Problems("monthly payment", _MONEY_HINT)
    for name, value in (("usd", usd), ("interest_per_year", interest_per_year)):
        good = value.is_finite() and value >= 0
        problems.check(good, name, value, "must be finite and not negative")
    problems.raise_if_any()
    rate = interest_per_year / MONTHS_PER_YEAR
    if rate == 0:
        return usd / months
    if rate * months < _SMALL_INTEREST:
        # The same as a sum: the difference below would lose most of its digits, or all.
        return usd / sum((1 + rate) ** -month for month in range(1, months + 1))
    return usd * rate / (1 - (1 + rate) ** -months)


def tier_price(device: Device, prices: PriceBook | None) -> Price | None:
    """Price of a device: the book's for it, the book's for its kind, its own, or None."""
    found = prices and prices.price_of(device)
    return found or own_price(device)


def tier_cost(
    device: Device,
    held_bytes: int,
    *,
    prices: PriceBook | None = None,
    load: Load | None = None,
    assumptions: Assumptions | None = None,
) -> TierCost:
    """Cost a month of holding bytes on a device and serving a load from it.

    Parameters
    ----------
    device : Device
        With capacity, power, fees and endurance as far as it states them.
    held_bytes : int
        Bytes held. [bytes]
    prices : PriceBook, optional
        Its price goes before the device's own.
    load : Load, optional
        For fees, provisioned rates and wear.
    assumptions : Assumptions, optional
        Amortisation, interest, electricity.

    Returns
    -------
    TierCost
        `missing` names what is left out; nothing is guessed.

    Raises
    ------
    BadInput
        If the bytes are negative, there is no price, or whole devices are asked for and the
        device states no capacity.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> ssd = catalog.device("intel-p4510-2tb")
    >>> found = tier_cost(ssd, 10**12)  # half of a device of 0.2 USD/GB
    >>> found.capex_usd, round(found.usd_per_month, 4), found.devices
    (Decimal('200.0'), Decimal('5.5556'), Decimal('0.5'))
    """
    used, work = assumptions or Assumptions(), load or Load()
    if held_bytes < 0:
        raise BadInput(
            f"cost of a tier: held_bytes: `{held_bytes}` must not be negative",
            "give the bytes that the tier holds",
        )
    price = tier_price(device, prices)
    if price is None:
        raise BadInput(
            f"cost of a tier: {why_no_price(f'`{device.id}`', device, prices)}",
            where_priced(device),
        )
    capacity = device.capacity_bytes
    devices, bought = _devices(device, held_bytes, capacity, used)
    missing: list[str] = []
    capex = Decimal(0)
    lines: list[CostLine] = []
    rates = provision(
        device, iops=work.provisioned_iops, throughput=work.provisioned_mb_per_s
    )
    rented = volumes(device, held_bytes, rates)
    if price.rent:
        lines.append(_rent(price, rented, bought))
    else:
        capex = price.usd * bought / UNIT_BYTES[price.per]
        lines.append(_capital(price, bought, capex, used))
        lines += _wear(device, capex, devices, work, used, missing)
    count = rented.count if price.rent else 1
    lines += _provisioned(device, work, rates, count, missing)
    lines += _requests(device, work, missing)
    # The rent of a volume or an instance includes its power.
    held = None if price.rent else bought
    lines += _power(device, devices, held, used, missing)
    total = sum((line.usd_per_month for line in lines), Decimal(0))
    running = sum(
        (line.usd_per_month for line in lines if not line.capital), Decimal(0)
    )
    return TierCost(
        device.id,
        held_bytes,
        Decimal(0) if price.rent else devices or Decimal(0),
        rented.count if price.rent else 0,
        capex,
        tuple(lines),
        total,
        running,
        tuple(missing),
        VALIDITY,
        (
            *_about_price(device, price, prices),
            *(
                rated_endurance(device, assume=True).warnings
                if work.written_bytes and not price.rent and "flash" in device.roles
                else ()
            ),
        ),
    )


def system_cost(
    tiers: Mapping[str, TierCost], used: Iterable[Price] = ()
) -> SystemCost:
    """Add tiers up, and say where their prices do not belong together.

    Parameters
    ----------
    tiers : mapping of str to TierCost
        By tier.
    used : iterable of Price
        Prices behind them, from `tier_price`, for the comparison of their dates.

    Returns
    -------
    SystemCost

    Raises
    ------
    BadInput
        If there is no tier.
    """
    if not tiers:
        raise BadInput("system cost: there is no tier", "cost at least one tier")
    return SystemCost(
        dict(tiers),
        sum((tier.capex_usd for tier in tiers.values()), Decimal(0)),
        sum((tier.usd_per_month for tier in tiers.values()), Decimal(0)),
        sum((tier.opex_usd_per_month for tier in tiers.values()), Decimal(0)),
        tuple(_about_dates(used)),
    )


def _devices(
    device: Device, held_bytes: int, capacity: int | None, used: Assumptions
) -> tuple[Decimal | None, int]:
    """Devices that hold the bytes, and the bytes that are paid for; of a volume never a whole one."""
    if device.size_is_chosen:
        return None, held_bytes
    if capacity is None:
        if used.whole_devices:
            raise BadInput(
                f"cost of a tier: `{device.id}` states no capacity, so whole devices cannot "
                "be counted",
                "price bytes instead, or add the capacity to a copy of the device",
            )
        return None, held_bytes
    if not used.whole_devices:
        return Decimal(held_bytes) / capacity, held_bytes
    count = -(-held_bytes // capacity)
    return Decimal(count), count * capacity


def _capital(price: Price, held: int, capex: Decimal, used: Assumptions) -> CostLine:
    monthly = monthly_payment(
        capex,
        months=used.amortisation_months,
        interest_per_year=used.interest_per_year,
    )
    return CostLine(
        "capital",
        monthly,
        capital=True,
        derivation=Derivation(
            "capital",
            monthly,
            "USD/month",
            "P i / (1 - (1 + i)^-n), P / n without interest",
            (
                Number("P", capex, "USD", f"{held:,} bytes at {price.text}"),
                Number("n", used.amortisation_months, "months", "amortisation"),
                Number("i", used.interest_per_year / 12, "1/month", "interest"),
            ),
            f"{price.source} ({price.date or 'undated'})",
        ),
    )


def _rent(price: Price, rented: Volumes, bought: int) -> CostLine:
    """Rent of the bytes bought, or of the least that the volumes have."""
    paid = max(rented.billed_bytes, bought)
    monthly = price.usd_per_month(paid, 1)
    return CostLine(
        "rent",
        monthly,
        capital=False,
        derivation=Derivation(
            "rent",
            monthly,
            "USD/month",
            "bytes x rent",
            (
                Number("bytes", paid, "bytes", rented.why or "held"),
                Number("rent", price.usd, price.unit, "as quoted"),
            ),
            f"{price.source} ({price.date or 'undated'})",
        ),
    )


_Charge = tuple[str, Decimal | None, str, str, Decimal]
"""Figure of the device, amount, its unit, its name for people, what the price is per."""


def _provisioned(
    device: Device, work: Load, used: Provision, count: int, missing: list[str]
) -> Iterable[CostLine]:
    """Charge what is provisioned above the allowance; the limits follow from the same."""
    for name, known, asked, what in (
        ("iops_rent", used.iops, work.provisioned_iops, "IOPS"),
        ("throughput_rent", used.throughput, work.provisioned_mb_per_s, "MB/s"),
    ):
        rent = device.figures.get(name)
        if rent is not None and rent.value and known is None and asked is None:
            missing.append(
                f"provisioned: `{device.id}` charges {rent.value} {rent.unit} for "
                f"provisioned {what}, but their number was not given"
            )
    for each in charges(device, used, count):
        if each.usd_per_month:
            yield CostLine(
                "provisioned",
                each.usd_per_month,
                capital=False,
                derivation=each.derivation,
            )


def _requests(device: Device, work: Load, missing: list[str]) -> Iterable[CostLine]:
    thousand, gb = Decimal(1000), Decimal(UNIT_BYTES["GB"])
    known = [each for each in (work.reads, work.writes) if each is not None]
    both = sum(known, Decimal(0)) if known else None
    fee = device.figures.get("request_fee")
    if fee is not None and fee.value and len(known) == 1:
        given, lacking = (
            ("writes", "reads") if work.reads is None else ("reads", "writes")
        )
        missing.append(
            f"requests: `{device.id}` charges {fee.value} {fee.unit} for {given} and {lacking}; "
            f"the number of {lacking} was not given, and their fee is left out"
        )
    month, size = "1/month", "bytes/month"
    return _charged(
        "requests",
        device,
        (
            ("read_request_fee", work.reads, month, "reads", thousand),
            ("write_request_fee", work.writes, month, "writes", thousand),
            ("request_fee", both, month, "reads and writes", PER_MILLION),
            ("upload_fee", work.written_bytes, size, "bytes written", gb),
            ("retrieval_fee", work.read_bytes, size, "bytes read", gb),
        ),
        missing,
    )


def _charged(
    name: str, device: Device, charges: Iterable[_Charge], missing: list[str]
) -> Iterable[CostLine]:
    for key, amount, unit, what, per in charges:
        price = device.figures.get(key)
        if price is None or price.value == 0:
            continue
        if amount is None:
            missing.append(
                f"{name}: `{device.id}` charges {price.value} {price.unit} for {what}, "
                "but their number was not given"
            )
        elif amount > 0:
            yield _product(name, price, amount, unit, per)


def _product(
    name: str, figure: Figure, amount: Decimal, unit: str, per: Decimal
) -> CostLine:
    monthly = figure.value * amount / per
    return CostLine(
        name,
        monthly,
        capital=False,
        derivation=Derivation(
            name,
            monthly,
            "USD/month",
            "amount x price",
            (
                Number("amount", amount, unit, "load of a month"),
                Number("price", figure.value, figure.unit, "as quoted"),
            ),
            f"{figure.source} ({figure.date or 'undated'})",
        ),
    )


def _power(
    device: Device,
    devices: Decimal | None,
    held_bytes: int | None,
    used: Assumptions,
    missing: list[str],
) -> Iterable[CostLine]:
    if used.usd_per_kwh is None:
        missing.append("power: no price of electricity was given")
        return
    active = device.figures.get("active_power_w")
    if active is None or devices is None:
        if used.watts_per_gib is not None and held_bytes is not None:
            yield _stated_power(
                held_bytes, used.usd_per_kwh, used.watts_per_gib, used.pue
            )
            return
        lacking = "active power" if active is None else "capacity"
        missing.append(f"power: `{device.id}` states no {lacking}")
        return
    idle = device.figures.get("idle_power_w", active)
    watts = idle.value + used.busy_share * (active.value - idle.value)
    monthly = (
        watts * devices * used.pue * HOURS_PER_MONTH / WATTS_PER_KW * used.usd_per_kwh
    )
    yield CostLine(
        "power",
        monthly,
        capital=False,
        derivation=Derivation(
            "power",
            monthly,
            "USD/month",
            "(idle + busy (active - idle)) x devices x PUE x 730 h / 1000 x price",
            (
                Number(
                    "idle", idle.value, "W", "active power where idle is not stated"
                ),
                Number("active", active.value, "W", "under load"),
                Number("busy", used.busy_share, "1", "assumed"),
                Number("devices", devices, "1", "devices"),
                Number("PUE", used.pue, "1", "assumed"),
                Number("price", used.usd_per_kwh, "USD/kWh", "given"),
            ),
            active.source,
        ),
    )


def _stated_power(
    held_bytes: int, usd_per_kwh: Decimal, watts_per_gib: Decimal, pue: Decimal
) -> CostLine:
    """Make the line of power by the watts that were stated for each GiB."""
    held = Decimal(held_bytes) / UNIT_BYTES["GiB"]
    monthly = watts_per_gib * held * pue * HOURS_PER_MONTH / WATTS_PER_KW * usd_per_kwh
    return CostLine(
        "power",
        monthly,
        capital=False,
        derivation=Derivation(
            "power",
            monthly,
            "USD/month",
            "watts x held x PUE x 730 h / 1000 x price",
            (
                Number("watts", watts_per_gib, "W/GiB", "stated"),
                Number("held", held, "GiB", "what is paid for"),
                Number("PUE", pue, "1", "assumed"),
                Number("price", usd_per_kwh, "USD/kWh", "given"),
            ),
            "as stated for this question",
        ),
    )


def _wear(
    device: Device,
    capex: Decimal,
    devices: Decimal | None,
    work: Load,
    used: Assumptions,
    missing: list[str],
) -> Iterable[CostLine]:
    """Add what is due besides where the rated writes run out before the amortisation ends."""
    if work.written_bytes == 0 or "flash" not in device.roles:
        return
    if work.written_bytes is None:
        missing.append("wear: the bytes written per month were not given")
        return
    endurance = rated_endurance(device, assume=True)
    rated = endurance.tb_written
    if rated is None or not devices:
        missing.append(f"wear: `{device.id}` states no endurance, or no capacity")
        return
    life = Decimal(str(rated)) * devices / (work.written_bytes / TB)
    planned = Decimal(used.amortisation_months)
    if life >= planned:
        return
    extra = capex / life - capex / planned
    yield CostLine(
        "wear",
        extra,
        capital=True,
        derivation=Derivation(
            "wear",
            extra,
            "USD/month",
            "P / life - P / amortisation, life = TBW x devices / writes",
            (
                Number("P", capex, "USD", "purchase"),
                Number("life", life, "months", "until the rated writes are used"),
                Number("amortisation", planned, "months", "planned"),
                Number("TBW", rated, "TB", f"one device: {endurance.basis}"),
                Number("writes", work.written_bytes / TB, "TB/month", "of the host"),
            ),
            f"derived; {endurance.basis}",
        ),
    )


def _about_price(
    device: Device, price: Price, prices: PriceBook | None
) -> Iterable[Caution]:
    if prices is not None and price not in prices.prices:
        yield Caution(
            "price_from_device",
            f"price book `{prices.id}` has no price for `{device.id}`; the device's "
            "own price is used",
            "add a price to a book of your own",
            about=(device.id,),
        )
    elif price.device_id is None:
        yield Caution(
            "price_of_kind",
            f"`{device.id}` is priced like every device of the kind `{device.kind}`",
            "add a quote for this device: devices of a kind differ in price",
            about=(device.id,),
        )
    if price.date is None:
        yield Caution(
            "price_undated",
            f"the price of `{device.id}` has no date: {price.source}",
            "use a dated price: prices halve or double within years",
            about=(device.id,),
        )


def _about_dates(used: Iterable[Price]) -> Iterable[Caution]:
    apart = dates_apart(
        {
            f"{index}" if name is None else f"`{name}`": price
            for index, price in enumerate(used, 1)
            for name in (price.device_id or price.kind,)
        }
    )
    if apart is not None:
        yield Caution(
            "prices_of_different_dates",
            apart,
            "use one price book of one date: these prices are not comparable",
        )
