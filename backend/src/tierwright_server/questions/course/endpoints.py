"""How a system goes over time, window by window."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.course import service
from tierwright_server.questions.course.schemas import CourseIn, CourseOut
from tierwright_server.questions.response_time.schemas import ResponseReplayOut

router = APIRouter(tags=["throughputs"])
_LATER = {
    "model": ResponseReplayOut,
    "description": "The replay takes longer than a request, so a job makes it. Ask again when its run has ended.",
    "headers": {
        "Location": {
            "description": "The replay that the job makes.",
            "schema": {"type": "string"},
        }
    },
}


@router.post(
    "/workloads/{workload_id}/course",
    operation_id="ask_course",
    response_model=CourseOut,
    responses={202: _LATER, **responses(404, 409)},
)
async def ask_course(
    workload_id: Annotated[Identifier, Path(description="Id of the workload.")],
    body: CourseIn,
    session: SessionDep,
    context: ContextDep,
) -> CourseOut | JSONResponse:
    """Replay a scheme or flash cache on simulated time: hits, dirty share, busy devices and rate by window."""
    found = await service.course(session, context, workload_id, body)
    if isinstance(found, CourseOut):
        return found
    return JSONResponse(
        found.model_dump(mode="json"),
        status_code=202,
        headers={"Location": f"/api/v1/response-replays/{found.id}"},
    )
