"""Shapes of studies of recorded transactions."""

from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import Field

from tierwright.simulate.transactions import EventSurvey, Recovery
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunStatus

MOST_SIZES = 16
System = Literal[
    "page_lru",
    "aries",
    "committed_first",
    "aat",
    "transaction_page",
    "log_write",
    "transaction_log",
]
SYSTEMS: list[System] = list(get_args(System))
RamPages = Annotated[int, Field(strict=True, ge=1, le=2**32 - 2)]


class TransactionStudyIn(Body):
    """A file of events, the systems, and what they run on."""

    upload_id: Identifier | None = Field(
        default=None,
        description="A finished upload of events, one per line, compressed or not: `B T1`, `R T1 7`, `U T1 7`, "
        "`C T1` or `A T1`. Absent: the worked example, a recording of pgbench.",
    )
    systems: Annotated[list[System], Field(min_length=1, max_length=len(SYSTEMS))] = (
        Field(
            default=SYSTEMS,
            description="What is replayed side by side; all unless given.",
        )
    )
    ram_pages: Annotated[list[RamPages], Field(max_length=MOST_SIZES)] = Field(
        default=[],
        description="Buffer sizes; absent: 1, 3, 10, 30 and 100 % of the page numbers, from 0 to the highest touched. "
        "[pages]",
    )
    database_pages: Annotated[int, Field(strict=True, ge=1, le=2**50)] | None = Field(
        default=None,
        description="Pages of the database; absent: up to the highest that is touched. [pages]",
    )
    log_bytes_per_update: Annotated[int, Field(strict=True, ge=1, le=2**24)] = Field(
        default=100, description="Log record of one update. [bytes]"
    )
    blocks: Annotated[int, Field(strict=True, ge=3, le=2**26)] | None = Field(
        default=None,
        description="Blocks of the device; absent: as many as hold the database, three checkpoint intervals of "
        "the log and 28 % more, doubled where log records written instead of pages take more; with `spare`, that share "
        "more instead of 28 %, and then by steps of an eighth.",
    )
    pages_per_block: Annotated[int, Field(strict=True, ge=1, le=2**14)] = 64
    page_bytes: Annotated[int, Field(strict=True, ge=1, le=2**24)] = Field(
        default=2048, description="Page of the device. [bytes]"
    )
    spare: (
        Annotated[float, Field(strict=True, gt=0, le=100, allow_inf_nan=False)] | None
    ) = Field(
        default=None,
        description="A flash device with a translation layer and this spare space, (physical - logical) / logical, "
        "of the same blocks; absent: the raw chip, written log-structured. [1]",
    )
    durable: bool = Field(
        default=True,
        description="Every system keeps a log that is forced at commit; `false`: only `aries` does.",
    )
    checkpoint_pages: Annotated[int, Field(strict=True, ge=1, le=2**40)] = Field(
        default=1024, description="Log between two checkpoints. [pages]"
    )
    crash: (
        Literal["none", "end"] | Annotated[int, Field(strict=True, ge=1, le=2**63)]
    ) = Field(
        default="none",
        description="Whether the systems crash and are restarted: after so many events, or after the last one "
        "(`end`).",
        examples=["end", 1000],
    )


@mirrors(
    EventSurvey,
    events="Steps of transactions.",
    transactions="Transactions that began.",
    committed="Of those, the ones that committed.",
    aborted="Of those, the ones that aborted.",
    reads="Page reads.",
    updates="Page updates.",
    pages="Pages from 0 to the highest touched. [pages]",
)
class EventSurveyOut(Answer):
    """What the file of events holds."""


@mirrors(
    Recovery,
    log_pages_read="Pages of the log, each read once. [pages]",
    pages_read="Pages of the database that are read. [pages]",
    redone="Records of the log that are applied again.",
    undone="Updates taken back, of transactions that had not ended.",
    losers="Those transactions.",
    pages_written="Pages that the restart changes, each written once. [pages]",
)
class TransactionRestartOut(Answer):
    """What a restart takes after the crash."""


class StudyRow(Answer):
    """One system at one size of the buffer; counts are pages unless stated otherwise."""

    ram_pages: int = Field(description="Buffer. [pages]")
    system: System = Field(description="Name of the system.")
    title: str
    reads: int = Field(description="Page reads of the device, copies included.")
    writes: int = Field(description="Pages programmed, copies included.")
    erases: int = Field(description="Blocks erased.")
    write_amplification: float | None = Field(
        description="Pages programmed per page written by the system; null where it wrote nothing. [1]"
    )
    hits: int = Field(description="Page touches found in memory.")
    misses: int = Field(description="Page touches not found in memory.")
    data_pages_written: int = Field(description="Written out as pages.")
    log_pages_written: int = Field(description="Log records instead of pages.")
    wal_pages_written: int = Field(description="Of the log proper.")
    wal_forces: int = Field(description="Times a commit or a page waited for the log.")
    checkpoints: int = Field(description="Checkpoints taken.")
    checkpoint_pages_written: int = Field(
        description="Of the data pages written, those of checkpoints."
    )
    undo_pages_written: int = Field(description="Restored after aborts.")
    undo_reads: int = Field(description="Read to undo aborts.")
    copied_pages: int = Field(description="Moved by garbage collection.")
    extra_log_reads: int = Field(description="Log records read with a page.")
    uncommitted_pages_written: int = Field(
        description="Written with changes of a transaction that was still running."
    )
    garbage_pages: int = Field(description="Of those, whose transaction aborted later.")
    transactions_pushed_out: int = Field(description="Transactions evicted as a whole.")
    resident_pages: int = Field(description="In memory at the end.")
    live_pages: int = Field(description="Valid on the device at the end.")
    read_time_us: float = Field(description="Of the reads. [µs]")
    write_time_us: float = Field(description="Of the writes. [µs]")
    erase_time_us: float = Field(description="Of the erases. [µs]")
    time_us: float = Field(description="Sum of the three, on flash. [µs]")
    disk_time_us: float = Field(description="The same operations on a disk. [µs]")
    recovery: TransactionRestartOut | None = Field(
        description="Null where nothing crashed, or the system keeps no log."
    )
    restart_us: float | None = Field(description="Of the restart, on flash. [µs]")
    restart_disk_us: float | None = Field(description="Of the restart, on a disk. [µs]")
    keeps_log: bool = Field(
        description="Whether it keeps a log that is forced at commit, and so loses nothing committed in a crash."
    )


class _AskedStudy(Answer):
    """What a study and its line in the list both say."""

    id: str
    status: RunStatus
    inputs: TransactionStudyIn
    filename: str = Field(description="Name of the file of events.")
    is_example: bool = Field(description="Whether the events are the worked example.")


class TransactionStudyOut(_AskedStudy):
    """A study: same file and inputs, same id; rows appear as they are done and stay."""

    survey: EventSurveyOut | None = Field(
        description="Null until the file has been read once."
    )
    ram_pages: list[int] = Field(
        description="Buffer sizes that are replayed, once the file has been read. [pages]"
    )
    database_pages: int | None = Field(description="Pages of the database. [pages]")
    blocks: int | None = Field(description="Blocks of the device.")
    crash_after: int | None = Field(
        description="Events after which the systems crash; null: they do not."
    )
    rows: list[StudyRow] = Field(description="Finished ones, by size, then system.")
    shown_pages: int | None = Field(
        description="Size of the buffer that `cautions` and `derivation` are about: the one in the middle. [pages]"
    )
    finding: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
    core_version: str
    created_at: datetime
    run: RunOut | None


class TransactionStudySummary(_AskedStudy):
    """A study in the list: what was asked, and how far it is."""

    events: int | None = Field(
        description="Steps of transactions in the file; null until it has been read once."
    )
    ram_pages: list[int] = Field(
        description="Buffer sizes that are replayed, once the file has been read. [pages]"
    )
    replays: int = Field(description="Finished ones: a system at a buffer size each.")
    core_version: str
    created_at: datetime
    run_id: str | None = Field(description="Of its latest run.")


class TransactionStudyList(Answer):
    """Studies, newest first."""

    items: list[TransactionStudySummary]
    total: int
    limit: int
    offset: int
