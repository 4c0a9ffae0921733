"""Shapes of formats, policies, schemes, devices and price books."""

import re
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from tierwright_server.schemas import (
    MAX_COUNT,
    Answer,
    Body,
    Identifier,
    LongText,
    Name,
    ShortText,
    Usd,
    UsdIn,
)

Origin = Literal["shipped", "own"]
Role = Literal["ram", "flash", "disk"]
DatedText = Annotated[
    str,
    Field(
        pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$",
        description="Date as YYYY, YYYY-MM or YYYY-MM-DD.",
    ),
]


_FIGURE_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def _figure_name(name: str) -> str:
    if not _FIGURE_NAME.fullmatch(name):
        raise ValueError("a figure's name has only lower-case letters, digits and `_`")
    return name


FigureName = Annotated[str, AfterValidator(_figure_name)]


class FormatOut(Answer):
    """One trace format."""

    name: str
    description: str
    has_writes: bool
    has_time: bool
    has_device: bool
    page_native: bool = Field(description="Records name pages: never split.")


class PolicyOut(Answer):
    """One replacement policy."""

    name: str
    title: str
    description: str
    paper: str | None


class SchemeOut(Answer):
    """One page-flow scheme."""

    name: str
    title: str
    description: str
    paper: str | None


class FigureOut(Answer):
    """One stated figure of a device, with its source."""

    value: float
    unit: str
    source: str
    date: str | None
    note: str | None


class FigureIn(Body):
    """One stated figure of a device, with its source."""

    value: float
    unit: ShortText
    source: ShortText = ""
    date: DatedText | None = None
    note: LongText | None = None


class DeviceOut(Answer):
    """A device: figures with sources, and what the formulas make of them."""

    id: str
    name: str
    kind: str
    origin: Origin
    year: int | None
    capacity_bytes: int | None
    page_bytes: int | None
    queue_depth: int | None
    figures: dict[str, FigureOut]
    read_service_us: float | None = Field(description="Time of a page read. [µs]")
    write_service_us: float | None = Field(description="Time of a page write. [µs]")
    service_basis: str | None = Field(description="How both times were derived.")
    usd_per_gb: Usd | None = Field(description="Purchase price. [USD per 10^9 bytes]")
    usd_per_gb_month: Usd | None = Field(description="Rent. [USD per 10^9 bytes, month]")
    price_date: str | None
    roles: list[Role] = Field(description="Where the device may stand.")
    missing: list[str] = Field(description="Figures that are absent, and what for.")
    notes: str | None
    updated_at: datetime | None = Field(
        default=None, description="Last change, of an own device."
    )


class DeviceIn(Body):
    """An own device."""

    name: Name
    kind: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[a-z0-9_]+$")]
    year: Annotated[int, Field(ge=1950, le=2100)] | None = None
    capacity_bytes: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    page_bytes: Annotated[int, Field(ge=1, le=2**30)] | None = None
    queue_depth: Annotated[int, Field(ge=1, le=2**20)] | None = None
    figures: Annotated[
        dict[FigureName, FigureIn],
        Field(
            max_length=60,
            description="By name, as in the shipped devices: `read_iops`, "
            "`write_iops`, `read_latency`...",
        ),
    ] = {}
    usd_per_gb: UsdIn | None = None
    usd_per_gb_month: UsdIn | None = None
    price_date: DatedText | None = None
    notes: LongText | None = None


class DeviceList(Answer):
    """Devices: shipped first, then own, each by name."""

    items: list[DeviceOut]
    total: int


class CopyIn(Body):
    """How to name a copy."""

    name: Name | None = None


class PriceOut(Answer):
    """One price: of a device, or of every device of a kind."""

    device_id: str | None
    kind: str | None
    usd_per_gb: Usd | None
    usd_per_gb_month: Usd | None
    source: str
    date: str | None


class PriceIn(Body):
    """One price: of a device or of a kind, bought or rented."""

    device_id: Identifier | None = None
    kind: Annotated[str, Field(max_length=40, pattern=r"^[a-z0-9_]+$")] | None = None
    usd_per_gb: UsdIn | None = None
    usd_per_gb_month: UsdIn | None = None
    source: ShortText = ""
    date: DatedText | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> "PriceIn":
        if (self.device_id is None) == (self.kind is None):
            raise ValueError("give either device_id or kind")
        if (self.usd_per_gb is None) == (self.usd_per_gb_month is None):
            raise ValueError("give either usd_per_gb or usd_per_gb_month")
        return self


class PriceBookOut(Answer):
    """A dated list of prices."""

    id: str
    name: str
    origin: Origin
    date: date
    region: str | None
    currency: str
    prices: list[PriceOut]
    updated_at: datetime | None = None


class PriceBookIn(Body):
    """An own price book."""

    name: Name
    date: date
    region: ShortText | None = None
    currency: Literal["USD"] = "USD"
    prices: Annotated[list[PriceIn], Field(min_length=1, max_length=1000)]


class PriceBookList(Answer):
    """Price books: shipped first, then own."""

    items: list[PriceBookOut]
    total: int
