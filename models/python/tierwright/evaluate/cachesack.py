"""What to cache: an admission for each category of requests, by a fractional knapsack.

Source: Yang, Pollen, Uysal, Merchant, Wolfmeister, "CacheSack: admission optimization for Google datacenter flash caches"
(USENIX ATC 2022). LRU is approximated by one lifetime that all pages share; in each category the admissions are points
of flash held and cost; the knapsack buys steps along their lower convex hulls in order of gain, which is the optimum of
the linear programme, until flash is full. The prices are ours: the paper's are not published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
_TRIED_AT_ONCE = 64
"""Categories whose admission is tried at once."""
_ALMOST = 1 + 1e-12
"""Ratio below which a cost is no less than another."""
_ROUNDED = 1e-9
"""Share by which sums differ at most that are added in another order; many times what sets costs apart."""


@dataclass(frozen=True, eq=False)
class Knapsack:
    """The cheapest mixtures of options that fit.

    Attributes
    ----------
    shares : (c, p) float64 array
        Share of each option in each category; rows sum to 1, and at most two are above 0.
    space, cost : float
        Of all categories, with rent.
    price : float
        What one more unit of space would save beyond its rent: the Lagrange multiplier; 0 where space is left.
    """

    shares: FloatArray
    space: float
    cost: float
    price: float


def knapsack(
    space: FloatArray, cost: FloatArray, capacity: float, rent: float = 0.0
) -> Knapsack:
    """Choose a mixture of options in each category, so that all fit and the cost is least.

    ```text
    in each category: from the option of no space, the step of steepest descent of cost over space, again and again:
                      the lower convex hull
    all steps in order of descent: take them until the capacity is used, the last one in part, or they save less than the rent
    ```

    Steps of one category descend less and less, so none is taken before the one that it stands on.

    Parameters
    ----------
    space, cost : (c, p) float64 array
        Of each option in each category, in any units; the first option takes no space.
    capacity : float
        Most space of all.
    rent : float
        Of a unit of space; what saves less leaves space unused.

    Raises
    ------
    BadInput
        If shapes differ, a number is not finite, a space or the rent is negative, or the first option takes some.

    Examples
    --------
    >>> found = knapsack(
    ...     np.array([[0.0, 4.0], [0.0, 2.0]]), np.array([[9.0, 1.0], [5.0, 3.0]]), 5.0
    ... )
    >>> found.shares.tolist(), found.cost, found.price
    ([[0.0, 1.0], [0.5, 0.5]], 5.0, 1.0)
    >>> found = knapsack(
    ...     np.array([[0.0, 4.0], [0.0, 2.0]]),
    ...     np.array([[9.0, 1.0], [5.0, 3.0]]),
    ...     5.0,
    ...     1.5,
    ... )
    >>> found.shares.tolist(), found.space, found.cost, found.price
    ([[0.0, 1.0], [1.0, 0.0]], 4.0, 12.0, 0.0)
    """
    _check(space, cost, capacity, rent)
    cost = cost + rent * space
    shares, price = _steps(space, cost).bought(capacity)
    return Knapsack(
        shares, float((shares * space).sum()), float((shares * cost).sum()), price
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """The steps along the lower convex hulls of all categories, in order of descent: what they are bought in.

    Attributes
    ----------
    shape : tuple of int
        Categories and options.
    slope : (s,) float64 array
        Cost over space of each; below 0.
    row : (s,) int32 array
        Its category.
    start, end : (s,) int8 array
        Options that it leaves and takes.
    wide, used : (s,) float64 array
        Space that it takes, and with all before it.
    """

    shape: tuple[int, int]
    slope: FloatArray
    row: NDArray[np.int32]
    start: NDArray[np.int8]
    end: NDArray[np.int8]
    wide: FloatArray
    used: FloatArray

    def bought(self, capacity: float) -> tuple[FloatArray, float]:
        """Take steps until the capacity is used; return shares, and what one more unit of space would save."""
        categories = self.shape[0]
        whole = int(np.searchsorted(self.used, capacity, side="right"))
        shares = np.zeros(self.shape)
        # Steps of one category are in order: its last one holds.
        last = np.zeros(categories, dtype=np.int64)
        last[self.row[:whole]] = self.end[:whole]
        shares[np.arange(categories), last] = 1.0
        if whole == self.slope.size:
            return shares, 0.0
        left = capacity - (self.used[whole - 1] if whole else 0.0)
        part = max(left, 0.0) / self.wide[whole]
        shares[self.row[whole], self.start[whole]] = 1.0 - part
        shares[self.row[whole], self.end[whole]] = part
        return shares, -float(self.slope[whole])


def _steps(space: FloatArray, cost: FloatArray) -> _Steps:
    """Find the steps along the lower convex hull of each category."""
    categories, options = space.shape
    # Options first: the least of four is found for all categories at once.
    space_of, cost_of = np.ascontiguousarray(space.T), np.ascontiguousarray(cost.T)
    rows = np.arange(categories)
    at = np.zeros(categories, dtype=np.int64)
    steepest = np.full(categories, -np.inf)
    taken: list[tuple[FloatArray, NDArray[np.int64], NDArray[np.int64]]] = []
    for _ in range(options - 1):
        wide = space_of - space_of[at, rows]
        fall = cost_of - cost_of[at, rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(
                wide > 0, fall / wide, np.where((wide == 0) & (fall < 0), -np.inf, 0.0)
            )
        # Of equal slopes the widest step.
        least = slope.min(axis=0)
        to = np.where(slope == least, wide, -1.0).argmax(axis=0)
        free = np.isneginf(least)
        if free.any():
            lowest = np.where(np.isneginf(slope), fall, np.inf).argmin(axis=0)
            to = np.where(free, lowest, to)
        # Of points on one line, rounding may turn the second step steeper than the first, which it stands on.
        steepest = np.maximum(steepest, least)
        falls = steepest < 0
        taken.append(
            (np.where(falls, steepest, 0.0), at.copy(), np.where(falls, to, at))
        )
        at = np.where(falls, to, at)
    slope = np.concatenate([each[0] for each in taken])
    start = np.concatenate([each[1] for each in taken])
    end = np.concatenate([each[2] for each in taken])
    row = np.tile(rows, len(taken))
    (falling,) = np.nonzero(slope < 0)
    order = falling[np.argsort(slope[falling], kind="stable")]
    row, start, end = row[order], start[order], end[order]
    wide = space_of[end, row] - space_of[start, row]
    return _Steps(
        space.shape,
        slope[order],
        row.astype(np.int32),
        start.astype(np.int8),
        end.astype(np.int8),
        wide,
        np.cumsum(wide),
    )


def _check(space: FloatArray, cost: FloatArray, capacity: float, rent: float) -> None:
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
    problems.check(
        np.isfinite(rent) and rent >= 0, "rent", rent, "must not be negative"
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
    taken : float
        Flash that it can use: the capacity, or less where that is never full. [pages]
    usd : float
        Of reads that flash does not serve, of page writes, and of rent for what is taken, over the trace. [USD]
    """

    shares: FloatArray
    age: float
    held: FloatArray
    hits: FloatArray
    writes: FloatArray
    taken: float
    usd: float


def served(
    counts: CategoryCounts,
    shares: FloatArray,
    flash_pages: float,
    *,
    read_usd: float,
    write_usd: float,
    rent_usd: float = 0.0,
) -> Served:
    """Say what an assignment makes of the requests: at the lifetime at which flash is full.

    ```text
    T: sum over categories and admissions of share x held(T) = flash pages, or all requests where flash is never full
    cost = (reads - hits(T)) x price of a read + writes(T) x price of a page write
           + min(flash pages, most held(T)) x rent of a page
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
    rent_usd : float
        Of a page of flash over the trace. [USD]
    """
    held_by_age = np.einsum("cp,cpt->t", shares, counts.held)
    low, high, part = _filled(held_by_age, flash_pages)

    def between(values: FloatArray) -> FloatArray:
        at = values[:, :, low] * (1.0 - part) + values[:, :, high] * part
        return np.asarray((shares * at).sum(axis=1))

    hits, writes = between(counts.hits), between(counts.writes)
    taken = min(float(flash_pages), float(held_by_age.max()))
    usd = (counts.reads - hits).sum() * read_usd + writes.sum() * write_usd
    return Served(
        shares,
        float(counts.ages[low] * (1.0 - part) + counts.ages[high] * part),
        between(counts.held),
        hits,
        writes,
        taken,
        float(usd) + taken * rent_usd,
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
    """

    best: Served
    uniform: dict[str, Served]


def choose(
    counts: CategoryCounts,
    flash_pages: float,
    *,
    read_usd: float,
    write_usd: float,
    rent_usd: float = 0.0,
    priced: Priced | None = None,
) -> Choice:
    """Choose an admission, or a mixture of two, for each category, and with rent how much flash.

    For each lifetime the knapsack chooses; what it chooses is then costed at its own lifetime, that at which flash is full
    (`served`). The cheapest is refined: the knapsack chooses again at its lifetime, as long as that costs less. At the end
    no other admission of a single category saves `WORTH_A_CHANGE` of the cost.

    Without rent all flash is used, as LRU does. With rent a page that saves less than it costs is not held: see `_rented`.

    Parameters
    ----------
    counts : CategoryCounts
        Of the trace.
    flash_pages : float
        Capacity, at least 1; with rent, the most. [pages]
    read_usd, write_usd : float
        Of a read from the store, and of a page written to flash; not negative. [USD]
    rent_usd : float
        Of a page of flash over the trace; 0 where flash is paid for whatever it holds. [USD]
    priced : Priced, optional
        The counts at these prices, of whoever chooses more than once.

    Raises
    ------
    BadInput
        If a price is negative or flash has no pages.
    """
    problems = Problems(
        "what to cache", "give prices of at least 0 and at least a page of flash"
    )
    problems.check(flash_pages >= 1, "flash_pages", flash_pages, "must be at least 1")
    for name, value in (
        ("read_usd", read_usd),
        ("write_usd", write_usd),
        ("rent_usd", rent_usd),
    ):
        good = bool(np.isfinite(value)) and value >= 0
        problems.check(good, name, value, "must be finite and not negative")
    problems.raise_if_any()
    priced = Priced(counts, read_usd, write_usd) if priced is None else priced
    found = _filling(priced, flash_pages)
    return _rented(priced, found, rent_usd) if rent_usd else found


@dataclass(frozen=True, slots=True)
class WithMore:
    """What more flash than a choice takes would save.

    Attributes
    ----------
    pages : float
        Flash that there would be. [pages]
    usd_now, usd : float
        Of reads and writes over the trace, with the choice and with that flash; the latter is no more. [USD]
    """

    pages: float
    usd_now: float
    usd: float

    @property
    def saved_usd(self) -> float:
        """What it would save over the trace, before its rent. [USD]"""
        return self.usd_now - self.usd


def with_more(
    counts: CategoryCounts,
    chosen: Choice,
    flash_pages: float,
    more_pages: float,
    *,
    read_usd: float,
    write_usd: float,
    rent_usd: float = 0.0,
    priced: Priced | None = None,
) -> WithMore:
    """Choose again with more flash, which need not be used: it never costs more.

    ```text
    without rent: the choice at flash pages + more pages
    with rent: the cheapest of the knapsacks of all lifetimes on the pages that are taken + more pages;
               where all of the flash is taken, the choice without rent there, if that is cheaper
    ```

    A choice that leaves flash for its rent is the cheapest of all knapsacks with that rent, so that more flash than it
    takes, up to the most, saves no more than its rent.

    Parameters
    ----------
    counts : CategoryCounts
        Of the trace.
    chosen : Choice
        Of `choose`, at these prices.
    flash_pages, more_pages : float
        For which it was chosen, and what there would be besides. [pages]
    read_usd, write_usd, rent_usd : float
        As `choose` takes them. [USD]
    priced : Priced, optional
        As `choose` takes it.
    """
    priced = Priced(counts, read_usd, write_usd) if priced is None else priced
    best = chosen.best
    now = best.usd - best.taken * rent_usd
    pages = (best.taken if rent_usd else flash_pages) + more_pages
    reached: list[float] = []
    if rent_usd:
        reached += [
            float((_steps(space, cost).bought(pages)[0] * cost).sum())
            for space, cost in zip(priced.most_held_at, priced.costs_at, strict=True)
        ]
    if not rent_usd or best.taken >= flash_pages:
        again = choose(
            counts, pages, read_usd=read_usd, write_usd=write_usd, priced=priced
        )
        reached.append(again.best.usd)
    least = min(reached)
    return WithMore(pages, now, least if least * _ALMOST < now else now)


class Priced:
    """The counts at prices, with what every choice at these prices asks for.

    Parameters
    ----------
    counts : CategoryCounts
        Of the trace.
    read_usd, write_usd : float
        As `choose` takes them. [USD]
    """

    def __init__(
        self, counts: CategoryCounts, read_usd: float, write_usd: float
    ) -> None:
        self.counts = counts
        self.read_usd = read_usd
        self.write_usd = write_usd
        self.costs: FloatArray = np.asarray(
            (counts.reads[:, None, None] - counts.hits) * read_usd
            + counts.writes * write_usd
        )
        """Of reads from the store and writes to flash of each category, admission and lifetime. [USD]"""

    @cached_property
    def costs_at(self) -> FloatArray:
        """The same, lifetimes first. [USD]"""
        return _lifetimes_first(self.costs)

    @cached_property
    def most_held_at(self) -> FloatArray:
        """Most pages held until each lifetime, lifetimes first. [pages]"""
        return _lifetimes_first(np.maximum.accumulate(self.counts.held, axis=2))

    @cached_property
    def steps_at(self) -> list[_Steps]:
        """Steps of the knapsack at each lifetime, whatever the flash."""
        held = _lifetimes_first(self.counts.held)
        return [
            _steps(space, cost) for space, cost in zip(held, self.costs_at, strict=True)
        ]

    def served(self, shares: FloatArray, flash_pages: float) -> Served:
        """Say what an assignment makes of the requests."""
        return served(
            self.counts,
            shares,
            flash_pages,
            read_usd=self.read_usd,
            write_usd=self.write_usd,
        )

    def packed_at(self, age: float, flash_pages: float) -> FloatArray:
        """Pack at a lifetime between two that were counted."""
        ages = self.counts.ages
        high = min(int(np.searchsorted(ages, age)), ages.size - 1)
        low = max(high - 1, 0)
        wide = float(ages[high] - ages[low])
        part = (age - float(ages[low])) / wide if wide else 0.0

        def between(values: FloatArray) -> FloatArray:
            return values[:, :, low] * (1.0 - part) + values[:, :, high] * part

        return _steps(between(self.counts.held), between(self.costs)).bought(
            flash_pages
        )[0]

    def least_usd(
        self, packed: Sequence[FloatArray], flash_pages: float
    ) -> NDArray[np.float64]:
        """Return what assignments cost at least, each at the lifetime at which it fills flash, but for rounding. [USD]

        All are multiplied at once, and rounded otherwise than one by one: so flash may be full at a lifetime a little
        before or behind, and none between these costs less.
        """
        shares = np.array(packed).reshape(len(packed), -1)
        lifetimes = self.counts.ages.size
        held, costs = (
            shares @ values.reshape(-1, lifetimes)
            for values in (self.counts.held, self.costs)
        )
        few, many = flash_pages * (1 - _ROUNDED), flash_pages * (1 + _ROUNDED)
        most = np.maximum.accumulate(held, axis=1)
        between = np.where((most >= few) & (most < many), costs, np.inf)
        full = (_usd_where_full(held, costs, pages) for pages in (few, many))
        return np.asarray(np.minimum.reduce([between.min(axis=1), *full]))


def _lifetimes_first(values: FloatArray) -> FloatArray:
    return np.ascontiguousarray(values.transpose(2, 0, 1))


def _filling(priced: Priced, flash_pages: float) -> Choice:
    """Choose where flash is paid for whatever it holds: it is always full, as LRU is."""
    counts = priced.counts

    def at(shares: FloatArray) -> Served:
        return priced.served(shares, flash_pages)

    reached = {name: at(uniform(counts, name)) for name in ADMISSIONS}
    best = min(reached.values(), key=lambda each: each.usd)
    packed = [steps.bought(flash_pages)[0] for steps in priced.steps_at]
    # Only what may cost least of all is served one by one.
    least = priced.least_usd(packed, flash_pages)
    first = at(packed[int(least.argmin())]).usd
    near = min(first, best.usd) * (1 + _ROUNDED)
    for place in np.flatnonzero(least <= near):
        found = at(packed[place])
        if found.usd * _ALMOST < best.usd:
            best = found
    again = priced.packed_at(best.age, flash_pages)
    for _ in range(_MOST_REFINEMENTS):
        found = at(again)
        if found.usd * _ALMOST >= best.usd:
            break
        best = found
        again = priced.packed_at(best.age, flash_pages)
    shares = _improved(counts, priced.costs, best.shares, flash_pages)
    if shares is not best.shares:
        best = at(shares)
    return Choice(best, reached)


def _rented(priced: Priced, filling: Choice, rent_usd: float) -> Choice:
    """Choose how much flash is worth its rent too, at most what is used where it costs nothing.

    ```text
    at each lifetime T: the knapsack over cost(T) + rent x held(T); flash of the pages that it packs has the lifetime T
    of these, of each admission for all, and of the choice without rent: the least cost, and of equal ones the least flash
    ```

    Each knapsack is the optimum at its lifetime, and none of what is compared depends on the rent but for its rent, so more
    rent never takes more flash. To fill flash only up to the pages that are held at T, fewer must be held before: a mean
    that falls with T, as those of short traces may, is taken at its highest until T.
    """
    counts = priced.counts
    most = filling.best.taken

    def with_rent(found: Served) -> Served:
        return replace(found, usd=found.usd + found.taken * rent_usd)

    uniform = {name: with_rent(each) for name, each in filling.uniform.items()}
    best = with_rent(filling.best)
    for each in uniform.values():
        if each.taken <= most and (each.usd, each.taken) < (best.usd, best.taken):
            best = each
    for place, (space, bare) in enumerate(
        zip(priced.most_held_at, priced.costs_at, strict=True)
    ):
        cost = bare + rent_usd * space
        shares, price = _steps(space, cost).bought(most)
        usd, pages = float((shares * cost).sum()), float((shares * space).sum())
        if (usd, pages) < (best.usd, best.taken):
            best = Served(
                shares,
                float(counts.ages[place]),
                np.asarray((shares * space).sum(axis=1)),
                np.asarray((shares * counts.hits[:, :, place]).sum(axis=1)),
                np.asarray((shares * counts.writes[:, :, place]).sum(axis=1)),
                # Where space has a price, all is used but for rounding.
                taken=most if price > 0 else pages,
                usd=usd,
            )
    return Choice(best, uniform)


def _improved(
    counts: CategoryCounts, costs: FloatArray, shares: FloatArray, flash_pages: float
) -> FloatArray:
    """Admit one category after the other otherwise, as long as that saves `WORTH_A_CHANGE` of the cost.

    A knapsack packs at one lifetime, and each category that it admits otherwise moves it. Many categories are tried at once,
    and of those that save the first is admitted otherwise before the next are tried.
    """
    held = np.einsum("cp,cpt->t", shares, counts.held)
    cost = np.einsum("cp,cpt->t", shares, costs)
    [usd] = _usd_where_full(held[None], cost[None], flash_pages)
    kinds = np.eye(shares.shape[1])
    rows = len(shares)
    first, kind, left = 0, 0, rows
    while left > 0:
        block = slice(first, min(first + _TRIED_AT_ONCE, first + left, rows))
        more = kinds - shares[block, None, :]
        other_held = held + more @ counts.held[block]
        other_cost = cost + more @ costs[block]
        saves = _usd_where_full(other_held, other_cost, flash_pages) < usd * (
            1 - WORTH_A_CHANGE
        )
        saves[0, :kind] = False
        if not saves.any():
            left -= block.stop - first
            first, kind = block.stop % rows, 0
            continue
        row, kind = divmod(int(saves.argmax()), kinds.shape[0])
        held, cost = other_held[row, kind], other_cost[row, kind]
        [usd] = _usd_where_full(held[None], cost[None], flash_pages)
        shares = shares.copy()
        shares[first + row] = kinds[kind]
        # The other admissions of this category, and then all categories once more.
        first, kind, left = first + row, kind + 1, rows + 1
        if kind == kinds.shape[0]:
            first, kind, left = (first + 1) % rows, 0, rows
    return shares


def _usd_where_full(
    held: FloatArray, cost: FloatArray, flash_pages: float
) -> FloatArray:
    """Return costs at the lifetimes at which flash fills, as `_filled` finds each; the last axis is of lifetimes."""
    held = np.maximum.accumulate(held, axis=-1)
    last = held.shape[-1] - 1
    place = (held < flash_pages).sum(axis=-1, keepdims=True)
    low, high = np.clip(place - 1, 0, last), np.clip(place, 0, last)

    def at(values: FloatArray, where: NDArray[np.int64]) -> FloatArray:
        return np.take_along_axis(values, where, axis=-1)[..., 0]

    wide = at(held, high) - at(held, low)
    part = np.divide(
        flash_pages - at(held, low), wide, out=np.zeros_like(wide), where=wide > 0
    )
    return at(cost, low) * (1.0 - part) + at(cost, high) * part
