"""Tables, options and the id of an answer as the replays show them, beside the model."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked.replays import Replayed
from tierwright.advise.advice._split import Split
from tierwright.advise.advice._table import Table, finite
from tierwright.advise.advice.found import (
    FIRST_TOUCHES_ALONE,
    NO_TIME_TO_COMPARE,
    CheckedOption,
    Option,
)
from tierwright.common.arrays import FloatArray
from tierwright.evaluate.advice.rows import IntArray


def identity(
    asked: Asked,
    tried: Sequence[Replayed],
    splits: Mapping[int, Split],
    caches: Sequence[object] = (),
) -> str:
    """Return the id of the answer: one that was checked, or says why it could not be, or whose buffer pools were split, has its own."""
    seen: list[object] = [(each.at, each.reason or each.simulated_us) for each in tried]
    seen += [
        (at, each.counted, each.clean_share)
        for at, each in splits.items()
        if each.counted is not None
    ]
    seen += caches
    if not seen:
        return asked.advice_id
    return hashlib.sha256(f"{asked.advice_id} {seen!r}".encode()).hexdigest()[:16]


def as_replayed(table: Table, tried: Sequence[Replayed]) -> Table:
    """Return the same options, with the times, busy share and life that replays show of those that were replayed.

    Parameters
    ----------
    table : Table
        Of the options.
    tried : sequence of Replayed
        What no replay shows the time of stays by the model.
    """
    timed = [each for each in tried if each.is_timed]
    if not timed:
        return table
    at = np.asarray([each.at for each in timed], dtype=np.int64)
    options, made = table.options, copy.copy(table)
    made.options = replace(
        options,
        flash_us=_with(options.flash_us, at, [each.tiers_us[0] for each in timed]),
        store_us=_with(options.store_us, at, [each.tiers_us[1] for each in timed]),
        peak_busy=_with(options.peak_busy, at, [each.peak_busy for each in timed]),
        life_years=_with(options.life_years, at, [each.life_years for each in timed]),
    )
    return made


def tiers_as_replayed(fewest: Table, table: Table, tried: Sequence[Replayed]) -> Table:
    """Return devices bought by themselves with the times and the wear that replays show, whatever their number is.

    Parameters
    ----------
    fewest : Table
        Of these devices alone, with other numbers of those that hold the data.
    table : Table
        Of the options that were replayed.
    tried : sequence of Replayed
    """
    timed = [
        each for each in tried if each.is_timed and table.source(each.at) == "devices"
    ]
    if not timed:
        return fewest
    options, rows = fewest.options, fewest.tier_rows
    at = table.options.row[[each.at for each in timed]]
    # Of n devices each is worn an nth as fast.
    of_one = [
        each.lives[1] / max(1, int(table.options.store_devices[each.at]))
        for each in timed
    ]
    made = copy.copy(fewest)
    made.tier_rows = replace(
        rows,
        store_life_years=_with(rows.store_life_years, at, of_one),
        cache_life_years=_with(
            rows.cache_life_years, at, [each.lives[0] for each in timed]
        ),
    )
    made.options = made.tier_rows.with_devices(
        replace(
            options,
            flash_us=_with(options.flash_us, at, [each.tiers_us[0] for each in timed]),
            store_us=_with(options.store_us, at, [each.tiers_us[1] for each in timed]),
        ),
        np.arange(len(options)),
        options.store_devices,
        fewest.setting.served.peak,
    )
    return made


def _with(values: FloatArray, at: IntArray, others: Sequence[float]) -> FloatArray:
    """Return values with others in some places."""
    found = values.copy()
    found[at] = others
    return found


def option_by_replay(asked: Asked, found: Option, each: Replayed) -> Option:
    """Describe an option that only its replay admits by what the replay counted, where it counts it."""
    setting = asked.setting
    busy = np.asarray([each.peak_busy])
    return replace(
        found,
        io_time_us_per_access=each.simulated_us,
        replayed_io_time_us_per_access=each.simulated_us,
        peak_busy=finite(each.peak_busy),
        throughput_accesses_per_s=finite(float(setting.throughput_per_s(busy)[0])),
        flash_life_years=finite(each.life_years) if each.knows_life else None,
    )


def _without_gap(each: Replayed) -> str:
    """Say why what was replayed has no gap; empty where it has one."""
    if each.gap is not None:
        return ""
    return NO_TIME_TO_COMPARE if each.is_timed else FIRST_TOUCHES_ALONE


def checked_option(option: Option, each: Replayed) -> CheckedOption:
    return CheckedOption(
        option,
        each.model_us,
        None if each.reason else each.simulated_us,
        each.gap,
        each.is_beyond_band,
        each.reason or _without_gap(each),
        each.band if each.is_timed else None,
        each.warnings,
        finite(each.life_years) if each.knows_life and not each.reason else None,
    )
