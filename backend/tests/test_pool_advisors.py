"""The adaptive split over HTTP: the models' own numbers, the window of an estimation."""

import pytest
from live_app import EXAMPLE_TRACE

from tierwright.advise import pool_advisor
from tierwright.trace.reading import Trace

PAGES = 500


def finish(application, body):
    found = application.post("/pool-advisors", body, 202)
    if found["status"] != "succeeded":
        run = application.wait_run(found["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"/pool-advisors/{found['id']}")


def test_equals_the_models(application):
    body = {"workload_id": "example", "pages": PAGES, "dynamics": "rm1"}
    made = finish(application, body)
    assert application.post("/pool-advisors", body, 202)["id"] == made["id"]
    answer = application.get(f"/pool-advisors/{made['id']}/epochs")
    expected = pool_advisor.answer(Trace(EXAMPLE_TRACE), PAGES, dynamics="rm1")
    assert answer["clean_pages"] == expected.clean_pages.tolist()
    assert answer["totals"] == pytest.approx(expected.totals)
    assert answer["costs"]["adaptive"] == pytest.approx(
        expected.costs["adaptive"].tolist()
    )
    assert answer["asymmetries"][10] == pytest.approx(64)
    assert answer["least_window_accesses"] is None
    tried = len(expected.static_totals)
    assert f"best of {tried} static splits tried" in answer["sentence"]
    steps = {step["name"]: step["value"] for step in answer["derivation"]}
    assert steps["cost of lru"] == pytest.approx(answer["totals"]["lru"])
    timed = application.get(
        f"/pool-advisors/{made['id']}/epochs",
        params={"estimation_s": 0.9, "read_us": 100},
    )
    assert timed["least_window_accesses"] == expected.window_for(0.9, 0.03, 1e-4)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"dynamics": "wm3"}, "dynamics"),
        ({"epoch_accesses": 100}, "more than 4,000 epochs"),
        ({"window_accesses": 7}, "at least 8"),
        ({"asymmetry": 0}, "asymmetry"),
        ({"pages": 1}, "pages"),
    ],
)
def test_refuses(application, changes, part):
    body = {"workload_id": "example", "pages": PAGES, **changes}
    assert part in str(application.post("/pool-advisors", body, 422))
