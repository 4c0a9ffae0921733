"""Quotes in our own CSV: a line of the table is a line of a quote."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, listed
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.quotes import (
    FIELDS,
    MOST_BYTES,
    REQUIRED,
    Fields,
    QuoteLine,
    take_lines,
)
from tierwright.hardware.imports.source import Source

VERSION = "1"
_SEPARATORS = (",", ";", "\t")
_HINT = f"name the columns in the first line; {listed(REQUIRED)} are required"


def recognises(head: bytes) -> bool:
    """Say whether a file begins with the names of our columns."""
    return _separator(head.decode("utf-8-sig", "replace")) is not None


def read(source: Source, ledger: Ledger) -> Iterator[QuoteLine]:
    """Read the lines of a table; rows are counted as lines of the file, so the first is 2.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8 text, not a table, or lacks a required column.
    """
    text = source.text(MOST_BYTES)
    separator = _separator(text)
    if separator is None:
        raise BadInput(f"{source.place}: the first line lacks required columns", _HINT)
    ledger.format_version = VERSION
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        columns = [name.strip().lower() for name in next(table)]
        _check_columns(columns, source.place, ledger)
        yield from take_lines(_rows(table, columns), ledger)
    except csv.Error as error:
        raise BadInput(
            f"{source.place}: line {table.line_num}: not a table: {error}",
            "write quotes inside a cell twice, and close every quoted cell",
        ) from error


def _separator(text: str) -> str | None:
    first = text.lstrip("\r\n").partition("\n")[0]
    if text[:1] in ("\r", "\n"):
        return None
    for separator in _SEPARATORS:
        names = {
            name.strip().strip('"').strip().lower() for name in first.split(separator)
        }
        if names.issuperset(REQUIRED):
            return separator
    return None


def _check_columns(columns: list[str], place: str, ledger: Ledger) -> None:
    for name in columns:
        if name and columns.count(name) > 1:
            raise BadInput(
                f"{place}: line 1: the column `{shown(name)}` is named twice", _HINT
            )
    if others := [shown(name) for name in columns if name and name not in FIELDS]:
        ledger.warn(
            "columns_not_read",
            f"Columns that are not read: {', '.join(f'`{name}`' for name in others)}.",
            f"the columns that are read are {listed(FIELDS)}",
        )


def _rows(
    table: Iterator[list[str]], columns: list[str]
) -> Iterator[tuple[Row, Fields | Skip]]:
    while True:
        line = table.line_num + 1  # type: ignore[attr-defined]
        cells = next(table, None)
        if cells is None:
            return
        if not cells or not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(columns):
            yield (
                line,
                Skip(
                    f"the line has {counted(len(cells), 'cell')}, the header {len(columns)}"
                ),
            )
            continue
        yield line, dict(zip(columns, cells, strict=True))
