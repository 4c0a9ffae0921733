"""How long flash lasts, what is left of a drive, how long warm-up and restart take."""

from fastapi import APIRouter

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.wear import service
from tierwright_server.questions.wear.schemas import (
    DeviceHealthIn,
    DeviceHealthOut,
    RecoveryIn,
    RecoveryOut,
    WearIn,
    WearOut,
)

router = APIRouter(tags=["wear and recovery"], route_class=MoneyRoute)


@router.post(
    "/wear",
    operation_id="ask_wear",
    responses=responses(404, 409),
    dependencies=ASKS_CURRENCY,
)
async def ask_wear(
    body: WearIn, session: SessionDep, context: ContextDep, derived: DerivedDep
) -> WearOut:
    """Estimate how long the flash lasts under each scheme, and what its wear costs."""
    return await service.wear(session, context, body, derived=derived)


@router.post(
    "/device-health", operation_id="ask_device_health", responses=responses(404)
)
async def ask_device_health(
    body: DeviceHealthIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> DeviceHealthOut:
    """Read the health of a drive from smartctl's or nvme's JSON. Stores nothing."""
    return await service.read_device_health(session, context, body, derived=derived)


@router.post("/recovery", operation_id="ask_recovery", responses=responses(404, 409))
async def ask_recovery(
    body: RecoveryIn, session: SessionDep, context: ContextDep, derived: DerivedDep
) -> RecoveryOut:
    """Estimate how long the flash takes to fill, and how long a restart takes with and without it."""
    return await service.recover(session, context, body, derived=derived)
