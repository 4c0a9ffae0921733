"""Two price lists: the same file has no change, a newer one lists exactly what differs."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from test_import_focus import changed, table
from test_import_prices import GP3, SAMPLE, dimension, term

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import changes as module
from tierwright.hardware.imports.changes import Book, Changes, changes
from tierwright.hardware.imports.readers import PRICES, read_rows


def book(content: bytes) -> Book:
    found = Book()
    read_rows(io.BytesIO(content), "given", PRICES, found.add)
    return found


def offer(document: dict[str, Any]) -> Book:
    return book(json.dumps(document).encode())


def newer() -> dict[str, Any]:
    found = copy.deepcopy(SAMPLE)
    on_demand = found["terms"]["OnDemand"]
    on_demand[GP3] = term(GP3, dimension("GB-Mo", "0.0900000000"))
    on_demand["NEW"] = term("NEW", dimension("Hrs", "1"))
    del on_demand["TPUT"]
    return found


def counts(found: Changes) -> tuple[int, int, int, int]:
    return found.added, found.removed, found.changed, found.unchanged


def test_the_same_list_has_no_change() -> None:
    found = changes(offer(SAMPLE), offer(SAMPLE))
    assert counts(found) == (0, 0, 0, 7)
    assert found.listed == ()
    assert found.finding == "No price changed: 7 prices are the same."


def test_a_newer_list_names_what_differs() -> None:
    found = changes(offer(SAMPLE), offer(newer()))
    assert counts(found) == (1, 1, 1, 5)
    by_sku = {each["sku"]: (each["before"], each["after"]) for each in found.listed}
    assert by_sku == {
        GP3: (["0.0800000000"], ["0.0900000000"]),
        "NEW": ([], ["1"]),
        "TPUT": (["40.9600000000"], []),
    }
    assert found.finding.startswith("1 price changed, 1 price added, 1 price removed")
    back = changes(offer(newer()), offer(SAMPLE))
    assert counts(back) == (1, 1, 1, 5)


def test_a_bill_states_a_price_often_and_the_last_day_counts() -> None:
    days = {"ChargePeriodStart": "2026-09-02T00:00:00Z"}
    bill = book(
        table(changed(), changed(), changed(ContractedUnitPrice="0.09", **days))
    )
    assert counts(changes(bill, bill)) == (0, 0, 0, 1)
    [row] = changes(bill, book(table(changed()))).listed
    assert (row["before"], row["after"]) == (["0.09"], ["0.08"])
    both = book(table(changed(), changed(ContractedUnitPrice="0.07")))
    [row] = changes(bill, both).listed
    assert row["after"] == ["0.07", "0.08"]


def test_another_unit_is_another_price() -> None:
    found = changes(
        book(table(changed())), book(table(changed(PricingUnit="100 Hours")))
    )
    assert counts(found) == (1, 1, 0, 0)


def test_more_than_can_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PRICES", 3)
    with pytest.raises(BadInput, match="more than 3 prices"):
        offer(SAMPLE)


def test_the_command(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(SAMPLE), encoding="utf-8")
    new.write_text(json.dumps(newer()), encoding="utf-8")
    found = answer("import", "prices", new, "--compare", old)
    assert (found["added"], found["removed"], found["changed"]) == (1, 1, 1)
    assert found["earlier"] == answer("import", "prices", old)["id"]
    same = run("import", "prices", old, "--compare", old).stdout
    assert "Both files are the same." in same
    assert "0.0900000000" in run("import", "prices", new, "--compare", old).stdout
