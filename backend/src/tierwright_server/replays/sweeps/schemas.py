"""Shapes of sweeps."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tierwright.advise.checks.flash_life import FlashLife
from tierwright.advise.in_production import InProduction
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    FlashMetadata,
    Hint,
    Identifier,
    Pages,
    Said,
    StatedRate,
    SweepWarmUp,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunStatus
from tierwright_server.replays.simulator.registry import MOST_CONTENDERS
from tierwright_server.replays.simulator.schemas import ContenderIn, Family

MOST_SIZES = 200


class SizeRange(Body):
    """Sizes at even distances on a logarithmic scale, both ends included."""

    from_pages: Annotated[Pages, Field(ge=1)]
    to_pages: Annotated[Pages, Field(ge=1)]
    points: Annotated[int, Field(strict=True, ge=1, le=MOST_SIZES)] = 12


CacheSizes = (
    Annotated[
        list[Annotated[Pages, Field(ge=1)]], Field(min_length=1, max_length=MOST_SIZES)
    ]
    | SizeRange
)
FlashSizes = (
    Annotated[list[Pages], Field(min_length=1, max_length=MOST_SIZES)] | SizeRange
)


class SweepIn(Body):
    """Every contender at every size; two-tier ones at every pair of sizes."""

    workload_id: Identifier
    contenders: Annotated[
        list[ContenderIn], Field(min_length=1, max_length=MOST_CONTENDERS)
    ]
    ram_pages: CacheSizes = Field(
        description="Sizes of the cache of one tier, and of RAM over flash."
    )
    flash_pages: FlashSizes | None = Field(
        default=None, description="Sizes of flash; needed by two-tier contenders."
    )
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM of every contender with flash; absent: "
        "nothing is charged.",
    )
    warm_up: SweepWarmUp = 0
    # Sweeps without one keep the ids that they always had.
    accesses_per_s: StatedRate | None = Field(
        default=None,
        exclude_if=lambda rate: rate is None,
        description="Rate of the accesses, by which flash wears and at which flash caches that work by the clock are replayed: "
        "over a trace without times so many make a second, else its times are multiplied (`stretch` in `options` of the row). "
        "Refused of a workload scaled to production, which states that of a machine. Absent: as recorded. [1/s]",
    )


class SweepAsk(SweepIn):
    """A sweep, and what its operations are priced with."""

    flash_device_id: Identifier | None = Field(
        default=None, description="Prices the operations on flash."
    )
    disk_device_id: Identifier | None = Field(
        default=None, description="Prices what reaches the disk."
    )


class ContenderOut(Answer):
    """A contender as it was understood."""

    family: Family
    name: str
    title: str
    options: dict[str, str]
    tiers: int


class FormulaOut(Answer):
    """A formula applied to the counts of a replay."""

    name: str
    io_time_us_per_access: float
    gap: float = Field(
        description="Of the priced replay; positive: the formula is higher. [1]"
    )
    q: float = Field(
        description="Share of the clean RAM victims that flash still holds, as the "
        "formula assumes it: h_f / m_r. [1]"
    )
    measured_q: float = Field(
        description="That share, measured; 0 where no RAM victim was clean. [1]"
    )
    measured_us_per_access: float = Field(
        description="The formula with the measured share."
    )
    measured_gap: float = Field(description="Of the priced replay. [1]")
    estimator: str = Field(description="How the shares were found.")
    derivation: DerivationStep
    measured_derivation: DerivationStep


@mirrors(
    InProduction,
    ram_pages="RAM of the machine: what the flash metadata leave. [pages]",
    flash_pages="Its flash; null for one cache. [pages]",
    replayed_ram_pages="RAM with which the recording was replayed. [pages]",
    replayed_flash_pages="Flash with which it was; null for one cache. [pages]",
    accesses_per_s="Mean rate of the machine. [1/s]",
    per_s="Counters at that rate, by name. [1/s]",
)
class InProductionOut(Answer):
    """A replay of the recording, as it stands for one machine of production."""


@mirrors(
    FlashLife,
    written_pages="Written to flash while accesses were counted, metadata and a directory on flash among them. [pages]",
    erases="Blocks that the device under flash erased; null without one.",
    waf="Pages that this device wrote for each page written to it; null without one, or where nothing was written. [1]",
    waf_note="Why there is no write amplification, or why it is not the steady one.",
    accesses_per_s="Rate that the life is of: of production, else as stated, else as recorded. [1/s]",
    tb_per_day="Written to flash at that rate. [10^12 bytes/day]",
    years="Until the device has taken the writes that it is rated for, as many devices as hold the flash; null where it "
    "never has, or nothing is known. [365 days]",
    never_worn_out="Whether it never has: nothing is written.",
    basis="What the life rests on: rate, and rating of the device; null without one.",
    reason="Why there is no life.",
    sentence="All of it in words.",
)
class FlashLifeOut(Answer):
    """What one replay does to the flash under it."""


class ReplayOut(Answer):
    """One replay from a cold start, nothing flushed at the end; counts are of the accesses after the warm-up."""

    contender: int = Field(description="Index into `contenders`.")
    ram_pages: int = Field(
        description="As requested: of a workload scaled to production, of one machine of it."
    )
    ram_pages_left: int | None = Field(
        description="RAM left by the flash metadata, used in the replay; below 1, "
        "nothing was replayed. Absent where no metadata were charged."
    )
    flash_pages: int | None = Field(description="Absent for one cache.")
    miss_ratio: float | None = Field(
        description="Share of the accesses that miss every tier and reach the disk."
    )
    ram_hit_ratio: float | None = Field(description="Share of the accesses.")
    flash_hit_ratio: float | None = Field(description="Share of the accesses.")
    disk_reads: int | None
    disk_writes: int | None
    flash_reads: int | None
    flash_writes: int | None
    write_reduction: float | None = Field(
        description="Of a flash cache: 1 - disk writes / dirty RAM victims; negative where it "
        "writes more. Absent for the others, and where no RAM victim was dirty. [1]"
    )
    io_time_us_per_access: float | None = Field(
        description="Counted operations x service times of the requested devices."
    )
    io_time_terms_us_per_access: dict[str, float]
    io_time_reason: str | None = Field(description="Why there is no I/O time.")
    ram_tax_bytes: int | None = Field(
        description="Of a flash cache: RAM that its directory takes at these sizes, charged or not; null where no figure "
        "is known. [bytes]"
    )
    ram_tax_share: float | None = Field(
        description="The same, of the RAM requested. [1]"
    )
    flash_life: FlashLifeOut | None = Field(
        description="What is written to flash, and how long the flash device lasts; null of one cache, and without flash."
    )
    formula: FormulaOut | None = Field(
        description="Of lazy with clean-only admission, which no curve can count."
    )
    counters: dict[str, int | float] = Field(
        description="Every counter and ratio of the replay, those that a flash cache has names of its own for among them "
        "(`filtered` of LARC; `promotions`, `demotions` and `copied_pages` of dm-cache; `unique_pages` and "
        "`flash_writes_per_unique_page` of the RAM filter: `counters` of `GET /simulator`); "
        "those of a part, such as the WAF of a flash device under it, after its name: `ftl_waf`."
    )
    options: dict[str, str] = Field(
        description="Of a flash cache all options that were in force, units that shrank with flash among them; empty of "
        "the others, whose given ones stand in `contenders`."
    )
    accesses: int | None = Field(
        description="Accesses that were counted; absent where nothing was replayed."
    )
    warm_up: int | None = Field(
        description="Accesses before them, replayed and not counted; absent where "
        "nothing was replayed."
    )
    in_production: InProductionOut | None = Field(
        description="Of a workload scaled to production; null of others, and where nothing was replayed."
    )
    warnings: list[WarningOut]
    error: Said | None = Field(description="Why this replay failed on this trace.")
    hint: Hint


class SweepDevices(Answer):
    """What the I/O times were priced with."""

    flash_device_id: str | None
    disk_device_id: str | None


class SweepOut(Answer):
    """A sweep: same inputs, same id; rows appear as they are done and stay."""

    id: str
    workload_id: str
    content_id: str
    status: RunStatus
    inputs: SweepIn
    contenders: list[ContenderOut]
    ram_pages: list[int] = Field(description="Sizes, from the ranges.")
    flash_pages: list[int]
    accesses: int | None = Field(
        description="Accesses that are counted; absent where each replay warms up until "
        "its cache is full: those of its row."
    )
    warm_up: int | None = Field(
        description="Accesses before them, replayed and not counted; absent likewise."
    )
    warm_up_until_full: bool = Field(
        description="Whether each replay warms up until its cache is full."
    )
    page_bytes: int
    replays: int = Field(description="Requested replays.")
    rows: list[ReplayOut] = Field(description="Finished ones, in order.")
    devices: SweepDevices
    warnings: list[WarningOut] = Field(
        description="What the reader noticed in the trace."
    )
    core_version: str
    created_at: datetime
    run: RunOut | None


class SweepSummary(Answer):
    """A sweep in a list."""

    id: str
    workload_id: str
    status: RunStatus
    inputs: SweepIn
    contenders: list[ContenderOut]
    replays: int
    done: int = Field(description="Finished replays.")
    created_at: datetime
    run: RunOut | None


class SweepList(Answer):
    """Sweeps, newest first."""

    items: list[SweepSummary]
    total: int
    limit: int
    offset: int
