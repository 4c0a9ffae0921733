"""Results that lie in the database alone."""

from __future__ import annotations

from typing import Literal

ResultNoun = Literal["simulation", "sweep", "miniature", "advice_check"]
RESULT_KINDS: dict[ResultNoun, str] = {
    "simulation": "simulate",
    "sweep": "sweep",
    "miniature": "miniature",
    "advice_check": "advice_check",
}
"""What a user may delete, and the kind of its rows; each is computed anew when asked for."""
