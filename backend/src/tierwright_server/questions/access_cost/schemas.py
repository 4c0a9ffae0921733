"""Shapes of the cost of an access."""

from typing import Literal

from pydantic import Field

from tierwright_server.common.schemas import (
    Answer,
    Body,
    Identifier,
    Months,
    PageBytes,
    Usd,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import PriceBookRef


class AccessCostsIn(Body):
    """The access, the prices, and the months over which a purchase is spread."""

    page_bytes: PageBytes = 4096
    operation: Literal["read", "write"] = Field(
        default="read", description="What an access does."
    )
    price_book_id: Identifier | None = Field(
        default=None, description="Absent: the prices that the devices state."
    )
    amortisation_months: Months = 36
    device_id: Identifier | None = Field(
        default=None,
        description="Device that the sentence compares with the cheapest one.",
    )


class AccessCostRowOut(Answer):
    """One device; the money is null where it has no price or no rate."""

    device_id: str
    device_name: str
    kind: str
    accesses_per_s: float | None = Field(
        description="Random accesses that it serves while it is kept busy. [1/s]"
    )
    usd_per_month: Usd | None = Field(
        description="Capital or rent, provisioned rates and fees. [USD/month]"
    )
    usd_per_billion_accesses: Usd | None = Field(
        description="Cost of 10^9 accesses. [USD]"
    )
    reason: str = Field(description="Why there is no cost; empty where there is one.")


class AccessCostsOut(Answer):
    """Devices by the cost of an access, the cheapest first; those without a cost last."""

    page_bytes: int
    operation: Literal["read", "write"]
    price_book: PriceBookRef | None
    rows: list[AccessCostRowOut]
    cheapest: str | None = Field(
        description="Id of the device of least cost; null where no device has one."
    )
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    derivation: list[DerivationStep] | None = Field(
        description="Null unless the query has `derivation=true`; `scheme` holds the "
        "device that a step belongs to."
    )
