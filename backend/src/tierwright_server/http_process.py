"""One of the processes that answer HTTP, all on the socket of the supervisor.

Run as ``python -m tierwright_server.http_process LISTENER STARTED TURN``, numbers of open
files, by the supervisor, which watches it. Logs go to stderr, requests to stdout.
"""

import asyncio
import contextlib
import gc
import logging
import resource
import socket
import sys

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tierwright_server.app import create_app
from tierwright_server.common.logs import configure_logs
from tierwright_server.common.settings import Settings
from tierwright_server.runtime.connections import IDLE_S, TimedProtocol
from tierwright_server.runtime.starting import take_turn

REQUESTS_STOP_S = 3
"""How long requests may take to end once we are asked to stop. [s]"""
_BACKLOG = 2048


class _Server(uvicorn.Server):
    """Takes one connection at a time, so that an idle process gets the next one."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; a loop would take as many connections at once as may wait."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(_BACKLOG)


class _InTurn:
    """The application, started only when nobody else answers on its socket any more."""

    def __init__(self, application: ASGIApp, started: int, turn: int) -> None:
        self._application = application
        self._started = started
        self._turn = turn

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; the end of the start waits for the turn."""
        if scope["type"] != "lifespan":
            await self._application(scope, receive, send)
            return

        async def send_in_turn(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                await asyncio.to_thread(take_turn, self._started, self._turn)
                _keep_what_is_loaded()
            await send(message)

        await self._application(scope, receive, send_in_turn)


def _keep_what_is_loaded() -> None:
    """Leave modules and tables out of the collections of garbage, and collect more rarely.

    A request makes thousands of objects and hardly a cycle; a full collection would walk
    through a million objects that stay as long as the process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def _limit_memory(most_bytes: int) -> None:
    """Let what asks for more fail by itself, instead of taking the machine along."""
    with contextlib.suppress(OSError, ValueError):  # a stricter limit is set already
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))


def main() -> None:
    """Answer until told to stop."""
    listening, started, turn = map(int, sys.argv[1:])
    listener = socket.socket(fileno=listening)
    configure_logs()
    requests = logging.getLogger("uvicorn.access")
    requests.handlers[:] = [logging.StreamHandler(sys.stdout)]
    requests.propagate = False
    settings = Settings()

    class Protocol(TimedProtocol):
        head_timeout_s = settings.head_timeout_s
        most = settings.max_connections

    _limit_memory(settings.server_memory_bytes)
    config = uvicorn.Config(
        _InTurn(create_app(settings), started, turn),
        http=Protocol,
        loop="uvloop",
        log_config=None,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=REQUESTS_STOP_S,
        backlog=1,
    )
    _Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
