"""Scenarios keep their answer, and show it beside the present one."""

import secrets
from decimal import Decimal

import psycopg
import pytest

from tierwright_server import db, version

POINT = {
    "workload_id": "example",
    "ram_pages": 2000,
    "flash_pages": 8000,
    "flash_device_id": "face2016-samsung-840pro-256",
    "disk_device_id": "face2016-cheetah-15k6-single",
}
LOAD = {**POINT, "accesses_per_s": 5000}
MAP = {
    "workload_id": "example",
    "flash_device_id": POINT["flash_device_id"],
    "disk_device_id": POINT["disk_device_id"],
    "flash_pages": 8000,
    "ram_pages": 2000,
}
AXES = {
    "x": {"axis": "flash_pages", "low": 100, "high": 20_000, "points": 9},
    "y": {"axis": "ram_pages", "low": 100, "high": 20_000, "points": 9},
}
MONEY = {
    "workload_id": "example",
    "ram_pages": 2000,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    "disk_device_id": POINT["disk_device_id"],
    "price_book_id": "street-2025-q4",
    "ram_device_id": "dram-ddr5-4800-rdimm",
}
EVERY_ASK = {
    "evaluation": POINT,
    "scheme_map": {**MAP, **AXES, "ram_pages": None, "flash_pages": None},
    "scheme_map_point": MAP,
    "break_even": MONEY,
    "throughput": {**POINT, "clients": 20},
    "wear": LOAD,
    "recovery": LOAD,
}


def scenario(**changes):
    return {
        "name": f"kept {secrets.token_hex(4)}",
        "state": {"workload": "example"},
        "asks": {"evaluation": POINT},
        **changes,
    }


def figures(answer, name):
    return {
        figure["scheme"]: figure["value"]
        for figure in answer["figures"]
        if figure["name"] == name
    }


def put(application, made, **changes):
    body = {key: made[key] for key in ("name", "question", "state", "version")}
    answer = application.client.put(
        f"/scenarios/{made['id']}", json={**body, **changes}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestKeptAnswers:
    def test_the_answer_that_is_kept_is_the_one_that_is_given(self, application):
        made = application.post("/scenarios", scenario(), 201)
        given = application.post("/evaluations", POINT, 200)
        times = {
            each["title"]: each["io_time_us_per_access"] for each in given["schemes"]
        }
        assert figures(made["answer"], "io_time") == times
        titles = {each["scheme"]: each["title"] for each in given["schemes"]}
        assert figures(made["answer"], "best") == {None: titles[given["best"]]}
        assert made["answer"]["sentences"] == [given["sentence"]]
        assert made["model_version"] == version.VERSION
        assert made["answer_now"] == made["answer"]
        assert made["comparison"]["unchanged"]
        assert "unchanged" in made["comparison"]["sentence"]
        assert not made["stale"]

    @pytest.mark.parametrize("name", EVERY_ASK)
    def test_every_request_can_be_kept_and_asked_again(self, application, name):
        made = application.post(
            "/scenarios", scenario(asks={name: EVERY_ASK[name]}), 201
        )
        assert {figure["ask"] for figure in made["answer"]["figures"]} == {name}
        assert any(figure["value"] is not None for figure in made["answer"]["figures"])
        found = application.get(f"/scenarios/{made['id']}")
        assert found == made
        assert found["comparison"]["unchanged"], found["comparison"]
        assert found["comparison"]["facts"] == []

    def test_a_close_call_keeps_what_the_replay_decided(self, application):
        close = {
            **POINT,
            "ram_pages": 307,
            "flash_pages": 6137,
            "flash_device_id": "samsung-pm9a3-7.68tb-u2",
            "decide": "replay",
        }
        given = application.post("/evaluations", close, 200)
        made = application.post("/scenarios", scenario(asks={"evaluation": close}), 201)
        assert figures(made["answer"], "decided_by") == {None: given["decided_by"]}
        assert made["answer"]["sentences"] == [given["sentence"]]
        assert made["comparison"]["unchanged"]

    def test_an_older_model_that_said_the_same(self, application, monkeypatch):
        monkeypatch.setattr(version, "VERSION", "0.0.9")
        made = application.post("/scenarios", scenario(), 201)
        assert made["model_version"] == "0.0.9"
        monkeypatch.undo()
        found = application.get(f"/scenarios/{made['id']}")
        assert found["stale"]
        assert found["comparison"]["model_changed"]
        assert found["comparison"]["unchanged"]
        assert found["comparison"]["sentence"] == (
            f"Saved under models 0.0.9; the present ones are {version.VERSION}. "
            "The answer is unchanged."
        )

    def test_an_older_model_that_said_something_else(self, application, monkeypatch):
        monkeypatch.setattr(version, "VERSION", "0.0.9")
        made = application.post("/scenarios", scenario(), 201)
        monkeypatch.undo()
        now = figures(made["answer"], "io_time")
        best = figures(made["answer"], "best")[None]
        # What the older models are said to have answered.
        with connection(application) as database:
            kept = database.execute(
                "SELECT answer FROM scenarios WHERE id = %s", [made["id"]]
            ).fetchone()[0]
            for figure in kept["figures"]:
                if figure["name"] == "best":
                    figure["value"] = "No flash"
                if figure["name"] == "io_time" and figure["scheme"] == best:
                    figure["value"] *= 2
            database.execute(
                "UPDATE scenarios SET answer = %s WHERE id = %s",
                [psycopg.types.json.Jsonb(kept), made["id"]],
            )
        found = application.get(f"/scenarios/{made['id']}")
        assert figures(found["answer"], "io_time")[best] == pytest.approx(2 * now[best])
        assert figures(found["answer_now"], "io_time") == now
        changed = [each for each in found["comparison"]["figures"] if each["changed"]]
        assert [(each["name"], each["scheme"]) for each in changed] == [
            ("best", None),
            ("io_time", best),
        ]
        assert changed[1]["relative"] == pytest.approx(-0.5)
        sentence = found["comparison"]["sentence"]
        assert f"Best scheme: No flash then, {best} now." in sentence
        assert f"2 of {len(found['comparison']['figures'])} key figures" in sentence
        # The list says that there is something to see, without asking everything again.
        listed = application.get("/scenarios", params={"limit": 500})["items"]
        assert next(each for each in listed if each["id"] == made["id"])["stale"]
        # Keeping the present answer ends it.
        kept_anew = put(application, made, asks=made["asks"])
        assert kept_anew["comparison"]["unchanged"]
        assert not kept_anew["stale"]

    def test_a_price_that_changed(self, application):
        def book(usd):
            return {
                "name": "Ours",
                "date": "2026-05",
                "prices": [
                    {"kind": kind, "usd_per_gb": usd, "source": "offer"}
                    for kind in ("sata_ssd", "hdd")
                ],
            }

        own = application.post("/catalog/price-books", book("0.5"), 201)
        asks = {"evaluation": {**POINT, "price_book_id": own["id"]}}
        made = application.post("/scenarios", scenario(asks=asks), 201)
        application.client.put(
            f"/catalog/price-books/{own['id']}", json=book("0.25")
        ).raise_for_status()
        found = application.get(f"/scenarios/{made['id']}")
        assert found["stale"]
        assert not found["comparison"]["model_changed"]
        assert {
            (each["fact"], each["before"], each["now"])
            for each in found["comparison"]["facts"]
        } == {
            ("sata_ssd (purchase)", "0.5 USD/GB", "0.25 USD/GB"),
            ("hdd (purchase)", "0.5 USD/GB", "0.25 USD/GB"),
        }
        assert found["comparison"]["sentence"].startswith(
            "Changed since: price book Ours."
        )
        costs = [
            (Decimal(each["before"]), Decimal(each["now"]))
            for each in found["comparison"]["figures"]
            if each["name"] == "cost" and each["before"] is not None
        ]
        assert all(now * 2 == before for before, now in costs)
        times = [
            each for each in found["comparison"]["figures"] if each["name"] == "io_time"
        ]
        assert not any(each["changed"] for each in times)

    def test_what_it_rests_on_is_gone(self, application):
        device = application.post(
            "/catalog/devices/face2016-samsung-840pro-256/copy", {}, 201
        )
        asks = {"evaluation": {**POINT, "flash_device_id": device["id"]}}
        made = application.post("/scenarios", scenario(asks=asks), 201)
        assert application.client.delete(
            f"/catalog/devices/{device['id']}"
        ).status_code in (204, 409)
        with connection(application) as database:
            database.execute("DELETE FROM devices WHERE id = %s", [device["id"]])
        found = application.get(f"/scenarios/{made['id']}")
        assert found["answer"] == made["answer"]
        assert found["answer_now"] is None
        assert device["id"] in found["answer_now_reason"]
        assert found["comparison"] is None
        assert found["stale"]

    def test_a_scenario_of_before_says_that_it_has_none(self, application):
        made = application.post("/scenarios", scenario(asks=None), 201)
        assert made["answer"] is None
        assert made["model_version"] is None
        assert "no answer was kept" in made["answer_reason"]
        assert made["comparison"] is None
        assert not made["stale"]

    def test_a_new_name_keeps_the_answer_and_a_new_state_does_not(self, application):
        made = application.post("/scenarios", scenario(), 201)
        renamed = put(application, made, name=f"renamed {made['name']}")
        assert renamed["answer"] == made["answer"]
        assert renamed["answered_at"] == made["answered_at"]
        changed = put(application, renamed, state={"workload": "other"})
        assert changed["answer"] is None
        assert changed["model_version"] is None

    def test_a_deletion_is_undone_with_the_kept_answer(self, application, monkeypatch):
        monkeypatch.setattr(version, "VERSION", "0.0.9")
        made = application.post("/scenarios", scenario(), 201)
        monkeypatch.undo()
        path = f"/scenarios/{made['id']}"
        assert application.client.delete(path).status_code == 204
        assert application.client.get(path).status_code == 404
        restored = application.client.post(f"{path}/restore")
        assert restored.status_code == 200
        assert restored.json()["model_version"] == "0.0.9"
        assert restored.json()["answer"] == made["answer"]
        assert application.client.post(f"{path}/restore").status_code == 404

    def test_a_name_taken_meanwhile_is_not_taken_back(self, application):
        made = application.post("/scenarios", scenario(), 201)
        path = f"/scenarios/{made['id']}"
        application.client.delete(path)
        application.post("/scenarios", scenario(name=made["name"].upper()), 201)
        answer = application.client.post(f"{path}/restore")
        assert answer.status_code == 409
        assert made["name"] in answer.json()["detail"]

    @pytest.mark.parametrize(
        ("asks", "status", "where"),
        [
            ({"evaluation": {**POINT, "ram_pages": 0}}, 422, "evaluation.ram_pages"),
            ({"weather": {}}, 422, "weather"),
            ({"wear": POINT | {"flash_pages": 0}}, 422, "wear.flash_pages"),
            ({"evaluation": {**POINT, "flash_metadata": "no"}}, 422, "flash_metadata"),
            ({"evaluation": {**POINT, "workload_id": "gone"}}, 404, None),
        ],
    )
    def test_a_request_that_cannot_be_answered(self, application, asks, status, where):
        body = scenario(asks=asks)
        answer = application.client.post("/scenarios", json=body)
        assert answer.status_code == status, answer.text
        assert "asks" in answer.json()["detail"]
        if where is not None:
            assert where in answer.json()["errors"][0]["where"]
        names = application.get("/scenarios", params={"limit": 500})["items"]
        assert body["name"] not in {each["name"] for each in names}


def connection(application):
    return psycopg.connect(
        db.psycopg_dsn(application.settings.database_url), autocommit=True
    )
