"""A placement: finds workloads, devices and prices, and asks the models."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import placement
from tierwright.advise.advice import named_book
from tierwright.advise.advice.request import checked_constraints
from tierwright.hardware.device import Device
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.advice.service import candidates_of, of_part
from tierwright_server.questions.placements.schemas import PlacementIn, PlacementOut
from tierwright_server.traces.workloads.composing import find_members


async def ask(
    session: AsyncSession,
    context: Context,
    body: PlacementIn,
    *,
    derived: bool = False,
) -> PlacementOut:
    """Choose which workloads share a system.

    Raises
    ------
    NotFound, NotReady
        A workload or device is missing or not ready.
    BadInput
        The workloads cannot be composed, or an input is out of range.
    """
    loads = await find_members(session, context, body.workloads)

    async def device(where: str, device_id: str | None) -> Device | None:
        if device_id is None:
            return None
        return (await catalog.find_device(session, context, device_id, where))[0]

    flash = await device("flash_device_id", body.flash_device_id)
    disk = await device("disk_device_id", body.disk_device_id)
    prices = (
        named_book(None)
        if body.price_book_id is None
        else (await catalog.find_price_book(session, context, body.price_book_id))[0]
    )
    candidates = candidates_of(
        body.candidates, chose_prices=body.price_book_id is not None
    )
    with of_part("constraints"):
        constraints = checked_constraints(
            body.constraints.model_dump(exclude_none=True)
        )

    def shown() -> PlacementOut:
        found = placement.answer(
            loads,
            candidates=candidates,
            constraints=constraints,
            objective=body.objective,
            prices=prices,
            horizon_months=body.horizon_months,
            flash=flash,
            disk=disk,
        )
        document = found.to_dict()
        document["derivation"] = rows_of(found) if derived else None
        return PlacementOut.model_validate(document)

    # Some tens of groups with ten thousand options each take seconds: not in the loop.
    return await asyncio.to_thread(shown)
