"""Miniatures: rows are the core's own estimates, and hold what a whole replay counts."""

import pytest
from live_app import EXAMPLE_TRACE, run_application
from test_notes_over_http import ARC

from tierwright import _simulator

SIZES = [3000, 700, 12000]


def request(policy="arc", sizes=SIZES, **changes):
    body = {"workload_id": "example", "policy": policy, "sizes": sizes}
    return {**body, **changes}


def finish(application, body):
    """Ask for an estimate and wait for all of it."""
    made = application.post("/miniatures", body, 202)
    if made["status"] != "succeeded":
        run = application.wait_run(made["run"]["id"])
        assert run["status"] == "succeeded", run
    return application.get(f"/miniatures/{made['id']}")


class TestRows:
    def test_rows_are_the_cores_and_hold_whole_replays(self, application):
        made = finish(application, request(sample_rate=0.25, seed=7))
        assert made["sizes"] == sorted(SIZES)
        assert made["title"] == "ARC"
        assert made["miniature_rate"] == 0.25 / 8
        assert made["interval_confidence"] == 0.95
        assert "miniature simulation" in made["estimator"]
        own = _simulator.miniatures(
            EXAMPLE_TRACE,
            [{"policy": "arc", "pages": pages} for pages in made["sizes"]],
            0.25,
            seed=7,
        )["rows"]
        for row, expected in zip(made["rows"], own, strict=True):
            assert row["misses"] == expected["misses"]
            stated = expected["interval95"]
            assert row["misses_interval95"] == (stated and list(stated["misses"]))
            assert row["disk_writes"] == expected["disk_writes"]
            assert row["too_small"] is expected["too_small"]
            accesses = expected["accesses"]
            assert row["hit_ratio"] == (accesses - row["misses"]) / accesses
            lru = _simulator.replay(EXAMPLE_TRACE, "policy", "lru", row["pages"])
            assert row["lru_hit_ratio"] == pytest.approx(1 - lru["miss_ratio"])
            # Another way to the same number: the whole trace through the whole cache.
            whole = _simulator.replay(EXAMPLE_TRACE, "policy", "arc", row["pages"])
            if row["too_small"]:
                assert (
                    row["hit_ratio_interval95"] is row["disk_writes_interval95"] is None
                )
                assert [each["name"] for each in row["warnings"]] == ["too_small"]
                continue
            low, high = row["hit_ratio_interval95"]
            assert low <= 1 - whole["miss_ratio"] <= high
        # 700 pages x 0.25 / 8 = 21.875, fewer than 32
        assert [row["too_small"] for row in made["rows"]] == [True, False, False]
        assert made["warnings"] == []

    def test_a_range_and_options(self, application):
        sizes = {"from_pages": 2000, "to_pages": 20000, "points": 3}
        made = finish(application, request("2Q", sizes, options={"k_in": "0.5"}))
        assert made["sizes"] == [2000, 6325, 20000]
        other = finish(application, request("2q", sizes))
        assert made["id"] != other["id"]
        assert [row["misses"] for row in made["rows"]] != [
            row["misses"] for row in other["rows"]
        ]

    def test_what_the_reader_noticed_stands_with_the_estimate(self, application):
        workload = application.create_workload(ARC.encode(), "m.lis", format="arc")
        assert application.wait_run(workload["run"]["id"])["status"] == "succeeded"
        made = finish(
            application, request(sizes=[64], workload_id=workload["id"], sample_rate=1)
        )
        told = {one["name"]: one["message"] for one in made["warnings"]}
        assert "its writes are unknown" in told["no_writes_in_format"]


class TestKeeping:
    def test_the_same_is_found_and_a_larger_one_makes_only_what_is_new(
        self, application
    ):
        first = finish(application, request("sieve", [5000, 6000]))
        again = application.post("/miniatures", request("sieve", [6000, 5000]), 202)
        assert (again["id"], again["run"]["id"]) == (first["id"], first["run"]["id"])
        larger = finish(application, request("sieve", [5000, 6000, 7000]))
        assert larger["run"]["message"] == "1 size estimated"
        assert larger["rows"][:2] == first["rows"]
        other = finish(application, request("sieve", [5000, 6000], seed=1))
        assert other["rows"] != first["rows"]


class TestBadInput:
    @pytest.mark.parametrize(
        ("changes", "where", "hint"),
        [
            ({"policy": "mru"}, "body.policy", "s3_fifo"),
            ({"options": {"k_in": "7"}, "policy": "2q"}, "body.options", "k_in=0.25"),
            ({"options": {"window": "7"}}, "body.options", ""),
            ({"sample_rate": 0}, "body.sample_rate", ""),
            ({"sample_rate": 1.5}, "body.sample_rate", ""),
            ({"sizes": []}, "body.sizes", ""),
            ({"sizes": [0]}, "body.sizes", ""),
            ({"sizes": [2**40]}, "body", ""),
        ],
    )
    def test_is_named_with_its_place(self, application, changes, where, hint):
        problem = application.post("/miniatures", {**request(), **changes}, 422)
        assert problem["errors"][0]["where"].startswith(where)
        assert hint in (problem["hint"] or "")

    def test_a_sample_without_a_page_fails_in_its_row(self, application):
        made = finish(application, request(sizes=[3000], sample_rate=1e-9))
        [row] = made["rows"]
        assert "too few pages are sampled" in row["error"]
        assert row["hint"] == "use a larger rate"
        assert row["hit_ratio"] is None

    def test_unknown_ids(self, application):
        application.post("/miniatures", request(workload_id="nothing"), 404)
        assert application.client.get("/miniatures/nothing").status_code == 404


@pytest.mark.long
@pytest.mark.slow
def test_partial_rows_show_and_stay_when_cancelled(
    make_settings,
    middle_trace,
):
    with run_application(make_settings()) as own:
        workload = own.create_workload(
            middle_trace, "middle.csv.zst", format="postgres_csv"
        )
        run = own.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        sizes = [20_000 + 1000 * step for step in range(200)]
        body = request("lirs", sizes, workload_id=workload["id"], sample_rate=1)
        made = own.post("/miniatures", body, 202)
        seen = own.wait_until(lambda: own.get(f"/miniatures/{made['id']}")["rows"])
        run = own.get(f"/runs/{made['run']['id']}")
        assert 0 < run["done"] < run["total"]
        own.post(f"/runs/{made['run']['id']}/cancel", {}, 200)
        assert own.wait_run(made["run"]["id"])["status"] == "cancelled"
        kept = own.get(f"/miniatures/{made['id']}")
        assert kept["status"] == "cancelled"
        assert len(seen) <= len(kept["rows"]) < len(sizes)
        going_on = own.post("/miniatures", body, 202)
        assert going_on["id"] == made["id"]
        assert going_on["rows"] == kept["rows"]
        own.post(f"/runs/{going_on['run']['id']}/cancel", {}, 200)
        own.wait_run(going_on["run"]["id"])
