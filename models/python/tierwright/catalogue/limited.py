"""A formula asked in a process of its own, so that it ends when its time is over."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from traceback import format_exc
from typing import Any

from tierwright.common.errors import BadInput, Defect, Problem, TierwrightError

TIMEOUT_S = 60.0
MOST_TIMEOUT_S = 86_400.0
KILLED = frozenset({-signal.SIGKILL, -signal.SIGABRT, -signal.SIGTERM, -signal.SIGXCPU})
"""How a process ends that asks for too much: the core aborts, the system kills."""


def ask_within(
    name: str, inputs: Mapping[str, Any], timeout_s: float = TIMEOUT_S
) -> dict[str, Any]:
    """Ask a formula, and end the computation when the time is over.

    Parameters
    ----------
    name, inputs
        As of `ask`.
    timeout_s : float
        Above 0, a day at most. [s]

    Returns
    -------
    dict
        As `Answer.to_dict`.

    Raises
    ------
    BadInput
        As `ask` does; if the time is over or out of range, or the process was killed, as it is
        where memory is short.
    Defect
        If the process failed.
    """
    if not 0 < timeout_s <= MOST_TIMEOUT_S:
        raise BadInput(
            f"[[timeout_s]]: `{timeout_s:g}` is not above 0 and at most {MOST_TIMEOUT_S:g}",
            "give seconds, such as 60",
        )
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tierwright.catalogue.child"],
            input=json.dumps({"name": name, "inputs": inputs}),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BadInput(
            f"formula `{name}` took more than {timeout_s:g} s and was stopped",
            "give smaller inputs, or raise [[the timeout_s]]",
        ) from None
    if ended.returncode in KILLED:
        last = ended.stderr.strip().rpartition("\n")[2]
        raise BadInput(
            f"formula `{name}`: the process that computed it was killed: {last}",
            "give smaller inputs, or more memory",
        )
    if ended.returncode != 0:
        raise failed(name, f"exit code {ended.returncode}", ended.stderr)
    return answer_of(json.loads(ended.stdout))


def answer_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer that a child process printed.

    Raises
    ------
    BadInput
        If it printed an error.
    Defect
        If it printed what went wrong with sound inputs.
    """
    defect = document.get("defect")
    if defect is not None:
        raise Defect(defect["message"], defect["trace"])
    error = document.get("error")
    if error is not None:
        raise BadInput(
            error["message"],
            error["hint"],
            tuple(Problem(*parts) for parts in error["problems"]),
        )
    answer: dict[str, Any] = document["answer"]
    return answer


def document_of(name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Ask a formula; return the answer, the error or the defect as plain data."""
    from tierwright.catalogue.answer import ask

    try:
        return {"answer": ask(name, inputs).to_dict()}
    except TierwrightError as error:
        problems = [
            (each.where, each.value, each.message)
            for each in getattr(error, "problems", ())
        ]
        return _error(error.message, error.hint, problems)
    except (MemoryError, RecursionError):
        return _error(
            f"formula `{name}`: the inputs need more memory than is available",
            "give smaller numbers",
            [],
        )
    except OSError as error:  # a replay writes its trace into the temporary folder
        return _error(
            f"formula `{name}`: {error.filename or 'temporary folder'}: {error.strerror}",
            "check the free space and permissions of the temporary folder (TMPDIR)",
            [],
        )
    except Exception as error:
        found = failed(name, f"{type(error).__name__}: {error}", format_exc())
        return {"defect": {"message": found.message, "trace": found.trace}}


def failed(name: str, how: str, trace: str) -> Defect:
    """Return what is told where a formula fails on inputs that were found sound."""
    return Defect(f"formula `{name}` failed on valid inputs: {how}", trace)


def _error(
    message: str, hint: str, problems: list[tuple[str, str, str]]
) -> dict[str, Any]:
    return {"error": {"message": message, "hint": hint, "problems": problems}}
