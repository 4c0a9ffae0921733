"""What each limit would buy at every value of it, all other limits as asked."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked import (
    Replayed,
    as_replayed,
    tiers_as_replayed,
)
from tierwright.advise.advice._choice import (
    Chosen,
    at_once,
    chosen_of,
    front,
    no_faster,
    responses_of,
    too_slow,
)
from tierwright.advise.advice._numbers import broken, is_open, with_numbers_of
from tierwright.advise.advice._table import Setting, Table
from tierwright.advise.advice.found import Staircase, StaircaseStep
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.choose import in_time
from tierwright.evaluate.advice.limits import (
    BESIDE,
    CONSTRAINTS,
    LEAST,
    LIFE,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    ROUNDING,
    THROUGHPUT,
    values,
)
from tierwright.evaluate.advice.rows import SOURCES, IntArray
from tierwright.evaluate.advice.staircase import (
    descent,
    open_from,
    tightness,
    window,
)
from tierwright.evaluate.advice.tiers import MOST_DEVICES
from tierwright.evaluate.advice.whole_limits import UNITS as WHOLE
from tierwright.evaluate.bill import CENT

MOST_STEPS = 200
"""Steps of one staircase that an answer lists."""
MOST_QUEUES = 1_000
"""Response times that are computed for one staircase."""
MOST_LISTED = 100_000
"""Options with more devices that are listed for one staircase."""
_MORE = 4
_KINDS_AT_ONCE = 256
_MOST_SLOW = 32
"""Options that are too slow whose likes are looked for at a time."""
_BUYS_DEVICES = frozenset({PEAK_BUSY, LIFE, THROUGHPUT})
"""Limits that decide how many devices are bought by themselves."""
PRUNED = (
    "bounds left out options that could be the best at other values of this limit; state the value as a constraint and "
    "ask again"
)
NEEDS_FULL = "response times of many options are needed, which the full answer computes"
BOUGHT_FOR = (
    "it decides how many devices are bought, and with more of them the limits of {others} may be kept that fewer break; "
    "state the value as a constraint and ask again"
)
MOST_BUSY = 1.0
"""Largest busy share that can be asked. [1]"""
TOO_BUSY = (
    "every option that keeps the other limits is busier in the busiest hour than a device can be, or how busy it is "
    "is not known"
)
CARRIES = "how busy a device may be decides the throughput, which is limited too; state the value as a constraint and ask again"
UNKNOWN = "of no option that keeps the other limits this is known"
NOTHING = "no option keeps the other limits"
NO_CANDIDATE = "there is no candidate"
TOO_MANY = "more options could be the best than are computed for this; state the value as a constraint and ask again"


@dataclass(frozen=True, slots=True)
class _Stairs:
    """Steps from the loosest limit on: which options, of which table, how tight each is; and how far they are known.

    Attributes
    ----------
    at : list of tuple of (Table, int)
    tight : float64 array
        Of each step.
    tightest_known, loosest_known : float or None
        As tightness: beyond these another option may be the best; None where nothing is open.
    """

    at: list[tuple[Table, int]]
    tight: FloatArray
    tightest_known: float | None = None
    loosest_known: float | None = None


def staircases(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    tried: Sequence[Replayed] = (),
    *,
    with_responses: bool,
) -> tuple[Staircase, ...]:
    """Say of every constraint which option is the best at each value of it.

    Parameters
    ----------
    asked : Asked
    table : Table
        Its options.
    chosen : Chosen
        Those that keep every limit.
    tried : sequence of Replayed
        What was replayed: it counts by its replay, so that none is a step where that refutes it.
    with_responses : bool
        Whether response times are computed where they are needed.
    """
    shown = as_replayed(table, tried)
    if shown is not table:
        chosen = replace(chosen_of(asked, shown), responses=chosen.responses)
    found = _Finder(asked, shown, chosen, tried, with_responses=with_responses)
    of_restart = of_responses = others = found
    if with_responses:
        of_restart = found.with_larger_numbers((RESTART,))
        of_responses = found.with_larger_numbers(RESPONSES)
        if is_open(asked, shown):
            others = found.with_larger_numbers(())
    return tuple(
        (
            of_restart
            if name == RESTART
            else of_responses
            if name in RESPONSES
            else others
        ).staircase(name)
        for name in CONSTRAINTS
    )


class _Finder:
    def __init__(
        self,
        asked: Asked,
        table: Table,
        chosen: Chosen,
        tried: Sequence[Replayed],
        *,
        with_responses: bool,
    ) -> None:
        self._asked, self._table, self._tried = asked, table, tried
        self._tables: dict[tuple[float, ...], Table] = {}
        # What is computed here is no part of what was asked before.
        self._chosen = replace(chosen, responses=dict(chosen.responses))
        self._with_responses = with_responses
        limits = chosen.limits
        # Counts of limits that an option breaks: one that breaks a single stated one is looked at where that one moves.
        self._broken = np.zeros(len(table.options), dtype=np.int64)
        for limit in limits:
            self._broken += limit.breaks
        self._stated = {limit.name: limit for limit in limits if limit.is_stated}
        self._tiers = table.options.source == SOURCES.index("devices")

    def with_larger_numbers(self, names: Collection[str]) -> _Finder:
        """Return one whose devices are listed in larger numbers too, as asking with these limits, that more of them keep, lists them."""
        asked, table = self._asked, self._table
        if table.left_out is not None or not self._tiers.any():
            return self
        setting = replace(
            asked.setting,
            kept_by_more=asked.setting.kept_by_more | set(names),
            every_number=True,
        )
        again = replace(asked, setting=setting)
        more = with_numbers_of(table.remade(setting), table)
        more = as_replayed(more, self._tried)
        return _Finder(
            again,
            more,
            chosen_of(again, more),
            self._tried,
            with_responses=self._with_responses,
        )

    def staircase(self, name: str) -> Staircase:
        """Find the staircase of one constraint, or say why there is none."""
        limit = self._asked.constraints.get(name)
        stated = None if limit is None else float(limit)
        is_none = not len(self._table.options) and self._table.left_out is None
        found = NO_CANDIDATE if is_none else self._stairs(name)
        if isinstance(found, str):
            return Staircase(name, stated, (), None, None, found)
        return self._told(name, stated, found)

    def _stairs(self, name: str) -> _Stairs | str:
        asked, table = self._asked, self._table
        needs = name in RESPONSES or asked.limits_response
        if needs and not self._with_responses:
            return NEEDS_FULL
        if name == PEAK_BUSY and THROUGHPUT in asked.constraints:
            return CARRIES
        if table.left_out is not None:
            return self._of_front(name)
        expands = name in _BUYS_DEVICES and bool(self._tiers.any())
        if expands:
            others = [
                each for each in (RESTART, *RESPONSES) if each in asked.constraints
            ]
            if others:
                return BOUGHT_FOR.format(others=", ".join(others))
            return self._with_more_devices(name)
        order = self._order(name)
        found = (
            self._scanned(name, order) if needs else self._static(table, name, order)
        )
        if isinstance(found, str):
            return found
        return self._as_listed(name, found) if len(found.at) else self._empty(name)

    def _as_listed(self, name: str, found: _Stairs) -> _Stairs | str:
        """Leave out steps tighter than which a number of devices that is not listed could be better."""
        is_kept_by_more = name in (RESTART, *RESPONSES)
        if not self._tiers.any():
            return found
        if not is_kept_by_more and not is_open(self._asked, self._table):
            return found
        ends = self._beyond(name)
        if not len(ends.options):
            return found
        could = _tightest(ends, name)
        ends_keys = self._keys([(ends, at) for at in range(len(ends.options))])
        keys = self._keys(found.at)
        # The question itself was asked with the numbers that are not listed too.
        is_asked = (
            name not in self._asked.constraints or found.loosest_known is not None
        )
        looser = [found.loosest_known or math.inf, *found.tight.tolist()]
        for at in range(int(is_asked), len(found.at)):
            first, second = (each[at] for each in keys)
            better = (ends_keys[0] < first) | (
                (ends_keys[0] == first) & (ends_keys[1] < second)
            )
            if (better & (could < looser[at])).any():
                break
        else:
            at = len(found.at)
            if found.tightest_known is not None or not (could < looser[at]).any():
                return found
        if not at:
            return TOO_MANY
        return replace(
            found,
            at=found.at[:at],
            tight=found.tight[:at],
            tightest_known=looser[at],
        )

    def _beyond(self, name: str) -> Table:
        """Return devices by themselves with one more of them than is listed, as far as they could keep the limits but one."""
        table, others = self._table, self._asked.without(name)
        [at] = np.nonzero(self._tiers)
        order = at[
            np.lexsort((-table.options.store_devices[at], table.options.row[at]))
        ]
        _, first = np.unique(table.options.row[order], return_index=True)
        last = order[first]
        made = table.with_devices(last, table.options.store_devices[last] + 1)
        limits = [
            each
            for each in chosen_of(others, made).limits
            if each.name not in (name, RESTART)
        ]
        breaks = broken(limits, None, len(last)) | too_slow(
            others, made, np.arange(len(last))
        )
        keep = np.flatnonzero(~breaks)
        return made.with_devices(keep, made.options.store_devices[keep])

    def _empty(self, name: str) -> str:
        if not len(self._order(name)):
            return NOTHING
        return TOO_BUSY if name == PEAK_BUSY else UNKNOWN

    def _order(self, name: str) -> IntArray:
        """Options that keep every limit but, maybe, this one and those of response times, the best first."""
        limit, table = self._stated.get(name), self._table
        if limit is None:
            return self._chosen.order
        [rows] = np.nonzero(self._broken == limit.breaks)
        return choose.ordered(table.options, rows, self._asked.objective)

    def _static(self, table: Table, name: str, order: IntArray) -> _Stairs:
        tight = _tightness(table, name, order)
        at = np.flatnonzero(descent(tight))
        return _Stairs([(table, row) for row in order[at].tolist()], tight[at])

    def _of_front(self, name: str) -> _Stairs | str:
        """Of what bounds left out nothing is on the front: with less money, or less time, these alone can be the best."""
        asked, table = self._asked, self._table
        if name not in ("usd_per_month", "io_time_us_per_access"):
            return PRUNED
        rows = front(asked, table, self._chosen)
        found = self._static(
            table, name, choose.ordered(table.options, rows, asked.objective)
        )
        if not len(found.at):
            return PRUNED if name in asked.constraints else NOTHING
        limit = asked.constraints.get(name)
        return replace(found, loosest_known=None if limit is None else float(limit))

    def _scanned(self, name: str, order: IntArray) -> _Stairs | str:
        """Compute response times from the best option on; where that does not reach the limit that was asked, from there."""
        found = self._scan(name, order, math.inf)
        stated, limit = self._asked.constraints.get(name), self._stated_tight(name)
        if (
            stated is None
            or found.tightest_known is None
            or found.tightest_known <= limit
        ):
            return found if len(found.at) or found.tightest_known is None else TOO_MANY
        tighter = self._scan(name, order, math.nextafter(limit, math.inf))
        if len(tighter.at):
            return replace(tighter, loosest_known=limit)
        # Where nothing keeps the limit that was asked, the looser ones say how far it is to be relaxed.
        is_whole = tighter.tightest_known is None
        return found if is_whole and len(found.at) else TOO_MANY

    def _scan(self, name: str, order: IntArray, below: float) -> _Stairs:
        """Compute response times, the best options first, of those alone that could be tighter than all before."""
        table, chosen = self._table, self._chosen
        others = self._asked.without(name)
        place = RESPONSES.index(name) if name in RESPONSES else None
        bound = (
            np.asarray(table.least_response[place])
            if place is not None
            else _tightness(table, name, np.arange(len(table.options)))
        )
        least, before = below, table.responses.computed
        steps: list[int] = []
        tight: list[float] = []
        left, many = order[~too_slow(others, table, order)], 1
        left = left[bound[left] < least]
        while len(left) and table.responses.computed - before < MOST_QUEUES:
            some, left = left[:many], left[many:]
            times = responses_of(table, chosen, some)
            keeps = in_time(others.response_limits, times)
            value = bound[some] if place is None else times[place]
            for row, one in zip(
                some[keeps].tolist(), value[keeps].tolist(), strict=True
            ):
                if one < least:
                    least = one
                    steps.append(row)
                    tight.append(one)
            left = left[bound[left] < least]
            # What is no faster than one that was computed is no step where response times are, or as slow.
            slow = some if place is not None else some[~keeps]
            if self._tighter(name, tight) > MOST_STEPS // 2:
                break
            _, of_kinds = np.unique(table.kind_codes[slow], return_index=True)
            left = left[~no_faster(table, slow[np.sort(of_kinds)[:_MOST_SLOW]], left)]
            many = min(2 * many, at_once(table, left))
        return _Stairs(
            [(table, row) for row in steps],
            np.asarray(tight),
            tightest_known=least if len(left) else None,
        )

    def _with_more_devices(self, name: str) -> _Stairs | str:
        """Staircase of a limit that decides how many devices hold the data: each number of them is an option.

        Every kind of options is listed with one more device at a time as far as it could be the best
        (`evaluate.advice.staircase.open_from`).
        """
        asked = self._asked
        fewest_of = replace(asked.setting, have=None)
        if name == PEAK_BUSY:
            fewest_of = replace(fewest_of, most_busy=MOST_BUSY)
        elif name == THROUGHPUT:
            fewest_of = replace(fewest_of, least_throughput_per_s=0.0)
        else:
            fewest_of = replace(fewest_of, least_life_years=0.0)
        fewest = self._fewest(fewest_of)
        order = self._order(name)
        fixed = self._static(self._table, name, order[~self._tiers[order]])
        grown = _Grown(asked.without(name), fewest, name)
        while True:
            steps, tight = self._merged(fixed, grown)
            if not len(steps):
                return self._empty(name)
            keys = self._keys(steps)
            known = grown.known((keys, tight), asked.objective)
            enough = self._tighter(name, tight[tight >= known]) > MOST_STEPS // 2
            if not math.isfinite(known) or enough or grown.is_full:
                break
            grown.grow()
        keep = tight >= known
        if not keep.any() or known > self._stated_tight(name):
            return TOO_MANY
        return _Stairs(
            [step for step, kept in zip(steps, keep.tolist(), strict=True) if kept],
            tight[keep],
            tightest_known=known if math.isfinite(known) else None,
        )

    def _fewest(self, setting: Setting) -> Table:
        """Return devices by themselves in the fewest numbers that keep the load and the life; one table for limits that ask alike."""
        asked = (
            setting.most_busy,
            setting.least_throughput_per_s,
            setting.least_life_years,
        )
        if asked not in self._tables:
            self._tables[asked] = tiers_as_replayed(
                Table(setting, (None, self._table.shelf)), self._table, self._tried
            )
        return self._tables[asked]

    def _tighter(self, name: str, tight: Sequence[float] | FloatArray) -> int:
        """How many steps are tighter than the limit that was asked; all where none was."""
        return int(np.count_nonzero(np.asarray(tight) < self._stated_tight(name)))

    def _stated_tight(self, name: str) -> float:
        """Return the limit that was asked, as tightness; without end where none was."""
        limit = self._asked.constraints.get(name)
        return math.inf if limit is None else float(limit) * _sign(name)

    def _keys(self, steps: Sequence[tuple[Table, int]]) -> list[FloatArray]:
        """Return what is to be least of some options, then what decides among equals."""
        cents = np.asarray(
            [float(table.options.month_cents[at]) for table, at in steps]
        )
        io_us = np.asarray([_io_us(table, at) for table, at in steps])
        return [io_us, cents] if self._asked.objective == "io_time" else [cents, io_us]

    def _merged(
        self, fixed: _Stairs, grown: _Grown
    ) -> tuple[list[tuple[Table, int]], FloatArray]:
        """Put the steps of options whose devices are given and of those that get more together."""
        table, rows = grown.table, grown.ordered(self._asked.objective)
        tight = grown.tight[rows]
        own = np.flatnonzero(descent(tight))
        steps = [*fixed.at, *((table, row) for row in rows[own].tolist())]
        every = np.concatenate((fixed.tight, tight[own]))
        # As the table lists them: what is sold whole, devices, what there is.
        [first] = np.flatnonzero(self._tiers)[:1]
        place = [
            at if of is self._table else first + int(of.options.row[at])
            for of, at in steps
        ]
        order = np.lexsort((np.asarray(place), *reversed(self._keys(steps))))
        order = order[descent(every[order])]
        return [steps[at] for at in order.tolist()], every[order]

    def _told(self, name: str, stated: float | None, found: _Stairs) -> Staircase:
        """Describe the steps, from the tightest limit on: at most `MOST_STEPS`, around the limit that was asked."""
        sign = _sign(name)
        found = _apart(name, found)
        steps_in_all = len(found.at)
        asked_at = (
            steps_in_all - self._tighter(name, found.tight) if stated is not None else 0
        )
        first, last = window(asked_at, steps_in_all, MOST_STEPS)
        # Where a step is not listed, the staircase is known as far as its neighbour.
        tightest = (
            float(found.tight[last - 1])
            if last < steps_in_all
            else found.tightest_known
        )
        if tightest == 0 and sign > 0:
            tightest = None  # No largest value is below 0.
        loosest = float(found.tight[first]) if first else found.loosest_known
        steps = [
            _step(table, row, _stated_as(name, sign * tight))
            for (table, row), tight in zip(
                found.at[first:last], found.tight[first:last].tolist(), strict=True
            )
        ]
        return Staircase(
            name,
            stated,
            tuple(reversed(steps)),
            None if tightest is None else sign * tightest,
            None if loosest is None else sign * loosest,
            "",
        )


def _tightest(table: Table, name: str) -> FloatArray:
    """Return down to which tightness options could keep a limit, with any number of devices."""
    if name in RESPONSES:
        return np.asarray(table.least_response[RESPONSES.index(name)])
    if name == RESTART:
        return np.zeros(len(table.options))
    return _tightness(table, name, np.arange(len(table.options)))


def _sign(name: str) -> int:
    """Of a limit as tightness, which is the smaller the tighter."""
    return -1 if name in LEAST else 1


def _apart(name: str, found: _Stairs) -> _Stairs:
    """Leave out steps that are tighter than the one before by rounding alone."""
    keep: list[int] = []
    near = 0.0 if name in WHOLE else ROUNDING
    for at, tight in enumerate(found.tight.tolist()):
        before = found.tight[keep[-1]] if keep else math.inf
        if not math.isfinite(before) or tight < before - near * abs(before):
            keep.append(at)
    return replace(found, at=[found.at[at] for at in keep], tight=found.tight[keep])


def _stated_as(name: str, value: float) -> float | None:
    """Return the tightest limit that can be stated and that a value keeps; None where it keeps any."""
    if name == PEAK_BUSY:
        # No device is allowed to be busy for none of the time, nor for more than all of it.
        return min(value, MOST_BUSY) if value > 0 else None
    return value if math.isfinite(value) else None


def _step(table: Table, at: int, value: float | None) -> StaircaseStep:
    return StaircaseStep(
        value,
        table.title(at),
        table.scheme(at),
        Decimal(int(table.options.month_cents[at])) * CENT,
        _io_us(table, at),
    )


def _io_us(table: Table, at: int) -> float:
    """I/O time of one option, without a sum over all. [µs]"""
    return float(table.options.store_us[at] + table.options.flash_us[at])


def _value(table: Table, name: str, rows: IntArray) -> FloatArray:
    """Return what a constraint limits, of some options; NaN where it is unknown."""
    if name in BESIDE:
        return table.beside(name, rows)
    return values(table.options, name)[rows]


def _tightness(table: Table, name: str, rows: IntArray) -> FloatArray:
    value = _value(table, name, rows)
    if name == PEAK_BUSY:
        # No limit above it can be asked.
        value = np.where(value <= MOST_BUSY * (1 + ROUNDING), value, np.nan)
    return tightness(name, value)


class _Grown:
    """Options of devices bought by themselves, each kind with as many devices as were listed so far."""

    def __init__(self, others: Asked, fewest: Table, name: str) -> None:
        self._others, self._fewest, self._name = others, fewest, name
        self._first = fewest.options.store_devices
        self._last = self._first.copy()
        self._open = np.ones(len(self._first), dtype=np.bool_)
        self._ahead = np.full(len(self._first), np.inf)
        self._listed()

    @property
    def is_full(self) -> bool:
        """Whether as many are listed as may be."""
        return len(self.table.options) >= MOST_LISTED

    def _listed(self) -> None:
        """List every kind with every number of devices so far, and hold the other limits in them."""
        fewest, number = self._fewest, self._last - self._first + 1
        kind = np.repeat(np.arange(len(number)), number)
        before = np.concatenate(([0], np.cumsum(number)[:-1]))
        devices = self._first[kind] + np.arange(len(kind)) - before[kind]
        self.table = copy.copy(fewest)
        self.table.options = fewest.tier_rows.with_devices(
            fewest.options, kind, devices, fewest.setting.served.peak
        )
        chosen = chosen_of(self._others, self.table)
        self._keep = np.zeros(len(kind), dtype=np.bool_)
        self._keep[chosen.order] = True
        self.tight = _tightness(self.table, self._name, np.arange(len(kind)))
        self._ends = before + number - 1
        # With more devices it costs more and is no slower: what is out stays out, and what they no longer change is all.
        options, ends = self.table.options, self._ends
        one_more = copy.copy(self.table)
        one_more.options = self.table.tier_rows.with_devices(
            options,
            ends,
            np.minimum(options.store_devices[ends] + 1, MOST_DEVICES),
            fewest.setting.served.peak,
        )
        every = np.arange(len(ends))
        next_tight = tightness(self._name, _value(one_more, self._name, every))
        self._open = self._keep[ends] & (next_tight < self.tight[ends])

    def ordered(self, objective: choose.Objective) -> IntArray:
        """Options that keep the other limits, the best first."""
        [rows] = np.nonzero(self._keep)
        return choose.ordered(self.table.options, rows, objective)

    def known(
        self, steps: tuple[list[FloatArray], FloatArray], objective: choose.Objective
    ) -> float:
        """Say down to which tightness the steps are those of all options; without end where nothing is open."""
        [of] = np.nonzero(self._open)
        options, ends = self.table.options, self._ends[of]
        keys = [options.month_cents[ends].astype(np.float64), options.io_us[ends]]
        if objective == "io_time":
            keys.reverse()
        self._ahead = np.full(len(self._open), -np.inf)
        self._ahead[of] = open_from(steps, (keys, self.tight[ends]))
        return float(np.max(self._ahead, initial=-np.inf))

    def grow(self) -> None:
        """List more devices of the kinds that stand in the way most."""
        [of] = np.nonzero(self._open)
        most = of[np.argsort(-self._ahead[of], kind="stable")[:_KINDS_AT_ONCE]]
        listed = self._last[most] - self._first[most] + 1
        self._last[most] = np.minimum(
            self._last[most] + np.maximum(_MORE, listed), MOST_DEVICES
        )
        self._listed()
