"""Carts of SAP OCI: the fields of the form that a supplier's shop posts back.

Fields are `NEW_ITEM-NAME[n]`, counted from 1, with all values as texts. A price is that of PRICEUNIT
units, and an empty PRICEUNIT is 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.quote_json import document
from tierwright.hardware.imports.quotes import (
    MOST_BYTES,
    Fields,
    QuoteLine,
    take_lines,
)
from tierwright.hardware.imports.source import Source

NAMES = {
    "EXT_QUOTE_ID": "quote_id",
    "VENDOR": "supplier",
    "CURRENCY": "currency",
    "LEADTIME": "lead_time_days",
    "VENDORMAT": "part_number",
    "MANUFACTCODE": "manufacturer",
    "MANUFACTMAT": "manufacturer_part_number",
    "DESCRIPTION": "description",
    "QUANTITY": "quantity",
    "UNIT": "unit",
    "PRICE": "price",
    "PRICEUNIT": "price_per",
}
"""Fields of the form, and what they are here."""
_FIELD = re.compile(r"NEW_ITEM-([A-Z0-9_]+)\[([0-9]{1,6})\]")
_LONG_TEXT = re.compile(r"NEW_ITEM-LONGTEXT_([0-9]{1,6}):[0-9]+(\[\])?")
_MOST_FIELDS = 200_000
_HINT = "give the body of the form as it was posted, or its fields as nested JSON"


def recognises(head: bytes) -> bool:
    """Say whether the beginning has a field of an item."""
    return b"NEW_ITEM-" in head and not head.lstrip().startswith(b"<")


def read(source: Source, ledger: Ledger) -> Iterator[QuoteLine]:
    """Read the items of a cart; rows are their indices.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8, or no item of a form.
    """
    nested = source.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    pairs = list(_nested(source) if nested else _form(source))
    items: dict[int, dict[str, str]] = {}
    twice: dict[int, str] = {}
    others = 0
    for key, value in pairs:
        found = _FIELD.fullmatch(key)
        if found is None:
            others += not _LONG_TEXT.fullmatch(key)
            continue
        at, name = int(found[2]), found[1]
        item = items.setdefault(at, {})
        if name in item:
            twice.setdefault(at, name)
        item[name] = value
    if not items:
        raise BadInput(f"{source.place}: has no field `NEW_ITEM-...[1]`", _HINT)
    if others:
        ledger.warn(
            "fields_not_read",
            f"{counted(others, 'field of the form is', 'fields of the form are')} not of an item and not read.",
        )
    yield from take_lines(_rows(items, twice), ledger)


def _rows(
    items: dict[int, dict[str, str]], twice: dict[int, str]
) -> Iterator[tuple[Row, Fields | Skip]]:
    for at, item in sorted(items.items()):
        if at == 0:
            yield at, Skip("the index is 0: items of OCI are counted from 1")
        elif at in twice:
            yield at, Skip(f"the field `{shown(twice[at])}` is stated twice")
        else:
            yield (
                at,
                {mine: item.get(theirs, "") for theirs, mine in NAMES.items()},
            )


def _form(source: Source) -> Iterator[tuple[str, str]]:
    text = source.text(MOST_BYTES).strip()
    try:
        yield from parse_qsl(
            text,
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{source.place}: a field of the form is not UTF-8: {error.reason}",
            "post the form with the character set UTF-8",
        ) from error
    except ValueError as error:
        raise BadInput(
            f"{source.place}: the form has more than {_MOST_FIELDS:,} fields", _HINT
        ) from error


def _nested(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the fields that a framework has put into objects: `NEW_ITEM-PRICE` -> {1: ...}."""
    for name, by_index in document(source).items():
        if not isinstance(by_index, dict):
            yield name, ""
            continue
        for index, value in by_index.items():
            if not isinstance(value, str):
                raise BadInput(
                    f"{source.place}: {shown(name)}[{shown(index)}]: `{shown(value)}` is not a text",
                    "write all values of OCI as texts, as the form has them",
                )
            yield f"{name}[{index}]", value
