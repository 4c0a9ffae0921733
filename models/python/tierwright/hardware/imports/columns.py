"""Tables of other systems by a mapping of their columns: which field each is, and what no column states."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, listed
from tierwright.hardware.imports.ledger import Ledger, Row, Skip, shown
from tierwright.hardware.imports.source import Source

MOST_BYTES = 2**24
"""Largest table that is read whole. [bytes]"""
_SEPARATORS = (",", ";", "\t")
_MOST_TEXT = 1000


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a table are, where they do not have our names.

    Attributes
    ----------
    names : mapping of str to str
        The column of a field, as the first line of the table writes it, ignoring case.
    values : mapping of str to str
        What a field is in every row, where no column states it.
    mark : str
        What messages call the parameter by which they are stated.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    mark: str = "[[import_column]]"

    def __bool__(self) -> bool:
        """Say whether anything is stated."""
        return bool(self.names or self.values)

    def check(self, fields: Sequence[str]) -> None:
        """Refuse what is not a field of the table, or stated twice.

        Raises
        ------
        BadInput
            If it is.
        """
        for name in (*self.names, *self.values):
            if name not in fields:
                raise BadInput(
                    f"{self.mark}: `{shown(name)}` is not a field that is read",
                    f"the fields are {listed(tuple(fields))}",
                )
            if name in self.names and name in self.values:
                raise BadInput(
                    f"{self.mark}: `{name}` is stated as a column and as a value",
                    "state one of them",
                )
        for name, text in (*self.names.items(), *self.values.items()):
            if not text.strip() or len(text) > _MOST_TEXT:
                raise BadInput(
                    f"{self.mark}: `{name}` has no text, or one of more than {_MOST_TEXT:,} letters",
                    "write FIELD=COLUMN",
                )


NO_COLUMNS = Columns()


@dataclass(frozen=True, slots=True)
class Table:
    """Which fields a table of ours has.

    Attributes
    ----------
    fields, required : tuple of str
        That are read; those that every table must have.
    """

    fields: tuple[str, ...]
    required: tuple[str, ...]

    @property
    def hint(self) -> str:
        """What to do where it is not such a table."""
        return (
            f"name the columns in the first line; {listed(self.required)} are required"
        )

    def recognises(self, head: bytes) -> bool:
        """Say whether a file begins with the names of our columns."""
        return (
            self._separator(head.decode("utf-8-sig", "replace"), NO_COLUMNS) is not None
        )

    def rows(
        self, source: Source, ledger: Ledger, columns: Columns = NO_COLUMNS
    ) -> Iterator[tuple[Row, Mapping[str, str] | Skip]]:
        """Yield the fields of each line, or why it cannot be read; rows are counted as lines, so the first is 2.

        Raises
        ------
        BadInput
            If it is too large, not UTF-8 text, not a table, or lacks a required column.
        """
        columns.check(self.fields)
        text = source.text(MOST_BYTES)
        separator = self._separator(text, columns)
        if separator is None:
            lacking = listed([f"`{each}`" for each in self._wanted(columns)])
            raise BadInput(
                f"{source.place}: the first line lacks columns: it must have {lacking}",
                self.hint
                if not columns
                else "name each column as the first line of the file writes it",
            )
        table = csv.reader(
            io.StringIO(text, newline=""), delimiter=separator, strict=True
        )
        try:
            names = self._names(next(table), source.place, columns, ledger)
            yield from _rows(table, names, columns)
        except csv.Error as error:
            raise BadInput(
                f"{source.place}: line {table.line_num}: not a table: {error}",
                "write quotes inside a cell twice, and close every quoted cell",
            ) from error

    def _wanted(self, columns: Columns) -> list[str]:
        """Return the columns that a table must have, as its first line writes them."""
        own = [
            name
            for name in self.required
            if name not in columns.names and name not in columns.values
        ]
        return [*columns.names.values(), *own]

    def _separator(self, text: str, columns: Columns) -> str | None:
        first = text.lstrip("\r\n").partition("\n")[0]
        if text[:1] in ("\r", "\n"):
            return None
        wanted = {_plain(name) for name in self._wanted(columns)}
        for separator in _SEPARATORS:
            names = {_plain(name) for name in _cells(first, separator)}
            if names.issuperset(wanted):
                return separator
        return None

    def _names(
        self, header: list[str], place: str, columns: Columns, ledger: Ledger
    ) -> list[str]:
        """Return the field of each column; empty where it is not read."""
        stated = [_plain(name) for name in header]
        for name in stated:
            if name and stated.count(name) > 1:
                raise BadInput(
                    f"{place}: line 1: the column `{shown(name)}` is named twice",
                    self.hint,
                )
        fields = {_plain(column): name for name, column in columns.names.items()}
        if len(fields) < len(columns.names):
            raise BadInput(
                f"{place}: one column is stated for two fields",
                "state a column for one field alone",
            )
        found = [
            fields.get(name)
            or (
                name
                if name in self.fields
                and name not in columns.names
                and name not in columns.values
                else ""
            )
            for name in stated
        ]
        others = [
            shown(name)
            for name, own in zip(stated, found, strict=True)
            if name and not own
        ]
        if others:
            ledger.warn(
                "columns_not_read",
                f"Columns that are not read: {', '.join(f'`{name}`' for name in others)}.",
                f"the columns that are read are {listed(self.fields)}",
            )
        return found


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _plain(name: str) -> str:
    return name.strip().strip('"').strip().lower()


def _rows(
    table: Iterator[list[str]], names: list[str], columns: Columns
) -> Iterator[tuple[Row, Mapping[str, str] | Skip]]:
    while True:
        line = table.line_num + 1  # type: ignore[attr-defined]
        cells = next(table, None)
        if cells is None:
            return
        if not cells or not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            yield (
                line,
                Skip(
                    f"the line has {counted(len(cells), 'cell')}, the header {len(names)}"
                ),
            )
            continue
        stated = {name: cell for name, cell in zip(names, cells, strict=True) if name}
        yield line, {**columns.values, **stated}
