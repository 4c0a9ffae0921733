"""Shapes of what to cache."""

from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise import cachesack
from tierwright.advise.cachesack import FLASH_CACHE
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    Months,
    Pages,
    Usd,
    UsdIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import (
    DevicesUsed,
    EvaluationIn,
    PriceBookRef,
)
from tierwright_server.replays.analyses.schemas import AnalysisOut

CategoryKind = Literal["relation", "size", "hour"]
FlashPaid = Literal["whole", "by_size"]


class WhatToCacheIn(Body):
    """Sizes, devices and prices, and what tells accesses apart."""

    workload_id: Identifier
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: Annotated[Pages, Field(ge=1)]
    flash_device_id: Identifier
    disk_device_id: Identifier
    price_book_id: Identifier | None = Field(
        default=None, description="Absent: the prices that the devices state."
    )
    amortisation_months: Months = 36
    categories: CategoryKind = Field(
        default="relation",
        description="What tells accesses apart: `relation` (files, volumes or devices of other traces), `size` of the "
        "request, or `hour` since the first request.",
    )
    accesses_per_s: Annotated[float, Field(gt=0, le=1e12)] | None = Field(
        default=None,
        description="Rate of page accesses; absent: of the workload. [1/s]",
    )
    usd_per_billion_reads: UsdIn | None = Field(
        default=None,
        description="Price of reads from the store; absent: of the time of the disk. [USD]",
    )
    usd_per_tb_written: UsdIn | None = Field(
        default=None,
        description="Price of 10^12 bytes written to flash; absent: of the rated writes of the device. [USD]",
    )
    usd_per_gib_month: UsdIn | None = Field(
        default=None,
        description="Price of flash; absent: rent of the device, or its price over the months. [USD/GiB/month]",
    )
    flash_paid: FlashPaid = Field(
        default="whole",
        description="`whole`: all flash is paid for whatever it holds, so its price is no part of the choice; `by_size`: "
        "at most `flash_pages`, as much as is worth its price.",
    )

    def point(self) -> EvaluationIn:
        """Return the same sizes, devices and prices."""
        names = (
            "workload_id",
            "ram_pages",
            "flash_pages",
            "flash_device_id",
            "disk_device_id",
            "price_book_id",
            "amortisation_months",
        )
        return EvaluationIn(
            start="cold", **{name: getattr(self, name) for name in names}
        )


class WhatToCacheCheckIn(WhatToCacheIn):
    """The question, and what is replayed behind the choice."""

    flash_cache: Annotated[str, Field(min_length=1, max_length=60)] = Field(
        default=FLASH_CACHE,
        description="Flash cache of `GET /simulator` to replay behind the choice, and without it; the model is of "
        "`cachesack`, an LRU flash cache that writes through.",
    )


class CategoryCountsOut(AnalysisOut):
    """Counts of the requests below RAM by category."""

    categories: str = Field(description="What tells accesses apart.")
    ram_pages: int = Field(description="At which requests were counted. [pages]")


@mirrors(
    cachesack.CategoryRow,
    number="By which the simulator knows it.",
    name="For people.",
    reads="Misses of RAM, in the trace that was counted.",
    writes="Changed pages that leave RAM, in that trace.",
    pages="Pages of that trace whose first request is of it.",
    admission="When its pages enter flash; of a mixture the admission of `share` of the pages.",
    share="1 but for a mixture. [1]",
    otherwise="Admission of the other pages of a mixture; null without one.",
    held_pages="Mean flash in use, of `flash_pages` of the answer. [pages]",
    held_share="The same as a share of flash. [1]",
    hits="Reads that flash serves because of it, over the trace that was counted; of sizes and hours these may be reads of another category, so "
    "more than its own. [pages]",
    flash_writes="Pages written to flash, over the trace that was counted. [pages]",
    flash_usd_per_month="Of the flash that it holds, where flash is paid by size; else 0. [USD/month]",
    usd_per_month="Of its reads less its hits, its writes to flash and its flash. [USD/month]",
    saved_usd_per_month="By which that is below its cost where every miss enters flash. [USD/month]",
)
class CachedCategory(Answer):
    """One category under the choice."""


@mirrors(
    cachesack.Alternative,
    name="One of the admissions, for all categories; or `by_category`.",
    hits="Reads that flash serves, over the trace that was counted. [pages]",
    disk_reads="Reads from the store, over that trace. [pages]",
    flash_writes="Pages written to flash, over that trace. [pages]",
    hit_share="Of the misses of RAM. [1]",
    flash_pages="Flash that is paid for, of `flash_pages` of the answer. [pages]",
    read_usd_per_month="Of reads from the store. [USD/month]",
    write_usd_per_month="Of writes to flash. [USD/month]",
    flash_usd_per_month="Of flash, where it is paid by size; else 0. [USD/month]",
    usd_per_month="Of all of these. [USD/month]",
    lifetime_requests="How long a page stays on flash behind its last request, in requests of the trace that was counted, as "
    "the option of a flash cache takes it. [requests]",
    assignment="As option `assignment` of every flash cache takes it, and of the schemes exclusive and lazy.",
)
class AssignmentOut(Answer):
    """One assignment as a whole."""


@mirrors(
    cachesack.Charges,
    usd_per_billion_reads="Reads of a page from the store. [USD]",
    usd_per_tb_written="10^12 bytes written to flash. [USD]",
    usd_per_gib_month="Flash; null where no price is known. [USD/GiB/month]",
    of_reads="Where the price of reads is from.",
    of_writes="Where the price of writes is from.",
    of_flash="Where the price of flash is from.",
)
class CacheCharges(Answer):
    """What is paid for reads, for writes and for flash."""


class WhatToCacheOut(Answer):
    """The admission of each category, and what it costs."""

    workload_id: str
    content_id: str
    devices: DevicesUsed
    price_book: PriceBookRef | None
    categories: str = Field(description="What tells accesses apart.")
    page_bytes: int
    ram_pages: int = Field(description="As requested. [pages]")
    flash_pages: int = Field(description="As requested. [pages]")
    counted_ram_pages: int = Field(
        description="At which the trace was counted: less for production. [pages]"
    )
    counted_flash_pages: int = Field(description="The same of flash. [pages]")
    counts_of: str = Field(
        description="Of what reads, writes, pages, hits and pages written to flash are counts, where they are a recording's "
        "that stands for production; empty else."
    )
    accesses_per_s: float = Field(description="Load. [1/s]")
    flash_paid: FlashPaid = Field(description="How flash is paid for.")
    rows: list[CachedCategory] = Field(description="Of most reads first.")
    chosen: AssignmentOut = Field(description="The choice as a whole.")
    alternatives: list[AssignmentOut] = Field(
        description="Each admission for all categories."
    )
    saved_usd_per_month: Usd = Field(
        description="By which the choice is below admitting every miss. [USD/month]"
    )
    saved_share: float = Field(description="The same as a share. [1]")
    lifetime_requests: float = Field(
        description="How long a page stays on flash behind its last request, in requests of the trace that was counted. "
        "[requests]"
    )
    lifetime_s: float = Field(
        description="The same at `flash_pages` and `accesses_per_s`. [s]"
    )
    lifetime_text: str = Field(
        description="The same in words; empty where nothing enters flash."
    )
    more_flash_usd_per_month: Usd = Field(
        description="What one per cent of the flash more would save, before its price. [USD/month]"
    )
    more_flash_price_usd_per_month: Usd | None = Field(
        description="What it would cost; null where no price is known. [USD/month]"
    )
    charges: CacheCharges = Field(description="Prices that were used.")
    sentence: str = Field(
        description="By the model; its check recommends what costs least by replay."
    )
    basis: str = Field(description="What says so.")
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None = Field(
        description="Null unless the query has `derivation=true`."
    )
    core_version: str
