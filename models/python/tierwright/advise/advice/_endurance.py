"""On which endurance that no source states the life of flash rests, and what that could change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._unknown import is_better
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice.found import Option
from tierwright.advise.wear_effects import of_the_catalogue
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.currency import money
from tierwright.common.wording import counted, listed, three_digits
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.bought import WEARS
from tierwright.evaluate.advice.limits import LIFE
from tierwright.evaluate.advice.rows import RENTED, IntArray
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.rated_endurance import RatedEndurance, rated_endurance

_HINT = "state `endurance_tb` among the figures of a device file"


def about_endurance(
    asked: Asked, table: Table, best: int | None, option: Option | None
) -> Iterator[Caution]:
    """Yield on which assumed endurance the life of the recommendation rests, or a limit that rules out better options.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int or None
        Row of the recommendation.
    option : Option or None
        The same as it is shown.
    """
    if best is not None:
        yield from assumed_of(asked, table, best, option)
    if LIFE in asked.constraints:
        yield from _ruled_out(asked, table, option)


def assumed_of(
    asked: Asked, table: Table, best: int, option: Option | None
) -> Iterator[Caution]:
    """Yield on which assumed endurance the life of the flash of a recommendation rests.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int
        Row of the recommendation.
    option : Option or None
        The same as it is shown, whose life may be that of its replay.
    """
    life = float(table.options.life_years[best])
    if option is not None and option.flash_life_years is not None:
        life = option.flash_life_years
    if not math.isfinite(life):
        return
    for device in _worn(table, best):
        rated = rated_endurance(device, assume=True)
        if rated.assumed:
            yield _of_the_best(asked, life, device, rated)


def _of_the_best(
    asked: Asked, life: float, device: Device, rated: RatedEndurance
) -> Caution:
    ends = [(text, change) for text, change in of_the_catalogue(rated) if change]
    setting = asked.setting
    limit = setting.least_life_years if LIFE in asked.constraints else 0.0
    lives = [
        setting.grown_life(setting.steady_life(life) * (1 + change))
        for _, change in ends
    ]
    low = min(lives, default=life)
    effect = ", ".join(
        f"{_years(then)} if {text}" for then, (text, _) in zip(lives, ends, strict=True)
    )
    if low < limit:
        effect += f"; the limit is {_years(limit)}"
    assumed = "that its drive writes per day hold for " + rated.assumed
    if "DWPD" in rated.assumed:
        assumed = "an endurance of " + rated.assumed
    return Caution(
        "endurance_assumed",
        f"that its flash lasts {_years(life)} assumes {assumed}, which no source states for `{device.id}`",
        _HINT,
        about=(device.id,),
        could_change_choice=low < limit,
        effect=effect,
    )


def _ruled_out(asked: Asked, table: Table, option: Option | None) -> Iterator[Caution]:
    """Yield which better options a limit on the life of flash rules out by an endurance that is assumed."""
    limit = asked.setting.least_life_years
    most = _largest_change(table)
    if not most:
        return
    # At today's rate the life is in proportion to the endurance: with so much more, a limit as much looser buys as many devices.
    setting = asked.setting
    looser = setting.grown_life(setting.steady_life(limit) / (1 + most))
    again = replace(
        asked,
        constraints={**asked.constraints, LIFE: Decimal(repr(looser))},
        setting=replace(asked.setting, least_life_years=looser),
    )
    of = table.remade(again.setting)
    options = of.options
    [rows] = np.nonzero(is_better(asked, of, option) & (options.life_years < limit))
    rows = rows[chosen_of(again, of).first_broken[rows] < 0]
    life, names = _most_life(of, rows)
    rows = rows[life >= limit]
    if len(rows) and asked.limits_response:
        rows = rows[of.keep_in_time(rows, asked.response_limits)]
    if not len(rows):
        return
    at = int(choose.ordered(options, rows, asked.objective)[0])
    title = with_flow(of.title(at), of.scheme(at))
    usd = money(int(options.month_cents[at]) / 100)
    named = tuple(dict.fromkeys(names[each] for each in rows.tolist()))
    yield Caution(
        "assumed_endurance_breaks_limit",
        f"the limit on the life of the flash rules out {counted(len(rows), 'better option')} by an assumed endurance: "
        f"no source states that of {listed(named)}",
        _HINT,
        about=named,
        could_change_choice=True,
        effect=f"at the most that a drive of the catalogue states {title} would be the choice, at {usd} per month",
    )


def _largest_change(table: Table) -> float:
    """Return by which share a drive of the catalogue endures more than what is assumed of a candidate; 0 where nothing is. [1]"""
    of_shelf = (device for device, _ in (*table.shelf.stores, *table.shelf.caches))
    parts = () if table.columns is None else table.columns.sold.drives
    of_parts = (catalog.device(e.part.device) for e in parts if e.part.device)
    rated = [
        rated_endurance(each, assume=True)
        for each in (*of_shelf, *of_parts)
        if each.kind in WEARS
    ]
    return max(
        (
            change
            for each in rated
            if each.assumed
            for _, change in of_the_catalogue(each)
        ),
        default=0.0,
    )


def _most_life(table: Table, rows: IntArray) -> tuple[FloatArray, dict[int, str]]:
    """Return how long flash lasts at the most that a drive states in place of what is assumed; 0 where nothing is assumed."""
    setting = table.setting
    found, names = np.zeros(len(rows)), {}
    for place, at in enumerate(rows.tolist()):
        worn = _worn(table, at)
        rated = [rated_endurance(each, assume=True) for each in worn]
        # Of two kinds that wear the shorter life counts, whose endurance may be stated.
        if len(worn) == 1 and rated[0].assumed:
            *_, (_, change) = of_the_catalogue(rated[0])
            life = float(table.options.life_years[at])
            found[place] = setting.grown_life(setting.steady_life(life) * (1 + change))
            names[at] = worn[0].id
    return found, names


def _worn(table: Table, at: int) -> tuple[Device, ...]:
    """Return the kinds of devices of an option that writes use up, and that are bought."""
    if table.source(at) in RENTED:
        return ()
    found = table.devices(at)
    columns = table.columns
    if table.source(at) == "chassis" and columns is not None:
        # Another device may stand in for its times, not for its endurance.
        drive = columns.drive[table.options.row[at]]
        own = columns.sold.drives[drive].part.device if drive >= 0 else ""
        found = None, catalog.device(own) if own else None
    kinds = {each.id: each for each in found if each is not None}
    return tuple(each for each in kinds.values() if each.kind in WEARS)


def _years(years: float) -> str:
    return f"{three_digits(years)} years"
