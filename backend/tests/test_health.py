"""Health, that the application starts with its example, and that all parts say one version."""

import json
import tomllib
from importlib.metadata import version

from live_app import REPOSITORY


class TestHealth:
    def test_all_parts_are_up(self, application):
        health = application.get("/health")
        assert health["status"] == "ok"
        assert health["database"] == "ok"
        assert health["workers_alive"] == 1

    def test_the_example_is_ready_without_an_upload(self, application):
        workloads = application.get("/workloads")
        example = workloads["items"][0]
        assert example["id"] == "example"
        assert example["example"] is True
        assert example["status"] == "ready"
        assert example["summary"]["accesses"] == 420_000
        assert example["summary"]["page_bytes"] == 8192

    def test_every_door_says_the_version_of_the_models(self, application):
        models = version("tierwright")
        assert application.get("/health")["version"] == models
        assert application.get("/openapi.json")["info"]["version"] == models


def test_all_parts_have_one_version():
    def toml(path):
        return tomllib.loads((REPOSITORY / path).read_text())

    def document(path):
        return json.loads((REPOSITORY / path).read_text())

    locked = document("frontend/package-lock.json")
    found = {
        "models": toml("models/pyproject.toml")["project"]["version"],
        "core": toml("models/Cargo.toml")["workspace"]["package"]["version"],
        "server": toml("backend/pyproject.toml")["project"]["version"],
        "page": document("frontend/package.json")["version"],
        "page, locked": locked["version"],
        "page, locked package": locked["packages"][""]["version"],
        "API": document("backend/openapi.json")["info"]["version"],
    }
    assert set(found.values()) == {found["models"]}, found
