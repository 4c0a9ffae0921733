"""Switching values: the price, the rate and the growth at which another choice would win."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import table_of
from tierwright.advise.advice._choice import chosen_of, kept
from tierwright.advise.advice._dirty_share import with_fewest
from tierwright.advise.advice._table import Rates, Table
from tierwright.common.currency import exact_money
from tierwright.common.wording import counted, percent, rate_text
from tierwright.evaluate.advice.whole_limits import most_units
from tierwright.evaluate.bill import CENT, EXACT
from tierwright.hardware.imports.offers import DO_NOTHING

MOST_TIMES = 10.0
"""Times as much, or as little, up to which another choice is looked for."""
_STEPS = 8
"""Values that are tried before the first one at which the choice is another is narrowed down."""
_EXACT = 1e-3
_YEAR = 12
_MOST_BYTES = 2**60


@dataclass(frozen=True, slots=True)
class SwitchEnd:
    """Where another choice wins at one end of what the share of dirty pages can be.

    Attributes
    ----------
    value : float or None
        In the unit of the input; None where another choice wins at no value that was tried, or at all of them.
    best : str or None
        Quote that wins there, `do_nothing`, or None where no option keeps every limit.
    text : str
        The same in words.
    """

    value: float | None
    best: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Switch:
    """A value of one input at which another choice wins, all else as stated.

    Attributes
    ----------
    input : str
        `price`: of the quote that is the choice; `rate`: accesses; `growth`: of the data.
    unit : str
        `USD/month`, `1/s` or `1/year`.
    used : float or None
        The value that was used, in the unit; None where there is no choice to compare.
    value : float or None
        The nearest value at which another choice wins; None where none within ten times does, or `ends` has one of each end.
    best : str or None
        Quote that wins there, `do_nothing`, or None where no option keeps every limit, or `ends` has one of each end.
    text : str
        The same in words.
    ends : tuple of SwitchEnd
        With no dirty page and with as many as possible, where nobody said which evicted pages are dirty and both differ;
        else empty.
    """

    input: str
    unit: str
    used: float | None
    value: float | None
    best: str | None
    text: str
    ends: tuple[SwitchEnd, ...] = ()


def switches(asked: Asked) -> Iterator[Switch]:
    """Yield at which price, rate and growth another choice would win, by the model.

    Where nobody said which evicted pages are dirty, with none of them dirty and with as many as possible.

    Parameters
    ----------
    asked : Asked
        Of quotes.
    """
    most = _switches(asked)
    if asked.setting.fewest_dirty is None:
        yield from most
        return
    clean = with_fewest(asked)
    own, other = _best(asked), _best(clean)
    if other == own:
        pairs = zip(_switches(clean), most, strict=True)
        yield from (_at_both_ends(few, many) for few, many in pairs)
        return
    for many in most:
        few = replace(
            many, value=None, best=other, text=f"At what is stated, {_wins(other)}."
        )
        yield _at_both_ends(few, many)


def _at_both_ends(few: Switch, many: Switch) -> Switch:
    """Put together what holds with no dirty page and with as many as possible."""
    if few.text == many.text:
        return many
    ends = tuple(SwitchEnd(each.value, each.best, each.text) for each in (few, many))
    first, second = (f"{text[0].lower()}{text[1:]}" for text in (few.text, many.text))
    return replace(
        many,
        value=None,
        best=None,
        text=f"If no evicted page is dirty: {first} With as many dirty as possible: {second}",
        ends=ends,
    )


def _switches(asked: Asked) -> Iterator[Switch]:
    table = table_of(asked)
    order = list(_first_of_each(asked, table))
    if not order:
        return
    if asked.objective != "io_time":
        yield _price(asked, table, order)
    own = _name(table, order[0])
    if asked.setting.rates.mean is not None:
        yield from _rates(asked, own)
    if asked.setting.curve.scaled is not None:
        yield _growth(asked, own)


def _first_of_each(asked: Asked, table: Table) -> Iterator[int]:
    """Yield the best option of the choice, then that of the next other one."""
    chosen = chosen_of(asked, table)
    first: str | None = None
    for at in kept(asked, table, chosen, chosen.order):
        name = _name(table, at)
        if first is None:
            first = name
            yield at
        elif name != first:
            yield at
            return


def _name(table: Table, at: int) -> str:
    return table.given(at).quote_id or DO_NOTHING


def said(name: str) -> str:
    """Name a choice in a sentence."""
    return "doing nothing" if name == DO_NOTHING else f"quote {name}"


def _price(asked: Asked, table: Table, order: list[int]) -> Switch:
    """Say above which price the choice loses: to the next one, or because it breaks a limit on money."""
    own, *others = order
    month = int(table.options.month_cents[own])
    used = Decimal(month) * CENT
    name = said(_name(table, own))
    best = _name(table, others[0]) if others else None
    limited = _limited(asked, table, own)
    least = min(limited, default=None)
    dearer = (
        Decimal(int(table.options.month_cents[others[0]])) * CENT if others else None
    )
    if least is not None and (dearer is None or least[0] < dearer):
        value, limit = least
        at_once, beyond = (
            f"{name} is at the limit of its {limit}",
            f": {name} breaks the limit of its {limit}",
        )
    elif dearer is not None:
        value, at_once, beyond = dearer, "both cost the same", ""
    else:
        return Switch(
            "price",
            "USD/month",
            float(used),
            None,
            None,
            f"At no price does another option win: {name} is the only one that keeps every limit.",
        )
    more = value - used
    if not more:
        text = f"At any higher price of {name}, {_wins(best)}: {at_once}."
    else:
        share = f", {percent(float(more / used))}" if used else ""
        text = (
            f"Above {exact_money(value)} per month for {name}, which is {exact_money(more)}{share} more than stated, "
            f"{_wins(best)}{beyond}."
        )
    return Switch("price", "USD/month", float(used), float(value), best, text)


def _limited(asked: Asked, table: Table, own: int) -> Iterator[tuple[Decimal, str]]:
    """Yield the cost per month up to which an option keeps each limit on money, all its prices raised alike. [USD/month]"""
    month = Decimal(int(table.options.month_cents[own])) * CENT
    purchase = Decimal(int(table.options.purchase_cents[own])) * CENT
    of_month, of_purchase = (
        asked.constraints.get(name) for name in ("usd_per_month", "purchase_usd")
    )
    if of_month is not None:
        yield (
            max(month, most_units("usd_per_month", of_month) * CENT),
            "cost per month",
        )
    if of_purchase is not None and purchase:
        most = (month * of_purchase / purchase).quantize(CENT, ROUND_FLOOR, EXACT)
        yield max(month, most), "purchase"


def _rates(asked: Asked, own: str) -> Iterator[Switch]:
    """Yield the higher and the lower rate of accesses at which another choice wins."""
    rates = asked.setting.rates
    assert rates.mean is not None

    def at(times: float) -> str | None:
        scaled = Rates(*(None if rate is None else rate * times for rate in rates.both))
        return _best(replace(asked, setting=replace(asked.setting, rates=scaled)))

    for end, word in ((MOST_TIMES, "Above"), (1 / MOST_TIMES, "Below")):
        found = _first_other(at, own, end)
        if found is None:
            text = (
                f"No rate up to {MOST_TIMES:.0f} times the stated one changes the choice."
                if end > 1
                else "No rate down to a tenth of the stated one changes the choice."
            )
            yield Switch("rate", "1/s", rates.mean, None, None, text)
            continue
        value, best = rates.mean * found[0], found[1]
        yield Switch(
            "rate",
            "1/s",
            rates.mean,
            value,
            best,
            f"{word} {rate_text(value)} accesses per second on average, {found[0]:.3g} times the stated rate, "
            f"{_wins(best)}.",
        )


def _growth(asked: Asked, own: str) -> Switch:
    """Say from which growth of the data on another choice wins; the load stays as stated."""
    setting = asked.setting
    years = setting.horizon_months / _YEAR
    used = setting.growth_per_year

    def at(times: float) -> str | None:
        data = math.ceil(setting.data_bytes * times)
        if data > _MOST_BYTES:
            return own
        return _best(replace(asked, setting=replace(setting, data_bytes=data)))

    found = _first_other(at, own, MOST_TIMES)
    horizon = counted(setting.horizon_months, "month")
    if found is None:
        text = (
            f"No growth up to {MOST_TIMES:.0f} times the data at the end of {horizon} changes the choice; the load is "
            "that stated."
        )
        return Switch("growth", "1/year", used, None, None, text)
    value = (1 + used) * found[0] ** (1 / years) - 1
    return Switch(
        "growth",
        "1/year",
        used,
        value,
        found[1],
        f"Above {percent(value)} growth of the data per year over {horizon}, {_wins(found[1])}; {percent(used)} is stated, "
        "and the load is that stated.",
    )


def _wins(best: str | None) -> str:
    return "no option keeps every limit" if best is None else f"{said(best)} wins"


def _best(asked: Asked) -> str | None:
    table = table_of(asked)
    chosen = chosen_of(asked, table)
    at = next(kept(asked, table, chosen, chosen.order), None)
    return None if at is None else _name(table, at)


def _first_other(
    best_at: Callable[[float], str | None], own: str, end: float
) -> tuple[float, str | None] | None:
    """Return the first factor from 1 towards `end` at which the best is another, and what it is; None where none is.

    Values in between are tried from 1 on, so that one that changes back before the next is missed.
    """
    before = 1.0
    for step in range(1, _STEPS + 1):
        after = end ** (step / _STEPS)
        best = best_at(after)
        if best == own:
            before = after
            continue
        while abs(after / before - 1) > _EXACT:
            middle = math.sqrt(before * after)
            found = best_at(middle)
            if found == own:
                before = middle
            else:
                after, best = middle, found
        return after, best
    return None
