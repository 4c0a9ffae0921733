"""Texts of several readings: each begins with a line `time:`, the unix second, and holds lines `name:value`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tierwright.profile.given.cumulative import Sample, count_of
from tierwright.profile.given.reading import Reading, Row

BEGIN = "time"
"""Name of the line that begins a reading."""
_NAMED = re.compile(r"(?:\S*/)?([A-Za-z][\w.]*)(?: *[:=] *| +)(\S.*)")


@dataclass(slots=True)
class Moment:
    """One reading.

    Attributes
    ----------
    line : int
        Line at which it begins.
    second : float
        Unix second. [s]
    values : dict of str to (int, str)
        Line and text of each name.
    rows : list of Row
        Lines that are not of the names looked for.
    """

    line: int
    second: float
    values: dict[str, tuple[int, str]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    def count(self, found: Reading, name: str) -> float | None:
        """Return a count; None where the reading does not contain it. Notes what is wrong with it."""
        if name not in self.values:
            return None
        line, text = self.values[name]
        return count_of(found, line, name, text)


def named(text: str) -> tuple[str, str] | None:
    """Return name and value of a line `name:value`, `name value` or `path/name:value`; None of any other."""
    match = _NAMED.fullmatch(text.strip())
    return None if match is None else (match.group(1), match.group(2).strip())


def moments_of(
    found: Reading, rows: Sequence[Row], names: frozenset[str]
) -> list[Moment]:
    """Cut lines into readings; notes what stands before the first and what comes twice within one.

    Parameters
    ----------
    found : Reading
    rows : sequence of Row
    names : frozenset of str
        Names to keep; every other line is left to the reader.
    """
    moments: list[Moment] = []
    for row in rows:
        pair = named(row.text)
        if pair is not None and pair[0] == BEGIN:
            second = count_of(found, row.line, BEGIN, pair[1])
            moments.append(Moment(row.line, second or 0.0))
            continue
        if not moments:
            found.problem(
                row.line,
                row.text,
                "stands before any `time:`, so its moment is unknown; each reading begins with the unix second",
            )
            return moments
        last = moments[-1]
        if pair is None or pair[0] not in names:
            last.rows.append(row)
        elif pair[0] in last.values:
            found.problem(
                row.line,
                row.text,
                f"`{pair[0]}` comes twice in the reading of line {last.line}",
            )
        else:
            last.values[pair[0]] = (row.line, pair[1])
    return moments


def samples_of(
    found: Reading, moments: Sequence[Moment], names: Sequence[str]
) -> tuple[list[Sample], list[str]]:
    """Return the counters of each reading, and of the names those that every reading contains."""
    common = [name for name in names if all(name in each.values for each in moments)]
    samples = [
        Sample(
            each.line,
            {
                "seconds": each.second,
                **{name: each.count(found, name) or 0.0 for name in common},
            },
        )
        for each in moments
    ]
    return samples, common
