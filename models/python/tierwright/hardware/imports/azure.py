"""Azure Retail Prices: the items of one answer of the service, or of several joined in one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports import values
from tierwright.hardware.imports.json_stream import JsonStream
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.prices import Price, PriceUnit, take_prices
from tierwright.hardware.imports.source import Source

TYPES = ("Consumption", "DevTestConsumption", "Reservation")
TERMS = ("1 Year", "3 Years", "5 Years")
"""Lengths of a reservation, whose price is that of the whole term whatever its unit says."""
UNITS = {
    "1 Hour": PriceUnit("hour", 1, "price of 1 hour"),
    "100 Hours": PriceUnit("hour", 100, "price of 100 hours"),
    "1/Hour": PriceUnit("hour", 1, "price of 1 piece for 1 hour"),
    "1/Month": PriceUnit(
        "month", 1, "price of 1 piece for 1 month (its hours are not stated)"
    ),
    "1 GiB/Hour": PriceUnit(
        "byte_hour", 2**30, "price of 1 GiB (2^30 bytes) for 1 hour"
    ),
    "1 GiB/Month": PriceUnit(
        "byte_month",
        2**30,
        "price of 1 GiB (2^30 bytes) for 1 month (its hours are not stated)",
    ),
}
_BASE_CURRENCY = "USD"
_SERIES = re.compile(r"Virtual Machines [A-Za-z0-9]{1,40} Series")
_HINT = "give an answer of the retail prices service, or one object with the Items of several"


def recognises(head: bytes) -> bool:
    """Say whether a file begins as an answer of the service."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    return text.startswith("{") and '"BillingCurrency"' in text and '"Items"' in text


def read(source: Source, ledger: Ledger) -> Iterator[Price]:
    """Read the items in their order, counted from 1.

    Raises
    ------
    BadInput
        If it is not UTF-8 text, or not an answer of the service.
    """
    stream = JsonStream(source)
    had_items = False
    for key in stream.members():
        if key == "Items":
            if had_items:
                raise BadInput(f"{source.place}: `Items` is stated twice", _HINT)
            had_items = True
            yield from take_prices(_items(stream, ledger), ledger)
        elif key in ("NextPageLink", "BillingCurrency"):
            _note(key, _text(stream.value()), ledger)
        else:
            stream.skip()
    stream.finish()
    if not had_items:
        raise BadInput(f"{source.place}: has no `Items`", _HINT)


def _items(
    stream: JsonStream, ledger: Ledger
) -> Iterator[tuple[Row, str, Callable[[Row], Price]]]:
    plans = 0
    for row, item in enumerate(stream.elements(), 1):
        found = item if isinstance(item, dict) else {}
        plans += bool(found.get("savingsPlan"))
        yield row, _printed(found), partial(_price, found)
    if plans:
        ledger.warn(
            "savings_plans_not_read",
            f"{counted(plans, 'row has savings plans, which are', 'rows have savings plans, which are')} not read.",
        )


def _note(key: str, value: str, ledger: Ledger) -> None:
    if key == "NextPageLink" and value:
        ledger.warn(
            "more_pages",
            "The answer names a next page: this file does not have all prices.",
            "join the Items of all pages in one object, and import that",
        )
    if key == "BillingCurrency" and value != _BASE_CURRENCY:
        ledger.warn(
            "reference_currency",
            f"The prices are in `{shown(value)}`; Azure sets prices in US dollars and states those of other "
            "currencies for reference.",
            "request the prices in USD where the bill is in USD",
        )


def unit_of(item: Mapping[str, Any]) -> PriceUnit:
    """Return what the price of an item is of.

    Raises
    ------
    Skip
        If its unit is absent, unknown, or means several things, or a reservation has no known term.

    Examples
    --------
    >>> unit_of({"unitOfMeasure": "1 Hour", "type": "Consumption"}).measure
    'hour'
    """
    printed, term = _text(item.get("unitOfMeasure")), _text(item.get("reservationTerm"))
    if _text(item.get("type")) == "Reservation":
        if term not in TERMS:
            raise Skip(
                f"reservation term `{shown(term)}` is not one of {', '.join(TERMS)}"
            )
        return PriceUnit(
            "term", 1, f"payment for the whole term of {term}, whatever the unit says"
        )
    if term:
        raise Skip(
            f"reservation term `{shown(term)}` is stated, but it is not a reservation"
        )
    if not printed:
        raise Skip("no unit is stated")
    if (found := UNITS.get(printed)) is not None:
        return found
    if "GB" in printed:
        raise Skip(f"unit `{shown(printed)}` may be 10^9 or 2^30 bytes")
    raise Skip(f"unit `{shown(printed)}` is unknown")


def _printed(item: Mapping[str, Any]) -> str:
    unit, term = _text(item.get("unitOfMeasure")), _text(item.get("reservationTerm"))
    return f"{unit}, reservation of {term}" if term else unit


def _price(item: Mapping[str, Any], row: Row) -> Price:
    """Return the price of an item.

    Raises
    ------
    Skip
        If a value is not what its key must be.
    """
    kind = _text(item.get("type"))
    if kind not in TYPES:
        raise Skip(f"type `{shown(kind)}` is not one of {', '.join(TYPES)}")
    unit = unit_of(item)
    price = values.number(_text(item.get("retailPrice")), "retail price")
    by_unit = _text(item.get("unitPrice"))
    if by_unit and values.number(by_unit, "unit price") != price:
        raise Skip(f"retail price `{price:f}` and unit price `{shown(by_unit)}` differ")
    effective = values.day_of(_text(item.get("effectiveStartDate")))
    if effective is None:
        raise Skip(
            f"effective date `{shown(_text(item.get('effectiveStartDate')))}` is not a date of ISO 8601"
        )
    tier = _text(item.get("tierMinimumUnits"))
    sku, meter = _text(item.get("skuId")), _text(item.get("meterId"))
    if not sku or not meter:
        raise Skip("no SKU or no meter is stated")
    return Price(
        row=row,
        sku=sku,
        family=_text(item.get("serviceFamily")),
        region=_text(item.get("armRegionName")),
        name=_text(item.get("meterName")),
        term_type=kind,
        price_code=meter,
        lease=_text(item.get("reservationTerm")),
        effective=effective,
        unit=unit,
        begin=values.number(tier, "beginning of the tier") if tier else Decimal(0),
        end=None,
        price=price,
        currency=values.currency(_text(item.get("currencyCode"))),
        instance=_instance(item) if kind == "Consumption" else "",
    )


def _instance(item: Mapping[str, Any]) -> str:
    """Return the type of a virtual machine with Linux; empty where the item is not exactly that.

    Its product is called `Virtual Machines ... Series`, with nothing behind, and its SKU as the type: those with Windows,
    at a low priority or on spare capacity have a word more.
    """
    name = _text(item.get("armSkuName"))
    plain = name.removeprefix("Standard_").replace("_", " ")
    is_plain = (
        _text(item.get("serviceName")) == "Virtual Machines"
        and _SERIES.fullmatch(_text(item.get("productName"))) is not None
        and _text(item.get("skuName")) == plain
    )
    return name if is_plain else ""


def _text(value: object) -> str:
    """Return a text or the text of a number, written without an exponent; empty for anything else."""
    return values.without_exponent(value) if isinstance(value, str) else ""
