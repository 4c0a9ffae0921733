"""Reuse by relation: what a scale law must know of a workload to let each part of its data grow by itself.

A *relation* is a table, an index, a file or a volume, as the trace tells them apart. Of each the
profile keeps how long its pages rest between two accesses, in accesses of the whole trace, and
how long a written page rests at most before it is written again. Names leave the machine only
where they are asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.errors import Problems
from tierwright.common.fields import is_count

if TYPE_CHECKING:
    from tierwright.trace.reading import OnProgress, Trace

IntArray = NDArray[np.int64]

MOST_TEXT = 120_000
"""Bytes that the relations of a profile take in its file at most."""
MOST_LISTED = 40
"""Relations that a profile lists; the smallest others are one entry."""
_MOST_BINS = 300
_LONGEST_NAME = 200
_POSTGRES = re.compile(r"\d+/(\d+)(?:_\w+)?")
_FIRST_OF_USERS = 16384
"""FirstNormalObjectId of PostgreSQL: relations below it are the system's catalogs."""


@dataclass(frozen=True, eq=False)
class Times:
    """Durations in bins, those that the trace cut off apart.

    Attributes
    ----------
    lowest, highest : int64 array
        Ends of each bin, both inside. [accesses]
    ended : int64 array
        Durations in each bin that were seen whole.
    cut_off : int64 array
        Durations in each bin that the trace cut off: in truth they are longer.
    """

    lowest: IntArray
    highest: IntArray
    ended: IntArray
    cut_off: IntArray

    @classmethod
    def of(cls, found: Mapping[str, Sequence[int]]) -> Times:
        """Put a distribution of the core, or of a profile file, into arrays."""
        return cls(
            *(
                np.asarray(found[key], dtype=np.int64)
                for key in ("lowest", "highest", "ended", "cut_off")
            )
        )

    @property
    def count(self) -> int:
        """All durations."""
        return int(self.ended.sum() + self.cut_off.sum())

    def to_dict(self) -> dict[str, list[int]]:
        """Return the four columns as lists."""
        return {
            "lowest": self.lowest.tolist(),
            "highest": self.highest.tolist(),
            "ended": self.ended.tolist(),
            "cut_off": self.cut_off.tolist(),
        }


def together(several: Iterable[Times]) -> Times:
    """Return the distribution of all durations of several ones, whose bins are the same."""
    rows: dict[int, list[int]] = {}
    for times in several:
        columns = (times.lowest, times.highest, times.ended, times.cut_off)
        for low, high, ended, cut in zip(
            *(each.tolist() for each in columns), strict=True
        ):
            row = rows.setdefault(low, [low, high, 0, 0])
            row[2] += ended
            row[3] += cut
    table = np.asarray([rows[low] for low in sorted(rows)], dtype=np.int64)
    return Times(*table.reshape(-1, 4).T)


@dataclass(frozen=True, eq=False)
class RelationReuse:
    """One relation, file or volume of a workload, or several of them as one.

    Attributes
    ----------
    name : str or None
        As the trace gives it; None where names were not asked for.
    grows : bool
        Whether it grows with the data; system catalogs do not.
    accesses, write_accesses, distinct_pages : int
        What the trace has of it.
    reuse : Times
        Reuse times: one of each access, first accesses cut off.
    stays : Times
        Longest reuse time from a write of a page to its next one: one of each write, last writes
        cut off.
    relations : int
        How many relations of the trace it stands for.
    """

    name: str | None
    grows: bool
    accesses: int
    write_accesses: int
    distinct_pages: int
    reuse: Times
    stays: Times
    relations: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of the key `relations` of a profile file."""
        return {
            "name": self.name,
            "grows": self.grows,
            "relations": self.relations,
            "accesses": self.accesses,
            "write_accesses": self.write_accesses,
            "distinct_pages": self.distinct_pages,
            "reuse": self.reuse.to_dict(),
            "stays": self.stays.to_dict(),
        }


def is_catalog(name: str) -> bool:
    """Whether a relation of PostgreSQL belongs to the system, whose size does not follow the data.

    Examples
    --------
    >>> is_catalog("16384/1259"), is_catalog("16384/16397"), is_catalog("orders")
    (True, False, False)
    """
    found = _POSTGRES.fullmatch(name)
    return found is not None and int(found[1]) < _FIRST_OF_USERS


def measured(
    trace: Trace,
    *,
    names: bool = False,
    like: Sequence[RelationReuse] = (),
    on_progress: OnProgress | None = None,
) -> tuple[RelationReuse, ...]:
    """Count the reuse of each relation of a trace in one pass, the largest first.

    System catalogs are one entry, and so are the smallest relations beyond `MOST_LISTED`, or beyond
    what `MOST_TEXT` has room for.

    Parameters
    ----------
    trace : Trace
        What to read.
    names : bool
        Whether the entries carry the names of the relations.
    like : sequence of RelationReuse
        Named entries in whose order to list those of the same names, so that they have the same numbers.
    on_progress : callable, optional
        See `OnProgress`.

    Raises
    ------
    SimulatorError
        If the trace cannot be read, has no accesses, or progress asked to stop.
    """
    from tierwright import _simulator

    found = _simulator.relation_reuse(
        str(trace.path), on_progress=on_progress, **trace.arguments()
    )
    return listed(found["relations"], names=names, like=like)


def listed(
    rows: Sequence[Mapping[str, Any]],
    *,
    names: bool = False,
    like: Sequence[RelationReuse] = (),
) -> tuple[RelationReuse, ...]:
    """List the relations that the core has counted, as `measured` does.

    Parameters
    ----------
    rows : sequence of mapping
        Of the core, the largest first.
    names, like
        As for `measured`.
    """
    each = [_of_core(row) for row in rows]
    growing = [one for one in each if one.grows]
    fixed = [one for one in each if not one.grows]
    made = growing[: MOST_LISTED - 1]
    if rest := growing[MOST_LISTED - 1 :]:
        made.append(_joined("others", rest))
    if fixed:
        made.append(_joined("catalogs", fixed))
    place = {one.name: at for at, one in enumerate(like)}
    made.sort(key=lambda one: place.get(one.name, len(place)))
    shown = (
        one if names or one.name in (None, "catalogs", "others") else _unnamed(one)
        for one in made
    )
    return bounded(shown, MOST_TEXT)


def bounded(
    relations: Iterable[RelationReuse], most_text: int
) -> tuple[RelationReuse, ...]:
    """Join the smallest growing relations until all take at most so much room in a profile file.

    Parameters
    ----------
    relations : iterable of RelationReuse
        The largest first, those that do not grow last.
    most_text : int
        Room. [bytes]

    Returns
    -------
    tuple of RelationReuse
        Empty where even two of them have no room.
    """
    made = tuple(relations)
    growing = [one for one in made if one.grows]
    fixed = [one for one in made if not one.grows]
    while len(json.dumps([one.to_dict() for one in made])) > most_text:
        if not growing[1:]:
            return ()
        growing = [*growing[:-2], _joined("others", growing[-2:])]
        made = (*growing, *fixed)
    return made


def _of_core(row: Mapping[str, Any]) -> RelationReuse:
    return RelationReuse(
        row["name"][:_LONGEST_NAME] or None,
        not is_catalog(row["name"]),
        row["accesses"],
        row["write_accesses"],
        row["distinct_pages"],
        Times.of(row["reuse"]),
        Times.of(row["stays"]),
    )


def _joined(name: str, several: Sequence[RelationReuse]) -> RelationReuse:
    return RelationReuse(
        name,
        several[0].grows,
        sum(one.accesses for one in several),
        sum(one.write_accesses for one in several),
        sum(one.distinct_pages for one in several),
        together(one.reuse for one in several),
        together(one.stays for one in several),
        sum(one.relations for one in several),
    )


def _unnamed(one: RelationReuse) -> RelationReuse:
    from dataclasses import replace

    return replace(one, name=None)


def from_mapping(data: Any, problems: Problems) -> tuple[RelationReuse, ...]:
    """Read the key `relations` of a profile file; nothing where it is absent.

    Parameters
    ----------
    data : object
        What the key holds.
    problems : Problems
        Takes what is wrong.
    """
    if data is None:
        return ()
    if not isinstance(data, list) or not 0 < len(data) <= MOST_LISTED + 1:
        problems.add(
            "relations", None, f"must be a list of 1 to {MOST_LISTED + 1} relations"
        )
        return ()
    made = [_relation(one, f"relations[{at}]", problems) for at, one in enumerate(data)]
    return tuple(one for one in made if one is not None)


def _relation(data: Any, where: str, problems: Problems) -> RelationReuse | None:
    if not isinstance(data, Mapping):
        problems.add(where, None, "must be an object")
        return None
    name, grows = data.get("name"), data.get("grows")
    known = len(problems.found)
    problems.check(
        name is None or (isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME),
        f"{where}.name",
        name,
        "must be a name, or null",
    )
    problems.check(
        isinstance(grows, bool), f"{where}.grows", grows, "must be true or false"
    )
    counts = {}
    for key in ("accesses", "write_accesses", "distinct_pages", "relations"):
        value = counts[key] = data.get(key, 1 if key == "relations" else None)
        problems.check(
            is_count(value),
            f"{where}.{key}",
            value,
            "must be a whole number, not negative",
        )
    times = {
        key: _times(data.get(key), f"{where}.{key}", problems)
        for key in ("reuse", "stays")
    }
    if len(problems.found) > known:
        return None
    reuse, stays = times["reuse"], times["stays"]
    if reuse is None or stays is None:
        return None
    problems.check(
        reuse.count == counts["accesses"] and stays.count == counts["write_accesses"],
        f"{where}.reuse",
        None,
        "must hold one reuse time of each access and one stay of each write",
    )
    problems.check(
        0 < counts["distinct_pages"] <= counts["accesses"],
        f"{where}.distinct_pages",
        counts["distinct_pages"],
        "must lie between 1 and the accesses",
    )
    if len(problems.found) > known:
        return None
    return RelationReuse(
        name,
        bool(grows),
        counts["accesses"],
        counts["write_accesses"],
        counts["distinct_pages"],
        reuse,
        stays,
        counts["relations"],
    )


def _times(data: Any, where: str, problems: Problems) -> Times | None:
    keys = ("lowest", "highest", "ended", "cut_off")
    if not isinstance(data, Mapping):
        problems.add(where, None, "must be an object of four lists")
        return None
    lists = [data.get(key) for key in keys]
    if (
        not all(
            isinstance(values, list)
            and len(values) <= _MOST_BINS
            and all(map(is_count, values))
            for values in lists
        )
        or len({len(values) for values in lists if isinstance(values, list)}) != 1
    ):
        problems.add(
            where,
            None,
            f"must hold {', '.join(keys)}: lists of one length of at most {_MOST_BINS} "
            "whole numbers",
        )
        return None
    found = Times.of({key: data[key] for key in keys})
    low, high = found.lowest, found.highest
    if np.any(low > high) or np.any(low[1:] <= high[:-1]):
        problems.add(where, None, "must list bins that increase and do not overlap")
        return None
    return found
