"""How long a page access takes at a rate."""

from typing import Annotated

from fastapi import APIRouter, Path

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.response_time import service
from tierwright_server.questions.response_time.schemas import (
    ResponseReplayOut,
    ResponseTimeIn,
    ResponseTimeOut,
)

router = APIRouter(tags=["throughputs"])


@router.post(
    "/workloads/{workload_id}/response",
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


@router.get(
    "/response-replays/{response_replay_id}",
    operation_id="get_response_replay",
    responses=responses(404),
)
async def get_response_replay(
    response_replay_id: Annotated[Identifier, Path(description="Id of the replays.")],
    session: SessionDep,
) -> ResponseReplayOut:
    """Read the state of the replays that check response times."""
    return await service.find_replay(session, response_replay_id)
