"""A stand-in for Google Cloud Storage and Azure Blob Storage: their requests for objects."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest


@dataclass
class Cloud:
    """Objects by their path: bucket or container, then key."""

    url: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)

    def point_clients_here(self, patch: pytest.MonkeyPatch) -> None:
        """Set the environment in which clients of both schemes take this for their store."""
        for name, value in {
            "GOOGLE_BASE_URL": self.url,
            "GOOGLE_SKIP_SIGNATURE": "true",
            "AZURE_STORAGE_ACCOUNT_NAME": "someone",
            "AZURE_STORAGE_ENDPOINT": self.url,
            "AZURE_SKIP_SIGNATURE": "true",
        }.items():
            patch.setenv(name, value)


class _Handler(BaseHTTPRequestHandler):
    cloud: Cloud
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        path = unquote(self.path.partition("?")[0])
        wanted = self.headers.get("Range")
        self.cloud.requests.append((self.command, path, wanted))
        data = self.cloud.objects.get(path)
        if data is None:
            body = b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>"
            self._send(404, body, {}, with_body=with_body)
            return
        etag = f'"{hashlib.md5(data).hexdigest()}"'
        matches = self.headers.get("If-Match")
        if matches is not None and matches != etag:
            self._send(412, b"", {}, with_body=with_body)
            return
        headers = {
            "ETag": etag,
            "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT",
            "x-ms-blob-type": "BlockBlob",
        }
        if wanted is None:
            self._send(200, data, headers, with_body=with_body)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        begin, end = (
            int(first),
            min(int(last) + 1 if last else len(data), len(data)),
        )
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(data)}"
        self._send(206, data[begin:end], headers, with_body=with_body)

    def _send(
        self, status: int, body: bytes, headers: dict[str, str], *, with_body: bool
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)


@contextlib.contextmanager
def run_cloud() -> Iterator[Cloud]:
    """Run the stand-in until the end of the block."""
    cloud = Cloud()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), type("Handler", (_Handler,), {"cloud": cloud})
    )
    cloud.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield cloud
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
