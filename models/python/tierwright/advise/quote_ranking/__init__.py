"""Which quote to take: quotes ranked by the advisor, each at its prices, beside doing nothing."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.advice import (
    LIMIT_WORDS,
    _busy_times,
    _outlasting,
    _split,
    advice_on,
)
from tierwright.advise.advice._asked import Asked, asked_of, versions
from tierwright.advise.advice._bounded import table_of
from tierwright.advise.advice._choice import (
    Chosen,
    chosen_of,
    exact_limits,
    response_limits,
    responses_of,
)
from tierwright.advise.advice._dirty_share import with_fewest
from tierwright.advise.advice._rates import unrated, unrated_words
from tierwright.advise.advice._sure import Ends
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._why_not import broken_by
from tierwright.advise.advice._words import HELD_DIRTY, rejected_text
from tierwright.advise.advice.found import Advice, Broken, Option
from tierwright.advise.advice.request import (
    Assigned,
    Candidates,
    Have,
    Replays,
)
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN
from tierwright.advise.quote_ranking import _words
from tierwright.advise.quote_ranking._offered import Impossible, Offered, offered
from tierwright.advise.quote_ranking._priced import Unranked, rates_by_currency
from tierwright.advise.quote_ranking.caution import QuoteCaution
from tierwright.advise.quote_ranking.switching import Switch, switches
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.currency import ExchangeRate
from tierwright.common.errors import BadInput
from tierwright.common.fields import is_of_calendar
from tierwright.common.wording import sentences
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.choose import Objective
from tierwright.evaluate.advice.limits import TIMES
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.configurations.wanted import DEFAULT_RESERVED_GIB
from tierwright.evaluate.page_flow.cautions import about_class
from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS
from tierwright.hardware.device import Device
from tierwright.hardware.imports.mapping import NO_MAPPING, LineMapping
from tierwright.hardware.imports.offers import DO_NOTHING, Batch, Unreadable
from tierwright.profile.curve import Curve
from tierwright.trace.reading import OnProgress, Trace

MOST_QUOTES = 10_000
"""Most quotes of a batch."""
CODES = {
    "no_exchange_rate": "a price in another currency than US dollars, of which no rate is stated",
    "no_period": "something that is rented, with a unit that is no time",
    "time_in_cart": "more than one of something that is rented, in a format whose unit is that of the quantity",
    "no_count": "something that is bought, with a unit that is a time",
    "unknown_item": "an item that the catalogue does not have",
    "mapped_twice": "a line that the mapping tells in several ways",
    "not_whole": "a count that is not a whole number",
    "several_servers": "servers of several kinds",
    "several_drives": "drives of more than two kinds",
    "several_volumes": "volumes of several kinds or sizes",
    "parts_of_an_instance": "drives or memory modules beside instances",
    "not_on_every_machine": "fewer of a thing than machines",
    "no_volume_size": "a volume without a size",
    "bad_volume": "a volume as it is not sold",
    "no_capacity": "a drive of unknown capacity",
    "not_a_build": "parts that are no server together",
    "too_much_money": "more money than a quote may be of",
}
"""Why a quote that was read cannot be ranked, beside `tierwright.hardware.imports.offers.CODES`."""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
VALIDITY = (
    "each quote is one configuration at its own prices; equal lines are summed before they are rounded to the cent; what "
    "a quote does not include is not added: no power, space, support or migration; otherwise as an advice"
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A quote that keeps every limit.

    Attributes
    ----------
    quote_id : str
        `do_nothing` for what there is today.
    rank : int
        From 1, the best first.
    usd_per_month, purchase_usd : Decimal
        Rent, and purchases spread over the months; purchases. [USD/month], [USD]
    reasons : tuple of str
        Why it stands there, in sentences.
    cautions : tuple of QuoteCaution
    option : Option
        The configuration that it is, as an advice describes it; its bill has the rows of the quote.
    supplier : str
        Empty where no line states it.
    valid_until : str or None
        Last day of its validity, YYYY-MM-DD; None where not stated.
    lead_time_days : int or None
        [days]
    """

    quote_id: str
    rank: int
    usd_per_month: Decimal
    purchase_usd: Decimal
    reasons: tuple[str, ...]
    cautions: tuple[QuoteCaution, ...]
    option: Option
    supplier: str = ""
    valid_until: str | None = None
    lead_time_days: int | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A quote that breaks a limit.

    Attributes
    ----------
    quote_id : str
    constraint : str
        The first limit that its best configuration breaks: a constraint of an advice, or what it cannot be without.
    value, limit, relaxation : float or None
        In the unit of the constraint, `space` in bytes; None where it has none.
    option : Option or None
        That configuration; None where the quote cannot be one, whatever is stated.
    also : tuple of Broken
        The other limits that it breaks.
    text : str
        The same in words.
    cautions : tuple of QuoteCaution
    supplier, valid_until, lead_time_days
        As of `Ranked`.
    """

    quote_id: str
    constraint: str
    value: float | None
    limit: float | None
    relaxation: float | None
    option: Option | None = None
    also: tuple[Broken, ...] = ()
    text: str = ""
    cautions: tuple[QuoteCaution, ...] = ()
    supplier: str = ""
    valid_until: str | None = None
    lead_time_days: int | None = None


@dataclass(frozen=True, slots=True)
class QuotesAtHand:
    """The quotes of an advice whose candidates they are.

    Attributes
    ----------
    ranking_id : str
        Of the ranking of the same question.
    day : str
        On which they were ranked, YYYY-MM-DD.
    ranked : tuple of Ranked
    rejected : tuple of Rejected
    unreadable : tuple of Unreadable
    switching : tuple of Switch
        At which price, rate and growth another choice wins, by the model; none where replays decide for another quote
        than the model ranks first.
    recommended : str or None
        Quote that the advice recommends, `do_nothing`, or None.
    """

    ranking_id: str
    day: str
    ranked: tuple[Ranked, ...]
    rejected: tuple[Rejected, ...]
    unreadable: tuple[Unreadable, ...]
    switching: tuple[Switch, ...]
    recommended: str | None


@dataclass(frozen=True, kw_only=True)
class QuotedAdvice(Advice):
    """An advice whose candidates are quotes.

    Attributes
    ----------
    quotes : QuotesAtHand
    """

    quotes: QuotesAtHand


@dataclass(frozen=True, kw_only=True)
class Ranking(Answer):
    """Quotes in the order of the objective.

    Attributes
    ----------
    ranking_id : str
        Hash of all that was asked: the same inputs have the same id.
    ranked : tuple of Ranked
    rejected : tuple of Rejected
    unreadable : tuple of Unreadable
    option_zero : Option or None
        What there is, as an advice describes it; None where it was not stated.
    advice_id : str
        Of the question that the advisor answered: the workload, what there is, limits, and these configurations.
    objective : str
    horizon_months : int
        [months]
    versions : dict of str to str
        Of model, prices and inputs.
    validity : str
        What was assumed.
    """

    ranking_id: str
    ranked: tuple[Ranked, ...]
    rejected: tuple[Rejected, ...]
    unreadable: tuple[Unreadable, ...]
    option_zero: Option | None
    advice_id: str
    objective: str
    horizon_months: int
    versions: dict[str, str]
    validity: str

    @property
    def figures(self) -> tuple[Figure, ...]:
        """How many quotes are ranked, and the best of them."""
        best = self.ranked[0] if self.ranked else None
        return (
            Figure(
                "usd_per_month",
                "Money per month of the best",
                None if best is None else best.usd_per_month,
                "USD/month",
            ),
            Figure("ranked", "Quotes that keep every limit", len(self.ranked), "1"),
            Figure("rejected", "Quotes that break a limit", len(self.rejected), "1"),
            Figure(
                "unreadable", "Quotes that cannot be read", len(self.unreadable), "1"
            ),
        )


def answer(
    curve: Curve,
    batch: Batch,
    *,
    day: str,
    accesses_per_s: float | None = None,
    duration_s: float | None = None,
    have: Have | None = None,
    constraints: Mapping[str, Any] | None = None,
    objective: Objective = "usd",
    horizon_months: int = DEFAULT_HORIZON_MONTHS,
    reserved_gib: Decimal = DEFAULT_RESERVED_GIB,
    flash: Device | None = None,
    disk: Device | None = None,
    mapping: LineMapping = NO_MAPPING,
    rates: Sequence[ExchangeRate] = (),
    seed: int = 0,
    on_quote: Callable[[int], object] | None = None,
) -> Ranking:
    """Rank quotes for a workload.

    Parameters
    ----------
    curve : Curve
        As `tierwright.advise.advice.answer`.
    batch : Batch
        From `tierwright.hardware.imports.offers`.
    day : str
        Day of the question, YYYY-MM-DD: quotes that end before it have a caution.
    accesses_per_s, duration_s, have, constraints, objective, horizon_months, flash, disk, seed
        As of an advice.
    reserved_gib : Decimal
        RAM of each machine of a quote for the system itself. [GiB]
    mapping : LineMapping
        What lines are that do not name an item.
    rates : sequence of ExchangeRate
        Of the currencies of the quotes, one each.
    on_quote : callable, optional
        Called with the number of quotes that have been read and priced, after each; then they are ordered.

    Raises
    ------
    BadInput
        As an advice; or if there are no quotes, or more than `MOST_QUOTES`, or a currency has two rates.
    """
    return Comparison(
        curve,
        batch,
        day=day,
        accesses_per_s=accesses_per_s,
        duration_s=duration_s,
        have=have,
        constraints=constraints,
        objective=objective,
        horizon_months=horizon_months,
        reserved_gib=reserved_gib,
        flash=flash,
        disk=disk,
        mapping=mapping,
        rates=rates,
        seed=seed,
        on_quote=on_quote,
    ).ranking()


class Comparison:
    """Quotes as configurations of the advisor: they are ranked, and advised on.

    Parameters
    ----------
    curve, batch, others
        As of `answer`.

    Raises
    ------
    BadInput
        As `answer`.
    """

    def __init__(
        self,
        curve: Curve,
        batch: Batch,
        *,
        day: str,
        accesses_per_s: float | None = None,
        duration_s: float | None = None,
        have: Have | None = None,
        constraints: Mapping[str, Any] | None = None,
        objective: Objective = "usd",
        horizon_months: int = DEFAULT_HORIZON_MONTHS,
        reserved_gib: Decimal = DEFAULT_RESERVED_GIB,
        flash: Device | None = None,
        disk: Device | None = None,
        mapping: LineMapping = NO_MAPPING,
        rates: Sequence[ExchangeRate] = (),
        seed: int = 0,
        on_quote: Callable[[int], object] | None = None,
    ) -> None:
        if not _DAY.fullmatch(day) or not is_of_calendar(day):
            raise BadInput(
                f"day: `{day}` is not a day written as YYYY-MM-DD", "correct it"
            )
        if not 1 <= len(batch) <= MOST_QUOTES:
            raise BadInput(
                f"quotes: `{len(batch):,}` is not a number of quotes from 1 to {MOST_QUOTES:,}",
                "send them in several batches, with what there is in each",
            )
        by_currency = rates_by_currency(rates)
        if len(by_currency) < len(rates):
            raise BadInput(
                "rates: a currency has two rates", "state one for each currency"
            )
        asked = asked_of(
            curve,
            (accesses_per_s, duration_s),
            Candidates(reserved_gib=reserved_gib),
            have,
            constraints or {},
            objective,
            None,
            horizon_months,
            (flash, disk),
            seed,
        )
        found: list[Offered] = []
        unreadable = list(batch.unreadable)
        for done, offer in enumerate(batch.offers, 1):
            try:
                found.append(offered(offer, asked.setting, mapping, by_currency, day))
            except Unranked as left_out:
                unreadable.append(
                    Unreadable(offer.index, left_out.code, left_out.detail)
                )
            if on_quote is not None:
                on_quote(done)
        unreadable.sort(key=lambda each: each.index)
        # Of equals in what decides, the exactly cheaper one stands first, then the one whose id does.
        found.sort(
            key=lambda each: (each.priced.spend(horizon_months), each.offer.quote_id)
        )
        standing = tuple(one for each in found for one in each.standing)
        self._asked = replace(asked, setting=replace(asked.setting, quoted=standing))
        self._found = found
        self._unreadable = unreadable
        self._batch = batch
        self._mapping = mapping
        self._rates = tuple(rates)
        self._day = day

    def ranking(self) -> Ranking:
        """Put the quotes in the order of the objective."""
        return _answer(
            self._asked,
            self._found,
            self._unreadable,
            self._batch,
            self._mapping,
            self._rates,
            self._day,
        )

    def advice(
        self,
        *,
        how_sure: bool = True,
        trace: Trace | None = None,
        on_progress: OnProgress | None = None,
        replays: Replays | None = None,
        assigned: Assigned | None = None,
    ) -> QuotedAdvice:
        """Advise which quote to take: an advice whose candidates are the quotes, with their ranking.

        Parameters
        ----------
        how_sure, trace, on_progress, replays, assigned
            As of `tierwright.advise.advice.answer`; with replays these decide among what was close.

        Raises
        ------
        BadInput
            If the trace is not the recording of the curve.
        Cancelled
            If progress asked to stop.
        """
        found = advice_on(
            self._asked,
            how_sure=how_sure,
            trace=trace,
            on_progress=on_progress,
            replays=replays,
            assigned=assigned,
        )
        ranking = self.ranking()
        recommended = _recommended(table_of(self._asked), found.recommendation)
        is_first = bool(ranking.ranked) and ranking.ranked[0].quote_id == recommended
        said = [found.finding]
        for best in ranking.ranked:
            if best.quote_id == recommended and self._asked.objective != "io_time":
                said.extend(_words.in_all(best, ranking.ranked, ranking.option_zero))
        return QuotedAdvice(
            **{each.name: getattr(found, each.name) for each in fields(found)}
            | {
                "finding": " ".join(said),
                "versions": ranking.versions,
                "validity": VALIDITY,
            },
            quotes=QuotesAtHand(
                ranking.ranking_id,
                self._day,
                ranking.ranked,
                ranking.rejected,
                ranking.unreadable,
                tuple(switches(self._asked)) if how_sure and is_first else (),
                recommended,
            ),
        )


@dataclass(slots=True)
class _Places:
    """Where the quotes stand in the table of options."""

    asked: Asked
    table: Table
    chosen: Chosen
    owner: IntArray
    """Index of the quote of each option; -1 for what there is."""

    @classmethod
    def of(cls, asked: Asked, found: Sequence[Offered]) -> _Places:
        """Make the table of some quotes, and choose."""
        table = table_of(asked)
        owner = np.full(len(table.options), -1, dtype=np.int64)
        owner[table.quotes_at :] = np.repeat(
            np.arange(len(found)), [len(each.standing) for each in found]
        )
        return cls(asked, table, chosen_of(asked, table), owner)

    def best(self) -> dict[int, int]:
        """Return the best option of each quote that keeps every limit, in the order of the objective."""
        order = self.chosen.order
        kept = self._in_time(order) if self.asked.limits_response else order
        return {int(self.owner[at]): int(at) for at in kept[_firsts(self.owner[kept])]}

    def _in_time(self, order: IntArray) -> IntArray:
        """Return the best option of each quote that keeps the limits of response times.

        Of each quote one option at a time is computed, the best that is left: those behind the first that keeps the
        limits are never asked.
        """
        limits, least = self.asked.response_limits, self.table.least_response
        left = choose.not_too_slow(order, limits, least)
        kept = np.zeros(0, dtype=np.int64)
        while len(left):
            at = _firsts(self.owner[left])
            times = responses_of(self.table, self.chosen, left[at])
            good = left[at][choose.in_time(limits, times)]
            kept = np.append(kept, good)
            left = np.delete(left, at)
            left = left[~np.isin(self.owner[left], self.owner[good])]
        return np.asarray(order[np.isin(order, kept)])

    def rejected(
        self, owner: int, of: Offered | None, *, keeps_if_clean: bool
    ) -> Rejected:
        """Say which limits the best option of a quote breaks that breaks one whatever runs it."""
        asked, table, chosen = self.asked, self.table, self.chosen
        limits = [
            *chosen.limits,
            *response_limits(asked, table, chosen),
        ]
        [rows] = np.nonzero(self.owner == owner)
        number = np.sum([limit.breaks[rows] for limit in limits], axis=0)
        order = choose.ordered(table.options, rows, asked.objective)
        rank = {at: place for place, at in enumerate(order.tolist())}
        at = min(
            zip(number.tolist(), rows.tolist(), strict=True),
            key=lambda two: (two[0], rank[two[1]]),
        )[1]
        limits, _ = exact_limits(asked, table, chosen, [at], limits)
        broken, *also = (
            broken_by(limit, at) for limit in limits if bool(limit.breaks[at])
        )
        option = table.option(at, with_response=asked.limits_response)
        said = rejected_text(
            option,
            broken.constraint,
            broken.value,
            broken.limit,
            is_untold=not table.knows_life(at),
            unrated=unrated_words(unrated(table, at))
            if broken.constraint == TIMES
            else "",
        )
        return Rejected(
            DO_NOTHING if of is None else of.offer.quote_id,
            broken.constraint,
            broken.value,
            broken.limit,
            broken.relaxation,
            option,
            tuple(also),
            f"{said} {_words.KEEPS_IF_CLEAN}" if keeps_if_clean else said,
            *_stated(of),
        )


def _firsts(owners: IntArray) -> IntArray:
    """Places where each owner comes first, in their order."""
    _, at = np.unique(owners, return_index=True)
    return np.sort(at)


def _answer(
    asked: Asked,
    found: list[Offered],
    unreadable: list[Unreadable],
    batch: Batch,
    mapping: LineMapping,
    rates: Sequence[ExchangeRate],
    day: str,
) -> Ranking:
    places = _Places.of(asked, found)
    table, best = places.table, places.best()
    known = asked.setting.fewest_dirty is None
    clean = None if known else _Places.of(with_fewest(asked), found)
    cleaner = (
        {}
        if clean is None
        else {
            who: clean.table.option(at, with_response=False, with_bill=False)
            for who, at in clean.best().items()
        }
    )
    zero = _zero(table)
    options = {
        who: table.option(at, with_response=asked.limits_response)
        for who, at in best.items()
    }
    taxed = {
        kind: sum(kind in each.priced.charges for each in found)
        for kind in _words.CHARGE_WORDS
    }
    listed = list(options.values())
    ranked = []
    for place, who in enumerate(options, start=1):
        of = None if who < 0 else found[who]
        ranked.append(
            Ranked(
                DO_NOTHING if of is None else of.offer.quote_id,
                place,
                Decimal(int(table.options.month_cents[best[who]])) * CENT,
                Decimal(int(table.options.purchase_cents[best[who]])) * CENT,
                tuple(
                    _words.reasons(
                        place,
                        listed,
                        of,
                        zero,
                        asked,
                        cleaner.get(who),
                    )
                ),
                ()
                if of is None
                else (
                    *of.cautions,
                    *_words.of_charges(of, taxed, len(found)),
                    *_of_use(asked, table, best[who]),
                ),
                options[who],
                *_stated(of)[1:],
            )
        )
    rejected = [
        _impossible(each, each.impossible)
        if each.impossible is not None
        else places.rejected(who, each, keeps_if_clean=who in cleaner)
        for who, each in enumerate(found)
        if who not in best
    ]
    if table.have_at is not None and -1 not in best:
        rejected.append(places.rejected(-1, None, keeps_if_clean=-1 in cleaner))
    rejected.sort(key=lambda each: each.quote_id)
    inputs = {
        **versions(asked),
        "quotes": batch.content_id[:16],
        "day": day,
        "exchange_rates": _words.rates_in_words(rates),
    }
    advice_id = asked.advice_id
    return Ranking(
        finding=sentences(
            _words.finding(
                ranked,
                rejected,
                unreadable,
                zero,
                None
                if clean is None
                else {
                    DO_NOTHING if who < 0 else found[who].offer.quote_id: option
                    for who, option in cleaner.items()
                },
                by_time=asked.objective == "io_time",
            ),
            HELD_DIRTY if table.holds_life_as_dirty(asked.constraints) else "",
        ),
        warnings=(
            *(() if known else (DIRTY_SHARE_UNKNOWN,)),
            *about_class(asked.setting.curve),
        ),
        explain=lambda: _steps(ranked, options, asked),
        weigh=None
        if known or not best
        else Ends(asked, table, next(iter(best.values()))).effect,
        ranking_id=_identity(advice_id, inputs, unreadable, mapping),
        ranked=tuple(ranked),
        rejected=tuple(rejected),
        unreadable=tuple(unreadable),
        option_zero=zero,
        advice_id=advice_id,
        objective=asked.objective,
        horizon_months=asked.setting.horizon_months,
        versions=inputs,
        validity=VALIDITY,
    )


def _of_use(asked: Asked, table: Table, at: int) -> Iterator[QuoteCaution]:
    """Yield what to know of a quote as it is best used: which data its machines lose as they stop, and busy times that rest on latencies."""
    for each in _outlasting.losing_data(asked, table, at):
        said = each.caution
        yield QuoteCaution(
            said.name, f"{said.message[0].upper()}{said.message[1:]}.", said.hint
        )
    found = _busy_times.resting_on_latencies(table, at)
    if found:
        yield QuoteCaution(
            "latency_as_service_time",
            f"{_busy_times.latency_words(found)}.",
            _busy_times.STATE_IOPS,
        )


def _recommended(table: Table, best: Option | None) -> str | None:
    """Return the quote that an option is of, however its devices are used; `do_nothing` of what there is."""
    if best is None or best.kind != "quotes":
        return None if best is None else DO_NOTHING
    return next(
        table.given(at).quote_id
        for at in range(table.quotes_at, len(table.options))
        if table.title(at) == best.name
    )


def _stated(
    of: Offered | None,
) -> tuple[tuple[QuoteCaution, ...], str, str | None, int | None]:
    """Return what a quote states of itself behind its figures: cautions, supplier, validity, lead time."""
    if of is None:
        return (), "", None, None
    offer = of.offer
    return tuple(of.cautions), offer.supplier, offer.valid_until, offer.lead_time_days


def _impossible(of: Offered, why: Impossible) -> Rejected:
    return Rejected(
        of.offer.quote_id,
        why.constraint,
        why.value,
        why.limit,
        why.relaxation,
        None,
        (),
        f"Quote {of.offer.quote_id}: {why.message}."
        if why.message
        else f"Quote {of.offer.quote_id} lacks {LIMIT_WORDS.get(why.constraint, why.constraint)}.",
        *_stated(of),
    )


def _zero(table: Table) -> Option | None:
    """Describe what there is, as an advice without a recording does."""
    at = table.have_at
    if at is None:
        return None
    split = _split.splits_of(table, [at], None)[at]
    return replace(
        table.option(at),
        clean_share_reason=split.reason,
        clean_share_uncounted_pages=split.uncounted_pages,
    )


def _identity(
    advice_id: str,
    known: Mapping[str, str],
    unreadable: Sequence[Unreadable],
    mapping: LineMapping,
) -> str:
    document = {
        "advice": advice_id,
        "versions": dict(known),
        "unreadable": [(each.index, each.code, each.detail) for each in unreadable],
        "mapping": mapping.to_dict(),
    }
    text = json.dumps(document, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _steps(
    ranked: Sequence[Ranked], options: Mapping[int, Option], asked: Asked
) -> Iterator[Step]:
    """Make the steps of each quote: its money, and its I/O time."""
    months = asked.setting.horizon_months
    for each, option in zip(ranked, options.values(), strict=True):
        rent = each.usd_per_month - each.purchase_usd / months
        yield Step(
            "money per month",
            f"rent + purchase / months = {rent:.2f} + {each.purchase_usd} / {months}, each group of lines rounded to the "
            "cent",
            float(each.usd_per_month),
            "USD/month",
            "own, as a bill",
            each.quote_id,
        )
        few, many = option.ends(_words.TIME)
        for end, time in (
            [("", many)]
            if few == many
            else [
                (", no evicted page dirty", few),
                (", as many dirty as possible", many),
            ]
        ):
            yield Step(
                f"I/O time{end}",
                f"busy time of one device of each tier, by {option.scheme} at {option.ram_bytes:,} bytes of RAM and "
                f"{option.flash_bytes:,} bytes of flash",
                time,
                "µs per access",
                "C0 to C3 of Koltsidas and Viglas (2009)",
                each.quote_id,
            )


def today() -> str:
    """Return the present day in UTC, YYYY-MM-DD."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()
