"""Shapes of miniature simulations."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tierwright.advise.miniature import USUAL_RATE, Interval, TierEstimate
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Hint,
    Identifier,
    Pages,
    Said,
    WarningOut,
)
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunStatus
from tierwright_server.replays.simulator.schemas import Family, ItemName, Options
from tierwright_server.replays.sweeps.schemas import (
    CacheSizes,
    FlashLifeOut,
    InProductionOut,
)


class MiniatureIn(Body):
    """A policy, or RAM over flash, the sizes, and how many pages to follow."""

    workload_id: Identifier
    # Answers about policies are as they were before there were other families: without it.
    family: Family = Field(
        default=Family.POLICY,
        exclude_if=lambda family: family is Family.POLICY,
        description="Of `policy`. Buffers, choosers, and flash caches that no sample represents are refused. An answer "
        "about a policy leaves it out.",
    )
    policy: ItemName = Field(
        description="A name of `policies` of `GET /simulator`; with another `family`, of its table there.",
        examples=["arc"],
    )
    options: Options = {}
    ram_pages: Annotated[Pages, Field(ge=1)] | None = Field(
        default=None,
        exclude_if=lambda pages: pages is None,
        description="RAM above flash, for families with flash alone, which need it; of a workload scaled to "
        "production, of one machine of it. [pages]",
    )
    sizes: CacheSizes = Field(
        description="Cache sizes, of flash where the family has flash; of a workload scaled to production, of one "
        "machine of it. [pages]"
    )
    sample_rate: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            description="Share of the pages to follow, in eight miniatures together.",
        ),
    ] = USUAL_RATE
    seed: Annotated[
        int,
        Field(
            strict=True,
            ge=0,
            le=2**32 - 1,
            description="Seed; another seed follows other pages.",
        ),
    ] = 0


@mirrors(
    TierEstimate,
    ram_pages="As requested. [pages]",
    ram_hits="Accesses.",
    ram_hits_interval95="95 % interval of `ram_hits`. [accesses]",
    flash_hits="Accesses that miss RAM.",
    flash_hits_interval95="95 % interval of `flash_hits`. [accesses]",
    disk_reads="Those for no access among them. [pages]",
    disk_reads_interval95="95 % interval of `disk_reads`. [pages]",
    flash_writes="Of data. [pages]",
    flash_writes_interval95="95 % interval of `flash_writes`. [pages]",
    counters="Every counter of the replay that a sample tells.",
    counters_interval95="Of each; null where none can be stated.",
    ram_tax_bytes="Of a flash cache: RAM that its directory takes at these sizes; the estimate has all of the RAM. Null of "
    "page-flow schemes, and where no figure is known. [bytes]",
    ram_tax_share="The same, of the RAM requested. [1]",
)
class TierEstimateOut(Answer):
    """What RAM and flash count at one size of flash, estimated; intervals are null where none can be stated."""


class MiniatureRow(Answer):
    """One size: estimated counts of the accesses after the warm-up, from a cold start where there is none."""

    pages: int = Field(
        description="As requested: of a workload scaled to production, of one machine of it; of flash where the "
        "family has flash."
    )
    hit_ratio: float | None = Field(
        description="Share of the accesses, of all tiers together."
    )
    hit_ratio_interval95: Interval | None = Field(
        description="Null where the spread of the miniatures is not informative, with "
        "the reason in `warnings`: `does_not_shrink`, `too_small` or "
        "`cliff`."
    )
    lru_hit_ratio: float | None = Field(
        description="Share of the accesses that LRU hits at this size: exact, not estimated; "
        "null where nothing was replayed, and of families with flash."
    )
    misses: float | None
    misses_interval95: Interval | None
    disk_writes: float | None = Field(
        description="Pages; of a policy its dirty evictions."
    )
    disk_writes_interval95: Interval | None
    too_small: bool | None = Field(
        description="The smallest part of a scaled cache has fewer than 32 pages: it "
        "may be biased, so there is no interval."
    )
    in_production: InProductionOut | None = Field(
        description="Of a workload scaled to production; null of others, and where nothing was replayed."
    )
    per_s_interval95: dict[str, Interval] | None = Field(
        description="Of the rates of `in_production`, of a policy `misses` and `disk_writes`; null where the counts "
        "have no interval. [1/s]"
    )
    tiers: TierEstimateOut | None = Field(
        default=None,
        exclude_if=lambda tiers: tiers is None,
        description="What RAM and flash count; absent of policies, and where there is no estimate.",
    )
    flash_life: FlashLifeOut | None = Field(
        default=None,
        exclude_if=lambda life: life is None,
        description="What is written to flash, estimated from the sample, and how long the requested device lasts; absent of "
        "policies, without flash, and where there is no estimate.",
    )
    warnings: list[WarningOut]
    error: Said | None = Field(description="Why there is no estimate of this size.")
    hint: Hint


class MiniatureOut(Answer):
    """An estimate: same inputs, same id; rows appear as they are done and stay."""

    id: str
    workload_id: str
    content_id: str
    status: RunStatus
    inputs: MiniatureIn
    title: str = Field(description="Of the policy, scheme or flash cache.")
    sizes: list[int] = Field(description="Sizes, from the range. [pages]")
    accesses: int = Field(description="Accesses that are counted.")
    warm_up: int = Field(
        description="Accesses before them, replayed and not counted: none of a trace, and the first half of the "
        "recording of a workload scaled to production."
    )
    distinct_pages: int
    page_bytes: int
    estimator: str = Field(description="How the counts were found.")
    miniature_rate: float = Field(
        description="Share of the pages, and of the cache, in each miniature."
    )
    interval_confidence: float
    rows: list[MiniatureRow] = Field(description="Finished ones, by size.")
    warnings: list[WarningOut] = Field(
        description="What the reader noticed in the trace."
    )
    core_version: str
    created_at: datetime
    run: RunOut | None
