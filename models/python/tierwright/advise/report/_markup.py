"""HTML and SVG whose text is escaped by construction: what is not `Markup` already becomes text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

_VOID = frozenset({"meta", "br", "line", "rect", "circle", "path"})
_REFUSED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)
"""Characters that HTML and XML lack, and those that turn the direction of text around."""


_PER_CENT = re.compile(r"(?<=\d) %")
_SHORT = 14
"""Rows of a table that stays on one page when it is printed."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: str) -> Markup:
    """Return a text as markup: escaped, and what no document may hold replaced."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(plain_text(_PER_CENT.sub("\N{NO-BREAK SPACE}%", value))))


def plain_text(value: str) -> str:
    """Return a text with what no document may hold replaced."""
    return _REFUSED.sub("\N{REPLACEMENT CHARACTER}", value)


def tag(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element; attributes of None are left out.

    Parameters
    ----------
    name : str
        Of the element.
    children : str
        Escaped unless they are `Markup`.
    attributes : str, float or None
        `class_` is `class`; other underscores are hyphens.

    Examples
    --------
    >>> tag("p", "1 < 2", class_="note", data_at=1)
    '<p class="note" data-at="1">1 &lt; 2</p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(_attribute(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{given} />")
    return Markup(f"<{name}{given}>{''.join(text(each) for each in children)}</{name}>")


def _attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def joined(parts: Iterable[str]) -> Markup:
    """Return parts one behind the other."""
    return Markup("\n".join(text(each) for each in parts))


def table(
    caption: str,
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[str]],
    foot: Sequence[str] | None = None,
) -> Markup:
    """Return a table with a caption; the first cell of a row names it.

    Parameters
    ----------
    caption : str
        What it shows.
    columns : sequence of (str, bool)
        Heading with unit, and whether its cells are numbers.
    rows : sequence of sequences of str
        Cells.
    foot : sequence of str, optional
        A row of sums.
    """

    def row(cells: Sequence[str]) -> Markup:
        first, *others = cells
        return tag(
            "tr",
            tag("th", first, scope="row"),
            *(
                tag("td", cell, class_="number" if number else None)
                for cell, (_, number) in zip(others, columns[1:], strict=True)
            ),
        )

    head = tag(
        "tr",
        *(
            tag("th", heading, scope="col", class_="number" if number else None)
            for heading, number in columns
        ),
    )
    parts = [
        tag("caption", caption),
        tag("thead", head),
        tag("tbody", joined(row(cells) for cells in rows)),
    ]
    if foot is not None:
        parts.append(tag("tfoot", row(foot)))
    # A table that is wider than a phone scrolls by itself, by keyboard too.
    short = "short" if len(rows) <= _SHORT else None
    return tag(
        "div",
        tag("table", joined(parts), class_=short),
        class_="wide",
        role="region",
        tabindex="0",
        aria_label=caption,
    )


def facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return names and values."""
    pairs = (joined([tag("dt", name), tag("dd", value)]) for name, value in rows)
    return tag("dl", joined(pairs), class_="plain")
