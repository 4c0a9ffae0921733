"""What every question answers: a finding in words, numbers with units, warnings, and the derivation.

A module of `tierwright.advise` makes it; a notebook, the command line, the server and the page show
it. Nobody else puts its sentences, numbers or steps together.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from html import escape
from typing import Any, ClassVar

import numpy as np

from tierwright.common.cautions import (
    Caution,
    Weigh,
    Weighed,
    anywhere,
    choosing_nothing,
    weighed,
)
from tierwright.common.derivation import Derivation, plain
from tierwright.common.parameters import Door, spelled
from tierwright.common.wording import three_digits


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of an answer, for people and for machines.

    Attributes
    ----------
    name : str
        Key in documents; ends in its unit where the unit is not plain from it.
    title : str
        What it is, in words.
    value : int, float, Decimal, str or None
        In `unit`; None where it is not known, a text where the answer is a name.
    unit : str
        `1` for ratios, empty for names.
    """

    name: str
    title: str
    value: float | Decimal | str | None
    unit: str = ""

    @property
    def text(self) -> str:
        """The value with three significant digits and its unit."""
        if self.value is None:
            return "not known"
        if isinstance(self.value, str):
            return self.value
        unit = "" if self.unit in ("", "1") else f" {self.unit}"
        return f"{three_digits(float(self.value))}{unit}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation: a formula with its numbers put in.

    Attributes
    ----------
    name : str
        What is computed.
    formula : str
        The equation, and the numbers put in.
    value : float or None
        The result in `unit`; None where it is not defined.
    unit : str
        `1` for ratios.
    source : str
        Paper and equation.
    subject : str or None
        What it is about where an answer compares several: a scheme, a device. None: all of them.
    """

    name: str
    formula: str
    value: float | None
    unit: str
    source: str
    subject: str | None = None


def step(derivation: Derivation, subject: str | None = None) -> Step:
    """Make the step of a derivation."""
    value = derivation.value
    number = None if value is None else float(np.asarray(value, dtype=np.float64))
    return Step(
        derivation.result,
        derivation.substituted,
        number if number is None or math.isfinite(number) else None,
        derivation.unit,
        derivation.source,
        subject,
    )


def steps(
    derivations: Iterable[Derivation], subject: str | None = None
) -> Iterator[Step]:
    """Make the steps of derivations about one subject."""
    return (step(each, subject) for each in derivations)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of a question.

    Attributes
    ----------
    finding : str
        What was found, in a sentence or two, with its numbers.
    warnings : tuple of Caution
        What to know before relying on it.
    explain : callable
        Makes the steps of the derivation; called only where they are asked for.
    weigh : callable or None
        Computes what a caution could change; None: what holds whatever the question.
    chooses : bool
        Whether the question chooses something; otherwise no caution can change a choice.
    """

    finding: str
    warnings: tuple[Caution, ...] = ()
    explain: Callable[[], Iterable[Step]] = field(
        default=tuple, repr=False, compare=False
    )
    weigh: Weigh | None = field(default=None, repr=False, compare=False)
    chooses: ClassVar[bool] = True

    @cached_property
    def cautions(self) -> tuple[Weighed, ...]:
        """The warnings with their effects, one of a kind, the most important first."""
        weigh = self.weigh or (anywhere if self.chooses else choosing_nothing)
        return weighed(self.warnings, weigh)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The numbers that the finding rests on, the most important first."""
        return ()

    def derivation(self) -> tuple[Step, ...]:
        """Return every formula with the numbers put in. Made anew at each call."""
        return tuple(self.explain())

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON: the finding, the numbers, and all that the answer holds.

        Parameters
        ----------
        derivation : bool
            Whether the steps are wanted too; many, and mostly not looked at.
        """
        found: dict[str, Any] = {
            "finding": self.finding,
            "numbers": plain(list(self.figures)),
            "warnings": plain(list(self.warnings)),
            "cautions": plain(list(self.cautions)),
        }
        for spec in dataclasses.fields(self):
            if spec.name not in (*found, "explain", "weigh"):
                value = getattr(self, spec.name)
                found |= (
                    {spec.name: value.to_dict()}
                    if hasattr(value, "to_dict")
                    # With its name, by which money is told.
                    else plain({spec.name: value})
                )
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found

    def _repr_html_(self) -> str:
        """Show it in a notebook: the finding, the numbers as a table, the warnings."""
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(each.title)}</th>"
            f"<td style='text-align:right'>{escape(each.text)}</td></tr>"
            for each in self.figures
        )
        warned = "".join(
            f"<li><b>{_said(each.message)}</b>: {_said(each.effect)}; "
            f"{_said(each.hint)}</li>"
            for each in self.cautions
        )
        return (
            f"<p>{_said(self.finding)}</p>"
            + (f"<table>{rows}</table>" if rows else "")
            + (f"<ul>{warned}</ul>" if warned else "")
        )


def _said(text: str) -> str:
    return escape(spelled(text, Door.NOTEBOOK))
