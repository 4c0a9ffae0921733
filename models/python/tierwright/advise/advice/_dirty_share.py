"""Advice on a curve that does not say which evicted pages are dirty: limits hold for any share, figures are ranges.

Hits and misses follow from the curve alone. Busy times, loads and writes rise with the share of the evicted pages that
are dirty, whatever the sizes (`evaluate.page_flow.dirty_range`), so what keeps every limit with as many dirty pages as
possible keeps them with fewer, and the figures at both ends are the ends of the figures.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import asked_again
from tierwright.advise.advice._machine import behind_price
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice.found import Confidence
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN
from tierwright.common.currency import money
from tierwright.evaluate.bill import CENT

NO_PROBABILITY = (
    "no probability: the curve does not say which evicted pages are dirty; state the dirty share, or profile a trace "
    "that has writes"
)


def confidence(found: Confidence) -> Confidence:
    """Keep what the ends of the dirty share do to the answer; what else is not known is not weighed beside it."""
    bars = tuple(
        bar for bar in found.tornado if bar.about == DIRTY_SHARE_UNKNOWN.message
    )
    return Confidence(None, None, bars, (), NO_PROBABILITY)


def with_fewest(asked: Asked) -> Asked:
    """Return the same question as it is if no evicted page is dirty, where nobody said which are."""
    fewest = asked.setting.fewest_dirty
    assert fewest is not None
    return replace(
        asked, setting=replace(asked.setting, curve=fewest, fewest_dirty=None)
    )


def sentence(asked: Asked, table: Table, best: int | None) -> str:
    """Say what is the choice if no evicted page is dirty, beside what holds for any share.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options with as many dirty pages as possible.
    best : int or None
        The recommendation among them.
    """
    other, at = asked_again(with_fewest(asked), table)
    name = "" if at is None else with_flow(other.title(at), other.scheme(at))
    if best is None:
        if at is None:
            return "If no evicted page is dirty, no option keeps every limit either."
        cost = Decimal(int(other.options.month_cents[at])) * CENT
        but = behind_price(other, at, own=None)
        return (
            f"If no evicted page is dirty, {name} keeps every limit, at {money(cost)} per month{but}: state the share of "
            "evicted pages that are dirty, or profile a trace that has writes."
        )
    said = (
        "The curve does not say which evicted pages are dirty: the choice keeps every limit whatever their share, and "
        "what depends on it is given as a range."
    )
    assert at is not None  # What keeps every limit with dirty pages does so without.
    if name == with_flow(table.title(best), table.scheme(best)):
        return f"{said} If none is, the choice is the same."
    if asked.objective == "io_time":
        return f"{said} If none is, {name} would be the fastest."
    now, then = (
        Decimal(int(each.options.month_cents[row])) * CENT
        for each, row in ((table, best), (other, at))
    )
    if table.on_existing(best) != other.on_existing(at) or table.without_machine(
        best
    ) != other.without_machine(at):
        # The price of the one is with the machines, that of the other without.
        beside = (
            ", on the existing machines, whose costs continue and are not in this price"
            if other.on_existing(at)
            else ""
        )
        beside = beside or behind_price(other, at, own=table.without_machine(best))
        return f"{said} If none is, {name} would be the choice, at {money(then)} per month{beside}."
    if now == then:
        return f"{said} If none is, {name} would be the choice, for as much money."
    return (
        f"{said} If none is, {name} would do, for {money(now - then)} per month less: knowing the share is "
        "worth that at most."
    )
