"""Which relations, sizes of requests or hours of a recording enter flash on the hardware of an option: an assignment that flash caches can run behind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Assigned, CategoriesAt
from tierwright.advise.cachesack import assignment, in_words, replay_options
from tierwright.evaluate.cachesack import Choice, choose
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.hardware.service_time import service_us
from tierwright.profile.categories import (
    DEFAULT_KIND,
    CategoryCounts,
    grouped,
    kinds,
    measured,
)
from tierwright.trace.reading import OnProgress, Trace

Choosing = Callable[[float], Choice]
"""Chooses at so much more cost of a write. [µs]"""
MOST_APART = 512
"""Categories that are chosen for one by one; to keep a life, the choice is made some tens of times."""
HOUR_S, DAY_S = 3_600.0, 86_400.0
_DOUBLINGS = 40
_HALVINGS = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """An assignment of the categories of a recording to admissions.

    Attributes
    ----------
    kind : str
        What tells them apart, as `tierwright.profile.categories.kinds` names it.
    assignment : str
        As the option of a flash cache takes it.
    lifetime_requests : float
        How long a page stays on flash: within it a miss is the second one. [requests]
    text : str
        In words.
    days : int or None
        On how many days of the recording an hour was seen at most; None where hours are not told apart.
    """

    kind: str
    assignment: str
    lifetime_requests: float
    text: str
    days: int | None = None

    def options(self, cache: str) -> tuple[tuple[str, str], ...]:
        """Return the options that put it before a flash cache."""
        return tuple(
            replay_options(
                cache, self.kind, self.assignment, self.lifetime_requests
            ).items()
        )

    @property
    def is_for_all(self) -> bool:
        """Whether it admits all categories alike."""
        return "+" not in self.assignment


def by_trace(trace: Trace, on_progress: OnProgress | None) -> Assigned:
    """Return what counts the requests of a recording below sizes of RAM by category."""

    def made(wanted: Sequence[CategoriesAt]) -> Mapping[CategoriesAt, CategoryCounts]:
        return {
            each: measured(
                trace, each.ram_pages, kind=each.kind, on_progress=on_progress
            )
            for each in wanted
        }

    return made


def counted(
    assigned: Assigned, ram_pages: Sequence[int]
) -> Mapping[CategoriesAt, CategoryCounts]:
    """Count the requests below sizes of RAM by relation, and by whatever else the recording tells apart.

    Whether it has requests of several sizes is seen below the first RAM: where all are alike, they are not counted again.

    Parameters
    ----------
    assigned : callable
        Counts.
    ram_pages : sequence of int
        At least one. [pages]
    """
    found = dict(assigned([CategoriesAt(DEFAULT_KIND, pages) for pages in ram_pages]))
    first, *others = ram_pages
    for each in kinds():
        kind = each["name"]
        by_relation = found.get(CategoriesAt(DEFAULT_KIND, first))
        if kind == DEFAULT_KIND or by_relation is None:
            continue
        if each["needs_times"] and not (by_relation.duration_s or 0.0) > HOUR_S:
            continue
        more = assigned([CategoriesAt(kind, first)])
        if any(len(counts.categories) > 1 for counts in more.values()):
            found |= more
            found |= assigned([CategoriesAt(kind, pages) for pages in others])
    return found


def plan_of(
    table: Table,
    at: int,
    counts: CategoryCounts,
    point: ReplayPoint,
    most_written: float,
) -> Plan | None:
    """Choose what enters flash, so that both tiers together are busy for the least time.

    ```text
    cost of a read that flash does not serve: a read of what holds the data less one of flash
    cost of a page that enters flash:         a write of flash, and as much more as keeps its life
    ```

    Parameters
    ----------
    table : Table
        Of the options.
    at : int
        Option on whose hardware it is.
    counts : CategoryCounts
        Of the recording below its RAM.
    point : ReplayPoint
        Where the recording is replayed for it.
    most_written : float
        Pages that an access may write to flash for its life to be as long as is asked; infinite without such a limit. [1]

    Returns
    -------
    Plan or None
        None where flash reads are not faster, so nothing is worth a place there, or no assignment writes so little.
    """
    flash, store = table.devices(at)
    if flash is None or store is None:
        return None
    page = table.setting.curve.page_bytes
    read = service_us(store, "read", page)
    served, written = (
        service_us(flash, operation, page) for operation in ("read", "write")
    )
    if read is None or served is None or written is None or not read > served:
        return None

    apart, places = grouped(counts, MOST_APART)

    def chosen(more: float) -> Choice:
        return choose(
            apart,
            point.flash_pages,
            read_usd=read - served,
            write_usd=written + more,
        )

    found = _lasting(chosen, apart, read, most_written)
    if found is None or not found.best.hits.sum() > 0:
        return None
    shares = found.best.shares[places]
    return Plan(
        counts.kind,
        assignment(counts, shares),
        found.best.age,
        in_words(counts.kind, shares),
        math.ceil((counts.duration_s or 0.0) / DAY_S)
        if counts.kind == "hour"
        else None,
    )


def _lasting(
    chosen: Choosing, counts: CategoryCounts, read_us: float, most_written: float
) -> Choice | None:
    """Return the choice of the least extra cost of a write that wears flash no faster than allowed."""

    def wears(found: Choice) -> bool:
        return float(found.best.writes.sum()) > most_written * counts.accesses

    found = chosen(0.0)
    if not wears(found):
        return found
    if not most_written > 0:
        return None
    low, high = 0.0, read_us
    for _ in range(_DOUBLINGS):
        found = chosen(high)
        if not wears(found):
            break
        low, high = high, 2 * high
    else:
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tried = chosen(middle)
        if wears(tried):
            low = middle
        else:
            found, high = tried, middle
        if math.isclose(low, high, rel_tol=1e-6):
            break
    return found
