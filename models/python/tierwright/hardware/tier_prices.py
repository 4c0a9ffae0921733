"""What a page of each tier costs, from a price book or the figures of its device."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.currency import text_of, three_digits
from tierwright.common.errors import BadInput
from tierwright.common.units import UNIT_BYTES
from tierwright.common.wording import counted
from tierwright.hardware.device import Device
from tierwright.hardware.prices import (
    Price,
    PriceBook,
    check_amortisation,
    dates_apart,
    own_price,
    why_no_price,
)
from tierwright.hardware.provisioning import (
    ProvisionedCharge,
    Volumes,
    charges,
    provision,
    volumes,
)
from tierwright.profile.curve import Curve

_DIGITS = 6
"""Significant digits of a price in a formula."""


@dataclass(frozen=True, slots=True)
class CostPart:
    """Monthly cost of one tier.

    Attributes
    ----------
    held_bytes : int
        Bytes priced. [bytes]
    usd_per_month : Decimal or None
        None when there is no price; then `reason` says why. [USD/month]
    price, unit, source, date : str or None
        The price used, its unit, where it is from and when it was seen.
    reason : str
        Why there is no cost; empty when there is one.
    provisioned_usd_per_month : Decimal
        Rent of provisioned IOPS and throughput, inside `usd_per_month`. [USD/month]
    provisioned : str
        How that rent comes about; empty where there is none.
    billed_bytes : int
        Bytes that the price is of: those held, or the least that can be rented; 0 where there is
        no price. [bytes]
    billed : str
        Why more is billed than is held; empty where it is not.
    volumes : int
        Volumes rented, as many as hold the bytes; 0 where nothing is rented. [1]
    """

    held_bytes: int
    usd_per_month: Decimal | None
    price: str | None = None
    unit: str | None = None
    source: str | None = None
    date: str | None = None
    reason: str = ""
    provisioned_usd_per_month: Decimal = Decimal(0)
    provisioned: str = ""
    billed_bytes: int = 0
    billed: str = ""
    volumes: int = 0

    def how(self, amortisation_months: int) -> str:
        """Say how the price becomes a cost a month, with the numbers put in."""
        if self.price is None or self.unit is None:
            return ""
        spread = (
            ""
            if self.unit.endswith("/month")
            else f" / {counted(amortisation_months, 'month')}"
        )
        rented = f" + {self.provisioned}" if self.provisioned else ""
        price = three_digits(Decimal(self.price), _DIGITS)
        least = f"; {self.billed}" if self.billed else ""
        return (
            f"{self.billed_bytes:,} bytes x {price} {self.unit}{spread}{rented}{least}"
        )


def _cost_parts(
    curve: Curve,
    ram_pages: int,
    flash_pages: int,
    devices: tuple[Device | None, Device, Device],
    prices: PriceBook | None,
    months: int,
) -> tuple[dict[str, CostPart], tuple[Caution, ...]]:
    ram, flash, disk = devices
    held = {
        "ram": (ram, ram_pages * curve.page_bytes),
        "flash": (flash, flash_pages * curve.page_bytes),
        "disk": (disk, curve.data_pages * curve.page_bytes),
    }
    parts: dict[str, CostPart] = {}
    warnings: list[Caution] = []
    used: dict[str, Price] = {}
    for tier, (device, size) in held.items():
        if tier == "disk" and not curve.data_known:
            parts[tier] = CostPart(
                size, None, reason="the size of the data was not stated"
            )
            continue
        price, caution = _price(tier, device, prices)
        if caution is not None:
            warnings.append(caution)
        if price is None:
            parts[tier] = CostPart(
                size,
                None,
                reason=why_no_price(_tier_part(tier, device), device, prices),
            )
            continue
        used["RAM" if tier == "ram" else tier] = price
        parts[tier] = _priced_part(size, price, months, device)
    warnings += _about_book(prices, used)
    return parts, tuple(warnings)


def _priced_part(
    size: int, price: Price, months: int, device: Device | None
) -> CostPart:
    """Rent or purchase of the bytes, and the rent of what the device provisions."""
    extra: list[ProvisionedCharge] = []
    held: Volumes | None = None
    if device is not None and size:
        try:
            used = provision(device)
            held = volumes(device, size, used) if price.rent else None
            extra = list(charges(device, used, held.count if held else 1))
        except BadInput as error:
            return CostPart(size, None, reason=error.message)
    rented = sum((each.usd_per_month for each in extra), Decimal(0))
    billed = held.billed_bytes if held else size
    return CostPart(
        size,
        price.usd_per_month(billed, months) + rented,
        text_of(price.usd),
        price.unit,
        price.source,
        price.date,
        provisioned_usd_per_month=rented,
        provisioned=" + ".join(each.text for each in extra),
        billed_bytes=billed,
        billed=held.why if held else "",
        volumes=held.count if held else 0,
    )


def part_of_devices(
    part: CostPart, device: Device, count: int, amortisation_months: int
) -> CostPart:
    """Price a tier as whole devices instead of the bytes that it holds.

    Parameters
    ----------
    part : CostPart
        The tier by its bytes.
    device : Device
        What it is made of.
    count : int
        Devices or volumes: as many as hold the bytes, or more. [1]
    amortisation_months : int
        Months over which a purchase is spread. [months]

    Returns
    -------
    CostPart
        Drives are bought whole; of a rented volume each provisions, and has its least size. The
        tier as it was where it has no price, or a drive no stated capacity.
    """
    if part.price is None or part.unit is None or part.held_bytes == 0:
        return part
    per = part.unit.split("/")[1]
    each = Decimal(part.price) / UNIT_BYTES[per]
    if part.unit.endswith("/month"):
        used = provision(device)
        extra = list(charges(device, used, count))
        rented = sum((charge.usd_per_month for charge in extra), Decimal(0))
        least = volumes(device, 1, used).least_bytes
        billed = max(part.held_bytes, count * least)
        return replace(
            part,
            usd_per_month=each * billed + rented,
            provisioned_usd_per_month=rented,
            provisioned=" + ".join(charge.text for charge in extra),
            billed_bytes=billed,
            billed=counted(count, "volume") if count > 1 else part.billed,
            volumes=count,
        )
    if not device.capacity_bytes:
        return part
    billed = count * device.capacity_bytes
    return replace(
        part,
        usd_per_month=each * billed / amortisation_months,
        billed_bytes=billed,
        billed=counted(count, "whole device"),
    )


def _about_book(
    prices: PriceBook | None, used: Mapping[str, Price]
) -> tuple[Caution, ...]:
    """Say once that prices are of different dates, or of a book that is retired."""
    found = []
    if prices is not None and prices.retired:
        found.append(
            Caution(
                "price_book_retired",
                f"price book `{prices.id}` is retired: {prices.retired}",
                "choose a newer book, or one of your own",
                about=(prices.id,),
            )
        )
    apart = dates_apart(used)
    if apart is not None:
        found.append(
            Caution(
                "prices_of_different_dates",
                apart,
                "add a price to a price book of your own: these prices are not "
                "comparable",
            )
        )
    return tuple(found)


def _price(
    tier: str, device: Device | None, prices: PriceBook | None
) -> tuple[Price | None, Caution | None]:
    """Price of a tier: the book's for the device, its kind's there, the device's own."""
    own = None if device is None else own_price(device)
    found = prices and (
        prices.find(device_id=None, kind="dram")
        if device is None
        else prices.price_of(device)
    )
    if not found:
        if device is None or own is None:
            return None, None
        return own, _priced_by_profile(tier, device, own, prices)
    if device is not None and found.device_id is None and prices is not None:
        return found, _priced_as_kind(tier, device, found, own, prices)
    return found, None


@dataclass(frozen=True, slots=True)
class PagePrices:
    """What a page held costs a month; the cost of sizes is in proportion, volumes apart.

    Attributes
    ----------
    ram, flash : float
        Of a page held there; 0 where `reason` says that it is not known. [USD/month]
    flash_provisioned : float
        Rent of what a flash volume provisions, whatever its size. [USD/month]
    flash_least_pages, flash_largest_pages : float
        Least and largest flash that one volume is rented with; 0 and infinite where the device
        states none, or is bought. [pages]
    data_set : float
        Of all distinct pages of the workload on disk. [USD/month]
    reason : str
        Why there is no cost; empty when there is one.
    cautions : tuple of Caution
        What to know about the prices.
    """

    ram: float
    flash: float
    data_set: float
    reason: str
    cautions: tuple[Caution, ...]
    flash_provisioned: float = 0.0
    flash_least_pages: float = 0.0
    flash_largest_pages: float = math.inf

    def flash_usd(self, pages: FloatArray) -> FloatArray:
        """Cost of flash of these sizes, in the volumes that hold it: 0 for none. [USD/month]"""
        count = np.ceil(pages / self.flash_largest_pages)
        count = np.where(pages > 0, np.maximum(count, 1), 0)
        billed = np.maximum(pages, count * self.flash_least_pages)
        return np.asarray(billed * self.flash + count * self.flash_provisioned)


def page_prices(
    curve: Curve,
    devices: tuple[Device | None, Device, Device],
    prices: PriceBook | None,
    amortisation_months: int,
) -> PagePrices:
    """Monthly cost of a page in RAM and on flash, and of the data set on disk.

    Parameters
    ----------
    curve : Curve
        For its page size and distinct pages.
    devices : tuple of Device
        RAM (or None), flash, disk.
    prices : PriceBook or None
        Prices, chosen as in `evaluate`.
    amortisation_months : int
        Months over which purchases are spread. [months]

    Returns
    -------
    PagePrices

    Raises
    ------
    BadInput
        If the months are no positive whole number.
    """
    months = check_amortisation(amortisation_months)
    parts, cautions = _cost_parts(
        curve, PRICED_PAGES, PRICED_PAGES, devices, prices, months
    )
    reasons = dict.fromkeys(part.reason for part in parts.values() if part.reason)
    if reasons:
        return PagePrices(0.0, 0.0, 0.0, "; ".join(reasons), cautions)
    usd = {tier: float(part.usd_per_month or 0) for tier, part in parts.items()}
    page = curve.page_bytes
    each = {
        tier: (usd[tier] - float(part.provisioned_usd_per_month)) / part.billed_bytes
        for tier, part in parts.items()
        if tier != "disk"
    }
    rented = parts["flash"].volumes
    one = volumes(devices[1], 1, provision(devices[1])) if rented else None
    return PagePrices(
        each["ram"] * page,
        each["flash"] * page,
        usd["disk"],
        "",
        cautions,
        float(parts["flash"].provisioned_usd_per_month) / max(rented, 1),
        one.least_bytes / page if one else 0.0,
        one.largest_bytes / page if one and one.largest_bytes else math.inf,
    )


PRICED_PAGES = 2**20
"""Pages priced at once, to divide by: money is a decimal, and a page costs little."""


def _tier_part(tier: str, device: Device | None) -> str:
    return f"the {tier} device `{device.id}`" if device else "RAM (kind `dram`)"


def _stated(price: Price) -> str:
    return f"{price.text} ({price.date or 'undated'})"


def _priced_as_kind(
    tier: str, device: Device, price: Price, own: Price | None, prices: PriceBook
) -> Caution:
    beside = "" if own is None else f"; the device's own price is {_stated(own)}"
    return Caution(
        "price_of_kind",
        f"price book `{prices.id}` prices the {tier} device `{device.id}` like every "
        f"device of the kind `{device.kind}`, {_stated(price)}{beside}",
        "add a quote for this device to a price book of your own: devices of a kind "
        "differ in price",
        about=(device.id,),
    )


def _priced_by_profile(
    tier: str, device: Device, price: Price, prices: PriceBook | None
) -> Caution:
    book = (
        "no price book was chosen"
        if prices is None
        else (
            f"price book `{prices.id}` has no price for the {tier} device `{device.id}`"
        )
    )
    return Caution(
        "price_from_device",
        f"{book}; the own price of `{device.id}` is used, {_stated(price)}",
        "add a price of the book's date to a book of your own",
        about=(device.id,),
    )
