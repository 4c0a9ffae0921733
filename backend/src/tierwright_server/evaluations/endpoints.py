"""The comparison of page-flow schemes at one point."""

from fastapi import APIRouter

from tierwright_server.context import ContextDep, SessionDep
from tierwright_server.errors import responses
from tierwright_server.evaluations import service
from tierwright_server.evaluations.schemas import EvaluationIn, EvaluationOut

router = APIRouter(prefix="/evaluations", tags=["evaluations"])


@router.post("", operation_id="evaluate", responses=responses(404, 409))
async def evaluate(
    body: EvaluationIn, session: SessionDep, context: ContextDep
) -> EvaluationOut:
    """Put all page-flow schemes side by side at one point. Stores nothing."""
    return await service.evaluate(session, context, body)
