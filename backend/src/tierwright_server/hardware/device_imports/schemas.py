"""Shapes of devices that are imported from a measurement."""

from typing import Annotated, Any

from pydantic import Field

from tierwright.hardware.fio import FioRun
from tierwright.hardware.fio_record import FioRecord
from tierwright.hardware.measure.plan import USUAL_FILE_BYTES, USUAL_SECONDS
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Count,
    Name,
    PageBytes,
    ShortText,
    WarningOut,
)
from tierwright_server.hardware.catalog.schemas import DeviceOut


class FioImportIn(Body):
    """A result of fio, and what it does not contain about the device."""

    document: dict[str, Any] = Field(
        description="JSON of `fio --output-format=json`, or the raw results of "
        "`tierwright device measure`."
    )
    name: Name = "Measured device"
    kind: Annotated[
        str,
        Field(
            min_length=1,
            max_length=40,
            pattern=r"^[a-z0-9_]+$",
            description="A name of `GET /catalog/device-kinds`.",
        ),
    ] = "nvme"
    queue_depth: Annotated[int, Field(strict=True, ge=1, le=10**6)] | None = Field(
        default=None,
        description="Queue depth of the rates to import; absent: the deepest at which "
        "reads and writes were both measured.",
    )
    page_bytes: PageBytes | None = Field(
        default=None,
        description="Transfer size of the rates, where several were measured; absent: "
        "that of the record, where there is one.",
    )
    capacity_bytes: Annotated[Count, Field(strict=True, ge=1)] | None = Field(
        default=None, description="Usable capacity, which fio does not report. [bytes]"
    )
    keep: bool = Field(
        default=False,
        description="Keep it as a device of your own; otherwise only show it.",
    )


@mirrors(
    FioRun,
    queue_depth="Requested: iodepth x jobs.",
    in_flight="Actually in flight: IOPS x latency (Little's law).",
    iops="[1/s]",
    latency_us="Mean from submission to completion. [µs]",
    time_per_operation_us="1/IOPS. [µs]",
    service_time_us="Mean completion latency, which only depth 1 shows. [µs]",
    percentiles_us="Latency by percentile: `p50`, `p95`, `p99`, `p99_9`; empty where fio "
    "reports none. [µs]",
)
class FioRunOut(Answer):
    """One pattern that fio measured alone, with its three times kept apart."""


class FioMixOut(Answer):
    """Reads and writes that fio measured together: the cost of neither."""

    read_percent: int = Field(description="Requested share of reads. [%]")
    read: FioRunOut = Field(description="The reads of the mix.")
    write: FioRunOut = Field(description="The writes of the mix.")


@mirrors(
    FioRecord,
    page_bytes="Page whose cost was measured. [bytes]",
    file_bytes="Size of the file that was read and written. [bytes]",
    filesystem="Type of the file system; empty where unknown.",
    source="What is mounted there; empty where unknown.",
    kernel="Operating system.",
    fio_version="Version of fio.",
    date="Day of the measurement.",
    by="Who measured; empty where not stated.",
    direct="Whether the page cache was bypassed.",
    written_bytes="Bytes written in all. [bytes]",
    rule="When a run counts as steady.",
    verdicts="Per job: `steady`, `not_steady`, or `too_short` to be judged.",
)
class FioRecordOut(Answer):
    """How `tierwright device measure` made the result."""


class FioImportOut(Answer):
    """A device from a result of fio."""

    device: DeviceOut
    kept: bool = Field(description="Whether it is now a device of your own.")
    runs: list[FioRunOut]
    mixes: list[FioMixOut] = Field(
        description="Reads and writes measured together; no figure of the device is "
        "from them."
    )
    record: FioRecordOut | None = Field(
        description="How it was measured; null unless `tierwright device measure` made "
        "the result."
    )
    used: dict[str, str] = Field(
        description="The run behind each figure of the device."
    )
    queue_depths: list[int] = Field(
        description="Queue depths of random runs at the page size used, to choose from."
    )
    basis: str = Field(description="Which of the three times the models will use.")
    sentence: str
    warnings: list[WarningOut]


class MeasurePlanIn(Body):
    """What is to be measured, and within which time and bytes."""

    folder: Annotated[
        ShortText,
        Field(
            min_length=1,
            pattern=r"^[^\u0000-\u001f\u007f]*$",
            description="Folder on the device, on the machine where the command is to run.",
        ),
    ] = "."
    page_bytes: PageBytes = 8192
    file_bytes: Annotated[Count, Field(strict=True, ge=1)] = Field(
        default=USUAL_FILE_BYTES, description="Size of the file to make. [bytes]"
    )
    most_s: Annotated[float, Field(strict=True, ge=1, le=1e6, allow_inf_nan=False)] = (
        Field(default=USUAL_SECONDS, description="Time that it may take at most. [s]")
    )
    most_written_bytes: Annotated[Count, Field(strict=True, ge=1)] | None = Field(
        default=None,
        description="Bytes that it may write at most; absent: 16 times the file. [bytes]",
    )


class MeasureJobOut(Answer):
    """One pattern that will be run alone."""

    name: str = Field(description="Name of the job of fio.")
    title: str = Field(description="What it is, in words.")
    most_written_bytes: int = Field(
        description="Bytes that it may write, over all its runs; 0 for reads. [bytes]"
    )
    most_attempts: int = Field(
        description="Runs until its rate is given up as not steady."
    )


class MeasurePlanOut(Answer):
    """The command to run, and what it will write. The server runs nothing."""

    command: str = Field(description="Command that executes this plan.")
    sentences: list[str] = Field(description="What it will do, and for how long.")
    how_to_install: str = Field(description="How to install fio.")
    file_bytes: int = Field(description="Size of the file that it makes. [bytes]")
    most_written_bytes: int = Field(
        description="Bytes written at most: the file once, and those of the jobs. [bytes]"
    )
    least_s: float = Field(
        description="Time where every rate is steady at once, without the time to write "
        "the file. [s]"
    )
    most_s: float = Field(description="Time where no rate becomes steady. [s]")
    files: list[str] = Field(description="Files that it makes in a new folder.")
    jobs: list[MeasureJobOut] = Field(description="Patterns, in their order.")
