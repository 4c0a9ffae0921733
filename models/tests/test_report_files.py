"""The report as PDF and as workbook: every text and amount arrives, nothing is executed, the formulas give the bill."""

from __future__ import annotations

import copy
import io
import json
import math
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pypdf
import pytest
from advices import advised, document
from command import run
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from test_report import ODD, damage, every_place

from tierwright.advise import report
from tierwright.advise.advice._table import bill_rows
from tierwright.advise.report import _pdf
from tierwright.advise.report._document import checked
from tierwright.common.errors import BadInput, Defect

TYPST = "#panic() $x$ *a* _b_ @c <d> `e` \\f // g /* h */ [i] {j} ~ -- ... = + - 'k' \"l\" &amp; %s"
"""What would mean something in the template if it were read as a part of it."""


# PDF.


def read(content: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(content))


def squeezed(text: str) -> str:
    """Text without what breaks lines."""
    return re.sub(r"[\s\u00a0\u200b]+", "", text)


def text_of(content: bytes) -> str:
    return squeezed("".join(page.extract_text() for page in read(content).pages))


def test_the_pdf_has_title_contents_pages_and_tags() -> None:
    content = report.pdf(document(), title="Orders 2027")
    found = read(content)
    assert found.metadata is not None
    assert found.metadata.title == "Orders 2027"
    assert str(found.metadata.author).startswith("Tierwright")
    root: Any = found.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert str(root["/Lang"]).startswith("en")
    assert "/StructTreeRoot" in root
    width, height = found.pages[0].mediabox.width, found.pages[0].mediabox.height
    assert (round(width), round(height)) == (595, 842)
    outline = [str(each["/Title"]) for each in found.outline if isinstance(each, dict)]
    assert outline[:3] == [
        "Question",
        "Need, and what doing nothing costs",
        "Answer",
    ]
    assert outline[-1] == "Appendix"
    pages = len(found.pages)
    for at, page in enumerate(found.pages, 1):
        text = page.extract_text()
        assert f"Page {at} of {pages}" in text
        assert document()["advice_id"] in text
    assert "Contents" in found.pages[0].extract_text()


def structure(node: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Every element of the tree of tags."""
    node = node.get_object() if hasattr(node, "get_object") else node
    if isinstance(node, list):
        for each in node:
            yield from structure(each)
    elif isinstance(node, dict) and ("/S" in node or "/K" in node):
        yield node
        if "/K" in node:
            yield from structure(node["/K"])


def test_charts_are_described_and_tables_have_headings() -> None:
    root: Any = read(report.pdf(document())).trailer["/Root"]
    every = list(structure(root["/StructTreeRoot"]))
    kinds = [str(each.get("/S", "")) for each in every]
    described = [str(each["/Alt"]) for each in every if "/Alt" in each]
    charts = [each for each in described if "Cost" in each]
    assert len(charts) == 2
    assert all(len(each) > 80 for each in charts)
    assert kinds.count("/TH") > 20
    assert kinds.count("/Table") == report.html(document()).count("<table")
    assert kinds.count("/H1") >= 12


@pytest.mark.parametrize("feasible", [True, False])
def test_every_text_of_the_page_is_in_the_pdf(feasible: bool) -> None:
    given = document(feasible=feasible)
    page = ET.fromstring(report.html(given).partition("\n")[2])
    found = text_of(report.pdf(given))
    missing = []
    for part in (
        "p",
        "li",
        "caption",
        "th",
        "td",
        "dt",
        "dd",
        "figcaption",
        "h2",
        "h3",
    ):
        for element in page.iter(part):
            lines = element.findall("div") or [element]
            for line in lines:
                # A page may end inside of a text: its first words are enough there.
                words = squeezed("".join(line.itertext()))[:30]
                if words not in found:
                    missing.append(words)
    assert missing == []


def test_a_short_column_beside_long_ones_is_as_wide_as_its_words() -> None:
    # The regret of choices: five scenarios, in how many a limit is broken, the largest amount.
    headings = [
        "choice",
        "as stated",
        "grown",
        "more load",
        "larger working set",
        "a failure",
        "scenarios in which it breaks a limit",
        "largest",
    ]
    broken = len("exchanged; breaks busy share of a device in the busiest hour")
    row = [[70], *[[broken]] * 5, [1], [len("2,109.14")]]
    widths = _pdf._widths(headings, [False, *[True] * 7], [row])
    rest = [width for width in widths if width.endswith("fr")]
    fixed = [float(width[:-2]) for width in widths if width.endswith("em")]
    # A4 without its margins is 61 em of the text of tables; a letter takes at most 0.6 em.
    room = 174 / 25.4 * 72 / 8 - sum(fixed)
    share = room / sum(float(width[:-2]) for width in rest)
    longest = [8, *[10] * 5, len("scenarios"), len("2,109.14")]
    for width, letters in zip(widths, longest, strict=True):
        em = float(width[:-2]) * (share if width.endswith("fr") else 1)
        assert em >= 0.5 * letters, (widths, letters)


def test_no_font_of_the_machine_is_used() -> None:
    names = {
        str(font.get_object()["/BaseFont"]).partition("+")[2]
        for page in read(report.pdf(document())).pages
        for font in page["/Resources"].get("/Font", {}).values()  # type: ignore[union-attr]
    }
    assert names
    assert all(
        re.match("Libertinus|NewCM|NewComputerModern|DejaVuSansMono", name)
        for name in names
    ), names


@pytest.mark.parametrize("made", [report.pdf, report.workbook])
def test_the_same_advice_gives_the_same_bytes(made: Any) -> None:
    assert made(document()) == made(document())
    assert made(document()) != made(document(), title="another")


@pytest.mark.costly(6)
@settings(deadline=None, max_examples=25)
@drawn(
    st.text(st.sampled_from(sorted(set(TYPST + "aé µ≥0 \n"))), max_size=60)
    | st.just(TYPST)
)
def test_any_text_arrives_in_the_pdf_and_none_is_executed(text: str) -> None:
    given = {
        "advice_id": "abc",
        "finding": f"begin{text}end",
        "objective": f"begin{text}end",
        "verdict": {"viable": True, "text": f"begin{text}end"},
    }
    found = text_of(report.pdf(given, title=f"begin{text}end"))
    wanted = squeezed(f"begin{re.sub('(?<=[0-9]) %', '%', text)}end")
    assert found.count(wanted) >= 3


def test_a_text_longer_than_a_page_is_not_cut() -> None:
    given = document()
    long = " ".join(f"word{at}" for at in range(2000))
    given["recommendation"]["bill"][0]["what"] = long
    given["cautions"][0]["message"] = "x" * 5000 + " end of it"
    found = text_of(report.pdf(given))
    assert found.count("word0word1word2") >= 1
    assert "word1998word1999" in found
    assert "x" * 60 in found
    assert "endofit" in found


def test_what_typst_refuses_is_a_defect_with_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_pdf, "TEMPLATE", '#panic("not set")')
    with pytest.raises(Defect, match="could not be set as PDF") as refused:
        report.pdf(document())
    assert "not set" in refused.value.trace


# Workbook.

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Book:
    """A workbook as its XML says, and what a program computes of it: values follow from formulas alone."""

    def __init__(self, content: bytes) -> None:
        archive = zipfile.ZipFile(io.BytesIO(content))
        book = ET.fromstring(archive.read("xl/workbook.xml"))
        shared = [
            "".join(each.itertext())
            for each in ET.fromstring(archive.read("xl/sharedStrings.xml"))
        ]
        self.names = {
            str(each.get("name")): str(each.text)
            for each in book.iter(f"{MAIN}definedName")
        }
        self.sheets = [str(each.get("name")) for each in book.iter(f"{MAIN}sheet")]
        self.formulas: dict[tuple[str, str], str] = {}
        self.stored: dict[tuple[str, str], float | str] = {}
        for at, sheet in enumerate(self.sheets, 1):
            root = ET.fromstring(archive.read(f"xl/worksheets/sheet{at}.xml"))
            for cell in root.iter(f"{MAIN}c"):
                place = sheet, str(cell.get("r"))
                formula, value = cell.find(f"{MAIN}f"), cell.find(f"{MAIN}v")
                if formula is not None:
                    self.formulas[place] = str(formula.text)
                if value is not None:
                    text = str(value.text)
                    kind = cell.get("t")
                    self.stored[place] = (
                        shared[int(text)] if kind == "s" else float(text)
                    )

    def value(self, sheet: str, cell: str) -> Any:
        cell = cell.replace("$", "")
        formula = self.formulas.get((sheet, cell))
        if formula is None:
            return self.stored.get((sheet, cell), 0.0)
        return self.computed(sheet, formula)

    def computed(self, sheet: str, formula: str) -> Any:
        parts = re.findall(
            r"'[^']+'!\$?[A-Z]+\$?\d+|[A-Z]+\d+:[A-Z]+\d+|[A-Z]+\d+|ROUND|SUM|[a-z_]+|\d+(?:\.\d+)?|[-+*/(),]",
            formula,
        )
        assert "".join(parts) == formula
        code = "".join(self._part(sheet, part) for part in parts)
        return eval(
            code,
            {"ROUND": rounded, "SUM": sum, "cell": self.value, "cells": self.cells},
        )

    def _part(self, sheet: str, part: str) -> str:
        if "!" in part:
            of, _, cell = part.rpartition("!")
            return f"cell({of}, {cell!r})"
        if ":" in part:
            return f"cells({sheet!r}, {part!r})"
        if re.fullmatch(r"[A-Z]+\d+", part):
            return f"cell({sheet!r}, {part!r})"
        if re.fullmatch("[a-z_]+", part):
            return self._part(sheet, self.names[part])
        return part

    def cells(self, sheet: str, area: str) -> list[Any]:
        found = re.fullmatch(r"([A-Z]+)(\d+):([A-Z]+)(\d+)", area)
        assert found is not None
        assert found[1] == found[3]
        rows = range(int(found[2]), int(found[4]) + 1)
        return [self.value(sheet, f"{found[1]}{row}") for row in rows]

    def rows(self, sheet: str) -> list[int]:
        """Rows of the bill: those below its headings and above its sums."""
        column = {
            int(cell[1:]): value
            for (of, cell), value in self.stored.items()
            if of == sheet and cell.startswith("A")
        }
        top = next(row for row, value in column.items() if value == "what")
        last = next(row for row, value in column.items() if value == "total")
        return list(range(top + 1, last))


def rounded(value: float, places: int) -> float:
    """ROUND of a spreadsheet: half away from zero, of the 15 digits that it shows."""
    exact = Decimal(format(value, ".15g"))
    return float(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


BILL = "Bill of materials"
CONFIGS: Mapping[str, dict[str, Any]] = {
    "instance": {"server": "aws-i4i.4xlarge", "machines": 3},
    "discount": {
        "server": "aws-i4i.4xlarge",
        "commitment": "3 years",
        "commitment_discount": 0.4137,
    },
    "volumes": {
        "server": "aws-i4i.4xlarge",
        "machines": 2,
        "volume": [
            {"id": "aws-ebs-gp3", "size_gib": 5727.4, "iops": 16000, "mb_per_s": 777.7}
        ],
    },
    "extras": {
        "extra": [
            {"what": "half cents", "quantity": 3, "usd": 0.335},
            {"what": "many", "quantity": 7078, "usd": 199.9951},
            {"what": "rent", "quantity": 2.5, "usd_per_month": 10.01},
            {"what": "third", "quantity": 1, "usd": 100},
        ]
    },
}


def with_bill(config: Mapping[str, Any], months: int) -> dict[str, Any]:
    """An advice whose recommendation has the bill of a configuration."""
    given = document()
    given["horizon_months"] = months
    best = given["recommendation"]
    best["bill"] = [dict(row) for row in bill_rows(config, months)]
    for key in ("usd_per_month", "purchase_usd"):
        best[key] = str(sum(Decimal(row[key]) for row in best["bill"]))
    return given


def check_money(book: Book, best: Mapping[str, Any]) -> None:
    """What formulas give is what the file holds and what the advice says, to the cent."""
    assert book.formulas
    for (sheet, cell), formula in book.formulas.items():
        assert book.stored[sheet, cell] == pytest.approx(
            book.computed(sheet, formula), rel=1e-12, abs=1e-6
        ), (sheet, cell, formula)
    rows = book.rows(BILL)
    for number, row in zip(rows, best["bill"], strict=True):
        assert rounded(book.value(BILL, f"J{number}"), 2) == float(row["usd_per_month"])
        assert rounded(book.value(BILL, f"G{number}"), 2) == float(row["purchase_usd"])
    total = rows[-1] + 1
    assert rounded(book.value(BILL, f"J{total}"), 2) == float(best["usd_per_month"])
    assert rounded(book.value(BILL, f"G{total}"), 2) == float(best["purchase_usd"])


@pytest.mark.parametrize("have", [True, False])
def test_the_formulas_give_the_money_of_the_advice(have: bool) -> None:
    given = document(have=have)
    book = Book(report.workbook(given))
    assert book.sheets == [
        "Answer",
        "Bill of materials",
        "Options",
        "What a limit costs",
        "Assumptions",
        "Sources",
    ]
    check_money(book, given["recommendation"])
    of_answer = {
        book.stored["Answer", f"A{cell[1:]}"]: book.computed(sheet, formula)
        for (sheet, cell), formula in book.formulas.items()
        if sheet == "Answer"
    }
    best = given["recommendation"]
    assert of_answer["Cost [USD per month]"] == pytest.approx(
        float(best["usd_per_month"])
    )
    if have:
        saved = float(given["saving_usd_per_month"])
        assert of_answer[
            "Today less the recommendation [USD per month]"
        ] == pytest.approx(saved)
    else:
        assert "Today less the recommendation [USD per month]" not in of_answer


@pytest.mark.parametrize("months", [1, 7, 36, 1200])
@pytest.mark.parametrize("name", CONFIGS)
def test_every_kind_of_row_is_live_and_follows_the_months(
    name: str, months: int
) -> None:
    given = with_bill(CONFIGS[name], months)
    book = Book(report.workbook(given))
    check_money(book, given["recommendation"])
    for number in book.rows(BILL):
        live = [
            f"{column}{number}"
            for column in "GH"
            if (BILL, f"{column}{number}") in book.formulas
        ]
        assert len(live) == 1, f"row {number} holds amounts"
        assert (BILL, f"I{number}") in book.formulas
        assert (BILL, f"J{number}") in book.formulas
    # As if somebody wrote other months into the cell.
    _, _, cell = book.names["horizon_months"].rpartition("!")
    book.stored[BILL, cell.replace("$", "")] = 12.0
    other = bill_rows(CONFIGS[name], 12)
    for number, row in zip(book.rows(BILL), other, strict=True):
        assert rounded(book.value(BILL, f"J{number}"), 2) == float(row["usd_per_month"])
    # And a quantity: twice as much is paid for it.
    number = book.rows(BILL)[0]
    before = book.value(BILL, f"G{number}") + book.value(BILL, f"H{number}")
    book.stored[BILL, f"C{number}"] = 2 * float(book.stored[BILL, f"C{number}"])
    after = book.value(BILL, f"G{number}") + book.value(BILL, f"H{number}")
    assert after == pytest.approx(2 * before, abs=0.011)
    assert after > before


@pytest.mark.costly(15)
@settings(deadline=None, max_examples=60)
@drawn(
    quantity=st.integers(1, 10**6) | st.decimals("0.001", 10**5, places=3),
    price=st.decimals(0, 10**5, places=4),
    months=st.integers(1, 1200),
    rents=st.booleans(),
)
def test_any_row_is_rounded_as_the_bill_rounds_it(
    quantity: Decimal | int, price: Decimal, months: int, rents: bool
) -> None:
    key = "usd_per_month" if rents else "usd"
    config = {"extra": [{"what": "x", "quantity": str(quantity), key: str(price)}]}
    given = with_bill(config, months)
    check_money(Book(report.workbook(given)), given["recommendation"])


def test_a_row_that_the_formula_does_not_give_keeps_its_amounts() -> None:
    given = with_bill(CONFIGS["extras"], 36)
    best = given["recommendation"]
    best["bill"][1]["unit_price"] = "200"
    book = Book(report.workbook(given))
    check_money(book, best)
    first, second = book.rows(BILL)[:2]
    assert (BILL, f"G{second}") not in book.formulas
    assert "as the advice states them" in str(book.stored[BILL, f"L{second}"])
    assert "as the advice states them" not in str(book.stored[BILL, f"L{first}"])


def test_a_row_without_a_price_can_be_given_one() -> None:
    given = with_bill(CONFIGS["extras"], 36)
    row = given["recommendation"]["bill"][3]
    best = given["recommendation"]
    best["usd_per_month"] = str(
        Decimal(best["usd_per_month"]) - Decimal(row["usd_per_month"])
    )
    best["purchase_usd"] = str(
        Decimal(best["purchase_usd"]) - Decimal(row["purchase_usd"])
    )
    row |= {"unit_price": None, "usd_per_month": "0.00", "purchase_usd": "0.00"}
    book = Book(report.workbook(given))
    check_money(book, best)
    number = book.rows(BILL)[3]
    book.stored[BILL, f"D{number}"] = 72.0
    assert book.value(BILL, f"G{number}") == 72.0
    assert book.value(BILL, f"J{number}") == 2.0
    texts = [str(value) for (sheet, _), value in book.stored.items() if sheet == BILL]
    assert any("1 row has no price" in text for text in texts)


def test_an_advice_without_an_answer_has_no_formula() -> None:
    given = document(feasible=False)
    book = Book(report.workbook(given))
    assert not book.formulas
    assert given["finding"] in book.stored.values()
    assert any("nothing to buy" in str(value) for value in book.stored.values())


def test_what_was_stated_without_rows_is_billed_as_stated() -> None:
    given = document()
    best = given["recommendation"]
    best |= {"bill": [], "usd_per_month": "812.34", "purchase_usd": "3600.00"}
    book = Book(report.workbook(given))
    [number] = book.rows(BILL)
    assert rounded(book.value(BILL, f"J{number + 1}"), 2) == 812.34
    assert book.value(BILL, f"G{number + 1}") == 3600.0


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0"]
)
def test_no_text_becomes_a_formula(text: str) -> None:
    plain = Book(report.workbook(document()))

    def spoilt(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: spoilt(entry, name) for name, entry in value.items()}
        if isinstance(value, list):
            return [spoilt(entry, key) for entry in value]
        if not isinstance(value, str) or "usd" in key or re.fullmatch(r"[\d.]+", value):
            return value
        return value if key in ("unit", "unit_price", "scheme") else text + value

    content = report.workbook(spoilt(document()), title=text)
    book = Book(content)
    assert set(book.formulas) == set(plain.formulas)
    begun = [
        value
        for value in book.stored.values()
        if isinstance(value, str) and value.startswith(text)
    ]
    assert len(begun) > 50
    for name in zipfile.ZipFile(io.BytesIO(content)).namelist():
        assert "externalLink" not in name
    root = ET.fromstring(zipfile.ZipFile(io.BytesIO(content)).read("xl/styles.xml"))
    assert any(each.get("quotePrefix") == "1" for each in root.iter(f"{MAIN}xf"))


def test_the_options_are_those_of_the_csv() -> None:
    given = document()
    book = Book(report.workbook(given))
    # What other limits would buy is a sheet of its own, and stands behind the options of the CSV.
    lines = report.csv({**given, "staircases": []}).splitlines()
    heads = [
        value
        for (sheet, cell), value in book.stored.items()
        if sheet == "Options" and re.fullmatch("[A-Z]+1", cell)
    ]
    assert ",".join(str(each) for each in heads) == lines[0]
    roles = [
        value
        for (sheet, cell), value in book.stored.items()
        if sheet == "Options" and re.fullmatch("A[0-9]+", cell)
    ]
    assert len(roles) == len(lines)
    best = given["recommendation"]
    # A spreadsheet keeps 16 digits of a number.
    assert any(
        isinstance(value, float)
        and math.isclose(value, best["io_time_us_per_access"], rel_tol=1e-14)
        for value in book.stored.values()
    )


def test_assumptions_and_sources_are_those_of_the_page() -> None:
    given = document()
    book = Book(report.workbook(given))
    stored = {
        value for (sheet, _), value in book.stored.items() if sheet == "Assumptions"
    }
    assert {each["code"] for each in given["cautions"]} <= stored
    sources = {value for (sheet, _), value in book.stored.items() if sheet == "Sources"}
    assert {step["formula"] for step in given["derivation"]} <= sources
    assert {
        row["source"] for row in given["recommendation"]["bill"] if row["source"]
    } <= sources


@settings(deadline=None, max_examples=60)
@drawn(st.data())
def test_any_damage_is_refused_or_still_a_workbook(data: st.DataObject) -> None:
    damaged = document()
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(every_place()))
        damage(damaged, path, data.draw(ODD))
    try:
        content = report.workbook(damaged)
    except BadInput:
        return
    book = Book(content)
    best = checked(damaged, "advice")["recommendation"]
    for (sheet, cell), formula in book.formulas.items():
        assert book.computed(sheet, formula) == pytest.approx(
            book.stored[sheet, cell], rel=1e-9, abs=0.01
        ), (best, formula)


# Formulas of the appendix.


def formulas_of(given: Mapping[str, Any]) -> dict[str, list[str]]:
    page = ET.fromstring(report.html(given).partition("\n")[2])
    for table in page.iter("table"):
        caption = table.find("caption")
        if caption is not None and caption.text == "Formulas that the answer uses":
            rows = [
                ["".join(cell.itertext()) for cell in row] for row in table.iter("tr")
            ]
            return {row[0]: row[1:] for row in rows[1:]}
    return {}


def test_the_appendix_lists_the_formulas_that_were_used_and_no_others() -> None:
    given = document()
    best = given["recommendation"]
    found = formulas_of(given)
    assert all(formula and source for formula, _, source in found.values())
    assert found["Cost per month"][1] == f"{Decimal(best['usd_per_month']):,.2f} USD"
    assert "Busiest device in the busiest hour" in found
    assert "Limits in conflict" not in found
    assert "Gap between model and replay" not in found
    flash = best["scheme"] != "none"
    assert ("Accesses that hit flash" in found) == flash
    best["scheme"] = "none" if flash else "lazy"
    other = formulas_of(given)
    assert ("Accesses that hit flash" in other) != flash
    assert other["I/O time per access"][0] != found["I/O time per access"][0]
    best["peak_busy"] = None
    given["rules_of_thumb"] = []
    fewer = formulas_of(given)
    assert "Busiest device in the busiest hour" not in fewer
    assert "What a rule of thumb costs more" not in fewer
    none = formulas_of(document(feasible=False))
    assert "Limits in conflict" in none
    assert "Cost per month" not in none


def test_the_months_until_too_small_follow_from_the_numbers_of_the_formula() -> None:
    given = document()
    best = given["recommendation"]
    best["peak_busy"], best["months_until_too_small"] = 0.6, 10.14
    given["constraints"]["peak_busy"] = "0.7"
    given["when"]["growth_per_year"] = 0.2
    formula, value, _ = formulas_of(given)["Until it is too small"]
    assert "60.0\u00a0% today, 70.0\u00a0% at most, 20.0\u00a0% a year" in formula
    assert value == "10 months"


# What is missing, and the command.


@pytest.mark.parametrize(
    ("package", "made"), [("typst", report.pdf), ("xlsxwriter", report.workbook)]
)
def test_a_missing_package_is_named_with_what_to_install(
    package: str, made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BadInput, match="which is not installed") as refused:
        made(document())
    assert package in str(refused.value).lower()
    assert "tierwright[report]" in refused.value.hint


def test_other_forms_need_neither_package() -> None:
    code = (
        "import sys, json; from tierwright.advise import report;"
        "given = json.load(sys.stdin); report.html(given); report.csv(given);"
        "print(sorted({'typst', 'xlsxwriter'} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        input=advised(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout == "[]\n"


def test_the_command_writes_pdf_and_workbook(tmp_path: Path) -> None:
    given = tmp_path / "a.json"
    given.write_text(advised(), encoding="utf-8")
    for ending, made in (("pdf", report.pdf), ("xlsx", report.workbook)):
        output = tmp_path / f"report.{ending}"
        out = run("report", str(given), "-o", str(output), "--title", "Orders")
        assert out.returncode == 0, out.stderr
        assert output.read_bytes() == made(document(), title="Orders")


def test_a_damaged_advice_is_refused() -> None:
    given = copy.deepcopy(document())
    given["recommendation"]["usd_per_month"] = "1.00"
    for made in (report.pdf, report.workbook):
        with pytest.raises(BadInput, match="not the sum of the rows"):
            made(given)


def test_the_json_is_an_advice_again() -> None:
    assert json.loads(report.made(document(), "json")) == document()
