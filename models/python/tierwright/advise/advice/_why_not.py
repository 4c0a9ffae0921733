"""Why options were rejected, and what each limit costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice import _steps, _words
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import asked_again
from tierwright.advise.advice._checked import COUNTED
from tierwright.advise.advice._choice import (
    MOST_EXACT,
    MOST_EXACT_BESIDE,
    Chosen,
    at_once,
    chosen_of,
    exact_limits,
    no_faster,
    response_limits,
    responses_of,
    too_slow,
)
from tierwright.advise.advice._numbers import best_of, is_open, least_of
from tierwright.advise.advice._rates import unrated, unrated_words
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Broken, Option, Rejected, Shadow
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.choose import Objective, in_time
from tierwright.evaluate.advice.limits import (
    BESIDE,
    IO_TIME,
    LEAST,
    LIFE,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    ROUNDING,
    THROUGHPUT,
    TIMES,
    Bools,
    Limit,
    excess,
    first_broken,
    relaxation,
    values,
)
from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.evaluate.advice.whole_limits import UNITS as WHOLE
from tierwright.evaluate.bill import CENT

MOST_REJECTED = 200
MOST_QUEUES = 1_000
"""Response times that are computed to find how far one limit is to be relaxed."""
SIZING = (PEAK_BUSY, THROUGHPUT, LIFE)
"""Limits by which the number of devices is chosen that hold the data."""
OF_FIRST = (
    f"of what is rejected, response times are computed of up to {MOST_EXACT} options that break no other limit, and of "
    f"{MOST_EXACT_BESIDE} others"
)
"""Why those of a rejected option are not known."""


def rejected_counts(
    table: Table, limits: Sequence[Limit], by_replays: Sequence[str] = ()
) -> dict[str, int]:
    """Count the options that were evaluated by the first limit that they break.

    Parameters
    ----------
    table : Table
    limits : sequence of Limit
        Those of response times too where nothing keeps them: then each option was held against them.
    by_replays : sequence of str
        The first limit of each option that breaks none by the model and one by its replay.
    """
    if table.left_out is not None:
        counts = Counter(table.left_out.rejected_counts)
    else:
        first = first_broken(limits, len(table.options))
        counts = Counter(
            {
                limit.name: int(np.count_nonzero(first == at))
                for at, limit in enumerate(limits)
            }
        )
    counts.update(by_replays)
    return {name: count for name, count in counts.items() if count}


def knows_nearest(
    table: Table, limits: Sequence[Limit], conflict: Sequence[str]
) -> bool:
    """Whether every option and each of its values is known, and some limit of a conflict is stated.

    Of most options response times are known by a bound alone, and bounds may have left out what a looser limit admits.
    """
    stated = [limit.name for limit in limits if limit.is_stated]
    return (
        any(name in conflict for name in stated)
        and table.left_out is None
        and not any(name in RESPONSES for name in stated)
    )


def unknown_values(
    asked: Asked, table: Table, limits: Sequence[Limit]
) -> dict[str, Bools]:
    """Return of which options it is not known what each stated limit limits, by its name; of a response time, the latency."""
    found = {
        limit.name: limit.breaks & np.isnan(limit.value)
        for limit in limits
        if limit.is_stated and limit.name not in RESPONSES
    }
    for name, least in zip(RESPONSES, table.least_response, strict=True):
        if name in asked.constraints:
            found[name] = np.isinf(least)
    return found


def nearest(
    limits: Sequence[Limit],
    conflict: Sequence[str],
    options: Options,
    objective: Objective,
) -> Iterator[tuple[str, float, int]]:
    """Yield what each limit of a conflict would have to be, alone, for one option: name, value and option.

    Parameters
    ----------
    limits : sequence of Limit
        All that were held.
    conflict : sequence of str
        Names of those that no option keeps together.
    options : Options
    objective : str
        By whose order one of several options is named that need the same value.
    """
    number = np.sum([limit.breaks for limit in limits], axis=0)
    for limit in limits:
        if limit.name not in conflict or not limit.is_stated:
            continue
        rows = _broken_alone(limit, number)
        if not len(rows):
            continue
        values = limit.value[rows]
        value = values.max() if limit.name in LEAST else values.min()
        # A cent or a byte more would not be enough.
        near = 0.0 if limit.name in WHOLE else ROUNDING
        alike = rows[np.isclose(values, value, rtol=near, atol=0.0)]
        at = int(choose.ordered(options, alike, objective)[0])
        yield limit.name, float(value), at


def _broken_alone(limit: Limit, number: IntArray) -> IntArray:
    """Options that break this limit and no other, of which a value is known that can be asked; `number` counts what each breaks."""
    # No device is busy for more than all of the time.
    most = 1.0 if limit.name == PEAK_BUSY else math.inf
    can = np.isfinite(limit.value) & (limit.value <= most)
    [rows] = np.nonzero((number == 1) & limit.breaks & can)
    return rows


def nearest_titled(
    table: Table,
    limits: Sequence[Limit],
    conflict: Sequence[str],
    objective: Objective,
    replayed: Collection[int] = (),
) -> tuple[tuple[str, float, str], ...] | None:
    """Return `nearest` with the options in words; None where it is not known.

    Of options that were replayed the values that a replay counts are those of their replays, as the words say.
    """
    if not knows_nearest(table, limits, conflict):
        return None

    def told(name: str, at: int) -> str:
        title = _words.with_flow(table.title(at), table.scheme(at))
        by_its_replay = at in replayed and name in COUNTED
        return f"{title} by its replay" if by_its_replay else title

    return tuple(
        (name, value, told(name, at))
        for name, value, at in nearest(limits, conflict, table.options, objective)
    )


def nearest_in_time(
    asked: Asked, table: Table, conflict: Sequence[str]
) -> tuple[tuple[tuple[str, float, str], ...], bool]:
    """Do as `nearest_titled` where response times are limited, with as many of them computed as `MOST_QUEUES`.

    Returns
    -------
    found : tuple of (str, float, str)
        Limits, values that are enough, and the options that they admit.
    is_whole : bool
        Whether of each limit that was left out none is enough; False where that is not known.
    """
    if table.left_out is not None:
        return (), False
    chosen = chosen_of(asked, table)
    # Numbers of devices that are not listed may need less.
    is_whole = not is_open(asked, table)
    found = []
    for name in conflict:
        if name not in asked.constraints:
            continue
        if name in SIZING and not is_whole:
            # With a looser one other numbers of devices are listed.
            continue
        make = _least_time if name in RESPONSES else _first_in_time
        value, at, known = make(asked, table, chosen, name)
        is_whole &= known
        of, value, at = _nearer(asked, table, name, (value, at))
        if at is not None:
            found.append((name, value, _words.with_flow(of.title(at), of.scheme(at))))
    return tuple(found), is_whole


def with_other_numbers(
    asked: Asked,
    table: Table,
    conflict: Sequence[str],
    nearest: Iterable[tuple[str, float, str]],
) -> tuple[tuple[str, float, str], ...]:
    """Return what each limit of a conflict would have to be, alone: with numbers of devices that are not listed where less is enough.

    Parameters
    ----------
    asked : Asked
    table : Table
    conflict : sequence of str
        Names of limits that no option keeps together.
    nearest : iterable of (str, float, str)
        Limits, their values, and the options that they admit, of those that are listed.
    """
    found = {name: (value, title) for name, value, title in nearest}
    if is_open(asked, table):
        for name in conflict:
            if name not in asked.constraints or name in SIZING:
                continue
            listed = (found[name][0], 0) if name in found else (math.nan, None)
            of, value, at = _nearer(asked, table, name, listed)
            if of is not table and at is not None:
                found[name] = value, _words.with_flow(of.title(at), of.scheme(at))
    return tuple((name, *found[name]) for name in conflict if name in found)


def _nearer(
    asked: Asked, table: Table, name: str, listed: tuple[float, int | None]
) -> tuple[Table, float, int | None]:
    """Return the value of a limit that is enough with numbers of devices that are not listed, where that is nearer.

    Returns
    -------
    (Table, float, int or None)
        What would be bought with that value, in a table of it.
    """
    value, at = listed
    if not is_open(asked, table):
        return table, value, at
    if name in (*RESPONSES, RESTART):
        return _nearer_with_more(asked, table, name, listed)
    by: dict[str, Objective] = {
        "usd_per_month": "usd",
        "purchase_usd": "usd",
        IO_TIME: "io_time",
    }
    others = replace(asked.without(name), objective=by.get(name, asked.objective))
    more, own = best_of(others, table)
    if own is None:
        return table, value, at
    if name in by:
        found = float(values(more.options, name)[own])
    else:
        more, own, found = _smallest(others, table, name, (more, own))
    # At the same value it is bought with the fewest devices that are enough.
    sign = -1 if name in LEAST else 1
    is_near = at is None or sign * found <= sign * value * (1 + sign * ROUNDING)
    return (more, found, own) if is_near else (table, value, at)


def _nearer_with_more(
    asked: Asked, table: Table, name: str, listed: tuple[float, int | None]
) -> tuple[Table, float, int | None]:
    """Return the least value of a limit that more devices keep, and what would be bought with it."""
    value, at = listed
    least = least_of(asked, table, name)
    if least is not None and (at is None or least < value):
        value = least
    elif at is None:
        return table, value, at
    allowed = {**asked.constraints, name: Decimal(repr(value))}
    of, own = best_of(replace(asked, constraints=allowed), table)
    return (table, value, at) if own is None else (of, value, own)


def _smallest(
    asked: Asked, table: Table, name: str, known: tuple[Table, int]
) -> tuple[Table, int, float]:
    """Find the option that needs least of something, of the sizes that are listed: by halving, for with more others are kept.

    `known` is an option that keeps every other limit. Numbers of devices that hold the data change nothing of its value.
    """
    of, at = known
    sizes = np.unique(_value(table, name))
    sizes = sizes[np.isfinite(sizes)]
    own = float(_value(of, name)[at])
    few, enough = -1, int(np.searchsorted(sizes, own))
    while enough - few > 1:
        middle = (few + enough) // 2
        limits = {**asked.constraints, name: Decimal(repr(float(sizes[middle])))}
        found = best_of(replace(asked, constraints=limits), table)
        if found[1] is None:
            few = middle
        else:
            enough, of, at = middle, found[0], found[1]
    return of, at, float(_value(of, name)[at])


def _value(table: Table, name: str) -> FloatArray:
    return table.beside(name) if name in BESIDE else values(table.options, name)


def _least_time(
    asked: Asked, table: Table, chosen: Chosen, name: str
) -> tuple[float, int | None, bool]:
    """Return the least response time of an option that keeps every other limit, the option, and whether all were looked at."""
    others, place = asked.without(name), RESPONSES.index(name)
    bound = np.asarray(table.least_response[place])
    left = chosen.order[~too_slow(others, table, chosen.order)]
    # Of equal bounds the least busy first, where an access waits least.
    left = left[np.lexsort((table.options.peak_busy[left], bound[left]))]
    least, best, many = math.inf, None, 1
    before = table.responses.computed
    left = left[bound[left] < least]
    while len(left) and table.responses.computed - before < MOST_QUEUES:
        some, left = left[:many], left[many:]
        times = responses_of(table, chosen, some)
        keeps = in_time(others.response_limits, times)
        for at, value in zip(
            some[keeps].tolist(), times[place][keeps].tolist(), strict=True
        ):
            if value < least:
                least, best = value, at
        left = left[bound[left] < least]
        left = left[~no_faster(table, some, left)]
        many = min(2 * many, at_once(table, left))
    return least, best, not len(left)


def _first_in_time(
    asked: Asked, table: Table, chosen: Chosen, name: str
) -> tuple[float, int | None, bool]:
    """Return the value of a limit that is nearest and admits an option in time, the option, and whether that is known."""
    number = np.sum([limit.breaks for limit in chosen.limits], axis=0)
    [limit] = [each for each in chosen.limits if each.name == name]
    rows = choose.ordered(table.options, _broken_alone(limit, number), asked.objective)
    sign = -1 if name in LEAST else 1
    left = rows[np.argsort(sign * limit.value[rows], kind="stable")]
    left, many = left[~too_slow(asked, table, left)], 1
    before = table.responses.computed
    while len(left):
        if table.responses.computed - before >= MOST_QUEUES:
            return math.nan, None, False
        some, left = left[:many], left[many:]
        keeps = in_time(asked.response_limits, responses_of(table, chosen, some))
        if keeps.any():
            at = int(some[np.argmax(keeps)])
            return float(limit.value[at]), at, True
        left = left[~no_faster(table, some, left)]
        many = min(2 * many, at_once(table, left))
    return math.nan, None, True


def rejected(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    admitted: int | None = None,
    most: int = MOST_REJECTED,
    replayed: Collection[int] = (),
) -> list[Rejected]:
    """Return the best of each kind that breaks a limit, what there is always among them.

    Of a kind it is one of those that break fewest. For the least I/O time it is of these the nearest to what it breaks: the
    fastest of all is the dearest that is sold. Those that break fewest stand first, of these the nearest to what they break.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
    admitted : int, optional
        Option that its replay admits though it breaks a limit by the model: it is not rejected.
    most : int
        As many at most.
    replayed : collection of int
        Options that count by their replays in the limits of `chosen`, where a replay counts these.
    """
    options = table.options
    limits = [*chosen.limits, *response_limits(asked, table, chosen)]
    first = first_broken(limits, len(options))
    [rows] = np.nonzero(first >= 0)
    rows = rows[rows != admitted]
    if not len(rows):
        return []
    number = np.sum([limit.breaks[rows] for limit in limits], axis=0)
    # Limits that can be relaxed before those that cannot, few before many.
    fixed = np.sum(
        [limit.breaks[rows] & (not limit.is_stated) for limit in limits], axis=0
    )
    usd, time = options.month_cents[rows], options.io_us[rows]
    by_time = asked.objective == "io_time"
    first_by, second_by = (time, usd) if by_time else (usd.astype(np.float64), time)
    near = excess(limits, rows) if by_time else np.ones(len(rows))
    order = rows[np.lexsort((rows, second_by, first_by, near, number, fixed))]
    listed = choose.best_of_kinds(order, table.kind_codes)[:most].tolist()
    have = table.have_at
    if have is not None and have in rows and have not in listed:
        # What there is stands among them however many break fewer.
        listed[most - 1 :] = [have]
    table.prepare(listed)
    limits, without = exact_limits(asked, table, chosen, listed, limits)
    found = [
        _in_words(
            asked,
            table,
            chosen,
            at,
            limits,
            is_bound=at in without,
            is_replayed=at in replayed,
        )
        for at in listed
    ]
    return sorted(found, key=_distance)


def _in_words(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    at: int,
    limits: Sequence[Limit],
    *,
    is_bound: bool,
    is_replayed: bool,
) -> Rejected:
    """Say which limits an option breaks; `is_bound`: of its response times a bound is known alone."""
    evidence = asked.setting.curve.evidence
    broken = [broken_by(limit, at) for limit in limits if bool(limit.breaks[at])]
    head = broken[0]
    is_computed = at in chosen.responses
    found = table.option(at, with_response=is_computed, with_bill=_is_priced(table, at))
    if asked.limits_response and not is_computed:
        why = OF_FIRST if is_bound else table.why_no_response(at)
        found = replace(found, response_reason=why or found.response_reason)
    return _rejected(
        found,
        broken,
        _words.rejected_text(
            found,
            head.constraint,
            head.value,
            head.limit,
            table.lacking_price(at),
            by_bound=head.constraint in RESPONSES and is_bound,
            one_point=evidence is not None and evidence.kind == "one_point",
            step="" if evidence is None else _steps.beyond(asked.setting.curve),
            is_untold=not table.knows_life(at),
            by_replay=is_replayed and head.constraint in COUNTED,
            unrated=unrated_words(unrated(table, at))
            if head.constraint == TIMES
            else "",
        ),
    )


def _distance(row: Rejected) -> tuple[int, int, float]:
    """How far an option is from being admitted: limits that cannot be relaxed, limits, and the most by which it exceeds one.

    That is a share of the limit; of one that is a minimum it is the share of the value that is missing.
    """
    broken = [Broken(row.constraint, row.value, row.limit, row.relaxation), *row.also]
    return (
        sum(each.limit is None for each in broken),
        len(broken),
        max(map(_excess, broken)),
    )


def _excess(each: Broken) -> float:
    if each.value is None or each.limit is None:
        return math.inf
    high, low = each.value, each.limit
    if each.constraint in LEAST:
        high, low = low, high
    return high / low if low > 0 else math.inf


def by_replay(table: Table, at: int, limits: Sequence[Limit]) -> Rejected:
    """Say that an option which keeps every limit by the model breaks some by its replay.

    Parameters
    ----------
    table : Table
    at : int
        The option.
    limits : sequence of Limit
        That its replay shows to be broken, with the values that it shows.
    """
    broken = [broken_by(limit, at) for limit in limits]
    head = broken[0]
    found = table.option(at, with_response=False, with_bill=_is_priced(table, at))
    return _rejected(
        found,
        broken,
        _words.rejected_text(
            found,
            head.constraint,
            head.value,
            head.limit,
            by_replay=True,
            is_untold=not table.knows_life(at),
        ),
    )


def _is_priced(table: Table, at: int) -> bool:
    """Whether the rows of a bill add up to what an option costs: what lacks a price has neither."""
    return bool(table.options.unpriced[at] == 0)


def _rejected(found: Option, broken: Sequence[Broken], text: str) -> Rejected:
    """Return an option under the first limit that it breaks, the others behind it."""
    head, *others = broken
    return Rejected(
        found,
        head.constraint,
        head.value,
        head.limit,
        head.relaxation,
        tuple(others),
        text,
    )


def broken_by(limit: Limit, at: int) -> Broken:
    """Say by how much an option breaks a limit."""
    value = float(limit.value[at])
    by = relaxation(limit, at)
    return Broken(
        limit.name,
        value if math.isfinite(value) else None,
        None if limit.limit is None else float(limit.limit),
        None if by is None else float(by),
    )


def shadows(asked: Asked, table: Table, best: int) -> tuple[Shadow, ...]:
    """Say what the best option would be with each limit at its loosest, where that is better; the largest first."""
    options = table.options
    by_time = asked.objective == "io_time"
    own = _objective(options, best, by_time=by_time)
    found: list[tuple[float, Shadow]] = []
    for name in asked.constraints:
        # Without some limits fewer devices would do.
        other, at = asked_again(asked.at_its_loosest(name), table)
        if at is None:
            continue
        gain = own - _objective(other.options, at, by_time=by_time)
        if gain > 0:
            found.append(
                (
                    gain,
                    Shadow(
                        name,
                        Decimal(int(other.options.month_cents[at])) * CENT,
                        float(other.options.io_us[at]),
                        other.title(at),
                        other.without_machine(at),
                    ),
                )
            )
    return tuple(each for _, each in sorted(found, key=lambda two: -two[0]))


def _objective(options: Options, at: int, *, by_time: bool) -> float:
    return float(options.io_us[at]) if by_time else float(options.month_cents[at])
