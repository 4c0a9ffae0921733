"""Shapes that name a point, and that say what it is made of."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from tierwright.profile.curve import Curve
from tierwright.profile.evidence import EvidenceClass
from tierwright_server.common.schemas import (
    Answer,
    FlashMetadata,
    Identifier,
    Months,
    Pages,
    Share,
    StartIn,
)
from tierwright_server.hardware.catalog.schemas import DeviceOut, Origin

Devices = Annotated[int, Field(strict=True, ge=1, le=100_000)]
WaitsForWrites = Annotated[
    Literal["background", "waited_for"],
    Field(description="Whether an access waits for the writes that its miss causes."),
]
ServiceTimes = Annotated[
    Literal["constant", "exponential"],
    Field(
        description="How the time of an operation varies about what the device states."
    ),
]
"""What devices do on simulated time and in the models of response, as every question about it asks."""


CurveClass = Annotated[
    EvidenceClass | Literal["points, upper envelope"] | None,
    Field(
        description="Class of a curve from counters that this rests on; null where the curve is of another kind."
    ),
]


def class_of(curve: Curve) -> CurveClass:
    """Return the class of a curve, for an answer that has no cautions to name it."""
    evidence = curve.evidence
    if evidence is None:
        return None
    return (
        "points, upper envelope"
        if evidence.envelope and evidence.kind == "points"
        else evidence.kind
    )


class DirtyShareIn(StartIn):
    """What is known of the dirty share of a given curve, which does not contain it."""

    dirty_share: Share | None = Field(
        default=None,
        description="Share of the evicted pages that are dirty, for a workload made "
        "from a given curve; absent: as stated with the curve.",
    )
    dirty_share_range: bool = Field(
        default=False,
        description="Where the dirty share of a given curve is not stated: answer with "
        "both ends of its possible range. Otherwise such a request is "
        "refused.",
    )


class EvaluationIn(DirtyShareIn):
    """The point to evaluate: sizes, devices and prices."""

    workload_id: Identifier
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Pages
    flash_device_id: Identifier
    disk_device_id: Identifier
    ram_device_id: Identifier | None = None
    price_book_id: Identifier | None = None
    amortisation_months: Months = 36
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM of every scheme with flash; absent: "
        "nothing is charged.",
    )


class DirtyShareState(StrEnum):
    """Where the dirty share is from."""

    MEASURED = "measured"
    STATED = "stated"
    DESCRIBED = "described"
    COMPOSED = "composed"
    UNKNOWN = "unknown"


class DirtyShareOut(Answer):
    """What is known of the share of evicted pages that are dirty (p_d)."""

    state: DirtyShareState
    value: float | None = Field(
        description="As stated, the same at every size; null where it was measured, or follows "
        "at each size from a description or from the workloads composed. [1]"
    )
    write_share: float | None = Field(
        description="Stated share of the accesses that write; it bounds p_d. [1]"
    )
    best_at_least: str | None = Field(
        description="If unknown: the best choice if no evicted page is dirty."
    )
    best_at_most: str | None = Field(
        description="If unknown: the best choice if as many evicted pages as possible "
        "are dirty."
    )


class PriceBookRef(Answer):
    """The price book used."""

    id: str
    name: str
    origin: Origin
    date: str


class RamBudgetOut(Answer):
    """RAM used by flash metadata, and what it leaves for caching."""

    flash_metadata: str = Field(description="Name of the preset.")
    title: str
    ram_bytes: int = Field(description="The RAM budget, which is paid for. [bytes]")
    metadata_bytes: int
    ram_pages_left: int = Field(
        description="RAM of every scheme with flash; `none` caches in all of it. "
        "[pages]"
    )
    share: float = Field(description="Metadata / budget. [1]")
    sentence: str
    estimator: str
    validity: str


class DevicesUsed(Answer):
    """The devices as they were when this was evaluated."""

    flash: DeviceOut
    disk: DeviceOut
    ram: DeviceOut | None
