"""Shapes of miniature simulations."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tierwright.advise.miniature import USUAL_RATE, Interval
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Hint,
    Identifier,
    Said,
    WarningOut,
)
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunStatus
from tierwright_server.replays.simulator.schemas import ItemName, Options
from tierwright_server.replays.sweeps.schemas import CacheSizes, InProductionOut


class MiniatureIn(Body):
    """A policy, the sizes, and how many pages to follow."""

    workload_id: Identifier
    policy: ItemName = Field(
        description="A name of `policies` of `GET /simulator`.", examples=["arc"]
    )
    options: Options = {}
    sizes: CacheSizes = Field(
        description="Cache sizes; of a workload scaled to production, of one machine of it. [pages]"
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


class MiniatureRow(Answer):
    """One size: estimated counts of the accesses after the warm-up, from a cold start where there is none."""

    pages: int = Field(
        description="As requested: of a workload scaled to production, of one machine of it."
    )
    hit_ratio: float | None = Field(description="Share of the accesses.")
    hit_ratio_interval95: Interval | None = Field(
        description="Null where the spread of the miniatures is not informative, with "
        "the reason in `warnings`: `does_not_shrink`, `too_small` or "
        "`cliff`."
    )
    lru_hit_ratio: float | None = Field(
        description="Share of the accesses that LRU hits at this size: exact, not estimated; "
        "null where nothing was replayed."
    )
    misses: float | None
    misses_interval95: Interval | None
    disk_writes: float | None = Field(description="Dirty evictions.")
    disk_writes_interval95: Interval | None
    too_small: bool | None = Field(
        description="The smallest part of a scaled cache has fewer than 32 pages: it "
        "may be biased, so there is no interval."
    )
    in_production: InProductionOut | None = Field(
        description="Of a workload scaled to production; null of others, and where nothing was replayed."
    )
    per_s_interval95: dict[str, Interval] | None = Field(
        description="Of `misses` and `disk_writes` of `in_production`; null where the counts have no "
        "interval. [1/s]"
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
    title: str = Field(description="The policy's title.")
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
