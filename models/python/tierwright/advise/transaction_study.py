"""What recorded transactions cost through each system, at several sizes of the buffer, and after a crash."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tierwright.advise.transaction_effects import at_other_times
from tierwright.advise.transaction_replay import BUFFER_WORDS
from tierwright.common.answer import Answer, Figure, Step, step
from tierwright.common.cautions import Caution, Effect, Weigh, anywhere
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problem
from tierwright.common.wording import counted, duration_us, percent
from tierwright.evaluate.transactions.study import operations_derivation
from tierwright.hardware.raw_nand import PAPER_TIMES, NandGeometry, NandTimes
from tierwright.simulate.flash_device import LEAST_RESERVE
from tierwright.simulate.transactions import (
    CHECKPOINT_PAGES,
    SPARE_BLOCKS,
    SYSTEMS,
    EventSurvey,
    Recovery,
    ReplayCounts,
    check_spare,
    device_of,
    keeps_log,
    replay_systems,
    survey_events,
)
from tierwright.trace.reading import OnProgress

SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Buffer sizes that are studied unless given, as shares of the page numbers, 0 to the highest touched. [1]"""
ROOM_SHARE = 0.28
"""Space beside database and log of the raw chip unless its blocks are given. [1]"""
MOST_TIMES = 64
"""So many times the blocks at most, until they hold what is live: a page has records on at most 8 pages of them."""
SPARE_STEP = 1 / 8
"""By so much the blocks grow where a spare share is given, as long as they do not hold what is live. [1]"""
LOG_INTERVALS = 3
"""Checkpoint intervals of the log that it has room for."""
BASELINES = ("aries", "page_lru")
"""What the others are compared with: the first of them that was replayed, else the first system. Without a log
in every system, the last of them comes first: like the others, it keeps none."""
PHRASES = {
    **BUFFER_WORDS,
    "aries": "single pages with the log of ARIES",
    "committed_first": "pages of committed transactions first",
    "aat": "transactions by average access time",
    "log_write": "transactions as log records, without lazy replace",
}
"""A system within a sentence, in the plural."""
ESTIMATOR = "replay of every event; time is counted operations times busy times"
VALIDITY = (
    "one device without parallelism; locks are not modelled; dirty pages left at the end "
    "are not written; a disk copies and erases nothing"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is replayed, and over what.

    Attributes
    ----------
    ram_pages : tuple of int
        Buffer sizes, ascending. [pages]
    database_pages : int
        [pages]
    geometry : NandGeometry
        Blocks of the device.
    """

    ram_pages: tuple[int, ...]
    database_pages: int
    geometry: NandGeometry

    def larger(self, spare: float | None) -> Plan:
        """Return the same over twice the blocks, or over `SPARE_STEP` more where a spare share is given.

        What a device holds beyond its live pages is spare space too: twice the blocks would hide a given share.
        """
        blocks = self.geometry.blocks
        blocks += blocks if spare is None else math.ceil(blocks * SPARE_STEP)
        return replace(self, geometry=replace(self.geometry, blocks=blocks))


@dataclass(frozen=True, slots=True)
class SystemRow:
    """What one system did at one size of the buffer.

    Attributes
    ----------
    ram_pages : int
        [pages]
    system, title : str
        Name and title.
    counts : ReplayCounts
        What it counted.
    write_amplification : float or None
        Pages programmed per page written by the system; None where it wrote nothing. [1]
    time_us, read_time_us, write_time_us, erase_time_us : float
        On flash, and its parts. [µs]
    disk_time_us : float
        The same operations on a disk. [µs]
    restart_us, restart_disk_us : float or None
        Reads and writes of a restart, on flash and on a disk; None where nothing crashed, or there is no
        log. [µs]
    keeps_log : bool
        Whether it keeps a log that is forced at commit.
    """

    ram_pages: int
    system: str
    title: str
    counts: ReplayCounts
    write_amplification: float | None
    time_us: float
    read_time_us: float
    write_time_us: float
    erase_time_us: float
    disk_time_us: float
    restart_us: float | None
    restart_disk_us: float | None
    keeps_log: bool


@dataclass(frozen=True, kw_only=True)
class TransactionStudy(Answer):
    """The same transactions through several systems, at several sizes of the buffer.

    Attributes
    ----------
    rows : tuple of SystemRow
        By size, then in the order of the systems.
    shown_pages : int or None
        The size that the figures are of, in the middle; None where nothing was replayed. [pages]
    estimator, validity : str
        What was used and where it holds.
    """

    rows: tuple[SystemRow, ...]
    shown_pages: int | None
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """I/O time of each system at the size in the middle."""
        return tuple(
            Figure(f"{each.system}_us", each.title, each.time_us, "µs")
            for each in self.rows
            if each.ram_pages == self.shown_pages
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            "shown_pages": self.shown_pages,
            "rows": [shown(each) for each in self.rows],
            "estimator": self.estimator,
            "validity": self.validity,
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found


def shown(row: SystemRow) -> dict[str, Any]:
    """Return a row as plain data, its counts beside its times."""
    document: dict[str, Any] = plain(row)
    counts = document.pop("counts")
    del counts["victims"]
    return {**document, **counts}


def planned(
    survey: EventSurvey,
    *,
    ram_pages: Sequence[int] = (),
    database_pages: int | None = None,
    blocks: int | None = None,
    pages_per_block: int = 64,
    page_bytes: int = 2048,
    spare: float | None = None,
    checkpoint_pages: int = CHECKPOINT_PAGES,
) -> Plan:
    """Fill in what was not given, from what the events hold.

    Parameters
    ----------
    survey : EventSurvey
        Of the events.
    ram_pages : sequence of int
        Buffer sizes; none: `SHARES` of the page numbers. [pages]
    database_pages : int or None
        None: those from 0 to the highest number. [pages]
    blocks : int or None
        None: as many as hold the database, some intervals of the log and `ROOM_SHARE` more, or `spare` more
        where it is given; `replays` adds some where that is too little.
    pages_per_block, page_bytes, checkpoint_pages : int
        As of `replay_systems`.
    spare : float or None
        As of `answer`.

    Raises
    ------
    BadInput
        If the events touch no page, or one that the database or the blocks given do not have, or the spare is not above 0.

    Examples
    --------
    >>> survey = EventSurvey(9, 2, 1, 1, 3, 2, 1000)
    >>> plan = planned(survey, checkpoint_pages=64)
    >>> plan.ram_pages, plan.database_pages, plan.geometry.blocks
    ((10, 30, 100, 300, 1000), 1000, 27)
    """
    if survey.pages == 0:
        message = "touch no page"
        raise BadInput(
            f"events: {message}",
            "record transactions that read or update pages",
            (Problem("events", "", message),),
        )
    pages = survey.pages if database_pages is None else database_pages
    if pages < survey.pages:
        message = f"is too small: the highest page touched is {survey.pages - 1:,}"
        raise BadInput(
            f"database_pages: `{pages}` {message}",
            f"give at least {survey.pages}, or nothing",
            (Problem("database_pages", str(pages), message),),
        )
    sizes = ram_pages or [max(1, round(share * survey.pages)) for share in SHARES]
    if blocks is not None and database_pages is None:
        _check_highest(pages, NandGeometry(blocks, pages_per_block, page_bytes), spare)
    if blocks is None:
        held = pages + LOG_INTERVALS * checkpoint_pages
        if spare is None:
            room = held * (1 + ROOM_SHARE)
            blocks = -int(-room // pages_per_block) + SPARE_BLOCKS + 1
        else:
            check_spare(spare)
            # A small share of few blocks is less than those that stay free or open.
            blocks = max(
                math.ceil(held * (1 + spare) / pages_per_block),
                math.floor(LEAST_RESERVE * (1 + spare) / spare) + 1,
            )
    return Plan(
        tuple(sorted(set(sizes))),
        pages,
        NandGeometry(blocks, pages_per_block, page_bytes),
    )


def _check_highest(pages: int, geometry: NandGeometry, spare: float | None) -> None:
    """Refuse page numbers beyond the blocks that were given, of a database whose pages were not."""
    room = geometry.blocks * geometry.pages_per_block
    held_back = f"{counted(SPARE_BLOCKS, 'block')} stay free for writing"
    if spare is None:
        room -= SPARE_BLOCKS * geometry.pages_per_block
    else:
        room = device_of(geometry, spare).logical_pages
        held_back = "the others are spare space"
    if pages <= room:
        return
    message = (
        f"is too high: {counted(geometry.blocks, 'block')} of {counted(geometry.pages_per_block, 'page')} hold "
        f"{counted(max(room, 0), 'page')} of a database, numbered from 0; {held_back}"
    )
    raise BadInput(
        f"events: page `{pages - 1:,}` {message}",
        "number the pages of the database from 0 without large gaps, or give more blocks",
        (Problem("events", str(pages - 1), f"the highest page {message}"),),
    )


def check_crash(survey: EventSurvey, crash_after: int | None) -> None:
    """Refuse a crash behind the last event before anything is replayed.

    Raises
    ------
    BadInput
        As the replay, which knows only at its end.
    """
    if crash_after is None or crash_after <= survey.events:
        return
    events = counted(survey.events, "event")
    message = f"is beyond the end: there are {events}"
    raise BadInput(
        f"crash_after: `{crash_after}` {message}",
        f"crash after at most {events}",
        (Problem("crash_after", str(crash_after), message),),
    )


def answer(
    path: Path,
    *,
    systems: Sequence[str] = tuple(SYSTEMS),
    ram_pages: Sequence[int] = (),
    database_pages: int | None = None,
    log_bytes_per_update: int = 100,
    blocks: int | None = None,
    pages_per_block: int = 64,
    page_bytes: int = 2048,
    spare: float | None = None,
    durable: bool = True,
    checkpoint_pages: int = CHECKPOINT_PAGES,
    crash_after: int | None = None,
    times: NandTimes = PAPER_TIMES,
    disk_us: float = 9000.0,
    disk_log_us: float = 34.0,
    on_progress: OnProgress | None = None,
) -> TransactionStudy:
    """Replay a file of events through systems, at each size of the buffer.

    Parameters
    ----------
    path : Path
        Events, of any length.
    systems, log_bytes_per_update, durable, checkpoint_pages, crash_after, on_progress
        As of `replay_systems`.
    ram_pages, database_pages, blocks, pages_per_block, page_bytes
        As of `planned`.
    spare : float or None
        Spare share of a flash device with a translation layer, of the same blocks; None: the raw chip. [1]
    times, disk_us, disk_log_us
        As of `priced`.

    Raises
    ------
    BadInput
        As `planned` and `replay_systems`.
    """
    survey = survey_events(path, on_progress)
    check_crash(survey, crash_after)
    plan = planned(
        survey,
        ram_pages=ram_pages,
        database_pages=database_pages,
        blocks=blocks,
        pages_per_block=pages_per_block,
        page_bytes=page_bytes,
        spare=spare,
        checkpoint_pages=checkpoint_pages,
    )
    found: dict[int, Mapping[str, ReplayCounts]] = {}
    made = replays(
        path,
        plan,
        grows=blocks is None,
        systems=systems,
        log_bytes_per_update=log_bytes_per_update,
        spare=spare,
        durable=durable,
        checkpoint_pages=checkpoint_pages,
        crash_after=crash_after,
        on_progress=lambda *_: on_progress,
    )
    for plan_used, pages, counts in made:
        if plan_used != plan:
            plan, found = plan_used, {}
        found[pages] = counts
    return priced(
        found, durable=durable, times=times, disk_us=disk_us, disk_log_us=disk_log_us
    )


def replays(
    path: Path,
    plan: Plan,
    *,
    grows: bool,
    systems: Sequence[str],
    log_bytes_per_update: int,
    spare: float | None,
    durable: bool,
    checkpoint_pages: int,
    crash_after: int | None,
    done: Collection[int] = (),
    on_progress: Callable[[int, int], OnProgress | None] = lambda *_: None,
) -> Iterator[tuple[Plan, int, Mapping[str, ReplayCounts]]]:
    """Replay a file of events at each size of the buffer, over one device.

    Parameters
    ----------
    path, systems, log_bytes_per_update, spare, durable, checkpoint_pages, crash_after
        As of `answer`.
    plan : Plan
        Sizes and blocks.
    grows : bool
        Whether blocks are added where they do not hold what is live; all sizes are then replayed again.
    done : collection of int
        Sizes that are left out, while the blocks stay. [pages]
    on_progress : callable
        Returns what takes the progress of a replay, given its place among those to come and their number.

    Yields
    ------
    tuple
        The plan as it is by then, a size, and the counts by system. Those of another plan do not count any more.

    Raises
    ------
    BadInput
        As `replay_systems`.
    """
    most_blocks = MOST_TIMES * plan.geometry.blocks if grows else 0
    while True:
        waiting = [pages for pages in plan.ram_pages if pages not in done]
        try:
            for at, pages in enumerate(waiting):
                device = None if spare is None else device_of(plan.geometry, spare)
                found = replay_systems(
                    path,
                    systems=systems,
                    ram_pages=pages,
                    database_pages=plan.database_pages,
                    log_bytes_per_update=log_bytes_per_update,
                    geometry=plan.geometry,
                    device=device,
                    durable=durable,
                    checkpoint_pages=checkpoint_pages,
                    crash_after=crash_after,
                    on_progress=on_progress(at, len(waiting)),
                )
                yield plan, pages, found.systems
        except BadInput as refused:
            where = [each.where for each in refused.problems]
            is_full = where in (["blocks"], ["database_pages"])
            larger = plan.larger(spare)
            if not is_full or larger.geometry.blocks > most_blocks:
                raise
            plan, done = larger, ()
        else:
            return


def counts_of(document: Mapping[str, Any]) -> ReplayCounts:
    """Read what `ReplayCounts.to_dict` wrote, its times left out."""
    names = ReplayCounts.__dataclass_fields__.keys() - {"victims", "recovery"}
    recovery = document["recovery"]
    return ReplayCounts(
        **{name: document[name] for name in names},
        recovery=None if recovery is None else Recovery(**recovery),
    )


def priced(
    found: Mapping[int, Mapping[str, ReplayCounts]],
    *,
    durable: bool = True,
    times: NandTimes = PAPER_TIMES,
    disk_us: float = 9000.0,
    disk_log_us: float = 34.0,
) -> TransactionStudy:
    """Say what the counted operations take on flash and on a disk.

    Parameters
    ----------
    found : mapping
        Counts by system, by buffer size. [pages]
    durable : bool
        As it was replayed: whether every system kept a log.
    times : NandTimes
        Of flash. [µs]
    disk_us, disk_log_us : float
        One random access of a disk, one page of a log on it. [µs]
    """
    rows = tuple(
        _row(pages, system, counts, times, (disk_us, disk_log_us), durable=durable)
        for pages, systems in sorted(found.items())
        for system, counts in systems.items()
    )
    sizes = sorted(found)
    middle = sizes[len(sizes) // 2] if sizes else None
    at_middle = [row for row in rows if row.ram_pages == middle]

    def explain() -> Iterator[Step]:
        for row in at_middle:
            yield step(
                operations_derivation(
                    f"time: {row.title}, {counted(row.ram_pages, 'page')} of memory",
                    row.counts.reads,
                    row.counts.writes,
                    row.counts.erases,
                    times,
                )
            )

    return TransactionStudy(
        finding=_finding(rows, durable=durable),
        warnings=tuple(_cautions(rows, times, durable=durable)),
        explain=explain,
        weigh=_weigher(at_middle),
        rows=rows,
        shown_pages=middle,
    )


def _row(
    pages: int,
    system: str,
    counts: ReplayCounts,
    times: NandTimes,
    of_disk_us: tuple[float, float],
    *,
    durable: bool,
) -> SystemRow:
    """Make a row; of a disk are a random access and a page of a log. [µs]"""
    disk_us, disk_log_us = of_disk_us
    own = counts.writes - counts.copied_pages
    restart = counts.recovery
    return SystemRow(
        pages,
        system,
        SYSTEMS[system][0],
        counts,
        counts.writes / own if own else None,
        counts.time_us(times),
        counts.reads * times.read_us,
        counts.writes * times.write_us,
        counts.erases * times.erase_us,
        counts.disk_time_us(disk_us, disk_log_us),
        None if restart is None else restart.time_us(times.read_us, times.write_us),
        None
        if restart is None
        else restart.log_pages_read * disk_log_us
        + (restart.pages_read + restart.pages_written) * disk_us,
        keeps_log(system, durable=durable),
    )


def _finding(rows: Sequence[SystemRow], *, durable: bool) -> str:
    """Say which system takes the least time at most of the sizes, beside the baseline."""
    if not rows:
        return "Nothing has been replayed yet"
    by_size: dict[int, dict[str, SystemRow]] = {}
    for row in rows:
        by_size.setdefault(row.ram_pages, {})[row.system] = row
    names = list(next(iter(by_size.values())))
    baselines = BASELINES if durable else BASELINES[::-1]
    base = next((name for name in baselines if name in names), names[0])
    beside = SYSTEMS[base][0]
    if len(names) == 1:
        row = rows[-1]
        return (
            f"{row.title} takes {duration_us(row.time_us)} of I/O with "
            f"{counted(row.ram_pages, 'page')} of memory"
        )
    winners: dict[int, str] = {}
    for pages, systems in by_size.items():
        least = min(row.time_us for row in systems.values())
        # Of equal ones the baseline, then the simplest.
        equal = [name for name, row in systems.items() if row.time_us == least]
        winners[pages] = base if base in equal else equal[0]
    best, wins = Counter(winners.values()).most_common(1)[0]
    sizes = len(by_size)
    if best == base:
        where = (
            f"with {counted(rows[0].ram_pages, 'page')} of memory"
            if sizes == 1
            else f"at {wins} of {counted(sizes, 'buffer size')}"
        )
        return f"No system is faster than {beside} {where}"

    def saved(pages: int) -> float:
        systems = by_size[pages]
        return 1 - systems[best].time_us / systems[base].time_us

    pages = max((each for each, name in winners.items() if name == best), key=saved)
    title = SYSTEMS[best][0]
    much = f"{percent(saved(pages))} less than {beside} with {counted(pages, 'page')} of memory"
    if sizes == 1:
        taken = duration_us(by_size[pages][best].time_us)
        return f"{title}: {taken} of I/O, {much}"
    return (
        f"{title} takes the least I/O time at {wins} of {counted(sizes, 'buffer size')}, "
        f"up to {much}"
    )


def _cautions(
    rows: Sequence[SystemRow], times: NandTimes, *, durable: bool
) -> Iterator[Caution]:
    if times == PAPER_TIMES:
        yield Caution(
            "chip_of_2006",
            "the chip's times are those of the paper's Table I, a chip of 2006",
            "give read, write and erase times of your own chip",
        )
    systems = {row.system for row in rows}
    if not durable and "aries" in systems and len(systems) > 1:
        yield Caution(
            "only_aries_keeps_a_log",
            "only ARIES keeps a log: a crash loses committed changes that the other systems hold in memory, "
            "and they write no log pages",
            "compare the others with each other, or let every system keep a log",
        )
    if rows and not any(
        row.counts.transactions_pushed_out or row.counts.data_pages_written
        for row in rows
    ):
        yield Caution(
            "everything_fits",
            "everything fits into memory, so nothing was evicted",
            "give a smaller buffer, or more transactions",
        )


def _weigher(rows: Sequence[SystemRow]) -> Weigh:
    """Return what weighs the times of the chip: the counts do not depend on them."""

    def weigh(caution: Caution) -> Effect:
        if caution.name != "chip_of_2006" or not rows:
            return anywhere(caution)
        return at_other_times(
            {
                row.system: {
                    "page read": row.counts.reads,
                    "page write": row.counts.writes,
                    "block erase": row.counts.erases,
                }
                for row in rows
            },
            min(rows, key=lambda row: row.time_us).system,
            PHRASES,
        )

    return weigh
