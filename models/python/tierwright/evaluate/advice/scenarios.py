"""What a choice costs more than the best in each of several scenarios, and which choice does best in its worst."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.rows import IntArray, Options, busy_share


def busy_after_loss(options: Options, accesses_per_s: float) -> FloatArray:
    """Share of the time for which the busiest device is busy in the busiest hour after one of them failed. [1]

    Of what is bought, one of the devices that hold the data of one machine: the others of that machine carry its
    load; where it had one alone, the other machines. Of what is rented, one machine. Hit ratios stay.

    Parameters
    ----------
    options : Options
    accesses_per_s : float
        Rate of all machines together in the busiest hour. [1/s]

    Returns
    -------
    float64 array
        Infinite where nothing is left that could carry the load; NaN where a time is unknown.
    """
    machines, devices = left_after_loss(options)
    rate = accesses_per_s / np.maximum(machines, 1)
    store = busy_share(options.store_us, rate, devices)
    flash = busy_share(options.flash_us, rate, options.flash_devices)
    known = ~np.isnan(options.store_us + options.flash_us)
    found = np.where(machines > 0, np.fmax(store, flash), np.inf)
    return np.where(known, found, np.nan)


def left_after_loss(options: Options) -> tuple[IntArray, IntArray]:
    """Return among how many machines the load is divided after one device failed, and the devices of the one that has least.

    Of what is bought, one of the devices that hold the data of one machine fails: that machine carries the load of one
    among all with the others. Where it had one alone, and of what is rented, the whole machine fails.

    Parameters
    ----------
    options : Options

    Returns
    -------
    machines, devices : int64 array
        No machines where nothing is left.
    """
    whole = options.is_rented | (options.store_devices <= 1)
    machines = options.machines - whole
    devices = np.where(whole, options.store_devices, options.store_devices - 1)
    return machines.astype(np.int64), devices.astype(np.int64)


def regrets(
    costs: FloatArray, keeps: Bools, lost: FloatArray, best: FloatArray
) -> FloatArray:
    """Return what each choice costs more than the best of each scenario.

    Parameters
    ----------
    costs : float64 array, shape (choices, scenarios)
        What each costs.
    keeps : bool array, shape (choices, scenarios)
        Whether it keeps every limit.
    lost : float64 array, shape (choices, scenarios)
        Where it does not, the best is bought instead: what is lost by that; NaN where that is no repair.
    best : float64 array, shape (scenarios,)
        The least that anything costs that keeps every limit; NaN where nothing does.

    Returns
    -------
    float64 array, shape (choices, scenarios)
        0 or more; NaN where no choice keeps the limits, or a broken limit has no repair.
    """
    least = np.fmin(best, np.where(keeps, costs, np.inf).min(axis=0, initial=np.inf))
    least = np.where(np.isfinite(least), least, np.nan)
    kept = np.maximum(costs - least, 0.0)
    return np.where(keeps, kept, np.where(np.isnan(least), np.nan, lost))


def minimax(
    regret: FloatArray, keeps: Bools, able: Bools, costs: Sequence[float]
) -> int | None:
    """Return the choice whose largest regret is least; of equals that which keeps the limits of more scenarios.

    Parameters
    ----------
    regret : float64 array, shape (choices, scenarios)
        As of `regrets`; in a scenario that some choice survives, one whose regret is NaN is never chosen before one
        whose regret is known.
    keeps : bool array, shape (choices, scenarios)
        Whether each keeps every limit there.
    able : bool array, shape (choices,)
        Which may be chosen.
    costs : sequence of float
        Told apart by last.

    Returns
    -------
    int or None
        None where none may be chosen.

    Examples
    --------
    >>> minimax(
    ...     np.asarray([[0.0, 9.0], [2.0, 3.0]]),
    ...     np.ones((2, 2), dtype=bool),
    ...     np.ones(2, dtype=bool),
    ...     [5.0, 7.0],
    ... )
    1
    """
    counted = ~np.isnan(regret).all(axis=0)
    best: tuple[tuple[float, ...], int] | None = None
    for at in np.nonzero(able)[0].tolist():
        row = regret[at, counted]
        worst = math.inf if np.isnan(row).any() else float(row.max(initial=0.0))
        key = (worst, float(np.count_nonzero(~keeps[at])), costs[at], float(at))
        if best is None or key < best[0]:
            best = key, at
    return None if best is None else best[1]
