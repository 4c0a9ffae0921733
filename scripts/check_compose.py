"""Checks that docker-compose.yml and Dockerfile keep our rules for containers.

``python scripts/check_compose.py [FILE]``. The rules: an init process, an unprivileged
user, a read-only root, dropped capabilities, a health check, limits of memory, processors and
processes, exact image tags, the database of the application's own major version, named volumes,
ports on loopback only, a way out for the worker and none for the database, and no password that
has a default.
"""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
EXACT_TAG = re.compile(
    r"[^:@\s]+(:[\w.-]*\d+\.\d+[\w.-]*|:[\w.-]*\d{8}[\w.-]*)(@sha256:[0-9a-f]{64})?"
)
REQUIRED = re.compile(r"\$\{[A-Z_]+:\?[^}]+\}")
SERVICES = {"postgres", "app", "worker"}
LIMITS = ("mem_limit", "cpus", "pids_limit")
POSTGRES_MAJOR = 18
"""Of the database that the application brings along: data moves between the two."""


def faults_of_service(name: str, service: dict[str, Any]) -> Iterator[str]:
    """Say what is wrong with one service."""
    if service.get("init") is not True:
        yield f"{name}: `init: true` is missing"
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", str(service.get("user", ""))):
        yield f"{name}: `user` must be an unprivileged uid:gid, is `{service.get('user')}`"
    if service.get("read_only") is not True:
        yield f"{name}: `read_only: true` is missing"
    if service.get("cap_drop") != ["ALL"]:
        yield f"{name}: `cap_drop: [ALL]` is missing"
    if "no-new-privileges:true" not in service.get("security_opt", []):
        yield f"{name}: `no-new-privileges:true` is missing"
    yield from faults_of_keys(name, service)
    if not service.get("healthcheck", {}).get("test"):
        yield f"{name}: it has no health check"
    if not EXACT_TAG.fullmatch(str(service.get("image", ""))):
        yield f"{name}: image `{service.get('image')}` has no exact tag"
    yield from faults_of_ports(name, service.get("ports", []))


def faults_of_keys(name: str, service: dict[str, Any]) -> Iterator[str]:
    """Say which keys are there that should not, and the other way round."""
    for key in ("privileged", "cap_add", "network_mode", "pid", "devices"):
        if key in service:
            yield f"{name}: `{key}` is not allowed"
    for key in LIMITS:
        if not service.get(key):
            yield f"{name}: `{key}` is missing: one service could take the machine"


def faults_of_ports(name: str, ports: list[Any]) -> Iterator[str]:
    """Say which ports are published elsewhere than on loopback."""
    for port in ports:
        host = re.match(r"\[?([0-9a-f.:]+?)\]?:(?:\d|\$\{)", str(port))
        try:
            good = host is not None and ipaddress.ip_address(host[1]).is_loopback
        except ValueError:
            good = False
        if not good:
            yield f"{name}: port `{port}` must be published on 127.0.0.1"


def faults_of_secrets(name: str, service: dict[str, Any]) -> Iterator[str]:
    """Say which passwords have a default or stand in the file."""
    environment = service.get("environment", {})
    if not isinstance(environment, dict):
        yield f"{name}: write `environment` as a mapping"
        return
    for key, value in environment.items():
        secret = re.search(r"PASSWORD|SECRET|TOKEN|KEY", key)
        if secret and not REQUIRED.fullmatch(str(value)):
            yield f"{name}: {key} must be a required variable, `${{NAME:?why}}`"
        if re.search(r"://[^/@\s]*:[^/@\s]*@", str(value)):
            yield f"{name}: {key} holds a password in an address"


def faults_of_volumes(compose: dict[str, Any]) -> Iterator[str]:
    """Say which volumes are not named ones."""
    named = set(compose.get("volumes", {}))
    for name, service in compose["services"].items():
        for volume in service.get("volumes", []):
            source = str(volume).partition(":")[0]
            if source not in named:
                yield f"{name}: volume `{volume}` is not a named volume"


def faults_of_networks(compose: dict[str, Any]) -> Iterator[str]:
    """Say who has a way out that should not, and the other way round."""
    closed = {
        name
        for name, network in compose.get("networks", {}).items()
        if (network or {}).get("internal") is True
    }
    for name, service in compose["services"].items():
        is_open = bool(set(service.get("networks", ["default"])) - closed)
        if name == "postgres" and is_open:
            yield f"{name}: the database must have no way out of its network"
        if name == "worker" and not is_open:
            yield f"{name}: without a way out it cannot fetch from object stores"


def faults_of_postgres(compose: dict[str, Any]) -> Iterator[str]:
    """Say where the database is of another major version than the application's own."""
    image = str(compose["services"].get("postgres", {}).get("image", ""))
    major = re.search(r":(\d+)", image)
    if major is not None and int(major[1]) != POSTGRES_MAJOR:
        yield f"postgres: image `{image}` is not of PostgreSQL {POSTGRES_MAJOR}"


def faults_of_dockerfile(text: str) -> Iterator[str]:
    """Say what is wrong with the Dockerfile."""
    stages = {match[1] for match in re.finditer(r"(?im)^FROM \S+ AS (\S+)", text)}
    for match in re.finditer(r"(?im)^FROM (\S+)", text):
        if match[1] not in stages and not EXACT_TAG.fullmatch(match[1]):
            yield f"Dockerfile: base image `{match[1]}` has no exact tag"
    users = re.findall(r"(?im)^USER (\S+)", text)
    if not users or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]):
        yield "Dockerfile: it must end as an unprivileged USER uid:gid"


def check(compose_text: str, dockerfile_text: str) -> list[str]:
    """Return every fault of the two files."""
    compose = yaml.safe_load(compose_text)
    found = []
    if missing := SERVICES - set(compose.get("services", {})):
        found.append(f"services are missing: {', '.join(sorted(missing))}")
    for name, service in compose.get("services", {}).items():
        found += faults_of_service(name, service)
        found += faults_of_secrets(name, service)
    found += faults_of_volumes(compose)
    found += faults_of_networks(compose)
    found += faults_of_postgres(compose)
    found += faults_of_dockerfile(dockerfile_text)
    return found


def main(arguments: list[str]) -> int:
    """Check the files and print what is wrong."""
    path = Path(arguments[0]) if arguments else ROOT / "docker-compose.yml"
    faults = check(path.read_text(), (ROOT / "Dockerfile").read_text())
    for fault in faults:
        print(f"error: {path.name}: {fault}")
    if not faults:
        print(f"{path.name} and Dockerfile keep the rules")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
