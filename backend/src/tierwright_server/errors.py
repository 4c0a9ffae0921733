"""Errors of the server and the one place that renders them (RFC 9457)."""

import errno
import math
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from tierwright._simulator import CoreDefect, SimulatorError
from tierwright.errors import Defect, TierwrightError, defect_of
from tierwright_server.schemas import Problem, ProblemDetail

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
_SHOWN_CHARACTERS = 200


class ServerError(Exception):
    """An error that the user can act on.

    Parameters
    ----------
    detail : str
        What is wrong, naming place and value.
    hint : str, optional
        What to do next.
    errors : sequence of ProblemDetail
        Every single fault found.
    """

    status = HTTPStatus.BAD_REQUEST
    name = "bad-request"
    title = "The request cannot be carried out"
    retry_after_s: int | None = None

    def __init__(
        self,
        detail: str,
        *,
        hint: str | None = None,
        errors: Sequence[ProblemDetail] = (),
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
        self.errors = list(errors)


class Unprocessable(ServerError):
    """What the request names cannot be worked with."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY


class BadInput(Unprocessable):
    """A value in the request is wrong."""

    name = "bad-input"
    title = "A value cannot be used"

    @classmethod
    def at(
        cls, where: str, value: Any, message: str, hint: str | None = None
    ) -> "BadInput":
        """Make the error of one faulty value."""
        fault = ProblemDetail(where=where, value=shown(value), message=message)
        return cls(f"{where}: {message}", hint=hint, errors=[fault])


class NotFound(ServerError):
    """What the request names does not exist."""

    status = HTTPStatus.NOT_FOUND
    name = "not-found"
    title = "Not found"


class Conflict(ServerError):
    """The request does not fit the present state."""

    status = HTTPStatus.CONFLICT
    name = "conflict"
    title = "The request does not fit the present state"


class PreconditionFailed(ServerError):
    """The change starts from a state that is no longer the present one."""

    status = HTTPStatus.PRECONDITION_FAILED
    name = "changed-meanwhile"
    title = "It was changed meanwhile"


class NotReady(Conflict):
    """What the request needs is still being made, or failed."""

    name = "not-ready"
    title = "Not ready"


class NotComputed(NotReady):
    """What a job of the present models would have to compute first.

    Attributes
    ----------
    asks : list of str
        The requests of a scenario that lack it, where it was asked for by one.
    """

    asks: tuple[str, ...] = ()


class NeedsTrace(Conflict):
    """The workload came without its trace, and this needs one."""

    name = "needs-trace"
    title = "This needs the trace"


class TooLarge(ServerError):
    """The body is larger than allowed."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    name = "too-large"
    title = "Too large"


class Forbidden(ServerError):
    """The request comes from a place that may not send it."""

    status = HTTPStatus.FORBIDDEN
    name = "forbidden"
    title = "Refused"


class NoSpace(ServerError):
    """The disk has no room for this."""

    status = HTTPStatus.INSUFFICIENT_STORAGE
    name = "no-space"
    title = "Not enough free disk space"


class TimedOut(ServerError):
    """It took too long."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    name = "timed-out"
    title = "It took too long"


class TooBusy(ServerError):
    """Other requests must be answered first."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    name = "too-busy"
    title = "Too many requests at once"
    retry_after_s = 1


class BadGateway(ServerError):
    """Another machine that this needs does not answer as it should."""

    status = HTTPStatus.BAD_GATEWAY
    name = "bad-gateway"
    title = "Another machine does not answer as it should"


class Unavailable(ServerError):
    """A part of the application is down."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    name = "unavailable"
    title = "A part of the application does not answer"
    retry_after_s = 2


def shown(value: Any) -> Any:
    """Return the value as it may be put into an answer: short, and valid JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) > _SHOWN_CHARACTERS:
        return text[:_SHOWN_CHARACTERS] + "…"
    return text


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


def problem_of(error: ServerError) -> Problem:
    """Make the answer of an error."""
    return Problem(
        type=f"urn:tierwright:problem:{error.name}",
        title=error.title,
        status=int(error.status),
        detail=error.detail,
        hint=error.hint,
        errors=error.errors,
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
    from tierwright_server.uploads import quota

    context = request.app.state.context
    hint = error.hint or ""
    try:
        async with context.sessions() as session:
            found = await quota.storage(session, context.settings)
        named = quota.what_to_delete(found.largest)
        hint = hint if named in hint else f"{hint} {named}.".strip()
    except (DBAPIError, PoolTimeout, OSError) as further:
        log.warning("what is largest is not known", error=repr(further))
    return problem_response(problem_of(NoSpace(error.detail, hint=hint or None)))


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SQL_DISK_FULL = "53100"
_NEARLY_FULL_BYTES = 32 * 2**20
"""Less than PostgreSQL writes before it answers at all: two segments of its log."""


def disk_is_full(data_dir: Path) -> bool:
    """Say whether a database that fails does so for want of room."""
    try:
        return shutil.disk_usage(data_dir).free < _NEARLY_FULL_BYTES
    except OSError:
        return False


def full() -> NoSpace:
    """Make the answer where the disk of the data folder is full."""
    return NoSpace(
        "the disk of the data folder is full",
        hint="Free some space on it; Tierwright goes on by itself.",
    )


async def _on_os_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    if error.errno in _FULL:
        log.error("disk full", error=repr(error))
        return await _no_space(request, full())
    return _unexpected(error)


async def _on_validation(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = []
    for fault in error.errors():
        where = ".".join(str(part) for part in fault["loc"])
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


def of_model(
    error: TierwrightError, field: Callable[[str], str] = lambda where: where
) -> BadInput:
    """Return an error of the models as one of the server.

    Parameters
    ----------
    error : TierwrightError
        With its `problems`, if it names any.
    field : callable
        Place of a value in the request, by the models' name for it.
    """
    faults = [
        ProblemDetail(
            where=field(fault.where), value=shown(fault.value), message=fault.message
        )
        for fault in getattr(error, "problems", ())
    ]
    return BadInput(error.message, hint=error.hint or None, errors=faults)


async def _on_simulator_error(_: Request, error: Exception) -> Response:
    message, hint = simulator_message(error)
    return problem_response(problem_of(BadInput(message, hint=hint)))


def simulator_message(error: Exception) -> tuple[str, str | None]:
    """Return message and hint of an error of the core."""
    message, *rest = error.args
    return str(message), str(rest[0]) if rest and rest[0] else None


_HTTP_HINTS = {
    400: "Send one JSON object, with nothing nested in hundreds and no number of thousands "
    "of digits.",
    404: "GET /api/v1 lists the addresses of this server.",
    405: "See /api/v1/openapi.json for the methods of this path.",
}


def body_hint(path: str) -> str:
    """Say what to do about a body that is too large for a path."""
    part = path.removeprefix("/api/v1/").partition("/")[0]
    return _BODY_HINTS.get(part, "Ask for less in one request: fewer or shorter lists.")


_BODY_HINTS = {
    "formulas": "Give shorter lists or a shorter trace; the command `tierwright simulate` and "
    "the page Simulate take whole traces.",
    "uploads": "Traces are uploaded with tus at /api/v1/uploads.",
    "workloads": "Give the curve at fewer sizes; whole traces are uploaded with tus at "
    "/api/v1/uploads.",
    "scenarios": "Keep a smaller state.",
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
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    if code == _SQL_DISK_FULL or disk_is_full(request.app.state.settings.data_dir):
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
                hint="Wait a moment and try again; if it stays so, restart Tierwright.",
            )
        )
    )


def _unexpected(error: Exception) -> Response:
    instance = secrets.token_hex(8)
    log.error("unexpected error", instance=instance, exc_info=error)
    detail = "The server met an error that it does not know how to handle."
    if isinstance(error, CoreDefect | Defect):
        detail = f"{defect_of(error)[0]}."
    return problem_response(
        Problem(
            type="urn:tierwright:problem:internal",
            title="An error of Tierwright itself",
            status=HTTPStatus.INTERNAL_SERVER_ERROR,
            detail=f"{detail} This is a defect of Tierwright, not of the request.",
            hint=f"Report it with the server's log lines around `{instance}`.",
            instance=instance,
        )
    )


async def _on_too_little_memory(_: Request, error: Exception) -> Response:
    log.error("out of memory", error=repr(error))
    return answer_of(
        Unavailable(
            "this answer needs more memory than a process of the server may take",
            hint="Ask for fewer sizes or a shorter list; or give the server more, with "
            "TIERWRIGHT_SERVER_MEMORY_BYTES.",
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
    app.add_exception_handler(MemoryError, _on_too_little_memory)
    app.add_exception_handler(OSError, _on_os_error)
    app.add_exception_handler(Exception, on_unexpected)


_TEXTS = {
    400: "The request cannot be read.",
    403: "The request comes from another site.",
    404: "What the request names does not exist.",
    406: "The answer does not come in the media type asked for.",
    408: "The request did not arrive in time.",
    409: "The request does not fit the present state.",
    412: "It was changed after it was read, or the protocol has another version.",
    413: "The body is too large.",
    415: "The body has another media type.",
    422: "A value cannot be used.",
    423: "Another request is writing.",
    429: "Too many requests at once.",
    502: "Another machine does not answer as it should.",
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
