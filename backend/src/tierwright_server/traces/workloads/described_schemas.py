"""Shapes of workloads that are described in a few numbers."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.profile.described.description import (
    LARGEST_DATA_BYTES,
    LARGEST_EXPONENT,
    LARGEST_RATE_PER_S,
    LEAST_PAGE_BYTES,
    MOST_COMPONENTS,
    MOST_PAGE_BYTES,
    MOST_PAGES,
    MOST_WEIGHT,
)
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Identifier,
    Name,
    Share,
    WarningOut,
)

ComponentKind = Literal["zipf", "hot_cold", "uniform", "scan"]


class ComponentIn(Body):
    """One part of a mix, with its own part of the data."""

    kind: ComponentKind = Field(
        description="Which page it accesses next, see `GET /description-kinds`."
    )
    weight: Annotated[float, Field(gt=0, le=MOST_WEIGHT)] = Field(
        default=1.0,
        description="Its share of the accesses, relative to the other components. [1]",
    )
    data_share: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None,
        description="Its part of the data, which no other component accesses. Without it "
        "and `pages`: what the others leave. [1]",
    )
    pages: Annotated[int, Field(strict=True, ge=1, le=MOST_PAGES)] | None = Field(
        default=None, description="The same as a number of pages. [pages]"
    )
    write_share: Share | None = Field(
        default=None,
        description="Share of its accesses that write; absent: that of the whole. [1]",
    )
    exponent: Annotated[float, Field(ge=0, le=LARGEST_EXPONENT)] | None = Field(
        default=None,
        description="Of `zipf`: rank k is accessed in proportion to 1 / k^exponent. [1]",
    )
    hot_data_share: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        default=None, description="Of `hot_cold`: this share of its data is hot. [1]"
    )
    hot_access_share: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        default=None,
        description="Of `hot_cold`: the hot data takes this share of its accesses. [1]",
    )


class DescriptionIn(Body):
    """A described workload: its data, its load, and a mix of components or a preset."""

    preset: Identifier | None = Field(
        default=None,
        description="A mix of `GET /catalog/workload-presets`, instead of `components`.",
    )
    page_bytes: (
        Annotated[int, Field(strict=True, ge=LEAST_PAGE_BYTES, le=MOST_PAGE_BYTES)]
        | None
    ) = Field(
        default=None,
        description="Size of a page, a power of two; absent: that of the preset. [bytes]",
    )
    data_bytes: (
        Annotated[int, Field(strict=True, ge=1, le=LARGEST_DATA_BYTES)] | None
    ) = Field(
        default=None,
        description="Size of the data; absent: that of the preset's recording. [bytes]",
    )
    accesses_per_s: Annotated[float, Field(gt=0, le=LARGEST_RATE_PER_S)] | None = Field(
        default=None,
        description="Page accesses per second; absent: those of the preset's recording. [1/s]",
    )
    write_share: Share | None = Field(
        default=None,
        description="Share of the accesses that write in each component that states no "
        "other; absent: 0, or that of the preset. [1]",
    )
    components: (
        Annotated[list[ComponentIn], Field(min_length=1, max_length=MOST_COMPONENTS)]
        | None
    ) = Field(
        default=None,
        description="The mix: each access is of one component, at random by weight.",
    )


class DescribedWorkloadIn(DescriptionIn):
    """Create a workload from a description."""

    name: Name


class DescriptionKindOut(Answer):
    """A kind of component."""

    name: str
    title: str
    description: str
    needs: list[str] = Field(description="Fields that it needs and no other kind has.")


class DescribedPartOut(Answer):
    """A component with its pages."""

    kind: str
    access_share: float = Field(description="Its share of all accesses. [1]")
    pages: int = Field(description="Its pages. [pages]")
    write_share: float = Field(description="Share of its accesses that write. [1]")


class DescriptionPreviewOut(Answer):
    """The curve of a description, by formula; nothing is stored."""

    finding: str
    page_bytes: int
    data_bytes: int = Field(description="Size of the data. [bytes]")
    data_pages: int = Field(description="Pages of the data. [pages]")
    accesses_per_s: float = Field(description="Page accesses per second. [1/s]")
    write_share: float = Field(description="Share of all accesses that write. [1]")
    parts: list[DescribedPartOut] = Field(description="The components, in order.")
    pages: list[int] = Field(description="Cache sizes, strictly increasing. [pages]")
    hit_ratios: list[float] = Field(
        description="Share of the accesses that hit an LRU cache of each size. [1]"
    )
    write_backs_per_access: list[float] = Field(
        description="Dirty evictions of an LRU cache of each size, per access. [1]"
    )
    estimator: str
    assumptions: list[str]
    warnings: list[WarningOut]
