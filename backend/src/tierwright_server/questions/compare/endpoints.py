"""The comparison of page-flow schemes at one point."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep, only_reads
from tierwright_server.http.problems import responses
from tierwright_server.questions.compare import deciding
from tierwright_server.questions.compare.check.schemas import SimulationOut
from tierwright_server.questions.compare.schemas import (
    Decide,
    DecisionIn,
    DerivationOut,
    EvaluationOut,
)

router = APIRouter(
    prefix="/evaluations",
    tags=["evaluations"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)
_LATER = {
    "model": SimulationOut,
    "description": "The deciding replay takes longer than a request, so a job makes "
    "it. Ask again when its run has ended.",
    "headers": {
        "Location": {
            "description": "The check that the job makes.",
            "schema": {"type": "string"},
        }
    },
}


def _later(job: SimulationOut) -> JSONResponse:
    return JSONResponse(
        job.model_dump(mode="json"),
        status_code=202,
        headers={"Location": deciding.href_of(job.id)},
    )


@router.post(
    "",
    operation_id="ask_compare",
    response_model=EvaluationOut,
    responses={202: _LATER, **responses(404, 409)},
)
async def ask_compare(
    body: DecisionIn, request: Request, session: SessionDep, context: ContextDep
) -> EvaluationOut | JSONResponse:
    """Compare all page-flow schemes at one point.

    With `decide: replay` a lead within the error of the model is decided by replays of the
    trace, which are kept: they serve every device.
    """
    # Only here: a scenario that keeps an evaluation writes in the same session.
    if body.decide is Decide.MODEL:
        only_reads(session, context)
    found = await deciding.evaluate(request, session, context, body)
    if isinstance(found, EvaluationOut):
        return found
    return _later(found)


@router.post(
    "/derivation",
    operation_id="derive_compare",
    response_model=DerivationOut,
    responses={202: _LATER, **responses(404, 409)},
)
async def derive_compare(
    body: DecisionIn, request: Request, session: SessionDep, context: ContextDep
) -> DerivationOut | JSONResponse:
    """Derive the figures of the same question, formula by formula."""
    found = await deciding.derive(request, session, context, body)
    if isinstance(found, DerivationOut):
        return found
    return _later(found)
