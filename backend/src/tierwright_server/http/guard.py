"""What every request passes: Host, Origin, size and speed of the body, security headers.

Until there are accounts, the server trusts whoever reaches it. It listens on loopback
only; these checks keep other web sites, open in the same browser, from reaching it
through that browser (DNS rebinding, cross-site requests).
"""

import asyncio
import math
import re
from http import HTTPStatus
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tierwright.common.wording import counted
from tierwright_server.common.errors import Forbidden, ServerError, TooBusy, TooLarge
from tierwright_server.common.settings import Settings
from tierwright_server.http.problems import answer_of, body_hint, on_http, on_unexpected

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_STREAM = re.compile(r"/api/v1/.*/events")
_UPLOAD = re.compile(r"/api/v1/uploads/[^/]+")
_CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": _CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every answer. Styles may stand inline: the chart and component libraries set them."""


def _host_of(authority: str) -> str:
    """Return the host of `host:port`, without the port."""
    if authority.startswith("["):
        return authority.partition("]")[0].lower() + "]"
    return authority.partition(":")[0].lower()


class _Answer:
    """Passes an answer on, with the headers that every one has."""

    def __init__(self, scope: Scope, send: Send, *, head_only: bool) -> None:
        self._scope = scope
        self._send = send
        self._head_only = head_only
        self.started = False
        self.finished = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            if self._scope["path"].startswith("/api/"):
                headers.setdefault("Cache-Control", "no-store")
        elif self._head_only:
            if self.finished:
                return
            # A stream of events would go on as long as its run.
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)
        if message["type"] == "http.response.body":
            self.finished = not message.get("more_body", False)


class Guard:
    """Outermost ASGI layer.

    Parameters
    ----------
    app : ASGIApp
        The application.
    settings : Settings
        Hosts, origins and limits.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._at_once = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # HEAD is GET without the body, but for uploads, where tus gives it a meaning.
        head_only = scope["method"] == "HEAD" and not _UPLOAD.fullmatch(scope["path"])
        answer = _Answer(scope, send, head_only=head_only)
        if head_only:
            scope = {**scope, "method": "GET"}
        try:
            self._check(scope)
            await self._pass_on(scope, self._limit(scope, receive), answer.send)
        except ServerError as error:
            if answer.started:
                raise
            await _respond(answer_of(error), scope, answer.send)
        except HTTPException as error:
            if answer.started:
                raise
            await _respond(await on_http(Request(scope), error), scope, answer.send)
        except Exception as error:
            if answer.finished:
                # Answered and logged already; the framework raises it once more, and
                # the server would then close a sound connection.
                return
            if answer.started:
                raise
            response = await on_unexpected(Request(scope), error)
            await _respond(response, scope, answer.send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, but no more requests than can be answered soon."""
        if not scope["path"].startswith("/api/") or _STREAM.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        if self._at_once >= self._settings.max_requests_at_once:
            raise TooBusy(
                f"{counted(self._at_once, 'request is', 'requests are')} being answered",
                hint="Try again in a second; send only a few requests at once.",
            )
        self._at_once += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_once -= 1

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if _host_of(host) not in self._settings.allowed_hosts:
            raise Forbidden(
                f"Host: `{host[:100]}` is not a name of this server",
                hint=f"Use one of {', '.join(self._settings.allowed_hosts)}.",
            )
        if scope["method"] in _SAFE:
            return
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, host):
            raise Forbidden(
                f"Origin: `{origin[:100]}` may not change anything here",
                hint="Open the page from this server itself.",
            )
        if origin is None and headers.get("sec-fetch-site") == "cross-site":
            raise Forbidden("another site may not change anything here")

    def _is_own(self, origin: str, host: str) -> bool:
        if origin in self._settings.allowed_origins:
            return True
        parts = urlsplit(origin)
        return (
            parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
        )

    def _limit(self, scope: Scope, receive: Receive) -> Receive:
        """Take the body within its size, and each part of it within its time."""
        limit: float = self._settings.max_body_bytes
        if scope["method"] == "PATCH" and _UPLOAD.fullmatch(scope["path"]):
            limit = math.inf  # bounded by Upload-Length
        error = TooLarge(
            f"the body is larger than {limit} bytes",
            hint=body_hint(scope["path"]),
        )
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            raise error
        taken, whole = 0, False

        async def receive_limited() -> Message:
            nonlocal taken, whole
            if whole:  # what follows is the end of the connection, whenever it comes
                return await receive()
            message = await self._part(receive)
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > limit:
                # The one exception that lets FastAPI's reading of a body pass.
                raise HTTPException(error.status, error.detail)
            return message

        return receive_limited

    async def _part(self, receive: Receive) -> Message:
        try:
            async with asyncio.timeout(self._settings.body_timeout_s):
                return await receive()
        except TimeoutError:
            raise HTTPException(
                HTTPStatus.REQUEST_TIMEOUT,
                f"no part of the body arrived for {self._settings.body_timeout_s:g} s",
                headers={"Connection": "close"},
            ) from None


async def _respond(response: Response, scope: Scope, send: Send) -> None:
    async def nothing() -> Message:
        return {"type": "http.disconnect"}

    await response(scope, nothing, send)
