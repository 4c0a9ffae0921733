"""The section of a report about scenarios: what each choice costs more than the best there."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.advise.advice.unknown_regrets import unknown_regrets
from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document, sentence_of
from tierwright.advise.report._markup import Markup, table, tag
from tierwright.common.wording import listed

_ROLES = {
    "recommended": "recommended",
    "close": "close",
    "today": "today",
    "scenario": "best of a scenario",
}


def scenarios(document: Document) -> Iterator[Markup]:
    """Return what the scenarios are, and the regret of each choice in each."""
    found = document["scenarios"]
    if found is None:
        yield tag("p", "No scenarios were evaluated.")
        return
    yield tag("p", found["text"])
    yield table(
        "Scenarios, and the best of all candidates in each",
        [
            ("scenario", False),
            ("what is different", False),
            ("cost of the best [USD per month]", True),
            ("the best", False),
        ],
        [
            [
                one["title"],
                one["definition"],
                show.usd(one["best_usd_per_month"]),
                one["best"] or "no option keeps every limit",
            ]
            for one in found["columns"]
        ],
    )
    by_time = document["objective"] == "io_time"
    unit = "I/O time" if by_time else "USD per month"
    yield table(
        f"Regret of each choice in each scenario: what it needs more than the best [{unit}]",
        [
            ("choice", False),
            *((one["title"], True) for one in found["columns"]),
            ("scenarios in which it breaks a limit", True),
            ("largest", True),
        ],
        [
            [
                _named(row),
                *(_cell(one, rented=bool(row["is_rented"])) for one in row["regret"]),
                f"{sum(bool(one['breaks']) for one in row['regret'])}",
                show.time(row["most_regret_io_time_us"])
                if by_time
                else show.usd(row["most_regret_usd_per_month"]),
            ]
            for row in found["rows"]
        ],
    )
    yield tag("p", sentence_of(found["basis"]), class_="note")
    reasons = (
        (_named(row), [one["reason"] for one in row["regret"]]) for row in found["rows"]
    )
    for said in unknown_regrets(reasons):
        yield tag("p", sentence_of(said), class_="note")


def _named(row: Document) -> str:
    role = _ROLES.get(row["role"], row["role"])
    # Files of before named no page flow.
    name = row["title"] or row["name"]
    return f"{name} ({role}, robust)" if row["is_robust"] else f"{name} ({role})"


def _cell(one: Document, *, rented: bool) -> str:
    if rented and one["breaks"] and one["regret_usd_per_month"] is not None:
        said = "exchanged"
    elif one["regret_usd_per_month"] is not None:
        said = show.usd(one["regret_usd_per_month"])
        if one["breaks"] and one["regret_usd_per_month"]:
            said = f"at most {said}"
    elif one["regret_io_time_us"] is not None:
        said = show.time(one["regret_io_time_us"])
    else:
        said = show.NOTHING
    if not one["breaks"]:
        return said
    return (
        f"{said}; breaks {listed([show.limit_words(name) for name in one['breaks']])}"
    )
