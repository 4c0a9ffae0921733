"""Miniatures: all sizes of one policy or flash cache, estimated; partial results while it runs."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, status

from tierwright_server.common.schemas import Identifier, StatedRateInQuery
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.replays.miniatures import service
from tierwright_server.replays.miniatures.schemas import MiniatureIn, MiniatureOut
from tierwright_server.traces.workloads.schemas import AskedThrough

router = APIRouter(prefix="/miniatures", tags=["miniatures"])


@router.post(
    "",
    operation_id="create_miniature",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_miniature(
    body: MiniatureIn, session: SessionDep, context: ContextDep
) -> MiniatureOut:
    """Estimate a policy, scheme or flash cache at every size by miniature simulation; follow its `run`.

    The same inputs find the same estimate. One that was cancelled or failed resumes.
    """
    return await service.create_miniature(session, context, body)


@router.get("/{miniature_id}", operation_id="get_miniature", responses=responses(404))
async def get_miniature(
    miniature_id: Annotated[Identifier, Path(description="Id of the estimate.")],
    session: SessionDep,
    context: ContextDep,
    flash_device_id: Annotated[
        Identifier | None,
        Query(
            description="Flash device: how long it lasts stands in each row with flash."
        ),
    ] = None,
    accesses_per_s: Annotated[
        StatedRateInQuery | None,
        Query(
            description="Rate of the accesses, by which flash wears; refused of a workload scaled to production, which "
            "states that of a machine. Absent: as recorded. [1/s]"
        ),
    ] = None,
    workload_id: AskedThrough = None,
) -> MiniatureOut:
    """Read an estimate: finished rows, each with its intervals."""
    return await service.get_miniature(
        session,
        context,
        miniature_id,
        workload_id,
        flash_device_id=flash_device_id,
        accesses_per_s=accesses_per_s,
    )
