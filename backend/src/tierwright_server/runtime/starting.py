"""Answers while the application starts, so that nobody waits for a database that recovers."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from typing import Self

_RETRY_AFTER_S = 2
_LOOK_S = 0.1
_CLIENT_S = 0.5
"""How long a client may take to say what it wants, and to hear the answer. [s]"""
_MOST_HEAD_BYTES = 65_536

_PROBLEM = json.dumps(
    {
        "type": "urn:tierwright:problem:starting",
        "title": "Tierwright is starting",
        "status": 503,
        "detail": "Tierwright is starting; this takes longer after an unclean stop, when its "
        "database recovers first.",
        "hint": "Send the request again in a moment.",
        "errors": [],
    }
).encode()
_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="{_RETRY_AFTER_S}">
<meta name="color-scheme" content="light dark">
<title>Tierwright is starting</title>
<body style="font-family: system-ui, sans-serif; margin: 15vh auto; max-width: 30rem; padding: 0 1rem">
<h1>Tierwright is starting</h1>
<p>This page opens by itself in a moment.</p>
</body>
</html>
""".encode()


class Handover:
    """Passes the listening socket from `StartingAnswer` to processes, to one side at a time.

    A process that has started says so through `started`, and waits at `turn` until the
    supervisor answers no more: else one request could be answered by the application, and
    the next be told that it still starts. Later processes find the turn open.
    """

    def __init__(self) -> None:
        self._heard, self.started = os.pipe()
        self.turn, self._kept = os.pipe()

    @property
    def numbers(self) -> tuple[int, int]:
        """Open files that the processes inherit."""
        return self.started, self.turn

    def is_started(self) -> bool:
        """Whether a process has started; waits a short while for the first."""
        return bool(select.select([self._heard], [], [], _LOOK_S)[0])

    def open(self) -> None:
        """Let the processes answer; may be called twice."""
        if self._kept >= 0:
            os.close(self._kept)
            self._kept = -1

    def __enter__(self) -> Self:
        """Keep the pipes open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close them."""
        self.open()
        for number in (self._heard, *self.numbers):
            os.close(number)


def take_turn(started: int, turn: int) -> None:
    """In a process that has started: say so, and wait until nobody else answers."""
    with contextlib.suppress(OSError):  # nobody waits for it any more
        os.write(started, b".")
    os.read(turn, 1)
    os.close(started)
    os.close(turn)


class StartingAnswer:
    """Says 503 to everyone who connects, until `end`.

    Parameters
    ----------
    listener : socket
        The listening socket that is handed to the processes which answer later.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        """Begin to answer."""
        self._listener.setblocking(False)  # another may accept whom we saw coming
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End at the latest when the socket is closed."""
        self.end()

    def end(self) -> None:
        """Leave all further connections to others; may be called twice."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            readable, _, _ = select.select([self._listener], [], [], _LOOK_S)
            if not readable:
                continue
            with contextlib.suppress(OSError):
                client, _ = self._listener.accept()
                with client:
                    _refuse(client)


def _refuse(client: socket.socket) -> None:
    end_s = time.monotonic() + _CLIENT_S

    def received() -> bytes:
        # Of all it sends, not of each byte: one who drips would hold up the start.
        client.settimeout(max(end_s - time.monotonic(), 0.001))
        return client.recv(8192)

    client.settimeout(_CLIENT_S)
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _MOST_HEAD_BYTES:
        part = received()
        if not part:
            return
        head += part
    wants_page = b"text/html" in head.lower() and not head.startswith(b"POST")
    body = _PAGE if wants_page else _PROBLEM
    kind = "text/html; charset=utf-8" if wants_page else "application/problem+json"
    lines = (
        "HTTP/1.1 503 Service Unavailable",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        f"Retry-After: {_RETRY_AFTER_S}",
        "Cache-Control: no-store",
        "Connection: close",
    )
    answer = "\r\n".join(lines).encode() + b"\r\n\r\n"
    client.sendall(answer if head.startswith(b"HEAD ") else answer + body)
    client.shutdown(socket.SHUT_WR)
    # Closing with bytes unread would cut off the answer too.
    while received():
        pass
