"""Sentences of a ranking of quotes; each is computed from the figures that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._standing import ram_text
from tierwright.advise.advice.found import Option
from tierwright.advise.point import scheme_titles
from tierwright.advise.quote_ranking._offered import Offered
from tierwright.advise.quote_ranking.caution import QuoteCaution
from tierwright.common.currency import exact_money
from tierwright.common.units import format_microseconds
from tierwright.common.wording import between, counted, listed
from tierwright.evaluate.page_flow.decision import TIE_TOLERANCE
from tierwright.hardware.imports.offers import DO_NOTHING

if TYPE_CHECKING:
    from tierwright.advise.quote_ranking import Ranked, Rejected
    from tierwright.common.currency import ExchangeRate
    from tierwright.hardware.imports.offers import Unreadable

CHARGE_WORDS: Mapping[str, str] = {"tax": "tax", "shipping": "shipping"}
"""Kinds of charges, in words."""
ON_TOP = (
    "It runs on the existing machines, whose costs continue and are not in this price."
)

Ends = tuple[float | None, float | None]
TIME = "io_time_us_per_access"
"""Key of an option."""
KEEPS_IF_CLEAN = "If no evicted page is dirty, it keeps every limit."

_ONE_RATE = re.compile(r"(?:[^\\;]|\\.)+", re.DOTALL)


def rates_in_words(rates: Iterable[ExchangeRate]) -> str:
    """Return exchange rates in one text, in a fixed order; `rates_stated` takes it apart, whatever a source holds."""
    said = (
        f"{each.currency} {each.per_usd:f} {each.date} {each.source}".rstrip()
        for each in rates
    )
    return (
        "; ".join(sorted(re.sub(r"[\\;]", r"\\\g<0>", one) for one in said)) or "none"
    )


def rates_stated(text: str) -> Iterator[str]:
    """Yield each rate of a text of `rates_in_words`: currency, rate, date, source."""
    for found in _ONE_RATE.findall(text):
        one = re.sub(r"\\(.)", r"\1", found, flags=re.DOTALL).strip()
        if one not in ("", "none"):
            yield one


def finding(
    ranked: Sequence[Ranked],
    rejected: Sequence[Rejected],
    unreadable: Sequence[Unreadable],
    zero: Option | None,
    clean: Mapping[str, Option] | None,
    *,
    by_time: bool,
) -> str:
    """Say which quote is the first, and what becomes of the others.

    Parameters
    ----------
    ranked, rejected, unreadable
        The quotes, and what there is.
    zero : Option or None
        What there is; None where it was not stated.
    clean : dict of str to Option or None
        Quotes that keep every limit if no evicted page is dirty, the best first, as they run best then; None where it is
        known which are dirty.
    by_time : bool
        Whether they are ranked by I/O time.
    """
    said = [_first(ranked, len(rejected))]
    if ranked and not by_time:
        said.extend(in_all(ranked[0], ranked, zero))
    if ranked and rejected:
        said.append(
            f"{counted(len(rejected), 'other breaks a limit', 'others break a limit')}."
        )
    if clean is not None and (ranked or rejected):
        said.extend(_about_dirty(ranked, clean, by_time=by_time))
    if unreadable:
        said.append(
            f"{counted(len(unreadable), 'quote is', 'quotes are')} not ranked: what they offer or cost is not stated."
            if len(unreadable) > 1
            else "1 quote is not ranked: what it offers or costs is not stated."
        )
    if zero is None:
        said.append("What there is today was not stated: doing nothing is not ranked.")
    return " ".join(said)


def _about_dirty(
    ranked: Sequence[Ranked], clean: Mapping[str, Option], *, by_time: bool
) -> Iterator[str]:
    """Say what the share of dirty pages decides, where nobody said it."""
    whose = "The curve does not say which evicted pages are dirty"
    here = dict.fromkeys(each.quote_id for each in ranked)
    count = sum(name not in here for name in clean)
    name, other = next(iter(clean.items()), ("", None))
    if not ranked:
        yield f"{whose}: limits are held with as many dirty as possible."
        if other is None:
            yield "If none is, no option keeps every limit either."
            return
        yield (
            f"If none is, {counted(count, 'option keeps', 'options keep')} them, {called(name)} the first, at "
            f"{_cost(other)} per month: state the dirty share, or profile a trace that has writes."
        )
        return
    yield (
        f"{whose}: what is ranked keeps every limit whatever their share, and what depends on it is given as a range."
    )
    if by_time:
        yield "The order is that of the I/O time with as many dirty as possible."
    assert other is not None  # What keeps every limit with dirty pages does so without.
    if name != ranked[0].quote_id:
        yield from _other_first(ranked[0], name, other, by_time=by_time)
    elif len(ranked) == 1:
        yield "If none is, the choice is the same."
    elif [name for name in clean if name in here] == list(here):
        yield "If none is, the order is the same."
    else:
        yield "If none is, the first is the same, and the others are in another order."
    if count:
        yield f"{counted(count, 'option breaks a limit', 'options break a limit')} by dirty pages alone."


def _other_first(
    best: Ranked, name: str, other: Option, *, by_time: bool
) -> Iterator[str]:
    """Say which quote is the first if no evicted page is dirty, and what knowing that saves at most."""
    first = f"If none is, {called(name)} is the first"
    if by_time:
        yield f"If none is, {called(name)} is the fastest."
        return
    if best.option.on_existing != other.on_existing:
        # The price of the one is with the machines, that of the other without.
        yield f"{first}, at {_cost(other)} per month."
        if other.on_existing:
            yield ON_TOP
        return
    assert other.usd_per_month is not None  # of what is ranked
    less = best.usd_per_month - other.usd_per_month
    if less:
        yield f"{first}, for {exact_money(less)} per month less: knowing the share is worth that at most."
    else:
        yield f"{first}, for as much money."


def _cost(option: Option) -> str:
    assert option.usd_per_month is not None  # of what is ranked
    return exact_money(option.usd_per_month)


def called(name: str) -> str:
    """Name an option of a ranking in a sentence of its finding."""
    return "doing nothing" if name == DO_NOTHING else f"quote `{name}`"


def _first(ranked: Sequence[Ranked], rejected: int) -> str:
    if not ranked:
        return (
            "No quote keeps every limit." if rejected else "No quote could be ranked."
        )
    best = ranked[0]
    cost = f"{exact_money(best.usd_per_month)} per month"
    if best.quote_id == DO_NOTHING:
        if len(ranked) == 1:
            return (
                f"Doing nothing, at {cost}, is the only option that keeps every limit."
            )
        return f"Doing nothing, at {cost}, is better than {counted(len(ranked) - 1, 'quote that keeps every limit', 'quotes that keep every limit')}."
    if len(ranked) == 1:
        return f"Quote `{best.quote_id}`, at {cost}, is the only option that keeps every limit."
    return f"Quote `{best.quote_id}`, at {cost}, is the first of the {counted(len(ranked), 'option')} that keep every limit."


def in_all(
    best: Ranked, ranked: Sequence[Ranked], zero: Option | None
) -> Iterator[str]:
    """Say where a quote costs least only because costs of today that continue beside it are not in its price."""
    own = [each for each in ranked if not each.option.on_existing]
    if not best.option.on_existing or not own:
        return
    if zero is None or zero.usd_per_month is None:
        return
    other = min(own, key=lambda each: each.usd_per_month)
    whole = best.usd_per_month + zero.usd_per_month
    if whole > other.usd_per_month:
        what = called(other.quote_id)
        if other.quote_id != DO_NOTHING:
            what += ", which brings its own machines,"
        yield (
            f"It runs on the existing machines, whose costs continue: with all of today's "
            f"{exact_money(zero.usd_per_month)} it costs {exact_money(whole)} per month, and {what} costs "
            f"{exact_money(other.usd_per_month)}."
        )


def reasons(
    place: int,
    options: Sequence[Option],
    of: Offered | None,
    zero: Option | None,
    asked: Asked,
    clean: Option | None = None,
) -> Iterator[str]:
    """Yield why an option has its rank: its place, its money, how it runs, and beside doing nothing.

    Parameters
    ----------
    place : int
        Its rank, from 1.
    options : sequence of Option
        Of the best configuration of each quote, by rank.
    of : Offered or None
        The quote; None for what there is.
    zero : Option or None
        What there is.
    asked : Asked
    clean : Option or None
        The best configuration of the quote if no evicted page is dirty, where nobody said which are.
    """
    own = options[place - 1]
    yield _place(place, options, by_time=asked.objective == "io_time")
    if of is not None:
        yield _money(of, asked.setting.horizon_months)
    yield _run(own, for_pages=_is_ram_for_pages(of, asked))
    if clean is not None:
        yield from _run_otherwise(own, clean)
    if of is not None:
        yield from _idle(own, of)
    if own.on_existing:
        yield ON_TOP
    elif of is not None and zero is not None:
        yield from _beside_nothing(own, zero)
    if of is not None:
        for rate in of.priced.converted.values():
            yield f"Its prices are converted at {rate.sentence}."
        if of.offer.lead_time_days is not None:
            yield f"Its lead time is {counted(of.offer.lead_time_days, 'day')}."


def _place(place: int, options: Sequence[Option], *, by_time: bool) -> str:
    count = len(options)
    if count == 1:
        return "It is the only option that keeps every limit."
    own = options[place - 1]
    other = options[1] if place == 1 else options[0]
    of = "the next" if place == 1 else "the first"
    times = (own.ends(TIME), other.ends(TIME))
    if by_time:
        said = [time_difference(*times, of), _money_difference(own, other)]
    else:
        said = [_money_difference(own, other, of), time_difference(*times)]
    return f"Number {place:,} of the {counted(count, 'option')} that keep every limit: it {', and '.join(filter(None, said))}."


def _money_difference(own: Option, other: Option, of: str = "") -> str:
    assert own.usd_per_month is not None  # of what is ranked
    assert other.usd_per_month is not None
    more = own.usd_per_month - other.usd_per_month
    if not more:
        return f"costs as much per month{of and f' as {of}'}"
    word = "more" if more > 0 else "less"
    return f"costs {exact_money(abs(more))} per month {word}{of and f' than {of}'}"


def time_difference(mine: Ends, its: Ends, of: str = "") -> str:
    """Say by how much one takes more or less I/O time than another, to be read behind its name; empty where unknown.

    Parameters
    ----------
    mine, its : pair of float or None
        I/O time with no dirty page and with as many as possible; twice the same where that is known. [µs]
    of : str
        How the other one is called; empty where the sentence has said so before.
    """
    pairs = zip(mine, its, strict=True)
    more = [
        one - other for one, other in pairs if one is not None and other is not None
    ]
    if len(more) < len(mine):
        return ""
    few, many = (_more_time(each, of) for each in more)
    if few == many:
        return f"takes {few}"
    return f"takes {few} if no evicted page is dirty, and {_more_time(more[1], '')} with as many dirty as possible"


def _more_time(more_us: float, of: str) -> str:
    if not more_us:
        return f"as much I/O time{of and f' as {of}'}"
    word = "more" if more_us > 0 else "less"
    time = format_microseconds(abs(more_us))
    return f"{time} {word} I/O time per access{of and f' than {of}'}"


def _money(of: Offered, months: int) -> str:
    month, purchase = (Decimal(each) / 100 for each in of.priced.cents(months))
    rent = of.priced.rent_cents
    parts = []
    if purchase:
        parts.append(
            f"{exact_money(purchase)} at purchase, spread over {counted(months, 'month')}"
        )
    if rent:
        parts.append(f"{exact_money(Decimal(rent) / 100)} of rent per month")
    if not parts:
        if any(
            each.usd_per_month or each.purchase_usd
            for each in of.priced.groups.values()
        ):
            return "It costs less than a cent."
        return "It costs nothing: all of its prices are 0."
    return f"It costs {exact_money(month)} per month: {listed(parts)}."


def _is_ram_for_pages(of: Offered | None, asked: Asked) -> bool:
    if of is not None:
        return any(each.is_ram_for_pages for each in of.standing)
    have = asked.setting.have
    return have is not None and have.is_ram_for_pages


def _run(own: Option, *, for_pages: bool) -> str:
    held = [ram_text(own.ram_bytes, for_pages=for_pages), *_drives(own)]
    few, many = own.ends(TIME)
    if few is None or many is None:
        took = ""
    elif format_microseconds(few) == format_microseconds(many):
        took = f", with {format_microseconds(many)} of I/O time per access"
    else:
        took = (
            f", with {between((few, many), format_microseconds)} of I/O time per access, depending on how many evicted "
            "pages are dirty"
        )
    return f"It runs on {counted(own.machines, 'machine')} with {listed(held)}{took}."


def _drives(own: Option) -> Iterator[str]:
    """Yield what caches, and how, and what holds the data."""
    if own.flash_device is not None:
        yield (
            f"{own.flash_devices:,} x `{own.flash_device}` as flash cache ({scheme_titles()[own.scheme]})"
        )
    yield f"{own.disks:,} x `{own.disk_device}` for the data"


def _run_otherwise(own: Option, clean: Option) -> Iterator[str]:
    """Say how a quote is faster if no evicted page is dirty, where that is another way."""
    mine, its = own.ends(TIME)[0], clean.io_time_us_per_access
    if mine is not None and its is not None and its < mine * (1 - TIE_TOLERANCE):
        yield f"If no evicted page is dirty, it is faster with {listed([*_drives(clean)])}."


def _idle(own: Option, of: Offered) -> Iterator[str]:
    """Name drives that a quote offers and the configuration does not use."""
    used = {own.flash_device, own.disk_device}
    counts = {
        device.id: count
        for each in of.standing
        for device, count in (
            (each.disk, each.disks),
            (each.flash, each.flash_devices),
        )
        if device is not None
    }
    for name, count in sorted(counts.items()):
        if name not in used:
            yield counted(
                count,
                f"x `{name}` is paid and holds nothing.",
                f"x `{name}` are paid and hold nothing.",
            )


def _beside_nothing(own: Option, zero: Option) -> Iterator[str]:
    if zero.usd_per_month is None:
        yield "What doing nothing costs was not stated."
        return
    assert own.usd_per_month is not None  # of what is ranked
    more = own.usd_per_month - zero.usd_per_month
    if more > 0:
        yield f"It costs {exact_money(more)} per month more than doing nothing."
    elif more < 0:
        yield f"It saves {exact_money(-more)} per month against doing nothing."
    else:
        yield "It costs as much per month as doing nothing."


def of_charges(
    of: Offered, stated: Mapping[str, int], quotes: int
) -> Iterator[QuoteCaution]:
    """Yield where a quote states tax or shipping and others do not, or the other way round."""
    for kind, word in CHARGE_WORDS.items():
        with_it = stated[kind]
        if kind in of.priced.charges:
            if with_it < quotes:
                others = counted(
                    quotes - with_it, "other quote states", "other quotes state"
                )
                yield QuoteCaution(
                    f"{kind}_counted",
                    f"The price includes {word}, and {others} none.",
                    f"compare prices that all include {word}, or prices without it",
                )
        elif with_it:
            others = counted(with_it, "other quote states", "other quotes state")
            yield QuoteCaution(
                f"no_{kind}",
                f"The quote states no {word}, and {others} it.",
                f"compare prices that all include {word}, or prices without it",
            )
