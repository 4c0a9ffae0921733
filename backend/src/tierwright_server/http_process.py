"""One of the processes that answer HTTP, all on the socket of the supervisor.

Run as ``python -m tierwright_server.http_process FILE_NUMBER`` by the supervisor, which
watches it. Logs go to stderr, requests to stdout.
"""

import contextlib
import logging
import resource
import socket
import sys

import uvicorn

from tierwright_server.app import create_app
from tierwright_server.connections import TimedProtocol
from tierwright_server.logs import configure_logs
from tierwright_server.settings import Settings

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


def _limit_memory(most_bytes: int) -> None:
    """Let what asks for more fail by itself, instead of taking the machine along."""
    with contextlib.suppress(OSError, ValueError):  # a stricter limit is set already
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))


def main() -> None:
    """Answer until told to stop."""
    listener = socket.socket(fileno=int(sys.argv[1]))
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
        create_app(settings),
        http=Protocol,
        log_config=None,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=REQUESTS_STOP_S,
        backlog=1,
    )
    _Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
