"""What the wheels ask for is what is locked and tested; where the set-up refuses to begin."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

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
    own = f"tierwright[objects,report]=={version}"
    assert own in server["dependencies"]
    wanted = [
        *core["dependencies"],
        *core["optional-dependencies"]["objects"],
        *core["optional-dependencies"]["report"],
        *(each for each in server["dependencies"] if each != own),
    ]
    listed = [
        line
        for line in (REPOSITORY / "requirements" / "app.in").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert sorted(names(wanted)) == sorted(names(listed))


def set_up(folder, target, **says):
    """`make` in a fresh checkout, on a machine whose tools say what is given."""
    tools = folder / "tools"
    tools.mkdir()
    for name, script in says.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    checkout = folder / "a checkout"
    checkout.mkdir()
    shutil.copy(REPOSITORY / "Makefile", checkout)
    shutil.copytree(REPOSITORY / "scripts", checkout / "scripts")
    shutil.copytree(REPOSITORY / "requirements", checkout / "requirements")
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["make", target],
        cwd=checkout,
        env={**os.environ, "PATH": path, "PYTHON": "no-python-is-asked-for"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, sorted(each.name for each in checkout.iterdir())


@pytest.mark.parametrize("target", ["run", "setup"])
def test_the_set_up_refuses_musl_before_it_fetches_anything(tmp_path, target):
    done, made = set_up(
        tmp_path,
        target,
        # As Alpine's.
        getconf="echo 'getconf: GNU_LIBC_VERSION: unknown variable' >&2; exit 1",
        ldd="echo 'musl libc (x86_64)' >&2; echo 'Version 1.2.5' >&2; exit 1",
    )
    assert done.returncode != 0
    assert "error: this system's C library is musl (as on Alpine)" in done.stderr
    assert "hint: " in done.stderr
    assert made == ["Makefile", "requirements", "scripts"]


def test_the_set_up_refuses_another_system(tmp_path):
    done, made = set_up(tmp_path, "setup", uname="echo Darwin")
    assert done.returncode != 0
    assert "error: this is Darwin; Tierwright runs on Linux" in done.stderr
    assert made == ["Makefile", "requirements", "scripts"]


def test_the_set_up_takes_this_system():
    script = REPOSITORY / "scripts" / "check-system.sh"
    subprocess.run(["sh", script], check=True)
