"""The laws by which the curve of a recorded workload becomes that of a larger system.

Each gives, for sizes of the recorded system, the sizes of the larger one at which as many accesses
miss, and how its write-backs change there; `docs/models/scale.md` has validity and measured errors.

``stretch``
    Everything grows alike: sizes times k.
``relations``
    Each relation has its own k, and reuse shorter than tau stays as it is: the same transaction and
    its neighbours come back as soon as before, however large the tables are.
``cold_growth``
    The hot pages stay; the law of popularity goes on into more pages.
``tenants``
    k independent copies share one cache: the sizes of ``stretch``, k times the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.scale.survival import (
    Survival,
    filled_pages,
    knots_of,
    mixture,
    survival,
)
from tierwright.profile.relations import RelationReuse

Law = Literal["relations", "stretch", "tenants", "cold_growth"]
LAWS: tuple[Law, ...] = get_args(Law)

_TILT = 1e-9
"""Slope given to flat parts of a share, so that each time has a share of its own."""
_STEPS_PER_DECADE = 64
_BEYOND = 200
"""Sizes of ``cold_growth`` beyond the last one of the recording."""
_ALL_BACK = 30.0
"""So many times its mean reuse time, and even the coldest page is back."""


@dataclass(frozen=True, eq=False)
class Grown:
    """What becomes of sizes of the recorded system.

    Attributes
    ----------
    pages : float64 array
        For each size asked for, the size in the larger system at which the misses are
        `misses_kept` of those of the recorded one. [pages]
    misses_kept : float64 array
        1 except for ``cold_growth``, which adds accesses to pages not yet there. [1]
    write_backs_kept : float64 array
        The same for write-backs. [1]

    Notes
    -----
    ``cold_growth`` goes on beyond the sizes asked for: there `misses_kept` and `write_backs_kept` are
    of the counts at the last of them.
    """

    pages: FloatArray
    misses_kept: FloatArray
    write_backs_kept: FloatArray


def stretched(pages: FloatArray, factor: float) -> Grown:
    """Let everything grow alike: as many misses at `factor` times the size.

    Parameters
    ----------
    pages : float64 array
        Sizes in the recorded system. [pages]
    factor : float
        k, data of production over data of the recorded system. [1]
    """
    ones = np.ones_like(pages)
    return Grown(pages * factor, ones, ones)


def by_relation(
    pages: FloatArray,
    relations: Sequence[RelationReuse],
    factors: Sequence[float],
    *,
    tau_accesses: float,
) -> Grown:
    """Let each relation grow by its own factor, and reuse within `tau_accesses` stay.

    Reuse times g of relation i become max(tau, k_i g) beyond tau. Of these, a cache that keeps pages
    for T accesses misses S(T) = sum_i a_i S_i(T) / N and holds C(T) = integral of S. A size of the
    recorded system, C(T), becomes the size of the larger one at which the same share misses. The
    measured curve is carried along, so what the window model gets wrong about it cancels out.

    Parameters
    ----------
    pages : float64 array
        Sizes in the recorded system. [pages]
    relations : sequence of RelationReuse
        All of the workload.
    factors : sequence of float
        k of each. [1]
    tau_accesses : float
        Clients times references a unit of work: reuse up to it is of the same unit or of those that
        run beside it. 0 stretches all. [accesses]
    """
    if all(factor == 1 for factor in factors):
        return stretched(pages, 1.0)
    accesses = np.asarray([one.accesses for one in relations], dtype=np.float64)
    before = [survival(one.reuse) for one in relations]
    after = [
        one.stretched(factor, tau_accesses)
        for one, factor in zip(before, factors, strict=True)
    ]
    old, new = _Windows.of(before, accesses), _Windows.of(after, accesses)
    # A size beyond what the recording fills grows as the pages do.
    touched = np.asarray([one.distinct_pages for one in relations], dtype=np.float64)
    whole = float(touched @ np.asarray(factors)) / float(touched.sum())
    times = old.time_of_size(pages)
    later = new.time_of_share(old.tilted(times))
    filled = float(old.filled[-1])
    within = pages <= filled
    # From where the recording ends the last ratio goes over into that of all pages.
    last = float(new.filled_at(new.time_of_share(old.tilted(old.times[-1:])))[0])
    sizes = np.where(
        within, new.filled_at(later), last + (pages - filled) * max(whole, 0.0)
    )
    kept = _write_backs_kept(
        relations, factors, tau_accesses, np.where(within, times, old.times[-1]), later
    )
    larger: FloatArray = np.maximum.accumulate(np.maximum(sizes, 0.0))
    return Grown(larger, np.ones_like(pages), kept)


def _write_backs_kept(
    relations: Sequence[RelationReuse],
    factors: Sequence[float],
    tau_accesses: float,
    times: FloatArray,
    later: FloatArray,
) -> FloatArray:
    """Write-backs of the larger system over those of the recorded one, window by window."""
    writes = np.asarray([one.write_accesses for one in relations], dtype=np.float64)
    if not writes.any():
        return np.ones_like(times)
    before = [survival(one.stays) for one in relations]
    after = [
        one.stretched(factor, tau_accesses)
        for one, factor in zip(before, factors, strict=True)
    ]
    was = mixture(before, writes, times)
    becomes = mixture(after, writes, later)
    return np.divide(becomes, was, out=np.ones_like(was), where=was > 0)


@dataclass(frozen=True, eq=False)
class _Windows:
    """Share that misses, and pages filled, by the time for which a cache keeps a page."""

    times: FloatArray
    shares: FloatArray
    filled: FloatArray

    @classmethod
    def of(cls, several: list[Survival], accesses: FloatArray) -> _Windows:
        knots = knots_of(several)
        shares = mixture(several, accesses, knots)
        return cls(knots, shares, filled_pages(knots, shares))

    def time_of_size(self, pages: FloatArray) -> FloatArray:
        return np.interp(pages, self.filled, self.times)

    def filled_at(self, times: FloatArray) -> FloatArray:
        # Beyond the last knot the share stays, so the pages go on along a straight line.
        beyond = np.maximum(times - self.times[-1], 0.0) * self.shares[-1]
        found: FloatArray = np.interp(times, self.times, self.filled) + beyond
        return found

    def tilted(self, times: FloatArray) -> FloatArray:
        """Share that misses, falling everywhere."""
        return np.interp(times, self.times, self.shares) - _TILT * np.log1p(times)

    def time_of_share(self, tilted: FloatArray) -> FloatArray:
        own = self.tilted(self.times)
        found: FloatArray = np.interp(-tilted, -own, self.times)
        return found


def cold_growth(
    pages: FloatArray,
    misses: FloatArray,
    *,
    accesses: int,
    distinct_pages: int,
    factor: float,
    exponent: float,
) -> Grown:
    """Keep the hot pages, and let the law of popularity go on into more pages.

    The page of rank i gets a share of the accesses proportional to i^-alpha, beyond the pages of
    the recording as within them. A cache of C pages keeps pages for T = integral of N / m(c) from 0
    to C; in the larger system it needs the room of the new pages that are back within T besides,
    and misses the others. Beyond the last size, more room holds more of the new pages alone.

    Parameters
    ----------
    pages : float64 array
        Sizes in the recorded system, increasing from 0 or more. [pages]
    misses : float64 array
        Misses of the recorded system at each.
    accesses, distinct_pages : int
        N and M of the recorded system.
    factor : float
        k, at least 1: so many times the pages. [1]
    exponent : float
        alpha of the law of popularity, 0 or more. [1]

    Raises
    ------
    BadInput
        If the data shrink, or the exponent is negative.
    """
    if factor < 1:
        raise BadInput(
            f"factor: the law `cold_growth` cannot shrink data (factor `{factor:g}`)",
            "use the law `stretch` for a smaller system",
        )
    if not exponent >= 0:
        raise BadInput(
            f"exponent: `{exponent:g}` must not be negative",
            "use the exponent of the workload's popularity, mostly between 0.5 and 1.2",
        )
    if factor == 1:
        return stretched(pages, 1.0)
    grid, inverse = np.unique(np.concatenate(([0.0], pages)), return_inverse=True)
    line = np.interp(
        grid,
        np.concatenate(([0.0], pages)),
        np.concatenate(([float(accesses)], misses)),
    )
    rates = np.maximum(line, 1.0) / accesses
    kept_for = np.concatenate(
        ([0.0], np.cumsum(np.diff(grid) * 2 / (rates[1:] + rates[:-1])))
    )[inverse[1:]]
    ranks, weights = _ranks(distinct_pages, distinct_pages * factor)
    inner, inner_weights = _ranks(0, distinct_pages)
    law = float((inner_weights * inner**-exponent).sum())
    shares = ranks**-exponent / law
    added = float((weights * shares).sum())
    beyond = kept_for[-1] + np.geomspace(1.0, _ALL_BACK / shares[-1], _BEYOND)
    kept_for = np.concatenate((kept_for, beyond))
    pages, misses = (
        np.pad(values, (0, _BEYOND), mode="edge") for values in (pages, misses)
    )
    seen = -np.outer(kept_for, shares)
    room = pages + (weights * -np.expm1(seen)).sum(axis=1)
    missed = accesses * (weights * shares * np.exp(seen)).sum(axis=1)
    whole = np.where(misses > 0, misses, 1.0)
    kept = np.where(misses > 0, (misses + missed) / whole, 1.0) / (1 + added)
    return Grown(room, kept, kept)


def _ranks(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Ranks above `low` up to `high` as midpoints of bins, and how many lie in each bin."""
    exact = np.arange(low + 1, min(high, low + 1000) + 1, dtype=np.float64)
    if high <= low + 1000:
        return exact, np.ones_like(exact)
    begin = low + 1000.5
    steps = max(8, int(np.log10(high / begin) * _STEPS_PER_DECADE) + 1)
    edges = np.geomspace(begin, high + 0.5, steps + 1)
    return (
        np.concatenate((exact, np.sqrt(edges[1:] * edges[:-1]))),
        np.concatenate((np.ones_like(exact), np.diff(edges))),
    )
