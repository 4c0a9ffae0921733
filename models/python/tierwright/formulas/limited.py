"""A formula asked in a process of its own, so that it ends when its time is over."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tierwright.errors import BadInput, Problem, TierwrightError

TIMEOUT_S = 60.0
MOST_TIMEOUT_S = 86_400.0


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
        As `ask` does; if the time is over or out of range, or the process died.
    """
    if not 0 < timeout_s <= MOST_TIMEOUT_S:
        raise BadInput(
            f"--timeout-s: `{timeout_s:g}` is not above 0 and at most {MOST_TIMEOUT_S:g}",
            "give seconds, such as 60",
        )
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tierwright.formulas.child"],
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
            "give smaller inputs, or more time with --timeout-s",
        ) from None
    if ended.returncode != 0:
        last = ended.stderr.strip().rpartition("\n")[2]
        raise BadInput(
            f"formula `{name}`: the process that computed it ended early: {last}",
            "give smaller inputs",
        )
    return answer_of(json.loads(ended.stdout))


def answer_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer that a child process printed.

    Raises
    ------
    BadInput
        If it printed an error.
    """
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
    """Ask a formula; return the answer or the error as plain data."""
    from tierwright.formulas.answer import ask

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
            f"formula `{name}`: the inputs ask for more memory than there is",
            "give smaller numbers",
            [],
        )


def _error(
    message: str, hint: str, problems: list[tuple[str, str, str]]
) -> dict[str, Any]:
    return {"error": {"message": message, "hint": hint, "problems": problems}}
