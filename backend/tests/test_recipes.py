"""The recipes of the docs, as they stand there, against the running server."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from live_app import Application

PAGE = Path(__file__).parents[2] / "docs" / "quote-recipes.md"
SERVER = "http://127.0.0.1:8787"


def block(kind: str) -> str:
    """Return the only block of a language of the page."""
    [found] = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)


def ran(application: Application, folder: Path, command: list[str], kind: str) -> str:
    (folder / "quotes.csv").write_text(block("csv"))
    text = block(kind)
    assert SERVER in text
    here = str(application.client.base_url).partition("/api/")[0]
    done = subprocess.run(
        [*command, text.replace(SERVER, here)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl(application: Application, tmp_path: Path) -> None:
    shown = ran(application, tmp_path, ["sh", "-euc"], "sh")
    assert json.loads(shown)["taken"] == 4
    ranking = json.loads((tmp_path / "ranking.json").read_text())
    assert [each["quote_id"] for each in ranking["ranked"]] == ["Q-17", "Q-18"]


def test_python(application: Application, tmp_path: Path) -> None:
    printed = ran(application, tmp_path, [sys.executable, "-c"], "python")
    assert [line.split()[:2] for line in printed.splitlines()] == [
        ["1", "Q-17"],
        ["2", "Q-18"],
    ]


def test_what_was_not_run_says_so() -> None:
    text = PAGE.read_text()
    for name in ("Excel Power Query", "Google Sheets"):
        assert re.search(rf"\| {name} \| \*\*not run\*\*", text)
        assert re.search(rf"## {name}\n\nNot run\.", text)
