"""The section of a report about the neighbourhood of the recommendation: other sizes, and the next dollar."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document
from tierwright.advise.report._markup import Markup, table, tag

_SIZES = {
    "ram_bytes": "RAM",
    "flash_bytes": "flash cache",
    "machines": "machines",
    "disks": "devices that hold the data",
}


def flat(document: Document) -> Iterator[Markup]:
    """Return how far each size may be changed, and what more money buys."""
    sizes, dollars = document["flat"], document["next_dollar"]
    any_size = document.get("continuous")
    if not sizes and dollars is None and any_size is None:
        yield tag("p", "No neighbours of the recommendation were evaluated.")
        return
    if sizes:
        yield table(
            "The best option of the same kind and page flow with at least a tenth less or more of a size, all others chosen "
            "again",
            [
                ("size", False),
                ("recommended", True),
                ("within 5 % of the best", True),
                ("at least a tenth less: size", True),
                ("costs more [USD per month]", True),
                ("slower by", True),
                ("at least a tenth more: size", True),
                ("costs more [USD per month]", True),
                ("slower by", True),
            ],
            [
                [
                    _SIZES.get(one["size"], one["size"]),
                    _shown(one["size"], one["value"]),
                    _range(one),
                    *_neighbour(one["size"], one["less"]),
                    *_neighbour(one["size"], one["more"]),
                ]
                for one in sizes
            ],
        )
    if any_size is not None:
        yield tag("h3", "If RAM and devices were sold in any size")
        yield tag("p", any_size["text"])
    if dollars is not None:
        yield tag("h3", "The next dollar")
        yield tag("p", dollars["text"])
        if dollars["steps"]:
            yield table(
                "What more money buys, each step the most time for its money",
                [
                    ("option", False),
                    ("costs more [USD per month]", True),
                    ("saves of I/O time per access", True),
                    ("rate [USD per month and µs]", True),
                ],
                [
                    [
                        one["name"],
                        show.signed_usd(one["usd_per_month_more"]),
                        show.time(one["io_time_us_saved"]),
                        show.usd_per(one["usd_per_month_per_us"]),
                    ]
                    for one in dollars["steps"]
                ],
            )


def _shown(size: str, value: float) -> str:
    return show.size(value) if size.endswith("_bytes") else show.number(value)


def _range(one: Document) -> str:
    low, high = (_shown(one["size"], one[end]) for end in ("low", "high"))
    return low if low == high else f"{low} to {high}"


def _neighbour(size: str, other: Document | None) -> list[str]:
    if other is None:
        return ["no option", show.NOTHING, show.NOTHING]
    return [
        _shown(size, other["value"]),
        show.signed_usd(other["usd_per_month_more"]),
        show.signed_time(other["io_time_us_more"]),
    ]
