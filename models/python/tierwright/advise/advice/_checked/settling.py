"""Which option replays leave best: finalists first, then whatever could still be better, until nothing could."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked.limits import as_shown, breaks, broken
from tierwright.advise.advice._checked.replays import Replayed
from tierwright.advise.advice._checked.wear import bands
from tierwright.advise.advice._table import Table
from tierwright.evaluate.advice.choose import ordered
from tierwright.evaluate.advice.limits import (
    IO_TIME,
    LIFE,
    PEAK_BUSY,
    THROUGHPUT,
    Bools,
)
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.page_flow.decision import TIE_TOLERANCE

MOST_FINALISTS = 5
OF_LOAD = (PEAK_BUSY, THROUGHPUT, IO_TIME)
"""Limits that an option with less RAM keeps no better."""
MOST_ROUNDS = 3
"""Further replays, where one leaves options that could be better."""
MOST_MORE = 16
"""Choices of sizes of each of them, and of what is too busy by less than the error of the model."""
MOST_MORE_DEVICES = 2.0
"""How many times as many devices as the model asks for may hold the data because a replay shows them busier. [1]"""


def devices_more(
    asked: Asked, table: Table, tried: Sequence[Replayed], by_model: int | None
) -> float | None:
    """Return by what factor more devices have to hold the data for the choice of the model to keep its load by its replay.

    None where it keeps it, breaks another limit, or has no more than a number of devices that is sold with it; and where
    as many as are needed would be no answer but another question: more than `MOST_MORE_DEVICES` times as many.
    """
    own = next((each for each in tried if each.at == by_model), None)
    if own is None or by_model is None or table.source(by_model) != "devices":
        return None
    names = broken(asked, own)
    if not names or IO_TIME in names:
        return None
    setting = asked.setting
    scarce = own.peak_busy / setting.busy_for_throughput
    if LIFE in names:
        if table.options.flash_devices[by_model]:
            return None  # more of what holds the data would not spare the flash that caches
        least = setting.steady_life(setting.least_life_years)
        scarce = max(scarce, least / setting.steady_life(own.life_years))
    more = scarce * setting.devices_more
    return more if setting.devices_more < more <= MOST_MORE_DEVICES else None


def refuted_by_more_ram(
    asked: Asked, table: Table, tried: Sequence[Replayed]
) -> frozenset[int]:
    """Options that no replay times and that have no more RAM than one that breaks a limit of its load by its replay.

    With less RAM before the same devices and flash a page flow misses no less often: it is no faster and its devices are
    no less busy.
    """
    options, kinds = table.options, table.hardware_codes
    same = (
        kinds,
        options.scheme,
        options.machines,
        options.store_devices,
        options.flash_devices,
        options.flash_pages,
    )
    too_busy = [
        each.at
        for each in tried
        if each.is_timed and {*broken(asked, each)} & {*OF_LOAD}
    ]
    return frozenset(
        each.at
        for each in tried
        if not each.is_timed
        and any(
            options.ram_pages[each.at] <= options.ram_pages[other]
            and all(column[each.at] == column[other] for column in same)
            for other in too_busy
        )
    )


def decided(
    asked: Asked,
    month_cents: IntArray,
    tried: Sequence[Replayed],
    near: frozenset[int] = frozenset(),
    refuted: frozenset[int] = frozenset(),
) -> int | None:
    """Return the option that the replays leave best: the first that keeps its limits, or the fastest.

    Of those that cost as much it is the fastest, and of those that are as fast the cheapest. For the least I/O time see
    `_fastest`.

    Parameters
    ----------
    asked : Asked
    month_cents : int array
        Cost of every option. [0.01 USD/month]
    tried : sequence of Replayed
        In the order of the objective.
    near : frozenset of int
        Of these, those that break a limit by the model: only a replay that shows their time admits them.
    refuted : frozenset of int
        Of these, those that the replay of another one refutes, see `refuted_by_more_ram`.

    Returns
    -------
    int or None
        None where none keeps its limits.
    """
    keeps = [
        each
        for each in tried
        if not breaks(asked, each)
        and each.at not in refuted
        and not (each.at in near and not each.is_timed)
    ]
    if not keeps:
        return None
    if asked.objective == "io_time":
        return _fastest(month_cents, keeps).at
    shown = [each for each in keeps if not each.reason]
    by_model = next((each for each in tried if each.at not in near), None)
    is_refuted = by_model is not None and breaks(asked, by_model)
    # Where a replay refutes the model, what the model alone speaks for comes after what a replay does.
    first = shown[0] if is_refuted and shown else keeps[0]
    if first.reason:
        return first.at
    alike = [each for each in shown if month_cents[each.at] == month_cents[first.at]]
    least_us = min(each.known_us for each in alike) * (1 + TIE_TOLERANCE)
    return next(each for each in alike if each.known_us <= least_us).at


def _fastest(month_cents: IntArray, keeps: Sequence[Replayed]) -> Replayed:
    """Return the fastest of those whose time a replay shows, unless one that no replay times is better by the model.

    Parameters
    ----------
    month_cents : int array
        Cost of every option. [0.01 USD/month]
    keeps : sequence of Replayed
        Those that keep every limit; at least one.
    """
    timed = [each for each in keeps if each.is_timed]
    if not timed:
        return _first_of_equals(month_cents, keeps)
    shown = _first_of_equals(month_cents, timed)
    better = [
        each
        for each in keeps
        if not each.is_timed and _is_better_by_model(month_cents, each, shown)
    ]
    return _first_of_equals(month_cents, better) if better else shown


def _is_better_by_model(month_cents: IntArray, each: Replayed, shown: Replayed) -> bool:
    """Whether an option that no replay times is better than what a replay shows.

    It is where it costs less and is no slower by the model, which is asked about both: a model that is too fast of one is
    too fast of the other. Else, what was not replayed has to be faster by more than
    the model may be off: within that, nothing is known to be. What was replayed and is not full in it has kept
    its limits there, and the model ranks it; it has to be faster by the model than the other is by both.
    """
    time_us = shown.simulated_us
    is_no_slower = each.model_us <= shown.model_us * (1 + TIE_TOLERANCE)
    if is_no_slower and month_cents[each.at] < month_cents[shown.at]:
        return True
    if each.reason:
        return each.model_us * (1 + each.band) < time_us
    alike = abs(each.model_us - shown.model_us) <= shown.model_us * TIE_TOLERANCE
    return each.model_us < time_us and not alike


def _first_of_equals(month_cents: IntArray, some: Sequence[Replayed]) -> Replayed:
    """Return the fastest by what is known of each, and of those that are as fast the cheapest."""
    least_us = min(each.known_us for each in some) * (1 + TIE_TOLERANCE)
    fastest = [each for each in some if each.known_us <= least_us]
    return min(fastest, key=lambda each: int(month_cents[each.at]))


@dataclass(frozen=True, slots=True)
class Settled:
    """What was replayed until nothing that was not could be better.

    Attributes
    ----------
    tried : list of Replayed
        In the order of the objective.
    best : int or None
        Option that is left best; None where none keeps its limits.
    near : frozenset of int
        Of the options, those that break a limit by the model.
    finalists : frozenset of int
        Of the options, those that were replayed first.
    beyond : int
        Options besides that were replayed, of fewer devices than the model asks for.
    """

    tried: list[Replayed]
    best: int | None
    near: frozenset[int] = frozenset()
    finalists: frozenset[int] = frozenset()
    beyond: int = 0

    @property
    def listed(self) -> list[Replayed]:
        """What is shown: the finalists, the best, and what was replayed beyond them and keeps its limits by the model."""
        return [
            each
            for each in self.tried
            if each.at == self.best
            or each.at in self.finalists
            or not (each.reason or each.at in self.near)
        ]

    @property
    def is_replayed(self) -> bool:
        """Whether the best was replayed."""
        return any(each.at == self.best and not each.reason for each in self.tried)

    @property
    def near_replayed(self) -> int:
        """How many that break a limit by the model were replayed and are not listed, those of fewer devices among them."""
        listed = {each.at for each in self.listed}
        near = sum(
            each.at in self.near and each.at not in listed and not each.reason
            for each in self.tried
        )
        return near + self.beyond

    def is_tied(self, asked: Asked, month_cents: IntArray) -> bool:
        """Whether another that keeps its limits by its replay equals the best in the objective."""
        own = next((each for each in self.tried if each.at == self.best), None)
        if own is None or not own.is_timed:
            return False
        others = [
            each
            for each in self.tried
            if each.at != own.at and each.is_timed and not breaks(asked, each)
        ]
        if asked.objective == "io_time":
            most_us = own.simulated_us * (1 + TIE_TOLERANCE)
            return any(each.simulated_us <= most_us for each in others)
        cents = month_cents[own.at]
        return any(month_cents[each.at] == cents for each in others)

    def refuted_near(self, asked: Asked) -> list[Replayed]:
        """Return what the model rules out by less than its error, and its replay does, too."""
        return [
            each
            for each in self.tried
            if each.at in self.near and each.is_timed and breaks(asked, each)
        ]

    def by_replay_alone(self) -> Replayed | None:
        """Return the best where the model would not admit it; None where it does."""
        if self.best is None or self.best not in self.near:
            return None
        return next(each for each in self.tried if each.at == self.best)


def settled(
    asked: Asked,
    table: Table,
    order: IntArray,
    finalists: Sequence[int],
    replay_of: Callable[[Sequence[int]], list[Replayed]],
    near: IntArray | None = None,
) -> Settled:
    """Replay finalists, then what could still be better than the one they leave, until nothing could.

    Parameters
    ----------
    order : int array
        Options that keep every limit by the model, the best first.
    finalists : sequence of int
        Of these, in their order.
    replay_of : callable
        Replays options.
    near : int array, optional
        Options that break a limit by the model, by less than its error; the best first.
    """
    of_near = np.empty(0, dtype=np.int64) if near is None else near
    admits = frozenset(of_near.tolist())
    whole = np.concatenate((order, of_near))
    by_objective = ordered(table.options, whole, asked.objective) if admits else order
    place = {int(at): rank for rank, at in enumerate(by_objective.tolist())}

    def replayed_of(rows: Sequence[int]) -> list[Replayed]:
        return [as_shown(asked, table, each) for each in replay_of(rows)]

    def best_of(tried: Sequence[Replayed]) -> int | None:
        refuted = refuted_by_more_ram(asked, table, tried)
        return decided(asked, table.options.month_cents, tried, admits, refuted)

    def with_more(tried: list[Replayed], rows: Sequence[int]) -> list[Replayed]:
        return sorted(
            [*tried, *replayed_of(rows)],
            key=lambda each: place.get(each.at, len(place)),
        )

    tried = replayed_of(finalists) if len(finalists) else []
    best = best_of(tried)
    # Where none keeps its limits, what costs more is replayed too.
    for _ in range(MOST_ROUNDS):
        known = {each.at for each in tried}
        more = [
            at
            for rows in (order, of_near)
            for at in _could_be_better(asked, table, rows, tried, best, known)
        ]
        if not more:
            break
        tried = with_more(tried, more)
        best = best_of(tried)
    shown = list(finalists)
    # What was close is listed by its hardware: where a replay refutes one size of it, the next is replayed as that was.
    for _ in range(MOST_ROUNDS):
        more = (
            [] if best is None else _in_their_place(asked, table, order, shown, tried)
        )
        if not more:
            break
        shown += more
        tried = with_more(tried, more)
        best = best_of(tried)
    return Settled(
        tried,
        best,
        admits & {each.at for each in tried},
        frozenset(shown),
    )


def _in_their_place(
    asked: Asked,
    table: Table,
    order: IntArray,
    finalists: Sequence[int],
    tried: Sequence[Replayed],
) -> list[int]:
    """Options that were not replayed and are the next best of the hardware of finalists that break a limit by their replays."""
    kinds = table.hardware_codes
    unfit = [each.at for each in tried if breaks(asked, each)]
    left = order[~np.isin(order, unfit)]
    known = {each.at for each in tried}
    refuted = dict.fromkeys(int(kinds[at]) for at in finalists if at in unfit)
    of_kinds = (left[kinds[left] == kind][:1].tolist() for kind in refuted)
    return [at for some in of_kinds for at in some if at not in known]


def _could_be_better(
    asked: Asked,
    table: Table,
    order: IntArray,
    tried: Sequence[Replayed],
    best: int | None,
    known: set[int],
) -> list[int]:
    """Options that were not replayed and could be better than the best, of so many sizes."""
    options = table.options
    time_us = next((each.known_us for each in tried if each.at == best), math.inf)
    found: list[int] = []
    sizes: set[tuple[float, float, int]] = set()
    for at in better(asked, table, order, best, time_us).tolist():
        if at in known:
            continue
        size = (
            float(options.ram_pages[at]),
            float(options.flash_pages[at]),
            int(options.scheme[at]),
        )
        if size not in sizes and len(sizes) == MOST_MORE:
            break
        sizes.add(size)
        found.append(at)
    return found


def better(
    asked: Asked, table: Table, order: IntArray, best: int | None, time_us: float
) -> IntArray:
    """Return the options that could be better than the best: cheaper, or within their error faster at no higher cost.

    Parameters
    ----------
    asked : Asked
    table : Table
    order : int array
        Options.
    best : int or None
        All are better than none.
    time_us : float
        I/O time of an access of the best. [µs]
    """
    options = table.options
    if best is None:
        return order
    cents = options.month_cents[order]
    is_faster: Bools = options.io_us[order] / (1 + bands(table, order)) < time_us
    if asked.objective == "io_time":
        could = is_faster
    else:
        is_equal = cents == options.month_cents[best]
        could = (cents < options.month_cents[best]) | (is_equal & is_faster)
    return np.asarray(order[could], dtype=np.int64)
