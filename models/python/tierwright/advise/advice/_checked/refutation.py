"""Limits that cannot be kept together because replays break what the model keeps, and by how much they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked.limits import COUNTED, broken
from tierwright.advise.advice._checked.replays import Replayed
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import (
    IF_DIRTY,
    beside_text,
    limit_value,
    stated_limit,
)
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted, listed, percent
from tierwright.evaluate.advice.limits import (
    IO_TIME,
    LIFE,
    LOAD,
    PEAK_BUSY,
    THROUGHPUT,
    Limit,
    conflict,
)


def refuted(
    asked: Asked, table: Table, tried: Sequence[Replayed], limits: Sequence[Limit]
) -> tuple[tuple[str, ...], str]:
    """Name limits that cannot be kept together where replays break what the model keeps, and say by how much.

    Parameters
    ----------
    asked : Asked
    table : Table
    tried : sequence of Replayed
        Of the options that keep every limit by the model, and of others.
    limits : sequence of Limit
        By the model, those of response times among them.

    Returns
    -------
    names : tuple of str
        Each of them is needed, as far as is known: an option counts by its replay, one that was not replayed and keeps
        every limit by the model is taken to break what the nearest breaks, every other counts by the model.
    text : str
    """
    found = [(broken(asked, each), each) for each in tried if not each.reason]
    nearest_names, nearest = min(found, key=lambda two: (len(two[0]), two[1].peak_busy))
    keeps = ~np.logical_or.reduce([limit.breaks for limit in limits])
    breaks = {limit.name: limit.breaks.copy() for limit in limits}
    busy = {
        limit.name: limit.value.copy() for limit in limits if limit.name == PEAK_BUSY
    }
    for name in breaks.keys() & set(nearest_names):
        breaks[name] |= keeps
        if name in busy:
            busy[name][keeps] = np.maximum(busy[name][keeps], nearest.peak_busy)
    for names, each in found:
        for name in breaks.keys() & set(COUNTED):
            breaks[name][each.at] = name in names
        for value in busy.values():
            value[each.at] = each.peak_busy
    names = conflict(
        [
            replace(
                limit,
                breaks=breaks[limit.name],
                value=busy.get(limit.name, limit.value),
            )
            for limit in limits
        ],
        len(table.options),
    )
    were = (
        f"the one option that was replayed breaks {'one limit' if len(nearest_names) == 1 else 'some'}"
        if len(found) == 1
        else f"the {counted(len(found), 'option')} that were replayed all break some"
    )
    said = (
        f"By the model options keep every limit, but {were}: at the best, "
        f"{how_far_beyond(asked, table, nearest, nearest_names)}."
    )
    others = [name for name in names if name not in (*nearest_names, LOAD)]
    if others:
        said = f"{said} {beside_text(len(nearest_names), others)}"
    return names or nearest_names, said


def how_far_beyond(
    asked: Asked, table: Table, each: Replayed, names: Sequence[str]
) -> str:
    """Say by how much an option breaks limits by its replay."""
    title = table.title(each.at)
    said = []

    def against(
        value: str, of: str, than: str, limit: str, which: str, stated: str = ""
    ) -> str:
        """Compare a value with its limit, which may look the same in so many digits, and is written as it was stated."""
        by = ", by less than is shown" if value == limit else ""
        return f"{value}{of}, {than} than the {stated or limit} {which}{by}"

    def asked_for(name: str) -> str:
        return stated_limit(name, asked.constraints[name])

    busy, of_hour = f"a device of {title} is busy for", " of the busiest hour"
    if PEAK_BUSY in names:
        most = percent(asked.setting.most_busy)
        said.append(
            f"{busy} {against(percent(each.peak_busy), of_hour, 'more', most, 'that are allowed', asked_for(PEAK_BUSY))}"
        )
    elif THROUGHPUT in names:
        most = percent(asked.setting.busy_for_throughput)
        which = "with which it would carry the throughput that is asked for"
        said.append(
            f"{busy} {against(percent(each.peak_busy), of_hour, 'more', most, which)}"
        )
    if IO_TIME in names:
        most = format_microseconds(float(asked.constraints[IO_TIME]))
        taken = format_microseconds(each.held_us)
        said.append(
            f"an access to {title} takes {against(taken, ' of I/O time', 'more', most, 'that are allowed', asked_for(IO_TIME))}"
        )
    if LIFE in names:
        least = limit_value(LIFE, float(asked.constraints[LIFE]))
        lasts = limit_value(LIFE, each.life_years)
        said.append(
            f"{'' if each.knows_life else IF_DIRTY}flash of {title} lasts {against(lasts, '', 'less', least, 'that are asked for', asked_for(LIFE))}"
        )
    return listed(said)
