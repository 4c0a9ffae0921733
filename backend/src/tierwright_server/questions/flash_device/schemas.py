"""Shapes of the simulation of a flash device."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise.flash_device import AtSpare, Workload
from tierwright.simulate.flash_device import Collection, Mapping
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    PageBytes,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep

LEAST_PAGES, MOST_PAGES = 1024, 2**18
MOST_SPARES = 8

Positive = Annotated[float, Field(strict=True, ge=1e-9, le=1e15, allow_inf_nan=False)]
Spare = Annotated[float, Field(strict=True, ge=0.001, le=1000, allow_inf_nan=False)]
Part = Annotated[float, Field(strict=True, ge=0.001, le=0.999, allow_inf_nan=False)]


class FlashDeviceIn(Body):
    """A device and what is written to it."""

    logical_pages: Annotated[int, Field(strict=True, ge=LEAST_PAGES, le=MOST_PAGES)] = (
        Field(
            default=65_536,
            description="Pages that the host sees. Write amplification hardly depends on them.",
        )
    )
    page_bytes: PageBytes = 4096
    spare: Spare = Field(
        default=0.07,
        description="(physical - logical) / logical: 0.07 of most drives, 0.28 of those "
        "for many writes. [1]",
    )
    block_pages: Annotated[int, Field(strict=True, ge=1, le=65_536)] = Field(
        default=64, description="Pages of an erase block."
    )
    mapping: Mapping = Field(
        default="page",
        description="Translation layer: `page`; `block`, `bast` or `fast`, of the devices of 2008 to "
        "2011; `zones`, to which the host appends.",
    )
    collection: Collection = Field(
        default="greedy", description="Which block is collected, with mapping `page`."
    )
    choices: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(
        default=10,
        description="Blocks drawn at random by `choices`, of which the emptiest is collected.",
    )
    workload: Workload = Field(default="uniform", description="How pages are written.")
    exponent: Annotated[float, Field(strict=True, ge=0, le=10, allow_inf_nan=False)] = (
        Field(default=0.9, description="Of the popularity by rank, for `zipf`.")
    )
    hot_pages: Part = Field(
        default=0.2,
        description="Share of the pages that are hot, or the log, for `hot-cold` and "
        "`log-and-random`. [1]",
    )
    hot_writes: Part = Field(
        default=0.8, description="Share of the writes to them. [1]"
    )
    run_pages: Annotated[int, Field(strict=True, ge=1, le=MOST_PAGES)] | None = Field(
        default=None,
        description="Pages of the log that are written at once, for `log-and-random`; "
        "absent: a block.",
    )
    streams: Literal[1, 2] = Field(
        default=1,
        description="2: the hot pages, or the log, have a separate write stream (FDP).",
    )
    copies: Literal["stream", "apart"] = Field(
        default="stream",
        description="`stream`: copies of collection stay in the stream of their block; "
        "`apart`: those of all streams share one open block.",
    )
    buffer_pages: Annotated[int, Field(strict=True, ge=0, le=MOST_PAGES)] = Field(
        default=0,
        description="Pages of the device's write buffer, fewer than the logical ones: it absorbs "
        "rewrites of the pages in it.",
    )
    trim_share: Annotated[
        float, Field(strict=True, ge=0, le=0.49, allow_inf_nan=False)
    ] = Field(
        default=0.0,
        description="Share of the requests that trim a random page in use. [1]",
    )
    seed: Annotated[int, Field(strict=True, ge=0, le=2**53 - 1)] = Field(
        default=0, description="Of all that is random."
    )
    pe_cycles: Positive | None = Field(
        default=None,
        description="Program and erase cycles of a block, for the life; with a write rate.",
    )
    drive_writes_per_day: Positive | None = Field(
        default=None,
        description="Host writes per day over the logical pages, for the life; with "
        "`pe_cycles`. The life then does not depend on the size. [1/day]",
    )
    write_mb_per_s: Positive | None = Field(
        default=None,
        description="Instead of that, a rate. [10^6 bytes/s]",
    )
    spares: list[Spare] = Field(
        default=[],
        max_length=MOST_SPARES,
        description="Spare spaces at which every rule of collection is simulated, too. [1]",
    )


@mirrors(
    AtSpare,
    mapping="Translation layer.",
    collection="Rule of garbage collection; null where pages are not mapped one by one.",
    spare="(physical - logical) / logical, in whole blocks. [1]",
    waf="Simulated. [1]",
    closed_form="Of the formula at the usable spare; null where no formula covers the case. [1]",
)
class AtSpareOut(Answer):
    """Write amplification of one rule at one spare space."""


class FlashLifeOut(Answer):
    """How long the flash lasts at the stated rate."""

    years: float | None = Field(description="Null where it never wears out. [365 days]")
    host_tb_written: float = Field(description="Host writes over the life. [TB]")
    drive_writes_per_day: float = Field(
        description="Drive writes per day that use it up in 5 years. [1/day]"
    )


class FlashDeviceOut(Answer):
    """What a device does with a workload."""

    logical_pages: int = Field(description="Pages that the host sees.")
    blocks: int = Field(description="Blocks of the device.")
    block_pages: int = Field(description="Pages of an erase block.")
    page_bytes: int
    mapping: Mapping = Field(description="Translation layer.")
    collection: Collection | None = Field(
        description="Which block is collected; null where pages are not mapped one by one."
    )
    workload: Workload = Field(description="How pages are written.")
    waf: float = Field(description="Pages written to flash per page of the host. [1]")
    host_writes: int = Field(description="Pages that the host wrote.")
    absorbed: int = Field(
        description="Of them those that were written again or trimmed while they were in the write buffer: "
        "flash never had them."
    )
    moved: int = Field(description="Pages copied by collection or merges.")
    full_merges: int = Field(
        description="Merges that copied all of a logical block, of a mapping by blocks."
    )
    partial_merges: int = Field(
        description="Merges that copied the rest of a logical block to a block that holds the others."
    )
    switch_merges: int = Field(description="Merges without a copy.")
    trims: int = Field(description="Pages trimmed.")
    erases: int = Field(description="Blocks erased.")
    used_share: float = Field(
        description="Share of the logical pages in use at the end. [1]"
    )
    erases_least: int = Field(description="Erases of the block erased least.")
    erases_mean: float = Field(description="Mean erases per block.")
    erases_most: int = Field(description="Erases of the block erased most.")
    erases_deviation: float = Field(
        description="Standard deviation of the erases per block."
    )
    spare: float = Field(description="(physical - logical) / logical. [1]")
    usable_spare: float = Field(description="Without the blocks held back. [1]")
    closed_form: float | None = Field(
        description="Write amplification of the formula at the usable spare; null where no "
        "formula covers the case. [1]"
    )
    gap: float | None = Field(
        description="Simulated write amplification over the closed form, less 1. [1]"
    )
    stream_wafs: list[float | None] = Field(
        description="Of each stream; null where copies are apart from streams, or the "
        "stream wrote nothing. [1]"
    )
    waf_without_trim: float | None = Field(
        description="Of the same writes without TRIM; null without trims. [1]"
    )
    trim_saves: float | None = Field(
        description="Share of the flash writes that TRIM saves; negative where it costs "
        "some, null without trims. [1]"
    )
    life: FlashLifeOut | None = Field(description="Null without cycles and a rate.")
    by_spare: list[AtSpareOut] = Field(
        description="Every rule at the spare spaces asked for, rule by rule; another mapping than "
        "`page` alone."
    )
    sentence: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
