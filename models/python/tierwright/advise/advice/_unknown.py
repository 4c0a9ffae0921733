"""What could be better than the answer if a value that is limited were known: unknown, it breaks its limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tierwright.advise.advice import _left_out
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._why_not import unknown_values
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice._words.limits import on_limit, what_is
from tierwright.advise.advice._words.refusals import KNOWN_OF
from tierwright.advise.advice.found import Option
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.units import format_microseconds
from tierwright.common.wording import listed
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.bought import budget_tb
from tierwright.evaluate.advice.limits import LIFE, RESPONSES, Bools
from tierwright.evaluate.advice.rows import IntArray
from tierwright.hardware.device import Device


def better_if_known(
    asked: Asked, table: Table, chosen: Chosen, best: Option | None
) -> Iterator[Caution]:
    """Say of each limit which options could be better than the best, if what it limits were known of them and kept it.

    Nothing where the rate is not known, and of a limit that is known of no option: that is said of the answer as a whole.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
        Of the table.
    best : Option or None
        The recommendation.
    """
    if asked.setting.rates.mean is None:
        return
    unknown = unknown_values(asked, table, chosen.limits)
    left = keeps_what_is_known(asked, table, chosen, unknown) & is_better(
        asked, table, best
    )
    for name, rows in unknown.items():
        if not rows.all():
            [found] = np.nonzero(left & rows)
            if len(found):
                yield _caution(asked, table, name, found, best)
        # Under which limit it stands does not matter: one of them suffices.
        left &= ~rows


def keeps_what_is_known(
    asked: Asked, table: Table, chosen: Chosen, unknown: Mapping[str, Bools]
) -> Bools:
    """Return which options lack nothing, and break no limit with what is known of them.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
        Of the table.
    unknown : mapping of str to bool array
        By limit, of which options its value is not known.

    Returns
    -------
    bool array, shape (N,)
    """
    found = np.ones(len(table.options), dtype=np.bool_)
    for limit in chosen.limits:
        found &= ~(limit.breaks & ~unknown.get(limit.name, np.False_))
    for limit_us, least in zip(
        asked.response_limits, table.least_response, strict=True
    ):
        if limit_us is not None:
            found &= ~((least > limit_us) & np.isfinite(least))
    return found


def is_better(asked: Asked, table: Table, best: Option | None) -> Bools:
    """Which options cost less than the best, or are faster where that is asked; all where there is none.

    Parameters
    ----------
    asked : Asked
    table : Table
    best : Option or None

    Returns
    -------
    bool array, shape (N,)
    """
    options = table.options
    if best is None:
        return np.ones(len(options), dtype=np.bool_)
    if asked.objective == "io_time":
        time_us = best.io_time_us_per_access
        return np.asarray(options.io_us < (math.inf if time_us is None else time_us))
    usd = best.usd_per_month
    return np.asarray(
        options.month_cents < (math.inf if usd is None else float(usd * 100))
    )


def _caution(
    asked: Asked, table: Table, name: str, rows: IntArray, best: Option | None
) -> Caution:
    options, by_time = table.options, asked.objective == "io_time"
    at = int(choose.ordered(options, rows, asked.objective)[0])
    title = with_flow(table.title(at), table.scheme(at))
    usd = _left_out.price(table, at, best)
    first, faster, amount = "cheapest", "", f"costs {usd}"
    if by_time:
        first, faster = "fastest", "takes" if len(rows) == 1 else "take"
        time = format_microseconds(float(options.io_us[at]))
        amount = f"takes {time} per access and costs {usd}"
    named, reason, hint = _why(table, name, at)
    said = _left_out.sentence(
        table,
        rows,
        best,
        f"{what_is(name)} unknown",
        first=f"{first} of them",
        title=title,
        amount=amount,
        faster=faster,
    )
    return Caution(
        "unknown_breaks_limit",
        f"{said}{reason}",
        hint,
        about=named,
        could_change_choice=True,
        effect=f"if it kept the limit {on_limit(name)}: {title} would be the choice, at {usd}",
    )


def _why(table: Table, name: str, at: int) -> tuple[tuple[str, ...], str, str]:
    """Return what is not stated of which devices of an option, as the end of a sentence, and what to do."""
    devices = [each for each in table.devices(at) if each is not None]
    ask = "or ask without the limit"
    if name in RESPONSES:
        lacking = _lacking_latency(table, at)
        return (
            lacking,
            f": no source states the latency of a read of {listed(lacking)}",
            "state `read_latency_us` in a device file, or measure the device; IOPS under load do not say it",
        )
    if name == LIFE:
        lacking = tuple(
            dict.fromkeys(each.id for each in devices if _wears_unknown(each))
        )
        if lacking:
            return (
                lacking,
                f": no source states the endurance of {listed(lacking)}",
                f"state `endurance_tb` in a device file, {ask}",
            )
    if name in KNOWN_OF:
        return (
            (),
            f": {KNOWN_OF[name]}",
            f"make these candidates, with the price of their chassis, {ask}",
        )
    return (), "", f"state what it rests on in a device file, {ask}"


def _lacking_latency(table: Table, at: int) -> tuple[str, ...]:
    options = table.options
    reads: tuple[FloatArray, FloatArray] = (options.flash_reads, options.store_reads)
    return tuple(
        dict.fromkeys(
            device.id
            for device, share, latency in zip(
                table.devices(at), reads, table.latencies_us, strict=True
            )
            if device is not None and share[at] > 0 and math.isinf(latency[at])
        )
    )


def _wears_unknown(device: Device) -> bool:
    return math.isnan(budget_tb(device))
