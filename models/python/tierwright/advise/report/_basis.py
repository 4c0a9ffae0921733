"""The last sections of a report: assumptions, limits, and how every figure comes about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document, sentence_of
from tierwright.advise.report._evidence import rejected_table
from tierwright.advise.report._formulas import SYMBOLS, Formula, formulas
from tierwright.advise.report._markup import Markup, facts, joined, table, tag

_COULD = {True: "yes", False: "no", None: "not known"}


def assumptions(document: Document) -> Iterator[Markup]:
    """Return what the answer rests on, what each could change, and what to do."""
    rows = document["cautions"]
    if not rows:
        yield tag("p", "The answer rests on no assumption besides the limits below.")
        return
    yield table(
        "What the answer rests on, the most important first",
        [
            ("assumption", False),
            ("effect", False),
            ("what to do", False),
            ("could change the choice", False),
        ],
        [
            [
                sentence_of(each["message"]),
                sentence_of(each["effect"] or show.UNKNOWN),
                sentence_of(each["hint"] or "") or show.NOTHING,
                could_change(each),
            ]
            for each in rows
        ],
    )


def could_change(caution: Document) -> str:
    """Say whether a caution could change the choice."""
    return _COULD[caution["could_change_choice"]]


def limits(document: Document) -> Iterator[Markup]:
    """Return within what bounds the answer holds."""
    words = document["validity"]
    if not words:
        yield tag("p", "The advice does not state within what limits it holds.")
        return
    yield tag("p", "The answer holds within these limits:")
    parts = [each.strip() for each in words.split(";") if each.strip()]
    yield tag("ul", joined(tag("li", part[0].upper() + part[1:]) for part in parts))


_VERSIONS = {
    "tierwright": "Tierwright",
    "model": "model of the advisor",
    "price_book": "price book",
    "price_book_date": "date of the price book",
    "seed": "seed",
}


def appendix(document: Document) -> Iterator[Markup]:
    """Return the formulas, the derivation, all rejected options, and what repeats the answer."""
    used = list(formulas(document))
    if used:
        yield formula_table("Formulas that the answer uses", used)
        if document["recommendation"] is not None:
            yield tag("p", SYMBOLS, class_="note")
    yield from derived(document)
    if document["rejected"]:
        yield rejected_table(
            "Every rejected option that the advice lists",
            ([row] for row in document["rejected"]),
        )
    yield from repeats("advice", document["advice_id"], document)


def formula_table(caption: str, used: Sequence[Formula]) -> Markup:
    """Return formulas with what each gives."""
    return table(
        caption,
        [
            ("figure", False),
            ("formula", False),
            ("value of the recommendation", False),
            ("source", False),
        ],
        [[each.figure, each.formula, each.value, each.source] for each in used],
    )


def derived(document: Document) -> Iterator[Markup]:
    """Return the steps of the figures of what is recommended, and the method."""
    if document["derivation"]:
        yield table(
            "How the figures of the recommendation come about",
            [
                ("figure", False),
                ("formula with its numbers", False),
                ("value", True),
                ("source", False),
            ],
            [
                [
                    step["name"],
                    step["formula"],
                    derived_value(step["value"], step["unit"] or ""),
                    step["source"] or show.NOTHING,
                ]
                for step in document["derivation"]
            ],
        )
    if document["estimator"]:
        yield tag("p", f"Method: {document['estimator']}.")


def repeats(what: str, identifier: str, document: Document) -> Iterator[Markup]:
    """Return the id of an answer and the versions that give it again."""
    yield tag("h3", "What repeats this answer")
    versions = [
        (_VERSIONS.get(name, name), value)
        for name, value in document["versions"].items()
    ]
    yield facts([(what, identifier), *versions])


def derived_value(value: float | None, unit: str) -> str:
    """Write the value of a step of a derivation with its unit."""
    if value is None:
        return show.UNKNOWN
    if unit.startswith("USD"):
        return f"{value:,.2f} {unit}"
    return f"{show.number(value)} {unit}".rstrip()
