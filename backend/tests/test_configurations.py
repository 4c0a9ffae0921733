"""Configurations that can be bought, over HTTP: what they cost is what `/bills` says of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

URL = "/workloads/example/configurations"


def asked(application: Any, **body: Any) -> Any:
    return application.client.post(URL, json=body)


def test_a_configuration_is_billed_as_it_says(application: Any) -> None:
    response = asked(
        application,
        max_machines=2,
        part_usd={"chassis": "9000.50"},
        usd_per_kwh="0.12",
        watts=450,
        flash_device_id="samsung-pm9a3-7.68tb-u2",
        disk_device_id="seagate-exos-x24-24tb",
    )
    assert response.status_code == 200, response.text
    found = response.json()
    kinds = set()
    for one in (*found["front"][:4], found["fastest"], *found["lower_bounds"][:2]):
        kinds.add(one["kind"])
        bill = application.post("/bills", one["config"], 200)
        for name in ("usd_per_month", "purchase_usd", "total_usd"):
            assert Decimal(one[name]) == Decimal(bill[name])
        assert bill["violations"] == []
    assert "chassis" in kinds
    whole = sum(each["count"] for each in found["excluded"])
    assert (
        found["suitable"] + found["lower_bounds_in_all"] + whole == found["evaluated"]
    )


def test_amounts_are_in_the_currency_and_the_config_in_dollars(
    application: Any,
) -> None:
    body = {
        "kinds": ["chassis"],
        "max_machines": 1,
        "part_usd": {"chassis": "9000.50"},
        "usd_per_kwh": "0.12",
        "watts": 450,
    }
    found = application.post(f"{URL}?currency=EUR", body, 200)
    one = found["cheapest"]
    assert found["exchange_rate"]["currency"] == "EUR"
    assert Decimal(one["monthly_eur"]) < Decimal(one["monthly_usd"])
    assert "EUR per month" in found["finding"]
    bill = application.post("/bills", one["config"], 200)
    assert Decimal(bill["total_usd"]) == Decimal(one["total_usd"])


def test_the_rate_is_that_of_the_workload(application: Any) -> None:
    workload = application.get("/workloads/example")["summary"]
    found = asked(application, kinds=["instances"], max_machines=1).json()
    rate = workload["accesses"] / workload["duration_s"]
    assert found["accesses_per_s"] == pytest.approx(rate)
    stated = asked(
        application, kinds=["instances"], max_machines=1, accesses_per_s=10 * rate
    ).json()
    assert stated["cheapest"]["store_busy"] == pytest.approx(
        10 * found["cheapest"]["store_busy"]
    )


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"kinds": []}, "body.kinds"),
        ({"kinds": ["racks"]}, "body.kinds"),
        ({"max_machines": 17}, "body.max_machines"),
        ({"max_io_us": 0}, "body.max_io_us"),
        ({"part_usd": {"chassis": -1}}, "body.part_usd.chassis"),
        ({"flash_device_id": "no-such-device"}, "flash_device_id"),
        ({"part_usd": {"no-such-part": 1}}, "no-such-part"),
    ],
)
def test_what_is_wrong_is_named(
    application: Any, body: dict[str, Any], where: str
) -> None:
    response = asked(application, **body)
    assert response.status_code in (404, 422), response.text
    assert where in response.text


def test_a_scaled_workload_is_answered_with_its_production(application: Any) -> None:
    production = {
        "data_bytes": 4 * 2**40,
        "accesses_per_s": 80000.0,
        "peak_accesses_per_s": 160000.0,
        "recorded_data_bytes": 512 * 2**20,
        "clients": 4,
        "accesses_per_unit": 20.0,
        "machines": 2,
        "replicas": 2,
    }
    body = {"name": "production for configurations", **production}
    made = application.post("/workloads/example/scaled", body, 201)
    found = application.post(
        f"/workloads/{made['id']}/configurations",
        {"kinds": ["instances"], "max_machines": 3, "horizon_months": 12},
        200,
    )
    assert found["data_bytes"] == 4 * 2**40
    assert found["replicas"] == 2
    assert (found["accesses_per_s"], found["peak_accesses_per_s"]) == (80000, 160000)
    best = found["cheapest"]
    assert best["machines"] >= 2
    assert best["store_bytes"] >= 2 * 4 * 2**40
    assert best["store_busy_peak"] == pytest.approx(2 * best["store_busy"])
