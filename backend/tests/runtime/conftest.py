"""Folders and processes of the runtime tests."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from live_app import eventually

from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres


def processes_naming(folder: Path) -> list[psutil.Process]:
    """Living processes with the folder in their command line or as working folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            places = [process.cwd(), *process.cmdline()]
        except psutil.Error:
            continue
        if any(str(folder) in place for place in places):
            found.append(process)
    return found


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    """A data folder with a database that was made and stopped."""
    place = Path(tempfile.mkdtemp(prefix="tw-template-", dir="/tmp"))
    place.chmod(0o711)
    with EmbeddedPostgres(place, durable=False):
        pass
    yield place
    shutil.rmtree(place)


@pytest.fixture
def made(folder: Path, template: Path) -> Path:
    """A folder with a stopped database, sparing the test the making of one."""
    # -a keeps the owner, which for root's database is another account.
    subprocess.run(["cp", "-a", template / "postgres", folder], check=True)
    return folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder which root's unprivileged database account may enter, unlike tmp_path."""
    made = Path(tempfile.mkdtemp(prefix="tw-runtime-", dir="/tmp"))
    made.chmod(0o711)
    yield made
    # Servers of killed owners may still be on their way out.
    eventually(lambda: not processes_naming(made))
    left = processes_naming(made)
    for process in left:
        process.kill()
    shutil.rmtree(made)
    assert not left, f"the test left processes behind: {left}"
