"""Shapes of the cost of a tier."""

from typing import Annotated

from pydantic import Field

from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Count,
    Identifier,
    Months,
    PageBytes,
    Usd,
    UsdIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import PriceBookRef

MOST_DEVICES = 20
Amount = Annotated[float, Field(strict=True, ge=0, le=1e18, allow_inf_nan=False)]


class TierCostsIn(Body):
    """Devices, the bytes and load of the tier, and the assumptions for monthly cost."""

    device_ids: Annotated[
        list[Identifier], Field(min_length=1, max_length=MOST_DEVICES)
    ] = Field(description="Devices to compare, each once.")
    held_bytes: Annotated[Count, Field(strict=True)] = Field(
        description="Bytes that the tier holds. [bytes]"
    )
    page_bytes: PageBytes = 4096
    price_book_id: Identifier | None = Field(
        default=None, description="Absent: the prices that the devices state."
    )
    reads_per_month: Amount = 0.0
    writes_per_month: Amount = 0.0
    read_bytes_per_month: Amount = 0.0
    written_bytes_per_month: Amount | None = None
    provisioned_iops: Amount = Field(
        default=0.0,
        description="Provisioned rate of a cloud volume, including the included part; "
        "its limits and its bill follow from it. 0: the rate of its "
        "figures. [1/s]",
    )
    provisioned_mb_per_s: Amount = Field(
        default=0.0,
        description="Provisioned throughput, in the unit of the provider's price list "
        "(the MB/s of AWS are MiB/s). [MB/s]",
    )
    amortisation_months: Months = 36
    interest_per_year: Annotated[
        float, Field(strict=True, ge=0, le=10, allow_inf_nan=False)
    ] = Field(default=0.0, description="Nominal, 0.05 for 5 %. [1/year]")
    usd_per_kwh: UsdIn | None = Field(
        default=None, description="Absent: power is left out, and listed as missing."
    )
    watts_per_gib: (
        Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)] | None
    ) = Field(
        default=None,
        description="Power of each GiB held, of devices that state no active power or no capacity, "
        "as memory does; absent: it is left out, and listed as missing. [W/GiB]",
    )
    pue: Annotated[float, Field(strict=True, ge=1, le=100, allow_inf_nan=False)] = (
        Field(default=1.5, description="Power at the meter over power of the device.")
    )
    busy_share: Annotated[
        float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)
    ] = Field(
        default=0.5,
        description="Share of the time between idle and active power. [1]",
    )
    whole_devices: bool = Field(
        default=False, description="Buy whole devices, instead of bytes."
    )


class CostLineOut(Answer):
    """One line of a cost."""

    name: str = Field(
        description="capital, rent, provisioned, requests, power or wear."
    )
    usd_per_month: Usd
    capital: bool = Field(
        description="Whether it is capital spread over months; otherwise it is a "
        "running cost."
    )


class TierRowOut(Answer):
    """One device; the money is null where it has no price."""

    device_id: str
    device_name: str
    kind: str
    reason: str = Field(description="Why there is no cost; empty where there is one.")
    usd_per_month: Usd | None
    opex_usd_per_month: Usd | None
    capex_usd: Usd | None = Field(description="Money spent at once. [USD]")
    devices: float | None = Field(
        description="Devices bought, or the share that the bytes take; 0 where rented."
    )
    lines: list[CostLineOut]
    usd_per_million_pages_month: Usd | None
    usd_per_million_accesses: Usd | None
    served_by: int = Field(description="Devices among which the load is spread.")
    busy_share: float | None = Field(
        description="Share of a month that the load keeps each busy; above 1 it cannot "
        "serve the load; null where its service times are unknown. [1]"
    )
    missing: list[str] = Field(description="What is left out, and why.")


class TierCostsOut(Answer):
    """Devices for one tier, the cheapest first; those without a price last."""

    held_bytes: int
    page_bytes: int
    price_book: PriceBookRef | None
    rows: list[TierRowOut]
    cheapest: str | None
    cheapest_that_keeps_up: str | None
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None = Field(
        description="Null unless the query has `derivation=true`; `scheme` holds the "
        "device that a step belongs to."
    )
