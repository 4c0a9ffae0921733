"""A placement: finds workloads, devices and prices, and asks the models."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import placement
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.advice.service import find_bought
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

    bought = await find_bought(session, context, body)

    def shown() -> PlacementOut:
        found = placement.answer(
            loads,
            objective=body.objective,
            **bought,
        )
        document = found.to_dict()
        document["derivation"] = rows_of(found) if derived else None
        return PlacementOut.model_validate(document)

    # Some tens of groups with ten thousand options each take seconds: not in the loop.
    return await asyncio.to_thread(shown)
