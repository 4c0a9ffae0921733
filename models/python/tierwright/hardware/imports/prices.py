"""Rows of price lists: what every format of them is read into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import Ledger, Row, Skip


@dataclass(frozen=True, slots=True)
class PriceUnit:
    """What a unit of a price list means.

    Attributes
    ----------
    measure : str
        What is priced: `piece` or `byte` that is bought; `hour`, `month` or `term` of one piece; `byte_hour`, `byte_month`, `io_per_s_month` or
        `byte_per_s_month`.
    amount : int
        How much of it one unit is.
    words : str
        The same for people.
    """

    measure: str
    amount: int
    words: str


@dataclass(frozen=True, slots=True)
class Price:
    """One tier of one price of one SKU.

    Attributes
    ----------
    row : int or str
        As its format counts it.
    sku, family, region, name : str
        Of the product; empty where the file does not state them.
    term_type : str
        As printed: on demand, reserved and the like.
    price_code : str
        What tells apart several prices of one SKU: the code of a term, or a meter.
    lease : str
        Length of a reservation, as printed; empty where there is none.
    effective : str
        Day from which it applies, YYYY-MM-DD.
    unit : PriceUnit
    begin : Decimal
        Where the tier begins. [units]
    end : Decimal or None
        Where it ends; None if it does not, or is not stated. [units]
    price : Decimal
        Of one unit. [currency]
    currency : str
        ISO 4217.
    kind, item : str
        What it is of, where the file states it: one of `tierwright.hardware.imports.quotes.BUYABLE`, and its id in the
        catalogue; empty where it does not.
    instance : str
        Type of an instance, where the row states exactly that it is on demand, with Linux, on shared hardware and without
        other software; empty where it does not.
    """

    row: Row
    sku: str
    family: str
    region: str
    name: str
    term_type: str
    price_code: str
    lease: str
    effective: str
    unit: PriceUnit
    begin: Decimal
    end: Decimal | None
    price: Decimal
    currency: str
    kind: str = ""
    item: str = ""
    instance: str = ""

    # What a mapping of quotes recognises a line by: a SKU is a part number of who offers it.
    @property
    def part_number(self) -> str:
        """Return the SKU, or the name of a price without one."""
        return self.sku or self.name

    @property
    def supplier(self) -> str:
        """Return nothing: a price list is of one supplier."""
        return ""

    @property
    def manufacturer(self) -> str:
        """Return nothing: a price list does not state it."""
        return ""

    @property
    def manufacturer_part_number(self) -> str:
        """Return nothing: a price list does not state it."""
        return ""

    @property
    def price_of_one(self) -> Decimal:
        """Price of one of the unit's measure, to 60 significant digits. [currency]"""
        return values.EXACT.divide(self.price, Decimal(self.unit.amount))

    @property
    def is_free_allowance(self) -> bool:
        """Whether it is a first tier without a price, before others."""
        return not self.price and not self.begin and self.end is not None


def take_prices(
    rows: Iterable[tuple[Row, str, Callable[[Row], Price]]], ledger: Ledger
) -> Iterator[Price]:
    """Turn the rows of any format into prices; one that needs a guess is left out with its reason.

    Parameters
    ----------
    rows : iterable of (row, printed, make)
        Its unit as printed; `make` is called with the row, and raises `Skip` to leave it out.
    ledger : Ledger
        Notes what is taken, what is not, every unit and the days from which prices apply.
    """
    for row, printed, make in rows:
        try:
            price = make(row)
        except Skip as left_out:
            ledger.skip(row, left_out.reason)
            continue
        ledger.take(price.currency, printed, price.unit.words)
        ledger.effective(price.effective)
        yield price
