"""How far a scale law is off at a factor, from what was measured at others.

A law is held against recordings of one workload at several scales: the larger is predicted from the
smaller. Its error grows with the logarithm of the factor, so the measured errors over log2 k give
the slope: their mean for the mean error, the largest for the worst. Beyond the largest factor that was
measured the error grows twice as fast, and is said to be extrapolated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tierwright.profile.production import KnownError

LEAST_FACTOR = 1.5
"""Factors nearer to 1 tell little about a slope."""


@dataclass(frozen=True, slots=True)
class MeasuredError:
    """What one law got wrong in one prediction of a larger system from a smaller one.

    Attributes
    ----------
    law : str
        Name; `relations` with a tau is `relations_tau`, and `one_factor` where no relation was
        stated, so that all but the catalogs grow alike.
    workload : str
        What was recorded.
    factor : float
        k, data of the larger over data of the smaller. [1]
    mean, worst : float
        Of the misses, over cache sizes from 0.5 % of the data. [1]
    per : str
        `transaction` or `access`: of what the misses are.
    """

    law: str
    workload: str
    factor: float
    mean: float
    worst: float
    per: str


def known_error(
    measured: Iterable[MeasuredError], law: str, factor: float, *, per: str
) -> KnownError | None:
    """Return the error to expect of a law at a factor.

    Parameters
    ----------
    measured : iterable of MeasuredError
        All that was measured.
    law : str
        As of `MeasuredError.law`.
    factor : float
        k, positive; a smaller system is as far away as a larger one. [1]
    per : str
        `transaction` or `access`.

    Returns
    -------
    KnownError or None
        None where the law was never measured in that unit. 0 at a factor of 1.
    """
    rows = [
        row
        for row in measured
        if row.law == law and row.per == per and row.factor >= LEAST_FACTOR
    ]
    if not rows:
        return None
    reach = max(row.factor for row in rows)
    away = abs(math.log2(factor))
    # Beyond what was measured, twice as fast.
    steps = min(away, math.log2(reach)) + 2 * max(0.0, away - math.log2(reach))
    slopes = [
        (row.mean / math.log2(row.factor), row.worst / math.log2(row.factor))
        for row in rows
    ]
    return KnownError(
        mean=steps * sum(mean for mean, _ in slopes) / len(slopes),
        worst=steps * max(worst for _, worst in slopes),
        measured_up_to=reach,
        extrapolated=away > math.log2(reach),
        per=per,
    )
