"""Quotes as a table: a line of it is a line of a quote."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.hardware.imports.columns import NO_COLUMNS, Columns, Table
from tierwright.hardware.imports.ledger import Ledger
from tierwright.hardware.imports.quotes import FIELDS, REQUIRED, QuoteLine, take_lines
from tierwright.hardware.imports.source import Source

VERSION = "1"
TABLE = Table(FIELDS, REQUIRED)


def recognises(head: bytes) -> bool:
    """Say whether a file begins with the names of our columns."""
    return TABLE.recognises(head)


def read(
    source: Source, ledger: Ledger, columns: Columns = NO_COLUMNS
) -> Iterator[QuoteLine]:
    """Read the lines of a table; rows are counted as lines of the file, so the first is 2.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8 text, not a table, or lacks a required column.
    """
    ledger.format_version = VERSION
    yield from take_lines(TABLE.rows(source, ledger, columns), ledger)
