"""Between which values figures of the recommendation lie in most of the draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tierwright.advise.advice._confidence.drawing import Sure
from tierwright.advise.advice.found import Interval
from tierwright.evaluate.advice.limits import PEAK_BUSY, THROUGHPUT
from tierwright.evaluate.advice.resampling import share_of_few, shortest_interval

INTERVAL = 0.9
"""Share of the draws in which a figure lies between the ends that are stated."""


def intervals(found: Sure) -> tuple[Interval, ...]:
    """Return between which values figures of the recommendation lie in `INTERVAL` of the draws, where they are known.

    A figure is often stated at an end of what is known, such as the longest time of a write: of the intervals that hold so
    many draws, it is the shortest one that holds the figure too. There is none where more draws than are left out have a
    time without end: a device cannot keep up in them, or it is never too small.
    """
    made = []
    for name, stated in found.stated.items():
        if name == THROUGHPUT:
            continue
        drawn = np.asarray([each[name] for each in found.figures if name in each])
        if not math.isfinite(stated) or np.isnan(drawn).any():
            continue
        if name == "flash_hit_share" and not stated and not drawn.any():
            # There is no flash cache, so nothing is drawn of it.
            continue
        known = drawn[np.isfinite(drawn)]
        most = float(np.max(known, initial=stated))
        # A time without end lies beyond all others.
        beyond = 2 * most + 1
        # Of all draws the correction is next to nothing, and what is measured of them holds the truth often enough without.
        few = len(drawn) < len(found.figures)
        share = share_of_few(INTERVAL, len(drawn)) if few else INTERVAL
        low, high = shortest_interval(np.minimum(drawn, beyond), share, stated)
        if high < beyond:
            made.append(Interval(name, low, high))
    return (*made, *_of_throughput(made, found.stated))


def _of_throughput(
    made: Iterable[Interval], stated: Mapping[str, float]
) -> Iterator[Interval]:
    """Give the interval of the throughput that says the same as that of the busy share, which it is in inverse proportion to.

    Where next to nothing is busy it has no upper end, and the shortest interval of the throughput itself would state one.
    """
    for each in made:
        if each.figure == PEAK_BUSY and each.low > 0:
            carried = stated[THROUGHPUT] * stated[PEAK_BUSY]
            yield Interval(THROUGHPUT, carried / each.high, carried / each.low)
