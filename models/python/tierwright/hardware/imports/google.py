"""Google's Cloud Billing Catalog: the SKUs of one answer of the service, or of several joined in one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
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

_SIZES = {
    "By": (0, "byte"),
    **{
        f"{power}iBy": (10 * at, f"{power}iB (2^{10 * at} bytes)")
        for at, power in enumerate("KMGTPE", 1)
    },
}
_MONTH_HOURS = 744
"""Hours of the month by which Google converts: 31 days."""
_TIMES = {"h": ("hour", 1), "mo": ("month", _MONTH_HOURS)}
_PIECES = {"count": "piece", "h": "hour", "mo": "month"}
_NANOS = Decimal(10) ** 9
_MOST_NANOS = 10**9
_SECONDS = 3600
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_FACTOR = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?([eE]\+?[0-9]{1,2})?")
_LEASES = {"Commit1Yr": "1 Year", "Commit3Yr": "3 Years"}
TYPES = ("OnDemand", "Preemptible", *_LEASES)
_HINT = "give an answer of the Cloud Billing Catalog, or one object with the skus of several"

_Made = tuple[Row, str, Callable[[Row], Price]]


def recognises(head: bytes) -> bool:
    """Say whether a file begins as an answer of the service."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    return text.startswith("{") and '"skus"' in text and '"pricingInfo"' in text


def read(source: Source, ledger: Ledger) -> Iterator[Price]:
    """Read each tier of each region of each SKU in their order, as the id of the SKU, the region and the place of the tier.

    Raises
    ------
    BadInput
        If it is not UTF-8 text, or not an answer of the service.
    """
    stream = JsonStream(source)
    had_skus = False
    for key in stream.members():
        if key == "skus":
            if had_skus:
                raise BadInput(f"{source.place}: `skus` is stated twice", _HINT)
            had_skus = True
            yield from take_prices(_skus(stream, ledger), ledger)
        elif key == "nextPageToken":
            if _text(stream.value()):
                ledger.warn(
                    "more_pages",
                    "The answer names a next page: this file does not have all prices.",
                    "join the skus of all pages in one object, and import that",
                )
        else:
            stream.skip()
    stream.finish()
    if not had_skus:
        raise BadInput(f"{source.place}: has no `skus`", _HINT)


def _skus(stream: JsonStream, ledger: Ledger) -> Iterator[_Made]:
    today = datetime.now(UTC).date().isoformat()
    ahead = 0
    for at, item in enumerate(stream.elements(), 1):
        sku = _table(item)
        name = _text(sku.get("skuId")) or str(at)
        infos = _list(sku.get("pricingInfo"))
        if not infos:
            yield name, "", partial(_refuse, "it has no price")
        for number, info in enumerate(infos):
            row = name if len(infos) == 1 else f"{name}, price {number + 1}"
            effective = values.day_of(_text(info.get("effectiveTime")))
            ahead += effective is not None and effective > today
            yield from _tiers(row, sku, info, effective)
    if ahead:
        ledger.warn(
            "prices_of_the_future",
            f"{counted(ahead, 'price begins', 'prices begin')} after today.",
            "a price book leaves them out until then",
        )


def _tiers(
    row: str, sku: Mapping[str, Any], info: Mapping[str, Any], effective: str | None
) -> Iterator[_Made]:
    expression = _table(info.get("pricingExpression"))
    printed = _text(expression.get("usageUnit"))
    rates = _list(expression.get("tieredRates"))
    if effective is None:
        stated = shown(_text(info.get("effectiveTime")))
        why = f"effective time `{stated}` is not a time of ISO 8601"
        yield row, printed, partial(_refuse, why)
        return
    if not rates:
        yield row, printed, partial(_refuse, "it has no tier")
        return
    regions = [
        each for each in _values(sku.get("serviceRegions")) if isinstance(each, str)
    ]
    for region in regions or [""]:
        place = row if len(regions) <= 1 else f"{row}, {region}"
        for at, rate in enumerate(rates):
            where = place if len(rates) == 1 else f"{place}, tier {at + 1}"
            end = rates[at + 1].get("startUsageAmount") if at + 1 < len(rates) else None
            yield (
                where,
                printed,
                partial(_price, sku, expression, rate, end, region, effective),
            )


def unit_of(expression: Mapping[str, Any]) -> PriceUnit:
    """Return what a price is of: a piece, a time, or bytes for a time.

    Raises
    ------
    Skip
        If its unit is absent or unknown, or the factor to the base unit says something else.

    Examples
    --------
    >>> unit_of({"usageUnit": "GiBy.mo"}).amount
    1073741824
    """
    printed = _text(expression.get("usageUnit"))
    if not printed:
        raise Skip("no unit is stated")
    size, _, time = printed.rpartition(".")
    if not size and printed in _PIECES:
        measure = _PIECES[printed]
        _check_factor(expression, _seconds_of(printed))
        note = _note(expression) if printed == "mo" else ""
        return PriceUnit(measure, 1, f"price of 1 {measure}{note}")
    if not size and printed in _SIZES:
        raise Skip(
            f"unit `{shown(printed)}` is of bytes that are moved, not of bytes that are held or bought"
        )
    if size in _SIZES and time in _TIMES:
        power, words = _SIZES[size]
        measure, _ = _TIMES[time]
        _check_factor(expression, 2**power * _seconds_of(time))
        note = _note(expression) if time == "mo" else ""
        return PriceUnit(
            f"byte_{measure}", 2**power, f"price of 1 {words} for 1 {measure}{note}"
        )
    raise Skip(f"unit `{shown(printed)}` is unknown")


def _seconds_of(time: str) -> int:
    """Return the seconds of a time, and 1 of a count."""
    return _TIMES[time][1] * _SECONDS if time in _TIMES else 1


def _note(expression: Mapping[str, Any]) -> str:
    """Say how long a month is: by the factor where it is stated, which is then that of 744 hours."""
    if _factor(expression) is None:
        return " (its hours are not stated)"
    return f" (converted by {_MONTH_HOURS} hours)"


def _factor(expression: Mapping[str, Any]) -> float | None:
    """Return the factor to the base unit, a double as the service computes it."""
    text = _text(expression.get("baseUnitConversionFactor"))
    if not text:
        return None
    if not _FACTOR.fullmatch(text):
        raise Skip(f"conversion factor `{shown(text)}` is not a number above 0")
    return float(text)


def _check_factor(expression: Mapping[str, Any], usual: int) -> None:
    """Refuse a unit whose factor to bytes and seconds, where it is stated, is another than it should be.

    Raises
    ------
    Skip
        If it is.
    """
    factor = _factor(expression)
    if factor is not None and factor != float(usual):
        raise Skip(
            f"unit `{shown(_text(expression.get('usageUnit')))}` has the conversion factor `{factor:.17g}`, not {usual}"
        )


def _refuse(reason: str, _row: Row) -> Price:
    raise Skip(reason)


def _price(
    sku: Mapping[str, Any],
    expression: Mapping[str, Any],
    rate: Mapping[str, Any],
    end: object,
    region: str,
    effective: str,
    row: Row,
) -> Price:
    """Return the price of a tier.

    Raises
    ------
    Skip
        If a value is not what its key must be.
    """
    category = _table(sku.get("category"))
    usage = _text(category.get("usageType"))
    if usage not in TYPES:
        raise Skip(f"usage type `{shown(usage)}` is not one of {', '.join(TYPES)}")
    name = _text(sku.get("skuId"))
    if not name:
        raise Skip("no SKU is stated")
    unit = unit_of(expression)
    price, currency = _money(_table(rate.get("unitPrice")))
    begin = _amount(rate.get("startUsageAmount"))
    return Price(
        row=row,
        sku=name,
        family=_text(category.get("resourceFamily")),
        region=region,
        name=_text(sku.get("description")),
        term_type=usage,
        price_code=_text(category.get("resourceGroup")),
        lease=_LEASES.get(usage, ""),
        effective=effective,
        unit=unit,
        begin=begin,
        end=None if end is None else _amount(end),
        price=price,
        currency=values.currency(currency),
    )


def _money(stated: Mapping[str, Any]) -> tuple[Decimal, str]:
    """Return the exact sum of units and billionths, either of which may be left out where it is 0, and the currency.

    Raises
    ------
    Skip
        If one is not a whole number of 0 or more, or the billionths are a unit or more.
    """
    parts = []
    for key in ("units", "nanos"):
        text = _text(stated.get(key, "0"))
        if not _NUMBER.fullmatch(text):
            raise Skip(f"{key} `{shown(text)}` is not a whole number")
        if text.startswith("-"):
            raise Skip(f"{key} `{shown(text)}` is below 0: a credit is no price")
        parts.append(int(text))
    units, nanos = parts
    if nanos >= _MOST_NANOS:
        raise Skip(f"nanos `{nanos:,}` are a unit or more")
    if "units" not in stated and "nanos" not in stated:
        raise Skip("no price is stated")
    return values.EXACT.add(
        Decimal(units), values.EXACT.divide(Decimal(nanos), _NANOS)
    ), _text(stated.get("currencyCode"))


def _amount(stated: object) -> Decimal:
    text = _text(stated)
    return values.computed(text, "beginning of the tier") if text else Decimal(0)


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _values(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _list(value: object) -> list[Mapping[str, Any]]:
    return [_table(each) for each in _values(value)]


def _text(value: object) -> str:
    """Return a text, or the text of a number; empty for anything else."""
    return value if isinstance(value, str) else ""
