"""What to buy and how to run it: one answer with its reasons, its alternatives and how sure it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np

from tierwright.advise.advice import (
    _bounded,
    _caches,
    _checked,
    _choice,
    _confidence,
    _conflict,
    _continuous,
    _dirty_share,
    _endurance,
    _flat,
    _machine,
    _near_misses,
    _notes,
    _outlasting,
    _plans,
    _repeat,
    _same_hardware,
    _scenarios,
    _split,
    _staircase,
    _sure,
    _unknown,
    _unrated,
    _when,
    _why_not,
    _words,
)
from tierwright.advise.advice._asked import Asked, asked_of, versions
from tierwright.advise.advice._checked import Settled
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._near_misses import near_misses
from tierwright.advise.advice._sure import Ends
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import (
    Advice,
    CheckedOption,
    Infeasible,
    Option,
    Verdict,
)
from tierwright.advise.advice.request import (
    BOUGHT_ALONE,
    NO_BOOK,
    Assigned,
    Candidates,
    Have,
    Replays,
    Splits,
)
from tierwright.advise.configurations import NOT_INCLUDED
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN
from tierwright.common.cautions import Weigh
from tierwright.common.units import format_bytes
from tierwright.common.wording import sentences
from tierwright.evaluate.advice.choose import Objective
from tierwright.evaluate.advice.limits import Limit
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.configurations.front import spread
from tierwright.hardware import catalog
from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright.trace import reading
from tierwright.trace.reading import OnProgress, Trace

LIMIT_WORDS = _words.LIMIT_WORDS
run_so = _words.run_so
"""Every limit in words, by its name: those that are stated, and what an option cannot be without."""
VALIDITY = (
    "data and load are spread evenly over equal machines; LRU in RAM and in the cache of flash; I/O time is the busy "
    "time of one device of each tier; RAM of devices bought by themselves in steps of the square root of 2; response "
    "times with writes in the background; whether processors and network carry the load is not checked"
)


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
    replays: Replays | None = None,
    split: bool = False,
    splits: Splits | None = None,
    assigned: Assigned | None = None,
) -> Advice:
    """Advise what to buy for a workload, and how to run it.

    Parameters
    ----------
    curve : Curve
        Of production (`tierwright.advise.scale`): its data, copies, machines and rates are those of the answer. Of a
        recording: the data that it touches, one copy.
    accesses_per_s : float, optional
        Rate of all machines together, in place of that of the workload; its busiest hour stays as many times the mean. [1/s]
    duration_s : float, optional
        Of a recording that was not scaled: its rate is accesses / duration. Where a rate is stated too, that of the trace
        unless given. [s]
    have : Have, optional
        What there is today: option zero.
    candidates : Candidates, optional
        What may be bought; all that is priced unless stated.
    constraints : mapping, optional
        Of `tierwright.evaluate.advice.limits.CONSTRAINTS`: largest values in their units, of throughput and flash life the
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
    replays : callable, optional
        Makes the replays in place of a trace, or returns those of the same recording that were made before: takes a
        sequence of scheme and `tierwright.evaluate.page_flow.decision.ReplayPoint`, returns what each counted.
    split : bool
        Whether to find the best split of the buffer pool too, of the recommendation, of what there is and of what was
        close: some more passes over the trace for each size of RAM.
    splits : callable, optional
        Counts these splits in place of a trace, or returns those that were counted before: takes a sequence of sizes of
        the recording in pages, returns the `tierwright.advise.pool_survey.SplitSurvey` of each that it knows.
    assigned : callable, optional
        Counts the requests below RAM by category in place of a trace, or returns what was counted before: takes a
        sequence of sizes of the recording in pages, returns the `tierwright.profile.categories.CategoryCounts` of each
        that it knows. For assignments that flash caches are tried behind.

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
    if (
        duration_s is None
        and trace is not None
        and accesses_per_s is not None
        and curve.scaled is None
    ):
        # What works by the clock is replayed at the stated rate: by how much that differs is in the trace.
        duration_s = reading.inspect(trace)["duration_s"]
    asked = asked_of(
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
    return advice_on(
        asked,
        how_sure=how_sure,
        trace=trace,
        on_progress=on_progress,
        replays=replays,
        split=split,
        splits=splits,
        assigned=assigned,
    )


def advice_on(
    asked: Asked,
    *,
    how_sure: bool,
    trace: Trace | None = None,
    on_progress: OnProgress | None = None,
    replays: Replays | None = None,
    split: bool = False,
    splits: Splits | None = None,
    assigned: Assigned | None = None,
) -> Advice:
    """Advise on a question that was checked; the other parameters are those of `answer`."""
    table = _bounded.table_of(asked)
    if trace is not None:
        replays = _checked.by_trace(asked.setting.curve, trace, on_progress)
        splits = _split.by_trace(trace, on_progress) if split else splits
        assigned = _plans.by_trace(trace, on_progress)
    decided = _decided(asked, table, replays, assigned)
    if replays is not None:
        asked, decided = _sized(asked, decided, replays, assigned)
    return _answer(asked, decided, how_sure=how_sure, replays=replays, splits=splits)


def _saving(zero: Option | None, best: Option | None) -> Decimal | None:
    if zero is None or best is None or best.on_existing or best.without_machine:
        return None
    if zero.usd_per_month is None or best.usd_per_month is None:
        return None
    return zero.usd_per_month - best.usd_per_month


@dataclass(frozen=True, slots=True)
class _Decided:
    """What the model chooses, and what replays leave of it.

    Attributes
    ----------
    table : Table
        Of the options.
    chosen : Chosen
        Options that keep every limit by the model.
    by_model, best : int or None
        Option of the model, and of the replays where there are any; None where none keeps every limit.
    near : int
        Options that the model rules out by less than its error and a replay could choose.
    left : int
        Of these, those that were not replayed.
    settled : Settled
        What was replayed under its page flow.
    caches : Tried
        What was replayed under flash caches.
    """

    table: Table
    chosen: Chosen
    by_model: int | None
    best: int | None
    near: int
    left: int
    settled: Settled
    caches: _caches.Tried

    @property
    def by_replay(self) -> bool:
        """Whether replays decide otherwise than the model."""
        return self.best != self.by_model or self.caches.chosen is not None

    def admitted_by(self) -> _words.Admitted | None:
        """Return what admits the best option where it breaks a limit by the model; None where it breaks none."""
        if self.best is None or self.chosen.first_broken[self.best] < 0:
            return None
        return "replay" if self.caches.chosen is None else "flash_cache"

    @property
    def replayed_us(self) -> dict[int, float]:
        """I/O times that replays under page flow show, of what is listed, by option. [µs]"""
        return {
            each.at: each.simulated_us for each in self.settled.listed if each.is_timed
        }

    @property
    def run_us(self) -> dict[int, float]:
        """The same, of the best one as it is run. [µs]"""
        found, chosen = self.replayed_us, self.caches.chosen
        return found if chosen is None else {**found, chosen.at: chosen.simulated_us}

    def described(self, asked: Asked, found: Option) -> Option:
        """Describe the best option as it is run, by the replay where that alone admits it."""
        if self.caches.chosen is not None:
            return _caches.option_under(asked, found, self.caches.chosen)
        admitted = self.settled.by_replay_alone()
        if admitted is not None:
            return _checked.option_by_replay(asked, found, admitted)
        return found

    @property
    def lives_by_replay(self) -> tuple[float, float] | None:
        """Life at today's rate of either tier of the best option, where its replay states it; None where the model does. [365 days]"""
        admitted = self.caches.chosen or self.settled.by_replay_alone()
        return None if admitted is None else admitted.lives

    def replaying(self, asked: Asked) -> _machine.Replaying:
        """Return what replays leave open of limits and of times by the model."""
        if not self.settled.tried and not self.caches.seen:
            return _machine.BY_MODEL
        return _machine.Replaying(
            frozenset(_checked.COUNTED),
            self.caches.chosen is not None
            or self.settled.is_tied(asked, self.table.options.month_cents),
        )

    def sentence(self, asked: Asked) -> str:
        """Say what the replays decide of options that the model rules out by less than its error."""
        if self.caches.chosen is not None:
            return ""
        return _near_misses.sentence(asked, self.chosen.limits, self.settled, self.best)


def _decided(
    asked: Asked,
    table: Table,
    replays: Replays | None,
    assigned: Assigned | None,
) -> _Decided:
    chosen = _choice.chosen_of(asked, table)
    by_model = next(_choice.kept(asked, table, chosen, chosen.order), None)
    whole = _near_misses.with_fewer_devices(asked, table, by_model)
    # Of millions of options the limits are held once.
    held = chosen if whole is table else _choice.chosen_of(asked, whole)
    near = near_misses(asked, whole, held.limits)
    many = _near_misses.to_replay(asked, whole, near, by_model)
    if replays is None:
        unsettled = Settled([], by_model)
        return _Decided(
            table, chosen, by_model, by_model, many, many, unsettled, _caches.Tried()
        )
    close = (
        []
        if by_model is None
        else _choice.finalists(asked, table, chosen, by_model, _checked.MOST_FINALISTS)
    )
    settled = _checked.settled(
        asked,
        whole,
        _choice.in_order(asked, table, chosen),
        close,
        partial(_checked.replayed, whole, replays=replays),
        near,
    )
    tried = [each.at for each in settled.tried]
    left = _near_misses.to_replay(
        asked, whole, near[~np.isin(near, tried)], settled.best
    )
    listed, settled = _near_misses.with_chosen(table, whole, settled)
    if listed is not table:
        table, chosen = listed, _choice.chosen_of(asked, listed)
    best = settled.best
    caches = _caches.tried(
        asked, table, chosen, settled.listed, best, replays, assigned
    )
    if caches.chosen is not None:
        best = caches.chosen.at
    return _Decided(table, chosen, by_model, best, many, left, settled, caches)


def _sized(
    asked: Asked,
    decided: _Decided,
    replays: Replays,
    assigned: Assigned | None,
) -> tuple[Asked, _Decided]:
    """Return the question with as many more devices as the replay of its choice shows to be needed.

    As it is where another choice that was replayed is cheaper. The question for the least I/O time stays, too: more devices take no less of it.
    """
    found = asked, decided
    while asked.objective != "io_time":
        more = _checked.devices_more(
            asked, decided.table, decided.settled.tried, decided.by_model
        )
        if more is None:
            break
        asked = replace(asked, setting=replace(asked.setting, devices_more=more))
        decided = _decided(asked, _bounded.table_of(asked), replays, assigned)
        before = found[1]
        if decided.settled.is_replayed and (
            not before.settled.is_replayed
            or decided.table.options.month_cents[decided.best]
            < before.table.options.month_cents[before.best]
        ):
            found = asked, decided
    return found


def _infeasible(
    asked: Asked, table: Table, decided: _Decided, limits: list[Limit]
) -> Infeasible:
    """Name the limits that no option keeps together, and which of them to relax how far."""
    if decided.by_model is not None:
        return Infeasible(
            *_checked.refuted(asked, table, decided.settled.tried, limits)
        )
    refuted = decided.settled.refuted_near(asked)
    found = _conflict.explained(
        asked, table, limits, replayed=[each.at for each in refuted]
    )
    text = found.text
    if not found.names:
        text = sentences(text, _words.holds_nothing_text(_holding_nothing(asked)))
    if text != found.text or not found.heading:
        return Infeasible(found.names, text)
    return Infeasible(found.names, text, found.heading, found.more)


def _suitable(table: Table, order: IntArray, unfit: Collection[int]) -> int:
    """Count the options that keep every limit but those of response times, by their replays where these tell.

    Where nothing keeps these besides, none is suitable.

    Parameters
    ----------
    table : Table
    order : int64 array
        Those that do by the model, of the options of the table.
    unfit : collection of int
        Those of which a replay shows that they do not.
    """
    many = len(order) if table.left_out is None else table.left_out.suitable
    return many - int(np.isin(list(unfit), order).sum())


def _holding_nothing(asked: Asked) -> list[str]:
    """Return the devices that were named and are sold to hold no data: modules of memory, volumes."""
    named = [catalog.device(name) for name in asked.setting.candidates.devices or ()]
    return [
        each.id
        for each in named
        if each.kind not in BOUGHT_ALONE or each.sold_as != "device"
    ]


def _in_time(option: Option, admitted_by: _words.Admitted | None) -> Option:
    """Leave out when an option is too small that a replay alone admits: no replay tells the data of later months."""
    return (
        option if admitted_by is None else replace(option, months_until_too_small=None)
    )


def _answer(
    asked: Asked,
    decided: _Decided,
    *,
    how_sure: bool,
    replays: Replays | None,
    splits: Splits | None,
) -> Advice:
    table = decided.table
    options = table.options
    # What is not a cost is a range then, and what rests on one end says nothing of the other.
    known = asked.setting.fewest_dirty is None
    weighed = how_sure and known
    chosen = decided.chosen
    best, by_model = decided.best, decided.by_model
    tried, caches = decided.settled.listed, decided.caches
    by_replay, admitted_by = decided.by_replay, decided.admitted_by()
    # What a replay alone admits breaks a limit by the model: what is weighed by it says nothing of it.
    carried = best if admitted_by is None else None
    described: dict[int, Option] = {}

    order, left_out = chosen.order, table.left_out
    unfit = {each.at for each in tried if _checked.breaks(asked, each)}
    replayed = decided.replayed_us
    # What its replay shows to break a limit is not close, on no front, and no rule buys it.
    held = replace(chosen, order=order[~np.isin(order, list(unfit))])
    alternatives = _choice.ranked(
        asked, table, _choice.alternatives(asked, table, held, best), replayed
    )
    # Of the fastest by a replay nothing is weighed by the model, which knows faster ones.
    weighed_at = None if by_replay and asked.objective == "io_time" else carried
    suitable = _suitable(table, order, unfit) if best is not None else 0
    front = _choice.front(asked, table, held)
    named = (best, table.have_at, *alternatives)
    listed_front = [int(at) for at in spread(front, _choice.MOST_FRONT)]
    table.prepare([at for at in (*named, *listed_front) if at is not None])
    split = _split.splits_of(table, [at for at in named if at is not None], splits)

    def option(at: int) -> Option:
        if at not in described:
            found = replace(
                table.option(at), replayed_io_time_us_per_access=replayed.get(at)
            )
            if at in split:
                found = replace(
                    found,
                    clean_share=split[at].clean_share,
                    clean_share_gain=split[at].gain,
                    clean_share_reason=split[at].reason,
                    clean_share_uncounted_pages=split[at].uncounted_pages,
                )
            described[at] = found
        return described[at]

    zero = None if table.have_at is None else option(table.have_at)
    recommended = (
        None
        if best is None
        else decided.described(asked, _in_time(option(best), admitted_by))
    )
    first: tuple[CheckedOption, ...] = ()
    if caches.chosen is not None and recommended is not None:
        first = (_caches.checked_option(recommended, caches.chosen),)
    second = next((option(at) for at in alternatives), None)
    checked = first + tuple(
        _checked.checked_option(option(each.at), each) for each in tried
    )
    # What the model rules out by less than its error counts by its replay where that rules it out, too.
    near = decided.settled.refuted_near(asked)
    limits = _checked.with_replays(asked, chosen.limits, near)
    by_replays = replace(chosen, limits=limits)
    if best is None:
        limits = [*limits, *_choice.response_limits(asked, table, chosen)]
    infeasible = _infeasible(asked, table, decided, limits) if best is None else None
    refuted = [
        each for each in tried if each.at in unfit and chosen.first_broken[each.at] < 0
    ]
    by_its_replay = [
        _why_not.by_replay(
            table, each.at, list(_checked.limits_by_replay(asked, table, each))
        )
        for each in refuted
    ]
    rejected = (
        *by_its_replay,
        *_why_not.rejected(
            asked,
            table,
            by_replays,
            best,
            _why_not.MOST_REJECTED - len(by_its_replay),
            [each.at for each in near],
        ),
    )
    shadows = (
        _why_not.shadows(asked, table, weighed_at)
        if weighed and weighed_at is not None
        else ()
    )
    # They are listed from the largest on.
    limited = shadows[0] if shadows else None
    # What bounds left out here may be the best elsewhere.
    alone = carried if table.left_out is None else None
    ends = None if alone is None else Ends(asked, table, alone)
    drawn = alone if how_sure else None
    # What a replay refuted would be the choice at the ends, too.
    is_refuted = by_model is not None and decided.settled.best != by_model
    # A check that can check nothing is said before it is made, too.
    unchecked = (
        ""
        if caches.seen
        else _checked.sentence(tried, best if caches.chosen is None else None)
    )
    about_small = (
        _checked.about_refusal(table, best) if replays is None or unchecked else ()
    )
    weak = _outlasting.weaknesses(
        asked,
        _checked.as_replayed(table, tried),
        best,
        held,
        timed={each.at for each in tried if each.is_timed},
        keeps_changed=caches.chosen is None or caches.chosen.keeps_changed,
    )
    warnings = (
        *_checked.about_replays(
            asked,
            table,
            tried,
            by_model,
            best,
            "" if recommended is None else _words.named(recommended),
            infeasible.text if infeasible is not None and by_model is not None else "",
        ),
        *_caches.about(caches, table),
        *_notes.about_alternatives(held),
        *_unknown.better_if_known(asked, table, chosen, recommended),
        *_unrated.better_if_rated(asked, table, chosen, recommended),
        *_endurance.about_endurance(
            asked, table, best, recommended, decided.lives_by_replay
        ),
        *_notes.about_limits(table, alternatives),
        *(() if known else (DIRTY_SHARE_UNKNOWN,)),
        *_notes.about_answer(
            asked, table, best, weak, replaying=decided.replaying(asked)
        ),
        *about_small,
    )
    setting = asked.setting
    confidence = (
        _confidence.confidence(
            asked,
            table,
            best,
            None if is_refuted else ends,
            warnings,
            by_replay=by_replay,
        )
        if how_sure
        else _confidence.none(_confidence.NOT_COMPUTED)
    )
    if ends is not None:
        ends.flip(confidence.tornado)
    if not known:
        confidence = _dirty_share.confidence(confidence)
    confidence = _confidence.of_objective(asked, confidence)
    # Of what lacks it alike nothing is compared that it would change.
    unlike = any(
        each.name == "machine_left_out" and each.could_change_choice
        for each in warnings
    )
    decision, because = _words.decided(
        recommended,
        zero,
        second,
        suitable,
        asked.objective,
        "" if infeasible is None else infeasible.heading or infeasible.text,
        rate_known=setting.rates.mean is not None,
        assumed=_words.assumed_text(
            # Of a workload that was scaled the data are those that production states.
            None
            if setting.curve.data_known or setting.curve.is_scaled
            else format_bytes(setting.data_bytes),
            is_mean_used=setting.rate_for_both is not None,
        ),
        unlike=unlike,
        replayed_from=None
        if best is None or by_model is None or best == by_model
        else _checked.named_by_model(table, tried, by_model),
        replays_tied=decided.settled.is_tied(asked, options.month_cents),
        is_replayed=decided.settled.is_replayed,
        response_limited=asked.limits_response,
        pruned=0 if left_out is None else left_out.pruned,
        admitted_by=admitted_by if by_model is None else None,
        front=(len(front), best in front and not by_replay)
        if asked.objective == "pareto"
        else None,
        today=_words.today_of(rejected),
        most_busy=setting.most_busy,
    )
    by_cache = _caches.sentence(asked, tried, caches, table, chosen, best)
    by_near = decided.sentence(asked)
    beyond = len(_caches.beyond_page_flow(asked, table, chosen, by_model))
    by_left = (
        ""
        if best is not None or not _checked.has_recording(setting.curve)
        else _near_misses.left_text(
            decided.left, beyond, is_checked=replays is not None
        )
    )
    by_today = "" if best is not None else _words.today_text(rejected)
    by_dirty = "" if known else _dirty_share.sentence(asked, table, best)
    by_life = _words.HELD_DIRTY if table.holds_life_as_dirty(asked.constraints) else ""
    by_flow = (
        ""
        if best is None
        or caches.chosen is not None
        or any(each.at == best and not each.reason for each in tried)
        else _same_hardware.text(asked, table, chosen, best)
    )
    named_so = alternatives if _words.names_alternative(because, second) else []
    by_end = tuple(filter(None, (each.sentence(named_so) for each in weak)))
    by_model_alone = (
        "" if caches.chosen is not None else _checked.held_by_model(asked, tried)
    )
    more = sentences(
        by_flow,
        *by_end,
        unchecked,
        by_near,
        by_cache,
        by_left,
        by_model_alone,
        by_dirty,
        by_life,
        by_today,
        _notes.vendor_text(asked, table, best),
    )
    if infeasible is not None:
        because = infeasible.more
    because = sentences(_words.sized_text(_notes.sized_for(asked)), because, more)
    return Advice(
        finding=sentences(decision, because, confidence.text),
        decision=decision,
        because=because,
        reservations=by_end,
        warnings=warnings,
        weigh=_weigh(ends, how_sure=how_sure, is_refuted=is_refuted),
        explain=lambda: _notes.steps(recommended),
        advice_id=_checked.identity(
            asked,
            decided.settled.tried,
            split,
            # Those of fewer devices are no options of the table: that they were replayed is what tells the answers apart.
            caches.seen
            or (
                [("fewer devices", decided.settled.beyond)]
                if decided.settled.beyond
                else []
            ),
        ),
        status="checked"
        if caches.seen
        or decided.settled.near_replayed
        or any(not each.reason for each in decided.settled.tried)
        else "model",
        objective=asked.objective,
        constraints={name: str(value) for name, value in asked.constraints.items()},
        evaluated=len(options) if left_out is None else left_out.evaluated,
        suitable=suitable,
        pruned=0 if left_out is None else left_out.pruned,
        recommendation=recommended,
        verdict=Verdict(
            best is not None,
            0.0 if best is not None and not by_replay else None,
            None if limited is None else limited.constraint,
            shadows,
            _words.verdict_text(
                best is not None,
                limited,
                recommended,
                asked.objective,
                limits_tried=how_sure,
                by_replay=by_replay,
                admitted_by=admitted_by,
                pruned=0 if left_out is None else left_out.pruned,
                unlike=unlike,
                machines=setting.machines,
                infeasible="" if infeasible is None else infeasible.text,
                may_be_better=any(each.name in _unrated.LEFT_OUT for each in warnings),
            ),
        ),
        option_zero=zero,
        saving_usd_per_month=_saving(zero, recommended),
        alternatives=tuple(option(at) for at in alternatives),
        pareto=tuple(option(at) for at in listed_front),
        pareto_in_all=len(front),
        rejected=rejected,
        rejected_counts=_why_not.rejected_counts(
            table, limits, [each.constraint for each in by_its_replay]
        ),
        infeasible=infeasible,
        confidence=confidence,
        checked=checked,
        flash_caches=tuple(_caches.listed_rows(asked, table, chosen, tried, caches)),
        beyond_page_flow=beyond,
        near_misses=decided.near,
        near_misses_replayed=decided.settled.near_replayed,
        when=_when.when(
            asked,
            table,
            recommended,
            best,
            # What only the replay knows does not hold of later months.
            steps=weighed and not by_replay,
        ),
        waiting=_when.wait(asked, table, recommended, best, zero) if weighed else None,
        flat=_flat.flat(asked, table, held, weighed_at) if known else (),
        next_dollar=_flat.next_dollar(asked, table, held, front, weighed_at)
        if known
        else None,
        continuous=_continuous.continuous(asked, table, recommended)
        if weighed and (carried is not None or best is None)
        else None,
        scenarios=_scenarios.compared(
            asked, table, drawn, alternatives, is_replayed=bool(decided.replayed_us)
        )
        if drawn is not None and known and not by_replay
        else None,
        rules_of_thumb=tuple(
            _sure.rules_of_thumb(
                asked,
                table,
                held,
                best,
                option,
                decided.run_us if by_replay else None,
            )
        ),
        data_bytes=setting.data_bytes,
        accesses_per_s=setting.rates.mean,
        peak_accesses_per_s=setting.rates.peak,
        horizon_months=setting.horizon_months,
        versions=versions(asked),
        question=_repeat.question(
            asked,
            pool_split=any(each.counted is not None for each in split.values()),
        ),
        validity=f"{VALIDITY}; {NOT_INCLUDED}",
        staircases=()
        if by_replay or not known
        else _staircase.staircases(
            asked, table, chosen, decided.settled.tried, with_responses=how_sure
        ),
    )


def _weigh(ends: Ends | None, *, how_sure: bool, is_refuted: bool) -> Weigh | None:
    """Return what says what a caution could change."""
    if ends is None:
        return None
    if not how_sure:
        return ends.unasked
    return ends.of_the_model if is_refuted else ends.effect


def named_book(identifier: str | None) -> PriceBook | None:
    """Return the price book of that id, or the one that is taken where nobody chose one; None for `NO_BOOK`.

    Raises
    ------
    BadInput
        If the catalogue has none of that id.
    """
    if identifier == NO_BOOK:
        return None
    return (
        catalog.default_price_book()
        if identifier is None
        else catalog.price_book(identifier)
    )
