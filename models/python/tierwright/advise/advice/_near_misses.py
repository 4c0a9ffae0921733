"""Options that break a limit by the model, by no more than its known error: whether they keep it only a replay tells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked import Replayed, Settled
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import what_it_has
from tierwright.common.arrays import FloatArray
from tierwright.common.wording import counted as number_of
from tierwright.common.wording import listed
from tierwright.evaluate.advice.choose import ordered
from tierwright.evaluate.advice.limits import (
    IO_TIME,
    LEAST,
    LIFE,
    PEAK_BUSY,
    THROUGHPUT,
    Bools,
    Limit,
)
from tierwright.evaluate.advice.rows import SOURCES, IntArray

MOST_COUNTED = 50
"""Options of which it is seen whether they can be replayed, before they are."""
MOST_OFF = 0.5
"""Error of the model up to which an option is tried: where it is larger, what is twice as busy as allowed is not. [1]"""


def near_misses(asked: Asked, table: Table, limits: Sequence[Limit]) -> IntArray:
    """Return the options that only a replay can rule out, in the order of the objective.

    They keep every limit whose figures a replay does not count, and break those it does by less than the known error of
    their I/O time. Of response times a replay of page flow says nothing, so where these are limited there are none, nor
    where nobody knows which pages are dirty; nor are there of quotes, which are ranked by the model. Options that bounds left out are not among them.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    limits : sequence of Limit
        Those that options were held against.
    """
    options = table.options
    if asked.limits_response or asked.setting.fewest_dirty is not None:
        return np.empty(0, dtype=np.int64)
    counted = [
        limit
        for limit in limits
        if limit.name in _checked.COUNTED and limit.limit is not None
    ]
    tried = np.isfinite(options.io_us) & (options.source != SOURCES.index("quotes"))
    for limit in limits:
        if limit not in counted:
            tried &= ~limit.breaks
    broken = np.zeros(len(options), dtype=np.bool_)
    for limit in counted:
        broken |= limit.breaks
    [rows] = np.nonzero(tried & broken)
    if not len(rows):
        return rows
    off = np.minimum(_checked.bands(table, rows), MOST_OFF)
    near = np.ones(len(rows), dtype=np.bool_)
    for limit in counted:
        near &= ~limit.breaks[rows] | _could_keep(limit, rows, off)
    return ordered(options, rows[near], asked.objective)


def to_replay(asked: Asked, table: Table, near: IntArray, best: int | None) -> int:
    """Count the near misses, of the first `MOST_COUNTED`, that could be better than the choice of the model and can be replayed."""
    time_us = math.inf if best is None else float(table.options.io_us[best])
    some = _checked.better(asked, table, near, best, time_us)[:MOST_COUNTED]
    return len(_checked.can_be_replayed(table, some))


def _could_keep(limit: Limit, rows: IntArray, off: FloatArray) -> Bools:
    """Whether some options keep a limit if their I/O time is less than modelled by such a share."""
    assert limit.limit is not None
    value, asked_for = limit.value[rows], float(limit.limit)
    if limit.name in LEAST:
        return np.asarray(value >= asked_for * (1 - off))
    return np.asarray(value * (1 - off) <= asked_for)


def sentence(
    asked: Asked,
    limits: Sequence[Limit],
    found: Settled,
    best: int | None,
) -> str:
    """Say what the replays of options decide that the model rules out by less than its error; empty where there are none.

    Parameters
    ----------
    asked : Asked
    limits : sequence of Limit
        Those that options were held against.
    found : Settled
    best : int or None
        The recommendation.
    """
    admitted = found.by_replay_alone()
    if admitted is not None and admitted.at == best:
        return _admitted(asked, admitted, limits)
    tried = [each for each in found.tried if each.at in found.near and each.is_timed]
    if not tried:
        return ""
    were = "was" if len(tried) == 1 else "were"
    return (
        f"{number_of(len(tried), 'option')} that the model rules out by less than its error {were} replayed too: "
        f"{'it is no' if len(tried) == 1 else 'none is'} better."
    )


def _admitted(asked: Asked, each: Replayed, limits: Sequence[Limit]) -> str:
    """Say what the model and the replay find of an option that the replay alone admits."""
    replayed = {
        PEAK_BUSY: each.peak_busy,
        THROUGHPUT: float(
            asked.setting.throughput_per_s(np.asarray([each.peak_busy]))[0]
        ),
        IO_TIME: each.simulated_us,
        LIFE: each.life_years,
    }
    broken = {
        limit.name: float(limit.value[each.at])
        for limit in limits
        if limit.name in replayed and limit.breaks[each.at]
    }
    by_model, by_replay = (
        listed([what_it_has(name, values[name]) for name in broken])
        for values in (broken, replayed)
    )
    what = "a limit" if len(broken) == 1 else "limits"
    return (
        f"By the model {by_model}, which breaks {what} by less than the {100 * each.band:.2g} % by which the model may be off; by "
        f"its replay {by_replay}."
    )
