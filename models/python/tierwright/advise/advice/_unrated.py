"""What could be better than the answer if the I/O rates of its devices were stated: unknown, they leave it out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

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
from tierwright.evaluate.advice.limits import (
    PEAK_BUSY,
    ROUNDING,
    THROUGHPUT,
    TIMES,
    Bools,
)
from tierwright.evaluate.advice.rows import CHOICES, SOURCES, IntArray, peak_busy
from tierwright.evaluate.page_flow.operations import operations
from tierwright.hardware.device import OPERATIONS

LEFT_OUT = frozenset({"device_rate_not_stated", "unknown_breaks_limit"})
"""Cautions that options which are left out for a figure that nobody states could be better."""


def better_if_rated(
    asked: Asked, table: Table, chosen: Chosen, best: Option | None
) -> Iterator[Caution]:
    """Say which options could be better than the best if the rates of their devices were stated.

    They hold the data and keep every limit whose value is known, also by what is stated of their rates alone; how many
    devices the load needs is not known of them, so they cost what as many do as hold the data, or more.

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
    if not by_time:
        rows = rows[is_better(asked, table, best)[rows]]
    known = _known_of(table, rows)
    some = _may_keep(asked, table, rows, known)
    if by_time:
        own = None if best is None else best.io_time_us_per_access
        some &= known.least_us < (math.inf if own is None else own)
    rows, known = rows[some], known.rows(some)
    cents = table.options.month_cents[rows]
    # Of those that ask the same of unknown rates the cheapest; of one drive that which asks it least is the fastest at any.
    by = (cents, known.unrated, known.least_us) if by_time else (cents,)
    rows, known = rows[order := np.lexsort(by)], known.rows(order)
    if len(rows):
        least_us = float(known.least_us[0]) if by_time else None
        yield _caution(asked, table, rows, best, least_us)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of options that lack rates.

    Attributes
    ----------
    busy_us : tuple of two float64 arrays, each of shape (K,)
        Busy time of an access on one device of each of `TIERS`, of what is stated alone. [µs]
    unrated : float64 array, shape (K,)
        Pages that an access reads and writes at rates that nobody states. [1]
    """

    busy_us: tuple[FloatArray, FloatArray]
    unrated: FloatArray

    @property
    def least_us(self) -> FloatArray:
        """Least I/O time. [µs]"""
        return np.asarray(sum(self.busy_us))

    def rows(self, at: IntArray | Bools) -> _Known:
        """Return what is known of some of them."""
        flash, disk = self.busy_us
        return _Known((flash[at], disk[at]), self.unrated[at])


def _may_keep(asked: Asked, table: Table, rows: IntArray, known: _Known) -> Bools:
    """Which options may keep the limits that rest on rates: what is stated breaks none by itself.

    Of devices by themselves as many hold the data as the load needs.
    """
    options, setting, limits = (
        table.options.rows(rows),
        table.setting,
        asked.constraints,
    )
    flash, disk = known.busy_us
    free = options.source == SOURCES.index("devices")
    peak = setting.served.peak
    least_busy = peak_busy(
        (np.where(free, 0.0, disk), options.store_devices),
        (flash, options.flash_devices),
        None if peak is None else peak / options.machines,
    )
    found = np.ones(len(rows), dtype=np.bool_)
    for name, value in (
        ("io_time_us_per_access", known.least_us),
        (PEAK_BUSY, least_busy),
    ):
        if name in limits:
            found &= ~(value > float(limits[name]) * (1 + ROUNDING))
    if THROUGHPUT in limits:
        most = setting.throughput_per_s(least_busy)
        found &= ~(most < float(limits[THROUGHPUT]) * (1 - ROUNDING))
    return found


def _known_of(table: Table, rows: IntArray) -> _Known:
    """Return what is known of options that lack rates."""
    curve, options = table.setting.curve, table.options
    page, unrated_ = curve.page_bytes, np.zeros(len(rows))
    busy = np.zeros(len(rows)), np.zeros(len(rows))
    schemes = options.scheme[rows]
    for code in np.unique(schemes).tolist():
        [at] = np.nonzero(schemes == code)
        some, scheme = rows[at], CHOICES[code]
        done = operations(
            curve, options.ram_pages[some], options.flash_pages[some], (scheme,)
        )[scheme]
        pairs = [table.devices(row) for row in some.tolist()]
        for which, tier in enumerate(TIERS):
            times = [
                np.asarray([stated_us(pair[which], operation, page) for pair in pairs])
                for operation in OPERATIONS
            ]
            read, write = map(np.nan_to_num, times)
            busy[which][at] = done.busy_us(tier, read, write)
            for operation, time in zip(OPERATIONS, times, strict=True):
                unrated_[at] += np.isnan(time) * done.per_access[tier, operation]
    return _Known(busy, unrated_)


def _lacks_latency(table: Table, at: int) -> bool:
    """Whether the latency of a device is not stated either, on which response times rest."""
    of_tiers = zip(table.names(at), table.latencies_us, strict=True)
    return any(name is not None and math.isinf(each[at]) for name, each in of_tiers)


def _caution(
    asked: Asked,
    table: Table,
    rows: IntArray,
    best: Option | None,
    least_us: float | None,
) -> Caution:
    """Say of options that could be better, the best of them first, what no source states of it, and what it costs.

    Parameters
    ----------
    asked : Asked
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
        first = "one without any known rate that reads and writes such a device least"
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
    if asked.limits_response and _lacks_latency(table, at):
        figures["`read_latency_us`"] = None
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
