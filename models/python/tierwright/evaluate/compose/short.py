"""Which workloads get more of a cache than their recordings tell about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.wording import listed
from tierwright.profile.several import Workload


def about_short(workloads: Sequence[Workload], *held: FloatArray) -> Iterator[Caution]:
    """Warn of parts whose misses are the trend of smaller caches, not what a recording shows.

    A part that holds all of the data, where their size is stated, is none of them.

    Parameters
    ----------
    workloads : sequence of Workload
        Each with its curve of a running system.
    *held : float64 array, shape (k,)
        Pages that each has, in one way to run the cache or more. [pages]
    """
    short = [
        each.name
        for at, each in enumerate(workloads)
        if any(bool(each.curve.uncertain(pages[at])) for pages in held)
    ]
    if short:
        yield Caution(
            "steady_state_uncertain",
            f"{listed(short)}: the recording shows too few pages for the part of the cache that "
            "the workload gets; the trend of smaller caches is used",
            "profile a longer part of the workload",
        )
