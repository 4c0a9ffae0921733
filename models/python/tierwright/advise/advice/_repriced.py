"""What is sold at other prices of the RAM and the flash that are bought; rents stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from tierwright.evaluate.advice.tiers import Shelf
from tierwright.evaluate.configurations.columns import Columns
from tierwright.hardware.device import Device
from tierwright.hardware.prices import Price

FLASH = ("nvme", "sata_ssd")
"""Kinds of drives whose price moves with that of RAM."""
_PRICE_PLACES = Decimal("1e-9")


def columns_at(
    columns: Columns, part_usd: Mapping[str, Decimal], times: Decimal
) -> Columns:
    """Return what is sold whole, with memory modules and flash drives at so many times their prices.

    Parameters
    ----------
    columns : Columns
    part_usd : mapping of str to Decimal
        Prices that were stated. [USD]
    times : Decimal
        [1]
    """
    if not len(columns.sold.chassis):
        return columns
    stated = dict(part_usd)
    for item in (*columns.sold.dimms, *columns.sold.drives):
        if item.price is not None and item.part.kind in (*FLASH, "dimm"):
            # A stated price has no more decimals than this.
            stated[item.part.id] = (item.price.usd * times).quantize(_PRICE_PLACES)
    return columns.repriced(replace(columns.wanted, part_usd=stated))


def shelf_at(shelf: Shelf, times: Decimal) -> Shelf:
    """Return what is bought by itself, with RAM and flash at so many times their prices; rents stay."""

    def at(price: Price) -> Price:
        return price if price.rent else replace(price, usd=price.usd * times)

    def of(each: tuple[Device, Price | None]) -> tuple[Device, Price | None]:
        device, price = each
        if device.kind not in FLASH or price is None:
            return each
        return device, at(price)

    return Shelf(
        None if shelf.ram is None else at(shelf.ram),
        tuple(of(each) for each in shelf.stores),
        tuple(of(each) for each in shelf.caches),
    )
