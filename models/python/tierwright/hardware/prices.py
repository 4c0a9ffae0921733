"""Dated price books, and what holding bytes costs a month.

Prices are those of capacity alone. Power, cooling, floor space, provisioned IOPS,
request fees, staff and the cost of money are not included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tierwright.common.currency import (
    BASE,
    DOLLARS,
    ExchangeRate,
    rate_from_mapping,
    read_amount,
    text_of,
    unit_price,
)
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import check_date
from tierwright.common.units import UNIT_BYTES
from tierwright.hardware.device import KINDS, RUNNING, Device, Figure, price_range
from tierwright.hardware.rents import Rents, rents_from_list

DEFAULT_AMORTISATION_MONTHS = 36
"""Months over which a purchase is spread when nothing else is said."""

NOT_INCLUDED = "power, cooling, request fees, staff and interest are not included"
"""What a monthly cost leaves out, for display beside it."""

PRICE_UNITS = (
    "usd_per_gb",
    "usd_per_gib",
    "usd_per_gb_month",
    "usd_per_gib_month",
    "per_gb",
    "per_gib",
    "per_gb_month",
    "per_gib_month",
)
"""Keys of a price entry; exactly one is given. GB = 10^9, GiB = 2^30 bytes. Those without `usd` are
in the currency of the book."""

MOST_QUARTERS_APART = 2
"""Quarters between the dates of two prices that still compare."""

_BOOK_KEYS = {
    "id",
    "name",
    "date",
    "region",
    "currency",
    "exchange_rates",
    "notes",
    "default",
    "retired",
    "absent",
    "prices",
    "rents",
}
_ABSENT_KEYS = {"kind", "reason"}
_QUARTERS, _MONTHS_A_QUARTER = 4, 3
_ENTRY_KEYS = {
    "device_id",
    "kind",
    "low",
    "high",
    "source",
    "date",
    "note",
    *PRICE_UNITS,
}
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
    stated : Decimal or None
        The price in the currency of its book, where that is not the dollar.
    low, high : Decimal or None
        Between what its sources state it, of a purchase: in the unit of the price and the currency of its book; None
        where no range is stated.
    """

    usd: Decimal
    per: str
    rent: bool
    source: str
    date: str | None = None
    device_id: str | None = None
    kind: str | None = None
    note: str = ""
    stated: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None

    @property
    def factors(self) -> tuple[float, float] | None:
        """Ends of its range over the price; None where no range is stated. [1]"""
        own = self.usd if self.stated is None else self.stated
        if self.low is None or self.high is None or own <= 0:
            return None
        return float(self.low / own), float(self.high / own)

    @property
    def unit(self) -> str:
        """Unit of the price, for display."""
        return f"USD/{self.per}/month" if self.rent else f"USD/{self.per}"

    @property
    def text(self) -> str:
        """The price for display in prose, as quoted: three significant digits."""
        return unit_price(self.usd, self.unit, DOLLARS)

    @property
    def key(self) -> str:
        """Key under which the price stands in a file."""
        currency = "usd_" if self.stated is None else ""
        return f"{currency}per_{self.per.lower()}" + ("_month" if self.rent else "")

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
            self.key: text_of(self.usd if self.stated is None else self.stated),
            **(
                {}
                if self.low is None or self.high is None
                else {"low": text_of(self.low), "high": text_of(self.high)}
            ),
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
        Of the prices as they are stated; in another than `USD` the book states its rate.
    prices : tuple of Price
        Entries by device or by kind.
    notes : str
        What to know before using the book.
    default : bool
        Whether it is taken where nobody chose a book; of the shipped ones exactly one.
    retired : str
        Why it should not be chosen any more; empty for a book that stands. It stays selectable.
    absent : mapping of str to str
        Kinds without a price, and why.
    exchange_rates : tuple of ExchangeRate
        Rates that the book states itself; they go before the shipped ones.
    rents : tuple of Rent
        Of instances and volumes: these are rented at them, all others as shipped.
    """

    id: str
    name: str
    date: str
    region: str
    currency: str
    prices: tuple[Price, ...]
    notes: str = ""
    default: bool = False
    retired: str = ""
    absent: Mapping[str, str] = field(default_factory=dict)
    exchange_rates: tuple[ExchangeRate, ...] = ()
    rents: Rents = ()

    def rate(self, currency: str) -> ExchangeRate | None:
        """Return the rate of a currency that the book states itself."""
        for rate in self.exchange_rates:
            if rate.currency == currency:
                return rate
        return None

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

    def price_of(self, device: Device) -> Price | None:
        """Price of a device: its own entry, else that of its kind if it can be bought.

        A purchase price of its kind does not say what a device costs that is rented, or
        that comes with an instance.
        """
        if device.sold_as == RUNNING:
            return None
        alone = device.sold_as == "device" and "unit_rent" not in device.figures
        found = self.find(device_id=device.id, kind=device.kind)
        if found is None or found.device_id is not None or alone or found.rent:
            return found
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
            "default": self.default,
            "retired": self.retired,
            "absent": [
                {"kind": kind, "reason": reason} for kind, reason in self.absent.items()
            ],
            "exchange_rates": [rate.to_dict() for rate in self.exchange_rates],
            "prices": [price.to_dict() for price in self.prices],
            **(
                {"rents": [rent.to_dict() for rent in self.rents]} if self.rents else {}
            ),
        }


def quarter_of(date: str) -> int:
    """Quarters from year 0 to a date; a year alone counts as its first quarter.

    Parameters
    ----------
    date : str
        `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or `YYYY-Qn`.

    Returns
    -------
    int

    Examples
    --------
    >>> quarter_of("2026-08-11") - quarter_of("2026-Q1")
    2
    """
    year, _, rest = date.partition("-")
    if rest.startswith("Q"):
        quarter = int(rest[1:]) - 1
    else:
        quarter = (int(rest[:2]) - 1) // _MONTHS_A_QUARTER if rest else 0
    return int(year) * _QUARTERS + quarter


def quarter_words(quarter: int) -> str:
    """Return the quarter that `quarter_of` counted as a date.

    Parameters
    ----------
    quarter : int
        From year 0.

    Examples
    --------
    >>> quarter_words(quarter_of("2022-11"))
    '2022-Q4'
    """
    year, rest = divmod(quarter, _QUARTERS)
    return f"{year:04}-Q{rest + 1}"


def dates_apart(used: Mapping[str, Price]) -> str | None:
    """Say which prices are of dates that do not compare.

    Parameters
    ----------
    used : mapping of str to Price
        What is priced, and its price.

    Returns
    -------
    str or None
        The oldest and the newest; None where they are at most `MOST_QUARTERS_APART` apart.
    """
    dated = {
        what: (quarter_of(price.date), price.date)
        for what, price in used.items()
        if price.date is not None
    }
    if not dated:
        return None
    oldest = min(dated, key=lambda what: dated[what][0])
    newest = max(dated, key=lambda what: dated[what][0])
    if dated[newest][0] - dated[oldest][0] <= MOST_QUARTERS_APART:
        return None
    return (
        f"the price of {oldest} is from {dated[oldest][1]}, the price of {newest} "
        f"from {dated[newest][1]}"
    )


def rate_caution(rate: ExchangeRate, book: PriceBook | None) -> dict[str, Any] | None:
    """Warn of an exchange rate that is not of the time of the prices.

    Parameters
    ----------
    rate : ExchangeRate
        Of the currency in which amounts are stated.
    book : PriceBook or None
        Whose prices they rest on.

    Returns
    -------
    dict or None
        `name`, `message` with both dates, `hint`; None where they are at most
        `MOST_QUARTERS_APART` apart.
    """
    if book is None or not rate.date:
        return None
    apart = abs(quarter_of(rate.date) - quarter_of(book.date))
    if apart <= MOST_QUARTERS_APART:
        return None
    return {
        "name": "prices_of_different_dates",
        "message": f"the exchange rate of {rate.currency} is from {rate.date}, the "
        f"prices of `{book.id}` from {book.date}",
        "hint": "state the rate of the day of your prices",
        "could_change_choice": False,
        "effect": "every amount is converted at this one rate: same choice",
        "about": [book.id],
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
                low=figure.low,
                high=figure.high,
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
            "use a whole number of months; 36 spreads a purchase over three years",
        )
    return months


def price_book_from_mapping(
    data: Mapping[str, Any], *, place: str = "price book"
) -> PriceBook:
    """Make a price book from plain data, checking every key and value.

    Parameters
    ----------
    data : mapping
        `id`, `name`, `date`, optional `region`, `currency` (USD), `exchange_rates` (a list of
        `{currency, per_usd, date, source}`), `notes`, `default`, `retired`, `absent` (a list of
        `{kind, reason}`), and `prices`: a list of `{device_id or kind, one of PRICE_UNITS,
        low?, high?, source, date?, note?}`; `low` and `high` are the range of a purchase, in the unit of the price.
        Optional `rents`, as `tierwright.hardware.rents.rents_from_list` reads them.
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
    problems = Problems(place, "see docs/reference/price-books.md for keys and units")
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
    rates = _rates(data.get("exchange_rates", []), problems)
    currency = data.get("currency", BASE)
    named = currency if isinstance(currency, str) else ""
    rate = DOLLARS if named == BASE else rates.get(named)
    problems.check(
        rate is not None,
        "currency",
        currency,
        "must be USD, or one of which `exchange_rates` states the rate",
    )
    for key in ("region", "notes", "retired"):
        value = data.get(key, "")
        problems.check(isinstance(value, str), key, value, "must be text")
    default = data.get("default", False)
    problems.check(
        isinstance(default, bool), "default", default, "must be true or false"
    )
    absent = _absent(data.get("absent", []), problems)
    entries = data.get("prices", [])
    prices: list[Price] = []
    if problems.check(isinstance(entries, list), "prices", entries, "must be a list"):
        for index, entry in enumerate(entries):
            price = _entry(entry, f"prices[{index}]", rate or DOLLARS, problems)
            if price is not None:
                prices.append(price)
    _check_unique(prices, problems)
    rents = rents_from_list(data.get("rents", []), "rents", problems, rate or DOLLARS)
    for price in prices:
        problems.check(
            price.kind is None or price.kind not in absent,
            "absent",
            price.kind,
            "has a price nevertheless",
        )
    problems.raise_if_any()
    return PriceBook(
        identifier,
        data["name"],
        data["date"],
        data.get("region", ""),
        currency,
        tuple(prices),
        data.get("notes", ""),
        default,
        data.get("retired", ""),
        absent,
        tuple(rates.values()),
        rents,
    )


def _rates(entries: Any, problems: Problems) -> dict[str, ExchangeRate]:
    found: dict[str, ExchangeRate] = {}
    if not problems.check(
        isinstance(entries, list), "exchange_rates", entries, "must be a list"
    ):
        return found
    for index, entry in enumerate(entries):
        rate = rate_from_mapping(entry, f"exchange_rates[{index}]", problems)
        if rate is not None:
            problems.check(
                rate.currency not in found,
                "exchange_rates",
                rate.currency,
                "is stated twice",
            )
            found[rate.currency] = rate
    return found


def _absent(entries: Any, problems: Problems) -> dict[str, str]:
    found: dict[str, str] = {}
    if not problems.check(
        isinstance(entries, list), "absent", entries, "must be a list"
    ):
        return found
    for index, entry in enumerate(entries):
        where = f"absent[{index}]"
        good = isinstance(entry, Mapping) and set(entry) == _ABSENT_KEYS
        if not problems.check(
            good, where, entry, "must have exactly `kind` and `reason`"
        ):
            continue
        kind, reason = entry["kind"], entry["reason"]
        known = isinstance(kind, str) and kind in KINDS
        problems.check(
            known, f"{where}.kind", kind, f"is not one of {', '.join(KINDS)}"
        )
        problems.check(
            isinstance(reason, str) and reason.strip(),
            f"{where}.reason",
            reason,
            "must say why there is no price",
        )
        if known:
            found[kind] = str(reason)
    return found


def _entry(
    entry: Any, where: str, rate: ExchangeRate, problems: Problems
) -> Price | None:
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
            f"is not one of {', '.join(KINDS)}",
        )
    given = [key for key in PRICE_UNITS if entry.get(key) is not None]
    if not problems.check(
        len(given) == 1, where, None, f"needs exactly one of {', '.join(PRICE_UNITS)}"
    ):
        return None
    key = given[0]
    paid = read_amount(entry[key], f"{where}.{key}", problems)
    if paid is not None:
        problems.check(paid >= 0, f"{where}.{key}", paid, "must not be negative")
    foreign = rate.currency != BASE
    problems.check(
        not (foreign and key.startswith("usd")),
        f"{where}.{key}",
        None,
        f"the book is in {rate.currency}: write `{key.removeprefix('usd_')}`",
    )
    low, high = price_range(entry, paid, where, problems, read_amount)
    problems.check(
        low is None or not key.endswith("_month"),
        f"{where}.low",
        low,
        "is of a rent, and only a purchase has a range",
    )
    source = entry.get("source")
    problems.check(
        isinstance(source, str) and source.strip(),
        f"{where}.source",
        source,
        "must name the source of the price",
    )
    check_date(entry.get("date"), f"{where}.date", problems)
    if len(problems.found) > before or paid is None:
        return None
    return Price(
        rate.to_usd(paid),
        "GiB" if "gib" in key else "GB",
        key.endswith("_month"),
        str(source),
        entry.get("date"),
        device_id,
        kind,
        str(entry.get("note", "")),
        paid if foreign else None,
        low,
        high,
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


def why_no_price(what: str, device: Device | None, prices: PriceBook | None) -> str:
    """Say why a device has no price, or DRAM where None.

    Parameters
    ----------
    what : str
        What it is called in the sentence.
    device : Device or None
        Without a price of its own, and none in the book.
    prices : PriceBook or None
        The book that was given.
    """
    if device is not None and device.sold_as == RUNNING:
        return f"{what} is a tier of the running system, whose price was not stated"
    if device is not None and device.sold_as == "instance":
        return (
            f"{what} is rented only with its cloud instance and has no separate price"
        )
    if prices is not None:
        reason = prices.absent.get("dram" if device is None else device.kind)
        about = "" if reason is None else f": {reason}"
        return f"price book `{prices.id}` has no price for {what}{about}"
    if device is None:
        return "no price book and no RAM device was chosen"
    return f"no price book was chosen, and {what} states no price"
