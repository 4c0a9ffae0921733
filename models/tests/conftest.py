"""What the tests of the models share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def shared_traces() -> Path:
    """Folder of the recorded traces with their reference answers, which are not shipped.

    It is ``traces`` in the folder that ``TIERWRIGHT_SHARED`` names, or in ``shared`` beside
    the repository.
    """
    named = os.environ.get("TIERWRIGHT_SHARED")
    folder = (Path(named) if named else ROOT.parent / "shared") / "traces"
    if not folder.is_dir():
        pytest.skip("no recorded traces: TIERWRIGHT_SHARED names no folder with them")
    return folder
