"""A fragment cache over HTTP: the numbers are the models' own, what is assumed is said."""

import pytest
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright.advise.fragment_cache import fragment_study
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
PAGE = 8192


def question(**changes):
    return {
        "workload_id": "example",
        "ram_pages": 500,
        "flash_pages": 8000,
        "flash_device_id": FLASH,
        "disk_device_id": DISK,
        **changes,
    }


def test_equals_the_models(application):
    answer = application.post(
        "/sce?derivation=true", question(accesses_per_s=5000.0, start="cold"), 200
    )
    found = _simulator.curves(EXAMPLE_TRACE)
    distinct, accesses = found["distinct_pages"], found["accesses"]
    expected = fragment_study(
        source_bytes=distinct * PAGE,
        cache_bytes=8000 * PAGE,
        read_miss_rate=found["misses"][7999] / found["misses"][499],
        run_bytes=2**16,
        source_write_s=service_us(catalog.device(DISK), "write", 8192) / 1e6,
        flash_write_s=service_us(catalog.device(FLASH), "write", 8192) / 1e6,
        page_writes_per_s=5000 * found["write_accesses"] / accesses / distinct,
    )
    assert answer["read_miss_rate"] == pytest.approx(
        found["misses"][7999] / found["misses"][499]
    )
    assert answer["fill_s"] == pytest.approx(expected.fill_s)
    assert answer["sizes"]["fragment_bytes"] == expected.trade.fragment_bytes.tolist()
    assert answer["sizes"]["used_share"] == pytest.approx(expected.trade.used_share)
    for row in answer["policies"]:
        policy = expected.writes.policies[row["policy"]]
        assert row["valid_share"] == pytest.approx(float(policy.valid_share))
    names = {each["name"] for each in answer["warnings"]}
    assert {"source_is_the_workload", "miss_rate_of_pages", "assumed_runs"} <= names
    assert {"fill", "used share", "metadata"} <= {
        step["name"] for step in answer["derivation"]
    }


def test_what_is_given_is_used_and_not_warned_about(application):
    answer = application.post(
        "/sce",
        question(
            source_bytes=2.0**40,
            read_miss_rate=0.2,
            page_writes_per_s=3.0,
            fragment_populations_per_s=1.0,
            fragment_bytes=2**17,
        ),
        200,
    )
    assert [phase["threads"] for phase in answer["phases"]] == [4]
    around = next(p for p in answer["policies"] if p["policy"] == "write_around")
    assert around["valid_share"] == pytest.approx(0.25)
    names = {each["name"] for each in answer["warnings"]}
    assert not names & {"source_is_the_workload", "miss_rate_of_pages"}
    assert answer["sizes"]["fragment_bytes"][answer["at"]] == 2**17


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"fragment_bytes": 5000}, "fragment_bytes"),
        ({"fragment_bytes": 2**29}, "must not exceed the cache"),
        ({"read_miss_rate": 1.2}, "read_miss_rate"),
    ],
)
def test_refuses(application, changes, part):
    assert part in str(application.post("/sce", question(**changes), 422))
