"""The lines of a table of any size, of bounded length."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports.ledger import Skip
from tierwright.hardware.imports.source import Source

_MOST_LINE_CHARACTERS = 2**18
_MOST_ROW_CHARACTERS = 2**20


class Lines:
    """The lines of a source, of bounded length; a row of several lines is bounded too.

    Parameters
    ----------
    source : Source
        At its beginning.
    hint : str
        What to do where a line is too long.
    """

    def __init__(self, source: Source, hint: str) -> None:
        self._place = source.place
        self._hint = hint
        self._lines = io.TextIOWrapper(
            io.BufferedReader(source, 2**16), encoding="utf-8-sig", newline=""
        )
        self.of_row = 0
        """Characters of the row so far; whoever reads rows sets it to 0 before each."""

    def __iter__(self) -> Iterator[str]:
        """Yield the lines."""
        while True:
            try:
                line = self._lines.readline(_MOST_LINE_CHARACTERS + 1)
            except UnicodeDecodeError as error:
                raise BadInput(
                    f"{self._place}: is not UTF-8 text: {error.reason}",
                    "save the file as UTF-8",
                ) from error
            if not line:
                return
            self.of_row += len(line)
            if len(line) > _MOST_LINE_CHARACTERS or self.of_row > _MOST_ROW_CHARACTERS:
                raise BadInput(
                    f"{self._place}: a line has more than {_MOST_LINE_CHARACTERS:,} characters, or a row {_MOST_ROW_CHARACTERS:,}",
                    self._hint,
                )
            yield line


def rows_of(
    table: Any, width: int, lines: Lines | None = None
) -> Iterator[tuple[int, list[str] | Skip]]:
    """Yield the rows of a table below its header, each with its line; one of another width is left out.

    Parameters
    ----------
    table : csv.reader
    width : int
        Cells of the header.
    lines : Lines, optional
        Where the table reads them, so that each row is bounded.
    """
    while True:
        if lines is not None:
            lines.of_row = 0
        row = table.line_num + 1
        cells = next(table, None)
        if cells is None:
            return
        if not cells:
            continue
        if len(cells) == width:
            yield row, cells
        else:
            yield (
                row,
                Skip(
                    f"the line has {counted(len(cells), 'cell')}, the header {width:,}"
                ),
            )
