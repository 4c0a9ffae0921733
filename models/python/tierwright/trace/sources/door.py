"""The door by which this process goes to object stores: it lets no redirect through.

The library that reads the stores follows redirects wherever they lead, with the session token
of whoever reads among the headers. So it goes through a proxy on loopback inside this
process. Plain requests are answered here with 403 when the store answers with a redirect;
tunnels for TLS, whose answers cannot be seen, lead only to hosts that the environment names
or that belong to the store and the sign-in of its cloud.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hmac
import os
import re
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

REDIRECT_CODE = "RedirectNotFollowed"
"""In the body of an answer that stands for a redirect."""
_PROXIES = re.compile(
    r"(?:HTTPS?|ALL)_PROXY|(?:AWS|GOOGLE|AZURE)_PROXY_URL", re.IGNORECASE
)
_HEAD_BYTES = 64 * 1024
_PIECE_BYTES = 256 * 1024
_CONNECT_TIMEOUT_S = 5.0
_METADATA_TIMEOUT_S = 1.0  # a machine without such a service lets it run out
_IDLE_S = 600.0
_FAMILIES = ("AWS_", "GOOGLE_", "AZURE_", "IDENTITY_", "MSI_", "TIERWRIGHT_OBJECT_")
_CLOUD_HOSTS = {
    "s3": r"(?:{bucket}\.)?s3[\w.-]*\.amazonaws\.com(?:\.cn)?"
    r"|sts(?:\.[\w-]+)?\.amazonaws\.com(?:\.cn)?",
    "gs": r"(?:storage|oauth2|www|accounts|sts|iamcredentials)\.googleapis\.com"
    r"|accounts\.google\.com",
    "az": r"{account}\.(?:blob|dfs)\.(?:core\.(?:windows\.net|usgovcloudapi\.net"
    r"|chinacloudapi\.cn)|fabric\.microsoft\.com)|[\w.-]*onelake\.fabric\.microsoft\.com"
    r"|login\.(?:microsoftonline\.(?:com|us)|chinacloudapi\.cn)",
}
"""Hosts of the stores and of their sign-ins, by scheme."""


def has_proxy() -> bool:
    """Say whether the environment names a proxy, which then is the way out."""
    return any(value and _PROXIES.fullmatch(name) for name, value in os.environ.items())


@functools.lru_cache(maxsize=64)
def _door(
    _pid: int, scheme: str, bucket: str, account: str, named: frozenset[str]
) -> Door:
    return Door(scheme, bucket, account, named)


def proxy_url(scheme: str, bucket: str, endpoint: str | None) -> str:
    """Return the proxy by which a client of one bucket goes out; it runs as long as we do."""
    named = _hosts_named((endpoint or "", *_environment()))
    account = os.environ.get("AZURE_STORAGE_ACCOUNT_NAME", "")
    return _door(os.getpid(), scheme, bucket, account, frozenset(named)).url


def _environment() -> Iterable[str]:
    return (value for name, value in os.environ.items() if name.startswith(_FAMILIES))


def _hosts_named(texts: Iterable[str]) -> set[str]:
    """Return the hosts of those texts that are addresses."""
    hosts = set()
    for text in texts:
        if text.startswith(("http://", "https://")):
            with contextlib.suppress(ValueError):
                hosts.add((urlsplit(text).hostname or "").lower())
    return hosts - {""}


class Door:
    """A proxy on loopback for one bucket, in threads of this process.

    Parameters
    ----------
    scheme, bucket : str
        Which store.
    account : str
        Of Azure; empty without.
    named : frozenset of str
        Hosts that the environment names, of endpoints and sign-ins.
    """

    def __init__(
        self, scheme: str, bucket: str, account: str, named: frozenset[str]
    ) -> None:
        # A virtual-hosted endpoint has the bucket before its name.
        self._named = named | {f"{bucket}.{host}" for host in named}
        self._cloud = re.compile(
            _CLOUD_HOSTS[scheme].format(
                bucket=re.escape(bucket), account=re.escape(account)
            )
        )
        secret = secrets.token_hex(16)
        # Others on this machine have no business here.
        self._password = b"Basic " + base64.b64encode(f"door:{secret}".encode())
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://door:{secret}@127.0.0.1:{listener.getsockname()[1]}"
        threading.Thread(
            target=self._serve, args=(listener,), daemon=True, name="store-door"
        ).start()

    def leads_to(self, host: str) -> bool:
        """Say whether tunnels to a host are dug."""
        host = host.lower().rstrip(".")
        return host in self._named or self._cloud.fullmatch(host) is not None

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:  # of that one connection, or too many files are open
                time.sleep(0.1)
                continue
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        # What fails here ends the connection, which the library reports as the broken
        # connection it is.
        with client, contextlib.suppress(OSError, ValueError):
            client.settimeout(_IDLE_S)
            head, rest = _read_head(client)
            line, *fields = head.split(b"\r\n")
            method, target, _ = line.split(b" ")
            if not self._knows(fields):
                _refuse(client, method, "NotForYou")
            elif method == b"CONNECT":
                self._tunnel(client, target.decode("ascii"), rest)
            else:
                _pass_on(client, method, target.decode("ascii"), fields, rest)

    def _knows(self, fields: list[bytes]) -> bool:
        given = _value(fields, b"proxy-authorization") or b""
        return hmac.compare_digest(given, self._password)

    def _tunnel(self, client: socket.socket, target: str, rest: bytes) -> None:
        address = urlsplit(f"//{target}")
        host, port = address.hostname or "", address.port or 443
        if not self.leads_to(host):
            _refuse(client, b"CONNECT", REDIRECT_CODE)
            return
        with _connect(host, port) as server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            server.sendall(rest)
            _both_ways(client, server)


def _value(fields: list[bytes], wanted: bytes) -> bytes | None:
    for field in fields:
        name, _, value = field.partition(b":")
        if name.strip().lower() == wanted:
            return value.strip()
    return None


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Return what stands before the empty line, and what came after it."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(_HEAD_BYTES)
        if not piece or len(data) > _HEAD_BYTES:
            raise ValueError("a head that does not end")
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _connect(host: str, port: int) -> socket.socket:
    metadata = host.startswith(("169.254.", "fd00:ec2:", "metadata"))
    connection = socket.create_connection(
        (host, port), _METADATA_TIMEOUT_S if metadata else _CONNECT_TIMEOUT_S
    )
    connection.settimeout(_IDLE_S)
    return connection


def _refuse(client: socket.socket, method: bytes, code: str) -> None:
    body = f"<Error><Code>{code}</Code></Error>".encode()
    client.sendall(
        b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: application/xml\r\n"
        + b"Content-Length: %d\r\n\r\n" % len(body)
        + (b"" if method == b"HEAD" else body)
    )


def _pass_on(
    client: socket.socket, method: bytes, target: str, fields: list[bytes], rest: bytes
) -> None:
    """Pass one plain request on, and its answer back unless it is a redirect."""
    address = urlsplit(target)
    if address.scheme != "http" or not address.hostname:
        raise ValueError("not an address of plain HTTP")
    path = target[len("http://") + len(address.netloc) :] or "/"
    dropped = (b"proxy-authorization", b"proxy-connection", b"connection")
    kept = [
        field
        for field in fields
        if field.partition(b":")[0].strip().lower() not in dropped
    ]
    head = [
        method + b" " + path.encode("ascii") + b" HTTP/1.1",
        *kept,
        b"Connection: close",
    ]
    with _connect(address.hostname, address.port or 80) as server:
        server.sendall(b"\r\n".join(head) + b"\r\n\r\n" + rest)
        missing = int(_value(fields, b"content-length") or 0) - len(rest)
        while missing > 0:
            piece = client.recv(min(missing, _PIECE_BYTES))
            if not piece:
                return
            server.sendall(piece)
            missing -= len(piece)
        head_back, rest_back = _read_head(server)
        line, *fields_back = head_back.split(b"\r\n")
        status = line.split(b" ", 2)[1]
        if status.startswith(b"3") and _value(fields_back, b"location") is not None:
            _refuse(client, method, REDIRECT_CODE)
            return
        fields_back = [
            field
            for field in fields_back
            if field.partition(b":")[0].strip().lower() not in (b"connection",)
        ]
        closed = [line, *fields_back, b"Connection: close"]
        client.sendall(b"\r\n".join(closed) + b"\r\n\r\n" + rest_back)
        while piece := server.recv(_PIECE_BYTES):
            client.sendall(piece)


def _both_ways(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes between two connections until one of them ends."""
    with selectors.DefaultSelector() as ready:
        ready.register(one, selectors.EVENT_READ, other)
        ready.register(other, selectors.EVENT_READ, one)
        while events := ready.select(_IDLE_S):
            for key, _ in events:
                source, sink = key.fileobj, key.data
                assert isinstance(source, socket.socket)
                piece = source.recv(_PIECE_BYTES)
                if not piece:
                    return
                sink.sendall(piece)
