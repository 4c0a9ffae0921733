"""Shapes of a placement."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise.placement import Held
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    CautionOut,
    Usd,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.advice.schemas import (
    AdviceOptionOut,
    BoughtIn,
    ConstraintsIn,
)
from tierwright_server.traces.workloads.composing_schemas import ComposedMember

MOST_WORKLOADS = 6
"""Workloads of one request: 63 groups, each with all its options."""


class PlacementIn(BoughtIn):
    """Several workloads, and what may be bought for them."""

    workloads: Annotated[
        list[ComposedMember],
        Field(
            min_length=1,
            max_length=MOST_WORKLOADS,
            description="The workloads, all of one page size; one that was scaled to production, to one machine and "
            "one copy.",
        ),
    ]
    constraints: ConstraintsIn = Field(
        default=ConstraintsIn(),
        description="Limits: machines, sizes and money of all systems together, the others of each.",
    )
    objective: Literal["usd", "io_time"] = Field(
        default="usd",
        description="`usd`: least money a month; `io_time`: least mean I/O time of an access.",
    )


@mirrors(
    Held,
    name="Name of the workload; one that stands there again is numbered.",
    accesses_per_s="Its mean rate. [1/s]",
    peak_accesses_per_s="Of its busiest hour: as many times the mean as in production by its profile; the mean where it "
    "states none. [1/s]",
    ram_bytes="Of the shared cache, on average, or its part. [bytes]",
    hit_share="Of its accesses that find their page in RAM. [1]",
    part_bytes="Where workloads share the cache of a system without a flash cache: the part of its RAM that each would have "
    "so that all miss least. [bytes]",
    part_hit_share="Of its accesses that would find their page in that part. [1]",
)
class HeldOut(Answer):
    """What one workload holds of the RAM of its system."""


class SystemOut(Answer):
    """One system, and the workloads that it carries."""

    workloads: list[HeldOut] = Field(description="The workloads, in the order given.")
    option: AdviceOptionOut = Field(description="What it is.")
    accesses_per_s: float = Field(description="Mean rate of all its workloads. [1/s]")
    peak_accesses_per_s: float = Field(
        description="Rate of its busiest hour, if those of all its workloads fall together. [1/s]"
    )
    data_bytes: int = Field(
        description="Of all its workloads, at their largest within the horizon. [bytes]"
    )
    in_parts: bool = Field(
        description="Whether each workload has a part of its RAM; else they share it."
    )
    parts_save_share: float | None = Field(
        description="Share of the misses that parts would save, negative where there would be more; null where there are "
        "parts, one workload, a flash cache, or a curve from counters. [1]"
    )
    too_small: str = Field(
        description="What becomes too small before the horizon ends, and when, as a sentence; of several workloads, some "
        "of which grow, that it is not computed, and whether the life of its flash is a lower bound. Empty where nothing is, "
        "or nothing grows."
    )


Ranges = Annotated[
    dict[str, tuple[float | None, float | None]],
    Field(
        description="Ends of the I/O time, by its key, where nobody said which evicted pages of a workload are dirty; "
        "empty elsewhere."
    ),
]


class SharingOut(Answer):
    """One way to share systems."""

    groups: list[list[str]] = Field(description="Workloads of each system.")
    in_parts: list[bool] = Field(
        description="Whether each of them has a part of the RAM, by system."
    )
    usd_per_month: Usd = Field(description="Of all systems. [USD/month]")
    io_time_us_per_access: float | None = Field(
        description="Mean over all accesses; null where it depends on which evicted pages are dirty, and nobody said "
        "which. [µs]"
    )
    ranges: Ranges
    machines_left_out: list[int] = Field(
        description="Machines that the cost lacks, by system: of RAM and devices bought by themselves, where no price of a "
        "machine is stated; empty where it lacks none. Two costs have a difference only where they lack equally many."
    )


class PlacementOut(Answer):
    """Which workloads share which system."""

    placement_id: str = Field(description="Hash of all that was asked.")
    finding: str
    objective: Literal["usd", "io_time"] = Field(
        description="What was asked to be least."
    )
    constraints: dict[str, str] = Field(
        description="Limits that were applied, as decimals."
    )
    systems: list[SystemOut] = Field(
        description="Empty where no choice keeps every limit."
    )
    usd_per_month: Usd | None = Field(
        description="Of all systems; null where there is none. [USD/month]"
    )
    purchase_usd: Usd | None = Field(description="The same at purchase. [USD]")
    io_time_us_per_access: float | None = Field(
        description="Mean over all accesses; null where there is no system, or `ranges` has its ends. [µs]"
    )
    ranges: Ranges
    separate: SharingOut | None = Field(
        description="Each workload by itself; null where no option keeps every limit."
    )
    together: SharingOut | None = Field(
        description="All on one system; null where no option keeps every limit."
    )
    without_parts: SharingOut | None = Field(
        description="The best where every cache is shared; null where no system runs in parts, or nothing keeps every limit "
        "without."
    )
    alternatives: list[SharingOut] = Field(
        description="The best other ways to share, the best first."
    )
    optimality_gap: float | None = Field(
        description="Share by which a better choice among the candidates could do better; 0 where none does by more than rounding. [1]"
    )
    groups: int = Field(description="Groups of workloads.")
    evaluated: int = Field(description="Options of all groups.")
    conflict: list[str] = Field(
        description="Where there is no system: limits that cannot be kept together, of which each is needed; of one workload "
        "that no option carries, or of all systems together."
    )
    least_totals: dict[str, float] = Field(
        description="Where limits on all systems together stand in the way: what each of those in conflict would have to be "
        "at least, all other limits as asked; where several cannot be kept each by itself, the least of each of these."
    )
    nearest: dict[str, float] = Field(
        description="Where no option carries one workload: what each limit in conflict would have to be, alone."
    )
    horizon_months: int = Field(
        description="Months over which a purchase is spread, and the data grow. [months]"
    )
    versions: dict[str, str] = Field(
        description="Of the model and the price book: with the id they repeat the answer."
    )
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
