"""Which systems carry several workloads: each workload once, at least cost, within limits of all systems together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.limits import ROUNDING
from tierwright.evaluate.advice.rows import IntArray

_OPTIMAL, _INFEASIBLE = 0, 2


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
    """

    group: IntArray
    members: Sequence[tuple[int, ...]]
    cost: FloatArray
    amounts: Mapping[str, FloatArray]

    @property
    def workloads(self) -> int:
        """How many workloads there are."""
        return 1 + max((at for group in self.members for at in group), default=-1)


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
        By what share of it a better choice could cost less, as the solver certifies. [1]
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
    sum of a_s x_s <= limit for every amount that is limited. Set partitioning, solved by branch and bound (HiGHS).

    Parameters
    ----------
    systems : Systems
    limits : mapping of str to float
        Largest sums, by names of `systems.amounts`.
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
    columns = len(systems.cost)
    if not columns:
        return None
    rows, least, most = [], [], []

    def add(row: ArrayLike, lower: float, upper: float) -> None:
        rows.append(np.asarray(row, dtype=np.float64))
        least.append(lower)
        most.append(upper)

    of_group = [frozenset(group) for group in systems.members]
    for workload in range(systems.workloads):
        carries = np.asarray([workload in group for group in of_group])
        add(carries[systems.group], 1.0, 1.0)
    for name, limit in limits.items():
        amounts = systems.amounts[name]
        scale = limit if limit > 0 else max(1.0, float(np.max(amounts, initial=0.0)))
        add(amounts / scale, -np.inf, (limit / scale) * (1 + ROUNDING))
    for groups in but:
        add(np.isin(systems.group, list(groups)), -np.inf, len(groups) - 1.0)
    while True:
        found = milp(
            systems.cost,
            constraints=LinearConstraint(csr_array(np.stack(rows)), least, most),
            integrality=np.ones(columns, dtype=np.int64),
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
        if all(
            float(systems.amounts[name][chosen].sum()) <= limit * (1 + ROUNDING)
            for name, limit in limits.items()
        ):
            break
        # The solver lets a sum exceed its limit by a millionth; such a choice is not wanted again.
        add(chosen, -np.inf, float(chosen.sum()) - 1.0)
    return Cover(
        tuple(np.flatnonzero(chosen).tolist()),
        float(systems.cost[chosen].sum()),
        max(0.0, float(found.mip_gap or 0.0)),
    )
