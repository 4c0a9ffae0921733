"""What the choices cost in several scenarios, what each costs more than the best there, and the robust one."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._billed import billed
from tierwright.advise.advice._choice import evidence_limit
from tierwright.advise.advice._numbers import best_of
from tierwright.advise.advice._table import Rates, Setting, Table
from tierwright.advise.advice._when import LARGEST_BYTES
from tierwright.advise.advice._words import with_flows
from tierwright.advise.advice._words.finding import INCLUDED, not_counted
from tierwright.advise.advice.found import (
    Regret,
    Scenario,
    ScenarioRow,
    Scenarios,
)
from tierwright.common.arrays import FloatArray
from tierwright.common.currency import money
from tierwright.common.units import format_microseconds
from tierwright.common.wording import (
    counted,
    listed,
    percent,
    sentences,
    whole_percent,
)
from tierwright.evaluate.advice.later import (
    MONTHS_A_YEAR,
    stretched_curve,
    wider_curve,
)
from tierwright.evaluate.advice.limits import (
    LIFE,
    RESPONSES,
    own_limits,
    stated_limits,
)
from tierwright.evaluate.advice.rows import Options, joined
from tierwright.evaluate.advice.scenarios import busy_after_loss, minimax, regrets
from tierwright.evaluate.bill import CENT

MORE_LOAD = 0.25
"""Share by which the load, or the pages that are in use, may be more than stated. [1]"""
PRICE_MOVE = Decimal("0.2")
"""Share by which RAM and flash may cost more or less. [1]"""
PURCHASE_UNSAID = (
    "what of it would have to be bought again is not stated, so what an exchange loses is unknown: state `purchase_usd` of "
    "what there is, 0 if it is paid for"
)
COMMITMENT_UNSAID = (
    "its bill has a commitment, and what ending that early costs is not stated, so what an exchange loses is unknown: state "
    "`usd_per_month` and `purchase_usd` of what there is in place of the bill"
)
NO_REPAIR = "it breaks a limit there, which no I/O time repairs"
NOTHING_KEPT = "no candidate keeps every limit there"
"""Why a regret is unknown."""
BY_MODEL_TIMES = (
    "The I/O times of these scenarios are the model's: where options were replayed, their replays rank them, and may do so "
    "otherwise."
)
BY_MODEL_LIMITS = "Which limits are broken in these scenarios is by the model: no replay was made of them."
"""What the figures of scenarios are beside those of replays."""
_UNKNOWN = (
    "How much more than the best the recommendation costs at most is not known: nobody stated what an exchange of what there "
    "is would lose."
)
HELD_AFTER_LOSS = (
    "; limits of response times are held on the machines that have most to carry then"
)
NO_MORE_GROWTH = "; flash is worn at that load, which grows no further"
BASIS = (
    "a choice stays as it was bought; where it breaks a limit, the cheapest option that keeps every limit there is "
    "bought or rented instead, and its regret is the part of its purchase that is lost, spread over the months, at most: an "
    "upper bound, as part of it may serve on, and whether adding RAM or devices would be enough is not computed; "
    "rents are those without commitment, so what is rented loses nothing but the time in which the limit is broken, at "
    "least one billing period, which has no price here"
)


@dataclass(frozen=True, slots=True)
class _Case:
    """A scenario as it is computed."""

    name: str
    title: str
    definition: str
    asked: Asked
    price_times: Decimal = Decimal(1)
    loses: bool = False


@dataclass(frozen=True, slots=True)
class Lacks:
    """Machines that costs lack: of the choices that are compared, and of what is the best of some scenario."""

    of_rows: tuple[int, ...] = ()
    of_bests: frozenset[int] = frozenset()

    def of(self, at: int) -> int:
        """Machines that the cost of a choice lacks."""
        return self.of_rows[at] if self.of_rows else 0


_ALIKE = Lacks()
"""No cost lacks a machine."""


@dataclass(frozen=True, slots=True)
class _Contender:
    """A choice that is compared, a row of the table that it is from."""

    role: str
    table: Table
    at: int

    @property
    def same_as(self) -> tuple[str, str]:
        """What it is, whichever table it is from."""
        return self.table.title(self.at), self.table.scheme(self.at)

    @property
    def bought(self) -> tuple[str, str, int, int]:
        """What is bought, whichever page flow runs on it, and what it costs."""
        options = self.table.options
        return (
            self.table.source(self.at),
            self.table.title(self.at),
            int(options.month_cents[self.at]),
            int(options.purchase_cents[self.at]),
        )

    @property
    def month_cents(self) -> float:
        """What it costs at the prices of its table. [cent/month]"""
        return float(self.table.options.month_cents[self.at])

    @property
    def lacks(self) -> int:
        """Machines that its cost lacks: those of RAM and devices where no price of a machine is stated."""
        is_part = self.table.without_machine(self.at)
        return int(self.table.options.machines[self.at]) if is_part else 0

    @property
    def io_us(self) -> float:
        """I/O time of an access. [µs]"""
        return float(self.table.options.io_us[self.at])


def compared(
    asked: Asked,
    table: Table,
    best: int,
    alternatives: Sequence[int],
    *,
    is_replayed: bool = False,
) -> Scenarios:
    """Say what the choices cost in each scenario, beside the best there.

    They are the recommendation, what was close, what there is, and the best of each scenario.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the present.
    best : int
        Row of the recommendation.
    alternatives : sequence of int
        Rows of what was close.
    is_replayed : bool
        Whether replays rank the choices beside these figures, which are the model's.
    """
    cases, best_of = [], []
    # One table after the other: of many candidates all of them together are large.
    for case, *others in _cases(asked, table):
        cases.append(case)
        best_of.append(_best_of(case, others))
    rows = _contenders(table, best, alternatives, zip(cases, best_of, strict=True))
    by_time = asked.objective == "io_time"
    standing = [joined([_standing(each, case) for each in rows]) for case in cases]
    broken = [
        _broken(rows, case, found) for case, found in zip(cases, standing, strict=True)
    ]
    classes = _classes(rows, cases, broken)
    first = [each[0] for each in classes]
    rows = [rows[at] for at in first]
    standing = [each.rows(np.asarray(first)) for each in standing]
    broken = [[each[at] for at in first] for each in broken]
    titles = [
        with_flows(row.same_as[0], (row.same_as[1], *flows))
        for row, (_, flows) in zip(rows, classes, strict=True)
    ]
    keeps = np.asarray([[not names for names in each] for each in broken]).T
    money_ = np.asarray([found.month_cents for found in standing], dtype=np.float64).T
    times = np.asarray([found.io_us for found in standing]).T
    # Line by line, as a month of the bill has it: nothing that is exchanged loses more than it costs.
    spread = np.asarray(
        [
            [billed(row.table, row.at, case.price_times).spread for case in cases]
            for row in rows
        ],
        dtype=np.float64,
    )
    # What nobody said is no purchase of 0 that nothing is lost of.
    unsaid = [_unsaid(asked, row) for row in rows]
    is_unsaid = np.asarray([bool(each) for each in unsaid])[:, np.newaxis]
    spread = np.where(is_unsaid, np.nan, spread)
    costs = times if by_time else money_
    found = regrets(
        costs,
        keeps,
        np.full(costs.shape, np.nan) if by_time else spread,
        np.asarray(
            [
                math.nan if one is None else one.io_us if by_time else one.month_cents
                for one in best_of
            ]
        ),
    )
    # Where nothing keeps every limit, nothing is exchanged, so nobody has to say what that loses.
    kept_by_some = keeps.any(axis=0) | np.asarray([one is not None for one in best_of])
    lost_unsaid = is_unsaid & ~keeps & kept_by_some
    present = [float(costs[each, 0]) for each in range(len(rows))]
    least = minimax(found, keeps, keeps[:, 0], present)
    often = np.count_nonzero(~keeps, axis=1)
    # What is exchanged for nothing has least regret however often it is: that alone is not robust.
    robust = (
        least
        if least is not None and often[least] == often[keeps[:, 0]].min()
        else None
    )
    shown = tuple(
        ScenarioRow(
            *row.same_as,
            classes[each][1],
            titles[each],
            row.role,
            bool(row.table.options.is_rented[row.at])
            and unsaid[each] != COMMITMENT_UNSAID,
            tuple(
                _cell(
                    found[each, column],
                    money_[each, column],
                    broken[column][each],
                    by_time=by_time,
                    unsaid=unsaid[each] if lost_unsaid[each, column] else "",
                )
                for column in range(len(cases))
            ),
            *_worst(
                found[each],
                by_time=by_time,
                is_unsaid=bool(lost_unsaid[each].any()),
            ),
            each == robust,
        )
        for each, row in enumerate(rows)
    )
    columns = tuple(
        Scenario(
            case.name,
            case.title,
            case.definition,
            None if one is None else one.same_as[0],
            None if one is None else Decimal(int(one.month_cents)) * CENT,
            None if one is None else one.io_us,
        )
        for case, one in zip(cases, best_of, strict=True)
    )
    return Scenarios(
        columns,
        shown,
        None if robust is None else shown[robust].name,
        sentences(
            scenarios_text(
                columns,
                shown,
                least,
                found,
                by_time=by_time,
                lacks=Lacks(
                    tuple(each.lacks for each in rows),
                    frozenset(one.lacks for one in best_of if one is not None),
                ),
            ),
            (BY_MODEL_TIMES if by_time else BY_MODEL_LIMITS) if is_replayed else "",
        ),
        BASIS,
    )


def _cases(
    asked: Asked, table: Table
) -> Iterator[tuple[_Case, Table] | tuple[_Case, Table, Table]]:
    """Yield the scenarios that there are here with the options of each, in one table or two, the present first."""
    setting = asked.setting
    yield (
        _Case("present", "as stated", "data, load and prices as stated", asked),
        table,
    )

    def remade(
        name: str, title: str, definition: str, new: Setting
    ) -> tuple[_Case, Table]:
        case = _Case(name, title, definition, replace(asked, setting=new))
        return case, table.remade(new)

    months = setting.horizon_months
    growth = setting.growth_per_year
    known = setting.rates.mean is not None
    if growth > 0 and setting.data_bytes <= LARGEST_BYTES:
        times = (1 + growth) ** (months / MONTHS_A_YEAR)
        what = "data and load" if known else "data"
        yield remade(
            "growth",
            "grown",
            f"{what} {percent(times - 1)} more than today, as after {counted(months, 'month')} of growth"
            + (NO_MORE_GROWTH if LIFE in asked.constraints else ""),
            replace(
                setting,
                curve=stretched_curve(setting.curve, times),
                rates=_times(setting.rates, times),
                # The writes have grown: what they grow by after that is in no other figure of this scenario.
                load_stays=True,
            ),
        )
    if known:
        yield remade(
            "load",
            "more load",
            f"{whole_percent(MORE_LOAD)} more load than stated",
            replace(setting, rates=_times(setting.rates, 1 + MORE_LOAD)),
        )
    yield remade(
        "drift",
        "larger working set",
        f"the working set becomes {whole_percent(MORE_LOAD)} larger: as many misses at sizes so much larger"
        + (", short of all of the data" if setting.curve.data_held_from else ""),
        replace(setting, curve=wider_curve(setting.curve, 1 + MORE_LOAD)),
    )
    if (table.shelf.ram is not None and table.shelf.stores) or (
        table.columns is not None and len(table.columns.sold.chassis)
    ):
        for name, title, times_, more in (
            ("prices_up", "higher prices", 1 + PRICE_MOVE, "more"),
            ("prices_down", "lower prices", 1 - PRICE_MOVE, "less"),
        ):
            definition = f"RAM and flash that are bought cost {whole_percent(float(PRICE_MOVE))} {more}; rents stay"
            yield (
                _Case(name, title, definition, asked, times_),
                table.repriced(times_),
            )
    if known:
        left = replace(setting, after_loss=True)
        spared = replace(left, spare=1)
        case = _Case(
            "loss",
            "a failure",
            "one drive that holds the data of one machine fails, of what is rented one machine; the rest of that machine "
            "carries its load at the same hit ratios, or where that drive was its only one, the other machines do, and "
            f"copies of the data are elsewhere{HELD_AFTER_LOSS if asked.limits_response else ''}",
            replace(asked, setting=spared),
            loses=True,
        )
        lossy = _after_loss(table.remade(spared))
        if setting.machines == 1 or not table.shelf.stores:
            yield case, lossy
            return
        # Machines with one drive each stand in for the one whose drive is lost: no drive more may be needed.
        yield case, lossy, _after_loss(Table(left, (None, table.shelf)))


def _times(rates: Rates, times: float) -> Rates:
    return Rates(*(None if one is None else one * times for one in rates.both))


def _after_loss(table: Table) -> Table:
    """Let one device fail in every option of a table, which is returned."""
    peak = table.setting.served.peak
    assert peak is not None
    table.options = replace(
        table.options, peak_busy=busy_after_loss(table.options, peak)
    )
    return table


def _best_of(case: _Case, tables: Iterable[Table]) -> _Contender | None:
    """Return the best of a scenario, of tables of its options; None where nothing keeps every limit."""
    found = []
    for table in tables:
        of, at = best_of(case.asked, table, _after_loss if case.loses else None)
        if at is not None:
            found.append(_Contender("scenario", of.alone(at), 0))

    def key(one: _Contender) -> tuple[float, float]:
        by_usd = one.month_cents, one.io_us
        return by_usd[::-1] if case.asked.objective == "io_time" else by_usd

    return min(found, key=key, default=None)


def _standing(one: _Contender, case: _Case) -> Options:
    """Evaluate an option as it stands in another scenario: the same sizes, devices and counts. One row."""
    setting = case.asked.setting
    held = one.table.held(np.asarray([one.at]))
    made = held.on(setting.curve, setting.served.both, setting.load_growth_per_year)
    found = made
    if case.price_times != 1:
        then = billed(one.table, one.at, case.price_times)
        found = replace(
            made,
            purchase_cents=np.asarray([then.purchase]),
            month_cents=np.asarray([then.month]),
        )
    if case.loses and setting.served.peak is not None:
        found = replace(found, peak_busy=busy_after_loss(found, setting.served.peak))
    return found


def _classes(
    rows: Sequence[_Contender],
    cases: Sequence[_Case],
    broken: Sequence[Sequence[tuple[str, ...]]],
) -> list[tuple[int, tuple[str, ...]]]:
    """Put page flows together that a replay alone tells apart: the place of the first of each, and the others.

    They are of the same hardware, break the same limits in every scenario, and are as fast in each within the known
    error of the flash hits of both.
    """

    @functools.cache
    def ends(at: int, column: int) -> tuple[float, float]:
        row, setting = rows[at], cases[column].asked.setting
        low, high = row.table.held(np.asarray([row.at])).io_us_ends(setting.curve)
        return float(low[0]), float(high[0])

    def alike(one: int, other: int) -> bool:
        if rows[one].bought != rows[other].bought:
            return False
        if any(names[one] != names[other] for names in broken):
            return False
        pairs = [(ends(one, at), ends(other, at)) for at in range(len(cases))]
        return all(
            low <= most and least <= high for (low, high), (least, most) in pairs
        )

    found: list[tuple[int, tuple[str, ...]]] = []
    for at, row in enumerate(rows):
        for place, (first, others) in enumerate(found):
            if alike(first, at):
                found[place] = first, (*others, row.same_as[1])
                break
        else:
            found.append((at, ()))
    return found


def _broken(
    rows: Sequence[_Contender], case: _Case, found: Options
) -> list[tuple[str, ...]]:
    """Names of the limits that each option breaks as it stands."""
    asked = case.asked
    views = []
    for row, each in enumerate(rows):
        view = each.table.alone(each.at)
        view.setting = asked.setting
        # As it stands there, not as it was bought.
        view.options = found.rows(np.asarray([row]))
        views.append(view)

    def beside(name: str) -> FloatArray:
        return np.concatenate([view.beside(name, np.asarray([0])) for view in views])

    limits = [
        *own_limits(found),
        *evidence_limit(found, asked.setting.curve.evidence),
        *stated_limits(found, asked.constraints, beside),
    ]
    broken = [
        tuple(limit.name for limit in limits if bool(limit.breaks[each]))
        for each in range(len(rows))
    ]
    if not asked.limits_response:
        return broken
    for at, view in enumerate(views):
        times = view.peak_response(0)
        broken[at] += tuple(
            name
            for name, value, limit in zip(
                RESPONSES, times, asked.response_limits, strict=True
            )
            if limit is not None and not value <= limit
        )
    return broken


def _unsaid(asked: Asked, row: _Contender) -> str:
    """Why nobody knows what an exchange of a choice loses, which is what there is; empty where it is known."""
    have = asked.setting.have
    is_have = row.table.source(row.at) == "have"
    if not is_have or have is None or have.purchase_is_known:
        return ""
    return COMMITMENT_UNSAID if have.is_committed else PURCHASE_UNSAID


def _cell(
    regret: float,
    cents: float,
    broken: tuple[str, ...],
    *,
    by_time: bool,
    unsaid: str,
) -> Regret:
    known = math.isfinite(regret)
    reason = NOTHING_KEPT
    if known:
        reason = ""
    elif broken and by_time:
        reason = NO_REPAIR
    elif broken and unsaid:
        reason = unsaid
    return Regret(
        Decimal(int(cents)) * CENT,
        broken,
        Decimal(int(regret)) * CENT if known and not by_time else None,
        float(regret) if known and by_time else None,
        reason,
    )


def _worst(
    regret: FloatArray, *, by_time: bool, is_unsaid: bool
) -> tuple[Decimal | None, float | None]:
    known = regret[~np.isnan(regret)]
    if not len(known) or (is_unsaid and not by_time):
        return None, None
    worst = float(known.max())
    return (None, worst) if by_time else (Decimal(int(worst)) * CENT, None)


def scenarios_text(
    columns: Sequence[Scenario],
    rows: Sequence[ScenarioRow],
    least: int | None,
    regret: FloatArray,
    *,
    by_time: bool,
    lacks: Lacks = _ALIKE,
) -> str:
    """Say which choice does best in its worst scenario, whether it is robust, and where limits break.

    Parameters
    ----------
    columns : sequence of Scenario
    rows : sequence of ScenarioRow
        The choices.
    least : int or None
        Index of that of least regret.
    regret : float64 array, shape (choices, scenarios)
        [cent/month or µs]
    by_time : bool
        Whether it is time.
    lacks : Lacks
        Machines that are in no cost.
    """
    over = f"Over {counted(len(columns), 'scenario')}"
    [own] = [at for at, row in enumerate(rows) if row.role == "recommended"]
    if least is None:
        said = [f"{over}, no choice is robust: none of these keeps every limit today."]
    else:
        say = _least_time_text if by_time else _least_usd_text
        said = [f"{over}, {say(columns, rows, least, own, regret)}"]
    said.extend(_broken_text(columns, rows[own], by_time=by_time))
    if least is not None and not by_time:
        said.extend(_rented_text(rows, least, len(columns)))
        said.extend(_steadier_text(rows, least, lacks))
        said.extend(_machines_text(rows, least, own, lacks))
    nothing = [column.title for column in columns if column.best is None]
    if nothing:
        said.append(f"No candidate keeps every limit in: {listed(nothing)}.")
    return " ".join(said)


def _most(columns: Sequence[Scenario], regret: FloatArray) -> tuple[float, str]:
    """Return the largest regret that is known of a choice, and where, to be read behind its size; that is empty of none."""
    known = np.where(np.isnan(regret), 0.0, regret)
    column = int(known.argmax())
    value = float(known[column])
    return value, f" ({columns[column].title})" if value else ""


def _least_time_text(
    columns: Sequence[Scenario],
    rows: Sequence[ScenarioRow],
    least: int,
    own: int,
    regret: FloatArray,
) -> str:
    """Say which choice has least regret, where that is time, behind over how many scenarios."""

    def most(at: int) -> str:
        value, where = _most(columns, regret[at])
        return f"{format_microseconds(value)} per access{where}"

    role = role_of(rows[least])
    if least != own:
        return (
            f"{role} is {rows[least].title}: where it keeps every limit, it is at most {most(least)} slower than the best, "
            f"the recommendation at most {most(own)}."
        )
    if not _most(columns, regret[own])[0]:
        return f"the recommendation is {role}: no candidate that keeps every limit there is faster."
    return f"the recommendation is {role}: where it keeps every limit, it is at most {most(own)} slower than the best."


def _least_usd_text(
    columns: Sequence[Scenario],
    rows: Sequence[ScenarioRow],
    least: int,
    own: int,
    regret: FloatArray,
) -> str:
    """Say which choice has least regret, where that is money, behind over how many scenarios."""

    def most(at: int) -> str:
        value, where = _most(columns, regret[at])
        return f"{money(Decimal(int(value)) * CENT)} per month{where}"

    role = role_of(rows[least])
    # A regret that cannot be stated is no regret of 0.
    is_unknown = any(
        cell.reason in (PURCHASE_UNSAID, COMMITMENT_UNSAID) for cell in rows[own].regret
    )
    if least != own:
        beside = (
            f". {_UNKNOWN}"
            if is_unknown
            else f", the recommendation at most {most(own)}."
        )
        return f"{role} is {rows[least].title}: it costs at most {most(least)} more than the best{beside}"
    if is_unknown:
        return f"the recommendation is {role}. {_UNKNOWN}"
    if not _most(columns, regret[own])[0]:
        where = "where it keeps every limit, " if rows[own].broken else ""
        return f"the recommendation is {role}: {where}it costs more than the best in no scenario."
    return f"the recommendation is {role}: it costs at most {most(own)} more than the best."


def role_of(least: ScenarioRow) -> str:
    """Name the choice of least regret: robust where no other that keeps every limit today breaks one less often."""
    return "the robust choice" if least.is_robust else "the choice of least regret"


def _broken_text(
    columns: Sequence[Scenario], own: ScenarioRow, *, by_time: bool
) -> Iterator[str]:
    """Say where the recommendation breaks a limit, and what that means."""
    titles = [
        column.title
        for column, cell in zip(columns, own.regret, strict=True)
        if cell.breaks
    ]
    if not titles:
        return
    yield f"The recommendation breaks a limit in {len(titles):,} of them: {listed(titles)}."
    repaired = [
        column.title
        for column, cell in zip(columns, own.regret, strict=True)
        if cell.breaks and column.best is not None
    ]
    if not repaired or (own.is_rented and not by_time):
        return
    # Where nothing keeps every limit, there is nothing to exchange it for: the last sentence says so.
    where = "There" if repaired == titles else f"Of these, in {listed(repaired)}"
    yield (
        f"{where} the best option is assumed to replace it; whether adding RAM or devices would be enough is not computed"
        + (
            ", so its regret is at most what the exchange loses."
            if not by_time
            and any(cell.breaks and cell.regret_usd_per_month for cell in own.regret)
            else "."
        )
    )


def _rented_text(
    rows: Sequence[ScenarioRow], least: int, scenarios: int
) -> Iterator[str]:
    """Say what a choice of least regret that is rented has to regret where it breaks a limit."""
    own = rows[least]
    if not own.is_rented or not own.broken:
        return
    role = role_of(own)
    new = [row for row in rows if row.role != "today"]
    if not all(row.is_rented for row in new):
        whose = "It is" if own.role == "recommended" else f"{_capital(role)} is"
    elif len(new) < len(rows):
        whose = "All choices but what there is today are"
    else:
        whose = "All choices are"
    yield (
        f"{whose} rented without commitment: where a limit is broken, nothing is lost but the time until another is "
        "rented, at least one billing period; that has no price here."
    )
    if own.role != "recommended":
        yield f"{_capital(role)} breaks a limit in {own.broken:,} of {counted(scenarios, 'scenario')}."


def _steadier(rows: Sequence[ScenarioRow], least: int) -> int | None:
    """Return the choice that breaks limits in the fewest scenarios; None where that of least regret is robust."""
    own = rows[least]
    if own.is_robust:
        return None
    steadier = [
        at
        for at, row in enumerate(rows)
        if row.broken < own.broken and not row.regret[0].breaks
    ]
    return min(
        steadier, key=lambda at: (rows[at].broken, rows[at].regret[0].usd_per_month)
    )


def _steadier_text(
    rows: Sequence[ScenarioRow], least: int, lacks: Lacks = _ALIKE
) -> Iterator[str]:
    """Say which choice breaks limits in fewer scenarios than that of least regret, and what it costs."""
    own, at = rows[least], _steadier(rows, least)
    if at is None:
        if own.is_rented and own.broken:
            yield "No choice that keeps every limit today breaks one in fewer of them."
        return
    best = rows[at]
    now = best.regret[0].usd_per_month
    more = now - own.regret[0].usd_per_month
    size = f"{money(abs(more))} per month {'more' if more > 0 else 'less'}"
    if not more:
        size = "as much"
    if lacks.of(at) != lacks.of(least):
        # The difference would be that of costs that lack different numbers of machines.
        has = not_counted(lacks.of(at)) if lacks.of(at) else INCLUDED
        size = f"{money(now)} per month, {has}"
    often = (
        f"A limit is broken in {best.broken:,} of them"
        if best.broken
        else "No limit is broken in any of them"
    )
    yield (
        f"That alone does not make it robust: {often[0].lower()}{often[1:]} by {best.title}, which costs "
        f"{size}."
    )


def _machines_text(
    rows: Sequence[ScenarioRow], least: int, own: int, lacks: Lacks
) -> Iterator[str]:
    """Say what the machines that only some costs lack would do to the regrets that are named.

    With them RAM and devices cost more, and whatever is the best of a scenario no less.
    """
    named = dict.fromkeys((own, least))
    steadier = _steadier(rows, least)
    beside = {*lacks.of_bests, *(lacks.of(at) for at in named)}
    if steadier is not None:
        beside.add(lacks.of(steadier))
    if len(beside) == 1:
        return
    role = role_of(rows[least])
    of = {at: "the recommendation" if at == own else role for at in named}
    # What nobody knows is not stated.
    stated = [at for at in named if rows[at].most_regret_usd_per_month is not None]
    said = [
        f"the regret of {listed(some)} is no {which} than stated"
        for some, which in (
            ([of[at] for at in stated if lacks.of(at)], "lower"),
            ([of[at] for at in stated if not lacks.of(at)], "higher"),
        )
        if some
    ]
    one = max(beside) == 1
    yield (
        f"Not all of these costs include the {'machine' if one else 'machines'} that RAM and devices need. With "
        f"{'it' if one else 'them'}, {'; '.join((*said, f'the best of a scenario and {role} may be others'))}."
    )


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _contenders(
    table: Table,
    best: int,
    alternatives: Sequence[int],
    cases: Iterable[tuple[_Case, _Contender | None]],
) -> list[_Contender]:
    """List what is compared, each once, what has no price left out."""
    have = table.have_at
    rows = [
        _Contender("recommended", table, best),
        *(
            _Contender("today" if at == have else "close", table, at)
            for at in (*alternatives, *(() if have is None else (have,)))
        ),
        *(
            one
            for case, one in cases
            # What is bought today is bought at the prices of today.
            if one is not None and case.price_times == 1
        ),
    ]
    distinct: dict[tuple[str, str, str], _Contender] = {}
    for each in rows:
        if each.table.options.unpriced[each.at] == 0:
            source = each.table.source(each.at)
            distinct.setdefault((source, *each.same_as), each)
    return list(distinct.values())
