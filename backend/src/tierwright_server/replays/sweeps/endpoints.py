"""Sweeps: many configurations over one workload, partial results while it runs."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, status

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.paging import Page, paged
from tierwright_server.http.problems import responses
from tierwright_server.replays.sweeps import service
from tierwright_server.replays.sweeps.schemas import SweepIn, SweepList, SweepOut
from tierwright_server.traces.workloads.schemas import AskedThrough

router = APIRouter(prefix="/sweeps", tags=["sweeps"])


@router.get("", operation_id="list_sweeps", responses=responses(404, 409))
async def list_sweeps(
    session: SessionDep,
    context: ContextDep,
    page: Annotated[Page, paged("created_at", usual=20, most=100)],
    workload_id: Annotated[
        Identifier | None, Query(description="Only of this workload's content.")
    ] = None,
) -> SweepList:
    """List sweeps, newest first."""
    return await service.list_sweeps(session, context, page, workload_id)


@router.post(
    "",
    operation_id="create_sweep",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_sweep(
    body: SweepIn, session: SessionDep, context: ContextDep
) -> SweepOut:
    """Replay every contender at every size; follow its `run`.

    Of a workload scaled to production sizes are of one machine: its recording is replayed at those that correspond,
    after its first half unless `warm_up` is given, and `in_production` of a row has the rates. A row for which the
    recording is too small says so.

    The same inputs find the same sweep. One that was cancelled or failed resumes, and replays that another sweep has made are not repeated.
    """
    return await service.create_sweep(session, context, body)


@router.get("/{sweep_id}", operation_id="get_sweep", responses=responses(404))
async def get_sweep(
    sweep_id: Annotated[Identifier, Path(description="Id of the sweep.")],
    session: SessionDep,
    context: ContextDep,
    flash_device_id: Annotated[
        Identifier | None, Query(description="Prices the operations on flash.")
    ] = None,
    disk_device_id: Annotated[
        Identifier | None, Query(description="Prices what reaches the disk.")
    ] = None,
    workload_id: AskedThrough = None,
) -> SweepOut:
    """Read a sweep: finished rows, priced with the given devices."""
    return await service.get_sweep(
        session, context, sweep_id, flash_device_id, disk_device_id, workload_id
    )
