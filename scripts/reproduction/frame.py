"""One entry of the table of experiments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reproduction.lab import Lab
from reproduction.rules import Judged, Outcome, Rule, Verdict, shown, worst

DIGITS = 6
"""Significant digits of a figure that is kept."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper says, and how ours is compared.

    Attributes
    ----------
    says : str
        The published number or shape, in our words.
    where : str
        Its place in the paper.
    rule : Rule
        How it is compared.
    because : str
        Why ours differs; given if and only if it does. `{name}` is a figure of the outcome, `{line@x}` the y of a line at x.
    """

    says: str
    where: str
    rule: Rule
    because: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines of the outcome, drawn: all of them unless `lines` names some; wide ranges as logarithms unless `is_linear`."""

    across: str
    up: str
    lines: tuple[str, ...] = ()
    is_linear: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table or figure of a paper.

    Attributes
    ----------
    id : str
        Of the kept outcome and the picture.
    paper, shows, title : str
        Key of `PAPERS`; which table or figure; what it is about.
    setting : str
        On what ours is computed.
    compute : callable
        Computes ours: figures by name, lines of points by name.
    claims : tuple of Claim
        At least one.
    chart : Chart or None
        Of the lines.
    tuned : tuple of str
        Constants that we chose, since the paper does not state them.
    is_long : bool
        Computed again by the long tests alone; the others by every run of the tests.
    """

    id: str
    paper: str
    shows: str
    title: str
    setting: str
    compute: Callable[[Lab], Figures]
    claims: tuple[Claim, ...]
    chart: Chart | None = None
    tuned: tuple[str, ...] = ()
    is_long: bool = False

    def judge(self, outcome: Outcome) -> list[Judged]:
        """Compare every claim."""
        return [claim.rule.judge(outcome) for claim in self.claims]

    def verdict(self, outcome: Outcome) -> Verdict:
        """Return the worst verdict of its claims."""
        return worst([each.verdict for each in self.judge(outcome)])


@dataclass(slots=True)
class Figures:
    """What a computation fills."""

    values: dict[str, float] = field(default_factory=dict)
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, line: str, x: float, y: float) -> None:
        """Add a point to a line."""
        self.lines.setdefault(line, []).append((x, y))


_FIGURE = re.compile(r"\{([^{}@]+)(?:@([^{}@]+))?\}")


def reason(claim: Claim, outcome: Outcome) -> str:
    """Return why ours differs, with its figures as they are now."""

    def figure(found: re.Match[str]) -> str:
        name, at = found.groups()
        if at is None:
            return shown(outcome.values[name])
        return shown({x: y for x, y in outcome.lines[name]}[float(at)])  # noqa: C416  # points are lists

    return _FIGURE.sub(figure, claim.because)


def kept(figures: Figures) -> dict[str, Any]:
    """Return figures as they are kept: rounded, plain."""
    return {
        "values": {name: rounded(value) for name, value in figures.values.items()},
        "lines": {
            name: [[rounded(x), rounded(y)] for x, y in line]
            for name, line in figures.lines.items()
        },
    }


def rounded(value: float) -> float:
    """Round to the digits that are kept."""
    return float(f"{float(value):.{DIGITS}g}")


def outcome_of(document: Mapping[str, Any]) -> Outcome:
    """Return the outcome that was kept."""
    lines: Mapping[str, Sequence[Sequence[float]]] = document["lines"]
    return Outcome(values=document["values"], lines=lines)
