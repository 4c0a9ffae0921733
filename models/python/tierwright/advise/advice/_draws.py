"""What is not known, drawn: windows of the recording in blocks, and every stated range at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from tierwright.advise.advice._contenders import Contenders, State, Timing
from tierwright.advise.advice._prices import PriceRange
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.resampling import (
    FEWEST_WITH_WARM_UP,
    Drift,
    block_length,
    drift,
    moving_blocks,
    of_few_blocks,
    ratios,
)
from tierwright.profile.curve import Curve, thinned_sizes
from tierwright.profile.windows import SHORTEST, Windows

DRAWS = 512
"""Draws of all inputs together."""
DRIFT_DRAWS = 4096
"""Recordings without a trend against which a drift is held."""
FEWEST_COUNTS = 100
"""Write-backs of all windows at a size below which they are drawn as the misses are, and misses below which no drift is
looked for."""
EVERY_END = 4
"""Of so many draws one is looked at for the ends of the curve, which name contenders."""
SAMPLE, SHORT, LAW, STEADY, HITS, TIME, PRICE = (
    "sample",
    "short",
    "law",
    "steady",
    "hits",
    "time",
    "price",
)
"""Inputs: what one recording shows by chance, a sample of pages, what a recording is too short to show, a scale law,
the model of a running system, flash hits of a page flow, the time of an operation of a device, and the price of
a kind of purchase."""
MOST_LISTED = 4096
KEPT = 1024
MOST_ERRORS = 2.5
"""Standard errors of a sample up to which it is drawn."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Windows of a recording that can be drawn.

    Attributes
    ----------
    windows : Windows
        Those after the warm-up, of equal length.
    every : Windows
        These and those before them.
    warm_up : int
        Windows before them.
    full : int
        Sizes of `windows.pages` that were full by then.
    read : tuple of int
        Of these sizes the ones nearest to those at which the contenders read the curve.
    own : tuple of int
        The same of the recommendation alone.
    """

    windows: Windows
    every: Windows
    warm_up: int
    full: int
    read: tuple[int, ...]
    own: tuple[int, ...]

    def series(self, at: int) -> FloatArray:
        """Miss ratio of each window at one of the sizes. [1]"""
        return np.asarray(self.windows.misses[:, at] / self.windows.accesses)

    def series_since_full(self, at: int) -> FloatArray:
        """Miss ratio of each window from that on before which one of the sizes was full. [1]

        An LRU cache that is full holds the same pages however it began: from then on its misses show no warm-up, while
        larger caches still fill.
        """
        seen, size = self.every.seen_before, self.every.pages[at]
        first = min(int(np.searchsorted(seen, size)), self.warm_up)
        return np.asarray(self.every.misses[first:, at] / self.every.accesses[first:])

    def drifts(self, generator: np.random.Generator) -> dict[int, Drift]:
        """Return how the misses at the sizes of the contenders drift, by size; empty where they do not. [pages]"""
        missed = self.windows.misses.sum(axis=0)
        found = {
            int(self.every.pages[at]): drift(
                self.series_since_full(at), DRIFT_DRAWS, generator
            )
            for at in self.read
            if missed[at] >= FEWEST_COUNTS
        }
        return {
            size: each for size, each in found.items() if each.is_drift_of(len(found))
        }

    @property
    def block(self) -> int:
        """Windows of a block: as many as the more dependent of the sizes of the recommendation asks for."""
        return max(block_length(self.series(at)) for at in self.own)


def recorded_sizes(curve: Curve, sizes: FloatArray) -> FloatArray:
    """Sizes of the recorded system that became those of a curve. [pages]"""
    if curve.scaled is None:
        return sizes
    scaled = curve.scaled
    return np.asarray([scaled.recorded_size(size) for size in sizes.tolist()])


def after_warm_up(windows: Windows, read: FloatArray, own: FloatArray) -> Recorded:
    """Leave out the windows before some sizes were full, and one that was cut short.

    Of the sizes the largest counts that was full within half of the windows. What fills later, or never, needs no longer
    warm-up: no window shows it, and leaving out more of them would only make the recording seem shorter than it is. Where
    none was full by then, half of them are left out: the second half is looked at by sizes that were full at its begin.

    Parameters
    ----------
    windows : Windows
        Of the recording.
    read, own : float64 array
        Sizes of the recorded system at which the contenders, and the recommendation, read the curve. [pages]
    """
    whole = int(np.sum(windows.accesses == windows.accesses[0]))
    seen = windows.seen_before
    filled = np.searchsorted(seen[:whole], read)
    in_time = filled[filled <= whole // 2]
    before = int(in_time.max()) if len(in_time) else whole // 2
    full = max(1, int(np.searchsorted(windows.pages, seen[before], side="right")))

    def nearest(sizes: FloatArray) -> tuple[int, ...]:
        at = np.searchsorted(windows.pages[:full], sizes, side="right") - 1
        return tuple(sorted({max(0, each) for each in at.tolist()}))

    def some(kept: slice) -> Windows:
        return replace(
            windows,
            accesses=windows.accesses[kept],
            first_references=windows.first_references[kept],
            misses=windows.misses[kept],
            write_backs=windows.write_backs[kept],
        )

    return Recorded(
        some(slice(before, whole)),
        some(slice(0, whole)),
        before,
        full,
        nearest(read),
        nearest(own),
    )


@dataclass(frozen=True, slots=True)
class Shortage:
    """By how much a recording has too few windows, whatever its warm-up.

    Attributes
    ----------
    whole : int
        Windows that it fills.
    window_accesses : int
        Accesses of each.
    missing : int
        Accesses to record besides until enough windows follow the longest warm-up; at least 1.
    """

    whole: int
    window_accesses: int
    missing: int


def shortage(windows: Windows) -> Shortage | None:
    """Say by how much a recording has too few windows; None where it has enough.

    The longest warm-up counts, half of the windows, and not that of the contenders: what they ask of a longer recording
    is not known, for larger caches fill within half of it. So every question to one recording needs as many accesses, and
    with these it has an answer.
    """
    length = int(windows.accesses[0])
    if len(windows) == 1:
        # One that was cut short does not tell how long windows are.
        length = max(length, SHORTEST)
    whole = int(np.sum(windows.accesses == length))
    if whole >= FEWEST_WITH_WARM_UP:
        return None
    needed = FEWEST_WITH_WARM_UP * length
    return Shortage(whole, length, max(1, needed - int(windows.accesses.sum())))


@dataclass(frozen=True, slots=True)
class Ranges:
    """What is not known of a curve, at its listed sizes.

    Attributes
    ----------
    curve : Curve
        Of the answer, thinned where it lists many sizes.
    low, high : float64 array
        Ends of the misses by what a recording is too short to show, where it is; the misses elsewhere. The estimate
        lies beyond the high one where its trend goes on as before and the last half saw nothing of it.
    sample : float64 array or None
        Standard error of the misses of a sample, as a share; None where all pages were followed, or it is unknown. [1]
    law : float
        Worst error known of the scale law; 0 where nothing was scaled. [1]
    late : bool
        Whether the last half of the recording allows fewer misses than that every first touch misses.
    """

    curve: Curve
    low: FloatArray
    high: FloatArray
    sample: FloatArray | None
    law: float
    late: bool = False

    @property
    def is_short(self) -> bool:
        """Whether the recording is too short to show some of the sizes."""
        misses = self.curve.misses_at
        return bool(np.any((self.low < misses) | (misses < self.high)))


def ranges_of(curve: Curve, read: FloatArray) -> Ranges:
    """Find what is not known of a curve.

    Parameters
    ----------
    curve : Curve
        Of the answer.
    read : float64 array
        Sizes at which it will be read: kept where it is thinned. [pages]
    """
    if len(curve.pages) > MOST_LISTED:
        also = np.unique(np.concatenate((np.floor(read), np.ceil(read))))
        listed = thinned_sizes(
            curve.last_listed, KEPT, [int(size) for size in also.tolist() if size >= 1]
        )
        curve = curve.at(listed[listed <= curve.last_listed])
    sizes = curve.pages.astype(np.float64)
    low, high = curve.counted_band(sizes)
    most = high
    high = np.maximum(low, np.minimum(high, _late_misses(curve, sizes)))
    unsure = curve.uncertain(sizes)
    late = bool(np.any(unsure & (high < most)))
    misses = curve.misses_at
    low = np.where(unsure, low, misses)
    high = np.where(unsure, high, misses)
    counted = curve if curve.cold is None else curve.cold
    followed, share = counted.sample_error()
    sample = np.interp(sizes, followed, share) if len(followed) else None
    known = curve.known_error
    law = 0.0 if known is None else known.worst
    return Ranges(curve, low, high, sample, law, late)


def _late_misses(curve: Curve, sizes: FloatArray) -> FloatArray:
    """Most misses of a running cache that the last half of a recording allows; all accesses where it has no windows.

    An access that misses in a cache of at least as many pages as were seen is to a page that was not referenced since the
    recording began: a first touch, if it had been recorded. Of a workload that does not change first touches never
    become more frequent, so those of the last half are no fewer than what is still to come. Accesses to pages that
    were seen before, which miss in a smaller cache, count as if all were in that half.
    """
    counted = curve.cold
    windows = None if counted is None else counted.windows
    if counted is None or windows is None:
        return np.full(sizes.shape, float(curve.accesses))
    first, accesses = windows.first_references, windows.accesses
    half = len(windows) // 2
    longer = accesses.sum() / accesses[half:].sum()
    touches = max(int(first.sum()), 1)
    late = longer * first[half:].sum() / touches
    again = np.maximum(counted.misses(sizes) - counted.distinct_pages, 0.0)
    return np.asarray(longer * again + late * counted.distinct_pages)


@dataclass(frozen=True, slots=True)
class Input:
    """One input that is not known, drawn evenly over its range.

    Attributes
    ----------
    name : str
        Kind of the input.
    of : tuple of str
        Scheme, or device and operation; empty where there is one of the kind.
    """

    name: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws of all inputs.

    Attributes
    ----------
    ranges : Ranges
    bounds : mapping
        Times of devices as they are used, least and most. [µs]
    spreads : mapping of str to PriceRange
        By how much the price of a kind of purchase may be off.
    places : mapping of Input to float64 array
        Where in its range each input lies in each draw, from 0 to 1.
    misses, write_backs : float64 array, shape (D, S)
        Counts of drawn recordings over those of the one there is, at the listed sizes. [1]
    """

    ranges: Ranges
    bounds: Mapping[Timing, tuple[float, float, float]]
    spreads: Mapping[str, PriceRange]
    places: Mapping[Input, FloatArray]
    misses: FloatArray
    write_backs: FloatArray

    def curve(self, at: int) -> Curve:
        """Return the curve of one draw."""
        places = {each: float(values[at]) for each, values in self.places.items()}
        return curve_at(self.ranges, places, self.misses[at], self.write_backs[at])

    def state(self, at: int) -> State:
        """Return what else is otherwise in one draw."""
        return self.state_of(
            {each: float(values[at]) for each, values in self.places.items()}
        )

    def state_of(self, places: Mapping[Input, float]) -> State:
        """Return what else is otherwise with inputs at places of their ranges."""
        return state_at(self.bounds, places, self.spreads)

    def ends(self) -> tuple[Curve, Curve]:
        """Curves of the fewest and of the most misses of some draws at each size."""
        some = range(0, len(self.misses), EVERY_END)
        curves = [self.curve(at) for at in some]
        misses = np.stack([each.misses_at for each in curves])
        backs = [each.write_backs_at for each in curves]
        base = self.ranges.curve
        found = []
        for end in (np.min, np.max):
            known = [each for each in backs if each is not None]
            found.append(
                replace(
                    base,
                    misses_at=end(misses, axis=0),
                    write_backs_at=end(np.stack(known), axis=0) if known else None,
                )
            )
        return found[0], found[1]


def curve_at(
    ranges: Ranges,
    places: Mapping[Input, float],
    misses_ratio: FloatArray | float = 1.0,
    write_backs_ratio: FloatArray | float = 1.0,
) -> Curve:
    """Return the curve with inputs at places of their ranges; those that are not named stay as they are."""
    base = ranges.curve
    misses = base.misses_at
    short = places.get(Input(SHORT))
    if short is not None:
        off = 2 * short - 1
        end = ranges.high if off > 0 else ranges.low
        middle = np.clip(misses, ranges.low, ranges.high)
        misses = middle + abs(off) * (end - middle)
    factor: FloatArray | float = 1.0
    law = places.get(Input(LAW))
    if law is not None:
        factor = factor * (1 + ranges.law) ** (2 * law - 1)
    sample = places.get(Input(SAMPLE))
    if sample is not None and ranges.sample is not None:
        factor = factor * np.maximum(0.0, 1 + _errors(sample) * ranges.sample)
    made = np.minimum.accumulate(
        np.minimum(misses * factor * misses_ratio, float(base.accesses))
    )
    backs = base.write_backs_at
    if backs is not None:
        share = np.divide(
            misses, base.misses_at, out=np.ones_like(misses), where=base.misses_at > 0
        )
        backs = backs * share * factor * write_backs_ratio
        most = np.minimum(made, float(base.write_accesses))
        backs = np.minimum.accumulate(np.minimum(backs, most))
    return replace(base, misses_at=made, write_backs_at=backs)


def state_at(
    bounds: Mapping[Timing, tuple[float, float, float]],
    places: Mapping[Input, float],
    spreads: Mapping[str, PriceRange] | None = None,
) -> State:
    """Return what else is otherwise with inputs at places of their ranges."""
    hits, times, prices, steady = {}, {}, {}, 0.0
    for each, place in places.items():
        if each.name == HITS:
            hits[each.of[0]] = 2 * place - 1
        elif each.name == STEADY:
            steady = 2 * place - 1
        elif each.name == TIME:
            device, operation = each.of
            [(key, bound)] = [
                (key, bound)
                for key, bound in bounds.items()
                if key == (device, operation)
            ]
            times[key] = time_at(bound, place) / bound[0]
        elif each.name == PRICE:
            assert spreads is not None
            prices[each.of[0]] = spreads[each.of[0]].at(place)
    return State(hits, steady, times, prices)


def time_at(bound: tuple[float, float, float], place: float) -> float:
    """Time at a place of its range, even in its logarithm. [µs]"""
    _, low, high = bound
    return float(low * (high / low) ** place)


def standard_errors(generator: np.random.Generator) -> FloatArray:
    """Draw standard errors of a count, one of each draw. [1]"""
    return np.asarray([_errors(place) for place in strata(generator).tolist()])


def _errors(place: float) -> float:
    """Return the standard errors at a place of a normal distribution."""
    inside = min(max(place, 1e-9), 1 - 1e-9)
    found = NormalDist().inv_cdf(inside)
    return math.copysign(min(abs(found), MOST_ERRORS), found)


def inputs_of(ranges: Ranges, contenders: Contenders) -> list[Input]:
    """List what is not known, besides what one recording shows by chance."""
    found = []
    if ranges.sample is not None:
        found.append(Input(SAMPLE))
    if ranges.is_short:
        found.append(Input(SHORT))
    if ranges.law > 0:
        found.append(Input(LAW))
    if ranges.curve.cold is not None:
        found.append(Input(STEADY))
    found += [Input(HITS, (name,)) for name in contenders.approximate]
    found += [Input(TIME, key) for key in contenders.bounds]
    found += [Input(PRICE, (kind,)) for kind in contenders.spreads]
    return found


def strata(generator: np.random.Generator) -> FloatArray:
    """Draw one input of a Latin hypercube: from 0 to 1, once in each of as many strata as draws, in an order of its own.

    The design of `scipy.stats.qmc.LatinHypercube`; the draws of a seed rest on NumPy alone.
    """
    return np.asarray((generator.permutation(DRAWS) + generator.random(DRAWS)) / DRAWS)


def drawn(
    recorded: Recorded,
    ranges: Ranges,
    contenders: Contenders,
    generator: np.random.Generator,
) -> Draws:
    """Draw all inputs together, each evenly over its range.

    Parameters
    ----------
    recorded : Recorded
        Windows that are drawn in blocks.
    ranges : Ranges
        Of the curve.
    contenders : Contenders
        Whose schemes and devices have ranges.
    generator : Generator
        Of the draws.
    """
    places = {each: strata(generator) for each in inputs_of(ranges, contenders)}
    windows, block = len(recorded.windows), recorded.block
    index = moving_blocks(windows, block, DRAWS, generator)
    missed, counted = (
        each[:, : recorded.full].astype(np.float64)
        for each in (recorded.windows.misses, recorded.windows.write_backs)
    )
    both = np.hstack((ratios(missed, index), ratios(counted, index)))
    misses, backs = np.hsplit(of_few_blocks(both, windows, block, generator), 2)
    backs = np.where(counted.sum(axis=0) >= FEWEST_COUNTS, backs, misses)
    sizes = recorded_sizes(ranges.curve, ranges.curve.pages.astype(np.float64))
    known = np.log(recorded.windows.pages[: recorded.full])
    at = np.log(np.maximum(sizes, 1.0))

    def spread(values: FloatArray) -> FloatArray:
        return np.stack([np.interp(at, known, row) for row in values])

    return Draws(
        ranges,
        contenders.bounds,
        contenders.spreads,
        places,
        spread(misses),
        spread(backs),
    )
