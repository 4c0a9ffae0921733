"""Belady's offline buffer: the fewest misses, and an example that this is not the least cost."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tierwright.common.checks import whole


@dataclass(frozen=True, slots=True)
class BeladyCounts:
    """What Belady's buffer does.

    Attributes
    ----------
    reads, writes : int
        Pages read (one a miss) and written (dirty victims). [pages]
    hits, misses : int
        [accesses]
    """

    reads: int
    writes: int
    hits: int
    misses: int


def belady(
    accesses: Sequence[tuple[str, bool]],
    pages: int,
    *,
    clean_at_start: Iterable[str] = (),
) -> BeladyCounts:
    """Evict the page whose next use is farthest; of pages never used again a clean one first.

    For worked examples and checks: it holds the whole sequence in memory.

    Parameters
    ----------
    accesses : sequence of (str, bool)
        Page and whether it is written.
    pages : int
        Size of the buffer. [pages]
    clean_at_start : iterable of str
        Pages that the buffer holds clean before the first access.

    Raises
    ------
    BadInput
        If the size is not a whole number from 1.

    Examples
    --------
    >>> text = "WA WB RC RD RC RD RC WB RA".split()
    >>> belady([(t[1:], t[0] == "W") for t in text], 2, clean_at_start="XY")
    BeladyCounts(reads=6, writes=2, hits=3, misses=6)
    """
    whole("Belady", pages=pages)
    never = len(accesses)
    next_use = [never] * len(accesses)
    upcoming: dict[str, int] = {}
    for index in range(len(accesses) - 1, -1, -1):
        next_use[index] = upcoming.get(accesses[index][0], never)
        upcoming[accesses[index][0]] = index
    # Page to (next use, dirty); the heap may hold outdated entries, which are passed over.
    held: dict[str, tuple[int, bool]] = {}
    farthest: list[tuple[int, bool, str]] = []

    def note(page: str, use: int, *, dirty: bool) -> None:
        held[page] = (use, dirty)
        heapq.heappush(farthest, (-use, dirty, page))

    for page in clean_at_start:
        note(page, upcoming.get(page, never), dirty=False)
    hits = writes = 0
    for (page, write), use in zip(accesses, next_use, strict=True):
        dirty = write
        if page in held:
            hits += 1
            dirty = write or held[page][1]
        elif len(held) >= pages:
            while True:
                negative_use, victim_dirty, victim = heapq.heappop(farthest)
                if held.get(victim) == (-negative_use, victim_dirty):
                    break
            del held[victim]
            writes += victim_dirty
        note(page, use, dirty=dirty)
    misses = len(accesses) - hits
    return BeladyCounts(reads=misses, writes=writes, hits=hits, misses=misses)
