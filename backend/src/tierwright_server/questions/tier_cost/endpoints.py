"""What a tier costs a month on each of several devices."""

from fastapi import APIRouter

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.tier_cost import service
from tierwright_server.questions.tier_cost.schemas import TierCostsIn, TierCostsOut

router = APIRouter(
    prefix="/tier-costs",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_tier_cost", responses=responses(404))
async def ask_tier_cost(
    body: TierCostsIn, session: SessionDep, context: ContextDep, derived: DerivedDep
) -> TierCostsOut:
    """Cost the bytes and the load of a tier on each device, the cheapest first."""
    return await service.compare(session, context, body, derived=derived)
