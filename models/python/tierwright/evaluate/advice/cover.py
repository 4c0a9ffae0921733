"""Which systems carry several workloads: each workload once, at least cost, within limits of all systems together.

Dynamic programming over the sets of workloads finds the best choice, bounded by the linear relaxation. A solver of integer
programs stops within a tolerance of the best, which may cost twice the money; it stands in where there is too much to look
at.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, linprog, milp
from scipy.sparse import csr_array

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.limits import ROUNDING
from tierwright.evaluate.advice.rows import IntArray

_OPTIMAL, _INFEASIBLE = 0, 2
_LIMIT = 1e3
"""What a limit is scaled to: the solver lets a sum exceed it by a millionth of one."""
_SOLVER_GAP = 1e-6
"""Within which the solver takes a choice for the best, of the scaled cost."""
_SLACK = 1e-12
"""Share by which a bound may be exceeded: sums of the same numbers differ by their order."""
_SHARES = (1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0)
"""By what share above the least that a choice can cost it is looked for, one after another."""
MOST_LABELS = 20_000
"""Part choices that are kept for one set of workloads; beyond, the choice of the solver stands, with its gap."""
MOST_LOOKED_AT = 100_000_000
"""Pairs of part choices, or of one and a system, that are looked at: before the solver is asked, and after it."""
_AT_ONCE = 200_000
"""Pairs that are held in memory at a time."""


def subsets(count: int) -> Iterator[tuple[int, ...]]:
    """Yield every group of some of `count` workloads, the small ones first.

    Examples
    --------
    >>> list(subsets(3))
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    for size in range(1, count + 1):
        yield from itertools.combinations(range(count), size)


def undominated(values: ArrayLike) -> IntArray:
    """Pick rows that no other row is as good as in every column: smaller is better, of equals the first.

    Parameters
    ----------
    values : array_like
        (rows, columns).

    Returns
    -------
    int array
        Rows, by their first column, then the next.

    Examples
    --------
    >>> undominated([[3, 1], [1, 3], [2, 2], [2, 3], [1, 3]]).tolist()
    [1, 2, 0]
    """
    table = np.asarray(values, dtype=np.float64)
    left = np.lexsort(table.T[::-1])
    kept: list[int] = []
    while len(left):
        # No later row is better in the first column that differs, so none is as good in all.
        first = int(left[0])
        kept.append(first)
        rest = left[1:]
        left = rest[~np.all(table[rest] >= table[first], axis=1)]
    return np.asarray(kept, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Systems:
    """Systems that could be bought, one a column of the problem; arrays of one length.

    Attributes
    ----------
    group : int array
        Index of the workloads that it carries, of `members`.
    members : sequence of tuple of int
        Workloads of each group.
    cost : float64 array
        What is to be least, summed over the systems.
    amounts : mapping of str to float64 array
        What is limited, summed over the systems.
    second : float64 array or None
        What is to be least of choices that cost the same, summed over the systems.
    """

    group: IntArray
    members: Sequence[tuple[int, ...]]
    cost: FloatArray
    amounts: Mapping[str, FloatArray]
    second: FloatArray | None = None

    @property
    def workloads(self) -> int:
        """How many workloads there are."""
        return 1 + max((at for group in self.members for at in group), default=-1)

    def some(self, columns: IntArray) -> Systems:
        """Take some of the systems."""
        return replace(
            self,
            group=self.group[columns],
            cost=self.cost[columns],
            amounts={name: each[columns] for name, each in self.amounts.items()},
            second=None if self.second is None else self.second[columns],
        )


@dataclass(frozen=True, slots=True)
class Cover:
    """Systems that carry every workload once.

    Attributes
    ----------
    systems : tuple of int
        Columns of the problem.
    cost : float
        Their sum.
    gap : float
        By what share of it a better choice could cost less; 0 where it is the best, but for `ROUNDING`. [1]
    """

    systems: tuple[int, ...]
    cost: float
    gap: float


def least_cover(
    systems: Systems,
    limits: Mapping[str, float],
    *,
    but: Sequence[frozenset[int]] = (),
) -> Cover | None:
    """Choose systems that carry every workload once at least cost, within limits of their sums.

    minimise sum of c_s x_s, x_s in {0, 1}, with sum over the systems s of workload w of x_s = 1 for every w, and
    sum of a_s x_s <= limit for every amount that is limited. Set partitioning by dynamic programming over the sets of
    workloads: what is dominated, or costs too much by the duals of the linear relaxation (HiGHS), is left out. Of what is
    within `ROUNDING` of the least, that of the least `second` is taken. Branch and bound (HiGHS) stands in where more than
    `MOST_LABELS` part choices would have to be kept for one set of workloads, or `MOST_LOOKED_AT` pairs be looked at.

    Parameters
    ----------
    systems : Systems
    limits : mapping of str to float
        Largest sums, by names of `systems.amounts`. No sum may be above by anything: the caller leaves room for the
        rounding of amounts that are no binary numbers, such as half a cent.
    but : sequence of frozenset of int
        Sets of groups that are not wanted again.

    Returns
    -------
    Cover or None
        None where no choice keeps the limits.

    Raises
    ------
    BadInput
        If the solver gives up.
    """
    able = np.ones(len(systems.cost), dtype=np.bool_)
    for name, limit in limits.items():
        able &= systems.amounts[name] <= limit
    [columns] = np.nonzero(able)
    if not len(columns):
        return None
    found = _Problem.of(systems.some(columns), limits, but).best()
    if found is None:
        return None
    return replace(found, systems=tuple(int(columns[at]) for at in found.systems))


@dataclass(frozen=True, slots=True)
class _Problem:
    """One choice, as the solver takes it.

    Attributes
    ----------
    systems, limits, but
        As of `least_cover`.
    carries : float64 array
        (workloads, systems): 1 where it carries the workload.
    sizes : float64 array
        (limits, systems): amounts, where the limit is `most`.
    most : float64 array
        Of each limit.
    scale : float
        Cost that is 1 to the solver.
    """

    systems: Systems
    limits: Mapping[str, float]
    but: Sequence[frozenset[int]]
    carries: FloatArray
    sizes: FloatArray
    most: FloatArray
    scale: float

    @classmethod
    def of(
        cls,
        systems: Systems,
        limits: Mapping[str, float],
        but: Sequence[frozenset[int]],
    ) -> _Problem:
        """Scale a problem."""
        of_group = [frozenset(group) for group in systems.members]
        carries = np.asarray(
            [
                np.asarray([workload in group for group in of_group])[systems.group]
                for workload in range(systems.workloads)
            ],
            dtype=np.float64,
        )
        sizes = np.zeros((len(limits), len(systems.cost)))
        most = np.zeros(len(limits))
        for at, (name, limit) in enumerate(limits.items()):
            # A power of two: sums of whole numbers stay exact.
            unit = 2.0 ** math.floor(math.log2((limit if limit > 0 else 1.0) / _LIMIT))
            sizes[at] = systems.amounts[name] / unit
            most[at] = limit / unit
        # Each workload has a system: what it costs at least tells how large the sum is.
        scale = float(
            max(
                (
                    np.min(systems.cost[carried], initial=np.inf)
                    for carried in carries > 0
                ),
                default=0.0,
            )
        )
        if not 0 < scale < np.inf:
            scale = float(np.max(systems.cost, initial=0.0)) or 1.0
        return cls(systems, limits, but, carries, sizes, most, scale)

    def best(self) -> Cover | None:
        """Return the best choice; None where there is none."""
        worth = self._worth()
        if worth is None:
            return None
        # A bound near the least that a choice can cost leaves few to look at; the true best tells the last bound.
        least = _Exact.of(self, worth, 0.0).least()
        most = float(np.max(self.systems.cost, initial=0.0)) * len(self.carries)
        if not least < np.inf:
            return None
        looks = _Looks(MOST_LOOKED_AT)
        try:
            for share in (*_SHARES, np.inf):
                bound = min(most, least + share * max(abs(least), self.scale))
                found = _Exact.of(self, worth, bound).best(looks)
                if found:
                    return self._within(worth, found, 0.0)
                if bound >= most:
                    return None
        except _TooMany:
            pass
        return self._after_solver(worth)

    def _after_solver(self, worth: FloatArray) -> Cover | None:
        """Return the best choice, bounded by what the solver finds; that itself where too many are left."""
        solved = self._solved()
        if solved is None:
            return None
        chosen, bound = solved
        cost = float(self.systems.cost[list(chosen)].sum())
        gap = max(0.0, 1 - bound / cost) if cost > 0 else 0.0
        return self._within(worth, chosen, gap)

    def _within(self, worth: FloatArray, chosen: tuple[int, ...], gap: float) -> Cover:
        """Return the best of what costs no more than a choice; that itself, with its gap, where these are too many."""
        cost = float(self.systems.cost[list(chosen)].sum())
        try:
            best = _Exact.of(self, worth, cost).best(_Looks(MOST_LOOKED_AT))
        except _TooMany:
            return Cover(chosen, cost, gap)
        return Cover(best, float(self.systems.cost[list(best)].sum()), 0.0)

    def _solved(self) -> tuple[tuple[int, ...], float] | None:
        """Return what the solver chooses, and what any choice costs at least."""
        rows = [*self.carries, *self.sizes]
        least = [1.0] * len(self.carries) + [-np.inf] * len(self.sizes)
        most = [1.0] * len(self.carries) + self.most.tolist()
        for groups in self.but:
            rows.append(np.isin(self.systems.group, list(groups)).astype(np.float64))
            least.append(-np.inf)
            most.append(len(groups) - 1.0)
        while True:
            found = milp(
                self.systems.cost / self.scale,
                constraints=LinearConstraint(csr_array(np.stack(rows)), least, most),
                integrality=np.ones(len(self.systems.cost), dtype=np.int64),
                bounds=Bounds(0, 1),
                options={"mip_rel_gap": 0.0},
            )
            if found.status == _INFEASIBLE:
                return None
            if found.status != _OPTIMAL or found.x is None:
                raise BadInput(
                    f"the choice of systems could not be computed: {found.message}",
                    "name fewer workloads or fewer limits",
                )
            chosen = np.rint(found.x) > 0
            if self._keeps(chosen):
                break
            # Even so the solver lets a sum exceed its limit a little; such a choice is not wanted again.
            rows.append(chosen.astype(np.float64))
            least.append(-np.inf)
            most.append(float(chosen.sum()) - 1.0)
        return tuple(np.flatnonzero(chosen).tolist()), self._bound_of(found)

    def _bound_of(self, found: OptimizeResult) -> float:
        """Return what a choice costs at least, as far as the solver knows."""
        bound = found.mip_dual_bound
        return 0.0 if bound is None else (float(bound) - _SOLVER_GAP) * self.scale

    def _keeps(self, chosen: Any) -> bool:
        return all(
            float(self.systems.amounts[name][chosen].sum()) <= limit
            for name, limit in self.limits.items()
        )

    def _worth(self) -> FloatArray | None:
        """Return what a unit of each amount is worth, by the duals of the linear relaxation: any give valid bounds.

        None where not even the relaxation has a solution.
        """
        if not len(self.sizes):
            return np.zeros(0)
        found = linprog(
            self.systems.cost / self.scale,
            A_ub=self.sizes,
            b_ub=self.most,
            A_eq=self.carries,
            b_eq=np.ones(len(self.carries)),
            bounds=(0, None),
            method="highs",
        )
        if found.status == _INFEASIBLE:
            return None
        if found.status != _OPTIMAL:
            return np.zeros(len(self.sizes))
        duals = np.asarray(found.ineqlin.marginals, dtype=np.float64)
        return np.asarray(np.maximum(0.0, -duals) * self.scale)


class _TooMany(Exception):
    """More choices would have to be looked at than can be."""


@dataclass(slots=True)
class _Looks:
    """How many pairs may still be looked at."""

    left: int

    def at(self, pairs: int) -> None:
        """Count some.

        Raises
        ------
        _TooMany
            If these are more than are left.
        """
        self.left -= pairs
        if self.left < 0:
            raise _TooMany


@dataclass(frozen=True, slots=True)
class _Labels:
    """Choices of systems for a set of workloads; arrays of one length.

    Attributes
    ----------
    sums : float64 array
        (choices, sums): cost, `second`, and each amount that is limited.
    columns : int array
        (choices, workloads): the systems, -1 behind the last.
    """

    sums: FloatArray
    columns: IntArray

    def best(self, looks: _Looks) -> _Labels:
        """Leave out what another choice is as good as in everything."""
        kept = undominated(self.sums)
        looks.at(len(kept) * len(self.sums))
        return _Labels(self.sums[kept], self.columns[kept])

    @classmethod
    def of_all(cls, several: Sequence[_Labels]) -> _Labels:
        """Join choices."""
        return cls(
            np.concatenate([each.sums for each in several]),
            np.concatenate([each.columns for each in several]),
        )


@dataclass(frozen=True, slots=True)
class _Exact:
    """Every choice that costs no more than one that is known, by dynamic programming over the sets of workloads.

    Attributes
    ----------
    groups : tuple of (int, int, int array)
        Of each group with a system: its workloads as bits, the sets of `but` that it is one of as bits, its systems.
    own : float64 array
        (systems, sums): as of `_Labels`.
    weights, caps : float64 array
        (bounds, sums), (bounds): weighted sums of a choice, and what these may be.
    left : float64 array
        (sets of workloads, bounds): what a set adds to these at least.
    workloads, unwanted : int
        Number of workloads, and of `but`.
    """

    groups: tuple[tuple[int, int, IntArray], ...]
    own: FloatArray
    weights: FloatArray
    caps: FloatArray
    left: FloatArray = field(repr=False)
    workloads: int
    unwanted: int

    @classmethod
    def of(cls, problem: _Problem, worth: FloatArray, cost: float) -> _Exact:
        """Bound a problem by the cost of a choice that is known."""
        systems, limits = problem.systems, len(problem.sizes)
        second = (
            np.zeros(len(systems.cost)) if systems.second is None else systems.second
        )
        own = np.stack([systems.cost, second, *problem.sizes], axis=1)
        groups = tuple(
            (
                sum(1 << member for member in members),
                sum(1 << bit for bit, some in enumerate(problem.but) if at in some),
                np.flatnonzero(systems.group == at),
            )
            for at, members in enumerate(systems.members)
            if np.any(systems.group == at)
        )
        # The cost, each amount, and the cost with what the amounts are worth.
        weights = np.zeros((2 + limits, 2 + limits))
        weights[0, 0] = weights[-1, 0] = 1
        weights[1:-1, 2:] = np.eye(limits)
        weights[-1, 2:] = worth
        highest = cost * (1 + 2 * ROUNDING)
        caps = np.asarray(
            [highest, *problem.most, highest + float(worth @ problem.most)]
        )
        slack = _SLACK * np.abs(caps)
        slack[1:-1] = 0
        left = _left(systems.workloads, groups, own @ weights.T)
        return cls(
            groups,
            own,
            weights,
            caps + slack,
            left,
            systems.workloads,
            len(problem.but),
        )

    def least(self) -> float:
        """Return what a choice costs at least; infinite where nothing carries every workload."""
        sums = self.left[-1]
        # At a cost of 0 the last cap is what the amounts are worth at their limits.
        return float(max(sums[0], sums[-1] - self.caps[-1]))

    def best(self, looks: _Looks) -> tuple[int, ...]:
        """Return the best choice; empty where there is none.

        Raises
        ------
        _TooMany
            If more than `MOST_LABELS` would have to be kept for one set of workloads, or more be looked at than may be.
        """
        every = (1 << self.workloads) - 1
        start = _Labels(
            np.zeros((1, self.own.shape[1])),
            np.zeros((1, 0), dtype=np.int64),
        )
        open_: dict[int, dict[int, list[_Labels]]] = {
            0: {(1 << self.unwanted) - 1: [start]}
        }
        for done in range(every):
            for same, several in open_.pop(done, {}).items():
                labels = _Labels.of_all(several).best(looks)
                for now, of, more in self._grown(done, labels, looks):
                    to = open_.setdefault(done | now, {}).setdefault(same & of, [])
                    to.append(more)
                    if sum(len(each.sums) for each in to) > MOST_LABELS:
                        raise _TooMany
        several = open_.get(every, {}).get(0, [])
        if not several:
            return ()
        labels = _Labels.of_all(several)
        cost, second = labels.sums[:, 0], labels.sums[:, 1]
        [near] = np.nonzero(cost <= cost.min() * (1 + ROUNDING))
        first = near[np.lexsort((cost[near], second[near]))[0]]
        return tuple(sorted(at for at in labels.columns[first].tolist() if at >= 0))

    def _grown(
        self, done: int, labels: _Labels, looks: _Looks
    ) -> Iterator[tuple[int, int, _Labels]]:
        """Add a system for the first workload that has none, and leave out what cannot be the best."""
        low = ~done & (done + 1)
        every = (1 << self.workloads) - 1
        for bits, of, columns in self.groups:
            if not bits & low or bits & done:
                continue
            looks.at(len(labels.sums) * len(columns))
            rest = self.left[every ^ done ^ bits]
            some = max(1, _AT_ONCE // len(columns))
            for start in range(0, len(labels.sums), some):
                part = labels.sums[start : start + some]
                sums = part[:, None, :] + self.own[columns][None, :, :]
                reached = sums @ self.weights.T + rest
                before, added = np.nonzero(np.all(reached <= self.caps, axis=2))
                if len(before):
                    own = columns[added][:, None]
                    held = labels.columns[start + before]
                    yield bits, of, _padded(sums[before, added], held, own, self)


def _padded(
    sums: FloatArray, before: IntArray, added: IntArray, exact: _Exact
) -> _Labels:
    """Join choices with the systems that they were given, in rows of one length."""
    columns = np.full((len(sums), exact.workloads), -1, dtype=np.int64)
    columns[:, : before.shape[1]] = before
    columns[np.arange(len(sums)), (before >= 0).sum(axis=1)] = added[:, 0]
    return _Labels(sums, columns)


def _left(
    workloads: int,
    groups: Sequence[tuple[int, int, IntArray]],
    values: FloatArray,
) -> FloatArray:
    """Return the least sums of the systems of every set of workloads, each sum by itself.

    Parameters
    ----------
    workloads : int
    groups : sequence of (int, int, int array)
        As of `_Exact`.
    values : float64 array
        (systems, bounds): what each system adds.

    Returns
    -------
    float64 array
        (sets of workloads, bounds); infinite of sets that nothing carries.
    """
    least = [(bits, values[columns].min(axis=0)) for bits, _, columns in groups]
    found = np.full((1 << workloads, values.shape[1]), np.inf)
    found[0] = 0
    for some in range(1, 1 << workloads):
        low = some & -some
        for bits, own in least:
            if bits & low and not bits & ~some:
                found[some] = np.minimum(found[some], own + found[some ^ bits])
    return found
