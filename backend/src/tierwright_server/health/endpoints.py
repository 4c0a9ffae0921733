"""Health."""

from fastapi import APIRouter

from tierwright_server.context import ContextDep
from tierwright_server.errors import responses
from tierwright_server.health import service
from tierwright_server.health.schemas import HealthOut

router = APIRouter(tags=["health"])


@router.get("/health", operation_id="get_health", responses=responses())
async def get_health(context: ContextDep) -> HealthOut:
    """Say whether the server, its database and its workers are up."""
    return await service.get_health(context)
