"""What the cautions of a composition could change: both ways of caching, at other ends of the curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
    without_effect,
)
from tierwright.common.wording import relative_change
from tierwright.evaluate.compose.partitions import partitions
from tierwright.evaluate.compose.shared import shared_cache
from tierwright.evaluate.page_flow.other_ends import curve_ends
from tierwright.profile.several import Workload

SHARED, SPLIT = "one shared cache", "a cache for each"


@dataclass(frozen=True, slots=True)
class _Missed:
    """Misses per second of both ways, by weight; of the split None where none was wanted. [1/s]"""

    shared: float
    split: float | None

    @classmethod
    def of(
        cls,
        workloads: Sequence[Workload],
        pages: int,
        weights: FloatArray,
        *,
        partitioned: bool,
    ) -> _Missed:
        shared = shared_cache(workloads, [pages]).misses_per_s[:, 0]
        split = None
        if partitioned:
            [found] = partitions(workloads, [pages], miss_weights=weights.tolist())
            split = float(weights @ found.misses_per_s)
        return cls(float(weights @ shared), split)

    def way(self, name: str) -> float:
        """Return the misses of a way. [1/s]"""
        return self.shared if name == SHARED or self.split is None else self.split

    @property
    def best(self) -> str:
        """The way that misses less; one cache where both miss alike."""
        return SHARED if self.split is None or self.shared <= self.split else SPLIT


def weigher(
    workloads: Sequence[Workload],
    *,
    ram_pages: int,
    held: FloatArray,
    partitioned: bool,
    miss_weights: Sequence[float] | None,
) -> Weigh:
    """Return what computes the effect of a caution on which of both ways misses less.

    All workloads are put at their ends together.

    Parameters
    ----------
    workloads : sequence of Workload
        In the steady state.
    ram_pages : int
        All of the cache. [pages]
    held : float64 array
        Pages of each workload in the shared cache. [pages]
    partitioned : bool
        Whether the split is wanted too.
    miss_weights : sequence of float, optional
        How much a miss of each counts.
    """
    weights = (
        np.ones(len(workloads))
        if miss_weights is None
        else np.asarray(miss_weights, dtype=np.float64)
    )

    def missed(several: Sequence[Workload]) -> _Missed:
        return _Missed.of(several, ram_pages, weights, partitioned=partitioned)

    def weigh(caution: Caution) -> Effect:
        if caution.name == "write_backs_unknown":
            return without_effect(
                "no effect on the misses, by which both ways are compared"
            )
        ends = [
            curve_ends(caution, each.curve, (float(own),))
            for each, own in zip(workloads, held, strict=True)
        ]
        outcomes = []
        for at in range(max(map(len, ends))):
            whens = [found[at].when for found in ends if found]
            before, after = (
                [
                    replace(each, curve=getattr(found[at], which)) if found else each
                    for each, found in zip(workloads, ends, strict=True)
                ]
                for which in ("before", "curve")
            )
            now, then = missed(before), missed(after)
            chosen = now.best
            outcomes.append(
                Outcome(
                    whens[0],
                    relative_change(now.way(chosen), then.way(chosen)),
                    then.best,
                    abs(relative_change(then.way(then.best), then.way(chosen))),
                )
            )
        if not outcomes:
            return anywhere(caution)
        return effect_of(
            outcomes, figure="misses", chosen=missed(workloads).best, kind="way"
        )

    return weigh
