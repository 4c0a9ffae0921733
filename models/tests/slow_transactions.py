"""The slow, obvious model of transactions over flash: what the core is tested against.

Two buffers: `transaction` (committed transactions leave first, then running ones by AAT; its
pages are written out as pages or as log records) and `page_lru`, the paper's baseline: one
LRU of pages that steals from running transactions and forces nothing at commit.

Source: Zhou, Meng and Liang (2009), sections II.B and IV. Where the paper is silent:

* A page belongs to the transaction that updated it last, else to the one that touched it last.
* Lazy replace holds for both ways of writing: a pushed-out transaction's pages stay readable
  until their frames are needed, least recently touched first.
* Log records of one push are packed into whole log pages; the last is written part-filled.
* A page whose records lie on `MERGE_LOG_PAGES` log pages is written as a page at its next
  push: reading it has then grown as expensive as writing it.
* An abort drops the transaction's changes in memory. Pages it had pushed out as pages are
  written back with their old content (as section II.C says); its log pages are only dropped.
* The chip is log-structured: writes go to erased pages; when one block is left erased, the block
  with the fewest live pages is copied and erased.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from tierwright.common.errors import BadInput, Problem, Problems
from tierwright.common.wording import counted
from tierwright.evaluate.transactions.eviction import Transaction
from tierwright.evaluate.transactions.nand import (
    PAPER_GEOMETRY,
    PAPER_TIMES,
    NandGeometry,
    NandTimes,
    check_geometry,
    io_time_us,
)
from tierwright.simulate.transactions import Event, Victim

BUFFERS = ("transaction", "page_lru")
WRITE_SCHEMES = ("page", "log")
MERGE_LOG_PAGES = 8
SPARE_BLOCKS = 2
MOST_CLOCK = 1e200
"""Sums of clocks stay finite below. [ticks]"""


@dataclass(slots=True)
class ReplayCounts:
    """What a replay counted.

    Attributes
    ----------
    reads, writes : int
        Page reads and programs of the chip, copies of garbage collection included. [pages]
    erases : int
        [blocks]
    hits, misses : int
        Page touches found, not found, in memory.
    data_pages_written, log_pages_written : int
        Programs that write out pages, log records. [pages]
    undo_pages_written : int
        Programs that restore a page after an abort. [pages]
    copied_pages : int
        Live pages moved by garbage collection. [pages]
    extra_log_reads : int
        Log pages read to reconstruct a page. [pages]
    uncommitted_pages_written : int
        Programs that hold changes of a transaction still running then. [pages]
    garbage_pages : int
        Of those, the ones whose transaction aborted later. [pages]
    victims : list of Victim
        Transactions pushed out, in order (`transaction` buffer only).
    resident_pages : int
        Pages in memory at the end.
    live_pages : int
        Pages of the chip that hold valid content at the end.
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

    def time_us(self, times: NandTimes = PAPER_TIMES) -> float:
        """Time of the counted operations. [µs]"""
        return float(io_time_us(self.reads, self.writes, self.erases, times))

    def to_dict(self, times: NandTimes = PAPER_TIMES) -> dict[str, int | float]:
        """Return the counts and their time as plain data; the victims as a number."""
        names = [name for name in self.__slots__ if name != "victims"]
        return {
            **{name: getattr(self, name) for name in names},
            "transactions_pushed_out": len(self.victims),
            "time_us": self.time_us(times),
        }


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
    lazy: bool = True,
    singly: bool = False,
) -> ReplayCounts:
    """Run events through a buffer and count the page operations of the chip.

    Not `lazy`: frames are empty as soon as they are written. `singly`: pages of running transactions leave
    one by one, the least recently touched first.

    Parameters
    ----------
    events : iterable of Event
        In the order of their clocks.
    ram_pages : int
        Buffer, at least 1. [pages]
    database_pages : int
        Pages 0 ... database_pages - 1 are on the chip at the start. [pages]
    buffer : str
        `transaction` or `page_lru`.
    write_scheme : str
        `page` or `log`; `page_lru` writes pages only.
    log_bytes_per_update : int
        One log record, at most a flash page. [bytes]
    geometry : NandGeometry
        That of the paper unless given; two blocks must stay free beside the database.
    most_steps : int or None
        Pages copied, averaged or searched at most, beyond the work of the events themselves;
        None: any number.

    Returns
    -------
    ReplayCounts
        Dirty pages still in memory at the end are not written.

    Raises
    ------
    BadInput
        If a number is out of its domain; if a transaction begins twice, commits without having
        begun or twice, or is touched after its end; if a page is out of range, the clock goes
        back, the chip is too small for what is live, or it takes more than `most_steps`.
    """
    _check(
        ram_pages,
        database_pages,
        buffer,
        write_scheme,
        log_bytes_per_update,
        geometry,
    )
    counts = ReplayCounts()
    chip = _Chip(geometry, database_pages, counts, _Steps(most_steps))
    memory: _Memory = (
        _PageLru(ram_pages, chip, counts)
        if buffer == "page_lru"
        else _TransactionBuffer(
            ram_pages, chip, counts, log_bytes_per_update, logs=write_scheme == "log"
        )
    )
    if isinstance(memory, _TransactionBuffer):
        memory.lazy, memory.singly = lazy, singly
    _run(events, memory, database_pages)
    counts.resident_pages = len(memory.frames)
    counts.live_pages = chip.live_pages
    return counts


def _run(events: Iterable[Event], memory: _Memory, database_pages: int) -> None:
    for event in _checked(events, database_pages):
        if event.kind == "begin":
            memory.begin(event.transaction)
        elif event.kind == "commit":
            memory.commit(event.transaction, event.time)
        elif event.kind == "abort":
            memory.abort(event.transaction)
        elif event.page is not None:
            memory.touch(
                event.transaction,
                event.page,
                event.time,
                update=event.kind == "update",
            )


def residents(
    events: Iterable[Event],
    *,
    ram_pages: int,
    database_pages: int,
    geometry: NandGeometry = PAPER_GEOMETRY,
    most_steps: int | None = None,
) -> dict[str, Transaction]:
    r"""Tell which transactions hold pages in memory after the events, as `eviction_order` takes them.

    Pages that were written out and only wait for their frames to be taken do not count: they
    leave before any transaction is pushed out.

    Parameters and errors as in `replay`; the buffer is `transaction`, and writes pages.

    Examples
    --------
    >>> from tierwright.evaluate.transactions.eviction import eviction_order
    >>> events = parse_events("B A\nU A 0\nB B\nU B 1\nR A 2\nC B")
    >>> found = residents(events, ram_pages=4, database_pages=8)
    >>> found["A"], found["B"].commit_time
    (Transaction(access_times=(2, 5), commit_time=None), 6)
    >>> eviction_order(found)
    ['B', 'A']
    """
    _check(ram_pages, database_pages, "transaction", "page", 1, geometry)
    counts = ReplayCounts()
    chip = _Chip(geometry, database_pages, counts, _Steps(most_steps))
    memory = _TransactionBuffer(ram_pages, chip, counts, 1, logs=False)
    _run(events, memory, database_pages)
    return memory.residents()


def _check(
    ram_pages: int,
    database_pages: int,
    buffer: str,
    write_scheme: str,
    log_bytes: int,
    geometry: NandGeometry,
) -> None:
    check_geometry(geometry)
    problems = Problems("transactions", "use whole pages of the chip")
    problems.check(ram_pages >= 1, "ram_pages", ram_pages, "must be at least 1")
    room = (geometry.blocks - SPARE_BLOCKS) * geometry.pages_per_block
    problems.check(
        1 <= database_pages <= room,
        "database_pages",
        database_pages,
        f"must lie between 1 and {room}: {SPARE_BLOCKS} blocks stay free for writing",
    )
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
    problems.check(
        1 <= log_bytes <= geometry.page_bytes,
        "log_bytes_per_update",
        log_bytes,
        f"must lie between 1 and the {geometry.page_bytes} bytes of a page",
    )
    problems.raise_if_any()


def _checked(events: Iterable[Event], database_pages: int) -> Iterator[Event]:
    """Pass events on, refusing those that no database makes."""
    running: set[str] = set()
    ended: set[str] = set()
    clock = float("-inf")
    for number, event in enumerate(events, start=1):
        wrong = _wrong(event, running, ended, database_pages)
        if not event.time >= clock:
            wrong = f"the clock goes back from {clock:g} to {event.time:g}"
        if not abs(event.time) <= MOST_CLOCK:
            wrong = f"the clock `{event.time:g}` is beyond {MOST_CLOCK:g}"
        if wrong:
            step = f"{event.kind} {event.transaction}"
            hint = (
                "let each transaction begin once, touch pages, and commit or abort once"
            )
            if wrong.startswith("page") and event.page is not None:
                pages = f"{event.page + 1:,} page{'s' if event.page else ''}"
                hint = f"give the database {pages} at least, or number its pages from 0"
            raise BadInput(
                f"event {number}: `{step}`: {wrong}",
                hint,
                (Problem("events", step, f"event {number}: {wrong}"),),
            )
        clock = event.time
        if event.kind == "begin":
            running.add(event.transaction)
        elif event.kind in ("commit", "abort"):
            running.remove(event.transaction)
            ended.add(event.transaction)
        yield event


def _wrong(
    event: Event, running: set[str], ended: set[str], database_pages: int
) -> str:
    name = event.transaction
    if event.kind == "begin":
        return "has begun before" if name in running or name in ended else ""
    if name in ended:
        return "has ended before"
    if name not in running:
        return "has not begun"
    if event.kind in ("read", "update") and not (
        event.page is not None and 0 <= event.page < database_pages
    ):
        return (
            f"page `{event.page}` is not among the {database_pages:,} of the database, "
            "which are numbered from 0"
        )
    return ""


BEING_WRITTEN = -1
Content = tuple[Literal["page", "log"], int]


class _Steps:
    """Counts the work that grows faster than the events, and stops at its bound."""

    def __init__(self, most: int | None) -> None:
        self.most = math.inf if most is None else most
        self.taken = 0

    def spend(self, steps: int) -> None:
        self.taken += steps
        if self.taken > self.most:
            message = f"takes more than {counted(self.most, 'step')} to replay"
            raise BadInput(
                f"events: {message}",
                "give fewer events, smaller blocks or a chip with more room; use the "
                "command tierwright transactions, which accepts any number",
                (Problem("events", "", message),),
            )


class _Chip:
    """A log-structured chip: where content lies, and what it costs to keep it.

    Only what was written is stored: a page of the database that was not lies where it started,
    page after page from block 0.
    """

    def __init__(
        self,
        geometry: NandGeometry,
        database_pages: int,
        counts: ReplayCounts,
        steps: _Steps,
    ) -> None:
        self.size = geometry.pages_per_block
        self.page_bytes = geometry.page_bytes
        self.database_pages = database_pages
        self.counts = counts
        self.steps = steps
        self.used = -(-database_pages // self.size)
        self.place: dict[Content, int] = {}
        self.written: dict[int, set[Content]] = {}  # by block
        self.live: dict[int, int] = {}  # by block; absent: as at the start
        self.emptiest: list[
            tuple[int, int]
        ] = []  # heap of live pages, block; some outdated
        self._note(self.used - 1)
        self.open = self.used
        self.erased = range(self.used + 1, geometry.blocks)
        self.left = self.size

    @property
    def live_pages(self) -> int:
        return self.database_pages + sum(kind == "log" for kind, _ in self.place)

    def _live(self, block: int) -> int:
        return self.live.get(block, len(self._first_pages(block)))

    def _first_pages(self, block: int) -> range:
        first = block * self.size
        return range(first, max(first, min(first + self.size, self.database_pages)))

    def _note(self, block: int) -> None:
        heapq.heappush(self.emptiest, (self._live(block), block))

    def drop(self, content: Content) -> None:
        kind, number = content
        block = self.place.pop(content, None)
        if block is not None:
            self.written[block].discard(content)
        elif kind == "page":
            block = number // self.size
        else:
            return
        if kind == "page":
            self.place[content] = BEING_WRITTEN
        self.live[block] = self._live(block) - 1
        if block != self.open:
            self._note(block)

    def write(self, content: Content) -> None:
        self.drop(content)
        if self.left == 0:
            self._next_block()
        self._program(content)

    def _program(self, content: Content) -> None:
        self.place[content] = self.open
        self.written.setdefault(self.open, set()).add(content)
        self.live[self.open] = self._live(self.open) + 1
        self.left -= 1
        self.counts.writes += 1

    def _next_block(self) -> None:
        self._note(self.open)
        if len(self.erased) > 1:
            self.open, self.left = self.erased[0], self.size
            self.erased = self.erased[1:]
            return
        # The last erased block takes the live pages of the emptiest one, which is erased.
        victim = self._emptiest()
        first: list[Content] = [("page", page) for page in self._first_pages(victim)]
        moved = sorted(
            self.written.pop(victim, set()).union(
                content for content in first if content not in self.place
            )
        )
        self.steps.spend(self.size)
        self.open, self.left = self.erased[0], self.size
        self.live[victim] = 0
        for content in moved:
            self.counts.reads += 1
            self.counts.copied_pages += 1
            self._program(content)
        self.erased = range(victim, victim + 1)
        self.counts.erases += 1

    def _emptiest(self) -> int:
        """Return the written block with the fewest live pages, the first of equals."""
        while self.emptiest:
            live, block = heapq.heappop(self.emptiest)
            if live == self._live(block) < self.size and block not in self.erased:
                return block
        message = f"the chip is full: all {counted(self.live_pages, 'page is', 'pages are')} live"
        raise BadInput(
            message,
            "give more blocks, or a smaller database",
            (Problem("blocks", "", message),),
        )


@dataclass(slots=True)
class _Frame:
    """A page in memory."""

    owner: str
    time: float
    records: dict[str, int] = field(default_factory=dict)
    """Log records not written yet, by transaction, the last to update at the end."""


class _Memory:
    """What both buffers share: frames, reads, and the undoing of aborts."""

    def __init__(self, ram_pages: int, chip: _Chip, counts: ReplayCounts) -> None:
        self.ram_pages = ram_pages
        self.chip = chip
        self.counts = counts
        self.frames: dict[int, _Frame] = {}
        self.running: set[str] = set()
        self.pushed: dict[str, list[tuple[int, Content]]] = {}
        self.programs = 0
        self.garbage: set[int] = set()
        self.changed: dict[str, set[int]] = {}  # by transaction that has not committed

    def begin(self, name: str) -> None:
        self.running.add(name)

    def commit(self, name: str, time: float) -> None:
        del time
        self.running.discard(name)
        self.pushed.pop(name, None)
        self.changed.pop(name, None)

    def abort(self, name: str) -> None:
        self.running.discard(name)
        for program, content in self.pushed.pop(name, ()):
            self.garbage.add(program)
            self.undo(name, content)
        self.counts.garbage_pages = len(self.garbage)
        for page in self.changed.pop(name, ()):
            if page in self.frames:
                self.frames[page].records.pop(name, None)

    def touch(self, name: str, page: int, time: float, *, update: bool) -> None:
        frame = self.frames.get(page)
        if frame is None:
            self.counts.misses += 1
            self.counts.reads += 1
            self.read_logs(page)
            if len(self.frames) >= self.ram_pages:
                self.make_room()
            frame = self.frames[page] = _Frame(name, time)
        else:
            self.counts.hits += 1
        frame.time = time
        if update:
            frame.records[name] = frame.records.pop(name, 0) + 1
            self.changed.setdefault(name, set()).add(page)

    def wrote(self, content: Content, writers: Iterable[str]) -> None:
        self.chip.write(content)
        self.programs += 1
        running = [name for name in writers if name in self.running]
        for name in running:
            self.pushed.setdefault(name, []).append((self.programs, content))
        self.counts.uncommitted_pages_written += bool(running)

    def write_page(self, page: int, writers: Iterable[str]) -> None:
        self.counts.data_pages_written += 1
        self.wrote(("page", page), writers)

    def undo(self, name: str, content: Content) -> None:
        """Write the page back as it was before the transaction."""
        del name
        self.counts.undo_pages_written += 1
        self.chip.write(content)

    def read_logs(self, page: int) -> None:
        """Read the log pages that a page needs besides itself; none here."""

    def make_room(self) -> None:
        raise NotImplementedError


class _PageLru(_Memory):
    """Least recently touched page first, whoever changed it."""

    def touch(self, name: str, page: int, time: float, *, update: bool) -> None:
        super().touch(name, page, time, update=update)
        self.frames[page] = self.frames.pop(page)  # to the recent end

    def make_room(self) -> None:
        page = next(iter(self.frames))
        frame = self.frames.pop(page)
        if frame.records:
            self.write_page(page, frame.records)


class _TransactionBuffer(_Memory):
    """Committed transactions first, then running ones by AAT; pages or log records."""

    def __init__(
        self,
        ram_pages: int,
        chip: _Chip,
        counts: ReplayCounts,
        log_bytes: int,
        *,
        logs: bool,
    ) -> None:
        super().__init__(ram_pages, chip, counts)
        self.log_bytes = log_bytes
        self.logs = logs
        self.lazy = True
        self.singly = False
        self.touches = 0
        self.touched_at: dict[int, int] = {}
        self.commit_time: dict[str, float] = {}
        self.owned: dict[str, set[int]] = {}
        self.free: dict[int, None] = {}  # written out, may be taken, in order
        self.logs_of: dict[int, list[int]] = {}  # log pages that a page needs
        self.log_users: dict[int, dict[int, set[str]]] = {}  # log: page: transactions
        self.next_log = 0
        # By when they leave, as `eviction_order` has it; some entries are outdated.
        self.by_commit: list[tuple[float, str]] = []
        self.by_average: list[tuple[float, str]] = []
        self.average: dict[str, float] = {}  # AAT of those untouched since
        self.stale: set[str] = set()  # the others

    def commit(self, name: str, time: float) -> None:
        super().commit(name, time)
        self.commit_time[name] = time
        heapq.heappush(self.by_commit, (time, name))

    def abort(self, name: str) -> None:
        super().abort(name)
        # Nobody wants its pages any more; those that another changed before go back to that one.
        self.average.pop(name, None)
        for page in sorted(self.owned.pop(name, ())):
            if self.frames[page].records:
                self.give(page, next(reversed(self.frames[page].records)))
            else:
                self.free[page] = None

    def touch(self, name: str, page: int, time: float, *, update: bool) -> None:
        super().touch(name, page, time, update=update)
        self.touches += 1
        self.touched_at[page] = self.touches
        self.free.pop(page, None)
        frame = self.frames[page]
        self.take(page)
        self.give(page, name if update or not frame.records else frame.owner)

    def take(self, page: int) -> None:
        owner = self.frames[page].owner
        self.touched(owner)
        self.owned.get(owner, set()).discard(page)

    def give(self, page: int, name: str) -> None:
        self.frames[page].owner = name
        self.touched(name)
        pages = self.owned.setdefault(name, set())
        if not pages and name in self.commit_time:
            heapq.heappush(self.by_commit, (self.commit_time[name], name))
        pages.add(page)

    def touched(self, name: str) -> None:
        self.average.pop(name, None)
        self.stale.add(name)

    def make_room(self) -> None:
        if not self.free:
            if self.singly and self.first_committed() is None:
                self.steal(min(self.frames, key=self.touched_at.__getitem__))
                return
            self.push_out(self.victim())
            if not self.lazy:
                for page in list(self.free):
                    self.empty(page)
                return
        self.empty(next(iter(self.free)))

    def empty(self, page: int) -> None:
        self.free.pop(page, None)
        self.take(page)
        del self.frames[page]

    def steal(self, page: int) -> None:
        if self.frames[page].records:
            self.write_page(page, self.frames[page].records)
            self.frames[page].records.clear()
        self.empty(page)

    def residents(self) -> dict[str, Transaction]:
        """Return the transactions whose pages would have to be pushed out."""
        found = {
            name: tuple(
                self.frames[page].time
                for page in sorted(pages, key=lambda page: self.frames[page].time)
                if page not in self.free
            )
            for name, pages in self.owned.items()
        }
        return {
            name: Transaction(times, self.commit_time.get(name))
            for name, times in found.items()
            if times
        }

    def victim(self) -> str:
        """Return the transaction with pages in memory that leaves first."""
        committed = self.first_committed()
        return self.first_running() if committed is None else committed

    def first_committed(self) -> str | None:
        while self.by_commit:
            name = self.by_commit[0][1]
            if self.owned.get(name):
                return name
            heapq.heappop(self.by_commit)
        return None

    def first_running(self) -> str:
        for name in self.stale:
            pages = self.owned.get(name)
            if pages and name not in self.commit_time:
                self.chip.steps.spend(len(pages))
                times = (self.frames[page].time for page in pages)
                self.average[name] = math.fsum(times) / len(pages)
                heapq.heappush(self.by_average, (self.average[name], name))
        self.stale.clear()
        while True:
            average, name = self.by_average[0]
            if self.average.get(name) == average and name not in self.commit_time:
                return name
            heapq.heappop(self.by_average)

    def next_commit(self, name: str) -> float | None:
        """Return the earliest commit of the other transactions with pages in memory."""
        kept = []
        while self.first_committed() == name:
            kept.append(heapq.heappop(self.by_commit))
        found = self.by_commit[0][0] if self.by_commit else None
        for entry in kept[:1]:
            heapq.heappush(self.by_commit, entry)
        return found

    def push_out(self, name: str) -> None:
        self.counts.victims.append(
            Victim(name, self.commit_time.get(name), self.next_commit(name))
        )
        pages = sorted(
            self.owned[name], key=lambda page: (self.frames[page].time, page)
        )
        to_log = []
        for page in pages:
            records = self.frames[page].records
            if records and self.worth_logging(page):
                to_log.append(page)
            elif records:
                self.write_page(page, records)
                self.leave_logs(page)
        self.write_log_pages(to_log)
        for page in pages:
            self.frames[page].records.clear()
            self.free[page] = None

    def worth_logging(self, page: int) -> bool:
        records = sum(self.frames[page].records.values())
        return (
            self.logs
            and records * self.log_bytes < self.chip.page_bytes
            and len(self.logs_of.get(page, ())) < MERGE_LOG_PAGES
        )

    def write_log_pages(self, pages: list[int]) -> None:
        """Pack the records of the pages into log pages, records straddling them."""
        at = 0
        users: dict[int, dict[int, set[str]]] = {}
        for page in pages:
            records = self.frames[page].records
            end = at + sum(records.values()) * self.log_bytes
            first, last = at // self.chip.page_bytes, (end - 1) // self.chip.page_bytes
            for log in range(first, last + 1):
                users.setdefault(self.next_log + log, {})[page] = set(records)
                self.logs_of.setdefault(page, []).append(self.next_log + log)
            at = end
        self.next_log += len(users)
        self.log_users |= users
        for log, by_page in users.items():
            self.counts.log_pages_written += 1
            self.wrote(("log", log), sorted(set().union(*by_page.values())))

    def read_logs(self, page: int) -> None:
        extra = len(self.logs_of.get(page, ()))
        self.counts.reads += extra
        self.counts.extra_log_reads += extra

    def leave_logs(self, page: int) -> None:
        """Forget the log pages of a page that was written whole."""
        for log in self.logs_of.pop(page, ()):
            self.leave_log(log, page)

    def leave_log(self, log: int, page: int) -> None:
        users = self.log_users[log]
        del users[page]
        if not users:
            del self.log_users[log]
            self.chip.drop(("log", log))

    def undo(self, name: str, content: Content) -> None:
        kind, log = content
        if kind == "page":
            super().undo(name, content)
            return
        pages = list(self.log_users.get(log, {}).items())
        self.chip.steps.spend(len(pages))
        for page, writers in pages:
            writers.discard(name)
            if not writers:
                self.logs_of[page].remove(log)
                self.leave_log(log, page)
