"""How far the misses of several workloads may be off because some of them were scaled to production.

The law that scaled a workload is off by a ratio, known from what was measured of it. If it misses
`m_i` times per second and is off by `e_i` on average, the sum of all misses is off by at most

    sum of m_i e_i / sum of m_i

on average, as if all laws erred to the same side; those that were not scaled count with an error of
0. No sum is off by a larger ratio than its worst part, so the worst error is that of the worst.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.profile.production import KnownError, ScaledParts
from tierwright.profile.several import Workload


def composed_error(
    errors: Sequence[KnownError | None], misses_per_s: ArrayLike
) -> KnownError:
    """Combine the errors known of several workloads into that of the sum of their misses.

    Parameters
    ----------
    errors : sequence of KnownError or None
        Of the law that scaled each workload; None where it was not scaled, so that nothing is
        added to its error. At least one is not None.
    misses_per_s : (k,) array_like
        Of each workload, 0 or more: the weights of the mean. [1/s]

    Returns
    -------
    KnownError
        `mean` weighted by the misses, `worst` the largest, `measured_up_to` the smallest,
        `extrapolated` where one is. It is `per` transaction where all are, else per access.

    Raises
    ------
    BadInput
        If no workload was scaled, the lengths differ, or misses are negative or not finite.
    """
    weights = np.asarray(misses_per_s, dtype=np.float64)
    _check(errors, weights)
    known = [each for each in errors if each is not None]
    means = np.asarray([0.0 if each is None else each.mean for each in errors])
    total = float(weights.sum())
    # Where nothing misses, nothing is off.
    mean = float((weights / total) @ means) if total > 0 else 0.0
    units = {each.per for each in known} if len(known) == len(errors) else {"access"}
    return KnownError(
        mean=mean,
        worst=max(each.worst for each in known),
        measured_up_to=min(each.measured_up_to for each in known),
        extrapolated=any(each.extrapolated for each in known),
        per=units.pop() if len(units) == 1 else "access",
    )


def scaled_parts(
    workloads: Sequence[Workload], misses_per_s: FloatArray
) -> ScaledParts | None:
    """Say which workloads were scaled, and how far the sum of their misses may be off by that.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads; one that was composed itself counts as scaled where one of its own was.
    misses_per_s : (k,) float64 array
        Of each, at the sizes in question. [1/s]

    Returns
    -------
    ScaledParts or None
        None where none was scaled. Its error is None where one of the laws was never measured.

    Raises
    ------
    BadInput
        As `composed_error`.
    """
    scaled = [each for each in workloads if each.curve.is_scaled]
    if not scaled:
        return None
    names = tuple(each.name for each in scaled)
    if any(each.curve.known_error is None for each in scaled):
        return ScaledParts(names, None)
    errors = [each.curve.known_error for each in workloads]
    return ScaledParts(names, composed_error(errors, misses_per_s))


def _check(errors: Sequence[KnownError | None], weights: FloatArray) -> None:
    problems = Problems(
        "composed error", "give the error and the misses of each workload"
    )
    problems.check(
        any(each is not None for each in errors),
        "errors",
        None,
        "must hold the error of at least one workload that was scaled",
    )
    problems.check(
        weights.shape == (len(errors),),
        "misses_per_s",
        weights.size,
        f"must be one for each of the workloads, {len(errors)} in all",
    )
    for value in weights[~(np.isfinite(weights) & (weights >= 0))][:1].tolist():
        problems.add("misses_per_s", value, "must be 0 or more")
    problems.raise_if_any()
