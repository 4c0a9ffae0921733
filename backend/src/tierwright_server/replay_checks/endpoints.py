"""Checks by replay of throughput, wear and choice of flash."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tierwright_server.context import ContextDep, SessionDep
from tierwright_server.errors import responses
from tierwright_server.evaluations.deciding import href_of
from tierwright_server.flash_choices.schemas import FlashChoiceIn
from tierwright_server.replay_checks import service
from tierwright_server.replay_checks.schemas import CheckedAnswer
from tierwright_server.simulations.schemas import SimulationOut
from tierwright_server.throughputs.schemas import ThroughputIn
from tierwright_server.wear.schemas import WearIn

router = APIRouter(tags=["checks by replay"])
_LATER = {
    "model": SimulationOut,
    "description": "The replay takes longer than a request: a job makes it. Ask again when "
    "its run has ended.",
    "headers": {
        "Location": {
            "description": "The check that the job makes.",
            "schema": {"type": "string"},
        }
    },
}
RESPONSES = {202: _LATER, **responses(404, 409)}


def sent(found: CheckedAnswer | SimulationOut) -> CheckedAnswer | JSONResponse:
    """Answer 200 with the check, or 202 with the job that makes it."""
    if isinstance(found, CheckedAnswer):
        return found
    return JSONResponse(
        found.model_dump(mode="json"),
        status_code=202,
        headers={"Location": href_of(found.id)},
    )


@router.post(
    "/throughputs/check",
    operation_id="check_throughput",
    response_model=CheckedAnswer,
    responses=RESPONSES,
)
async def check_throughput(
    body: ThroughputIn, request: Request, session: SessionDep, context: ContextDep
) -> CheckedAnswer | JSONResponse:
    """Throughput at the present point with demands from a replay of every scheme."""
    return sent(await service.throughput(request, session, context, body))


@router.post(
    "/wear/check",
    operation_id="check_wear",
    response_model=CheckedAnswer,
    responses=RESPONSES,
)
async def check_wear(
    body: WearIn, request: Request, session: SessionDep, context: ContextDep
) -> CheckedAnswer | JSONResponse:
    """Life of the flash with the flash writes of a replay of every scheme."""
    return sent(await service.wear(request, session, context, body))


@router.post(
    "/flash-choices/check",
    operation_id="check_flash_choice",
    response_model=CheckedAnswer,
    responses=RESPONSES,
)
async def check_flash_choice(
    body: FlashChoiceIn, request: Request, session: SessionDep, context: ContextDep
) -> CheckedAnswer | JSONResponse:
    """I/O time of every flash device from one replay of every scheme."""
    return sent(await service.flash_choice(request, session, context, body))
