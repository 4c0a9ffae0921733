"""Options that break a limit by the model, by no more than its known error: whether they keep it only a replay tells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked import (
    MOST_MORE,
    MOST_ROUNDS,
    Replayed,
    Settled,
)
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import IF_DIRTY, what_it_has
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
from tierwright.evaluate.advice.rows import SOURCES, IntArray, Options, joined
from tierwright.evaluate.advice.tiers import devices_for_space
from tierwright.evaluate.endurance.growth import steady_years

MOST_COUNTED = 50
"""Options of which it is seen whether they can be replayed, before they are."""
MOST_FEWER = 8
"""By how many devices fewer than the model asks for may hold the data of an option that is tried."""
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
    near = _by_less_than_the_error(table, counted, rows)
    return ordered(options, rows[near], asked.objective)


def _by_less_than_the_error(
    table: Table, counted: Sequence[Limit], rows: IntArray
) -> Bools:
    """Whether some options break what a replay counts by no more than the known error of their I/O time."""
    off = np.minimum(_checked.bands(table, rows), MOST_OFF)
    near = np.ones(len(rows), dtype=np.bool_)
    for limit in counted:
        near &= ~limit.breaks[rows] | _could_keep(table, limit, rows, off)
    return near


def with_fewer_devices(asked: Asked, table: Table, best: int | None) -> Table:
    """Return a table with what could be better than the best, of fewer devices than the model asks for, behind its options.

    Of devices bought by themselves as many are listed as limits ask for by the model. With fewer an option breaks these,
    and where that is by no more than the known error only its replay tells: it is a near miss as any other.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    best : int or None
        The choice of the model.

    Returns
    -------
    Table
        The same where there is none of these.
    """
    fewer = list(_fewer(asked, table, best))
    if not fewer:
        return table
    whole = table.with_options(joined([table.options, *fewer]))
    first = len(table.options)
    near = near_misses(asked, whole, chosen_of(asked, whole).limits)
    time_us = math.inf if best is None else float(table.options.io_us[best])
    found = _checked.better(asked, whole, near[near >= first], best, time_us)
    if not len(found):
        return table
    options = whole.options
    sizes = np.stack(
        (options.ram_pages[found], options.flash_pages[found], options.scheme[found])
    )
    # No more than may be replayed.
    _, at, of = np.unique(sizes, axis=1, return_index=True, return_inverse=True)
    some = np.isin(of.ravel(), np.argsort(at)[: MOST_MORE * MOST_ROUNDS])
    return whole.with_options(joined([table.options, options.rows(found[some])]))


def _fewer(asked: Asked, table: Table, best: int | None) -> Iterator[Options]:
    """Yield options of devices bought by themselves with fewer of them, as far as these could carry the load by a replay."""
    options, setting = table.options, asked.setting
    if asked.limits_response or setting.fewest_dirty is not None:
        return
    [at] = np.nonzero(options.source == SOURCES.index("devices"))
    space = np.asarray(
        [
            devices_for_space(each, setting.machine_bytes)
            for each, _ in table.shelf.stores
        ],
        dtype=np.int64,
    )[table.tier_rows.store[options.row[at]]]
    devices = options.store_devices[at]
    could = devices > space
    if best is not None and asked.objective != "io_time":
        # Without these devices an option costs no less than its other parts.
        left = 1 - np.minimum(MOST_FEWER, devices - space) / devices
        could &= options.month_cents[at] * left <= options.month_cents[best]
    for _ in range(MOST_FEWER):
        at, space, devices = at[could], space[could], devices[could] - 1
        if not len(at):
            return
        made = table.tier_rows.with_devices(options, at, devices, setting.served.peak)
        some = table.with_options(made)
        counted = [
            limit
            for limit in chosen_of(asked, some).limits
            if limit.name in _checked.COUNTED and limit.limit is not None
        ]
        near = _by_less_than_the_error(some, counted, np.arange(len(made)))
        yield made.rows(np.flatnonzero(near))
        could = near & (devices > space)


def with_chosen(table: Table, whole: Table, found: Settled) -> tuple[Table, Settled]:
    """Return a table with the choice among its options, and what was replayed of these.

    Parameters
    ----------
    table : Table
        Of the options.
    whole : Table
        With those of fewer devices behind them.
    found : Settled
        Of the second.

    Returns
    -------
    table : Table
        The first, with the choice at its end where that has fewer devices than the model asks for.
    found : Settled
        Of these options; `beyond` counts the others that were replayed.
    """
    first, best = len(table.options), found.best
    if best is None or best < first:
        chosen = None
    else:
        chosen, best = best, first
        rows = np.asarray([chosen], dtype=np.int64)
        table = table.with_options(joined([table.options, whole.options.rows(rows)]))
    own = [
        replace(each, at=first) if each.at == chosen else each
        for each in found.tried
        if each.at < first or each.at == chosen
    ]
    near = {at for at in found.near if at < first}
    if chosen is not None:
        near.add(first)
    others = [each for each in found.tried if each.at >= first and each.at != chosen]
    return table, replace(
        found,
        tried=own,
        best=best,
        near=frozenset(near),
        beyond=sum(each.is_timed for each in others),
    )


def to_replay(asked: Asked, table: Table, near: IntArray, best: int | None) -> int:
    """Count the near misses, of the first `MOST_COUNTED`, that could be better than the choice of the model and can be replayed."""
    time_us = math.inf if best is None else float(table.options.io_us[best])
    some = _checked.better(asked, table, near, best, time_us)[:MOST_COUNTED]
    return len(_checked.can_be_replayed(table, some))


def _could_keep(table: Table, limit: Limit, rows: IntArray, off: FloatArray) -> Bools:
    """Whether some options keep a limit if their I/O time is less than modelled by such a share."""
    assert limit.limit is not None
    value, asked_for = limit.value[rows], float(limit.limit)
    if limit.name == LIFE:
        # By what share the writes are off, the life is at today's rate.
        growth = table.setting.load_growth_per_year
        value = steady_years(value, growth)
        asked_for = table.setting.steady_life(asked_for)
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
    many = len(tried) + found.beyond
    if not many:
        return ""
    were = "was" if many == 1 else "were"
    return (
        f"{number_of(many, 'option')} that the model rules out by less than its error {were} replayed too: "
        f"{'it is no' if many == 1 else 'none is'} better."
    )


def left_text(left: int, places: int = 0, *, is_checked: bool) -> str:
    """Say what may keep every limit by a replay where nothing does by the model; empty where there is none of it.

    Parameters
    ----------
    left : int
        Options that the model rules out by less than its error and that were not replayed.
    places : int
        Kinds of hardware on which a flash cache may keep what page flow does not, before anything was replayed.
    is_checked : bool
        Whether options were replayed.
    """
    options = (
        f"{number_of(left, 'option')} that the model rules out by less than its error"
    )
    if is_checked:
        were = "was" if left == 1 else "were"
        return (
            f"Not replayed {were} {options}: by a replay {'it' if left == 1 else 'some'} may keep every limit."
            if left
            else ""
        )
    may = [
        *([options] if left else []),
        *(
            [f"flash caches on {number_of(places, 'kind')} of hardware"]
            if places
            else []
        ),
    ]
    if not may:
        return ""
    keep = "keeps" if left == 1 and not places else "keep"
    return f"That holds by the model alone: a replay may show that {' or '.join(may)} {keep} every limit."


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
        listed(
            [
                f"{IF_DIRTY if name == LIFE and not each.knows_life else ''}{what_it_has(name, values[name])}"
                for name in broken
            ]
        )
        for values in (broken, replayed)
    )
    what = "a limit" if len(broken) == 1 else "limits"
    return (
        f"By the model {by_model}, which breaks {what} by less than the {100 * each.band:.2g} % by which the model may be off; by "
        f"its replay {by_replay}."
    )
