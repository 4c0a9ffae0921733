"""The worked example as a newcomer finds it: production, and the recording behind it."""

import pytest
from live_app import REPOSITORY, run_application

FIXTURES = REPOSITORY / "fixtures"


@pytest.fixture(scope="module")
def shipped(make_settings):
    """Settings with the example that is shipped."""
    return make_settings(
        example_trace=FIXTURES / "traces" / "tpcc-20w-cut.csv.zst",
        example_production=FIXTURES / "production" / "tpcc-4tib.toml",
    )


def evaluation(production):
    gib = 2**30 // production["summary"]["page_bytes"]
    return {
        "workload_id": production["id"],
        "ram_pages": 64 * gib,
        "flash_pages": 256 * gib,
        "ram_device_id": "dram-ddr5-4800-rdimm",
        "flash_device_id": "micron-9550-max-3.2tb",
        "disk_device_id": "seagate-exos-x24-24tb",
        "price_book_id": "street-2026-q3",
    }


def test_it_is_production_and_its_recording_and_stays_so(shipped):
    for start in ("first", "second"):
        with run_application(shipped) as running:
            running.wait_example()
            items = running.get("/workloads")["items"]
            assert [each["id"] for each in items] == [
                "example-production",
                "example",
            ], start
            production, recording = items
            assert production["example"]
            assert recording["example"]
            assert recording["summary"]["production"] is None
            stated = production["summary"]["production"]
            assert stated["law"] == "relations"
            assert stated["production"]["data_bytes"] == 4 * 2**40
            assert stated["production"]["peak_accesses_per_s"] == 50_000
            refused = running.client.delete("/workloads/example-production")
            assert refused.status_code == 409


def test_its_answer_names_devices_and_what_costs_least(shipped):
    with run_application(shipped) as running:
        running.wait_example()
        production = running.get("/workloads/example-production")
        answer = running.post(
            "/evaluations", {**evaluation(production), "decide": "replay"}, 200
        )
        assert answer["decided_by"] == "replay"
        load = answer["at_load"]
        assert (load["accesses_per_s"], load["of_peak"]) == (50_000, True)
        rows = {each["name"]: each for each in load["configurations"]}
        assert rows["none"]["flash_devices"] == 0
        assert rows[answer["best"]]["disks"] < rows["none"]["disks"]
        assert rows["all_on_flash"]["disks"] == 0
        costs = {
            name: float(rows[name]["money"]["usd_per_month"])
            for name in ("none", answer["best"], "all_on_flash")
        }
        least = min(costs, key=lambda name: costs[name])
        assert least == "all_on_flash"
        assert load["verdict"].startswith("Everything on flash costs least: ")
        for row in rows.values():
            parts = row["money"]["parts"]
            assert float(row["money"]["usd_per_month"]) == pytest.approx(
                sum(float(part["usd_per_month"]) for part in parts)
            )


def test_a_recording_has_no_devices_for_a_load(application):
    example = application.get("/workloads/example")
    body = {**evaluation(example), "ram_pages": 1000, "flash_pages": 6000}
    assert application.post("/evaluations", body, 200)["at_load"] is None
