"""Shapes of workloads that are made without a trace."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from tierwright.profile.given.examine import GivenPoint
from tierwright.profile.given.reading import MOST_TEXT_BYTES, Question
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    MAX_COUNT,
    Answer,
    Body,
    Name,
    ProblemDetail,
    Said,
    Share,
    ShortText,
)
from tierwright_server.traces.workloads.evidence_schemas import BandRow, EvidenceOut

_Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]{1,40}$")]
_Positive = Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]


class CurveStatement(Body):
    """A given curve, and what its owner states about it; the rest is read or asked."""

    text: Annotated[
        str,
        StringConstraints(max_length=MOST_TEXT_BYTES),
        Field(description="The lines, as pasted."),
    ]
    kind: _Word | None = Field(
        default=None,
        description="A name of `GET /curve-kinds`; absent: detected.",
    )
    size_unit: _Word | None = Field(
        default=None, description="pages, B, KiB, MiB, GiB, TiB, kB, MB, GB, TB, ..."
    )
    value: _Word | None = Field(
        default=None, description="hit_ratio, miss_ratio or misses."
    )
    scale: _Word | None = Field(default=None, description="fraction or percent.")
    size_column: ShortText | None = Field(
        default=None, description="Name or number, from 1, of the column of sizes."
    )
    value_column: ShortText | None = Field(
        default=None, description="Name or number, from 1, of the column of values."
    )
    pool: ShortText | None = Field(default=None, description="Buffer pool.")
    page_bytes: (
        Annotated[int, Field(strict=True, ge=1, le=2**30, description="[bytes]")] | None
    ) = None
    accesses: _Positive | None = Field(
        default=None, description="Page accesses that the curve covers."
    )
    accesses_per_s: Annotated[float, Field(gt=0, le=1e10)] | None = Field(
        default=None,
        description="Accesses per second, in place of their number; the workload then "
        "covers one day. [1/s]",
    )
    data_bytes: _Positive | None = Field(
        default=None,
        description="Size of the data; absent: unknown, and no disk cost. [bytes]",
    )
    dirty_share: Share | None = Field(
        default=None,
        description="Share of the evicted pages that are dirty; absent: unknown, and "
        "write costs are a range. [1]",
    )
    write_share: Share | None = Field(
        default=None, description="Share of the accesses that write. [1]"
    )
    repair: bool = Field(
        default=False,
        description="Replace a curve that falls by the nearest one that does not.",
    )
    misses_read: Literal["device", "cache"] | None = Field(
        default=None,
        description="What answers a miss that a system counted: the device, as with direct I/O, or a cache below it "
        "too; absent: unknown, where there can be one.",
    )


class CurveWorkloadIn(CurveStatement):
    """Create a workload from a given curve."""

    name: Name


class ProfileWorkloadIn(Body):
    """Create a workload from a profile document."""

    name: Name
    profile: dict[str, Any] = Field(
        description="What `tierwright profile` or `tierwright curve import` has written."
    )
    filename: ShortText | None = None


class CurveKindOut(Answer):
    """A kind of given curve."""

    name: str
    title: str
    description: str
    example: str = Field(description="Some lines, as they would be pasted.")


class CurveKindList(Answer):
    """The kinds of given curves."""

    items: list[CurveKindOut]


@mirrors(
    GivenPoint,
    hit_ratio="As given. [1]",
    repaired_hit_ratio="After the repair, if any. [1]",
)
class GivenPointOut(Answer):
    """One size of a given curve."""


@mirrors(
    Question,
    field="The key of the request that answers it.",
)
class QuestionOut(Answer):
    """A question that must be answered, because the answer is not guessed."""


class CurvePreviewOut(Answer):
    """What was understood of a given curve."""

    evidence: EvidenceOut | None = Field(
        description="What a curve from counters rests on; null where nothing is known of where it comes from."
    )
    band: list[BandRow] = Field(
        description="Miss ratios between which those of the sizes lie, by size; empty where no band is known."
    )
    kind: str | None
    scores: dict[str, float] = Field(
        description="How well each kind fits, from 0 to 1; empty if it was stated."
    )
    points: list[GivenPointOut]
    problems: list[ProblemDetail] = Field(description="With the line of each.")
    repairable: bool = Field(
        description="Whether a repair would correct all the problems."
    )
    questions: list[QuestionOut]
    assumptions: list[Said]
    cannot_tell: list[str] = Field(description="What such a curve does not contain.")
    columns: list[str]
    pools: list[str]
    size_unit: str | None
    value: str | None
    page_bytes: int | None
    accesses: int | None
    data_known: bool
    complete: bool = Field(description="Whether a workload can be made from it.")
