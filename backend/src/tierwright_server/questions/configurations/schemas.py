"""Shapes of the configurations that can be bought."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tierwright.advise.configurations import Excluded
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    CautionOut,
    Identifier,
    Share,
    StartIn,
    Usd,
    UsdIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep

Kind = Literal["instances", "volumes", "chassis"]
MOST_PRICES = 200
MOST_MACHINES = 16
Above0 = Annotated[float, Field(strict=True, gt=0, le=1e15, allow_inf_nan=False)]
Amount = Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)]


class ConfigurationsIn(StartIn):
    """What is bought for, besides the data and the rates of the workload."""

    horizon_months: Annotated[int, Field(strict=True, ge=1, le=1200)] = Field(
        default=36,
        description="Months over which a purchase is spread, and data grow. [months]",
    )
    max_machines: Annotated[int, Field(strict=True, ge=1, le=MOST_MACHINES)] = Field(
        default=8, description="Most equal machines; at least the copies of the data."
    )
    kinds: list[Kind] = Field(
        default=["instances", "volumes", "chassis"],
        min_length=1,
        max_length=3,
        description="`instances`: the data on local disks of cloud instances; `volumes`: "
        "on their block volumes; `chassis`: on servers built from parts.",
    )
    reserved_gib: Amount = Field(
        default=4.0, description="RAM of each machine for the system itself. [GiB]"
    )
    part_usd: dict[Identifier, UsdIn] = Field(
        default={},
        max_length=MOST_PRICES,
        description="Your prices of parts by id of `GET /catalog/parts`; `chassis` for every "
        "chassis: no chassis has a list price. [USD]",
    )
    usd_per_kwh: UsdIn | None = Field(
        default=None,
        description="Price of electricity for servers that are bought; absent: left out. [USD/kWh]",
    )
    watts: Amount | None = Field(
        default=None,
        description="Power of one such server; absent: the sum of its parts. [W]",
    )
    pue: Annotated[float, Field(strict=True, ge=1, le=100)] = Field(
        default=1.5, description="Power at the meter over power of the server."
    )
    flash_device_id: Identifier | None = Field(
        default=None,
        description="Its rates for drives and local disks of flash of which no source states "
        "them; absent: such configurations are excluded.",
    )
    disk_device_id: Identifier | None = Field(
        default=None, description="The same for hard disks and volumes."
    )
    accesses_per_s: Above0 | None = Field(
        default=None,
        description="Page accesses of all machines together, mean; the busiest hour of production stays as many times "
        "it. Absent: of production as it was stated, or of the recording. [1/s]",
    )
    max_usd_per_month: UsdIn | None = Field(
        default=None,
        description="Limit of rent and spread purchase; absent: no limit. [USD/month]",
    )
    max_io_us: Above0 | None = Field(
        default=None,
        description="Limit of the I/O time; absent: no limit. [µs per access]",
    )
    max_busy: Above0 = Field(
        default=1.0,
        description="Share of the time for which a device may be busy in the busiest hour. [1]",
    )
    dirty_share: Share | None = Field(
        default=None,
        description="Share of the evicted pages that are dirty, for a workload made from a "
        "given curve.",
    )


class ConfigurationOut(Answer):
    """One configuration."""

    kind: Kind = Field(description="What holds the data.")
    name: str = Field(description="What it is, in words.")
    machines: int = Field(description="Equal machines.")
    ram_gib: float = Field(description="RAM of each machine. [GiB]")
    usable_ram_gib: float = Field(description="The same without the reserve. [GiB]")
    store_bytes: float = Field(
        description="What holds the data, on all machines. [bytes]"
    )
    flash_bytes: float = Field(
        description="Local disks that cache before volumes, on all machines. [bytes]"
    )
    monthly_usd: Usd = Field(
        description="Rent, and the purchase spread over the months. [USD/month]"
    )
    usd_per_month: Usd = Field(description="Rent, as on its bill. [USD/month]")
    purchase_usd: Usd = Field(description="Purchase, as on its bill. [USD]")
    total_usd: Usd = Field(description="Both over the months. [USD]")
    lacks_price: list[str] = Field(
        description="What has no price: where there is any, the sums are lower bounds."
    )
    io_time_us_per_access: float | None = Field(
        description="Of the best page-flow scheme; null where a rate is unknown. [µs]"
    )
    scheme: str = Field(description="That scheme; `none` without a cache before.")
    borrowed_rates: bool = Field(
        description="Whether the rates of a named device are used for one of unknown rates."
    )
    store_busy: float | None = Field(
        description="Busy share of each device that holds the data, at the mean rate; null "
        "where the rate is unknown. [1]"
    )
    flash_busy: float | None = Field(
        description="The same of the cache before it; null without one. [1]"
    )
    store_busy_peak: float | None = Field(
        description="The same in the busiest hour. [1]"
    )
    flash_busy_peak: float | None = Field(
        description="The same in the busiest hour; null without a cache. [1]"
    )
    config: dict[str, Any] = Field(
        description="Body of `POST /bills` that bills it to the cent."
    )


@mirrors(
    Excluded,
    reason="Name of the limit, or of what is unknown.",
    count="Configurations whose first reason it is.",
    text="The same in words.",
)
class ExcludedOut(Answer):
    """Configurations that are excluded for one reason."""


class ConfigurationsOut(Answer):
    """Configurations that can be bought, by money and I/O time."""

    workload_id: str
    finding: str
    evaluated: int = Field(description="Configurations listed.")
    suitable: int = Field(
        description="Those that hold the data, break no limit, carry the load and have all prices."
    )
    front: list[ConfigurationOut] = Field(
        description="Of these, those that no other beats in both money and I/O time, the cheapest first."
    )
    front_in_all: int = Field(description="How many they are; at most 40 are listed.")
    cheapest: ConfigurationOut | None = Field(
        description="First of the front; null where none suits."
    )
    fastest: ConfigurationOut | None = Field(
        description="Last of the front; null where none suits."
    )
    lower_bounds: list[ConfigurationOut] = Field(
        description="Ranked apart: of those that suit but lack a price, the front of those that "
        "lack the fewest. Each costs at least what it states."
    )
    lower_bounds_in_all: int = Field(
        description="How many suit but lack a price of any part."
    )
    excluded: list[ExcludedOut] = Field(
        description="Why the others do not suit, each counted once."
    )
    data_bytes: int = Field(
        description="One copy of the data that must fit, with its growth. [bytes]"
    )
    replicas: int = Field(description="Copies of each page.")
    reserved_gib: float = Field(description="RAM of each machine for the system. [GiB]")
    horizon_months: int = Field(description="Months of the totals. [months]")
    accesses_per_s: float | None = Field(
        description="Mean rate of all machines; null where it is unknown. [1/s]"
    )
    peak_accesses_per_s: float | None = Field(
        description="Rate of the busiest hour; null where it is unknown. [1/s]"
    )
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
