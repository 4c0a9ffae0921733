"""Shapes of scheme maps: a question, columnar grids, and one point explained."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tierwright.advise.checks.scheme_map import LEAST_POINTS, USUAL_POINTS
from tierwright.advise.checks.scheme_map import MOST_POINTS as REPLAYED_MOST
from tierwright.evaluate.page_flow.scheme_map import MAP_SCHEMES
from tierwright.profile.steady_state import Start
from tierwright_server.common.schemas import (
    MAX_COUNT,
    Answer,
    Body,
    CautionOut,
    FlashCacheOptions,
    FlashCaches,
    FlashMetadata,
    Identifier,
    Months,
    Share,
    StartIn,
    Usd,
    WarningOut,
)
from tierwright_server.hardware.catalog.schemas import DeviceOut
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import CurveClass, PriceBookRef

MOST_POINTS = 64
AxisName = Literal[
    "flash_per_ram", "ram_pages", "flash_pages", "dirty_share", "asymmetry"
]
if TYPE_CHECKING:
    MapScheme = str
else:
    MapScheme = Literal[MAP_SCHEMES]
MapPages = Annotated[
    float,
    Field(
        strict=True,
        gt=0,
        le=MAX_COUNT,
        allow_inf_nan=False,
        description="A size, real-valued. [pages]",
    ),
]
Asymmetry = Annotated[
    float,
    Field(
        strict=True,
        gt=0,
        le=1e9,
        allow_inf_nan=False,
        description="Flash write over flash read, F_W / F_R; absent: the device's.",
    ),
]
Grid = list[list[float | None]]
"""Rows of a map from the lowest y on; a row has a value for every x."""


class AxisIn(Body):
    """One axis: evenly spaced for shares, by equal factors otherwise."""

    axis: AxisName
    low: Annotated[float, Field(strict=True, ge=0, le=MAX_COUNT)]
    high: Annotated[float, Field(strict=True, gt=0, le=MAX_COUNT)]
    points: Annotated[int, Field(strict=True, ge=2, le=MOST_POINTS)] = MOST_POINTS


class MapQuestion(StartIn):
    """Workload, devices, prices and schemes of a map or of one of its points."""

    workload_id: Identifier
    flash_device_id: Identifier
    disk_device_id: Identifier
    ram_device_id: Identifier | None = None
    price_book_id: Identifier | None = None
    amortisation_months: Months = 36
    ram_pages: MapPages | None = None
    flash_pages: MapPages | None = None
    dirty_share: Annotated[Share, Field(strict=True)] | None = Field(
        default=None,
        description="Dirty share of all victims; absent: measured, for each scheme.",
    )
    dirty_share_range: bool = Field(
        default=False,
        description="Where the dirty share is neither set nor an axis, and that of a "
        "given curve is not stated: answer with both ends of its possible "
        "range. Otherwise such a request is refused.",
    )
    asymmetry: Asymmetry | None = None
    schemes: list[MapScheme] = Field(
        default=list(MAP_SCHEMES),
        min_length=2,
        max_length=len(MAP_SCHEMES),
        description="Schemes that compete.",
    )
    flash_metadata: FlashMetadata | None = Field(
        default=None,
        description="Preset of `GET /catalog/flash-metadata` whose memory is "
        "subtracted from the RAM of schemes with flash.",
    )


class SchemeMapIn(MapQuestion):
    """The map to make: two axes, and fixed values of what they leave open."""

    x: AxisIn
    y: AxisIn


CoarsePoints = Annotated[
    int,
    Field(strict=True, ge=LEAST_POINTS, le=REPLAYED_MOST),
]


class MapCheckIn(SchemeMapIn):
    """The map, and what is replayed on a coarse grid over it."""

    x_points: CoarsePoints = Field(
        default=USUAL_POINTS, description="Points across that are replayed."
    )
    y_points: CoarsePoints = Field(
        default=USUAL_POINTS, description="Points upwards that are replayed."
    )
    flash_caches: FlashCaches = Field(
        default=[], description="Flash caches of `GET /simulator` to replay besides."
    )
    flash_cache_options: FlashCacheOptions = Field(default=[])


class MapAxisOut(Answer):
    """An axis with its grid points."""

    name: AxisName
    title: str
    unit: str
    values: list[float]


class CrossoverOut(Answer):
    """Line on which two schemes cost the same, or beyond which one no longer fits."""

    schemes: tuple[str, str]
    points: list[tuple[float, float]] = Field(description="x and y along the line.")


class MapMoneyOut(Answer):
    """What the cells cost. [USD/month]"""

    usd_per_month_no_flash: list[list[Usd | None]] | None
    usd_per_month_with_flash: list[list[Usd | None]] | None
    best_by_price_times_time: list[list[int]] | None = Field(
        description="Index into `schemes` of the least price x I/O time: the price of a "
        "unit of throughput. -1: none fits."
    )
    reason: str = Field(description="Why there is no cost; empty when there is one.")


class MapLeastOut(Answer):
    """What depends on the dirty share, if no evicted page is dirty."""

    best: list[list[int]]
    io_time_us_per_access: dict[str, Grid]
    margin: Grid
    too_close: list[list[bool]]
    crossovers: list[CrossoverOut]
    shares: dict[str, float]
    too_close_share: float
    differs: list[list[bool]] = Field(
        description="Where the scheme of least I/O time is another one than with as "
        "many dirty pages as possible."
    )
    differs_share: float


class SchemeMapOut(Answer):
    """Costs and winners over a grid, in columns: a list of rows for every quantity.

    Where the dirty share is unknown, these are the numbers with as many dirty pages as can
    be, and `least` has those with none.
    """

    workload_id: str
    content_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    distinct_pages: int
    x: MapAxisOut
    y: MapAxisOut
    schemes: list[str] = Field(description="Those that compete, in the order of ties.")
    titles: dict[str, str]
    best: list[list[int]] = Field(
        description="Index into `schemes` of the least I/O time; -1: none fits."
    )
    io_time_us_per_access: dict[str, Grid] = Field(
        description="By scheme; null where the metadata leave no RAM. [µs per access]"
    )
    margin: Grid = Field(
        description="Share of the runner-up's I/O time that the best saves."
    )
    too_close: list[list[bool]] = Field(
        description="Whether another scheme is within the known error of the model."
    )
    crossovers: list[CrossoverOut]
    money: MapMoneyOut
    fixed: dict[str, float | None]
    flash_metadata: str | None
    device_asymmetry: float = Field(description="F_W / F_R of the flash device.")
    shares: dict[str, float] = Field(
        description="Share of the grid points that each scheme wins."
    )
    too_close_share: float
    least: MapLeastOut | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )
    sentence: str = Field(description="The finding in one sentence.")
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    formulas: dict[str, str]
    source: str


class PointSchemeOut(Answer):
    """One scheme at a point."""

    scheme: str
    title: str
    io_time_us_per_access: float | None = Field(
        description="Null where the flash metadata leave no RAM. [µs per access]"
    )
    error_us_per_access: float = Field(
        description="Known error of the model. [µs per access]"
    )
    flash_hits: float
    flash_misses: float
    usd_per_month: Usd | None
    price_times_time: float | None = Field(description="[USD/month x µs per access]")


class PointLeast(Answer):
    """A point if no evicted page is dirty."""

    io_time_us_per_access: dict[str, float | None] = Field(description="By scheme.")
    best: str | None
    margin: float | None
    too_close: bool
    sentence: str


class MapPointOut(Answer):
    """One point of a map, with everything behind its numbers."""

    workload_id: str
    content_id: str
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    page_bytes: int
    ram_pages: float
    flash_pages: float
    ram_pages_with_flash: float = Field(
        description="RAM left by the flash metadata. [pages]"
    )
    dirty_share: float | None
    measured_dirty_share: float | None = Field(
        description="p_d of RAM victims; null where the curve has no write-backs."
    )
    asymmetry: float
    devices: dict[str, DeviceOut]
    price_book: PriceBookRef | None
    schemes: list[PointSchemeOut]
    best: str | None
    best_by_price_times_time: str | None
    margin: float | None
    too_close: bool
    least: PointLeast | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )
    sentence: str
    evidence: CurveClass = None
    derivation: list[DerivationStep] | None


class AxisOption(Answer):
    """An axis that a map may have."""

    name: AxisName
    title: str
    unit: str


class MapOptions(Answer):
    """What a map can be requested for, from the models' tables."""

    axes: list[AxisOption]
    schemes: dict[str, str]
