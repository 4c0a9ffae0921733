"""The cost of a tier: finds devices and prices, lets the models answer, says it in words."""

from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.tier_costs import TierComparison, TierRow, compare_tiers
from tierwright.common.currency import money
from tierwright.evaluate.economics import Assumptions, Load
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.wording import percent
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import DeviceOut
from tierwright_server.http.context import Context
from tierwright_server.http.steps import derivation_step
from tierwright_server.questions.compare.schemas import PriceBookRef
from tierwright_server.questions.tier_costs.schemas import (
    CostLineOut,
    TierCostsIn,
    TierCostsOut,
    TierRowOut,
)


async def compare(
    session: AsyncSession, context: Context, body: TierCostsIn, *, derived: bool = False
) -> TierCostsOut:
    """Cost the tier on each device."""
    found = [
        await catalog.find_device(session, context, device_id, f"device_ids[{at}]")
        for at, device_id in enumerate(body.device_ids)
    ]
    book = (
        None
        if body.price_book_id is None
        else await catalog.find_price_book(session, context, body.price_book_id)
    )
    compared = compare_tiers(
        [device for device, _ in found],
        body.held_bytes,
        page_bytes=body.page_bytes,
        prices=None if book is None else book[0],
        load=Load(
            reads=_exact(body.reads_per_month),
            writes=_exact(body.writes_per_month),
            read_bytes=_exact(body.read_bytes_per_month),
            written_bytes=None
            if body.written_bytes_per_month is None
            else _exact(body.written_bytes_per_month),
            provisioned_iops=_exact(body.provisioned_iops),
            provisioned_mb_per_s=_exact(body.provisioned_mb_per_s),
        ),
        assumptions=Assumptions(
            amortisation_months=body.amortisation_months,
            interest_per_year=_exact(body.interest_per_year),
            usd_per_kwh=body.usd_per_kwh,
            pue=_exact(body.pue),
            busy_share=_exact(body.busy_share),
            whole_devices=body.whole_devices,
        ),
    )
    shown = {out.id: out for _, out in found}
    return TierCostsOut(
        held_bytes=body.held_bytes,
        page_bytes=body.page_bytes,
        price_book=None if book is None else PriceBookRef.model_validate(book[1]),
        rows=[_row(row, shown[row.device_id]) for row in compared.rows],
        cheapest=compared.cheapest,
        cheapest_that_keeps_up=compared.cheapest_that_keeps_up,
        sentence=_sentence(compared, shown),
        estimator=compared.estimator,
        validity=compared.validity,
        warnings=[WarningOut.model_validate(each) for each in compared.warnings],
        derivation=[
            derivation_step(part, row.device_id)
            for row in compared.rows
            for part in row.derivation
        ]
        if derived
        else None,
    )


def _exact(value: float) -> Decimal:
    """Return the decimal that was written, not the nearest binary number."""
    return Decimal(repr(value))


def _row(row: TierRow, device: DeviceOut) -> TierRowOut:
    cost = row.cost
    return TierRowOut(
        device_id=row.device_id,
        device_name=device.name,
        kind=device.kind,
        reason=row.reason,
        usd_per_month=None if cost is None else cost.usd_per_month,
        opex_usd_per_month=None if cost is None else cost.opex_usd_per_month,
        capex_usd=None if cost is None else cost.capex_usd,
        devices=None if cost is None else float(cost.devices),
        lines=[]
        if cost is None
        else [CostLineOut.model_validate(line) for line in cost.lines],
        usd_per_million_pages_month=row.usd_per_million_pages_month,
        usd_per_million_accesses=row.usd_per_million_accesses,
        served_by=row.served_by,
        busy_share=row.busy_share,
        missing=[] if cost is None else list(cost.missing),
    )


def _sentence(compared: TierComparison, shown: dict[str, DeviceOut]) -> str:
    rows = {row.device_id: row for row in compared.rows}
    if compared.cheapest is None:
        return (
            "None of these devices has a price here; choose a price book that has one."
        )
    cheapest = rows[compared.cheapest]
    name = shown[cheapest.device_id].name
    text = f"{name} is the cheapest at {_cost(cheapest)} a month"
    if cheapest.busy_share is None:
        return f"{text}; whether it can serve the load is not known."
    if cheapest.keeps_up:
        return f"{text}, and busy for {percent(cheapest.busy_share)} of it."
    few = (
        "one of it"
        if cheapest.served_by == 1
        else f"the {cheapest.served_by:,} that hold the bytes"
    )
    text += f", but {few} cannot serve the load"
    if compared.cheapest_that_keeps_up is None:
        return f"{text}, and no other device here is known to."
    other = rows[compared.cheapest_that_keeps_up]
    return f"{text}; {shown[other.device_id].name} can, for {_cost(other)} a month."


def _cost(row: TierRow) -> str:
    cost = row.cost
    return money(Decimal(0) if cost is None else cost.usd_per_month)
