"""What a running cache misses that holds all of the data: new pages, and nothing else.

A trend says what larger caches than a recording shows may miss. Where the size of the data is stated
it ends there: once such a cache is full every page is in it, and none is evicted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Cut:
    """Counts of a curve that ends at the size of the data.

    Attributes
    ----------
    misses, write_backs : float64 array
        At the listed sizes; write-backs None where they are unknown.
    knots, knot_misses, knot_write_backs : float64 array
        Sizes at which the line bends, 0 first and the data last, and the counts there. [pages]
    """

    misses: FloatArray
    write_backs: FloatArray | None
    knots: FloatArray
    knot_misses: FloatArray
    knot_write_backs: FloatArray | None


def cut_at_data(
    pages: NDArray[np.int64],
    misses: FloatArray,
    write_backs: FloatArray | None,
    *,
    at_zero: tuple[int, int],
    data_pages: int,
    growth: int,
) -> Cut:
    """Let counts fall, at the size of the data, to those of new pages.

    Parameters
    ----------
    pages : int64 array
        Listed sizes, increasing. [pages]
    misses, write_backs : float64 array
        Counts at these, not rising; write-backs None where they are unknown.
    at_zero : (int, int)
        Misses and write-backs of no cache at all.
    data_pages : int
        All of the data, at least 1. [pages]
    growth : int
        First touches of new pages among the misses of every size.

    Returns
    -------
    Cut
        Up to a page less than the data, counts are those of the last listed size below it: cutting
        again changes nothing.
    """
    below = int(np.searchsorted(pages, data_pages))
    sizes = np.concatenate(([0.0], pages[:below].astype(np.float64)))
    last = data_pages - 1.0
    before = [] if sizes[-1] >= last else [last]
    missed = np.concatenate(([float(at_zero[0])], misses[:below]))
    new = min(float(growth), float(missed[-1]))

    def cut(counts: FloatArray, zero: int) -> tuple[FloatArray, FloatArray]:
        known = np.concatenate(([float(zero)], counts[:below]))
        # New pages are as often dirty as what the largest cache below evicts.
        end = float(known[-1]) * (new / float(missed[-1]) if new else 0.0)
        line = np.concatenate((known, [known[-1]] * len(before), [end]))
        return np.where(np.arange(len(counts)) < below, counts, end), line

    listed, line = cut(misses, at_zero[0])
    backs = None if write_backs is None else cut(write_backs, at_zero[1])
    return Cut(
        listed,
        None if backs is None else backs[0],
        np.concatenate((sizes, before, [float(data_pages)])),
        line,
        None if backs is None else backs[1],
    )
