"""What transactions cost on raw flash through three buffers, and who would leave memory next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tierwright.advise.transaction_effects import at_other_times
from tierwright.common.answer import Answer, Figure, Step, step
from tierwright.common.cautions import Caution, Effect, Weigh, anywhere
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problem
from tierwright.common.wording import counted, duration_us, percent
from tierwright.evaluate.transactions.eviction import Transaction
from tierwright.evaluate.transactions.nand import (
    PAPER_GEOMETRY,
    PAPER_TIMES,
    NandGeometry,
    NandTimes,
)
from tierwright.evaluate.transactions.study import (
    Leaving,
    leaving_order,
    operations_derivation,
)
from tierwright.simulate.transactions import (
    SPARE_BLOCKS,
    Event,
    ReplayCounts,
    compare_buffers,
    replay_systems,
)

BUFFER_TITLES = {
    "page_lru": "LRU of pages",
    "transaction_page": "Transactions, as pages",
    "transaction_log": "Transactions, as log records",
}
BUFFER_WORDS = {
    "page_lru": "single pages by LRU",
    "transaction_page": "transactions as pages",
    "transaction_log": "transactions as log records",
}
"""The same within a sentence."""
ESTIMATOR = "replay of every event; time is counted operations times busy times"
VALIDITY = (
    "one chip without parallelism, written log-structured; locks and the "
    "transaction log proper are not modelled; dirty pages left at the end are not written"
)


def residents(
    events: Iterable[Event] | Path,
    *,
    ram_pages: int,
    database_pages: int,
    geometry: NandGeometry = PAPER_GEOMETRY,
    most_steps: int | None = None,
) -> dict[str, Transaction]:
    r"""Tell which transactions hold pages in memory after the events, as `eviction_order` takes them.

    Pages that were written out and only wait for their frames to be taken do not count: they
    leave before any transaction is pushed out.

    Parameters and errors as in `replay_systems`; the system is `transaction_page`.

    Examples
    --------
    >>> from tierwright.evaluate.transactions.eviction import eviction_order
    >>> from tierwright.simulate.transactions import parse_events
    >>> events = parse_events("B A\nU A 0\nB B\nU B 1\nR A 2\nC B")
    >>> found = residents(events, ram_pages=4, database_pages=8)
    >>> found["A"], found["B"].commit_time
    (Transaction(access_times=(2.0, 5.0), commit_time=None), 6.0)
    >>> eviction_order(found)
    ['B', 'A']
    """
    found = replay_systems(
        events,
        systems=("transaction_page",),
        ram_pages=ram_pages,
        database_pages=database_pages,
        geometry=geometry,
        log_bytes_per_update=1,
        most_steps=most_steps,
        listed=True,
    )
    return {
        name: Transaction(times, commit)
        for name, (times, commit) in found.residents["transaction_page"].items()
    }


@dataclass(frozen=True, slots=True)
class BufferRow:
    """What one buffer did.

    Attributes
    ----------
    buffer, title : str
        Name and title.
    counts : ReplayCounts
        What it counted.
    read_time_us, write_time_us, erase_time_us, time_us : float
        By operation, and all. [µs]
    """

    buffer: str
    title: str
    counts: ReplayCounts
    read_time_us: float
    write_time_us: float
    erase_time_us: float
    time_us: float


@dataclass(frozen=True, kw_only=True)
class TransactionReplay(Answer):
    """The same transactions through three buffers.

    Attributes
    ----------
    sentence : str
        What each buffer writes of running transactions, and who leaves next, in words.
    events, transactions : int
        Replayed.
    ram_pages, database_pages : int
        [pages of the chip]
    buffers : tuple of BufferRow
        One a buffer.
    leaving : tuple of Leaving
        Transactions in memory at the end, in order of eviction.
    estimator, validity : str
        What was used and where it holds.
    """

    sentence: str
    events: int
    transactions: int
    ram_pages: int
    database_pages: int
    buffers: tuple[BufferRow, ...]
    leaving: tuple[Leaving, ...]
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """I/O time of each buffer."""
        return tuple(
            Figure(f"{each.buffer}_us", each.title, each.time_us, "µs")
            for each in self.buffers
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            "sentence": self.sentence,
            "numbers": plain(list(self.figures)),
            "buffers": {each.buffer: plain(each.counts) for each in self.buffers},
            "leaving": plain(list(self.leaving)),
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found


def check_room(
    events: Sequence[Event],
    *,
    geometry: NandGeometry,
    log_bytes_per_update: int,
) -> int:
    """Return the pages of the database, from 0 to the largest number. [pages]

    Raises
    ------
    BadInput
        If the chip does not hold them, or a page no log record; its problem names the parameter.
    """
    touched = [event.page for event in events if event.page is not None]
    pages = max(touched, default=0) + 1
    per_block = geometry.pages_per_block
    room = (geometry.blocks - SPARE_BLOCKS) * per_block
    if pages > room:
        raise _refused(
            "blocks",
            geometry.blocks,
            f"hold {counted(room, 'page')} of a database, because {SPARE_BLOCKS} blocks stay free "
            f"for writing; this database has {pages:,}",
            f"give at least {counted(-(-pages // per_block) + SPARE_BLOCKS, 'block')}, or lower "
            "page numbers",
        )
    if log_bytes_per_update > geometry.page_bytes:
        raise _refused(
            "log_bytes_per_update",
            log_bytes_per_update,
            f"is more than the {geometry.page_bytes:,} bytes of a page of the chip",
            "give shorter log records, or a larger page_bytes",
        )
    return pages


def _refused(where: str, value: int, message: str, hint: str) -> BadInput:
    problem = Problem(where, str(value), message)
    return BadInput(f"transactions: {problem}", hint, (problem,))


def answer(
    events: Sequence[Event],
    *,
    ram_pages: int,
    log_bytes_per_update: int,
    geometry: NandGeometry,
    times: NandTimes,
    most_steps: int | None = None,
    ours: bool = False,
) -> TransactionReplay:
    """Replay transactions through an LRU of pages and two buffers of transactions.

    Parameters
    ----------
    events : sequence of Event
        In their order.
    ram_pages : int
        Buffer. [pages of the chip]
    log_bytes_per_update : int
        Log record of one update. [bytes]
    geometry : NandGeometry
        Of the chip.
    times : NandTimes
        Of its operations. [µs]
    most_steps : int, optional
        Bound of the work; unless given, none.
    ours : bool
        Whether the events were made by us like the paper's, which is warned of.

    Raises
    ------
    BadInput
        As `check_room`; if a number is out of its domain, or the work exceeds its bound.
    """
    database_pages = check_room(
        events, geometry=geometry, log_bytes_per_update=log_bytes_per_update
    )
    found = compare_buffers(
        events,
        ram_pages=ram_pages,
        database_pages=database_pages,
        log_bytes_per_update=log_bytes_per_update,
        geometry=geometry,
        most_steps=most_steps,
    )
    leaving = leaving_order(
        residents(
            events,
            ram_pages=ram_pages,
            database_pages=database_pages,
            geometry=geometry,
            most_steps=most_steps,
        )
    )
    taken = {name: counts.time_us(times) for name, counts in found.items()}

    def explain() -> Iterator[Step]:
        for name, counts in found.items():
            yield step(
                operations_derivation(
                    f"time: {BUFFER_TITLES[name]}",
                    counts.reads,
                    counts.writes,
                    counts.erases,
                    times,
                )
            )

    return TransactionReplay(
        finding=_finding(taken),
        warnings=tuple(_cautions(found, times, ours=ours)),
        explain=explain,
        weigh=_weigher(found, taken),
        sentence=_sentence(found, leaving),
        events=len(events),
        transactions=len({event.transaction for event in events}),
        ram_pages=ram_pages,
        database_pages=database_pages,
        buffers=tuple(
            BufferRow(
                name,
                BUFFER_TITLES[name],
                counts,
                counts.reads * times.read_us,
                counts.writes * times.write_us,
                counts.erases * times.erase_us,
                taken[name],
            )
            for name, counts in found.items()
        ),
        leaving=tuple(leaving),
    )


def _cautions(
    found: Mapping[str, ReplayCounts], times: NandTimes, *, ours: bool
) -> Iterator[Caution]:
    if ours:
        yield Caution(
            "order_of_events_is_ours",
            "the transactions are generated like the paper's, whose order of events is "
            "not published",
            "give the events of your own transactions",
        )
    if times == PAPER_TIMES:
        yield Caution(
            "chip_of_2006",
            "the chip's times are those of the paper's Table I, a chip of 2006",
            "give read, write and erase times of your own chip",
        )
    if not any(
        counts.transactions_pushed_out or counts.writes or counts.victims
        for counts in found.values()
    ):
        yield Caution(
            "everything_fits",
            "everything fits into memory, so nothing was evicted",
            "give a smaller buffer, or more transactions",
        )


def _weigher(found: Mapping[str, ReplayCounts], taken: Mapping[str, float]) -> Weigh:
    """Return what weighs the times of the chip: the counts do not depend on them."""

    def weigh(caution: Caution) -> Effect:
        if caution.name != "chip_of_2006":
            return anywhere(caution)
        return at_other_times(
            {
                name: {
                    "page read": counts.reads,
                    "page write": counts.writes,
                    "block erase": counts.erases,
                }
                for name, counts in found.items()
            },
            min(taken, key=lambda name: taken[name]),
            BUFFER_WORDS,
        )

    return weigh


def _finding(taken: Mapping[str, float]) -> str:
    best = min(taken, key=lambda name: taken[name])
    base = taken["page_lru"]
    if base == 0 or best == "page_lru" or taken[best] == base:
        return "No buffer is faster than an LRU of pages here"
    return (
        f"{BUFFER_TITLES[best]}: {duration_us(taken[best])} of I/O, "
        f"{percent(1 - taken[best] / base)} less than an LRU of pages"
    )


def _sentence(found: Mapping[str, ReplayCounts], leaving: Sequence[Leaving]) -> str:
    lru, ours = found["page_lru"], found["transaction_page"]
    first = (
        f"The LRU of pages writes {counted(lru.uncommitted_pages_written, 'page')} of transactions "
        f"that still run, the transaction buffer {ours.uncommitted_pages_written:,}."
    )
    if not leaving:
        return f"{first} No transaction is in memory at the end."
    row = leaving[0]
    why = (
        "it is running and has been idle longest"
        if row.commit_time is None
        else "it committed first"
    )
    return f"{first} {row.transaction} would be evicted next: {why}."
