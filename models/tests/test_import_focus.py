"""Bills in FOCUS: what was paid comes back exactly, of the right unit, from CSV and from Parquet."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import random
from decimal import Decimal
from pathlib import Path

import advices
import pytest
from command import answer, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierwright.advise import exports
from tierwright.common.errors import BadInput
from tierwright.hardware.imports.ledger import Imported
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.imports.readers import PRICES, read_rows

MANY = int(os.environ.get("TIERWRIGHT_FUZZ_EXAMPLES", "0"))
FEW = settings(
    max_examples=MANY or 25,
    derandomize=not MANY,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
PARQUET = Path(__file__).parents[2] / "fixtures" / "imports" / "focus.parquet"
ROW = {
    "BilledCost": "58.40",
    "BillingAccountId": "1",
    "BillingAccountName": "main",
    "BillingCurrency": "USD",
    "BillingPeriodEnd": "2026-10-01T00:00:00Z",
    "BillingPeriodStart": "2026-09-01T00:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeClass": "",
    "ChargeDescription": "an hour, of a machine",
    "ChargePeriodEnd": "2026-10-01T00:00:00Z",
    "ChargePeriodStart": "2026-09-01T00:00:00Z",
    "ContractedCost": "58.40",
    "ContractedUnitPrice": "0.08",
    "EffectiveCost": "58.40",
    "ListCost": "76.65",
    "ListUnitPrice": "0.105",
    "PricingCategory": "Standard",
    "PricingQuantity": "730",
    "PricingUnit": "Hours",
    "RegionId": "us-east-1",
    "ServiceCategory": "Compute",
    "ServiceName": "Machines",
    "SkuId": "CPU-1",
    "SkuPriceId": "CPU-1.P",
}


def table(*rows: dict[str, str]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def changed(**others: str) -> dict[str, str]:
    """A row without costs to compare with, unless they are stated."""
    costs = {"ContractedCost": "", "ListCost": ""}
    return ROW | costs | others


def read(content: bytes) -> tuple[Imported, list[Price]]:
    prices: list[Price] = []
    found = read_rows(io.BytesIO(content), "given", PRICES, prices.append)
    assert found.format == "focus"
    assert found.taken == len(prices)
    return found, prices


def warned(found: Imported) -> set[str]:
    return {each["name"] for each in found.warnings}


class TestRows:
    def test_the_price_paid_is_that_of_the_contract(self) -> None:
        found, (price,) = read(table(ROW))
        assert price.price_of_one == Decimal("0.08")
        assert (price.unit.measure, price.sku, price.price_code) == (
            "hour",
            "CPU-1",
            "CPU-1.P",
        )
        assert (price.effective, found.currency) == ("2026-09-01", "USD")
        assert found.warnings == ()

    def test_without_a_contract_it_is_that_of_the_list_and_said(self) -> None:
        found, (price,) = read(table(changed(ContractedUnitPrice="")))
        assert price.price == Decimal("0.105")
        assert warned(found) == {"list_prices"}

    @pytest.mark.parametrize(
        ("unit", "measure", "amount"),
        [
            ("Hour", "hour", 1),
            ("100 Hours", "hour", 100),
            ("Hrs", "hour", 1),
            ("Days", "hour", 24),
            ("Months", "month", 1),
            ("GB-Hours", "byte_hour", 10**9),
            ("GiB-Hours", "byte_hour", 2**30),
            ("GiB-Months", "byte_month", 2**30),
            ("TB-Months", "byte_month", 10**12),
            ("MiB-Days", "byte_hour", 24 * 2**20),
        ],
    )
    def test_units_of_focus(self, unit: str, measure: str, amount: int) -> None:
        found, (price,) = read(table(changed(PricingUnit=unit)))
        assert (price.unit.measure, price.unit.amount) == (measure, amount)
        assert found.units[0]["printed"] == unit
        is_decimal = unit.startswith(("GB", "TB"))
        assert ("gb_is_decimal" in warned(found)) is is_decimal

    @pytest.mark.parametrize(
        ("others", "reason"),
        [
            ({"PricingUnit": "GB-Mo"}, "powers of 10 or of 2"),
            ({"PricingUnit": "gb-hours"}, "powers of 10 or of 2"),
            ({"PricingUnit": "GB"}, "powers of 10 or of 2"),
            ({"PricingUnit": "1000 Tokens"}, "unknown"),
            ({"PricingUnit": "iB-Hours"}, "unknown"),
            ({"PricingUnit": ""}, "no pricing unit"),
            ({"ChargeCategory": "Tax"}, "charge category `Tax`"),
            ({"ChargeCategory": "Credit"}, "charge category `Credit`"),
            ({"ChargeClass": "Correction"}, "changes another charge"),
            ({"ContractedUnitPrice": "", "ListUnitPrice": ""}, "neither"),
            ({"ContractedUnitPrice": "-0.08"}, "`-0.08`"),
            ({"ContractedUnitPrice": "0,08"}, "comma"),
            ({"ContractedUnitPrice": "Not Applicable"}, "`Not Applicable`"),
            ({"BillingCurrency": "$"}, "currency"),
            ({"ChargePeriodStart": "09/01/2026"}, "ISO 8601"),
            # The price of a hundred hours, counted in hours.
            ({"ContractedUnitPrice": "8.00", "ContractedCost": "58.40"}, "in doubt"),
            ({"ListUnitPrice": "10.5", "ListCost": "76.65"}, "in doubt"),
        ],
    )
    def test_what_is_not_understood_stops_its_row_alone(
        self, others: dict[str, str], reason: str
    ) -> None:
        found, prices = read(table(changed(**others), ROW))
        assert [price.row for price in prices] == [3]
        assert reason in found.skipped[0]["reason"]

    def test_exponents_and_long_fractions_stay_exact(self) -> None:
        _, prices = read(
            table(
                changed(ContractedUnitPrice="35.2E-7"),
                changed(ContractedUnitPrice="0.12345678901234567"),
            )
        )
        assert [each.price for each in prices] == [
            Decimal("0.00000352"),
            Decimal("0.12345678901234567"),
        ]

    def test_rounded_costs_are_no_doubt(self) -> None:
        cent = {"ContractedUnitPrice": "0.0000004", "PricingQuantity": "3"}
        assert read(table(changed(**cent, ContractedCost="0.00")))[0].taken == 1

    def test_what_is_to_know_of_the_whole(self) -> None:
        row = changed(PricingCategory="Committed", SkuId="", SkuPriceId="")
        found, (price,) = read(table(row | {"x_Forecast": "true"}))
        assert warned(found) == {"committed", "forecast"}
        assert "1 row is marked as a forecast" in next(
            each["message"] for each in found.warnings if each["name"] == "forecast"
        )
        assert (price.sku, price.name) == ("", "an hour, of a machine")
        assert found.unresolved[0]["reason"] == "the row states no SkuId"

    @pytest.mark.parametrize(
        ("column", "version"),
        [
            ("Tags", "1.0"),
            ("SkuMeter", "1.1"),
            ("InvoiceId", "1.2"),
            ("ServiceProviderName", "1.3"),
        ],
    )
    def test_the_version_is_that_of_its_newest_column(
        self, column: str, version: str
    ) -> None:
        assert read(table(ROW | {column: ""}))[0].format_version == version


class TestFiles:
    def test_parquet(self) -> None:
        found, prices = read(PARQUET.read_bytes())
        assert [(each.sku, each.price) for each in prices] == [
            ("CPU-1", Decimal("0.08")),
            ("GP3", Decimal("0.0800")),
            ("PLAN", Decimal(0)),
        ]
        assert [each.unit.amount for each in prices] == [1, 2**30, 1]
        assert {each.effective for each in prices} == {"2026-09-01"}
        assert (found.format_version, found.read) == ("1.1", 4)
        assert {each["printed"] for each in found.units} == {"Hours", "GiB-Months"}
        assert "Credit" in found.skipped[0]["reason"]
        assert prices[1].name == "Volume size"

    def test_the_command(self, tmp_path: Path) -> None:
        found = answer("import", "prices", PARQUET, "--as", "focus")
        assert (found["format"], found["taken"]) == ("focus", 3)
        path = tmp_path / "bill.csv"
        path.write_bytes(table(ROW))
        assert answer("import", "prices", path)["currency"] == "USD"
        path.write_bytes(PARQUET.read_bytes()[:-1])
        done = run("import", "prices", path)
        assert done.returncode == 2
        assert "Parquet table is damaged" in done.stderr
        assert "tmp" not in done.stderr.replace(str(path), "")

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (
                table(
                    {"ChargeCategory": "", "ChargePeriodStart": "", "BilledCost": ""}
                ),
                "lacks",
            ),
            (
                table({k: v for k, v in ROW.items() if "UnitPrice" not in k}),
                "no price of a unit",
            ),
            (table(ROW)[:-2].replace(b"CPU-1.P", b'"CPU'), "not a table"),
            (table(ROW).replace(b"SkuId", b"SkuPriceId"), "named twice"),
            (b"PAR1PAR1", "Parquet"),
        ],
    )
    def test_files_that_are_refused(self, content: bytes, reason: str) -> None:
        with pytest.raises(BadInput, match=reason) as refused:
            read(content)
        assert refused.value.hint

    def test_our_own_forecast_states_no_price_of_a_unit(self) -> None:
        text = exports.focus_csv(advices.document(), "2026-11")
        with pytest.raises(BadInput, match="no price of a unit"):
            read(text.encode())


PRICE = st.decimals(0, 10**6, places=10).map(lambda each: format(each, "f"))
UNITS = {"Hours": 1, "GB-Hours": 10**9, "GiB-Months": 2**30, "10 Hours": 10}


@FEW
@given(st.lists(st.tuples(PRICE, st.sampled_from(list(UNITS)), st.integers(1, 10**6))))
def test_known_prices_come_back_exactly(rows: list[tuple[str, str, int]]) -> None:
    if not rows:
        return
    made = []
    for price, unit, quantity in rows:
        cost = format(Decimal(price) * quantity, "f")
        stated = {"PricingQuantity": str(quantity), "ContractedCost": cost}
        made.append(changed(ContractedUnitPrice=price, PricingUnit=unit, **stated))
    _, prices = read(table(*made))
    assert [(each.price, each.unit.amount) for each in prices] == [
        (Decimal(price), UNITS[unit]) for price, unit, _ in rows
    ]


def test_damaged_tables_are_read_or_refused() -> None:
    """Parquet is changed byte by byte; CSV with the other readers in `test_import_fuzz`."""
    chance = random.Random(19)
    whole = PARQUET.read_bytes()
    for _ in range(MANY or 60):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(4, len(content))] = chance.randrange(256)
        with contextlib.suppress(BadInput):
            read(bytes(content))
