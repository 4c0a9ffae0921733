"""A report as a workbook: the money of the bill as live formulas, the rest as tables."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from tierwright.advise.advice.limit_cost import TITLE
from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import (
    Document,
    currency,
    expected,
    named,
    questions,
    sentence_of,
    status_of,
)
from tierwright.advise.report._basis import could_change, derived_value
from tierwright.advise.report._document import is_placement
from tierwright.advise.report._formulas import SYMBOLS, Formula, formulas
from tierwright.advise.report._markup import plain_text
from tierwright.advise.report._options import (
    FORMULA,
    LIMIT_HEADINGS,
    Cell,
    limit_rows,
    options_table,
)
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.evaluate.bill import CENT, EXACT
from tierwright.evaluate.economics import HOURS_PER_MONTH

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

ANSWER, BILL, OPTIONS, LIMITS, ASSUMPTIONS, SOURCES = SHEETS = (
    "Answer",
    "Bill of materials",
    "Options",
    TITLE,
    "Assumptions",
    "Sources",
)
HORIZON = "horizon_months"
"""Name of the cell that holds the months over which purchases are spread."""
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""When every workbook says that it was made: the same advice gives the same bytes."""
_MOST_LETTERS = 32_000
"""Of one cell."""
_PURCHASE = "USD"
"""Unit of a price that is paid once; every other is due every month."""
_PER_HOUR = "USD/hour"
_LONGEST_HORIZON = 1200


def workbook_of(document: Document, *, title: str) -> bytes:
    """Return an advice as a workbook; the same advice gives the same bytes.

    What a limit costs has a sheet where the advice says it.

    Parameters
    ----------
    document : mapping
        As `_document.checked` returns it.
    title : str
        Heading of the first sheet.

    Raises
    ------
    BadInput
        If the package XlsxWriter is not installed.
    """
    stream, book = begin(document, title)
    limits = limit_rows(document)
    sheets = {name: Sheet.of(book, name) for name in SHEETS if limits or name != LIMITS}
    sums = _bill(sheets[BILL], book, document)
    _answer(sheets[ANSWER], document, title, sums)
    headings, rows = options_table(document)
    sheets[OPTIONS].table(headings, rows)
    if limits:
        sheets[LIMITS].table(LIMIT_HEADINGS, limits)
    assumptions(sheets[ASSUMPTIONS], document)
    _sources(sheets[SOURCES], document)
    book.close()
    return stream.getvalue()


def table_of(
    document: Document,
    title: str,
    name: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[Cell]],
) -> bytes:
    """Return one table of an advice as a workbook; its texts are texts, whatever they begin with.

    Parameters
    ----------
    document : mapping
        As `_document.checked` returns it.
    title : str
        Of the file.
    name : str
        Of its sheet.
    headings, rows : sequence
        Cells.

    Raises
    ------
    BadInput
        If the package XlsxWriter is not installed.
    """
    stream, book = begin(document, title)
    Sheet.of(book, name).table(headings, rows)
    book.close()
    return stream.getvalue()


def identity_of(document: Document) -> str:
    """Name the answer that a file is of."""
    if is_placement(document):
        return f"Placement {document['placement_id']}"
    return f"Advice {document['advice_id']}"


def begin(document: Document, title: str) -> tuple[io.BytesIO, Workbook]:
    """Begin a workbook in which no text is computed."""
    try:
        from xlsxwriter import Workbook
    except ModuleNotFoundError as error:
        raise BadInput(
            "a spreadsheet needs the package XlsxWriter, which is not installed",
            "install tierwright[report], or write .csv",
        ) from error
    stream = io.BytesIO()
    book = Workbook(
        stream,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    book.set_properties(
        {
            "title": plain_text(title),
            "author": f"Tierwright {document['versions'].get('tierwright', '')}".strip(),
            "comments": plain_text(identity_of(document))[:200],
            "created": _MADE,
        }
    )
    book.set_size(2400, 1400)
    return stream, book


@dataclass(slots=True)
class Sheet:
    """A sheet that is written from the top down."""

    sheet: Worksheet
    styles: Mapping[str, Format]
    row: int = 0
    widths: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, book: Workbook, name: str) -> Sheet:
        sheet = book.add_worksheet(name)
        sheet.set_paper(9)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.set_footer("&L&8&F&R&8&P / &N")
        return cls(sheet, _styles_of(book))

    def put(self, row: int, column: int, cell: Cell, style: str = "text") -> None:
        """Write a cell; no text is computed, whatever it begins with."""
        if cell is None:
            self.sheet.write_blank(row, column, None, self.styles[style])
        elif isinstance(cell, str):
            text = plain_text(cell)[:_MOST_LETTERS]
            # Editing the cell would compute it where it is not quoted.
            quoted = style == "text" and text.startswith(FORMULA)
            self.sheet.write_string(
                row, column, text, self.styles["quoted" if quoted else style]
            )
        else:
            if style == "text":
                style = "money" if isinstance(cell, Decimal) else "number"
            self.sheet.write_number(row, column, float(cell), self.styles[style])

    def line(self, cells: Sequence[Cell], style: str = "text") -> None:
        """Write the next row."""
        for column, cell in enumerate(cells):
            self.put(self.row, column, cell, style)
        self.row += 1

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Write a table whose headings stay in sight, with a filter."""
        top = self.row
        self.line(headings, "head")
        for row in rows:
            self.line(row)
        self.sheet.freeze_panes(top + 1, 1)
        self.sheet.autofilter(top, 0, max(self.row - 1, top + 1), len(headings) - 1)
        self.fit(headings, rows)

    def fit(self, headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Make columns as wide as what they hold, up to a width at which texts wrap."""
        for column, heading in enumerate(headings):
            longest = max(
                [len(str(row[column])) for row in rows if row[column] is not None],
                default=0,
            )
            words = max(len(word) for word in heading.split())
            self.sheet.set_column(column, column, min(max(longest, words, 9) + 2, 60))


def _styles_of(book: Workbook) -> dict[str, Format]:
    def style(**properties: Any) -> Format:
        return book.add_format({"valign": "top", **properties})

    return {
        "text": style(text_wrap=True),
        "quoted": style(text_wrap=True, quote_prefix=True),
        "number": style(num_format="General", align="left"),
        "quantity": style(num_format="#,##0.######"),
        "price": style(num_format="#,##0.00##########"),
        "money": style(num_format="#,##0.00"),
        "sum": style(num_format="#,##0.00", bold=True, top=1),
        "total": style(bold=True, top=1),
        "head": style(
            bold=True, text_wrap=True, bottom=1, bg_color="#F3F6F9", valign="bottom"
        ),
        "title": style(bold=True, font_size=16),
        "left": style(num_format="#,##0.00", align="left"),
        "strong": style(bold=True),
        "input": style(num_format="0", bg_color="#FFF6E0", border=1, align="left"),
        "dim": style(font_color="#55606E", text_wrap=True),
    }


# The bill.

_COLUMNS = (
    "what",
    "kind",
    "quantity",
    "unit price",
    "unit",
    "hours per month",
    "at purchase [USD]",
    "rent [USD per month]",
    "purchase, spread [USD per month]",
    "per month [USD]",
    "date of the price",
    "note",
)
_LETTERS = "ABCDEFGHIJKL"
_QUANTITY, _PRICE, _HOURS, _AT_PURCHASE, _RENT, _SPREAD, _PER_MONTH = "CDFGHIJ"


@dataclass(frozen=True, slots=True)
class Sums:
    """Where the sums of the bill stand: references for formulas of other sheets."""

    per_month: str
    purchase: str


def _bill(sheet: Sheet, book: Workbook, document: Document) -> Sums | None:
    best = document["recommendation"]
    sheet.line(["Bill of materials"], "title")
    if best is None:
        sheet.line(["There is nothing to buy: no option keeps every limit."])
        return None
    sheet.line([named(best)], "strong")
    horizon = document["horizon_months"]
    months_cell(sheet, book, horizon)
    sheet.row += 1
    top = sheet.row
    total = bill_rows(sheet, best, horizon)
    sheet.row += 1
    if horizon is not None:
        over_horizon(sheet, total, horizon)
    unpriced(sheet, best)
    sheet.sheet.freeze_panes(top + 1, 1)
    bill_widths(sheet)
    return sums_at(total.row)


def bill_widths(sheet: Sheet) -> None:
    """Make the columns of a bill as wide as what they hold."""
    for at, width in enumerate((44, 12, 14, 14, 16, 9, 15, 15, 15, 15, 12, 60)):
        sheet.sheet.set_column(at, at, width)


def sums_at(row: int) -> Sums:
    """Return references to the sums in a row of the bill."""
    return Sums(f"'{BILL}'!{_PER_MONTH}{row}", f"'{BILL}'!{_AT_PURCHASE}{row}")


def months_cell(sheet: Sheet, book: Workbook, horizon: int | None) -> None:
    """Write the months over which purchases are spread, to be changed."""
    at = sheet.row
    if horizon is not None:
        sheet.line(["Months over which purchases are spread"])
        sheet.put(at, 2, horizon, "input")
        sheet.sheet.data_validation(
            at,
            2,
            at,
            2,
            {
                "validate": "integer",
                "criteria": "between",
                "minimum": 1,
                "maximum": _LONGEST_HORIZON,
                "error_title": "Months",
                "error_message": f"A whole number from 1 to {_LONGEST_HORIZON:,}.",
            },
        )
        book.define_name(HORIZON, f"='{BILL}'!$C${at + 1}")
        sheet.line(
            [
                "Change the months, a quantity or a price, and the sums follow. The choice itself is that of "
                f"{counted(horizon, 'month')}: so are drives that wear out and are replaced."
            ],
            "dim",
        )
    else:
        sheet.line(
            ["The advice does not state over how many months purchases are spread."],
            "dim",
        )


@dataclass(frozen=True, slots=True)
class Total:
    """A row of sums: its number, and the sums by their column."""

    row: int
    sums: Mapping[str, Decimal]


def bill_rows(sheet: Sheet, option: Document, horizon: int | None) -> Total:
    """Write the rows of the bill of an option, headings first, and their sums behind them."""
    stated = option["bill"] or [stated_row(option)]
    sheet.line(_COLUMNS, "head")
    first = sheet.row + 1
    for row in stated:
        _bill_row(sheet, row, horizon)
    amounts = _amounts(stated, horizon)
    sums = {
        column: sum((each[key] for each in amounts), Decimal(0))
        for column, key in (
            (_AT_PURCHASE, "purchase"),
            (_RENT, "rent"),
            (_SPREAD, "spread"),
            (_PER_MONTH, "month"),
        )
    }
    last = sheet.row
    return total_row(
        sheet,
        "total",
        {column: f"=SUM({column}{first}:{column}{last})" for column in sums},
        sums,
    )


def total_row(
    sheet: Sheet, name: str, formulas: Mapping[str, str], sums: Mapping[str, Decimal]
) -> Total:
    """Write a row of sums that are computed."""
    sheet.put(sheet.row, 0, name, "total")
    for at in range(1, len(_COLUMNS)):
        sheet.put(sheet.row, at, None, "total")
    for column, amount in sums.items():
        sheet.sheet.write_formula(
            sheet.row,
            _LETTERS.index(column),
            formulas[column],
            sheet.styles["sum"],
            float(amount),
        )
    sheet.row += 1
    return Total(sheet.row, sums)


def unpriced(sheet: Sheet, option: Document) -> None:
    """Say that sums are lower bounds where rows have no price."""
    count = sum(row["unit_price"] is None for row in option["bill"])
    if count:
        sheet.line(
            [
                f"{counted(count, 'row has', 'rows have')} no price, so that the sums are lower bounds; state it "
                "in the column of the unit price."
            ],
            "dim",
        )


def over_horizon(sheet: Sheet, total: Total, horizon: int) -> None:
    """Write what is paid in all: the purchase and every rent."""
    sheet.put(sheet.row, 0, "Purchase and rent over the months [USD]", "strong")
    sheet.sheet.write_formula(
        sheet.row,
        _LETTERS.index(_PER_MONTH),
        f"={_AT_PURCHASE}{total.row}+{HORIZON}*{_RENT}{total.row}",
        sheet.styles["sum"],
        float(total.sums[_AT_PURCHASE] + horizon * total.sums[_RENT]),
    )
    sheet.row += 1


def stated_row(option: Document) -> dict[str, Any]:
    """Return the one row of an option whose cost was stated."""
    return {
        "what": option["name"],
        "kind": "stated",
        "quantity": 1,
        "unit": "",
        "unit_price": None,
        "date": None,
        "usd_per_month": option["usd_per_month"] or Decimal(0),
        "purchase_usd": option["purchase_usd"] or Decimal(0),
        "note": "the cost was stated, without rows",
        "source": None,
    }


def _hours(row: Document) -> int:
    return int(HOURS_PER_MONTH) if row["unit"] == _PER_HOUR else 1


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def _amounts(rows: Sequence[Document], horizon: int | None) -> list[dict[str, Decimal]]:
    return [_amounts_of(row, horizon) for row in rows]


def _amounts_of(row: Document, horizon: int | None) -> dict[str, Decimal]:
    """Return the amounts of a row as the advice states them: purchase, rent, purchase spread, and of a month."""
    with localcontext(EXACT):
        month, purchase = row["usd_per_month"], row["purchase_usd"]
        spread = _spread(purchase, horizon)
        return {
            "purchase": purchase,
            "rent": month - spread,
            "spread": spread,
            "month": month,
        }


def _spread(purchase: Decimal, horizon: int | None) -> Decimal:
    if not horizon or not purchase:
        return Decimal(0)
    with localcontext() as context:
        context.prec = 60
        return _cents(purchase / horizon)


def _rounded(value: float) -> Decimal:
    """Return what ROUND(value, 2) gives: half away from zero, of the 15 digits that a spreadsheet keeps."""
    with localcontext(EXACT):
        return _cents(Decimal(format(value, ".15g")))


def _product(row: Document) -> Decimal:
    """Return what the formula of a row gives: 0 without a price."""
    if row["unit_price"] is None:
        return Decimal(0)
    return _rounded(float(row["quantity"]) * float(row["unit_price"]) * _hours(row))


def _bill_row(sheet: Sheet, row: Document, horizon: int | None) -> None:
    """Write a row: formulas where they give the amounts of the advice to the cent, its amounts elsewhere."""
    amounts = _amounts_of(row, horizon)
    number = sheet.row + 1
    is_bought = row["unit"] == _PURCHASE
    product = f"=ROUND({_QUANTITY}{number}*{_PRICE}{number}*{_HOURS}{number},2)"
    paid, other = ("purchase", "rent") if is_bought else ("rent", "purchase")
    is_live = amounts[other] == 0 and amounts[paid] == _product(row)
    note = "; ".join(filter(None, (row["note"], row["source"])))
    if not is_live:
        note = "; ".join(
            filter(None, ("the amounts are as the advice states them", note))
        )
    for column, cell, style in (
        (0, row["what"], "text"),
        (1, row["kind"], "text"),
        (2, row["quantity"], "quantity"),
        (3, row["unit_price"], "price"),
        (4, row["unit"], "text"),
        (5, _hours(row), "quantity"),
        (10, row["date"], "text"),
        (11, note, "text"),
    ):
        sheet.put(sheet.row, column, cell, style)
    formulas = {
        "purchase": product if is_live and is_bought else None,
        "rent": product if is_live and not is_bought else None,
        "spread": f"=ROUND({_AT_PURCHASE}{number}/{HORIZON},2)"
        if horizon
        and _rounded(float(amounts["purchase"]) / horizon) == amounts["spread"]
        else None,
        "month": f"={_RENT}{number}+{_SPREAD}{number}",
    }
    for column, key in enumerate(("purchase", "rent", "spread", "month"), 6):
        formula = formulas[key]
        if formula is None:
            sheet.put(sheet.row, column, amounts[key], "money")
        else:
            sheet.sheet.write_formula(
                sheet.row, column, formula, sheet.styles["money"], float(amounts[key])
            )
    sheet.row += 1


# The other sheets.


def _answer(sheet: Sheet, document: Document, title: str, sums: Sums | None) -> None:
    best, zero = document["recommendation"], document["option_zero"]
    sheet.line([title], "title")
    sheet.line([identity_of(document), status_of(document)], "dim")
    sheet.row += 1
    sheet.line(["Finding", document["finding"]])
    sheet.line(["Verdict", document["verdict"]["text"]])
    if document["when"] is not None:
        sheet.line(["When", document["when"]["text"]])
    for each in currency(document):
        sheet.line(["Currency", each])
    sheet.row += 1
    if best is not None and sums is not None:
        sheet.line(["Recommended", named(best)], "strong")
        month = live(
            sheet, "Cost [USD per month]", f"={sums.per_month}", best["usd_per_month"]
        )
        live(sheet, "At purchase [USD]", f"={sums.purchase}", best["purchase_usd"])
        if zero is not None and zero["usd_per_month"] is not None:
            today = sheet.row + 1
            sheet.line(["Today [USD per month]", zero["usd_per_month"]])
            if best["usd_per_month"] is not None and not (
                best["on_existing"] or best["without_machine"]
            ):
                saved = zero["usd_per_month"] - best["usd_per_month"]
                live(
                    sheet,
                    "Today less the recommendation [USD per month]",
                    f"=B{today}-B{month}",
                    saved,
                )
        sheet.row += 1
    for heading, rows in (
        ("Question", questions(document)),
        ("Expected figures", expected(document)),
    ):
        if rows:
            sheet.line([heading], "strong")
            for row in rows:
                sheet.line(row)
            sheet.row += 1
    sheet.sheet.set_column(0, 0, 44)
    sheet.sheet.set_column(1, 2, 80 if zero is None else 60)
    sheet.sheet.activate()


def live(sheet: Sheet, name: str, formula: str, amount: Decimal | None) -> int:
    """Write an amount that follows the bill; return the number of its row."""
    sheet.put(sheet.row, 0, name)
    sheet.sheet.write_formula(
        sheet.row, 1, formula, sheet.styles["left"], float(amount or 0)
    )
    sheet.row += 1
    return sheet.row


def assumptions(sheet: Sheet, document: Document) -> None:
    sheet.table(
        ["assumption", "effect", "what to do", "could change the choice", "code"],
        [
            [
                sentence_of(each["message"]),
                sentence_of(each["effect"] or show.UNKNOWN),
                sentence_of(each["hint"] or "") or None,
                could_change(each),
                each["code"],
            ]
            for each in document["cautions"]
        ],
    )
    if document["validity"]:
        sheet.row += 1
        sheet.line(["Limits within which the answer holds", document["validity"]])


def _sources(sheet: Sheet, document: Document) -> None:
    best = document["recommendation"]
    sources(sheet, document, list(formulas(document)), [] if best is None else [best])


def sources(
    sheet: Sheet,
    document: Document,
    computed: Sequence[Formula],
    options: Sequence[Document],
) -> None:
    """Write formulas, steps, the prices of what is recommended, and versions."""
    used = [[each.figure, each.formula, each.value, each.source] for each in computed]
    steps = [
        [
            step["name"],
            step["formula"],
            derived_value(step["value"], step["unit"] or ""),
            step["source"],
        ]
        for step in document["derivation"]
    ]
    prices = [
        [row["what"], row["date"], row["note"], row["source"]]
        for option in options
        for row in option["bill"]
        if row["source"] or row["note"]
    ]
    for title, headings, rows in (
        ("Formulas that the answer uses", _FORMULAS, used),
        ("How the figures of the recommendation come about", _STEPS, steps),
        ("Where the prices are from", _PRICES, prices),
    ):
        if rows:
            sheet.line([title], "strong")
            sheet.line(headings, "head")
            for row in rows:
                sheet.line(row)
            sheet.row += 1
    if used and options:
        sheet.line(["Symbols", SYMBOLS])
    if document["estimator"]:
        sheet.line(["Method", document["estimator"]])
    for name, version in document["versions"].items():
        sheet.line([name.replace("_", " "), version])
    for column, width in enumerate((40, 70, 40, 60)):
        sheet.sheet.set_column(column, column, width)


_FORMULAS = ("figure", "formula", "value of the recommendation", "source")
_STEPS = ("figure", "formula with its numbers", "value", "source")
_PRICES = ("what", "date", "note", "source")
