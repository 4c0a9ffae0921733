"""Limits held against what a replay counted: which of them an option breaks by its replay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked.places import unfilled_by
from tierwright.advise.advice._checked.replays import Replayed
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import on_limit
from tierwright.common.wording import listed
from tierwright.evaluate.advice.limits import (
    IO_TIME,
    LIFE,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    THROUGHPUT,
    Limit,
)
from tierwright.evaluate.advice.limits import ROUNDING as LIMIT_ROUNDING

COUNTED = (PEAK_BUSY, THROUGHPUT, IO_TIME, LIFE)
"""Limits of what a replay counts."""


def as_shown(asked: Asked, table: Table, each: Replayed) -> Replayed:
    """Return a replay as far as it tells: RAM alone that the recording does not fill misses more than it will once it is full.

    What keeps its limits with the most that an access takes keeps them; that it breaks one says nothing.
    """
    if each.reason or each.most_us is None or not breaks(asked, each):
        return each
    said = unfilled_by(table, each.at)
    return replace(each, reason=said, simulated_us=math.nan, most_us=None, warnings=())


def broken_limits(
    asked: Asked, peak_busy: float, io_us: float, life_years: float
) -> Iterator[str]:
    """Name the limits of `COUNTED` that are stated and broken by what a replay counted; an unknown value breaks them.

    Parameters
    ----------
    asked : Asked
    peak_busy : float
        Largest busy share of a device in the busiest hour. [1]
    io_us : float
        I/O time of an access. [µs]
    life_years : float
        Least life of flash that is bought. [365 days]
    """
    setting, limits = asked.setting, asked.constraints
    most = {
        PEAK_BUSY: (peak_busy, setting.most_busy),
        THROUGHPUT: (peak_busy, setting.busy_for_throughput),
        IO_TIME: (io_us, float(limits.get(IO_TIME, Decimal("Infinity")))),
    }
    for name, (value, limit) in most.items():
        if name in limits and not value <= limit * (1 + LIMIT_ROUNDING):
            yield name
    if LIFE in limits and not life_years >= float(limits[LIFE]) * (1 - LIMIT_ROUNDING):
        yield LIFE


def broken(asked: Asked, each: Replayed) -> tuple[str, ...]:
    """Name the limits that an option breaks by its replay; none where it was not replayed."""
    if each.reason:
        return ()
    return tuple(broken_limits(asked, each.peak_busy, each.held_us, each.life_years))


def held_by_model(asked: Asked, tried: Sequence[Replayed]) -> str:
    """Say which limits no replay of page flow holds; empty where none of them is stated, or nothing was replayed."""
    names = [name for name in (RESTART, *RESPONSES) if name in asked.constraints]
    if not names or all(each.reason for each in tried):
        return ""
    limits = "limit" if len(names) == 1 else "limits"
    are = "is" if len(names) == 1 else "are"
    words = listed([on_limit(name) for name in names])
    return f"The {limits} {words} {are} held by the model alone: a replay knows no queue and no restart."


def breaks(asked: Asked, each: Replayed) -> bool:
    """Whether the replay shows that an option breaks a limit."""
    return bool(broken(asked, each))


def limits_by_replay(asked: Asked, table: Table, each: Replayed) -> Iterator[Limit]:
    """Yield the limits that an option breaks by its replay, with the value that the replay shows."""
    shown = shown_by(asked, each)
    for name in broken(asked, each):
        value = np.full(len(table.options), np.nan)
        breaks = np.zeros(len(table.options), dtype=np.bool_)
        value[each.at], breaks[each.at] = shown[name], True
        yield Limit(name, asked.constraints[name], value, breaks)


def shown_by(asked: Asked, each: Replayed) -> dict[str, float]:
    """Return what a replay shows of an option, of what it is held against by limits."""
    return {
        PEAK_BUSY: each.peak_busy,
        THROUGHPUT: float(
            asked.setting.throughput_per_s(np.asarray([each.peak_busy]))[0]
        ),
        IO_TIME: each.held_us,
        LIFE: each.life_years,
    }


def with_replays(
    asked: Asked, limits: Sequence[Limit], replayed: Sequence[Replayed]
) -> list[Limit]:
    """Return limits in which some options count by their replays, where these count what is limited.

    Parameters
    ----------
    asked : Asked
    limits : sequence of Limit
        By the model.
    replayed : sequence of Replayed
        Of the options that count so.
    """
    if not replayed:
        return list(limits)
    found = []
    for limit in limits:
        if limit.name in COUNTED and limit.limit is not None:
            value, breaks = limit.value.copy(), limit.breaks.copy()
            for each in replayed:
                value[each.at] = shown_by(asked, each)[limit.name]
                breaks[each.at] = limit.name in broken(asked, each)
            limit = replace(limit, value=value, breaks=breaks)
        found.append(limit)
    return found
