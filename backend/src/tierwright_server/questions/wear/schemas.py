"""Shapes of wear, device health, warm-up and restart."""

from typing import Annotated, Any

from pydantic import Field

from tierwright.advise import recovery
from tierwright.advise.wear import LeastWear
from tierwright.evaluate.endurance.outlook import Collection, SpareSpace
from tierwright.profile.steady_state import Start
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    FlashCacheOptions,
    FlashCaches,
    FlashMetadata,
    Identifier,
    Months,
    Pages,
    Share,
    Usd,
    WarningOut,
)
from tierwright_server.hardware.catalog.schemas import DeviceOut
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import (
    DirtyShareIn,
    DirtyShareOut,
    PriceBookRef,
    RamBudgetOut,
)

MOST = 1e15


Rate = Annotated[
    float,
    Field(
        strict=True,
        ge=0,
        le=1e12,
        allow_inf_nan=False,
        description="Page accesses per second. [1/s]",
    ),
]
Growth = Annotated[
    float,
    Field(
        strict=True,
        ge=-0.99,
        le=100,
        allow_inf_nan=False,
        description="Growth of the load per year; 0.2: 20 % more. [1/year]",
    ),
]
Positive = Annotated[float, Field(strict=True, ge=1e-9, le=MOST, allow_inf_nan=False)]
Amount = Annotated[float, Field(strict=True, ge=0, le=MOST, allow_inf_nan=False)]
FlashPages = Annotated[Pages, Field(ge=1)]


class PointIn(DirtyShareIn):
    """Workload, sizes and devices of the question."""

    workload_id: Identifier
    ram_pages: Annotated[Pages, Field(ge=1)]
    flash_pages: FlashPages
    flash_device_id: Identifier
    disk_device_id: Identifier
    accesses_per_s: Rate | None = Field(
        default=None, description="Absent: the workload's own, accesses / duration."
    )
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM; absent: nothing is charged.",
    )


class WearIn(PointIn):
    """How long does the flash last?"""

    growth_per_year: Growth = 0.0
    devices: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 1
    written_tb: Amount = Field(
        default=0.0, description="Written to the devices before. [TB]"
    )
    rated_tb: Positive | None = Field(
        default=None, description="TBW of one device; absent: as it states. [TB]"
    )
    rated_years: Positive | None = Field(
        default=None,
        description="Years of its drive writes per day, where it does not state them; "
        "absent: 5 are assumed.",
    )
    rated_dwpd: Positive | None = Field(
        default=None,
        description="Drive writes per day of one device; absent: as it states, and 1 "
        "(assumed) where it states no endurance. [1/day]",
    )
    pe_cycles: Positive | None = Field(
        default=None, description="P/E cycles of a block; the rating is then not used."
    )
    waf_in_place: Positive | None = Field(
        default=None,
        description="Write amplification of small writes, with P/E cycles.",
    )
    waf_appended: Positive | None = Field(
        default=None,
        description="Write amplification of large writes, with P/E cycles.",
    )
    spare_percent: Annotated[int, Field(strict=True, ge=1, le=1000)] | None = Field(
        default=None,
        description="(physical - logical) / logical: with P/E cycles, the write amplification "
        "of small writes is that of uniform random overwrites at this spare space, and "
        "`POST /wear/check` puts such a device under every replay. [%]",
    )
    block_pages: Annotated[int, Field(strict=True, ge=1, le=65_536)] | None = Field(
        default=None,
        description="Pages of an erase block, with `spare_percent`; absent: 256.",
    )
    collection: Collection | None = Field(
        default=None,
        description="Which block is collected, with `spare_percent`; absent: `greedy`.",
    )
    price_book_id: Identifier | None = None
    amortisation_months: Months = 36


class WearCheckIn(WearIn):
    """The question, and what is replayed beside the schemes."""

    flash_caches: FlashCaches = Field(
        default=[], description="Flash caches of `GET /simulator` to replay besides."
    )
    flash_cache_options: FlashCacheOptions = Field(
        default=[],
        description="Options of these flash caches: `name=value` for all that have the option, `cache:name=value` for one. "
        "`cachelib:small=0` and `cachelib:small_percent=4` have its small objects on a write stream of their own.",
    )
    data_on_flash: Annotated[list[Identifier], Field(max_length=32)] = Field(
        default=[],
        description="Policies and buffers of `GET /simulator` to replay besides, with all data on the flash device and no disk.",
    )


class WearMoney(Answer):
    """Endurance as money."""

    usd_per_tb_written: Usd
    usd_per_month_written: Usd = Field(
        description="That times the writes per month. [USD/month]"
    )
    left_usd: Usd = Field(
        description="Part of the price whose rated writes are not used yet. [USD]"
    )
    life_months: float | None = Field(
        description="From today until the budget is used, with what is written before "
        "and growth; null where it is never used up. [months]"
    )
    amortised_usd_per_month: Usd | None = Field(
        description="What is left of the price over the shorter of life and amortisation, "
        "both from today; null where nothing is left. [USD/month]"
    )
    wear_limited: bool = Field(
        description="Whether the flash wears out before it is amortised."
    )
    estimator: str
    validity: str


@mirrors(
    LeastWear,
)
class WearLeast(Answer):
    """The numbers that depend on the dirty share, if no evicted page is dirty."""


class SchemeWear(Answer):
    """Life of the flash under one scheme.

    Where the dirty share is unknown, these are the numbers with as many dirty pages as can
    be, `least` has those with none, and the ranges hold both.
    """

    scheme: str
    title: str
    flash_writes_per_access: float
    flash_writes_per_access_range: tuple[float, float]
    tb_per_day: float
    drive_writes_per_day: float | None
    years: float | None = Field(
        description="Null where it never wears out, or no budget is known."
    )
    years_from: float | None
    years_to: float | None
    never_worn_out: bool
    money: WearMoney | None
    least: WearLeast | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )


@mirrors(
    SpareSpace,
    percent="(physical - logical) / logical. [%]",
    block_pages="Pages of an erase block.",
    collection="Which block is collected.",
)
class SpareSpaceOut(Answer):
    """What write amplification is computed from."""


class BudgetOut(Answer):
    """Host writes that the devices endure. [TB]"""

    in_place_tb: float | None
    appended_tb: float | None
    basis: str
    assumed: str = Field(
        description="The assumption behind it that no source states, such as `1 DWPD "
        "over 5 years`; empty where nothing is assumed."
    )
    reason: str = Field(description="Why there is no budget; empty when there is one.")
    written_tb: float = Field(description="Of it, written before.")
    left_tb: float | None = Field(description="In place, less what is written.")
    waf_in_place: float | None = Field(
        description="Write amplification of writes in place; null with a rating, which has its "
        "own inside. [1]"
    )
    spare: SpareSpaceOut | None = Field(
        description="What that was computed from; null where it is stated or given."
    )


class DrivesOut(Answer):
    """Whole drives, and the share of them that the flash pages take."""

    count: int
    purchase_usd: Usd
    usd_per_month: Usd = Field(description="Of all drives. [USD/month]")
    held_share: float = Field(description="Of their capacity. [1]")
    held_usd_per_month: Usd = Field(
        description="Of that share, as the comparison counts it. [USD/month]"
    )
    sentence: str


class WearOut(Answer):
    """How long the flash lasts under each scheme."""

    workload_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: int
    flash_pages: int
    flash_device: DeviceOut
    price_book: PriceBookRef | None
    accesses_per_s: float
    rate_basis: str
    growth_per_year: float
    budget: BudgetOut
    rated_dwpd: float | None = Field(
        description="Drive writes per day behind the budget: stated, given or assumed."
    )
    ram_budget: RamBudgetOut | None = Field(
        description="Absent where no flash metadata are charged."
    )
    dirty_share: DirtyShareOut
    schemes: list[SchemeWear]
    drives: DrivesOut | None = Field(
        description="Cost of the drives to buy; null without a price."
    )
    money_reason: str = Field(description="Why there is no money; empty if there is.")
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None


class DeviceHealthIn(Body):
    """What a drive reports about itself."""

    document: dict[str, Any] = Field(
        description="JSON of `smartctl --json -x` or `nvme smart-log -o json`."
    )
    flash_device_id: Identifier | None = Field(
        default=None, description="Device with the rating to compare with."
    )
    rated_tb: Positive | None = None


class DeviceHealthOut(Answer):
    """Health of a drive, and what is left of its rating."""

    model: str
    serial: str
    capacity_bytes: int | None
    written_tb: float | None
    waf: float | None = Field(description="NAND over host writes, since manufacture.")
    power_on_hours: int | None
    percentage_used: float | None
    tb_per_day: float | None = Field(description="Mean since it was first powered on.")
    basis: str
    rated_tb: float | None
    left_tb: float | None
    left_share: float | None
    years_left: float | None = Field(description="At its own mean rate.")
    validity: str = Field(description="Where what is left holds; empty without it.")
    sentence: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None


class RecoveryIn(PointIn):
    """How long until the cache is full, and until the system works after a crash?"""

    checkpoint_interval_s: Positive = 300.0
    redo_pages: Amount | None = Field(
        default=None,
        description="Pages read by redo at that interval; absent: every write of half an "
        "interval touches another page, at most all pages. [pages]",
    )
    redo_writes: Amount = Field(
        default=0.0, description="Pages written by redo at that interval. [pages]"
    )
    flash_share: Annotated[Share, Field(strict=True)] = Field(
        default=0.98, description="Share of redone pages that flash holds."
    )


class FillOut(Answer):
    """Least time to fill the flash."""

    seconds: float
    bytes_per_s: float
    bottleneck: str
    rates_bytes_per_s: dict[str, float]
    units: float = Field(description="Pages to load. [pages]")
    estimator: str
    validity: str


class RestartPart(Answer):
    """Parts of a restart. [s]"""

    metadata_s: float
    reads_s: float
    writes_s: float
    total_s: float


@mirrors(
    recovery.RestartCurve,
)
class RestartCurve(Answer):
    """Restart over the checkpoint interval."""


class RestartOut(Answer):
    """Restart with a flash cache that survives, against one without."""

    redo_pages: float
    redo_basis: str
    with_flash: RestartPart
    without_flash: RestartPart
    speedup: float
    metadata_segments: int
    metadata_restore_s: float
    full_scan_s: float
    metadata_flush_interval_s: float | None
    curve: RestartCurve
    validity: str


class RecoveryOut(Answer):
    """Warm-up and restart."""

    workload_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: int
    flash_pages: int
    flash_bytes: int
    ram_pages_left: int = Field(description="RAM left by the flash metadata. [pages]")
    accesses_per_s: float
    rate_basis: str
    fill: FillOut
    restart: RestartOut | None
    restart_reason: str = Field(description="Why there is no restart time, else empty.")
    sentence: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
