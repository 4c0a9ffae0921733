"""Shapes of the check by simulation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from tierwright_server.common.schemas import Answer, WarmUp, WarningOut
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunStatus
from tierwright_server.questions.point_schemas import EvaluationIn

SchemeName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,40}$")]


class SimulationIn(EvaluationIn):
    """The point to check, and the schemes to replay."""

    schemes: (
        Annotated[
            list[SchemeName],
            Field(
                min_length=1,
                max_length=20,
                description="Names of `GET /catalog/schemes`; absent: all.",
            ),
        ]
        | None
    ) = None
    warm_up: WarmUp | None = Field(
        default=None,
        description="Absent: the one of the start, the first half of the trace in the "
        "steady state, none from a cold start.",
    )


STEADY_WARM_UP = 0.5
"""Share of the trace that warms the caches of a steady check."""


def warm_up_asked(inputs: Mapping[str, Any]) -> WarmUp:
    """Return the warm-up of a check's inputs; those of earlier versions began cold."""
    asked: WarmUp | None = inputs.get("warm_up")
    if asked is not None:
        return asked
    return STEADY_WARM_UP if inputs.get("start", "cold") == "steady" else 0


class SimulationRow(Answer):
    """One counter of one scheme: model and simulation."""

    scheme: str
    counter: str
    unit: str
    model: float | None = Field(
        description="From the requested start, over as many accesses as were counted; "
        "absent where the warm-up is not the one of the start, because the "
        "two cannot be compared."
    )
    simulated: float
    gap: float | None = Field(description="model - simulated")
    gap_relative: float | None = Field(
        description="gap / simulated; absent where simulated is 0."
    )
    exact: bool = Field(
        description="Whether the estimator is exact, equal to a simulation."
    )


class SimulationResult(Answer):
    """Model and simulation side by side."""

    rows: list[SimulationRow]
    schemes: dict[str, dict[str, int]] = Field(
        description="Every counter of every replay; with a warm-up, of the accesses "
        "after it: `warm_up` and `accesses` are among them."
    )


class SimulationOut(Answer):
    """A check: same inputs, same id."""

    id: str
    workload_id: str
    content_id: str
    status: RunStatus
    inputs: SimulationIn
    core_version: str
    created_at: datetime
    run: RunOut | None
    result: SimulationResult | None
    warnings: list[WarningOut] = Field(
        description="What the reader noticed in the trace."
    )
