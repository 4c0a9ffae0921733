"""Limits of what is counted in whole units: cents of money, bytes, machines."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.bill import EXACT

UNITS: Mapping[str, int] = {
    "machines": 1,
    "ram_bytes": 1,
    "flash_bytes": 1,
    "usd_per_month": 100,
    "purchase_usd": 100,
}
"""Constraints that limit a whole number of units, to how many of them 1 of the constraint has: a cent, a byte, a machine."""
_NOISE = Decimal("1e-6")
"""By how much of a unit a limit that is a sum of binary numbers may miss the whole number it stands for."""
_RELATIVE_NOISE = Decimal("1e-14")
_MOST_NOISE = Decimal("0.25")


def as_meant(name: str, limit: Decimal) -> Decimal:
    """Return a limit as it was meant: what misses a whole number of units by the rounding of a binary sum is that number.

    Parameters
    ----------
    name : str
        Of a constraint; those without whole units stay as they are.
    limit : Decimal
        [unit of the constraint]

    Examples
    --------
    >>> as_meant("usd_per_month", Decimal(repr(13.37 + 13.32)))
    Decimal('26.69')
    >>> as_meant("usd_per_month", Decimal("26.6899"))
    Decimal('26.6899')
    """
    if name not in UNITS:
        return limit
    with localcontext(EXACT):
        units = limit * UNITS[name]
        whole = units.to_integral_value(ROUND_HALF_EVEN)
        noise = min(max(_NOISE, units * _RELATIVE_NOISE), _MOST_NOISE)
        return whole / UNITS[name] if abs(units - whole) <= noise else limit


def most_units(name: str, limit: Decimal) -> int:
    """Return the largest whole number of units within a limit of `UNITS`: a fraction of a unit admits nothing more.

    Examples
    --------
    >>> most_units("usd_per_month", Decimal("26.6899"))
    2668
    >>> most_units("ram_bytes", Decimal(5368709119))
    5368709119
    """
    with localcontext(EXACT):
        meant = as_meant(name, limit) * UNITS[name]
        return int(meant.to_integral_value(ROUND_FLOOR))


def in_units(name: str, values: FloatArray) -> FloatArray:
    """Return values of a constraint of `UNITS` in whole units, whatever noise their binary numbers have; NaN stays NaN."""
    return np.asarray(np.rint(values * UNITS[name]))
