"""Google's catalogue: exact prices of billionths, tiers, months of 744 hours, and no unit guessed."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.hardware.imports.books import BookMaker
from tierwright.hardware.imports.ledger import Imported
from tierwright.hardware.imports.mapping import mapping_of
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.imports.readers import PRICES, read_rows

PD = "8AF1-1146-E7DA"
GIB_MONTH = 2875910101401600.0
"""2^30 bytes for 744 hours, in bytes for a second, as the service prints it."""


def rate(units: str, nanos: int, begin: float = 0) -> dict[str, Any]:
    money = {"currencyCode": "USD", "units": units, "nanos": nanos}
    return {"startUsageAmount": begin, "unitPrice": money}


def sku(
    *rates: dict[str, Any], unit: str = "GiBy.mo", factor: float | str | None = GIB_MONTH,
    regions: tuple[str, ...] = ("us-east4",), usage: str = "OnDemand", **more: Any,
) -> dict[str, Any]:  # fmt: skip
    expression = {
        "usageUnit": unit,
        "displayQuantity": 1000,
        "tieredRates": list(rates),
    }
    if factor is not None:
        expression["baseUnitConversionFactor"] = factor
    return {
        "skuId": PD,
        "description": "Storage PD Capacity",
        "category": {
            "resourceFamily": "Storage",
            "resourceGroup": "PDStandard",
            "usageType": usage,
        },
        "serviceRegions": list(regions),
        "pricingInfo": [
            {"effectiveTime": "2023-03-01T00:00:00Z", "pricingExpression": expression}
        ],
        **more,
    }


SAMPLE = sku(rate("0", 44000000))


def read(
    *skus: Any, name: str | None = "google", **more: Any
) -> tuple[list[Price], Imported]:
    found: list[Price] = []
    text = json.dumps({"skus": list(skus), **more}).encode()
    taken = found.append
    return found, read_rows(io.BytesIO(text), "given", PRICES, taken, name=name)


def reason(given: Any) -> str:
    found, imported = read(given)
    assert not found
    return str(imported.skipped[0]["reason"])


def test_the_published_row() -> None:
    [price], imported = read(SAMPLE, name=None)
    assert imported.format == "google"
    assert price.price == Decimal("0.044")
    assert (price.unit.measure, price.unit.amount) == ("byte_month", 2**30)
    assert (price.region, price.sku, price.currency) == ("us-east4", PD, "USD")
    assert imported.units == (
        {
            "printed": "GiBy.mo",
            "understood": "price of 1 GiB (2^30 bytes) for 1 month (converted by 744 hours)",
        },
    )


def test_display_quantity_does_not_touch_the_price() -> None:
    given = sku(rate("2", 500000000))
    given["pricingInfo"][0]["pricingExpression"]["displayQuantity"] = 1
    [price], _ = read(given)
    assert price.price == Decimal("2.5")


@pytest.mark.parametrize(
    ("unit", "factor", "measure", "amount"),
    [
        ("h", 3600, "hour", 1),
        ("count", 1, "piece", 1),
        ("mo", 2678400, "month", 1),
        ("GiBy.h", 3865470566400, "byte_hour", 2**30),
        ("TiBy.mo", 2**40 * 744 * 3600, "byte_month", 2**40),
        ("GiBy.mo", None, "byte_month", 2**30),
    ],
)
def test_units(unit: str, factor: float | None, measure: str, amount: int) -> None:
    [price], _ = read(sku(rate("1", 0), unit=unit, factor=factor))
    assert (price.unit.measure, price.unit.amount) == (measure, amount)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (sku(rate("1", 0), unit="GBy.mo"), "unknown"),
        (sku(rate("1", 0), unit="giby.mo"), "unknown"),
        (sku(rate("1", 0), unit="GiBy"), "moved"),
        (sku(rate("1", 0), unit=""), "no unit"),
        # A month of 730 hours, which is not what Google converts by.
        (sku(rate("1", 0), factor=2**30 * 730 * 3600), "conversion factor"),
        (sku(rate("1", 0), unit="h", factor=1), "conversion factor"),
        (sku(rate("1", 0), factor="many"), "conversion factor"),
        (sku(rate("-1", 0)), "below 0"),
        (sku(rate("0", -5)), "below 0"),
        (sku(rate("0", 10**9)), "a unit or more"),
        (sku(rate("0.5", 0)), "not a whole number"),
        (sku({"unitPrice": {"currencyCode": "USD"}}), "no price"),
        (sku(rate("1", 0), usage="Other"), "usage type"),
        (sku(), "no tier"),
        (sku(rate("1", 0), pricingInfo=[]), "no price"),
        (sku(rate("1", 0), skuId=""), "no SKU"),
        (sku(rate("1", 0), pricingInfo=[{"effectiveTime": "soon"}]), "ISO 8601"),
        ("text", "no price"),
    ],
)
def test_nothing_is_guessed(given: Any, expected: str) -> None:
    assert expected in reason(given)


def test_what_is_left_out_of_a_price_is_zero() -> None:
    """The service does not print a part of a sum that is 0."""
    for money, expected in (({"units": "3"}, "3"), ({"nanos": 5}, "5E-9")):
        tier = {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", **money}}
        [price], _ = read(sku(tier))
        assert price.price == Decimal(expected)


def test_a_first_tier_of_0_is_a_free_allowance() -> None:
    found, _ = read(sku(rate("0", 0), rate("0", 40000000, 30)))
    assert [(each.begin, each.end) for each in found] == [(0, 30), (30, None)]
    assert [each.is_free_allowance for each in found] == [True, False]
    assert [each.row for each in found] == [f"{PD}, tier 1", f"{PD}, tier 2"]


def test_each_region_is_a_price() -> None:
    found, imported = read(sku(rate("0", 44000000), regions=("us-east1", "us-west1")))
    assert [each.region for each in found] == ["us-east1", "us-west1"]
    assert imported.read == imported.taken == 2


def test_a_price_of_the_future_is_named_and_in_no_book() -> None:
    later = sku(rate("9", 0))["pricingInfo"][0] | {
        "effectiveTime": "2999-01-01T00:00:00Z"
    }
    given = sku(rate("0", 44000000))
    given["pricingInfo"].append(later)
    found, imported = read(given)
    assert [each.effective for each in found] == ["2023-03-01", "2999-01-01"]
    assert "prices_of_the_future" in {each["name"] for each in imported.warnings}
    line = {"part_number": PD, "is": [{"kind": "device", "item": "gcp-pd-standard"}]}
    maker = BookMaker(mapping_of([line], "mapping"))
    for each in found:
        maker.add(each)
    made = maker.made(imported, "catalogue")
    [price] = made.book.prices
    assert price.usd == Decimal("0.044")
    assert "2999" in made.left[0].reason


def test_a_commitment_is_a_reservation() -> None:
    [price], _ = read(sku(rate("1", 0), usage="Commit3Yr", unit="h", factor=3600))
    assert (price.term_type, price.lease) == ("Commit3Yr", "3 Years")


def test_a_next_page_is_a_warning() -> None:
    for token, expected in (("x", True), ("", False)):
        _, imported = read(SAMPLE, nextPageToken=token)
        named = {each["name"] for each in imported.warnings}
        assert ("more_pages" in named) is expected


@pytest.mark.parametrize(
    "text", ['{"skus": [], "skus": []}', '{"skus": 5}', '{"a": 1}', "{"]
)
def test_what_is_no_answer(text: str) -> None:
    with pytest.raises(BadInput):
        read_rows(
            io.BytesIO(text.encode()), "given", PRICES, lambda _: None, name="google"
        )


@given(
    st.lists(
        st.tuples(st.integers(0, 10**9), st.integers(0, 10**9 - 1)),
        min_size=1,
        max_size=9,
    )
)
def test_known_prices_come_back_exactly(money: list[tuple[int, int]]) -> None:
    found, _ = read(*(sku(rate(str(units), nanos)) for units, nanos in money))
    assert [each.price for each in found] == [
        Decimal(f"{units}.{nanos:09}") for units, nanos in money
    ]
