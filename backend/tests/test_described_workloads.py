"""Workloads described in a few numbers: previews, presets, answers and refusals."""

from typing import get_args

import pytest

from tierwright.evaluate.described.workload import described_profile
from tierwright.hardware.workload_presets import find_preset
from tierwright.profile.described.description import KINDS
from tierwright_server.traces.workloads.described_schemas import ComponentKind

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
MIX = {
    "page_bytes": 8192,
    "data_bytes": 2**30,
    "accesses_per_s": 20_000,
    "write_share": 0.2,
    "components": [
        {"kind": "zipf", "exponent": 0.9, "weight": 8, "data_share": 0.3},
        {"kind": "scan", "weight": 1, "write_share": 0, "data_share": 0.5},
        {
            "kind": "hot_cold",
            "hot_data_share": 0.1,
            "hot_access_share": 0.9,
            "weight": 1,
        },
    ],
}


def refused(application, body, path="/description-previews"):
    answer = application.client.post(path, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.json()


@pytest.fixture(scope="module")
def workload(application):
    body = {"name": "Orders", **MIX}
    return application.post("/workloads/from-description", body, 201)


def test_the_kinds_are_those_of_the_models(application):
    kinds = application.get("/description-kinds")
    assert [kind["name"] for kind in kinds] == list(KINDS)
    assert set(get_args(ComponentKind)) == set(KINDS)


def test_a_preview_is_the_curve_of_the_models_and_stores_nothing(application):
    before = application.get("/workloads")["total"]
    found = application.post("/description-previews", MIX, 200)
    assert application.get("/workloads")["total"] == before
    assert found["data_pages"] == 2**30 // 8192
    assert [part["access_share"] for part in found["parts"]] == [0.8, 0.1, 0.1]
    assert found["write_share"] == pytest.approx(0.8 * 0.2 + 0.1 * 0.2)
    assert found["hit_ratios"] == sorted(found["hit_ratios"])
    assert found["hit_ratios"][-1] == 1
    assert found["write_backs_per_access"][0] > found["write_backs_per_access"][-1] == 0
    assert "of the accesses hit" in found["finding"]
    assert [note["name"] for note in found["warnings"]] == ["described_workload"]


def test_a_preset_takes_data_and_load_of_ones_own(application):
    asked = {"preset": "oltp", "data_bytes": 2**40, "accesses_per_s": 20_000}
    found = application.post("/description-previews", asked, 200)
    preset = find_preset("oltp")
    curve = described_profile(
        preset.described(data_bytes=2**40, accesses_per_s=20_000), points=120
    ).curve
    assert found["pages"] == curve.pages.tolist()
    assert found["hit_ratios"] == pytest.approx(curve.hit_ratio(curve.pages).tolist())
    assert any("Preset OLTP, fitted to" in text for text in found["assumptions"])
    assert found["page_bytes"] == preset.workload.page_bytes


def test_the_presets_are_listed_with_their_fit(application):
    listed = application.get("/catalog/workload-presets")
    assert [one["id"] for one in listed] == ["analytics", "key-value", "oltp", "web"]
    oltp = listed[2]
    assert oltp["miss_error"] == pytest.approx(find_preset("oltp").miss_error)
    assert oltp["fit"][0]["recorded_write_backs"] is not None
    assert listed[3]["fit"][0]["recorded_write_backs"] is None
    assert [
        one["id"] for one in application.get("/catalog/workload-presets?name=web")
    ] == ["web"]
    # The mix of a preset, sent as one's own, is the same curve.
    own = {key: value for key, value in oltp["workload"].items() if value is not None}
    own["components"] = [
        {key: value for key, value in one.items() if value is not None}
        for one in own["components"]
    ]
    as_own = application.post("/description-previews", own, 200)
    as_preset = application.post("/description-previews", {"preset": "oltp"}, 200)
    assert as_own["hit_ratios"] == as_preset["hit_ratios"]


def test_every_fault_names_its_field(application):
    problem = refused(
        application,
        {
            **MIX,
            "page_bytes": 5000,
            "components": [{"kind": "zipf"}, {"kind": "scan", "exponent": 1}],
        },
    )
    places = [error["where"] for error in problem["errors"]]
    assert "body.components.0.exponent" in places
    assert "body.components.1.exponent" in places
    assert problem["hint"]
    problem = refused(application, {**MIX, "page_bytes": 5000})
    assert [error["where"] for error in problem["errors"]] == ["body.page_bytes"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"preset": "oltpp"}, "body.preset"),
        ({"preset": "oltp", "components": [{"kind": "uniform"}]}, "body.components"),
        ({"preset": "oltp", "write_share": 0.5}, "body.write_share"),
        ({"page_bytes": 4096, "data_bytes": 2**30}, "body.accesses_per_s"),
    ],
)
def test_what_does_not_fit_together_is_refused(application, body, where):
    problem = refused(application, body)
    assert where in [error["where"] for error in problem["errors"]]


def test_a_workload_is_made_and_its_answers_say_that_it_is_described(
    application, workload
):
    summary = workload["summary"]
    assert workload["status"] == "ready"
    assert summary["kind"] == "curve"
    assert summary["described_by"] == "Orders"
    assert summary["write_share"] == pytest.approx(0.18)
    curve = application.get(f"/workloads/{workload['id']}/curve")
    assert curve["described_by"] == "Orders"
    assert "computed from a description" in curve["estimator"]
    answer = application.post(
        "/evaluations",
        {
            "workload_id": workload["id"],
            "ram_pages": 3_001,
            "flash_pages": 9_007,
            "flash_device_id": FLASH,
            "disk_device_id": DISK,
        },
        200,
    )
    names = [warning["name"] for warning in answer["warnings"]]
    assert names.count("described_workload") == 1
    assert not {"given_curve", "interpolated", "dirty_share_unknown"} & set(names)
    assert answer["dirty_share"] == {
        "state": "described",
        "value": None,
        "write_share": pytest.approx(0.18),
        "best_at_least": None,
        "best_at_most": None,
    }
    exclusive = next(s for s in answer["schemes"] if s["scheme"] == "exclusive")
    assert "computed from the description" in exclusive["estimator"]["description"]
    assert "if the given curve" not in exclusive["estimator"]["description"]


def test_a_given_curve_has_neither_name_nor_state_of_a_description(application):
    body = {
        "name": "Pasted",
        "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
        "page_bytes": 8192,
        "accesses": 1_000_000,
        "dirty_share": 0.25,
    }
    made = application.post("/workloads/from-curve", body, 201)
    assert made["summary"]["described_by"] is None
    answer = application.post(
        "/evaluations",
        {
            "workload_id": made["id"],
            "ram_pages": 3_001,
            "flash_pages": 9_007,
            "flash_device_id": FLASH,
            "disk_device_id": DISK,
        },
        200,
    )
    assert answer["dirty_share"]["state"] == "stated"
    assert "interpolated" in [warning["name"] for warning in answer["warnings"]]


def test_a_dirty_share_is_not_stated_beside_a_description(application, workload):
    problem = refused(
        application,
        {
            "workload_id": workload["id"],
            "ram_pages": 3_000,
            "flash_pages": 9_000,
            "flash_device_id": FLASH,
            "disk_device_id": DISK,
            "dirty_share": 0.4,
        },
        "/evaluations",
    )
    assert "write shares" in problem["detail"]
