"""What a committee would send an advice back for, before it is exported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.advise.report._answer import Document, choice_replayed
from tierwright.common.errors import BadInput
from tierwright.common.fields import is_of_calendar
from tierwright.common.wording import counted, listed
from tierwright.hardware import catalog
from tierwright.hardware.prices import MOST_QUARTERS_APART, quarter_of

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATED = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-[0-3][0-9])?|-Q[1-4])?")
_MOST_NAMED = 5
_FREE = ("owned", "reserved", "replacement")
_RAM = "RAM, GiB"


@dataclass(frozen=True, slots=True)
class SentBack:
    """One thing that a committee would send an advice back for.

    Attributes
    ----------
    code : str
        Stable.
    message : str
        What is missing or wrong, in a sentence.
    hint : str
        The next step.
    """

    code: str
    message: str
    hint: str


def sent_back(
    document: Document, raw: Mapping[str, Any], day: str
) -> Iterator[SentBack]:
    """Yield what is missing, in the order in which a reader finds it.

    Parameters
    ----------
    document : mapping
        As `_document.checked` returns it.
    raw : mapping
        The same as it was read.
    day : str
        Day of the decision, YYYY-MM-DD.

    Raises
    ------
    BadInput
        If the day is not one.
    """
    if not _DAY.fullmatch(day) or not is_of_calendar(day):
        raise BadInput(f"day: `{day}` is not a day written as YYYY-MM-DD", "correct it")
    yield from _need(document)
    yield from _nothing(document)
    yield from _prices(document, day)
    yield from _quotes(document, day)
    yield from _uplift(
        document, (document["statements"] or {}).get("uplift_source") or ""
    )
    yield from _ranges(document)
    yield from _horizons(document, raw)


def _need(document: Document) -> Iterator[SentBack]:
    if document["accesses_per_s"] is None:
        yield SentBack(
            "no_need",
            "The need is not stated: the advice knows no rate of accesses.",
            "scale the workload to production, or state its rate",
        )
    if document["recommendation"] is None:
        yield SentBack(
            "no_recommendation",
            "Nothing is recommended: no option keeps every limit.",
            "relax a limit that the advice names",
        )


def _nothing(document: Document) -> Iterator[SentBack]:
    zero = document["option_zero"]
    if zero is None:
        yield SentBack(
            "no_option_zero",
            "Doing nothing is not among the options: what there is today was not stated.",
            "ask for the advice with what there is today",
        )
    elif zero["usd_per_month"] is None:
        yield SentBack(
            "cost_of_nothing_unknown",
            "What doing nothing costs is not stated.",
            "state the cost per month of what there is today",
        )


def _prices(document: Document, day: str) -> Iterator[SentBack]:
    undated: dict[str, None] = {}
    old: dict[str, None] = {}
    ahead: dict[str, None] = {}
    book = document["versions"].get("price_book_date", "")
    for option in _compared(document):
        if not option["bill"] and option["usd_per_month"] is not None:
            date = _date_of_today(document) if option == document["option_zero"] else ""
            _put(
                f"what there is today, {option['name']}", date, day, undated, ahead, old
            )
        for row in option["bill"]:
            if row["unit_price"] is None or row["kind"] in _FREE:
                continue
            date = row["date"] or (book if _of_book(row["what"]) else "")
            _put(row["what"], date or "", day, undated, ahead, old)
    yield from _dates(undated, ahead, old, day)


def _put(
    what: str,
    date: str,
    day: str,
    undated: dict[str, None],
    ahead: dict[str, None],
    old: dict[str, None],
) -> None:
    """Put a price among those that are sent back, if it is one of them."""
    if not _DATED.fullmatch(date):
        undated[what] = None
    elif _is_after(date, day):
        ahead[f"{what} of {date}"] = None
    elif quarter_of(day) - quarter_of(date) > MOST_QUARTERS_APART:
        old[f"{what} of {date}"] = None


def _date_of_today(document: Document) -> str:
    """Return the day that the source of what doing nothing costs begins with; empty where it has none."""
    return _day_first((document["statements"] or {}).get("today_cost") or "")


def _day_first(text: str) -> str:
    """Return the day that a text begins with; empty where it begins with none."""
    found = _DAY.match(text.strip())
    return "" if found is None or not is_of_calendar(found[0]) else found[0]


def validity_of(document: Document, quote: Mapping[str, Any]) -> str:
    """Return the last day on which a quote holds: its own, else what the paper states of it; empty where neither does."""
    stated = (document["statements"] or {}).get("validity") or {}
    return quote["valid_until"] or _day_first(stated.get(quote["quote_id"]) or "")


def without_validity(document: Document) -> list[str]:
    """Return the ids of the recommended quotes whose files do not state until when they hold."""
    return [
        each["quote_id"] for each in _recommended(document) if not each["valid_until"]
    ]


def _quotes(document: Document, day: str) -> Iterator[SentBack]:
    """Yield what is wrong with the validity of the quote that is recommended."""
    for each in _recommended(document):
        name, until = each["quote_id"], validity_of(document, each)
        if not until:
            yield SentBack(
                "quote_without_validity",
                f"Quote `{name}` does not state until when it is valid.",
                "ask the supplier how long the price holds, and state it, the day first, as [[the validity]]",
            )
        elif until < day:
            yield SentBack(
                "expired_quote",
                f"Quote `{name}` was valid until {until}, which is before {day}.",
                "ask the supplier for a new quote, and rank again",
            )


def _recommended(document: Document) -> Iterator[Mapping[str, Any]]:
    given, best = document["quotes"], document["recommendation"]
    if given is None or best is None or best["kind"] != "quotes":
        return
    for each in (*given["ranked"], *given["rejected"]):
        if _is_recommended(each["quote_id"], given["recommended"], best["name"]):
            yield each


def _is_recommended(quote_id: str, recommended: str | None, title: str) -> bool:
    """Whether a quote is the recommended one; where a document does not name it, by the title of what is recommended."""
    if recommended is None:
        return title.startswith(f"quote {quote_id} (")
    return quote_id == recommended


def _is_after(date: str, day: str) -> bool:
    return quarter_of(date) > quarter_of(day) or (len(date) == len(day) and date > day)


def _dates(
    undated: dict[str, None], ahead: dict[str, None], old: dict[str, None], day: str
) -> Iterator[SentBack]:
    if undated:
        yield SentBack(
            "undated_price",
            f"{counted(len(undated), 'price has', 'prices have')} no date: {_some(undated)}.",
            "state the date of each price that you state, or rank dated quotes",
        )
    if ahead:
        yield SentBack(
            "future_price",
            f"{counted(len(ahead), 'price is', 'prices are')} dated after {day}: {_some(ahead)}.",
            "state the day on which each price was read or offered",
        )
    if old:
        yield SentBack(
            "old_price",
            f"{counted(len(old), 'price is', 'prices are')} more than "
            f"{counted(MOST_QUARTERS_APART, 'quarter')} older than {day}: {_some(old)}.",
            "use prices of today, or rank quotes that are valid",
        )


def _of_book(what: str) -> bool:
    """Whether a row is priced by the price book: RAM and devices that are bought by themselves."""
    return what == _RAM or what in catalog.devices()


def _uplift(document: Document, source: str) -> Iterator[SentBack]:
    if source.strip():
        return
    mean, peak = document["accesses_per_s"], document["peak_accesses_per_s"]
    uplifts = []
    if mean and peak is not None and peak > mean:
        uplifts.append(f"the busiest hour is {peak / mean:.3g} times the mean")
    if any(
        option["months_until_too_small"] is not None for option in _compared(document)
    ):
        uplifts.append("data and load grow")
    if uplifts:
        yield SentBack(
            "uplift_without_source",
            f"An uplift has no source: {listed(uplifts)}.",
            "state who says so, and when, as [[the uplift_source]]",
        )


def _ranges(document: Document) -> Iterator[SentBack]:
    best, sure = document["recommendation"], document["confidence"]
    known = sure is not None and (
        bool(sure["tornado"]) or sure["probability_best"] is not None
    )
    if best is not None and not known:
        yield SentBack(
            "no_range",
            "The cost of the recommendation is a single figure: no range of what is not known was computed.",
            "ask for the advice with how sure it is",
        )
    is_checked = document["status"] == "checked" and choice_replayed(document)
    if best is not None and not is_checked:
        yield SentBack(
            "not_replayed",
            "No independent replay confirms the recommendation.",
            "ask for the advice by a replay of its finalists",
        )
    holds = (document["statements"] or {}).get("holds") or {}
    open_ = [
        each["code"]
        for each in document["cautions"]
        if each["could_change_choice"] is True
        and not (holds.get(each["code"]) or "").strip()
    ]
    if open_:
        yield SentBack(
            "open_assumption",
            f"{counted(len(open_), 'assumption', 'assumptions')} could change the choice: {_some(dict.fromkeys(open_))}.",
            "settle it as the advice says, or state in the paper why it holds",
        )


def _horizons(document: Document, raw: Mapping[str, Any]) -> Iterator[SentBack]:
    months = document["horizon_months"]
    named = (
        ("the recommendation", raw.get("recommendation")),
        ("what there is", raw.get("option_zero")),
    )
    found = []
    for name, option in named:
        config = option.get("config") if isinstance(option, Mapping) else None
        stated = config.get("horizon_months") if isinstance(config, Mapping) else None
        if isinstance(stated, int) and stated != months:
            found.append(f"{name} over {counted(stated, 'month')}")
    if found:
        yield SentBack(
            "unequal_horizons",
            f"Options are not compared over one horizon: {listed(found)}, the advice over {counted(months or 0, 'month')}.",
            "state one horizon for all of them",
        )


def _compared(document: Document) -> Iterator[Mapping[str, Any]]:
    """Yield what is compared in the first place: the recommendation and doing nothing."""
    for name in ("recommendation", "option_zero"):
        if document[name] is not None:
            yield document[name]


def _some(names: Mapping[str, None]) -> str:
    said = [f"`{each}`" for each in list(names)[:_MOST_NAMED]]
    if len(names) > len(said):
        said.append(f"{len(names) - len(said):,} more")
    return listed(said)
