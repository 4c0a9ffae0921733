"""Shapes of workloads and their curves."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tierwright.profile.knees import Knee
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Identifier,
    Name,
    Said,
    WarningOut,
)
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.storage.contents import ContentKind
from tierwright_server.traces.uploads.schemas import (
    DetectionOut,
    ExtentOut,
    ReadingOut,
    ReadOptions,
)
from tierwright_server.traces.workloads.composing_schemas import (
    ComposedPartOut,
    ScaledPartsOut,
)
from tierwright_server.traces.workloads.evidence_schemas import BandRow, EvidenceOut
from tierwright_server.traces.workloads.scaling_schemas import ProductionOut


class WorkloadStatus(StrEnum):
    """State of a workload."""

    QUEUED = "queued"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"


class WorkloadIn(ReadOptions):
    """Create a workload from a finished upload."""

    upload_id: Identifier
    name: Name
    import_again: bool = Field(
        default=False,
        description="Create another workload even if one was imported from the same "
        "file with the same read options; by default, that one is "
        "returned.",
    )


class WorkloadRename(Body):
    """A new name."""

    name: Name


class ScaledFrom(Answer):
    """The workload that was scaled to production."""

    workload_id: str
    name: str
    content_id: str | None = Field(
        default=None,
        description="Of its trace, which checks of the scaled workload replay; null where it had "
        "none, or an earlier version scaled it.",
    )


class SummaryOut(Answer):
    """What the whole trace holds, or what is known without one."""

    kind: ContentKind = Field(
        default=ContentKind.TRACE,
        description="A trace, or a profile or given curve, which cannot be replayed.",
    )
    format: str
    requests: int | None
    accesses: int
    distinct_pages: int = Field(
        description="Of a given curve: the size of the data, or a lower bound of it."
    )
    write_accesses: int | None = Field(description="Absent where it was not stated.")
    tells_writes: bool = Field(
        default=True,
        description="Whether the trace distinguishes writes; otherwise all accesses "
        "count as reads, and writes are unknown, not 0.",
    )
    write_requests: int | None
    page_bytes: int
    duration_s: float | None
    first_time_ns: int | None
    devices: int | None
    sha256_of_sequence: str | None
    compression: str | None
    assumptions: list[Said]
    warnings: list[WarningOut]
    skipped_records: int | None = Field(
        default=None,
        description="Bad records skipped as requested; null: unknown (canonical "
        "trace).",
    )
    split_requests: int | None = Field(
        default=None,
        description="Requests that touch more than one page; null: unknown.",
    )
    footprint_bytes: int = Field(description="distinct_pages x page_bytes. [bytes]")
    stored_bytes: int = Field(description="Size of what is kept. [bytes]")
    data_known: bool = Field(
        default=True,
        description="Whether the size of the data is known; otherwise distinct_pages "
        "is a lower bound.",
    )
    has_summaries: bool = Field(
        default=False,
        description="Whether there are summaries, or a trace to make them of.",
    )
    curve_pages: int | None = Field(
        default=None,
        description="Largest size that a profile or a given curve lists. [pages]",
    )
    evidence: EvidenceOut | None = Field(
        default=None,
        description="What a curve from counters rests on; null for others.",
    )
    dirty_share: float | None = Field(
        default=None, description="As stated for a given curve. [1]"
    )
    write_share: float | None = Field(
        default=None, description="As stated for a given curve. [1]"
    )
    sample_rate: float | None = Field(
        default=None, description="Of a profile that was estimated from a sample. [1]"
    )
    production: ProductionOut | None = Field(
        default=None,
        description="How it was scaled to production; null: sizes and rates are those of "
        "the recording itself.",
    )
    scaled_from: ScaledFrom | None = Field(
        default=None, description="The workload that was scaled; null where none was."
    )
    described_by: str | None = Field(
        default=None,
        description="Name of the description from which the curve was computed; null for "
        "a curve that was given or measured.",
    )
    replayable: bool = Field(
        default=False,
        description="Whether checks can replay its trace, or for a workload scaled to production "
        "that of its recording.",
    )

    composed_of: list[ComposedPartOut] | None = Field(
        default=None,
        description="The workloads that share the cache of a composed one; null for others.",
    )
    scaled_parts: ScaledPartsOut | None = Field(
        default=None,
        description="Which of these were scaled to production, and how far the misses may be off "
        "by that; null where none was.",
    )


class WorkloadNamed(Answer):
    """What a workload is called, and where it came from."""

    id: str
    name: str
    status: WorkloadStatus
    example: bool = Field(description="Whether it is the included worked example.")
    content_id: str | None = Field(description="SHA-256 of the canonical content.")
    same_content_as: list[str] = Field(
        description="Other workloads with the same content; it is stored once."
    )
    filename: str | None = Field(
        description="Name of its file, for display; null without a file."
    )
    upload_id: str | None = Field(description="The upload, while it is kept.")


class WorkloadOut(ReadingOut, WorkloadNamed):
    """A workload: a trace, read once and profiled for every size."""

    summary: SummaryOut | None = Field(
        description="What is known of its accesses; null until it is read."
    )
    created_at: datetime
    run: RunOut | None
    etag: str = Field(description="For `If-Match` of a change: of its name.")


class ImportOut(WorkloadOut):
    """The workload of a finished upload."""

    already_here: bool = Field(
        description="Nothing was created: this workload was, or is being, imported "
        "from the same file with the same read options. `import_again` "
        "makes another one."
    )


AskedThrough = Annotated[
    Identifier | None,
    Query(
        description="Workload whose notes accompany the result. Absent, or of another "
        "content: the one through which it was first requested."
    ),
]


class ConversionSourceOut(Answer):
    """The file that was read."""

    kind: Literal["upload", "registered", "fetched", "example", "workload"]
    filename: str | None
    address: str | None = Field(
        default=None,
        description="Where a registered file was, or the object it was fetched from.",
    )
    size_bytes: int
    sha256: str


class ConversionReportOut(SummaryOut):
    """What the reader found, assumed, split, skipped and warned of."""

    chosen_by: str
    margin: float
    detection: list[DetectionOut]
    source_format: str = Field(
        description="Format of the original: `format`, unless that is canonical."
    )
    extent: ExtentOut | None = None
    content_id: str
    resumed_at_accesses: int | None = Field(
        default=None,
        description="Page accesses kept from an interrupted attempt; the speeds are "
        "then unknown.",
    )
    converted_in_s: float | None = Field(
        default=None, description="Time that reading and converting took. [s]"
    )
    requests_per_s: float | None = Field(
        default=None, description="Records read per second, on average."
    )
    accesses_per_s: float | None = Field(
        default=None, description="Page accesses made from them per second, on average."
    )


class ConversionLogOut(Answer):
    """How a file became accesses."""

    workload_id: str
    name: str
    converted_at: datetime
    server_version: str
    core_version: str
    source: ConversionSourceOut
    asked: ReadingOut
    report: ConversionReportOut


class WorkloadList(Answer):
    """Workloads: the example first, then the newest."""

    items: list[WorkloadOut]
    total: int
    limit: int
    offset: int


@mirrors(
    Knee,
    pages="The listed size at which it is. [pages]",
    height="Height above the line between the ends of the curve, scaled to 1.",
)
class KneeOut(Answer):
    """A knee of the hit-ratio curve."""


class SteadyCurve(Answer):
    """What caches that are full would count on the same accesses, at the sizes of the curve."""

    misses: list[float] = Field(description="Product-limit estimate. [accesses]")
    misses_low: list[float] = Field(
        description="Misses if no first touch counts as an access. [accesses]"
    )
    misses_high: list[float] = Field(
        description="If every first touch misses: the cold count. [accesses]"
    )
    uncertain: list[bool] = Field(
        description="Whether fewer than 100 accesses show what a cache of the size hits."
    )
    write_backs: list[float] | None = Field(
        description="Dirty evictions; absent where they are unknown. [pages]"
    )
    knees: list[KneeOut] = Field(
        description="Where the benefit of a larger cache begins to drop, the highest "
        "first."
    )


class CurveOut(Answer):
    """Counts of an LRU cache at the listed sizes; `estimator` says how they were found."""

    workload_id: str
    content_id: str
    kind: ContentKind
    pages: list[int] = Field(description="Cache sizes, strictly increasing. [pages]")
    misses: list[float] = Field(
        description="Misses at each size; whole numbers where measured. [accesses]"
    )
    write_backs: list[float] | None = Field(
        description="Dirty evictions at each size; absent where they are unknown. [pages]"
    )
    accesses: int
    write_accesses: int | None
    tells_writes: bool = Field(
        description="Whether write-backs are known; otherwise they are absent, or 0 "
        "because operations are missing."
    )
    distinct_pages: int
    page_bytes: int
    described_by: str | None = Field(
        description="Name of the description from which the counts were computed; null "
        "where they were given or measured."
    )
    composed_of: list[str] | None = Field(
        description="Names of the workloads of which the curve was composed; null for a curve "
        "that was not."
    )
    evidence: EvidenceOut | None = Field(
        description="What a curve from counters rests on; null for others."
    )
    misses_low: list[float] | None = Field(
        description="At least, of a curve that has no steady state besides: by the worst error known of the "
        "scale law, or by the band of what it rests on if it was made from counters; null where there is "
        "neither. [accesses]"
    )
    misses_high: list[float] | None = Field(
        description="At most, by the same. [accesses]"
    )
    band: list[BandRow] = Field(
        default=[],
        description="Miss ratios of a curve from counters, straight between these sizes, which are more than the "
        "listed ones: between two counted sizes they lie between both counts. Empty where no band is known.",
    )
    estimator: str = Field(description="How the counts were found.")
    knees: list[KneeOut] = Field(
        description="Where the benefit of a larger cache begins to drop, the highest "
        "first."
    )
    knee_method: str = Field(description="How the knees were found.")
    steady: SteadyCurve | None = Field(
        description="In the steady state; absent for a given curve, which itself "
        "describes a running system."
    )
