"""What a committee signs: need, options from nothing on, cost over the horizon, switching values, quotes, approval."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tierwright.advise.advice._words import what_is_asked
from tierwright.advise.advice.request import NO_BOOK
from tierwright.advise.quote_ranking._words import (
    TIME,
    rates_stated,
    time_difference,
)
from tierwright.advise.quote_ranking.switching import said
from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document, currency, named, sentence_of
from tierwright.advise.report._markup import Markup, facts, joined, table, tag
from tierwright.common.currency import STATED_RATE, text_of
from tierwright.common.wording import counted, listed, percent
from tierwright.evaluate.advice.limits import PEAK_BUSY
from tierwright.hardware import catalog
from tierwright.hardware.build import (
    STATED,
    STATED_IN_CANDIDATES,
    STATED_IN_QUESTION,
    STATED_OF_HAVE,
)
from tierwright.hardware.imports.offers import DO_NOTHING

_NOT_STATED = "not stated"
_COUNTED = {
    "purchase": "what is bought: servers, parts, devices",
    "rent": "instances, volumes and what is paid by the month",
    "power": "electricity of what is bought",
    "spares": "drives kept as spares",
    "replacement": "drives that wear out within the horizon",
}
"""What a cost over life may hold, in the order of the table."""
NOT_COUNTED = (
    "space in a rack and its cooling",
    "support and licences",
    "residual value at the end of the horizon",
    "migration, and running both systems meanwhile",
    "people",
)
"""What no bill of the advisor holds."""
_BY_KIND = {"power": "power", "spare": "spares", "replacement": "replacement"}
_APPROVERS = ("prepared by", "technical review", "finance", "approved by")


def need(document: Document) -> Iterator[Markup]:
    """Say what is needed, and what doing nothing costs and lacks."""
    stated = (document["statements"] or {}).get("need")
    if stated:
        yield tag("p", stated)
    yield tag("p", _needed(document))
    for each in currency(document):
        yield tag("p", each, class_="note")
    zero = document["option_zero"]
    if zero is None:
        yield tag(
            "p",
            "What there is today was not stated, so doing nothing is not an option here.",
        )
        return
    yield tag("p", _nothing(document, zero))


def _needed(document: Document) -> str:
    mean, peak = document["accesses_per_s"], document["peak_accesses_per_s"]
    held = (
        "the data"
        if document["data_bytes"] is None
        else f"{show.size(document['data_bytes'])} of data"
    )
    # The data are those at the end of the horizon, the load is that of today.
    horizon = document["horizon_months"]
    growth = (document["question"] or {}).get("growth_per_year")
    # What recommends nothing says nothing of when; a document of an earlier version does not state the growth either.
    grows = document["when"] is not None or bool(growth)
    is_unknown = growth is None and document["recommendation"] is None
    if grows and horizon is not None:
        held += f" after {counted(horizon, 'month')}"
    elif is_unknown and horizon is not None:
        held += f" at the end of {counted(horizon, 'month')}"
        grows = True
    if mean is None:
        return f"The system has to hold {held}; how many accesses it has to serve is not stated."
    said = f"The system has to hold {held} and to serve {show.number(mean)} page accesses per second"
    if grows and horizon is not None:
        said += " today"
    if peak is not None and peak > mean:
        said += f", {show.number(peak)} in the busiest hour"
    return f"{said}."


def _nothing(document: Document, zero: Document) -> str:
    horizon = document["horizon_months"]
    cost = zero["usd_per_month"]
    if cost is None:
        said = "What doing nothing costs was not stated"
    else:
        said = f"Doing nothing costs {show.usd(cost)} USD per month"
        whole = over_horizon(zero, horizon)
        if horizon is not None and whole is not None:
            said += f", {show.usd(whole)} USD over {counted(horizon, 'month')}"
    broken = _broken_by_nothing(document)
    if broken is not None:
        return f"{said}. It does not keep the limits: {broken}"
    least, busy = show.ends(zero, "peak_busy")
    if least is None or busy is None:
        return f"{said}. Whether it carries the load is not known."
    most = document["constraints"].get("peak_busy")
    how = f"its busiest device is busy for {show.figure(zero, 'peak_busy', percent)} of the busiest hour"
    if most is not None and Decimal(repr(busy)) > most:
        # Where nobody said which evicted pages are dirty, some of them may be as many as it carries.
        does = "does not" if Decimal(repr(least)) > most else "may not"
        return f"{said}. It {does} carry the load: {how}, and {what_is_asked(PEAK_BUSY, most)}."
    left = show.ends(zero, _MONTHS)[1]
    if left is not None:
        until = (
            "Growth makes it too small within a month"
            if left < 1
            else f"It is large enough for {show.figure(zero, _MONTHS, show.months)} of growth"
        )
        return f"{said}. {until}."
    return f"{said}. It carries the load: {how}."


_MONTHS = "months_until_too_small"


def _broken_by_nothing(document: Document) -> str | None:
    """Return in words which limit doing nothing breaks, where the document says so; None where it does not."""
    for each in (document["quotes"] or {}).get("rejected", ()):
        if each["quote_id"] == DO_NOTHING:
            return sentence_of(each["text"] or show.limit_words(each["constraint"]))
    for each in document["rejected"]:
        if each["option"]["kind"] == "have":
            return sentence_of(each["text"] or show.limit_words(each["constraint"]))
    return None


def compared(document: Document) -> list[tuple[str, Document]]:
    """Return the options that a committee compares, each once: nothing, the least, the recommended, the next."""
    best, zero = document["recommendation"], document["option_zero"]
    found: list[tuple[str, Document]] = []
    if zero is not None:
        role = "do nothing"
        if best is not None and _is_same(best, zero):
            role = "do nothing, which is recommended"
        found.append((role, zero))

    def following(options: Iterable[Document]) -> list[Document]:
        return [
            one
            for one in options
            if not (zero is not None and one["kind"] == "have")
            and all(not _is_same(one, each) for _, each in found)
        ]

    others = following(document["alternatives"])
    priced = [
        one
        for one in following(
            () if best is None else (best, *others, *document["pareto"])
        )
        if one["usd_per_month"] is not None and one["purchase_usd"] is not None
    ]
    if priced and best is not None:
        role, least = _least_at_purchase(document, following, priced)
        found.append(
            (f"recommended, and {role}", best)
            if _is_same(least, best)
            else (role, least)
        )
    if best is not None and all(not _is_same(best, one) for _, one in found):
        found.append(("recommended", best))
    found += [("next", one) for one in following(others)[:1]]
    return found


LEAST, LEAST_LISTED = "least at purchase", "least at purchase of those listed"
"""Roles of what costs least at purchase, of several the cheapest a month: of all options, or of those that the advice describes."""


def _outlay(option: Document) -> tuple[Decimal, Decimal]:
    """Return what is paid at purchase, then a month. [USD], [USD/month]"""
    return option["purchase_usd"], option["usd_per_month"]


def _least_at_purchase(
    document: Document,
    following: Callable[[Iterable[Document]], list[Document]],
    priced: Sequence[Document],
) -> tuple[str, Document]:
    """Return the role and the option that costs least at purchase, of several the cheapest a month.

    An advice describes options that are cheap a month or fast; others it names as steps of a limit of purchase.
    """
    least = min(priced, key=_outlay)
    quotes_ = document["quotes"]
    if quotes_ is not None:
        # All that can be bought is ranked.
        ranked = [one["option"] for one in quotes_["ranked"] if one["option"]]
        return LEAST, min((least, *following(ranked)), key=_outlay)
    step = _step_of_purchase(document)
    zero = document["option_zero"]
    if step is None or (
        zero is not None
        and (step["name"], step["scheme"]) == (zero["name"], zero["scheme"])
    ):
        return LEAST_LISTED, least
    # What is described says more of the same option.
    return LEAST, least if _outlay(least) <= _outlay(step) else step


def _step_of_purchase(document: Document) -> Document | None:
    """Return the cheapest option a month of the least purchase, as far as the advice states it; None where nobody computed it."""
    if document["objective"] == "io_time":
        # Its steps are the fastest ones.
        return None
    for each in document["staircases"]:
        if each["constraint"] != "purchase_usd" or each["tightest_known"] is not None:
            continue
        steps = [step for step in each["steps"] if step["value"] is not None]
        if not steps:
            return None
        step = min(steps, key=lambda one: one["value"])
        return {
            **_UNSTATED,
            **{key: step[key] for key in _STATED},
            "purchase_usd": Decimal(str(step["value"])),
            "ranges": _busy_of(document, step),
        }
    return None


def _busy_of(
    document: Document, step: Document
) -> dict[str, tuple[float | None, float]]:
    """Return how busy the option of a step is at peak: a step states that of its own limit alone, and keeps all others.

    Exactly where it is a step of that limit too; else it is no busier than allowed. Without a rate nobody knows.
    """
    most = document["constraints"].get(PEAK_BUSY)
    if most is None or document["peak_accesses_per_s"] is None:
        return {}
    for each in document["staircases"]:
        if each["constraint"] != PEAK_BUSY:
            continue
        for one in each["steps"]:
            if one["value"] is not None and all(
                one[key] == step[key] for key in _STATED
            ):
                return {PEAK_BUSY: (one["value"], one["value"])}
    return {PEAK_BUSY: (None, float(most))}


_STATED = ("name", "scheme", "usd_per_month", "io_time_us_per_access")
"""What a step of a limit states of its option."""


_UNSTATED: Mapping[str, Any] = {
    "kind": None,
    "replayed_io_time_us_per_access": None,
    "peak_busy": None,
    "ranges": {},
    "bill": (),
    "admission": None,
    "admission_by": None,
}
"""What a step of a limit does not state of its option."""


_SAME = ("kind", "name", "scheme", "usd_per_month", "purchase_usd")


def _is_same(one: Document, other: Document) -> bool:
    """Whether two options are one: a replay changes figures of an option, not what it is nor what it costs."""
    return all(one[name] == other[name] for name in _SAME)


def options(document: Document) -> Iterator[Markup]:
    """Return the options in one table: the same months, currency and method for all."""
    horizon = document["horizon_months"]
    rows = compared(document)
    if not rows:
        yield tag(
            "p",
            "There is no option to compare: nothing keeps every limit, and what there is was not stated.",
        )
        return
    over = "" if horizon is None else f" over {counted(horizon, 'month')}"
    yield table(
        f"From doing nothing to the next, in USD{over}, by one method",
        [
            ("option", False),
            ("what it is", False),
            ("at purchase [USD]", True),
            ("per month [USD]", True),
            ("over the horizon [USD]", True),
            ("I/O time per access", True),
            ("busy at peak", True),
        ],
        [
            [
                role,
                named(one),
                # What there is stands there: what is stated of its purchase is paid when it is replaced.
                show.NOTHING
                if one["kind"] == "have"
                else show.usd(one["purchase_usd"]),
                show.usd(one["usd_per_month"]),
                show.usd(over_horizon(one, horizon)),
                show.io_time(one),
                show.figure(one, "peak_busy", show.share),
            ]
            for role, one in rows
        ],
    )
    zero = document["option_zero"]
    if zero is not None and zero["purchase_usd"]:
        yield tag(
            "p",
            f"Doing nothing buys nothing now; {show.usd(zero['purchase_usd'])} USD was stated as what would be paid again for what there is.",
            class_="note",
        )
    yield from _gained(document)
    fallen = _fallen((document["quotes"] or document)["rejected"])
    if fallen:
        yield tag("h3", "Why others fell")
        yield tag("ul", joined(tag("li", sentence_of(text)) for text in fallen))


def _fallen(rejected: Sequence[Document]) -> list[str]:
    """Return why the first few fell, each hardware once: under another page flow it falls alike."""
    texts: dict[str, str] = {}
    for each in rejected:
        if each["text"]:
            option = each.get("option")
            texts.setdefault(
                each["text"] if option is None else option["name"], each["text"]
            )
    return list(texts.values())[:_MOST_FALLEN]


_MOST_FALLEN = 10


def _gained(document: Document) -> Iterator[Markup]:
    best, zero = document["recommendation"], document["option_zero"]
    if best is None or zero is None or best == zero:
        return
    mine, its = (show.ends(one, TIME) for one in (best, zero))
    found = time_difference(mine, its, "what there is today")
    if found:
        yield tag("p", f"The recommendation {found}.")


def parts_of_life(option: Document, months: int) -> dict[str, Decimal]:
    """Return what an option costs over the months, by what it is for; what is not among its bill is absent. [USD]

    Parameters
    ----------
    option : mapping
        Checked, with its bill.
    months : int
        Of the horizon.
    """
    found: dict[str, Decimal] = {}
    for row in option["bill"]:
        if row["kind"] in ("owned", "reserved"):
            continue
        name = _BY_KIND.get(row["kind"] or "")
        if name is None:
            name = "purchase" if row["purchase_usd"] else "rent"
        # A purchase in full: its parts of the months are rounded to the cent.
        cost = row["purchase_usd"] or row["usd_per_month"] * months
        found[name] = found.get(name, Decimal(0)) + cost
    return found


def over_horizon(option: Document, months: int | None) -> Decimal | None:
    """Return what an option costs over the months in all; None where its cost is not known. [USD]"""
    if months is None or option["usd_per_month"] is None:
        return None
    if option["bill"]:
        return sum(parts_of_life(option, months).values(), Decimal(0))
    cost: Decimal = option["usd_per_month"]
    return cost * months


def life(document: Document) -> Iterator[Markup]:
    """Return the cost over the horizon by what it is for, and what is not counted."""
    horizon, best, zero = (
        document[name] for name in ("horizon_months", "recommendation", "option_zero")
    )
    shown = [
        (title, one)
        for title, one in (("recommended", best), ("today", zero))
        if one is not None and one["usd_per_month"] is not None
    ]
    if horizon is None or not shown:
        yield tag("p", "No cost over the horizon is known.")
    else:
        split = [(one, parts_of_life(one, horizon)) for _, one in shown]

        def cell(one: Document, found: Mapping[str, Decimal], name: str) -> str:
            if not one["bill"]:
                return "within the total"
            if name in found:
                return show.usd(found[name])
            # What is rented whole has no purchase, what is bought no rent.
            return (
                show.usd(Decimal(0)) if name in ("purchase", "rent") else "not counted"
            )

        yield table(
            f"USD over {counted(horizon, 'month')}, purchases in full, nothing discounted",
            [("cost", False), *((title, True) for title, _ in shown)],
            [
                [f"{name}: {words}", *(cell(one, found, name) for one, found in split)]
                for name, words in _COUNTED.items()
            ],
            ["total", *(show.usd(over_horizon(one, horizon)) for one, _ in split)],
        )
        if any(not one["bill"] for one, _ in split):
            yield tag(
                "p", "A cost that was stated as one amount is not split.", class_="note"
            )
    if best is not None and best["on_existing"]:
        yield tag(
            "p",
            "The recommendation runs on the existing machines: their costs, which the total of today includes, continue "
            "beside it and are not in its total.",
        )
    if best is not None and best["without_machine"]:
        yield tag(
            "p",
            "The machine that RAM and devices of the recommendation need is not in its total: no price of it is stated."
            if best["machines"] == 1
            else "The machines that RAM and devices of the recommendation need are not in its total: no price of one is stated.",
        )
    months = None if best is None else best["months_until_too_small"]
    if horizon is not None and months is not None and months < horizon:
        yield tag(
            "p",
            f"The recommendation is too small after {show.months(months)}: what then replaces or extends it is not in its total.",
        )
    yield tag("p", f"Not counted: {listed(list(NOT_COUNTED))}.")


def switching(document: Document) -> Iterator[Markup]:
    """Say at which price, rate and growth another option wins."""
    said = list(switching_texts(document))
    if not said:
        yield tag("p", "No value is known at which another option wins.")
        return
    yield tag("ul", joined(tag("li", sentence_of(each)) for each in said))


def switching_texts(document: Document) -> Iterator[str]:
    """Yield each in a sentence: of quotes as computed, else what prices, ranges and later months say."""
    best, quotes_ = document["recommendation"], document["quotes"]
    if best is None:
        return
    if quotes_ is not None:
        yield from _of_quotes(quotes_)
    elif document["objective"] != "io_time":
        yield from _by_price(document, best)
    for bar in (document["confidence"] or {}).get("tornado", ()):
        if bar["flip"]:
            yield f"Another option wins if {bar['flip']}"
    when = document["when"]
    if when is not None and when["steps"]:
        first = when["steps"][0]
        wins = (
            f"{first['name']} wins" if first["name"] else "no option keeps every limit"
        )
        yield f"With the growth that is stated, from month {show.number(first['month'])} on {wins}"


def _of_quotes(given: Document) -> Iterator[str]:
    """Yield the switching values of quotes, or why the model has no such values for what is recommended."""
    best, ranked = given["recommended"], given["ranked"]
    if best is not None and ranked and ranked[0]["quote_id"] != best:
        yield (
            f"No price, rate or growth is stated at which another option wins: by replays {said(best)} is recommended, and "
            f"the model, which computes these values, ranks {said(ranked[0]['quote_id'])} first"
        )
    yield from (each["text"] for each in given["switching"])


def _by_price(document: Document, best: Document) -> Iterator[str]:
    following = next(
        (
            one
            for one in document["alternatives"]
            if one != best and one["usd_per_month"] is not None
        ),
        None,
    )
    own = best["usd_per_month"]
    if following is None or own is None:
        return
    more = following["usd_per_month"] - own
    if more > 0:
        share = f" ({percent(float(more / own))})" if own else ""
        yield (
            # Alternatives are of other hardware: of its own no other size is described.
            f"The recommendation may cost {show.usd(more)} USD per month{share} more before the best of other hardware, "
            f"{named(following)}, costs less; another size of the same hardware may cost less before that"
        )


def quotes(document: Document) -> Iterator[Markup]:
    """Return the quotes with their validity, and what to know of each."""
    given = document["quotes"]
    if given is None:
        yield tag("p", "No quote was ranked: the prices are those of the bill.")
        return
    yield tag(
        "p",
        f"Ranking {given['ranking_id']} of {given['day']}. A price is that of its quote, converted at the rate that its row of the bill names.",
    )
    offers = [(str(each["rank"]), each) for each in given["ranked"]]
    offers += [("breaks a limit", each) for each in given["rejected"]]
    offers = [(place, each) for place, each in offers if each["quote_id"] != DO_NOTHING]
    if offers:
        yield table(
            "Quotes, the best first",
            [
                ("quote", False),
                ("rank", False),
                ("supplier", False),
                ("valid until", False),
                ("lead time", False),
                ("per month [USD]", True),
                ("at purchase [USD]", True),
                ("cautions", False),
            ],
            [
                [
                    each["quote_id"],
                    place,
                    each["supplier"] or _NOT_STATED,
                    _validity(document, each),
                    _NOT_STATED
                    if each["lead_time_days"] is None
                    else counted(each["lead_time_days"], "day"),
                    show.usd(_of(each, "usd_per_month")),
                    show.usd(_of(each, "purchase_usd")),
                    " ".join(one["message"] for one in each["cautions"])
                    or show.NOTHING,
                ]
                for place, each in offers
            ],
        )
    if given["unreadable"]:
        yield table(
            "Quotes that could not be ranked",
            [
                ("place in the batch, from 0", False),
                ("reason", False),
                ("detail", False),
            ],
            [
                [f"{each['index']:,}", each["code"], each["detail"]]
                for each in given["unreadable"]
            ],
        )


def _validity(document: Document, quote: Mapping[str, Any]) -> str:
    """Return until when a quote holds; where only the paper states it, with the source that it names."""
    stated = (document["statements"] or {}).get("validity") or {}
    said = (stated.get(quote["quote_id"]) or "").strip()
    return quote["valid_until"] or (f"stated: {said}" if said else _NOT_STATED)


def _of(each: Mapping[str, Any], key: str) -> Decimal | None:
    if key in each:
        found: Decimal | None = each[key]
        return found
    option = each["option"]
    return None if option is None else option[key]


_OWN = (STATED, STATED_IN_CANDIDATES, STATED_OF_HAVE)
"""Sources of prices of one's own: no price book has them."""


def _date(row: Mapping[str, Any], book: str) -> str:
    """Write the date of a price; that of the price book where it has none and is one of the book."""
    if row["date"]:
        return str(row["date"])
    of_book = book != "none" and row["source"] not in _OWN and row["unit_price"]
    return f"{book} (price book)" if of_book else show.NOTHING


def _source(row: Mapping[str, Any]) -> str:
    # Where it was stated is the file of the bill, which a reader of the report does not have.
    if row["source"] == STATED:
        return STATED_IN_QUESTION
    return row["source"] or show.NOTHING


def sources(document: Document) -> Iterator[Markup]:
    """Return each price with its date and source, and who states uplifts and assumptions."""
    best = document["recommendation"]
    rows = (
        []
        if best is None
        else [row for row in best["bill"] if row["unit_price"] is not None]
    )
    book = document["versions"].get("price_book_date", "none")
    if rows:
        yield table(
            "Prices of the recommendation",
            [("what", False), ("date", False), ("source", False)],
            [[row["what"], _date(row, book), _source(row)] for row in rows],
        )
    statements = document["statements"] or {}
    pairs = [
        (words, statements.get(key) or _NOT_STATED)
        for key, words in (
            ("uplift_source", "Source of growth and busiest hour"),
            ("today_cost", "Source of what doing nothing costs"),
        )
    ]
    pairs += [
        (f"Why {code} holds", reason)
        for code, reason in statements.get("holds", {}).items()
    ]
    yield facts(pairs)


def approval(_: Document) -> Iterator[Markup]:
    """Return the lines that are signed."""
    yield table(
        "To be filled in by hand",
        [("role", False), ("name", False), ("date", False), ("signature", False)],
        [[role, " ", " ", " "] for role in _APPROVERS],
    )


def reproduce(document: Document) -> Iterator[Markup]:
    """Return the command that repeats the answer, and what it was made with."""
    given = document["quotes"]
    limits = [
        f"--constraint {shlex.quote(f'{name}={value}')}"
        for name, value in document["constraints"].items()
    ]
    months = document["horizon_months"]
    common = [
        *limits,
        f"--objective {shlex.quote(document['objective'])}",
        *([] if months is None else [f"--months {months}"]),
        *(["--have HAVE"] if document["option_zero"] is not None else []),
        f"--seed {shlex.quote(document['versions'].get('seed', '0'))}",
        *(["--trace TRACE"] if document["status"] == "checked" else []),
        *_in_currency(document["exchange_rate"]),
    ]
    if given is None:
        command = [
            "tierwright advise PROFILE",
            *_of_advice(document),
            *common,
            "--json",
        ]
        kept = "the advice"
    else:
        rates = [
            f"--rate {shlex.quote(f'{code}={per}@{date}')}"
            for code, per, date in _rates_of(document)
        ]
        command = [
            "tierwright quotes rank QUOTES --workload PROFILE",
            *common,
            f"--day {shlex.quote(given['day'])}",
            *rates,
            "--advice ADVICE.json",
        ]
        kept = "the quotes, their mapping, the advice"
    yield tag("p", "The same inputs and the same version give the same answer:")
    yield tag("p", " ".join(command))
    asked = document["question"] if given is None else None
    if asked is not None:
        yield tag("p", f"{_CANDIDATES} holds: {asked['candidates']}")
    yield tag("p", " ".join(_notes_of_files(asked, kept)), class_="note")
    pairs = [("advice", document["advice_id"])]
    if given is not None:
        pairs += [
            ("ranking", given["ranking_id"]),
            ("content of the quotes", document["versions"].get("quotes", _NOT_STATED)),
        ]
    yield facts(
        [*pairs, ("Tierwright", document["versions"].get("tierwright", _NOT_STATED))]
    )


_CANDIDATES = "CANDIDATES.json"


def _in_currency(rate: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the options that show amounts as they were; the rate only where no price book and no list that is shipped has it."""
    if rate is not None:
        # With its value in one word: words in capitals are files.
        yield f"--currency={shlex.quote(rate['currency'])}"
        if rate["source"] == STATED_RATE:
            stated = f"{text_of(rate['per_usd'])}@{rate['date']}"
            yield f"--per-usd {shlex.quote(stated)}"


def _of_advice(document: Document) -> Iterator[str]:
    """Yield the options that state what the answer does not: rate, candidates, price book, devices, start."""
    asked = document["question"]
    if asked is None:
        # It was kept before answers stated it.
        yield "--candidates CANDIDATES"
    else:
        if asked["accesses_per_s"] is not None:
            yield f"--accesses-per-second {asked['accesses_per_s']!r}"
        yield f"--candidates {_CANDIDATES}"
        for name in ("flash_device", "disk_device"):
            if asked[name] is not None:
                of = (
                    asked[name]
                    if asked[name] in catalog.devices()
                    else f"{name.upper()}.json"
                )
                yield f"--{name.replace('_', '-')} {shlex.quote(of)}"
        if asked["start"] == "cold":
            yield "--start cold"
        # Answers that were kept before it was stated rest on none.
        if asked["new_pages"]:
            yield f"--new-pages {asked['new_pages']}"
    book = document["versions"].get("price_book", "none")
    known = book == NO_BOOK or book in catalog.price_books()
    yield f"--price-book {shlex.quote(book if known else 'PRICES.json')}"
    best = document["recommendation"]
    # An answer that was kept before it was stated says it by what it found.
    is_split = None if asked is None else asked["pool_split"]
    if is_split is None:
        is_split = best is not None and best["clean_share"] is not None
    if is_split:
        yield "--pool-split"


def _notes_of_files(asked: Document | None, kept: str) -> Iterator[str]:
    yield "Words in capitals are files."
    if asked is None:
        yield (
            f"Keep with this paper the profile of the workload, what there is, and {kept}; add the options by which production "
            "and candidates were stated."
        )
        return
    profile = "the profile of the workload"
    if asked["is_scaled"]:
        profile = "the profile of production, to which the workload was scaled"
    yield f"PROFILE is {profile}. Keep it, what there is, and {kept} with this paper."
    if '"own"' in asked["candidates"]:
        yield "Files of own devices stand beside the file of candidates."


def _rates_of(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield the exchange rates of a ranking, as `versions` names them."""
    for each in rates_stated(document["versions"].get("exchange_rates", "none")):
        if (found := _RATE.match(each)) is not None:
            yield found[1], found[2], found[3]


_RATE = re.compile(r"([A-Z]{3}) ([0-9.]+) ([0-9]{4}-[0-9]{2}-[0-9]{2})(?: |$)")
