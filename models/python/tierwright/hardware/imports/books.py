"""Price books of imported lists: which of their prices are those of a device, of memory, an instance or a volume, by exact rules and the mapping of the user."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from tierwright.common.currency import BASE, ExchangeRate
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, listed
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import MOST_LISTED, Imported, Skip, shown
from tierwright.hardware.imports.mapping import Item, LineMapping
from tierwright.hardware.imports.prices import Price
from tierwright.hardware.parts import parts
from tierwright.hardware.prices import PRICE_UNITS, PriceBook, price_book_from_mapping
from tierwright.hardware.rents import FIGURES, INSTANCE, VOLUME, lacking
from tierwright.hardware.servers import servers
from tierwright.hardware.volumes import Volume, volumes

MOST_PLACED = 1000
"""Most prices of a book."""
_MIB, _GIB, _GB = 2**20, 2**30, 10**9
_MOST_NAMED = 4
_HOURS = Decimal(730)
_DIGITS = Decimal("1e-12")
_AWS_VOLUMES = {
    "gp3": ("aws-ebs-gp3-baseline", "aws-ebs-gp3-max"),
    "st1": ("aws-ebs-st1",),
    "sc1": ("aws-ebs-sc1",),
    "standard": ("aws-ebs-standard",),
}
"""Devices of the volumes of AWS by the name of their API, which is what the price list names them by."""


_RENTED_VOLUMES = ("gp2", "gp3", "st1", "sc1", "io2")
"""Volumes of AWS whose charges are prices of these families and measures, by the name of their API."""
_CHARGES = {
    ("Storage", "byte_month"),
    ("System Operation", "io_per_s_month"),
    ("Provisioned Throughput", "byte_per_s_month"),
}
_CHARGED = {
    "usd_per_gib_month": "capacity",
    "usd_per_iops_month": "IOPS",
    "usd_per_mb_per_s_month": "throughput",
    "usd_per_iops_month_2": "IOPS above a first tier",
}
_THROUGHPUT = {"MB/s": 10**6, "MiB/s": _MIB}


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
    open_volumes : dict of str to str
        Volumes of which the list prices some charges alone, and what it does not price: they are rented as shipped.
    """

    book: PriceBook
    left: tuple[Left, ...]
    left_count: int
    open_volumes: Mapping[str, str] = field(default_factory=dict)

    @property
    def finding(self) -> str:
        """How many prices are in the book, and how many are not."""
        held = len(self.book.prices) + len(self.book.rents)
        placed = counted(held, "price is", "prices are")
        found = f"{placed} in the book `{self.book.id}`; {counted(self.left_count, 'price of the list is', 'prices of the list are')} not."
        return found + "".join(
            f" The rent of `{name}` is not in it: the list has no one price of its {what}."
            for name, what in self.open_volumes.items()
        )


@dataclass(slots=True)
class _Stated:
    """What a list states of things by one SKU, price code, region and type of term, on the last day of it so far."""

    price: Price
    """The first of its rows, for their name."""
    amounts: set[tuple[tuple[tuple[str, Decimal], ...], str]] = field(
        default_factory=set
    )
    """Key and amount of each thing, with their currency: those that differ."""
    count: int = 0
    has_tiers: bool = False

    @property
    def refusal(self) -> str:
        """Why it is no price of a book; empty where it is one."""
        if self.has_tiers:
            return "has tiers, and a price book has one price of a thing"
        if any(not amount for of_all, _ in self.amounts for _, amount in of_all):
            return "is 0, which is no price"
        return ""


_Subject = tuple[str, ...]
"""Key and id of what is priced; of a rent also which charge it is."""
_Stands = tuple[tuple[_Subject, ...], tuple[str, str, str, str]]


@dataclass(slots=True)
class BookMaker:
    """Collects the prices of a list that a book can hold.

    Of each SKU, price code, region and type of term the last day counts: what differs between them are several prices.

    Parameters
    ----------
    mapping : LineMapping
        What SKUs are: a SKU is its part number.
    region : str
        Of the prices that count; empty: of all, which must then agree.
    today : str
        Prices that begin after it do not count, YYYY-MM-DD; empty: that of the clock, in UTC.
    devices : mapping of str to Device or None
        Those that a price can be of; None: the shipped ones.
    """

    mapping: LineMapping
    region: str = ""
    today: str = ""
    devices: Mapping[str, Device] | None = None
    _found: dict[_Stands, _Stated] = field(default_factory=dict)
    _left: list[Left] = field(default_factory=list)
    _left_count: int = 0

    def __post_init__(self) -> None:
        """Take the day of the clock where none is stated."""
        self.today = self.today or datetime.now(UTC).date().isoformat()

    def add(self, price: Price) -> None:
        """Take a price, or note why it is not in the book."""
        if self.region and price.region != self.region:
            self._leave(price, f"is of the region `{shown(price.region)}`")
            return
        if price.effective > self.today:
            self._leave(
                price, f"begins on {price.effective}, and today is {self.today}"
            )
            return
        try:
            things = _things(price, self.mapping, self.devices)
            is_tier = _is_tier(price, things)
            held = [] if is_tier or price.lease else things
            amounts = tuple(_amount(price, *each) for each in held)
        except Skip as left_out:
            self._leave(price, left_out.reason)
            return
        if price.lease:
            self._leave(price, f"is a reservation of {shown(price.lease)}")
            return
        stands = tuple(subject for subject, _ in things), _identity(price)
        found = self._found.get(stands)
        if found is not None and price.effective < found.price.effective:
            self._leave(price, f"a price of {found.price.effective} takes its place")
            return
        if found is None or price.effective > found.price.effective:
            if found is not None:
                why = f"a price of {price.effective} takes its place"
                self._leave(found.price, why, found.count)
            found = self._found[stands] = _Stated(price)
        found.count += 1
        found.has_tiers = found.has_tiers or is_tier
        found.amounts.add((amounts, price.currency))

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
        placed, open_volumes = self._placed()
        if not placed:
            why = self._left[0].reason if self._left else "it has no prices"
            raise BadInput(
                f"no price of the list is that of a known device, instance or volume: the first of {counted(self._left_count, 'price')}: {why}",
                "state in the mapping which device, memory module, instance or volume a SKU is",
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
        rents = [
            entry
            for _, entry in sorted(placed, key=lambda one: json.dumps(one[1]))
            if {INSTANCE, VOLUME} & entry.keys()
        ]
        document = {
            "name": name,
            "date": imported.dates["published"]
            or max(price.effective for price, _ in placed),
            "region": regions.pop() if len(regions) == 1 else "",
            "currency": currency,
            "exchange_rates": [each.to_dict() for each in known],
            "prices": [
                entry
                for _, entry in sorted(placed, key=lambda one: _subject(one[1]))
                if not {INSTANCE, VOLUME} & entry.keys()
            ],
            **({"rents": rents} if rents else {}),
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
        return MadeBook(book, tuple(self._left), self._left_count, open_volumes)

    def _placed(
        self,
    ) -> tuple[list[tuple[Price, dict[str, Any]]], dict[str, str]]:
        """Return the entry of each thing, with a price that it is from, and the volumes that are priced in part; those without one are noted."""
        by_subject: dict[_Subject, list[tuple[_Stated, int]]] = {}
        left: dict[int, tuple[_Stated, str]] = {}
        for (subjects, _), found in self._found.items():
            if found.refusal:
                left[id(found)] = found, found.refusal
                continue
            for at, subject in enumerate(subjects):
                by_subject.setdefault(subject, []).append((found, at))
        made: dict[_Subject, tuple[Price, dict[str, Any]]] = {}
        for subject, several in by_subject.items():
            try:
                made[subject] = _one_of(subject, several)
            except Skip as left_out:
                for found, _ in several:
                    left.setdefault(id(found), (found, left_out.reason))
        whole, of_part = _whole(made, by_subject, left)
        for found, reason in left.values():
            self._leave(found.price, reason, found.count)
        return list(whole.values()), of_part

    def _leave(self, price: Price, reason: str, count: int = 1) -> None:
        self._left_count += count
        if len(self._left) < MOST_LISTED:
            if count > 1:
                reason += f" (with {counted(count - 1, 'more row')} of it)"
            name = shown(price.sku or price.name)
            self._left.append(Left(shown(price.row), name, reason))


def is_placed(price: Price, mapping: LineMapping) -> bool:
    """Whether an exact rule or the mapping states what a price is of, or the file itself does."""
    try:
        return bool(
            mapping.items_of(price) is not None or _things(price, mapping, None)
        )
    except Skip:
        return False


_Entries = dict[_Subject, tuple[Price, dict[str, Any]]]


def _whole(
    made: _Entries,
    by_subject: Mapping[_Subject, Sequence[tuple[_Stated, int]]],
    left: dict[int, tuple[_Stated, str]],
) -> tuple[_Entries, dict[str, str]]:
    """Return the entries without those of volumes that are priced in part, and these volumes; note what is then nowhere."""
    of_part = _open_volumes(made, by_subject)
    whole = {each: one for each, one in made.items() if each[1] not in of_part}
    held = {id(found) for each in whole for found, _ in by_subject[each]}
    for subject in made.keys() - whole.keys():
        name, lacks = subject[1], of_part[subject[1]]
        for found, _ in by_subject[subject]:
            if id(found) not in held:
                reason = f"is of `{name}`, and the list has no one price of its {lacks}"
                left.setdefault(id(found), (found, reason))
    return whole, of_part


def _open_volumes(
    made: Mapping[_Subject, Any], asked: Mapping[_Subject, Any]
) -> dict[str, str]:
    """Return the volumes of which not every charge has its one price, with those that lack one: a volume is rented at one list."""
    known = volumes()
    names = dict.fromkeys(each[1] for each in asked if each[0] == VOLUME)
    found = {}
    for name in names:
        stated = [each[2] for each in made if each[:2] == (VOLUME, name)]
        left = lacking(known[name], stated)
        left += tuple(
            each[2] for each in asked if each[:2] == (VOLUME, name) and each not in made
        )
        words = [_CHARGED[each] for each in dict.fromkeys(left) if each in _CHARGED]
        if words:
            found[name] = listed(words)
    return found


def _subject(entry: Mapping[str, Any]) -> _Subject:
    return str(entry.get("kind", "")), str(entry.get("device_id", ""))


def _identity(price: Price) -> tuple[str, str, str, str]:
    return price.part_number, price.price_code, price.region, price.term_type


def _things(
    price: Price, mapping: LineMapping, devices: Mapping[str, Device] | None
) -> list[tuple[_Subject, int]]:
    """Return what a price is of, each with the bytes that one piece holds; 0 where no piece is counted.

    Raises
    ------
    Skip
        If nothing states it.
    """
    known = catalog.devices() if devices is None else devices
    items = mapping.items_of(price)
    if items is None:
        return _by_rule(price, known)
    if len(items) != 1 or items[0].quantity != 1:
        raise Skip("the mapping states several things, and their prices are not stated")
    kind, name = items[0].kind, items[0].item
    if kind == INSTANCE or (kind == "server" and name in servers()):
        return [_instance(price, name)]
    if kind == VOLUME:
        return [_charge(price, name, items[0])]
    if kind == "device":
        device = known.get(name)
        if device is None:
            raise Skip(f"there is no device `{shown(name)}`")
        return [(("device_id", device.id), device.capacity_bytes or 0)]
    part = parts().get(name) if kind == "part" else None
    if part is not None and part.kind == "dimm":
        return [(("kind", "dram"), part.capacity_bytes or 0)]
    raise Skip(
        f"is the {kind} `{shown(name)}`: a price book holds prices of devices and of memory, and rents of instances and volumes"
    )


def _by_rule(price: Price, known: Mapping[str, Device]) -> list[tuple[_Subject, int]]:
    """Return what a price is of by the exact rules: names of types that the row states without a doubt.

    Raises
    ------
    Skip
        If they do not tell it.
    """
    found: list[tuple[_Subject, int]] = []
    if name := _instances().get(price.instance):
        found.append(_instance(price, name))
    if price.term_type == "OnDemand" and price.family == "Storage":
        names = _AWS_VOLUMES.get(price.name, ())
        found += [(("device_id", name), 0) for name in names if name in known]
    charge = price.family, price.unit.measure
    if (
        price.term_type == "OnDemand"
        and charge in _CHARGES
        and price.name in _RENTED_VOLUMES
    ):
        found.append(_charge(price, f"aws-ebs-{price.name}", None))
    if not found:
        raise Skip("neither an exact rule nor the mapping states which device this is")
    return found


@cache
def _instances() -> Mapping[str, str]:
    """Return the shipped instances by what their provider calls them."""
    return {each.name: each.id for each in servers().values()}


def _instance(price: Price, name: str) -> tuple[_Subject, int]:
    """Return an instance as what a price is of.

    Raises
    ------
    Skip
        If there is none, or it is not a price of time.
    """
    if name not in servers():
        raise Skip(f"there is no instance `{shown(name)}`")
    if price.unit.measure not in ("hour", "month") and not price.lease:
        raise Skip(f"is a {price.unit.words}, not the rent of an instance")
    return (INSTANCE, name, FIGURES[INSTANCE][0]), 1


_VOLUME_CHARGES = {
    **dict.fromkeys(("byte_month", "byte_hour", "month", "hour"), "usd_per_gib_month"),
    "io_per_s_month": "usd_per_iops_month",
    "byte_per_s_month": "usd_per_mb_per_s_month",
}


def _charge(price: Price, name: str, item: Item | None) -> tuple[_Subject, int]:
    """Return a charge of a volume as what a price is of, with what one piece is in units of the charge.

    Raises
    ------
    Skip
        If there is no such block volume, or the price is of something else.
    """
    volume = volumes().get(name)
    if volume is None or volume.kind != "block":
        raise Skip(f"there is no block volume `{shown(name)}`")
    measure = price.unit.measure
    figure = _VOLUME_CHARGES.get(measure)
    if figure is None and not price.lease:
        raise Skip(f"is a {price.unit.words}, not a charge of a volume")
    held = 1
    if measure in ("month", "hour"):
        held = _size_gib(volume, item) * _GIB
    elif figure == "usd_per_mb_per_s_month":
        held = _THROUGHPUT[volume.throughput_unit]
    return (VOLUME, name, figure or ""), held


def _size_gib(volume: Volume, item: Item | None) -> int:
    """Return the GiB of a volume that is rented as a piece.

    Raises
    ------
    Skip
        If neither the mapping nor the volume says it, or it is no whole number.
    """
    stated = None if item is None else item.size_gib
    if stated is None and volume.min_size_gib == volume.max_size_gib:
        stated = volume.min_size_gib
    if not stated or stated != int(stated):
        raise Skip(
            f"is of a piece of `{volume.id}`, and the mapping does not state its whole `size_gib`"
        )
    return int(stated)


def _is_tier(price: Price, things: Sequence[tuple[_Subject, int]]) -> bool:
    """Whether a price is one of several tiers; what a volume includes is none.

    Raises
    ------
    Skip
        If it is the free allowance that the volume includes.
    """
    if not price.begin and price.end is None:
        return False
    included = Decimal(0)
    for subject, held in things:
        name = {
            "usd_per_iops_month": "iops_included",
            "usd_per_mb_per_s_month": "mb_per_s_included",
        }.get(subject[-1], "")
        if name and subject[0] == VOLUME:
            stated = getattr(volumes()[subject[1]], name) or Decimal(0)
            included = stated * held / price.unit.amount
    if included and price.is_free_allowance and price.end == included:
        raise Skip("is the allowance that the volume includes")
    return not (included and price.begin == included and price.end is None)


def _amount(price: Price, subject: _Subject, held: int) -> tuple[str, Decimal]:
    """Return the key of a price in a book and its amount: of a rent of its charge; else of a GiB, or of a GB where its unit is a power of 10.

    Raises
    ------
    Skip
        If it is not a price of capacity.
    """
    measure, one = price.unit.measure, price.price_of_one
    hours = _HOURS if measure.endswith("hour") else Decimal(1)
    if subject[0] in (INSTANCE, VOLUME):
        return _rent(price, subject, held, hours)
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


def _rent(
    price: Price, subject: _Subject, held: int, hours: Decimal
) -> tuple[str, Decimal]:
    """Return the key of a rent without its currency, and its amount."""
    measure, times = price.unit.measure, hours
    if subject[0] == INSTANCE:
        times = Decimal(1) if measure == "hour" else 1 / _HOURS
    elif measure in ("month", "hour"):
        times = hours * _GIB / held
    elif measure in ("byte_month", "byte_hour"):
        times = hours * _GIB
    elif measure == "byte_per_s_month":
        times = Decimal(held)
    amount = values.EXACT.multiply(price.price_of_one, times)
    return subject[2].removeprefix("usd_"), amount.quantize(_DIGITS).normalize()


def _one_of(
    subject: _Subject, several: Sequence[tuple[_Stated, int]]
) -> tuple[Price, dict[str, Any]]:
    """Return the entry of a thing, if all that the list states of it agrees.

    Parameters
    ----------
    several : sequence of (_Stated, int)
        What the list states, and the place of the thing in it.

    Raises
    ------
    Skip
        If it states several prices.
    """
    amounts = {
        (*of_all[at], currency)
        for found, at in several
        for of_all, currency in found.amounts
    }
    prices = [found.price for found, _ in several]
    if len(amounts) > 1:
        what = "memory" if subject[0] == "kind" else f"`{subject[1]}`"
        if subject[0] == VOLUME:
            what = f"the {_CHARGED[subject[2]]} of {what}"
        raise Skip(
            f"the list has {counted(len(amounts), 'price')} of {what}{_apart(prices)}: state the region, or map one SKU alone"
        )
    [(key, amount, _)] = amounts
    price = max(prices, key=lambda one: one.effective)
    if price.currency == BASE:
        key = f"usd_{key}"
    is_rent = subject[0] in (INSTANCE, VOLUME)
    assert is_rent or key in PRICE_UNITS
    name = price.sku or price.name
    return price, {
        subject[0]: subject[1],
        key: f"{amount:f}",
        **({"region": price.region} if is_rent else {}),
        "source": f"imported price list, SKU {shown(name)}",
        "date": price.effective,
        "note": price.unit.words,
    }


def _apart(prices: Sequence[Price]) -> str:
    """Say by what prices stand apart in their list."""
    said = ""
    for at, noun in enumerate(("SKUs", "price codes", "regions", "types of term")):
        names = sorted({_identity(price)[at] or "-" for price in prices})
        if len(names) > 1:
            more = len(names) - _MOST_NAMED
            texts = [shown(name) for name in names[:_MOST_NAMED]]
            said += f", of the {noun} {listed([*texts, f'{more:,} more'] if more > 0 else texts)}"
    return said


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
        } | {
            f"{each.item}, {_CHARGED.get(each.figure, 'rent')}": f"{format((each.usd if each.stated is None else each.stated).normalize(), 'f')} "
            f"{each.unit.replace(BASE, book.currency, 1)}"
            for each in book.rents
        }

    old, new = stated(before), stated(after)
    return [
        {"what": name, "before": old.get(name, ""), "after": new.get(name, "")}
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
