"""Values of documents: numbers and dates, read or noted as a problem."""

from __future__ import annotations

import datetime
import math
import re
from decimal import Context, Decimal
from typing import Any, TypeGuard

from tierwright.common.errors import Problems

_MOST_DIGITS = 30
_LARGEST = 10**300
LARGEST_EXACT = 2**53
"""Counts are computed with as float64, which holds every whole number up to here."""
LEAST_RATE_PER_S = 1e-9
"""Least rate of accesses that is one: one in thirty years. Times that follow from less have no number. [1/s]"""


_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-[0-3][0-9])?|-Q[1-4])?")


def plain_number(value: Decimal) -> int | float:
    """Return a Decimal as int when it is whole, else as float."""
    return int(value) if value == value.to_integral_value() else float(value)


def without_zeros(value: Decimal) -> Decimal:
    """Return an equal Decimal in one form, whichever way it was written: whole ones without a point or an exponent.

    Parameters
    ----------
    value : Decimal
        Finite, not beyond 1e30.

    Examples
    --------
    >>> [
    ...     str(without_zeros(Decimal(each)))
    ...     for each in ("0.70", "3000.0", "3E+3", "0.000")
    ... ]
    ['0.7', '3000', '3000', '0']
    """
    if value == value.to_integral_value():
        return Decimal(int(value))
    return value.normalize(Context(prec=max(28, len(value.as_tuple().digits))))


def read_decimal(value: Any, where: str, problems: Problems) -> Decimal | None:
    """Return a number as an exact Decimal, or note why it is none."""
    found = None
    if isinstance(value, Decimal) and value.is_finite():
        found = value
    elif _is_int(value) or (isinstance(value, float) and math.isfinite(value)):
        found = Decimal(str(value))
    if found is None:
        problems.add(where, value, "must be a finite number")
    elif found and abs(found.adjusted()) > _MOST_DIGITS:
        # Exact arithmetic with it would take memory for every digit.
        problems.add(
            where,
            f"{found:.3e}",
            f"must lie between 1e-{_MOST_DIGITS} and 1e{_MOST_DIGITS}",
        )
        found = None
    return found


def check_date(date: Any, where: str, problems: Problems) -> None:
    """Note a problem unless `date` is absent or in one of the four forms."""
    if date is not None:
        problems.check(
            isinstance(date, str) and _DATE.fullmatch(date),
            where,
            date,
            "must be YYYY, YYYY-MM, YYYY-MM-DD or YYYY-Qn",
        ) and problems.check(
            is_of_calendar(date), where, date, "is not a calendar date"
        )


def is_date(text: str) -> bool:
    """Whether a text is a date in one of the four forms, and of the calendar."""
    return bool(_DATE.fullmatch(text)) and is_of_calendar(text)


def is_of_calendar(text: str) -> bool:
    """Say whether a date that is written as one exists; a quarter or a part always does."""
    if len(text) < len("YYYY-MM-DD"):
        return True
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value of a document is a finite number, which true and false are not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    # A JSON integer may be larger than any float.
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= _LARGEST


def is_count(value: Any, most: int = LARGEST_EXACT) -> TypeGuard[int]:
    """Whether a value of a document is a whole number from 0 to `most`."""
    return _is_int(value) and 0 <= value <= most
