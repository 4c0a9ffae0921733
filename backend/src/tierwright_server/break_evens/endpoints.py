"""DRAM or flash: break-even, equal money, the price at which the decision flips."""

from fastapi import APIRouter

from tierwright_server.break_evens import service
from tierwright_server.break_evens.schemas import BreakEvenIn, BreakEvenOut
from tierwright_server.context import ContextDep, SessionDep
from tierwright_server.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.errors import responses

router = APIRouter(
    prefix="/break-evens",
    tags=["break-evens"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="evaluate_break_even", responses=responses(404, 409))
async def evaluate_break_even(
    body: BreakEvenIn, session: SessionDep, context: ContextDep
) -> BreakEvenOut:
    """Say whether the next money belongs in DRAM or in flash. Stores nothing."""
    return await service.evaluate(session, context, body)
