"""Windows and sampled profiles over HTTP: the numbers are the core's own."""

import numpy as np
import pytest
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright.profile import measure
from tierwright.trace.reading import Trace


def finish(application, path, body):
    found = application.post(path, body, 202)
    if found["status"] != "succeeded":
        run = application.wait_run(found["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"{path}/{found['id']}")


class TestWindows:
    def test_by_accesses_they_are_the_cores(self, application):
        found = finish(
            application,
            "/windows",
            {"workload_id": "example", "windows": 10, "sizes": [1000, 10]},
        )
        assert (found["sizes"], found["window_accesses"]) == ([10, 1000], 42_000)
        curves = application.get(f"/windows/{found['id']}/curves")
        own = _simulator.window_curves(
            EXAMPLE_TRACE, window_accesses=42_000, sizes=[10, 1000]
        )
        assert curves["misses"] == own["misses"].tolist()
        assert curves["accesses"] == own["window_accesses"].tolist()
        assert curves["first_references"] == own["first_references"].tolist()
        assert curves["start_s"] is None

    def test_they_sum_up_to_the_curve_of_the_workload(self, application):
        found = finish(application, "/windows", {"workload_id": "example"})
        curves = application.get(f"/windows/{found['id']}/curves")
        assert len(curves["pages"]) == 5
        total = np.sum(curves["misses"], axis=0)
        whole = _simulator.curves(EXAMPLE_TRACE)
        assert total.tolist() == [
            int(whole["misses"][pages - 1]) for pages in curves["pages"]
        ]

    def test_by_time_they_begin_at_zero(self, application):
        found = finish(
            application, "/windows", {"workload_id": "example", "window_s": 1.0}
        )
        assert found["window_s"] == 1
        curves = application.get(f"/windows/{found['id']}/curves")
        assert curves["start_s"] == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize(
        ("changes", "where"),
        [
            ({"windows": 0}, "body.windows"),
            ({"windows": 10**6}, "body.windows"),
            ({"windows": 3, "window_s": 1}, "body.window_s"),
            ({"window_s": 1e-6}, "body.window_s"),
            ({"sizes": [0]}, "body.sizes.0"),
        ],
    )
    def test_bad_input(self, application, changes, where):
        body = {"workload_id": "example", **changes}
        problem = application.post("/windows", body, 422)
        assert problem["errors"][0]["where"] == where

    def test_a_trace_without_times_cannot_be_cut_by_time(self, application):
        data = b"page,op\n" + b"1,R\n2,W\n" * 50
        workload = application.create_workload(
            data,
            "no-time.csv",
            format="csv",
            columns={"page": "page", "op": "op"},
        )
        run = application.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        body = {"workload_id": workload["id"], "window_s": 1}
        problem = application.post("/windows", body, 422)
        assert "no times" in problem["detail"]
        assert problem["hint"]


class TestSampled:
    def test_the_estimate_is_the_models_with_its_interval(self, application):
        body = {"workload_id": "example", "sample_rate": 0.2, "seed": 3}
        found = finish(application, "/sampled-profiles", body)
        curve = application.get(f"/sampled-profiles/{found['id']}/curve")
        own = measure.sampled_profile(Trace(EXAMPLE_TRACE), 0.2, seed=3).to_dict()
        assert curve["pages"] == own["curve"]["pages"]
        assert curve["misses"] == own["curve"]["misses"]
        assert curve["misses_interval95"] == own["misses_interval95"]
        for (low, high), value in zip(
            curve["misses_interval95"], curve["misses"], strict=True
        ):
            assert low <= value <= high

    @pytest.mark.parametrize("rate", [0, -1, 1.1, "many"])
    def test_a_wrong_rate_is_refused(self, application, rate):
        body = {"workload_id": "example", "sample_rate": rate}
        problem = application.post("/sampled-profiles", body, 422)
        assert problem["errors"][0]["where"] == "body.sample_rate"

    def test_a_rate_that_follows_no_page_fails_with_its_reason(self, application):
        body = {"workload_id": "example", "sample_rate": 1e-9}
        found = application.post("/sampled-profiles", body, 202)
        run = application.wait_run(found["run"]["id"])
        assert run["status"] == "failed"
        assert run["hint"]
        answer = application.client.get(f"/sampled-profiles/{found['id']}/curve")
        assert answer.status_code == 409
        assert run["error"] in answer.json()["detail"]


def test_unknown_ids(application):
    for path in ("/windows/a", "/windows/a/curves", "/sampled-profiles/a/curve"):
        assert application.client.get(path).status_code == 404
