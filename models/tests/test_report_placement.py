"""The report of a placement: every system with its bill, who holds what, and the money as live formulas."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import run
from test_placement import (
    BUSY,
    DEVICES_ALONE,
    FEW,
    FLOOD,
    HOT,
    book,
    without_writes,
    workloads,
)
from test_report_files import BILL, Book, squeezed, text_of

from tierwright.advise import placement, report
from tierwright.advise.advice.request import Candidates
from tierwright.advise.report import _sharing
from tierwright.advise.report._document import checked_placement
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog

BOUGHT = Candidates(kinds=("devices",), machine_usd=Decimal(3000))


@cache
def placed(kind: str) -> str:
    """A placement as JSON: rented, bought, of unknown dirty pages, or of nothing."""
    asked: dict[str, Any] = {"candidates": FEW}
    some = list(workloads())
    if kind == "bought":
        asked = {"candidates": BOUGHT, "prices": catalog.default_price_book()}
    if kind == "unknown":
        asked, some[0] = {"candidates": BUSY}, without_writes(some[0])
    if kind in ("parts", "parts beside a whole"):
        # Nobody stated the price of a machine for them.
        shelf = "solidigm-d7-p5810-800gb"
        kinds = ("devices", "instances", "volumes")[: 1 if kind == "parts" else 3]
        asked = {
            "candidates": replace(DEVICES_ALONE, kinds=kinds, devices=(shelf,)),
            "prices": book(Decimal(300), **{shelf: Decimal("4.5")}),
        }
    if kind == "nothing":
        asked["constraints"] = {"ram_bytes": 1}
    found = placement.answer(some, **asked)
    return json.dumps(found.to_dict(derivation=True), default=str)


def document(kind: str = "rented") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(placed(kind))
    return found


KINDS = ("rented", "bought", "unknown", "nothing")


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_has_every_section_and_loads_nothing(kind: str) -> None:
    given = document(kind)
    page = report.html(given)
    headings = re.findall(r"<h2 id=\"([a-z-]+)\">", page)
    assert headings == [
        "question",
        "answer",
        "systems",
        "held",
        "figures",
        "ways",
        "assumptions",
        "limits",
        "appendix",
    ]
    for name in headings:
        assert f'href="#{name}"' in page
    assert not re.search(r"<script|<link|src=|url\(|@import|href=\"[^#]", page)
    assert given["placement_id"] in page
    assert f"<h1>{_sharing.TITLE}</h1>" in page
    assert report.html(given) == page
    for system in given["systems"]:
        names = ", ".join(held["name"] for held in system["workloads"])
        assert f"Bill of the system of {names}" in page
        assert f"Formulas of the system of {names}" in page
        for row in system["option"]["bill"]:
            assert f"{Decimal(str(row['usd_per_month'])):,.2f}" in page
    if given["systems"]:
        assert f"{Decimal(str(given['usd_per_month'])):,.2f} USD" in page
        for each in given["alternatives"]:
            assert "; ".join(", ".join(group) for group in each["groups"]) in page
    else:
        assert _sharing.NOTHING in page


def test_who_holds_what_is_said_of_every_workload() -> None:
    given = document()
    _, rows = _sharing.held_table(given)
    held = [each for system in given["systems"] for each in system["workloads"]]
    assert [row[0] for row in rows] == [each["name"] for each in held]
    page = report.html(given)
    for row in rows:
        for cell in row:
            assert cell.replace(" %", "\N{NO-BREAK SPACE}%") in page


def test_ram_that_is_divided_is_said_to_be() -> None:
    found = placement.answer(
        [HOT, FLOOD],
        candidates=FEW,
        objective="io_time",
        constraints={"usd_per_month": 500},
    )
    given = found.to_dict(derivation=True)
    page = report.html(given)
    assert "The RAM of the system of hot, flood is divided" in page
    assert "hot, flood (RAM divided) (recommended)" in page
    assert "part of the RAM of least misses" not in page
    shared = report.html(placement.answer([HOT, FLOOD], candidates=FEW).to_dict())
    assert "divided" not in shared.replace("Dividing", "")
    assert "part of the RAM of least misses" in shared
    # What an earlier version printed says nothing of parts.
    for system in given["systems"]:
        del system["in_parts"], system["parts_save_share"]
        for held in system["workloads"]:
            del held["part_bytes"], held["part_hit_share"]
    for way in given["alternatives"]:
        del way["in_parts"]
    assert "(RAM divided)" not in report.html(given)


def test_divided_ram_of_several_machines_is_that_of_all_and_of_each() -> None:
    """What is configured is the part on each machine; files of the answer say that RAM is divided, and how."""
    given = placement.answer(
        [HOT, FLOOD],
        candidates=FEW,
        objective="io_time",
        constraints={"usd_per_month": 500},
    ).to_dict(derivation=True)
    [system] = given["systems"]
    hot = round(system["workloads"][0]["ram_bytes"])
    assert hot == 24 * 2**30
    assert system["option"]["machines"] == 2
    alone, three = copy.deepcopy(given), copy.deepcopy(given)
    alone["systems"][0]["option"]["machines"] = 1
    three["systems"][0]["option"]["machines"] = 3
    for document_, each in ((alone, hot), (given, hot // 2), (three, hot // 3)):
        [row, *others] = csv.DictReader(io.StringIO(report.csv(document_)))
        assert row["RAM divided"] == "yes"
        assert row["parts on all machines [bytes]"] == f"hot: {hot}; flood: 0"
        assert row["parts on each machine [bytes]"] == f"hot: {each}; flood: 0"
        assert all(other["RAM divided"] in ("yes", "no") for other in others)
    assert _sharing.held_table(three)[1][0][3] == "24 GiB, 8 GiB on each of 3 machines"
    assert _sharing.held_table(alone)[1][0][3] == "24 GiB"
    headings, cells = _sharing.options_table(given)
    assert cells[0][headings.index("RAM divided")] == "yes"


def test_what_depends_on_dirty_pages_is_a_range_in_the_report() -> None:
    given = document("unknown")
    assert given["io_time_us_per_access"] is None
    page = report.html(given)
    assert page.count(" µs to ") > 2
    [own, *_] = _sharing.way_cells(checked_placement(given, "placement"))
    assert " to " in own[-1]
    known = report.html(document())
    assert " µs to " not in known


@pytest.mark.parametrize("kind", KINDS)
def test_the_formulas_of_the_workbook_give_the_money_of_all_systems(kind: str) -> None:
    given = document(kind)
    book = Book(report.workbook(given))
    if kind == "nothing":
        assert not book.formulas
        return
    for (sheet, cell), formula in book.formulas.items():
        assert book.stored[sheet, cell] == pytest.approx(
            book.computed(sheet, formula), rel=1e-12, abs=1e-6
        )
    named = {
        str(value): int(cell[1:])
        for (sheet, cell), value in book.stored.items()
        if sheet == BILL and cell.startswith("A")
    }
    whole = named["all systems"]
    for column, key in (("J", "usd_per_month"), ("G", "purchase_usd")):
        assert book.value(BILL, f"{column}{whole}") == pytest.approx(float(given[key]))
        assert book.formulas[BILL, f"{column}{whole}"].count("+") == (
            len(given["systems"]) - 1
        )
    # A price that changes moves the sum of all systems, and the first sheet with it.
    first = next(
        int(cell[1:])
        for (sheet, cell) in book.formulas
        if sheet == BILL and cell[0] in "GH"
    )
    before = book.value("Answer", month_cell(book))
    book.stored[BILL, f"D{first}"] = float(book.stored[BILL, f"D{first}"]) + 1000
    assert book.value("Answer", month_cell(book)) > before


def month_cell(book: Book) -> str:
    """Cell of the first sheet with what all systems cost a month."""
    [cell] = [
        cell
        for (sheet, cell), value in book.stored.items()
        if sheet == "Answer" and value == "All systems [USD per month]"
    ]
    return f"B{cell[1:]}"


def test_the_table_has_the_systems_and_the_other_ways() -> None:
    given = document()
    rows = list(csv.DictReader(io.StringIO(report.csv(given))))
    systems = [row for row in rows if row["role"] == "system"]
    assert [row["workloads"] for row in systems] == [
        ", ".join(held["name"] for held in each["workloads"])
        for each in given["systems"]
    ]
    assert sum(Decimal(row["cost [USD/month]"]) for row in systems) == Decimal(
        str(given["usd_per_month"])
    )
    ways = [row for row in rows if row["role"] == "another way to share"]
    assert [Decimal(row["cost [USD/month]"]) for row in ways] == [
        Decimal(str(each["usd_per_month"])) for each in given["alternatives"]
    ]
    assert len(systems) + len(ways) == len(rows)
    # The page and the workbook say what each costs more.
    own, *others = _sharing.way_cells(checked_placement(given, "placement"))
    assert own[3] is None
    assert [more for _, _, _, more, _ in others] == [
        Decimal(row["cost [USD/month]"]) - own[2] for row in ways
    ]


def ways_of(given: dict[str, Any]) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Rows of the ways to share: on the page, and in the sheet of the workbook by heading."""
    part = report.html(given).partition("The best systems for each way to share")[2]
    rows = [
        re.findall(r"<td[^>]*>(.*?)</td>", row)
        for row in re.findall(
            r"<tr>(.*?)</tr>", part.partition("</table>")[0], re.DOTALL
        )
    ]
    page = [row[-3:] for row in rows if row]
    stored = {
        (int(cell[1:]), cell[0]): value
        for (sheet, cell), value in Book(report.workbook(given)).stored.items()
        if sheet == "Ways to share"
    }
    headings = {column: value for (row, column), value in stored.items() if row == 1}
    sheet = [
        {str(name): stored.get((row, column)) for column, name in headings.items()}
        for row in range(2, 2 + len(page))
    ]
    return page, sheet


SHORT, MORE = "price of the machines", "more than recommended [USD]"


@pytest.mark.parametrize("kind", ["parts beside a whole", "parts"])
def test_costs_that_lack_other_machines_have_no_difference(kind: str) -> None:
    """A server beside RAM and devices without the price of their machines, and one machine of these beside two."""
    given = document(kind)
    [system] = given["systems"]
    assert system["option"]["machines"] == 1
    assert system["option"]["without_machine"] == (kind == "parts")
    lacks = [each["machines_left_out"] for each in given["alternatives"]]
    words = {
        (1, 1): "their machines not counted",
        (1, 1, 1): "their machines not counted",
        (1, 0): "the machine of 1 of them not counted",
    }
    said = [words[tuple(each)] for each in lacks]
    assert len(said) == 4
    own = "its machine not counted" if kind == "parts" else ""
    page, sheet = ways_of(given)
    costs = [
        given["usd_per_month"],
        *(each["usd_per_month"] for each in given["alternatives"]),
    ]
    assert [row[0] for row in page] == [
        f"{cost}, {words_}" if words_ else cost
        for cost, words_ in zip(costs, [own, *said], strict=True)
    ]
    assert [row[1] for row in page] == ["-"] * 5
    assert [row[SHORT] or "" for row in sheet] == [own, *said]
    assert [row[MORE] for row in sheet] == [None] * 5
    assert [row["per month [USD]"] for row in sheet] == [float(cost) for cost in costs]
    rows = list(csv.DictReader(io.StringIO(report.csv(given))))
    assert [row[SHORT] for row in rows] == [own, *said]
    assert [row["cost [USD/month]"] for row in rows] == costs


def test_costs_that_lack_equally_many_machines_have_a_difference() -> None:
    given = document("parts")
    [way] = [
        each
        for each in document("parts beside a whole")["alternatives"]
        if each["machines_left_out"] == [1, 0]
    ]
    assert (given["usd_per_month"], way["usd_per_month"]) == ("404.80", "430.08")
    given["alternatives"] = [way]
    page, sheet = ways_of(given)
    said = "the machine of 1 of them not counted"
    assert [row[:2] for row in page] == [
        ["404.80, its machine not counted", "-"],
        [f"430.08, {said}", "+25.28"],
    ]
    assert [(row[SHORT], row[MORE]) for row in sheet] == [
        ("its machine not counted", None),
        (said, 25.28),
    ]
    rows = list(csv.DictReader(io.StringIO(report.csv(given))))
    assert [row[SHORT] for row in rows] == ["its machine not counted", said]
    # Without such parts there is nothing to say, and no column for it.
    assert SHORT not in report.csv(document())
    assert SHORT not in ways_of(document())[1][0]


def test_of_a_placement_that_states_no_machines_none_is_known_to_be_missing() -> None:
    """An earlier version printed what the recommendation lacks alone."""
    given, parts = document("parts beside a whole"), document("parts")
    for each in (*given["alternatives"], *parts["alternatives"]):
        del each["machines_left_out"]
    page, _ = ways_of(given)
    assert given["usd_per_month"] == "365.36"
    assert given["alternatives"][0]["usd_per_month"] == "404.80"
    assert page[1][:2] == ["404.80", "+39.44"]
    page, _ = ways_of(parts)
    assert page[1][:2] == ["404.80", "-"]


def test_the_pdf_says_what_the_page_says() -> None:
    found = text_of(report.pdf(document(), title="Consolidation 2027"))
    for words in ("Consolidation 2027", "Who holds what", "Bill of the system of logs"):
        assert squeezed(words) in found


def test_the_command_writes_every_form(tmp_path: Path) -> None:
    path = tmp_path / "placement.json"
    path.write_text(placed("rented"))
    for ending in ("html", "xlsx", "csv", "json"):
        out = tmp_path / f"report.{ending}"
        assert run("report", path, "-o", out) == (
            0,
            f"{out}: report of the placement {document()['placement_id']}\n",
            "",
        )
        assert out.read_bytes() == report.made(document(), ending)
    assert json.loads((tmp_path / "report.json").read_text()) == document()
    code, _, error = run(
        "report", path, "-o", tmp_path / "out.html", "--need", "More room"
    )
    assert code == 2
    assert "and this is a placement" in error
    # A committee's check knows an advice alone.
    code, _, error = run("report", "check", path)
    assert code == 2
    assert "advice_id" in error


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ("systems", 0, "option", "bill", 0, "usd_per_month"),
            "1.00",
            "is not the sum",
        ),
        (("usd_per_month",), "1.00", "is not the sum of the systems"),
        (("systems", 0, "workloads", 0, "hit_share"), "much", "must be a number"),
        (("alternatives",), 7, "must be a list"),
    ],
)
def test_a_damaged_placement_is_refused(
    path: tuple[Any, ...], value: Any, said: str
) -> None:
    given = copy.deepcopy(document())
    *before, last = path
    inside: Any = given
    for key in before:
        inside = inside[key]
    inside[last] = value
    with pytest.raises(BadInput, match=said) as refused:
        report.html(given)
    assert "`tierwright place`" in refused.value.hint


@pytest.mark.parametrize("version", ["5", "6"])
def test_the_formula_of_a_life_says_whose_growth_counts(version: str) -> None:
    """Answers of before counted none of workloads that share a system."""
    given = document("bought")
    assert int(given["versions"]["placement"]) >= 6
    given["versions"]["placement"] = version
    lives = [
        each.formula
        for each in _sharing.formulas(checked_placement(given, "placement"))
        if each.figure.endswith("Life of the flash")
    ]
    assert lives
    for each in lives:
        assert "ln(1 + t ln(1 + g)) / ln(1 + g)" in each
        assert ("the largest g of its workloads" in each) == (version == "6")
