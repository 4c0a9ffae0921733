"""An advice in the formats of other tools: no cent is lost, and no text is computed by a spreadsheet."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
import zipfile
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import advices
import pytest
from command import run

from tierwright.advise import advice, exports, scale
from tierwright.advise.advice.request import Candidates
from tierwright.advise.exports.focus import COLUMNS, OWN_COLUMNS
from tierwright.common.errors import BadInput
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
MANDATORY = (
    *("BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency"),
    *("BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass"),
    *("ChargeDescription", "ChargePeriodEnd", "ChargePeriodStart", "ContractedCost"),
    *("EffectiveCost", "InvoiceIssuerName", "ListCost", "PricingQuantity"),
    *("PricingUnit", "ProviderName", "PublisherName", "ServiceCategory", "ServiceName"),
)
"""Of FOCUS 1.2."""
NULL = {"ChargeClass", "RegionId"}
COSTS = ("BilledCost", "ContractedCost", "EffectiveCost", "ListCost")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def total(found: list[dict[str, str]], name: str) -> Decimal:
    return sum((Decimal(row[name]) for row in found), Decimal(0))


def check_focus(text: str) -> list[dict[str, str]]:
    """Our own check of the mandatory columns of FOCUS 1.2: no validator runs here."""
    found = rows(text)
    assert found
    names = list(found[0])
    assert set(MANDATORY) <= set(names)
    first_own = next(at for at, name in enumerate(names) if name.startswith("x_"))
    assert all(name.startswith("x_") for name in names[first_own:])
    for row in found:
        for name in (*MANDATORY, *COLUMNS):
            assert bool(row[name].strip()) is (name not in NULL) or name == "RegionId"
        assert row["ChargeCategory"] in ("Usage", "Purchase")
        assert row["ChargeFrequency"] in ("One-Time", "Recurring")
        assert row["ServiceCategory"] in ("Compute", "Storage", "Other")
        assert re.fullmatch(r"[A-Z]{3}", row["BillingCurrency"])
        for name in (*COSTS, "PricingQuantity"):
            assert re.fullmatch(r"[0-9]+(\.[0-9]+)?", row[name])
        for end in ("Start", "End"):
            for of in ("Billing", "Charge"):
                time = row[f"{of}Period{end}"]
                assert re.fullmatch(r"[0-9]{4}-[0-9]{2}-01T00:00:00Z", time)
        assert row["BillingPeriodStart"] < row["BillingPeriodEnd"]
        assert row["x_Forecast"] == "true"
        assert "forecast" in row["ChargeDescription"]
    return found


@cache
def of_volumes() -> str:
    recorded = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    curve = scale.answer(recorded, Production(2**40, 20_000.0)).profile.curve
    found = advice.answer(
        curve,
        candidates=Candidates(
            kinds=("volumes",),
            servers=("aws-r7i.4xlarge",),
            volumes=("aws-ebs-gp3",),
            max_machines=2,
        ),
        how_sure=False,
    )
    return json.dumps(found.to_dict())


class TestFocus:
    def test_over_the_horizon_it_is_the_bill(self) -> None:
        document = advices.document()
        best, months = document["recommendation"], document["horizon_months"]
        found = check_focus(exports.focus_csv(document, "2026-11", months=months))
        purchase, month = (
            Decimal(best[name]) for name in ("purchase_usd", "usd_per_month")
        )
        assert total(found, "BilledCost") == purchase  # nothing of it is rented
        assert total(found, "EffectiveCost") == months * month
        assert {row["BillingPeriodStart"] for row in found} == {
            f"{2026 + at // 12}-{at % 12 + 1:02}-01T00:00:00Z"
            for at in range(10, 10 + months)
        }
        bought = [row for row in found if row["ChargeCategory"] == "Purchase"]
        assert {row["BillingPeriodStart"] for row in bought} == {"2026-11-01T00:00:00Z"}
        assert total(bought, "EffectiveCost") == 0
        beyond = check_focus(exports.focus_csv(document, "2026-11", months=months + 5))
        assert total(beyond, "EffectiveCost") == total(found, "EffectiveCost")

    def test_what_is_rented(self) -> None:
        document = json.loads(of_volumes())
        best = document["recommendation"]
        found = check_focus(exports.focus_csv(document, "2026-12", months=2))
        month = Decimal(best["usd_per_month"])
        assert total(found, "BilledCost") == total(found, "EffectiveCost") == 2 * month
        servers = [row for row in found if row["ServiceCategory"] == "Compute"]
        assert {row["ServiceName"] for row in servers} == {"r7i.4xlarge"}
        assert {row["RegionId"] for row in servers} == {"us-east-1"}
        assert {row["ProviderName"] for row in found} == {"Amazon Web Services"}
        hours = {row["PricingQuantity"] for row in servers}
        assert hours == {str(730 * best["machines"])}
        units = {row["PricingUnit"] for row in found}
        assert {"Hours", "GiB-Months"} <= units

    def test_what_there_is_with_a_stated_spend(self) -> None:
        document = advices.document()
        document["option_zero"] |= {
            "bill": [],
            "usd_per_month": "100.50",
            "purchase_usd": "720",
        }
        found = check_focus(
            exports.focus_csv(document, "2026-12", months=2, option="today")
        )
        # 720 over 36 months are 20 of the 100.50.
        assert total(found, "BilledCost") == Decimal("881.00")
        assert total(found, "EffectiveCost") == Decimal("201.00")

    @pytest.mark.parametrize(
        "given",
        [
            {"first_month": "2026-13"},
            {"first_month": "12/2026"},
            {"first_month": "2026-12", "months": 0},
            {"first_month": "2026-12", "option": "other"},
            {"first_month": "2026-12", "account": " "},
        ],
    )
    def test_refusals(self, given: dict[str, Any]) -> None:
        with pytest.raises(BadInput) as refused:
            exports.focus_csv(advices.document(), **given)
        assert refused.value.hint

    @pytest.mark.parametrize(
        ("day", "month"),
        [
            ("2026-01-31", "2026-02"),
            ("2026-12-01", "2027-01"),
            ("0001-12-31", "0002-01"),
            ("9000-12-31", "9001-01"),
            ("9001-01-01", None),
            ("9999-12-31", None),
        ],
    )
    def test_the_month_after_a_day(self, day: str, month: str | None) -> None:
        if month is None:
            with pytest.raises(BadInput, match=day):
                exports.month_after(day)
            return
        assert exports.month_after(day) == month
        assert exports.focus_csv(advices.document(), month, months=1200)


class TestOpencost:
    COLUMNS = "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version"

    def test_nodes_and_volumes_add_up(self) -> None:
        document = json.loads(of_volumes())
        best = document["recommendation"]
        text = exports.opencost_csv(document)
        assert text.splitlines()[0] == self.COLUMNS
        node, disk = rows(text)
        assert (node["AssetClass"], node["InstanceType"]) == ("node", "r7i.4xlarge")
        assert node["Region"] == "us-east-1"
        assert (disk["AssetClass"], disk["InstanceID"]) == ("pv", "aws-ebs-gp3")
        [server] = [row for row in best["bill"] if row["kind"] == "server"]
        price = Decimal(node["MarketPriceHourly"])
        assert price.quantize(Decimal("0.0001")) == Decimal(server["unit_price"])
        size = sum(row["quantity"] for row in best["bill"] if row["kind"] == "capacity")
        both = (
            price * best["machines"]
            + Decimal(disk["MarketPriceHourly"]) * Decimal(str(size))
        ) * 730
        assert both == pytest.approx(
            Decimal(best["usd_per_month"]), abs=Decimal("0.01")
        )

    def test_a_cluster_finds_its_prices(self) -> None:
        """The rules of `csvprovider.go`: keys of rows in lower case, with the region where a row has one."""
        prices: dict[str, dict[str, str]] = {"node": {}, "pv": {}}
        fields = {}
        for row in rows(exports.opencost_csv(json.loads(of_volumes()))):
            region = row["Region"].lower() + "," if row["Region"] else ""
            key = region + row["InstanceID"].lower()
            prices[row["AssetClass"]][key] = row["MarketPriceHourly"]
            fields[row["AssetClass"]] = row["InstanceIDField"].split(".")
        labels = {
            "node.kubernetes.io/instance-type": "r7i.4xlarge",
            "topology.kubernetes.io/region": "us-east-1",
        }
        assert fields["node"][:2] == ["metadata", "labels"]
        kind = labels[".".join(fields["node"][2:])]
        region = labels["topology.kubernetes.io/region"]
        assert Decimal(prices["node"][f"{region},{kind}".lower()]) > 0
        assert fields["pv"] == ["spec", "storageClassName"]
        # Of a volume the reader does not change the case of the class.
        assert Decimal(prices["pv"]["aws-ebs-gp3"]) > 0

    def test_what_is_bought_is_spread_over_the_machine(self) -> None:
        document = advices.document()
        [node] = rows(exports.opencost_csv(document))
        best = document["recommendation"]
        month = Decimal(node["MarketPriceHourly"]) * 730 * best["machines"]
        assert month == pytest.approx(
            Decimal(best["usd_per_month"]), abs=Decimal("0.01")
        )
        assert node["Version"] == "forecast"


class TestPurchases:
    def hostile(self) -> dict[str, Any]:
        document = copy.deepcopy(advices.document())
        for one in (document["recommendation"], *document["pareto"]):
            for row in one["bill"]:
                row["note"] = "=HYPERLINK(1)"
        document["recommendation"]["bill"][0]["what"] = "@SUM(A1)"
        return document

    def test_the_list_is_the_bill(self) -> None:
        document = advices.document()
        found = rows(exports.purchases_csv(document))
        best = document["recommendation"]
        assert total(found, "at purchase [USD]") == Decimal(best["purchase_usd"])
        assert total(found, "per month [USD]") == Decimal(best["usd_per_month"])
        assert [row["position"] for row in found] == ["1", "2", "3"]

    def test_no_text_becomes_a_formula(self) -> None:
        document = self.hostile()
        for text in (
            exports.purchases_csv(document),
            exports.focus_csv(document, "2026-12"),
        ):
            for row in rows(text):
                assert not any(
                    cell.startswith(("=", "+", "-", "@")) for cell in row.values()
                )
        book = exports.purchases_workbook(document)
        assert exports.purchases_workbook(document) == book
        with zipfile.ZipFile(io.BytesIO(book)) as archive:
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
            strings = archive.read("xl/sharedStrings.xml").decode()
        assert "<f>" not in sheet
        assert "@SUM(A1)" in strings
        assert "=HYPERLINK(1)" in strings


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "advice.json"
        path.write_text(advices.advised(), encoding="utf-8")
        return path

    def test_each_is_printed_or_written(self, file: Path, tmp_path: Path) -> None:
        done = run("export", "focus", file, "--first-month", "2026-12")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.split("\r\n")[0] == ",".join((*COLUMNS, *OWN_COLUMNS))
        check_focus(done.stdout)
        out = tmp_path / "prices.csv"
        assert run("export", "opencost", file, "-o", out).returncode == 0
        assert out.read_bytes().endswith(b"\r\n")
        for name in ("list.csv", "list.xlsx"):
            made = tmp_path / name
            assert run("export", "purchases", file, "-o", made).returncode == 0
            assert made.stat().st_size > 100
        bad = run("export", "purchases", file, "-o", tmp_path / "list.doc")
        assert bad.returncode == 2
        assert "hint:" in bad.stderr

    def test_the_next_month_unless_stated(self, file: Path) -> None:
        found = check_focus(run("export", "focus", file).stdout)
        import datetime

        now = datetime.datetime.now(datetime.UTC).date().isoformat()
        assert found[0]["BillingPeriodStart"] > now

    def test_nothing_recommended_is_3_and_no_advice_is_2(self, tmp_path: Path) -> None:
        none = tmp_path / "none.json"
        none.write_text(advices.advised(feasible=False), encoding="utf-8")
        for name in ("focus", "opencost", "purchases"):
            done = run("export", name, none)
            assert done.returncode == 3
            assert "no option keeps every limit" in done.stderr
            assert run("export", name, none, "--option", "today").returncode == 0
        other = tmp_path / "other.json"
        other.write_text("{}", encoding="utf-8")
        assert run("export", "focus", other).returncode == 2
