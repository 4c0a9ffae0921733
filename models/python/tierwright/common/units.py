"""Sizes, times and counts as text: parsed from users, shown to users.

Binary units (KiB = 1024 bytes) and SI units (kB = 1000 bytes) are never mixed: what
is parsed keeps its meaning, what is shown says which it is.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NewType

from tierwright.common.errors import BadInput

Bytes = NewType("Bytes", int)
"""A size. [bytes]"""

SI = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}
"""Decimal units of size. [bytes]"""

BINARY = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}
"""Binary units of size. [bytes]"""

UNIT_BYTES = SI | BINARY
"""Every unit of size. [bytes]"""

_BY_LOWER_CASE = {name.lower(): factor for name, factor in UNIT_BYTES.items()}
_SIZE = re.compile(r"\s*([0-9][0-9_,]*(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")
_SIZE_HINT = (
    "write a number and a unit: `64GiB` (binary, 1024) or `1.6TB` (decimal, 1000)"
)
_KILO = 1000


def parse_bytes(text: str, *, round_down: bool = False) -> Bytes:
    """Read a size such as `64GiB`, `1.6TB` or `8192`.

    Parameters
    ----------
    text : str
        A non-negative number, then B, kB, MB, GB, TB, PB (powers of 1000) or KiB ... PiB
        (powers of 1024); no unit means bytes. Case is ignored.
    round_down : bool
        Whether part of a byte is dropped, as of the sizes that answers print with three digits.

    Returns
    -------
    Bytes
        The size. [bytes]

    Raises
    ------
    BadInput
        If the text is not a size, the unit is unknown or the size is not a whole number of bytes.

    Examples
    --------
    >>> parse_bytes("64GiB")
    68719476736
    >>> parse_bytes("2.67 TiB", round_down=True)
    2935696046161
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BadInput(f"size `{text}` is not a number with a unit", _SIZE_HINT)
    digits, unit = match.groups()
    factor = _BY_LOWER_CASE.get(unit.lower() or "b")
    if factor is None:
        raise BadInput(f"size `{text}` has the unknown unit `{unit}`", _SIZE_HINT)
    # A fraction, because a Decimal would round at 28 digits.
    value = Fraction(digits.replace("_", "").replace(",", "")) * factor
    if value.denominator != 1 and not round_down:
        raise BadInput(f"size `{text}` is not a whole number of bytes", _SIZE_HINT)
    return Bytes(int(value))


def format_bytes(size: float) -> str:
    """Show a size with three significant digits and a binary unit.

    Examples
    --------
    >>> format_bytes(675 * 2**20)
    '675 MiB'
    """
    unit, factor = unit_of(size)
    return f"{_three_digits(size / factor)} {unit}"


def unit_of(size: float) -> tuple[str, int]:
    """Return the binary unit in which a size is shown, and its bytes.

    Examples
    --------
    >>> unit_of(64 * 2**30)
    ('GiB', 1073741824)
    """
    unit, factor = "B", 1
    for name, each in BINARY.items():
        if abs(size) >= each:
            unit, factor = name, each
    return unit, factor


def format_microseconds(time_us: float) -> str:
    """Show a time given in microseconds with three significant digits.

    Examples
    --------
    >>> format_microseconds(8333.3)
    '8.33 ms'
    """
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1.0, "µs")):
        if abs(time_us) >= factor:
            return f"{_three_digits(time_us / factor)} {unit}"
    return "0 µs" if time_us == 0 else f"{_three_digits(time_us * 1000)} ns"


def format_count(count: float) -> str:
    """Show a count with thousands separators, without decimals.

    Examples
    --------
    >>> format_count(3072618)
    '3,072,618'
    """
    return f"{count:,.0f}"


def format_share(share: float) -> str:
    """Show a share as a percentage with three significant digits.

    Examples
    --------
    >>> format_share(0.37641), format_share(1.0)
    ('37.6%', '100%')
    """
    return f"{format_number(100 * share)}%"


def format_number(value: float) -> str:
    """Show a number with three significant digits and thousands separators.

    Examples
    --------
    >>> format_number(508_033.6), format_number(0.25)
    ('508,000', '0.25')
    """
    return _three_digits(value)


def _three_digits(value: float) -> str:
    if value == 0:
        return "0"
    text = f"{value:.3g}"
    return f"{float(text):,.0f}" if abs(value) >= _KILO or "e" in text else text


def pages_of(size: Bytes, page_bytes: int) -> int:
    """Whole pages that fit in a size. [pages]

    Parameters
    ----------
    size : Bytes
        Capacity. [bytes]
    page_bytes : int
        Page size. [bytes]

    Raises
    ------
    BadInput
        If the page size is not positive.
    """
    if page_bytes <= 0:
        raise BadInput(
            f"page size `{page_bytes}` is not positive", "use for example 4096 or 8192"
        )
    return size // page_bytes


_PRICED = re.compile(
    r"[A-Z]{3}/\(?(?P<unit>GiB|TiB|GB|TB|IOPS|kWh|Mi?B/s)\)?(?:/(?:month|hour))?"
)


def with_priced_unit(quantity: str, unit: str) -> str:
    """Write a quantity of a bill with what its price is for: `4 GiB`; pieces are counted alone.

    Parameters
    ----------
    quantity : str
        As it is shown.
    unit : str
        Of its price, such as `USD/GiB/month`, or `USD/hour` of each piece.

    Examples
    --------
    >>> with_priced_unit("4", "USD/GiB"), with_priced_unit("125", "USD/(MB/s)/month")
    ('4 GiB', '125 MB/s')
    >>> with_priced_unit("2", "USD/hour"), with_priced_unit("2", "USD")
    ('2', '2')
    """
    found = _PRICED.fullmatch(unit)
    return quantity if found is None else f"{quantity} {found['unit']}"
