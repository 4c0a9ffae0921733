"""Redirects of object stores lead nowhere, and credentials go to nobody else."""

import asyncio
import base64
import contextlib
import http.client
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from tierwright.trace.sources import door as sources_door
from tierwright.trace.sources import store as sources_store
from tierwright.trace.sources.address import Address
from tierwright.trace.sources.store import Fault, Found

DATA = bytes(range(256)) * 4000


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    monkeypatch.setenv("AWS_REGION", "us-east-1")


class Site:
    """A web server that holds one object, or redirects."""

    def __init__(self, host="127.0.0.1"):
        self.requests = []
        self.location = None
        self.status = 302
        self.redirects_from = 0  # the first so many requests are answered
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                site.requests.append((self.command, self.path, dict(self.headers)))
                if (
                    site.location is not None
                    and len(site.requests) > site.redirects_from
                ):
                    self.send_response(site.status)
                    self.send_header("Location", site.location)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                body, wanted = DATA, self.headers.get("Range")
                self.send_response(206 if wanted else 200)
                if wanted:
                    begin, end = map(int, wanted.removeprefix("bytes=").split("-"))
                    body = DATA[begin : end + 1]
                    self.send_header(
                        "Content-Range",
                        f"bytes {begin}-{begin + len(body) - 1}/{len(DATA)}",
                    )
                self.send_header("Content-Length", str(len(body)))
                self.send_header("ETag", '"one"')
                self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.url = f"http://{host}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@contextlib.contextmanager
def running(host="127.0.0.1"):
    site = Site(host)
    try:
        yield site
    finally:
        site.server.shutdown()
        site.server.server_close()


@pytest.fixture
def store():
    with running() as site:
        yield site


@pytest.fixture
def elsewhere():
    with running("127.0.0.2") as site:
        yield site


class Bytes:
    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += bytes(data)

    def range_done(self):
        pass

    def broke(self, tries):
        raise AssertionError("the connection broke")


def look_up(site):
    return asyncio.run(
        sources_store.look_up(Address("traces", "a/b c"), site.url, 20.0)
    )


def fetch(site, found):
    sink = Bytes()
    sources_store.fetch(
        Address("traces", "a/b c"), site.url, found, sink, start=0, retries=0
    )
    return sink.data


def test_an_object_comes_through_as_it_is(store):
    found = look_up(store)
    assert found == Found(len(DATA), '"one"')
    assert fetch(store, found) == DATA
    # The password of the door stays at the door.
    for _, path, headers in store.requests:
        assert path == "/traces/a/b%20c"
        assert not any(name.lower().startswith("proxy-") for name in headers)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused_and_nothing_reaches_its_target(store, elsewhere, status):
    store.status, store.location = status, f"{elsewhere.url}/secret"
    with pytest.raises(sources_store.LookUpFailed) as caught:
        look_up(store)
    failure = caught.value.failure
    assert failure.fault is Fault.DENIED
    assert "redirects" in failure.message
    assert "TIERWRIGHT_OBJECT_STORE_ENDPOINT" in failure.hint
    assert elsewhere.requests == []
    # No address of the inside is given away to whoever asked for the object.
    assert elsewhere.url not in failure.message + failure.hint + failure.why


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]:1/",
        "http://10.0.0.1/",
        "http://localhost:1/",
        "https://example.org/",
        "file:///etc/passwd",
        "//127.0.0.2/x",
        "/elsewhere/on/the/same/host",
    ],
)
def test_wherever_it_leads(store, location):
    store.location = location
    with pytest.raises(sources_store.LookUpFailed, match="redirects"):
        look_up(store)
    assert {path for _, path, _ in store.requests} == {"/traces/a/b%20c"}


def test_a_redirect_that_begins_after_the_look_up(store, elsewhere):
    found = look_up(store)
    store.redirects_from = len(store.requests)
    store.location = f"{elsewhere.url}/traces/a/b%20c"
    with pytest.raises(sources_store.FetchFailed, match="redirects"):
        fetch(store, found)
    assert elsewhere.requests == []


class TestTunnels:
    """Requests over TLS, whose answers cannot be seen."""

    @pytest.mark.parametrize(
        ("scheme", "host", "open_"),
        [
            ("s3", "s3.us-east-1.amazonaws.com", True),
            ("s3", "s3.dualstack.eu-west-1.amazonaws.com", True),
            ("s3", "traces.s3.cn-north-1.amazonaws.com.cn", True),
            ("s3", "traces.s3express-use1-az4.us-east-1.amazonaws.com", True),
            ("s3", "sts.us-east-1.amazonaws.com", True),
            ("s3", "minio.example", True),
            ("s3", "MINIO.example.", True),
            ("s3", "traces.minio.example", True),
            ("s3", "other.s3.us-east-1.amazonaws.com", False),
            ("s3", "x.execute-api.us-east-1.amazonaws.com", False),
            ("s3", "s3.amazonaws.com.evil.example", False),
            ("s3", "evil.minio.example", False),
            ("s3", "storage.googleapis.com", False),
            ("s3", "169.254.169.254", False),
            ("s3", "127.0.0.1", False),
            ("s3", "localhost", False),
            ("s3", "::1", False),
            ("gs", "storage.googleapis.com", True),
            ("gs", "oauth2.googleapis.com", True),
            ("gs", "metadata.google.internal", False),
            ("az", "acc.blob.core.windows.net", True),
            ("az", "login.microsoftonline.com", True),
            ("az", "other.blob.core.windows.net", False),
            ("az", "accXblob.core.windows.net", False),
        ],
    )
    def test_lead_to_the_store_and_its_sign_in_alone(self, scheme, host, open_):
        door = sources_door.Door(scheme, "traces", "acc", frozenset({"minio.example"}))
        assert door.leads_to(host) is open_

    def test_are_refused_to_another_host(self, elsewhere, monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "https://sign-in.example/x")
        door = urlsplit(
            sources_door.proxy_url("s3", "traces", "https://store.example:9000")
        )
        password = base64.b64encode(f"door:{door.password}".encode()).decode()
        client = http.client.HTTPConnection(door.hostname, door.port, timeout=10)
        client.set_tunnel(
            "127.0.0.2",
            elsewhere.server.server_port,
            {"Proxy-Authorization": f"Basic {password}"},
        )
        with pytest.raises(OSError, match="403"):
            client.request("GET", "/")
        client.close()
        assert elsewhere.requests == []

    def test_a_failed_tunnel_is_a_redirect(self):
        error = OSError("Generic S3 error: Error performing HEAD\nTunnelUnsuccessful,")
        failure = sources_store.failure_of(error, "s3")
        assert failure.fault is Fault.DENIED
        assert "redirects" in failure.message

    def test_a_tunnel_that_fails_at_another_proxy_is_none(self, monkeypatch):
        monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
        error = OSError("Generic S3 error: Error performing HEAD\nTunnelUnsuccessful,")
        failure = sources_store.failure_of(error, "s3")
        assert failure.fault is Fault.PASSING
        assert "redirects" not in failure.message


def test_nobody_else_goes_through_the_door(store):
    door = urlsplit(sources_door.proxy_url("s3", "traces", store.url))
    with socket.create_connection((door.hostname, door.port), 10) as client:
        client.sendall(f"GET {store.url}/x HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 403")
    assert store.requests == []


def test_a_proxy_of_the_environment_is_the_way_out(monkeypatch):
    assert not sources_door.has_proxy()
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    assert sources_door.has_proxy()
