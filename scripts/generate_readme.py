"""Writes the worked example's answer into README.md, so that it stays true.

``python scripts/generate_readme.py [--check]``; the sentence stands between two comments, and is
computed by the commands that the page prints, from the trace that is shipped.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tierwright.advise.scale.request import read_production
from tierwright.cli.app import main as tierwright
from tierwright.common.units import format_bytes, parse_bytes

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PRINTED = re.compile(r"^# the worked example.*?\n(.*?)^```", re.DOTALL | re.MULTILINE)
PLACE = re.compile(
    r"(<!-- the answer, by scripts/generate_readme\.py -->\n).*?(\n<!-- end -->)",
    re.DOTALL,
)


def printed(text: str) -> list[list[str]]:
    """Return the arguments of each command of the worked example, as the page prints them.

    Parameters
    ----------
    text : str
        The page.

    Raises
    ------
    SystemExit
        If it prints none.
    """
    found = PRINTED.search(text)
    if found is None:
        raise SystemExit("error: README.md prints no command of the worked example")
    lines = found[1].replace("\\\n", " ").splitlines()
    commands = [shlex.split(line, comments=True) for line in lines]
    return [command[1:] for command in commands if command]


def asked(arguments: Sequence[str], folder: Path) -> Any:
    """Return the document that a command prints; what is made by it or by one before stands in a folder."""
    placed = [
        str(folder / each) if each.endswith(".json") else each for each in arguments
    ]
    out = io.StringIO()
    with (
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        code = tierwright([*placed, "--json"])
    if code:
        raise SystemExit(f"error: tierwright {arguments[0]} ended with {code}")
    return json.loads(out.getvalue())


def sentence(text: str) -> str:
    """Return what the commands of the worked example answer that the page prints.

    Parameters
    ----------
    text : str
        The page: a reader who runs what it prints gets what it quotes.
    """
    recording, scaling, evaluating = printed(text)
    with tempfile.TemporaryDirectory() as folder:
        made = asked(recording, Path(folder))
        asked(scaling, Path(folder))
        found = asked(evaluating, Path(folder))
    production = ROOT / scaling[scaling.index("--production") + 1]
    stated = read_production(production)["production"]
    ram = parse_bytes(evaluating[evaluating.index("--ram-pages") + 1])
    return (
        f"> The worked example: {made['accesses']:,} page accesses of TPC-C on PostgreSQL, scaled to {format_bytes(stated.data_bytes)} of data and\n"
        f"> {stated.accesses_per_s:,.0f} accesses per second, with {format_bytes(ram)} of RAM. {found['load_sentence']}\n"
        f"> **{found['load_verdict']}**"
    )


def main(arguments: list[str]) -> int:
    """Write the sentence, or say that it is not the present one."""
    text = README.read_text(encoding="utf-8")
    if not PLACE.search(text):
        print("error: README.md has no place for the answer")
        return 1
    fresh = PLACE.sub(lambda found: found[1] + sentence(text) + found[2], text)
    if "--check" in arguments:
        if fresh != text:
            print("error: the answer in README.md is out of date\nhint: make generate")
            return 1
        return 0
    README.write_text(fresh, encoding="utf-8")
    print("wrote README.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
