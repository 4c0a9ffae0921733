"""Flash caches behind assignments of categories: which assignments there are of each hardware, and which is the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tierwright.advise.advice import _checked, _plans
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._caches.replays import (
    EQUAL,
    CacheReplayed,
    Wanted,
    planned_for,
    replayed_on,
)
from tierwright.advise.advice._plans import Plan, plan_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Assigned, Replays
from tierwright.advise.cachesack import FLASH_CACHE
from tierwright.evaluate.advice.limits import LIFE
from tierwright.evaluate.page_flow.decision import ReplayPoint

MOST_ASSIGNED = 3
"""Flash caches of each hardware that are tried behind an assignment of categories too, besides its own: the fastest."""


def plans_of(
    asked: Asked,
    table: Table,
    places: Sequence[int],
    rows: Sequence[Mapping[str, Any]],
    assigned: Assigned | None,
) -> dict[int, list[Plan]]:
    """Find the assignments of each hardware, the simplest categories first; none where they would have no flash cache."""
    own = next((row for row in rows if row["name"] == FLASH_CACHE), None)
    if own is None or assigned is None:
        return {}
    points: dict[int, ReplayPoint] = {}
    for at in places:
        planned = planned_for(table, Wanted(at, own))
        if isinstance(planned, tuple):
            points[at] = planned[1]
    if not points:
        return {}
    counts = _plans.counted(
        assigned, sorted({each.ram_pages for each in points.values()})
    )
    found: dict[int, list[Plan]] = {}
    for at, point in points.items():
        most_written = _most_written(asked, table, at)
        plans: list[Plan] = []
        for (_, pages), each in counts.items():
            if pages != point.ram_pages:
                continue
            plan = plan_of(table, at, each, point, most_written)
            if plan is not None and not (plan.is_for_all and plans):
                plans.append(plan)
        if plans:
            found[at] = plans
    return found


def behind_plans(
    asked: Asked,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    alone: Sequence[CacheReplayed],
    plans: Mapping[int, Sequence[Plan]],
    replays: Replays,
) -> tuple[list[CacheReplayed], dict[int, Plan]]:
    """Replay flash caches behind the assignments of each hardware, and tell the best assignment of each.

    That of several is told by the flash cache of its own; the fastest others are replayed behind the best one alone.
    """

    def wanted(at: int, names: Sequence[str], plan: Plan) -> list[Wanted]:
        return [Wanted(at, row, plan) for row in rows if row["name"] in names]

    fastest = {at: _fastest(at, alone) for at in plans}
    first: list[Wanted] = []
    for at, each in plans.items():
        # Where there is nothing to compare, all are replayed over one read.
        names = fastest[at] if len(each) == 1 else ()
        for plan in each:
            first += wanted(at, [FLASH_CACHE, *names], plan)
    found = replayed_on(asked, table, first, replays)
    best: dict[int, Plan] = {}
    then: list[Wanted] = []
    for at, each in plans.items():
        own = [one for one in found if one.at == at and one.cache == FLASH_CACHE]
        best[at] = _best_plan(own)
        if len(each) > 1:
            then += wanted(at, fastest[at], best[at])
    return found + replayed_on(asked, table, then, replays), best


def _fastest(at: int, alone: Sequence[CacheReplayed]) -> list[str]:
    """Name the flash caches that are tried behind an assignment on this hardware, besides its own."""
    fast = sorted(
        (
            each
            for each in alone
            if each.at == at and not (each.reason or each.is_assumed)
        ),
        key=lambda each: each.simulated_us,
    )
    return [each.cache for each in fast if each.cache != FLASH_CACHE][:MOST_ASSIGNED]


def _best_plan(own: Sequence[CacheReplayed]) -> Plan:
    """Return the assignment whose replay keeps every limit and is the fastest; of about equal ones, of the simplest categories.

    Parameters
    ----------
    own : sequence of CacheReplayed
        The flash cache of assignments behind each of them, the simplest categories first.
    """
    played = [each for each in own if not each.reason] or list(own)
    keeps = [each for each in played if not each.breaks] or played
    best = keeps[0]
    for each in keeps[1:]:
        if each.simulated_us < best.simulated_us * (1 - EQUAL):
            best = each
    assert best.plan is not None  # each is behind one
    return best.plan


def _most_written(asked: Asked, table: Table, at: int) -> float:
    """Pages that an access may write to flash for its life to be as long as is asked; infinite without a limit. [1]"""
    least = asked.constraints.get(LIFE)
    if not least:
        return math.inf
    one = _checked.life(table, at, 1.0, 0.0)
    if not math.isfinite(one):
        return math.inf
    setting = table.setting
    return setting.steady_life(one) / setting.steady_life(float(least))
