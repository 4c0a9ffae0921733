"""Shapes of the question "DRAM or flash?"."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tierwright.advise.dram_or_flash import (
    elsewhere,
    paying_ram,
    platform_verdict,
    rows,
)
from tierwright.evaluate.break_even import interval
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
    UsdIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import (
    DevicesUsed,
    DirtyShareIn,
    DirtyShareOut,
    EvaluationIn,
    PriceBookRef,
)

Form = Literal["full", "plain"]
Step = Annotated[float, Field(gt=0, le=1e6)]
Rate = Annotated[float, Field(description="[µs per access per USD]")]
Above0 = Annotated[float, Field(gt=0, le=1e18)]
Winner = Literal["flash", "dram", "tie", "neither"]

MOST_DELTAS = 50


class FarMemoryIn(Body):
    """Memory over CXL: its price, and what waiting for it costs."""

    price_ratio: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Price of far memory over that of DRAM, per byte."
    )
    stall_s: Annotated[float, Field(gt=0, le=1)] = Field(
        description="Extra latency of one load that nothing hides. [s]"
    )
    core_usd_per_hour: Annotated[float, Field(gt=0, le=1e6)] = Field(
        description="Of the core that waits. [USD/h]"
    )


class ObjectStoreIn(Body):
    """Objects of a store with fees."""

    object_bytes: Annotated[float, Field(gt=0, le=1e15)] = Field(
        description="Of one object. [bytes]"
    )
    request_usd: Annotated[float, Field(ge=0, le=1e6)] = Field(
        description="Fee of one request. [USD]"
    )
    byte_usd: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.0, description="Fee of one byte. [USD]"
    )


class AccessIntervalsIn(Body):
    """Log-normal access intervals that are stated, not measured."""

    median_s: Above0 = Field(
        description="Half of the pages are accessed more often than once in so long. [s]"
    )
    sigma: Annotated[float, Field(gt=0, le=20)] = Field(
        description="Deviation of the logarithm of the interval: 0.4 is weak, 1.2 strong "
        "locality."
    )
    pages: Annotated[int, Field(strict=True, ge=1, le=10**15)] | None = Field(
        default=None,
        description="Pages that have such intervals; absent: those of the workload.",
    )


class BreakEvenIn(DirtyShareIn):
    """Workload, existing DRAM, devices, prices, and the sum of money."""

    workload_id: Identifier
    ram_pages: Annotated[
        Pages, Field(ge=1, description="B, the existing DRAM. [pages]")
    ]
    flash_device_id: Identifier
    disk_device_id: Identifier
    ram_device_id: Identifier | None = None
    price_book_id: Identifier | None = None
    amortisation_months: Months = 36
    usd: UsdIn | None = Field(
        default=None,
        description="The next amount; absent: about the price of doubling the DRAM.",
    )
    price_ratio: Annotated[float, Field(gt=0, le=1000)] | None = Field(
        default=None,
        description="Price of flash over price of DRAM, per byte; replaces the price "
        "of flash.",
    )
    deltas: list[Step] = Field(
        default=[0.5, 1.0, 3.0],
        min_length=1,
        max_length=MOST_DELTAS,
        description="DRAM steps in multiples of the existing DRAM.",
    )
    form: Form = Field(
        default="full",
        description="`full` counts flash writes, dirty pages and old versions, under the "
        "page-flow scheme that gains most; `plain` is the balance of the papers: hits alone.",
    )
    read_share: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="Share of reads among the accesses that flash or disk serves, for the "
        "log model and the plain form; absent: that of the workload.",
    )
    disks: Annotated[int, Field(strict=True, ge=1, le=100_000)] = Field(
        default=1, description="Disks that share the load."
    )
    old_share: Annotated[float, Field(ge=0, le=0.99)] = Field(
        default=0.0, description="Share of flash that holds old versions."
    )
    sequential_writes: bool = Field(
        default=False, description="Flash is written in appends, as FaCE does."
    )
    host_usd: UsdIn = Field(
        default=Decimal(0),
        description="What one flash or disk device needs of its host, for the intervals.",
    )
    core_usd: UsdIn = Field(
        default=Decimal(0),
        description="Price of one core of the host, for the intervals of DRAM; 0 leaves the "
        "processor out.",
    )
    core_iops: Above0 = Field(
        default=1e6, description="I/Os per second that a core drives."
    )
    dram_bytes: Above0 | None = Field(
        default=None,
        description="Capacity of one unit of DRAM, such as a module; together with its "
        "bandwidth. [bytes]",
    )
    dram_bytes_per_s: Above0 | None = Field(
        default=None,
        description="Bandwidth of that unit. Absent: DRAM bandwidth is not scarce and left "
        "out. [bytes/s]",
    )
    usd_per_kwh: UsdIn | None = Field(
        default=None,
        description="Price of electricity, for the intervals; absent: power is left out.",
    )
    watts_per_gib: (
        Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)] | None
    ) = Field(
        default=None,
        description="Power of each GiB of memory that states none, together with the price of "
        "electricity. [W/GiB]",
    )
    pue: Annotated[float, Field(strict=True, ge=1, le=100, allow_inf_nan=False)] = (
        Field(default=1.5, description="Power at the meter over power of the device.")
    )
    accesses_per_s: Above0 | None = Field(
        default=None,
        description="Page accesses per second, for the RAM that pays for itself; absent: "
        "those of the recording.",
    )
    drives: Annotated[int, Field(strict=True, ge=1, le=100_000)] = Field(
        default=1,
        description="Flash drives that share the misses of RAM, for the platform.",
    )
    platform_bytes_per_s: Above0 | None = Field(
        default=None,
        description="Bandwidth of all DRAM, for the platform; absent: no limit. [bytes/s]",
    )
    access_intervals: AccessIntervalsIn | None = Field(
        default=None,
        description="Judge the platform on these intervals; absent: on the workload's curve.",
    )
    far: FarMemoryIn | None = Field(
        default=None, description="Far memory to compare with DRAM."
    )
    store: ObjectStoreIn | None = Field(
        default=None, description="A store with fees to compare with DRAM."
    )
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the DRAM; absent: nothing is charged.",
    )
    points: Annotated[int, Field(strict=True, ge=81, le=1000)] = Field(
        default=161,
        description="Points of the curves over money, between which crossings are found.",
    )

    def point(self) -> EvaluationIn:
        """Return the same workload, devices and prices, without flash."""
        return EvaluationIn(
            dirty_share=self.dirty_share,
            dirty_share_range=self.dirty_share_range,
            start=self.start,
            workload_id=self.workload_id,
            ram_pages=self.ram_pages,
            flash_pages=0,
            flash_device_id=self.flash_device_id,
            disk_device_id=self.disk_device_id,
            ram_device_id=self.ram_device_id,
            price_book_id=self.price_book_id,
            amortisation_months=self.amortisation_months,
        )


class BreakEvenCheckIn(BreakEvenIn):
    """The same, and the DRAM step whose break-even is checked."""

    delta: Step = Field(
        default=1.0,
        description="DRAM step in multiples of the existing DRAM; `deltas` is not used.",
    )
    flash_caches: FlashCaches = Field(
        default=[],
        description="Flash caches of `GET /simulator` to replay besides, with the flash that the best scheme needs.",
    )
    flash_cache_options: FlashCacheOptions = Field(default=[])


class AccessTimes(Answer):
    """Busy times put in: throughput costs, 1/IOPS, not latencies. [µs]"""

    disk_read_us: float = Field(
        description="Of the array: the time of one disk / disks."
    )
    disk_write_us: float
    flash_read_us: float
    flash_write_us: float
    disk_us: float = Field(description="Mean access, by the share of reads.")
    flash_us: float
    read_share: Share
    read_share_basis: str = Field(description="Where the share is from.")
    disks: int
    flash_write_pattern: Literal["random", "sequential"]
    flash_basis: str
    disk_basis: str


@mirrors(
    rows.SchemeStep,
    theta="In multiples of the existing DRAM; null where no flash gains as much.",
    theta_least="At the favourable end of the stated error: of hits and writes, and in the steady state of the cost; equal to `theta` where exact.",
    theta_most="At the other end; null where no flash gains as much there, or only more flash than the recording covers.",
    is_exact="Whether the counts equal the counts of a replay: never in the steady state.",
    is_trend="Whether RAM and the flash of `theta` hold more pages than the recording covers in the steady state, so that the figure extrapolates a trend.",
)
class SchemeStep(Answer):
    """Flash that gains as much as one DRAM step under one scheme."""


class StepOut(Answer):
    """One DRAM step, and the flash that gains as much."""

    delta: float = Field(description="Added DRAM in multiples of the existing DRAM.")
    dram_pages: float
    theta_log: float | None = Field(
        description="Flash in multiples of the existing DRAM, by the log model."
    )
    theta_curve: float | None = Field(description="By the workload's curve.")
    theta_full: float | None = Field(
        description="With flash writes and dirty pages, under `best_scheme`."
    )
    best_scheme: str | None = Field(
        description="Scheme that needs the least flash; null where no amount gains as "
        "much, or there are no write-backs."
    )
    schemes: list[SchemeStep] = Field(
        description="Every scheme with its own writes and capacity; empty without "
        "write-backs."
    )
    is_trend: bool = Field(
        description="Whether the recording covers these sizes too little in the steady "
        "state, so that the figures extrapolate a trend."
    )
    flip_log: float | None = Field(
        description="Price of flash over price of DRAM below which flash is the better buy."
    )
    flip_curve: float | None
    flip_full: float | None
    reasons: dict[str, str] = Field(
        description="Why a figure above is null, by its name: unreachable, not computed, or "
        "nothing to match."
    )


class PricesUsed(Answer):
    """The two prices that decide."""

    dram_usd_per_gib: Usd | None
    flash_usd_per_gib: Usd | None
    dram_basis: str | None
    flash_basis: str | None
    ratio: float | None = Field(description="Flash over DRAM, per byte, as used.")
    stated_ratio: float | None = Field(
        description="The price of the price book or the devices, ignoring "
        "`price_ratio`."
    )
    usd_basis: str
    reason: str | None = Field(description="Why there is no price.")


class CrossingOut(Answer):
    """Where the better buy changes."""

    usd: Usd
    better_beyond: Literal["dram", "flash"]


class SchemeGain(Answer):
    """What flash gains under one scheme."""

    scheme: str
    title: str
    gain_us: float | None = Field(
        description="Null where its metadata leave no DRAM. [µs per access]"
    )


class EqualMoney(Answer):
    """What the same money gains in DRAM and in flash."""

    form: Form
    dram_gain_us: float = Field(description="[µs per access]")
    flash_gain_us: float | None = Field(
        description="Null where its metadata leave no DRAM. [µs per access]"
    )
    flash_scheme: str | None = Field(
        description="Scheme under which flash gains most; null for hits alone."
    )
    flash_gain_least_us: float | None = Field(
        description="`flash_gain_us` at the unfavourable end of the stated error: of "
        "hits and writes, and in the steady state of the cost. [µs per access]"
    )
    flash_gain_most_us: float | None = Field(
        description="At the favourable end. [µs per access]"
    )
    flash_gains: list[SchemeGain] = Field(
        description="What the flash gains under each scheme; empty for hits alone."
    )
    flash_to_dram_gain_ratio: float | None
    winner: Winner
    within_error: bool = Field(
        description="Whether the stated error leaves the better buy open; decide it "
        "with a check."
    )
    matching_flash_pages: float | None = Field(
        description="Least flash that gains what the DRAM gains; null: no amount does."
    )
    matching_scheme: str | None = Field(description="Scheme under which it does.")
    flip_price_ratio: float | None
    flip_reason: str = Field(description="Why there is none; empty where there is one.")
    estimator: str
    validity: str


class NextMoneyOut(Answer):
    """The next amount, now and after any amount spent on one of the two."""

    usd: Usd
    usual_usd: Usd = Field(
        description="About the price of doubling the DRAM, or less where a curve from counters does not cover that."
    )
    most_usd: Usd | None = Field(
        description="The largest amount that buys sizes which a curve from counters covers; what larger ones gain is "
        "unknown. Null where the curve covers every size."
    )
    dram_pages: int
    flash_pages: int
    flash_useful_pages: int | None = Field(
        description="Flash beyond this many pages gains nothing: the curve ends there; "
        "null where larger caches may hit more than the curve shows."
    )
    ram_pages_beside_flash: int = Field(
        description="DRAM left by the metadata of that flash. [pages]"
    )
    equal_money: list[EqualMoney] = Field(description="The requested form first.")
    spent_usd: list[Usd]
    dram_gain_us: list[float | None] = Field(
        description="Gained by that money in DRAM; null where a curve from counters does not cover the size, as of "
        "the three that follow."
    )
    flash_gain_us: list[float | None]
    dram_next: list[Rate | None] = Field(
        description="Gained per dollar by the next amount in DRAM."
    )
    flash_next: list[float | None]
    crossings: list[CrossingOut] = Field(
        description="Where `dram_next` and `flash_next` cross."
    )
    total_crossings: list[CrossingOut] = Field(
        description="Amounts, spent at once, from which the better buy changes."
    )
    dram_trend_from_usd: Usd | None = Field(
        description="Amount beyond which the gain of DRAM is an extrapolated trend: "
        "the recording does not cover caches of so many pages; null where "
        "it covers every size."
    )
    flash_trend_from_usd: Usd | None = Field(description="The same of flash.")
    entry_gain_us: float | None = Field(
        description="What the smallest flash gains before its first hit; below 0 where "
        "every victim is staged. [µs per access]"
    )


class PlanOut(Answer):
    """The amount spent repeatedly, each time where it gains most; columns."""

    spent_usd: list[Usd]
    ram_pages: list[int]
    flash_pages: list[int]
    dram_gain_us: list[float | None]
    flash_gain_us: list[float | None]
    choice: list[Literal["dram", "flash", "neither"]]
    is_trend: list[bool] = Field(
        description="Whether the recording covers the sizes after the step too little."
    )


class FlipsOut(Answer):
    """Price ratio at which the decision flips, over the size of the step; columns."""

    delta: list[float]
    log: list[float | None]
    curve: list[float | None]
    full: list[float | None] | None = Field(
        description="Under the scheme that needs the least flash."
    )


@mirrors(
    interval.IntervalTerms,
    host_s="Core and share of the host. [s]",
    bandwidth_s="DRAM bandwidth; 0 where it is left out. [s]",
    device_s="The device that a page is fetched from. [s]",
    device_power_s="Power of that device; 0 where power is left out. [s]",
    memory_power_s="Power of the upper tier, which makes keeping a page more expensive: 0 or "
    "negative. [s]",
)
class IntervalTerms(Answer):
    """What an interval is made of; the terms add up to it."""


@mirrors(
    paying_ram.PayingSize,
    lower="Device that misses are read from.",
    lower_name="Its name.",
    break_even_s="Break-even interval of RAM over it. [s]",
    pages="RAM that pays for itself.",
    bytes="The same.",
    is_trend="Whether the recording covers that size too little in the steady state, so that "
    "it extrapolates a trend.",
    sentence="The same, beside the existing RAM.",
    law_pages="RAM that pays if the misses of a scaled workload are as few, and as many, as the "
    "worst error known of its law allows; null where nothing was scaled or no error is known.",
    law_sentence="The same in words; empty where it is null.",
)
class PayingSize(Answer):
    """RAM that pays for itself where misses are read from one device."""


class PayingRam(Answer):
    """The marginal interval over the size of RAM, and the sizes that pay; columns."""

    accesses_per_s: float
    rate_basis: str = Field(description="Where the rate is from.")
    from_pages: list[float] = Field(
        description="Segments of the lower convex hull of the misses. [pages]"
    )
    to_pages: list[float] = Field(description="Their ends. [pages]")
    interval_s: list[float | None] = Field(
        description="One page of a segment saves an access once in so long; null where it "
        "saves none. [s]"
    )
    existing_interval_s: float | None = Field(
        description="At the end of the existing RAM; null where another page saves none. [s]"
    )
    sizes: list[PayingSize] = Field(
        description="For each device that misses may be read from."
    )
    finding: str
    estimator: str
    validity: str


@mirrors(
    platform_verdict.PlatformVerdict,
    viable="Whether RAM holds what the drives and DRAM bandwidth cannot carry.",
    optimal="Whether the RAM that pays for itself lies between what must be and what is there; "
    "null where that is unknown.",
    limit="What is short.",
    basis="Where the load is from.",
    accesses_per_s="Of all pages. [1/s]",
    drives="Flash drives of the platform.",
    drive_iops="Page reads per second of one drive.",
    drive_write_iops="Page writes per second of one drive.",
    reads_per_s="Page reads per second that the existing RAM leaves to the drives.",
    write_backs_per_s="Pages written back per second; null where they are unknown and not "
    "counted.",
    busy_share="Share of the drives' time that both take; above 1 the drives do not suffice.",
    dram_bytes_per_s="Traffic of DRAM with the existing RAM. [bytes/s]",
    storage_pages="Least RAM within the drives' time; null where no RAM suffices.",
    bandwidth_pages="Least RAM within DRAM bandwidth; null where no RAM suffices.",
    more_pages="RAM to add that alone makes it viable; null where no RAM does.",
    more_drives="Drives to add that relieve the drives with the existing RAM.",
    more_bytes_per_s="DRAM bandwidth to add that suffices with the existing RAM. [bytes/s]",
    finding="The verdict.",
    sentence="What it rests on, and what changes it.",
    writes="Whether write-backs are counted, and what that changes.",
    validity="Where it holds.",
)
class PlatformOut(Answer):
    """Whether drives and DRAM carry the load of the workload."""


@mirrors(
    elsewhere.FarMemory,
    loads_per_s="A page that is loaded at least so often belongs in DRAM.",
    dram_usd_per_gib_month="Price of DRAM used. [USD/GiB/month]",
    sentence="The same in words.",
    validity="Where it holds.",
)
class FarMemoryOut(Answer):
    """How often a page is loaded that belongs in DRAM rather than in far memory."""


@mirrors(
    elsewhere.ObjectStore,
    interval_s="An object read at least once in so long is cheaper to keep. [s]",
    fetch_usd="One fetch. [USD]",
    dram_usd_per_gib_month="Price of DRAM used. [USD/GiB/month]",
    sentence="The same in words.",
    validity="Where it holds.",
)
class ObjectStoreOut(Answer):
    """How often an object is read that is cheaper to keep in DRAM than to fetch."""


class IntervalOut(Answer):
    """Break-even interval of a pair of tiers (five-minute rule)."""

    upper: str
    lower: str
    upper_name: str
    lower_name: str
    interval_s: float | None
    terms: IntervalTerms | None = Field(
        description="What the interval is made of; null where it is null."
    )
    missing: list[str]
    validity: str
    warnings: list[WarningOut]


class BreakEvenLeast(Answer):
    """The answers that depend on the dirty share, if no evicted page is dirty."""

    steps: list[StepOut]
    next_money: NextMoneyOut | None
    flips: FlipsOut
    finding: str
    sentence: str
    flip_finding: str


class BreakEvenOut(Answer):
    """DRAM or flash, answered in every way that the inputs allow.

    Where the dirty share is unknown and both ends were asked for, the numbers are those with
    as many dirty pages as can be, and `least` has those with none.
    """

    workload_id: str
    content_id: str
    accesses: int
    write_accesses: int | None = Field(description="Absent where it is unknown.")
    distinct_pages: int
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: int
    ram_bytes: int
    ram_hit_ratio: float
    amortisation_months: int
    devices: DevicesUsed
    price_book: PriceBookRef | None
    form: Form = Field(description="As used: `plain` where there are no write-backs.")
    flash_metadata: str | None
    dirty_share: DirtyShareOut
    least: BreakEvenLeast | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )
    times: AccessTimes
    exponent: float = Field(description="E of the log model.")
    steps: list[StepOut]
    prices: PricesUsed
    next_money: NextMoneyOut | None
    plan: PlanOut | None
    flips: FlipsOut
    intervals: list[IntervalOut]
    finding: str
    sentence: str
    flip_finding: str
    interval_sentence: str
    paying: PayingRam | None = Field(
        description="RAM that pays for itself on the workload's own curve; null where the "
        "accesses per second or the interval are unknown."
    )
    platform: PlatformOut | None = Field(
        description="Whether drives and DRAM carry the load; null where the accesses per "
        "second are unknown."
    )
    platform_reason: str = Field(
        description="Why there is no verdict; empty where there is one."
    )
    far: FarMemoryOut | None = Field(
        description="Null unless requested, or without a price of DRAM."
    )
    store: ObjectStoreOut | None = Field(
        description="Null unless requested, or without a price of DRAM."
    )
    paying_reason: str = Field(
        description="Why there is none; empty where there is one."
    )
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
    time_basis: str
    core_version: str
