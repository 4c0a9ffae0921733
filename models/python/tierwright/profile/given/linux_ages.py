"""Linux: generations of the multi-generational LRU of one memory cgroup, and its counters of refaults.

`/sys/kernel/debug/lru_gen` has a line `generation age_in_ms anonymous_pages file_pages` for each of at most four
generations of a node, not cumulative; the age is that of the generation, so its pages were used since then and
before the next one began (Documentation/admin-guide/mm/multigen_lru.rst). The kernel folds what is older than four
generations into the oldest one, so that one has no end. A page is moved to the youngest generation where a page
table says that it was touched, which is looked up when the next generation is opened: pages of the youngest one are
put to those of the one before it, and one that was opened long before the reading is refused. A read through a file
descriptor only raises the tier of a page, so file pages are left out.

`workingset_refault_anon` of `memory.stat` counts anonymous pages that came back from swap: what the present size
misses. What `workingset_activate` means depends on `/sys/kernel/mm/lru_gen/enabled`, which must be there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from tierwright.common.units import format_bytes
from tierwright.common.wording import percent
from tierwright.profile.given.ages import Rates, accesses_per_s, points_of
from tierwright.profile.given.cumulative import differences, increase
from tierwright.profile.given.moments import Moment, moments_of, samples_of
from tierwright.profile.given.reading import (
    CurveOptions,
    Kind,
    Measured,
    Point,
    Question,
    Reading,
    Row,
)
from tierwright.profile.working_set import Snapshot

PAGE_BYTES = 4096
"""Size of the pages that the kernel counts here. [bytes]"""
ENABLED = "lru_gen_enabled"
_REFAULTS = ("workingset_refault_anon", "workingset_refault_file")
_ACTIVATIONS = ("workingset_activate_anon", "workingset_activate_file")
_COUNTERS = (*_REFAULTS, *_ACTIVATIONS)
_SIZES = ("anon", "file", "active_anon", "active_file")
_NAMES = frozenset({ENABLED, *_COUNTERS, *_SIZES})
_MEMCG = re.compile(r"memcg\s+(\d+)(?:\s+\S.*)?")
_NODE = re.compile(r"node\s+(\d+)")
_COUNT = r"(\d{1,18})"
_GENERATION = re.compile(r"\s+".join([_COUNT] * 4))
_SWITCH = re.compile(r"0x[0-9a-fA-F]{1,8}|\d{1,8}|[yYnN]")
_MS = 1000.0
_LOOKED_AT = 100
_SAME_AGE = 0.05
"""Share by which the ages of one generation may differ between nodes. [1]"""
_YOUNGEST = 0.1
"""Largest age of the youngest generation, as a share of that of the one before it. [1]"""


@dataclass(frozen=True, slots=True)
class _Generation:
    """One generation of one node: number, age [s] and anonymous pages."""

    line: int
    number: int
    age_s: float
    anonymous: float


@dataclass(slots=True)
class _Pages:
    """Generations of one cgroup in one reading, by node; pages of files."""

    nodes: dict[str, list[_Generation]] = field(default_factory=dict)
    files: float = 0.0

    @property
    def anonymous(self) -> float:
        """Anonymous pages of all generations."""
        return sum(each.anonymous for rows in self.nodes.values() for each in rows)


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by generations and by counters of refaults."""
    looked = [row.text.strip() for row in rows[:_LOOKED_AT]]
    if any(_MEMCG.fullmatch(text) for text in looked):
        return 1.0
    return 0.9 if any(text.startswith("workingset_refault") for text in looked) else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the curve of the anonymous pages of one cgroup; of refaults alone, the present point."""
    found = Reading(size_unit="B", value="miss_ratio", page_bytes=PAGE_BYTES)
    moments = moments_of(found, rows, _NAMES)
    if found.problems:
        return found
    switches = [_switch(found, each) for each in moments]
    generations = [_generations(found, each) for each in moments]
    if found.problems:
        return found
    samples, counters = samples_of(found, moments, _COUNTERS)
    intervals = differences(found, samples, counters)
    if found.problems:
        return found
    whole = (intervals[0][0], intervals[-1][1]) if intervals else None
    counts = (
        {}
        if whole is None
        else {name: increase(whole, name) for name in counters}
        | {"seconds": increase(whole, "seconds")}
    )
    if all(switches):
        _of_ages(found, generations, counts, options, rows[-1].line)
    elif any(switches):
        found.problem(
            moments[0].line,
            ENABLED,
            "is on in some readings and off in others: give the readings of one setting",
        )
    else:
        _of_refaults(found, moments[-1], counts, options)
    return found


def _switch(found: Reading, moment: Moment) -> bool:
    """Say whether the multi-generational LRU was on."""
    line, text = moment.values.get(ENABLED, (moment.line, ""))
    if not _SWITCH.fullmatch(text):
        found.problem(
            line,
            text,
            f"`{ENABLED}` must have what /sys/kernel/mm/lru_gen/enabled says: without it the meaning of "
            "workingset_activate and of the ages is unknown",
        )
        return False
    if text in "yYnN":
        return text in "yY"
    return bool(int(text, 0 if text.startswith("0x") else 10) & 1)


def _generations(found: Reading, moment: Moment) -> dict[str, _Pages]:
    """Read the generations of each cgroup, those of all nodes together."""
    cgroups: dict[str, _Pages] = {}
    pages, node = None, ""
    for row in moment.rows:
        text = row.text.strip()
        memcg, generation = _MEMCG.fullmatch(text), _GENERATION.fullmatch(text)
        of_node = _NODE.fullmatch(text)
        if memcg is not None:
            pages, node = cgroups.setdefault(memcg.group(1), _Pages()), ""
        elif of_node is not None:
            node = of_node.group(1)
        elif generation is not None and pages is not None:
            number, age, anonymous, files = (int(each) for each in generation.groups())
            rows = pages.nodes.setdefault(node, [])
            if any(each.number == number for each in rows):
                found.problem(
                    row.line,
                    text,
                    "is a generation that its node has twice in this reading",
                )
                break
            rows.append(_Generation(row.line, number, age / _MS, float(anonymous)))
            pages.files += files
        else:
            found.problem(
                row.line,
                text,
                "is not a line of lru_gen (memcg, node, generation) or of memory.stat",
            )
            break
    return cgroups


def _snapshot(found: Reading, pages: _Pages) -> Snapshot | None:
    """Put the generations of all nodes together, counted from the youngest; the oldest one of any node has no end."""
    nodes = [
        sorted(rows, key=lambda each: each.number, reverse=True)
        for rows in pages.nodes.values()
    ]
    if not nodes:
        return Snapshot(np.empty(0), np.empty(0), np.empty(0))
    closed = min(len(rows) for rows in nodes) - 1
    ages: list[float] = []
    for at in range(closed):
        same = [rows[at] for rows in nodes]
        low, high = (pick(same, key=lambda each: each.age_s) for pick in (min, max))
        if at > 0 and low.age_s < high.age_s * (1 - _SAME_AGE):
            found.problem(
                low.line,
                f"{low.age_s:g} s",
                f"is the age of a generation that is {high.age_s:g} s old on another node (line {high.line}): open "
                "the generations of all nodes together",
            )
            return None
        ages.append(high.age_s)
    if closed > 1 and ages[0] > _YOUNGEST * ages[1]:
        found.problem(
            nodes[0][0].line,
            f"{ages[0]:g} s",
            "is the age of the youngest generation: pages that were used since then are still among the older ones, "
            "as the kernel looks for them when a generation is opened; open one right before the reading",
        )
        return None
    # Pages of the youngest were used since the one before it began.
    of_rank = [max(1, min(at, closed)) for rows in nodes for at in range(len(rows))]
    anonymous = np.bincount(
        of_rank, [each.anonymous for rows in nodes for each in rows]
    )[1:].astype(np.float64)
    oldest = max(rows[-1].age_s for rows in nodes)
    return Snapshot(np.asarray([*ages[1:], oldest]), anonymous * PAGE_BYTES, anonymous)


def _of_ages(
    found: Reading,
    generations: Sequence[Mapping[str, _Pages]],
    counts: Mapping[str, float],
    options: CurveOptions,
    last: int,
) -> None:
    """Make the points of anonymous pages of one cgroup."""
    dumped = [each for each in generations if each]
    found.pools = sorted({name for each in dumped for name in each}, key=int)
    chosen = found.pools[0] if len(found.pools) == 1 else options.pool
    if not found.pools:
        found.problem(
            last,
            "",
            "has no generations, though the multi-generational LRU is on: give /sys/kernel/debug/lru_gen",
        )
        return
    if chosen not in found.pools:
        found.questions.append(
            Question(
                "pool",
                "The text has several memory cgroups. Which one do you want?",
                tuple(found.pools),
            )
        )
        return
    of_one = [each[chosen] for each in dumped if chosen in each]
    anonymous = sum(each.anonymous for each in of_one)
    files = sum(each.files for each in of_one)
    if anonymous == 0:
        found.problem(
            last,
            "0",
            "anonymous pages: only those have ages; pages of files are stamped when they are loaded, not when they "
            "are read through a file descriptor",
        )
        return
    found.assumptions += [
        f"Only anonymous pages are in the curve; {percent(files / (files + anonymous))} of the pages are of files, "
        "whose generation need not be that of their last use, and are left out.",
        "A miss is a page that would come from slower memory or from swap.",
    ]
    refaults = counts.get(_REFAULTS[0])
    if refaults is not None:
        found.assumptions.append(
            f"{refaults / counts['seconds']:.4g} anonymous pages per second came back from swap: what the present size "
            "misses at least."
        )
    rates = Rates(
        None,
        counts.get("seconds", 0.0),
        None,
        "the oldest generation has no end, so that the rate at its end, which refaults would check, is unknown",
        math.inf,
        0.0,
    )
    snapshots = [
        each
        for each in (_snapshot(found, pages) for pages in of_one)
        if each is not None
    ]
    if found.problems:
        return
    points_of(found, snapshots, rates, options, last, coarse=True)


def _of_refaults(
    found: Reading,
    moment: Moment,
    counts: Mapping[str, float],
    options: CurveOptions,
) -> None:
    """Make the present point of refaults under the classic LRU, and say what activations bound."""
    size = sum(moment.count(found, name) or 0.0 for name in _SIZES[:2])
    if not counts or not set(_REFAULTS) <= set(counts):
        found.problem(
            moment.line,
            "",
            "under the classic LRU refaults are the evidence: give workingset_refault_anon and "
            "workingset_refault_file of memory.stat at two moments",
        )
        return
    if found.problems or size == 0:
        found.problem(
            moment.line,
            "",
            "anon and file of memory.stat must give a size of the memory",
        )
        return
    seconds = counts["seconds"]
    refaults = sum(counts[name] for name in _REFAULTS)
    rates = Rates(None, seconds, None, "", math.inf, 0.0)
    per_s = accesses_per_s(found, rates, options, moment.line)
    if per_s is None:
        return
    if refaults / seconds > per_s:
        found.problem(
            moment.line,
            f"{per_s:.4g}",
            f"requests per second are fewer than the {refaults / seconds:.4g} refaults per second",
        )
        return
    found.points.append(
        Point(moment.line, Fraction(int(size)), refaults / seconds / per_s)
    )
    found.measured = Measured("one_point", reason="the point is what the system counts")
    found.assumptions.append(
        f"{refaults / seconds:.4g} refaults per second: pages that some larger memory would have kept. It is a lower "
        "bound, as the kernel forgets old evictions, and pages that are read for the first time are not among them."
    )
    activated = [counts[name] for name in _ACTIVATIONS if name in counts]
    active = sum(moment.count(found, name) or 0.0 for name in _SIZES[2:])
    if activated and active:
        found.assumptions.append(
            f"{sum(activated) / seconds:.4g} of them per second were activated: a memory larger by about the active "
            f"list, {format_bytes(active)}, would have kept those."
        )


KIND = Kind(
    "linux_ages",
    "Linux lru_gen and memory.stat",
    "Generations of /sys/kernel/debug/lru_gen of one memory cgroup, with refaults of its memory.stat: the ages of "
    "anonymous pages, for questions of slower memory or swap.",
    "time:1764100000\n"
    "lru_gen_enabled:0x0007\n"
    "memcg 5\n"
    " node 0\n"
    "   41 7200000 300000 5000\n"
    "   42 1800000 440000 9000\n"
    "   43 300000 400000 4000\n"
    "   44 20 100 0\n"
    "workingset_refault_anon 1000\n"
    "time:1764103600\n"
    "lru_gen_enabled:0x0007\n"
    "memcg 5\n"
    " node 0\n"
    "   44 3600020 310000 5000\n"
    "   45 1800000 420000 9000\n"
    "   46 300000 390000 4000\n"
    "   47 20 100 0\n"
    "workingset_refault_anon 181000\n",
    score,
    read,
    (
        "Pages of files: a read through a file descriptor does not move a page to the youngest generation.",
        "More than one point for each generation but the oldest and the youngest: at most four are kept, as fine as "
        "the collector opened them.",
        "What the oldest generation holds by age: the kernel folds older pages into it.",
    ),
)
