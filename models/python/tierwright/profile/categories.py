"""What each category of requests below RAM would get of flash, for every time that its pages stay there.

A *category* is a relation, a size of requests or an hour. Of each the core counts in one pass how a flash cache under LRU
would serve it under each admission, LRU being one lifetime that all pages share: hits, page writes and pages held follow
from the times between the requests of a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray

if TYPE_CHECKING:
    from tierwright.trace.reading import OnProgress, Trace

ADMISSIONS = ("never", "second_miss", "miss", "write")
"""When a page enters flash, from what takes least to what takes most."""
MOST_CATEGORIES = 5_000
"""Number of the category of all that are not told apart."""
DEFAULT_KIND = "relation"


@dataclass(frozen=True, slots=True)
class Category:
    """One category of requests.

    Attributes
    ----------
    number : int
        By which the simulator knows it; `MOST_CATEGORIES` is of all that are not told apart.
    name : str
        For people.
    reads, writes : int
        Misses of RAM, and changed pages that leave it.
    pages : int
        Pages whose first request is of it.
    """

    number: int
    name: str
    reads: int
    writes: int
    pages: int


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """All categories of a trace below a RAM, for `t` lifetimes of pages on flash.

    Attributes
    ----------
    kind : str
        What tells them apart: a name of `kinds`.
    ram_pages : int
        RAM under LRU. [pages]
    accesses, write_accesses, distinct_pages : int
        Of the trace.
    requests : int
        Below RAM.
    page_bytes : int
        [bytes]
    duration_s : float or None
        Of the trace; None where it has no time. [s]
    categories : tuple of Category
        `c` of them.
    ages : (t,) int64 array
        Lifetimes: how many requests after its last one a page leaves flash. [requests]
    held, hits, writes : (c, 4, t) float64 arrays
        Mean pages on flash, reads that it serves and page writes that it takes, under each of `ADMISSIONS`. A page on flash
        counts for the category of its last request, and so does the read that finds it there. [pages]
    notes : dict
        What the reader of the trace noticed.
    """

    kind: str
    ram_pages: int
    accesses: int
    write_accesses: int
    distinct_pages: int
    requests: int
    page_bytes: int
    duration_s: float | None
    categories: tuple[Category, ...]
    ages: NDArray[np.int64]
    held: FloatArray
    hits: FloatArray
    writes: FloatArray
    notes: Mapping[str, Any]

    @property
    def accesses_per_s(self) -> float | None:
        """Mean rate of the trace; None where it has no time. [1/s]"""
        return self.accesses / self.duration_s if self.duration_s else None

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.held.nbytes + self.hits.nbytes + self.writes.nbytes

    @cached_property
    def reads(self) -> FloatArray:
        """Misses of RAM of each category."""
        return np.array([each.reads for each in self.categories], dtype=np.float64)


def grouped(
    counts: CategoryCounts, most: int
) -> tuple[CategoryCounts, NDArray[np.int64]]:
    """Count all but the categories of most requests together, where there are more than can be chosen among in time.

    Parameters
    ----------
    counts : CategoryCounts
        `c` categories.
    most : int
        Categories to keep apart; the others are one more.

    Returns
    -------
    CategoryCounts
        The same where there are no more than `most`.
    (c,) int64 array
        Where each category is in it.
    """
    categories = counts.categories
    if len(categories) <= most:
        return counts, np.arange(len(categories))
    asked = np.array([each.reads + each.writes for each in categories])
    apart = np.sort(np.argsort(-asked, kind="stable")[:most])
    places = np.full(len(categories), most, dtype=np.int64)
    places[apart] = np.arange(most)
    others = [each for at, each in enumerate(categories) if places[at] == most]

    def summed(values: FloatArray) -> FloatArray:
        rest = values[places == most].sum(axis=0, keepdims=True)
        return np.concatenate([values[apart], rest])

    rest = Category(
        MOST_CATEGORIES,
        "all others",
        sum(each.reads for each in others),
        sum(each.writes for each in others),
        sum(each.pages for each in others),
    )
    return (
        replace(
            counts,
            categories=(*(categories[at] for at in apart), rest),
            held=summed(counts.held),
            hits=summed(counts.hits),
            writes=summed(counts.writes),
        ),
        places,
    )


def kinds() -> list[dict[str, Any]]:
    """Return what may tell accesses apart: `name`, `title`, `description`, `needs_times`."""
    from tierwright import _simulator

    return _simulator.categories()


def counted(
    trace: Trace,
    ram_pages: int,
    *,
    kind: str = DEFAULT_KIND,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Return what `measured` is made of, as plain data to be stored."""
    from tierwright import _simulator

    return _simulator.category_counts(
        str(trace.path), kind, ram_pages, on_progress=on_progress, **trace.arguments()
    )


def measured(
    trace: Trace,
    ram_pages: int,
    *,
    kind: str = DEFAULT_KIND,
    on_progress: OnProgress | None = None,
) -> CategoryCounts:
    """Count the requests below RAM by category, in one pass.

    Parameters
    ----------
    trace : Trace
        What to read.
    ram_pages : int
        RAM, under LRU. [pages]
    kind : str
        A name of `kinds`.
    on_progress : callable, optional
        See `OnProgress`.

    Raises
    ------
    ParameterError
        If there are no such categories, they need times that the trace lacks, or the RAM is out of range.
    SimulatorError
        If the trace cannot be read, has no accesses, or progress asked to stop.
    """
    found = counted(trace, ram_pages, kind=kind, on_progress=on_progress)
    return of_core(found, ram_pages)


def of_core(found: Mapping[str, Any], ram_pages: int) -> CategoryCounts:
    """Put what the core counted into arrays."""
    rows: Sequence[Mapping[str, Any]] = found["rows"]
    kind = found["categories"]
    shape = (len(rows), len(ADMISSIONS), len(found["ages"]))
    held, hits, writes = (np.zeros(shape) for _ in range(3))
    for at, row in enumerate(rows):
        again = np.asarray(row["again"], dtype=np.float64)
        # What enters at a miss: of the second miss, reads whose page was requested in time, less those served.
        entering = (again, np.full_like(again, row["reads"]))
        for place, under in enumerate(row["under"], start=1):
            served = np.asarray(under["served"], dtype=np.float64)
            held[at, place] = under["held_pages"]
            hits[at, place] = under["hits"]
            writes[at, place] = entering[min(place, 2) - 1] - served
            writes[at, place] += (
                row["writes"] if under["admission"] == "write" else under["overwrites"]
            )
    return CategoryCounts(
        kind=kind,
        ram_pages=ram_pages,
        accesses=found["accesses"],
        write_accesses=found["write_accesses"],
        distinct_pages=found["distinct_pages"],
        requests=found["requests"],
        page_bytes=found["page_bytes"],
        duration_s=found["duration_s"],
        categories=tuple(
            Category(
                row["number"],
                _name(kind, row["number"], row["name"]),
                row["reads"],
                row["writes"],
                row["pages"],
            )
            for row in rows
        ),
        ages=np.asarray(found["ages"], dtype=np.int64),
        held=held,
        hits=hits,
        writes=writes,
        notes=found["trace"],
    )


def _name(kind: str, number: int, name: str) -> str:
    """Name a category for people."""
    if number == MOST_CATEGORIES:
        return "all others"
    if kind == "size":
        lowest, highest = 2**number, 2 ** (number + 1) - 1
        return "1 page" if number == 0 else f"{lowest:,} to {highest:,} pages"
    if kind == "hour":
        return f"{number:02d}:00 to {number + 1:02d}:00"
    return name or "all pages"
