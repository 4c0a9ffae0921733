"""What is kept of a workload between two requests is as the database has it now."""

import psycopg
import pytest
from live_app import run_application

from tierwright_server.common import disk_space
from tierwright_server.storage import quick_reads
from tierwright_server.storage.db import psycopg_dsn
from tierwright_server.traces.workloads import kept

pytestmark = pytest.mark.db

ASKED = {
    "ram_pages": 2000,
    "flash_pages": 8000,
    "flash_device_id": "samsung-pm9a3-7.68tb-u2",
    "disk_device_id": "face2016-cheetah-15k6-raid0-16",
}


def trace(pages: int) -> bytes:
    rows = (f"{at},{'RW'[at % 3 > 1]},1/1,{at % pages}" for at in range(pages * 4))
    return "\n".join(["time_us,op,rel,block", *rows]).encode()


def added(application, filename, data):
    workload = application.create_workload(data, filename)
    run = application.wait_run(workload["run"]["id"])
    assert run["status"] == "succeeded", run
    return workload


def evaluate(application, workload_id):
    return application.client.post(
        "/evaluations", json={**ASKED, "workload_id": workload_id}
    )


def test_a_workload_is_gone_as_soon_as_it_is_deleted(application):
    workload = added(application, "kept.csv", trace(20_000))
    for _ in range(2):
        assert evaluate(application, workload["id"]).status_code == 200
    application.client.delete(f"/workloads/{workload['id']}").raise_for_status()
    assert evaluate(application, workload["id"]).status_code == 404


def test_what_another_process_changes_is_seen_at_the_next_question(application):
    workload = added(application, "kept-too.csv", trace(21_000))
    found = evaluate(application, workload["id"]).json()
    assert found["accesses"] == 84_000
    dsn = psycopg_dsn(application.settings.database_url)
    # As if it had been read again, and found to be what the example is.
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute(
            "UPDATE workloads SET content_id = (SELECT content_id FROM workloads "
            "WHERE example) WHERE id = %s",
            [workload["id"]],
        )
    example = evaluate(application, "example").json()
    found = evaluate(application, workload["id"]).json()
    assert found["content_id"] == example["content_id"]
    assert found["schemes"] == example["schemes"]


def test_lost_connections_are_opened_again_without_an_error(application):
    before = evaluate(application, "example").json()
    dsn = psycopg_dsn(application.settings.database_url)
    with psycopg.connect(dsn, autocommit=True) as other:
        ended = other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
            "datname = current_database() AND application_name = %s",
            [quick_reads.NAME],
        ).fetchall()
    assert ended
    assert evaluate(application, "example").json() == before


@pytest.mark.long
def test_what_is_kept_is_bounded(make_settings, monkeypatch):
    monkeypatch.setattr(kept, "_MOST_BYTES", 1)
    with run_application(make_settings()) as application:
        application.wait_example()
        workloads = [added(application, "kept-three.csv", trace(500))["id"]]
        workloads.append("example")
        answers = [evaluate(application, each).json() for each in workloads * 2]
    assert answers[:2] == answers[2:]
    assert [answer["workload_id"] for answer in answers[:2]] == workloads


@pytest.mark.parametrize(("full", "status"), [(False, 503), (True, 507)])
def test_a_database_that_fails_is_told_from_a_full_disk(
    application, monkeypatch, full, status
):
    async def fail(*_):
        raise psycopg.OperationalError("gone")

    monkeypatch.setattr(quick_reads.QuickReads, "_ask", fail)
    monkeypatch.setattr(disk_space, "disk_is_full", lambda _: full)
    answer = evaluate(application, "example")
    assert answer.status_code == status
    assert answer.json()["hint"]
