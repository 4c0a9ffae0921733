"""Price books of imported lists: which of their prices are those of a device or of memory, by exact rules and the mapping of the user."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tierwright.common.currency import BASE, ExchangeRate
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, listed
from tierwright.hardware import catalog
from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import MOST_LISTED, Imported, Skip, shown
from tierwright.hardware.imports.mapping import LineMapping
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.parts import parts
from tierwright.hardware.prices import PRICE_UNITS, PriceBook, price_book_from_mapping

MOST_PLACED = 1000
"""Most prices of a book."""
_MIB, _GIB, _GB = 2**20, 2**30, 10**9
_HOURS = Decimal(730)
_DIGITS = Decimal("1e-12")
_AWS_VOLUMES = {
    "gp3": ("aws-ebs-gp3-baseline", "aws-ebs-gp3-max"),
    "st1": ("aws-ebs-st1",),
    "sc1": ("aws-ebs-sc1",),
    "standard": ("aws-ebs-standard",),
}
"""Devices of the volumes of AWS by the name of their API, which is what the price list names them by."""


@dataclass(frozen=True, slots=True)
class Left:
    """A price that is not in the book.

    Attributes
    ----------
    row : str
        Where it stands in the file.
    name : str
        Its SKU, or its name.
    reason : str
        Why it is not in it.
    """

    row: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class MadeBook:
    """A price book of a list, and what of the list is not in it.

    Attributes
    ----------
    book : PriceBook
        Its id is made of what it holds: the same list with the same mapping is the same book.
    left : tuple of Left
        The first prices that are not in it, at most `tierwright.hardware.imports.ledger.MOST_LISTED`.
    left_count : int
        How many they are in all.
    """

    book: PriceBook
    left: tuple[Left, ...]
    left_count: int

    @property
    def finding(self) -> str:
        """How many prices are in the book, and how many are not."""
        placed = counted(len(self.book.prices), "price is", "prices are")
        return f"{placed} in the book `{self.book.id}`; {counted(self.left_count, 'price of the list is', 'prices of the list are')} not."


@dataclass(slots=True)
class BookMaker:
    """Collects the prices of a list that a book can hold.

    Parameters
    ----------
    mapping : LineMapping
        What SKUs are: a SKU is its part number.
    region : str
        Of the prices that count; empty: of all, which must then agree.
    """

    mapping: LineMapping
    region: str = ""
    _found: dict[tuple[str, str], list[tuple[Price, str, Decimal]]] = field(
        default_factory=dict
    )
    _left: list[Left] = field(default_factory=list)
    _left_count: int = 0

    def add(self, price: Price) -> None:
        """Take a price, or note why it is not in the book."""
        if self.region and price.region != self.region:
            self._leave(price, f"is of the region `{shown(price.region)}`")
            return
        try:
            for subject, key, amount in _placed(price, self.mapping):
                self._found.setdefault(subject, []).append((price, key, amount))
        except Skip as left_out:
            self._leave(price, left_out.reason)

    def made(
        self, imported: Imported, name: str, rates: Sequence[ExchangeRate] = ()
    ) -> MadeBook:
        """Return the book.

        Parameters
        ----------
        imported : Imported
            What the import of the list shows.
        name : str
            Of the book, for people.
        rates : sequence of ExchangeRate
            Of currencies other than the dollar.

        Raises
        ------
        BadInput
            If no price is of a known device, there are too many, or the prices have several currencies or one without a rate.
        """
        placed: list[tuple[Price, dict[str, Any]]] = []
        for subject, prices in self._found.items():
            try:
                placed.append(_one_of(subject, prices))
            except Skip as left_out:
                for price, _, _ in prices:
                    self._leave(price, left_out.reason)
        if not placed:
            why = self._left[0].reason if self._left else "it has no prices"
            raise BadInput(
                f"no price of the list is that of a known device: the first of {counted(self._left_count, 'price')}: {why}",
                "state in the mapping which device or memory module a SKU is",
            )
        if len(placed) > MOST_PLACED:
            raise BadInput(
                f"a price book has at most {MOST_PLACED:,} prices, not {len(placed):,}",
                "map fewer SKUs",
            )
        currencies = sorted({price.currency for price, _ in placed})
        if len(currencies) > 1:
            raise BadInput(
                f"the prices are in {listed(currencies)}, and a price book has one currency",
                "give the price list of one currency",
            )
        [currency] = currencies
        known = [each for each in rates if each.currency == currency]
        if currency != BASE and not known:
            raise BadInput(
                f"the prices are in {currency}, and no exchange rate is stated",
                "state the value of one US dollar in it, with its date",
            )
        regions = {price.region for price, _ in placed if price.region}
        document = {
            "name": name,
            "date": imported.dates["published"] or imported.dates["effective_last"],
            "region": regions.pop() if len(regions) == 1 else "",
            "currency": currency,
            "exchange_rates": [each.to_dict() for each in known],
            "prices": [
                entry for _, entry in sorted(placed, key=lambda one: _subject(one[1]))
            ],
            "notes": f"Imported from a list of the format {imported.format} with the content {imported.id}. A month has "
            f"{_HOURS} hours. {counted(self._left_count, 'price of the list is', 'prices of the list are')} not in it.",
        }
        content = json.dumps(
            [imported.id, document], sort_keys=True, separators=(",", ":"), default=str
        )
        digest = hashlib.sha256(content.encode()).hexdigest()[:16]
        book = price_book_from_mapping(
            {"id": f"imported-{imported.format}-{digest}", **document}
        )
        return MadeBook(book, tuple(self._left), self._left_count)

    def _leave(self, price: Price, reason: str) -> None:
        self._left_count += 1
        if len(self._left) < MOST_LISTED:
            name = shown(price.sku or price.name)
            self._left.append(Left(shown(price.row), name, reason))


def is_placed(price: Price, mapping: LineMapping) -> bool:
    """Whether an exact rule or the mapping states what a price is of, or the file itself does."""
    try:
        return bool(mapping.items_of(price) is not None or _things(price, mapping))
    except Skip:
        return False


def _subject(entry: Mapping[str, Any]) -> tuple[str, str]:
    return str(entry.get("kind", "")), str(entry.get("device_id", ""))


def _placed(
    price: Price, mapping: LineMapping
) -> list[tuple[tuple[str, str], str, Decimal]]:
    """Return what a price is of, the key of its amount in a book, and the amount.

    Raises
    ------
    Skip
        If it is not the price of the capacity of a known thing.
    """
    things = _things(price, mapping)
    if price.begin or price.end is not None:
        raise Skip("has tiers, and a price book has one price of a thing")
    if price.lease:
        raise Skip(f"is a reservation of {shown(price.lease)}")
    return [(subject, *_amount(price, held)) for subject, held in things]


def _things(price: Price, mapping: LineMapping) -> list[tuple[tuple[str, str], int]]:
    """Return what a price is of, each with the bytes that one piece holds; 0 where no piece is counted.

    Raises
    ------
    Skip
        If nothing states it.
    """
    items = mapping.items_of(price)
    if items is None:
        names = _AWS_VOLUMES.get(price.name, ())
        if price.family == "Storage" and price.term_type == "OnDemand" and names:
            known = catalog.devices()
            return [(("device_id", name), 0) for name in names if name in known]
        raise Skip("neither an exact rule nor the mapping states which device this is")
    if len(items) != 1 or items[0].quantity != 1:
        raise Skip("the mapping states several things, and their prices are not stated")
    kind, name = items[0].kind, items[0].item
    if kind == "device":
        device = catalog.devices().get(name)
        if device is None:
            raise Skip(f"there is no device `{shown(name)}`")
        return [(("device_id", device.id), device.capacity_bytes or 0)]
    part = parts().get(name) if kind == "part" else None
    if part is not None and part.kind == "dimm":
        return [(("kind", "dram"), part.capacity_bytes or 0)]
    raise Skip(
        f"is the {kind} `{shown(name)}`: a price book holds prices of devices and of memory"
    )


def _amount(price: Price, held: int) -> tuple[str, Decimal]:
    """Return the key of a price in a book and its amount: of a GiB, or of a GB where its unit is a power of 10.

    Raises
    ------
    Skip
        If it is not a price of capacity.
    """
    measure, one = price.unit.measure, price.price_of_one
    hours = _HOURS if measure.endswith("hour") else Decimal(1)
    suffix = "" if measure in ("piece", "byte") else "_month"
    if measure in ("byte", "byte_month", "byte_hour"):
        size = _GIB if price.unit.amount % _MIB == 0 else _GB
        amount = values.EXACT.multiply(one, size * hours)
    elif measure in ("piece", "month", "hour"):
        if not held:
            raise Skip("is of a piece, and the capacity of one is not known")
        size = _GIB if held % _MIB == 0 else _GB
        amount = values.EXACT.divide(
            values.EXACT.multiply(one, size * hours), Decimal(held)
        )
    else:
        raise Skip(f"is a {price.unit.words}, not a price of capacity")
    unit = "gib" if size == _GIB else "gb"
    return f"per_{unit}{suffix}", amount.quantize(_DIGITS).normalize()


def _one_of(
    subject: tuple[str, str], found: Sequence[tuple[Price, str, Decimal]]
) -> tuple[Price, dict[str, Any]]:
    """Return the entry of a thing: its price of the last day, if the list states one alone.

    Raises
    ------
    Skip
        If it states several.
    """
    last = max(price.effective for price, _, _ in found)
    newest = [one for one in found if one[0].effective == last]
    price, key, amount = newest[0]
    amounts = {(key, amount, price.currency) for price, key, amount in newest}
    what = "memory" if subject[0] == "kind" else f"`{subject[1]}`"
    if len(amounts) > 1:
        regions = sorted({one[0].region or "-" for one in newest})
        where = f", of the regions {listed(regions)}" if len(regions) > 1 else ""
        raise Skip(
            f"the list has {counted(len(amounts), 'price')} of {what}{where}: state the region, or map one SKU alone"
        )
    if price.currency == BASE:
        key = f"usd_{key}"
    assert key in PRICE_UNITS
    name = price.sku or price.name
    return price, {
        subject[0]: subject[1],
        key: f"{amount:f}",
        "source": f"imported price list, SKU {shown(name)}",
        "date": price.effective,
        "note": price.unit.words,
    }


def changed_prices(before: PriceBook, after: PriceBook) -> list[dict[str, Any]]:
    """Return the prices that differ between two books: what each is of, and its text before and after; empty where it was not there.

    Parameters
    ----------
    before, after : PriceBook
        The earlier and the later one.
    """

    def stated(book: PriceBook) -> dict[str, str]:
        return {
            each.device_id
            or f"any {each.kind}": f"{format((each.usd if each.stated is None else each.stated).normalize(), 'f')} "
            f"{book.currency}/{each.per}{'/month' if each.rent else ''}"
            for each in book.prices
        }

    old, new = stated(before), stated(after)
    return [
        {"what": name, "before": old.get(name, ""), "after": new.get(name, "")}
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
