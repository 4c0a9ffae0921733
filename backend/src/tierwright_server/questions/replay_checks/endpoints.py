"""Checks by replay, as the table has them."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.compare.check.schemas import SimulationOut
from tierwright_server.questions.compare.deciding import href_of
from tierwright_server.questions.replay_checks.check import Asking, Check
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.questions.replay_checks.table import CHECKS
from tierwright_server.questions.response_time.schemas import ResponseReplayOut
from tierwright_server.questions.what_to_cache.schemas import CategoryCountsOut
from tierwright_server.replays.sweeps.schemas import SweepOut

router = APIRouter(tags=["checks by replay"])
_LATER = {
    "model": SweepOut | SimulationOut | ResponseReplayOut | CategoryCountsOut,
    "description": "The replays take longer than a request, so a job makes them. Ask "
    "again when its run has ended.",
    "headers": {
        "Location": {
            "description": "The replays that the job makes.",
            "schema": {"type": "string"},
        }
    },
}
RESPONSES = {202: _LATER, **responses(404, 409)}


def sent(
    found: CheckedAnswer
    | SimulationOut
    | SweepOut
    | ResponseReplayOut
    | CategoryCountsOut,
) -> CheckedAnswer | JSONResponse:
    """Answer 200 with the check, or 202 with the job that makes its replays."""
    if isinstance(found, CheckedAnswer):
        return found
    return JSONResponse(
        found.model_dump(mode="json"),
        status_code=202,
        headers={"Location": _place(found)},
    )


def _place(
    job: SimulationOut | SweepOut | ResponseReplayOut | CategoryCountsOut,
) -> str:
    match job:
        case SweepOut():
            return f"/api/v1/sweeps/{job.id}"
        case CategoryCountsOut():
            return f"/api/v1/category-counts/{job.id}"
        case ResponseReplayOut():
            return f"/api/v1/response-replays/{job.id}"
        case _:
            return href_of(job.id)


def _endpoint(check: Check) -> Callable[..., Awaitable[CheckedAnswer | JSONResponse]]:
    async def endpoint(
        body: Any, request: Request, session: SessionDep, context: ContextDep
    ) -> CheckedAnswer | JSONResponse:
        return sent(await check.answer(Asking(request, session, context), body))

    endpoint.__annotations__["body"] = check.body
    endpoint.__doc__ = check.summary
    endpoint.__name__ = check.operation_id
    return endpoint


for _check in CHECKS:
    router.add_api_route(
        _check.path,
        _endpoint(_check),
        methods=["POST"],
        operation_id=_check.operation_id,
        response_model=_check.shows,
        responses=RESPONSES,
    )
