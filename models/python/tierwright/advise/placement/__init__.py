"""Several workloads on shared systems: which of them share one, what each system is, and what all cost.

Every group of workloads is asked as one question of `tierwright.advise.advice`: the composed curve of one shared cache,
or of a part of the RAM for each, the sum of their data and rates. A set-partitioning problem then chooses groups and
systems.
Source: Denning and Schwartz (1972) for the shared cache; Stone, Turek and Wolf (1992) for the parts; Garfinkel and Nemhauser
(1969) for set partitioning; HiGHS (Huangfu and Hall, 2018) for its linear relaxation.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.advice import _endurance, _notes, _outlasting
from tierwright.advise.advice._asked import versions
from tierwright.advise.advice._when import too_small_early
from tierwright.advise.advice.found import Option
from tierwright.advise.advice.request import Candidates
from tierwright.advise.configurations import DATA_ON_LOCAL_DISKS
from tierwright.advise.placement import _words
from tierwright.advise.placement._groups import (
    TOTALS,
    Asking,
    Group,
    Objective,
    OnGroup,
    Run,
    at_ends,
    has_parts,
    identity,
    peak_of,
    without_write_backs,
)
from tierwright.advise.placement._short import about_shared
from tierwright.advise.placement._words import choice_of, places
from tierwright.advise.placement.found import (
    TIME,
    Held,
    Placement,
    Sharing,
    System,
    left_out,
)
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN
from tierwright.common.answer import Step
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution, Effect, Weigh, anywhere
from tierwright.common.currency import money
from tierwright.common.errors import Problems
from tierwright.common.wording import listed, sentences
from tierwright.evaluate.advice.cover import Cover, Systems, least_cover
from tierwright.evaluate.advice.limits import LIFE, PEAK_BUSY, ROUNDING, values
from tierwright.evaluate.advice.whole_limits import UNITS, most_units
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.compose.partitions import partition
from tierwright.evaluate.compose.shared import shared_cache
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.several import Workload, check_workloads

__all__ = ["Held", "Objective", "Placement", "Sharing", "System", "answer"]

MOST_WORKLOADS = 8
"""Workloads that are placed at once: 255 groups, each with all its options."""
MOST_ALTERNATIVES = 4
OBJECTIVES = ("usd", "io_time")
_SYSTEMS, _GOAL = "systems", "goal"
"""Amounts that are limited beside those of `TOTALS`, to look for fewer machines."""
_VERSION = "8"
"""Of the choice among groups: changes where an answer does."""


def answer(
    workloads: Sequence[Workload],
    *,
    candidates: Candidates | None = None,
    constraints: Mapping[str, Any] | None = None,
    objective: Objective = "usd",
    prices: PriceBook | None = None,
    horizon_months: int = DEFAULT_HORIZON_MONTHS,
    flash: Device | None = None,
    disk: Device | None = None,
    on_progress: OnGroup | None = None,
) -> Placement:
    """Say which of several workloads share a system, and what each system is.

    Parameters
    ----------
    workloads : sequence of Workload
        From 1 to `MOST_WORKLOADS`, of one page size, each with its rate; scaled to one machine of production and one
        copy, if scaled at all.
    candidates, prices, horizon_months, flash, disk
        As for `tierwright.advise.advice.answer`.
    constraints : mapping, optional
        As there; those of `TOTALS` hold for all systems together, the others for each.
    objective : str
        `usd`, or `io_time`: the mean over all accesses.
    on_progress : callable, optional
        Called with groups done and groups in all; returns whether to go on.

    Raises
    ------
    BadInput
        If there are too many workloads, they cannot be composed, one was scaled to several machines or copies, or an
        input is out of range.
    Cancelled
        If progress asked to stop.
    """
    _check(workloads, objective)
    running = [replace(each, curve=each.curve.steady()) for each in workloads]
    asking = Asking(
        candidates or Candidates(),
        constraints or {},
        objective,
        prices,
        horizon_months,
        (flash, disk),
    )
    unknown = without_write_backs(running)
    known: dict[tuple[str, ...], Placement] = {}

    def placed(some: Sequence[Workload], report: OnGroup | None = None) -> Placement:
        """Place workloads; the same curves once."""
        key = tuple(map(identity, some))
        if key not in known:
            known[key] = _placed(some, list(asking.groups(some, report)), objective)
        return known[key]

    if not unknown:
        found = placed(running, on_progress)
    else:
        first, second = _in_two(on_progress)
        found = placed(running, first)
        few, many = at_ends(running)
        clean = placed(few, second)
        # What keeps every limit with as many dirty pages as possible is what was chosen.
        known[tuple(map(identity, many))] = found
        found = replace(
            found,
            finding=f"{found.finding} {_words.about_dirty(found, clean, unknown)}",
        )
    return replace(found, weigh=_weigher(running, found, placed))


def _in_two(on_progress: OnGroup | None) -> tuple[OnGroup | None, OnGroup | None]:
    """Report two passes over the groups as one."""
    if on_progress is None:
        return None, None
    return (
        lambda done, total: on_progress(done, 2 * total),
        lambda done, total: on_progress(total + done, 2 * total),
    )


def _weigher(
    workloads: Sequence[Workload],
    found: Placement,
    placed: Callable[[Sequence[Workload]], Placement],
) -> Weigh:
    """Return what answers again at the other ends of what is not known of the curves; each kind of caution once."""
    known: dict[str, Effect] = {}
    nothing = Device("none", "none", "nvme")

    def at_ends(workload: Workload, name: str) -> list[tuple[str, Workload]]:
        """Both ends of one workload that has this caution; none of another."""
        curve = workload.curve
        # What holds all of the data is known; a page less is not.
        cautions = [*about_curve(curve, curve.knots[-2:], [0.0])]
        if curve.write_backs_at is None:
            cautions.append(DIRTY_SHARE_UNKNOWN)
        for caution in cautions:
            if caution.name == name:
                found = other_ends(caution, Situation(curve, nothing, nothing))
                return [
                    (end.when, replace(workload, curve=end.situation.curve))
                    for end in found[:2]
                ]
        return []

    def ends_of(name: str) -> list[tuple[str, list[Workload]]]:
        """Both ends of all workloads that have this caution, the others as they are."""
        each = [at_ends(workload, name) for workload in workloads]
        ends = max((len(found) for found in each), default=0)
        return [
            (
                next(found[at][0] for found in each if len(found) > at),
                [
                    found[at][1] if len(found) > at else workload
                    for found, workload in zip(each, workloads, strict=True)
                ],
            )
            for at in range(ends)
        ]

    def weigh(caution: Caution) -> Effect:
        if caution.name not in known:
            known[caution.name] = _effect(found, caution, ends_of(caution.name), placed)
        return known[caution.name]

    return weigh


def _effect(
    found: Placement,
    caution: Caution,
    ends: Sequence[tuple[str, list[Workload]]],
    placed: Callable[[Sequence[Workload]], Placement],
) -> Effect:
    """Say what would be chosen at the ends of a caution, and what it would cost."""
    if not ends or found.usd_per_month is None:
        return anywhere(caution)
    said, changed, size = [], False, 0.0
    for when, some in ends:
        other = placed(some)
        if other.usd_per_month is None:
            said.append(f"if {when}: no choice keeps every limit")
            changed, size = True, math.inf
            continue
        same = choice_of(other) == choice_of(found)
        what = "the choice stays" if same else places(other.systems)
        but = _words.of_systems(other.systems, found.systems)
        said.append(
            f"if {when}: {what}, at {money(other.usd_per_month)} per month{but}"
        )
        changed |= not same
        own = max(found.usd_per_month, CENT)
        size = max(size, float(abs(other.usd_per_month - found.usd_per_month) / own))
    return Effect("; ".join(said), changed, size)


def _check(workloads: Sequence[Workload], objective: str) -> None:
    check_workloads(workloads)
    problems = Problems("placement", "state what is bought for")
    problems.check(
        objective in OBJECTIVES,
        "objective",
        objective,
        f"is not one of {', '.join(OBJECTIVES)}",
    )
    problems.check(
        len(workloads) <= MOST_WORKLOADS,
        "workloads",
        len(workloads),
        f"must be at most {MOST_WORKLOADS}: put some on one machine first (`tierwright compose`)",
    )
    problems.raise_if_any()
    problems.hint = "scale the workload to one machine and one copy: how many machines carry it is chosen here"
    for each in workloads:
        scaled = each.curve.scaled
        for name in ("machines", "replicas"):
            count = 1 if scaled is None else getattr(scaled.production, name)
            problems.check(count == 1, f"{each.name}.{name}", count, "must be 1")
    problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class _Choices:
    """Systems that could be bought: each an option of a group in one way to run its cache.

    Attributes
    ----------
    groups : sequence of Group
    rows : tuple of (int, Run, int)
        Index of the group, the way, and the row of its options.
    problem : Systems
        The same as the solver takes them.
    limits : mapping of str to float
        On all systems together.
    """

    groups: Sequence[Group]
    rows: tuple[tuple[int, Run, int], ...]
    problem: Systems
    limits: Mapping[str, float]

    @classmethod
    def of(cls, groups: Sequence[Group], but: frozenset[str] = frozenset()) -> _Choices:
        """List what could be bought, held against all limits on all systems together but these."""
        if but:
            groups = [group.without(but) for group in groups]
        asked = groups[0].shared.asked
        limits = {
            # Half a cent, or half a byte, is more than sums differ by their order, and less than any choice is above.
            name: (most_units(name, value) + 0.5) / UNITS[name]
            for name, value in asked.constraints.items()
            if name in TOTALS
        }
        rows = tuple(
            (at, run, int(row))
            for at, group in enumerate(groups)
            for run in group.runs
            for row in run.rows
        )

        def column(name: str) -> FloatArray:
            return np.asarray(
                [float(values(run.table.options, name)[row]) for _, run, row in rows],
                dtype=np.float64,
            )

        rates = np.asarray([groups[at].rate for at, _, _ in rows])
        time, usd = (
            column(TIME) * rates / max(1.0, rates.max(initial=0.0)),
            column("usd_per_month"),
        )
        cost, second = (time, usd) if asked.objective == "io_time" else (usd, time)
        problem = Systems(
            np.asarray([at for at, _, _ in rows], dtype=np.int64),
            tuple(group.members for group in groups),
            cost,
            {name: column(name) for name in TOTALS},
            second,
        )
        return cls(groups, rows, problem, limits)

    def best(self, but: Sequence[frozenset[int]] = ()) -> Cover | None:
        """Choose the best systems; no way to share of these."""
        return least_cover(self.problem, self.limits, but=but)

    def best_of(self, is_wanted: Callable[[Group, Run], bool]) -> Cover | None:
        """Choose the best of some of the systems alone."""
        some = [
            at
            for at, (group, run, _) in enumerate(self.rows)
            if is_wanted(self.groups[group], run)
        ]
        part = self.problem.some(np.asarray(some, dtype=np.int64))
        found = least_cover(part, self.limits)
        if found is None:
            return None
        return replace(found, systems=tuple(some[at] for at in found.systems))

    def least(self, name: str) -> float | None:
        """Return the least sum of an amount within the limits; None where nothing keeps them."""
        found = least_cover(
            replace(self.problem, cost=self.problem.amounts[name], second=None),
            self.limits,
        )
        return None if found is None else found.cost

    def has_fewer_machines(self, best: Cover) -> bool:
        """Whether fewer systems than the best choice need fewer of the machines that are in no price.

        Of the least I/O time only where they are as fast: money decides nothing else.
        """
        lacks = np.asarray(
            [
                run.table.options.machines[row] if run.table.without_machine(row) else 0
                for _, run, row in self.rows
            ],
            dtype=np.float64,
        )
        own = float(lacks[list(best.systems)].sum())
        if not own or len(best.systems) == 1:
            return False
        limits = {**self.limits, _SYSTEMS: len(best.systems) - 1.0}
        amounts = {**self.problem.amounts, _SYSTEMS: np.ones(len(lacks))}
        if self.groups[0].shared.asked.objective == "io_time":
            amounts[_GOAL] = self.problem.cost
            limits[_GOAL] = best.cost * (1 + ROUNDING)
        found = least_cover(
            replace(self.problem, cost=lacks, amounts=amounts, second=None), limits
        )
        return found is not None and float(lacks[list(found.systems)].sum()) < own

    def groups_of(self, found: Cover) -> frozenset[int]:
        """Return the groups of a choice."""
        return frozenset(self.rows[at][0] for at in found.systems)


def _placed(
    workloads: Sequence[Workload], groups: Sequence[Group], objective: Objective
) -> Placement:
    choices = _Choices.of(groups)
    best = choices.best()
    rate = math.fsum(each.accesses_per_s for each in workloads)

    def sharing(found: Cover | None) -> Sharing | None:
        if found is None:
            return None
        chosen = [choices.rows[at] for at in found.systems]
        cents = sum(int(run.table.options.month_cents[row]) for _, run, row in chosen)
        both = [(groups[at].rate, run.table.io_us_ends(row)) for at, run, row in chosen]
        low, high = (
            math.fsum(per_s * ends[end] for per_s, ends in both) / rate
            for end in (0, 1)
        )
        return Sharing(
            tuple(
                tuple(workloads[each].name for each in groups[at].members)
                for at, _, _ in chosen
            ),
            tuple(run.in_parts for _, run, _ in chosen),
            Decimal(cents) * CENT,
            high if low == high else None,
            {} if low == high else {TIME: (low, high)},
            left_out(
                (int(run.table.options.machines[row]), run.table.without_machine(row))
                for _, run, row in chosen
            ),
        )

    others: list[Sharing] = []
    seen: list[frozenset[int]] = []
    found = best
    while found is not None and len(others) < MOST_ALTERNATIVES:
        seen.append(choices.groups_of(found))
        found = choices.best(seen)
        other = sharing(found)
        if other is not None:
            others.append(other)
    chosen = () if best is None else tuple(choices.rows[at] for at in best.systems)
    systems = tuple(_system(workloads, groups[at], run, row) for at, run, row in chosen)
    separate = sharing(choices.best_of(lambda group, _: len(group.members) == 1))
    together = sharing(
        choices.best_of(lambda group, _: len(group.members) == len(workloads))
    )
    mine = sharing(best)
    without_parts = None
    if any(run.in_parts for _, run, _ in chosen):
        without_parts = sharing(choices.best_of(lambda _, run: not run.in_parts))
    alone = why = None
    totals = _Totals()
    if best is None:
        # Where it is for the limits on all systems together, no workload by itself is the reason.
        some = [group.without(frozenset(TOTALS)) for group in groups]
        alone = _alone(workloads, some)
        if alone is None:
            totals = _totals(groups)
        else:
            why = alone.why_not(workloads[alone.members[0]].name)
    asked = groups[0].shared.asked
    if mine is not None:
        finding = sentences(
            _words.finding(systems, mine, separate, together, without_parts, objective),
            _words.too_small(systems),
            *_on_local_disks(workloads, groups, chosen),
        )
    elif alone is not None and why is not None:
        name = workloads[alone.members[0]].name
        finding = f"No option carries {name}, alone or beside others. {why.text}"
    else:
        finding = _words.infeasible(
            asked.constraints,
            totals.conflict,
            totals.least,
            is_enough=totals.is_enough,
            dirty=bool(without_write_backs(workloads)),
        )
    return Placement(
        finding=finding,
        warnings=tuple(
            _cautions(
                workloads,
                groups,
                chosen,
                other_systems=None
                if len(workloads) == 1
                else best is not None and choices.has_fewer_machines(best),
            )
        ),
        explain=lambda: _steps(chosen),
        placement_id=_placement_id(groups, objective),
        objective=objective,
        constraints={name: str(value) for name, value in asked.constraints.items()},
        systems=systems,
        usd_per_month=None if mine is None else mine.usd_per_month,
        purchase_usd=None
        if mine is None
        else sum(
            (each.option.purchase_usd or Decimal(0) for each in systems), Decimal(0)
        ),
        io_time_us_per_access=None if mine is None else mine.io_time_us_per_access,
        ranges={} if mine is None else mine.ranges,
        separate=separate,
        together=together,
        without_parts=without_parts,
        alternatives=tuple(others),
        optimality_gap=None if best is None else best.gap,
        groups=len(groups),
        evaluated=sum(_evaluated(run) for group in groups for run in group.runs),
        conflict=totals.conflict if why is None else why.names,
        least_totals=totals.least,
        nearest={} if why is None else {name: value for name, value, _ in why.nearest},
        horizon_months=asked.setting.horizon_months,
        versions={**versions(asked), "placement": _VERSION},
    )


def _evaluated(run: Run) -> int:
    """Count the options of a way to run a cache: parts are of RAM that no flash cache stands below."""
    options = run.table.options
    return int((options.flash_pages == 0).sum()) if run.in_parts else len(options)


def _alone(workloads: Sequence[Workload], groups: Sequence[Group]) -> Group | None:
    """Find the first workload that no group with an option has, as the group of itself."""
    for at in range(len(workloads)):
        if not any(at in group.members and group.has_rows for group in groups):
            [alone] = [group for group in groups if group.members == (at,)]
            return alone
    return None


@dataclass(frozen=True, slots=True)
class _Totals:
    """Which limits stand in the way, where some on all systems together do.

    Attributes
    ----------
    conflict : tuple of str
        Limits that cannot be kept together, of which each is needed.
    least : dict of str to float
        What each of `TOTALS` among them would have to be at least, all other limits as asked; where these conflict
        besides, those of the conflict alone. Where several cannot be kept each by itself, the least of each of these.
    is_enough : bool
        Whether one of the conflict can be relaxed so far that every limit is kept.
    """

    conflict: tuple[str, ...] = ()
    least: dict[str, float] = field(default_factory=dict)
    is_enough: bool = True


def _totals(groups: Sequence[Group]) -> _Totals:
    """Say which limits stand in the way, where without those on all systems together some choice carries every workload.

    Deletion filter (Chinneck and Dravnieks, 1991): what can be left out without making a choice possible is left out.
    """
    constraints = groups[0].shared.asked.constraints
    stated = [name for name in TOTALS if name in constraints]

    def only(names: Iterable[str]) -> _Choices:
        return _Choices.of(groups, frozenset(constraints) - set(names))

    never = [name for name in stated if only([name]).best() is None]
    if len(never) > 1:
        free = only([])
        least = {name: free.least(name) for name in never}
        return _Totals((never[0],), _known(least))
    each_system = [name for name in constraints if name not in TOTALS]
    kept = never or [*stated, *each_system]
    # As in an advice: what nobody stated goes last.
    for name in sorted(kept, key=lambda name: name == PEAK_BUSY):
        fewer = [each for each in kept if each != name]
        if only(fewer).best() is None:
            kept = fewer
    least, is_enough = {}, False
    for name in kept:
        # Beside this conflict there may be another, which leaves nothing either.
        relaxed = _Choices.of(groups, frozenset({name}))
        beside = only([each for each in kept if each != name])
        is_enough |= relaxed.best() is not None
        if name in TOTALS:
            value = relaxed.least(name)
            least[name] = beside.least(name) if value is None else value
    return _Totals(tuple(kept), _known(least), is_enough)


def _known(values_by_name: Mapping[str, float | None]) -> dict[str, float]:
    return {name: each for name, each in values_by_name.items() if each is not None}


def _system(workloads: Sequence[Workload], group: Group, run: Run, row: int) -> System:
    some = [workloads[at] for at in group.members]
    setting = run.asked.setting
    held, parts_save = _held(some, run, row)
    option = run.table.option(row)
    if len(some) > 1:
        # Other questions are of one workload, and no one of them misses what all of them do.
        option = replace(option, point=None)
    return System(
        held,
        option,
        group.rate,
        setting.rates.peak or 0.0,
        setting.data_bytes,
        run.in_parts,
        parts_save,
        _of_growth(some, option)
        if len(some) > 1
        else too_small_early(setting, run.table, option, row),
    )


def _of_growth(some: Sequence[Workload], option: Option) -> str:
    """Say what growth leaves open of a system that several workloads share; empty where none of them grows."""
    least = option.ends(LIFE)[0]
    return sentences(
        _words.not_known_when(some),
        "" if least is None else _words.least_life(some),
    )


def _held(
    some: Sequence[Workload], run: Run, row: int
) -> tuple[tuple[Held, ...], float | None]:
    """Return what each workload holds of the RAM, and the share of the misses that parts would save."""
    options, page = run.table.options, run.asked.setting.curve.page_bytes
    pages = float(options.ram_pages[row])

    def hits(misses_per_s: FloatArray) -> list[float]:
        return [
            max(0.0, 1 - float(missed) / each.accesses_per_s)
            for missed, each in zip(misses_per_s, some, strict=True)
        ]

    could_split = pages >= 1 and options.flash_pages[row] == 0 and has_parts(some)
    split = partition(some, int(pages)) if could_split else None
    if run.in_parts:
        assert split is not None
        size, share = split.pages * page, hits(split.misses_per_s)
        return tuple(
            Held(
                each.name,
                each.accesses_per_s,
                peak_of(each),
                float(size[at]),
                share[at],
            )
            for at, each in enumerate(some)
        ), None
    if pages > 0:
        shared = shared_cache(some, [pages])
        held, missed = shared.held_pages[:, 0], shared.misses_per_s[:, 0]
    else:
        held = np.zeros(len(some))
        missed = np.asarray([each.accesses_per_s for each in some])
    own = hits(missed)
    part = [None] * len(some) if split is None else hits(split.misses_per_s)
    total = float(missed.sum())
    saved = None
    if split is not None:
        saved = 1 - float(split.misses_per_s.sum()) / total if total > 0 else 0.0
    return tuple(
        Held(
            each.name,
            each.accesses_per_s,
            peak_of(each),
            float(held[at]) * page,
            own[at],
            None if split is None else float(split.pages[at]) * page,
            part[at],
        )
        for at, each in enumerate(some)
    ), saved


def _cautions(
    workloads: Sequence[Workload],
    groups: Sequence[Group],
    chosen: Sequence[tuple[int, Run, int]],
    *,
    other_systems: bool | None,
) -> Iterator[Caution]:
    """Cautions of the systems that were chosen, those of one workload alone with its name.

    `other_systems` is whether fewer systems need fewer machines of those that are in no price; None of one workload.
    """
    seen = set()
    unknown = without_write_backs(workloads)
    if unknown:
        whose = "" if len(unknown) == len(workloads) else f"{listed(unknown)}: "
        yield replace(
            DIRTY_SHARE_UNKNOWN, message=f"{whose}{DIRTY_SHARE_UNKNOWN.message}"
        )
    for at, run, row in chosen:
        members = groups[at].members
        sizes = run.table.options.rows(np.asarray([row]))
        of_curve = {
            each.message
            for each in about_curve(
                run.asked.setting.curve, sizes.ram_pages, sizes.flash_pages
            )
        }
        weak = _outlasting.weaknesses(run.asked, run.table, row, None)
        if len(members) > 1:
            yield from about_shared([workloads[one] for one in members], run, row)
        for each in (
            *_notes.about_answer(
                run.asked,
                run.table,
                row,
                weak,
                is_alone=False,
                other_systems=other_systems,
            ),
            *_endurance.assumed_of(run.asked, run.table, row, None),
        ):
            if len(members) == 1 and each.message in of_curve:
                name = workloads[members[0]].name
                each = replace(each, message=f"{name}: {each.message}")
            if each.message not in seen:
                seen.add(each.message)
                yield each


def _on_local_disks(
    workloads: Sequence[Workload],
    groups: Sequence[Group],
    chosen: Sequence[tuple[int, Run, int]],
) -> Iterator[str]:
    """Say of which workloads the only copy of the data, or the newest of changed pages, is on local disks of an instance."""
    names: dict[str, list[str]] = {}
    for at, run, row in chosen:
        for each in _outlasting.losing_data(run.asked, run.table, row):
            if each.what:
                names.setdefault(each.caution.name, []).extend(
                    workloads[member].name for member in groups[at].members
                )
    for name, alone in (
        (DATA_ON_LOCAL_DISKS.name, "only copy of the data"),
        (_outlasting.CHANGED_ON_LOCAL_FLASH.name, "newest version of changed pages"),
    ):
        if name in names:
            yield (
                f"The {alone} of {listed(names[name])} is on local disks, which lose it when the instance stops or its host "
                "fails."
            )


def _steps(chosen: Sequence[tuple[int, Run, int]]) -> Iterator[Step]:
    for _, run, row in chosen:
        yield from _notes.steps(run.table.option(row))


def _placement_id(groups: Sequence[Group], objective: str) -> str:
    singles = [group for group in groups if len(group.members) == 1]
    ids = [group.shared.asked.advice_id for group in singles]
    rates = [group.shared.asked.setting.rates.both for group in groups]
    text = json.dumps([_VERSION, ids, rates, objective])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
