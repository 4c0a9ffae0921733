"""LRU hit-ratio and write-back curves, and the profile file that carries them.

One pass over a trace gives, for every size at once, how many misses and how many
write-backs an LRU cache of that size has (cold start, no flush at the end). A `Curve`
holds them, whole or thinned to listed sizes; between listed sizes it is piecewise linear.
`Curve.steady` makes of it the curve of a system that runs.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray, share
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import LARGEST_EXACT, is_count, is_number
from tierwright.common.wording import listed
from tierwright.profile.all_data import cut_at_data
from tierwright.profile.evidence import Evidence
from tierwright.profile.production import KnownError, Scaled, ScaledParts
from tierwright.profile.steady_state import (
    LEAST_AT_RISK,
    Start,
    at_risk,
    check_new_pages,
    check_start,
    steady_state,
    steady_write_backs,
)
from tierwright.profile.windows import Windows, from_counts
from tierwright.trace.notes import NOTHING_NOTED, ReaderNotes

DEFAULT_POINTS = 1000
"""Sizes in a thinned curve when nothing else is said."""
MOST_SAMPLE_KNOTS = 64
"""Sizes at which the file of a scaled profile says how far a sample may be off."""
SHARE_DIGITS = 6
"""Of that share."""
HALF_INTERVAL_95 = 1.96
"""Half of the 95 % interval of a sample, in standard errors."""


@dataclass(frozen=True, slots=True)
class Given:
    """What stands behind a curve that somebody gave instead of a trace.

    Attributes
    ----------
    source : str
        Kind of the input, a name of `tierwright.profile.given.kinds.KINDS`.
    data_known : bool
        Whether the size of the data was stated. Otherwise the curve's `distinct_pages` is
        its last size, a lower bound.
    dirty_share : float or None
        p_d as stated, the same at every size; None when it is unknown. [1]
    write_share : float or None
        Share of the accesses that write, as stated; it only bounds p_d. [1]
    assumptions : tuple of str
        What was assumed when the input was read.
    described_by : str or None
        Name of the description from which the curve was computed; None where it was given.
    composed_of : tuple of str
        Names of the workloads of which the curve was composed; empty where it was given.
    scaled : ScaledParts or None
        Which of these were scaled, and how far the curve may be off by that; None where none was.
    evidence : Evidence or None
        What a curve from the counters of a running system rests on; None of others.
    dirty_counted : bool
        Whether the dirty share follows from counted writes, and was not stated.
    to_the_end : bool
        Whether a composed curve was followed to where no workload has more to save; those of earlier versions were not.
    """

    source: str
    data_known: bool
    dirty_share: float | None = None
    write_share: float | None = None
    assumptions: tuple[str, ...] = ()
    described_by: str | None = None
    composed_of: tuple[str, ...] = ()
    scaled: ScaledParts | None = None
    evidence: Evidence | None = None
    dirty_counted: bool = False
    to_the_end: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the key `given` of a profile file."""
        described = self.described_by
        return {
            **({} if described is None else {"described_by": described}),
            **({"composed_of": list(self.composed_of)} if self.composed_of else {}),
            **({"to_the_end": True} if self.to_the_end else {}),
            **({} if self.scaled is None else {"scaled": self.scaled.to_dict()}),
            "source": self.source,
            "data_known": self.data_known,
            "dirty_share": self.dirty_share,
            "write_share": self.write_share,
            "assumptions": list(self.assumptions),
            **({} if self.evidence is None else self.evidence.to_dict()),
            **({"dirty_counted": True} if self.dirty_counted else {}),
        }


class Counts:
    """Stands for the sizes and counts of a curve, for what is kept about them."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Misses and write-backs of one LRU cache, by its size.

    Attributes
    ----------
    pages : int64 array
        Listed sizes, strictly increasing, at least 1. [pages]
    misses : float64 array
        Misses of an LRU cache of each listed size.
    write_backs : float64 array or None
        Dirty evictions of each listed size; None when the curve has no writes to tell.
    accesses : int
        Accesses of the trace (N of the models).
    distinct_pages : int
        Pages that the trace touches.
    page_bytes : int
        Page size. [bytes]
    write_accesses : int
        Accesses that write; 0 without meaning where there are no write-backs, see
        `known_write_accesses`.
    given : Given or None
        What stands behind a curve that was not measured from a trace; None for measured
        ones. A given curve is of a cache that is full, so every miss evicts.
    sample_rate : float or None
        Share of the pages that an estimated curve was counted from; None when all were. [1]
    notes : ReaderNotes
        What the reader of the trace noticed: who decides by the curve must know it.
    cold : Curve or None
        Counts from a cold start that a steady curve was estimated from; None for these
        themselves. See `start`.
    new_pages : int
        Pages known to be newly allocated during the recording, see `growth`. [pages]
    scaled : Scaled or None
        How the curve was scaled to the production that it speaks of; None where it speaks of
        what was recorded or given.
    interval : pair of float64 array, or None
        Ends of the 95 % interval of the misses of an estimated curve, at its listed sizes; None
        where nobody knows them.
    windows : Windows or None
        Windows of the recording from which the curve was counted, at sizes of the recorded system; of a
        steady curve those of `cold`. None where nobody counted them.
    stretched : float
        By what the sizes of a scaled curve were multiplied since, as its data grew. [1]
    counts : Counts
        Stands for sizes and counts: the same in copies that differ in their notes.

    Notes
    -----
    Between listed sizes the curve is piecewise linear; beyond the last it is constant,
    which `ends_early` tells from knowledge. In a running system it falls at `all_data_from`, between
    that size and one page less, to the `growth`.
    A cache of 0 pages misses every access, and every write access goes straight through,
    so `misses(0)` is `accesses` and `write_backs(0)` is `write_accesses`. The latter is
    also what the one-pass rule gives: each write opens an interval whose largest stack
    distance is at least 1, hence costs one write-back at size 0.
    """

    pages: NDArray[np.int64]
    misses_at: FloatArray
    write_backs_at: FloatArray | None
    accesses: int
    distinct_pages: int
    page_bytes: int
    write_accesses: int
    given: Given | None = None
    sample_rate: float | None = None
    notes: ReaderNotes = NOTHING_NOTED
    cold: Curve | None = field(default=None, repr=False)
    new_pages: int = 0
    scaled: Scaled | None = None
    interval: tuple[FloatArray, FloatArray] | None = field(default=None, repr=False)
    windows: Windows | None = field(default=None, repr=False)
    stretched: float = 1.0
    _knots: FloatArray = field(init=False, repr=False)
    _misses: FloatArray = field(init=False, repr=False)
    _write_backs: FloatArray | None = field(init=False, repr=False)
    _steady: list[Curve] = field(init=False, repr=False, default_factory=list)
    counts: Counts = field(init=False, repr=False, default_factory=Counts)

    def __post_init__(self) -> None:
        _check_curve(self)
        data = self.all_data_from
        # A composed curve has the ends of its workloads in it.
        if data is not None and not (self.given and self.given.composed_of):
            self._hold_all_from(data)
            return
        set_ = object.__setattr__
        set_(self, "_knots", np.concatenate(([0.0], self.pages.astype(np.float64))))
        set_(self, "_misses", np.concatenate(([float(self.accesses)], self.misses_at)))
        backs = self.write_backs_at
        set_(
            self,
            "_write_backs",
            None
            if backs is None
            else np.concatenate(([float(self.write_accesses)], backs)),
        )

    def _hold_all_from(self, data_pages: int) -> None:
        """Let caches of all the data miss nothing but new pages, however the curve was made."""
        found = cut_at_data(
            self.pages,
            self.misses_at,
            self.write_backs_at,
            at_zero=(self.accesses, self.write_accesses),
            data_pages=data_pages,
            growth=self.growth,
        )
        set_ = object.__setattr__
        set_(self, "misses_at", found.misses)
        set_(self, "write_backs_at", found.write_backs)
        set_(self, "_knots", found.knots)
        set_(self, "_misses", found.knot_misses)
        set_(self, "_write_backs", found.knot_write_backs)

    @classmethod
    def from_lists(
        cls,
        pages: ArrayLike,
        misses: ArrayLike,
        write_backs: ArrayLike | None,
        *,
        accesses: int,
        distinct_pages: int,
        page_bytes: int,
        write_accesses: int,
        given: Given | None = None,
        sample_rate: float | None = None,
        notes: ReaderNotes = NOTHING_NOTED,
        cold: Curve | None = None,
        new_pages: int = 0,
        scaled: Scaled | None = None,
        stretched: float = 1.0,
    ) -> Curve:
        """Make a curve from sizes and counts, thinned or whole.

        Raises
        ------
        BadInput
            If sizes do not increase, counts rise with size, or are out of bounds.
        """
        return cls(
            np.asarray(pages, dtype=np.int64),
            np.asarray(misses, dtype=np.float64),
            None if write_backs is None else np.asarray(write_backs, dtype=np.float64),
            accesses,
            distinct_pages,
            page_bytes,
            write_accesses,
            given,
            sample_rate,
            notes,
            cold,
            new_pages,
            scaled,
            stretched=stretched,
        )

    @classmethod
    def scaled_to(
        cls,
        scaled: Scaled,
        cold: Curve,
        steady: tuple[ArrayLike, ArrayLike, ArrayLike | None],
    ) -> Curve:
        """Make the curves of a scaled workload, which know their steady state from the recording.

        Parameters
        ----------
        scaled : Scaled
            How they were scaled.
        cold : Curve
            Counts from a cold start, at the sizes of production.
        steady : (array_like, array_like, array_like or None)
            Sizes [pages], misses and write-backs of the running system.

        Returns
        -------
        Curve
            That of the cold start.

        Raises
        ------
        BadInput
            As `from_lists`.
        """
        made = replace(cold, scaled=scaled)
        running = cls.from_lists(
            *steady,
            accesses=made.accesses,
            distinct_pages=made.distinct_pages,
            page_bytes=made.page_bytes,
            write_accesses=made.write_accesses,
            sample_rate=made.sample_rate,
            notes=made.notes,
            cold=made,
            new_pages=made.new_pages,
            scaled=scaled,
        )
        made._steady.append(running)
        return made

    @classmethod
    def of_counts(cls, found: Mapping[str, Any]) -> Curve:
        """Make the whole curve of a recording, with its windows, from what `_simulator.curves` counted.

        Raises
        ------
        BadInput
            As `from_lists`.
        """
        curve = cls.from_full(
            found["misses"],
            found["write_backs"],
            accesses=found["accesses"],
            page_bytes=found["page_bytes"],
            write_accesses=found["write_accesses"],
        )
        return curve.with_windows(
            from_counts(found["windows"], duration_s=found["duration_s"])
        )

    @classmethod
    def from_full(
        cls,
        misses: ArrayLike,
        write_backs: ArrayLike,
        *,
        accesses: int,
        page_bytes: int,
        write_accesses: int,
        notes: ReaderNotes = NOTHING_NOTED,
    ) -> Curve:
        """Make a curve from whole arrays: entry i belongs to an LRU of i + 1 pages."""
        size = len(np.asarray(misses))
        return cls.from_lists(
            np.arange(1, size + 1),
            misses,
            write_backs,
            accesses=accesses,
            distinct_pages=size,
            page_bytes=page_bytes,
            write_accesses=write_accesses,
            notes=notes,
        )

    @classmethod
    def from_hit_ratios(
        cls,
        points: Iterable[tuple[int, float]],
        *,
        accesses: int,
        page_bytes: int = 4096,
    ) -> Curve:
        """Make a curve without write-backs from (size, hit ratio) points.

        Parameters
        ----------
        points : iterable of (int, float)
            Sizes in pages, increasing, and hit ratios in [0, 1]; a point (0, 0) may lead.
        accesses : int
            Accesses that the ratios are over.
        page_bytes : int
            Page size. [bytes]

        Raises
        ------
        BadInput
            If a ratio is outside [0, 1], H(0) is not 0, or the curve falls.
        """
        problems = Problems("hit-ratio curve", "give (pages, hit ratio) points")
        listed = list(points)
        for size, ratio in listed:
            problems.check(
                math.isfinite(ratio) and 0 <= ratio <= 1,
                f"H({size})",
                ratio,
                "must lie in [0, 1]",
            )
            problems.check(size == int(size), "size", size, "must be whole pages")
            if size == 0:
                problems.check(ratio == 0, "H(0)", ratio, "must be 0")
        problems.check(
            is_count(accesses),
            "accesses",
            accesses,
            "must be a whole number, not negative",
        )
        problems.raise_if_any()
        listed = [point for point in listed if point[0] != 0]
        sizes = [size for size, _ in listed]
        misses = [accesses * (1 - ratio) for _, ratio in listed]
        return cls.from_lists(
            sizes,
            misses,
            None,
            accesses=accesses,
            distinct_pages=sizes[-1] if sizes else 0,
            page_bytes=page_bytes,
            write_accesses=0,
        )

    @property
    def knots(self) -> FloatArray:
        """Sizes at which the line bends, 0 first. [pages]"""
        return self._knots

    @property
    def knot_misses(self) -> FloatArray:
        """Misses at each knot."""
        return self._misses

    @property
    def knot_write_backs(self) -> FloatArray | None:
        """Write-backs at each knot; None where the curve has none."""
        return self._write_backs

    @property
    def last_listed(self) -> int:
        """Largest listed size; beyond it the curve is taken as constant. [pages]"""
        return int(self.pages[-1])

    @property
    def data_known(self) -> bool:
        """Whether `distinct_pages` is the size of the data, not a lower bound."""
        return self.given is None or self.given.data_known

    @property
    def data_pages(self) -> int:
        """Pages of the data, touched or not, as far as is known: what the disk holds. [pages]"""
        if self.scaled is None:
            return self.distinct_pages
        return max(self.distinct_pages, self.scaled.data_pages(self.page_bytes))

    @property
    def all_data_from(self) -> int | None:
        """Size from which a running cache holds all of the data: once full, it misses nothing but new pages. [pages]

        None from a cold start, and where nobody stated the size of the data: what a recording
        touches is assumed to be all of it, which a trend goes on beyond. None also of a curve that
        was given as far as its data, which itself says what misses there.
        """
        if self.scaled is not None:
            return self._all_scaled_from(self.scaled)
        given = self.given
        if given is None or not given.data_known:
            return None
        if given.composed_of:
            parts = given.scaled
            stated = parts is not None and set(parts.names) == set(given.composed_of)
            return self.distinct_pages if stated else None
        return None if self._is_given_so_far else self.distinct_pages

    def _all_scaled_from(self, scaled: Scaled) -> int | None:
        if self.start == "cold" or self._is_given_so_far:
            return None
        return self._scaled_data(scaled)

    @property
    def data_held_from(self) -> int | None:
        """As `all_data_from`, and of a curve that was given as far as its data, or described, these data. [pages]

        What misses there the curve itself says.
        """
        given = self.given
        if not self._is_given_so_far or (given and given.composed_of):
            return self.all_data_from
        if self.scaled is None:
            return self.distinct_pages
        return self._scaled_data(self.scaled)

    def _scaled_data(self, scaled: Scaled) -> int:
        data = math.floor(scaled.data_pages(self.page_bytes) * self.stretched + 0.5)
        return max(self.distinct_pages, data)

    @property
    def _is_given_so_far(self) -> bool:
        """Whether somebody gave the curve up to all of its data."""
        given = self.given is not None and self.given.data_known
        return given and self.last_listed >= self.distinct_pages

    def holds_all(self, size: ArrayLike) -> NDArray[np.bool_]:
        """Whether a running cache of `size` pages holds all of the data whose size was stated; any shape."""
        data = self.all_data_from
        sizes = np.asarray(size, dtype=np.float64)
        return np.asarray(sizes >= (math.inf if data is None else data))

    def short_of_data(self) -> Curve:
        """Return the curve of caches that lack a page of the data at least: counts do not fall at `all_data_from`.

        Returns
        -------
        Curve
            The same at smaller sizes, and at larger ones what a page less than the data misses; itself where
            `all_data_from` is None or a curve was composed.
        """
        composed = self.given is not None and bool(self.given.composed_of)
        if self.all_data_from is None or composed:
            return self
        made = copy.copy(self)
        for name in ("_misses", "_write_backs"):
            counts = getattr(self, name)
            if counts is not None:
                last = np.concatenate((counts[:-1], counts[-2:-1]))
                object.__setattr__(made, name, last)
        return made

    @property
    def served_per_access(self) -> float:
        """Page accesses that all machines serve together for each one of the workload: 1 without copies. [1]"""
        return 1.0 if self.scaled is None else self.scaled.served_per_access

    @property
    def is_scaled(self) -> bool:
        """Whether it, or a workload of which it was composed, was scaled to production."""
        return self.scaled is not None or self.scaled_parts is not None

    @property
    def scaled_parts(self) -> ScaledParts | None:
        """Which workloads of a composed curve were scaled; None where none was."""
        return None if self.given is None else self.given.scaled

    @property
    def known_error(self) -> KnownError | None:
        """How far the law by which it was scaled is off, or those of the workloads composed.

        None where nothing was scaled, and where a law was never measured.
        """
        by = self.scaled if self.scaled is not None else self.scaled_parts
        return None if by is None else by.known_error

    @property
    def evidence(self) -> Evidence | None:
        """What a curve from the counters of a running system rests on; None of others."""
        return None if self.given is None else self.given.evidence

    @property
    def ends_early(self) -> bool:
        """Whether larger caches than the last listed size may miss less."""
        return not self.data_known or self.last_listed < self.distinct_pages

    @property
    def start(self) -> Start:
        """What the curve counts: `cold`, from empty caches, or `steady`, in a running system.

        A given curve is of a running system.
        """
        return "cold" if self.cold is None and self.given is None else "steady"

    @property
    def growth(self) -> int:
        """First touches of new pages among the misses of a steady curve that read nothing.

        Each takes a frame and evicts as a miss does, so `misses` and `evictions` contain them at
        every size; the pages are made in memory, so `misses` less these are read from below.
        From a cold start they are misses like all others, and it is 0.
        """
        return 0 if self.cold is None else self.new_pages

    def with_new_pages(self, new_pages: int) -> Curve:
        """Return the curve of the same start, knowing how many of its pages are new.

        Parameters
        ----------
        new_pages : int
            Pages newly allocated during the recording: these first touches are growth in the
            steady state, no misses of a cache. [pages]

        Raises
        ------
        BadInput
            If it is negative or exceeds the distinct pages, which are the first touches, or
            the curve was given, which has none.
        """
        if new_pages and self.given is not None:
            raise BadInput(
                f"new_pages: `{new_pages}` must be 0: a given curve has no first touches",
                "profile a trace and state the new pages with that profile",
            )
        known = 0 if self.given else check_new_pages(new_pages, self.distinct_pages)
        if known == self.new_pages:
            return self
        if self.scaled is not None:
            raise BadInput(
                f"new_pages: `{new_pages}` cannot be stated of a workload that was scaled",
                "state the new pages with `tierwright scale`, of the profile of the recording",
            )
        if self.cold is not None:
            return self.cold.with_new_pages(known).steady()
        return replace(self, new_pages=known)

    def from_start(self, start: str) -> Curve:
        """Return the curve of this start; a given curve has only its own, the steady one.

        Parameters
        ----------
        start : str
            `steady` or `cold`.

        Raises
        ------
        BadInput
            If the start is unknown.
        """
        if check_start(start) == "steady":
            return self.steady()
        return self if self.cold is None else self.cold

    def steady(self) -> Curve:
        """Return the curve of a system that runs, estimated from the counts of a cold start.

        Accesses and pages stay as they are; misses are (N - G) S(C) + G by the product-limit
        estimate, G the new pages, write-backs the dirty share of the evicted pages times
        these, see `tierwright.profile.steady_state`. Every miss evicts. Computed once for a curve.

        Returns
        -------
        Curve
            Itself where it is steady or given. It lists sizes beyond the pages seen, where a
            trend stands for what nobody has seen.
        """
        if self.cold is not None or self.given is not None:
            return self
        if not self._steady:
            self._steady.append(self._made_steady())
        made = self._steady[0]
        if made.cold is not self:  # of the same counts, with other notes
            made = made.with_notes(self.notes)
            object.__setattr__(made, "cold", self)
        return made

    def _made_steady(self) -> Curve:
        found = steady_state(
            self.pages,
            self.misses_at,
            accesses=self.accesses,
            distinct_pages=self.distinct_pages,
            new_pages=self.new_pages,
        )
        backs = self.write_backs_at
        misses = found.misses + self.new_pages
        return Curve.from_lists(
            found.pages,
            misses,
            None
            if backs is None
            else steady_write_backs(
                found.pages,
                misses,
                self.misses_at[: found.counted],
                backs[: found.counted],
                write_accesses=self.write_accesses,
                distinct_pages=self.distinct_pages,
                windows=self.windows,
                new_pages=self.new_pages,
            ),
            accesses=self.accesses,
            distinct_pages=self.distinct_pages,
            page_bytes=self.page_bytes,
            write_accesses=self.write_accesses,
            sample_rate=self.sample_rate,
            notes=self.notes,
            cold=self,
            new_pages=self.new_pages,
        )

    def misses_band(self, size: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the ends between which the misses of a running cache of `size` pages lie.

        Low: first touches do not count, N (m - M) / (N - M), with G new pages
        (N - G) (m - M) / (N - M) + G. High: all of them miss, m. Both are the misses themselves
        for a cold or a given curve. The worst error known of the law by which a curve was scaled, or
        the workloads of a composed one, widens them; where it was never measured they are none
        and every access. A cache that `holds_all` of the data misses what is new, neither more nor less.
        """
        low, high = self.counted_band(size)
        return self._law_ends(size, low)[0], self._law_ends(size, high)[1]

    def law_band(self, size: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the misses by the worst error known of the law that scaled the curve.

        Of a composed curve, of the laws that scaled its workloads. None and every access where a
        law was never measured; the misses themselves where nothing was scaled.
        """
        return self._law_ends(size, self.misses(size))

    def _law_ends(
        self, size: ArrayLike, misses: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if not self.is_scaled:
            return misses, misses
        known = self.known_error
        if known is None:
            low, high = np.zeros_like(misses), np.full_like(misses, self.accesses)
        else:  # an error is a ratio: as much too low as too high
            low = misses / (1 + known.worst)
            high = np.minimum(misses * (1 + known.worst), float(self.accesses))
        whole = self.holds_all(size)  # by no law
        return np.where(whole, misses, low), np.where(whole, misses, high)

    def counted_band(self, size: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the misses by what the recording is too short to show alone.

        As `misses_band`, but for the error of a scale law; the misses themselves for a cold or a given curve.
        """
        counted = self.cold
        if counted is None:
            return self.misses(size), self.misses(size)
        high = counted.misses(size)
        known = self.accesses - self.distinct_pages
        low = np.maximum(high - self.distinct_pages, 0.0) * (
            (self.accesses - self.growth) / known if known > 0 else 0.0
        )
        low = low + self.growth
        whole, misses = self.holds_all(size), self.misses(size)
        # Scaled counts are not whole but the pages seen are, so M may be a fraction too small.
        return (
            np.where(whole, misses, np.minimum(low, misses)),
            np.where(whole, misses, np.maximum(high, misses)),
        )

    def at_risk(self, size: ArrayLike) -> FloatArray:
        """Count the accesses that could tell about caches of more than `size` pages.

        m(size) - size, less the first touches of new pages among them. Where a steady curve has fewer than `LEAST_AT_RISK` it is uncertain. The accesses for a
        cold or a given curve, which nothing was estimated for, and for a cache that `holds_all` of the data.
        """
        counted = self.cold
        sizes = np.asarray(size, dtype=np.float64)
        if counted is None:
            return np.full(sizes.shape, float(self.accesses))
        left = at_risk(
            sizes,
            counted.misses(sizes),
            distinct_pages=self.distinct_pages,
            new_pages=self.growth,
        )
        # A scaled curve rests on no more accesses than its recording has.
        own = 1.0 if self.scaled is None else self.scaled.counts_factor
        found = np.where(sizes < self.distinct_pages, left / own, 0.0)
        return np.where(self.holds_all(sizes), float(self.accesses), found)

    def uncertain(self, size: ArrayLike) -> NDArray[np.bool_]:
        """Whether too few accesses could tell about a size in the steady state, which does not hold all of the data."""
        few = np.asarray(self.at_risk(size) < LEAST_AT_RISK)
        return few & ~self.holds_all(size) & (self.cold is not None)

    @property
    def known_write_accesses(self) -> int | None:
        """Accesses that write; None where nobody said."""
        return None if self.write_backs_at is None else self.write_accesses

    def misses(self, size: ArrayLike) -> FloatArray:
        """Misses of an LRU cache of `size` pages; any shape, sizes may be fractional.

        They contain the `growth` of a steady curve.
        """
        return _line(self._knots, self._misses, size)

    def write_backs(self, size: ArrayLike) -> FloatArray:
        """Dirty evictions of an LRU cache of `size` pages; any shape.

        Raises
        ------
        BadInput
            If the curve carries no write-backs.
        """
        if self._write_backs is None:
            raise BadInput(
                "the curve has no write-backs",
                "profile a trace with reads and writes, or state the dirty share p_d",
            )
        return _line(self._knots, self._write_backs, size)

    def hit_ratio(self, size: ArrayLike) -> FloatArray:
        """Hit ratio H(size) = 1 - misses / accesses; 0 for an empty trace."""
        misses = self.misses(size)
        if self.accesses == 0:
            return np.zeros_like(misses)
        return 1.0 - misses / self.accesses

    def dirty_share(self, size: ArrayLike) -> FloatArray:
        """p_d for the cost formulas: write-backs / misses, 0 where nothing misses."""
        return share(self.write_backs(size), self.misses(size))

    def evictions(self, size: ArrayLike) -> FloatArray:
        """Evictions: of a cold start max(0, misses - size), as empty frames come first.

        In the steady state, and of a given curve, caches are full: each miss evicts.
        """
        if self.start == "steady":
            return self.misses(size)
        return np.maximum(0.0, self.misses(size) - np.asarray(size, dtype=np.float64))

    def is_listed(self, size: float) -> bool:
        """Whether the value at `size` is known, not interpolated or taken as constant.

        Beyond the last listed size it is known where that size holds all distinct pages.
        """
        return bool(self.listed(size))

    def listed(self, size: ArrayLike) -> NDArray[np.bool_]:
        """As `is_listed`, for any shape."""
        sizes = np.asarray(size, dtype=np.float64)
        at = np.searchsorted(self.pages, sizes)
        known = self.pages[np.minimum(at, len(self.pages) - 1)] == sizes
        last = self.last_listed if self.cold is None else self.distinct_pages
        beyond = (sizes > last) & (not self.ends_early)
        return np.asarray(known | beyond | (sizes <= 0) | self.holds_all(sizes))

    def thinned(self, points: int = DEFAULT_POINTS, also: Iterable[int] = ()) -> Curve:
        """Keep about `points` log-spaced sizes, always 1, distinct_pages and `also`."""
        return self.at(thinned_sizes(self.distinct_pages, points, also))

    def at(self, sizes: NDArray[np.int64]) -> Curve:
        """Return the same curve, listed at `sizes`, which increase. [pages]"""
        made = self._at(sizes)
        if self.scaled is not None and self._steady:
            made._steady.append(replace(self._steady[0]._at(sizes), cold=made))
        return made

    def _at(self, sizes: NDArray[np.int64]) -> Curve:
        data = self.all_data_from
        if data is not None and self.cold is not None:
            # The trend ends at the data, not at the last size below that is kept.
            sizes = np.union1d(sizes, np.asarray([max(1, data - 1), data]))
        made = Curve.from_lists(
            sizes,
            self.misses(sizes),
            None if self._write_backs is None else self.write_backs(sizes),
            accesses=self.accesses,
            distinct_pages=self.distinct_pages,
            page_bytes=self.page_bytes,
            write_accesses=self.write_accesses,
            given=self.given,
            sample_rate=self.sample_rate,
            notes=self.notes,
            cold=self.cold,
            new_pages=self.new_pages,
            scaled=self.scaled,
            stretched=self.stretched,
        ).with_windows(self.windows)
        return made.with_sample_error(*self.sample_error())

    def sample_error(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Return the sizes at which the error of a sample is known, and its standard error as a share of the misses.

        Both are empty where all pages were followed, or nobody knows how far the sample may be off.
        """
        if self.interval is None:
            return np.empty(0, dtype=np.int64), np.empty(0)
        low, high = self.interval
        share = (high - low) / (2 * HALF_INTERVAL_95) / np.maximum(self.misses_at, 1.0)
        return self.pages, share

    def sample_knots(self) -> NDArray[np.intp]:
        """Return the places of the few sizes at which the error of a sample is written down, from small to large."""
        spread = np.geomspace(1, self.last_listed, MOST_SAMPLE_KNOTS)
        at = np.searchsorted(self.pages, spread)
        return np.unique(np.minimum(at, len(self.pages) - 1))

    def with_sample_error(self, pages: ArrayLike, share: ArrayLike) -> Curve:
        """Return the same curve, its arrays shared, with the 95 % interval of a sample.

        Parameters
        ----------
        pages : array-like
            Sizes, increasing; the curve without an interval where there are none. [pages]
        share : array-like
            Standard error of the misses there, as a share of them; in a straight line between. [1]
        """
        made = copy.copy(self)
        ends = None
        if np.size(pages):
            known = np.asarray(pages, np.float64), np.asarray(share, np.float64)
            off = HALF_INTERVAL_95 * np.interp(self.pages, *known)
            most = off * np.maximum(self.misses_at, 1.0)
            ends = (self.misses_at - most, self.misses_at + most)
        object.__setattr__(made, "interval", ends)
        return made

    def with_notes(self, notes: ReaderNotes) -> Curve:
        """Return the same curve, its arrays shared, with what the reader noticed."""
        noted = copy.copy(self)
        object.__setattr__(noted, "notes", notes)
        return noted

    def with_windows(self, windows: Windows | None) -> Curve:
        """Return the same curve, its arrays shared, with the windows of its recording."""
        made = copy.copy(self)
        object.__setattr__(made, "windows", windows)
        if self.scaled is None:  # the estimate rests on them
            object.__setattr__(made, "_steady", [])
        return made

    def with_dirty_share(self, dirty_share: float) -> Curve:
        """Return a given curve with write-backs of `dirty_share` at every miss.

        Parameters
        ----------
        dirty_share : float
            p_d, the same at every size. [1]

        Raises
        ------
        BadInput
            If the curve was measured, computed from a description or composed of workloads whose
            write-backs are known, which knows its own, or the share is outside [0, 1].
        """
        if self.given is None:
            raise BadInput(
                "the dirty share of a measured curve follows from its write-backs",
                "state a dirty share only for a given curve",
            )
        if self.given.described_by is not None:
            raise BadInput(
                "the dirty share of a described workload follows from the write shares of its "
                "description",
                "state the write shares in the description",
            )
        if (
            self.given.composed_of
            and self.write_backs_at is not None
            and self.given.dirty_share is None
        ):
            raise BadInput(
                "the dirty share of a composed workload follows from the write-backs of the "
                f"workloads that it is composed of, {listed(self.given.composed_of)}",
                "leave the dirty share out; it is stated only where the write-backs of one of the "
                "workloads are unknown",
            )
        if not (is_number(dirty_share) and 0 <= dirty_share <= 1):
            raise BadInput(
                f"dirty_share: `{dirty_share}` must lie in [0, 1]",
                "use a share from 0 (no victim is dirty) to 1 (every victim is)",
            )
        return Curve.from_lists(
            self.pages,
            self.misses_at,
            dirty_share * self.misses_at,
            accesses=self.accesses,
            distinct_pages=self.distinct_pages,
            page_bytes=self.page_bytes,
            write_accesses=math.ceil(dirty_share * self.accesses),
            given=replace(self.given, dirty_share=float(dirty_share)),
            notes=self.notes,
            scaled=self.scaled,
        )

    def to_lists(self) -> dict[str, Any]:
        """Return `pages`, `misses`, `write_backs` as lists, whole numbers as int."""
        backs = self.write_backs_at
        return {
            "pages": self.pages.tolist(),
            "misses": _plain(self.misses_at),
            "write_backs": None if backs is None else _plain(backs),
        }


def thinned_sizes(
    distinct_pages: int, points: int = DEFAULT_POINTS, also: Iterable[int] = ()
) -> NDArray[np.int64]:
    """About `points` log-spaced sizes from 1 to `distinct_pages`, with those of `also`.

    Parameters
    ----------
    distinct_pages : int
        Largest size; at least 1. [pages]
    points : int
        Sizes wanted; fewer when there are not as many whole numbers.
    also : iterable of int
        Sizes to list besides, may exceed `distinct_pages`. [pages]

    Returns
    -------
    int64 array
        Strictly increasing, holding 1, `distinct_pages` and every size of `also`.

    Raises
    ------
    BadInput
        If a named size is below 1.
    """
    if distinct_pages < 1:
        raise BadInput(
            "the trace has no accesses, so it has no curve", "profile a trace with data"
        )
    named = np.asarray(sorted(set(also)), dtype=np.int64)
    if named.size and named[0] < 1:
        raise BadInput(f"size `{named[0]}` is below 1 page", "name sizes of at least 1")
    if distinct_pages <= points:
        spaced = np.arange(1, distinct_pages + 1)
    else:
        wanted = points
        spaced = _log_spaced(distinct_pages, wanted)
        while len(spaced) < points:  # small sizes coincide after rounding
            wanted += wanted // 8 + 1
            spaced = _log_spaced(distinct_pages, wanted)
    ends = np.asarray([1, distinct_pages], dtype=np.int64)
    return np.unique(np.concatenate((spaced, ends, named))).astype(np.int64)


def _log_spaced(last: int, points: int) -> NDArray[np.int64]:
    return np.unique(np.rint(np.geomspace(1, last, points)).astype(np.int64))


def _line(knots: FloatArray, values: FloatArray, size: ArrayLike) -> FloatArray:
    """Piecewise linear through the knots, constant after the last."""
    if np.ndim(size) == 0:
        return np.asarray(_line_at(knots, values, float(np.asarray(size))))
    at = np.minimum(np.maximum(np.asarray(size, dtype=np.float64), 0.0), knots[-1])
    if knots[-1] == len(knots) - 1:  # every size is listed: no search
        index = np.minimum(at.astype(np.intp), len(knots) - 2)
        begin = values[index]
        return np.asarray(begin + (at - index) * (values[index + 1] - begin))
    left = np.searchsorted(knots, at, side="right") - 1
    left = np.minimum(np.maximum(left, 0), len(knots) - 2)
    low, high = knots[left], knots[left + 1]
    fraction = (at - low) / (high - low)
    start = values[left]
    return np.asarray(start + fraction * (values[left + 1] - start))


def _line_at(knots: FloatArray, values: FloatArray, size: float) -> float:
    """Return the same at one size: an array of one number costs ten times its arithmetic."""
    last = len(knots) - 2
    at = min(max(size, 0.0), float(knots[-1]))
    if math.isnan(size):
        return math.nan
    if knots[-1] == len(knots) - 1:
        index = min(int(at), last)
        begin = float(values[index])
        return begin + (at - index) * (float(values[index + 1]) - begin)
    left = min(max(int(knots.searchsorted(at, side="right")) - 1, 0), last)
    low, high = float(knots[left]), float(knots[left + 1])
    fraction = (at - low) / (high - low)
    start = float(values[left])
    return start + fraction * (float(values[left + 1]) - start)


def _check_curve(curve: Curve) -> None:
    problems = Problems(
        "curve", "sizes must increase and counts must not rise with size"
    )
    pages, misses = curve.pages, curve.misses_at
    backs = curve.write_backs_at
    problems.check(
        0 <= curve.accesses <= LARGEST_EXACT,
        "accesses",
        curve.accesses,
        "out of range",
    )
    problems.check(
        curve.page_bytes > 0, "page_bytes", curve.page_bytes, "must be positive"
    )
    problems.check(
        0 <= curve.write_accesses <= curve.accesses,
        "write_accesses",
        curve.write_accesses,
        "must not exceed accesses",
    )
    problems.check(
        0 <= curve.distinct_pages <= curve.accesses
        or backs is None
        or curve.given is not None,  # there it is the size of the data
        "distinct_pages",
        curve.distinct_pages,
        "must not exceed accesses",
    )
    shapes = {len(pages), len(misses)} | (set() if backs is None else {len(backs)})
    if not problems.check(
        len(shapes) == 1 and len(pages) > 0,
        "curve",
        None,
        "pages, misses and write_backs must be lists of one length, not empty",
    ):
        problems.raise_if_any()
    _first_bad(
        np.diff(pages, prepend=0) > 0, pages, "pages", "must increase, from 1", problems
    )
    _check_counts("misses", misses, curve.accesses, problems)
    if backs is not None:
        _check_counts("write_backs", backs, curve.write_accesses, problems)
        _first_bad(
            backs <= misses, backs, "write_backs", "must not exceed misses", problems
        )
    problems.raise_if_any()


def _check_counts(
    name: str, values: FloatArray, bound: int, problems: Problems
) -> None:
    finite = np.isfinite(values)
    if _first_bad(finite, values, name, "must be finite", problems):
        inside = (values >= 0) & (values <= bound)
        _first_bad(inside, values, name, f"must lie in [0, {bound}]", problems)
        falling = np.diff(values, prepend=bound) <= 0
        if bool(np.all(inside)):
            _first_bad(falling, values, name, "must not rise with size", problems)


def _first_bad(
    good: NDArray[np.bool_],
    values: NDArray[Any],
    name: str,
    message: str,
    problems: Problems,
) -> bool:
    """Note the first entry that is not good; return whether all are."""
    if bool(np.all(good)):
        return True
    at = int(np.argmin(good))
    problems.add(f"curve.{name}[{at}]", values[at], message)
    return False


def _plain(values: FloatArray) -> list[int | float]:
    whole = values.astype(np.int64)
    if bool(np.all(whole == values)):
        found: list[int | float] = whole.tolist()
        return found
    return [int(value) if value == int(value) else float(value) for value in values]
