"""What the first page quotes is what the commands answer that it prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tierwright.cli.app import main

ROOT = Path(__file__).resolve().parents[2]


def test_its_commands_answer_what_it_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = readme.split("# the worked example", 1)[1].split("```", 1)[0]
    commands = re.findall(r"^tierwright (?:[^\\\n]|\\\n)*", example, re.MULTILINE)
    assert len(commands) == 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    for command in commands:
        _, *arguments = shlex.split(command.replace("\\\n", " "), comments=True)
        capsys.readouterr()
        assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # Which of model and replay counted them is part of what is said.
    assert found["decided_by"] == "replay"
    assert found["load_sentence"].endswith(", as the replay counts them.")
    quoted = readme.split("by scripts/generate_readme.py -->", 1)[1]
    quoted = quoted.split("<!-- end -->", 1)[0]
    assert found["load_sentence"] in quoted
    assert found["load_verdict"] in quoted
