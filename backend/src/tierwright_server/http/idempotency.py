"""Requests that are sent twice make one thing: `Idempotency-Key` and the answer kept with it.

Follows draft-ietf-httpapi-idempotency-key-header. A key counts for a day, over the whole
installation. Only answers of success are kept: a request that was refused has made nothing,
and may be sent again, corrected, under its key.
"""

import asyncio
import contextlib
import hashlib
import json
import re
import zlib
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from tierwright_server.common.errors import BadInput, Conflict, Unprocessable
from tierwright_server.http.problems import on_database_down, responses
from tierwright_server.storage.tables import IdempotencyKey, now

NAME = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
LONGEST_KEY = 255
KEPT_FOR = timedelta(days=1)
MOST_KEPT_BYTES = 64 * 2**20
"""Of all answers that are kept; the oldest go first."""

_LETTERS = rf"[!#-~]{{1,{LONGEST_KEY}}}"
_STATED = re.compile(rf'("?)({_LETTERS})\1')
"""With or without the quotes of a structured field."""
_MAKING = frozenset({201, 202})
_SAID_IN = ("content-type", "upload-length", "upload-metadata")
"""Headers that are part of what is asked for."""
_AT_ONCE = 4
"""Requests with a key that one process carries out at once: each holds a connection."""
_AFTER_S = 1


class KeyInUse(Conflict):
    """A request with the same key is being carried out."""

    name = "idempotency-key-in-use"
    title = "A request with this key is still being processed"
    retry_after_s = _AFTER_S


class KeyReused(Unprocessable):
    """The key was sent with another request before."""

    name = "idempotency-key-reused"
    title = "The key belongs to another request"


class Idempotency:
    """ASGI layer that answers a request with a known key as it was answered before.

    Parameters
    ----------
    app : FastAPI
        What makes things; its context has the database.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what has no key, or nothing to make."""
        stated = (
            Headers(scope=scope).get(NAME)
            if scope["type"] == "http" and scope["method"] == "POST"
            else None
        )
        if stated is None:
            await self._app(scope, receive, send)
            return
        key = _key_of(stated)
        messages, fingerprint = await _read(scope, receive)

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        try:
            async with self._places, self._held(key) as connection:
                kept = await _find(connection, key, fingerprint)
                if kept is None:
                    kept = await self._carry_out(scope, again)
                    if kept["makes"]:
                        await _keep(connection, key, fingerprint, kept)
                else:
                    kept["headers"].append([REPLAYED.lower(), "true"])
        except (DBAPIError, PoolTimeout) as error:
            request = Request({**scope, "app": self._app})
            response = await on_database_down(request, error)
            await response(scope, receive, send)
            return
        await _send(kept, send)

    @contextlib.asynccontextmanager
    async def _held(self, key: str) -> AsyncIterator[AsyncConnection]:
        """Hold a key; a process that dies gives it back with its connection.

        Raises
        ------
        KeyInUse
            Another request holds it.
        """
        engine: AsyncEngine = self._app.state.context.engine
        lock = {"key": f"idempotency:{key}"}
        async with engine.connect() as plain:
            connection = await plain.execution_options(isolation_level="AUTOCOMMIT")
            if not await connection.scalar(
                text("SELECT pg_try_advisory_lock(hashtextextended(:key, 0))"), lock
            ):
                raise KeyInUse(
                    f"{NAME} `{key}` belongs to a request that is still being "
                    "processed",
                    hint="Wait for its answer, or try again in a second.",
                )
            try:
                yield connection
            finally:
                await connection.execute(
                    text("SELECT pg_advisory_unlock(hashtextextended(:key, 0))"), lock
                )

    async def _carry_out(self, scope: Scope, receive: Receive) -> dict[str, Any]:
        """Let the application answer, in a form that suits whoever asks again."""
        plain = {
            **scope,
            "headers": [
                pair for pair in scope["headers"] if pair[0] != b"accept-encoding"
            ],
        }
        answer: dict[str, Any] = {"status": 500, "headers": [], "body": b""}

        async def collect(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer["status"] = message["status"]
                answer["headers"] = [
                    [name.decode("latin-1"), value.decode("latin-1")]
                    for name, value in message.get("headers", [])
                ]
            elif message["type"] == "http.response.body":
                answer["body"] += message.get("body", b"")

        await self._app(plain, receive, collect)
        route = plain.get("route")
        answer["makes"] = (
            isinstance(route, APIRoute)
            and route.status_code in _MAKING
            and HTTPStatus.OK <= answer["status"] < HTTPStatus.MULTIPLE_CHOICES
        )
        return answer


def _key_of(stated: str) -> str:
    found = _STATED.fullmatch(stated)
    if found is None:
        raise BadInput.at(
            f"header.{NAME}",
            stated,
            f"must have 1 to {LONGEST_KEY} visible ASCII characters, and no quote among them",
            hint="Use a random UUID for each new object.",
        )
    return found[2]


async def _read(scope: Scope, receive: Receive) -> tuple[list[Message], str]:
    """Read the body, and return what was read and what tells one request from another."""
    headers = Headers(scope=scope)
    said = [scope["path"], scope["query_string"].decode("latin-1")]
    said += [headers.get(name, "") for name in _SAID_IN]
    digest = hashlib.sha256(json.dumps(said).encode())
    messages: list[Message] = []
    while True:
        message = await receive()
        messages.append(message)
        digest.update(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return messages, digest.hexdigest()


async def _find(
    connection: AsyncConnection, key: str, fingerprint: str
) -> dict[str, Any] | None:
    """Return the answer that a key was given.

    Raises
    ------
    KeyReused
        The key was sent with another request.
    """
    query = select(IdempotencyKey.fingerprint, IdempotencyKey.answer).where(
        IdempotencyKey.key == key, IdempotencyKey.created_at > now() - KEPT_FOR
    )
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return None
    if row.fingerprint != fingerprint:
        raise KeyReused(
            f"{NAME} `{key}` was sent with another request in the last 24 hours",
            hint="Use a new key for each new object.",
        )
    head, _, body = zlib.decompress(row.answer).partition(b"\n")
    return {**json.loads(head), "body": body}


async def _keep(
    connection: AsyncConnection,
    key: str,
    fingerprint: str,
    answer: Mapping[str, Any],
) -> None:
    head = json.dumps({name: answer[name] for name in ("status", "headers")})
    values = {
        "fingerprint": fingerprint,
        "answer": zlib.compress(head.encode() + b"\n" + answer["body"]),
        "created_at": now(),
    }
    await connection.execute(
        insert(IdempotencyKey)
        .values(key=key, **values)
        .on_conflict_do_update(index_elements=["key"], set_=values)
    )


async def _send(answer: Mapping[str, Any], send: Send) -> None:
    headers = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in answer["headers"]
    ]
    await send(
        {
            "type": "http.response.start",
            "status": answer["status"],
            "headers": headers,
        }
    )
    await send({"type": "http.response.body", "body": answer["body"]})


async def prune(session: AsyncSession) -> None:
    """Forget keys after their time, and the oldest beyond the room for their answers."""
    await session.execute(
        delete(IdempotencyKey).where(IdempotencyKey.created_at <= now() - KEPT_FOR)
    )
    newer = func.sum(func.length(IdempotencyKey.answer)).over(
        order_by=IdempotencyKey.created_at.desc()
    )
    sizes = select(IdempotencyKey.key, newer.label("bytes")).subquery()
    await session.execute(
        delete(IdempotencyKey).where(
            IdempotencyKey.key.in_(
                select(sizes.c.key).where(sizes.c.bytes > MOST_KEPT_BYTES)
            )
        )
    )


def makes_something(operation: Mapping[str, Any]) -> bool:
    """Whether an operation of the API document makes something each time it succeeds."""
    answers = operation["responses"].keys()
    return "200" not in answers and bool({"201", "202"} & answers)


def describe(document: dict[str, Any]) -> None:
    """Add the header to every POST of the API document that makes something."""
    parameter = {
        "name": NAME,
        "in": "header",
        "required": False,
        "description": "Chosen by the client, a new one for each new object. The same "
        "request with the same key within 24 hours creates nothing: it "
        f"gets the first answer again, with `{REPLAYED}: true`. 422 if "
        "the key was sent with another request, 409 while the first "
        "request is being processed.",
        "schema": {"type": "string", "pattern": f"^{_LETTERS}$"},
    }
    conflict = {str(status): answer for status, answer in responses(409).items()}["409"]
    for methods in document["paths"].values():
        operation = methods.get("post")
        if operation is None or not makes_something(operation):
            continue
        operation.setdefault("parameters", []).append(parameter)
        operation["responses"].setdefault("409", conflict)
        for status in {"201", "202"} & operation["responses"].keys():
            operation["responses"][status].setdefault("headers", {})[REPLAYED] = {
                "description": "`true`: the answer of an earlier request with the same key.",
                "schema": {"type": "string", "enum": ["true"]},
            }
