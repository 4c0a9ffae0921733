"""AWS Price List offer files, JSON and CSV, row by row: a file of any size in bounded memory.

A row is a price dimension: one tier of one term of one SKU. Of JSON only the products are kept while it is
read, as SKU, family, region and name; of CSV nothing is.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports import values
from tierwright.hardware.imports.json_stream import JsonStream
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.lines import Lines, rows_of
from tierwright.hardware.imports.prices import Price, PriceUnit, take_prices
from tierwright.hardware.imports.source import Source

MOST_MIB = 512
"""Memory that a process needs at most for a file of any size, measured. [MiB]"""
MOST_PRODUCTS = 500_000
"""Products of a JSON file, which are kept while its terms are read."""
_MOST_KEPT_CHARACTERS = 2**25
_MOST_SKU = 64
TERM_TYPES = ("OnDemand", "Reserved")
_NAMES = ("instanceType", "volumeApiName", "usagetype", "usageType")
"""Attributes that name a product, the most exact first."""
_INSTANCES = "Compute Instance"
"""Family of the instances; metal has another one."""
_PLAIN = (
    ("operatingSystem", "Operating System", "Linux"),
    ("tenancy", "Tenancy", "Shared"),
    ("preInstalledSw", "Pre Installed S/W", "NA"),
    ("capacitystatus", "CapacityStatus", "Used"),
    ("licenseModel", "License Model", "No License required"),
)
"""What tells the price of a type from those of its other products: attribute, column, value."""
_MARKET = ("marketoption", "MarketOption", "OnDemand")
"""Stated by newer files alone."""
_METADATA = ("formatversion", "disclaimer", "publication date", "version", "offercode")
_COLUMNS = (
    *("SKU", "OfferTermCode", "RateCode", "TermType", "EffectiveDate"),
    *("StartingRange", "EndingRange", "Unit", "PricePerUnit", "Currency"),
)
_HINT = "give an offer file as AWS publishes it, JSON or CSV"


UNITS = {
    "hrs": PriceUnit("hour", 1, "price of 1 hour"),
    "hours": PriceUnit("hour", 1, "price of 1 hour"),
    "iops-mo": PriceUnit(
        "io_per_s_month",
        1,
        "price of 1 I/O operation per second for 1 month (its hours are not stated)",
    ),
    "gibps-mo": PriceUnit(
        "byte_per_s_month",
        2**30,
        "price of 1 GiB/s (1,024 MiB/s) for 1 month (its hours are not stated)",
    ),
    "mibps-mo": PriceUnit(
        "byte_per_s_month",
        2**20,
        "price of 1 MiB/s for 1 month (its hours are not stated)",
    ),
}
"""Units that mean one thing in all offers; case is ignored, as it varies within one file."""
GB_MONTH = PriceUnit(
    "byte_month",
    2**30,
    "price of 1 GiB (2^30 bytes) for 1 month (its hours are not stated)",
)
GB_IS_GIB = frozenset({"AmazonEC2"})
"""Offers of which it is known that GB is 2^30 bytes."""
UPFRONT = PriceUnit("term", 1, "payment up front for the whole term")


def recognises(head: bytes) -> bool:
    """Say whether a file begins as an offer file."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text.startswith("{"):
        return '"offerCode"' in text and '"formatVersion"' in text
    return text[:16].lower().replace('"', "").startswith("formatversion,")


def read(source: Source, ledger: Ledger) -> Iterator[Price]:
    """Read the prices of an offer file in their order.

    Raises
    ------
    BadInput
        If it is not UTF-8 text, not an offer file, or one that needs more memory than is allowed.
    """
    is_json = source.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    free = 0
    for price in (_read_json if is_json else _read_csv)(source, ledger):
        free += price.is_free_allowance
        yield price
    if free:
        ledger.warn(
            "free_allowances",
            f"{counted(free, 'row is a free allowance', 'rows are free allowances')}: the "
            "price of such a product is that of its next tier.",
        )


def unit_of(text: str, offer: str, term_type: str) -> PriceUnit:
    """Return what a unit of an offer means.

    Raises
    ------
    Skip
        If it is absent, unknown, or means several things.

    Examples
    --------
    >>> unit_of("GiBps-mo", "AmazonEC2", "OnDemand").amount == 2**30
    True
    """
    folded = text.strip().lower()
    if not folded:
        raise Skip("no unit is stated")
    if (found := UNITS.get(folded)) is not None:
        return found
    if folded == "gb-mo":
        if offer in GB_IS_GIB:
            return GB_MONTH
        raise Skip(
            f"unit `{shown(text)}` may be 10^9 or 2^30 bytes in the offer `{shown(offer)}`"
        )
    if folded == "quantity" and term_type == "Reserved":
        return UPFRONT
    raise Skip(f"unit `{shown(text)}` is unknown")


def _price(stated: Mapping[str, str], offer: str, row: Row) -> Price:
    """Return a price from the texts of its row, by the columns of the CSV.

    Raises
    ------
    Skip
        If a text is not what its column must be.
    """
    term_type = stated["TermType"]
    if term_type not in TERM_TYPES:
        raise Skip(f"term type `{shown(term_type)}` is not OnDemand or Reserved")
    if not stated["SKU"]:
        raise Skip("no SKU is stated")
    unit = unit_of(stated["Unit"], offer, term_type)
    effective = values.day_of(stated["EffectiveDate"])
    if effective is None:
        raise Skip(
            f"effective date `{shown(stated['EffectiveDate'])}` is not a date of ISO 8601"
        )
    begin, end = stated["StartingRange"], stated["EndingRange"]
    first = values.number(begin, "beginning of the tier") if begin else Decimal(0)
    last = (
        None
        if not end or end.lower() == "inf"
        else values.number(end, "end of the tier")
    )
    if last is not None and last <= first:
        raise Skip(f"the tier ends at `{shown(end)}`, before it begins")
    return Price(
        row=row,
        sku=stated["SKU"],
        family=stated["Product Family"],
        region=stated["Region Code"],
        name=stated["Name"],
        term_type=term_type,
        price_code=stated["OfferTermCode"],
        lease=stated["LeaseContractLength"],
        effective=effective,
        unit=unit,
        begin=first,
        end=last,
        price=values.number(stated["PricePerUnit"], "price"),
        currency=values.currency(stated["Currency"]),
        instance=stated["Instance"] if term_type == "OnDemand" else "",
    )


def _made(
    rows: Iterable[tuple[Row, Mapping[str, str] | Skip, str]],
) -> Iterator[tuple[Row, str, Callable[[Row], Price]]]:
    for row, stated, offer in rows:
        if isinstance(stated, Skip):
            yield row, "", partial(_refuse, stated)
        else:
            yield row, stated["Unit"].strip(), partial(_price, stated, offer)


def _refuse(left_out: Skip, _row: Row) -> Price:
    raise left_out


def _note_head(name: str, text: str, ledger: Ledger) -> None:
    if name == "formatversion":
        ledger.format_version = shown(text)
    elif name == "publicationdate" and (day := values.day_of(text)):
        ledger.published(day)


# JSON


class _Products:
    """The products of a file in little memory: facts that many share are kept once."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._index: dict[str, int] = {}
        self._facts: list[tuple[str, str, str, bool]] = []
        self._numbers: dict[tuple[str, str, str, bool], int] = {}
        self._facts_of = array("L")
        self._priced = bytearray()
        self._kept = 0

    def add(self, sku: str, product: object) -> None:
        """Keep a product."""
        if sku in self._index:
            raise BadInput(
                f"{self._place}: the product `{shown(sku)}` is stated twice", _HINT
            )
        if len(sku) > _MOST_SKU:
            raise BadInput(
                f"{self._place}: the SKU `{shown(sku)}` has more than {_MOST_SKU} characters",
                _HINT,
            )
        if len(self._index) == MOST_PRODUCTS or self._kept > _MOST_KEPT_CHARACTERS:
            raise BadInput(
                f"{self._place}: has more than {MOST_PRODUCTS:,} products, or more text in them "
                "than is kept",
                "give the offer file of one region, or as CSV, which has no such limit",
            )
        found = product if isinstance(product, dict) else {}
        attributes = found.get("attributes")
        attributes = attributes if isinstance(attributes, dict) else {}
        name = next((n for n in _NAMES if _text(attributes.get(n))), "")
        facts = (
            _text(found.get("productFamily"))[:_MOST_FACT],
            _text(attributes.get("regionCode"))[:_MOST_FACT],
            _text(attributes.get(name))[:_MOST_FACT],
            name == "instanceType"
            and _is_plain(_text(found.get("productFamily")), attributes, 0),
        )
        number = self._numbers.setdefault(facts, len(self._facts))
        self._kept += len(sku)
        if number == len(self._facts):
            self._facts.append(facts)
            self._kept += sum(map(len, facts[:3]))
        self._index[sku] = len(self._facts_of)
        self._facts_of.append(number)
        self._priced.append(0)

    def facts_of(self, sku: str) -> tuple[str, str, str, bool] | None:
        """Return family, region and name of a product that has a price, and whether it is a plain instance; None if it is unknown."""
        at = self._index.get(sku)
        if at is None:
            return None
        self._priced[at] = 1
        return self._facts[self._facts_of[at]]

    def without_price(self) -> Iterator[str]:
        """Yield the SKUs of products that no term names."""
        return (sku for sku, at in self._index.items() if not self._priced[at])


_MOST_FACT = 120


def _is_plain(family: str, stated: Mapping[str, Any], at: int) -> bool:
    """Whether a product is an instance with Linux on shared hardware: by its attributes (`at` 0) or its columns (1)."""
    return (
        family == _INSTANCES
        and all(stated.get(each[at]) == each[2] for each in _PLAIN)
        and (stated.get(_MARKET[at]) or _MARKET[2]) == _MARKET[2]
    )


def _read_json(source: Source, ledger: Ledger) -> Iterator[Price]:
    stream = JsonStream(source)
    products = _Products(source.place)
    stated: dict[str, str] = {}
    for key in _once(stream, source.place):
        if key == "products":
            for sku in stream.members():
                products.add(sku, stream.value())
            stated[key] = ""
        elif key == "terms":
            if "products" not in stated:
                raise BadInput(
                    f"{source.place}: its terms stand before its products",
                    "give the file as it was published, with its products first",
                )
            offer = stated.get("offerCode", "")
            rows = _rows_of_terms(stream, products, offer, ledger)
            yield from take_prices(_made(rows), ledger)
            stated[key] = ""
        elif key in _HEAD:
            stated[key] = _text(stream.value())
            _note_head(key.lower(), stated[key], ledger)
        else:
            stream.skip()
    stream.finish()
    if "terms" not in stated:
        raise BadInput(f"{source.place}: has no `terms`", _HINT)
    for sku in products.without_price():
        ledger.leave_unresolved(sku, sku, "the product has no price in this file")


_HEAD = ("formatVersion", "offerCode", "publicationDate")
_ONCE = frozenset({*_HEAD, "products", "terms"})


def _once(stream: JsonStream, place: str) -> Iterator[str]:
    """Yield the keys of an object, and refuse one of those that are read if it comes again."""
    seen: set[str] = set()
    for key in stream.members():
        if key in seen:
            raise BadInput(f"{place}: the key `{shown(key)}` is stated twice", _HINT)
        if key in _ONCE:
            seen.add(key)
        yield key


def _rows_of_terms(
    stream: JsonStream, products: _Products, offer: str, ledger: Ledger
) -> Iterator[tuple[Row, Mapping[str, str] | Skip, str]]:
    for term_type in stream.members():
        for sku in stream.members():
            facts = products.facts_of(sku)
            if facts is None:
                ledger.leave_unresolved(sku, sku, "the file has no product of this SKU")
            family, region, name, is_plain = facts or ("", "", "", False)
            head = {
                "SKU": sku,
                "TermType": term_type,
                "Product Family": family,
                "Region Code": region,
                "Name": name,
                "Instance": name if is_plain else "",
            }
            for code, term in _items(stream.value()):
                for row, stated in _rows_of_term(code, term, head):
                    yield row, stated, offer


def _rows_of_term(
    code: str, term: object, head: Mapping[str, str]
) -> Iterator[tuple[Row, Mapping[str, str] | Skip]]:
    if not isinstance(term, dict) or not isinstance(term.get("priceDimensions"), dict):
        yield code, Skip("the term has no price dimensions")
        return
    attributes = term.get("termAttributes")
    lease = (
        attributes.get("LeaseContractLength") if isinstance(attributes, dict) else ""
    )
    stated = {
        **head,
        "OfferTermCode": _text(term.get("offerTermCode")),
        "EffectiveDate": _text(term.get("effectiveDate")),
        "LeaseContractLength": _text(lease),
    }
    for rate, found in term["priceDimensions"].items():
        prices = found.get("pricePerUnit") if isinstance(found, dict) else None
        if not isinstance(prices, dict) or not prices:
            yield rate, Skip("no price per unit is stated")
        elif len(prices) > 1:
            yield (
                rate,
                Skip(
                    f"the price is stated in {counted(len(prices), 'currency', 'currencies')}"
                ),
            )
        else:
            ((currency, price),) = prices.items()
            yield (
                rate,
                {
                    **stated,
                    "Unit": _text(found.get("unit")),
                    "StartingRange": _either(found, "beginRange", "startingRange"),
                    "EndingRange": _either(found, "endRange", "endingRange"),
                    "PricePerUnit": _text(price),
                    "Currency": currency,
                },
            )


def _items(found: object) -> Iterable[tuple[str, Any]]:
    return found.items() if isinstance(found, dict) else ()


def _text(value: object) -> str:
    """Return a text or the text of a number; empty for anything else."""
    return value if isinstance(value, str) else ""


def _either(found: Mapping[str, object], published: str, documented: str) -> str:
    """Return a range by the name that files use, or by that of the documentation."""
    return _text(found.get(published, found.get(documented)))


# CSV


def _read_csv(source: Source, ledger: Ledger) -> Iterator[Price]:
    lines = Lines(source, _HINT)
    table = csv.reader(iter(lines), strict=True)
    try:
        head: dict[str, str] = {}
        for _ in _METADATA:
            cells = next(table, [])
            if len(cells) < 2 or cells[0].strip().lower() not in _METADATA:  # noqa: PLR2004
                raise BadInput(
                    f"{source.place}: line {table.line_num}: is not one of the five lines of metadata",
                    _HINT,
                )
            head[cells[0].strip().lower().replace(" ", "")] = cells[1].strip()
        for name, text in head.items():
            _note_head(name, text, ledger)
        columns = [name.strip() for name in next(table, [])]
        for name in _COLUMNS:
            if columns.count(name) != 1:
                raise BadInput(
                    f"{source.place}: line {table.line_num}: names the column `{name}` "
                    f"{counted(columns.count(name), 'time')}, not once",
                    _HINT,
                )
        rows = _rows_of_table(table, columns, head.get("offercode", ""), lines)
        yield from take_prices(_made(rows), ledger)
    except csv.Error as error:
        raise BadInput(
            f"{source.place}: line {table.line_num}: not a table: {error}", _HINT
        ) from error


_PLACES = {
    "Product Family": ("Product Family",),
    "Region Code": ("Region Code",),
    "Name": ("Instance Type", "Volume API Name", "usageType"),
    "LeaseContractLength": ("LeaseContractLength",),
    **{name: (name,) for name in _COLUMNS},
}
"""Columns of the file that a field of a row is taken from: the first that is not empty."""


def _rows_of_table(
    table: Any, columns: list[str], offer: str, lines: Lines
) -> Iterator[tuple[Row, Mapping[str, str] | Skip, str]]:
    places = {
        field: [columns.index(name) for name in names if name in columns]
        for field, names in _PLACES.items()
    }
    told = {
        name: columns.index(name)
        for name in (*(each[1] for each in _PLAIN), _MARKET[1], "Instance Type")
        if name in columns
    }
    for row, cells in rows_of(table, len(columns), lines):
        if isinstance(cells, Skip):
            yield row, cells, offer
            continue
        stated = {
            field: next((cells[at] for at in found if cells[at]), "")
            for field, found in places.items()
        }
        stated["Instance"] = ""
        if stated["Product Family"] == _INSTANCES:
            own = {name: cells[at] for name, at in told.items()}
            if _is_plain(_INSTANCES, own, 1):
                stated["Instance"] = own.get("Instance Type", "")
        yield row, stated, offer
