"""What could be better than the answer if the I/O rates of its devices were stated: unknown, they leave it out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tierwright.advise.advice import _left_out
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._in_time import TIERS
from tierwright.advise.advice._rates import (
    RATE_FIGURES,
    stated_us,
    unrated,
    unrated_words,
)
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._unknown import is_better, keeps_what_is_known
from tierwright.advise.advice._why_not import unknown_values
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice.found import Option
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.units import format_microseconds
from tierwright.common.wording import listed
from tierwright.evaluate.advice.limits import TIMES
from tierwright.evaluate.advice.rows import CHOICES, IntArray
from tierwright.evaluate.page_flow.operations import operations
from tierwright.hardware.device import OPERATIONS

LEFT_OUT = frozenset({"device_rate_not_stated", "unknown_breaks_limit"})
"""Cautions that options which are left out for a figure that nobody states could be better."""


def better_if_rated(
    asked: Asked, table: Table, chosen: Chosen, best: Option | None
) -> Iterator[Caution]:
    """Say which options could be better than the best if the rates of their devices were stated.

    They hold the data and keep every limit whose value is known; how many devices the load needs is not known of them, so
    they cost what as many do as hold the data, or more.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
        Of the table.
    best : Option or None
        The recommendation.
    """
    [lacks] = [each.breaks for each in chosen.limits if each.name == TIMES]
    if not lacks.any():
        return
    unknown = {**unknown_values(asked, table, chosen.limits), TIMES: lacks}
    [rows] = np.nonzero(lacks & keeps_what_is_known(asked, table, chosen, unknown))
    by_time = asked.objective == "io_time"
    if by_time:
        times = _least_us(table, rows)
        own = None if best is None else best.io_time_us_per_access
        better = times < (math.inf if own is None else own)
        rows, times = rows[better], times[better]
        order = np.lexsort((table.options.month_cents[rows], times))
        rows, times = rows[order], times[order]
    else:
        rows = rows[is_better(asked, table, best)[rows]]
        times = np.full(len(rows), np.nan)
        rows = rows[np.argsort(table.options.month_cents[rows], kind="stable")]
    if len(rows):
        yield _caution(table, rows, best, float(times[0]) if by_time else None)


def _least_us(table: Table, rows: IntArray) -> FloatArray:
    """Least I/O time of options that lack rates: of what is stated alone. [µs]"""
    curve, options = table.setting.curve, table.options
    page, found = curve.page_bytes, np.zeros(len(rows))
    schemes = options.scheme[rows]
    for code in np.unique(schemes).tolist():
        [at] = np.nonzero(schemes == code)
        some, scheme = rows[at], CHOICES[code]
        done = operations(
            curve, options.ram_pages[some], options.flash_pages[some], (scheme,)
        )[scheme]
        pairs = [table.devices(row) for row in some.tolist()]
        for which, tier in enumerate(TIERS):
            read, write = (
                np.nan_to_num(
                    [stated_us(pair[which], operation, page) for pair in pairs]
                )
                for operation in OPERATIONS
            )
            found[at] += done.busy_us(tier, read, write)
    return found


def _caution(
    table: Table, rows: IntArray, best: Option | None, least_us: float | None
) -> Caution:
    """Say of options that could be better, the best of them first, what no source states of it, and what it costs.

    Parameters
    ----------
    table : Table
    rows : int array
        One or more.
    best : Option or None
        The recommendation.
    least_us : float or None
        What an access takes of the first at least, where the I/O time is the objective. [µs]
    """
    at = int(rows[0])
    title = with_flow(table.title(at), table.scheme(at))
    # As many devices as the load needs may be more of them than hold the data.
    is_alone = table.source(at) == "devices"
    usd = _left_out.price(table, at, best, at_least=is_alone)
    first, amount = "cheapest of them", f"costs {usd}"
    if least_us:
        time = format_microseconds(least_us)
        first = "fastest of them"
        amount = f"takes {time} per access or more and costs {usd}"
    elif least_us is not None:
        first = "cheapest of those of which no rate is known"
    left = "it is" if len(rows) == 1 else "they are"
    said = _left_out.sentence(
        table,
        rows,
        best,
        f"the I/O rate of a device is unknown, so {left} left out",
        first=first,
        title=title,
        amount=amount,
        faster="" if least_us is None else "may take",
    )
    lacking = unrated(table, at)
    words = unrated_words(lacking)
    figures = dict.fromkeys(RATE_FIGURES[each] for _, some in lacking for each in some)
    return Caution(
        "device_rate_not_stated",
        f"{said}: {words}" if words else said,
        f"state {listed(list(figures) or ['its rates'])} in a device file, or measure the device",
        about=tuple(name for name, _ in lacking),
        could_change_choice=True,
        effect=f"if it is as fast as the load and the limits need: {title} would be the choice, at {usd}"
        if least_us is None
        else f"if it is fast enough: {title} would be the choice, at {usd}",
    )
