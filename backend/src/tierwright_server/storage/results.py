"""Results that lie in the database alone."""

from __future__ import annotations

from typing import Literal

from tierwright_server.storage.tables import Miniature, Simulation, Sweep

RESULTS: dict[
    Literal["simulation", "sweep", "miniature"],
    type[Simulation | Sweep | Miniature],
] = {
    "simulation": Simulation,
    "sweep": Sweep,
    "miniature": Miniature,
}
"""Results that lie in the database alone, by kind; each is computed anew when asked for."""
