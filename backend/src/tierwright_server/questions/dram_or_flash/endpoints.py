"""DRAM or flash: break-even, equal money, the price at which the decision flips."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.dram_or_flash import checking, service
from tierwright_server.questions.dram_or_flash.schemas import (
    BreakEvenCheckIn,
    BreakEvenIn,
    BreakEvenOut,
)
from tierwright_server.questions.replay_checks.endpoints import RESPONSES, sent
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer

router = APIRouter(
    prefix="/break-evens",
    tags=["break-evens"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_dram_or_flash", responses=responses(404, 409))
async def ask_dram_or_flash(
    body: BreakEvenIn, session: SessionDep, context: ContextDep, derived: DerivedDep
) -> BreakEvenOut:
    """Determine whether the next amount belongs in DRAM or in flash. Stores nothing."""
    return await service.evaluate(session, context, body, derived=derived)


@router.post(
    "/check",
    operation_id="check_dram_or_flash",
    response_model=CheckedAnswer,
    responses=RESPONSES,
)
async def check_dram_or_flash(
    body: BreakEvenCheckIn, request: Request, session: SessionDep, context: ContextDep
) -> CheckedAnswer | JSONResponse:
    """Replay one DRAM step, and the flash that is to gain as much under every scheme."""
    return sent(await checking.check(request, session, context, body))
