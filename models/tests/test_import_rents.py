"""Rents of instances and volumes in price books of imported lists, and what the advisor makes of them."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from advice_cases import curve, recorded
from command import answer
from hypothesis import given
from hypothesis import strategies as st
from test_import_prices import GP3, azure, dimension, offer, term

from tierwright.advise import advice, bill
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates
from tierwright.advise.exports.focus import focus_csv
from tierwright.advise.exports.opencost import opencost_csv
from tierwright.common.currency import ExchangeRate
from tierwright.common.errors import BadInput
from tierwright.hardware.build import build_from_mapping
from tierwright.hardware.imports.books import BookMaker, MadeBook, changed_prices
from tierwright.hardware.imports.mapping import mapping_of
from tierwright.hardware.imports.readers import PRICES, read_rows
from tierwright.hardware.prices import PriceBook, price_book_from_mapping
from tierwright.hardware.rents import servers_at
from tierwright.hardware.servers import server

TYPE = "i4i.4xlarge"
INSTANCE = f"aws-{TYPE}"
PLAIN = {
    "instanceType": TYPE,
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "licenseModel": "No License required",
    "marketoption": "OnDemand",
    "regionCode": "eu-central-1",
}


def machine(**changed: str) -> dict[str, Any]:
    return {
        "productFamily": changed.pop("family", "Compute Instance"),
        "attributes": {
            name: text for name, text in {**PLAIN, **changed}.items() if text
        },
    }


def charge(family: str) -> dict[str, Any]:
    return {
        "productFamily": family,
        "attributes": {"volumeApiName": "gp3", "regionCode": "eu-central-1"},
    }


VOLUME_PRODUCTS = {
    GP3: charge("Storage"),
    "IOPS": charge("System Operation"),
    "TPUT": charge("Provisioned Throughput"),
}
VOLUME_TERMS = {
    GP3: term(GP3, dimension("GB-Mo", "0.0952")),
    "IOPS": term(
        "IOPS",
        dimension("IOPS-Mo", "0", endRange="3000"),
        dimension("IOPS-Mo", "0.0060", beginRange="3000"),
    ),
    "TPUT": term("TPUT", dimension("GiBps-mo", "48.7424")),
}


def listed(products: dict[str, Any], terms: dict[str, Any]) -> bytes:
    document = offer(terms)
    return json.dumps({**document, "products": products}).encode()


def book(
    content: bytes,
    *told: dict[str, Any],
    rates: tuple[ExchangeRate, ...] = (),
    region: str = "",
) -> MadeBook:
    maker = BookMaker(mapping_of(list(told), "mapping"), region, "2026-12-31")
    found = read_rows(io.BytesIO(content), "list", PRICES, maker.add)
    return maker.made(found, "ours", rates)


def rents(made: MadeBook | PriceBook) -> dict[str, Decimal]:
    of = made.book if isinstance(made, MadeBook) else made
    return {f"{each.item} {each.figure}": each.usd for each in of.rents}


def reasons(made: MadeBook) -> dict[str, str]:
    return {each.name: each.reason for each in made.left}


def with_gp3(**products: dict[str, Any]) -> bytes:
    """Return a list of the charges of gp3 and of some instances, each at 1 and so on an hour."""
    terms = {
        sku: term(sku, dimension("Hrs", str(at))) for at, sku in enumerate(products, 1)
    }
    return listed({**VOLUME_PRODUCTS, **products}, {**VOLUME_TERMS, **terms})


class TestRules:
    def test_a_plain_instance_is_the_one_of_its_name(self) -> None:
        made = book(with_gp3(VM=machine()))
        assert rents(made)[f"{INSTANCE} usd_per_hour"] == 1
        [rent] = [each for each in made.book.rents if each.kind == "instance"]
        assert (rent.region, rent.date) == ("eu-central-1", "2023-03-01")
        assert rent.source == "imported price list, SKU VM"

    @pytest.mark.parametrize(
        "changed",
        [
            {"operatingSystem": "Windows"},
            {"operatingSystem": "RHEL"},
            {"tenancy": "Dedicated"},
            {"preInstalledSw": "SQL Std"},
            {"capacitystatus": "AllocatedCapacityReservation"},
            {"licenseModel": "Bring your own license"},
            {"marketoption": "CapacityBlock"},
            {"tenancy": ""},
            {"family": "Compute Instance (bare metal)"},
            {"instanceType": "i4i.nothing"},
        ],
    )
    def test_any_other_product_of_the_type_is_not(
        self, changed: dict[str, str]
    ) -> None:
        made = book(with_gp3(VM=machine(), OTHER=machine(**changed)))
        assert rents(made)[f"{INSTANCE} usd_per_hour"] == 1
        assert reasons(made)["OTHER"].startswith("neither an exact rule")

    def test_older_files_state_no_market(self) -> None:
        made = book(with_gp3(VM=machine(marketoption="")))
        assert rents(made)[f"{INSTANCE} usd_per_hour"] == 1

    def test_the_price_of_a_term_is_not_that_of_an_hour(self) -> None:
        content = json.loads(with_gp3(VM=machine()))
        content["terms"]["Reserved"] = {
            "VM": term("VM", dimension("Quantity", "1000"), code="NO1")
        }
        made = book(json.dumps(content).encode())
        assert rents(made)[f"{INSTANCE} usd_per_hour"] == 1
        assert made.left_count == 2  # The reservation, and the allowance of IOPS.

    def test_csv_states_the_same(self) -> None:
        names = (
            *("SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription"),
            *("EffectiveDate", "StartingRange", "EndingRange", "Unit"),
            *("PricePerUnit", "Currency", "Product Family", "Region Code"),
            *("Instance Type", "Operating System", "Tenancy", "Pre Installed S/W"),
            *("CapacityStatus", "License Model", "MarketOption"),
        )
        shared = ("JRT", "r", "OnDemand", "", "2026-03-01", "0", "Inf", "Hrs")
        rows = [
            (
                *(sku, *shared, usd, "USD", "Compute Instance", "us-east-1", TYPE),
                *(system, "Shared", "NA", "Used", "No License required", "OnDemand"),
            )
            for sku, usd, system in (
                ("VM", "1.50", "Linux"),
                ("WIN", "2.50", "Windows"),
            )
        ]
        head = (
            '"FormatVersion","v1.0"\n"Disclaimer","x"\n"Publication Date","2026-03-02"\n'
            '"Version","1"\n"OfferCode","AmazonEC2"\n'
        )
        table = "\n".join(
            ",".join(f'"{cell}"' for cell in each) for each in (names, *rows)
        )
        made = book((head + table + "\n").encode())
        assert rents(made) == {f"{INSTANCE} usd_per_hour": Decimal("1.5")}
        assert list(reasons(made)) == ["WIN"]

    def test_a_volume_is_its_three_charges_each_in_its_unit(self) -> None:
        made = book(with_gp3())
        assert rents(made) == {
            "aws-ebs-gp3 usd_per_gib_month": Decimal("0.0952"),
            "aws-ebs-gp3 usd_per_iops_month": Decimal("0.006"),
            # 48.7424 for a GiB/s are 1,024 MiB/s.
            "aws-ebs-gp3 usd_per_mb_per_s_month": Decimal("0.0476"),
        }
        assert reasons(made) == {"IOPS": "is the allowance that the volume includes"}
        assert {each.device_id for each in made.book.prices} == {
            "aws-ebs-gp3-baseline",
            "aws-ebs-gp3-max",
        }

    def test_another_allowance_than_that_of_the_volume_is_a_tier(self) -> None:
        other = {
            **VOLUME_TERMS,
            "IOPS": term(
                "IOPS",
                dimension("IOPS-Mo", "0", endRange="5000"),
                dimension("IOPS-Mo", "0.0060", beginRange="5000"),
            ),
        }
        made = book(listed(VOLUME_PRODUCTS, other))
        assert made.open_volumes == {"aws-ebs-gp3": "IOPS"}

    @pytest.mark.parametrize(
        ("lacks", "said"),
        [("IOPS", "IOPS"), ("TPUT", "throughput"), (GP3, "capacity")],
    )
    def test_a_volume_that_is_priced_in_part_is_not_in_the_book(
        self, lacks: str, said: str
    ) -> None:
        terms = {
            **{sku: one for sku, one in VOLUME_TERMS.items() if sku != lacks},
            "VM": term("VM", dimension("Hrs", "1")),
        }
        made = book(listed({**VOLUME_PRODUCTS, "VM": machine()}, terms))
        assert list(rents(made)) == [f"{INSTANCE} usd_per_hour"]
        assert made.open_volumes == {"aws-ebs-gp3": said}
        assert f"the list has no one price of its {said}" in made.finding
        assert book(with_gp3(VM=machine())).open_volumes == {}

    def test_of_several_regions_one_must_be_named(self) -> None:
        content = with_gp3(VM=machine(), FAR=machine(regionCode="us-east-1"))
        made = book(content)
        assert f"{INSTANCE} usd_per_hour" not in rents(made)
        assert "state the region" in reasons(made)["FAR"]
        assert rents(book(content, region="us-east-1")) == {
            f"{INSTANCE} usd_per_hour": 2
        }

    @pytest.mark.parametrize(
        "changed",
        [
            {"productName": "Virtual Machines Ebdsv5 Series Windows"},
            {"skuName": "E16bds v5 Spot", "meterName": "E16bds v5 Spot"},
            {"skuName": "E16bds v5 Low Priority"},
            {"type": "DevTestConsumption"},
            {"serviceName": "Cloud Services"},
        ],
    )
    def test_a_virtual_machine_of_azure(self, changed: dict[str, Any]) -> None:
        plain = {
            "currencyCode": "USD",
            "tierMinimumUnits": 0.0,
            "retailPrice": 1.176,
            "unitPrice": 1.176,
            "armRegionName": "westeurope",
            "effectiveStartDate": "2024-08-01T00:00:00Z",
            "meterId": "m-1",
            "meterName": "E16bds v5",
            "skuId": "s-1",
            "productName": "Virtual Machines Ebdsv5 Series",
            "skuName": "E16bds v5",
            "serviceName": "Virtual Machines",
            "serviceFamily": "Compute",
            "unitOfMeasure": "1 Hour",
            "type": "Consumption",
            "armSkuName": "Standard_E16bds_v5",
        }
        other = {**plain, "skuId": "s-2", "meterId": "m-2", "retailPrice": 9.0}
        other = {**other, "unitPrice": 9.0, **changed}
        made = book(azure(plain, other))
        assert rents(made) == {"azure-e16bds_v5 usd_per_hour": Decimal("1.176")}
        assert list(reasons(made)) == ["s-2"]


class TestMapping:
    """What no rule states, the mapping may."""

    def test_skus_of_an_instance_and_of_a_volume(self) -> None:
        text = (
            "sku,region,date,currency,price,price_per,unit\n"
            "CORE,r1,2026-10-01,USD,730,,MON\n"
            "PD,r1,2026-10-01,USD,0.17,,GiB-Months\n"
            "P4,r1,2026-10-01,USD,6.40,,MON\n"
        )

        def told(sku: str, kind: str, item: str) -> dict[str, Any]:
            return {"part_number": sku, "is": [{"kind": kind, "item": item}]}

        made = book(
            text.encode(),
            told("CORE", "instance", "gcp-n2-highmem-16"),
            told("PD", "volume", "gcp-pd-ssd"),
            told("P4", "volume", "azure-premium-p4"),
        )
        assert rents(made) == {
            "gcp-n2-highmem-16 usd_per_hour": 1,
            "gcp-pd-ssd usd_per_gib_month": Decimal("0.17"),
            # A disk of 32 GiB is one piece.
            "azure-premium-p4 usd_per_gib_month": Decimal("0.2"),
        }

    def test_another_currency_is_kept_and_converted(self) -> None:
        text = (
            "sku,date,currency,price,unit,kind,item\n"
            f"X,2026-10-01,EUR,0.88,HUR,instance,{INSTANCE}\n"
        )
        rate = ExchangeRate("EUR", Decimal("0.88"), "2026-09-30", "stated")
        made = book(text.encode(), rates=(rate,))
        [rent] = made.book.rents
        assert (rent.usd, rent.stated) == (1, Decimal("0.88"))
        assert price_book_from_mapping(made.book.to_dict()) == made.book


@given(
    amount=st.decimals("0.000001", "9999", places=6, allow_nan=False),
    per=st.sampled_from([1, 10, 100, 1000]),
    unit=st.sampled_from(["HUR", "MON"]),
)
def test_a_rent_is_never_off_by_a_unit(amount: Decimal, per: int, unit: str) -> None:
    """A generated list against the rule in words: a month has 730 hours, a price is of `price_per` units."""
    text = (
        "sku,date,currency,price,price_per,unit,kind,item\n"
        f"X,2026-10-01,USD,{amount:f},{per},{unit},instance,{INSTANCE}\n"
    )
    hours = Fraction(730 if unit == "MON" else 1)
    truth = Fraction(amount) / per / hours
    if truth < Fraction(1, 10**12):
        return
    [rent] = book(text.encode()).book.rents
    assert abs(Fraction(rent.usd) - truth) <= Fraction(1, 2 * 10**12)


class TestBooks:
    def test_a_newer_book_lists_what_changed(self) -> None:
        before = book(with_gp3(VM=machine())).book
        after = book(with_gp3(OTHER=machine(family="x"), VM=machine())).book
        assert changed_prices(before, after) == [
            {
                "what": f"{INSTANCE}, rent",
                "before": "1 USD/hour",
                "after": "2 USD/hour",
            }
        ]

    @pytest.mark.parametrize(
        ("entry", "said"),
        [
            ({"instance": "nothing", "usd_per_hour": "1"}, "not the id of a shipped"),
            ({"instance": INSTANCE, "usd_per_gib_month": "1"}, "not one of the rents"),
            ({"instance": INSTANCE, "usd_per_hour": "0"}, "above 0"),
            ({"instance": INSTANCE, "per_hour": "1"}, "write `usd_per_hour`"),
            ({"instance": INSTANCE}, "exactly one of"),
            ({"usd_per_hour": "1"}, "exactly one of"),
            ({"instance": INSTANCE, "usd_per_hour": "1", "x": 1}, "unknown key"),
        ],
    )
    def test_what_a_book_refuses(self, entry: dict[str, Any], said: str) -> None:
        data = {"id": "b", "name": "b", "date": "2026-10-01", "prices": []}
        with pytest.raises(BadInput, match=said):
            price_book_from_mapping({**data, "rents": [{**entry, "source": "s"}]})
        good = {"instance": INSTANCE, "usd_per_hour": "1", "source": "s"}
        with pytest.raises(BadInput, match="states a rent twice"):
            price_book_from_mapping({**data, "rents": [good, good]})

    def test_a_config_with_rents_is_billed_at_them(self) -> None:
        made = book(with_gp3(VM=machine())).book
        entries = [each.in_dollars() for each in made.rents]
        build = build_from_mapping({"server": INSTANCE, "rent": entries})
        assert build.server is not None
        assert (build.server.usd_per_hour, build.server.region) == (1, "eu-central-1")
        assert servers_at(made.rents)[INSTANCE] == build.server
        assert server(INSTANCE).usd_per_hour != 1


def advised(of: PriceBook | None, *servers: str) -> Advice:
    candidates = Candidates(
        kinds=("instances", "volumes"), servers=servers or None, providers=("aws",)
    )
    return advice.answer(curve(), prices=of, candidates=candidates, how_sure=False)


def rented(**stated: str) -> PriceBook:
    """Return a book of rents alone: USD per hour by the family and size of an instance of AWS."""
    data = {"id": "b", "name": "b", "date": "2026-10-01", "prices": []}
    entries = [
        {
            "instance": f"aws-{name.replace('_', '.')}",
            "usd_per_hour": usd,
            "source": "our contract",
            "date": "2026-10-01",
        }
        for name, usd in stated.items()
    ]
    return price_book_from_mapping({**data, "rents": entries})


class TestAdvice:
    def test_the_choice_follows_the_rent_of_the_book(self) -> None:
        pair = (INSTANCE, "aws-i7i.4xlarge")
        cheap = advised(rented(i4i_4xlarge="0.01", i7i_4xlarge="5"), *pair)
        dear = advised(rented(i4i_4xlarge="5", i7i_4xlarge="0.01"), *pair)
        assert cheap.recommendation is not None
        assert dear.recommendation is not None
        assert cheap.recommendation.server == INSTANCE
        assert dear.recommendation.server == "aws-i7i.4xlarge"

    def test_its_bill_says_where_the_rent_is_from_and_can_be_made_again(self) -> None:
        best = advised(rented(i4i_4xlarge="0.01"), INSTANCE).recommendation
        assert best is not None
        [line] = [each for each in best.bill if each["kind"] == "server"]
        assert (line["unit_price"], line["date"]) == ("0.01", "2026-10-01")
        assert (line["source"], line["note"]) == ("our contract", "730 hours a month")
        again = bill.answer(build_from_mapping(best.config))
        assert again.usd_per_month == best.usd_per_month

    def test_charges_of_a_volume_are_those_of_the_book(self) -> None:
        made = book(with_gp3(VM=machine())).book
        found = advised(made, INSTANCE)
        options = [found.recommendation, *found.alternatives, *found.pareto]
        units = {
            (each["what"], each["unit_price"])
            for option in options
            if option is not None
            for each in option.bill
            if str(each["what"]).startswith("aws-ebs-gp3")
        }
        prices = dict(units)
        assert len(prices) == len(units), "one price each"
        assert prices["aws-ebs-gp3, capacity"] == "0.0952"
        assert set(prices.values()) <= {"0.0952", "0.006", "0.0476"}

    def test_exports_name_the_region_of_the_book(self) -> None:
        made = book(with_gp3(VM=machine())).book
        document = advised(made, INSTANCE).to_dict()
        for text in (focus_csv(document, "2026-11"), opencost_csv(document)):
            [line] = [each for each in text.splitlines() if TYPE in each]
            assert "eu-central-1" in line
            assert "us-east-1" not in line
        shipped = advised(None, INSTANCE).to_dict()
        assert "us-east-1" in opencost_csv(shipped)

    def test_candidates_of_two_lists_are_said_and_those_of_one_are_not(self) -> None:
        of = rented(i4i_4xlarge="1")

        def said(*servers: str) -> list[str]:
            wanted = Candidates(kinds=("instances",), servers=servers)
            found = advice.answer(curve(), prices=of, candidates=wanted, how_sure=False)
            return [
                each.message
                for each in found.warnings
                if each.name == "rents_of_two_lists"
            ]

        [message] = said(INSTANCE, "aws-i7i.4xlarge")
        assert "1 instance or volume is rented at the price book `b`, and 1 " in message
        assert said(INSTANCE) == []
        assert said("aws-i7i.4xlarge") == []

    def test_rents_of_others_change_nothing(self) -> None:
        other = rented(i7i_4xlarge="0.01")
        without = replace(other, rents=())
        names = [
            [each.usd_per_month for each in (found.recommendation, *found.alternatives)]
            for found in (advised(other, INSTANCE), advised(without, INSTANCE))
            if found.recommendation is not None
        ]
        assert names[0] == names[1]
        assert "rents" not in without.to_dict()

    def test_the_command_takes_the_book_that_an_import_wrote(
        self, tmp_path: Path
    ) -> None:
        offered, written = tmp_path / "index.json", tmp_path / "book.json"
        offered.write_bytes(with_gp3(VM=machine()))
        found = answer("import", "prices", offered, "--book", written)
        assert len(found["price_book"]["rents"]) == 4
        profile, wanted = tmp_path / "profile.json", tmp_path / "candidates.json"
        profile.write_text(json.dumps(recorded().to_dict()))
        wanted.write_text(json.dumps({"kinds": ["instances"], "servers": [INSTANCE]}))
        advised_ = answer(
            *("advise", profile, "--candidates", wanted, "--price-book", written)
        )
        [line] = [
            each
            for each in advised_["recommendation"]["bill"]
            if each["kind"] == "server"
        ]
        assert (line["unit_price"], line["source"]) == (
            "1",
            "imported price list, SKU VM",
        )
