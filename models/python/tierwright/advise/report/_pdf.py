"""A report as PDF: the document of the HTML, set by Typst with the fonts that it carries."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from xml.etree import ElementTree as ET

from tierwright.advise.report._style import chart_style
from tierwright.advise.report._template import TEMPLATE
from tierwright.common.errors import BadInput, Defect

Inline = str | dict[str, "str | list[Inline]"]
"""Text, or a part of it that is strong or a link."""
Node = dict[str, object]
_SVG = "{http://www.w3.org/2000/svg}"
_SPACE = re.compile(r"[ \t\n\r\f]+")
_LONGEST_WORD = 20
"""Characters after which a line may break inside a word: ids and addresses have no space."""
_WORD = re.compile(rf"[^\s\u200b]{{{_LONGEST_WORD + 1},}}")
_JOINTS = re.compile(r"(?<=[-/_:.@,=])(?=[^-/_:.@,=])")
_BREAK = "\N{ZERO WIDTH SPACE}"
_ROW_ON_ONE_PAGE = 1200
"""Characters up to which a row is not split over pages."""
_TABLE_ON_ONE_PAGE = (14, 2000)
"""Rows and characters up to which a table is not."""
_LETTER_EM = 0.52
"""Width of a digit or a letter with what surrounds it. [em]"""
_WIDEST_EM = 10.0
"""Widest column of numbers. [em]"""
_FIXED_EM = 40.0
"""Room of all columns of fixed width of a table; the others have at least 20 em. [em]"""
_SHORT_TEXT = 12
"""Characters up to which a column of texts has a fixed width."""
_LONG_TEXT = 80
"""Characters from which a column of texts is no wider."""
_HEADING = 14
"""Characters of a line of a heading."""


def pdf_of(page: str, *, author: str) -> bytes:
    """Set the page of a report as tagged PDF/UA on A4; the same page gives the same bytes.

    Parameters
    ----------
    page : str
        What `report.html` returns. No text of it becomes a command: it reaches the template as data.
    author : str
        Of the metadata.

    Raises
    ------
    BadInput
        If the package `typst` is not installed, or it takes more than two minutes.
    Defect
        If Typst refuses the document.

    Notes
    -----
    In a process of its own, which ends with the file: Typst keeps what it has set in memory, some 300 MB after ten reports.
    """
    if find_spec("typst") is None:
        raise BadInput(
            "a report as PDF needs the package typst, which is not installed",
            "install tierwright[report], or write the report as .html",
        )
    given = {"template": TEMPLATE, "document": json.dumps(_document(page, author))}
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-c", _SETTER],
            input=json.dumps(given).encode("ascii"),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BadInput(
            f"the report as PDF took more than {_TIMEOUT_S} s and was stopped",
            "write the report as .html",
        ) from None
    if ended.returncode != 0:
        raise Defect(
            f"the report could not be set as PDF: exit code {ended.returncode}",
            ended.stderr.decode("utf-8", "replace"),
        )
    return ended.stdout


_TIMEOUT_S = 120
_SETTER = """
import json, sys, typst
given = json.load(sys.stdin)
sys.stdout.buffer.write(typst.compile(given["template"].encode(), ignore_system_fonts=True, format="pdf",
    sys_inputs={"document": given["document"]}, pdf_standards=["ua-1"], timestamp=0))
"""
"""Program of the process: it needs Typst and nothing of Tierwright."""


def _document(page: str, author: str) -> Node:
    """Return what the template sets."""
    root = ET.fromstring(page.partition("\n")[2])
    header, main, footer = (_found(root, f"body/{name}") for name in _PARTS)
    return {
        "title": _words(_found(header, "h1")),
        "author": author,
        "footer": _words(footer),
        "header": list(_blocks(header)),
        "main": list(_blocks(main)),
    }


_PARTS = ("header", "main", "footer")


def _found(element: ET.Element, path: str) -> ET.Element:
    found = element.find(path)
    assert found is not None
    return found


def _words(element: ET.Element) -> str:
    return _broken(_SPACE.sub(" ", "".join(element.itertext())).strip())


def _broken(text: str) -> str:
    """Let lines break inside words that are too long for a line: at their joints, else anywhere."""
    return _WORD.sub(lambda found: _BREAK.join(_pieces(found[0])), text)


def _pieces(word: str) -> Iterator[str]:
    for part in _JOINTS.split(word):
        for at in range(0, len(part), _LONGEST_WORD):
            yield part[at : at + _LONGEST_WORD]


def _blocks(element: ET.Element) -> Iterator[Node]:
    for child in element:
        yield from _BLOCKS[child.tag](child)


def _inline(element: ET.Element) -> list[Inline]:
    """Return the text of an element with what is strong and what is a link."""
    parts: list[Inline] = [_spaced(element.text)]
    for child in element:
        if child.tag == "a":
            target = child.get("href", "").removeprefix("#")
            parts.append({"link": target, "children": _inline(child)})
        else:
            assert child.tag == "strong", child.tag
            parts.append({"strong": "", "children": _inline(child)})
        parts.append(_spaced(child.tail))
    return [each for each in parts if each]


def _spaced(text: str | None) -> str:
    return _broken(_SPACE.sub(" ", text or ""))


def _lines(element: ET.Element) -> list[list[Inline]]:
    """Return the lines of a cell: its own text, or one for each division in it."""
    inner = element.findall("div")
    return [_inline(each) for each in inner] if inner else [_inline(element)]


def _nothing(_: ET.Element) -> Iterator[Node]:
    """Leave out what the PDF has another way: the title, the contents."""
    yield from ()


def _heading(element: ET.Element) -> Iterator[Node]:
    yield {
        "kind": "heading",
        "level": int(element.tag[1]) - 1,
        "name": element.get("id"),
        "children": _inline(element),
    }


def _paragraph(element: ET.Element) -> Iterator[Node]:
    yield {
        "kind": "paragraph",
        "class": element.get("class"),
        "children": _inline(element),
    }


def _list(element: ET.Element) -> Iterator[Node]:
    yield {
        "kind": "list",
        "ordered": element.tag == "ol",
        "class": element.get("class"),
        "items": [_inline(each) for each in element],
    }


def _facts(element: ET.Element) -> Iterator[Node]:
    names, values = list(element.iter("dt")), list(element.iter("dd"))
    yield {
        "kind": "key" if element.get("class") == "key" else "facts",
        "pairs": [
            [_inline(name), _inline(value)]
            for name, value in zip(names, values, strict=True)
        ],
    }


def _division(element: ET.Element) -> Iterator[Node]:
    if element.get("class") == "alert":
        yield {"kind": "alert", "children": list(_blocks(element))}
        return
    yield from _blocks(element)


def _figure(element: ET.Element) -> Iterator[Node]:
    chart = _found(element, f"div/{_SVG}svg")
    title = _words(_found(chart, f"{_SVG}title"))
    description = _words(_found(chart, f"{_SVG}desc"))
    for each in chart.iter():
        each.tag = each.tag.removeprefix(_SVG)
    chart.set("xmlns", _SVG.strip("{}"))
    style = ET.Element("style")
    style.text = chart_style()
    chart.insert(0, style)
    yield {
        "kind": "figure",
        "svg": ET.tostring(chart, encoding="unicode"),
        "alt": f"{title}. {description}",
        "caption": _inline(_found(element, "figcaption")),
    }


def _table(element: ET.Element) -> Iterator[Node]:
    head, *rows = ([_lines(cell) for cell in row] for row in element.iter("tr"))
    foot = rows.pop() if element.find("tfoot") is not None else None
    headings = list(_found(element, "thead/tr"))
    numbers = [each.get("class") == "number" for each in headings]
    lengths = [
        [[len(_text(line)) for line in cell] for cell in row]
        for row in (*rows, *([] if foot is None else [foot]))
    ]
    in_rows = [sum(sum(cell) for cell in row) for row in lengths]
    most_rows, most_letters = _TABLE_ON_ONE_PAGE
    yield {
        "kind": "table",
        "caption": _inline(_found(element, "caption")),
        "numbers": numbers,
        "widths": _widths([_words(each) for each in headings], numbers, lengths),
        "head": head,
        "rows": rows,
        "foot": foot,
        "splits": [each > _ROW_ON_ONE_PAGE for each in in_rows[: len(rows)]],
        "whole": len(rows) <= most_rows and sum(in_rows) <= most_letters,
    }


def _text(parts: Sequence[Inline]) -> str:
    return "".join(
        each if isinstance(each, str) else _text(each["children"]) for each in parts
    )


def _widths(
    headings: Sequence[str],
    numbers: Sequence[bool],
    lengths: Sequence[Sequence[Sequence[int]]],
) -> list[str]:
    """Give columns of numbers and of short texts what they need, and share what is left among the others.

    Parameters
    ----------
    headings : sequence of str
    numbers : sequence of bool
        Whether a column holds numbers.
    lengths : nested sequences of int
        Length of each line of each cell, by row and column.

    Returns
    -------
    list of str
        `em` behind a width, `fr` behind a share.
    """
    columns = [
        [line for row in lengths for line in row[at]] for at in range(len(headings))
    ]
    words = [max(map(len, heading.split()), default=0) for heading in headings]
    needed = [max([word, *lines]) for word, lines in zip(words, columns, strict=True)]
    found = []
    for heading, is_number, lines, most in zip(
        headings, numbers, columns, needed, strict=True
    ):
        if is_number or most <= _SHORT_TEXT:
            # A heading takes two lines rather than a line for each word.
            letters = max(most, min(len(heading) // 2 + 2, _HEADING))
            found.append(f"{min(_LETTER_EM * letters + 0.9, _WIDEST_EM):.2f}em")
        else:
            usual = sum(lines) / max(len(lines), 1)
            found.append(
                f"{max(min(usual, _LONG_TEXT) ** 0.7, min(most, _SHORT_TEXT)):.2f}fr"
            )
    if _fixed(found) > _FIXED_EM:
        # Short columns keep their width: as a share beside long ones they would be narrower than a word.
        found = [
            width
            if most <= _SHORT_TEXT
            else f"{max(min(most, _LONG_TEXT), 4) ** 0.7:.2f}fr"
            for width, most in zip(found, needed, strict=True)
        ]
    if _fixed(found) > _FIXED_EM:
        return [f"{max(min(most, _LONG_TEXT), 4)}fr" for most in needed]
    # A table is as wide as the page.
    if all(each.endswith("em") for each in found):
        found[0] = "1fr"
    return found


def _fixed(widths: Sequence[str]) -> float:
    """Return what columns of fixed width take in all. [em]"""
    return sum(float(each[:-2]) for each in widths if each.endswith("em"))


_BLOCKS: dict[str, Callable[[ET.Element], Iterator[Node]]] = {
    "h1": _nothing,
    "nav": _nothing,
    "h2": _heading,
    "h3": _heading,
    "p": _paragraph,
    "ul": _list,
    "ol": _list,
    "dl": _facts,
    "div": _division,
    "section": _blocks,
    "figure": _figure,
    "table": _table,
}
