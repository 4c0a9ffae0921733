"""The text of an advice: sentences end where the terminal does, a pipe gets them whole, and quantities have their units."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
from command import answer, run
from test_quote_ranking import ROOT

from tierwright.advise import report
from tierwright.cli.app import main


class Terminal(io.StringIO):
    """What says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(*arguments: object) -> tuple[str, str]:
    """Return what a command prints where both outputs are terminals."""
    with (
        contextlib.redirect_stdout(Terminal()) as out,
        contextlib.redirect_stderr(Terminal()) as err,
    ):
        assert main([str(argument) for argument in arguments]) == 0
    return out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    folder: Path = tmp_path_factory.mktemp("text")
    trace = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
    (folder / "p.json").write_text(
        json.dumps(answer("profile", trace)), encoding="utf-8"
    )
    (folder / "c.toml").write_text(
        'kinds = ["instances"]\nservers = ["aws-i4i.xlarge", "aws-i3en.6xlarge"]\n',
        encoding="utf-8",
    )
    return [
        *("advise", folder / "p.json", "--candidates", folder / "c.toml"),
        *("--data", "500GiB", "--accesses-per-second", "3000", "--assumptions"),
    ]


def words(text: str) -> list[str]:
    return text.split()


def tables(text: str) -> set[str]:
    """Lines of tables: from the line of dashes on, as many as are as wide as it at most."""
    lines = text.split("\n")
    found: set[str] = set()
    for at, line in enumerate(lines):
        if re.fullmatch(r"-[- ]*", line):
            found |= {lines[at - 1], line}
            for row in lines[at + 1 :]:
                # The cells of a row stand in columns, two spaces apart.
                if "  " not in row:
                    break
                found.add(row)
    return found


@pytest.mark.parametrize("columns", [80, 50])
def test_sentences_end_where_the_terminal_does(
    question: list[object], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = run(*question)
    monkeypatch.setenv("COLUMNS", str(columns))
    out, err = on_terminal(*question)
    assert words(out) == words(piped.stdout)
    in_tables = tables(out)
    assert in_tables == tables(piped.stdout)
    for line in [*out.split("\n"), *err.split("\n")]:
        # One word that is too long, such as a path, stays in one piece.
        assert len(line) <= columns or line in in_tables or " " not in line.strip(), (
            line
        )
    # What is piped is one line a sentence, whatever the width.
    finding = json.loads(run(*question, "--json").stdout)["finding"]
    assert finding in piped.stdout.split("\n")
    assert finding not in out.split("\n")


def test_ram_that_is_reserved_has_its_unit(question: list[object]) -> None:
    [line] = [
        line
        for line in run(*question).stdout.split("\n")
        if line.endswith("RAM reserved for the system")
    ]
    assert line.split()[:2] == ["4", "GiB"]
    document = json.loads(run(*question, "--json").stdout)
    page = report.html(document)
    # One of each bill, and one where the prices are from.
    rows = re.findall(r"<tr><th[^>]*>RAM reserved for the system</th>(.*?)</tr>", page)
    cells = {re.findall(r"<td[^>]*>(.*?)</td>", row)[0] for row in rows}
    assert "4 GiB" in cells
    assert "4" not in cells
    # The document keeps the number, as that of a bill does.
    [stated] = [
        each
        for each in document["recommendation"]["bill"]
        if each["kind"] == "reserved"
    ]
    assert (stated["quantity"], stated["unit"]) == (4, "USD/GiB")
