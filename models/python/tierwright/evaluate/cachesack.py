"""What to cache: an admission for each category of requests, by a fractional knapsack.

Source: Yang, Pollen, Uysal, Merchant, Wolfmeister, "CacheSack: admission optimization for Google datacenter flash caches"
(USENIX ATC 2022). LRU is approximated by one lifetime that all pages share; in each category the admissions are points
of flash held and cost; the knapsack buys steps along their lower convex hulls in order of gain, which is the optimum of
the linear programme, until flash is full. The prices are ours: the paper's are not published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.profile.categories import ADMISSIONS, CategoryCounts

ESTIMATOR = "one lifetime for all pages, fractional knapsack over the convex hulls of the admissions; the lifetime of least cost"
VALIDITY = (
    "LRU in RAM and on flash, write-through; a page keeps its category between two requests; the lifetime does not "
    "change over the trace; hits of flash cost nothing"
)
WORTH_A_CHANGE = 1e-3
"""Share of the cost that another admission of one category has to save to be chosen. [1]"""
_MOST_REFINEMENTS = 8
_ALMOST = 1 + 1e-12
"""Ratio below which a cost is no less than another."""


@dataclass(frozen=True, eq=False)
class Knapsack:
    """The cheapest mixtures of options that fit.

    Attributes
    ----------
    shares : (c, p) float64 array
        Share of each option in each category; rows sum to 1, and at most two are above 0.
    space, cost : float
        Of all categories.
    price : float
        What one more unit of space would save: the Lagrange multiplier; 0 where space is left.
    """

    shares: FloatArray
    space: float
    cost: float
    price: float


def knapsack(space: FloatArray, cost: FloatArray, capacity: float) -> Knapsack:
    """Choose a mixture of options in each category, so that all fit and the cost is least.

    ```text
    in each category: from the option of no space, the step of steepest descent of cost over space, again and again:
                      the lower convex hull
    all steps in order of descent: take them until the capacity is used, the last one in part
    ```

    Steps of one category descend less and less, so none is taken before the one that it stands on.

    Parameters
    ----------
    space, cost : (c, p) float64 array
        Of each option in each category, in any units; the first option takes no space.
    capacity : float
        Most space of all.

    Raises
    ------
    BadInput
        If shapes differ, a number is not finite, a space is negative, or the first option takes some.

    Examples
    --------
    >>> found = knapsack(
    ...     np.array([[0.0, 4.0], [0.0, 2.0]]), np.array([[9.0, 1.0], [5.0, 3.0]]), 5.0
    ... )
    >>> found.shares.tolist(), found.cost, found.price
    ([[0.0, 1.0], [0.5, 0.5]], 5.0, 1.0)
    """
    _check(space, cost, capacity)
    categories, options = space.shape
    rows = np.arange(categories)
    at = np.zeros(categories, dtype=np.int64)
    taken: list[tuple[FloatArray, NDArray[np.int64], NDArray[np.int64]]] = []
    for _ in range(options - 1):
        wide = space - space[rows, at][:, None]
        fall = cost - cost[rows, at][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(
                wide > 0, fall / wide, np.where((wide == 0) & (fall < 0), -np.inf, 0.0)
            )
        # Of equal slopes the widest step.
        least = slope.min(axis=1, keepdims=True)
        reach = np.where(slope == least, wide, -1.0)
        free = np.isneginf(least[:, 0])
        to = np.where(
            free,
            np.where(np.isneginf(slope), fall, np.inf).argmin(axis=1),
            reach.argmax(axis=1),
        )
        falls = least[:, 0] < 0
        taken.append(
            (np.where(falls, least[:, 0], 0.0), at.copy(), np.where(falls, to, at))
        )
        at = np.where(falls, to, at)
    return _bought(space, cost, capacity, taken)


def _bought(
    space: FloatArray,
    cost: FloatArray,
    capacity: float,
    steps: list[tuple[FloatArray, NDArray[np.int64], NDArray[np.int64]]],
) -> Knapsack:
    """Take steps in order of descent until the capacity is used."""
    categories = space.shape[0]
    slope = np.concatenate([each[0] for each in steps])
    start = np.concatenate([each[1] for each in steps])
    end = np.concatenate([each[2] for each in steps])
    row = np.tile(np.arange(categories), len(steps))
    falls = slope < 0
    slope, start, end, row = slope[falls], start[falls], end[falls], row[falls]
    order = np.argsort(slope, kind="stable")
    slope, start, end, row = slope[order], start[order], end[order], row[order]
    wide = space[row, end] - space[row, start]
    used = np.cumsum(wide)
    whole = int(np.searchsorted(used, capacity, side="right"))
    shares = np.zeros_like(space)
    shares[:, 0] = 1.0
    for step in range(whole):
        shares[row[step]] = 0.0
        shares[row[step], end[step]] = 1.0
    price = 0.0
    if whole < slope.size:
        left = capacity - (used[whole - 1] if whole else 0.0)
        part = max(left, 0.0) / wide[whole]
        shares[row[whole], start[whole]] = 1.0 - part
        shares[row[whole], end[whole]] = part
        price = -float(slope[whole])
    return Knapsack(
        shares, float((shares * space).sum()), float((shares * cost).sum()), price
    )


def _check(space: FloatArray, cost: FloatArray, capacity: float) -> None:
    problems = Problems(
        "knapsack", "give a row for each category, the first option without space"
    )
    same = space.shape == cost.shape and space.ndim == 2 and space.shape[1] > 1  # noqa: PLR2004
    problems.check(
        same, "space", space.shape, f"must have the shape of cost, {cost.shape}"
    )
    problems.check(
        np.isfinite(capacity) and capacity >= 0,
        "capacity",
        capacity,
        "must not be negative",
    )
    problems.raise_if_any()
    problems.check(
        bool(np.isfinite(space).all()) and bool((space >= 0).all()),
        "space",
        None,
        "must be finite and not negative",
    )
    problems.check(bool(np.isfinite(cost).all()), "cost", None, "must be finite")
    problems.check(not space[:, 0].any(), "space", None, "the first option takes some")
    problems.raise_if_any()


@dataclass(frozen=True, eq=False)
class Served:
    """What an assignment makes of the requests below RAM, by the model.

    Attributes
    ----------
    shares : (c, 4) float64 array
        Share of the pages of each category under each of `ADMISSIONS`.
    age : float
        Lifetime of a page on flash behind its last request. [requests]
    held, hits, writes : (c,) float64 array
        Mean pages on flash, reads that it serves, and page writes that it takes. [pages]
    usd : float
        Of reads that flash does not serve, and of page writes, over the trace. [USD]
    """

    shares: FloatArray
    age: float
    held: FloatArray
    hits: FloatArray
    writes: FloatArray
    usd: float


def served(
    counts: CategoryCounts,
    shares: FloatArray,
    flash_pages: float,
    *,
    read_usd: float,
    write_usd: float,
) -> Served:
    """Say what an assignment makes of the requests: at the lifetime at which flash is full.

    ```text
    T: sum over categories and admissions of share x held(T) = flash pages, or all requests where flash is never full
    cost = (reads - hits(T)) x price of a read + writes(T) x price of a page write
    ```

    Between two lifetimes that were counted, values lie on a line.

    Parameters
    ----------
    counts : CategoryCounts
        Of the trace.
    shares : (c, 4) float64 array
        Share of the pages of each category under each of `ADMISSIONS`.
    flash_pages : float
        Capacity. [pages]
    read_usd, write_usd : float
        Of a read from the store, and of a page written to flash. [USD]
    """
    held_by_age = np.einsum("cp,cpt->t", shares, counts.held)
    low, high, part = _filled(held_by_age, flash_pages)

    def between(values: FloatArray) -> FloatArray:
        at = values[:, :, low] * (1.0 - part) + values[:, :, high] * part
        return np.asarray((shares * at).sum(axis=1))

    hits, writes = between(counts.hits), between(counts.writes)
    usd = (counts.reads - hits).sum() * read_usd + writes.sum() * write_usd
    return Served(
        shares,
        float(counts.ages[low] * (1.0 - part) + counts.ages[high] * part),
        between(counts.held),
        hits,
        writes,
        float(usd),
    )


def _filled(held_by_age: FloatArray, flash_pages: float) -> tuple[int, int, float]:
    """Return the two lifetimes that were counted between which flash fills, and how far it is from one to the other. [1]"""
    held = np.maximum.accumulate(held_by_age)
    place = int(np.searchsorted(held, flash_pages))
    last = held.size - 1
    if place > last:
        return last, last, 0.0
    if place == 0:
        return 0, 0, 0.0
    low, high = place - 1, place
    return low, high, float((flash_pages - held[low]) / (held[high] - held[low]))


def uniform(counts: CategoryCounts, admission: str) -> FloatArray:
    """Return the assignment of one admission to all categories."""
    shares = np.zeros(counts.held.shape[:2])
    shares[:, ADMISSIONS.index(admission)] = 1.0
    return shares


@dataclass(frozen=True, eq=False)
class Choice:
    """The assignment of least cost.

    Attributes
    ----------
    best : Served
        What it makes of the requests.
    uniform : dict of str to Served
        The same of each admission for all categories.
    page_usd : float
        What one more page of flash would save over the trace: the Lagrange multiplier at the lifetime of the choice. [USD]
    """

    best: Served
    uniform: dict[str, Served]
    page_usd: float


def choose(
    counts: CategoryCounts, flash_pages: int, *, read_usd: float, write_usd: float
) -> Choice:
    """Choose an admission, or a mixture of two, for each category.

    For each lifetime the knapsack chooses; what it chooses is then costed at its own lifetime, that at which flash is full
    (`served`). The cheapest is refined: the knapsack chooses again at its lifetime, as long as that costs less. At the end
    no other admission of a single category saves `WORTH_A_CHANGE` of the cost.

    Parameters
    ----------
    counts : CategoryCounts
        Of the trace.
    flash_pages : int
        Capacity, at least 1. [pages]
    read_usd, write_usd : float
        Of a read from the store, and of a page written to flash; not negative. [USD]

    Raises
    ------
    BadInput
        If a price is negative or flash has no pages.
    """
    problems = Problems(
        "what to cache", "give prices of at least 0 and at least a page of flash"
    )
    problems.check(flash_pages >= 1, "flash_pages", flash_pages, "must be at least 1")
    for name, value in (("read_usd", read_usd), ("write_usd", write_usd)):
        good = bool(np.isfinite(value)) and value >= 0
        problems.check(good, name, value, "must be finite and not negative")
    problems.raise_if_any()

    def at(shares: FloatArray) -> Served:
        return served(
            counts, shares, flash_pages, read_usd=read_usd, write_usd=write_usd
        )

    costs = (
        counts.reads[:, None, None] - counts.hits
    ) * read_usd + counts.writes * write_usd
    reached = {name: at(uniform(counts, name)) for name in ADMISSIONS}
    best = min(reached.values(), key=lambda each: each.usd)
    for place in range(counts.ages.size):
        packed = knapsack(counts.held[:, :, place], costs[:, :, place], flash_pages)
        found = at(packed.shares)
        if found.usd * _ALMOST < best.usd:
            best = found
    packed = _packed_at(counts, costs, best.age, flash_pages)
    for _ in range(_MOST_REFINEMENTS):
        found = at(packed.shares)
        if found.usd * _ALMOST >= best.usd:
            break
        best = found
        packed = _packed_at(counts, costs, best.age, flash_pages)
    shares = _improved(counts, costs, best.shares, flash_pages)
    if shares is not best.shares:
        best = at(shares)
        packed = _packed_at(counts, costs, best.age, flash_pages)
    return Choice(best, reached, packed.price)


def _improved(
    counts: CategoryCounts, costs: FloatArray, shares: FloatArray, flash_pages: int
) -> FloatArray:
    """Admit one category after the other otherwise, as long as that saves `WORTH_A_CHANGE` of the cost.

    A knapsack packs at one lifetime, and each category that it admits otherwise moves it.
    """

    def usd_of(held: FloatArray, cost: FloatArray) -> float:
        low, high, part = _filled(held, flash_pages)
        return float(cost[low] * (1.0 - part) + cost[high] * part)

    held = np.einsum("cp,cpt->t", shares, counts.held)
    cost = np.einsum("cp,cpt->t", shares, costs)
    usd = usd_of(held, cost)
    kinds = np.eye(shares.shape[1])
    row = unchanged = 0
    while unchanged < len(shares):
        unchanged += 1
        for kind in kinds:
            more = kind - shares[row]
            other_held = held + more @ counts.held[row]
            other_cost = cost + more @ costs[row]
            other_usd = usd_of(other_held, other_cost)
            if other_usd < usd * (1 - WORTH_A_CHANGE):
                held, cost, usd, unchanged = other_held, other_cost, other_usd, 0
                shares = shares.copy()
                shares[row] = kind
        row = (row + 1) % len(shares)
    return shares


def _packed_at(
    counts: CategoryCounts, costs: FloatArray, age: float, flash_pages: int
) -> Knapsack:
    """Pack at a lifetime between two that were counted."""
    high = min(int(np.searchsorted(counts.ages, age)), counts.ages.size - 1)
    low = max(high - 1, 0)
    wide = float(counts.ages[high] - counts.ages[low])
    part = (age - float(counts.ages[low])) / wide if wide else 0.0

    def between(values: FloatArray) -> FloatArray:
        return values[:, :, low] * (1.0 - part) + values[:, :, high] * part

    return knapsack(between(counts.held), between(costs), flash_pages)
