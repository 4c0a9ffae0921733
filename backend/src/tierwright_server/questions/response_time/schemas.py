"""Shapes of response times."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise.response import rows
from tierwright.profile.steady_state import Start
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    CautionOut,
    FlashCacheOptions,
    FlashCaches,
    FlashMetadata,
    Identifier,
    Pages,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import (
    Devices,
    DevicesUsed,
    DirtyShareIn,
    EvaluationIn,
    ServiceTimes,
    WaitsForWrites,
)
from tierwright_server.replays.analyses.schemas import AnalysisOut

Clients = Annotated[int, Field(strict=True, ge=1, le=2**32 - 1)]
AccessRate = Annotated[float, Field(gt=0, le=1e12)]


class ResponseTimeIn(DirtyShareIn):
    """Sizes, devices, rates, and what an access waits for."""

    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Pages
    flash_device_id: Identifier
    disk_device_id: Identifier
    accesses_per_s: AccessRate | None = Field(
        default=None,
        description="Mean rate of page accesses of one machine; absent: of production where the "
        "workload is scaled, else of the recording. [1/s]",
    )
    peak_accesses_per_s: AccessRate | None = Field(
        default=None,
        description="Rate of the busiest hour, beside a stated mean rate. [1/s]",
    )
    flash_devices: Devices = Field(default=1, description="Equal flash devices.")
    disks: Devices = Field(default=1, description="Equal disks.")
    flash_at_once: Devices | None = Field(
        default=None,
        description="Operations that a flash device serves at once; absent: IOPS x latency.",
    )
    disk_at_once: Devices | None = Field(
        default=None,
        description="Operations that a disk serves at once; absent: IOPS x latency, one for a "
        "hard disk.",
    )
    writes: WaitsForWrites = "background"
    service: ServiceTimes = "constant"
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM; absent: nothing is charged.",
    )

    def point(self, workload_id: str) -> EvaluationIn:
        """Return the same sizes and devices for a workload."""
        return EvaluationIn(
            workload_id=workload_id,
            ram_pages=self.ram_pages,
            flash_pages=self.flash_pages,
            flash_device_id=self.flash_device_id,
            disk_device_id=self.disk_device_id,
            dirty_share=self.dirty_share,
            dirty_share_range=self.dirty_share_range,
            start=self.start,
        )


class ResponseCheckIn(ResponseTimeIn):
    """The question, and how accesses arrive in the replays that check it."""

    workload_id: Identifier
    arrivals: Literal["poisson", "trace", "clients"] = Field(
        default="poisson",
        description="`poisson`: independent of each other; `trace`: as recorded, stretched to the "
        "rate; `clients`: a closed loop whose clients think so long that they ask for accesses at "
        "the rate.",
    )
    clients: Clients = Field(default=1, description="Of the closed loop.")
    seed: Annotated[int, Field(strict=True, ge=0, le=2**53 - 1)] = Field(
        default=0, description="Of what is random."
    )
    flash_caches: FlashCaches = Field(
        default=[], description="Flash caches of `GET /simulator` to replay besides."
    )
    flash_cache_options: FlashCacheOptions = Field(default=[])


class ResponseReplayOut(AnalysisOut):
    """Replays on simulated time that check response times."""


@mirrors(
    rows.NamedRate,
    name="`mean` or `peak`.",
    accesses_per_s="Page accesses of one machine. [1/s]",
)
class NamedRate(Answer):
    """A rate in question."""


@mirrors(
    rows.StationAt,
    tier="`flash` or `disk`.",
    devices="Equal devices, each with a queue of its own.",
    at_once="Operations that one of them serves at once.",
    operations_per_s="Reads and writes of all of them. [1/s]",
    utilisation="Busy share; from 1 on the queue grows without bound. [1]",
    latency_us="Of a read alone. [µs]",
    latency_known="Whether the device states it; otherwise it is c / IOPS.",
    service_us="Mean time that an operation occupies one of those served at once; null where "
    "nothing is asked of them. [µs]",
    service_scv="Variance of that time over its squared mean. [1]",
    busy_us="1/IOPS of the mix of reads and writes. [µs]",
    wait_us="Mean wait before service; null where it has no bound. [µs]",
    wait_probability="Share of the operations that wait. [1]",
    largest_accesses_per_s="Rate of page accesses at which they are busy all the time; null "
    "where they are not used. [1/s]",
)
class StationAt(Answer):
    """The devices of one tier at a rate."""


class SchemeAt(Answer):
    """One scheme at one rate; times are null where a device cannot keep up."""

    scheme: str
    title: str
    rate: str = Field(description="Name of the rate.")
    accesses_per_s: float = Field(description="The rate. [1/s]")
    mean_us: float | None = Field(description="Mean response time. [µs]")
    p50_us: float | None = Field(description="Median. [µs]")
    p99_us: float | None = Field(description="99th percentile. [µs]")
    p999_us: float | None = Field(description="99.9th percentile. [µs]")
    mean_least_us: float | None = Field(
        description="Mean where the flash hits are off by the known error of their "
        "approximation; equal to it where they have none. [µs]"
    )
    mean_most_us: float | None = Field(description="The other end. [µs]")
    ram_share: float = Field(description="Share of the accesses that hit RAM. [1]")
    flash_share: float = Field(description="Share that reads flash. [1]")
    disk_share: float = Field(description="Share that reads the disk. [1]")
    unbounded: list[str] = Field(description="Tiers that cannot keep up.")
    largest_accesses_per_s: float | None = Field(
        description="Rate at which the first device is busy all the time; null where none is "
        "used. [1/s]"
    )
    bottleneck: str | None = Field(description="Tier of that device.")
    stations: list[StationAt] = Field(description="Flash and disk.")
    without_latency: list[str] = Field(
        description="Tiers that are read and whose devices state no latency: the times that are not 0 "
        "are lower bounds, by busy times."
    )


@mirrors(
    rows.SchemeColumns,
    mean_us="Mean response time at each rate; null where a device cannot keep up. [µs]",
    p50_us="Median. [µs]",
    p99_us="99th percentile. [µs]",
    largest_accesses_per_s="Rate at which the first device is busy all the time. [1/s]",
)
class SchemeOverRates(Answer):
    """One scheme over many rates."""


@mirrors(
    rows.Jump,
    percentile="0.5 for the median. [1]",
    tier="That answers the access at the percentile.",
    crossing="`ram` or `disk`: the tier whose share of the accesses decides.",
    share="That share. [1]",
    threshold="The share at which the percentile jumps. [1]",
    resized="`ram` or `flash`: the tier whose size would bring it there.",
    pages="Least size of that tier on the faster side of the jump; null where no size is.",
    other_tier="That answers beyond the jump.",
    other_us="What an access there takes alone. [µs]",
    is_at_least="Whether that is a busy time, as no latency is stated: an access alone takes longer.",
)
class PercentileJump(Answer):
    """Where a percentile jumps from one tier to another."""


class ResponseTimeOut(Answer):
    """Response time of a page access under every scheme, at the rates in question and around them."""

    workload_id: str
    content_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: int
    flash_pages: int
    devices: DevicesUsed
    rates: list[NamedRate] = Field(description="In question; the last one decides.")
    best: str | None = Field(
        description="Scheme of the least mean response time at the last rate; null where no "
        "scheme carries it."
    )
    contenders: list[str] = Field(
        description="Schemes that could be that within the known error of the hits; empty "
        "where the lead is clear."
    )
    rows: list[SchemeAt] = Field(description="Every scheme at every rate in question.")
    jumps: list[PercentileJump] = Field(
        description="Where the percentiles of the best scheme jump, or of that which carries "
        "most."
    )
    points_per_s: list[float] = Field(description="Rates of `columns`. [1/s]")
    columns: list[SchemeOverRates] = Field(description="Every scheme over these rates.")
    writes: str = Field(description="What an access waits for.")
    service: str = Field(description="How service times vary.")
    flash_metadata: str | None
    finding: str
    sentence: str
    estimator: str
    validity: str
    time_basis: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
    core_version: str
