"""How busy, how slow and how worn the devices of an option may be by what a replay counted, and by how much the model may be off."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tierwright.advise.advice._table import Table, budgets_tb
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import IntArray, life_years
from tierwright.evaluate.endurance.growth import growing_years
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.page_flow.decision import pages_that_tell, steady_errors

COLD_ERROR = 0.01
"""By what share the cost of a cold start may be off a replay besides the error of the flash hits: rounding of sizes. [1]"""


def peak_busy(table: Table, at: int, tiers_us: Mapping[str, float]) -> float:
    """Largest busy share of a device of an option in the busiest hour; NaN where the rate is unknown. [1]

    Parameters
    ----------
    table : Table
        Of the options.
    at : int
        Option.
    tiers_us : mapping of str to float
        Busy time of `flash` and `disk` that an access takes. [µs]
    """
    options, peak = table.options, table.setting.served.peak
    if peak is None:
        return math.nan
    each = peak / float(options.machines[at]) / 1e6
    return max(
        tiers_us[tier] * each / max(1, int(count))
        for tier, count in (
            ("disk", options.store_devices[at]),
            ("flash", options.flash_devices[at]),
        )
    )


def life(table: Table, at: int, flash_written: float, store_written: float) -> float:
    """Least life of flash that is bought and is worn by these writes of an access as the load grows; NaN where unknown. [365 days]

    Parameters
    ----------
    table, at, flash_written, store_written
        As `lives`.
    """
    return least_life(table, lives(table, at, flash_written, store_written))


def least_life(table: Table, of_tiers: tuple[float, float]) -> float:
    """Return how long flash lasts as the load grows, by `lives`; NaN where either is unknown. [365 days]"""
    steady = np.min(of_tiers)
    return float(growing_years(steady, table.setting.load_growth_per_year))


def lives(
    table: Table, at: int, flash_written: float, store_written: float
) -> tuple[float, float]:
    """Life at today's rate of flash that caches and of what holds the data, by these writes of an access; NaN where unknown. [365 days]

    Parameters
    ----------
    table : Table
        Of the options.
    at : int
        Option.
    flash_written, store_written : float
        Pages that an access writes to flash that caches, and to what holds the data; NaN where unknown. [1]
    """
    budgets = budgets_tb(table, at)
    options, rate = table.options, table.setting.served.mean
    machines = float(options.machines[at])
    of_flash, of_store = (
        life_years(
            np.asarray([written]),
            None if rate is None else np.asarray([rate / machines]),
            table.setting.curve.page_bytes,
            np.asarray([budget * max(1, int(count))]),
            0.0,
        )[0]
        for written, budget, count in (
            (flash_written, budgets[0], options.flash_devices[at]),
            (store_written, budgets[1], options.store_devices[at]),
        )
    )
    return float(of_flash), float(of_store)


def bands(table: Table, rows: IntArray) -> FloatArray:
    """By what share the I/O time of some options may be off a replay. [1]

    The error of the steady state is known by the share of the pages that the curve shows of `pages_that_tell`.
    """
    options, curve = table.options, table.setting.curve
    ram = options.ram_pages[rows].astype(np.float64)
    flash = options.flash_pages[rows].astype(np.float64)
    found = np.full(len(rows), COLD_ERROR)
    codes = options.scheme[rows]
    for code in np.unique(codes).tolist():
        [of] = np.nonzero(codes == code)
        scheme = table.scheme(int(rows[of[0]]))
        if curve.start == "steady":
            pages = pages_that_tell(scheme, ram[of], flash[of], curve)
            found[of] = steady_errors(pages / max(1, curve.distinct_pages))
        found[of] += explain.error_band(
            scheme, np.maximum(ram[of], 1), flash[of], curve
        )
    return found
