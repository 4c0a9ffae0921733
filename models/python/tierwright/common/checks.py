"""Validation shared by the page-flow formulas."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.errors import Problems

FloatArray = NDArray[np.float64]


def broadcast(
    subject: str,
    *,
    amounts: Mapping[str, ArrayLike] | None = None,
    shares: Mapping[str, ArrayLike] | None = None,
) -> dict[str, FloatArray]:
    """Check numbers and broadcast them to one shape.

    Parameters
    ----------
    subject : str
        Formula named in the error.
    amounts : mapping
        Counts, costs and sizes: finite and not negative.
    shares : mapping
        Probabilities and ratios: in [0, 1].

    Returns
    -------
    dict of str to float64 array

    Raises
    ------
    BadInput
        With every name whose value is out of its domain.
    """
    problems = Problems(
        subject, "use counts and costs of at least 0, and shares in [0, 1]"
    )
    arrays: dict[str, FloatArray] = {}
    for name, value in {**(amounts or {}), **(shares or {})}.items():
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            problems.add(name, value, "must be a number")
            continue
        arrays[name] = array
        if not problems.check(
            np.all(np.isfinite(array)), name, value, "must be finite"
        ):
            continue
        problems.check(np.all(array >= 0), name, value, "must not be negative")
        if shares and name in shares:
            problems.check(np.all(array <= 1), name, value, "must not exceed 1")
    problems.raise_if_any()
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        lists = {name: array.shape for name, array in arrays.items() if array.ndim}
        for name, found in lists.items():
            size = found[0] if len(found) == 1 else found
            problems.add(name, size, "values do not match the other lists")
        problems.hint = "give lists of one length, or single numbers"
        problems.raise_if_any()
        raise AssertionError("lists that do not fit together were noted") from None
    return {name: np.broadcast_to(array, shape) for name, array in arrays.items()}


def whole(subject: str, **values: object) -> None:
    """Check that integers are integers and positive.

    Raises
    ------
    BadInput
        With every name whose value is not a positive whole number.
    """
    problems = Problems(subject, "use whole numbers of bytes or pages")
    for name, value in values.items():
        problems.check(
            isinstance(value, int) and not isinstance(value, bool) and value > 0,
            name,
            value,
            "must be a positive whole number",
        )
    problems.raise_if_any()
