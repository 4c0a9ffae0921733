"""The profile of a described workload."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tierwright.evaluate.described.curve import (
    ESTIMATOR,
    described_ratios,
    loop_distance,
)
from tierwright.evaluate.described.groups import Groups, Loops, grouped
from tierwright.profile.curve import Curve, Given, thinned_sizes
from tierwright.profile.described.description import Description
from tierwright.profile.document import Profile

DAY_S = 86_400
USUAL_POINTS = 400
SOURCE = "description"


def described_profile(
    description: Description, *, points: int = USUAL_POINTS
) -> Profile:
    """Compute the profile of a described workload over one day, in the steady state.

    Parameters
    ----------
    description : Description
        Data, load and mix.
    points : int
        Sizes wanted, log-spaced; sizes around the length of each loop are listed besides.
    """
    groups, loops = grouped(description)
    sizes = _sizes(description, groups, loops, points)
    found = described_ratios(groups, loops, sizes)
    accesses = max(1, round(description.accesses_per_s * DAY_S))
    writes = min(accesses, math.ceil(accesses * description.accesses_that_write))
    misses = np.minimum.accumulate(np.clip(found.misses, 0.0, 1.0) * accesses)
    backs = np.minimum(found.write_backs * accesses, np.minimum(misses, writes))
    curve = Curve.from_lists(
        sizes,
        misses,
        np.minimum.accumulate(np.maximum(backs, 0.0)),
        accesses=accesses,
        distinct_pages=description.data_pages,
        page_bytes=description.page_bytes,
        write_accesses=writes,
        given=Given(
            SOURCE,
            data_known=True,
            write_share=description.accesses_that_write,
            assumptions=(
                f"Computed from a description by formula: {ESTIMATOR}.",
                "Each access is of one component, at random by weight; components share no pages.",
                "Straight lines between the sizes.",
            ),
            described_by=description.name,
        ),
    )
    return Profile(curve, float(DAY_S))


def _sizes(
    description: Description, groups: Groups, loops: Loops, points: int
) -> NDArray[np.int64]:
    last = description.data_pages
    also = {min(last, description.accessed_pages)}
    for loop in range(len(loops.pages)):
        mean, deviation = loop_distance(groups, loops, loop)
        for steps in np.linspace(-4.0, 4.0, 17).tolist():
            near = mean + steps * deviation
            also |= {math.floor(near), math.ceil(near), math.floor(near) - 1}
    return thinned_sizes(last, points, {size for size in also if 1 <= size <= last})
