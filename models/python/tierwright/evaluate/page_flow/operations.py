"""Operations of an access under each page-flow scheme, at many sizes at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.page_flow import engine
from tierwright.evaluate.page_flow.engine import Flow
from tierwright.evaluate.page_flow.results import ServiceTimes
from tierwright.evaluate.page_flow.terms import COST_TERMS
from tierwright.hardware.device import Operation
from tierwright.profile.curve import Curve

Done = tuple[str, Operation]
"""Tier (`flash` or `disk`) and operation."""
DONE: tuple[Done, ...] = tuple(
    dict.fromkeys((term.device, term.operation) for term in COST_TERMS)
)
_TERMS: Mapping[Done, tuple[str, ...]] = {
    done: tuple(
        term.name for term in COST_TERMS if (term.device, term.operation) == done
    )
    for done in DONE
}
_COUNTS = ServiceTimes(1.0, 1.0, 1.0, 1.0)
"""Times under which a cost term is its number of operations."""


@dataclass(frozen=True, slots=True)
class Operations:
    """What one access does under one scheme; arrays over the sizes.

    Attributes
    ----------
    per_access : mapping of (tier, operation) to float64 array
        Operations of an access; without a write that nobody knows of. [1]
    most_written : mapping of (tier, operation) to float64 array, or None
        The same if every page that leaves RAM is dirty, where the trace does not tell writes from reads; None where it
        does. [1]
    """

    per_access: Mapping[Done, FloatArray]
    most_written: Mapping[Done, FloatArray] | None = None

    def wears(self, tier: str) -> FloatArray:
        """Pages that an access may write to a tier: as many as it can be where the trace does not tell. [1]"""
        of = self.per_access if self.most_written is None else self.most_written
        return of[tier, "write"]

    def repeated(self, times: int, sizes: int) -> Operations:
        """Return the same for all sizes again and again."""

        def again(of: Mapping[Done, FloatArray]) -> dict[Done, FloatArray]:
            return {
                done: np.tile(np.broadcast_to(each, sizes), times)
                for done, each in of.items()
            }

        most = self.most_written
        return Operations(again(self.per_access), None if most is None else again(most))

    def busy_us(
        self, tier: str, read_us: FloatArray, write_us: FloatArray
    ) -> FloatArray:
        """Busy time of one device of a tier, per access; NaN where the time of what is done is unknown. [µs]"""
        found = np.zeros(np.broadcast(read_us, self.per_access[tier, "read"]).shape)
        for operation, time_us in (("read", read_us), ("write", write_us)):
            count = self.per_access[tier, operation]  # type: ignore[index]
            # An unknown time of what is not done changes nothing, whatever is done at other sizes.
            found += np.multiply(
                count, time_us, out=np.zeros_like(found), where=count > 0
            )
        return found


def operations(
    curve: Curve,
    ram_pages: FloatArray,
    flash_pages: FloatArray,
    schemes: Collection[str],
    *,
    hits_off: Mapping[str, float] | None = None,
) -> dict[str, Operations]:
    """Count the operations of an access by the formulas C0 to C3.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs by LRU size.
    ram_pages, flash_pages : float64 array, shape (N,)
        Sizes of RAM and flash. [pages]
    schemes : collection of str
        Those wanted.
    hits_off : mapping of str to float, optional
        By scheme, the share of the known error of its flash hits to add to them, from -1 to 1. [1]

    Returns
    -------
    dict of str to Operations

    Notes
    -----
    Each pair of sizes is evaluated once, however often it is listed: operations depend on sizes alone. Source:
    Koltsidas and Viglas (2009), C0 to C3.
    """
    ram, flash, at = distinct_sizes(ram_pages, flash_pages)
    flows = engine.flows(curve, ram, flash, schemes=schemes)
    found = {}
    for name in schemes:
        flow = flows[name]
        off = 0.0 if hits_off is None else hits_off.get(name, 0.0)
        if off:
            flow = engine.with_hits_off(
                curve, name, flow, np.maximum(ram, 1.0), flash, off
            )
        most = None
        if not curve.notes.tells_writes:
            every = np.ones_like(ram)
            dirty = replace(flow, p_d=every, p_d_flash=every)
            most = _per_access(name, dirty, curve, at)
        found[name] = Operations(_per_access(name, flow, curve, at), most)
    return found


def _per_access(
    scheme: str, flow: Flow, curve: Curve, at: NDArray[np.int64]
) -> dict[Done, FloatArray]:
    """Operations of an access under a scheme. [1]"""
    counts = engine.terms(scheme, flow, _COUNTS).by_term
    shape = np.shape(flow.r)
    return {
        done: (_total([counts[term] for term in terms], shape) / curve.accesses)[at]
        for done, terms in _TERMS.items()
    }


def _total(counts: Sequence[FloatArray], shape: tuple[int, ...]) -> FloatArray:
    """Add counts up, of which some are the same at all sizes."""
    found = counts[0]
    for each in counts[1:]:
        found = found + each
    return found if np.shape(found) == shape else np.broadcast_to(found, shape)


def distinct_sizes(
    ram: FloatArray, flash: FloatArray
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Return each pair of sizes once, and which of them a row has."""
    if not flash.any():  # a sort of numbers is several times faster than one of pairs
        one, at = np.unique(ram, return_inverse=True)
        return one, np.zeros_like(one), at
    pairs, at = np.unique(ram + 1j * flash, return_inverse=True)
    return pairs.real.copy(), pairs.imag.copy(), at
