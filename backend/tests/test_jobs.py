"""Jobs under cancel, kill and crash: they resume or fail visibly, never hang."""

import asyncio
import json
import os
import signal
import threading

import httpx
import psutil
import psycopg
import pytest
from live_app import (
    LONG_TRACE_ACCESSES,
    PATIENCE_S,
    children_of,
    run_application,
    spares_of,
)
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import async_sessionmaker

from tierwright_server.common.settings import Settings
from tierwright_server.job_kinds import KINDS
from tierwright_server.jobs import reaper
from tierwright_server.storage.db import make_engine, psycopg_dsn
from tierwright_server.worker import worker_engine

ONE_ACCESS = b"time_us,op,rel,block\n1,R,1/1,1\n"


@pytest.fixture(scope="module")
def own(make_settings):
    """An application whose workers may be killed."""
    settings = make_settings(checkpoint_accesses=2**16, reap_interval_s=0.3)
    with run_application(settings) as application:
        application.wait_example()
        yield application


def start_long(application, data):
    """Start the ingestion and wait until it is well under way, behind a checkpoint."""
    workload = application.create_workload(data, "long.csv.zst", format="postgres_csv")
    run_id = workload["run"]["id"]
    application.wait_until(
        lambda: (application.get(f"/runs/{run_id}")["accesses"] or 0) > 2**17
    )
    return workload, run_id


def went_on(application, workload) -> dict:
    """Check that the log tells of an interruption; the content id."""
    log = application.get(f"/workloads/{workload['id']}/conversion-log")
    assert 0 < log["report"]["resumed_at_accesses"] < LONG_TRACE_ACCESSES
    assert log["report"]["requests_per_s"] is None
    return log["report"]["content_id"]


def nothing_left(settings) -> bool:
    return list(settings.work_dir.iterdir()) == []


@pytest.mark.slow
class TestJobs:
    def test_cancel_stops_the_child_at_once(self, own, long_trace):
        workload, run_id = start_long(own, long_trace)
        [child] = children_of(own.workers[-1].pid)
        answer = own.client.post(f"/runs/{run_id}/cancel")
        assert answer.status_code == 200
        assert answer.json()["cancel_requested"] is True
        run = own.wait_run(run_id)
        assert run["status"] == "cancelled"
        own.wait_until(lambda: not child.is_running())
        own.wait_until(lambda: nothing_left(own.settings))
        again = own.get(f"/workloads/{workload['id']}")
        assert again["status"] == "cancelled"
        # Cancelling twice changes nothing.
        assert own.client.post(f"/runs/{run_id}/cancel").json() == run
        # The upload is kept, and one request reads it again.
        assert own.get(f"/uploads/{again['upload_id']}")["complete"]
        restarted = own.post(f"/workloads/{workload['id']}/read-again", None, 202)
        assert own.wait_run(restarted["run"]["id"])["status"] == "succeeded"
        ready = own.get(f"/workloads/{workload['id']}")
        assert ready["summary"]["accesses"] == LONG_TRACE_ACCESSES
        log = own.get(f"/workloads/{workload['id']}/conversion-log")
        assert log["report"]["resumed_at_accesses"] is None

    @pytest.mark.long
    def test_a_killed_worker_takes_its_child_along_and_the_job_resumes(
        self, own, long_trace
    ):
        workload, run_id = start_long(own, long_trace)
        worker = own.workers.pop()
        [child] = children_of(worker.pid)
        child.suspend()  # it does not end by itself
        worker.kill()
        worker.wait()
        own.wait_until(
            lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
        )
        assert own.get("/health")["workers_alive"] == 0
        own.start_worker()
        run = own.wait_run(run_id)
        assert run["status"] == "succeeded", run
        assert run["attempts"] == 2
        ready = own.get(f"/workloads/{workload['id']}")
        assert ready["summary"]["accesses"] == LONG_TRACE_ACCESSES
        went_on(own, workload)
        own.wait_until(lambda: nothing_left(own.settings))

    def test_a_stopped_worker_gives_its_run_back_without_counting(
        self, own, long_trace
    ):
        workload, run_id = start_long(own, long_trace)
        worker = own.workers.pop()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=PATIENCE_S) == 0
        run = own.get(f"/runs/{run_id}")
        assert (run["status"], run["attempts"]) == ("queued", 0)
        assert [path.name for path in own.settings.work_dir.iterdir()] == [run_id]
        own.start_worker()
        run = own.wait_run(run_id)
        assert (run["status"], run["attempts"]) == ("succeeded", 1)
        went_on(own, workload)
        own.wait_until(lambda: nothing_left(own.settings))

    def test_what_a_stopped_worker_left_goes_with_its_run(self, own, long_trace):
        _, run_id = start_long(own, long_trace)
        worker = own.workers.pop()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=PATIENCE_S) == 0
        assert not nothing_left(own.settings)
        assert own.client.post(f"/runs/{run_id}/cancel").status_code == 200
        own.start_worker()
        own.wait_until(lambda: nothing_left(own.settings))

    @pytest.mark.long
    def test_a_job_that_keeps_crashing_fails_after_three_attempts(
        self, own, long_trace
    ):
        workload, run_id = start_long(own, long_trace)
        for attempt in (1, 2, 3):
            own.wait_until(
                lambda attempt=attempt: (
                    (run := own.get(f"/runs/{run_id}"))["attempts"] == attempt
                    and run["done"] > 0
                )
            )
            [child] = children_of(own.workers[-1].pid)
            os.kill(child.pid, signal.SIGKILL)
        run = own.wait_run(run_id)
        assert run["status"] == "failed"
        assert run["attempts"] == 3
        assert "3 attempts" in run["error"]
        assert "SIGKILL" in run["error"]
        assert run["hint"]
        own.wait_until(lambda: nothing_left(own.settings))
        # Nothing has to be uploaded again.
        restarted = own.post(f"/workloads/{workload['id']}/read-again", None, 202)
        again = own.wait_run(restarted["run"]["id"])
        assert (again["status"], again["attempts"]) == ("succeeded", 1), again

    @pytest.mark.long
    def test_a_hung_worker_is_replaced_and_cannot_interfere(
        self, make_settings, long_trace
    ):
        settings = make_settings(
            worker_stale_s=2, heartbeat_interval_s=0.5, reap_interval_s=0.3
        )
        with run_application(settings) as application:
            application.wait_example()
            _, run_id = start_long(application, long_trace)
            hung = application.workers[0]
            [child] = children_of(hung.pid)
            os.kill(hung.pid, signal.SIGSTOP)
            os.kill(child.pid, signal.SIGSTOP)
            application.start_worker()
            run = application.wait_run(run_id)
            assert run["status"] == "succeeded", run
            assert run["attempts"] == 2
            os.kill(child.pid, signal.SIGCONT)
            os.kill(hung.pid, signal.SIGCONT)
            application.wait_until(lambda: not children_of(hung.pid))
            assert application.get(f"/runs/{run_id}") == run

    def test_the_memory_cap_fails_the_job_not_the_machine(
        self, make_settings, long_trace
    ):
        settings = make_settings(job_memory_bytes=2**28)
        with run_application(settings) as application:
            workload = application.create_workload(
                long_trace, "long.csv.zst", format="postgres_csv"
            )
            run = application.wait_run(workload["run"]["id"])
            assert run["status"] == "failed", run
            assert run["hint"]

    def test_a_queued_run_is_cancelled_at_once(self, make_settings):
        with run_application(make_settings(), workers=0) as application:
            run_id = application.get("/workloads/example")["run"]["id"]
            run = application.post(f"/runs/{run_id}/cancel", {}, 200)
            assert run["status"] == "cancelled"
            application.start_worker()
            later = application.create_workload(ONE_ACCESS, "later.csv")
            application.wait_run(later["run"]["id"])
            assert application.get(f"/runs/{run_id}") == run

    def test_a_lost_delivery_is_made_again(self, make_settings):
        """The queue's row is gone, the run is not."""
        settings = make_settings()
        with run_application(settings, workers=0) as application:
            with psycopg.connect(psycopg_dsn(settings.database_url)) as connection:
                deleted = connection.execute("DELETE FROM procrastinate_jobs")
                assert deleted.rowcount == 1
            application.start_worker()
            application.wait_example()


async def reap(settings: Settings, worker_id: int) -> None:
    engine = make_engine(settings.database_url)
    sessions = async_sessionmaker(engine, expire_on_commit=False)
    await reaper.reap(settings, sessions, KINDS, worker_id)
    await engine.dispose()


def test_who_reaps_is_alive_however_late_its_heart_beats(make_settings):
    """As after a machine's sleep, or on one that is too busy."""
    settings = make_settings()
    with run_application(settings, workers=0) as application:
        run_id = application.get("/workloads/example")["run"]["id"]
        dsn = psycopg_dsn(settings.database_url)
        with psycopg.connect(dsn, autocommit=True) as connection:
            late, other = [
                connection.execute(
                    "INSERT INTO workers (host, pid, version, started_at, heartbeat_at) "
                    "VALUES ('here', 1, '0', now(), now() - interval '1 hour') "
                    "RETURNING id"
                ).fetchone()[0]
                for _ in range(2)
            ]
            connection.execute(
                "UPDATE runs SET status = 'running', attempts = 1, worker_id = %s "
                "WHERE id = %s",
                [late, run_id],
            )
        asyncio.run(reap(settings, late))
        run = application.get(f"/runs/{run_id}")
        assert (run["status"], run["attempts"]) == ("running", 1)
        asyncio.run(reap(settings, other))
        run = application.get(f"/runs/{run_id}")
        assert (run["status"], run["attempts"]) == ("queued", 1)


def test_a_worker_that_hangs_in_a_transaction_holds_its_run_no_longer(make_settings):
    """As one that was stopped between two statements: the row of its run is locked."""
    settings = make_settings(worker_stale_s=1)

    async def hang(run_id: str) -> None:
        engine = worker_engine(settings.database_url, settings.worker_stale_s)
        async with engine.connect() as hung:
            await hung.execute(
                text("UPDATE runs SET status = 'running', attempts = 1 WHERE id = :id"),
                {"id": run_id},
            )
            await hung.commit()
            await hung.execute(
                text("UPDATE runs SET done = 1 WHERE id = :id"), {"id": run_id}
            )
            await reap(settings, -1)
            found = application.get(f"/runs/{run_id}")
            assert found["status"] == "running"  # locked: passed over

            async def freed() -> None:
                while application.get(f"/runs/{run_id}")["status"] == "running":
                    await asyncio.sleep(0.5)
                    await reap(settings, -1)

            await asyncio.wait_for(freed(), PATIENCE_S)
            with pytest.raises(DBAPIError):
                await hung.commit()
            await hung.invalidate()
        await engine.dispose()

    with run_application(settings, workers=0) as application:
        run_id = application.get("/workloads/example")["run"]["id"]
        asyncio.run(hang(run_id))
        assert application.get(f"/runs/{run_id}")["status"] == "queued"


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


class TestSpareChild:
    """One process a worker waits for the next job; no job depends on it."""

    @pytest.fixture
    def ready(self, own):
        if not own.workers:
            own.start_worker()
        return own

    @staticmethod
    def waiting(own) -> psutil.Process:
        worker = own.workers[-1].pid
        own.wait_until(lambda: len(spares_of(worker)) == 1)
        return spares_of(worker)[0]

    @staticmethod
    def convert(own, first: int) -> dict:
        data = f"time_us,op,rel,block\n1,R,1/1,{first}\n".encode()
        made = own.create_workload(data, f"{first}.csv")
        return own.wait_run(made["run"]["id"])

    def test_it_does_the_next_job_and_another_takes_its_place(self, ready):
        first = self.waiting(ready)
        assert self.convert(ready, 101)["status"] == "succeeded"
        ready.wait_until(lambda: is_gone(first))
        assert self.waiting(ready).pid != first.pid

    def test_one_that_died_costs_no_attempt(self, ready):
        spare = self.waiting(ready)
        spare.kill()
        ready.wait_until(lambda: is_gone(spare))
        run = self.convert(ready, 102)
        assert (run["status"], run["attempts"]) == ("succeeded", 1)

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
    def test_it_goes_with_its_worker(self, ready, number):
        spare = self.waiting(ready)
        worker = ready.workers.pop()
        worker.send_signal(number)
        worker.wait(timeout=PATIENCE_S)
        ready.wait_until(lambda: is_gone(spare))


class TestRuns:
    def test_list_of_a_workload(self, application):
        started = application.client.post(
            "/windows", json={"workload_id": "example", "windows": 7}
        )
        assert started.status_code in (200, 202), started.text
        run_id = started.json()["run"]["id"]
        application.wait_run(run_id)
        # The example is everybody's: what others asked of it may fill a page.
        asked = {"workload_id": "example"}
        found = application.get("/runs", params=asked)["items"]
        assert run_id in [run["id"] for run in found]
        ingested = application.get("/runs", params={**asked, "kind": "ingest"})
        assert {run["kind"] for run in ingested["items"]} == {"ingest"}
        other = application.create_workload(ONE_ACCESS, "a.csv")
        application.wait_run(other["run"]["id"])
        of_other = application.get("/runs", params={"workload_id": other["id"]})
        assert [run["id"] for run in of_other["items"]] == [other["run"]["id"]]
        nobody = application.get("/runs", params={"workload_id": "nobody"})
        assert nobody["items"] == []

    def test_list_filters_and_orders(self, application):
        runs = application.get("/runs", params={"kind": "ingest"})
        assert runs["total"] >= 1
        assert {run["kind"] for run in runs["items"]} == {"ingest"}
        times = [run["created_at"] for run in runs["items"]]
        assert times == sorted(times, reverse=True)
        assert application.get("/runs", params={"status": "queued"})["items"] == []
        bad = application.client.get("/runs", params={"status": "nonsense"})
        assert bad.status_code == 422

    def test_unknown(self, application):
        for method, path in (
            ("GET", "/runs/nothing"),
            ("POST", "/runs/nothing/cancel"),
            ("GET", "/runs/nothing/events"),
        ):
            answer = application.client.request(method, path)
            assert answer.status_code == 404, path
            assert answer.headers["content-type"] == "application/problem+json"


def read_events(client: httpx.Client, run_id: str) -> list[dict]:
    """Follow a run until the server ends the stream."""
    with client.stream("GET", f"/runs/{run_id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [
            json.loads(line.removeprefix("data: "))
            for line in answer.iter_lines()
            if line.startswith("data: ")
        ]


class TestEvents:
    def test_a_finished_run_sends_one_event_and_ends(self, application):
        run = application.wait_example()["run"]
        assert read_events(application.client, run["id"]) == [run]

    @pytest.mark.slow
    def test_progress_arrives_in_order_until_the_end(self, make_settings, long_trace):
        with run_application(make_settings()) as application:
            workload = application.create_workload(
                long_trace, "long.csv.zst", format="postgres_csv"
            )
            run_id = workload["run"]["id"]
            seen: list[list[dict]] = [[], []]
            readers = [
                threading.Thread(
                    target=lambda into=into: into.extend(
                        read_events(application.client, run_id)
                    )
                )
                for into in seen
            ]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join(timeout=PATIENCE_S)
            for events in seen:
                assert events[-1]["status"] == "succeeded", events[-1]
                phases = list(dict.fromkeys(event["phase"] for event in events))
                assert phases[-2:] == ["reading and converting", "profiling"]
                moving = [e for e in events if e["phase"] == "reading and converting"]
                done = [event["done"] for event in moving]
                assert len(set(done)) > 3
                assert done == sorted(done)
                assert all(event["done"] <= event["total"] for event in moving)
                assert any(event["rate_per_s"] for event in moving)
                assert any(event["accesses_per_s"] for event in moving)
                read = [event["accesses"] for event in moving if event["accesses"]]
                assert read == sorted(read)
                assert read[-1] <= LONG_TRACE_ACCESSES
                assert events[-1]["accesses"] == LONG_TRACE_ACCESSES
                assert events[-1]["accesses_per_s"] is None
