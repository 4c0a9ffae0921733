"""Runs transactions through a buffer over flash and counts page operations.

The door to the core's replay of transactions. Its systems, after Zhou, Meng and Liang (2009), sections
II.B and IV: single pages by LRU, the same with the log of ARIES, and the parts of the paper's method, each
added to the one before: committed transactions first, average access time, lazy replace, log-based write.
Where the paper is silent: docs/models/transactions.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from tierwright import _simulator
from tierwright.common.errors import BadInput, Problem, Problems
from tierwright.common.wording import counted, listed
from tierwright.hardware.raw_nand import (
    PAPER_GEOMETRY,
    PAPER_TIMES,
    NandGeometry,
    NandTimes,
    check_geometry,
)
from tierwright.simulate.flash_device import FlashDevice
from tierwright.trace.reading import OnProgress

Kind = Literal["begin", "read", "update", "commit", "abort"]
SYSTEMS: Mapping[str, tuple[str, str]] = {
    name: (title, description)
    for name, title, description in _simulator.transaction_systems()
}
"""Title and description by name, in the order of the parts of the method."""
PAPER_SYSTEMS = ("page_lru", "transaction_page", "transaction_log")
"""The paper's baseline, and its method as pages and as log records."""
BUFFERS = ("transaction", "page_lru")
WRITE_SCHEMES = ("page", "log")
ALWAYS_LOGGED = "aries"
"""The system that keeps a log forced at commit, whether all are to be durable or not."""
SPARE_BLOCKS = 2
CHECKPOINT_PAGES = 1024
"""Log between two checkpoints: 2 MiB at the paper's page size. [pages]"""
MOST_FRAMES = 2**32 - 2
MOST_CHIP_PAGES = 2**62
LARGEST_PAGE = 2**63


@dataclass(frozen=True, slots=True)
class Event:
    """One step of one transaction.

    Attributes
    ----------
    kind : str
        `begin`, `read`, `update`, `commit` or `abort`.
    transaction : str
        Its id.
    page : int or None
        Page read or updated; None for the other kinds.
    time : float
        Clock. [ticks]
    """

    kind: Kind
    transaction: str
    page: int | None
    time: float


@dataclass(frozen=True, slots=True)
class Victim:
    """A transaction that was pushed out.

    Attributes
    ----------
    transaction : str
        Its id.
    commit_time : float or None
        None while it ran. [ticks]
    next_commit_time : float or None
        Earliest commit of the other transactions in memory; None where all of them ran. [ticks]
    """

    transaction: str
    commit_time: float | None
    next_commit_time: float | None


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a restart takes after a crash.

    Attributes
    ----------
    log_pages_read : int
        Pages of the log, each read once.
    pages_read : int
        Pages of the database that are read.
    redone : int
        Records of the log that are applied again.
    undone : int
        Updates taken back, of transactions that had not ended.
    losers : int
        Those transactions.
    pages_written : int
        Pages that the restart changes, each written once.
    """

    log_pages_read: int
    pages_read: int
    redone: int
    undone: int
    losers: int
    pages_written: int

    def time_us(self, read_us: float, write_us: float) -> float:
        """Time of its reads and writes on a device. [µs]"""
        reads = self.log_pages_read + self.pages_read
        return reads * read_us + self.pages_written * write_us


@dataclass(slots=True)
class ReplayCounts:
    """What a replay counted.

    Attributes
    ----------
    reads, writes : int
        Page reads and programs of the device, copies of garbage collection included. [pages]
    erases : int
        [blocks]
    hits, misses : int
        Page touches found, not found, in memory.
    data_pages_written, log_pages_written : int
        Programs that write out pages, log records instead of pages. [pages]
    undo_pages_written : int
        Programs that restore a page after an abort. [pages]
    copied_pages : int
        Live pages moved by garbage collection. [pages]
    extra_log_reads : int
        Pages of log records read to reconstruct a page. [pages]
    uncommitted_pages_written : int
        Programs that hold changes of a transaction still running then. [pages]
    garbage_pages : int
        Of those, the ones whose transaction aborted later. [pages]
    victims : list of Victim
        Transactions pushed out as a whole, in order, where they were asked for.
    resident_pages : int
        Pages in memory at the end.
    live_pages : int
        Pages of the device that hold valid content at the end.
    wal_pages_written : int
        Programs of the log proper. [pages]
    wal_forces : int
        Times a commit or a page waited for the log.
    checkpoints, checkpoint_pages_written : int
        Checkpoints, and those of the data pages that they wrote.
    undo_reads : int
        Pages read to undo an abort. [pages]
    transactions_pushed_out : int
        As a whole.
    recovery : Recovery or None
        What a restart takes; None where nothing crashed, or there is no log proper.
    """

    reads: int = 0
    writes: int = 0
    erases: int = 0
    hits: int = 0
    misses: int = 0
    data_pages_written: int = 0
    log_pages_written: int = 0
    undo_pages_written: int = 0
    copied_pages: int = 0
    extra_log_reads: int = 0
    uncommitted_pages_written: int = 0
    garbage_pages: int = 0
    victims: list[Victim] = field(default_factory=list)
    resident_pages: int = 0
    live_pages: int = 0
    wal_pages_written: int = 0
    wal_forces: int = 0
    checkpoints: int = 0
    checkpoint_pages_written: int = 0
    undo_reads: int = 0
    transactions_pushed_out: int = 0
    recovery: Recovery | None = None

    def time_us(self, times: NandTimes = PAPER_TIMES) -> float:
        """Time of the counted operations on flash. [µs]"""
        return (
            self.reads * times.read_us
            + self.writes * times.write_us
            + self.erases * times.erase_us
        )

    def disk_time_us(self, disk_us: float, log_us: float) -> float:
        """Time of the same operations on a disk, which copies and erases nothing.

        Parameters
        ----------
        disk_us : float
            One random page read or write. [µs]
        log_us : float
            One page written to the log, one after the other. [µs]

        Returns
        -------
        float
            [µs]
        """
        random = self.reads + self.writes - 2 * self.copied_pages
        return (
            random - self.wal_pages_written
        ) * disk_us + self.wal_pages_written * log_us

    def to_dict(self, times: NandTimes = PAPER_TIMES) -> dict[str, Any]:
        """Return the counts and their time as plain data; the victims as a number."""
        found = asdict(self)
        del found["victims"]
        return {**found, "time_us": self.time_us(times)}


@dataclass(frozen=True, slots=True)
class Replayed:
    """What was replayed, and what each system did.

    Attributes
    ----------
    events, transactions : int
        Replayed.
    systems : dict of str to ReplayCounts
        By name.
    residents : dict of str to dict
        By system, the transactions with pages in memory at the end, where they were asked for: when each page
        was last touched, and when it committed. [ticks]
    """

    events: int
    transactions: int
    systems: dict[str, ReplayCounts]
    residents: dict[str, dict[str, tuple[tuple[float, ...], float | None]]]


@dataclass(frozen=True, slots=True)
class EventSurvey:
    """What a file of events holds.

    Attributes
    ----------
    events : int
        Steps.
    transactions, committed, aborted : int
        That began; of those, that committed and that aborted.
    reads, updates : int
        Page touches.
    pages : int
        From 0 to the highest number touched. [pages]
    """

    events: int
    transactions: int
    committed: int
    aborted: int
    reads: int
    updates: int
    pages: int


def survey_events(path: Path, on_progress: OnProgress | None = None) -> EventSurvey:
    """Read a file of events once, and count what it holds.

    Parameters
    ----------
    path : Path
        Text, compressed or not; one block of it is in memory.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If an event is impossible, as of `replay_systems`.
    TraceError
        If the file cannot be read, or a line of it is not an event.
    Cancelled
        If progress asked to stop.
    """
    found = _simulator.survey_transaction_file(path, on_progress)
    if "refused" in found:
        raise _refused(found["refused"])
    return EventSurvey(**found)


def keeps_log(system: str, *, durable: bool) -> bool:
    """Say whether a system keeps a log that is forced at commit; with `durable` all do."""
    return durable or system == ALWAYS_LOGGED


def about_logs(systems: Sequence[str], *, durable: bool) -> str:
    """Say which systems of several keep a log where not all do, and so cannot be compared by their time; else nothing.

    Parameters
    ----------
    systems : sequence of str
        That were replayed.
    durable : bool
        Whether every system keeps one.

    Examples
    --------
    >>> about_logs(["page_lru", "aries"], durable=False)
    'aries alone keeps a log that is forced at commit: its writes and time are of more than those of page_lru, which loses what was committed in a crash. Have every system keep one to compare them.'
    >>> about_logs(["aries"], durable=False)
    ''
    """
    others = [name for name in systems if name != ALWAYS_LOGGED]
    if durable or ALWAYS_LOGGED not in systems or not others:
        return ""
    lose = "loses" if len(others) == 1 else "lose"
    return (
        f"{ALWAYS_LOGGED} alone keeps a log that is forced at commit: its writes and time are of more than those of "
        f"{listed(others)}, which {lose} what was committed in a crash. Have every system keep one to compare them."
    )


def check_spare(spare: float) -> None:
    """Refuse a spare share that is not above 0 and finite. [1]

    Raises
    ------
    BadInput
        With its value.
    """
    if not (math.isfinite(spare) and spare > 0):
        raise BadInput(
            f"spare: `{spare}` is not above 0",
            "give (physical - logical) / logical, such as 0.28",
            (Problem("spare", str(spare), "is not above 0"),),
        )


def device_of(geometry: NandGeometry, spare: float) -> FlashDevice:
    """Return the flash device of the same blocks with this spare share.

    Parameters
    ----------
    geometry : NandGeometry
        Its blocks.
    spare : float
        (physical - logical) / logical, above 0. [1]

    Raises
    ------
    BadInput
        If the spare is not above 0 and finite.
    """
    check_spare(spare)
    pages = geometry.blocks * geometry.pages_per_block
    return FlashDevice(
        int(pages / (1 + spare)), geometry.blocks, geometry.pages_per_block
    )


def parse_events(text: str) -> list[Event]:
    """Read events, one a line: `B T1`, `R T1 7`, `U T1 7`, `C T1` or `A T1`.

    The clock is the number of the event unless a line ends in `@time`. Empty lines and what
    follows `#` are skipped.

    Raises
    ------
    BadInput
        With the line that cannot be read.
    """
    problems = Problems("events", "write one event per line, such as `U T1 7`")
    readable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    events, wrong = _simulator.parse_transaction_events(readable)
    for line, content in wrong:
        problems.add(f"line {line}", content, "is not an event")
    problems.raise_if_any()
    return [
        Event(kind, name, page, float(number) if time is None else time)
        for number, (kind, name, page, time) in enumerate(events, start=1)
    ]


def replay_systems(
    events: Iterable[Event] | Path,
    *,
    systems: Sequence[str] = PAPER_SYSTEMS,
    ram_pages: int,
    database_pages: int,
    log_bytes_per_update: int = 100,
    geometry: NandGeometry = PAPER_GEOMETRY,
    device: FlashDevice | None = None,
    durable: bool = False,
    checkpoint_pages: int = CHECKPOINT_PAGES,
    crash_after: int | None = None,
    most_steps: int | None = None,
    listed: bool = False,
    on_progress: OnProgress | None = None,
) -> Replayed:
    """Run events once, through every system, and count the page operations of each one's device.

    Parameters
    ----------
    events : iterable of Event, or Path
        In the order of their clocks; of a text file, compressed or not, one block at a time is in memory.
    systems : sequence of str
        Of `SYSTEMS`.
    ram_pages : int
        Buffer, at least 1. [pages]
    database_pages : int
        Pages 0 ... database_pages - 1 are on the device at the start. [pages]
    log_bytes_per_update : int
        One log record, at most a flash page. [bytes]
    geometry : NandGeometry
        Of the raw chip, which is written log-structured: that of the paper unless given; two blocks must
        stay free beside the database. Its page size holds for `device` too.
    device : FlashDevice or None
        A flash device with a translation layer instead of the raw chip.
    durable : bool
        Whether every system keeps a log proper: forced at commit and before a page is written that it
        describes. `aries` always does.
    checkpoint_pages : int
        Log between two checkpoints. A checkpoint writes the pages that have been dirty since before the
        previous one. [pages]
    crash_after : int or None
        Events after which the system crashes, at most as many as there are; what a restart takes is
        `ReplayCounts.recovery`.
    most_steps : int or None
        Pages copied, averaged or searched at most by each system, beyond the work of the events
        themselves; None: any number.
    listed : bool
        Whether to list the transactions pushed out, and those in memory at the end.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Returns
    -------
    Replayed
        Dirty pages still in memory at the end are not written.

    Raises
    ------
    BadInput
        If a number is out of its domain; if a transaction begins twice, commits without having
        begun or twice, or is touched after its end; if a page is out of range, the clock goes
        back, the device is too small for what is live, the crash is behind the last event, or it takes
        more than `most_steps`.
    TraceError
        If a file cannot be read, or a line of it is not an event.
    Cancelled
        If progress asked to stop.
    """
    _check(ram_pages, database_pages, systems, log_bytes_per_update, geometry, device)
    problems = Problems("transactions", "use a whole number of at least 1")
    problems.check(
        checkpoint_pages >= 1,
        "checkpoint_pages",
        checkpoint_pages,
        "must be at least 1",
    )
    problems.check(
        crash_after is None or crash_after >= 1,
        "crash_after",
        crash_after,
        "must be at least 1",
    )
    problems.raise_if_any()
    settings = {
        "systems": list(systems),
        "ram_pages": ram_pages,
        "database_pages": database_pages,
        "record_bytes": log_bytes_per_update,
        "blocks": geometry.blocks,
        "block_pages": geometry.pages_per_block,
        "page_bytes": geometry.page_bytes,
        "device": None if device is None else asdict(device),
        "durable": durable,
        "checkpoint_pages": checkpoint_pages,
        "crash_after": crash_after,
        "most_steps": most_steps,
        "list": listed,
    }
    found = (
        _simulator.replay_transaction_file(events, settings, on_progress)
        if isinstance(events, Path)
        else _simulator.replay_transaction_events(
            [
                (event.kind, event.transaction, _page_of(event), event.time)
                for event in events
            ],
            settings,
        )
    )
    if "refused" in found:
        raise _refused(found["refused"])
    return Replayed(
        found["events"],
        found["transactions"],
        {each["system"]: _counts(each) for each in found["systems"]},
        {
            each["system"]: {
                name: (tuple(times), commit)
                for name, times, commit in each["residents"]
            }
            for each in found["systems"]
        },
    )


def _page_of(event: Event) -> int | None:
    page = event.page
    return page if page is None or 0 <= page < LARGEST_PAGE else LARGEST_PAGE


def _counts(found: Mapping[str, Any]) -> ReplayCounts:
    recovery = found["recovery"]
    return ReplayCounts(
        **found["counts"],
        victims=[Victim(*each) for each in found["victims"]],
        recovery=None if recovery is None else Recovery(**recovery),
    )


def _refused(said: Mapping[str, str]) -> BadInput:
    part, place, value = said["part"], said["place"], said["value"]
    message, hint = said["message"], said["hint"]
    if part == "steps":
        message = f"takes more than {counted(int(value), 'step')} to replay"
        return BadInput(f"events: {message}", hint, (Problem("events", "", message),))
    if place:
        return BadInput(
            f"{place}: `{value}`: {message}",
            hint,
            (Problem(part, value, f"{place}: {message}"),),
        )
    if value:
        return BadInput(
            f"{part}: `{value}` {message}", hint, (Problem(part, value, message),)
        )
    return BadInput(message, hint, (Problem(part, "", message),))


def replay(
    events: Iterable[Event],
    *,
    ram_pages: int,
    database_pages: int,
    buffer: str = "transaction",
    write_scheme: str = "page",
    log_bytes_per_update: int = 100,
    geometry: NandGeometry = PAPER_GEOMETRY,
    most_steps: int | None = None,
) -> ReplayCounts:
    """Run events through one of the paper's buffers, with the transactions that it pushed out.

    Parameters
    ----------
    buffer : str
        `transaction` or `page_lru`.
    write_scheme : str
        `page` or `log`; `page_lru` writes pages only.
    events, ram_pages, database_pages, log_bytes_per_update, geometry, most_steps
        As in `replay_systems`.

    Returns
    -------
    ReplayCounts
        Dirty pages still in memory at the end are not written.

    Raises
    ------
    BadInput
        As `replay_systems`.
    """
    problems = Problems("transactions", "choose a buffer, and how it writes")
    problems.check(buffer in BUFFERS, "buffer", buffer, f"is not one of {BUFFERS}")
    problems.check(
        write_scheme in WRITE_SCHEMES,
        "write_scheme",
        write_scheme,
        f"is not one of {WRITE_SCHEMES}",
    )
    problems.check(
        buffer != "page_lru" or write_scheme == "page",
        "write_scheme",
        write_scheme,
        "is unknown to page_lru, which writes pages",
    )
    problems.raise_if_any()
    system = buffer if buffer == "page_lru" else f"transaction_{write_scheme}"
    return replay_systems(
        events,
        systems=(system,),
        ram_pages=ram_pages,
        database_pages=database_pages,
        log_bytes_per_update=log_bytes_per_update,
        geometry=geometry,
        most_steps=most_steps,
        listed=True,
    ).systems[system]


def compare_buffers(
    events: Iterable[Event] | Path,
    *,
    ram_pages: int,
    database_pages: int,
    systems: Sequence[str] = PAPER_SYSTEMS,
    log_bytes_per_update: int = 100,
    geometry: NandGeometry = PAPER_GEOMETRY,
    most_steps: int | None = None,
) -> dict[str, ReplayCounts]:
    """Replay several systems over the same events, read once.

    Parameters and errors as in `replay_systems`; `most_steps` holds for each of them.
    """
    return replay_systems(
        events,
        systems=systems,
        ram_pages=ram_pages,
        database_pages=database_pages,
        log_bytes_per_update=log_bytes_per_update,
        geometry=geometry,
        most_steps=most_steps,
    ).systems


def half_loaded(
    *, committed: int = 256, running: int = 512, pages_each: int = 16
) -> list[Event]:
    """Events like those of the paper's Figure 6(a); its order of events is unpublished.

    The running transactions update half of their pages, then the others run and commit and
    memory is full, then the running ones read the first half again, update the other half
    and commit.
    """
    half = pages_each // 2
    steps: list[tuple[Kind, str, int | None]] = []
    names = [f"R{index:05}" for index in range(running)]
    first = {name: index * pages_each for index, name in enumerate(names)}
    for name in names:
        steps.append(("begin", name, None))
        steps += [("update", name, first[name] + page) for page in range(half)]
    for index in range(committed):
        name, start = f"C{index:05}", (running + index) * pages_each
        steps.append(("begin", name, None))
        steps += [("update", name, start + page) for page in range(pages_each)]
        steps.append(("commit", name, None))
    for name in names:
        steps += [("read", name, first[name] + page) for page in range(half)]
        steps += [
            ("update", name, first[name] + page) for page in range(half, pages_each)
        ]
        steps.append(("commit", name, None))
    return [Event(*step, float(at)) for at, step in enumerate(steps, start=1)]


def concurrent_loads(*, running: int = 1024, pages_each: int = 16) -> list[Event]:
    """Events like those of Figure 6(b): every transaction loads one page in turn."""
    names = [f"T{index:05}" for index in range(running)]
    steps: list[tuple[Kind, str, int | None]] = [
        ("begin", name, None) for name in names
    ]
    for page in range(pages_each):
        steps += [
            ("update", name, index * pages_each + page)
            for index, name in enumerate(names)
        ]
    steps += [("commit", name, None) for name in names]
    return [Event(*step, float(at)) for at, step in enumerate(steps, start=1)]


def _check(
    ram_pages: int,
    database_pages: int,
    systems: Sequence[str],
    log_bytes: int,
    geometry: NandGeometry,
    device: FlashDevice | None,
) -> None:
    check_geometry(geometry)
    problems = Problems("transactions", "use whole pages of the chip")
    problems.check(ram_pages >= 1, "ram_pages", ram_pages, "must be at least 1")
    problems.check(
        ram_pages <= MOST_FRAMES,
        "ram_pages",
        ram_pages,
        f"must be at most {MOST_FRAMES}",
    )
    chip_pages = geometry.blocks * geometry.pages_per_block
    problems.check(
        chip_pages <= MOST_CHIP_PAGES,
        "blocks",
        geometry.blocks,
        f"hold more than {MOST_CHIP_PAGES} pages",
    )
    room = (
        (geometry.blocks - SPARE_BLOCKS) * geometry.pages_per_block
        if device is None
        else device.logical_pages
    )
    free = (
        f"{SPARE_BLOCKS} blocks stay free for writing"
        if device is None
        else "they are the logical pages of the flash device"
    )
    problems.check(
        1 <= database_pages <= room,
        "database_pages",
        database_pages,
        f"must lie between 1 and {room}: {free}",
    )
    problems.raise_if_any()
    problems = Problems("transactions", f"choose among {', '.join(SYSTEMS)}")
    for system in systems:
        problems.check(system in SYSTEMS, "system", system, "is not a system")
    problems.raise_if_any()
    problems = Problems("transactions", "give the bytes of a log record, such as 100")
    problems.check(
        1 <= log_bytes <= geometry.page_bytes,
        "log_bytes_per_update",
        log_bytes,
        f"must lie between 1 and the {geometry.page_bytes} bytes of a page",
    )
    problems.raise_if_any()
