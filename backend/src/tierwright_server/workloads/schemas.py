"""Shapes of workloads and their curves."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from tierwright_server.runs.schemas import RunOut
from tierwright_server.schemas import Answer, Body, Identifier, Name, WarningOut
from tierwright_server.uploads.schemas import ColumnMapping, ReadOptions


class WorkloadStatus(StrEnum):
    """Where a workload stands."""

    QUEUED = "queued"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"


class WorkloadIn(ReadOptions):
    """Make a workload of a finished upload."""

    upload_id: Identifier
    name: Name


class WorkloadRename(Body):
    """A new name."""

    name: Name


class SummaryOut(Answer):
    """What the whole trace holds."""

    format: str
    requests: int
    accesses: int
    distinct_pages: int
    write_accesses: int
    write_requests: int | None
    page_bytes: int
    duration_s: float | None
    first_time_ns: int | None
    devices: int | None
    sha256_of_sequence: str | None
    compression: str | None
    assumptions: list[str]
    warnings: list[WarningOut]
    footprint_bytes: int = Field(description="distinct_pages x page_bytes. [bytes]")
    stored_bytes: int = Field(description="Size of the canonical trace kept. [bytes]")


class WorkloadOut(Answer):
    """A workload: a trace, read once and profiled for every size."""

    id: str
    name: str
    status: WorkloadStatus
    example: bool = Field(description="The worked example that comes with the app.")
    content_id: str | None = Field(description="SHA-256 of the canonical content.")
    same_content_as: list[str] = Field(
        description="Other workloads with the same content; it is stored once."
    )
    filename: str | None
    upload_id: str | None = Field(description="The upload, while it is kept.")
    format: str | None = Field(description="As asked; absent: detected.")
    page_bytes: int | None = Field(description="As asked; absent: the format's own.")
    columns: ColumnMapping | None
    summary: SummaryOut | None
    created_at: datetime
    run: RunOut | None


class WorkloadList(Answer):
    """Workloads: the example first, then the newest."""

    items: list[WorkloadOut]
    total: int
    limit: int
    offset: int


class CurveOut(Answer):
    """Exact counts of an LRU cache at the listed sizes, from a cold start."""

    workload_id: str
    content_id: str
    pages: list[int] = Field(description="Cache sizes, strictly increasing. [pages]")
    misses: list[int] = Field(description="Misses at each size. [accesses]")
    write_backs: list[int] = Field(description="Dirty evictions at each size. [pages]")
    accesses: int
    write_accesses: int
    distinct_pages: int
    page_bytes: int
    estimator: str = Field(description="How the counts were found.")
