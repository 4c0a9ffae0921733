"""Slow and greedy clients lose their connection; the others do not notice."""

import asyncio
import contextlib
import socket
import threading
import time

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse

from tierwright_server.common.settings import Settings
from tierwright_server.http.guard import Guard
from tierwright_server.runtime.connections import TimedProtocol

HEAD_S = BODY_S = 1.5
MOST_CONNECTIONS = 6
MOST_AT_ONCE = 3
PATIENCE_S = 120


class Protocol(TimedProtocol):
    head_timeout_s = HEAD_S
    most = MOST_CONNECTIONS


class Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):
        yield


class Gate:
    """An application that answers once it may."""

    def __init__(self):
        self.open = threading.Event()
        self.open.set()
        self.inside = 0

    async def __call__(self, scope, receive, send):
        body = await Request(scope, receive).body()
        self.inside += 1
        await asyncio.to_thread(self.open.wait, PATIENCE_S)
        self.inside -= 1
        await JSONResponse({"bytes": len(body)})(scope, receive, send)


class PatientProtocol(Protocol):
    head_timeout_s = PATIENCE_S


@pytest.fixture
def served():
    with serving(Protocol, BODY_S) as found:
        yield found


@pytest.fixture
def patient():
    """One that closes no connection for want of time."""
    with serving(PatientProtocol, PATIENCE_S) as found:
        yield found


@contextlib.contextmanager
def serving(protocol, body_s):
    gate = Gate()
    listener = socket.create_server(("127.0.0.1", 0))
    settings = Settings(body_timeout_s=body_s, max_requests_at_once=MOST_AT_ONCE)
    config = uvicorn.Config(
        Guard(gate, settings), http=protocol, log_config=None, lifespan="off"
    )
    server = Server(config)
    thread = threading.Thread(
        target=lambda: asyncio.run(server.serve(sockets=[listener]))
    )
    thread.start()
    yield gate, listener.getsockname()
    gate.open.set()
    server.should_exit = True
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def until_closed(connection):
    """Everything that comes before the server closes the connection."""
    connection.settimeout(PATIENCE_S)
    parts = []
    while part := connection.recv(4096):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    "head", [b"", b"GET /api/v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "]
)
def test_a_connection_without_a_whole_head_is_closed(served, head):
    _, address = served
    with socket.create_connection(address) as connection:
        connection.sendall(head)
        assert until_closed(connection) == b""


def drip(connection):
    """Send one more line of a head, ten times a second."""
    for _ in range(int(PATIENCE_S / 0.1)):
        connection.sendall(b"X: y\r\n")
        time.sleep(0.1)


def test_dripping_does_not_prolong_the_head(served):
    _, address = served
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /api/v1/x HTTP/1.1\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            drip(connection)


CHUNKED = (
    b"POST /api/v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
)


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        (b"GET /api/v1/", b"x" * 1000),
        (b"GET /api/v1/x HTTP/1.1\r\nX: ", b"y" * 1000),
        (b"GET /api/v1/x HTTP/1.1\r\n", b"X: y\r\n" * 200),
        (CHUNKED + b"1;", b"x" * 1000),
        (CHUNKED + b"1\r\nx\r\n0\r\nX: ", b"y" * 1000),
        (CHUNKED + b"1\r\nx\r\n0\r\n", b"X: y\r\n" * 200),
    ],
    ids=["address", "header", "headers", "chunk", "trailer", "trailers"],
)
def test_what_a_request_says_beside_its_body_is_limited(patient, begun, more):
    _, address = patient
    sent = 0
    said = b""
    with socket.create_connection(address) as connection:
        connection.settimeout(0.001)
        with contextlib.suppress(ConnectionError):
            connection.sendall(begun)
            while sent < 2**20 and not said:
                connection.sendall(more)
                sent += len(more)
                with contextlib.suppress(TimeoutError):
                    said = connection.recv(4096)
    assert 60_000 < sent < 2**20


def test_a_head_too_large_is_refused_in_words(served):
    _, address = served
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /api/v1/x HTTP/1.1\r\nX: " + b"y" * 65_536)
        said = until_closed(connection)
    assert said.startswith(b"HTTP/1.1 431")
    assert b"application/problem+json" in said
    assert b"Send fewer or shorter headers" in said


def test_a_body_in_the_smallest_chunks_is_read(served):
    _, address = served
    once = CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with socket.create_connection(address) as connection:
        connection.sendall(once + b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n")
        said = until_closed(connection)
    assert said.startswith(b"HTTP/1.1 200")
    assert said.endswith(b'{"bytes":50000}')


def test_a_body_that_stops_is_answered_408(served):
    _, address = served
    with socket.create_connection(address) as connection:
        connection.sendall(
            b"POST /api/v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf"
        )
        said = until_closed(connection)
    assert said.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in said
    assert b"no part of the body arrived for 1.5 s" in said


def test_a_body_that_comes_slowly_but_steadily_is_read(served):
    _, address = served
    with socket.create_connection(address) as connection:
        connection.sendall(
            b"POST /api/v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
        )
        for _ in range(9):  # longer in all than one part may take
            connection.sendall(b"x")
            time.sleep(BODY_S / 6)
        connection.settimeout(PATIENCE_S)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_connection_may_rest_between_requests(served):
    _, (host, port) = served
    with httpx.Client(base_url=f"http://{host}:{port}") as client:
        for _ in range(3):
            assert client.post("/api/v1/x", content=b"abc").json() == {"bytes": 3}
            time.sleep(HEAD_S * 1.5)


def test_one_connection_too_many_is_refused_in_words(served):
    _, address = served
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            stack.enter_context(socket.create_connection(address))
        said = until_closed(stack.enter_context(socket.create_connection(address)))
    assert said.startswith(b"HTTP/1.1 503")
    assert b"Retry-After: 2" in said
    head, _, body = said.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head


def test_one_request_too_many_is_answered_429_and_the_others_are_answered(served):
    gate, (host, port) = served
    gate.open.clear()
    answers = []

    def ask():
        answers.append(httpx.get(f"http://{host}:{port}/api/v1/x", timeout=PATIENCE_S))

    waiting = [threading.Thread(target=ask) for _ in range(MOST_AT_ONCE)]
    for each in waiting:
        each.start()
    deadline = time.monotonic() + PATIENCE_S
    while gate.inside < MOST_AT_ONCE and time.monotonic() < deadline:
        time.sleep(0.01)
    refused = httpx.get(f"http://{host}:{port}/api/v1/x", timeout=PATIENCE_S)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "1"
    assert refused.json()["hint"]
    gate.open.set()
    for each in waiting:
        each.join(PATIENCE_S)
    assert [each.status_code for each in answers] == [200] * MOST_AT_ONCE
    assert httpx.get(f"http://{host}:{port}/api/v1/x").status_code == 200
