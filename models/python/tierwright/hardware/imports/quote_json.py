"""Quotes in our own JSON: a list of quotes, each with its lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput
from tierwright.hardware.imports.json_stream import refuse_constant, without_twins
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.quotes import (
    FIELDS,
    MOST_BYTES,
    Fields,
    QuoteLine,
    take_lines,
)
from tierwright.hardware.imports.source import Source

FORMAT = "tierwright-quotes"
VERSION = 1
OF_QUOTE = FIELDS[:5]
OF_LINE = FIELDS[5:]
_HINT = f'write {{"format": "{FORMAT}", "version": {VERSION}, "quotes": [{{"quote_id": ..., "lines": [...]}}]}}'


def recognises(head: bytes) -> bool:
    """Say whether a file is an object that names our format at its beginning."""
    text = head.decode("utf-8-sig", "replace")
    return text.lstrip().startswith("{") and f'"{FORMAT}"' in text


def read(source: Source, ledger: Ledger) -> Iterator[QuoteLine]:
    """Read the lines of all quotes, counted from 1 through the file.

    Raises
    ------
    BadInput
        If it is too large, not JSON, or not a document of this format and version.
    """
    quotes = quotes_of(source, ledger)
    for at, quote in enumerate(quotes):
        place = f"{source.place}: quotes[{at}]"
        if not isinstance(quote, dict) or not isinstance(quote.get("lines"), list):
            raise BadInput(f"{place}: must be an object with a list `lines`", _HINT)
        _refuse_others(quote, (*OF_QUOTE, "lines"), place)
    yield from take_lines(_rows(quotes), ledger)


def quotes_of(source: Source, ledger: Ledger | None = None) -> list[Any]:
    """Return the quotes of a document of our format, not yet checked.

    Raises
    ------
    BadInput
        If it is too large, not JSON, or not a document of this format and version.
    """
    data = document(source)
    if data.get("format") != FORMAT or _text(data.get("version")) != str(VERSION):
        raise BadInput(
            f"{source.place}: format `{shown(data.get('format'))}`, version "
            f"`{shown(_text(data.get('version')))}` is not `{FORMAT}`, version {VERSION}",
            _HINT,
        )
    if ledger is not None:
        ledger.format_version = str(VERSION)
    _refuse_others(data, ("format", "version", "quotes"), source.place)
    quotes = data.get("quotes")
    if not isinstance(quotes, list):
        raise BadInput(f"{source.place}: `quotes` must be a list", _HINT)
    return quotes


def document(source: Source) -> dict[str, Any]:
    """Return the object that a file of JSON holds, its numbers as exact Decimals.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8 text, not an object of JSON, or states a key twice.
    """
    text = source.text(MOST_BYTES)
    data = parse_json(
        text,
        source.place,
        _HINT,
        parse_float=Decimal,
        parse_constant=refuse_constant,
        object_pairs_hook=without_twins,
    )
    if not isinstance(data, dict):
        raise BadInput(f"{source.place}: must be an object", _HINT)
    return data


def _rows(quotes: list[dict[str, Any]]) -> Iterator[tuple[Row, Fields | Skip]]:
    row = 0
    for quote in quotes:
        for fields in lines_of(quote):
            row += 1
            yield row, fields


def lines_of(quote: Mapping[str, Any]) -> Iterator[Fields | Skip]:
    """Yield the texts of each line of one quote, or why it cannot be taken.

    Parameters
    ----------
    quote : mapping
        With a list `lines`; what all lines share stands beside it.
    """
    for line in quote["lines"]:
        if not isinstance(line, dict):
            yield Skip(f"the line `{shown(line)}` is not an object")
            continue
        stated = {**{name: quote.get(name) for name in OF_QUOTE}, **line}
        try:
            yield _texts(stated, line)
        except Skip as left_out:
            yield left_out


def _texts(stated: Mapping[str, Any], line: Mapping[str, Any]) -> Fields:
    for name in line:
        if name not in OF_LINE:
            raise Skip(f"the key `{shown(name)}` is not one of {', '.join(OF_LINE)}")
    texts = {}
    for name, value in stated.items():
        if isinstance(value, bool):
            raise Skip(f"{name} is true or false, neither a text nor a number")
        if value is not None and not isinstance(value, (str, int, Decimal)):
            raise Skip(f"{name} `{shown(value)}` is neither a text nor a number")
        texts[name] = _text(value)
    return texts


def _text(value: Any) -> str:
    """Return a value as a table would print it."""
    if value is None:
        return ""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < 30:  # noqa: PLR2004
        return format(value, "f")
    return str(value)


def _refuse_others(
    found: Mapping[str, Any], known: tuple[str, ...], place: str
) -> None:
    for name in found:
        if name not in known:
            raise BadInput(
                f"{place}: the key `{shown(name)}` is not one of {', '.join(known)}",
                "move it into `lines`" if name in OF_LINE else "remove it",
            )
