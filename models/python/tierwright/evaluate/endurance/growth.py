"""How long a budget of writes lasts under a load that grows. Derived."""

from __future__ import annotations

import math

from tierwright.common.errors import Problems

LEAST_GROWTH = -1.0
_NO_GROWTH = 1e-12
"""Growth over the life below which nothing is left of it but rounding."""


def years_with_growth(
    budget_tb: float, tb_per_year: float, growth_per_year: float = 0.0
) -> float:
    """Years until a budget of writes is used by a load that grows (derived).

    Writes until T are w [(1 + g)^T - 1] / ln(1 + g), so T = ln(1 + B ln(1 + g) / w) / ln(1 + g),
    and B / w without growth.

    Parameters
    ----------
    budget_tb : float
        B; none is left at or below 0. [10^12 bytes]
    tb_per_year : float
        w, writes of a year at today's rate. [10^12 bytes/year]
    growth_per_year : float
        g, above -1; negative for a load that shrinks. [1/year]

    Returns
    -------
    float
        Infinite where nothing is written, or where all writes to come are less than B.

    Raises
    ------
    BadInput
        If a number is not finite, the rate is negative, or the load falls to nothing.

    Examples
    --------
    >>> years_with_growth(100, 10), round(years_with_growth(100, 10, 0.2), 3)
    (10.0, 5.693)
    >>> years_with_growth(100, 10, -0.2)
    inf
    """
    problems = Problems(
        "life with growth", "use rates of at least 0 and growth above -1 (-100 %)"
    )
    problems.check(math.isfinite(budget_tb), "budget_tb", budget_tb, "must be finite")
    good = math.isfinite(tb_per_year) and tb_per_year >= 0
    problems.check(good, "tb_per_year", tb_per_year, "must be finite and not negative")
    good = math.isfinite(growth_per_year) and growth_per_year > LEAST_GROWTH
    problems.check(
        good, "growth_per_year", growth_per_year, "must be finite and above -1"
    )
    problems.raise_if_any()
    if tb_per_year == 0:
        return math.inf
    if budget_tb <= 0:
        return 0.0
    steady = budget_tb / tb_per_year
    rate = math.log1p(growth_per_year)
    inside = steady * rate
    if abs(inside) < _NO_GROWTH or not math.isfinite(steady):
        return steady
    return math.log1p(inside) / rate if inside > -1 else math.inf
