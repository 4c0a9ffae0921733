"""Lines of quotes: what every format of them is read into, by the same rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown

MOST_BYTES = 2**24
"""Largest file of quotes. [bytes]"""

FIELDS = (
    "quote_id",
    "supplier",
    "currency",
    "valid_until",
    "lead_time_days",
    "kind",
    "item",
    "part_number",
    "manufacturer",
    "manufacturer_part_number",
    "description",
    "unspsc",
    "quantity",
    "unit",
    "price",
    "price_per",
)
"""What a line states, in the names of our own CSV and JSON."""
REQUIRED = ("quote_id", "currency", "quantity", "unit", "price")
"""Fields that a table must have; the others may be missing."""
BUYABLE = ("device", "server", "instance", "volume", "part")
CHARGES = ("tax", "shipping")
"""Lines that are sums beside what is bought: their quantity is 1, and they need no unit."""

Fields = Mapping[str, str]
"""Texts of a line by the names of `FIELDS`; an absent one is empty."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a code of a unit means.

    Attributes
    ----------
    one, many : str
        What is counted.
    count : int
        How many of it one unit is.
    note : str
        What is not stated by the code.
    """

    one: str
    many: str
    count: int = 1
    note: str = ""


_PIECE = Unit("piece", "pieces")
UNITS = {
    "EA": _PIECE,
    "PCE": _PIECE,
    "PC": _PIECE,
    "H87": _PIECE,
    "C62": _PIECE,
    "DZN": Unit("piece", "pieces", 12),
    "CEN": Unit("piece", "pieces", 100),
    "MIL": Unit("piece", "pieces", 1000),
    "HUR": Unit("hour", "hours"),
    "MON": Unit("month", "months", note="its hours are not stated"),
    "ANN": Unit("year", "years"),
}
"""Codes of units of UN/ECE Recommendation 20 and of SAP that mean one thing only; case is ignored."""
_AMBIGUOUS = {
    "ST": "is a piece (Stück) in German SAP systems and a sheet in UN/ECE Recommendation 20",
    "M": "is a metre in UN/ECE Recommendation 20 and a thousand or a month elsewhere",
    "C": "is a hundred or a coulomb, by the list of codes",
}


@dataclass(frozen=True, slots=True)
class QuoteLine:
    """One line of a quote.

    Attributes
    ----------
    row : int or str
        Where it stands in its file.
    quote_id, supplier : str
        Empty where the file does not state them.
    currency : str
        ISO 4217.
    valid_until : str or None
        Last day of validity, YYYY-MM-DD.
    lead_time_days : int or None
        [days]
    kind : str
        One of `BUYABLE` or `CHARGES`; empty where nothing says what the line is.
    item : str
        Id of the device, server, instance, volume or part, where `kind` is one of them.
    part_number, manufacturer, manufacturer_part_number, description, unspsc : str
        Carried through, never interpreted.
    quantity : Decimal
        In units.
    unit : Unit or None
        None of a charge.
    price : Decimal
        Of `price_per` units. [currency]
    price_per : Decimal
        Units that the price is for, above 0.
    """

    row: Row
    quote_id: str
    supplier: str
    currency: str
    valid_until: str | None
    lead_time_days: int | None
    kind: str
    item: str
    part_number: str
    manufacturer: str
    manufacturer_part_number: str
    description: str
    unspsc: str
    quantity: Decimal
    unit: Unit | None
    price: Decimal
    price_per: Decimal

    @property
    def amount(self) -> Decimal:
        """Price of the whole line, to 60 significant digits. [currency]"""
        whole = values.EXACT.multiply(self.price, self.quantity)
        return values.EXACT.divide(whole, self.price_per)

    @property
    def count(self) -> Decimal:
        """How many pieces, hours, months or years the line is; of a charge 1."""
        each = 1 if self.unit is None else self.unit.count
        return values.EXACT.multiply(self.quantity, Decimal(each))

    @property
    def price_of_one(self) -> Decimal:
        """Price of one piece, hour, month or year, to 60 significant digits. [currency]"""
        each = 1 if self.unit is None else self.unit.count
        of_all = values.EXACT.multiply(self.price_per, Decimal(each))
        return values.EXACT.divide(self.price, of_all)


def unit_of(code: str) -> Unit:
    """Return what a code of a unit means.

    Raises
    ------
    Skip
        If it is absent, unknown, or means several things.

    Examples
    --------
    >>> unit_of("pce").one, unit_of("CEN").count
    ('piece', 100)
    """
    if not code:
        raise Skip("no unit is stated")
    if (found := UNITS.get(code.upper())) is not None:
        return found
    if (why := _AMBIGUOUS.get(code.upper())) is not None:
        raise Skip(f"unit `{shown(code)}` {why}")
    raise Skip(
        f"unit `{shown(code)}` is unknown: how many pieces it holds is not stated"
    )


def take_lines(
    rows: Iterable[tuple[Row, Fields | Skip]], ledger: Ledger
) -> Iterator[QuoteLine]:
    """Turn the rows of any format into lines; a row that needs a guess is left out with its reason.

    Parameters
    ----------
    rows : iterable of (row, fields or Skip)
        Of a row that its format already refuses, the reason.
    ledger : Ledger
        Notes what is taken, what is not, and every unit.
    """
    for row, fields in rows:
        try:
            if isinstance(fields, Skip):
                raise fields
            line = line_of(row, fields)
        except Skip as left_out:
            quote_id = "" if isinstance(fields, Skip) else fields.get("quote_id", "")
            ledger.skip(row, left_out.reason, quote_id.strip())
            continue
        ledger.take(line.currency, *_unit_in_words(line, fields))
        if line.valid_until is not None:
            ledger.valid_until(line.valid_until)
        if not line.kind and not ledger.is_known(line):
            ledger.leave_unresolved(
                row,
                line.part_number or line.manufacturer_part_number or line.description,
                "neither the file nor a mapping states which device, server, instance, volume or part this is",
            )
        yield line


def line_of(row: Row, fields: Fields) -> QuoteLine:
    """Return a line from its texts.

    Raises
    ------
    Skip
        If a text is not what its field must be.
    """
    stated = {name: fields.get(name, "").strip() for name in FIELDS}
    for name, text in stated.items():
        if any("\ud800" <= each <= "\udfff" for each in text):
            raise Skip(f"{name} has half of a UTF-16 character")
    kind, item = stated["kind"], stated["item"]
    if kind and kind not in BUYABLE + CHARGES:
        raise Skip(f"kind `{shown(kind)}` is not one of {', '.join(BUYABLE + CHARGES)}")
    if kind in BUYABLE and not item:
        raise Skip(f"kind is `{kind}`, but no item is named")
    if item and kind not in BUYABLE:
        raise Skip(
            f"item `{shown(item)}` is named, but its kind is not one of {', '.join(BUYABLE)}"
        )
    charge = kind in CHARGES
    quantity = values.positive(stated["quantity"], "quantity")
    price_per = (
        values.positive(stated["price_per"], "price_per")
        if stated["price_per"]
        else Decimal(1)
    )
    if charge and not quantity == price_per == 1:
        raise Skip(
            f"a line of kind `{kind}` is one sum: quantity and price_per must be 1"
        )
    return QuoteLine(
        row=row,
        quote_id=stated["quote_id"],
        supplier=stated["supplier"],
        currency=values.currency(stated["currency"]),
        valid_until=values.day(stated["valid_until"], "valid_until"),
        lead_time_days=values.whole(stated["lead_time_days"], "lead time"),
        kind=kind,
        item=item,
        part_number=stated["part_number"],
        manufacturer=stated["manufacturer"],
        manufacturer_part_number=stated["manufacturer_part_number"],
        description=stated["description"],
        unspsc=stated["unspsc"],
        quantity=quantity,
        unit=None if charge and not stated["unit"] else unit_of(stated["unit"]),
        price=values.number(stated["price"], "price"),
        price_per=price_per,
    )


def _unit_in_words(line: QuoteLine, fields: Fields) -> tuple[str, str]:
    """Return the unit of a price as printed and as understood; two empty texts for a sum."""
    if line.unit is None:
        return "", ""
    printed = fields["unit"].strip()
    per = fields.get("price_per", "").strip()
    if per:
        printed = f"{printed}, price per {per}"
    unit = line.unit
    of_all = format(
        values.EXACT.multiply(line.price_per, Decimal(unit.count)).normalize(), ",f"
    )
    note = f" ({unit.note})" if unit.note else ""
    return (
        printed,
        f"price of {of_all} {unit.one if of_all == '1' else unit.many}{note}",
    )
