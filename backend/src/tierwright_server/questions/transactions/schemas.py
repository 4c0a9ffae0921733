"""Shapes of transactions over raw flash."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tierwright.evaluate.transactions.study import Leaving
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import Answer, Body, CautionOut, WarningOut
from tierwright_server.http.steps import DerivationStep

MAX_EVENT_CHARACTERS = 400_000
MAX_EVENTS = 20_000
MAX_TRANSACTIONS = 512

Whole = Annotated[int, Field(strict=True, ge=1, le=2**40)]
Amount = Annotated[float, Field(strict=True, ge=0, le=1e9, allow_inf_nan=False)]
Change = Annotated[float, Field(strict=True, ge=-100, le=100, allow_inf_nan=False)]
Time = Annotated[float, Field(strict=True, ge=1e-6, le=1e9, allow_inf_nan=False)]
Source = Literal["half_loaded", "concurrent_loads", "events"]


class ChipIn(Body):
    """A raw flash chip; absent: the paper's."""

    read_us: Time = Field(default=25.0, description="One page read. [µs]")
    write_us: Time = Field(default=200.0, description="One page write. [µs]")
    erase_us: Time = Field(default=1500.0, description="One block erase. [µs]")
    blocks: Annotated[int, Field(strict=True, ge=3, le=2**20)] = 1024
    pages_per_block: Annotated[int, Field(strict=True, ge=1, le=2**14)] = 64
    page_bytes: Annotated[int, Field(strict=True, ge=1, le=2**24)] = Field(
        default=2048, description="Page of the chip. [bytes]"
    )


class TransactionWritesIn(ChipIn):
    """One transaction to evict."""

    dirty_pages: Annotated[int, Field(strict=True, ge=0, le=10**9)] = Field(
        default=16, description="Pages that it changed. [pages]"
    )
    log_bytes_per_page: Amount = Field(
        default=100.0, description="Log records of one of them. [bytes]"
    )
    log_pages_per_page: Amount | None = Field(
        default=None,
        description="Log pages read with a page; absent: the fewest its records fill.",
    )
    pages_reread: Amount | None = Field(
        default=None, description="Pages read again; absent: each once. [pages]"
    )
    ram_bytes: Whole = Field(default=16 * 2**20, description="Buffer. [bytes]")
    pages_per_transaction: Whole | None = Field(
        default=None, description="Pages it holds in memory; absent: the dirty ones."
    )
    disk_us: Time = Field(
        default=9000.0, description="A random access of a disk, for comparison. [µs]"
    )
    read_slowdown: Change = Field(
        default=0.25, description="Measured: reads slower by. [1]"
    )
    write_saving: Change = Field(
        default=0.75, description="Measured: write time saved. [1]"
    )
    total_saving: Change = Field(
        default=0.34, description="Measured: whole time saved. [1]"
    )


class WrittenOut(Answer):
    """One way of writing a transaction out."""

    written_as: Literal["page", "log"]
    pages_written: int
    write_us: float
    reread_us: float
    total_us: float = Field(description="Writing and reading again. [µs]")
    erase_us: float = Field(
        description="Erase time of the written pages; not in the total. [µs]"
    )


class TransactionWritesOut(Answer):
    """Pages or log records, and what the chip takes."""

    dirty_pages: int
    pages_reread: float
    log_pages_per_page: float
    ways: list[WrittenOut]
    write_saving_us: float
    break_even_extra_reads: float
    break_even_pages: float | None = Field(
        description="Pages read again at which both take equally long; null: never."
    )
    winner: Literal["page", "log", "equal"]
    saving: float = Field(description="Share of the time of the slower way. [1]")
    curve_pages_reread: list[float]
    curve_page_us: list[float]
    curve_log_us: list[float]
    read_speedup: float
    write_speedup: float
    write_over_read: float
    erase_us_per_page: float
    flash_bytes: int
    ram_pages: int
    ram_blocks: int
    resident_transactions: int
    read_share: float
    read_share_consistent: bool
    finding: str
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None


class TransactionReplayIn(ChipIn):
    """Transactions to replay: made like the paper's, or given as events."""

    source: Source = "half_loaded"
    committed: Annotated[int, Field(strict=True, ge=0, le=MAX_TRANSACTIONS)] = Field(
        default=32, description="Of `half_loaded`: transactions that commit early."
    )
    running: Annotated[int, Field(strict=True, ge=1, le=MAX_TRANSACTIONS)] = Field(
        default=64, description="Transactions that run until the end."
    )
    pages_each: Annotated[int, Field(strict=True, ge=2, le=64)] = Field(
        default=16, description="Pages of each. [pages]"
    )
    events: Annotated[
        str,
        StringConstraints(max_length=MAX_EVENT_CHARACTERS, pattern=r"^[^\u0000]*$"),
    ] = Field(
        default="",
        description="With `source` `events`: one per line, `B T1`, `R T1 7`, `U T1 7`, "
        "`C T1` or `A T1`.",
    )
    ram_pages: Annotated[int, Field(strict=True, ge=1, le=2**24)] = Field(
        default=1024, description="Buffer. [pages of the chip]"
    )
    log_bytes_per_update: Annotated[int, Field(strict=True, ge=1, le=2**24)] = Field(
        default=100, description="Log record of one update. [bytes]"
    )


class BufferOut(Answer):
    """What one buffer did; counts are pages unless stated otherwise."""

    buffer: Literal["page_lru", "transaction_page", "transaction_log"]
    title: str
    reads: int
    writes: int
    erases: int
    hits: int
    misses: int
    data_pages_written: int
    log_pages_written: int
    undo_pages_written: int
    copied_pages: int
    extra_log_reads: int
    uncommitted_pages_written: int
    garbage_pages: int
    transactions_pushed_out: int
    read_time_us: float
    write_time_us: float
    erase_time_us: float
    time_us: float = Field(description="Sum of the three. [µs]")


@mirrors(
    Leaving,
    average_access_time="AAT. [ticks]",
    commit_time="Null while it runs. [ticks]",
)
class LeavingOut(Answer):
    """A transaction in memory, by when it leaves."""


class TransactionReplayOut(Answer):
    """The same transactions through three buffers."""

    events: int
    transactions: int
    ram_pages: int
    database_pages: int
    buffers: list[BufferOut]
    resident_transactions: int
    leaving: list[LeavingOut] = Field(
        description="In order of eviction; at most 50 of `resident_transactions`."
    )
    finding: str
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
