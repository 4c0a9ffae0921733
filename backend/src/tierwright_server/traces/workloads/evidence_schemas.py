"""Shape of what a curve from the counters of a running system rests on."""

from typing import Annotated

from pydantic import Field

from tierwright.hardware.running_tiers import running_id
from tierwright.profile.curve import Curve
from tierwright.profile.evidence import Evidence, EvidenceClass, MissesRead
from tierwright.profile.given.combine import MOST
from tierwright.profile.next_step import bounds_text, next_step
from tierwright_server.common.schemas import Answer, Body, Identifier, Name


class MeasurementsIn(Body):
    """Create one workload of several measurements of one system: ages below, the present point, points beyond."""

    name: Name
    workload_ids: Annotated[
        list[Identifier],
        Field(
            min_length=2,
            max_length=MOST,
            description="Workloads from the counters of one system under one load, of one page size.",
        ),
    ]


class EvidencePartOut(Answer):
    """One of several measurements of which a curve was put together."""

    evidence: EvidenceClass = Field(description="Its class.")
    valid_from: int = Field(description="Smallest size that it gives. [pages]")
    valid_to: int = Field(description="Largest size that it gives. [pages]")
    text: str = Field(description="Class, kind of the input and sizes in words.")


class EvidenceTierOut(Answer):
    """What one level of a running hierarchy answered, as its system counts it."""

    name: str
    size_bytes: int | None = Field(
        description="In use; null of the lowest one. [bytes]"
    )
    requests_per_s: float = Field(description="Requests that it answered. [1/s]")
    read_us: float | None = Field(
        description="Mean time of a read of it; null where none was measured. [µs]"
    )
    device_id: str | None = Field(
        default=None,
        description="Name under which it stands in place of the id of a device, with the time of its reads; null where "
        "none was timed.",
    )
    text: str = Field(description="The same in words.")


class NextStepOut(Answer):
    """What to record next: for how long, and with which command."""

    what: str = Field(description="To record.")
    duration: str = Field(description="For how long.")
    command: str = Field(
        description="As the documentation of counters explains it; names in capitals are those of the system."
    )
    sentence: str = Field(description="What and for how long, in words.")


class EvidenceOut(Answer):
    """What a curve from counters rests on: its class, the sizes that it speaks of, and its error."""

    evidence: EvidenceClass = Field(
        description="`points`: hits that the system counted at two or more sizes; `ages`: when what is "
        "resident was last used; `one_point`: one size and its miss ratio."
    )
    title: str = Field(description="The class in words.")
    valid_from: int = Field(description="Smallest size that it speaks of. [pages]")
    valid_to: int = Field(
        description="Largest size that it speaks of; nothing is known beyond. [pages]"
    )
    range: str = Field(description="The same in words.")
    self_check: float | None = Field(
        description="By what share it gives more misses at the size of the check than the system counts; null "
        "where there is no such count. [1]"
    )
    self_check_pages: int | None = Field(
        default=None,
        description="Size of the check; null where there is none. [pages]",
    )
    check: str = Field(description="The same in words, or why there is none.")
    gap: str = Field(default="", description="The size of that error, in short.")
    indicative: bool = Field(description="Whether the check shows an error above 25 %.")
    snapshots: int = Field(description="Snapshots or intervals that were averaged.")
    basis: str = Field(description="The same in words, and whether they give a band.")
    parts: list[EvidencePartOut] = Field(
        default=[],
        description="Measurements of which it was put together, by size; empty where it is one.",
    )
    tiers: list[EvidenceTierOut] = Field(
        default=[],
        description="Levels of the hierarchy that was counted, from the fastest; empty where it was not counted by "
        "level.",
    )
    misses_read: MissesRead | None = Field(
        default=None,
        description="What answers a miss: the `device`, a `cache` below too, or `unknown`; null where no cache lies "
        "below.",
    )
    bounds: str | None = Field(
        default=None,
        description="Of one point: the most that a larger cache saves and the least that a smaller one loses; null "
        "where more is known.",
    )
    next_step: NextStepOut | None = Field(
        default=None,
        description="What to record for a surer curve, where little is known: of one point, or of ages that are "
        "indicative or have no band.",
    )


class BandRow(Answer):
    """Miss ratios between which that of a size lies."""

    pages: int = Field(description="Size. [pages]")
    low: float = Field(description="Least miss ratio. [1]")
    high: float = Field(description="Largest miss ratio. [1]")


def band_of(evidence: Evidence | None) -> list[BandRow]:
    """Return the band of a curve from counters; empty where none is known."""
    return [
        BandRow(pages=pages, low=low, high=high)
        for pages, low, high in (() if evidence is None else evidence.band)
    ]


def evidence_of(
    evidence: Evidence | None,
    page_bytes: int,
    curve: Curve | None = None,
    duration_s: float | None = None,
) -> EvidenceOut | None:
    """Return what is shown of the evidence of a curve; null where nothing is known of it."""
    if evidence is None:
        return None
    step = None if curve is None else next_step(curve)
    return EvidenceOut(
        evidence=evidence.kind,
        title=evidence.title,
        valid_from=evidence.valid_from,
        valid_to=evidence.valid_to,
        range=evidence.range_text(page_bytes),
        self_check=evidence.self_check,
        self_check_pages=evidence.self_check_pages,
        check=evidence.check_text(page_bytes),
        gap=evidence.gap_text,
        indicative=evidence.is_indicative,
        snapshots=evidence.snapshots,
        basis=evidence.snapshots_text(),
        parts=[
            EvidencePartOut(
                evidence=each.kind,
                valid_from=each.valid_from,
                valid_to=each.valid_to,
                text=each.text(page_bytes),
            )
            for each in evidence.parts
        ],
        tiers=[
            EvidenceTierOut(
                **each.to_dict(), device_id=running_id(each, at), text=each.text()
            )
            for at, each in enumerate(evidence.tiers)
        ],
        misses_read=evidence.misses_read,
        bounds=None if curve is None else bounds_text(curve, duration_s),
        next_step=None if step is None else NextStepOut(**step.to_dict()),
    )
