"""Shapes of uploads and of the preview."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from tierwright_server.common.schemas import Answer, Body, Said, WarningOut
from tierwright_server.jobs.runs.schemas import RunOut

_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")


def _check_columns(columns: dict[str, str]) -> dict[str, str]:
    for key, value in columns.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"`{key[:40]}` cannot be a key of the column mapping")
        if "\x00" in value:
            raise ValueError(f"the value of `{key}` holds a NUL character")
    return columns


def _check_page_bytes(page_bytes: int) -> int:
    if page_bytes & (page_bytes - 1):
        raise ValueError("must be a power of two")
    return page_bytes


TracePageBytes = Annotated[
    int,
    Field(
        strict=True,
        ge=512,
        le=2**20,
        description="Size by which requests are split into pages: a power of two. [bytes]",
    ),
    AfterValidator(_check_page_bytes),
]
FormatName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9_]{1,40}$"),
    Field(description="A name of `GET /catalog/formats`; absent: detected."),
]
ColumnMapping = Annotated[
    dict[str, Annotated[str, StringConstraints(max_length=200)]],
    AfterValidator(_check_columns),
    Field(
        max_length=30,
        description="Column mapping and units of the generic CSV reader.",
    ),
]

SkipBadRecords = Annotated[
    int,
    Field(
        strict=True,
        ge=0,
        le=10**9,
        description="Bad lines or records to skip and count; one more is an error.",
    ),
]


DeviceBytes = Annotated[
    int,
    Field(
        strict=True,
        ge=512,
        le=2**60,
        description="Size of each recorded device, to compare the addresses with; "
        "absent: not compared. [bytes]",
    ),
]


class WorkloadName(Answer):
    """A workload by its id and name."""

    id: str
    name: str


class FilePath(Body):
    """A file on the machine of the server, or an object of a store that it reaches."""

    path: Annotated[
        str, StringConstraints(min_length=1, max_length=4096, pattern=r"^[^\u0000]*$")
    ] = Field(
        description="Absolute path or s3:// address in one of the `trace_roots` of "
        "GET /storage."
    )


class Checksum(Body):
    """The hash of a file, computed by its sender."""

    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")] = Field(
        description="SHA-256 of the whole file, hexadecimal."
    )


class UploadOut(Answer):
    """An upload, finished or not."""

    id: str
    kind: Literal["upload", "registered", "fetched"]
    path: str | None = Field(
        description="Where a registered file lies, or the address of a fetched object."
    )
    filename: str | None
    size_bytes: int
    offset_bytes: int = Field(description="Bytes that have arrived.")
    complete: bool
    sha256: str | None = Field(
        description="Of the whole file, once complete; of a registered one once read."
    )
    read_as: list[WorkloadName] = Field(
        default=[],
        description="Workloads that were imported from the same file (for a single "
        "upload).",
    )
    run: RunOut | None = Field(
        default=None,
        description="The fetching of an object: its progress, its end, its error.",
    )
    created_at: datetime
    expires_at: datetime


class UploadList(Answer):
    """Uploads that are not part of a workload yet, newest first."""

    items: list[UploadOut]
    total: int


class Reading(BaseModel):
    """How a trace is read, as requested, stored and answered."""

    format: FormatName | None = Field(
        default=None, description="Name of the trace format; null: detected."
    )
    page_bytes: TracePageBytes | None = Field(
        default=None,
        description="Size of a page; null: the usual one of the format. [bytes]",
    )
    joined_page_bytes: TracePageBytes | None = Field(
        default=None,
        description="Size into which neighbouring pages of one device or relation are joined, as a system "
        "with larger pages has them; null: pages as recorded. [bytes]",
    )
    columns: ColumnMapping | None = Field(
        default=None,
        description="Columns of a table by what they hold, such as `offset` and `size`.",
    )
    skip_bad_records: SkipBadRecords = 0
    device_bytes: DeviceBytes | None = None
    members_apart: bool = Field(
        default=False,
        description="Each member of an archive has separate devices; by default, "
        "devices with the same name, or with none, are one device.",
    )
    members_merged: bool = Field(
        default=False,
        description="The members of an archive are merged by time; otherwise they are read "
        "one after another.",
    )


class ReadOptions(Reading, Body):
    """How to read a trace; whatever is absent is detected and stated."""


def reading_of(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a kept document, every one; older ones lack those that came later."""
    return {
        name: kept.get(name, usual)
        for name, usual in ReadOptions().model_dump().items()
    }


class ReadingOut(Reading, Answer):
    """How the file was requested to be read; null: detected."""


class DetectionOut(Answer):
    """How well one format fits."""

    format: str
    score: float
    reason: str


class RecordOut(Answer):
    """One record as read: the raw text and what was understood."""

    place: str
    raw: str
    time_ns: int | None
    device: str | None
    op: str
    offset_bytes: int | None
    size_bytes: int | None
    first_page: int
    page_count: int


class UnitOut(Answer):
    """What a field of the format means."""

    field: str
    unit: str
    meaning: str


class ExtentOut(Answer):
    """Lengths and addresses of requests, those of length 0 left out."""

    unit: str = Field(
        description="`bytes`, or `pages` of formats that name pages or keys."
    )
    smallest_request: int
    largest_request: int
    lowest: int = Field(description="Lowest address.")
    highest: int = Field(description="Highest address.")


class ShownOut(Answer):
    """What the records of a preview have in common."""

    requests: int
    write_requests: int
    devices: int = Field(description="Devices, relations or volumes.")
    first_time_ns: int | None
    duration_s: float | None = Field(
        description="Latest minus earliest time; null without time. [s]"
    )
    extent: ExtentOut | None


class PreviewOut(Answer):
    """What was understood of the beginning of a trace."""

    format: str
    chosen_by: str = Field(
        description="`content` (detected), `name` (as asked) or `columns` (by the mapping)."
    )
    margin: float = Field(
        description="Score of the format minus the best of the others."
    )
    detection: list[DetectionOut]
    columns: list[str] | None = Field(description="Columns found (generic CSV).")
    records: list[RecordOut]
    units: list[UnitOut]
    assumptions: list[Said]
    page_bytes: int
    compression: str | None
    file_bytes: int
    shown: ShownOut
    warnings: list[WarningOut]
    upload: UploadOut
