"""Health."""

from fastapi import APIRouter

from tierwright_server.health import service
from tierwright_server.health.schemas import HealthOut, LiveOut, ReadyOut
from tierwright_server.http.context import ContextDep
from tierwright_server.http.problems import responses

router = APIRouter(tags=["health"])


@router.get("/health", operation_id="get_health", responses=responses())
async def get_health(context: ContextDep) -> HealthOut:
    """Read whether the server, its database and its workers are up."""
    return await service.get_health(context)


@router.get("/health/live", operation_id="get_live", responses=responses())
async def get_live() -> LiveOut:
    """Confirm that the process answers, whatever it depends on."""
    return service.get_live()


@router.get("/health/ready", operation_id="get_ready", responses=responses())
async def get_ready(context: ContextDep) -> ReadyOut:
    """Confirm that questions can be answered; 503 if the database or the disk is unavailable."""
    return await service.get_ready(context)
