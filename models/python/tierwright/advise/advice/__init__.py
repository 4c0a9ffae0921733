"""What to buy and how to run it: one answer with its reasons, its alternatives and how sure it is."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise import bill
from tierwright.advise.advice import _words
from tierwright.advise.advice._checked import MOST_FINALISTS, Replayed, replayed
from tierwright.advise.advice._table import Rates, Setting, Table
from tierwright.advise.advice.found import (
    Advice,
    Bar,
    Broken,
    CheckedOption,
    Confidence,
    Infeasible,
    Option,
    Rejected,
    RuleOfThumb,
    Shadow,
    Verdict,
    When,
)
from tierwright.advise.advice.request import (
    Candidates,
    Have,
    checked_constraints,
)
from tierwright.advise.configurations import (
    NOT_INCLUDED,
    as_read,
    data_bytes_of,
    rates_of,
)
from tierwright.common.answer import Step
from tierwright.common.cautions import Caution
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import is_count, is_number
from tierwright.common.wording import counted, off
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.choose import OBJECTIVES, Objective
from tierwright.evaluate.advice.limits import (
    DEFAULT_PEAK_BUSY,
    PEAK_BUSY,
    RESPONSES,
    Limit,
    conflict,
    first_broken,
    own_limits,
    relaxation,
    stated_limits,
)
from tierwright.evaluate.advice.limits import ROUNDING as LIMIT_ROUNDING
from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.evaluate.advice.thumbs import following, thumbs
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware import catalog
from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS, build_from_mapping
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright.trace.reading import OnProgress, Trace

MOST_ALTERNATIVES = 8
MOST_FRONT = 40
MOST_REJECTED = 200
MOST_BARS = 8
MOST_ASKED = 400
"""Options whose response times are computed for alternatives, where these are limited."""
MODEL_VERSION = "1"
"""Of the enumeration and its formulas: changes where an answer does."""
NO_WINDOWS = (
    "no probability: the profile carries no windows of a continuous replay, of which at least 30 after the warm-up "
    "are needed"
)
VALIDITY = (
    "data and load are spread evenly over equal machines; LRU in RAM and in the cache of flash; I/O time is the busy "
    "time of one device of each tier; RAM of devices bought by themselves in steps of the square root of 2; response "
    "times with writes in the background; whether processors and network carry the load is not checked"
)
LIMIT_WORDS = _words.LIMIT_WORDS
"""Every limit in words, by its name: those that are stated, and what an option cannot be without."""
_MOST_MONTHS = 1200


def answer(
    curve: Curve,
    *,
    accesses_per_s: float | None = None,
    duration_s: float | None = None,
    have: Have | None = None,
    candidates: Candidates | None = None,
    constraints: Mapping[str, Any] | None = None,
    objective: Objective = "usd",
    prices: PriceBook | None = None,
    horizon_months: int = DEFAULT_HORIZON_MONTHS,
    flash: Device | None = None,
    disk: Device | None = None,
    seed: int = 0,
    how_sure: bool = True,
    trace: Trace | None = None,
    on_progress: OnProgress | None = None,
) -> Advice:
    """Advise what to buy for a workload, and how to run it.

    Parameters
    ----------
    curve : Curve
        Of production (`tierwright.advise.scale`): its data, copies, machines and rates are those of the answer. Of a
        recording: the data that it touches, one copy.
    accesses_per_s : float, optional
        Rate of all machines together, in place of that of the workload. [1/s]
    duration_s : float, optional
        Of a recording that was not scaled: its rate is accesses / duration. [s]
    have : Have, optional
        What there is today: option zero.
    candidates : Candidates, optional
        What may be bought; all that is priced unless stated.
    constraints : mapping, optional
        Of `tierwright.evaluate.advice.limits.CONSTRAINTS`: largest values in their units, of `flash_life_years` the
        least. Every device at most 70 % busy in the busiest hour unless `peak_busy` is stated.
    objective : str
        `usd`, `io_time` or `pareto`.
    prices : PriceBook, optional
        For RAM and devices that are bought by themselves; without one there are none of these.
    horizon_months : int
        Months over which a purchase is spread, and the data grow. [months]
    flash, disk : Device, optional
        For drives, disks and volumes of which no source states the rates.
    seed : int
        Of what is drawn.
    how_sure : bool
        Whether to compute what inputs that are not known would change, and what each limit costs.
    trace : Trace, optional
        The recording: the recommendation and what was close to it are replayed, and the replay decides among them.
    on_progress : callable, optional
        Of the replay, see `tierwright.trace.reading.OnProgress`.

    Returns
    -------
    Advice
        Its `recommendation` is None where no option keeps every limit.

    Raises
    ------
    BadInput
        If an input is out of range, a limit of load or response time is stated and the workload has no rate, or the
        trace is another one than that of the curve.
    Cancelled
        If progress asked to stop.
    """
    asked = _asked(
        curve,
        (accesses_per_s, duration_s),
        candidates or Candidates(),
        have,
        constraints or {},
        objective,
        prices,
        horizon_months,
        (flash, disk),
        seed,
    )
    table = Table(asked.setting)
    return _answer(asked, table, how_sure=how_sure, replay=(trace, on_progress))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked, checked."""

    setting: Setting
    constraints: dict[str, Decimal]
    objective: Objective
    seed: int

    @property
    def response_limits(self) -> tuple[float | None, float | None]:
        median, tail = (self.constraints.get(name) for name in RESPONSES)
        return (
            None if median is None else float(median),
            None if tail is None else float(tail),
        )

    @property
    def advice_id(self) -> str:
        """Hash of all that was asked: the same inputs have the same id."""
        setting = self.setting
        scaled = setting.curve.scaled
        document = {
            "curve": setting.curve.to_lists(),
            "scaled": None if scaled is None else scaled.to_dict(),
            "page_bytes": setting.curve.page_bytes,
            "rates": setting.rates.both,
            "candidates": plain(setting.candidates),
            "have": None if setting.have is None else plain(as_read(_have(setting))),
            "prices": None if setting.prices is None else setting.prices.to_dict(),
            "months": setting.horizon_months,
            "devices": [
                None if one is None else one.to_dict() for one in setting.devices
            ],
            "constraints": {
                name: str(value) for name, value in self.constraints.items()
            },
            "objective": self.objective,
            "seed": self.seed,
            "versions": _versions(self),
        }
        text = json.dumps(document, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _have(setting: Setting) -> dict[str, Any]:
    have = setting.have
    assert have is not None
    return {
        **{
            name: getattr(have, name)
            for name in (
                "machines",
                "ram_bytes",
                "flash_bytes",
                "disks",
                "flash_devices",
            )
        },
        "disk": have.disk.to_dict(),
        "flash": None if have.flash is None else have.flash.to_dict(),
        "scheme": have.scheme,
        "amounts": [str(have.usd_per_month), str(have.purchase_usd)],
        "bill": dict(have.bill or {}),
    }


def _asked(
    curve: Curve,
    rate: tuple[float | None, float | None],
    candidates: Candidates,
    have: Have | None,
    constraints: Mapping[str, Any],
    objective: Objective,
    prices: PriceBook | None,
    horizon_months: int,
    devices: tuple[Device | None, Device | None],
    seed: int,
) -> _Asked:
    problems = Problems("advice", "state what is bought for")
    problems.check(
        objective in OBJECTIVES,
        "objective",
        objective,
        f"is not one of {', '.join(OBJECTIVES)}",
    )
    problems.check(
        is_count(horizon_months, _MOST_MONTHS) and horizon_months >= 1,
        "horizon_months",
        horizon_months,
        f"must be a whole number from 1 to {_MOST_MONTHS:,}",
    )
    problems.check(is_count(seed), "seed", seed, "must be a whole number from 0 on")
    stated_rate = rate[0]
    problems.check(
        stated_rate is None or (is_number(stated_rate) and stated_rate > 0),
        "accesses_per_s",
        stated_rate,
        "must be a number above 0",
    )
    problems.raise_if_any()
    if curve.accesses == 0:
        raise BadInput("the workload has no accesses", "profile a trace with data")
    limits = checked_constraints(constraints)
    mean, peak = rates_of(curve, *rate)
    if mean is None:
        needing = [name for name in (PEAK_BUSY, *RESPONSES) if name in limits]
        if needing:
            raise BadInput(
                f"constraints: {needing[0]}: the workload states no rate, so it cannot be held",
                "scale the workload to production, or state its rate",
            )
    else:
        limits.setdefault(PEAK_BUSY, Decimal(str(DEFAULT_PEAK_BUSY)))
    setting = Setting(
        curve=curve,
        rates=Rates(mean, peak),
        candidates=candidates,
        have=have,
        prices=prices,
        horizon_months=horizon_months,
        most_busy=float(limits.get(PEAK_BUSY, Decimal(1))),
        data_bytes=data_bytes_of(curve, horizon_months),
        devices=devices,
    )
    return _Asked(setting, limits, objective, seed)


@dataclass(slots=True)
class _Chosen:
    """What keeps every limit, in the order of the objective, and what was asked of response times."""

    order: IntArray
    limits: list[Limit]
    responses: dict[int, tuple[float, float]] = field(default_factory=dict)


def _choose(asked: _Asked, table: Table) -> _Chosen:
    options = table.options
    limits = [*own_limits(options), *stated_limits(options, asked.constraints)]
    broken = first_broken(limits, len(options))
    [rows] = np.nonzero(broken < 0)
    return _Chosen(choose.ordered(options, rows, asked.objective), limits)


def _kept(
    asked: _Asked, table: Table, chosen: _Chosen, order: IntArray
) -> Iterator[int]:
    """Those that keep the limits of response times too, in their order."""

    def response(at: int) -> tuple[float, float]:
        if at not in chosen.responses:
            chosen.responses[at] = table.peak_response(at)
        return chosen.responses[at]

    return choose.keeping(order, response, asked.response_limits, table.least_response)


def _answer(
    asked: _Asked,
    table: Table,
    *,
    how_sure: bool,
    replay: tuple[Trace | None, OnProgress | None],
) -> Advice:
    options = table.options
    chosen = _choose(asked, table)
    best = next(_kept(asked, table, chosen, chosen.order), None)
    by_model = best
    tried: list[Replayed] = []
    if best is not None and replay[0] is not None:
        close = [best, *_alternatives(asked, table, chosen, best)]
        tried = replayed(table, close[:MOST_FINALISTS], replay[0], replay[1])
        best = _decided(asked, tried)
    described: dict[int, Option] = {}

    def option(at: int) -> Option:
        if at not in described:
            described[at] = table.option(at)
        return described[at]

    order = chosen.order
    alternatives = _alternatives(asked, table, chosen, best)
    front = _front(asked, table, chosen)
    zero = None if table.have_at is None else option(table.have_at)
    recommended = None if best is None else option(best)
    second = next((option(at) for at in alternatives), None)
    checked = tuple(_checked_option(option(each.at), each) for each in tried)
    conflicting: tuple[str, ...] = ()
    if best is None:
        limits = [*chosen.limits, *_response_limits(asked, table, chosen, order)]
        conflicting = conflict(limits, len(options))
    shadows = _shadows(asked, table, best) if how_sure and best is not None else ()
    limited = _words.limited(shadows)
    setting = asked.setting
    return Advice(
        finding=_words.finding(
            recommended,
            zero,
            second,
            len(order),
            asked.objective,
            conflicting,
            rate_known=setting.rates.mean is not None,
        ),
        warnings=(
            *_about_replays(table, tried, by_model, best),
            *_cautions(asked, table, best),
        ),
        explain=lambda: _steps(recommended),
        advice_id=_identity(asked, tried),
        status="checked" if any(not each.reason for each in tried) else "model",
        objective=asked.objective,
        constraints={name: str(value) for name, value in asked.constraints.items()},
        evaluated=len(options),
        suitable=len(order),
        recommendation=recommended,
        verdict=Verdict(
            best is not None,
            None if best is None else 0.0,
            None if limited is None else limited.constraint,
            shadows,
            _words.verdict_text(
                best is not None,
                limited,
                recommended,
                asked.objective,
                limits_tried=how_sure,
            ),
        ),
        option_zero=zero,
        saving_usd_per_month=_saving(zero, recommended),
        alternatives=tuple(option(at) for at in alternatives),
        pareto=tuple(option(int(at)) for at in _spread(front)),
        pareto_in_all=len(front),
        rejected=tuple(_rejected(asked, table, chosen)),
        rejected_counts=_rejected_counts(chosen, len(options)),
        infeasible=None
        if best is not None
        else Infeasible(conflicting, _words.infeasible_text(conflicting)),
        confidence=Confidence(
            None,
            None,
            tuple(_tornado(asked, table, best))
            if how_sure and best is not None
            else (),
            (),
            NO_WINDOWS,
        ),
        checked=checked,
        when=_when(setting, recommended),
        rules_of_thumb=tuple(_rules(asked, table, chosen, best, option)),
        data_bytes=setting.data_bytes,
        accesses_per_s=setting.rates.mean,
        peak_accesses_per_s=setting.rates.peak,
        horizon_months=setting.horizon_months,
        versions=_versions(asked),
        validity=f"{VALIDITY}; {NOT_INCLUDED}",
    )


def _identity(asked: _Asked, tried: Sequence[Replayed]) -> str:
    """Return the id of the answer: one that was checked has its own."""
    seen = [(each.at, each.simulated_us) for each in tried if not each.reason]
    if not seen:
        return asked.advice_id
    return hashlib.sha256(f"{asked.advice_id} {seen!r}".encode()).hexdigest()[:16]


def _decided(asked: _Asked, tried: Sequence[Replayed]) -> int:
    """Return the finalist that the replays leave best: the first that keeps its load, or the fastest."""
    keeps = [
        each
        for each in tried
        if each.reason
        or not each.peak_busy > asked.setting.most_busy * (1 + LIMIT_ROUNDING)
    ] or list(tried)
    if asked.objective == "io_time" and all(not each.reason for each in keeps):
        return min(keeps, key=lambda each: each.simulated_us).at
    return keeps[0].at


def _checked_option(option: Option, each: Replayed) -> CheckedOption:
    gap = each.gap
    return CheckedOption(
        option,
        each.model_us,
        None if each.reason else each.simulated_us,
        gap,
        gap is not None and abs(gap) > each.band,
        each.reason,
    )


def _about_replays(
    table: Table, tried: Sequence[Replayed], by_model: int | None, best: int | None
) -> Iterator[Caution]:
    """Say at the top where the replay differs from the model by more than its error, or changes the choice."""
    if by_model != best and by_model is not None and best is not None:
        yield Caution(
            "replay_changes_choice",
            f"by the model the choice was {table.title(by_model)}; the replay decides otherwise",
            "rely on the replay: the ranking that is shown is that of the replay",
            could_change_choice=True,
            effect=f"the choice is {table.title(best)}",
        )
    for each in tried:
        gap = each.gap
        if gap is not None and abs(gap) > each.band:
            yield Caution(
                "replay_beyond_band",
                f"model and replay of {table.title(each.at)} differ by {off(gap)}, more than the known error of "
                f"{off(each.band)}",
                "rely on the replay, and record for longer",
                could_change_choice=by_model != best,
                effect="the ranking that is shown is that of the replay",
            )


def _versions(asked: _Asked) -> dict[str, str]:
    prices = asked.setting.prices
    return {
        "tierwright": importlib.metadata.version("tierwright"),
        "model": MODEL_VERSION,
        "price_book": "none" if prices is None else prices.id,
        "price_book_date": "none" if prices is None else prices.date,
        "seed": str(asked.seed),
    }


def _saving(zero: Option | None, best: Option | None) -> Decimal | None:
    if zero is None or best is None:
        return None
    if zero.usd_per_month is None or best.usd_per_month is None:
        return None
    return zero.usd_per_month - best.usd_per_month


def _alternatives(
    asked: _Asked, table: Table, chosen: _Chosen, best: int | None
) -> list[int]:
    """Return the best of each other kind, and what there is."""
    if best is None:
        return []
    kinds = table.hardware_codes
    if asked.response_limits == (None, None):
        found = choose.best_of_kinds(chosen.order, kinds)[: MOST_ALTERNATIVES + 1]
    else:
        some = chosen.order[:MOST_ASKED]
        kept = np.asarray(list(_kept(asked, table, chosen, some)), dtype=np.int64)
        found = choose.best_of_kinds(kept, kinds)[: MOST_ALTERNATIVES + 1]
    others = [at for at in found.tolist() if at != best and kinds[at] != kinds[best]]
    others = others[:MOST_ALTERNATIVES]
    have = table.have_at
    if have is not None and have != best and have not in others:
        [at] = np.nonzero(chosen.order == have)
        if len(at):
            others.append(have)
    return others


def _front(asked: _Asked, table: Table, chosen: _Chosen) -> IntArray:
    """Return the front of money and I/O time of what keeps every limit."""
    rows = np.sort(chosen.order)
    while True:
        front = choose.front(table.options, rows)
        kept = np.asarray(list(_kept(asked, table, chosen, front)), dtype=np.int64)
        if len(kept) == len(front):
            return front
        rows = np.setdiff1d(rows, np.setdiff1d(front, kept))


def _spread(front: IntArray) -> IntArray:
    """At most 40 of a front, both ends among them."""
    if len(front) <= MOST_FRONT:
        return front
    at = np.unique(np.linspace(0, len(front) - 1, MOST_FRONT).round().astype(np.int64))
    return front[at]


def _response_limits(
    asked: _Asked, table: Table, chosen: _Chosen, order: IntArray
) -> Iterator[Limit]:
    """Limits of response times, as far as they were asked for: of the options that keep all others."""
    options = table.options
    for at, (name, limit) in enumerate(
        zip(RESPONSES, asked.response_limits, strict=True)
    ):
        if limit is None:
            continue
        value = table.least_response[at].copy()
        for row, times in chosen.responses.items():
            value[row] = times[at]
        breaks = np.zeros(len(options), dtype=np.bool_)
        breaks[order] = value[order] > limit
        yield Limit(name, asked.constraints[name], value, breaks)


def _rejected_counts(chosen: _Chosen, rows: int) -> dict[str, int]:
    first = first_broken(chosen.limits, rows)
    return {
        limit.name: int(count)
        for at, limit in enumerate(chosen.limits)
        if (count := np.count_nonzero(first == at))
    }


def _rejected(asked: _Asked, table: Table, chosen: _Chosen) -> Iterator[Rejected]:
    """Yield the best of each kind that breaks a limit, those that break fewest first."""
    options = table.options
    limits = [*chosen.limits, *_response_limits(asked, table, chosen, chosen.order)]
    first = first_broken(limits, len(options))
    [rows] = np.nonzero(first >= 0)
    if not len(rows):
        return
    number = np.sum([limit.breaks[rows] for limit in limits], axis=0)
    # Limits that can be relaxed before those that cannot, few before many.
    fixed = np.sum(
        [limit.breaks[rows] & (not limit.is_stated) for limit in limits], axis=0
    )
    usd, time = options.month_cents[rows], options.io_us[rows]
    first_by, second_by = (
        (time, usd) if asked.objective == "io_time" else (usd.astype(np.float64), time)
    )
    order = rows[np.lexsort((rows, second_by, first_by, number, fixed))]
    for at in choose.best_of_kinds(order, table.kind_codes)[:MOST_REJECTED].tolist():
        broken = [_broken(limit, at) for limit in limits if bool(limit.breaks[at])]
        found = table.option(at, with_response=at in chosen.responses)
        head = broken[0]
        yield Rejected(
            found,
            head.constraint,
            head.value,
            head.limit,
            head.relaxation,
            tuple(broken[1:]),
            _words.rejected_text(found, head.constraint, head.value, head.limit),
        )


def _broken(limit: Limit, at: int) -> Broken:
    value = float(limit.value[at])
    by = relaxation(limit, at)
    return Broken(
        limit.name,
        value if math.isfinite(value) else None,
        None if limit.limit is None else float(limit.limit),
        None if by is None else float(by),
    )


def _shadows(asked: _Asked, table: Table, best: int) -> tuple[Shadow, ...]:
    """Say what the best option would be without each limit, where that is better; the largest first."""
    options = table.options
    by_time = asked.objective == "io_time"
    own = _objective(options, best, by_time=by_time)
    found: list[tuple[float, Shadow]] = []
    for name in asked.constraints:
        fewer = {key: value for key, value in asked.constraints.items() if key != name}
        without = replace(asked, constraints=fewer)
        other = table
        if name == PEAK_BUSY:
            # Fewer devices would do.
            without = replace(
                without, setting=replace(asked.setting, most_busy=math.inf)
            )
            other = Table(without.setting)
        choice = _choose(without, other)
        at = next(_kept(without, other, choice, choice.order), None)
        if at is None:
            continue
        gain = own - _objective(other.options, at, by_time=by_time)
        if gain > 0:
            found.append(
                (
                    gain,
                    Shadow(
                        name,
                        Decimal(int(other.options.month_cents[at])) * CENT,
                        float(other.options.io_us[at]),
                        other.title(at),
                    ),
                )
            )
    return tuple(each for _, each in sorted(found, key=lambda two: -two[0]))


def _objective(options: Options, at: int, *, by_time: bool) -> float:
    return float(options.io_us[at]) if by_time else float(options.month_cents[at])


def _tornado(asked: _Asked, table: Table, best: int) -> Iterator[Bar]:
    """Say what the ends of what is not known of the curve do to the answer; the largest first."""
    none = Device("none", "none", "nvme")
    options = table.options
    curve = asked.setting.curve
    sizes = float(options.ram_pages[best]), float(options.flash_pages[best])
    situation = Situation(curve, none, none, (*sizes, sum(sizes)))
    own = int(table.kind_codes[best])
    found: list[tuple[float, Bar]] = []
    for caution in about_curve(
        curve, options.ram_pages[[best]], options.flash_pages[[best]]
    ):
        ends = other_ends(caution, situation)[:2]
        if not ends:
            continue
        rows: list[tuple[str, Decimal | None, str | None]] = []
        changes, width = False, 0.0
        for end in ends:
            other = table.with_curve(end.situation.curve)
            choice = _choose(asked, other)
            at = next(_kept(asked, other, choice, choice.order), None)
            if at is None:
                rows.append((end.when, None, None))
                changes, width = True, math.inf
                continue
            cents = int(other.options.month_cents[at])
            rows.append((end.when, Decimal(cents) * CENT, other.title(at)))
            changes |= int(other.kind_codes[at]) != own
            width = max(width, abs(cents - int(options.month_cents[best])))
        low, high = rows[0], rows[-1]
        if low[1] is not None and high[1] is not None and low[1] > high[1]:
            low, high = high, low
        found.append(
            (
                width,
                Bar(
                    caution.message,
                    low[0],
                    high[0],
                    low[1],
                    high[1],
                    low[2],
                    high[2],
                    changes,
                ),
            )
        )
    found.sort(key=lambda two: -two[0])
    yield from (bar for _, bar in found[:MOST_BARS])


def _when(setting: Setting, best: Option | None) -> When | None:
    growth = setting.growth_per_year
    if growth <= 0 or best is None:
        return None
    months = best.months_until_too_small
    if months is None:
        text = (
            "When it is too small could not be computed: the workload states no rate."
            if setting.rates.peak is None
            else "It does not become too small."
        )
    else:
        whole = math.floor(months)
        text = (
            "If the load grows as the data do, a device is busier than allowed in the busiest hour after "
            f"{counted(whole, 'month')}."
        )
    return When(growth, months, (), text)


def _rules(
    asked: _Asked,
    table: Table,
    chosen: _Chosen,
    best: int | None,
    option: Any,
) -> Iterator[RuleOfThumb]:
    """Say what five rules of thumb would have bought, and what each costs more."""
    setting = asked.setting
    data = float(setting.data_bytes * setting.replicas)
    for rule in thumbs(setting.curve, data, setting.rates.mean, setting.machines):
        at = None if best is None else following(table.options, chosen.order, rule)
        if at is None or best is None:
            reason = rule.reason or "no candidate of that size keeps every limit"
            yield RuleOfThumb(
                rule.name,
                rule.title,
                rule.ram_bytes,
                rule.flash_bytes,
                None,
                None,
                None,
                reason,
            )
            continue
        options = table.options
        cents = int(options.month_cents[at]) - int(options.month_cents[best])
        yield RuleOfThumb(
            rule.name,
            rule.title,
            rule.ram_bytes,
            rule.flash_bytes,
            option(at),
            Decimal(cents) * CENT,
            float(options.io_us[at] - options.io_us[best]),
            "",
        )


def _cautions(asked: _Asked, table: Table, best: int | None) -> Iterator[Caution]:
    setting = asked.setting
    candidates = setting.candidates
    source = None if best is None else table.source(best)
    if best is not None:
        yield from about_curve(
            setting.curve,
            table.options.ram_pages[[best]],
            table.options.flash_pages[[best]],
        )
    if setting.rates.mean is None:
        yield Caution(
            "rate_not_known",
            "the workload states no rate, so whether the devices carry its load was not checked",
            "scale the workload to production, or state its rate",
        )
    if source == "devices" and candidates.machine_usd is None:
        beside = len(candidates.kinds) > 1
        yield Caution(
            "machine_left_out",
            "the machine that RAM and devices need is not counted: no price of it is stated",
            "state the price of a machine without RAM and drives, or choose among whole systems",
            could_change_choice=beside,
            effect="whole systems may cost less than these with their machine"
            if beside
            else "every option costs as much more",
        )
    if "chassis" in candidates.kinds and not candidates.prices_chassis:
        yield Caution(
            "chassis_without_price",
            "servers built from parts are no candidates: no chassis has a list price, and none is stated",
            "state the price of a chassis",
        )
    if "devices" in candidates.kinds and table.shelf.ram is None:
        yield Caution(
            "no_price_of_ram",
            "no price book with a price of RAM was chosen, so RAM and devices bought by themselves are no candidates",
            "choose a price book",
        )
    if source == "instances":
        yield Caution(
            "data_on_local_disks",
            "local disks of an instance lose their content when it stops or its host fails, and here they hold the data",
            "keep copies on other machines: state the replicas of production",
        )
    if source in ("chassis", "devices") and candidates.usd_per_kwh is None:
        yield Caution(
            "power_left_out",
            "electricity of what is bought is not counted: no price of it is stated",
            "state the price of a kWh and the watts of a server",
        )


def _steps(best: Option | None) -> Iterator[Step]:
    """Make the steps of the recommendation: its bill, and its I/O time."""
    if best is None:
        return
    if best.config:
        yield from bill.answer(build_from_mapping(best.config)).derivation()
    yield Step(
        "I/O time",
        f"operations of an access under {best.scheme} x busy time of one device of each tier",
        best.io_time_us_per_access,
        "µs per access",
        "C0 to C3 of Koltsidas and Viglas (2009)",
    )


def named_book(identifier: str | None) -> PriceBook | None:
    """Return the price book of that id, or the one that is taken where nobody chose one."""
    return (
        catalog.default_price_book()
        if identifier is None
        else catalog.price_book(identifier)
    )


def option_fields() -> Sequence[str]:
    """Names of what an option holds."""
    return tuple(Option.__dataclass_fields__)
