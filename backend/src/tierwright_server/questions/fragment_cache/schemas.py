"""Shapes of a fragment cache."""

from typing import Annotated

from pydantic import Field

from tierwright.advise.fragment_cache import FillPhase
from tierwright.profile.steady_state import Start
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    CautionOut,
    Identifier,
    Pages,
    Share,
    StartIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep

Bytes = Annotated[float, Field(strict=True, ge=4096, le=2**60, allow_inf_nan=False)]
Rate = Annotated[float, Field(strict=True, ge=0, le=1e12, allow_inf_nan=False)]


class FragmentCacheIn(StartIn):
    """Workload, sizes, devices, and what the workload does not contain."""

    workload_id: Identifier
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Annotated[Pages, Field(ge=1)]
    flash_device_id: Identifier
    disk_device_id: Identifier
    accesses_per_s: Rate | None = Field(
        default=None, description="Absent: the workload's own, accesses / duration."
    )
    source_bytes: Bytes | None = Field(
        default=None,
        description="Size of the volume behind the cache; absent: the pages of the "
        "workload, with a warning. [bytes]",
    )
    read_miss_rate: Annotated[Share, Field(strict=True)] | None = Field(
        default=None,
        description="Absent: misses of an LRU of the flash size over misses of RAM. [1]",
    )
    fragment_bytes: Annotated[
        int, Field(strict=True, ge=4096, le=2**30, multiple_of=4096)
    ] = Field(default=2**20, description="Fragment, whole 4 KiB pages. [bytes]")
    run_bytes: Bytes = Field(
        default=2**16, description="Mean run of useful pages, an assumption. [bytes]"
    )
    density: Annotated[Share, Field(strict=True)] = Field(
        default=0.0, description="Useful share of the space outside the runs. [1]"
    )
    period_s: Annotated[
        float, Field(strict=True, ge=1e-6, le=1e6, allow_inf_nan=False)
    ] = Field(
        default=0.5, description="Time that a thread sleeps between promotions. [s]"
    )
    page_writes_per_s: Rate | None = Field(
        default=None, description="Writes of one page; absent: the mean page's. [1/s]"
    )
    fragment_populations_per_s: Rate | None = Field(
        default=None,
        description="Promotions of its fragment; absent: all fragments alike. [1/s]",
    )


@mirrors(
    FillPhase,
)
class PhaseOut(Answer):
    """A part of the fill in which the same threads run."""


class FragmentSizes(Answer):
    """Costs and benefits of each fragment size; one entry per size."""

    fragment_bytes: list[int]
    metadata_bytes: list[float]
    fill_s: list[float]
    used_share: list[float]
    flash_writes_per_useful_byte: list[float]
    effective_cache_bytes: list[float]


class WritePolicyOut(Answer):
    """One way of writing a cached page."""

    policy: str = Field(description="awt, write_around, write_through or write_back.")
    title: str
    acknowledge_us: float = Field(description="Until a write is acknowledged. [µs]")
    valid_share: float = Field(
        description="Probability that the page can serve a read. [1]"
    )
    flash_writes: float = Field(
        description="Immediate writes to flash for one host write."
    )
    source_writes: float


class FragmentCacheOut(Answer):
    """A fragment cache at one point."""

    workload_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    cache_bytes: int
    source_bytes: float
    read_miss_rate: float
    miss_rate_basis: str
    page_writes_per_s: float
    fragment_populations_per_s: float
    rate_basis: str
    fragment_bytes: int
    at: int = Field(description="Place of that fragment among the sizes.")
    phases: list[PhaseOut]
    fill_s: float = Field(description="Least time to fill, by the threads alone. [s]")
    bytes_per_s_full: float = Field(description="Replaced once the cache is full.")
    sizes: FragmentSizes
    policies: list[WritePolicyOut]
    finding: str
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
