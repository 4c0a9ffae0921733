"""Scenarios keep their answer, and show it beside the present one."""

import secrets
from decimal import Decimal

import psycopg
import pytest

from tierwright_server.common import older_models, version
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service as analyses
from tierwright_server.replays.sweeps import service as sweeps
from tierwright_server.storage import db

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


SPLIT = {"workload_id": "example", "pages": 400, "asymmetry": 8}
SWEEP = {
    "workload_id": "example",
    "contenders": [
        {"family": "policy", "name": "lru"},
        {"family": "scheme", "name": "lazy"},
    ],
    "ram_pages": [100, 1000],
    "flash_pages": [4000],
    "flash_device_id": POINT["flash_device_id"],
    "disk_device_id": POINT["disk_device_id"],
}
CACHING = {
    **POINT,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    "disk_device_id": "toshiba-mg10-20tb",
    "price_book_id": "street-2026-q3",
}
JOBS = {
    "pool_split": (SPLIT, "/pool-splits", ("workload_id", "pages")),
    "what_to_cache": (CACHING, "/what-to-cache", tuple(CACHING)),
    "sweep": (
        SWEEP,
        "/sweeps",
        ("workload_id", "contenders", "ram_pages", "flash_pages"),
    ),
}
"""By request: its body, where its job is asked for, and with which part of it."""
READ = {"what_to_cache": "/category-counts"}
"""Where a job is read, if not where it is asked for."""


def compute(application, name, **changes):
    """Have the job made that a request looks up; return its subject."""
    body, path, fields = JOBS[name]
    asked = {**{field: body[field] for field in fields}, **changes}
    made = application.post(path, asked, 202)
    if made["status"] != "succeeded":
        run = application.wait_run(made["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"{READ.get(name, path)}/{made['id']}")


def pretend(monkeypatch, older):
    """Answer as an earlier version of the models would have said it is."""
    monkeypatch.setattr(version, "VERSION", older)
    monkeypatch.setattr(older_models, "VERSION", older)
    monkeypatch.setattr(analyses, "VERSION", older)
    monkeypatch.setattr(sweeps, "VERSION", older)
    monkeypatch.setattr(results, "VERSION", older)


class TestAnswersOfJobs:
    """Pool splits and sweeps: their results are looked up, never queued."""

    @pytest.mark.parametrize("name", JOBS)
    def test_a_result_is_kept_and_read_again(self, application, name):
        compute(application, name)
        body, _, _ = JOBS[name]
        made = application.post("/scenarios", scenario(asks={name: body}), 201)
        assert {figure["ask"] for figure in made["answer"]["figures"]} == {name}
        assert made["comparison"]["unchanged"]
        assert made["to_compute"] == []
        assert application.get(f"/scenarios/{made['id']}") == made

    def test_the_split_that_is_kept_is_the_one_that_is_given(self, application):
        split = compute(application, "pool_split")
        given = application.get(
            f"/pool-splits/{split['id']}/costs", params={"asymmetry": 8}
        )
        made = application.post("/scenarios", scenario(asks={"pool_split": SPLIT}), 201)
        titles = [None, *(each["title"] for each in given["baselines"])]
        costs = [given["best_cost"], *(each["cost"] for each in given["baselines"])]
        assert figures(made["answer"], "cost") == dict(zip(titles, costs, strict=True))
        assert figures(made["answer"], "clean") == {None: given["best_clean_pages"]}
        assert figures(made["answer"], "asymmetry") == {None: 8}
        assert made["answer"]["sentences"] == [given["sentence"]]

    def test_the_asymmetry_is_that_of_the_device_unless_it_is_stated(self, application):
        split = compute(application, "pool_split")
        gains = application.get(f"/pool-splits/{split['id']}/gains")
        device = gains["devices"][0]
        asks = {
            "pool_split": {
                **SPLIT,
                "asymmetry": None,
                "flash_device_id": device["device_id"],
            }
        }
        made = application.post("/scenarios", scenario(asks=asks), 201)
        assert figures(made["answer"], "asymmetry") == {None: device["asymmetry"]}
        assert figures(made["answer"], "clean") == {None: device["best_clean_pages"]}
        assert device["name"] in {each["name"] for each in made["answer"]["sources"]}
        asks["pool_split"]["flash_device_id"] = None
        unstated = application.post("/scenarios", scenario(asks=asks), 201)
        usual = {None: gains["usual_asymmetry"]}
        assert figures(unstated["answer"], "asymmetry") == usual

    def test_the_sweep_that_is_kept_is_the_one_that_is_given(self, application):
        sweep = compute(application, "sweep")
        devices = {name: SWEEP[name] for name in ("flash_device_id", "disk_device_id")}
        given = application.get(f"/sweeps/{sweep['id']}", params=devices)
        made = application.post("/scenarios", scenario(asks={"sweep": SWEEP}), 201)
        for index, contender in enumerate(given["contenders"]):
            rows = [row for row in given["rows"] if row["contender"] == index]
            for field, name in (
                ("miss_ratio", "misses"),
                ("io_time_us_per_access", "io_time"),
            ):
                found = figures(made["answer"], name)[contender["title"]]
                assert found == pytest.approx(sum(row[field] for row in rows) / 2)
                for row in rows:
                    one = f"{name} {row['ram_pages']} {row['flash_pages']}"
                    assert (
                        figures(made["answer"], one)[contender["title"]] == row[field]
                    )
        sources = {(each["kind"], each["id"]) for each in made["answer"]["sources"]}
        assert {("device", device) for device in devices.values()} < sources

    @pytest.mark.parametrize("name", JOBS)
    def test_what_no_job_has_computed_is_not_queued(self, application, name):
        body = JOBS[name][0]
        never = {
            "pool_split": {"pages": 401},
            "sweep": {"ram_pages": [101]},
            "what_to_cache": {"ram_pages": 2001},
        }
        before = application.get("/runs", params={"limit": 1})["total"]
        answer = application.client.post(
            "/scenarios", json=scenario(asks={name: {**body, **never[name]}})
        )
        assert answer.status_code == 409, answer.text
        problem = answer.json()
        assert problem["type"].endswith("not-ready")
        assert problem["detail"].startswith(f"body.asks.{name}: ")
        assert application.get("/runs", params={"limit": 1})["total"] == before

    @pytest.mark.parametrize("name", JOBS)
    def test_an_older_answer_stands_beside_the_new_one_once_that_is_computed(
        self, application, monkeypatch, name
    ):
        # Sizes of this test's own: nothing of them is computed by the present models.
        sizes = {
            "pool_split": {"pages": 333},
            "sweep": {"ram_pages": [77, 777]},
            "what_to_cache": {"ram_pages": 2002},
        }[name]
        pretend(monkeypatch, "0.0.9")
        older = compute(application, name, **sizes)
        asks = {name: {**JOBS[name][0], **sizes}}
        made = application.post("/scenarios", scenario(asks=asks), 201)
        assert made["model_version"] == "0.0.9"
        monkeypatch.undo()

        found = application.get(f"/scenarios/{made['id']}")
        assert found["answer"] == made["answer"]
        assert found["stale"]
        assert found["to_compute"] == [name]
        assert found["answer_now"] is None
        assert found["comparison"] is None
        if name not in READ:  # counts are no answer, and have no notes
            notes = application.get(f"{JOBS[name][1]}/{older['id']}")["warnings"]
            [note] = [each for each in notes if each["name"] == "older_model_version"]
            assert "0.0.9" in note["message"]

        newer = compute(application, name, **sizes)
        assert newer["id"] != older["id"]
        assert not any(
            each["name"] == "older_model_version" for each in newer.get("warnings", ())
        )
        beside = application.get(f"/scenarios/{made['id']}")
        assert beside["to_compute"] == []
        assert beside["answer"] == made["answer"]
        assert beside["answer_now"]["figures"]
        assert beside["comparison"]["model_changed"]
        assert beside["comparison"]["unchanged"], beside["comparison"]

    def test_all_that_is_missing_is_named_at_once(self, application, monkeypatch):
        asks = {
            "evaluation": POINT,
            "pool_split": {**SPLIT, "pages": 334},
            "sweep": {**SWEEP, "ram_pages": [78]},
        }
        pretend(monkeypatch, "0.0.9")
        compute(application, "pool_split", pages=334)
        compute(application, "sweep", ram_pages=[78])
        made = application.post("/scenarios", scenario(asks=asks), 201)
        monkeypatch.undo()
        found = application.get(f"/scenarios/{made['id']}")
        assert found["to_compute"] == ["pool_split", "sweep"]

    def test_an_older_split_says_so_with_its_costs(self, application, monkeypatch):
        pretend(monkeypatch, "0.0.9")
        older = compute(application, "pool_split", pages=335)
        monkeypatch.undo()
        costs = application.get(
            f"/pool-splits/{older['id']}/costs", params={"asymmetry": 8}
        )
        assert "older_model_version" in {each["name"] for each in costs["warnings"]}


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
            f"Saved under models 0.0.9; the current ones are {version.VERSION}. The "
            "answer is unchanged."
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
            "Changed since then: price book Ours."
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
