"""Miss rates of smaller caches, from how long ago each resident page or item was last used.

Denning and Schwartz (1972, Properties of the working-set model, CACM 15(3)): the working set s(T) holds what
was used in the last T seconds, and its slope ds/dT is the rate of misses of a window of that length. The ages
of what is resident in an LRU cache are s(T) up to its present size, so that the slope at which s(T) = x is the
rate of misses of an LRU cache of size x. Nothing follows of larger caches.

Sizes are in bytes, and what misses is counted twice: items, by which a cache is judged, and their bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted

HALF_WINDOW = 0.15
"""Share of a size by which the ages of a slope reach to either side. [1]"""
CUT_WINDOW = 2 * HALF_WINDOW
"""Share of a size by which they reach below it where nothing is known above. [1]"""
LEAST_ITEMS = 100
"""Items that the ages of a slope rest on, in every snapshot."""
LEAST_AGES = 4
"""Different ages that a slope rests on."""
LEAST_TICKS = 3
"""Steps of the clock that stamps the items, below which their ages are too coarse for a slope."""
LEAST_SNAPSHOTS = 3
"""Snapshots whose spread gives a band."""
LEAST_BINS = 3
"""Bins of different ages, of which the oldest has no end, that bound two slopes."""
SIZES = 96
"""Sizes at which slopes are computed, even in the logarithm."""
LEAST_SHARE = 1e-4
"""Smallest of these sizes, as a share of the largest. [1]"""
_LARGEST = 1e20
_HINT = "take a snapshot of the ages of what is resident"


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What was resident at one moment, and how long ago it was last used.

    Attributes
    ----------
    ages_s : float64 array
        Time since the last use, in any order; of a bin its upper end. [s]
    sizes : float64 array
        Bytes of each row.
    items : float64 array
        Pages or items of each row: 1, or as many as a bin holds.
    share : float
        Share of what is resident that was looked at, at random; the rows stand for all of it. [1]
    """

    ages_s: FloatArray
    sizes: FloatArray
    items: FloatArray
    share: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class MissRates:
    """Rates of misses of LRU caches, by size.

    Attributes
    ----------
    sizes : float64 array
        Sizes, increasing, the last the largest of which the ages speak. [bytes]
    items_per_s : float64 array
        Misses, not rising with size. [items/s]
    low, high : float64 array or None
        Ends of the 95 % interval of their mean over the snapshots, None of fewer than `LEAST_SNAPSHOTS`; of bins
        the bounds that the bins on either side give. [items/s]
    bytes_per_s : float64 array
        Bytes of what misses, not rising with size. [bytes/s]
    snapshots : int
        Snapshots averaged.
    oldest_s : float
        Age up to which all of them speak. [s]
    oldest_per_s : float or None
        Rate among the oldest, to hold against what the system counts; None where that is the rate at the largest
        size. [items/s]
    """

    sizes: FloatArray
    items_per_s: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    bytes_per_s: FloatArray
    snapshots: int
    oldest_s: float
    oldest_per_s: float | None = None


def miss_rates(
    snapshots: Sequence[Snapshot],
    *,
    evicted_age_s: float = math.inf,
    clock_s: float = 0.0,
) -> MissRates:
    """Compute the rates of misses of LRU caches up to the present one.

    The slope at a size is that of a line fitted by least squares to the ages of +/-15 % of the size; where that
    reaches beyond what is known, of a parabola through the 30 % below it, whose slope there is not that of the
    middle. Slopes of several snapshots are averaged as rates, and the nearest rates that do not rise with size
    are taken (isotonic regression).

    Parameters
    ----------
    snapshots : sequence of Snapshot
        Of one cache, at least one.
    evicted_age_s : float
        Least age at which something can have been evicted: what is older is not all there, and is left out. [s]
    clock_s : float
        Step of the clock that stamps the items. [s]

    Returns
    -------
    MissRates

    Raises
    ------
    BadInput
        If a value is out of range, or the ages are too few or too coarse for any slope.

    References
    ----------
    Denning and Schwartz (1972), CACM 15(3), equation for the slope of the mean working-set size.
    """
    _check(snapshots, evicted_age_s, clock_s)
    sets = [_WorkingSet(each, evicted_age_s) for each in snapshots]
    last = min(each.last for each in sets)
    wanted = np.geomspace(last * LEAST_SHARE, last, SIZES)
    wanted[-1] = last
    good = np.asarray([all(each.tells(x, clock_s) for each in sets) for x in wanted])
    first = 0 if good.all() else int(np.flatnonzero(~good)[-1]) + 1
    if first >= len(wanted) - 1:
        raise BadInput(
            "the ages are too few or too coarse for a curve: a slope needs at least "
            f"{counted(LEAST_ITEMS, 'item')} of {counted(LEAST_AGES, 'different age')} within 15 % of a size, "
            f"and ages of at least {counted(LEAST_TICKS, 'step')} of the clock ({clock_s:g} s)",
            "take a snapshot of a larger sample, with finer ages, or of a cache that has run for longer",
        )
    sizes = wanted[first:]
    by_snapshot = np.asarray([[each.slopes(x) for x in sizes] for each in sets])
    items = _falling(by_snapshot[:, :, 0].mean(axis=0))
    low, high = _band(by_snapshot[:, :, 0])
    return MissRates(
        sizes,
        items,
        None if low is None else np.minimum(low, items),
        None if high is None else np.maximum(high, items),
        _falling(by_snapshot[:, :, 1].mean(axis=0)),
        len(sets),
        min(each.age_at(last) for each in sets),
    )


def bounded_miss_rates(snapshots: Sequence[Snapshot]) -> MissRates:
    """Bound the rates of misses of LRU caches where the ages are a few bins, of which the oldest has no end.

    s(T) is known at the ends of the closed bins alone, and its slope falls. So the slope at the end of a bin lies
    between the mean slope of the next bin and that of the bin itself; the estimate is the slope there of the
    parabola through the three ends. Where the next bin is steeper than one, which no LRU cache is, the bounds at
    their common end are the slopes of both as they are, and the estimate is of their common slope; where that is
    so of the youngest bin, its end is left out. Between two ends the bounds are those that lie farther out.

    What was used before the oldest bin began may be in it, so its slope is unknown: at its beginning the lower
    bound is 0, and the estimate carries on the slopes of the two bins before, as a line in age and log slope.

    Parameters
    ----------
    snapshots : sequence of Snapshot
        Of one cache, at least one; rows are bins, of equal ages together. The bin of the largest age has no end.

    Returns
    -------
    MissRates
        From the end of the youngest bin to the beginning of the oldest one, with bounds for a band.

    Raises
    ------
    BadInput
        If a value is out of range, or the snapshots have no sizes in common between two ends of their bins.

    References
    ----------
    Denning and Schwartz (1972), CACM 15(3): the mean working-set size is concave in the window.
    """
    _check(snapshots, math.inf, 0.0)
    sets = [_Bins(each) for each in snapshots]
    usable = all(each.known for each in sets)
    first = max((each.edges[0] for each in sets if each.known), default=0.0)
    last = min((each.edges[-1] for each in sets if each.known), default=0.0)
    if not usable or first >= last:
        raise BadInput(
            f"the ages have too few bins: at least {LEAST_BINS} of different ages are needed in every snapshot, "
            "used ever less often, with sizes in common",
            "take a snapshot with more generations, opened at growing intervals",
        )
    ends = np.unique(np.concatenate([each.edges for each in sets]))
    sizes = ends[(ends >= first) & (ends <= last)]
    found = np.asarray([[each.at(x) for x in sizes] for each in sets])
    items, low, high, content = (found[:, :, at].mean(axis=0) for at in range(4))
    items = _falling(items)
    # Bounds are moved outwards only.
    low = np.minimum.accumulate(low)
    high = np.maximum.accumulate(high[::-1])[::-1]
    return MissRates(
        sizes,
        items,
        np.minimum(low, items),
        np.maximum(high, items),
        _falling(content),
        len(sets),
        min(each.oldest_s for each in sets),
    )


class _Bins:
    """Slopes of s(T) of one snapshot at the ends of its closed bins."""

    def __init__(self, snapshot: Snapshot) -> None:
        from scipy.optimize import isotonic_regression

        filled = snapshot.items > 0
        ages, of_bin = np.unique(snapshot.ages_s[filled], return_inverse=True)
        items, content = (
            np.bincount(of_bin, rows[filled], len(ages))[:-1] / snapshot.share
            for rows in (snapshot.items, snapshot.sizes)
        )
        spans = np.diff(ages[:-1], prepend=0.0)
        self.known = len(ages) >= LEAST_BINS and bool(np.all(spans > 0))
        if not self.known:
            return
        raw = items / spans
        by_item, by_byte = (
            np.asarray(
                isotonic_regression(rows / spans, weights=spans, increasing=False).x
            )
            for rows in (items, content)
        )
        low, high = np.minimum(raw[:-1], raw[1:]), np.maximum(raw[:-1], raw[1:])
        ends = (
            np.cumsum(content),
            _at_ends(by_item, spans),
            np.append(np.minimum(low, by_item[1:]), 0.0),
            np.append(np.maximum(high, by_item[:-1]), max(raw[-1], by_item[-1])),
            _at_ends(by_byte, spans),
        )
        from_end = int(raw[0] < raw[1])
        self.edges, self._items, self._low, self._high, self._bytes = (
            each[from_end:] for each in ends
        )
        self.oldest_s = float(ages[-2])

    def at(self, size: float) -> tuple[float, float, float, float]:
        """Return estimate, least and largest rate at a size, and the bytes. [items/s, bytes/s]"""
        place = int(np.searchsorted(self.edges, size))
        on_end = bool(self.edges[place] == size)
        return (
            float(np.interp(size, self.edges, self._items)),
            float(self._low[place]),
            float(self._high[place if on_end else place - 1]),
            float(np.interp(size, self.edges, self._bytes)),
        )


def _at_ends(slopes: FloatArray, spans: FloatArray) -> FloatArray:
    """Return the slopes at the ends of bins: of parabolas, at the last one carried on from the two before."""
    between = (slopes[:-1] * spans[1:] + slopes[1:] * spans[:-1]) / (
        spans[1:] + spans[:-1]
    )
    last = float(slopes[-1])
    if last > 0:
        last *= (last / float(slopes[-2])) ** float(spans[-1] / (spans[-1] + spans[-2]))
    return np.append(between, last)


def gap(rates: MissRates, counted_per_s: float) -> float:
    """Say by what share the rate of the oldest differs from what the system counts there.

    Parameters
    ----------
    rates : MissRates
    counted_per_s : float
        Evictions, or misses, that the system counts; positive. [items/s]

    Returns
    -------
    float
        Positive where the ages give more. [1]
    """
    if not (math.isfinite(counted_per_s) and counted_per_s > 0):
        raise BadInput(
            f"counted_per_s: `{counted_per_s}` must be positive",
            "count evictions or misses between two moments",
        )
    last = float(rates.items_per_s[-1])
    known = last if rates.oldest_per_s is None else rates.oldest_per_s
    return known / counted_per_s - 1.0


class _WorkingSet:
    """s(T) of one snapshot, in bytes and in items."""

    def __init__(self, snapshot: Snapshot, evicted_age_s: float) -> None:
        kept = snapshot.ages_s <= evicted_age_s
        order = np.argsort(snapshot.ages_s[kept], kind="stable")
        ages = snapshot.ages_s[kept][order]
        ends = np.flatnonzero(np.diff(ages, append=np.inf) > 0)
        self.ages = ages[ends]
        self.bytes = np.cumsum(snapshot.sizes[kept][order])[ends] / snapshot.share
        self.items = np.cumsum(snapshot.items[kept][order])[ends] / snapshot.share
        self._share = snapshot.share
        self.last = float(self.bytes[-1]) if self.bytes.size else 0.0

    def age_at(self, size: float) -> float:
        """Age of the working set of this size. [s]"""
        at = min(int(np.searchsorted(self.bytes, size)), len(self.ages) - 1)
        return float(self.ages[at])

    def _part(self, size: float) -> tuple[slice, bool]:
        """Return the rows of a slope, and whether they end before +15 %."""
        cut = size * (1 + HALF_WINDOW) > self.last
        low = size * (1 - (CUT_WINDOW if cut else HALF_WINDOW))
        high = self.last if cut else size * (1 + HALF_WINDOW)
        first = int(np.searchsorted(self.bytes, low))
        end = int(np.searchsorted(self.bytes, high, side="right"))
        return slice(first, end), cut

    def tells(self, size: float, clock_s: float) -> bool:
        """Whether its ages are enough, and fine enough, for a slope at this size."""
        part, _ = self._part(size)
        ages, items = self.ages[part], self.items[part]
        return (
            len(ages) >= LEAST_AGES
            and (items[-1] - items[0]) * self._share >= LEAST_ITEMS
            and ages[0] >= LEAST_TICKS * clock_s
        )

    def slopes(self, size: float) -> tuple[float, float]:
        """Return the slopes at a size. [items/s, bytes/s]"""
        part, cut = self._part(size)
        ages = self.ages[part]
        middle, span = float(ages.mean()), float(ages[-1] - ages[0])
        time = (ages - middle) / span
        at = (self.age_at(size) - middle) / span
        powers = np.vander(time, 3 if cut else 2, increasing=True)
        found = np.linalg.lstsq(
            powers, np.stack((self.items[part], self.bytes[part]), axis=1), rcond=None
        )[0]
        slope = found[1] + (2 * at * found[2] if cut else 0.0)
        return max(0.0, float(slope[0]) / span), max(0.0, float(slope[1]) / span)


def _falling(rates: FloatArray) -> FloatArray:
    """Return the nearest sequence that does not rise, by least squares."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(rates, increasing=False).x)


def _band(rates: FloatArray) -> tuple[FloatArray | None, FloatArray | None]:
    """Return the 95 % interval of the mean over snapshots by Student's t, its ends not rising."""
    snapshots = len(rates)
    if snapshots < LEAST_SNAPSHOTS:
        return None, None
    from scipy.stats import t

    mean = rates.mean(axis=0)
    off = rates.std(axis=0, ddof=1) / math.sqrt(snapshots)
    off = off * float(t.ppf(0.975, snapshots - 1))
    return _falling(np.maximum(mean - off, 0.0)), _falling(mean + off)


def _check(snapshots: Sequence[Snapshot], evicted_age_s: float, clock_s: float) -> None:
    problems = Problems("ages", _HINT)
    problems.check(len(snapshots) > 0, "snapshots", 0, "must be at least one")
    problems.check(
        evicted_age_s > 0, "evicted_age_s", evicted_age_s, "must be positive"
    )
    problems.check(
        math.isfinite(clock_s) and clock_s >= 0,
        "clock_s",
        clock_s,
        "must be a number that is not negative",
    )
    for at, each in enumerate(snapshots):
        where = f"snapshots[{at}]"
        problems.check(
            0 < each.share <= 1, f"{where}.share", each.share, "must lie in (0, 1]"
        )
        rows = {len(each.ages_s), len(each.sizes), len(each.items)}
        if not problems.check(
            len(rows) == 1, where, None, "must have one size and count for each age"
        ):
            continue
        for name, values, low in (
            ("ages_s", each.ages_s, 0.0),
            ("sizes", each.sizes, 0.0),
            ("items", each.items, 0.0),
        ):
            bad = ~((values >= low) & (values <= _LARGEST))
            if bad.any():
                row = int(np.argmax(bad))
                problems.add(
                    f"{where}.{name}[{row}]",
                    float(values[row]),
                    "must be a number that is not negative",
                )
        kept = each.ages_s <= evicted_age_s
        problems.check(
            bool(np.sum(each.sizes[kept]) > 0 and np.sum(each.items[kept]) > 0),
            where,
            None,
            "holds nothing younger than what was evicted",
        )
    problems.raise_if_any()
