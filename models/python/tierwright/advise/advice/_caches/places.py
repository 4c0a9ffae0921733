"""On which hardware flash caches are tried: what page flow leaves best, and what it cannot carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._caches.replays import Wanted, candidates_of, planned_for
from tierwright.advise.advice._checked import Replayed
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._table import Table
from tierwright.evaluate.advice.choose import best_of_kinds, front, ordered
from tierwright.evaluate.advice.limits import LIFE, RESTART, THROUGHPUT
from tierwright.evaluate.advice.rows import SOURCES

MOST_PLACES = 3
"""Kinds of hardware on which flash caches are tried besides the best: where the least I/O time is sought, and of those that page flow cannot carry."""
MOST_LOOKED = 4 * MOST_PLACES
"""Kinds of hardware that page flow cannot carry of which it is seen whether the recording is large enough."""
MENDED = _checked.COUNTED
"""Limits that page flow may break where a flash cache keeps them."""
MOST_BUSIER = 2.0
"""How many times as busy or slow as allowed page flow may be where a flash cache is tried. [1]"""
LEAST_LIFE = 0.1
"""Share of the life that is asked for that flash must have under page flow where a flash cache is tried. [1]"""


def places_of(
    asked: Asked, table: Table, finalists: Sequence[Replayed], best: int | None
) -> list[int]:
    """Options on whose hardware flash caches are tried: with flash that caches, each hardware and its sizes once."""
    options = table.options
    wanted = [] if best is None else [best]
    if asked.objective == "io_time":
        wanted += [
            each.at
            for each in sorted(finalists, key=lambda each: each.simulated_us)
            if not each.reason and not _checked.breaks(asked, each)
        ]
    seen: set[tuple[int, float, float]] = set()
    found: list[int] = []
    for at in wanted:
        key = (
            int(table.hardware_codes[at]),
            float(options.ram_pages[at]),
            float(options.flash_pages[at]),
        )
        if options.flash_pages[at] > 0 and key not in seen and len(found) < MOST_PLACES:
            seen.add(key)
            found.append(at)
    return found


def beyond_page_flow(
    asked: Asked, table: Table, chosen: Chosen, best: int | None
) -> list[list[int]]:
    """Options that would be better than the best and break limits under page flow alone, by their hardware.

    Of the best three kinds of hardware: for `io_time` the fastest, else each size that is faster under page flow than all
    that are cheaper, the cheapest first. Only limits that a flash cache may keep where page flow does not, and those that page flow breaks by so much that none
    would are left out, and those whose recording is too small for every flash cache. Where a limit is stated of which
    replays of flash caches say nothing, there is none.
    """
    no_caches = asked.setting.candidates.flash_caches == ()
    if no_caches or asked.limits_response or RESTART in asked.constraints:
        return []
    options = table.options
    # Quotes are ranked by the model: one that a replay alone admits would contradict their ranking.
    tried = (
        (options.flash_pages > 0)
        & np.isfinite(options.io_us)
        & (options.source != SOURCES.index("quotes"))
    )
    breaks = np.zeros(len(options), dtype=np.bool_)
    for limit in chosen.limits:
        if limit.name not in MENDED or limit.limit is None:
            tried &= ~limit.breaks
            continue
        asked_for = float(limit.limit)
        if limit.name == LIFE:
            near = limit.value >= asked_for * LEAST_LIFE
        elif limit.name == THROUGHPUT:
            near = limit.value >= asked_for / MOST_BUSIER
        else:
            near = limit.value <= asked_for * MOST_BUSIER
        tried &= ~limit.breaks | near
        breaks |= limit.breaks
    tried &= breaks
    if best is not None:
        tried &= (
            options.io_us < options.io_us[best]
            if asked.objective == "io_time"
            else options.month_cents < options.month_cents[best]
        )
    [rows] = np.nonzero(tried)
    order = ordered(options, rows, asked.objective)
    first = best_of_kinds(order, table.hardware_codes)[:MOST_LOOKED]
    rows_of = candidates_of(asked) if len(first) else []
    found: list[list[int]] = []
    for at in first.tolist():
        of = order[table.hardware_codes[order] == table.hardware_codes[at]]
        can = [
            int(each)
            for each in front(options, of)
            if any(
                isinstance(planned_for(table, Wanted(int(each), row)), tuple)
                for row in rows_of
            )
        ]
        if can and len(found) < MOST_PLACES:
            # The fastest is the last on the front.
            found.append(can[-1:] if asked.objective == "io_time" else can)
    return found
