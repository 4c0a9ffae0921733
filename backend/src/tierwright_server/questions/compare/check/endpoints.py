"""The check of a point by simulation."""

from typing import Annotated

from fastapi import APIRouter, Path, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.compare.check import service
from tierwright_server.questions.compare.check.schemas import (
    SimulationIn,
    SimulationOut,
)
from tierwright_server.traces.workloads.schemas import AskedThrough

router = APIRouter(prefix="/simulations", tags=["simulations"])


@router.post(
    "",
    operation_id="create_simulation",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_simulation(
    body: SimulationIn, session: SessionDep, context: ContextDep
) -> SimulationOut:
    """Replay the workload at this point; the same inputs return the stored result."""
    return await service.create_simulation(session, context, body)


@router.get("/{simulation_id}", operation_id="get_simulation", responses=responses(404))
async def get_simulation(
    simulation_id: Annotated[Identifier, Path(description="Id of the simulation.")],
    session: SessionDep,
    workload_id: AskedThrough = None,
) -> SimulationOut:
    """Read a check."""
    return await service.get_simulation(session, simulation_id, workload_id)
