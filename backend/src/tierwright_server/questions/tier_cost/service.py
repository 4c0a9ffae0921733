"""What a tier costs: finds devices and prices, and asks the models."""

from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import tier_cost
from tierwright.advise.tier_cost import TierRow
from tierwright.evaluate.economics import Assumptions, Load
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.point_schemas import PriceBookRef
from tierwright_server.questions.tier_cost.schemas import (
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
    answer = tier_cost.answer(
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
            watts_per_gib=None
            if body.watts_per_gib is None
            else _exact(body.watts_per_gib),
        ),
    )
    return TierCostsOut(
        held_bytes=body.held_bytes,
        page_bytes=body.page_bytes,
        price_book=None if book is None else PriceBookRef.model_validate(book[1]),
        rows=[_row(row) for row in answer.rows],
        cheapest=answer.cheapest,
        cheapest_that_keeps_up=answer.cheapest_that_keeps_up,
        sentence=answer.finding,
        estimator=answer.estimator,
        validity=answer.validity,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
    )


def _exact(value: float) -> Decimal:
    """Return the decimal that was written, not the nearest binary number."""
    return Decimal(repr(value))


def _row(row: TierRow) -> TierRowOut:
    cost = row.cost
    return TierRowOut(
        device_id=row.device_id,
        device_name=row.device_name,
        kind=row.kind,
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
