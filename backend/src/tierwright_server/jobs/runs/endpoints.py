"""Runs: progress, cancel, events."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from sse_starlette import EventSourceResponse

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.paging import Page, Search, paged
from tierwright_server.http.problems import responses
from tierwright_server.jobs.runs import service
from tierwright_server.jobs.runs.schemas import RunList, RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus

router = APIRouter(prefix="/runs", tags=["runs"])

RunId = Annotated[Identifier, Path(description="Id of the run.")]


@router.get("", operation_id="list_runs", responses=responses())
async def list_runs(
    session: SessionDep,
    page: Annotated[
        Page, paged("created_at", "finished_at", "kind", "status", "title", usual=100)
    ],
    status: Annotated[RunStatus | None, Query(description="Only these.")] = None,
    kind: Annotated[RunKind | None, Query(description="Only these.")] = None,
    title: Search = None,
    workload_id: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=100,
            description="Only runs that read this workload, or computed something from "
            "its content.",
            examples=["example"],
        ),
    ] = None,
) -> RunList:
    """List runs, newest first."""
    return await service.list_runs(session, page, status, kind, title, workload_id)


@router.get("/{run_id}", operation_id="get_run", responses=responses(404))
async def get_run(run_id: RunId, session: SessionDep) -> RunOut:
    """Read one run."""
    return await service.get_run(session, run_id)


@router.post("/{run_id}/cancel", operation_id="cancel_run", responses=responses(404))
async def cancel_run(run_id: RunId, session: SessionDep) -> RunOut:
    """Cancel a run; one that has already ended stays as it is."""
    return await service.cancel_run(session, run_id)


@router.get(
    "/{run_id}/events",
    operation_id="stream_run",
    response_class=EventSourceResponse,
    response_model=None,
    responses={
        **responses(404),
        200: {
            "description": "Server-sent events named `run`, each with a RunOut as "
            "JSON; the stream ends when the run has ended.",
            "content": {
                "text/event-stream": {"schema": {"$ref": "#/components/schemas/RunOut"}}
            },
        },
    },
)
async def stream_run(
    run_id: RunId, context: ContextDep, request: Request
) -> EventSourceResponse:
    """Follow a run until it ends."""
    return await service.stream_run(context, run_id, request)
