"""What a reader notices stays with the numbers over HTTP; what a trace may take is bounded."""

import gzip
from dataclasses import replace

import psycopg
import pytest
from live_app import run_application

from tierwright.profile import measure
from tierwright.profile.summaries import summarise
from tierwright.trace.reading import Trace
from tierwright_server.storage import db

FLASH, DISK = "face2016-intel-p3700-400", "face2016-cheetah-15k6-single"
ARC = "".join(f"{start} 4 0 {at}\n" for at, start in enumerate([0, 8, 0, 64, 8, 0] * 8))


def point(workload_id):
    return {
        "workload_id": workload_id,
        "ram_pages": 4,
        "flash_pages": 8,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
    }


@pytest.fixture(scope="module")
def arc(application, tmp_path_factory):
    """A trace of a format without operations: the workload, and the file."""
    path = tmp_path_factory.mktemp("arc") / "x.lis"
    path.write_text(ARC, "ascii")
    workload = application.create_workload(ARC.encode(), "x.lis", format="arc")
    assert application.wait_run(workload["run"]["id"])["status"] == "succeeded"
    return application.get(f"/workloads/{workload['id']}"), path


@pytest.fixture(scope="module")
def profiled(application, arc):
    """The same made of its profile."""
    trace = Trace(arc[1], format="arc")
    made = replace(measure.profile(trace), summaries=summarise(trace))
    body = {"name": "Profiled", "profile": made.to_dict(), "filename": "p.json"}
    return application.post("/workloads/from-profile", body, 201)


class TestNotes:
    def test_unknown_writes_are_told_wherever_writes_are_counted(
        self, application, arc, profiled
    ):
        for workload in (arc[0], profiled):
            assert workload["summary"]["tells_writes"] is False
            assert workload["summary"]["has_summaries"] is True
            names = {one["name"] for one in workload["summary"]["warnings"]}
            assert "no_writes_in_format" in names
            curve = application.get(f"/workloads/{workload['id']}/curve")
            assert curve["tells_writes"] is False
            found = application.post("/evaluations", point(workload["id"]), 200)
            told = {one["name"]: one["message"] for one in found["warnings"]}
            assert "its writes are unknown" in told["no_writes_in_format"]

    def test_unknown_writes_are_no_pages_to_redo(self, application, arc):
        body = {
            **point(arc[0]["id"]),
            "accesses_per_s": 100.0,
            "checkpoint_interval_s": 0.1,
        }
        check = application.client.post("/recovery/check", json=body)
        assert check.status_code in (200, 202)
        titles = [run["title"] for run in application.get("/runs")["items"]]
        counts = f"Pages of {arc[0]['name']} to redo after a crash"
        assert counts not in titles
        restart = application.post("/recovery", body, 200)["restart"]
        assert restart["redo_pages"] == 5
        assert "the share of writes is unknown" in restart["redo_basis"]

    def test_they_stand_with_the_replays_of_the_trace(self, application, arc):
        workload_id = arc[0]["id"]
        sweep = {
            "workload_id": workload_id,
            "contenders": [{"family": "policy", "name": "lru"}],
            "ram_pages": [4],
        }
        check = {**point(workload_id), "schemes": ["lazy"]}
        for path, body in (("/sweeps", sweep), ("/simulations", check)):
            made = application.post(path, body, 202)
            assert application.wait_run(made["run"]["id"])["status"] == "succeeded"
            for answer in (made, application.get(f"{path}/{made['id']}")):
                told = {one["name"]: one["message"] for one in answer["warnings"]}
                assert "its writes are unknown" in told["no_writes_in_format"]

    def test_a_result_shows_those_of_the_workload_it_is_asked_through(
        self, application, arc
    ):
        """Two files, one with bad lines, make the same accesses: results are kept once."""
        whole, _ = arc
        spoilt = application.create_workload(
            f"{ARC}no request\n".encode(), "y.lis", format="arc", skip_bad_records=1
        )
        run = application.wait_run(spoilt["run"]["id"])
        assert run["status"] == "succeeded", run
        asked = {
            "/sweeps": {
                "contenders": [{"family": "policy", "name": "lru"}],
                "ram_pages": [5],
            },
            "/simulations": {**point("x"), "ram_pages": 5, "schemes": ["lazy"]},
            "/miniatures": {"policy": "arc", "sizes": [5], "sample_rate": 1},
        }

        def told(answer):
            return "bad_records_skipped" in {one["name"] for one in answer["warnings"]}

        for path, body in asked.items():
            ids = set()
            for workload, skipped in ((whole, False), (spoilt, True)):
                made = application.post(
                    path, {**body, "workload_id": workload["id"]}, 202
                )
                ids.add(made["id"])
                if made["run"] is not None:
                    application.wait_run(made["run"]["id"])
                where = f"{path}/{made['id']}"
                found = application.get(f"{where}?workload_id={workload['id']}")
                assert told(made) == told(found) == skipped
                assert found["workload_id"] == workload["id"]
                assert found["inputs"]["workload_id"] == workload["id"]
                # Nobody named: that of the first.
                assert not told(application.get(where))
            assert len(ids) == 1

    def test_a_split_shows_those_of_the_workload_it_is_asked_through(self, application):
        rows = "".join(f"{i},{'RW'[i % 2]},0/1,{i * 7 % 40}\n" for i in range(400))
        content = f"time_us,op,rel,block\n{rows}"
        told = []
        for bad in ("", "no request\n"):
            asked = {"format": "postgres_csv", "skip_bad_records": 1}
            workload = application.create_workload(
                f"{content}{bad}".encode(), "z.csv", **asked
            )
            run = application.wait_run(workload["run"]["id"])
            assert run["status"] == "succeeded", run
            body = {"workload_id": workload["id"], "pages": 8}
            made = application.post("/pool-splits", body, 202)
            if made["run"] is not None:
                application.wait_run(made["run"]["id"])
            query = f"asymmetry=2&workload_id={workload['id']}"
            found = application.get(f"/pool-splits/{made['id']}/costs?{query}")
            told.append({one["name"] for one in found["warnings"]})
        assert told[1] - told[0] == {"bad_records_skipped"}

    def test_another_workload_has_nothing_to_say(self, application, arc, profiled):
        body = {
            "workload_id": arc[0]["id"],
            "contenders": [{"family": "policy", "name": "fifo"}],
            "ram_pages": [4],
        }
        made = application.post("/sweeps", body, 202)
        application.wait_run(made["run"]["id"])
        found = application.get(f"/sweeps/{made['id']}?workload_id={profiled['id']}")
        assert found["workload_id"] == arc[0]["id"]

    def test_a_profile_shows_the_summaries_it_brought(self, application, arc, profiled):
        tables = application.get(f"/workloads/{profiled['id']}/summaries")
        own = summarise(Trace(arc[1], format="arc"))
        assert tables["devices"] is None
        assert tables["windows"]["accesses"] == own.windows.accesses
        assert tables["requests"]["sizes"]["lowest"] == own.requests.sizes.lowest
        assert any("512" in one for one in profiled["summary"]["assumptions"])

    def test_parameters_are_spelled_when_sent_and_not_when_kept(
        self, application, arc, profiled
    ):
        workload_id = arc[0]["id"]
        log = application.get(f"/workloads/{workload_id}/conversion-log")
        upload = application.upload(ARC.encode(), "y.lis")
        shown = application.post(f"/uploads/{upload}/preview", {"format": "arc"}, 200)
        for assumptions in (
            arc[0]["summary"]["assumptions"],
            profiled["summary"]["assumptions"],
            log["report"]["assumptions"],
            shown["assumptions"],
        ):
            [one] = [one for one in assumptions if "512" in one]
            assert one.endswith("give the page size to get the sizes in bytes right")
        url = db.psycopg_dsn(application.settings.database_url)
        with psycopg.connect(url) as connection:
            query = "SELECT conversion FROM workloads WHERE id = %s"
            [kept] = connection.execute(query, [workload_id]).fetchone()
        assumptions = kept["report"]["assumptions"]
        assert any("give [[the page_bytes]] to" in one for one in assumptions)

    def test_hints_are_in_words(self, application):
        lines = b"".join(b"%d.000000 0 %d 8 1\n" % (i, i * 8) for i in range(20))
        upload = application.upload(lines, "asks.trace")
        hint = application.post(f"/uploads/{upload}/preview", {}, 422)["hint"]
        assert hint.startswith("choose one: format ")
        assert "; the preview shows how each reads" in hint
        # Of a job, which keeps it with its run.
        body = {"upload_id": upload, "name": "asks"}
        run = application.post("/workloads", body, 202)["run"]
        assert application.wait_run(run["id"])["hint"] == hint


class TestBounds:
    def test_settings_bound_what_a_trace_decompresses_to(self, make_settings):
        settings = make_settings(trace_max_content_bytes=10_000)
        packed = gzip.compress(ARC.encode() * 100)
        with run_application(settings, workers=0) as application:
            upload = application.upload(packed, "x.lis.gz")
            body = {"format": "arc"}
            told = application.post(f"/uploads/{upload}/preview", body, 422)
            assert "10000" in told["detail"].replace(",", "")
            assert told["hint"].endswith("(TIERWRIGHT_TRACE_MAX_CONTENT_BYTES)")
