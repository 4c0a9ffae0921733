"""A report of a placement as a workbook: the money of all bills as live formulas, the rest as tables."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from tierwright.advise.report import _answer, _sharing
from tierwright.advise.report._answer import Document, named
from tierwright.advise.report._workbook import (
    ANSWER,
    ASSUMPTIONS,
    BILL,
    SOURCES,
    Sheet,
    Sums,
    Total,
    assumptions,
    begin,
    bill_rows,
    bill_widths,
    identity_of,
    live,
    months_cell,
    over_horizon,
    sources,
    sums_at,
    total_row,
    unpriced,
)

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook

SYSTEMS = "Systems"
WAYS = "Ways to share"


def workbook_of(document: Document, *, title: str) -> bytes:
    """Return a placement as a workbook; the same placement gives the same bytes.

    Parameters
    ----------
    document : mapping
        As `_document.checked_placement` returns it.
    title : str
        Heading of the first sheet.

    Raises
    ------
    BadInput
        If the package XlsxWriter is not installed.
    """
    stream, book = begin(document, title)
    names = (ANSWER, BILL, SYSTEMS, WAYS, ASSUMPTIONS, SOURCES)
    sheets = {name: Sheet.of(book, name) for name in names}
    sums = _bills(sheets[BILL], book, document)
    _first(sheets[ANSWER], document, title, sums)
    headings, rows = _sharing.options_table(document)
    sheets[SYSTEMS].table(headings, rows)
    sheets[WAYS].table(*_sharing.way_table(document))
    assumptions(sheets[ASSUMPTIONS], document)
    options = [each["option"] for each in document["systems"]]
    sources(sheets[SOURCES], document, list(_sharing.formulas(document)), options)
    book.close()
    return stream.getvalue()


def _bills(sheet: Sheet, book: Workbook, document: Document) -> Sums | None:
    """Write the bill of each system, and the sums of all."""
    sheet.line(["Bill of materials"], "title")
    if not document["systems"]:
        sheet.line([_sharing.NOTHING])
        return None
    horizon = document["horizon_months"]
    months_cell(sheet, book, horizon)
    totals = []
    for each in document["systems"]:
        sheet.row += 1
        sheet.line([f"{_sharing.carried(each)}: {named(each['option'])}"], "strong")
        totals.append(bill_rows(sheet, each["option"], horizon))
        unpriced(sheet, each["option"])
    sheet.row += 1
    whole = _whole(sheet, totals)
    sheet.row += 1
    if horizon is not None:
        over_horizon(sheet, whole, horizon)
    bill_widths(sheet)
    return sums_at(whole.row)


def _whole(sheet: Sheet, totals: Sequence[Total]) -> Total:
    """Write the sums of all systems."""
    columns = totals[0].sums
    return total_row(
        sheet,
        "all systems",
        {
            column: "=" + "+".join(f"{column}{each.row}" for each in totals)
            for column in columns
        },
        {
            column: sum((each.sums[column] for each in totals), Decimal(0))
            for column in columns
        },
    )


def _first(sheet: Sheet, document: Document, title: str, sums: Sums | None) -> None:
    sheet.line([title], "title")
    sheet.line([identity_of(document)], "dim")
    sheet.row += 1
    sheet.line(["Finding", document["finding"]])
    for each in _answer.currency(document):
        sheet.line(["Currency", each])
    sheet.row += 1
    if sums is not None:
        month, purchase = document["usd_per_month"], document["purchase_usd"]
        live(sheet, "All systems [USD per month]", f"={sums.per_month}", month)
        live(sheet, "At purchase [USD]", f"={sums.purchase}", purchase)
        sheet.row += 1
    headings, held = _sharing.held_table(document)
    for heading, rows in (
        ("Question", _sharing.questions(document)),
        ("Who holds what", [headings, *held] if held else []),
        ("Expected figures", _answer.expected_of(_sharing.titled(document))),
    ):
        if rows:
            sheet.line([heading], "strong")
            for row in rows:
                sheet.line(row)
            sheet.row += 1
    sheet.sheet.set_column(0, 0, 44)
    sheet.sheet.set_column(1, max(4, len(document["systems"])), 40)
    sheet.sheet.activate()
