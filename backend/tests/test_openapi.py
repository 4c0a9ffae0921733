"""The OpenAPI document: committed as generated, and true to the server."""

import json

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from live_app import PATIENCE_S, REPOSITORY, run_application
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tierwright_server.app import make_app
from tierwright_server.common.settings import Settings
from tierwright_server.http import meanings

EXAMPLES = 40
KNOWN = {
    "workload_id": "example",
    "flash_device_id": "face2016-samsung-840pro-256",
    "disk_device_id": "face2016-cheetah-15k6-single",
}
DOCUMENT = REPOSITORY / "backend" / "openapi.json"


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


@schemathesis.serializer("application/offset+octet-stream")
def as_bytes(_, value):
    """Bytes of an upload are sent as they are."""
    return value if isinstance(value, bytes) else str(value).encode()


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


@pytest.fixture(scope="module")
def fuzzed(make_settings):
    """An application that may be filled with nonsense."""
    with run_application(make_settings()) as running:
        running.wait_example()
        yield running


def aim(case):
    """Let a valid request name what is there, so that it gets further than a 404."""
    for part in (case.path_parameters, case.body):
        if isinstance(part, dict):
            part.update({key: KNOWN[key] for key in KNOWN if key in part})
    if isinstance(case.body, dict) and "max_machines" in case.body:
        case.body["max_machines"] = 1  # each further machine is as much work again
    if "/formulas/" in case.path and case.path_parameters:
        case.path_parameters["name"] = "face.writeback_chain"


OPERATIONS = [
    result.ok()
    for result in schemathesis.openapi.from_path(DOCUMENT).get_all_operations()
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "operation",
    [
        operation
        for operation in OPERATIONS
        # The stream ends only with its run.
        if operation.definition.raw["operationId"] != "stream_run"
    ],
    ids=lambda operation: operation.label,
)
def test_no_generated_request_breaks_the_promises_of_the_document(fuzzed, operation):
    """Every answer has a declared status, media type and shape, whatever is sent."""
    base_url = str(fuzzed.client.base_url).removesuffix("/api/v1/")
    session = requests.Session()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case):
        if case.meta.generation.mode.is_positive:
            aim(case)
        case.call_and_validate(
            base_url=base_url,
            session=session,
            timeout=PATIENCE_S,
            # A schema cannot say which figures, units and sizes fit together.
            excluded_checks=[positive_data_acceptance],
        )

    with session:
        check()
    assert fuzzed.get("/health")["status"] == "ok"
