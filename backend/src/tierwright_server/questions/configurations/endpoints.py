"""Which configuration to buy for a workload."""

from typing import Annotated

from fastapi import APIRouter, Path

from tierwright_server.common.schemas import Identifier
from tierwright_server.hardware.catalog.currency import ASKS_CURRENCY, MoneyRoute
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.configurations import service
from tierwright_server.questions.configurations.schemas import (
    ConfigurationsIn,
    ConfigurationsOut,
)

router = APIRouter(
    prefix="/workloads/{workload_id}/configurations",
    tags=["costs"],
    route_class=MoneyRoute,
    dependencies=ASKS_CURRENCY,
)


@router.post("", operation_id="ask_configurations", responses=responses(404, 409))
async def ask_configurations(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: ConfigurationsIn,
    session: SessionDep,
    context: ContextDep,
    derived: DerivedDep,
) -> ConfigurationsOut:
    """List what can be bought for a workload: the cheapest, the fastest, and those between. Stores nothing."""
    return await service.ask(session, context, workload_id, body, derived=derived)
