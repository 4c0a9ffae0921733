"""The middle sections of a report: what was close, why others are out, how sure it is, what was checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from tierwright.advise.advice._words import run_so, with_flows
from tierwright.advise.advice.found import (
    FIGURES,
    FIRST_TOUCHES_ALONE,
    broken_and_unknown,
)
from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import (
    Document,
    named,
    near_misses_replayed,
    ratio,
    sentence_of,
    titled,
)
from tierwright.advise.report._charts import (
    MONEY,
    TIME,
    Measure,
    Series,
    at_edges,
    front_chart,
    tornado_chart,
)
from tierwright.advise.report._markup import Markup, joined, table, tag
from tierwright.common.wording import (
    by_reason,
    counted,
    listed,
    notes_of_replays,
    percent,
)
from tierwright.profile.categories import DEFAULT_KIND

_FIRST_REJECTED = 10
"""Rejected options beside the answer; all of them are in the appendix."""
_OPTION_COLUMNS = (
    ("option", False),
    ("cost [USD per month]", True),
    ("I/O time per access", True),
    ("busy at peak", True),
    ("RAM", True),
    ("flash cache", True),
    ("page flow", False),
)


def _option_row(option: Document, name: str | Markup | None = None) -> list[str]:
    return [
        name if name is not None else option["name"],
        show.usd(option["usd_per_month"]),
        show.io_time(option),
        show.figure(option, "peak_busy", show.share),
        show.size(option["ram_bytes"]),
        show.size(option["flash_bytes"]),
        show.scheme(option),
    ]


def close(document: Document) -> Iterator[Markup]:
    """Return the alternatives and the front of money and I/O time."""
    best, zero = document["recommendation"], document["option_zero"]
    rows = []
    if best is not None:
        rows.append(_option_row(best, f"{best['name']} (recommended)"))
    if zero is not None and zero != best:
        rows.append(_option_row(zero, f"{zero['name']} (today)"))
    others = [one for one in document["alternatives"] if one not in (zero, best)]
    rows.extend(_option_row(one) for one in others)
    if rows:
        caption = (
            "What there is today"
            if best is None
            else "The best of each other kind, the best first"
        )
        yield table(caption, _OPTION_COLUMNS, rows)
    if not others:
        yield tag(
            "p",
            "No option of another kind keeps every limit."
            if best is not None
            else "Nothing was close: no option keeps every limit.",
        )
    yield from _front(document)


def _front(document: Document) -> Iterator[Markup]:
    front = [
        one
        for one in document["pareto"]
        if one["usd_per_month"] is not None and one["io_time_us_per_access"] is not None
    ]
    if not front:
        return
    yield tag("h3", "Money against speed")
    sentence = front_sentence(front, document["recommendation"])
    in_all = document["pareto_in_all"]
    if in_all is not None and in_all > len(front):
        sentence += f" {len(front):,} of {counted(in_all, 'option')} are shown."
    series = [
        Series("no other beats it in both", "front", [_point(one) for one in front]),
        *_marked("close", "close", document["alternatives"]),
        *_marked("today", "today", [document["option_zero"]]),
        *_marked("recommended", "best", [document["recommendation"]]),
    ]
    if len(front) > 1:
        sentence = " ".join([sentence, *at_edges(series)])
        title = "Cost per month and I/O time per access of the options on the front"
        chart = front_chart(series, title, sentence)
        yield tag(
            "figure",
            tag(
                "div",
                chart,
                class_="wide",
                role="region",
                tabindex="0",
                aria_label=title,
            ),
            tag("figcaption", sentence),
        )
    else:
        yield tag("p", sentence)
    yield table(
        "Options that no other beats in both cost and I/O time, the cheapest first",
        _OPTION_COLUMNS,
        [_option_row(one) for one in front],
    )


def _marked(
    name: str, kind: str, options: Sequence[Document | None]
) -> Iterator[Series]:
    points = [
        _point(one)
        for one in options
        if one is not None
        and one["usd_per_month"] is not None
        and one["io_time_us_per_access"] is not None
    ]
    if points:
        yield Series(name, kind, points)


def _point(option: Document) -> tuple[float, float]:
    return float(option["usd_per_month"]), float(option["io_time_us_per_access"])


def front_sentence(front: Sequence[Document], best: Document | None) -> str:
    """Say what the front shows: what speed costs from its cheapest to its fastest option."""
    if len(front) == 1:
        return f"{front[0]['name']} is both the cheapest and the fastest: no other option is on the front."
    cheapest = min(front, key=lambda one: one["usd_per_month"])
    fastest = min(front, key=lambda one: one["io_time_us_per_access"])
    (low, slow), (high, fast) = _point(cheapest), _point(fastest)
    if not (low > 0 and slow > 0 and high > low):
        spread = (
            f"from {show.usd(cheapest['usd_per_month'])} USD per month at {show.time(slow)} per access to "
            f"{show.usd(fastest['usd_per_month'])} USD per month at {show.time(fast)}"
        )
        said = f"The front goes {spread}."
    else:
        said = (
            f"The fastest option costs {ratio(high, low)} as much per month as the cheapest and needs "
            f"{percent(1 - fast / slow)} less I/O time per access: {show.usd(fastest['usd_per_month'])} USD at "
            f"{show.time(fast)} against {show.usd(cheapest['usd_per_month'])} USD at {show.time(slow)}."
        )
    if best is None:
        return said
    if _same(best, cheapest):
        return f"{said} The recommendation is the cheapest."
    if _same(best, fastest):
        return f"{said} The recommendation is the fastest."
    where = "on" if any(_same(best, one) for one in front) else "not on"
    return f"{said} The recommendation is {where} the front, and neither its cheapest nor its fastest option."


def _same(one: Document, other: Document) -> bool:
    keys = ("usd_per_month", "io_time_us_per_access")
    return all(one[key] == other[key] for key in keys)


def why_not(document: Document) -> Iterator[Markup]:
    """Return the limits that rejected options break, and what would admit them."""
    counts, rejected = document["rejected_counts"], document["rejected"]
    if not counts and not rejected:
        yield tag("p", "No option was rejected.")
        return
    if counts:
        yield table(
            "Rejected options by the first limit that they break",
            [("breaks or lacks", False), ("options", True)],
            [
                [show.limit_words(name), f"{count:,}"]
                for name, count in sorted(counts.items(), key=lambda pair: -pair[1])
            ],
            ["all", f"{sum(counts.values()):,}"],
        )
    if rejected:
        alike = _alike(rejected)
        some = alike[:_FIRST_REJECTED]
        more = len(alike) > len(some)
        yield rejected_table(
            "The rejected options that are nearest to their limits"
            if more
            else "The rejected options",
            some,
        )
        if more:
            yield tag(
                "p",
                f"{counted(len(rejected), 'rejected option is', 'rejected options are')} in the ",
                tag("a", "appendix", href="#appendix"),
                ".",
            )


def _alike(rows: Sequence[Document]) -> list[list[Document]]:
    """Put rows together that break the same under several page flows: ten lines would name three choices."""
    found: dict[tuple[str, str, tuple[str, ...]], list[Document]] = {}
    for row in rows:
        option = row["option"]
        key = (
            str(option["name"]),
            show.usd(option["usd_per_month"]),
            tuple(_broken(each) for each in (row, *row["also"])),
        )
        found.setdefault(key, []).append(row)
    return list(found.values())


def rejected_table(caption: str, rows: Iterable[Sequence[Document]]) -> Markup:
    """Return rejected options with the limits they break and where these would admit them.

    Parameters
    ----------
    caption : str
    rows : iterable of sequence of mapping
        Those in one line differ in their page flow alone.
    """
    return table(
        caption,
        [
            ("option", False),
            ("cost [USD per month]", True),
            ("breaks or lacks", False),
        ],
        [
            [
                with_flows(
                    str(row["option"]["name"]),
                    [each["option"]["scheme"] for each in alike],
                ),
                show.usd(row["option"]["usd_per_month"]),
                _lines([_broken(each) for each in (row, *row["also"])]),
            ]
            for alike in rows
            for row in alike[:1]
        ],
    )


def _broken(each: Document) -> str:
    name, stated = each["constraint"], each["limit"]
    what = show.limit_words(name)
    if stated is None:
        return what
    value = show.UNKNOWN if each["value"] is None else show.limit(name, each["value"])
    said = f"{what}: {value}, {show.bound(name)} {show.limit(name, stated)}"
    admitted = show.admitted_at(each)
    if admitted == show.NOTHING:
        return said
    return f"{said}; admitted at about {admitted}"


def _lines(cells: Sequence[str]) -> Markup:
    return joined(tag("div", cell) for cell in cells)


def sure(document: Document) -> Iterator[Markup]:
    """Return the probability or why there is none, and what is not known as bars."""
    confidence = document["confidence"]
    if confidence is None:
        yield tag("p", "The advice does not say how sure it is.")
        return
    chance, reason = confidence["probability_best"], confidence["reason"]
    if chance is None:
        yield tag(
            "p",
            sentence_of(reason)
            if reason
            else "No probability that this stays the best choice is stated.",
        )
    else:
        regret = confidence["expected_regret_usd_per_month"]
        # A document of an earlier version has no words of which draws that is.
        yield tag(
            "p",
            sentence_of(confidence["text"])
            if confidence["text"]
            else (
                confidence["headline"]
                or f"The probability that this is within 1 % of the best choice is {show.share(chance)}"
            )
            + (
                "."
                if regret is None
                else f"; the expected regret is {show.usd(regret)} USD per month."
            ),
        )
        yield from _intervals(confidence["intervals"])
        yield from _worth(confidence["value_of_information"])
        if reason:
            yield tag("p", sentence_of(reason))
    bars, best = confidence["tornado"], document["recommendation"]
    measure = _measure(document, bars)
    if not bars or best is None or best[measure.of] is None:
        none = "No input was evaluated at its other ends."
        yield tag("p", confidence["about_bars"] or none)
        return
    sentence = tornado_sentence(
        bars, measure, titled(best), confidence["about_bars"] or ""
    )
    title = f"{measure.title} of the best option at both ends of what is not known"
    yield tag(
        "figure",
        tag(
            "div",
            tornado_chart(bars, best[measure.of], measure, title, sentence),
            class_="wide",
            role="region",
            tabindex="0",
            aria_label=title,
        ),
        tag("figcaption", sentence),
    )
    yield table(
        "What is not known, and the best option at either end",
        [
            ("input", False),
            ("at one end", False),
            (measure.column, True),
            ("at the other end", False),
            (measure.column, True),
        ],
        [
            [
                _lines(
                    [
                        f"{at}. {sentence_of(bar['about'])}",
                        *([said] if (said := _flip(bar)) else []),
                    ]
                ),
                *_end(bar, "low", measure),
                *_end(bar, "high", measure),
            ]
            for at, bar in enumerate(bars, 1)
        ],
    )


def _intervals(rows: Sequence[Document]) -> Iterator[Markup]:
    """Say between which values the figures of the recommendation lie; nothing where that was not drawn."""
    known = [row for row in rows if row["figure"] in FIGURES]
    if not known:
        return
    yield table(
        "Figures of the recommendation in 90 % of the draws",
        [("figure", False), ("from", True), ("to", True)],
        [
            [words, write(row["low"]), write(row["high"])]
            for row in known
            for words, write in (FIGURES[row["figure"]],)
        ],
    )


def _worth(rows: Sequence[Document]) -> Iterator[Markup]:
    """Say what is worth measuring first; nothing where nothing is."""
    if not rows:
        return
    worth = [row for row in rows if row["usd_per_month"]]
    if not worth:
        yield tag(
            "p",
            "No single input is worth measuring first: knowing it would make no other choice clearly cheaper.",
        )
        return
    yield table(
        "What each input that is not known is worth knowing",
        [
            ("input", False),
            ("worth [USD per month]", True),
            ("what to do first", False),
        ],
        [
            [
                sentence_of(row["about"]),
                show.usd(row["usd_per_month"]),
                row["text"],
            ]
            for row in worth
        ],
    )


def _flip(bar: Mapping[str, Any]) -> str:
    """Say from where on another option is the best; empty where that was not found."""
    if not bar["flip"]:
        return ""
    cost, time_us = bar["usd_per_month_flip"], bar["io_time_us_flip"]
    said = [
        *([] if time_us is None else [f"{TIME.said(time_us)} per access"]),
        *([] if cost is None else [f"{show.usd(cost)} USD per month"]),
    ]
    at = f", at {' and '.join(said)}" if said else ""
    return sentence_of(f"another choice if {bar['flip']}{at}")


def _measure(document: Document, bars: Sequence[Document]) -> Measure:
    """Return what the options were told apart by; money where an answer was kept before bars had times."""
    by_time = document["objective"] == "io_time"
    return TIME if by_time and any(TIME.ends(bar) for bar in bars) else MONEY


def _end(bar: Mapping[str, Any], end: str, measure: Measure) -> list[str]:
    name, value = bar[f"best_{end}"], bar[f"{measure.key}_{end}"]
    cost = bar[f"usd_per_month_{end}"] if measure is TIME else None
    priced = "" if cost is None else f", at {show.usd(cost)} USD per month"
    return [
        _lines(
            [
                sentence_of(f"if {bar[end]}"),
                sentence_of(f"best: {name}{priced}")
                if name
                else "No option keeps every limit.",
            ]
        ),
        show.NOTHING if value is None else measure.write(value),
    ]


def tornado_sentence(
    bars: Sequence[Document],
    measure: Measure,
    own: str | None = None,
    about: str = "",
) -> str:
    """Say how far what is not known moves the cost or the time, and whether the choice changes.

    Parameters
    ----------
    bars : sequence of mapping
        At least one.
    measure : Measure
        What the best options differ in.
    own : str or None
        The recommendation with its page flow, as bars name what is the best at an end; None where nobody knows.
    about : str
        How many inputs were drawn, and how many of them have a bar; empty where none was drawn.
    """
    changing = sum(bool(bar["changes"]) for bar in bars)
    values = [value for bar in bars for value in measure.ends(bar)]
    inputs = counted(len(bars), "input was", "inputs were")
    said = about or f"{inputs} evaluated at both ends, the others as stated."
    if values:
        its = "its" if len(bars) == 1 else "their"
        least, most = measure.write(min(values)), measure.write(max(values))
        said += (
            f" At every end the best option {measure.does} {least}{measure.unit}."
            if least == most
            else f" At {its} ends the best option {measure.does} from {least} to {most}{measure.unit}."
        )
    if not changing:
        return f"{said} {_unchanged(bars, own)}"
    return f"{said} {counted(changing, 'input changes', 'inputs change')} the choice at one end or both."


def _unchanged(bars: Sequence[Document], own: str | None) -> str:
    """Say what bars at whose ends the kind of choice stays the same show of sizes, and of what is between their ends."""
    inside = sum(bool(bar.get("flip")) for bar in bars)
    names = {bar.get(key) for bar in bars for key in ("best_low", "best_high")}
    same = (
        "The choice stays the same at every end"
        if own is None or names <= {own, None}
        else "At every end something of the same kind is the best, or within 1 % of it, but not everywhere the same"
    )
    if not inside:
        return f"{same}."
    changes = counted(inside, "input changes", "inputs change")
    return f"{same}; between the ends {changes} it."


def checks(document: Document) -> Iterator[Markup]:
    """Return the model beside the replay."""
    rows = document["checked"]
    if not rows:
        yield tag("p", _unlisted(document))
        yield from _caches(document["flash_caches"] or ())
        return
    beyond = sum(bool(row["is_beyond_band"]) for row in rows)
    replayed = sum(row["simulated"] is not None for row in rows)
    compared = sum(row["gap"] is not None for row in rows)
    said = f"{counted(replayed, 'option was', 'options were')} replayed in the reference simulator. "
    if not replayed:
        said = "No option could be replayed."
    elif not compared:
        said += "Of none does the replay show a time to compare with the model."
    elif not beyond:
        said += "The model agrees with every replay within its known error."
    else:
        said += f"{counted(beyond, 'replay differs', 'replays differ')} from the model by more than its known error."
    yield tag("p", said)
    yield from _replays_beside([row for row in rows if row["simulated"] is not None])
    # What was not replayed has no row of dashes, but a reason, which holds of several.
    yield from _not_replayed(
        (named(row["option"]), row["reason"] or "")
        for row in rows
        if row["simulated"] is None
    )
    yield from _caches(document["flash_caches"])
    best = document["recommendation"]
    if best is not None and best["options"]:
        yield tag("p", f"{run_so(best['scheme'], best['options'])}.")
    yield from _notes_of_replays(rows, document["flash_caches"])


def _replays_beside(rows: Sequence[Document]) -> Iterator[Markup]:
    """Return the model beside the replay, of what was replayed."""
    if not rows:
        return
    # Where nothing that is bought is worn, there is nothing to show.
    is_worn = any(row["flash_life_years"] is not None for row in rows)
    yield table(
        "I/O time per access by the model and by the replay",
        [
            ("option", False),
            ("model", True),
            ("replay", True),
            ("gap", True),
            *([("life of flash by the replay", True)] if is_worn else []),
            ("verdict", False),
        ],
        [
            [
                named(row["option"]),
                show.time(row["model"]),
                show.time(row["simulated"]),
                show.NOTHING if row["gap"] is None else f"{row['gap']:+.1%}",
                *([show.years(row["flash_life_years"])] if is_worn else []),
                _verdict(row),
            ]
            for row in rows
        ],
    )


def _not_replayed(said: Iterable[tuple[str, str]], on: str = "") -> Iterator[Markup]:
    """Say why some were not replayed, each reason once with those of which it holds."""
    groups = by_reason(said)
    if groups:
        yield tag("p", f"Not replayed{on}:")
        yield tag(
            "ul",
            joined(
                tag("li", f"{listed(names)}: {sentence_of(reason or 'not replayed')}")
                for reason, names in groups.items()
            ),
        )


def _unlisted(document: Document) -> str:
    """Say what was replayed where nothing that the model allows was."""
    near = near_misses_replayed(document)
    if near:
        return (
            f"{counted(near, 'option that the model rules out by less than its error was', 'options that the model rules out by less than its error were')} "
            f"replayed in the reference simulator: {'it does not keep' if near == 1 else 'none keeps'} every limit."
        )
    if document["status"] == "checked":
        return "No option keeps every limit by the model, so that flash caches alone were tried by a replay."
    return (
        "No option was replayed: the advice rests on the model alone. A recording that is named beside the profile is replayed for "
        "the recommendation and for what was close."
    )


def _caches(rows: Sequence[Document]) -> Iterator[Markup]:
    """Return the flash caches that were replayed, a table for each hardware."""
    if not rows:
        return
    yield tag(
        "p",
        "Flash caches have no formula: each was replayed on the hardware that is named, with the RAM that its metadata "
        "leave where a figure of them is published, and priced by its operations.",
    )
    for hardware, group in groupby(rows, key=lambda row: row["hardware"]):
        some = tuple(group)
        played = [row for row in some if not row["reason"]]
        if played:
            yield _caches_of(hardware, played)
        on = "" if hardware is None else f" on {hardware}"
        yield from _not_replayed(
            ((row["title"], row["reason"]) for row in some if row["reason"]), on
        )
        for by, said in dict.fromkeys(
            (row["admission_by"], row["assignment"])
            for row in some
            if row["assignment"]
        ):
            # What was saved before other categories were tried does not name them.
            yield tag("p", f"Admission by {by or DEFAULT_KIND}: {said}.")
        broken = [show.limit_words(name) for name in some[0]["page_flow_breaks"]]
        if broken:
            limits = "limit" if len(broken) == 1 else "limits"
            yield tag(
                "p", f"Under page flow it breaks the {limits} of {listed(broken)}."
            )
    for pace in dict.fromkeys(row["pace"] for row in rows if row["pace"]):
        yield tag("p", pace)


def _notes_of_replays(
    checked: Sequence[Document], caches: Sequence[Document]
) -> Iterator[Markup]:
    """Return what replays say of what they counted."""
    said = [
        *((named(row["option"]), one) for row in checked for one in row["warnings"]),
        *(
            (f"{row['title']} on {row['hardware']}", one)
            for row in caches
            for one in row["warnings"]
        ),
    ]
    lines = notes_of_replays(
        (name, one["message"], one["hint"] or "") for name, one in said
    )
    if lines:
        yield tag("p", "What replays say of what they counted:")
        yield tag("ul", joined(tag("li", line) for line in lines))


def _caches_of(hardware: str | None, rows: Sequence[Document]) -> Markup:
    on = "" if hardware is None else f" on {hardware}"
    return table(
        f"Flash caches replayed{on}, the fastest first",
        [
            ("flash cache", False),
            ("I/O time per access", True),
            ("saves of page flow", True),
            ("busy at peak", True),
            ("writes per access", True),
            ("life of flash", True),
            ("RAM for metadata", True),
            ("verdict", False),
        ],
        [
            [
                row["title"],
                show.time(row["io_time_us_per_access"]),
                show.NOTHING if row["saving"] is None else f"{row['saving']:+.1%}",
                show.share(row["peak_busy"]),
                show.number(row["flash_writes_per_access"]),
                show.years(row["flash_life_years"]),
                show.size(row["ram_tax_bytes"]),
                _of_cache(row),
            ]
            for row in rows
        ],
    )


def _of_cache(row: Document) -> str:
    if row["is_chosen"]:
        return "recommended"
    said = [
        f"{what} {listed([show.limit_words(name) for name in names])}"
        for what, names in zip(
            ("breaks", "not known to keep"),
            broken_and_unknown(row["breaks"], row),
            strict=True,
        )
        if names
    ]
    return "; ".join(said) or "keeps every limit"


def _verdict(row: Document) -> str:
    if row["gap"] is None:
        # A document of an earlier version states no reason.
        if row["reason"] and row["model"] is not None:
            return str(row["reason"])
        if row["model"] is not None:
            return FIRST_TOUCHES_ALONE
        return "a flash cache has no formula: the replay stands alone"
    if row["is_beyond_band"]:
        return "beyond the known error"
    return "within the known error"


def rules(document: Document) -> Iterator[Markup]:
    """Return what rules of thumb would have bought."""
    rows = document["rules_of_thumb"]
    if not rows:
        yield tag("p", "No rule of thumb was applied.")
        return
    yield table(
        "What each rule would have bought here, beside the recommendation",
        [
            ("rule", False),
            ("RAM it asks for", True),
            ("flash it asks for", True),
            ("would have bought", False),
            ("costs [USD per month]", True),
            ("more than recommended [USD per month]", True),
            ("slower by", True),
        ],
        [
            [
                row["title"],
                show.size(row["ram_bytes"]),
                show.size(row["flash_bytes"] or None),
                (row["reason"] or "no option")
                if row["option"] is None
                else named(row["option"]),
                show.NOTHING
                if row["option"] is None
                else show.usd(row["option"]["usd_per_month"]),
                show.signed_usd(row["regret_usd_per_month"]),
                show.signed_time(row["regret_io_time_us"]),
            ]
            for row in rows
        ],
    )
