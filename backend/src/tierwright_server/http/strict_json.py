"""JSON bodies are read as RFC 8259 writes them, or refused with the place of the fault.

Python's reader takes `NaN`, `Infinity` and `1e999`, keeps the last of two equal keys, and
passes half of a surrogate pair on, which no UTF-8 answer can repeat. What would be read
otherwise than its author meant is refused here, once, for every endpoint.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tierwright_server.common.errors import BadInput, shown
from tierwright_server.common.schemas import ProblemDetail

_FAULTS_NAMED = 20
_HINT = "Correct the values listed under `errors` and send the request again."


@dataclass(frozen=True, slots=True)
class _Fault:
    """Stands in a body for what may not stand there."""

    value: str
    message: str


class _Repeated(dict[str, Any]):
    """An object of which one key came twice."""

    key = ""


def _constant(text: str) -> _Fault:
    return _Fault(text, "JSON has no such number")


def _number(text: str) -> float | _Fault:
    value = float(text)
    return value if math.isfinite(value) else _Fault(text, "is too large a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated = _Repeated(found)
    counts = Counter(key for key, _ in pairs)
    repeated.key = next(key for key, count in counts.items() if count > 1)
    return repeated


def faults_in(body: bytes) -> list[ProblemDetail]:
    """List what a body holds that JSON, or its reader, cannot keep as it is.

    A body that is no JSON has none: it is refused where it is read.
    """
    try:
        read = json.loads(
            body,
            parse_constant=_constant,
            parse_float=_number,
            object_pairs_hook=_object,
        )
    except (ValueError, RecursionError):
        return []
    found = []
    for fault in _walk(read):
        found.append(fault)
        if len(found) == _FAULTS_NAMED:
            break
    return found


def _walk(read: Any) -> Iterator[ProblemDetail]:
    left: list[tuple[str, Any]] = [("body", read)]
    while left:
        where, value = left.pop()
        if isinstance(value, _Fault):
            yield ProblemDetail(
                where=where, value=shown(value.value), message=value.message
            )
        elif isinstance(value, str):
            if not _is_text(value):
                yield ProblemDetail(
                    where=where,
                    value=shown(value),
                    message="holds half of a surrogate pair, which is not a character",
                )
        elif isinstance(value, list):
            left.extend((f"{where}.{at}", each) for at, each in enumerate(value))
        elif isinstance(value, dict):
            if isinstance(value, _Repeated):
                yield ProblemDetail(
                    where=where,
                    value=shown(value.key),
                    message="this key occurs twice",
                )
            for key, each in value.items():
                if _is_text(key):
                    left.append((f"{where}.{key}", each))
                else:
                    yield ProblemDetail(
                        where=where,
                        value=shown(key),
                        message="this key holds half of a surrogate pair",
                    )


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value)


class StrictJson:
    """ASGI layer that looks through JSON bodies before anything else reads them.

    Parameters
    ----------
    app : ASGIApp
        What reads the body next.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is strict JSON, and whatever is no JSON.

        Raises
        ------
        BadInput
            If the body holds a fault; the guard around renders it.
        """
        if scope["type"] != "http" or not _is_json(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        messages: list[Message] = []
        body = bytearray()
        while True:
            message = await receive()
            messages.append(message)
            body += message.get("body", b"")
            if message["type"] != "http.request" or not message.get("more_body"):
                break
        if faults := faults_in(bytes(body)):
            raise BadInput(
                f"{faults[0].where}: `{faults[0].value}` {faults[0].message}",
                hint=_HINT,
                errors=faults,
            )

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, again, send)


def _is_json(headers: Headers) -> bool:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")
