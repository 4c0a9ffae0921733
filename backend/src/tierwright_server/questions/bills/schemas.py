"""Shapes of a bill."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tierwright.evaluate.bill_carbon import CarbonLine, NotCounted
from tierwright.hardware.build import MOST_SOURCE
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    Said,
    ShortText,
    Usd,
    UsdIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep

MOST_ENTRIES = 200
Amount = Annotated[float, Field(strict=True, ge=0, le=1e15, allow_inf_nan=False)]
Quantity = Annotated[int, Field(strict=True, ge=0, le=10**6)]
Text = Annotated[ShortText, Field(max_length=200)]
Date = Annotated[
    str, Field(max_length=10, description="YYYY, YYYY-MM, YYYY-MM-DD or YYYY-Qn.")
]


def _two_numbers(value: Any) -> Any:
    """Refuse what is not a list of two: one number is no range."""
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004
        raise ValueError(
            "Input should be a range of two numbers, [low, high]; where both ends are the "
            "same, state the number twice"
        )
    return value


Factor = Annotated[float, Field(strict=True, ge=0, le=10**6, allow_inf_nan=False)]
CarbonRange = Annotated[tuple[Factor, Factor], BeforeValidator(_two_numbers)]
"""Low and high end; the models refuse a low end above the high end."""


class BillPartIn(Body):
    """A part of each machine."""

    id: Identifier = Field(description="Id of `GET /catalog/parts`.")
    quantity: Quantity = Field(default=1, description="In each machine.")
    usd: UsdIn | None = Field(
        default=None,
        description="Your price of one; absent: the newest that was found.",
    )
    price_kind: Text | None = Field(
        default=None, description="Only prices of this market; absent: of any."
    )
    date: Date | None = Field(default=None, description="Date of your price.")
    written_tb_per_year: Amount | None = Field(
        default=None,
        description="Host writes to each drive, for replacements. [10^12 bytes/year]",
    )
    rated_tb: Amount | None = Field(
        default=None,
        description="Endurance of each drive; absent: of its profile. [10^12 bytes]",
    )
    dimm_slots: Quantity | None = Field(
        default=None, description="Memory slots of a chassis; absent: as found."
    )
    nvme_bays: Quantity | None = Field(
        default=None, description="NVMe bays of a chassis; absent: as found."
    )
    hdd_bays: Quantity | None = Field(
        default=None, description="Bays of a chassis for hard disks; absent: as found."
    )


class BillOwnIn(Body):
    """Parts that are already owned and cost nothing more."""

    id: Identifier = Field(description="Id of `GET /catalog/parts`.")
    quantity: Quantity = Field(default=1, description="How many exist in all.")


class BillVolumeIn(Body):
    """Volumes attached to each machine."""

    id: Identifier = Field(description="Id of `GET /catalog/volumes`.")
    quantity: Quantity = Field(default=1, description="On each machine.")
    size_gib: Amount = Field(description="Size of one volume. [GiB]")
    iops: Amount | None = Field(
        default=None,
        description="IOPS of one volume, with the included ones; absent: the included "
        "ones. [1/s]",
    )
    mb_per_s: Amount | None = Field(
        default=None,
        description="Throughput of one volume, as the provider counts it; absent: the "
        "included one. [MB/s or MiB/s]",
    )
    io_per_month: Amount | None = Field(
        default=None,
        description="Operations of one volume, where each is charged. [1/month]",
    )


class BillStoreIn(Body):
    """An object store of all machines, and its traffic."""

    id: Identifier = Field(description="Id of `GET /catalog/volumes`.")
    stored_gib: Amount = Field(default=0.0, description="Data held. [GiB]")
    reads_per_month: Amount = Field(default=0.0, description="Requests. [1/month]")
    writes_per_month: Amount = Field(default=0.0, description="Requests. [1/month]")
    retrieved_gb_per_month: Amount | None = Field(
        default=None, description="Data read. [GB/month]"
    )
    uploaded_gb_per_month: Amount | None = Field(
        default=None, description="Data written. [GB/month]"
    )


class BillReservedIn(Body):
    """RAM of each machine that is not for the cache."""

    what: Text = Field(description="What it is for.")
    gib: Amount = Field(description="Of each machine. [GiB]")


class BillExtraIn(Body):
    """A line of your own, for all machines: either bought or rented."""

    what: Text = Field(description="What is paid for.")
    quantity: Amount = Field(default=1.0, description="How many.")
    usd: UsdIn | None = Field(default=None, description="Price at purchase.")
    usd_per_month: UsdIn | None = Field(default=None, description="Price per month.")
    date: Date | None = Field(default=None, description="Date of the price.")
    source: Annotated[str, Field(max_length=MOST_SOURCE)] | None = Field(
        default=None, description="Where the price is from; yours where absent."
    )


class BillSparesIn(Body):
    """Spares of every part."""

    share: Annotated[float, Field(strict=True, ge=0, le=10)] = Field(
        default=0.0, description="Share of those in use, rounded up. [1]"
    )
    count: Quantity = Field(default=0, description="Of each part besides.")


class BillPowerIn(Body):
    """Electricity."""

    usd_per_kwh: UsdIn | None = Field(
        default=None, description="Absent: electricity is left out."
    )
    watts: Amount | None = Field(
        default=None, description="Of one machine; absent: the sum of its parts. [W]"
    )
    pue: Annotated[float, Field(strict=True, ge=1, le=100)] = Field(
        default=1.5, description="Power at the meter over power of the machine."
    )


class BillCarbonIn(Body):
    """Carbon factors, each as a range `[low, high]`; what is absent is not counted."""

    kg_per_kwh: CarbonRange | None = Field(
        default=None, description="Carbon of electricity. [kg CO2e/kWh]"
    )
    kg_per_gb_ram: CarbonRange | None = Field(
        default=None, description="Embodied carbon of RAM. [kg CO2e/10^9 bytes]"
    )
    kg_per_gb_flash: CarbonRange | None = Field(
        default=None, description="Embodied carbon of flash. [kg CO2e/10^9 bytes]"
    )
    kg_per_gb_disk: CarbonRange | None = Field(
        default=None, description="Embodied carbon of hard disks. [kg CO2e/10^9 bytes]"
    )
    kg_per_machine: CarbonRange | None = Field(
        default=None,
        description="Embodied carbon of a machine without its memory and drives. [kg CO2e]",
    )


class BillRentIn(Body):
    """A rent of the instance or of a volume, in place of the shipped one; exactly one amount."""

    instance: Identifier | None = Field(
        default=None, description="Id of the instance; absent: of a volume."
    )
    volume: Identifier | None = Field(
        default=None, description="Id of the volume; absent: of the instance."
    )
    usd_per_hour: UsdIn | None = Field(
        default=None, description="Of an instance. [USD/hour]"
    )
    usd_per_gib_month: UsdIn | None = Field(
        default=None, description="Capacity of a volume. [USD/GiB/month]"
    )
    usd_per_iops_month: UsdIn | None = Field(
        default=None, description="IOPS above the included ones. [USD/IOPS/month]"
    )
    usd_per_mb_per_s_month: UsdIn | None = Field(
        default=None,
        description="Throughput above the included one, in the unit in which the volume counts it.",
    )
    source: Text = Field(description="Where the rent is from.")
    date: Date | None = Field(default=None, description="When it was seen.")
    region: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Where it holds."
    )
    note: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="What to know before using it."
    )


class BillSideIn(Body):
    """What is rented, bought and owned."""

    name: Text | None = Field(default=None, description="A name to show.")
    machines: Annotated[int, Field(strict=True, ge=1, le=10**6)] = Field(
        default=1, description="Servers of the same kind."
    )
    server: Identifier | None = Field(
        default=None, description="Rented server; absent: built from parts."
    )
    usd_per_hour: UsdIn | None = Field(
        default=None, description="Your price of the server, instead of the list."
    )
    rent: list[BillRentIn] = Field(
        default=[],
        max_length=MOST_ENTRIES,
        description="Rents of instances and volumes in place of those shipped, each with its source; an option of an advice states those of its price book.",
    )
    commitment: Text | None = Field(
        default=None, description="Name of the commitment that gives the discount."
    )
    commitment_discount: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        default=0.0, description="Share off the price of the server. [1]"
    )
    price_book: Identifier | None = Field(
        default=None, description="Shipped price book that goes first for parts."
    )
    price_date: Date | None = Field(
        default=None, description="Only prices of parts up to this quarter."
    )
    part: list[BillPartIn] = Field(
        default=[], max_length=MOST_ENTRIES, description="Parts of each machine."
    )
    own: list[BillOwnIn] = Field(
        default=[], max_length=MOST_ENTRIES, description="Parts already owned."
    )
    volume: list[BillVolumeIn] = Field(
        default=[], max_length=MOST_ENTRIES, description="Volumes of each machine."
    )
    object_store: list[BillStoreIn] = Field(
        default=[],
        max_length=MOST_ENTRIES,
        description="Object stores of all machines.",
    )
    reserved_ram: list[BillReservedIn] = Field(
        default=[], max_length=MOST_ENTRIES, description="RAM that is reserved."
    )
    extra: list[BillExtraIn] = Field(
        default=[], max_length=MOST_ENTRIES, description="Lines of your own."
    )
    spares: BillSparesIn | None = Field(default=None, description="Absent: no spares.")
    power: BillPowerIn | None = Field(
        default=None, description="Absent: electricity is left out."
    )
    carbon: BillCarbonIn | None = Field(
        default=None, description="Absent: carbon is left out."
    )


class BillIn(BillSideIn):
    """A configuration, and another to compare it with."""

    horizon_months: Annotated[int, Field(strict=True, ge=1, le=1200)] = Field(
        default=36, description="Months over which both are compared. [months]"
    )
    against: BillSideIn | None = Field(
        default=None, description="The other way, such as buying instead of renting."
    )


class BillLineOut(Answer):
    """One charge."""

    what: str = Field(description="What is paid for.")
    kind: str = Field(
        description="server, part, spare, replacement, owned, reserved, capacity, iops, "
        "throughput, requests, transfer, power or extra."
    )
    quantity: float = Field(description="In the unit of the price.")
    unit: str = Field(description="Unit of the price.")
    unit_price: Usd | None = Field(description="Null where no price was found. [USD]")
    date: str | None = Field(description="Date of the price; null where it has none.")
    usd_per_month: Usd = Field(description="Rent, to the cent. [USD/month]")
    purchase_usd: Usd = Field(description="Purchase, to the cent. [USD]")
    source: str
    note: str
    months: float | None = Field(
        description="Months from one replacement to the next; null for other lines."
    )


class ViolationOut(Answer):
    """A named limit that is exceeded."""

    name: str = Field(description="Name of the limit.")
    where: str = Field(description="Entry of the configuration, or an id.")
    message: Said
    hint: Said = Field(description="What to do next.")


class BillRamOut(Answer):
    """RAM of one machine."""

    installed_gib: float | None = Field(description="Null where none is listed. [GiB]")
    reserved_gib: float = Field(description="Not for the cache. [GiB]")
    left_gib: float | None = Field(description="Installed less reserved. [GiB]")


class BlockStorageOut(Answer):
    """What the volumes of one machine may do, and what its instance sustains."""

    provisioned_iops: float = Field(description="Of all volumes. [1/s]")
    provisioned_mb_per_s: float = Field(description="Of all volumes. [MB/s]")
    limit_iops: float | None = Field(description="Of the instance, sustained. [1/s]")
    limit_mb_per_s: float | None = Field(
        description="Of the instance, sustained. [MB/s]"
    )
    usable_iops: float = Field(description="The smaller of both. [1/s]")
    usable_mb_per_s: float = Field(description="The smaller of both. [MB/s]")


@mirrors(
    CarbonLine,
    what="electricity, RAM, flash, disk or machines.",
    kind="operational or embodied.",
    quantity="Over the horizon, of all machines.",
    unit="kWh, GB (10^9 bytes) or machine.",
    kg_per_unit="Low and high end of the factor, as stated. [kg CO2e/unit]",
    kg="Low and high end. [kg CO2e]",
    note="Where the quantity is from.",
)
class CarbonLineOut(Answer):
    """Carbon of one quantity."""


@mirrors(
    NotCounted,
    what="What is left out.",
    hint="What to do next.",
)
class CarbonNotCountedOut(Answer):
    """What of a bill has carbon that is not counted."""


_LOW_AND_HIGH = "Low and high end; null where nothing of it is counted."


Ends = tuple[float, float]


class BillCarbonOut(Answer):
    """Carbon of a bill, as ranges between the factors of the request: low and high end."""

    sentence: str
    operational_kg: Ends | None = Field(
        description="Of electricity over the horizon; null where it is not counted. "
        "[kg CO2e]"
    )
    embodied_kg: Ends | None = Field(
        description="Of making the hardware; null where it is not counted. [kg CO2e]"
    )
    total_kg: Ends | None = Field(
        description="Of what is counted; null where nothing is. [kg CO2e]"
    )
    operational_kg_per_month: Ends | None = Field(
        description="Of electricity; null where it is not counted. [kg CO2e/month]"
    )
    embodied_kg_per_month: Ends | None = Field(
        description="Of making the hardware, spread over the horizon; null where it is "
        "not counted. [kg CO2e/month]"
    )
    total_kg_per_month: Ends | None = Field(
        description="Of what is counted; null where nothing is. [kg CO2e/month]"
    )
    lines: list[CarbonLineOut] = Field(description="Every quantity that is counted.")
    not_counted: list[CarbonNotCountedOut] = Field(
        description="What is left out; empty where the ranges cover the whole bill."
    )


class BillWayOut(Answer):
    """One of two ways over the same months."""

    name: str
    usd_per_month: Usd = Field(description="Rent. [USD/month]")
    purchase_usd: Usd = Field(description="Purchase. [USD]")
    total_usd: Usd = Field(description="Purchase and rent over the horizon. [USD]")


class BillSideOut(Answer):
    """A bill; its sums are those of the printed lines."""

    finding: str
    lines: list[BillLineOut] = Field(description="Every charge.")
    usd_per_month: Usd = Field(description="Rent. [USD/month]")
    purchase_usd: Usd = Field(description="Purchase. [USD]")
    horizon_months: int = Field(description="Months of the total. [months]")
    total_usd: Usd = Field(description="Purchase and rent over the horizon. [USD]")
    violations: list[ViolationOut] = Field(description="Limits that are exceeded.")
    unpriced: list[str] = Field(
        description="Lines without a price: where there are any, sums are lower bounds."
    )
    ram: BillRamOut = Field(description="RAM of one machine.")
    block_storage: BlockStorageOut | None = Field(
        description="Null without a rented server that has volumes."
    )
    at_newest_purchase_usd: Usd | None = Field(
        description="Purchase at the newest prices of the price series; null where no "
        "series has a newer one. [USD]"
    )
    carbon: BillCarbonOut | None = Field(
        description="Null where the request states no carbon factors."
    )
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]


class BillOut(BillSideOut):
    """A bill, and the one that it is compared with."""

    ways: list[BillWayOut] = Field(description="This bill, then the other.")
    break_even_months: int | None = Field(
        description="Month from which on the larger purchase has cost no more; null "
        "without comparison, where it never pays off, or where a price is unknown. "
        "[months]"
    )
    against: BillSideOut | None = Field(description="The other bill; null without one.")
    derivation: list[DerivationStep] | None
