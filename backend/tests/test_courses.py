"""Courses over time over HTTP: a run replays, the answer is that of the models, and a table as CSV."""

import csv
import io
from pathlib import Path

import pytest
from test_scaled_replays import scaled

from tierwright.advise import course
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.simulate.timed import Arrivals
from tierwright.trace.reading import Trace

TRACE = "fixtures/traces/tpcb-cut.csv.zst"
FLASH = "samsung-pm9a3-7.68tb-u2"
DISK = "face2016-cheetah-15k6-single"
ASKED = {
    "system": "face",
    "ram_pages": 1000,
    "flash_pages": 6000,
    "flash_device_id": FLASH,
    "disk_device_id": DISK,
    "disks": 16,
    "clients": 50,
    "crash_at": 0.5,
}
PLACE = "/workloads/example/course"


def replayed(application, body, place=PLACE):
    """Ask, wait for the run, ask again."""
    found = application.client.post(place, json=body)
    if found.status_code == 202:
        job = found.json()
        assert found.headers["Location"] == f"/api/v1/response-replays/{job['id']}"
        assert application.wait_run(job["run"]["id"])["status"] == "succeeded"
    return application.post(place, body, 200)


def of_the_models(**asked):
    trace = Trace(Path(TRACE))
    return course.answer(
        trace,
        profile(trace).curve.from_start("steady"),
        ram_pages=1000,
        flash_pages=6000,
        hierarchy=Hierarchy(catalog.device(FLASH), catalog.device(DISK), disks=16),
        arrivals=Arrivals("clients", clients=50),
        crash_at=0.5,
        **asked,
    ).to_dict()


def test_the_course_is_that_of_the_models(application):
    found = replayed(application, ASKED)
    own = of_the_models(system="face")
    same = found.keys() & own.keys()
    assert {"windows", "finding", "recovered_s", "filled_at_s", "window_s"} <= same
    assert {"redo_pages", "redo_flash_pages", "redo_s"} <= same
    assert {"ram_dirty_pages_lost", "checkpointed_pages"} <= same
    assert {"ram_tax_bytes", "ram_tax_share", "ram_tax"} <= same
    assert {key: found[key] for key in same} == {key: own[key] for key in same}
    table = application.client.post(
        PLACE, json=ASKED, headers={"Accept": "text/csv"}, params={"table": "windows"}
    )
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [float(row["flash_busy"]) for row in rows] == [
        each["flash_busy"] for each in found["windows"]
    ]


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"system": "fase"}, "body.system"),
        ({"system": "lazy"}, "body.restart"),
        ({"flash_pages": 0}, "body.flash_pages"),
        ({"window_s": 0}, "body.window_s"),
    ],
)
def test_what_has_no_course_is_refused_by_its_field(application, changes, where):
    problem = application.post(PLACE, {**ASKED, **changes}, 422)
    assert problem["errors"][0]["where"] == where


def test_the_checkpoint_interval_decides_what_is_redone(application):
    usual = replayed(application, ASKED)
    short, none = (
        replayed(application, {**ASKED, "checkpoint_interval_s": each})
        for each in (0.7, 0)
    )
    assert usual["redo_pages"] > short["redo_pages"] > none["redo_pages"] == 0
    assert usual["redo_s"] > short["redo_s"] > none["redo_s"] == 0
    # FaCE takes these checkpoints; of 300 s none comes in so short a time.
    assert short["checkpointed_pages"] > usual["checkpointed_pages"] == 0
    assert f"write {short['checkpointed_pages']:,} changed pages" in short["finding"]
    assert none["checkpointed_pages"] is None


def test_a_scheme_comes_back_cold(application):
    found = replayed(application, {**ASKED, "system": "lazy", "restart": "cold"})
    assert found["redo_pages"] > found["redo_flash_pages"] == 0
    assert found["ram_dirty_pages_lost"] > 0
    assert found["flash_dirty_pages_lost"] > 0
    assert "The crash takes" in found["finding"]


def test_a_scheme_is_replayed_with_its_options(application):
    asked = ASKED | {"system": "lazy", "restart": "cold"}
    plain = replayed(application, asked)
    second = {"admission": "cachesack", "assignment": "second_miss"}
    found = replayed(application, asked | {"options": second})
    own = of_the_models(system="lazy", options=second, restart="cold")
    assert found["windows"] == own["windows"] != plain["windows"]
    # By hours, whose times the stored trace has though its arrivals are those of clients.
    never = {**second, "assignment": "never", "categories": "hour"}
    shares = [
        [each["flash_hit_share"] for each in answer["windows"]]
        for answer in (plain, replayed(application, asked | {"options": never}))
    ]
    assert [any(each) for each in shares] == [True, False]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        # Without a directory on flash there is no warm restart.
        ({"system": "lazy_cleaning"}, "use directory=persistent or restart=cold"),
        ({"options": {"admission": "some"}}, "is not one of its values"),
        (
            {"system": "lazy", "restart": "cold", "options": {"block_pages": "65"}},
            "block_pages",
        ),
    ],
)
def test_what_the_replay_refuses_is_refused_at_once(application, changes, said):
    problem = application.post(PLACE, {**ASKED, **changes}, 422)
    assert said in f"{problem['detail']} {problem['hint']}"


def test_a_scaled_workload_replays_its_recording_at_the_sizes_that_correspond(
    application,
):
    workload = scaled(application, "Four times the example, over time")
    body = {**ASKED, "ram_pages": 10_000, "flash_pages": 60_000}
    found = replayed(application, body, f"/workloads/{workload['id']}/course")
    assert found["workload_id"] == workload["id"]
    assert found["flash_pages"] < 60_000


def test_where_the_scale_law_adds_pages_there_is_no_course(application):
    workload = scaled(application, "More of the cold, over time", law="cold_growth")
    body = {**ASKED, "ram_pages": 10_000, "flash_pages": 60_000}
    problem = application.post(f"/workloads/{workload['id']}/course", body, 422)
    assert "adds pages that are not in the recording" in problem["detail"]
    assert "as much data as production" in problem["hint"]
