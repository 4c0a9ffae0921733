"""On which endurance that no source states the life of flash rests, and what that could change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._machine import (
    behind_price,
    cheaper_as_parts,
    costing_less,
)
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
from tierwright.evaluate.advice.limits import LIFE, ROUNDING
from tierwright.evaluate.advice.rows import RENTED, SOURCES, STANDING, IntArray
from tierwright.evaluate.endurance.growth import growing_years, steady_years
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.rated_endurance import RatedEndurance, rated_endurance

_AS_DIRTY = ", as it does if every page that leaves RAM is dirty,"
_STANDING = [SOURCES.index(name) for name in STANDING]
_RENTED = [SOURCES.index(name) for name in RENTED]
_HINT = "state `endurance_tb` among the figures of a device file"


def about_endurance(
    asked: Asked,
    table: Table,
    best: int | None,
    option: Option | None,
    lives: tuple[float, float] | None = None,
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
    lives : tuple of float, optional
        As `assumed_of`.
    """
    if best is not None:
        yield from assumed_of(asked, table, best, option, lives)
    if LIFE in asked.constraints:
        yield from _ruled_out(asked, table, option)


def assumed_of(
    asked: Asked,
    table: Table,
    best: int,
    option: Option | None,
    lives: tuple[float, float] | None = None,
) -> Iterator[Caution]:
    """Yield on which assumed endurance the life of the flash of a recommendation rests.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : int
        Row of the recommendation.
    option : Option or None
        The same as it is shown, whose life may be that of its replay; None: as the table describes it.
    lives : tuple of float, optional
        Life at today's rate of what caches and of what holds the data, where a replay states it; by the model unless
        given. [365 days]
    """
    of_tiers = table.tier_lives(best) if lives is None else lives
    if not math.isfinite(np.min(of_tiers)):
        return
    if option is None:
        option = table.option(best, with_response=False, with_bill=False)
    kinds: dict[str, list[int]] = {}
    worn = _worn(table, best)
    for tier, device in worn:
        kinds.setdefault(device.id, []).append(tier)
    for device in {each.id: each for _, each in worn}.values():
        rated = rated_endurance(device, assume=True)
        if rated.assumed:
            yield from _of_the_best(
                asked, option, of_tiers, tuple(kinds[device.id]), device, rated
            )


def _of_the_best(
    asked: Asked,
    option: Option,
    lives: tuple[float, float],
    tiers: tuple[int, ...],
    device: Device,
    rated: RatedEndurance,
) -> Iterator[Caution]:
    """Yield how long flash lasts at both ends of what is assumed of one kind; nothing where that decides nothing."""
    setting = asked.setting
    limit = setting.least_life_years if LIFE in asked.constraints else 0.0

    def lasts(change: float) -> float:
        # The other kind of flash, if there is one, wears as before.
        return setting.grown_life(
            min(
                own * (1 + change) if tier in tiers else own
                for tier, own in enumerate(lives)
            )
        )

    life = lasts(0.0)
    ends = [(text, change) for text, change in of_the_catalogue(rated) if change]
    then = [lasts(change) for _, change in ends]
    low = min(then, default=life)
    if all(each == life for each in then):
        return
    is_stated = option.flash_life_years is not None
    # A life that is shown neither as a number nor as a range matters to a limit alone, which it is held against.
    if not is_stated and option.ranges.get(LIFE, (None,))[0] is None and low >= limit:
        return
    least, dirty = ("", "") if is_stated else ("at least ", _AS_DIRTY)
    effect = ", ".join(
        f"{least}{_years(each)} if {text}"
        for each, (text, _) in zip(then, ends, strict=True)
    )
    if low < limit:
        effect += f"; the limit is {_years(limit)}"
    assumed = "that its drive writes per day hold for " + rated.assumed
    if "DWPD" in rated.assumed:
        assumed = "an endurance of " + rated.assumed
    yield Caution(
        "endurance_assumed",
        f"that its flash lasts {least}{_years(life)}{dirty} assumes {assumed}, which no source states for `{device.id}`",
        _HINT,
        about=(device.id,),
        could_change_choice=low < limit,
        effect=effect,
    )


def _ruled_out(asked: Asked, table: Table, option: Option | None) -> Iterator[Caution]:
    """Yield which better options a limit on the life of flash rules out by an endurance that is assumed."""
    limit = asked.setting.least_life_years
    found = _at_the_most(table)
    if found is None:
        return
    of, lives = found
    options = of.options
    too_short = lives < limit * (1 - ROUNDING)
    [rows] = np.nonzero(is_better(asked, of, option) & too_short.any(axis=0))
    rows = rows[chosen_of(asked, of).first_broken[rows] < 0]
    if len(rows) and asked.limits_response:
        rows = rows[of.keep_in_time(rows, asked.response_limits)]
    if not len(rows):
        return
    at = int(choose.ordered(options, rows, asked.objective)[0])
    title = with_flow(of.title(at), of.scheme(at))
    but = behind_price(of, at, own=None if option is None else option.without_machine)
    usd = f"{money(int(options.month_cents[at]) / 100)} per month{but}"
    named = tuple(
        dict.fromkeys(
            device.id
            for each in rows.tolist()
            for tier, device in _worn(of, each)
            if too_short[tier, each]
        )
    )
    yield Caution(
        "assumed_endurance_breaks_limit",
        f"the limit on the life of the flash rules out {_better(asked, of, rows, option)} by an assumed endurance: "
        f"no source states that of {listed(named)}",
        _HINT,
        about=named,
        could_change_choice=True,
        effect=f"at the most that a drive of the catalogue states {title} would be the choice, at {usd}",
    )


def _better(asked: Asked, of: Table, rows: IntArray, best: Option | None) -> str:
    """Count options that are better than the best; what costs less without its machines alone is not called better."""
    if best is None:
        return counted(len(rows), "option")
    if asked.objective == "io_time" or not cheaper_as_parts(of, rows, best):
        return counted(len(rows), "better option")
    return f"{counted(len(rows), 'option')} that {costing_less(of, rows, best)}"


def _at_the_most(table: Table) -> tuple[Table, FloatArray] | None:
    """Return all options, were whatever is assumed the most that a drive states, and their lives as it is assumed.

    Devices by themselves are bought in the numbers that the limit asks for at that endurance, of each device its own.

    Returns
    -------
    tuple of (Table, float64 array of shape (2, N)), or None
        None where nothing is assumed. The lives are of what caches and of what holds the data. [365 days]
    """
    shelf, setting = table.shelf, table.setting
    changes = [
        np.asarray([*(_most(device) for device, _ in sold), 0.0])
        for sold in (shelf.caches, shelf.stores)
    ]
    enduring = replace(
        shelf,
        caches=tuple((_enduring(each), price) for each, price in shelf.caches),
        stores=tuple((_enduring(each), price) for each, price in shelf.stores),
    )
    made = Table(setting, (table.columns, enduring))
    # What they are besides has not changed: not their names, and not what is assumed of them.
    made.shelf = shelf
    options, tiers = made.options, made.tier_rows
    most = np.full((2, len(options)), np.inf)
    more = np.zeros((2, len(options)))
    alone = np.flatnonzero(options.source == SOURCES.index("devices"))
    row = options.row[alone]
    most[0, alone] = tiers.cache_life_years[row]
    most[1, alone] = tiers.store_life_years[row] * options.store_devices[alone]
    # An index of -1 is no cache, of which nothing is assumed.
    more[0, alone] = changes[0][tiers.cache[row]]
    more[1, alone] = changes[1][tiers.store[row]]
    if table.columns is not None:
        _add_chassis(made, most, more)
    for at in np.flatnonzero(np.isin(options.source, _STANDING)).tolist():
        most[:, at] = made.tier_lives(at)
        for tier, device in _worn(made, at):
            more[tier, at] = _most(device)
            most[tier, at] *= 1 + more[tier, at]
    if not more.any():
        return None
    growth = setting.load_growth_per_year
    lives = growing_years(np.min(most, axis=0), growth)
    # Of what wears no device that is bought the life is as it was.
    lives = np.where(np.isin(options.source, _RENTED), options.life_years, lives)
    of = made.with_options(replace(options, life_years=lives))
    return of, growing_years(most / (1 + more), growth)


def _add_chassis(made: Table, most: FloatArray, more: FloatArray) -> None:
    """Put in the lives of drives of servers that are built from parts, and by which share the most is more."""
    options, columns = made.options, made.columns
    assert columns is not None
    [built] = np.nonzero(options.source == SOURCES.index("chassis"))
    each = [
        _most(catalog.device(item.part.device)) if item.part.device else 0.0
        for item in columns.sold.drives
    ]
    more[1, built] = np.asarray([*each, 0.0])[columns.drive[options.row[built]]]
    steady = steady_years(options.life_years[built], made.setting.load_growth_per_year)
    most[1, built] = steady * (1 + more[1, built])


def _most(device: Device) -> float:
    """By which share a drive of the catalogue endures more than what is assumed of a device; 0 where nothing is. [1]"""
    if device.kind not in WEARS:
        return 0.0
    rated = rated_endurance(device, assume=True)
    if not rated.assumed:
        return 0.0
    return max((change for _, change in of_the_catalogue(rated)), default=0.0)


def _enduring(device: Device) -> Device:
    """Return a device with the most that a drive of the catalogue states, where its endurance is assumed."""
    written = rated_endurance(device, assume=True).tb_written
    more = _most(device)
    if not more or written is None:
        return device
    most = Figure(
        Decimal(repr(written * (1 + more))), "TB", "the most of the catalogue"
    )
    return replace(device, figures={**device.figures, "endurance_tb": most})


def _worn(table: Table, at: int) -> tuple[tuple[int, Device], ...]:
    """Return the devices of an option that writes use up and that are bought: 0 and what caches, 1 and what holds the data."""
    if table.source(at) in RENTED:
        return ()
    found = table.devices(at)
    columns = table.columns
    if table.source(at) == "chassis" and columns is not None:
        # Another device may stand in for its times, not for its endurance.
        drive = columns.drive[table.options.row[at]]
        own = columns.sold.drives[drive].part.device if drive >= 0 else ""
        found = None, catalog.device(own) if own else None
    return tuple(
        (tier, each)
        for tier, each in enumerate(found)
        if each is not None and each.kind in WEARS
    )


def _years(years: float) -> str:
    return f"{three_digits(years)} years"
