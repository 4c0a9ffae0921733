"""Summaries over HTTP: the numbers are the models' own."""

import numpy as np
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright.profile.popularity import rank_curve
from tierwright.profile.summaries import summarise
from tierwright.trace.reading import Trace


def finish(application, workload_id):
    found = application.post("/summaries", {"workload_id": workload_id}, 202)
    if found["status"] != "succeeded":
        run = application.wait_run(found["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"/summaries/{found['id']}")


class TestSummaries:
    def test_they_are_the_models(self, application):
        application.wait_example()
        found = finish(application, "example")
        tables = application.get(f"/summaries/{found['id']}/tables")
        own = summarise(Trace(EXAMPLE_TRACE))
        document = own.to_dict()
        assert tables["accesses"] == own.accesses
        window_accesses = tables["windows"].pop("window_accesses")
        assert {"length": window_accesses, **tables["windows"]} == document["windows"]
        assert tables["reuse"] == document["reuse"]["in_accesses"]
        assert tables["requests"] == document["requests"]
        assert tables["devices"] == document["devices"]
        assert tables["time_windows"]["window_s"] * 1e9 == own.time_windows.length
        assert tables["reuse_time"]["reads"] == own.reuse_ns.reads
        assert tables["reuse_time"]["highest_s"][-1] == own.reuse_ns.highest[-1] / 1e9
        popularity = tables["popularity"]
        assert popularity["zipf"] == own.popularity.zipf.to_dict()
        curve = rank_curve(own.popularity.accesses, own.popularity.pages)
        assert popularity["rank"] == curve.rank
        assert popularity["accesses"] == curve.accesses
        assert len(popularity["fitted"]) == len(curve.rank)
        assert popularity["top"][-1]["pages"] == -(-own.distinct_pages // 2)

    def test_asking_again_gives_the_same(self, application):
        application.wait_example()
        assert (
            finish(application, "example")["id"] == finish(application, "example")["id"]
        )

    def test_what_a_trace_does_not_tell_is_absent(self, application):
        data = b"page,op\n" + b"1,R\n2,W\n" * 50
        workload = application.create_workload(
            data, "no-time.csv", format="csv", columns={"page": "page", "op": "op"}
        )
        application.wait_run(workload["run"]["id"])
        found = finish(application, workload["id"])
        tables = application.get(f"/summaries/{found['id']}/tables")
        for name in ("time_windows", "reuse_time", "devices"):
            assert tables[name] is None
        assert tables["popularity"]["zipf"] is None
        assert tables["requests"]["unit"] == "pages"

    def test_they_are_found_by_their_workload_once_asked_for(self, application):
        data = b"page,op\n" + b"1,R\n2,W\n3,R\n" * 50
        workload = application.create_workload(
            data, "by-id.csv", format="csv", columns={"page": "page", "op": "op"}
        )
        application.wait_run(workload["run"]["id"])
        path = f"/workloads/{workload['id']}/summaries"
        answer = application.client.get(path)
        assert answer.status_code == 409
        assert "POST /api/v1/summaries" in answer.json()["hint"]
        found = finish(application, workload["id"])
        assert application.get(path) == application.get(
            f"/summaries/{found['id']}/tables"
        )

    def test_unknown_ids_and_bodies(self, application):
        for path in ("/summaries/a", "/summaries/a/tables", "/workloads/a/summaries"):
            assert application.client.get(path).status_code == 404
        application.post("/summaries", {"workload_id": "none-such"}, 404)
        problem = application.post(
            "/summaries", {"workload_id": "example", "x": 1}, 422
        )
        assert problem["errors"][0]["where"] == "body.x"


def test_the_highest_knee_lies_farthest_above_the_chord(application):
    application.wait_example()
    curve = application.get("/workloads/example/curve?points=1000")
    whole = _simulator.curves(EXAMPLE_TRACE)
    pages = np.array(curve["pages"], dtype=float)
    hits = 1 - np.array(curve["misses"]) / curve["accesses"]
    height = (hits - hits[0]) / (hits[-1] - hits[0]) - np.log(pages) / np.log(pages[-1])
    knee = curve["knees"][0]
    assert knee["pages"] == pages[height.argmax()]
    misses = int(whole["misses"][knee["pages"] - 1])
    assert knee["hit_ratio"] == 1 - misses / curve["accesses"]
    assert "Kneedle" in curve["knee_method"]
