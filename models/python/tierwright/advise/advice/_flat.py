"""How flat the optimum is, and what the next dollar buys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Literal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import Chosen, chosen_of, first_kept
from tierwright.advise.advice._choice import front as front_of
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import (
    FlatSize,
    Neighbour,
    NextDollar,
    NextDollars,
)
from tierwright.common.arrays import FloatArray
from tierwright.common.currency import amount_per, money, shown_in
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import counted, whole_percent
from tierwright.evaluate.advice.flat import (
    FLAT_SHARE,
    ROUNDING,
    STEP,
    Region,
    ends,
    next_dollars,
    regions,
)
from tierwright.evaluate.advice.limits import MONEY, Bools, stated_limits
from tierwright.evaluate.advice.rows import SOURCES, IntArray
from tierwright.evaluate.advice.tiers import MOST_DEVICES
from tierwright.evaluate.bill import CENT

MOST_STEPS = 5
SIZE_WORDS = {
    "ram_bytes": "size of RAM",
    "flash_bytes": "size of the flash cache",
    "machines": "number of machines",
    "disks": "number of devices that hold the data",
}
"""Sizes in words."""
Among = Literal["devices", "whole"]
"""Which options the next dollar is spent on: RAM and devices whose price lacks a machine, or all others."""
_AMONG: dict[Among, str] = {
    "devices": "RAM and devices bought by themselves",
    "whole": "whole systems",
}


def flat(
    asked: Asked, table: Table, chosen: Chosen, best: int | None
) -> tuple[FlatSize, ...]:
    """Say how far each size of the recommendation may be changed at little cost."""
    if best is None:
        return ()
    options = table.options
    order = chosen.order
    by_time = asked.objective == "io_time"
    objective = options.io_us if by_time else options.month_cents.astype(np.float64)
    if asked.limits_response:
        order = _ends(asked, table, chosen, best, objective)
    return tuple(
        _described(asked, table, best, each, objective)
        for each in regions(options, order, best, objective)
    )


def _described(
    asked: Asked, table: Table, best: int, region: Region, objective: FloatArray
) -> FlatSize:
    by_time = asked.objective == "io_time"
    less, more = (
        None if at is None else (table, at) for at in (region.less, region.more)
    )
    counts = region.size == "disks" and table.source(best) == "devices"
    if counts:
        more = _more_devices(asked, table, best, region.value)
        region = replace(
            region, high=_most_devices(asked, table, best, region, objective, more)
        )
    return FlatSize(
        region.size,
        region.value,
        region.low,
        region.high,
        _neighbour(table, best, region.size, less),
        _neighbour(table, best, region.size, more),
        flat_text(
            region,
            by_time=by_time,
            is_endless=counts and by_time and not _money_limits(asked),
        ),
    )


def _alike(table: Table, best: int) -> IntArray:
    """Options of devices by themselves and of the page flow of the best, whatever limits they keep."""
    options = table.options
    [rows] = np.nonzero(
        (options.source == SOURCES.index("devices"))
        & (options.scheme == options.scheme[best])
    )
    return rows


def _more_devices(
    asked: Asked, table: Table, best: int, value: float
) -> tuple[Table, int] | None:
    """Return the best option with more devices that hold the data.

    Each is listed with the fewest that keep the limits, and those with more besides: as many as are asked about.
    """
    rows, options = _alike(table, best), table.options
    least = np.ceil(value * (1 + STEP) * (1 - ROUNDING) / options.machines[rows])
    devices = np.maximum(options.store_devices[rows], least.astype(np.int64))
    buyable = devices <= MOST_DEVICES
    some = table.with_devices(rows[buyable], devices[buyable])
    chosen = chosen_of(asked, some)
    at = first_kept(asked, some, chosen, chosen.order)
    return None if at is None else (some, at)


def _most_devices(
    asked: Asked,
    table: Table,
    best: int,
    region: Region,
    objective: FloatArray,
    more: tuple[Table, int] | None,
) -> float:
    """Largest number of devices that hold the data of options that are about as good."""
    most = objective[best] * (1 + FLAT_SHARE) * (1 + ROUNDING)
    by_time, money_limits = asked.objective == "io_time", _money_limits(asked)
    if by_time and not money_limits:
        # More devices take as long, without end: the next number stands for all.
        is_near = more is not None and more[0].options.io_us[more[1]] <= most
        return max(region.high, _devices(*more)) if more and is_near else region.high
    rows = _alike(table, best)
    rows = rows[objective[rows] <= most]

    def affordable(devices: IntArray) -> Bools:
        options = table.with_devices(rows, devices).options
        found = (
            np.full(len(rows), fill_value=True)
            if by_time
            else options.month_cents <= most
        )
        for limit in stated_limits(options, money_limits):
            found &= ~limit.breaks
        return np.asarray(found)

    # Of all limits money alone ends the number: the others are kept the better the more there are.
    devices = _largest(affordable, table.options.store_devices[rows])
    some = table.with_devices(rows, devices)
    chosen = chosen_of(asked, some)
    numbers = some.options.store_devices * some.options.machines
    order = chosen.order[np.argsort(-numbers[chosen.order], kind="stable")]
    at = first_kept(asked, some, chosen, order)
    return region.high if at is None else max(region.high, _devices(some, at))


def _money_limits(asked: Asked) -> dict[str, Decimal]:
    return {name: limit for name, limit in asked.constraints.items() if name in MONEY}


def _largest(keeps: Callable[[IntArray], Bools], least: IntArray) -> IntArray:
    """Find the largest numbers that keep what fewer keep too, from the least on; the least where that does not."""
    low, beyond = least.copy(), np.full(len(least), MOST_DEVICES + 1)
    while (beyond - low > 1).any():
        middle = (low + beyond) // 2
        good = keeps(middle)
        low, beyond = np.where(good, middle, low), np.where(good, beyond, middle)
    return low


def _devices(table: Table, at: int) -> float:
    """Devices that hold the data, of all machines."""
    options = table.options
    return float(options.store_devices[at]) * float(options.machines[at])


def _ends(
    asked: Asked, table: Table, chosen: Chosen, best: int, objective: FloatArray
) -> IntArray:
    """Those options that say how far each size may be changed and keep the limits of response times, in their order."""
    found = {best}
    for looked in ends(table.options, chosen.order, best, objective):
        at = first_kept(asked, table, chosen, looked)
        if at is not None:
            found.add(at)
    return chosen.order[np.isin(chosen.order, sorted(found))]


def _neighbour(
    table: Table, best: int, size: str, found: tuple[Table, int] | None
) -> Neighbour | None:
    if found is None:
        return None
    of, at = found
    options, own = of.options, table.options
    value = _devices(of, at) if size == "disks" else float(getattr(options, size)[at])
    cents = int(options.month_cents[at]) - int(own.month_cents[best])
    return Neighbour(
        of.title(at),
        value,
        Decimal(cents) * CENT,
        float(options.io_us[at] - own.io_us[best]),
    )


def flat_text(region: Region, *, by_time: bool, is_endless: bool = False) -> str:
    """Say over which sizes the objective is nearly the same, of which there may be no largest."""
    what = SIZE_WORDS[region.size]
    within = whole_percent(FLAT_SHARE)
    if region.low == region.high:
        of = "I/O time" if by_time else "cost"
        return f"No option of the same kind with another {what} comes within {within} of its {of}."
    more = (
        f"take at most {within} more I/O time"
        if by_time
        else f"cost at most {within} more"
    )
    low, high = (_size(region.size, each) for each in (region.low, region.high))
    if is_endless:
        return (
            f"Among options of the same kind that {more}, the {what} is {low} or more: beyond the fewest that keep the limits, "
            "they take as long and cost more."
        )
    return f"Among options of the same kind that {more}, the {what} ranges from {low} to {high}."


def _size(name: str, value: float) -> str:
    return format_bytes(value) if name.endswith("_bytes") else f"{value:,.0f}"


def next_dollar(
    asked: Asked, table: Table, chosen: Chosen, front: IntArray, best: int | None
) -> NextDollars | None:
    """Say what more money buys from the recommendation on, along the front of money and I/O time.

    Prices that lack a machine are set against no price that has one: where the front has both, it is that of the options
    like the recommendation.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
        What keeps the limits.
    front : int array
        Rows of the front of these.
    best : int or None
        Row of the recommendation.
    """
    if best is None:
        return None
    options = table.options
    lacking = np.zeros(len(options), dtype=np.bool_)
    if table.setting.candidates.machine_usd is None:
        lacking = np.asarray(options.source == SOURCES.index("devices"))
    alike = np.asarray(lacking == lacking[best])
    among: Among | None = None
    if not alike[front].all():
        among = "devices" if lacking[best] else "whole"
        order = chosen.order
        front = front_of(asked, table, replace(chosen, order=order[alike[order]]))
    rows = np.append(front[front != best], best)
    usd, time = options.month_cents[rows] / 100.0, options.io_us[rows]
    steps = []
    before = len(rows) - 1
    for at in next_dollars(usd, time, before)[:MOST_STEPS]:
        cents = int(options.month_cents[rows[at]] - options.month_cents[rows[before]])
        saved = float(time[before] - time[at])
        more = Decimal(cents) * CENT
        steps.append(
            NextDollar(
                table.title(int(rows[at])),
                table.scheme(int(rows[at])),
                more,
                saved,
                # Rounded where it is shown, and only there.
                Decimal(f"{cents / 100 / saved:.12g}"),
            )
        )
        before = at
    only = "" if among is None else _only(table, alike, among)
    return NextDollars(
        tuple(steps), next_text(tuple(steps), asked.objective, among, only)
    )


def _only(table: Table, alike: Bools, among: Among) -> str:
    """Name the one of the options among which the next dollar is spent that was evaluated; empty where there are others.

    What there is today is one, however it may be run.
    """
    options = table.options
    if table.left_out is not None and not (
        among == "whole" and set(table.setting.candidates.kinds) <= {"devices"}
    ):
        return ""  # Others were evaluated that the table does not hold.
    if (options.source[alike] == SOURCES.index("have")).all():
        return "what there is today"
    [rows] = np.nonzero(alike)
    return table.title(int(rows[0])) if len(rows) == 1 else ""


def next_text(
    steps: tuple[NextDollar, ...],
    objective: str,
    among: Among | None = None,
    only: str = "",
) -> str:
    """Say what the next dollar buys, or that it buys nothing, and among which options where others are left out.

    Where `only` names the one of these that was evaluated there is nothing else that it could buy, and nothing is known.
    """
    if among is not None:
        own, others = (
            _AMONG[among],
            _AMONG["whole" if among == "devices" else "devices"],
        )
        left = f"{_capital(others)} are left out here: no price of a machine is stated."
        if only:
            return f"Among {own} only {only} was evaluated: what the next dollar buys there is not known. {left}"
        if not steps:
            which = "keep every limit" if objective == "io_time" else "cost more"
            return f"Among {own} the next dollar buys no time: none of those evaluated that {which} is faster. {left}"
        return f"Among {own}, {_lower(_steps_text(steps))} {left}"
    if not steps:
        if objective == "io_time":
            return "The next dollar buys no time: no option that keeps every limit is faster."
        return "The next dollar buys no time: no option that costs more is faster."
    return _steps_text(steps)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _lower(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}"


def _steps_text(steps: tuple[NextDollar, ...]) -> str:
    first = steps[0]
    said = (
        f"Of what costs more, {first.name} saves the most time for its money: "
        f"{format_microseconds(first.io_time_us_saved)} of I/O time per access for {money(first.usd_per_month_more)} per month more, "
        f"{_per_us(first)} per month for each µs."
    )
    last, others = steps[-1], len(steps) - 1
    if others:
        after = (
            "The step after it"
            if others == 1
            else f"Of the {counted(others, 'step')} after it the last"
        )
        said += (
            f" {after}, to {last.name}, costs {_per_us(last)} per month for each µs."
        )
    return said


def _per_us(step: NextDollar) -> str:
    return f"{amount_per(step.usd_per_month_per_us)} {shown_in().currency}"
