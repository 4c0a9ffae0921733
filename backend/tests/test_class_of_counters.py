"""No door of the API drops the class of a curve from counters: every operation, as JSON and as every table."""

import csv
import io
import json

import pytest
from live_app import REPOSITORY

from tierwright.profile.given.kinds import KINDS
from tierwright_server.http.csv_answers import (
    classed,
    rows_of,
    tables_of,
    written,
)
from tierwright_server.http.examples import EXAMPLES, Made

DOCUMENT = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())
SCHEMAS = DOCUMENT["components"]["schemas"]
CLASS = "evidence of the curve"
EXAMPLE = "example"
"""Id of the worked example, in whose place the workload from counters is asked about."""
PAGES = (1000, 2000, 4000, 8000, 16_000)
ANSWERED_OF_COUNTERS = 12
"""Operations that answer of such a workload, at the least: else this test asks nothing."""
NO_RESULT = {
    "get_joined_workloads": "names of workloads, no figure of a curve",
    "get_relations": "there are none: counters name no relation",
}
"""Operations that answer nothing that rests on the curve, with the reason."""


def is_of_example(example):
    """Say whether an example asks something of the worked example."""
    body = example.body if isinstance(example.body, dict) else {}
    return EXAMPLE in (body.get("workload_id"), example.path.get("workload_id"))


OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    if is_of_example(EXAMPLES[operation["operationId"]])
}


@pytest.fixture(scope="module")
def counted(application):
    """A workload counted at sizes that hold all those of the examples, but for its class an ordinary one."""
    rows, requests, misses = [], 0, 0
    for at, pages in enumerate(PAGES):
        for second in (1, 2):
            rows.append(f"{8192 * pages},{requests},{misses},{100 * at + second}")
            requests, misses = requests + 100_000, misses + 50_000 // (at + 1)
    text = "size_bytes,requests,misses,seconds\n" + "\n".join(rows) + "\n"
    body = {
        "name": "Counted in a row",
        "text": text,
        "page_bytes": 8192,
        "dirty_share": 0.2,
        "data_bytes": 8192 * 20_000,
    }
    made = application.post("/workloads/from-curve", body, 201)
    assert made["summary"]["evidence"]["evidence"] == "points"
    return made["id"]


def asked_of(workload_id, example):
    """Return path and body of an example, asked of another workload at sizes that it has."""
    body = example.body
    if isinstance(body, dict):
        sizes = {"ram_pages": 1500, "flash_pages": 6000}
        body = {
            **body,
            **{key: sizes[key] for key in sizes if key in body},
            **({"workload_id": workload_id} if "workload_id" in body else {}),
        }
    path = {
        key: workload_id if value == EXAMPLE else value
        for key, value in example.path.items()
    }
    return path, body


def send(application, operation_id, workload_id, query, headers):
    method, path, _ = OPERATIONS[operation_id]
    example = EXAMPLES[operation_id]
    keys, body = asked_of(workload_id, example)
    return application.client.request(
        method,
        path.removeprefix("/api/v1").format(**keys),
        json=body,
        params={**example.query, **query},
        headers={**example.headers, **headers},
    )


def needs_more(example):
    """Say whether an example is about something that another request made."""
    return any(
        isinstance(value, Made)
        for value in (*example.path.values(), *(example.body or {}).values())
    )


def test_every_answer_and_every_table_of_it_names_the_class(application, counted):
    answered, dropped = [], []
    for operation_id, (_, _, operation) in OPERATIONS.items():
        if needs_more(EXAMPLES[operation_id]) or operation_id in NO_RESULT:
            continue
        found = send(application, operation_id, counted, {}, {})
        if not found.is_success or "json" not in found.headers.get("content-type", ""):
            continue
        text = found.text
        if "status" in found.json() and "kind" in found.json():
            continue  # a run: its result is another answer
        answered.append(operation_id)
        if "curve_from_points" not in text and '"evidence":"points"' not in text:
            dropped.append(operation_id)
            continue
        # What the middleware writes of the same answer, without computing it once for each table.
        for table in tables_of(operation, SCHEMAS):
            rows = rows_of(found.json(), table)
            sheet = written(classed(rows, found.json()), table)
            _, *lines = csv.reader(io.StringIO(sheet, newline=""))
            head = sheet.split("\r\n", 1)[0]
            if lines and not head.endswith(f",{CLASS}"):
                dropped.append((operation_id, table.name))
            assert {line[-1] for line in lines} <= {"points"}, table.name
    assert dropped == []
    assert len(answered) >= ANSWERED_OF_COUNTERS, answered


def test_a_table_has_the_column_where_the_curve_is_from_counters(application, counted):
    application.wait_example()
    for workload_id, is_there in ((counted, True), (EXAMPLE, False)):
        found = send(
            application, "ask_compare", workload_id, {}, {"accept": "text/csv"}
        )
        assert found.status_code == 200, found.text
        head = found.text.split("\r\n", 1)[0]
        assert head.endswith(f",{CLASS}") is is_there


def test_the_upper_envelope_is_part_of_the_class_in_every_table(application):
    """Maxima over intervals are no counts of one load: *points* alone would say that they are."""
    body = {
        "name": "Working set of a filer",
        "text": KINDS["netapp_awa"].example,
        "accesses_per_s": 1000,
        "dirty_share": 0.2,
        "data_bytes": 2**40,
    }
    made = application.post("/workloads/from-curve", body, 201)
    for operation_id, header in (
        ("ask_compare", "text/csv"),
        ("derive_compare", "application/json"),
    ):
        method, path, _ = OPERATIONS[operation_id]
        _, asked = asked_of(made["id"], EXAMPLES[operation_id])
        found = application.client.request(
            method,
            path.removeprefix("/api/v1"),
            json={**asked, "ram_pages": 6_000_000, "flash_pages": 20_000_000},
            headers={"accept": header},
        )
        assert found.status_code == 200, found.text
        if header == "application/json":
            assert found.json()["evidence"] == "points, upper envelope"
            continue
        head, *rows = csv.reader(io.StringIO(found.text, newline=""))
        assert head[-1] == CLASS
        assert rows
        assert {row[-1] for row in rows} == {"points, upper envelope"}
    workload = application.get(f"/workloads/{made['id']}")
    [row] = classed([{}], workload["summary"])
    assert row == {CLASS: "points, upper envelope"}


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (
            {
                "warnings": [
                    {"name": "curve_from_points", "message": "an upper envelope"}
                ]
            },
            "points, upper envelope",
        ),
        ({"cautions": [{"code": "curve_from_points", "message": "counted"}]}, "points"),
        ({"evidence": "points, upper envelope"}, "points, upper envelope"),
        ({"evidence": "ages"}, "ages"),
        ({"evidence": {"evidence": "points", "title": "points"}}, "points"),
        # What names the class alone stands for the same curve.
        (
            {
                "evidence": {"evidence": "points", "title": "points, upper envelope"},
                "asked": {"evidence": "points"},
            },
            "points, upper envelope",
        ),
    ],
)
def test_what_names_the_class_names_its_envelope(answer, named):
    assert classed([{"x": 1}], answer) == [{"x": 1, CLASS: named}]


def test_what_is_no_class_makes_no_column():
    assert classed([{"x": 1}], {"evidence": "some"}) == [{"x": 1}]
