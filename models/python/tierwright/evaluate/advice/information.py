"""What uncertain inputs are worth knowing: probability of a choice, its expected regret, and partial perfect information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import IntArray

NEAR = 0.01
"""Share by which a choice may cost more than the best and still count as it. [1]"""
BINS = 16
"""Parts into which the draws are put by the value of an input."""
_SURE = 3.0
"""Standard errors by which another choice has to be cheaper in a part before it counts as the better one there."""
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Buys:
    """Options as they may be bought: how much each costs in each draw by the number of its devices.

    Attributes
    ----------
    fixed : float64 array, shape (K,) or (D, K)
        Cost without the devices whose number is free, of each draw where prices differ. [cost]
    unit : float64 array, shape (K,) or (D, K)
        Of one such device; 0 where no number is free. [cost]
    bought : int64 array, shape (K,)
        Devices of each as it is offered.
    needed : int64 array, shape (D, K)
        Devices that keep the limits in each draw.
    keeps : bool array, shape (D, K)
        Whether the other limits are kept with them.
    kinds : int64 array, shape (K,)
        What each consists of: one that breaks a limit is repaired by one of its kind.
    too_dear : bool array, shape (D, K), optional
        Whether a limit of money is broken by what is bought, though fewer devices, which would do, keep it.
    """

    fixed: FloatArray
    unit: FloatArray
    bought: IntArray
    needed: IntArray
    keeps: Bools
    kinds: IntArray
    too_dear: Bools | None = None

    @property
    def possible(self) -> Bools:
        """Draws in which some option keeps every limit, shape (D,)."""
        return np.asarray(self.keeps.any(axis=1))

    def least(self) -> FloatArray:
        """Cost of the best option in each draw, bought as it is needed there; infinite where there is none, shape (D,)."""
        return np.asarray(self._as_needed().min(axis=1))

    def _as_needed(self) -> FloatArray:
        cost = self.fixed + self.unit * self.needed
        return np.asarray(np.where(self.keeps, cost, np.inf))

    def costs(self, bought: IntArray) -> FloatArray:
        """Cost of each option in each draw with so many devices, its repair included, shape (D, K).

        Where it has too few devices, more are bought. Where it breaks another limit, it is replaced by the cheapest of its
        kind that keeps them, or the cheapest of all where there is none of its kind, and costs no less than it
        did itself.
        """
        own = self.fixed + self.unit * np.maximum(self.needed, bought)
        needed = self._as_needed()
        repair = np.empty_like(needed)
        for kind in np.unique(self.kinds):
            same = self.kinds == kind
            repair[:, same] = needed[:, same].min(axis=1, keepdims=True)
        least = needed.min(axis=1, keepdims=True)
        repair = np.where(np.isfinite(repair), repair, least)
        return np.asarray(np.where(self.keeps, own, np.maximum(own, repair)))

    def replaced(self, option: int) -> Bools:
        """Draws in which an option breaks a limit that none of its kind keeps: it gives way to another one, shape (D,)."""
        same = self.kinds == self.kinds[option]
        return np.asarray(~self.keeps[:, same].any(axis=1))

    def rows(self, draws: Bools) -> Buys:
        """Return the same of some draws."""
        fixed, unit = (
            each if each.ndim == 1 else each[draws] for each in (self.fixed, self.unit)
        )
        return Buys(
            fixed,
            unit,
            self.bought,
            self.needed[draws],
            self.keeps[draws],
            self.kinds,
            None if self.too_dear is None else self.too_dear[draws],
        )


@dataclass(frozen=True, slots=True)
class Regret:
    """What a choice costs more than the best of each draw.

    Attributes
    ----------
    probability : float
        Share in which it is within `NEAR` of the best, of the draws in which some option keeps every limit; where another
        kind has to replace it, it is not, whatever that costs. [1]
    expected : float
        Mean of what it costs more, of the same draws. [cost]
    breaks : float
        Share of all draws in which it breaks a limit, those in which no option keeps every limit among them. [1]
    repair : float
        Mean of what its repair adds to its cost where it breaks a limit and some option keeps every limit; 0 where there
        are no such draws. [cost]
    none_keeps : float
        Share of all draws in which no option keeps every limit. [1]
    replaced : float
        Share of all draws in which it breaks a limit that none of its kind keeps, and another option does. [1]
    """

    probability: float
    expected: float
    breaks: float
    repair: float
    none_keeps: float = 0.0
    replaced: float = 0.0


def regret(buys: Buys, chosen: int) -> Regret:
    """Hold a choice against the best of each draw.

    There is a best only where some option keeps every limit: what it costs is of these draws, how often it breaks a limit
    of all.

    Parameters
    ----------
    buys : Buys
        Of at least one possible draw.
    chosen : int
        Index of the choice.

    Examples
    --------
    Two options of 10 and 12; in the second of two draws the first needs two devices of 1 more:

    >>> two = Buys(
    ...     np.asarray([9.0, 12.0]),
    ...     np.asarray([1.0, 0.0]),
    ...     np.asarray([1, 0]),
    ...     np.asarray([[1, 0], [5, 0]]),
    ...     np.ones((2, 2), dtype=bool),
    ...     np.asarray([0, 1]),
    ... )
    >>> found = regret(two, 0)
    >>> found.probability, found.expected, found.breaks, found.repair
    (0.5, 1.0, 0.5, 4.0)
    """
    possible = buys.possible
    some = buys.rows(possible)
    cost, least = some.costs(some.bought)[:, chosen], some.least()
    breaks = ~buys.keeps[:, chosen] | (buys.needed[:, chosen] > buys.bought[chosen])
    if buys.too_dear is not None:
        breaks |= buys.too_dear[:, chosen]
    near = (cost <= least * (1 + NEAR)) & ~some.replaced(chosen)
    offered = (some.fixed + some.unit * some.bought)[..., chosen]
    added = (cost - offered)[breaks[possible]]
    return Regret(
        float(np.mean(near)),
        float(np.mean(np.maximum(cost - least, 0.0))),
        float(np.mean(breaks)),
        float(np.mean(added)) if len(added) else 0.0,
        float(np.mean(~possible)),
        float(np.mean(buys.replaced(chosen) & possible)),
    )


def worth_of(
    buys: Buys, value: FloatArray, stated: Buys, along: Buys | None = None
) -> float:
    """How much less the best choice is expected to cost if one input is known: partial perfect information.

    ``min over choices of E[cost] - E[min over choices of E[cost | input]]``, the inner mean over the draws of each of
    `BINS` parts by the value of the input. A choice is an option with as many devices as are offered, or as the
    middle draw of all, or of the part, needs, which may be recommended: it keeps every limit with all inputs as they are
    stated or, where one is known, with that one at its middle value of the part. What breaks a limit is no choice,
    however cheap its repair.

    Parameters
    ----------
    buys : Buys
        Costs by draw.
    value : float64 array, shape (D,)
        Of the input, in each draw; where `along` is given, its place in its range, from 0 to 1.
    stated : Buys
        One draw with every input as it is stated, in which some option keeps every limit.
    along : Buys, optional
        A draw at each of some evenly spaced places of the input, the others as they are stated; without it, knowing the
        input permits no other options.

    Returns
    -------
    float
        From 0 to the expected regret of the best choice, and so of every option that keeps the limits as stated. [cost]

    Notes
    -----
    Brennan, Kharroubi, O'Hagan, Chilcott, Medical Decision Making 27 (2007). Of many choices one is cheaper by chance: in a
    part another choice counts only if it is cheaper by three standard errors, and half of the draws of a part choose for
    the other half.

    Examples
    --------
    An input that decides which of two options costs 10 and which 20:

    >>> known = np.arange(64.0)
    >>> first = np.where(known < 32, 10.0, 20.0)
    >>> ones = np.ones((64, 2), dtype=np.int64)
    >>> prices = Buys(
    ...     np.zeros(2),
    ...     np.ones(2),
    ...     np.zeros(2, dtype=np.int64),
    ...     np.stack((first, 30 - first), axis=1).astype(np.int64),
    ...     ones == 1,
    ...     np.arange(2),
    ... )
    >>> stated = Buys(
    ...     np.zeros(2),
    ...     np.ones(2),
    ...     np.zeros(2, dtype=np.int64),
    ...     np.zeros((1, 2), dtype=np.int64),
    ...     np.ones((1, 2), dtype=np.bool_),
    ...     np.arange(2),
    ... )
    >>> worth_of(prices, known, stated)
    5.0
    """
    possible = buys.possible
    some, value = buys.rows(possible), value[possible]
    if not len(value):
        return 0.0
    offers = (some.bought, _middle(some.needed))
    every = np.concatenate([some.costs(each) for each in offers], axis=1)
    best = int(
        np.argmin(np.where(_permitted(stated, 0, offers), every.mean(axis=0), np.inf))
    )
    order = np.argsort(value, kind="stable")
    saved = 0.0
    for part in np.array_split(order, min(BINS, len(order))):
        known, at = stated, 0
        if along is not None:
            known = along
            at = round(float(np.median(value[part])) * (len(along.keeps) - 1))
        # What one half of a part chooses, the other half pays for.
        for chooses, pays in ((part[::2], part[1::2]), (part[1::2], part[::2])):
            if len(chooses) and len(pays):
                saved += _saved(some, best, offers, (known, at), chooses, pays)
    return max(0.0, saved / len(value))


def _permitted(known: Buys, at: int, offers: Sequence[IntArray]) -> Bools:
    """Whether each option with each number of devices keeps every limit in one draw, shape (offers x K,)."""
    return np.concatenate(
        [known.keeps[at] & (known.needed[at] <= bought) for bought in offers]
    )


def _saved(
    buys: Buys,
    best: int,
    offers: tuple[IntArray, ...],
    known: tuple[Buys, int],
    chooses: IntArray,
    pays: IntArray,
) -> float:
    """How much less some draws pay in all for what others choose instead of the best of all; 0 where they keep to that."""
    choosing, paying = _rows(buys, chooses), _rows(buys, pays)
    offers = (*offers, _middle(choosing.needed))
    costs = np.concatenate([choosing.costs(each) for each in offers], axis=1)
    gain = costs[:, best][:, None] - costs
    mean = gain.mean(axis=0)
    error = gain.std(axis=0) / np.sqrt(len(gain))
    counts = (mean > _SURE * error) & _permitted(*known, offers)
    if not counts.any():
        return 0.0
    found = int(np.argmax(np.where(counts, mean, -np.inf)))
    options = len(buys.kinds)
    own, other = (
        paying.costs(offers[choice // options])[:, choice % options]
        for choice in (best, found)
    )
    return float(np.sum(own - other))


def _rows(buys: Buys, draws: IntArray) -> Buys:
    mask = np.zeros(len(buys.needed), dtype=np.bool_)
    mask[draws] = True
    return buys.rows(mask)


def _middle(needed: IntArray) -> IntArray:
    ordered = np.sort(needed, axis=0)
    return np.asarray(ordered[len(ordered) // 2])
