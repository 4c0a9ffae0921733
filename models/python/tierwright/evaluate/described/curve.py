"""Misses and write-backs of LRU under independent references and loops, by formula.

The characteristic time T(C) (Che, Tung and Wang 2002; Fagin 1977) is the number of accesses for
which a page stays in a cache of C pages after it was used. With x the chance that an access is of
a page and w that it writes, the page is hit with chance h = 1 - (1 - x)^T. A stay begins with a
miss and ends at the first access gap longer than T, so it has k accesses with chance
h^(k - 1) (1 - h); none of them writes with chance (1 - w)(1 - h) / (1 - h (1 - w)). So

    miss(x) = x (1 - h)
    write_back(x) = x (1 - h) w / (1 - h (1 - w))

A loop of L pages that takes the share a of the accesses is used again after L / a accesses on
average, always at the stack distance L plus what else was touched meanwhile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.described.groups import Groups, Loops

ESTIMATOR = "characteristic time of independent references, extended to writes; loops by their period"
"""How the counts of a described workload are computed."""

_GRID = 256
_LEAST_MISS = 1e-12
_MOST_STEPS = 60
_CLOSE = 1e-10
_BLOCK = 256
_LARGEST_RATE = 1.0 - 1e-16


@dataclass(frozen=True, slots=True)
class Ratios:
    """Counts per access of an LRU cache in the steady state, by its size.

    Attributes
    ----------
    misses, write_backs : float64 array
        Per access. [1]
    times : float64 array
        Characteristic time T(C); infinite where all pages fit. [accesses]
    """

    misses: FloatArray
    write_backs: FloatArray
    times: FloatArray


def described_ratios(groups: Groups, loops: Loops, sizes: ArrayLike) -> Ratios:
    """Compute misses and write-backs per access.

    Parameters
    ----------
    groups : Groups
        Pages that are accessed independently.
    loops : Loops
        Parts that are read in order.
    sizes : array_like
        Cache sizes, at least 1. [pages]

    Returns
    -------
    Ratios
        Exact at size 1 and where all pages fit; an approximation between, see docs/models/described.md.
    """
    asked = np.asarray(sizes, dtype=np.float64)
    flat = asked.reshape(-1)
    misses = np.zeros_like(flat)
    backs = np.zeros_like(flat)
    times = np.full_like(flat, np.inf)
    total = float(groups.counts.sum() + loops.pages.sum())
    inside = np.flatnonzero(flat < total)
    grid = _grid(groups, loops)
    for at in range(0, len(inside), _BLOCK):  # bounds the memory of sizes x groups
        these = inside[at : at + _BLOCK]
        found = _characteristic_times(groups, loops, flat[these], grid)
        times[these] = found
        misses[these], backs[these] = _independent(groups, found)
    for loop in range(len(loops.pages)):
        missed = loop_miss_chance(groups, loops, loop, flat[inside])
        writes = float(loops.write_shares[loop])
        part = float(loops.access_shares[loop]) * missed
        misses[inside] += part
        backs[inside] += part * _dirty_share(1.0 - missed, writes)
    return Ratios(
        misses.reshape(asked.shape),
        backs.reshape(asked.shape),
        times.reshape(asked.shape),
    )


def _dirty_share(hit: FloatArray, writes: ArrayLike) -> FloatArray:
    """Share of the evicted pages that were written while they stayed."""
    clean = 1.0 - np.asarray(writes, dtype=np.float64)
    return np.asarray(
        np.divide(
            1.0 - clean, 1.0 - hit * clean, out=np.zeros_like(hit), where=clean < 1
        )
    )


def _independent(groups: Groups, times: FloatArray) -> tuple[FloatArray, FloatArray]:
    missed = np.exp(np.multiply.outer(times, _log_left(groups)))
    each = groups.rates * groups.counts
    dirty = _dirty_share(
        1.0 - missed, np.broadcast_to(groups.write_shares, missed.shape)
    )
    return missed @ each, (missed * dirty) @ each


def _log_left(groups: Groups) -> FloatArray:
    """Logarithm of the chance that an access is not of a page of the group."""
    return np.asarray(np.log1p(-np.minimum(groups.rates, _LARGEST_RATE)))


def _held(
    groups: Groups, loops: Loops, times: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Pages that were used within each time, and how many more one access longer holds."""
    logs = _log_left(groups)
    exponents = np.multiply.outer(times, logs)
    held = -np.expm1(exponents) @ groups.counts
    slope = np.exp(exponents) @ (-logs * groups.counts)
    touched = np.multiply.outer(times, loops.access_shares)
    held = held + np.minimum(touched, loops.pages).sum(axis=-1)
    slope = slope + np.where(touched < loops.pages, loops.access_shares, 0.0).sum(
        axis=-1
    )
    return held, slope


def _grid(groups: Groups, loops: Loops) -> tuple[FloatArray, FloatArray]:
    """Return times from one access until every page was used, and the pages held after each."""
    periods = loops.pages / loops.access_shares
    ends = [1.0, *periods.tolist()]
    if len(groups.rates):
        ends.append(-math.log(_LEAST_MISS) / float(groups.rates.min()))
    times = np.geomspace(1.0, max(2.0, 2 * max(ends)), _GRID)
    return times, _held(groups, loops, times)[0]


def _characteristic_times(
    groups: Groups,
    loops: Loops,
    sizes: FloatArray,
    grid: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Solve pages held(T) = C. The pages held are concave: Newton's steps from below stay below."""
    times, held = grid
    at = np.searchsorted(held, sizes, side="right") - 1
    found = times[np.clip(at, 0, len(times) - 1)]
    for _ in range(_MOST_STEPS):
        now, slope = _held(groups, loops, found)
        step = np.divide(sizes - now, slope, out=np.zeros_like(found), where=slope > 0)
        step = np.maximum(step, 0.0)
        found = np.minimum(found + step, times[-1])
        if np.all(step <= _CLOSE * found):
            break
    return found


def loop_miss_chance(
    groups: Groups, loops: Loops, loop: int, sizes: FloatArray
) -> FloatArray:
    """Chance that an access of a loop misses, by cache size.

    Parameters
    ----------
    groups, loops : Groups, Loops
        All of the description.
    loop : int
        Which loop.
    sizes : float64 array
        Cache sizes. [pages]

    Notes
    -----
    Between two accesses to a page lie L accesses of the loop and, as each access is of it with
    chance a, L (1 - a) / a others with the variance L (1 - a) / a^2. The stack distance is L and
    the distinct pages among the others, nearly normal; alone, a loop has the distance L exactly.
    """
    mean, deviation = loop_distance(groups, loops, loop)
    if deviation == 0:
        return np.asarray(sizes < mean - _CLOSE * mean, dtype=np.float64)
    scaled = (mean - sizes - 0.5) / (deviation * math.sqrt(2.0))
    return np.asarray([0.5 * (1.0 + math.erf(one)) for one in scaled.tolist()])


def loop_distance(groups: Groups, loops: Loops, loop: int) -> tuple[float, float]:
    """Return mean and standard deviation of the stack distance of a loop's pages. [pages]"""
    share, length = float(loops.access_shares[loop]), float(loops.pages[loop])
    period = length / share
    mean = float(_held(groups, loops, np.asarray([period]))[0][0])
    others = period - length
    if others <= 0:
        return length, 0.0
    logs = period * _log_left(groups)
    used = -np.expm1(logs)
    rest = np.delete(loops.access_shares, loop)
    touched, pages = rest * period, np.delete(loops.pages, loop)
    slope = float((groups.rates * groups.counts) @ np.exp(logs))
    slope += float(rest[touched < pages].sum())
    slope *= period / others  # for each of the other accesses
    spread = float((groups.counts * used) @ np.exp(logs))
    spread += float(touched[touched < pages].sum())
    variance = spread - others * slope**2 + slope**2 * others / share
    return mean, math.sqrt(max(0.0, variance))
