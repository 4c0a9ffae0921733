"""Quotes of others: known truth comes back exactly, each trap of the formats stops its row or its file."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

import pytest
from command import answer, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.hardware.imports.ledger import Imported
from tierwright.hardware.imports.quotes import QuoteLine
from tierwright.hardware.imports.readers import QUOTES, read_rows

KEYS = [
    *("id", "format", "format_version", "currency", "read", "taken", "skipped"),
    *("units", "dates", "unresolved", "warnings"),
]
MANY = int(os.environ.get("TIERWRIGHT_FUZZ_EXAMPLES", "0"))
FEW = settings(
    max_examples=MANY or 25,
    derandomize=not MANY,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
COLUMNS = (
    *("quote_id", "supplier", "currency", "lead_time_days", "part_number"),
    *("description", "quantity", "unit", "price", "price_per"),
)

NOTEBOOK = {
    "NEW_ITEM-DESCRIPTION[1]": "Notebook",
    "NEW_ITEM-QUANTITY[1]": "1",
    "NEW_ITEM-UNIT[1]": "EA",
    "NEW_ITEM-PRICE[1]": "1116.0",
    "NEW_ITEM-CURRENCY[1]": "USD",
    "NEW_ITEM-LEADTIME[1]": "15",
    "NEW_ITEM-VENDORMAT[1]": "20HAS1L000",
    "NEW_ITEM-EXT_QUOTE_ID[1]": "Q4291280246",
    "NEW_ITEM-LONGTEXT_1:132[]": "a long text",
}
SCREWS = {
    "NEW_ITEM-DESCRIPTION[2]": "Rail screw",
    "NEW_ITEM-QUANTITY[2]": "100.000",
    "NEW_ITEM-UNIT[2]": "PCE",
    "NEW_ITEM-PRICE[2]": "10.000",
    "NEW_ITEM-PRICEUNIT[2]": "100",
    "NEW_ITEM-CURRENCY[2]": "EUR",
    "NEW_ITEM-LEADTIME[2]": "1",
}
DTD = '<!DOCTYPE cXML SYSTEM "http://xml.cxml.org/schemas/cXML/1.2.014/cXML.dtd">'


def cxml(
    items: str, *, header: str = "", doctype: str = DTD, status: str = "final"
) -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- a > b -->\n{doctype}\n'
        '<cXML version="1.2.014" payloadID="1"><Message><PunchOutOrderMessage>'
        f'<PunchOutOrderMessageHeader operationAllowed="create" quoteStatus="{status}">'
        f"{header}</PunchOutOrderMessageHeader>{items}"
        "</PunchOutOrderMessage></Message></cXML>"
    ).encode()


def item(
    *, price: str = "250.00", unit: str = "EA", more: str = "", quantity: str = "1"
) -> str:
    return (
        f'<ItemIn quantity="{quantity}"><ItemID><SupplierPartID>A-1</SupplierPartID></ItemID>'
        f'<ItemDetail><UnitPrice><Money currency="USD">{price}</Money></UnitPrice>'
        '<Description xml:lang="en">Drive</Description>'
        f"<UnitOfMeasure>{unit}</UnitOfMeasure>"
        f'<Classification domain="UNSPSC">43201803</Classification>{more}</ItemDetail></ItemIn>'
    )


def totals(total: str) -> str:
    return "".join(
        f'<{tag}><Money currency="USD">{value}</Money></{tag}>'
        for tag, value in (("Total", total), ("Shipping", "0.00"), ("Tax", "21.88"))
    )


def read(content: bytes, name: str | None = None) -> tuple[Imported, list[QuoteLine]]:
    lines: list[QuoteLine] = []
    found = read_rows(io.BytesIO(content), "given", QUOTES, lines.append, name=name)
    assert found.taken == len(lines)
    assert found.read == found.taken + len(found.skipped)
    assert list(found.to_dict()) == KEYS
    return found, lines


def table(
    *rows: str, head: str = "quote_id,currency,quantity,unit,price,price_per"
) -> bytes:
    return "\n".join((head, *rows)).encode()


class TestTruth:
    """What was generated comes back, from each of the four formats."""

    TEXT = st.text(
        st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=12
    )
    LINE = st.fixed_dictionaries(
        {
            "quote_id": st.just("Q-1"),
            "supplier": st.just("ACME & Söhne"),
            "currency": st.sampled_from(["EUR", "USD"]),
            "lead_time_days": st.integers(0, 99).map(str),
            "part_number": TEXT,
            "description": TEXT,
            "quantity": st.decimals("0.001", 99999, places=3).map(str),
            "unit": st.sampled_from(["EA", "PCE", "CEN"]),
            "price": st.decimals(0, 10**9, places=4).map(str),
            "price_per": st.sampled_from(["1", "100", "1000"]),
        }
    )

    @staticmethod
    def written(lines: list[dict[str, str]]) -> dict[str, bytes]:
        out = io.StringIO()
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        writer.writerows(lines)
        of_quote = ("quote_id", "supplier", "currency", "lead_time_days")
        quotes = [
            {
                **{name: line[name] for name in of_quote},
                "lines": [{n: v for n, v in line.items() if n not in of_quote}],
            }
            for line in lines
        ]
        names = {
            "quote_id": "EXT_QUOTE_ID",
            "supplier": "VENDOR",
            "lead_time_days": "LEADTIME",
            "part_number": "VENDORMAT",
            "price_per": "PRICEUNIT",
        }
        form = {
            f"NEW_ITEM-{names.get(name, name.upper())}[{at}]": value
            for at, line in enumerate(lines, 1)
            for name, value in line.items()
        }
        items = "".join(
            f"<ItemIn quantity={quoteattr(line['quantity'])}><ItemID><SupplierPartID>"
            f"{escape(line['part_number'])}</SupplierPartID></ItemID><ItemDetail><UnitPrice>"
            f"<Money currency={quoteattr(line['currency'])}>{line['price']}</Money></UnitPrice>"
            f"<PriceBasisQuantity quantity={quoteattr(line['price_per'])}/>"
            f"<Description>{escape(line['description'])}</Description>"
            f"<UnitOfMeasure>{line['unit']}</UnitOfMeasure>"
            f"<LeadTime>{line['lead_time_days']}</LeadTime></ItemDetail></ItemIn>"
            for line in lines
        )
        document = {"format": "tierwright-quotes", "version": 1, "quotes": quotes}
        return {
            "csv": out.getvalue().encode(),
            "json": json.dumps(document).encode(),
            "oci": urlencode(form).encode(),
            "cxml": cxml(items),
        }

    @FEW
    @given(st.lists(LINE, min_size=1, max_size=4))
    def test_comes_back_exactly(self, lines: list[dict[str, str]]) -> None:
        for name, content in self.written(lines).items():
            found, taken = read(content)
            assert found.format == name
            assert found.skipped == ()
            for line, back in zip(lines, taken, strict=True):
                each = 100 if line["unit"] == "CEN" else 1
                price, per = Decimal(line["price"]), Decimal(line["price_per"])
                assert back.price_of_one * per * each == price
                assert back.amount * per == price * Decimal(line["quantity"])
                assert back.count == Decimal(line["quantity"]) * each
                assert back.part_number == line["part_number"]
                assert back.description == line["description"]
                assert back.currency == line["currency"]
                assert back.lead_time_days == int(line["lead_time_days"])
            if name != "cxml":  # which names neither quote nor supplier in the message
                assert {(each.quote_id, each.supplier) for each in taken} == {
                    ("Q-1", "ACME & Söhne")
                }


class TestOci:
    def test_a_price_is_that_of_its_price_unit(self) -> None:
        found, (notebook, screw) = read(urlencode(NOTEBOOK | SCREWS).encode())
        assert (screw.price_of_one, screw.amount) == (Decimal("0.1"), Decimal(10))
        assert notebook.amount == Decimal("1116.0")
        assert (notebook.part_number, notebook.quote_id) == (
            "20HAS1L000",
            "Q4291280246",
        )
        assert notebook.lead_time_days == 15
        assert list(found.units) == [
            {"printed": "EA", "understood": "price of 1 piece"},
            {"printed": "PCE, price per 100", "understood": "price of 100 pieces"},
        ]
        assert found.currency is None
        assert "EUR and USD" in found.warnings[0]["message"]

    def test_the_nested_arrays_of_frameworks_are_the_same(self) -> None:
        nested: dict[str, Any] = {}
        for key, value in (NOTEBOOK | SCREWS).items():
            name, _, index = key.removesuffix("]").partition("[")
            nested.setdefault(name, {})[index] = value
        found, lines = read(json.dumps(nested).encode())
        assert found.format == "oci"
        assert lines == read(urlencode(NOTEBOOK | SCREWS).encode())[1]

    @pytest.mark.parametrize(
        ("name", "value", "reason"),
        [
            ("UNIT", "PK", "unit `PK` is unknown"),
            ("UNIT", "ST", "sheet"),
            ("UNIT", "", "no unit"),
            ("PRICE", "1,116", "comma"),
            ("PRICE", "-5", "plain decimal"),
            ("PRICE", "1e3", "plain decimal"),
            ("PRICE", "٣", "plain decimal"),
            ("PRICE", "", "no price"),
            ("PRICEUNIT", "0", "price_per `0`"),
            ("QUANTITY", "0", "quantity `0`"),
            ("CURRENCY", "$", "currency `$`"),
            ("LEADTIME", "soon", "lead time `soon`"),
        ],
    )
    def test_what_is_not_understood_stops_its_row_alone(
        self, name: str, value: str, reason: str
    ) -> None:
        form = NOTEBOOK | SCREWS | {f"NEW_ITEM-{name}[1]": value}
        found, lines = read(urlencode(form).encode())
        assert [line.row for line in lines] == [2]
        assert found.skipped[0]["row"] == 1
        assert reason in found.skipped[0]["reason"]
        assert "not the sum of the file" in found.warnings[0]["message"]

    def test_items_are_counted_from_one_and_stated_once(self) -> None:
        form = urlencode(NOTEBOOK | {"NEW_ITEM-PRICE[0]": "5"})
        found, lines = read(f"{form}&NEW_ITEM-PRICE%5B1%5D=9".encode())
        assert lines == []
        assert [each["row"] for each in found.skipped] == [0, 1]
        assert "stated twice" in found.skipped[1]["reason"]

    def test_a_form_in_another_character_set_is_refused(self) -> None:
        with pytest.raises(BadInput, match="not UTF-8"):
            read(urlencode(NOTEBOOK).encode() + b"&NEW_ITEM-VENDOR%5B1%5D=S%F6hne")


class TestCxml:
    def test_the_published_sum_adds_up_with_tax_and_shipping_as_lines(self) -> None:
        found, lines = read(cxml(item(), header=totals("271.88")))
        assert [(line.row, line.kind, line.amount) for line in lines] == [
            (1, "", Decimal("250.00")),
            ("Shipping", "shipping", Decimal(0)),
            ("Tax", "tax", Decimal("21.88")),
        ]
        assert lines[0].unspsc == "43201803"
        assert found.format_version == "1.2.014"
        assert [each["name"] for each in found.warnings] == ["dtd_not_read"]
        assert [each["row"] for each in found.unresolved] == [1]

    def test_a_charge_may_be_described_in_several_languages(self) -> None:
        said = '<Description xml:lang="en">Freight</Description><Description xml:lang="de">Fracht</Description>'
        header = f'<Shipping><Money currency="USD">9.00</Money>{said}</Shipping>'
        found, lines = read(cxml(item(), header=header))
        assert [(line.row, line.description) for line in lines] == [
            (1, "Drive"),
            ("Shipping", "Freight"),
        ]
        assert not found.skipped

    def test_a_charge_that_is_stated_twice_is_left_out_alone(self) -> None:
        money = "".join(
            f'<Money currency="USD">{each}</Money>' for each in ("9.00", "8.00")
        )
        found, lines = read(cxml(item(), header=f"<Shipping>{money}</Shipping>"))
        assert [line.row for line in lines] == [1]
        [skipped] = found.skipped
        assert skipped["row"] == "Shipping"
        assert "stated 2 times with different values" in skipped["reason"]

    def test_another_total_is_said(self) -> None:
        found, _ = read(cxml(item(), header=totals("280.00")))
        assert (
            "280.00 USD; the items taken sum to 250.00" in found.warnings[-1]["message"]
        )
        assert [
            each["name"]
            for each in read(cxml(item(), header=totals("250.00")))[0].warnings
        ] == ["dtd_not_read"]

    def test_a_total_may_be_rounded_to_its_last_digit(self) -> None:
        thirds = item(more='<PriceBasisQuantity quantity="3"/>', price="10.00")
        names = {
            total: [
                each["name"]
                for each in read(cxml(thirds, header=totals(total)))[0].warnings
            ]
            for total in ("3.33", "25.21", "3.39")
        }
        assert "total_differs" not in names["3.33"] + names["25.21"]
        assert "total_differs" in names["3.39"]

    def test_a_price_basis_is_how_many_units_the_price_is_of(self) -> None:
        basis = '<PriceBasisQuantity quantity="100" conversionFactor="{}"><UnitOfMeasure>{}</UnitOfMeasure></PriceBasisQuantity>'
        _, (line,) = read(cxml(item(more=basis.format("1", "EA"), quantity="10")))
        assert (line.price_of_one, line.amount) == (Decimal("2.5"), Decimal(25))
        for factor, unit in (("2", "EA"), ("1", "BX")):
            found, lines = read(cxml(item(more=basis.format(factor, unit))))
            assert lines == []
            assert "with the factor" in found.skipped[0]["reason"]

    def test_a_price_with_modifications_is_not_taken(self) -> None:
        changed = item().replace("</UnitPrice>", "<Modifications/></UnitPrice>")
        assert "modifications" in read(cxml(changed))[0].skipped[0]["reason"]

    def test_a_cart_that_is_not_final_is_said(self) -> None:
        assert "quote_not_final" in [
            each["name"] for each in read(cxml(item(), status="pending"))[0].warnings
        ]

    @pytest.mark.parametrize(
        "doctype",
        [
            '<!DOCTYPE cXML [<!ENTITY a "b">]>',
            '<!DOCTYPE cXML SYSTEM "cXML.dtd" [<!ENTITY % e SYSTEM "file:///etc/passwd"> %e;]>',
            '<!DOCTYPE cXML [<!ENTITY x SYSTEM "http://localhost:1/">]>',
            "<!DOCTYPE cXML []>",
        ],
    )
    def test_rules_and_entities_of_the_document_are_refused(self, doctype: str) -> None:
        with pytest.raises(BadInput, match="refused"):
            read(cxml(item(), doctype=doctype))

    @pytest.mark.parametrize("doctype", [DTD, ""])
    def test_an_entity_of_the_dtd_is_an_error_and_not_an_empty_text(
        self, doctype: str
    ) -> None:
        with pytest.raises(BadInput, match="undefined entity"):
            read(cxml(item(price="2&half;50"), doctype=doctype))
        with pytest.raises(BadInput, match="undefined entity"):
            read(cxml(item(quantity="1&zero;"), doctype=doctype))

    def test_nothing_is_opened(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*arguments: object, **_: object) -> None:
            raise AssertionError(arguments)

        monkeypatch.setattr("socket.socket", refuse)
        monkeypatch.setattr("builtins.open", refuse)
        monkeypatch.setattr("io.open", refuse)
        found, _ = read(cxml(item(), header=totals("271.88")))
        assert found.taken == 3

    def test_what_is_no_cart_is_refused(self) -> None:
        deep = cxml("<a>" * 80 + "</a>" * 80)
        for content, reason in (
            (b"<cXML><Request/></cXML>", "not one in"),
            (cxml(item())[:-9], "not well-formed"),
            (deep, "deeper"),
            (cxml(item()).replace(b"Drive", b"\xff"), "not UTF-8"),
            (
                cxml(item())
                .replace(b"UTF-8", b"ISO-8859-1")
                .replace(b"Drive", "é".encode()),
                "states the encoding",
            ),
            (cxml("", doctype=""), "no rows"),
        ):
            with pytest.raises(BadInput, match=reason):
                read(content)


class TestOwn:
    def test_what_a_line_is_must_be_stated_by_name(self) -> None:
        head = "quote_id,currency,quantity,unit,price,kind,item"
        found, lines = read(
            table(
                "Q,EUR,2,EA,5,device,ssd-1",
                "Q,EUR,2,EA,5,gadget,ssd-1",
                "Q,EUR,2,EA,5,device,",
                "Q,EUR,2,EA,5,,ssd-1",
                "Q,EUR,1,,5,shipping,",
                "Q,EUR,2,,5,tax,",
                head=head,
            )
        )
        assert [(line.row, line.kind) for line in lines] == [
            (2, "device"),
            (6, "shipping"),
        ]
        assert [each["row"] for each in found.skipped] == [3, 4, 5, 7]
        assert found.unresolved == ()

    def test_days_have_one_form(self) -> None:
        head = "quote_id,currency,quantity,unit,price,valid_until"
        found, _ = read(
            table(
                "Q,EUR,2,EA,5,2026-12-31",
                "R,EUR,2,EA,5,2026-11-30",
                "S,EUR,2,EA,5,03/04/2026",
                "T,EUR,2,EA,5,2026-02-30",
                head=head,
            )
        )
        assert found.dates["valid_until"] == "2026-11-30"
        assert [each["row"] for each in found.skipped] == [4, 5]

    def test_a_semicolon_separates_too_and_a_decimal_comma_stops_its_row(self) -> None:
        content = table("Q,EUR,2,EA,5,1", "Q,EUR,2,EA,7,1").replace(b",", b";")
        found, lines = read(content.replace(b"7", b"7,5"))
        assert [line.amount for line in lines] == [10]
        assert "comma" in found.skipped[0]["reason"]

    def test_lines_that_do_not_fit_their_header_are_left_out(self) -> None:
        found, lines = read(table("Q,EUR,2,EA,5,1,9", "", "Q,EUR,2,EA,5,1"))
        assert [line.row for line in lines] == [4]
        assert found.skipped[0]["row"] == 2

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "no known format"),
            (b"\x00\xff\xfe", "no known format"),
            (table(), "no rows"),
            (table('Q,EUR,2,EA,5,"1'), "not a table"),
            (b"quote_id,quote_id,currency,quantity,unit,price\n", "named twice"),
            (
                b'{"format": "tierwright-quotes", "version": 2, "quotes": []}',
                "version 1",
            ),
            (b'{"format": "tierwright-quotes", "version": 1, "quotes": [3]}', "lines"),
            (b'{"format": "tierwright-quotes", "format": 1}', "stated twice"),
            (b'{"format": "tierwright-quotes", "version": NaN}', "not a number"),
            (b'{"format": "tierwright-quotes", "x": ' + b"[" * 200_000, "deeply"),
        ],
    )
    def test_files_that_are_refused(self, content: bytes, reason: str) -> None:
        with pytest.raises(BadInput, match=reason) as refused:
            read(content)
        assert refused.value.hint

    def test_numbers_of_json_stay_exact(self) -> None:
        document = (
            b'{"format": "tierwright-quotes", "version": 1, "quotes": [{"quote_id": "Q", '
            b'"currency": "USD", "lines": [{"quantity": 3, "unit": "EA", "price": 0.1}, '
            b'{"quantity": 3, "unit": "EA", "price": true}, {"sku": 1}, 7]}]}'
        )
        found, lines = read(document)
        assert lines[0].amount == Decimal("0.3")
        assert [each["row"] for each in found.skipped] == [2, 3, 4]

    def test_terminals_are_not_obeyed(self) -> None:
        found, _ = read(table("Q,EUR,2,\x1b[31m,5,1"))
        assert "\x1b" not in found.skipped[0]["reason"]


@pytest.mark.parametrize(
    ("name", "amounts"), [("csv", (3920, 10, 49)), ("json", (3920,))]
)
def test_the_examples_of_the_docs_are_read(name: str, amounts: tuple[int, ...]) -> None:
    page = Path(__file__).parents[2] / "docs" / "imports.md"
    text = page.read_text(encoding="utf-8").partition(f"```{name}\n")[2]
    found, lines = read(text.partition("```")[0].encode())
    assert found.skipped == ()
    assert tuple(line.amount for line in lines) == amounts
    assert found.dates["valid_until"] == "2026-12-31"


class TestCommand:
    def test_the_same_content_is_the_same_import(self, tmp_path: Path) -> None:
        first, second = tmp_path / "a.csv", tmp_path / "b.csv"
        for path in (first, second):
            path.write_bytes(table("Q,EUR,2,EA,5,1"))
        found = answer("import", "quotes", first)
        assert list(found) == KEYS
        assert answer("import", "quotes", second, "--as", "csv") == found
        second.write_bytes(table("Q,EUR,2,EA,6,1"))
        assert answer("import", "quotes", second)["id"] != found["id"]

    def test_standard_input_and_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        content = urlencode(NOTEBOOK | SCREWS | {"NEW_ITEM-UNIT[1]": "PK"}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        done = run("import", "quotes", "-")
        assert done.returncode == 0
        assert "price of 100 pieces" in done.stdout
        assert "warning: 1 row was left out of 2" in done.stderr

    @pytest.mark.parametrize(
        "arguments", [("absent.csv",), (__file__,), (__file__, "--as", "focus")]
    )
    def test_bad_input(self, arguments: tuple[str, ...]) -> None:
        done = run("import", "quotes", *arguments, "--json")
        assert done.returncode == 2
        assert done.stdout == ""
        assert "hint:" in done.stderr


SAMPLES = [
    *TestTruth.written(
        [dict.fromkeys(COLUMNS, "1") | {"currency": "EUR", "unit": "PCE"}] * 2
    ).values(),
    cxml(item(), header=totals("271.88")),
    urlencode(NOTEBOOK | SCREWS).encode(),
]


@FEW
@given(st.data())
def test_whatever_the_bytes_are_the_answer_is_an_import_or_bad_input(
    data: st.DataObject,
) -> None:
    content = bytearray(data.draw(st.sampled_from(SAMPLES)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        until = at + data.draw(st.integers(0, 9))
        content[at:until] = data.draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from([b"9" * 5000, b"\x00", b'"', b"<![CDATA[", b"&amp;"]),
            )
        )
    for name in QUOTES:
        with contextlib.suppress(BadInput):
            read(bytes(content), name)
