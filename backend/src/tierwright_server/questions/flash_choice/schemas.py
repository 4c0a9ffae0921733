"""Shapes of the choice of a flash device and of its directory."""

from typing import Annotated

from pydantic import Field

from tierwright.profile.steady_state import Start
from tierwright_server.common.schemas import (
    Answer,
    CautionOut,
    FlashCacheOptions,
    FlashCaches,
    FlashMetadata,
    Identifier,
    Months,
    Pages,
    Share,
    StartIn,
    Usd,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import PriceBookRef

MOST_CANDIDATES = 100
MOST_SIZES = 16
Amount = Annotated[float, Field(strict=True, ge=0, le=1e9, allow_inf_nan=False)]
StatedShare = Share


class SizesIn(StartIn):
    """Workload and sizes."""

    workload_id: Identifier
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Annotated[Pages, Field(ge=1)]
    disk_device_id: Identifier
    dirty_share: StatedShare | None = Field(
        default=None,
        description="Share of the evicted pages, for a workload made from a given "
        "curve.",
    )


class FlashChoiceIn(SizesIn):
    """Which flash device suits this workload?"""

    candidate_ids: Annotated[
        list[Identifier] | None, Field(min_length=1, max_length=MOST_CANDIDATES)
    ] = Field(
        default=None,
        description="Devices to rank, each once; absent: every device that may be flash.",
    )
    price_book_id: Identifier | None = Field(
        default=None, description="Absent: the prices that the devices state."
    )
    amortisation_months: Months = 36
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM of every scheme with flash; absent: "
        "nothing is charged.",
    )


class FlashRowOut(Answer):
    """One flash device with its best scheme."""

    device_id: str
    device_name: str
    scheme: str
    scheme_title: str
    io_time_us_per_access: float
    gain_over_none: float = Field(
        description="Share of the I/O time without flash that it saves. [1]"
    )
    flash_usd_per_month: Usd | None
    price_times_time: float | None = Field(
        description="USD per month x µs per access, less is better; null without a "
        "price, and where no scheme beats no flash. [USD µs/month]"
    )
    reason: str = Field(description="Why there is none; empty where there is one.")


class RejectedOut(Answer):
    """A device that could not be evaluated."""

    device_id: str
    device_name: str
    reason: str


class FlashChoiceOut(Answer):
    """Flash devices, the one of least I/O time first."""

    workload_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: int
    flash_pages: int
    price_book: PriceBookRef | None
    rows: list[FlashRowOut]
    best_by_time: str | None
    best_by_price_times_time: str | None
    rejected: list[RejectedOut]
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None = Field(
        description="Null unless the query has `derivation=true`; `scheme` holds the "
        "device that a step belongs to."
    )


class DirectoriesIn(SizesIn):
    """Where does the directory go, and how large are flash pages?"""

    flash_device_id: Identifier
    flash_page_bytes: Annotated[
        list[Annotated[int, Field(strict=True, ge=512, le=2**26)]],
        Field(max_length=MOST_SIZES),
    ] = Field(
        default=[],
        description="Sizes of flash pages, multiples of the workload's page; none: that page.",
    )
    buffered_bytes: Annotated[int, Field(strict=True, ge=1, le=2**53 - 1)] | None = (
        Field(
            default=None,
            description="Part of a directory on flash that RAM holds; absent: a tenth.",
        )
    )
    directory_hit_ratio: StatedShare = Field(
        default=0.9, description="H_d, of that part. [1]"
    )
    directory_dirty_share: StatedShare = Field(
        default=0.3, description="Share of its pages that are dirty in RAM. [1]"
    )
    lookup_pages: Amount = Field(
        default=1.0, description="l, directory pages of a lookup."
    )
    update_pages: Amount = Field(
        default=1.0, description="u, directory pages of an update."
    )
    ram_lookup_us: Amount = Field(
        default=0.0, description="L of a directory in RAM. [µs]"
    )
    ram_update_us: Amount = Field(
        default=0.0, description="U of a directory in RAM. [µs]"
    )
    write_on_eviction: bool = Field(
        default=False,
        description="Charge a dirty directory page only when it is evicted, not as "
        "printed in the paper.",
    )


class DirectoriesCheckIn(DirectoriesIn):
    """The comparison, and what is replayed beside it."""

    flash_caches: FlashCaches = Field(
        default=[],
        description="Flash caches of `GET /simulator` to replay besides, in the RAM that their metadata leave.",
    )
    flash_cache_options: FlashCacheOptions = Field(default=[])


class DirectorySchemeOut(Answer):
    """One scheme with its directory. [µs per access]"""

    scheme: str
    title: str
    io_us: float
    directory_us: float
    block_read_us: float = Field(description="Extra disk reads of overwriting. [µs]")
    total_us: float
    worst_total_us: float = Field(
        description="Where each flash page holds one valid page only. [µs]"
    )


class DirectoryOptionOut(Answer):
    """One place of the directory and one size of flash pages."""

    placement: str = Field(description="ram or flash.")
    flash_page_bytes: int
    technique: str | None = Field(description="overwriting or invalidating.")
    entry_bytes: int
    directory_bytes: int
    ram_pages: int = Field(description="Left for pages; 0 where there is no room.")
    flash_blocks: int
    flash_pages: int
    lookup_us: float
    update_us: float
    schemes: list[DirectorySchemeOut]
    safest: str | None = Field(
        description="Scheme of least `worst_total_us`: the safest one."
    )
    best_if_full: str | None = Field(description="Scheme of least `total_us`.")
    saving: float | None = Field(
        description="Of the I/O time without flash, by `safest` at worst. [1]"
    )
    saving_if_full: float | None = Field(
        description="The same by `best_if_full`, if all flash pages are full. [1]"
    )
    reason: str


class DirectoriesOut(Answer):
    """Places of the directory and sizes of flash pages, side by side."""

    workload_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_bytes: int
    flash_bytes: int
    flash_device_name: str
    none_us: float = Field(description="I/O time without flash. [µs per access]")
    options: list[DirectoryOptionOut]
    safest: int | None = Field(
        description="Index of the choice: the option of least total where each flash page "
        "holds a single valid page."
    )
    best_if_full: int | None = Field(
        description="Index of the option of least total, with flash pages full of valid ones."
    )
    sentence: str = Field(description="The choice, and what it saves at worst.")
    remark: str = Field(
        description="What another option saves if its flash pages are full; empty "
        "where no option does better than the choice."
    )
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
