"""Figures in sentences, written as the page writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percent(share: float) -> str:
    """Three significant digits and a space before the sign, as the page writes them."""
    return f"{three_digits(100 * share)} %"


def three_digits(value: float) -> str:
    """Three significant digits, as the page shows figures."""
    rounded = float(f"{value:.3g}")
    magnitude = math.floor(math.log10(rounded)) if rounded > 0 else 0
    return f"{rounded:,.{max(0, 2 - magnitude)}f}"


def listed(names: Sequence[str]) -> str:
    """Write `A, B and C`; with semicolons where a name has a comma of its own."""
    *others, last = names
    if not others:
        return last
    if any("," in name for name in names):
        return (
            f"{'; '.join(others)}; and {last}"
            if others[1:]
            else f"{others[0]} and {last}"
        )
    return f"{', '.join(others)} and {last}"


def duration_us(time_us: float) -> str:
    """Say how long it takes, in the unit of its size, with three digits."""
    for factor, unit in ((1e6, "s"), (1e3, "ms")):
        if time_us >= factor:
            return f"{three_digits(time_us / factor)} {unit}"
    return f"{three_digits(time_us)} µs"


_LONGER = ((86_400, "days"), (3600, "hours"), (60, "minutes"))


def duration(seconds: float, *, second: str = "s") -> str:
    """Say how long it takes, in the largest unit that it has at least two of.

    Parameters
    ----------
    seconds : float
        [s]
    second : str
        What the unit of a short time is called.

    Examples
    --------
    >>> duration(90), duration(7200), duration(1.5, second="seconds")
    ('90.0 s', '2.00 hours', '1.50 seconds')
    """
    for size, unit in _LONGER:
        if seconds >= 2 * size:
            return f"{three_digits(seconds / size)} {unit}"
    return f"{three_digits(seconds)} {second}"
