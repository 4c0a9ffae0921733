"""A kept answer beside the present one: which figures differ, and what changed since."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tierwright.common.wording import counted

_EQUAL = 1e-9
"""Figures closer than this share are equal: sums may be added in another order."""


@dataclass(frozen=True, slots=True)
class FigureSince:
    """One figure of an answer, then and now.

    Attributes
    ----------
    ask, name : str
        The question and its figure; `best` is the name of what is chosen.
    title : str
        In words.
    scheme : str or None
        The scheme it is about, if one.
    unit : str or None
        Of both values; None for words.
    before, now : float, str or None
        Numbers, money as decimals, or words; None where there was none.
    """

    ask: str
    name: str
    title: str
    scheme: str | None
    unit: str | None
    before: float | str | None
    now: float | str | None

    @property
    def changed(self) -> bool:
        """Whether they differ by more than the order of a sum."""
        one, other = _number(self.before), _number(self.now)
        if one is None or other is None:
            return self.before != self.now
        return not math.isclose(one, other, rel_tol=_EQUAL)

    @property
    def relative(self) -> float | None:
        """(now - before) / before of a changed number. [1]"""
        one, other = _number(self.before), _number(self.now)
        if not self.changed or one is None or other is None or one == 0:
            return None
        return float((other - one) / one)


def finding(
    figures: Sequence[FigureSince],
    changed_inputs: Sequence[str],
    models: tuple[str, str] | None,
) -> str:
    """Say what changed, and what of the answer.

    Parameters
    ----------
    figures : sequence of FigureSince
        Of the answer.
    changed_inputs : sequence of str
        Names of what the answer rests on that is not what it was.
    models : pair of str or None
        Version of the models that made the kept answer, and the present one; None if equal.
    """
    changed = [figure for figure in figures if figure.changed]
    because = _because(changed_inputs, models)
    if not changed:
        if not because:
            return "The answer is unchanged, and so is everything it rests on."
        return f"{because} The answer is unchanged."
    best = next((figure for figure in changed if figure.name == "best"), None)
    count = counted(
        len(changed),
        f"of {counted(len(figures), 'key figure')} differs from the saved one.",
        f"of {counted(len(figures), 'key figure')} differ from the saved ones.",
    )
    if best is None:
        return " ".join(filter(None, [because, count]))
    was, now = best.before or "none stated", best.now or "none stated"
    return " ".join(
        filter(None, [because, count, f"{best.title}: {was} then, {now} now."])
    )


def _because(changed_inputs: Sequence[str], models: tuple[str, str] | None) -> str:
    said = []
    if models is not None:
        made_by, present = models
        said.append(f"Saved under models {made_by}; the current ones are {present}.")
    if changed_inputs:
        said.append(f"Changed since then: {', '.join(changed_inputs)}.")
    return " ".join(said)


def _number(value: float | str | None) -> Decimal | None:
    """Return a number, or money; None for a word."""
    if value is None:
        return None
    try:
        return Decimal(str(value))
    except ArithmeticError:
        return None
