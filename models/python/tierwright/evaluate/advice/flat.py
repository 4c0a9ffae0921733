"""How flat the optimum is, size by size, and what the next dollar buys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import IntArray, Options

FLAT_SHARE = 0.05
"""Share of the objective by which an option of the flat region may be worse. [1]"""
STEP = 0.1
"""Share by which a size is changed. [1]"""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Region:
    """One size of the best option, and how far it may be changed.

    Attributes
    ----------
    size : str
        `ram_bytes`, `flash_bytes`, `machines` or `disks`, of all machines together.
    value : float
        Of the best option.
    low, high : float
        Ends of the sizes of the options that are at most `FLAT_SHARE` worse.
    less, more : int or None
        Row of the best option with at least `STEP` less of it, and with at least `STEP` more; None without one.
    """

    size: str
    value: float
    low: float
    high: float
    less: int | None
    more: int | None


def regions(
    options: Options, order: IntArray, best: int, objective: FloatArray
) -> Iterator[Region]:
    """Say of each size how far it may be changed, the others chosen again, among options of the same kind and scheme.

    Parameters
    ----------
    options : Options
    order : int array
        Rows that keep every limit, the best first.
    best : int
        Row of the recommendation.
    objective : float64 array
        What is to be least, of every option.

    Yields
    ------
    Region
        Of each size that the best option has.
    """
    same, near = _alike(options, order, best, objective)
    for name, values, value in _sizes(options, best):
        sizes = values[same]
        flat = np.append(sizes[near], value)
        less, more = _apart(sizes, value)
        yield Region(
            name,
            value,
            float(flat.min()),
            float(flat.max()),
            int(same[less][0]) if less.any() else None,
            int(same[more][0]) if more.any() else None,
        )


def ends(
    options: Options, order: IntArray, best: int, objective: FloatArray
) -> Iterator[IntArray]:
    """Yield, where more limits are still to be held, what has to be tried: of each list the first that keeps them counts.

    `regions` of these alone is that of all that keep the limits.

    Parameters
    ----------
    options, order, best, objective
        As of `regions`.

    Yields
    ------
    int array
        Rows: of each size those of the flat region from the smallest and from the largest on, and the best with less
        and with more of it.
    """
    same, near = _alike(options, order, best, objective)
    for _, values, value in _sizes(options, best):
        sizes = values[same]
        by_size = np.argsort(sizes[near], kind="stable")
        yield same[near][by_size]
        yield same[near][by_size[::-1]]
        for each in _apart(sizes, value):
            yield same[each]


def _alike(
    options: Options, order: IntArray, best: int, objective: FloatArray
) -> tuple[IntArray, Bools]:
    """Rows of the same kind and scheme, and which of them are about as good."""
    same = order[
        (options.source[order] == options.source[best])
        & (options.scheme[order] == options.scheme[best])
    ]
    near = objective[same] <= objective[best] * (1 + FLAT_SHARE) * (1 + ROUNDING)
    return same, np.asarray(near)


def _sizes(options: Options, best: int) -> Iterator[tuple[str, FloatArray, float]]:
    """Sizes that the best option has, of every option and of the best."""
    for name, values in (
        ("ram_bytes", options.ram_bytes),
        ("flash_bytes", options.flash_bytes),
        ("machines", options.machines.astype(np.float64)),
        ("disks", (options.store_devices * options.machines).astype(np.float64)),
    ):
        value = float(values[best])
        if value > 0:
            yield name, values, value


def _apart(sizes: FloatArray, value: float) -> tuple[Bools, Bools]:
    """Which sizes are at least `STEP` less, and at least `STEP` more."""
    return (
        np.asarray(sizes <= value * (1 - STEP) * (1 + ROUNDING)),
        np.asarray(sizes >= value * (1 + STEP) * (1 - ROUNDING)),
    )


def next_dollars(usd: FloatArray, time_us: FloatArray, first: int) -> list[int]:
    """Return where more money goes first: each step saves the most time for its money of all that are faster.

    Parameters
    ----------
    usd : float64 array
        Of each option. [USD/month]
    time_us : float64 array
        Its I/O time. [µs]
    first : int
        Where it starts.

    Returns
    -------
    list of int
        Options, each faster than the one before: the convex hull of cost over time, so that each step costs at least
        as much for a µs as the one before; empty where nothing that costs more is faster.

    Examples
    --------
    >>> next_dollars(
    ...     np.asarray([10.0, 20.0, 21.0, 90.0]), np.asarray([9.0, 7.0, 5.0, 4.0]), 0
    ... )
    [2, 3]
    """
    found: list[int] = []
    at = first
    while True:
        [faster] = np.nonzero((time_us < time_us[at]) & (usd > usd[at]))
        if not len(faster):
            return found
        rate = (usd[faster] - usd[at]) / (time_us[at] - time_us[faster])
        # Of equal rates the farthest: those between lie on the same line.
        at = int(faster[np.lexsort((time_us[faster], rate))[0]])
        found.append(at)
