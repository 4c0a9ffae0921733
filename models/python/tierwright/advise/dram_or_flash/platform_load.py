"""What RAM leaves to the drives of a platform, by its size: on a workload's curve, or stated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.common.wording import counted, duration, rate_text
from tierwright.evaluate.modern.platform import (
    lognormal_intervals,
    lognormal_threshold,
)
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.profile.curve import Curve

PerSecond = Callable[[float], float]
"""Pages per second that RAM of so many pages leaves to the drives. [1/s]"""


@dataclass(frozen=True, slots=True)
class StatedIntervals:
    """Access intervals that are not measured: log-normal, from their median and spread.

    Attributes
    ----------
    median_s : float
        Half of the pages are accessed more often; above 0. [s]
    sigma : float
        Deviation of ln(interval / s); above 0. 0.4 is weak, 1.2 strong locality. [1]
    pages : int
        That have such intervals; at least 1. [pages]
    """

    median_s: float
    sigma: float
    pages: int

    def __post_init__(self) -> None:
        problems = Problems("access intervals", "state finite numbers above 0")
        for name in ("median_s", "sigma"):
            value = getattr(self, name)
            problems.check(
                math.isfinite(value) and value > 0, name, value, "must be above 0"
            )
        problems.check(self.pages >= 1, "pages", self.pages, "must be at least 1")
        problems.raise_if_any()

    @property
    def mu(self) -> float:
        """Mean of ln(interval / s). [1]"""
        return math.log(self.median_s)


@dataclass(frozen=True, slots=True)
class Load:
    """Page reads and write-backs below RAM, by its size.

    Attributes
    ----------
    page_bytes : int
        [bytes]
    accesses_per_s : float
        Of all pages. [1/s]
    basis : str
        Where the load is from, in words that follow a colon.
    sizes : float64 array
        Sizes between which everything is monotone, from 0 to one that no larger one is better
        than. [pages]
    reads : callable
        Page reads per second by the size of RAM. [1/s]
    write_backs : callable or None
        Pages written per second; None where they are unknown. [1/s]
    most_write_backs : callable
        The most that are possible where they are unknown. [1/s]
    validity : str
        Where it holds.
    known : bool
        Whether sizes beyond these are known: of a curve from counters they are not.
    """

    page_bytes: int
    accesses_per_s: float
    basis: str
    sizes: FloatArray
    reads: PerSecond
    write_backs: PerSecond | None
    most_write_backs: PerSecond
    validity: str
    known: bool = True

    def least_pages(self, fits: Callable[[float], bool]) -> int | None:
        """Return the least RAM at which a condition holds; None where it does at no known size.

        Where it holds at the first size, that one: 0, or the least of which counters speak.
        """
        at = next((at for at, size in enumerate(self.sizes) if fits(float(size))), None)
        if at is None:
            return None
        if at == 0:
            return int(self.sizes[0])
        # Bisected over whole pages, which rounding cannot fool.
        low, high = int(self.sizes[at - 1]), math.ceil(float(self.sizes[at]))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high


def load_of_curve(curve: Curve, accesses_per_s: float, rate_basis: str) -> Load:
    """Return the load of a workload that has a curve.

    Parameters
    ----------
    curve : Curve
        Its misses, and its write-backs where they are known. New pages are made in memory: they
        are misses that read nothing.
    accesses_per_s : float
        Of the workload; above 0. [1/s]
    rate_basis : str
        Where that is from.

    Raises
    ------
    BadInput
        If the rate is not positive.
    """
    problems = Problems("platform", "give rates and counts above 0")
    problems.check(
        accesses_per_s > 0, "accesses_per_s", accesses_per_s, "must be above 0"
    )
    problems.raise_if_any()
    scale = accesses_per_s / curve.accesses
    knows = curve.write_backs_at is not None and curve.notes.tells_writes
    most = (
        dirty_ends(curve)[1].write_backs
        if curve.write_backs_at is None and curve.given is not None
        else curve.misses
    )
    return Load(
        page_bytes=curve.page_bytes,
        accesses_per_s=accesses_per_s,
        basis=f"the workload's own curve at {counted(rate_text(accesses_per_s), 'access')} per second "
        f"({rate_basis})",
        sizes=curve.knots
        if curve.evidence is None
        else curve.knots[curve.evidence.covers(curve.knots, curve.knots)],
        known=curve.evidence is None,
        reads=lambda pages: scale * (float(curve.misses(pages)) - curve.growth),
        write_backs=(lambda pages: scale * float(curve.write_backs(pages)))
        if knows
        else None,
        most_write_backs=lambda pages: scale * float(most(pages)),
        validity="LRU",
    )


def load_of_intervals(stated: StatedIntervals, page_bytes: int) -> Load:
    """Return the load of pages whose access intervals are stated.

    RAM holds the pages of the shortest intervals, which no policy beats; those accessed rarely are
    read from the drives. What is written is unknown.

    Parameters
    ----------
    stated : StatedIntervals
    page_bytes : int
        [bytes]
    """
    each = {"mu": stated.mu, "sigma": stated.sigma, "blocks": stated.pages}

    def missed(pages: float) -> float:
        if pages >= stated.pages:
            return 0.0
        threshold = float(lognormal_threshold(cached_blocks=pages, **each))
        found = lognormal_intervals(block_bytes=1, threshold_s=threshold, **each)
        return float(found.uncached_bytes_per_s)

    rate = missed(0.0)
    return Load(
        page_bytes=page_bytes,
        accesses_per_s=rate,
        basis=f"log-normal access intervals as stated, with median {duration(stated.median_s)} "
        f"and sigma {stated.sigma:g}, of {counted(stated.pages, 'page')}, which make "
        f"{counted(rate_text(rate), 'access')} per second",
        sizes=np.array([0.0, float(stated.pages)]),
        reads=missed,
        write_backs=None,
        most_write_backs=missed,
        validity="intervals as stated; RAM holds the pages that are accessed most often",
    )


def pages_worth(stated: StatedIntervals, break_even_s: float) -> int:
    """Return how many pages are accessed at least once in a break-even interval. [pages]"""
    found = lognormal_intervals(
        blocks=stated.pages,
        block_bytes=1,
        mu=stated.mu,
        sigma=stated.sigma,
        threshold_s=break_even_s,
    )
    return math.floor(float(found.cached_blocks))
