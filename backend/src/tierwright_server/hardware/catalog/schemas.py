"""Shapes of formats, policies, schemes, devices and price books."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from tierwright.hardware.service_time import ServiceTime
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    Identifier,
    LongText,
    Name,
    PageBytes,
    ShortText,
    Usd,
    UsdIn,
)

Origin = Literal["shipped", "own"]
Role = Literal["ram", "flash", "disk"]
SoldAs = Literal["device", "instance"]
Capability = Literal["io_times", "life", "refill"]
DatedText = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}(-(0[1-9]|1[0-2])(-[0-3][0-9])?|-Q[1-4])?$",
        description="YYYY, YYYY-MM, YYYY-MM-DD or YYYY-Qn.",
    ),
]


_FIGURE_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def _figure_name(name: str) -> str:
    if not _FIGURE_NAME.fullmatch(name):
        raise ValueError("a figure's name has only lower-case letters, digits and `_`")
    return name


FigureName = Annotated[str, AfterValidator(_figure_name)]


class FlashMetadataOut(Answer):
    """RAM that the metadata of a flash cache need."""

    name: str
    title: str
    entry_bytes: float = Field(description="RAM for each unit on flash. [bytes]")
    unit_bytes: int | None = Field(
        description="Flash covered by an entry; null: a page. [bytes]"
    )
    source_entry_bytes: float = Field(
        description="RAM for each unit of the volume behind the cache. [bytes]"
    )
    fixed_bytes: int
    source: str
    note: str


class FormatOut(Answer):
    """One trace format."""

    name: str
    description: str
    has_writes: bool
    has_time: bool
    has_device: bool
    page_native: bool = Field(description="Records name pages: never split.")
    verified: str = Field(
        description="What the reader was tested against: real files, published lines, "
        "or only a description."
    )


class OptionOut(Answer):
    """One option of a policy or a scheme."""

    name: str
    description: str
    default: str
    values: str = Field(description="What is allowed, in words.")


class PolicyOut(Answer):
    """One replacement policy."""

    name: str
    title: str
    description: str
    paper: str | None
    needs: list[str] = Field(
        description="future: knows the whole trace beforehand; writes: a trace with writes."
    )
    options: list[OptionOut]


class SchemeOut(Answer):
    """One page-flow scheme."""

    name: str
    title: str
    description: str
    paper: str | None
    needs: list[str] = Field(description="As of a policy.")
    options: list[OptionOut]


class FigureOut(Answer):
    """One stated figure of a device, with its source."""

    value: float
    unit: str
    source: str
    date: str | None
    note: str
    assumed: bool = Field(
        description="Assumed from the class of the device: no source states it for "
        "this device."
    )
    low: float | None = Field(
        default=None, description="Least of the range of a price, in `unit`."
    )
    high: float | None = Field(
        default=None, description="Most of the range of a price, in `unit`."
    )


class FigureIn(Body):
    """One stated figure of a device, with its source."""

    value: Annotated[float, Field(strict=True)]
    unit: ShortText
    source: Annotated[ShortText, Field(min_length=1)]
    date: DatedText | None = None
    note: LongText = ""
    assumed: Annotated[
        bool, Field(strict=True, description="Whether the figure is an assumption.")
    ] = False
    low: Annotated[float, Field(strict=True)] | None = Field(
        default=None,
        description="Least of the range of a `unit_price`, in `unit`; with `high`.",
    )
    high: Annotated[float, Field(strict=True)] | None = Field(
        default=None,
        description="Most of the range of a `unit_price`, in `unit`; with `low`.",
    )


Latencies = dict[
    Literal["mean", "p50", "p95", "p99", "p99_9"],
    Annotated[float, Field(strict=True, gt=0, le=1e12, allow_inf_nan=False)],
]


class MeasurementOut(Answer):
    """A rate of random operations at one transfer size and queue depth."""

    operation: Literal["read", "write"]
    page_bytes: int
    iops: float = Field(description="[1/s]")
    latency_us: dict[str, float] = Field(
        description="From submission to completion, with the wait at this queue depth: "
        "`mean`, and percentiles `p50`, `p95`, `p99`, `p99_9`; empty where unknown. [µs]"
    )
    queue_depth: int | None
    source: str
    date: str | None
    note: str


class MeasurementIn(Body):
    """A rate of random operations at one transfer size and queue depth."""

    operation: Literal["read", "write"]
    page_bytes: PageBytes
    iops: Annotated[float, Field(strict=True, gt=0, le=1e12, allow_inf_nan=False)] = (
        Field(description="[1/s]")
    )
    latency_us: Latencies = Field(
        default={},
        description="From submission to completion: `mean`, and percentiles. [µs]",
    )
    queue_depth: Annotated[int, Field(strict=True, ge=1, le=10**6)] | None = None
    source: Annotated[ShortText, Field(min_length=1)]
    date: DatedText | None = None
    note: LongText = ""


@mirrors(
    ServiceTime,
    time_us="null where it is not stated. [µs]",
    low_us="Lower bound, where derived from another size. [µs]",
    high_us="Upper bound. [µs]",
)
class ServiceTimeOut(Answer):
    """Time of one access: the rule used, and its bounds."""


class DeviceOut(Answer):
    """A device: figures with sources, and what the formulas make of them."""

    id: str
    name: str
    kind: str
    origin: Origin | Literal["running"] = Field(
        description="`running`: a tier of a running system, as its counters timed it."
    )
    year: int | None
    sold_as: SoldAs | Literal["running"] = Field(
        description="`instance`: disks that are rented only with a cloud instance, and "
        "are not ranked among drives. `running`: not sold, a tier of a running system."
    )
    product: str | None = Field(
        description="Name that the profiles of one product share, such as those of its price in two months: "
        "no second thing to buy. null where this profile is the only one."
    )
    capacity_bytes: int | None
    page_bytes: int | None
    queue_depth: int | None
    figures: dict[str, FigureOut]
    measurements: list[MeasurementOut]
    service_page_bytes: int = Field(
        description="Page size of the service times: the requested one, else the size "
        "of the IOPS, else 4096. [bytes]"
    )
    read_service_us: float | None = Field(description="Busy time of a page read. [µs]")
    write_service_us: float | None = Field(
        description="Busy time of a page write. [µs]"
    )
    service_basis: str | None = Field(description="How both times were derived.")
    service_times: dict[Literal["read", "write"], ServiceTimeOut] = Field(
        description="The same with rule and bounds."
    )
    waiting_times: dict[Literal["read", "write"], ServiceTimeOut] = Field(
        description="Time of one request at queue depth 1, what a single client waits "
        "for; null where the device does not state it."
    )
    usd_per_gb: Usd | None = Field(description="Purchase price. [USD per 10^9 bytes]")
    usd_per_gb_month: Usd | None = Field(
        description="Rent. [USD per 10^9 bytes, month]"
    )
    price_date: str | None
    roles: list[Role] = Field(description="Tiers in which the device can be used.")
    answers: list[Capability] = Field(
        description="Questions that can be answered with its figures: `io_times` "
        "(comparison, map, throughput, DRAM or flash), `life` (endurance, "
        "stated or assumed), `refill` (sequential rates)."
    )
    missing: list[str] = Field(
        description="Missing figures, and what they are needed for."
    )
    assumed: list[str] = Field(
        description="Figures that are assumptions, from the class of the device."
    )
    notes: str
    etag: str | None = Field(
        default=None, description="For `If-Match` of a change; absent for shipped ones."
    )
    updated_at: datetime | None = Field(
        default=None, description="Last change, of a device of your own."
    )


class DeviceIn(Body):
    """A device of your own. Figures have the names and units of the shipped ones."""

    name: Name
    kind: Annotated[
        str,
        Field(
            min_length=1,
            max_length=40,
            pattern=r"^[a-z0-9_]+$",
            description="A name of `GET /catalog/device-kinds`.",
        ),
    ]
    year: Annotated[int, Field(strict=True, ge=1950, le=2100)] | None = None
    sold_as: SoldAs = "device"
    product: Annotated[
        str | None,
        Field(
            max_length=80,
            pattern=r"^[a-z0-9][a-z0-9._-]*$",
            description="Name that the profiles of one product share; the alternatives of an advice "
            "list the better of them alone.",
        ),
    ] = None
    figures: Annotated[
        dict[FigureName, FigureIn],
        Field(
            max_length=60,
            description="By name: `read_iops`, `capacity`, `unit_price`... "
            "`GET /catalog/device-kinds` lists all.",
        ),
    ] = {}
    measurements: Annotated[
        list[MeasurementIn],
        Field(
            max_length=200,
            description="Rates at several transfer sizes; times between are interpolated.",
        ),
    ] = []
    notes: LongText = ""


class DeviceKindOut(Answer):
    """A kind of device and the tiers that it can serve."""

    name: str
    title: str
    roles: list[Role]


class FigureKindOut(Answer):
    """A figure that a device may state."""

    name: str
    units: list[str]
    meaning: str


class DeviceVocabulary(Answer):
    """The kinds of device and the figures that one may state."""

    kinds: list[DeviceKindOut]
    figures: list[FigureKindOut]


class DeviceList(Answer):
    """Devices: shipped first, then your own, each by name."""

    items: list[DeviceOut]
    total: int


class CopyIn(Body):
    """How to name a copy."""

    name: Name | None = None


class PriceOut(Answer):
    """One price of capacity: of a device, or of every device of a kind."""

    device_id: str | None
    kind: str | None
    usd: Usd = Field(description="In `unit`.")
    stated: Usd | None = Field(
        description="As stated, where the book is in another currency. [its currency]"
    )
    unit: Literal["USD/GB", "USD/GiB", "USD/GB/month", "USD/GiB/month"]
    usd_per_gb: Usd | None = Field(description="A purchase. [USD per 10^9 bytes]")
    usd_per_gb_month: Usd | None = Field(
        description="A rent. [USD per 10^9 bytes and month]"
    )
    low: Usd | None = Field(
        description="Least of the range of a purchase, in the unit of the price and the currency of the book."
    )
    high: Usd | None = Field(
        description="Most of the range of a purchase, in the unit of the price and the currency of the book."
    )
    source: str
    date: str | None
    note: str


class PriceIn(Body):
    """One price of capacity; exactly one of the eight money fields."""

    device_id: Identifier | None = None
    kind: Annotated[str, Field(max_length=40, pattern=r"^[a-z0-9_]+$")] | None = None
    usd_per_gb: UsdIn | None = None
    usd_per_gib: UsdIn | None = None
    usd_per_gb_month: UsdIn | None = None
    usd_per_gib_month: UsdIn | None = None
    per_gb: UsdIn | None = Field(
        default=None, description="A purchase, in the currency of the book."
    )
    per_gib: UsdIn | None = Field(
        default=None, description="A purchase, in the currency of the book."
    )
    per_gb_month: UsdIn | None = Field(
        default=None, description="A rent, in the currency of the book."
    )
    per_gib_month: UsdIn | None = Field(
        default=None, description="A rent, in the currency of the book."
    )
    low: UsdIn | None = Field(
        default=None,
        description="Least of the range of a purchase, in the unit and the currency of the price; with `high`.",
    )
    high: UsdIn | None = Field(
        default=None,
        description="Most of the range of a purchase, in the unit and the currency of the price; with `low`.",
    )
    source: Annotated[ShortText, Field(min_length=1)]
    date: DatedText | None = None
    note: LongText = ""


class RentIn(Body):
    """One rent of an instance or of a volume; exactly one of the eight money fields."""

    instance: Identifier | None = Field(
        default=None, description="Shipped instance that is rented at it."
    )
    volume: Identifier | None = Field(
        default=None, description="Shipped volume that is rented at it."
    )
    usd_per_hour: UsdIn | None = Field(
        default=None, description="Of an instance. [USD/hour]"
    )
    usd_per_gib_month: UsdIn | None = Field(
        default=None, description="Capacity of a volume. [USD/GiB/month]"
    )
    usd_per_iops_month: UsdIn | None = Field(
        default=None,
        description="IOPS of a volume above the included ones. [USD/IOPS/month]",
    )
    usd_per_mb_per_s_month: UsdIn | None = Field(
        default=None,
        description="Throughput of a volume above the included one, in the unit in which the volume counts it.",
    )
    per_hour: UsdIn | None = Field(
        default=None, description="The same, in the currency of the book."
    )
    per_gib_month: UsdIn | None = Field(
        default=None, description="The same, in the currency of the book."
    )
    per_iops_month: UsdIn | None = Field(
        default=None, description="The same, in the currency of the book."
    )
    per_mb_per_s_month: UsdIn | None = Field(
        default=None, description="The same, in the currency of the book."
    )
    source: Annotated[ShortText, Field(min_length=1)]
    date: DatedText | None = None
    region: ShortText = ""
    note: LongText = ""


class RentOut(Answer):
    """One rent of an instance or of a volume."""

    instance: str | None
    volume: str | None
    figure: Literal[
        "usd_per_hour",
        "usd_per_gib_month",
        "usd_per_iops_month",
        "usd_per_mb_per_s_month",
    ] = Field(description="Which rent it is.")
    usd: Usd = Field(description="In `unit`.")
    stated: Usd | None = Field(
        description="As stated, where the book is in another currency. [its currency]"
    )
    unit: str = Field(description="Such as `USD/hour`.")
    source: str
    date: str | None
    region: str = Field(description="Where it holds; empty where that is not stated.")
    note: str


CurrencyCode = Annotated[
    str,
    Field(
        pattern="^[A-Z]{3}$", description="A code of three letters.", examples=["EUR"]
    ),
]


class ExchangeRateIn(Body):
    """What one US dollar is in another currency."""

    currency: CurrencyCode
    per_usd: Annotated[
        UsdIn,
        Field(gt=0, description="Units of the currency for one US dollar."),
    ]
    date: DatedText
    source: Annotated[ShortText, Field(min_length=1)]


class ExchangeRateOut(Answer):
    """What one US dollar is in another currency."""

    currency: str
    per_usd: Usd = Field(description="Units of the currency for one US dollar.")
    date: str
    source: str
    caution: str | None = Field(
        default=None,
        description="Warning where the rate and the prices are of different dates.",
    )


class ExchangeRateList(Answer):
    """Currencies other than the dollar, by code."""

    items: list[ExchangeRateOut]
    total: int


class AbsentPriceOut(Answer):
    """A kind that a price book has no price of."""

    kind: str
    reason: str


class PriceBookOut(Answer):
    """A dated list of prices."""

    id: str
    name: str
    origin: Origin
    date: str
    region: str
    currency: str
    exchange_rates: list[ExchangeRateOut] = Field(
        description="Stated by the price book itself; used in preference to the "
        "shipped ones."
    )
    notes: str
    default: bool = Field(
        description="Whether it is used where no price book was chosen; true of one "
        "book."
    )
    retired: str = Field(
        description="Why it should no longer be chosen; empty: it is current. It can "
        "still be chosen."
    )
    imported: bool = Field(
        description="Whether it is of an imported list: it is named by its content, and cannot be changed."
    )
    absent: list[AbsentPriceOut] = Field(
        description="Kinds without a price, and why there is none."
    )
    prices: list[PriceOut]
    rents: list[RentOut] = Field(
        description="Of instances and volumes: the advisor rents them at these, all others as shipped."
    )
    etag: str | None = Field(
        default=None, description="For `If-Match` of a change; absent for shipped ones."
    )
    updated_at: datetime | None = None


class PriceBookIn(Body):
    """A price book of your own."""

    name: Name
    date: DatedText
    region: ShortText = ""
    currency: CurrencyCode = Field(
        default="USD",
        description="Of the prices; in another than USD, `exchange_rates` states its rate.",
    )
    exchange_rates: Annotated[list[ExchangeRateIn], Field(max_length=200)] = []
    notes: LongText = ""
    prices: Annotated[list[PriceIn], Field(max_length=1000)]
    rents: Annotated[list[RentIn], Field(max_length=1000)] = []

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if not self.prices and not self.rents:
            raise ValueError("a price book needs at least one price or rent")
        return self


class PriceBookList(Answer):
    """Price books: shipped first, then your own."""

    items: list[PriceBookOut]
    total: int
