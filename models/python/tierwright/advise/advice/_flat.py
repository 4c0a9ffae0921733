"""How flat the optimum is, and what the next dollar buys."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import Chosen, first_kept
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
    Region,
    ends,
    next_dollars,
    regions,
)
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.bill import CENT

MOST_STEPS = 5
SIZE_WORDS = {
    "ram_bytes": "size of RAM",
    "flash_bytes": "size of the flash cache",
    "machines": "number of machines",
    "disks": "number of devices that hold the data",
}
"""Sizes in words."""


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
        FlatSize(
            each.size,
            each.value,
            each.low,
            each.high,
            _neighbour(table, best, each.size, each.less),
            _neighbour(table, best, each.size, each.more),
            flat_text(each, by_time=by_time),
        )
        for each in regions(options, order, best, objective)
    )


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


def _neighbour(table: Table, best: int, size: str, at: int | None) -> Neighbour | None:
    if at is None:
        return None
    options = table.options
    values = (
        int(options.store_devices[at]) * int(options.machines[at])
        if size == "disks"
        else float(getattr(options, size)[at])
    )
    cents = int(options.month_cents[at]) - int(options.month_cents[best])
    return Neighbour(
        table.title(at),
        float(values),
        Decimal(cents) * CENT,
        float(options.io_us[at] - options.io_us[best]),
    )


def flat_text(region: Region, *, by_time: bool) -> str:
    """Say over which sizes the objective is nearly the same."""
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
    return f"Among options of the same kind that {more}, the {what} ranges from {low} to {high}."


def _size(name: str, value: float) -> str:
    return format_bytes(value) if name.endswith("_bytes") else f"{value:,.0f}"


def next_dollar(
    asked: Asked, table: Table, front: IntArray, best: int | None
) -> NextDollars | None:
    """Say what more money buys from the recommendation on, along the front of money and I/O time."""
    if best is None:
        return None
    options = table.options
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
    return NextDollars(tuple(steps), next_text(tuple(steps), asked.objective))


def next_text(steps: tuple[NextDollar, ...], objective: str) -> str:
    """Say what the next dollar buys, or that it buys nothing."""
    if not steps:
        if objective == "io_time":
            return "The next dollar buys no time: no option that keeps every limit is faster."
        return "The next dollar buys no time: no option that costs more is faster."
    first = steps[0]
    said = (
        f"Of what costs more, {first.name} saves the most time for its money: "
        f"{format_microseconds(first.io_time_us_saved)} of I/O time per access for {money(first.usd_per_month_more)} per month more, "
        f"{_per_us(first)} per month for each µs."
    )
    last = steps[-1]
    if len(steps) > 1:
        said += (
            f" After {counted(len(steps) - 1, 'more step')} along the front, a µs costs "
            f"{_per_us(last)} per month."
        )
    return said


def _per_us(step: NextDollar) -> str:
    return f"{amount_per(step.usd_per_month_per_us)} {shown_in().currency}"
