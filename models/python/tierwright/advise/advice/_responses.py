"""Response times of servers built from parts: of each size of RAM and kind of drive at once at every number of drives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.choose import in_time
from tierwright.evaluate.advice.limits import ROUNDING, Bools
from tierwright.evaluate.advice.rows import IntArray, least_percentile_us
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.response.schemes import (
    Hierarchy,
    SchemeResponse,
    scheme_response,
)
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve

PERCENTILES = (0.5, 0.99)
TIMES = 1 + len(PERCENTILES)
"""Times of an option: mean, median and 99th percentile, in the order of `RESPONSES`."""
US = 1e6
AT_ONCE = 64
"""Numbers of drives that are computed together: equal drives share the load evenly, so n of them at a rate are one of
them at an n-th of it."""
_Key = tuple[int, float, int, int, int, int]


@dataclass(slots=True)
class Responses:
    """What was computed, and how often.

    Attributes
    ----------
    computed : int
        Queues that were computed so far.
    """

    computed: int = 0
    _known: dict[_Key, FloatArray] = field(default_factory=dict)
    _of: list[object] = field(default_factory=list)
    """What keys name by its identity, kept so that no other takes it."""

    def of(
        self,
        curve: Curve,
        peak_per_s: float | None,
        devices: Sequence[Device | None],
        at: tuple[IntArray, FloatArray, IntArray, IntArray],
        *,
        known_alone: bool = False,
    ) -> tuple[FloatArray, ...]:
        """Mean, median and 99th percentile in the busiest hour; infinite where unknown. [µs]

        Parameters
        ----------
        curve : Curve
        peak_per_s : float or None
            Accesses of the busiest hour that all machines serve together. [1/s]
        devices : sequence of Device or None
            Of each drive, whose figures count.
        at : tuple of array, shape (N,)
            Index of the drive, pages of RAM at which the curve is read, machines, drives of a machine.
        known_alone : bool
            Whether to compute nothing: what was not computed before is NaN.
        """
        drive, ram_pages, machines, number = at
        found, of = self._tabled(
            curve,
            peak_per_s,
            devices,
            (drive, ram_pages, machines, (number - 1) // AT_ONCE),
            known_alone=known_alone,
        )
        place = (number - 1) % AT_ONCE
        return tuple(found[of, at, place] for at in range(TIMES))

    def fewest(
        self,
        curve: Curve,
        peak_per_s: float | None,
        devices: Sequence[Device | None],
        at: tuple[IntArray, FloatArray, IntArray, IntArray],
        limits: Sequence[float | None],
    ) -> IntArray:
        """Fewest drives of a machine that keep the limits of its times; one more than the most where none do.

        Parameters
        ----------
        curve, peak_per_s, devices
            As of `of`.
        at : tuple of array, shape (N,)
            Index of the drive, pages of RAM at which the curve is read, machines, most drives of a machine.
        limits : sequence of float or None
            Of the mean, of the median and of the 99th percentile. [µs]
        """
        drive, ram_pages, machines, most = at
        fewest = most + 1
        for block in range(-(-int(most.max(initial=0)) // AT_ONCE)):
            [open_] = np.nonzero((fewest > most) & (most > block * AT_ONCE))
            found, of = self._tabled(
                curve,
                peak_per_s,
                devices,
                (
                    drive[open_],
                    ram_pages[open_],
                    machines[open_],
                    np.full(len(open_), block),
                ),
            )
            times = [found[:, each].ravel() for each in range(TIMES)]
            keeps: Bools = in_time(limits, times).reshape(-1, AT_ONCE)
            first = block * AT_ONCE + 1 + np.argmax(keeps, axis=1)
            some = np.asarray(keeps.any(axis=1))
            fewest[open_] = np.where(some[of], first[of], fewest[open_])
        return np.asarray(np.minimum(fewest, most + 1), dtype=np.int64)

    def _tabled(
        self,
        curve: Curve,
        peak_per_s: float | None,
        devices: Sequence[Device | None],
        at: tuple[IntArray, FloatArray, IntArray, IntArray],
        *,
        known_alone: bool = False,
    ) -> tuple[FloatArray, IntArray]:
        """Return the times at the numbers of drives of a block, of each distinct one of some queues, and which each is."""
        drive, ram_pages, machines, block = at
        columns = (drive, machines, ram_pages.astype(np.int64), block)
        keys, of = np.unique(np.stack(columns), axis=1, return_inverse=True)
        found = np.empty((keys.shape[1], TIMES, AT_ONCE))
        rate = math.nan if peak_per_s is None else peak_per_s
        for row, (index, many, pages, which) in enumerate(keys.T.tolist()):
            device = devices[index]
            key = (id(curve), rate, id(device), pages, many, which)
            known = self._known.get(key)
            if known is None and known_alone:
                known = np.full((TIMES, AT_ONCE), np.nan)
            elif known is None:
                known = _computed(curve, peak_per_s, device, pages, many, which)
                self._known[key] = known
                self._of += [curve, device]
                self.computed += 1
            found[row] = known
        return found, of.reshape(-1)


def _computed(
    curve: Curve,
    peak_per_s: float | None,
    device: Device | None,
    ram_pages: int,
    machines: int,
    block: int,
) -> FloatArray:
    """Compute the times at some numbers of drives. [µs]"""
    unknown = np.full((TIMES, AT_ONCE), np.inf)
    if peak_per_s is None or device is None:
        return unknown
    number = block * AT_ONCE + np.arange(1, AT_ONCE + 1)
    try:
        made = scheme_response(
            curve,
            ram_pages=ram_pages,
            flash_pages=0,
            hierarchy=Hierarchy(device, device),
            accesses_per_s=peak_per_s / machines / number,
            schemes=(NO_FLASH,),
            percentiles=PERCENTILES,
            ranges=False,
        )[NO_FLASH]
    except BadInput:
        return unknown
    if any(
        station.reads_per_access > 0 and not station.latency_known
        for station in made.stations.values()
    ):
        return unknown
    found = np.stack(times_us(made))
    return np.where(np.isfinite(found), found, np.inf)


def times_us(made: SchemeResponse) -> tuple[FloatArray, ...]:
    """Mean, median and 99th percentile of a response time. [µs]"""
    return (
        made.mean_s * US,
        *(made.quantile_s[each] * US for each in PERCENTILES),
    )


def least_times_us(
    reads: tuple[FloatArray, FloatArray], times_us: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, ...]:
    """Bound mean, median and 99th percentile from below: nothing waits, and every read takes its least time. [µs]

    Parameters
    ----------
    reads : tuple of float64 array
        Of an access, of flash and of what holds the data. [1]
    times_us : tuple of float64 array
        Of such a read, at least; infinite where unknown. [µs]
    """
    unknown = np.isinf(times_us[0]) | np.isinf(times_us[1])
    some = tuple(np.where(unknown, 0.0, each) for each in times_us)
    mean = sum(
        share * np.nan_to_num(each) for share, each in zip(reads, some, strict=True)
    )
    least = (
        mean,
        *(least_percentile_us(reads, (some[0], some[1]), each) for each in PERCENTILES),
    )
    # What waits next to nothing is computed in another order, and may come out below by the last digits.
    return tuple(np.where(unknown, np.inf, each * (1 - ROUNDING)) for each in least)
