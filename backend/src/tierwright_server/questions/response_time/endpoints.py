"""How long a page access takes at a rate."""

from typing import Annotated

from fastapi import APIRouter, Path

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.response_time import service
from tierwright_server.questions.response_time.schemas import (
    ResponseTimeIn,
    ResponseTimeOut,
)

router = APIRouter(prefix="/workloads", tags=["throughputs"])


@router.post(
    "/{workload_id}/response",
    operation_id="ask_response",
    responses=responses(404, 409),
)
async def ask_response(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: ResponseTimeIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> ResponseTimeOut:
    """Predict how long a page access takes at a rate, under every scheme. Stores nothing."""
    return await service.evaluate(session, context, workload_id, body, derived=derived)
