"""A placement: finds workloads, devices and prices, and asks the models."""

import asyncio
from collections.abc import Callable

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import placement
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.advice.report import Report, check_title, file_of
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
    answer = await _question(session, context, body)

    def shown() -> PlacementOut:
        found = answer()
        document = found.to_dict()
        document["derivation"] = rows_of(found) if derived else None
        return PlacementOut.model_validate(document)

    # Some tens of groups with ten thousand options each take seconds: not in the loop.
    return await asyncio.to_thread(shown)


async def report(
    session: AsyncSession,
    context: Context,
    body: PlacementIn,
    form: str,
    title: str | None,
) -> Report:
    """Write the placement as a report; its formulas are always part of it.

    Raises
    ------
    NotFound, NotReady
        As `ask`.
    BadInput
        As `ask`, or if a form without heading is given one.
    """
    check_title(form, title)
    answer = await _question(session, context, body)
    return await asyncio.to_thread(lambda: file_of(answer(), form, title))


async def _question(
    session: AsyncSession, context: Context, body: PlacementIn
) -> Callable[[], placement.Placement]:
    """Find what is asked about, and return what answers."""
    loads = await find_members(session, context, body.workloads)
    bought = await find_bought(session, context, body)
    return lambda: placement.answer(loads, objective=body.objective, **bought)
