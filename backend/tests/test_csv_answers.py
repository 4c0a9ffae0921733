"""Any table of any answer as CSV: the same figures, chosen by name, safe in a spreadsheet."""

import csv
import io
import json
import random
from decimal import Decimal

import pytest
from live_app import REPOSITORY

from tierwright_server.csv_answers import (
    Number,
    Table,
    rows_of,
    tables_of,
    wants_csv,
    written,
)

DOCUMENT = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())
CSV = {"accept": "text/csv"}
POINT = {
    "workload_id": "example",
    "ram_pages": 2000,
    "flash_pages": 8000,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    "disk_device_id": "face2016-cheetah-15k6-single",
    "price_book_id": "street-2026-q3",
}


def read(answer):
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


class TestChoice:
    @pytest.mark.parametrize(
        ("accept", "wanted"),
        [
            ("text/csv", True),
            ("text/csv, application/json", True),
            ("application/json;q=0.5, text/csv", True),
            ("application/json, text/csv;q=0.9", False),
            ("text/csv;q=0", False),
            ("*/*", False),
            ("", False),
            ("application/json", False),
        ],
    )
    def test_what_the_client_likes_better(self, accept, wanted):
        assert wants_csv(accept) is wanted

    def test_no_table_is_406(self, application):
        answer = application.client.get("/health", headers=CSV)
        assert answer.status_code == 406
        assert answer.json()["hint"] == "Ask for application/json."

    def test_nothing_is_made_where_the_answer_has_no_table(self, application):
        before = application.get("/sweeps")["total"]
        body = {
            "workload_id": "example",
            "contenders": [{"family": "policy", "name": "fifo"}],
            "ram_pages": [77],
        }
        answer = application.client.post("/sweeps?table=gone", json=body, headers=CSV)
        assert answer.status_code == 422
        assert application.get("/sweeps")["total"] == before

    def test_several_tables_are_named(self, application):
        answer = application.client.post(
            "/break-evens",
            json={key: POINT[key] for key in POINT if key != "flash_pages"},
            headers=CSV,
        )
        assert answer.status_code == 422
        assert "`steps`" in answer.json()["hint"]

    def test_a_table_needs_the_media_type(self, application):
        answer = application.client.get("/catalog/devices?table=items")
        assert answer.status_code == 422
        assert answer.json()["hint"] == "Send `Accept: text/csv`."

    def test_other_unknown_keys_are_refused_still(self, application):
        answer = application.client.get("/catalog/devices?colour=red", headers=CSV)
        assert answer.status_code == 422

    def test_problems_stay_problems(self, application):
        answer = application.client.get(
            "/catalog/devices/none?table=figures", headers=CSV
        )
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"


class TestFigures:
    def test_rows_are_those_of_the_json(self, application):
        whole = application.post("/evaluations", POINT, 200)
        rows = read(application.client.post("/evaluations", json=POINT, headers=CSV))
        assert [row["scheme"] for row in rows] == [
            each["scheme"] for each in whole["schemes"]
        ]
        for row, each in zip(rows, whole["schemes"], strict=True):
            assert float(row["io_time_us_per_access"]) == each["io_time_us_per_access"]
            assert (
                float(row["cost_terms_us_per_access.disk_reads"])
                == each["cost_terms_us_per_access"]["disk_reads"]
            )
            # Money stays the decimal string that it is.
            assert row["money.usd_per_month"] == each["money"]["usd_per_month"]

    def test_an_inner_table_says_where_it_belongs(self, application):
        whole = application.post("/evaluations", POINT, 200)
        rows = read(
            application.client.post(
                "/evaluations?table=schemes.money.parts", json=POINT, headers=CSV
            )
        )
        for each in whole["schemes"]:
            parts = [row for row in rows if row["schemes[].scheme"] == each["scheme"]]
            assert sum(Decimal(row["usd_per_month"] or 0) for row in parts) == sum(
                Decimal(part["usd_per_month"] or 0) for part in each["money"]["parts"]
            )

    def test_columns(self, application):
        whole = application.get("/workloads/example/curve?points=20")
        rows = read(
            application.client.get("/workloads/example/curve?points=20", headers=CSV)
        )
        assert [float(row["misses"]) for row in rows] == whole["misses"]
        assert [int(row["pages"]) for row in rows] == whole["pages"]

    def test_another_currency_has_its_columns(self, application):
        rows = read(
            application.client.post(
                "/evaluations?currency=EUR", json=POINT, headers=CSV
            )
        )
        assert Decimal(rows[0]["money.eur_per_month"]) > 0

    def test_the_pages_of_a_list_are_linked(self, application):
        answer = application.client.get("/catalog/devices?limit=2", headers=CSV)
        assert len(read(answer)) == 2
        assert 'rel="next"' in answer.headers["link"]

    def test_every_table_of_every_list_is_read(self, application):
        seen = 0
        for path, operations in DOCUMENT["paths"].items():
            operation = operations.get("get")
            if operation is None or "{" in path:
                continue
            for table in tables_of(operation, DOCUMENT["components"]["schemas"]):
                if path.endswith("/api/v1"):
                    path = f"{path}/"
                answer = application.client.get(
                    path.removeprefix("/api/v1"),
                    params={"table": table.name},
                    headers=CSV,
                )
                read(answer)
                seen += 1
        assert seen > 25


class TestWriting:
    TABLE = Table((), "rows", ("name", "usd"))

    @pytest.mark.parametrize(
        "text", ["=1+1", "+1+1", "-x", "@SUM(A1)", "\t=1", "\uff1d1", "a;=1", "a\n=1"]
    )
    def test_a_formula_is_text(self, text):
        [row] = csv.DictReader(
            io.StringIO(written([{"name": text}], self.TABLE), newline="")
        )
        assert row["name"].startswith("'") or "'=" in row["name"]

    @pytest.mark.parametrize("amount", ["-3.20", "12.50", "0"])
    def test_an_amount_stays(self, amount):
        assert written([{"usd": amount}], self.TABLE) == f"usd\r\n{amount}\r\n"

    def test_numbers_keep_their_digits(self):
        for digits in ("0.1", "1e-300", "9007199254740993", "-0.30000000000000004"):
            row = json.loads(f'{{"v": {digits}}}', parse_float=Number, parse_int=Number)
            assert written([row], self.TABLE) == f"v\r\n{digits}\r\n"

    def test_an_empty_table_has_its_header(self):
        assert written([], self.TABLE) == "name,usd\r\n"

    def test_any_text_comes_back(self):
        chance = random.Random(5)
        signs = 'ab",;\r\n =-@\u00e9\U0001f600'
        for _ in range(200):
            text = "x" + "".join(chance.choices(signs, k=12))
            [row] = csv.DictReader(
                io.StringIO(written([{"name": text}], self.TABLE), newline="")
            )
            assert row["name"].replace("'", "") == text

    def test_what_is_null_or_missing_is_empty(self):
        rows = rows_of(
            [{"a": None, "b": {"c": True}}, {"b": {"c": False}, "d": [1, 2]}],
            self.TABLE,
        )
        assert written(rows, self.TABLE) == 'a,b.c,d\r\n,true,\r\n,false,"[1,2]"\r\n'
