"""NetApp's automated working-set analyser: hit ratios of a flash cache at several sizes.

Its summary has the *Max Projected Cache Size*, and hit rates of reads and writes at shares of it. By its manual page
(na_awa) intervals last 10 minutes, at most 1,000 are kept, and every number is the maximum over them. So the hit
ratios are an upper envelope: no interval hit more, and most hit less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tierwright.common.units import UNIT_BYTES
from tierwright.common.wording import counted
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Reading,
    Row,
    number,
)

BLOCK_BYTES = 4096
"""Size of a block of WAFL. [bytes]"""
_MOST = re.compile(r"\s*Max Projected Cache Size\s*[:=]?\s*([\d.]+)\s*([KMGT]i?B)\s*")
_SIZE = re.compile(r"\s*Size((?:\s+[\d.]+\s*%){2,20})\s*")
_HITS = re.compile(r"\s*(Read|Write) Hit(?: \(%\))?((?:\s+[\d.]+\s*%?){2,20})\s*")
_PAST = re.compile(r"\s*Summary of the past (\d{1,6}) intervals?\s*")
_CELL = re.compile(r"[\d.]+")
_FULL = 100.0


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the names of the summary."""
    named = sum(
        bool(pattern.fullmatch(row.text))
        for row in rows
        for pattern in (_MOST, _SIZE, _HITS)
    )
    return 1.0 if named > 2 else 0.0  # noqa: PLR2004  # size, sizes, hits


def read(rows: Sequence[Row], _options: CurveOptions) -> Reading:
    """Read the hit ratios of reads."""
    found = Reading(size_unit="B", value="hit_ratio", page_bytes=BLOCK_BYTES)
    summary = _summary(rows)
    if summary.largest is None or summary.intervals == 0 or not summary.complete:
        found.problem(
            rows[-1].line,
            "",
            "lacks the number of intervals, Max Projected Cache Size, or the rows Size and Read Hit of the summary",
        )
        return found
    (line, shares), (at, hits) = summary.cells["Size"], summary.cells["Read"]
    if len(shares) != len(hits):
        found.problem(
            at,
            " ".join(hits),
            f"must have one hit ratio for each of the {counted(len(shares), 'size')} of line {line}",
        )
        return found
    for share, hit in zip(shares, hits, strict=True):
        part, ratio = number(share), number(hit)
        if isinstance(part, str) or isinstance(ratio, str):
            found.problem(at, f"{share} {hit}", "are not numbers")
            return found
        found.points.append(
            Point(at, summary.largest * part / 100, float(ratio) / _FULL)
        )
    _say(found, summary)
    return found


@dataclass(slots=True)
class _Summary:
    """What the summary holds: the largest size [bytes], intervals, and line and cells of each row of the table."""

    largest: Fraction | None = None
    intervals: int = 0
    cells: dict[str, tuple[int, list[str]]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return {"Size", "Read"} <= set(self.cells)


def _summary(rows: Sequence[Row]) -> _Summary:
    summary = _Summary()
    for row in rows:
        if match := _MOST.fullmatch(row.text):
            amount, unit = number(match.group(1)), match.group(2)
            # ONTAP's units are powers of 1024, whichever way they are spelled.
            scale = UNIT_BYTES[unit if "i" in unit else f"{unit[0]}iB"]
            summary.largest = None if isinstance(amount, str) else amount * scale
        elif match := _PAST.fullmatch(row.text):
            summary.intervals = int(match.group(1))
        elif match := _SIZE.fullmatch(row.text):
            summary.cells["Size"] = row.line, _CELL.findall(match.group(1))
        elif match := _HITS.fullmatch(row.text):
            summary.cells[match.group(1)] = row.line, _CELL.findall(match.group(2))
    return summary


def _say(found: Reading, summary: _Summary) -> None:
    """Say that the hit ratios are an envelope, and of which requests."""
    over = counted(summary.intervals, "interval")
    found.measured = Measured(
        "points",
        summary.intervals,
        reason=f"each hit ratio is the maximum over {over}, an upper envelope",
        exact=False,
        envelope=True,
    )
    found.assumptions += [
        f"Hit ratios are maxima over {over} of 10 minutes: an upper envelope, of which the mean lies "
        "below.",
        "Requests are random reads that reach the aggregate: what the memory of the controller hits is not among them.",
    ]
    if "Write" in summary.cells:
        found.assumptions.append(
            f"Hit ratios of overwrites, {', '.join(summary.cells['Write'][1])} %, are not part of the curve."
        )


KIND = Kind(
    "netapp_awa",
    "NetApp working-set analyser",
    "The summary of the automated working-set analyser (awa print): hit ratios of reads at several sizes of flash, "
    "each the maximum over all intervals.",
    "Summary of the past 145 intervals\n"
    "Max Projected Cache Size 114 GiB\n"
    "Size       20%   40%   60%   80%   100%\n"
    "Read Hit   34    51    66    75    82\n"
    "Write Hit  35    44    53    62    82\n",
    score,
    read,
    (
        "The mean: every hit ratio is the best of all intervals, so that a flash cache hits less over the day.",
        "Memory: the sizes are those of a flash cache below the memory of the controller.",
    ),
)
