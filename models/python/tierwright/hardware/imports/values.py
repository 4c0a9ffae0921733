"""Texts of foreign files as exact numbers, dates and currencies, or a reason to leave the row out."""

from __future__ import annotations

import re
from decimal import Context, Decimal

from tierwright.common.fields import is_of_calendar
from tierwright.hardware.imports.ledger import Skip, shown

EXACT = Context(prec=60)
"""Holds the products of the numbers below without rounding."""
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{1,12})?")
_LONG_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{1,40})?")
_SCIENTIFIC = re.compile(r"[0-9]{1,3}(\.[0-9]{1,20})?[eE][+-]?[0-9]{1,2}")
"""What programs write small numbers as."""
_CURRENCY = re.compile(r"[A-Z]{3}")
_WHOLE = re.compile(r"[0-9]{1,6}(\.0+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9:.]{5,16}(Z|[+-][0-9:]{4,5})?)?"
)


def number(text: str, name: str) -> Decimal:
    """Return a decimal number of 0 or more.

    Parameters
    ----------
    text : str
        At most 18 digits, and 12 behind a point; no sign, exponent or thousands separator.
    name : str
        What it is, for the reason.

    Raises
    ------
    Skip
        If it is absent, or another text: a comma may separate thousands or decimals.

    Examples
    --------
    >>> number("10.000", "price")
    Decimal('10.000')
    """
    if not text:
        raise Skip(f"no {name} is stated")
    if not _NUMBER.fullmatch(text):
        if "," in text:
            raise Skip(
                f"{name} `{shown(text)}` has a comma, which may separate decimals or thousands"
            )
        raise Skip(f"{name} `{shown(text)}` is not a plain decimal number of 0 or more")
    return Decimal(text)


def computed(text: str, name: str) -> Decimal:
    """Return a decimal number of 0 or more that a program computed: up to 40 digits behind the point, or with an exponent.

    Raises
    ------
    Skip
        As `number`.

    Examples
    --------
    >>> computed("35.2E-7", "price")
    Decimal('0.00000352')
    """
    plain = without_exponent(text)
    return Decimal(plain) if _LONG_NUMBER.fullmatch(plain) else number(text, name)


def without_exponent(text: str) -> str:
    """Return a number without the exponent that programs write of small ones; any other text as it is.

    Examples
    --------
    >>> without_exponent("4e-07")
    '0.0000004'
    """
    return format(Decimal(text), "f") if _SCIENTIFIC.fullmatch(text) else text


def positive(text: str, name: str) -> Decimal:
    """Return a decimal number above 0, as `number`.

    Raises
    ------
    Skip
        If it is not.
    """
    found = number(text, name)
    if not found:
        raise Skip(f"{name} `{shown(text)}` is not above 0")
    return found


def whole(text: str, name: str) -> int | None:
    """Return a whole number of 0 or more; None where it is absent.

    Raises
    ------
    Skip
        If it is another text.
    """
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        raise Skip(f"{name} `{shown(text)}` is not a whole number")
    return int(Decimal(text))


def currency(text: str) -> str:
    """Return a code of three capital letters (ISO 4217).

    Raises
    ------
    Skip
        If it is absent, or another text, such as a sign that several currencies share.
    """
    if not text:
        raise Skip("no currency is stated")
    if not _CURRENCY.fullmatch(text):
        raise Skip(f"currency `{shown(text)}` is not a code of three capital letters")
    return text


def day(text: str, name: str) -> str | None:
    """Return a day as YYYY-MM-DD; None where it is absent.

    Raises
    ------
    Skip
        If it is another text: 03/04/2026 may be a day of March or of April.
    """
    if not text:
        return None
    if not _DAY.fullmatch(text) or not is_of_calendar(text):
        raise Skip(f"{name} `{shown(text)}` is not a day written as YYYY-MM-DD")
    return text


def day_of(text: str) -> str | None:
    """Return the day of a point in time of ISO 8601; None where it is not one."""
    found = _MOMENT.fullmatch(text)
    return found[1] if found and is_of_calendar(found[1]) else None
