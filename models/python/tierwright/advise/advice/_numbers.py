"""How many devices bought by themselves keep limits that more of them keep and fewer break.

A list of numbers has gaps and an end. What lies between, and beyond, is found by halving: with more devices an access
waits no longer, a cache is warm no later, and the option costs more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import (
    chosen_of,
    first_kept,
    no_faster,
    too_slow,
)
from tierwright.advise.advice._table import Table
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.choose import ordered
from tierwright.evaluate.advice.limits import (
    LOAD,
    MONEY,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    Bools,
    Limit,
)
from tierwright.evaluate.advice.rows import SOURCES, IntArray, Options, joined
from tierwright.evaluate.advice.tiers import MOST_DEVICES

MOST_FILLED = 100_000
"""Options that are listed for what a limit costs, between the numbers that are listed anyway and the largest."""
MOST_KINDS = 1_000
"""Kinds of devices by themselves of which each has its fewest that are enough where response times are limited."""
MOST_QUEUES = 20_000
"""Response times that are computed, of more kinds, to find numbers of devices that are not listed and better than all that are."""
KINDS_AT_ONCE = 64
NEAR = 0.01
"""Share by which a limit is relaxed further than any number of devices needs, where money does not end that number."""


def broken(limits: Sequence[Limit], kept: Collection[str] | None, many: int) -> Bools:
    """Which options break some of the limits.

    Parameters
    ----------
    limits : sequence of Limit
    kept : collection of str or None
        Names of those that count; None for all. Of the busy share alone the load counts that a device can carry.
    many : int
        Options.
    """
    found = np.zeros(many, dtype=np.bool_)
    for limit in limits:
        name = limit.name
        if kept is not None:
            if name == PEAK_BUSY and PEAK_BUSY not in kept:
                name = LOAD
            if name not in kept:
                continue
        found |= limit.breaks
    return found


def with_enough(asked: Asked, table: Table) -> Table:
    """Return a table with numbers of devices that are better than all that are listed, behind its options.

    Where the restart is limited and response times are not, with the fewest of each option that are enough.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.

    Returns
    -------
    Table
        The same where none is better, or no limit of response times or of the restart is asked.
    """
    return best_of(asked, table)[0] if is_open(asked, table) else table


def some_are_enough(asked: Asked, table: Table, kept: Collection[str]) -> bool:
    """Whether some numbers of devices that are not listed keep limits which none that is listed keeps.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    kept : collection of str
        Names of these limits.
    """
    limits = asked.constraints.items()
    asked = replace(
        asked, constraints={name: at for name, at in limits if name in kept}
    )
    return is_open(asked, table) and bool(
        _Search(asked, table, kept, None, None).found()
    )


def best_of(
    asked: Asked, table: Table, after: Callable[[Table], Table] | None = None
) -> tuple[Table, int | None]:
    """Return the table of `with_enough`, and the best of its options that keeps every limit; None where none does.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    after : callable, optional
        What happened to the options of the table, to be done to a table of others too.
    """
    chosen = chosen_of(asked, table)
    best = first_kept(asked, table, chosen, chosen.order)
    if not is_open(asked, table):
        return table, best
    found = _Search(asked, table, None, best, after).found()
    if not found:
        return table, best
    more = table.with_options(joined([table.options, *found]))
    new = np.arange(len(table.options), len(more.options))
    some = new if best is None else np.append(new, best)
    return more, int(ordered(more.options, some, asked.objective)[0])


def least_of(asked: Asked, table: Table, name: str) -> float | None:
    """Find the least value of a limit that more devices keep, of what keeps every other limit.

    Each kind has the most devices that the limits of money allow: what an access waits, and how long RAM takes to be warm,
    is least with these. Where money sets no end, ever more devices gain ever less: a value a little above the least is enough.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    name : str
        Of `RESPONSES`, or the restart.

    Returns
    -------
    float or None
        None where nothing keeps the others.
    """
    if not is_open(asked, table):
        return None
    search = _Search(asked.without(name), table, None, None, None)
    made = search.largest()
    if made is None:
        return None
    every = np.arange(len(made.options))
    of = (
        made.beside(name)
        if name == RESTART
        else made.peak_responses(every)[RESPONSES.index(name)]
    )
    if not np.isfinite(of).any():
        return None
    is_limited = any(each in asked.constraints for each in MONEY)
    return float(np.nanmin(of)) * (1.0 if is_limited else 1.0 + NEAR)


def with_numbers_of(table: Table, other: Table) -> Table:
    """Return a table that lists each number of devices up to the largest of another of the same options, as far as `MOST_FILLED` goes.

    Parameters
    ----------
    table : Table
    other : Table
        Which lists more devices of some options.
    """
    devices = SOURCES.index("devices")
    [own] = np.nonzero(table.options.source == devices)
    [others] = np.nonzero(other.options.source == devices)
    if not len(own):
        return table
    most = np.zeros(int(table.options.row[own].max()) + 1, dtype=np.int64)
    np.maximum.at(most, table.options.row[own], table.options.store_devices[own])
    row, number = other.options.row[others], other.options.store_devices[others]
    beyond = others[number > most[row]]
    if not len(beyond):
        return table
    # Of each option the largest number, which all below it lead up to.
    order = beyond[
        np.lexsort((-other.options.store_devices[beyond], other.options.row[beyond]))
    ]
    _, first = np.unique(other.options.row[order], return_index=True)
    largest = order[first]
    lacking = other.options.store_devices[largest] - most[other.options.row[largest]]
    if lacking.sum() > MOST_FILLED:
        return table.with_options(joined([table.options, other.options.rows(beyond)]))
    of = np.repeat(largest, lacking)
    above = np.arange(len(of)) - np.repeat(np.cumsum(lacking) - lacking, lacking) + 1
    made = other.with_devices(of, most[other.options.row[of]] + above).options
    return table.with_options(joined([table.options, made]))


def is_open(asked: Asked, table: Table) -> bool:
    """Whether numbers of devices that are not listed may be better."""
    return (
        bool(asked.setting.kept_by_more)
        and any(name in asked.constraints for name in (RESTART, *RESPONSES))
        and table.left_out is None
        and bool((table.options.source == SOURCES.index("devices")).any())
    )


@dataclass(slots=True)
class _Kinds:
    """Options that differ in their numbers of devices: of each the fewest, and the most that could be better than the best.

    Attributes
    ----------
    rows : int array
        Of each kind its option with the fewest devices.
    known : int array
        The most devices, up to `most`, that are listed: so many and fewer break a limit.
    most : int array
    """

    rows: IntArray
    known: IntArray
    most: IntArray

    def of(self, some: Bools | IntArray) -> _Kinds:
        return _Kinds(self.rows[some], self.known[some], self.most[some])


class _Search:
    def __init__(
        self,
        asked: Asked,
        table: Table,
        kept: Collection[str] | None,
        best: int | None,
        after: Callable[[Table], Table] | None,
    ) -> None:
        self._asked, self._table, self._kept = asked, table, kept
        self._after = after
        [self._at] = np.nonzero(table.options.source == SOURCES.index("devices"))
        self._by_time = asked.objective == "io_time"
        self._best = (
            (math.inf, math.inf)
            if best is None
            else tuple(each[best] for each in self._keys(table.options))
        )

    def _made(self, rows: IntArray, devices: IntArray) -> Table:
        """Make a table of kinds with other numbers of devices."""
        made = self._table.with_devices(rows, devices)
        return made if self._after is None else self._after(made)

    def _keys(self, options: Options) -> tuple[FloatArray, FloatArray]:
        """Return what is to be least, then what decides among equals."""
        cents = options.month_cents.astype(np.float64)
        return (options.io_us, cents) if self._by_time else (cents, options.io_us)

    def _is_better(self, options: Options) -> Bools:
        first, second = self._keys(options)
        best, next_best = self._best
        return np.asarray((first < best) | ((first == best) & (second < next_best)))

    def found(self) -> list[Options]:
        """Return each option with the fewest devices that are enough; where these are many, those that are better than the best."""
        if not self._asked.limits_response or len(self._able()) <= MOST_KINDS:
            return self._enough()
        kinds = self._open()
        every = np.arange(len(kinds.rows))
        if not len(every):
            return []
        trial = self._made(kinds.rows, kinds.most)
        could = self._warm(trial, every) & ~too_slow(self._asked, trial, every)
        return self._in_turn(kinds, trial, could)

    def _enough(self) -> list[Options]:
        """Return each option with the fewest devices that are enough, where that number is not listed."""
        options, rows = self._table.options, self._able()
        few = options.store_devices[rows]
        rows = rows[self._is_allowed(rows, few)]
        few = options.store_devices[rows]
        most = self._most(self._is_allowed, rows)
        late = ~self._is_enough(self._made(rows, few))
        late &= self._is_enough(self._made(rows, most))
        if not late.any():
            return []
        made = self._fewest(_Kinds(rows[late], few[late], most[late]))
        stride = MOST_DEVICES + 2
        listed = options.row[self._at] * stride + options.store_devices[self._at]
        new = ~np.isin(made.row * stride + made.store_devices, listed)
        return [made.rows(np.flatnonzero(new))] if new.any() else []

    def largest(self) -> Table | None:
        """Make a table of each kind with the most devices that money allows, of those that keep the other limits so; None of none."""
        rows = self._able()
        rows = rows[self._is_allowed(rows, self._table.options.store_devices[rows])]
        if not len(rows):
            return None
        made = self._made(rows, self._most(self._is_allowed, rows))
        [kept] = np.nonzero(self._is_enough(made))
        return made.with_options(made.options.rows(kept)) if len(kept) else None

    def _in_turn(self, kinds: _Kinds, trial: Table, could: Bools) -> list[Options]:
        """Compute response times of the kinds that could be better, the best first, as far as `MOST_QUEUES` go."""
        found: list[Options] = []
        # One more than is known not to be enough is the least that it may cost.
        least = self._made(kinds.rows, kinds.known + 1).options
        first = self._fastest(kinds.rows)
        before = self._table.responses.computed
        while self._table.responses.computed - before < MOST_QUEUES:
            could &= self._is_better(least)
            some = first[could[first]][:KINDS_AT_ONCE]
            if not len(some):
                some = np.flatnonzero(could)[:KINDS_AT_ONCE]
            if not len(some):
                break
            keeps = self._in_time(trial, some)
            could[some] = False
            [rest] = np.nonzero(could)
            could[rest] = ~no_faster(trial, some[~keeps], rest)
            if keeps.any():
                found += self._best_of(kinds.of(some[keeps]))
        return found

    def _best_of(self, kinds: _Kinds) -> Iterator[Options]:
        """Yield the best of some kinds of which the most devices are enough, where it is better than the best so far."""
        made = self._fewest(kinds)
        first, second = self._keys(made)
        best = made.rows(np.lexsort((second, first))[:1])
        if self._is_better(best)[0]:
            first, second = self._keys(best)
            self._best = float(first[0]), float(second[0])
            yield best

    def _able(self) -> IntArray:
        """Return the option of each kind with the fewest devices, of those that keep the limits if nothing waits."""
        options, at = self._table.options, self._at
        _, first = np.unique(options.row[at], return_index=True)
        rows = at[first]
        able = np.ones(len(rows), dtype=np.bool_)
        for limit, bound in zip(
            self._asked.response_limits, self._table.least_response, strict=True
        ):
            if limit is not None:
                able &= bound[rows] <= limit
        return rows[able]

    def _open(self) -> _Kinds:
        """Return the kinds that a number which is not listed could make better than the best, the best first."""
        options, rows = self._table.options, self._able()
        order = np.lexsort(tuple(each[rows] for each in self._keys(options))[::-1])
        return self._bounded(rows[order])

    def _fastest(self, rows: IntArray) -> IntArray:
        """Return the option of each kind of devices that reads least: where the most of these are too slow, others are."""
        options, kinds = self._table.options, self._table.kind_codes[rows]
        order = np.lexsort((options.io_us[rows], kinds))
        _, first = np.unique(kinds[order], return_index=True)
        return order[first]

    def _bounded(self, rows: IntArray) -> _Kinds:
        """Find the most devices of each kind that could be better than the best; kinds of which none are not listed are left out."""
        rows = rows[self._could_be(rows, self._table.options.store_devices[rows])]
        most = self._most(self._could_be, rows)
        known = self._most_listed(rows, most)
        return _Kinds(rows, known, most).of(most > known)

    def _most(
        self, could: Callable[[IntArray, IntArray], Bools], rows: IntArray
    ) -> IntArray:
        """Return the most devices of kinds with which they still could be chosen, as they could with the fewest."""
        low = self._table.options.store_devices[rows].copy()
        high = np.full(len(rows), MOST_DEVICES, dtype=np.int64)
        high = np.where(could(rows, high), MOST_DEVICES + 1, high)
        while len(rows) and (high - low).max() > 1:
            middle = np.where(high - low > 1, (low + high) // 2, low)
            kept = could(rows, middle)
            low, high = np.where(kept, middle, low), np.where(kept, high, middle)
        return low

    def _could_be(self, rows: IntArray, devices: IntArray) -> Bools:
        """Whether kinds with so many devices are better than the best, and keep what more devices do not help to keep."""
        made = self._made(rows, devices)
        return self._is_better(made.options) & self._keeps_others(made)

    def _is_allowed(self, rows: IntArray, devices: IntArray) -> Bools:
        """Whether kinds with so many devices keep what more devices do not help to keep."""
        return self._keeps_others(self._made(rows, devices))

    def _keeps_others(self, made: Table) -> Bools:
        limits = chosen_of(self._asked, made).limits
        others = [each for each in limits if each.name != RESTART]
        return ~broken(others, self._kept, len(made.options))

    def _most_listed(self, rows: IntArray, most: IntArray) -> IntArray:
        """Return the largest number of devices of each kind that is listed, of those up to the most."""
        options = self._table.options
        if not len(rows):
            return rows
        kind = np.full(int(options.row[self._at].max()) + 1, -1, dtype=np.int64)
        kind[options.row[rows]] = np.arange(len(rows))
        of = kind[options.row[self._at]]
        number = options.store_devices[self._at]
        listed = (of >= 0) & (number <= most[of])
        found = options.store_devices[rows].copy()
        np.maximum.at(found, of[listed], number[listed])
        return found

    def _warm(self, made: Table, rows: IntArray) -> Bools:
        """Whether options keep the limit of the restart."""
        limits = chosen_of(self._asked, made).limits
        return ~broken(
            [each for each in limits if each.name == RESTART], None, len(made.options)
        )[rows]

    def _in_time(self, made: Table, rows: IntArray) -> Bools:
        """Whether options keep the limits of response times."""
        if not self._asked.limits_response:
            return np.ones(len(rows), dtype=np.bool_)
        keeps = ~too_slow(self._asked, made, rows)
        [left] = np.nonzero(keeps)
        keeps[left] = made.keep_in_time(rows[left], self._asked.response_limits)
        return keeps

    def _is_enough(self, made: Table) -> Bools:
        """Whether options are warm in time and their accesses take no longer than is allowed."""
        every = np.arange(len(made.options))
        keeps = self._warm(made, every)
        keeps[keeps] = self._in_time(made, every[keeps])
        return keeps

    def _fewest(self, kinds: _Kinds) -> Options:
        """Return kinds with the fewest devices that are enough, where the most are: found by halving."""
        few, enough = kinds.known.copy(), kinds.most.copy()
        while (enough - few).max() > 1:
            middle = np.where(enough - few > 1, (few + enough) // 2, enough)
            [left] = np.nonzero(middle < enough)
            made = self._made(kinds.rows[left], middle[left])
            keeps = self._is_enough(made)
            enough[left[keeps]] = middle[left[keeps]]
            few[left[~keeps]] = middle[left[~keeps]]
        return self._made(kinds.rows, enough).options
