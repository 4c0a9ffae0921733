"""Pages of a workload joined into those of production: made as a job, used by what is scaled, or refused."""

from pathlib import Path

import pytest

from tierwright import _simulator
from tierwright.profile import measure
from tierwright.trace.reading import Trace

TRACE = "fixtures/traces/tpcb-cut.csv.zst"
SMALL, LARGE = 8192, 16_384
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "face2016-cheetah-15k6-raid0-16"
CURVE = "size_mib,hit_ratio\n1,0.3\n8,0.5\n64,0.8\n512,0.95\n"


def production(application, **changes):
    summary = application.get("/workloads/example")["summary"]
    return {
        "data_bytes": 4 * summary["footprint_bytes"],
        "accesses_per_s": 80_000.0,
        "recorded_data_bytes": summary["footprint_bytes"] * 2,
        "law": "stretch",
        **changes,
    }


def joined(application, page_bytes, workload="example", code=202):
    body = {"page_bytes": page_bytes}
    return application.post(f"/workloads/{workload}/joined", body, code)


@pytest.fixture(scope="module")
def made(application):
    """The example with its pages joined by two, and how production was refused before."""
    body = production(application, page_bytes=LARGE)
    refused = application.post("/workloads/example/scale-previews", body, 409)
    begun = joined(application, LARGE)
    run = application.wait_run(begun["run"]["id"])
    assert run["status"] == "succeeded"
    return refused, begun, application.get(f"/workloads/{begun['id']}")


def test_production_with_larger_pages_waits_for_them_and_says_what_to_do(made):
    refused, *_ = made
    assert "only the trace shows" in refused["detail"]
    assert "/workloads/example/joined" in refused["hint"]
    assert str(LARGE) in refused["hint"]


def test_the_joined_workload_has_the_curve_of_joined_pages(application, made):
    _, begun, ready = made
    expected = measure.curves(Trace(Path(TRACE), joined_page_bytes=LARGE))
    summary = ready["summary"]
    assert begun["already_here"] is False
    assert ready["status"] == "ready"
    assert ready["name"].endswith("pages of 16 KiB")
    assert ready["joined_page_bytes"] == LARGE
    assert summary["page_bytes"] == LARGE
    assert summary["distinct_pages"] == expected["distinct_pages"]
    assert summary["accesses"] == expected["accesses"]
    curve = application.get(f"/workloads/{ready['id']}/curve")
    at = len(curve["pages"]) // 3
    assert curve["misses"][at] == expected["misses"][curve["pages"][at] - 1]
    log = application.get(f"/workloads/{ready['id']}/conversion-log")
    assert log["source"]["kind"] == "workload"
    assert log["asked"]["joined_page_bytes"] == LARGE
    assert any("2 neighbouring pages" in one for one in log["report"]["assumptions"])


def test_the_same_is_made_once_and_listed(application, made):
    *_, ready = made
    again = joined(application, LARGE)
    assert again["already_here"] is True
    assert again["id"] == ready["id"]
    items = application.get("/workloads/example/joined")["items"]
    assert [one["id"] for one in items] == [ready["id"]]
    assert application.get(f"/workloads/{ready['id']}/joined")["items"] == []


def test_production_takes_the_joined_pages_and_is_checked_with_them(application, made):
    *_, ready = made
    body = production(application, page_bytes=LARGE)
    found = application.post("/workloads/example/scale-previews", body, 200)
    assert found["production"]["recorded_page_bytes"] == SMALL
    assert "each of which holds 2 neighbouring pages" in found["finding"]
    usual = application.post(
        "/workloads/example/scale-previews", production(application), 200
    )
    assert usual["production"]["recorded_page_bytes"] is None
    # A cache of as many bytes: neighbours come along, or take the room of others.
    assert [one["miss_ratio"] for one in found["sizes"]] != [
        one["miss_ratio"] for one in usual["sizes"]
    ]
    body = {**body, "name": "On large pages"}
    scaled = application.post("/workloads/example/scaled", body, 201)["summary"]
    assert scaled["page_bytes"] == LARGE
    assert scaled["scaled_from"]["workload_id"] == ready["id"]
    assert scaled["replayable"]


def test_a_scaled_workload_replays_its_recording_with_large_pages(application, made):
    *_, ready = made
    footprint = ready["summary"]["footprint_bytes"]
    body = {
        "name": "Replayed on large pages",
        "data_bytes": 4 * footprint,
        "accesses_per_s": 80_000.0,
        "law": "stretch",
        "page_bytes": LARGE,
    }
    scaled = application.post("/workloads/example/scaled", body, 201)
    assert scaled["summary"]["production"]["factor"] == pytest.approx(4)
    point = {
        "workload_id": scaled["id"],
        "ram_pages": 4 * 1000,
        "flash_pages": 4 * 2500,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        "start": "cold",
    }
    begun = application.post("/simulations", point, 202)
    if begun["run"]["status"] != "succeeded":
        assert application.wait_run(begun["run"]["id"])["status"] == "succeeded"
    found = application.get(
        f"/simulations/{begun['id']}", params={"workload_id": scaled["id"]}
    )
    for name, counters in found["result"]["schemes"].items():
        flash_pages = 0 if name == "none" else 2500
        own = _simulator.replay(
            TRACE, "scheme", name, 1000, flash_pages, joined_page_bytes=LARGE
        )
        assert counters == {key: own[key] for key in counters}


def test_numbers_of_relations_are_those_of_the_recording(application, made):
    body = production(application, page_bytes=LARGE, law="relations")
    relations = application.get("/workloads/example/relations")["items"]
    named = [one for one in relations if one["grows"]][:4]
    assert len(named) > 1
    for one in named:
        for asked in (one["name"], str(one["number"])):
            found = application.post(
                "/workloads/example/scale-previews", {**body, "fixed": [asked]}, 200
            )
            assert found["factors"][one["number"] - 1] == 1
            assert len(found["factors"]) == len(relations)


@pytest.mark.parametrize(
    ("page_bytes", "told"),
    [
        (SMALL, "not larger than the pages"),
        (4096, "not larger than the pages"),
        (12_288, "power of two"),
        (2**21, "less than or equal to"),
    ],
)
def test_what_cannot_be_joined_is_refused_by_name(application, page_bytes, told):
    assert told in str(joined(application, page_bytes, code=422))


def test_smaller_pages_of_production_are_refused(application):
    body = production(application, page_bytes=4096)
    problem = application.post("/workloads/example/scale-previews", body, 422)
    assert "which part of a page was used" in str(problem)


def test_a_curve_alone_cannot_change_its_pages(application):
    given = application.post(
        "/workloads/from-curve",
        {
            "name": "Curve alone",
            "text": CURVE,
            "page_bytes": SMALL,
            "accesses": 1000,
        },
        201,
    )
    refused = joined(application, LARGE, given["id"], code=409)
    assert "curve alone" in refused["detail"]
    assert "trace" in refused["hint"]
    body = production(application, page_bytes=LARGE)
    problem = application.post(
        f"/workloads/{given['id']}/scale-previews",
        {**body, "recorded_data_bytes": None},
        422,
    )
    assert "a hit-ratio curve without its trace" in str(problem)


def test_keys_fail_with_the_reason(application):
    made = application.create_workload(
        b"a\nb\na\nc\n" * 20, "keys.txt", format="keys", page_bytes=4096
    )
    application.wait_run(made["run"]["id"])
    begun = joined(application, SMALL, made["id"])
    run = application.wait_run(begun["run"]["id"])
    assert run["status"] == "failed"
    assert "names keys" in run["error"]
    # Requested again, it is tried again.
    assert joined(application, SMALL, made["id"])["already_here"] is False


def test_an_upload_is_joined_as_it_is_read(application):
    body = b"time_us,op,rel,block\n" + b"".join(
        b"%d,R,1/5,%d\n" % (at, at % 64) for at in range(500)
    )
    made = application.create_workload(body, "j.csv", joined_page_bytes=4 * SMALL)
    application.wait_run(made["run"]["id"])
    ready = application.get(f"/workloads/{made['id']}")
    assert ready["summary"]["distinct_pages"] == 16
    assert ready["summary"]["page_bytes"] == 4 * SMALL
