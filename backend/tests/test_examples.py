"""Every operation of the document has an example; each is sent, and answers as it says."""

import hashlib
import json
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from live_app import PATIENCE_S, REPOSITORY, TUS, Application, run_application

from tierwright_server.http.examples import EXAMPLES, Example, Made

DOCUMENT = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())
TRACE = b"time_us,op,rel,block\n" + b"".join(
    b"%d,%s,0/2676,%d\n" % (at * 10, b"W" if at % 3 == 0 else b"R", at * 7 % 50)
    for at in range(400)
)
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}


@pytest.fixture(scope="module")
def asked(make_settings, tmp_path_factory):
    """An application that may read a folder, with the worked example."""
    folder = tmp_path_factory.mktemp("traces")
    (folder / "orders.csv").write_bytes(TRACE)
    with run_application(make_settings(trace_roots=(str(folder),))) as running:
        running.wait_example()
        yield running


def created(application: Application, operation_id: str) -> str:
    """Send an example that makes something, wait for its run, return its id."""
    answer = sent(application, operation_id, named=f"Made {secrets.token_hex(6)}")
    assert answer.status_code in (200, 201, 202), answer.text
    made = answer.json()
    if made.get("run") is not None:
        assert application.wait_run(made["run"]["id"])["status"] == "succeeded"
    return str(made["id"])


def failed_workload(application: Application) -> str:
    made = application.create_workload(TRACE, "orders.csv", format="vscsi")
    assert application.wait_run(made["run"]["id"])["status"] == "failed"
    return str(made["id"])


def deleted_scenario(application: Application) -> str:
    scenario_id = created(application, "create_scenario")
    assert application.client.delete(f"/scenarios/{scenario_id}").status_code == 204
    return scenario_id


def begun_upload(application: Application) -> str:
    return application.begin_upload(16, filename="trace.csv").rsplit("/", 1)[-1]


def counted_at(rows: str) -> Callable[[Application], str]:
    """Return what makes a workload of counters: size, requests, misses and second, twice at each size."""
    text = f"size_bytes,requests,misses,seconds\n{rows}"
    body = {"name": "Counted", "text": text, "page_bytes": 8192}
    return lambda application: str(
        application.post("/workloads/from-curve", body, 201)["id"]
    )


def made_by(operation_id: str) -> Callable[[Application], str]:
    return lambda application: created(application, operation_id)


def begun_response_replay(application: Application) -> str:
    """A seed of its own: replays that are done answer with the check, which has no id."""
    body = filled(application, EXAMPLES["check_response"].body)
    asked = {**body, "seed": secrets.randbelow(2**31)}
    return str(application.post("/response-times/check", asked, 202)["id"])


def begun_category_counts(application: Application) -> str:
    """RAM of its own: counts that are done answer the question, which has no id."""
    body = filled(application, EXAMPLES["ask_what_to_cache"].body)
    asked = {**body, "ram_pages": 50 + secrets.randbelow(900)}
    return str(application.post("/what-to-cache", asked, 202)["id"])


def begun_advice_check(application: Application) -> str:
    """RAM of its own: an advice whose replays are done is answered, and has no run."""
    body = filled(application, EXAMPLES["check_advice"].body)
    ram = 2**26 + 2**13 * secrets.randbelow(2**12)
    asked = {**body, "have": {**body["have"], "ram_bytes": ram}}
    return str(application.post("/workloads/example/advice/checks", asked, 202)["id"])


def summarised_workload(application: Application) -> str:
    created(application, "create_summaries")
    return "example"


def quote_ranking(application: Application) -> str:
    return str(sent(application, "create_quote_ranking").json()["ranking_id"])


def ended_study(application: Application) -> str:
    study = sent(application, "create_transaction_study").json()
    if study["status"] != "succeeded":
        application.wait_run(study["run"]["id"])
    return str(study["id"])


MAKERS: dict[str, Callable[[Application], str]] = {
    "upload": lambda application: application.upload(TRACE, "orders.csv"),
    "upload begun": begun_upload,
    "sha256": lambda _: hashlib.sha256(TRACE).hexdigest(),
    "file": lambda application: f"{application.settings.trace_roots[0]}/orders.csv",
    "device": made_by("create_device"),
    "price book": made_by("create_price_book"),
    "workload": made_by("create_workload_from_profile"),
    "failed workload": failed_workload,
    "present point": counted_at("81920000,0,0,1\n81920000,1000,200,2\n"),
    "simulated pool": counted_at(
        "163840000,0,0,1\n163840000,1000,150,2\n327680000,2000,250,3\n327680000,3000,350,4\n"
    ),
    "simulation": made_by("create_simulation"),
    "sweep": made_by("create_sweep"),
    "miniature": made_by("create_miniature"),
    "pool split": made_by("create_pool_split"),
    "pool advisor": made_by("create_pool_advisor"),
    "windows": made_by("create_windows"),
    "sampled profile": made_by("create_sampled_profile"),
    "summaries": made_by("create_summaries"),
    "transaction study": made_by("create_transaction_study"),
    "ended transaction study": ended_study,
    "response replay": begun_response_replay,
    "category counts": begun_category_counts,
    "advice check": begun_advice_check,
    "workload with summaries": summarised_workload,
    "run": lambda application: str(application.get("/runs")["items"][0]["id"]),
    "quote ranking": quote_ranking,
    "scenario": made_by("create_scenario"),
    "advice template": made_by("create_advice_template"),
    "deleted scenario": deleted_scenario,
}
"""How each kind of thing that an example names is made."""


def filled(application: Application, value: Any) -> Any:
    """Return an example's value with real ids."""
    if isinstance(value, Made):
        return MAKERS[value.kind](application)
    if isinstance(value, dict):
        return {key: filled(application, each) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(application, each) for each in value]
    return value


def sent(
    application: Application, operation_id: str, named: str | None = None, **query: str
) -> Any:
    """Send the example of an operation; `named` in place of its name, which may be taken."""
    method, path, operation = OPERATIONS[operation_id]
    example: Example = EXAMPLES[operation_id]
    for name, value in example.path.items():
        path = path.replace(f"{{{name}}}", filled(application, value))
    body: dict[str, Any] = {}
    headers = dict(example.headers)
    if example.body is not None:
        [media] = operation["requestBody"]["content"]
        whole = filled(application, example.body)
        if named is not None and "name" in whole:
            whole = {**whole, "name": named}
        if media == "application/json":
            body = {"json": whole}
        else:
            body, headers = {"content": whole}, {**headers, "content-type": media}
    return application.client.request(
        method,
        path.removeprefix("/api/v1"),
        params=filled(application, dict(example.query)) | query,
        headers=headers,
        timeout=PATIENCE_S,
        **body,
    )


def test_every_operation_has_an_example_and_no_other():
    assert set(EXAMPLES) == set(OPERATIONS)


@pytest.mark.parametrize("operation_id", EXAMPLES)
def test_the_document_shows_all_of_the_example(operation_id):
    """What is sent is what a reader sees: no parameter is passed over."""
    _, path, operation = OPERATIONS[operation_id]
    example = EXAMPLES[operation_id]
    shown: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}}
    for parameter in operation.get("parameters", []):
        if "example" in parameter:
            shown[parameter["in"]][parameter["name"]] = parameter["example"]
    assert shown == {
        "path": dict(example.path),
        "query": dict(example.query),
        "header": dict(example.headers),
    }
    assert all(f"{{{name}}}" in path for name in example.path)
    for content in operation.get("requestBody", {}).get("content", {}).values():
        assert content["example"] == example.body


@pytest.mark.parametrize("operation_id", EXAMPLES)
def test_the_example_is_answered_as_described(asked, operation_id):
    _, _, operation = OPERATIONS[operation_id]
    answer = sent(asked, operation_id)
    declared = {status for status in operation["responses"] if status < "300"}
    assert str(answer.status_code) in declared, answer.text
    described = operation["responses"][str(answer.status_code)]
    media = answer.headers.get("content-type", "").partition(";")[0]
    if "content" not in described:
        assert answer.content == b""
        return
    assert media in described["content"]
    if media == "application/json":
        schema = described["content"][media]["schema"]
        whole = {**schema, "components": DOCUMENT["components"]}
        Draft202012Validator(whole).validate(answer.json())


def test_tus_is_as_described(asked):
    """The uploads' own protocol answers in headers."""
    _, _, operation = OPERATIONS["create_upload"]
    headers = {**TUS, "upload-length": "16", "idempotency-key": "described"}
    for _ in range(2):  # the second answer says that it is a replayed one
        answer = asked.client.post("/uploads", headers=headers)
    for name in operation["responses"]["201"]["headers"]:
        assert name in answer.headers


DERIVED = [
    operation_id
    for operation_id, (_, _, operation) in OPERATIONS.items()
    if any(each["name"] == "derivation" for each in operation.get("parameters", ()))
]
WITH_ITS_STEPS = {
    "PoolAdvisorEpochs": "a result of a job, which no slider asks for again",
    "DerivationOut": "nothing but the steps",
    "FormulaAnswerOut": "one formula, which is asked for its steps",
}
"""Answers that always carry their derivation, and why."""


@pytest.mark.parametrize("operation_id", DERIVED)
def test_steps_come_where_they_are_asked_for(asked, operation_id):
    plain = sent(asked, operation_id).json()
    if (run := plain.get("run")) is not None:
        # A job counts what the answer needs.
        assert asked.wait_run(run["id"])["status"] == "succeeded"
        plain = sent(asked, operation_id).json()
    whole = sent(asked, operation_id, derivation="true").json()
    assert plain.pop("derivation") is None
    steps = whole.pop("derivation")
    assert steps
    assert all(step["name"] and step["formula"] for step in steps)
    assert plain == whole


def test_steps_come_as_a_table_of_their_own(asked):
    method, path, _ = OPERATIONS["ask_recovery"]
    answer = asked.client.request(
        method,
        path.removeprefix("/api/v1"),
        params={"table": "derivation"},
        headers={"accept": "text/csv"},
        json=filled(asked, EXAMPLES["ask_recovery"].body),
    )
    steps = sent(asked, "ask_recovery", derivation="true").json()["derivation"]
    assert len(answer.text.splitlines()) == 1 + len(steps)


def test_no_other_answer_brings_steps_unasked():
    schemas = DOCUMENT["components"]["schemas"]
    always = {
        name
        for name, schema in schemas.items()
        if schema.get("properties", {}).get("derivation", {}).get("type") == "array"
    }
    assert always == set(WITH_ITS_STEPS)
