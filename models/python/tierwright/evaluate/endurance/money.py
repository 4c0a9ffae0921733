"""What the flash of an outlook costs as it wears: the device's price over its writes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tierwright.common.errors import Problems
from tierwright.common.units import UNIT_BYTES
from tierwright.evaluate.endurance.outlook import SchemeLife, WriteBudget
from tierwright.evaluate.endurance.wear import WearCost, wear_cost
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook, own_price
from tierwright.hardware.rated_endurance import DAYS_PER_YEAR

DAYS_PER_MONTH = DAYS_PER_YEAR / 12


def purchase_usd(
    device: Device, prices: PriceBook | None, devices: int = 1
) -> tuple[Decimal | None, str]:
    """Purchase price of equal devices, or why it is not known.

    Parameters
    ----------
    device : Device
        One of them; its own price is used where the book has none.
    prices : PriceBook or None
        Asked first.
    devices : int
        How many.

    Returns
    -------
    tuple of (Decimal or None, str)
        The price [USD], and the reason where there is none.
    """
    price = prices.price_of(device) if prices else None
    price = price or own_price(device)
    if price is None:
        return None, f"`{device.id}` has no price; choose a price book that has one"
    if price.rent:
        return (
            None,
            f"`{device.id}` is rented by the month: its wear costs you nothing",
        )
    if device.capacity_bytes is None:
        return None, f"`{device.id}` states no capacity to multiply its price by"
    each = price.usd * device.capacity_bytes / UNIT_BYTES[price.per]
    return each * devices, ""


def scheme_cost(
    life: SchemeLife,
    budget: WriteBudget,
    device_usd: Decimal | None,
    amortisation_months: int,
    *,
    written_tb: float = 0.0,
    growth_per_year: float = 0.0,
) -> WearCost | None:
    """Endurance as money under one scheme, at today's writes.

    Parameters
    ----------
    life : SchemeLife
        For the writes of a day.
    budget : WriteBudget
        Small writes in place, as page-flow schemes make them.
    device_usd : Decimal or None
        Price of all devices. [USD]
    amortisation_months : int
        Months over which they are written off. [months]
    written_tb : float
        Written to them before. [10^12 bytes]
    growth_per_year : float
        Of the load. [1/year]

    Returns
    -------
    WearCost or None
        None without a price or a budget.

    Raises
    ------
    BadInput
        As `wear_cost`.
    """
    if device_usd is None or budget.in_place_tb is None:
        return None
    return wear_cost(
        device_usd=device_usd,
        rated_tb=Decimal(repr(budget.in_place_tb)),
        tb_per_month=Decimal(repr(life.tb_per_day * DAYS_PER_MONTH)),
        amortisation_months=amortisation_months,
        written_tb=Decimal(repr(written_tb)),
        growth_per_year=growth_per_year,
    )


@dataclass(frozen=True, slots=True)
class WholeDrives:
    """What the drives cost that are bought, beside the share that is in use.

    Attributes
    ----------
    purchase_usd, usd_per_month : Decimal
        Of all drives, at once and over the months of amortisation. [USD], [USD/month]
    held_share : float
        Share of their capacity that the flash pages take, at most 1. [1]
    held_usd_per_month : Decimal
        Of that share: what a comparison of schemes counts. [USD/month]
    """

    purchase_usd: Decimal
    usd_per_month: Decimal
    held_share: float
    held_usd_per_month: Decimal


def whole_drives(
    purchase_usd: Decimal,
    *,
    months: int,
    held_bytes: int,
    capacity_bytes: int,
) -> WholeDrives:
    """Spread the price of drives over months: what is bought is whole drives.

    Parameters
    ----------
    purchase_usd : Decimal
        Of all drives. [USD]
    months : int
        Over which they are written off. [months]
    held_bytes, capacity_bytes : int
        Flash in use, and capacity of all drives. [bytes]

    Raises
    ------
    BadInput
        If the price is negative, or a size or the months are not above 0.

    Examples
    --------
    >>> found = whole_drives(
    ...     Decimal(720), months=36, held_bytes=10**11, capacity_bytes=10**12
    ... )
    >>> found.usd_per_month, found.held_share, found.held_usd_per_month
    (Decimal('20'), 0.1, Decimal('2.0'))
    """
    problems = Problems("whole drives", "give prices in USD, sizes in bytes")
    problems.check(purchase_usd >= 0, "purchase_usd", purchase_usd, "is negative")
    for name, value in (
        ("months", months),
        ("held_bytes", held_bytes),
        ("capacity_bytes", capacity_bytes),
    ):
        problems.check(value > 0, name, value, "must be above 0")
    problems.raise_if_any()
    share = min(Decimal(held_bytes) / Decimal(capacity_bytes), Decimal(1))
    a_month = purchase_usd / months
    return WholeDrives(purchase_usd, a_month, float(share), a_month * share)
