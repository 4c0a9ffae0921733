"""Presets of described workloads, with the error of their fit."""

from pydantic import Field

from tierwright.hardware.workload_presets import FitPoint, presets
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import Answer
from tierwright_server.http.paging import holds


class PresetComponentOut(Answer):
    """One part of the mix of a preset."""

    kind: str = Field(description="A name of `GET /description-kinds`.")
    weight: float = Field(
        description="Its share of the accesses beside the others. [1]"
    )
    data_share: float | None = Field(
        default=None,
        description="Its part of the data; null: what the others leave. [1]",
    )
    write_share: float | None = Field(
        default=None,
        description="Share of its accesses that write; null: that of the whole. [1]",
    )
    exponent: float | None = Field(
        default=None, description="Of `zipf`: skew of its popularity. [1]"
    )
    hot_data_share: float | None = Field(
        default=None, description="Of `hot_cold`: this share of its data is hot. [1]"
    )
    hot_access_share: float | None = Field(
        default=None,
        description="Of `hot_cold`: the hot data takes this share of its accesses. [1]",
    )


class PresetWorkloadOut(Answer):
    """The mix of a preset, with data and load of the recording."""

    page_bytes: int
    data_bytes: int = Field(description="Size of the data. [bytes]")
    accesses_per_s: float = Field(description="Page accesses per second. [1/s]")
    write_share: float = Field(
        description="Share of the accesses that write in each component that states no "
        "other. [1]"
    )
    components: list[PresetComponentOut] = Field(description="The mix.")


@mirrors(
    FitPoint,
    cache_pages="Size of the cache. [pages]",
    recorded_misses="Misses per access of the trace, LRU in the steady state. [1]",
    described_misses="The same of the description, by formula. [1]",
    recorded_write_backs="Write-backs per access of the trace; null where it states no "
    "writes. [1]",
    described_write_backs="The same of the description, by formula. [1]",
)
class FitPointOut(Answer):
    """Trace and description at one size."""


class WorkloadPresetOut(Answer):
    """A mix that was fitted to a recorded trace."""

    id: str
    title: str
    summary: str = Field(description="What kind of system works like this.")
    source: str = Field(description="The trace to which it was fitted.")
    licence: str = Field(description="Licence of what it was made from.")
    fitted_by: str = Field(description="The script that fitted it.")
    miss_error: float = Field(
        description="Largest difference of the misses per access at the sizes of `fit`. [1]"
    )
    write_back_error: float | None = Field(
        description="The same of the write-backs; null where the trace states no writes. [1]"
    )
    workload: PresetWorkloadOut = Field(
        description="The mix, with data and load of the recording."
    )
    fit: list[FitPointOut] = Field(description="Trace and description by size.")


def list_presets(name: str | None) -> list[WorkloadPresetOut]:
    """List the presets whose id holds a text."""
    return [
        WorkloadPresetOut.model_validate(one.to_dict())
        for one in presets().values()
        if holds(one.id, name)
    ]
