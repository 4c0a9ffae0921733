"""Several workloads on shared systems: which of them share one, what each system is, and what all cost.

Every group of workloads is asked as one question of `tierwright.advise.advice`: the composed curve of one shared cache,
the sum of their data and rates. A set-partitioning problem then chooses groups and systems.
Source: Denning and Schwartz (1972) for the shared cache; set partitioning by HiGHS (Huangfu and Hall, 2018).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from tierwright.advise.advice import _choice, _notes, _outlasting, _why_not, _words
from tierwright.advise.advice._asked import Asked, asked_of, versions
from tierwright.advise.advice._table import Rates, Table
from tierwright.advise.advice.found import Option
from tierwright.advise.advice.request import Candidates
from tierwright.advise.configurations import data_bytes_of
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.cautions import LOSES_DATA, Caution, Effect, Weigh, anywhere
from tierwright.common.core_errors import Cancelled
from tierwright.common.currency import money
from tierwright.common.errors import Problems
from tierwright.common.units import format_microseconds
from tierwright.common.wording import between, counted, listed, percent, sentences
from tierwright.evaluate.advice.cover import (
    Cover,
    Systems,
    least_cover,
    subsets,
    undominated,
)
from tierwright.evaluate.advice.limits import conflict, values
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.compose.composed import composed_profile
from tierwright.evaluate.compose.shared import shared_cache
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright.profile.several import Workload, check_workloads

MOST_WORKLOADS = 8
"""Workloads that are placed at once: 255 groups, each with all its options."""
MOST_ALTERNATIVES = 4
TOTALS = ("machines", "ram_bytes", "flash_bytes", "usd_per_month", "purchase_usd")
"""Constraints on all systems together; the others hold for each."""
OBJECTIVES = ("usd", "io_time")
ESTIMATOR = (
    "every group of workloads as one shared cache with every option of the candidates; set partitioning by branch and "
    "bound"
)
VALIDITY = (
    "workloads share no pages; those on one system share its cache, and their busiest hours fall together; data and "
    "load are spread evenly over equal machines; whether processors and network carry the load is not checked"
)
Objective = Literal["usd", "io_time"]
_TIME = "io_time_us_per_access"
_Ends = tuple[float | None, float | None]
OnGroup = Callable[[int, int], bool]
"""Takes groups done and groups in all; returns whether to go on."""


@dataclass(frozen=True, slots=True)
class Held:
    """What one workload holds of the RAM of its system.

    Attributes
    ----------
    name : str
        Of the workload.
    accesses_per_s : float
        Its mean rate. [1/s]
    ram_bytes : float
        Of the shared cache, on average. [bytes]
    hit_share : float
        Of its accesses that find their page in RAM. [1]
    """

    name: str
    accesses_per_s: float
    ram_bytes: float
    hit_share: float


@dataclass(frozen=True, slots=True)
class System:
    """One system, and the workloads that it carries.

    Attributes
    ----------
    workloads : tuple of Held
    option : Option
        What it is.
    accesses_per_s, peak_accesses_per_s : float
        Of all its workloads. [1/s]
    data_bytes : int
        Of all its workloads, at their largest within the horizon. [bytes]
    """

    workloads: tuple[Held, ...]
    option: Option
    accesses_per_s: float
    peak_accesses_per_s: float
    data_bytes: int


@dataclass(frozen=True, slots=True)
class Sharing:
    """One way to share systems.

    Attributes
    ----------
    groups : tuple of tuple of str
        Workloads of each system.
    usd_per_month : Decimal
        Of all systems. [USD/month]
    io_time_us_per_access : float or None
        Mean over all accesses; None where it depends on which evicted pages are dirty, and nobody said which. [µs]
    ranges : dict of str to pair of float or None
        Its ends then, by its key, as those of an option.
    """

    groups: tuple[tuple[str, ...], ...]
    usd_per_month: Decimal
    io_time_us_per_access: float | None
    ranges: dict[str, _Ends] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Placement(Answer):
    """Which workloads share which system.

    Attributes
    ----------
    placement_id : str
        Hash of all that was asked.
    objective : str
        `usd` or `io_time`.
    constraints : dict of str to str
        Limits that were applied, as decimals.
    systems : tuple of System
        Empty where no choice keeps every limit.
    usd_per_month, purchase_usd : Decimal or None
        Of all systems. [USD/month], [USD]
    io_time_us_per_access : float or None
        Mean over all accesses; None where there is no system, or `ranges` has its ends. [µs]
    separate, together : Sharing or None
        Each workload by itself, and all on one system; None where no option keeps every limit.
    alternatives : tuple of Sharing
        The best other ways to share, the best first.
    optimality_gap : float or None
        By what share a better choice among the candidates could do better, as the solver certifies. [1]
    groups, evaluated : int
        Groups of workloads, and options of all groups.
    least_totals : dict of str to float
        Where nothing keeps the limits of all systems together: the least that each can be.
    nearest : dict of str to float
        Where no option carries one workload: what each limit in conflict would have to be, alone, to admit one.
    horizon_months : int
        Months over which a purchase is spread, and the data grow. [months]
    versions : dict of str to str
        Of the model and the price book.
    ranges : dict of str to pair of float or None
        Ends of the I/O time, by its key, where nobody said which evicted pages of a workload are dirty.
    estimator, validity : str
    """

    placement_id: str
    objective: str
    constraints: dict[str, str]
    systems: tuple[System, ...]
    usd_per_month: Decimal | None
    purchase_usd: Decimal | None
    io_time_us_per_access: float | None
    separate: Sharing | None
    together: Sharing | None
    alternatives: tuple[Sharing, ...]
    optimality_gap: float | None
    groups: int
    evaluated: int
    least_totals: dict[str, float]
    nearest: dict[str, float]
    horizon_months: int
    versions: dict[str, str]
    ranges: dict[str, _Ends] = field(default_factory=dict)
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What all systems cost, and how fast they are."""
        return (
            Figure(
                "usd_per_month",
                "All systems, per month",
                self.usd_per_month,
                "USD/month",
            ),
            Figure(
                "io_time_us_per_access",
                "I/O time of an access, mean",
                self.io_time_us_per_access,
                "µs",
            ),
            Figure("systems", "Systems", len(self.systems), "systems"),
            Figure("evaluated", "Options evaluated", self.evaluated, "options"),
        )


@dataclass(frozen=True, slots=True)
class _Group:
    """One group of workloads as a question, and what of its options could be chosen."""

    members: tuple[int, ...]
    asked: Asked
    table: Table
    rows: IntArray
    conflict: tuple[str, ...]
    nearest: tuple[tuple[str, float, str], ...] | None = None
    """What each limit of the conflict would have to be, alone, and for which option; None where that is unknown."""


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
    wanted = candidates or Candidates()

    def groups_of(some: Sequence[Workload], report: OnGroup | None) -> list[_Group]:
        def asked(members: Sequence[Workload]) -> Asked:
            return _asked(
                members,
                wanted,
                constraints or {},
                objective,
                prices,
                horizon_months,
                (flash, disk),
            )

        return list(_groups(some, asked, report))

    unknown = _without_write_backs(running)
    known: dict[tuple[str, ...], Placement] = {}

    def placed(some: Sequence[Workload], report: OnGroup | None = None) -> Placement:
        """Place workloads; the same curves once."""
        key = tuple(map(_identity, some))
        if key not in known:
            known[key] = _placed(some, groups_of(some, report), objective)
        return known[key]

    if not unknown:
        found = placed(running, on_progress)
    else:
        first, second = _in_two(on_progress)
        found = placed(running, first)
        few, many = _at_ends(running)
        clean = placed(few, second)
        # What keeps every limit with as many dirty pages as possible is what was chosen.
        known[tuple(map(_identity, many))] = found
        found = replace(
            found, finding=f"{found.finding} {_about_dirty(found, clean, unknown)}"
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


def _without_write_backs(workloads: Sequence[Workload]) -> tuple[str, ...]:
    """Name the workloads of which nobody said which evicted pages are dirty."""
    return tuple(each.name for each in workloads if each.curve.write_backs_at is None)


def _at_ends(
    workloads: Sequence[Workload],
) -> tuple[list[Workload], list[Workload]]:
    """Take workloads with as few dirty pages as possible, and with as many; what is known stays."""
    few, many = [], []
    for each in workloads:
        ends = (
            (each.curve, each.curve)
            if each.curve.write_backs_at is not None
            else dirty_ends(each.curve)
        )
        few.append(replace(each, curve=ends[0]))
        many.append(replace(each, curve=ends[1]))
    return few, many


def _groups(
    workloads: Sequence[Workload],
    asked: Callable[[Sequence[Workload]], Asked],
    on_progress: OnGroup | None,
) -> Iterator[_Group]:
    """Ask for every group of workloads; groups of copies once."""
    alike = _alike(workloads)
    made: dict[tuple[int, ...], _Group] = {}
    wholes = list(subsets(len(workloads)))
    for done, members in enumerate(wholes):
        if on_progress is not None and not on_progress(done, len(wholes)):
            raise Cancelled("the placement was cancelled", "")
        key = tuple(sorted(alike[at] for at in members))
        if key not in made:
            made[key] = _group(members, asked([workloads[at] for at in members]))
        yield replace(made[key], members=members)
    if on_progress is not None:
        on_progress(len(wholes), len(wholes))


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
        cautions = [*about_curve(curve, curve.knots[-1:], [0.0])]
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
        same = _choice_of(other) == _choice_of(found)
        what = "the same choice" if same else _places(other.systems)
        said.append(f"if {when}: {what}, at {money(other.usd_per_month)} per month")
        changed |= not same
        own = max(found.usd_per_month, CENT)
        size = max(size, float(abs(other.usd_per_month - found.usd_per_month) / own))
    return Effect("; ".join(said), changed, size)


def _choice_of(found: Placement) -> set[tuple[tuple[str, ...], str, str]]:
    return {
        (
            tuple(held.name for held in each.workloads),
            each.option.name,
            each.option.scheme,
        )
        for each in found.systems
    }


def _places(systems: Sequence[System]) -> str:
    return "; ".join(
        f"{listed([held.name for held in each.workloads])} on {each.option.name}"
        for each in systems
    )


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


def _alike(workloads: Sequence[Workload]) -> list[int]:
    """Give each workload a number, copies the same: their groups have the same options."""
    known: dict[str, int] = {}
    return [known.setdefault(_identity(each), len(known)) for each in workloads]


def _identity(workload: Workload) -> str:
    curve = workload.curve
    scaled = curve.scaled
    document = [
        curve.to_lists(),
        curve.page_bytes,
        curve.accesses,
        curve.write_accesses,
        curve.distinct_pages,
        None if curve.given is None else curve.given.write_share,
        None if scaled is None else scaled.to_dict(),
        workload.accesses_per_s,
    ]
    text = json.dumps(document, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _peak(workload: Workload) -> float:
    """Rate of its busiest hour: as much above its mean as in production. [1/s]"""
    scaled = workload.curve.scaled
    if scaled is None:
        return workload.accesses_per_s
    production = scaled.production
    mean, peak = production.accesses_per_s, production.peak_accesses_per_s
    times = 1.0 if peak is None or not mean else peak / mean
    return workload.accesses_per_s * times


def _asked(
    workloads: Sequence[Workload],
    candidates: Candidates,
    constraints: Mapping[str, Any],
    objective: Objective,
    prices: PriceBook | None,
    horizon_months: int,
    devices: tuple[Device | None, Device | None],
) -> Asked:
    """Ask for one group: its shared cache, the sum of its data and of its rates."""
    few, many = _at_ends(workloads)
    curve = _shared(many)
    mean = math.fsum(each.accesses_per_s for each in workloads)
    asked = asked_of(
        curve,
        (mean, None),
        candidates,
        None,
        constraints,
        objective,
        prices,
        horizon_months,
        devices,
        0,
    )
    fewest = None
    if _without_write_backs(workloads):
        backs, most = _shared(few), curve.write_backs_at
        assert most is not None
        # Lines between the sizes that either lists differ: the fewest are never more than the most.
        fewest = replace(
            curve,
            write_backs_at=np.minimum(backs.write_backs(curve.pages), most),
            write_accesses=backs.write_accesses,
        )
    setting = replace(
        asked.setting,
        fewest_dirty=fewest,
        rates=Rates(mean, math.fsum(_peak(each) for each in workloads)),
        data_bytes=sum(data_bytes_of(each.curve, horizon_months) for each in workloads),
    )
    return replace(asked, setting=setting)


def _shared(workloads: Sequence[Workload]) -> Curve:
    """Return the curve of the cache that workloads share."""
    if len(workloads) == 1:
        return workloads[0].curve
    return composed_profile(workloads).curve


def _group(members: tuple[int, ...], asked: Asked) -> _Group:
    table = Table.of(asked.setting)
    chosen = _choice.chosen_of(asked, table)
    limited = [name for name in TOTALS if name in asked.constraints]
    options = table.options
    goals = options.io_us if asked.objective == "io_time" else options.month_cents / 100
    rows = chosen.order
    if not limited:
        best = next(_choice.kept(asked, table, chosen, rows), None)
        kept = np.asarray([] if best is None else [best], dtype=np.int64)
    else:
        columns = np.stack([goals, *(values(options, name) for name in limited)])
        while True:
            # The best first, so that of equals the better in the other objective stands.
            good = rows[undominated(columns[:, rows].T)]
            kept = np.asarray(
                list(_choice.kept(asked, table, chosen, good)), dtype=np.int64
            )
            if len(kept) == len(good):
                break
            rows = rows[~np.isin(rows, np.setdiff1d(good, kept))]
    conflicting: tuple[str, ...] = ()
    nearest = None
    if not len(kept):
        limits = [
            *chosen.limits,
            *_choice.response_limits(asked, table, chosen),
        ]
        conflicting = conflict(limits, len(options))
        nearest = _why_not.nearest_titled(table, limits, conflicting, asked.objective)
    return _Group(members, asked, table, kept, conflicting, nearest)


def _placed(
    workloads: Sequence[Workload], groups: Sequence[_Group], objective: Objective
) -> Placement:
    constraints = groups[0].asked.constraints
    limits = {name: float(constraints[name]) for name in TOTALS if name in constraints}
    of_rows = [(at, row) for at, group in enumerate(groups) for row in group.rows]
    problem = _problem(groups, of_rows, objective, limits)
    best = least_cover(problem, limits)
    rate = math.fsum(each.accesses_per_s for each in workloads)

    def sharing(found: Cover) -> Sharing:
        chosen = [of_rows[at] for at in found.systems]
        cents = sum(
            int(groups[at].table.options.month_cents[row]) for at, row in chosen
        )
        both = [
            (_rate(groups[at]), groups[at].table.io_us_ends(int(row)))
            for at, row in chosen
        ]
        low, high = (
            math.fsum(per_s * ends[end] for per_s, ends in both) / rate
            for end in (0, 1)
        )
        named = tuple(
            tuple(workloads[each].name for each in groups[at].members)
            for at, _ in chosen
        )
        return Sharing(
            named,
            Decimal(cents) * CENT,
            high if low == high else None,
            {} if low == high else {_TIME: (low, high)},
        )

    def only(wanted: int) -> Sharing | None:
        """Find the best choice of groups of one size alone."""
        some = [
            at
            for at, (group, _) in enumerate(of_rows)
            if len(groups[group].members) == wanted
        ]
        part = replace(
            problem,
            group=problem.group[some],
            cost=problem.cost[some],
            amounts={name: each[some] for name, each in problem.amounts.items()},
        )
        found = least_cover(part, limits)
        if found is None:
            return None
        return sharing(replace(found, systems=tuple(some[at] for at in found.systems)))

    others: list[Sharing] = []
    seen: list[frozenset[int]] = []
    found = best
    while found is not None and len(others) < MOST_ALTERNATIVES:
        seen.append(frozenset(of_rows[at][0] for at in found.systems))
        found = least_cover(problem, limits, but=seen)
        if found is not None:
            others.append(sharing(found))
    chosen = () if best is None else tuple(of_rows[at] for at in best.systems)
    systems = tuple(_system(workloads, groups[at], int(row)) for at, row in chosen)
    separate, together = only(1), only(len(workloads))
    mine = None if best is None else sharing(best)
    least = {}
    if best is None:
        for name in limits:
            least_of = least_cover(replace(problem, cost=problem.amounts[name]), {})
            if least_of is not None:
                least[name] = least_of.cost
    return Placement(
        finding=sentences(
            _finding(systems, mine, separate, together, objective),
            _on_local_disks(workloads, groups, chosen),
        )
        if mine is not None
        else _infeasible(workloads, groups, constraints, least),
        warnings=tuple(_cautions(workloads, groups, chosen)),
        explain=lambda: _steps(groups, chosen),
        placement_id=_placement_id(groups, objective),
        objective=objective,
        constraints={name: str(value) for name, value in constraints.items()},
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
        alternatives=tuple(others),
        optimality_gap=None if best is None else best.gap,
        groups=len(groups),
        evaluated=sum(len(group.table.options) for group in groups),
        least_totals=least,
        nearest={} if best is not None else _nearest(workloads, groups),
        horizon_months=groups[0].asked.setting.horizon_months,
        versions=versions(groups[0].asked),
    )


def _alone(workloads: Sequence[Workload], groups: Sequence[_Group]) -> _Group | None:
    """Find the first workload that no group with an option has, as the group of itself."""
    for at in range(len(workloads)):
        if not any(at in group.members and len(group.rows) for group in groups):
            [alone] = [group for group in groups if group.members == (at,)]
            return alone
    return None


def _nearest(
    workloads: Sequence[Workload], groups: Sequence[_Group]
) -> dict[str, float]:
    alone = _alone(workloads, groups)
    found = () if alone is None or alone.nearest is None else alone.nearest
    return {name: value for name, value, _ in found}


def _rate(group: _Group) -> float:
    return group.asked.setting.rates.mean or 0.0


def _problem(
    groups: Sequence[_Group],
    of_rows: Sequence[tuple[int, Any]],
    objective: Objective,
    limits: Mapping[str, float],
) -> Systems:
    def column(name: str) -> Any:
        return np.asarray(
            [values(groups[at].table.options, name)[row] for at, row in of_rows],
            dtype=np.float64,
        )

    if objective == "io_time":
        rates = np.asarray([_rate(groups[at]) for at, _ in of_rows])
        cost = (
            column("io_time_us_per_access") * rates / max(1.0, rates.max(initial=0.0))
        )
    else:
        cost = column("usd_per_month")
    return Systems(
        np.asarray([at for at, _ in of_rows], dtype=np.int64),
        tuple(group.members for group in groups),
        cost,
        {name: column(name) for name in limits},
    )


def _system(workloads: Sequence[Workload], group: _Group, row: int) -> System:
    table, setting = group.table, group.asked.setting
    some = [workloads[at] for at in group.members]
    pages = float(table.options.ram_pages[row])
    page = setting.curve.page_bytes
    if pages > 0:
        shared = shared_cache(some, [pages])
        held, missed = shared.held_pages[:, 0], shared.misses_per_s[:, 0]
    else:
        held = np.zeros(len(some))
        missed = np.asarray([each.accesses_per_s for each in some])
    return System(
        tuple(
            Held(
                each.name,
                each.accesses_per_s,
                float(held[at]) * page,
                max(0.0, 1 - float(missed[at]) / each.accesses_per_s),
            )
            for at, each in enumerate(some)
        ),
        table.option(row),
        _rate(group),
        setting.rates.peak or 0.0,
        setting.data_bytes,
    )


def _cautions(
    workloads: Sequence[Workload],
    groups: Sequence[_Group],
    chosen: Sequence[tuple[int, Any]],
) -> Iterator[Caution]:
    """Cautions of the systems that were chosen, those of one workload alone with its name."""
    seen = set()
    unknown = _without_write_backs(workloads)
    if unknown:
        whose = "" if len(unknown) == len(workloads) else f"{listed(unknown)}: "
        yield replace(
            DIRTY_SHARE_UNKNOWN, message=f"{whose}{DIRTY_SHARE_UNKNOWN.message}"
        )
    for at, row in chosen:
        group = groups[at]
        sizes = group.table.options.rows(np.asarray([int(row)]))
        of_curve = {
            each.message
            for each in about_curve(
                group.asked.setting.curve, sizes.ram_pages, sizes.flash_pages
            )
        }
        weak = _outlasting.weaknesses(group.asked, group.table, int(row), None)
        for each in _notes.about_answer(group.asked, group.table, int(row), weak):
            if len(group.members) == 1 and each.message in of_curve:
                name = workloads[group.members[0]].name
                each = replace(each, message=f"{name}: {each.message}")
            if each.message not in seen:
                seen.add(each.message)
                yield each


def _on_local_disks(
    workloads: Sequence[Workload],
    groups: Sequence[_Group],
    chosen: Sequence[tuple[int, Any]],
) -> str:
    """Say of which workloads the only copy of the data is on local disks of an instance; empty of none."""
    names = [
        workloads[member].name
        for at, row in chosen
        for each in _outlasting.weaknesses(
            groups[at].asked, groups[at].table, int(row), None
        )
        if each.caution.name in LOSES_DATA and each.what
        for member in groups[at].members
    ]
    if not names:
        return ""
    return (
        f"The only copy of the data of {listed(names)} is on local disks, which lose it when the instance stops or its host "
        "fails."
    )


def _steps(
    groups: Sequence[_Group], chosen: Sequence[tuple[int, Any]]
) -> Iterator[Step]:
    for at, row in chosen:
        yield from _notes.steps(groups[at].table.option(int(row)))


def _placement_id(groups: Sequence[_Group], objective: str) -> str:
    ids = [group.asked.advice_id for group in groups if len(group.members) == 1]
    rates = [group.asked.setting.rates.both for group in groups]
    text = json.dumps([ids, rates, objective])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _finding(
    systems: Sequence[System],
    mine: Sharing,
    separate: Sharing | None,
    together: Sharing | None,
    objective: str,
) -> str:
    """Say which workloads share a system, what all cost, and what the simple choices would."""
    said = [
        f"Place {_places(systems)}: {money(mine.usd_per_month)} per month for "
        f"{counted(len(systems), 'system')}, {_time_of(mine)} of I/O time per access."
    ]
    workloads = sum(len(each.workloads) for each in systems)
    if workloads > 1:
        if len(systems) < workloads:
            said.append(
                _against("A system for each workload", separate, mine, objective)
            )
        if len(systems) > 1:
            said.append(_against("All on one system", together, mine, objective))
    return " ".join(said)


def _time_of(found: Sharing) -> str:
    """Write the I/O time of a way to share, or its range."""
    time_us = found.io_time_us_per_access
    if time_us is None:
        return between(found.ranges[_TIME], format_microseconds)
    return format_microseconds(time_us)


def _about_dirty(found: Placement, clean: Placement, unknown: Sequence[str]) -> str:
    """Say what would be chosen if no evicted page were dirty, beside what holds for any share.

    Parameters
    ----------
    found, clean : Placement
        With as many dirty pages as possible, and with as few.
    unknown : sequence of str
        Workloads of which nobody said which are dirty.
    """
    of, does = ("curve", "does") if len(unknown) == 1 else ("curves", "do")
    whose = (
        f"The {of} of {listed(unknown)} {does} not say which evicted pages are dirty"
    )
    state = "state the dirty share, or profile a trace that has writes"
    if found.usd_per_month is None:
        if clean.usd_per_month is None:
            return f"{whose}; nor does any choice keep every limit if none is."
        return (
            f"{whose}: if none is, {_places(clean.systems)} would keep every limit, at "
            f"{money(clean.usd_per_month)} per month: {state}."
        )
    said = f"{whose}: the choice keeps every limit whatever their share, and what depends on it is given as a range."
    assert (
        clean.usd_per_month is not None
    )  # What keeps every limit with dirty pages does so without.
    if _choice_of(clean) == _choice_of(found):
        return f"{said} If none is, the choice is the same."
    other = _places(clean.systems)
    if found.objective == "io_time":
        return f"{said} If none is, {other} would be the fastest."
    less = found.usd_per_month - clean.usd_per_month
    if not less:
        return f"{said} If none is, {other} would be the choice, for as much money."
    return (
        f"{said} If none is, {other} would do, for {money(less)} per month less: knowing the share is worth that at "
        "most."
    )


def _against(what: str, other: Sharing | None, mine: Sharing, objective: str) -> str:
    if other is None:
        return f"{what} is not possible: no option keeps every limit."
    if objective == "io_time":
        own, its = mine.io_time_us_per_access, other.io_time_us_per_access
        if own is None or its is None:
            return f"{what} takes {_time_of(other)} per access."
        if its == own:
            return f"{what} takes as long per access."
        more = percent(its / own - 1) if own > 0 else "more"
        return f"{what} takes {format_microseconds(its)} per access, {more} more."
    more_usd = other.usd_per_month - mine.usd_per_month
    if not more_usd:
        return f"{what} costs as much."
    return (
        f"{what} costs {money(other.usd_per_month)} per month, {money(more_usd)} more."
    )


def _infeasible(
    workloads: Sequence[Workload],
    groups: Sequence[_Group],
    constraints: Mapping[str, Decimal],
    least: Mapping[str, float],
) -> str:
    alone = _alone(workloads, groups)
    if alone is not None:
        name = workloads[alone.members[0]].name
        dirty = alone.asked.setting.fewest_dirty is not None
        why = _words.infeasible_text(alone.conflict, dirty=dirty)
        said = f"No option carries {name}, alone or beside others. {why}"
        if alone.nearest is None:
            return said
        return f"{said} {_words.nearest_text(alone.nearest)}"
    limits = {name: float(constraints[name]) for name in least}
    short = [name for name, value in least.items() if value > limits[name]]
    none = "No choice of systems keeps the limits on all of them together"
    if _without_write_backs(workloads):
        none = (
            f"With as many evicted pages dirty as possible, {none[0].lower()}{none[1:]}"
        )
    if not short:
        kept = listed([_words.LIMIT_WORDS[name] for name in limits])
        return f"{none}: each can be kept by itself, but not {kept} at once. Relax one of them."
    each = [
        f"{_words.LIMIT_WORDS[name]}: at least {_words.limit_value(name, least[name])}, while "
        f"{_words.limit_value(name, limits[name])} is allowed"
        for name in short
    ]
    relax = "this limit" if len(short) == 1 else "each of these limits"
    return f"{none}: {'; '.join(each)}. Relax {relax}."
