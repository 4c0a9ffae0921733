"""Rows of counters that run since a start: differences between two moments, never totals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tierwright.profile.given.reading import Reading, Row, number

LARGEST = 2**64 - 1
"""Largest value of a counter."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The counters of one moment.

    Attributes
    ----------
    line : int
        Line of the input.
    values : mapping of str to float
        By their names.
    """

    line: int
    values: Mapping[str, float]


def head_of(rows: Sequence[Row], names: frozenset[str]) -> int | None:
    """Return the row that names all of these columns; None where there is none at the beginning."""
    for at, row in enumerate(rows[:20]):
        if names <= set(columns_of(row)):
            return at
    return None


def columns_of(row: Row) -> list[str]:
    """Return the names of a head, in small letters."""
    return [cell.strip().strip('"').lower() for cell in row.cells]


def cells_of(found: Reading, row: Row, columns: Sequence[str]) -> dict[str, str] | None:
    """Return the cells of a row by their columns; notes what is wrong and returns None where they do not fit."""
    if len(row.cells) != len(columns):
        found.problem(
            row.line, row.text, f"must have one cell for each of {', '.join(columns)}"
        )
        return None
    return dict(zip(columns, (cell.strip() for cell in row.cells), strict=True))


def readings(
    found: Reading, rows: Sequence[Row], at: int
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of each row below a head, which may stand again before every reading.

    Notes what does not fit, and which columns there are.
    """
    columns = columns_of(rows[at])
    found.columns = columns
    for row in rows[at + 1 :]:
        if columns_of(row) == columns:
            continue
        cells = cells_of(found, row, columns)
        if cells is not None:
            yield row.line, cells


def count_of(found: Reading, line: int, name: str, cell: str) -> float | None:
    """Read a count that is not negative; notes what is wrong and returns None otherwise. Empty is 0, as of a null."""
    if not cell:
        return 0.0
    value = number(cell)
    if isinstance(value, str):
        found.problem(line, cell, f"{name}: {value}")
        return None
    if value < 0:
        found.problem(line, cell, f"{name} cannot be negative")
        return None
    if value > LARGEST:
        found.problem(line, cell, f"{name} is larger than any counter of 64 bits")
        return None
    return float(value)


def differences(
    found: Reading,
    samples: Sequence[Sample],
    counters: Sequence[str],
    *,
    time: str = "seconds",
) -> list[tuple[Sample, Sample]]:
    """Return the intervals between successive moments, in the order of time.

    A counter that went backwards (restart, reset or wrap) and a moment that comes twice are problems, with
    their line.
    """
    ordered = sorted(samples, key=lambda each: each.values[time])
    good = True
    for one, two in pairwise(ordered):
        if two.values[time] <= one.values[time]:
            found.problem(
                two.line,
                f"{two.values[time]:.15g}",
                f"is the moment of line {one.line} already",
            )
            good = False
        for name in counters:
            if two.values[name] < one.values[name]:
                found.problem(
                    two.line,
                    f"{two.values[name]:.15g}",
                    f"`{name}` went backwards from the {one.values[name]:.15g} of line {one.line}: the system "
                    "was restarted, or its counters were reset; give moments from after that",
                )
                good = False
    return list(pairwise(ordered)) if good else []


def increase(interval: tuple[Sample, Sample], name: str) -> float:
    """Return by how much a counter rose."""
    one, two = interval
    return math.fsum((two.values[name], -one.values[name]))
