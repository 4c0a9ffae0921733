"""The section of a report that looks ahead: when another choice is the best, and whether to wait."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document, sentence_of
from tierwright.advise.report._figures import NOTHING
from tierwright.advise.report._markup import Markup, table, tag
from tierwright.common.currency import DOLLARS, unit_price

_KINDS = {
    "dram": "RAM",
    "ssd_enterprise": "flash drives",
    "ssd": "flash drives",
    "hdd": "hard disks",
    "machine": "machines without RAM and drives",
}


def later(document: Document) -> Iterator[Markup]:
    """Return when the answer changes with growth, and whether waiting for other prices pays."""
    found, waiting = document["when"], document["waiting"]
    if found is None:
        yield tag("p", "The data do not grow, so the answer does not change with them.")
    else:
        yield tag("p", found["text"])
        if found["steps"]:
            yield table(
                "When another choice is the best",
                [
                    ("from month", False),
                    ("cost [USD per month]", True),
                    ("page flow", False),
                    ("option", False),
                ],
                [
                    [
                        _since(step["month_before"], step["month"]),
                        show.usd(step["usd_per_month"]),
                        NOTHING if step.get("scheme") is None else show.scheme(step),
                        step["name"] or "no option keeps every limit",
                    ]
                    for step in found["steps"]
                ],
            )
        if found["basis"]:
            yield tag("p", sentence_of(found["basis"]), class_="note")
    if waiting is not None:
        yield tag("h3", "Buy now or wait")
        yield tag("p", waiting["text"])
        if waiting["trends"]:
            yield table(
                "What the purchase consists of, and how its prices moved",
                [
                    ("part", False),
                    ("at purchase [USD]", True),
                    ("first price", True),
                    ("last price", True),
                    ("prices of", False),
                ],
                [
                    [
                        _KINDS.get(each["kind"], each["kind"]),
                        show.usd(each["purchase_usd"]),
                        _per_gb(each["first_usd_per_gb"]),
                        _per_gb(each["last_usd_per_gb"]),
                        show.NOTHING
                        if each["series"] is None
                        else f"{each['series']}, {each['first']} to {each['last']}",
                    ]
                    for each in waiting["trends"]
                ],
            )


def _per_gb(usd: Decimal | None) -> str:
    return show.NOTHING if usd is None else unit_price(usd, "USD/GB", DOLLARS)


def _since(before: float | None, month: float) -> str:
    if before is None or before == month - 1:
        return show.number(month)
    return f"{show.number(before + 1)} to {show.number(month)}"
