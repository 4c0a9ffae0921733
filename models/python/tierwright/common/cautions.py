"""Named warnings, which belong to the numbers of an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caution:
    """A named warning: what is so, and what to do about it.

    Attributes
    ----------
    name, message, hint : str
        Its name, what is so, what to do; parameters by marks (`tierwright.common.parameters`).
    could_change_choice : bool or None
        Whether the scheme chosen would be beaten at the other end of what is unsure; None
        where nothing is chosen, or that end cannot be computed.
    effect : str
        What would be chosen there; empty unless it could change the choice.
    """

    name: str
    message: str
    hint: str
    could_change_choice: bool | None = None
    effect: str = ""


@dataclass(frozen=True, slots=True)
class TraceCaution(Caution):
    """A warning about the trace, which holds for whatever is computed from it."""
