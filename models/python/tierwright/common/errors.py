"""Errors that name what was wrong, where, and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import walk_tb

from tierwright.common.parameters import Door, spelled
from tierwright.common.wording import counted


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    Attributes
    ----------
    where : str
        Place: parameter, key of a file, `file: key`.
    value : str
        The offending value as text; empty when something is absent.
    message : str
        What is wrong with it.
    """

    where: str
    value: str
    message: str

    def __str__(self) -> str:
        shown = f" `{self.value}`" if self.value else ""
        return f"{self.where}:{shown} {self.message}"


class TierwrightError(Exception):
    """Base of the package's errors.

    Parameters
    ----------
    message : str
        What is wrong, with the value in backticks; names parameters by marks
        (`tierwright.common.parameters`).
    hint : str
        The next step, without the word "hint"; with marks too.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return _text_of(self.message, self.hint)


def _text_of(message: str = "", hint: str = "") -> str:
    return spelled(f"{message}\nhint: {hint}" if hint else message, Door.NOTEBOOK)


def text_of_core(error: Exception) -> str:
    """Return the text of an error of the core: its `str`, which the core sets to this.

    Parameters
    ----------
    error : Exception
        With args `(message, hint)`.
    """
    return _text_of(*map(str, error.args[:2]))


class BadInput(TierwrightError):
    """An input is outside a formula's domain, or a file does not follow its format.

    Parameters
    ----------
    message, hint : str
        As in `TierwrightError`.
    problems : tuple of Problem
        Every problem found; one is made from the message when none is given.
    kind : str
        Class of the error, as conformance vectors name it (`domain`).
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        problems: tuple[Problem, ...] = (),
        *,
        kind: str = "domain",
    ) -> None:
        super().__init__(message, hint)
        self.problems = problems
        self.kind = kind


class Defect(Exception):
    """Tierwright itself went wrong on inputs that it had found sound.

    No `TierwrightError`, so that nobody tells it as a fault of the input.

    Parameters
    ----------
    message : str
        What went wrong, and where.
    trace : str
        The trace of a process that has ended, for the report.
    """

    hint = "this is a bug in Tierwright: report it with these lines and the inputs"

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message, trace)
        self.message = message
        self.trace = trace

    def __str__(self) -> str:
        return f"{self.trace.rstrip()}\n{self.message}" if self.trace else self.message


def defect_of(error: Exception) -> tuple[str, str]:
    """Say what nobody foresaw, with its place, and what to do about it.

    Returns
    -------
    message : str
        What went wrong and in which line of ours; the core names its own.
    hint : str
        Next step.
    """
    from tierwright.common.core_errors import CoreDefect

    if isinstance(error, CoreDefect):
        return str(error.args[0]), Defect.hint
    if isinstance(error, Defect):
        return error.message, Defect.hint
    message = f"internal error: {type(error).__name__}: {error}"
    ours = [
        f"{name}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if (name := frame.f_globals.get("__name__", "")).startswith("tierwright")
    ]
    return f"{message} ({ours[-1]})" if ours else message, Defect.hint


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Problems:
    """Collects the problems of one input, so that all are shown together.

    Parameters
    ----------
    subject : str
        What is being checked, for the head line: a file, `evaluate`.
    hint : str
        Next step shown under the list.
    """

    def __init__(self, subject: str, hint: str = "") -> None:
        self.subject = subject
        self.hint = hint
        self.found: list[Problem] = []

    def add(self, where: str, value: object, message: str) -> None:
        """Note one problem; `value` None means that something is absent."""
        text = "" if value is None else str(value)
        # A key of the input may be part of the place, and as long as a value.
        self.found.append(
            Problem(_shortened(where, 200), _shortened(text, 80), message)
        )

    def check(self, condition: object, where: str, value: object, message: str) -> bool:
        """Note a problem unless `condition` holds; return whether it held."""
        if not condition:
            self.add(where, value, message)
        return bool(condition)

    def raise_if_any(self) -> None:
        """Raise `BadInput` with every problem noted so far.

        Raises
        ------
        BadInput
            If there is at least one.
        """
        if not self.found:
            return
        if len(self.found) == 1:
            message = f"{self.subject}: {self.found[0]}"
        else:
            lines = "\n".join(f"  - {problem}" for problem in self.found)
            message = f"{self.subject}: {counted(len(self.found), 'problem')}\n{lines}"
        raise BadInput(message, self.hint, tuple(self.found))


@contextmanager
def collected(subject: str, hint: str = "") -> Iterator[Problems]:
    """Collect problems in a `with` block and raise them together at its end."""
    problems = Problems(subject, hint)
    yield problems
    problems.raise_if_any()
