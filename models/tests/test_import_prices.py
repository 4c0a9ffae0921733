"""Price lists of providers: known prices come back exactly, in bounded memory, and no unit is guessed."""

from __future__ import annotations

import contextlib
import copy
import csv
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import aws, json_stream
from tierwright.hardware.imports.ledger import MOST_LISTED, Imported
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.imports.readers import PRICES, read_rows
from tierwright.hardware.imports.source import Source

MANY = int(os.environ.get("TIERWRIGHT_FUZZ_EXAMPLES", "0"))
FEW = settings(
    max_examples=MANY or 25,
    derandomize=not MANY,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
GP3 = "M6UGCCQ3CDJQAA37"
COLUMNS = [
    *("SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription"),
    *("EffectiveDate", "StartingRange", "EndingRange", "Unit", "PricePerUnit"),
    *("Currency", "LeaseContractLength", "Product Family", "Region Code"),
    *("Instance Type", "Volume API Name", "usageType"),
]


def dimension(unit: str, price: str, **others: Any) -> dict[str, Any]:
    tier = {"beginRange": "0", "endRange": "Inf"}
    return {"unit": unit, **tier, "pricePerUnit": {"USD": price}, **others}


def term(
    sku: str, *dimensions: dict[str, Any], code: str = "JRTCKXETXF"
) -> dict[str, Any]:
    return {
        f"{sku}.{code}": {
            "offerTermCode": code,
            "sku": sku,
            "effectiveDate": "2023-03-01T00:00:00Z",
            "priceDimensions": {
                f"{sku}.{code}.{at}": {"rateCode": f"{sku}.{code}.{at}", **each}
                for at, each in enumerate(dimensions)
            },
            "termAttributes": {},
        }
    }


def product(sku: str, family: str, **attributes: str) -> dict[str, Any]:
    return {"sku": sku, "productFamily": family, "attributes": attributes}


def offer(
    on_demand: dict[str, Any], *, code: str = "AmazonEC2", **others: Any
) -> dict[str, Any]:
    return {
        "formatVersion": "v1.0",
        "disclaimer": "for tests",
        "offerCode": code,
        "version": "20230301000000",
        "publicationDate": "2023-03-02T10:00:00Z",
        "products": {
            sku: product(sku, "Storage", regionCode="us-east-2", volumeApiName="gp3")
            for sku in on_demand
        },
        "terms": {"OnDemand": on_demand, **others},
        "attributesList": {},
    }


SAMPLE = offer(
    {
        GP3: term(GP3, dimension("GB-Mo", "0.0800000000")),
        "IOPS": term(
            "IOPS",
            dimension("IOPS-Mo", "0.0000000000", endRange="3000"),
            dimension("IOPS-Mo", "0.0050000000", beginRange="3000"),
        ),
        "TPUT": term("TPUT", dimension("GiBps-mo", "40.9600000000")),
        "VM": term("VM", dimension("Hrs", "0.1920000000")),
    },
    Reserved={
        "VM": term(
            "VM", dimension("Quantity", "1000"), dimension("Hrs", "0"), code="NO1"
        )
    },
)


def as_csv(document: dict[str, Any]) -> bytes:
    """Write an offer as the CSV that is published of it."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    for name, key in (
        ("FormatVersion", "formatVersion"),
        ("Disclaimer", "disclaimer"),
        ("Publication Date", "publicationDate"),
        ("Version", "version"),
        ("OfferCode", "offerCode"),
    ):
        writer.writerow([name, document[key]])
    writer.writerow(COLUMNS)
    for kind, by_sku in document["terms"].items():
        for sku, terms in by_sku.items():
            for each in terms.values():
                for code, rate in each["priceDimensions"].items():
                    ((currency, price),) = rate["pricePerUnit"].items()
                    writer.writerow(
                        [
                            *(sku, each["offerTermCode"], code, kind, ""),
                            each["effectiveDate"][:10],
                            *(rate["beginRange"], rate["endRange"], rate["unit"]),
                            *(
                                price,
                                currency,
                                "",
                                "Storage",
                                "us-east-2",
                                "",
                                "gp3",
                                "",
                            ),
                        ]
                    )
    return out.getvalue().encode()


def read(content: bytes) -> tuple[Imported, list[Price]]:
    prices: list[Price] = []
    found = read_rows(io.BytesIO(content), "given", PRICES, prices.append, name="aws")
    assert found.taken == len(prices)
    assert found.read == found.taken + len(found.skipped)
    return found, prices


def changed(**others: Any) -> bytes:
    return json.dumps({**SAMPLE, **others}).encode()


def with_rate(**rate: Any) -> bytes:
    return json.dumps(
        offer(
            {
                GP3: term(
                    GP3, {**dimension("GB-Mo", "0.08"), **rate}, dimension("Hrs", "1")
                )
            }
        )
    ).encode()


class TestSample:
    @pytest.mark.parametrize("form", ["json", "csv"])
    def test_prices_of_gp3_are_of_the_right_unit(self, form: str) -> None:
        content = json.dumps(SAMPLE).encode() if form == "json" else as_csv(SAMPLE)
        found, prices = read(content)
        storage, free, iops, throughput, hour, upfront, reserved = prices
        assert storage.price_of_one * 2**30 == Decimal("0.08")
        assert (storage.unit.measure, storage.name) == ("byte_month", "gp3")
        assert (storage.region, storage.family) == ("us-east-2", "Storage")
        assert throughput.price_of_one * 2**20 == Decimal("0.04")
        assert [iops.price, iops.begin, iops.end] == [Decimal("0.005"), 3000, None]
        assert free.is_free_allowance
        assert not reserved.is_free_allowance
        assert (hour.term_type, upfront.term_type) == ("OnDemand", "Reserved")
        assert upfront.unit.measure == "term"
        assert found.format_version == "v1.0"
        assert found.currency == "USD"
        assert found.dates == {
            "published": "2023-03-02",
            "effective_first": "2023-03-01",
            "effective_last": "2023-03-01",
            "valid_until": None,
        }
        assert [each["name"] for each in found.warnings] == ["free_allowances"]
        assert {
            "printed": "GB-Mo",
            "understood": "price of 1 GiB (2^30 bytes) for 1 month (its hours are not stated)",
        } in found.units
        assert (found.skipped, found.unresolved) == ((), ())

    def test_both_forms_hold_the_same_prices(self) -> None:
        def known(price: Price) -> tuple[Any, ...]:
            return (
                price.sku,
                price.price_code,
                price.term_type,
                price.unit,
                price.begin,
            )

        by_json = {
            known(each): each.price for each in read(json.dumps(SAMPLE).encode())[1]
        }
        assert by_json == {known(each): each.price for each in read(as_csv(SAMPLE))[1]}

    @pytest.mark.parametrize("indent", [None, 2])
    @pytest.mark.parametrize("piece", [1, 7, 2**18])
    def test_where_a_piece_ends_changes_nothing(
        self, indent: int | None, piece: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        content = json.dumps(
            SAMPLE | {"é": [12, 1.5, None]}, indent=indent, ensure_ascii=False
        )
        whole = read(content.encode())
        monkeypatch.setattr(json_stream, "PIECE_BYTES", piece)
        assert read(content.encode()) == whole


class TestRows:
    @pytest.mark.parametrize(
        ("rate", "reason"),
        [
            ({"unit": "GB"}, "unit `GB` is unknown"),
            ({"unit": "Quantity"}, "unit `Quantity` is unknown"),
            ({"unit": ""}, "no unit"),
            ({"pricePerUnit": {"USD": "1", "CNY": "7"}}, "2 currencies"),
            ({"pricePerUnit": {}}, "no price"),
            ({"pricePerUnit": {"USD": "0,08"}}, "comma"),
            ({"pricePerUnit": {"USD": "-1"}}, "plain decimal"),
            ({"pricePerUnit": {"usd": "1"}}, "currency `usd`"),
            ({"beginRange": "5", "endRange": "5"}, "before it begins"),
            ({"endRange": "much"}, "end of the tier"),
        ],
    )
    def test_what_is_not_understood_stops_its_row_alone(
        self, rate: dict[str, Any], reason: str
    ) -> None:
        found, prices = read(with_rate(**rate))
        assert [price.row for price in prices] == [f"{GP3}.JRTCKXETXF.1"]
        assert found.skipped[0]["row"] == f"{GP3}.JRTCKXETXF.0"
        assert reason in found.skipped[0]["reason"]

    def test_a_gigabyte_of_another_offer_is_not_guessed(self) -> None:
        document = offer({GP3: term(GP3, dimension("GB-Mo", "1"))}, code="AmazonOther")
        for content in (json.dumps(document).encode(), as_csv(document)):
            assert "10^9 or 2^30" in read(content)[0].skipped[0]["reason"]

    def test_the_ranges_of_the_documentation_are_read_too(self) -> None:
        rate = {"unit": "Hrs", "startingRange": "10", "endingRange": "20"}
        content = offer({GP3: term(GP3, {**rate, "pricePerUnit": {"USD": "1"}})})
        (price,) = read(json.dumps(content).encode())[1]
        assert [price.begin, price.end] == [10, 20]

    def test_other_terms_are_left_out(self) -> None:
        found, _ = read(changed(terms={"FlatRate": SAMPLE["terms"]["OnDemand"]}))
        assert (found.taken, found.read) == (0, 5)
        assert "FlatRate" in found.skipped[0]["reason"]

    def test_what_has_no_partner_is_unresolved(self) -> None:
        document = copy.deepcopy(SAMPLE)
        document["products"]["ALONE"] = product("ALONE", "Storage")
        del document["products"]["TPUT"]
        found, prices = read(json.dumps(document).encode())
        assert [each["name"] for each in found.unresolved] == ["TPUT", "ALONE"]
        assert next(each for each in prices if each.sku == "TPUT").family == ""

    def test_rows_left_out_are_counted_beyond_those_listed(self) -> None:
        rates = [dimension("GB", "1")] * (MOST_LISTED + 5)
        found = read_rows(
            io.BytesIO(json.dumps(offer({GP3: term(GP3, *rates)})).encode()),
            "given",
            PRICES,
            lambda _: None,
        )
        assert (found.read, len(found.skipped)) == (MOST_LISTED + 5, MOST_LISTED)
        assert "1,005 rows were left out" in found.warnings[0]["message"]


class TestRefused:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"{", "a key"),
            (changed()[:-1], "`,` is expected"),
            (changed() + b"x", "follows"),
            (changed()[:-200], "is expected|Unterminated|delimiter"),
            (changed(products=[]), "`{` is expected"),
            (changed(version=float("nan")), "`NaN`"),
            (b'{"formatVersion": "v1", "terms": {}}', "before its products"),
            (b'{"products": {}}', "no `terms`"),
            (b'{"products": {}, "products": {}}', "stated twice"),
            (b'{"products": {"a": {"b": 1, "b": 2}}}', "stated twice"),
            (b'{"products": {"a": {}, "a": {}}}', "stated twice"),
            (b'{"products": {"' + b"a" * 99 + b'": {}}}', "more than 64"),
            (b'{"x": ' + b"[" * 200_000, "deeply"),
            (b'{"x": "' + b"a" * 2**23 + b'"}', "4,194,304 characters"),
            (b'{"x": "\xff"}', "not UTF-8"),
            (as_csv(SAMPLE).partition(b"\n")[2], "metadata|begin"),
            (as_csv(SAMPLE).replace(b'"Unit"', b'"Units"'), "`Unit` 0 times"),
            (as_csv(SAMPLE)[:-3], "not a table"),
            (as_csv(SAMPLE).replace(b"gp3", b"\xff"), "not UTF-8"),
            (as_csv(SAMPLE) + b"a" * 2**20, "characters"),
            (as_csv(SAMPLE) + b'"\n' + b'","\n' * 2**19, "characters"),
        ],
    )
    def test_files_that_are_refused(self, content: bytes, reason: str) -> None:
        with pytest.raises(BadInput, match=reason) as refused:
            read(content)
        assert refused.value.hint

    def test_too_many_products(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(aws, "MOST_PRODUCTS", 3)
        with pytest.raises(BadInput, match="more than 3 products"):
            read(json.dumps(SAMPLE).encode())


class TestCommand:
    def test_an_offer_file(self, tmp_path: Path) -> None:
        path = tmp_path / "index.json"
        path.write_bytes(json.dumps(SAMPLE).encode())
        found = answer("import", "prices", path)
        assert (found["format"], found["read"], found["taken"]) == ("aws", 7, 7)
        assert answer("import", "prices", path, "--as", "aws") == found

    @pytest.mark.parametrize("name", ["azure", "csv"])
    def test_formats_that_are_not_read(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "index.json"
        path.write_bytes(b"{}")
        assert run("import", "prices", path, "--as", name, "--json").returncode == 2
        assert "is of no known format" in run("import", "prices", path).stderr


class Offer(io.RawIOBase):
    """An offer file of a stated size that exists nowhere."""

    def __init__(self, most_bytes: int) -> None:
        self._pieces = self._written(most_bytes)
        self._left = b""

    def _written(self, most_bytes: int) -> Iterator[bytes]:
        yield b'{"formatVersion":"v1.0","offerCode":"AmazonEC2","products":{'
        count = most_bytes // 4000
        names = [f"SKU{at:013d}" for at in range(count)]
        filler = {f"attribute{at}": "x" * 40 for at in range(18)}
        for at, sku in enumerate(names):
            text = json.dumps(
                product(sku, "Compute", instanceType=f"m{at % 700}", **filler)
            )
            yield b"%s%s:%s" % (
                b"," if at else b"",
                json.dumps(sku).encode(),
                text.encode(),
            )
        yield b'},"terms":{"OnDemand":{'
        for at, sku in enumerate(names):
            rates = [dimension("Hrs", "0.1", description="d" * 200)] * 8
            text = json.dumps(term(sku, *rates))
            yield b"%s%s:%s" % (
                b"," if at else b"",
                json.dumps(sku).encode(),
                text.encode(),
            )
        yield b"}}}"

    def read(self, size: int = -1, /) -> bytes:
        while len(self._left) < size and (more := next(self._pieces, b"")):
            self._left += more
        found, self._left = self._left[:size], self._left[size:]
        return found


def test_memory_does_not_grow_with_the_terms() -> None:
    def peak(most_bytes: int) -> int:
        tracemalloc.start()
        try:
            found = read_rows(Offer(most_bytes), "given", PRICES, lambda _: None)  # type: ignore[arg-type]
            assert found.taken == found.read == most_bytes // 4000 * 8
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(2_000_000) < 3_000_000


@pytest.mark.long
def test_an_offer_file_of_500_mb_needs_less_than_is_stated() -> None:
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_import_prices import Offer\n"
        "from tierwright.hardware.imports.readers import PRICES, read_rows\n"
        "found = read_rows(Offer(500_000_000), 'given', PRICES, lambda _: None)\n"
        # Not `ru_maxrss`, which is that of the process that started this one where that was larger.
        "status = Path('/proc/self/status').read_text()\n"
        "print(found.taken, re.search(r'VmHWM:\\s+(\\d+) kB', status)[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    taken, most_kib = map(int, done.stdout.split())
    assert taken == 1_000_000
    assert most_kib < aws.MOST_MIB * 1024


PRICE = st.decimals(0, 10**6, places=10).map(lambda each: format(each, "f"))
RATE = st.builds(
    dimension, st.sampled_from(["Hrs", "hrs", "GB-Mo", "IOPS-Mo", "GiBps-mo"]), PRICE
)


@FEW
@given(st.lists(st.lists(RATE, min_size=1, max_size=3), min_size=1, max_size=4))
def test_known_prices_come_back_exactly(skus: list[list[dict[str, Any]]]) -> None:
    document = offer(
        {f"S{at}": term(f"S{at}", *rates) for at, rates in enumerate(skus)}
    )
    expected = [
        (f"S{at}", Decimal(rate["pricePerUnit"]["USD"]), rate["unit"].lower())
        for at, rates in enumerate(skus)
        for rate in rates
    ]
    amounts = {"hrs": 1, "gb-mo": 2**30, "iops-mo": 1, "gibps-mo": 2**30}
    for content in (json.dumps(document).encode(), as_csv(document)):
        _, prices = read(content)
        assert [(each.sku, each.price, each.unit.amount) for each in prices] == [
            (sku, price, amounts[unit]) for sku, price, unit in expected
        ]


@FEW
@given(st.data())
def test_whatever_the_bytes_are_the_answer_is_an_import_or_bad_input(
    data: st.DataObject,
) -> None:
    content = bytearray(
        data.draw(st.sampled_from([json.dumps(SAMPLE).encode(), as_csv(SAMPLE)]))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        until = at + data.draw(st.integers(0, 9))
        content[at:until] = data.draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from([b"9" * 5000, b"\x00", b'"', b"{", b"[", b"\\ud800"]),
            )
        )
    with contextlib.suppress(BadInput):
        read(bytes(content))


@FEW
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda each: (
            st.lists(each, max_size=3)
            | st.dictionaries(st.text(max_size=3), each, max_size=3)
        ),
        max_leaves=8,
    ),
    st.sampled_from([None, 1]),
)
def test_a_stream_reads_what_the_whole_document_holds(
    value: Any, indent: int | None
) -> None:
    text = json.dumps({"a": value, "b": 1}, indent=indent)
    stream = json_stream.JsonStream(Source(io.BytesIO(text.encode()), "given"))
    found = {key: stream.value() for key in stream.members()}
    stream.finish()
    assert found == json.loads(text, parse_int=str)


F16S = {
    "currencyCode": "USD",
    "tierMinimumUnits": 0.0,
    "retailPrice": 0.176346,
    "unitPrice": 0.176346,
    "armRegionName": "westeurope",
    "location": "EU West",
    "effectiveStartDate": "2020-08-01T00:00:00Z",
    "meterId": "000a794b-bdb0-58be-a0cd-0c3a0f222923",
    "meterName": "F16s Spot",
    "productId": "DZH318Z0BQPS",
    "skuId": "DZH318Z0BQPS/00TG",
    "productName": "Virtual Machines FS Series Windows",
    "skuName": "F16s Spot",
    "serviceName": "Virtual Machines",
    "serviceFamily": "Compute",
    "unitOfMeasure": "1 Hour",
    "type": "DevTestConsumption",
    "isPrimaryMeterRegion": True,
    "armSkuName": "Standard_F16s",
}


def azure(*items: Any, **others: Any) -> bytes:
    document = {
        "BillingCurrency": "USD",
        "CustomerEntityId": "Default",
        "CustomerEntityType": "Retail",
        "Items": items,
        "NextPageLink": None,
        "Count": len(items),
    }
    return json.dumps(document | others).encode()


def read_azure(content: bytes) -> tuple[Imported, list[Price]]:
    prices: list[Price] = []
    return read_rows(io.BytesIO(content), "given", PRICES, prices.append), prices


class TestAzure:
    def test_the_published_row(self) -> None:
        found, (price,) = read_azure(azure(F16S))
        assert found.format == "azure"
        assert price.price_of_one == Decimal("0.176346")
        assert (price.unit.measure, price.effective) == ("hour", "2020-08-01")
        assert found.warnings == ()

    def test_a_reservation_is_the_price_of_its_whole_term(self) -> None:
        one = F16S | {"retailPrice": 496.0, "unitPrice": 496.0, "type": "Reservation"}
        found, prices = read_azure(
            azure(
                one | {"reservationTerm": "1 Year"},
                one,
                F16S | {"reservationTerm": "1 Year"},
            )
        )
        assert [(price.unit.measure, price.price) for price in prices] == [
            ("term", 496)
        ]
        assert found.units[0] == {
            "printed": "1 Hour, reservation of 1 Year",
            "understood": "payment for the whole term of 1 Year, whatever the unit says",
        }
        assert [each["row"] for each in found.skipped] == [2, 3]

    def test_tiers_of_one_meter_stay_apart(self) -> None:
        tiers = [
            F16S | {"tierMinimumUnits": begin, "retailPrice": price, "unitPrice": price}
            for begin, price in ((0.0, 0.0), (3000.0, 0.005))
        ]
        _, prices = read_azure(azure(*tiers))
        assert [[each.begin, each.price] for each in prices] == [
            [0, 0],
            [3000, Decimal("0.005")],
        ]

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"unitOfMeasure": "1 GB/Month"}, "10^9 or 2^30"),
            ({"unitOfMeasure": "10K"}, "unit `10K` is unknown"),
            ({"unitOfMeasure": "1 hour"}, "unit `1 hour` is unknown"),
            ({"unitOfMeasure": None}, "no unit"),
            ({"unitPrice": 1}, "differ"),
            ({"retailPrice": -1}, "retail price `-1`"),
            ({"type": "Other"}, "type `Other`"),
            ({"effectiveStartDate": "soon"}, "effective date"),
            ({"meterId": ""}, "no meter"),
            ({"currencyCode": "usd"}, "currency `usd`"),
        ],
    )
    def test_what_is_not_understood_stops_its_row_alone(
        self, changes: dict[str, Any], reason: str
    ) -> None:
        found, prices = read_azure(azure(7, F16S | changes, F16S))
        assert [price.row for price in prices] == [3]
        assert reason in found.skipped[1]["reason"]

    def test_small_prices_in_scientific_notation_stay_exact(self) -> None:
        small = F16S | {"retailPrice": 4e-07, "unitPrice": 4e-07}
        assert b"4e-07" in azure(small)
        _, (price,) = read_azure(azure(small))
        assert price.price == Decimal("0.0000004")

    def test_what_the_file_lacks_is_said(self) -> None:
        item = F16S | {"savingsPlan": [{"term": "1 Year"}], "currencyCode": "EUR"}
        found, _ = read_azure(
            azure(item, NextPageLink="https://x", BillingCurrency="EUR")
        )
        assert {each["name"] for each in found.warnings} == {
            "more_pages",
            "reference_currency",
            "savings_plans_not_read",
        }

    @pytest.mark.parametrize(
        "content", [azure(Items=3), azure()[:-4], azure(F16S)[:-300]]
    )
    def test_files_that_are_refused(self, content: bytes) -> None:
        with pytest.raises(BadInput):
            read_azure(content)

    @FEW
    @given(st.data())
    def test_whatever_the_bytes_are_the_answer_is_an_import_or_bad_input(
        self, data: st.DataObject
    ) -> None:
        content = bytearray(azure(F16S, F16S))
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 9))] = data.draw(
            st.one_of(
                st.binary(max_size=6), st.sampled_from([b"[", b"{", b'"', b"1e999"])
            )
        )
        with contextlib.suppress(BadInput):
            read_azure(bytes(content))
