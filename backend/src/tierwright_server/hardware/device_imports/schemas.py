"""Shapes of devices that are imported from a measurement."""

from typing import Annotated, Any

from pydantic import Field

from tierwright.hardware.fio import FioRun
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Count,
    Name,
    PageBytes,
    WarningOut,
)
from tierwright_server.hardware.catalog.schemas import DeviceOut


class FioImportIn(Body):
    """A result of fio, and what it does not contain about the device."""

    document: dict[str, Any] = Field(description="JSON of `fio --output-format=json`.")
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
        description="Transfer size of the rates, where several were measured.",
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
)
class FioRunOut(Answer):
    """One pattern that fio measured alone, with its three times kept apart."""


class FioImportOut(Answer):
    """A device from a result of fio."""

    device: DeviceOut
    kept: bool = Field(description="Whether it is now a device of your own.")
    runs: list[FioRunOut]
    used: dict[str, str] = Field(
        description="The run behind each figure of the device."
    )
    queue_depths: list[int] = Field(
        description="Queue depths of random runs at the page size used, to choose from."
    )
    basis: str = Field(description="Which of the three times the models will use.")
    sentence: str
    warnings: list[WarningOut]
