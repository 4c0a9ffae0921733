"""The command line, driven inside the process of the tests: its start takes half a second.

What needs a process of its own (signals, closed pipes, what is imported) starts one itself.
"""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any, NamedTuple

from tierwright.cli.app import main


class Ended(NamedTuple):
    """What a command has done."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Ended:
    """Run the command; neither output is a terminal."""
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        for _ in range(2)
    )
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    written, said = (
        stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
        for stream in (out, err)
    )
    return Ended(code, written, said)


def answer(*arguments: object) -> Any:
    """Return the one JSON document of a command that succeeds and says nothing else."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, f"{arguments}\n{done.stderr[-2000:]}"
    assert done.stderr == "", "progress and warnings would be here only on a terminal"
    return json.loads(done.stdout)
