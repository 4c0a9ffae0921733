"""What an access costs on each device that is kept busy."""

from fastapi import APIRouter

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.access_cost import service
from tierwright_server.questions.access_cost.schemas import (
    AccessCostsIn,
    AccessCostsOut,
)

router = APIRouter(
    prefix="/access-costs",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_access_cost", responses=responses(404))
async def ask_access_cost(
    body: AccessCostsIn, session: SessionDep, context: ContextDep, derived: DerivedDep
) -> AccessCostsOut:
    """Cost a random access on every device that is sold by itself, the cheapest first."""
    return await service.compare(session, context, body, derived=derived)
