"""The shipped devices, price books and exchange rates: the only reader of their `fixtures`."""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from tierwright.common.currency import (
    BASE,
    DOLLARS,
    ExchangeRate,
    read_amount,
    stated_rate,
)
from tierwright.common.documents import read_json, read_toml
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import check_date
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.facts import fixtures_folder
from tierwright.hardware.prices import PriceBook, price_book_from_mapping

T = TypeVar("T")


def devices() -> Mapping[str, Device]:
    """Shipped devices by id, in order of id.

    Raises
    ------
    BadInput
        If a file does not follow the format; names the file and the key.
    """
    return _devices(fixtures_folder() / "devices")


def price_books() -> Mapping[str, PriceBook]:
    """Shipped price books by id, in order of id.

    Raises
    ------
    BadInput
        If a file does not follow the format; names the file and the key.
    """
    return _price_books(fixtures_folder() / "prices")


def device(identifier: str) -> Device:
    """Shipped device of that id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.
    """
    return _find(devices(), identifier, "device", "tierwright catalog devices")


def device_or_file(name: str) -> Device:
    """Shipped device of that id, or the device in a file that ends in .toml or .json.

    For the command line, where the user's own files are meant; a server must not call it
    with names that came over the network.

    Raises
    ------
    BadInput
        If there is no such device or file, or the file does not follow the format.
    """
    path = Path(name)
    if path.suffix not in (".toml", ".json"):
        return device(name)
    hint = (
        "make one with `tierwright device import-fio`, or see docs/reference/devices.md"
    )
    if not path.is_file():
        raise BadInput(f"device file `{name}` cannot be read: no such file", hint)
    if path.suffix == ".toml":
        return device_from_mapping(read_toml(path, name, hint), place=name)
    data = read_json(path, hint, parse_float=Decimal)
    if not isinstance(data, Mapping):
        raise BadInput(f"{name}: document: must be a JSON object", hint)
    return device_from_mapping(data, place=name)


def price_book(identifier: str) -> PriceBook:
    """Shipped price book of that id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.
    """
    return _find(price_books(), identifier, "price book", "tierwright catalog prices")


def where_priced(device: Device | None) -> str:
    """Say which shipped books price a device, or DRAM where None: a hint."""
    names = [
        f"`{book.id}`"
        for book in price_books().values()
        if not book.retired
        and (
            book.find(device_id=None, kind="dram")
            if device is None
            else book.price_of(device)
        )
    ]
    if names:
        return f"choose a price book that prices it: {', '.join(names)}"
    return (
        "no shipped price book prices it: state its price in the device's profile, or in "
        "a price book of your own"
    )


def default_price_book() -> PriceBook | None:
    """Shipped book that is taken where nobody chose one: that with `default = true`."""
    return next((book for book in price_books().values() if book.default), None)


def exchange_rates() -> Mapping[str, Mapping[str, ExchangeRate]]:
    """Shipped rates by day, and of a day by currency.

    Raises
    ------
    BadInput
        If a file does not follow the format; names the file and the key.
    """
    return _exchange_rates(fixtures_folder() / "exchange-rates")


def currencies() -> list[str]:
    """Currencies with a shipped rate, the dollar first."""
    known = {code for day in exchange_rates().values() for code in day}
    return [BASE, *sorted(known)]


def exchange_rate(
    currency: str, *, per_usd: str | None = None, book: PriceBook | None = None
) -> ExchangeRate:
    """Rate at which amounts of a price book are stated in a currency.

    Parameters
    ----------
    currency : str
        Code of three letters.
    per_usd : str, optional
        A rate that the user states, `0.88@2026-09-30`; it goes before all others.
    book : PriceBook, optional
        Its own rate goes before the shipped one of the nearest day; None is the default book.

    Returns
    -------
    ExchangeRate

    Raises
    ------
    BadInput
        If there is no such rate.

    Examples
    --------
    >>> exchange_rate("EUR").date
    '2026-09-30'
    """
    if currency == BASE:
        if per_usd is not None:
            raise BadInput(
                "a rate was stated, and no currency to show",
                "name the currency too, such as EUR",
            )
        return DOLLARS
    if per_usd is not None:
        return stated_rate(currency, per_usd)
    asked = book or default_price_book()
    own = None if asked is None else asked.rate(currency)
    if own is not None:
        return own
    known = {
        day: rates[currency]
        for day, rates in exchange_rates().items()
        if currency in rates
    }
    if not known:
        raise BadInput(
            f"there is no exchange rate of `{currency}`",
            f"take one of {', '.join(currencies())}, or state the rate: what one US dollar "
            "is, and its day, such as 0.88@2026-09-30",
        )
    wanted = _last_day(asked.date if asked is not None else max(known))
    return min(
        known.values(),
        key=lambda rate: (abs((_last_day(rate.date) - wanted).days), rate.date),
    )


def _last_day(date: str) -> datetime.date:
    """Return the last day of a year, a quarter or a month; a day is itself."""
    year, _, rest = date.partition("-")
    if rest.startswith("Q"):
        month = 3 * int(rest[1:])
    elif len(rest) > len("12"):
        return datetime.date.fromisoformat(date)
    else:
        month = int(rest) if rest else 12
    return datetime.date(int(year), month, calendar.monthrange(int(year), month)[1])


@lru_cache(maxsize=4)
def _exchange_rates(folder: Path) -> Mapping[str, Mapping[str, ExchangeRate]]:
    found: dict[str, Mapping[str, ExchangeRate]] = {}
    for path in sorted(folder.glob("*.toml")):
        data = _read_toml(path)
        place = f"{folder.name}/{path.name}"
        problems = Problems(place, "correct the file or restore it")
        for key in ("date", "per", "source"):
            problems.check(
                isinstance(data.get(key), str), key, data.get(key), "must be a text"
            )
        check_date(data.get("date"), "date", problems)
        entries = data.get("rates")
        problems.check(isinstance(entries, Mapping), "rates", None, "must be a table")
        read = {
            code: read_amount(value, f"rates.{code}", problems)
            for code, value in (entries or {}).items()
        }
        problems.check(read.get(BASE), "rates.USD", None, "must be stated")
        problems.raise_if_any()
        _check_name(path, data["date"])
        units = {code: value for code, value in read.items() if value}
        units[data["per"]] = Decimal(1)
        dollar = units.pop(BASE)
        found[path.stem] = MappingProxyType(
            {
                code: ExchangeRate(code, value / dollar, path.stem, data["source"])
                for code, value in units.items()
            }
        )
    return MappingProxyType(found)


@lru_cache(maxsize=4)
def _devices(folder: Path) -> Mapping[str, Device]:
    found = {}
    for path in sorted(folder.glob("*.toml")):
        made = device_from_mapping(_read_toml(path), place=f"{folder.name}/{path.name}")
        _check_name(path, made.id)
        found[made.id] = made
    return MappingProxyType(found)


@lru_cache(maxsize=4)
def _price_books(folder: Path) -> Mapping[str, PriceBook]:
    found = {}
    for path in sorted(folder.glob("*.toml")):
        place = f"{folder.name}/{path.name}"
        made = price_book_from_mapping(_read_toml(path), place=place)
        _check_name(path, made.id)
        found[made.id] = made
    defaults = [book.id for book in found.values() if book.default]
    if len(defaults) > 1:
        raise BadInput(
            f"{folder.name}: default: {' and '.join(defaults)} are both the default",
            "leave `default = true` in one book",
        )
    return MappingProxyType(found)


def _read_toml(path: Path) -> dict[str, Any]:
    place = f"{path.parent.name}/{path.name}"
    return read_toml(path, place, "correct the file or restore it")


def _check_name(path: Path, identifier: str) -> None:
    if identifier != path.stem:
        raise BadInput(
            f"{path.parent.name}/{path.name}: id: `{identifier}` differs from the file's name",
            "name the file after its id",
        )


def _find(entries: Mapping[str, T], identifier: str, what: str, command: str) -> T:
    found = entries.get(identifier)
    if found is not None:
        return found
    from difflib import get_close_matches

    near = get_close_matches(identifier, entries, n=3, cutoff=0.5)
    meant = f"did you mean {', '.join(f'`{name}`' for name in near)}? " if near else ""
    raise BadInput(
        f"there is no {what} `{identifier}`", f"{meant}`{command}` lists them all"
    )
