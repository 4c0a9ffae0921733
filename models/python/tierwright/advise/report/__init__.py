"""A report of an advice or a placement that a committee can read: one HTML file, the same as PDF, a workbook, a table, or its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tierwright.advise.report import (
    _answer,
    _basis,
    _evidence,
    _flat,
    _later,
    _limit_cost,
    _paper,
    _scenarios,
    _sharing,
    _sharing_workbook,
    committee,
)
from tierwright.advise.report._answer import Document, status_of
from tierwright.advise.report._document import (
    HINT,
    checked,
    checked_placement,
    is_placement,
)
from tierwright.advise.report._markup import Markup, joined, tag
from tierwright.advise.report._options import csv_of, options_csv
from tierwright.advise.report._pdf import pdf_of
from tierwright.advise.report._style import STYLE
from tierwright.advise.report._workbook import workbook_of
from tierwright.advise.report.committee import SentBack
from tierwright.common.documents import parse_json, read_bytes, text_of
from tierwright.common.errors import BadInput

FORMS: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8; header=present",
    "json": "application/json",
}
"""Forms of a report by the ending of their file, with their media type."""
WITH_TITLE = ("html", "pdf", "xlsx")
"""Forms that have a heading."""
MOST_BYTES = 16 * 2**20
"""Largest file of an advice: an advice has about 400 kB."""
TITLE = "What to buy, and why"
Section = tuple[str, str, Callable[[Document], Iterator[Markup]]]
"""Name, heading, and what makes it."""
_SECTIONS: tuple[Section, ...] = (
    ("question", "Question", _answer.question),
    ("need", "Need, and what doing nothing costs", _paper.need),
    ("answer", "Answer", _answer.answer),
    ("options", "Options compared", _paper.options),
    ("bill", "Bill of materials", _answer.bill),
    ("life", "Cost over the horizon", _paper.life),
    ("figures", "Expected figures", _answer.figures),
    ("close", "What else was close", _evidence.close),
    ("limit-cost", _limit_cost.TITLE, _limit_cost.limit_cost),
    ("flat", "How flat it is", _flat.flat),
    ("why-not", "Why not", _evidence.why_not),
    ("sure", "How sure", _evidence.sure),
    ("scenarios", "Scenarios and regret", _scenarios.scenarios),
    ("switching", "Switching values", _paper.switching),
    ("checked", "Checked", _evidence.checks),
    ("when", "When it changes", _later.later),
    ("rules", "Rules of thumb", _evidence.rules),
    ("quotes", "Quotes", _paper.quotes),
    ("assumptions", "Assumptions and cautions", _basis.assumptions),
    ("sources", "Prices and uplifts: sources and dates", _paper.sources),
    ("limits", "Limits", _basis.limits),
    ("approval", "Approval", _paper.approval),
    ("reproduce", "How to reproduce it", _paper.reproduce),
    ("appendix", "Appendix", _basis.appendix),
)

_OF_PLACEMENT: tuple[Section, ...] = (
    ("question", "Question", _sharing.question),
    ("answer", "Answer", _sharing.answer),
    ("systems", "Systems and their bills", _sharing.systems),
    ("held", "Who holds what", _sharing.held),
    ("figures", "Expected figures", _sharing.figures),
    ("ways", "Other ways to share", _sharing.ways),
    ("assumptions", "Assumptions and cautions", _basis.assumptions),
    ("limits", "Limits", _basis.limits),
    ("appendix", "Appendix", _sharing.appendix),
)


def title_of(document: Mapping[str, Any]) -> str:
    """Return the heading of a report where nobody states one."""
    return _sharing.TITLE if is_placement(document) else TITLE


def identity_of(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return of what a report is, `advice` or `placement`, and its id."""
    what = "placement" if is_placement(document) else "advice"
    return what, str(document[f"{what}_id"])


def read(path: Path) -> dict[str, Any]:
    """Return the advice or placement of a file that `tierwright advise --json` or `tierwright place --json` wrote, as plain data.

    Parameters
    ----------
    path : Path
        At most `MOST_BYTES`.

    Raises
    ------
    BadInput
        If it cannot be read, is too large, is not JSON, or is neither.
    """
    text = text_of(read_bytes(path, MOST_BYTES), str(path), MOST_BYTES)
    document = parse_json(text, str(path), HINT)
    _checked(document, str(path))
    found: dict[str, Any] = document
    return found


def _checked(document: object, place: str | None = None) -> dict[str, Any]:
    """Check an advice, or a placement."""
    if is_placement(document):
        return checked_placement(document, place or "placement")
    return checked(document, place or "advice")


def html(document: Mapping[str, Any], *, title: str | None = None) -> str:
    """Return a report as one HTML document: no script, no network, charts inside as SVG.

    Parameters
    ----------
    document : mapping
        Plain data of an advice or a placement: `to_dict(derivation=True)` of it, or what `read` returns.
    title : str, optional
        Its heading.

    Raises
    ------
    BadInput
        If it is neither.
    """
    found = _checked(document)
    title = title or title_of(document)
    what, identifier = identity_of(found)
    identity = f"{what.capitalize()} {identifier}"
    if what == "placement":
        sections, under, summary = _OF_PLACEMENT, identity, _sharing.summary(found)
        decided = found["finding"]
    else:
        under = ": ".join(filter(None, (identity, status_of(found))))
        sections = _SECTIONS
        parts = (*_answer.in_brief(found), *_answer.flags(found))
        summary = Markup(f"{_answer.summary(found)}{joined(parts)}")
        decided = _answer.decided(found)
    links = tag(
        "ol",
        joined(
            tag("li", tag("a", heading, href=f"#{name}"))
            for name, heading, _ in sections
        ),
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag(
        "body",
        tag(
            "header",
            tag("h1", title),
            tag("p", under, class_="dim"),
            tag("p", decided, class_="lead"),
            summary,
            tag("nav", links, aria_label="Contents"),
        ),
        tag("main", joined(_section(found, *each) for each in sections)),
        tag(
            "footer",
            tag(
                "p",
                f"Tierwright {found['versions'].get('tierwright', '')}, {what} {identifier}",
            ),
        ),
    )
    page = tag("html", head, body, lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _section(
    found: Document,
    name: str,
    heading: str,
    parts: Callable[[Document], Iterator[Markup]],
) -> Markup:
    return tag(
        "section",
        tag("h2", heading, id=name),
        joined(parts(found)),
        aria_labelledby=name,
    )


def pdf(document: Mapping[str, Any], *, title: str | None = None) -> bytes:
    """Return a report as tagged PDF on A4, fonts and charts inside; the same advice gives the same bytes.

    Parameters
    ----------
    document : mapping
        As of `html`.
    title : str
        Its heading.

    Raises
    ------
    BadInput
        If it is not an advice, or the package `typst` is not installed.
    """
    version = _checked(document)["versions"].get("tierwright", "")
    return pdf_of(html(document, title=title), author=f"Tierwright {version}".strip())


def workbook(document: Mapping[str, Any], *, title: str | None = None) -> bytes:
    """Return a report as a workbook (.xlsx) whose bill is computed by live formulas; the same advice gives the same bytes.

    Parameters
    ----------
    document : mapping
        As of `html`.
    title : str
        Its heading.

    Raises
    ------
    BadInput
        If it is not an advice, or the package `XlsxWriter` is not installed.
    """
    found, title = _checked(document), title or title_of(document)
    if is_placement(document):
        return _sharing_workbook.workbook_of(found, title=title)
    return workbook_of(found, title=title)


def sent_back(
    document: Mapping[str, Any], *, day: str, uplift_source: str = ""
) -> tuple[SentBack, ...]:
    """Name what a committee would send an advice back for; nothing where it would not.

    Parameters
    ----------
    document : mapping
        As of `html`.
    day : str
        Day of the decision, YYYY-MM-DD: prices must not be much older.
    uplift_source : str
        Who states the growth and the busiest hour; empty where nobody does.

    Raises
    ------
    BadInput
        If it is not an advice, or the day is not one.
    """
    given = with_statements(document, Statements(uplift_source=uplift_source))
    found = checked(given, "advice")
    return tuple(committee.sent_back(found, given, day))


def without_validity(document: Mapping[str, Any]) -> list[str]:
    """Return the ids of the recommended quotes whose files do not state until when they hold.

    Parameters
    ----------
    document : mapping
        As of `html`.

    Raises
    ------
    BadInput
        If it is not an advice.
    """
    return committee.without_validity(checked(document, "advice"))


@dataclass(frozen=True, slots=True)
class Statements:
    """What those who write the paper state beside the advice; empty where they do not.

    Attributes
    ----------
    need : str
        Why something is to be bought, in the words of the business.
    uplift_source : str
        Who states the growth and the busiest hour, and when.
    today_cost : str
        Where the stated cost of doing nothing is from; begins with its day, `2026-09-30, invoices of September`.
    holds : mapping of str to str
        Why an assumption that could change the choice holds, by its code.
    validity : mapping of str to str
        Until when a quote holds that does not state it, by its id; begins with the day, `2026-12-31, mail of ACME`.
    """

    need: str = ""
    uplift_source: str = ""
    today_cost: str = ""
    holds: Mapping[str, str] = field(default_factory=dict)
    validity: Mapping[str, str] = field(default_factory=dict)


def with_statements(
    document: Mapping[str, Any], statements: Statements
) -> dict[str, Any]:
    """Return an advice with statements, beside those that it has; those that are empty change nothing.

    Parameters
    ----------
    document : mapping
        As of `html`.
    statements : Statements

    Raises
    ------
    BadInput
        If it is not an advice.
    """
    checked(document, "advice")
    kept = dict(document.get("statements") or {})
    texts = {
        name: text
        for name in ("need", "uplift_source", "today_cost")
        if (text := getattr(statements, name).strip())
    }
    for name in ("holds", "validity"):
        stated = {**(kept.get(name) or {}), **getattr(statements, name)}
        if stated:
            kept[name] = stated
    found = {**kept, **texts}
    return {**document, "statements": found} if found else dict(document)


def csv(document: Mapping[str, Any]) -> str:
    """Return the options of an advice, or the systems of a placement, as a table of CSV, units in its headings.

    Parameters
    ----------
    document : mapping
        As of `html`.

    Raises
    ------
    BadInput
        If it is not an advice.
    """
    found = _checked(document)
    if is_placement(document):
        return csv_of(*_sharing.options_table(found))
    return options_csv(found)


def plain_json(document: Mapping[str, Any]) -> str:
    """Return an advice or a placement as JSON, all its keys kept, one a line.

    Parameters
    ----------
    document : mapping
        As of `html`.

    Raises
    ------
    BadInput
        If it is not an advice, or holds a number that JSON lacks.
    """
    _checked(document)
    try:
        text = json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False)
    except ValueError as error:
        what = identity_of(document)[0]
        raise BadInput(f"{what}: holds a number that is not finite", HINT) from error
    return f"{text}\n"


def made(document: Mapping[str, Any], form: str, *, title: str | None = None) -> bytes:
    """Return a report in one of `FORMS`, as the bytes of its file.

    Parameters
    ----------
    document : mapping
        As of `html`.
    form : str
        Of `FORMS`.
    title : str
        Its heading, in those of `WITH_TITLE`.

    Raises
    ------
    BadInput
        If it is not an advice, or a package that the form needs is not installed.
    """
    if form == "pdf":
        return pdf(document, title=title)
    if form == "xlsx":
        return workbook(document, title=title)
    if form == "html":
        text = html(document, title=title)
    else:
        text = csv(document) if form == "csv" else plain_json(document)
    # As bytes: a line of CSV ends in CR LF on every system.
    return text.encode("utf-8")
