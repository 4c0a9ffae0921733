"""Which flash caches are tried, and the one that is chosen in place of page flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._caches.assignments import behind_plans, plans_of
from tierwright.advise.advice._caches.places import beyond_page_flow, places_of
from tierwright.advise.advice._caches.replays import (
    EQUAL,
    CacheReplayed,
    Wanted,
    candidates_of,
    replayed_on,
)
from tierwright.advise.advice._checked import Replayed
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Assigned, Replays
from tierwright.simulate.contenders import ASSUMED

VERSION = "10"
"""Of what is replayed and how it decides: changes where a checked answer does."""
MOST_HALVINGS = 6
"""Further replays of flash caches that look for the cheapest size of a hardware on which one keeps every limit."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What flash caches were tried, and the one that is chosen.

    Attributes
    ----------
    rows : tuple of CacheReplayed
        The fastest of each hardware first, those that were not replayed last.
    chosen : CacheReplayed or None
        None where page flow stays.
    """

    rows: tuple[CacheReplayed, ...] = ()
    chosen: CacheReplayed | None = None

    @property
    def seen(self) -> list[object]:
        """What the replays said, for the id of the answer."""
        return [
            (
                VERSION,
                each.at,
                each.cache,
                each.simulated_us,
                None if each.plan is None else (each.plan.kind, each.plan.assignment),
            )
            for each in self.rows
            if not each.reason
        ]


def tried(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    finalists: Sequence[Replayed],
    best: int | None,
    replays: Replays,
    assigned: Assigned | None = None,
) -> Tried:
    """Replay the flash caches that are candidates on the hardware of the best option, and choose.

    Where the least I/O time is sought, on the hardware of the other finalists too; and on hardware that would be better
    than the best and breaks limits under page flow that a flash cache may keep.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
        What keeps every limit under page flow.
    finalists : sequence of Replayed
        Options that were replayed under their page flow.
    best : int or None
        Option that these replays leave best; None where no option keeps every limit under page flow.
    replays : callable
        Makes the replays, or returns those that were made before.
    assigned : callable, optional
        Counts the requests below RAM by category, for assignments.
    """
    candidates = asked.setting.candidates.flash_caches
    if candidates == ():
        return Tried()
    flows = places_of(asked, table, finalists, best)
    ladders = [_Ladder(each) for each in beyond_page_flow(asked, table, chosen, best)]
    if not flows and not ladders:
        return Tried()
    found, may_run = _on(
        asked,
        table,
        list(dict.fromkeys([*flows, *(at for each in ladders for at in each.ends)])),
        replays,
        assigned,
    )
    for each in ladders:
        each.look(may_run)
    for _ in range(MOST_HALVINGS):
        middles = [each.middle for each in ladders if each.is_open]
        if not middles:
            break
        more, may_run_too = _on(asked, table, middles, replays, assigned)
        found, may_run = found + more, may_run + may_run_too
        for each in ladders:
            each.look(may_run)
    shown = {*flows, *(each.shown for each in ladders)}
    return Tried(
        tuple(each for each in found if each.at in shown),
        _chosen(
            asked,
            table,
            finalists,
            best,
            [each for each in may_run if each.at in shown],
        ),
    )


@dataclass(slots=True)
class _Ladder:
    """Sizes of one hardware that page flow cannot carry, the cheapest first; each takes less I/O time than those before.

    What a flash cache keeps on one it keeps on those above it, as far as is known, so the cheapest is found by halving.
    """

    rungs: Sequence[int]
    fails: int = -1
    """Rung on which nothing that was replayed keeps every limit."""
    keeps: int | None = None
    """Rung on which something does; None where none is known."""

    @property
    def ends(self) -> list[int]:
        """Rungs that are replayed first."""
        return list(dict.fromkeys([self.rungs[0], self.rungs[-1]]))

    @property
    def is_open(self) -> bool:
        """Whether a cheaper rung may do."""
        return self.keeps is not None and self.keeps - self.fails > 1

    @property
    def middle(self) -> int:
        """Rung that is replayed next."""
        assert self.keeps is not None  # it is open
        return self.rungs[(self.fails + self.keeps) // 2]

    @property
    def shown(self) -> int:
        """Rung whose replays are shown: the cheapest that does, or the one that is nearest to it."""
        return self.rungs[-1 if self.keeps is None else self.keeps]

    def look(self, found: Sequence[CacheReplayed]) -> None:
        """Take what was replayed."""
        does = {each.at for each in found if not (each.reason or each.breaks)}
        seen = {each.at for each in found}
        for place, at in enumerate(self.rungs):
            if at in does:
                self.keeps = place
                break
            if at in seen and place < len(self.rungs) - 1:
                self.fails = place


def _on(
    asked: Asked,
    table: Table,
    places: Sequence[int],
    replays: Replays,
    assigned: Assigned | None,
) -> tuple[list[CacheReplayed], list[CacheReplayed]]:
    """Replay the flash caches that are candidates on some hardware: all of them, and those of them that may run it."""
    rows = candidates_of(asked)
    found = replayed_on(
        asked,
        table,
        [
            each
            for at in places
            for row in rows
            for each in (
                Wanted(at, row),
                *([Wanted(at, row, is_assumed=True)] if row["name"] in ASSUMED else []),
            )
        ],
        replays,
    )
    found = [each for each in found if not _gains_nothing(each, found)]
    plans = plans_of(asked, table, places, rows, assigned)
    behind, best_plans = behind_plans(asked, table, rows, found, plans, replays)
    found += behind
    found.sort(
        key=lambda each: (
            places.index(each.at),
            bool(each.reason),
            each.simulated_us if not each.reason else 0.0,
        )
    )
    # Of several ways to tell categories apart only the best of each hardware may run it.
    may_run = [
        each
        for each in found
        if not each.is_assumed
        and (each.plan is None or each.plan is best_plans[each.at])
    ]
    return found, may_run


def _gains_nothing(each: CacheReplayed, found: Sequence[CacheReplayed]) -> bool:
    """Whether a replay rests on a default without a source and is as fast without it: there is nothing to show then."""
    if not each.is_assumed:
        return False
    plain = next(
        one
        for one in found
        if (one.at, one.cache) == (each.at, each.cache) and not one.is_assumed
    )
    return not each.simulated_us < plain.simulated_us * (1 - EQUAL)


def _chosen(
    asked: Asked,
    table: Table,
    finalists: Sequence[Replayed],
    best: int | None,
    found: Sequence[CacheReplayed],
) -> CacheReplayed | None:
    """Return the flash cache that keeps every limit and is the best by the objective, where it is clearly better than page flow."""
    keeps = [each for each in found if not each.reason and not each.breaks]
    if not keeps:
        return None
    cents = table.options.month_cents
    if asked.objective == "io_time":
        first = min(keeps, key=lambda each: (each.simulated_us, int(cents[each.at])))
    else:
        first = min(keeps, key=lambda each: (int(cents[each.at]), each.simulated_us))
    if best is None:
        return first
    if asked.objective != "io_time" and cents[first.at] < cents[best]:
        return first
    flow = next((each for each in finalists if each.at == best), None)
    if flow is None or flow.reason:
        return None
    if _checked.breaks(asked, flow):
        return first
    return first if first.simulated_us < flow.known_us * (1 - EQUAL) else None
