"""Carts of cXML: a PunchOutOrderMessage, read without its DTD, without entities, without the network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from tierwright.common.errors import BadInput
from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.quotes import (
    MOST_BYTES,
    Fields,
    QuoteLine,
    take_lines,
)
from tierwright.hardware.imports.source import Source

_MOST_DEPTH = 60
_HINT = "give the cXML document of the cart, with a PunchOutOrderMessage"
_LITERAL = r"""(?:"[^"]*"|'[^']*')"""
_DOCTYPE = re.compile(
    rf"<!DOCTYPE\s+[\w:.-]+(?:\s+(?:SYSTEM|PUBLIC\s+{_LITERAL})\s+{_LITERAL})?\s*>"
)
_ENCODING = re.compile(r"""\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")
_BLANK = re.compile(r"\s*")
_BEFORE = {"<?": "?>", "<!--": "-->"}
"""What may stand before a DOCTYPE."""

ITEM_TEXTS = {
    "part_number": "ItemID/SupplierPartID",
    "currency": "ItemDetail/UnitPrice/Money@currency",
    "price": "ItemDetail/UnitPrice/Money",
    "description": "ItemDetail/Description",
    "unit": "ItemDetail/UnitOfMeasure",
    "manufacturer": "ItemDetail/ManufacturerName",
    "manufacturer_part_number": "ItemDetail/ManufacturerPartID",
    "lead_time_days": "ItemDetail/LeadTime",
}
"""Where a field of a line stands in an `ItemIn`; `@` names an attribute."""


def recognises(head: bytes) -> bool:
    """Say whether it is XML with the element `cXML` near its beginning."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text.startswith(b"<") and re.search(rb"<cXML[\s>]", text) is not None


def read(source: Source, ledger: Ledger) -> Iterator[QuoteLine]:
    """Read the items of a cart in their order, then its shipping and its tax as lines.

    Raises
    ------
    BadInput
        If it is too large, not UTF-8, not well-formed, declares or uses an entity, has DTD rules of
        its own, or is no PunchOutOrderMessage.
    """
    root = parsed(source.text(MOST_BYTES), source.place, ledger)
    messages = list(root.iter("PunchOutOrderMessage"))
    if root.tag != "cXML" or len(messages) != 1:
        raise BadInput(
            f"{source.place}: has {len(messages)} elements `PunchOutOrderMessage` in `{shown(root.tag)}`, not one in `cXML`",
            _HINT,
        )
    version = root.get("version")
    ledger.format_version = None if version is None else shown(version)
    message = messages[0]
    header = message.find("PunchOutOrderMessageHeader")
    status = None if header is None else header.get("quoteStatus")
    if status is not None and status != "final":
        ledger.warn(
            "quote_not_final",
            f"The cart states quoteStatus `{shown(status)}`: its prices may change.",
            "ask the supplier for the final quote",
        )
    lines = list(take_lines(_rows(message, header), ledger))
    _compare_total(header, lines, ledger)
    yield from lines


def parsed(text: str, place: str, ledger: Ledger) -> Element:
    """Return the tree of a document of XML.

    A DOCTYPE that only names a DTD is removed before reading, as the DTD is never opened; so an
    entity that it could define is an error, and not an empty text.

    Raises
    ------
    BadInput
        As `read`.
    """
    encoding = _ENCODING.match(text)
    if (
        encoding
        and encoding[1].lower() not in ("utf-8", "us-ascii")
        and not text.isascii()
    ):
        raise BadInput(
            f"{place}: states the encoding `{shown(encoding[1])}`, but only UTF-8 is read",
            "save the document as UTF-8",
        )
    text, named_dtd = _without_doctype(text)
    if named_dtd:
        ledger.warn(
            "dtd_not_read",
            "The document names a DTD, which was not opened: the document was not validated.",
        )
    builder = TreeBuilder()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MOST_DEPTH:
            raise BadInput(
                f"{place}: elements are nested deeper than {_MOST_DEPTH}", _HINT
            )
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    parser = _parser(place)
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    _parse(parser, text, place)
    return builder.close()


def _without_doctype(text: str) -> tuple[str, bool]:
    """Remove a DOCTYPE that only names a DTD, and say whether there was one.

    Any other one stays, for the parser to refuse.
    """
    at = 0
    while True:
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # it matches anything
        end = next(
            (end for begin, end in _BEFORE.items() if text.startswith(begin, at)), None
        )
        if end is None:
            break
        found = text.find(end, at)
        if found < 0:
            break
        at = found + len(end)
    doctype = _DOCTYPE.match(text, at)
    if doctype is None:
        return text, False
    return text[:at] + text[doctype.end() :], True


def _parser(place: str) -> expat.XMLParserType:
    def entity(*_: object) -> None:
        raise BadInput(
            f"{place}: declares an entity, which is refused",
            "send the document without declarations of entities",
        )

    def doctype(*_: object) -> None:
        raise BadInput(
            f"{place}: the DOCTYPE has rules or entities of its own, which are refused",
            "send the document with the DOCTYPE of the cXML standard, or without one",
        )

    parser = expat.ParserCreate("UTF-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.EntityDeclHandler = entity
    parser.StartDoctypeDeclHandler = doctype
    parser.buffer_text = True
    return parser


def _parse(parser: expat.XMLParserType, text: str, place: str) -> None:
    try:
        parser.Parse(text.encode(), True)  # noqa: FBT003  (is_final)
    except expat.ExpatError as error:
        raise BadInput(
            f"{place}: line {error.lineno}, column {error.offset}: not well-formed XML: "
            f"{expat.ErrorString(error.code)}",
            "export the document again; only the five entities of XML itself are read",
        ) from error


def _rows(
    message: Element, header: Element | None
) -> Iterator[tuple[Row, Fields | Skip]]:
    for at, item in enumerate(message.findall("ItemIn"), 1):
        try:
            yield at, _item(item)
        except Skip as left_out:
            yield at, left_out
    for tag, kind in (("Shipping", "shipping"), ("Tax", "tax")):
        if header is not None and header.find(tag) is not None:
            try:
                yield tag, _charge(header, tag, kind)
            except Skip as left_out:
                yield tag, left_out


def _charge(header: Element, tag: str, kind: str) -> Fields:
    return {
        "kind": kind,
        "quantity": "1",
        "currency": text_at(header, f"{tag}/Money@currency"),
        "price": text_at(header, f"{tag}/Money"),
        "description": text_at(header, f"{tag}/Description"),
    }


def _item(item: Element) -> Fields:
    if item.find("ItemDetail/UnitPrice/Modifications") is not None:
        raise Skip("the price has modifications, which are not read")
    fields = {name: text_at(item, path) for name, path in ITEM_TEXTS.items()}
    fields["quantity"] = item.get("quantity", "")
    fields["price_per"] = _price_per(item, fields["unit"])
    codes = item.findall("ItemDetail/Classification")
    fields["unspsc"] = next(
        (each.text or "" for each in codes if each.get("domain") == "UNSPSC"), ""
    )
    return fields


def _price_per(item: Element, unit: str) -> str:
    """Return how many units the price is of: the price basis, in the unit of the line."""
    basis = item.find("ItemDetail/PriceBasisQuantity")
    if basis is None:
        return ""
    factor = basis.get("conversionFactor", "1")
    basis_unit = text_at(basis, "UnitOfMeasure")
    if values.positive(factor, "conversionFactor") != 1 or basis_unit not in ("", unit):
        raise Skip(
            f"the price is of the unit `{shown(basis_unit)}` with the factor `{shown(factor)}`, "
            f"the quantity of the unit `{shown(unit)}`"
        )
    return basis.get("quantity", "")


def text_at(element: Element, path: str) -> str:
    """Return the text of the only element at a path, or its attribute behind `@`; empty where absent.

    Raises
    ------
    Skip
        If there are several with different texts.
    """
    path, _, attribute = path.partition("@")
    found = element.findall(path)
    texts = {
        each.get(attribute, "").strip()
        if attribute
        else "".join(each.itertext()).strip()
        for each in found
    }
    if path.endswith("/Description") and found:  # one for each language
        return "".join(found[0].itertext()).strip()
    if len(texts) > 1:
        raise Skip(f"`{path}` is stated {len(found)} times with different values")
    return next(iter(texts), "")


def _compare_total(
    header: Element | None, lines: list[QuoteLine], ledger: Ledger
) -> None:
    """Warn where the stated total is the sum neither of the items nor of all lines."""
    if header is None or header.find("Total") is None:
        return
    try:
        stated = values.number(text_at(header, "Total/Money"), "total")
        currency = values.currency(text_at(header, "Total/Money@currency"))
    except Skip as left_out:
        ledger.warn("total_not_read", f"The total was not compared: {left_out.reason}.")
        return
    items = _sum(line for line in lines if not line.kind)
    whole = _sum(lines)
    # Each line, and the total, may have been rounded to the last digit that is printed.
    last_digit = Decimal((0, (1,), min(0, int(stated.as_tuple().exponent))))
    rounding = last_digit / 2 * (len(lines) + 1)
    if {line.currency for line in lines} - {currency} or all(
        abs(values.EXACT.subtract(stated, each)) > rounding for each in (items, whole)
    ):
        ledger.warn(
            "total_differs",
            f"The stated total is {stated:f} {currency}; the items taken sum to {values.EXACT.quantize(items, last_digit):f}, "
            f"with shipping and tax to {values.EXACT.quantize(whole, last_digit):f}.",
            "ask the supplier which of them applies",
        )


def _sum(lines: Iterable[QuoteLine]) -> Decimal:
    found = Decimal(0)
    for line in lines:
        found = values.EXACT.add(found, line.amount)
    return found
