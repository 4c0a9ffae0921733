"""How long a budget of writes lasts under a load that grows. Derived."""

from __future__ import annotations

import math

import numpy as np

from tierwright.common.arrays import FloatArray
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
    steady = np.asarray(budget_tb / tb_per_year)
    return float(growing_years(steady, growth_per_year))


def growing_years(steady_years: FloatArray, growth_per_year: float) -> FloatArray:
    """Years that a budget of writes lasts under a load that grows: T = ln(1 + t ln(1 + g)) / ln(1 + g) (derived).

    Parameters
    ----------
    steady_years : float64 array
        t: how long it lasts at today's rate; NaN where unknown. [365 days]
    growth_per_year : float
        g of the writes, above -1. [1/year]

    Returns
    -------
    float64 array
        The same where nothing grows, and of what is infinite or unknown; infinite also where a load that shrinks never
        uses the budget. [365 days]

    Examples
    --------
    >>> growing_years(np.asarray([10.0, np.inf]), 0.2).round(3).tolist()
    [5.693, inf]
    """
    rate = math.log1p(growth_per_year)
    steady = np.asarray(steady_years, dtype=np.float64)
    inside = steady * rate if rate else np.zeros_like(steady)
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = np.log1p(inside) / rate if rate else steady
    found = np.where(inside > -1, grown, math.inf)
    stays = (np.abs(inside) < _NO_GROWTH) | ~np.isfinite(steady)
    return np.asarray(np.where(stays, steady, found))


def steady_years(years: FloatArray, growth_per_year: float) -> FloatArray:
    """Years at today's rate after which as much is written as by a load that grows: t = [(1 + g)^T - 1] / ln(1 + g).

    The inverse of `growing_years`. At today's rate n devices last n times as long as one; under growth they do not.

    Parameters
    ----------
    years : float64 array
        T; NaN where unknown. [365 days]
    growth_per_year : float
        g of the writes, above -1. [1/year]

    Returns
    -------
    float64 array
        The same where nothing grows, and of what is infinite or unknown; infinite also of what is more than can be counted.
        [365 days]

    Examples
    --------
    >>> steady_years(np.asarray([5.693, np.inf]), 0.2).round(2).tolist()
    [10.0, inf]
    """
    rate = math.log1p(growth_per_year)
    grown = np.asarray(years, dtype=np.float64)
    exponent = grown * rate if rate else np.zeros_like(grown)
    with np.errstate(over="ignore"):
        steady = np.expm1(exponent) / rate if rate else grown
    stays = (np.abs(exponent) < _NO_GROWTH) | ~np.isfinite(grown)
    return np.asarray(np.where(stays, grown, steady))
