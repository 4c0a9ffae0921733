"""memcached: `stats`, `stats items` and `lru_crawler metadump`, without keys.

A line of the dump has `la`, the unix second of the last access, and `size` in bytes; `exp` is the second at
which it expires, -1 of what never does (memcached's doc/protocol.txt). Without the segmented LRU an access moves
`la` at most once in 60 seconds (`ITEM_UPDATE_INTERVAL` and `do_item_update` of memcached's items.c), so ages below
some minutes are too coarse. With it (`lru_segmented` of `stats settings`) the first access of an item, and those
while it is marked as active, do not move `la` (`do_item_bump`): its ages are too old, and only the evictions show
by how much.
Evictions are those of a slab class: each class has its own curve. `evicted_time` of `stats items` is the age of
the item of the class that was evicted last: what is older than the least of these is not all there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tierwright.profile.given.ages import (
    MOST_ROWS,
    Rates,
    infinite_unless,
    points_of,
)
from tierwright.profile.given.cumulative import Sample, count_of, differences, increase
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Question,
    Reading,
    Row,
)
from tierwright.profile.working_set import Snapshot

CLOCK_S = 60.0
"""Seconds between two updates of the last access of an item. [s]"""
_STAT = re.compile(r"STAT (\S+) (\S+)")
_FIELD = re.compile(r"([a-z]+)=(\S+)")
_CLASS = re.compile(r"\d{1,3}", re.ASCII)
_COUNTERS = ("cmd_get", "get_hits", "get_misses", "evictions")
_NEEDED = frozenset({"la", "cls"})
_LOOKED_AT = 400
_SETTING = ("on", "off")
"""Values of `evictions` in `stats settings`, where it does not count."""
_OTHER = ("STAT ", "END", "OK", "VERSION ")
"""Beginnings of lines that need no reading."""


@dataclass(slots=True)
class _Moment:
    """One reading of the counters, and the items that were dumped after it."""

    line: int
    second: float
    stats: dict[str, float] = field(default_factory=dict)
    segmented: str = ""
    rows: list[Item] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a dump.

    Attributes
    ----------
    last_access, expires : float
        Unix seconds; `expires` is -1 where it never does. [s]
    slab_class : str
        Class of its slab.
    items, size : float
        Items that the line stands for, and their bytes.
    """

    last_access: float
    expires: float
    slab_class: str
    items: float
    size: float


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by lines of `stats` and of the dump."""
    looked = [row.text for row in rows[:_LOOKED_AT]]
    if any(set(_fields(text)) >= _NEEDED for text in looked):
        return 1.0
    return 0.8 if sum(text.startswith("STAT ") for text in looked) > 1 else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the curve of one slab class."""
    found = Reading(size_unit="B", value="miss_ratio")
    moments = _moments(found, rows)
    if found.problems:
        return found
    last = rows[-1].line if rows else 1
    dumped = [each for each in moments if each.rows]
    if not dumped:
        found.problem(
            last,
            "",
            "has no lines of `lru_crawler metadump`: counters alone are one point, give them as kind counters",
        )
        return found
    of_class = _slab_class(found, dumped, options)
    if of_class is None:
        return found
    rates = _rates(found, moments, of_class)
    if found.problems or rates is None:
        return found
    snapshots = [_snapshot(each, of_class) for each in dumped]
    found.assumptions += [
        "An item that misses is stored again, as in a look-aside cache; requests for keys that are never stored "
        "are not in the curve.",
        "Last accesses are stamped once in 60 s at most, so sizes whose ages are below 3 minutes are left out.",
    ]
    segmented = {each.segmented for each in moments} - {""} != {"no"}
    if segmented and not rates.evictions:
        found.problem(
            last,
            "lru_segmented",
            "is not `no`, so not every access is stamped and the ages are too old, and no evictions between the "
            "readings show by how much: give `stats settings` and readings between which items were evicted",
        )
        return found
    if segmented:
        found.assumptions.append(
            "The LRU is segmented (or `stats settings` is lacking): not every access is stamped, the ages are too "
            "old and give too many misses; the check against the evictions shows by how much."
        )
    points_of(found, snapshots, rates, options, last)
    return found


def _moments(found: Reading, rows: Sequence[Row]) -> list[_Moment]:
    moments: list[_Moment] = []
    for row in rows:
        text = row.text
        stat = _STAT.fullmatch(text)
        if stat is not None:
            name, value = stat.groups()
            if name == "time":
                second = count_of(found, row.line, "time", value)
                moments.append(_Moment(row.line, second or 0.0))
            elif moments:
                _note_stat(found, row.line, moments[-1], name, value)
            continue
        fields = _fields(text)
        if text.startswith(_OTHER):
            continue
        if not set(fields) >= _NEEDED:
            found.problem(
                row.line,
                text,
                "is not a line of `stats` or of the dump with la and cls",
            )
            continue
        if not moments:
            found.problem(
                row.line,
                text,
                "stands before any `STAT time`: its age is unknown; give `stats` before each dump",
            )
            return moments
        item = item_of(found, row.line, fields)
        if item is not None:
            moments[-1].rows.append(item)
    return moments


def _note_stat(
    found: Reading, line: int, moment: _Moment, name: str, value: str
) -> None:
    """Keep a counter, or how the LRU is set."""
    if name == "lru_segmented":
        moment.segmented = value
    elif name.startswith("items:") or (name in _COUNTERS and value not in _SETTING):
        moment.stats[name] = count_of(found, line, name, value) or 0.0


def _fields(text: str) -> dict[str, str]:
    return dict(_FIELD.findall(text))


def item_of(found: Reading, line: int, fields: dict[str, str]) -> Item | None:
    """Read a line of a dump, or of a dump whose items were put into bins (`items` and `bytes` for `size`)."""
    if not _CLASS.fullmatch(fields["cls"]):
        found.problem(line, fields["cls"], "cls must be the number of a slab class")
        return None
    size = fields.get("size", fields.get("bytes"))
    if size is None:
        found.problem(line, "", "has neither size nor bytes")
        return None
    accessed = count_of(found, line, "la", fields["la"])
    items = count_of(found, line, "items", fields.get("items", "1"))
    content = count_of(found, line, "size", size)
    stated = fields.get("exp", "-1")
    expires = -1.0 if stated == "-1" else count_of(found, line, "exp", stated)
    if accessed is None or items is None or content is None or expires is None:
        return None
    return Item(accessed, expires, fields["cls"], items, content)


def _slab_class(
    found: Reading, dumped: Sequence[_Moment], options: CurveOptions
) -> str | None:
    classes = sorted({item.slab_class for each in dumped for item in each.rows})
    found.pools = classes
    if options.pool is None and len(classes) == 1:
        return classes[0]
    if options.pool in classes:
        return options.pool
    found.questions.append(
        Question(
            "pool",
            "Each slab class evicts by itself. Which one do you want?"
            if options.pool is None
            else f"There is no slab class `{options.pool[:40]}` in the dump.",
            tuple(classes),
        )
    )
    return None


def _rates(found: Reading, moments: Sequence[_Moment], of_class: str) -> Rates | None:
    """Return what was counted between the first and the last reading, of this class."""
    name = f"items:{of_class}:evicted"
    own = all(name in each.stats for each in moments)
    evicted = name if own else "evictions"
    if not own and len(found.pools) > 1:
        found.problem(
            moments[0].line,
            name,
            "is lacking: evictions of all classes together are not those of one; give `stats items`",
        )
        return None
    counters = [
        each
        for each in (*_COUNTERS, evicted)
        if all(each in moment.stats for moment in moments)
    ]
    samples = [
        Sample(each.line, {"seconds": each.second, **each.stats}) for each in moments
    ]
    intervals = differences(found, samples, tuple(dict.fromkeys(counters)))
    if found.problems:
        return None
    whole = (intervals[0][0], intervals[-1][1]) if intervals else None
    known = whole is not None and evicted in counters
    times = [
        age
        for each in moments
        if (age := each.stats.get(f"items:{of_class}:evicted_time")) is not None
        and each.stats.get(evicted, 0) > 0
    ]
    if not times and any(each.stats.get(evicted, 0) > 0 for each in moments):
        found.problem(
            moments[-1].line,
            f"items:{of_class}:evicted_time",
            "is lacking though items were evicted: it is unknown up to which age all items are there; give "
            "`stats items`",
        )
        return None
    gets = (
        round(increase(whole, "cmd_get"))
        if whole is not None and "cmd_get" in counters and len(found.pools) == 1
        else None
    )
    return Rates(
        gets,
        0.0 if whole is None else increase(whole, "seconds"),
        increase(whole, evicted) if whole is not None and known else None,
        "evictions were read once only"
        if whole is None
        else "the text does not count evictions",
        infinite_unless(min(times, default=None)),
        CLOCK_S,
    )


def _snapshot(moment: _Moment, of_class: str) -> Snapshot:
    """Return the items of a class that had not expired; what was used while they were dumped has the age 0."""
    kept = [
        item
        for item in moment.rows
        if item.slab_class == of_class
        and (item.expires < 0 or item.expires > moment.second)
    ]
    return Snapshot(
        np.asarray([max(0.0, moment.second - item.last_access) for item in kept]),
        np.asarray([item.size for item in kept]),
        np.asarray([item.items for item in kept]),
    )


def _example() -> str:
    """Return what a small cache prints that loses 4 items per second."""
    first, last = 1764100000, 1764103600
    ages = [round(7200 / 1.07**at) for at in range(24, -1, -1)]
    return "\n".join(
        [
            f"STAT time {first}",
            "STAT cmd_get 918273645",
            "STAT items:5:evicted 1200000",
            "STAT items:5:evicted_time 7200",
            "STAT lru_segmented no",
            *(
                f"la={first - age} cls=5 items={count} bytes={100 * count}"
                for age, count in zip(ages, _counts(ages), strict=True)
            ),
            f"STAT time {last}",
            "STAT cmd_get 919173645",
            "STAT items:5:evicted 1214400",
            "STAT items:5:evicted_time 7200",
            "",
        ]
    )


def _counts(ages: Sequence[int]) -> list[int]:
    """Return the items of each bin, 4 for each second of age."""
    return [4 * (age - before) for before, age in pairwise([0, *ages])]


KIND = Kind(
    "memcached",
    "memcached metadump",
    "`stats`, `stats items` and `lru_crawler metadump all` without keys, twice or more: the ages of all items give "
    "the curve below the present size.",
    _example(),
    score,
    read,
    (
        "Sizes beyond the present one, and those whose items were all used within 3 minutes.",
        "What expired: its misses are of no size. Sizes are those of the items, without the rest of their slab "
        "chunks.",
    ),
    MOST_ROWS,
)
