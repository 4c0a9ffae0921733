"""Shapes of several workloads on one machine."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise.compose import AloneCurve, SizeRow, WorkloadRow
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Pages,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.traces.workloads.composing_schemas import (
    Members,
    ScaledPartsOut,
)


class CompositionIn(Body):
    """Several workloads, and the cache that they share or that is split among them."""

    workloads: Members
    ram_pages: Annotated[Pages, Field(ge=1)] | None = Field(
        default=None,
        description="All of the cache; null: a tenth of the pages of all workloads. [pages]",
    )
    partitioned: bool = Field(
        default=True, description="Whether the cache is also split, one part for each."
    )


@mirrors(
    WorkloadRow,
    name="Name of the workload; one that stands there again is numbered.",
    accesses_per_s="Its rate. [1/s]",
    rate_basis="Where its rate is from.",
    shared_pages="Pages of it in the shared cache. [pages]",
    shared_share="Of the pages held there. [1]",
    shared_miss_ratio="Of its own accesses, in the shared cache. [1]",
    shared_miss_share="Of all misses of the shared cache. [1]",
    shared_misses_per_s="In the shared cache. [1/s]",
    partition_pages="Its own part; null where no split was requested. [pages]",
    partition_miss_ratio="Of its own accesses, in its own part. [1]",
    partition_misses_per_s="In its own part. [1/s]",
    alone_miss_ratio="Of its own accesses, if it had all of the cache for itself. [1]",
)
class WorkloadShareOut(Answer):
    """What one workload gets, without its id."""


class ComposedRowOut(WorkloadShareOut):
    """What one workload gets."""

    workload_id: str


@mirrors(
    SizeRow,
    ram_pages="All of the cache. [pages]",
    shared_miss_ratio="Of all accesses, in one shared cache. [1]",
    partition_miss_ratio="Of all accesses, split; null where no split was requested. [1]",
)
class ComposedSizeOut(Answer):
    """What all workloads miss in a cache of another size."""


@mirrors(
    AloneCurve,
    name="Name of the workload.",
    hit_ratios="Of its own accesses, in a cache of each size that it has for itself. [1]",
)
class AloneCurveOut(Answer):
    """Hit ratios of one workload that has all of the cache for itself."""


class ComposedCurvesOut(Answer):
    """Hit ratios over the size of the cache."""

    pages: list[int] = Field(description="Sizes of the cache, increasing. [pages]")
    shared_hit_ratios: list[float] = Field(
        description="Of all accesses, in one shared cache of each size. [1]"
    )
    shared_hit_ratios_low: list[float] | None = Field(
        description="At least, where the law of each scaled workload errs by its worst, all to one "
        "side; null where no workload was scaled, or a law was never measured. [1]"
    )
    shared_hit_ratios_high: list[float] | None = Field(
        description="At most, by the same error. [1]"
    )
    partition_hit_ratios: list[float] | None = Field(
        description="Of all accesses, with each size split; null where no split was "
        "requested. [1]"
    )
    alone: list[AloneCurveOut] = Field(
        description="Each workload by itself, in the order given."
    )


class CompositionOut(Answer):
    """One cache for several workloads, beside a part for each."""

    finding: str
    ram_pages: int = Field(description="All of the cache. [pages]")
    page_bytes: int
    data_pages: int = Field(
        description="Pages of all workloads, as far as is known. [pages]"
    )
    accesses_per_s: float = Field(description="Of all workloads. [1/s]")
    characteristic_time_s: float | None = Field(
        description="For how long an unused page stays in the shared cache; null where all pages "
        "fit. [s]"
    )
    shared_miss_ratio: float = Field(
        description="Of all accesses, in the shared cache. [1]"
    )
    shared_misses_per_s: float = Field(
        description="Of all workloads, in the shared cache. [1/s]"
    )
    shared_write_backs_per_s: float | None = Field(
        description="Null where those of one workload are unknown. [1/s]"
    )
    partition_miss_ratio: float | None = Field(
        description="Of all accesses, with a part for each; null where no split was requested. [1]"
    )
    partition_misses_per_s: float | None = Field(
        description="Of all workloads, with a part for each. [1/s]"
    )
    least_misses_per_s: float | None = Field(
        description="Bound: no split misses less, by weight. [1/s]"
    )
    saved_share: float | None = Field(
        description="Share of the misses of the shared cache that the split saves, by weight; "
        "negative where it misses more. [1]"
    )
    better: Literal["shared", "partitions", "equal"] | None = Field(
        description="What misses less, by weight; null where no split was requested."
    )
    close: bool = Field(description="Whether the difference is within `known_error`.")
    known_error: float = Field(
        description="Largest error of the misses of a shared cache in the replays of merged "
        "traces. [1]"
    )
    scaled: ScaledPartsOut | None = Field(
        description="Which workloads were scaled to production; null where none was."
    )
    rows: list[ComposedRowOut] = Field(description="The workloads, in the order given.")
    sizes: list[ComposedSizeOut] = Field(
        description="The same at half and double the cache, and so on."
    )
    curves: ComposedCurvesOut = Field(
        description="Hit ratios of all workloads, and of each by itself, over the size of the "
        "cache."
    )
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
