"""The check of the compose file finds what it is there for."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tierwright_server.common.version import VERSION
from tierwright_server.runtime.postgres_binaries import find_binaries

ROOT = Path(__file__).resolve().parents[3]
COMPOSE = (ROOT / "docker-compose.yml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    place = ROOT / "scripts" / "check_compose.py"
    spec = importlib.util.spec_from_file_location("check_compose", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_shipped_files_keep_the_rules(checker: ModuleType) -> None:
    assert checker.check(COMPOSE, DOCKERFILE) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("init: true", "init: false", "`init: true` is missing"),
        ('user: "10001:10001"', 'user: "0:0"', "unprivileged uid:gid, is `0:0`"),
        ("read_only: true", "read_only: false", "`read_only: true` is missing"),
        ("cap_drop: [ALL]", "cap_drop: []", "`cap_drop: [ALL]` is missing"),
        ("postgres:18.4-bookworm", "postgres:18", "no exact tag"),
        ("postgres:18.4-bookworm", "postgres", "no exact tag"),
        (
            '["127.0.0.1:${TIERWRIGHT_PORT',
            '["${TIERWRIGHT_PORT',
            "must be published on",
        ),
        ('["127.0.0.1:${TIER', '["0.0.0.0:${TIER', "must be published on"),
        (
            "PASSWORD:?set it to a long random password}",
            "PASSWORD:-secret}",
            "required",
        ),
        ("tierwright@postgres", "tierwright:pw@postgres", "password in an address"),
        ('volumes: ["data:/data"]', 'volumes: ["./data:/data"]', "not a named volume"),
        ("    healthcheck:", "    labels:", "no health check"),
        ("postgres:18.4-", "postgres:17.5-", "is not of PostgreSQL 18"),
        (
            "    mem_limit: ${TIERWRIGHT_APP",
            "    mem: ${TIERWRIGHT_APP",
            "app: `mem_limit`",
        ),
        ("    pids_limit: 200", "    pids: 200", "postgres: `pids_limit` is missing"),
        (
            "networks: [inside, fetch]",
            "networks: [inside]",
            "worker: without a way out",
        ),
        ("inside: {internal: true}", "inside: {}", "must have no way out"),
        ("  worker:\n", "  wrker:\n", "services are missing: worker"),
    ],
)
def test_a_broken_rule_is_named(
    checker: ModuleType, old: str, new: str, fault: str
) -> None:
    broken = COMPOSE.replace(old, new)
    assert broken != COMPOSE
    assert any(fault in found for found in checker.check(broken, DOCKERFILE))


def test_an_image_that_ends_as_root_is_named(checker: ModuleType) -> None:
    faults = checker.check(COMPOSE, DOCKERFILE.replace("USER 10001:10001", ""))
    assert faults == ["Dockerfile: it must end as an unprivileged USER uid:gid"]


def test_the_database_is_of_the_version_that_the_application_brings_along(
    checker: ModuleType,
) -> None:
    assert find_binaries(None).major == checker.POSTGRES_MAJOR


def test_the_image_carries_the_version_of_the_application() -> None:
    assert f"image: tierwright:{VERSION}\n" in COMPOSE
