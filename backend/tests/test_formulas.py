"""Single formulas over HTTP: all of them, as the models answer; refusals; bounds."""

import json
import random
import time
from decimal import Decimal

import httpx
import pytest
from live_app import PATIENCE_S, children_running, eventually, run_application

from tierwright.catalogue import answer as catalogue_answer
from tierwright.catalogue import table
from tierwright.catalogue.table import CARDS
from tierwright.common.currency import is_money
from tierwright_server.jobs.brief import Said

CHILD = "tierwright_server.questions.formulas.child"
ENDED_WITHIN_S = 30
"""By a slow machine, of which the whole computation would take minutes."""


def test_the_catalogue_holds_every_formula(application):
    found = application.get("/formulas")
    assert [entry["name"] for entry in found["formulas"]] == list(CARDS)
    families = [family["name"] for family in found["families"]]
    assert list(dict.fromkeys(each["family"] for each in found["formulas"])) == families
    described = {entry["name"]: entry for entry in found["formulas"]}
    one = application.get("/formulas/face.writeback_chain")
    assert one == described["face.writeback_chain"]
    assert [each["name"] for each in one["parameters"]] == [
        "k",
        "C_disk_write",
        "C_flash_write",
    ]
    page = application.get("/formulas/face.writeback_chain/page")
    assert "`face.writeback_chain`" in page["text"]
    assert page["page_file"] == one["page_file"]


def with_decimals(inputs):
    """Money goes out as decimal strings."""
    return {
        key: format(Decimal(str(value)), "f") if is_money(key) else value
        for key, value in inputs.items()
    }


@pytest.mark.parametrize(
    "name", [name for name, card in CARDS.items() if not card.address or not card.page]
)
def test_what_had_no_door_answers_with_the_models_numbers(application, name):
    example = table.example(name)
    body = {"inputs": dict(example.inputs)}
    found = application.post(f"/formulas/{name}", body, 200)
    expected = catalogue_answer.ask(name, example.inputs)
    assert found["result"] == json.loads(json.dumps(expected.result))
    assert found["result"].keys() == example.expected.keys()
    assert found["estimator"] == expected.estimator
    assert found["validity"] == expected.validity
    assert found["inputs"] == json.loads(json.dumps(with_decimals(expected.inputs)))
    assert len(found["derivation"]) == len(expected.derivation)


def test_warnings_and_derivation_come_along(application):
    found = application.post(
        "/formulas/face.writeback_chain",
        {"inputs": {"k": 1, "C_disk_write": 7, "C_flash_write": 1}},
        200,
    )
    assert [each["name"] for each in found["warnings"]] == [
        "fewer_evictions_than_break_even"
    ]
    step = {each["name"]: each for each in found["derivation"]}["write_back"]
    assert step["value"] == found["result"]["write_back"] == 8
    assert "k C_flash_write + C_disk_write" in step["formula"]


@pytest.mark.parametrize(
    ("inputs", "where", "part"),
    [
        ({"k": 1, "C_disk_write": 1}, "C_flash_write", "missing"),
        (
            {"k": 1, "C_disk_write": 1, "C_flash_write": 1, "z": 1},
            "z",
            "is not an input",
        ),
        ({"k": "1", "C_disk_write": 1, "C_flash_write": 1}, "k", "must be a number"),
        ({"k": -1, "C_disk_write": 1, "C_flash_write": 1}, "k", "negative"),
    ],
)
def test_a_wrong_input_is_named(application, inputs, where, part):
    found = application.post("/formulas/face.writeback_chain", {"inputs": inputs}, 422)
    assert found["hint"]
    faults = {each["where"]: each["message"] for each in found["errors"]}
    assert part in faults[f"body.inputs.{where}"]


def test_no_number_is_refused_by_name(application):
    body = '{"inputs": {"k": NaN, "C_disk_write": 1, "C_flash_write": 1}}'
    answer = application.client.post(
        "/formulas/face.writeback_chain",
        content=body,
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "body.inputs.k"


def test_an_unknown_formula_is_not_found(application):
    for method, path in (("GET", "face.none"), ("GET", "face.none/page")):
        answer = application.client.request(method, f"/formulas/{path}")
        assert answer.status_code == 404
        assert "face.theta" in answer.json()["hint"]
    assert "kv.C0" in application.post("/formulas/kv.none", {"inputs": {}}, 404)["hint"]


def slow() -> dict[str, object]:
    """Inputs whose replay at every split takes many seconds, within the memory of a computation."""
    drawn = random.Random(3)
    pages = " ".join(f"R{drawn.randrange(9000)}" for _ in range(20_000))
    return {"inputs": {"trace": pages, "M": 8000}}


def test_a_long_computation_is_ended_and_holds_nobody(make_settings):
    settings = make_settings(formula_timeout_s=1.0)
    with run_application(settings, workers=0) as application:
        began = time.monotonic()
        found = application.post("/formulas/fd.simulate", slow(), 422)
        assert time.monotonic() - began < ENDED_WITHIN_S
        assert found["type"].endswith("too-much")
        assert "more than 1 s" in found["detail"]
        assert found["hint"]
        assert children_running(CHILD) == []


def test_a_client_that_goes_ends_its_computation(make_settings):
    settings = make_settings(formula_timeout_s=10 * PATIENCE_S)
    with run_application(settings, workers=0) as application:
        for _ in range(3):  # more than are computed at once: none holds a slot
            with pytest.raises(httpx.ReadTimeout):
                application.client.post(
                    "/formulas/fd.simulate", json=slow(), timeout=1.0
                )
        began = time.monotonic()
        assert eventually(lambda: children_running(CHILD) == [])
        assert time.monotonic() - began < ENDED_WITHIN_S
        example = table.example("kv.C0")
        application.post("/formulas/kv.C0", {"inputs": dict(example.inputs)}, 200)


def test_a_missing_key_of_a_row_is_named(application):
    row = {"M_c": 1, "P_c": 0.9, "P_d": 0.8}
    body = {"inputs": {"rows": [row], "R": 2, "w": 0.1}}
    found = application.post("/formulas/fd.argmin", body, 422)
    assert [each["where"] for each in found["errors"]] == ["body.inputs.rows[0].P_dw"]
    named = {"P_d^w": 0.7}
    application.post(
        "/formulas/fd.argmin",
        {"inputs": {**body["inputs"], "rows": [row | named]}},
        200,
    )


def test_an_unknown_key_of_a_row_is_named(application):
    row = {"M_c": 1, "P_c": 0.9, "P_d": 0.8, "P_dw": 0.7, "P_w": 0.7}
    found = application.post(
        "/formulas/fd.argmin", {"inputs": {"rows": [row], "R": 2, "w": 0.1}}, 422
    )
    [fault] = found["errors"]
    assert fault["where"] == "body.inputs.rows[0].P_w"
    assert "M_c, P_c, P_d, P_dw" in fault["message"]


def test_a_defect_of_a_formula_is_no_fault_of_the_request(
    application, monkeypatch, caplog
):
    said = {"defect": {"message": "TypeError: inner", "trace": "in secret_kernel"}}
    body = {"inputs": dict(table.example("kv.C0").inputs)}
    for child in (Said(json.dumps(said).encode(), "", 0), Said(b"", "in secret", 1)):

        async def broken(*_, child=child):
            return child

        monkeypatch.setattr(
            "tierwright_server.questions.formulas.service.ask_child", broken
        )
        found = application.post("/formulas/kv.C0", body, 500)
        assert found["type"].endswith("internal")
        assert "bug in Tierwright" in found["detail"]
        assert "secret" not in json.dumps(found)
        assert found["instance"] in caplog.text
        assert "in secret" in caplog.text


def test_a_large_computation_meets_its_limit_of_memory(application):
    inputs = {"rank": 1, "n": 2**36, "alpha": 0.5}
    found = application.post("/formulas/fd.zipf_pmf", {"inputs": inputs}, 422)
    assert "memory" in found["detail"]
    assert found["hint"]
