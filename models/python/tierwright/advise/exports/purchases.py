"""The list of what an advice buys and rents, for an order: as CSV, or as a workbook whose texts are texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tierwright.advise.exports.bill import (
    Billed,
    classed,
    option_of,
    sold,
    table_csv,
)
from tierwright.advise.report._options import Cell
from tierwright.advise.report._workbook import table_of

COLUMNS = (
    "position",
    "item",
    "name",
    "supplier",
    "kind",
    "quantity",
    "unit of the price",
    "unit price [USD]",
    "date of the price",
    "at purchase [USD]",
    "per month [USD]",
    "source",
    "note",
)
TITLE = "Purchase list"
FREE = frozenset({"owned", "reserved"})
"""Rows of a bill that are not ordered."""


def purchases_csv(document: Mapping[str, Any], *, option: str = "recommended") -> str:
    """Return the list as CSV.

    Parameters
    ----------
    document : mapping
        Plain data of an advice.
    option : str
        Key of `tierwright.advise.exports.bill.OPTIONS`.

    Raises
    ------
    BadInput
        As `tierwright.advise.exports.bill.option_of`.
    """
    billed = option_of(document, option)
    return table_csv(*classed(document, COLUMNS, _rows(billed)))


def purchases_workbook(
    document: Mapping[str, Any], *, option: str = "recommended"
) -> bytes:
    """Return the list as a workbook (.xlsx); the same advice gives the same bytes.

    Parameters
    ----------
    document : mapping
        Plain data of an advice.
    option : str
        Key of `tierwright.advise.exports.bill.OPTIONS`.

    Raises
    ------
    BadInput
        As `purchases_csv`, or if the package XlsxWriter is not installed.
    """
    billed = option_of(document, option)
    headings, rows = classed(document, COLUMNS, _rows(billed))
    return table_of(dict(billed.document), TITLE, TITLE, headings, rows)


def _rows(billed: Billed) -> list[list[Cell]]:
    ordered = [row for row in billed.rows if row["kind"] not in FREE]
    return [
        [
            position,
            row["what"],
            (what := sold(row)).name,
            what.provider,
            row["kind"],
            row["quantity"],
            row["unit"],
            row["unit_price"],
            row["date"],
            row["purchase_usd"],
            row["usd_per_month"],
            row["source"] or None,
            row["note"] or None,
        ]
        for position, row in enumerate(ordered, start=1)
    ]
