"""Sizes of caches on the command line: pages, or bytes where a unit is written.

``--ram-pages 5400`` means pages, ``--ram-pages 64MiB`` as many whole pages as fit in 64 MiB at the
page size of the workload, which is looked up only where somebody writes a unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.common.errors import BadInput
from tierwright.common.units import Bytes, format_bytes, pages_of, parse_bytes

if TYPE_CHECKING:
    from tierwright.trace.reading import Trace

PageBytes = Callable[[], int]
"""Tells the page size of a workload when it is asked. [bytes]"""

MOST_PAGES = 2**32 - 1
"""Pages are numbered with 32 bits."""
_MOST_SHOWN = 40
_HINT = "write pages (5400), or bytes with a unit (64MiB, 1.6GB)"


@dataclass(frozen=True, slots=True)
class Size:
    """A size as it was written.

    Attributes
    ----------
    option : str
        Where it was written.
    text : str
        What was written.
    pages : float or None
        The size, where it was written without a unit; may be negative, which the models refuse.
        [pages]
    size_bytes : Bytes or None
        The size, where it was written with a unit. [bytes]
    """

    option: str
    text: str
    pages: float | None = None
    size_bytes: Bytes | None = None

    def at(self, page_bytes: PageBytes) -> int:
        """Return whole pages: as written, or as many as fit. [pages]

        Raises
        ------
        BadInput
            If pages were written as a fraction, or bytes are less than a page.
        """
        found = self.fraction_at(page_bytes)
        if found != int(found):
            raise self._refused("is not a whole number of pages")
        return int(found)

    def fraction_at(self, page_bytes: PageBytes) -> float:
        """Return the size where a fraction of a page may be written. [pages]

        Raises
        ------
        BadInput
            If bytes are less than a page.
        """
        if self.size_bytes is None:
            return 0.0 if self.pages is None else self.pages
        page = page_bytes()
        found = pages_of(self.size_bytes, page)
        if found == 0 < self.size_bytes:
            raise BadInput(
                f"{self.option}: `{self.text}` is less than a page of {format_bytes(page)}",
                "write a larger size, or pages",
            )
        return found

    def _refused(self, what: str) -> BadInput:
        return BadInput(f"{self.option}: `{self.text}` {what}", _HINT)


def parse_size(text: str, option: str) -> Size:
    """Read pages, or bytes with a unit.

    Parameters
    ----------
    text : str
        Such as ``5400`` or ``64MiB``.
    option : str
        Where it was written.

    Raises
    ------
    BadInput
        If it is neither.
    """
    bare = text.strip()
    if len(bare) > _MOST_SHOWN:
        raise BadInput(f"{option}: `{bare[:_MOST_SHOWN]}...` is not a size", _HINT)
    try:
        pages = int(bare) if bare.lstrip("+-").isdecimal() else float(bare)
    except (ValueError, OverflowError):
        pages = math.nan
    if math.isfinite(pages):
        return Size(option, bare, pages=pages)
    try:
        return Size(option, bare, size_bytes=parse_bytes(bare))
    except BadInput as error:
        raise BadInput(f"{option}: {error.message}", _HINT) from error


def parse_sizes(text: str | None, option: str, least: int) -> list[Size]:
    """Read sizes that are separated by commas; none where there is no text.

    Parameters
    ----------
    text : str or None
        Such as ``1000,64MiB``.
    option : str
        Where it was written.
    least : int
        Fewest pages that are allowed. [pages]

    Raises
    ------
    BadInput
        If one is not a size, or no whole number of pages from `least` to `MOST_PAGES`.
    """
    found = []
    for part in [] if text is None else text.split(","):
        try:
            size = parse_size(part, option)
        except BadInput:
            size = Size(option, part, pages=math.nan)
        if not _fits(size, least):
            raise BadInput(
                f"{option}: `{part[:_MOST_SHOWN]}` is not a whole number of pages from "
                f"{least} to {MOST_PAGES}, nor a size in bytes",
                f"separate sizes by commas: {option} 1000,64MiB",
            )
        found.append(size)
    return found


def _fits(size: Size, least: int) -> bool:
    if size.size_bytes is not None:
        return least == 0 or size.size_bytes > 0
    pages = math.nan if size.pages is None else size.pages
    return least <= pages <= MOST_PAGES and pages == int(pages)


def page_bytes_of(trace: Trace) -> PageBytes:
    """Return what tells the page size of a trace: its head is read when it is asked."""

    @cache
    def ask() -> int:
        from tierwright.trace import reading

        return int(reading.preview(trace, rows=1)["page_bytes"])

    return ask


def size_option(name: str, metavar: str, help_: str) -> Any:
    """Return an option that takes pages, or bytes with a unit."""
    return typer.Option(
        name,
        metavar=metavar,
        help=f"{help_} [pages, or bytes as 64MiB]",
        parser=lambda text: parse_size(text, name),
    )


RamPages = Annotated[Size, size_option("--ram-pages", "R", "RAM.")]
FlashPages = Annotated[Size, size_option("--flash-pages", "F", "Flash.")]
BufferPages = Annotated[Size, size_option("--pages", "M", "The whole buffer.")]
