"""Any table of any answer as CSV: the same figures, chosen by name, safe in a spreadsheet."""

import csv
import io
import json
import random
from decimal import Decimal

import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from live_app import REPOSITORY

from tierwright_server.app import make_app
from tierwright_server.common.settings import Settings
from tierwright_server.http.csv_answers import (
    Number,
    Table,
    rows_of,
    tables_of,
    tables_of_route,
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

    def test_a_route_by_itself_has_the_tables_that_the_document_names(self):
        schemas = DOCUMENT["components"]["schemas"]
        documented = {
            operation["operationId"]: tables_of(operation, schemas)
            for operations in DOCUMENT["paths"].values()
            for operation in operations.values()
        }
        routes = [
            context.original_route
            for context in iter_route_contexts(make_app(Settings()).routes)
        ]
        found = {
            route.operation_id: list(tables_of_route(route))
            for route in routes
            if isinstance(route, APIRoute)
        }
        assert {name: found[name] for name in documented} == documented
        assert sum(map(bool, documented.values())) > 50

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


MAP = {
    **{key: POINT[key] for key in POINT if not key.endswith("_pages")},
    "x": {"axis": "flash_per_ram", "low": 1, "high": 100, "points": 5},
    "y": {"axis": "ram_pages", "low": 10, "high": 3000, "points": 3},
}
OF_CELLS = ("margin", "too_close")


def same(cell, value):
    """Compare a cell with what the JSON says, to the last digit."""
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    return cell == value if isinstance(value, str) else float(cell) == value


class TestSchemeMap:
    """The grid of a scheme map: a row for each of its cells."""

    @pytest.mark.parametrize("more", [{}, {"price_book_id": None}])
    def test_cells_are_those_of_the_json(self, application, more):
        body = {**MAP, **more}
        whole = application.post("/scheme-maps", body, 200)
        self.compare(
            whole, read(application.client.post("/scheme-maps", json=body, headers=CSV))
        )

    def test_where_metadata_leave_no_ram_there_is_no_winner(self, application):
        body = {**MAP, "flash_metadata": "l2arc", "x": {**MAP["x"], "high": 1e4}}
        whole = application.post("/scheme-maps", body, 200)
        rows = read(application.client.post("/scheme-maps", json=body, headers=CSV))
        assert any(row["io_time_us_per_access.lazy"] == "" for row in rows)
        self.compare(whole, rows)

    def test_both_ends_of_an_unknown_dirty_share(self, application):
        curve = {
            "name": "Pasted for a map",
            "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
            "page_bytes": 8192,
            "accesses": 1_000_000,
        }
        made = application.post("/workloads/from-curve", curve, 201)
        body = {**MAP, "workload_id": made["id"], "dirty_share_range": True}
        whole = application.post("/scheme-maps", body, 200)
        assert whole["least"] is not None
        self.compare(
            whole, read(application.client.post("/scheme-maps", json=body, headers=CSV))
        )

    def test_money_in_another_currency(self, application):
        rows = read(
            application.client.post("/scheme-maps?currency=EUR", json=MAP, headers=CSV)
        )
        assert Decimal(rows[0]["money.eur_per_month_with_flash"]) > 0

    @staticmethod
    def compare(whole, rows):
        x, y = whole["x"], whole["y"]
        assert len(rows) == len(x["values"]) * len(y["values"])
        for at, row in enumerate(rows):
            j, i = divmod(at, len(x["values"]))
            assert float(row.pop(x["name"])) == x["values"][i]
            assert float(row.pop(y["name"])) == y["values"][j]
            for end, prefix in ((whole, ""), (whole["least"], "least.")):
                if end is None:
                    continue
                index = end["best"][j][i]
                best = None if index < 0 else whole["schemes"][index]
                assert same(row.pop(f"{prefix}best"), best)
                costs = {
                    name: grid[j][i]
                    for name, grid in end["io_time_us_per_access"].items()
                }
                for name, cost in costs.items():
                    assert same(row.pop(f"{prefix}io_time_us_per_access.{name}"), cost)
                assert same(
                    row.pop(f"{prefix}best_io_time_us_per_access"),
                    None if best is None else costs[best],
                )
                for name in OF_CELLS + (("differs",) if prefix else ()):
                    assert same(row.pop(f"{prefix}{name}"), end[name][j][i])
            for name, grid in whole["money"].items():
                if not isinstance(grid, list):
                    continue
                value = grid[j][i]
                if name == "best_by_price_times_time":
                    value = None if value < 0 else whole["schemes"][value]
                assert same(row.pop(f"money.{name}"), value)
            assert row == {}, "a column that the JSON does not have"


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


class TestListsOfLists:
    """Figures of a table of columns that are more than one a row."""

    @staticmethod
    def finished(application, path, body, answer):
        made = application.post(path, {"workload_id": "example", **body}, 202)
        if made["status"] != "succeeded":
            run = application.wait_run(made["run"]["id"])
            assert run["status"] == "succeeded", run
        where = f"{path}/{made['id']}/{answer}"
        return application.get(where), read(application.client.get(where, headers=CSV))

    # As many sizes as windows: neither is taken for the other.
    @pytest.mark.parametrize("sizes", [[50, 700], [50, 700, 900]])
    def test_misses_by_window_and_size(self, application, sizes):
        body = {"windows": 3, "sizes": sizes}
        answer, rows = self.finished(application, "/windows", body, "curves")
        assert len(rows) == 3
        for at, row in enumerate(rows):
            found = [int(row[f"misses.pages={size}"]) for size in sizes]
            assert found == answer["misses"][at]
            assert int(row["first_access"]) == answer["first_access"][at]
            assert "pages" not in row

    def test_both_ends_of_an_interval(self, application):
        body = {"sample_rate": 0.2, "seed": 3}
        answer, rows = self.finished(application, "/sampled-profiles", body, "curve")
        assert len(rows) == len(answer["pages"])
        for at, row in enumerate(rows):
            for name in ("misses", "write_backs"):
                ends = [
                    float(row[f"{name}_interval95.{end}"]) for end in ("low", "high")
                ]
                assert ends == answer[f"{name}_interval95"][at]

    def test_no_table_of_columns_leaves_one_out(self):
        schemas = DOCUMENT["components"]["schemas"]
        left = []
        for operations in DOCUMENT["paths"].values():
            for operation in operations.values():
                tables = {
                    t.path: t
                    for t in tables_of(operation, schemas)
                    if t.kind == "columns"
                }
                for path, table in tables.items():
                    of = schema_at(operation, schemas, path)
                    taken = {*table.pairs, *(name for name, _ in table.across)}
                    left += [
                        (operation["operationId"], name)
                        for name, each in of["properties"].items()
                        if each.get("items", {}).get("type") == "array"
                        and name not in taken
                    ]
        assert left == []


def schema_at(operation, schemas, path):
    """Return the schema of the object that a table of columns is made of."""
    answers = [a for status, a in operation["responses"].items() if status < "300"]
    of = next(
        a["content"]["application/json"]["schema"] for a in answers if "content" in a
    )
    for key in (None, *path):
        of = of if key is None else of["properties"][key]
        while "$ref" in of or "anyOf" in of or of.get("type") == "array":
            if "$ref" in of:
                of = schemas[of["$ref"].rpartition("/")[-1]]
            elif "anyOf" in of:
                of = next(each for each in of["anyOf"] if each.get("type") != "null")
            else:
                of = of["items"]
    return of
