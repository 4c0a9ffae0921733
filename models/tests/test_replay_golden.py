"""The core against the shipped expected results, every integer; no other data is needed."""

import csv
from pathlib import Path
from typing import Any

import pytest

from tierwright import _simulator

pytestmark = pytest.mark.golden

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def golden(name: str) -> list[dict[str, str]]:
    with (FIXTURES / "golden" / name).open(encoding="ascii", newline="") as text:
        return list(csv.DictReader(text))


SINGLE_TIER = golden("single_tier.csv")
TWO_TIER = golden("two_tier.csv")


def counts(row: dict[str, str], *texts: str) -> dict[str, int]:
    return {key: int(value) for key, value in row.items() if key not in texts}


@pytest.fixture(scope="module")
def curves() -> dict[str, Any]:
    return _simulator.curves(FIXTURES / "traces" / SINGLE_TIER[0]["trace"])


@pytest.mark.parametrize(
    "row", SINGLE_TIER, ids=[f"{row['policy']}-{row['pages']}" for row in SINGLE_TIER]
)
def test_single_tier(row: dict[str, str]) -> None:
    expected = counts(row, "trace", "policy")
    trace = FIXTURES / "traces" / row["trace"]
    result = _simulator.simulate_policy(trace, row["policy"], expected["pages"])
    assert {key: result[key] for key in expected} == expected
    assert result["policy"] == row["policy"]
    assert result["disk_reads"] == result["misses"]
    assert result["miss_ratio"] == result["misses"] / result["accesses"]


@pytest.mark.parametrize(
    "row",
    TWO_TIER,
    ids=[
        f"{row['scheme']}-{row['ram_pages']}+{row['flash_pages']}" for row in TWO_TIER
    ],
)
def test_two_tier(row: dict[str, str]) -> None:
    expected = counts(row, "trace", "scheme")
    trace = FIXTURES / "traces" / row["trace"]
    result = _simulator.simulate_scheme(
        trace, row["scheme"], expected["ram_pages"], expected["flash_pages"]
    )
    assert {key: result[key] for key in expected} == expected
    assert result["scheme"] == row["scheme"]
    assert result["warnings"] == []


@pytest.mark.parametrize("row", [row for row in SINGLE_TIER if row["policy"] == "lru"])
def test_curves_hold_the_lru_results(
    row: dict[str, str], curves: dict[str, Any]
) -> None:
    pages = int(row["pages"])
    assert curves["misses"][pages - 1] == int(row["misses"])
    assert curves["write_backs"][pages - 1] == int(row["disk_writes"])
    evictions = max(0, int(row["misses"]) - pages)
    assert evictions == int(row["evictions"])


def test_every_registered_policy_and_scheme_has_expected_results() -> None:
    policies = {about["name"] for about in _simulator.policies()}
    assert policies == {row["policy"] for row in SINGLE_TIER}
    schemes = {about["name"] for about in _simulator.schemes()}
    assert schemes == {row["scheme"] for row in TWO_TIER}
