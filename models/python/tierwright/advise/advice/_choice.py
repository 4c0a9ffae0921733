"""What keeps every limit, the best of it, what was close, and the front."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._responses import TIMES
from tierwright.advise.advice._table import Table
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.choose import in_time
from tierwright.evaluate.advice.limits import (
    EVIDENCE,
    RESPONSES,
    Bools,
    Limit,
    first_broken,
    own_limits,
    stated_limits,
)
from tierwright.evaluate.advice.rows import SOURCES, IntArray, Options
from tierwright.evaluate.page_flow.decision import TIE_TOLERANCE
from tierwright.profile.evidence import Evidence

MOST_ASKED = 1_000
"""Response times that are computed for alternatives, where these are limited."""
QUEUES_AT_ONCE = 64
MOST_EXACT = 60
"""Response times that are computed of what a bound has shown to be too slow."""
MOST_EXACT_BESIDE = 16
"""Response times that are computed of what breaks another limit."""
MOST_FRONT = 40
MOST_ALTERNATIVES = 8


@dataclass(slots=True)
class Chosen:
    """What keeps every limit, in the order of the objective, and what was asked of response times."""

    order: IntArray
    limits: list[Limit]
    first_broken: IntArray
    """Index of the first of the limits that each option breaks; -1 where none."""
    responses: dict[int, tuple[float, ...]] = field(default_factory=dict)
    not_asked: int = 0
    """Options that could be close and whose response times were not computed."""


def chosen_of(asked: Asked, table: Table) -> Chosen:
    options = table.options
    limits = [
        *own_limits(options),
        *evidence_limit(options, asked.setting.curve.evidence),
        *stated_limits(options, asked.constraints, table.beside),
    ]
    broken = first_broken(limits, len(options))
    [rows] = np.nonzero(broken < 0)
    return Chosen(choose.ordered(options, rows, asked.objective), limits, broken)


def evidence_limit(options: Options, evidence: Evidence | None) -> Iterator[Limit]:
    """Yield what a curve from counters does not speak of: options that read it at other sizes are unknown."""
    if evidence is None:
        return
    ram = options.ram_pages
    outside = evidence.unknown(ram, ram + options.flash_pages)
    yield Limit(EVIDENCE, None, np.full(len(options), np.nan), outside)


def kept(asked: Asked, table: Table, chosen: Chosen, order: IntArray) -> Iterator[int]:
    """Those that keep the limits of response times too, in their order; all of them where there are none."""
    if not asked.limits_response:
        return iter(order.tolist())
    return choose.keeping(
        order,
        partial(responses_of, table, chosen),
        asked.response_limits,
        table.least_response,
    )


def responses_of(
    table: Table, chosen: Chosen, rows: IntArray
) -> tuple[FloatArray, ...]:
    """Response times of some options, computed once. [µs]"""
    new = np.asarray(
        [at for at in rows.tolist() if at not in chosen.responses], dtype=np.int64
    )
    found = np.stack(table.peak_responses(new), axis=1)
    chosen.responses.update(zip(new.tolist(), map(tuple, found.tolist()), strict=True))
    every = [chosen.responses[at] for at in rows.tolist()]
    return tuple(np.asarray(every).reshape(len(every), TIMES).T)


def first_kept(
    asked: Asked, table: Table, chosen: Chosen, order: IntArray
) -> int | None:
    """Return the first of some options that keeps the limits of response times; None where no option does."""
    if not asked.limits_response:
        return int(order[0]) if len(order) else None
    left, many = order[~too_slow(asked, table, order)], 1
    while len(left):
        some, left = left[:many], left[many:]
        keeps = in_time(asked.response_limits, responses_of(table, chosen, some))
        if keeps.any():
            return int(some[np.argmax(keeps)])
        left = left[~no_faster(table, some, left)]
        many = min(2 * many, at_once(table, left))
    return None


def at_once(table: Table, rows: IntArray) -> int:
    """Return of how many options response times are computed before the slow ones rule out others.

    Of servers built from parts many are computed together; of devices by themselves each is a queue of its own.
    """
    of_devices = table.options.source[rows] == SOURCES.index("devices")
    return QUEUES_AT_ONCE if of_devices.any() else choose.MOST_AT_ONCE


def no_faster(table: Table, slow: IntArray, rows: IntArray) -> Bools:
    """Which options are of the kind of one that is too slow, and in nothing faster: they are too slow without a queue.

    They read as often or more often from each tier, each of their devices is as long or longer busy with an access and
    with a read, each read that waits for no other takes as long or longer, and of devices and machines there are as many or
    fewer: no access waits less.
    """
    options = table.options
    loads = np.stack(
        (
            options.flash_reads,
            options.store_reads,
            options.flash_us,
            options.store_us,
            options.flash_read_us,
            options.store_read_us,
            *table.latencies_us,
            -options.machines,
            -options.flash_devices,
            -options.store_devices,
        ),
        axis=1,
    )
    # A tier that there is not has no times, and one that is not stated is as slow as another such.
    loads = np.nan_to_num(loads)
    kinds, found = table.kind_codes, np.zeros(len(rows), dtype=np.bool_)
    # Of a quote several devices may hold the data, of different latencies: it is one kind all the same.
    sold = options.source[rows] != SOURCES.index("quotes")
    for at in slow.tolist():
        [same] = np.nonzero((kinds[rows] == kinds[at]) & sold & ~found)
        found[same] = (loads[rows[same]] >= loads[at]).all(axis=1)
    return found


def too_slow(asked: Asked, table: Table, rows: IntArray) -> Bools:
    """Which options break a limit of response times for sure: by a bound, or by what was computed before."""
    times = [each[rows] for each in table.least_response]
    known = table.peak_responses(rows, known_alone=True)
    slow = np.zeros(len(rows), dtype=np.bool_)
    for of in (times, known):
        for limit, value in zip(asked.response_limits, of, strict=True):
            if limit is not None:
                slow |= value > limit
    return slow


def in_order(
    asked: Asked, table: Table, chosen: Chosen, most: int = MOST_ASKED
) -> IntArray:
    """Options that keep every limit, the best first; where response times are limited, those of so many from the first on."""
    if not asked.limits_response:
        return chosen.order
    first = first_kept(asked, table, chosen, chosen.order)
    if first is None:
        return np.empty(0, dtype=np.int64)
    [at] = np.flatnonzero(chosen.order == first)
    some = chosen.order[at : at + most]
    return np.asarray(list(kept(asked, table, chosen, some)), dtype=np.int64)


def alternatives(
    asked: Asked, table: Table, chosen: Chosen, best: int | None
) -> list[int]:
    """Return the best of each other product or combination of them, in the order of the objective, and what there is.

    Two profiles of one product are one thing to buy: the better of them by the objective stands for both.
    """
    return _others(asked, table, chosen, best, table.product_codes)


def ranked(
    asked: Asked, table: Table, rows: Sequence[int], replayed: Mapping[int, float]
) -> list[int]:
    """Put options that stand in the order of the objective by the model into that of their replays.

    The time of an option is that of its replay, or of the model where no replay times it. Options that take as long are told
    apart by money, those that cost as much by their times, and equals of both stand as they did.

    Parameters
    ----------
    asked : Asked
    table : Table
    rows : sequence of int
        Options, the best by the model first.
    replayed : mapping of int to float
        I/O times that replays show, by option. [µs]
    """
    cents, io_us = table.options.month_cents, table.options.io_us
    times = {at: replayed.get(at, float(io_us[at])) for at in rows}
    as_long: dict[int, float] = {}
    least_us = -math.inf
    for at in sorted(rows, key=times.__getitem__):
        if times[at] > least_us * (1 + TIE_TOLERANCE):
            least_us = times[at]
        as_long[at] = least_us
    if asked.objective == "io_time":
        return sorted(rows, key=lambda at: (as_long[at], int(cents[at])))
    return sorted(rows, key=lambda at: (int(cents[at]), as_long[at]))


def finalists(
    asked: Asked, table: Table, chosen: Chosen, best: int, most: int
) -> list[int]:
    """Return the best, and behind it that of each other profile: what is worth a replay, so many at most."""
    others = _others(asked, table, chosen, best, table.hardware_codes)
    return [best, *others][:most]


def _others(
    asked: Asked, table: Table, chosen: Chosen, best: int | None, kinds: IntArray
) -> list[int]:
    if best is None:
        return []
    found = _of_kinds(asked, table, chosen, kinds, MOST_ALTERNATIVES + 1)
    others = [at for at in found if at != best and kinds[at] != kinds[best]]
    others = others[:MOST_ALTERNATIVES]
    have = table.have_at
    if have is not None and have != best and have not in others:
        own = chosen.order[chosen.order == have]
        if first_kept(asked, table, chosen, own) is not None:
            others.append(have)
    return others


def _of_kinds(
    asked: Asked, table: Table, chosen: Chosen, kinds: IntArray, most: int
) -> list[int]:
    """Return the best of each kind that keeps every limit, in their order, of so many."""
    order = chosen.order
    if not asked.limits_response:
        return [int(at) for at in choose.best_of_kinds(order, kinds)[:most]]
    found: list[int] = []
    before = table.responses.computed
    left, many = order[~too_slow(asked, table, order)], 1
    while len(left) and len(found) < most:
        for at in kept(asked, table, chosen, left[:many]):
            if kinds[at] not in kinds[found]:
                found.append(at)
        left = left[many:]
        left = left[~np.isin(kinds[left], kinds[found])]
        if table.responses.computed - before >= MOST_ASKED and len(found) < most:
            chosen.not_asked = len(left)
            break
        many = min(2 * many, choose.MOST_AT_ONCE)
    return found[:most]


def front(asked: Asked, table: Table, chosen: Chosen) -> IntArray:
    """Return the front of money and I/O time of what keeps every limit."""
    rows = np.sort(chosen.order)
    if not asked.limits_response:
        return choose.front(table.options, rows)
    while True:
        rows = rows[~too_slow(asked, table, rows)]
        found = choose.front(table.options, rows)
        left = np.asarray(list(kept(asked, table, chosen, found)), dtype=np.int64)
        if len(left) == len(found):
            return found
        rows = np.setdiff1d(rows, np.setdiff1d(found, left))


def response_limits(asked: Asked, table: Table, chosen: Chosen) -> Iterator[Limit]:
    """Limits of response times: of what was computed its times, of all others what these are at least."""
    for at, (name, limit) in enumerate(
        zip(RESPONSES, asked.response_limits, strict=True)
    ):
        if limit is None:
            continue
        value = table.least_response[at].copy()
        for row, times in chosen.responses.items():
            value[row] = times[at]
        yield Limit(name, asked.constraints[name], value, value > limit)


def exact_limits(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    rows: Sequence[int],
    limits: list[Limit],
) -> tuple[list[Limit], set[int]]:
    """Replace bounds of response times by the times themselves, of some options: a relaxation is to admit them.

    Returns
    -------
    limits : list of Limit
        What breaks another limit and was not computed is not known to keep these.
    without : set of int
        Those of the options of which no more than a bound is known: their times are NaN.
    """
    if not asked.limits_response:
        return limits, set()
    # Where a bound is infinite, a latency is not stated: there is nothing to compute.
    left = [
        at
        for at in rows
        if at not in chosen.responses
        and all(math.isfinite(each[at]) for each in table.least_response)
    ]
    own = [at for at in left if chosen.first_broken[at] < 0]
    others = [at for at in left if chosen.first_broken[at] >= 0]
    # Of those that break another limit, first those that no bound shows to be too slow besides.
    slow = too_slow(asked, table, np.asarray(others, dtype=np.int64))
    others = [others[at] for at in np.argsort(slow, kind="stable").tolist()]
    now = [*own[:MOST_EXACT], *others[:MOST_EXACT_BESIDE]]
    responses_of(table, chosen, np.asarray(now, dtype=np.int64))
    found = list(response_limits(asked, table, chosen))
    open_ = others[MOST_EXACT_BESIDE:]
    without = [*own[MOST_EXACT:], *open_]
    for limit in found:
        limit.value[without] = np.nan
        limit.breaks[open_] = True
    return [*chosen.limits, *found], set(without)
