"""What an access costs: finds devices and prices, and asks the models."""

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import access_cost
from tierwright_server.common.schemas import WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.access_cost.schemas import (
    AccessCostRowOut,
    AccessCostsIn,
    AccessCostsOut,
)
from tierwright_server.questions.point_schemas import PriceBookRef


async def compare(
    session: AsyncSession,
    context: Context,
    body: AccessCostsIn,
    *,
    derived: bool = False,
) -> AccessCostsOut:
    """Cost an access on every device that is sold by itself, and on the one asked about."""
    if body.device_id is not None:
        await catalog.find_device(session, context, body.device_id, "device_id")
    devices = [
        device
        for device in await catalog.all_devices(session, context)
        if device.sold_as == "device" or device.id == body.device_id
    ]
    book = (
        None
        if body.price_book_id is None
        else await catalog.find_price_book(session, context, body.price_book_id)
    )
    answer = access_cost.answer(
        devices,
        page_bytes=body.page_bytes,
        operation=body.operation,
        prices=None if book is None else book[0],
        amortisation_months=body.amortisation_months,
        subject=body.device_id,
    )
    return AccessCostsOut(
        page_bytes=body.page_bytes,
        operation=body.operation,
        price_book=None if book is None else PriceBookRef.model_validate(book[1]),
        rows=[AccessCostRowOut.model_validate(row) for row in answer.rows],
        cheapest=answer.cheapest,
        sentence=answer.finding,
        estimator=answer.estimator,
        validity=answer.validity,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        derivation=rows_of(answer) if derived else None,
    )
