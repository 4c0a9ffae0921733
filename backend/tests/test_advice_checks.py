"""The advice by the replays of its finalists, which a run makes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from test_scaled_replays import scaled

from tierwright.advise import advice
from tierwright.advise.advice.request import Candidates, Have
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

TRACE = Path("fixtures/traces/tpcb-cut.csv.zst")
URL = "/workloads/example/advice"
SHELF = {"kinds": ["instances", "volumes"], "max_machines": 2}
DISK = "seagate-exos-x24-24tb"


def body_of(ram_mib: int, **changes: Any) -> dict[str, Any]:
    """What there is, cheap, with RAM that no other test has: its replay is to be made."""
    have = {
        "ram_bytes": ram_mib * 2**20,
        "disk_device_id": DISK,
        "disks": 400,
        "usd_per_month": "30",
    }
    return {
        "have": have,
        "candidates": SHELF,
        "start": "cold",
        "how_sure": False,
        **changes,
    }


def checked(application: Any, body: dict[str, Any], url: str = URL) -> Any:
    """Ask for the check and wait for its replays, until nothing that was not replayed could be better."""
    for _ in range(5):
        answered = application.client.post(f"{url}/checks", json=body)
        if answered.status_code == 200:
            return answered.json()
        assert answered.status_code == 202, answered.text
        run = answered.json()["run"]["id"]
        assert application.wait_run(run)["status"] == "succeeded"
    raise AssertionError("the replays never end")


def test_the_check_is_that_of_the_models_by_a_run(application: Any) -> None:
    body = body_of(40)
    job = application.post(f"{URL}/checks", body, 202)
    assert job["run"]["kind"] == "advice_check"
    assert 0 < job["replays"] <= 5
    assert job["run"]["title"].endswith("replays")
    run = application.wait_run(job["run"]["id"])
    assert run["status"] == "succeeded", run
    assert run["message"] == f"{job['replays']} replays made"
    assert application.get(f"/advice-checks/{job['id']}")["status"] == "succeeded"

    found = application.post(f"{URL}/checks", body, 200)
    measured = profile(Trace(TRACE))
    own = advice.answer(
        measured.curve.from_start("cold"),
        duration_s=measured.duration_s,
        have=Have(
            machines=1,
            ram_bytes=40 * 2**20,
            disk=catalog.device(DISK),
            disks=400,
            usd_per_month=Decimal(30),
        ),
        candidates=Candidates(kinds=("instances", "volumes"), max_machines=2),
        prices=advice.named_book(None),
        how_sure=False,
        trace=Trace(TRACE),
    )
    assert found["status"] == own.status == "checked"
    assert len(found["checked"]) == len(own.checked)
    for row, mine in zip(found["checked"], own.checked, strict=True):
        assert row["option"]["name"] == mine.option.name
        assert row["simulated"] == pytest.approx(mine.simulated, rel=1e-9)
        # The curve is kept with fewer points.
        assert row["model"] == pytest.approx(mine.model, rel=1e-3)
        assert row["gap"] == pytest.approx(row["model"] / row["simulated"] - 1)
        assert row["band"] == pytest.approx(mine.band)
        apart = max(row["model"], row["simulated"]) / min(
            row["model"], row["simulated"]
        )
        assert row["is_beyond_band"] == (apart > 1 + row["band"])
    model = application.post(URL, body, 200)
    assert model["status"] == "model"
    assert model["checked"] == []
    assert model["advice_id"] != found["advice_id"]


def test_replays_that_are_there_answer_every_question_of_the_same_finalists(
    application: Any,
) -> None:
    body = body_of(41)
    first = checked(application, body)
    runs = application.get("/runs?kind=advice_check")["total"]
    other = application.post(f"{URL}/checks", {**body, "horizon_months": 48}, 200)
    assert other["checked"][0]["simulated"] == first["checked"][0]["simulated"]
    assert other["advice_id"] != first["advice_id"]
    assert application.get("/runs?kind=advice_check")["total"] == runs


def test_the_fastest_by_the_replay_is_recommended(application: Any) -> None:
    found = checked(application, body_of(42, objective="io_time"))
    times = {
        each["option"]["name"]: each["simulated"]
        for each in found["checked"]
        if each["simulated"] is not None
    }
    assert len(times) > 1
    assert times[found["recommendation"]["name"]] == min(times.values())


def test_flash_caches_and_the_assignment_before_them_are_replayed_by_runs(
    application: Any,
) -> None:
    flash = "samsung-pm9a3-7.68tb-u2"
    measured = profile(Trace(TRACE))
    caches = ("larc", "cachesack")
    there = {"ram_bytes": 24 * 2**20, "flash_bytes": 96 * 2**20}
    body = body_of(24, candidates={**SHELF, "flash_caches": list(caches)})
    body["have"] |= {
        "flash_bytes": there["flash_bytes"],
        "flash_device_id": flash,
        "flash_devices": 1,
        "scheme": "inclusive",
        "usd_per_month": "3",
    }
    kinds = set()
    # Requests are counted by relation, and once by their sizes, which are all alike here.
    for _ in range(7):
        answered = application.client.post(f"{URL}/checks", json=body)
        if answered.status_code == 200:
            break
        job = answered.json()
        kinds.add(job["run"]["kind"])
        assert application.wait_run(job["run"]["id"])["status"] == "succeeded"
        assert application.get(f"/advice-checks/{job['id']}")["status"] == "succeeded"
    assert kinds == {"advice_check", "category_counts"}
    found = answered.json()
    own = advice.answer(
        measured.curve.from_start("cold"),
        duration_s=measured.duration_s,
        have=Have(
            machines=1,
            disk=catalog.device(DISK),
            disks=400,
            flash=catalog.device(flash),
            flash_devices=1,
            scheme="inclusive",
            usd_per_month=Decimal(3),
            **there,
        ),
        candidates=Candidates(
            kinds=("instances", "volumes"), max_machines=2, flash_caches=caches
        ),
        prices=advice.named_book(None),
        how_sure=False,
        trace=Trace(TRACE),
    )
    assert [each["title"] for each in found["flash_caches"]] == [
        each.title for each in own.flash_caches
    ]
    assert any(each["assignment"] for each in found["flash_caches"])
    for row, mine in zip(found["flash_caches"], own.flash_caches, strict=True):
        assert row["io_time_us_per_access"] == pytest.approx(mine.io_time_us_per_access)
        assert row["assignment"] == mine.assignment
        assert (row["admission"] == "cachesack") == bool(mine.assignment)
        assert row["admission_by"] == mine.admission_by
        assert [one["message"] for one in row["warnings"]] == [
            one.message for one in mine.warnings
        ]


def test_a_run_that_was_cancelled_is_made_again(application: Any) -> None:
    body = body_of(43)
    job = application.post(f"{URL}/checks", body, 202)
    application.client.post(f"/runs/{job['run']['id']}/cancel")
    ended = application.wait_run(job["run"]["id"])
    if ended["status"] == "succeeded":
        return
    again = application.post(f"{URL}/checks", body, 202)
    assert again["id"] == job["id"]
    assert again["run"]["id"] != job["run"]["id"]
    assert application.wait_run(again["run"]["id"])["status"] == "succeeded"


def test_what_is_deleted_is_named_in_words(application: Any) -> None:
    job = application.post(f"{URL}/checks", body_of(44), 202)
    application.wait_run(job["run"]["id"])
    path = f"/storage/advice_check/{job['id']}"
    assert application.client.delete(path).status_code == 204
    gone = application.client.delete(path)
    assert gone.status_code == 404
    assert "there is no advice check" in gone.json()["detail"]
    assert application.client.get(f"/advice-checks/{job['id']}").status_code == 404


def test_where_no_option_keeps_every_limit_nothing_is_replayed(
    application: Any,
) -> None:
    body = body_of(45, constraints={"usd_per_month": "1"})
    found = application.post(f"{URL}/checks", body, 200)
    assert found["recommendation"] is None
    assert (found["status"], found["checked"]) == ("model", [])


def test_a_recording_too_small_for_production_is_said_so(application: Any) -> None:
    large = scaled(application, "Large, for an advice", accesses_per_s=4000)
    url = f"/workloads/{large['id']}/advice"
    have = {**body_of(1)["have"], "ram_bytes": 2**20}
    body = body_of(1, have=have, constraints={"ram_bytes": 2**20, "peak_busy": 1.0})
    found = application.post(f"{url}/checks", body, 200)
    assert found["recommendation"]["kind"] == "have"
    assert found["status"] == "model"
    [only] = found["checked"]
    assert (only["simulated"], only["gap"], only["band"]) == (None, None, None)
    assert "pages" in only["reason"]


def test_a_curve_has_nothing_to_replay(application: Any) -> None:
    made = application.post(
        "/workloads/from-curve",
        {
            "name": "Only a curve, for an advice",
            "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
            "page_bytes": 8192,
            "accesses": 1_000_000,
            "data_bytes": 2**30,
        },
        201,
    )
    url = f"/workloads/{made['id']}/advice/checks"
    refused = application.post(url, {"dirty_share": 0.3}, 409)
    assert refused["type"].endswith("needs-trace")


def test_flash_caches_are_replayed_on_the_hardware_of_the_recommendation(
    application: Any,
) -> None:
    flash = "samsung-pm9a3-7.68tb-u2"
    body = body_of(4, start="steady")
    body["have"] |= {
        "disks": 4000,
        "flash_bytes": 16 * 2**20,
        "flash_device_id": flash,
        "flash_devices": 1,
        "scheme": "inclusive",
    }
    body["candidates"] = {**SHELF, "flash_caches": ["larc", "face", "sce"]}
    found = checked(application, body)
    measured = profile(Trace(TRACE))
    own = advice.answer(
        measured.curve.from_start("steady"),
        duration_s=measured.duration_s,
        have=Have(
            machines=1,
            ram_bytes=4 * 2**20,
            disk=catalog.device(DISK),
            disks=4000,
            flash_bytes=16 * 2**20,
            flash=catalog.device(flash),
            flash_devices=1,
            scheme="inclusive",
            usd_per_month=Decimal(30),
        ),
        candidates=Candidates(
            kinds=("instances", "volumes"),
            max_machines=2,
            flash_caches=("larc", "face", "sce"),
        ),
        prices=advice.named_book(None),
        how_sure=False,
        trace=Trace(TRACE),
    )
    assert found["recommendation"]["kind"] == "have"
    assert [
        (row["name"], row["is_chosen"], row["reason"]) for row in found["flash_caches"]
    ] == [(row.name, row.is_chosen, row.reason) for row in own.flash_caches]
    for row, mine in zip(found["flash_caches"], own.flash_caches, strict=True):
        # The same replays at the same sizes: not a bit apart.
        assert row["io_time_us_per_access"] == mine.io_time_us_per_access
        assert row["options"] == mine.options
        assert bool(row["options"]) == (row["reason"] == "")
    assert own.recommendation is not None
    assert found["recommendation"]["scheme"] == own.recommendation.scheme
    [refused] = [row for row in found["flash_caches"] if row["name"] == "sce"]
    assert "all of the RAM" in refused["reason"]
    unknown = {**SHELF, "flash_caches": ["lark"]}
    refusal = application.client.post(URL, json={**body, "candidates": unknown})
    assert refusal.status_code == 422
    assert "no flash cache" in refusal.text
