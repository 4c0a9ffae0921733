"""Which container engine this machine has: podman or docker."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]


class NoEngine(RuntimeError):
    """Nothing here runs containers; the message says what is missing."""


@dataclass(frozen=True)
class Engine:
    """An engine that answers."""

    name: str
    version: str

    def run(
        self, *words: str, check: bool = True, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run one of its commands and keep what it says."""
        done = subprocess.run(
            [self.name, *words],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
        )
        if check and done.returncode:
            raise SystemExit(
                f"error: {self.name} {' '.join(words)}\n{done.stdout}{done.stderr}"
            )
        return done

    def inspect(self, kind: str, name: str) -> dict[str, Any] | None:
        """Describe a container, an image or a network; None if there is none."""
        done = self.run(kind, "inspect", name, check=False)
        if done.returncode:
            return None
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found[0] if found else None

    def has_image(self, name: str) -> bool:
        """Say whether an image is on this machine."""
        return self.inspect("image", name) is not None

    def compose(self) -> list[str]:
        """Return the command that reads a compose file.

        Raises
        ------
        NoEngine
            If the engine is there and that command is not.
        """
        if self.name == "docker":
            found = self.run("compose", "version", check=False)
            if found.returncode == 0:
                return ["docker", "compose"]
            raise NoEngine("docker has no `compose` command")
        here = Path(sys.executable).with_name("podman-compose")
        path = str(here) if here.exists() else shutil.which("podman-compose")
        if path is None:
            raise NoEngine("podman is here and podman-compose is not")
        return [path]


def _services() -> dict[str, dict[str, Any]]:
    text = (ROOT / "docker-compose.yml").read_text()
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)["services"]
    return found


def service_images() -> list[str]:
    """Return the images of the compose file: our own and the database's."""
    return sorted({str(service["image"]) for service in _services().values()})


def own_image() -> str:
    """Return the name by which the compose file asks for the image of this folder."""
    return next(str(s["image"]) for s in _services().values() if "build" in s)


def base_images() -> list[str]:
    """Return the published images that everything starts from."""
    text = (ROOT / "Dockerfile").read_text()
    return re.findall(r"(?m)^FROM (\S+)", text) + [
        name for name in service_images() if name != own_image()
    ]


def find_engine() -> Engine:
    """Find podman or docker; `TIERWRIGHT_ENGINE` names one of them.

    Raises
    ------
    NoEngine
        If neither is there and answers.
    """
    asked = os.environ.get("TIERWRIGHT_ENGINE")
    for name in [asked] if asked else ["podman", "docker"]:
        if shutil.which(name) is None:
            continue
        field = "{{.Version.Version}}" if name == "podman" else "{{.ServerVersion}}"
        try:
            engine = Engine(name, "")
            answer = engine.run("info", "--format", field, check=False, timeout=20)
        except subprocess.TimeoutExpired:
            continue
        if answer.returncode == 0 and answer.stdout.strip():
            return Engine(name, answer.stdout.strip())
    raise NoEngine(f"no {asked or 'podman or docker'} that answers")
