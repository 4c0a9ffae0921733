"""Several workloads on one machine: one shared cache, or a part for each."""

from fastapi import APIRouter

from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.compositions import service
from tierwright_server.questions.compositions.schemas import (
    CompositionIn,
    CompositionOut,
)

router = APIRouter(prefix="/compositions", tags=["workloads"])


@router.post("", operation_id="ask_composition", responses=responses(404, 409))
async def ask_composition(
    body: CompositionIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> CompositionOut:
    """Compute what several workloads miss in one shared cache, and in a part for each. Stores nothing."""
    return await service.compose_workloads(session, context, body, derived=derived)
