"""Dated price books, and what holding bytes costs a month.

Prices are those of capacity alone. Power, cooling, floor space, provisioned IOPS,
request fees, staff and the cost of money are not included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.device import KINDS, Device, Figure, check_date, read_decimal
from tierwright.errors import BadInput, Problems
from tierwright.units import UNIT_BYTES

DEFAULT_AMORTISATION_MONTHS = 36
"""Months over which a purchase is spread when nothing else is said."""

NOT_INCLUDED = "power, cooling, provisioned IOPS, request fees, staff and interest are not included"
"""What a monthly cost leaves out, for display beside it."""

PRICE_UNITS = ("usd_per_gb", "usd_per_gib", "usd_per_gb_month", "usd_per_gib_month")
"""Keys of a price entry; exactly one is given. GB = 10^9, GiB = 2^30 bytes."""

_BOOK_KEYS = {"id", "name", "date", "region", "currency", "notes", "prices"}
_ENTRY_KEYS = {"device_id", "kind", "source", "date", "note", *PRICE_UNITS}
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")


@dataclass(frozen=True, slots=True)
class Price:
    """Price of capacity: one purchase or one rent.

    Attributes
    ----------
    usd : Decimal
        Money per unit of capacity, and per month when `rent`.
    per : str
        `GB` (10^9 bytes) or `GiB` (2^30 bytes).
    rent : bool
        Whether the money is due every month.
    source : str
        Where the price is from.
    date : str or None
        When it was seen; None when undated.
    device_id, kind : str or None
        What it prices: one device, or every device of a kind.
    note : str
        What to know before using it.
    """

    usd: Decimal
    per: str
    rent: bool
    source: str
    date: str | None = None
    device_id: str | None = None
    kind: str | None = None
    note: str = ""

    @property
    def unit(self) -> str:
        """Unit of the price, for display."""
        return f"USD/{self.per}/month" if self.rent else f"USD/{self.per}"

    @property
    def key(self) -> str:
        """Key under which the price stands in a file."""
        return f"usd_per_{self.per.lower()}" + ("_month" if self.rent else "")

    @property
    def usd_per_gb(self) -> Decimal:
        """The price converted to decimal gigabytes. [USD/GB or USD/GB/month]"""
        return self.usd * UNIT_BYTES["GB"] / UNIT_BYTES[self.per]

    def usd_per_month(self, held_bytes: int, amortisation_months: int) -> Decimal:
        """Money a month for holding bytes: rent, or purchase / amortisation_months. [USD]

        Parameters
        ----------
        held_bytes : int
            Bytes held, not the size of the device they are held on. [bytes]
        amortisation_months : int
            Months over which a purchase is spread, without interest.

        Returns
        -------
        Decimal
            [USD/month]
        """
        total = self.usd * held_bytes / UNIT_BYTES[self.per]
        return total if self.rent else total / amortisation_months

    def to_dict(self) -> dict[str, Any]:
        """Return the price in the form that `price_book_from_mapping` reads."""
        subject = (
            {"device_id": self.device_id} if self.device_id else {"kind": self.kind}
        )
        return {
            **subject,
            self.key: float(self.usd),
            "source": self.source,
            "date": self.date,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Prices of one time and place.

    Attributes
    ----------
    id, name : str
        Name in files and addresses; name for people.
    date : str
        Time the book stands for; each price has its own date besides.
    region : str
        Where the prices hold; empty when not stated.
    currency : str
        `USD`, the only one so far.
    prices : tuple of Price
        Entries by device or by kind.
    notes : str
        What to know before using the book.
    """

    id: str
    name: str
    date: str
    region: str
    currency: str
    prices: tuple[Price, ...]
    notes: str = ""

    def find(self, *, device_id: str | None, kind: str) -> Price | None:
        """Price of a device: its own entry, else that of its kind, else None."""
        if device_id is not None:
            for price in self.prices:
                if price.device_id == device_id:
                    return price
        for price in self.prices:
            if price.kind == kind:
                return price
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the book in the form that `price_book_from_mapping` reads."""
        return {
            "id": self.id,
            "name": self.name,
            "date": self.date,
            "region": self.region,
            "currency": self.currency,
            "notes": self.notes,
            "prices": [price.to_dict() for price in self.prices],
        }


def own_price(device: Device) -> Price | None:
    """Price that the device's own profile states: rent if there is one, else purchase."""
    for name, rent in (("unit_rent", True), ("unit_price", False)):
        figure: Figure | None = device.figures.get(name)
        if figure is not None:
            return Price(
                figure.value,
                figure.unit.split("/")[1],
                rent,
                figure.source,
                figure.date,
                device.id,
                None,
                figure.note,
            )
    return None


def check_amortisation(months: object) -> int:
    """Return the amortisation period, refusing what is not a positive whole number.

    Raises
    ------
    BadInput
        If `months` is not an integer of at least 1.
    """
    if isinstance(months, bool) or not isinstance(months, int) or months < 1:
        raise BadInput(
            f"amortisation_months `{months}` is not a positive whole number",
            "36 spreads a purchase over three years",
        )
    return months


def price_book_from_mapping(
    data: Mapping[str, Any], *, place: str = "price book"
) -> PriceBook:
    """Make a price book from plain data, checking every key and value.

    Parameters
    ----------
    data : mapping
        `id`, `name`, `date`, optional `region`, `currency` (USD), `notes`, and `prices`:
        a list of `{device_id or kind, one of PRICE_UNITS, source, date?, note?}`.
    place : str
        File or request named in errors.

    Returns
    -------
    PriceBook

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, "docs/reference/price-books.md lists keys and units")
    for key in data:
        problems.check(key in _BOOK_KEYS, key, None, "unknown key")
    for key in ("id", "name", "date"):
        value = data.get(key)
        problems.check(
            isinstance(value, str) and value.strip(), key, value, "must be a text"
        )
    identifier = str(data.get("id", ""))
    problems.check(
        not identifier or _ID.fullmatch(identifier),
        "id",
        identifier,
        "must be lower-case letters, digits, `.`, `_`, `-`, at most 80",
    )
    check_date(data.get("date"), "date", problems)
    currency = data.get("currency", "USD")
    problems.check(currency == "USD", "currency", currency, "must be USD")
    for key in ("region", "notes"):
        value = data.get(key, "")
        problems.check(isinstance(value, str), key, value, "must be text")
    entries = data.get("prices", [])
    prices: list[Price] = []
    if problems.check(isinstance(entries, list), "prices", entries, "must be a list"):
        for index, entry in enumerate(entries):
            price = _entry(entry, f"prices[{index}]", problems)
            if price is not None:
                prices.append(price)
    _check_unique(prices, problems)
    problems.raise_if_any()
    return PriceBook(
        identifier,
        data["name"],
        data["date"],
        data.get("region", ""),
        currency,
        tuple(prices),
        data.get("notes", ""),
    )


def _entry(entry: Any, where: str, problems: Problems) -> Price | None:
    if not problems.check(isinstance(entry, Mapping), where, entry, "must be a table"):
        return None
    before = len(problems.found)
    for key in entry:
        problems.check(key in _ENTRY_KEYS, f"{where}.{key}", None, "unknown key")
    device_id, kind = entry.get("device_id"), entry.get("kind")
    problems.check(
        (device_id is None) != (kind is None),
        where,
        None,
        "needs either `device_id` or `kind`",
    )
    if device_id is not None:
        problems.check(
            isinstance(device_id, str),
            f"{where}.device_id",
            device_id,
            "must be the id of a device",
        )
    if kind is not None:
        problems.check(
            isinstance(kind, str) and kind in KINDS,
            f"{where}.kind",
            kind,
            f"is none of {', '.join(KINDS)}",
        )
    given = [key for key in PRICE_UNITS if entry.get(key) is not None]
    if not problems.check(
        len(given) == 1, where, None, f"needs exactly one of {', '.join(PRICE_UNITS)}"
    ):
        return None
    usd = read_decimal(entry[given[0]], f"{where}.{given[0]}", problems)
    if usd is not None:
        problems.check(usd >= 0, f"{where}.{given[0]}", usd, "must not be negative")
    source = entry.get("source")
    problems.check(
        isinstance(source, str) and source.strip(),
        f"{where}.source",
        source,
        "must name where the price is from",
    )
    check_date(entry.get("date"), f"{where}.date", problems)
    if len(problems.found) > before or usd is None:
        return None
    return Price(
        usd,
        "GiB" if "gib" in given[0] else "GB",
        given[0].endswith("_month"),
        str(source),
        entry.get("date"),
        device_id,
        kind,
        str(entry.get("note", "")),
    )


def _check_unique(prices: list[Price], problems: Problems) -> None:
    seen: set[tuple[str | None, str | None]] = set()
    for price in prices:
        subject = (price.device_id, price.kind)
        problems.check(
            subject not in seen,
            "prices",
            price.device_id or price.kind,
            "is priced twice",
        )
        seen.add(subject)
