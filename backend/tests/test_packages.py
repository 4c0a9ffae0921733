"""What the wheels ask for is what is locked and tested."""

import re
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def names(lines):
    return {
        re.sub(r"\[.*?\]", "", line).replace(" ", "") for line in lines if line.strip()
    }


def project(folder):
    return tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text())[
        "project"
    ]


def test_the_wheels_depend_on_what_is_locked():
    core, server = project("models"), project("backend")
    version = core["version"]
    assert server["version"] == version
    own = f"tierwright[objects]=={version}"
    assert own in server["dependencies"]
    wanted = [
        *core["dependencies"],
        *core["optional-dependencies"]["objects"],
        *(each for each in server["dependencies"] if each != own),
    ]
    listed = [
        line
        for line in (REPOSITORY / "requirements" / "app.in").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert sorted(names(wanted)) == sorted(names(listed))
