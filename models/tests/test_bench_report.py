"""The page of measurements: written from its JSON, nothing typed."""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BENCHES = ROOT / "models" / "benches"


def report() -> ModuleType:
    path = BENCHES / "report.py"
    spec = importlib.util.spec_from_file_location("report", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # It imports what lies beside it.
    with mock.patch.object(sys, "path", [str(BENCHES), *sys.path]):
        spec.loader.exec_module(module)
    return module


def test_the_page_is_written_from_its_json() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    document = json.loads((BENCHES / "performance.json").read_text(encoding="utf-8"))
    assert report().rendered(page, document) == page


def test_a_missed_bar_is_said() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    document = json.loads((BENCHES / "performance.json").read_text(encoding="utf-8"))
    missed = copy.deepcopy(document)
    for row in missed["rows"]:
        row["reached"] = False
    found = report().rendered(page, missed)
    assert found.count("**no**") >= len(document["rows"])


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(SystemExit, match="no marks"):
        report().rendered("nothing", {})
