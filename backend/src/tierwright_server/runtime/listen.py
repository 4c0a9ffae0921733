"""Where the server listens: loopback, and nowhere else."""

import ipaddress
import logging
import os
import socket
from pathlib import Path

from tierwright_server.common.runtime_error import RuntimeFailure

_LOG = logging.getLogger(__name__)

DEFAULT_PORT = 8787
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
"""Files by which the container engines mark a container."""
CONTAINER_ENGINES = ("podman", "docker", "oci")
"""Values of the variable `container`, by which podman marks one whose root is read-only."""
_PORTS_TRIED = 50


def check_host(host: str) -> str:
    """Return the loopback address `host` means.

    Raises
    ------
    RuntimeFailure
        If it is, or may be, another machine's way to us.
    """
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError) as error:
        raise RuntimeFailure(
            f"`{host}` is not an address of this machine: {error}", "use 127.0.0.1"
        ) from error
    addresses = sorted(found, key=lambda address: ":" in address)  # IPv4 first
    for address in addresses:
        if not ipaddress.ip_address(address.split("%")[0]).is_loopback:
            raise RuntimeFailure(
                f"refused to listen on `{host}`: Tierwright has no accounts and keys "
                "yet, so anyone who can reach the port could read, change and delete "
                "everything; only loopback addresses are allowed",
                "use 127.0.0.1, and from another machine a tunnel: "
                f"ssh -L {DEFAULT_PORT}:127.0.0.1:{DEFAULT_PORT} THIS-MACHINE",
            )
    return addresses[0]


def check_published_at(address: str) -> str:
    """Return the loopback address at which a container engine publishes our port.

    Raises
    ------
    RuntimeFailure
        If it is not a loopback address with a port, or we are not in a container.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        good = ipaddress.ip_address(host).is_loopback and 0 < int(port) <= 65535  # noqa: PLR2004
    except ValueError:
        good = False
    if not good:
        raise RuntimeFailure(
            f"`{address}` is not a loopback address with a port: Tierwright has no "
            "accounts and keys yet, so a container may publish it on loopback only",
            "use 127.0.0.1:PORT, the same in `ports:` of the compose file",
        )
    marked = os.environ.get("container") in CONTAINER_ENGINES  # noqa: SIM112 (their name)
    if not marked and not any(Path(mark).exists() for mark in CONTAINER_MARKS):
        raise RuntimeFailure(
            f"`--published-at {address}` is only for a container, and this is not one",
            "leave the option out; the server then listens on 127.0.0.1",
        )
    return address


def bind(host: str, port: int | None) -> socket.socket:
    """Take the port, at once, so that nobody else can while we start.

    Raises
    ------
    RuntimeFailure
        If the named port is busy or forbidden, or no port near the default is free.
    """
    wanted = (
        [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED)
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in wanted:
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, number))
            listener.listen(512)
        except OSError as error:
            listener.close()
            if port is not None:
                raise RuntimeFailure(
                    f"cannot listen on {host} port {port}: {error.strerror}",
                    "name another --port, or leave it out to use a free one",
                ) from error
        else:
            if port is None and number != DEFAULT_PORT:
                _LOG.warning("port %d is taken, using %d", DEFAULT_PORT, number)
            return listener
    raise RuntimeFailure(
        f"no port from {wanted[0]} to {wanted[-1]} is free on {host}",
        "name one with --port",
    )
