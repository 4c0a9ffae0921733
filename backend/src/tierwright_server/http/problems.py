"""Answers to errors: the one place that renders them (RFC 9457)."""

import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import psycopg
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from tierwright.common.core_errors import CoreDefect, SimulatorError
from tierwright.common.errors import Defect, TierwrightError, defect_of
from tierwright_server.common.disk_space import database_lacks_room, is_full
from tierwright_server.common.errors import (
    MEDIA_TYPE,
    BadInput,
    NoSpace,
    ServerError,
    Unavailable,
    full,
    of_model,
    problem_of,
    shown,
    simulator_message,
)
from tierwright_server.common.schemas import Problem, ProblemDetail

log = structlog.get_logger(__name__)


def problem_response(
    problem: Problem, headers: Mapping[str, str] | None = None
) -> Response:
    """Render a problem."""
    return JSONResponse(
        problem.model_dump(mode="json"),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=dict(headers) if headers else None,
    )


def answer_of(error: ServerError) -> Response:
    """Render an error, with the time after which to ask again."""
    after = error.retry_after_s
    headers = None if after is None else {"Retry-After": str(after)}
    return problem_response(problem_of(error), headers)


async def _on_server_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServerError)
    if isinstance(error, NoSpace):
        return await _no_space(request, error)
    return answer_of(error)


async def _no_space(request: Request, error: NoSpace) -> Response:
    """Answer that there is no room, and name what takes most of it."""
    from tierwright_server.storage import quota

    context = request.app.state.context
    hint = await quota.with_largest(context.sessions, context.settings, error.hint)
    return problem_response(problem_of(NoSpace(error.detail, hint=hint)))


async def _on_os_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    if is_full(error):
        log.error("disk full", error=repr(error))
        return await _no_space(request, full())
    return _unexpected(error)


def _place(parts: Sequence[str | int]) -> str:
    """Return the place of a value in a request; which of several shapes was tried there is no part of it."""
    return ".".join(str(part) for part in parts if "[" not in str(part))


async def _on_validation(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = []
    for fault in error.errors():
        where = _place(fault["loc"])
        message = str(fault["msg"]).removeprefix("Value error, ")
        value = None if fault["type"] == "missing" else shown(fault.get("input"))
        faults.append(ProblemDetail(where=where, value=value, message=message))
    first = faults[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return problem_response(
        Problem(
            type="urn:tierwright:problem:bad-input",
            title="A value cannot be used",
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
            detail=f"{first.where}: {first.message}{more}",
            hint="Correct the values listed under `errors` and send the request again.",
            errors=faults,
        )
    )


async def _on_model_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, TierwrightError)
    return problem_response(problem_of(of_model(error)))


async def _on_simulator_error(_: Request, error: Exception) -> Response:
    message, hint = simulator_message(error)
    return problem_response(problem_of(BadInput(message, hint=hint)))


_HTTP_HINTS = {
    400: "Send one JSON object, without deep nesting and without numbers of thousands "
    "of digits.",
    404: "List the addresses of this server: /api/v1/openapi.json.",
    405: "See /api/v1/openapi.json for the methods of this path.",
}


def body_hint(path: str) -> str:
    """Say what to do about a body that is too large for a path."""
    part = path.removeprefix("/api/v1/").partition("/")[0]
    return _BODY_HINTS.get(part, "Request less at once: fewer or shorter lists.")


_BODY_HINTS = {
    "formulas": "Give shorter lists or a shorter trace; the command `tierwright simulate` and "
    "the Simulate page take whole traces.",
    "uploads": "Traces are uploaded with tus at /api/v1/uploads.",
    "workloads": "Give the curve at fewer sizes; whole traces are uploaded with tus at "
    "/api/v1/uploads.",
    "scenarios": "Save a smaller state.",
}


async def on_http(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses, or the guard's limit of a body."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    detail = str(error.detail)
    if detail == status.phrase:
        detail = f"{status.phrase}: {request.method} {request.url.path}"
    return problem_response(
        Problem(
            type="about:blank",
            title=status.phrase,
            status=status,
            detail=detail,
            hint=body_hint(request.url.path)
            if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            else _HTTP_HINTS.get(status),
        ),
        error.headers,
    )


async def on_database_down(request: Request, error: Exception) -> Response:
    if database_lacks_room(error, request.app.state.settings.data_dir):
        log.error("disk full", error=repr(error))
        return await _no_space(request, full())
    if isinstance(error, DBAPIError) and not (
        isinstance(error, OperationalError) or error.connection_invalidated
    ):
        return _unexpected(error)
    log.error("database unreachable", error=repr(error))
    return problem_response(
        problem_of(
            Unavailable(
                "the database does not answer",
                hint="Wait a moment and try again; if this persists, restart "
                "Tierwright.",
            )
        )
    )


def _unexpected(error: Exception) -> Response:
    instance = secrets.token_hex(8)
    log.error("unexpected error", instance=instance, exc_info=error)
    detail = "The server encountered an unexpected error."
    if isinstance(error, CoreDefect | Defect):
        detail = f"{defect_of(error)[0]}."
    return problem_response(
        Problem(
            type="urn:tierwright:problem:internal",
            title="An internal error of Tierwright",
            status=HTTPStatus.INTERNAL_SERVER_ERROR,
            detail=f"{detail} This is a bug in Tierwright, not a fault of the request.",
            hint=f"Report it with the server's log lines around `{instance}`.",
            instance=instance,
        )
    )


async def _on_too_little_memory(_: Request, error: Exception) -> Response:
    log.error("out of memory", error=repr(error))
    return answer_of(
        Unavailable(
            "this answer needs more memory than a process of the server may use",
            hint="Request fewer sizes or a shorter list, or give the server more "
            "memory with TIERWRIGHT_SERVER_MEMORY_BYTES.",
        )
    )


async def on_unexpected(_: Request, error: Exception) -> Response:
    """Answer an error that nobody foresaw: an id, and nothing from inside."""
    return _unexpected(error)


def install(app: FastAPI) -> None:
    """Let every error of the app leave as problem+json."""
    app.add_exception_handler(ServerError, _on_server_error)
    app.add_exception_handler(RequestValidationError, _on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(TierwrightError, _on_model_error)
    app.add_exception_handler(SimulatorError, _on_simulator_error)
    app.add_exception_handler(CoreDefect, on_unexpected)
    app.add_exception_handler(Defect, on_unexpected)
    app.add_exception_handler(DBAPIError, on_database_down)
    app.add_exception_handler(PoolTimeout, on_database_down)
    app.add_exception_handler(psycopg.OperationalError, on_database_down)
    app.add_exception_handler(MemoryError, _on_too_little_memory)
    app.add_exception_handler(OSError, _on_os_error)
    app.add_exception_handler(Exception, on_unexpected)


_TEXTS = {
    400: "The request cannot be read.",
    403: "The request comes from another site.",
    404: "What the request names does not exist.",
    406: "The answer is not available in the requested media type.",
    408: "The request did not arrive in time.",
    409: "The request conflicts with the current state.",
    412: "It was changed after it was read, or the protocol version is not supported.",
    413: "The body is too large.",
    415: "The media type of the body is not supported.",
    422: "A value cannot be used.",
    423: "Another request is writing.",
    429: "Too many requests at once.",
    502: "Another server gave an unexpected answer.",
    503: "The database does not answer.",
    504: "It took too long.",
    507: "Not enough free disk space.",
}


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare the problems that a route may answer."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": _TEXTS[status],
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in (400, 403, 408, 413, 422, 429, 503, *statuses)
    }
