"""Tables by a mapping of their columns, and price books of imported lists."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command import answer, run

from tierwright.common.currency import ExchangeRate
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.imports.books import BookMaker, MadeBook, changed_prices
from tierwright.hardware.imports.columns import NO_COLUMNS, Columns
from tierwright.hardware.imports.ledger import Imported
from tierwright.hardware.imports.mapping import NO_MAPPING, LineMapping, mapping_of
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.imports.readers import PRICES, QUOTES, read_rows

DRIVE = "samsung-pm9a3-7.68tb-u2"
DIMM = "dimm-ddr5-rdimm-64gb"
HEADER = "sku,name,region,date,currency,price,price_per,unit,kind,item"


def read(
    text: str,
    *,
    columns: Columns = NO_COLUMNS,
    mapping: LineMapping = NO_MAPPING,
    name: str | None = None,
) -> tuple[Imported, list[Price]]:
    rows: list[Price] = []
    found = read_rows(
        io.BytesIO(text.encode()),
        "list",
        PRICES,
        rows.append,
        name=name,
        columns=columns,
        knows=mapping.knows,
    )
    return found, rows


def book(
    text: str,
    entries: list[dict[str, Any]] | None = None,
    *,
    region: str = "",
    rates: tuple[ExchangeRate, ...] = (),
    columns: Columns = NO_COLUMNS,
    today: str = "2026-12-31",
) -> MadeBook:
    mapping = mapping_of(entries or [], "mapping")
    maker = BookMaker(mapping, region, today)
    found = read_rows(
        io.BytesIO(text.encode()), "list", PRICES, maker.add, columns=columns
    )
    return maker.made(found, "ours", rates)


def listed(*rows: str) -> str:
    return "\n".join((HEADER, *rows)) + "\n"


def told(sku: str, item: str = DRIVE, kind: str = "device") -> dict[str, Any]:
    return {"part_number": sku, "is": [{"kind": kind, "item": item}]}


class TestColumns:
    """A table of another system: its columns are named, and nothing is guessed."""

    FOREIGN = "Artikel;Preis (netto);Menge;Angebot\nMZQL;980.00;4;Q-17\n"

    def quotes(self, columns: Columns, text: str = FOREIGN) -> list[Any]:
        lines: list[Any] = []
        read_rows(io.BytesIO(text.encode()), "t", QUOTES, lines.append, columns=columns)
        return lines

    def test_a_quote_of_a_spreadsheet(self) -> None:
        columns = Columns(
            {
                "part_number": "Artikel",
                "price": "Preis (NETTO)",
                "quantity": "Menge",
                "quote_id": "Angebot",
            },
            {"currency": "EUR", "unit": "EA"},
        )
        [line] = self.quotes(columns)
        assert (line.part_number, line.price, line.count) == (
            "MZQL",
            Decimal("980.00"),
            4,
        )
        assert (line.currency, line.quote_id) == ("EUR", "Q-17")

    @pytest.mark.parametrize(
        ("columns", "said"),
        [
            (Columns({"price": "Price"}), "lacks columns"),
            (Columns({"prise": "Preis (netto)"}), "is not a field"),
            (
                Columns({"price": "Artikel"}, {"price": "1"}),
                "as a column and as a value",
            ),
            (
                Columns(
                    {"price": "Menge", "quantity": "Menge", "quote_id": "Angebot"},
                    {"currency": "EUR", "unit": "EA"},
                ),
                "two fields",
            ),
            (Columns({}, {"currency": " "}), "no text"),
        ],
    )
    def test_what_is_refused(self, columns: Columns, said: str) -> None:
        with pytest.raises(BadInput, match=said) as refused:
            self.quotes(columns)
        assert refused.value.hint

    def test_columns_of_a_format_that_names_its_own(self) -> None:
        with pytest.raises(BadInput, match="are known"):
            read(
                '{"BillingCurrency": "USD"}',
                name="azure",
                columns=Columns({"sku": "x"}),
            )

    def test_a_column_of_our_name_that_is_mapped_elsewhere_is_not_read(self) -> None:
        columns = Columns(
            {"price": "net"}, {"quote_id": "Q", "currency": "EUR", "unit": "EA"}
        )
        [line] = self.quotes(columns, "price,net,quantity\n999,10,1\n")
        assert line.price == 10


class TestPriceTable:
    """Prices in our own columns."""

    @pytest.mark.parametrize(
        ("unit", "per", "one"),
        [
            ("EA", "", Decimal(10)),
            ("PCE", "100", Decimal("0.1")),
            ("DZN", "", Decimal(10) / 12),
            ("GiB", "", Decimal(10) / 2**30),
            ("1000 GB", "", Decimal(10) / 10**12),
            ("GiB-Months", "", Decimal(10) / 2**30),
            ("HUR", "", Decimal(10)),
        ],
    )
    def test_units(self, unit: str, per: str, one: Decimal) -> None:
        found, [price] = read(listed(f"S,n,,2026-10-01,USD,10,{per},{unit},,"))
        assert abs(price.price_of_one - one) < Decimal("1e-20")
        assert found.unresolved[0]["name"] == "S"
        assert found.units[0]["understood"]

    @pytest.mark.parametrize(
        "row",
        [
            "S,n,,2026-10-01,USD,10,,PK,,",
            "S,n,,2026-10-01,USD,10,,ANN,,",
            "S,n,,2026-10-01,USD,10,,GB-Mo,,",
            "S,n,,,USD,10,,EA,,",
            "S,n,,2026-10-01,$,10,,EA,,",
            'S,n,,2026-10-01,USD,"1,116",,EA,,',
            "S,n,,2026-10-01,USD,10,0.5,EA,,",
            ",,,2026-10-01,USD,10,,EA,,",
            "S,n,,2026-10-01,USD,10,,EA,device,",
            "S,n,,2026-10-01,USD,10,,EA,thing,x",
        ],
    )
    def test_nothing_is_guessed(self, row: str) -> None:
        found, prices = read(listed(row, "S,n,,2026-10-01,USD,10,,EA,,"))
        assert (len(prices), found.read) == (1, 2)
        assert found.skipped[0]["reason"]


class TestBook:
    """Which prices become those of a device, and which do not."""

    def test_a_piece_by_the_mapping_or_by_its_item(self) -> None:
        held = catalog.device(DRIVE).capacity_bytes
        assert held
        for made in (
            book(listed("S,n,,2026-10-01,USD,980,,EA,,"), [told("S")]),
            book(listed(f"S,n,,2026-10-01,USD,980,,EA,device,{DRIVE}")),
        ):
            [price] = made.book.prices
            assert (price.device_id, price.rent) == (DRIVE, False)
            of_all = price.usd_per_gb * held / 10**9
            assert abs(of_all - 980) < Decimal("1e-6")
            assert made.book.date == "2026-10-01"
            assert made.left == ()

    def test_memory_bytes_for_a_time_and_another_currency(self) -> None:
        text = listed(
            f"M,n,r1,2026-10-01,EUR,440,,EA,part,{DIMM}",
            "V,n,r1,2026-10-02,EUR,0.001,,GiB-Hours,device,aws-ebs-gp3-baseline",
        )
        with pytest.raises(BadInput, match="no exchange rate"):
            book(text)
        rate = ExchangeRate("EUR", Decimal("0.88"), "2026-10-01", "bank")
        made = book(text, rates=(rate,)).book
        memory = made.find(device_id=None, kind="dram")
        volume = made.find(device_id="aws-ebs-gp3-baseline", kind="ssd")
        assert memory
        assert volume
        assert (memory.per, memory.usd) == ("GiB", Decimal("7.8125"))
        assert (volume.stated, volume.rent) == (Decimal("0.73"), True)
        assert made.region == "r1"
        assert made.currency == "EUR"

    def test_volumes_of_aws_by_an_exact_rule(self) -> None:
        from test_import_prices import SAMPLE

        maker = BookMaker(NO_MAPPING)
        raw = json.dumps(SAMPLE).encode()
        found = read_rows(io.BytesIO(raw), "aws", PRICES, maker.add)
        made = maker.made(found, "AWS")
        prices = {each.device_id: each for each in made.book.prices}
        assert prices["aws-ebs-gp3-baseline"].usd == Decimal("0.08")
        assert prices["aws-ebs-gp3-baseline"].per == "GiB"
        assert made.left_count == found.taken - 1
        assert all(each.reason for each in made.left)

    def test_the_same_list_is_one_book_and_a_newer_one_names_what_changed(self) -> None:
        rows = [f"S,n,,2026-10-01,USD,980,,EA,device,{DRIVE}"]
        one, again = book(listed(*rows)), book(listed(*rows))
        assert one.book == again.book
        newer = book(
            listed(
                f"S,n,,2026-11-01,USD,1020,,EA,device,{DRIVE}",
                f"M,n,,2026-11-01,USD,440,,EA,part,{DIMM}",
            )
        )
        assert newer.book.id != one.book.id
        [memory, drive] = changed_prices(one.book, newer.book)
        assert (memory["what"], memory["before"]) == ("any dram", "")
        assert drive["what"] == DRIVE
        assert drive["before"] != drive["after"]
        assert changed_prices(one.book, again.book) == []

    def test_the_price_of_the_last_day_counts(self) -> None:
        made = book(
            listed(
                f"S,n,,2026-11-01,USD,1020,,EA,device,{DRIVE}",
                f"S,n,,2026-10-01,USD,980,,EA,device,{DRIVE}",
            )
        )
        assert made.book.prices[0].date == "2026-11-01"
        assert made.left_count == 1
        assert "a price of 2026-11-01 takes its place" in made.left[0].reason

    def test_all_superseded_rows_are_counted(self) -> None:
        days = [f"2026-10-{day:02}" for day in (3, 1, 1, 2, 9, 9, 4)]
        made = book(listed(*(f"S,n,,{day},USD,980,,EA,device,{DRIVE}" for day in days)))
        assert [each.date for each in made.book.prices] == ["2026-10-09"]
        assert made.left_count == 5

    @pytest.mark.parametrize("other", ["S,n,r2", "X,n,r1"])
    def test_a_later_day_of_another_region_or_sku_does_not_win(
        self, other: str
    ) -> None:
        rows = [
            f"M,n,r1,2026-10-01,USD,440,,EA,part,{DIMM}",
            f"S,n,r1,2026-10-01,USD,980,,EA,device,{DRIVE}",
        ]
        text = listed(*rows, f"{other},2026-11-01,USD,1020,,EA,device,{DRIVE}")
        made = book(text)
        assert [each.kind for each in made.book.prices] == ["dram"]
        assert {each.name for each in made.left} == {"S", other[0]}
        assert all("the list has 2 prices of" in each.reason for each in made.left)
        assert made.left_count == 2
        # Where they agree, the day of each does not matter.
        text = listed(*rows, f"{other},2026-11-01,USD,980,,EA,device,{DRIVE}")
        assert len(book(text).book.prices) == 2

    def test_what_begins_in_the_future_does_not_count(self) -> None:
        text = listed(
            f"S,n,,2026-11-01,USD,1020,,EA,device,{DRIVE}",
            f"S,n,,2026-10-01,USD,980,,EA,device,{DRIVE}",
        )
        made = book(text, today="2026-10-31")
        assert [each.date for each in made.book.prices] == ["2026-10-01"]
        assert made.book.date == "2026-10-01"
        assert "begins on 2026-11-01, and today is 2026-10-31" in made.left[0].reason
        assert book(text, today="2026-11-01").book.prices[0].date == "2026-11-01"

    def test_a_price_of_nothing_is_no_price(self) -> None:
        memory = f"M,n,,2026-10-01,USD,440,,EA,part,{DIMM}"
        made = book(
            listed(
                memory,
                f"S,n,,2026-09-01,USD,980,,EA,device,{DRIVE}",
                f"S,n,,2026-10-01,USD,0,,EA,device,{DRIVE}",
            )
        )
        assert [each.kind for each in made.book.prices] == ["dram"]
        assert any("is 0" in each.reason for each in made.left)
        assert made.left_count == 2

    def test_meters_of_azure_and_their_tiers(self) -> None:
        def meter(name: str, day: str, price: str, begin: int = 0) -> dict[str, Any]:
            return {
                "currencyCode": "USD",
                "tierMinimumUnits": begin,
                "retailPrice": float(price),
                "unitPrice": float(price),
                "armRegionName": "westeurope",
                "effectiveStartDate": f"{day}T00:00:00Z",
                "meterId": name,
                "meterName": "Disk",
                "skuId": "SKU",
                "skuName": "Disk",
                "serviceFamily": "Storage",
                "unitOfMeasure": "1 GiB/Month",
                "type": "Consumption",
            }

        def of(*items: dict[str, Any]) -> MadeBook:
            other = {**meter("m0", "2026-10-01", "1"), "skuId": "OTHER"}
            text = json.dumps(
                {
                    "BillingCurrency": "USD",
                    "Items": [other, *items],
                    "NextPageLink": None,
                }
            )
            return book(text, [told("SKU"), told("OTHER", "aws-ebs-sc1")])

        one = meter("m1", "2026-09-01", "0.1")
        assert len(of(one).book.prices) == 2
        for items, said in (
            ([one, meter("m2", "2026-10-01", "0.2")], "of the price codes m1 and m2"),
            ([one, meter("m1", "2026-09-01", "0.05", 100)], "has tiers"),
            ([meter("m1", "2026-09-01", "0.05", 100), one], "has tiers"),
        ):
            made = of(*items)
            assert [each.device_id for each in made.book.prices] == ["aws-ebs-sc1"]
            assert any(said in each.reason for each in made.left)
            assert made.left_count == 2
        later = meter("m1", "2026-10-01", "0.2")
        tiers = meter("m1", "2026-09-01", "0.05", 100)
        [price] = [
            each
            for each in of(one, tiers, later).book.prices
            if each.device_id == DRIVE
        ]
        assert price.usd == Decimal("0.2")

    def test_many_rows_of_one_price_are_kept_once(self) -> None:
        maker = BookMaker(NO_MAPPING, today="2026-12-31")
        rows = [f"S,n,,2026-10-01,USD,980,,EA,device,{DRIVE}"] * 2000
        found = read_rows(io.BytesIO(listed(*rows).encode()), "list", PRICES, maker.add)
        kept = maker._found
        assert len(kept) == 1
        [stated] = kept.values()
        assert (len(stated.amounts), stated.count) == (1, 2000)
        assert maker.made(found, "ours").left_count == 0

    @pytest.mark.parametrize(
        ("row", "said"),
        [
            ("X,n,,2026-10-01,USD,980,,EA,,", "neither an exact rule nor the mapping"),
            (
                "X,n,,2026-10-01,USD,9,,EA,part,chassis-dell-r760",
                "devices and of memory, and rents",
            ),
            (
                "X,n,,2026-10-01,USD,9,,EA,instance,aws-i4i.4xlarge",
                "not the rent of an instance",
            ),
            (
                "X,n,,2026-10-01,USD,9,,HUR,instance,aws-i4i.nothing",
                "there is no instance",
            ),
            (
                "X,n,,2026-10-01,USD,9,,GiB-Months,volume,aws-s3-standard",
                "there is no block volume",
            ),
            (
                "X,n,,2026-10-01,USD,9,,MON,volume,aws-ebs-gp2",
                "does not state its whole `size_gib`",
            ),
            (
                "X,n,,2026-10-01,USD,9,,GiB-Months,volume,aws-ebs-gp3",
                "no one price of its IOPS and throughput",
            ),
            ("X,n,,2026-10-01,USD,9,,EA,device,nothing", "there is no device"),
            (f"X,n,r2,2026-10-01,USD,9,,EA,device,{DRIVE}", "2 prices"),
        ],
    )
    def test_what_is_left_out_says_why(self, row: str, said: str) -> None:
        good = listed(
            f"M,n,r1,2026-10-01,USD,440,,EA,part,{DIMM}",
            f"S,n,r1,2026-10-01,USD,980,,EA,device,{DRIVE}",
            row,
        )
        made = book(good)
        assert any(said in each.reason for each in made.left)
        assert made.left_count == len(made.left)
        [only] = [
            each for each in book(good, region="r1").book.prices if each.device_id
        ]
        assert only.device_id == DRIVE

    def test_a_list_without_a_known_device_makes_no_book(self) -> None:
        with pytest.raises(BadInput, match="no price of the list"):
            book(listed("X,n,,2026-10-01,USD,980,,EA,,"))


class TestCommand:
    """The file is a price book of every command that takes one."""

    def test_a_book_is_written_and_used(self, tmp_path: Path) -> None:
        prices, output = tmp_path / "ours.csv", tmp_path / "ours.json"
        mapping = tmp_path / "mapping.json"
        prices.write_text("Teil;Preis\nS;980\n")
        mapping.write_text(json.dumps({"line": [told("S")]}))
        columns = ["--column", "sku=Teil", "--column", "price=Preis"]
        for pair in ("date=2026-10-01", "currency=USD", "unit=EA"):
            columns += ["--value", pair]
        found = answer(
            "import",
            "prices",
            str(prices),
            *columns,
            "--mapping",
            str(mapping),
            "--book",
            str(output),
        )
        assert found["unresolved"] == []
        assert found["price_book"]["prices"][0]["device_id"] == DRIVE
        shown = answer("device", "access-cost", "--price-book", str(output))
        assert DRIVE in json.dumps(shown)
        bad = run("device", "access-cost", "--price-book", str(tmp_path / "none.json"))
        assert bad.returncode == 2

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--book", "b.json", "--compare", "ours.csv"), "--compare: "),
            (("--region", "r1"), "--region: "),
            (("--rate", "EUR=0.88@2026-09-30"), "--rate: "),
            (("--compare", "ours.csv", "--region", "r1"), "--region: "),
        ],
    )
    def test_options_that_would_do_nothing_are_refused(
        self, tmp_path: Path, options: tuple[str, ...], said: str
    ) -> None:
        prices = tmp_path / "ours.csv"
        prices.write_text(listed(f"S,n,r1,2026-10-01,USD,980,,EA,device,{DRIVE}"))
        texts = [
            str(tmp_path / each) if each.endswith((".json", ".csv")) else each
            for each in options
        ]
        done = run("import", "prices", prices, *texts)
        assert done.returncode == 2
        assert said in done.stderr
        assert "hint: " in done.stderr
        assert list(tmp_path.iterdir()) == [prices]
