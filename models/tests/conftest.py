"""Shared fixtures: where the shared reference traces are, and the traces of the repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# Tests are imported by path, so their shared module needs a place to be found at.
sys.path.insert(0, str(Path(__file__).parent))

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the shared reference material; tests that need it are skipped without.

    `TIERWRIGHT_SHARED` names it; unset, it is looked for beside the repository.
    """
    named = os.environ.get("TIERWRIGHT_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    if not (folder / "traces").is_dir():
        if named:
            pytest.fail(f"TIERWRIGHT_SHARED={named} holds no folder traces")
        pytest.skip("no shared reference material: set TIERWRIGHT_SHARED to its folder")
    return folder


@pytest.fixture(scope="session")
def shared_traces(shared: Path) -> Path:
    """Folder of the shared reference traces."""
    return shared / "traces"


@pytest.fixture(scope="session")
def fixture_traces() -> Path:
    """Folder of the small traces that the repository holds."""
    return REPOSITORY / "fixtures" / "traces"
