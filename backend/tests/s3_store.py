"""A store that speaks S3, in a process of its own, and a proxy before it that can fail."""

import contextlib
import http.client
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import obstore
from live_app import PATIENCE_S, free_port, pauses
from obstore.store import S3Store


@dataclass
class Store:
    """A running store."""

    url: str

    def make_bucket(self, name: str) -> None:
        """Make a bucket."""
        httpx.put(f"{self.url}/{name}").raise_for_status()

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Put an object, or another version of it."""
        client = S3Store(
            bucket,
            config={"endpoint": self.url, "region": "us-east-1"},
            client_options={"allow_http": True},
        )
        obstore.put(client, key, data)

    @contextlib.contextmanager
    def with_accounts(self) -> Iterator[None]:
        """Refuse whoever has no account here, which is everybody."""
        self._free_requests("0")
        try:
            yield
        finally:
            self._free_requests("inf")

    def _free_requests(self, count: str) -> None:
        httpx.post(f"{self.url}/moto-api/reset-auth", content=count).raise_for_status()


@contextlib.contextmanager
def run_store() -> Iterator[Store]:
    """Run a store until the end of the block."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for pause_s in pauses():
            assert process.poll() is None, "the store did not start"
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"{url}/moto-api/data.json").raise_for_status()
                break
            time.sleep(pause_s)
        else:
            raise AssertionError("the store did not start in time")
        yield Store(url)
    finally:
        process.kill()
        process.wait()


@dataclass
class Line:
    """A line to a store on which things happen."""

    store: Store
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)
    broken_from: int | None = None  # answers break off at this byte of the object
    breaks_left: int = 0
    status: int | None = None  # answered in place of the store
    on_get: Any = None  # called once, before the next GET goes on

    def mend(self) -> None:
        """Let nothing happen any more, and forget what did."""
        self.requests.clear()
        self.broken_from, self.breaks_left = None, 0
        self.status, self.on_get = None, None

    def breaks_now(self) -> bool:
        """Say whether the present answer is one that breaks off."""
        with self.lock:
            if self.broken_from is None or self.breaks_left == 0:
                return False
            self.breaks_left -= 1
            return True


def _handler(line: Line) -> type[BaseHTTPRequestHandler]:
    host = line.store.url.removeprefix("http://")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self._pass_on()

        def do_GET(self) -> None:
            called, line.on_get = line.on_get, None
            if called is not None:
                called()
            self._pass_on()

        def _pass_on(self) -> None:
            wanted = self.headers.get("Range")
            line.requests.append((self.command, self.path, wanted))
            if line.status is not None:
                self.send_response(line.status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            connection = http.client.HTTPConnection(host, timeout=PATIENCE_S)
            try:
                connection.request(self.command, self.path, headers=dict(self.headers))
                answer = connection.getresponse()
                body = answer.read()
            finally:
                connection.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding", "date"):
                    self.send_header(name, value)
            self.end_headers()
            begin = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted else 0
            end = begin + len(body)
            where = line.broken_from
            if where is not None and end > where and line.breaks_now():
                body = body[: max(0, where - begin)]
                self.close_connection = True
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(body)

    return Handler


@contextlib.contextmanager
def run_line(store: Store) -> Iterator[Line]:
    """Run a proxy before a store."""
    line = Line(store)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(line))
    line.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield line
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def credentials() -> Iterator[None]:
    """Give this process, and those that it starts, credentials and nothing else of AWS."""
    before = {
        name: os.environ.pop(name) for name in list(os.environ) if name[:4] == "AWS_"
    }
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }
    try:
        yield
    finally:
        for name in list(os.environ):
            if name[:4] == "AWS_":
                del os.environ[name]
        os.environ |= before
