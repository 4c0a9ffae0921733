"""Throughput and response time of clients that share devices."""

from fastapi import APIRouter

from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.throughput import service
from tierwright_server.questions.throughput.schemas import ThroughputIn, ThroughputOut

router = APIRouter(prefix="/throughputs", tags=["throughputs"])


@router.post("", operation_id="ask_throughput", responses=responses(404, 409))
async def ask_throughput(
    body: ThroughputIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> ThroughputOut:
    """Predict throughput and response time of every scheme. Stores nothing."""
    return await service.evaluate(session, context, body, derived=derived)
