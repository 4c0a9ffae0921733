"""Which flash device, and where its directory goes."""

from fastapi import APIRouter

from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.flash_choice import service
from tierwright_server.questions.flash_choice.schemas import (
    DirectoriesIn,
    DirectoriesOut,
    FlashChoiceIn,
    FlashChoiceOut,
)

router = APIRouter(tags=["flash choices"], route_class=MoneyRoute)


@router.post(
    "/flash-choices",
    operation_id="ask_flash_choice",
    responses=responses(404, 409),
    dependencies=ASKS_CURRENCY,
)
async def ask_flash_choice(
    body: FlashChoiceIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> FlashChoiceOut:
    """Rank flash devices by I/O time and by price times I/O time."""
    return await service.choose(session, context, body, derived=derived)


@router.post(
    "/directories", operation_id="ask_directories", responses=responses(404, 409)
)
async def ask_directories(
    body: DirectoriesIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> DirectoriesOut:
    """Compare the flash directory in RAM and on flash, by size of flash pages."""
    return await service.compare_directories(session, context, body, derived=derived)
