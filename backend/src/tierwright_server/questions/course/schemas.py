"""Shapes of a course over time."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise import course
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    FlashMetadata,
    Identifier,
    Pages,
    WarningOut,
)
from tierwright_server.questions.point_schemas import (
    Devices,
    DevicesUsed,
    EvaluationIn,
    ServiceTimes,
    WaitsForWrites,
)


class CourseIn(Body):
    """A scheme or flash cache, its devices, how accesses arrive, and a crash."""

    system: Identifier = Field(description="Page-flow scheme or flash cache.")
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Annotated[Pages, Field(ge=1)]
    flash_device_id: Identifier
    disk_device_id: Identifier
    flash_devices: Devices = Field(default=1, description="Equal flash devices.")
    disks: Devices = Field(default=1, description="Equal disks.")
    options: dict[str, str] = Field(
        default={},
        max_length=64,
        description="Options of the scheme or flash cache, by name; `GET /simulator` lists them.",
    )
    arrivals: Literal["clients", "poisson", "trace"] = Field(
        default="clients",
        description="`clients`: each waits for its access and then thinks; `poisson`: independent of each "
        "other, at a rate; `trace`: as recorded, or stretched to a rate.",
    )
    clients: Annotated[int, Field(strict=True, ge=1, le=2**20)] = Field(
        default=16, description="Clients that wait."
    )
    think_s: Annotated[float, Field(ge=0, le=1e6)] = Field(
        default=0.0, description="Mean time that a client thinks. [s]"
    )
    accesses_per_s: Annotated[float, Field(gt=0, le=1e12)] | None = Field(
        default=None,
        description="Rate of page accesses; absent: of the recording. Clients have none. [1/s]",
    )
    window_s: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        default=None,
        description="Length of a window; absent: a round one that makes at most 120. [s]",
    )
    crash_at: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="Share of the accesses before a crash; absent: no crash. [1]",
    )
    restart: Literal["warm", "cold"] = Field(
        default="warm",
        description="`warm`: the contents of flash survive the crash; `cold`: they do not. Under a page-flow scheme "
        "they never do, and `warm` is refused.",
    )
    checkpoint_interval_s: Annotated[
        float, Field(ge=0, le=course.MOST_CHECKPOINT_S)
    ] = Field(
        default=course.USUAL_CHECKPOINT_S,
        description="Time between two checkpoints, which decides what redo reads after a crash; 0: nothing. With a "
        "crash, a flash cache that can take checkpoints takes them so often, unless its options state how often. [s]",
    )
    writes: WaitsForWrites = "background"
    service: ServiceTimes = "constant"
    seed: Annotated[int, Field(strict=True, ge=0, le=2**53 - 1)] = Field(
        default=0, description="Of what is random."
    )
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
        )


@mirrors(
    course.CourseWindow,
    start_s="From the first access on. [s]",
    length_s="The last window ends with the last answer. [s]",
    accesses="That arrived.",
    ram_hit_share="Of them, found in RAM; null without any. [1]",
    flash_hit_share="Of those that RAM lacked, found on flash; null without any. [1]",
    answered="Accesses that were answered in it, whenever they arrived.",
    accesses_per_s="The same by time; null where the window has no length. [1/s]",
    mean_us="Mean response time of those answered in it; null without any. [µs]",
    p99_us="99th percentile. [µs]",
    unanswered="Accesses that had arrived and were not answered at its end.",
    flash_busy="Busy share of flash; null where the window has no length. [1]",
    disk_busy="The same of the disks. [1]",
    flash_load="What flash was asked for in it, as a share of what it does in that time; above 1 its queue grows; null "
    "likewise. [1]",
    disk_load="The same of the disks. [1]",
    flash_used_share="Flash pages in use at its end, with old versions; null where a scheme has no use for its flash. [1]",
    dirty_share="Flash pages newer than the disk at its end; null where a scheme has no use for its flash, and where the "
    "trace does not record writes. [1]",
)
class CourseWindow(Answer):
    """One window of a course."""


class CourseOut(Answer):
    """A system over time: filling, steady state, crash and recovery."""

    workload_id: str
    content_id: str
    devices: DevicesUsed
    system: str
    title: str
    ram_pages: int = Field(description="As replayed. [pages]")
    flash_pages: int = Field(description="As replayed. [pages]")
    accesses: int = Field(description="Replayed.")
    duration_s: float = Field(
        description="From the first arrival to the last answer. [s]"
    )
    last_arrival_s: float = Field(description="From the first to the last arrival. [s]")
    arrivals_per_s: float | None = Field(
        description="Accesses that arrived until then; null where all come at once. [1/s]"
    )
    accesses_per_s: float = Field(
        description="Accesses answered until the last answer. [1/s]"
    )
    is_outrun: bool = Field(
        description="Whether more was asked of flash or disks until the last arrival than they do in that time, by accesses "
        "that wait for no answer: their queue grew, and response times are those of a trace of this length."
    )
    window_s: float = Field(description="Length of a window. [s]")
    filled_at_s: float | None = Field(
        description="End of the first window in which flash was full; null where it never was. [s]"
    )
    restarted_at_s: float | None = Field(
        description="When the machine came back after a crash; null without one. [s]"
    )
    restart_s: float = Field(
        description="How long its devices then read flash before they served anything. [s]"
    )
    redo_pages: int | None = Field(
        description="Read again then, because they had been written since the latest checkpoint, or the crash took them with "
        "flash; null where the trace does not record writes. [pages]"
    )
    redo_flash_pages: int | None = Field(
        description="Of these, from flash; null likewise. [pages]"
    )
    redo_older_pages: int | None = Field(
        description="Of all, last written before the latest checkpoint and taken by the crash with flash: the log must reach "
        "further back; null likewise. [pages]"
    )
    redo_s: float | None = Field(
        description="How long that took, after flash was read; null likewise. [s]"
    )
    ram_dirty_pages_lost: int | None = Field(
        description="Changed pages of RAM that the crash took: only the log has them; null likewise. [pages]"
    )
    flash_dirty_pages_lost: int | None = Field(
        description="Pages of flash that the crash took and the disk does not have; null likewise. [pages]"
    )
    checkpointed_pages: int | None = Field(
        description="Changed pages of RAM that checkpoints wrote; null where they write nothing. [pages]"
    )
    recovered_s: float | None = Field(
        description="From the restart to the end of the first window as good as before the crash, within 10 %: "
        "by the rate of clients that wait, else by the mean response time; null without one. [s]"
    )
    windows: list[CourseWindow]
    ram_tax_bytes: int | None = Field(
        description="Of a flash cache: RAM that its directory takes, charged or not; null of page-flow schemes, and where "
        "no figure is known. [bytes]"
    )
    ram_tax_share: float | None = Field(
        description="The same, of the RAM requested. [1]"
    )
    ram_tax: str = Field(
        description="The same in words, with what RAM the replay had; empty of page-flow schemes."
    )
    finding: str
    warnings: list[WarningOut]
    estimator: str
    validity: str
    core_version: str
