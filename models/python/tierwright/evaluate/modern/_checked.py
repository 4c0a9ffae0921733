"""Checks that the formulas of this package share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.errors import Problems


def numbers(
    subject: str, positive: Iterable[str] = (), **values: ArrayLike
) -> dict[str, FloatArray]:
    """Broadcast finite numbers of at least 0; those named must be above 0.

    Raises
    ------
    BadInput
        With every name whose value is out of its domain.
    """
    found = broadcast(subject, amounts=values)
    problems = Problems(subject, "use finite numbers above 0")
    for name in positive:
        problems.check(np.all(found[name] > 0), name, values[name], "must be above 0")
    problems.raise_if_any()
    return found


def one(subject: str, name: str, value: float, *, good: bool, message: str) -> None:
    """Refuse one number.

    Raises
    ------
    BadInput
        Unless it is good.
    """
    problems = Problems(subject, "use a number in the stated range")
    problems.check(good, name, value, message)
    problems.raise_if_any()
