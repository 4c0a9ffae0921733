"""Parameters in messages: every mark is known, and every door spells it in its own words."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from tierwright.cli.app import app, main
from tierwright.common.answer import Answer
from tierwright.common.cautions import Caution
from tierwright.common.core_errors import TraceError
from tierwright.common.errors import BadInput
from tierwright.common.parameters import MARK, PARAMETERS, Door, spelled
from tierwright.profile.document import read_profile
from tierwright.trace import reading
from tierwright.trace.reading import Trace

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models" / "python" / "tierwright"
CORE = ROOT / "models" / "crates"

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OTHER_PROGRAMS = {
    "hardware/fio.py": {"--output-format"},
    "hardware/smart.py": {"--json"},  # of smartctl
    "profile/next_step.py": {"--csv"},  # of psql
    "hardware/imports/host/machine.py": {"--json"},  # of smartctl
    "hardware/imports/host/programs.py": {"--json"},  # of smartctl
    "simulator/src/trace/archive.rs": {"--sparse"},  # of tar
    "simulator/src/trace/streams.rs": {"--long"},  # of zstd
}
"""Options in messages that are not ours."""
WRITE_COMMAND_LINES = {
    "advise/report/_paper.py",
    "hardware/measure/fio_program.py",  # of fio
    "hardware/measure/plan.py",  # of fio, and of `tierwright device measure`
    "advise/report/_style.py",  # names of colours in a style sheet
}
"""Modules whose strings are command lines to execute or a style sheet, not messages."""
TOML_TABLES = {"hardware/fio.py": {"[[measurements]]"}}
"""What looks like a mark in a file that is written."""


def check_words() -> ModuleType:
    path = ROOT / "scripts" / "check_words.py"
    spec = importlib.util.spec_from_file_location("check_words", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_words"] = module  # its dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@cache
def said() -> list[tuple[str, str]]:
    """Strings of the models outside the command line, and of the core, with their file.

    Read when a test asks, not by every process that only lists the tests.
    """
    return list(_said())


def _said() -> Iterator[tuple[str, str]]:
    words = check_words()
    for path in sorted(MODELS.rglob("*.py")):
        name = path.relative_to(MODELS).as_posix()
        if not name.startswith("cli/"):
            text = path.read_text(encoding="utf-8")
            yield from ((name, one) for _, one in words.python_strings(text))
    for path in sorted(CORE.glob("*/src/**/*.rs")):
        name = path.relative_to(CORE).as_posix()
        text = path.read_text(encoding="utf-8")
        yield from ((name, one) for _, one in words.rust_strings(text))


def test_the_sources_are_read() -> None:
    files = {name for name, _ in said()}
    assert {"hardware/fio.py", "simulator/src/trace/normalise.rs"} <= files
    assert not any(name.startswith("cli/") for name in files)
    assert any("[[page_bytes]]" in text for _, text in said())


def test_every_mark_is_known_and_every_parameter_is_named() -> None:
    named = set()
    for name, text in said():
        if name == "common/parameters.py":
            continue
        for mark in re.findall(r"\[\[[a-z].*?\]\]", text):
            if mark in TOML_TABLES.get(name, ()):
                continue
            found = MARK.fullmatch(mark)
            assert found, f"{name}: `{mark}` is not a mark"
            assert found["name"] in PARAMETERS, f"{name}: `{mark}` is not in the table"
            named.add(found["name"])
    assert named == set(PARAMETERS)


def test_no_message_names_an_option_of_the_command_line() -> None:
    found: dict[str, set[str]] = {}
    for name, text in said():
        if name != "common/parameters.py" and name not in WRITE_COMMAND_LINES:
            for option in OPTION.findall(text):
                found.setdefault(name, set()).add(option)
    assert found == OTHER_PROGRAMS


def commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """The commands of the program with their names, groups among them."""
    yield name, command
    for key, one in getattr(command, "commands", {}).items():
        yield from commands(f"{name} {key}", one)


def test_what_is_typed_exists_on_the_command_line() -> None:
    found = dict(commands("tierwright", typer.main.get_command(app)))
    options = {
        option
        for command in found.values()
        for parameter in command.params
        for option in parameter.opts
    }
    assert "--format" in options
    for name, parameter in PARAMETERS.items():
        typed = parameter.typed
        known = typed in options or typed.strip("`") in found
        assert known, f"{name}: there is no `{typed}`"
        assert typed.startswith("--") or re.fullmatch(r"`tierwright .*`", typed), name


def test_words_name_no_option_and_no_identifier() -> None:
    for name, parameter in PARAMETERS.items():
        for words in (parameter.said(None), parameter.said("7")):
            assert not re.search(r"--|_|`|\[|\{", words), f"{name}: {words}"
        assert "7" in parameter.said("7"), name


@pytest.mark.parametrize(
    ("text", "command", "api", "notebook"),
    [
        ("use a larger [[page_bytes]]", "use a larger --page-bytes", *["use a larger page size"] * 2),
        ("give [[the page_bytes]]", "give --page-bytes", *["give the page size"] * 2),
        ("with [[format=csv]].", "with --format csv.", *["with format csv."] * 2),
        (
            "such as [[a page_bytes=8192]]",
            "such as --page-bytes 8192",
            *["such as a page size of 8192 bytes"] * 2,
        ),
        (
            "[[format=csv]] and [[the column=key=lbn]]",
            "--format csv and --column key=lbn",
            *["format csv and the column mapping key=lbn"] * 2,
        ),
        (
            "raise [[the max_expansion]]",
            "raise --max-expansion",
            "raise the limit on the expansion (TIERWRIGHT_TRACE_MAX_EXPANSION)",
            "raise the limit on the expansion",
        ),
        (
            "[[the trace_preview]] shows it",
            "`tierwright trace preview` shows it",
            *["the preview shows it"] * 2,
        ),
        ("without a mark", *["without a mark"] * 3),
        ("`[[my_column]]` of a file", *["`[[my_column]]` of a file"] * 3),
        ("[[1, 2], [3, 4]] [[true]]", *["[[1, 2], [3, 4]] [[true]]"] * 3),
    ],
)  # fmt: skip
def test_each_door_spells_in_its_words(
    text: str, command: str, api: str, notebook: str
) -> None:
    found = [spelled(text, door) for door in (Door.COMMAND, Door.API, Door.NOTEBOOK)]
    assert found == [command, api, notebook]


TABLE = "version,time,op,lbn\n1,5633898,2a,42932745\n"


def undecided(folder: Path) -> Path:
    path = folder / "table.txt"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_an_error_of_the_core_in_a_notebook_says_words(tmp_path: Path) -> None:
    with pytest.raises(TraceError) as caught:
        reading.inspect(Trace(undecided(tmp_path)))
    message, hint = caught.value.args
    assert "[[the format]]" in hint  # as it is kept
    text = str(caught.value)
    assert text.startswith(f"{message}\nhint: give the format: ")
    assert "with format csv and a column mapping" in text
    assert "[[" not in text


def test_an_error_of_the_core_on_the_command_line_says_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", "inspect", str(undecided(tmp_path))]) == 2
    error = capsys.readouterr().err
    assert "hint: give --format: " in error
    assert "--format csv and a column mapping" in error
    assert "[[" not in error


def test_errors_and_answers_of_the_models_in_a_notebook_say_words() -> None:
    error = BadInput("[[timeout_s]]: `0` is not above 0", "raise [[the timeout_s]]")
    assert str(error) == "time limit: `0` is not above 0\nhint: raise the time limit"
    assert error.hint == "raise [[the timeout_s]]"
    about = Caution("a", "split by [[page_bytes]] <", "give [[the page_bytes]]")
    shown = Answer(finding="Found.", warnings=(about,))._repr_html_()
    assert "<b>split by page size &lt;</b>: " in shown
    assert "; give the page size</li>" in shown


UNALIGNED = "".join(f"{i},{i * 4096 + 512},4096,r\n" for i in range(20))
READ_AS = ["--format", "csv"]


def test_warnings_are_spelled_where_shown_and_kept_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "p.json"
    path.write_text("time,offset,size,op\n" + UNALIGNED, encoding="utf-8")
    mapping = [
        part
        for column in ("time=time", "time_unit=s", "offset=offset", "size=size", "op=op")
        for part in ("--column", column)
    ]  # fmt: skip
    asked = [str(path), *READ_AS, *mapping, "--json"]
    assert main(["trace", "inspect", *asked]) == 0
    shown = capsys.readouterr()
    assert "use a smaller --page-bytes to see" in shown.out
    assert "[[" not in shown.out + shown.err
    # A profile is read by other doors, whichever way it was written.
    assert main(["profile", *asked, "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert "use a smaller --page-bytes to see" in shown.err
    assert "[[" not in shown.err
    for kept in (shown.out, out.read_text(encoding="utf-8")):
        assert "use a smaller [[page_bytes]] to see" in kept
    [note] = [
        one
        for one in read_profile(out).curve.notes.warnings
        if one.name == "unaligned_requests"
    ]
    assert spelled(note.hint, Door.API).startswith("use a smaller page size to see")
