"""Db2 for z/OS: `DISPLAY BUFFERPOOL(bp) DETAIL` with a simulated buffer pool (`SPSIZE`).

The simulated pool holds the names of pages that the pool lost, by LRU. `DSNB432I` counts reads that a pool larger by
it would have avoided: one exact point beyond the present size, another one for each SPSIZE. `DSNB402I` has the
size of the pool, `DSNB411I` to `DSNB414I` its getpages and the pages that it read. `DSNB409I` heads counts since
the last display, `DSNB410I` those since the pool was allocated, of which two displays are needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from tierwright.common.units import format_count
from tierwright.common.wording import counted
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Question,
    Reading,
    Row,
)

_MESSAGE = re.compile(r"\s*(DSNB\d{3}I)\s*(?:[-+]\S*\s+)?(.*)")
_PAIR = re.compile(
    r"([A-Z][A-Z0-9 ./()-]*?)\s*=\s*(\d{1,18})(?:\s+(?:BUFFERS|MILLISECONDS)\b)?"
)
_NAME = "BUFFERPOOL NAME"
_POOL = re.compile(_NAME + r"\s+(BP(?:8K\d|16K\d|32K\d?|\d{1,2}))\b")
_STEALING = re.compile(r"(?:CURRENT|PAGE STEALING METHOD)\s*=\s*(FIFO|NONE)\b")
_PAGE_BYTES = {"BP8K": 8192, "BP16K": 16384, "BP32K": 32768}
_PREFETCH = ("DSNB412I", "DSNB413I", "DSNB414I")
_GETPAGES = ("RANDOM GETPAGE", "SEQ. GETPAGE")
_READS = ("SYNC READ I/O (R)", "SYNC READ I/O (S)")
_AVOIDABLE = (
    ("SYNC FROM DASD (R)", "SYNC READ I/O (R)"),
    ("SYNC (S)", "SYNC READ I/O (S)"),
    ("ASYNC", "ASYNC READ I/O"),
)
"""Names of what a larger pool would not have read, as they are printed and as they are documented."""
_SHARED = ("SYNC FROM GBP (R)", "SYNC GBP READS (R)")
_DELAY = "TOTAL AVOIDABLE SYNC I/O DELAY"


@dataclass(slots=True)
class Display:
    """One display of one pool.

    Attributes
    ----------
    line : int
        Line at which it begins.
    pool : str
        Name of the pool.
    total : bool or None
        Whether its counts run since the pool was allocated; None where nothing says so.
    counts : dict of (str, str) to int
        By message and name.
    """

    line: int
    pool: str
    total: bool | None = None
    counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def of(self, message: str, *names: str) -> int | None:
        """Return the count of the first of these names that is there."""
        found = (self.counts.get((message, name)) for name in names)
        return next((each for each in found if each is not None), None)

    @property
    def size(self) -> int:
        """Buffers of the pool."""
        return self.of("DSNB402I", "BUFFER POOL SIZE") or 0

    @property
    def simulated(self) -> int:
        """Buffers of the simulated pool; as many as were in use where it was never full, none where none was."""
        high = self.of("DSNB431I", "HIGH IN-USE")
        return self.simulated_size if high is None else min(self.simulated_size, high)

    @property
    def simulated_size(self) -> int:
        """Buffers that the simulated pool may have."""
        return self.of("DSNB431I", "SIMULATED BUFFER POOL SIZE") or 0

    @property
    def getpages(self) -> int:
        """Requests for pages."""
        return sum(self.of("DSNB411I", name) or 0 for name in _GETPAGES)

    @property
    def reads(self) -> int:
        """Pages read, by all kinds of reads."""
        single = sum(self.of("DSNB411I", name) or 0 for name in _READS)
        return single + sum(self.of(each, "PAGES READ") or 0 for each in _PREFETCH)

    @property
    def avoidable(self) -> int:
        """Pages that the larger pool would not have read from disk."""
        return sum(self.of("DSNB432I", *names) or 0 for names in _AVOIDABLE)


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the numbers of the messages."""
    found = {match.group(1) for row in rows if (match := _MESSAGE.match(row.text))}
    return (
        1.0 if found & {"DSNB431I", "DSNB432I"} else 0.6 if "DSNB411I" in found else 0.0
    )


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the points of the pool, and of the pool with each simulated one."""
    found = Reading(size_unit="pages", value="miss_ratio")
    displays = displays_of(found, rows)
    if found.problems:
        return found
    found.pools = sorted({each.pool for each in displays})
    pool = found.pools[0] if len(found.pools) == 1 else options.pool
    if pool not in found.pools:
        found.questions.append(
            Question(
                "pool",
                "The text has several buffer pools. Which one do you want?",
                tuple(found.pools),
            )
        )
        return found
    kind = pool.rstrip("0123456789")
    found.page_bytes = _PAGE_BYTES.get(kind, 4096)
    intervals = list(
        _intervals(found, [each for each in displays if each.pool == pool])
    )
    if not found.problems:
        _points(found, intervals, options)
    return found


def displays_of(found: Reading, rows: Sequence[Row]) -> list[Display]:
    """Cut lines into displays; notes what is wrong."""
    displays: list[Display] = []
    message = ""
    for row in rows:
        match = _MESSAGE.match(row.text)
        text = row.text
        if match is not None:
            message, text = match.groups()
        pool = _POOL.search(text)
        if pool is not None:
            displays.append(Display(row.line, pool.group(1)))
            continue
        if _NAME in text:
            found.problem(
                row.line,
                text.strip(),
                "names no buffer pool: names are BP0 to BP49, BP8K0 to BP8K9, BP16K0 to BP16K9, BP32K and BP32K1 to "
                "BP32K9",
            )
            return displays
        if not displays:
            found.problem(
                row.line,
                row.text,
                "stands before any DSNB401I, which names the buffer pool: give the whole display",
            )
            return displays
        stealing = _STEALING.search(text)
        if stealing is not None:
            found.problem(
                row.line,
                text.strip(),
                "steals pages otherwise than by LRU, so a simulated pool does not follow it",
            )
        if message in ("DSNB409I", "DSNB410I") and match is not None:
            displays[-1].total = message == "DSNB410I"
            continue
        for name, value in _PAIR.findall(text):
            plain = name.rsplit(" - ", 1)[-1].strip()
            displays[-1].counts[message, plain] = int(value)
    return displays


def _intervals(found: Reading, displays: Sequence[Display]) -> Iterator[Display]:
    """Yield what was counted between displays, in their order."""
    for each in displays:
        if each.size == 0 or each.of("DSNB411I", *_GETPAGES) is None:
            found.problem(
                each.line,
                each.pool,
                "lacks DSNB402I with its size, or DSNB411I with its getpages",
            )
            return
        if each.total is None:
            found.problem(
                each.line,
                each.pool,
                "has neither DSNB409I nor DSNB410I, so it is unknown since when its counts run",
            )
            return
        if not each.total:
            yield each
    totals = [each for each in displays if each.total]
    if len(totals) == 1:
        found.problem(
            totals[0].line,
            totals[0].pool,
            "counts since the pool was allocated: a total is no rate; give a second display, or DETAIL(INTERVAL)",
        )
        return
    for one, two in pairwise(totals):
        if (one.size, one.simulated_size) == (two.size, two.simulated_size):
            yield _since(found, one, two)


def _since(found: Reading, one: Display, two: Display) -> Display:
    """Return what was counted from one display to the next."""
    grown = dict(two.counts)
    for (message, name), value in two.counts.items():
        if message in ("DSNB402I", "DSNB431I"):
            continue
        before = one.counts.get((message, name), 0)
        counter = message in ("DSNB411I", "DSNB432I", *_PREFETCH)
        if counter and value < before:
            found.problem(
                two.line,
                format_count(value),
                f"{name} of {message} went backwards from the {format_count(before)} of line {one.line}: the pool "
                "was allocated again; give displays from after that",
            )
        grown[message, name] = value - before
    return Display(two.line, two.pool, total=False, counts=grown)


def _points(
    found: Reading, intervals: Sequence[Display], options: CurveOptions
) -> None:
    """Make a point of each size, over all its intervals."""
    if not intervals:
        found.problem(
            0,
            "",
            "has no two displays of one size of the pool and of the simulated pool",
        )
        return
    sizes: dict[int, list[int]] = {}
    for each in intervals:
        if (
            each.getpages == 0
            or each.reads > each.getpages
            or each.avoidable > each.reads
        ):
            found.problem(
                each.line,
                f"{each.avoidable}, {each.reads}, {each.getpages}",
                "avoidable reads, reads and getpages must not fall in this order, and getpages be above 0",
            )
            return
        for size, misses in (
            (each.size, each.reads),
            (each.size + each.simulated, each.reads - each.avoidable),
        )[: 2 if each.simulated else 1]:
            known = sizes.setdefault(size, [each.line, 0, 0, 0])
            known[0] = each.line
            known[1] += misses
            known[2] += each.getpages
            known[3] += 1
    found.points = [
        Point(line, Fraction(size), misses / getpages)
        for size, (line, misses, getpages, _) in sorted(sizes.items())
    ]
    total = sum(each.getpages for each in intervals)
    found.accesses = total if options.accesses_per_s is None else None
    found.measured = Measured(
        "points" if len(sizes) > 1 else "one_point",
        min(row[3] for row in sizes.values()),
        reason="the points are what the system counts",
    )
    shared = sum(each.of("DSNB432I", *_SHARED) or 0 for each in intervals)
    delay = sum(each.of("DSNB432I", _DELAY) or 0 for each in intervals)
    found.assumptions.append(
        f"What was counted over {counted(len(intervals), 'interval')}: {counted(total, 'getpage')}, each one access."
    )
    if shared:
        found.assumptions.append(
            f"{counted(shared, 'read')} of the group buffer pool could be avoided too: "
            "these are no reads of disk and are left out."
        )
    if delay:
        found.assumptions.append(
            f"The avoidable synchronous reads took {delay / 1000:,.0f} s together."
        )


KIND = Kind(
    "db2_simulated_pool",
    "Db2 for z/OS simulated buffer pool",
    "DISPLAY BUFFERPOOL(bp) DETAIL with SPSIZE set: the reads that a larger pool would have avoided, one exact point "
    "for each SPSIZE.",
    "DSNB401I  -DB2A BUFFERPOOL NAME BP0, BUFFERPOOL ID 0, USE COUNT 20\n"
    "DSNB402I  -DB2A BUFFER POOL SIZE = 20000 BUFFERS  AUTOSIZE = NO\n"
    "DSNB409I  -DB2A INCREMENTAL STATISTICS SINCE 14:57:55 NOV 26, 2026\n"
    "DSNB411I  -DB2A RANDOM GETPAGE = 91222000 SYNC READ I/O (R) = 12819300\n"
    "          SEQ. GETPAGE = 18054400 SYNC READ I/O (S) = 202400\n"
    "DSNB412I  -DB2A SEQUENTIAL PREFETCH - REQUESTS = 41800 PREFETCH I/O = 41800 PAGES READ = 1867700\n"
    "DSNB431I  -DB2A SIMULATED BUFFER POOL SIZE = 50000 BUFFERS\n"
    "          ALLOCATED = 50000 IN-USE = 35000 HIGH IN-USE = 35000\n"
    "DSNB432I  -DB2A SIMULATED BUFFER POOL ACTIVITY -\n"
    "          AVOIDABLE READ I/O -\n"
    "          SYNC FROM DASD (R) =8425678 SYNC (S) =102357 ASYNC =1184257\n"
    "          SYNC FROM GBP (R) =894062\n"
    "          PAGES MOVED INTO SIMULATED BUFFER POOL =12257444\n"
    "          TOTAL AVOIDABLE SYNC I/O DELAY =4275760 MILLISECONDS\n",
    score,
    read,
    (
        "Sizes between the pool and the pool with the simulated one: set another SPSIZE and display again.",
        "Whether the load was the same while other sizes were simulated.",
    ),
)
