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
LINES = 8
"""Straight lines, joined end to end, that say how much a choice saves by the value of an input: as many at most."""
_DRAWS_OF_LINE = 8
"""Draws that each of these takes at least."""
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

    def breaks(self, option: int) -> Bools:
        """Draws in which an option breaks a limit as it is offered, shape (D,)."""
        found = ~self.keeps[:, option] | (self.needed[:, option] > self.bought[option])
        if self.too_dear is not None:
            found |= self.too_dear[:, option]
        return np.asarray(found)

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
    breaks = buys.breaks(chosen)
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
    buys: Buys,
    value: FloatArray,
    stated: Buys,
    along: Buys | None = None,
    others: FloatArray | None = None,
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
    others : float64 array, shape (D, J), optional
        Values of the other inputs in each draw, which do not depend on this one: what they explain of the costs is taken
        off, as it says nothing of this one.

    Returns
    -------
    float
        From 0 to the expected regret of the best choice, and so of every option that keeps the limits as stated. [cost]

    Notes
    -----
    Brennan, Kharroubi, O'Hagan, Chilcott, Medical Decision Making 27 (2007). Of many choices one is cheaper by chance: in a
    part another choice counts only if it is cheaper by three standard errors, and half of the draws of a part choose for
    the other half. How much cheaper it is there says a regression over the draws of all parts, as in Strong, Oakley,
    Brennan, Medical Decision Making 34 (2014), here of `LINES` joined lines and of the other inputs and their squares; of as
    many devices as the middle draw of the part needs, the draws of the part say it.

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
    parts = np.array_split(order, min(BINS, len(order)))
    beside = _beside(others, possible, len(order))
    saved = 0.0
    # What one half of a part chooses, the other half pays for.
    for half in (0, 1):
        lines = _Lines.through(
            every[:, best][:, None] - every, beside, [part[half::2] for part in parts]
        )
        for number, part in enumerate(parts):
            chooses, pays = part[half::2], part[1 - half :: 2]
            if not (len(chooses) and len(pays)):
                continue
            known, at = stated, 0
            if along is not None:
                known = along
                at = round(float(np.median(value[part])) * (len(along.keeps) - 1))
            saved += _saved(
                some, best, offers, (known, at), (chooses, pays), lines, number
            )
    most = float(np.mean(every[:, best] - some.least()))
    return min(max(0.0, saved / len(value)), max(0.0, most))


def _beside(others: FloatArray | None, possible: Bools, count: int) -> FloatArray:
    """Other inputs and their squares, their means taken off; none of them where there are too few draws for all, shape (D, Q)."""
    if others is None or not 0 < 2 * others.shape[1] <= count // _DRAWS_OF_LINE:
        return np.empty((count, 0))
    some = others[possible]
    some = some - some.mean(axis=0)
    square = some**2
    return np.concatenate((some, square - square.mean(axis=0)), axis=1)


@dataclass(frozen=True, slots=True)
class _Lines:
    """How much choices save by the value of an input, from half of the draws.

    Attributes
    ----------
    clear : list of float64 array, shape (C,)
        Mean saving of each choice in each part; -inf where it is not clearly anything.
    beside : float64 array, shape (D, Q)
        Other inputs in every draw.
    slopes : float64 array, shape (Q, C)
        What these add to each saving.
    """

    clear: list[FloatArray]
    beside: FloatArray
    slopes: FloatArray

    @classmethod
    def through(
        cls, gain: FloatArray, beside: FloatArray, parts: Sequence[IntArray]
    ) -> _Lines:
        """Fit them.

        Parameters
        ----------
        gain : float64 array, shape (D, C)
            What each choice costs less than the best of all, by draw.
        beside : float64 array, shape (D, Q)
            Other inputs in every draw.
        parts : sequence of int array
            Draws of each part, in the order of the input.
        """
        draws = np.concatenate(parts)
        count = len(draws)
        lines = max(1, min(LINES, count // _DRAWS_OF_LINE))
        free = count - lines - 1 - beside.shape[1]
        if free <= 0:  # too few to say how far they scatter
            nothing = np.full(gain.shape[1], -np.inf)
            zero = np.zeros((beside.shape[1], gain.shape[1]))
            return cls([nothing for _ in parts], beside, zero)
        at = (np.arange(count) + 0.5) / count
        knots = np.linspace(0.0, 1.0, lines + 1)
        hats = np.maximum(0.0, 1.0 - np.abs(at[:, None] - knots) * lines)
        basis = np.concatenate((hats, beside[draws]), axis=1)
        inverse = np.linalg.pinv(basis.T @ basis)
        found = inverse @ (basis.T @ gain[draws])
        scatter = np.sum((gain[draws] - basis @ found) ** 2, axis=0) / free
        clear, begin = [], 0
        for part in parts:
            where = np.zeros(basis.shape[1])
            if len(part):
                where[: lines + 1] = hats[begin : begin + len(part)].mean(axis=0)
            begin += len(part)
            mean = where @ found
            error = np.sqrt(scatter * float(where @ inverse @ where))
            clear.append(np.where(mean > _SURE * error, mean, -np.inf))
        return cls(clear, beside, found[lines + 1 :])

    def of_others(self, draws: IntArray, choices: slice | IntArray) -> FloatArray:
        """Return what the other inputs add to the savings of some choices in some draws."""
        return np.asarray(self.beside[draws] @ self.slopes[:, choices])


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
    halves: tuple[IntArray, IntArray],
    lines: _Lines,
    part: int,
) -> float:
    """How much less half of a part pays in all for what the other half chooses instead of the best of all; 0 where it keeps to that."""
    chooses, pays = halves
    choosing, paying = _rows(buys, chooses), _rows(buys, pays)
    here = _middle(choosing.needed)
    options = len(buys.kinds)
    own_cost = choosing.costs(offers[best // options])[:, best % options]
    gain = own_cost[:, None] - choosing.costs(here)
    gain = gain - lines.of_others(np.sort(chooses), slice(options))
    mean = gain.mean(axis=0)
    error = gain.std(axis=0) / np.sqrt(len(gain))
    offers = (*offers, here)
    worth = np.concatenate(
        (lines.clear[part], np.where(mean > _SURE * error, mean, -np.inf))
    )
    counts = np.isfinite(worth) & _permitted(*known, offers)
    if not counts.any():
        return 0.0
    found = int(np.argmax(np.where(counts, worth, -np.inf)))
    own, other = (
        paying.costs(offers[choice // options])[:, choice % options]
        for choice in (best, found)
    )
    # As many devices as are needed here go with the other inputs as those that are offered do.
    like = found if found < len(lines.clear[part]) else found % options
    explained = lines.of_others(pays, np.asarray([like]))
    return float(np.sum(own - other) - np.sum(explained))


def _rows(buys: Buys, draws: IntArray) -> Buys:
    mask = np.zeros(len(buys.needed), dtype=np.bool_)
    mask[draws] = True
    return buys.rows(mask)


def _middle(needed: IntArray) -> IntArray:
    ordered = np.sort(needed, axis=0)
    return np.asarray(ordered[len(ordered) // 2])
