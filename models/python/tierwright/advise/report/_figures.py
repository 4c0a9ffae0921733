"""Figures of a report: amounts to the cent, others with three digits, `not known` where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from tierwright.advise.advice._words import LIMIT_WORDS, limit_value
from tierwright.advise.point import scheme_titles
from tierwright.common.currency import DOLLARS, amount_per, showing
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import between, counted, duration, percent, three_digits
from tierwright.evaluate.advice.limits import CONSTRAINTS, LEAST, LIFE
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.simulate.contenders import flash_cache_titles

UNKNOWN = "not known"
NOTHING = "-"
"""Where a figure does not apply."""
_CENT_PLACES = 2


def usd(value: Decimal | None) -> str:
    """Write an amount to the cent, or with all its digits where it has more.

    Examples
    --------
    >>> usd(Decimal("3989.81")), usd(Decimal(0)), usd(Decimal("0.0125"))
    ('3,989.81', '0.00', '0.0125')
    """
    if value is None:
        return UNKNOWN
    exponent = value.as_tuple().exponent
    finer = isinstance(exponent, int) and -exponent > _CENT_PLACES
    return f"{value:,f}" if finer else f"{value:,.2f}"


def signed_usd(value: Decimal | None) -> str:
    """Write a difference of money with its sign."""
    if value is None:
        return NOTHING
    return f"+{usd(value)}" if value > 0 else usd(value)


def time(value: float | None) -> str:
    """Write microseconds in the unit of their size."""
    return UNKNOWN if value is None else format_microseconds(value)


def signed_time(value: float | None) -> str:
    """Write a difference of times with its sign."""
    if value is None:
        return NOTHING
    return f"+{format_microseconds(value)}" if value > 0 else format_microseconds(value)


def size(value: float | None) -> str:
    """Write bytes with a binary unit; none as a dash."""
    return NOTHING if not value else format_bytes(value)


def share(value: float | None) -> str:
    """Write a share as per cent."""
    return UNKNOWN if value is None else percent(value)


def rate(value: float | None) -> str:
    """Write a rate with three digits."""
    return UNKNOWN if value is None else three_digits(value)


def seconds(value: float | None) -> str:
    """Write seconds in the unit of their size."""
    return UNKNOWN if value is None else duration(value)


def warm(value: float | None) -> str:
    """Write how long it takes until RAM is warm."""
    return "at once" if value == 0 else seconds(value)


def years(value: float | None) -> str:
    """Write years with three digits."""
    return UNKNOWN if value is None else counted(three_digits(value), "year")


def months(value: float | None) -> str:
    """Write whole months that pass before, as the sentence of the advice does."""
    if value is None:
        return UNKNOWN
    if value <= 0:
        return "already too small"
    return "under 1 month" if value < 1 else counted(math.floor(value), "month")


def quantity(value: float) -> str:
    """Write a quantity of a bill to six decimals, so that its product with the price can be checked.

    Examples
    --------
    >>> quantity(7078), quantity(5.727996826171875), quantity(0.5)
    ('7,078', '5.727997', '0.5')
    """
    text = f"{value:,.6f}"
    return text.rstrip("0").rstrip(".")


def price(value: Decimal) -> str:
    """Write a price with all its digits and no zeros behind them, at least to the cent.

    Examples
    --------
    >>> price(Decimal("199.0000")), price(Decimal("0.343")), price(Decimal("5000"))
    ('199.00', '0.343', '5,000.00')
    """
    return usd(Decimal(format(value.normalize(), "f")))


def usd_per(value: Decimal) -> str:
    """Write US dollars for each of something that is modelled, as `amount_per` does where amounts are shown in dollars.

    Examples
    --------
    >>> usd_per(Decimal(358_712)), usd_per(Decimal("22.95")), usd_per(Decimal("0.004"))
    ('359,000', '23.0', 'under 0.01')
    """
    with showing(DOLLARS):
        return amount_per(value)


_CENT = Decimal("0.01")


def ends(option: Mapping[str, Any], key: str) -> tuple[float | None, float | None]:
    """Return both ends of a figure, twice the same where it does not depend on which evicted pages are dirty."""
    low, high = option["ranges"].get(key, (option[key], option[key]))
    return low, high


def figure(option: Mapping[str, Any], key: str, write: Callable[[Any], str]) -> str:
    """Write a figure of an option; as a range where nobody said which evicted pages are dirty."""
    ends = option["ranges"].get(key)
    return write(option[key]) if ends is None else between(ends, write, none=UNKNOWN)


def io_time(option: Mapping[str, Any]) -> str:
    """Write the I/O time of an option, with that of its replay where it was replayed and says otherwise."""
    stated = figure(option, "io_time_us_per_access", time)
    replayed = time(option["replayed_io_time_us_per_access"])
    if option["replayed_io_time_us_per_access"] is None or replayed == stated:
        return stated
    return f"{stated}, {replayed} by replay"


def number(value: float | None) -> str:
    """Write a whole number as it is, another with three digits."""
    if value is None:
        return UNKNOWN
    if value == int(value):
        return f"{int(value):,}"
    return three_digits(value) if value > 0 else f"{value:,.3g}"


def scheme(option: Mapping[str, Any]) -> str:
    """Name the page flow of an option, or the flash cache."""
    name = str(option["scheme"])
    if name == NO_FLASH:
        return NOTHING
    titles = scheme_titles()
    return titles[name] if name in titles else flash_cache_titles().get(name, name)


def limit_words(name: str) -> str:
    """Name a limit."""
    return LIMIT_WORDS.get(name, name.replace("_", " "))


def limit(name: str, value: float | Decimal | None) -> str:
    """Write the value of a constraint with its unit; a dash where it has none."""
    if value is None:
        return NOTHING
    if name not in CONSTRAINTS:
        return number(float(value))
    if name in ("usd_per_month", "purchase_usd"):
        per = " per month" if name == "usd_per_month" else ""
        return f"{usd(Decimal(repr(value)) if isinstance(value, float) else Decimal(value))} USD{per}"
    return years(float(value)) if name == LIFE else limit_value(name, float(value))


def bound(name: str) -> str:
    """Say on which side of its value a limit holds."""
    return "at least" if name in LEAST else "at most"


def admitted_at(broken: Mapping[str, Any]) -> str:
    """Say at which limit an option would be admitted; a dash where relaxing it is not possible."""
    by, stated = broken["relaxation"], broken["limit"]
    if by is None or stated is None:
        return NOTHING
    name = broken["constraint"]
    # As decimals: a sum of binary floats can have dust behind the cents.
    if name in ("usd_per_month", "purchase_usd"):
        usd_stated, more = (Decimal(repr(float(each))) for each in (stated, by))
        return limit(name, (usd_stated + more).quantize(_CENT))
    return limit(name, stated - by if name in LEAST else stated + by)
