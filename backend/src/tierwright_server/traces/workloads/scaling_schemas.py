"""Shapes of a workload that is scaled to production."""

from typing import Annotated

from pydantic import Field, StringConstraints

from tierwright.advise.scale import SizeScaled
from tierwright.evaluate.scale.laws import Law
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    MAX_COUNT,
    NO_NUL,
    Answer,
    Body,
    Name,
    Share,
    WarningOut,
)

_RelationName = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)
]
_Rate = Annotated[float, Field(gt=0, le=1e15)]
_Bytes = Annotated[int, Field(strict=True, gt=0, le=MAX_COUNT)]


class ProductionIn(Body):
    """The system that is bought for, and what is known of the recorded one."""

    data_bytes: _Bytes = Field(description="Data of production. [bytes]")
    accesses_per_s: _Rate | None = Field(
        default=None,
        description="Mean rate of page accesses of production; or state units per second. [1/s]",
    )
    units_per_s: _Rate | None = Field(
        default=None,
        description="Instead: transactions or requests per second of production. [1/s]",
    )
    peak_accesses_per_s: _Rate | None = Field(
        default=None, description="Page accesses in the busiest hour. [1/s]"
    )
    write_share: Share | None = Field(
        default=None,
        description="Share of the accesses that write; null: as recorded. [1]",
    )
    growth_per_year: Annotated[float, Field(gt=-1, le=100)] = Field(
        default=0.0, description="Growth of the data, 0.3 for 30 % a year. [1]"
    )
    machines: Annotated[int, Field(strict=True, ge=1, le=100_000)] = Field(
        default=1, description="Equal machines that share the pages."
    )
    replicas: Annotated[int, Field(strict=True, ge=1, le=100_000)] = Field(
        default=1, description="Copies of each page, on as many machines."
    )
    law: Law | None = Field(
        default=None,
        description="Scale law; null: `relations` where the workload tells several, else `stretch`.",
    )
    recorded_data_bytes: _Bytes | None = Field(
        default=None,
        description="Data of the recorded system; null: what the recording touches. [bytes]",
    )
    clients: Annotated[int, Field(strict=True, ge=1, le=10**9)] | None = Field(
        default=None, description="Clients of the recorded system."
    )
    accesses_per_unit: _Rate | None = Field(
        default=None,
        description="Page accesses of one transaction or request in the recording.",
    )
    tau_accesses: Annotated[float, Field(ge=0, le=1e15)] | None = Field(
        default=None,
        description="Reuse up to so many accesses is not stretched; null: clients times accesses "
        "per unit. [accesses]",
    )
    fixed: Annotated[list[_RelationName], Field(max_length=100)] = Field(
        default_factory=list,
        description="Relations that do not grow, by name or number.",
    )
    relation_factors: Annotated[dict[_RelationName, _Rate], Field(max_length=100)] = (
        Field(
            default_factory=dict,
            description="By what named or numbered relations grow; the others fit the data. [1]",
        )
    )
    exponent: Annotated[float, Field(ge=0, le=10)] | None = Field(
        default=None,
        description="Exponent of the popularity, for the law `cold_growth`; null: as measured. [1]",
    )


class ScaledWorkloadIn(ProductionIn):
    """Create a workload on the scale of production."""

    name: Name


class RelationOut(Answer):
    """A relation, file or volume of a workload."""

    number: int = Field(description="Its number, from 1, for `fixed` and factors.")
    name: str | None = Field(description="As the trace gives it; null where unknown.")
    grows: bool = Field(
        description="Whether it grows with the data; system catalogs do not."
    )
    relations: int = Field(description="How many relations of the trace it stands for.")
    accesses: int
    write_accesses: int
    distinct_pages: int


class RelationList(Answer):
    """The relations of a workload, the largest first; catalogs and the smallest are one each."""

    items: list[RelationOut]


@mirrors(
    SizeScaled,
    share="Of the data of one machine. [1]",
    pages="Size of the cache. [pages]",
    cache_bytes="Size of the cache. [bytes]",
    miss_ratio="Share of the accesses that miss. [1]",
    miss_ratio_low="At least, by the worst error known; null where it was never measured. [1]",
    miss_ratio_high="At most, by the worst error known; null where it was never measured. [1]",
    misses_per_s="Of one machine at the mean rate. [1/s]",
    recorded_pages="Size of the recorded system that misses as many. [pages]",
)
class SizeScaledOut(Answer):
    """Misses of one cache size of production."""


class KnownErrorOut(Answer):
    """How far a law was off where it was measured, at this factor."""

    mean: float = Field(description="Of the misses. [1]")
    worst: float = Field(description="Of the misses. [1]")
    measured_up_to: float = Field(description="Largest factor measured. [1]")
    extrapolated: bool = Field(description="Whether the factor is beyond it.")
    per: str = Field(description="`transaction` or `access`: of what the misses are.")


class StatedProductionOut(Answer):
    """Production as it was stated."""

    data_bytes: int = Field(description="Data of production. [bytes]")
    accesses_per_s: float = Field(description="Mean rate of page accesses. [1/s]")
    peak_accesses_per_s: float | None = Field(
        description="Page accesses in the busiest hour. [1/s]"
    )
    write_share: float | None = Field(
        description="Share of the accesses that write; null: as recorded. [1]"
    )
    growth_per_year: float = Field(description="Growth of the data. [1]")
    machines: int = Field(description="Equal machines that share the pages.")
    replicas: int = Field(description="Copies of each page.")


class ProductionOut(Answer):
    """How a workload was scaled to production."""

    law: str = Field(description="Name of the scale law.")
    factor: float = Field(description="Data of production over data recorded. [1]")
    known_error: KnownErrorOut | None = Field(
        description="Null where the law was never measured."
    )
    production: StatedProductionOut = Field(description="As it was stated.")
    recorded_data_bytes: int = Field(description="Data of the recorded system. [bytes]")
    data_stated: bool = Field(
        description="Whether that was stated; otherwise the pages touched stand for it."
    )
    tau_accesses: float | None = Field(
        description="Reuse that was not stretched; null of laws that have none. [accesses]"
    )
    per_unit: bool = Field(
        description="Whether misses were scaled for each unit of work, not for each access."
    )


class ScalePreviewOut(Answer):
    """A workload on the scale of production, before it is kept."""

    finding: str
    production: ProductionOut = Field(description="By how much it was scaled.")
    sizes: list[SizeScaledOut] = Field(description="Misses by cache size.")
    factors: list[float] = Field(
        description="Growth of each relation by the law `relations`; otherwise empty. [1]"
    )
    warnings: list[WarningOut]
