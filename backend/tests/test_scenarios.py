"""Scenarios: kept, found again, changed by one at a time."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest

from tierwright_server.scenarios.schemas import Question

STATE = {
    "workload": "example",
    "ram": 2000,
    "flash": 1.5e10,
    "devices": ["a", "b"],
    "deep": {"nested": {"ключ": "☃", "null": None, "no": False}},
}


def body(**changes):
    return {"name": f"scenario {secrets.token_hex(4)}", "state": STATE, **changes}


class TestScenarios:
    def test_state_comes_back_exactly(self, application):
        made = application.post("/scenarios", body(), 201)
        found = application.get(f"/scenarios/{made['id']}")
        assert found == made
        assert found["state"] == STATE
        assert found["version"] == 1
        assert found["question"] == "compare"

    @pytest.mark.parametrize("question", get_args(Question))
    def test_every_page_can_be_kept(self, application, question):
        made = application.post("/scenarios", body(question=question), 201)
        assert made["question"] == question
        path = f"/scenarios/{made['id']}"
        change = body(name=made["name"], question=question, version=1)
        assert application.client.put(path, json=change).json()["question"] == question
        listed = application.get("/scenarios", params={"limit": 1})["items"][0]
        assert (listed["id"], listed["question"]) == (made["id"], question)

    def test_update_counts_versions(self, application):
        made = application.post("/scenarios", body(), 201)
        path = f"/scenarios/{made['id']}"
        change = body(name="changed " + made["name"], state={"ram": 1}, version=1)
        changed = application.client.put(path, json=change)
        assert changed.status_code == 200
        assert changed.json()["version"] == 2
        assert changed.json()["state"] == {"ram": 1}
        assert changed.json()["updated_at"] > made["updated_at"]

    def test_a_stale_change_is_refused_and_loses_nothing(self, application):
        made = application.post("/scenarios", body(), 201)
        path = f"/scenarios/{made['id']}"
        change = body(name=made["name"], version=1)
        assert application.client.put(path, json=change).status_code == 200
        stale = application.client.put(path, json={**change, "state": {}})
        assert stale.status_code == 409
        assert "version 2" in stale.json()["detail"]
        assert application.get(path)["state"] == STATE

    def test_only_one_of_many_writers_wins(self, application):
        made = application.post("/scenarios", body(), 201)
        path = f"/scenarios/{made['id']}"
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(
                lambda n: (
                    application.client.put(
                        path, json=body(name=made["name"], state={"n": n}, version=1)
                    ).status_code
                ),
                range(8),
            )
        assert sorted(answers) == [200] + [409] * 7

    def test_names_are_unique_whatever_the_capitals(self, application):
        made = application.post("/scenarios", body(), 201)
        again = application.client.post(
            "/scenarios", json=body(name=made["name"].upper())
        )
        assert again.status_code == 409
        assert "already" in again.json()["detail"]
        other = application.post("/scenarios", body(), 201)
        taken = application.client.put(
            f"/scenarios/{other['id']}", json=body(name=made["name"], version=1)
        )
        assert taken.status_code == 409

    def test_delete(self, application):
        made = application.post("/scenarios", body(), 201)
        path = f"/scenarios/{made['id']}"
        assert application.client.delete(path).status_code == 204
        for answer in (
            application.client.get(path),
            application.client.delete(path),
            application.client.put(path, json=body(version=1)),
        ):
            assert answer.status_code == 404

    def test_last_changed_first(self, application):
        first, second = (application.post("/scenarios", body(), 201) for _ in "12")
        items = application.get("/scenarios", params={"limit": 2})["items"]
        assert [item["id"] for item in items] == [second["id"], first["id"]]

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"state": {"x": "y" * 40_000}}, "body.state"),
            ({"state": {"x": "a\x00b"}}, "body.state"),
            ({"state": {"a\x00": 1}}, "body.state"),
            ({"state": {"x": 2**70}}, "body.state"),
            ({"state": []}, "body.state"),
            ({"state": None}, "body.state"),
            ({"name": " "}, "body.name"),
            ({"question": "weather"}, "body.question"),
        ],
    )
    def test_bad_scenarios(self, application, changes, where):
        answer = application.client.post("/scenarios", json=body(**changes))
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["where"] == where

    def test_a_state_nested_too_deep(self, application):
        deep = '{"a":' * 400 + "1" + "}" * 400
        text = f'{{"name": "deep", "state": {deep}}}'
        answer = application.client.post(
            "/scenarios", content=text, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code in (201, 422)
        if answer.status_code == 201:
            found = application.get(f"/scenarios/{answer.json()['id']}")
            assert found == answer.json()
