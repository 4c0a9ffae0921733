"""How long RAM takes until it is warm after a restart, and by how much that may be off."""

from __future__ import annotations

import numpy as np

from tierwright.advise.advice._responses import US
from tierwright.advise.advice._table.setting import Setting
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.restart import restart_error_s, restart_s
from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.profile.curve import Curve


def restart_of(
    options: Options,
    at: IntArray,
    setting: Setting,
    curve: Curve,
    longer: tuple[FloatArray | float, FloatArray | float] = (1.0, 1.0),
) -> FloatArray:
    """Time until RAM of some options is warm after a restart at the mean rate; flash keeps what it holds. [s]

    Parameters
    ----------
    options : Options
    at : int array
        Which of them.
    setting : Setting
    curve : Curve
        What is missed while RAM fills.
    longer : tuple of float64 array or float
        By what a read takes longer than stated, of flash and of what holds the data. [1]
    """
    mean = setting.served.mean
    if mean is None:
        return np.full(len(at), np.nan)
    return restart_s(curve, *filling_of(options, at, setting, mean, longer))


def restart_error_of(
    options: Options, at: IntArray, setting: Setting, recorded: float
) -> FloatArray:
    """Return the standard error of `restart_of`, as the curve of the answer was counted on one recording. [s]

    Parameters
    ----------
    options, at, setting
        As of `restart_of`.
    recorded : float
        Accesses that were counted. [1]
    """
    mean = setting.served.mean
    if mean is None:
        return np.full(len(at), np.nan)
    filling = filling_of(options, at, setting, mean)
    return restart_error_s(setting.curve, *filling, recorded)


def filling_of(
    options: Options,
    at: IntArray,
    setting: Setting,
    mean: float,
    longer: tuple[FloatArray | float, FloatArray | float] = (1.0, 1.0),
) -> tuple[FloatArray, float, FloatArray]:
    """RAM to fill, the rate of one machine and what the tier below reads. [pages], [1/s], [1/s]"""
    cached = options.flash_bytes[at] > 0
    read_us = np.where(
        cached,
        options.flash_read_us[at] * longer[0],
        options.store_read_us[at] * longer[1],
    )
    devices = np.where(cached, options.flash_devices[at], options.store_devices[at])
    # All machines fill what the curve counts of one at the same time.
    reads = devices * options.machines[at] * US / read_us / setting.machines
    return options.ram_pages[at], mean / setting.machines, reads
