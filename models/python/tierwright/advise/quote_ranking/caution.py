"""What to know of one quote."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QuoteCaution:
    """What to know of one quote.

    Attributes
    ----------
    code : str
        Stable.
    message : str
        A sentence.
    hint : str
        The next step.
    """

    code: str
    message: str
    hint: str
