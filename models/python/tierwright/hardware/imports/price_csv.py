"""Price lists as a table: a line of it is a price of one thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial

from tierwright.hardware.imports import focus, quotes, values
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns, Table
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.prices import Price, PriceUnit, take_prices
from tierwright.hardware.imports.source import Source

VERSION = "1"
FIELDS = (
    "sku",
    "name",
    "family",
    "region",
    "term_type",
    "lease",
    "date",
    "currency",
    "price",
    "price_per",
    "unit",
    "kind",
    "item",
)
REQUIRED = ("date", "currency", "price", "unit")
TABLE = Table(FIELDS, REQUIRED)
_SIZE = re.compile(r"(?:([1-9][0-9]{0,8}) )?([KMGTPE]i?B)")
_BYTES = {
    **{f"{power}B": 10 ** (3 * at) for at, power in enumerate("KMGTPE", 1)},
    **{f"{power}iB": 2 ** (10 * at) for at, power in enumerate("KMGTPE", 1)},
}


def recognises(head: bytes) -> bool:
    """Say whether a file begins with the names of our columns."""
    return TABLE.recognises(head)


def read(
    source: Source, ledger: Ledger, columns: Columns = NO_COLUMNS
) -> Iterator[Price]:
    """Read the lines of a table; rows are counted as lines of the file, so the first is 2.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8 text, not a table, or lacks a required column.
    """
    ledger.format_version = VERSION
    for price in take_prices(_made(TABLE.rows(source, ledger, columns)), ledger):
        if not price.item and not ledger.is_known(price):
            ledger.leave_unresolved(
                price.row,
                price.sku or price.name,
                "neither the file nor a mapping states which device or part this is",
            )
        yield price


def unit_of(text: str) -> PriceUnit:
    """Return what a unit means: pieces, a time, bytes that are bought, or bytes for a time.

    Raises
    ------
    Skip
        If it is absent, unknown or means several things.

    Examples
    --------
    >>> unit_of("GiB").amount, unit_of("EA").measure, unit_of("GB-Months").measure
    (1073741824, 'piece', 'byte_month')
    """
    size = _SIZE.fullmatch(text)
    if size is not None:
        count, each = int(size[1] or 1), _BYTES[size[2]]
        return PriceUnit(
            "byte", count * each, f"price of {count * each:,} bytes that are bought"
        )
    if text.upper() in quotes.UNITS:
        known = quotes.UNITS[text.upper()]
        measure = {"piece": "piece", "hour": "hour", "month": "month"}.get(known.one)
        if measure is None:
            raise Skip(
                f"unit `{shown(text)}` is a {known.one}: state the price of a month"
            )
        many = known.one if known.count == 1 else known.many
        note = f" ({known.note})" if known.note else ""
        return PriceUnit(measure, known.count, f"price of {known.count:,} {many}{note}")
    return focus.unit_of(text)


def _made(
    rows: Iterator[tuple[Row, Mapping[str, str] | Skip]],
) -> Iterator[tuple[Row, str, Callable[[Row], Price]]]:
    for row, fields in rows:
        if isinstance(fields, Skip):
            yield row, "", partial(_refuse, fields)
            continue
        stated = {name: fields.get(name, "").strip() for name in FIELDS}
        printed = stated["unit"]
        if stated["price_per"]:
            printed = f"{printed}, price per {stated['price_per']}"
        yield row, printed, partial(_price, stated)


def _refuse(left_out: Skip, _row: Row) -> Price:
    raise left_out


def _price(stated: Mapping[str, str], row: Row) -> Price:
    """Return the price of a line.

    Raises
    ------
    Skip
        If a text is not what its field must be.
    """
    if not stated["sku"] and not stated["name"]:
        raise Skip("neither a SKU nor a name is stated")
    kind, item = stated["kind"], stated["item"]
    if bool(kind) != bool(item) or (kind and kind not in quotes.BUYABLE):
        raise Skip(
            f"kind `{shown(kind)}` and item `{shown(item)}` must be stated together, and the kind be one of {', '.join(quotes.BUYABLE)}"
        )
    unit = unit_of(stated["unit"])
    per = (
        values.positive(stated["price_per"], "price_per")
        if stated["price_per"]
        else Decimal(1)
    )
    if per != per.to_integral_value():
        raise Skip(f"price_per `{shown(stated['price_per'])}` is not a whole number")
    many = int(per) * unit.amount
    day = values.day(stated["date"], "date")
    if day is None:
        raise Skip("no date is stated")
    return Price(
        row=row,
        sku=stated["sku"],
        family=stated["family"],
        region=stated["region"],
        name=stated["name"],
        term_type=stated["term_type"],
        price_code="",
        lease=stated["lease"],
        effective=day,
        unit=PriceUnit(
            unit.measure,
            many,
            unit.words if per == 1 else f"{unit.words}, stated per {int(per):,}",
        ),
        begin=Decimal(0),
        end=None,
        price=values.number(stated["price"], "price"),
        currency=values.currency(stated["currency"]),
        kind=kind,
        item=item,
    )
