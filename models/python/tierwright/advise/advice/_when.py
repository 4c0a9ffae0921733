"""When the answer changes as data and load grow, and whether waiting for other prices pays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._bounded import listed_of
from tierwright.advise.advice._choice import chosen_of, kept
from tierwright.advise.advice._numbers import best_of
from tierwright.advise.advice._prices import SERIES_OF
from tierwright.advise.advice._table import Rates, Setting, Table, purchases_by_kind
from tierwright.advise.advice._words import with_flow
from tierwright.advise.advice.found import (
    Option,
    PriceTrend,
    Waiting,
    When,
    WhenStep,
)
from tierwright.advise.configurations import data_bytes_of
from tierwright.common.currency import is_under_a_coin, money, money_below, unit_price
from tierwright.common.wording import LEAST_CHANGE, counted, listed, percent
from tierwright.evaluate.advice.later import (
    LOOKED_AHEAD,
    MONTHS_A_YEAR,
    QUARTERS_A_YEAR,
    Bought,
    Trend,
    changes,
    stretched_curve,
    trends,
    waiting,
)
from tierwright.evaluate.advice.rows import CHOICES, STANDING
from tierwright.evaluate.advice.tiers import Shelf
from tierwright.evaluate.bill import CENT
from tierwright.hardware.price_history import PriceSeries, price_history

MOST_MONTHS = 120
"""Months that are looked ahead."""
MOST_YEARS = 5
"""Months that are asked first, besides today."""
MOST_HALVED = 12
"""Months that are asked between these."""
MOST_ROWS = 1_500_000
"""Options of all months together: with many candidates fewer months are asked."""
LARGEST_BYTES = 2**60
MONTHS_A_QUARTER = 3
LAWS_ALIKE = frozenset({"stretch", "tenants"})
"""Scale laws by which all data grow alike."""
KIND_WORDS = {
    "dram": "RAM",
    "ssd_enterprise": "flash drives",
    "ssd": "flash drives",
    "hdd": "hard disks",
    "chassis": "chassis",
    "machine": "machines",
}


_ROUNDED = 1e-6
"""Months by which a whole number of them may be off."""


def grown(setting: Setting, times: float) -> Setting:
    """Return the same question of so many times the data and the load, the curve stretched."""
    return replace(
        setting,
        curve=stretched_curve(setting.curve, times),
        rates=Rates(
            *(None if one is None else one * times for one in setting.rates.both)
        ),
        data_bytes=int(setting.data_bytes * times),
    )


@dataclass(frozen=True, slots=True)
class _Then:
    """The best of one month."""

    key: Hashable
    name: str | None
    scheme: str | None
    month_cents: int | None
    io_us: float | None


def when(
    asked: Asked, table: Table, best: Option | None, best_at: int | None, *, steps: bool
) -> When | None:
    """Say when the recommendation is too small, and, where wanted, when another is the best."""
    setting = asked.setting
    growth = setting.growth_per_year
    if growth <= 0 or best is None or best_at is None:
        return None
    months = best.months_until_too_small
    found: tuple[WhenStep, ...] = ()
    until = 0
    if steps:
        found, until = _steps(asked, table, best_at)
    said = [_too_small(setting, table, best, best_at)]
    if until:
        said.append(
            steps_text(
                found,
                until,
                rate_known=setting.rates.mean is not None,
                horizon=setting.horizon_months,
                now=best.usd_per_month,
            )
        )
    return When(growth, months, found, until, " ".join(said), _basis(setting))


def _too_small(setting: Setting, table: Table, best: Option, at: int) -> str:
    months = best.months_until_too_small
    if "months_until_too_small" in best.ranges:
        least, most = (
            "more than 30 years" if end is None else counted(math.floor(end), "month")
            for end in best.ranges["months_until_too_small"]
        )
        return f"If the load grows as the data do, it becomes too small after {least} to {most}, depending on how many evicted pages are dirty."
    if months is None:
        if best.scheme not in CHOICES:
            return "When it is too small is not known: no replay tells the data of later months."
        return _without_months(setting, table, at)
    # Space depends on the data alone, whatever the load does.
    what = (
        "As the data grow, they no longer fit"
        if table.space_months(at) <= months
        else "If the load grows as the data do, a device is busier than allowed in the busiest hour"
    )
    whole = math.floor(
        months + _ROUNDED
    )  # space for exactly the horizon is for all of it
    after = f"after {counted(whole, 'month')}" if whole else "within a month"
    horizon = setting.horizon_months
    early = (
        f", before the {counted(horizon, 'month')} of the horizon are over"
        if whole < horizon
        else ""
    )
    return f"{what} {after}{early}."


def _without_months(setting: Setting, table: Table, at: int) -> str:
    """Say why there is no month, and when the data no longer fit where that is all that is known."""
    found = float(table.months_until_too_small(np.asarray([at]))[0])
    if math.isinf(found):
        return "It does not become too small within 30 years."
    if math.isfinite(found):
        return "When it is too small is not known: its replay admits what the model does not, and tells nothing of later months."
    why = (
        "the workload states no rate"
        if setting.rates.peak is None
        else "no source states every time of its devices"
    )
    space = table.space_months(at)
    fits = (
        "they fit for more than 30 years"
        if space > LOOKED_AHEAD[-1]
        else f"they no longer fit after {counted(math.floor(space + _ROUNDED), 'month')}"
    )
    return f"When its devices become too busy could not be computed: {why}. As the data grow, {fits}."


def too_small_early(setting: Setting, table: Table, option: Option, at: int) -> str:
    """Say what becomes too small before the horizon ends, and when; empty where nothing does.

    Parameters
    ----------
    setting : Setting
        Of the question.
    table : Table
        Of its options.
    option : Option
        One of them.
    at : int
        Its row.
    """
    low, _ = option.ranges.get(
        "months_until_too_small", (option.months_until_too_small, None)
    )
    if low is None or math.floor(low + _ROUNDED) >= setting.horizon_months:
        return ""
    return _too_small(setting, table, option, at)


def _basis(setting: Setting) -> str:
    same = (
        "the question asked again at the data and the load of that month, for as many months from then on, at the "
        "prices of today; the curve read as if all data grow alike"
    )
    scaled = setting.curve.scaled
    if scaled is None or scaled.law in LAWS_ALIKE:
        return same
    return f"{same}, although it was scaled by the law {scaled.law}"


def _steps(
    asked: Asked, table: Table, best_at: int
) -> tuple[tuple[WhenStep, ...], int]:
    setting = asked.setting
    growth = setting.growth_per_year
    room = math.log(max(1.0, LARGEST_BYTES / setting.data_bytes)) / math.log1p(growth)
    last = int(min(asked.setting.horizon_months, MOST_MONTHS, room * MONTHS_A_YEAR))
    able = MOST_ROWS // max(1, len(table.options))
    if last < 1 or able < 1:
        return (), 0
    most = min(MOST_YEARS, able)
    years = math.ceil(last / MONTHS_A_YEAR / most)
    first = [*range(0, last, MONTHS_A_YEAR * years), last]
    known = {0: _then(table, best_at)}

    def key(month: int) -> Hashable:
        if month not in known:
            times = (1 + growth) ** (month / MONTHS_A_YEAR)
            then = replace(asked, setting=grown(setting, times))
            known[month] = _then(*best_of(then, listed_of(then)))
        return known[month].key

    found = changes(key, first, min(MOST_HALVED, able - len(first) + 1))
    return (
        tuple(
            _step(each.month, each.month_before, known[each.month]) for each in found
        ),
        last,
    )


def _then(table: Table, at: int | None) -> _Then:
    if at is None:
        return _Then(None, None, None, None, None)
    options = table.options
    # Sizes follow the data; another choice is other hardware, another number of machines or another page flow.
    key = (
        table.source(at),
        table.server(at),
        *table.names(at),
        table.given(at).quote_id if table.source(at) in STANDING else "",
        table.scheme(at),
        int(options.machines[at]),
    )
    return _Then(
        key,
        table.title(at),
        table.scheme(at),
        int(options.month_cents[at]),
        float(options.io_us[at]),
    )


def _step(month: int, before: int, then: _Then) -> WhenStep:
    cents = then.month_cents
    return WhenStep(
        month,
        before,
        then.name,
        then.scheme,
        None if cents is None else Decimal(cents) * CENT,
        then.io_us,
    )


def steps_text(
    steps: tuple[WhenStep, ...],
    until: int,
    *,
    rate_known: bool,
    horizon: int,
    now: Decimal | None = None,
) -> str:
    """Say from which month another choice is the best, and what it is sized for where it costs more than that of today.

    Parameters
    ----------
    steps : tuple of WhenStep
    until : int
        Last month that was asked.
    rate_known : bool
        Whether a load is stated.
    horizon : int
        Months from the month of a step on whose data it has to hold; its load is that of its own month.
    now : Decimal or None
        Cost of the choice of today. [USD/month]
    """
    what = "data and load" if rate_known else "data"
    if not steps:
        return (
            f"Asked again with the {what} of later months, up to month {until}, the choice stays in kind: the same "
            "hardware, number of machines and page flow, in the sizes that are needed then."
        )
    first = steps[0]
    since = f"from {_month(first)} on"
    if first.name is None or first.usd_per_month is None:
        said = f"Asked again with the {what} of later months, no option keeps every limit {since}."
    else:
        said = (
            f"Asked again with the {what} of later months, another choice is the best {since}: {with_flow(first.name, first.scheme)}, "
            f"{money(first.usd_per_month)} per month at the prices of today."
        )
        if now is not None and first.usd_per_month > now:
            load = "to carry the load of that month and " if rate_known else ""
            said += (
                f" It costs {money(first.usd_per_month - now)} more; it has {load}to hold what the data will be "
                f"{counted(horizon, 'month')} after {'it' if rate_known else 'that month'}."
            )
    more = len(steps) - 1
    if more:
        often = {1: "once", 2: "twice"}.get(more, f"{more:,} times")
        last = "" if more == 1 else "the last time "
        said += f" It changes {often} more up to month {until}, {last}in {_month(steps[-1])}."
    return said


def _month(step: WhenStep) -> str:
    if step.month_before == step.month - 1:
        return f"month {step.month}"
    return f"some month between {step.month_before} and {step.month}"


def wait(
    asked: Asked,
    table: Table,
    best: Option | None,
    best_at: int | None,
    zero: Option | None,
    history: Iterable[PriceSeries] | None = None,
) -> Waiting | None:
    """Say whether waiting for other prices pays; None where nothing new is bought or rented, or a quote states the price."""
    if best is None or best_at is None or best.kind in STANDING:
        return None
    parts = purchases_by_kind(table, best_at)
    known = {
        each.kind: each
        for each in trends(price_history().values() if history is None else history)
    }
    rows, used = _trend_rows(parts, known)
    horizon = asked.setting.horizon_months
    # No longer than the prices were watched.
    months = min(
        [
            MONTHS_A_YEAR,
            horizon // 2,
            *(each.quarters * MONTHS_A_QUARTER for each in used.values()),
        ]
    )
    keeps = None if zero is None else _keeps(asked, months)
    reason = _why_not_known(best, zero, horizon)
    if not reason and best.without_machine:
        reason = _by_machine(best, zero, months, keeps=keeps)
    if reason:
        return Waiting(None, months, None, None, None, None, None, keeps, rows, reason)
    assert zero is not None
    assert zero.usd_per_month is not None
    assert best.usd_per_month is not None
    bought = sum(parts.values()) / 100
    moved = sum(
        cents
        / 100
        * (1 + (used[kind].change_per_year if kind in used else 0.0))
        ** (months / MONTHS_A_YEAR)
        for kind, cents in parts.items()
    )
    found = waiting(
        float(zero.usd_per_month),
        float(best.usd_per_month),
        bought,
        moved,
        months,
        horizon,
    )
    now = _to_cents(found.now)
    later = _to_cents(found.later) if used else None
    meanwhile = _to_cents(found.meanwhile)
    pays = None if later is None else later < now
    if later is not None and _decided_by_few(meanwhile, later - now, used):
        pays = None
    return Waiting(
        pays,
        months,
        now,
        later,
        meanwhile,
        # Both parts add up to the cent.
        None if later is None else later - now - meanwhile,
        found.break_even_per_year,
        keeps,
        rows,
        waiting_text(found, months, horizon, rows, pays=pays, keeps=keeps),
    )


def _trend_rows(
    parts: dict[str, int], known: dict[str, Trend]
) -> tuple[tuple[PriceTrend, ...], dict[str, Trend]]:
    """Say of each part of the purchase how its price moved; and by which trend its amounts move."""
    rows, used = [], {}
    for kind, cents in sorted(parts.items(), key=lambda part: -part[1]):
        series = SERIES_OF.get(kind, ())
        trend = next((known[each] for each in series if each in known), None)
        if trend is not None:
            used[kind] = trend
        rows.append(
            PriceTrend(
                trend.kind if trend is not None else series[0] if series else kind,
                Decimal(cents) * CENT,
                None if trend is None else trend.change_per_year,
                None if trend is None else trend.series,
                None if trend is None else trend.first,
                None if trend is None else trend.last,
                None if trend is None else trend.first_usd_per_gb,
                None if trend is None else trend.last_usd_per_gb,
                None if trend is None else trend.quarters,
            )
        )
    return tuple(rows), used


def _why_not_known(best: Option, zero: Option | None, horizon: int) -> str:
    if not best.purchase_usd:
        return "Whether to wait is open: the choice is rented, and no history of rents is known."
    if zero is None or zero.usd_per_month is None:
        return "Whether waiting pays could not be computed: what there is today, or its cost, is not stated."
    if horizon < 2:  # noqa: PLR2004 - nothing is left after waiting
        return "Whether waiting pays could not be computed: the horizon is one month."
    return ""


def _by_machine(
    best: Option, zero: Option | None, months: int, *, keeps: bool | None
) -> str:
    """Say up to which price of the machines that are not counted waiting costs more: parts are not held against a whole."""
    assert zero is not None
    assert zero.usd_per_month is not None
    assert best.usd_per_month is not None
    one = best.machines == 1
    machine = "machine" if one else f"{best.machines:,} machines"
    said = [
        f"Whether to wait depends on the price of the {machine} that the choice needs, which "
        f"{'is' if one else 'are'} not counted."
    ]
    # What is left for each of them.
    room = (zero.usd_per_month - best.usd_per_month) / best.machines
    wait_for = f"waiting {counted(months, 'month')} costs"
    if room <= 0:
        any_price = (
            "whatever the machine costs" if one else "whatever the machines cost"
        )
        said.append(f"At the prices of today {wait_for} less, {any_price}.")
    elif not is_under_a_coin(room):
        less = (
            f"the machine costs less than {money_below(room)} per month"
            if one
            else f"each machine costs less than {money_below(room)} per month"
        )
        said.append(f"At the prices of today {wait_for} more as long as {less}.")
    return _breaking(said, keeps=keeps)


def _breaking(said: list[str], *, keeps: bool | None) -> str:
    """Say besides that what there is breaks a limit while it is waited."""
    if keeps is False:
        said = [*said, "Until then what there is breaks a limit."]
    return " ".join(said)


def _decided_by_few(
    meanwhile: Decimal, difference: Decimal, used: Mapping[str, Trend]
) -> bool:
    """Whether prices of less than a year alone decide if waiting pays: at the prices of today it is otherwise."""
    fewest = min((each.quarters for each in used.values()), default=QUARTERS_A_YEAR)
    return fewest < QUARTERS_A_YEAR and (meanwhile < 0) != (difference < 0)


def _keeps(asked: Asked, months: int) -> bool:
    """Whether what there is keeps every limit today and after so many months of growth."""
    growth = max(0.0, asked.setting.growth_per_year)
    for month in (0, months):
        setting = replace(
            grown(asked.setting, (1 + growth) ** (month / MONTHS_A_YEAR)),
            data_bytes=data_bytes_of(asked.setting.curve, month),
        )
        then = replace(asked, setting=setting)
        alone = Table(setting, (None, Shelf(None, (), ())))
        chosen = chosen_of(then, alone)
        if next(kept(then, alone, chosen, chosen.order), None) is None:
            return False
    return True


def _to_cents(usd: float) -> Decimal:
    return Decimal(round(usd * 100)) * CENT


def waiting_text(
    found: Bought,
    months: int,
    horizon: int,
    rows: tuple[PriceTrend, ...],
    *,
    pays: bool | None,
    keeps: bool | None,
) -> str:
    """Say what waiting costs or saves, by which prices, and from which change of prices on it pays."""
    wait_for = f"Waiting {counted(months, 'month')}"
    over = f"over {counted(horizon, 'month')}"
    said = []
    difference = _to_cents(found.later - found.now)
    if all(each.change_per_year is None for each in rows):
        said.append(
            f"Whether to wait is open: no recent price history of "
            f"{listed([KIND_WORDS.get(each.kind, each.kind) for each in rows])} is known."
        )
    elif pays is None:
        said.append(
            f"Whether to wait is open: at the prices of today waiting {counted(months, 'month')} "
            f"{_would(_to_cents(found.meanwhile))} {over}; with the prices of less than a year carried on it "
            f"{_would(difference)}, which does not decide that: {_parts(found, rows)}."
        )
    else:
        said.append(f"{wait_for} {_would(difference)} {over}: {_parts(found, rows)}.")
    at = found.break_even_per_year
    if at is None:
        said.append("No fall of prices would make waiting pay.")
    elif abs(at) < LEAST_CHANGE:
        said.append(f"{wait_for} pays if the prices of the purchase fall.")
    elif at < 0:
        said.append(
            f"{wait_for} pays if the prices of the purchase fall by more than {percent(-at)} a year."
        )
    else:
        said.append(
            f"{wait_for} pays unless the prices of the purchase rise by more than {percent(at)} a year."
        )
    return _breaking(said, keeps=keeps)


def _would(usd: Decimal) -> str:
    if not usd:
        return "would cost as much"
    return f"would save {money(-usd)}" if usd < 0 else f"would cost {money(usd)} more"


def _parts(found: Bought, rows: tuple[PriceTrend, ...]) -> str:
    """Say what waiting saves or costs meanwhile and what by other prices, the larger part first."""
    moved = listed(
        list(
            dict.fromkeys(
                _moved(each) for each in rows if each.change_per_year is not None
            )
        )
    )
    rest = ", all else at the prices of today"
    if all(each.change_per_year is not None for each in rows):
        rest = ""
    meanwhile, by_prices = _to_cents(found.meanwhile), _to_cents(found.by_prices)
    parts = [
        (
            meanwhile,
            f"what there is costs {_compared(meanwhile)} than the choice meanwhile"
            if meanwhile
            else "what there is costs as much as the choice meanwhile",
        ),
        (
            by_prices,
            f"the share of the purchase that falls within them costs {_compared(by_prices) if by_prices else 'as much'} then, "
            f"if prices go on as they did "
            f"({moved}{rest}), an extrapolation",
        ),
    ]
    (first, one), (second, other) = sorted(parts, key=lambda part: -abs(part[0]))
    joint = "; but" if first * second < 0 else "; and"
    return f"{one}{joint} {other}"


def _compared(usd: Decimal) -> str:
    return f"{money(abs(usd))} {'more' if usd > 0 else 'less'}"


def _moved(trend: PriceTrend) -> str:
    """Say what was measured of a price: two prices and their dates, which no rate a year is."""
    first, last = trend.first_usd_per_gb, trend.last_usd_per_gb
    assert first is not None
    assert last is not None
    what = KIND_WORDS[trend.kind]
    when = f"between {trend.first} and {trend.last}"
    if first == last:
        return f"{what} stayed at {unit_price(first, 'USD/GB')} {when}"
    went = "rose" if last > first else "fell"
    ends = (unit_price(each, "USD/GB") for each in (first, last))
    return f"{what} {went} from {' to '.join(ends)} {when}"
