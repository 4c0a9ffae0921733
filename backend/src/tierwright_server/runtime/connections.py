"""Connections that a slow or greedy client cannot keep: a time for the head, and a number.

The body is timed where it is read (`guard`), and a connection between two requests by the HTTP
server itself.
"""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    HttpToolsProtocol,
    RequestResponseCycle,
)

from tierwright_server.common.errors import (
    MEDIA_TYPE,
    ServerError,
    Unavailable,
    problem_of,
)

IDLE_S = 30
"""Time between two requests of a connection: longer than the 5 s for which usual clients keep one, so that none
sends a request into a connection that is being closed. [s]"""


class _Full(Unavailable):
    """No further connection can be served."""

    title = "Too many connections"
    retry_after_s = 2


_BESIDE_BODY_BYTES = 65_536
"""Most bytes of a request beside its body: the head, and what frames the chunks of the body."""
_FRAME = 8
"""Bytes that a byte of a body may take where each is a chunk of its own."""


class _HeadTooLarge(ServerError):
    """A request has a head that nobody needs."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    name = "head-too-large"
    title = "The head of the request is too large"


def _last_answer(error: ServerError) -> bytes:
    """Make the whole answer to a connection that is closed; no application has seen it."""
    body = problem_of(error).model_dump_json().encode()
    lines = [
        f"HTTP/1.1 {error.status.value} {error.status.phrase}",
        f"Content-Type: {MEDIA_TYPE}",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    if error.retry_after_s is not None:
        lines.append(f"Retry-After: {error.retry_after_s}")
    return "\r\n".join((*lines, "", "")).encode() + body


class TimedProtocol(HttpToolsProtocol):
    """A connection of the HTTP server, with limits.

    Attributes
    ----------
    head_timeout_s : float
        Within it the whole head of a request must arrive: from the opening of a connection, or
        from the first byte after another request. [s]
    most : int
        Connections of this process; further ones are answered 503 and closed.
    """

    head_timeout_s = 10.0
    most = 1000

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._beside_body_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, or refuse the connection."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            full = _Full(
                "too many connections are open",
                hint="Close some, or try again in a moment.",
            )
            transport.write(_last_answer(full))
            transport.close()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once a request is being worked on; refuse one without an end."""
        self._beside_body_bytes += len(data)
        super().data_received(data)
        if self._beside_body_bytes > _BESIDE_BODY_BYTES:
            if not self.transport.is_closing():
                too_large = _HeadTooLarge(
                    f"address, headers and framing take more than {_BESIDE_BODY_BYTES} "
                    "bytes",
                    hint="Send fewer or shorter headers.",
                )
                self.transport.write(_last_answer(too_large))
                self.transport.close()
            return
        cycle: RequestResponseCycle | None = self.cycle  # None before any request
        if cycle is not None and not cycle.response_complete:
            self._stop_timer()
        elif self._head_timer is None and self.timeout_keep_alive_task is None:
            self._await_head()

    def on_body(self, body: bytes) -> None:
        """Leave out what the body takes."""
        self._beside_body_bytes -= _FRAME * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Count anew."""
        self._beside_body_bytes = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_timer()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(
            self.head_timeout_s, self.transport.close
        )

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
