"""What a reader notices stays with the numbers over HTTP; what a trace may take is bounded."""

import gzip
from dataclasses import replace

import pytest
from live_app import run_application

from tierwright import simulate
from tierwright.simulate import Trace
from tierwright.summaries import summarise

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
    made = replace(simulate.profile(trace), summaries=summarise(trace))
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

    def test_a_profile_shows_the_summaries_it_brought(self, application, arc, profiled):
        tables = application.get(f"/workloads/{profiled['id']}/summaries")
        own = summarise(Trace(arc[1], format="arc"))
        assert tables["devices"] is None
        assert tables["windows"]["accesses"] == own.windows.accesses
        assert tables["requests"]["sizes"]["lowest"] == own.requests.sizes.lowest
        assert any("512" in one for one in profiled["summary"]["assumptions"])


class TestBounds:
    def test_settings_bound_what_a_trace_decompresses_to(self, make_settings):
        settings = make_settings(trace_max_content_bytes=10_000)
        packed = gzip.compress(ARC.encode() * 100)
        with run_application(settings, workers=0) as application:
            upload = application.upload(packed, "x.lis.gz")
            body = {"format": "arc"}
            told = application.post(f"/uploads/{upload}/preview", body, 422)
            assert "10000" in told["detail"].replace(",", "")
