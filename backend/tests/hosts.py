"""Hosts of one machine: network namespaces on a bridge, whose links can be cut. It takes root, `ip` and veth."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_NETWORK = "10.77.0"


def lacks() -> str:
    """Say what this machine lacks for hosts; empty where it lacks nothing."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "the program `ip` (iproute2) is not installed"
    name = f"tw-probe-{secrets.token_hex(2)}"
    tried = [
        ["ip", "netns", "add", name],
        ["ip", "-n", name, "link", "add", "br0", "type", "bridge"],
        ["ip", "-n", name, "link", "add", "v0", "type", "veth", "peer", "name", "v1"],
    ]
    try:
        for command in tried:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"`{' '.join(command[:-1])}` fails: {done.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return ""


@dataclass
class Network:
    """A hub and hosts on its bridge.

    Host 0 is the hub; `address(n)` is that of host `n`.
    """

    name: str
    processes: list[subprocess.Popen[Any]] = field(default_factory=list)

    def address(self, host: int) -> str:
        """Return the address of a host."""
        return f"{_NETWORK}.{host + 1}"

    def inside(self, host: int, command: Sequence[object]) -> list[str]:
        """Return a command as it runs on a host."""
        return ["ip", "netns", "exec", self._namespace(host), *map(str, command)]

    def start(
        self,
        host: int,
        command: Sequence[object],
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[Any]:
        """Start a program on a host; it is ended with the network."""
        process = subprocess.Popen(
            self.inside(host, command),
            env=env,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            **options,
        )
        self.processes.append(process)
        return process

    def cut(self, host: int) -> None:
        """Take the link of a host down: what it sends, and what is sent to it, is lost without a word."""
        _ip("-n", self._namespace(0), "link", "set", f"v{host}", "down")

    def join(self, host: int) -> None:
        """Take the link of a host up again."""
        _ip("-n", self._namespace(0), "link", "set", f"v{host}", "up")

    def _namespace(self, host: int) -> str:
        return f"{self.name}-{host}"

    def _make(self, hosts: int) -> None:
        hub = self._namespace(0)
        _ip("netns", "add", hub)
        for words in (
            "link set lo up",
            "link add br0 type bridge",
            f"addr add {self.address(0)}/24 dev br0",
            "link set br0 up",
        ):
            _ip("-n", hub, *words.split())
        for host in range(1, hosts + 1):
            other = self._namespace(host)
            _ip("netns", "add", other)
            _ip(
                *f"-n {hub} link add v{host} type veth peer name eth0 netns {other}".split()
            )
            for words in (
                f"-n {hub} link set v{host} master br0 up",
                f"-n {other} addr add {self.address(host)}/24 dev eth0",
                f"-n {other} link set lo up",
                f"-n {other} link set eth0 up",
            ):
                _ip(*words.split())


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def network(hosts: int) -> Iterator[Network]:
    """Make a hub and so many hosts, until the end of the block."""
    made = Network(f"tw-{secrets.token_hex(2)}")
    try:
        made._make(hosts)
        yield made
    finally:
        for process in made.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for host in range(hosts + 1):
            subprocess.run(
                ["ip", "netns", "del", made._namespace(host)],
                capture_output=True,
                check=False,
            )
