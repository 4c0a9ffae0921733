"""The first sections of a report: what was asked, the answer, its bill and its figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tierwright.advise.advice._words import behind_name, with_flow
from tierwright.advise.report import _figures as show
from tierwright.advise.report._markup import Markup, facts, joined, table, tag
from tierwright.common.currency import ExchangeRate
from tierwright.common.units import format_number, with_priced_unit
from tierwright.common.wording import counted, listed, rate_text
from tierwright.evaluate.advice.limits import RESPONSES
from tierwright.profile.categories import DEFAULT_KIND

Document = Mapping[str, Any]

OBJECTIVES: Mapping[str, str] = {
    "usd": "least money per month",
    "io_time": "least I/O time per access",
    "pareto": "options that no other beats in both money and I/O time; the cheapest of them is recommended",
}
_STATUS: Mapping[str, str] = {
    "model": "computed by the model, not replayed",
    "checked": "options were replayed in the reference simulator",
}
_MONTHS = "months_until_too_small"
_END = re.compile(r"\.(?= [A-Z])")
"""Of a sentence before another: no point of a number or a name."""
_AT_TOP = "replay_"
"""How the codes of cautions begin that must not be hidden further below."""


def without_machine(option: Document) -> str:
    """Say behind RAM and devices whose price lacks their machines that it does; empty of all others.

    Parameters
    ----------
    option : Document
    """
    if not option.get("without_machine"):
        return ""
    machine = "machine" if option["machines"] == 1 else "machines"
    return f", without the {machine} they need"


def status_of(document: Document) -> str:
    """Say whether options were replayed, the recommendation among them; a check in which none could be is none."""
    status = document["status"] or ""
    if status == "checked" and not _replayed(document):
        return "computed by the model: no option could be replayed"
    if status == "checked" and not choice_replayed(document):
        return (
            "the recommendation is computed by the model; other options were replayed"
        )
    return _STATUS.get(status, status)


def choice_replayed(document: Document) -> bool:
    """Whether a check replayed the recommendation: one that could not be has a row without a figure."""
    best = document["recommendation"]
    if best is None:
        return True
    own = [
        row["simulated"]
        for row in document["checked"]
        if all(row["option"][key] == best[key] for key in ("name", "kind", "scheme"))
    ]
    return not own or any(each is not None for each in own)


def near_misses_replayed(document: Document) -> int:
    """How many options that the model rules out by less than its error were replayed and are in no table."""
    return int(document["near_misses_replayed"] or 0)


def _replayed(document: Document) -> bool:
    if near_misses_replayed(document):
        return True
    rows, caches = document["checked"], document["flash_caches"] or ()
    return any(row["simulated"] is not None for row in rows) or any(
        row["io_time_us_per_access"] is not None for row in caches
    )


def summary(document: Document) -> Markup:
    """Return the key figures under the title."""
    best, zero = document["recommendation"], document["option_zero"]
    rows: list[tuple[str, str]] = []
    if best is not None:
        but = without_machine(best)
        rows.append(("Cost per month", f"{show.usd(best['usd_per_month'])} USD{but}"))
        rows.append(("Paid at purchase", f"{show.usd(best['purchase_usd'])} USD{but}"))
    if zero is not None:
        rows.append(("Today, per month", f"{show.usd(zero['usd_per_month'])} USD"))
    saving = document["saving_usd_per_month"]
    if saving is not None:
        words = "Saved per month" if saving >= 0 else "More per month than today"
        rows.append((words, f"{show.usd(abs(saving))} USD"))
    if best is not None:
        rows.append(
            (
                "I/O time per access",
                show.figure(best, "io_time_us_per_access", show.time),
            )
        )
        rows.append(
            ("Busiest device at peak", show.figure(best, "peak_busy", show.share))
        )
        if show.ends(best, _MONTHS)[1] is not None:
            rows.append(
                ("Until it is too small", show.figure(best, _MONTHS, show.months))
            )
    if not rows:
        return Markup("")
    return tag(
        "dl",
        joined(tag("div", tag("dt", name), tag("dd", value)) for name, value in rows),
        class_="key",
    )


def flags(document: Document) -> Iterator[Markup]:
    """Say where a replay contradicts the model: above everything, never hidden."""
    for each in document["cautions"]:
        if each["code"].startswith(_AT_TOP):
            yield tag(
                "div",
                tag("p", tag("strong", sentence_of(each["message"]))),
                tag("p", sentence_of(each["effect"] or each["hint"] or "")),
                class_="alert",
                role="note",
            )


def question(document: Document) -> Iterator[Markup]:
    """Say what was asked, as far as the advice states it."""
    yield facts(questions(document))


def questions(document: Document) -> list[tuple[str, str]]:
    """Return what was asked: names and values."""
    rows: list[tuple[str, str]] = []
    if document["data_bytes"] is not None:
        rows.append(
            (
                "Data to hold at the end of the horizon, one copy",
                show.size(document["data_bytes"]),
            )
        )
    mean, peak = document["accesses_per_s"], document["peak_accesses_per_s"]
    if mean is None:
        rows.append(("Page accesses", "the rate is not stated"))
    else:
        text = f"{rate_text(mean)} per second on average"
        if peak is not None:
            text += f", {rate_text(peak)} per second in the busiest hour"
        rows.append(("Page accesses", text))
    growth = document["when"]
    if growth is not None:
        rows.append(("Growth", f"{show.share(growth['growth_per_year'])} per year"))
    rows += wanted(document)
    rows.append(("Candidates", _candidates(document)))
    rows.append(price_book(document))
    zero = document["option_zero"]
    rows.append(("Today", "not stated" if zero is None else named(zero)))
    return rows


def wanted(document: Document) -> Iterator[tuple[str, str]]:
    """Yield objective, limits and horizon: names and values."""
    objective = document["objective"]
    yield "Objective", OBJECTIVES.get(objective, objective)
    limits = [
        f"{show.limit_words(name)} {show.bound(name)} {behind_name(name, show.limit(name, value))}"
        for name, value in document["constraints"].items()
    ]
    yield "Limits", "; ".join(limits) if limits else "no limit was stated"
    if document["horizon_months"] is not None:
        yield (
            "Horizon",
            f"{counted(document['horizon_months'], 'month')}: purchases are spread over them, and the data of "
            "their end must fit",
        )


def price_book(document: Document) -> tuple[str, str]:
    """Say at which prices it was asked."""
    book = document["versions"].get("price_book", "none")
    date = document["versions"].get("price_book_date", "none")
    return (
        "Price book",
        "no price book; list prices of what is rented"
        if book == "none"
        else f"{book}, {date}; list prices of what is rented at the dates in the bill",
    )


def _candidates(document: Document) -> str:
    evaluated, suitable = document["evaluated"], document["suitable"]
    if evaluated is None:
        return show.UNKNOWN
    said = f"{counted(evaluated, 'option was', 'options were')} evaluated"
    if document["pruned"]:
        said += f", {counted(document['pruned'], 'more was', 'more were')} left out by bounds"
    if suitable is None:
        return said
    if document["recommendation"] is None:
        return f"{said}; none keeps every limit"
    kept = counted(suitable, "keeps", "keep")
    if any(name in document["constraints"] for name in RESPONSES):
        return f"{said}; {kept} every limit besides those of response times, which were computed for the best of these"
    return f"{said}; {kept} every limit"


def named(option: Document) -> str:
    """Name an option as `titled`, and say where its machines are not in its price."""
    return f"{titled(option)}{without_machine(option)}"


def titled(option: Document) -> str:
    """Name an option with its page flow, or with its flash cache and the admission before it."""
    by = option["admission_by"]
    if by is None and option["admission"] is not None:
        # What was saved before other categories were tried does not name them.
        by = DEFAULT_KIND
    return with_flow(str(option["name"]), option["scheme"], by)


def answer(document: Document) -> Iterator[Markup]:
    """Say what to buy, and what must be known with it."""
    first = decided(document)
    yield tag("p", first, class_="lead")
    sure = document["confidence"] or {}
    said = str(sure.get("text") or "")
    rest = document["because"]
    if rest is None:
        # Files of before state the whole finding alone.
        rest = document["finding"].removeprefix(first).removesuffix(said).strip()
    apart = document["reservations"]
    rest = _without(rest, apart)
    if rest:
        yield tag("p", sentence_of(rest))
    yield tag("p", document["verdict"]["text"])
    for each in apart:
        yield tag("p", each)
    without = "" if said else sure.get("reason") or ""
    if document["recommendation"] is not None and without:
        yield tag("p", sentence_of(without))
    for each in currency(document):
        yield tag("p", each, class_="note")
    if document["infeasible"] is not None:
        yield _infeasible(document["infeasible"], document["finding"])
    if document["recommendation"] is not None:
        yield from open_cautions(document, tag("a", "How sure", href="#sure"), " and ")
    if document["when"] is not None:
        yield tag("p", document["when"]["text"])


def _without(text: str, sentences: Iterable[str]) -> str:
    """Return a text without sentences of it, which stand in paragraphs of their own."""
    for each in sentences:
        text = text.replace(each, "", 1)
    return " ".join(text.split())


def decided(document: Document) -> str:
    """Say what to buy and what it costs, or why nothing can be; of files of before, which do not tell them apart, the whole finding."""
    failed = document["infeasible"]
    heading = "" if failed is None else failed["heading"]
    return heading or sentence_of(document["decision"] or document["finding"])


def in_brief(document: Document) -> Iterator[Markup]:
    """Say under the key figures how sure the answer is, and for how long it holds."""
    if document["recommendation"] is None:
        return
    sure, when = document["confidence"] or {}, document["when"]
    rows = [
        ("How sure", str(sure.get("text") or "")),
        ("For how long", "" if when is None else first_sentence(when["text"])),
    ]
    rows = [(name, sentence_of(text)) for name, text in rows if text]
    if rows:
        yield facts(rows)


def first_sentence(text: str) -> str:
    """Return the first sentence of several."""
    end = _END.search(text)
    return text if end is None else text[: end.start() + 1]


def open_cautions(document: Document, *before: str) -> Iterator[Markup]:
    """Say how many cautions could change the choice, and where they stand: in what is given, and among the assumptions."""
    count = sum(bool(each["could_change_choice"]) for each in document["cautions"])
    if count:
        could = counted(count, "assumption", "assumptions")
        yield tag(
            "div",
            tag(
                "p",
                f"{could} could change this choice. See ",
                *before,
                tag("a", "Assumptions and cautions", href="#assumptions"),
                ".",
            ),
            class_="alert",
            role="note",
        )


def currency(document: Document) -> Iterator[str]:
    """Say in which currencies amounts are, where not all are in one."""
    if document["exchange_rate"] is not None:
        rate = ExchangeRate(**document["exchange_rate"])
        yield (
            f"Sentences of the answer state amounts in {rate.currency}; tables, and what this report adds, in USD, as each "
            f"amount says: {rate.sentence}."
        )


def _infeasible(found: Document, finding: str) -> Markup:
    parts: list[str] = []
    if not found["heading"] and not finding.startswith(found["text"]):
        parts.append(tag("p", found["text"]))
    if found["conflict"]:
        words = listed([show.limit_words(name) for name in found["conflict"]])
        rest = (
            "Relax this limit"
            if len(found["conflict"]) == 1
            else "Relax one of these limits"
        )
        parts.append(tag("p", tag("strong", f"In conflict: {words}.")))
        parts.append(
            tag(
                "p",
                f"{rest}, or allow more candidates; ",
                tag("a", "Why not", href="#why-not"),
                " states by how much.",
            )
        )
    return tag("div", *parts, class_="alert", role="note") if parts else Markup("")


def sentence_of(words: str) -> str:
    """Write words as a sentence: a capital first, a full stop behind."""
    if not words:
        return ""
    ended = words if words.endswith((".", "!", "?")) else f"{words}."
    return ended[0].upper() + ended[1:]


def bill(document: Document) -> Iterator[Markup]:
    """Return the bill of materials with its sums."""
    best = document["recommendation"]
    if best is None:
        yield tag("p", "There is nothing to buy: no option keeps every limit.")
        return
    yield tag("p", tag("strong", named(best)))
    rows = best["bill"]
    if not rows:
        yield tag(
            "p",
            f"The advice has no rows for it: its cost, {show.usd(best['usd_per_month'])} USD per month and "
            f"{show.usd(best['purchase_usd'])} USD at purchase, was stated.",
        )
        return
    horizon = document["horizon_months"]
    caption = (
        "Bill of materials of all machines together"
        if horizon is None
        else f"Bill of materials of all machines together, purchases spread over {counted(horizon, 'month')}"
    )
    yield table(
        caption,
        [
            ("what", False),
            ("quantity", True),
            ("price", True),
            ("date", False),
            ("at purchase [USD]", True),
            ("per month [USD]", True),
        ],
        [
            [
                row["what"],
                with_priced_unit(show.quantity(row["quantity"]), row["unit"] or ""),
                _price(row),
                row["date"] or show.NOTHING,
                show.usd(row["purchase_usd"]),
                show.usd(row["usd_per_month"]),
            ]
            for row in rows
        ],
        [
            "total",
            "",
            "",
            "",
            show.usd(sum((row["purchase_usd"] for row in rows), Decimal(0))),
            show.usd(sum((row["usd_per_month"] for row in rows), Decimal(0))),
        ],
    )
    told = [row for row in rows if row["note"] or row["source"]]
    if told:
        yield tag("h3", "Where the prices are from")
        yield tag(
            "ul",
            joined(
                tag(
                    "li",
                    f"{row['what']}: ",
                    "; ".join(filter(None, (row["note"], row["source"]))),
                )
                for row in told
            ),
            class_="note",
        )
    unpriced = [row["what"] for row in rows if row["unit_price"] is None]
    if unpriced:
        yield tag(
            "p",
            f"Without a price, so that the sums are lower bounds: {listed(unpriced)}.",
        )


def _price(row: Document) -> str:
    if row["unit_price"] is None:
        return show.UNKNOWN
    return f"{show.price(row['unit_price'])} {row['unit'] or ''}".rstrip()


_FIGURES: tuple[tuple[str, str, Any], ...] = (
    ("RAM", "ram_bytes", show.size),
    ("Flash that caches", "flash_bytes", show.size),
    ("Accesses that hit RAM", "ram_hit_share", show.share),
    ("Accesses that hit flash", "flash_hit_share", show.share),
    ("Accesses that read from disk or volume", "disk_share", show.share),
    ("I/O time per access", "io_time_us_per_access", show.time),
    ("Mean response time, mean load", "response_mean_mean_us", show.time),
    ("Median response time, mean load", "response_p50_mean_us", show.time),
    ("99th percentile of response time, mean load", "response_p99_mean_us", show.time),
    ("Mean response time, busiest hour", "response_mean_us", show.time),
    ("Median response time, busiest hour", "response_p50_us", show.time),
    ("99th percentile of response time, busiest hour", "response_p99_us", show.time),
    ("Busiest device in the busiest hour", "peak_busy", show.share),
    (
        "Page accesses per second at which it is as busy as allowed",
        "throughput_accesses_per_s",
        show.rate,
    ),
    ("Life of the flash", "flash_life_years", show.years),
    ("Until RAM is warm after a restart", "restart_s", show.warm),
    ("Until it is too small", "months_until_too_small", show.months),
)
_RESPONSES = (
    "response_mean_us",
    "response_mean_mean_us",
    "response_p50_us",
    "response_p99_us",
    "response_p50_mean_us",
    "response_p99_mean_us",
)
_WHY_NONE: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        _RESPONSES,
        "Response times are not known where no source states the latency of a device, the rate is not stated, or a device "
        "cannot keep up.",
    ),
    (
        ("peak_busy",),
        "How busy a device is is not known without the rate of the workload.",
    ),
    (
        ("flash_life_years",),
        "The life of the flash has no figure where no flash is bought or written, the provider replaces it, or no source "
        "states its endurance.",
    ),
    (
        ("restart_s",),
        "The time until RAM is warm is not known without the rate of the workload and the read time of a device.",
    ),
    (
        ("months_until_too_small",),
        "The months until it is too small have no figure where the data do not grow or the rate is not stated.",
    ),
)


def figures(document: Document) -> Iterator[Markup]:
    """Return what is expected of the recommendation, beside what there is today."""
    shown = _shown(document)
    if document["recommendation"] is None:
        yield tag("p", "There are no expected figures: nothing is recommended.")
    if not shown:
        return
    yield from figures_of(shown)


def figures_of(shown: Sequence[tuple[str, Document]]) -> Iterator[Markup]:
    """Return what is expected of options, each with its heading, and why a figure is not known."""
    head, *rows = expected_of(shown)
    yield table(
        "Of all machines together",
        [(title, at > 0) for at, title in enumerate(head)],
        rows,
    )
    for keys, why in _WHY_NONE:
        lacking = [
            (title, option)
            for title, option in shown
            if any(option[key] is None and key not in option["ranges"] for key in keys)
        ]
        reasons = [
            f"Response times, {title}: {option['response_reason']}."
            for title, option in lacking
            if keys == _RESPONSES and option["response_reason"]
        ]
        # An advice of an earlier version states no reason.
        if len(reasons) < len(lacking):
            reasons = [why]
        for each in reasons:
            yield tag("p", each, class_="note")


def _shown(document: Document) -> list[tuple[str, Document]]:
    best, zero = document["recommendation"], document["option_zero"]
    both = (("recommended", best), ("today", zero))
    return [(title, one) for title, one in both if one is not None]


def expected(document: Document) -> list[list[str]]:
    """Return the figures of what is recommended and of what there is, headings first; empty where there is neither."""
    return expected_of(_shown(document))


def expected_of(shown: Sequence[tuple[str, Document]]) -> list[list[str]]:
    """Return the figures of options, each with its heading, headings first; empty where there are none."""
    if not shown:
        return []
    return [
        ["figure", *(title for title, _ in shown)],
        *(
            [title, *(show.figure(option, key, form) for _, option in shown)]
            for title, key, form in _FIGURES
        ),
    ]


def ratio(larger: float, smaller: float) -> str:
    """Write how many times as large one figure is as another."""
    return f"{format_number(larger / smaller)} times"
