"""Templates of questions to the advisor over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tierwright.advise.advice.template import KEYS, template_from_mapping
from tierwright_server.scenarios.templates.schemas import TemplateIn

TEMPLATE = {
    "objective": "io_time",
    "candidates": {"kinds": ["instances", "volumes"], "max_machines": 2},
    "constraints": {"usd_per_month": "4000", "peak_busy": 0.5},
    "horizon_months": 24,
}


def test_it_is_kept_changed_and_deleted(application: Any) -> None:
    body = {"name": "Database team", "template": TEMPLATE}
    made = application.post("/advice-templates", body, 201)
    path = f"/advice-templates/{made['id']}"
    # What was stated and nothing else.
    assert application.get(path) == made
    assert made["template"] == TEMPLATE
    listed = application.get("/advice-templates")
    assert made in listed["items"]
    taken = application.client.post(
        "/advice-templates", json={**body, "name": "database TEAM"}
    )
    assert taken.status_code == 409
    assert "already exists" in taken.json()["detail"]
    renamed = {"name": "Databases", "template": {"objective": "usd"}}
    changed = application.client.put(path, json=renamed).json()
    assert (changed["name"], changed["template"]) == ("Databases", {"objective": "usd"})
    assert changed["etag"] != made["etag"]
    assert application.client.delete(path).status_code == 204
    assert application.client.get(path).status_code == 404


def test_it_is_part_of_a_question_and_the_file_of_the_command(
    application: Any,
) -> None:
    made = application.post(
        "/advice-templates", {"name": "Of both doors", "template": TEMPLATE}, 201
    )
    found = application.post(
        "/workloads/example/advice",
        {**made["template"], "accesses_per_s": 1000.0, "how_sure": False},
        200,
    )
    assert found["objective"] == "io_time"
    assert found["constraints"]["usd_per_month"] == "4000"
    assert found["horizon_months"] == 24
    assert set(TemplateIn.model_fields) == set(KEYS)
    read = template_from_mapping(json.loads(json.dumps(made["template"])), "file")
    assert read.objective == "io_time"
    assert read.candidates is not None
    assert read.candidates.kinds == ("instances", "volumes")
    assert read.constraints == TEMPLATE["constraints"]
    assert read.horizon_months == 24


@pytest.mark.parametrize(
    ("template", "where"),
    [
        ({"objective": "cheap"}, "body.template.objective"),
        ({"have": {}}, "body.template.have"),
        ({"candidates": {"own": ["nothing"]}}, "template.candidates.own"),
        (
            {"candidates": {"vendors": ["Nobody"]}},
            "body.template.candidates.vendors",
        ),
        ({"constraints": {"usd_per_month": -1}}, "body.template.constraints"),
        ({"price_book_id": "no-such-book"}, "no-such-book"),
    ],
)
def test_what_is_wrong_is_named(
    application: Any, template: dict[str, Any], where: str
) -> None:
    body = {"name": "Wrong", "template": template}
    response = application.client.post("/advice-templates", json=body)
    assert response.status_code in (404, 422), response.text
    assert where in response.text
