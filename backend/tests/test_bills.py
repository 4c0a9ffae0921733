"""Carbon of a bill over HTTP: the ranges are the models' own, and what is no range is refused."""

from __future__ import annotations

from typing import Any

import pytest

RENTED = {"server": "aws-i4i.4xlarge", "horizon_months": 10}


def test_carbon_is_a_range_with_what_it_leaves_out(application: Any) -> None:
    body = {
        **RENTED,
        "power": {"watts": 200, "pue": 1},
        "carbon": {"kg_per_kwh": [0.25, 0.5]},
        "against": {"part": [{"id": "dimm-ddr5-rdimm-64gb"}]},
    }
    found = application.post("/bills?derivation=true", body, 200)
    carbon = found["carbon"]
    # 0.2 kW x 7,300 h.
    assert carbon["operational_kg"] == carbon["total_kg"] == [365, 730]
    assert carbon["total_kg_per_month"] == [36.5, 73]
    assert carbon["embodied_kg"] is None
    assert [line["quantity"] for line in carbon["lines"]] == [1460]
    assert "365 to 730 kg CO2e" in carbon["sentence"]
    assert [each["what"] for each in carbon["not_counted"]] == [
        "making of RAM",
        "making of flash",
        "making of machines",
    ]
    assert found["against"]["carbon"] is None
    steps = {step["name"]: step["value"] for step in found["derivation"]}
    assert (steps["carbon, low end"], steps["carbon, high end"]) == (365, 730)
    assert application.post("/bills", RENTED, 200)["carbon"] is None


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"kg_per_kwh": 0.3}, "should be a range of two numbers, [low, high]"),
        ({"kg_per_kwh": [0.3]}, "should be a range of two numbers, [low, high]"),
        ({"kg_per_kwh": [0.4, 0.2]}, "must not fall: put the low end first"),
        ({"kg_per_kwh": [-1, 2]}, "greater than or equal to 0"),
        ({"kg_per_kwh": ["0.2", 1]}, "should be a number, not text"),
        ({"kg_per_gb": [1, 2]}, "Extra inputs are not permitted"),
        ({}, "must state at least one of kg_per_kwh"),
    ],
)
def test_what_is_no_range_is_refused(
    application: Any, block: dict[str, Any], message: str
) -> None:
    problem = application.post("/bills", {**RENTED, "carbon": block}, 422)
    assert message in problem["detail"]
    assert "carbon" in problem["detail"]
    assert problem["hint"]
