"""Response times over HTTP, and the replays on simulated time that check them."""

from pathlib import Path

import pytest
from test_scaled_replays import scaled

from tierwright.advise import response
from tierwright.advise.checks import response as checks
from tierwright.advise.checks.checked import CheckedFigure, verdict
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

TRACE = "fixtures/traces/tpcb-cut.csv.zst"
FLASH = "intel-s4500-7.68tb"
DISK = "face2016-cheetah-15k6-single"
RATE = 5000.0
ASKED = {
    "workload_id": "example",
    "ram_pages": 1000,
    "flash_pages": 6000,
    "flash_device_id": FLASH,
    "disk_device_id": DISK,
    "disks": 8,
    "accesses_per_s": RATE,
}


def checked(application, **changes):
    """Ask for the check, wait for its replays, ask again."""
    body = {**ASKED, **changes}
    job = application.post("/response-times/check", body, 202)
    assert job["run"]["kind"] == "response_replay"
    again = application.client.post("/response-times/check", json=body)
    # A short replay may have ended meanwhile.
    assert again.status_code == 200 or again.json()["id"] == job["id"]
    run = application.wait_run(job["run"]["id"])
    assert run["status"] == "succeeded", run
    kept = application.get(f"/response-replays/{job['id']}")
    assert kept["status"] == "succeeded"
    return application.post("/response-times/check", body, 200)


def expected(**asked):
    found = profile(Trace(Path(TRACE)))
    curve = found.curve.from_start("steady")
    hierarchy = Hierarchy(catalog.device(FLASH), catalog.device(DISK), disks=8)
    answer = response.answer(
        curve,
        ram_pages=1000,
        flash_pages=6000,
        hierarchy=hierarchy,
        rates=response.rates_of(curve, accesses_per_s=RATE),
    )
    return checks.check(
        answer,
        curve,
        hierarchy=hierarchy,
        trace=Trace(Path(TRACE)),
        recorded_accesses_per_s=curve.accesses / found.duration_s,
        **asked,
    )


@pytest.mark.parametrize(
    ("arrivals", "said"),
    [
        ({}, "accesses arrive as a Poisson process"),
        ({"arrivals": "trace"}, "accesses arrive as recorded, stretched to the rate"),
        ({"arrivals": "clients", "clients": 6, "seed": 3}, "6 clients think so long"),
    ],
)
def test_the_check_is_that_of_the_models_by_a_run(application, arrivals, said):
    found = checked(application, **arrivals)
    own = expected(**arrivals)
    assert found["basis"] == own.basis
    assert said in found["basis"]
    assert "210,000 accesses are counted" in found["basis"]
    assert f"seed {arrivals.get('seed', 0)}." in found["basis"]
    # Clients think by the model, whose curve is kept with fewer points.
    near = 0.02 if "clients" in arrivals else 1e-9
    for row, mine in zip(found["rows"], own.rows, strict=True):
        assert row["figure"] == mine.figure
        # Hardly anything waits at flash, so few operations make its tail.
        rare = mine.figure.startswith(
            ("mean wait at flash", "99th percentile of reads of flash")
        )
        for key, value, error in (
            ("model", mine.model, 1e-3),
            ("simulated", mine.simulated, near * (5 if rare else 1)),
        ):
            wanted = None if value is None else pytest.approx(value, rel=error)
            assert row[key] == wanted, (row, key)
    body = {key: value for key, value in ASKED.items() if key != "workload_id"}
    model = application.post("/workloads/example/response", body, 200)
    means = {row["scheme"]: row["mean_us"] for row in model["rows"]}
    rows = [CheckedFigure(**row) for row in found["rows"]]
    assert {
        row.of: row.model for row in rows if row.figure.startswith(checks.MEAN)
    } == means
    assert found["sentence"] == verdict(rows, f"{checks.MEAN} at the mean rate", min)


def test_another_seed_is_another_replay_near_the_first(application):
    def means(found):
        return [
            row["simulated"]
            for row in found["rows"]
            if row["figure"].startswith("mean response time")
        ]

    first, second = (means(checked(application, seed=seed)) for seed in (11, 12))
    assert first != second
    assert first == pytest.approx(second, rel=0.05)


def test_flash_caches_run_with_the_options_that_are_given(application):
    def means(found, name):
        return [
            row["simulated"]
            for row in found["rows"]
            if row["of"] == name and row["figure"].startswith("mean response time")
        ]

    caches = {"flash_caches": ["larc", "lazy_cleaning"], "seed": 31}
    given = {"flash_cache_options": ["larc:mode=write_through"]}
    plain, found = (
        checked(application, **caches),
        checked(application, **caches, **given),
    )
    assert means(found, "lazy_cleaning") == means(plain, "lazy_cleaning") != []
    assert means(found, "larc") != means(plain, "larc")
    assert "LARC ran with mode=write_through." in found["basis"]


def test_a_run_that_was_cancelled_is_made_again(application):
    body = {**ASKED, "seed": 21}
    job = application.post("/response-times/check", body, 202)
    application.client.post(f"/runs/{job['run']['id']}/cancel")
    ended = application.wait_run(job["run"]["id"])
    if ended["status"] == "succeeded":
        return
    again = application.post("/response-times/check", body, 202)
    assert again["id"] == job["id"]
    assert again["run"]["id"] != job["run"]["id"]
    assert application.wait_run(again["run"]["id"])["status"] == "succeeded"


def test_beyond_all_devices_nothing_is_replayed(application):
    body = {**ASKED, "accesses_per_s": 1e9}
    found = application.post("/response-times/check", body, 200)
    assert found["sentence"].startswith("Neither the model nor the replay")
    assert all(row["simulated"] is None for row in found["rows"])


def test_a_trace_without_times_has_no_recorded_arrivals(application):
    made = application.create_workload(
        b"page,op\n" + "".join(f"{at % 50},R\n" for at in range(400)).encode(),
        "untimed.csv",
        format="csv",
        columns={"page": "page", "op": "op"},
    )
    assert application.wait_run(made["run"]["id"])["status"] == "succeeded"
    sizes = {"ram_pages": 5, "flash_pages": 20, "accesses_per_s": 200.0}
    body = {**ASKED, **sizes, "workload_id": made["id"]}
    refused = application.post(
        "/response-times/check", {**body, "arrivals": "trace"}, 422
    )
    assert "does not record" in str(refused["errors"])
    assert "`poisson`" in refused["hint"]
    job = application.post("/response-times/check", body, 202)
    assert application.wait_run(job["run"]["id"])["status"] == "succeeded"


def test_a_curve_has_nothing_to_replay(application):
    made = application.post(
        "/workloads/from-curve",
        {
            "name": "Only a curve",
            "text": "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n",
            "page_bytes": 8192,
            "accesses": 1_000_000,
        },
        201,
    )
    refused = application.post(
        "/response-times/check", {**ASKED, "workload_id": made["id"]}, 409
    )
    assert refused["type"].endswith("needs-trace")


def test_production_is_replayed_on_its_recording_at_the_sizes_that_correspond(
    application,
):
    large = scaled(application, "Three times, for response times", accesses_per_s=4000)
    sizes = {"ram_pages": 4000, "flash_pages": 24_000, "workload_id": large["id"]}
    found = checked(application, **sizes, seed=31)
    assert found["basis"].endswith("The sizes replayed are those of the recording.")
    small = application.post(
        "/response-times/check", {**ASKED, **sizes, "ram_pages": 100}, 200
    )
    assert small["rows"] == []
