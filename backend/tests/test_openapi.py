"""The OpenAPI document: committed as generated, and true to the server."""

import json
from pathlib import Path

from generated_requests import DOCUMENT, OPERATIONS, PARTS, part

from tierwright_server.app import make_app
from tierwright_server.common.settings import Settings
from tierwright_server.http import meanings


def test_the_committed_document_is_up_to_date():
    assert json.loads(DOCUMENT.read_text()) == make_app(Settings()).openapi()


def test_every_operation_has_an_id_and_declares_problems():
    ids = []
    for path in json.loads(DOCUMENT.read_text())["paths"].values():
        for operation in path.values():
            ids.append(operation["operationId"])
            content = operation["responses"]["422"]["content"]
            assert list(content) == ["application/problem+json"]
    assert len(set(ids)) == len(ids)


def test_units_of_one_kind_are_of_one_family():
    """Times of I/O in `_us`, of runs in `_s`, of records in `_ns`; sizes in `_bytes`."""
    others = {"ms", "sec", "seconds", "msec", "usec", "min", "minutes"}
    others |= {"kb", "mb", "kib", "mib"}
    schemas = json.loads(DOCUMENT.read_text())["components"]["schemas"]
    names = {
        f"{schema}.{name}"
        for schema, each in schemas.items()
        for name in each.get("properties", {})
        if name.rpartition("_")[2] in others and "_" in name
    }
    assert names == set()


def test_every_link_leads_from_what_is_made_to_what_reads_it():
    document = json.loads(DOCUMENT.read_text())
    operations = {
        operation["operationId"]: operation
        for path in document["paths"].values()
        for operation in path.values()
    }
    links = {
        (name, link["operationId"]): link["parameters"]
        for name, operation in operations.items()
        for answer in operation["responses"].values()
        for link in answer.get("links", {}).values()
    }
    for (_, reader), parameters in links.items():
        taken = {each.get("name") for each in operations[reader]["parameters"]}
        assert parameters.keys() <= taken
    assert links["create_workload", "get_workload"] == {
        "workload_id": "$response.body#/id"
    }
    assert links["create_workload", "get_run"] == {"run_id": "$response.body#/run/id"}
    assert links["ask_compare", "get_workload"] == {
        "workload_id": "$response.body#/workload_id"
    }


SCHEMAS = json.loads(DOCUMENT.read_text())["components"]["schemas"]


def test_every_property_is_described():
    lacking = [
        f"{name}.{key}"
        for name, schema in SCHEMAS.items()
        for key, field in schema.get("properties", {}).items()
        if not field.get("description", "").strip()
    ]
    assert lacking == []


def test_every_parameter_is_described():
    for path, operations in json.loads(DOCUMENT.read_text())["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                assert parameter.get("description"), (path, parameter["name"])


def test_no_meaning_is_left_over():
    """A line that describes nothing would be believed to hold somewhere."""
    used = {
        (name, key, field["description"])
        for name, schema in SCHEMAS.items()
        for key, field in schema.get("properties", {}).items()
    }
    shown = {f"{name}.{key}": said for name, key, said in used}
    for place, meaning in meanings.OF_ONE_SCHEMA.items():
        assert shown.get(place) == meaning, place
    for key, meaning in meanings.EVERYWHERE.items():
        assert any(other == key and said == meaning for _, other, said in used), key


def test_the_server_serves_the_document(application):
    assert application.get("/openapi.json") == json.loads(DOCUMENT.read_text())


def test_every_operation_is_in_one_part_of_the_generated_requests():
    """The stream of a run alone is in none: it ends only with its run."""
    labels = [each.label for number in range(PARTS) for each in part(number)]
    stream = "GET /api/v1/runs/{run_id}/events"
    assert sorted([*labels, stream]) == sorted(each.label for each in OPERATIONS)
    tested = [
        path.stem
        for path in Path(__file__).parent.glob("test_generated_requests_*.py")
        if f"part({path.stem[-1]})" in path.read_text()
    ]
    assert len(tested) == PARTS
