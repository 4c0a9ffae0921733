"""A defect in a job is told at once, with its place; nothing is tried again."""

import subprocess
import sys
from typing import Any

import pytest

from tierwright import _simulator
from tierwright.common.errors import Defect
from tierwright_server import job_child
from tierwright_server.jobs.runs.states import RunKind


class Silent(job_child._Stdout):
    def write(self, line: dict[str, Any]) -> None:
        raise AssertionError(line)


def broken(*_: Any) -> dict[str, Any]:
    return {"result": {}["missing"]}


@pytest.mark.parametrize(
    ("work", "message", "place"),
    [
        (lambda *_: _simulator._panic("on purpose"), "on purpose", "guard.rs:"),
        (broken, "KeyError: 'missing'", "tierwright_server.job_child, line"),
    ],
)
def test_a_defect_is_the_answer_of_a_job(
    monkeypatch, capsys, work, message, place
) -> None:
    monkeypatch.setattr(job_child, "work_of", lambda _: work)
    answer = job_child._work(
        {"kind": "sweep", "input": {}, "memory_bytes": 2**30}, Silent()
    )
    error = answer["error"]
    assert message in error["message"]
    assert place in error["message"]
    assert error["hint"] == Defect.hint
    assert error["defect"] is True
    # The trace goes to the log of the worker.
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [kind.value for kind in RunKind])
def test_a_job_starts_without_what_only_the_server_needs(kind):
    """Each takes a second to import, which a short job would mostly consist of."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from tierwright_server.job_child import work_of\n"
            f"work_of({kind!r})\n"
            "print([name for name in ('fastapi', 'sqlalchemy', 'structlog', 'scipy') "
            "if name in sys.modules])",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert said == "[]\n"
