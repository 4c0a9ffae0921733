"""What the simulator offers."""

from fastapi import APIRouter

from tierwright_server.http.problems import responses
from tierwright_server.replays.simulator import registry
from tierwright_server.replays.simulator.schemas import SimulatorOut

router = APIRouter(prefix="/simulator", tags=["simulator"])


@router.get("", operation_id="get_simulator", responses=responses())
async def get_simulator() -> SimulatorOut:
    """List all policies, buffers, page-flow schemes and flash caches with their options."""
    return registry.listing()
