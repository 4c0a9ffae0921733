"""Windows of one continuous replay: how misses and write-backs go up and down, at some sizes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.errors import Problems
from tierwright.common.fields import is_count, is_number

IntArray = NDArray[np.int64]

SHORTEST = 256
"""Accesses of a window of a short recording."""
MOST_WINDOWS = 128
"""Windows of a recording are joined in twos when there are so many."""
MOST_SIZES = 24
"""Sizes that a profile lists of its windows: the largest ones, two a doubling."""
_LISTS = ("pages", "accesses", "first_references", "open_write_backs")
_WRAPPED = ("wrapped_misses", "wrapped_write_backs")
SAMPLED_FROM = 16
"""Sampled pages from which a size of a sampled curve has windows."""


@dataclass(frozen=True, eq=False)
class Windows:
    """Counts of consecutive windows of a recording, the caches carried over from one to the next.

    Attributes
    ----------
    pages : int64 array, shape (J,)
        Cache sizes of the recorded system, increasing. [pages]
    accesses : int64 array, shape (W,)
        Of each window.
    first_references : int64 array, shape (W,)
        Accesses of each window to pages that were never referenced before.
    misses : int64 array, shape (W, J)
        Of each window and size, from a cold start.
    write_backs : int64 array, shape (W, J)
        The same; each counts in the window of the write that ends its interval.
    open_write_backs : int64 array, shape (J,)
        Write-backs of pages that are not written again: they belong to no window.
    wrapped : int64 array, shape (2, J), or None
        First references that miss if the recording was run once before, and write-backs whose interval then reaches
        from the last write of a page around to its first one. None in profiles of before they were counted.
    duration_s : float or None
        Time from the first to the last request; None where the recording has no times. [s]
    """

    pages: IntArray
    accesses: IntArray
    first_references: IntArray
    misses: IntArray
    write_backs: IntArray
    open_write_backs: IntArray
    wrapped: IntArray | None = None
    duration_s: float | None = None

    def __len__(self) -> int:
        return len(self.accesses)

    @property
    def seen_before(self) -> IntArray:
        """Distinct pages that were referenced before each window. [pages]"""
        return np.asarray(np.cumsum(self.first_references) - self.first_references)

    def open_at(self, pages: NDArray[np.float64]) -> NDArray[np.float64]:
        """Write-backs of pages that are not written again, in a straight line between the sizes listed.

        NaN below the smallest size, none from the largest on, which holds all pages.
        """
        return self._at(pages, self.open_write_backs)

    def wrapped_at(self, pages: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return `wrapped` at some sizes as `open_at` does, shape (2, ...)."""
        if self.wrapped is None:
            return None
        return np.asarray([self._at(pages, each) for each in self.wrapped])

    def _at(self, pages: NDArray[np.float64], counts: IntArray) -> NDArray[np.float64]:
        found = np.interp(pages, self.pages, counts, right=0.0)
        return np.asarray(np.where(pages < self.pages[0], np.nan, found))

    def to_dict(self) -> dict[str, Any]:
        """Return the key `windows` of a profile file."""
        return {
            "pages": self.pages.tolist(),
            "accesses": self.accesses.tolist(),
            "first_references": self.first_references.tolist(),
            "misses": self.misses.tolist(),
            "write_backs": self.write_backs.tolist(),
            "open_write_backs": self.open_write_backs.tolist(),
            **{
                key: None if self.wrapped is None else self.wrapped[at].tolist()
                for at, key in enumerate(_WRAPPED)
            },
            "duration_s": self.duration_s,
        }


def from_counts(
    found: Mapping[str, Any],
    *,
    duration_s: float | None,
    sample_rate: float | None = None,
) -> Windows | None:
    """Keep of the core's windows what a profile lists; None where it has none.

    Parameters
    ----------
    found : mapping
        `windows` of `_simulator.curves` or `_simulator.sampled_curves`.
    duration_s : float or None
        Of the recording. [s]
    sample_rate : float, optional
        Share of the pages that was followed: what a sample cannot see is left out. [1]
    """
    pages = np.asarray(found["pages"], dtype=np.int64)
    if not len(pages):
        return None
    keep = np.arange(len(pages)) >= len(pages) - MOST_SIZES
    if sample_rate is not None:
        keep &= pages * sample_rate >= SAMPLED_FROM
    if not keep.any():
        return None

    def column(name: str) -> IntArray:
        return np.asarray(found[name], dtype=np.int64)

    return Windows(
        pages[keep],
        column("accesses"),
        column("first_references"),
        column("misses")[:, keep],
        column("write_backs")[:, keep],
        column("open_write_backs")[keep],
        np.asarray([column(name)[keep] for name in _WRAPPED]),
        duration_s,
    )


def from_mapping(
    found: Any, problems: Problems, *, is_sampled: bool = False
) -> Windows | None:
    """Read the key `windows` of a profile file, noting every problem; None where it is absent.

    Of a sample the accesses of a window are counted and the rest is estimated, so a window of nothing but first references
    may have more of them than accesses: cut off, their sum would be too small.
    """
    if found is None:
        return None
    if not problems.check(
        isinstance(found, Mapping), "windows", None, "must be an object"
    ):
        return None
    rows: dict[str, IntArray] = {}
    for key in _LISTS:
        values = found.get(key)
        if problems.check(
            isinstance(values, list) and values and all(map(is_count, values)),
            f"windows.{key}",
            None,
            "must be a list of whole numbers, not negative",
        ):
            rows[key] = np.asarray(values, dtype=np.int64)
    duration_s = found.get("duration_s")
    problems.check(
        duration_s is None or (is_number(duration_s) and duration_s >= 0),
        "windows.duration_s",
        duration_s,
        "must be a number that is not negative, or null",
    )
    if len(rows) < len(_LISTS):
        return None
    pages, accesses = rows["pages"], rows["accesses"]
    count, sizes = len(accesses), len(pages)
    problems.check(
        count <= MOST_WINDOWS, "windows.accesses", count, f"at most {MOST_WINDOWS}"
    )
    problems.check(
        bool(np.all(np.diff(pages, prepend=0) > 0)),
        "windows.pages",
        None,
        "must increase, from 1",
    )
    problems.check(
        len(rows["first_references"]) == count
        and (is_sampled or bool(np.all(rows["first_references"] <= accesses))),
        "windows.first_references",
        None,
        "must be one of each window" + ("" if is_sampled else ", at most its accesses"),
    )
    problems.check(
        len(rows["open_write_backs"]) == sizes,
        "windows.open_write_backs",
        None,
        "must be one of each size",
    )
    wrapped = [
        _of_sizes(key, found.get(key), sizes, problems)
        for key in _WRAPPED
        if found.get(key) is not None
    ]
    problems.check(
        len(wrapped) != 1,
        f"windows.{_WRAPPED[0]}",
        None,
        f"must be stated with {_WRAPPED[1]}, or neither",
    )
    for key in ("misses", "write_backs"):
        values = found.get(key)
        if problems.check(
            isinstance(values, list)
            and len(values) == count
            and all(
                isinstance(row, list) and len(row) == sizes and all(map(is_count, row))
                for row in values
            ),
            f"windows.{key}",
            None,
            "must list whole numbers, one of each size, for each window",
        ):
            rows[key] = np.asarray(values, dtype=np.int64)
            problems.check(
                bool(np.all(np.diff(rows[key], axis=1) <= 0)),
                f"windows.{key}",
                None,
                "must not rise with size",
            )
    if problems.found:
        return None
    return Windows(
        pages,
        accesses,
        rows["first_references"],
        rows["misses"],
        rows["write_backs"],
        rows["open_write_backs"],
        np.asarray(wrapped) if wrapped else None,
        duration_s,
    )


def _of_sizes(key: str, values: Any, sizes: int, problems: Problems) -> list[int]:
    """Return counts of each size that do not rise with it, noting it where they are none."""
    is_good = (
        isinstance(values, list)
        and len(values) == sizes
        and all(map(is_count, values))
        and all(one >= other for one, other in itertools.pairwise(values))
    )
    problems.check(
        is_good,
        f"windows.{key}",
        None,
        "must list whole numbers, one of each size, that do not rise with it",
    )
    return values if is_good else [0] * sizes
