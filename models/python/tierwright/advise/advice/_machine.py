"""The machine of RAM and devices bought by themselves, where no price of one is stated: with what it may not be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import (
    MOST_ASKED,
    Chosen,
    chosen_of,
    first_kept,
    too_slow,
)
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words.finding import INCLUDED, not_counted
from tierwright.advise.advice._words.limits import on_limit
from tierwright.advise.advice.found import Option
from tierwright.common.wording import listed
from tierwright.evaluate.advice.choose import ordered
from tierwright.evaluate.advice.limits import MONEY
from tierwright.evaluate.advice.rows import SOURCES, IntArray


@dataclass(frozen=True, slots=True)
class Replaying:
    """What replays leave open of which options keep every limit, and of which are as fast.

    Attributes
    ----------
    admits : frozenset of str
        Limits that an option may break by the model and keep by its replay.
    is_tied : bool
        Whether money may decide among options that were replayed.
    """

    admits: frozenset[str] = frozenset()
    is_tied: bool = False


_TODAY = "what there is today"
BY_MODEL = Replaying()
"""Where nothing is replayed."""


def behind_price(table: Table, at: int, *, own: bool | None) -> str:
    """Say behind what an option costs whether its machines are counted, where those of what it stands beside are not, or are.

    Parameters
    ----------
    table : Table
    at : int
        Row of the option.
    own : bool or None
        Whether the price of what it stands beside lacks its machines; None where it stands beside nothing.
    """
    lacks = table.without_machine(at)
    if lacks and not own:
        return f", {not_counted(int(table.options.machines[at]))}"
    return f", {INCLUDED}" if own and not lacks else ""


def cheaper_as_parts(table: Table, rows: IntArray, best: Option | None) -> list[int]:
    """Return those of some options that cost less than a choice whose machines are counted, and lack their own.

    What costs less than RAM and devices alone does so beside these with their machines, too.

    Parameters
    ----------
    table : Table
    rows : int array
        Options that cost less.
    best : Option or None
        The choice.
    """
    if best is not None and best.without_machine:
        return []
    return [at for at in rows.tolist() if table.without_machine(at)]


def costing_less(table: Table, rows: IntArray, best: Option | None) -> str:
    """Say of options that cost less than a choice, to be read behind *that*, which of them do so without their machines.

    Parameters
    ----------
    table : Table
    rows : int array
        Their rows; one or more.
    best : Option or None
        The choice.
    """
    cost = "costs less" if len(rows) == 1 else "cost less"
    lacking = cheaper_as_parts(table, rows, best)
    if not lacking:
        return cost
    one = len(lacking) == 1 and int(table.options.machines[lacking[0]]) == 1
    whose = "its" if len(lacking) == 1 else "their"
    without = f"without {whose} {'machine' if one else 'machines'}"
    if len(lacking) == len(rows):
        return f"{cost} {without}"
    return f"{cost} ({'1' if len(lacking) == 1 else 'some'} {without})"


def may_change_by(
    asked: Asked,
    table: Table,
    best: int | None,
    *,
    other_systems: bool = False,
    replaying: Replaying = BY_MODEL,
) -> str:
    """Say how the machine that RAM and devices need could change the choice; empty where it could not, or is in its price.

    RAM and devices of one answer need the machines of the workload, all alike, so none of them becomes the better by theirs.
    A ranking of quotes lists no such option: what it offers without a server is said of each quote.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    best : int or None
        Row of the choice.
    other_systems : bool
        Whether another way to share, of fewer systems, needs fewer of these machines, as in a placement of several
        workloads.
    replaying : Replaying
        What replays leave open.
    """
    if best is None or not table.without_machine(best):
        return ""
    machine = "machine" if asked.setting.machines == 1 else "machines"
    limits = [on_limit(name) for name in MONEY if name in asked.constraints]
    said = []
    whole = _wholes(asked, table, best, replaying)
    if whole:
        # Of what takes as long the cheapest is chosen.
        as_long = ""
        if asked.objective == "io_time":
            as_long = " that take as long"
            if whole == [_TODAY]:
                as_long = ", which takes as long,"
        said.append(
            f"{listed(whole)}{as_long} may cost less than these with their {machine}"
        )
    if other_systems:
        said.append("another number of systems may cost less with their machines")
    if limits:
        limit = "limit" if len(limits) == 1 else "limits"
        said.append(
            f"with their {machine} these may break the {limit} {listed(limits)}"
        )
    return "; ".join(said)


def _wholes(asked: Asked, table: Table, best: int, replaying: Replaying) -> list[str]:
    """Name what has its machines in its price and could be the choice if those of the choice cost enough."""
    options = table.options
    chosen = chosen_of(asked, table)
    able = np.ones(len(options), dtype=np.bool_)
    for limit in chosen.limits:
        if limit.name not in replaying.admits:
            able &= ~limit.breaks
    able &= options.source != SOURCES.index("devices")
    if asked.objective == "io_time" and not replaying.is_tied:
        # Money decides only among what is as fast.
        able &= options.io_us <= options.io_us[best]
    today = np.zeros(len(options), dtype=np.bool_)
    if table.have_at is not None:
        today[table.have_at] = True
    # What bounds left out costs more than the choice without its machines, not with them.
    is_open = table.left_out is not None and "chassis" in asked.setting.candidates.kinds
    return [
        name
        for name, rows, is_sure in (
            ("whole systems", np.flatnonzero(able & ~today), is_open),
            (_TODAY, np.flatnonzero(able & today), False),
        )
        if is_sure or _some_respond(asked, table, chosen, rows)
    ]


def _some_respond(asked: Asked, table: Table, chosen: Chosen, rows: IntArray) -> bool:
    """Whether some options keep the limits of response times; of very many taken for granted."""
    if not asked.limits_response or not len(rows):
        return bool(len(rows))
    left = rows[~too_slow(asked, table, rows)]
    if len(left) > MOST_ASKED:
        return True
    order = ordered(table.options, left, asked.objective)
    return first_kept(asked, table, chosen, order) is not None
