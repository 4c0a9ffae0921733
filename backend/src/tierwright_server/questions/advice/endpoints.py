"""What to buy for a workload and how to run it."""

from typing import Annotated

from fastapi import APIRouter, Path

from tierwright_server.common.schemas import Identifier
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.advice import service
from tierwright_server.questions.advice.schemas import AdviceIn, AdviceOut

router = APIRouter(
    prefix="/workloads/{workload_id}/advice",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_advice", responses=responses(404, 409))
async def ask_advice(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: AdviceIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> AdviceOut:
    """Advise what to buy for a workload and how to run it, and say why.

    Stores nothing. Where no option keeps every limit, `recommendation` is null and `infeasible` names the limits
    that conflict.
    """
    return await service.ask(session, context, workload_id, body, derived=derived)
