"""Which of several workloads share a system, and what each system is."""

from fastapi import APIRouter

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.placements import service
from tierwright_server.questions.placements.schemas import PlacementIn, PlacementOut

router = APIRouter(
    prefix="/placements",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_placement", responses=responses(404, 409))
async def ask_placement(
    body: PlacementIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> PlacementOut:
    """Choose which of several workloads share a system, and what each system is. Stores nothing.

    Where no choice keeps every limit, `systems` is empty and `finding` says why.
    """
    return await service.ask(session, context, body, derived=derived)
