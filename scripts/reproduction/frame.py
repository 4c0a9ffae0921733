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
    measured : str
        Why ours differs, as far as a replay, a count or a formula of ours shows it. `{name}` is a figure of the outcome,
        `{line@x}` the y of a line at x.
    inferred : str
        Why ours differs, as far as we conclude it without a measurement. One of both is given if and only if ours differs.
    """

    says: str
    where: str
    rule: Rule
    measured: str = ""
    inferred: str = ""

    @property
    def has_reason(self) -> bool:
        """Return whether the entry expects ours to differ."""
        return bool(self.measured or self.inferred)


@dataclass(frozen=True, slots=True)
class Tuned:
    """A constant that we chose, since the paper does not state it or ours cannot have it.

    Attributes
    ----------
    what : str
        The constant.
    tried : str
        How it was chosen, and what else was tried.
    changes : str
        What another choice changes. In both, `{name}` and `{line@x}` as in a claim. Both are given by one experiment of a
        paper that has the constant; the others name it alone.
    """

    what: str
    tried: str = ""
    changes: str = ""

    @property
    def named(self) -> Tuned:
        """Return the constant without what one experiment says of it."""
        return Tuned(self.what)


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines of the outcome, drawn: all of them unless `lines` names some; wide ranges as logarithms unless `is_linear`."""

    across: str
    up: str
    lines: tuple[str, ...] = ()
    is_linear: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Figures of the outcome, drawn as bars in groups, each beside what its claims say was published.

    Attributes
    ----------
    of : str
        What a bar is, with its unit.
    groups : mapping
        The figures of each group: their titles, and their names in the outcome (`line@x` the y of a line at x). A title
        is "" where a group has one figure.
    is_log : bool
        Whether bars are logarithms, which begin below the least of them: figures that lie far apart.
    """

    of: str
    groups: Mapping[str, Mapping[str, str]]
    is_log: bool = False


def single(figures: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return groups of one figure each."""
    return {title: {"": name} for title, name in figures.items()}


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
        On what ours is computed; with figures as in a claim.
    compute : callable
        Computes ours: figures by name, lines of points by name.
    claims : tuple of Claim
        At least one.
    chart : Chart, tuple of Bars or None
        Of the lines, or of single figures: one panel for each unit.
    tuned : tuple of Tuned
        Constants that we chose.
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
    chart: Chart | tuple[Bars, ...] | None = None
    tuned: tuple[Tuned, ...] = ()
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

    def __or__(self, other: Figures) -> Figures:
        """Return the figures of both."""
        return Figures(self.values | other.values, self.lines | other.lines)

    def add(self, line: str, x: float, y: float) -> None:
        """Add a point to a line."""
        self.lines.setdefault(line, []).append((x, y))


_FIGURE = re.compile(r"\{([^{}@]+)(?:@([^{}@]+))?\}")


MEASURED = "(measured here)"
INFERRED = "(inferred, not measured here)"


def reason(claim: Claim, outcome: Outcome) -> str:
    """Return why ours differs, each part with its basis and its figures as they are now."""
    parts = ((MEASURED, claim.measured), (INFERRED, claim.inferred))
    given = [f"{basis} {filled(text, outcome)}" for basis, text in parts if text]
    return "; ".join(given)


def filled(text: str, outcome: Outcome) -> str:
    """Return a text with the figures of an outcome in place of their names."""

    def figure(found: re.Match[str]) -> str:
        name, at = found.groups()
        return shown(figure_of(outcome, name if at is None else f"{name}@{at}"))

    return _FIGURE.sub(figure, text)


def figure_of(outcome: Outcome, name: str) -> float:
    """Return a figure of an outcome: a value by its name, or by `line@x` the y of a line at x."""
    line, _, at = name.partition("@")
    if not at:
        return outcome.values[name]
    return {x: y for x, y in outcome.lines[line]}[float(at)]  # noqa: C416  # points are lists


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
