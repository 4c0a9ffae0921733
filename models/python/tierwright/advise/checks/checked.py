"""What every check by replay has in common: its figures, and what they say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from tierwright.common.answer import Answer, Figure
from tierwright.common.wording import percent
from tierwright.evaluate.scale.replays import ReplaySizes, writes_multiplied
from tierwright.profile.production import Scaled

REPLAYED = (
    "Every scheme was replayed on the trace at these sizes; the counted page "
    "operations replace the page-flow formulas."
)
SAME = 1e-9
"""Relative difference below which two figures are the same."""


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """One figure of an answer: by the model, and by a replay of the trace.

    Attributes
    ----------
    of : str
        Scheme or device of the figure.
    title, figure, unit : str
        Of it, in words.
    model, simulated : float or None
        In `unit`; None where unbounded or unknown.
    gap_relative : float or None
        (model - simulated) / simulated; None where either is, or the replay has 0. [1]
    """

    of: str
    title: str
    figure: str
    unit: str
    model: float | None
    simulated: float | None
    gap_relative: float | None


@dataclass(frozen=True, kw_only=True)
class Checked(Answer):
    """An answer and a replay of the trace at the same sizes.

    Attributes
    ----------
    rows : tuple of CheckedFigure
        Model and replay side by side.
    basis : str
        What was replayed, and what was not.
    decided : str or None
        The finding of the replay, where the model is not precise enough.
    """

    rows: tuple[CheckedFigure, ...]
    basis: str
    decided: str | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What the replay says."""
        return tuple(
            Figure(
                f"{row.of}_{row.figure}",
                f"{row.title}: {row.figure}",
                row.simulated,
                row.unit,
            )
            for row in self.rows
        )


_Found = TypeVar("_Found", bound=Checked)


def at_recorded_sizes(
    found: _Found, sizes: ReplaySizes | None, *, writes_of: Scaled | None = None
) -> _Found:
    """Say of a check in production that its replays were of the recording, and what they confirm.

    Parameters
    ----------
    found : Checked
        With the counters of these replays.
    sizes : ReplaySizes or None
        Their sizes; None where they are those of the answer.
    writes_of : Scaled, optional
        Given where what the replays write back was multiplied to be that of its production.
    """
    if sizes is None:
        said = writes_multiplied(writes_of)
        return (
            replace(found, finding=f"{found.finding} {said[0].upper()}{said[1:]}.")
            if said
            else found
        )
    said = sizes.sentence if writes_of is None else sizes.sentence_as_production
    decided = found.decided
    return replace(
        found,
        finding=f"{found.finding} {said}",
        basis=f"{found.basis} The sizes replayed are those of the recording.",
        decided=None if decided is None else f"{decided} {sizes.where}",
    )


def not_checked(sizes: ReplaySizes) -> Checked:
    """Say that no replay of a recording stands for production, why, and what would help.

    Parameters
    ----------
    sizes : ReplaySizes
        Which the recording `refuses`.
    """
    return Checked(
        finding=sizes.refusal,
        rows=(),
        basis=f"Nothing was replayed. To have this checked, {sizes.remedy}.",
    )


def row(
    of: str,
    title: str,
    figure: str,
    unit: str,
    model: float | None,
    simulated: float | None,
) -> CheckedFigure:
    """Put a figure of the model beside that of the replay."""
    one, other = _finite(model), _finite(simulated)
    return CheckedFigure(
        of=of,
        title=title,
        figure=figure,
        unit=unit,
        model=one,
        simulated=other,
        gap_relative=(one - other) / other
        if one is not None and other is not None and other != 0
        else None,
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


PAGE_FLOW_SCHEME = "page-flow scheme"
"""What a verdict is among where flash caches, which have no model, were replayed besides."""


def verdict(
    rows: Iterable[CheckedFigure],
    figure: str,
    best: Callable[..., CheckedFigure],
    *,
    among: str = "",
) -> str:
    """Say whether the replay chooses as the model does, and how far the model is off.

    Parameters
    ----------
    rows : iterable of CheckedFigure
        Those without a model are left out.
    figure : str
        How the name of the figure that decides begins.
    best : callable
        `min` or `max`.
    among : str
        What those with a model are, where others were replayed besides; empty where there are none.
    """
    known = [
        row
        for row in rows
        if row.figure.startswith(figure)
        and row.model is not None
        and row.simulated is not None
    ]
    if not known:
        return "Neither the model nor the replay yields a figure to compare."
    chosen = best(known, key=lambda row: row.model)
    right = best(known, key=lambda row: row.simulated)
    worst = max((abs(row.gap_relative or 0.0) for row in known), default=0.0)
    off = (
        "model and replay agree"
        if worst <= SAME
        else f"the model is off by at most {percent(worst)} in {figure}"
    )
    same = abs((chosen.simulated or 0.0) - (right.simulated or 0.0)) <= SAME * abs(
        right.simulated or 0.0
    )
    if same:
        kind = among or "choice"
        return f"The replay confirms {chosen.title} as the best {kind}; {off}."
    lost = abs((chosen.simulated or 0.0) / (right.simulated or math.inf) - 1)
    kind = f"the best {among}" if among else "best"
    return (
        f"By replay, {right.title} is {kind}; {chosen.title}, the model's choice, is "
        f"{percent(lost)} behind; {off}."
    )
