"""The profile of a described workload."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tierwright.common.cautions import Caution
from tierwright.common.units import format_bytes
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
_ROUND_SHARES = (0.9, 0.5, 0.1)
_LONGEST_ASSUMPTION = 500


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
                *_origin(description),
            ),
            described_by=description.name,
        ),
    )
    return Profile(curve, float(DAY_S))


def _origin(description: Description) -> tuple[str, ...]:
    text = description.provenance
    if len(text) > _LONGEST_ASSUMPTION:
        text = f"{text[: _LONGEST_ASSUMPTION - 1]}…"
    return (text,) if text else ()


def described_finding(curve: Curve) -> str:
    """Say in which cache a round share of the accesses hits.

    Parameters
    ----------
    curve : Curve
        Of a described workload.
    """
    ratios = curve.hit_ratio(curve.pages)
    last = len(curve.pages) - 1
    for wanted in _ROUND_SHARES:
        at = int(np.searchsorted(ratios, wanted))
        if at < last:
            size = int(curve.pages[at])
            cache = format_bytes(size * curve.page_bytes)
            share = size / curve.distinct_pages
            return (
                f"{wanted:.0%} of the accesses hit an LRU cache of {cache}, "
                f"{share:.2%} of the data"
            )
    data = format_bytes(curve.distinct_pages * curve.page_bytes)
    return f"No cache smaller than the data, {data}, hits a tenth of the accesses"


def about_description(description: Description) -> Iterator[Caution]:
    """Warnings that follow from a description alone: data that nothing accesses.

    Parameters
    ----------
    description : Description
        Data, load and mix.
    """
    idle = description.data_pages - description.accessed_pages
    if idle > 0:
        yield Caution(
            "data_not_accessed",
            f"no component accesses {idle / description.data_pages:.1%} of the data: it "
            "takes space on disk only",
            "leave the data share of one component out: it then takes what the others leave",
        )


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
