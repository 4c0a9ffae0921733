"""The exceptions of the core, for whoever catches them; args are (message, hint).

Importing this loads the core, so a command that may not need it imports it late.
"""

from tierwright._simulator import (
    Cancelled,
    CoreDefect,
    ParameterError,
    SimulatorError,
    TraceError,
)

__all__ = ["Cancelled", "CoreDefect", "ParameterError", "SimulatorError", "TraceError"]
