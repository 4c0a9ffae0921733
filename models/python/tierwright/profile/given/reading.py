"""What the readers of given curves share: options, points, rows of cells, numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from tierwright.common.errors import Problem
from tierwright.common.units import UNIT_BYTES
from tierwright.profile.evidence import EvidenceClass, Tier

SIZE_UNITS = ("pages", *UNIT_BYTES)
"""What a column of sizes may count."""

VALUES = ("hit_ratio", "miss_ratio", "misses")
"""What a column of values may be."""

SCALES = ("fraction", "percent")
"""How a ratio may be written."""

MOST_POINTS = 5_000
MOST_TEXT_BYTES = 1_000_000
_PERCENT = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveOptions:
    """What the user states about a curve; whatever is None is read from it, or asked.

    Attributes
    ----------
    kind : str or None
        Name in `KINDS`; None finds it out.
    size_unit : str or None
        One of `SIZE_UNITS`.
    value : str or None
        One of `VALUES`.
    scale : str or None
        One of `SCALES`.
    size_column, value_column : str or None
        Name in the head of the table, or number from 1.
    pool : str or None
        Buffer pool, where the rows are of several.
    page_bytes : int or None
        Page size. [bytes]
    accesses : int or None
        Page accesses that the curve covers.
    accesses_per_s : float or None
        Instead: how many there are a second; the profile then counts one day. [1/s]
    data_bytes : int or None
        Size of the data that the cache stands in front of. [bytes]
    dirty_share : float or None
        Share of the evicted pages that are dirty, at every size (p_d). [1]
    write_share : float or None
        Share of the accesses that write. [1]
    repair : bool
        Whether a curve that falls is bent to the nearest one that does not.
    misses_read : str or None
        What answers a miss of the cache: the `device`, or a `cache` below it too, such as that of the operating system.
    """

    kind: str | None = None
    size_unit: str | None = None
    value: str | None = None
    scale: str | None = None
    size_column: str | None = None
    value_column: str | None = None
    pool: str | None = None
    page_bytes: int | None = None
    accesses: int | None = None
    accesses_per_s: float | None = None
    data_bytes: int | None = None
    dirty_share: float | None = None
    write_share: float | None = None
    repair: bool = False
    misses_read: Literal["device", "cache"] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the input does not tell and that is not guessed.

    Attributes
    ----------
    field : str
        Attribute of `CurveOptions` that answers it.
    message : str
        The question, with what is known.
    choices : tuple of str
        Possible answers; empty where it is a number.
    """

    field: str
    message: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One size of a given curve: as whole bytes or pages, with hits or misses.

    Attributes
    ----------
    line : int
        Line of the input, from 1.
    size : Fraction
        Size in `Reading.size_unit`.
    value : float
        Value as `Reading.value` says: ratios as fractions, or a count of misses.
    """

    line: int
    size: Fraction
    value: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What the points of a reader rest on, where the system itself counted them.

    Attributes
    ----------
    kind : str
        Class of the evidence.
    snapshots : int
        Snapshots or intervals that were averaged.
    self_check : float or None
        By what share the last point differs from what the system counts. [1]
    reason : str
        Why there is no such check.
    band : tuple of (float, float)
        Least and largest miss ratio of each point, in their order; empty where no band is known. [1]
    exact : bool
        Whether points are counts of one load, so that those on either side bound the misses in between.
    check_bytes : float or None
        Size of the check, where it is beyond the last point; None where it is at the last one. [bytes]
    tiers : tuple of Tier
        Levels of the hierarchy, where the system counts by level.
    envelope : bool
        Whether hit ratios are maxima over intervals.
    has_cache_below : bool
        Whether the cache of an operating system may answer a miss.
    """

    kind: EvidenceClass
    snapshots: int = 1
    self_check: float | None = None
    reason: str = ""
    band: tuple[tuple[float, float], ...] = ()
    exact: bool = True
    check_bytes: float | None = None
    tiers: tuple[Tier, ...] = ()
    envelope: bool = False
    has_cache_below: bool = False


@dataclass(slots=True)
class Reading:
    """What a reader understood.

    Attributes
    ----------
    points : list of Point
        In the order of the input.
    size_unit, value : str or None
        What sizes and values are; None where it is asked.
    page_bytes, accesses : int or None
        As far as the input states them.
    duration_s : float or None
        Time over which the input counts these accesses. [s]
    data_bytes : int or None
        Size of the data behind the cache, as far as the input states it. [bytes]
    dirty_share : float or None
        Share of the evicted pages that are dirty, as far as the input counts writes. [1]
    measured : Measured or None
        What the points rest on, where the system itself counted them.
    pools : list of str
        Buffer pools found.
    columns : list of str
        Head of the table; empty where it has none.
    assumptions : list of str
        What was taken to be so.
    problems : list of Problem
        What is wrong, each with its line.
    questions : list of Question
        What has to be stated.
    """

    points: list[Point] = field(default_factory=list)
    size_unit: str | None = None
    value: str | None = None
    page_bytes: int | None = None
    accesses: int | None = None
    duration_s: float | None = None
    data_bytes: int | None = None
    dirty_share: float | None = None
    measured: Measured | None = None
    pools: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def problem(self, line: int, value: str, message: str) -> None:
        """Note what is wrong with a line."""
        self.problems.append(Problem(f"line {line}", _short(value), message))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of given curve.

    Attributes
    ----------
    name, title, description : str
        Name in requests, name to show, what it is and where it comes from.
    example : str
        A few lines as they are pasted.
    score : callable
        How well lines fit, from 0 to 1.
    read : callable
        Reader of lines.
    cannot_tell : tuple of str
        What a curve of this kind does not tell, besides what none does.
    most_rows : int
        Lines that are read.
    """

    name: str
    title: str
    description: str
    example: str
    score: Callable[[Sequence[Row]], float]
    read: Callable[[Sequence[Row], CurveOptions], Reading]
    cannot_tell: tuple[str, ...] = ()
    most_rows: int = MOST_POINTS + 1


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the input, cut into cells."""

    line: int
    text: str
    cells: tuple[str, ...]


_DELIMITERS = ("\t", ";", "|", ",", None)
_RULE = re.compile(r"[\s\-=+|]*[-=]{2,}[\s\-=+|]*")


def rows_of(text: str) -> list[Row]:
    """Cut a text into rows; empty lines, comments and ruling lines are left out.

    The separator is the one that cuts most lines into equally many cells, at least two: tab,
    semicolon, bar, comma, or blanks.
    """
    lines = [
        (at, line.strip("\r\n\ufeff "))
        for at, line in enumerate(text.splitlines(), start=1)
    ]
    kept = [
        (at, line)
        for at, line in lines
        if line.strip()
        and not line.lstrip().startswith("#")
        and not _RULE.fullmatch(line)
    ]
    best: list[Row] = []
    most = 0
    for delimiter in _DELIMITERS:
        rows = [Row(at, line, tuple(_cut(line, delimiter))) for at, line in kept]
        counts: dict[int, int] = {}
        for row in rows:
            counts[len(row.cells)] = counts.get(len(row.cells), 0) + 1
        agreeing = max((n for cells, n in counts.items() if cells > 1), default=0)
        if agreeing > most or not best:
            best, most = rows, agreeing
    return best


def _cut(line: str, delimiter: str | None) -> Iterator[str]:
    if delimiter is None:
        yield from line.split()
        return
    stripped = line.strip().strip("|") if delimiter == "|" else line
    try:
        cells = next(csv.reader([stripped], delimiter=delimiter), [])
    except csv.Error:
        cells = stripped.split(delimiter)
    yield from (cell.strip() for cell in cells)


_NUMBER = re.compile(
    r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", re.IGNORECASE | re.ASCII
)
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_SIZE = re.compile(r"([0-9.,eE+]+?)\s*([A-Za-z]+)")
_LONGEST_NUMBER = 60


def number(text: str) -> Fraction | str:
    """Read a number exactly; the message of what is wrong with it otherwise.

    A comma may be a decimal comma; where it may as well group thousands, as in `1,024`, it is
    refused rather than guessed.
    """
    if not text:
        return "there is no number"
    if len(text) > _LONGEST_NUMBER:
        return "is too long for a number"
    plain = text.replace("\u00a0", "").replace(" ", "")
    if _GROUPED.fullmatch(plain):
        return (
            "may be a decimal comma or a group of thousands; write it without the comma"
        )
    if _DECIMAL_COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        return "is not a number"
    return Fraction(plain)


def size_and_unit(text: str) -> tuple[Fraction | str, str | None]:
    """Read a size with the unit behind it, if there is one."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return number(text), None
    found = unit_named(match.group(2))
    if found is None:
        return "has an unknown unit; use " + ", ".join(SIZE_UNITS), None
    return number(match.group(1)), found


_UNITS = {name.lower(): name for name in SIZE_UNITS} | {
    "page": "pages",
    "blocks": "pages",
    "block": "pages",
    "buffers": "pages",
    "bytes": "B",
    "byte": "B",
}


def unit_named(text: str) -> str | None:
    """Return the unit of size of this name, whatever its case."""
    return _UNITS.get(text.lower())


def ratio(text: str) -> tuple[float | str, bool]:
    """Read a ratio, and whether a percent sign follows it."""
    percent = text.endswith("%")
    found = number(text.removesuffix("%").strip())
    if isinstance(found, str):
        return found, percent
    value = float(found)
    return (value / _PERCENT if percent else value), percent


def _short(text: str) -> str:
    most = 80
    return text if len(text) <= most else text[: most - 1] + "…"
