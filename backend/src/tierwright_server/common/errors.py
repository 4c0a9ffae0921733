"""Errors of the server, which `problems` renders; jobs import them without a web framework."""

import math
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from tierwright.common.errors import TierwrightError
from tierwright_server.common.schemas import Problem, ProblemDetail

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
    """The request conflicts with the current state."""

    status = HTTPStatus.CONFLICT
    name = "conflict"
    title = "The request conflicts with the current state"


class PreconditionFailed(ServerError):
    """The change starts from a state that is no longer the present one."""

    status = HTTPStatus.PRECONDITION_FAILED
    name = "changed-meanwhile"
    title = "It has been changed in the meantime"


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
    """Another server that this needs gave an unexpected answer."""

    status = HTTPStatus.BAD_GATEWAY
    name = "bad-gateway"
    title = "Another server gave an unexpected answer"


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


def full() -> NoSpace:
    """Make the answer where the disk of the data folder is full."""
    return NoSpace(
        "the disk of the data folder is full",
        hint="Free some space on it; Tierwright then continues by itself.",
    )


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


def simulator_message(error: Exception) -> tuple[str, str | None]:
    """Return message and hint of an error of the core."""
    message, *rest = error.args
    return str(message), str(rest[0]) if rest and rest[0] else None
