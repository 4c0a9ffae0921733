"""Shapes of throughput and response time."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tierwright.profile.steady_state import Start
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
    DirtyShareOut,
    EvaluationIn,
)

MOST_CLIENTS = 10_000
Station = Literal["cpu", "flash", "disk"]
Limit = Literal["clients", "cpu", "flash", "disk"]
Varied = Literal["clients", "disks", "flash_devices", "flash_pages"]
Clients = Annotated[int, Field(strict=True, ge=1, le=MOST_CLIENTS)]
Amount = Annotated[float, Field(ge=0, le=1e9)]
ThinkTime = Annotated[float, Field(ge=0, le=1e12)]

MOST_POINTS = 400
MOST_CELLS = 100_000
"""Points x clients of networks that differ: each is solved for every population."""


class ThroughputIn(DirtyShareIn):
    """Workload, sizes, devices, clients, and what is varied."""

    workload_id: Identifier
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Pages
    flash_device_id: Identifier
    disk_device_id: Identifier
    clients: Clients = Field(
        default=64,
        description="N; each starts its next transaction when the last one has ended.",
    )
    think_us: ThinkTime = Field(
        default=0.0, description="Z, between a client's transactions. [µs]"
    )
    accesses_per_transaction: Annotated[float, Field(gt=0, le=1e9)] = Field(
        default=1.0, description="Page accesses of one transaction."
    )
    cpu_us_per_transaction: Amount = Field(
        default=0.0, description="Processor time of one transaction. [µs]"
    )
    cpus: Devices = Field(default=1, description="Processors.")
    flash_devices: Devices = Field(default=1, description="Equal flash devices.")
    disks: Devices = Field(default=1, description="Equal disks.")
    vary: Varied = Field(default="clients", description="What `points` are values of.")
    points: list[Pages] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_POINTS,
        description="Values of what is varied; absent: up to 64 around the present one.",
    )
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM; absent: nothing is charged.",
    )

    @model_validator(mode="after")
    def _within_reach(self) -> Self:
        count = len(self.points or []) or 64
        if self.vary != "clients" and count * self.clients > MOST_CELLS:
            raise ValueError(
                f"points x clients is {count * self.clients:,}, more than {MOST_CELLS:,}: "
                "ask for fewer points or clients"
            )
        if self.vary == "clients" and max(self.points or [0]) > MOST_CLIENTS:
            raise ValueError(f"points of clients go up to {MOST_CLIENTS:,}")
        return self

    def point(self) -> EvaluationIn:
        """Return the same workload, sizes and devices."""
        return EvaluationIn(
            workload_id=self.workload_id,
            ram_pages=self.ram_pages,
            flash_pages=self.flash_pages,
            flash_device_id=self.flash_device_id,
            disk_device_id=self.disk_device_id,
            dirty_share=self.dirty_share,
            dirty_share_range=self.dirty_share_range,
            start=self.start,
        )


class ThroughputCheckIn(ThroughputIn):
    """The question, and what is replayed beside the schemes."""

    flash_caches: FlashCaches = Field(
        default=[], description="Flash caches of `GET /simulator` to replay besides."
    )
    flash_cache_options: FlashCacheOptions = Field(default=[])


class ByStation(Answer):
    """A column for each kind of station."""

    cpu: list[float]
    flash: list[float]
    disk: list[float]


class SchemeColumns(Answer):
    """One scheme over the points; null where a figure is infinite or undefined."""

    scheme: str
    title: str
    throughput_per_s: list[float | None] = Field(description="Exact MVA. [1/s]")
    response_us: list[float] = Field(description="Exact MVA, without think time. [µs]")
    throughput_least_per_s: list[float | None] | None = Field(
        description="Where the flash hits are off by the known error of their approximation; "
        "null: they are exact. [1/s]"
    )
    throughput_most_per_s: list[float | None] | None
    response_least_us: list[float] | None
    response_most_us: list[float] | None
    estimator: str = Field(description="How the hits inside the demands were obtained.")
    exact: bool
    exactness: str = Field(description="How far off they may be, at the worst point.")
    throughput_bound_per_s: list[float | None] = Field(
        description="min(1 / D_max, N / (D + W + Z)). [1/s]"
    )
    response_bound_us: list[float] = Field(
        description="max(D + W, N D_max - Z), the least possible. [µs]"
    )
    max_throughput_per_s: list[float | None] = Field(description="1 / D_max. [1/s]")
    bottleneck: list[Station | None] = Field(
        description="Device type with the highest service demand per transaction, on "
        "one device."
    )
    limit: list[Limit | None] = Field(
        description="What limits the throughput: the kind of devices that are at least 90 % "
        "busy, the busiest of them, else the number of clients."
    )
    knee_clients: list[float | None] = Field(description="N* = (D + W + Z) / D_max.")
    knee_disks: float | None = Field(
        description="Disks from which another device limits, at the first point."
    )
    demand_us: ByStation = Field(description="Of a transaction, over all devices. [µs]")
    delay_us: list[float] = Field(
        description="W, what a transaction waits for latencies beyond busy times. [µs]"
    )
    utilisation: ByStation = Field(description="Busy share of one device of the kind.")
    queue: ByStation = Field(
        description="Clients at one device, the one served included."
    )


class ThroughputOut(Answer):
    """Throughput and response time of every scheme over what is varied.

    Where the dirty share is unknown, `schemes` are with as many dirty pages as can be, and
    `least` with none.
    """

    workload_id: str
    content_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: int
    flash_pages: int
    devices: DevicesUsed
    varied: Varied
    points: list[int]
    present: int = Field(description="The present value of what is varied.")
    at: int = Field(description="Index of the present value among `points`.")
    schemes: list[SchemeColumns]
    least: list[SchemeColumns] | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )
    dirty_share: DirtyShareOut
    best: list[str | None] = Field(
        description="Scheme of most throughput at each point; null where that depends on a "
        "dirty share that is unknown."
    )
    contenders: list[str] = Field(
        description="Schemes that the model cannot distinguish at the present point, "
        "the named one first; decide by replay (`POST "
        "/throughputs/check`). Empty where the lead is clear."
    )
    ram_pages_left: list[int] = Field(
        description="RAM left by the flash metadata at each point. [pages]"
    )
    flash_metadata: str | None
    finding: str
    sentence: str
    close_sentence: str = Field(
        default="",
        description="What the model leaves open at the present point; empty where the "
        "lead is clear; does not apply once a replay has decided.",
    )
    estimator: str
    validity: str
    time_basis: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None = Field(
        description="At the present value; null unless the query has `derivation=true`."
    )
    core_version: str
