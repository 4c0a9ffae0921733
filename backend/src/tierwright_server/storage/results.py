"""Results that lie in the database alone."""

from __future__ import annotations

from typing import Literal

RESULT_KINDS: dict[Literal["simulation", "sweep", "miniature"], str] = {
    "simulation": "simulate",
    "sweep": "sweep",
    "miniature": "miniature",
}
"""What a user may delete, and the kind of its rows; each is computed anew when asked for."""
