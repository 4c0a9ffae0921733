"""Shapes of a workload that is scaled to production."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from tierwright.advise.scale import SizeScaled
from tierwright.common.errors import Problems
from tierwright.evaluate.scale.laws import Law
from tierwright.profile import rates
from tierwright.profile.rates import HOUR_S, MOST_BYTES, MOST_STEPS
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    MAX_COUNT,
    NO_NUL,
    Answer,
    Body,
    Name,
    Pages,
    Share,
    WarningOut,
    not_bool,
)

_RelationName = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)
]
_Rate = Annotated[float, Field(gt=0, le=1e15)]
_Step = Annotated[float, BeforeValidator(not_bool), Field(ge=0, le=1e15)]
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
    rates: Annotated[list[_Step], Field(min_length=1, max_length=MOST_STEPS)] | None = (
        Field(
            default=None,
            description="Instead of mean and peak: page accesses per second in each of equal steps, "
            "by default hours. [1/s]",
        )
    )
    rates_step_s: Annotated[float, Field(gt=0, le=1e9)] = Field(
        default=HOUR_S, description="Length of a step of `rates`. [s]"
    )
    rates_table: (
        Annotated[str, StringConstraints(min_length=1, max_length=MOST_BYTES)] | None
    ) = Field(
        default=None,
        description="Instead of `rates`: the text of a CSV table with the columns `time` (seconds or "
        "ISO 8601) and `accesses_per_s`, and equal steps.",
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
        default=1,
        description="Copies of each page, on as many machines; each write goes to all of them.",
    )
    page_bytes: Annotated[int, Field(strict=True, ge=1, le=2**31)] | None = Field(
        default=None,
        description="Page size of production; null: as recorded. Larger ones are those of the workload "
        "joined by `POST /workloads/{id}/joined` before; smaller ones are refused. [bytes]",
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
    new_pages: Pages = Field(
        default=0,
        description="Pages of the recording known to be newly allocated while it ran, at most its distinct pages: in the steady "
        "state their first touches are growth, neither hits nor misses. 0: as the workload states. [pages]",
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


class RatesOut(Answer):
    """Rates of production over time, in short form."""

    steps: int = Field(description="Equal steps, one after the other.")
    step_s: float = Field(description="Length of each. [s]")
    busiest_step: int = Field(
        description="Which has the highest rate, from 1; among equals the first."
    )
    first_time: str | None = Field(
        description="When the first step begins, ISO 8601; null where times are not of a calendar."
    )
    steps_per_part: int = Field(
        description="Steps of one part; the last part may have fewer."
    )
    means_per_s: list[float] = Field(description="Mean rate of each part. [1/s]")
    peaks_per_s: list[float] = Field(description="Highest rate of each part. [1/s]")
    mean_per_s: float = Field(description="Over all of the time. [1/s]")
    peak_per_s: float = Field(description="Of the busiest step. [1/s]")
    sentence: str = Field(description="Which step is busiest, and by how much.")


def rates_out(document: Mapping[str, Any] | None) -> RatesOut | None:
    """Show the rates of a production as a profile keeps them; None where there are none."""
    problems = Problems("rates")
    found = rates.from_mapping(document, problems)
    problems.raise_if_any()
    if found is None:
        return None
    return RatesOut(
        **found.to_dict(),
        mean_per_s=found.mean_per_s,
        peak_per_s=found.peak_per_s,
        sentence=found.sentence,
    )


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
    rates: RatesOut | None = Field(
        default=None,
        description="Rates over time, of which mean and peak are; null where only these were stated.",
    )
    page_bytes: int | None = Field(
        default=None, description="Its pages; null: as recorded. [bytes]"
    )


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
    recorded_page_bytes: int | None = Field(
        default=None,
        description="Pages that were recorded, where the recording was profiled again with larger ones; "
        "otherwise null. [bytes]",
    )


class KeptWorkloadOut(Answer):
    """A workload that is there already."""

    id: str
    name: str


class ScalePreviewOut(Answer):
    """A workload on the scale of production, before it is kept."""

    finding: str
    production: ProductionOut = Field(description="By how much it was scaled.")
    sizes: list[SizeScaledOut] = Field(description="Misses by cache size.")
    factors: list[float] = Field(
        description="Growth of each relation by the law `relations`; otherwise empty. [1]"
    )
    existing: KeptWorkloadOut | None = Field(
        description="The first workload that was kept of the same recording and the same production; null where none was."
    )
    warnings: list[WarningOut]
